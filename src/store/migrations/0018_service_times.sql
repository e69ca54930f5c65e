-- When it was on the service's clock, in milliseconds: a clock that starts at --as-of stands still between its runs, so later it
-- cannot be computed from this machine's. NULL if the service had not responded yet.
ALTER TABLE acts ADD COLUMN service_at INTEGER;
ALTER TABLE sends ADD COLUMN service_at INTEGER;
ALTER TABLE ledger ADD COLUMN service_at INTEGER;
