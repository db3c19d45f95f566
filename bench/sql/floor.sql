-- The floor of hot-night and spread: what PostgreSQL can do when a function does the same work as a
-- hold (head, key, nights, guarded counters, booking, reservation, night, event, stored answer), and
-- nothing else is in the way: no HTTP, no JSON to read, nobody signed in.
CREATE FUNCTION bench_floor_hold_v1(p_nth integer) RETURNS text
LANGUAGE plpgsql VOLATILE SET lock_timeout = '2s' AS $$
DECLARE
    v_house         CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    v_hotel         uuid;
    v_type          uuid;
    v_plan          uuid;
    v_night         date;
    v_day           date;
    v_minutes       integer;
    v_seq           bigint;
    v_now           timestamptz;
    v_key           text := gen_random_uuid();
    v_event         uuid := gen_random_uuid();
    v_booking       uuid := gen_random_uuid();
    v_reservation   uuid := gen_random_uuid();
    v_number        text;
    v_price         bigint;
    v_full          integer;
    v_moved         integer;
    v_nights        text;
    v_night_rows    text;
    v_changes       text;
    v_answer        text;
BEGIN
    SELECT b.hotel_id, b.room_type_id, b.rate_plan_id, b.stay_date
    INTO v_hotel, v_type, v_plan, v_night
    FROM bench_floor_hotel b WHERE b.nth = p_nth;

    SELECT h.seq, h.business_date, s.hold_minutes INTO v_seq, v_day, v_minutes
    FROM hotel_head h JOIN hotel s ON s.hotel_id = h.hotel_id
    WHERE h.hotel_id = v_hotel FOR NO KEY UPDATE OF h;

    SELECT k.answer INTO v_answer FROM idempotency_key k
    WHERE k.hotel_id = v_hotel AND k.actor = v_house AND k.key = v_key;
    IF FOUND THEN
        RETURN v_answer;
    END IF;

    SELECT count(*) FILTER (WHERE x.reserved >= greatest(0,
            (x.total - x.out_of_order)::bigint * (100 + x.overbook_pct) / 100 + x.overbook_rooms)),
        string_agg(format('{"kind":"night","row":{"room_type_id":"%s","stay_date":"%s","total":%s,"out_of_order":%s,"reserved":%s,"over_limit":%s,"overbook_pct":%s,"overbook_rooms":%s}}',
            x.room_type_id, x.stay_date, x.total, x.out_of_order, x.reserved + 1, x.over_limit,
            x.overbook_pct, x.overbook_rooms), ',')
    INTO v_full, v_night_rows
    FROM (
        SELECT n.* FROM room_night n
        WHERE n.hotel_id = v_hotel AND n.room_type_id IN (v_house, v_type) AND n.stay_date = v_night
        ORDER BY n.room_type_id, n.stay_date FOR NO KEY UPDATE
    ) x;
    v_now := clock_timestamp();
    IF v_full > 0 THEN
        RAISE EXCEPTION 'the night is full';
    END IF;
    SELECT r.price INTO v_price FROM rate r
    WHERE r.hotel_id = v_hotel AND r.rate_plan_id = v_plan AND r.room_type_id = v_type
        AND r.stay_date = v_night;

    UPDATE room_night n SET reserved = n.reserved + 1
    WHERE n.hotel_id = v_hotel AND n.room_type_id IN (v_house, v_type) AND n.stay_date = v_night
        AND n.reserved < greatest(0,
            (n.total - n.out_of_order)::bigint * (100 + n.overbook_pct) / 100 + n.overbook_rooms);
    GET DIAGNOSTICS v_moved = ROW_COUNT;
    IF v_moved <> 2 THEN
        RAISE EXCEPTION '% counters moved', v_moved;
    END IF;

    v_number := upper(left(replace(v_booking::text, '-', ''), 10));
    INSERT INTO booking (hotel_id, booking_id, number, channel, created_at)
    VALUES (v_hotel, v_booking, v_number, 'desk', v_now);
    INSERT INTO reservation (hotel_id, reservation_id, booking_id, state, check_in, check_out,
        room_type_id, adults, hold_expires_at, held_at, rate_plan_id, segment, created_at)
    VALUES (v_hotel, v_reservation, v_booking, 'held', v_night, v_night + 1, v_type, 1,
        v_now + make_interval(mins => v_minutes), v_now, v_plan, 'transient', v_now);
    INSERT INTO reservation_night (hotel_id, reservation_id, stay_date, room_type_id,
        charged_type_id, price, counted)
    VALUES (v_hotel, v_reservation, v_night, v_type, v_type, v_price, true);

    v_nights := format('[{"stay_date":"%s","room_type_id":"%s","charged_type_id":"%s","price":%s,"counted":true}]',
        v_night, v_type, v_type, v_price);
    v_changes := format('[{"kind":"booking","row":{"id":"%s","number":"%s","channel":"desk","external_id":null,"created_at":"%s"}},'
            || '{"kind":"reservation","row":{"id":"%s","booking_id":"%s","state":"held","check_in":"%s","check_out":"%s","room_type_id":"%s","adults":1,"children":[],"guest_id":null,"further_guest_ids":[],"guarantee":"none","release_at":null,"hold_expires_at":"%s","rate_plan_id":"%s","segment":"transient","expected_time":null,"do_not_move":false,"day_use":false,"share_of":null,"checked_in_at":null,"checked_out_at":null,"notes":"","version":1,"created_at":"%s","nights":%s}},%s]',
        v_booking, v_number, v_now, v_reservation, v_booking, v_night, v_night + 1, v_type,
        v_now + make_interval(mins => v_minutes), v_plan, v_now, v_nights, v_night_rows);
    INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device, verb, changes)
    VALUES (v_hotel, v_now, v_seq + 1, v_event, v_day, v_house, NULL, 'hold', v_changes);
    v_answer := format('{"seq":%s,"booking_id":"%s","number":"%s","expires_at":"%s","rooms":[{"reservation_id":"%s","nights":%s}]}',
        v_seq + 1, v_booking, v_number, v_now + make_interval(mins => v_minutes), v_reservation, v_nights);
    INSERT INTO idempotency_key (hotel_id, actor, key, request_hash, status, answer, created_at)
    VALUES (v_hotel, v_house, v_key, '\x00', 201, v_answer, v_now);
    UPDATE hotel_head h SET seq = v_seq + 1, last_event_id = v_event WHERE h.hotel_id = v_hotel;
    RETURN v_answer;
END
$$;

-- As the booking path of the server has it, so that neither side is handicapped by a plan.
ALTER FUNCTION bench_floor_hold_v1(integer) SET plan_cache_mode = 'force_generic_plan';
ALTER FUNCTION bench_floor_hold_v1(integer) SET enable_seqscan = 'off';
