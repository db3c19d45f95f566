//! The OpenAPI document: what the handlers do not say themselves, and the page that shows it.

use protocol::code::Problem;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, OpenApi, PathItem, Ref, RefOr, ResponseBuilder, SecurityRequirement,
};
use utoipa::{Modify, OpenApi as _};

/// A page that reads the document from beside itself. It needs nothing from elsewhere.
pub(crate) const PAGE: &str = include_str!("document.html");

const TOKEN: &str = "token";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Nightdesk",
        description = "The authority of one or many hotels: the only one that may sell a night.\n\n\
            Sign in for a token and send it as `Authorization: Bearer`. Every command carries an \
            `Idempotency-Key`; sent again with the same method, path and body it gets the same answer, \
            byte for byte. Refusals are problem documents (RFC 9457) with a stable `code`. 4xx: the \
            caller must act. 503 and 429: nothing happened, try again. 500: our bug.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Problem)),
    modifiers(&Token),
    tags(
        (name = "staff", description = "Who may come in"),
        (name = "catalogue", description = "What is sold"),
        (name = "inventory", description = "How much of it is left, and how much may be sold"),
        (name = "reservations", description = "From arrival to departure"),
        (name = "rooms", description = "Numbered rooms"),
        (name = "guests", description = "Persons"),
        (name = "audit", description = "Closing the day"),
        (name = "log", description = "What every desk follows"),
        (name = "operation", description = "For whoever runs the server"),
    ),
)]
struct Start;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "From POST /v1/sign-in. Opens one hotel; every other is 404.",
            ))
            .build();
        document
            .components
            .get_or_insert_default()
            .add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
        document.security = Some(vec![SecurityRequirement::new(TOKEN, Vec::<String>::new())]);
    }
}

/// What comes before the handlers.
pub(crate) fn start() -> OpenApi {
    Start::openapi()
}

/// The document with what is the same everywhere: any operation may end in a problem document.
pub(crate) fn finish(mut document: OpenApi) -> OpenApi {
    let problem = ResponseBuilder::new()
        .description("A refusal, or nothing happened: `code` says which")
        .content(
            "application/problem+json",
            ContentBuilder::new()
                .schema(Some(RefOr::Ref(Ref::from_schema_name("Problem"))))
                .build(),
        )
        .build();
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            operation
                .responses
                .responses
                .entry("default".to_owned())
                .or_insert_with(|| RefOr::T(problem.clone()));
        }
    }
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut utoipa::openapi::path::Operation> {
    [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.patch,
        &mut item.delete,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use protocol::role::Role;

    use crate::staff::access::{TABLE, Who};
    use crate::testing::TestApp;

    /// Every operation of the document, as method and path.
    fn documented() -> Vec<(String, String)> {
        let document = serde_json::to_value(crate::app::openapi()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let mut all = Vec::new();
        for (path, item) in paths {
            for method in item.as_object().unwrap().keys() {
                if ["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                    all.push((method.to_uppercase(), path.clone()));
                }
            }
        }
        all
    }

    #[test]
    fn the_document_is_the_committed_one() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        let now = crate::app::openapi().to_pretty_json().unwrap();
        assert!(
            committed.trim_end() == now.trim_end(),
            "the API has changed: look at what changed, then `cargo xtask codegen` (or `sync-server openapi > docs/openapi.json`)"
        );
        assert!(now.contains(r#""openapi": "3.1.0""#));
    }

    #[test]
    fn every_operation_stands_in_the_table_of_access_and_says_what_it_answers() {
        let document = serde_json::to_value(crate::app::openapi()).unwrap();
        let documented = documented();
        for (method, path) in &documented {
            let entry = TABLE.iter().find(|(m, p, _)| m == method && p == path);
            let (.., who) = entry.unwrap_or_else(|| panic!("{method} {path} has no entry"));
            let operation = &document["paths"][path][method.to_lowercase()];
            let open = operation["security"] == serde_json::json!([{}]);
            assert_eq!(open, *who == Who::Anyone, "{method} {path}: security");
            assert!(operation["summary"].is_string(), "{method} {path}: summary");
            assert!(operation["operationId"].is_string());
            assert!(operation["responses"]["default"].is_object());
            if method != "GET" && path.contains("{hotel}") {
                let keyed = operation["parameters"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one["name"] == "Idempotency-Key"));
                assert!(keyed, "{method} {path}: Idempotency-Key");
            }
        }
        for (method, path, _) in TABLE {
            assert!(
                documented.iter().any(|(m, p)| m == method && p == path),
                "{method} {path} stands in the table and does not exist"
            );
        }
    }

    #[tokio::test]
    async fn n12_every_route_refuses_strangers_other_hotels_and_too_low_roles() {
        use protocol::code::Code;
        let app = TestApp::start().await;
        let ours = app.small_hotel().await;
        let theirs = app.hotel(&crate::testing::small_hotel("theirs")).await;
        let mut clients = Vec::new();
        for role in Role::ALL {
            clients.push((role, app.sign_in(ours.id, *role).await));
        }
        let stranger = app.stranger(ours.id);
        let mut visitor = app.sign_in(theirs.id, Role::Admin).await;
        visitor.hotel = ours.id;
        let id = uuid::Uuid::now_v7();
        for (method, path, who) in TABLE {
            let address = path
                .replace("{hotel}", &ours.id.to_string())
                .replace("{id}", &id.to_string());
            let ask = |client: crate::testing::Client| {
                let address = address.clone();
                async move {
                    client
                        .raw(method, &address, &[("idempotency-key", "k")], "{}")
                        .await
                }
            };
            let without = ask(stranger.clone()).await;
            if *who == Who::Anyone {
                assert!(without.status.as_u16() != 403, "{method} {path}");
                continue;
            }
            without.refused(Code::Unauthenticated);
            let mut garbled = stranger.clone();
            garbled.token = Some("nd1.x.y".to_owned());
            ask(garbled).await.refused(Code::Unauthenticated);
            if path.contains("{hotel}") {
                ask(visitor.clone()).await.refused(Code::NotFound);
            }
            let Who::Roles(may) = who else { continue };
            for (role, client) in &clients {
                let answer = ask(client.clone()).await;
                if may.contains(role) {
                    let status = answer.status.as_u16();
                    assert!(
                        status != 401 && status != 403 && status < 500,
                        "{role} {method} {path}: {}",
                        answer.text
                    );
                } else {
                    answer.refused(Code::Forbidden);
                }
            }
        }
        // What is not there, and what is there under another method.
        stranger
            .raw("GET", "/nothing", &[], "")
            .await
            .refused(Code::NotFound);
        let client = &clients[0].1;
        client
            .raw("DELETE", "/v1/me", &[], "")
            .await
            .refused(Code::MethodNotAllowed);
        // Half a character, and two answers to who asks.
        client
            .raw("GET", "/v1/hotels/%FF/rooms", &[], "")
            .await
            .refused(Code::NotFound);
        let other = format!("Bearer {}", clients[1].1.token.as_deref().unwrap());
        client
            .raw("GET", "/v1/me", &[("authorization", &other)], "")
            .await
            .refused(Code::Unauthenticated);
    }

    #[tokio::test]
    async fn the_document_and_its_page_are_served_and_need_nothing_from_elsewhere() {
        let app = TestApp::start().await;
        let hotel = app.small_hotel().await;
        let client = app.stranger(hotel.id);
        let document = client.raw("GET", "/openapi.json", &[], "").await.json();
        assert_eq!(
            document,
            serde_json::to_value(crate::app::openapi()).unwrap()
        );
        let page = client.raw("GET", "/docs", &[], "").await;
        assert_eq!(page.status, 200);
        assert!(!page.text.contains("http://") && !page.text.contains("https://"));
    }
}
