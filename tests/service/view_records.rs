//! The records of Static Views (interface: Add records, Remove records; States and transitions:
//! Static View membership).

use crate::service_with_file::ServiceWithFile;
use crate::support::TestService;
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

/// The path to the records of a new View.
async fn create_view_records_path(api: &TestService, dataset: &str, kind: &str) -> String {
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind});
    if kind == "dynamic" {
        body["definition"] = json!({"match": "all", "conditions": []});
    }
    let reply = api
        .post(&api.api_key(0), "/workspace/views/upsert", body)
        .await
        .ok();
    format!(
        "/workspace/views/{}/records",
        reply["data"]["id"].as_str().unwrap()
    )
}

async fn add_record(api: &TestService, records: &str, record: &str) -> Value {
    api.post(
        &api.api_key(0),
        &format!("{records}/add"),
        json!({"record_id": record}),
    )
    .await
    .ok()
}

async fn add_record_batch(api: &TestService, records: &str, ids: &[&str]) -> Value {
    let inputs: Vec<_> = ids.iter().map(|id| json!({"record_id": id})).collect();
    api.post(
        &api.api_key(0),
        &format!("{records}/add/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok()
}

async fn remove_record(api: &TestService, records: &str, record: &str) -> Value {
    api.delete(&api.api_key(0), &format!("{records}/{record}"))
        .await
        .ok()
}

/// The ids of the records, sorted.
async fn member_ids(api: &TestService, records: &str) -> Vec<String> {
    let reply = api
        .post(
            &api.api_key(0),
            &format!("{records}/search"),
            json!({"limit": 100}),
        )
        .await
        .ok();
    let mut ids: Vec<_> = reply["data"]["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort_unstable();
    ids
}

/// The result of each item: `ok`, or the code of its error.
fn result_codes(reply: &Value) -> Vec<&str> {
    reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["error"]["code"].as_str().unwrap_or("ok"))
        .collect()
}

/// A contact that nothing makes visible.
fn hidden_contact(api: &ServiceWithFile) -> String {
    let sql = "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
        AND id NOT IN (SELECT record_id FROM book) AND id NOT IN (SELECT record_id FROM view_records) LIMIT 1";
    api.query_ids(sql).remove(0)
}

/// Two visible records of a dataset that are in no View.
fn visible_records(api: &ServiceWithFile, dataset: &str) -> Vec<String> {
    let condition = if dataset == "contact" {
        "id IN (SELECT contact_id FROM project_contacts)"
    } else {
        "TRUE"
    };
    api.query_ids(&format!(
        "SELECT id FROM {dataset}s WHERE {condition} AND id NOT IN (SELECT record_id FROM view_records)
         AND id NOT IN (SELECT record_id FROM book) ORDER BY rowid LIMIT 2"
    ))
}

#[tokio::test]
async fn an_add_returns_the_view_and_a_result_for_the_record() {
    let api = ServiceWithFile::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, ids) = (
            create_view_records_path(&api, dataset, "static").await,
            visible_records(&api, dataset),
        );
        let reply = add_record(&api, &path, &ids[0]).await;
        let view = path.split('/').nth(3).unwrap();
        let result = json!({"index": 0, "record_id": ids[0], "status": "ok"});
        assert_eq!(
            reply["data"],
            json!({"view_id": view, "results": [result]}),
            "{dataset}"
        );
        assert_eq!(
            reply["metadata"],
            json!({"credits": 0, "succeeded": 1, "failed": 0}),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn an_added_record_is_present() {
    let api = ServiceWithFile::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, ids) = (
            create_view_records_path(&api, dataset, "static").await,
            visible_records(&api, dataset),
        );
        assert!(member_ids(&api, &path).await.is_empty());
        add_record(&api, &path, &ids[0]).await;
        assert_eq!(member_ids(&api, &path).await, [ids[0].clone()], "{dataset}");
    }
}

#[tokio::test]
async fn adding_a_present_record_again_is_ok() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "account", "static").await,
        visible_records(&api, "account"),
    );
    let first = add_record(&api, &path, &ids[0]).await;
    assert_eq!(add_record(&api, &path, &ids[0]).await, first);
    assert_eq!(
        result_codes(&add_record_batch(&api, &path, &[&ids[0], &ids[0]]).await),
        ["ok", "ok"]
    );
    assert_eq!(member_ids(&api, &path).await, [ids[0].clone()]);
}

#[tokio::test]
async fn removing_a_record_is_idempotent() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "project", "static").await,
        visible_records(&api, "project"),
    );
    add_record_batch(&api, &path, &[&ids[0], &ids[1]]).await;
    for _ in 0..2 {
        let reply = remove_record(&api, &path, &ids[0]).await;
        assert_eq!(
            reply["data"]["results"],
            json!([{"index": 0, "record_id": ids[0], "status": "ok"}])
        );
        assert_eq!(
            reply["metadata"],
            json!({"credits": 0, "succeeded": 1, "failed": 0})
        );
        assert_eq!(member_ids(&api, &path).await, [ids[1].clone()]);
    }
    assert_eq!(
        result_codes(&remove_record(&api, &path, UNKNOWN_ID).await),
        ["ok"],
        "an id not in the View reports success"
    );
}

#[tokio::test]
async fn adds_and_removes_update_the_views_count() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "account", "static").await,
        visible_records(&api, "account"),
    );
    let count = async || {
        let view = api
            .get(&api.api_key(0), path.trim_end_matches("/records"))
            .await
            .ok();
        view["data"]["records_count"].clone()
    };
    assert_eq!(count().await, 0);
    add_record_batch(&api, &path, &[&ids[0], &ids[1], &ids[0]]).await;
    assert_eq!(count().await, 2);
    remove_record(&api, &path, &ids[1]).await;
    assert_eq!(count().await, 1);
}

#[tokio::test]
async fn a_batch_of_adds_returns_every_item_in_input_order() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "account", "static").await,
        visible_records(&api, "account"),
    );
    let inputs = json!([{"record_id": ids[1]}, {"record_id": UNKNOWN_ID}, {"record_id": "x"}, {}, 5, {"record_id": ids[0]}]);
    let reply = api
        .post(
            &api.api_key(0),
            &format!("{path}/add/batch"),
            json!({ "inputs": inputs }),
        )
        .await
        .ok();
    assert_eq!(
        result_codes(&reply),
        [
            "ok",
            "record_not_found",
            "bad_request",
            "bad_request",
            "bad_request",
            "ok"
        ]
    );
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 2, "failed": 4})
    );
    for (nth, result) in reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let ok = result["status"] == "ok";
        assert_eq!(
            (&result["index"], result.get("error").is_none()),
            (&json!(nth), ok),
            "{result}"
        );
        assert!(
            ok || (result["status"] == "error" && result["error"]["message"].is_string()),
            "{result}"
        );
        assert_eq!(
            result["record_id"],
            inputs[nth].get("record_id").cloned().unwrap_or(Value::Null)
        );
    }
    assert_eq!(
        member_ids(&api, &path).await.len(),
        2,
        "a failure does not stop the rest"
    );
}

#[tokio::test]
async fn a_batch_of_removes_takes_ids_and_returns_them_in_input_order() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "account", "static").await,
        visible_records(&api, "account"),
    );
    add_record_batch(&api, &path, &[&ids[0], &ids[1]]).await;
    let body = json!({"ids": [ids[1], UNKNOWN_ID, "x", ids[1], ids[0]]});
    let reply = api
        .post(
            &api.api_key(0),
            &format!("{path}/delete/batch"),
            body.clone(),
        )
        .await
        .ok();
    assert_eq!(
        result_codes(&reply),
        ["ok", "ok", "bad_request", "ok", "ok"]
    );
    let named: Vec<_> = reply["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["record_id"].clone())
        .collect();
    assert_eq!(json!({"ids": named}), body);
    assert!(member_ids(&api, &path).await.is_empty());
}

#[tokio::test]
async fn record_batches_take_1_to_100_elements() {
    let api = ServiceWithFile::new().await;
    let path = create_view_records_path(&api, "account", "static").await;
    let ids = api.query_ids("SELECT id FROM accounts ORDER BY rowid LIMIT 101");
    assert_eq!(ids.len(), 101);
    let inputs: Vec<_> = ids.iter().map(|id| json!({"record_id": id})).collect();
    for (verb, key, elements) in [
        ("add", "inputs", json!(inputs)),
        ("delete", "ids", json!(ids)),
    ] {
        for count in [0, 101] {
            let body = json!({ key: elements.as_array().unwrap()[..count] });
            api.post(&api.api_key(0), &format!("{path}/{verb}/batch"), body)
                .await
                .expect_error(400, "bad_request");
        }
        for body in [
            json!({}),
            json!([]),
            json!({ key: "x" }),
            json!({ key: elements[0] }),
        ] {
            api.post(&api.api_key(0), &format!("{path}/{verb}/batch"), body)
                .await
                .expect_error(400, "bad_request");
        }
        let expected = if verb == "add" { 0 } else { 100 };
        assert_eq!(
            member_ids(&api, &path).await.len(),
            expected,
            "a rejected envelope changes nothing"
        );
        let body = json!({ key: elements.as_array().unwrap()[..100] });
        let reply = api
            .post(&api.api_key(0), &format!("{path}/{verb}/batch"), body)
            .await
            .ok();
        assert_eq!(reply["metadata"]["succeeded"], 100);
    }
}

#[tokio::test]
async fn the_adds_batch_takes_inputs_and_the_removes_batch_takes_ids() {
    let api = ServiceWithFile::new().await;
    let (path, ids) = (
        create_view_records_path(&api, "account", "static").await,
        visible_records(&api, "account"),
    );
    api.post(
        &api.api_key(0),
        &format!("{path}/add/batch"),
        json!({ "ids": ids }),
    )
    .await
    .expect_error(400, "bad_request");
    let inputs = json!({"inputs": [{"record_id": ids[0]}]});
    api.post(&api.api_key(0), &format!("{path}/delete/batch"), inputs)
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn a_single_add_takes_one_record_id_and_reports_a_bad_record() {
    let api = ServiceWithFile::new().await;
    let path = create_view_records_path(&api, "account", "static").await;
    let reply = add_record(&api, &path, UNKNOWN_ID).await;
    assert_eq!(result_codes(&reply), ["record_not_found"]);
    assert_eq!(
        reply["metadata"],
        json!({"credits": 0, "succeeded": 0, "failed": 1})
    );
    for body in [
        json!({}),
        json!({"record_id": "x"}),
        json!({"record_id": [UNKNOWN_ID]}),
        json!({"id": UNKNOWN_ID}),
    ] {
        api.post(&api.api_key(0), &format!("{path}/add"), body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn add_and_remove_on_a_dynamic_view_is_view_type_mismatch() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    for dataset in ["account", "contact", "project"] {
        let path = create_view_records_path(&api, dataset, "dynamic").await;
        let record = visible_records(&api, dataset).remove(0);
        for reply in [
            api.post(&key, &format!("{path}/add"), json!({"record_id": record}))
                .await,
            api.post(
                &key,
                &format!("{path}/add/batch"),
                json!({"inputs": [{"record_id": record}]}),
            )
            .await,
            api.delete(&key, &format!("{path}/{record}")).await,
            api.post(
                &key,
                &format!("{path}/delete/batch"),
                json!({"ids": [record]}),
            )
            .await,
        ] {
            reply.expect_error(400, "view_type_mismatch");
        }
    }
}

#[tokio::test]
async fn a_record_of_another_dataset_is_record_not_found() {
    let api = ServiceWithFile::new().await;
    for (dataset, other) in [
        ("account", "project"),
        ("contact", "account"),
        ("project", "contact"),
    ] {
        let path = create_view_records_path(&api, dataset, "static").await;
        let stranger = visible_records(&api, other).remove(0);
        assert_eq!(
            result_codes(&add_record(&api, &path, &stranger).await),
            ["record_not_found"],
            "{dataset} {other}"
        );
    }
}

#[tokio::test]
async fn an_existing_invisible_record_is_record_not_visible() {
    let api = ServiceWithFile::new().await;
    let (path, contact) = (
        create_view_records_path(&api, "contact", "static").await,
        hidden_contact(&api),
    );
    api.get(&api.api_key(0), &format!("/data/contacts/{contact}"))
        .await
        .ok();
    assert_eq!(
        result_codes(&add_record(&api, &path, &contact).await),
        ["record_not_visible"]
    );
    // in the book of another workspace, so not visible here
    api.post(
        &api.api_key(1),
        "/workspace/contacts/upsert",
        json!({"contact_id": contact}),
    )
    .await
    .ok();
    assert_eq!(
        result_codes(&add_record(&api, &path, &contact).await),
        ["record_not_visible"]
    );
    assert!(member_ids(&api, &path).await.is_empty());
}

#[tokio::test]
async fn adding_a_record_cannot_make_itself_visible() {
    let api = ServiceWithFile::new().await;
    let (path, contact) = (
        create_view_records_path(&api, "contact", "static").await,
        hidden_contact(&api),
    );
    let reply = add_record_batch(&api, &path, &[&contact, &contact]).await;
    assert_eq!(
        result_codes(&reply),
        ["record_not_visible", "record_not_visible"]
    );
}

#[tokio::test]
async fn a_contact_is_visible_through_the_book_a_project_or_another_view() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let (first, second) = (
        create_view_records_path(&api, "contact", "static").await,
        create_view_records_path(&api, "contact", "static").await,
    );
    let contact = hidden_contact(&api);
    api.post(
        &key,
        "/workspace/contacts/upsert",
        json!({"contact_id": contact}),
    )
    .await
    .ok();
    assert_eq!(
        result_codes(&add_record(&api, &first, &contact).await),
        ["ok"],
        "through the book"
    );
    api.delete(&key, &format!("/workspace/contacts/{contact}"))
        .await
        .ok();
    assert_eq!(
        result_codes(&add_record(&api, &second, &contact).await),
        ["ok"],
        "through the first View"
    );
    let linked = visible_records(&api, "contact").remove(0);
    assert_eq!(
        result_codes(&add_record(&api, &first, &linked).await),
        ["ok"],
        "through its projects"
    );
}

#[tokio::test]
async fn a_contact_removed_from_its_last_static_view_loses_that_visibility() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let (first, second) = (
        create_view_records_path(&api, "contact", "static").await,
        create_view_records_path(&api, "contact", "static").await,
    );
    let contact = hidden_contact(&api);
    api.post(
        &key,
        "/workspace/contacts/upsert",
        json!({"contact_id": contact}),
    )
    .await
    .ok();
    add_record(&api, &first, &contact).await;
    add_record(&api, &second, &contact).await;
    api.delete(&key, &format!("/workspace/contacts/{contact}"))
        .await
        .ok();
    remove_record(&api, &first, &contact).await;
    assert_eq!(
        result_codes(&add_record(&api, &first, &contact).await),
        ["ok"],
        "it is still in the other View"
    );
    remove_record(&api, &first, &contact).await;
    remove_record(&api, &second, &contact).await;
    assert_eq!(
        result_codes(&add_record(&api, &first, &contact).await),
        ["record_not_visible"],
        "nothing makes it visible"
    );
    api.get(&key, &format!("/data/contacts/{contact}"))
        .await
        .ok();
}

#[tokio::test]
async fn a_contact_stays_visible_through_the_book_or_a_project() {
    let api = ServiceWithFile::new().await;
    let path = create_view_records_path(&api, "contact", "static").await;
    let (saved, linked) = (
        hidden_contact(&api),
        visible_records(&api, "contact").remove(0),
    );
    api.post(
        &api.api_key(0),
        "/workspace/contacts/upsert",
        json!({"contact_id": saved}),
    )
    .await
    .ok();
    for (why, contact) in [("book", saved), ("project", linked)] {
        add_record(&api, &path, &contact).await;
        remove_record(&api, &path, &contact).await;
        assert_eq!(
            result_codes(&add_record(&api, &path, &contact).await),
            ["ok"],
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_removal_keeps_the_workspace_overlay() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    for (dataset, id_key) in [
        ("account", "account_id"),
        ("contact", "contact_id"),
        ("project", "project_id"),
    ] {
        let (path, record) = (
            create_view_records_path(&api, dataset, "static").await,
            visible_records(&api, dataset).remove(0),
        );
        let body = json!({id_key: record, "notes": "kept"});
        api.post(&key, &format!("/workspace/{dataset}s/upsert"), body)
            .await
            .ok();
        add_record(&api, &path, &record).await;
        remove_record(&api, &path, &record).await;
        let kept = api
            .get(&key, &format!("/workspace/{dataset}s/{record}"))
            .await
            .ok();
        assert_eq!(kept["data"]["notes"], "kept", "{dataset}");
    }
}

#[tokio::test]
async fn adding_a_record_does_not_put_it_into_the_book() {
    let api = ServiceWithFile::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, record) = (
            create_view_records_path(&api, dataset, "static").await,
            visible_records(&api, dataset).remove(0),
        );
        add_record(&api, &path, &record).await;
        api.get(&api.api_key(0), &format!("/workspace/{dataset}s/{record}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn view_record_writes_require_the_workspace_write_scope() {
    let api = ServiceWithFile::new().await;
    let path = create_view_records_path(&api, "account", "static").await;
    let key = api.read_only_key(0);
    for reply in [
        api.post(
            &key,
            &format!("{path}/add"),
            json!({"record_id": UNKNOWN_ID}),
        )
        .await,
        api.post(
            &key,
            &format!("{path}/add/batch"),
            json!({"inputs": [{"record_id": UNKNOWN_ID}]}),
        )
        .await,
        api.delete(&key, &format!("{path}/{UNKNOWN_ID}")).await,
        api.post(
            &key,
            &format!("{path}/delete/batch"),
            json!({"ids": [UNKNOWN_ID]}),
        )
        .await,
    ] {
        let error = reply.expect_error(403, "forbidden");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("workspace:write"),
            "{error}"
        );
    }
    api.post(&key, &format!("{path}/search"), json!({}))
        .await
        .ok();
}

#[tokio::test]
async fn membership_belongs_to_the_view_and_is_shared_by_the_workspace() {
    let api = ServiceWithFile::new().await;
    let (path, other) = (
        create_view_records_path(&api, "account", "static").await,
        create_view_records_path(&api, "account", "static").await,
    );
    let id = visible_records(&api, "account").remove(0);
    api.post(
        &api.member_caller(0, 3),
        &format!("{path}/add"),
        json!({"record_id": id}),
    )
    .await
    .ok();
    let reply = api
        .post(
            &api.member_caller(0, 2),
            &format!("{path}/search"),
            json!({}),
        )
        .await
        .ok();
    assert_eq!(reply["data"]["records"][0]["id"], id.as_str());
    assert!(member_ids(&api, &other).await.is_empty());
}
