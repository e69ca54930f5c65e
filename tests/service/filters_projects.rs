//! Each filter key of projects in the Data API (interface: Filter grammar, Datasets).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const DATA_PROJECTS: &str = "/data/projects";

/// Checks that a range finds the records whose number is known and within it, both ends included;
/// each end may be missing.
async fn assert_range_filter(key: &str) {
    let mut known: Vec<f64> = shared_service()
        .records(DATA_PROJECTS)
        .iter()
        .filter_map(|project| project[key].as_f64())
        .collect();
    known.sort_by(f64::total_cmp);
    let (low, high) = (known[known.len() / 4], known[known.len() * 3 / 4]);
    let within = |project: &Value, min: f64, max: f64| {
        project[key]
            .as_f64()
            .is_some_and(|number| min <= number && number <= max)
    };
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({key: {"min": low, "max": high}}),
            |project| within(project, low, high),
        )
        .await;
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({key: {"min": high}}), |project| {
            within(project, high, f64::MAX)
        })
        .await;
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({key: {"max": low}}), |project| {
            within(project, f64::MIN, low)
        })
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({key: {"min": high, "max": high}}),
            |project| within(project, high, high),
        )
        .await;
}

#[tokio::test]
async fn stage_finds_projects_of_the_stage() {
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stage": {"value": "approved"}}),
            |project| project["stage"] == "approved",
        )
        .await;
    let either = |project: &Value| {
        project["stage"] == "permitted" || project["stage"] == "under_construction"
    };
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stage": {"value": ["permitted", "under_construction"]}}),
            either,
        )
        .await;
}

#[tokio::test]
async fn primary_use_finds_projects_with_that_use() {
    for word in ["multifamily", "mixed_use"] {
        shared_service()
            .assert_filter_finds(
                DATA_PROJECTS,
                json!({"primary_use": {"value": word}}),
                |project| project["primary_use"] == word,
            )
            .await;
    }
}

#[tokio::test]
async fn city_finds_projects_in_the_city() {
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"city": {"value": "Denver"}}),
            |project| project["city"] == "Denver",
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"city": {"value": "Dever"}}),
            |project| project["city"] == "Denver",
        )
        .await;
}

#[tokio::test]
async fn state_finds_projects_by_the_states_code() {
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"state": {"value": "CO"}}),
            |project| project["state"] == "CO",
        )
        .await;
}

#[tokio::test]
async fn name_finds_projects_by_a_word_of_their_name() {
    let yards = |project: &Value| {
        project["name"]
            .as_str()
            .unwrap()
            .split(' ')
            .any(|word| word == "Yards" || word == "Yard")
    };
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"name": {"value": "yards"}}), yards)
        .await;
}

#[tokio::test]
async fn gc_status_finds_projects_by_contractor_status() {
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"gc_status": {"value": "unknown"}}),
            |project| project["gc_status"] == "unknown",
        )
        .await;
}

#[tokio::test]
async fn stories_known_finds_projects_with_known_or_unknown_stories() {
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stories_known": {"value": true}}),
            |project| project["stories"].is_number(),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stories_known": {"value": false}}),
            |project| project["stories"].is_null(),
        )
        .await;
    let issues = shared_service()
        .refused_filter_issues(DATA_PROJECTS, json!({"stories_known": {"value": "true"}}))
        .await;
    assert_eq!(
        (&issues[0]["code"], &issues[0]["expected"]),
        (&json!("invalid_type"), &json!("boolean"))
    );
}

#[tokio::test]
async fn stories_takes_a_range() {
    assert_range_filter("stories").await;
}

#[tokio::test]
async fn residential_units_takes_a_range() {
    assert_range_filter("residential_units").await;
}

#[tokio::test]
async fn gross_floor_area_sf_takes_a_range() {
    assert_range_filter("gross_floor_area_sf").await;
}

#[tokio::test]
async fn cost_of_construction_usd_takes_a_range() {
    assert_range_filter("cost_of_construction_usd").await;
}

#[tokio::test]
async fn last_signal_at_takes_a_range_of_days() {
    let at = |project: &Value, min: &str, max: &str| {
        project["last_signal_at"]
            .as_str()
            .is_some_and(|day| min <= day && day <= max)
    };
    let mut days: Vec<&str> = shared_service()
        .records(DATA_PROJECTS)
        .iter()
        .filter_map(|project| project["last_signal_at"].as_str())
        .collect();
    days.sort_unstable();
    let (low, high) = (days[days.len() / 4], days[days.len() / 2]);
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"last_signal_at": {"min": low, "max": high}}),
            |one| at(one, low, high),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"last_signal_at": {"min": high}}),
            |one| at(one, high, "9999"),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"last_signal_at": {"max": low}}),
            |one| at(one, "", low),
        )
        .await;
}

#[tokio::test]
async fn has_account_finds_projects_with_a_matching_account() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"has_account": {}}), |project| {
            !list_field(project, "accounts").is_empty()
        })
        .await;
    let lender = json!({"has_account": {"account_type": {"value": "lender"}}});
    let is = |account: &Value| any_related(account, "account_types", |word| word == "lender");
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, lender, |project| {
            any_related(project, "accounts", is)
        })
        .await;
}

#[tokio::test]
async fn without_account_finds_projects_with_no_matching_account() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"without_account": {}}), |project| {
            list_field(project, "accounts").is_empty()
        })
        .await;
    let lender = json!({"without_account": {"account_type": {"value": "lender"}}});
    let is = |account: &Value| any_related(account, "account_types", |word| word == "lender");
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, lender, |project| {
            !any_related(project, "accounts", is)
        })
        .await;
}

#[tokio::test]
async fn the_inner_fields_of_has_account_include_role() {
    for role in ["developer", "gc", "engineer"] {
        let plays = |account: &Value| any_related(account, "roles", |word| word == role);
        shared_service()
            .assert_filter_finds(
                DATA_PROJECTS,
                json!({"has_account": {"role": {"value": role}}}),
                |one| any_related(one, "accounts", plays),
            )
            .await;
        shared_service()
            .assert_filter_finds(
                DATA_PROJECTS,
                json!({"without_account": {"role": {"value": role}}}),
                |one| !any_related(one, "accounts", plays),
            )
            .await;
    }
    let issues = shared_service()
        .refused_filter_issues(
            DATA_PROJECTS,
            json!({"has_account": {"role": {"value": "janitor"}}}),
        )
        .await;
    assert_eq!(issues[0]["code"], "invalid_enum_value");
}

#[tokio::test]
async fn the_inner_fields_of_has_account_include_name() {
    let firm = shared_service().find_record("/data/accounts", |account| {
        list_field(account, "projects").len() > 1
    });
    let named = json!({"has_account": {"name": {"value": firm["name"], "exact_match": true}}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, named, |one| {
            any_related(one, "accounts", |account| account["name"] == firm["name"])
        })
        .await;
}

#[tokio::test]
async fn role_and_name_must_match_the_same_account() {
    let firm = shared_service().find_record("/data/accounts", |account| {
        list_field(account, "projects").len() > 1
    });
    let both = |one: &Value| {
        one["name"] == firm["name"] && any_related(one, "roles", |word| word == "developer")
    };
    let found = shared_service()
        .search_all(
            DATA_PROJECTS,
            json!({"filters": {"has_account": {
            "role": {"value": "developer"}, "name": {"value": firm["name"], "exact_match": true}}}}),
        )
        .await;
    let expected = shared_service()
        .records(DATA_PROJECTS)
        .iter()
        .filter(|project| any_related(project, "accounts", both))
        .count();
    assert_eq!(found.len(), expected);
}

#[tokio::test]
async fn has_signal_finds_projects_with_a_matching_signal() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"has_signal": {}}), |project| {
            !list_field(project, "signals").is_empty()
        })
        .await;
    let loan = json!({"has_signal": {"signal_type": {"value": "construction_loan"}}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, loan, |project| {
            any_related(project, "signals", |one| {
                one["signal_type"] == "construction_loan"
            })
        })
        .await;
}

#[tokio::test]
async fn without_signal_finds_projects_with_no_matching_signal() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"without_signal": {}}), |project| {
            list_field(project, "signals").is_empty()
        })
        .await;
    let loan = json!({"without_signal": {"signal_type": {"value": "construction_loan"}}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, loan, |project| {
            !any_related(project, "signals", |one| {
                one["signal_type"] == "construction_loan"
            })
        })
        .await;
}

#[tokio::test]
async fn has_contact_finds_projects_with_a_matching_contact() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"has_contact": {}}), |project| {
            !list_field(project, "contacts").is_empty()
        })
        .await;
    let firm = &shared_service().find_record(DATA_PROJECTS, |project| {
        any_related(project, "contacts", |one| one["account_id"].is_string())
    })["contacts"][0];
    let theirs = json!({"has_contact": {"account_id": {"value": firm["account_id"]}}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, theirs, |one| {
            any_related(one, "contacts", |contact| {
                contact["account_id"] == firm["account_id"]
            })
        })
        .await;
}

#[tokio::test]
async fn without_contact_finds_projects_with_no_matching_contact() {
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"without_contact": {}}), |project| {
            list_field(project, "contacts").is_empty()
        })
        .await;
    let titled = |contact: &Value| {
        contact["title"]
            .as_str()
            .is_some_and(|title| title == "Project Manager")
    };
    let none =
        json!({"without_contact": {"title": {"value": "project manager", "exact_match": true}}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, none, |project| {
            !any_related(project, "contacts", titled)
        })
        .await;
}

#[tokio::test]
async fn keys_of_other_datasets_and_of_the_book_are_unknown_to_projects() {
    for key in [
        "account_type",
        "title",
        "signal_type",
        "tags",
        "workspace_status",
        "notes",
        "uses",
        "disposition",
        "neighborhood",
        "first_signal_at",
        "created_at",
        "height_ft",
        "has_project",
        "on_project",
        "has_accounts",
        "parking_spaces",
    ] {
        let issues = shared_service()
            .refused_filter_issues(DATA_PROJECTS, json!({key: {"value": "x"}}))
            .await;
        assert_eq!(
            (issues.len(), &issues[0]["code"]),
            (1, &json!("unknown_key")),
            "{key}"
        );
    }
}
