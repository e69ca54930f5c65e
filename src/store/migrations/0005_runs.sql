-- Searches of the index that were run.
CREATE TABLE runs (
    id INTEGER NOT NULL PRIMARY KEY,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    source TEXT NOT NULL,         -- JSON: where was searched
    search TEXT NOT NULL,         -- JSON: what was looked for
    at INTEGER NOT NULL,          -- milliseconds, the service's clock as far as it is known
    read_at INTEGER,              -- when the first page was read
    total INTEGER,
    is_capped INTEGER NOT NULL,
    spent INTEGER NOT NULL,       -- credits
    unreadable INTEGER NOT NULL,
    after TEXT                    -- where the next page begins
) STRICT;
CREATE UNIQUE INDEX runs_key ON runs (meter, ifnull(workspace_id, x''), source, search);

-- Their rows, as they came.
CREATE TABLE run_rows (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    slot INTEGER NOT NULL,        -- its place in the service's order
    json TEXT NOT NULL,
    PRIMARY KEY (run, slot)
) STRICT, WITHOUT ROWID;
