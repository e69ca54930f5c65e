-- The texts by which the feed and the queue are searched, like those of the other datasets in 0003_search.sql.

CREATE VIRTUAL TABLE signals_text USING fts5(source_filing_id, source_url,
  content='', contentless_delete=1, detail=column, tokenize="ascii tokenchars '%_*^~$='");
INSERT INTO signals_text (rowid, source_filing_id, source_url)
  SELECT rowid, words(source_filing_id), words(source_url) FROM signals;
INSERT OR IGNORE INTO words SELECT w.value FROM signals r, json_each(slippery(r.source_filing_id, r.source_url)) w;

CREATE TRIGGER signals_text_gains AFTER INSERT ON signals BEGIN
  INSERT INTO signals_text (rowid, source_filing_id, source_url)
    VALUES (new.rowid, words(new.source_filing_id), words(new.source_url));
  INSERT OR IGNORE INTO words SELECT value FROM json_each(slippery(new.source_filing_id, new.source_url));
END;
CREATE TRIGGER signals_text_turns AFTER UPDATE OF source_filing_id, source_url ON signals BEGIN
  UPDATE signals_text SET source_filing_id = words(new.source_filing_id), source_url = words(new.source_url)
    WHERE rowid = new.rowid;
END;
CREATE TRIGGER signals_text_loses AFTER DELETE ON signals BEGIN
  DELETE FROM signals_text WHERE rowid = old.rowid;
END;
