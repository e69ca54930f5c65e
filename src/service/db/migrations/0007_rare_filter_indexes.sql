-- For searches with rare matches: covering indexes of all filter columns except texts, so that a few records are found without
-- reading the others; and an index for each sort order that had none.

DROP INDEX projects_by_last_signal;
CREATE INDEX projects_by_last_signal ON projects(ifnull(last_signal_at, -9007199254740991), id, stage, primary_use, state, gc_status,
  stories, residential_units, gross_floor_area_sf, cost_of_construction_usd, last_signal_at, city);
CREATE INDEX projects_by_first_last_signal ON projects(ifnull(last_signal_at, 9007199254740991), id);
CREATE INDEX projects_by_city ON projects(city, id);
CREATE INDEX accounts_by_city ON accounts(city, state, account_types);

DROP INDEX signals_by_type;
DROP INDEX signals_by_type_and_filing;
CREATE INDEX signals_by_type ON signals(signal_type, filed_at, id, discovered_at);
DROP INDEX signals_by_filing;
CREATE INDEX signals_by_filing ON signals(filed_at, id, discovered_at, signal_type);
DROP INDEX signals_by_discovery;
CREATE INDEX signals_by_discovery ON signals(discovered_at, id, filed_at, signal_type);

-- The queue refers to projects, so that a name or a city is looked up among projects instead of signals.
ALTER TABLE queue ADD COLUMN project INTEGER NOT NULL DEFAULT 0; -- the row of the project
UPDATE queue SET project = (SELECT p.rowid FROM signals s JOIN projects p ON p.id = s.project_id WHERE s.id = signal_id);
CREATE INDEX queue_by_project ON queue(workspace_id, project);
