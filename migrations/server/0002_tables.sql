-- The tables of the authority. Rules that a catalogue test keeps (so that the same schema can be
-- distributed by hotel): hotel_id stands in every table and leads every key, hotel_id stands opposite
-- hotel_id in every foreign key, no triggers, no identity columns, no sequences.

CREATE TABLE hotel (
    hotel_id            uuid NOT NULL,
    name                text NOT NULL,
    slug                text NOT NULL,
    time_zone           text NOT NULL,
    currency            text NOT NULL,
    check_in_time       time NOT NULL,
    check_out_time      time NOT NULL,
    release_time        time NOT NULL,
    hold_minutes        integer NOT NULL,
    hold_minutes_max    integer NOT NULL,
    window_days         integer NOT NULL,
    created_at          timestamptz NOT NULL,
    CONSTRAINT hotel_pk PRIMARY KEY (hotel_id),
    CONSTRAINT hotel_hold_minutes CHECK (hold_minutes BETWEEN 1 AND hold_minutes_max),
    CONSTRAINT hotel_window CHECK (window_days BETWEEN 1 AND 2000)
);

-- The first lock of every writing transaction (FOR NO KEY UPDATE), held to commit: one writer at a
-- time per hotel, so numbers commit in their order and nothing can deadlock.
CREATE TABLE hotel_head (
    hotel_id            uuid NOT NULL,
    seq                 bigint NOT NULL,
    last_event_id       uuid,
    epoch               uuid NOT NULL,
    business_date       date NOT NULL,
    CONSTRAINT hotel_head_pk PRIMARY KEY (hotel_id),
    CONSTRAINT hotel_head_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id),
    CONSTRAINT hotel_head_seq CHECK (seq >= 0)
) WITH (fillfactor = 50);

CREATE TABLE staff (
    hotel_id            uuid NOT NULL,
    staff_id            uuid NOT NULL,
    login               text NOT NULL,
    display_name        text NOT NULL,
    password_hash       text NOT NULL,
    role                text NOT NULL,
    active              boolean NOT NULL DEFAULT true,
    created_at          timestamptz NOT NULL,
    CONSTRAINT staff_pk PRIMARY KEY (hotel_id, staff_id),
    CONSTRAINT staff_login UNIQUE (hotel_id, login),
    CONSTRAINT staff_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id),
    CONSTRAINT staff_role CHECK (role IN ('front_desk', 'housekeeping', 'revenue', 'manager', 'admin', 'channel'))
);

CREATE TABLE device (
    hotel_id            uuid NOT NULL,
    device_id           uuid NOT NULL,
    name                text NOT NULL,
    created_at          timestamptz NOT NULL,
    last_seen_at        timestamptz NOT NULL,
    last_seq            bigint NOT NULL DEFAULT 0,
    understands         integer NOT NULL DEFAULT 0,
    revoked_at          timestamptz,
    CONSTRAINT device_pk PRIMARY KEY (hotel_id, device_id),
    CONSTRAINT device_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id)
);

-- Tokens are opaque and stored hashed; the hotel is a part of the token, so that the look-up names it.
CREATE TABLE session (
    hotel_id            uuid NOT NULL,
    token_hash          bytea NOT NULL,
    staff_id            uuid NOT NULL,
    device_id           uuid,
    created_at          timestamptz NOT NULL,
    expires_at          timestamptz NOT NULL,
    revoked_at          timestamptz,
    CONSTRAINT session_pk PRIMARY KEY (hotel_id, token_hash),
    CONSTRAINT session_staff FOREIGN KEY (hotel_id, staff_id) REFERENCES staff (hotel_id, staff_id)
);

-- The house is a type of its own with the nil id, so that its nights are rows like any other.
CREATE TABLE room_type (
    hotel_id            uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    code                text NOT NULL,
    name                text NOT NULL,
    max_occupancy       integer NOT NULL,
    sort                integer NOT NULL,
    house               boolean NOT NULL DEFAULT false,
    active              boolean NOT NULL DEFAULT true,
    CONSTRAINT room_type_pk PRIMARY KEY (hotel_id, room_type_id),
    CONSTRAINT room_type_code UNIQUE (hotel_id, code),
    CONSTRAINT room_type_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id),
    CONSTRAINT room_type_occupancy CHECK (max_occupancy BETWEEN 1 AND 30),
    CONSTRAINT room_type_house CHECK (house = (room_type_id = '00000000-0000-0000-0000-000000000000'))
);

CREATE TABLE room (
    hotel_id            uuid NOT NULL,
    room_id             uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    number              text NOT NULL,
    floor               text NOT NULL,
    status              text NOT NULL,
    features            text[] NOT NULL DEFAULT '{}',
    active              boolean NOT NULL DEFAULT true,
    version             bigint NOT NULL DEFAULT 1,
    CONSTRAINT room_pk PRIMARY KEY (hotel_id, room_id),
    CONSTRAINT room_number UNIQUE (hotel_id, number),
    CONSTRAINT room_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT room_status CHECK (status IN ('clean', 'dirty', 'inspected'))
);

CREATE TABLE rate_plan (
    hotel_id            uuid NOT NULL,
    rate_plan_id        uuid NOT NULL,
    code                text NOT NULL,
    name                text NOT NULL,
    sort                integer NOT NULL,
    CONSTRAINT rate_plan_pk PRIMARY KEY (hotel_id, rate_plan_id),
    CONSTRAINT rate_plan_code UNIQUE (hotel_id, code),
    CONSTRAINT rate_plan_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id)
);

CREATE TABLE rate (
    hotel_id            uuid NOT NULL,
    rate_plan_id        uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    stay_date           date NOT NULL,
    price               bigint NOT NULL,
    min_stay            integer,
    max_stay            integer,
    closed_to_arrival   boolean NOT NULL DEFAULT false,
    closed_to_departure boolean NOT NULL DEFAULT false,
    stop_sell           boolean NOT NULL DEFAULT false,
    CONSTRAINT rate_pk PRIMARY KEY (hotel_id, rate_plan_id, room_type_id, stay_date),
    CONSTRAINT rate_plan FOREIGN KEY (hotel_id, rate_plan_id) REFERENCES rate_plan (hotel_id, rate_plan_id),
    CONSTRAINT rate_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT rate_price CHECK (price BETWEEN 0 AND 1000000000000),
    CONSTRAINT rate_stay CHECK (min_stay >= 1 AND max_stay >= 1)
);

-- The counter. The guarded UPDATE decides; the CHECK is the last line (N1): what stands above the
-- limit stands there knowingly, as over_limit.
CREATE TABLE room_night (
    hotel_id            uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    stay_date           date NOT NULL,
    total               integer NOT NULL,
    out_of_order        integer NOT NULL DEFAULT 0,
    reserved            integer NOT NULL DEFAULT 0,
    over_limit          integer NOT NULL DEFAULT 0,
    overbook_pct        integer NOT NULL DEFAULT 0,
    overbook_rooms      integer NOT NULL DEFAULT 0,
    CONSTRAINT room_night_pk PRIMARY KEY (hotel_id, room_type_id, stay_date),
    CONSTRAINT room_night_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT room_night_out_of_order CHECK (out_of_order BETWEEN 0 AND total),
    CONSTRAINT room_night_over_limit CHECK (over_limit BETWEEN 0 AND reserved),
    CONSTRAINT room_night_overbook CHECK (overbook_pct BETWEEN -100 AND 1000 AND overbook_rooms BETWEEN -10000 AND 10000),
    CONSTRAINT room_night_ceiling CHECK (
        reserved - over_limit <= greatest(0,
            (total - out_of_order)::bigint * (100 + overbook_pct) / 100 + overbook_rooms))
) WITH (fillfactor = 50);

CREATE TABLE guest (
    hotel_id            uuid NOT NULL,
    guest_id            uuid NOT NULL,
    version             bigint NOT NULL,
    name                text NOT NULL,
    email               text,
    phone               text,
    company             text,
    language            text,
    country             text,
    notes               text NOT NULL DEFAULT '',
    vip                 boolean NOT NULL DEFAULT false,
    erased_at           timestamptz,
    created_at          timestamptz NOT NULL,
    CONSTRAINT guest_pk PRIMARY KEY (hotel_id, guest_id),
    CONSTRAINT guest_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id)
);

CREATE TABLE booking (
    hotel_id            uuid NOT NULL,
    booking_id          uuid NOT NULL,
    number              text NOT NULL,
    channel             text NOT NULL,
    external_id         text,
    created_at          timestamptz NOT NULL,
    CONSTRAINT booking_pk PRIMARY KEY (hotel_id, booking_id),
    CONSTRAINT booking_number UNIQUE (hotel_id, number),
    CONSTRAINT booking_external UNIQUE (hotel_id, channel, external_id),
    CONSTRAINT booking_hotel FOREIGN KEY (hotel_id) REFERENCES hotel (hotel_id)
);

CREATE TABLE reservation (
    hotel_id            uuid NOT NULL,
    reservation_id      uuid NOT NULL,
    booking_id          uuid NOT NULL,
    state               text NOT NULL,
    check_in            date NOT NULL,
    check_out           date NOT NULL,
    room_type_id        uuid NOT NULL,
    adults              integer NOT NULL,
    children            integer[] NOT NULL DEFAULT '{}',
    guest_id            uuid,
    further_guest_ids   uuid[] NOT NULL DEFAULT '{}',
    guarantee           text NOT NULL DEFAULT 'none',
    release_at          timestamptz,
    hold_expires_at     timestamptz,
    held_at             timestamptz,
    rate_plan_id        uuid,
    segment             text NOT NULL DEFAULT 'transient',
    expected_time       time,
    do_not_move         boolean NOT NULL DEFAULT false,
    day_use             boolean NOT NULL DEFAULT false,
    share_of            uuid,
    checked_in_at       timestamptz,
    checked_out_at      timestamptz,
    notes               text NOT NULL DEFAULT '',
    version             bigint NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    CONSTRAINT reservation_pk PRIMARY KEY (hotel_id, reservation_id),
    CONSTRAINT reservation_booking FOREIGN KEY (hotel_id, booking_id) REFERENCES booking (hotel_id, booking_id),
    CONSTRAINT reservation_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT reservation_guest FOREIGN KEY (hotel_id, guest_id) REFERENCES guest (hotel_id, guest_id),
    CONSTRAINT reservation_share FOREIGN KEY (hotel_id, share_of) REFERENCES reservation (hotel_id, reservation_id),
    CONSTRAINT reservation_state CHECK (state IN ('held', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'expired', 'no_show', 'walked')),
    CONSTRAINT reservation_guarantee CHECK (guarantee IN ('none', 'card', 'deposit', 'prepaid', 'company', 'agent')),
    CONSTRAINT reservation_dates CHECK (check_out > check_in OR (day_use AND check_out = check_in)),
    CONSTRAINT reservation_people CHECK (adults BETWEEN 1 AND 20 AND cardinality(children) <= 10),
    CONSTRAINT reservation_hold CHECK (state <> 'held' OR hold_expires_at IS NOT NULL)
) WITH (fillfactor = 80);

CREATE INDEX reservation_by_booking ON reservation (hotel_id, booking_id);
CREATE INDEX reservation_by_arrival ON reservation (hotel_id, check_in, state);
CREATE INDEX reservation_by_departure ON reservation (hotel_id, check_out, state);
CREATE INDEX reservation_in_house ON reservation (hotel_id, reservation_id) WHERE state = 'checked_in';
CREATE INDEX reservation_due_holds ON reservation (hotel_id, hold_expires_at) WHERE state = 'held';
CREATE INDEX reservation_by_guest ON reservation (hotel_id, guest_id);

-- What N2 recounts: a counted row is one room in `reserved` of its type and night, and of the house.
CREATE TABLE reservation_night (
    hotel_id            uuid NOT NULL,
    reservation_id      uuid NOT NULL,
    stay_date           date NOT NULL,
    room_type_id        uuid NOT NULL,
    charged_type_id     uuid NOT NULL,
    price               bigint NOT NULL,
    counted             boolean NOT NULL,
    over_type           boolean NOT NULL DEFAULT false,
    over_house          boolean NOT NULL DEFAULT false,
    CONSTRAINT reservation_night_pk PRIMARY KEY (hotel_id, reservation_id, stay_date),
    CONSTRAINT reservation_night_reservation FOREIGN KEY (hotel_id, reservation_id) REFERENCES reservation (hotel_id, reservation_id),
    CONSTRAINT reservation_night_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT reservation_night_price CHECK (price BETWEEN 0 AND 1000000000000)
) WITH (fillfactor = 80);

CREATE INDEX reservation_night_by_night ON reservation_night (hotel_id, room_type_id, stay_date) WHERE counted;

-- One room, one stay (N11). Out of service is no obstacle and overlaps freely.
CREATE TABLE room_use (
    hotel_id            uuid NOT NULL,
    room_use_id         uuid NOT NULL,
    room_id             uuid NOT NULL,
    during              daterange NOT NULL,
    kind                text NOT NULL,
    reservation_id      uuid,
    reason              text,
    CONSTRAINT room_use_pk PRIMARY KEY (hotel_id, room_use_id),
    CONSTRAINT room_use_room FOREIGN KEY (hotel_id, room_id) REFERENCES room (hotel_id, room_id),
    CONSTRAINT room_use_reservation FOREIGN KEY (hotel_id, reservation_id) REFERENCES reservation (hotel_id, reservation_id),
    CONSTRAINT room_use_during CHECK (NOT isempty(during) AND NOT lower_inf(during) AND NOT upper_inf(during)),
    CONSTRAINT room_use_kind CHECK (kind IN ('stay', 'out_of_order', 'out_of_service')),
    CONSTRAINT room_use_stay CHECK ((kind = 'stay') = (reservation_id IS NOT NULL)),
    CONSTRAINT room_use_alone EXCLUDE USING gist (hotel_id WITH =, room_id WITH =, during WITH &&)
        WHERE (kind IN ('stay', 'out_of_order'))
);

CREATE INDEX room_use_by_reservation ON room_use (hotel_id, reservation_id) WHERE reservation_id IS NOT NULL;

-- One key, one effect (N5). Only final answers are stored; the row is written in the transaction of
-- its effect. request_hash covers method, path and body.
CREATE TABLE idempotency_key (
    hotel_id            uuid NOT NULL,
    actor               uuid NOT NULL,
    key                 text NOT NULL,
    request_hash        bytea NOT NULL,
    status              integer NOT NULL,
    answer              text NOT NULL,
    created_at          timestamptz NOT NULL,
    CONSTRAINT idempotency_key_pk PRIMARY KEY (hotel_id, actor, key)
);

CREATE INDEX idempotency_key_age ON idempotency_key (hotel_id, created_at);

-- The log (N9). changes is JSON kept as text: it is built once and handed out as it is. No personal
-- data and no free text stands in it (N13).
CREATE TABLE event (
    hotel_id            uuid NOT NULL,
    at                  timestamptz NOT NULL,
    seq                 bigint NOT NULL,
    event_id            uuid NOT NULL,
    business_date       date NOT NULL,
    actor               uuid NOT NULL,
    device              uuid,
    verb                text NOT NULL,
    reason              text,
    changes             text NOT NULL,
    CONSTRAINT event_pk PRIMARY KEY (hotel_id, seq, at)
) PARTITION BY RANGE (at);

-- Per night what happened to it, without personal data, kept for good.
CREATE TABLE night_history (
    hotel_id            uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    stay_date           date NOT NULL,
    seq                 bigint NOT NULL,
    at                  timestamptz NOT NULL,
    verb                text NOT NULL,
    actor               uuid NOT NULL,
    reserved            integer NOT NULL,
    sell_limit          bigint NOT NULL,
    reservation_id      uuid,
    CONSTRAINT night_history_pk PRIMARY KEY (hotel_id, room_type_id, stay_date, seq)
);

-- Money that moved, a ledger: rows are added, never changed.
CREATE TABLE payment (
    hotel_id            uuid NOT NULL,
    payment_id          uuid NOT NULL,
    reservation_id      uuid NOT NULL,
    kind                text NOT NULL,
    provider            text NOT NULL,
    provider_ref        text,
    amount              bigint NOT NULL,
    currency            text NOT NULL,
    refund_of           uuid,
    business_date       date NOT NULL,
    actor               uuid NOT NULL,
    created_at          timestamptz NOT NULL,
    CONSTRAINT payment_pk PRIMARY KEY (hotel_id, payment_id),
    CONSTRAINT payment_reservation FOREIGN KEY (hotel_id, reservation_id) REFERENCES reservation (hotel_id, reservation_id),
    CONSTRAINT payment_refund FOREIGN KEY (hotel_id, refund_of) REFERENCES payment (hotel_id, payment_id),
    CONSTRAINT payment_kind CHECK (kind IN ('authorised', 'captured', 'voided', 'refunded', 'failed', 'cash')),
    CONSTRAINT payment_amount CHECK (amount BETWEEN 0 AND 1000000000000)
);

CREATE INDEX payment_by_reservation ON payment (hotel_id, reservation_id);

-- The inbox of payment providers: every notice once, applied or not.
CREATE TABLE provider_event (
    hotel_id            uuid NOT NULL,
    provider            text NOT NULL,
    provider_event_id   text NOT NULL,
    received_at         timestamptz NOT NULL,
    body                text NOT NULL,
    applied_at          timestamptz,
    CONSTRAINT provider_event_pk PRIMARY KEY (hotel_id, provider, provider_event_id)
);

CREATE TABLE walk (
    hotel_id            uuid NOT NULL,
    walk_id             uuid NOT NULL,
    reservation_id      uuid NOT NULL,
    business_date       date NOT NULL,
    cause               text NOT NULL,
    record              jsonb NOT NULL,
    nights              jsonb NOT NULL,
    actor               uuid NOT NULL,
    created_at          timestamptz NOT NULL,
    undone_at           timestamptz,
    CONSTRAINT walk_pk PRIMARY KEY (hotel_id, walk_id),
    CONSTRAINT walk_reservation FOREIGN KEY (hotel_id, reservation_id) REFERENCES reservation (hotel_id, reservation_id),
    CONSTRAINT walk_cause CHECK (cause IN ('overbooking', 'out_of_order', 'overstay', 'channel', 'error'))
);

-- Rooms lent to one desk, counted in reserved (N2) for as long as they stand here.
CREATE TABLE offline_stock (
    hotel_id            uuid NOT NULL,
    device_id           uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    stay_date           date NOT NULL,
    rooms               integer NOT NULL,
    sell_until          timestamptz NOT NULL,
    CONSTRAINT offline_stock_pk PRIMARY KEY (hotel_id, device_id, room_type_id, stay_date),
    CONSTRAINT offline_stock_device FOREIGN KEY (hotel_id, device_id) REFERENCES device (hotel_id, device_id),
    CONSTRAINT offline_stock_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT offline_stock_rooms CHECK (rooms >= 0)
);

-- Written once when a day is closed, never changed.
CREATE TABLE daily_statistics (
    hotel_id            uuid NOT NULL,
    business_date       date NOT NULL,
    room_type_id        uuid NOT NULL,
    total               integer NOT NULL,
    out_of_order        integer NOT NULL,
    occupied            integer NOT NULL,
    arrivals            integer NOT NULL,
    departures          integer NOT NULL,
    no_shows            integer NOT NULL,
    room_revenue        bigint NOT NULL,
    closed_at           timestamptz NOT NULL,
    CONSTRAINT daily_statistics_pk PRIMARY KEY (hotel_id, business_date, room_type_id)
);

CREATE TABLE denial (
    hotel_id            uuid NOT NULL,
    denial_id           uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    stay_date           date NOT NULL,
    source              text NOT NULL,
    kind                text NOT NULL,
    at                  timestamptz NOT NULL,
    CONSTRAINT denial_pk PRIMARY KEY (hotel_id, denial_id),
    CONSTRAINT denial_kind CHECK (kind IN ('denial', 'regret'))
);

CREATE TABLE job (
    hotel_id            uuid NOT NULL,
    job_id              uuid NOT NULL,
    kind                text NOT NULL,
    subject             text NOT NULL,
    status              text NOT NULL,
    run_at              timestamptz NOT NULL,
    attempts            integer NOT NULL DEFAULT 0,
    locked_until        timestamptz,
    last_error          text,
    CONSTRAINT job_pk PRIMARY KEY (hotel_id, job_id),
    CONSTRAINT job_status CHECK (status IN ('waiting', 'running', 'done', 'dead'))
);

CREATE INDEX job_due ON job (hotel_id, run_at) WHERE status = 'waiting';
