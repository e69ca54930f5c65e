-- Which rows of the index were changed, in order, so that a service notices what another process wrote to the file: see
-- db/columns. New rows are not listed, because their row ids are higher than all others. `kind` is the number of the table:
-- 0 accounts, 1 contacts, 2 projects, 3 signals; with 4 or 5 the accounts or contacts of the project changed.

CREATE TABLE index_changes (
  sequence  INTEGER PRIMARY KEY,
  kind      INTEGER NOT NULL,
  record    INTEGER NOT NULL
) STRICT;

CREATE TRIGGER accounts_change AFTER UPDATE OF name, account_types, city, state, projects_count, created_at ON accounts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (0, new.rowid);
END;
CREATE TRIGGER accounts_vanish AFTER DELETE ON accounts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (0, old.rowid);
END;
CREATE TRIGGER contacts_change AFTER UPDATE OF name, title, email, account_id, projects_count, created_at ON contacts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (1, new.rowid);
END;
CREATE TRIGGER contacts_vanish AFTER DELETE ON contacts BEGIN
  INSERT INTO index_changes (kind, record) VALUES (1, old.rowid);
END;
CREATE TRIGGER projects_change AFTER UPDATE OF name, city, state, stage, primary_use, gc_status, stories, residential_units,
  gross_floor_area_sf, cost_of_construction_usd, last_signal_at, signals_count, created_at ON projects BEGIN
  INSERT INTO index_changes (kind, record) VALUES (2, new.rowid);
END;
CREATE TRIGGER projects_vanish AFTER DELETE ON projects BEGIN
  INSERT INTO index_changes (kind, record) VALUES (2, old.rowid);
END;
CREATE TRIGGER signals_change AFTER UPDATE OF project_id, signal_type, filed_at, discovered_at ON signals BEGIN
  INSERT INTO index_changes (kind, record) VALUES (3, new.rowid);
END;
CREATE TRIGGER signals_vanish AFTER DELETE ON signals BEGIN
  INSERT INTO index_changes (kind, record) VALUES (3, old.rowid);
END;

CREATE TRIGGER project_accounts_gain AFTER INSERT ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record) SELECT 4, rowid FROM projects WHERE id = new.project_id;
END;
CREATE TRIGGER project_accounts_lose AFTER DELETE ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record) SELECT 4, rowid FROM projects WHERE id = old.project_id;
END;
CREATE TRIGGER project_accounts_change AFTER UPDATE ON project_accounts BEGIN
  INSERT INTO index_changes (kind, record) SELECT 4, rowid FROM projects WHERE id IN (old.project_id, new.project_id);
END;
CREATE TRIGGER project_contacts_gain AFTER INSERT ON project_contacts BEGIN
  INSERT INTO index_changes (kind, record) SELECT 5, rowid FROM projects WHERE id = new.project_id;
END;
CREATE TRIGGER project_contacts_lose AFTER DELETE ON project_contacts BEGIN
  INSERT INTO index_changes (kind, record) SELECT 5, rowid FROM projects WHERE id = old.project_id;
END;
