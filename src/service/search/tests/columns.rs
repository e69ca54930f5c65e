//! Columns in memory: a search sees what was written just before, by whomever, and never anything
//! else.

use serde_json::json;

use super::*;
use crate::service::db::columns::{ColumnCache, prune_changes};
use crate::service::db::signals::FeedQuery;

/// Bodies that together use every kind of column, each with its dataset.
fn bodies() -> Vec<(Dataset, Value)> {
    let mut all = Vec::new();
    for dataset in Dataset::ALL {
        for sort in fields::sort_keys(dataset, &SearchScope::Data).0 {
            all.extend(["asc", "desc"].map(|order| {
                (
                    dataset,
                    json!({"sort": {"field": sort.key, "order": order}}),
                )
            }));
        }
    }
    for (dataset, filters) in [
        (
            Dataset::Projects,
            json!({"stage": {"value": ["permitted", "approved"]}, "city": {"value": "san"}}),
        ),
        (
            Dataset::Projects,
            json!({"stories": {"min": 3}, "cost_of_construction_usd": {"max": 1e8}}),
        ),
        (Dataset::Projects, json!({"name": {"value": "tower"}})),
        (Dataset::Projects, json!({"name": {"value": "zyxwvut"}})),
        (
            Dataset::Projects,
            json!({"stories_known": {"value": false}, "gc_status": {"value": "bidding", "exclude": true}}),
        ),
        (
            Dataset::Projects,
            json!({"has_signal": {"filed_at": {"min": "2026-05-01"}}}),
        ),
        (Dataset::Projects, json!({"without_signal": {}})),
        (
            Dataset::Projects,
            json!({"has_account": {"role": {"value": "gc"}, "name": {"value": "build"}}}),
        ),
        (Dataset::Projects, json!({"without_contact": {}})),
        (
            Dataset::Accounts,
            json!({"account_type": {"value": "gc"}, "state": {"value": "tx", "exclude": true}}),
        ),
        (Dataset::Accounts, json!({"name": {"value": "zyxwvut"}})),
        (
            Dataset::Accounts,
            json!({"has_signal": {"signal_type": {"value": "permit_issued"}}}),
        ),
        (
            Dataset::Accounts,
            json!({"without_project": {"stage": {"value": "permitted"}}}),
        ),
        (
            Dataset::Accounts,
            json!({"has_contact": {"title": {"value": "manager"}}}),
        ),
        (
            Dataset::Contacts,
            json!({"at_account": {"account_type": {"value": "developer"}}}),
        ),
        (
            Dataset::Contacts,
            json!({"on_project": {"stage": {"value": "permitted"}}}),
        ),
        (
            Dataset::Contacts,
            json!({"email": {"value": "example"}, "name": {"value": "zz", "exclude": true}}),
        ),
        (
            Dataset::Signals,
            json!({"for_project": {"city": {"value": "austin"}}}),
        ),
        (
            Dataset::Signals,
            json!({"for_account": {"account_type": {"value": "gc"}}, "discovered_at": {"min": "2026-01-01"}}),
        ),
    ] {
        all.push((dataset, json!({ "filters": filters })));
    }
    all.push((Dataset::Accounts, json!({"filters": {"has_project": {}}, "sort": {"field": "projects_count", "order": "asc"}})));
    all
}

#[test]
fn after_the_preload_no_search_reads_a_column() {
    let (conn, cache) = (sample_connection(200), ColumnCache::default());
    let small = preload::plan_steps(&conn, &cache).unwrap();
    assert!(
        small.is_empty(),
        "a small index is read when it is searched"
    );
    for step in preload::list_all_steps() {
        step.load(&conn, &cache).unwrap();
    }
    let before = cache.count_columns();
    for (dataset, body) in bodies() {
        let call = SearchContext {
            columns: &cache,
            ..search_context(dataset, SearchScope::Data)
        };
        fetch_all(&conn, &call, &body);
    }
    let feed = FeedQuery {
        q: "2026".to_owned(),
        city: "austin".to_owned(),
        ..FeedQuery::default()
    };
    db::signals::list_feed(&conn, &cache, &feed, 10, 0, now()).unwrap();
    assert_eq!(cache.count_columns(), before);
}

/// Checks that columns that were brought up to date find the same rows in the same order as columns
/// that are read anew.
fn check_all(conn: &db::Conn, cache: &ColumnCache, after: &str) {
    for (dataset, body) in bodies() {
        let call = search_context(dataset, SearchScope::Data);
        let in_columns = SearchContext {
            columns: cache,
            ..call
        };
        assert_eq!(
            fetch_all(conn, &in_columns, &body),
            fetch_all(conn, &call, &body),
            "{dataset:?} {body} after {after}"
        );
    }
    for (q, city) in [("zyxwvut", ""), ("kjhgfds", ""), ("2026", "sandwich")] {
        let feed = FeedQuery {
            q: q.to_owned(),
            city: city.to_owned(),
            ..FeedQuery::default()
        };
        let page = |columns: &ColumnCache| -> Vec<String> {
            let rows = db::signals::list_feed(conn, columns, &feed, 500, 0, now()).unwrap();
            rows.iter().map(ToString::to_string).collect()
        };
        let anew = page(&ColumnCache::default());
        assert_eq!(page(cache), anew, "{q} {city} after {after}");
    }
}

/// Changes of all kinds, each in a transaction of its own.
const CHANGES: &[&str] = &[
    "UPDATE projects SET stage = 'permitted', city = 'Sandwich', stories = 99, name = 'Zyxwvut Tower' WHERE rowid % 7 = 0",
    "UPDATE projects SET last_signal_at = NULL, signals_count = 0 WHERE rowid % 11 = 0; DELETE FROM triage; DELETE FROM queue;
     DELETE FROM signals WHERE project_id IN (SELECT id FROM projects WHERE rowid % 11 = 0)",
    "UPDATE accounts SET name = 'Zyxwvut Partners', account_types = '[\"gc\"]' WHERE rowid = 3",
    "UPDATE project_accounts SET role = 'architect' WHERE role = 'gc' AND hex(project_id) < '8'",
    "DELETE FROM project_accounts WHERE hex(account_id) < '6'",
    "DELETE FROM project_contacts WHERE hex(contact_id) < '6'",
    "UPDATE contacts SET account_id = (SELECT id FROM accounts WHERE rowid = 5), title = 'Manager', email = NULL WHERE rowid % 3 = 0",
    "INSERT INTO accounts (id, name, created_at) SELECT randomblob(16), name || ' Zyxwvut', created_at + 5 FROM accounts LIMIT 9",
    "INSERT INTO signals (id, project_id, source_id, signal_type, filed_at, discovered_at)
       SELECT randomblob(16), project_id, source_id, 'permit_issued', filed_at, discovered_at FROM signals LIMIT 30",
    "INSERT INTO project_accounts SELECT p.id, a.id, 'gc' FROM projects p, accounts a WHERE p.rowid < 20 AND a.rowid > 20 AND a.rowid < 25
       ON CONFLICT DO NOTHING",
    "UPDATE signals SET filed_at = filed_at - 99999999, project_id = (SELECT id FROM projects WHERE rowid = 2) WHERE rowid % 50 = 0;
     UPDATE projects SET signals_count = (SELECT count(*) FROM signals WHERE project_id = projects.id)",
    "UPDATE signals SET source_url = 'https://kjhgfds.example/' || rowid WHERE rowid % 9 = 0",
];

#[test]
fn a_search_sees_what_the_same_connection_wrote_before() {
    let conn = sample_connection(50);
    let cache = ColumnCache::default();
    check_all(&conn, &cache, "loading");
    for change in CHANGES {
        conn.execute_batch(change).unwrap();
        check_all(&conn, &cache, change);
    }
}

#[test]
fn a_search_sees_what_another_process_wrote_before_and_only_what_its_transaction_sees() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let writer = open_writer(&Storage::File(path.clone())).unwrap();
    fill_workspace(&writer, 50);
    let [one, other] = [(), ()].map(|()| db::open_reader(&path).unwrap());
    let cache = ColumnCache::default();
    check_all(&one, &cache, "loading");
    for change in CHANGES {
        one.execute_batch("BEGIN; SELECT count(*) FROM projects")
            .unwrap();
        writer
            .execute_batch(&format!("BEGIN; {change}; COMMIT"))
            .unwrap();
        check_all(&other, &cache, change);
        check_all(&one, &cache, change); // its transaction is older than the columns and begins again
        assert!(!one.is_autocommit());
        one.execute_batch("COMMIT").unwrap();
    }
}

#[test]
fn a_search_within_a_write_sees_it_and_leaves_nothing_behind_if_it_is_rolled_back() {
    let conn = sample_connection(40);
    let cache = ColumnCache::default();
    check_all(&conn, &cache, "loading");
    for change in CHANGES {
        conn.execute_batch(&format!("BEGIN; {change}")).unwrap();
        check_all(&conn, &cache, change);
        conn.execute_batch("ROLLBACK").unwrap();
        check_all(&conn, &cache, change);
    }
}

#[test]
fn columns_that_missed_more_changes_than_are_listed_are_read_again() {
    let conn = sample_connection(40);
    let cache = ColumnCache::default();
    check_all(&conn, &cache, "loading");
    conn.execute_batch(
        "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 60000)
           INSERT INTO index_changes (kind, record) SELECT 2, 1 FROM n",
    )
    .unwrap();
    conn.execute_batch("UPDATE projects SET stage = 'approved' WHERE rowid % 2 = 0")
        .unwrap();
    prune_changes(&conn).unwrap();
    assert!(
        conn.query_row("SELECT count(*) FROM index_changes", [], |row| row
            .get::<_, i64>(0))
            .unwrap()
            <= 50_000
    );
    check_all(&conn, &cache, "pruning");
}

#[test]
fn pages_by_cursor_stay_consistent_while_rows_are_added_and_moved() {
    let conn = sample_connection(200);
    let cache = ColumnCache::default();
    for (sort, order) in [
        ("name", "asc"),
        ("last_signal_at", "desc"),
        ("last_signal_at", "asc"),
        ("signals_count", "desc"),
    ] {
        let call = SearchContext {
            columns: &cache,
            ..search_context(Dataset::Projects, SearchScope::Data)
        };
        let mut body = json!({"limit": 7, "sort": {"field": sort, "order": order}});
        let before = fetch_all(&conn, &call, &json!({"sort": body["sort"]}));
        let mut found = Vec::new();
        for nth in 0.. {
            let (rows, metadata) = fetch_page(&conn, &call, &body);
            found.extend(
                rows.iter()
                    .map(|row| row["id"].as_str().unwrap().to_owned()),
            );
            let Some(cursor) = metadata.search_after else {
                break;
            };
            body["search_after"] = json!(cursor);
            conn.execute(
                "UPDATE projects SET stories = stories + 1 WHERE rowid % 5 = ?1",
                [nth % 5],
            )
            .unwrap();
            conn.execute(
                "INSERT INTO projects (id, name, created_at) VALUES (randomblob(16), ?1, ?2)",
                params![format!("{}ew", ["A", "N", "Z"][nth as usize % 3]), nth],
            )
            .unwrap();
        }
        let kept: Vec<String> = found.into_iter().filter(|id| before.contains(id)).collect();
        assert_eq!(kept, before, "{sort} {order}: no row twice, none missing");
    }
}

/// In PostgreSQL, where a View is counted in the write that saves it.
#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
fn a_write_in_a_workspace_uses_the_columns_of_all_searches() {
    let Some(conn) = postgres_connection(10) else {
        eprintln!("not run: PostgreSQL is not installed");
        return;
    };
    let cache = ColumnCache::default();
    for (scope, is_shared) in [
        (db::sql::WriteScope::Workspace(WORKSPACE.0), true),
        (db::sql::WriteScope::All, false),
    ] {
        let tx = conn.begin_write_in(scope).unwrap();
        assert_eq!(
            cache.take_snapshot(&tx).unwrap().is_shared(),
            is_shared,
            "{scope:?}"
        );
    }
}
