-- What stays carry beside their dates and nights. Fees are facts: the money follows with the bill.
ALTER TABLE reservation ADD COLUMN early_departure_fee bigint;
ALTER TABLE reservation ADD COLUMN no_show_fee bigint;
-- Whether the guest is expected on time, late on the day of arrival, or only on the day after: who is
-- flagged is not released by itself.
ALTER TABLE reservation ADD COLUMN lateness text NOT NULL DEFAULT 'on_time';
-- The open days on which the guest came and left, and the room that was left: by these a check-in or a
-- check-out is put right.
ALTER TABLE reservation ADD COLUMN checked_in_on date;
ALTER TABLE reservation ADD COLUMN checked_out_on date;
ALTER TABLE reservation ADD COLUMN left_room_id uuid;
ALTER TABLE reservation ADD CONSTRAINT reservation_fees CHECK (
    (early_departure_fee IS NULL OR early_departure_fee BETWEEN 0 AND 1000000000000)
    AND (no_show_fee IS NULL OR no_show_fee BETWEEN 0 AND 1000000000000));
ALTER TABLE reservation ADD CONSTRAINT reservation_lateness CHECK (lateness IN ('on_time', 'late', 'next_day'));
ALTER TABLE reservation ADD CONSTRAINT reservation_left_room FOREIGN KEY (hotel_id, left_room_id) REFERENCES room (hotel_id, room_id);
-- Of no night of its own: slept in the room of another reservation.
ALTER TABLE reservation_night ADD COLUMN shared boolean NOT NULL DEFAULT false;
ALTER TABLE reservation_night ADD CONSTRAINT reservation_night_shared CHECK (NOT (shared AND counted));
CREATE INDEX reservation_by_main ON reservation (hotel_id, share_of) WHERE share_of IS NOT NULL;
CREATE INDEX reservation_due_release ON reservation (hotel_id, release_at) WHERE state = 'confirmed' AND release_at IS NOT NULL;
-- Whether the hotel releases by itself what nobody guarantees, and what becomes of the later nights of
-- a guest who did not come.
ALTER TABLE hotel ADD COLUMN auto_release boolean NOT NULL DEFAULT false;
ALTER TABLE hotel ADD COLUMN no_show_nights text NOT NULL DEFAULT 'release';
ALTER TABLE hotel ADD CONSTRAINT hotel_no_show_nights CHECK (no_show_nights IN ('release', 'keep'));
-- Occupied rooms that are not paid for: complimentary ones are occupied and sold, house use is not sold.
ALTER TABLE daily_statistics ADD COLUMN complimentary integer NOT NULL DEFAULT 0;
ALTER TABLE daily_statistics ADD COLUMN house_use integer NOT NULL DEFAULT 0;
