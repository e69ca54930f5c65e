-- Records as they were when they were read, without their related records: what changed between reads. One row per version.
CREATE TABLE record_versions (
    owner BLOB NOT NULL,
    dataset TEXT NOT NULL,
    id BLOB NOT NULL,
    in_book INTEGER NOT NULL,     -- read from the book, else from the index
    first_read INTEGER NOT NULL,  -- milliseconds, the service's clock as far as it is known
    last_read INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (owner, dataset, id, in_book, first_read)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_versions_age ON record_versions (last_read);
