//! Relational filters (interface: Filter grammar; decisions 1): some related record, none, or one
//! that does not match.

use crate::shared_service::{any_related, first_issue, list_field, shared_service};
use serde_json::{Value, json};

const DATA_PROJECTS: &str = "/data/projects";
const DATA_ACCOUNTS: &str = "/data/accounts";

#[tokio::test]
async fn a_relation_needs_one_related_record_that_meets_all_inner_criteria() {
    let both = |project: &Value| {
        project["primary_use"] == "multifamily" && project["stage"] == "permitted"
    };
    let one = json!({"has_project": {"primary_use": {"value": "multifamily"}, "stage": {"value": "permitted"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, one, |account| {
            any_related(account, "projects", both)
        })
        .await;
    // one project that matches both is more than two projects that match one each
    let apart = |account: &Value| {
        any_related(account, "projects", |one| {
            one["primary_use"] == "multifamily"
        }) && any_related(account, "projects", |one| one["stage"] == "permitted")
    };
    let accounts = shared_service().records(DATA_ACCOUNTS).iter();
    assert!(
        accounts
            .filter(|account| apart(account) && !any_related(account, "projects", both))
            .count()
            > 0,
        "the sample distinguishes the two"
    );
}

#[tokio::test]
async fn relational_blocks_combine_with_and() {
    let loan = |one: &Value| one["signal_type"] == "construction_loan";
    let filters = json!({
        "has_signal": {"signal_type": {"value": "construction_loan"}},
        "without_contact": {"title": {"value": "Project Executive", "exact_match": true}},
        "stories": {"min": 3},
    });
    let holds = |project: &Value| {
        any_related(project, "signals", loan)
            && !any_related(project, "contacts", |one| {
                one["title"] == "Project Executive"
            })
            && project["stories"].as_i64() >= Some(3)
    };
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, filters, holds)
        .await;
}

#[tokio::test]
async fn without_matches_records_with_no_matching_related_record() {
    for (place, with, without, inner) in [
        (
            DATA_ACCOUNTS,
            "has_project",
            "without_project",
            json!({"stage": {"value": "permitted"}}),
        ),
        (
            DATA_ACCOUNTS,
            "has_signal",
            "without_signal",
            json!({"filed_at": {"min": "2026-06-01"}}),
        ),
        (
            DATA_ACCOUNTS,
            "has_contact",
            "without_contact",
            json!({"name": {"value": "Maria"}}),
        ),
        (
            DATA_PROJECTS,
            "has_account",
            "without_account",
            json!({"role": {"value": "lender"}}),
        ),
        (
            DATA_PROJECTS,
            "has_signal",
            "without_signal",
            json!({"signal_type": {"value": "permit_issued"}}),
        ),
        (
            DATA_PROJECTS,
            "has_contact",
            "without_contact",
            json!({"title": {"value": "estimator"}}),
        ),
    ] {
        let with = shared_service()
            .search_all(place, json!({"filters": {with: inner}}))
            .await;
        let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
        let with: Vec<String> = with.iter().map(id).collect();
        shared_service()
            .assert_filter_finds(place, json!({without: inner}), |record| {
                !with.contains(&id(record))
            })
            .await;
    }
}

#[tokio::test]
async fn without_takes_the_same_inner_filters_as_its_has_twin() {
    for (dataset, twins) in [
        ("accounts", ["project", "signal", "contact"]),
        ("projects", ["account", "signal", "contact"]),
    ] {
        for twin in twins {
            let field = async |word: &str| {
                let path = format!("/data/fields/{dataset}/{word}_{twin}");
                shared_service()
                    .get(&shared_service().api_key(0), &path)
                    .await
                    .ok()["data"]["fields"]
                    .clone()
            };
            assert_eq!(
                field("has").await,
                field("without").await,
                "{dataset} {twin}"
            );
        }
    }
}

#[tokio::test]
async fn exclude_inside_has_matches_records_with_some_non_matching_relation() {
    let some_other = json!({"has_project": {"stage": {"value": "completed", "exclude": true}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, some_other, |account| {
            any_related(account, "projects", |one| one["stage"] != "completed")
        })
        .await;
    let none = json!({"without_project": {"stage": {"value": "completed"}}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, none, |account| {
            !any_related(account, "projects", |one| one["stage"] == "completed")
        })
        .await;
    let mixed = |account: &&Value| {
        any_related(account, "projects", |one| one["stage"] != "completed")
            && any_related(account, "projects", |one| one["stage"] == "completed")
    };
    assert!(
        shared_service()
            .records(DATA_ACCOUNTS)
            .iter()
            .filter(mixed)
            .count()
            > 0,
        "the sample distinguishes the two"
    );
}

#[tokio::test]
async fn an_empty_relational_filter_matches_any_related_record() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"has_contact": {}}), |project| {
            !list_field(project, "contacts").is_empty()
        })
        .await;
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"without_contact": {}}), |project| {
            list_field(project, "contacts").is_empty()
        })
        .await;
}

#[tokio::test]
async fn relational_inner_keys_are_those_of_the_related_dataset() {
    let accounts = "account_type city state name";
    let contacts = "name title email account_id";
    let projects = "stage primary_use city state name gc_status stories_known stories residential_units gross_floor_area_sf
        cost_of_construction_usd last_signal_at";
    let signals = "signal_type project_id filed_at discovered_at";
    let team = format!("role {accounts}");
    for (dataset, keys, inner) in [
        ("accounts", "has_project without_project", projects),
        ("accounts", "has_signal without_signal", signals),
        ("accounts", "has_contact without_contact", contacts),
        ("contacts", "at_account", accounts),
        ("contacts", "on_project", projects),
        ("projects", "has_account without_account", &team),
        ("projects", "has_signal without_signal", signals),
        ("projects", "has_contact without_contact", contacts),
        ("signals", "for_project", projects),
        ("signals", "for_account", accounts),
    ] {
        for key in keys.split(' ') {
            let nonsense = json!({key: {"nonsense": {"value": 1}}});
            let issues = shared_service()
                .refused_filter_issues(&format!("/data/{dataset}"), nonsense)
                .await;
            assert_eq!(
                first_issue(&issues),
                ("unknown_key", format!("filters.{key}.nonsense"))
            );
            assert_eq!(
                issues[0]["allowed"],
                json!(inner.split_whitespace().collect::<Vec<_>>()),
                "{dataset} {key}"
            );
        }
    }
}

#[tokio::test]
async fn relations_do_not_nest() {
    let nested = json!({"has_account": {"has_project": {"stage": {"value": "permitted"}}}});
    assert_eq!(
        first_issue(
            &shared_service()
                .refused_filter_issues(DATA_PROJECTS, nested)
                .await
        ),
        ("unknown_key", "filters.has_account.has_project".to_owned())
    );
}
