//! Records of the index on their way between PostgreSQL and the temporary SQLite file in which a
//! permit file is merged. What the file may change is copied from PostgreSQL before, and the result
//! is copied back after, in short transactions.
//!
//! Never here: how records are merged (see [`super::index_import`]).

use std::time::Duration;

use super::index_write::{ACCOUNTS, CONTACTS, PROJECTS, SIGNALS, SOURCES};
use super::sql::{self, Value, params_from_iter};
use super::{Conn, DbError, columns};

/// How many records, or projects with their signals, a transaction writes: other writers wait for
/// it.
const BATCH_ROWS: i64 = 200;
/// The time between two transactions, in which other writers get their turn.
const PAUSE: Duration = Duration::from_millis(2);
/// The lock of whoever imports: imports take turns, because each copies records, changes them, and
/// copies them back.
const IMPORT_LOCK: i64 = 0x696d_706f_7274;

/// What a file may change, by table: with `{of}`, the projects that its permits are or were in.
const KNOWN_PROJECTS: &str = "SELECT id FROM import_ids WHERE kind = 'project'";
const KNOWN: [(&str, &str, &str); 8] = [
    ("sources", SOURCES, "TRUE"),
    (
        "source_rows",
        "rowid, payload",
        "rowid IN (SELECT source_row FROM signals WHERE project_id IN ({of}))",
    ),
    (
        "accounts",
        ACCOUNTS,
        "id IN (SELECT id FROM import_ids WHERE kind = 'account' UNION SELECT account_id FROM project_accounts WHERE project_id IN ({of}))",
    ),
    (
        "contacts",
        CONTACTS,
        "id IN (SELECT id FROM import_ids WHERE kind = 'contact' UNION SELECT contact_id FROM project_contacts WHERE project_id IN ({of}))",
    ),
    ("projects", PROJECTS, "id IN ({of})"),
    ("signals", SIGNALS, "project_id IN ({of})"),
    (
        "project_accounts",
        "project_id, account_id, role",
        "project_id IN ({of})",
    ),
    (
        "project_contacts",
        "project_id, contact_id",
        "project_id IN ({of})",
    ),
];

/// Waits for other imports into the database, as long as it takes. The connection holds the lock
/// until it ends.
pub fn begin_import(postgres: &Conn) -> Result<(), DbError> {
    let lock = format!(
        "SET lock_timeout = 0; SELECT pg_advisory_lock({IMPORT_LOCK}); SET lock_timeout = '5s'"
    );
    Ok(postgres.execute_batch(&lock)?)
}

/// Copies from PostgreSQL to the empty file `known` what a file may change whose records are in
/// `merged`. Returns whether there is anything.
pub fn copy_known_records(postgres: &Conn, merged: &Conn, known: &Conn) -> Result<bool, DbError> {
    postgres.execute_batch(
        "DROP TABLE IF EXISTS import_ids, import_numbers;
         CREATE TEMP TABLE import_ids (kind text, id uuid);
         CREATE TEMP TABLE import_numbers (source_id uuid, number text)",
    )?;
    let mut ids = merged.prepare(
        "SELECT 'account', id FROM accounts UNION ALL SELECT 'contact', id FROM contacts UNION ALL SELECT 'project', id FROM projects",
    )?;
    postgres.copy_rows("import_ids", 2, &mut ids.query([])?)?;
    let mut numbers = merged.prepare("SELECT DISTINCT source_id, source_filing_id FROM signals")?;
    postgres.copy_rows("import_numbers", 2, &mut numbers.query([])?)?;
    // the places that the permits of the file had before
    postgres.execute_batch(
        "ANALYZE import_ids; ANALYZE import_numbers;
         INSERT INTO import_ids SELECT DISTINCT 'project', s.project_id FROM import_numbers n
           JOIN signals s ON s.source_id = n.source_id AND s.source_filing_id = n.number",
    )?;
    known.execute_batch("PRAGMA foreign_keys = OFF")?;
    let tx = known.begin_write()?;
    let mut is_any = false;
    for (table, columns, condition) in KNOWN {
        let condition = condition.replace("{of}", KNOWN_PROJECTS);
        postgres.execute_batch(&format!(
            "DECLARE known_{table} CURSOR WITH HOLD FOR SELECT {columns} FROM {table} WHERE {condition}"
        ))?;
        let places = vec!["?"; columns.split(',').count()].join(", ");
        let mut insert = known.prepare(&format!(
            "INSERT INTO {table} ({columns}) VALUES ({places})"
        ))?;
        let mut fetch = postgres.prepare(&format!("FETCH 1000 FROM known_{table}"))?;
        loop {
            let mut rows = fetch.query([])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let values =
                    (0..columns.split(',').count()).map(|column| row.get::<_, Value>(column));
                insert.execute(params_from_iter(values.collect::<sql::Result<Vec<_>>>()?))?;
                count += 1;
            }
            is_any |= count > 0 && table != "sources";
            if count == 0 {
                break;
            }
        }
        postgres.execute_batch(&format!("CLOSE known_{table}"))?;
    }
    tx.commit()?;
    Ok(is_any)
}

/// Copies merged records to PostgreSQL: new ones are added, others updated if they differ. A
/// project is copied with its signals.
pub fn copy_merged_records(merged: &Conn, postgres: &Conn) -> Result<(), DbError> {
    for (table, fields) in [
        ("sources", SOURCES),
        ("accounts", ACCOUNTS),
        ("contacts", CONTACTS),
        ("projects", PROJECTS),
        ("signals", SIGNALS),
    ] {
        postgres.execute_batch(&format!(
            "DROP TABLE IF EXISTS staged_{table}; CREATE TEMP TABLE staged_{table} AS SELECT CAST(0 AS bigint) AS n, {fields} FROM {table} WITH NO DATA"
        ))?;
    }
    postgres.execute_batch(CREATE_STAGES)?;
    let copy = |stage: &str, sql: &str, range: [i64; 2]| -> Result<(), DbError> {
        let mut rows = merged.prepare(sql)?;
        postgres.execute_batch(&format!("TRUNCATE staged_{stage}"))?;
        let columns = rows.column_names().len();
        postgres.copy_rows(&format!("staged_{stage}"), columns, &mut rows.query(range)?)?;
        Ok(())
    };
    let all = |fields: &str| {
        fields
            .split(',')
            .map(|field| format!(", r.{}", field.trim()))
            .collect::<String>()
    };
    let select = |table: &str, fields: &str| {
        format!(
            "SELECT r.rowid{} FROM {table} r WHERE r.rowid > ?1 AND r.rowid <= ?2",
            all(fields)
        )
    };
    let tx = postgres.begin_write()?;
    copy(
        "sources",
        &format!("SELECT 0{} FROM sources r WHERE ?1 < ?2", all(SOURCES)),
        [0, 1],
    )?;
    tx.execute_batch(&insert_statement("sources", SOURCES))?;
    tx.commit()?;
    for (table, fields) in [("accounts", ACCOUNTS), ("contacts", CONTACTS)] {
        copy_in_batches(merged, postgres, table, |range| {
            copy(table, &select(table, fields), range)?;
            Ok(postgres.execute_batch(&store_statements(table, fields))?)
        })?;
    }
    let of_projects = "JOIN projects p ON p.id = r.project_id WHERE p.rowid > ?1 AND p.rowid <= ?2";
    copy_in_batches(merged, postgres, "projects", |range| {
        copy("projects", &select("projects", PROJECTS), range)?;
        copy(
            "signals",
            &format!(
                "SELECT r.rowid{} FROM signals r {of_projects}",
                all(SIGNALS)
            ),
            range,
        )?;
        let rows = format!(
            "SELECT f.rowid, f.payload, NULL FROM source_rows f WHERE f.rowid IN (SELECT r.source_row FROM signals r {of_projects})"
        );
        copy("rows", &rows, range)?;
        for link in ["account_id, r.role", "contact_id"] {
            let table = format!("project_{}s", &link[..7]);
            copy(
                &table,
                &format!("SELECT r.project_id, r.{link} FROM {table} r {of_projects}"),
                range,
            )?;
        }
        postgres.execute_batch(&store_statements("projects", PROJECTS))?;
        postgres.execute_batch(STORE_ROWS)?;
        postgres.execute_batch(&store_statements("signals", SIGNALS))?;
        Ok(postgres.execute_batch(STORE_LINKS)?)
    })?;
    copy_in_batches(merged, postgres, "import_removed", |range| {
        let gone = "SELECT r.id FROM import_removed r WHERE r.rowid > ?1 AND r.rowid <= ?2
          AND NOT EXISTS (SELECT 1 FROM signals WHERE id = r.id)";
        copy("removed", gone, range)?;
        Ok(postgres.execute_batch(REMOVE_SIGNALS)?)
    })
}

/// Runs `store` for one range of row ids after another, each in a transaction.
fn copy_in_batches(
    merged: &Conn,
    postgres: &Conn,
    table: &str,
    store: impl Fn([i64; 2]) -> Result<(), DbError>,
) -> Result<(), DbError> {
    let ends = format!(
        "SELECT max(rowid) FROM (SELECT rowid FROM {table} WHERE rowid > ?1 ORDER BY rowid LIMIT {BATCH_ROWS})"
    );
    let mut ends = merged.prepare(&ends)?;
    let mut first = 0;
    while let Some(last) = ends.query_row([first], |row| row.get::<_, Option<i64>>(0))? {
        let tx = postgres.begin_write()?;
        store([first, last])?;
        columns::prune_changes(&tx)?;
        tx.commit()?;
        std::thread::sleep(PAUSE);
        first = last;
    }
    Ok(())
}

fn insert_statement(table: &str, fields: &str) -> String {
    format!(
        "INSERT INTO {table} ({fields}) SELECT {fields} FROM staged_{table} s
           WHERE NOT EXISTS (SELECT 1 FROM {table} k WHERE k.id = s.id) ORDER BY n ON CONFLICT DO NOTHING"
    )
}

/// Adds the staged records that are new, and updates the others if they differ.
fn store_statements(table: &str, fields: &str) -> String {
    let of = |name: &str| {
        fields
            .split(',')
            .map(|field| format!("{name}.{}", field.trim()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (known, staged) = (of("k"), of("s"));
    format!(
        "{};
         UPDATE {table} k SET ({fields}) = ({staged}) FROM staged_{table} s
           WHERE k.id = s.id AND ({known}) IS DISTINCT FROM ({staged})",
        insert_statement(table, fields)
    )
}

const CREATE_STAGES: &str = "
    DROP TABLE IF EXISTS staged_removed, staged_rows, staged_project_accounts, staged_project_contacts, staged_unused;
    CREATE TEMP TABLE staged_rows (n bigint, payload text, stored bigint);
    CREATE TEMP TABLE staged_unused (source_row bigint);
    CREATE TEMP TABLE staged_removed (id uuid);
    CREATE TEMP TABLE staged_project_accounts (project_id uuid, account_id uuid, role text);
    CREATE TEMP TABLE staged_project_contacts (project_id uuid, contact_id uuid)";

/// Stores the rows of the file that are new, and lets the staged signals refer to them: a row that
/// is stored already stays.
const STORE_ROWS: &str = "
    UPDATE staged_rows r SET stored = s.source_row
      FROM staged_signals t JOIN signals s ON s.id = t.id JOIN source_rows f ON f.rowid = s.source_row
      WHERE t.source_row = r.n AND f.payload = r.payload;
    WITH added AS (
      UPDATE staged_rows SET stored = nextval(pg_get_serial_sequence('source_rows', 'rowid')) WHERE stored IS NULL RETURNING stored, payload)
    INSERT INTO source_rows (rowid, payload) SELECT stored, payload FROM added;
    UPDATE staged_signals t SET source_row = r.stored FROM staged_rows r WHERE t.source_row = r.n;
    TRUNCATE staged_unused;
    INSERT INTO staged_unused SELECT s.source_row FROM signals s JOIN staged_signals t ON t.id = s.id
      WHERE s.source_row IS NOT NULL AND s.source_row IS DISTINCT FROM t.source_row";

/// Removes the signals that permits do not have any more, with their rows.
const REMOVE_SIGNALS: &str = "
    WITH gone AS (DELETE FROM signals s USING staged_removed r WHERE s.id = r.id RETURNING s.source_row)
      INSERT INTO staged_unused SELECT source_row FROM gone;
    DELETE FROM source_rows r USING staged_unused u
      WHERE r.rowid = u.source_row AND NOT EXISTS (SELECT 1 FROM signals WHERE source_row = r.rowid);
    TRUNCATE staged_unused";

const STORE_LINKS: &str = "
    DELETE FROM source_rows r USING staged_unused u
      WHERE r.rowid = u.source_row AND NOT EXISTS (SELECT 1 FROM signals WHERE source_row = r.rowid);
    INSERT INTO project_accounts SELECT * FROM staged_project_accounts ON CONFLICT DO NOTHING;
    INSERT INTO project_contacts SELECT * FROM staged_project_contacts ON CONFLICT DO NOTHING";
