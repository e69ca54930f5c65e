//! Pages of searches (interface: Response metadata, book searches, Limits; decisions 1 and 2.11):
//! how many rows, from where, in which order, and their metadata.

use std::collections::BTreeMap;

use crate::shared_service::{SEARCH_PATHS, record_ids, shared_service};
use serde_json::{Value, json};

/// The sort keys of each search, the default first with its order.
const SORT_KEYS: [(&str, &str, &str); 7] = [
    ("/data/accounts", "asc", "name created_at projects_count"),
    ("/data/contacts", "asc", "name created_at projects_count"),
    (
        "/data/projects",
        "desc",
        "last_signal_at name created_at signals_count",
    ),
    ("/data/signals", "desc", "filed_at discovered_at"),
    (
        "/workspace/accounts",
        "desc",
        "updated_at atlas_score name created_at projects_count",
    ),
    (
        "/workspace/contacts",
        "desc",
        "updated_at name created_at projects_count",
    ),
    (
        "/workspace/projects",
        "desc",
        "updated_at name created_at last_signal_at signals_count",
    ),
];

async fn search_metadata(place: &str, body: Value) -> Value {
    shared_service().search_page(place, body).await.ok()["metadata"].clone()
}

#[tokio::test]
async fn search_metadata_has_its_six_documented_fields() {
    for place in SEARCH_PATHS {
        let reply = shared_service()
            .search_page(place, json!({"limit": 2}))
            .await
            .ok();
        let mut keys: Vec<&str> = reply
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, ["data", "metadata"], "{place}");
        let metadata = reply["metadata"].as_object().unwrap();
        let mut keys: Vec<&str> = metadata.keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(
            keys,
            [
                "credits",
                "limit",
                "offset",
                "search_after",
                "total",
                "total_is_capped"
            ],
            "{place}"
        );
        assert!(
            metadata["total"].is_u64()
                && metadata["total_is_capped"].is_boolean()
                && metadata["search_after"].is_string()
        );
    }
}

#[tokio::test]
async fn total_is_the_match_count() {
    for place in SEARCH_PATHS
        .iter()
        .filter(|place| **place != "/data/signals")
    {
        let reply = search_metadata(place, json!({"limit": 1})).await;
        let expected = (&json!(shared_service().records(place).len()), &json!(false));
        assert_eq!(
            (&reply["total"], &reply["total_is_capped"]),
            expected,
            "{place}"
        );
    }
    let reply = search_metadata(
        "/data/projects",
        json!({"filters": {"stage": {"value": "approved"}}, "limit": 1}),
    )
    .await;
    let approved = shared_service()
        .records("/data/projects")
        .iter()
        .filter(|project| project["stage"] == "approved")
        .count();
    assert_eq!(reply["total"], approved);
}

#[tokio::test]
async fn total_is_capped_at_1000_and_total_is_capped_is_true_only_above() {
    let signals = shared_service().records("/data/signals");
    assert!(signals.len() > 1000);
    let reply = search_metadata("/data/signals", json!({"limit": 1})).await;
    assert_eq!(
        (&reply["total"], &reply["total_is_capped"]),
        (&json!(1000), &json!(true))
    );
    let mut days: Vec<&str> = signals
        .iter()
        .map(|signal| &signal["filed_at"].as_str().unwrap()[..10])
        .collect();
    days.sort_unstable();
    for first in [
        days[0],
        days[signals.len() - 1000],
        days[signals.len() - 990],
        days[days.len() - 1],
    ] {
        let count = days.iter().filter(|day| **day >= first).count();
        let reply = search_metadata(
            "/data/signals",
            json!({"filters": {"filed_at": {"min": first}}, "limit": 1}),
        )
        .await;
        assert_eq!(
            (&reply["total"], &reply["total_is_capped"]),
            (&json!(count.min(1000)), &json!(count > 1000)),
            "since {first}"
        );
    }
}

#[tokio::test]
async fn the_total_with_a_cursor_is_the_full_match_count() {
    for place in SEARCH_PATHS {
        let first = search_metadata(place, json!({"limit": 2})).await;
        let next = search_metadata(
            place,
            json!({"limit": 2, "search_after": first["search_after"]}),
        )
        .await;
        assert_eq!(
            (&next["total"], &next["total_is_capped"]),
            (&first["total"], &first["total_is_capped"]),
            "{place}"
        );
    }
}

#[tokio::test]
async fn limit_and_offset_are_echoed_from_the_request() {
    for place in SEARCH_PATHS {
        let reply = search_metadata(place, json!({"limit": 7, "offset": 3})).await;
        assert_eq!(
            (&reply["limit"], &reply["offset"]),
            (&json!(7), &json!(3)),
            "{place}"
        );
        let reply = search_metadata(place, json!({})).await;
        assert_eq!(
            (&reply["limit"], &reply["offset"]),
            (&json!(25), &json!(0)),
            "{place}"
        );
    }
}

#[tokio::test]
async fn the_offset_is_0_when_paging_with_search_after() {
    for place in SEARCH_PATHS {
        let cursor = search_metadata(place, json!({"limit": 4})).await["search_after"].clone();
        for body in [
            json!({"limit": 4, "search_after": cursor}),
            json!({"limit": 4, "search_after": cursor, "offset": 0}),
        ] {
            assert_eq!(search_metadata(place, body).await["offset"], 0, "{place}");
        }
    }
}

#[tokio::test]
async fn search_after_is_null_on_the_last_page() {
    for place in SEARCH_PATHS
        .iter()
        .filter(|place| shared_service().records(place).len() <= 100)
    {
        let count = shared_service().records(place).len();
        assert_eq!(
            search_metadata(place, json!({"limit": count})).await["search_after"],
            Value::Null,
            "{place}: a page that fits exactly"
        );
        let first = search_metadata(place, json!({"limit": count - 1})).await;
        assert!(
            first["search_after"].is_string(),
            "{place}: one row is left"
        );
        let last = shared_service()
            .search_page(
                place,
                json!({"limit": count - 1, "search_after": first["search_after"]}),
            )
            .await
            .ok();
        assert_eq!(
            (
                last["data"].as_array().unwrap().len(),
                &last["metadata"]["search_after"]
            ),
            (1, &Value::Null),
            "{place}"
        );
        assert_eq!(
            search_metadata(place, json!({"offset": count - 1})).await["search_after"],
            Value::Null,
            "{place}: by offset"
        );
    }
    let nothing = search_metadata(
        "/data/accounts",
        json!({"filters": {"name": {"value": "zzzzqqqq"}}}),
    )
    .await;
    assert_eq!(
        (&nothing["total"], &nothing["search_after"]),
        (&json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn credits_equal_the_rows_returned() {
    for place in SEARCH_PATHS {
        for body in [
            json!({}),
            json!({"limit": 3}),
            json!({"offset": 9_999}),
            json!({"limit": 100}),
        ] {
            let reply = shared_service().search_page(place, body.clone()).await.ok();
            assert_eq!(
                reply["metadata"]["credits"],
                reply["data"].as_array().unwrap().len(),
                "{place} {body}"
            );
        }
    }
}

#[tokio::test]
async fn the_limit_is_1_to_100_and_25_by_default() {
    for place in SEARCH_PATHS {
        let rows = async |body| {
            shared_service().search_page(place, body).await.ok()["data"]
                .as_array()
                .unwrap()
                .len()
        };
        let all = shared_service().records(place).len();
        assert_eq!(
            (rows(json!({"limit": 1})).await, rows(json!({})).await),
            (1, all.min(25)),
            "{place}"
        );
        assert_eq!(rows(json!({"limit": 100})).await, all.min(100), "{place}");
        for (limit, code) in [
            (json!(0), "too_small"),
            (json!(-1), "too_small"),
            (json!(101), "too_big"),
            (json!(1_000_000), "too_big"),
            (json!(2.5), "invalid_type"),
            (json!("25"), "invalid_type"),
            (Value::Null, "invalid_type"),
        ] {
            let error = shared_service()
                .search_page(place, json!({"limit": limit}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!(code), &json!(["limit"])),
                "{place} {limit}"
            );
        }
    }
}

#[tokio::test]
async fn the_offset_is_0_to_10000_and_0_by_default() {
    for place in SEARCH_PATHS {
        let first = shared_service()
            .search_page(place, json!({"limit": 5}))
            .await
            .ok();
        assert_eq!(
            shared_service()
                .search_page(place, json!({"limit": 5, "offset": 0}))
                .await
                .ok(),
            first,
            "{place}"
        );
        let second = shared_service()
            .search_page(place, json!({"limit": 4, "offset": 1}))
            .await
            .ok();
        assert_eq!(
            second["data"].as_array().unwrap()[..],
            first["data"].as_array().unwrap()[1..],
            "{place}"
        );
        shared_service()
            .search_page(place, json!({"offset": 10_000}))
            .await
            .ok();
        for (offset, code) in [
            (json!(-1), "too_small"),
            (json!(10_001), "too_big"),
            (json!(0.5), "invalid_type"),
            (json!("0"), "invalid_type"),
        ] {
            let error = shared_service()
                .search_page(place, json!({"offset": offset}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!(code), &json!(["offset"])),
                "{place} {offset}"
            );
        }
    }
}

#[tokio::test]
async fn an_offset_past_the_end_finds_no_rows_and_costs_nothing() {
    for place in SEARCH_PATHS {
        let reply = shared_service()
            .search_page(place, json!({"offset": 10_000}))
            .await
            .ok();
        let total = shared_service().records(place).len().min(1000);
        assert_eq!(reply["data"], json!([]), "{place}");
        assert_eq!(
            (
                &reply["metadata"]["credits"],
                &reply["metadata"]["search_after"]
            ),
            (&json!(0), &Value::Null),
            "{place}"
        );
        assert_eq!(reply["metadata"]["total"], total, "{place}");
    }
}

#[tokio::test]
async fn cursor_pages_and_offset_pages_have_the_same_order() {
    for place in SEARCH_PATHS {
        let (mut cursor, mut offset) = (Value::Null, 0);
        for _ in 0..4 {
            let mut body = json!({"limit": 6});
            let by_offset = shared_service()
                .search_page(place, json!({"limit": 6, "offset": offset}))
                .await
                .ok();
            if cursor.is_string() {
                body["search_after"] = cursor;
            }
            let by_cursor = shared_service().search_page(place, body).await.ok();
            assert_eq!(
                by_cursor["data"], by_offset["data"],
                "{place} from {offset}"
            );
            cursor = by_cursor["metadata"]["search_after"].clone();
            offset += 6;
        }
    }
}

#[tokio::test]
async fn a_cursor_pages_beyond_the_capped_total_without_repeats() {
    let all = shared_service().records("/data/signals");
    let mut once: Vec<&str> = record_ids(all);
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), all.len());
    assert!(
        all.len() > 1000,
        "more rows than the cap were read page by page"
    );
}

#[tokio::test]
async fn a_forged_cursor_gives_400() {
    for place in SEARCH_PATHS {
        let cursor = search_metadata(place, json!({"limit": 1})).await["search_after"]
            .as_str()
            .unwrap()
            .to_owned();
        let forged = format!(
            "{}{}",
            if cursor.starts_with('0') { "1" } else { "0" },
            &cursor[1..]
        );
        for cursor in [
            "",
            "made up",
            "00",
            "25",
            &forged,
            &cursor[1..],
            &cursor[..cursor.len() - 2],
            "é\u{0}",
        ] {
            let error = shared_service()
                .search_page(place, json!({"limit": 1, "search_after": cursor}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                error["issues"][0]["path"],
                json!(["search_after"]),
                "{place} {cursor}"
            );
        }
        for cursor in [json!(5), json!({}), Value::Null, json!(true)] {
            shared_service()
                .search_page(place, json!({"search_after": cursor}))
                .await
                .expect_error(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn a_cursor_is_valid_only_for_its_own_search() {
    for (place, other) in SEARCH_PATHS.iter().zip(SEARCH_PATHS.iter().cycle().skip(1)) {
        let sort = json!({"field": if *place == "/data/signals" { "filed_at" } else { "created_at" }, "order": "asc"});
        if *place == "/data/signals" {
            continue; // it has its own sort keys
        }
        let body = json!({"limit": 2, "sort": sort, "filters": {"name": {"value": "zzz", "exclude": true}}});
        let cursor = search_metadata(place, body.clone()).await["search_after"].clone();
        let with = |key: &str, value: Value| {
            let mut body = body.clone();
            body["search_after"] = cursor.clone();
            body[key] = value;
            body
        };
        shared_service()
            .search_page(place, with("limit", json!(50)))
            .await
            .ok();
        for body in [
            with("filters", json!({})),
            with(
                "filters",
                json!({"name": {"value": "yyy", "exclude": true}}),
            ),
            with("sort", json!({"field": "created_at", "order": "desc"})),
            with("sort", json!({"field": "name", "order": "asc"})),
            with("offset", json!(1)),
        ] {
            let error = shared_service()
                .search_page(place, body.clone())
                .await
                .expect_error(400, "bad_request");
            assert_eq!(error["issues"][0]["code"], "not_allowed", "{place} {body}");
        }
        if *other != "/data/signals" {
            shared_service()
                .search_page(other, with("limit", json!(2)))
                .await
                .expect_error(400, "bad_request");
        }
        let reply = shared_service()
            .post(
                &shared_service().api_key(1),
                &format!("{place}/search"),
                with("limit", json!(2)),
            )
            .await;
        reply.expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn rows_are_sorted_by_each_sort_key_in_either_order() {
    for (place, _, keys) in SORT_KEYS {
        let by_id: BTreeMap<_, _> = record_ids(shared_service().records(place))
            .into_iter()
            .zip(shared_service().records(place))
            .collect();
        for key in keys.split(' ').filter(|key| *key != "updated_at") {
            for order in ["asc", "desc"] {
                let rows = shared_service()
                    .search_all(place, json!({"sort": {"field": key, "order": order}}))
                    .await;
                let values: Vec<&Value> = rows
                    .iter()
                    .map(|row| &by_id[row["id"].as_str().unwrap()][key])
                    .collect();
                let known = values.iter().take_while(|value| !value.is_null()).count();
                assert!(
                    values[known..].iter().all(|value| value.is_null()),
                    "{place} {key} {order}: unknown values come last"
                );
                let folded = |value: &Value| value.as_str().map(str::to_lowercase);
                let sorted = values[..known].is_sorted_by(|a, b| {
                    let by = a
                        .as_i64()
                        .cmp(&b.as_i64())
                        .then_with(|| folded(a).cmp(&folded(b)));
                    if order == "asc" {
                        by.is_le()
                    } else {
                        by.is_ge()
                    }
                });
                assert!(
                    sorted && values[0] != values[known - 1],
                    "{place} {key} {order}"
                );
            }
        }
    }
}

#[tokio::test]
async fn each_search_has_its_default_sort_and_order() {
    for (place, order, keys) in SORT_KEYS {
        let key = keys.split(' ').next().unwrap();
        let (silent, reply) = (
            json!({"limit": 50}),
            json!({"limit": 50, "sort": {"field": key, "order": order}}),
        );
        let rows = async |body| {
            record_ids(
                shared_service().search_page(place, body).await.ok()["data"]
                    .as_array()
                    .unwrap(),
            )
            .join(" ")
        };
        assert_eq!(rows(silent).await, rows(reply).await, "{place}");
    }
}

#[tokio::test]
async fn sort_order_is_desc_by_default() {
    for (place, _, keys) in SORT_KEYS {
        for key in keys.split(' ') {
            let (silent, reply) = (
                json!({"sort": {"field": key}}),
                json!({"sort": {"field": key, "order": "desc"}}),
            );
            let (silent, reply) = (
                shared_service().search_page(place, silent).await.ok(),
                shared_service().search_page(place, reply).await.ok(),
            );
            assert_eq!(silent["data"], reply["data"], "{place} {key}");
        }
    }
}

#[tokio::test]
async fn sort_field_is_required_when_sort_is_present() {
    for place in SEARCH_PATHS {
        for sort in [json!({}), json!({"order": "asc"})] {
            let error = shared_service()
                .search_page(place, json!({ "sort": sort }))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!("required"), &json!(["sort", "field"])),
                "{place}"
            );
        }
    }
}

#[tokio::test]
async fn sort_field_must_be_a_valid_sort_key_of_the_search() {
    for (place, _, keys) in SORT_KEYS {
        let keys: Vec<&str> = keys.split(' ').collect();
        for key in [
            "name",
            "created_at",
            "updated_at",
            "projects_count",
            "signals_count",
            "atlas_score",
            "last_signal_at",
            "filed_at",
            "discovered_at",
            "id",
            "city",
            "notes",
            "score",
            "",
            "name DESC",
            "name; --",
        ] {
            let reply = shared_service()
                .search_page(
                    place,
                    json!({"sort": {"field": key, "order": "asc"}, "limit": 1}),
                )
                .await;
            if keys.contains(&key) {
                reply.ok();
                continue;
            }
            let issue = reply.expect_error(400, "bad_request")["issues"][0].clone();
            assert_eq!(
                (&issue["code"], &issue["path"]),
                (&json!("invalid_enum_value"), &json!(["sort", "field"])),
                "{place} {key}"
            );
            assert_eq!(issue["allowed"], json!(keys), "{place}");
        }
    }
}

#[tokio::test]
async fn sort_order_is_asc_or_desc() {
    for place in SEARCH_PATHS {
        let key = if place == "/data/signals" {
            "filed_at"
        } else {
            "created_at"
        };
        for order in [json!("up"), json!("ASC"), json!(""), json!(1), Value::Null] {
            let error = shared_service()
                .search_page(place, json!({"sort": {"field": key, "order": order}}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                error["issues"][0]["path"],
                json!(["sort", "order"]),
                "{place} {order}"
            );
        }
        for sort in [
            json!("name"),
            json!([{"field": key}]),
            Value::Null,
            json!({"field": key, "direction": "asc"}),
        ] {
            shared_service()
                .search_page(place, json!({ "sort": sort }))
                .await
                .expect_error(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn all_body_fields_are_optional_and_unknown_ones_are_rejected() {
    for place in SEARCH_PATHS {
        let none = shared_service()
            .send(
                &shared_service().api_key(0),
                "POST",
                &format!("{place}/search"),
                None,
            )
            .await
            .ok();
        assert_eq!(
            none,
            shared_service().search_page(place, json!({})).await.ok(),
            "{place}"
        );
        for (key, value) in [
            ("view_id", json!("00000000-0000-4000-8000-000000000000")),
            ("include", json!(["projects"])),
            ("page", json!(1)),
            ("workspace_id", json!(shared_service().workspace_id(0))),
            ("fields", json!(["id"])),
        ] {
            let error = shared_service()
                .search_page(place, json!({key: value}))
                .await
                .expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["code"], &error["issues"][0]["path"]),
                (&json!("unknown_key"), &json!([key])),
                "{place}"
            );
        }
    }
}
