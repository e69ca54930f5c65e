//! Checks the description of the interface (`assets/openapi.yaml`) against the routes and the
//! service's responses.

use std::collections::BTreeSet;

use crate::openapi::OpenApiSpec;
use crate::support::{TestCaller, TestResponse, TestService};
use gantry::domain::join_code::JoinCode;
use gantry::interface::{AllowedCallers, RouteId, WorkspaceParam};
use serde_json::{Value, json};

/// Routes that serve four datasets are described four times, each with its own records.
fn concrete_paths(path: &str) -> Vec<String> {
    match path {
        "/data/{dataset}/{id}" | "/data/{dataset}/search" => {
            ["accounts", "contacts", "projects", "signals"]
                .iter()
                .map(|word| path.replace("{dataset}", word))
                .collect()
        }
        _ => vec![path.to_owned()],
    }
}

#[test]
fn the_openapi_description_covers_exactly_the_routes() {
    let description = OpenApiSpec::load();
    let described: BTreeSet<_> = description
        .operations()
        .map(|(method, path, _)| format!("{method} {path}"))
        .collect();
    let routed: BTreeSet<_> = RouteId::ALL
        .iter()
        .map(|id| id.route())
        .flat_map(|route| {
            concrete_paths(route.path)
                .into_iter()
                .map(|path| format!("{} {path}", route.method))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        routed.difference(&described).collect::<Vec<_>>(),
        [""; 0],
        "not described"
    );
    assert_eq!(
        described.difference(&routed).collect::<Vec<_>>(),
        [""; 0],
        "not routed"
    );
}

#[test]
fn the_description_states_each_routes_authorization() {
    let description = OpenApiSpec::load();
    for route in RouteId::ALL.iter().map(|id| id.route()) {
        for path in concrete_paths(route.path) {
            let (_, operation) = description
                .operation(route.method.as_str(), &path)
                .expect("every route is described");
            let scope = match (route.workspace, route.is_read()) {
                (WorkspaceParam::Absent, _) => continue,
                (_, true) => "workspace:read",
                (_, false) => "workspace:write",
            };
            assert_eq!(operation["x-scope"], scope, "{} {path}", route.method);
            let who = match route.callers {
                AllowedCallers::Everyone => Value::Null,
                AllowedCallers::Admins => json!("admins"),
                AllowedCallers::Users => json!("users"),
            };
            assert_eq!(operation["x-callers"], who, "{} {path}", route.method);
            let parameters: Vec<&Value> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .collect();
            let named = parameters
                .iter()
                .map(|one| description.resolve(one))
                .find(|one| one["name"] == "workspace_id");
            let in_body = description
                .body_schema(operation)
                .and_then(|schema| description.resolve(schema).get("required"));
            let required_in_body = in_body
                .and_then(Value::as_array)
                .is_some_and(|keys| keys.contains(&json!("workspace_id")));
            let place = (
                named.is_some(),
                named.is_some_and(|one| one["required"] == true),
                required_in_body,
            );
            let expected = match route.workspace {
                WorkspaceParam::Query | WorkspaceParam::QueryOverride => (true, false, false),
                WorkspaceParam::QueryRequired => (true, true, false),
                WorkspaceParam::BodyRequired => (false, false, true),
                WorkspaceParam::Body | WorkspaceParam::Absent => (false, false, false),
            };
            assert_eq!(place, expected, "{} {path}", route.method);
            let placed = |place: &str| -> BTreeSet<&str> {
                let there = parameters
                    .iter()
                    .map(|one| description.resolve(one))
                    .filter(|one| one["in"] == place);
                there
                    .filter_map(|one| one["name"].as_str())
                    .filter(|name| *name != "workspace_id")
                    .collect()
            };
            let taken: BTreeSet<&str> = route.params.iter().copied().collect();
            assert_eq!(placed("query"), taken, "{} {path}", route.method);
            let parts: BTreeSet<&str> = path
                .split('/')
                .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
                .collect();
            assert_eq!(placed("path"), parts, "{} {path}", route.method);
            if let Some(max_items) = route.max_items {
                let body = description
                    .body_schema(operation)
                    .map(|schema| description.resolve(schema));
                let properties = body.and_then(|body| body["properties"].as_object());
                let described: Vec<_> = properties
                    .into_iter()
                    .flat_map(|all| all.values())
                    .filter_map(|one| one.get("maxItems"))
                    .collect();
                assert_eq!(described, [&json!(max_items)], "{} {path}", route.method);
            }
            for status in [400, 401, 403, 413] {
                assert!(
                    description.response_schema(operation, status).is_some(),
                    "{} {path} does not describe {status}",
                    route.method
                );
            }
        }
    }
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    let description = OpenApiSpec::load();
    let mut used = BTreeSet::new();
    let mut open = vec![description.root()];
    while let Some(value) = open.pop() {
        if let Some(place) = value.get("$ref").and_then(Value::as_str) {
            description.resolve(value);
            used.insert(place.split('/').take(4).collect::<Vec<_>>().join("/"));
        }
        open.extend(value.as_array().into_iter().flatten());
        open.extend(
            value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(_, value)| value),
        );
    }
    for family in ["schemas", "parameters", "responses"] {
        for name in description.root()["components"][family]
            .as_object()
            .expect("an object")
            .keys()
        {
            assert!(
                used.contains(&format!("#/components/{family}/{name}")),
                "{family}/{name} is not used"
            );
        }
    }
}

/// Sends a request and checks the response against the description.
struct RouteChecker<'a> {
    service: &'a TestService,
    description: OpenApiSpec,
    checked_routes: BTreeSet<String>,
    violations: BTreeSet<String>,
}

impl RouteChecker<'_> {
    async fn send(
        &mut self,
        caller: &TestCaller,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        let (template, operation) = self
            .description
            .operation(method, path)
            .unwrap_or_else(|| panic!("{method} {path}"));
        if let (Some(schema), Some(body)) = (self.description.body_schema(operation), &body) {
            let faults = self.description.violations(schema, body);
            self.violations.extend(
                faults
                    .iter()
                    .map(|fault| format!("the body of {method} {path}: {fault}")),
            );
        }
        let reply: TestResponse = self
            .service
            .send(caller, method, path, body.map(|body| body.to_string()))
            .await;
        let faults = match self.description.response_schema(operation, reply.status) {
            Some(schema) => self.description.violations(schema, &reply.body),
            None => vec![format!("{} is not described: {}", reply.status, reply.text)],
        };
        self.violations.extend(
            faults
                .iter()
                .map(|fault| format!("{method} {path}: {fault}")),
        );
        if reply.status == 200 {
            self.checked_routes.insert(format!("{method} {template}"));
        }
        reply.body
    }

    async fn get(&mut self, path: &str) -> Value {
        let caller = self.service.member_caller(0, 0);
        self.send(&caller, "GET", path, None).await
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        let caller = self.service.member_caller(0, 0);
        self.send(&caller, "POST", path, Some(body)).await
    }
}

fn column_values(rows: &Value, key: &str) -> Vec<String> {
    rows.as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row[key].as_str())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn responses_for_the_sample_world_match_the_description() {
    let api = TestService::new().await;
    let mut walk = RouteChecker {
        service: &api,
        description: OpenApiSpec::load(),
        checked_routes: BTreeSet::new(),
        violations: BTreeSet::new(),
    };
    for path in [
        "/workspace",
        "/workspace/credits",
        "/workspace/members",
        "/workspace/invitations",
        "/workspace/favorite-views",
    ] {
        walk.get(path).await;
    }
    walk.get("/workspace/invitations?status=pending").await;
    let invited = walk
        .post(
            "/workspace/invitations",
            json!({"email": "lee@northline.example"}),
        )
        .await;
    let wall = walk
        .post("/workspace/walls", json!({"name": "Lobby"}))
        .await;
    walk.get("/workspace/walls").await;
    let member = format!(
        "/workspace/members/{}/join-code",
        api.workspace(0).members[0].user_id
    );
    walk.post(&member, json!({})).await;
    let nobody = TestCaller::default();
    for code in [&invited, &wall] {
        let code =
            JoinCode::parse(code["data"]["join_code"].as_str().expect("a code")).expect("a code");
        let body = json!({"secret": code.secret.encode(), "name": "Lee"});
        walk.send(&nobody, "POST", "/join", Some(body.clone()))
            .await;
        walk.send(&nobody, "POST", "/join", Some(body)).await;
    }
    let owner = api.member_caller(0, 0);
    let path = format!(
        "/workspace/walls/{}",
        wall["data"]["id"].as_str().expect("an id")
    );
    walk.send(&owner, "DELETE", &path, None).await;
    walk.send(&owner, "DELETE", &path, None).await;
    let key = api.api_key(0);
    walk.send(&key, "GET", "/workspace", None).await;
    let nowhere = "00000000-0000-4000-8000-000000000000";

    for (dataset, include) in [
        ("accounts", "projects,contacts,signals"),
        ("contacts", "account,projects"),
        ("projects", "accounts,contacts,signals"),
        ("signals", "project,accounts"),
    ] {
        let found = walk
            .post(&format!("/data/{dataset}/search"), json!({"limit": 100}))
            .await;
        for id in column_values(&found["data"], "id").iter().take(40) {
            walk.get(&format!("/data/{dataset}/{id}?include={include}"))
                .await;
        }
        walk.get(&format!("/data/{dataset}/{nowhere}")).await;
        let all = walk
            .post("/data/fields/search", json!({"dataset": dataset}))
            .await;
        for key in column_values(&all["data"]["fields"], "key") {
            walk.get(&format!("/data/fields/{dataset}/{key}")).await;
        }
        walk.get(&format!("/data/fields/{dataset}/nothing")).await;
        if dataset != "signals" {
            let found = walk
                .post(
                    &format!("/workspace/{dataset}/search"),
                    json!({"limit": 100}),
                )
                .await;
            for id in column_values(&found["data"], "id") {
                walk.get(&format!("/workspace/{dataset}/{id}?include={include}"))
                    .await;
                walk.get(&format!("/data/{dataset}/{id}")).await;
            }
            walk.get(&format!("/workspace/{dataset}/{nowhere}")).await;
            walk.post(
                &format!("/workspace/{dataset}/search"),
                json!({"query": "a", "limit": 1}),
            )
            .await;
        }
    }
    walk.get("/filters?entity=skill").await;
    walk.get("/filters?entity=nothing").await;
    walk.get("/filters").await;
    for entity in [
        "skill", "accounts", "account", "contact", "projects", "signals",
    ] {
        walk.get(&format!("/filters?entity={entity}")).await;
        let question =
            "multifamily in Oakland with more than 200 units, or published official ones";
        walk.post(
            "/filters/ask",
            json!({"entity": entity, "query": question, "workspace_id": api.workspace_id(0)}),
        )
        .await;
    }

    let views = walk.get("/workspace/views").await;
    for id in column_values(&views["data"]["views"], "id") {
        walk.get(&format!("/workspace/views/{id}")).await;
        walk.post(
            &format!("/workspace/views/{id}/records/search"),
            json!({"limit": 100}),
        )
        .await;
    }
    walk.get(&format!("/workspace/views/{nowhere}")).await;

    let feed = walk.get("/signals?limit=200").await;
    for id in column_values(&feed["signals"], "id").iter().take(20) {
        walk.get(&format!("/signals/{id}")).await;
        walk.get(&format!("/data/signals/{id}")).await;
    }
    walk.get(&format!("/signals/{nowhere}")).await;
    walk.get("/signals?limit=0").await;
    walk.get("/signals/queue?limit=200&status=new&status=done")
        .await;
    walk.get("/signals/queue?limit=200&status=done").await;
    walk.get("/signals/queue/stats").await;
    walk.get("/signal-subscriptions").await;
    walk.get("/workspace/signal-subscriptions").await;

    walk.post("/workspace/skills/find", json!({"query": "permit"}))
        .await;
    let skills = walk.post("/workspace/skills/list", json!({})).await;
    for id in column_values(&skills["data"]["skills"], "id") {
        let skill = walk
            .post("/workspace/skills/get", json!({"skill_id": id}))
            .await;
        walk.post("/workspace/skills/revisions", json!({"skill_id": id}))
            .await;
        for path in column_values(&skill["data"]["files"], "path") {
            walk.post(
                "/workspace/skills/get-file",
                json!({"skill_id": id, "path": path}),
            )
            .await;
        }
    }

    assert_eq!(walk.violations.iter().collect::<Vec<_>>(), [""; 0]);
    let reads = RouteId::ALL
        .iter()
        .map(|id| id.route())
        .filter(|route| route.is_read());
    let reads = reads.flat_map(|route| {
        concrete_paths(route.path)
            .into_iter()
            .map(move |path| format!("{} {path}", route.method))
    });
    let missed: Vec<String> = reads
        .filter(|read| !walk.checked_routes.contains(read))
        .collect();
    assert_eq!(missed, [""; 0], "not walked");
}

#[tokio::test]
async fn the_description_is_served_without_credentials() {
    let api = TestService::new().await;
    let url = api.service.base_url().replace("/api/v1", "/openapi.yaml");
    let answer = api.http.get(url).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/yaml");
    assert_eq!(
        answer.text().await.expect("text"),
        include_str!("../../assets/openapi.yaml")
    );
}
