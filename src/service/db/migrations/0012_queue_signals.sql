-- The queue refers to signals by row as well as to projects, so that a text that many signals match is tested without reading them.

ALTER TABLE queue ADD COLUMN signal INTEGER NOT NULL DEFAULT 0; -- the row of the signal
UPDATE queue SET signal = (SELECT rowid FROM signals WHERE id = signal_id);
