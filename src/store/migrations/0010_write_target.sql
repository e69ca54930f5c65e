-- The id in the path of a write: which record it is about, where its body does not say so.
ALTER TABLE sends ADD COLUMN target TEXT;
