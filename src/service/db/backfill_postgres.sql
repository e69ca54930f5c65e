-- What triggers maintain record by record, for an index that was filled without them. It may be run again.

INSERT INTO account_domains SELECT DISTINCT lowered(trim(d.value)), a.id FROM accounts a, json_each(a.domains) d ON CONFLICT DO NOTHING;
INSERT INTO contact_emails SELECT lowered(trim(email)), id FROM contacts WHERE email IS NOT NULL ON CONFLICT DO NOTHING;
UPDATE accounts r SET projects_count = c.projects
  FROM (SELECT account_id, count(DISTINCT project_id) AS projects FROM project_accounts GROUP BY account_id) c WHERE c.account_id = r.id;
UPDATE contacts r SET projects_count = c.projects
  FROM (SELECT contact_id, count(*) AS projects FROM project_contacts GROUP BY contact_id) c WHERE c.contact_id = r.id;

INSERT INTO projects_text SELECT rowid, array_to_tsvector(tokens(name)) FROM projects ON CONFLICT DO NOTHING;
INSERT INTO signals_text SELECT rowid, array_to_tsvector(tokens(concat_ws(' ', source_filing_id, source_url))) FROM signals
  ON CONFLICT DO NOTHING;
INSERT INTO words
  SELECT slippery_words(name) FROM projects UNION SELECT slippery_words(concat_ws(' ', source_filing_id, source_url)) FROM signals
  ON CONFLICT DO NOTHING;
