//! Applying the log: prefixes, repeats, gaps, other pasts, and two pulls at once.

use protocol::event::{Change, Event};
use protocol::id::{DeviceId, EventId};
use protocol::row::ReservationRow;
use serde_json::json;
use uuid::Uuid;

use super::house::{self, june};
use crate::client::RawPage;
use crate::store::tests::fresh;
use crate::store::{Store, StoreFault, copy, meta, night, reservation};
use crate::sync::plan::Outcome;
use crate::sync::pull::apply;

const EPOCH: Uuid = Uuid::from_u128(77);

fn desk() -> DeviceId {
    DeviceId(Uuid::from_u128(4))
}

/// An open copy of the house with one stay, at number 0 of the log.
fn open() -> (tempfile::TempDir, Store) {
    let (dir, store) = fresh();
    store
        .write(|tx| {
            copy::put_all(tx, 1, &house::house())?;
            copy::put_all(tx, 1, &house::party(1, "Guest", june(10), june(12)))?;
            let state = meta::CopyState {
                usable: true,
                generation: 1,
                epoch: Some(EPOCH),
                ..meta::CopyState::default()
            };
            meta::set_copy_state(tx, &state)
        })
        .unwrap();
    (dir, store)
}

/// Stay 1 with this version and as many rooms reserved tonight.
fn event(seq: i64) -> Event {
    let mut row: ReservationRow = house::stay(1, june(10), june(12));
    row.version = 1 + seq;
    let tonight = house::night(house::std_type(), june(10), 4, i32::try_from(seq).unwrap());
    Event {
        seq,
        id: EventId(Uuid::from_u128(u128::try_from(seq).unwrap())),
        at: "2027-06-10T10:00:00Z".parse().unwrap(),
        business_date: june(10),
        actor: house::staff_id(1),
        device: None,
        verb: "details".to_owned(),
        reason: None,
        changes: vec![house::reservation(row), Change::Night { row: tonight }],
    }
}

fn page(seqs: &[i64], head: i64) -> RawPage {
    let events: Vec<Event> = seqs.iter().map(|seq| event(*seq)).collect();
    page_of(&events, head)
}

fn page_of(events: &[Event], head: i64) -> RawPage {
    let page = json!({"events": events, "head": head, "head_id": null, "epoch": EPOCH});
    serde_json::from_str(&page.to_string()).unwrap()
}

/// Cursor, the stay's version and what is reserved tonight: always of one moment.
fn seen(store: &Store) -> (i64, i64, i64) {
    store
        .read(|db| {
            let stay = reservation::get(db, house::stay_id(1))?.unwrap();
            let tonight = night::get(db, house::std_type(), june(10))?.unwrap();
            let cursor = meta::copy_state(db)?.cursor;
            Ok::<_, StoreFault>((cursor, stay.version - 1, i64::from(tonight.reserved)))
        })
        .unwrap()
}

#[test]
fn b56_every_prefix_is_a_state_that_was_true() {
    let (_dir, store) = open();
    for seq in 1..=5 {
        assert_eq!(
            apply(&store, page(&[seq], 5), desk()).unwrap().outcome,
            Outcome::Fine
        );
        assert_eq!(seen(&store), (seq, seq, seq));
    }
}

#[test]
fn b64_the_same_page_twice_changes_nothing() {
    let (_dir, store) = open();
    for _ in 0..3 {
        let applied = apply(&store, page(&[1, 2, 3], 3), desk()).unwrap();
        assert_eq!(applied.outcome, Outcome::Fine);
        assert_eq!(seen(&store), (3, 3, 3));
    }
    // One that overlaps what is known goes on after it.
    apply(&store, page(&[2, 3, 4], 4), desk()).unwrap();
    assert_eq!(seen(&store), (4, 4, 4));
    let history = |db: &rusqlite::Connection| {
        crate::store::history::of_reservation(db, house::stay_id(1)).map(|seen| seen.len())
    };
    assert_eq!(store.read(history).unwrap(), 4);
}

#[test]
fn b64_two_pulls_of_the_same_page_at_once_apply_it_once() {
    let (_dir, store) = open();
    let all: Vec<i64> = (1..=20).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| apply(&store, page(&all, 20), desk()).unwrap());
        }
    });
    assert_eq!(seen(&store), (20, 20, 20));
}

#[test]
fn b58_a_gap_in_the_log_is_never_passed_over() {
    let (_dir, store) = open();
    let applied = apply(&store, page(&[1, 2, 4], 4), desk()).unwrap();
    assert_eq!(applied.outcome, Outcome::WrongPast);
    assert_eq!(seen(&store), (2, 2, 2), "up to the gap");
}

#[test]
fn b59_another_past_is_noticed_whatever_the_server_says() {
    let (_dir, store) = open();
    apply(&store, page(&[1, 2, 3], 3), desk()).unwrap();
    let mut other_epoch = page(&[4], 4);
    other_epoch.epoch = Uuid::from_u128(78);
    let mut other_head = page(&[], 3);
    other_head.head_id = Some(EventId(Uuid::from_u128(99)));
    for wrong in [other_epoch, other_head, page(&[], 2)] {
        let applied = apply(&store, wrong, desk()).unwrap();
        assert_eq!(applied.outcome, Outcome::WrongPast);
        assert_eq!(seen(&store), (3, 3, 3));
    }
}

#[test]
fn b67_what_is_understood_before_the_unknown_is_kept() {
    let (_dir, store) = open();
    let mut raw = page(&[1, 2, 3], 3);
    raw.events[1].changes[1] =
        serde_json::value::RawValue::from_string(r#"{"kind":"folio","id":5}"#.to_owned()).unwrap();
    assert_eq!(
        apply(&store, raw, desk()).unwrap().outcome,
        Outcome::Unknown
    );
    assert_eq!(
        seen(&store),
        (1, 1, 1),
        "nothing of the event that is not understood"
    );
}

#[test]
fn a_row_that_refers_to_nothing_known_is_refused_whole() {
    let (_dir, store) = open();
    let mut stray = event(2);
    stray
        .changes
        .push(house::reservation(house::stay(5, june(10), june(11))));
    let applied = apply(&store, page_of(&[event(1), stray], 2), desk()).unwrap();
    assert_eq!(applied.outcome, Outcome::BrokenKeys);
    assert_eq!(seen(&store), (0, 0, 0));
}

#[test]
fn who_did_it_is_told_but_for_this_desk_s_own_acts() {
    let (_dir, store) = open();
    let mut mine = event(1);
    mine.device = Some(desk());
    let applied = apply(&store, page_of(&[mine], 1), desk()).unwrap();
    assert!(applied.by.is_empty() && !applied.tags.is_empty());
    let mut theirs = event(2);
    theirs.device = Some(DeviceId(Uuid::from_u128(5)));
    let applied = apply(&store, page_of(&[theirs], 2), desk()).unwrap();
    assert_eq!(applied.by.into_iter().collect::<Vec<_>>(), ["Ana"]);
}
