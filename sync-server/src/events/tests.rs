//! The log under load, across pages, restores and erasure.

use std::collections::HashMap;
use std::time::Duration;

use protocol::code::Code;
use protocol::event::{Change, Event, EventPage, SnapshotPage, Subject};
use protocol::id::{EventId, GuestId};
use protocol::request::{CommandAnswer, HoldAnswer};
use protocol::role::Role;
use serde_json::json;
use sqlx::Executor;
use uuid::Uuid;

use super::waiting::WAITS_MAX;
use crate::catalog::create::CreatedHotel;
use crate::testing::{Client, TestApp};

async fn pull(client: &Client, after: i64, limit: i64, wait: u64) -> EventPage {
    client
        .get(&format!("/events?after={after}&limit={limit}&wait={wait}"))
        .await
        .ok()
}

/// Reads from the beginning in pages of this size until it has `until` events.
async fn read_all(client: Client, limit: i64, until: i64) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut last_id: Option<EventId> = None;
    while (events.len() as i64) < until {
        let after = events.len();
        let id = last_id
            .map(|id| format!("&last_id={id}"))
            .unwrap_or_default();
        let page: EventPage = client
            .get(&format!("/events?after={after}&limit={limit}&wait=30{id}"))
            .await
            .ok();
        assert!(page.events.len() as i64 <= limit);
        assert!(page.head >= after as i64 + page.events.len() as i64);
        events.extend(page.events);
        last_id = events.last().map(|event| event.id);
    }
    events
}

async fn put_guest(client: &Client, guest: Uuid, version: Option<i64>, name: &str) -> i64 {
    let body = json!({"name": name, "version": version});
    let answer: CommandAnswer = client
        .send("PUT", &format!("/guests/{guest}"), body)
        .await
        .ok();
    answer.seq
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n9_b56_every_reader_sees_every_event_in_order_whatever_its_page() {
    const WRITERS: i64 = 5;
    const EACH: i64 = 12;
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (_, second) = app.second_server();
    let readers: Vec<_> = [1, 3, 1000]
        .map(|limit| tokio::spawn(read_all(client.clone(), limit, WRITERS * EACH)))
        .into_iter()
        .chain([tokio::spawn(read_all(
            client.at(&second),
            2,
            WRITERS * EACH,
        ))])
        .collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|nth| {
            let client = if nth % 2 == 0 {
                client.clone()
            } else {
                client.at(&second)
            };
            tokio::spawn(async move {
                let guest = Uuid::now_v7();
                let mut version = None;
                for _ in 0..EACH {
                    put_guest(&client, guest, version, "x").await;
                    version = Some(version.unwrap_or(0) + 1);
                    // What is refused takes no number.
                    let stale = json!({"name": "y", "version": 99});
                    client
                        .send("PUT", &format!("/guests/{guest}"), stale)
                        .await
                        .refused(Code::StaleVersion);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let mut seen = Vec::new();
    for reader in readers {
        let events = reader.await.unwrap();
        let numbers: Vec<i64> = events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=WRITERS * EACH).collect::<Vec<_>>());
        seen.push(events.iter().map(|event| event.id).collect::<Vec<_>>());
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    // Stored versions of one guest only rise.
    let stored: Vec<String> = sqlx::query_scalar("SELECT changes FROM event ORDER BY seq")
        .fetch_all(&app.db.reads)
        .await
        .unwrap();
    let mut versions: HashMap<GuestId, i64> = HashMap::new();
    for changes in stored {
        for change in serde_json::from_str::<Vec<Change>>(&changes).unwrap() {
            let Change::GuestRef { id, version } = change else {
                panic!("a guest stands in the log by reference only: {change:?}");
            };
            assert_eq!(versions.insert(id, version).unwrap_or(0) + 1, version);
        }
    }
}

#[tokio::test]
async fn b58_what_is_rolled_back_leaves_no_gap_and_what_is_open_delays_and_loses_nothing() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    assert_eq!(put_guest(&client, Uuid::now_v7(), None, "one").await, 1);
    let write = "WITH head AS (UPDATE hotel_head SET seq = seq + 1, last_event_id = $2 WHERE hotel_id = $1 RETURNING seq)
         INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, verb, changes)
         SELECT $1, clock_timestamp(), seq, $2, '2027-06-01', $2, 'test', '[]' FROM head";
    let mut rolled_back = app.db.booking.begin().await.unwrap();
    sqlx::query(write)
        .bind(hotel.id.0)
        .bind(Uuid::now_v7())
        .execute(&mut *rolled_back)
        .await
        .unwrap();
    rolled_back.rollback().await.unwrap();
    assert_eq!(put_guest(&client, Uuid::now_v7(), None, "two").await, 2);

    // Left open: writers are told to come back, readers read what is decided, the age is shown.
    let mut open = app.db.booking.begin().await.unwrap();
    let id = Uuid::now_v7();
    sqlx::query(write)
        .bind(hotel.id.0)
        .bind(id)
        .execute(&mut *open)
        .await
        .unwrap();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { pull(&client, 2, 10, 30).await }
    });
    let body = json!({"name": "three"});
    let key = Uuid::now_v7().to_string();
    let path = format!("/guests/{}", Uuid::now_v7());
    client
        .keyed(&key, "PUT", &path, &body)
        .await
        .refused(Code::Busy);
    let page = pull(&client, 0, 10, 0).await;
    assert_eq!((page.events.len(), page.head), (2, 2));
    let lag = crate::db::health::lag(&app.db.reads).await.unwrap();
    assert!(lag.oldest_transaction_s >= 1, "{lag:?}");
    open.commit().await.unwrap();
    // Nobody told: found by looking.
    let page = waiting.await.unwrap();
    assert_eq!(
        page.events.iter().map(|event| event.id).collect::<Vec<_>>(),
        [EventId(id)]
    );
    // "Busy" was no answer: the same key now has its effect.
    let answer: CommandAnswer = client.keyed(&key, "PUT", &path, &body).await.ok();
    assert_eq!(answer.seq, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_wakes_readers_here_and_at_the_other_server() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (second, _) = app.second_server();
    let _jobs = (crate::jobs::start(&app.state), crate::jobs::start(&second));
    let mut here = app.db.wakers.subscribe(hotel.id);
    let mut there = second.db.wakers.subscribe(hotel.id);
    // The other server may still be about to listen: written to until it hears.
    let heard = async {
        loop {
            put_guest(&client, Uuid::now_v7(), None, "x").await;
            assert!(here.has_changed().unwrap(), "woken before the answer");
            if tokio::time::timeout(Duration::from_millis(100), there.changed())
                .await
                .is_ok()
            {
                break;
            }
        }
        here.mark_unchanged();
    };
    tokio::time::timeout(Duration::from_secs(30), heard)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_changed_past_and_a_log_that_begins_later_are_told_apart() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    for _ in 0..6 {
        put_guest(&client, Uuid::now_v7(), None, "x").await;
    }
    let ids: Vec<EventId> = pull(&client, 0, 10, 0)
        .await
        .events
        .iter()
        .map(|event| event.id)
        .collect();
    let other = Uuid::now_v7();
    let get = |path: String| {
        let client = client.clone();
        async move { client.get(&path).await }
    };
    get("/events?after=7".to_owned())
        .await
        .refused(Code::EpochChanged);
    get(format!("/events?after=6&last_id={other}"))
        .await
        .refused(Code::EpochChanged);
    get(format!("/events?after=3&last_id={other}"))
        .await
        .refused(Code::EpochChanged);
    let page: EventPage = get(format!("/events?after=3&last_id={}", ids[2]))
        .await
        .ok();
    assert_eq!(page.events.len(), 3);
    assert_eq!(page.head_id, Some(ids[5]));
    let idle: EventPage = get(format!("/events?after=6&last_id={}", ids[5]))
        .await
        .ok();
    assert!(idle.events.is_empty());

    // The first three are gone.
    app.db
        .reads
        .execute("DELETE FROM event WHERE seq <= 3")
        .await
        .unwrap();
    get("/events?after=0".to_owned())
        .await
        .refused(Code::Resync);
    get(format!("/events?after=2&last_id={}", ids[1]))
        .await
        .refused(Code::Resync);
    let page: EventPage = get(format!("/events?after=3&last_id={}", ids[2]))
        .await
        .ok();
    assert_eq!(page.events[0].seq, 4);
    app.db.reads.execute("DELETE FROM event").await.unwrap();
    get("/events?after=3".to_owned())
        .await
        .refused(Code::Resync);

    // A desk that is too old, and what is no question.
    let understands = |value: &'static str| {
        let (client, path) = (
            client.clone(),
            format!("/v1/hotels/{}/events?after=6", hotel.id),
        );
        async move {
            client
                .raw("GET", &path, &[("x-nightdesk-understands", value)], "")
                .await
        }
    };
    assert_eq!(understands("1").await.status, 200);
    assert_eq!(understands("7").await.status, 200);
    understands("0").await.refused(Code::UpdateNeeded);
    understands("new").await.refused(Code::UpdateNeeded);
    for (query, field) in [
        ("/events", "/after"),
        ("/events?after=-1", "/after"),
        ("/events?after=x", "/after"),
        ("/events?after=99999999999999999999", "/after"),
        ("/events?after=0&limit=0", "/limit"),
        ("/events?after=0&limit=1001", "/limit"),
        ("/events?after=0&wait=31", "/wait"),
        ("/events?after=0&wait=-1", "/wait"),
        ("/events?after=0&last_id=7", "/last_id"),
        ("/events?after=0&more=1", "/more"),
        ("/snapshot?cursor=", "/cursor"),
        ("/snapshot?cursor=1~night~x~0~~y~2027-01-01", "/cursor"),
        (
            "/snapshot?cursor=2~hotel~~0~~00000000-0000-0000-0000-000000000000~2027-01-01",
            "/cursor",
        ),
        (
            "/snapshot?cursor=1~hotel~~0~~00000000-0000-0000-0000-000000000001~-262143-01-01",
            "/cursor",
        ),
        ("/snapshot?page=2", "/page"),
    ] {
        let problem = client.get(query).await.refused(Code::Invalid);
        assert_eq!(problem.fields[0].pointer, field, "{query}: {problem:?}");
    }
}

#[tokio::test]
async fn a_page_is_bounded_in_bytes_and_holds_at_least_one_event() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let guest = Uuid::now_v7();
    for nth in 0..4 {
        put_guest(&client, guest, (nth > 0).then_some(nth), "x").await;
    }
    // Much more than a page, and still a page by itself.
    let row = json!({"kind": "room_use_removed", "id": Uuid::now_v7()}).to_string();
    let big = format!("[{}]", vec![row; 20_000].join(","));
    sqlx::query("UPDATE event SET changes = $1 WHERE seq = 2")
        .bind(&big)
        .execute(&app.db.reads)
        .await
        .unwrap();
    assert!(big.len() > 1024 * 1024);
    let numbers = |page: EventPage| {
        page.events
            .iter()
            .map(|event| event.seq)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(pull(&client, 0, 10, 0).await), [1]);
    assert_eq!(numbers(pull(&client, 1, 10, 0).await), [2]);
    assert_eq!(numbers(pull(&client, 2, 10, 0).await), [3, 4]);
}

#[tokio::test]
async fn somebody_shut_out_while_waiting_hears_no_more() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.get("/events?after=0&wait=30").await }
    });
    tokio::task::yield_now().await;
    assert_eq!(
        client.raw("POST", "/v1/sign-out", &[], "").await.status,
        204
    );
    put_guest(&ana, Uuid::now_v7(), None, "secret").await;
    waiting.await.unwrap().refused(Code::Unauthenticated);
}

#[tokio::test]
async fn one_desk_cannot_wait_so_often_that_others_starve() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let greedy = app.sign_in(hotel.id, Role::FrontDesk).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let poll = "/events?after=0&wait=30";
    let waiting: Vec<_> = (0..WAITS_MAX)
        .map(|_| {
            let client = greedy.clone();
            tokio::spawn(async move { client.get(poll).await })
        })
        .collect();
    while app.state.waiting.len() < WAITS_MAX {
        tokio::task::yield_now().await;
    }
    let refused = greedy.get(poll).await;
    refused.refused(Code::TooManyRequests);
    // Without waiting it may read, and another desk may wait.
    let _: EventPage = greedy.get("/events?after=0").await.ok();
    let other = tokio::spawn({
        let client = ana.clone();
        async move { client.get(poll).await }
    });
    put_guest(&ana, Uuid::now_v7(), None, "news").await;
    for poll in waiting.into_iter().chain([other]) {
        let page: EventPage = poll.await.unwrap().ok();
        assert_eq!(page.head, 1);
    }
    assert_eq!(app.state.waiting.len(), 0, "every place was given back");
}

/// A copy as a desk would hold it.
type Copy = HashMap<Subject, Change>;

fn apply(copy: &mut Copy, changes: Vec<Change>) {
    for change in changes {
        if matches!(change, Change::RoomUseRemoved { .. }) {
            copy.remove(&change.subject());
        } else {
            assert!(
                !matches!(change, Change::GuestRef { .. }),
                "the pull joins guests"
            );
            copy.insert(change.subject(), change);
        }
    }
}

/// Loads a snapshot page by page, with something done between pages, and pulls up to its end.
async fn load<F: Future<Output = ()>>(
    client: &Client,
    between: impl Fn(usize) -> F,
) -> (Copy, usize) {
    let mut copy = Copy::new();
    let mut cursor: Option<String> = None;
    let mut pages = 0;
    let mut total = None;
    let (mut after, until) = loop {
        let query = cursor
            .map(|cursor| format!("?cursor={cursor}"))
            .unwrap_or_default();
        let page: SnapshotPage = client.get(&format!("/snapshot{query}")).await.ok();
        assert_eq!(page.rows_total.is_some(), pages == 0);
        total = total.or(page.rows_total);
        pages += 1;
        apply(&mut copy, page.changes);
        cursor = page.cursor;
        if let Some(until) = page.until {
            assert!(cursor.is_none());
            break (page.from, until);
        }
        between(pages).await;
    };
    if after == until {
        // Nothing happened: the count is exact.
        assert_eq!(copy.len() as i64, total.unwrap());
    }
    while after < until {
        let page = pull(client, after, 3, 0).await;
        after += page.events.len() as i64;
        for event in page.events {
            apply(&mut copy, event.changes);
        }
    }
    (copy, pages)
}

async fn book(client: &Client, hotel: &CreatedHotel, nth: usize) -> HoldAnswer {
    let guest = Uuid::now_v7();
    put_guest(client, guest, None, "Guest").await;
    let night = 1 + nth % 28;
    let hold: HoldAnswer = client
        .send(
            "POST",
            "/holds",
            json!({"rooms": [{
                "room_type_id": hotel.types[if nth.is_multiple_of(2) { "STD" } else { "SUP" }],
                "check_in": format!("2027-06-{night:02}"), "check_out": format!("2027-06-{:02}", night + 2),
                "adults": 2, "guest_id": guest,
            }]}),
        )
        .await
        .ok();
    let path = format!("/bookings/{}/confirm", hold.booking_id);
    let body = json!({"guarantee": "card", "rooms": [{
        "reservation_id": hold.rooms[0].reservation_id, "guest_id": guest, "notes": "late",
    }]});
    let _: CommandAnswer = client.send("POST", &path, body).await.ok();
    hold
}

#[tokio::test]
async fn b71_a_snapshot_taken_while_things_change_ends_equal_to_the_server() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::Admin).await;
    let mut first = Vec::new();
    for nth in 0..8 {
        first.push(book(&client, &hotel, nth).await);
    }
    let (copy, pages) = load(&client, async |nth| {
        // One new, one given up, one with a room, between every two pages.
        book(&client, &hotel, nth + 9).await;
        if let Some(known) = first.get(nth) {
            let id = known.rooms[0].reservation_id;
            let answer = if nth % 2 == 0 {
                client
                    .send("POST", &format!("/reservations/{id}/cancel"), json!({}))
                    .await
            } else {
                let room = hotel.rooms[if nth == 1 { "101" } else { "201" }];
                client
                    .send(
                        "POST",
                        &format!("/reservations/{id}/assign"),
                        json!({"room_id": room}),
                    )
                    .await
            };
            assert!(
                answer.status.is_success() || answer.status == 409,
                "{}",
                answer.text
            );
        }
    })
    .await;
    assert!(pages > 8, "{pages} pages");
    let (now, _) = load(&client, async |_| {}).await;
    for (subject, row) in &now {
        assert_eq!(copy.get(subject), Some(row));
    }
    assert_eq!(copy.len(), now.len());
    assert!(
        now.values()
            .any(|row| matches!(row, Change::Reservation { row } if row.notes == "late"))
    );
    assert!(
        now.values()
            .any(|row| matches!(row, Change::RoomUse { .. }))
    );
}

#[tokio::test]
async fn a_snapshot_of_another_past_is_not_gone_on_with() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let page: SnapshotPage = client.get("/snapshot").await.ok();
    let cursor = page.cursor.unwrap();
    app.db
        .reads
        .execute("UPDATE hotel_head SET epoch = gen_random_uuid()")
        .await
        .unwrap();
    client
        .get(&format!("/snapshot?cursor={cursor}"))
        .await
        .refused(Code::EpochChanged);
}

/// Collects what is logged on this thread.
#[derive(Clone, Default)]
struct Captured(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn n13_no_name_stands_in_the_log_the_answers_or_the_server_s_own_log() {
    let captured = Captured::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer({
            let captured = captured.clone();
            move || captured.clone()
        })
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let client = app.sign_in(hotel.id, Role::FrontDesk).await;
    let guest = Uuid::now_v7();
    let secrets = ["Zbigniewa", "zbig@example.org", "600000042", "allergic"];
    let path = format!("/guests/{guest}");
    let body =
        json!({"name": secrets[0], "email": secrets[1], "phone": secrets[2], "notes": secrets[3]});
    let _: CommandAnswer = client.send("PUT", &path, body.clone()).await.ok();
    client
        .send("PUT", &path, body)
        .await
        .refused(Code::AlreadyExists);
    client
        .send("PUT", &path, json!({"name": [secrets[0]]}))
        .await
        .refused(Code::Invalid);
    client
        .send(
            "PUT",
            &path,
            json!({"name": format!("{} 4242424242424242", secrets[0]), "version": 1}),
        )
        .await
        .refused(Code::Invalid);
    let hold: HoldAnswer = client
        .send(
            "POST",
            "/holds",
            json!({"rooms": [{"room_type_id": hotel.types["STD"],
            "check_in": "2027-06-01", "check_out": "2027-06-02", "adults": 1, "guest_id": guest}]}),
        )
        .await
        .ok();
    let confirm = json!({"guarantee": "none", "rooms": [{"reservation_id": hold.rooms[0].reservation_id, "notes": secrets[3]}]});
    let _: CommandAnswer = client
        .send(
            "POST",
            &format!("/bookings/{}/confirm", hold.booking_id),
            confirm,
        )
        .await
        .ok();

    // Everything that is stored but the rows of guests and reservations themselves.
    let stored: Vec<String> = sqlx::query_scalar(
        "SELECT changes || coalesce(reason, '') FROM event UNION ALL SELECT answer FROM idempotency_key",
    )
    .fetch_all(&app.db.reads)
    .await
    .unwrap();
    assert!(stored.len() >= 6);
    let token = client.token.clone().unwrap();
    let logged = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("request.done"));
    for secret in secrets.iter().copied().chain([token.as_str()]) {
        assert!(!logged.contains(secret), "{secret} is in the server's log");
        assert!(
            !stored.iter().any(|text| text.contains(secret)),
            "{secret} is stored"
        );
    }
    // Readers see the present row, also of an old event: what is forgotten is forgotten there too.
    let page = client.get("/events?after=0").await;
    assert!(secrets.iter().all(|secret| page.text.contains(secret)));
    app.db
        .reads
        .execute(
            "UPDATE guest SET name = '', email = NULL, phone = NULL, notes = '', erased_at = now()",
        )
        .await
        .unwrap();
    app.db
        .reads
        .execute("UPDATE reservation SET notes = ''")
        .await
        .unwrap();
    let page = client.get("/events?after=0").await;
    assert!(!secrets.iter().any(|secret| page.text.contains(secret)));
    let erased = page.ok::<EventPage>().events.into_iter().flat_map(|event| event.changes).any(
        |change| matches!(change, Change::Guest { row } if row.erased && row.id == GuestId(guest)),
    );
    assert!(erased);
}

#[tokio::test]
async fn how_far_a_desk_has_read_is_written_down_now_and_then() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let mut client = app.stranger(hotel.id);
    let body = json!({"name": "ana", "password": "only for tests", "device_id": Uuid::now_v7()});
    let signed: protocol::request::SignedIn = client
        .raw("POST", "/v1/sign-in", &[], body.to_string())
        .await
        .ok();
    client.token = Some(signed.token);
    for _ in 0..3 {
        put_guest(&client, Uuid::now_v7(), None, "x").await;
    }
    pull(&client, 2, 10, 0).await;
    let last = "SELECT last_seq FROM device";
    let before: i64 = sqlx::query_scalar(last)
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(before, 0, "a poll costs no write");
    crate::db::sessions::devices_seen(&app.db.reads, &app.state.seen.take())
        .await
        .unwrap();
    let after: i64 = sqlx::query_scalar(last)
        .fetch_one(&app.db.reads)
        .await
        .unwrap();
    assert_eq!(after, 2);
    let lag = crate::db::health::lag(&app.db.reads).await.unwrap();
    assert_eq!(lag.events, 1);
}
