//! Each filter key of projects in the Data API (interface: Filter grammar, Datasets).

use crate::room::{any, list, room};
use serde_json::{Value, json};

const PROJECTS: &str = "/data/projects";

/// A range finds the records whose number is known and within, both ends included; each end may be missing.
async fn ranges(key: &str) {
    let mut known: Vec<f64> = room().records(PROJECTS).iter().filter_map(|project| project[key].as_f64()).collect();
    known.sort_by(f64::total_cmp);
    let (low, high) = (known[known.len() / 4], known[known.len() * 3 / 4]);
    let within = |project: &Value, min: f64, max: f64| project[key].as_f64().is_some_and(|number| min <= number && number <= max);
    room().finds(PROJECTS, json!({key: {"min": low, "max": high}}), |project| within(project, low, high)).await;
    room().finds(PROJECTS, json!({key: {"min": high}}), |project| within(project, high, f64::MAX)).await;
    room().finds(PROJECTS, json!({key: {"max": low}}), |project| within(project, f64::MIN, low)).await;
    room().finds(PROJECTS, json!({key: {"min": high, "max": high}}), |project| within(project, high, high)).await;
}

#[tokio::test]
async fn stage_finds_projects_of_the_stage() {
    room().finds(PROJECTS, json!({"stage": {"value": "approved"}}), |project| project["stage"] == "approved").await;
    let either = |project: &Value| project["stage"] == "permitted" || project["stage"] == "under_construction";
    room().finds(PROJECTS, json!({"stage": {"value": ["permitted", "under_construction"]}}), either).await;
}

#[tokio::test]
async fn primary_use_finds_projects_of_the_use() {
    for word in ["multifamily", "mixed_use"] {
        room().finds(PROJECTS, json!({"primary_use": {"value": word}}), |project| project["primary_use"] == word).await;
    }
}

#[tokio::test]
async fn city_finds_projects_in_the_city() {
    room().finds(PROJECTS, json!({"city": {"value": "Denver"}}), |project| project["city"] == "Denver").await;
    room().finds(PROJECTS, json!({"city": {"value": "Dever"}}), |project| project["city"] == "Denver").await;
}

#[tokio::test]
async fn state_finds_projects_by_the_states_code() {
    room().finds(PROJECTS, json!({"state": {"value": "CO"}}), |project| project["state"] == "CO").await;
}

#[tokio::test]
async fn name_finds_projects_by_a_word_of_their_name() {
    let yards = |project: &Value| project["name"].as_str().unwrap().split(' ').any(|word| word == "Yards" || word == "Yard");
    room().finds(PROJECTS, json!({"name": {"value": "yards"}}), yards).await;
}

#[tokio::test]
async fn gc_status_finds_projects_by_what_is_known_of_their_contractor() {
    room().finds(PROJECTS, json!({"gc_status": {"value": "unknown"}}), |project| project["gc_status"] == "unknown").await;
}

#[tokio::test]
async fn stories_known_finds_projects_whose_stories_are_known_or_not() {
    room().finds(PROJECTS, json!({"stories_known": {"value": true}}), |project| project["stories"].is_number()).await;
    room().finds(PROJECTS, json!({"stories_known": {"value": false}}), |project| project["stories"].is_null()).await;
    let issues = room().refuses(PROJECTS, json!({"stories_known": {"value": "true"}})).await;
    assert_eq!((&issues[0]["code"], &issues[0]["expected"]), (&json!("invalid_type"), &json!("boolean")));
}

#[tokio::test]
async fn stories_takes_a_range() {
    ranges("stories").await;
}

#[tokio::test]
async fn residential_units_takes_a_range() {
    ranges("residential_units").await;
}

#[tokio::test]
async fn gross_floor_area_sf_takes_a_range() {
    ranges("gross_floor_area_sf").await;
}

#[tokio::test]
async fn cost_of_construction_usd_takes_a_range() {
    ranges("cost_of_construction_usd").await;
}

#[tokio::test]
async fn last_signal_at_takes_a_range_of_days() {
    let at =
        |project: &Value, min: &str, max: &str| project["last_signal_at"].as_str().is_some_and(|day| min <= day && day <= max);
    let mut days: Vec<&str> = room().records(PROJECTS).iter().filter_map(|project| project["last_signal_at"].as_str()).collect();
    days.sort_unstable();
    let (low, high) = (days[days.len() / 4], days[days.len() / 2]);
    room().finds(PROJECTS, json!({"last_signal_at": {"min": low, "max": high}}), |one| at(one, low, high)).await;
    room().finds(PROJECTS, json!({"last_signal_at": {"min": high}}), |one| at(one, high, "9999")).await;
    room().finds(PROJECTS, json!({"last_signal_at": {"max": low}}), |one| at(one, "", low)).await;
}

#[tokio::test]
async fn has_account_finds_projects_with_such_an_account() {
    room().finds(PROJECTS, json!({"has_account": {}}), |project| !list(project, "accounts").is_empty()).await;
    let lender = json!({"has_account": {"account_type": {"value": "lender"}}});
    let is = |account: &Value| any(account, "account_types", |word| word == "lender");
    room().finds(PROJECTS, lender, |project| any(project, "accounts", is)).await;
}

#[tokio::test]
async fn without_account_finds_projects_with_no_such_account() {
    room().finds(PROJECTS, json!({"without_account": {}}), |project| list(project, "accounts").is_empty()).await;
    let lender = json!({"without_account": {"account_type": {"value": "lender"}}});
    let is = |account: &Value| any(account, "account_types", |word| word == "lender");
    room().finds(PROJECTS, lender, |project| !any(project, "accounts", is)).await;
}

#[tokio::test]
async fn the_inner_fields_of_has_account_include_role() {
    for role in ["developer", "gc", "engineer"] {
        let plays = |account: &Value| any(account, "roles", |word| word == role);
        room().finds(PROJECTS, json!({"has_account": {"role": {"value": role}}}), |one| any(one, "accounts", plays)).await;
        room().finds(PROJECTS, json!({"without_account": {"role": {"value": role}}}), |one| !any(one, "accounts", plays)).await;
    }
    let issues = room().refuses(PROJECTS, json!({"has_account": {"role": {"value": "janitor"}}})).await;
    assert_eq!(issues[0]["code"], "invalid_enum_value");
}

#[tokio::test]
async fn the_inner_fields_of_has_account_include_name() {
    let firm = room().one("/data/accounts", |account| list(account, "projects").len() > 1);
    let named = json!({"has_account": {"name": {"value": firm["name"], "exact_match": true}}});
    room().finds(PROJECTS, named, |one| any(one, "accounts", |account| account["name"] == firm["name"])).await;
}

#[tokio::test]
async fn the_role_and_the_name_are_of_one_account() {
    let firm = room().one("/data/accounts", |account| list(account, "projects").len() > 1);
    let both = |one: &Value| one["name"] == firm["name"] && any(one, "roles", |word| word == "developer");
    let found = room()
        .all(
            PROJECTS,
            json!({"filters": {"has_account": {
            "role": {"value": "developer"}, "name": {"value": firm["name"], "exact_match": true}}}}),
        )
        .await;
    let expected = room().records(PROJECTS).iter().filter(|project| any(project, "accounts", both)).count();
    assert_eq!(found.len(), expected);
}

#[tokio::test]
async fn has_signal_finds_projects_with_such_a_signal() {
    room().finds(PROJECTS, json!({"has_signal": {}}), |project| !list(project, "signals").is_empty()).await;
    let loan = json!({"has_signal": {"signal_type": {"value": "construction_loan"}}});
    room().finds(PROJECTS, loan, |project| any(project, "signals", |one| one["signal_type"] == "construction_loan")).await;
}

#[tokio::test]
async fn without_signal_finds_projects_with_no_such_signal() {
    room().finds(PROJECTS, json!({"without_signal": {}}), |project| list(project, "signals").is_empty()).await;
    let loan = json!({"without_signal": {"signal_type": {"value": "construction_loan"}}});
    room().finds(PROJECTS, loan, |project| !any(project, "signals", |one| one["signal_type"] == "construction_loan")).await;
}

#[tokio::test]
async fn has_contact_finds_projects_with_such_a_contact() {
    room().finds(PROJECTS, json!({"has_contact": {}}), |project| !list(project, "contacts").is_empty()).await;
    let firm = &room().one(PROJECTS, |project| any(project, "contacts", |one| one["account_id"].is_string()))["contacts"][0];
    let theirs = json!({"has_contact": {"account_id": {"value": firm["account_id"]}}});
    room().finds(PROJECTS, theirs, |one| any(one, "contacts", |contact| contact["account_id"] == firm["account_id"])).await;
}

#[tokio::test]
async fn without_contact_finds_projects_with_no_such_contact() {
    room().finds(PROJECTS, json!({"without_contact": {}}), |project| list(project, "contacts").is_empty()).await;
    let titled = |contact: &Value| contact["title"].as_str().is_some_and(|title| title == "Project Manager");
    let none = json!({"without_contact": {"title": {"value": "project manager", "exact_match": true}}});
    room().finds(PROJECTS, none, |project| !any(project, "contacts", titled)).await;
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
        let issues = room().refuses(PROJECTS, json!({key: {"value": "x"}})).await;
        assert_eq!((issues.len(), &issues[0]["code"]), (1, &json!("unknown_key")), "{key}");
    }
}
