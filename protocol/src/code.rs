//! The stable codes of refusals, and the problem document that carries them (RFC 9457).

use chrono::NaiveDate;

use crate::id::RoomTypeId;

/// A word that is in no list of this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown word `{0}`")]
pub struct UnknownWord(pub String);

crate::words! {
    /// What went wrong, in a word that never changes. Screens choose their text by it.
    pub enum Code {
        /// The body is not JSON, or not of the form asked for.
        BadRequest = "bad_request",
        /// One or more fields are wrong; `fields` names them.
        Invalid = "invalid",
        /// `Idempotency-Key` is missing or longer than 128 characters.
        BadKey = "bad_key",
        /// The key was used before with another method, path or body.
        KeyReused = "key_reused",
        /// More than 256 KiB.
        TooLarge = "too_large",
        /// No token, or one that is unknown, expired or revoked.
        Unauthenticated = "unauthenticated",
        /// Name or password is wrong.
        BadCredentials = "bad_credentials",
        /// Several hotels know this name; say which.
        HotelNeeded = "hotel_needed",
        /// The role may not do this.
        Forbidden = "forbidden",
        /// No such thing in this hotel; also everything of another hotel (N12).
        NotFound = "not_found",
        /// The method is not known here.
        MethodNotAllowed = "method_not_allowed",
        /// Every room of a night is sold; `nights` names them (N4).
        SoldOut = "sold_out",
        /// A night lies outside what the hotel has opened; `nights` names them.
        NotOpen = "not_open",
        /// No price is set for a night; `nights` names them.
        NoRate = "no_rate",
        /// A rule of the rate forbids the stay (minimum stay, closed to arrival, ...).
        Restricted = "restricted",
        /// The hold has run out (N7).
        HoldExpired = "hold_expired",
        /// The reservation is not in a state that allows this (N6); `state` says in which it is.
        WrongState = "wrong_state",
        /// Somebody changed it since it was read; read again.
        StaleVersion = "stale_version",
        /// The id is taken by something else.
        AlreadyExists = "already_exists",
        /// The room is used by someone else in that period (N11); `blocker` says by whom.
        RoomTaken = "room_taken",
        /// The room is of another type than the reservation's night.
        WrongType = "wrong_type",
        /// The room is not clean.
        RoomNotReady = "room_not_ready",
        /// The guest does not arrive, or not leave, today; `facts` says when.
        NotDue = "not_due",
        /// Lowering the limit would leave nights above it, and `refuse` was asked.
        AboveLimit = "above_limit",
        /// The business date is not the one named: the day was already rolled.
        WrongBusinessDate = "wrong_business_date",
        /// Arrivals or departures of the day are still open; `facts` names them.
        DayOpen = "day_open",
        /// The log no longer reaches back so far: load a snapshot.
        Resync = "resync",
        /// The server's past is not the one the desk knows (restored, failed over).
        EpochChanged = "epoch_changed",
        /// The desk is too old for this server.
        UpdateNeeded = "update_needed",
        /// Not decided, nothing happened: try again (N4).
        Busy = "busy",
        /// Too many requests; `Retry-After` says when to come back.
        TooManyRequests = "too_many_requests",
        /// A bug of the server's.
        Internal = "internal",
        /// Only at a desk: this needs the server, and it cannot be reached.
        Offline = "offline",
    }
}

impl Code {
    /// The HTTP status: 4xx means that the caller must act, 503 try again, 500 our bug.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest | Self::BadKey => 400,
            Self::Unauthenticated | Self::BadCredentials => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::TooLarge => 413,
            Self::Invalid | Self::KeyReused | Self::HotelNeeded => 422,
            Self::SoldOut
            | Self::NotOpen
            | Self::NoRate
            | Self::Restricted
            | Self::HoldExpired
            | Self::WrongState
            | Self::StaleVersion
            | Self::AlreadyExists
            | Self::RoomTaken
            | Self::WrongType
            | Self::RoomNotReady
            | Self::NotDue
            | Self::AboveLimit
            | Self::WrongBusinessDate
            | Self::DayOpen
            | Self::EpochChanged
            | Self::UpdateNeeded => 409,
            Self::Resync => 410,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
            Self::Busy | Self::Offline => 503,
        }
    }

    /// A title for people who read the answer itself; screens have their own texts.
    pub const fn title(self) -> &'static str {
        match self {
            Self::BadRequest => "The request could not be read",
            Self::Invalid => "Some fields are wrong",
            Self::BadKey => "Idempotency-Key is missing or too long",
            Self::KeyReused => "This key belongs to another request",
            Self::TooLarge => "The request is larger than 256 KiB",
            Self::Unauthenticated => "Sign in first",
            Self::BadCredentials => "Name or password is wrong",
            Self::HotelNeeded => "Say which hotel: name@hotel",
            Self::Forbidden => "Your role may not do this",
            Self::NotFound => "There is no such thing in this hotel",
            Self::MethodNotAllowed => "This method is not known here",
            Self::SoldOut => "Sold out",
            Self::NotOpen => "Nights outside what the hotel has opened",
            Self::NoRate => "No price is set for some nights",
            Self::Restricted => "The rate does not allow this stay",
            Self::HoldExpired => "The hold has run out",
            Self::WrongState => "The reservation is not in a state that allows this",
            Self::StaleVersion => "Somebody changed it in the meantime",
            Self::AlreadyExists => "This id is taken",
            Self::RoomTaken => "The room is taken",
            Self::WrongType => "The room is of another type",
            Self::RoomNotReady => "The room is not ready",
            Self::NotDue => "The guest is not due today",
            Self::AboveLimit => "Nights would be above the limit",
            Self::WrongBusinessDate => "The business date is another one",
            Self::DayOpen => "The day still has open arrivals or departures",
            Self::Resync => "The log no longer reaches back so far",
            Self::EpochChanged => "The server's past has changed",
            Self::UpdateNeeded => "The program must be updated",
            Self::Busy => "Busy: nothing happened, try again",
            Self::TooManyRequests => "Too many requests",
            Self::Internal => "A fault of the server's",
            Self::Offline => "The server cannot be reached",
        }
    }
}

crate::wire! {
    /// One wrong field.
    pub struct FieldProblem {
        /// A JSON pointer into the request, such as `/rooms/1/adults`.
        pub pointer: String,
        /// What is wrong, in English.
        pub detail: String,
    }
}

crate::wire! {
    /// One night of one type that stood in the way.
    pub struct NightProblem {
        /// The type, or the house when its limit binds.
        pub room_type_id: RoomTypeId,
        /// The night.
        pub stay_date: NaiveDate,
    }
}

crate::wire! {
    /// RFC 9457. Never carries a guest's name: answers are stored (N13).
    pub struct Problem {
        /// `urn:nightdesk:problem:<code>`.
        #[serde(rename = "type")]
        pub kind: String,
        /// A short sentence.
        pub title: String,
        /// The HTTP status.
        pub status: u16,
        /// The stable code.
        pub code: Code,
        /// What happened here in particular.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub detail: Option<String>,
        /// The fields at fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub fields: Vec<FieldProblem>,
        /// The nights at fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub nights: Vec<NightProblem>,
        /// Further facts by name, such as `state` or `blocker`: ids and words only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown> | null", optional))]
        pub facts: Option<serde_json::Value>,
    }
}

impl Problem {
    /// A problem with nothing but its code.
    pub fn new(code: Code) -> Self {
        Self {
            kind: format!("urn:nightdesk:problem:{code}"),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail: None,
            fields: Vec::new(),
            nights: Vec::new(),
            facts: None,
        }
    }

    /// With a sentence on what happened here.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// With one more field at fault.
    #[must_use]
    pub fn field(mut self, pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        self.fields.push(FieldProblem {
            pointer: pointer.into(),
            detail: detail.into(),
        });
        self
    }

    /// With the nights at fault.
    #[must_use]
    pub fn nights(mut self, nights: Vec<NightProblem>) -> Self {
        self.nights = nights;
        self
    }

    /// With further facts.
    #[must_use]
    pub fn facts(mut self, facts: serde_json::Value) -> Self {
        self.facts = Some(facts);
        self
    }
}
