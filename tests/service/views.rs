//! Views themselves (interface: Views; Workspace: Views and Favorites; decisions 2.6, 2.7).

use crate::fields::{Row, has_fields};
use crate::shelf::Shelf;
use crate::support::{Caller, Desk, Said};
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const DATASETS: [&str; 3] = ["account", "contact", "project"];

const VIEW: [Row; 11] = [
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

fn everything() -> Value {
    json!({"match": "all", "conditions": []})
}

fn body(dataset: &str, kind: &str) -> Value {
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind});
    if kind == "dynamic" {
        body["definition"] = everything();
    }
    body
}

async fn upsert(desk: &Desk, body: Value) -> Said {
    desk.post(&desk.key(0), "/workspace/views/upsert", body).await
}

/// A new View of the first workspace.
async fn made(desk: &Desk, dataset: &str, kind: &str) -> Value {
    upsert(desk, body(dataset, kind)).await.ok()["data"].clone()
}

fn path(view: &Value) -> String {
    format!("/workspace/views/{}", view["id"].as_str().unwrap())
}

async fn views(desk: &Desk, caller: &Caller) -> Vec<Value> {
    desk.get(caller, "/workspace/views").await.ok()["data"]["views"].as_array().unwrap().clone()
}

/// What came of each item of a batch: `ok`, or the code of its error.
fn outcomes(said: &Value) -> Vec<&str> {
    let results = said["data"]["results"].as_array().unwrap();
    results.iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect()
}

#[tokio::test]
async fn a_view_has_an_id_a_dataset_a_type_and_the_fields_of_its_table() {
    let desk = Desk::new().await;
    for view in views(&desk, &desk.key(0)).await {
        has_fields(&view, &VIEW);
    }
}

#[tokio::test]
async fn views_of_both_types_are_over_accounts_contacts_and_projects() {
    let desk = Desk::new().await;
    for dataset in DATASETS {
        for kind in ["static", "dynamic"] {
            let view = made(&desk, dataset, kind).await;
            assert_eq!((&view["dataset"], &view["type"]), (&json!(dataset), &json!(kind)));
        }
    }
    for (field, odd) in [("dataset", "signal"), ("dataset", "accounts"), ("type", "Static"), ("type", "smart")] {
        let mut body = body("account", "static");
        body[field] = json!(odd);
        let error = upsert(&desk, body).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "invalid_enum_value", "{field} {odd}");
    }
}

#[tokio::test]
async fn views_are_listed_and_read_one_by_one() {
    let desk = Desk::new().await;
    for view in views(&desk, &desk.key(0)).await {
        assert_eq!(desk.get(&desk.key(0), &path(&view)).await.ok()["data"], view);
    }
}

#[tokio::test]
async fn a_view_made_by_one_member_is_seen_by_every_other_and_by_no_other_workspace() {
    let desk = Desk::new().await;
    let said = desk.post(&desk.user(0, 2), "/workspace/views/upsert", body("account", "static")).await.ok();
    for caller in [desk.user(0, 0), desk.user(0, 3), desk.key(0), desk.reading_key(0)] {
        assert!(views(&desk, &caller).await.contains(&said["data"]));
    }
    assert!(!views(&desk, &desk.key(1)).await.contains(&said["data"]));
}

#[tokio::test]
async fn a_static_view_has_no_definition_and_a_dynamic_view_keeps_its_own_as_it_was_given() {
    let desk = Desk::new().await;
    let mut body = body("project", "dynamic");
    body["definition"] = json!({"match": "any", "conditions": [
        {"field": "stage", "op": "is", "value": ["approved"]},
        {"relation": "signal", "op": "has", "conditions": [{"field": "signal_type", "op": "is", "value": "permit_issued"}]},
    ]});
    let view = upsert(&desk, body.clone()).await.ok()["data"].clone();
    assert_eq!(view["definition"], body["definition"]);
    assert_eq!(desk.get(&desk.key(0), &path(&view)).await.ok()["data"]["definition"], body["definition"]);
    assert_eq!(made(&desk, "project", "static").await["definition"], Value::Null);
}

#[tokio::test]
async fn an_upsert_without_an_id_makes_a_view_and_says_who_made_it() {
    let desk = Desk::new().await;
    let body = json!({"name": "Cranes", "description": "All of them", "dataset": "project", "type": "static",
        "sort": {"field": "name", "order": "asc"}});
    let said = desk.post(&desk.user(0, 2), "/workspace/views/upsert", body.clone()).await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    for field in ["name", "description", "dataset", "type", "sort"] {
        assert_eq!(said["data"][field], body[field], "{field}");
    }
    assert_eq!(said["data"]["created_by"], desk.workspace(0).members[2].user_id.to_string());
    assert_eq!(said["data"]["created_at"], said["data"]["updated_at"]);
}

#[tokio::test]
async fn an_upsert_with_an_id_changes_the_fields_that_it_names() {
    let desk = Desk::new().await;
    let mut body = body("project", "static");
    body["description"] = json!("All of them");
    body["sort"] = json!({"field": "name", "order": "asc"});
    let before = upsert(&desk, body).await.ok()["data"].clone();
    for (field, value) in
        [("name", json!("Theirs")), ("description", json!("Some")), ("sort", json!({"field": "name", "order": "desc"}))]
    {
        let mut expected = desk.get(&desk.key(0), &path(&before)).await.ok()["data"].clone();
        let mut said = upsert(&desk, json!({"view_id": before["id"], field: value})).await.ok()["data"].clone();
        expected[field] = value;
        assert!(expected["updated_at"].as_str() <= said["updated_at"].as_str());
        said["updated_at"] = expected["updated_at"].clone();
        assert_eq!(said, expected, "{field}");
    }
}

#[tokio::test]
async fn an_explicit_null_clears_a_views_description_and_sort_and_not_its_name() {
    let desk = Desk::new().await;
    let mut body = body("project", "static");
    body["description"] = json!("All of them");
    body["sort"] = json!({"field": "name"});
    let view = upsert(&desk, body).await.ok()["data"].clone();
    let said = upsert(&desk, json!({"view_id": view["id"], "description": null, "sort": null})).await.ok()["data"].clone();
    assert_eq!((&said["description"], &said["sort"]), (&Value::Null, &Value::Null));
    upsert(&desk, json!({"view_id": view["id"], "name": null})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn an_upsert_that_changes_nothing_leaves_updated_at() {
    let desk = Desk::new().await;
    let view = made(&desk, "account", "dynamic").await;
    assert_eq!(upsert(&desk, json!({"view_id": view["id"]})).await.ok()["data"], view);
    assert_eq!(upsert(&desk, json!({"view_id": view["id"], "name": view["name"]})).await.ok()["data"], view);
}

#[tokio::test]
async fn a_views_type_and_dataset_are_fixed() {
    let desk = Desk::new().await;
    let view = made(&desk, "project", "static").await;
    for (field, other) in [("type", "dynamic"), ("dataset", "account")] {
        let error = upsert(&desk, json!({"view_id": view["id"], field: other})).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!([field]));
        let same = json!({"view_id": view["id"], field: view[field]});
        assert_eq!(upsert(&desk, same).await.ok()["data"], view, "saying what is so is no change");
    }
}

#[tokio::test]
async fn what_is_no_view_is_refused_with_its_issue() {
    let desk = Desk::new().await;
    let with = |field: &str, value: Value| {
        let mut body = body("project", "static");
        body[field] = value;
        body
    };
    for (what, body) in [
        ("nothing", json!({})),
        ("no type", json!({"name": "x", "dataset": "project"})),
        ("a dynamic one without a definition", json!({"name": "x", "dataset": "project", "type": "dynamic"})),
        ("a static one with a definition", with("definition", everything())),
        ("no name", with("name", json!(""))),
        ("a long name", with("name", json!("x".repeat(201)))),
        ("a long description", with("description", json!("x".repeat(2001)))),
        ("an unknown key", with("view", json!(1))),
        ("an id that is none", with("view_id", json!("x"))),
        ("a sort without a field", with("sort", json!({"order": "asc"}))),
        ("a sort by no order", with("sort", json!({"field": "name", "order": "up"}))),
    ] {
        let error = upsert(&desk, body).await.refused(400, "bad_request");
        assert!(error["issues"][0]["path"].is_array(), "{what}: {error}");
    }
}

#[tokio::test]
async fn a_definition_of_a_dynamic_view_can_be_changed_and_not_taken_away() {
    let desk = Desk::new().await;
    let view = made(&desk, "project", "dynamic").await;
    let other = json!({"match": "all", "conditions": [{"field": "stories", "op": "known"}]});
    let said = upsert(&desk, json!({"view_id": view["id"], "definition": other})).await.ok();
    assert_eq!(said["data"]["definition"], other);
    upsert(&desk, json!({"view_id": view["id"], "definition": null})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn an_unknown_or_out_of_workspace_view_gives_404_on_every_route() {
    let shelf = Shelf::new().await;
    let theirs = shelf.key(1);
    let mine = made(&shelf, "account", "static").await["id"].as_str().unwrap().to_owned();
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
        let ids = json!({"ids": [record]});
        shelf.post(&theirs, &format!("{view}/records/delete/batch"), ids).await.refused(404, "view_not_found");
    }
    shelf.post(&theirs, "/workspace/views/upsert", json!({"view_id": mine, "name": "x"})).await.refused(404, "view_not_found");
    shelf.post(&theirs, "/workspace/views/delete/batch", json!({"ids": [mine]})).await.ok();
    let user = shelf.user(1, 0);
    shelf.post(&user, "/workspace/favorite-views/upsert", json!({"view_id": mine})).await.refused(404, "view_not_found");
    assert_eq!(shelf.get(&shelf.key(0), &format!("/workspace/views/{mine}")).await.ok()["data"]["name"], "Ours");
}

#[tokio::test]
async fn a_deleted_view_is_gone_for_everybody() {
    let desk = Desk::new().await;
    let view = made(&desk, "account", "static").await;
    let said = desk.delete(&desk.user(0, 1), &path(&view)).await.ok();
    assert_eq!(said, json!({"data": {"deleted": true, "id": view["id"]}, "metadata": {"credits": 0}}));
    for caller in [desk.user(0, 0), desk.key(0)] {
        desk.get(&caller, &path(&view)).await.refused(404, "view_not_found");
        assert!(!views(&desk, &caller).await.contains(&view));
    }
    desk.delete(&desk.key(0), &path(&view)).await.refused(404, "view_not_found");
}

#[tokio::test]
async fn a_deleted_view_takes_everybodys_favorites_of_it_along() {
    let desk = Desk::new().await;
    let view = made(&desk, "account", "static").await;
    for member in [1, 2] {
        desk.post(&desk.user(0, member), "/workspace/favorite-views/upsert", json!({"view_id": view["id"]})).await.ok();
    }
    desk.delete(&desk.user(0, 3), &path(&view)).await.ok();
    for member in [1, 2] {
        let favorites = desk.get(&desk.user(0, member), "/workspace/favorite-views").await.ok();
        assert!(!favorites.to_string().contains(view["id"].as_str().unwrap()), "{member}");
    }
}

#[tokio::test]
async fn a_view_upsert_batch_answers_item_by_item_in_input_order() {
    let desk = Desk::new().await;
    let view = made(&desk, "account", "static").await;
    let inputs = json!([body("contact", "static"), {"name": "Two"}, {"view_id": NOBODY, "name": "x"}, 7,
        {"view_id": view["id"], "name": "Five"}]);
    let said = desk.post(&desk.key(0), "/workspace/views/upsert/batch", json!({ "inputs": inputs })).await.ok();
    assert_eq!(outcomes(&said), ["ok", "bad_request", "not_found", "bad_request", "ok"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 3}));
    for (nth, result) in said["data"]["results"].as_array().unwrap().iter().enumerate() {
        let ok = result["status"] == "ok";
        assert_eq!(result["index"], nth);
        assert_eq!((result["record"].is_object(), result["error"].is_object()), (ok, !ok), "{result}");
    }
    assert_eq!(desk.get(&desk.key(0), &path(&view)).await.ok()["data"], said["data"]["results"][4]["record"]);
}

#[tokio::test]
async fn when_one_view_appears_twice_in_a_batch_the_later_element_wins() {
    let desk = Desk::new().await;
    let view = made(&desk, "account", "static").await;
    let inputs = json!([{"view_id": view["id"], "name": "First"}, {"view_id": view["id"], "name": "Second"}]);
    desk.post(&desk.key(0), "/workspace/views/upsert/batch", json!({ "inputs": inputs })).await.ok();
    assert_eq!(desk.get(&desk.key(0), &path(&view)).await.ok()["data"]["name"], "Second");
}

#[tokio::test]
async fn a_view_delete_batch_is_idempotent_per_item() {
    let desk = Desk::new().await;
    let id = made(&desk, "account", "static").await["id"].clone();
    let said = desk.post(&desk.key(0), "/workspace/views/delete/batch", json!({"ids": [id, NOBODY, id, "x"]})).await.ok();
    assert_eq!(outcomes(&said), ["ok", "ok", "ok", "bad_request"]);
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 3, "failed": 1}));
}

#[tokio::test]
async fn a_view_batch_with_a_bad_envelope_is_400_and_applies_nothing() {
    let desk = Desk::new().await;
    let (before, one) = (views(&desk, &desk.key(0)).await, body("account", "static"));
    for body in [
        json!({}),
        json!({"inputs": []}),
        json!({"inputs": vec![one.clone(); 101]}),
        json!({"inputs": one}),
        json!({"inputs": [one], "more": 1}),
        json!([one]),
    ] {
        let error = desk.post(&desk.key(0), "/workspace/views/upsert/batch", body).await.refused(400, "bad_request");
        assert!(error["issues"].is_array(), "{error}");
    }
    for body in [json!({}), json!({"ids": []}), json!({"ids": vec![NOBODY; 101]}), json!({"ids": NOBODY})] {
        desk.post(&desk.key(0), "/workspace/views/delete/batch", body).await.refused(400, "bad_request");
    }
    assert_eq!(views(&desk, &desk.key(0)).await, before);
}

#[tokio::test]
async fn a_hundred_views_are_made_in_one_batch() {
    let desk = Desk::new().await;
    let inputs = json!({"inputs": vec![body("account", "static"); 100]});
    let said = desk.post(&desk.key(0), "/workspace/views/upsert/batch", inputs).await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 100, "failed": 0}));
}

#[tokio::test]
async fn a_dynamic_view_is_counted_when_it_is_written_alone_and_in_a_batch_it_is_not() {
    let desk = Desk::new().await;
    let alone = desk.post(&desk.key(0), "/workspace/views/upsert", body("account", "dynamic")).await.ok();
    assert!(alone["data"]["records_count"].is_u64(), "{alone}");
    let inputs = json!({"inputs": [body("account", "dynamic"), body("account", "static")]});
    let said = desk.post(&desk.key(0), "/workspace/views/upsert/batch", inputs).await.ok();
    let counts = [0, 1].map(|nth| said["data"]["results"][nth]["record"]["records_count"].clone());
    assert_eq!(counts, [Value::Null, json!(0)]);
}

#[tokio::test]
async fn writing_views_is_open_to_every_member_and_needs_the_scope_workspace_write() {
    let desk = Desk::new().await;
    let view = desk.post(&desk.user(0, 3), "/workspace/views/upsert", body("account", "static")).await.ok()["data"].clone();
    let reader = desk.reading_key(0);
    desk.post(&reader, "/workspace/views/upsert", body("account", "static")).await.refused(403, "forbidden");
    desk.delete(&reader, &path(&view)).await.refused(403, "forbidden");
    desk.get(&reader, &path(&view)).await.ok();
    desk.delete(&desk.user(0, 2), &path(&view)).await.ok();
}

#[tokio::test]
async fn a_list_of_any_length_counts_its_first_fifty_dynamic_views_and_each_when_it_is_asked_for_alone() {
    let desk = Desk::new().await;
    let inputs: Vec<Value> = (0..60)
        .map(|n| {
            json!({"name": format!("V{n}"), "dataset": "account", "type": "dynamic", "definition": {"match": "all",
            "conditions": [{"field": "name", "op": "is", "value": "nobody at all"}]}})
        })
        .collect();
    desk.post(&desk.key(0), "/workspace/views/upsert/batch", json!({"inputs": inputs})).await.ok();
    let all = views(&desk, &desk.key(0)).await;
    let ours: Vec<&Value> = all.iter().filter(|view| view["name"].as_str().unwrap().starts_with('V')).collect();
    let (counted, uncounted): (Vec<&Value>, Vec<&Value>) = ours.into_iter().partition(|view| view["records_count"] == 0);
    assert!(counted.len() <= 50 && uncounted.len() >= 10, "{} counted, {} not", counted.len(), uncounted.len());
    assert!(uncounted.iter().all(|view| view["records_count"].is_null()));
    assert_eq!(desk.get(&desk.key(0), &path(uncounted[0])).await.ok()["data"]["records_count"], 0);
}
