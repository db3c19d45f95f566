-- The desk's copy of one hotel (design sections 5 and 6).
--
-- What the screens read stands in these tables: the server's state at the cursor with the clerk's own
-- unanswered commands on top (N10). The server's own row of anything that is overlaid stands aside in
-- `overlaid`, so that the copy can be taken back to the pure state in the transaction in which
-- anything changes.
--
-- `gen` numbers the snapshot by which a row came, so that a new snapshot can be laid over the old
-- copy while the desk goes on reading; what the new one did not bring is removed at its end.
-- Keys between tables are checked at commit: a page of the log brings its rows in any order.

CREATE TABLE meta (
    key                 TEXT NOT NULL PRIMARY KEY,
    value               TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: the settings and the open day, as JSON; nothing is looked up by them.
CREATE TABLE hotel (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    row                 TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE room_type (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    code                TEXT NOT NULL,
    name                TEXT NOT NULL,
    max_occupancy       INTEGER NOT NULL,
    sort                INTEGER NOT NULL,
    active              INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE room (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    room_type_id        BLOB NOT NULL REFERENCES room_type (id) DEFERRABLE INITIALLY DEFERRED,
    number              TEXT NOT NULL,
    floor               TEXT NOT NULL,
    status              TEXT NOT NULL,
    features            TEXT NOT NULL,
    active              INTEGER NOT NULL,
    version             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rate (
    stay_date           TEXT NOT NULL,
    room_type_id        BLOB NOT NULL,
    rate_plan_id        BLOB NOT NULL,
    gen                 INTEGER NOT NULL,
    price               INTEGER NOT NULL,
    min_stay            INTEGER,
    max_stay            INTEGER,
    closed_to_arrival   INTEGER NOT NULL,
    closed_to_departure INTEGER NOT NULL,
    stop_sell           INTEGER NOT NULL,
    PRIMARY KEY (stay_date, room_type_id, rate_plan_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE night (
    stay_date           TEXT NOT NULL,
    room_type_id        BLOB NOT NULL,
    gen                 INTEGER NOT NULL,
    total               INTEGER NOT NULL,
    out_of_order        INTEGER NOT NULL,
    reserved            INTEGER NOT NULL,
    over_limit          INTEGER NOT NULL,
    overbook_pct        INTEGER NOT NULL,
    overbook_rooms      INTEGER NOT NULL,
    PRIMARY KEY (stay_date, room_type_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX night_over_limit ON night (stay_date) WHERE over_limit > 0;

CREATE TABLE guest (
    no                  INTEGER PRIMARY KEY,
    id                  BLOB NOT NULL UNIQUE,
    gen                 INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    name                TEXT NOT NULL,
    email               TEXT,
    phone               TEXT,
    company             TEXT,
    language            TEXT,
    country             TEXT,
    notes               TEXT NOT NULL,
    vip                 INTEGER NOT NULL,
    erased              INTEGER NOT NULL
) STRICT;

-- What a guest is found by, in the form in which texts are compared; the same text as in the index.
CREATE TABLE guest_text (
    no                  INTEGER PRIMARY KEY,
    text                TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE guest_fts USING fts5 (
    text, content = 'guest_text', content_rowid = 'no',
    tokenize = 'trigram remove_diacritics 1'
);

-- A forgotten guest's text leaves the index at once and not at the next merge (N13).
INSERT INTO guest_fts (guest_fts, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE guest_trigram USING fts5vocab (guest_fts, 'row');

-- `rooms` is how many reservations the party has: counted here once instead of on each line shown.
CREATE TABLE booking (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    number              TEXT NOT NULL,
    channel             TEXT NOT NULL,
    external_id         TEXT,
    created_at          TEXT NOT NULL,
    rooms               INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX booking_by_number ON booking (number);
CREATE INDEX booking_by_second_half ON booking (substr(number, 7));
CREATE INDEX booking_by_external ON booking (external_id) WHERE external_id IS NOT NULL;

-- `live`: held, confirmed or checked in. `nights` how many; `total` the price of all of them;
-- `night_type_id` the type in whose count every night stands, absent where they differ.
CREATE TABLE reservation (
    no                  INTEGER PRIMARY KEY,
    id                  BLOB NOT NULL UNIQUE,
    gen                 INTEGER NOT NULL,
    booking_id          BLOB NOT NULL REFERENCES booking (id) DEFERRABLE INITIALLY DEFERRED,
    state               TEXT NOT NULL,
    check_in            TEXT NOT NULL,
    check_out           TEXT NOT NULL,
    room_type_id        BLOB NOT NULL REFERENCES room_type (id) DEFERRABLE INITIALLY DEFERRED,
    adults              INTEGER NOT NULL,
    children            TEXT NOT NULL,
    guest_id            BLOB REFERENCES guest (id) DEFERRABLE INITIALLY DEFERRED,
    further_guest_ids   TEXT NOT NULL,
    guarantee           TEXT NOT NULL,
    release_at          TEXT,
    hold_expires_at     TEXT,
    rate_plan_id        BLOB,
    segment             TEXT NOT NULL,
    expected_time       TEXT,
    do_not_move         INTEGER NOT NULL,
    day_use             INTEGER NOT NULL,
    share_of            BLOB,
    checked_in_at       TEXT,
    checked_out_at      TEXT,
    notes               TEXT NOT NULL,
    version             INTEGER NOT NULL,
    created_at          TEXT NOT NULL,
    live                INTEGER NOT NULL,
    nights              INTEGER NOT NULL,
    total               INTEGER NOT NULL,
    night_type_id       BLOB
) STRICT;

CREATE INDEX reservation_by_booking ON reservation (booking_id);
CREATE INDEX reservation_by_guest ON reservation (guest_id) WHERE guest_id IS NOT NULL;
CREATE INDEX reservation_live ON reservation (check_in, check_out) WHERE live = 1;
CREATE INDEX reservation_live_long ON reservation (check_out) WHERE live = 1 AND nights > 31;
CREATE INDEX reservation_in_house ON reservation (check_out) WHERE state = 'checked_in';
CREATE INDEX reservation_held ON reservation (hold_expires_at) WHERE state = 'held';
CREATE INDEX reservation_departed ON reservation (check_out) WHERE state = 'checked_out';

CREATE TABLE reservation_night (
    reservation_no      INTEGER NOT NULL REFERENCES reservation (no) ON DELETE CASCADE,
    stay_date           TEXT NOT NULL,
    room_type_id        BLOB NOT NULL,
    charged_type_id     BLOB NOT NULL,
    price               INTEGER NOT NULL,
    counted             INTEGER NOT NULL,
    PRIMARY KEY (reservation_no, stay_date)
) STRICT, WITHOUT ROWID;

-- The others in a room, so that they too are found; the main guest stands in the reservation.
CREATE TABLE further_guest (
    guest_id            BLOB NOT NULL,
    reservation_no      INTEGER NOT NULL REFERENCES reservation (no) ON DELETE CASCADE,
    PRIMARY KEY (guest_id, reservation_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX further_guest_by_reservation ON further_guest (reservation_no);

CREATE TABLE room_use (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    room_id             BLOB NOT NULL REFERENCES room (id) DEFERRABLE INITIALLY DEFERRED,
    from_date           TEXT NOT NULL,
    until_date          TEXT NOT NULL,
    kind                TEXT NOT NULL,
    reservation_id      BLOB REFERENCES reservation (id) DEFERRABLE INITIALLY DEFERRED,
    reason              TEXT,
    nights              INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX room_use_by_reservation ON room_use (reservation_id) WHERE reservation_id IS NOT NULL;
CREATE INDEX room_use_by_room ON room_use (room_id, until_date);
CREATE INDEX room_use_by_date ON room_use (until_date, from_date, room_id, kind, reservation_id, reason);
CREATE INDEX room_use_long ON room_use (until_date) WHERE nights > 31;

CREATE TABLE staff (
    id                  BLOB NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    display_name        TEXT NOT NULL,
    role                TEXT NOT NULL,
    active              INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What this desk has seen happen to each reservation. No personal data.
CREATE TABLE history (
    reservation_id      BLOB NOT NULL,
    seq                 INTEGER NOT NULL,
    at                  TEXT NOT NULL,
    verb                TEXT NOT NULL,
    actor               BLOB NOT NULL,
    reason              TEXT,
    PRIMARY KEY (reservation_id, seq)
) STRICT, WITHOUT ROWID;

-- The clerk's commands, in the order in which they were made. `state`: waiting (not sent, or sent and
-- not answered and to be sent again with the same key), sent (on its way), answered, refused.
-- `done`: a refusal that a person has seen. `needs_server`: withdrawn when the server cannot be
-- reached. `parked_by`: refused only because the command that it depends on was.
CREATE TABLE command (
    no                  INTEGER PRIMARY KEY AUTOINCREMENT,
    id                  BLOB NOT NULL UNIQUE,
    body                TEXT NOT NULL,
    made_at             TEXT NOT NULL,
    business_date       TEXT NOT NULL,
    made_by             BLOB NOT NULL,
    needs_server        INTEGER NOT NULL,
    state               TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'answered', 'refused')),
    attempts            INTEGER NOT NULL DEFAULT 0,
    seq                 INTEGER,
    answer              TEXT,
    answered_at         TEXT,
    problem             TEXT,
    parked_by           BLOB,
    done                INTEGER NOT NULL DEFAULT 0,
    CHECK ((state = 'answered') = (seq IS NOT NULL)),
    CHECK ((state = 'refused') = (problem IS NOT NULL))
) STRICT;

CREATE INDEX command_unsent ON command (no) WHERE state IN ('waiting', 'sent');
CREATE INDEX command_by_seq ON command (seq) WHERE seq IS NOT NULL;
CREATE INDEX command_tasks ON command (no) WHERE state = 'refused' AND done = 0;

-- What a command touches, such as `reservation:<id>`: who touches the same waits for the earlier one.
CREATE TABLE command_touch (
    command_no          INTEGER NOT NULL REFERENCES command (no) ON DELETE CASCADE,
    subject             TEXT NOT NULL,
    PRIMARY KEY (command_no, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX command_touch_by_subject ON command_touch (subject);

-- The server's own row of everything that the clerk's commands overlay; `image` is absent where the
-- server has no such row.
CREATE TABLE overlaid (
    subject             TEXT NOT NULL PRIMARY KEY,
    gen                 INTEGER NOT NULL,
    image               TEXT
) STRICT, WITHOUT ROWID;
