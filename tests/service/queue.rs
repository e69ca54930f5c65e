//! The queue and its counts (interface: Signal, Queue rule; Workspace: signals, `GET
//! /signals/queue` and its stats).

use std::collections::{BTreeMap, BTreeSet};

use crate::fields::{FieldRow, assert_fields, ids, percent_encoded};
use crate::service_with_file::ServiceWithFile;
use crate::signals::{SIGNAL_FIELDS, SIGNAL_TYPES};
use crate::support::{TestCaller, TestService};
use chrono::{TimeDelta, Utc};
use gantry::service::{ServiceOptions, Storage};
use serde_json::{Value, json};

fn workspace_key(api: &TestService) -> TestCaller {
    api.api_key(0).with_workspace(api.workspace_id(0))
}

async fn get_queue(api: &TestService, query: &str) -> Value {
    api.get(&workspace_key(api), &format!("/signals/queue?{query}"))
        .await
        .ok()
}

async fn queue_rows(api: &TestService, query: &str) -> Vec<Value> {
    get_queue(api, &format!("limit=200&{query}")).await["signals"]
        .as_array()
        .unwrap()
        .clone()
}

async fn queue_stats(api: &TestService) -> Value {
    api.get(&workspace_key(api), "/signals/queue/stats")
        .await
        .ok()
}

async fn mark_done(api: &TestService, rows: &[Value]) {
    let ids: Vec<_> = rows.iter().map(|row| row["id"].clone()).collect();
    let body = json!({"workspace_id": api.workspace_id(0), "signal_ids": ids, "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", body)
        .await
        .ok();
}

/// Asserts that a query returns exactly the rows of the queue that satisfy `holds`, in order: some,
/// but not all.
async fn assert_query_leaves(api: &TestService, query: &str, holds: impl Fn(&Value) -> bool) {
    let all = queue_rows(api, "").await;
    let wanted: Vec<_> = all.iter().filter(|row| holds(row)).cloned().collect();
    assert!(
        !wanted.is_empty() && wanted.len() < all.len(),
        "{query} does not distinguish rows"
    );
    let page = get_queue(api, &format!("limit=200&{query}")).await;
    assert_eq!(page["signals"], Value::from(wanted.clone()), "{query}");
    assert_eq!(page["pagination"]["total"], wanted.len(), "{query}");
}

#[tokio::test]
async fn workspace_id_is_required_on_every_call_even_with_an_api_key() {
    let api = TestService::new().await;
    for path in [
        "/signals",
        "/signals/queue",
        "/signals/queue/stats",
        "/signal-subscriptions",
    ] {
        api.get(&api.api_key(0), path)
            .await
            .expect_error(400, "bad_request");
    }
    let body = json!({"signal_ids": [uuid::Uuid::nil()], "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", body)
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn a_queue_signal_adds_four_fields_to_a_signal() {
    let api = TestService::new().await;
    let more: [FieldRow; 4] = [
        ("triage_status", "new|done"),
        ("priority", "high|medium|low"),
        ("triaged_by", "string?"),
        ("triaged_at", "moment?"),
    ];
    for row in queue_rows(&api, "").await {
        assert_fields(&row, &[&SIGNAL_FIELDS[..], &more].concat());
    }
}

#[tokio::test]
async fn a_queue_signal_is_the_feed_row_plus_its_triage() {
    let api = TestService::new().await;
    let feed = api
        .get(&workspace_key(&api), "/signals?limit=200")
        .await
        .ok()["signals"]
        .as_array()
        .unwrap()
        .clone();
    let mut seen = 0;
    for mut row in queue_rows(&api, "").await {
        for key in ["triage_status", "priority", "triaged_by", "triaged_at"] {
            row.as_object_mut().unwrap().remove(key);
        }
        if let Some(same) = feed.iter().find(|other| other["id"] == row["id"]) {
            assert_eq!(*same, row);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[tokio::test]
async fn the_queue_returns_signals_and_pagination_with_the_filtered_count() {
    let api = TestService::new().await;
    let all = queue_rows(&api, "").await.len();
    let page = get_queue(&api, "limit=3&offset=2").await;
    assert_eq!(
        page.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["pagination", "signals"]
    );
    assert_eq!(
        page["pagination"],
        json!({"limit": 3, "offset": 2, "total": all})
    );
}

#[tokio::test]
async fn a_long_text_without_a_space_finds_nothing_and_is_no_error() {
    let api = TestService::new().await;
    for length in [2046, 2047, 8000] {
        for text in ["x".repeat(length), "ü".repeat(length / 2)] {
            for (path, name) in [
                ("/signals/queue", "q"),
                ("/signals", "q"),
                ("/signals/queue", "city"),
            ] {
                let page = api
                    .get(&workspace_key(&api), &format!("{path}?{name}={text}"))
                    .await
                    .ok();
                assert_eq!(page["signals"], json!([]), "{length} in {name} of {path}");
            }
        }
    }
}

#[tokio::test]
async fn only_signals_of_subscribed_types_are_in_the_queue() {
    let api = TestService::new().await;
    let list = api
        .get(&workspace_key(&api), "/signal-subscriptions")
        .await
        .ok();
    let subscribed: BTreeSet<&str> = list["subscriptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["signal_type"].as_str().unwrap())
        .collect();
    for one in SIGNAL_TYPES {
        let count = get_queue(&api, &format!("signal_type={one}")).await["pagination"]["total"]
            .as_i64()
            .unwrap();
        assert!(count == 0 || subscribed.contains(one), "{one}");
    }
}

#[tokio::test]
async fn the_queue_follows_exactly_its_rule() {
    let api = ServiceWithFile::new().await;
    // a type of which only the last 14 days are in the queue
    let body = json!({"workspace_id": api.workspace_id(0)});
    api.put(
        &api.api_key(0),
        "/signal-subscriptions/environmental_review",
        body,
    )
    .await
    .ok();
    let rule = format!(
        "SELECT s.id FROM signals s JOIN subscriptions n ON n.signal_type = s.signal_type
         WHERE n.workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1) AND s.discovered_at > n.watermark
           AND s.discovered_at <= {now} AND s.filed_at >= {oldest}",
        now = Utc::now().timestamp_millis(),
        oldest = (Utc::now() - TimeDelta::days(90)).timestamp_millis()
    );
    let (expected, found): (BTreeSet<_>, BTreeSet<_>) = (
        api.query_ids(&rule).into_iter().collect(),
        ids(&Value::from(queue_rows(&api, "").await))
            .into_iter()
            .collect(),
    );
    assert_eq!(found, expected);
}

/// Changes a signal of the first workspace's queue to be filed this many days ago and discovered
/// now.
async fn signal_filed_days_ago(api: &ServiceWithFile, days: i64) -> String {
    let one = queue_rows(api, "status=new&signal_type=permit_issued").await[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    // remove it from the queue first, as if it had not been there
    api.delete(&workspace_key(api), "/signal-subscriptions/permit_issued")
        .await
        .ok();
    let now = Utc::now();
    let filed = (now - TimeDelta::days(days)).timestamp_millis();
    let sql = format!(
        "UPDATE signals SET filed_at = {filed}, discovered_at = {} WHERE id = ?1",
        now.timestamp_millis() - 5
    );
    api.update_record(&sql, &one);
    api.put(
        &api.api_key(0),
        "/signal-subscriptions/permit_issued",
        json!({"workspace_id": api.workspace_id(0)}),
    )
    .await
    .ok();
    one
}

#[tokio::test]
async fn a_signal_discovered_today_and_filed_100_days_ago_never_enters_the_queue() {
    let api = ServiceWithFile::new().await;
    let late = signal_filed_days_ago(&api, 100).await;
    assert!(!ids(&Value::from(queue_rows(&api, "").await)).contains(&late));
    api.get(&workspace_key(&api), &format!("/signals/{late}"))
        .await
        .ok();
}

#[tokio::test]
async fn a_signal_discovered_today_and_filed_89_days_ago_is_in_the_queue() {
    let api = ServiceWithFile::new().await;
    let late = signal_filed_days_ago(&api, 89).await;
    assert!(ids(&Value::from(queue_rows(&api, "").await)).contains(&late));
}

#[tokio::test]
async fn the_90_day_window_uses_the_filing_date_for_new_and_done() {
    let api = TestService::new().await;
    if api.has_no_file("it copies the file of a running service") {
        return;
    }
    mark_done(&api, &queue_rows(&api, "status=new").await[..9]).await;
    let all = queue_rows(&api, "").await;
    let later = async |days: i64| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("later.db");
        std::fs::copy(api.database_path(), &path).unwrap();
        std::fs::copy(
            api.database_path().with_extension("db-wal"),
            path.with_extension("db-wal"),
        )
        .unwrap();
        let as_of = Utc::now() + TimeDelta::days(days);
        let later = TestService::with_options(ServiceOptions {
            data: Storage::File(path),
            as_of: Some(as_of),
            ..ServiceOptions::default()
        })
        .await;
        let left = (queue_rows(&later, "").await, queue_stats(&later).await);
        later.service.stop().await;
        (as_of, left)
    };
    let (as_of, (left, counts)) = later(45).await;
    let oldest = as_of - TimeDelta::days(90);
    let stays = |row: &&Value| {
        row["filed_at"]
            .as_str()
            .unwrap()
            .parse::<chrono::DateTime<Utc>>()
            .unwrap()
            >= oldest
    };
    let wanted: Vec<_> = all
        .iter()
        .filter(stays)
        .map(|row| row["id"].clone())
        .collect();
    assert!(!wanted.is_empty() && wanted.len() < all.len());
    assert_eq!(
        left.iter().map(|row| row["id"].clone()).collect::<Vec<_>>(),
        wanted
    );
    let done = left
        .iter()
        .filter(|row| row["triage_status"] == "done")
        .count();
    assert_eq!(counts["done_count"], done);
    let (_, (left, counts)) = later(91).await;
    assert_eq!(
        (left.len(), &counts["new_count"], &counts["done_count"]),
        (0, &json!(0), &json!(0))
    );
}

#[tokio::test]
async fn the_queue_is_ordered_new_first_then_by_priority_then_newest_filing_first() {
    let api = TestService::new().await;
    mark_done(&api, &queue_rows(&api, "status=new").await[..3]).await;
    let rows = queue_rows(&api, "").await;
    assert!(rows.len() > 10, "{}", rows.len());
    let key = |row: &Value| {
        let priority = ["high", "medium", "low"]
            .iter()
            .position(|word| row["priority"] == *word)
            .unwrap();
        let filed_at = std::cmp::Reverse(row["filed_at"].as_str().unwrap().to_owned());
        (
            row["triage_status"] == "done",
            priority,
            filed_at,
            row["id"].to_string(),
        )
    };
    assert!(rows.is_sorted_by_key(key));
}

#[tokio::test]
async fn done_signals_are_not_ordered_by_triage_time() {
    let api = TestService::new().await;
    let before = queue_rows(&api, "status=new").await;
    let picked = [before[4].clone(), before[0].clone(), before[2].clone()];
    for row in &picked {
        mark_done(&api, std::slice::from_ref(row)).await;
    }
    let done: Vec<_> = queue_rows(&api, "status=done")
        .await
        .into_iter()
        .map(|row| row["id"].clone())
        .collect();
    let places: Vec<_> = [0, 2, 4]
        .iter()
        .map(|nth: &usize| {
            done.iter()
                .position(|id| *id == before[*nth]["id"])
                .unwrap()
        })
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn the_priority_of_a_signal_is_that_of_its_types_subscription() {
    let api = TestService::new().await;
    let of = async || -> BTreeMap<String, BTreeSet<String>> {
        let mut of = BTreeMap::<String, BTreeSet<String>>::new();
        for row in queue_rows(&api, "").await {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            of.entry(text("signal_type"))
                .or_default()
                .insert(text("priority"));
        }
        of
    };
    let list = api
        .get(&workspace_key(&api), "/signal-subscriptions")
        .await
        .ok();
    for one in list["subscriptions"].as_array().unwrap() {
        let (signal_type, priority) = (
            one["signal_type"].as_str().unwrap(),
            one["priority"].as_str().unwrap(),
        );
        if let Some(found) = of().await.get(signal_type) {
            assert_eq!(
                *found,
                BTreeSet::from([priority.to_owned()]),
                "{signal_type}"
            );
        }
    }
    let body = json!({"workspace_id": api.workspace_id(0), "priority": "low"});
    api.put(&api.api_key(0), "/signal-subscriptions/permit_issued", body)
        .await
        .ok();
    assert_eq!(
        of().await["permit_issued"],
        BTreeSet::from(["low".to_owned()])
    );
}

#[tokio::test]
async fn status_is_repeatable_and_omitting_it_means_both() {
    let api = TestService::new().await;
    assert_query_leaves(&api, "status=new", |row| row["triage_status"] == "new").await;
    assert_query_leaves(&api, "status=done", |row| row["triage_status"] == "done").await;
    assert_eq!(
        queue_rows(&api, "status=done&status=new").await,
        queue_rows(&api, "").await
    );
    api.get(&workspace_key(&api), "/signals/queue?status=later")
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn signal_type_is_repeatable() {
    let api = TestService::new().await;
    assert_query_leaves(&api, "signal_type=permit_filed", |row| {
        row["signal_type"] == "permit_filed"
    })
    .await;
    let either = |row: &Value| {
        row["signal_type"] == "permit_filed" || row["signal_type"] == "demolition_permit"
    };
    assert_query_leaves(
        &api,
        "signal_type=permit_filed&signal_type=demolition_permit",
        either,
    )
    .await;
    api.get(
        &workspace_key(&api),
        "/signals/queue?signal_type=permit_filed&signal_type=odd",
    )
    .await
    .expect_error(400, "bad_request");
}

#[tokio::test]
async fn priority_is_repeatable() {
    let api = TestService::new().await;
    assert_query_leaves(&api, "priority=medium", |row| row["priority"] == "medium").await;
    assert_query_leaves(&api, "priority=high&priority=low", |row| {
        row["priority"] != "medium"
    })
    .await;
    api.get(&workspace_key(&api), "/signals/queue?priority=urgent")
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn queue_parameters_combine_with_and() {
    let api = TestService::new().await;
    let both = |row: &Value| {
        row["triage_status"] == "new"
            && row["priority"] == "medium"
            && row["signal_type"] == "permit_filed"
    };
    assert_query_leaves(
        &api,
        "status=new&priority=medium&signal_type=permit_filed",
        both,
    )
    .await;
    assert_eq!(
        queue_rows(&api, "priority=low&signal_type=permit_filed").await,
        [] as [Value; 0]
    );
}

#[tokio::test]
async fn city_narrows_the_queue_to_projects_of_the_city() {
    let api = TestService::new().await;
    let projects: BTreeSet<_> = queue_rows(&api, "")
        .await
        .iter()
        .map(|row| row["project_id"].as_str().unwrap().to_owned())
        .collect();
    let mut city_of = BTreeMap::new();
    for project in projects {
        let city = api
            .get(&workspace_key(&api), &format!("/data/projects/{project}"))
            .await
            .ok()["data"]["city"]
            .clone();
        city_of.insert(project, city);
    }
    let city = city_of
        .values()
        .find(|city| city.is_string())
        .unwrap()
        .clone();
    let query = format!(
        "city={}",
        percent_encoded(&city.as_str().unwrap().to_uppercase())
    );
    assert_query_leaves(&api, &query, |row| {
        city_of[row["project_id"].as_str().unwrap()] == city
    })
    .await;
}

#[tokio::test]
async fn the_queues_limit_is_50_by_default_and_200_at_most() {
    let api = TestService::new().await;
    let page = get_queue(&api, "").await;
    assert_eq!(
        (
            page["signals"].as_array().unwrap().len(),
            &page["pagination"]["limit"]
        ),
        (50, &json!(50))
    );
    assert_eq!(
        get_queue(&api, "limit=200").await["pagination"]["limit"],
        200
    );
    for limit in ["0", "-1", "201", "1.5", "all", ""] {
        api.get(
            &workspace_key(&api),
            &format!("/signals/queue?limit={limit}"),
        )
        .await
        .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn the_queues_offset_is_0_by_default_and_pages_are_slices_of_the_whole() {
    let api = TestService::new().await;
    let all = queue_rows(&api, "").await;
    assert_eq!(get_queue(&api, "").await["pagination"]["offset"], 0);
    let (mut found, mut offset) = (Vec::new(), 0);
    loop {
        let page = get_queue(&api, &format!("limit=7&offset={offset}")).await;
        assert_eq!(page["pagination"]["total"], all.len());
        let rows = page["signals"].as_array().unwrap();
        if rows.is_empty() {
            break;
        }
        found.extend(rows.iter().cloned());
        offset += 7;
    }
    assert_eq!(found, all);
    api.get(&workspace_key(&api), "/signals/queue?offset=-1")
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_offset_beyond_the_queue_is_an_empty_page_with_the_same_total() {
    let api = TestService::new().await;
    let page = get_queue(&api, "offset=1000000").await;
    assert_eq!(page["signals"], json!([]));
    assert_eq!(
        page["pagination"]["total"],
        queue_rows(&api, "").await.len()
    );
}

#[tokio::test]
async fn the_queues_total_is_not_capped_as_searches_are() {
    let folder = tempfile::tempdir().unwrap();
    let data = Storage::File(folder.path().join("desk.db"));
    let api = TestService::with_options(ServiceOptions {
        projects: 300,
        data,
        ..ServiceOptions::default()
    })
    .await;
    // as if everything had been filed and discovered this week, with all types subscribed
    let day = 86_400_000;
    let sql = format!(
        "UPDATE signals SET filed_at = ?1 - rowid % 6 * {day}, discovered_at = ?1 - rowid % 6 * {day}"
    );
    let file = rusqlite::Connection::open(folder.path().join("desk.db")).unwrap();
    let count = file
        .execute(&sql, [Utc::now().timestamp_millis() - 60_000])
        .unwrap();
    for one in SIGNAL_TYPES {
        api.delete(
            &workspace_key(&api),
            &format!("/signal-subscriptions/{one}"),
        )
        .await;
        let body = json!({"workspace_id": api.workspace_id(0)});
        api.put(
            &api.api_key(0),
            &format!("/signal-subscriptions/{one}"),
            body,
        )
        .await
        .ok();
    }
    assert!(count > 1000, "{count}");
    assert_eq!(
        get_queue(&api, "limit=1").await["pagination"]["total"],
        count
    );
    let last = get_queue(&api, &format!("limit=200&offset={}", count - 3)).await;
    assert_eq!(
        last["signals"].as_array().unwrap().len(),
        3,
        "offsets reach the end"
    );
    api.service.stop().await;
}

#[tokio::test]
async fn the_queue_is_the_same_for_every_member_and_key_of_the_workspace() {
    let api = TestService::new().await;
    let ours = get_queue(&api, "limit=200").await;
    for caller in [
        api.member_caller(0, 0),
        api.member_caller(0, 3),
        api.read_only_key(0).with_workspace(api.workspace_id(0)),
    ] {
        assert_eq!(
            api.get(&caller, "/signals/queue?limit=200").await.ok(),
            ours
        );
    }
    assert_ne!(
        api.get(
            &api.api_key(1).with_workspace(api.workspace_id(1)),
            "/signals/queue?limit=200"
        )
        .await
        .ok(),
        ours
    );
}

#[tokio::test]
async fn stats_have_three_counts_and_new_counts_by_type_without_a_wrapper() {
    let api = TestService::new().await;
    let stats = queue_stats(&api).await;
    let whole: [FieldRow; 4] = [
        ("new_count", "integer"),
        ("high_priority_new_count", "integer"),
        ("done_count", "integer"),
        ("type_counts", "object[]"),
    ];
    assert_fields(&stats, &whole);
    for count in stats["type_counts"].as_array().unwrap() {
        assert_fields(
            count,
            &[("signal_type", "string"), ("new_count", "integer")],
        );
    }
}

#[tokio::test]
async fn stats_apply_the_same_rule_as_the_queue() {
    let api = TestService::new().await;
    mark_done(&api, &queue_rows(&api, "status=new").await[..5]).await;
    let stats = queue_stats(&api).await;
    let total = async |query: &str| get_queue(&api, query).await["pagination"]["total"].clone();
    assert_eq!(stats["new_count"], total("status=new").await);
    assert_eq!(
        stats["high_priority_new_count"],
        total("status=new&priority=high").await
    );
    assert_eq!(stats["done_count"], total("status=done").await);
}

#[tokio::test]
async fn type_counts_are_the_new_signals_of_each_type() {
    let api = TestService::new().await;
    let stats = queue_stats(&api).await;
    let counts = stats["type_counts"].as_array().unwrap();
    for count in counts {
        let query = format!(
            "status=new&signal_type={}",
            count["signal_type"].as_str().unwrap()
        );
        assert_eq!(
            count["new_count"],
            get_queue(&api, &query).await["pagination"]["total"],
            "{query}"
        );
    }
    assert_eq!(
        counts
            .iter()
            .map(|count| count["new_count"].as_i64().unwrap())
            .sum::<i64>(),
        stats["new_count"]
    );
}

#[tokio::test]
async fn arrivals_are_discovered_and_enter_the_queue() {
    let every = Some(std::time::Duration::from_millis(20));
    let api = TestService::with_options(gantry::service::ServiceOptions {
        projects: 120,
        arrival_interval: every,
        ..Default::default()
    })
    .await;
    let before = queue_stats(&api).await["new_count"].as_i64().unwrap();
    let limit = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    while queue_stats(&api).await["new_count"].as_i64().unwrap() <= before {
        assert!(tokio::time::Instant::now() < limit, "nothing arrived");
    }
    api.service.stop().await;
}

#[tokio::test]
async fn q_matches_names_and_filing_ids_fuzzily_and_case_insensitively() {
    let api = TestService::new().await;
    let all = queue_rows(&api, "").await;
    let word = |row: &Value| {
        let name = row["project_name"].as_str().unwrap();
        name.split(' ')
            .find(|word| word.len() > 5 && word.chars().all(|c| c.is_ascii_alphabetic()))
            .map(str::to_owned)
    };
    let (row, word) = all.iter().find_map(|row| Some((row, word(row)?))).unwrap();
    let slip = format!("{}x{}", &word[..2], &word[3..]).to_uppercase();
    for text in [
        row["project_name"].as_str().unwrap(),
        &word,
        &slip,
        row["source_filing_id"].as_str().unwrap(),
    ] {
        let page = get_queue(&api, &format!("limit=200&q={}", percent_encoded(text))).await;
        let found = page["signals"].as_array().unwrap();
        assert!(found.contains(row), "{text}");
        assert_eq!(page["pagination"]["total"], found.len(), "{text}");
        let in_order: Vec<_> = all.iter().filter(|row| found.contains(row)).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), in_order, "{text}");
    }
}

#[tokio::test]
async fn an_absent_text_finds_nothing_and_wildcards_are_literal() {
    let api = TestService::new().await;
    for text in ["qqqqzzzz", "%", "_", "qqqqzzzz' OR 1 --"] {
        for name in ["q", "city"] {
            let page = get_queue(&api, &format!("{name}={}", percent_encoded(text))).await;
            assert_eq!(
                (&page["signals"], &page["pagination"]["total"]),
                (&json!([]), &json!(0)),
                "{name} {text}"
            );
        }
    }
}
