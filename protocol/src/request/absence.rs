//! Guests who did not come, and what a hotel does about it by itself.

use chrono::{NaiveDate, NaiveTime};

use crate::state::NoShowNights;

crate::wire! {
    /// A command that its address says all of.
    #[derive(Default)]
    pub struct NothingMore {}
}

crate::wire! {
    /// `POST /night-audit/no-shows`: whoever should have come by the open day and did not, at most 200 at
    /// a time; to be sent again until it is `not_due`. Guests flagged late are still awaited.
    pub struct NoShowsRequest {
        /// The open day.
        pub business_date: NaiveDate,
        /// Keep their nights of arrival counted.
        #[serde(default)]
        pub keep_first_night: bool,
        /// A fee for each, in minor units: noted as a fact and nothing more.
        #[serde(default)]
        pub fee: Option<i64>,
    }
}

crate::wire! {
    /// `PUT /policies`: what the hotel does by itself. Known reservations keep the hour of release that
    /// they have.
    pub struct PoliciesRequest {
        /// Release at its hour what nobody guarantees, without a person.
        pub auto_release: bool,
        /// What becomes of the later nights of a guest who did not come.
        pub no_show_nights: NoShowNights,
        /// Hotel time at which reservations without guarantee are listed for release.
        pub release_time: NaiveTime,
    }
}
