-- Signals that the user has bookmarked, as last seen. Nothing of this is sent.
CREATE TABLE bookmarks (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    signal_id BLOB NOT NULL,
    -- The bookmark with the signal's row, as JSON.
    bookmark TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX bookmarks_by_signal ON bookmarks (meter, ifnull(workspace_id, x''), signal_id);
