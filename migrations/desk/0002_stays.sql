-- What stays carry beside their dates and nights.
ALTER TABLE reservation ADD COLUMN lateness TEXT NOT NULL DEFAULT 'on_time';
ALTER TABLE reservation ADD COLUMN early_departure_fee INTEGER;
ALTER TABLE reservation ADD COLUMN no_show_fee INTEGER;
ALTER TABLE reservation_night ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
