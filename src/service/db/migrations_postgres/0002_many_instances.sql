-- A number with a fraction in JSON, as SQLite writes it: 5.0, 1.0e+20.
CREATE FUNCTION json_real(double precision) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (CASE WHEN $1::text !~ '[.e]' THEN $1::text || '.0' WHEN $1::text !~ '[.]' THEN replace($1::text, 'e', '.0e') ELSE $1::text END)::json $$;
-- An id from its hexadecimal digits.
CREATE FUNCTION unhex(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT $1::uuid $$;

-- The counts of the queue change once per statement, not once per row of it.
DROP TRIGGER queue_change ON queue;
DROP FUNCTION queue_change();
CREATE FUNCTION queue_gains() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO queue_counts AS c SELECT workspace_id, signal_type, status, count(*) FROM gained GROUP BY 1, 2, 3
    ON CONFLICT (workspace_id, signal_type, status) DO UPDATE SET signals = c.signals + excluded.signals;
  RETURN NULL;
END $$;
CREATE FUNCTION queue_loses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE queue_counts c SET signals = c.signals - l.signals
    FROM (SELECT workspace_id, signal_type, status, count(*) AS signals FROM lost GROUP BY 1, 2, 3) l
    WHERE (c.workspace_id, c.signal_type, c.status) = (l.workspace_id, l.signal_type, l.status);
  RETURN NULL;
END $$;
CREATE FUNCTION queue_turns() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO queue_counts AS c
    SELECT workspace_id, signal_type, status, sum(signals)
      FROM (SELECT workspace_id, signal_type, status, 1 AS signals FROM gained
        UNION ALL SELECT workspace_id, signal_type, status, -1 FROM lost) t
      GROUP BY 1, 2, 3
    ON CONFLICT (workspace_id, signal_type, status) DO UPDATE SET signals = c.signals + excluded.signals;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_gains AFTER INSERT ON queue REFERENCING NEW TABLE AS gained
  FOR EACH STATEMENT EXECUTE FUNCTION queue_gains();
CREATE TRIGGER queue_loses AFTER DELETE ON queue REFERENCING OLD TABLE AS lost
  FOR EACH STATEMENT EXECUTE FUNCTION queue_loses();
CREATE TRIGGER queue_turns AFTER UPDATE ON queue REFERENCING OLD TABLE AS lost NEW TABLE AS gained
  FOR EACH STATEMENT EXECUTE FUNCTION queue_turns();

-- Every unique key of a table of workspaces contains the workspace, by which such tables can be distributed.
ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_id_key;
ALTER TABLE subscriptions ADD UNIQUE (workspace_id, id);
