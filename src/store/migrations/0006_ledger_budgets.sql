-- A budget is kept over what is under way too: by the most that it can take, and by the run of the program that asked.
ALTER TABLE ledger ADD COLUMN most INTEGER;
ALTER TABLE ledger ADD COLUMN session BLOB;
