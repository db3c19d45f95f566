//! Who may do what.

crate::words! {
    /// A member of staff's role. Roles are no ladder: revenue may set limits and not check in.
    pub enum Role {
        /// Reservations, check-in, check-out.
        FrontDesk = "front_desk",
        /// Room states.
        Housekeeping = "housekeeping",
        /// Rates and overbooking.
        Revenue = "revenue",
        /// All of front desk and revenue, reports, the night audit.
        Manager = "manager",
        /// Everything, also staff and rooms.
        Admin = "admin",
        /// A channel's key: holds and confirmations only.
        Channel = "channel",
    }
}
