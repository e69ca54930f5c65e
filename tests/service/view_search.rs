//! Running Views (interface: Search records; decisions 2.7 and 2.14).

use crate::shelf::Shelf;
use serde_json::{Value, json};

/// A new View of the first workspace: Dynamic when it has a definition.
async fn made(shelf: &Shelf, dataset: &str, definition: Option<Value>) -> String {
    let kind = if definition.is_some() { "dynamic" } else { "static" };
    let mut body = json!({"name": "Ours", "dataset": dataset, "type": kind, "sort": {"field": "created_at", "order": "desc"}});
    if let Some(definition) = definition {
        body["definition"] = definition;
    }
    let said = shelf.post(&shelf.key(0), "/workspace/views/upsert", body).await.ok();
    said["data"]["id"].as_str().expect("an id").to_owned()
}

async fn run(shelf: &Shelf, view: &str, body: Value) -> Value {
    shelf.post(&shelf.key(0), &format!("/workspace/views/{view}/records/search"), body).await.ok()
}

fn ids(said: &Value) -> Vec<String> {
    said["data"]["records"].as_array().expect("records").iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

fn everything() -> Value {
    json!({"match": "all", "conditions": []})
}

fn field(field: &str, op: &str, value: Value) -> Value {
    json!({"match": "all", "conditions": [{"field": field, "op": op, "value": value}]})
}

#[tokio::test]
async fn a_static_view_is_its_membership_and_a_request_only_narrows_it() {
    let shelf = Shelf::new().await;
    for word in ["account", "contact", "project"] {
        let view = made(&shelf, word, None).await;
        let members = shelf.ids(&format!(
            "SELECT id FROM {word}s r WHERE {} ORDER BY rowid LIMIT 30",
            if word == "contact" { "EXISTS (SELECT 1 FROM project_contacts WHERE contact_id = r.id)" } else { "1" }
        ));
        let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
        let path = format!("/workspace/views/{view}/records/add/batch");
        shelf.post(&shelf.key(0), &path, json!({ "inputs": inputs })).await.ok();
        let before = shelf.used(0).await;
        let said = run(&shelf, &view, json!({"limit": 100})).await;
        assert_eq!(said["data"]["dataset"], word);
        assert_eq!((&said["metadata"]["total"], &said["metadata"]["credits"]), (&json!(30), &json!(30)));
        assert_eq!(shelf.used(0).await, before + 30, "1 credit per returned row");
        let mut found = ids(&said);
        found.sort_unstable();
        let mut sorted = members.clone();
        sorted.sort_unstable();
        assert_eq!(found, sorted);

        let name = said["data"]["records"][4]["name"].clone();
        let narrowed = run(&shelf, &view, json!({"filters": {"name": {"value": name, "exact_match": true}}})).await;
        assert!(!ids(&narrowed).is_empty() && ids(&narrowed).len() < 30, "{narrowed}");
        assert!(narrowed["data"]["records"].as_array().unwrap().iter().all(|row| row["name"] == name));
        assert_eq!(run(&shelf, &view, json!({})).await["metadata"]["total"], 30, "for that call only");
    }
}

#[tokio::test]
async fn a_row_has_its_fields_and_the_overlay_is_null_outside_the_book() {
    let shelf = Shelf::new().await;
    for (word, fields, overlay) in [
        (
            "account",
            "id name account_types icp_tier atlas_score workspace_status tags updated_at",
            "icp_tier atlas_score workspace_status tags updated_at",
        ),
        ("contact", "id name title account_id workspace_status tags updated_at", "workspace_status tags updated_at"),
        (
            "project",
            "id name city state stage primary_use last_signal_at workspace_status tags updated_at",
            "workspace_status tags updated_at",
        ),
    ] {
        let view = made(&shelf, word, Some(everything())).await;
        let saved = shelf.ids(&format!(
            "SELECT record_id FROM book WHERE dataset = '{word}' AND workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)"
        ));
        let mut fields: Vec<_> = fields.split(' ').collect();
        fields.sort_unstable();
        let said = run(&shelf, &view, json!({"limit": 100})).await;
        let mut outside = 0;
        for row in said["data"]["records"].as_array().unwrap() {
            let mut keys: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(keys, fields);
            if saved.iter().any(|id| row["id"] == id.as_str()) {
                assert!(row["updated_at"].is_string() && row["tags"].is_array(), "{row}");
            } else {
                outside += 1;
                assert!(overlay.split(' ').all(|key| row[key].is_null()), "{row}");
            }
        }
        assert!(outside > 0, "broader than the book");
    }
}

#[tokio::test]
async fn a_dynamic_view_finds_what_its_definition_says() {
    let shelf = Shelf::new().await;
    let any = |conditions: Value| json!({"match": "any", "conditions": conditions});
    for (dataset, definition, condition) in [
        ("project", field("stage", "is", json!(["approved", "permitted"])), "r.stage IN ('approved', 'permitted')"),
        ("project", field("stage", "is_not", json!("approved")), "r.stage IS NOT 'approved'"),
        ("project", field("stories", "between", json!({"min": 3, "max": 9})), "r.stories BETWEEN 3 AND 9"),
        ("project", json!({"conditions": [{"field": "stories", "op": "unknown"}]}), "r.stories IS NULL"),
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
        ("account", field("account_type", "is", json!("developer")), "r.account_types LIKE '%\"developer\"%'"),
        (
            "account",
            field("icp_tier", "is", json!("tier_1")),
            "EXISTS (SELECT 1 FROM book b WHERE b.record_id = r.id AND b.icp_tier = 'tier_1'
             AND b.workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1))",
        ),
    ] {
        let view = made(&shelf, dataset, Some(definition.clone())).await;
        let expected = shelf.number(&format!("SELECT count(*) FROM {dataset}s r WHERE {condition}"));
        let said = run(&shelf, &view, json!({"limit": 1})).await;
        assert!(expected > 0 && said["metadata"]["total"] == expected.min(1000), "{definition}: {expected}, {said}");
    }
}

#[tokio::test]
async fn a_dynamic_views_count_is_the_total_of_its_search_and_costs_nothing() {
    let shelf = Shelf::new().await;
    let before = shelf.used(0).await;
    let list = shelf.get(&shelf.key(0), "/workspace/views").await.ok()["data"]["views"].clone();
    let made = made(&shelf, "project", Some(field("stage", "is", json!("approved")))).await;
    let one = shelf.get(&shelf.key(0), &format!("/workspace/views/{made}")).await.ok()["data"].clone();
    assert_eq!(shelf.used(0).await, before);
    for view in list.as_array().unwrap().iter().chain([&one]) {
        let said = run(&shelf, view["id"].as_str().unwrap(), json!({"limit": 1})).await;
        assert_eq!(view["records_count"], said["metadata"]["total"], "{view}");
    }
}

#[tokio::test]
async fn request_filters_are_anded_for_this_call_only_and_never_change_the_definition() {
    let shelf = Shelf::new().await;
    let definition = field("stage", "is", json!("approved"));
    let view = made(&shelf, "project", Some(definition.clone())).await;
    let said = run(&shelf, &view, json!({"limit": 1, "filters": {"stories": {"min": 5}}})).await;
    let both = shelf.number("SELECT count(*) FROM projects WHERE stage = 'approved' AND stories >= 5");
    let all = shelf.number("SELECT count(*) FROM projects WHERE stage = 'approved'");
    assert!(both > 0 && both < all);
    assert_eq!(said["metadata"]["total"], both);
    let said = run(&shelf, &view, json!({"filters": {"stage": {"value": "permitted"}}})).await;
    assert_eq!((&said["data"]["records"], &said["metadata"]["credits"]), (&json!([]), &json!(0)));
    assert_eq!(run(&shelf, &view, json!({"limit": 1})).await["metadata"]["total"], all);
    let kept = shelf.get(&shelf.key(0), &format!("/workspace/views/{view}")).await.ok();
    assert_eq!(kept["data"]["definition"], definition);
}

#[tokio::test]
async fn the_sort_stored_in_the_view_is_ignored_and_the_default_of_the_dataset_applies() {
    let shelf = Shelf::new().await;
    for (dataset, default, keys) in [
        ("account", "r.name COLLATE NOCASE, r.id", ["name", "created_at", "projects_count"].as_slice()),
        ("project", "ifnull(r.last_signal_at, -1) DESC, r.id DESC", &["last_signal_at", "name", "created_at", "signals_count"]),
    ] {
        let view = made(&shelf, dataset, Some(everything())).await;
        let expected = shelf.ids(&format!("SELECT id FROM {dataset}s r ORDER BY {default} LIMIT 100"));
        assert_eq!(ids(&run(&shelf, &view, json!({"limit": 100})).await), expected);
        for key in keys {
            run(&shelf, &view, json!({"limit": 1, "sort": {"field": key, "order": "asc"}})).await;
        }
        for key in ["updated_at", "atlas_score"] {
            let body = json!({"sort": {"field": key}});
            let path = format!("/workspace/views/{view}/records/search");
            shelf.post(&shelf.key(0), &path, body).await.refused(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn a_dynamic_contact_view_looks_through_the_contacts_that_the_workspace_sees() {
    let shelf = Shelf::new().await;
    let hidden = "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM project_contacts)
        AND id NOT IN (SELECT record_id FROM book) AND id NOT IN (SELECT record_id FROM view_records)";
    let contact = shelf.ids(&format!("{hidden} LIMIT 1")).remove(0);
    let view = made(&shelf, "contact", Some(everything())).await;
    let seen = async || run(&shelf, &view, json!({"limit": 1})).await["metadata"]["total"].as_i64().unwrap();
    let before = seen().await;
    assert!(before < shelf.number("SELECT count(*) FROM contacts"));
    shelf.post(&shelf.key(1), "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(seen().await, before);
    shelf.post(&shelf.key(0), "/workspace/contacts/upsert", json!({"contact_id": contact})).await.ok();
    assert_eq!(seen().await, before + 1);
    let list = made(&shelf, "contact", None).await;
    shelf.post(&shelf.key(0), &format!("/workspace/views/{list}/records/add"), json!({"record_id": contact})).await.ok();
    shelf.delete(&shelf.key(0), &format!("/workspace/contacts/{contact}")).await.ok();
    assert_eq!(seen().await, before + 1, "visible through the Static View alone");
    let row = run(&shelf, &list, json!({})).await["data"]["records"][0].clone();
    assert_eq!((&row["id"], &row["tags"], &row["updated_at"]), (&json!(contact), &Value::Null, &Value::Null));
    shelf.delete(&shelf.key(0), &format!("/workspace/views/{list}/records/{contact}")).await.ok();
    assert_eq!(seen().await, before);
}

#[tokio::test]
async fn a_definition_that_cannot_be_compiled_is_refused_with_the_path_to_what_is_wrong() {
    let shelf = Shelf::new().await;
    let deep = |inner: Value| json!({"relation": "account", "op": "has", "conditions": [inner]});
    for definition in [
        json!([]),
        json!({}),
        json!({"match": "some", "conditions": []}),
        field("colour", "is", json!("red")),
        field("stage", "is", json!("no such stage")),
        field("stage", "between", json!({"min": 1})),
        field("stories", "between", json!({"min": "2026-01-01"})),
        json!({"conditions": [deep(deep(deep(json!({"field": "name", "op": "is", "value": "x"}))))]}),
    ] {
        let body = json!({"name": "x", "dataset": "project", "type": "dynamic", "definition": definition});
        let error = shelf.post(&shelf.key(0), "/workspace/views/upsert", body).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["path"][0], "definition", "{error}");
    }
}

#[tokio::test]
async fn a_view_search_returns_records_of_its_dataset_and_workspace_alone() {
    let shelf = Shelf::new().await;
    for dataset in ["account", "contact", "project"] {
        let view = made(&shelf, dataset, Some(everything())).await;
        let known = shelf.ids(&format!("SELECT id FROM {dataset}s"));
        assert!(ids(&run(&shelf, &view, json!({"limit": 100})).await).iter().all(|id| known.contains(id)), "{dataset}");
    }
}

#[tokio::test]
async fn the_query_is_of_one_character_at_least_and_narrows_the_view() {
    let shelf = Shelf::new().await;
    for dataset in ["account", "contact", "project"] {
        let view = made(&shelf, dataset, Some(everything())).await;
        let all = run(&shelf, &view, json!({"limit": 100})).await;
        let name = all["data"]["records"][7]["name"].as_str().unwrap();
        let found = run(&shelf, &view, json!({"limit": 100, "query": name})).await;
        assert!(ids(&found).contains(&ids(&all)[7]), "{dataset} {name}");
        assert!(found["metadata"]["total"].as_i64() < all["metadata"]["total"].as_i64(), "{dataset} {name}");
        let path = format!("/workspace/views/{view}/records/search");
        shelf.post(&shelf.key(0), &path, json!({"query": ""})).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn a_view_search_takes_the_filter_and_relational_keys_of_the_book_search() {
    let shelf = Shelf::new().await;
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
                ("has_signal", json!({"signal_type": text("permit_issued"), "filed_at": {"min": "2020-01-01"}})),
                ("has_contact", json!({"title": text("manager"), "name": text("a")})),
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
                ("at_account", json!({"account_type": text("developer"), "name": text("a")})),
                ("on_project", json!({"stage": text("approved"), "primary_use": text("multifamily"), "city": text("a")})),
            ],
        ),
        ("project", vec![("stage", text("approved")), ("has_account", json!({"role": text("gc")})), ("stories", range)]),
    ] {
        let view = made(&shelf, dataset, Some(everything())).await;
        let (path, book) = (format!("/workspace/views/{view}/records/search"), format!("/workspace/{dataset}s/search"));
        for (key, filter) in filters {
            let body = json!({"limit": 1, "filters": {key: filter}});
            for path in [&path, &book] {
                let said = shelf.post(&shelf.key(0), path, body.clone()).await;
                assert_eq!(said.status, 200, "{dataset} {key} {}", said.text);
            }
        }
        for key in ["without_project", "without_signal", "stories_known", "colour"] {
            let body = json!({"filters": {key: {}}});
            for path in [&path, &book] {
                shelf.post(&shelf.key(0), path, body.clone()).await.refused(400, "bad_request");
            }
        }
    }
}

#[tokio::test]
async fn request_relations_are_anded_onto_the_view_for_this_call_only() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "project", Some(field("stage", "is", json!(["approved", "permitted"])))).await;
    let all = run(&shelf, &view, json!({"limit": 1})).await["metadata"]["total"].clone();
    let body = json!({"limit": 1, "filters": {"has_signal": {"signal_type": {"value": "permit_issued"}}}});
    let both = shelf.number(
        "SELECT count(*) FROM projects p WHERE stage IN ('approved', 'permitted')
         AND EXISTS (SELECT 1 FROM signals s WHERE s.project_id = p.id AND s.signal_type = 'permit_issued')",
    );
    assert!(both > 0 && json!(both) != all);
    assert_eq!(run(&shelf, &view, body).await["metadata"]["total"], both);
    assert_eq!(run(&shelf, &view, json!({"limit": 1})).await["metadata"]["total"], all);
}

#[tokio::test]
async fn request_filters_never_change_a_static_membership() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "project", None).await;
    let members = shelf.ids("SELECT id FROM projects ORDER BY rowid LIMIT 20");
    let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
    shelf.post(&shelf.key(0), &format!("/workspace/views/{view}/records/add/batch"), json!({ "inputs": inputs })).await.ok();
    run(&shelf, &view, json!({"filters": {"stage": {"value": "approved"}}})).await;
    let found: std::collections::BTreeSet<_> = ids(&run(&shelf, &view, json!({"limit": 100})).await).into_iter().collect();
    assert_eq!(found, members.into_iter().collect());
}

#[tokio::test]
async fn the_stored_definition_and_request_filters_are_two_grammars() {
    let shelf = Shelf::new().await;
    let as_filters = json!({"stage": {"value": "approved"}});
    let body = json!({"name": "x", "dataset": "project", "type": "dynamic", "definition": as_filters});
    shelf.post(&shelf.key(0), "/workspace/views/upsert", body).await.refused(400, "bad_request");
    let view = made(&shelf, "project", Some(everything())).await;
    let body = json!({"filters": field("stage", "is", json!("approved"))});
    shelf.post(&shelf.key(0), &format!("/workspace/views/{view}/records/search"), body).await.refused(400, "bad_request");
}

#[tokio::test]
async fn an_enum_value_that_is_none_is_400_and_names_the_allowed_values() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "account", None).await;
    let body = json!({"filters": {"icp_tier": {"value": "tier_9"}}});
    let path = format!("/workspace/views/{view}/records/search");
    let error = shelf.post(&shelf.key(0), &path, body).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(error["issues"][0]["allowed"], json!(["tier_1", "tier_2", "tier_3", "disqualified"]));
}

#[tokio::test]
async fn the_sort_stored_in_a_static_view_is_ignored_too() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "account", None).await;
    let members = shelf.ids("SELECT id FROM accounts ORDER BY rowid LIMIT 20");
    let inputs: Vec<_> = members.iter().map(|id| json!({"record_id": id})).collect();
    shelf.post(&shelf.key(0), &format!("/workspace/views/{view}/records/add/batch"), json!({ "inputs": inputs })).await.ok();
    let said = run(&shelf, &view, json!({})).await;
    let names: Vec<_> =
        said["data"]["records"].as_array().unwrap().iter().map(|row| row["name"].to_string().to_lowercase()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[tokio::test]
async fn a_key_that_only_reads_and_every_member_run_views() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "account", Some(everything())).await;
    for caller in [shelf.reading_key(0), shelf.user(0, 3)] {
        let said = shelf.post(&caller, &format!("/workspace/views/{view}/records/search"), json!({"limit": 3})).await.ok();
        assert_eq!(ids(&said).len(), 3);
    }
}

#[tokio::test]
async fn a_row_of_a_view_that_is_not_in_the_book_is_404_in_the_book_and_found_in_the_index() {
    let shelf = Shelf::new().await;
    let view = made(&shelf, "account", Some(everything())).await;
    let said = run(&shelf, &view, json!({"limit": 100})).await;
    let row = said["data"]["records"].as_array().unwrap().iter().find(|row| row["updated_at"].is_null()).unwrap();
    let id = row["id"].as_str().unwrap();
    shelf.get(&shelf.key(0), &format!("/workspace/accounts/{id}")).await.refused(404, "not_found");
    shelf.get(&shelf.key(0), &format!("/data/accounts/{id}")).await.ok();
}
