//! Each filter key of accounts in the Data API (interface: Filter grammar, Datasets).

use crate::room::{any, list, room};
use serde_json::{Value, json};

const ACCOUNTS: &str = "/data/accounts";

#[tokio::test]
async fn account_type_finds_accounts_that_have_the_type() {
    let of = |account: &Value, word: &str| any(account, "account_types", |one| one == word);
    room().finds(ACCOUNTS, json!({"account_type": {"value": "architect"}}), |account| of(account, "architect")).await;
    let either = json!({"account_type": {"value": ["architect", "lender"]}});
    room().finds(ACCOUNTS, either, |account| of(account, "architect") || of(account, "lender")).await;
    let neither = json!({"account_type": {"value": ["architect", "lender"], "exclude": true}});
    room().finds(ACCOUNTS, neither, |account| !of(account, "architect") && !of(account, "lender")).await;
}

#[tokio::test]
async fn city_finds_accounts_of_the_city() {
    room().finds(ACCOUNTS, json!({"city": {"value": "seattle"}}), |account| account["city"] == "Seattle").await;
    room().finds(ACCOUNTS, json!({"city": {"value": "Seatle"}}), |account| account["city"] == "Seattle").await;
}

#[tokio::test]
async fn state_finds_accounts_by_the_states_code() {
    room().finds(ACCOUNTS, json!({"state": {"value": "TX"}}), |account| account["state"] == "TX").await;
    let either = |account: &Value| account["state"] == "TX" || account["state"] == "WA";
    room().finds(ACCOUNTS, json!({"state": {"value": ["TX", "WA"]}}), either).await;
    assert_eq!(
        room().all(ACCOUNTS, json!({"filters": {"state": {"value": "Texas"}}})).await,
        [Value::Null; 0],
        "a code, no name"
    );
}

#[tokio::test]
async fn name_finds_accounts_by_a_part_of_their_name() {
    let named = |account: &Value| account["name"].as_str().unwrap().split(' ').any(|word| word.starts_with("Architect"));
    room().finds(ACCOUNTS, json!({"name": {"value": "architect"}}), named).await;
    let account = &room().records(ACCOUNTS)[7];
    let whole = json!({"name": {"value": account["name"], "exact_match": true}});
    room().finds(ACCOUNTS, whole, |one| one["name"] == account["name"]).await;
}

#[tokio::test]
async fn has_project_finds_accounts_with_such_a_project() {
    room().finds(ACCOUNTS, json!({"has_project": {}}), |account| !list(account, "projects").is_empty()).await;
    let hotel = json!({"has_project": {"primary_use": {"value": "hotel"}}});
    room().finds(ACCOUNTS, hotel, |account| any(account, "projects", |project| project["primary_use"] == "hotel")).await;
}

#[tokio::test]
async fn without_project_finds_accounts_with_no_such_project() {
    room().finds(ACCOUNTS, json!({"without_project": {}}), |account| list(account, "projects").is_empty()).await;
    let hotel = json!({"without_project": {"primary_use": {"value": "hotel"}}});
    room().finds(ACCOUNTS, hotel, |account| !any(account, "projects", |project| project["primary_use"] == "hotel")).await;
}

#[tokio::test]
async fn has_signal_finds_accounts_with_such_a_signal_on_their_projects() {
    room().finds(ACCOUNTS, json!({"has_signal": {}}), |account| !list(account, "signals").is_empty()).await;
    let loan = json!({"has_signal": {"signal_type": {"value": "construction_loan"}}});
    room().finds(ACCOUNTS, loan, |account| any(account, "signals", |one| one["signal_type"] == "construction_loan")).await;
}

#[tokio::test]
async fn without_signal_finds_accounts_with_no_such_signal_on_their_projects() {
    room().finds(ACCOUNTS, json!({"without_signal": {}}), |account| list(account, "signals").is_empty()).await;
    let loan = json!({"without_signal": {"signal_type": {"value": "construction_loan"}}});
    room().finds(ACCOUNTS, loan, |account| !any(account, "signals", |one| one["signal_type"] == "construction_loan")).await;
}

#[tokio::test]
async fn has_contact_finds_accounts_with_such_a_contact() {
    room().finds(ACCOUNTS, json!({"has_contact": {}}), |account| !list(account, "contacts").is_empty()).await;
    let manager = json!({"has_contact": {"title": {"value": "Office Manager", "exact_match": true}}});
    room().finds(ACCOUNTS, manager, |account| any(account, "contacts", |one| one["title"] == "Office Manager")).await;
}

#[tokio::test]
async fn without_contact_finds_accounts_with_no_such_contact() {
    room().finds(ACCOUNTS, json!({"without_contact": {}}), |account| list(account, "contacts").is_empty()).await;
    let manager = json!({"without_contact": {"title": {"value": "Office Manager", "exact_match": true}}});
    room().finds(ACCOUNTS, manager, |account| !any(account, "contacts", |one| one["title"] == "Office Manager")).await;
}

#[tokio::test]
async fn accounts_have_no_range_keys() {
    for key in ["account_type", "city", "state", "name"] {
        let issues = room().refuses(ACCOUNTS, json!({key: {"min": 1}})).await;
        assert!(
            issues.iter().any(|issue| issue["code"] == "unknown_key" && issue["path"] == json!(["filters", key, "min"])),
            "{key}"
        );
    }
    for key in ["projects_count", "contacts_count", "founded_year", "created_at"] {
        let issues = room().refuses(ACCOUNTS, json!({key: {"min": 1}})).await;
        assert_eq!((&issues[0]["code"], &issues[0]["path"]), (&json!("unknown_key"), &json!(["filters", key])));
    }
}

#[tokio::test]
async fn keys_of_other_datasets_and_of_the_book_are_unknown_to_accounts() {
    for key in [
        "stage",
        "title",
        "signal_type",
        "account_types",
        "type",
        "icp_tier",
        "workspace_status",
        "tags",
        "atlas_score",
        "notes",
        "id",
        "role",
        "at_account",
        "has_account",
        "for_project",
        "domains",
        "website",
    ] {
        let issues = room().refuses(ACCOUNTS, json!({key: {"value": "x"}})).await;
        assert_eq!((issues.len(), &issues[0]["code"]), (1, &json!("unknown_key")), "{key}");
    }
}
