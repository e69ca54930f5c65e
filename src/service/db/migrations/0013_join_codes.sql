-- What a join code admits to: an invitation, or a wall. The secret is only stored as its SHA-256.
CREATE TABLE join_codes (
  digest        BLOB NOT NULL PRIMARY KEY,
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  kind          TEXT NOT NULL,         -- member or wall
  target_id     BLOB NOT NULL          -- the invitation or the wall
) STRICT, WITHOUT ROWID;

-- Screens that show the counts to everybody: each has a key of its own that can only read.
CREATE TABLE walls (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  name          TEXT NOT NULL,
  created_by    TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,      -- until then the code can be used
  joined_at     INTEGER,
  revoked_at    INTEGER,
  key_digest    BLOB,
  key_prefix    TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The outbox of invitations. A mail gets its code when it is sent, so that no code is stored.
CREATE TABLE invitation_mails (
  workspace_id   BLOB NOT NULL REFERENCES workspaces(id),
  invitation_id  BLOB NOT NULL,
  made_at        INTEGER NOT NULL,
  tries          INTEGER NOT NULL DEFAULT 0,
  next_try_at    INTEGER NOT NULL,
  ended_at       INTEGER,
  outcome        TEXT,                 -- sent, refused, expired, or dropped: the invitation is not open any more
  PRIMARY KEY (workspace_id, invitation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitation_mails_due ON invitation_mails(next_try_at) WHERE ended_at IS NULL;
