//! Following and sending: kills, cuts, refusals, restores.

use protocol::code::{Code, Problem};
use protocol::event::Change;
use protocol::state::ReservationState;
use serde_json::{Value, json};
use uuid::Uuid;

use super::fake::Fake;
use super::house::{self, june};
use super::*;
use crate::rpc::schema::{CommandList, ReservationDetail};

async fn arrivals(count: u128) -> Fake {
    let parties = (1..=count)
        .flat_map(|n| house::party(n, &format!("Guest {n}"), june(10), june(12)))
        .collect();
    Fake::start(parties).await
}

async fn list(bed: &Bed) -> CommandList {
    bed.call("command.list", json!({})).await.unwrap()
}

async fn detail(bed: &Bed, n: u128) -> ReservationDetail {
    bed.call("reservation.get", json!({"id": house::stay_id(n)}))
        .await
        .unwrap()
}

#[tokio::test]
async fn b71_what_happens_while_the_copy_loads_is_in_it() {
    let fake = arrivals(40).await;
    fake.event("before", vec![]);
    {
        let mut inner = fake.lock();
        inner.page_rows = 20;
        // After the page with the first reservations was read: one changes, one is new.
        let mut changed = house::stay(1, june(10), june(12));
        changed.notes = "late".to_owned();
        changed.version = 2;
        let mut news = house::party(99, "Newcomer", june(10), june(11));
        news.push(house::reservation(changed));
        let first = inner
            .snapshot
            .iter()
            .position(|change| matches!(change, Change::Reservation { .. }))
            .unwrap();
        inner.while_loading = Some((first - first % 20, news));
    }
    let bed = Bed::new(fake.clone()).await;
    assert_eq!(bed.status().await.cursor, 2);
    assert_eq!(bed.today().await.due_in.len(), 41);
    assert_eq!(detail(&bed, 1).await.row.notes, "late");
    assert_eq!(detail(&bed, 1).await.history.len(), 1);
}

#[tokio::test]
async fn b70_a_load_goes_on_where_it_was_cut_also_after_a_restart() {
    let fake = arrivals(60).await;
    {
        let mut inner = fake.lock();
        inner.page_rows = 10;
        inner.pages_max = 12;
    }
    let mut bed = Bed::signed_in(fake.clone()).await;
    bed.until("a part is stored", |status| {
        matches!(
            status.sync,
            SyncPhase::FirstSync {
                done: 120,
                total: Some(_)
            }
        )
    })
    .await;
    bed.reopen().await;
    fake.lock().pages_max = usize::MAX;
    bed.until("the rest is loaded", |status| {
        status.sync == SyncPhase::InSync {}
    })
    .await;
    let pages = fake.lock().pages.clone();
    let mut once = pages.clone();
    once.dedup();
    assert_eq!(pages, once, "no page was loaded twice");
    assert_eq!(pages.iter().filter(|start| **start == 0).count(), 1);
    assert_eq!(bed.today().await.due_in.len(), 60);
}

#[tokio::test]
async fn b62_a_command_that_met_a_503_is_sent_again_by_itself() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    fake.lock().next.push(Problem::new(Code::Busy));
    let started = Instant::now();
    assert_eq!(bed.submit(1, assign(1, 101), 0).await["outcome"], "queued");
    bed.until("the command is sent", |status| status.unsent == 0)
        .await;
    assert!(started.elapsed() < Duration::from_secs(60));
    let sent = fake.lock().sent.clone();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1], "the same key and body again");
    assert_eq!(bed.status().await.tasks, 0);
}

#[tokio::test]
async fn a_server_that_hangs_is_noticed_long_before_a_quiet_poll_would_end() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    let started = std::time::Instant::now();
    fake.lock().hangs = true;
    bed.until("it is noticed", |status| {
        matches!(status.sync, SyncPhase::Offline { .. })
    })
    .await;
    assert!(started.elapsed() < Duration::from_secs(15));
    fake.lock().hangs = false;
    bed.until("it is back", |status| {
        matches!(status.sync, SyncPhase::InSync {})
    })
    .await;
}

#[tokio::test]
async fn n10_an_offline_check_in_is_shown_survives_a_restart_and_is_sent() {
    let fake = arrivals(2).await;
    let mut bed = Bed::new(fake.clone()).await;
    fake.set_down(true);
    bed.until("it is noticed", |status| {
        matches!(status.sync, SyncPhase::Offline { .. })
    })
    .await;
    bed.submit(1, put_guest(1, Some(1), "García"), 0).await;
    bed.submit(2, check_in(1, Some(101)), 0).await;
    bed.submit(3, details(1, 2, "late"), 0).await;
    for restart in [false, true] {
        if restart {
            bed.reopen().await;
        }
        let today = bed.today().await;
        assert_eq!((today.due_in.len(), today.in_house.len()), (1, 1));
        let line = &today.in_house[0];
        assert_eq!(line.guest_name, "García");
        assert_eq!(line.room_number.as_deref(), Some("101"));
        assert!(line.unsent && line.has_notes);
        assert_eq!(bed.status().await.unsent, 3);
    }
    // The server does it, and the log brings rows of its own, with another room than was shown.
    fake.decide(|inner, sent| {
        let seq = if sent.path.ends_with("/check-in") {
            let mut row = house::stay(1, june(10), june(12));
            row.state = ReservationState::CheckedIn;
            row.version = 2;
            let place = house::place(1, 102, june(10), june(12), Some(1));
            inner.event(
                "check_in",
                vec![house::reservation(row), Change::RoomUse { row: place }],
            )
        } else {
            inner.event("other", vec![])
        };
        Ok(json!({"seq": seq, "reservations": []}))
    });
    fake.set_down(false);
    bed.until("all is sent", |status| status.unsent == 0).await;
    let head = fake.lock().head();
    bed.until_cursor(head).await;
    let paths: Vec<String> = fake
        .lock()
        .sent
        .iter()
        .map(|sent| sent.path.rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(
        paths[1], "check-in",
        "in the order in which they touch the same"
    );
    let line = bed.today().await.in_house[0].clone();
    assert_eq!(
        line.room_number.as_deref(),
        Some("102"),
        "the server's word counts"
    );
    assert!(!line.unsent);
    let store = std::sync::Arc::clone(&bed.desk().session().unwrap().store);
    let aside: i64 = store
        .read(|db| {
            Ok::<_, crate::store::StoreFault>(db.query_row(
                "SELECT count(*) FROM overlaid",
                [],
                |row| row.get(0),
            )?)
        })
        .unwrap();
    assert_eq!(aside, 0, "nothing of the overlay is left");
}

#[tokio::test]
async fn n10_an_answer_stays_on_top_until_the_log_has_passed_it() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    // Done in event 1, of which the desk hears nothing for a while.
    fake.decide(|_, _| {
        Ok(json!({"seq": 1, "reservations": [
            {"id": house::stay_id(1), "state": "checked_in", "version": 7}
        ]}))
    });
    let done = bed.submit(1, check_in(1, Some(101)), 30_000).await;
    assert_eq!(
        (done["outcome"].as_str(), done["seq"].as_i64()),
        (Some("done"), Some(1))
    );
    let line = bed.today().await.in_house[0].clone();
    assert_eq!((line.version, line.unsent), (7, false));
    let mut row = house::stay(1, june(10), june(12));
    row.state = ReservationState::CheckedIn;
    row.version = 7;
    fake.event("check_in", vec![house::reservation(row)]);
    bed.until_cursor(1).await;
    assert_eq!(
        bed.today().await.in_house[0].room_number,
        None,
        "the log brought no room"
    );
}

#[tokio::test]
async fn b65_a_stale_change_becomes_a_task_and_what_needs_it_is_parked() {
    let fake = arrivals(2).await;
    let bed = Bed::new(fake.clone()).await;
    fake.set_down(true);
    bed.submit(1, details(1, 1, "mine"), 0).await;
    bed.submit(2, details(1, 2, "mine again"), 0).await;
    bed.submit(3, assign(2, 101), 0).await;
    assert_eq!(detail(&bed, 1).await.row.notes, "mine again");
    let mut theirs = house::stay(1, june(10), june(12));
    theirs.notes = "theirs".to_owned();
    theirs.version = 2;
    fake.lock()
        .event("details", vec![house::reservation(theirs)]);
    fake.decide(|inner, sent| {
        if sent.method == "PATCH" {
            Err(Problem::new(Code::StaleVersion))
        } else {
            Ok(json!({"seq": inner.event("assign", vec![]), "reservations": []}))
        }
    });
    fake.set_down(false);
    let status = bed
        .until("all is decided", |status| status.unsent == 0)
        .await;
    assert_eq!(status.tasks, 2);
    bed.until_cursor(2).await;
    assert_eq!(
        detail(&bed, 1).await.row.notes,
        "theirs",
        "nothing of theirs is overwritten"
    );
    let tasks = list(&bed).await.tasks;
    assert!(
        tasks
            .iter()
            .all(|task| task.problem.as_ref().unwrap().code == Code::StaleVersion)
    );
    assert_eq!(tasks[0].about, "Guest 1");
    let tries = fake
        .lock()
        .sent
        .iter()
        .filter(|sent| sent.method == "PATCH")
        .count();
    assert_eq!(tries, 1, "the second was parked, not sent");
    let left: CommandList = bed
        .call("task.done", json!({"id": house::command_id(1)}))
        .await
        .unwrap();
    assert_eq!(left.tasks.len(), 1);
}

#[tokio::test]
async fn a_refusal_that_the_clerk_waits_for_is_told_and_leaves_no_task() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    fake.lock().next.push(Problem::new(Code::RoomTaken));
    let told = bed.submit(1, assign(1, 101), 30_000).await;
    assert_eq!(told["outcome"], "refused");
    assert_eq!(told["problem"]["code"], "room_taken");
    assert_eq!(bed.today().await.due_in[0].room_id, None);
    assert_eq!(bed.status().await.tasks, 0);
    let again = bed.submit(1, assign(1, 101), 30_000).await;
    assert_eq!(again, told, "b16: the same command has the same fate");
    assert_eq!(fake.lock().sent.len(), 1);
    let other = json!({"id": house::command_id(1), "command": assign(1, 102), "wait_ms": 0});
    let refused = bed
        .call::<Value>("command.submit", other)
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::KeyReused);
}

#[tokio::test]
async fn what_only_the_server_decides_is_withdrawn_when_it_is_away() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    fake.set_down(true);
    let started = Instant::now();
    let told = bed.submit(1, hold(50), 0).await;
    assert_eq!(told["problem"]["code"], "offline");
    assert!(started.elapsed() < Duration::from_secs(5), "at once");
    let status = bed.status().await;
    assert_eq!((status.unsent, status.tasks), (0, 0));
    fake.set_down(false);
    bed.until("the server is back", |status| {
        status.sync == SyncPhase::InSync {}
    })
    .await;
    assert!(
        fake.lock().sent.is_empty(),
        "never sent behind the clerk's back"
    );
}

#[tokio::test]
async fn a_hold_is_shown_as_soon_as_it_is_answered() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    fake.decide(|_, _| {
        let night = |date: &str| {
            json!({"stay_date": date, "room_type_id": house::std_type(),
            "charged_type_id": house::std_type(), "price": 10_000, "counted": true})
        };
        Ok(
            json!({"seq": 9, "booking_id": house::booking_id(50), "number": "AAAAA-BBBBB",
            "expires_at": "2027-06-10T10:10:00Z",
            "rooms": [{"reservation_id": house::stay_id(50),
                "nights": [night("2027-06-12"), night("2027-06-13")]}]}),
        )
    });
    let done = bed.submit(1, hold(50), 0).await;
    assert_eq!(done["outcome"], "done");
    let held = bed.today().await.on_hold;
    assert_eq!((held.len(), held[0].total), (1, 20_000));
    assert_eq!(held[0].number, "AAAAA-BBBBB");
    let position: Value = bed
        .call("position.get", json!({"from": "2027-06-12", "nights": 1}))
        .await
        .unwrap();
    assert_eq!(position["cells"][0]["on_hold"], 1);
    assert_eq!(position["cells"][0]["left"], 3);
    assert_eq!(position["cells"][2]["code"], "House");
    assert_eq!(position["cells"][2]["on_hold"], 1);
}

#[tokio::test]
async fn b59_a_restored_server_is_noticed_and_offered_again_what_it_lost() {
    let fake = arrivals(3).await;
    let bed = Bed::new(fake.clone()).await;
    for n in 1..=3 {
        let done = bed.submit(n, assign(n, 100 + n), 30_000).await;
        assert_eq!(done["outcome"], "done");
    }
    bed.until_cursor(3).await;
    {
        // Back to the first event; the other two commands are lost, with their keys.
        let mut inner = fake.lock();
        inner.epoch = Uuid::now_v7();
        inner.events.truncate(1);
        let kept = house::command_id(1).to_string();
        inner.answers.retain(|key, _| *key == kept);
        inner.sent.clear();
    }
    fake.wake();
    bed.until("all is sent anew", |status| {
        let offered = fake.lock().sent.len() >= 3;
        offered && status.unsent == 0 && status.cursor == 3 && status.sync == SyncPhase::InSync {}
    })
    .await;
    let keys: Vec<String> = fake
        .lock()
        .sent
        .iter()
        .map(|sent| sent.key.clone())
        .collect();
    for n in 1..=3 {
        assert!(
            keys.contains(&house::command_id(n).to_string()),
            "{n} is offered again"
        );
    }
    assert_eq!(fake.lock().head(), 3, "what was not lost is not done twice");
    assert_eq!(bed.status().await.tasks, 0);
}

#[tokio::test]
async fn a_log_that_no_longer_reaches_back_is_loaded_anew_and_old_rows_go() {
    let fake = arrivals(3).await;
    let mut bed = Bed::new(fake.clone()).await;
    fake.set_down(true);
    bed.submit(1, assign(1, 101), 0).await;
    bed.desk = None;
    {
        let mut inner = fake.lock();
        inner.floor = 500;
        let left = inner.snapshot.len() - 3;
        inner.snapshot.truncate(left);
        inner.down = false;
    }
    bed.reopen().await;
    bed.until("loaded anew", |status| {
        status.sync == SyncPhase::InSync {} && status.cursor >= 500 && status.unsent == 0
    })
    .await;
    assert_eq!(bed.today().await.due_in.len(), 2);
    // The desk that ended may have got it out of the door: the key makes two of one.
    let keys: Vec<String> = fake
        .lock()
        .sent
        .iter()
        .map(|sent| sent.key.clone())
        .collect();
    let kept = house::command_id(1).to_string();
    assert!(
        !keys.is_empty() && keys.iter().all(|key| *key == kept),
        "the queue was kept"
    );
    let found: Value = bed
        .call("find", json!({"text": "guest 3", "limit": 10}))
        .await
        .unwrap();
    let names: Vec<&Value> = found["guests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|guest| &guest["name"])
        .collect();
    assert!(!names.contains(&&json!("Guest 3")), "{names:?}");
}

#[tokio::test]
async fn b67_an_unknown_kind_stops_the_pull_and_nothing_else() {
    let fake = arrivals(2).await;
    let mut bed = Bed::new(fake.clone()).await;
    fake.event("fine", house::party(3, "Third", june(10), june(11)));
    fake.raw_event("folio", vec![json!({"kind": "folio", "row": {"id": 1}})]);
    fake.event("after", house::party(4, "Fourth", june(10), june(11)));
    for restart in [false, true] {
        if restart {
            bed.reopen().await;
        }
        let status = bed
            .until("it is said", |status| {
                status.sync == SyncPhase::UpdateNeeded {}
            })
            .await;
        assert_eq!(status.cursor, 1, "up to what is understood");
        assert_eq!(bed.today().await.due_in.len(), 3, "reads go on");
    }
    fake.set_down(true);
    for n in 1..=20 {
        bed.submit(n, details(1, n as i64, "still here"), 0).await;
    }
    bed.reopen().await;
    assert_eq!(bed.status().await.unsent, 20);
    assert_eq!(detail(&bed, 1).await.row.version, 21);
    // The update: a newer build finds the note of the older one, loads anew and sends.
    let store = std::sync::Arc::clone(&bed.desk().session().unwrap().store);
    store
        .write(|tx| {
            let mut state = crate::store::meta::copy_state(tx)?;
            assert_eq!(state.update_needed.as_deref(), Some(crate::sync::BUILD));
            state.update_needed = Some("an older build".to_owned());
            crate::store::meta::set_copy_state(tx, &state)
        })
        .unwrap();
    drop(store);
    fake.set_down(false);
    let kept = fake.lock().events.len() as i64;
    {
        let mut inner = fake.lock();
        inner.floor = kept;
        inner.events.clear();
    }
    bed.reopen().await;
    bed.until("in sync again, and all is sent", |status| {
        status.sync == SyncPhase::InSync {} && status.unsent == 0
    })
    .await;
    // One that was on its way when the program ended may have arrived twice, under its one key.
    let keys: std::collections::BTreeSet<String> = fake
        .lock()
        .sent
        .iter()
        .map(|sent| sent.key.clone())
        .collect();
    assert_eq!(keys.len(), 20);
}

#[tokio::test]
async fn a_token_that_is_refused_asks_for_a_sign_in_and_keeps_the_queue() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    fake.lock().next.push(Problem::new(Code::Unauthenticated));
    bed.submit(1, assign(1, 101), 0).await;
    let status = bed
        .until("it is said", |status| {
            status.sync == SyncPhase::SignInAgain {}
        })
        .await;
    assert_eq!((status.unsent, status.tasks), (1, 0));
    let request = json!({"server": fake.address(), "name": "ana", "password": "p"});
    let _: Value = bed.call("session.sign_in", request).await.unwrap();
    bed.until("the queue is sent", |status| status.unsent == 0)
        .await;
}

#[tokio::test]
async fn n13_a_forgotten_guest_leaves_the_copy_the_search_and_the_queue() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake.clone()).await;
    bed.submit(1, put_guest(1, Some(1), "Ekaterina Orlova"), 30_000)
        .await;
    bed.submit(2, details(1, 1, "allergic to feathers"), 30_000)
        .await;
    let mut gone = house::guest(1, "");
    gone.version = 3;
    gone.erased = true;
    let seq = fake.event("erase", vec![Change::Guest { row: gone }]);
    bed.until_cursor(seq).await;
    let found: Value = bed
        .call("find", json!({"text": "orlova", "limit": 10}))
        .await
        .unwrap();
    assert_eq!(found["guests"], json!([]));
    let store = std::sync::Arc::clone(&bed.desk().session().unwrap().store);
    let kept: Vec<String> = store
        .read(|db| {
            let mut bodies = db.prepare("SELECT body FROM command")?;
            let rows = bodies.query_map([], |row| row.get(0))?;
            Ok::<_, crate::store::StoreFault>(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    assert_eq!(kept.len(), 1);
    assert!(!kept[0].contains("feathers") && !kept[0].contains("Orlova"));
}

#[tokio::test]
async fn b83_a_second_program_on_the_same_folder_is_refused_in_a_sentence() {
    let fake = arrivals(1).await;
    let bed = Bed::new(fake).await;
    let host = PlainHost::session_only(bed.dir.path().join("desk"));
    let Err(fault) = Desk::open(Arc::new(host), DeskConfig::default()).await else {
        panic!("two desks on one folder");
    };
    assert!(
        fault
            .to_string()
            .starts_with("Nightdesk is already open on "),
        "{fault}"
    );
}

#[tokio::test]
async fn what_the_session_alone_may_keep_is_gone_after_it() {
    let fake = arrivals(1).await;
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        Desk::open(
            Arc::new(PlainHost::session_only(dir.path())),
            DeskConfig::default(),
        )
    };
    let desk = open().await.unwrap();
    let request = json!({"server": fake.address(), "name": "ana", "password": "p"});
    let session = rpc::call(&desk, "session.sign_in", request).await.unwrap();
    assert!(session["keyring_problem"].is_string());
    assert!(
        !std::fs::read_to_string(dir.path().join("desk.json"))
            .unwrap()
            .contains("secret-token")
    );
    drop(desk);
    let deadline = Instant::now() + Duration::from_secs(10);
    let desk = loop {
        match open().await {
            Ok(desk) => break desk,
            Err(fault) => assert!(Instant::now() < deadline, "{fault}"),
        }
    };
    let session = rpc::call(&desk, "session.get", json!({})).await.unwrap();
    assert_eq!(
        (&session["user"], &session["last_name"]),
        (&Value::Null, &json!("ana"))
    );
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(
        left, 2,
        "the lock and the settings, and no copy that nobody can read"
    );
    let refused = rpc::call(&desk, "today.get", json!({})).await.unwrap_err();
    assert_eq!(refused.code, Code::Unauthenticated);
}
