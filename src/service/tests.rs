//! A service whose disk is full (fault H 112): the space is limited from inside, the requests come
//! from outside.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;

/// Sends a request and returns status and body.
async fn send_request(
    running: &RunningService,
    method: Method,
    path: &str,
    body: Value,
) -> (StatusCode, Value) {
    let first = &running.startup_info.workspaces[0];
    let joint = if path.contains('?') { '&' } else { '?' };
    let request = Request::builder()
        .method(method)
        .uri(format!("{BASE_PATH}{path}{joint}workspace_id={}", first.id))
        .header("authorization", format!("Bearer {}", first.api_keys[0].key))
        .body(if body.is_null() {
            Body::empty()
        } else {
            Body::from(body.to_string())
        })
        .unwrap();
    let response = router::build_router(running.state.clone())
        .oneshot(request)
        .await
        .unwrap();
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 24)
        .await
        .unwrap();
    (status, serde_json::from_slice(&bytes).unwrap())
}

async fn get_ok(running: &RunningService, path: &str) -> Value {
    let (status, body) = send_request(running, Method::GET, path, Value::Null).await;
    assert_eq!(status, 200, "{path} {body}");
    body
}

/// Limits the file to this many more pages.
async fn limit_free_pages(running: &RunningService, pages: i64) {
    let set = move |conn: &db::Conn| {
        let now: i64 = conn
            .sqlite()
            .unwrap()
            .pragma_query_value(None, "page_count", |row| row.get(0))?;
        conn.query_row(
            &format!("PRAGMA max_page_count = {}", now + pages),
            [],
            |_| Ok(()),
        )?;
        Ok::<_, db::DbError>(())
    };
    running.state.db.write(set).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_rejects_writes_with_507_and_keeps_serving_reads() {
    let folder = tempfile::tempdir().unwrap();
    let data = Storage::File(folder.path().join("desk.db"));
    let running = start(ServiceOptions {
        data: data.clone(),
        projects: 60,
        ..ServiceOptions::default()
    })
    .await
    .unwrap();
    let project = get_ok(&running, "/signals?limit=1").await["signals"][0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = get_ok(
        &running,
        &format!("/data/projects/{project}?include=accounts"),
    )
    .await;
    let account = found["data"]["accounts"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    limit_free_pages(&running, 8).await;

    // larger and larger notes, until the disk is full
    let upsert = |notes: String| json!({"account_id": account, "notes": notes});
    let (mut answered, mut refused) = (String::new(), None);
    for kib in 1..64 {
        let notes = "n".repeat(kib << 10);
        match send_request(
            &running,
            Method::POST,
            "/workspace/accounts/upsert",
            upsert(notes.clone()),
        )
        .await
        {
            (StatusCode::OK, _) => answered = notes,
            said => {
                refused = Some(said);
                break;
            }
        }
    }
    let (status, body) = refused.expect("the disk is full");
    assert_eq!(
        (status.as_u16(), &body["error"]["code"]),
        (507, &json!("storage_full"))
    );
    let batch = json!({"inputs": [upsert("short".to_owned()), upsert("n".repeat(60 << 10))]});
    let (status, _) = send_request(
        &running,
        Method::POST,
        "/workspace/accounts/upsert/batch",
        batch,
    )
    .await;
    assert_eq!(status, 507, "a batch is rejected as a whole");

    let record = get_ok(&running, &format!("/workspace/accounts/{account}")).await;
    assert_eq!(
        record["data"]["notes"], answered,
        "exactly what was confirmed is stored"
    );
    get_ok(&running, "/signals/queue").await;
    let (status, found) = send_request(
        &running,
        Method::POST,
        "/data/projects/search",
        json!({"limit": 5}),
    )
    .await;
    assert_eq!(
        (status.as_u16(), &found["metadata"]["credits"]),
        (200, &json!(5))
    );

    limit_free_pages(&running, 1000).await;
    let (status, _) = send_request(
        &running,
        Method::POST,
        "/workspace/accounts/upsert",
        upsert("n".repeat(60 << 10)),
    )
    .await;
    assert_eq!(status, 200, "with space again, everything works as before");
    running.stop().await;
    let again = start(ServiceOptions {
        data,
        ..ServiceOptions::default()
    })
    .await
    .unwrap();
    let record = get_ok(&again, &format!("/workspace/accounts/{account}")).await;
    assert_eq!(record["data"]["notes"].as_str().unwrap().len(), 60 << 10);
}

#[tokio::test]
async fn on_a_full_disk_paid_reads_and_a_stale_queue_are_still_served() {
    let running = start(ServiceOptions {
        projects: 60,
        ..ServiceOptions::default()
    })
    .await
    .unwrap();
    let before = get_ok(&running, "/signals/queue/stats").await;
    let fill = |conn: &db::Conn| {
        let full = || {
            rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                None,
            )
        };
        conn.sqlite().unwrap().create_scalar_function(
            "full",
            0,
            Default::default(),
            move |_| Err::<i64, _>(full()),
        )?;
        conn.execute_batch(
            "UPDATE signals SET discovered_at = 1 + (SELECT value FROM remembered WHERE name = 'queue_as_of') WHERE rowid = 1;
             CREATE TEMP TRIGGER full_queue BEFORE INSERT ON remembered BEGIN SELECT full(); END;
             CREATE TEMP TRIGGER full_meter BEFORE INSERT ON spending BEGIN SELECT full(); END;",
        )?;
        Ok::<_, db::DbError>(())
    };
    let spent = get_ok(&running, "/workspace/credits").await["data"]["used"].clone();
    running.state.db.write(fill).await.unwrap();
    assert_eq!(
        get_ok(&running, "/signals/queue/stats").await,
        before,
        "unchanged"
    );
    let (status, found) = send_request(
        &running,
        Method::POST,
        "/data/projects/search",
        json!({"limit": 5}),
    )
    .await;
    assert_eq!(
        (status.as_u16(), found["data"].as_array().unwrap().len()),
        (200, 5)
    );
    let used = |spent: &Value| spent.as_i64().unwrap() + 5;
    assert_eq!(
        get_ok(&running, "/workspace/credits").await["data"]["used"],
        used(&spent),
        "the charge waits for space"
    );
    let body = json!({"signal_type": "completion"});
    let (status, body) = send_request(
        &running,
        Method::POST,
        "/workspace/signal-subscriptions/upsert",
        body,
    )
    .await;
    assert_eq!(
        (status.as_u16(), &body["error"]["code"]),
        (507, &json!("storage_full"))
    );
}
