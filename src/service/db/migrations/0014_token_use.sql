-- When a token was used last, to the day: a token that is used does not end.
ALTER TABLE access_tokens ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
UPDATE access_tokens SET used_at = created_at;
