//! A service, the proxy that counts requests to it, and the people who work with it.

use chrono::{DateTime, Utc};
use gantry::config::{BackendLocation, Paths};
use gantry::runtime::backend::Backend;
use gantry::runtime::connect;
use gantry::service::{ServiceOptions, Storage};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

use crate::recording_proxy::RecordingProxy;
use crate::test_service::{TestCaller, TestService};

/// The service's clock starts here, so that a seed is reproducible.
pub const CLOCK_START: &str = "2026-07-09T09:20:14Z";

/// A service with two people who can write: the one at the console is its owner, the other calls
/// the service directly.
pub struct SoakWorld {
    /// The service, and a caller that bypasses the proxy.
    pub service: TestService,
    /// The console's requests.
    pub proxy: Arc<RecordingProxy>,
    /// The console's connection to the proxy.
    pub backend: Arc<dyn Backend>,
    _home: TempDir,
}

impl SoakWorld {
    /// Sample data of this size.
    pub async fn new(seed: u64, projects: u32, book: u32) -> SoakWorld {
        let as_of: Option<DateTime<Utc>> = Some(CLOCK_START.parse().unwrap());
        let desk = TestService::with_options(ServiceOptions {
            seed,
            projects,
            book_size: Some(book),
            as_of,
            data: Storage::Memory,
            ..ServiceOptions::default()
        })
        .await;
        let tap = Arc::new(RecordingProxy::start(desk.service.base_url()).await);
        let home = tempfile::tempdir().unwrap();
        let way = connect_backend(&desk, &tap, &home, 0).await;
        SoakWorld {
            service: desk,
            proxy: tap,
            backend: way,
            _home: home,
        }
    }

    /// Another connection through the same proxy, by another member with their own machine.
    pub async fn connect_member(&self, member: usize) -> (Arc<dyn Backend>, TempDir) {
        let home = tempfile::tempdir().unwrap();
        (
            connect_backend(&self.service, &self.proxy, &home, member).await,
            home,
        )
    }

    /// A member's token.
    pub fn member_caller(&self, member: usize) -> TestCaller {
        self.service.member_caller(0, member)
    }

    /// Asks the service directly.
    pub async fn get(&self, path: &str) -> Value {
        self.service.get(&self.member_caller(0), path).await.ok()
    }

    /// Credits that the workspace has used.
    pub async fn credits_used(&self) -> u64 {
        let credits = self.get("/workspace/credits").await;
        credits["used"]
            .as_u64()
            .or(credits["data"]["used"].as_u64())
            .unwrap_or_else(|| panic!("{credits}"))
    }

    /// A colleague changes something that the console may be showing. Rejected changes are ignored.
    pub async fn act_as_colleague(&self, rng: &mut ChaCha8Rng) {
        let ben = self.member_caller(1);
        match rng.random_range(0..10) {
            0..=3 => {
                let from = if rng.random_bool(0.7) { "new" } else { "done" };
                let to = if from == "new" { "done" } else { "new" };
                let rows = self
                    .service
                    .get(&ben, &format!("/signals/queue?status={from}&limit=40"))
                    .await
                    .body;
                // The console may have removed Ben from the workspace: then there are no rows.
                let ids: Vec<&Value> = rows["signals"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|row| &row["id"])
                    .collect();
                let some: Vec<&Value> = ids
                    .iter()
                    .copied()
                    .filter(|_| rng.random_bool(0.1))
                    .collect();
                let body = json!({"workspace_id": self.service.workspace_id(0), "signal_ids": some, "status": to});
                self.service.post(&ben, "/signals/triage", body).await;
            }
            4..=6 => {
                let family = ["accounts", "contacts", "projects"][rng.random_range(0..3)];
                let body = json!({"limit": 5, "offset": rng.random_range(0..10)});
                let rows = self
                    .service
                    .post(&ben, &format!("/workspace/{family}/search"), body)
                    .await
                    .body;
                for row in rows["data"].as_array().into_iter().flatten() {
                    let key = format!("{}_id", family.trim_end_matches('s'));
                    let body =
                        json!({key: row["id"], "notes": format!("note {}", rng.random::<u32>())});
                    self.service
                        .post(&ben, &format!("/workspace/{family}/upsert"), body)
                        .await;
                }
            }
            7 => {
                let body = json!({"name": format!("Ben's {}", rng.random::<u16>()), "dataset": "account", "type": "static"});
                self.service
                    .post(&ben, "/workspace/views/upsert", body)
                    .await;
            }
            8 => {
                let kind = ["permit_issued", "permit_filed", "team_update"][rng.random_range(0..3)];
                let priority = ["high", "medium", "low"][rng.random_range(0..3)];
                let body =
                    json!({"workspace_id": self.service.workspace_id(0), "priority": priority});
                self.service
                    .put(&ben, &format!("/signal-subscriptions/{kind}"), body)
                    .await;
            }
            _ => {
                let body = json!({"email": format!("p{}@example.com", rng.random::<u16>()), "role": "member"});
                self.service
                    .post(&ben, "/workspace/invitations", body)
                    .await;
            }
        }
    }
}

async fn connect_backend(
    desk: &TestService,
    tap: &RecordingProxy,
    home: &TempDir,
    member: usize,
) -> Arc<dyn Backend> {
    connect_with_home(
        &tap.base_url,
        &desk.workspace(0).members[member].access_token,
        &desk.workspace_id(0),
        home,
    )
    .await
}

/// The backend of a separate machine for a service at this address.
pub async fn connect_new_machine(
    base_url: &str,
    token: &str,
    workspace: &str,
) -> (Arc<dyn Backend>, TempDir) {
    let home = tempfile::tempdir().unwrap();
    (
        connect_with_home(base_url, token, workspace, &home).await,
        home,
    )
}

async fn connect_with_home(
    base_url: &str,
    token: &str,
    workspace: &str,
    home: &TempDir,
) -> Arc<dyn Backend> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = home.path().to_string_lossy().into_owned();
    let paths = Paths::from_env(&|name| (name == "HOME").then(|| folder.clone()));
    let place = BackendLocation::Remote {
        label: "soak".to_owned(),
        base_url: base_url.to_owned(),
        token: token.to_owned().into(),
        workspace: Some(workspace.to_owned()),
        certificate: None,
    };
    // Only the app must prevent writes: a read-only client would reject them and hide the app's
    // mistakes.
    connect::connect_to_location(&paths, place, false)
        .unwrap()
        .await
        .unwrap()
        .backend
}
