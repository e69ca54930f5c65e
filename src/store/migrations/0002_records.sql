-- Records that were paid for, as they came.
CREATE TABLE records (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    dataset TEXT NOT NULL,
    id BLOB NOT NULL,
    in_book INTEGER NOT NULL,     -- read from the book, else from the index
    json TEXT NOT NULL,
    credits INTEGER,
    read_at INTEGER NOT NULL,     -- milliseconds, the service's clock as far as it is known
    seen_at INTEGER NOT NULL      -- when it was last wanted; what nobody wants goes first
) STRICT;
CREATE UNIQUE INDEX records_key ON records (meter, ifnull(workspace_id, x''), dataset, id, in_book);
CREATE INDEX records_seen ON records (seen_at);
