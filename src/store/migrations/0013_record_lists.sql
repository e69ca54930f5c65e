-- Lists of records that were read: of the book, of Views, and searches of the index. As descriptions, they belong to a service, a
-- workspace and a credential. What was stored before names no credential, so it is dropped.
DROP TABLE run_rows;
DROP TABLE runs;
DROP TABLE records;

CREATE TABLE record_lists (
    id INTEGER NOT NULL PRIMARY KEY,
    owner BLOB NOT NULL,
    source TEXT NOT NULL,         -- JSON: where was searched
    search TEXT NOT NULL,         -- JSON: filter and order
    at INTEGER NOT NULL,          -- milliseconds, the service's clock as far as it is known
    read_at INTEGER,              -- when the first page was read
    total INTEGER,
    is_capped INTEGER NOT NULL,
    spent INTEGER NOT NULL,       -- credits
    unreadable INTEGER NOT NULL,
    after TEXT,                   -- where the next page begins
    bytes INTEGER NOT NULL,       -- of its rows
    used_at INTEGER NOT NULL      -- this machine's clock; the least recently used is deleted first
) STRICT;
CREATE UNIQUE INDEX record_lists_key ON record_lists (owner, source, search);

-- Their rows as received, and as own writes and newer reads changed them.
CREATE TABLE record_list_rows (
    list INTEGER NOT NULL REFERENCES record_lists (id) ON DELETE CASCADE,
    slot INTEGER NOT NULL,        -- its place in the service's order
    id BLOB NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (list, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_list_rows_id ON record_list_rows (id);

-- Single records as received, as before with their owner.
CREATE TABLE records (
    owner BLOB NOT NULL,
    dataset TEXT NOT NULL,
    id BLOB NOT NULL,
    in_book INTEGER NOT NULL,     -- read from the book, else from the index
    json TEXT NOT NULL,
    credits INTEGER,
    read_at INTEGER NOT NULL,     -- milliseconds, the service's clock as far as it is known
    seen_at INTEGER NOT NULL      -- the least recently used is deleted first
) STRICT;
CREATE UNIQUE INDEX records_key ON records (owner, dataset, id, in_book);
CREATE INDEX records_seen ON records (seen_at);
