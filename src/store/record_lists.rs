//! Lists of records that were read: of the book, of Views, and searches of the index. Their rows
//! were paid for, page by page.
//!
//! Never here: when a list is too old to be shown. It is shown with its age.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use uuid::Uuid;

use super::cache_owner::CacheOwner;
use super::{Store, StoreError, from_json_text, timestamp_column, to_json_text};
use crate::domain::records::{Record, RecordFields, RecordsBuilder};
use crate::domain::runs::{SavedRowsChange, SavedSearch, SavedSearchRun};
use crate::domain::search::{RecordSource, Search};

/// Maximum number of searches of the index per owner; the newest are kept.
const MAX_INDEX_SEARCHES: i64 = 50;
/// Maximum number of rows per list; later pages are read, and paid for, again.
pub(super) const MAX_ROWS_PER_LIST: usize = 100_000;
/// Maximum bytes of rows in total; beyond it the least recently used lists are deleted.
const MAX_LIST_BYTES: i64 = 256 << 20;

/// Maximum bytes of the searches of the index that a session begins with; older ones stay in the
/// file.
const MAX_RESTORED_BYTES: i64 = 32 << 20;
/// From this many rows on, a list is read by two threads.
const MANY_ROWS: i64 = 20_000;

/// Selects the columns of [`run_from_row`].
const SELECT_LISTS: &str = "SELECT id, at, source, search, read_at, total, is_capped, spent, unreadable, after FROM record_lists";

/// The lists of one owner.
#[derive(Clone)]
pub struct RecordListStore {
    store: Store,
    owner: Uuid,
}

impl Store {
    pub fn record_lists(&self, owner: CacheOwner) -> RecordListStore {
        RecordListStore {
            store: self.clone(),
            owner: owner.0,
        }
    }
}

impl RecordListStore {
    /// Saves a list with its new rows: those from index `from` on. Other lists with the same
    /// records are updated.
    pub fn save(&self, run: SavedSearchRun, from: usize, now: DateTime<Utc>) {
        let owner = self.owner;
        self.store.enqueue_write(move |connection| {
            let id: i64 = connection
                .prepare_cached(
                    "INSERT INTO record_lists (owner, source, search, at, read_at, total, is_capped, spent, unreadable, bytes, used_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10)
                     ON CONFLICT DO UPDATE SET read_at = excluded.read_at, total = excluded.total, is_capped = excluded.is_capped,
                       spent = excluded.spent, unreadable = excluded.unreadable, used_at = excluded.used_at
                     RETURNING id",
                )?
                .query_row(
                    params![
                        owner,
                        to_json_text(&run.source)?,
                        to_json_text(&run.search)?,
                        run.sent_at.timestamp_millis(),
                        run.read_at.map(|at| at.timestamp_millis()),
                        run.total.map(|total| total as i64),
                        run.is_capped,
                        run.credits_spent as i64,
                        run.unreadable as i64,
                        now.timestamp_millis(),
                    ],
                    |row| row.get(0),
                )?;
            if from == 0 {
                connection.prepare_cached("DELETE FROM record_list_rows WHERE list = ?1")?.execute([id])?;
            }
            for row in &run.rows {
                update_rows(connection, owner, row.id, &row.fields())?;
            }
            let (kept, slot): (i64, i64) = connection
                .prepare_cached("SELECT count(*), ifnull(max(slot) + 1, 0) FROM record_list_rows WHERE list = ?1")?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            // Only contiguous pages are stored: what follows a gap is read again.
            if usize::try_from(kept) == Ok(from) && from + run.rows.len() <= MAX_ROWS_PER_LIST {
                let mut insert =
                    connection.prepare_cached("INSERT INTO record_list_rows (list, slot, id, json) VALUES (?1, ?2, ?3, ?4)")?;
                for (slot, row) in (slot..).zip(&run.rows) {
                    insert.execute(params![id, slot, row.id, row.json()])?;
                }
                connection
                    .prepare_cached("UPDATE record_lists SET after = ?2 WHERE id = ?1")?
                    .execute(params![id, run.search_after])?;
            }
            connection
                .prepare_cached(
                    "UPDATE record_lists SET bytes = CASE ?2 WHEN 0 THEN 0 ELSE bytes END
                       + (SELECT ifnull(sum(octet_length(json)), 0) FROM record_list_rows WHERE list = ?1 AND slot >= ?3)
                     WHERE id = ?1",
                )?
                .execute(params![id, from as i64, slot])?;
            prune_lists(connection, owner)
        });
    }

    /// The searches of the index, oldest first.
    pub async fn load_runs(&self) -> Result<Vec<SavedSearchRun>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                let mut runs = connection
                    .prepare_cached(&format!(
                        "{SELECT_LISTS} WHERE id IN
                           (SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY at DESC, id DESC) AS sum FROM record_lists
                              WHERE owner = ?1 AND source ->> '$.index' IS NOT NULL) WHERE sum <= ?2)
                         ORDER BY at, id"
                    ))?
                    .query_map(params![owner, MAX_RESTORED_BYTES], |row| Ok((row.get(0)?, run_from_row(row)?)))?
                    .collect::<rusqlite::Result<Vec<(i64, SavedSearchRun)>>>()?;
                for (id, run) in &mut runs {
                    run.rows = read_rows(connection, *id)?;
                }
                Ok(runs.into_iter().map(|(_, run)| run).collect())
            })
            .await
    }

    /// Which lists of the book and of Views are stored.
    pub async fn searches(&self) -> Result<Vec<SavedSearch>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT source, search, read_at FROM record_lists
                         WHERE owner = ?1 AND read_at IS NOT NULL AND source ->> '$.index' IS NULL",
                    )?
                    .query_map([owner], |row| {
                        Ok(SavedSearch {
                            source: from_json_text(0, &row.get::<_, String>(0)?)?,
                            search: from_json_text(1, &row.get::<_, String>(1)?)?,
                            read_at: timestamp_column(row, 2)?,
                        })
                    })?
                    .collect()
            })
            .await
    }

    /// A stored list with its rows, if it was read; marks it as used now.
    pub async fn load(
        &self,
        source: RecordSource,
        search: Search,
        now: DateTime<Utc>,
    ) -> Result<Option<SavedSearchRun>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                let key = params![owner, to_json_text(&source)?, to_json_text(&search)?];
                let found = connection
                    .prepare_cached(&format!(
                        "{SELECT_LISTS} WHERE owner = ?1 AND source = ?2 AND search = ?3 AND read_at IS NOT NULL"
                    ))?
                    .query_row(key, |row| Ok((row.get(0)?, run_from_row(row)?)))
                    .optional()?;
                let Some((id, mut run)) = found else { return Ok(None) };
                run.rows = read_rows(connection, id)?;
                connection
                    .prepare_cached("UPDATE record_lists SET used_at = ?2 WHERE id = ?1")?
                    .execute(params![id, now.timestamp_millis()])?;
                Ok(Some(run))
            })
            .await
    }

    /// Changes the rows of all lists.
    pub fn change_rows(&self, change: SavedRowsChange) {
        let owner = self.owner;
        self.store.enqueue_write(move |connection| match change {
            SavedRowsChange::Update(id, fields) => update_rows(connection, owner, id, &fields),
            SavedRowsChange::LeaveBook(kind, ids) => {
                remove_rows(connection, owner, "$.book", kind.as_str(), &ids)
            }
            SavedRowsChange::LeaveView(view, ids) => {
                remove_rows(connection, owner, "$.view[0]", &view.to_string(), &ids)
            }
            SavedRowsChange::JoinBook(kind, rows) => {
                add_rows(connection, owner, "$.book", kind.as_str(), &rows)
            }
            SavedRowsChange::JoinView(view, rows) => {
                add_rows(connection, owner, "$.view[0]", &view.to_string(), &rows)
            }
            SavedRowsChange::DeleteView(view) => connection
                .execute(
                    "DELETE FROM record_lists WHERE owner = ?1 AND source ->> '$.view[0]' = ?2",
                    params![owner, view.to_string()],
                )
                .map(drop),
        });
    }
}

/// Updates a record in all lists: the fields that a row has.
fn update_rows(
    connection: &Connection,
    owner: Uuid,
    id: Uuid,
    fields: &RecordFields,
) -> rusqlite::Result<()> {
    let found = connection
        .prepare_cached(
            "SELECT list, slot, json FROM record_list_rows JOIN record_lists ON record_lists.id = list
             WHERE record_list_rows.id = ?1 AND owner = ?2",
        )?
        .query_map(params![id, owner], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, i64, String)>>>()?;
    let mut update = connection
        .prepare_cached("UPDATE record_list_rows SET json = ?3 WHERE list = ?1 AND slot = ?2")?;
    for (list, slot, json) in found {
        // A text that can no longer be parsed stays as it is.
        let Ok(row) = serde_json::from_str::<Record>(&json) else {
            continue;
        };
        let newer = row.with_refreshed_fields(fields);
        if newer.fields() != row.fields() {
            update.execute(params![list, slot, newer.json()])?;
        }
    }
    Ok(())
}

/// Removes records from the lists whose source has this value at a JSON path.
fn remove_rows(
    connection: &Connection,
    owner: Uuid,
    path: &str,
    value: &str,
    ids: &[Uuid],
) -> rusqlite::Result<()> {
    let lists = connection
        .prepare_cached("SELECT id FROM record_lists WHERE owner = ?1 AND source ->> ?2 = ?3")?
        .query_map(params![owner, path, value], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut delete = connection
        .prepare_cached("DELETE FROM record_list_rows WHERE list = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2))")?;
    let mut count = connection
        .prepare_cached("UPDATE record_lists SET total = max(total - ?2, 0) WHERE id = ?1")?;
    for list in lists {
        let gone = delete.execute(params![list, to_json_text(&ids)?])?;
        count.execute(params![list, gone as i64])?;
    }
    Ok(())
}

/// Adds records to the lists whose source has this value at a JSON path, that have no filter and
/// are read to their end: a row, or only to the total.
fn add_rows(
    connection: &Connection,
    owner: Uuid,
    path: &str,
    value: &str,
    rows: &[(Uuid, Option<Record>)],
) -> rusqlite::Result<()> {
    let lists = connection
        .prepare_cached("SELECT id, search FROM record_lists WHERE owner = ?1 AND source ->> ?2 = ?3 AND after IS NULL")?
        .query_map(params![owner, path, value], |row| Ok((row.get(0)?, from_json_text(1, &row.get::<_, String>(1)?)?)))?
        .collect::<rusqlite::Result<Vec<(i64, Search)>>>()?;
    for (list, _) in lists.iter().filter(|(_, search)| search.is_unfiltered()) {
        for (id, row) in rows {
            let is_there = connection
                .prepare_cached("SELECT 1 FROM record_list_rows WHERE list = ?1 AND id = ?2")?
                .exists(params![list, id])?;
            if is_there {
                continue;
            }
            let json = row.as_ref().map(Record::json);
            connection
                .prepare_cached(
                    "UPDATE record_lists SET total = total + 1, bytes = bytes + ?2 WHERE id = ?1",
                )?
                .execute(params![list, json.map_or(0, str::len) as i64])?;
            if let Some(json) = json {
                connection
                    .prepare_cached(
                        "INSERT INTO record_list_rows (list, slot, id, json)
                         SELECT ?1, ifnull(max(slot) + 1, 0), ?2, ?3 FROM record_list_rows WHERE list = ?1",
                    )?
                    .execute(params![list, id, json])?;
            }
        }
    }
    Ok(())
}

/// The rows of a list in order.
fn read_rows(connection: &Connection, list: i64) -> rusqlite::Result<Vec<Record>> {
    let last: i64 = connection
        .prepare_cached("SELECT ifnull(max(slot), 0) FROM record_list_rows WHERE list = ?1")?
        .query_row([list], |row| row.get(0))?;
    let path = connection
        .path()
        .filter(|path| !path.is_empty() && last >= MANY_ROWS);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Some(other) = path.and_then(|path| Connection::open_with_flags(path, flags).ok()) else {
        return read_slots(connection, list, 0, last);
    };
    let mapped: i64 = connection.pragma_query_value(None, "mmap_size", |row| row.get(0))?;
    other.pragma_update(None, "mmap_size", mapped)?;
    let version =
        || connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
    let before = version()?;
    let middle = last / 2;
    let rows = std::thread::scope(|scope| {
        let rest = scope.spawn(move || read_slots(&other, list, middle + 1, last));
        let mut rows = read_slots(connection, list, 0, middle)?;
        rows.extend(rest.join().unwrap_or(Err(rusqlite::Error::InvalidQuery))?);
        Ok::<_, rusqlite::Error>(rows)
    });
    // Another process may have written between the two reads.
    if rows.is_ok() && version()? == before {
        rows
    } else {
        read_slots(connection, list, 0, last)
    }
}

fn read_slots(
    connection: &Connection,
    list: i64,
    first: i64,
    last: i64,
) -> rusqlite::Result<Vec<Record>> {
    let mut select = connection
        .prepare_cached("SELECT id, json FROM record_list_rows WHERE list = ?1 AND slot BETWEEN ?2 AND ?3 ORDER BY slot")?;
    let mut found = select.query([list, first, last])?;
    let mut records = RecordsBuilder::with_capacity(
        usize::try_from(last - first + 1)
            .unwrap_or(0)
            .min(MAX_ROWS_PER_LIST),
    );
    while let Some(row) = found.next()? {
        records.push(row.get(0)?, row.get_ref(1)?.as_str()?);
    }
    Ok(records.finish())
}

fn run_from_row(row: &Row<'_>) -> rusqlite::Result<SavedSearchRun> {
    Ok(SavedSearchRun {
        sent_at: timestamp_column(row, 1)?,
        source: from_json_text(2, &row.get::<_, String>(2)?)?,
        search: from_json_text(3, &row.get::<_, String>(3)?)?,
        read_at: row
            .get::<_, Option<i64>>(4)?
            .and_then(DateTime::<Utc>::from_timestamp_millis),
        total: row.get::<_, Option<i64>>(5)?.map(i64::unsigned_abs),
        is_capped: row.get(6)?,
        credits_spent: row.get::<_, i64>(7)?.unsigned_abs(),
        unreadable: usize::try_from(row.get::<_, i64>(8)?).unwrap_or(0),
        search_after: row.get(9)?,
        rows: Vec::new(),
    })
}

/// Deletes the oldest searches of the index beyond the maximum, and the least recently used lists
/// of all if the rows take too much space.
fn prune_lists(connection: &Connection, owner: Uuid) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM record_lists WHERE id IN
               (SELECT id FROM record_lists WHERE owner = ?1 AND source ->> '$.index' IS NOT NULL
                ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?2)",
        )?
        .execute(params![owner, MAX_INDEX_SEARCHES])?;
    connection
        .prepare_cached(
            "DELETE FROM record_lists WHERE id IN
               (SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY used_at DESC, id DESC) AS sum FROM record_lists) WHERE sum > ?1)",
        )?
        .execute([MAX_LIST_BYTES])?;
    Ok(())
}
