//! Searching Views (interface: Search records; decisions 2.7 and 2.14).

use crate::service_with_file::ServiceWithFile;
use serde_json::{Value, json};

/// A new View of the first workspace: Dynamic if it has a definition.
async fn create_view(api: &ServiceWithFile, dataset: &str, definition: Option<Value>) -> String {
    let kind = if definition.is_some() {
        "dynamic"
    } else {
        "static"
    };
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind, "sort": {"field": "created_at", "order": "desc"}});
    if let Some(definition) = definition {
        body["definition"] = definition;
    }
    let reply = api
        .post(&api.api_key(0), "/workspace/views/upsert", body)
        .await
        .ok();
    reply["data"]["id"].as_str().expect("an id").to_owned()
}

async fn search_view(api: &ServiceWithFile, view: &str, body: Value) -> Value {
    api.post(
        &api.api_key(0),
        &format!("/workspace/views/{view}/records/search"),
        body,
    )
    .await
    .ok()
}

fn row_ids(reply: &Value) -> Vec<String> {
    reply["data"]["records"]
        .as_array()
        .expect("records")
        .iter()
        .map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect()
}

fn match_all_definition() -> Value {
    json!({"match": "all", "conditions": []})
}

fn field_definition(field: &str, op: &str, value: Value) -> Value {
    json!({"match": "all", "conditions": [{"field": field, "op": op, "value": value}]})
}

#[tokio::test]
async fn a_request_can_only_narrow_a_static_views_membership() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let view = create_view(&api, word, None).await;
        let members = api.query_ids(&format!(
            "SELECT id FROM {word}s r WHERE {} ORDER BY rowid LIMIT 30",
            if word == "contact" {
                "EXISTS (SELECT 1 FROM project_contacts WHERE contact_id = r.id)"
            } else {
                "TRUE"
            }
        ));
        let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
        let path = format!("/workspace/views/{view}/records/add/batch");
        api.post(&api.api_key(0), &path, json!({ "inputs": inputs }))
            .await
            .ok();
        let before = api.credits_used(0).await;
        let reply = search_view(&api, &view, json!({"limit": 100})).await;
        assert_eq!(reply["data"]["dataset"], word);
        assert_eq!(
            (&reply["metadata"]["total"], &reply["metadata"]["credits"]),
            (&json!(30), &json!(30))
        );
        assert_eq!(
            api.credits_used(0).await,
            before + 30,
            "1 credit per returned row"
        );
        let mut found = row_ids(&reply);
        found.sort_unstable();
        let mut sorted = members.clone();
        sorted.sort_unstable();
        assert_eq!(found, sorted);

        let name = reply["data"]["records"][4]["name"].clone();
        let narrowed = search_view(
            &api,
            &view,
            json!({"filters": {"name": {"value": name, "exact_match": true}}}),
        )
        .await;
        assert!(
            !row_ids(&narrowed).is_empty() && row_ids(&narrowed).len() < 30,
            "{narrowed}"
        );
        assert!(
            narrowed["data"]["records"]
                .as_array()
                .unwrap()
                .iter()
                .all(|row| row["name"] == name)
        );
        assert_eq!(
            search_view(&api, &view, json!({})).await["metadata"]["total"],
            30,
            "only for that call"
        );
    }
}

#[tokio::test]
async fn a_row_has_its_fields_and_a_null_overlay_outside_the_book() {
    let api = ServiceWithFile::new().await;
    for (word, fields, overlay) in [
        (
            "account",
            "id name account_types icp_tier atlas_score workspace_status tags updated_at",
            "icp_tier atlas_score workspace_status tags updated_at",
        ),
        (
            "contact",
            "id name title account_id workspace_status tags updated_at",
            "workspace_status tags updated_at",
        ),
        (
            "project",
            "id name city state stage primary_use last_signal_at workspace_status tags updated_at",
            "workspace_status tags updated_at",
        ),
    ] {
        let view = create_view(&api, word, Some(match_all_definition())).await;
        let saved = api.query_ids(&format!(
            "SELECT record_id FROM book WHERE dataset = '{word}' AND workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)"
        ));
        let mut fields: Vec<_> = fields.split(' ').collect();
        fields.sort_unstable();
        let reply = search_view(&api, &view, json!({"limit": 100})).await;
        let mut outside = 0;
        for row in reply["data"]["records"].as_array().unwrap() {
            let mut keys: Vec<_> = row
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            keys.sort_unstable();
            assert_eq!(keys, fields);
            if saved.iter().any(|id| row["id"] == id.as_str()) {
                assert!(
                    row["updated_at"].is_string() && row["tags"].is_array(),
                    "{row}"
                );
            } else {
                outside += 1;
                assert!(overlay.split(' ').all(|key| row[key].is_null()), "{row}");
            }
        }
        assert!(outside > 0, "broader than the book");
    }
}

#[tokio::test]
async fn a_dynamic_view_finds_what_its_definition_matches() {
    let api = ServiceWithFile::new().await;
    let any = |conditions: Value| json!({"match": "any", "conditions": conditions});
    for (dataset, definition, condition) in [
        (
            "project",
            field_definition("stage", "is", json!(["approved", "permitted"])),
            "r.stage IN ('approved', 'permitted')",
        ),
        (
            "project",
            field_definition("stage", "is_not", json!("approved")),
            "r.stage IS DISTINCT FROM 'approved'",
        ),
        (
            "project",
            field_definition("stories", "between", json!({"min": 3, "max": 9})),
            "r.stories BETWEEN 3 AND 9",
        ),
        (
            "project",
            json!({"conditions": [{"field": "stories", "op": "unknown"}]}),
            "r.stories IS NULL",
        ),
        (
            "project",
            json!({"conditions": [{"relation": "account", "op": "has", "conditions": [{"field": "role", "op": "is", "value": "gc"}]}]}),
            "EXISTS (SELECT 1 FROM project_accounts l WHERE l.project_id = r.id AND l.role = 'gc')",
        ),
        (
            "project",
            json!({"conditions": [{"relation": "signal", "op": "has_no", "conditions": []}]}),
            "NOT EXISTS (SELECT 1 FROM signals s WHERE s.project_id = r.id)",
        ),
        (
            "project",
            any(
                json!([{"field": "stage", "op": "is", "value": "approved"}, {"field": "stories", "op": "between", "value": {"min": 20}}]),
            ),
            "r.stage = 'approved' OR r.stories >= 20",
        ),
        (
            "account",
            field_definition("account_type", "is", json!("developer")),
            "r.account_types LIKE '%\"developer\"%'",
        ),
        (
            "account",
            field_definition("icp_tier", "is", json!("tier_1")),
            "EXISTS (SELECT 1 FROM book b WHERE b.record_id = r.id AND b.icp_tier = 'tier_1'
             AND b.workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1))",
        ),
    ] {
        let view = create_view(&api, dataset, Some(definition.clone())).await;
        let expected = api.query_number(&format!(
            "SELECT count(*) FROM {dataset}s r WHERE {condition}"
        ));
        let reply = search_view(&api, &view, json!({"limit": 1})).await;
        assert!(
            expected > 0 && reply["metadata"]["total"] == expected.min(1000),
            "{definition}: {expected}, {reply}"
        );
    }
}

#[tokio::test]
async fn a_dynamic_views_count_is_the_total_of_its_search_and_costs_nothing() {
    let api = ServiceWithFile::new().await;
    let before = api.credits_used(0).await;
    let list = api.get(&api.api_key(0), "/workspace/views").await.ok()["data"]["views"].clone();
    let made = create_view(
        &api,
        "project",
        Some(field_definition("stage", "is", json!("approved"))),
    )
    .await;
    let one = api
        .get(&api.api_key(0), &format!("/workspace/views/{made}"))
        .await
        .ok()["data"]
        .clone();
    assert_eq!(api.credits_used(0).await, before);
    for view in list.as_array().unwrap().iter().chain([&one]) {
        let reply = search_view(&api, view["id"].as_str().unwrap(), json!({"limit": 1})).await;
        assert_eq!(view["records_count"], reply["metadata"]["total"], "{view}");
    }
}

#[tokio::test]
async fn request_filters_apply_to_one_call_and_never_change_the_definition() {
    let api = ServiceWithFile::new().await;
    let definition = field_definition("stage", "is", json!("approved"));
    let view = create_view(&api, "project", Some(definition.clone())).await;
    let reply = search_view(
        &api,
        &view,
        json!({"limit": 1, "filters": {"stories": {"min": 5}}}),
    )
    .await;
    let both =
        api.query_number("SELECT count(*) FROM projects WHERE stage = 'approved' AND stories >= 5");
    let all = api.query_number("SELECT count(*) FROM projects WHERE stage = 'approved'");
    assert!(both > 0 && both < all);
    assert_eq!(reply["metadata"]["total"], both);
    let reply = search_view(
        &api,
        &view,
        json!({"filters": {"stage": {"value": "permitted"}}}),
    )
    .await;
    assert_eq!(
        (&reply["data"]["records"], &reply["metadata"]["credits"]),
        (&json!([]), &json!(0))
    );
    assert_eq!(
        search_view(&api, &view, json!({"limit": 1})).await["metadata"]["total"],
        all
    );
    let kept = api
        .get(&api.api_key(0), &format!("/workspace/views/{view}"))
        .await
        .ok();
    assert_eq!(kept["data"]["definition"], definition);
}

#[tokio::test]
async fn a_dynamic_views_stored_sort_is_ignored() {
    let api = ServiceWithFile::new().await;
    for (dataset, default, keys) in [
        (
            "account",
            "r.name COLLATE NOCASE, r.id",
            ["name", "created_at", "projects_count"].as_slice(),
        ),
        (
            "project",
            "ifnull(r.last_signal_at, -1) DESC, r.id DESC",
            &["last_signal_at", "name", "created_at", "signals_count"],
        ),
    ] {
        let view = create_view(&api, dataset, Some(match_all_definition())).await;
        let expected = api.query_ids(&format!(
            "SELECT id FROM {dataset}s r ORDER BY {default} LIMIT 100"
        ));
        assert_eq!(
            row_ids(&search_view(&api, &view, json!({"limit": 100})).await),
            expected
        );
        for key in keys {
            search_view(
                &api,
                &view,
                json!({"limit": 1, "sort": {"field": key, "order": "asc"}}),
            )
            .await;
        }
        for key in ["updated_at", "atlas_score"] {
            let body = json!({"sort": {"field": key}});
            let path = format!("/workspace/views/{view}/records/search");
            api.post(&api.api_key(0), &path, body)
                .await
                .expect_error(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn a_dynamic_contact_view_searches_the_workspaces_visible_contacts() {
    let api = ServiceWithFile::new().await;
    let hidden = "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
        AND id NOT IN (SELECT record_id FROM book) AND id NOT IN (SELECT record_id FROM view_records)";
    let contact = api.query_ids(&format!("{hidden} LIMIT 1")).remove(0);
    let view = create_view(&api, "contact", Some(match_all_definition())).await;
    let seen = async || {
        search_view(&api, &view, json!({"limit": 1})).await["metadata"]["total"]
            .as_i64()
            .unwrap()
    };
    let before = seen().await;
    assert!(before < api.query_number("SELECT count(*) FROM contacts"));
    api.post(
        &api.api_key(1),
        "/workspace/contacts/upsert",
        json!({"contact_id": contact}),
    )
    .await
    .ok();
    assert_eq!(seen().await, before);
    api.post(
        &api.api_key(0),
        "/workspace/contacts/upsert",
        json!({"contact_id": contact}),
    )
    .await
    .ok();
    assert_eq!(seen().await, before + 1);
    let list = create_view(&api, "contact", None).await;
    api.post(
        &api.api_key(0),
        &format!("/workspace/views/{list}/records/add"),
        json!({"record_id": contact}),
    )
    .await
    .ok();
    api.delete(&api.api_key(0), &format!("/workspace/contacts/{contact}"))
        .await
        .ok();
    assert_eq!(
        seen().await,
        before + 1,
        "visible only through the Static View"
    );
    let row = search_view(&api, &list, json!({})).await["data"]["records"][0].clone();
    assert_eq!(
        (&row["id"], &row["tags"], &row["updated_at"]),
        (&json!(contact), &Value::Null, &Value::Null)
    );
    api.delete(
        &api.api_key(0),
        &format!("/workspace/views/{list}/records/{contact}"),
    )
    .await
    .ok();
    assert_eq!(seen().await, before);
}

#[tokio::test]
async fn an_invalid_definition_is_rejected_with_the_path_of_the_error() {
    let api = ServiceWithFile::new().await;
    let deep = |inner: Value| json!({"relation": "account", "op": "has", "conditions": [inner]});
    for definition in [
        json!([]),
        json!({}),
        json!({"match": "some", "conditions": []}),
        field_definition("colour", "is", json!("red")),
        field_definition("stage", "is", json!("no such stage")),
        field_definition("stage", "between", json!({"min": 1})),
        field_definition("stories", "between", json!({"min": "2026-01-01"})),
        json!({"conditions": [deep(deep(deep(json!({"field": "name", "op": "is", "value": "x"}))))]}),
    ] {
        let body =
            json!({"name": "x", "dataset": "project", "type": "dynamic", "definition": definition});
        let error = api
            .post(&api.api_key(0), "/workspace/views/upsert", body)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"][0], "definition", "{error}");
    }
}

#[tokio::test]
async fn a_view_search_returns_only_records_of_its_dataset_and_workspace() {
    let api = ServiceWithFile::new().await;
    for dataset in ["account", "contact", "project"] {
        let view = create_view(&api, dataset, Some(match_all_definition())).await;
        let known = api.query_ids(&format!("SELECT id FROM {dataset}s"));
        assert!(
            row_ids(&search_view(&api, &view, json!({"limit": 100})).await)
                .iter()
                .all(|id| known.contains(id)),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn the_query_has_at_least_one_character_and_narrows_the_view() {
    let api = ServiceWithFile::new().await;
    for dataset in ["account", "contact", "project"] {
        let view = create_view(&api, dataset, Some(match_all_definition())).await;
        let all = search_view(&api, &view, json!({"limit": 100})).await;
        let name = all["data"]["records"][7]["name"].as_str().unwrap();
        let found = search_view(&api, &view, json!({"limit": 100, "query": name})).await;
        assert!(
            row_ids(&found).contains(&row_ids(&all)[7]),
            "{dataset} {name}"
        );
        assert!(
            found["metadata"]["total"].as_i64() < all["metadata"]["total"].as_i64(),
            "{dataset} {name}"
        );
        let path = format!("/workspace/views/{view}/records/search");
        api.post(&api.api_key(0), &path, json!({"query": ""}))
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_view_search_accepts_the_book_searchs_filters_and_relations() {
    let api = ServiceWithFile::new().await;
    let text = |value: &str| json!({"value": value});
    let range = json!({"min": 1});
    for (dataset, filters) in [
        (
            "account",
            vec![
                ("icp_tier", json!({"value": ["tier_1", "tier_2"]})),
                ("workspace_status", text("contacted")),
                ("tags", json!({"value": ["q3"]})),
                ("atlas_score", range.clone()),
                ("name", text("a")),
                ("city", text("a")),
                ("state", text("TX")),
                ("account_type", text("developer")),
                (
                    "has_project",
                    json!({"stage": text("approved"), "primary_use": text("multifamily"), "city": text("a"),
                    "residential_units": range.clone()}),
                ),
                (
                    "has_signal",
                    json!({"signal_type": text("permit_issued"), "filed_at": {"min": "2020-01-01"}}),
                ),
                (
                    "has_contact",
                    json!({"title": text("manager"), "name": text("a")}),
                ),
            ],
        ),
        (
            "contact",
            vec![
                ("workspace_status", text("met")),
                ("tags", json!({"value": ["q3"]})),
                ("name", text("a")),
                ("title", text("manager")),
                ("email", text("a@b.example")),
                ("account_id", text("00000000-0000-4000-8000-000000000000")),
                (
                    "at_account",
                    json!({"account_type": text("developer"), "name": text("a")}),
                ),
                (
                    "on_project",
                    json!({"stage": text("approved"), "primary_use": text("multifamily"), "city": text("a")}),
                ),
            ],
        ),
        (
            "project",
            vec![
                ("stage", text("approved")),
                ("has_account", json!({"role": text("gc")})),
                ("stories", range),
            ],
        ),
    ] {
        let view = create_view(&api, dataset, Some(match_all_definition())).await;
        let (path, book) = (
            format!("/workspace/views/{view}/records/search"),
            format!("/workspace/{dataset}s/search"),
        );
        for (key, filter) in filters {
            let body = json!({"limit": 1, "filters": {key: filter}});
            for path in [&path, &book] {
                let reply = api.post(&api.api_key(0), path, body.clone()).await;
                assert_eq!(reply.status, 200, "{dataset} {key} {}", reply.text);
            }
        }
        for key in [
            "without_project",
            "without_signal",
            "stories_known",
            "colour",
        ] {
            let body = json!({"filters": {key: {}}});
            for path in [&path, &book] {
                api.post(&api.api_key(0), path, body.clone())
                    .await
                    .expect_error(400, "bad_request");
            }
        }
    }
}

#[tokio::test]
async fn request_relations_narrow_the_view_for_one_call_only() {
    let api = ServiceWithFile::new().await;
    let view = create_view(
        &api,
        "project",
        Some(field_definition(
            "stage",
            "is",
            json!(["approved", "permitted"]),
        )),
    )
    .await;
    let all = search_view(&api, &view, json!({"limit": 1})).await["metadata"]["total"].clone();
    let body =
        json!({"limit": 1, "filters": {"has_signal": {"signal_type": {"value": "permit_issued"}}}});
    let both = api.query_number(
        "SELECT count(*) FROM projects p WHERE stage IN ('approved', 'permitted')
         AND EXISTS (SELECT 1 FROM signals s WHERE s.project_id = p.id AND s.signal_type = 'permit_issued')",
    );
    assert!(both > 0 && json!(both) != all);
    assert_eq!(
        search_view(&api, &view, body).await["metadata"]["total"],
        both
    );
    assert_eq!(
        search_view(&api, &view, json!({"limit": 1})).await["metadata"]["total"],
        all
    );
}

#[tokio::test]
async fn request_filters_never_change_a_static_membership() {
    let api = ServiceWithFile::new().await;
    let view = create_view(&api, "project", None).await;
    let members = api.query_ids("SELECT id FROM projects ORDER BY rowid LIMIT 20");
    let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
    api.post(
        &api.api_key(0),
        &format!("/workspace/views/{view}/records/add/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok();
    search_view(
        &api,
        &view,
        json!({"filters": {"stage": {"value": "approved"}}}),
    )
    .await;
    let found: std::collections::BTreeSet<_> =
        row_ids(&search_view(&api, &view, json!({"limit": 100})).await)
            .into_iter()
            .collect();
    assert_eq!(found, members.into_iter().collect());
}

#[tokio::test]
async fn the_stored_definition_and_request_filters_are_two_grammars() {
    let api = ServiceWithFile::new().await;
    let as_filters = json!({"stage": {"value": "approved"}});
    let body =
        json!({"name": "x", "dataset": "project", "type": "dynamic", "definition": as_filters});
    api.post(&api.api_key(0), "/workspace/views/upsert", body)
        .await
        .expect_error(400, "bad_request");
    let view = create_view(&api, "project", Some(match_all_definition())).await;
    let body = json!({"filters": field_definition("stage", "is", json!("approved"))});
    api.post(
        &api.api_key(0),
        &format!("/workspace/views/{view}/records/search"),
        body,
    )
    .await
    .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_invalid_enum_value_is_400_and_lists_the_allowed_values() {
    let api = ServiceWithFile::new().await;
    let view = create_view(&api, "account", None).await;
    let body = json!({"filters": {"icp_tier": {"value": "tier_9"}}});
    let path = format!("/workspace/views/{view}/records/search");
    let error = api
        .post(&api.api_key(0), &path, body)
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(
        error["issues"][0]["allowed"],
        json!(["tier_1", "tier_2", "tier_3", "disqualified"])
    );
}

#[tokio::test]
async fn the_sort_stored_in_a_static_view_is_ignored_too() {
    let api = ServiceWithFile::new().await;
    let view = create_view(&api, "account", None).await;
    let members = api.query_ids("SELECT id FROM accounts ORDER BY rowid LIMIT 20");
    let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
    api.post(
        &api.api_key(0),
        &format!("/workspace/views/{view}/records/add/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok();
    let reply = search_view(&api, &view, json!({})).await;
    let names: Vec<_> = reply["data"]["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_lowercase())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[tokio::test]
async fn read_only_keys_and_every_member_can_run_views() {
    let api = ServiceWithFile::new().await;
    let view = create_view(&api, "account", Some(match_all_definition())).await;
    for caller in [api.read_only_key(0), api.member_caller(0, 3)] {
        let reply = api
            .post(
                &caller,
                &format!("/workspace/views/{view}/records/search"),
                json!({"limit": 3}),
            )
            .await
            .ok();
        assert_eq!(row_ids(&reply).len(), 3);
    }
}

#[tokio::test]
async fn a_view_row_outside_the_book_is_404_in_the_book_but_in_the_index() {
    let api = ServiceWithFile::new().await;
    let view = create_view(&api, "account", Some(match_all_definition())).await;
    let reply = search_view(&api, &view, json!({"limit": 100})).await;
    let row = reply["data"]["records"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["updated_at"].is_null())
        .unwrap();
    let id = row["id"].as_str().unwrap();
    api.get(&api.api_key(0), &format!("/workspace/accounts/{id}"))
        .await
        .expect_error(404, "not_found");
    api.get(&api.api_key(0), &format!("/data/accounts/{id}"))
        .await
        .ok();
}
