//! The book: gets, upserts, deletes and their batches (interface: Workspace: gets, upserts and
//! deletes, batch writes).

use crate::service_with_file::ServiceWithFile;
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const RECORD_KINDS: [&str; 3] = ["account", "contact", "project"];

#[tokio::test]
async fn a_record_outside_the_book_is_404_even_if_it_is_in_the_index() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        api.get(&key, &format!("/data/{word}s/{id}")).await.ok();
        for id in [id.as_str(), UNKNOWN_ID, "nonsense"] {
            api.get(&key, &format!("/workspace/{word}s/{id}"))
                .await
                .expect_error(404, "not_found");
            api.delete(&key, &format!("/workspace/{word}s/{id}"))
                .await
                .expect_error(404, "not_found");
        }
        let saved = api
            .post(
                &key,
                &format!("/workspace/{word}s/upsert"),
                json!({format!("{word}_id"): id}),
            )
            .await
            .ok();
        assert_eq!(
            (&saved["data"]["id"], &saved["metadata"]),
            (&json!(id), &json!({"credits": 0}))
        );
        let before = api.credits_used(0).await;
        let shown = api
            .get(&key, &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        assert_eq!(
            (&shown["data"]["id"], &shown["metadata"]),
            (&json!(id), &json!({"credits": 1}))
        );
        assert_eq!(api.credits_used(0).await, before + 1);
        api.get(&api.api_key(1), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
        api.delete(&api.api_key(1), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
        let gone = api
            .delete(&key, &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        assert_eq!(
            gone,
            json!({"data": {"deleted": true, "id": id}, "metadata": {"credits": 0}})
        );
        api.delete(&key, &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn a_malformed_upsert_is_400_and_writes_nothing() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let id = api.unsaved_ids("account", 1).remove(0);
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
        (
            "tags",
            json!((0..101).map(|n| n.to_string()).collect::<Vec<_>>()),
        ),
        ("match", json!({"domain": "x.example"})),
        ("colour", json!("red")),
    ] {
        let body = json!({"account_id": id, field: value});
        api.post(&key, "/workspace/accounts/upsert", body)
            .await
            .expect_error(400, "bad_request");
    }
    for body in [
        json!({}),
        json!([]),
        json!({"account_id": "x"}),
        json!({"match": {}}),
        json!({"match": {"domain": " "}}),
    ] {
        api.post(&key, "/workspace/accounts/upsert", body)
            .await
            .expect_error(400, "bad_request");
    }
    api.post(
        &key,
        "/workspace/contacts/upsert",
        json!({"contact_id": id, "icp_tier": "tier_1"}),
    )
    .await
    .expect_error(400, "bad_request");
    api.post(
        &key,
        "/workspace/projects/upsert",
        json!({"match": {"name": "x"}}),
    )
    .await
    .expect_error(400, "bad_request");
    api.post(
        &key,
        "/workspace/accounts/upsert",
        json!({"account_id": UNKNOWN_ID}),
    )
    .await
    .expect_error(404, "not_found");
    api.get(&key, &format!("/workspace/accounts/{id}"))
        .await
        .expect_error(404, "not_found");
    let edge = json!({"account_id": id, "notes": "n".repeat(65_536), "workspace_status": "é".repeat(200), "tags": ["ü".repeat(100)]});
    api.post(&key, "/workspace/accounts/upsert", edge)
        .await
        .ok();
    api.post(
        &api.read_only_key(0),
        "/workspace/accounts/upsert",
        json!({"account_id": id}),
    )
    .await
    .expect_error(403, "forbidden");
}

#[tokio::test]
async fn an_upsert_that_cannot_be_read_back_returns_null_or_a_minimal_record() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let id = api.unsaved_ids("account", 1).remove(0);
    api.update_record(
        "UPDATE accounts SET specialties = 'no JSON' WHERE id = ?1",
        &id,
    );
    let body = json!({"account_id": id, "notes": "kept"});
    let reply = api
        .post(&key, "/workspace/accounts/upsert", body.clone())
        .await
        .ok();
    assert_eq!(reply, json!({"data": null, "metadata": {"credits": 0}}));
    let reply = api
        .post(
            &key,
            "/workspace/accounts/upsert/batch",
            json!({"inputs": [body]}),
        )
        .await
        .ok();
    assert_eq!(
        reply["data"]["results"],
        json!([{"index": 0, "status": "ok", "record": {"id": id}}])
    );
    assert_eq!(
        api.query_number("SELECT count(*) FROM book WHERE notes = 'kept'"),
        1
    );
}

#[tokio::test]
async fn the_answer_to_a_new_tier_has_the_score_of_that_tier() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let id = api.unsaved_ids("account", 1).remove(0);
    let scored = async |tier: &str| {
        let body = json!({"account_id": id, "icp_tier": tier});
        let answered = api
            .post(&key, "/workspace/accounts/upsert", body)
            .await
            .ok()["data"]["atlas_score"]
            .clone();
        let read = api
            .get(&key, &format!("/workspace/accounts/{id}"))
            .await
            .ok()["data"]
            .clone();
        assert!(["up", "flat", "down"].contains(&read["atlas_trend"].as_str().unwrap()));
        assert_eq!(answered, read["atlas_score"], "{tier}");
        read["atlas_score"].as_i64().unwrap()
    };
    let first = scored("tier_1").await;
    assert!(first >= 40, "{first}");
    assert_eq!(scored("disqualified").await, 0);
    assert_eq!(
        scored("tier_1").await,
        first,
        "an undo brings the score back"
    );
}

#[tokio::test]
async fn non_ascii_natural_keys_match_in_any_case() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    let ids = ["account", "contact"].map(|word| api.unsaved_ids(word, 1).remove(0));
    api.update_record(
        r#"UPDATE accounts SET domains = '["École.example"]' WHERE id = ?1"#,
        &ids[0],
    );
    api.update_record(
        "UPDATE contacts SET email = 'Émile@ÉCOLE.example' WHERE id = ?1",
        &ids[1],
    );
    for (nth, word, field, text) in [
        (0, "account", "domain", "École.Example"),
        (1, "contact", "email", "Émile@École.example"),
    ] {
        for text in [text.to_owned(), text.to_lowercase(), text.to_uppercase()] {
            let reply = api
                .post(
                    &key,
                    &format!("/workspace/{word}s/upsert"),
                    json!({"match": {field: text}}),
                )
                .await
                .ok();
            assert_eq!(reply["data"]["id"], ids[nth], "{text}");
        }
    }
    for text in [
        "Émile@ÉCOLE.example",
        "émile@école.example",
        "ÉMILE@ÉCOLE.EXAMPLE",
    ] {
        let body = json!({"filters": {"email": {"value": text}}});
        let found = api
            .post(&key, "/workspace/contacts/search", body)
            .await
            .ok();
        assert_eq!(
            (&found["metadata"]["total"], &found["data"][0]["id"]),
            (&json!(1), &json!(ids[1])),
            "{text}"
        );
    }
    api.update_record("UPDATE contacts SET email = NULL WHERE id = ?1", &ids[1]);
    let body = json!({"match": {"email": "émile@école.example"}});
    api.post(&key, "/workspace/contacts/upsert", body)
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn book_queries_use_an_index() {
    let api = ServiceWithFile::new().await;
    if api.has_no_file("the plan is SQLite's") {
        return;
    }
    let file = rusqlite::Connection::open(api.database_path()).unwrap();
    for sql in [
        "SELECT account_id FROM account_domains WHERE domain = ?1",
        "SELECT contact_id FROM contact_emails WHERE email = ?1",
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
        let mut plan = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<Vec<_>, _>>();
        let steps = steps.unwrap();
        assert!(steps.iter().all(|step| step.starts_with("SEARCH")), "{sql}: {steps:?}");
    }
}
