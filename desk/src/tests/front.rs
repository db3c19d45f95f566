//! What the screens are told: lists, chart, search, suggestions, quote, and the loopback address.

use std::net::SocketAddr;

use protocol::code::Code;
use protocol::event::Change;
use protocol::id::RoomTypeId;
use protocol::row::RoomUseRow;
use protocol::state::{ReservationState, RoomStatus, RoomUseKind};
use serde_json::{Value, json};

use super::fake::Fake;
use super::house::{self, june};
use super::*;
use crate::rpc::schema::{Chart, FindAnswer, PositionAnswer, QuoteAnswer, SuggestAnswer};
use crate::web::{WebFault, WebHost};

fn in_house(n: u128, name: &str, from: u32, until: u32) -> Vec<Change> {
    let mut changes = house::party(n, name, june(from), june(until));
    if let Some(Change::Reservation { row }) = changes.last_mut() {
        row.state = ReservationState::CheckedIn;
    }
    changes
}

fn used(n: u128, room: u128, from: u32, until: u32, of: Option<u128>) -> Change {
    Change::RoomUse {
        row: house::place(n, room, june(from), june(until), of),
    }
}

fn status_of(room: u128, status: RoomStatus) -> Change {
    let mut row = house::room(room, house::std_type());
    row.status = status;
    Change::Room { row }
}

async fn suggestions(bed: &Bed, n: u128) -> SuggestAnswer {
    bed.call(
        "room.suggest",
        json!({"reservation_id": house::stay_id(n), "limit": 10}),
    )
    .await
    .unwrap()
}

/// Numbers with the words that speak against each.
fn against(answer: &SuggestAnswer) -> Vec<String> {
    let one = |room: &crate::rpc::schema::Suggestion| {
        let bad = room.reasons.iter().filter(|reason| !reason.good);
        let words: Vec<String> = std::iter::once(room.room.number.clone())
            .chain(bad.map(|reason| reason.word.clone()))
            .collect();
        words.join(" ")
    };
    answer.rooms.iter().map(one).collect()
}

#[tokio::test]
async fn who_shares_a_room_is_in_it_and_wants_none() {
    let mut rows = house::party(1, "Has the room", june(10), june(12));
    rows.extend(house::party(2, "Shares it", june(10), june(12)));
    if let Some(Change::Reservation { row }) = rows.last_mut() {
        row.share_of = Some(house::stay_id(1));
        for night in &mut row.nights {
            (night.counted, night.shared) = (false, true);
        }
    }
    rows.push(used(1, 101, 10, 12, Some(1)));
    let bed = Bed::new(Fake::start(rows).await).await;
    let today = bed.today().await;
    let rooms: Vec<_> = today
        .due_in
        .iter()
        .map(|line| line.room_number.as_deref())
        .collect();
    assert_eq!(rooms, [Some("101"), Some("101")]);
    assert!(today.unassigned.is_empty());
}

#[tokio::test]
async fn the_lists_of_the_day_hold_whom_they_should() {
    let mut rows = Vec::new();
    rows.extend(house::party(1, "Due in", june(10), june(12)));
    rows.extend(house::party(
        2,
        "Came late, not yet here",
        june(9),
        june(11),
    ));
    rows.extend(house::party(3, "Tomorrow", june(11), june(12)));
    rows.extend(in_house(4, "Stays over", 9, 12));
    rows.extend(in_house(5, "Due out", 8, 10));
    rows.extend(in_house(6, "Overstays", 7, 9));
    rows.extend([used(1, 101, 10, 12, Some(1)), used(2, 104, 9, 12, Some(4))]);
    let bed = Bed::new(Fake::start(rows).await).await;
    let today = bed.today().await;
    let names = |lines: &[crate::rpc::schema::StayLine]| -> Vec<String> {
        lines.iter().map(|line| line.guest_name.clone()).collect()
    };
    assert_eq!(names(&today.due_in), ["Came late, not yet here", "Due in"]);
    assert_eq!(names(&today.unassigned), ["Came late, not yet here"]);
    assert_eq!(
        names(&today.in_house),
        ["Stays over", "Due out", "Overstays"]
    );
    assert_eq!(names(&today.due_out), ["Due out", "Overstays"]);
    assert_eq!(today.due_in[1].room_number.as_deref(), Some("101"));
    assert_eq!((today.due_in[1].nights, today.due_in[1].total), (2, 20_000));
}

#[tokio::test]
async fn n1_over_the_limit_stands_what_was_taken_last_and_nothing_else() {
    let mut rows = Vec::new();
    for n in 1..=3 {
        rows.extend(house::party(n, "Kaya", june(10), june(12)));
        let mut row = house::stay(n, june(10), june(12));
        row.created_at += chrono::TimeDelta::minutes(i64::try_from(n).unwrap());
        rows.push(house::reservation(row));
    }
    let mut above = house::night(house::std_type(), june(10), 2, 3);
    above.over_limit = 1;
    rows.push(Change::Night { row: above });
    let bed = Bed::new(Fake::start(rows).await).await;
    let today = bed.today().await;
    let over = today.due_in.iter().filter(|line| line.over_limit);
    assert_eq!(
        over.map(|line| line.id).collect::<Vec<_>>(),
        [house::stay_id(3)]
    );
}

#[tokio::test]
async fn b19_the_chart_shows_what_touches_its_nights_and_nothing_that_ends_before() {
    let mut rows = Vec::new();
    rows.extend(house::party(
        1,
        "Ends as the window begins",
        june(8),
        june(12),
    ));
    rows.extend(house::party(2, "In it", june(12), june(14)));
    rows.extend(house::party(3, "Begins as it ends", june(19), june(20)));
    rows.extend(house::party(4, "No room yet", june(18), june(22)));
    rows.extend(house::party(
        5,
        "All year, no room",
        june(1),
        june(30) + chrono::Days::new(300),
    ));
    rows.extend([
        used(1, 101, 8, 12, Some(1)),
        used(2, 101, 12, 14, Some(2)),
        used(3, 102, 19, 20, Some(3)),
        used(4, 103, 11, 13, None),
    ]);
    let bed = Bed::new(Fake::start(rows).await).await;
    let chart: Chart = bed
        .call("chart.get", json!({"from": "2027-06-12", "nights": 7}))
        .await
        .unwrap();
    let bars: Vec<(String, Option<String>)> = chart
        .bars
        .iter()
        .map(|bar| {
            (
                bar.id.to_string(),
                bar.stay.as_ref().map(|stay| stay.guest_name.clone()),
            )
        })
        .collect();
    assert_eq!(
        bars,
        [
            (house::use_id(2).to_string(), Some("In it".to_owned())),
            (house::use_id(4).to_string(), None)
        ]
    );
    let waiting: Vec<&str> = chart
        .unassigned
        .iter()
        .map(|line| line.guest_name.as_str())
        .collect();
    assert_eq!(waiting, ["All year, no room", "No room yet"]);
    assert_eq!(chart.cells.len(), 7 * 3);
    let numbers: Vec<&str> = chart
        .rooms
        .iter()
        .map(|room| room.number.as_str())
        .collect();
    assert_eq!(numbers, ["101", "102", "103", "104", "201"]);
    for (from, nights) in [("2027-06-12", 0), ("2027-06-12", 401), ("2027-06-12", -1)] {
        let request = json!({"from": from, "nights": nights});
        let refused = bed.call::<Value>("chart.get", request).await.unwrap_err();
        assert_eq!(refused.problem.fields[0].pointer, "/nights");
    }
}

#[tokio::test]
async fn b26_a_date_that_does_not_exist_is_refused_and_never_turned_into_another() {
    let bed = Bed::new(Fake::start(vec![]).await).await;
    for date in ["2027-02-29", "2027-04-31", "29.02.2028", ""] {
        let request = json!({"from": date, "nights": 1});
        let refused = bed
            .call::<Value>("position.get", request)
            .await
            .unwrap_err();
        assert_eq!(refused.code, Code::BadRequest, "{date}");
    }
    let stay = json!({"check_in": "2028-02-28", "check_out": "2028-03-01", "rooms": 1});
    let quote: QuoteAnswer = bed.call("quote.get", stay).await.unwrap();
    assert_eq!(quote.types[0].nights.len(), 2);
    let request = json!({"from": "2027-01-31", "nights": 60});
    let _: PositionAnswer = bed.call("position.get", request).await.unwrap();
}

#[tokio::test]
async fn a_quote_takes_the_tighter_of_type_and_house() {
    let mut rows = Vec::new();
    for day in [15, 16] {
        rows.push(Change::Night {
            row: house::night(house::std_type(), june(day), 4, 1),
        });
        rows.push(Change::Night {
            row: house::night(
                RoomTypeId::HOUSE,
                june(day),
                5,
                if day == 16 { 6 } else { 3 },
            ),
        });
    }
    let bed = Bed::new(Fake::start(rows).await).await;
    let quote = |from: &str, until: &str| {
        let request = json!({"check_in": from, "check_out": until, "rooms": 1});
        bed.call::<QuoteAnswer>("quote.get", request)
    };
    let one = quote("2027-06-15", "2027-06-16").await.unwrap();
    assert_eq!((one.types[0].left, one.types[0].total), (2, Some(10_000)));
    let two = quote("2027-06-15", "2027-06-17").await.unwrap();
    assert_eq!(
        (two.types[0].left, two.types[0].total),
        (0, Some(20_000)),
        "never below 0"
    );
    let beyond = quote("2027-06-29", "2027-07-02").await.unwrap();
    assert_eq!(
        (beyond.types[0].left, beyond.types[0].total),
        (0, None),
        "not open, no price"
    );
    let refused = quote("2027-06-15", "2027-06-15").await.unwrap_err();
    assert_eq!(refused.problem.fields[0].pointer, "/check_out");
    let position: PositionAnswer = bed
        .call("position.get", json!({"from": "2027-06-16", "nights": 1}))
        .await
        .unwrap();
    let cells: Vec<(&str, i64, bool)> = position
        .cells
        .iter()
        .map(|cell| (cell.code.as_str(), cell.left, cell.binds))
        .collect();
    assert_eq!(
        cells,
        [("STD", 3, false), ("DLX", 1, false), ("House", -1, true)]
    );
}

#[tokio::test]
async fn b124_a_guest_who_is_here_gets_a_clean_room_and_a_later_one_any() {
    let mut rows = Vec::new();
    rows.extend(house::party(1, "Now", june(10), june(12)));
    rows.extend(house::party(2, "Later", june(20), june(22)));
    rows.push(status_of(101, RoomStatus::Dirty));
    rows.push(status_of(103, RoomStatus::Dirty));
    rows.push(status_of(104, RoomStatus::Inspected));
    let bed = Bed::new(Fake::start(rows).await).await;
    let now = suggestions(&bed, 1).await;
    let order = ["104", "102", "101 dirty", "103 dirty", "201 upgrade"];
    assert_eq!(against(&now), order);
    let ready: Vec<bool> = now.rooms.iter().map(|room| room.ready).collect();
    assert_eq!(ready, [true, true, false, false, false]);
    let later = suggestions(&bed, 2).await;
    assert_eq!(against(&later), ["101", "102", "103", "104", "201 upgrade"]);
}

#[tokio::test]
async fn b32_a_room_whose_guest_has_not_left_comes_last_and_a_blocked_one_not_at_all() {
    let mut rows = Vec::new();
    rows.extend(in_house(1, "Past departure", 8, 10));
    rows.extend(house::party(2, "Arrives", june(10), june(12)));
    rows.push(used(1, 101, 8, 10, Some(1)));
    rows.push(status_of(102, RoomStatus::Dirty));
    rows.push(used(2, 104, 9, 11, None));
    let bed = Bed::new(Fake::start(rows).await).await;
    let rooms = suggestions(&bed, 2).await;
    assert_eq!(
        against(&rooms),
        ["103", "102 dirty", "101 occupied", "201 upgrade"]
    );
    assert!(!rooms.rooms[2].ready);
}

#[tokio::test]
async fn b34_a_stay_that_no_room_can_host_is_told_when_it_must_move() {
    let mut rows = Vec::new();
    rows.extend(house::party(9, "Long", june(10), june(16)));
    for (n, room, from, until) in [
        (1, 101, 14, 18),
        (2, 102, 12, 18),
        (3, 103, 9, 12),
        (4, 104, 8, 18),
        (5, 201, 9, 20),
    ] {
        rows.extend(house::party(n, "Other", june(from), june(until)));
        rows.push(used(n, room, from, until, Some(n)));
    }
    let bed = Bed::new(Fake::start(rows).await).await;
    let rooms = suggestions(&bed, 9).await;
    assert_eq!(against(&rooms), ["101 needs_move", "102 needs_move"]);
    let move_on = rooms.rooms[0]
        .reasons
        .iter()
        .find(|reason| reason.word == "needs_move");
    assert_eq!(move_on.unwrap().value.as_deref(), Some("2027-06-14"));
    assert!(!rooms.rooms[0].ready);
}

#[tokio::test]
async fn lone_nights_and_rooms_out_of_service_are_avoided() {
    let mut rows = Vec::new();
    rows.extend(house::party(9, "Wanted", june(10), june(12)));
    for (n, room, from, until) in [(1, 101, 13, 15), (2, 102, 12, 15), (3, 103, 7, 9)] {
        rows.extend(house::party(n, "Other", june(from), june(until)));
        rows.push(used(n, room, from, until, Some(n)));
    }
    rows.push(Change::RoomUse {
        row: RoomUseRow {
            kind: RoomUseKind::OutOfService,
            ..house::place(4, 104, june(9), june(20), None)
        },
    });
    let bed = Bed::new(Fake::start(rows).await).await;
    let rooms = suggestions(&bed, 9).await;
    let order = [
        "102",
        "101 leaves_gap",
        "103 leaves_gap",
        "104 out_of_service",
        "201 upgrade",
    ];
    assert_eq!(against(&rooms), order);
    bed.fake.set_down(true);
    bed.submit(1, assign(9, 103), 0).await;
    assert_eq!(
        suggestions(&bed, 9).await.rooms[0].room.number,
        "103",
        "what was given is first"
    );
}

#[tokio::test]
async fn finding_takes_names_numbers_rooms_and_shows_the_nearest_first() {
    let mut rows = Vec::new();
    rows.extend(house::party(1, "Íñigo García", june(20), june(22)));
    rows.extend(in_house(2, "María GARCÍA Peña", 9, 12));
    rows.extend(house::party(3, "Garcia-Lorca", june(11), june(12)));
    rows.extend(house::party(4, "Smith", june(11), june(12)));
    if let Some(Change::Reservation { row }) = rows.last_mut() {
        row.further_guest_ids = vec![house::guest_id(1)];
    }
    rows.push(used(1, 104, 9, 12, Some(2)));
    let bed = Bed::new(Fake::start(rows).await).await;
    let find = async |text: &str| {
        let found: FindAnswer = bed
            .call("find", json!({"text": text, "limit": 10}))
            .await
            .unwrap();
        let names: Vec<String> = found
            .stays
            .into_iter()
            .map(|line| line.guest_name)
            .collect();
        names
    };
    assert_eq!(
        find("garcia").await,
        ["María GARCÍA Peña", "Garcia-Lorca", "Smith", "Íñigo García"],
        "in house, then by arrival; Smith's companion is a García"
    );
    let answer: FindAnswer = bed
        .call("find", json!({"text": "garcia", "limit": 10}))
        .await
        .unwrap();
    let reasons: Vec<(&str, &str)> = answer
        .reasons
        .iter()
        .map(|reason| {
            let line = answer
                .stays
                .iter()
                .find(|line| line.id == reason.reservation_id)
                .unwrap();
            (line.guest_name.as_str(), reason.text.as_str())
        })
        .collect();
    assert_eq!(
        reasons,
        [("Smith", "Íñigo García")],
        "only where the line does not show why"
    );
    assert_eq!(find("gar pen").await, ["María GARCÍA Peña"]);
    assert_eq!(find("104").await, ["María GARCÍA Peña"]);
    let number = house::booking(4).number;
    assert_eq!(find(&number.to_lowercase()).await, ["Smith"]);
    assert_eq!(find(&number.replace('-', "")).await, ["Smith"]);
    assert_eq!(find("Smiht").await, ["Smith"]);
    assert!(find("  ").await.is_empty());
    for limit in [0, 101] {
        let request = json!({"text": "a", "limit": limit});
        assert!(bed.call::<Value>("find", request).await.is_err());
    }
}

#[tokio::test]
async fn a_number_without_any_digit_is_found_too() {
    let number = "PHFNK-PCVGV".to_owned();
    let mut rows = house::party(1, "Ødegård", june(11), june(12));
    for change in &mut rows {
        if let Change::Booking { row } = change {
            row.number.clone_from(&number);
        }
    }
    let bed = Bed::new(Fake::start(rows).await).await;
    for text in [
        &number,
        &number.replace('-', ""),
        &number[..5],
        &number[6..],
    ] {
        let found: FindAnswer = bed
            .call("find", json!({"text": text.to_lowercase(), "limit": 10}))
            .await
            .unwrap();
        assert_eq!(found.stays.len(), 1, "{text}");
    }
}

#[tokio::test]
async fn calls_that_are_none_are_refused_with_a_code() {
    let bed = Bed::new(Fake::start(vec![]).await).await;
    for (method, request, code) in [
        ("no.such", json!({}), Code::NotFound),
        ("find", json!({}), Code::BadRequest),
        ("find", json!([1]), Code::BadRequest),
        (
            "reservation.get",
            json!({"id": house::stay_id(99)}),
            Code::NotFound,
        ),
        ("reservation.get", json!({"id": "x"}), Code::BadRequest),
        (
            "command.submit",
            json!({"id": house::command_id(1), "command": {"verb": "walk"}, "wait_ms": 0}),
            Code::BadRequest,
        ),
    ] {
        let refused = bed.call::<Value>(method, request).await.unwrap_err();
        assert_eq!(refused.code, code, "{method}");
    }
    let wrong = json!({"server": "ftp://x", "name": "a", "password": "b"});
    let refused = bed
        .call::<Value>("session.sign_in", wrong)
        .await
        .unwrap_err();
    assert_eq!(refused.problem.fields[0].pointer, "/server");
    let nobody = json!({"server": "http://127.0.0.1:1", "name": "a", "password": "b"});
    let refused = bed
        .call::<Value>("session.sign_in", nobody)
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::Offline);
}

async fn served(bed: Bed) -> (String, tempfile::TempDir) {
    let ui = tempfile::tempdir().unwrap();
    std::fs::create_dir(ui.path().join("assets")).unwrap();
    std::fs::write(
        ui.path().join("index.html"),
        "<html><head></head>the page</html>",
    )
    .unwrap();
    std::fs::write(ui.path().join("assets/app.js"), "code").unwrap();
    std::fs::write(ui.path().join("icon.svg"), "<svg/>").unwrap();
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let desk = Arc::new(bed.desk.unwrap());
    let host = WebHost::bind(desk, listen, Some(ui.path())).await.unwrap();
    let address = host.address().to_owned();
    tokio::spawn(host.serve(std::future::pending()));
    (address, ui)
}

#[tokio::test]
async fn the_loopback_address_serves_its_own_page_and_nobody_else_s() {
    let (address, _ui) = served(Bed::new(Fake::start(vec![]).await).await).await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let origin = address.split("/t/").next().unwrap().to_owned();
    let page = http.get(&address).send().await.unwrap();
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"));
    let text = page.text().await.unwrap();
    let base = address.strip_prefix(&origin).unwrap();
    assert!(text.contains(&format!("<base href=\"{base}\">")) && text.contains("the page"));
    let get = async |path: &str| {
        let answer = http.get(format!("{address}{path}")).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(get("assets/app.js").await, (200, "code".to_owned()));
    assert_eq!(get("icon.svg").await, (200, "<svg/>".to_owned()));
    assert_eq!(
        get("today/reservation/5").await,
        (200, text),
        "a place inside the program"
    );
    assert_eq!(get("assets/none.js").await.0, 404);
    let outside = http.get(format!("{origin}/t/0123/")).send().await.unwrap();
    assert_eq!(outside.status(), 404, "without the token there is nothing");

    let call = |headers: &[(&'static str, &str)]| {
        let mut request = http.post(format!("{address}rpc/status.get")).body("{}");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send()
    };
    assert_eq!(call(&[]).await.unwrap().status(), 200);
    assert_eq!(call(&[("origin", &origin)]).await.unwrap().status(), 200);
    for foreign in [
        [("host", "evil.example")],
        [("origin", "http://evil.example")],
        [("origin", "null")],
        [("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(call(&foreign).await.unwrap().status(), 403, "{foreign:?}");
    }
    let refused = http
        .post(format!("{address}rpc/find"))
        .body("{")
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 400);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(refused["code"], "bad_request");
}

#[tokio::test]
async fn other_machines_are_kept_out_and_a_folder_without_screens_is_named() {
    let bed = Bed::new(Fake::start(vec![]).await).await;
    let desk = Arc::new(bed.desk.unwrap());
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    let bound = WebHost::bind(Arc::clone(&desk), any, None).await;
    assert!(matches!(bound, Err(WebFault::NotLoopback(_))));
    let own = SocketAddr::from(([127, 0, 0, 1], 0));
    let bound = WebHost::bind(desk, own, Some(bed.dir.path())).await;
    assert!(matches!(bound, Err(WebFault::NoScreens(_))));
}
