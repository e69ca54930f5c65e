//! One service shared by all read-only tests, with its records as read from it.
//!
//! A test states in plain Rust which of these records a filter must find. Whether the records are
//! right is checked by tests with their own service, which look into its file.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use gantry::service::ServiceOptions;
use serde_json::{Value, json};

use super::support::{TestResponse, TestService};

/// Where records are searched: the index and the first workspace's book.
pub const SEARCH_PATHS: [&str; 7] = [
    "/data/accounts",
    "/data/contacts",
    "/data/projects",
    "/data/signals",
    "/workspace/accounts",
    "/workspace/contacts",
    "/workspace/projects",
];

/// The service, and the records of each place with their related records.
pub struct SharedService {
    inner: TestService,
    records: BTreeMap<&'static str, Vec<Value>>,
}

impl std::ops::Deref for SharedService {
    type Target = TestService;
    fn deref(&self) -> &TestService {
        &self.inner
    }
}

/// The shared service, started on first use.
pub fn shared_service() -> &'static SharedService {
    static SHARED: OnceLock<SharedService> = OnceLock::new();
    SHARED.get_or_init(|| {
        let (tell, told) = std::sync::mpsc::channel();
        // its own runtime, which lives as long as the program
        std::thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                tell.send(SharedService::start_shared().await)
                    .expect("the caller is waiting");
                std::future::pending::<()>().await;
            });
        });
        told.recv().expect("the service starts")
    })
}

impl SharedService {
    async fn start_shared() -> SharedService {
        let as_of = Some("2026-07-09T16:20:00Z".parse().unwrap());
        let mut desk = TestService::with_options(ServiceOptions {
            projects: 240,
            as_of,
            ..ServiceOptions::default()
        })
        .await;
        // keep no connections: a test's runtime ends with the test
        let client = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .pool_max_idle_per_host(0);
        desk.http = client.build().expect("a client");
        let mut room = SharedService {
            inner: desk,
            records: BTreeMap::new(),
        };
        let mut records = BTreeMap::new();
        for place in SEARCH_PATHS {
            records.insert(place, room.search_all(place, json!({})).await);
        }
        for project in records.get_mut("/data/projects").unwrap() {
            let path = format!(
                "/data/projects/{}?include=accounts,contacts,signals",
                project["id"].as_str().unwrap()
            );
            *project = room.get(&room.api_key(0), &path).await.ok()["data"].clone();
        }
        add_relations(&mut records);
        for family in ["accounts", "contacts", "projects"] {
            let index = records[&*format!("/data/{family}")].clone();
            for row in records.get_mut(&*format!("/workspace/{family}")).unwrap() {
                let path = format!("/workspace/{family}/{}", row["id"].as_str().unwrap());
                let shown = room.get(&room.api_key(0), &path).await.ok()["data"].clone();
                let mut whole = index
                    .iter()
                    .find(|record| record["id"] == row["id"])
                    .unwrap()
                    .clone();
                whole
                    .as_object_mut()
                    .unwrap()
                    .extend(shown.as_object().unwrap().clone());
                *row = whole;
            }
        }
        room.records = records;
        room
    }

    /// The records of a place, with related records under their include keys.
    pub fn records(&self, place: &str) -> &[Value] {
        &self.records[place]
    }

    /// The first record of a place that satisfies a predicate.
    pub fn find_record(&self, place: &str, holds: impl Fn(&Value) -> bool) -> &Value {
        self.records(place)
            .iter()
            .find(|record| holds(record))
            .unwrap_or_else(|| panic!("no such record in {place}"))
    }

    /// One page of a search with the first workspace's key.
    pub async fn search_page(&self, place: &str, body: Value) -> TestResponse {
        self.post(&self.api_key(0), &format!("{place}/search"), body)
            .await
    }

    /// All rows of a search, page by page.
    pub async fn search_all(&self, place: &str, mut body: Value) -> Vec<Value> {
        body["limit"] = json!(100);
        let mut rows = Vec::new();
        loop {
            let said = self.search_page(place, body.clone()).await.ok();
            rows.extend(said["data"].as_array().expect("rows").iter().cloned());
            match &said["metadata"]["search_after"] {
                Value::Null => return rows,
                cursor => body["search_after"] = cursor.clone(),
            }
        }
    }

    /// Asserts that these filters find exactly the records that satisfy `holds`: some of them, but
    /// not all.
    pub async fn assert_filter_finds(
        &self,
        place: &str,
        filters: Value,
        holds: impl Fn(&Value) -> bool,
    ) {
        let found = names_by_id(&self.search_all(place, json!({ "filters": filters })).await);
        let (expected, others): (Vec<_>, Vec<_>) = self
            .records(place)
            .iter()
            .cloned()
            .partition(|record| holds(record));
        let expected = names_by_id(&expected);
        let (missing, more): (Vec<_>, Vec<_>) = (
            expected.difference(&found).collect(),
            found.difference(&expected).collect(),
        );
        assert!(
            missing.is_empty() && more.is_empty(),
            "{place} {filters}\nfinds not {missing:?}\nand too much {more:?}"
        );
        assert!(
            !expected.is_empty() && !others.is_empty(),
            "{place} {filters} tells nothing apart"
        );
    }

    /// The issues with which a search with these filters is rejected.
    pub async fn refused_filter_issues(&self, place: &str, filters: Value) -> Vec<Value> {
        let body = json!({ "filters": filters });
        let said = self.search_page(place, body.clone()).await;
        assert_eq!(said.status, 400, "{place} {body} {}", said.text);
        said.expect_error(400, "bad_request")["issues"]
            .as_array()
            .expect("issues")
            .clone()
    }
}

/// Ids and names of records, for a message.
fn names_by_id(records: &[Value]) -> BTreeSet<String> {
    records
        .iter()
        .map(|record| {
            format!(
                "{} {}",
                record["id"],
                record.get("name").unwrap_or(&Value::Null)
            )
        })
        .collect()
}

/// The code and the dotted path of the first issue.
pub fn first_issue(issues: &[Value]) -> (&str, String) {
    let steps = issues[0]["path"].as_array().expect("a path").iter();
    let path: Vec<String> = steps
        .map(|step| {
            step.as_str()
                .map_or_else(|| step.to_string(), str::to_owned)
        })
        .collect();
    (issues[0]["code"].as_str().expect("a code"), path.join("."))
}

/// The ids of records, in order.
pub fn record_ids(records: &[Value]) -> Vec<&str> {
    records
        .iter()
        .map(|record| record["id"].as_str().expect("an id"))
        .collect()
}

/// The elements of a list of a record.
pub fn list_field<'a>(record: &'a Value, key: &str) -> &'a [Value] {
    record[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} is a list in {record}"))
}

/// Whether a record has a related record under this key that satisfies a predicate.
pub fn any_related(record: &Value, key: &str, such: impl Fn(&Value) -> bool) -> bool {
    list_field(record, key).iter().any(such)
}

/// Completes accounts, contacts and signals with data included in the projects.
fn add_relations(records: &mut BTreeMap<&'static str, Vec<Value>>) {
    let projects = records["/data/projects"].clone();
    let bare = |project: &Value| {
        let mut bare = project.clone();
        ["accounts", "contacts", "signals"]
            .iter()
            .for_each(|key| drop(bare.as_object_mut().unwrap().remove(*key)));
        bare
    };
    let of = |key: &str, id: &Value| -> Vec<&Value> {
        projects
            .iter()
            .filter(|p| any_related(p, key, |one| one["id"] == *id))
            .collect()
    };
    let (accounts, contacts) = (
        records["/data/accounts"].clone(),
        records["/data/contacts"].clone(),
    );
    for account in records.get_mut("/data/accounts").unwrap() {
        let theirs = of("accounts", &account["id"]);
        account["projects"] = theirs.iter().map(|project| bare(project)).collect();
        account["signals"] = theirs
            .iter()
            .flat_map(|project| list_field(project, "signals").to_vec())
            .collect();
        account["contacts"] = contacts
            .iter()
            .filter(|contact| contact["account_id"] == account["id"])
            .cloned()
            .collect();
    }
    for contact in records.get_mut("/data/contacts").unwrap() {
        contact["projects"] = of("contacts", &contact["id"])
            .iter()
            .map(|project| bare(project))
            .collect();
        contact["account"] = accounts
            .iter()
            .find(|one| one["id"] == contact["account_id"])
            .cloned()
            .unwrap_or_default();
    }
    for signal in records.get_mut("/data/signals").unwrap() {
        let project = projects
            .iter()
            .find(|project| project["id"] == signal["project_id"])
            .unwrap();
        signal["project"] = bare(project);
        signal["accounts"] = project["accounts"].clone();
    }
}
