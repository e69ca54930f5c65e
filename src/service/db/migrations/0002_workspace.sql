-- Everything that belongs to workspaces. Every such table's key starts with workspace_id, so that the keys enforce isolation.
-- Ids are 16-byte UUIDs; moments are milliseconds since 1970 in UTC; lists and objects are JSON text.

CREATE TABLE remembered (              -- the service's own few values
  name   TEXT NOT NULL PRIMARY KEY,
  value  ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
  id          BLOB NOT NULL PRIMARY KEY,
  name        TEXT NOT NULL,
  plan        TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id                 BLOB NOT NULL PRIMARY KEY,
  email              TEXT NOT NULL UNIQUE COLLATE NOCASE,
  first_name         TEXT,
  display_name       TEXT,
  avatar_object_key  TEXT,
  last_active_at     INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  user_id       BLOB NOT NULL REFERENCES users(id),
  role          TEXT NOT NULL,
  joined_at     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

-- Secrets are only stored as SHA-256 digests.
CREATE TABLE api_keys (
  digest        BLOB NOT NULL PRIMARY KEY,
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  issued_by     BLOB REFERENCES users(id),
  prefix        TEXT NOT NULL,         -- the first characters, to name the key by
  scopes        TEXT NOT NULL,         -- separated by spaces
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_tokens (
  digest      BLOB NOT NULL PRIMARY KEY,
  user_id     BLOB NOT NULL REFERENCES users(id),
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spending (                -- credits by minute: a day has 1440 rows at most
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  minute        INTEGER NOT NULL,      -- minutes since 1970
  credits       INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, minute)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
  workspace_id        BLOB NOT NULL REFERENCES workspaces(id),
  signal_type         TEXT NOT NULL,
  id                  BLOB NOT NULL UNIQUE,
  priority            INTEGER NOT NULL, -- 0 high, 1 medium, 2 low: the order of the queue
  channels            TEXT NOT NULL DEFAULT '[]',
  notify_all_members  INTEGER NOT NULL DEFAULT 0,
  recipient_user_ids  TEXT NOT NULL DEFAULT '[]',
  watermark           INTEGER NOT NULL, -- signals discovered after it are in the queue
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, signal_type)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_type ON subscriptions(signal_type);

CREATE TABLE triage (                  -- the signals that are done; outlives an unsubscribe
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  signal_id     BLOB NOT NULL,
  triaged_by    TEXT NOT NULL,
  triaged_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, signal_id)
) STRICT, WITHOUT ROWID;

-- The queue as of the moment stored as 'queue_as_of', in the order of the list.
CREATE TABLE queue (
  workspace_id  BLOB NOT NULL,
  status        INTEGER NOT NULL,      -- 0 new, 1 done
  priority      INTEGER NOT NULL,
  filed_at      INTEGER NOT NULL,
  signal_id     BLOB NOT NULL,
  signal_type   TEXT NOT NULL,
  PRIMARY KEY (workspace_id, status, priority, filed_at DESC, signal_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX queue_by_signal ON queue(workspace_id, signal_id);
CREATE INDEX queue_by_type ON queue(workspace_id, signal_type);
CREATE INDEX queue_by_filing ON queue(filed_at);
CREATE INDEX signals_by_discovery ON signals(discovered_at);

CREATE TABLE queue_counts (            -- kept by the triggers below, so that counting never reads the queue
  workspace_id  BLOB NOT NULL,
  signal_type   TEXT NOT NULL,
  status        INTEGER NOT NULL,
  signals       INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, signal_type, status)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER queue_gains AFTER INSERT ON queue BEGIN
  INSERT INTO queue_counts VALUES (new.workspace_id, new.signal_type, new.status, 1)
    ON CONFLICT DO UPDATE SET signals = signals + 1;
END;
CREATE TRIGGER queue_loses AFTER DELETE ON queue BEGIN
  UPDATE queue_counts SET signals = signals - 1
    WHERE workspace_id = old.workspace_id AND signal_type = old.signal_type AND status = old.status;
END;
CREATE TRIGGER queue_turns AFTER UPDATE OF status ON queue WHEN new.status <> old.status BEGIN
  UPDATE queue_counts SET signals = signals - 1
    WHERE workspace_id = old.workspace_id AND signal_type = old.signal_type AND status = old.status;
  INSERT INTO queue_counts VALUES (new.workspace_id, new.signal_type, new.status, 1)
    ON CONFLICT DO UPDATE SET signals = signals + 1;
END;

CREATE TABLE book (                    -- the workspace's records with its annotations
  workspace_id      BLOB NOT NULL REFERENCES workspaces(id),
  dataset           TEXT NOT NULL,     -- account, contact or project
  record_id         BLOB NOT NULL,
  icp_tier          TEXT,              -- accounts only, like the next two
  atlas_score       INTEGER,
  atlas_trend       TEXT,
  workspace_status  TEXT,
  notes             TEXT,
  tags              TEXT NOT NULL DEFAULT '[]',
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, dataset, record_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX book_by_change ON book(workspace_id, dataset, updated_at, record_id);

CREATE TABLE atlas_due (               -- accounts of the book whose score is to be computed anew
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  record_id     BLOB NOT NULL,
  PRIMARY KEY (workspace_id, record_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE views (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT,
  dataset       TEXT NOT NULL,
  kind          TEXT NOT NULL,         -- static or dynamic
  definition    TEXT,
  sort          TEXT,
  created_by    TEXT,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE view_records (
  workspace_id  BLOB NOT NULL,
  view_id       BLOB NOT NULL,
  record_id     BLOB NOT NULL,
  added_at      INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, view_id, record_id),
  FOREIGN KEY (workspace_id, view_id) REFERENCES views(workspace_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX view_records_by_record ON view_records(workspace_id, record_id);

CREATE TABLE favorites (
  workspace_id  BLOB NOT NULL,
  user_id       BLOB NOT NULL,
  view_id       BLOB NOT NULL,
  position      INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id, view_id),
  FOREIGN KEY (workspace_id, view_id) REFERENCES views(workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, user_id) REFERENCES members(workspace_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  email         TEXT NOT NULL COLLATE NOCASE,
  role          TEXT NOT NULL,
  invited_by    TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  accepted_at   INTEGER,
  revoked_at    INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE skills (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  slug          TEXT NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT,
  source        TEXT NOT NULL,         -- custom or official
  lifecycle     TEXT NOT NULL,         -- draft, published, unpublished or deleted
  audience      TEXT NOT NULL,         -- personal or workspace
  installed     INTEGER NOT NULL DEFAULT 0,
  revision      INTEGER NOT NULL,
  owner         TEXT NOT NULL,         -- who sees it while it is personal
  created_by    TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  published_at  INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE skill_revisions (
  workspace_id  BLOB NOT NULL,
  skill_id      BLOB NOT NULL,
  revision      INTEGER NOT NULL,
  files         TEXT NOT NULL,         -- array of {path, content}
  created_by    TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, skill_id, revision),
  FOREIGN KEY (workspace_id, skill_id) REFERENCES skills(workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE skill_receipts (          -- what was answered under an idempotency key
  workspace_id  BLOB NOT NULL,
  caller        TEXT NOT NULL,
  key           TEXT NOT NULL,
  digest        BLOB NOT NULL,         -- of route and body
  receipt       TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, caller, key)
) STRICT, WITHOUT ROWID;
