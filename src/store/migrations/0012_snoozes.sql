-- Signals that the user has put aside on this machine, as last read. Nothing of this is sent.
CREATE TABLE snoozes (
    meter TEXT NOT NULL,
    workspace_id BLOB,
    signal_id BLOB NOT NULL,
    -- The snooze with the signal's row, as JSON.
    snooze TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX snoozes_by_signal ON snoozes (meter, ifnull(workspace_id, x''), signal_id);
