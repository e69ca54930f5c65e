//! Views themselves (interface: Views; Workspace: Views and Favorites; decisions 2.6, 2.7).

use crate::fields::{FieldRow, assert_fields};
use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestResponse, TestService};
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const VIEW_DATASETS: [&str; 3] = ["account", "contact", "project"];

const VIEW_FIELDS: [FieldRow; 11] = [
    ("id", "uuid"),
    ("name", "string"),
    ("description", "string?"),
    ("dataset", "account|contact|project"),
    ("type", "static|dynamic"),
    ("definition", "object?"),
    ("sort", "object?"),
    ("records_count", "integer?"),
    ("created_by", "string?"),
    ("created_at", "moment"),
    ("updated_at", "moment"),
];

fn match_all_definition() -> Value {
    json!({"match": "all", "conditions": []})
}

fn view_body(dataset: &str, kind: &str) -> Value {
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind});
    if kind == "dynamic" {
        body["definition"] = match_all_definition();
    }
    body
}

async fn upsert_view(api: &TestService, body: Value) -> TestResponse {
    api.post(&api.api_key(0), "/workspace/views/upsert", body)
        .await
}

/// A new View of the first workspace.
async fn create_view(api: &TestService, dataset: &str, kind: &str) -> Value {
    upsert_view(api, view_body(dataset, kind)).await.ok()["data"].clone()
}

fn view_path(view: &Value) -> String {
    format!("/workspace/views/{}", view["id"].as_str().unwrap())
}

async fn list_views(api: &TestService, caller: &TestCaller) -> Vec<Value> {
    api.get(caller, "/workspace/views").await.ok()["data"]["views"]
        .as_array()
        .unwrap()
        .clone()
}

/// The result of each item of a batch: `ok`, or the code of its error.
fn result_codes(reply: &Value) -> Vec<&str> {
    let results = reply["data"]["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["error"]["code"].as_str().unwrap_or("ok"))
        .collect()
}

#[tokio::test]
async fn a_view_has_an_id_a_dataset_a_type_and_the_fields_of_its_table() {
    let api = TestService::new().await;
    for view in list_views(&api, &api.api_key(0)).await {
        assert_fields(&view, &VIEW_FIELDS);
    }
}

#[tokio::test]
async fn both_view_types_exist_for_accounts_contacts_and_projects() {
    let api = TestService::new().await;
    for dataset in VIEW_DATASETS {
        for kind in ["static", "dynamic"] {
            let view = create_view(&api, dataset, kind).await;
            assert_eq!(
                (&view["dataset"], &view["type"]),
                (&json!(dataset), &json!(kind))
            );
        }
    }
    for (field, odd) in [
        ("dataset", "signal"),
        ("dataset", "accounts"),
        ("type", "Static"),
        ("type", "smart"),
    ] {
        let mut body = view_body("account", "static");
        body[field] = json!(odd);
        let error = upsert_view(&api, body)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            error["issues"][0]["code"], "invalid_enum_value",
            "{field} {odd}"
        );
    }
}

#[tokio::test]
async fn views_are_listed_and_read_one_by_one() {
    let api = TestService::new().await;
    for view in list_views(&api, &api.api_key(0)).await {
        assert_eq!(
            api.get(&api.api_key(0), &view_path(&view)).await.ok()["data"],
            view
        );
    }
}

#[tokio::test]
async fn a_view_is_shared_by_all_members_and_no_other_workspace() {
    let api = TestService::new().await;
    let reply = api
        .post(
            &api.member_caller(0, 2),
            "/workspace/views/upsert",
            view_body("account", "static"),
        )
        .await
        .ok();
    for caller in [
        api.member_caller(0, 0),
        api.member_caller(0, 3),
        api.api_key(0),
        api.read_only_key(0),
    ] {
        assert!(list_views(&api, &caller).await.contains(&reply["data"]));
    }
    assert!(
        !list_views(&api, &api.api_key(1))
            .await
            .contains(&reply["data"])
    );
}

#[tokio::test]
async fn only_dynamic_views_have_a_definition_and_keep_it_unchanged() {
    let api = TestService::new().await;
    let mut body = view_body("project", "dynamic");
    body["definition"] = json!({"match": "any", "conditions": [
        {"field": "stage", "op": "is", "value": ["approved"]},
        {"relation": "signal", "op": "has", "conditions": [{"field": "signal_type", "op": "is", "value": "permit_issued"}]},
    ]});
    let view = upsert_view(&api, body.clone()).await.ok()["data"].clone();
    assert_eq!(view["definition"], body["definition"]);
    assert_eq!(
        api.get(&api.api_key(0), &view_path(&view)).await.ok()["data"]["definition"],
        body["definition"]
    );
    assert_eq!(
        create_view(&api, "project", "static").await["definition"],
        Value::Null
    );
}

#[tokio::test]
async fn an_upsert_without_an_id_creates_a_view_with_its_creator() {
    let api = TestService::new().await;
    let body = json!({"name": "Cranes", "description": "All of them", "dataset": "project", "type": "static",
        "sort": {"field": "name", "order": "asc"}});
    let reply = api
        .post(
            &api.member_caller(0, 2),
            "/workspace/views/upsert",
            body.clone(),
        )
        .await
        .ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    for field in ["name", "description", "dataset", "type", "sort"] {
        assert_eq!(reply["data"][field], body[field], "{field}");
    }
    assert_eq!(
        reply["data"]["created_by"],
        api.workspace(0).members[2].user_id.to_string()
    );
    assert_eq!(reply["data"]["created_at"], reply["data"]["updated_at"]);
}

#[tokio::test]
async fn an_upsert_with_an_id_changes_only_the_given_fields() {
    let api = TestService::new().await;
    let mut body = view_body("project", "static");
    body["description"] = json!("All of them");
    body["sort"] = json!({"field": "name", "order": "asc"});
    let before = upsert_view(&api, body).await.ok()["data"].clone();
    for (field, value) in [
        ("name", json!("Theirs")),
        ("description", json!("Some")),
        ("sort", json!({"field": "name", "order": "desc"})),
    ] {
        let mut expected = api.get(&api.api_key(0), &view_path(&before)).await.ok()["data"].clone();
        let mut reply = upsert_view(&api, json!({"view_id": before["id"], field: value}))
            .await
            .ok()["data"]
            .clone();
        expected[field] = value;
        assert!(expected["updated_at"].as_str() <= reply["updated_at"].as_str());
        reply["updated_at"] = expected["updated_at"].clone();
        assert_eq!(reply, expected, "{field}");
    }
}

#[tokio::test]
async fn an_explicit_null_clears_description_and_sort_but_not_the_name() {
    let api = TestService::new().await;
    let mut body = view_body("project", "static");
    body["description"] = json!("All of them");
    body["sort"] = json!({"field": "name"});
    let view = upsert_view(&api, body).await.ok()["data"].clone();
    let reply = upsert_view(
        &api,
        json!({"view_id": view["id"], "description": null, "sort": null}),
    )
    .await
    .ok()["data"]
        .clone();
    assert_eq!(
        (&reply["description"], &reply["sort"]),
        (&Value::Null, &Value::Null)
    );
    upsert_view(&api, json!({"view_id": view["id"], "name": null}))
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_upsert_that_changes_nothing_keeps_updated_at() {
    let api = TestService::new().await;
    let view = create_view(&api, "account", "dynamic").await;
    assert_eq!(
        upsert_view(&api, json!({"view_id": view["id"]})).await.ok()["data"],
        view
    );
    assert_eq!(
        upsert_view(&api, json!({"view_id": view["id"], "name": view["name"]}))
            .await
            .ok()["data"],
        view
    );
}

#[tokio::test]
async fn a_views_type_and_dataset_are_fixed() {
    let api = TestService::new().await;
    let view = create_view(&api, "project", "static").await;
    for (field, other) in [("type", "dynamic"), ("dataset", "account")] {
        let error = upsert_view(&api, json!({"view_id": view["id"], field: other}))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!([field]));
        let same = json!({"view_id": view["id"], field: view[field]});
        assert_eq!(
            upsert_view(&api, same).await.ok()["data"],
            view,
            "an upsert without a difference changes nothing"
        );
    }
}

#[tokio::test]
async fn an_invalid_view_is_rejected_with_its_issue() {
    let api = TestService::new().await;
    let with = |field: &str, value: Value| {
        let mut body = view_body("project", "static");
        body[field] = value;
        body
    };
    for (what, body) in [
        ("nothing", json!({})),
        ("no type", json!({"name": "x", "dataset": "project"})),
        (
            "a dynamic one without a definition",
            json!({"name": "x", "dataset": "project", "type": "dynamic"}),
        ),
        (
            "a static one with a definition",
            with("definition", match_all_definition()),
        ),
        ("no name", with("name", json!(""))),
        ("a long name", with("name", json!("x".repeat(201)))),
        ("a blank name", with("name", json!("  "))),
        (
            "a name that is read backwards",
            with("name", json!("Cranes\u{202e}senarC")),
        ),
        (
            "a name with a control character",
            with("name", json!("Cra\u{7}nes")),
        ),
        (
            "a long description",
            with("description", json!("x".repeat(2001))),
        ),
        ("an unknown key", with("view", json!(1))),
        ("an invalid id", with("view_id", json!("x"))),
        (
            "a sort without a field",
            with("sort", json!({"order": "asc"})),
        ),
        (
            "a sort with an invalid order",
            with("sort", json!({"field": "name", "order": "up"})),
        ),
    ] {
        let error = upsert_view(&api, body)
            .await
            .expect_error(400, "bad_request");
        assert!(error["issues"][0]["path"].is_array(), "{what}: {error}");
    }
}

#[tokio::test]
async fn a_dynamic_views_definition_can_be_changed_but_not_removed() {
    let api = TestService::new().await;
    let view = create_view(&api, "project", "dynamic").await;
    let other = json!({"match": "all", "conditions": [{"field": "stories", "op": "known"}]});
    let reply = upsert_view(&api, json!({"view_id": view["id"], "definition": other}))
        .await
        .ok();
    assert_eq!(reply["data"]["definition"], other);
    upsert_view(&api, json!({"view_id": view["id"], "definition": null}))
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_unknown_or_out_of_workspace_view_gives_404_on_every_route() {
    let api = ServiceWithFile::new().await;
    let theirs = api.api_key(1);
    let mine = create_view(&api, "account", "static").await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let record = api.unsaved_ids("account", 1).remove(0);
    for id in [mine.as_str(), UNKNOWN_ID, "nonsense"] {
        let view = format!("/workspace/views/{id}");
        api.get(&theirs, &view)
            .await
            .expect_error(404, "view_not_found");
        api.delete(&theirs, &view)
            .await
            .expect_error(404, "view_not_found");
        api.post(&theirs, &format!("{view}/records/search"), json!({}))
            .await
            .expect_error(404, "view_not_found");
        let (one, many) = (
            json!({"record_id": record}),
            json!({"inputs": [{"record_id": record}]}),
        );
        api.post(&theirs, &format!("{view}/records/add"), one)
            .await
            .expect_error(404, "view_not_found");
        api.post(&theirs, &format!("{view}/records/add/batch"), many)
            .await
            .expect_error(404, "view_not_found");
        api.delete(&theirs, &format!("{view}/records/{record}"))
            .await
            .expect_error(404, "view_not_found");
        let ids = json!({"ids": [record]});
        api.post(&theirs, &format!("{view}/records/delete/batch"), ids)
            .await
            .expect_error(404, "view_not_found");
    }
    api.post(
        &theirs,
        "/workspace/views/upsert",
        json!({"view_id": mine, "name": "x"}),
    )
    .await
    .expect_error(404, "view_not_found");
    api.post(
        &theirs,
        "/workspace/views/delete/batch",
        json!({"ids": [mine]}),
    )
    .await
    .ok();
    let user = api.member_caller(1, 0);
    api.post(
        &user,
        "/workspace/favorite-views/upsert",
        json!({"view_id": mine}),
    )
    .await
    .expect_error(404, "view_not_found");
    assert_eq!(
        api.get(&api.api_key(0), &format!("/workspace/views/{mine}"))
            .await
            .ok()["data"]["name"],
        "Ours"
    );
}

#[tokio::test]
async fn a_deleted_view_is_gone_for_everybody() {
    let api = TestService::new().await;
    let view = create_view(&api, "account", "static").await;
    let reply = api
        .delete(&api.member_caller(0, 1), &view_path(&view))
        .await
        .ok();
    assert_eq!(
        reply,
        json!({"data": {"deleted": true, "id": view["id"]}, "metadata": {"credits": 0}})
    );
    for caller in [api.member_caller(0, 0), api.api_key(0)] {
        api.get(&caller, &view_path(&view))
            .await
            .expect_error(404, "view_not_found");
        assert!(!list_views(&api, &caller).await.contains(&view));
    }
    api.delete(&api.api_key(0), &view_path(&view))
        .await
        .expect_error(404, "view_not_found");
}

#[tokio::test]
async fn deleting_a_view_deletes_all_its_favorites() {
    let api = TestService::new().await;
    let view = create_view(&api, "account", "static").await;
    for member in [1, 2] {
        api.post(
            &api.member_caller(0, member),
            "/workspace/favorite-views/upsert",
            json!({"view_id": view["id"]}),
        )
        .await
        .ok();
    }
    api.delete(&api.member_caller(0, 3), &view_path(&view))
        .await
        .ok();
    for member in [1, 2] {
        let favorites = api
            .get(&api.member_caller(0, member), "/workspace/favorite-views")
            .await
            .ok();
        assert!(
            !favorites.to_string().contains(view["id"].as_str().unwrap()),
            "{member}"
        );
    }
}

#[tokio::test]
async fn a_view_upsert_batch_returns_results_in_input_order() {
    let api = TestService::new().await;
    let view = create_view(&api, "account", "static").await;
    let inputs = json!([view_body("contact", "static"), {"name": "Two"}, {"view_id": UNKNOWN_ID, "name": "x"}, 7,
        {"view_id": view["id"], "name": "Five"}]);
    let reply = api
        .post(
            &api.api_key(0),
            "/workspace/views/upsert/batch",
            json!({ "inputs": inputs }),
        )
        .await
        .ok();
    assert_eq!(
        result_codes(&reply),
        ["ok", "bad_request", "not_found", "bad_request", "ok"]
    );
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 2, "failed": 3})
    );
    for (nth, result) in reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let ok = result["status"] == "ok";
        assert_eq!(result["index"], nth);
        assert_eq!(
            (result["record"].is_object(), result["error"].is_object()),
            (ok, !ok),
            "{result}"
        );
    }
    assert_eq!(
        api.get(&api.api_key(0), &view_path(&view)).await.ok()["data"],
        reply["data"]["results"][4]["record"]
    );
}

#[tokio::test]
async fn when_one_view_appears_twice_in_a_batch_the_later_element_wins() {
    let api = TestService::new().await;
    let view = create_view(&api, "account", "static").await;
    let inputs = json!([{"view_id": view["id"], "name": "First"}, {"view_id": view["id"], "name": "Second"}]);
    api.post(
        &api.api_key(0),
        "/workspace/views/upsert/batch",
        json!({ "inputs": inputs }),
    )
    .await
    .ok();
    assert_eq!(
        api.get(&api.api_key(0), &view_path(&view)).await.ok()["data"]["name"],
        "Second"
    );
}

#[tokio::test]
async fn a_view_delete_batch_is_idempotent_per_item() {
    let api = TestService::new().await;
    let id = create_view(&api, "account", "static").await["id"].clone();
    let reply = api
        .post(
            &api.api_key(0),
            "/workspace/views/delete/batch",
            json!({"ids": [id, UNKNOWN_ID, id, "x"]}),
        )
        .await
        .ok();
    assert_eq!(result_codes(&reply), ["ok", "ok", "ok", "bad_request"]);
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 3, "failed": 1})
    );
}

#[tokio::test]
async fn a_view_batch_with_an_invalid_envelope_is_400_and_applies_nothing() {
    let api = TestService::new().await;
    let (before, one) = (
        list_views(&api, &api.api_key(0)).await,
        view_body("account", "static"),
    );
    for body in [
        json!({}),
        json!({"inputs": []}),
        json!({"inputs": vec![one.clone(); 101]}),
        json!({"inputs": one}),
        json!({"inputs": [one], "more": 1}),
        json!([one]),
    ] {
        let error = api
            .post(&api.api_key(0), "/workspace/views/upsert/batch", body)
            .await
            .expect_error(400, "bad_request");
        assert!(error["issues"].is_array(), "{error}");
    }
    for body in [
        json!({}),
        json!({"ids": []}),
        json!({"ids": vec![UNKNOWN_ID; 101]}),
        json!({"ids": UNKNOWN_ID}),
    ] {
        api.post(&api.api_key(0), "/workspace/views/delete/batch", body)
            .await
            .expect_error(400, "bad_request");
    }
    assert_eq!(list_views(&api, &api.api_key(0)).await, before);
}

#[tokio::test]
async fn a_hundred_views_can_be_created_in_one_batch() {
    let api = TestService::new().await;
    let inputs = json!({"inputs": vec![view_body("account", "static"); 100]});
    let reply = api
        .post(&api.api_key(0), "/workspace/views/upsert/batch", inputs)
        .await
        .ok();
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 100, "failed": 0})
    );
}

#[tokio::test]
async fn a_dynamic_view_is_counted_on_a_single_write_but_not_in_a_batch() {
    let api = TestService::new().await;
    let alone = api
        .post(
            &api.api_key(0),
            "/workspace/views/upsert",
            view_body("account", "dynamic"),
        )
        .await
        .ok();
    assert!(alone["data"]["records_count"].is_u64(), "{alone}");
    let inputs =
        json!({"inputs": [view_body("account", "dynamic"), view_body("account", "static")]});
    let reply = api
        .post(&api.api_key(0), "/workspace/views/upsert/batch", inputs)
        .await
        .ok();
    let counts = [0, 1].map(|nth| reply["data"]["results"][nth]["record"]["records_count"].clone());
    assert_eq!(counts, [Value::Null, json!(0)]);
}

#[tokio::test]
async fn every_member_and_key_with_write_scope_can_write_views() {
    let api = TestService::new().await;
    let view = api
        .post(
            &api.member_caller(0, 3),
            "/workspace/views/upsert",
            view_body("account", "static"),
        )
        .await
        .ok()["data"]
        .clone();
    let reader = api.read_only_key(0);
    api.post(
        &reader,
        "/workspace/views/upsert",
        view_body("account", "static"),
    )
    .await
    .expect_error(403, "forbidden");
    api.delete(&reader, &view_path(&view))
        .await
        .expect_error(403, "forbidden");
    api.get(&reader, &view_path(&view)).await.ok();
    api.delete(&api.member_caller(0, 2), &view_path(&view))
        .await
        .ok();
}

#[tokio::test]
async fn lists_count_only_the_first_50_dynamic_views() {
    let api = TestService::new().await;
    let inputs: Vec<Value> = (0..60)
        .map(|n| {
            json!({"name": format!("V{n}"), "dataset": "account", "type": "dynamic", "definition": {"match": "all",
            "conditions": [{"field": "name", "op": "is", "value": "nobody at all"}]}})
        })
        .collect();
    api.post(
        &api.api_key(0),
        "/workspace/views/upsert/batch",
        json!({"inputs": inputs}),
    )
    .await
    .ok();
    let all = list_views(&api, &api.api_key(0)).await;
    let ours: Vec<&Value> = all
        .iter()
        .filter(|view| view["name"].as_str().unwrap().starts_with('V'))
        .collect();
    let (counted, uncounted): (Vec<&Value>, Vec<&Value>) = ours
        .into_iter()
        .partition(|view| view["records_count"] == 0);
    assert!(
        counted.len() <= 50 && uncounted.len() >= 10,
        "{} counted, {} not",
        counted.len(),
        uncounted.len()
    );
    assert!(uncounted.iter().all(|view| view["records_count"].is_null()));
    assert_eq!(
        api.get(&api.api_key(0), &view_path(uncounted[0]))
            .await
            .ok()["data"]["records_count"],
        0
    );
}
