//! Records of the index by id (interface: Data API), and what reads cost (Limits).

use crate::shelf::Shelf;
use crate::support::{Caller, Desk};
use serde_json::json;

async fn project(desk: &Desk) -> String {
    let page = desk.get(&desk.key(0).naming(desk.id(0)), "/signals?limit=1").await.ok();
    page["signals"][0]["project_id"].as_str().unwrap().to_owned()
}

async fn used(desk: &Desk) -> i64 {
    desk.get(&desk.key(0), "/workspace/credits").await.ok()["data"]["used"].as_i64().unwrap()
}

#[tokio::test]
async fn a_get_costs_1_credit_whatever_is_included_and_a_refusal_none() {
    let desk = Desk::new().await;
    let id = project(&desk).await;
    let before = used(&desk).await;
    let path = format!("/data/projects/{id}?include=accounts&include=contacts&include=signals");
    assert_eq!(desk.get(&desk.key(0), &path).await.ok()["metadata"], json!({"credits": 1}));
    desk.get(&desk.key(0), "/data/projects/00000000-0000-4000-8000-000000000000").await.refused(404, "not_found");
    desk.get(&desk.key(0), "/data/projects/nonsense").await.refused(404, "not_found");
    desk.get(&desk.key(0), "/data/ships/nonsense").await.refused(404, "not_found");
    desk.get(&desk.key(0), &format!("/data/projects/{id}?include=ships")).await.refused(400, "bad_request");
    assert_eq!(used(&desk).await, before + 1);
}

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const DATASETS: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

#[tokio::test]
async fn the_data_api_serves_accounts_contacts_projects_and_signals_and_nothing_else() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0);
    for dataset in DATASETS {
        shelf.post(&key, &format!("/data/{dataset}/search"), json!({"limit": 1})).await.ok();
    }
    for dataset in ["account", "Accounts", "skills", "views", "members", "sources", "sqlite_master", "book", "%00", ""] {
        shelf.get(&key, &format!("/data/{dataset}/{NOBODY}")).await.refused(404, "not_found");
        shelf.post(&key, &format!("/data/{dataset}/search"), json!({})).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn each_record_is_fetched_by_its_uuid() {
    let shelf = Shelf::new().await;
    for dataset in DATASETS {
        for id in shelf.ids(&format!("SELECT id FROM {dataset} ORDER BY rowid % 11, rowid LIMIT 5")) {
            let said = shelf.get(&shelf.key(0), &format!("/data/{dataset}/{id}")).await.ok();
            assert_eq!(said["data"]["id"], id, "{dataset}");
            let loud = shelf.get(&shelf.key(0), &format!("/data/{dataset}/{}", id.to_uppercase())).await.ok();
            assert_eq!(loud, said, "{dataset}: a UUID in capitals is the same UUID");
        }
    }
}

#[tokio::test]
async fn a_get_returns_data_and_the_metadata_credits_1() {
    let shelf = Shelf::new().await;
    for dataset in DATASETS {
        let id = shelf.ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        let said = shelf.get(&shelf.key(0), &format!("/data/{dataset}/{id}")).await.ok();
        let mut keys: Vec<&str> = said.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!((keys, &said["metadata"]), (vec!["data", "metadata"], &json!({"credits": 1})), "{dataset}");
    }
}

#[tokio::test]
async fn the_data_api_is_read_only() {
    let shelf = Shelf::new().await;
    let admin = shelf.user(0, 0);
    for dataset in DATASETS {
        let id = shelf.ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        let before = shelf.get(&admin, &format!("/data/{dataset}/{id}")).await.ok();
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let said =
                shelf.ask(&admin, method, &format!("/data/{dataset}/{id}"), Some(json!({"name": "Ours"}).to_string())).await;
            said.refused(405, "method_not_allowed");
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
    let shelf = Shelf::new().await;
    for dataset in DATASETS {
        for id in [NOBODY, "ffffffff-ffff-ffff-ffff-ffffffffffff", "nonsense", "7", "%27%20OR%201=1"] {
            let said = shelf.get(&shelf.key(0), &format!("/data/{dataset}/{id}")).await;
            let keys: Vec<&String> = said.body.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["error"], "{dataset} {id}");
            said.refused(404, "not_found");
        }
        let other = shelf
            .ids(&format!("SELECT id FROM {} LIMIT 1", if dataset == "accounts" { "projects" } else { "accounts" }))
            .remove(0);
        shelf.get(&shelf.key(0), &format!("/data/{dataset}/{other}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn the_404_is_global_and_never_workspace_scoped() {
    let shelf = Shelf::new().await;
    for word in ["account", "contact", "project"] {
        let id = shelf.unsaved(word, 1).remove(0);
        let path = format!("/data/{word}s/{id}");
        let nobodys = shelf.get(&shelf.key(0), &path).await.ok();
        let body = json!({format!("{word}_id"): id, "notes": "theirs", "tags": ["theirs"]});
        shelf.post(&shelf.key(1), &format!("/workspace/{word}s/upsert"), body).await.ok();
        for workspace in [0, 1] {
            assert_eq!(
                shelf.get(&shelf.key(workspace), &path).await.ok(),
                nobodys,
                "{word}: the same for everybody, in a book or not"
            );
            shelf.get(&shelf.key(workspace), &format!("/data/{word}s/{NOBODY}")).await.refused(404, "not_found");
        }
    }
}

#[tokio::test]
async fn a_data_search_is_the_same_for_every_workspace() {
    let shelf = Shelf::new().await;
    for dataset in DATASETS {
        let rows = async |workspace| {
            let said = shelf.post(&shelf.key(workspace), &format!("/data/{dataset}/search"), json!({"limit": 100})).await.ok();
            (said["data"].clone(), said["metadata"]["total"].clone())
        };
        assert_eq!(rows(0).await, rows(1).await, "{dataset}");
    }
}

#[tokio::test]
async fn a_data_search_returns_data_as_an_array_of_the_gets_records() {
    let shelf = Shelf::new().await;
    for dataset in DATASETS {
        let said = shelf.post(&shelf.key(0), &format!("/data/{dataset}/search"), json!({"limit": 4})).await.ok();
        for row in said["data"].as_array().unwrap() {
            let shown = shelf.get(&shelf.key(0), &format!("/data/{dataset}/{}", row["id"].as_str().unwrap())).await.ok();
            assert_eq!(&shown["data"], row, "{dataset}");
        }
    }
}

#[tokio::test]
async fn the_data_api_names_its_workspace_in_the_query() {
    let shelf = Shelf::new().await;
    let (named, silent) = (shelf.user(0, 2), Caller { workspace: None, ..shelf.user(0, 2) });
    for dataset in DATASETS {
        let id = shelf.ids(&format!("SELECT id FROM {dataset} LIMIT 1")).remove(0);
        shelf.get(&shelf.key(0), &format!("/data/{dataset}/{id}")).await.ok();
        shelf.get(&named, &format!("/data/{dataset}/{id}")).await.ok();
        shelf.get(&silent, &format!("/data/{dataset}/{id}")).await.refused(400, "bad_request");
        shelf.post(&named, &format!("/data/{dataset}/search"), json!({"limit": 1})).await.ok();
        let body = json!({"limit": 1, "workspace_id": shelf.id(0)});
        shelf.post(&silent, &format!("/data/{dataset}/search"), body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn the_data_api_of_a_free_or_starter_workspace_is_forbidden() {
    let shelf = Shelf::new().await;
    let id = shelf.ids("SELECT id FROM accounts LIMIT 1").remove(0);
    for workspace in [2, 3] {
        for caller in [shelf.key(workspace), shelf.user(workspace, 0)] {
            shelf.get(&caller, &format!("/data/accounts/{id}")).await.refused(403, "forbidden");
            shelf.post(&caller, "/data/accounts/search", json!({})).await.refused(403, "forbidden");
            shelf.post(&caller, "/data/fields/search", json!({"dataset": "accounts"})).await.refused(403, "forbidden");
            shelf.get(&caller, "/data/fields/accounts/name").await.refused(403, "forbidden");
        }
    }
}

#[tokio::test]
async fn raw_data_is_only_on_the_single_signal_get() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0).naming(shelf.id(0));
    let id = shelf.ids("SELECT id FROM signals LIMIT 1").remove(0);
    assert!(shelf.get(&key, &format!("/signals/{id}")).await.ok()["signal"]["raw_data"].is_object());
    assert!(shelf.get(&key, &format!("/data/signals/{id}")).await.ok()["data"].get("raw_data").is_none());
    let rows = shelf.post(&key, "/data/signals/search", json!({"limit": 3})).await.ok();
    assert!(rows["data"].as_array().unwrap().iter().all(|row| row.get("raw_data").is_none()));
}

#[tokio::test]
async fn a_head_is_no_method_of_the_interface_and_costs_nothing() {
    let shelf = Shelf::new().await;
    let id = shelf.ids("SELECT id FROM accounts LIMIT 1").remove(0);
    let before = shelf.used(0).await;
    assert_eq!(shelf.ask(&shelf.key(0), "HEAD", &format!("/data/accounts/{id}"), None).await.status, 405);
    assert_eq!(shelf.used(0).await, before);
}
