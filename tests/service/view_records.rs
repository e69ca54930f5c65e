//! The membership of Static Views (interface: Add records, Remove records; States and transitions: Static View membership).

use crate::shelf::Shelf;
use crate::support::Desk;
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// The path to the records of a new View.
async fn records(desk: &Desk, dataset: &str, kind: &str) -> String {
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind});
    if kind == "dynamic" {
        body["definition"] = json!({"match": "all", "conditions": []});
    }
    let said = desk.post(&desk.key(0), "/workspace/views/upsert", body).await.ok();
    format!("/workspace/views/{}/records", said["data"]["id"].as_str().unwrap())
}

async fn add(desk: &Desk, records: &str, record: &str) -> Value {
    desk.post(&desk.key(0), &format!("{records}/add"), json!({"record_id": record})).await.ok()
}

async fn add_batch(desk: &Desk, records: &str, ids: &[&str]) -> Value {
    let inputs: Vec<_> = ids.iter().map(|id| json!({"record_id": id})).collect();
    desk.post(&desk.key(0), &format!("{records}/add/batch"), json!({ "inputs": inputs })).await.ok()
}

async fn remove(desk: &Desk, records: &str, record: &str) -> Value {
    desk.delete(&desk.key(0), &format!("{records}/{record}")).await.ok()
}

/// The ids of the members, sorted.
async fn members(desk: &Desk, records: &str) -> Vec<String> {
    let said = desk.post(&desk.key(0), &format!("{records}/search"), json!({"limit": 100})).await.ok();
    let mut ids: Vec<_> =
        said["data"]["records"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    ids
}

/// What came of each item: `ok`, or the code of its error.
fn outcomes(said: &Value) -> Vec<&str> {
    said["data"]["results"].as_array().unwrap().iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect()
}

/// A contact that nothing makes visible.
fn hidden(shelf: &Shelf) -> String {
    let sql = "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
        AND id NOT IN (SELECT record_id FROM book) AND id NOT IN (SELECT record_id FROM view_records) LIMIT 1";
    shelf.ids(sql).remove(0)
}

/// Two records of a dataset that are visible and in no View.
fn visible(shelf: &Shelf, dataset: &str) -> Vec<String> {
    let condition = if dataset == "contact" { "id IN (SELECT contact_id FROM project_contacts)" } else { "1" };
    shelf.ids(&format!(
        "SELECT id FROM {dataset}s WHERE {condition} AND id NOT IN (SELECT record_id FROM view_records)
         AND id NOT IN (SELECT record_id FROM book) ORDER BY rowid LIMIT 2"
    ))
}

#[tokio::test]
async fn an_add_answers_the_view_and_a_result_for_the_record() {
    let shelf = Shelf::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, ids) = (records(&shelf, dataset, "static").await, visible(&shelf, dataset));
        let said = add(&shelf, &path, &ids[0]).await;
        let view = path.split('/').nth(3).unwrap();
        let result = json!({"index": 0, "record_id": ids[0], "status": "ok"});
        assert_eq!(said["data"], json!({"view_id": view, "results": [result]}), "{dataset}");
        assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 1, "failed": 0}), "{dataset}");
    }
}

#[tokio::test]
async fn an_absent_record_that_is_added_is_present() {
    let shelf = Shelf::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, ids) = (records(&shelf, dataset, "static").await, visible(&shelf, dataset));
        assert!(members(&shelf, &path).await.is_empty());
        add(&shelf, &path, &ids[0]).await;
        assert_eq!(members(&shelf, &path).await, [ids[0].clone()], "{dataset}");
    }
}

#[tokio::test]
async fn a_present_record_that_is_added_again_stays_with_status_ok() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "account", "static").await, visible(&shelf, "account"));
    let first = add(&shelf, &path, &ids[0]).await;
    assert_eq!(add(&shelf, &path, &ids[0]).await, first);
    assert_eq!(outcomes(&add_batch(&shelf, &path, &[&ids[0], &ids[0]]).await), ["ok", "ok"]);
    assert_eq!(members(&shelf, &path).await, [ids[0].clone()]);
}

#[tokio::test]
async fn a_remove_makes_a_record_absent_and_is_idempotent() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "project", "static").await, visible(&shelf, "project"));
    add_batch(&shelf, &path, &[&ids[0], &ids[1]]).await;
    for _ in 0..2 {
        let said = remove(&shelf, &path, &ids[0]).await;
        assert_eq!(said["data"]["results"], json!([{"index": 0, "record_id": ids[0], "status": "ok"}]));
        assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 1, "failed": 0}));
        assert_eq!(members(&shelf, &path).await, [ids[1].clone()]);
    }
    assert_eq!(outcomes(&remove(&shelf, &path, NOBODY).await), ["ok"], "an id not in the View reports success");
}

#[tokio::test]
async fn adds_and_removes_keep_the_views_count() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "account", "static").await, visible(&shelf, "account"));
    let count = async || {
        let view = shelf.get(&shelf.key(0), path.trim_end_matches("/records")).await.ok();
        view["data"]["records_count"].clone()
    };
    assert_eq!(count().await, 0);
    add_batch(&shelf, &path, &[&ids[0], &ids[1], &ids[0]]).await;
    assert_eq!(count().await, 2);
    remove(&shelf, &path, &ids[1]).await;
    assert_eq!(count().await, 1);
}

#[tokio::test]
async fn a_batch_of_adds_answers_every_item_in_input_order() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "account", "static").await, visible(&shelf, "account"));
    let inputs = json!([{"record_id": ids[1]}, {"record_id": NOBODY}, {"record_id": "x"}, {}, 5, {"record_id": ids[0]}]);
    let said = shelf.post(&shelf.key(0), &format!("{path}/add/batch"), json!({ "inputs": inputs })).await.ok();
    assert_eq!(outcomes(&said), ["ok", "record_not_found", "bad_request", "bad_request", "bad_request", "ok"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 4}));
    for (nth, result) in said["data"]["results"].as_array().unwrap().iter().enumerate() {
        let ok = result["status"] == "ok";
        assert_eq!((&result["index"], result.get("error").is_none()), (&json!(nth), ok), "{result}");
        assert!(ok || (result["status"] == "error" && result["error"]["message"].is_string()), "{result}");
        assert_eq!(result["record_id"], inputs[nth].get("record_id").cloned().unwrap_or(Value::Null));
    }
    assert_eq!(members(&shelf, &path).await.len(), 2, "one failure never aborts the rest");
}

#[tokio::test]
async fn a_batch_of_removes_takes_ids_and_answers_in_input_order() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "account", "static").await, visible(&shelf, "account"));
    add_batch(&shelf, &path, &[&ids[0], &ids[1]]).await;
    let body = json!({"ids": [ids[1], NOBODY, "x", ids[1], ids[0]]});
    let said = shelf.post(&shelf.key(0), &format!("{path}/delete/batch"), body.clone()).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok", "bad_request", "ok", "ok"]);
    let named: Vec<_> = said["data"]["results"].as_array().unwrap().iter().map(|result| result["record_id"].clone()).collect();
    assert_eq!(json!({"ids": named}), body);
    assert!(members(&shelf, &path).await.is_empty());
}

#[tokio::test]
async fn record_batches_take_1_to_100_elements() {
    let shelf = Shelf::new().await;
    let path = records(&shelf, "account", "static").await;
    let ids = shelf.ids("SELECT id FROM accounts ORDER BY rowid LIMIT 101");
    assert_eq!(ids.len(), 101);
    let inputs: Vec<_> = ids.iter().map(|id| json!({"record_id": id})).collect();
    for (verb, key, elements) in [("add", "inputs", json!(inputs)), ("delete", "ids", json!(ids))] {
        for count in [0, 101] {
            let body = json!({ key: elements.as_array().unwrap()[..count] });
            shelf.post(&shelf.key(0), &format!("{path}/{verb}/batch"), body).await.refused(400, "bad_request");
        }
        for body in [json!({}), json!([]), json!({ key: "x" }), json!({ key: elements[0] })] {
            shelf.post(&shelf.key(0), &format!("{path}/{verb}/batch"), body).await.refused(400, "bad_request");
        }
        let expected = if verb == "add" { 0 } else { 100 };
        assert_eq!(members(&shelf, &path).await.len(), expected, "a refused envelope applies nothing");
        let body = json!({ key: elements.as_array().unwrap()[..100] });
        let said = shelf.post(&shelf.key(0), &format!("{path}/{verb}/batch"), body).await.ok();
        assert_eq!(said["metadata"]["succeeded"], 100);
    }
}

#[tokio::test]
async fn the_adds_batch_takes_inputs_and_the_removes_batch_takes_ids() {
    let shelf = Shelf::new().await;
    let (path, ids) = (records(&shelf, "account", "static").await, visible(&shelf, "account"));
    shelf.post(&shelf.key(0), &format!("{path}/add/batch"), json!({ "ids": ids })).await.refused(400, "bad_request");
    let inputs = json!({"inputs": [{"record_id": ids[0]}]});
    shelf.post(&shelf.key(0), &format!("{path}/delete/batch"), inputs).await.refused(400, "bad_request");
}

#[tokio::test]
async fn a_single_add_takes_one_record_id_and_a_bad_record_is_its_results_error() {
    let shelf = Shelf::new().await;
    let path = records(&shelf, "account", "static").await;
    let said = add(&shelf, &path, NOBODY).await;
    assert_eq!(outcomes(&said), ["record_not_found"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 0, "failed": 1}));
    for body in [json!({}), json!({"record_id": "x"}), json!({"record_id": [NOBODY]}), json!({"id": NOBODY})] {
        shelf.post(&shelf.key(0), &format!("{path}/add"), body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn add_and_remove_on_a_dynamic_view_is_view_type_mismatch() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for dataset in ["account", "contact", "project"] {
        let path = records(&shelf, dataset, "dynamic").await;
        let record = visible(&shelf, dataset).remove(0);
        for said in [
            shelf.post(&key, &format!("{path}/add"), json!({"record_id": record})).await,
            shelf.post(&key, &format!("{path}/add/batch"), json!({"inputs": [{"record_id": record}]})).await,
            shelf.delete(&key, &format!("{path}/{record}")).await,
            shelf.post(&key, &format!("{path}/delete/batch"), json!({"ids": [record]})).await,
        ] {
            said.refused(400, "view_type_mismatch");
        }
    }
}

#[tokio::test]
async fn a_record_of_another_dataset_is_record_not_found() {
    let shelf = Shelf::new().await;
    for (dataset, other) in [("account", "project"), ("contact", "account"), ("project", "contact")] {
        let path = records(&shelf, dataset, "static").await;
        let stranger = visible(&shelf, other).remove(0);
        assert_eq!(outcomes(&add(&shelf, &path, &stranger).await), ["record_not_found"], "{dataset} {other}");
    }
}

#[tokio::test]
async fn a_record_that_exists_and_is_not_visible_is_record_not_visible() {
    let shelf = Shelf::new().await;
    let (path, contact) = (records(&shelf, "contact", "static").await, hidden(&shelf));
    shelf.get(&shelf.key(0), &format!("/data/contacts/{contact}")).await.ok();
    assert_eq!(outcomes(&add(&shelf, &path, &contact).await), ["record_not_visible"]);
    // in the book of another workspace: not visible here
    shelf.post(&shelf.key(1), "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(outcomes(&add(&shelf, &path, &contact).await), ["record_not_visible"]);
    assert!(members(&shelf, &path).await.is_empty());
}

#[tokio::test]
async fn a_candidate_membership_cannot_authorize_itself() {
    let shelf = Shelf::new().await;
    let (path, contact) = (records(&shelf, "contact", "static").await, hidden(&shelf));
    let said = add_batch(&shelf, &path, &[&contact, &contact]).await;
    assert_eq!(outcomes(&said), ["record_not_visible", "record_not_visible"]);
}

#[tokio::test]
async fn a_contact_is_visible_through_the_book_a_project_or_another_view() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let (first, second) = (records(&shelf, "contact", "static").await, records(&shelf, "contact", "static").await);
    let contact = hidden(&shelf);
    shelf.post(&key, "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(outcomes(&add(&shelf, &first, &contact).await), ["ok"], "through the book");
    shelf.delete(&key, &format!("/workspace/contacts/{contact}")).await.ok();
    assert_eq!(outcomes(&add(&shelf, &second, &contact).await), ["ok"], "through the first View");
    let linked = visible(&shelf, "contact").remove(0);
    assert_eq!(outcomes(&add(&shelf, &first, &linked).await), ["ok"], "through its projects");
}

#[tokio::test]
async fn removing_a_contact_from_its_last_static_view_ends_that_visibility_source() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let (first, second) = (records(&shelf, "contact", "static").await, records(&shelf, "contact", "static").await);
    let contact = hidden(&shelf);
    shelf.post(&key, "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    add(&shelf, &first, &contact).await;
    add(&shelf, &second, &contact).await;
    shelf.delete(&key, &format!("/workspace/contacts/{contact}")).await.ok();
    remove(&shelf, &first, &contact).await;
    assert_eq!(outcomes(&add(&shelf, &first, &contact).await), ["ok"], "the other View is left");
    remove(&shelf, &first, &contact).await;
    remove(&shelf, &second, &contact).await;
    assert_eq!(outcomes(&add(&shelf, &first, &contact).await), ["record_not_visible"], "nothing is left");
    shelf.get(&key, &format!("/data/contacts/{contact}")).await.ok();
}

#[tokio::test]
async fn a_contact_with_a_book_overlay_or_a_project_link_stays_visible_out_of_its_last_view() {
    let shelf = Shelf::new().await;
    let path = records(&shelf, "contact", "static").await;
    let (saved, linked) = (hidden(&shelf), visible(&shelf, "contact").remove(0));
    shelf.post(&shelf.key(0), "/workspace/contacts/upsert", json!({"contact_id": saved})).await.ok();
    for (why, contact) in [("book", saved), ("project", linked)] {
        add(&shelf, &path, &contact).await;
        remove(&shelf, &path, &contact).await;
        assert_eq!(outcomes(&add(&shelf, &path, &contact).await), ["ok"], "{why}");
    }
}

#[tokio::test]
async fn a_removal_never_deletes_an_existing_workspace_overlay() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for (dataset, id_key) in [("account", "account_id"), ("contact", "contact_id"), ("project", "project_id")] {
        let (path, record) = (records(&shelf, dataset, "static").await, visible(&shelf, dataset).remove(0));
        let body = json!({id_key: record, "notes": "kept"});
        shelf.post(&key, &format!("/workspace/{dataset}s/upsert"), body).await.ok();
        add(&shelf, &path, &record).await;
        remove(&shelf, &path, &record).await;
        let kept = shelf.get(&key, &format!("/workspace/{dataset}s/{record}")).await.ok();
        assert_eq!(kept["data"]["notes"], "kept", "{dataset}");
    }
}

#[tokio::test]
async fn adding_a_record_does_not_put_it_into_the_book() {
    let shelf = Shelf::new().await;
    for dataset in ["account", "contact", "project"] {
        let (path, record) = (records(&shelf, dataset, "static").await, visible(&shelf, dataset).remove(0));
        add(&shelf, &path, &record).await;
        shelf.get(&shelf.key(0), &format!("/workspace/{dataset}s/{record}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn view_record_add_and_remove_need_the_scope_workspace_write() {
    let shelf = Shelf::new().await;
    let path = records(&shelf, "account", "static").await;
    let key = shelf.reading_key(0);
    for said in [
        shelf.post(&key, &format!("{path}/add"), json!({"record_id": NOBODY})).await,
        shelf.post(&key, &format!("{path}/add/batch"), json!({"inputs": [{"record_id": NOBODY}]})).await,
        shelf.delete(&key, &format!("{path}/{NOBODY}")).await,
        shelf.post(&key, &format!("{path}/delete/batch"), json!({"ids": [NOBODY]})).await,
    ] {
        let error = said.refused(403, "forbidden");
        assert!(error["message"].as_str().unwrap().contains("workspace:write"), "{error}");
    }
    shelf.post(&key, &format!("{path}/search"), json!({})).await.ok();
}

#[tokio::test]
async fn membership_is_the_views_own_and_shared_by_the_workspace() {
    let shelf = Shelf::new().await;
    let (path, other) = (records(&shelf, "account", "static").await, records(&shelf, "account", "static").await);
    let id = visible(&shelf, "account").remove(0);
    shelf.post(&shelf.user(0, 3), &format!("{path}/add"), json!({"record_id": id})).await.ok();
    let said = shelf.post(&shelf.user(0, 2), &format!("{path}/search"), json!({})).await.ok();
    assert_eq!(said["data"]["records"][0]["id"], id.as_str());
    assert!(members(&shelf, &other).await.is_empty());
}
