//! What is rejected, and with which issues.

use serde_json::{Value, json};

use super::*;

fn describe_issues(issues: &[Value]) -> Vec<String> {
    let mut said: Vec<String> = issues
        .iter()
        .map(|issue| {
            let path: Vec<String> = issue["path"]
                .as_array()
                .unwrap()
                .iter()
                .map(|step| step.to_string().replace('"', ""))
                .collect();
            assert!(issue["message"].is_string());
            format!("{} {}", issue["code"].as_str().unwrap(), path.join("."))
        })
        .collect();
    said.sort();
    said
}

#[test]
fn each_fault_in_a_body_has_a_code_and_a_path() {
    let conn = sample_connection(20);
    let data = |dataset| search_context(dataset, SearchScope::Data);
    let projects = data(Dataset::Projects);
    for (call, body, expected) in [
        (
            &projects,
            json!({"filters": {"colour": {"value": "red"}}}),
            "unknown_key filters.colour",
        ),
        (
            &projects,
            json!({"filters": {"stage": {"value": "done"}}}),
            "invalid_enum_value filters.stage.value",
        ),
        (
            &projects,
            json!({"filters": {"stage": {"value": ["permitted", "done"]}}}),
            "invalid_enum_value filters.stage.value.1",
        ),
        (
            &projects,
            json!({"filters": {"stage": {"value": "Permitted"}}}),
            "invalid_enum_value filters.stage.value",
        ),
        (
            &projects,
            json!({"filters": {"stage": {"value": "permitted", "exact_match": false}}}),
            "not_allowed filters.stage.exact_match",
        ),
        (
            &projects,
            json!({"filters": {"stories_known": {"value": true, "exact_match": true}}}),
            "not_allowed filters.stories_known.exact_match",
        ),
        (
            &projects,
            json!({"filters": {"stories_known": {"value": "yes"}}}),
            "invalid_type filters.stories_known.value",
        ),
        (
            &projects,
            json!({"filters": {"stage": "permitted"}}),
            "invalid_type filters.stage",
        ),
        (
            &projects,
            json!({"filters": {"name": {}}}),
            "required filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": 5}}}),
            "invalid_type filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": []}}}),
            "too_small filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": "x".repeat(201)}}}),
            "too_big filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": vec!["x"; 26]}}}),
            "too_big filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": vec!["x"; 101], "exact_match": true}}}),
            "too_big filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": "x".repeat(501), "exact_match": true}}}),
            "too_big filters.name.value",
        ),
        (
            &projects,
            json!({"filters": {"name": {"value": "a", "exclude": "no"}}}),
            "invalid_type filters.name.exclude",
        ),
        (
            &projects,
            json!({"filters": {"stories": {"min": "2026-01-01"}}}),
            "invalid_type filters.stories.min",
        ),
        (
            &projects,
            json!({"filters": {"stories": {"value": 3}}}),
            "unknown_key filters.stories.value",
        ),
        (
            &projects,
            json!({"filters": {"last_signal_at": {"max": 5}}}),
            "invalid_type filters.last_signal_at.max",
        ),
        (
            &projects,
            json!({"filters": {"last_signal_at": {"min": "2026-01-01T00:00:00Z"}}}),
            "invalid_type filters.last_signal_at.min",
        ),
        (
            &projects,
            json!({"filters": {"last_signal_at": {"min": "2026-02-30"}}}),
            "invalid_type filters.last_signal_at.min",
        ),
        (
            &projects,
            json!({"filters": {"has_account": {"stage": {"value": "permitted"}}}}),
            "unknown_key filters.has_account.stage",
        ),
        (
            &projects,
            json!({"filters": {"has_account": {"role": {"value": "king"}}}}),
            "invalid_enum_value filters.has_account.role.value",
        ),
        (
            &projects,
            json!({"filters": {"has_account": {"has_project": {}}}}),
            "unknown_key filters.has_account.has_project",
        ),
        (
            &projects,
            json!({"filters": {"tags": {"value": "a"}}}),
            "unknown_key filters.tags",
        ),
        (&projects, json!({"filters": []}), "invalid_type filters"),
        (
            &projects,
            json!({"sort": {"order": "asc"}}),
            "required sort.field",
        ),
        (
            &projects,
            json!({"sort": {"field": "cost"}}),
            "invalid_enum_value sort.field",
        ),
        (
            &projects,
            json!({"sort": {"field": "name", "order": "up"}}),
            "invalid_enum_value sort.order",
        ),
        (
            &projects,
            json!({"sort": {"field": "name; DROP TABLE projects"}}),
            "invalid_enum_value sort.field",
        ),
        (&projects, json!({"limit": 0}), "too_small limit"),
        (&projects, json!({"limit": 101}), "too_big limit"),
        (&projects, json!({"limit": "5"}), "invalid_type limit"),
        (&projects, json!({"offset": -1}), "too_small offset"),
        (&projects, json!({"offset": 10001}), "too_big offset"),
        (
            &projects,
            json!({"search_after": 5}),
            "invalid_type search_after",
        ),
        (
            &projects,
            json!({"search_after": "00"}),
            "not_allowed search_after",
        ),
        (
            &projects,
            json!({"search_after": "00", "offset": 5}),
            "not_allowed offset",
        ),
        (
            &projects,
            json!({"include": ["accounts"]}),
            "unknown_key include",
        ),
        (&projects, json!({"query": "a"}), "unknown_key query"),
        (&projects, json!([]), "invalid_type "),
        (
            &data(Dataset::Contacts),
            json!({"filters": {"account_id": {"value": "x"}}}),
            "invalid_type filters.account_id.value",
        ),
        (
            &data(Dataset::Contacts),
            json!({"filters": {"account_id": {"value": ["x"]}}}),
            "invalid_type filters.account_id.value.0",
        ),
        (
            &data(Dataset::Signals),
            json!({"filters": {"signal_type": {"value": "party"}}}),
            "invalid_enum_value filters.signal_type.value",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Book),
            json!({"view_id": "x"}),
            "unknown_key view_id",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Book),
            json!({"query": ""}),
            "too_small query",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Book),
            json!({"filters": {"without_project": {}}}),
            "unknown_key filters.without_project",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Book),
            json!({"filters": {"has_project": {"state": {"value": "TX"}}}}),
            "unknown_key filters.has_project.state",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Book),
            json!({"filters": {"atlas_score": {"min": "2026-01-01"}}}),
            "invalid_type filters.atlas_score.min",
        ),
        (
            &search_context(Dataset::Contacts, SearchScope::Book),
            json!({"sort": {"field": "atlas_score"}}),
            "invalid_enum_value sort.field",
        ),
        (
            &search_context(Dataset::Accounts, SearchScope::Static(ViewId(Uuid::nil()))),
            json!({"sort": {"field": "updated_at"}}),
            "invalid_enum_value sort.field",
        ),
    ] {
        assert_eq!(
            describe_issues(&issues(&conn, call, &body)),
            [expected],
            "{body}"
        );
    }
}

#[test]
fn all_issues_of_a_body_are_reported_together() {
    let conn = sample_connection(20);
    let body = json!({"filters": {"stage": {"value": "done"}, "colour": {}, "has_signal": {"filed_at": {"min": 3}}}, "limit": 500, "extra": true});
    let found = issues(
        &conn,
        &search_context(Dataset::Projects, SearchScope::Data),
        &body,
    );
    assert_eq!(
        describe_issues(&found),
        [
            "invalid_enum_value filters.stage.value",
            "invalid_type filters.has_signal.filed_at.min",
            "too_big limit",
            "unknown_key extra",
            "unknown_key filters.colour",
        ]
    );
    let stage = found
        .iter()
        .find(|issue| issue["code"] == "invalid_enum_value")
        .unwrap();
    assert_eq!(stage["received"], "done");
    assert!(
        stage["allowed"]
            .as_array()
            .unwrap()
            .contains(&json!("under_construction"))
    );
    let kind = found
        .iter()
        .find(|issue| issue["code"] == "invalid_type")
        .unwrap();
    assert_eq!(kind["expected"], "date (YYYY-MM-DD)");
}

#[test]
fn user_input_is_never_interpreted_as_syntax() {
    let conn = sample_connection(60);
    let table = conn
        .query_row("SELECT count(*) FROM projects", [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap();
    for text in [
        "'",
        "\"",
        "''",
        "\"\"",
        "%",
        "_",
        "%%",
        "*",
        "^",
        "~",
        "\\",
        "\0",
        ";",
        "--",
        "' OR 1=1 --",
        "\" OR \"\" = \"",
        "1=1",
        "1) OR (1=1",
        "a* OR b*",
        "NEAR(a b)",
        "{name} : x",
        "name:*",
        "- x",
        "NOT zzz",
        "zzz OR AND NOT",
        "(((",
        ")))",
        "'; DROP TABLE projects; --",
        "x' UNION SELECT * FROM api_keys --",
        "[a-z]*",
        ":now",
        "$x",
        "@x",
        "\u{202e}abc",
        "%' ESCAPE '\\",
        "\u{feff}",
        "🦀",
    ] {
        for exact in [false, true] {
            let named = json!({"filters": {"name": {"value": text, "exact_match": exact}}});
            let (rows, metadata) = fetch_page(
                &conn,
                &search_context(Dataset::Projects, SearchScope::Data),
                &named,
            );
            assert_eq!((rows.len(), metadata.total), (0, 0), "{text:?}");
            let related = json!({"filters": {"has_account": {"name": {"value": text, "exact_match": exact}}}});
            assert_eq!(
                fetch_page(
                    &conn,
                    &search_context(Dataset::Projects, SearchScope::Data),
                    &related
                )
                .0
                .len(),
                0,
                "{text:?}"
            );
        }
        let body = json!({"query": text, "filters": {"workspace_status": {"value": text}, "tags": {"value": [text]}}});
        assert_eq!(
            fetch_page(
                &conn,
                &search_context(Dataset::Accounts, SearchScope::Book),
                &body
            )
            .0
            .len(),
            0,
            "{text:?}"
        );
        assert_eq!(
            fetch_page(
                &conn,
                &search_context(Dataset::Contacts, SearchScope::Book),
                &json!({"query": text})
            )
            .0
            .len(),
            0,
            "{text:?}"
        );
    }
    assert_eq!(
        conn.query_row("SELECT count(*) FROM projects", [], |row| row
            .get::<_, i64>(0))
            .unwrap(),
        table
    );
}
