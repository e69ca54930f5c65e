-- Searches of the index that the user named. They belong to a service, a workspace and a credential, as what they have read.
CREATE TABLE named_searches (
    owner BLOB NOT NULL,
    name TEXT NOT NULL,
    search TEXT NOT NULL,         -- JSON: what was searched for, and how often it was found
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
