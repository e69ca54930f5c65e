//! Upserts and deletes of the book (interface: Workspace: upserts and deletes; decisions 1 and
//! 2.15): keys, partial updates and clearing.

use crate::service_with_file::ServiceWithFile;
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const RECORD_KINDS: [&str; 3] = ["account", "contact", "project"];

/// The record of an upsert by id, without what is computed after the response.
async fn upsert_by_id(api: &ServiceWithFile, word: &str, id: &str, mut body: Value) -> Value {
    body[format!("{word}_id")] = json!(id);
    without_scores(
        api.post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
            .await
            .ok()["data"]
            .clone(),
    )
}

async fn get_record(api: &ServiceWithFile, word: &str, id: &str) -> Value {
    without_scores(
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .ok()["data"]
            .clone(),
    )
}

fn without_scores(mut record: Value) -> Value {
    record
        .as_object_mut()
        .expect("a record")
        .retain(|key, _| !key.starts_with("atlas_"));
    record
}

fn sorted_keys(record: &Value) -> String {
    let mut keys: Vec<&str> = record
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys.join(" ")
}

#[tokio::test]
async fn an_upsert_of_a_record_that_is_not_in_the_book_saves_it_there() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
        let saved = upsert_by_id(&api, word, &id, json!({})).await;
        assert_eq!(
            (
                &saved["id"],
                &saved["workspace_status"],
                &saved["notes"],
                &saved["tags"]
            ),
            (&json!(id), &Value::Null, &Value::Null, &json!([]))
        );
        assert_eq!(get_record(&api, word, &id).await["id"], id);
        let found = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{word}s/search"),
                json!({"limit": 1}),
            )
            .await
            .ok();
        assert_eq!(
            found["data"][0]["id"], id,
            "{word}: the last saved record comes first"
        );
    }
}

#[tokio::test]
async fn the_character_nul_is_stored_as_a_replacement_on_either_engine() {
    let api = ServiceWithFile::new().await;
    let id = api.unsaved_ids("account", 1).remove(0);
    let written = upsert_by_id(
        &api,
        "account",
        &id,
        json!({"notes": "a\0b", "tags": ["c\0"]}),
    )
    .await;
    assert_eq!(
        (&written["notes"], &written["tags"]),
        (&json!("a\u{fffd}b"), &json!(["c\u{fffd}"]))
    );
    let filter = json!({"filters": {"tags": {"value": "c\0"}}});
    let found = api
        .post(&api.api_key(0), "/workspace/accounts/search", filter)
        .await
        .ok();
    assert_eq!(found["data"][0]["id"], id);
}

#[tokio::test]
async fn workspace_status_notes_and_tags_are_stored_as_sent() {
    let api = ServiceWithFile::new().await;
    let reply = json!({"workspace_status": "In Talks – Q3", "notes": "Zeile 1\nline 2 \u{1f3d7} <b>", "tags": ["Hot", "hot", "a, b"]});
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let written = upsert_by_id(&api, word, &id, reply.clone()).await;
        let read = get_record(&api, word, &id).await;
        for key in ["workspace_status", "notes", "tags"] {
            assert_eq!(
                (&written[key], &read[key]),
                (&reply[key], &reply[key]),
                "{word} {key}"
            );
        }
    }
}

#[tokio::test]
async fn icp_tier_is_only_on_accounts_and_one_of_four_values_or_null() {
    let api = ServiceWithFile::new().await;
    let id = api.unsaved_ids("account", 1).remove(0);
    for tier in [
        json!("tier_1"),
        json!("tier_2"),
        json!("tier_3"),
        json!("disqualified"),
        Value::Null,
    ] {
        assert_eq!(
            upsert_by_id(&api, "account", &id, json!({"icp_tier": tier})).await["icp_tier"],
            tier
        );
    }
    for tier in [
        json!("tier_4"),
        json!("Tier_1"),
        json!(""),
        json!(1),
        json!(["tier_1"]),
    ] {
        let body = json!({"account_id": id, "icp_tier": tier});
        let error = api
            .post(&api.api_key(0), "/workspace/accounts/upsert", body)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!("invalid_enum_value"), &json!(["icp_tier"])),
            "{tier}"
        );
    }
    for word in ["contact", "project"] {
        let id = api.unsaved_ids(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id, "icp_tier": "tier_1"});
        let error = api
            .post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "unknown_key", "{word}");
        assert!(
            upsert_by_id(&api, word, &id, json!({}))
                .await
                .get("icp_tier")
                .is_none(),
            "{word}"
        );
    }
}

#[tokio::test]
async fn index_fields_of_a_record_cannot_be_written() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        for key in [
            "name",
            "id",
            "created_at",
            "updated_at",
            "atlas_score",
            "projects_count",
            "city",
            "email",
            "stage",
            "dataset",
        ] {
            let body = json!({format!("{word}_id"): id, key: "Ours"});
            let error = api
                .post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!("unknown_key"), &json!([key])),
                "{word}"
            );
        }
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn an_account_is_identified_by_account_id_or_domain() {
    let api = ServiceWithFile::new().await;
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1",
    );
    let id = api
        .query_ids(&format!(
            "SELECT account_id FROM account_domains WHERE domain = '{domain}'"
        ))
        .remove(0);
    let path = "/workspace/accounts/upsert";
    let by_domain = api
        .post(
            &api.api_key(0),
            path,
            json!({"match": {"domain": domain}, "notes": "by domain"}),
        )
        .await
        .ok();
    assert_eq!(
        (&by_domain["data"]["id"], &by_domain["data"]["notes"]),
        (&json!(id), &json!("by domain"))
    );
    assert_eq!(
        upsert_by_id(&api, "account", &id, json!({})).await["notes"],
        "by domain"
    );
    for body in [
        json!({}),
        json!({"account_id": id, "match": {"domain": domain}}),
        json!({"contact_id": id}),
        json!({"match": {"email": domain}}),
    ] {
        api.post(&api.api_key(0), path, body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_contact_is_identified_by_exactly_one_of_contact_id_and_email() {
    let api = ServiceWithFile::new().await;
    let email = api.query_text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 1 LIMIT 1");
    let id = api
        .query_ids(&format!("SELECT id FROM contacts WHERE email = '{email}'"))
        .remove(0);
    let path = "/workspace/contacts/upsert";
    let by_email = api
        .post(
            &api.api_key(0),
            path,
            json!({"match": {"email": email}, "notes": "by email"}),
        )
        .await
        .ok();
    assert_eq!(
        (&by_email["data"]["id"], &by_email["data"]["notes"]),
        (&json!(id), &json!("by email"))
    );
    assert_eq!(
        upsert_by_id(&api, "contact", &id, json!({})).await["notes"],
        "by email"
    );
    for body in [
        json!({}),
        json!({"notes": "x"}),
        json!({"contact_id": id, "match": {"email": email}}),
    ] {
        api.post(&api.api_key(0), path, body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_project_is_identified_by_project_id_only() {
    let api = ServiceWithFile::new().await;
    let id = api.unsaved_ids("project", 1).remove(0);
    upsert_by_id(&api, "project", &id, json!({})).await;
    for body in [
        json!({}),
        json!({"match": {"name": "Maple Court"}}),
        json!({"match": {"domain": "a.example"}}),
        json!({"id": id}),
    ] {
        api.post(&api.api_key(0), "/workspace/projects/upsert", body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn an_id_must_be_a_uuid_of_an_index_record() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let path = format!("/workspace/{word}s/upsert");
        for id in [json!("x"), json!(7), Value::Null, json!(["x"])] {
            let error = api
                .post(&api.api_key(0), &path, json!({format!("{word}_id"): id}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(error["issues"][0]["expected"], "uuid", "{word} {id}");
        }
        api.post(
            &api.api_key(0),
            &path,
            json!({format!("{word}_id"): UNKNOWN_ID}),
        )
        .await
        .expect_error(404, "not_found");
        let other = api
            .query_ids(&format!(
                "SELECT id FROM {}s LIMIT 1",
                if word == "project" {
                    "account"
                } else {
                    "project"
                }
            ))
            .remove(0);
        api.post(&api.api_key(0), &path, json!({format!("{word}_id"): other}))
            .await
            .expect_error(404, "not_found");
    }
}

/// Matches a natural key that this many records have.
async fn upsert_by_natural_key(count: usize) -> Vec<(crate::support::TestResponse, String)> {
    let api = ServiceWithFile::new().await;
    let (domain, email) = (
        api.query_text(&format!("SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = {count} LIMIT 1")),
        api.query_text(&format!(
            "SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = {count} LIMIT 1"
        )),
    );
    let mut reply = Vec::new();
    for (word, key, text) in [("account", "domain", domain), ("contact", "email", email)] {
        let body = json!({"match": {key: text}, "notes": "matched"});
        reply.push((
            api.post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
                .await,
            text,
        ));
    }
    let written = api.query_number("SELECT count(*) FROM book WHERE notes = 'matched'");
    assert_eq!(
        written,
        if count == 1 { 2 } else { 0 },
        "nothing is written if the match is ambiguous"
    );
    reply
}

#[tokio::test]
async fn a_natural_key_of_exactly_one_record_matches() {
    for (reply, text) in upsert_by_natural_key(1).await {
        assert_eq!(reply.ok()["data"]["notes"], "matched", "{text}");
    }
}

#[tokio::test]
async fn a_natural_key_is_trimmed_and_case_insensitive() {
    let api = ServiceWithFile::new().await;
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1",
    );
    let email = api.query_text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 1 LIMIT 1");
    for (word, key, text) in [("account", "domain", domain), ("contact", "email", email)] {
        let path = format!("/workspace/{word}s/upsert");
        let plain = api
            .post(&api.api_key(0), &path, json!({"match": {key: text}}))
            .await
            .ok();
        let loud = api
            .post(
                &api.api_key(0),
                &path,
                json!({"match": {key: format!("  {} ", text.to_uppercase())}}),
            )
            .await
            .ok();
        assert_eq!(loud["data"]["id"], plain["data"]["id"], "{text}");
    }
}

#[tokio::test]
async fn a_natural_key_of_several_records_is_409_ambiguous_match() {
    for (reply, text) in upsert_by_natural_key(2).await {
        let error = reply.expect_error(409, "ambiguous_match");
        assert!(
            error["message"].as_str().unwrap().contains("_id"),
            "{text}: the message names the alternative"
        );
    }
}

#[tokio::test]
async fn a_natural_key_of_no_record_is_404_not_found() {
    let api = ServiceWithFile::new().await;
    for (word, key) in [("account", "domain"), ("contact", "email")] {
        for text in [
            "nobody.example",
            "%",
            "_",
            "*",
            "' OR 1=1 --",
            "nobody@nowhere.example",
        ] {
            let body = json!({"match": {key: text}});
            api.post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
                .await
                .expect_error(404, "not_found");
        }
    }
}

#[tokio::test]
async fn an_ambiguous_match_is_resolved_by_the_explicit_uuid() {
    let api = ServiceWithFile::new().await;
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 2 LIMIT 1",
    );
    for id in api.query_ids(&format!(
        "SELECT account_id FROM account_domains WHERE domain = '{domain}'"
    )) {
        assert_eq!(
            upsert_by_id(&api, "account", &id, json!({"notes": "this one"})).await["id"],
            id
        );
    }
}

#[tokio::test]
async fn a_match_is_an_object_with_its_one_key() {
    let api = ServiceWithFile::new().await;
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
            let reply = api
                .post(
                    &api.api_key(0),
                    &format!("/workspace/{word}s/upsert"),
                    json!({"match": body}),
                )
                .await;
            let error = reply.expect_error(400, "bad_request");
            assert_eq!(error["issues"][0]["path"][0], "match", "{word} {body}");
        }
    }
}

#[tokio::test]
async fn omitted_fields_are_unchanged() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let all = json!({"workspace_status": "s", "notes": "n", "tags": ["t"]});
        let before = upsert_by_id(&api, word, &id, all).await;
        assert_eq!(
            upsert_by_id(&api, word, &id, json!({})).await,
            before,
            "{word}"
        );
        for (key, value) in [
            ("workspace_status", json!("s2")),
            ("notes", json!("n2")),
            ("tags", json!(["t2"])),
        ] {
            let mut expected = get_record(&api, word, &id).await;
            upsert_by_id(&api, word, &id, json!({key: value})).await;
            expected[key] = value;
            assert_eq!(get_record(&api, word, &id).await, expected, "{word} {key}");
        }
    }
}

#[tokio::test]
async fn an_explicit_null_clears_a_nullable_field() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        upsert_by_id(
            &api,
            word,
            &id,
            json!({"workspace_status": "s", "notes": "n", "tags": ["t"]}),
        )
        .await;
        for key in ["workspace_status", "notes"] {
            assert_eq!(
                upsert_by_id(&api, word, &id, json!({key: null})).await[key],
                Value::Null,
                "{word} {key}"
            );
        }
        assert_eq!(
            get_record(&api, word, &id).await["tags"],
            json!(["t"]),
            "{word}"
        );
        let body = json!({format!("{word}_id"): id, "tags": null});
        api.post(&api.api_key(0), &format!("/workspace/{word}s/upsert"), body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn tags_replace_the_whole_set_and_an_empty_list_clears_it() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        for (reply, stored) in [
            (json!(["a", "b"]), json!(["a", "b"])),
            (json!(["c"]), json!(["c"])),
            (json!(["b", "a", "b", "B"]), json!(["b", "a", "B"])),
            (json!([]), json!([])),
        ] {
            assert_eq!(
                upsert_by_id(&api, word, &id, json!({"tags": reply})).await["tags"],
                stored,
                "{word} {reply}"
            );
        }
    }
}

#[tokio::test]
async fn only_a_changing_upsert_moves_the_record_to_the_front_of_the_book() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let path = format!("/workspace/{word}s/search");
        let order = async || {
            let reply = api
                .post(&api.api_key(0), &path, json!({"limit": 10}))
                .await
                .ok();
            reply["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["id"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let before = order().await;
        let last = before[7].clone();
        upsert_by_id(&api, word, &last, json!({})).await;
        let notes = get_record(&api, word, &last).await["notes"].clone();
        upsert_by_id(&api, word, &last, json!({"notes": notes})).await;
        assert_eq!(order().await, before, "{word}: nothing changed");
        upsert_by_id(&api, word, &last, json!({"notes": "changed"})).await;
        assert_eq!(order().await[0], last, "{word}");
    }
}

#[tokio::test]
async fn an_upsert_is_idempotent() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let body = json!({"workspace_status": "s", "notes": "n", "tags": ["t", "u"]});
        assert_eq!(
            upsert_by_id(&api, word, &id, body.clone()).await,
            upsert_by_id(&api, word, &id, body).await,
            "{word}"
        );
    }
}

#[tokio::test]
async fn the_contact_upsert_returns_its_seven_documented_fields() {
    let api = ServiceWithFile::new().await;
    let id = api.unsaved_ids("contact", 1).remove(0);
    let reply = api
        .post(
            &api.api_key(0),
            "/workspace/contacts/upsert",
            json!({"contact_id": id, "notes": "n"}),
        )
        .await
        .ok();
    assert_eq!(
        sorted_keys(&reply["data"]),
        "account_id id name notes tags title workspace_status"
    );
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    let get = get_record(&api, "contact", &id).await;
    assert!(
        reply["data"]
            .as_object()
            .unwrap()
            .iter()
            .all(|(key, value)| get[key] == *value)
    );
}

#[tokio::test]
async fn account_and_project_upserts_return_the_record_of_the_get() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "project"] {
        let id = api.unsaved_ids(word, 1).remove(0);
        let reply = upsert_by_id(&api, word, &id, json!({"notes": "n"})).await;
        assert_eq!(reply, get_record(&api, word, &id).await, "{word}");
    }
}

#[tokio::test]
async fn upserts_and_deletes_report_0_credits_and_cost_nothing() {
    let api = ServiceWithFile::new().await;
    let before = api.credits_used(0).await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id});
        let free = json!({"credits": 0});
        let reply = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{word}s/upsert"),
                body.clone(),
            )
            .await
            .ok();
        assert_eq!(reply["metadata"], free, "{word}");
        let reply = api
            .delete(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        assert_eq!(
            reply,
            json!({"data": {"deleted": true, "id": id}, "metadata": free}),
            "{word}"
        );
        let reply = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{word}s/upsert/batch"),
                json!({"inputs": [body]}),
            )
            .await
            .ok();
        assert_eq!(reply["metadata"]["credits"], 0, "{word}");
        let reply = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{word}s/delete/batch"),
                json!({"ids": [id]}),
            )
            .await
            .ok();
        assert_eq!(reply["metadata"]["credits"], 0, "{word}");
    }
    assert_eq!(api.credits_used(0).await, before);
}

#[tokio::test]
async fn a_delete_removes_the_record_and_its_annotations_from_the_book_only() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let data = api
            .get(&api.api_key(0), &format!("/data/{word}s/{id}"))
            .await
            .ok();
        upsert_by_id(&api, word, &id, json!({"notes": "gone", "tags": ["gone"]})).await;
        api.delete(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
        let found = api
            .post(
                &api.api_key(0),
                &format!("/workspace/{word}s/search"),
                json!({"filters": {"tags": {"value": "gone"}}}),
            )
            .await
            .ok();
        assert_eq!(found["data"], json!([]), "{word}");
        assert_eq!(
            api.get(&api.api_key(0), &format!("/data/{word}s/{id}"))
                .await
                .ok(),
            data,
            "{word}"
        );
        let again = upsert_by_id(&api, word, &id, json!({})).await;
        assert_eq!(
            (&again["notes"], &again["tags"]),
            (&Value::Null, &json!([])),
            "{word}: saved again without the old annotations"
        );
    }
}

#[tokio::test]
async fn deleting_a_record_that_is_not_in_the_book_is_404() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        for id in [
            api.unsaved_ids(word, 1).remove(0).as_str(),
            UNKNOWN_ID,
            "nonsense",
        ] {
            api.delete(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
                .await
                .expect_error(404, "not_found");
        }
    }
}

#[tokio::test]
async fn every_member_can_write_the_book_but_a_read_only_key_cannot() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let body = json!({format!("{word}_id"): id});
        let path = format!("/workspace/{word}s/upsert");
        api.post(&api.read_only_key(0), &path, body.clone())
            .await
            .expect_error(403, "forbidden");
        api.post(&api.member_caller(0, 2), &path, body).await.ok();
        api.delete(&api.read_only_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(403, "forbidden");
        api.get(&api.read_only_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        api.delete(
            &api.member_caller(0, 2),
            &format!("/workspace/{word}s/{id}"),
        )
        .await
        .ok();
    }
}

#[tokio::test]
async fn the_last_write_wins_for_any_writer() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        let body = |notes: &str| json!({format!("{word}_id"): id, "notes": notes});
        for (caller, notes) in [
            (api.member_caller(0, 2), "first"),
            (api.api_key(0), "second"),
            (api.member_caller(0, 3), "third"),
        ] {
            api.post(&caller, &format!("/workspace/{word}s/upsert"), body(notes))
                .await
                .ok();
        }
        assert_eq!(
            get_record(&api, word, &id).await["notes"],
            "third",
            "{word}"
        );
    }
}
