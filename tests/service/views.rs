//! Views, their membership, and Favorites (interface: Workspace: Views and Favorites; decisions 2.6 to 2.8).

use crate::shelf::Shelf;
use crate::support::Caller;
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// A new View's id.
async fn made(shelf: &Shelf, caller: &Caller, dataset: &str, kind: &str) -> String {
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind});
    if kind == "dynamic" {
        body["definition"] = json!({"match": "all", "conditions": []});
    }
    let said = shelf.post(caller, "/workspace/views/upsert", body).await.ok();
    said["data"]["id"].as_str().expect("an id").to_owned()
}

/// What came of each item of a membership write: `ok`, or the code of its error.
fn outcomes(said: &Value) -> Vec<&str> {
    let results = said["data"]["results"].as_array().expect("results");
    let in_order = results
        .iter()
        .enumerate()
        .all(|(nth, result)| result["index"] == nth && result["error"].is_object() == (result["status"] == "error"));
    assert!(in_order, "{said}");
    results.iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect()
}

/// A contact that nothing makes visible.
fn hidden(shelf: &Shelf) -> String {
    shelf
        .ids(
            "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
             AND id NOT IN (SELECT record_id FROM book) AND id NOT IN (SELECT record_id FROM view_records) LIMIT 1",
        )
        .remove(0)
}

#[tokio::test]
async fn the_views_of_the_workspace_are_listed_and_cost_nothing() {
    let shelf = Shelf::new().await;
    let said = shelf.get(&shelf.key(0), "/workspace/views").await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let views = said["data"]["views"].as_array().unwrap();
    for view in views {
        let mut keys: Vec<_> = view.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        let all = "created_at created_by dataset definition description id name records_count sort type updated_at";
        assert_eq!(keys, all.split(' ').collect::<Vec<_>>());
        assert_eq!(view["definition"].is_object(), view["type"] == "dynamic");
        assert_eq!(view["records_count"].is_i64(), view["type"] == "static");
        let one = shelf.get(&shelf.key(0), &format!("/workspace/views/{}", view["id"].as_str().unwrap())).await.ok();
        assert_eq!(&one["data"], view);
    }
    for dataset in ["account", "contact", "project"] {
        for kind in ["static", "dynamic"] {
            assert!(views.iter().any(|view| view["dataset"] == dataset && view["type"] == kind), "{kind} {dataset}");
        }
    }
}

#[tokio::test]
async fn an_upsert_makes_a_view_or_changes_the_fields_that_it_names() {
    let shelf = Shelf::new().await;
    let key = shelf.user(0, 2);
    let body = json!({"name": "Cranes", "description": "All of them", "dataset": "project", "type": "static",
        "sort": {"field": "name", "order": "asc"}});
    let made = shelf.post(&key, "/workspace/views/upsert", body).await.ok()["data"].clone();
    assert_eq!((&made["name"], &made["records_count"], &made["definition"]), (&json!("Cranes"), &json!(0), &Value::Null));
    assert_eq!(made["created_by"], shelf.workspace(0).members[2].user_id.to_string());
    let change = json!({"view_id": made["id"], "description": null, "dataset": "project"});
    let changed = shelf.post(&key, "/workspace/views/upsert", change).await.ok()["data"].clone();
    assert_eq!((&changed["name"], &changed["description"], &changed["sort"]), (&made["name"], &Value::Null, &made["sort"]));
    let same = shelf.post(&key, "/workspace/views/upsert", json!({"view_id": made["id"]})).await.ok()["data"].clone();
    assert_eq!(same, changed);

    for body in [
        json!({}),
        json!([]),
        json!({"name": "x", "dataset": "project"}),
        json!({"name": "x", "dataset": "signal", "type": "static"}),
        json!({"name": "x", "dataset": "project", "type": "dynamic"}),
        json!({"name": "x", "dataset": "project", "type": "static", "definition": {"match": "all", "conditions": []}}),
        json!({"name": "", "dataset": "project", "type": "static"}),
        json!({"name": "x", "dataset": "project", "type": "static", "view": 1}),
        json!({"view_id": made["id"], "name": null}),
        json!({"view_id": made["id"], "type": "dynamic"}),
        json!({"view_id": made["id"], "dataset": "account"}),
        json!({"view_id": "x"}),
    ] {
        shelf.post(&key, "/workspace/views/upsert", body).await.refused(400, "bad_request");
    }
    shelf.post(&key, "/workspace/views/upsert", json!({"view_id": NOBODY, "name": "x"})).await.refused(404, "view_not_found");
}

#[tokio::test]
async fn an_unknown_or_out_of_workspace_view_gives_404() {
    let shelf = Shelf::new().await;
    let (ours, theirs) = (shelf.key(0), shelf.key(1));
    let mine = made(&shelf, &ours, "account", "static").await;
    let record = shelf.unsaved("account", 1).remove(0);
    for id in [mine.as_str(), NOBODY, "nonsense"] {
        let view = format!("/workspace/views/{id}");
        shelf.get(&theirs, &view).await.refused(404, "view_not_found");
        shelf.delete(&theirs, &view).await.refused(404, "view_not_found");
        shelf.post(&theirs, &format!("{view}/records/search"), json!({})).await.refused(404, "view_not_found");
        let (one, many) = (json!({"record_id": record}), json!({"inputs": [{"record_id": record}]}));
        shelf.post(&theirs, &format!("{view}/records/add"), one).await.refused(404, "view_not_found");
        shelf.post(&theirs, &format!("{view}/records/add/batch"), many).await.refused(404, "view_not_found");
        shelf.delete(&theirs, &format!("{view}/records/{record}")).await.refused(404, "view_not_found");
        shelf
            .post(&theirs, &format!("{view}/records/delete/batch"), json!({"ids": [record]}))
            .await
            .refused(404, "view_not_found");
    }
    shelf.post(&theirs, "/workspace/views/upsert", json!({"view_id": mine, "name": "x"})).await.refused(404, "view_not_found");
    shelf.post(&theirs, "/workspace/views/delete/batch", json!({"ids": [mine]})).await.ok();
    let user = shelf.user(1, 0);
    shelf.post(&user, "/workspace/favorite-views/upsert", json!({"view_id": mine})).await.refused(404, "view_not_found");
    assert_eq!(shelf.get(&ours, &format!("/workspace/views/{mine}")).await.ok()["data"]["name"], "Ours");
}

#[tokio::test]
async fn a_deleted_view_is_gone_for_everybody_with_its_favorites() {
    let shelf = Shelf::new().await;
    let user = shelf.user(0, 1);
    let id = made(&shelf, &shelf.key(0), "account", "static").await;
    shelf.post(&user, "/workspace/favorite-views/upsert", json!({"view_id": id})).await.ok();
    let said = shelf.delete(&user, &format!("/workspace/views/{id}")).await.ok();
    assert_eq!(said, json!({"data": {"deleted": true, "id": id}, "metadata": {"credits": 0}}));
    shelf.delete(&user, &format!("/workspace/views/{id}")).await.refused(404, "view_not_found");
    let favorites = shelf.get(&user, "/workspace/favorite-views").await.ok();
    assert!(favorites["data"]["favorites"].as_array().unwrap().iter().all(|favorite| favorite["view_id"] != id.as_str()));
}

#[tokio::test]
async fn view_batches_answer_item_by_item() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let inputs = json!([
        {"name": "One", "dataset": "contact", "type": "static"},
        {"name": "Two"},
        {"view_id": NOBODY, "name": "Three"},
        7,
    ]);
    let said = shelf.post(&key, "/workspace/views/upsert/batch", json!({ "inputs": inputs })).await.ok();
    assert_eq!(outcomes(&said), ["ok", "bad_request", "not_found", "bad_request"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 1, "failed": 3}));
    let id = said["data"]["results"][0]["record"]["id"].clone();
    let said = shelf.post(&key, "/workspace/views/delete/batch", json!({"ids": [id, NOBODY, id]})).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok", "ok"]);
    shelf.post(&key, "/workspace/views/delete/batch", json!({"ids": []})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn adds_and_removes_are_idempotent_and_answer_in_input_order() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for word in ["account", "project"] {
        let view = made(&shelf, &key, word, "static").await;
        let path = format!("/workspace/views/{view}");
        let ids = shelf.unsaved(word, 2);
        for _ in 0..2 {
            let said = shelf.post(&key, &format!("{path}/records/add"), json!({"record_id": ids[0]})).await.ok();
            let result = json!({"index": 0, "record_id": ids[0], "status": "ok"});
            assert_eq!(said["data"], json!({"view_id": view, "results": [result]}));
            assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 1, "failed": 0}));
        }
        let inputs = json!([{"record_id": ids[1]}, {"record_id": NOBODY}, {"record_id": "x"}, {}, 5, {"record_id": ids[0]}]);
        let said = shelf.post(&key, &format!("{path}/records/add/batch"), json!({ "inputs": inputs })).await.ok();
        assert_eq!(outcomes(&said), ["ok", "record_not_found", "bad_request", "bad_request", "bad_request", "ok"]);
        assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 4}));
        assert_eq!(shelf.get(&key, &path).await.ok()["data"]["records_count"], 2);
        // a single add of a bad record: 200 with the item's error
        let said = shelf.post(&key, &format!("{path}/records/add"), json!({"record_id": NOBODY})).await.ok();
        assert_eq!(outcomes(&said), ["record_not_found"]);
        shelf.post(&key, &format!("{path}/records/add"), json!({"record_id": "x"})).await.refused(400, "bad_request");
        shelf.post(&key, &format!("{path}/records/add"), json!({})).await.refused(400, "bad_request");

        for _ in 0..2 {
            let said = shelf.delete(&key, &format!("{path}/records/{}", ids[0])).await.ok();
            assert_eq!(said["data"]["results"], json!([{"index": 0, "record_id": ids[0], "status": "ok"}]));
        }
        let ids = json!({"ids": [ids[1], NOBODY, ids[1]]});
        let said = shelf.post(&key, &format!("{path}/records/delete/batch"), ids).await.ok();
        assert_eq!(outcomes(&said), ["ok", "ok", "ok"]);
        assert_eq!(shelf.get(&key, &path).await.ok()["data"]["records_count"], 0);
        for body in [json!({"inputs": []}), json!({"inputs": vec![json!({"record_id": NOBODY}); 101]}), json!({"ids": []})] {
            shelf.post(&key, &format!("{path}/records/add/batch"), body).await.refused(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn add_and_remove_on_a_dynamic_view_is_view_type_mismatch() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let path = format!("/workspace/views/{}/records", made(&shelf, &key, "account", "dynamic").await);
    let record = shelf.unsaved("account", 1).remove(0);
    for said in [
        shelf.post(&key, &format!("{path}/add"), json!({"record_id": record})).await,
        shelf.post(&key, &format!("{path}/add/batch"), json!({"inputs": [{"record_id": record}]})).await,
        shelf.delete(&key, &format!("{path}/{record}")).await,
        shelf.post(&key, &format!("{path}/delete/batch"), json!({"ids": [record]})).await,
    ] {
        said.refused(400, "view_type_mismatch");
    }
}

#[tokio::test]
async fn a_record_of_another_dataset_is_not_found_in_the_views_dataset() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let path = format!("/workspace/views/{}/records/add", made(&shelf, &key, "account", "static").await);
    let project = shelf.unsaved("project", 1).remove(0);
    let said = shelf.post(&key, &path, json!({"record_id": project})).await.ok();
    assert_eq!(outcomes(&said), ["record_not_found"]);
}

#[tokio::test]
async fn a_candidate_membership_cannot_authorize_itself() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let contact = hidden(&shelf);
    let (first, second) = (made(&shelf, &key, "contact", "static").await, made(&shelf, &key, "contact", "static").await);
    let add = async |view: &str| {
        let inputs = json!({"inputs": [{"record_id": contact}, {"record_id": contact}]});
        let said = shelf.post(&key, &format!("/workspace/views/{view}/records/add/batch"), inputs).await.ok();
        outcomes(&said).join(" ")
    };
    let refused = "record_not_visible record_not_visible";
    assert_eq!(add(&first).await, refused);
    // in the book of another workspace: not visible here
    shelf.post(&shelf.key(1), "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(add(&first).await, refused);
    // in the own book: visible, and then visible through the View alone
    shelf.post(&key, "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(add(&first).await, "ok ok");
    shelf.delete(&key, &format!("/workspace/contacts/{contact}")).await.ok();
    assert_eq!(add(&second).await, "ok ok");
    shelf.delete(&key, &format!("/workspace/views/{first}/records/{contact}")).await.ok();
    assert_eq!(add(&first).await, "ok ok");
    // out of its last Static View: that source has ended, and nothing else is left
    for view in [&first, &second] {
        shelf.delete(&key, &format!("/workspace/views/{view}/records/{contact}")).await.ok();
    }
    assert_eq!(add(&first).await, refused);
    shelf.get(&key, &format!("/data/contacts/{contact}")).await.ok();
}

#[tokio::test]
async fn a_removal_never_deletes_an_existing_workspace_overlay() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let contact = hidden(&shelf);
    let view = made(&shelf, &key, "contact", "static").await;
    shelf.post(&key, "/workspace/contacts/upsert", json!({"contact_id": contact, "notes": "kept"})).await.ok();
    shelf.post(&key, &format!("/workspace/views/{view}/records/add"), json!({"record_id": contact})).await.ok();
    shelf.delete(&key, &format!("/workspace/views/{view}/records/{contact}")).await.ok();
    assert_eq!(shelf.get(&key, &format!("/workspace/contacts/{contact}")).await.ok()["data"]["notes"], "kept");
    // a book overlay remains: still visible
    let said = shelf.post(&key, &format!("/workspace/views/{view}/records/add"), json!({"record_id": contact})).await.ok();
    assert_eq!(outcomes(&said), ["ok"]);
}

#[tokio::test]
async fn view_record_add_and_remove_need_the_scope_workspace_write() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, &shelf.key(0), "account", "static").await;
    let path = format!("/workspace/views/{view}/records");
    let key = shelf.reading_key(0);
    shelf.post(&key, &format!("{path}/add"), json!({"record_id": NOBODY})).await.refused(403, "forbidden");
    shelf.delete(&key, &format!("{path}/{NOBODY}")).await.refused(403, "forbidden");
    shelf.post(&key, "/workspace/views/upsert", json!({})).await.refused(403, "forbidden");
    shelf.get(&key, "/workspace/views").await.ok();
}

#[tokio::test]
async fn favorites_need_a_user_token_and_not_an_api_key() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    shelf.get(&key, "/workspace/favorite-views").await.refused(403, "forbidden");
    shelf.post(&key, "/workspace/favorite-views/upsert", json!({"view_id": NOBODY})).await.refused(403, "forbidden");
    shelf.delete(&key, &format!("/workspace/favorite-views/{NOBODY}")).await.refused(403, "forbidden");
    for (verb, body) in [("upsert", json!({"inputs": [{"view_id": NOBODY}]})), ("delete", json!({"ids": [NOBODY]}))] {
        shelf.post(&key, &format!("/workspace/favorite-views/{verb}/batch"), body).await.refused(403, "forbidden");
    }
}

#[tokio::test]
async fn favorites_are_personal_and_keep_the_order_that_they_are_given() {
    let shelf = Shelf::new().await;
    let (mine, other) = (shelf.user(1, 3), shelf.user(1, 2));
    let path = "/workspace/favorite-views";
    let order = async |caller: &Caller| {
        let said = shelf.get(caller, path).await.ok();
        let favorites = said["data"]["favorites"].as_array().unwrap().clone();
        assert!(favorites.iter().enumerate().all(|(nth, favorite)| favorite["position"] == nth), "{favorites:?}");
        favorites.iter().map(|favorite| favorite["view_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = order(&other).await;
    for view in order(&mine).await {
        shelf.delete(&mine, &format!("{path}/{view}")).await.ok();
    }
    let mut views = Vec::new();
    for dataset in ["account", "contact", "project"] {
        views.push(made(&shelf, &shelf.key(1), dataset, "static").await);
    }
    let inputs: Vec<_> =
        views.iter().map(|view| json!({"view_id": view})).chain([json!({"view_id": NOBODY}), json!({})]).collect();
    let said = shelf.post(&mine, &format!("{path}/upsert/batch"), json!({ "inputs": inputs })).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok", "ok", "not_found", "bad_request"]);
    assert_eq!(order(&mine).await, views);

    let said = shelf.post(&mine, &format!("{path}/upsert"), json!({"view_id": views[2], "position": 0})).await.ok();
    let view = json!({"id": views[2], "name": "Ours", "dataset": "project", "type": "static"});
    assert_eq!((&said["data"]["position"], &said["data"]["view"]), (&json!(0), &view));
    assert!(said["data"]["created_at"].is_string());
    assert_eq!(said["metadata"], json!({"credits": 0}));
    shelf.post(&mine, &format!("{path}/upsert"), json!({"view_id": views[1]})).await.ok();
    assert_eq!(order(&mine).await, [&views[2], &views[0], &views[1]].map(String::clone));
    for bad in [json!({"view_id": views[0], "position": -1}), json!({"view_id": views[0], "at": 1}), json!({"position": 1})] {
        shelf.post(&mine, &format!("{path}/upsert"), bad).await.refused(400, "bad_request");
    }

    for _ in 0..2 {
        let said = shelf.delete(&mine, &format!("{path}/{}", views[0])).await.ok();
        assert_eq!(said, json!({"data": {"deleted": true, "view_id": views[0]}, "metadata": {"credits": 0}}));
    }
    let said = shelf.post(&mine, &format!("{path}/delete/batch"), json!({"ids": [views[1], NOBODY]})).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok"]);
    assert_eq!(order(&mine).await, [views[2].clone()]);
    assert_eq!(order(&other).await, before);
}
