-- The tables of ../migrations in the dialect of PostgreSQL, and the functions that our statements
-- expect of an engine. What a column means is said there.
--
-- Ids are uuid, moments are milliseconds since 1970 in UTC, lists and objects are JSON text. Texts
-- are ordered by their bytes.


-- Functions that SQLite has, or that we add to it (sqlite_functions.rs).
--
-- PostgreSQL puts a function into the statement that calls it, which makes it ten times faster, only
-- if it is not STRICT and is as volatile as what it calls: conversions to text depend on settings.
-- So `moment`, `day` and `json_real`, which format every record of an answer, are written that way,
-- and leave unusual values to a second function.

CREATE FUNCTION nocase(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT translate($1, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') COLLATE "C" $$;
CREATE FUNCTION lowered(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(coalesce($1, '') COLLATE "und-x-icu") COLLATE "C" $$;
CREATE FUNCTION moment_with_millis(bigint) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char(timestamp '1970-01-01' + make_interval(secs => div($1 - ($1 % 1000 + 1000) % 1000, 1000)::double precision), 'YYYY-MM-DD"T"HH24:MI:SS')
    || CASE ($1 % 1000 + 1000) % 1000 WHEN 0 THEN '' ELSE '.' || lpad(((($1 % 1000) + 1000) % 1000)::text, 3, '0') END || 'Z' $$;
CREATE FUNCTION moment(bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN $1 % 1000 = 0 AND $1 BETWEEN -62135596800000 AND 253402300799000
    THEN substr(to_json(timestamp '1970-01-01' + ($1 / 1000)::double precision * interval '1 second')::text, 2, 19) || 'Z'
    ELSE moment_with_millis($1) END $$;
CREATE FUNCTION day(bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT substr(to_json(date '1970-01-01' + (CASE WHEN $1 >= 0 THEN $1 ELSE $1 - 86399999 END / 86400000)::integer)::text, 2, 10) $$;
-- A number with a fraction in JSON, as SQLite writes it: 5.0, 1.0e+20.
CREATE FUNCTION json_real_in_any_form(double precision) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (CASE WHEN $1::text !~ '[.e]' THEN $1::text || '.0' WHEN $1::text !~ '[.]' THEN replace($1::text, 'e', '.0e') ELSE $1::text END)::json $$;
CREATE FUNCTION json_real(double precision) RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN abs($1) >= 1e15 OR abs($1) < 0.0001 AND $1 <> 0 THEN json_real_in_any_form($1)
    WHEN $1 = trunc($1) THEN ($1::bigint::text || '.0')::json ELSE $1::text::json END $$;
-- An id from its hexadecimal digits.
CREATE FUNCTION unhex(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT $1::uuid $$;
CREATE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT strpos($1, $2)::bigint $$;
CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT least($1, $2) $$;
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION iif(boolean, text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$;
-- A list of texts as rows; with '$', a list of whole numbers.
CREATE FUNCTION json_each(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 4 AS $$
  SELECT json_array_elements_text($1::json) COLLATE "C" $$;
CREATE FUNCTION json_each(text, text) RETURNS TABLE (value bigint) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 100 AS $$
  SELECT json_array_elements_text($1::json)::bigint $$;
-- Whether a bit of a set of rows is set.
CREATE FUNCTION in_rows(bytea, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT $2 >= 0 AND $2 < 8 * length($1)::bigint AND (get_byte($1, ($2 / 8)::integer) >> ($2 % 8)::integer) & 1 = 1 $$;
-- The normalized words of a text (fuzzy.rs).
CREATE FUNCTION tokens(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_remove(regexp_split_to_array(
    regexp_replace(replace(replace(replace(replace(replace(
      lower(normalize(coalesce($1, ''), NFKD) COLLATE "und-x-icu"), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ł', 'l'), 'ø', 'o'),
      '[\u0300-\u036f''\u2019`]', '', 'g'),
    '[^[:alnum:]%_*^~$=]+'), '') $$;
-- Those of them that can be found by a part or with a typo.
CREATE FUNCTION slippery_words(text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT word FROM unnest(tokens($1)) word WHERE length(word) > 2 AND word !~ '[0-9]' $$;

CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);


-- The global index.

CREATE TABLE sources (
  id            uuid NOT NULL PRIMARY KEY,
  slug          text COLLATE "C" NOT NULL UNIQUE,
  display_name  text COLLATE "C" NOT NULL,
  base_url      text COLLATE "C",
  logo_domain   text COLLATE "C"
);

CREATE TABLE accounts (
  rowid                 bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id                    uuid NOT NULL UNIQUE,
  name                  text COLLATE "C" NOT NULL,
  account_types         text COLLATE "C" NOT NULL DEFAULT '[]',
  aliases               text COLLATE "C" NOT NULL DEFAULT '[]',
  domains               text COLLATE "C" NOT NULL DEFAULT '[]',
  website               text COLLATE "C",
  linkedin_url          text COLLATE "C",
  city                  text COLLATE "C",
  state                 text COLLATE "C",
  hq_address            text COLLATE "C",
  hq_lat                double precision,
  hq_lng                double precision,
  public_phone          text COLLATE "C",
  public_email          text COLLATE "C",
  specialties           text COLLATE "C" NOT NULL DEFAULT '[]',
  description           text COLLATE "C",
  founded_year          bigint,
  account_types_source  text COLLATE "C",
  created_at            bigint NOT NULL,
  projects_count        bigint NOT NULL DEFAULT 0
);
CREATE INDEX accounts_by_name ON accounts(nocase(name), id);
CREATE INDEX accounts_by_creation ON accounts(created_at, id);
CREATE INDEX accounts_by_projects ON accounts(projects_count, id);
CREATE INDEX accounts_by_city ON accounts(city, state, account_types);

-- The domains of accounts in lower case, for lookups.
CREATE TABLE account_domains (
  domain      text COLLATE "C" NOT NULL,
  account_id  uuid NOT NULL,
  PRIMARY KEY (domain, account_id)
);
CREATE INDEX account_domains_by_account ON account_domains(account_id);
CREATE FUNCTION account_domains_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM account_domains WHERE account_id = new.id;
  INSERT INTO account_domains SELECT lowered(trim(value)), new.id FROM json_each(new.domains) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER account_gets_domains AFTER INSERT ON accounts FOR EACH ROW WHEN (new.domains <> '[]')
  EXECUTE FUNCTION account_domains_change();
CREATE TRIGGER account_changes_domains AFTER UPDATE OF domains ON accounts FOR EACH ROW EXECUTE FUNCTION account_domains_change();

CREATE TABLE contacts (
  rowid           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id              uuid NOT NULL UNIQUE,
  name            text COLLATE "C" NOT NULL,
  title           text COLLATE "C",
  account_id      uuid REFERENCES accounts(id),
  email           text COLLATE "C",
  phone           text COLLATE "C",
  created_at      bigint NOT NULL,
  projects_count  bigint NOT NULL DEFAULT 0
);
CREATE INDEX contacts_by_account ON contacts(account_id);
CREATE INDEX contacts_by_name ON contacts(nocase(name), id);
CREATE INDEX contacts_by_creation ON contacts(created_at, id);
CREATE INDEX contacts_by_projects ON contacts(projects_count, id);

CREATE TABLE contact_emails (
  email       text COLLATE "C" NOT NULL,
  contact_id  uuid NOT NULL,
  PRIMARY KEY (email, contact_id)
);
CREATE INDEX contact_emails_by_contact ON contact_emails(contact_id);
CREATE FUNCTION contact_emails_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM contact_emails WHERE contact_id = new.id;
  INSERT INTO contact_emails SELECT lowered(trim(new.email)), new.id WHERE new.email IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_gets_email AFTER INSERT ON contacts FOR EACH ROW WHEN (new.email IS NOT NULL)
  EXECUTE FUNCTION contact_emails_change();
CREATE TRIGGER contact_changes_email AFTER UPDATE OF email ON contacts FOR EACH ROW EXECUTE FUNCTION contact_emails_change();

CREATE TABLE projects (
  rowid                     bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id                        uuid NOT NULL UNIQUE,
  name                      text COLLATE "C" NOT NULL,
  primary_address           text COLLATE "C",
  city                      text COLLATE "C",
  state                     text COLLATE "C",
  neighborhood              text COLLATE "C",
  primary_use               text COLLATE "C",
  uses                      text COLLATE "C" NOT NULL DEFAULT '[]',
  stage                     text COLLATE "C",
  disposition               text COLLATE "C",
  gross_floor_area_sf       double precision,
  residential_units         bigint,
  cost_of_construction_usd  double precision,
  stories                   bigint,
  parking_spaces            bigint,
  gc_status                 text COLLATE "C",
  height_ft                 double precision,
  hotel_rooms               bigint,
  affordable_units          bigint,
  land_area_sf              double precision,
  unit_mix                  text COLLATE "C",
  use_areas                 text COLLATE "C",
  structure_types           text COLLATE "C" NOT NULL DEFAULT '[]',
  regulatory_flags          text COLLATE "C" NOT NULL DEFAULT '[]',
  far                       text COLLATE "C",
  lat                       double precision,
  lng                       double precision,
  first_signal_at           bigint,
  last_signal_at            bigint,
  signals_count             bigint NOT NULL DEFAULT 0,
  created_at                bigint NOT NULL
);
CREATE INDEX projects_by_name ON projects(nocase(name), id);
CREATE INDEX projects_by_creation ON projects(created_at, id);
CREATE INDEX projects_by_signals ON projects(signals_count, id);
CREATE INDEX projects_by_last_signal ON projects((coalesce(last_signal_at, -9007199254740991)), id);
CREATE INDEX projects_by_first_last_signal ON projects((coalesce(last_signal_at, 9007199254740991)), id);
CREATE INDEX projects_by_city ON projects(city, id);

-- The rows of imported files: a permit's row describes all its signals and is stored once.
CREATE TABLE source_rows (
  rowid    bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  payload  text NOT NULL
);

CREATE TABLE signals (
  rowid                         bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id                            uuid NOT NULL UNIQUE,
  project_id                    uuid NOT NULL REFERENCES projects(id),
  source_id                     uuid NOT NULL REFERENCES sources(id),
  signal_type                   text COLLATE "C" NOT NULL,
  filed_at                      bigint NOT NULL,
  discovered_at                 bigint NOT NULL,
  source_filing_id              text COLLATE "C",
  source_url                    text COLLATE "C",
  reported_cost_usd             double precision,
  reported_gross_floor_area_sf  double precision,
  raw_data                      text NOT NULL DEFAULT '{}',
  source_row                    bigint REFERENCES source_rows(rowid)
);
CREATE INDEX signals_by_project ON signals(project_id, filed_at, signal_type, discovered_at);
CREATE INDEX signals_by_type ON signals(signal_type, filed_at, id, discovered_at);
CREATE INDEX signals_by_filing ON signals(filed_at, id, discovered_at, signal_type);
CREATE INDEX signals_by_discovery ON signals(discovered_at, id, filed_at, signal_type);
CREATE INDEX signals_by_source_row ON signals(source_row) WHERE source_row IS NOT NULL;

CREATE TABLE project_accounts (
  project_id  uuid NOT NULL REFERENCES projects(id),
  account_id  uuid NOT NULL REFERENCES accounts(id),
  role        text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, account_id, role)
);
CREATE INDEX project_accounts_by_account ON project_accounts(account_id, project_id);

CREATE TABLE project_contacts (
  project_id  uuid NOT NULL REFERENCES projects(id),
  contact_id  uuid NOT NULL REFERENCES contacts(id),
  PRIMARY KEY (project_id, contact_id)
);
CREATE INDEX project_contacts_by_contact ON project_contacts(contact_id, project_id);

-- Projects with signals from after the service's clock, and their writer's values: see
-- project_status.rs.
CREATE TABLE projects_ahead (
  project_id   uuid NOT NULL PRIMARY KEY REFERENCES projects(id),
  stage        text COLLATE "C",
  disposition  text COLLATE "C"
);

-- How many projects a firm or a person has. A firm with two roles in a project counts once.
CREATE FUNCTION account_joins() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM project_accounts WHERE project_id = new.project_id AND account_id = new.account_id) = 1 THEN
    UPDATE accounts SET projects_count = projects_count + 1 WHERE id = new.account_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_joins AFTER INSERT ON project_accounts FOR EACH ROW EXECUTE FUNCTION account_joins();
CREATE FUNCTION account_leaves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM project_accounts WHERE project_id = old.project_id AND account_id = old.account_id) THEN
    UPDATE accounts SET projects_count = projects_count - 1 WHERE id = old.account_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_leaves AFTER DELETE ON project_accounts FOR EACH ROW EXECUTE FUNCTION account_leaves();
CREATE FUNCTION contact_joins() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE contacts SET projects_count = projects_count + 1 WHERE id = new.contact_id;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_joins AFTER INSERT ON project_contacts FOR EACH ROW EXECUTE FUNCTION contact_joins();
CREATE FUNCTION contact_leaves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE contacts SET projects_count = projects_count - 1 WHERE id = old.contact_id;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_leaves AFTER DELETE ON project_contacts FOR EACH ROW EXECUTE FUNCTION contact_leaves();

-- The words of the texts that the feed and the queue search; searches of the index use columns in
-- memory.
CREATE TABLE words (word text COLLATE "C" NOT NULL PRIMARY KEY);
CREATE TABLE projects_text (
  rowid  bigint NOT NULL PRIMARY KEY REFERENCES projects(rowid) ON DELETE CASCADE,
  words  tsvector NOT NULL
);
CREATE INDEX projects_text_words ON projects_text USING gin (words);
CREATE TABLE signals_text (
  rowid  bigint NOT NULL PRIMARY KEY REFERENCES signals(rowid) ON DELETE CASCADE,
  words  tsvector NOT NULL
);
CREATE INDEX signals_text_words ON signals_text USING gin (words);
CREATE FUNCTION projects_text_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO projects_text VALUES (new.rowid, array_to_tsvector(tokens(new.name)))
    ON CONFLICT (rowid) DO UPDATE SET words = excluded.words;
  INSERT INTO words SELECT slippery_words(new.name) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_text_change AFTER INSERT OR UPDATE OF name ON projects FOR EACH ROW EXECUTE FUNCTION projects_text_change();
CREATE FUNCTION signals_text_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO signals_text VALUES (new.rowid, array_to_tsvector(tokens(concat_ws(' ', new.source_filing_id, new.source_url))))
    ON CONFLICT (rowid) DO UPDATE SET words = excluded.words;
  INSERT INTO words SELECT slippery_words(concat_ws(' ', new.source_filing_id, new.source_url)) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER signals_text_change AFTER INSERT OR UPDATE OF source_filing_id, source_url ON signals
  FOR EACH ROW EXECUTE FUNCTION signals_text_change();

-- Which rows of the index were changed, in order: see db/columns. `kind` is the number of the table:
-- 0 accounts, 1 contacts, 2 projects, 3 signals; with 4 or 5 the accounts or contacts of the project
-- changed. New rows are not listed. Row ids and sequence numbers become visible in their order
-- because writers of the index take turns: see `begin_write` in sql/conn.rs.
CREATE TABLE index_changes (
  sequence  bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  kind      bigint NOT NULL,
  record    bigint NOT NULL
);
CREATE FUNCTION index_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO index_changes (kind, record) VALUES (tg_argv[0]::bigint, coalesce(new.rowid, old.rowid));
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_change AFTER UPDATE OF name, account_types, city, state, projects_count, created_at OR DELETE ON accounts
  FOR EACH ROW EXECUTE FUNCTION index_change(0);
CREATE TRIGGER contacts_change AFTER UPDATE OF name, title, email, account_id, projects_count, created_at OR DELETE ON contacts
  FOR EACH ROW EXECUTE FUNCTION index_change(1);
CREATE TRIGGER projects_change AFTER UPDATE OF name, city, state, stage, primary_use, gc_status, stories, residential_units,
  gross_floor_area_sf, cost_of_construction_usd, last_signal_at, signals_count, created_at OR DELETE ON projects
  FOR EACH ROW EXECUTE FUNCTION index_change(2);
CREATE TRIGGER signals_change AFTER UPDATE OF project_id, signal_type, filed_at, discovered_at OR DELETE ON signals
  FOR EACH ROW EXECUTE FUNCTION index_change(3);
CREATE FUNCTION link_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO index_changes (kind, record)
    SELECT tg_argv[0]::bigint, rowid FROM projects WHERE id IN (old.project_id, new.project_id);
  RETURN NULL;
END $$;
CREATE TRIGGER project_accounts_change AFTER INSERT OR UPDATE OR DELETE ON project_accounts
  FOR EACH ROW EXECUTE FUNCTION link_change(4);
CREATE TRIGGER project_contacts_change AFTER INSERT OR UPDATE OR DELETE ON project_contacts
  FOR EACH ROW EXECUTE FUNCTION link_change(5);


-- People, and what belongs to workspaces. Every unique key of a table with records of a workspace
-- contains the workspace, by which such tables can be distributed.

CREATE TABLE remembered (              -- the service's own few values, as text
  name   text COLLATE "C" NOT NULL PRIMARY KEY,
  value  text COLLATE "C" NOT NULL
);
INSERT INTO remembered SELECT 'cursor_key', '\x' || encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid(), 'UTF8')), 'hex');

CREATE TABLE workspaces (
  rowid       bigint GENERATED BY DEFAULT AS IDENTITY UNIQUE,
  id          uuid NOT NULL PRIMARY KEY,
  name        text COLLATE "C" NOT NULL,
  plan        text COLLATE "C" NOT NULL,
  created_at  bigint NOT NULL
);

CREATE TABLE users (
  id                 uuid NOT NULL PRIMARY KEY,
  email              text COLLATE ignoring_case NOT NULL UNIQUE,
  first_name         text COLLATE "C",
  display_name       text COLLATE "C",
  avatar_object_key  text COLLATE "C",
  last_active_at     bigint
);

CREATE TABLE members (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  user_id       uuid NOT NULL REFERENCES users(id),
  role          text COLLATE "C" NOT NULL,
  joined_at     bigint NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);

CREATE TABLE api_keys (
  digest        bytea NOT NULL PRIMARY KEY,
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  issued_by     uuid REFERENCES users(id),
  prefix        text COLLATE "C" NOT NULL,
  scopes        text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL
);

CREATE TABLE access_tokens (
  digest        bytea NOT NULL PRIMARY KEY,
  user_id       uuid NOT NULL REFERENCES users(id),
  workspace_id  uuid REFERENCES workspaces(id),
  created_at    bigint NOT NULL,
  used_at       bigint NOT NULL DEFAULT 0
);

CREATE TABLE spending (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  minute        bigint NOT NULL,
  credits       bigint NOT NULL,
  PRIMARY KEY (workspace_id, minute)
);

CREATE TABLE subscriptions (
  workspace_id        uuid NOT NULL REFERENCES workspaces(id),
  signal_type         text COLLATE "C" NOT NULL,
  id                  uuid NOT NULL,
  priority            bigint NOT NULL,
  channels            text COLLATE "C" NOT NULL DEFAULT '[]',
  notify_all_members  boolean NOT NULL DEFAULT false,
  recipient_user_ids  text COLLATE "C" NOT NULL DEFAULT '[]',
  watermark           bigint NOT NULL,
  created_at          bigint NOT NULL,
  updated_at          bigint NOT NULL,
  PRIMARY KEY (workspace_id, signal_type),
  UNIQUE (workspace_id, id)
);
CREATE INDEX subscriptions_by_type ON subscriptions(signal_type);

CREATE TABLE triage (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  signal_id     uuid NOT NULL,
  triaged_by    text COLLATE "C" NOT NULL,
  triaged_at    bigint NOT NULL,
  PRIMARY KEY (workspace_id, signal_id)
);

CREATE TABLE queue (
  workspace_id  uuid NOT NULL,
  status        boolean NOT NULL,      -- whether it is done
  priority      bigint NOT NULL,
  filed_at      bigint NOT NULL,
  signal_id     uuid NOT NULL,
  signal_type   text COLLATE "C" NOT NULL,
  project       bigint NOT NULL DEFAULT 0,
  signal        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, signal_id)
);
CREATE INDEX queue_in_order ON queue(workspace_id, status, priority, filed_at DESC, signal_id);
CREATE INDEX queue_by_type ON queue(workspace_id, signal_type);
CREATE INDEX queue_by_filing ON queue(filed_at);
CREATE INDEX queue_by_project ON queue(workspace_id, project);

CREATE TABLE queue_counts (
  workspace_id  uuid NOT NULL,
  signal_type   text COLLATE "C" NOT NULL,
  status        boolean NOT NULL,
  signals       bigint NOT NULL,
  PRIMARY KEY (workspace_id, signal_type, status)
);
-- The counts change once per statement, not once per row of it.
CREATE FUNCTION queue_gains() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO queue_counts AS c SELECT workspace_id, signal_type, status, count(*) FROM gained GROUP BY 1, 2, 3
    ON CONFLICT (workspace_id, signal_type, status) DO UPDATE SET signals = c.signals + excluded.signals;
  RETURN NULL;
END $$;
CREATE FUNCTION queue_loses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE queue_counts c SET signals = c.signals - l.signals
    FROM (SELECT workspace_id, signal_type, status, count(*) AS signals FROM lost GROUP BY 1, 2, 3) l
    WHERE (c.workspace_id, c.signal_type, c.status) = (l.workspace_id, l.signal_type, l.status);
  RETURN NULL;
END $$;
CREATE FUNCTION queue_turns() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO queue_counts AS c
    SELECT workspace_id, signal_type, status, sum(signals)
      FROM (SELECT workspace_id, signal_type, status, 1 AS signals FROM gained
        UNION ALL SELECT workspace_id, signal_type, status, -1 FROM lost) t
      GROUP BY 1, 2, 3
    ON CONFLICT (workspace_id, signal_type, status) DO UPDATE SET signals = c.signals + excluded.signals;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_gains AFTER INSERT ON queue REFERENCING NEW TABLE AS gained
  FOR EACH STATEMENT EXECUTE FUNCTION queue_gains();
CREATE TRIGGER queue_loses AFTER DELETE ON queue REFERENCING OLD TABLE AS lost
  FOR EACH STATEMENT EXECUTE FUNCTION queue_loses();
CREATE TRIGGER queue_turns AFTER UPDATE ON queue REFERENCING OLD TABLE AS lost NEW TABLE AS gained
  FOR EACH STATEMENT EXECUTE FUNCTION queue_turns();

CREATE TABLE book (
  workspace_id      uuid NOT NULL REFERENCES workspaces(id),
  dataset           text COLLATE "C" NOT NULL,
  record_id         uuid NOT NULL,
  icp_tier          text COLLATE "C",
  atlas_score       bigint,
  atlas_trend       text COLLATE "C",
  workspace_status  text COLLATE "C",
  notes             text COLLATE "C",
  tags              text COLLATE "C" NOT NULL DEFAULT '[]',
  created_at        bigint NOT NULL,
  updated_at        bigint NOT NULL,
  PRIMARY KEY (workspace_id, dataset, record_id)
);
CREATE INDEX book_by_change ON book(workspace_id, dataset, updated_at, record_id);

CREATE TABLE atlas_due (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  record_id     uuid NOT NULL,
  PRIMARY KEY (workspace_id, record_id)
);

CREATE TABLE views (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  id            uuid NOT NULL,
  name          text COLLATE "C" NOT NULL,
  description   text COLLATE "C",
  dataset       text COLLATE "C" NOT NULL,
  kind          text COLLATE "C" NOT NULL,
  definition    text COLLATE "C",
  sort          text COLLATE "C",
  created_by    text COLLATE "C",
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE view_records (
  workspace_id  uuid NOT NULL,
  view_id       uuid NOT NULL,
  record_id     uuid NOT NULL,
  added_at      bigint NOT NULL,
  PRIMARY KEY (workspace_id, view_id, record_id),
  FOREIGN KEY (workspace_id, view_id) REFERENCES views(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX view_records_by_record ON view_records(workspace_id, record_id);

CREATE TABLE favorites (
  workspace_id  uuid NOT NULL,
  user_id       uuid NOT NULL,
  view_id       uuid NOT NULL,
  position      bigint NOT NULL,
  created_at    bigint NOT NULL,
  PRIMARY KEY (workspace_id, user_id, view_id),
  FOREIGN KEY (workspace_id, view_id) REFERENCES views(workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, user_id) REFERENCES members(workspace_id, user_id) ON DELETE CASCADE
);

CREATE TABLE invitations (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  id            uuid NOT NULL,
  email         text COLLATE ignoring_case NOT NULL,
  role          text COLLATE "C" NOT NULL,
  invited_by    text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL,
  expires_at    bigint NOT NULL,
  accepted_at   bigint,
  revoked_at    bigint,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE skills (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  id            uuid NOT NULL,
  slug          text COLLATE "C" NOT NULL,
  name          text COLLATE "C" NOT NULL,
  description   text COLLATE "C",
  source        text COLLATE "C" NOT NULL,
  lifecycle     text COLLATE "C" NOT NULL,
  audience      text COLLATE "C" NOT NULL,
  installed     boolean NOT NULL DEFAULT false,
  revision      bigint NOT NULL,
  owner         text COLLATE "C" NOT NULL,
  created_by    text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  published_at  bigint,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE skill_revisions (
  workspace_id  uuid NOT NULL,
  skill_id      uuid NOT NULL,
  revision      bigint NOT NULL,
  files         text NOT NULL,
  created_by    text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL,
  PRIMARY KEY (workspace_id, skill_id, revision),
  FOREIGN KEY (workspace_id, skill_id) REFERENCES skills(workspace_id, id)
);

CREATE TABLE skill_receipts (
  workspace_id  uuid NOT NULL,
  caller        text COLLATE "C" NOT NULL,
  key           text COLLATE "C" NOT NULL,
  digest        bytea NOT NULL,
  receipt       text NOT NULL,
  created_at    bigint NOT NULL,
  PRIMARY KEY (workspace_id, caller, key)
);

CREATE TABLE mails (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  id            uuid NOT NULL,
  user_id       uuid NOT NULL REFERENCES users(id),
  signals       text NOT NULL,
  total         bigint NOT NULL,
  made_at       bigint NOT NULL,
  tries         bigint NOT NULL DEFAULT 0,
  next_try_at   bigint NOT NULL,
  ended_at      bigint,
  outcome       text COLLATE "C",
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mails_due ON mails(next_try_at) WHERE ended_at IS NULL;
CREATE INDEX mails_ended ON mails(ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE join_codes (
  digest        bytea NOT NULL PRIMARY KEY,
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  kind          text COLLATE "C" NOT NULL,
  target_id     uuid NOT NULL
);

CREATE TABLE walls (
  workspace_id  uuid NOT NULL REFERENCES workspaces(id),
  id            uuid NOT NULL,
  name          text COLLATE "C" NOT NULL,
  created_by    text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL,
  expires_at    bigint NOT NULL,
  joined_at     bigint,
  revoked_at    bigint,
  key_digest    bytea,
  key_prefix    text COLLATE "C",
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE invitation_mails (
  workspace_id   uuid NOT NULL REFERENCES workspaces(id),
  invitation_id  uuid NOT NULL,
  made_at        bigint NOT NULL,
  tries          bigint NOT NULL DEFAULT 0,
  next_try_at    bigint NOT NULL,
  ended_at       bigint,
  outcome        text COLLATE "C",
  PRIMARY KEY (workspace_id, invitation_id)
);
CREATE INDEX invitation_mails_due ON invitation_mails(next_try_at) WHERE ended_at IS NULL;
