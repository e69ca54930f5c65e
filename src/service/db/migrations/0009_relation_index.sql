-- Lets the index that finds a project's signals also contain what relations test, the type and the discovery, so that no signal
-- has to be read.

DROP INDEX signals_by_project;
CREATE INDEX signals_by_project ON signals(project_id, filed_at, signal_type, discovered_at);
