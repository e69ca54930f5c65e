//! Each filter of the book's projects (interface: `POST /workspace/projects/search`; decisions
//! 2.13).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const BOOK_PROJECTS: &str = "/workspace/projects";

#[tokio::test]
async fn workspace_status_of_projects_matches_exactly() {
    let status = &shared_service().find_record(BOOK_PROJECTS, |project| {
        project["workspace_status"].is_string()
    })["workspace_status"];
    shared_service()
        .assert_filter_finds(
            BOOK_PROJECTS,
            json!({"workspace_status": {"value": status}}),
            |one| one["workspace_status"] == *status,
        )
        .await;
    let part = &status.as_str().unwrap()[..2];
    assert_eq!(
        shared_service()
            .search_all(
                BOOK_PROJECTS,
                json!({"filters": {"workspace_status": {"value": part}}})
            )
            .await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn an_array_of_project_tags_means_or() {
    let tagged = |project: &Value, tag: &Value| list_field(project, "tags").contains(tag);
    let one = &shared_service().find_record(BOOK_PROJECTS, |project| {
        !list_field(project, "tags").is_empty()
    })["tags"][0];
    shared_service()
        .assert_filter_finds(
            BOOK_PROJECTS,
            json!({"tags": {"value": [one, "no such tag"]}}),
            |project| tagged(project, one),
        )
        .await;
}

#[tokio::test]
async fn book_project_enum_values_match_the_index() {
    for key in ["stage", "primary_use", "gc_status", "state"] {
        let value =
            &shared_service().find_record(BOOK_PROJECTS, |project| project[key].is_string())[key];
        shared_service()
            .assert_filter_finds(BOOK_PROJECTS, json!({key: {"value": value}}), |project| {
                project[key] == *value
            })
            .await;
    }
}

#[tokio::test]
async fn name_and_city_of_the_books_projects_are_fuzzy() {
    for key in ["name", "city"] {
        let project = shared_service().find_record(BOOK_PROJECTS, |project| {
            project[key]
                .as_str()
                .is_some_and(|text| text.len() > 6 && text.is_ascii())
        });
        let text = project[key].as_str().unwrap();
        let rows = shared_service()
            .search_all(
                BOOK_PROJECTS,
                json!({"filters": {key: {"value": text.to_uppercase()}}}),
            )
            .await;
        assert!(
            rows.iter().any(|row| row["id"] == project["id"]),
            "{key} {text}"
        );
        shared_service()
            .assert_filter_finds(
                BOOK_PROJECTS,
                json!({key: {"value": text, "exact_match": true}}),
                |one| one[key] == text,
            )
            .await;
    }
}

#[tokio::test]
async fn numbers_of_the_books_projects_take_ranges() {
    for key in [
        "stories",
        "residential_units",
        "gross_floor_area_sf",
        "cost_of_construction_usd",
    ] {
        let mut known: Vec<f64> = shared_service()
            .records(BOOK_PROJECTS)
            .iter()
            .filter_map(|project| project[key].as_f64())
            .collect();
        known.sort_by(f64::total_cmp);
        let (low, high) = (known[known.len() / 4], known[known.len() * 3 / 4]);
        let within = |project: &Value| {
            project[key]
                .as_f64()
                .is_some_and(|number| low <= number && number <= high)
        };
        shared_service()
            .assert_filter_finds(
                BOOK_PROJECTS,
                json!({key: {"min": low, "max": high}}),
                within,
            )
            .await;
    }
}

#[tokio::test]
async fn last_signal_at_of_the_books_projects_takes_a_range_of_days() {
    let day = |project: &Value| {
        project["last_signal_at"]
            .as_str()
            .map(|at| at[..10].to_owned())
    };
    let mut days: Vec<String> = shared_service()
        .records(BOOK_PROJECTS)
        .iter()
        .filter_map(day)
        .collect();
    days.sort();
    let (low, high) = (days[days.len() / 4].clone(), days[days.len() / 2].clone());
    let within = |project: &Value| day(project).is_some_and(|day| low <= day && day <= high);
    shared_service()
        .assert_filter_finds(
            BOOK_PROJECTS,
            json!({"last_signal_at": {"min": low, "max": high}}),
            within,
        )
        .await;
}

#[tokio::test]
async fn has_account_of_the_books_projects_takes_role_name_and_account_type() {
    let plays = |account: &Value| any_related(account, "roles", |word| word == "gc");
    shared_service()
        .assert_filter_finds(
            BOOK_PROJECTS,
            json!({"has_account": {"role": {"value": "gc"}}}),
            |project| any_related(project, "accounts", plays),
        )
        .await;
    let name = &shared_service().find_record(BOOK_PROJECTS, |project| {
        !list_field(project, "accounts").is_empty()
    })["accounts"][0]["name"];
    let named = json!({"has_account": {"name": {"value": name, "exact_match": true}}});
    shared_service()
        .assert_filter_finds(BOOK_PROJECTS, named, |project| {
            any_related(project, "accounts", |one| one["name"] == *name)
        })
        .await;
    let is = |account: &Value| any_related(account, "account_types", |word| word == "lender");
    shared_service()
        .assert_filter_finds(
            BOOK_PROJECTS,
            json!({"has_account": {"account_type": {"value": "lender"}}}),
            |one| any_related(one, "accounts", is),
        )
        .await;
}

#[tokio::test]
async fn has_signal_and_has_contact_of_book_projects_find_matching_projects() {
    let inner = json!({"has_signal": {"signal_type": {"value": "permit_issued"}}});
    shared_service()
        .assert_filter_finds(BOOK_PROJECTS, inner, |project| {
            any_related(project, "signals", |one| {
                one["signal_type"] == "permit_issued"
            })
        })
        .await;
    let project = shared_service().find_record(BOOK_PROJECTS, |project| {
        any_related(project, "contacts", |one| one["title"].is_string())
    });
    let title = &list_field(project, "contacts")
        .iter()
        .find(|one| one["title"].is_string())
        .unwrap()["title"];
    let inner = json!({"has_contact": {"title": {"value": title, "exact_match": true}}});
    shared_service()
        .assert_filter_finds(BOOK_PROJECTS, inner, |project| {
            any_related(project, "contacts", |one| one["title"] == *title)
        })
        .await;
}

#[tokio::test]
async fn book_projects_have_exactly_the_documented_filters() {
    for key in [
        "icp_tier",
        "stories_known",
        "without_account",
        "title",
        "notes",
        "on_project",
        "height_ft",
    ] {
        let issues = shared_service()
            .refused_filter_issues(BOOK_PROJECTS, json!({key: {}}))
            .await;
        let mut allowed: Vec<&str> = issues[0]["allowed"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        allowed.sort_unstable();
        let expected = "city cost_of_construction_usd gc_status gross_floor_area_sf has_account has_contact has_signal last_signal_at name \
                        primary_use residential_units stage state stories tags workspace_status";
        assert_eq!(allowed.join(" "), expected, "{key}");
    }
}
