//! Triage (interface: Workspace: signals, `POST /signals/triage`; States and transitions: Queue
//! signal).

use crate::fields::ids;
use crate::support::{TestCaller, TestResponse, TestService};
use serde_json::{Value, json};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

async fn queue_rows(api: &TestService, query: &str) -> Value {
    api.get(
        &api.api_key(0).with_workspace(api.workspace_id(0)),
        &format!("/signals/queue?limit=200&{query}"),
    )
    .await
    .ok()["signals"]
        .clone()
}

async fn new_signal_ids(api: &TestService, most: usize) -> Vec<String> {
    ids(&queue_rows(api, "status=new").await)
        .into_iter()
        .take(most)
        .collect()
}

async fn queue_stats(api: &TestService) -> Value {
    api.get(
        &api.api_key(0).with_workspace(api.workspace_id(0)),
        "/signals/queue/stats",
    )
    .await
    .ok()
}

async fn send_triage(
    api: &TestService,
    caller: &TestCaller,
    ids: &[String],
    status: &str,
) -> TestResponse {
    let body = json!({"workspace_id": api.workspace_id(0), "signal_ids": ids, "status": status});
    let caller = TestCaller {
        workspace: None,
        ..caller.clone()
    };
    api.post(&caller, "/signals/triage", body).await
}

async fn mark_signals(api: &TestService, ids: &[String], status: &str) -> Value {
    send_triage(api, &api.api_key(0), ids, status).await.ok()["updated"].clone()
}

async fn queue_row(api: &TestService, id: &str) -> Value {
    let rows = queue_rows(api, "").await;
    rows.as_array()
        .unwrap()
        .iter()
        .find(|row| row["id"] == id)
        .expect("it is in the queue")
        .clone()
}

#[tokio::test]
async fn triage_returns_only_the_number_of_updated_signals() {
    let api = TestService::new().await;
    let reply = send_triage(
        &api,
        &api.api_key(0),
        &new_signal_ids(&api, 3).await,
        "done",
    )
    .await
    .ok();
    assert_eq!(reply, json!({"updated": 3}));
}

#[tokio::test]
async fn a_new_signal_marked_done_is_done() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    assert_eq!(queue_row(&api, &marked[0]).await["triage_status"], "new");
    mark_signals(&api, &marked, "done").await;
    assert_eq!(queue_row(&api, &marked[0]).await["triage_status"], "done");
}

#[tokio::test]
async fn a_done_signal_marked_new_returns_to_the_new_tab() {
    let api = TestService::new().await;
    let before = queue_rows(&api, "status=new").await;
    let marked = new_signal_ids(&api, 2).await;
    mark_signals(&api, &marked, "done").await;
    assert_eq!(mark_signals(&api, &marked, "new").await, 2);
    assert_eq!(queue_rows(&api, "status=new").await, before);
}

#[tokio::test]
async fn a_done_signal_leaves_the_new_tab_for_the_whole_workspace() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    send_triage(&api, &api.member_caller(0, 2), &marked, "done")
        .await
        .ok();
    for caller in [
        api.member_caller(0, 0),
        api.member_caller(0, 3),
        api.api_key(0).with_workspace(api.workspace_id(0)),
        api.read_only_key(0).with_workspace(api.workspace_id(0)),
    ] {
        for (status, is_there) in [("new", false), ("done", true)] {
            let page = api
                .get(
                    &caller,
                    &format!("/signals/queue?limit=200&status={status}"),
                )
                .await
                .ok();
            assert_eq!(
                ids(&page["signals"]).contains(&marked[0]),
                is_there,
                "{status}"
            );
        }
    }
}

#[tokio::test]
async fn triage_belongs_to_its_workspace() {
    let api = TestService::new().await;
    let page = async || {
        api.get(
            &api.api_key(1).with_workspace(api.workspace_id(1)),
            "/signals/queue?limit=200",
        )
        .await
        .ok()
    };
    let (before, ours) = (page().await, new_signal_ids(&api, 200).await);
    let shared: Vec<_> = ids(&before["signals"])
        .into_iter()
        .filter(|id| ours.contains(id))
        .take(5)
        .collect();
    assert!(!shared.is_empty(), "the two queues share some signals");
    assert_eq!(mark_signals(&api, &shared, "done").await, shared.len());
    assert_eq!(page().await, before);
}

#[tokio::test]
async fn triage_by_a_user_records_that_user() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    send_triage(&api, &api.member_caller(0, 3), &marked, "done")
        .await
        .ok();
    assert_eq!(
        queue_row(&api, &marked[0]).await["triaged_by"],
        api.workspace(0).members[3].user_id.to_string()
    );
}

#[tokio::test]
async fn triage_by_a_key_records_the_user_who_issued_it() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    mark_signals(&api, &marked, "done").await;
    assert_eq!(
        queue_row(&api, &marked[0]).await["triaged_by"],
        api.workspace(0).members[0].user_id.to_string()
    );
}

#[tokio::test]
async fn triage_records_its_time() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    let moment = |text: &Value| {
        text.as_str()
            .unwrap()
            .parse::<chrono::DateTime<chrono::Utc>>()
            .unwrap()
    };
    let before = chrono::Utc::now() - chrono::TimeDelta::seconds(1);
    mark_signals(&api, &marked, "done").await;
    let at = moment(&queue_row(&api, &marked[0]).await["triaged_at"]);
    assert!(
        (before..=chrono::Utc::now() + chrono::TimeDelta::seconds(1)).contains(&at),
        "{at}"
    );
}

#[tokio::test]
async fn triaged_by_and_triaged_at_are_null_until_triaged() {
    let api = TestService::new().await;
    let rows = queue_rows(&api, "status=new").await;
    assert!(
        rows.as_array()
            .unwrap()
            .iter()
            .all(|row| row["triaged_by"].is_null() && row["triaged_at"].is_null())
    );
    let rows = queue_rows(&api, "status=done").await;
    assert!(
        rows.as_array()
            .unwrap()
            .iter()
            .all(|row| row["triaged_by"].is_string() && row["triaged_at"].is_string())
    );
}

#[tokio::test]
async fn marking_new_clears_triaged_by_and_triaged_at() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    mark_signals(&api, &marked, "done").await;
    mark_signals(&api, &marked, "new").await;
    let row = queue_row(&api, &marked[0]).await;
    assert_eq!(
        (&row["triaged_by"], &row["triaged_at"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn triage_is_idempotent_and_keeps_the_first_user_and_time() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 2).await;
    assert_eq!(
        send_triage(&api, &api.member_caller(0, 1), &marked, "done")
            .await
            .ok()["updated"],
        2
    );
    let (done, counts) = (
        queue_rows(&api, "status=done").await,
        queue_stats(&api).await,
    );
    assert_eq!(
        send_triage(&api, &api.member_caller(0, 2), &marked, "done")
            .await
            .ok()["updated"],
        0
    );
    assert_eq!(
        (
            queue_rows(&api, "status=done").await,
            queue_stats(&api).await
        ),
        (done, counts)
    );
    assert_eq!(mark_signals(&api, &marked, "new").await, 2);
    assert_eq!(mark_signals(&api, &marked, "new").await, 0);
}

#[tokio::test]
async fn triage_updates_the_counts_at_once() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 7).await;
    let (before, number) = (queue_stats(&api).await, |stats: &Value, key: &str| {
        stats[key].as_i64().unwrap()
    });
    mark_signals(&api, &marked, "done").await;
    let after = queue_stats(&api).await;
    assert_eq!(
        number(&after, "new_count"),
        number(&before, "new_count") - 7
    );
    assert_eq!(
        number(&after, "done_count"),
        number(&before, "done_count") + 7
    );
    mark_signals(&api, &marked, "new").await;
    assert_eq!(queue_stats(&api).await, before);
}

#[tokio::test]
async fn triage_takes_1_to_100_ids() {
    let api = TestService::new().await;
    let many = vec![UNKNOWN_ID.to_owned(); 101];
    for (count, status) in [(1, 200), (100, 200)] {
        assert_eq!(
            send_triage(&api, &api.api_key(0), &many[..count], "done")
                .await
                .status,
            status,
            "{count}"
        );
    }
    for (count, issue) in [(0, "too_small"), (101, "too_big")] {
        let error = send_triage(&api, &api.api_key(0), &many[..count], "done")
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!(issue), &json!(["signal_ids"]))
        );
    }
}

#[tokio::test]
async fn a_hundred_signals_are_triaged_in_one_call() {
    let api = TestService::new().await;
    let mut all = new_signal_ids(&api, 100).await;
    let count = all.len();
    all.resize(100, UNKNOWN_ID.to_owned());
    assert!(count > 50, "{count}");
    assert_eq!(mark_signals(&api, &all, "done").await, count);
}

#[tokio::test]
async fn one_invalid_id_rejects_the_whole_call() {
    let api = TestService::new().await;
    let before = queue_stats(&api).await;
    let mut marked = new_signal_ids(&api, 2).await;
    marked.push("not-an-id".to_owned());
    let error = send_triage(&api, &api.api_key(0), &marked, "done")
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["signal_ids", 2]));
    assert_eq!(queue_stats(&api).await, before);
}

#[tokio::test]
async fn ids_outside_the_queue_are_ignored_and_not_counted() {
    let api = TestService::new().await;
    let mut marked = new_signal_ids(&api, 2).await;
    let feed = api
        .get(
            &api.api_key(0).with_workspace(api.workspace_id(0)),
            "/signals?limit=200",
        )
        .await
        .ok();
    let queue = ids(&queue_rows(&api, "").await);
    let outside = ids(&feed["signals"])
        .into_iter()
        .find(|id| !queue.contains(id))
        .expect("a signal outside the queue");
    marked.extend([UNKNOWN_ID.to_owned(), outside]);
    assert_eq!(mark_signals(&api, &marked, "done").await, 2);
}

#[tokio::test]
async fn a_duplicate_id_counts_once() {
    let api = TestService::new().await;
    let one = new_signal_ids(&api, 1).await.remove(0);
    assert_eq!(mark_signals(&api, &[one.clone(), one], "done").await, 1);
}

#[tokio::test]
async fn the_status_is_new_or_done() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    for status in ["later", "Done", "NEW", "", "new "] {
        let error = send_triage(&api, &api.api_key(0), &marked, status)
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "invalid_enum_value", "{status}");
        assert_eq!(
            error["issues"][0]["allowed"],
            json!(["new", "done"]),
            "{status}"
        );
    }
}

#[tokio::test]
async fn workspace_id_signal_ids_and_status_are_all_required_in_the_body() {
    let api = TestService::new().await;
    let whole =
        json!({"workspace_id": api.workspace_id(0), "signal_ids": [UNKNOWN_ID], "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", whole.clone())
        .await
        .ok();
    for key in ["workspace_id", "signal_ids", "status"] {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(key);
        let error = api
            .post(
                &api.api_key(0).with_workspace(api.workspace_id(0)),
                "/signals/triage",
                body,
            )
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!("required"), &json!([key]))
        );
    }
}

#[tokio::test]
async fn every_member_can_triage_but_a_read_only_key_cannot() {
    let api = TestService::new().await;
    let marked = new_signal_ids(&api, 1).await;
    for member in 0..5 {
        for status in ["done", "new"] {
            assert_eq!(
                send_triage(&api, &api.member_caller(0, member), &marked, status)
                    .await
                    .ok()["updated"],
                1,
                "{member} {status}"
            );
        }
    }
    send_triage(&api, &api.read_only_key(0), &marked, "done")
        .await
        .expect_error(403, "forbidden");
}

#[tokio::test]
async fn signals_of_every_subscribed_type_can_be_triaged() {
    let api = TestService::new().await;
    let counts = queue_stats(&api).await["type_counts"].clone();
    for count in counts.as_array().unwrap() {
        let one = count["signal_type"].as_str().unwrap();
        let of_type = ids(&queue_rows(&api, &format!("status=new&signal_type={one}")).await);
        assert_eq!(mark_signals(&api, &of_type[..1], "done").await, 1, "{one}");
    }
}
