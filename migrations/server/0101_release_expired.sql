-- How many may be sold: the same arithmetic as protocol::sell_limit. Whole numbers; the product is
-- never negative, so that division rounds down.
CREATE FUNCTION sell_limit_v1(p_total integer, p_out_of_order integer, p_pct integer, p_rooms integer)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(0, (p_total - p_out_of_order)::bigint * (100 + p_pct) / 100 + p_rooms)
$$;

-- Releases holds that have run out (N7): their nights are given back, they become `expired`. Answers
-- the changes as the text of a JSON array, or NULL when nothing was due; the caller writes them as an
-- event. To be called under the head lock with a time read after it.
--
-- With p_types and p_dates only bookings that stand on one of these nights (a nil type is the house:
-- every type of that date); without them the longest due first. At most p_limit reservations and
-- about 2,000 nights in one go: a caller that wants more calls again.
CREATE FUNCTION release_expired_v1(
    p_hotel uuid, p_now timestamptz, p_types uuid[], p_dates date[], p_limit integer
) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_house     CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    v_due       uuid[];
    v_types     uuid[];
    v_dates     date[];
    v_rooms     integer[];
    v_uses      uuid[];
    v_count     bigint;
    v_changes   text;
BEGIN
    WITH due AS MATERIALIZED (
        SELECT r.reservation_id, r.booking_id, r.hold_expires_at, r.check_out - r.check_in AS nights
        FROM reservation r
        WHERE r.hotel_id = p_hotel AND r.state = 'held' AND r.hold_expires_at <= p_now
    ), wanted AS (
        SELECT d.*,
            sum(d.nights) OVER (ORDER BY d.hold_expires_at, d.booking_id, d.reservation_id) - d.nights AS before
        FROM due d
        WHERE p_types IS NULL OR d.booking_id IN (
            SELECT d2.booking_id
            FROM due d2
            JOIN reservation_night n
                ON n.hotel_id = p_hotel AND n.reservation_id = d2.reservation_id AND n.counted
            JOIN unnest(p_types, p_dates) AS k(room_type_id, stay_date)
                ON k.stay_date = n.stay_date AND k.room_type_id IN (n.room_type_id, v_house))
    ), chosen AS (
        SELECT w.reservation_id FROM wanted w WHERE w.before < 2000
        ORDER BY w.hold_expires_at, w.booking_id, w.reservation_id
        LIMIT p_limit
    )
    SELECT array_agg(c.reservation_id ORDER BY c.reservation_id) INTO v_due FROM chosen c;
    IF v_due IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE reservation r SET state = 'expired', version = r.version + 1
    WHERE r.hotel_id = p_hotel AND r.reservation_id = ANY (v_due) AND r.state = 'held';
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(v_due) THEN
        RAISE EXCEPTION 'release_expired: % of % reservations moved', v_count, cardinality(v_due)
            USING ERRCODE = 'XX000';
    END IF;

    SELECT array_agg(g.room_type_id ORDER BY g.room_type_id, g.stay_date),
           array_agg(g.stay_date ORDER BY g.room_type_id, g.stay_date),
           array_agg(g.rooms ORDER BY g.room_type_id, g.stay_date)
    INTO v_types, v_dates, v_rooms
    FROM (
        SELECT t.room_type_id, n.stay_date, count(*)::integer AS rooms
        FROM reservation_night n
        CROSS JOIN LATERAL (VALUES (n.room_type_id), (v_house)) AS t(room_type_id)
        WHERE n.hotel_id = p_hotel AND n.reservation_id = ANY (v_due) AND n.counted
        GROUP BY t.room_type_id, n.stay_date
    ) g;
    IF v_types IS NOT NULL THEN
        PERFORM 1
        FROM unnest(v_types, v_dates) AS k(room_type_id, stay_date)
        JOIN room_night n
            ON n.hotel_id = p_hotel AND n.room_type_id = k.room_type_id AND n.stay_date = k.stay_date
        ORDER BY n.room_type_id, n.stay_date
        FOR NO KEY UPDATE OF n;
        UPDATE room_night n
        SET reserved = n.reserved - k.rooms,
            over_limit = greatest(0, n.reserved - k.rooms
                - sell_limit_v1(n.total, n.out_of_order, n.overbook_pct, n.overbook_rooms))
        FROM unnest(v_types, v_dates, v_rooms) AS k(room_type_id, stay_date, rooms)
        WHERE n.hotel_id = p_hotel AND n.room_type_id = k.room_type_id AND n.stay_date = k.stay_date;
        GET DIAGNOSTICS v_count = ROW_COUNT;
        IF v_count <> cardinality(v_types) THEN
            RAISE EXCEPTION 'release_expired: % of % nights moved', v_count, cardinality(v_types)
                USING ERRCODE = 'XX000';
        END IF;
        UPDATE reservation_night n SET counted = false
        WHERE n.hotel_id = p_hotel AND n.reservation_id = ANY (v_due) AND n.counted;
    END IF;

    WITH gone AS (
        DELETE FROM room_use u WHERE u.hotel_id = p_hotel AND u.reservation_id = ANY (v_due)
        RETURNING u.room_use_id
    )
    SELECT array_agg(g.room_use_id) INTO v_uses FROM gone g;

    SELECT string_agg(c.change, ',') INTO v_changes
    FROM (
        SELECT json_build_object('kind', 'reservation', 'row', json_build_object(
            'id', r.reservation_id, 'booking_id', r.booking_id, 'state', r.state,
            'check_in', r.check_in, 'check_out', r.check_out, 'room_type_id', r.room_type_id,
            'adults', r.adults, 'children', r.children, 'guest_id', r.guest_id,
            'further_guest_ids', r.further_guest_ids, 'guarantee', r.guarantee,
            'release_at', r.release_at, 'hold_expires_at', r.hold_expires_at,
            'rate_plan_id', r.rate_plan_id, 'segment', r.segment, 'expected_time', r.expected_time,
            'do_not_move', r.do_not_move, 'day_use', r.day_use, 'share_of', r.share_of,
            'checked_in_at', r.checked_in_at, 'checked_out_at', r.checked_out_at,
            'notes', '', 'version', r.version, 'created_at', r.created_at,
            'nights', coalesce((
                SELECT json_agg(json_build_object(
                    'stay_date', n.stay_date, 'room_type_id', n.room_type_id,
                    'charged_type_id', n.charged_type_id, 'price', n.price, 'counted', n.counted
                ) ORDER BY n.stay_date)
                FROM reservation_night n
                WHERE n.hotel_id = p_hotel AND n.reservation_id = r.reservation_id), '[]'::json)
        ))::text AS change
        FROM reservation r
        WHERE r.hotel_id = p_hotel AND r.reservation_id = ANY (v_due)
        UNION ALL
        SELECT json_build_object('kind', 'room_use_removed', 'id', u.id)::text
        FROM unnest(v_uses) AS u(id)
        UNION ALL
        SELECT json_build_object('kind', 'night', 'row', json_build_object(
            'room_type_id', n.room_type_id, 'stay_date', n.stay_date, 'total', n.total,
            'out_of_order', n.out_of_order, 'reserved', n.reserved, 'over_limit', n.over_limit,
            'overbook_pct', n.overbook_pct, 'overbook_rooms', n.overbook_rooms))::text
        FROM unnest(v_types, v_dates) AS k(room_type_id, stay_date)
        JOIN room_night n
            ON n.hotel_id = p_hotel AND n.room_type_id = k.room_type_id AND n.stay_date = k.stay_date
    ) c;
    RETURN '[' || v_changes || ']';
END
$$;

-- One hotel's turn of the sweeper, called alone: passes by when somebody else holds the head (they
-- release what they need themselves). Answers the number of the event written, or NULL.
CREATE FUNCTION expire_holds_v1(p_hotel uuid, p_limit integer, p_event_id uuid)
RETURNS bigint LANGUAGE plpgsql VOLATILE SET lock_timeout = '2s' AS $$
DECLARE
    v_seq       bigint;
    v_day       date;
    v_now       timestamptz;
    v_changes   text;
BEGIN
    SELECT h.seq + 1, h.business_date INTO v_seq, v_day
    FROM hotel_head h WHERE h.hotel_id = p_hotel FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    v_now := clock_timestamp();
    v_changes := release_expired_v1(p_hotel, v_now, NULL, NULL, p_limit);
    IF v_changes IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO event (hotel_id, at, seq, event_id, business_date, actor, device, verb, reason, changes)
    VALUES (p_hotel, v_now, v_seq, p_event_id, v_day, '00000000-0000-0000-0000-000000000000', NULL,
        'expire', NULL, v_changes);
    UPDATE hotel_head h SET seq = v_seq, last_event_id = p_event_id WHERE h.hotel_id = p_hotel;
    RETURN v_seq;
END
$$;
