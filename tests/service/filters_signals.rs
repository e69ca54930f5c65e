//! Each filter key of signals in the Data API (interface: Filter grammar, Datasets; Signal).

use crate::room::{any, list, room};
use crate::signals::TYPES;
use serde_json::{Value, json};

const SIGNALS: &str = "/data/signals";

#[tokio::test]
async fn signal_type_finds_signals_of_the_type() {
    room().finds(SIGNALS, json!({"signal_type": {"value": "permit_issued"}}), |one| one["signal_type"] == "permit_issued").await;
    let either = |one: &Value| one["signal_type"] == "permit_filed" || one["signal_type"] == "completion";
    room().finds(SIGNALS, json!({"signal_type": {"value": ["permit_filed", "completion"]}}), either).await;
}

#[tokio::test]
async fn the_signal_types_are_the_17_of_the_interface() {
    for word in TYPES {
        let said = room().search(SIGNALS, json!({"filters": {"signal_type": {"value": word}}, "limit": 1})).await.ok();
        assert!(said["data"].as_array().unwrap().iter().all(|row| row["signal_type"] == word), "{word}");
    }
    assert!(room().records(SIGNALS).iter().all(|signal| TYPES.contains(&signal["signal_type"].as_str().unwrap())));
    assert_eq!(room().refuses(SIGNALS, json!({"signal_type": {"value": "rumour"}})).await[0]["allowed"], json!(TYPES));
}

#[tokio::test]
async fn project_id_finds_the_signals_of_a_project() {
    let project = &room().one("/data/projects", |project| list(project, "signals").len() > 2)["id"];
    room().finds(SIGNALS, json!({"project_id": {"value": project}}), |signal| signal["project_id"] == *project).await;
    let others = json!({"project_id": {"value": project, "exclude": true}});
    room().finds(SIGNALS, others, |signal| signal["project_id"] != *project).await;
}

/// A range of days finds the moments of those days in UTC.
async fn days(key: &str) {
    let day = |signal: &Value| signal[key].as_str().unwrap()[..10].to_owned();
    let mut all: Vec<String> = room().records(SIGNALS).iter().map(day).collect();
    all.sort();
    let (low, high) = (&all[all.len() / 4], &all[all.len() / 2]);
    let range = json!({key: {"min": low, "max": high}});
    room().finds(SIGNALS, range, |signal| *low <= day(signal) && day(signal) <= *high).await;
    room().finds(SIGNALS, json!({key: {"min": high}}), |signal| *high <= day(signal)).await;
    room().finds(SIGNALS, json!({key: {"max": low}}), |signal| day(signal) <= *low).await;
    room().finds(SIGNALS, json!({key: {"min": high, "max": high}}), |signal| day(signal) == *high).await;
}

#[tokio::test]
async fn filed_at_takes_a_range_of_days() {
    days("filed_at").await;
}

#[tokio::test]
async fn discovered_at_takes_a_range_of_days() {
    days("discovered_at").await;
}

#[tokio::test]
async fn for_project_finds_signals_whose_project_is_such() {
    let texan = json!({"for_project": {"state": {"value": "TX"}}});
    room().finds(SIGNALS, texan, |signal| signal["project"]["state"] == "TX").await;
    let tall = json!({"for_project": {"stories": {"min": 20}, "stage": {"value": "permitted"}}});
    let is = |signal: &Value| signal["project"]["stories"].as_i64() >= Some(20) && signal["project"]["stage"] == "permitted";
    room().finds(SIGNALS, tall, is).await;
}

#[tokio::test]
async fn for_account_finds_signals_of_such_an_accounts_projects() {
    let firm = room().one("/data/accounts", |account| list(account, "signals").len() > 3);
    let theirs = json!({"for_account": {"name": {"value": firm["name"], "exact_match": true}}});
    room().finds(SIGNALS, theirs, |signal| any(signal, "accounts", |account| account["name"] == firm["name"])).await;
    room().finds(SIGNALS, json!({"for_account": {}}), |signal| !list(signal, "accounts").is_empty()).await;
}

#[tokio::test]
async fn keys_of_other_datasets_and_of_the_feed_are_unknown_to_signals() {
    for key in [
        "stage",
        "city",
        "q",
        "filed_after",
        "filed_before",
        "discovered_after",
        "status",
        "priority",
        "account_id",
        "has_project",
        "for_contact",
        "source_slug",
        "reported_cost_usd",
        "raw_data",
        "name",
    ] {
        let issues = room().refuses(SIGNALS, json!({key: {"value": "x"}})).await;
        assert_eq!((issues.len(), &issues[0]["code"]), (1, &json!("unknown_key")), "{key}");
    }
}
