-- What each request took. `meter` tells whose credits they are: an address, a file or one run of the sample world.
CREATE TABLE ledger (
    id BLOB NOT NULL PRIMARY KEY, -- of the request
    at INTEGER NOT NULL,          -- milliseconds, this machine's clock
    meter TEXT NOT NULL,
    workspace_id BLOB,
    route TEXT NOT NULL,
    reason TEXT NOT NULL,         -- the command's id, or the verb
    op BLOB NOT NULL,             -- one act of the person: the pages of one search share it
    rows INTEGER,
    credits INTEGER,              -- unknown when null
    settled INTEGER NOT NULL DEFAULT 0 -- the price was not told, and the meter has told it since
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_at ON ledger (at);

-- What the meter of a workspace stood at.
CREATE TABLE readings (
    at INTEGER NOT NULL,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    used INTEGER NOT NULL,
    next_release_at INTEGER       -- nothing leaves the window before
) STRICT;
CREATE INDEX readings_at ON readings (meter, at);
