-- What relations ask of a project's signals stands in the index that finds them: the type and the discovery are tested without
-- reading a signal.

DROP INDEX signals_by_project;
CREATE INDEX signals_by_project ON signals(project_id, filed_at, signal_type, discovered_at);
