//! The states of a reservation and the moves between them (design section 4, N6).

crate::words! {
    /// Where a reservation stands. "On hold" is what screens call [`Self::Held`].
    pub enum ReservationState {
        /// Nights are counted for a short time while the form is open.
        Held = "held",
        /// Promised to the guest.
        Confirmed = "confirmed",
        /// In house.
        CheckedIn = "checked_in",
        /// Departed.
        CheckedOut = "checked_out",
        /// Given up by guest or hotel before arrival.
        Cancelled = "cancelled",
        /// A hold that ran out.
        Expired = "expired",
        /// Confirmed, never arrived.
        NoShow = "no_show",
        /// Sent to another hotel at this hotel's cost.
        Walked = "walked",
    }
}

crate::words! {
    /// What stands behind the promise to come.
    pub enum Guarantee {
        /// Nothing: listed for release at the hotel's hour.
        None = "none",
        /// A card at the provider.
        Card = "card",
        /// A deposit was paid.
        Deposit = "deposit",
        /// Paid in full.
        Prepaid = "prepaid",
        /// A company pays.
        Company = "company",
        /// A travel agent pays.
        Agent = "agent",
    }
}

crate::words! {
    /// Where a reservation came from.
    pub enum Channel {
        /// Made at the desk.
        Desk = "desk",
        /// By telephone.
        Phone = "phone",
        /// By e-mail.
        Email = "email",
        /// The guest stood at the desk without a reservation.
        WalkIn = "walk_in",
        /// The hotel's own site.
        Web = "web",
        /// An online agency, through a channel manager.
        Ota = "ota",
        /// A tour operator.
        TourOperator = "tour_operator",
        /// A company's own booking tool.
        Corporate = "corporate",
    }
}

crate::words! {
    /// The part of the market, for the reports.
    pub enum Segment {
        /// Private guests paying the public price.
        Transient = "transient",
        /// Companies.
        Corporate = "corporate",
        /// Groups.
        Group = "group",
        /// Tour operators and wholesalers.
        Wholesale = "wholesale",
        /// A guest who pays nothing.
        Complimentary = "complimentary",
        /// The hotel's own use.
        HouseUse = "house_use",
    }
}

impl ReservationState {
    /// The ordinary moves. Putting right and facts from offline desks are moves of their own kind.
    pub const fn may_become(self, next: Self) -> bool {
        use ReservationState as S;
        matches!(
            (self, next),
            (S::Held, S::Confirmed | S::Cancelled | S::Expired)
                | (
                    S::Confirmed,
                    S::CheckedIn | S::Cancelled | S::NoShow | S::Walked
                )
                | (S::CheckedIn, S::CheckedOut | S::Walked)
        )
    }

    /// Whether the nights ahead of the guest are counted in this state.
    pub const fn holds_nights(self) -> bool {
        matches!(self, Self::Held | Self::Confirmed | Self::CheckedIn)
    }
}

crate::words! {
    /// When a guest is expected, as far as a release or an audit must know.
    #[derive(Default)]
    pub enum Lateness {
        /// Before the hotel releases what nobody guarantees.
        #[default]
        OnTime = "on_time",
        /// Late on the day of arrival, also after midnight: never released by itself.
        Late = "late",
        /// Only on the day after: did not come, and will.
        NextDay = "next_day",
    }
}

crate::words! {
    /// What becomes of the later nights of a guest who did not come, when the day is closed.
    #[derive(Default)]
    pub enum NoShowNights {
        /// They are given back.
        #[default]
        Release = "release",
        /// They stay counted until a person decides.
        Keep = "keep",
    }
}

crate::words! {
    /// What a room looks like to housekeeping.
    pub enum RoomStatus {
        /// Cleaned.
        Clean = "clean",
        /// To be cleaned.
        Dirty = "dirty",
        /// Cleaned and looked at.
        Inspected = "inspected",
    }
}

crate::words! {
    /// Why a room is not free for a period.
    pub enum RoomUseKind {
        /// A guest.
        Stay = "stay",
        /// Not sellable: leaves the count.
        OutOfOrder = "out_of_order",
        /// Still sellable; avoid when assigning.
        OutOfService = "out_of_service",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n6_nothing_ordinary_leaves_an_end_state() {
        use ReservationState as S;
        for end in [
            S::CheckedOut,
            S::Cancelled,
            S::Expired,
            S::NoShow,
            S::Walked,
        ] {
            for next in ReservationState::ALL {
                assert!(!end.may_become(*next), "{end} -> {next}");
            }
            assert!(!end.holds_nights());
        }
        assert!(S::Held.may_become(S::Confirmed) && !S::Held.may_become(S::CheckedIn));
    }
}
