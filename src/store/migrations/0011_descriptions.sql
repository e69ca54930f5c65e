-- What signals are about, from payloads that were read. An owner is a service, a workspace and a credential.
CREATE TABLE descriptions (
    owner BLOB NOT NULL,
    signal_id BLOB NOT NULL,
    work TEXT,
    record_type TEXT,
    city TEXT,
    at INTEGER NOT NULL,          -- milliseconds, this machine's clock
    PRIMARY KEY (owner, signal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX descriptions_at ON descriptions (at);

-- The owners whose meter proved that reading a signal is free.
CREATE TABLE free_signal_reads (
    owner BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
