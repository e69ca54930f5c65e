-- How many records of a write the service changed and rejected, where its answer says so. The state `done` says that it answered.
ALTER TABLE sends ADD COLUMN changed INTEGER;
ALTER TABLE sends ADD COLUMN rejected INTEGER;
