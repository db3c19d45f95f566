-- What the room that was left looked like before: a check-out that was none leaves no trace (B125).
ALTER TABLE reservation ADD COLUMN left_room_status text;
ALTER TABLE reservation ADD CONSTRAINT reservation_left_room_status CHECK (left_room_status IN ('clean', 'dirty', 'inspected'));
