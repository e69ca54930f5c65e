-- Projects with signals from after the service's clock, and their writer's values: see project_status.rs.
CREATE TABLE projects_ahead (
  project_id   BLOB NOT NULL PRIMARY KEY REFERENCES projects(id),
  stage        TEXT,
  disposition  TEXT
) STRICT, WITHOUT ROWID;
