-- A hotel for loading copies: stays back to back in every room over the whole window, two
-- or three nights each, two of three guests here for the first time. Counters are set to what is sold,
-- so that the recount has nothing to say about them.
CREATE TEMPORARY TABLE stay AS
WITH rooms AS (
    SELECT room_id, room_type_id, (row_number() OVER (ORDER BY number) - 1)::integer AS room
    FROM room WHERE hotel_id = :'hotel'
), spread AS (
    SELECT r.room_id, r.room_type_id, r.room * :per_room + k.k AS nth,
        :'first'::date + (k.k * :nights / :per_room) AS check_in,
        :'first'::date + ((k.k + 1) * :nights / :per_room) AS check_out
    FROM rooms r CROSS JOIN generate_series(0, :per_room - 1) AS k(k)
)
SELECT nth, room_id, room_type_id, check_in, check_out,
    gen_random_uuid() AS reservation_id, gen_random_uuid() AS booking_id,
    (nth * 2 / 3) AS guest,
    CASE WHEN check_out <= :'today'::date THEN 'checked_out'
         WHEN check_in < :'today'::date THEN 'checked_in'
         ELSE 'confirmed' END AS state
FROM spread;

CREATE TEMPORARY TABLE person AS
SELECT g AS guest, gen_random_uuid() AS guest_id,
    (ARRAY['Ana','José','Łukasz','Ágnes','Ελένη','Оксана','محمد','נועה','王','さくら','สมชาย','Oliver'])[1 + g % 12]
        || ' ' || initcap(substr(md5(g::text), 1, 4 + g % 9)) AS name
FROM generate_series(0, (SELECT max(guest) FROM stay)) AS g;

INSERT INTO guest (hotel_id, guest_id, version, name, email, phone, company, language, country, notes, vip, created_at)
SELECT :'hotel', guest_id, 1, name, 'post.' || guest || '@example.com',
    '+34 6' || lpad((guest % 100000000)::text, 8, '0'),
    CASE WHEN guest % 9 = 0 THEN 'Astilleros del Norte, S.A.' END,
    'es', 'ES', CASE WHEN guest % 20 = 0 THEN 'Quiet room, away from the lift.' ELSE '' END,
    guest % 70 = 0, clock_timestamp()
FROM person;

INSERT INTO booking (hotel_id, booking_id, number, channel, external_id, created_at)
SELECT :'hotel', booking_id, upper(substr(md5('n' || nth), 1, 5) || '-' || substr(md5('n' || nth), 6, 5)),
    CASE nth % 3 WHEN 0 THEN 'ota' WHEN 1 THEN 'web' ELSE 'desk' END,
    CASE WHEN nth % 3 = 0 THEN 'X' || nth END, clock_timestamp()
FROM stay;

INSERT INTO reservation (hotel_id, reservation_id, booking_id, state, check_in, check_out, room_type_id,
    adults, children, guest_id, guarantee, held_at, rate_plan_id, segment, expected_time,
    checked_in_at, checked_out_at, notes, version, created_at)
SELECT :'hotel', s.reservation_id, s.booking_id, s.state, s.check_in, s.check_out, s.room_type_id,
    1 + s.nth % 2, CASE WHEN s.nth % 11 = 0 THEN ARRAY[4, 9] ELSE '{}' END, p.guest_id,
    (ARRAY['card', 'prepaid', 'company', 'agent', 'deposit', 'none'])[1 + s.nth % 6], clock_timestamp(),
    (SELECT rate_plan_id FROM rate_plan WHERE hotel_id = :'hotel'), 'transient',
    CASE WHEN s.nth % 4 = 0 THEN '18:30'::time END,
    CASE WHEN s.state <> 'confirmed' THEN s.check_in + time '15:00' END,
    CASE WHEN s.state = 'checked_out' THEN s.check_out + time '10:30' END,
    CASE WHEN s.nth % 7 = 0 THEN 'Late arrival, flight lands 23:40.' ELSE '' END, 4, clock_timestamp()
FROM stay s JOIN person p ON p.guest = s.guest;

INSERT INTO reservation_night (hotel_id, reservation_id, stay_date, room_type_id, charged_type_id, price, counted)
SELECT :'hotel', s.reservation_id, n::date, s.room_type_id, s.room_type_id, 9000 + s.nth % 50 * 100, true
FROM stay s CROSS JOIN generate_series(s.check_in, s.check_out - 1, interval '1 day') AS n;

-- Whoever has come has a room, and whoever comes in the next two weeks.
INSERT INTO room_use (hotel_id, room_use_id, room_id, during, kind, reservation_id)
SELECT :'hotel', gen_random_uuid(), room_id, daterange(check_in, check_out), 'stay', reservation_id
FROM stay WHERE check_in < :'today'::date + 14;

UPDATE room_night n SET reserved = c.rooms
FROM (
    SELECT coalesce(room_type_id, '00000000-0000-0000-0000-000000000000') AS kind, stay_date, count(*) AS rooms
    FROM reservation_night WHERE hotel_id = :'hotel' AND counted
    GROUP BY GROUPING SETS ((room_type_id, stay_date), (stay_date))
) c
WHERE n.hotel_id = :'hotel' AND n.room_type_id = c.kind AND n.stay_date = c.stay_date;

ANALYZE;
