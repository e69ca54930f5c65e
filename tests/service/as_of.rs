//! A file served as of an earlier day: signals discovered later are invisible everywhere
//! (commandline: `--as-of`; interface: Project, Signal).

use std::collections::BTreeMap;

use crate::fields::ids;
use crate::support::{TestCaller, TestService};
use chrono::{DateTime, Utc};
use gantry::service::{ServiceOptions, Storage, import};
use serde_json::{Value, json};

/// The day on which the file was created, and the day as of which it is served.
const FILE_CREATED_AT: &str = "2018-06-01T12:00:00Z";
const SERVED_AS_OF: &str = "2018-05-01T12:00:00Z";

/// A file with signals up to June 1, served as of May 1.
struct AsOfService {
    inner: TestService,
    folder: tempfile::TempDir,
    /// The projects according to the whole file, with all their signals.
    all_projects: Vec<Value>,
    /// Ids of signals discovered later.
    later_signal_ids: Vec<String>,
}

impl std::ops::Deref for AsOfService {
    type Target = TestService;
    fn deref(&self) -> &TestService {
        &self.inner
    }
}

fn file_options(folder: &tempfile::TempDir, as_of: &str) -> ServiceOptions {
    let as_of: DateTime<Utc> = as_of.parse().unwrap();
    ServiceOptions {
        data: Storage::File(folder.path().join("desk.db")),
        projects: 60,
        as_of: Some(as_of),
        ..ServiceOptions::default()
    }
}

fn workspace_key(api: &TestService) -> TestCaller {
    api.api_key(0).with_workspace(api.workspace_id(0))
}

/// All rows of a search.
async fn search_all(api: &TestService, path: &str, mut body: Value) -> Vec<Value> {
    body["limit"] = json!(100);
    let mut rows = Vec::new();
    loop {
        let reply = api.post(&api.api_key(0), path, body.clone()).await.ok();
        let data = &reply["data"];
        rows.extend(
            data.get("records")
                .unwrap_or(data)
                .as_array()
                .unwrap()
                .iter()
                .cloned(),
        );
        match reply["metadata"]["search_after"].clone() {
            Value::Null => return rows,
            cursor => body["search_after"] = cursor,
        }
    }
}

/// All projects of the index with their signals, by id.
async fn all_projects(api: &TestService) -> Vec<Value> {
    let mut found = Vec::new();
    for row in search_all(
        api,
        "/data/projects/search",
        json!({"sort": {"field": "name", "order": "asc"}}),
    )
    .await
    {
        let path = format!(
            "/data/projects/{}?include=signals",
            row["id"].as_str().unwrap()
        );
        found.push(api.get(&api.api_key(0), &path).await.ok()["data"].clone());
    }
    found.sort_by_key(|project| project["id"].to_string());
    found
}

fn signals_of(project: &Value) -> &Vec<Value> {
    project["signals"].as_array().unwrap()
}

fn is_discovered_by_then(signal: &Value) -> bool {
    signal["discovered_at"].as_str().unwrap() < "2018-05-01T12:10"
}

async fn start_as_of_service() -> AsOfService {
    let folder = tempfile::tempdir().unwrap();
    let made = TestService::with_options(file_options(&folder, FILE_CREATED_AT)).await;
    let whole = all_projects(&made).await;
    made.service.stop().await;
    let later = whole
        .iter()
        .flat_map(signals_of)
        .filter(|signal| !is_discovered_by_then(signal));
    let later: Vec<_> = later
        .map(|signal| signal["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(later.len() > 5, "{}", later.len());
    AsOfService {
        inner: TestService::with_options(file_options(&folder, SERVED_AS_OF)).await,
        folder,
        all_projects: whole,
        later_signal_ids: later,
    }
}

#[tokio::test]
async fn feed_and_queue_show_only_signals_up_to_the_as_of_date() {
    let past = start_as_of_service().await;
    for path in ["/signals/queue?limit=200", "/signals?limit=200"] {
        let rows = past.get(&workspace_key(&past), path).await.ok()["signals"]
            .as_array()
            .unwrap()
            .clone();
        assert!(
            !rows.is_empty() && rows.iter().all(is_discovered_by_then),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_later_signal_is_404_in_the_index_and_on_its_own_route() {
    let past = start_as_of_service().await;
    for id in &past.later_signal_ids {
        past.get(
            &past.api_key(0),
            &format!("/data/signals/{id}?include=project"),
        )
        .await
        .expect_error(404, "not_found");
        past.get(&workspace_key(&past), &format!("/signals/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn signal_searches_neither_find_nor_count_later_signals() {
    let past = start_as_of_service().await;
    let expected = past
        .all_projects
        .iter()
        .flat_map(signals_of)
        .filter(|signal| is_discovered_by_then(signal))
        .count();
    for body in [
        json!({}),
        json!({"sort": {"field": "discovered_at"}}),
        json!({"filters": {"filed_at": {"min": "2000-01-01"}}}),
    ] {
        let found = search_all(&past, "/data/signals/search", body.clone()).await;
        assert!(found.iter().all(is_discovered_by_then), "{body}");
        assert_eq!(found.len(), expected, "{body}");
        let mut first = body;
        first["limit"] = json!(1);
        let reply = past
            .post(&past.api_key(0), "/data/signals/search", first)
            .await
            .ok();
        assert_eq!(reply["metadata"]["total"], expected.min(1000));
    }
}

#[tokio::test]
async fn a_projects_signals_counts_and_dates_are_as_of_the_date() {
    let past = start_as_of_service().await;
    for (project, whole) in all_projects(&past).await.iter().zip(&past.all_projects) {
        let known: Vec<_> = signals_of(whole)
            .iter()
            .filter(|signal| is_discovered_by_then(signal))
            .cloned()
            .collect();
        assert_eq!(*signals_of(project), known);
        assert_eq!(project["signals_count"], known.len());
        let day = |signal: Option<&Value>| {
            signal.map_or(Value::Null, |signal| {
                json!(signal["filed_at"].as_str().unwrap()[..10])
            })
        };
        assert_eq!(project["last_signal_at"], day(known.first()));
        assert_eq!(project["first_signal_at"], day(known.last()));
        let recent = known
            .iter()
            .filter(|signal| signal["filed_at"].as_str().unwrap() > "2018-04-01T12")
            .count();
        assert_eq!(project["updates_last_30_days"], recent);
    }
}

/// The stage according to the newest signal that determines one.
fn stage_by_signals(project: &Value) -> Option<&'static str> {
    signals_of(project)
        .iter()
        .find_map(|signal| match signal["signal_type"].as_str().unwrap() {
            "completion" => Some("completed"),
            "permit_issued" => Some("permitted"),
            "permit_filed" => Some("permit_review"),
            "entitlement_approval" => Some("approved"),
            "entitlement_application" | "environmental_review" | "public_review" => {
                Some("in_review")
            }
            "demolition_permit" | "site_prep" => None,
            _ => None,
        })
}

#[tokio::test]
async fn a_projects_stage_is_as_of_the_date() {
    let past = start_as_of_service().await;
    let mut turned = 0;
    for (project, whole) in all_projects(&past).await.iter().zip(&past.all_projects) {
        if signals_of(whole).iter().all(is_discovered_by_then) {
            assert_eq!(
                (&project["stage"], &project["disposition"]),
                (&whole["stage"], &whole["disposition"])
            );
            continue;
        }
        let types = |project: &Value| {
            signals_of(project)
                .iter()
                .map(|signal| signal["signal_type"].to_string())
                .collect::<Vec<_>>()
        };
        if types(project)
            .iter()
            .any(|one| one.contains("site_prep") || one.contains("demolition"))
        {
            continue; // they change the stage only sometimes
        }
        assert_eq!(
            project["stage"],
            stage_by_signals(project).unwrap_or("proposed"),
            "{:?}",
            types(project)
        );
        turned += usize::from(project["stage"] != whole["stage"]);
    }
    assert!(turned > 0, "no project advanced");
}

#[tokio::test]
async fn searches_by_stage_date_and_count_match_the_shown_values() {
    let past = start_as_of_service().await;
    let shown = all_projects(&past).await;
    let mut by_stage = BTreeMap::<String, Vec<String>>::new();
    for project in &shown {
        by_stage
            .entry(project["stage"].as_str().unwrap().to_owned())
            .or_default()
            .push(project["id"].as_str().unwrap().to_owned());
    }
    for (stage, expected) in by_stage {
        let rows = search_all(
            &past,
            "/data/projects/search",
            json!({"filters": {"stage": {"value": stage}}}),
        )
        .await;
        let mut found = ids(&Value::from(rows));
        found.sort_unstable();
        assert_eq!(found, expected, "{stage}");
    }
    let rows = search_all(
        &past,
        "/data/projects/search",
        json!({"filters": {"last_signal_at": {"min": "2018-05-02"}}}),
    )
    .await;
    assert_eq!(rows, [] as [Value; 0]);
    let known = shown
        .iter()
        .filter(|project| !project["last_signal_at"].is_null())
        .count();
    let rows = search_all(
        &past,
        "/data/projects/search",
        json!({"filters": {"last_signal_at": {}}}),
    )
    .await;
    assert_eq!(rows.len(), known);
    for path in ["/data/projects/search", "/workspace/projects/search"] {
        let rows = search_all(&past, path, json!({"sort": {"field": "last_signal_at"}})).await;
        assert!(
            rows.is_sorted_by(|a, b| a["last_signal_at"].as_str() >= b["last_signal_at"].as_str()),
            "{path}"
        );
    }
    let rows = search_all(
        &past,
        "/data/projects/search",
        json!({"sort": {"field": "signals_count"}}),
    )
    .await;
    assert!(rows.is_sorted_by(|a, b| a["signals_count"].as_i64() >= b["signals_count"].as_i64()));
}

#[tokio::test]
async fn relations_to_later_signals_match_no_record() {
    let past = start_as_of_service().await;
    let later = json!({"filed_at": {"min": "2018-05-02"}});
    let definition = json!({"conditions": [{"relation": "signal", "op": "has", "conditions":
        [{"field": "filed_at", "op": "between", "value": {"min": "2018-05-02"}}]}]});
    for dataset in ["project", "account"] {
        for path in [
            format!("/data/{dataset}s/search"),
            format!("/workspace/{dataset}s/search"),
        ] {
            let rows = search_all(&past, &path, json!({"filters": {"has_signal": later}})).await;
            assert_eq!(rows, [] as [Value; 0], "{path}");
        }
        let view = json!({"name": "Later", "dataset": dataset, "type": "dynamic", "definition": definition});
        let view = past
            .post(&past.api_key(0), "/workspace/views/upsert", view)
            .await
            .ok()["data"]["id"]
            .clone();
        let rows = search_all(
            &past,
            &format!("/workspace/views/{}/records/search", view.as_str().unwrap()),
            json!({}),
        )
        .await;
        assert_eq!(rows, [] as [Value; 0], "{dataset}");
    }
    let none = search_all(
        &past,
        "/data/projects/search",
        json!({"filters": {"without_signal": later}}),
    )
    .await;
    assert_eq!(none.len(), past.all_projects.len());
    let without = search_all(
        &past,
        "/data/projects/search",
        json!({"filters": {"without_signal": {}}}),
    )
    .await;
    assert_eq!(
        without.len(),
        all_projects(&past)
            .await
            .iter()
            .filter(|project| project["signals_count"] == 0)
            .count()
    );
}

#[tokio::test]
async fn a_later_start_shows_the_whole_file_again() {
    let past = start_as_of_service().await;
    let (folder, whole) = (past.folder, past.all_projects);
    past.inner.service.stop().await;
    for as_of in ["2018-05-15T12:00:00Z", SERVED_AS_OF] {
        TestService::with_options(file_options(&folder, as_of))
            .await
            .service
            .stop()
            .await;
    }
    let again = TestService::with_options(file_options(&folder, FILE_CREATED_AT)).await;
    assert_eq!(all_projects(&again).await, whole);
    again.service.stop().await;
}

/// Imports the permit file into the folder's database.
fn import_permits(folder: &tempfile::TempDir) -> import::ImportReport {
    let options = import::ImportOptions {
        file: concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/san_francisco_400.csv"
        )
        .into(),
        layout: import::layout::PermitLayout::find("san-francisco", &[]).unwrap(),
        data: Storage::File(folder.path().join("desk.db")),
        dry_run: false,
        rejects: None,
        now: FILE_CREATED_AT.parse().unwrap(),
    };
    import::run_import(&options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

#[tokio::test]
async fn reimporting_after_an_as_of_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let signals = import_permits(&folder).signals.new;
    let first = TestService::with_options(file_options(&folder, FILE_CREATED_AT)).await;
    let whole = all_projects(&first).await;
    first.service.stop().await;
    let earlier = TestService::with_options(file_options(&folder, "2018-02-20T12:00:00Z")).await;
    let then = all_projects(&earlier).await;
    assert!(
        then.iter()
            .zip(&whole)
            .any(|(then, whole)| then["stage"] != whole["stage"])
    );
    earlier.service.stop().await;
    let again = import_permits(&folder).signals;
    assert_eq!((again.new, again.changed, again.same), (0, 0, signals));
    for (as_of, expected) in [("2018-02-20T12:00:00Z", then), (FILE_CREATED_AT, whole)] {
        let api = TestService::with_options(file_options(&folder, as_of)).await;
        assert_eq!(all_projects(&api).await, expected, "{as_of}");
        api.service.stop().await;
    }
}

#[tokio::test]
async fn a_filing_of_last_week_imported_today_is_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    TestService::with_options(file_options(&folder, "2018-03-10T12:00:00Z"))
        .await
        .service
        .stop()
        .await;
    import_permits(&folder);
    let api = TestService::with_options(file_options(&folder, "2018-03-10T18:00:00Z")).await;
    let page = api
        .get(
            &workspace_key(&api),
            "/signals/queue?signal_type=permit_filed&limit=200",
        )
        .await
        .ok();
    let file = include_str!("../data/san_francisco_400.csv");
    let read = |row: &&Value| {
        file.contains(&format!(
            "\n{},",
            row["source_filing_id"].as_str().unwrap_or("none")
        ))
    };
    assert!(
        page["signals"]
            .as_array()
            .unwrap()
            .iter()
            .filter(read)
            .count()
            > 10
    );
    api.service.stop().await;
}
