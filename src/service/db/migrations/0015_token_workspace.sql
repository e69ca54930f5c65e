-- The only workspace that a token is for; NULL: all of its user's.
ALTER TABLE access_tokens ADD COLUMN workspace_id BLOB REFERENCES workspaces(id);
