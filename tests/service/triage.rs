//! Triage (interface: Workspace: signals, `POST /signals/triage`; States and transitions: Queue signal).

use crate::fields::ids;
use crate::support::{Caller, Desk, Said};
use serde_json::{Value, json};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

async fn queue(desk: &Desk, query: &str) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), &format!("/signals/queue?limit=200&{query}")).await.ok()["signals"].clone()
}

async fn new(desk: &Desk, most: usize) -> Vec<String> {
    ids(&queue(desk, "status=new").await).into_iter().take(most).collect()
}

async fn stats(desk: &Desk) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), "/signals/queue/stats").await.ok()
}

async fn mark(desk: &Desk, caller: &Caller, ids: &[String], status: &str) -> Said {
    let body = json!({"workspace_id": desk.id(0), "signal_ids": ids, "status": status});
    let caller = Caller { workspace: None, ..caller.clone() };
    desk.post(&caller, "/signals/triage", body).await
}

async fn triage(desk: &Desk, ids: &[String], status: &str) -> Value {
    mark(desk, &desk.key(0), ids, status).await.ok()["updated"].clone()
}

async fn row(desk: &Desk, id: &str) -> Value {
    let rows = queue(desk, "").await;
    rows.as_array().unwrap().iter().find(|row| row["id"] == id).expect("it is in the queue").clone()
}

#[tokio::test]
async fn triage_answers_the_number_of_updated_signals_and_nothing_else() {
    let desk = Desk::new().await;
    let said = mark(&desk, &desk.key(0), &new(&desk, 3).await, "done").await.ok();
    assert_eq!(said, json!({"updated": 3}));
}

#[tokio::test]
async fn a_new_signal_that_is_marked_done_is_done() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    assert_eq!(row(&desk, &marked[0]).await["triage_status"], "new");
    triage(&desk, &marked, "done").await;
    assert_eq!(row(&desk, &marked[0]).await["triage_status"], "done");
}

#[tokio::test]
async fn a_done_signal_that_is_marked_new_is_restored_to_the_new_tab() {
    let desk = Desk::new().await;
    let before = queue(&desk, "status=new").await;
    let marked = new(&desk, 2).await;
    triage(&desk, &marked, "done").await;
    assert_eq!(triage(&desk, &marked, "new").await, 2);
    assert_eq!(queue(&desk, "status=new").await, before);
}

#[tokio::test]
async fn a_signal_that_is_done_leaves_the_new_tab_for_the_whole_workspace() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    mark(&desk, &desk.user(0, 2), &marked, "done").await.ok();
    for caller in [desk.user(0, 0), desk.user(0, 3), desk.key(0).naming(desk.id(0)), desk.reading_key(0).naming(desk.id(0))] {
        for (status, is_there) in [("new", false), ("done", true)] {
            let page = desk.get(&caller, &format!("/signals/queue?limit=200&status={status}")).await.ok();
            assert_eq!(ids(&page["signals"]).contains(&marked[0]), is_there, "{status}");
        }
    }
}

#[tokio::test]
async fn triage_of_one_workspace_is_not_seen_in_another() {
    let desk = Desk::new().await;
    let page = async || desk.get(&desk.key(1).naming(desk.id(1)), "/signals/queue?limit=200").await.ok();
    let (before, ours) = (page().await, new(&desk, 200).await);
    let shared: Vec<_> = ids(&before["signals"]).into_iter().filter(|id| ours.contains(id)).take(5).collect();
    assert!(!shared.is_empty(), "both queues have some signals");
    assert_eq!(triage(&desk, &shared, "done").await, shared.len());
    assert_eq!(page().await, before);
}

#[tokio::test]
async fn triage_by_a_user_records_that_user() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    mark(&desk, &desk.user(0, 3), &marked, "done").await.ok();
    assert_eq!(row(&desk, &marked[0]).await["triaged_by"], desk.workspace(0).members[3].user_id.to_string());
}

#[tokio::test]
async fn triage_by_a_key_records_the_user_who_issued_it() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    triage(&desk, &marked, "done").await;
    assert_eq!(row(&desk, &marked[0]).await["triaged_by"], desk.workspace(0).members[0].user_id.to_string());
}

#[tokio::test]
async fn triage_records_when_it_was() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    let moment = |text: &Value| text.as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let before = chrono::Utc::now() - chrono::TimeDelta::seconds(1);
    triage(&desk, &marked, "done").await;
    let at = moment(&row(&desk, &marked[0]).await["triaged_at"]);
    assert!((before..=chrono::Utc::now() + chrono::TimeDelta::seconds(1)).contains(&at), "{at}");
}

#[tokio::test]
async fn triaged_by_and_triaged_at_are_null_until_triaged() {
    let desk = Desk::new().await;
    let rows = queue(&desk, "status=new").await;
    assert!(rows.as_array().unwrap().iter().all(|row| row["triaged_by"].is_null() && row["triaged_at"].is_null()));
    let rows = queue(&desk, "status=done").await;
    assert!(rows.as_array().unwrap().iter().all(|row| row["triaged_by"].is_string() && row["triaged_at"].is_string()));
}

#[tokio::test]
async fn back_to_new_clears_both_marks() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    triage(&desk, &marked, "done").await;
    triage(&desk, &marked, "new").await;
    let row = row(&desk, &marked[0]).await;
    assert_eq!((&row["triaged_by"], &row["triaged_at"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn triage_is_idempotent_and_a_repeat_keeps_the_first_marks() {
    let desk = Desk::new().await;
    let marked = new(&desk, 2).await;
    assert_eq!(mark(&desk, &desk.user(0, 1), &marked, "done").await.ok()["updated"], 2);
    let (done, counts) = (queue(&desk, "status=done").await, stats(&desk).await);
    assert_eq!(mark(&desk, &desk.user(0, 2), &marked, "done").await.ok()["updated"], 0);
    assert_eq!((queue(&desk, "status=done").await, stats(&desk).await), (done, counts));
    assert_eq!(triage(&desk, &marked, "new").await, 2);
    assert_eq!(triage(&desk, &marked, "new").await, 0);
}

#[tokio::test]
async fn triage_moves_the_counts_at_once() {
    let desk = Desk::new().await;
    let marked = new(&desk, 7).await;
    let (before, number) = (stats(&desk).await, |stats: &Value, key: &str| stats[key].as_i64().unwrap());
    triage(&desk, &marked, "done").await;
    let after = stats(&desk).await;
    assert_eq!(number(&after, "new_count"), number(&before, "new_count") - 7);
    assert_eq!(number(&after, "done_count"), number(&before, "done_count") + 7);
    triage(&desk, &marked, "new").await;
    assert_eq!(stats(&desk).await, before);
}

#[tokio::test]
async fn triage_takes_1_to_100_ids() {
    let desk = Desk::new().await;
    let many = vec![NOBODY.to_owned(); 101];
    for (count, status) in [(1, 200), (100, 200)] {
        assert_eq!(mark(&desk, &desk.key(0), &many[..count], "done").await.status, status, "{count}");
    }
    for (count, issue) in [(0, "too_small"), (101, "too_big")] {
        let error = mark(&desk, &desk.key(0), &many[..count], "done").await.refused(400, "bad_request");
        assert_eq!((&error["issues"][0]["code"], &error["issues"][0]["path"]), (&json!(issue), &json!(["signal_ids"])));
    }
}

#[tokio::test]
async fn a_hundred_signals_are_triaged_in_one_call() {
    let desk = Desk::new().await;
    let mut all = new(&desk, 100).await;
    let count = all.len();
    all.resize(100, NOBODY.to_owned());
    assert!(count > 50, "{count}");
    assert_eq!(triage(&desk, &all, "done").await, count);
}

#[tokio::test]
async fn one_id_that_is_none_refuses_the_call_and_nothing_is_triaged() {
    let desk = Desk::new().await;
    let before = stats(&desk).await;
    let mut marked = new(&desk, 2).await;
    marked.push("not-an-id".to_owned());
    let error = mark(&desk, &desk.key(0), &marked, "done").await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["signal_ids", 2]));
    assert_eq!(stats(&desk).await, before);
}

#[tokio::test]
async fn ids_that_are_not_in_the_workspaces_queue_are_not_counted_and_sink_nothing() {
    let desk = Desk::new().await;
    let mut marked = new(&desk, 2).await;
    let feed = desk.get(&desk.key(0).naming(desk.id(0)), "/signals?limit=200").await.ok();
    let queue = ids(&queue(&desk, "").await);
    let outside = ids(&feed["signals"]).into_iter().find(|id| !queue.contains(id)).expect("a signal outside the queue");
    marked.extend([NOBODY.to_owned(), outside]);
    assert_eq!(triage(&desk, &marked, "done").await, 2);
}

#[tokio::test]
async fn an_id_that_is_named_twice_counts_once() {
    let desk = Desk::new().await;
    let one = new(&desk, 1).await.remove(0);
    assert_eq!(triage(&desk, &[one.clone(), one], "done").await, 1);
}

#[tokio::test]
async fn the_status_is_new_or_done() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    for status in ["later", "Done", "NEW", "", "new "] {
        let error = mark(&desk, &desk.key(0), &marked, status).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "invalid_enum_value", "{status}");
        assert_eq!(error["issues"][0]["allowed"], json!(["new", "done"]), "{status}");
    }
}

#[tokio::test]
async fn workspace_id_signal_ids_and_status_are_all_required_in_the_body() {
    let desk = Desk::new().await;
    let whole = json!({"workspace_id": desk.id(0), "signal_ids": [NOBODY], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", whole.clone()).await.ok();
    for key in ["workspace_id", "signal_ids", "status"] {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(key);
        let error = desk.post(&desk.key(0).naming(desk.id(0)), "/signals/triage", body).await.refused(400, "bad_request");
        assert_eq!((&error["issues"][0]["code"], &error["issues"][0]["path"]), (&json!("required"), &json!([key])));
    }
}

#[tokio::test]
async fn triage_is_open_to_every_member_and_not_to_a_key_that_only_reads() {
    let desk = Desk::new().await;
    let marked = new(&desk, 1).await;
    for member in 0..5 {
        for status in ["done", "new"] {
            assert_eq!(mark(&desk, &desk.user(0, member), &marked, status).await.ok()["updated"], 1, "{member} {status}");
        }
    }
    mark(&desk, &desk.reading_key(0), &marked, "done").await.refused(403, "forbidden");
}

#[tokio::test]
async fn signals_of_every_subscribed_type_are_triaged() {
    let desk = Desk::new().await;
    let counts = stats(&desk).await["type_counts"].clone();
    for count in counts.as_array().unwrap() {
        let one = count["signal_type"].as_str().unwrap();
        let of_type = ids(&queue(&desk, &format!("status=new&signal_type={one}")).await);
        assert_eq!(triage(&desk, &of_type[..1], "done").await, 1, "{one}");
    }
}
