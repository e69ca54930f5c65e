//! Query plans: what SQLite reports for every statement of a search whose columns are in memory. A
//! table with a suitable index is not scanned, and only short lists are sorted. The searches are
//! generated from the table of fields: every sort in both directions, every key and every inner key,
//! the first page and the next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use rusqlite::StatementStatus;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use serde_json::json;

use super::fields::{FilterKey, FilterKind};
use super::*;
use crate::domain::queue::QueueFilter;

/// Steps that may scan a table or sort: a part of the statement, the beginning of the step, and the
/// reason.
const ALLOWED_STEPS: &[(&str, &str, &str)] = &[
    (
        "json_each",
        "USE TEMP B-TREE FOR ORDER BY",
        "a list of rows is short",
    ),
    (
        "book b",
        "USE TEMP B-TREE FOR ORDER BY",
        "a book, or a View's matches in it, is short compared to the index",
    ),
    (
        "view_records v",
        "USE TEMP B-TREE FOR ORDER BY",
        "a Static View is short compared to the index",
    ),
];

/// Tables that a statement creates itself, by name.
const TRANSIENT_TABLES: [&str; 3] = ["CONSTANT", "q", "c"];

/// The statements run by `work`.
fn traced_statements(conn: &mut db::Conn, work: impl FnOnce(&db::Conn)) -> BTreeSet<String> {
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let tell = told.clone();
    let hear = move |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(statement, _) = event {
            tell.lock().unwrap().insert(statement.sql().into_owned());
        }
    };
    conn.sqlite_mut()
        .unwrap()
        .trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(hear))
        .unwrap();
    work(conn);
    conn.sqlite_mut()
        .unwrap()
        .trace_v2(TraceEventCodes::empty(), None::<fn(TraceEvent<'_>)>)
        .unwrap();
    std::mem::take(&mut *told.lock().unwrap())
}

/// The steps of a statement that read or sort more than they should.
fn plan_faults(conn: &db::Conn, sql: &str) -> Vec<String> {
    let mut plan = conn
        .sqlite()
        .unwrap()
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    let steps: Vec<String> = plan
        .raw_query()
        .mapped(|row| row.get(3))
        .collect::<Result<_, _>>()
        .unwrap();
    let sorts = steps.iter().any(|step| step.contains("FOR ORDER BY"));
    let in_order = |step: &str| step.contains(" INDEX ") && sql.contains(" ORDER BY ") && !sorts;
    let listed = |step: &str| {
        step.contains("USING COVERING INDEX") && sql.starts_with("SELECT r.rowid FROM ")
    };
    let bad = |step: &&String| {
        let table = step
            .strip_prefix("SCAN ")
            .unwrap_or_default()
            .split(' ')
            .next()
            .unwrap_or_default();
        let made = table.is_empty()
            || table.starts_with('(')
            || TRANSIENT_TABLES.contains(&table)
            || step.contains("VIRTUAL TABLE");
        let reads = !made && !in_order(step) && !listed(step);
        let exempt =
            |(of, step_of, _): &(&str, &str, &str)| sql.contains(of) && step.starts_with(step_of);
        (reads || step.contains("FOR ORDER BY") || step.contains("AUTOMATIC"))
            && !ALLOWED_STEPS.iter().any(exempt)
    };
    steps.iter().filter(bad).cloned().collect()
}

/// A filter by a key, with inner criteria if it is relational.
fn sample_filter(field: &FilterKey) -> Value {
    match &field.kind {
        FilterKind::Text(_) => json!({"value": "tower"}),
        FilterKind::Enum(words) => json!({"value": words.to_vec()[0]}),
        FilterKind::Uuid => json!({"value": Uuid::nil()}),
        FilterKind::Boolean => json!({"value": true}),
        FilterKind::Number => json!({"min": 1}),
        FilterKind::Date => json!({"min": "2026-01-01"}),
        FilterKind::Relation(_) => json!({}),
    }
}

/// The bodies of all kinds of searches in a scope.
fn search_bodies(dataset: Dataset, base: &SearchScope<'_>) -> Vec<Value> {
    let mut bodies = vec![json!({})];
    for sort in fields::sort_keys(dataset, base).0 {
        bodies.extend(
            ["asc", "desc"].map(|order| json!({"sort": {"field": sort.key, "order": order}})),
        );
    }
    for field in fields::filter_keys(dataset, base.grammar()) {
        bodies.push(json!({"filters": {field.key: sample_filter(field)}}));
        let inner = field.inner_keys(base.grammar());
        bodies.extend(
            inner
                .iter()
                .map(|inner| json!({"filters": {field.key: {inner.key: sample_filter(inner)}}})),
        );
    }
    if !matches!(base, SearchScope::Data) {
        bodies.push(json!({"query": "tower"}));
    }
    let relation = [
        (Dataset::Accounts, "has_project"),
        (Dataset::Contacts, "on_project"),
    ]
    .into_iter()
    .find(|of| of.0 == dataset);
    bodies.extend(relation.map(|(_, key)| {
        json!({"filters": {key: {"stage": {"value": "permitted"}}}, "sort": {"field": "projects_count", "order": "desc"}})
    }));
    bodies
}

/// All faults in the statements of all kinds of searches in these scopes, each with the first
/// search that has it.
fn all_plan_faults(
    conn: &mut db::Conn,
    of: impl Fn(&SearchScope<'_>) -> bool,
) -> BTreeMap<String, String> {
    let (view, mut found, mut seen) = (ViewId(Uuid::nil()), BTreeMap::new(), BTreeSet::new());
    for dataset in Dataset::ALL {
        let named = if dataset == Dataset::Signals {
            Dataset::Projects
        } else {
            dataset
        };
        let everything = definition::parse(named, &json!({"conditions": []})).unwrap();
        let bases = [
            SearchScope::Data,
            SearchScope::Book,
            SearchScope::Static(view),
            SearchScope::Dynamic(view, &everything),
        ];
        for base in bases
            .iter()
            .take(if dataset == Dataset::Signals { 1 } else { 4 })
            .filter(|base| of(base))
        {
            let call = search_context(dataset, *base);
            for mut body in search_bodies(dataset, base) {
                body["limit"] = json!(2);
                fetch_page(conn, &call, &body); // reads the columns
                let told = traced_statements(conn, |conn| {
                    let mut body = body.clone();
                    if let Some(cursor) = fetch_page(conn, &call, &body).1.search_after {
                        body["search_after"] = json!(cursor);
                        fetch_page(conn, &call, &body);
                    }
                });
                for sql in told {
                    if seen.insert(sql.clone()) {
                        let faults = plan_faults(conn, &sql);
                        found.extend(
                            faults.into_iter().map(|step| {
                                (format!("{step}: {sql}"), format!("{dataset:?} {body}"))
                            }),
                        );
                    }
                }
            }
        }
    }
    assert!(
        seen.len() > 30,
        "only {} statements were traced",
        seen.len()
    );
    found
}

#[test]
fn no_search_scans_a_table_that_has_an_index_or_sorts_a_long_list() {
    let faults = all_plan_faults(&mut sample_connection(40), |_| true);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_search_that_lost_its_index_is_detected() {
    for index in ["projects_by_name", "signals_by_filing"] {
        let mut conn = sample_connection(40);
        conn.execute_batch(&format!("DROP INDEX {index}")).unwrap();
        assert!(
            !all_plan_faults(&mut conn, |base| matches!(base, SearchScope::Data)).is_empty(),
            "no search needs {index}"
        );
    }
}

#[test]
fn a_reused_statement_is_not_recompiled() {
    let mut conn = sample_connection(40);
    for dataset in Dataset::ALL {
        let call = search_context(dataset, SearchScope::Data);
        let told = traced_statements(&mut conn, |conn| {
            for _ in 0..2 {
                fetch_page(conn, &call, &json!({"limit": 100}));
            }
        });
        for sql in told {
            let compiled = conn
                .sqlite()
                .unwrap()
                .prepare_cached(&sql)
                .unwrap()
                .get_status(StatementStatus::RePrepare);
            assert_eq!(
                compiled, 0,
                "{dataset:?}: recompiled {compiled} times: {sql}"
            );
        }
    }
}

/// How many rows of each table of the index were read in this transaction of PostgreSQL.
fn rows_read(conn: &db::Conn) -> BTreeMap<String, i64> {
    let tables = "('accounts', 'contacts', 'projects', 'signals', 'project_accounts', 'project_contacts', 'source_rows')";
    let read = "CAST(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS bigint)";
    let mut read = conn
        .prepare(&format!(
            "SELECT relname, {read} FROM pg_stat_xact_user_tables WHERE relname IN {tables}"
        ))
        .unwrap();
    read.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Searches are answered by columns in memory, which are read once. What is left are the records of
/// a page and what they embed, and the queue. The tables of this test are short, so PostgreSQL is
/// asked to read a whole table only where no index helps, neither for a scan nor for a join.
#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
fn no_page_of_a_search_or_of_the_queue_scans_a_table_in_postgresql() {
    let Some(conn) = postgres_connection(300) else {
        eprintln!("not run: PostgreSQL is not installed");
        return;
    };
    let subscribe = "INSERT INTO subscriptions (workspace_id, signal_type, id, priority, watermark, created_at, updated_at)
        SELECT id, 'permit_issued', id, 0, 0, 0, 0 FROM workspaces";
    // a search of the book reads all records in it: only a small one shows whether it reads more
    let leave_a_few = "DELETE FROM book WHERE record_id NOT IN (SELECT k.record_id FROM book k WHERE k.dataset = book.dataset
        AND k.workspace_id = book.workspace_id ORDER BY k.record_id LIMIT 10)";
    db::in_transaction(&conn, |tx| {
        tx.execute(leave_a_few, [])?;
        tx.execute(subscribe, [])?;
        db::queue::advance(tx, now())
    })
    .unwrap();
    conn.execute_batch("ANALYZE").unwrap();
    let tx = conn.begin_read().unwrap();
    tx.execute_batch(
        "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off",
    )
    .unwrap();
    let count = |table: &String| {
        tx.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
    };
    let sizes: BTreeMap<String, i64> = rows_read(&tx)
        .into_keys()
        .map(|table| (table.clone(), count(&table)))
        .collect();
    let scans = |work: &dyn Fn()| -> Vec<String> {
        let before = rows_read(&tx);
        work();
        let after = rows_read(&tx);
        let is_scanned = |(table, size): &(&String, &i64)| {
            **size > 0 && 2 * (after[*table] - before[*table]) > **size
        };
        sizes
            .iter()
            .filter(is_scanned)
            .map(|(table, _)| table.clone())
            .collect()
    };
    let cache = db::columns::ColumnCache::default();
    let none: Vec<String> = Vec::new();
    for dataset in Dataset::ALL {
        let bases = [SearchScope::Data, SearchScope::Book];
        for base in bases
            .into_iter()
            .take(if dataset == Dataset::Signals { 1 } else { 2 })
        {
            let call = SearchContext {
                columns: &cache,
                ..search_context(dataset, base)
            };
            for body in search_bodies(dataset, &base) {
                let search = || drop(fetch_page(&tx, &call, &body));
                search(); // reads the columns
                assert_eq!(scans(&search), none, "{dataset:?} {base:?} {body}");
            }
        }
        let call = SearchContext {
            columns: &cache,
            ..search_context(dataset, SearchScope::Data)
        };
        let id: Uuid = fetch_page(&tx, &call, &Value::Null).0[0]["id"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        for key in includes::include_keys(dataset) {
            assert_eq!(
                scans(&|| drop(includes::read_include(&tx, &call, id, key).unwrap())),
                none,
                "{dataset:?} {key}"
            );
        }
    }
    for (q, city) in [("", ""), ("tower", ""), ("", "austin")] {
        let filter = QueueFilter {
            q: q.to_owned(),
            city: city.to_owned(),
            ..QueueFilter::default()
        };
        for offset in [0, 40] {
            let list = || {
                drop(db::queue::list(&tx, &cache, WORKSPACE, &filter, 20, offset).unwrap());
            };
            list(); // reads the columns
            assert_eq!(scans(&list), none, "{q} {city} {offset}");
        }
    }
    let find_caller = || drop(db::secrets::find_caller(&tx, "gat_unknown", None, now()).unwrap());
    assert_eq!(
        scans(&find_caller),
        none,
        "who asks, and whether time has changed the queue"
    );
    assert_eq!(
        scans(&|| tx.execute_batch("SELECT raw_data FROM signals").unwrap()),
        ["signals"],
        "a scan is noticed"
    );
}
