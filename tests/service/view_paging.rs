//! Pages, sort orders and costs of View-record searches (interface: Search records, Response
//! metadata, Limits).

use crate::fields::{FieldRow, assert_fields, ids};
use crate::service_with_file::ServiceWithFile;
use crate::support::{TestResponse, TestService};
use gantry::service::ServiceOptions;
use serde_json::{Value, json};

const VIEW_DATASETS: [&str; 3] = ["account", "contact", "project"];

/// The condition that the contact `r` is visible to the first workspace.
const VISIBLE_CONTACT_SQL: &str = "(r.projects_count > 0 OR r.id IN (SELECT record_id FROM view_records WHERE workspace_id =
    (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)) OR r.id IN (SELECT record_id FROM book WHERE workspace_id =
    (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)))";

/// The search path of a new Dynamic View of everything visible to the first workspace.
async fn create_view_of_everything(api: &TestService, dataset: &str) -> String {
    let definition = json!({"match": "all", "conditions": []});
    let body = json!({"name": "All", "dataset": dataset, "type": "dynamic", "definition": definition,
        "sort": {"field": "created_at", "order": "asc"}});
    let reply = api
        .post(&api.api_key(0), "/workspace/views/upsert", body)
        .await
        .ok();
    format!(
        "/workspace/views/{}/records/search",
        reply["data"]["id"].as_str().unwrap()
    )
}

async fn search_view(api: &TestService, path: &str, body: Value) -> TestResponse {
    api.post(&api.api_key(0), path, body).await
}

async fn search_view_ok(api: &TestService, path: &str, body: Value) -> Value {
    search_view(api, path, body).await.ok()
}

fn row_ids(reply: &Value) -> Vec<String> {
    ids(&reply["data"]["records"])
}

#[tokio::test]
async fn a_view_search_returns_its_dataset_records_and_six_paging_fields() {
    let api = TestService::new().await;
    let metadata: [FieldRow; 6] = [
        ("total", "integer"),
        ("total_is_capped", "boolean"),
        ("limit", "integer"),
        ("offset", "integer"),
        ("search_after", "string?"),
        ("credits", "integer"),
    ];
    for dataset in VIEW_DATASETS {
        let reply = search_view_ok(
            &api,
            &create_view_of_everything(&api, dataset).await,
            json!({}),
        )
        .await;
        assert_fields(&reply, &[("data", "object"), ("metadata", "object")]);
        assert_fields(
            &reply["data"],
            &[("dataset", dataset), ("records", "object[]")],
        );
        assert_fields(&reply["metadata"], &metadata);
    }
}

#[tokio::test]
async fn every_body_field_is_optional_and_so_is_the_body() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "account").await;
    let empty = search_view_ok(&api, &path, json!({})).await;
    let none = api.send(&api.api_key(0), "POST", &path, None).await.ok();
    assert_eq!(none, empty);
    let spelled =
        json!({"filters": {}, "sort": {"field": "name", "order": "asc"}, "limit": 25, "offset": 0});
    assert_eq!(
        row_ids(&search_view_ok(&api, &path, spelled).await),
        row_ids(&empty)
    );
}

#[tokio::test]
async fn an_unknown_body_field_is_400() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "account").await;
    for key in ["view_id", "include", "q", "page"] {
        let error = search_view(&api, &path, json!({ key: "x" }))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!("unknown_key"), &json!([key]))
        );
    }
}

#[tokio::test]
async fn the_limit_is_25_by_default_and_from_1_to_100() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "project").await;
    for (body, limit) in [
        (json!({}), 25),
        (json!({"limit": 1}), 1),
        (json!({"limit": 100}), 100),
    ] {
        let reply = search_view_ok(&api, &path, body).await;
        assert_eq!(
            (row_ids(&reply).len(), &reply["metadata"]["limit"]),
            (limit, &json!(limit))
        );
    }
    for limit in [
        json!(0),
        json!(-1),
        json!(101),
        json!(1.5),
        json!("10"),
        json!(null),
    ] {
        let error = search_view(&api, &path, json!({"limit": limit}))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["limit"]), "{limit}");
    }
}

#[tokio::test]
async fn the_offset_is_0_by_default_and_from_0_to_10000() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "project").await;
    let first = search_view_ok(&api, &path, json!({"limit": 10})).await;
    assert_eq!(first["metadata"]["offset"], 0);
    let later = search_view_ok(&api, &path, json!({"limit": 10, "offset": 5})).await;
    assert_eq!(later["metadata"]["offset"], 5);
    assert_eq!(row_ids(&later)[..5], row_ids(&first)[5..]);
    search_view_ok(&api, &path, json!({"offset": 10_000})).await;
    for offset in [json!(-1), json!(10_001), json!(0.5), json!("5")] {
        search_view(&api, &path, json!({"offset": offset}))
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn an_offset_past_the_end_is_an_empty_page_that_costs_nothing() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "project").await;
    let total = search_view_ok(&api, &path, json!({"limit": 1})).await["metadata"]["total"].clone();
    let reply = search_view_ok(&api, &path, json!({"offset": total})).await;
    assert_eq!(
        (&reply["data"]["records"], &reply["metadata"]["credits"]),
        (&json!([]), &json!(0))
    );
    assert_eq!(
        (
            &reply["metadata"]["search_after"],
            &reply["metadata"]["total"]
        ),
        (&Value::Null, &total)
    );
}

#[tokio::test]
async fn the_total_is_the_match_count_and_the_same_on_every_page() {
    let api = ServiceWithFile::new().await;
    let path = create_view_of_everything(&api, "project").await;
    let count = api.query_number("SELECT count(*) FROM projects");
    let mut body = json!({"limit": 30});
    loop {
        let reply = search_view_ok(&api, &path, body.clone()).await;
        assert_eq!(
            (
                &reply["metadata"]["total"],
                &reply["metadata"]["total_is_capped"]
            ),
            (&json!(count), &json!(false))
        );
        match reply["metadata"]["search_after"].clone() {
            Value::Null => return,
            cursor => body["search_after"] = cursor,
        }
    }
}

#[tokio::test]
async fn the_total_is_capped_at_1000_and_marked_as_capped() {
    let api = TestService::with_options(ServiceOptions {
        projects: 1_100,
        ..ServiceOptions::default()
    })
    .await;
    let path = create_view_of_everything(&api, "project").await;
    let reply = search_view_ok(&api, &path, json!({"limit": 1})).await;
    assert_eq!(
        (
            &reply["metadata"]["total"],
            &reply["metadata"]["total_is_capped"]
        ),
        (&json!(1000), &json!(true))
    );
    let view = api
        .get(&api.api_key(0), path.trim_end_matches("/records/search"))
        .await
        .ok();
    assert_eq!(
        view["data"]["records_count"],
        Value::Null,
        "uncounted totals are null"
    );
    let beyond = search_view_ok(&api, &path, json!({"limit": 10, "offset": 1000})).await;
    assert_eq!(row_ids(&beyond).len(), 10, "offsets do not stop at the cap");
    api.service.stop().await;
}

#[tokio::test]
async fn the_offset_is_0_when_paging_with_search_after() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "project").await;
    let first = search_view_ok(&api, &path, json!({"limit": 10, "offset": 20})).await;
    let body = json!({"limit": 10, "search_after": first["metadata"]["search_after"]});
    let next = search_view_ok(&api, &path, body).await;
    assert_eq!(next["metadata"]["offset"], 0);
    assert_eq!(
        row_ids(&next),
        row_ids(&search_view_ok(&api, &path, json!({"limit": 10, "offset": 30})).await)
    );
}

#[tokio::test]
async fn search_after_is_null_only_on_the_last_page() {
    let api = TestService::new().await;
    for dataset in VIEW_DATASETS {
        let path = create_view_of_everything(&api, dataset).await;
        let total = search_view_ok(&api, &path, json!({"limit": 1})).await["metadata"]["total"]
            .as_u64()
            .unwrap();
        let (mut seen, mut body) = (0, json!({"limit": 40}));
        loop {
            let reply = search_view_ok(&api, &path, body.clone()).await;
            seen += row_ids(&reply).len() as u64;
            assert_eq!(
                reply["metadata"]["search_after"].is_null(),
                seen == total,
                "{dataset} {seen} of {total}"
            );
            match reply["metadata"]["search_after"].clone() {
                Value::Null => break,
                cursor => body["search_after"] = cursor,
            }
        }
    }
}

#[tokio::test]
async fn pages_are_complete_and_without_repeats_for_every_sort_key() {
    let api = ServiceWithFile::new().await;
    for (dataset, keys) in [
        ("account", &["name", "created_at", "projects_count"][..]),
        ("contact", &["name", "created_at", "projects_count"]),
        (
            "project",
            &["last_signal_at", "name", "created_at", "signals_count"],
        ),
    ] {
        let path = create_view_of_everything(&api, dataset).await;
        let total = search_view_ok(&api, &path, json!({"limit": 1})).await["metadata"]["total"]
            .as_u64()
            .unwrap() as usize;
        for key in keys {
            for order in ["asc", "desc"] {
                let (mut found, mut body) = (
                    Vec::new(),
                    json!({"limit": 100, "sort": {"field": key, "order": order}}),
                );
                loop {
                    let reply = search_view_ok(&api, &path, body.clone()).await;
                    found.extend(row_ids(&reply));
                    match reply["metadata"]["search_after"].clone() {
                        Value::Null => break,
                        cursor => body["search_after"] = cursor,
                    }
                }
                let count = found.len();
                found.sort_unstable();
                found.dedup();
                assert_eq!(
                    (count, found.len()),
                    (total, total),
                    "{dataset} {key} {order}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_cursor_is_rejected_by_another_view_other_filters_or_an_offset() {
    let api = TestService::new().await;
    let (path, other) = (
        create_view_of_everything(&api, "account").await,
        create_view_of_everything(&api, "account").await,
    );
    let cursor =
        search_view_ok(&api, &path, json!({"limit": 10})).await["metadata"]["search_after"].clone();
    for (what, path, body) in [
        ("another View", &other, json!({"search_after": cursor})),
        (
            "filters",
            &path,
            json!({"search_after": cursor, "filters": {"name": {"value": "x"}}}),
        ),
        (
            "a query",
            &path,
            json!({"search_after": cursor, "query": "x"}),
        ),
        (
            "a sort",
            &path,
            json!({"search_after": cursor, "sort": {"field": "created_at"}}),
        ),
        (
            "an offset",
            &path,
            json!({"search_after": cursor, "offset": 1}),
        ),
        (
            "not a cursor of the service",
            &path,
            json!({"search_after": "next"}),
        ),
    ] {
        let error = search_view(&api, path, body)
            .await
            .expect_error(400, "bad_request");
        assert!(error["issues"].is_array(), "{what}");
    }
    search_view_ok(&api, &path, json!({"search_after": cursor})).await;
}

#[tokio::test]
async fn the_default_order_is_name_and_for_projects_last_signal_at_descending() {
    let api = TestService::new().await;
    for (dataset, field, order) in [
        ("account", "name", "asc"),
        ("contact", "name", "asc"),
        ("project", "last_signal_at", "desc"),
    ] {
        let path = create_view_of_everything(&api, dataset).await;
        let spelled = search_view_ok(
            &api,
            &path,
            json!({"limit": 100, "sort": {"field": field, "order": order}}),
        )
        .await;
        assert_eq!(
            row_ids(&search_view_ok(&api, &path, json!({"limit": 100})).await),
            row_ids(&spelled),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn an_explicit_sort_applies_in_either_direction() {
    let api = ServiceWithFile::new().await;
    for (dataset, key, column) in [
        ("account", "name", "lower(r.name)"),
        ("account", "created_at", "r.created_at"),
        ("account", "projects_count", "r.projects_count"),
        ("contact", "name", "lower(r.name)"),
        ("contact", "created_at", "r.created_at"),
        ("contact", "projects_count", "r.projects_count"),
        ("project", "name", "lower(r.name)"),
        ("project", "created_at", "r.created_at"),
        ("project", "signals_count", "r.signals_count"),
    ] {
        let path = create_view_of_everything(&api, dataset).await;
        for (order, by) in [
            ("asc", format!("{column} ASC, r.id ASC")),
            ("desc", format!("{column} DESC, r.id DESC")),
        ] {
            let found = row_ids(
                &search_view_ok(
                    &api,
                    &path,
                    json!({"limit": 100, "sort": {"field": key, "order": order}}),
                )
                .await,
            );
            let seen = if dataset == "contact" {
                VISIBLE_CONTACT_SQL
            } else {
                "TRUE"
            };
            let expected = api.query_ids(&format!(
                "SELECT r.id FROM {dataset}s r WHERE {seen} ORDER BY {by} LIMIT 100"
            ));
            assert_eq!(found, expected, "{dataset} {key} {order}");
        }
    }
}

#[tokio::test]
async fn sort_requires_a_field_and_its_order_is_desc_by_default() {
    let api = TestService::new().await;
    let path = create_view_of_everything(&api, "account").await;
    let error = search_view(&api, &path, json!({"sort": {"order": "asc"}}))
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["sort", "field"]));
    search_view(
        &api,
        &path,
        json!({"sort": {"field": "name", "order": "up"}}),
    )
    .await
    .expect_error(400, "bad_request");
    let silent = search_view_ok(&api, &path, json!({"sort": {"field": "name"}})).await;
    assert_eq!(
        row_ids(&silent),
        row_ids(
            &search_view_ok(
                &api,
                &path,
                json!({"sort": {"field": "name", "order": "desc"}})
            )
            .await
        )
    );
}

#[tokio::test]
async fn updated_at_and_atlas_score_are_book_only_sorts() {
    let api = TestService::new().await;
    for dataset in VIEW_DATASETS {
        let path = create_view_of_everything(&api, dataset).await;
        for field in ["updated_at", "atlas_score", "id", "city"] {
            let error = search_view(&api, &path, json!({"sort": {"field": field}}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                error["issues"][0]["path"],
                json!(["sort", "field"]),
                "{dataset} {field}"
            );
        }
    }
}

#[tokio::test]
async fn credits_equal_the_rows_returned_and_an_error_costs_nothing() {
    let api = ServiceWithFile::new().await;
    let path = create_view_of_everything(&api, "account").await;
    for body in [
        json!({"limit": 1}),
        json!({"limit": 37}),
        json!({"query": "qqqqzzzz"}),
        json!({"limit": 100}),
    ] {
        let before = api.credits_used(0).await;
        let reply = search_view_ok(&api, &path, body).await;
        let count = row_ids(&reply).len();
        assert_eq!(reply["metadata"]["credits"], count);
        assert_eq!(api.credits_used(0).await, before + count as i64);
    }
    let before = api.credits_used(0).await;
    search_view(&api, &path, json!({"limit": 0}))
        .await
        .expect_error(400, "bad_request");
    assert_eq!(api.credits_used(0).await, before);
}
