-- What triggers maintain record by record, for an index that was filled without them.

INSERT INTO account_domains SELECT DISTINCT lowered(trim(d.value)), a.id FROM accounts a, json_each(a.domains) d;
INSERT INTO contact_emails SELECT lowered(trim(email)), id FROM contacts WHERE email IS NOT NULL;
UPDATE accounts SET projects_count = (SELECT count(DISTINCT project_id) FROM project_accounts WHERE account_id = accounts.id);
UPDATE contacts SET projects_count = (SELECT count(*) FROM project_contacts WHERE contact_id = contacts.id);

INSERT INTO projects_text (rowid, name) SELECT rowid, words(name) FROM projects;
INSERT INTO signals_text (rowid, source_filing_id, source_url)
  SELECT rowid, words(source_filing_id), words(source_url) FROM signals;
INSERT OR IGNORE INTO words
  SELECT w.value FROM projects r, json_each(slippery(r.name)) w
  UNION SELECT w.value FROM signals r, json_each(slippery(r.source_filing_id, r.source_url)) w;
