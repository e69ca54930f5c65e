-- What the person did, before it is sent.
CREATE TABLE acts (
    op BLOB NOT NULL PRIMARY KEY, -- grows with time
    at INTEGER NOT NULL,          -- milliseconds, this machine's clock
    meter TEXT NOT NULL,
    workspace_id BLOB,
    wish TEXT NOT NULL,           -- act, undo, redo
    of BLOB,                      -- the act that an undo or redo is about
    reason TEXT NOT NULL,         -- the command's id, or the verb
    words TEXT NOT NULL,
    change TEXT NOT NULL          -- JSON: what, with before and after
) STRICT;
CREATE INDEX acts_at ON acts (at);

-- Writes, from before their first byte leaves.
CREATE TABLE sends (
    id BLOB NOT NULL PRIMARY KEY,
    op BLOB NOT NULL,             -- the act that it is of
    at INTEGER NOT NULL,
    meter TEXT NOT NULL,
    workspace_id BLOB,
    owner BLOB NOT NULL,          -- the run of the program that sends it
    reason TEXT NOT NULL,
    route TEXT NOT NULL,
    records INTEGER NOT NULL,
    body TEXT,                    -- JSON, unless it is very long
    state TEXT NOT NULL,          -- sending, done, refused, not sent, unknown
    why TEXT
) STRICT;
CREATE INDEX sends_at ON sends (at);
CREATE INDEX sends_open ON sends (owner) WHERE state = 'sending';
