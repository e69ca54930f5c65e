//! Batches of the book (interface: Workspace: batch writes): each element has its own result, the
//! envelope applies to all.

use crate::service_with_file::ServiceWithFile;
use crate::support::TestResponse;
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const RECORD_KINDS: [&str; 3] = ["account", "contact", "project"];

async fn upsert_batch(api: &ServiceWithFile, word: &str, body: Value) -> TestResponse {
    api.post(
        &api.api_key(0),
        &format!("/workspace/{word}s/upsert/batch"),
        body,
    )
    .await
}

async fn delete_batch(api: &ServiceWithFile, word: &str, body: Value) -> TestResponse {
    api.post(
        &api.api_key(0),
        &format!("/workspace/{word}s/delete/batch"),
        body,
    )
    .await
}

/// This many inputs for records that are in no book.
fn unsaved_inputs(api: &ServiceWithFile, word: &str, count: usize) -> Vec<Value> {
    api.unsaved_ids(word, count)
        .into_iter()
        .map(|id| json!({format!("{word}_id"): id}))
        .collect()
}

fn book_size(api: &ServiceWithFile) -> i64 {
    api.query_number("SELECT count(*) FROM book")
}

fn result_statuses(reply: &Value) -> Vec<&str> {
    reply["data"]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|item| item["status"].as_str().expect("a status"))
        .collect()
}

#[tokio::test]
async fn each_family_of_the_book_has_an_upsert_and_a_delete_batch() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let inputs = unsaved_inputs(&api, word, 2);
        let ids: Vec<&Value> = inputs
            .iter()
            .map(|input| &input[format!("{word}_id")])
            .collect();
        let reply = upsert_batch(&api, word, json!({ "inputs": inputs }))
            .await
            .ok();
        assert_eq!(result_statuses(&reply), ["ok", "ok"], "{word}");
        let reply = delete_batch(&api, word, json!({ "ids": ids })).await.ok();
        assert_eq!(result_statuses(&reply), ["ok", "ok"], "{word}");
    }
}

#[tokio::test]
async fn an_upsert_batch_takes_1_to_100_inputs() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let before = book_size(&api);
        let one = unsaved_inputs(&api, word, 1);
        for (count, code) in [(0, "too_small"), (101, "too_big")] {
            let error = upsert_batch(&api, word, json!({"inputs": vec![&one[0]; count]}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!(code), &json!(["inputs"])),
                "{word}"
            );
        }
        assert_eq!(book_size(&api), before, "{word}: nothing changed");
        assert_eq!(
            upsert_batch(&api, word, json!({ "inputs": one }))
                .await
                .ok()["metadata"]["succeeded"],
            1,
            "{word}"
        );
        assert_eq!(
            upsert_batch(&api, word, json!({"inputs": vec![&one[0]; 100]}))
                .await
                .ok()["metadata"]["succeeded"],
            100,
            "{word}"
        );
    }
}

#[tokio::test]
async fn a_delete_batch_takes_1_to_100_ids() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let in_book = api
            .query_ids(&format!(
                "SELECT record_id FROM book WHERE dataset = '{word}' LIMIT 1"
            ))
            .remove(0);
        let before = book_size(&api);
        for (count, code) in [(0, "too_small"), (101, "too_big")] {
            let error = delete_batch(&api, word, json!({"ids": vec![&in_book; count]}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!(code), &json!(["ids"])),
                "{word}"
            );
        }
        assert_eq!(book_size(&api), before, "{word}: nothing changed");
        assert_eq!(
            delete_batch(&api, word, json!({"ids": vec![&in_book; 100]}))
                .await
                .ok()["metadata"]["succeeded"],
            100,
            "{word}"
        );
    }
}

#[tokio::test]
async fn a_batch_element_has_the_body_of_the_single_route() {
    let api = ServiceWithFile::new().await;
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 1 LIMIT 1",
    );
    let email = api.query_text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 1 LIMIT 1");
    let full = json!({"workspace_status": "s", "notes": "n", "tags": ["t"]});
    for (word, mut body) in [
        (
            "account",
            json!({"match": {"domain": domain}, "icp_tier": "tier_2"}),
        ),
        ("contact", json!({"match": {"email": email}})),
        (
            "project",
            json!({"project_id": api.unsaved_ids("project", 1)[0]}),
        ),
    ] {
        body.as_object_mut()
            .unwrap()
            .extend(full.as_object().unwrap().clone());
        let mut single = api
            .post(
                &api.api_key(1),
                &format!("/workspace/{word}s/upsert"),
                body.clone(),
            )
            .await
            .ok()["data"]
            .clone();
        let reply = upsert_batch(&api, word, json!({"inputs": [body]}))
            .await
            .ok();
        let mut record = reply["data"]["results"][0]["record"].clone();
        for computed in [&mut single, &mut record] {
            computed
                .as_object_mut()
                .unwrap()
                .retain(|key, _| !key.starts_with("atlas_"));
        }
        assert_eq!(record, single, "{word}");
    }
}

#[tokio::test]
async fn the_response_has_results_and_counts() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let mut inputs = unsaved_inputs(&api, word, 1);
        inputs.push(json!({format!("{word}_id"): UNKNOWN_ID}));
        let reply = upsert_batch(&api, word, json!({ "inputs": inputs }))
            .await
            .ok();
        let keys = |value: &Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys.join(" ")
        };
        assert_eq!(
            (keys(&reply), keys(&reply["data"])),
            ("data metadata".to_owned(), "results".to_owned()),
            "{word}"
        );
        assert_eq!(
            reply["metadata"],
            json!({"credits": 0, "succeeded": 1, "failed": 1}),
            "{word}"
        );
        let results = reply["data"]["results"].as_array().unwrap();
        assert_eq!(
            (keys(&results[0]), keys(&results[1])),
            (
                "index record status".to_owned(),
                "error index status".to_owned()
            ),
            "{word}"
        );
        assert_eq!(keys(&results[1]["error"]), "code message", "{word}");
        assert_eq!(
            (&results[0]["index"], &results[0]["status"]),
            (&json!(0), &json!("ok")),
            "{word}"
        );
        assert_eq!(
            (&results[1]["index"], &results[1]["status"]),
            (&json!(1), &json!("error")),
            "{word}"
        );
    }
}

#[tokio::test]
async fn results_are_in_input_order() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let key = format!("{word}_id");
        let mut inputs = unsaved_inputs(&api, word, 12);
        inputs.reverse();
        let reply = upsert_batch(&api, word, json!({"inputs": inputs}))
            .await
            .ok();
        for (index, (input, item)) in inputs
            .iter()
            .zip(reply["data"]["results"].as_array().unwrap())
            .enumerate()
        {
            assert_eq!(
                (&item["index"], &item["record"]["id"]),
                (&json!(index), &input[&key]),
                "{word}"
            );
        }
    }
}

#[tokio::test]
async fn valid_items_apply_and_one_failure_never_aborts_the_rest() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let good = unsaved_inputs(&api, word, 2);
        let before = book_size(&api);
        let bad = [
            json!({format!("{word}_id"): UNKNOWN_ID}),
            json!({}),
            json!([]),
            json!({format!("{word}_id"): "x"}),
            Value::Null,
        ];
        for bad in bad {
            let reply = upsert_batch(
                &api,
                word,
                json!({"inputs": [bad, good[0], bad, good[1], bad]}),
            )
            .await
            .ok();
            assert_eq!(
                result_statuses(&reply),
                ["error", "ok", "error", "ok", "error"],
                "{word} {bad}"
            );
            assert_eq!(
                reply["metadata"],
                json!({"credits": 0, "succeeded": 2, "failed": 3}),
                "{word} {bad}"
            );
        }
        assert_eq!(book_size(&api), before + 2, "{word}");
    }
}

#[tokio::test]
async fn a_batch_in_which_every_item_fails_is_still_a_200() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let reply = upsert_batch(&api, word, json!({"inputs": [{}, {}]}))
            .await
            .ok();
        assert_eq!(
            reply["metadata"],
            json!({"credits": 0, "succeeded": 0, "failed": 2}),
            "{word}"
        );
    }
}

#[tokio::test]
async fn an_item_that_is_malformed_or_lacks_an_identifier_is_bad_request() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let key = format!("{word}_id");
        let id = api.unsaved_ids(word, 1).remove(0);
        for item in [
            json!({}),
            json!("text"),
            json!(7),
            Value::Null,
            json!([]),
            json!({"notes": "no id"}),
            json!({key.as_str(): "nonsense"}),
            json!({key.as_str(): id, "notes": 7}),
            json!({key.as_str(): id, "tags": null}),
            json!({key.as_str(): id, "colour": "red"}),
            json!({key.as_str(): id, "match": {"domain": "a.example"}}),
        ] {
            let reply = upsert_batch(&api, word, json!({"inputs": [item]}))
                .await
                .ok();
            let error = &reply["data"]["results"][0]["error"];
            assert_eq!(error["code"], "bad_request", "{word} {item}");
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|message| !message.is_empty()),
                "{word} {item}"
            );
        }
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn an_item_for_an_unknown_record_is_not_found() {
    let api = ServiceWithFile::new().await;
    for (word, natural) in [
        ("account", json!({"domain": "nobody.example"})),
        ("contact", json!({"email": "nobody@nobody.example"})),
    ] {
        let reply = upsert_batch(
            &api,
            word,
            json!({"inputs": [{format!("{word}_id"): UNKNOWN_ID}, {"match": natural}]}),
        )
        .await
        .ok();
        for item in reply["data"]["results"].as_array().unwrap() {
            assert_eq!(item["error"]["code"], "not_found", "{word} {item}");
        }
    }
    let reply = upsert_batch(
        &api,
        "project",
        json!({"inputs": [{"project_id": UNKNOWN_ID}]}),
    )
    .await
    .ok();
    assert_eq!(reply["data"]["results"][0]["error"]["code"], "not_found");
}

#[tokio::test]
async fn an_item_whose_natural_key_matches_several_records_is_ambiguous() {
    let api = ServiceWithFile::new().await;
    let domain = api.query_text(
        "SELECT domain FROM account_domains GROUP BY domain HAVING count(*) = 2 LIMIT 1",
    );
    let email = api.query_text("SELECT email FROM contacts WHERE email IS NOT NULL GROUP BY email HAVING count(*) = 2 LIMIT 1");
    for (word, natural) in [
        ("account", json!({"domain": domain})),
        ("contact", json!({"email": email})),
    ] {
        let reply = upsert_batch(&api, word, json!({"inputs": [{"match": natural}]}))
            .await
            .ok();
        assert_eq!(
            reply["data"]["results"][0]["error"]["code"], "ambiguous_match",
            "{word}"
        );
    }
}

#[tokio::test]
async fn an_envelope_problem_is_a_400_validation_error_and_applies_nothing() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let one = unsaved_inputs(&api, word, 1).remove(0);
        let before = book_size(&api);
        for body in [
            json!({}),
            json!([one]),
            json!({"inputs": []}),
            json!({"inputs": one}),
            json!({"inputs": null}),
            json!({"inputs": "all"}),
            json!({"inputs": vec![&one; 101]}),
            json!({"inputs": [one], "atomic": true}),
            json!({"ids": [one]}),
        ] {
            let error = upsert_batch(&api, word, body.clone())
                .await
                .expect_error(400, "bad_request");
            let issue = &error["issues"][0];
            assert!(
                issue["code"].is_string()
                    && issue["path"].is_array()
                    && issue["message"].is_string(),
                "{word} {body}: {error}"
            );
        }
        for text in ["{", "", "nonsense", "{\"inputs\": [}"] {
            let path = format!("/workspace/{word}s/upsert/batch");
            api.send(&api.api_key(0), "POST", &path, Some(text.to_owned()))
                .await
                .expect_error(400, "bad_request");
        }
        let id = api
            .query_ids(&format!(
                "SELECT record_id FROM book WHERE dataset = '{word}' LIMIT 1"
            ))
            .remove(0);
        for body in [
            json!({}),
            json!([id]),
            json!({"ids": []}),
            json!({"ids": id}),
            json!({"inputs": [id]}),
            json!({"ids": vec![&id; 101]}),
        ] {
            let error = delete_batch(&api, word, body.clone())
                .await
                .expect_error(400, "bad_request");
            assert!(
                error["issues"][0]["path"].is_array(),
                "{word} {body}: {error}"
            );
        }
        assert_eq!(book_size(&api), before, "{word}: nothing changed");
    }
}

#[tokio::test]
async fn items_apply_in_order_and_the_later_of_two_elements_wins() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let key = format!("{word}_id");
        let id = api.unsaved_ids(word, 1).remove(0);
        let inputs = json!([
            {key.as_str(): id, "notes": "first", "workspace_status": "kept", "tags": ["one"]},
            {key.as_str(): id, "notes": "second"},
            {key.as_str(): id, "tags": ["two"]},
        ]);
        let reply = upsert_batch(&api, word, json!({ "inputs": inputs }))
            .await
            .ok();
        let records = reply["data"]["results"].as_array().unwrap();
        let notes: Vec<&Value> = records
            .iter()
            .map(|item| &item["record"]["notes"])
            .collect();
        assert_eq!(
            notes,
            ["first", "second", "second"],
            "{word}: each element sees the ones before it"
        );
        let shown = api
            .get(&api.api_key(0), &format!("/workspace/{word}s/{id}"))
            .await
            .ok()["data"]
            .clone();
        let three = (&shown["notes"], &shown["workspace_status"], &shown["tags"]);
        assert_eq!(
            three,
            (&json!("second"), &json!("kept"), &json!(["two"])),
            "{word}"
        );
    }
}

#[tokio::test]
async fn batch_deletes_are_idempotent_and_missing_ids_report_ok() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let key = format!("{word}_id");
        let ids = api.unsaved_ids(word, 2);
        upsert_batch(&api, word, json!({"inputs": [{key.as_str(): ids[0]}]}))
            .await
            .ok();
        for _ in 0..2 {
            let reply = delete_batch(
                &api,
                word,
                json!({"ids": [ids[0], ids[0], ids[1], UNKNOWN_ID]}),
            )
            .await
            .ok();
            assert_eq!(result_statuses(&reply), ["ok"; 4], "{word}");
            assert_eq!(
                reply["metadata"],
                json!({"credits": 0, "succeeded": 4, "failed": 0}),
                "{word}"
            );
        }
        api.get(&api.api_key(0), &format!("/workspace/{word}s/{}", ids[0]))
            .await
            .expect_error(404, "not_found");
        api.get(&api.api_key(0), &format!("/data/{word}s/{}", ids[0]))
            .await
            .ok();
    }
}

#[tokio::test]
async fn an_invalid_uuid_in_a_delete_batch_fails_only_its_item() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let id = api.unsaved_ids(word, 1).remove(0);
        upsert_batch(&api, word, json!({"inputs": [{format!("{word}_id"): id}]}))
            .await
            .ok();
        let reply = delete_batch(
            &api,
            word,
            json!({"ids": ["nonsense", 7, null, {"id": id}, id]}),
        )
        .await
        .ok();
        assert_eq!(
            result_statuses(&reply),
            ["error", "error", "error", "error", "ok"],
            "{word}"
        );
        for item in &reply["data"]["results"].as_array().unwrap()[..4] {
            assert_eq!(item["error"]["code"], "bad_request", "{word} {item}");
        }
    }
}

#[tokio::test]
async fn setting_tiers_in_a_batch_recomputes_the_scores_of_all_touched_accounts() {
    let api = ServiceWithFile::new().await;
    let ids = api.unsaved_ids("account", 6);
    let score = async |id: &String| {
        api.get(&api.api_key(0), &format!("/workspace/accounts/{id}"))
            .await
            .ok()["data"]["atlas_score"]
            .clone()
    };
    for (tier, least, most) in [("tier_1", 40, 100), ("disqualified", 0, 0)] {
        let inputs: Vec<Value> = ids
            .iter()
            .map(|id| json!({"account_id": id, "icp_tier": tier}))
            .collect();
        upsert_batch(&api, "account", json!({ "inputs": inputs }))
            .await
            .ok();
        for id in &ids {
            let score = score(id).await;
            assert!(
                (least..=most).contains(&score.as_i64().unwrap()),
                "{tier} {score}"
            );
        }
    }
}

#[tokio::test]
async fn a_batch_touches_the_callers_book_only() {
    let api = ServiceWithFile::new().await;
    for word in RECORD_KINDS {
        let key = format!("{word}_id");
        let id = api.unsaved_ids(word, 1).remove(0);
        let theirs = json!({"inputs": [{key.as_str(): id, "notes": "theirs"}]});
        api.post(
            &api.api_key(1),
            &format!("/workspace/{word}s/upsert/batch"),
            theirs,
        )
        .await
        .ok();
        upsert_batch(
            &api,
            word,
            json!({"inputs": [{key.as_str(): id, "notes": "ours"}]}),
        )
        .await
        .ok();
        delete_batch(&api, word, json!({"ids": [id]})).await.ok();
        let shown = api
            .get(&api.api_key(1), &format!("/workspace/{word}s/{id}"))
            .await
            .ok();
        assert_eq!(shown["data"]["notes"], "theirs", "{word}");
    }
}

#[tokio::test]
async fn a_batch_of_100_with_64_kib_notes_is_accepted() {
    let api = ServiceWithFile::new().await;
    let inputs: Vec<Value> = unsaved_inputs(&api, "account", 100)
        .into_iter()
        .map(|mut one| {
            one["notes"] = json!("n".repeat(65_536));
            one
        })
        .collect();
    assert_eq!(
        upsert_batch(&api, "account", json!({ "inputs": inputs }))
            .await
            .ok()["metadata"]["succeeded"],
        100
    );
}
