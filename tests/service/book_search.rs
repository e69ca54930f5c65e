//! Searching the book (interface: Workspace: book searches, Filter grammar; decisions 2.13).

use crate::service_with_file::ServiceWithFile;
use serde_json::{Value, json};

/// The first workspace's book in SQL: `b` is the overlay, `r` the record.
fn search_path(word: &str) -> String {
    format!(
        "SELECT r.id FROM book b JOIN {word}s r ON r.id = b.record_id WHERE b.dataset = '{word}'
         AND b.workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)"
    )
}

async fn search_book(api: &ServiceWithFile, word: &str, body: Value) -> Value {
    api.post(&api.api_key(0), &format!("/workspace/{word}s/search"), body)
        .await
        .ok()
}

fn result_ids(reply: &Value) -> Vec<String> {
    reply["data"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[tokio::test]
async fn an_empty_body_returns_the_first_25_rows_sorted_by_updated_at_descending() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let inputs: Vec<_> = api
            .unsaved_ids(word, 20)
            .into_iter()
            .map(|id| json!({format!("{word}_id"): id}))
            .collect();
        let path = format!("/workspace/{word}s/upsert/batch");
        api.post(&api.api_key(0), &path, json!({ "inputs": inputs }))
            .await
            .ok();
        let order = api.query_ids(&format!(
            "{} ORDER BY b.updated_at DESC, r.id DESC",
            search_path(word)
        ));
        assert!(order.len() > 25);
        let before = api.credits_used(0).await;
        let reply = search_book(&api, word, json!({})).await;
        assert_eq!(result_ids(&reply), order[..25]);
        assert_eq!(
            api.credits_used(0).await,
            before + 25,
            "credits equal the rows returned"
        );
        let mut metadata = reply["metadata"].clone();
        assert!(
            metadata["search_after"]
                .as_str()
                .is_some_and(|cursor| !cursor.is_empty())
        );
        metadata["search_after"] = Value::Null;
        let expected = json!({"total": order.len(), "total_is_capped": false, "limit": 25, "offset": 0, "search_after": null, "credits": 25});
        assert_eq!(metadata, expected);
        let bodiless = api
            .send(
                &api.api_key(0),
                "POST",
                &format!("/workspace/{word}s/search"),
                None,
            )
            .await
            .ok();
        assert_eq!(result_ids(&bodiless), order[..25]);
    }
}

#[tokio::test]
async fn book_searches_never_return_records_outside_the_book() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let mut all = api.query_ids(&search_path(word));
        let mut found = Vec::new();
        let mut cursor = Value::Null;
        let mut offset = 0;
        loop {
            let mut body = json!({"limit": 7, "sort": {"field": "name", "order": "asc"}});
            let sliced = search_book(
                &api,
                word,
                json!({"limit": 7, "offset": offset, "sort": body["sort"]}),
            )
            .await;
            if cursor.is_string() {
                body["search_after"] = cursor;
            }
            let reply = search_book(&api, word, body).await;
            assert_eq!(
                result_ids(&reply),
                result_ids(&sliced),
                "the page by cursor equals the page by offset"
            );
            assert_eq!(
                (&reply["metadata"]["offset"], &reply["metadata"]["total"]),
                (&json!(0), &json!(all.len()))
            );
            assert_eq!(reply["metadata"]["credits"], result_ids(&reply).len());
            offset += result_ids(&reply).len();
            found.extend(result_ids(&reply));
            cursor = reply["metadata"]["search_after"].clone();
            if cursor.is_null() {
                break;
            }
        }
        found.sort_unstable();
        all.sort_unstable();
        assert_eq!(found, all);
        let past = search_book(&api, word, json!({"offset": 9000})).await;
        assert_eq!(
            (&past["data"], &past["metadata"]["credits"]),
            (&json!([]), &json!(0))
        );
        assert_eq!(past["metadata"]["search_after"], Value::Null);
    }
}

#[tokio::test]
async fn another_workspaces_book_is_never_found() {
    let api = ServiceWithFile::new().await;
    let id = api.unsaved_ids("account", 1).remove(0);
    let body = json!({"account_id": id, "tags": ["only-theirs"]});
    api.post(&api.api_key(1), "/workspace/accounts/upsert", body)
        .await
        .ok();
    let filter = json!({"filters": {"tags": {"value": "only-theirs"}}});
    assert_eq!(
        result_ids(&search_book(&api, "account", filter.clone()).await).len(),
        0
    );
    let theirs = api
        .post(&api.api_key(1), "/workspace/accounts/search", filter)
        .await
        .ok();
    assert_eq!(result_ids(&theirs), [id]);
    let cursor =
        search_book(&api, "account", json!({"limit": 1})).await["metadata"]["search_after"].clone();
    let body = json!({"limit": 1, "search_after": cursor});
    api.post(&api.api_key(1), "/workspace/accounts/search", body)
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_invalid_body_is_400_and_costs_nothing() {
    let api = ServiceWithFile::new().await;
    let (key, before) = (api.api_key(0), api.credits_used(0).await);
    for (word, body) in [
        (
            "account",
            json!({"view_id": "00000000-0000-4000-8000-000000000000"}),
        ),
        ("account", json!({"query": ""})),
        ("account", json!({"limit": 0})),
        ("account", json!({"limit": 101})),
        ("account", json!({"offset": -1})),
        ("account", json!({"offset": 10_001})),
        ("account", json!({"sort": {"order": "asc"}})),
        ("account", json!({"sort": {"field": "notes"}})),
        ("account", json!({"sort": {"field": "name", "order": "up"}})),
        ("contact", json!({"sort": {"field": "atlas_score"}})),
        ("project", json!({"sort": {"field": "projects_count"}})),
        ("account", json!({"search_after": "made up"})),
        (
            "account",
            json!({"filters": {"icp_tier": {"value": "tier_9"}}}),
        ),
        (
            "account",
            json!({"filters": {"icp_tier": {"value": "tier_1", "exact_match": true}}}),
        ),
        ("account", json!({"filters": {"icp_tier": "tier_1"}})),
        (
            "account",
            json!({"filters": {"atlas_score": {"min": "2026-01-01"}}}),
        ),
        ("account", json!({"filters": {"colour": {"value": "red"}}})),
        ("account", json!({"filters": {"without_project": {}}})),
        (
            "account",
            json!({"filters": {"has_project": {"name": {"value": "x"}}}}),
        ),
        (
            "contact",
            json!({"filters": {"icp_tier": {"value": "tier_1"}}}),
        ),
        (
            "contact",
            json!({"filters": {"account_id": {"value": "x"}}}),
        ),
        (
            "project",
            json!({"filters": {"last_signal_at": {"min": 5}}}),
        ),
        ("project", json!([])),
    ] {
        api.post(&key, &format!("/workspace/{word}s/search"), body)
            .await
            .expect_error(400, "bad_request");
    }
    assert_eq!(api.credits_used(0).await, before);
    let reply = api
        .post(
            &key,
            "/workspace/accounts/search",
            json!({"filters": {"icp_tier": {"value": "x"}}}),
        )
        .await;
    let issue = reply.expect_error(400, "bad_request")["issues"][0].clone();
    assert_eq!(
        (&issue["code"], &issue["received"]),
        (&json!("invalid_enum_value"), &json!("x"))
    );
    assert_eq!(
        issue["allowed"],
        json!(["tier_1", "tier_2", "tier_3", "disqualified"])
    );
}

#[tokio::test]
async fn rows_are_sorted_by_the_requested_key() {
    let api = ServiceWithFile::new().await;
    for (word, key, sql) in [
        ("account", "name", "r.name COLLATE NOCASE"),
        ("account", "created_at", "r.created_at"),
        ("account", "atlas_score", "ifnull(b.atlas_score, -1)"),
        (
            "account",
            "projects_count",
            "(SELECT count(DISTINCT project_id) FROM project_accounts WHERE account_id = r.id)",
        ),
        (
            "contact",
            "projects_count",
            "(SELECT count(*) FROM project_contacts WHERE contact_id = r.id)",
        ),
        ("project", "signals_count", "r.signals_count"),
        ("project", "last_signal_at", "ifnull(r.last_signal_at, -1)"),
    ] {
        let expected = api.query_ids(&format!(
            "{} ORDER BY {sql} DESC, r.id DESC",
            search_path(word)
        ));
        let reply = search_book(&api, word, json!({"limit": 100, "sort": {"field": key}})).await;
        assert_eq!(
            result_ids(&reply),
            expected,
            "{word} by {key}, descending by default"
        );
    }
}

#[tokio::test]
async fn cursor_pages_skip_and_repeat_nothing_while_the_book_changes() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let body = |cursor: Value| match cursor {
            Value::Null => json!({"limit": 8, "sort": {"field": "name", "order": "asc"}}),
            cursor => {
                json!({"limit": 8, "sort": {"field": "name", "order": "asc"}, "search_after": cursor})
            }
        };
        let order = api.query_ids(&format!(
            "{} ORDER BY r.name COLLATE NOCASE, r.id",
            search_path(word)
        ));
        let first = search_book(&api, word, body(Value::Null)).await;
        assert_eq!(result_ids(&first), order[..8], "{word}");
        // one row of the first page disappears, and a new one sorts before all others
        api.delete(&api.api_key(0), &format!("/workspace/{word}s/{}", order[2]))
            .await
            .ok();
        let early = api.query_ids(&format!(
            "SELECT id FROM {word}s WHERE id NOT IN (SELECT record_id FROM book) ORDER BY name COLLATE NOCASE LIMIT 1"
        ));
        api.post(
            &api.api_key(0),
            &format!("/workspace/{word}s/upsert"),
            json!({format!("{word}_id"): early[0]}),
        )
        .await
        .ok();
        let second = search_book(&api, word, body(first["metadata"]["search_after"].clone())).await;
        let expected: Vec<&String> = order[8..]
            .iter()
            .filter(|id| **id != early[0])
            .take(8)
            .collect();
        assert!(
            result_ids(&second)
                .iter()
                .filter(|id| **id != early[0])
                .eq(expected.iter().copied().take(result_ids(&second).len())),
            "{word}"
        );
    }
}
