//! Each filter of the book's accounts (interface: book searches, Account filters).

use crate::room::{any, list, room};
use serde_json::{Value, json};

const BOOK: &str = "/workspace/accounts";

#[tokio::test]
async fn icp_tier_is_a_field_of_four_values_and_an_array_is_or() {
    for tier in ["tier_1", "tier_2", "tier_3", "disqualified"] {
        room().finds(BOOK, json!({"icp_tier": {"value": tier}}), |account| account["icp_tier"] == tier).await;
    }
    let either = |account: &Value| account["icp_tier"] == "tier_1" || account["icp_tier"] == "tier_3";
    room().finds(BOOK, json!({"icp_tier": {"value": ["tier_1", "tier_3"]}}), either).await;
    let others = json!({"icp_tier": {"value": "tier_1", "exclude": true}});
    room().finds(BOOK, others, |account| account["icp_tier"] != "tier_1").await;
    let issues = room().refuses(BOOK, json!({"icp_tier": {"value": "tier_4"}})).await;
    assert_eq!(issues[0]["allowed"], json!(["tier_1", "tier_2", "tier_3", "disqualified"]));
}

#[tokio::test]
async fn workspace_status_of_accounts_matches_exactly() {
    let status = &room().one(BOOK, |account| account["workspace_status"].is_string())["workspace_status"];
    room().finds(BOOK, json!({"workspace_status": {"value": status}}), |one| one["workspace_status"] == *status).await;
    let word = status.as_str().unwrap();
    for other in [word.to_uppercase(), word[1..].to_owned(), format!("{word} "), format!("{word}x")] {
        let rows = room().all(BOOK, json!({"filters": {"workspace_status": {"value": other}}})).await;
        assert!(rows.iter().all(|row| row["workspace_status"] == other), "{other} is not {word}");
    }
}

#[tokio::test]
async fn an_array_of_tags_of_accounts_is_or() {
    let tagged = |account: &Value, tag: &Value| list(account, "tags").contains(tag);
    let one = &room().one(BOOK, |account| !list(account, "tags").is_empty())["tags"][0];
    let other = &room().one(BOOK, |account| !list(account, "tags").is_empty() && !tagged(account, one))["tags"][0];
    room().finds(BOOK, json!({"tags": {"value": one}}), |account| tagged(account, one)).await;
    let either = |account: &Value| tagged(account, one) || tagged(account, other);
    room().finds(BOOK, json!({"tags": {"value": [one, other]}}), either).await;
    room().finds(BOOK, json!({"tags": {"value": [one, other], "exclude": true}}), |account| !either(account)).await;
    let loud = one.as_str().unwrap().to_uppercase() + "!";
    assert_eq!(
        room().all(BOOK, json!({"filters": {"tags": {"value": loud}}})).await,
        [Value::Null; 0],
        "a tag is as it is written"
    );
}

#[tokio::test]
async fn atlas_score_takes_an_integer_range() {
    let score = |account: &Value| account["atlas_score"].as_i64();
    room().finds(BOOK, json!({"atlas_score": {"min": 50}}), |one| score(one) >= Some(50)).await;
    room().finds(BOOK, json!({"atlas_score": {"max": 50}}), |one| score(one).is_some_and(|score| score <= 50)).await;
    room()
        .finds(BOOK, json!({"atlas_score": {"min": 30, "max": 60}}), |one| score(one).is_some_and(|n| (30..=60).contains(&n)))
        .await;
    let issues = room().refuses(BOOK, json!({"atlas_score": {"value": 50}})).await;
    assert_eq!(issues[0]["code"], "unknown_key", "a range and no field filter");
}

#[tokio::test]
async fn name_of_accounts_is_fuzzy() {
    let named =
        |account: &Value| account["name"].as_str().unwrap().split(' ').any(|word| word == "Partners" || word == "Partner");
    room().finds(BOOK, json!({"name": {"value": "partnres"}}), named).await;
}

#[tokio::test]
async fn city_of_accounts_is_fuzzy_by_default() {
    let city = &room().one(BOOK, |one| one["city"].as_str().is_some_and(|city| city.len() > 5 && !city.contains(' ')))["city"];
    let slip = city.as_str().unwrap().replacen(&city.as_str().unwrap()[3..4], "", 1);
    room().finds(BOOK, json!({"city": {"value": slip}}), |account| account["city"] == *city).await;
    room().finds(BOOK, json!({"city": {"value": city, "exact_match": true}}), |account| account["city"] == *city).await;
    let exact = json!({"filters": {"city": {"value": slip, "exact_match": true}}});
    assert_eq!(room().all(BOOK, exact).await, [Value::Null; 0]);
}

#[tokio::test]
async fn state_of_accounts_is_a_state_code() {
    let state = &room().records(BOOK)[0]["state"];
    room().finds(BOOK, json!({"state": {"value": state}}), |account| account["state"] == *state).await;
    let issues = room().all(BOOK, json!({"filters": {"state": {"value": "California"}}})).await;
    assert_eq!(issues, [Value::Null; 0]);
}

#[tokio::test]
async fn account_type_matches_against_account_types_and_an_array_is_or() {
    let is = |account: &Value, word: &str| any(account, "account_types", |one| one == word);
    room().finds(BOOK, json!({"account_type": {"value": "developer"}}), |account| is(account, "developer")).await;
    let either = json!({"account_type": {"value": ["developer", "gc"]}});
    room().finds(BOOK, either, |account| is(account, "developer") || is(account, "gc")).await;
}

/// A relational filter finds the accounts with a related record for which `holds` does.
async fn relates(key: &str, inner: Value, related: &str, holds: impl Fn(&Value) -> bool) {
    room().finds(BOOK, json!({ key: inner }), |account| any(account, related, &holds)).await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_stage() {
    relates("has_project", json!({"stage": {"value": "permitted"}}), "projects", |one| one["stage"] == "permitted").await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_primary_use() {
    relates("has_project", json!({"primary_use": {"value": "multifamily"}}), "projects", |one| {
        one["primary_use"] == "multifamily"
    })
    .await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_city() {
    let account = room().one(BOOK, |account| any(account, "projects", |one| one["city"].is_string()));
    let city = &account["projects"][0]["city"];
    relates("has_project", json!({"city": {"value": city, "exact_match": true}}), "projects", |one| one["city"] == *city).await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_residential_units_as_a_range() {
    let units = |project: &Value| project["residential_units"].as_i64();
    relates("has_project", json!({"residential_units": {"min": 200}}), "projects", |one| units(one) >= Some(200)).await;
    let both = json!({"residential_units": {"min": 100}, "stage": {"value": ["approved", "permitted"]}});
    let stages = [json!("approved"), json!("permitted")];
    relates("has_project", both, "projects", |one| units(one) >= Some(100) && stages.contains(&one["stage"])).await;
}

#[tokio::test]
async fn has_signal_of_accounts_takes_signal_type() {
    let inner = json!({"signal_type": {"value": ["construction_loan", "completion"]}});
    let types = [json!("construction_loan"), json!("completion")];
    relates("has_signal", inner, "signals", |one| types.contains(&one["signal_type"])).await;
}

#[tokio::test]
async fn has_signal_of_accounts_takes_filed_at_as_a_range() {
    let inner = json!({"filed_at": {"min": "2026-06-25"}});
    relates("has_signal", inner, "signals", |one| one["filed_at"].as_str().unwrap() >= "2026-06-25").await;
}

#[tokio::test]
async fn has_contact_of_accounts_takes_title() {
    let account = room().one(BOOK, |account| any(account, "contacts", |one| one["title"].is_string()));
    let title = &list(account, "contacts").iter().find(|one| one["title"].is_string()).unwrap()["title"];
    relates("has_contact", json!({"title": {"value": title, "exact_match": true}}), "contacts", |one| one["title"] == *title)
        .await;
}

#[tokio::test]
async fn has_contact_of_accounts_takes_name() {
    let account = room().one(BOOK, |account| !list(account, "contacts").is_empty());
    let name = &account["contacts"][0]["name"];
    relates("has_contact", json!({"name": {"value": name, "exact_match": true}}), "contacts", |one| one["name"] == *name).await;
}

#[tokio::test]
async fn with_has_project_the_projects_count_of_accounts_counts_only_matching_projects() {
    let permitted = |account: &Value| list(account, "projects").iter().filter(|one| one["stage"] == "permitted").count();
    for order in ["asc", "desc"] {
        let body = json!({"filters": {"has_project": {"stage": {"value": "permitted"}}}, "sort": {"field": "projects_count", "order": order}});
        let rows = room().all(BOOK, body).await;
        let counts: Vec<usize> = rows.iter().map(|row| permitted(room().one(BOOK, |one| one["id"] == row["id"]))).collect();
        let sorted = counts.is_sorted_by(|a, b| if order == "asc" { a <= b } else { a >= b });
        assert!(sorted && counts.first() != counts.last() && !counts.contains(&0), "{order} {counts:?}");
    }
}

#[tokio::test]
async fn the_inner_keys_of_the_books_accounts_are_those_named_and_no_others() {
    for (key, inner) in [
        ("has_project", json!(["stage", "primary_use", "city", "residential_units"])),
        ("has_signal", json!(["signal_type", "filed_at"])),
        ("has_contact", json!(["title", "name"])),
    ] {
        for other in ["state", "name", "stories", "email", "discovered_at", "project_id", "account_id", "role"] {
            if inner.as_array().unwrap().iter().any(|one| one == other) {
                continue;
            }
            let issues = room().refuses(BOOK, json!({key: {other: {"value": "x"}}})).await;
            assert_eq!((&issues[0]["code"], &issues[0]["path"]), (&json!("unknown_key"), &json!(["filters", key, other])));
            let mut allowed: Vec<&str> = issues[0]["allowed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let mut expected: Vec<&str> = inner.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            allowed.sort_unstable();
            expected.sort_unstable();
            assert_eq!(allowed, expected, "{key}");
        }
    }
}

#[tokio::test]
async fn the_books_accounts_have_these_filters_and_no_others() {
    for key in [
        "without_project",
        "without_signal",
        "without_contact",
        "notes",
        "domains",
        "aliases",
        "title",
        "stage",
        "projects_count",
    ] {
        let issues = room().refuses(BOOK, json!({key: {}})).await;
        let mut allowed: Vec<&str> = issues[0]["allowed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        allowed.sort_unstable();
        let expected =
            "account_type atlas_score city has_contact has_project has_signal icp_tier name state tags workspace_status";
        assert_eq!(allowed.join(" "), expected, "{key}");
    }
}
