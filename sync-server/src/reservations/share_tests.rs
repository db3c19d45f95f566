use protocol::code::Code;
use protocol::id::{BookingId, ReservationId};
use protocol::request::{CommandAnswer, HoldAnswer, PartyAnswer, StayAnswer};
use protocol::role::Role;
use protocol::state::ReservationState;
use serde_json::{Value, json};

use crate::reservations::test_support::rooms as rooms_of;
use crate::reservations::testbed::{Bed, facts, june};

async fn share(bed: &Bed, main: ReservationId, body: Value) -> ReservationId {
    let done: StayAnswer = bed.act(main, "share", body).await.ok();
    done.reservations[0].id
}

/// A room for several days with somebody who shares it.
async fn two(bed: &Bed, from: u32, until: u32) -> (ReservationId, ReservationId) {
    let main = bed.confirmed("SUP", from, until).await;
    let _: CommandAnswer = bed.assign(main, "201").await.ok();
    let sharer = share(bed, main, json!({"adults": 1, "price": 3_000})).await;
    (main, sharer)
}

#[tokio::test]
async fn n2_who_shares_a_room_counts_no_night_and_has_no_room_of_their_own() {
    let bed = Bed::new().await;
    let (main, sharer) = two(&bed, 1, 4).await;
    assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
    let row = bed.row(sharer).await;
    assert_eq!(
        (row.share_of, row.state),
        (Some(main), ReservationState::Confirmed)
    );
    assert!(
        row.nights
            .iter()
            .all(|night| night.shared && !night.counted && night.price == 3_000)
    );
    bed.clean().await;
    let told = facts(&bed.assign(sharer, "202").await, Code::WrongState);
    assert_eq!(told["share_of"], json!(main));
    let body = json!({"room_id": bed.room("202")});
    bed.act(sharer, "check-in", body)
        .await
        .refused(Code::WrongState);
    // Nobody shares with somebody who shares.
    bed.act(sharer, "share", json!({"adults": 1}))
        .await
        .refused(Code::WrongState);
    bed.check_in(sharer).await;
    bed.check_in(main).await;
    bed.open(2).await;
    let _: CommandAnswer = bed
        .act(sharer, "check-out", json!({"early": true}))
        .await
        .ok();
    assert_eq!(bed.status("201").await, "clean", "the other is still in it");
    assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
    bed.clean().await;
}

#[tokio::test]
async fn n2_the_one_who_stays_takes_over_nights_and_room_and_no_counter_moves() {
    let bed = Bed::new().await;
    // Given up before arrival.
    let (main, sharer) = two(&bed, 1, 4).await;
    let _: CommandAnswer = bed.act(main, "cancel", json!({})).await.ok();
    let row = bed.row(sharer).await;
    assert_eq!(
        (
            row.share_of,
            row.nights.iter().filter(|n| n.counted).count()
        ),
        (None, 3)
    );
    assert_eq!(bed.rooms(sharer).await, ["201 06-01 06-04"]);
    assert_eq!(bed.reserved("SUP", 1..4).await, [1, 1, 1]);
    bed.clean().await;
    let _: CommandAnswer = bed.act(sharer, "cancel", json!({})).await.ok();
    // Left in the middle: the nights slept stay where they were.
    let (main, sharer) = two(&bed, 1, 5).await;
    bed.check_in(main).await;
    bed.check_in(sharer).await;
    bed.open(3).await;
    let _: CommandAnswer = bed
        .act(main, "check-out", json!({"early": true}))
        .await
        .ok();
    assert_eq!(bed.reserved("SUP", 1..5).await, [1, 1, 1, 1]);
    assert_eq!(bed.rooms(main).await, ["201 06-01 06-03"]);
    assert_eq!(bed.rooms(sharer).await, ["201 06-03 06-05"]);
    assert_eq!(bed.status("201").await, "clean");
    bed.clean().await;
    let _: CommandAnswer = bed
        .act(sharer, "check-out", json!({"early": true}))
        .await
        .ok();
    assert_eq!(bed.reserved("SUP", 1..5).await, [1, 1, 0, 0]);
    assert_eq!(bed.status("201").await, "dirty");
    bed.clean().await;
}

#[tokio::test]
async fn those_who_share_go_as_well_where_it_is_said() {
    let bed = Bed::new().await;
    let (main, sharer) = two(&bed, 1, 4).await;
    let leave = json!({"sharers": "leave"});
    let _: CommandAnswer = bed.act(main, "cancel", leave.clone()).await.ok();
    assert_eq!(bed.row(sharer).await.state, ReservationState::Cancelled);
    assert_eq!(bed.reserved("SUP", 1..4).await, [0, 0, 0]);
    bed.clean().await;
    // Expected again only with the room that it shared.
    let back = json!({"from": "cancelled", "to": "confirmed", "reason": "mistake"});
    bed.act(sharer, "put-right", back.clone())
        .await
        .refused(Code::WrongState);
    let _: StayAnswer = bed.act(main, "put-right", back.clone()).await.ok();
    let _: StayAnswer = bed.act(sharer, "put-right", back).await.ok();
    bed.clean().await;
    bed.check_in(main).await;
    bed.check_in(sharer).await;
    let out = json!({"early": true, "sharers": "leave"});
    let _: CommandAnswer = bed.act(main, "check-out", out).await.ok();
    assert_eq!(bed.row(sharer).await.state, ReservationState::CheckedOut);
    bed.clean().await;
    let (main, sharer) = two(&bed, 1, 4).await;
    let _: CommandAnswer = bed.act(main, "no-show", leave).await.ok();
    assert_eq!(bed.row(sharer).await.state, ReservationState::NoShow);
    bed.clean().await;
}

#[tokio::test]
async fn those_who_share_move_with_the_room_or_take_one_of_their_own() {
    let bed = Bed::new().await;
    let main = bed.confirmed("STD", 2, 6).await;
    let whole = share(&bed, main, json!({"adults": 1})).await;
    let part = share(
        &bed,
        main,
        json!({"adults": 1, "check_in": "2027-06-03", "check_out": "2027-06-05"}),
    )
    .await;
    let change = |from: u32, until: u32, version: i64| json!({"version": version, "check_in": june(from), "check_out": june(until)});
    // The room would leave a night of somebody who shares it.
    bed.act(main, "change", change(2, 4, 1))
        .await
        .refused(Code::WrongState);
    let _: StayAnswer = bed.act(main, "change", change(3, 7, 1)).await.ok();
    let dates = |row: protocol::row::ReservationRow| (row.check_in, row.check_out);
    assert_eq!(dates(bed.row(whole).await), (june(3), june(7)));
    assert_eq!(dates(bed.row(part).await), (june(3), june(5)));
    bed.clean().await;
    // A share's own dates stay within the room's.
    let version = bed.row(part).await.version;
    bed.act(part, "change", change(3, 8, version))
        .await
        .refused(Code::WrongState);
    let own = json!({"version": version, "own_room": true});
    let _: StayAnswer = bed.act(part, "change", own).await.ok();
    assert_eq!(bed.row(part).await.share_of, None);
    assert_eq!(bed.reserved("STD", 2..8).await, [0, 2, 2, 1, 1, 0]);
    bed.clean().await;
    bed.invalid(
        "POST",
        &format!("/reservations/{main}/share"),
        &[
            (json!({}), "/adults"),
            (json!({"adults": 0}), "/adults"),
            (json!({"adults": 1, "children": [18]}), "/children/0"),
            (json!({"adults": 1, "price": -1}), "/price"),
            (json!({"adults": 1, "check_in": june(1)}), "/check_in"),
            (json!({"adults": 1, "check_out": june(9)}), "/check_out"),
            (
                json!({"adults": 1, "guest_id": uuid::Uuid::now_v7()}),
                "/guest_id",
            ),
        ],
    )
    .await;
    let taken = json!({"adults": 1, "reservation_id": whole});
    bed.act(main, "share", taken)
        .await
        .refused(Code::AlreadyExists);
}

async fn party(bed: &Bed, count: usize) -> (BookingId, Vec<ReservationId>) {
    let body = rooms_of(bed.kind("STD"), "2027-06-01", "2027-06-03", count);
    let held: HoldAnswer = bed.boss.send("POST", "/holds", body).await.ok();
    let path = format!("/bookings/{}/confirm", held.booking_id);
    let _: CommandAnswer = bed
        .boss
        .send("POST", &path, json!({"guarantee": "card"}))
        .await
        .ok();
    let rooms = held.rooms.iter().map(|room| room.reservation_id).collect();
    (held.booking_id, rooms)
}

#[tokio::test]
async fn b121_a_party_is_dealt_with_whole_or_room_by_room() {
    let bed = Bed::new().await;
    let (booking, stays) = party(&bed, 3).await;
    let path = |act: &str| format!("/bookings/{booking}/{act}");
    let rooms = |numbers: [&str; 3]| -> Value {
        stays
            .iter()
            .zip(numbers)
            .map(|(id, number)| json!({"reservation_id": id, "room_id": bed.room(number)}))
            .collect()
    };
    let seq = bed.seq().await;
    // The second is refused, and so are all.
    let twice = rooms(["101", "101", "103"]);
    let body = json!({"mode": "all", "rooms": twice});
    let told = facts(
        &bed.boss.send("POST", &path("assign"), body).await,
        Code::RoomTaken,
    );
    assert_eq!(told["blocker"]["reservation_id"], json!(stays[0]));
    assert!(bed.rooms(stays[0]).await.is_empty());
    assert_eq!(bed.seq().await, seq);
    // Each for itself: one result each, one event.
    let body = json!({"mode": "each", "rooms": twice});
    let done: PartyAnswer = bed.boss.send("POST", &path("assign"), body).await.ok();
    let codes: Vec<_> = done
        .results
        .iter()
        .map(|result| result.problem.as_ref().map(|problem| problem.code))
        .collect();
    assert_eq!(codes, [None, Some(Code::RoomTaken), None]);
    assert_eq!(bed.seq().await, seq + 1);
    assert_eq!(bed.rooms(stays[0]).await, ["101 06-01 06-03"]);
    assert!(bed.rooms(stays[1]).await.is_empty());
    bed.clean().await;
    let body = json!({"mode": "all", "rooms": rooms(["101", "102", "103"])});
    let _: PartyAnswer = bed.boss.send("POST", &path("assign"), body).await.ok();

    bed.room_status("102", "dirty").await;
    let all = json!({"mode": "all"});
    let told = facts(
        &bed.boss.send("POST", &path("check-in"), all.clone()).await,
        Code::RoomNotReady,
    );
    assert_eq!(told["reservation_id"], json!(stays[1]));
    let each = json!({"mode": "each"});
    let done: PartyAnswer = bed
        .boss
        .send("POST", &path("check-in"), each.clone())
        .await
        .ok();
    assert_eq!(done.reservations.len(), 2);
    bed.room_status("102", "clean").await;
    let _: PartyAnswer = bed
        .boss
        .send("POST", &path("check-in"), all.clone())
        .await
        .ok();
    // Nobody is expected any more: nothing is done, and no event written.
    let seq = bed.seq().await;
    bed.boss
        .send("POST", &path("check-in"), each.clone())
        .await
        .refused(Code::WrongState);
    bed.boss
        .send("POST", &path("check-out"), each)
        .await
        .refused(Code::NotDue);
    assert_eq!(bed.seq().await, seq);
    bed.clean().await;

    bed.open(2).await;
    let one = json!({"mode": "each", "early": true, "rooms": [{"reservation_id": stays[0]}]});
    let _: PartyAnswer = bed.boss.send("POST", &path("check-out"), one).await.ok();
    assert_eq!(bed.status("101").await, "dirty");
    assert_eq!(
        bed.reserved("STD", 1..3).await,
        [3, 2],
        "the other two are untouched"
    );
    bed.clean().await;
    let key = "the-party";
    let out = json!({"mode": "all", "early": true});
    let first = bed.boss.keyed(key, "POST", &path("check-out"), &out).await;
    let done: PartyAnswer = first.ok();
    assert_eq!(done.results.len(), 2);
    let again = bed.boss.keyed(key, "POST", &path("check-out"), &out).await;
    assert_eq!(again.text, first.text);
    assert_eq!(bed.reserved("STD", 1..3).await, [3, 0]);
    bed.clean().await;
    bed.invalid(
        "POST",
        &path("check-out"),
        &[
            (json!({}), "/mode"),
            (json!({"mode": "some"}), "/mode"),
            (json!({"mode": "all", "rooms": [{"reservation_id": uuid::Uuid::now_v7()}]}), "/rooms/0/reservation_id"),
            (json!({"mode": "all", "rooms": [{"reservation_id": stays[0], "room_id": bed.room("101")}]}), "/rooms/0/room_id"),
            (json!({"mode": "all", "rooms": [{"reservation_id": stays[0]}, {"reservation_id": stays[0]}]}), "/rooms/1/reservation_id"),
        ],
    )
    .await;
}

#[tokio::test]
async fn complimentary_and_house_use_are_counted_free_and_told_apart() {
    let bed = Bed::new().await;
    let desk = bed.app.sign_in(bed.hotel.id, Role::FrontDesk).await;
    let hold = |segment: &str, price: Option<i64>| {
        let mut body = rooms_of(bed.kind("STD"), "2027-06-01", "2027-06-02", 1);
        body["rooms"][0]["segment"] = json!(segment);
        body["rooms"][0]["price"] = json!(price);
        body
    };
    bed.invalid(
        "POST",
        "/holds",
        &[(hold("house_use", Some(1)), "/rooms/0/price")],
    )
    .await;
    desk.send("POST", "/holds", hold("complimentary", None))
        .await
        .refused(Code::Forbidden);
    for segment in ["complimentary", "house_use", "transient"] {
        let held: HoldAnswer = bed
            .boss
            .send("POST", "/holds", hold(segment, None))
            .await
            .ok();
        let price = held.rooms[0].nights[0].price;
        assert_eq!(price, if segment == "transient" { 10_000 } else { 0 });
        let path = format!("/bookings/{}/confirm", held.booking_id);
        let _: CommandAnswer = bed
            .boss
            .send("POST", &path, json!({"guarantee": "card"}))
            .await
            .ok();
        bed.check_in(held.rooms[0].reservation_id).await;
    }
    // One who shares occupies no room of their own, and pays.
    let main: Vec<uuid::Uuid> =
        sqlx::query_scalar("SELECT reservation_id FROM reservation WHERE segment = 'transient'")
            .fetch_all(&bed.app.db.reads)
            .await
            .unwrap();
    let sharer = share(
        &bed,
        ReservationId(main[0]),
        json!({"adults": 1, "price": 2_000}),
    )
    .await;
    bed.check_in(sharer).await;
    assert_eq!(bed.reserved("STD", 1..2).await, [3]);
    bed.clean().await;
    let body = json!({"business_date": "2027-06-01"});
    let _: CommandAnswer = bed.boss.send("POST", "/night-audit/roll", body).await.ok();
    let row: (i32, i32, i32, i32, i64) = sqlx::query_as(
        "SELECT d.occupied, d.complimentary, d.house_use, d.arrivals, d.room_revenue
         FROM daily_statistics d JOIN room_type t USING (hotel_id, room_type_id)
         WHERE t.code = 'STD'",
    )
    .fetch_one(&bed.app.db.reads)
    .await
    .unwrap();
    assert_eq!(row, (3, 1, 1, 3, 12_000));
}
