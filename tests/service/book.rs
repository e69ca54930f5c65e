//! The book: gets, upserts, deletes and their batches (interface: Workspace: gets, upserts and deletes, batch writes).

use crate::shelf::Shelf;
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const FAMILIES: [&str; 3] = ["account", "contact", "project"];

fn keys(record: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = record.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test]
async fn a_record_not_in_the_book_is_404_even_if_it_exists_globally() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        shelf.get(&key, &format!("/data/{word}s/{id}")).await.ok();
        for id in [id.as_str(), NOBODY, "nonsense"] {
            shelf.get(&key, &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
            shelf.delete(&key, &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        }
        let saved = shelf.post(&key, &format!("/workspace/{word}s/upsert"), json!({format!("{word}_id"): id})).await.ok();
        assert_eq!((&saved["data"]["id"], &saved["metadata"]), (&json!(id), &json!({"credits": 0})));
        let before = shelf.used(0).await;
        let shown = shelf.get(&key, &format!("/workspace/{word}s/{id}")).await.ok();
        assert_eq!((&shown["data"]["id"], &shown["metadata"]), (&json!(id), &json!({"credits": 1})));
        assert_eq!(shelf.used(0).await, before + 1);
        shelf.get(&shelf.key(1), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        shelf.delete(&shelf.key(1), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        let gone = shelf.delete(&key, &format!("/workspace/{word}s/{id}")).await.ok();
        assert_eq!(gone, json!({"data": {"deleted": true, "id": id}, "metadata": {"credits": 0}}));
        shelf.delete(&key, &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn the_gets_have_the_fields_of_the_interface() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let fields = [
        "id name account_types aliases domains website linkedin_url city state created_at projects_count contacts_count hq_address \
         hq_location public_phone public_email specialties description founded_year account_types_source icp_tier workspace_status \
         notes tags atlas_score atlas_trend",
        "id name title account_id created_at projects_count workspace_status notes tags",
        "id name primary_address city state neighborhood primary_use uses stage disposition gross_floor_area_sf residential_units \
         cost_of_construction_usd stories parking_spaces gc_status height_ft hotel_rooms affordable_units land_area_sf unit_mix \
         use_areas structure_types regulatory_flags far updates_last_30_days last_signal_at created_at accounts_count contacts_count \
         workspace_status notes tags",
    ];
    for (word, fields) in FAMILIES.iter().zip(fields) {
        let id = shelf.unsaved(word, 1).remove(0);
        let mut fields: Vec<_> = fields.split_whitespace().collect();
        fields.sort_unstable();
        let written =
            shelf.post(&key, &format!("/workspace/{word}s/upsert"), json!({format!("{word}_id"): id, "notes": "n"})).await.ok();
        let shown = shelf.get(&key, &format!("/workspace/{word}s/{id}")).await.ok();
        assert_eq!(keys(&shown["data"]), fields);
        if *word == "contact" {
            // The contact upsert returns (id, name, title, account_id, workspace_status, notes, tags)
            fields.retain(|field| !matches!(*field, "created_at" | "projects_count"));
        }
        assert_eq!(keys(&written["data"]), fields);
        assert_eq!((&shown["data"]["notes"], &shown["data"]["tags"]), (&json!("n"), &json!([])));
        assert_eq!(shown["data"]["workspace_status"], Value::Null);
    }
}

#[tokio::test]
async fn last_signal_at_is_a_date_in_the_data_api_and_a_datetime_in_the_workspace_get() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let id = shelf.ids("SELECT id FROM projects WHERE signals_count > 0 LIMIT 1").remove(0);
    shelf.post(&key, "/workspace/projects/upsert", json!({"project_id": id})).await.ok();
    let data = shelf.get(&key, &format!("/data/projects/{id}")).await.ok()["data"]["last_signal_at"].clone();
    let book = shelf.get(&key, &format!("/workspace/projects/{id}")).await.ok()["data"]["last_signal_at"].clone();
    assert_eq!(data.as_str().map(str::len), Some(10));
    assert!(book.as_str().is_some_and(|at| at.starts_with(data.as_str().unwrap()) && at.contains('T')), "{book}");
}

#[tokio::test]
async fn include_takes_a_comma_list_or_the_parameter_repeated_and_costs_one_credit() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let includes =
        [["projects", "contacts", "signals"].as_slice(), &["account", "projects"], &["accounts", "contacts", "signals"]];
    for (word, include) in FAMILIES.iter().zip(includes) {
        let id = shelf
            .ids(&format!(
                "SELECT record_id FROM book WHERE dataset = '{word}' AND workspace_id =
            (SELECT id FROM workspaces ORDER BY rowid LIMIT 1) LIMIT 1"
            ))
            .remove(0);
        let path = format!("/workspace/{word}s/{id}");
        let before = shelf.used(0).await;
        let commas = shelf.get(&key, &format!("{path}?include={}", include.join(","))).await.ok();
        let repeated = shelf.get(&key, &format!("{path}?include={}", include.join("&include="))).await.ok();
        assert_eq!(commas, repeated);
        assert_eq!(commas["metadata"], json!({"credits": 1}));
        assert_eq!(shelf.used(0).await, before + 2);
        for name in include {
            let embedded = &commas["data"][name];
            assert!(if *name == "account" { embedded.is_object() || embedded.is_null() } else { embedded.is_array() }, "{name}");
        }
        shelf.get(&key, &format!("{path}?include=nonsense")).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn omitted_fields_are_unchanged_null_clears_and_an_empty_list_clears_the_tags() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let id = shelf.unsaved("account", 1).remove(0);
    let upsert = async |mut body: Value| {
        body["account_id"] = json!(id);
        let said = shelf.post(&key, "/workspace/accounts/upsert", body).await.ok();
        ["icp_tier", "workspace_status", "notes", "tags"].map(|field| said["data"][field].clone())
    };
    let all = json!({"icp_tier": "tier_1", "workspace_status": "Talking", "notes": "Call on Monday\n\u{1f3d7}", "tags": ["b", "a", "b"]});
    let full = [json!("tier_1"), json!("Talking"), json!("Call on Monday\n\u{1f3d7}"), json!(["b", "a"])];
    assert_eq!(upsert(all).await, full);
    assert_eq!(upsert(json!({})).await, full);
    assert_eq!(upsert(json!({"notes": null})).await, [full[0].clone(), full[1].clone(), Value::Null, full[3].clone()]);
    assert_eq!(upsert(json!({"tags": ["c"]})).await, [full[0].clone(), full[1].clone(), Value::Null, json!(["c"])]);
    let cleared = upsert(json!({"icp_tier": null, "workspace_status": null, "tags": []})).await;
    assert_eq!(cleared, [Value::Null, Value::Null, Value::Null, json!([])]);
}

#[tokio::test]
async fn an_upsert_that_is_malformed_is_400_and_writes_nothing() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let id = shelf.unsaved("account", 1).remove(0);
    for (field, value) in [
        ("icp_tier", json!("tier_9")),
        ("icp_tier", json!(1)),
        ("workspace_status", json!("s".repeat(201))),
        ("notes", json!("n".repeat(65_537))),
        ("notes", json!(["n"])),
        ("tags", Value::Null),
        ("tags", json!("one")),
        ("tags", json!([1])),
        ("tags", json!(["t".repeat(101)])),
        ("tags", json!((0..101).map(|n| n.to_string()).collect::<Vec<_>>())),
        ("match", json!({"domain": "x.example"})),
        ("colour", json!("red")),
    ] {
        let body = json!({"account_id": id, field: value});
        shelf.post(&key, "/workspace/accounts/upsert", body).await.refused(400, "bad_request");
    }
    for body in [json!({}), json!([]), json!({"account_id": "x"}), json!({"match": {}}), json!({"match": {"domain": " "}})] {
        shelf.post(&key, "/workspace/accounts/upsert", body).await.refused(400, "bad_request");
    }
    shelf
        .post(&key, "/workspace/contacts/upsert", json!({"contact_id": id, "icp_tier": "tier_1"}))
        .await
        .refused(400, "bad_request");
    shelf.post(&key, "/workspace/projects/upsert", json!({"match": {"name": "x"}})).await.refused(400, "bad_request");
    shelf.post(&key, "/workspace/accounts/upsert", json!({"account_id": NOBODY})).await.refused(404, "not_found");
    shelf.get(&key, &format!("/workspace/accounts/{id}")).await.refused(404, "not_found");
    let edge =
        json!({"account_id": id, "notes": "n".repeat(65_536), "workspace_status": "é".repeat(200), "tags": ["ü".repeat(100)]});
    shelf.post(&key, "/workspace/accounts/upsert", edge).await.ok();
    shelf.post(&shelf.reading_key(0), "/workspace/accounts/upsert", json!({"account_id": id})).await.refused(403, "forbidden");
}

#[tokio::test]
async fn a_natural_key_matches_exactly_one_record_or_404_or_409_ambiguous_match() {
    let shelf = Shelf::new().await;
    let key = shelf.key(1);
    for (word, field, one, two) in [
        (
            "account",
            "domain",
            "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1",
            "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 2 LIMIT 1",
        ),
        (
            "contact",
            "email",
            "SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY lower(email) HAVING count(*) = 1 LIMIT 1",
            "SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY lower(email) HAVING count(*) = 2 LIMIT 1",
        ),
    ] {
        let path = format!("/workspace/{word}s/upsert");
        let known = format!("  {} ", shelf.text(one).to_uppercase());
        let said = shelf.post(&key, &path, json!({"match": {field: known}, "notes": "by key"})).await.ok();
        assert_eq!(said["data"]["notes"], "by key");
        shelf.post(&key, &path, json!({"match": {field: "no%body_@*"}})).await.refused(404, "not_found");
        shelf.post(&key, &path, json!({"match": {field: shelf.text(two)}})).await.refused(409, "ambiguous_match");
        let batch =
            json!({"inputs": [{"match": {field: "nobody"}}, {"match": {field: shelf.text(two)}}, {"match": {field: known}}]});
        let said = shelf.post(&key, &format!("{path}/batch"), batch).await.ok();
        let codes = [0, 1, 2].map(|nth| said["data"]["results"][nth]["error"]["code"].clone());
        assert_eq!(codes, [json!("not_found"), json!("ambiguous_match"), Value::Null]);
    }
}

#[tokio::test]
async fn batches_are_never_all_or_nothing_and_answer_in_input_order() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for word in FAMILIES {
        let id = shelf.unsaved(word, 2);
        let field = format!("{word}_id");
        let inputs = json!([
            {field.as_str(): id[0], "notes": "first"},
            {field.as_str(): NOBODY},
            "no object",
            {field.as_str(): id[1], "notes": 7},
            {},
            {field.as_str(): id[1]},
            {field.as_str(): id[0], "notes": "last"},
        ]);
        let said = shelf.post(&key, &format!("/workspace/{word}s/upsert/batch"), json!({ "inputs": inputs })).await.ok();
        assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 3, "failed": 4}));
        let results = said["data"]["results"].as_array().unwrap();
        let statuses: Vec<_> = results.iter().map(|r| (r["index"].as_i64().unwrap(), r["status"].as_str().unwrap())).collect();
        let expected = ["ok", "error", "error", "error", "error", "ok", "ok"];
        assert_eq!(statuses, (0..).zip(expected).collect::<Vec<_>>());
        assert_eq!(results[0]["record"]["notes"], "first");
        assert_eq!(results[1]["error"]["code"], "not_found");
        assert!((2..5).all(|nth| results[nth]["error"]["code"] == "bad_request" && results[nth]["error"]["message"].is_string()));
        // when one record appears twice, the later element wins
        assert_eq!(shelf.get(&key, &format!("/workspace/{word}s/{}", id[0])).await.ok()["data"]["notes"], "last");

        // idempotent per item: an id not in the book still reports ok
        let ids = json!({"ids": [id[0], id[0], NOBODY, id[1], "nonsense"]});
        let said = shelf.post(&key, &format!("/workspace/{word}s/delete/batch"), ids).await.ok();
        let statuses: Vec<_> = said["data"]["results"].as_array().unwrap().iter().map(|r| r["status"].clone()).collect();
        assert_eq!(statuses, ["ok", "ok", "ok", "ok", "error"]);
        assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 4, "failed": 1}));
        shelf.get(&key, &format!("/workspace/{word}s/{}", id[1])).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn a_broken_envelope_applies_nothing() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let id = shelf.unsaved("account", 1).remove(0);
    let item = json!({"account_id": id});
    for body in [
        json!({"inputs": []}),
        json!({"inputs": vec![item.clone(); 101]}),
        json!({"inputs": item.clone()}),
        json!({"inputs": [item.clone()], "more": 1}),
        json!([item.clone()]),
        json!({}),
    ] {
        let error = shelf.post(&key, "/workspace/accounts/upsert/batch", body).await.refused(400, "bad_request");
        assert!(error["issues"].is_array(), "{error}");
    }
    for body in [json!({"ids": []}), json!({"ids": vec![id.clone(); 101]}), json!({"ids": id})] {
        shelf.post(&key, "/workspace/accounts/delete/batch", body).await.refused(400, "bad_request");
    }
    shelf.get(&key, &format!("/workspace/accounts/{id}")).await.refused(404, "not_found");
    shelf.post(&key, "/workspace/accounts/upsert/batch", json!({"inputs": vec![item; 100]})).await.ok();
}

#[tokio::test]
async fn a_record_that_was_written_and_cannot_be_read_back_is_data_null_or_a_minimal_record() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let id = shelf.unsaved("account", 1).remove(0);
    let blob: uuid::Uuid = id.parse().unwrap();
    shelf.file.execute("UPDATE accounts SET specialties = 'no JSON' WHERE id = ?1", [blob]).unwrap();
    let body = json!({"account_id": id, "notes": "kept"});
    let said = shelf.post(&key, "/workspace/accounts/upsert", body.clone()).await.ok();
    assert_eq!(said, json!({"data": null, "metadata": {"credits": 0}}));
    let said = shelf.post(&key, "/workspace/accounts/upsert/batch", json!({"inputs": [body]})).await.ok();
    assert_eq!(said["data"]["results"], json!([{"index": 0, "status": "ok", "record": {"id": id}}]));
    assert_eq!(shelf.number("SELECT count(*) FROM book WHERE notes = 'kept'"), 1);
}

#[tokio::test]
async fn the_books_of_two_workspaces_are_apart() {
    let shelf = Shelf::new().await;
    let id = shelf.unsaved("project", 1).remove(0);
    for (workspace, notes) in [(0, "ours"), (1, "theirs")] {
        let body = json!({"project_id": id, "notes": notes});
        shelf.post(&shelf.key(workspace), "/workspace/projects/upsert", body).await.ok();
    }
    shelf.post(&shelf.key(1), "/workspace/projects/delete/batch", json!({"ids": [id]})).await.ok();
    let ours = shelf.get(&shelf.key(0), &format!("/workspace/projects/{id}")).await.ok();
    assert_eq!(ours["data"]["notes"], "ours");
}

#[tokio::test]
async fn setting_a_tier_recomputes_the_score_after_the_answer() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    let ids = shelf.unsaved("account", 3);
    let inputs: Vec<_> = ids
        .iter()
        .zip(["tier_1", "tier_3", "disqualified"])
        .map(|(id, tier)| json!({"account_id": id, "icp_tier": tier}))
        .collect();
    shelf.post(&key, "/workspace/accounts/upsert/batch", json!({ "inputs": inputs })).await.ok();
    let score = async |nth: usize| {
        // the writer works in order: once this write is answered, what was due before it is done
        shelf.post(&key, "/workspace/accounts/delete/batch", json!({"ids": [NOBODY]})).await.ok();
        let data = shelf.get(&key, &format!("/workspace/accounts/{}", ids[nth])).await.ok()["data"].clone();
        assert!(["up", "flat", "down"].contains(&data["atlas_trend"].as_str().unwrap()));
        data["atlas_score"].as_i64().unwrap()
    };
    let (first, third) = (score(0).await, score(1).await);
    assert!(first >= 40 && third >= 10, "{first} {third}");
    assert_eq!(score(2).await, 0);
    let changed = shelf.number("SELECT max(updated_at) FROM book");
    shelf.post(&key, "/workspace/accounts/upsert", json!({"account_id": ids[2], "icp_tier": "tier_2"})).await.ok();
    assert!(score(2).await >= 25);
    shelf.post(&key, "/workspace/accounts/upsert", json!({"account_id": ids[2], "icp_tier": "disqualified"})).await.ok();
    assert_eq!(score(2).await, 0);
    assert_eq!(shelf.number("SELECT count(*) FROM atlas_due"), 0);
    assert!(shelf.number("SELECT max(updated_at) FROM book") >= changed);
}

#[tokio::test]
async fn what_the_book_asks_of_the_database_has_an_index() {
    let shelf = Shelf::new().await;
    for sql in [
        "SELECT account_id FROM account_domains WHERE domain = ?1",
        "SELECT id FROM contacts WHERE lower(trim(email)) = ?1",
        "SELECT 1 FROM book WHERE workspace_id = ?1 AND dataset = ?2 AND record_id = ?3",
        "SELECT r.rowid, b.updated_at, b.record_id FROM book b JOIN accounts r ON r.id = b.record_id
         WHERE b.workspace_id = ?1 AND b.dataset = 'account' ORDER BY b.updated_at DESC, b.record_id DESC LIMIT 26",
        "SELECT r.rowid, b.updated_at, b.record_id FROM book b JOIN accounts r ON r.id = b.record_id
         WHERE b.workspace_id = ?1 AND b.dataset = 'account' AND (b.updated_at, b.record_id) < (?2, ?3)
         ORDER BY b.updated_at DESC, b.record_id DESC LIMIT 26",
        "SELECT 1 FROM view_records WHERE workspace_id = ?1 AND record_id = ?2",
        "SELECT record_id FROM view_records WHERE workspace_id = ?1 AND view_id = ?2",
        "SELECT view_id FROM favorites WHERE workspace_id = ?1 AND user_id = ?2",
    ] {
        let mut plan = shelf.file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<Vec<_>, _>>();
        let steps = steps.unwrap();
        assert!(steps.iter().all(|step| step.starts_with("SEARCH")), "{sql}: {steps:?}");
    }
}
