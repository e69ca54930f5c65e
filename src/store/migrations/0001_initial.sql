-- The tables of the local store. Moments are milliseconds.
--
-- `meter` tells whose credits or changes a row has: an address, a file, or one run of the sample
-- world. With what was read, `owner` tells whose it is: of a service, a workspace and a credential.
--
-- `at` is this machine's clock. `service_at` is the service's, as far as it is known: a clock that
-- starts at --as-of stands still between its runs, so later it cannot be computed from this
-- machine's. It is NULL if the service had not responded yet.

-- What each request took.
CREATE TABLE ledger (
    id BLOB NOT NULL PRIMARY KEY, -- of the request
    at INTEGER NOT NULL,
    service_at INTEGER,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    session BLOB,                 -- the run of the program that asked
    route TEXT NOT NULL,
    reason TEXT NOT NULL,         -- the command's id, or the verb
    op BLOB NOT NULL,             -- one act of the person: the pages of one search share it
    rows INTEGER,
    most INTEGER,                 -- what it can take: budgets count what is under way too
    credits INTEGER,              -- unknown when null
    settled INTEGER NOT NULL DEFAULT 0 -- the price was not told, and the meter has told it since
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_at ON ledger (at);
CREATE INDEX ledger_session ON ledger (session);

-- What the meter of a workspace stood at.
CREATE TABLE readings (
    at INTEGER NOT NULL,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    used INTEGER NOT NULL,
    next_release_at INTEGER       -- nothing leaves the window before
) STRICT;
CREATE INDEX readings_at ON readings (meter, at);

-- What the person did, before it is sent.
CREATE TABLE acts (
    op BLOB NOT NULL PRIMARY KEY, -- grows with time
    at INTEGER NOT NULL,
    service_at INTEGER,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    wish TEXT NOT NULL,           -- act, undo, redo
    of BLOB,                      -- the act that an undo or redo is about
    group_id BLOB,                -- changes that were made as one and are undone as one
    reason TEXT NOT NULL,         -- the command's id, or the verb
    words TEXT NOT NULL,
    change TEXT NOT NULL,         -- JSON: what, with before and after
    applied TEXT                  -- JSON, as `change`: what of it, once that is known; of a batch some may have been refused
) STRICT;
CREATE INDEX acts_at ON acts (at);

-- Writes, from before their first byte leaves.
CREATE TABLE sends (
    id BLOB NOT NULL PRIMARY KEY,
    op BLOB NOT NULL,             -- the act that it is of
    at INTEGER NOT NULL,
    service_at INTEGER,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    owner BLOB NOT NULL,          -- the run of the program that sends it
    reason TEXT NOT NULL,
    route TEXT NOT NULL,
    target TEXT,                  -- the id in its path: the record, where its body does not say so
    records INTEGER NOT NULL,
    body TEXT,                    -- JSON, unless it is very long
    state TEXT NOT NULL,          -- sending, done (it was answered), refused, not sent, unknown
    why TEXT,
    changed INTEGER,              -- how many records, where the answer says so
    rejected INTEGER
) STRICT;
CREATE INDEX sends_at ON sends (at);
CREATE INDEX sends_open ON sends (owner) WHERE state = 'sending';
CREATE INDEX sends_op ON sends (op, state);
CREATE INDEX sends_unknown ON sends (at) WHERE state = 'unknown';

-- What was typed and not sent. Each run of the program has its own: two that are open at a time do
-- not write over each other.
CREATE TABLE drafts (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    name TEXT NOT NULL,
    owner BLOB NOT NULL,          -- the run of the program that has it open
    at INTEGER NOT NULL,
    typed TEXT NOT NULL           -- JSON
) STRICT;
CREATE UNIQUE INDEX drafts_key ON drafts (meter, ifnull(workspace_id, x''), name, owner);

-- Signals that the user has put aside on this machine, as last read. Nothing of this is sent.
CREATE TABLE snoozes (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    signal_id BLOB NOT NULL,
    snooze TEXT NOT NULL          -- JSON, with the signal's row
) STRICT;
CREATE UNIQUE INDEX snoozes_by_signal ON snoozes (meter, ifnull(workspace_id, x''), signal_id);

-- Signals that the user has bookmarked, as last seen. Nothing of this is sent.
CREATE TABLE bookmarks (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    signal_id BLOB NOT NULL,
    bookmark TEXT NOT NULL        -- JSON, with the signal's row
) STRICT;
CREATE UNIQUE INDEX bookmarks_by_signal ON bookmarks (meter, ifnull(workspace_id, x''), signal_id);

-- What signals are about, from payloads that were read.
CREATE TABLE descriptions (
    owner BLOB NOT NULL,
    signal_id BLOB NOT NULL,
    work TEXT,
    record_type TEXT,
    city TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, signal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX descriptions_at ON descriptions (at);

-- The owners whose meter proved that reading a signal is free.
CREATE TABLE free_signal_reads (
    owner BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lists of records that were read: of the book, of Views, and searches of the index.
CREATE TABLE record_lists (
    id INTEGER NOT NULL PRIMARY KEY,
    owner BLOB NOT NULL,
    source TEXT NOT NULL,         -- JSON: where was searched
    search TEXT NOT NULL,         -- JSON: filter and order
    at INTEGER NOT NULL,          -- the service's clock, as far as it is known
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

-- Single records that were paid for, as received.
CREATE TABLE records (
    owner BLOB NOT NULL,
    dataset TEXT NOT NULL,
    id BLOB NOT NULL,
    in_book INTEGER NOT NULL,     -- read from the book, else from the index
    json TEXT NOT NULL,
    credits INTEGER,
    read_at INTEGER NOT NULL,     -- the service's clock, as far as it is known
    seen_at INTEGER NOT NULL      -- the least recently used is deleted first
) STRICT;
CREATE UNIQUE INDEX records_key ON records (owner, dataset, id, in_book);
CREATE INDEX records_seen ON records (seen_at);

-- Records as they were when they were read, without their related records: what changed between
-- reads. One row per version.
CREATE TABLE record_versions (
    owner BLOB NOT NULL,
    dataset TEXT NOT NULL,
    id BLOB NOT NULL,
    in_book INTEGER NOT NULL,     -- read from the book, else from the index
    first_read INTEGER NOT NULL,  -- the service's clock, as far as it is known
    last_read INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (owner, dataset, id, in_book, first_read)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_versions_age ON record_versions (last_read);

-- Searches of the index that the user named.
CREATE TABLE named_searches (
    owner BLOB NOT NULL,
    name TEXT NOT NULL,
    search TEXT NOT NULL,         -- JSON: what was searched for, and how often it was found
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
