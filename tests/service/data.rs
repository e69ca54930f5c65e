//! Records of the index by id (interface: Data API), and the cost of reads (Limits).

use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestService};
use serde_json::json;

async fn any_project_id(api: &TestService) -> String {
    let page = api
        .get(
            &api.api_key(0).with_workspace(api.workspace_id(0)),
            "/signals?limit=1",
        )
        .await
        .ok();
    page["signals"][0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn credits_used(api: &TestService) -> i64 {
    api.get(&api.api_key(0), "/workspace/credits").await.ok()["data"]["used"]
        .as_i64()
        .unwrap()
}

#[tokio::test]
async fn a_get_costs_1_credit_with_any_includes_and_an_error_costs_none() {
    let api = TestService::new().await;
    let id = any_project_id(&api).await;
    let before = credits_used(&api).await;
    let path = format!("/data/projects/{id}?include=accounts&include=contacts&include=signals");
    assert_eq!(
        api.get(&api.api_key(0), &path).await.ok()["metadata"],
        json!({"credits": 1})
    );
    api.get(
        &api.api_key(0),
        "/data/projects/00000000-0000-4000-8000-000000000000",
    )
    .await
    .expect_error(404, "not_found");
    api.get(&api.api_key(0), "/data/projects/nonsense")
        .await
        .expect_error(404, "not_found");
    api.get(&api.api_key(0), "/data/ships/nonsense")
        .await
        .expect_error(404, "not_found");
    api.get(
        &api.api_key(0),
        &format!("/data/projects/{id}?include=ships"),
    )
    .await
    .expect_error(400, "bad_request");
    assert_eq!(credits_used(&api).await, before + 1);
}

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const DATASETS: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

#[tokio::test]
async fn the_data_api_serves_accounts_contacts_projects_and_signals_and_nothing_else() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0);
    for dataset in DATASETS {
        api.post(
            &key,
            &format!("/data/{dataset}/search"),
            json!({"limit": 1}),
        )
        .await
        .ok();
    }
    for dataset in [
        "account",
        "Accounts",
        "skills",
        "views",
        "members",
        "sources",
        "sqlite_master",
        "book",
        "%00",
        "",
    ] {
        api.get(&key, &format!("/data/{dataset}/{UNKNOWN_ID}"))
            .await
            .expect_error(404, "not_found");
        api.post(&key, &format!("/data/{dataset}/search"), json!({}))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn each_record_is_fetched_by_its_uuid() {
    let api = ServiceWithFile::new().await;
    for dataset in DATASETS {
        for id in api.query_ids(&format!(
            "SELECT id FROM {dataset} ORDER BY rowid % 11, rowid LIMIT 5"
        )) {
            let reply = api
                .get(&api.api_key(0), &format!("/data/{dataset}/{id}"))
                .await
                .ok();
            assert_eq!(reply["data"]["id"], id, "{dataset}");
            let loud = api
                .get(
                    &api.api_key(0),
                    &format!("/data/{dataset}/{}", id.to_uppercase()),
                )
                .await
                .ok();
            assert_eq!(loud, reply, "{dataset}: UUIDs are case-insensitive");
        }
    }
}

#[tokio::test]
async fn a_get_returns_data_and_the_metadata_credits_1() {
    let api = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let id = api
            .query_ids(&format!("SELECT id FROM {dataset} LIMIT 1"))
            .remove(0);
        let reply = api
            .get(&api.api_key(0), &format!("/data/{dataset}/{id}"))
            .await
            .ok();
        let mut keys: Vec<&str> = reply
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        assert_eq!(
            (keys, &reply["metadata"]),
            (vec!["data", "metadata"], &json!({"credits": 1})),
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn the_data_api_is_read_only() {
    let api = ServiceWithFile::new().await;
    let admin = api.member_caller(0, 0);
    for dataset in DATASETS {
        let id = api
            .query_ids(&format!("SELECT id FROM {dataset} LIMIT 1"))
            .remove(0);
        let before = api.get(&admin, &format!("/data/{dataset}/{id}")).await.ok();
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let reply = api
                .send(
                    &admin,
                    method,
                    &format!("/data/{dataset}/{id}"),
                    Some(json!({"name": "Ours"}).to_string()),
                )
                .await;
            reply.expect_error(405, "method_not_allowed");
        }
        for path in ["upsert", "upsert/batch", "delete/batch"] {
            let reply = api
                .post(
                    &admin,
                    &format!("/data/{dataset}/{path}"),
                    json!({"id": id, "name": "Ours"}),
                )
                .await;
            assert!(
                matches!(reply.status, 404 | 405),
                "{dataset}/{path} {}",
                reply.text
            );
        }
        assert_eq!(
            api.get(&admin, &format!("/data/{dataset}/{id}")).await.ok(),
            before
        );
    }
}

#[tokio::test]
async fn an_unknown_uuid_gives_404_not_found_with_an_error_envelope() {
    let api = ServiceWithFile::new().await;
    for dataset in DATASETS {
        for id in [
            UNKNOWN_ID,
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "nonsense",
            "7",
            "%27%20OR%201=1",
        ] {
            let reply = api
                .get(&api.api_key(0), &format!("/data/{dataset}/{id}"))
                .await;
            let keys: Vec<&String> = reply.body.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["error"], "{dataset} {id}");
            reply.expect_error(404, "not_found");
        }
        let other = api
            .query_ids(&format!(
                "SELECT id FROM {} LIMIT 1",
                if dataset == "accounts" {
                    "projects"
                } else {
                    "accounts"
                }
            ))
            .remove(0);
        api.get(&api.api_key(0), &format!("/data/{dataset}/{other}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn the_404_is_global_and_never_workspace_scoped() {
    let api = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let id = api.unsaved_ids(word, 1).remove(0);
        let path = format!("/data/{word}s/{id}");
        let nobodys = api.get(&api.api_key(0), &path).await.ok();
        let body = json!({format!("{word}_id"): id, "notes": "theirs", "tags": ["theirs"]});
        api.post(&api.api_key(1), &format!("/workspace/{word}s/upsert"), body)
            .await
            .ok();
        for workspace in [0, 1] {
            assert_eq!(
                api.get(&api.api_key(workspace), &path).await.ok(),
                nobodys,
                "{word}: the same for everyone, in a book or not"
            );
            api.get(
                &api.api_key(workspace),
                &format!("/data/{word}s/{UNKNOWN_ID}"),
            )
            .await
            .expect_error(404, "not_found");
        }
    }
}

#[tokio::test]
async fn a_data_search_is_the_same_for_every_workspace() {
    let api = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let rows = async |workspace| {
            let reply = api
                .post(
                    &api.api_key(workspace),
                    &format!("/data/{dataset}/search"),
                    json!({"limit": 100}),
                )
                .await
                .ok();
            (reply["data"].clone(), reply["metadata"]["total"].clone())
        };
        assert_eq!(rows(0).await, rows(1).await, "{dataset}");
    }
}

#[tokio::test]
async fn a_data_search_returns_data_as_an_array_of_the_gets_records() {
    let api = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let reply = api
            .post(
                &api.api_key(0),
                &format!("/data/{dataset}/search"),
                json!({"limit": 4}),
            )
            .await
            .ok();
        for row in reply["data"].as_array().unwrap() {
            let shown = api
                .get(
                    &api.api_key(0),
                    &format!("/data/{dataset}/{}", row["id"].as_str().unwrap()),
                )
                .await
                .ok();
            assert_eq!(&shown["data"], row, "{dataset}");
        }
    }
}

#[tokio::test]
async fn the_data_api_names_its_workspace_in_the_query() {
    let api = ServiceWithFile::new().await;
    let (named, silent) = (
        api.member_caller(0, 2),
        TestCaller {
            workspace: None,
            ..api.member_caller(0, 2)
        },
    );
    for dataset in DATASETS {
        let id = api
            .query_ids(&format!("SELECT id FROM {dataset} LIMIT 1"))
            .remove(0);
        api.get(&api.api_key(0), &format!("/data/{dataset}/{id}"))
            .await
            .ok();
        api.get(&named, &format!("/data/{dataset}/{id}")).await.ok();
        api.get(&silent, &format!("/data/{dataset}/{id}"))
            .await
            .expect_error(400, "bad_request");
        api.post(
            &named,
            &format!("/data/{dataset}/search"),
            json!({"limit": 1}),
        )
        .await
        .ok();
        let body = json!({"limit": 1, "workspace_id": api.workspace_id(0)});
        api.post(&silent, &format!("/data/{dataset}/search"), body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn the_data_api_of_a_free_or_starter_workspace_is_forbidden() {
    let api = ServiceWithFile::new().await;
    let id = api.query_ids("SELECT id FROM accounts LIMIT 1").remove(0);
    for workspace in [2, 3] {
        for caller in [api.api_key(workspace), api.member_caller(workspace, 0)] {
            api.get(&caller, &format!("/data/accounts/{id}"))
                .await
                .expect_error(403, "forbidden");
            api.post(&caller, "/data/accounts/search", json!({}))
                .await
                .expect_error(403, "forbidden");
            api.post(
                &caller,
                "/data/fields/search",
                json!({"dataset": "accounts"}),
            )
            .await
            .expect_error(403, "forbidden");
            api.get(&caller, "/data/fields/accounts/name")
                .await
                .expect_error(403, "forbidden");
        }
    }
}

#[tokio::test]
async fn raw_data_is_only_on_the_single_signal_get() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let id = api.query_ids("SELECT id FROM signals LIMIT 1").remove(0);
    assert!(api.get(&key, &format!("/signals/{id}")).await.ok()["signal"]["raw_data"].is_object());
    assert!(
        api.get(&key, &format!("/data/signals/{id}")).await.ok()["data"]
            .get("raw_data")
            .is_none()
    );
    let rows = api
        .post(&key, "/data/signals/search", json!({"limit": 3}))
        .await
        .ok();
    assert!(
        rows["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row.get("raw_data").is_none())
    );
}

#[tokio::test]
async fn head_is_not_supported_and_costs_nothing() {
    let api = ServiceWithFile::new().await;
    let id = api.query_ids("SELECT id FROM accounts LIMIT 1").remove(0);
    let before = api.credits_used(0).await;
    assert_eq!(
        api.send(
            &api.api_key(0),
            "HEAD",
            &format!("/data/accounts/{id}"),
            None
        )
        .await
        .status,
        405
    );
    assert_eq!(api.credits_used(0).await, before);
}
