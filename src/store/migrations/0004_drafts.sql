-- What was typed and not sent. Each run of the program has its own: two that are open at a time do not write over each other.
CREATE TABLE drafts (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    name TEXT NOT NULL,
    owner BLOB NOT NULL,          -- the run of the program that has it open
    at INTEGER NOT NULL,          -- milliseconds, this machine's clock
    typed TEXT NOT NULL           -- JSON
) STRICT;
CREATE UNIQUE INDEX drafts_key ON drafts (meter, ifnull(workspace_id, x''), name, owner);
