-- What a night begins with when the window is extended to it.
ALTER TABLE room_type ADD COLUMN overbook_pct integer NOT NULL DEFAULT 0;
ALTER TABLE room_type ADD COLUMN overbook_rooms integer NOT NULL DEFAULT 0;
-- The most rooms that the house counts, where that is less than the sum of its types; of the house only.
ALTER TABLE room_type ADD COLUMN total_cap integer;
ALTER TABLE room_type ADD CONSTRAINT room_type_overbook CHECK (overbook_pct BETWEEN -100 AND 1000 AND overbook_rooms BETWEEN -10000 AND 10000);
ALTER TABLE room_type ADD CONSTRAINT room_type_cap CHECK (total_cap IS NULL OR (house AND total_cap >= 0));

CREATE TABLE rate_base (
    hotel_id            uuid NOT NULL,
    rate_plan_id        uuid NOT NULL,
    room_type_id        uuid NOT NULL,
    price               bigint NOT NULL,
    CONSTRAINT rate_base_pk PRIMARY KEY (hotel_id, rate_plan_id, room_type_id),
    CONSTRAINT rate_base_plan FOREIGN KEY (hotel_id, rate_plan_id) REFERENCES rate_plan (hotel_id, rate_plan_id),
    CONSTRAINT rate_base_room_type FOREIGN KEY (hotel_id, room_type_id) REFERENCES room_type (hotel_id, room_type_id),
    CONSTRAINT rate_base_price CHECK (price BETWEEN 0 AND 1000000000000)
);

-- Sign-in with a name alone looks for it in every hotel.
CREATE INDEX staff_by_login ON staff (login);
