//! Searches of the sample world, compared with a naive implementation of the same filters.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::*;
use crate::domain::ViewId;
use crate::service::db::sql::params;
use crate::service::db::{self, open_writer, projection};
use crate::service::{Storage, sample};

mod bodies;
mod columns;
mod condition_table;
mod cursors;
mod documented_conditions;
mod issues;
mod model;
mod natural_language;
mod plans;
mod questions;
mod speed;
#[path = "../../../tests/support/temporary_cluster.rs"]
mod temporary_cluster;
mod texts;

pub(super) fn now() -> DateTime<Utc> {
    "2026-07-09T16:20:00Z".parse().unwrap()
}

pub(super) const WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(1 << 64));
pub(super) const OTHER_WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(2 << 64));

/// A world with some projects, parts of which are in the books of two workspaces.
pub(super) fn sample_connection(projects: usize) -> db::Conn {
    let conn = open_writer(&Storage::Memory).unwrap();
    fill_workspace(&conn, projects);
    conn
}

/// The same world in each engine: in PostgreSQL too, if that is installed.
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
pub(super) fn sample_connections(projects: usize) -> Vec<db::Conn> {
    let mut conns = vec![sample_connection(projects)];
    match postgres_connection(projects) {
        Some(conn) => conns.push(conn),
        None => eprintln!("not run on PostgreSQL: it is not installed"),
    }
    conns
}

/// The functions of SQLite that only these tests use, for PostgreSQL.
const TEST_FUNCTIONS: &str = "
    CREATE FUNCTION hex(uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT upper(replace($1::text, '-', '')) $$;
    CREATE FUNCTION iif(boolean, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$";

fn postgres_connection(projects: usize) -> Option<db::Conn> {
    let mut config: db::sql::PostgresConfig =
        temporary_cluster::temporary_cluster()?.parse().unwrap();
    let name = format!("gantry_{}", Uuid::new_v4().simple());
    let server = db::sql::PostgresConn::connect(config.clone()).unwrap();
    server
        .execute_batch(&format!("CREATE DATABASE {name} TEMPLATE template0"))
        .unwrap();
    config.dbname(name);
    let conn = open_writer(&Storage::Postgres(Box::new(config))).unwrap();
    conn.execute_batch(TEST_FUNCTIONS).unwrap();
    fill_workspace(&conn, projects);
    Some(conn)
}

fn fill_workspace(conn: &db::Conn, projects: usize) {
    let tx = conn.begin_write().unwrap();
    sample::fill_index(&tx, 1, projects, 0, now()).unwrap();
    for (workspace, part) in [(WORKSPACE, 3), (OTHER_WORKSPACE, 5)] {
        let sql =
            "INSERT INTO workspaces (id, name, plan, created_at) VALUES (?1, 'a team', 'pro', 0)";
        tx.execute(sql, [workspace.0]).unwrap();
        for dataset in ["account", "contact", "project"] {
            let fill = format!(
                "INSERT INTO book (workspace_id, dataset, record_id, icp_tier, atlas_score, workspace_status, notes, tags, created_at, updated_at)
                 SELECT ?1, '{dataset}', id, 'tier_' || (1 + rowid % 3), iif(rowid % 4 = 0, NULL, rowid % 100),
                   iif(rowid % 2 = 0, 'Contacted', NULL), NULL, iif(rowid % 6 = 0, '[\"hot\",\"Q3\"]', '[]'), 0, 1000 * (rowid % 50)
                 FROM {dataset}s WHERE rowid % ?2 = 0"
            );
            tx.execute(&fill, params![workspace.0, part]).unwrap();
        }
    }
    tx.commit().unwrap();
}

/// A search that reads its columns anew.
pub(super) fn search_context(dataset: Dataset, base: SearchScope<'_>) -> SearchContext<'_> {
    SearchContext {
        workspace: WORKSPACE,
        now: now(),
        dataset,
        scope: base,
        columns: Box::leak(Box::default()),
    }
}

/// The page of a body, as values.
pub(super) fn fetch_page(
    conn: &db::Conn,
    call: &SearchContext<'_>,
    body: &Value,
) -> (Vec<Value>, SearchMetadata) {
    let found = page::find_page(conn, call, body)
        .unwrap_or_else(|refusal| panic!("{body}: {}", refusal.to_json()));
    (
        found
            .rows
            .iter()
            .map(|row| serde_json::from_str(row.get()).unwrap())
            .collect(),
        found.metadata,
    )
}

fn count_total(conn: &db::Conn, call: &SearchContext<'_>) -> u32 {
    fetch_page(conn, call, &Value::Null).1.total
}

/// The ids of all pages, read by cursor.
pub(super) fn fetch_all(conn: &db::Conn, call: &SearchContext<'_>, body: &Value) -> Vec<String> {
    let mut body = body.clone();
    body["limit"] = json!(100);
    let mut ids = Vec::new();
    loop {
        let (rows, metadata) = fetch_page(conn, call, &body);
        assert_eq!(metadata.credits as usize, rows.len());
        ids.extend(
            rows.iter()
                .map(|row| row["id"].as_str().unwrap().to_owned()),
        );
        match metadata.search_after {
            Some(cursor) => body["search_after"] = json!(cursor),
            None => {
                assert_eq!(metadata.total as usize, ids.len().min(1000), "{body}");
                return ids;
            }
        }
    }
}

pub(super) fn issues(conn: &db::Conn, call: &SearchContext<'_>, body: &Value) -> Vec<Value> {
    match run_search(conn, call, body) {
        Ok(_) => panic!("{body} is accepted"),
        Err(refusal) => {
            assert_eq!(
                (refusal.status.as_u16(), refusal.code),
                (400, "bad_request"),
                "{body}"
            );
            refusal.issues
        }
    }
}

pub(super) fn object_keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn rows_carry_the_fields_of_their_route() {
    let conn = sample_connection(60);
    let sorted = |text: &str| {
        let mut keys: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        keys.sort();
        keys
    };
    let view = ViewId(Uuid::nil());
    let definition = definition::parse(Dataset::Accounts, &json!({"conditions": []})).unwrap();
    let dynamic = SearchScope::Dynamic(view, &definition);
    for (dataset, base, expected) in [
        (Dataset::Accounts, SearchScope::Book, "id name account_types domains website icp_tier workspace_status notes tags atlas_score atlas_trend"),
        (Dataset::Contacts, SearchScope::Book, "id name title account_id workspace_status notes tags"),
        (Dataset::Projects, SearchScope::Book, "id name city state stage primary_use residential_units last_signal_at workspace_status notes tags"),
        (Dataset::Accounts, dynamic, "id name account_types icp_tier atlas_score workspace_status tags updated_at"),
        (Dataset::Contacts, dynamic, "id name title account_id workspace_status tags updated_at"),
        (Dataset::Projects, dynamic, "id name city state stage primary_use last_signal_at workspace_status tags updated_at"),
        (Dataset::Contacts, SearchScope::Data, "id name title account_id email phone created_at projects_count"),
        (
            Dataset::Accounts,
            SearchScope::Data,
            "id name account_types aliases domains website linkedin_url city state created_at projects_count contacts_count hq_address
             hq_location public_phone public_email specialties description founded_year account_types_source",
        ),
    ] {
        let (rows, metadata) = fetch_page(&conn, &search_context(dataset, base), &Value::Null);
        assert_eq!((rows.len(), metadata.limit, metadata.offset), (25.min(metadata.total as usize), 25, 0));
        assert_eq!(object_keys(&rows[0]), sorted(expected), "{dataset:?} {base:?}");
    }
    let (rows, _) = fetch_page(
        &conn,
        &search_context(Dataset::Signals, SearchScope::Data),
        &Value::Null,
    );
    assert!(
        rows[0].get("raw_data").is_none()
            && rows[0]["project_name"].is_string()
            && rows[0]["source_slug"].is_string()
    );
    let (rows, _) = fetch_page(
        &conn,
        &search_context(Dataset::Projects, SearchScope::Data),
        &Value::Null,
    );
    assert_eq!(
        rows[0]["last_signal_at"].as_str().unwrap().len(),
        10,
        "a date in the Data API"
    );
    let (rows, _) = fetch_page(
        &conn,
        &search_context(Dataset::Projects, SearchScope::Book),
        &Value::Null,
    );
    assert!(
        rows.iter().any(|row| row["last_signal_at"]
            .as_str()
            .is_some_and(|at| at.ends_with('Z'))),
        "a moment in the book"
    );
}

#[test]
fn an_empty_body_returns_the_first_25_rows_sorted_by_updated_at_descending() {
    let conn = sample_connection(200);
    let changed: Vec<String> = conn
        .prepare("SELECT uuid(record_id) FROM book WHERE workspace_id = ?1 AND dataset = 'account' ORDER BY updated_at DESC, record_id DESC")
        .unwrap()
        .query_map([WORKSPACE.0], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let (rows, metadata) = fetch_page(
        &conn,
        &search_context(Dataset::Accounts, SearchScope::Book),
        &json!({}),
    );
    assert_eq!(
        rows.iter()
            .map(|row| row["id"].as_str().unwrap())
            .collect::<Vec<_>>(),
        changed[..25]
    );
    assert_eq!(
        (
            metadata.total as usize,
            metadata.total_is_capped,
            metadata.credits
        ),
        (changed.len(), false, 25)
    );
}

#[test]
fn a_record_of_a_search_is_the_record_of_the_get() {
    let conn = sample_connection(40);
    for (dataset, shape) in [
        (Dataset::Projects, &projection::DATA_PROJECT),
        (Dataset::Signals, &projection::SIGNAL),
    ] {
        let call = search_context(dataset, SearchScope::Data);
        let found = run_search(&conn, &call, &Value::Null).unwrap();
        let (rows, _) = fetch_page(&conn, &call, &Value::Null);
        let id = rows[0]["id"].as_str().unwrap().parse().unwrap();
        assert_eq!(
            shape
                .read_record(&conn, call.workspace, call.now, id)
                .unwrap()
                .unwrap()
                .get(),
            found.rows[0].get()
        );
        assert!(
            shape
                .read_record(&conn, call.workspace, call.now, Uuid::nil())
                .unwrap()
                .is_none()
        );
    }
}

#[test]
fn totals_are_capped_at_a_thousand() {
    let conn = sample_connection(1100);
    let (_, metadata) = fetch_page(
        &conn,
        &search_context(Dataset::Projects, SearchScope::Data),
        &json!({"limit": 1}),
    );
    assert_eq!(
        (
            metadata.total,
            metadata.total_is_capped,
            metadata.limit,
            metadata.credits
        ),
        (1000, true, 1, 1)
    );
    let (rows, metadata) = fetch_page(
        &conn,
        &search_context(Dataset::Projects, SearchScope::Data),
        &json!({"offset": 9000}),
    );
    assert_eq!(
        (
            rows.len(),
            metadata.credits,
            metadata.search_after,
            metadata.offset
        ),
        (0, 0, None, 9000)
    );
}

#[test]
fn a_view_narrows_and_a_contact_must_be_visible() {
    let conn = sample_connection(120);
    let view = ViewId(Uuid::from_u128(7));
    let sql = "INSERT INTO views (workspace_id, id, name, dataset, kind, created_at, updated_at) VALUES (?1, ?2, 'v', 'account', 'static', 0, 0)";
    conn.execute(sql, params![WORKSPACE.0, view.0]).unwrap();
    let sql = "INSERT INTO view_records (workspace_id, view_id, record_id, added_at) SELECT ?1, ?2, id, 0 FROM accounts WHERE rowid <= 40";
    conn.execute(sql, params![WORKSPACE.0, view.0]).unwrap();
    let members = search_context(Dataset::Accounts, SearchScope::Static(view));
    assert_eq!(count_total(&conn, &members), 40);
    let (rows, metadata) = fetch_page(&conn, &members, &json!({"limit": 100}));
    assert_eq!(metadata.total, 40);
    assert!(rows.iter().any(|row| row["tags"].is_null()
        && row["updated_at"].is_null()
        && row["icp_tier"].is_null()));
    assert!(rows.iter().any(|row| row["tags"].is_array()));
    let (rows, _) = fetch_page(
        &conn,
        &members,
        &json!({"filters": {"icp_tier": {"value": "tier_1"}}, "limit": 100}),
    );
    assert!(
        !rows.is_empty() && rows.len() < 40 && rows.iter().all(|row| row["icp_tier"] == "tier_1")
    );
    let stranger = SearchContext {
        workspace: OTHER_WORKSPACE,
        ..members
    };
    assert_eq!(count_total(&conn, &stranger), 0);

    let everyone = definition::parse(
        Dataset::Contacts,
        &json!({"match": "all", "conditions": []}),
    )
    .unwrap();
    let hidden = |workspace| -> Vec<Uuid> {
        conn.prepare(
            "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
             AND id NOT IN (SELECT record_id FROM book WHERE workspace_id = ?1)",
        )
        .unwrap()
        .query_map([workspace], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
    };
    let unseen = hidden(WORKSPACE.0);
    let contacts = search_context(Dataset::Contacts, SearchScope::Dynamic(view, &everyone));
    let seen = fetch_all(&conn, &contacts, &json!({}));
    assert!(!unseen.is_empty() && unseen.iter().all(|id| !seen.contains(&id.to_string())));
    assert!(!is_visible(&conn, WORKSPACE, Dataset::Contacts, unseen[0]).unwrap());
    assert!(
        is_visible(
            &conn,
            WORKSPACE,
            Dataset::Contacts,
            seen[0].parse().unwrap()
        )
        .unwrap()
    );
    assert!(!is_visible(&conn, WORKSPACE, Dataset::Accounts, Uuid::nil()).unwrap());
}

#[test]
fn a_definition_may_nest_relations_within_relations() {
    let conn = sample_connection(150);
    let definition = json!({"match": "all", "conditions": [
        {"field": "state", "op": "known"},
        {"relation": "project", "op": "has", "match": "any", "conditions": [
            {"field": "stage", "op": "is", "value": ["permitted", "approved"]},
            {"relation": "signal", "op": "has_no", "conditions": [{"field": "signal_type", "op": "is", "value": "permit_issued"}]},
        ]},
        {"field": "icp_tier", "op": "is_not", "value": "tier_1"},
    ]});
    let read = definition::parse(Dataset::Accounts, &definition).unwrap();
    let view = search_context(
        Dataset::Accounts,
        SearchScope::Dynamic(ViewId(Uuid::nil()), &read),
    );
    let expected: i64 = conn
        .query_row(
            "SELECT count(*) FROM accounts r WHERE r.state IS NOT NULL
               AND r.id NOT IN (SELECT record_id FROM book WHERE workspace_id = ?1 AND icp_tier = 'tier_1')
               AND EXISTS (SELECT 1 FROM project_accounts l JOIN projects p ON p.id = l.project_id WHERE l.account_id = r.id
                 AND (p.stage IN ('permitted', 'approved')
                   OR p.id NOT IN (SELECT project_id FROM signals WHERE signal_type = 'permit_issued')))",
            [WORKSPACE.0],
            |row| row.get(0),
        )
        .unwrap();
    assert!(expected > 10);
    assert_eq!(i64::from(count_total(&conn, &view)), expected);
    assert_eq!(fetch_all(&conn, &view, &json!({})).len() as i64, expected);
}

#[test]
fn an_invalid_definition_lists_all_its_faults() {
    let definition = json!({"match": "some", "conditions": [
        {"field": "stage", "op": "is", "value": "permitted"},
        {"field": "account_type", "op": "contains", "value": "gc"},
        {"field": "atlas_score", "op": "between", "value": {"min": "2026-01-01"}},
        {"field": "name", "op": "known", "value": 1},
        {"relation": "planet", "op": "has", "conditions": []},
        {"relation": "project", "op": "has", "conditions": [
            {"relation": "signal", "op": "has", "conditions": [{"relation": "account", "op": "has", "conditions": []}]},
        ]},
    ], "extra": 1});
    let refusal = definition::parse(Dataset::Accounts, &definition).unwrap_err();
    let found: Vec<String> = refusal
        .issues
        .iter()
        .map(|issue| {
            let path: Vec<String> = issue["path"]
                .as_array()
                .unwrap()
                .iter()
                .map(|step| step.to_string().replace('"', ""))
                .collect();
            format!("{} {}", issue["code"].as_str().unwrap(), path.join("."))
        })
        .collect();
    for expected in [
        "unknown_key definition.extra",
        "invalid_enum_value definition.match",
        "invalid_enum_value definition.conditions.0.field",
        "invalid_enum_value definition.conditions.1.op",
        "invalid_type definition.conditions.2.value.min",
        "not_allowed definition.conditions.3.value",
        "invalid_enum_value definition.conditions.4.relation",
        "not_allowed definition.conditions.5.conditions.0.conditions.0",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected} in {found:#?}"
        );
    }
}

pub(super) fn as_object(pairs: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(Map::from_iter(pairs))
}
