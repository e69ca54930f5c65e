-- What of an act was applied, once that is known: of a batch some may have been refused.
ALTER TABLE acts ADD COLUMN applied TEXT; -- JSON, as `change`
