-- The outbox of alert mails: each row is one digest for one member, created in the transaction that processed its signals, and
-- kept for a month after it is finished, so that no restart sends it again.
CREATE TABLE mails (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  user_id       BLOB NOT NULL REFERENCES users(id),
  signals       TEXT NOT NULL,          -- array of ids: the first of them, in the order of the queue
  total         INTEGER NOT NULL,       -- how many there were
  made_at       INTEGER NOT NULL,
  tries         INTEGER NOT NULL DEFAULT 0,
  next_try_at   INTEGER NOT NULL,
  ended_at      INTEGER,
  outcome       TEXT,                   -- sent, refused, expired, or dropped: no member any more, or nothing left to say
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_due ON mails(next_try_at) WHERE ended_at IS NULL;
CREATE INDEX mails_ended ON mails(ended_at) WHERE ended_at IS NOT NULL;
