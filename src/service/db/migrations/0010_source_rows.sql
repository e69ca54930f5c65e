-- The rows of imported files: a permit's row describes all its signals and is stored once. Signals without such a row have their
-- payload in `raw_data`.

CREATE TABLE source_rows (
  rowid    INTEGER PRIMARY KEY,
  payload  TEXT NOT NULL               -- object
) STRICT;
ALTER TABLE signals ADD COLUMN source_row INTEGER REFERENCES source_rows(rowid);
CREATE INDEX signals_by_source_row ON signals(source_row) WHERE source_row IS NOT NULL;
