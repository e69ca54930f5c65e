-- The tables of a service, on SQLite. ../migrations_postgres has the same on PostgreSQL.
--
-- Ids are 16-byte UUIDs; moments are milliseconds since 1970 in UTC; lists and objects are JSON
-- text. Our own functions are in sqlite_functions.rs: triggers use `lowered` and indexes none of
-- them, because other programs cannot open a file whose indexes need them.

CREATE TABLE remembered (              -- the service's own few values
  name   TEXT NOT NULL PRIMARY KEY,
  value  ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO remembered (name, value) VALUES ('cursor_key', randomblob(32));


-- The global index: accounts, contacts, projects and signals, the same for every workspace. These
-- have a row id besides their UUID: sets of rows and columns in memory use the short number.
--
-- Each sort order of a search has an index, so that a page is read from where it begins. Some also
-- contain the columns that filters test: columns in memory are read from them, not from the records.

CREATE TABLE sources (
  id            BLOB NOT NULL PRIMARY KEY,
  slug          TEXT NOT NULL UNIQUE,
  display_name  TEXT NOT NULL,
  base_url      TEXT,
  logo_domain   TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  rowid                 INTEGER PRIMARY KEY,
  id                    BLOB NOT NULL UNIQUE,
  name                  TEXT NOT NULL,
  account_types         TEXT NOT NULL DEFAULT '[]',
  aliases               TEXT NOT NULL DEFAULT '[]',
  domains               TEXT NOT NULL DEFAULT '[]',
  website               TEXT,
  linkedin_url          TEXT,
  city                  TEXT,
  state                 TEXT,
  hq_address            TEXT,
  hq_lat                REAL,
  hq_lng                REAL,
  public_phone          TEXT,
  public_email          TEXT,
  specialties           TEXT NOT NULL DEFAULT '[]',
  description           TEXT,
  founded_year          INTEGER,
  account_types_source  TEXT,
  created_at            INTEGER NOT NULL,
  projects_count        INTEGER NOT NULL DEFAULT 0 -- kept by triggers, so that searches can sort by it
) STRICT;
CREATE INDEX accounts_by_name ON accounts(name COLLATE NOCASE, id);
CREATE INDEX accounts_by_creation ON accounts(created_at, id);
CREATE INDEX accounts_by_projects ON accounts(projects_count, id);
CREATE INDEX accounts_by_city ON accounts(city, state, account_types);

CREATE TABLE contacts (
  rowid           INTEGER PRIMARY KEY,
  id              BLOB NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  title           TEXT,
  account_id      BLOB REFERENCES accounts(id),
  email           TEXT,
  phone           TEXT,
  created_at      INTEGER NOT NULL,
  projects_count  INTEGER NOT NULL DEFAULT 0 -- kept by triggers
) STRICT;
CREATE INDEX contacts_by_account ON contacts(account_id);
CREATE INDEX contacts_by_name ON contacts(name COLLATE NOCASE, id);
CREATE INDEX contacts_by_creation ON contacts(created_at, id);
CREATE INDEX contacts_by_projects ON contacts(projects_count, id);

CREATE TABLE projects (
  rowid                     INTEGER PRIMARY KEY,
  id                        BLOB NOT NULL UNIQUE,
  name                      TEXT NOT NULL,
  primary_address           TEXT,
  city                      TEXT,
  state                     TEXT,
  neighborhood              TEXT,
  primary_use               TEXT,
  uses                      TEXT NOT NULL DEFAULT '[]',
  stage                     TEXT,
  disposition               TEXT,
  gross_floor_area_sf       REAL,
  residential_units         INTEGER,
  cost_of_construction_usd  REAL,
  stories                   INTEGER,
  parking_spaces            INTEGER,
  gc_status                 TEXT,
  height_ft                 REAL,
  hotel_rooms               INTEGER,
  affordable_units          INTEGER,
  land_area_sf              REAL,
  unit_mix                  TEXT,              -- object
  use_areas                 TEXT,              -- array of objects
  structure_types           TEXT NOT NULL DEFAULT '[]',
  regulatory_flags          TEXT NOT NULL DEFAULT '[]',
  far                       TEXT,              -- object
  lat                       REAL,
  lng                       REAL,
  first_signal_at           INTEGER,           -- by filing; kept by the writer of signals
  last_signal_at            INTEGER,
  signals_count             INTEGER NOT NULL DEFAULT 0,
  created_at                INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_by_name ON projects(name COLLATE NOCASE, id);
CREATE INDEX projects_by_creation ON projects(created_at, id);
CREATE INDEX projects_by_signals ON projects(signals_count, id);
CREATE INDEX projects_by_last_signal ON projects(ifnull(last_signal_at, -9007199254740991), id,
  stage, primary_use, state, gc_status, stories, residential_units, gross_floor_area_sf,
  cost_of_construction_usd, last_signal_at, city);
CREATE INDEX projects_by_first_last_signal ON projects(ifnull(last_signal_at, 9007199254740991), id);
CREATE INDEX projects_by_city ON projects(city, id);

-- The rows of imported files: a permit's row describes all its signals and is stored once. Signals
-- without such a row have their payload in `raw_data`.
CREATE TABLE source_rows (
  rowid    INTEGER PRIMARY KEY,
  payload  TEXT NOT NULL               -- object
) STRICT;

CREATE TABLE signals (
  rowid                         INTEGER PRIMARY KEY,
  id                            BLOB NOT NULL UNIQUE,
  project_id                    BLOB NOT NULL REFERENCES projects(id),
  source_id                     BLOB NOT NULL REFERENCES sources(id),
  signal_type                   TEXT NOT NULL,
  filed_at                      INTEGER NOT NULL,
  discovered_at                 INTEGER NOT NULL,
  source_filing_id              TEXT,
  source_url                    TEXT,
  reported_cost_usd             REAL,
  reported_gross_floor_area_sf  REAL,
  raw_data                      TEXT NOT NULL DEFAULT '{}',
  source_row                    INTEGER REFERENCES source_rows(rowid)
) STRICT;
CREATE INDEX signals_by_type ON signals(signal_type, filed_at, id, discovered_at);
CREATE INDEX signals_by_filing ON signals(filed_at, id, discovered_at, signal_type);
CREATE INDEX signals_by_discovery ON signals(discovered_at, id, filed_at, signal_type);
CREATE INDEX signals_by_project ON signals(project_id, filed_at, signal_type, discovered_at);
CREATE INDEX signals_by_source_row ON signals(source_row) WHERE source_row IS NOT NULL;

CREATE TABLE project_accounts (
  project_id  BLOB NOT NULL REFERENCES projects(id),
  account_id  BLOB NOT NULL REFERENCES accounts(id),
  role        TEXT NOT NULL,
  PRIMARY KEY (project_id, account_id, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_accounts_by_account ON project_accounts(account_id, project_id);

CREATE TABLE project_contacts (
  project_id  BLOB NOT NULL REFERENCES projects(id),
  contact_id  BLOB NOT NULL REFERENCES contacts(id),
  PRIMARY KEY (project_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_contacts_by_contact ON project_contacts(contact_id, project_id);

-- Projects with signals from after the service's clock, and their writer's values: see
-- project_status.rs.
CREATE TABLE projects_ahead (
  project_id   BLOB NOT NULL PRIMARY KEY REFERENCES projects(id),
  stage        TEXT,
  disposition  TEXT
) STRICT, WITHOUT ROWID;


-- What is derived from the index by triggers. backfill.sql derives the same at once, for an index
-- that was filled without them.

-- How many projects a firm or a person has. A firm with two roles in a project counts once.
CREATE TRIGGER account_joins AFTER INSERT ON project_accounts
WHEN (SELECT count(*) FROM project_accounts
      WHERE project_id = new.project_id AND account_id = new.account_id) = 1 BEGIN
  UPDATE accounts SET projects_count = projects_count + 1 WHERE id = new.account_id;
END;
CREATE TRIGGER account_leaves AFTER DELETE ON project_accounts
WHEN NOT EXISTS (SELECT 1 FROM project_accounts
                 WHERE project_id = old.project_id AND account_id = old.account_id) BEGIN
  UPDATE accounts SET projects_count = projects_count - 1 WHERE id = old.account_id;
END;
CREATE TRIGGER contact_joins AFTER INSERT ON project_contacts BEGIN
  UPDATE contacts SET projects_count = projects_count + 1 WHERE id = new.contact_id;
END;
CREATE TRIGGER contact_leaves AFTER DELETE ON project_contacts BEGIN
  UPDATE contacts SET projects_count = projects_count - 1 WHERE id = old.contact_id;
END;

-- The natural keys of accounts and contacts, in lower case for all alphabets: SQLite's own
-- functions only handle A to Z.
CREATE TABLE account_domains (
  domain      TEXT NOT NULL,
  account_id  BLOB NOT NULL,
  PRIMARY KEY (domain, account_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER account_gets_domains AFTER INSERT ON accounts WHEN new.domains <> '[]' BEGIN
  INSERT OR IGNORE INTO account_domains
    SELECT lowered(trim(value)), new.id FROM json_each(new.domains);
END;
CREATE TRIGGER account_changes_domains AFTER UPDATE OF domains ON accounts BEGIN
  DELETE FROM account_domains WHERE account_id = old.id
    AND domain IN (SELECT lowered(trim(value)) FROM json_each(old.domains));
  INSERT OR IGNORE INTO account_domains
    SELECT lowered(trim(value)), new.id FROM json_each(new.domains);
END;

CREATE TABLE contact_emails (
  email       TEXT NOT NULL,
  contact_id  BLOB NOT NULL,
  PRIMARY KEY (email, contact_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER contact_gets_email AFTER INSERT ON contacts WHEN new.email IS NOT NULL BEGIN
  INSERT INTO contact_emails VALUES (lowered(trim(new.email)), new.id);
END;
CREATE TRIGGER contact_changes_email AFTER UPDATE OF email ON contacts BEGIN
  DELETE FROM contact_emails WHERE email = lowered(trim(old.email)) AND contact_id = old.id;
  INSERT INTO contact_emails SELECT lowered(trim(new.email)), new.id WHERE new.email IS NOT NULL;
END;

-- Which rows of the index were changed, in order, so that a service notices what another process
-- wrote to the file: see db/columns. New rows are not listed, because their row ids are higher than
-- all others. `kind` is the number of the table: 0 accounts, 1 contacts, 2 projects, 3 signals;
-- with 4 or 5 the accounts or contacts of the project changed.
CREATE TABLE index_changes (
  sequence  INTEGER PRIMARY KEY,
  kind      INTEGER NOT NULL,
  record    INTEGER NOT NULL
) STRICT;

CREATE TRIGGER accounts_change
AFTER UPDATE OF name, account_types, city, state, projects_count, created_at ON accounts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (0, new.rowid);
END;
CREATE TRIGGER accounts_vanish AFTER DELETE ON accounts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (0, old.rowid);
END;
CREATE TRIGGER contacts_change
AFTER UPDATE OF name, title, email, account_id, projects_count, created_at ON contacts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (1, new.rowid);
END;
CREATE TRIGGER contacts_vanish AFTER DELETE ON contacts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (1, old.rowid);
END;
CREATE TRIGGER projects_change
AFTER UPDATE OF name, city, state, stage, primary_use, gc_status, stories, residential_units,
  gross_floor_area_sf, cost_of_construction_usd, last_signal_at, signals_count, created_at
ON projects BEGIN
  INSERT INTO index_changes (kind, record) VALUES (2, new.rowid);
END;
CREATE TRIGGER projects_vanish AFTER DELETE ON projects BEGIN
  INSERT INTO index_changes (kind, record) VALUES (2, old.rowid);
END;
CREATE TRIGGER signals_change
AFTER UPDATE OF project_id, signal_type, filed_at, discovered_at, source_filing_id, source_url
ON signals BEGIN
  INSERT INTO index_changes (kind, record) VALUES (3, new.rowid);
END;
CREATE TRIGGER signals_vanish AFTER DELETE ON signals BEGIN
  INSERT INTO index_changes (kind, record) VALUES (3, old.rowid);
END;
CREATE TRIGGER project_accounts_gain AFTER INSERT ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT 4, rowid FROM projects WHERE id = new.project_id;
END;
CREATE TRIGGER project_accounts_lose AFTER DELETE ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT 4, rowid FROM projects WHERE id = old.project_id;
END;
CREATE TRIGGER project_accounts_change AFTER UPDATE ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT 4, rowid FROM projects WHERE id IN (old.project_id, new.project_id);
END;
CREATE TRIGGER project_contacts_gain AFTER INSERT ON project_contacts BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT 5, rowid FROM projects WHERE id = new.project_id;
END;
CREATE TRIGGER project_contacts_lose AFTER DELETE ON project_contacts BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT 5, rowid FROM projects WHERE id = old.project_id;
END;


-- People, and what belongs to workspaces. The key of every table with records of a workspace begins
-- with workspace_id, so that the keys enforce isolation.

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

-- Secrets (keys, tokens, codes) are only stored as SHA-256 digests.

CREATE TABLE api_keys (
  digest        BLOB NOT NULL PRIMARY KEY,
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  issued_by     BLOB REFERENCES users(id),
  prefix        TEXT NOT NULL,         -- the first characters, to name the key by
  scopes        TEXT NOT NULL,         -- separated by spaces
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_tokens (
  digest        BLOB NOT NULL PRIMARY KEY,
  user_id       BLOB NOT NULL REFERENCES users(id),
  workspace_id  BLOB REFERENCES workspaces(id), -- the only one that it is for; NULL: all of its user's
  created_at    INTEGER NOT NULL,
  used_at       INTEGER NOT NULL DEFAULT 0 -- to the day: a token that is used does not end
) STRICT, WITHOUT ROWID;

CREATE TABLE join_codes (              -- what a code admits to
  digest        BLOB NOT NULL PRIMARY KEY,
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  kind          TEXT NOT NULL,         -- member or wall
  target_id     BLOB NOT NULL          -- the invitation or the wall
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

-- The queue as of the moment remembered as 'queue_as_of', in the order of the list. It has the rows
-- of its signals and projects, so that a text is looked up without reading them.
CREATE TABLE queue (
  workspace_id  BLOB NOT NULL,
  status        INTEGER NOT NULL,      -- 0 new, 1 done
  priority      INTEGER NOT NULL,
  filed_at      INTEGER NOT NULL,
  signal_id     BLOB NOT NULL,
  signal_type   TEXT NOT NULL,
  project       INTEGER NOT NULL DEFAULT 0, -- row id
  signal        INTEGER NOT NULL DEFAULT 0, -- row id
  PRIMARY KEY (workspace_id, status, priority, filed_at DESC, signal_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX queue_by_signal ON queue(workspace_id, signal_id);
CREATE INDEX queue_by_type ON queue(workspace_id, signal_type);
CREATE INDEX queue_by_filing ON queue(filed_at);
CREATE INDEX queue_by_project ON queue(workspace_id, project);

CREATE TABLE queue_counts (            -- kept by triggers, so that counting never reads the queue
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

-- The outbox of alert mails: each row is one digest for one member, created in the transaction that
-- processed its signals, and kept for a month after it is finished, so that no restart sends it
-- again.
CREATE TABLE mails (
  workspace_id  BLOB NOT NULL REFERENCES workspaces(id),
  id            BLOB NOT NULL,
  user_id       BLOB NOT NULL REFERENCES users(id),
  signals       TEXT NOT NULL,         -- array of ids: the first of them, in the order of the queue
  total         INTEGER NOT NULL,      -- how many there were
  made_at       INTEGER NOT NULL,
  tries         INTEGER NOT NULL DEFAULT 0,
  next_try_at   INTEGER NOT NULL,
  ended_at      INTEGER,
  outcome       TEXT,                  -- sent, refused, expired, or dropped: no member any more, or nothing left to say
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_due ON mails(next_try_at) WHERE ended_at IS NULL;
CREATE INDEX mails_ended ON mails(ended_at) WHERE ended_at IS NOT NULL;

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
