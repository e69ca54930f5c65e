-- The natural keys of accounts and contacts, in lower case for all alphabets (the function `lowered`): SQLite's own functions
-- only handle A to Z.

DROP TRIGGER account_gets_domains;
DROP TRIGGER account_changes_domains;
DELETE FROM account_domains;
INSERT INTO account_domains SELECT DISTINCT lowered(trim(d.value)), a.id FROM accounts a, json_each(a.domains) d;
CREATE TRIGGER account_gets_domains AFTER INSERT ON accounts WHEN new.domains <> '[]' BEGIN
  INSERT OR IGNORE INTO account_domains SELECT lowered(trim(value)), new.id FROM json_each(new.domains);
END;
CREATE TRIGGER account_changes_domains AFTER UPDATE OF domains ON accounts BEGIN
  DELETE FROM account_domains WHERE account_id = old.id AND domain IN (SELECT lowered(trim(value)) FROM json_each(old.domains));
  INSERT OR IGNORE INTO account_domains SELECT lowered(trim(value)), new.id FROM json_each(new.domains);
END;

-- A table instead of an index on the function: other programs cannot open a file whose tables need a custom function.
DROP INDEX contacts_by_email;
CREATE TABLE contact_emails (
  email       TEXT NOT NULL,
  contact_id  BLOB NOT NULL,
  PRIMARY KEY (email, contact_id)
) STRICT, WITHOUT ROWID;
INSERT INTO contact_emails SELECT lowered(trim(email)), id FROM contacts WHERE email IS NOT NULL;
CREATE TRIGGER contact_gets_email AFTER INSERT ON contacts WHEN new.email IS NOT NULL BEGIN
  INSERT INTO contact_emails VALUES (lowered(trim(new.email)), new.id);
END;
CREATE TRIGGER contact_changes_email AFTER UPDATE OF email ON contacts BEGIN
  DELETE FROM contact_emails WHERE email = lowered(trim(old.email)) AND contact_id = old.id;
  INSERT INTO contact_emails SELECT lowered(trim(new.email)), new.id WHERE new.email IS NOT NULL;
END;
