//! A channel's key opens only what was made with it (N12 in small).

use protocol::code::Code;
use protocol::request::{BookingView, CommandAnswer, HoldAnswer};
use protocol::role::Role;
use protocol::state::ReservationState;
use serde_json::json;
use uuid::Uuid;

use super::test_support::{one_room, recount};
use crate::testing::TestApp;

#[tokio::test]
async fn n12_a_channel_touches_neither_another_s_booking_nor_the_hotel_s_own() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let agency = app.sign_in(hotel.id, Role::Channel).await;
    let rival = app.sign_in(hotel.id, Role::Channel).await;
    let body = |day: u32| {
        let night = |day: u32| format!("2027-06-{day:02}");
        one_room(hotel.types["STD"], &night(day), &night(day + 1))
    };
    let of_ana: HoldAnswer = ana.send("POST", "/holds", body(10)).await.ok();
    let own: HoldAnswer = agency.send("POST", "/holds", body(11)).await.ok();

    for (who, booking) in [(&agency, of_ana.booking_id), (&rival, own.booking_id)] {
        let path = format!("/bookings/{booking}");
        who.get(&path).await.refused(Code::NotFound);
        for (act, body) in [
            ("renew", json!({})),
            ("confirm", json!({"guarantee": "card"})),
            ("cancel", json!({})),
        ] {
            who.send("POST", &format!("{path}/{act}"), body)
                .await
                .refused(Code::NotFound);
        }
        let seen: BookingView = ana.get(&path).await.ok();
        assert_eq!(
            seen.reservations[0].reservation.state,
            ReservationState::Held
        );
    }

    // Its own it renews, confirms, reads and cancels; and the hotel's people touch everybody's.
    let path = format!("/bookings/{}", own.booking_id);
    let _: CommandAnswer = agency
        .send("POST", &format!("{path}/renew"), json!({}))
        .await
        .ok();
    let _: CommandAnswer = agency
        .send(
            "POST",
            &format!("{path}/confirm"),
            json!({"guarantee": "agent"}),
        )
        .await
        .ok();
    let _: BookingView = agency.get(&path).await.ok();
    let _: CommandAnswer = ana
        .send("POST", &format!("{path}/cancel"), json!({}))
        .await
        .ok();
    recount(&app.db, hotel.id).await;
}

#[tokio::test]
async fn n12_a_channel_overwrites_no_guest_of_others_and_names_none() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let agency = app.sign_in(hotel.id, Role::Channel).await;
    let (regular, own) = (Uuid::now_v7(), Uuid::now_v7());
    for (who, guest) in [(&ana, regular), (&agency, own)] {
        let _: CommandAnswer = who
            .send("PUT", &format!("/guests/{guest}"), json!({"name": "Zoë"}))
            .await
            .ok();
    }
    let taken = json!({"version": 1, "name": "Nobody"});
    agency
        .send("PUT", &format!("/guests/{regular}"), taken.clone())
        .await
        .refused(Code::NotFound);
    let _: CommandAnswer = agency
        .send("PUT", &format!("/guests/{own}"), taken)
        .await
        .ok();

    let mut body = one_room(hotel.types["STD"], "2027-06-10", "2027-06-12");
    let held: HoldAnswer = agency.send("POST", "/holds", body.clone()).await.ok();
    let path = format!("/bookings/{}/confirm", held.booking_id);
    let with = |guest: Uuid| {
        json!({
            "guarantee": "agent",
            "rooms": [{"reservation_id": held.rooms[0].reservation_id, "guest_id": guest}],
        })
    };
    let refused = agency
        .send("POST", &path, with(regular))
        .await
        .refused(Code::Invalid);
    assert_eq!(refused.fields[0].pointer, "/rooms/0/guest_id");
    let _: CommandAnswer = agency.send("POST", &path, with(own)).await.ok();

    // Named in a hold it is refused like one that is not there.
    body["rooms"][0]["guest_id"] = json!(regular);
    let refused = agency
        .send("POST", "/holds", body)
        .await
        .refused(Code::Invalid);
    assert_eq!(refused.fields[0].pointer, "/rooms/0/guest_id");
    recount(&app.db, hotel.id).await;
}
