//! That the recount finds what it is there to find: each thing is broken behind the server's back,
//! must be reported under its number, and mended.

use protocol::request::CommandAnswer;
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::verify;
use crate::reservations::testbed::Bed;

async fn sql(bed: &Bed, statements: &str) {
    for statement in statements.split(';').filter(|text| !text.trim().is_empty()) {
        sqlx::query(AssertSqlSafe(statement.to_owned()))
            .execute(&bed.app.db.booking)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

async fn found(bed: &Bed) -> Vec<String> {
    let found = verify(&bed.app.db).await.unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn each_difference_is_found_and_named() {
    let bed = Bed::new().await;
    let stay = bed.confirmed("STD", 1, 4).await;
    let gone = bed.confirmed("STD", 2, 4).await;
    let _: CommandAnswer = bed.assign(stay, "101").await.ok();
    bed.check_in(stay).await;
    let _: CommandAnswer = bed.assign(gone, "102").await.ok();
    bed.act(gone, "check-in", json!({}))
        .await
        .refused(protocol::code::Code::NotDue);
    bed.clean().await;
    sql(
        &bed,
        "ALTER TABLE room_night DROP CONSTRAINT room_night_ceiling;
         ALTER TABLE room_use DROP CONSTRAINT room_use_alone",
    )
    .await;

    let std = bed.kind("STD").0;
    let night = format!("room_type_id = '{std}' AND stay_date = '2027-06-02'");
    let house =
        "room_type_id = '00000000-0000-0000-0000-000000000000' AND stay_date = '2027-06-02'";
    let one_night = |what: &str| {
        (
            format!("UPDATE room_night SET {what} + 1 WHERE {night}"),
            format!("UPDATE room_night SET {what} - 1 WHERE {night}"),
        )
    };
    let over = one_night("over_limit = over_limit");
    let reserved = one_night("reserved = reserved");
    let total = one_night("total = total");
    let broken = one_night("out_of_order = out_of_order");
    let counted = |yes: bool| {
        format!(
            "UPDATE reservation_night SET counted = {yes}
             WHERE reservation_id = '{gone}' AND stay_date = '2027-06-03'"
        )
    };
    let state = |state: &str| {
        format!("UPDATE reservation SET state = '{state}' WHERE reservation_id = '{gone}'")
    };
    let leaves = |day: u32| {
        format!(
            "UPDATE reservation SET check_out = '2027-06-{day:02}' WHERE reservation_id = '{gone}'"
        )
    };
    let room = |number: &str| {
        format!(
            "UPDATE room_use SET room_id = '{}' WHERE reservation_id = '{gone}'",
            bed.room(number)
        )
    };
    let during = |until: u32| {
        format!(
            "UPDATE room_use SET during = daterange('2027-06-02', '2027-06-{until:02}')
             WHERE reservation_id = '{gone}'"
        )
    };
    let double = format!(
        "INSERT INTO room_use (hotel_id, room_use_id, room_id, during, kind, reservation_id)
         SELECT hotel_id, gen_random_uuid(), '{}', during, kind, reservation_id
         FROM room_use WHERE reservation_id = '{gone}'",
        bed.room("103")
    );
    let single = format!("DELETE FROM room_use WHERE room_id = '{}'", bed.room("103"));
    let cases: Vec<(&str, &str, String, String)> = vec![
        ("N1", "over the limit", over.0, over.1),
        ("N2", "reserved", reserved.0.clone(), reserved.1.clone()),
        ("N2", "of the house: reserved", reserved.0, reserved.1),
        ("N2", "rooms and", total.0, total.1),
        ("N2", "out of order", broken.0, broken.1),
        (
            "N2",
            "of the house",
            format!("UPDATE room_night SET total = total + 1 WHERE {house}"),
            format!("UPDATE room_night SET total = total - 1 WHERE {house}"),
        ),
        ("N2", "counted", counted(false), counted(true)),
        ("N3", "nights counted", counted(false), counted(true)),
        ("N3", "cancelled", state("cancelled"), state("confirmed")),
        ("N11", "no_show", state("no_show"), state("confirmed")),
        ("N3", "nights known", leaves(5), leaves(4)),
        ("N3", "of them in its stay", leaves(3), leaves(4)),
        ("N11", "by reservation", state("expired"), state("confirmed")),
        ("N11", "room 101 has stay", room("101"), room("102")),
        ("N11", "another type", room("201"), room("102")),
        ("N11", "is in use", during(3), during(4)),
        ("N11", "is in use", during(6), during(4)),
        ("N11", "and another one", double, single),
        (
            "N9",
            "the head is",
            "UPDATE hotel_head SET seq = seq + 1".to_owned(),
            "UPDATE hotel_head SET seq = seq - 1".to_owned(),
        ),
        (
            "N9",
            "events from 1",
            "UPDATE event SET seq = 100 WHERE seq = 3".to_owned(),
            "UPDATE event SET seq = 3 WHERE seq = 100".to_owned(),
        ),
        (
            "N9",
            "the head is",
            "UPDATE hotel_head SET epoch = last_event_id; UPDATE hotel_head SET last_event_id = NULL"
                .to_owned(),
            "UPDATE hotel_head SET last_event_id = epoch".to_owned(),
        ),
        (
            "N9",
            "the log says",
            format!("UPDATE reservation SET adults = 7 WHERE reservation_id = '{gone}'"),
            format!("UPDATE reservation SET adults = 2 WHERE reservation_id = '{gone}'"),
        ),
        (
            "N9",
            "cannot be read",
            "UPDATE event SET changes = 'x' || changes WHERE seq = 1".to_owned(),
            "UPDATE event SET changes = substr(changes, 2) WHERE seq = 1".to_owned(),
        ),
        (
            "N2",
            "and its counter from 1 to 3",
            "UPDATE event SET changes = replace(changes, '\"reserved\":2', '\"reserved\":3') WHERE seq = 2"
                .to_owned(),
            "UPDATE event SET changes = replace(changes, '\"reserved\":3', '\"reserved\":2') WHERE seq = 2"
                .to_owned(),
        ),
        (
            "N13",
            "holds a guest or a note",
            "UPDATE event SET changes = replace(changes, '\"notes\":\"\"', '\"notes\":\"tall\"')"
                .to_owned(),
            "UPDATE event SET changes = replace(changes, '\"notes\":\"tall\"', '\"notes\":\"\"')"
                .to_owned(),
        ),
        (
            "N5",
            "no final answer",
            "UPDATE idempotency_key SET status = 503 WHERE status = 409".to_owned(),
            "UPDATE idempotency_key SET status = 409 WHERE status = 503".to_owned(),
        ),
        (
            "N5",
            "a problem with",
            "UPDATE idempotency_key SET status = 404 WHERE status = 409".to_owned(),
            "UPDATE idempotency_key SET status = 409 WHERE status = 404".to_owned(),
        ),
        (
            "N5",
            "which is not there",
            "UPDATE idempotency_key SET answer = replace(answer, '\"seq\":3', '\"seq\":300')".to_owned(),
            "UPDATE idempotency_key SET answer = replace(answer, '\"seq\":300', '\"seq\":3')".to_owned(),
        ),
        (
            "N5",
            "as was",
            "UPDATE idempotency_key SET answer = replace(answer, '\"seq\":3', '\"seq\":4'), request_hash = request_hash || '\\x00'
             WHERE answer LIKE '%\"seq\":3,%'"
                .to_owned(),
            "UPDATE idempotency_key SET answer = replace(answer, '\"seq\":4', '\"seq\":3'), request_hash = substr(request_hash, 1, 32)
             WHERE length(request_hash) > 32"
                .to_owned(),
        ),
        (
            "N5",
            "of somebody else",
            "UPDATE idempotency_key SET actor = hotel_id WHERE status = 200".to_owned(),
            "UPDATE idempotency_key SET actor = (SELECT actor FROM event WHERE seq = 3) WHERE status = 200"
                .to_owned(),
        ),
    ];
    for (invariant, words, breaks, mends) in cases {
        sql(&bed, &breaks).await;
        let differences = found(&bed).await;
        assert!(
            differences
                .iter()
                .any(|line| line.starts_with(&format!("small {invariant}: "))
                    && line.contains(words)),
            "{breaks}\nfound {differences:#?}"
        );
        sql(&bed, &mends).await;
        let left = found(&bed).await;
        assert!(left.is_empty(), "{mends}\nleft {left:#?}");
    }
}
