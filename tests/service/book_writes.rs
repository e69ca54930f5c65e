//! Upserts and deletes of the book (interface: Workspace: upserts and deletes; decisions 1 and 2.15): by which key, what stays, what
//! is cleared.

use crate::shelf::Shelf;
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const FAMILIES: [&str; 3] = ["account", "contact", "project"];

/// The record of an upsert by id, but for what is computed after the answer.
async fn upsert(shelf: &Shelf, word: &str, id: &str, mut body: Value) -> Value {
    body[format!("{word}_id")] = json!(id);
    said(shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await.ok()["data"].clone())
}

async fn shown(shelf: &Shelf, word: &str, id: &str) -> Value {
    said(shelf.get(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.ok()["data"].clone())
}

fn said(mut record: Value) -> Value {
    record.as_object_mut().expect("a record").retain(|key, _| !key.starts_with("atlas_"));
    record
}

fn sorted_keys(record: &Value) -> String {
    let mut keys: Vec<&str> = record.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys.join(" ")
}

#[tokio::test]
async fn an_upsert_of_a_record_that_is_not_in_the_book_saves_it_there() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        shelf.get(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        let saved = upsert(&shelf, word, &id, json!({})).await;
        assert_eq!(
            (&saved["id"], &saved["workspace_status"], &saved["notes"], &saved["tags"]),
            (&json!(id), &Value::Null, &Value::Null, &json!([]))
        );
        assert_eq!(shown(&shelf, word, &id).await["id"], id);
        let found = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/search"), json!({"limit": 1})).await.ok();
        assert_eq!(found["data"][0]["id"], id, "{word}: what was saved last comes first");
    }
}

#[tokio::test]
async fn workspace_status_notes_and_tags_are_written_as_they_are_said() {
    let shelf = Shelf::new().await;
    let said =
        json!({"workspace_status": "In Talks – Q3", "notes": "Zeile 1\nline 2 \u{1f3d7} <b>", "tags": ["Hot", "hot", "a, b"]});
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let written = upsert(&shelf, word, &id, said.clone()).await;
        let read = shown(&shelf, word, &id).await;
        for key in ["workspace_status", "notes", "tags"] {
            assert_eq!((&written[key], &read[key]), (&said[key], &said[key]), "{word} {key}");
        }
    }
}

#[tokio::test]
async fn icp_tier_is_of_accounts_only_and_one_of_four_or_null() {
    let shelf = Shelf::new().await;
    let id = shelf.unsaved("account", 1).remove(0);
    for tier in [json!("tier_1"), json!("tier_2"), json!("tier_3"), json!("disqualified"), Value::Null] {
        assert_eq!(upsert(&shelf, "account", &id, json!({"icp_tier": tier})).await["icp_tier"], tier);
    }
    for tier in [json!("tier_4"), json!("Tier_1"), json!(""), json!(1), json!(["tier_1"])] {
        let body = json!({"account_id": id, "icp_tier": tier});
        let error = shelf.post(&shelf.key(0), "/workspace/accounts/upsert", body).await.refused(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!("invalid_enum_value"), &json!(["icp_tier"])),
            "{tier}"
        );
    }
    for word in ["contact", "project"] {
        let id = shelf.unsaved(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id, "icp_tier": "tier_1"});
        let error = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "unknown_key", "{word}");
        assert!(upsert(&shelf, word, &id, json!({})).await.get("icp_tier").is_none(), "{word}");
    }
}

#[tokio::test]
async fn what_the_index_says_of_a_record_cannot_be_written() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        for key in
            ["name", "id", "created_at", "updated_at", "atlas_score", "projects_count", "city", "email", "stage", "dataset"]
        {
            let body = json!({format!("{word}_id"): id, key: "Ours"});
            let error = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await.refused(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!("unknown_key"), &json!([key])),
                "{word}"
            );
        }
        shelf.get(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn an_account_is_named_by_account_id_or_by_the_domain_that_it_matches() {
    let shelf = Shelf::new().await;
    let domain = shelf.text("SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1");
    let id = shelf.ids(&format!("SELECT account_id FROM account_domains WHERE domain = '{domain}'")).remove(0);
    let path = "/workspace/accounts/upsert";
    let by_domain = shelf.post(&shelf.key(0), path, json!({"match": {"domain": domain}, "notes": "by domain"})).await.ok();
    assert_eq!((&by_domain["data"]["id"], &by_domain["data"]["notes"]), (&json!(id), &json!("by domain")));
    assert_eq!(upsert(&shelf, "account", &id, json!({})).await["notes"], "by domain");
    for body in [
        json!({}),
        json!({"account_id": id, "match": {"domain": domain}}),
        json!({"contact_id": id}),
        json!({"match": {"email": domain}}),
    ] {
        shelf.post(&shelf.key(0), path, body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn a_contact_is_named_by_exactly_one_of_contact_id_and_the_email_that_it_matches() {
    let shelf = Shelf::new().await;
    let email = shelf.text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 1 LIMIT 1");
    let id = shelf.ids(&format!("SELECT id FROM contacts WHERE email = '{email}'")).remove(0);
    let path = "/workspace/contacts/upsert";
    let by_email = shelf.post(&shelf.key(0), path, json!({"match": {"email": email}, "notes": "by email"})).await.ok();
    assert_eq!((&by_email["data"]["id"], &by_email["data"]["notes"]), (&json!(id), &json!("by email")));
    assert_eq!(upsert(&shelf, "contact", &id, json!({})).await["notes"], "by email");
    for body in [json!({}), json!({"notes": "x"}), json!({"contact_id": id, "match": {"email": email}})] {
        shelf.post(&shelf.key(0), path, body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn a_project_is_named_by_project_id_only() {
    let shelf = Shelf::new().await;
    let id = shelf.unsaved("project", 1).remove(0);
    upsert(&shelf, "project", &id, json!({})).await;
    for body in
        [json!({}), json!({"match": {"name": "Maple Court"}}), json!({"match": {"domain": "a.example"}}), json!({"id": id})]
    {
        shelf.post(&shelf.key(0), "/workspace/projects/upsert", body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn an_id_is_a_uuid_that_the_index_knows() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let path = format!("/workspace/{word}s/upsert");
        for id in [json!("x"), json!(7), Value::Null, json!(["x"])] {
            let error = shelf.post(&shelf.key(0), &path, json!({format!("{word}_id"): id})).await.refused(400, "bad_request");
            assert_eq!(error["issues"][0]["expected"], "uuid", "{word} {id}");
        }
        shelf.post(&shelf.key(0), &path, json!({format!("{word}_id"): NOBODY})).await.refused(404, "not_found");
        let other =
            shelf.ids(&format!("SELECT id FROM {}s LIMIT 1", if word == "project" { "account" } else { "project" })).remove(0);
        shelf.post(&shelf.key(0), &path, json!({format!("{word}_id"): other})).await.refused(404, "not_found");
    }
}

/// Matches a natural key that so many records have.
async fn matches(count: usize) -> Vec<(crate::support::Said, String)> {
    let shelf = Shelf::new().await;
    let (domain, email) = (
        shelf.text(&format!("SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = {count} LIMIT 1")),
        shelf.text(&format!(
            "SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = {count} LIMIT 1"
        )),
    );
    let mut said = Vec::new();
    for (word, key, text) in [("account", "domain", domain), ("contact", "email", email)] {
        let body = json!({"match": {key: text}, "notes": "matched"});
        said.push((shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await, text));
    }
    let written = shelf.number("SELECT count(*) FROM book WHERE notes = 'matched'");
    assert_eq!(written, if count == 1 { 2 } else { 0 }, "what is ambiguous is not written");
    said
}

#[tokio::test]
async fn a_natural_key_that_exactly_one_record_has_proceeds() {
    for (said, text) in matches(1).await {
        assert_eq!(said.ok()["data"]["notes"], "matched", "{text}");
    }
}

#[tokio::test]
async fn a_natural_key_is_trimmed_and_in_any_case() {
    let shelf = Shelf::new().await;
    let domain = shelf.text("SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1");
    let email = shelf.text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 1 LIMIT 1");
    for (word, key, text) in [("account", "domain", domain), ("contact", "email", email)] {
        let path = format!("/workspace/{word}s/upsert");
        let plain = shelf.post(&shelf.key(0), &path, json!({"match": {key: text}})).await.ok();
        let loud = shelf.post(&shelf.key(0), &path, json!({"match": {key: format!("  {} ", text.to_uppercase())}})).await.ok();
        assert_eq!(loud["data"]["id"], plain["data"]["id"], "{text}");
    }
}

#[tokio::test]
async fn a_natural_key_that_more_than_one_record_has_gives_409_ambiguous_match() {
    for (said, text) in matches(2).await {
        let error = said.refused(409, "ambiguous_match");
        assert!(error["message"].as_str().unwrap().contains("_id"), "{text}: the message says the way out");
    }
}

#[tokio::test]
async fn a_natural_key_that_no_record_has_gives_404_not_found() {
    let shelf = Shelf::new().await;
    for (word, key) in [("account", "domain"), ("contact", "email")] {
        for text in ["nobody.example", "%", "_", "*", "' OR 1=1 --", "nobody@nowhere.example"] {
            let body = json!({"match": {key: text}});
            shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await.refused(404, "not_found");
        }
    }
}

#[tokio::test]
async fn an_ambiguous_match_is_resolved_by_the_explicit_uuid() {
    let shelf = Shelf::new().await;
    let domain = shelf.text("SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 2 LIMIT 1");
    for id in shelf.ids(&format!("SELECT account_id FROM account_domains WHERE domain = '{domain}'")) {
        assert_eq!(upsert(&shelf, "account", &id, json!({"notes": "this one"})).await["id"], id);
    }
}

#[tokio::test]
async fn a_match_is_an_object_with_its_one_key() {
    let shelf = Shelf::new().await;
    for (word, key) in [("account", "domain"), ("contact", "email")] {
        for body in [
            json!(null),
            json!("a.example"),
            json!([]),
            json!({}),
            json!({key: ""}),
            json!({key: " "}),
            json!({key: 1}),
            json!({key: ["a"]}),
            json!({key: "a.example", "name": "x"}),
        ] {
            let said = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), json!({"match": body})).await;
            let error = said.refused(400, "bad_request");
            assert_eq!(error["issues"][0]["path"][0], "match", "{word} {body}");
        }
    }
}

#[tokio::test]
async fn omitted_fields_are_unchanged() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let all = json!({"workspace_status": "s", "notes": "n", "tags": ["t"]});
        let before = upsert(&shelf, word, &id, all).await;
        assert_eq!(upsert(&shelf, word, &id, json!({})).await, before, "{word}");
        for (key, value) in [("workspace_status", json!("s2")), ("notes", json!("n2")), ("tags", json!(["t2"]))] {
            let mut expected = shown(&shelf, word, &id).await;
            upsert(&shelf, word, &id, json!({key: value})).await;
            expected[key] = value;
            assert_eq!(shown(&shelf, word, &id).await, expected, "{word} {key}");
        }
    }
}

#[tokio::test]
async fn an_explicit_null_clears_a_nullable_field() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        upsert(&shelf, word, &id, json!({"workspace_status": "s", "notes": "n", "tags": ["t"]})).await;
        for key in ["workspace_status", "notes"] {
            assert_eq!(upsert(&shelf, word, &id, json!({key: null})).await[key], Value::Null, "{word} {key}");
        }
        assert_eq!(shown(&shelf, word, &id).await["tags"], json!(["t"]), "{word}");
        let body = json!({format!("{word}_id"): id, "tags": null});
        shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn tags_replace_the_whole_set_and_an_empty_list_clears_it() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        for (said, stored) in [
            (json!(["a", "b"]), json!(["a", "b"])),
            (json!(["c"]), json!(["c"])),
            (json!(["b", "a", "b", "B"]), json!(["b", "a", "B"])),
            (json!([]), json!([])),
        ] {
            assert_eq!(upsert(&shelf, word, &id, json!({"tags": said})).await["tags"], stored, "{word} {said}");
        }
    }
}

#[tokio::test]
async fn an_upsert_that_changes_something_moves_the_record_to_the_front_of_the_book_and_another_does_not() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let path = format!("/workspace/{word}s/search");
        let order = async || {
            let said = shelf.post(&shelf.key(0), &path, json!({"limit": 10})).await.ok();
            said["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let before = order().await;
        let last = before[7].clone();
        upsert(&shelf, word, &last, json!({})).await;
        let notes = shown(&shelf, word, &last).await["notes"].clone();
        upsert(&shelf, word, &last, json!({"notes": notes})).await;
        assert_eq!(order().await, before, "{word}: nothing changed");
        upsert(&shelf, word, &last, json!({"notes": "changed"})).await;
        assert_eq!(order().await[0], last, "{word}");
    }
}

#[tokio::test]
async fn an_upsert_that_is_sent_twice_is_as_good_as_sent_once() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let body = json!({"workspace_status": "s", "notes": "n", "tags": ["t", "u"]});
        assert_eq!(upsert(&shelf, word, &id, body.clone()).await, upsert(&shelf, word, &id, body).await, "{word}");
    }
}

#[tokio::test]
async fn the_contact_upsert_returns_id_name_title_account_id_workspace_status_notes_and_tags() {
    let shelf = Shelf::new().await;
    let id = shelf.unsaved("contact", 1).remove(0);
    let said = shelf.post(&shelf.key(0), "/workspace/contacts/upsert", json!({"contact_id": id, "notes": "n"})).await.ok();
    assert_eq!(sorted_keys(&said["data"]), "account_id id name notes tags title workspace_status");
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let get = shown(&shelf, "contact", &id).await;
    assert!(said["data"].as_object().unwrap().iter().all(|(key, value)| get[key] == *value));
}

#[tokio::test]
async fn the_account_and_the_project_upsert_return_the_record_of_the_get() {
    let shelf = Shelf::new().await;
    for word in ["account", "project"] {
        let id = shelf.unsaved(word, 1).remove(0);
        let said = upsert(&shelf, word, &id, json!({"notes": "n"})).await;
        assert_eq!(said, shown(&shelf, word, &id).await, "{word}");
    }
}

#[tokio::test]
async fn upserts_and_deletes_carry_credits_0_and_cost_nothing() {
    let shelf = Shelf::new().await;
    let before = shelf.used(0).await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id});
        let free = json!({"credits": 0});
        let said = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert"), body.clone()).await.ok();
        assert_eq!(said["metadata"], free, "{word}");
        let said = shelf.delete(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.ok();
        assert_eq!(said, json!({"data": {"deleted": true, "id": id}, "metadata": free}), "{word}");
        let said = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/upsert/batch"), json!({"inputs": [body]})).await.ok();
        assert_eq!(said["metadata"]["credits"], 0, "{word}");
        let said = shelf.post(&shelf.key(0), &format!("/workspace/{word}s/delete/batch"), json!({"ids": [id]})).await.ok();
        assert_eq!(said["metadata"]["credits"], 0, "{word}");
    }
    assert_eq!(shelf.used(0).await, before);
}

#[tokio::test]
async fn a_delete_takes_the_record_out_of_the_book_with_its_annotations_and_leaves_the_index() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let data = shelf.get(&shelf.key(0), &format!("/data/{word}s/{id}")).await.ok();
        upsert(&shelf, word, &id, json!({"notes": "gone", "tags": ["gone"]})).await;
        shelf.delete(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.ok();
        shelf.get(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        let found = shelf
            .post(&shelf.key(0), &format!("/workspace/{word}s/search"), json!({"filters": {"tags": {"value": "gone"}}}))
            .await
            .ok();
        assert_eq!(found["data"], json!([]), "{word}");
        assert_eq!(shelf.get(&shelf.key(0), &format!("/data/{word}s/{id}")).await.ok(), data, "{word}");
        let again = upsert(&shelf, word, &id, json!({})).await;
        assert_eq!(
            (&again["notes"], &again["tags"]),
            (&Value::Null, &json!([])),
            "{word}: saved anew, without the old annotations"
        );
    }
}

#[tokio::test]
async fn a_single_delete_of_a_record_that_is_not_in_the_book_gives_404() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        for id in [shelf.unsaved(word, 1).remove(0).as_str(), NOBODY, "nonsense"] {
            shelf.delete(&shelf.key(0), &format!("/workspace/{word}s/{id}")).await.refused(404, "not_found");
        }
    }
}

#[tokio::test]
async fn every_member_writes_in_the_book_and_a_key_without_the_scope_does_not() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id});
        let path = format!("/workspace/{word}s/upsert");
        shelf.post(&shelf.reading_key(0), &path, body.clone()).await.refused(403, "forbidden");
        shelf.post(&shelf.user(0, 2), &path, body).await.ok();
        shelf.delete(&shelf.reading_key(0), &format!("/workspace/{word}s/{id}")).await.refused(403, "forbidden");
        shelf.get(&shelf.reading_key(0), &format!("/workspace/{word}s/{id}")).await.ok();
        shelf.delete(&shelf.user(0, 2), &format!("/workspace/{word}s/{id}")).await.ok();
    }
}

#[tokio::test]
async fn the_last_write_wins_whoever_writes() {
    let shelf = Shelf::new().await;
    for word in FAMILIES {
        let id = shelf.unsaved(word, 1).remove(0);
        let body = |notes: &str| json!({format!("{word}_id"): id, "notes": notes});
        for (caller, notes) in [(shelf.user(0, 2), "first"), (shelf.key(0), "second"), (shelf.user(0, 3), "third")] {
            shelf.post(&caller, &format!("/workspace/{word}s/upsert"), body(notes)).await.ok();
        }
        assert_eq!(shown(&shelf, word, &id).await["notes"], "third", "{word}");
    }
}
