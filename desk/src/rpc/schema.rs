//! Every request and answer of the desk's `rpc`: the one place where the contract with the screens is
//! declared. `cargo xtask codegen` exports it to TypeScript.
//!
//! Reads answer from the local copy with the clerk's unanswered commands on top (N10), so they never
//! wait for the network. The only way to change anything is [`CommandSubmit`].

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use protocol::code::{Code, Problem};
use protocol::command::Command;
use protocol::id::{
    BookingId, CommandId, HotelId, ReservationId, RoomId, RoomTypeId, RoomUseId, StaffId,
};
use protocol::role::Role;
use protocol::row::{
    BookingRow, GuestRow, HotelRow, ReservationRow, RoomRow, RoomTypeRow, StaffRow,
};
use protocol::state::{Guarantee, ReservationState, RoomStatus, RoomUseKind};

/// Declares plain data that travels between desk and screens.
macro_rules! wire {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident { $($body:tt)* })+) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        $(#[$meta])*
        pub $kind $name { $($body)* }
    )+};
}

wire! {
    /// Nothing to say.
    pub struct Empty {}

    /// Who is signed in at this desk, if anybody.
    pub struct Session {
        /// Absent before sign-in.
        pub user: Option<SessionUser>,
        /// The address used last, to fill the form.
        pub server: Option<String>,
        /// The name used last.
        pub last_name: Option<String>,
        /// What people call this desk.
        pub device_name: String,
        /// Why secrets are kept for this session only, when no keyring could be used.
        pub keyring_problem: Option<String>,
    }

    /// Who.
    pub struct SessionUser {
        /// Id.
        pub staff_id: StaffId,
        /// Name for people.
        pub display_name: String,
        /// Role.
        pub role: Role,
        /// Hotel.
        pub hotel_id: HotelId,
        /// Its name.
        pub hotel_name: String,
    }

    /// Sign in, then begin the first sync if there is no copy yet.
    pub struct SignInRequest {
        /// `http://127.0.0.1:7080`.
        pub server: String,
        /// `ana` or `ana@miramar`.
        pub name: String,
        /// Password.
        pub password: String,
    }

    /// Where synchronisation stands.
    #[serde(tag = "phase", rename_all = "snake_case")]
    pub enum SyncPhase {
        /// Nobody is signed in.
        SignedOut {},
        /// The first copy is being loaded.
        FirstSync {
            /// Rows stored.
            done: i64,
            /// Rows in all, once known.
            total: Option<i64>,
        },
        /// The copy follows the log.
        InSync {},
        /// The server cannot be reached.
        Offline {
            /// Since when.
            since: DateTime<Utc>,
        },
        /// The server sends what this program cannot read; reads and the queue go on.
        UpdateNeeded {},
        /// The token was refused; the queue is kept.
        SignInAgain {},
    }

    /// The top strip.
    pub struct Status {
        /// Sync.
        pub sync: SyncPhase,
        /// The hotel, once there is a copy.
        pub hotel: Option<HotelRow>,
        /// Commands recorded and not yet answered.
        pub unsent: i64,
        /// Refused commands that need a person.
        pub tasks: i64,
        /// Number of the last event in the copy.
        pub cursor: i64,
        /// Tonight, per type and the house last.
        pub tonight: Vec<PositionCell>,
        /// Whether the clock is past noon of the day after the business date.
        pub day_overdue: bool,
    }

    /// The position of one type (or the house) and night.
    pub struct PositionCell {
        /// Type, nil for the house.
        pub room_type_id: RoomTypeId,
        /// `STD`, `House`.
        pub code: String,
        /// Night.
        pub stay_date: NaiveDate,
        /// Rooms that exist.
        pub total: i32,
        /// Not sellable.
        pub out_of_order: i32,
        /// Confirmed and in house.
        pub sold: i32,
        /// On hold.
        pub on_hold: i32,
        /// Lent to desks.
        pub lent: i32,
        /// May be sold.
        pub limit: i64,
        /// Left by this row's own limit; below zero when over it.
        pub left: i64,
        /// Whether this limit is the one that stops the next sale: the house's when it has less left.
        pub binds: bool,
    }

    /// Ask for positions over some nights.
    pub struct PositionRequest {
        /// First night.
        pub from: NaiveDate,
        /// How many, at most 400.
        pub nights: i32,
    }

    /// Night by night, types in the hotel's order and the house last.
    pub struct PositionAnswer {
        /// Cells.
        pub cells: Vec<PositionCell>,
    }

    /// One line of a list, and what the chart and the panels show of a stay.
    pub struct StayLine {
        /// Reservation.
        pub id: ReservationId,
        /// Party.
        pub booking_id: BookingId,
        /// Confirmation number.
        pub number: String,
        /// How many rooms the party has.
        pub party_rooms: i32,
        /// State.
        pub state: ReservationState,
        /// Main guest's name; empty when not yet known.
        pub guest_name: String,
        /// Greeted by the manager.
        pub vip: bool,
        /// Arrival.
        pub check_in: NaiveDate,
        /// Departure.
        pub check_out: NaiveDate,
        /// Nights.
        pub nights: i32,
        /// Booked type's code.
        pub type_code: String,
        /// The type whose count the first night ahead stands in; another than booked after an upgrade.
        pub room_type_id: RoomTypeId,
        /// Adults.
        pub adults: i32,
        /// Children.
        pub children: i32,
        /// Assigned room's number, for tonight or the first night.
        pub room_number: Option<String>,
        /// Assigned room.
        pub room_id: Option<RoomId>,
        /// What housekeeping says of that room.
        pub room_status: Option<RoomStatus>,
        /// Guarantee.
        pub guarantee: Guarantee,
        /// Hotel time.
        pub expected_time: Option<NaiveTime>,
        /// When a hold runs out.
        pub hold_expires_at: Option<DateTime<Utc>>,
        /// Price of all nights, minor units.
        pub total: i64,
        /// Price less what was paid.
        pub balance: i64,
        /// Whether there are notes.
        pub has_notes: bool,
        /// The room was promised.
        pub do_not_move: bool,
        /// Whether a night stands above a limit.
        pub over_limit: bool,
        /// A command on it is not answered yet.
        pub unsent: bool,
        /// Version.
        pub version: i64,
    }

    /// The lists of the open day. Counts equal the lists by construction: they are their lengths.
    pub struct Today {
        /// The open day.
        pub business_date: NaiveDate,
        /// Confirmed, arriving.
        pub due_in: Vec<StayLine>,
        /// Checked in.
        pub in_house: Vec<StayLine>,
        /// Checked in, leaving today or before.
        pub due_out: Vec<StayLine>,
        /// Arriving without a room.
        pub unassigned: Vec<StayLine>,
        /// On hold at any desk.
        pub on_hold: Vec<StayLine>,
        /// Left today.
        pub departed: Vec<StayLine>,
    }

    /// A window of the tape chart.
    pub struct ChartRequest {
        /// First night shown.
        pub from: NaiveDate,
        /// How many, at most 400.
        pub nights: i32,
    }

    /// One bar in a room's row.
    pub struct ChartBar {
        /// The use.
        pub id: RoomUseId,
        /// Room.
        pub room_id: RoomId,
        /// First night.
        pub from: NaiveDate,
        /// End, exclusive.
        pub until: NaiveDate,
        /// Stay or period.
        pub kind: RoomUseKind,
        /// Reason of a period.
        pub reason: Option<String>,
        /// Of a stay.
        pub stay: Option<StayLine>,
    }

    /// The tape chart's data.
    pub struct Chart {
        /// The open day.
        pub business_date: NaiveDate,
        /// Types in order.
        pub types: Vec<RoomTypeRow>,
        /// Rooms in order of type, floor, number.
        pub rooms: Vec<RoomRow>,
        /// Bars of rooms.
        pub bars: Vec<ChartBar>,
        /// Stays of the window without a room, by arrival.
        pub unassigned: Vec<StayLine>,
        /// Left and limit per type and night, and the house.
        pub cells: Vec<PositionCell>,
    }

    /// Ask for one reservation.
    pub struct ReservationRequest {
        /// Which.
        pub id: ReservationId,
    }

    /// Everything about one reservation.
    pub struct ReservationDetail {
        /// The short form.
        pub line: StayLine,
        /// The row with its nights.
        pub row: ReservationRow,
        /// The party.
        pub booking: BookingRow,
        /// The main guest.
        pub guest: Option<GuestRow>,
        /// The others in the room.
        pub further_guests: Vec<GuestRow>,
        /// The other reservations of the party.
        pub party: Vec<StayLine>,
        /// Rooms and periods.
        pub rooms: Vec<ChartBar>,
        /// What happened to it that this desk has seen, newest last.
        pub history: Vec<HistoryLine>,
    }

    /// One line of what happened.
    pub struct HistoryLine {
        /// Number in the log.
        pub seq: i64,
        /// When.
        pub at: DateTime<Utc>,
        /// What: `hold`, `confirm`, `check_in`, ...
        pub verb: String,
        /// Who.
        pub by: String,
        /// Why, a word.
        pub reason: Option<String>,
    }

    /// Find a guest, a number, a room.
    pub struct FindRequest {
        /// Any part, any script, accents and case ignored.
        pub text: String,
        /// At most so many, 1 to 100.
        pub limit: i32,
    }

    /// What was found.
    pub struct FindAnswer {
        /// Stays, nearest to today first.
        pub stays: Vec<StayLine>,
        /// Why some of them are there.
        pub reasons: Vec<FindReason>,
        /// Guests' profiles.
        pub guests: Vec<GuestRow>,
    }

    /// What was found of a stay where its line does not show it.
    pub struct FindReason {
        /// The stay.
        pub reservation_id: ReservationId,
        /// A fellow guest's name, a company, a phone number, an address, as it is written down.
        pub text: String,
    }

    /// Ask what could be sold.
    pub struct QuoteRequest {
        /// Arrival.
        pub check_in: NaiveDate,
        /// Departure.
        pub check_out: NaiveDate,
        /// How many rooms.
        pub rooms: i32,
    }

    /// One night of a type in a quote.
    pub struct QuoteNight {
        /// Night.
        pub stay_date: NaiveDate,
        /// Left, by type and house together; never below 0.
        pub left: i64,
        /// Minor units.
        pub price: Option<i64>,
    }

    /// One type of a quote.
    pub struct QuoteType {
        /// Type.
        pub room_type: RoomTypeRow,
        /// Least left over the nights.
        pub left: i64,
        /// Limit on the night with least left.
        pub limit: i64,
        /// One room, all nights.
        pub total: Option<i64>,
        /// Night by night.
        pub nights: Vec<QuoteNight>,
        /// `min_stay`, `max_stay`, `closed_to_arrival`, `closed_to_departure`, `stop_sell`.
        pub restrictions: Vec<Restriction>,
    }

    /// A rule that forbids the stay.
    pub struct Restriction {
        /// Which rule.
        pub rule: String,
        /// Its number of nights, for minimum and maximum stay.
        pub nights: Option<i32>,
    }

    /// What could be sold, from the local copy; the server decides.
    pub struct QuoteAnswer {
        /// ISO 4217.
        pub currency: String,
        /// Types in order.
        pub types: Vec<QuoteType>,
    }

    /// Ask for rooms for a stay.
    pub struct SuggestRequest {
        /// Whose.
        pub reservation_id: ReservationId,
        /// At most so many, 1 to 50.
        pub limit: i32,
    }

    /// A word on why a room is suggested, or what speaks against it.
    pub struct SuggestReason {
        /// `clean`, `inspected`, `dirty`, `same_type`, `upgrade`, `no_gap`, `leaves_gap`, `floor`,
        /// `assigned`, `out_of_service`, `needs_move`, `occupied`.
        pub word: String,
        /// Whether it speaks for the room.
        pub good: bool,
        /// A number or name that belongs to it, such as the length of the gap or the type's code.
        pub value: Option<String>,
    }

    /// A room for a stay.
    pub struct Suggestion {
        /// Room.
        pub room: RoomRow,
        /// Its type's code.
        pub type_code: String,
        /// Why, strongest first.
        pub reasons: Vec<SuggestReason>,
        /// Whether it could be given this minute: free for all nights and clean.
        pub ready: bool,
    }

    /// Best first.
    pub struct SuggestAnswer {
        /// Rooms.
        pub rooms: Vec<Suggestion>,
    }

    /// Record a command, show it, send it.
    pub struct CommandSubmit {
        /// Made by the screen so that a second click is the same command (B16).
        pub id: CommandId,
        /// What.
        pub command: Command,
        /// How long to wait for the server's answer before saying `queued`, at most 30,000 ms; 0 for
        /// not at all.
        pub wait_ms: i32,
    }

    /// What became of it.
    #[serde(tag = "outcome", rename_all = "snake_case")]
    pub enum CommandOutcome {
        /// Done.
        Done {
            /// Number of its event.
            seq: i64,
            /// The server's answer, as it came.
            #[cfg_attr(feature = "ts", ts(type = "unknown"))]
            answer: serde_json::Value,
        },
        /// Recorded and shown; will be sent.
        Queued {},
        /// Refused; nothing changed.
        Refused {
            /// Why.
            problem: Problem,
        },
    }

    /// A command that waits, or that was refused and waits for a person.
    pub struct CommandLine {
        /// Id.
        pub id: CommandId,
        /// When it was made.
        pub made_at: DateTime<Utc>,
        /// What.
        pub command: Command,
        /// What it is about, for people: guest and room.
        pub about: String,
        /// Refused with this; absent while it waits.
        pub problem: Option<Problem>,
        /// How often it was sent.
        pub attempts: i32,
    }

    /// Queue and tasks.
    pub struct CommandList {
        /// Waiting, oldest first.
        pub unsent: Vec<CommandLine>,
        /// Refused, oldest first.
        pub tasks: Vec<CommandLine>,
    }

    /// Tick off a task.
    pub struct TaskDone {
        /// Which.
        pub id: CommandId,
    }

    /// What this desk knows of the house, for menus.
    pub struct Catalogue {
        /// The hotel.
        pub hotel: HotelRow,
        /// Types.
        pub types: Vec<RoomTypeRow>,
        /// Rooms.
        pub rooms: Vec<RoomRow>,
        /// Colleagues.
        pub staff: Vec<StaffRow>,
    }

    /// Wait until something changed.
    pub struct ChangesRequest {
        /// The last number seen; 0 at first.
        pub after: i64,
        /// At most so long, in ms, up to 25,000.
        pub wait_ms: i32,
    }

    /// What changed: tags of reads that must be asked again.
    pub struct Changes {
        /// Give this back as `after`.
        pub now: i64,
        /// What to ask again; all of them where the desk no longer knows.
        pub tags: Vec<Tag>,
        /// Who did it, for showing a colleague's name for a moment; empty for this desk's own acts.
        pub by: Vec<String>,
    }

    /// A refusal of the rpc itself.
    pub struct RpcError {
        /// The stable code.
        pub code: Code,
        /// The whole problem.
        pub problem: Problem,
    }
}

/// What a read depends on and a change invalidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// Sign-in.
    Session,
    /// The strip.
    Status,
    /// Hotel, types, rooms, staff.
    Catalogue,
    /// Counters.
    Positions,
    /// Reservations, room uses.
    Stays,
    /// Profiles.
    Guests,
    /// Prices.
    Rates,
    /// Queue and tasks.
    Commands,
}

/// Calls the macro given with every method: its name on the wire, its request, its answer, and the
/// tags that its answer depends on.
#[macro_export]
macro_rules! for_each_rpc_method {
    ($with:ident) => {
        $with! {
            "session.get" session_get(Empty) -> Session [Session],
            "session.sign_in" session_sign_in(SignInRequest) -> Session [],
            "session.sign_out" session_sign_out(Empty) -> Session [],
            "status.get" status_get(Empty) -> Status [Status, Positions, Catalogue, Commands],
            "catalogue.get" catalogue_get(Empty) -> Catalogue [Catalogue],
            "position.get" position_get(PositionRequest) -> PositionAnswer [Positions, Stays],
            "today.get" today_get(Empty) -> Today [Stays, Guests, Catalogue],
            "chart.get" chart_get(ChartRequest) -> Chart [Stays, Positions, Catalogue, Guests],
            "reservation.get" reservation_get(ReservationRequest) -> ReservationDetail [Stays, Guests, Catalogue],
            "find" find(FindRequest) -> FindAnswer [Stays, Guests],
            "quote.get" quote_get(QuoteRequest) -> QuoteAnswer [Positions, Rates, Catalogue],
            "room.suggest" room_suggest(SuggestRequest) -> SuggestAnswer [Stays, Catalogue],
            "command.submit" command_submit(CommandSubmit) -> CommandOutcome [],
            "command.list" command_list(Empty) -> CommandList [Commands],
            "task.done" task_done(TaskDone) -> CommandList [],
            "changes.wait" changes_wait(ChangesRequest) -> Changes []
        }
    };
}
