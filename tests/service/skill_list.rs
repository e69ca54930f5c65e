//! Finding and listing Skills (interface: Skill filter fields; Workspace: Skills; Limits).

use crate::skills::{create_skill, read_skill, skill_bundle, skill_names, skill_path, write_skill};
use crate::support::TestService;
use serde_json::{Value, json};

async fn list_skills(api: &TestService, body: Value) -> Vec<Value> {
    read_skill(api, &api.api_key(0), "list", body).await["skills"]
        .as_array()
        .unwrap()
        .clone()
}

async fn list_all_skills(api: &TestService) -> Vec<Value> {
    list_skills(api, json!({"limit": 100})).await
}

/// Asserts that a filter returns exactly the Skills that satisfy `holds`: some, but not all.
async fn assert_filter_leaves(
    api: &TestService,
    mut filter: Value,
    holds: impl Fn(&Value) -> bool,
) {
    let all = list_all_skills(api).await;
    let wanted: Vec<_> = all.iter().filter(|skill| holds(skill)).cloned().collect();
    assert!(
        !wanted.is_empty() && wanted.len() < all.len(),
        "{filter} does not distinguish Skills"
    );
    filter["limit"] = json!(100);
    assert_eq!(list_skills(api, filter.clone()).await, wanted, "{filter}");
}

async fn list_issue(api: &TestService, body: Value) -> Value {
    api.post(&api.api_key(0), &skill_path("list"), body)
        .await
        .expect_error(400, "bad_request")["issues"][0]
        .clone()
}

#[tokio::test]
async fn the_list_is_last_changed_first_and_25_by_default() {
    let api = TestService::new().await;
    let inputs: Vec<_> = (0..30)
        .map(|nth| {
            let mut item = skill_bundle(&format!("Note {nth}"));
            item["idempotencyKey"] = json!(nth.to_string());
            item
        })
        .collect();
    api.post(
        &api.api_key(0),
        &skill_path("create/batch"),
        json!({ "inputs": inputs }),
    )
    .await
    .ok();
    assert!(
        list_all_skills(&api)
            .await
            .is_sorted_by(|a, b| a["updated_at"].as_str() >= b["updated_at"].as_str())
    );
    let (first, none) = (
        list_skills(&api, json!({})).await,
        api.send(&api.api_key(0), "POST", &skill_path("list"), None)
            .await
            .ok(),
    );
    assert_eq!(
        (first.len(), none["data"]["skills"].as_array()),
        (25, Some(&first))
    );
}

#[tokio::test]
async fn the_list_respects_limit_and_offset() {
    let api = TestService::new().await;
    let all = list_all_skills(&api).await;
    assert_eq!(
        list_skills(&api, json!({"limit": 2, "offset": 1})).await[..],
        all[1..3]
    );
    for body in [
        json!({"limit": 0}),
        json!({"limit": 101}),
        json!({"offset": -1}),
        json!({"limit": "2"}),
    ] {
        list_issue(&api, body).await;
    }
}

#[tokio::test]
async fn q_searches_name_slug_and_description() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let mut body = skill_bundle("Alpha Xylophone");
    body["slug"] = json!("beta-ypsilon");
    body["description"] = json!("Gamma zirconium");
    write_skill(&api, &key, "create", body).await.ok();
    for (place, q) in [
        ("name", "xylophone"),
        ("slug", "ypsilon"),
        ("description", "zirconium"),
        ("words of all three", "xylophone ypsilon zirconium"),
        ("any case", "XYLOPHONE"),
        ("a slip", "xylofhone"),
    ] {
        assert_eq!(
            skill_names(&api, &key, "list", json!({ "q": q })).await,
            ["Alpha Xylophone"],
            "{place}"
        );
    }
    for q in ["%", "qqqqzzzz", "xylophone qqqqzzzz"] {
        assert!(
            skill_names(&api, &key, "list", json!({ "q": q }))
                .await
                .is_empty(),
            "{q}"
        );
    }
}

#[tokio::test]
async fn q_has_at_most_500_characters() {
    let api = TestService::new().await;
    for text in ["x", "ß"] {
        list_skills(&api, json!({"q": text.repeat(500)})).await;
        assert_eq!(
            list_issue(&api, json!({"q": text.repeat(501)})).await["code"],
            "too_big"
        );
    }
}

#[tokio::test]
async fn source_is_one_or_more_of_custom_and_official() {
    let api = TestService::new().await;
    assert_filter_leaves(&api, json!({"source": ["custom"]}), |skill| {
        skill["source"] == "custom"
    })
    .await;
    assert_filter_leaves(&api, json!({"source": ["official"]}), |skill| {
        skill["source"] == "official"
    })
    .await;
    assert_eq!(
        list_skills(
            &api,
            json!({"source": ["custom", "official"], "limit": 100})
        )
        .await,
        list_all_skills(&api).await
    );
    assert_eq!(
        list_issue(&api, json!({"source": ["own"]})).await["allowed"],
        json!(["custom", "official"])
    );
}

#[tokio::test]
async fn lifecycle_is_one_or_more_of_draft_published_and_unpublished() {
    let api = TestService::new().await;
    for word in ["draft", "published", "unpublished"] {
        assert_filter_leaves(&api, json!({"lifecycle": [word]}), |skill| {
            skill["lifecycle"] == word
        })
        .await;
    }
    assert_filter_leaves(
        &api,
        json!({"lifecycle": ["draft", "unpublished"]}),
        |skill| skill["lifecycle"] != "published",
    )
    .await;
}

#[tokio::test]
async fn deleted_is_not_a_filter_value() {
    let api = TestService::new().await;
    let issue = list_issue(&api, json!({"lifecycle": ["deleted"]})).await;
    assert_eq!(issue["code"], "invalid_enum_value");
    assert_eq!(
        issue["allowed"],
        json!(["draft", "published", "unpublished"])
    );
    let shown = api.get(&api.api_key(0), "/filters?entity=skill").await.ok();
    assert!(!shown.to_string().contains("deleted"), "{shown}");
}

#[tokio::test]
async fn a_deleted_skill_is_neither_listed_nor_found() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Zeppelin").await;
    write_skill(&api, &key, "delete", json!({"skill_id": id}))
        .await
        .ok();
    assert!(
        list_all_skills(&api)
            .await
            .iter()
            .all(|skill| skill["id"] != id)
    );
    assert!(
        skill_names(&api, &key, "find", json!({"query": "zeppelin"}))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn audience_is_one_or_more_of_personal_and_workspace() {
    let api = TestService::new().await;
    create_skill(&api, &api.api_key(0), "Mine").await;
    assert_filter_leaves(&api, json!({"audience": ["personal"]}), |skill| {
        skill["audience"] == "personal"
    })
    .await;
    assert_filter_leaves(&api, json!({"audience": ["workspace"]}), |skill| {
        skill["audience"] == "workspace"
    })
    .await;
    assert_eq!(
        list_skills(
            &api,
            json!({"audience": ["personal", "workspace"], "limit": 100})
        )
        .await,
        list_all_skills(&api).await
    );
    list_issue(&api, json!({"audience": ["world"]})).await;
}

#[tokio::test]
async fn installed_takes_installed_or_not_installed() {
    let api = TestService::new().await;
    assert_filter_leaves(&api, json!({"installed": "installed"}), |skill| {
        skill["installed"] == true
    })
    .await;
    assert_filter_leaves(&api, json!({"installed": "not_installed"}), |skill| {
        skill["installed"] == false
    })
    .await;
    for odd in [json!(true), json!(["installed"]), json!("yes"), json!(null)] {
        list_issue(&api, json!({ "installed": odd })).await;
    }
}

#[tokio::test]
async fn updated_is_an_inclusive_range_of_days() {
    let api = TestService::new().await;
    let all = list_all_skills(&api).await;
    let day = all[all.len() / 2]["updated_at"].as_str().unwrap()[..10].to_owned();
    let of = |skill: &Value| skill["updated_at"].as_str().unwrap()[..10].to_owned();
    assert_filter_leaves(&api, json!({"updated_after": day}), |skill| {
        of(skill) >= day
    })
    .await;
    assert_filter_leaves(&api, json!({"updated_before": day}), |skill| {
        of(skill) <= day
    })
    .await;
    assert_filter_leaves(
        &api,
        json!({"updated_after": day, "updated_before": day}),
        |skill| of(skill) == day,
    )
    .await;
}

#[tokio::test]
async fn days_are_written_yyyy_mm_dd() {
    let api = TestService::new().await;
    for key in ["updated_after", "updated_before"] {
        for odd in [
            json!("2026-07-01T00:00:00Z"),
            json!("1.7.2026"),
            json!("2026-7-1"),
            json!("2026-02-30"),
            json!(20_260_701),
        ] {
            assert_eq!(
                list_issue(&api, json!({ key: odd })).await["path"],
                json!([key]),
                "{odd}"
            );
        }
    }
    assert_eq!(
        list_issue(&api, json!({"updated": "2026-07-01"})).await["code"],
        "unknown_key"
    );
}

#[tokio::test]
async fn filter_fields_combine_with_and() {
    let api = TestService::new().await;
    let both = |skill: &Value| skill["source"] == "official" && skill["installed"] == true;
    assert_filter_leaves(
        &api,
        json!({"source": ["official"], "installed": "installed"}),
        both,
    )
    .await;
}

#[tokio::test]
async fn the_skill_vocabulary_matches_the_documented_filter_fields() {
    let api = TestService::new().await;
    let reply = api.get(&api.api_key(0), "/filters?entity=skill").await.ok();
    let fields = json!([
        {"key": "q", "kind": "text", "multi": false, "max_length": 500},
        {"key": "source", "kind": "enum", "multi": true, "values": ["custom", "official"]},
        {"key": "lifecycle", "kind": "enum", "multi": true, "values": ["draft", "published", "unpublished"]},
        {"key": "audience", "kind": "enum", "multi": true, "values": ["personal", "workspace"]},
        {"key": "installed", "kind": "enum", "multi": false, "values": ["installed", "not_installed"]},
        {"key": "updated", "kind": "date", "multi": false, "wire_keys": ["updated_after", "updated_before"],
            "format": "YYYY-MM-DD"},
    ]);
    assert_eq!(
        reply,
        json!({"data": {"entity": "skill", "fields": fields}, "metadata": {"credits": 0}})
    );
}

#[tokio::test]
async fn find_needs_a_query_of_1_to_500_characters() {
    let api = TestService::new().await;
    for body in [
        json!({}),
        json!({"query": ""}),
        json!({"query": "x".repeat(501)}),
        json!({"query": "x", "limit": 101}),
    ] {
        api.post(&api.api_key(0), &skill_path("find"), body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn find_ranks_name_matches_first() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let mut body = skill_bundle("Anything");
    body["description"] = json!("About the crane of the quay");
    write_skill(&api, &key, "create", body).await.ok();
    create_skill(&api, &key, "Crane lookup").await;
    assert_eq!(
        skill_names(&api, &key, "find", json!({"query": "crane"})).await,
        ["Crane lookup", "Anything"]
    );
    assert_eq!(
        skill_names(&api, &key, "find", json!({"query": "crane", "limit": 1})).await,
        ["Crane lookup"]
    );
    assert!(
        skill_names(&api, &key, "find", json!({"query": "zeppelin"}))
            .await
            .is_empty()
    );
}
