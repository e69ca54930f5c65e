//! Searches over HTTP (interface: Data API, Filter grammar, book searches, Search records).

use crate::support::{Caller, Desk};
use serde_json::{Value, json};

async fn used(desk: &Desk, caller: &Caller) -> i64 {
    desk.get(caller, "/workspace/credits").await.ok()["data"]["used"].as_i64().expect("a number")
}

#[tokio::test]
async fn a_search_costs_one_credit_for_each_returned_row_and_a_refused_one_nothing() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let before = used(&desk, &key).await;
    let mut spent = 0;
    for path in [
        "/data/accounts/search",
        "/data/contacts/search",
        "/data/projects/search",
        "/data/signals/search",
        "/workspace/accounts/search",
        "/workspace/contacts/search",
        "/workspace/projects/search",
    ] {
        let said = desk.post(&key, path, json!({"limit": 3})).await.ok();
        assert_eq!(said["data"].as_array().unwrap().len(), 3, "{path}");
        let metadata = &said["metadata"];
        assert_eq!((&metadata["credits"], &metadata["limit"], &metadata["offset"]), (&json!(3), &json!(3), &json!(0)));
        assert_eq!(metadata.as_object().unwrap().len(), 6);
        spent += 3;
        let none = desk.post(&key, path, json!({"offset": 10_000})).await.ok();
        assert_eq!(
            (&none["data"], &none["metadata"]["credits"], &none["metadata"]["search_after"]),
            (&json!([]), &json!(0), &Value::Null)
        );
        desk.post(&key, path, json!({"limit": 101})).await.refused(400, "bad_request");
        desk.post(&key, path, json!({"offset": 10_001})).await.refused(400, "bad_request");
    }
    assert_eq!(used(&desk, &key).await - before, spent);
}

#[tokio::test]
async fn a_row_of_a_data_search_is_the_record_of_the_get() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    for dataset in ["accounts", "contacts", "projects", "signals"] {
        let rows = desk.post(&key, &format!("/data/{dataset}/search"), json!({"limit": 2})).await.ok();
        for row in rows["data"].as_array().unwrap() {
            let record = desk.get(&key, &format!("/data/{dataset}/{}", row["id"].as_str().unwrap())).await.ok();
            assert_eq!(&record["data"], row);
        }
    }
}

#[tokio::test]
async fn include_and_view_id_are_not_supported_in_searches() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    for (path, body) in
        [("/data/projects/search", json!({"include": ["accounts"]})), ("/workspace/accounts/search", json!({"view_id": "x"}))]
    {
        let error = desk.post(&key, path, body).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "unknown_key");
    }
}

#[tokio::test]
async fn a_value_outside_an_enum_gives_400_and_names_the_allowed_values() {
    let desk = Desk::new().await;
    let body = json!({"filters": {"stage": {"value": "finished"}, "colour": {"value": 1}}});
    let error = desk.post(&desk.key(0), "/data/projects/search", body).await.refused(400, "bad_request");
    let issues = error["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 2);
    let stage = issues.iter().find(|issue| issue["code"] == "invalid_enum_value").unwrap();
    assert_eq!((&stage["path"], &stage["received"]), (&json!(["filters", "stage", "value"]), &json!("finished")));
    assert!(stage["allowed"].as_array().unwrap().contains(&json!("permitted")));
}

#[tokio::test]
async fn no_body_on_a_book_search_is_an_empty_one() {
    let desk = Desk::new().await;
    let said = desk.ask(&desk.key(0), "POST", "/workspace/contacts/search", None).await.ok();
    assert_eq!(said["metadata"]["limit"], 25);
}

#[tokio::test]
async fn book_searches_never_return_records_outside_the_book() {
    let desk = Desk::new().await;
    for (dataset, word) in [("accounts", "account"), ("contacts", "contact"), ("projects", "project")] {
        let key = desk.key(1);
        let in_book = desk.post(&key, &format!("/workspace/{dataset}/search"), json!({"limit": 100})).await.ok();
        let total = in_book["metadata"]["total"].as_i64().unwrap();
        let counts = desk.get(&key, "/workspace").await.ok();
        assert_eq!(counts["data"]["counts"][dataset].as_i64().unwrap(), total, "{word}");
        for row in in_book["data"].as_array().unwrap().iter().take(3) {
            desk.get(&key, &format!("/workspace/{dataset}/{}", row["id"].as_str().unwrap())).await.ok();
        }
    }
}

#[tokio::test]
async fn a_cursor_of_one_workspace_is_refused_in_another() {
    let desk = Desk::new().await;
    let first = desk.post(&desk.key(0), "/data/projects/search", json!({"limit": 5})).await.ok();
    let body = json!({"limit": 5, "search_after": first["metadata"]["search_after"]});
    let next = desk.post(&desk.key(0), "/data/projects/search", body.clone()).await.ok();
    assert_eq!((&next["metadata"]["offset"], &next["metadata"]["total"]), (&json!(0), &first["metadata"]["total"]));
    assert_ne!(next["data"][0], first["data"][0]);
    desk.post(&desk.key(1), "/data/projects/search", body).await.refused(400, "bad_request");
}

#[tokio::test]
async fn fields_discovery_names_every_key_that_a_search_takes() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let before = used(&desk, &key).await;
    for (dataset, keys) in [
        ("accounts", "account_type city state name has_project without_project has_signal without_signal has_contact without_contact"),
        ("contacts", "name title email account_id at_account on_project"),
        ("projects", "stage primary_use city state name gc_status stories_known stories residential_units gross_floor_area_sf
          cost_of_construction_usd last_signal_at has_account without_account has_signal without_signal has_contact without_contact"),
        ("signals", "signal_type project_id filed_at discovered_at for_project for_account"),
    ] {
        let said = desk.post(&key, "/data/fields/search", json!({"dataset": dataset})).await.ok();
        let fields = said["data"]["fields"].as_array().unwrap();
        let told: Vec<&str> = fields.iter().map(|field| field["key"].as_str().unwrap()).collect();
        assert_eq!(told, keys.split_whitespace().collect::<Vec<_>>());
        for field in fields {
            let one = desk.get(&key, &format!("/data/fields/{dataset}/{}", field["key"].as_str().unwrap())).await.ok();
            assert_eq!(&one["data"], field);
            assert_eq!(field["kind"] == "enum", field["values"].is_array());
            assert_eq!(field["kind"] == "relation", field["fields"].is_array());
            let filter = match field["kind"].as_str().unwrap() {
                "number" | "date" | "relation" => json!({}),
                "boolean" => json!({"value": true}),
                "uuid" => json!({"value": "00000000-0000-0000-0000-000000000000"}),
                "enum" => json!({"value": field["values"]}),
                _ => json!({"value": "x", "exact_match": true}),
            };
            desk.post(&key, &format!("/data/{dataset}/search"), json!({"filters": {field["key"].as_str().unwrap(): filter}, "offset": 10_000})).await.ok();
        }
    }
    let team = desk.get(&key, "/data/fields/projects/has_account").await.ok();
    let inner: Vec<&str> =
        team["data"]["fields"].as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect();
    assert!(inner.contains(&"role") && inner.contains(&"name"));
    assert_eq!(team["metadata"], json!({"credits": 0}));
    desk.get(&key, "/data/fields/projects/tags").await.refused(404, "not_found");
    desk.get(&key, "/data/fields/planets/name").await.refused(404, "not_found");
    desk.post(&key, "/data/fields/search", json!({"dataset": "planets"})).await.refused(400, "bad_request");
    desk.post(&key, "/data/fields/search", json!({})).await.refused(400, "bad_request");
    assert_eq!(used(&desk, &key).await, before);
}

#[tokio::test]
async fn the_vocabulary_of_an_entity_and_a_question_translated_to_filters_that_the_search_takes() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let skill = desk.get(&key, "/filters?entity=skill").await.ok();
    let told: Vec<&str> =
        skill["data"]["fields"].as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect();
    assert_eq!(told, ["q", "source", "lifecycle", "audience", "installed", "updated"]);
    assert_eq!(skill["data"]["fields"][2]["values"], json!(["draft", "published", "unpublished"]), "deleted is never offered");
    let account = desk.get(&key, "/filters?entity=account").await.ok();
    assert!(account["data"]["fields"].as_array().unwrap().iter().any(|field| field["key"] == "icp_tier"));
    desk.get(&key, "/filters?entity=planet").await.refused(404, "not_found");
    desk.get(&key, "/filters").await.refused(400, "bad_request");

    let question =
        json!({"entity": "projects", "query": "permitted hotels over $1m in Texas, blue ones", "workspace_id": desk.id(0)});
    let said = desk.post(&key, "/filters/ask", question.clone()).await.ok();
    assert_eq!(said["data"]["unmatched"], json!(["blue", "ones"]));
    assert_eq!(said["data"]["filters"]["cost_of_construction_usd"], json!({"min": 1_000_000}));
    desk.post(&key, "/data/projects/search", json!({"filters": said["data"]["filters"], "offset": 10_000})).await.ok();
    let user = desk.user(0, 2);
    desk.post(&Caller { workspace: None, ..user.clone() }, "/filters/ask", question.clone()).await.ok();
    desk.post(&user, "/filters/ask", json!({"entity": "projects", "query": "hotels"})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn a_view_search_says_its_dataset_and_overlays_are_null_outside_the_book() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let views = desk.get(&key, "/workspace/views").await.ok();
    let mut seen = 0;
    for view in views["data"]["views"].as_array().unwrap() {
        let path = format!("/workspace/views/{}/records/search", view["id"].as_str().unwrap());
        let said = desk.post(&key, &path, json!({"limit": 100})).await.ok();
        assert_eq!(said["data"]["dataset"], view["dataset"]);
        let records = said["data"]["records"].as_array().unwrap();
        assert_eq!(said["metadata"]["credits"], records.len());
        for record in records.iter().filter(|record| record["updated_at"].is_null()) {
            assert!(record["tags"].is_null() && record["workspace_status"].is_null(), "{record}");
            seen += 1;
        }
        let narrowed = desk.post(&key, &path, json!({"filters": {"name": {"value": "zzzzqqqq"}}})).await.ok();
        assert_eq!(narrowed["metadata"]["total"], 0);
        let before = desk.get(&key, &format!("/workspace/views/{}", view["id"].as_str().unwrap())).await.ok();
        assert_eq!(before["data"]["definition"], view["definition"], "a search changes no definition");
        desk.post(&key, &path, json!({"sort": {"field": "updated_at"}})).await.refused(400, "bad_request");
    }
    assert!(seen > 0, "a View is broader than the book");
}
