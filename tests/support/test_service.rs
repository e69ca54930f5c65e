//! A separate service for each test, on a free port, and an HTTP caller.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::path::PathBuf;
use std::time::Duration;

#[path = "test_database.rs"]
pub mod test_database;

use test_database::TestDatabase;

use gantry::service::db::sql::{Conn, PostgresConfig};
use gantry::service::{
    self, RunningService, ServiceOptions, StartupInfo, StartupWorkspace, Storage, TimeLimits, db,
};
use serde_json::Value;
use tempfile::TempDir;

const PATIENT_LIMITS: TimeLimits = TimeLimits {
    request: Duration::from_secs(600),
    read: Duration::from_secs(600),
    write: Duration::from_secs(600),
};

/// A running service and a client.
pub struct TestService {
    pub service: RunningService,
    pub http: reqwest::Client,
    folder: Option<TempDir>,
    /// The database of a service created by [`TestService::new`], if that is not a file.
    pub postgres: Option<PostgresConfig>,
    /// The same, or that of a service without a file: dropped after the service.
    database: Option<TestDatabase>,
}

/// A response.
#[derive(Debug)]
pub struct TestResponse {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
    pub body: Value,
}

/// The caller: a secret, and the workspace in the query.
#[derive(Clone, Debug, Default)]
pub struct TestCaller {
    pub secret: Option<String>,
    pub workspace: Option<String>,
}

impl TestService {
    /// A service over a small sample. The sample is created once and copied, which is ten times as
    /// fast.
    pub async fn new() -> TestService {
        if let Some(server) = test_database::postgres_server() {
            static TEMPLATE: tokio::sync::OnceCell<String> = tokio::sync::OnceCell::const_new();
            let template = TEMPLATE
                .get_or_init(async || {
                    let config = test_database::create_postgres_database(&server, None);
                    let name = config.get_dbname().expect("its name").to_owned();
                    let data = Storage::Postgres(Box::new(config));
                    let options = ServiceOptions {
                        projects: 120,
                        data,
                        ..ServiceOptions::default()
                    };
                    TestService::with_options(options)
                        .await
                        .service
                        .stop()
                        .await;
                    name
                })
                .await;
            let config = test_database::create_postgres_database(&server, Some(template));
            let data = Storage::Postgres(Box::new(config.clone()));
            let database = TestDatabase::of(&data);
            let service = TestService::with_options(ServiceOptions {
                data,
                ..ServiceOptions::default()
            })
            .await;
            return TestService {
                postgres: Some(config),
                database,
                ..service
            };
        }
        static SAMPLE_WORLD: tokio::sync::OnceCell<Vec<u8>> = tokio::sync::OnceCell::const_new();
        let world = SAMPLE_WORLD
            .get_or_init(async || {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("world.db");
                let options = ServiceOptions {
                    projects: 120,
                    data: Storage::File(path.clone()),
                    ..ServiceOptions::default()
                };
                TestService::with_options(options)
                    .await
                    .service
                    .stop()
                    .await;
                std::fs::read(path).expect("the world")
            })
            .await;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("world.db");
        std::fs::write(&path, world).expect("a copy of the world");
        TestService {
            folder: Some(folder),
            ..TestService::with_options(ServiceOptions {
                data: Storage::File(path),
                ..ServiceOptions::default()
            })
            .await
        }
    }

    pub async fn with_options(options: ServiceOptions) -> TestService {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let data = test_database::without_file(options.data.clone());
        let database = if options.data == Storage::Memory {
            TestDatabase::of(&data)
        } else {
            None
        };
        // a loaded machine answers late; whoever tests a limit sets it
        let time_limits = match options.time_limits {
            limits if limits == TimeLimits::default() => PATIENT_LIMITS,
            limits => limits,
        };
        let service = service::start(ServiceOptions {
            data,
            time_limits,
            ..options
        })
        .await
        .expect("the service starts");
        // without certificates, which take longer to load than a test runs
        let http = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .build()
            .expect("a client");
        TestService {
            service,
            http,
            folder: None,
            postgres: None,
            database,
        }
    }

    /// The file of a service created by [`TestService::new`].
    pub fn database_path(&self) -> PathBuf {
        self.folder
            .as_ref()
            .expect("a service with its own file")
            .path()
            .join("world.db")
    }

    /// Whether a test that needs a file cannot run, because the database is PostgreSQL's.
    #[allow(clippy::print_stderr, reason = "the test runner shows it")]
    pub fn has_no_file(&self, reason: &str) -> bool {
        if self.postgres.is_some() {
            eprintln!("not run on PostgreSQL: {reason}");
        }
        self.postgres.is_some()
    }

    /// Runs statements in the database of a service created by [`TestService::new`].
    pub fn with_database<T: Send>(&self, work: impl FnOnce(&Conn) -> T + Send) -> T {
        match &self.postgres {
            Some(config) => test_database::with_connection(config, work),
            None => work(&db::open_writer(&Storage::File(self.database_path())).expect("the file")),
        }
    }

    pub fn ready(&self) -> &StartupInfo {
        self.service.startup_info()
    }

    /// Workspaces 0 and 1 are `pro`, 2 `starter`, 3 `free`.
    pub fn workspace(&self, nth: usize) -> &StartupWorkspace {
        &self.ready().workspaces[nth]
    }

    /// A workspace's API key with write scope; names no workspace.
    pub fn api_key(&self, workspace: usize) -> TestCaller {
        TestCaller {
            secret: Some(self.workspace(workspace).api_keys[0].key.clone()),
            workspace: None,
        }
    }

    /// A workspace's API key without write scope.
    pub fn read_only_key(&self, workspace: usize) -> TestCaller {
        TestCaller {
            secret: Some(self.workspace(workspace).api_keys[1].key.clone()),
            workspace: None,
        }
    }

    /// A member's token (0 owner, 1 admin, 2 and 3 members), with the workspace.
    pub fn member_caller(&self, workspace: usize, member: usize) -> TestCaller {
        let secret = self.workspace(workspace).members[member]
            .access_token
            .clone();
        TestCaller {
            secret: Some(secret),
            workspace: Some(self.workspace_id(workspace)),
        }
    }

    pub fn workspace_id(&self, workspace: usize) -> String {
        self.workspace(workspace).id.to_string()
    }

    pub async fn get(&self, caller: &TestCaller, path: &str) -> TestResponse {
        self.send(caller, "GET", path, None).await
    }

    pub async fn delete(&self, caller: &TestCaller, path: &str) -> TestResponse {
        self.send(caller, "DELETE", path, None).await
    }

    pub async fn post(&self, caller: &TestCaller, path: &str, body: Value) -> TestResponse {
        self.send(caller, "POST", path, Some(body.to_string()))
            .await
    }

    pub async fn put(&self, caller: &TestCaller, path: &str, body: Value) -> TestResponse {
        self.send(caller, "PUT", path, Some(body.to_string())).await
    }

    pub async fn send(
        &self,
        caller: &TestCaller,
        method: &str,
        path: &str,
        body: Option<String>,
    ) -> TestResponse {
        let mut url = format!("{}{path}", self.service.base_url());
        if let Some(workspace) = &caller.workspace {
            let joint = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{joint}workspace_id={workspace}");
        }
        let mut request = self.http.request(method.parse().expect("a method"), url);
        if let Some(secret) = &caller.secret {
            request = request.bearer_auth(secret);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("text");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        TestResponse {
            status,
            headers,
            text,
            body,
        }
    }
}

impl TestCaller {
    /// The same with this workspace.
    pub fn with_workspace(&self, workspace: impl ToString) -> TestCaller {
        TestCaller {
            workspace: Some(workspace.to_string()),
            ..self.clone()
        }
    }
}

impl TestResponse {
    /// The body of a 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.body
    }

    /// The error of a response with this status and code.
    #[track_caller]
    pub fn expect_error(self, status: u16, code: &str) -> Value {
        assert_eq!(
            (self.status, self.body["error"]["code"].as_str()),
            (status, Some(code)),
            "{}",
            self.text
        );
        assert!(self.body["error"]["message"].is_string(), "{}", self.text);
        self.body["error"].clone()
    }
}
