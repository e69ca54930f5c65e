//! A service whose clock was set back (`--as-of`): what is discovered later is not there yet, in no answer.

use crate::support::Desk;
use gantry::service::{Data, Options};
use serde_json::{Value, json};

/// The day on which the clock stands; the world was made a hundred days later.
const DAY: &str = "2026-04-01";

/// A service that stands at noon of that day.
async fn before(folder: &tempfile::TempDir) -> Desk {
    let options = Options { data: Data::File(folder.path().join("desk.db")), projects: 80, ..Options::default() };
    let made = "2026-07-09T16:20:00Z".parse().ok();
    Desk::with(Options { as_of: made, ..options.clone() }).await.service.stop().await;
    Desk::with(Options { as_of: format!("{DAY}T12:00:00Z").parse().ok(), ..options }).await
}

/// All rows of a search of the Data API.
async fn all(desk: &Desk, dataset: &str, mut body: Value) -> Vec<Value> {
    body["limit"] = json!(100);
    let mut rows = Vec::new();
    loop {
        let said = desk.post(&desk.key(0), &format!("/data/{dataset}/search"), body.clone()).await.ok();
        rows.extend(said["data"].as_array().unwrap().iter().cloned());
        match &said["metadata"]["search_after"] {
            Value::Null => return rows,
            cursor => body["search_after"] = cursor.clone(),
        }
    }
}

#[tokio::test]
async fn the_data_api_has_no_signal_that_is_discovered_later() {
    let folder = tempfile::tempdir().unwrap();
    let desk = before(&folder).await;
    let signals = all(&desk, "signals", json!({})).await;
    assert!(!signals.is_empty());
    for signal in &signals {
        assert!(signal["discovered_at"].as_str().unwrap() < "2026-04-01T12:01", "{signal}");
    }
    let file = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let noon = "2026-04-01T12:00:30Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp_millis();
    let count = |sql: &str| file.query_row(sql, [noon], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(signals.len() as i64, count("SELECT count(*) FROM signals WHERE discovered_at <= ?1"));
    let later: uuid::Uuid = file.query_row("SELECT id FROM signals WHERE discovered_at > ?1", [noon], |row| row.get(0)).unwrap();
    desk.get(&desk.key(0), &format!("/data/signals/{later}")).await.refused(404, "not_found");
}

#[tokio::test]
async fn relations_know_of_no_signal_that_is_discovered_later() {
    let folder = tempfile::tempdir().unwrap();
    let desk = before(&folder).await;
    for dataset in ["accounts", "projects"] {
        let later = json!({"has_signal": {"discovered_at": {"min": "2026-04-02"}}});
        assert_eq!(all(&desk, dataset, json!({ "filters": later })).await, [Value::Null; 0], "{dataset}");
    }
    let without = all(&desk, "projects", json!({"filters": {"without_signal": {}}})).await;
    let silent = all(&desk, "projects", json!({})).await.into_iter().filter(|project| project["signals_count"] == 0);
    assert_eq!(without.len(), silent.count());
}

#[tokio::test]
async fn filters_and_sorts_by_signals_agree_with_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let desk = before(&folder).await;
    let projects = all(&desk, "projects", json!({})).await;
    let known = projects.iter().filter(|project| !project["last_signal_at"].is_null()).count();
    assert!(known > 0 && known < projects.len());
    let filter = |range: Value| json!({"filters": {"last_signal_at": range}});
    assert_eq!(all(&desk, "projects", filter(json!({}))).await.len(), known);
    assert_eq!(all(&desk, "projects", filter(json!({"min": "2026-04-02"}))).await, [Value::Null; 0]);
    for key in ["last_signal_at", "signals_count"] {
        let rows = all(&desk, "projects", json!({"sort": {"field": key}})).await;
        let sorted = rows.is_sorted_by(|a, b| (a[key].as_str(), a[key].as_i64()) >= (b[key].as_str(), b[key].as_i64()));
        assert!(sorted, "{key}: {:?}", rows.iter().map(|row| &row[key]).collect::<Vec<_>>());
    }
    let said = desk
        .post(&desk.key(0), "/workspace/projects/search", json!({"sort": {"field": "last_signal_at"}, "limit": 100}))
        .await
        .ok();
    let rows = said["data"].as_array().unwrap();
    assert!(rows.is_sorted_by(|a, b| a["last_signal_at"].as_str() >= b["last_signal_at"].as_str()));
}

#[tokio::test]
async fn what_is_embedded_and_counted_agrees_with_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let desk = before(&folder).await;
    for project in all(&desk, "projects", json!({})).await {
        let said =
            desk.get(&desk.key(0), &format!("/data/projects/{}?include=signals", project["id"].as_str().unwrap())).await.ok();
        let signals = said["data"]["signals"].as_array().unwrap();
        assert_eq!(project["signals_count"], signals.len());
        let recent = signals.iter().filter(|signal| signal["filed_at"].as_str().unwrap() > "2026-03-02T12").count();
        assert_eq!(project["updates_last_30_days"], recent, "{}", project["id"]);
    }
}
