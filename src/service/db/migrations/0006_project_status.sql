-- Projects with signals that the service's clock has not reached, and what their writer said of them: see standing.rs.
CREATE TABLE projects_ahead (
  project_id   BLOB NOT NULL PRIMARY KEY REFERENCES projects(id),
  stage        TEXT,
  disposition  TEXT
) STRICT, WITHOUT ROWID;
