//! Tests of what is for sale, over HTTP and a real database.

use protocol::code::Code;
use protocol::request::{HoldAnswer, Quote, TypeLeft};
use protocol::role::Role;

use crate::reservations::test_support::{let_holds_run_out, one_room, rooms};
use crate::testing::{TestApp, small_hotel};

#[tokio::test]
async fn a_quote_says_what_is_left_what_it_costs_and_what_forbids_it() {
    let app = TestApp::start().await;
    let mut spec = small_hotel("quoted");
    spec.house.total = Some(4);
    let hotel = app.hotel(&spec).await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let (std, sup) = (hotel.types["STD"], hotel.types["SUP"]);
    ana.send("POST", "/holds", rooms(std, "2027-06-10", "2027-06-11", 3))
        .await
        .ok::<HoldAnswer>();
    sqlx::query(
        "UPDATE rate SET min_stay = 3, closed_to_arrival = stay_date = '2027-06-09'
         WHERE hotel_id = $1 AND room_type_id = $2",
    )
    .bind(hotel.id.0)
    .bind(sup.0)
    .execute(&app.db.reads)
    .await
    .unwrap();
    let quote: Quote = ana
        .get("/quote?check_in=2027-06-09&check_out=2027-06-11")
        .await
        .ok();
    assert_eq!(quote.currency, "EUR");
    let of: Vec<(i64, Option<i64>, Vec<String>)> = quote
        .types
        .into_iter()
        .map(|left| (left.left, left.total, left.restrictions))
        .collect();
    let forbidden = vec!["min_stay".to_owned(), "closed_to_arrival".to_owned()];
    assert_eq!(
        of,
        [
            (0, Some(20_000), vec![]),
            (1, Some(30_000), forbidden), // two superiors, but one room left in the house
        ]
    );
    let problem = ana
        .send("POST", "/holds", one_room(sup, "2027-06-09", "2027-06-11"))
        .await
        .refused(Code::Restricted);
    let rules: Vec<String> = problem.facts.unwrap()["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(rules, ["min_stay", "closed_to_arrival"]);
    let range: Vec<TypeLeft> = ana
        .get("/availability?from=2027-05-31&until=2027-06-11")
        .await
        .ok();
    let left: Vec<i64> = range[0].nights.iter().map(|night| night.left).collect();
    assert_eq!(
        left,
        [0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0],
        "a night that is gone has nothing left"
    );
}

#[tokio::test]
async fn n7_a_hold_that_ran_out_is_free_before_it_is_swept() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    let sup = hotel.types["SUP"];
    ana.send("POST", "/holds", rooms(sup, "2027-06-10", "2027-06-11", 2))
        .await
        .ok::<HoldAnswer>();
    let left = async || {
        let range: Vec<TypeLeft> = ana
            .get("/availability?from=2027-06-10&until=2027-06-11")
            .await
            .ok();
        range.iter().map(|left| left.left).collect::<Vec<_>>()
    };
    assert_eq!(left().await, [3, 0]);
    let_holds_run_out(&app.db, hotel.id).await;
    assert_eq!(left().await, [3, 2]);
}

#[tokio::test]
async fn b31_a_range_that_is_none_is_named() {
    let app = TestApp::start().await;
    let hotel = app.small_hotel().await;
    let ana = app.sign_in(hotel.id, Role::FrontDesk).await;
    for (path, pointer) in [
        (
            "/quote?check_in=2027-06-10&check_out=2027-06-10",
            "/check_out",
        ),
        (
            "/quote?check_in=2027-06-10&check_out=2027-06-09",
            "/check_out",
        ),
        (
            "/quote?check_in=2027-06-10&check_out=2029-06-09",
            "/check_out",
        ),
        (
            "/quote?check_in=2027-02-29&check_out=2027-03-01",
            "/check_in",
        ),
        ("/quote?check_in=2027-06-10", "/check_out"),
        ("/availability?from=2027-06-10&until=2027-06-10", "/until"),
        ("/availability?from=2027-06-10&until=2037-06-10", "/until"),
        ("/availability?from=-99999-06-10&until=2037-06-10", "/from"),
    ] {
        let problem = ana.get(path).await.refused(Code::Invalid);
        assert_eq!(problem.fields[0].pointer, pointer, "{path}");
    }
}
