-- Decides a group of holds of one hotel in one transaction, in the order given, each with its own
-- key, answer and event (design section 4). Called alone, outside BEGIN: one round trip.
--
-- The caller has laid everything out flat, with positions from 1 where one thing names another:
--   h_  holds            h_first_room..h_last_room are its rooms, h_first_touch..h_last_touch its counters
--   r_  rooms            r_first_item..r_last_item are its nights (none for day use), r_arrival and
--                        r_departure the rates of these days
--   i_  a room's nights  i_rate its price
--   t_  a hold's counters, each once: how many rooms it wants there (none: it must only be open)
--   n_  counters         each once, sorted by type and date, with what all holds together want; the
--                        house is the nil type
--   q_  rates            each once; a NULL plan is the hotel's first
--   u_  every actor, type, plan and guest named, each once, to see with one look that all exist
-- No two holds of a group share a key, an id or a number.
--
-- Texts come as templates for format(), made from the same types that the rest of the program reads
-- and writes, so that an image or answer is put together once and is exactly what those would say:
--   p_night (type, date, total, out_of_order, reserved, over_limit, pct, rooms) · p_item (date, type,
--   charged type, price) · p_problem (type, date) · h_image (created) · h_answer (seq, expires, rooms) ·
--   r_image (expires, plan, created, nights) · r_answer (nights)
-- p_refusals are problem documents without their closing brace, in the order of v_code_*.
--
-- Ids, numbers and outside ids that are taken are noticed when they are written: a unique violation,
-- upon which the caller asks again with p_careful, and each is looked for first. Ordinary holds are
-- spared those looks.
--
-- Nights are not locked one by one: whoever writes them has the head's lock first.
--
-- Answers a row per hold, in order. A refusal is an answer: stored with its key, without an event.
--
-- Since v1: who made a booking is written down with it, and of the arrays that belong together only one
-- is unnested; the others are read by its position, which spares a row store for each.
CREATE FUNCTION hold_group_v2(
    p_hotel uuid, p_careful boolean, p_refusals text[], p_refusal_status integer[],
    p_night text, p_item text, p_problem text,
    h_actor uuid[], h_device uuid[], h_key text[], h_hash bytea[], h_event uuid[],
    h_booking uuid[], h_number text[], h_channel text[], h_external text[], h_minutes integer[],
    h_first_room integer[], h_last_room integer[], h_first_touch integer[], h_last_touch integer[],
    h_image text[], h_answer text[],
    r_reservation uuid[], r_hold integer[], r_type uuid[], r_plan uuid[], r_in date[], r_out date[],
    r_adults integer[], r_children text[], r_guest uuid[], r_price bigint[], r_segment text[],
    r_day_use boolean[], r_first_item integer[], r_last_item integer[], r_arrival integer[],
    r_departure integer[], r_image text[], r_answer text[],
    i_room integer[], i_date date[], i_rate integer[],
    t_counter integer[], t_rooms integer[],
    n_type uuid[], n_date date[], n_rooms integer[],
    q_plan uuid[], q_type uuid[], q_date date[],
    u_actor uuid[], u_type uuid[], u_plan uuid[], u_guest uuid[]
) RETURNS TABLE (status integer, answer text)
LANGUAGE plpgsql VOLATILE SET lock_timeout = '2s' AS $$
#variable_conflict use_variable
DECLARE
    v_code_key_reused   CONSTANT integer := 1;
    v_code_exists       CONSTANT integer := 2;
    v_code_invalid      CONSTANT integer := 3;
    v_code_not_open     CONSTANT integer := 4;
    v_code_no_rate      CONSTANT integer := 5;
    v_code_restricted   CONSTANT integer := 6;
    v_code_sold_out     CONSTANT integer := 7;
    v_house     CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    v_holds     CONSTANT integer := cardinality(h_actor);
    v_nights    CONSTANT integer := cardinality(n_type);
    -- the hotel
    v_seq       bigint;
    v_first_seq bigint;
    v_last_event uuid;
    v_day       date;
    v_minutes   integer;
    v_minutes_max integer;
    v_plan      uuid;
    v_now       timestamptz;
    v_now_text  text;
    -- what the first look found
    v_stored    boolean;
    v_suspect   boolean;
    -- counters, by position; a NULL in v_reserved is a night that is not open
    v_sure      boolean := false;
    v_stale     boolean := true;
    v_reserved  integer[];
    v_limit     bigint[];
    v_text      text[];
    v_delta     integer[];
    v_moved     integer := 0;
    v_moved_type uuid[];
    v_moved_date date[];
    v_moved_rooms integer[];
    -- rates, by position
    v_rate      bigint[];
    v_unpriced_some boolean;
    v_rules_set boolean;
    v_min_stay  integer[];
    v_max_stay  integer[];
    v_no_arrival boolean[];
    v_no_departure boolean[];
    v_stop      boolean[];
    -- results, by position; NULL where a hold was refused
    v_status    integer[] := array_fill(NULL::integer, ARRAY[v_holds]);
    v_answer    text[] := array_fill(NULL::text, ARRAY[v_holds]);
    v_fresh     boolean[];
    v_seqs      bigint[] := array_fill(NULL::bigint, ARRAY[v_holds]);
    v_changes   text[] := array_fill(NULL::text, ARRAY[v_holds]);
    v_expires   timestamptz[] := array_fill(NULL::timestamptz, ARRAY[v_holds]);
    v_price     bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(i_room)]);
    -- one hold
    v_released  boolean := false;
    v_fields    text;
    v_missing   text;
    v_full      text;
    v_unpriced  text;
    v_rules     text;
    v_expires_at timestamptz;
    v_expires_text text;
    v_images    text;
    v_rooms     text;
    v_night_texts text;
    v_amount    bigint;
    v_count     bigint;
    v_found_row record;
    i integer; j integer; k integer; m integer; c integer; t integer;
BEGIN
    SELECT h.seq, h.last_event_id, h.business_date, s.hold_minutes, s.hold_minutes_max
    INTO v_seq, v_last_event, v_day, v_minutes, v_minutes_max
    FROM hotel_head h JOIN hotel s ON s.hotel_id = h.hotel_id
    WHERE h.hotel_id = p_hotel
    FOR NO KEY UPDATE OF h;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'hold_group: no such hotel' USING ERRCODE = 'P0002';
    END IF;
    v_first_seq := v_seq;

    -- One look, in a statement that began after the lock, tells whether anything needs a closer one.
    SELECT
        EXISTS (SELECT FROM idempotency_key s
            WHERE s.hotel_id = p_hotel AND s.actor = ANY (u_actor) AND s.key = ANY (h_key)),
        p_careful OR cardinality(u_type) <> (SELECT count(*) FROM room_type t
            WHERE t.hotel_id = p_hotel AND t.room_type_id = ANY (u_type) AND t.active AND NOT t.house)
    INTO v_stored, v_suspect;
    IF cardinality(u_plan) > 0 AND NOT v_suspect THEN
        v_suspect := cardinality(u_plan) <> (SELECT count(*) FROM rate_plan p
            WHERE p.hotel_id = p_hotel AND p.rate_plan_id = ANY (u_plan));
    END IF;
    IF cardinality(u_guest) > 0 AND NOT v_suspect THEN
        v_suspect := cardinality(u_guest) <> (SELECT count(*) FROM guest g
            WHERE g.hotel_id = p_hotel AND g.guest_id = ANY (u_guest) AND g.erased_at IS NULL);
    END IF;
    IF array_position(r_plan, NULL) IS NOT NULL THEN
        SELECT p.rate_plan_id INTO v_plan FROM rate_plan p WHERE p.hotel_id = p_hotel
        ORDER BY p.sort, p.code LIMIT 1;
    END IF;

    IF v_stored THEN
        v_fresh := array_fill(true, ARRAY[v_holds]);
        FOR v_found_row IN
            SELECT w.ord, s.request_hash, s.status, s.answer
            FROM unnest(h_actor, h_key) WITH ORDINALITY AS w(actor, key, ord)
            JOIN idempotency_key s ON s.hotel_id = p_hotel AND s.actor = w.actor AND s.key = w.key
        LOOP
            v_fresh[v_found_row.ord] := false;
            IF v_found_row.request_hash = h_hash[v_found_row.ord] THEN
                v_status[v_found_row.ord] := v_found_row.status;
                v_answer[v_found_row.ord] := v_found_row.answer;
            ELSE
                v_status[v_found_row.ord] := p_refusal_status[v_code_key_reused];
                v_answer[v_found_row.ord] := p_refusals[v_code_key_reused] || '}';
            END IF;
        END LOOP;
    END IF;
    v_now := clock_timestamp();
    v_now_text := instant_text_v1(v_now);

    SELECT array_agg(x.price), bool_or(x.price IS NULL), bool_or(x.rules)
    INTO v_rate, v_unpriced_some, v_rules_set
    FROM (
        SELECT r.price, r.min_stay > 1 OR r.max_stay IS NOT NULL OR r.closed_to_arrival
            OR r.closed_to_departure OR r.stop_sell AS rules
        FROM unnest(q_date) WITH ORDINALITY AS w(stay_date, ord)
        LEFT JOIN rate r
            ON r.hotel_id = p_hotel AND r.rate_plan_id = coalesce(q_plan[w.ord], v_plan)
            AND r.room_type_id = q_type[w.ord] AND r.stay_date = w.stay_date
        ORDER BY w.ord
    ) x;
    IF v_rules_set THEN
        SELECT array_agg(x.min_stay), array_agg(x.max_stay), array_agg(x.closed_to_arrival),
            array_agg(x.closed_to_departure), array_agg(x.stop_sell)
        INTO v_min_stay, v_max_stay, v_no_arrival, v_no_departure, v_stop
        FROM (
            SELECT r.min_stay, r.max_stay, r.closed_to_arrival, r.closed_to_departure, r.stop_sell
            FROM unnest(q_plan, q_type, q_date) WITH ORDINALITY
                AS w(rate_plan_id, room_type_id, stay_date, ord)
            LEFT JOIN rate r
                ON r.hotel_id = p_hotel AND r.rate_plan_id = coalesce(w.rate_plan_id, v_plan)
                AND r.room_type_id = w.room_type_id AND r.stay_date = w.stay_date
            ORDER BY w.ord
        ) x;
    END IF;

    -- Mostly everything asked for is there: then one guarded update (N1) decides for the whole group.
    IF NOT (v_stored OR v_suspect OR coalesce(v_rules_set, false)
        OR (v_unpriced_some AND array_position(r_price, NULL) IS NOT NULL))
    THEN
        WITH moved AS (
            UPDATE room_night n SET reserved = n.reserved + w.rooms
            FROM unnest(n_rooms) WITH ORDINALITY AS w(rooms, ord)
            WHERE n.hotel_id = p_hotel AND n.room_type_id = n_type[w.ord]
                AND n.stay_date = n_date[w.ord] AND n.stay_date >= v_day
                AND n.reserved + w.rooms <= sell_limit_v1(
                    n.total, n.out_of_order, n.overbook_pct, n.overbook_rooms)
            RETURNING n.room_type_id, n.stay_date, w.rooms, n.reserved - w.rooms AS reserved,
                format(p_night, n.room_type_id, n.stay_date, n.total, n.out_of_order, '%s',
                    n.over_limit, n.overbook_pct, n.overbook_rooms) AS text
        )
        SELECT array_agg(x.room_type_id), array_agg(x.stay_date), array_agg(x.rooms),
            array_agg(x.reserved), array_agg(x.text), count(*)
        INTO v_moved_type, v_moved_date, v_moved_rooms, v_reserved, v_text, v_count
        FROM (SELECT * FROM moved ORDER BY room_type_id, stay_date) x;
        v_sure := v_count = v_nights;
        IF NOT v_sure AND v_count > 0 THEN
            -- Somebody will be refused: back, and each hold by itself.
            UPDATE room_night n SET reserved = n.reserved - w.rooms
            FROM unnest(v_moved_type, v_moved_date, v_moved_rooms) AS w(room_type_id, stay_date, rooms)
            WHERE n.hotel_id = p_hotel AND n.room_type_id = w.room_type_id AND n.stay_date = w.stay_date;
        END IF;
    END IF;
    IF NOT v_sure THEN
        v_delta := array_fill(0, ARRAY[v_nights]);
    END IF;

    FOR i IN 1 .. v_holds LOOP
        CONTINUE WHEN v_status[i] IS NOT NULL;

        IF v_suspect THEN
            SELECT string_agg(format('{"pointer":"%s","detail":"is taken"}', x.pointer), ',' ORDER BY x.ord)
            INTO v_fields
            FROM (
                SELECT 0 AS ord, '/booking_id' AS pointer
                WHERE EXISTS (SELECT FROM booking b WHERE b.hotel_id = p_hotel
                    AND (b.booking_id = h_booking[i] OR b.number = h_number[i]))
                UNION ALL
                SELECT 1, '/external_id'
                WHERE EXISTS (SELECT FROM booking b WHERE b.hotel_id = p_hotel
                    AND b.channel = h_channel[i] AND b.external_id = h_external[i])
                UNION ALL
                SELECT 2 + g.j, format('/rooms/%s/reservation_id', g.j - h_first_room[i])
                FROM generate_series(h_first_room[i], h_last_room[i]) AS g(j)
                JOIN reservation r ON r.hotel_id = p_hotel AND r.reservation_id = r_reservation[g.j]
            ) x;
            IF v_fields IS NOT NULL THEN
                v_status[i] := p_refusal_status[v_code_exists];
                v_answer[i] := p_refusals[v_code_exists] || ',"fields":[' || v_fields || ']}';
                CONTINUE;
            END IF;
            SELECT string_agg(format('{"pointer":"/rooms/%s/%s","detail":"is not known in this hotel"}',
                x.j - h_first_room[i], x.field), ',' ORDER BY x.j, x.field)
            INTO v_fields
            FROM (
                SELECT g.j, f.field
                FROM generate_series(h_first_room[i], h_last_room[i]) AS g(j)
                CROSS JOIN (VALUES ('guest_id'), ('rate_plan_id'), ('room_type_id')) AS f(field)
                WHERE CASE f.field
                    WHEN 'room_type_id' THEN NOT EXISTS (SELECT FROM room_type t
                        WHERE t.hotel_id = p_hotel AND t.room_type_id = r_type[g.j]
                        AND t.active AND NOT t.house)
                    WHEN 'rate_plan_id' THEN r_plan[g.j] IS NOT NULL AND NOT EXISTS (
                        SELECT FROM rate_plan p
                        WHERE p.hotel_id = p_hotel AND p.rate_plan_id = r_plan[g.j])
                    ELSE r_guest[g.j] IS NOT NULL AND NOT EXISTS (SELECT FROM guest t
                        WHERE t.hotel_id = p_hotel AND t.guest_id = r_guest[g.j] AND t.erased_at IS NULL)
                    END
            ) x;
            IF v_fields IS NOT NULL THEN
                v_status[i] := p_refusal_status[v_code_invalid];
                v_answer[i] := p_refusals[v_code_invalid] || ',"fields":[' || v_fields || ']}';
                CONTINUE;
            END IF;
        END IF;

        -- At most twice: once more after what had run out was released.
        WHILE NOT v_sure LOOP
            IF v_stale THEN
                SELECT array_agg(x.reserved), array_agg(x.sell_limit), array_agg(x.text)
                INTO v_reserved, v_limit, v_text
                FROM (
                    SELECT CASE WHEN n.stay_date >= v_day THEN n.reserved END AS reserved,
                        sell_limit_v1(n.total, n.out_of_order, n.overbook_pct, n.overbook_rooms)
                            AS sell_limit,
                        format(p_night, n.room_type_id, n.stay_date, n.total, n.out_of_order, '%s',
                            n.over_limit, n.overbook_pct, n.overbook_rooms) AS text
                    FROM unnest(n_type, n_date) WITH ORDINALITY AS w(room_type_id, stay_date, ord)
                    LEFT JOIN room_night n ON n.hotel_id = p_hotel
                        AND n.room_type_id = w.room_type_id AND n.stay_date = w.stay_date
                    ORDER BY w.ord
                ) x;
                v_stale := false;
            END IF;

            v_missing := NULL;
            v_full := NULL;
            v_unpriced := NULL;
            v_rules := NULL;
            FOR t IN h_first_touch[i] .. h_last_touch[i] LOOP
                k := t_counter[t];
                IF v_reserved[k] IS NULL THEN
                    v_missing := concat_ws(',', v_missing, format(p_problem, n_type[k], n_date[k]));
                ELSIF t_rooms[t] > 0 AND v_reserved[k] + t_rooms[t] > v_limit[k] THEN
                    v_full := concat_ws(',', v_full, format(p_problem, n_type[k], n_date[k]));
                END IF;
            END LOOP;
            FOR j IN h_first_room[i] .. h_last_room[i] LOOP
                IF v_unpriced_some AND r_price[j] IS NULL THEN
                    FOR m IN r_first_item[j] .. r_last_item[j] LOOP
                        v_night_texts := format(p_problem, r_type[j], i_date[m]);
                        IF v_rate[i_rate[m]] IS NULL
                            AND (v_unpriced IS NULL OR position(v_night_texts IN v_unpriced) = 0)
                        THEN
                            v_unpriced := concat_ws(',', v_unpriced, v_night_texts);
                        END IF;
                    END LOOP;
                END IF;
                IF v_rules_set THEN
                    k := r_arrival[j];
                    c := r_out[j] - r_in[j];
                    IF c < v_min_stay[k] AND c > 0 THEN
                        v_rules := concat_ws(',', v_rules, format('{"nights":%s,"room":%s,"rule":"min_stay"}',
                            v_min_stay[k], j - h_first_room[i]));
                    END IF;
                    IF c > v_max_stay[k] THEN
                        v_rules := concat_ws(',', v_rules, format('{"nights":%s,"room":%s,"rule":"max_stay"}',
                            v_max_stay[k], j - h_first_room[i]));
                    END IF;
                    IF v_no_arrival[k] THEN
                        v_rules := concat_ws(',', v_rules, format(
                            '{"date":"%s","room":%s,"rule":"closed_to_arrival"}',
                            r_in[j], j - h_first_room[i]));
                    END IF;
                    IF v_no_departure[r_departure[j]] THEN
                        v_rules := concat_ws(',', v_rules, format(
                            '{"date":"%s","room":%s,"rule":"closed_to_departure"}',
                            r_out[j], j - h_first_room[i]));
                    END IF;
                    IF r_day_use[j] AND v_stop[k] THEN
                        v_rules := concat_ws(',', v_rules, format(
                            '{"date":"%s","room":%s,"rule":"stop_sell"}', r_in[j], j - h_first_room[i]));
                    END IF;
                    FOR m IN r_first_item[j] .. r_last_item[j] LOOP
                        IF v_stop[i_rate[m]] THEN
                            v_rules := concat_ws(',', v_rules, format(
                                '{"date":"%s","room":%s,"rule":"stop_sell"}',
                                i_date[m], j - h_first_room[i]));
                        END IF;
                    END LOOP;
                END IF;
            END LOOP;
            EXIT WHEN v_missing IS NULL AND v_full IS NULL AND v_unpriced IS NULL AND v_rules IS NULL;

            -- A hold that has run out never blocks a sale (N7). Once per group: v_now stands still.
            IF v_full IS NOT NULL AND v_missing IS NULL AND v_unpriced IS NULL AND v_rules IS NULL
                AND NOT v_released
            THEN
                v_released := true;
                IF EXISTS (SELECT FROM reservation r WHERE r.hotel_id = p_hotel AND r.state = 'held'
                    AND r.hold_expires_at <= v_now)
                THEN
                    -- The event of the release shows the counters as the holds before it left them.
                    IF v_moved > 0 THEN
                        UPDATE room_night n SET reserved = n.reserved + w.delta
                        FROM unnest(n_type, n_date, v_delta) AS w(room_type_id, stay_date, delta)
                        WHERE w.delta > 0 AND n.hotel_id = p_hotel
                            AND n.room_type_id = w.room_type_id AND n.stay_date = w.stay_date
                            AND n.reserved + w.delta <= sell_limit_v1(
                                n.total, n.out_of_order, n.overbook_pct, n.overbook_rooms);
                        GET DIAGNOSTICS v_count = ROW_COUNT;
                        IF v_count <> v_moved THEN
                            RAISE EXCEPTION 'hold_group: % of % counters moved', v_count, v_moved
                                USING ERRCODE = 'XX000';
                        END IF;
                        v_delta := array_fill(0, ARRAY[v_nights]);
                        v_moved := 0;
                    END IF;
                    LOOP
                        v_images := release_expired_v1(p_hotel, v_now, n_type, n_date, 500);
                        EXIT WHEN v_images IS NULL;
                        v_seq := v_seq + 1;
                        v_last_event := gen_random_uuid();
                        INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device,
                            verb, reason, changes)
                        VALUES (p_hotel, v_now, v_seq, v_last_event, v_day, v_house, NULL, 'expire',
                            NULL, v_images);
                        v_stale := true;
                    END LOOP;
                    CONTINUE WHEN v_stale;
                END IF;
            END IF;

            v_status[i] := p_refusal_status[CASE
                WHEN v_missing IS NOT NULL THEN v_code_not_open
                WHEN v_unpriced IS NOT NULL THEN v_code_no_rate
                WHEN v_rules IS NOT NULL THEN v_code_restricted
                ELSE v_code_sold_out END];
            v_answer[i] := CASE
                -- Missing and full nights are told apart, and both are named (N3).
                WHEN v_missing IS NOT NULL THEN p_refusals[v_code_not_open]
                    || ',"nights":[' || v_missing || ']'
                    || coalesce(',"facts":{"sold_out":[' || v_full || ']}', '') || '}'
                WHEN v_unpriced IS NOT NULL THEN p_refusals[v_code_no_rate]
                    || ',"nights":[' || v_unpriced || ']}'
                WHEN v_rules IS NOT NULL THEN p_refusals[v_code_restricted]
                    || ',"facts":{"rules":[' || v_rules || ']}}'
                ELSE p_refusals[v_code_sold_out] || ',"nights":[' || v_full || ']}' END;
            EXIT;
        END LOOP;
        CONTINUE WHEN v_status[i] IS NOT NULL;

        v_seq := v_seq + 1;
        v_last_event := h_event[i];
        v_expires_at := v_now + make_interval(mins => least(coalesce(h_minutes[i], v_minutes), v_minutes_max));
        v_expires_text := instant_text_v1(v_expires_at);
        v_images := format(h_image[i], v_now_text);
        v_rooms := NULL;
        FOR j IN h_first_room[i] .. h_last_room[i] LOOP
            v_night_texts := '';
            FOR m IN r_first_item[j] .. r_last_item[j] LOOP
                v_amount := coalesce(r_price[j], v_rate[i_rate[m]]);
                v_price[m] := v_amount;
                v_night_texts := v_night_texts || CASE WHEN m > r_first_item[j] THEN ',' ELSE '' END
                    || format(p_item, i_date[m], r_type[j], r_type[j], v_amount);
            END LOOP;
            v_images := v_images || ',' || format(r_image[j], v_expires_text,
                coalesce('"' || coalesce(r_plan[j], v_plan)::text || '"', 'null'), v_now_text, v_night_texts);
            v_rooms := concat_ws(',', v_rooms, format(r_answer[j], v_night_texts));
        END LOOP;
        FOR t IN h_first_touch[i] .. h_last_touch[i] LOOP
            CONTINUE WHEN t_rooms[t] = 0;
            k := t_counter[t];
            v_reserved[k] := v_reserved[k] + t_rooms[t];
            v_images := v_images || ',' || format(v_text[k], v_reserved[k]);
            IF NOT v_sure THEN
                IF v_delta[k] = 0 THEN
                    v_moved := v_moved + 1;
                END IF;
                v_delta[k] := v_delta[k] + t_rooms[t];
            END IF;
        END LOOP;
        v_expires[i] := v_expires_at;
        v_seqs[i] := v_seq;
        v_changes[i] := '[' || v_images || ']';
        v_status[i] := 201;
        v_answer[i] := format(h_answer[i], v_seq, v_expires_text, v_rooms);
    END LOOP;

    IF v_moved > 0 THEN
        -- The guard decides (N1); what was worked out above may only agree with it.
        UPDATE room_night n SET reserved = n.reserved + w.delta
        FROM unnest(n_type, n_date, v_delta) AS w(room_type_id, stay_date, delta)
        WHERE w.delta > 0 AND n.hotel_id = p_hotel
            AND n.room_type_id = w.room_type_id AND n.stay_date = w.stay_date
            AND n.reserved + w.delta <= sell_limit_v1(
                n.total, n.out_of_order, n.overbook_pct, n.overbook_rooms);
        GET DIAGNOSTICS v_count = ROW_COUNT;
        IF v_count <> v_moved THEN
            RAISE EXCEPTION 'hold_group: % of % counters moved', v_count, v_moved USING ERRCODE = 'XX000';
        END IF;
    END IF;
    -- One statement for all rows: each more would cost as much again as its row.
    WITH h AS MATERIALIZED (
        SELECT w.booking_id, h_number[w.ord] AS number, h_channel[w.ord] AS channel,
            h_external[w.ord] AS external_id, h_event[w.ord] AS event_id, h_actor[w.ord] AS actor,
            h_device[w.ord] AS device, h_key[w.ord] AS key, h_hash[w.ord] AS hash,
            v_status[w.ord] AS status, v_answer[w.ord] AS answer, v_fresh[w.ord] AS fresh,
            v_seqs[w.ord] AS seq, v_changes[w.ord] AS changes
        FROM unnest(h_booking) WITH ORDINALITY AS w(booking_id, ord)
    ), booked AS (
        INSERT INTO booking (hotel_id, booking_id, number, channel, external_id, made_by, created_at)
        SELECT p_hotel, h.booking_id, h.number, h.channel, h.external_id, h.actor, v_now
        FROM h WHERE h.seq IS NOT NULL
    ), held AS (
        INSERT INTO reservation (hotel_id, reservation_id, booking_id, state, check_in, check_out,
            room_type_id, adults, children, guest_id, hold_expires_at, held_at, rate_plan_id, segment,
            day_use, created_at)
        SELECT p_hotel, r_reservation[w.ord], h_booking[w.hold], 'held', r_in[w.ord], r_out[w.ord],
            r_type[w.ord], r_adults[w.ord], r_children[w.ord]::integer[], r_guest[w.ord],
            v_expires[w.hold], v_now, coalesce(r_plan[w.ord], v_plan), r_segment[w.ord],
            r_day_use[w.ord], v_now
        FROM unnest(r_hold) WITH ORDINALITY AS w(hold, ord)
        WHERE v_seqs[w.hold] IS NOT NULL
    ), counted AS (
        INSERT INTO reservation_night (hotel_id, reservation_id, stay_date, room_type_id,
            charged_type_id, price, counted)
        SELECT p_hotel, r_reservation[w.room], i_date[w.ord], r_type[w.room], r_type[w.room],
            v_price[w.ord], true
        FROM unnest(i_room) WITH ORDINALITY AS w(room, ord)
        WHERE v_price[w.ord] IS NOT NULL
    ), logged AS (
        INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device, verb, changes)
        SELECT p_hotel, v_now, h.seq, h.event_id, v_day, h.actor, h.device, 'hold', h.changes
        FROM h WHERE h.seq IS NOT NULL
    ), kept AS (
        INSERT INTO idempotency_key (hotel_id, actor, key, request_hash, status, answer, created_at)
        SELECT p_hotel, h.actor, h.key, h.hash, h.status, h.answer, v_now
        FROM h WHERE h.fresh IS NOT false AND h.key IS NOT NULL
    )
    UPDATE hotel_head x SET seq = v_seq, last_event_id = v_last_event
    WHERE x.hotel_id = p_hotel AND v_seq > v_first_seq;
    FOR i IN 1 .. v_holds LOOP
        status := v_status[i];
        answer := v_answer[i];
        RETURN NEXT;
    END LOOP;
END
$$;
