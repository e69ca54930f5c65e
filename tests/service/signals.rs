//! The feed and a single signal (interface: Signal; Workspace: signals, `GET /signals` and `GET
//! /signals/{id}`).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::fields::{FieldRow, assert_fields, ids, percent_encoded};
use crate::support::{TestCaller, TestService};
use gantry::domain::signals::SignalType;
use serde_json::{Value, json};

/// The signal types of the interface.
pub const SIGNAL_TYPES: [&str; 17] = [
    "project_announcement",
    "pre_application",
    "site_acquisition",
    "demolition_permit",
    "site_prep",
    "entitlement_application",
    "environmental_review",
    "public_review",
    "entitlement_approval",
    "entitlement_denial",
    "withdrawal",
    "expiration",
    "permit_filed",
    "permit_issued",
    "construction_loan",
    "team_update",
    "completion",
];

/// The fields of a signal without `raw_data`.
pub const SIGNAL_FIELDS: [FieldRow; 16] = [
    ("id", "uuid"),
    ("project_id", "uuid"),
    ("source_id", "uuid"),
    ("project_name", "string"),
    ("project_primary_address", "string?"),
    ("signal_type", "string"),
    ("filed_at", "moment"),
    ("discovered_at", "moment"),
    ("source_slug", "string"),
    ("source_display_name", "string"),
    ("source_base_url", "string?"),
    ("source_logo_domain", "string?"),
    ("source_filing_id", "string?"),
    ("source_url", "string?"),
    ("reported_cost_usd", "number?"),
    ("reported_gross_floor_area_sf", "number?"),
];

fn workspace_key(api: &TestService) -> TestCaller {
    api.api_key(0).with_workspace(api.workspace_id(0))
}

async fn get_feed(api: &TestService, query: &str) -> Value {
    api.get(&workspace_key(api), &format!("/signals?{query}"))
        .await
        .ok()
}

/// The newest 200 signals of the feed.
async fn newest_signals(api: &TestService) -> Vec<Value> {
    get_feed(api, "limit=200").await["signals"]
        .as_array()
        .unwrap()
        .clone()
}

/// Asserts that a query returns exactly those of the newest 200 signals that satisfy `holds`, and
/// at least one.
async fn assert_query_leaves(api: &TestService, query: &str, holds: impl Fn(&Value) -> bool) {
    let rows = newest_signals(api).await;
    let last = rows.last().unwrap()["filed_at"].as_str().unwrap();
    // the oldest of the 200 may have neighbors filed at the same moment
    let recent = |row: &&Value| row["filed_at"].as_str().unwrap() > last;
    let found = get_feed(api, &format!("limit=200&{query}")).await["signals"]
        .as_array()
        .unwrap()
        .clone();
    let found: Vec<_> = found.iter().filter(recent).collect();
    let wanted: Vec<_> = rows
        .iter()
        .filter(recent)
        .filter(|row| holds(row))
        .collect();
    assert!(!wanted.is_empty(), "{query} matches nothing");
    assert_eq!(found, wanted, "{query}");
}

#[tokio::test]
async fn a_signal_of_the_feed_has_the_fields_of_the_signal_table_and_no_triage_fields() {
    let api = TestService::new().await;
    for row in newest_signals(&api).await {
        assert_fields(&row, &SIGNAL_FIELDS);
    }
}

#[tokio::test]
async fn a_single_signal_is_the_feed_row_plus_raw_data() {
    let api = TestService::new().await;
    for row in newest_signals(&api).await.into_iter().take(20) {
        let reply = api
            .get(
                &workspace_key(&api),
                &format!("/signals/{}", row["id"].as_str().unwrap()),
            )
            .await
            .ok();
        assert_eq!(
            reply.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["signal"]
        );
        let mut signal = reply["signal"].clone();
        assert!(
            signal
                .as_object_mut()
                .unwrap()
                .remove("raw_data")
                .unwrap()
                .is_object()
        );
        assert_eq!(signal, row);
    }
}

#[tokio::test]
async fn raw_data_is_only_on_the_single_signal_get() {
    let api = TestService::new().await;
    let row = newest_signals(&api).await[0].clone();
    let (id, project) = (
        row["id"].as_str().unwrap(),
        row["project_id"].as_str().unwrap(),
    );
    let embedding = api
        .get(
            &workspace_key(&api),
            &format!("/data/projects/{project}?include=signals"),
        )
        .await
        .ok();
    for (place, signal) in [
        ("feed", row.clone()),
        (
            "queue",
            api.get(&workspace_key(&api), "/signals/queue?limit=1")
                .await
                .ok()["signals"][0]
                .clone(),
        ),
        ("embedded", embedding["data"]["signals"][0].clone()),
        (
            "Data get",
            api.get(&workspace_key(&api), &format!("/data/signals/{id}"))
                .await
                .ok()["data"]
                .clone(),
        ),
        (
            "Data search",
            api.post(
                &workspace_key(&api),
                "/data/signals/search",
                json!({"limit": 1}),
            )
            .await
            .ok()["data"][0]
                .clone(),
        ),
    ] {
        assert!(
            signal["id"].is_string() && signal.get("raw_data").is_none(),
            "{place}: {signal}"
        );
    }
}

#[tokio::test]
async fn every_signal_is_of_one_of_the_17_types() {
    let api = TestService::new().await;
    assert_eq!(
        SignalType::ALL
            .iter()
            .map(SignalType::as_str)
            .collect::<BTreeSet<_>>(),
        BTreeSet::from(SIGNAL_TYPES)
    );
    for signal_type in SIGNAL_TYPES {
        let page = get_feed(&api, &format!("limit=200&signal_type={signal_type}")).await;
        assert!(
            page["signals"]
                .as_array()
                .unwrap()
                .iter()
                .all(|row| row["signal_type"] == signal_type),
            "{signal_type}"
        );
    }
    let error = api
        .get(&workspace_key(&api), "/signals?signal_type=orbital_permit")
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["allowed"].as_array().unwrap().len(), 17);
}

#[tokio::test]
async fn every_signal_is_an_event_on_a_project_that_the_index_has() {
    let api = TestService::new().await;
    for row in newest_signals(&api).await.into_iter().take(30) {
        let project = api
            .get(
                &workspace_key(&api),
                &format!("/data/projects/{}", row["project_id"].as_str().unwrap()),
            )
            .await
            .ok();
        assert_eq!(project["data"]["name"], row["project_name"]);
        assert_eq!(
            project["data"]["primary_address"],
            row["project_primary_address"]
        );
    }
}

#[tokio::test]
async fn the_feed_returns_signals_and_pagination() {
    let api = TestService::new().await;
    let page = get_feed(&api, "limit=3&offset=2").await;
    assert_eq!(
        page.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["pagination", "signals"]
    );
    assert_eq!(
        page["pagination"],
        json!({"limit": 3, "offset": 2, "total": null})
    );
    assert_eq!(page["signals"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn the_feeds_total_is_null_with_any_filter() {
    let api = TestService::new().await;
    for query in [
        "",
        "limit=1",
        "q=nothing-of-that-name",
        "signal_type=permit_filed",
        "offset=100000",
    ] {
        let page = get_feed(&api, query).await;
        assert_eq!(
            page["pagination"].get("total"),
            Some(&Value::Null),
            "{query}"
        );
    }
}

#[tokio::test]
async fn the_feed_is_newest_filing_first() {
    let api = TestService::new().await;
    assert!(
        newest_signals(&api)
            .await
            .is_sorted_by_key(|row| Reverse(row["filed_at"].as_str().unwrap().to_owned()))
    );
}

#[tokio::test]
async fn the_feeds_limit_is_50_by_default_and_200_at_most() {
    let api = TestService::new().await;
    let page = get_feed(&api, "").await;
    assert_eq!(
        (
            page["signals"].as_array().unwrap().len(),
            &page["pagination"]["limit"]
        ),
        (50, &json!(50))
    );
    assert_eq!(newest_signals(&api).await.len(), 200);
    for limit in ["0", "-1", "201", "1.5", "all", ""] {
        api.get(&workspace_key(&api), &format!("/signals?limit={limit}"))
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn the_feeds_offset_is_0_by_default_and_pages_are_slices_of_the_whole() {
    let api = TestService::new().await;
    let all = newest_signals(&api).await;
    assert_eq!(get_feed(&api, "limit=10").await["pagination"]["offset"], 0);
    for offset in [0, 1, 99, 190] {
        let page = get_feed(&api, &format!("limit=10&offset={offset}")).await;
        assert_eq!(
            page["signals"].as_array().unwrap()[..],
            all[offset..offset + 10],
            "{offset}"
        );
    }
    api.get(&workspace_key(&api), "/signals?offset=-1")
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_offset_beyond_the_feed_is_an_empty_page() {
    let api = TestService::new().await;
    assert_eq!(get_feed(&api, "offset=1000000").await["signals"], json!([]));
}

#[tokio::test]
async fn project_id_narrows_the_feed_to_one_project() {
    let api = TestService::new().await;
    let project = newest_signals(&api).await[7]["project_id"].clone();
    assert_query_leaves(
        &api,
        &format!("project_id={}", project.as_str().unwrap()),
        |row| row["project_id"] == project,
    )
    .await;
    api.get(&workspace_key(&api), "/signals?project_id=7")
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn account_id_narrows_the_feed_to_projects_associated_with_the_account() {
    let api = TestService::new().await;
    let project = newest_signals(&api).await[3]["project_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let project = api
        .get(
            &workspace_key(&api),
            &format!("/data/projects/{project}?include=accounts"),
        )
        .await
        .ok();
    let account = project["data"]["accounts"][0]["id"].as_str().unwrap();
    let account = api
        .get(
            &workspace_key(&api),
            &format!("/data/accounts/{account}?include=projects,signals"),
        )
        .await
        .ok()["data"]
        .clone();
    let id = account["id"].as_str().unwrap();
    let found = get_feed(&api, &format!("limit=200&account_id={id}")).await;
    let set = |rows: &Value| ids(rows).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(set(&found["signals"]), set(&account["signals"]));
    let projects = set(&account["projects"]);
    assert!(
        found["signals"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| projects.contains(row["project_id"].as_str().unwrap()))
    );
    let nobody = get_feed(&api, "account_id=00000000-0000-4000-8000-000000000000").await;
    assert_eq!(nobody["signals"], json!([]));
}

#[tokio::test]
async fn signal_type_narrows_the_feed_to_one_type() {
    let api = TestService::new().await;
    let one = newest_signals(&api).await[5]["signal_type"].clone();
    assert_query_leaves(
        &api,
        &format!("signal_type={}", one.as_str().unwrap()),
        |row| row["signal_type"] == one,
    )
    .await;
}

#[tokio::test]
async fn filed_after_is_inclusive() {
    let api = TestService::new().await;
    let from = newest_signals(&api).await[100]["filed_at"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_query_leaves(&api, &format!("filed_after={from}"), |row| {
        row["filed_at"].as_str().unwrap() >= from.as_str()
    })
    .await;
    assert!(
        get_feed(&api, &format!("limit=200&filed_after={from}")).await["signals"]
            .to_string()
            .contains(&from)
    );
}

#[tokio::test]
async fn filed_before_is_exclusive() {
    let api = TestService::new().await;
    let to = newest_signals(&api).await[50]["filed_at"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_query_leaves(&api, &format!("filed_before={to}"), |row| {
        row["filed_at"].as_str().unwrap() < to.as_str()
    })
    .await;
    assert!(
        !get_feed(&api, &format!("limit=200&filed_before={to}")).await["signals"]
            .to_string()
            .contains(&to)
    );
}

#[tokio::test]
async fn discovered_after_is_inclusive() {
    let api = TestService::new().await;
    let mut moments: Vec<_> = newest_signals(&api)
        .await
        .iter()
        .map(|row| row["discovered_at"].as_str().unwrap().to_owned())
        .collect();
    moments.sort();
    let from = &moments[moments.len() / 2];
    let found = get_feed(&api, &format!("limit=200&discovered_after={from}")).await["signals"]
        .as_array()
        .unwrap()
        .clone();
    assert!(
        found
            .iter()
            .all(|row| row["discovered_at"].as_str().unwrap() >= from.as_str())
    );
    assert!(
        found
            .iter()
            .any(|row| row["discovered_at"] == from.as_str())
    );
}

#[tokio::test]
async fn timestamps_are_iso_8601_with_any_offset() {
    let api = TestService::new().await;
    let from: chrono::DateTime<chrono::Utc> = newest_signals(&api).await[60]["filed_at"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let expected = get_feed(
        &api,
        &format!(
            "limit=200&filed_after={}",
            percent_encoded(&from.to_rfc3339())
        ),
    )
    .await;
    let offset = chrono::FixedOffset::east_opt(19_800).unwrap();
    let elsewhere = from.with_timezone(&offset).to_rfc3339();
    assert_eq!(
        get_feed(
            &api,
            &format!("limit=200&filed_after={}", percent_encoded(&elsewhere))
        )
        .await,
        expected,
        "{elsewhere}"
    );
    for odd in ["soon", "2026-13-01", "1751328000", "2026-01-01T25:00:00Z"] {
        for name in ["filed_after", "filed_before", "discovered_after"] {
            api.get(&workspace_key(&api), &format!("/signals?{name}={odd}"))
                .await
                .expect_error(400, "bad_request");
        }
    }
}

#[tokio::test]
async fn q_is_fuzzy_over_filing_id_source_url_and_project_name() {
    let api = TestService::new().await;
    let rows = newest_signals(&api).await;
    let row = rows
        .iter()
        .find(|row| row["source_filing_id"].is_string() && row["source_url"].is_string())
        .unwrap();
    let name = row["project_name"].as_str().unwrap();
    let word = name.split(' ').max_by_key(|word| word.len()).unwrap();
    let slip = format!(
        "{}x{}",
        &word[..word.len() / 2],
        &word[word.len() / 2 + 1..]
    );
    for (place, text) in [
        ("the filing id", row["source_filing_id"].as_str().unwrap()),
        ("the source URL", row["source_url"].as_str().unwrap()),
        ("the project's name", name),
        ("a word of the name", word),
        ("a word with a typo", &slip),
        ("any case", &name.to_uppercase()),
    ] {
        let found = get_feed(&api, &format!("limit=200&q={}", percent_encoded(text))).await;
        assert!(
            ids(&found["signals"]).contains(&row["id"].as_str().unwrap().to_owned()),
            "{place}: {text}"
        );
    }
    assert_eq!(get_feed(&api, "q=qqqqzzzz").await["signals"], json!([]));
}

#[tokio::test]
async fn city_narrows_the_feed_to_projects_of_the_city() {
    let api = TestService::new().await;
    let project = newest_signals(&api).await[0]["project_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let city = api
        .get(&workspace_key(&api), &format!("/data/projects/{project}"))
        .await
        .ok()["data"]["city"]
        .clone();
    let found = get_feed(
        &api,
        &format!("limit=20&city={}", percent_encoded(city.as_str().unwrap())),
    )
    .await["signals"]
        .clone();
    assert!(
        found
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["project_id"] == project.as_str())
    );
    for row in found.as_array().unwrap() {
        let path = format!("/data/projects/{}", row["project_id"].as_str().unwrap());
        assert_eq!(
            api.get(&workspace_key(&api), &path).await.ok()["data"]["city"],
            city
        );
    }
}

#[tokio::test]
async fn feed_parameters_combine_with_and() {
    let api = TestService::new().await;
    let row = newest_signals(&api).await[40].clone();
    let (one, from) = (
        row["signal_type"].as_str().unwrap(),
        row["filed_at"].as_str().unwrap(),
    );
    let both =
        |found: &Value| found["signal_type"] == one && found["filed_at"].as_str().unwrap() >= from;
    assert_query_leaves(&api, &format!("signal_type={one}&filed_after={from}"), both).await;
}

#[tokio::test]
async fn the_feed_includes_unsubscribed_signal_types() {
    let api = TestService::new().await;
    let subscribed = api
        .get(&workspace_key(&api), "/signal-subscriptions")
        .await
        .ok()["subscriptions"]
        .to_string();
    let mut types = newest_signals(&api)
        .await
        .into_iter()
        .map(|row| row["signal_type"].as_str().unwrap().to_owned());
    assert!(types.any(|one| !subscribed.contains(&format!("\"{one}\""))));
}

#[tokio::test]
async fn the_feed_is_the_same_for_every_workspace() {
    let api = TestService::new().await;
    let theirs = api
        .get(
            &api.api_key(1).with_workspace(api.workspace_id(1)),
            "/signals?limit=200",
        )
        .await
        .ok();
    assert_eq!(
        theirs["signals"].as_array().unwrap()[..],
        newest_signals(&api).await[..]
    );
}

#[tokio::test]
async fn an_unknown_signal_is_404_not_found() {
    let api = TestService::new().await;
    for id in [
        "00000000-0000-4000-8000-000000000000",
        "no-uuid",
        "queue-stats",
    ] {
        api.get(&workspace_key(&api), &format!("/signals/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}
