use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use protocol::command::Command;
use protocol::id::ReservationId;
use protocol::nights::dates;
use protocol::state::Guarantee;
use protocol::text::{NAME_CHARS_MAX, NOTE_CHARS_MAX, required};

use super::*;
use crate::testing::TestApp;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn count(plan: &Plan, wanted: impl Fn(&Command) -> bool) -> usize {
    plan.commands
        .iter()
        .filter(|timed| wanted(&timed.command))
        .count()
}

#[test]
fn the_same_seed_makes_the_same_hotel() {
    let today = day("2026-11-30");
    assert_eq!(plan(7, today), plan(7, today));
    assert_ne!(plan(7, today).commands, plan(8, today).commands);
}

#[test]
fn it_is_of_the_size_and_shape_that_was_asked_for() {
    for today in ["2026-11-30", "2027-03-14", "2027-07-20", "2028-02-29"] {
        let plan = plan(1, day(today));
        assert_eq!(plan.house.rooms.len(), 120);
        assert_eq!(plan.house.types.len(), 6);
        for (kind, spec) in plan.house.types.iter().zip(&house::TYPES) {
            let rooms = plan
                .house
                .rooms
                .iter()
                .filter(|room| room.room_type_id == kind.id);
            assert_eq!(rooms.count(), spec.rooms as usize, "{}", spec.code);
        }
        let floors: HashSet<_> = plan.house.rooms.iter().map(|room| &room.floor).collect();
        assert_eq!(floors.len(), 6);
        let tally = plan.tally;
        assert!((17_000..23_000).contains(&tally.reservations), "{tally:?}");
        assert!(tally.upgrades > 20, "{tally:?}");
        assert!(tally.no_room < 25, "{tally:?}");
        assert!(count(&plan, |c| matches!(c, Command::NoShow { .. })) > 50);
        assert!(count(&plan, |c| matches!(c, Command::Block { .. })) > 8);
        assert!(
            count(
                &plan,
                |c| matches!(c, Command::Hold { body } if body.rooms.len() > 3)
            ) > 20
        );
        for guarantee in Guarantee::ALL {
            let given = |c: &Command| matches!(c, Command::Confirm { body, .. } if body.guarantee == *guarantee);
            assert!(count(&plan, given) > 20, "{guarantee}");
        }
    }
}

#[test]
fn names_come_in_many_scripts_and_every_text_is_one_that_is_accepted() {
    let plan = plan(3, day("2026-11-30"));
    let mut scripts = HashSet::new();
    let mut longest = 0;
    let mut shortest = usize::MAX;
    for timed in &plan.commands {
        let Command::PutGuest { body, .. } = &timed.command else {
            continue;
        };
        assert_eq!(required(&body.name, NAME_CHARS_MAX).unwrap(), body.name);
        longest = longest.max(body.name.chars().count());
        shortest = shortest.min(body.name.chars().count());
        for text in [&body.email, &body.phone, &body.company]
            .into_iter()
            .flatten()
        {
            assert_eq!(&required(text, NAME_CHARS_MAX).unwrap(), text);
        }
        protocol::text::clean(&body.notes, NOTE_CHARS_MAX).unwrap();
        scripts.extend(body.name.chars().map(|c| u32::from(c) / 0x80));
    }
    // Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, kana, Han, Hangul: a block each.
    for block in ['Ã', 'Σ', 'Ж', 'ש', 'م', 'अ', 'ก', 'さ', '王', '김'] {
        assert!(scripts.contains(&(u32::from(block) / 0x80)), "{block}");
    }
    assert!(longest > 150 && shortest == 1, "{shortest} to {longest}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Whatever the seed: never more rooms than exist in the house, one guest to a room and night,
    /// every command after what it builds on, days in order.
    #[test]
    fn nothing_is_asked_that_would_be_refused(seed: u64, ahead in 0u64..730) {
        let plan = plan(seed, day("2026-01-01") + Days::new(ahead));
        let mut stays = HashMap::new();
        let mut rooms: HashMap<_, HashSet<NaiveDate>> = HashMap::new();
        let mut house: HashMap<NaiveDate, i32> = HashMap::new();
        let mut assigned = HashMap::new();
        let mut open = plan.first;
        let numbers: HashMap<_, _> = plan.house.rooms.iter().map(|room| (room.id, &room.number)).collect();
        let (lowered, _) = nights_above_the_limit(plan.today);
        for timed in &plan.commands {
            prop_assert_eq!(timed.day, open);
            match &timed.command {
                Command::Hold { body } => for room in &body.rooms {
                    prop_assert!(room.check_in >= open && room.check_out > room.check_in);
                    prop_assert!(room.check_out <= open + Days::new(WINDOW_DAYS as u64));
                    stays.insert(room.reservation_id.unwrap(), (body.booking_id.unwrap(), room.check_in, room.check_out));
                    for night in dates(room.check_in, room.check_out) {
                        let sold = house.entry(night).or_default();
                        *sold += 1;
                        let most = 120 + if night == lowered { 4 } else { 0 };
                        prop_assert!(*sold <= most, "{night}: {sold}");
                    }
                },
                Command::CancelBooking { booking_id, .. } => {
                    for (booking, from, until) in stays.values() {
                        if booking == booking_id {
                            for night in dates(*from, *until) { *house.get_mut(&night).unwrap() -= 1; }
                        }
                    }
                    stays.retain(|_, stay| stay.0 != *booking_id);
                }
                Command::Cancel { reservation_id, .. } => {
                    let (_, from, until) = stays.remove(reservation_id).unwrap();
                    for night in dates(from, until) { *house.get_mut(&night).unwrap() -= 1; }
                }
                Command::Assign { reservation_id, body } => {
                    let (_, from, until) = stays[reservation_id];
                    let room = body.room_id.unwrap();
                    assigned.insert(*reservation_id, room);
                    for night in dates(from, until) {
                        prop_assert!(rooms.entry(room).or_default().insert(night), "{} {night}", numbers[&room]);
                    }
                }
                Command::CheckIn { reservation_id, body } => {
                    let (_, from, until) = stays[reservation_id];
                    prop_assert_eq!(from, open);
                    match body.room_id {
                        Some(room) => {
                            assigned.insert(*reservation_id, room);
                            for night in dates(from, until) {
                                prop_assert!(rooms.entry(room).or_default().insert(night), "{} {night}", numbers[&room]);
                            }
                        }
                        None => prop_assert!(assigned.contains_key(reservation_id)),
                    }
                }
                Command::CheckOut { reservation_id, body } => {
                    let (_, _, until) = stays.remove(reservation_id).unwrap();
                    prop_assert_eq!(body.early, until > open);
                    if body.early {
                        for night in dates(open, until) {
                            *house.get_mut(&night).unwrap() -= 1;
                            rooms.get_mut(&assigned[reservation_id]).unwrap().remove(&night);
                        }
                    }
                }
                Command::NoShow { reservation_id, .. } => { stays.remove(reservation_id).unwrap(); }
                Command::Block { room_id, body } => {
                    for night in dates(body.from, body.until) {
                        prop_assert!(rooms.entry(*room_id).or_default().insert(night));
                    }
                }
                Command::Roll { body } => {
                    prop_assert_eq!(body.business_date, open);
                    open = open + Days::new(1);
                }
                _ => {}
            }
        }
        prop_assert_eq!(open, plan.today);
    }
}

#[test]
fn guests_come_in_the_afternoon_and_leave_in_the_morning_of_their_day() {
    use chrono::Timelike as _;
    let night = day("2026-03-29");
    for no in [0, 1, 479, 12_345] {
        let stay = ReservationId(uuid::Uuid::from_u128(no));
        let came = play::hour_of(night, stay, play::ARRIVALS).unwrap();
        let left = play::hour_of(night, stay, play::DEPARTURES).unwrap();
        let clock =
            |at: chrono::DateTime<chrono::Utc>| at.with_timezone(&chrono_tz::Europe::Madrid);
        assert_eq!(clock(came).date_naive(), night);
        assert!((14..22).contains(&clock(came).hour()));
        assert_eq!(clock(left).date_naive(), night);
        assert!((7..11).contains(&clock(left).hour()));
    }
}

#[tokio::test]
async fn every_command_is_accepted_and_the_recount_is_clean() {
    let app = TestApp::start().await;
    let sheet = run::new_sheet(day("2025-12-24")).unwrap();
    let plan = plan_of(5, sheet.today, 12, 30);
    let made = create(&app.db, &plan, &sheet).await.unwrap();
    let team = play::Team::new(made.id, &made.staff).unwrap();
    play::play(&app.db, &team, &plan.commands, |_| ())
        .await
        .unwrap();
    let found = crate::verify::verify(&app.db).await.unwrap();
    assert!(found.is_empty(), "{found:#?}");
}
