//! Each filter of the book's projects (interface: `POST /workspace/projects/search`; decisions 2.13).

use crate::room::{any, list, room};
use serde_json::{Value, json};

const BOOK: &str = "/workspace/projects";

#[tokio::test]
async fn workspace_status_of_projects_matches_exactly() {
    let status = &room().one(BOOK, |project| project["workspace_status"].is_string())["workspace_status"];
    room().finds(BOOK, json!({"workspace_status": {"value": status}}), |one| one["workspace_status"] == *status).await;
    let part = &status.as_str().unwrap()[..2];
    assert_eq!(room().all(BOOK, json!({"filters": {"workspace_status": {"value": part}}})).await, [Value::Null; 0]);
}

#[tokio::test]
async fn an_array_of_tags_of_projects_is_or() {
    let tagged = |project: &Value, tag: &Value| list(project, "tags").contains(tag);
    let one = &room().one(BOOK, |project| !list(project, "tags").is_empty())["tags"][0];
    room().finds(BOOK, json!({"tags": {"value": [one, "no such tag"]}}), |project| tagged(project, one)).await;
}

#[tokio::test]
async fn the_words_of_the_books_projects_are_those_of_the_index() {
    for key in ["stage", "primary_use", "gc_status", "state"] {
        let value = &room().one(BOOK, |project| project[key].is_string())[key];
        room().finds(BOOK, json!({key: {"value": value}}), |project| project[key] == *value).await;
    }
}

#[tokio::test]
async fn name_and_city_of_the_books_projects_are_fuzzy() {
    for key in ["name", "city"] {
        let project = room().one(BOOK, |project| project[key].as_str().is_some_and(|text| text.len() > 6 && text.is_ascii()));
        let text = project[key].as_str().unwrap();
        let rows = room().all(BOOK, json!({"filters": {key: {"value": text.to_uppercase()}}})).await;
        assert!(rows.iter().any(|row| row["id"] == project["id"]), "{key} {text}");
        room().finds(BOOK, json!({key: {"value": text, "exact_match": true}}), |one| one[key] == text).await;
    }
}

#[tokio::test]
async fn numbers_of_the_books_projects_take_ranges() {
    for key in ["stories", "residential_units", "gross_floor_area_sf", "cost_of_construction_usd"] {
        let mut known: Vec<f64> = room().records(BOOK).iter().filter_map(|project| project[key].as_f64()).collect();
        known.sort_by(f64::total_cmp);
        let (low, high) = (known[known.len() / 4], known[known.len() * 3 / 4]);
        let within = |project: &Value| project[key].as_f64().is_some_and(|number| low <= number && number <= high);
        room().finds(BOOK, json!({key: {"min": low, "max": high}}), within).await;
    }
}

#[tokio::test]
async fn last_signal_at_of_the_books_projects_takes_a_range_of_days() {
    let day = |project: &Value| project["last_signal_at"].as_str().map(|at| at[..10].to_owned());
    let mut days: Vec<String> = room().records(BOOK).iter().filter_map(day).collect();
    days.sort();
    let (low, high) = (days[days.len() / 4].clone(), days[days.len() / 2].clone());
    let within = |project: &Value| day(project).is_some_and(|day| low <= day && day <= high);
    room().finds(BOOK, json!({"last_signal_at": {"min": low, "max": high}}), within).await;
}

#[tokio::test]
async fn has_account_of_the_books_projects_takes_role_name_and_account_type() {
    let plays = |account: &Value| any(account, "roles", |word| word == "gc");
    room().finds(BOOK, json!({"has_account": {"role": {"value": "gc"}}}), |project| any(project, "accounts", plays)).await;
    let name = &room().one(BOOK, |project| !list(project, "accounts").is_empty())["accounts"][0]["name"];
    let named = json!({"has_account": {"name": {"value": name, "exact_match": true}}});
    room().finds(BOOK, named, |project| any(project, "accounts", |one| one["name"] == *name)).await;
    let is = |account: &Value| any(account, "account_types", |word| word == "lender");
    room().finds(BOOK, json!({"has_account": {"account_type": {"value": "lender"}}}), |one| any(one, "accounts", is)).await;
}

#[tokio::test]
async fn has_signal_and_has_contact_of_the_books_projects_find_what_they_say() {
    let inner = json!({"has_signal": {"signal_type": {"value": "permit_issued"}}});
    room().finds(BOOK, inner, |project| any(project, "signals", |one| one["signal_type"] == "permit_issued")).await;
    let project = room().one(BOOK, |project| any(project, "contacts", |one| one["title"].is_string()));
    let title = &list(project, "contacts").iter().find(|one| one["title"].is_string()).unwrap()["title"];
    let inner = json!({"has_contact": {"title": {"value": title, "exact_match": true}}});
    room().finds(BOOK, inner, |project| any(project, "contacts", |one| one["title"] == *title)).await;
}

#[tokio::test]
async fn the_books_projects_have_these_filters_and_no_others() {
    for key in ["icp_tier", "stories_known", "without_account", "title", "notes", "on_project", "height_ft"] {
        let issues = room().refuses(BOOK, json!({key: {}})).await;
        let mut allowed: Vec<&str> = issues[0]["allowed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        allowed.sort_unstable();
        let expected = "city cost_of_construction_usd gc_status gross_floor_area_sf has_account has_contact has_signal last_signal_at name \
                        primary_use residential_units stage state stories tags workspace_status";
        assert_eq!(allowed.join(" "), expected, "{key}");
    }
}
