//! Records of the index by id (interface: Data API), and the cost of reads (Limits).

use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestService};
use serde_json::json;

async fn any_project_id(desk: &TestService) -> String {
    let page = desk.get(&desk.api_key(0).with_workspace(desk.workspace_id(0)), "/signals?limit=1").await.ok();
    page["signals"][0]["project_id"].as_str().unwrap().to_owned()
}

async fn credits_used(desk: &TestService) -> i64 {
    desk.get(&desk.api_key(0), "/workspace/credits").await.ok()["data"]["used"].as_i64().unwrap()
}

#[tokio::test]
async fn a_get_costs_1_credit_with_any_includes_and_an_error_costs_none() {
    let desk = TestService::new().await;
    let id = any_project_id(&desk).await;
    let before = credits_used(&desk).await;
    let path = format!("/data/projects/{id}?include=accounts&include=contacts&include=signals");
    assert_eq!(desk.get(&desk.api_key(0), &path).await.ok()["metadata"], json!({"credits": 1}));
    desk.get(&desk.api_key(0), "/data/projects/00000000-0000-4000-8000-000000000000").await.expect_error(404, "not_found");
    desk.get(&desk.api_key(0), "/data/projects/nonsense").await.expect_error(404, "not_found");
    desk.get(&desk.api_key(0), "/data/ships/nonsense").await.expect_error(404, "not_found");
    desk.get(&desk.api_key(0), &format!("/data/projects/{id}?include=ships")).await.expect_error(400, "bad_request");
    assert_eq!(credits_used(&desk).await, before + 1);
}

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";
const DATASETS: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

#[tokio::test]
async fn the_data_api_serves_accounts_contacts_projects_and_signals_and_nothing_else() {
    let shelf = ServiceWithFile::new().await;
    let key = shelf.api_key(0);
    for dataset in DATASETS {
        shelf.post(&key, &format!("/data/{dataset}/search"), json!({"limit": 1})).await.ok();
    }
    for dataset in ["account", "Accounts", "skills", "views", "members", "sources", "sqlite_master", "book", "%00", ""] {
        shelf.get(&key, &format!("/data/{dataset}/{UNKNOWN_ID}")).await.expect_error(404, "not_found");
        shelf.post(&key, &format!("/data/{dataset}/search"), json!({})).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn each_record_is_fetched_by_its_uuid() {
    let shelf = ServiceWithFile::new().await;
    for dataset in DATASETS {
        for id in shelf.query_ids(&format!("SELECT id FROM {dataset} ORDER BY rowid % 11, rowid LIMIT 5")) {
            let said = shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{id}")).await.ok();
            assert_eq!(said["data"]["id"], id, "{dataset}");
            let loud = shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{}", id.to_uppercase())).await.ok();
            assert_eq!(loud, said, "{dataset}: UUIDs are case-insensitive");
        }
    }
}

#[tokio::test]
async fn a_get_returns_data_and_the_metadata_credits_1() {
    let shelf = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let id = shelf.query_ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        let said = shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{id}")).await.ok();
        let mut keys: Vec<&str> = said.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!((keys, &said["metadata"]), (vec!["data", "metadata"], &json!({"credits": 1})), "{dataset}");
    }
}

#[tokio::test]
async fn the_data_api_is_read_only() {
    let shelf = ServiceWithFile::new().await;
    let admin = shelf.member_caller(0, 0);
    for dataset in DATASETS {
        let id = shelf.query_ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        let before = shelf.get(&admin, &format!("/data/{dataset}/{id}")).await.ok();
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let said =
                shelf.send(&admin, method, &format!("/data/{dataset}/{id}"), Some(json!({"name": "Ours"}).to_string())).await;
            said.expect_error(405, "method_not_allowed");
        }
        for path in ["upsert", "upsert/batch", "delete/batch"] {
            let said = shelf.post(&admin, &format!("/data/{dataset}/{path}"), json!({"id": id, "name": "Ours"})).await;
            assert!(matches!(said.status, 404 | 405), "{dataset}/{path} {}", said.text);
        }
        assert_eq!(shelf.get(&admin, &format!("/data/{dataset}/{id}")).await.ok(), before);
    }
}

#[tokio::test]
async fn an_unknown_uuid_gives_404_not_found_with_an_error_envelope() {
    let shelf = ServiceWithFile::new().await;
    for dataset in DATASETS {
        for id in [UNKNOWN_ID, "ffffffff-ffff-ffff-ffff-ffffffffffff", "nonsense", "7", "%27%20OR%201=1"] {
            let said = shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{id}")).await;
            let keys: Vec<&String> = said.body.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["error"], "{dataset} {id}");
            said.expect_error(404, "not_found");
        }
        let other = shelf
            .query_ids(&format!("SELECT id FROM {} LIMIT 1", if dataset == "accounts" { "projects" } else { "accounts" }))
            .remove(0);
        shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{other}")).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn the_404_is_global_and_never_workspace_scoped() {
    let shelf = ServiceWithFile::new().await;
    for word in ["account", "contact", "project"] {
        let id = shelf.unsaved_ids(word, 1).remove(0);
        let path = format!("/data/{word}s/{id}");
        let nobodys = shelf.get(&shelf.api_key(0), &path).await.ok();
        let body = json!({format!("{word}_id"): id, "notes": "theirs", "tags": ["theirs"]});
        shelf.post(&shelf.api_key(1), &format!("/workspace/{word}s/upsert"), body).await.ok();
        for workspace in [0, 1] {
            assert_eq!(
                shelf.get(&shelf.api_key(workspace), &path).await.ok(),
                nobodys,
                "{word}: the same for everyone, in a book or not"
            );
            shelf.get(&shelf.api_key(workspace), &format!("/data/{word}s/{UNKNOWN_ID}")).await.expect_error(404, "not_found");
        }
    }
}

#[tokio::test]
async fn a_data_search_is_the_same_for_every_workspace() {
    let shelf = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let rows = async |workspace| {
            let said =
                shelf.post(&shelf.api_key(workspace), &format!("/data/{dataset}/search"), json!({"limit": 100})).await.ok();
            (said["data"].clone(), said["metadata"]["total"].clone())
        };
        assert_eq!(rows(0).await, rows(1).await, "{dataset}");
    }
}

#[tokio::test]
async fn a_data_search_returns_data_as_an_array_of_the_gets_records() {
    let shelf = ServiceWithFile::new().await;
    for dataset in DATASETS {
        let said = shelf.post(&shelf.api_key(0), &format!("/data/{dataset}/search"), json!({"limit": 4})).await.ok();
        for row in said["data"].as_array().unwrap() {
            let shown = shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{}", row["id"].as_str().unwrap())).await.ok();
            assert_eq!(&shown["data"], row, "{dataset}");
        }
    }
}

#[tokio::test]
async fn the_data_api_names_its_workspace_in_the_query() {
    let shelf = ServiceWithFile::new().await;
    let (named, silent) = (shelf.member_caller(0, 2), TestCaller { workspace: None, ..shelf.member_caller(0, 2) });
    for dataset in DATASETS {
        let id = shelf.query_ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        shelf.get(&shelf.api_key(0), &format!("/data/{dataset}/{id}")).await.ok();
        shelf.get(&named, &format!("/data/{dataset}/{id}")).await.ok();
        shelf.get(&silent, &format!("/data/{dataset}/{id}")).await.expect_error(400, "bad_request");
        shelf.post(&named, &format!("/data/{dataset}/search"), json!({"limit": 1})).await.ok();
        let body = json!({"limit": 1, "workspace_id": shelf.workspace_id(0)});
        shelf.post(&silent, &format!("/data/{dataset}/search"), body).await.expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn the_data_api_of_a_free_or_starter_workspace_is_forbidden() {
    let shelf = ServiceWithFile::new().await;
    let id = shelf.query_ids("SELECT id FROM accounts LIMIT 1").remove(0);
    for workspace in [2, 3] {
        for caller in [shelf.api_key(workspace), shelf.member_caller(workspace, 0)] {
            shelf.get(&caller, &format!("/data/accounts/{id}")).await.expect_error(403, "forbidden");
            shelf.post(&caller, "/data/accounts/search", json!({})).await.expect_error(403, "forbidden");
            shelf.post(&caller, "/data/fields/search", json!({"dataset": "accounts"})).await.expect_error(403, "forbidden");
            shelf.get(&caller, "/data/fields/accounts/name").await.expect_error(403, "forbidden");
        }
    }
}

#[tokio::test]
async fn raw_data_is_only_on_the_single_signal_get() {
    let shelf = ServiceWithFile::new().await;
    let key = shelf.api_key(0).with_workspace(shelf.workspace_id(0));
    let id = shelf.query_ids("SELECT id FROM signals LIMIT 1").remove(0);
    assert!(shelf.get(&key, &format!("/signals/{id}")).await.ok()["signal"]["raw_data"].is_object());
    assert!(shelf.get(&key, &format!("/data/signals/{id}")).await.ok()["data"].get("raw_data").is_none());
    let rows = shelf.post(&key, "/data/signals/search", json!({"limit": 3})).await.ok();
    assert!(rows["data"].as_array().unwrap().iter().all(|row| row.get("raw_data").is_none()));
}

#[tokio::test]
async fn head_is_not_supported_and_costs_nothing() {
    let shelf = ServiceWithFile::new().await;
    let id = shelf.query_ids("SELECT id FROM accounts LIMIT 1").remove(0);
    let before = shelf.credits_used(0).await;
    assert_eq!(shelf.send(&shelf.api_key(0), "HEAD", &format!("/data/accounts/{id}"), None).await.status, 405);
    assert_eq!(shelf.credits_used(0).await, before);
}
