-- Who made a booking or a profile: a channel's key opens only what was made with it. What is older is the
-- hotel's own.
ALTER TABLE booking ADD COLUMN made_by uuid;
ALTER TABLE guest ADD COLUMN made_by uuid;
