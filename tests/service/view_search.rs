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
async fn the_pages_of_a_view_are_complete_and_without_repeats() {
    let shelf = Shelf::new().await;
    for (dataset, sort) in
        [("project", json!({"field": "last_signal_at"})), ("account", json!({"field": "name", "order": "asc"}))]
    {
        let view = made(&shelf, dataset, Some(everything())).await;
        let (mut found, mut body) = (Vec::new(), json!({"limit": 50, "sort": sort}));
        loop {
            let said = run(&shelf, &view, body.clone()).await;
            found.extend(ids(&said));
            match said["metadata"]["search_after"].clone() {
                Value::Null => break,
                cursor => body["search_after"] = cursor,
            }
        }
        let all = shelf.number(&format!("SELECT count(*) FROM {dataset}s"));
        assert_eq!(found.len() as i64, all);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len() as i64, all);
        body["filters"] = json!({"name": {"value": "x"}});
        let other = format!("/workspace/views/{view}/records/search");
        shelf.post(&shelf.key(0), &other, body).await.refused(400, "bad_request");
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
