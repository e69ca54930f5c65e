-- What triggers maintain record by record, for an index that was filled without them. It may be run
-- again.

INSERT INTO account_domains
  SELECT DISTINCT lowered(trim(d.value)), a.id FROM accounts a, json_each(a.domains) d WHERE true
  ON CONFLICT DO NOTHING;
INSERT INTO contact_emails SELECT lowered(trim(email)), id FROM contacts WHERE email IS NOT NULL
  ON CONFLICT DO NOTHING;
UPDATE accounts AS r SET projects_count = c.projects
  FROM (SELECT account_id, count(DISTINCT project_id) AS projects FROM project_accounts GROUP BY account_id) c
  WHERE c.account_id = r.id;
UPDATE contacts AS r SET projects_count = c.projects
  FROM (SELECT contact_id, count(*) AS projects FROM project_contacts GROUP BY contact_id) c
  WHERE c.contact_id = r.id;
