//! What can be filtered by: field discovery, filter entities and questions in plain words
//! (interface: Data API; decisions 2.16 and 2.17).

use crate::shared_service::{SEARCH_PATHS, shared_service};
use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

/// The keys of each dataset's table, in order: filter keys, range keys, relational keys.
const FILTER_KEYS: [(&str, &str); 4] = [
    (
        "accounts",
        "account_type city state name has_project without_project has_signal without_signal has_contact without_contact",
    ),
    ("contacts", "name title email account_id at_account on_project"),
    (
        "projects",
        "stage primary_use city state name gc_status stories_known stories residential_units gross_floor_area_sf
         cost_of_construction_usd last_signal_at has_account without_account has_signal without_signal has_contact without_contact",
    ),
    ("signals", "signal_type project_id filed_at discovered_at for_project for_account"),
];

async fn filter_vocabulary(dataset: &str) -> Vec<Value> {
    let reply = shared_service()
        .post(
            &shared_service().api_key(0),
            "/data/fields/search",
            json!({"dataset": dataset}),
        )
        .await
        .ok();
    assert_eq!(reply["data"]["dataset"], dataset);
    reply["data"]["fields"].as_array().expect("fields").clone()
}

fn field_keys(fields: &[Value]) -> Vec<&str> {
    fields
        .iter()
        .map(|field| field["key"].as_str().expect("a key"))
        .collect()
}

#[tokio::test]
async fn fields_search_names_a_dataset_and_returns_the_whole_filter_vocabulary() {
    for (dataset, expected) in FILTER_KEYS {
        assert_eq!(
            field_keys(&filter_vocabulary(dataset).await),
            expected.split_whitespace().collect::<Vec<_>>(),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn the_vocabulary_and_the_search_know_the_same_keys() {
    for (dataset, _) in FILTER_KEYS {
        let issues = shared_service()
            .refused_filter_issues(&format!("/data/{dataset}"), json!({"nonsense": {}}))
            .await;
        assert_eq!(
            issues[0]["allowed"],
            json!(field_keys(&filter_vocabulary(dataset).await)),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn the_vocabulary_lists_the_values_of_each_enum() {
    for (dataset, _) in FILTER_KEYS {
        for field in filter_vocabulary(dataset).await {
            assert_eq!(
                field["kind"] == "enum",
                field["values"].is_array(),
                "{dataset} {field}"
            );
            if field["kind"] == "enum" {
                let key = field["key"].as_str().unwrap();
                let issues = shared_service()
                    .refused_filter_issues(
                        &format!("/data/{dataset}"),
                        json!({key: {"value": "nonsense"}}),
                    )
                    .await;
                assert_eq!(issues[0]["allowed"], field["values"], "{dataset} {key}");
            }
        }
    }
}

#[tokio::test]
async fn enum_values_are_those_in_use() {
    for (dataset, key, column) in [
        ("accounts", "account_type", "account_types"),
        ("projects", "stage", "stage"),
        ("projects", "primary_use", "primary_use"),
        ("projects", "gc_status", "gc_status"),
        ("signals", "signal_type", "signal_type"),
    ] {
        let field = shared_service()
            .get(
                &shared_service().api_key(0),
                &format!("/data/fields/{dataset}/{key}"),
            )
            .await
            .ok()["data"]
            .clone();
        let values = field["values"].as_array().unwrap();
        for record in shared_service().records(&format!("/data/{dataset}")) {
            let theirs = record[column]
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![record[column].clone()]);
            assert!(
                theirs
                    .iter()
                    .all(|one| one.is_null() || values.contains(one)),
                "{dataset} {column} {theirs:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_vocabulary_lists_the_fields_of_each_relation() {
    for (dataset, _) in FILTER_KEYS {
        for field in filter_vocabulary(dataset).await {
            let key = field["key"].as_str().unwrap();
            let relational = ["has_", "without_", "at_", "on_", "for_"]
                .iter()
                .any(|start| key.starts_with(start));
            assert_eq!(relational, field["kind"] == "relation", "{key}");
            if relational {
                let inner = field_keys(field["fields"].as_array().unwrap());
                let issues = shared_service()
                    .refused_filter_issues(
                        &format!("/data/{dataset}"),
                        json!({key: {"nonsense": {}}}),
                    )
                    .await;
                assert_eq!(issues[0]["allowed"], json!(inner), "{dataset} {key}");
                assert_eq!(field["negated"], key.starts_with("without_"), "{key}");
                assert!(
                    FILTER_KEYS
                        .iter()
                        .any(|(dataset, _)| field["related"] == *dataset),
                    "{key}"
                );
            }
        }
    }
}

#[tokio::test]
async fn only_text_fields_offer_exact_match() {
    for (dataset, _) in FILTER_KEYS {
        for field in filter_vocabulary(dataset).await {
            assert_eq!(
                field["exact_match"],
                field["kind"] == "text",
                "{dataset} {field}"
            );
        }
    }
}

#[tokio::test]
async fn a_filter_built_from_its_descriptor_is_accepted_by_the_search() {
    for (dataset, _) in FILTER_KEYS {
        for field in filter_vocabulary(dataset).await {
            let filter = match field["kind"].as_str().unwrap() {
                "number" => json!({"min": 0, "max": 1.5}),
                "date" => json!({"min": "2026-01-01"}),
                "relation" => json!({}),
                "boolean" => json!({"value": true}),
                "uuid" => json!({"value": "00000000-0000-4000-8000-000000000000"}),
                "enum" => json!({"value": field["values"], "exclude": true}),
                "text" => json!({"value": ["x"], "exact_match": true}),
                kind => panic!("unknown kind {kind}"),
            };
            let body = json!({"filters": {field["key"].as_str().unwrap(): filter}, "limit": 1});
            shared_service()
                .search_page(&format!("/data/{dataset}"), body)
                .await
                .ok();
        }
    }
}

#[tokio::test]
async fn fields_key_returns_one_field_descriptor() {
    for (dataset, _) in FILTER_KEYS {
        for field in filter_vocabulary(dataset).await {
            let key = field["key"].as_str().unwrap();
            let reply = shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/data/fields/{dataset}/{key}"),
                )
                .await
                .ok();
            assert_eq!(reply["data"], field, "{dataset} {key}");
        }
    }
}

#[tokio::test]
async fn an_unknown_field_or_dataset_is_404() {
    let key = shared_service().api_key(0);
    for path in [
        "projects/tags",
        "projects/nonsense",
        "accounts/stage",
        "accounts/role",
        "planets/name",
        "Projects/name",
        "projects/%00",
    ] {
        shared_service()
            .get(&key, &format!("/data/fields/{path}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn fields_search_requires_one_of_the_four_datasets() {
    for (body, code) in [
        (json!({}), "required"),
        (json!({"dataset": "planets"}), "invalid_enum_value"),
        (json!({"dataset": "project"}), "invalid_enum_value"),
        (json!({"dataset": ["projects"]}), "invalid_enum_value"),
        (json!({"dataset": "projects", "limit": 1}), "unknown_key"),
    ] {
        let error = shared_service()
            .post(
                &shared_service().api_key(0),
                "/data/fields/search",
                body.clone(),
            )
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], code, "{body}");
    }
}

#[tokio::test]
async fn vocabularies_and_natural_language_queries_cost_nothing() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let free = json!({"credits": 0});
    let used = async || api.get(&key, "/workspace/credits").await.ok()["data"]["used"].clone();
    let before = used().await;
    assert_eq!(
        api.post(&key, "/data/fields/search", json!({"dataset": "accounts"}))
            .await
            .ok()["metadata"],
        free
    );
    assert_eq!(
        api.get(&key, "/data/fields/accounts/name").await.ok()["metadata"],
        free
    );
    assert_eq!(
        api.get(&key, "/filters?entity=skill").await.ok()["metadata"],
        free
    );
    let question =
        json!({"entity": "projects", "query": "hotels", "workspace_id": api.workspace_id(0)});
    assert_eq!(
        api.post(&key, "/filters/ask", question).await.ok()["metadata"],
        free
    );
    assert_eq!(used().await, before);
}

#[tokio::test]
async fn a_question_becomes_filters_and_an_order_that_the_search_accepts() {
    let api = shared_service();
    for (dataset, question, ignored) in [
        (
            "projects",
            "multifamily in Austin or Dallas over $20M without a gc, latest first",
            json!([]),
        ),
        (
            "projects",
            "issued this month, 5 to 10 stories, not owned by Hines",
            json!([]),
        ),
        (
            "projects",
            "near Austin, top 20 by cost",
            json!(["near austin", "top 20 by cost"]),
        ),
        ("accounts", "developers with the most projects", json!([])),
        (
            "signals",
            "permits issued in Texas since May, newest first",
            json!([]),
        ),
    ] {
        let ask =
            json!({"entity": dataset, "query": question, "workspace_id": api.workspace_id(0)});
        let answer = api.post(&api.api_key(0), "/filters/ask", ask).await.ok()["data"].clone();
        assert_eq!(answer["unmatched"], ignored, "{question}");
        let mut body = json!({"filters": answer["filters"], "limit": 1});
        if !answer["sort"].is_null() {
            body["sort"] = answer["sort"].clone();
        }
        api.post(&api.api_key(0), &format!("/data/{dataset}/search"), body)
            .await
            .ok();
    }
}

#[tokio::test]
async fn filters_returns_the_vocabulary_of_the_entity_skill() {
    let reply = shared_service()
        .get(&shared_service().api_key(0), "/filters?entity=skill")
        .await
        .ok();
    assert_eq!(reply["data"]["entity"], "skill");
    let fields = reply["data"]["fields"].as_array().unwrap();
    assert_eq!(
        field_keys(fields),
        [
            "q",
            "source",
            "lifecycle",
            "audience",
            "installed",
            "updated"
        ]
    );
    assert_eq!(fields[0]["max_length"], 500);
    for (nth, values, multi) in [
        (1, json!(["custom", "official"]), true),
        (2, json!(["draft", "published", "unpublished"]), true),
        (3, json!(["personal", "workspace"]), true),
        (4, json!(["installed", "not_installed"]), false),
    ] {
        assert_eq!(
            (&fields[nth]["values"], &fields[nth]["multi"]),
            (&values, &json!(multi)),
            "{}",
            fields[nth]
        );
    }
    assert_eq!(
        fields[5]["wire_keys"],
        json!(["updated_after", "updated_before"])
    );
}

#[tokio::test]
async fn filters_returns_the_vocabulary_of_the_datasets_and_of_the_book() {
    for (dataset, expected) in FILTER_KEYS {
        let reply = shared_service()
            .get(
                &shared_service().api_key(0),
                &format!("/filters?entity={dataset}"),
            )
            .await
            .ok();
        assert_eq!(
            field_keys(reply["data"]["fields"].as_array().unwrap()),
            expected.split_whitespace().collect::<Vec<_>>()
        );
    }
    for place in SEARCH_PATHS
        .iter()
        .filter(|place| place.starts_with("/workspace/"))
    {
        let entity = place
            .trim_start_matches("/workspace/")
            .trim_end_matches('s');
        let reply = shared_service()
            .get(
                &shared_service().api_key(0),
                &format!("/filters?entity={entity}"),
            )
            .await
            .ok();
        let issues = shared_service()
            .refused_filter_issues(place, json!({"nonsense": {}}))
            .await;
        assert_eq!(
            json!(field_keys(reply["data"]["fields"].as_array().unwrap())),
            issues[0]["allowed"],
            "{entity}"
        );
    }
}

#[tokio::test]
async fn filters_requires_a_known_entity() {
    let key = shared_service().api_key(0);
    assert_eq!(
        shared_service()
            .get(&key, "/filters")
            .await
            .expect_error(400, "bad_request")["issues"][0]["code"],
        "required"
    );
    for entity in ["planet", "", "Skill", "skills"] {
        shared_service()
            .get(&key, &format!("/filters?entity={entity}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn ask_translates_a_question_into_filters_the_search_accepts() {
    for (entity, query) in [
        ("projects", "permitted hotels over $1m in Texas"),
        ("accounts", "architects in California"),
        ("contacts", "on multifamily projects"),
        ("signals", "construction loans since 2026-03-01"),
    ] {
        let body = json!({"entity": entity, "query": query, "workspace_id": shared_service().workspace_id(0)});
        let reply = shared_service()
            .post(&shared_service().api_key(0), "/filters/ask", body)
            .await
            .ok()["data"]
            .clone();
        assert_eq!(reply["entity"], entity);
        assert!(
            !reply["filters"].as_object().unwrap().is_empty() && reply["explanation"].is_string(),
            "{reply}"
        );
        assert_eq!(reply["unmatched"], json!([]), "{query}");
        shared_service()
            .search_page(
                &format!("/data/{entity}"),
                json!({"filters": reply["filters"], "limit": 1}),
            )
            .await
            .ok();
    }
}

#[tokio::test]
async fn ask_reports_the_words_it_did_not_understand() {
    let body = json!({"entity": "projects", "query": "blue hotels, please", "workspace_id": shared_service().workspace_id(0)});
    let reply = shared_service()
        .post(&shared_service().api_key(0), "/filters/ask", body)
        .await
        .ok()["data"]
        .clone();
    assert_eq!(reply["filters"], json!({"primary_use": {"value": "hotel"}}));
    assert!(
        reply["unmatched"]
            .as_array()
            .unwrap()
            .contains(&json!("blue")),
        "{reply}"
    );
}

#[tokio::test]
async fn ask_about_skills_returns_the_bare_values_that_their_list_takes() {
    let body = json!({"entity": "skill", "query": "installed official skills", "workspace_id": shared_service().workspace_id(0)});
    let reply = shared_service()
        .post(&shared_service().api_key(0), "/filters/ask", body)
        .await
        .ok()["data"]
        .clone();
    assert_eq!(
        reply["filters"],
        json!({"installed": "installed", "source": ["official"]})
    );
    assert_eq!(reply["unmatched"], json!([]));
}

#[tokio::test]
async fn ask_takes_entity_query_and_workspace_id_in_its_body() {
    let (key, user) = (
        shared_service().api_key(0),
        shared_service().member_caller(0, 2),
    );
    let silent = TestCaller {
        workspace: None,
        ..user.clone()
    };
    let whole = json!({"entity": "projects", "query": "hotels", "workspace_id": shared_service().workspace_id(0)});
    shared_service()
        .post(&silent, "/filters/ask", whole.clone())
        .await
        .ok();
    let without = |gone: &str| {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(gone);
        body
    };
    for gone in ["entity", "query"] {
        let error = shared_service()
            .post(&key, "/filters/ask", without(gone))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!("required"), &json!([gone]))
        );
    }
    shared_service()
        .post(&key, "/filters/ask", without("workspace_id"))
        .await
        .ok();
    shared_service()
        .post(&user, "/filters/ask", without("workspace_id"))
        .await
        .expect_error(400, "bad_request");
    for (field, value) in [
        ("query", json!("")),
        ("query", json!("x".repeat(501))),
        ("query", json!(1)),
        ("dataset", json!("projects")),
    ] {
        let mut body = whole.clone();
        body[field] = value;
        shared_service()
            .post(&key, "/filters/ask", body)
            .await
            .expect_error(400, "bad_request");
    }
    let mut body = whole;
    body["entity"] = json!("planets");
    shared_service()
        .post(&key, "/filters/ask", body)
        .await
        .expect_error(404, "not_found");
}
