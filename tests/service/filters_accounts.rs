//! Each filter key of accounts in the Data API (interface: Filter grammar, Datasets).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const DATA_ACCOUNTS: &str = "/data/accounts";

#[tokio::test]
async fn account_type_finds_accounts_that_have_the_type() {
    let of = |account: &Value, word: &str| any_related(account, "account_types", |one| one == word);
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"account_type": {"value": "architect"}}),
            |account| of(account, "architect"),
        )
        .await;
    let either = json!({"account_type": {"value": ["architect", "lender"]}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, either, |account| {
            of(account, "architect") || of(account, "lender")
        })
        .await;
    let neither = json!({"account_type": {"value": ["architect", "lender"], "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, neither, |account| {
            !of(account, "architect") && !of(account, "lender")
        })
        .await;
}

#[tokio::test]
async fn city_finds_accounts_of_the_city() {
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"city": {"value": "seattle"}}),
            |account| account["city"] == "Seattle",
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"city": {"value": "Seatle"}}),
            |account| account["city"] == "Seattle",
        )
        .await;
}

#[tokio::test]
async fn state_finds_accounts_by_the_states_code() {
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"state": {"value": "TX"}}),
            |account| account["state"] == "TX",
        )
        .await;
    let either = |account: &Value| account["state"] == "TX" || account["state"] == "WA";
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"state": {"value": ["TX", "WA"]}}),
            either,
        )
        .await;
    assert_eq!(
        shared_service()
            .search_all(
                DATA_ACCOUNTS,
                json!({"filters": {"state": {"value": "Texas"}}})
            )
            .await,
        [Value::Null; 0],
        "a code, not a name"
    );
}

#[tokio::test]
async fn name_finds_accounts_by_a_part_of_their_name() {
    let named = |account: &Value| {
        account["name"]
            .as_str()
            .unwrap()
            .split(' ')
            .any(|word| word.starts_with("Architect"))
    };
    shared_service()
        .assert_filter_finds(
            DATA_ACCOUNTS,
            json!({"name": {"value": "architect"}}),
            named,
        )
        .await;
    let account = &shared_service().records(DATA_ACCOUNTS)[7];
    let whole = json!({"name": {"value": account["name"], "exact_match": true}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, whole, |one| one["name"] == account["name"])
        .await;
}

#[tokio::test]
async fn has_project_finds_accounts_with_a_matching_project() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"has_project": {}}), |account| {
            !list_field(account, "projects").is_empty()
        })
        .await;
    let hotel = json!({"has_project": {"primary_use": {"value": "hotel"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, hotel, |account| {
            any_related(account, "projects", |project| {
                project["primary_use"] == "hotel"
            })
        })
        .await;
}

#[tokio::test]
async fn without_project_finds_accounts_with_no_matching_project() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"without_project": {}}), |account| {
            list_field(account, "projects").is_empty()
        })
        .await;
    let hotel = json!({"without_project": {"primary_use": {"value": "hotel"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, hotel, |account| {
            !any_related(account, "projects", |project| {
                project["primary_use"] == "hotel"
            })
        })
        .await;
}

#[tokio::test]
async fn has_signal_finds_accounts_with_a_matching_signal_on_their_projects() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"has_signal": {}}), |account| {
            !list_field(account, "signals").is_empty()
        })
        .await;
    let loan = json!({"has_signal": {"signal_type": {"value": "construction_loan"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, loan, |account| {
            any_related(account, "signals", |one| {
                one["signal_type"] == "construction_loan"
            })
        })
        .await;
}

#[tokio::test]
async fn without_signal_finds_accounts_with_no_matching_signal_on_their_projects() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"without_signal": {}}), |account| {
            list_field(account, "signals").is_empty()
        })
        .await;
    let loan = json!({"without_signal": {"signal_type": {"value": "construction_loan"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, loan, |account| {
            !any_related(account, "signals", |one| {
                one["signal_type"] == "construction_loan"
            })
        })
        .await;
}

#[tokio::test]
async fn has_contact_finds_accounts_with_a_matching_contact() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"has_contact": {}}), |account| {
            !list_field(account, "contacts").is_empty()
        })
        .await;
    let manager =
        json!({"has_contact": {"title": {"value": "Office Manager", "exact_match": true}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, manager, |account| {
            any_related(account, "contacts", |one| one["title"] == "Office Manager")
        })
        .await;
}

#[tokio::test]
async fn without_contact_finds_accounts_with_no_matching_contact() {
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, json!({"without_contact": {}}), |account| {
            list_field(account, "contacts").is_empty()
        })
        .await;
    let manager =
        json!({"without_contact": {"title": {"value": "Office Manager", "exact_match": true}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, manager, |account| {
            !any_related(account, "contacts", |one| one["title"] == "Office Manager")
        })
        .await;
}

#[tokio::test]
async fn accounts_have_no_range_keys() {
    for key in ["account_type", "city", "state", "name"] {
        let issues = shared_service()
            .refused_filter_issues(DATA_ACCOUNTS, json!({key: {"min": 1}}))
            .await;
        assert!(
            issues.iter().any(|issue| issue["code"] == "unknown_key"
                && issue["path"] == json!(["filters", key, "min"])),
            "{key}"
        );
    }
    for key in [
        "projects_count",
        "contacts_count",
        "founded_year",
        "created_at",
    ] {
        let issues = shared_service()
            .refused_filter_issues(DATA_ACCOUNTS, json!({key: {"min": 1}}))
            .await;
        assert_eq!(
            (&issues[0]["code"], &issues[0]["path"]),
            (&json!("unknown_key"), &json!(["filters", key]))
        );
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
        let issues = shared_service()
            .refused_filter_issues(DATA_ACCOUNTS, json!({key: {"value": "x"}}))
            .await;
        assert_eq!(
            (issues.len(), &issues[0]["code"]),
            (1, &json!("unknown_key")),
            "{key}"
        );
    }
}
