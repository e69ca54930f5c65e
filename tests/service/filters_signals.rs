//! Each filter key of signals in the Data API (interface: Filter grammar, Datasets; Signal).

use crate::shared_service::{any_related, list_field, shared_service};
use crate::signals::SIGNAL_TYPES;
use serde_json::{Value, json};

const DATA_SIGNALS: &str = "/data/signals";

#[tokio::test]
async fn signal_type_finds_signals_of_the_type() {
    shared_service()
        .assert_filter_finds(
            DATA_SIGNALS,
            json!({"signal_type": {"value": "permit_issued"}}),
            |one| one["signal_type"] == "permit_issued",
        )
        .await;
    let either =
        |one: &Value| one["signal_type"] == "permit_filed" || one["signal_type"] == "completion";
    shared_service()
        .assert_filter_finds(
            DATA_SIGNALS,
            json!({"signal_type": {"value": ["permit_filed", "completion"]}}),
            either,
        )
        .await;
}

#[tokio::test]
async fn there_are_exactly_the_17_documented_signal_types() {
    for word in SIGNAL_TYPES {
        let reply = shared_service()
            .search_page(
                DATA_SIGNALS,
                json!({"filters": {"signal_type": {"value": word}}, "limit": 1}),
            )
            .await
            .ok();
        assert!(
            reply["data"]
                .as_array()
                .unwrap()
                .iter()
                .all(|row| row["signal_type"] == word),
            "{word}"
        );
    }
    assert!(
        shared_service()
            .records(DATA_SIGNALS)
            .iter()
            .all(|signal| SIGNAL_TYPES.contains(&signal["signal_type"].as_str().unwrap()))
    );
    assert_eq!(
        shared_service()
            .refused_filter_issues(DATA_SIGNALS, json!({"signal_type": {"value": "rumour"}}))
            .await[0]["allowed"],
        json!(SIGNAL_TYPES)
    );
}

#[tokio::test]
async fn project_id_finds_the_signals_of_a_project() {
    let project = &shared_service().find_record("/data/projects", |project| {
        list_field(project, "signals").len() > 2
    })["id"];
    shared_service()
        .assert_filter_finds(
            DATA_SIGNALS,
            json!({"project_id": {"value": project}}),
            |signal| signal["project_id"] == *project,
        )
        .await;
    let others = json!({"project_id": {"value": project, "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, others, |signal| {
            signal["project_id"] != *project
        })
        .await;
}

/// Checks that a range of dates finds the moments of those days in UTC.
async fn assert_day_range_filter(key: &str) {
    let day = |signal: &Value| signal[key].as_str().unwrap()[..10].to_owned();
    let mut all: Vec<String> = shared_service()
        .records(DATA_SIGNALS)
        .iter()
        .map(day)
        .collect();
    all.sort();
    let (low, high) = (&all[all.len() / 4], &all[all.len() / 2]);
    let range = json!({key: {"min": low, "max": high}});
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, range, |signal| {
            *low <= day(signal) && day(signal) <= *high
        })
        .await;
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, json!({key: {"min": high}}), |signal| {
            *high <= day(signal)
        })
        .await;
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, json!({key: {"max": low}}), |signal| {
            day(signal) <= *low
        })
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_SIGNALS,
            json!({key: {"min": high, "max": high}}),
            |signal| day(signal) == *high,
        )
        .await;
}

#[tokio::test]
async fn filed_at_takes_a_range_of_days() {
    assert_day_range_filter("filed_at").await;
}

#[tokio::test]
async fn discovered_at_takes_a_range_of_days() {
    assert_day_range_filter("discovered_at").await;
}

#[tokio::test]
async fn for_project_finds_signals_with_a_matching_project() {
    let texan = json!({"for_project": {"state": {"value": "TX"}}});
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, texan, |signal| {
            signal["project"]["state"] == "TX"
        })
        .await;
    let tall = json!({"for_project": {"stories": {"min": 20}, "stage": {"value": "permitted"}}});
    let is = |signal: &Value| {
        signal["project"]["stories"].as_i64() >= Some(20)
            && signal["project"]["stage"] == "permitted"
    };
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, tall, is)
        .await;
}

#[tokio::test]
async fn for_account_finds_signals_of_a_matching_accounts_projects() {
    let firm = shared_service().find_record("/data/accounts", |account| {
        list_field(account, "signals").len() > 3
    });
    let theirs = json!({"for_account": {"name": {"value": firm["name"], "exact_match": true}}});
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, theirs, |signal| {
            any_related(signal, "accounts", |account| {
                account["name"] == firm["name"]
            })
        })
        .await;
    shared_service()
        .assert_filter_finds(DATA_SIGNALS, json!({"for_account": {}}), |signal| {
            !list_field(signal, "accounts").is_empty()
        })
        .await;
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
        let issues = shared_service()
            .refused_filter_issues(DATA_SIGNALS, json!({key: {"value": "x"}}))
            .await;
        assert_eq!(
            (issues.len(), &issues[0]["code"]),
            (1, &json!("unknown_key")),
            "{key}"
        );
    }
}
