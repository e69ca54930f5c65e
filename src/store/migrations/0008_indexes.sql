-- What is asked for each act: which writes were made of it, which writes are of unknown fate, and what this run has spent.
CREATE INDEX sends_op ON sends (op, state);
CREATE INDEX sends_unknown ON sends (at) WHERE state = 'unknown';
CREATE INDEX ledger_session ON ledger (session);
