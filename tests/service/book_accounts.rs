//! Each filter of the book's accounts (interface: book searches, Account filters).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const BOOK_ACCOUNTS: &str = "/workspace/accounts";

#[tokio::test]
async fn icp_tier_has_four_values_and_an_array_means_or() {
    for tier in ["tier_1", "tier_2", "tier_3", "disqualified"] {
        shared_service()
            .assert_filter_finds(
                BOOK_ACCOUNTS,
                json!({"icp_tier": {"value": tier}}),
                |account| account["icp_tier"] == tier,
            )
            .await;
    }
    let either =
        |account: &Value| account["icp_tier"] == "tier_1" || account["icp_tier"] == "tier_3";
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"icp_tier": {"value": ["tier_1", "tier_3"]}}),
            either,
        )
        .await;
    let others = json!({"icp_tier": {"value": "tier_1", "exclude": true}});
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, others, |account| {
            account["icp_tier"] != "tier_1"
        })
        .await;
    let issues = shared_service()
        .refused_filter_issues(BOOK_ACCOUNTS, json!({"icp_tier": {"value": "tier_4"}}))
        .await;
    assert_eq!(
        issues[0]["allowed"],
        json!(["tier_1", "tier_2", "tier_3", "disqualified"])
    );
}

#[tokio::test]
async fn workspace_status_of_accounts_matches_exactly() {
    let status = &shared_service().find_record(BOOK_ACCOUNTS, |account| {
        account["workspace_status"].is_string()
    })["workspace_status"];
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"workspace_status": {"value": status}}),
            |one| one["workspace_status"] == *status,
        )
        .await;
    let word = status.as_str().unwrap();
    for other in [
        word.to_uppercase(),
        word[1..].to_owned(),
        format!("{word} "),
        format!("{word}x"),
    ] {
        let rows = shared_service()
            .search_all(
                BOOK_ACCOUNTS,
                json!({"filters": {"workspace_status": {"value": other}}}),
            )
            .await;
        assert!(
            rows.iter().all(|row| row["workspace_status"] == other),
            "{other} is not {word}"
        );
    }
}

#[tokio::test]
async fn an_array_of_account_tags_means_or() {
    let tagged = |account: &Value, tag: &Value| list_field(account, "tags").contains(tag);
    let one = &shared_service().find_record(BOOK_ACCOUNTS, |account| {
        !list_field(account, "tags").is_empty()
    })["tags"][0];
    let other = &shared_service().find_record(BOOK_ACCOUNTS, |account| {
        !list_field(account, "tags").is_empty() && !tagged(account, one)
    })["tags"][0];
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({"tags": {"value": one}}), |account| {
            tagged(account, one)
        })
        .await;
    let either = |account: &Value| tagged(account, one) || tagged(account, other);
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"tags": {"value": [one, other]}}),
            either,
        )
        .await;
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"tags": {"value": [one, other], "exclude": true}}),
            |account| !either(account),
        )
        .await;
    let loud = one.as_str().unwrap().to_uppercase() + "!";
    assert_eq!(
        shared_service()
            .search_all(BOOK_ACCOUNTS, json!({"filters": {"tags": {"value": loud}}}))
            .await,
        [Value::Null; 0],
        "tags are case-sensitive"
    );
}

#[tokio::test]
async fn atlas_score_takes_an_integer_range() {
    let score = |account: &Value| account["atlas_score"].as_i64();
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({"atlas_score": {"min": 50}}), |one| {
            score(one) >= Some(50)
        })
        .await;
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({"atlas_score": {"max": 50}}), |one| {
            score(one).is_some_and(|score| score <= 50)
        })
        .await;
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"atlas_score": {"min": 30, "max": 60}}),
            |one| score(one).is_some_and(|n| (30..=60).contains(&n)),
        )
        .await;
    let issues = shared_service()
        .refused_filter_issues(BOOK_ACCOUNTS, json!({"atlas_score": {"value": 50}}))
        .await;
    assert_eq!(
        issues[0]["code"], "unknown_key",
        "a range, not a field filter"
    );
}

#[tokio::test]
async fn name_of_accounts_is_fuzzy() {
    let named = |account: &Value| {
        account["name"]
            .as_str()
            .unwrap()
            .split(' ')
            .any(|word| word == "Partners" || word == "Partner")
    };
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({"name": {"value": "partnres"}}), named)
        .await;
}

#[tokio::test]
async fn city_of_accounts_is_fuzzy_by_default() {
    let city = &shared_service().find_record(BOOK_ACCOUNTS, |one| {
        one["city"]
            .as_str()
            .is_some_and(|city| city.len() > 5 && !city.contains(' '))
    })["city"];
    let slip = city
        .as_str()
        .unwrap()
        .replacen(&city.as_str().unwrap()[3..4], "", 1);
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({"city": {"value": slip}}), |account| {
            account["city"] == *city
        })
        .await;
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"city": {"value": city, "exact_match": true}}),
            |account| account["city"] == *city,
        )
        .await;
    let exact = json!({"filters": {"city": {"value": slip, "exact_match": true}}});
    assert_eq!(
        shared_service().search_all(BOOK_ACCOUNTS, exact).await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn state_of_accounts_is_a_state_code() {
    let state = &shared_service().records(BOOK_ACCOUNTS)[0]["state"];
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"state": {"value": state}}),
            |account| account["state"] == *state,
        )
        .await;
    let issues = shared_service()
        .search_all(
            BOOK_ACCOUNTS,
            json!({"filters": {"state": {"value": "California"}}}),
        )
        .await;
    assert_eq!(issues, [Value::Null; 0]);
}

#[tokio::test]
async fn account_type_matches_any_of_account_types_and_an_array_means_or() {
    let is = |account: &Value, word: &str| any_related(account, "account_types", |one| one == word);
    shared_service()
        .assert_filter_finds(
            BOOK_ACCOUNTS,
            json!({"account_type": {"value": "developer"}}),
            |account| is(account, "developer"),
        )
        .await;
    let either = json!({"account_type": {"value": ["developer", "gc"]}});
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, either, |account| {
            is(account, "developer") || is(account, "gc")
        })
        .await;
}

/// Checks that a relational filter finds the accounts with a related record that satisfies `holds`.
async fn assert_relation_finds(
    key: &str,
    inner: Value,
    related: &str,
    holds: impl Fn(&Value) -> bool,
) {
    shared_service()
        .assert_filter_finds(BOOK_ACCOUNTS, json!({ key: inner }), |account| {
            any_related(account, related, &holds)
        })
        .await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_stage() {
    assert_relation_finds(
        "has_project",
        json!({"stage": {"value": "permitted"}}),
        "projects",
        |one| one["stage"] == "permitted",
    )
    .await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_primary_use() {
    assert_relation_finds(
        "has_project",
        json!({"primary_use": {"value": "multifamily"}}),
        "projects",
        |one| one["primary_use"] == "multifamily",
    )
    .await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_city() {
    let account = shared_service().find_record(BOOK_ACCOUNTS, |account| {
        any_related(account, "projects", |one| one["city"].is_string())
    });
    let city = &account["projects"][0]["city"];
    assert_relation_finds(
        "has_project",
        json!({"city": {"value": city, "exact_match": true}}),
        "projects",
        |one| one["city"] == *city,
    )
    .await;
}

#[tokio::test]
async fn has_project_of_accounts_takes_residential_units_as_a_range() {
    let units = |project: &Value| project["residential_units"].as_i64();
    assert_relation_finds(
        "has_project",
        json!({"residential_units": {"min": 200}}),
        "projects",
        |one| units(one) >= Some(200),
    )
    .await;
    let both =
        json!({"residential_units": {"min": 100}, "stage": {"value": ["approved", "permitted"]}});
    let stages = [json!("approved"), json!("permitted")];
    assert_relation_finds("has_project", both, "projects", |one| {
        units(one) >= Some(100) && stages.contains(&one["stage"])
    })
    .await;
}

#[tokio::test]
async fn has_signal_of_accounts_takes_signal_type() {
    let inner = json!({"signal_type": {"value": ["construction_loan", "completion"]}});
    let types = [json!("construction_loan"), json!("completion")];
    assert_relation_finds("has_signal", inner, "signals", |one| {
        types.contains(&one["signal_type"])
    })
    .await;
}

#[tokio::test]
async fn has_signal_of_accounts_takes_filed_at_as_a_range() {
    let inner = json!({"filed_at": {"min": "2026-06-25"}});
    assert_relation_finds("has_signal", inner, "signals", |one| {
        one["filed_at"].as_str().unwrap() >= "2026-06-25"
    })
    .await;
}

#[tokio::test]
async fn has_contact_of_accounts_takes_title() {
    let account = shared_service().find_record(BOOK_ACCOUNTS, |account| {
        any_related(account, "contacts", |one| one["title"].is_string())
    });
    let title = &list_field(account, "contacts")
        .iter()
        .find(|one| one["title"].is_string())
        .unwrap()["title"];
    assert_relation_finds(
        "has_contact",
        json!({"title": {"value": title, "exact_match": true}}),
        "contacts",
        |one| one["title"] == *title,
    )
    .await;
}

#[tokio::test]
async fn has_contact_of_accounts_takes_name() {
    let account = shared_service().find_record(BOOK_ACCOUNTS, |account| {
        !list_field(account, "contacts").is_empty()
    });
    let name = &account["contacts"][0]["name"];
    assert_relation_finds(
        "has_contact",
        json!({"name": {"value": name, "exact_match": true}}),
        "contacts",
        |one| one["name"] == *name,
    )
    .await;
}

#[tokio::test]
async fn with_has_project_the_projects_count_of_accounts_counts_only_matching_projects() {
    let permitted = |account: &Value| {
        list_field(account, "projects")
            .iter()
            .filter(|one| one["stage"] == "permitted")
            .count()
    };
    for order in ["asc", "desc"] {
        let body = json!({"filters": {"has_project": {"stage": {"value": "permitted"}}}, "sort": {"field": "projects_count", "order": order}});
        let rows = shared_service().search_all(BOOK_ACCOUNTS, body).await;
        let counts: Vec<usize> = rows
            .iter()
            .map(|row| {
                permitted(shared_service().find_record(BOOK_ACCOUNTS, |one| one["id"] == row["id"]))
            })
            .collect();
        let sorted = counts.is_sorted_by(|a, b| if order == "asc" { a <= b } else { a >= b });
        assert!(
            sorted && counts.first() != counts.last() && !counts.contains(&0),
            "{order} {counts:?}"
        );
    }
}

#[tokio::test]
async fn book_account_relations_have_exactly_the_documented_inner_keys() {
    for (key, inner) in [
        (
            "has_project",
            json!(["stage", "primary_use", "city", "residential_units"]),
        ),
        ("has_signal", json!(["signal_type", "filed_at"])),
        ("has_contact", json!(["title", "name"])),
    ] {
        for other in [
            "state",
            "name",
            "stories",
            "email",
            "discovered_at",
            "project_id",
            "account_id",
            "role",
        ] {
            if inner.as_array().unwrap().iter().any(|one| one == other) {
                continue;
            }
            let issues = shared_service()
                .refused_filter_issues(BOOK_ACCOUNTS, json!({key: {other: {"value": "x"}}}))
                .await;
            assert_eq!(
                (&issues[0]["code"], &issues[0]["path"]),
                (&json!("unknown_key"), &json!(["filters", key, other]))
            );
            let mut allowed: Vec<&str> = issues[0]["allowed"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let mut expected: Vec<&str> = inner
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            allowed.sort_unstable();
            expected.sort_unstable();
            assert_eq!(allowed, expected, "{key}");
        }
    }
}

#[tokio::test]
async fn book_accounts_have_exactly_the_documented_filters() {
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
        let issues = shared_service()
            .refused_filter_issues(BOOK_ACCOUNTS, json!({key: {}}))
            .await;
        let mut allowed: Vec<&str> = issues[0]["allowed"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        allowed.sort_unstable();
        let expected = "account_type atlas_score city has_contact has_project has_signal icp_tier name state tags workspace_status";
        assert_eq!(allowed.join(" "), expected, "{key}");
    }
}
