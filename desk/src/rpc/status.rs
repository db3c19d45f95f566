//! The strip that is always in sight, and what the desk knows of the house.

use chrono::{Days, NaiveTime};

use super::schema::{Catalogue, Empty, Status, SyncPhase};
use super::{RpcResult, hotel_of, position, reading, today};
use crate::desk::Desk;
use crate::store::meta::CopyState;
use crate::store::{command, hotel, meta, room, room_type, staff};
use crate::sync::Live;

/// `catalogue.get`.
pub(super) async fn catalogue(desk: &Desk, _request: Empty) -> RpcResult<Catalogue> {
    reading(desk, |db| {
        Ok(Catalogue {
            hotel: hotel_of(db)?,
            types: room_type::sold(db)?,
            rooms: room::all(db)?,
            staff: staff::all(db)?,
        })
    })
    .await
}

/// `status.get`: also answers when nobody is signed in.
pub(super) async fn get(desk: &Desk, _request: Empty) -> RpcResult<Status> {
    let Some(session) = desk.session() else {
        return Ok(Status {
            sync: SyncPhase::SignedOut {},
            hotel: None,
            unsent: 0,
            tasks: 0,
            cursor: 0,
            tonight: Vec::new(),
            day_overdue: false,
        });
    };
    let (live, now) = (session.live(), desk.now());
    reading(desk, move |db| {
        let state = meta::copy_state(db)?;
        let (unsent, tasks) = command::counts(db)?;
        let hotel = if state.usable { hotel::get(db)? } else { None };
        let mut tonight = Vec::new();
        let mut day_overdue = false;
        if let Some(hotel) = &hotel
            && let Some(tomorrow) = hotel.business_date.checked_add_days(Days::new(1))
        {
            tonight = position::cells(db, hotel.business_date, tomorrow)?;
            let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
            day_overdue = now > today::instant(hotel, tomorrow, noon);
        }
        Ok(Status {
            sync: phase(&live, &state),
            hotel,
            unsent,
            tasks,
            cursor: state.cursor,
            tonight,
            day_overdue,
        })
    })
    .await
}

/// What the strip says. A desk without a copy shows its loading also while the server is away; one
/// with a copy goes on reading and says since when it is alone.
fn phase(live: &Live, state: &CopyState) -> SyncPhase {
    let loading = state.loading.as_ref();
    if live.update_needed {
        SyncPhase::UpdateNeeded {}
    } else if live.sign_in_again {
        SyncPhase::SignInAgain {}
    } else if !state.usable {
        SyncPhase::FirstSync {
            done: loading.map_or(0, |load| load.done),
            total: loading.and_then(|load| load.total),
        }
    } else if let Some(since) = live.offline_since {
        SyncPhase::Offline { since }
    } else if let Some(load) = loading {
        SyncPhase::FirstSync {
            done: load.done,
            total: load.total,
        }
    } else {
        SyncPhase::InSync {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::Loading;

    #[test]
    fn the_strip_says_what_matters_most() {
        let since = "2027-06-10T12:00:00Z".parse().unwrap();
        let away = Live {
            offline_since: Some(since),
            ..Live::default()
        };
        let fresh = CopyState::default();
        let open = CopyState {
            usable: true,
            ..CopyState::default()
        };
        let anew = CopyState {
            loading: Some(Loading {
                done: 7,
                total: Some(9),
                ..Loading::default()
            }),
            ..open.clone()
        };
        let here = Live::default();
        assert_eq!(phase(&here, &open), SyncPhase::InSync {});
        assert_eq!(phase(&away, &open), SyncPhase::Offline { since });
        let first = SyncPhase::FirstSync {
            done: 0,
            total: None,
        };
        assert_eq!(phase(&away, &fresh), first);
        let again = SyncPhase::FirstSync {
            done: 7,
            total: Some(9),
        };
        assert_eq!(phase(&here, &anew), again);
        assert_eq!(phase(&away, &anew), SyncPhase::Offline { since });
        let refused = Live {
            sign_in_again: true,
            ..away.clone()
        };
        assert_eq!(phase(&refused, &open), SyncPhase::SignInAgain {});
        let old = Live {
            update_needed: true,
            ..refused
        };
        assert_eq!(phase(&old, &open), SyncPhase::UpdateNeeded {});
    }
}
