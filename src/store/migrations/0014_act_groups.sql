-- Changes that were made as one and are undone as one.
ALTER TABLE acts ADD COLUMN group_id BLOB;
