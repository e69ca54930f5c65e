-- Open promises in the notes of records, as last read or written.
CREATE TABLE promises (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    record_id BLOB NOT NULL,
    note TEXT NOT NULL            -- JSON, with the record's name
) STRICT;
CREATE UNIQUE INDEX promises_by_record ON promises (meter, ifnull(workspace_id, x''), record_id);

-- A bookmark was a promise without a day: it becomes a snooze that is over, so that its signal
-- stands on top of the queue while it is new.
INSERT OR IGNORE INTO snoozes (meter, workspace_id, signal_id, snooze)
SELECT meter, workspace_id, signal_id,
    json_patch(bookmark -> 'row', json_object(
        'snoozed_at', bookmark ->> 'at', 'snoozed_until', bookmark ->> 'at', 'snooze_reason', 'bookmarked'))
FROM bookmarks;
DROP TABLE bookmarks;
