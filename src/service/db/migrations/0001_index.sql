-- The global index: accounts, contacts, projects and signals, the same for every workspace.
-- Ids are 16-byte UUIDs; moments are milliseconds since 1970 in UTC; lists and objects are JSON text.
-- rowid tables with a separate UUID key: full text and foreign keys join by the short integer.

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
  created_at            INTEGER NOT NULL
) STRICT;

-- The domains of accounts in lower case, for lookups; maintained by the triggers below.
CREATE TABLE account_domains (
  domain      TEXT NOT NULL,
  account_id  BLOB NOT NULL,
  PRIMARY KEY (domain, account_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER account_gets_domains AFTER INSERT ON accounts WHEN new.domains <> '[]' BEGIN
  INSERT OR IGNORE INTO account_domains SELECT lower(trim(value)), new.id FROM json_each(new.domains);
END;
CREATE TRIGGER account_changes_domains AFTER UPDATE OF domains ON accounts BEGIN
  DELETE FROM account_domains WHERE account_id = old.id AND domain IN (SELECT lower(trim(value)) FROM json_each(old.domains));
  INSERT OR IGNORE INTO account_domains SELECT lower(trim(value)), new.id FROM json_each(new.domains);
END;

CREATE TABLE contacts (
  rowid       INTEGER PRIMARY KEY,
  id          BLOB NOT NULL UNIQUE,
  name        TEXT NOT NULL,
  title       TEXT,
  account_id  BLOB REFERENCES accounts(id),
  email       TEXT,
  phone       TEXT,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_by_account ON contacts(account_id);
CREATE INDEX contacts_by_email ON contacts(lower(trim(email)));

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
  raw_data                      TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX signals_by_project ON signals(project_id, filed_at);
CREATE INDEX signals_by_filing ON signals(filed_at, id);
CREATE INDEX signals_by_type ON signals(signal_type, filed_at);

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
