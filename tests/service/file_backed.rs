//! A service with a file: what survives a restart (commandline: The local service).

use std::path::Path;

use crate::support::TestService;
use gantry::service::{ServiceOptions, Storage};
use serde_json::{Value, json};

fn file_options(path: &Path) -> ServiceOptions {
    ServiceOptions {
        data: Storage::File(path.to_owned()),
        projects: 60,
        ..ServiceOptions::default()
    }
}

async fn new_count(api: &TestService) -> Value {
    api.get(
        &api.api_key(0).with_workspace(api.workspace_id(0)),
        "/signals/queue/stats",
    )
    .await
    .ok()["new_count"]
        .clone()
}

#[tokio::test]
async fn an_existing_database_is_kept_and_tokens_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let first = TestService::with_options(file_options(&path)).await;
    let (old, workspace) = (first.api_key(0), first.workspace_id(0));
    let rows = first
        .get(&old.with_workspace(&workspace), "/signals/queue?limit=3")
        .await
        .ok();
    let ids: Vec<_> = rows["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].clone())
        .collect();
    let body = json!({"workspace_id": workspace, "signal_ids": ids, "status": "done"});
    first.post(&old, "/signals/triage", body).await.ok();
    let count = new_count(&first).await;
    first.service.stop().await;

    let again = TestService::with_options(ServiceOptions {
        seed: 9,
        projects: 10,
        ..file_options(&path)
    })
    .await;
    assert_eq!(
        (again.workspace_id(0), new_count(&again).await),
        (workspace, count)
    );
    assert_ne!(
        again.api_key(0).secret,
        old.secret,
        "secrets are only shown once"
    );
    again.get(&old, "/workspace").await.ok();
    again.service.stop().await;
}

#[tokio::test]
async fn a_request_that_does_not_end_in_time_is_aborted_and_the_file_is_closed_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let options = ServiceOptions {
        drain_timeout: std::time::Duration::from_millis(20),
        ..file_options(&path)
    };
    let api = TestService::with_options(options).await;
    let address = api
        .service
        .base_url()
        .trim_start_matches("http://")
        .trim_end_matches("/api/v1")
        .to_owned();
    let mut slow = tokio::net::TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /api/v1/data/projects/search HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Length: 9\r\n\r\n",
        api.api_key(0).secret.unwrap()
    );
    tokio::io::AsyncWriteExt::write_all(&mut slow, head.as_bytes())
        .await
        .unwrap();
    api.get(&api.api_key(0), "/workspace").await.ok();
    assert!(path.with_extension("db-wal").exists());
    api.service.stop().await;
    assert!(
        !path.with_extension("db-wal").exists(),
        "the last connection to close removes the log"
    );
}

#[tokio::test]
async fn the_database_is_private_and_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let api = TestService::with_options(file_options(&path)).await;
    let secrets: Vec<String> = api
        .ready()
        .workspaces
        .iter()
        .flat_map(|workspace| {
            let keys = workspace.api_keys.iter().map(|key| key.key.clone());
            keys.chain(
                workspace
                    .members
                    .iter()
                    .map(|member| member.access_token.clone()),
            )
            .collect::<Vec<_>>()
        })
        .collect();
    assert!(secrets.len() > 10);
    api.service.stop().await;
    let bytes = std::fs::read(&path).unwrap();
    for secret in &secrets {
        assert!(
            !bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes())
        );
    }
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions())
            & 0o777,
        0o600
    );
}

#[tokio::test]
async fn as_of_shows_the_queue_of_any_day() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.db");
    let at = |text: &str| Some(text.parse().unwrap());
    let made = TestService::with_options(ServiceOptions {
        as_of: at("2018-06-01T12:00:00Z"),
        ..file_options(&path)
    })
    .await;
    let count = new_count(&made).await;
    made.service.stop().await;

    let earlier = TestService::with_options(ServiceOptions {
        as_of: at("2018-05-01T12:00:00Z"),
        ..file_options(&path)
    })
    .await;
    let key = earlier.api_key(0).with_workspace(earlier.workspace_id(0));
    for path in ["/signals/queue?limit=200", "/signals?limit=200"] {
        let page = earlier.get(&key, path).await.ok();
        let rows = page["signals"].as_array().unwrap();
        assert!(
            !rows.is_empty()
                && rows
                    .iter()
                    .all(|row| row["discovered_at"].as_str().unwrap() <= "2018-05-01T12:10"),
            "{path}"
        );
    }
    earlier.service.stop().await;

    let later = TestService::with_options(ServiceOptions {
        as_of: at("2018-10-01T12:00:00Z"),
        ..file_options(&path)
    })
    .await;
    assert_eq!(new_count(&later).await, 0, "the history window has passed");
    later.service.stop().await;
    let again = TestService::with_options(ServiceOptions {
        as_of: at("2018-06-01T12:00:00Z"),
        ..file_options(&path)
    })
    .await;
    assert_eq!(new_count(&again).await, count);
    again.service.stop().await;
}

#[tokio::test]
async fn the_ready_file_is_complete_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ready.json");
    let api = TestService::with_options(ServiceOptions {
        projects: 20,
        ready_file: Some(path.clone()),
        ..ServiceOptions::default()
    })
    .await;
    let ready: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(ready["base_url"], api.service.base_url());
    assert!(ready["base_url"].as_str().unwrap().ends_with("/api/v1"));
    let plans: Vec<_> = ready["workspaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|workspace| workspace["plan"].clone())
        .collect();
    assert_eq!(plans, ["pro", "pro", "starter", "free"]);
    assert_eq!(
        ready["workspaces"][0]["api_keys"][0]["scopes"],
        json!(["workspace:read", "workspace:write"])
    );
    assert_eq!(
        ready["workspaces"][0]["api_keys"][1]["scopes"],
        json!(["workspace:read"])
    );
    assert_eq!(ready["workspaces"][0]["members"][0]["role"], "owner");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing else is left there"
    );
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions())
            & 0o777,
        0o600
    );
}
