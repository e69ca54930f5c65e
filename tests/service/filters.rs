//! The filter grammar (interface: Filter grammar; decisions 1): the forms of values, how filters
//! combine, what is rejected.

use crate::shared_service::{SEARCH_PATHS, any_related, first_issue, shared_service};
use serde_json::{Value, json};

const DATA_PROJECTS: &str = "/data/projects";
const DATA_ACCOUNTS: &str = "/data/accounts";
const DATA_CONTACTS: &str = "/data/contacts";

#[tokio::test]
async fn filters_is_an_object_and_an_empty_one_filters_nothing() {
    for place in SEARCH_PATHS {
        for filters in [
            json!([]),
            json!("name"),
            json!(7),
            json!(true),
            json!([{"name": {"value": "a"}}]),
            Value::Null,
        ] {
            assert_eq!(
                first_issue(
                    &shared_service()
                        .refused_filter_issues(place, filters.clone())
                        .await
                ),
                ("invalid_type", "filters".to_owned()),
                "{place} {filters}"
            );
        }
        let (all, none) = (
            shared_service().search_page(place, json!({})).await.ok(),
            shared_service()
                .search_page(place, json!({"filters": {}}))
                .await
                .ok(),
        );
        assert_eq!(all, none, "{place}");
    }
}

#[tokio::test]
async fn a_filter_is_an_object_and_never_a_bare_value() {
    for filter in [
        json!("Denver"),
        json!(["Denver"]),
        json!(7),
        json!(true),
        Value::Null,
    ] {
        for key in ["city", "stage", "stories", "has_account", "stories_known"] {
            let issues = shared_service()
                .refused_filter_issues(DATA_PROJECTS, json!({key: filter}))
                .await;
            assert_eq!(
                first_issue(&issues),
                ("invalid_type", format!("filters.{key}")),
                "{key} {filter}"
            );
        }
    }
}

#[tokio::test]
async fn the_value_of_a_field_filter_is_required() {
    for (filter, key) in [
        (json!({}), "city"),
        (json!({"exclude": true}), "stage"),
        (json!({"exact_match": true}), "name"),
    ] {
        assert_eq!(
            first_issue(
                &shared_service()
                    .refused_filter_issues(DATA_PROJECTS, json!({key: filter}))
                    .await
            ),
            ("required", format!("filters.{key}.value"))
        );
    }
}

#[tokio::test]
async fn a_value_is_a_scalar_or_an_array_of_scalars() {
    for value in [
        json!({}),
        json!({"name": "Denver"}),
        Value::Null,
        json!([["Denver"]]),
        json!([{}]),
        json!([null]),
        json!([]),
    ] {
        for key in ["city", "stage"] {
            let issues = shared_service()
                .refused_filter_issues(DATA_PROJECTS, json!({key: {"value": value}}))
                .await;
            assert!(
                first_issue(&issues)
                    .1
                    .starts_with(&format!("filters.{key}.value")),
                "{key} {value}: {issues:?}"
            );
        }
    }
    let (one, many) = (
        json!({"city": {"value": "Denver"}}),
        json!({"city": {"value": ["Denver"]}}),
    );
    let found = |filters| async move {
        shared_service()
            .search_all(DATA_PROJECTS, json!({ "filters": filters }))
            .await
    };
    assert_eq!(
        found(one).await,
        found(many).await,
        "an array of one equals the scalar"
    );
}

#[tokio::test]
async fn values_inside_one_field_filter_combine_with_or() {
    let either = json!({"city": {"value": ["Denver", "Seattle"]}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, either, |project| {
            project["city"] == "Denver" || project["city"] == "Seattle"
        })
        .await;
    let types = json!({"account_type": {"value": ["gc", "owner"]}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, types, |one| {
            any_related(one, "account_types", |word| word == "gc" || word == "owner")
        })
        .await;
}

#[tokio::test]
async fn exact_match_compares_the_whole_text_case_insensitively() {
    let project = shared_service().find_record(DATA_PROJECTS, |project| {
        project["name"].as_str().unwrap().split(' ').count() == 3
    });
    let name = project["name"].as_str().unwrap();
    let same = |one: &Value| one["name"] == project["name"];
    for spelled in [name.to_owned(), name.to_uppercase(), name.to_lowercase()] {
        shared_service()
            .assert_filter_finds(
                DATA_PROJECTS,
                json!({"name": {"value": spelled, "exact_match": true}}),
                same,
            )
            .await;
    }
    for other in [
        &name[1..],
        &name[..name.len() - 1],
        name.split(' ').next().unwrap(),
    ] {
        let body = json!({"filters": {"name": {"value": other, "exact_match": true}}});
        assert_eq!(
            shared_service().search_all(DATA_PROJECTS, body).await,
            [Value::Null; 0],
            "{other} is not {name}"
        );
    }
}

#[tokio::test]
async fn exact_match_is_false_by_default() {
    for value in ["Denvr", "Seattle", "san"] {
        let (silent, reply) = (
            json!({"city": {"value": value}}),
            json!({"city": {"value": value, "exact_match": false}}),
        );
        let found = shared_service()
            .search_all(DATA_PROJECTS, json!({ "filters": silent }))
            .await;
        assert!(!found.is_empty(), "{value}");
        assert_eq!(
            found,
            shared_service()
                .search_all(DATA_PROJECTS, json!({ "filters": reply }))
                .await,
            "{value}"
        );
    }
}

#[tokio::test]
async fn exact_match_on_an_enum_backed_field_gives_400() {
    for (place, key, value) in [
        (DATA_PROJECTS, "stage", "approved"),
        (DATA_PROJECTS, "primary_use", "multifamily"),
        (DATA_PROJECTS, "gc_status", "unknown"),
        (DATA_ACCOUNTS, "account_type", "developer"),
        ("/data/signals", "signal_type", "completion"),
        ("/workspace/accounts", "icp_tier", "tier_1"),
        ("/workspace/accounts", "account_type", "developer"),
        ("/workspace/projects", "stage", "approved"),
    ] {
        for flag in [true, false] {
            let issues = shared_service()
                .refused_filter_issues(place, json!({key: {"value": value, "exact_match": flag}}))
                .await;
            assert_eq!(
                first_issue(&issues),
                ("not_allowed", format!("filters.{key}.exact_match")),
                "{place} {flag}"
            );
        }
    }
    let inner = json!({"has_account": {"role": {"value": "gc", "exact_match": true}}});
    assert_eq!(
        first_issue(
            &shared_service()
                .refused_filter_issues(DATA_PROJECTS, inner)
                .await
        )
        .1,
        "filters.has_account.role.exact_match"
    );
}

#[tokio::test]
async fn exact_match_is_for_text_fields_only() {
    let id = &shared_service().records(DATA_PROJECTS)[0]["id"];
    let signals = json!({"project_id": {"value": id, "exact_match": true}});
    assert_eq!(
        first_issue(
            &shared_service()
                .refused_filter_issues("/data/signals", signals)
                .await
        )
        .0,
        "not_allowed"
    );
    let known = json!({"stories_known": {"value": true, "exact_match": true}});
    assert_eq!(
        first_issue(
            &shared_service()
                .refused_filter_issues(DATA_PROJECTS, known)
                .await
        )
        .0,
        "not_allowed"
    );
    let range = json!({"stories": {"min": 1, "exact_match": true}});
    assert_eq!(
        first_issue(
            &shared_service()
                .refused_filter_issues(DATA_PROJECTS, range)
                .await
        )
        .0,
        "unknown_key"
    );
}

#[tokio::test]
async fn exact_match_and_exclude_are_booleans() {
    for key in ["exact_match", "exclude"] {
        for value in [json!("true"), json!(1), json!(null), json!([])] {
            let issues = shared_service()
                .refused_filter_issues(
                    DATA_PROJECTS,
                    json!({"city": {"value": "Denver", key: value}}),
                )
                .await;
            assert_eq!(
                first_issue(&issues),
                ("invalid_type", format!("filters.city.{key}")),
                "{value}"
            );
        }
    }
}

#[tokio::test]
async fn exclude_negates_the_filter() {
    let not = json!({"stage": {"value": "approved", "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, not, |project| project["stage"] != "approved")
        .await;
    let neither = json!({"stage": {"value": ["approved", "permitted"], "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, neither, |project| {
            project["stage"] != "approved" && project["stage"] != "permitted"
        })
        .await;
    let unlike = json!({"city": {"value": "denver", "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, unlike, |project| project["city"] != "Denver")
        .await;
    let not_exactly = json!({"city": {"value": "denver", "exact_match": true, "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, not_exactly, |project| {
            project["city"] != "Denver"
        })
        .await;
}

#[tokio::test]
async fn exclude_is_false_by_default() {
    let reply = json!({"stage": {"value": "approved", "exclude": false}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, reply, |project| {
            project["stage"] == "approved"
        })
        .await;
}

#[tokio::test]
async fn exclude_finds_records_whose_value_is_null() {
    let unlike = json!({"title": {"value": "manager", "exclude": true}});
    let found = shared_service()
        .search_all(DATA_CONTACTS, json!({ "filters": unlike }))
        .await;
    let silent = shared_service()
        .records(DATA_CONTACTS)
        .iter()
        .filter(|contact| contact["title"].is_null())
        .count();
    assert!(silent > 0);
    assert_eq!(
        found
            .iter()
            .filter(|contact| contact["title"].is_null())
            .count(),
        silent
    );
    let not = json!({"primary_use": {"value": "hotel", "exclude": true}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, not, |project| {
            project["primary_use"] != "hotel"
        })
        .await;
}

#[tokio::test]
async fn both_bounds_of_a_range_are_inclusive() {
    let mut known: Vec<i64> = shared_service()
        .records(DATA_PROJECTS)
        .iter()
        .filter_map(|project| project["stories"].as_i64())
        .collect();
    known.sort_unstable();
    let (low, high) = (known[known.len() / 3], known[known.len() * 2 / 3]);
    let found = shared_service()
        .search_all(
            DATA_PROJECTS,
            json!({"filters": {"stories": {"min": low, "max": high}}}),
        )
        .await;
    for bound in [low, high] {
        assert!(
            found.iter().any(|project| project["stories"] == bound),
            "{bound}"
        );
    }
    assert!(
        found
            .iter()
            .all(|project| (low..=high).contains(&project["stories"].as_i64().unwrap()))
    );
}

#[tokio::test]
async fn both_bounds_of_a_range_are_optional() {
    let known = |project: &Value| project["stories"].is_number();
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"stories": {}}), known)
        .await;
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"stories": {"min": 0}}), known)
        .await;
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, json!({"stories": {"max": 5}}), |project| {
            project["stories"].as_i64().is_some_and(|n| n <= 5)
        })
        .await;
}

#[tokio::test]
async fn a_range_whose_min_is_above_its_max_finds_nothing() {
    for range in [
        json!({"stories": {"min": 9, "max": 3}}),
        json!({"last_signal_at": {"min": "2026-06-01", "max": "2026-01-01"}}),
    ] {
        assert_eq!(
            shared_service()
                .search_all(DATA_PROJECTS, json!({ "filters": range }))
                .await,
            [Value::Null; 0],
            "{range}"
        );
    }
}

#[tokio::test]
async fn numeric_fields_take_integers_or_floats() {
    let at_least = |key: &'static str, min: f64| {
        move |project: &Value| project[key].as_f64().is_some_and(|number| number >= min)
    };
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stories": {"min": 10}}),
            at_least("stories", 10.0),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stories": {"min": 10.0}}),
            at_least("stories", 10.0),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"stories": {"min": 9.5}}),
            at_least("stories", 9.5),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"cost_of_construction_usd": {"min": 50_000_000}}),
            at_least("cost_of_construction_usd", 5e7),
        )
        .await;
    shared_service()
        .assert_filter_finds(
            DATA_PROJECTS,
            json!({"cost_of_construction_usd": {"min": 5e7}}),
            at_least("cost_of_construction_usd", 5e7),
        )
        .await;
    for bound in [
        json!("10"),
        json!(true),
        json!([10]),
        json!({}),
        Value::Null,
    ] {
        let issues = shared_service()
            .refused_filter_issues(DATA_PROJECTS, json!({"stories": {"min": bound}}))
            .await;
        assert_eq!(
            first_issue(&issues),
            ("invalid_type", "filters.stories.min".to_owned()),
            "{bound}"
        );
    }
}

#[tokio::test]
async fn date_fields_take_days_as_yyyy_mm_dd() {
    for bound in [
        "2026-1-1",
        "2026-01",
        "20260101",
        "01/02/2026",
        "2026-02-30",
        "2026-01-01T00:00:00Z",
        "2026-01-01 ",
        "yesterday",
        "",
        "+2026-01-1",
    ] {
        let issues = shared_service()
            .refused_filter_issues(DATA_PROJECTS, json!({"last_signal_at": {"min": bound}}))
            .await;
        assert_eq!(
            first_issue(&issues),
            ("invalid_type", "filters.last_signal_at.min".to_owned()),
            "{bound}"
        );
    }
    shared_service()
        .search_page(
            DATA_PROJECTS,
            json!({"filters": {"last_signal_at": {"min": "2024-02-29"}}}),
        )
        .await
        .ok();
}

#[tokio::test]
async fn a_day_as_max_includes_the_whole_day_in_utc() {
    let late = shared_service().find_record("/data/signals", |signal| {
        signal["filed_at"].as_str().unwrap()[11..13] > *"20"
    });
    let day = &late["filed_at"].as_str().unwrap()[..10];
    for range in [json!({"max": day}), json!({"min": day, "max": day})] {
        let found = shared_service()
            .search_all("/data/signals", json!({"filters": {"filed_at": range}}))
            .await;
        assert!(
            found.iter().any(|signal| signal["id"] == late["id"]),
            "{range}"
        );
        assert!(
            found
                .iter()
                .all(|signal| signal["filed_at"].as_str().unwrap()[..10] <= *day)
        );
    }
}

#[tokio::test]
async fn a_date_on_a_numeric_field_or_a_number_on_a_date_field_gives_400() {
    for (place, key, bound) in [
        (DATA_PROJECTS, "stories", json!("2026-01-01")),
        (DATA_PROJECTS, "residential_units", json!("2026-01-01")),
        (DATA_PROJECTS, "gross_floor_area_sf", json!("2026-01-01")),
        (
            DATA_PROJECTS,
            "cost_of_construction_usd",
            json!("2026-01-01"),
        ),
        (DATA_PROJECTS, "last_signal_at", json!(20_260_101)),
        ("/data/signals", "filed_at", json!(1_767_225_600_000_i64)),
        ("/data/signals", "discovered_at", json!(2026.5)),
        ("/workspace/accounts", "atlas_score", json!("2026-01-01")),
    ] {
        for end in ["min", "max"] {
            let issues = shared_service()
                .refused_filter_issues(place, json!({key: {end: bound}}))
                .await;
            assert_eq!(
                first_issue(&issues),
                ("invalid_type", format!("filters.{key}.{end}")),
                "{place} {bound}"
            );
        }
    }
}

#[tokio::test]
async fn a_range_never_matches_a_record_whose_value_is_null() {
    for key in [
        "stories",
        "residential_units",
        "gross_floor_area_sf",
        "cost_of_construction_usd",
        "last_signal_at",
    ] {
        assert!(
            shared_service()
                .records(DATA_PROJECTS)
                .iter()
                .any(|project| project[key].is_null()),
            "{key}"
        );
        let (low, high) = if key == "last_signal_at" {
            (json!("0001-01-01"), json!("9999-12-31"))
        } else {
            (json!(-1e15), json!(1e15))
        };
        shared_service()
            .assert_filter_finds(
                DATA_PROJECTS,
                json!({key: {"min": low, "max": high}}),
                |project| !project[key].is_null(),
            )
            .await;
        shared_service()
            .assert_filter_finds(DATA_PROJECTS, json!({key: {}}), |project| {
                !project[key].is_null()
            })
            .await;
    }
}

#[tokio::test]
async fn a_range_cannot_be_excluded_and_a_field_has_no_bounds() {
    let issues = shared_service()
        .refused_filter_issues(
            DATA_PROJECTS,
            json!({"stories": {"min": 1, "exclude": true}}),
        )
        .await;
    assert_eq!(
        first_issue(&issues),
        ("unknown_key", "filters.stories.exclude".to_owned())
    );
    let issues = shared_service()
        .refused_filter_issues(DATA_PROJECTS, json!({"stories": {"value": 3}}))
        .await;
    assert_eq!(
        first_issue(&issues),
        ("unknown_key", "filters.stories.value".to_owned())
    );
    let issues = shared_service()
        .refused_filter_issues(
            DATA_PROJECTS,
            json!({"city": {"value": "Denver", "min": "A"}}),
        )
        .await;
    assert_eq!(
        first_issue(&issues),
        ("unknown_key", "filters.city.min".to_owned())
    );
}

#[tokio::test]
async fn different_top_level_keys_combine_with_and() {
    let both = json!({"state": {"value": "TX"}, "account_type": {"value": "gc"}});
    shared_service()
        .assert_filter_finds(DATA_ACCOUNTS, both, |one| {
            one["state"] == "TX" && any_related(one, "account_types", |word| word == "gc")
        })
        .await;
    let with_range = json!({"stage": {"value": "permitted"}, "stories": {"min": 5}});
    shared_service()
        .assert_filter_finds(DATA_PROJECTS, with_range, |one| {
            one["stage"] == "permitted" && one["stories"].as_i64() >= Some(5)
        })
        .await;
}

#[tokio::test]
async fn an_unknown_filter_key_gives_400() {
    for place in SEARCH_PATHS {
        for key in [
            "colour",
            "",
            "Name",
            "name ",
            "id",
            "filters",
            "$or",
            "constructor",
            "name; DROP TABLE accounts",
        ] {
            let issues = shared_service()
                .refused_filter_issues(place, json!({key: {"value": "a"}}))
                .await;
            assert_eq!(
                first_issue(&issues),
                ("unknown_key", format!("filters.{key}")),
                "{place}"
            );
            assert!(
                !issues[0]["allowed"].as_array().unwrap().is_empty(),
                "the allowed keys are listed"
            );
        }
    }
}

#[tokio::test]
async fn a_value_outside_an_enums_allowed_set_gives_400_and_the_issue_names_the_allowed_values() {
    for (place, key) in [
        (DATA_ACCOUNTS, "account_type"),
        (DATA_PROJECTS, "stage"),
        (DATA_PROJECTS, "primary_use"),
        (DATA_PROJECTS, "gc_status"),
        ("/data/signals", "signal_type"),
        ("/workspace/accounts", "icp_tier"),
        ("/workspace/accounts", "account_type"),
        ("/workspace/projects", "stage"),
    ] {
        for (value, at) in [(json!("nonsense"), ""), (json!(["nonsense"]), ".0")] {
            let issues = shared_service()
                .refused_filter_issues(place, json!({key: {"value": value}}))
                .await;
            assert_eq!(
                first_issue(&issues),
                ("invalid_enum_value", format!("filters.{key}.value{at}")),
                "{place}"
            );
            assert_eq!(issues[0]["received"], "nonsense");
            let allowed = issues[0]["allowed"].as_array().unwrap().clone();
            assert!(
                !allowed.is_empty() && allowed.iter().all(Value::is_string),
                "{place} {key}"
            );
            shared_service()
                .search_page(
                    place,
                    json!({"filters": {key: {"value": allowed}}, "limit": 1}),
                )
                .await
                .ok();
        }
    }
}

#[tokio::test]
async fn enum_values_are_matched_as_spelled() {
    for value in ["Approved", "APPROVED", " approved", "under construction"] {
        assert_eq!(
            first_issue(
                &shared_service()
                    .refused_filter_issues(DATA_PROJECTS, json!({"stage": {"value": value}}))
                    .await
            )
            .0,
            "invalid_enum_value",
            "{value}"
        );
    }
}

#[tokio::test]
async fn the_enum_values_seen_in_use_are_allowed() {
    for (place, key, values) in [
        (
            DATA_PROJECTS,
            "stage",
            json!(["approved", "permitted", "under_construction"]),
        ),
        (
            DATA_PROJECTS,
            "primary_use",
            json!(["multifamily", "mixed_use"]),
        ),
        (DATA_PROJECTS, "gc_status", json!(["unknown"])),
        (
            DATA_ACCOUNTS,
            "account_type",
            json!(["developer", "architect"]),
        ),
    ] {
        for value in values.as_array().unwrap() {
            let reply = shared_service()
                .search_page(
                    place,
                    json!({"filters": {key: {"value": value}}, "limit": 1}),
                )
                .await
                .ok();
            assert_eq!(reply["metadata"]["credits"], 1, "{key} {value} occurs");
        }
    }
    let roles = json!({"has_account": {"role": {"value": ["developer", "gc", "engineer"]}}});
    shared_service()
        .search_page(DATA_PROJECTS, json!({ "filters": roles }))
        .await
        .ok();
}

#[tokio::test]
async fn all_filter_errors_are_reported_at_once() {
    let issues = shared_service()
        .refused_filter_issues(
            DATA_PROJECTS,
            json!({"colour": {}, "stage": {"value": "x"}, "stories": {"min": "a"}, "has_account": {"role": {"value": 1}}}),
        )
        .await;
    let mut codes: Vec<&str> = issues
        .iter()
        .map(|issue| issue["code"].as_str().unwrap())
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "invalid_enum_value",
            "invalid_enum_value",
            "invalid_type",
            "unknown_key"
        ]
    );
    assert!(
        issues
            .iter()
            .all(|issue| issue["message"].is_string() && issue["path"].is_array())
    );
}

#[tokio::test]
async fn a_duplicate_key_gives_400() {
    for body in [
        r#"{"filters": {"stage": {"value": "approved"}, "stage": {"value": "permitted"}}}"#,
        r#"{"filters": {"has_account": {"role": {"value": "gc"}}, "has_account": {"role": {"value": "lender"}}}}"#,
        r#"{"limit": 1, "limit": 100}"#,
        r#"{"filters": {"stage": {"value": "approved", "v\u0061lue": "permitted"}}}"#,
    ] {
        let reply = shared_service()
            .send(
                &shared_service().api_key(0),
                "POST",
                "/data/projects/search",
                Some(body.to_owned()),
            )
            .await;
        let error = reply.expect_error(400, "bad_request");
        assert!(
            error["message"].as_str().unwrap().contains("duplicate key"),
            "{body}: {error}"
        );
    }
}
