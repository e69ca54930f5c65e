-- What searches need of the index: how many projects a firm or a person has, kept so that a search can be sorted by it.

ALTER TABLE accounts ADD COLUMN projects_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contacts ADD COLUMN projects_count INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET projects_count = (SELECT count(DISTINCT project_id) FROM project_accounts WHERE account_id = accounts.id);
UPDATE contacts SET projects_count = (SELECT count(*) FROM project_contacts WHERE contact_id = contacts.id);

-- A firm with two parts in a project is on one project.
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
