-- What searches need: how many projects a firm or a person has, stored so that searches can sort by it.

ALTER TABLE accounts ADD COLUMN projects_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contacts ADD COLUMN projects_count INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET projects_count = (SELECT count(DISTINCT project_id) FROM project_accounts WHERE account_id = accounts.id);
UPDATE contacts SET projects_count = (SELECT count(*) FROM project_contacts WHERE contact_id = contacts.id);

-- A firm with two roles in a project counts once.
CREATE TRIGGER account_joins AFTER INSERT ON project_accounts
WHEN (SELECT count(*) FROM project_accounts WHERE project_id = new.project_id AND account_id = new.account_id) = 1 BEGIN
  UPDATE accounts SET projects_count = projects_count + 1 WHERE id = new.account_id;
END;
CREATE TRIGGER account_leaves AFTER DELETE ON project_accounts
WHEN NOT EXISTS (SELECT 1 FROM project_accounts WHERE project_id = old.project_id AND account_id = old.account_id) BEGIN
  UPDATE accounts SET projects_count = projects_count - 1 WHERE id = old.account_id;
END;
CREATE TRIGGER contact_joins AFTER INSERT ON project_contacts BEGIN
  UPDATE contacts SET projects_count = projects_count + 1 WHERE id = new.contact_id;
END;
CREATE TRIGGER contact_leaves AFTER DELETE ON project_contacts BEGIN
  UPDATE contacts SET projects_count = projects_count - 1 WHERE id = old.contact_id;
END;

-- Texts as normalized words (the function `words`), and the words that can be found by a part or with a typo (`slippery`).
CREATE VIRTUAL TABLE accounts_text USING fts5(name, aliases, city,
  content='', contentless_delete=1, detail=column, tokenize="ascii tokenchars '%_*^~$='");
CREATE VIRTUAL TABLE contacts_text USING fts5(name, title, email, phone, account,
  content='', contentless_delete=1, detail=column, tokenize="ascii tokenchars '%_*^~$='");
CREATE VIRTUAL TABLE projects_text USING fts5(name, primary_address, city,
  content='', contentless_delete=1, detail=column, tokenize="ascii tokenchars '%_*^~$='");
CREATE TABLE words (word TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

INSERT INTO accounts_text (rowid, name, aliases, city) SELECT rowid, words(name), words(aliases), words(city) FROM accounts;
INSERT INTO contacts_text (rowid, name, title, email, phone, account)
  SELECT c.rowid, words(c.name), words(c.title), words(c.email), words(c.phone), words(a.name)
  FROM contacts c LEFT JOIN accounts a ON a.id = c.account_id;
INSERT INTO projects_text (rowid, name, primary_address, city)
  SELECT rowid, words(name), words(primary_address), words(city) FROM projects;
INSERT OR IGNORE INTO words
  SELECT w.value FROM accounts r, json_each(slippery(r.name, r.aliases, r.city)) w
  UNION SELECT w.value FROM contacts r, json_each(slippery(r.name, r.title, r.email)) w
  UNION SELECT w.value FROM projects r, json_each(slippery(r.name, r.primary_address, r.city)) w;

CREATE TRIGGER accounts_text_gains AFTER INSERT ON accounts BEGIN
  INSERT INTO accounts_text (rowid, name, aliases, city) VALUES (new.rowid, words(new.name), words(new.aliases), words(new.city));
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.aliases, new.city));
END;
CREATE TRIGGER accounts_text_turns AFTER UPDATE OF name, aliases, city ON accounts BEGIN
  UPDATE accounts_text SET name = words(new.name), aliases = words(new.aliases), city = words(new.city) WHERE rowid = new.rowid;
  UPDATE contacts SET account_id = account_id WHERE account_id = new.id;
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.aliases, new.city));
END;
CREATE TRIGGER accounts_text_loses AFTER DELETE ON accounts BEGIN
  DELETE FROM accounts_text WHERE rowid = old.rowid;
END;

CREATE TRIGGER contacts_text_gains AFTER INSERT ON contacts BEGIN
  INSERT INTO contacts_text (rowid, name, title, email, phone, account) VALUES (new.rowid, words(new.name), words(new.title),
    words(new.email), words(new.phone), words((SELECT name FROM accounts WHERE id = new.account_id)));
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.title, new.email));
END;
CREATE TRIGGER contacts_text_turns AFTER UPDATE OF name, title, email, phone, account_id ON contacts BEGIN
  UPDATE contacts_text SET name = words(new.name), title = words(new.title), email = words(new.email), phone = words(new.phone),
    account = words((SELECT name FROM accounts WHERE id = new.account_id)) WHERE rowid = new.rowid;
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.title, new.email));
END;
CREATE TRIGGER contacts_text_loses AFTER DELETE ON contacts BEGIN
  DELETE FROM contacts_text WHERE rowid = old.rowid;
END;

CREATE TRIGGER projects_text_gains AFTER INSERT ON projects BEGIN
  INSERT INTO projects_text (rowid, name, primary_address, city)
    VALUES (new.rowid, words(new.name), words(new.primary_address), words(new.city));
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.primary_address, new.city));
END;
CREATE TRIGGER projects_text_turns AFTER UPDATE OF name, primary_address, city ON projects BEGIN
  UPDATE projects_text SET name = words(new.name), primary_address = words(new.primary_address), city = words(new.city)
    WHERE rowid = new.rowid;
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.name, new.primary_address, new.city));
END;
CREATE TRIGGER projects_text_loses AFTER DELETE ON projects BEGIN
  DELETE FROM projects_text WHERE rowid = old.rowid;
END;

INSERT INTO remembered (name, value) VALUES ('cursor_key', randomblob(32));

-- One index for each sort order of a search, so that a page is read from where it begins. The one of projects by their last
-- signal also contains the most common filter columns, so that a rare combination is found without reading the projects.
CREATE INDEX accounts_by_name ON accounts(name COLLATE NOCASE, id);
CREATE INDEX accounts_by_creation ON accounts(created_at, id);
CREATE INDEX accounts_by_projects ON accounts(projects_count, id);
CREATE INDEX contacts_by_name ON contacts(name COLLATE NOCASE, id);
CREATE INDEX contacts_by_creation ON contacts(created_at, id);
CREATE INDEX contacts_by_projects ON contacts(projects_count, id);
CREATE INDEX projects_by_name ON projects(name COLLATE NOCASE, id);
CREATE INDEX projects_by_creation ON projects(created_at, id);
CREATE INDEX projects_by_signals ON projects(signals_count, id);
CREATE INDEX projects_by_last_signal ON projects(ifnull(last_signal_at, -9007199254740991), id, stage, primary_use, state, gc_status,
  stories, residential_units, gross_floor_area_sf, cost_of_construction_usd, last_signal_at);
CREATE INDEX signals_by_type_and_filing ON signals(signal_type, filed_at, id);
