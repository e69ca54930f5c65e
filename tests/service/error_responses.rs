//! Errors of every route: the tests walk the router's table, so that no new route can be forgotten.
//! Each response is checked against the description of its envelope, codes and headers; none is
//! a 500.

use crate::openapi::OpenApiSpec;
use crate::support::{TestCaller, TestResponse, TestService};
use gantry::interface::{AllowedCallers, Route, WorkspaceParam, routes};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

struct ErrorChecker {
    service: TestService,
    description: OpenApiSpec,
}

impl ErrorChecker {
    async fn new() -> ErrorChecker {
        ErrorChecker {
            service: TestService::new().await,
            description: OpenApiSpec::load(),
        }
    }

    /// Sends a request to a route with its path parameters filled in, naming the workspace where
    /// the route expects it.
    async fn send(
        &self,
        caller: &TestCaller,
        route: &Route,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let in_body = route.workspace.is_in_body();
        let takes_body = !matches!(route.method.as_str(), "GET" | "DELETE");
        let mut body = if takes_body {
            Some(body.unwrap_or_else(|| json!({})))
        } else {
            body
        };
        if let (true, Some(workspace), Some(Value::Object(body))) =
            (in_body, &caller.workspace, &mut body)
        {
            body.entry("workspace_id")
                .or_insert_with(|| json!(workspace));
        }
        let caller = if in_body {
            TestCaller {
                workspace: None,
                ..caller.clone()
            }
        } else {
            caller.clone()
        };
        self.send_raw(&caller, route, path, body.map(|body| body.to_string()))
            .await
    }

    async fn send_raw(
        &self,
        caller: &TestCaller,
        route: &Route,
        path: &str,
        body: Option<String>,
    ) -> TestResponse {
        let mut url = format!("{}{path}", self.service.service.base_url());
        if let Some(workspace) = &caller.workspace {
            url = format!(
                "{url}{}workspace_id={workspace}",
                if url.contains('?') { '&' } else { '?' }
            );
        }
        let mut request = self
            .service
            .http
            .request(route.method.as_str().parse().unwrap(), url);
        request = request
            .header("idempotency-key", "refused")
            .header("content-type", "application/json");
        if let Some(secret) = &caller.secret {
            request = request.bearer_auth(secret);
        }
        if let Some(body) = body {
            request = request.body(body);
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

    /// Asserts that a response is one of these errors and matches the description.
    #[track_caller]
    fn assert_refused(&self, route: &Route, path: &str, reply: &TestResponse, statuses: &[u16]) {
        let what = format!(
            "{} {path} answered {} with {}",
            route.method, reply.status, reply.text
        );
        assert!(
            statuses.contains(&reply.status),
            "{what}, not with one of {statuses:?}"
        );
        assert_eq!(reply.headers["content-type"], "application/json", "{what}");
        let (_, operation) = self.described_operation(route);
        let schema = self
            .description
            .response_schema(operation, reply.status)
            .unwrap_or_else(|| panic!("{what}, which is not described"));
        assert_eq!(
            self.description.violations(schema, &reply.body),
            [""; 0],
            "{what}"
        );
        if reply.status == 401 {
            assert_eq!(reply.headers["www-authenticate"], "Bearer", "{what}");
        }
    }

    fn described_operation(&self, route: &Route) -> (&str, &Value) {
        let path = route
            .path
            .replace("/data/{dataset}/{id}", "/data/accounts/{id}");
        let path = path.replace("/data/{dataset}/search", "/data/accounts/search");
        self.description
            .operation(route.method.as_str(), &path)
            .expect("every route is described")
    }

    /// The properties of the body that a route accepts.
    fn body_properties(&self, route: &Route) -> Vec<String> {
        let Some(schema) = self
            .description
            .body_schema(self.described_operation(route).1)
        else {
            return Vec::new();
        };
        let schema = self.description.resolve(schema);
        let variants = schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .chain([schema]);
        let mut keys: Vec<String> = variants
            .filter_map(|schema| schema["properties"].as_object())
            .flat_map(Map::keys)
            .cloned()
            .collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

/// A path with its parameters replaced.
fn filled_path(route: &Route, id: &str) -> String {
    route
        .path
        .split('/')
        .map(|part| path_segment(part, id))
        .collect::<Vec<_>>()
        .join("/")
}

fn path_segment<'a>(part: &'a str, id: &'a str) -> &'a str {
    match part {
        "{dataset}" => "accounts",
        "{signal_type}" => "permit_filed",
        "{key}" => "name",
        part if part.starts_with('{') => id,
        part => part,
    }
}

#[tokio::test]
async fn every_route_returns_401_without_a_valid_token() {
    let checker = ErrorChecker::new().await;
    let workspace = Some(checker.service.workspace_id(0));
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        for secret in [None, Some("nobody"), Some("")] {
            let caller = TestCaller {
                secret: secret.map(str::to_owned),
                workspace: workspace.clone(),
            };
            checker.assert_refused(
                &route,
                &path,
                &checker.send(&caller, &route, &path, None).await,
                &[401],
            );
        }
    }
}

#[tokio::test]
async fn a_user_token_must_name_its_workspace_on_every_route() {
    let checker = ErrorChecker::new().await;
    let silent = TestCaller {
        workspace: None,
        ..checker.service.member_caller(0, 0)
    };
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let reply = checker.send(&silent, &route, &path, None).await;
        checker.assert_refused(&route, &path, &reply, &[400]);
        assert_eq!(
            reply.body["error"]["issues"][0]["path"],
            json!(["workspace_id"]),
            "{path}: {}",
            reply.text
        );
        if matches!(
            route.workspace,
            WorkspaceParam::QueryRequired | WorkspaceParam::BodyRequired
        ) {
            checker.assert_refused(
                &route,
                &path,
                &checker
                    .send(&checker.service.api_key(0), &route, &path, None)
                    .await,
                &[400],
            );
        }
        for nonsense in [
            "nonsense",
            "7",
            "%00",
            "00000000-0000-4000-8000-00000000000",
        ] {
            let reply = checker
                .send(&silent.with_workspace(nonsense), &route, &path, None)
                .await;
            checker.assert_refused(&route, &path, &reply, &[400]);
        }
    }
}

#[tokio::test]
async fn non_members_and_non_pro_workspaces_get_403_on_every_route() {
    let checker = ErrorChecker::new().await;
    let api = &checker.service;
    let other = api.workspace_id(1);
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let mut callers = vec![
            api.member_caller(0, 0).with_workspace(&other),
            api.member_caller(0, 0).with_workspace(UNKNOWN_ID),
            api.api_key(0).with_workspace(UNKNOWN_ID),
        ];
        if route.workspace != WorkspaceParam::QueryOverride {
            callers.push(api.api_key(0).with_workspace(&other));
        }
        for nth in [2, 3] {
            callers.push(api.member_caller(nth, 0));
            callers.push(api.api_key(nth).with_workspace(api.workspace_id(nth)));
            callers.push(api.read_only_key(nth).with_workspace(api.workspace_id(nth)));
        }
        for caller in callers {
            checker.assert_refused(
                &route,
                &path,
                &checker.send(&caller, &route, &path, None).await,
                &[403],
            );
        }
    }
}

#[tokio::test]
async fn scope_and_role_are_checked_before_the_body_is_read() {
    let checker = ErrorChecker::new().await;
    let api = &checker.service;
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let mut callers = Vec::new();
        if !route.is_read() {
            callers.push(api.read_only_key(0).with_workspace(api.workspace_id(0)));
        }
        match route.callers {
            AllowedCallers::Everyone => {}
            AllowedCallers::Admins => callers.push(api.member_caller(0, 2)),
            AllowedCallers::Users => {
                callers.push(api.api_key(0).with_workspace(api.workspace_id(0)))
            }
        }
        for caller in callers {
            let reply = checker
                .send(&caller, &route, &path, Some(json!({"nonsense": 1})))
                .await;
            checker.assert_refused(&route, &path, &reply, &[403]);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_400_on_every_route() {
    let checker = ErrorChecker::new().await;
    let user = checker.service.member_caller(0, 0);
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let takes_body = checker
            .description
            .body_schema(checker.described_operation(&route).1)
            .is_some();
        let broken = [
            "{",
            "{\"a\":}",
            "nonsense",
            "{} {}",
            "\u{feff}{}",
            "[1,",
            "{\"a\": 1e999999}",
            "\"\\ud800\"",
        ];
        let no_objects = ["[]", "\"text\"", "7", "true", "null", "[{}]"];
        for body in broken
            .iter()
            .chain(no_objects.iter().filter(|_| takes_body))
        {
            let reply = checker
                .send_raw(&user, &route, &path, Some((*body).to_owned()))
                .await;
            checker.assert_refused(&route, &path, &reply, &[400]);
        }
        if takes_body {
            let reply = checker
                .send(&user, &route, &path, Some(json!({"nonsense": 1})))
                .await;
            checker.assert_refused(&route, &path, &reply, &[400, 404]);
        }
    }
}

#[tokio::test]
async fn a_misspelled_query_parameter_is_a_free_400_on_every_route() {
    let checker = ErrorChecker::new().await;
    let (api, key) = (
        &checker.service,
        checker
            .service
            .api_key(0)
            .with_workspace(checker.service.workspace_id(0)),
    );
    for route in routes() {
        let user = if route.callers == AllowedCallers::Users {
            api.member_caller(0, 0)
        } else {
            key.clone()
        };
        let path = format!("{}?inclde=projects", filled_path(&route, UNKNOWN_ID));
        let reply = checker.send(&user, &route, &path, None).await;
        checker.assert_refused(&route, &path, &reply, &[400]);
        let issue = &reply.body["error"]["issues"][0];
        let allowed = [route.params, &["workspace_id"]].concat();
        assert_eq!(
            (&issue["code"], &issue["path"], &issue["allowed"]),
            (&json!("unknown_key"), &json!(["inclde"]), &json!(allowed)),
            "{path}"
        );
    }
    let used = async || api.get(&key, "/workspace/credits").await.ok()["data"]["used"].clone();
    let before = used().await;
    let found = api
        .post(&key, "/data/projects/search", json!({"limit": 1}))
        .await
        .ok();
    let path = format!(
        "/data/projects/{}",
        found["data"][0]["id"].as_str().unwrap()
    );
    for unread in [
        "inclde=signals",
        "Include=signals",
        "include=signals&limit=3",
        "include[]=signals",
        "view_id=1",
        "=1",
    ] {
        api.get(&key, &format!("{path}?{unread}"))
            .await
            .expect_error(400, "bad_request");
    }
    api.get(&key, &format!("{path}?include=signals&&include=accounts&"))
        .await
        .ok();
    assert_eq!(
        used().await.as_i64(),
        before.as_i64().map(|before| before + 2),
        "one row and one get"
    );
}

#[tokio::test]
async fn a_wrong_type_is_400_in_every_body_field() {
    let checker = ErrorChecker::new().await;
    let user = checker.service.member_caller(0, 0);
    let odd = [
        json!(null),
        json!(true),
        json!(-7.5),
        json!("\u{0}"),
        json!([]),
        json!([[{}]]),
        json!({"odd": [1]}),
        json!(i64::MAX),
    ];
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let Some(schema) = checker
            .description
            .body_schema(checker.described_operation(&route).1)
        else {
            continue;
        };
        for key in checker.body_properties(&route) {
            for odd in &odd {
                let mut body = json!({ (key.as_str()): odd });
                if route.workspace == WorkspaceParam::BodyRequired && key != "workspace_id" {
                    body["workspace_id"] = json!(checker.service.workspace_id(0));
                }
                if !checker.description.violations(schema, &body).is_empty() {
                    let reply = checker.send(&user, &route, &path, Some(body.clone())).await;
                    checker.assert_refused(&route, &format!("{path} {body}"), &reply, &[400, 404]);
                }
            }
        }
    }
}

#[tokio::test]
async fn invalid_parameters_are_400() {
    let checker = ErrorChecker::new().await;
    let user = checker.service.member_caller(0, 0);
    for route in routes() {
        let parameters = checker.described_operation(&route).1["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        for parameter in parameters
            .map(|one| checker.description.resolve(one))
            .filter(|one| one["in"] == "query")
        {
            let schema = checker.description.resolve(&parameter["schema"]);
            let name = parameter["name"].as_str().unwrap();
            if name == "workspace_id" {
                continue; // see above
            }
            for nonsense in [
                "nonsense",
                "-1",
                "1.5",
                "99999999999999999999",
                "%ff",
                "%00",
            ] {
                let schema = if schema["type"] == "array" {
                    checker.description.resolve(&schema["items"])
                } else {
                    schema
                };
                if *schema == json!({"type": "string"})
                    || name == "entity"
                    || (name == "offset" && nonsense == "%00")
                {
                    continue;
                }
                let path = format!("{}?{name}={nonsense}", filled_path(&route, UNKNOWN_ID));
                let reply = checker.send(&user, &route, &path, None).await;
                checker.assert_refused(&route, &path, &reply, &[400]);
            }
        }
    }
}

#[tokio::test]
async fn invalid_ids_are_404() {
    let checker = ErrorChecker::new().await;
    let user = checker.service.member_caller(0, 0);
    let nonsense = [
        "nonsense",
        "7",
        "%00",
        "%ff",
        "..%2f..",
        "%27%20OR%201=1--",
        &"9".repeat(5_000),
        UNKNOWN_ID,
    ];
    for route in routes().iter().filter(|route| route.path.contains('{')) {
        let parts: Vec<&str> = route.path.split('/').collect();
        for nth in (0..parts.len()).filter(|nth| parts[*nth].starts_with('{')) {
            for id in nonsense {
                let path: Vec<&str> = parts
                    .iter()
                    .enumerate()
                    .map(|(n, part)| {
                        if n == nth {
                            id
                        } else {
                            path_segment(part, UNKNOWN_ID)
                        }
                    })
                    .collect();
                let path = path.join("/");
                let reply = checker.send(&user, route, &path, None).await;
                // the body is read before the record is looked up; deleting favorites is idempotent
                let idempotent = reply.status == 200
                    && route.path.contains("favorite-views")
                    && id == UNKNOWN_ID;
                if parts[nth] == "{dataset}" {
                    assert_eq!(
                        (reply.status, &reply.body["error"]["code"]),
                        (404, &json!("not_found")),
                        "{path}: {}",
                        reply.text
                    );
                } else if !idempotent {
                    checker.assert_refused(route, &path, &reply, &[400, 404]);
                }
            }
        }
    }
}

/// What belongs to another workspace, one id of each kind.
struct ForeignRecords {
    account: String,
    contact: String,
    project: String,
    view: String,
    invitation: String,
    subscription: String,
    member: String,
    skill: String,
}

async fn foreign_records(api: &TestService) -> ForeignRecords {
    let key = api.api_key(1);
    let first = async |path: &str, place: &str| {
        let found = if path.contains("search") || path.contains("skills") {
            api.post(&key, path, json!({})).await.ok()
        } else {
            api.get(&key, path).await.ok()
        };
        found
            .pointer(place)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("{path} has {place}: {found}"))
            .to_owned()
    };
    let view = json!({"name": "Theirs", "dataset": "account", "type": "static"});
    let view = api.post(&key, "/workspace/views/upsert", view).await.ok()["data"]["id"].clone();
    let invitation = api
        .post(
            &key,
            "/workspace/invitations",
            json!({"email": "a@example.com"}),
        )
        .await
        .ok();
    let mine = book_ids(api, 0).await;
    let theirs = book_ids(api, 1).await;
    let only = |nth: usize| {
        theirs[nth]
            .iter()
            .find(|id| !mine[nth].contains(id))
            .expect("a record that only they have")
            .clone()
    };
    ForeignRecords {
        account: only(0),
        contact: only(1),
        project: only(2),
        view: view.as_str().unwrap().to_owned(),
        invitation: invitation["data"]["id"].as_str().unwrap().to_owned(),
        subscription: first(
            "/workspace/signal-subscriptions",
            "/data/subscriptions/0/id",
        )
        .await,
        member: first("/workspace/members", "/data/members/1/id").await,
        skill: first("/workspace/skills/list", "/data/skills/0/id").await,
    }
}

/// The ids of a book: accounts, contacts, projects.
async fn book_ids(api: &TestService, workspace: usize) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for dataset in ["accounts", "contacts", "projects"] {
        let found = api
            .post(
                &api.api_key(workspace),
                &format!("/workspace/{dataset}/search"),
                json!({"limit": 100}),
            )
            .await
            .ok();
        all.push(
            found["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["id"].as_str().unwrap().to_owned())
                .collect(),
        );
    }
    all
}

#[tokio::test]
async fn ids_of_another_workspace_are_404_on_every_route() {
    let checker = ErrorChecker::new().await;
    let others = foreign_records(&checker.service).await;
    let user = checker.service.member_caller(0, 0);
    for route in routes() {
        let path = route.path;
        let in_path = match path {
            _ if path.starts_with("/data/")
                || path.starts_with("/signals/")
                || path.contains("{signal_type}") =>
            {
                continue;
            } // not owned by a workspace
            _ if path.contains("/favorite-views/{") => continue, // idempotent: see below
            _ if path.contains("/workspace/accounts/{") => Some(&others.account),
            _ if path.contains("/workspace/contacts/{") => Some(&others.contact),
            _ if path.contains("/workspace/projects/{") => Some(&others.project),
            _ if path.contains("/workspace/views/{") => Some(&others.view),
            _ if path.contains("/workspace/invitations/{") => Some(&others.invitation),
            _ if path.contains("/workspace/signal-subscriptions/{") => Some(&others.subscription),
            _ if path.contains("/workspace/members/{") => Some(&others.member),
            _ if path.contains('{') => panic!("no example id for {path}"),
            _ => None,
        };
        let body = match path {
            _ if route.method == "PATCH" => json!({"role": "member"}),
            _ if path.ends_with("/records/add") => json!({"record_id": others.account}),
            _ if path.ends_with("/records/add/batch") => {
                json!({"inputs": [{"record_id": others.account}]})
            }
            _ if path.ends_with("/records/delete/batch") => json!({"ids": [others.account]}),
            _ => foreign_body(path, &others),
        };
        if in_path.is_none() && body == json!({}) {
            continue;
        }
        let path = filled_path(&route, in_path.map_or(UNKNOWN_ID, String::as_str));
        let reply = checker
            .send(
                &user,
                &route,
                &path,
                Some(body).filter(|_| !matches!(route.method.as_str(), "GET" | "DELETE")),
            )
            .await;
        checker.assert_refused(&route, &path, &reply, &[404]);
    }
    let gone = checker
        .service
        .delete(&user, &format!("/workspace/favorite-views/{}", others.view))
        .await;
    assert_eq!(gone.ok()["data"]["deleted"], true);
    checker
        .service
        .get(
            &checker.service.api_key(1),
            &format!("/workspace/views/{}", others.view),
        )
        .await
        .ok();
}

/// A body that refers to something of another workspace; empty for routes whose body cannot.
fn foreign_body(path: &str, others: &ForeignRecords) -> Value {
    let skill = json!({"skill_id": others.skill});
    let with = |key: &str, value: Value| {
        let mut body = skill.clone();
        body[key] = value;
        body
    };
    match path.strip_prefix("/workspace/") {
        Some("views/upsert") => json!({"view_id": others.view, "name": "Mine"}),
        Some("favorite-views/upsert") => json!({"view_id": others.view}),
        Some("skills/get-file") => with("path", json!("SKILL.md")),
        Some("skills/transfer") => with("user_id", json!(others.member)),
        Some("skills/move") => with("audience", json!("workspace")),
        Some("skills/find" | "skills/list" | "skills/create") => json!({}),
        Some(path) if path.starts_with("skills/") && !path.ends_with("/batch") => skill,
        _ => json!({}),
    }
}

#[tokio::test]
async fn a_too_large_body_is_413_on_every_route() {
    let checker = ErrorChecker::new().await;
    let address = checker
        .service
        .service
        .base_url()
        .trim_start_matches("http://")
        .trim_end_matches("/api/v1")
        .to_owned();
    for route in routes() {
        let path = filled_path(&route, UNKNOWN_ID);
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        // the announced size is rejected before the body is sent
        let head = format!(
            "{} /api/v1{path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{{",
            route.method,
            9 << 20
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut text, mut buffer) = (String::new(), [0; 4096]);
        while !text.ends_with('}') {
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "{} {path}: {text}", route.method);
            text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 413 "),
            "{} {path}: {text}",
            route.method
        );
        let schema = checker
            .description
            .response_schema(checker.described_operation(&route).1, 413)
            .expect("413 is described");
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            checker.description.violations(schema, &body),
            [""; 0],
            "{} {path}",
            route.method
        );
    }
    let user = checker.service.member_caller(0, 0);
    for route in routes()
        .iter()
        .filter(|route| route.method == "PATCH" || route.path == "/workspace/skills/create")
    {
        let reply = checker
            .send_raw(
                &user,
                route,
                &filled_path(route, UNKNOWN_ID),
                Some(" ".repeat((8 << 20) + 1)),
            )
            .await;
        checker.assert_refused(route, route.path, &reply, &[413]);
    }
}
