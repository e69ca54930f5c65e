//! One valid call of every route: what all responses have in common, and what each call costs
//! (interface: What the service does 7 and 9, Response metadata, Limits: zero-cost routes).

use crate::fields::{FieldRow, assert_fields, has_type};
use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestResponse};
use gantry::interface::{Price, RouteId, routes};
use serde_json::{Value, json};

/// A call and its result.
struct RouteCall {
    method: &'static str,
    /// The path in the table of routes.
    route: &'static str,
    response: TestResponse,
    /// The increase of the meter.
    credits_spent: i64,
}

impl RouteCall {
    fn route_name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    fn path_contains_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.route.contains(word))
    }
}

/// The values that the steps of a tour are filled with.
struct RouteIds {
    view: String,
    dynamic_view: String,
    skill: String,
    official_skill: String,
    member: String,
    invitation: String,
    subscription: String,
    account: String,
    contact: String,
    project: String,
    signal: String,
}

impl RouteIds {
    async fn collect(api: &ServiceWithFile) -> RouteIds {
        let key = api.api_key(0);
        let view = json!({"name": "Ours", "dataset": "account", "type": "static"});
        let dynamic = json!({"name": "All", "dataset": "project", "type": "dynamic",
            "definition": {"match": "all", "conditions": []}});
        let id = |reply: Value| reply["data"]["id"].as_str().unwrap().to_owned();
        let skills = api
            .post(&key, "/workspace/skills/list", json!({"limit": 100}))
            .await
            .ok()["data"]["skills"]
            .clone();
        let skill = |source: &str| {
            let found = skills
                .as_array()
                .unwrap()
                .iter()
                .find(|skill| skill["source"] == source && skill["audience"] == "workspace");
            found.unwrap()["id"].as_str().unwrap().to_owned()
        };
        let invited = api
            .post(
                &key,
                "/workspace/invitations",
                json!({"email": "tour@northline.example"}),
            )
            .await
            .ok();
        let list = api.get(&key, "/workspace/signal-subscriptions").await.ok();
        RouteIds {
            view: id(api.post(&key, "/workspace/views/upsert", view).await.ok()),
            dynamic_view: id(api
                .post(&key, "/workspace/views/upsert", dynamic)
                .await
                .ok()),
            skill: skill("custom"),
            official_skill: skill("official"),
            member: api.workspace(0).members[3].user_id.to_string(),
            invitation: id(invited),
            subscription: list["data"]["subscriptions"][0]["id"]
                .as_str()
                .unwrap()
                .to_owned(),
            account: api.unsaved_ids("account", 1).remove(0),
            contact: api.unsaved_ids("contact", 1).remove(0),
            project: api.unsaved_ids("project", 1).remove(0),
            signal: api
                .query_ids("SELECT id FROM signals ORDER BY rowid LIMIT 1")
                .remove(0),
        }
    }

    /// The path and body of a step; later steps of a kind of record delete what earlier ones
    /// created.
    fn path_and_body(&self, method: &str, route: &str) -> (String, Option<Value>) {
        let part = |part: &str| -> String {
            match part {
                "{dataset}" => "accounts".to_owned(),
                "{key}" => "name".to_owned(),
                "{signal_type}" => "environmental_review".to_owned(),
                "{userId}" => self.member.clone(),
                "{viewId}" => self.view.clone(),
                "{recordId}" => self.account.clone(),
                "{id}" if route.contains("views/") && route.ends_with("search") => {
                    self.dynamic_view.clone()
                }
                "{id}" if route.contains("views/") => self.view.clone(),
                "{id}" if route.contains("invitations") => self.invitation.clone(),
                "{id}" if route.contains("subscriptions") => self.subscription.clone(),
                "{id}" if route.contains("contacts") => self.contact.clone(),
                "{id}" if route.contains("projects") => self.project.clone(),
                "{id}" if route.starts_with("/signals") => self.signal.clone(),
                "{id}" => self.account.clone(),
                other => other.to_owned(),
            }
        };
        let path = route.split('/').map(part).collect::<Vec<_>>().join("/");
        let takes_body = !matches!(method, "GET" | "DELETE");
        let path = if route == "/filters" {
            "/filters?entity=skill".to_owned()
        } else {
            path
        };
        (path, takes_body.then(|| self.body_for(route)))
    }

    fn body_for(&self, route: &str) -> Value {
        let (bundle, skill) = (
            json!({"name": "Tour", "description": "", "files": [{"path": "SKILL.md", "content": "# One"}]}),
            json!({"skill_id": self.skill}),
        );
        let with = |mut body: Value, key: &str, value: &str| {
            body[key] = json!(value);
            body
        };
        if let Some(verb) = route.strip_prefix("/workspace/skills/") {
            let (verb, is_batch) = verb
                .strip_suffix("/batch")
                .map_or((verb, false), |verb| (verb, true));
            let one = match verb {
                "find" => json!({"query": "permit"}),
                "list" => json!({}),
                "get-file" => with(skill, "path", "SKILL.md"),
                "create" => bundle,
                "update" => with(skill, "description", "Toured"),
                "move" => with(skill, "audience", "workspace"),
                "transfer" => with(skill, "user_id", &self.member),
                "install" | "uninstall" => json!({"skill_id": self.official_skill}),
                _ => skill,
            };
            return if is_batch {
                json!({"inputs": [with(one, "idempotencyKey", "tour")]})
            } else {
                one
            };
        }
        let (view, record) = (
            json!({"view_id": self.view}),
            json!({"record_id": self.account}),
        );
        match route.trim_start_matches("/workspace") {
            "/data/{dataset}/search" => json!({"limit": 3}),
            "/data/fields/search" => json!({"dataset": "accounts"}),
            "/filters/ask" => json!({"entity": "projects", "query": "multifamily in Oakland"}),
            "/members/{userId}" => json!({"role": "member"}),
            "/invitations" => json!({"email": "more@northline.example"}),
            "/accounts/upsert" => json!({"account_id": self.account}),
            "/accounts/upsert/batch" => json!({"inputs": [{"account_id": self.account}]}),
            "/contacts/upsert" => json!({"contact_id": self.contact}),
            "/contacts/upsert/batch" => json!({"inputs": [{"contact_id": self.contact}]}),
            "/projects/upsert" => json!({"project_id": self.project}),
            "/projects/upsert/batch" => json!({"inputs": [{"project_id": self.project}]}),
            "/views/upsert" => with(view, "name", "Toured"),
            "/views/upsert/batch" => json!({"inputs": [with(view, "name", "Toured")]}),
            "/favorite-views/upsert" => view,
            "/favorite-views/upsert/batch" => json!({"inputs": [view]}),
            "/views/{id}/records/add" => record,
            "/views/{id}/records/add/batch" => json!({"inputs": [record]}),
            "/signals/triage" => json!({"signal_ids": [self.signal], "status": "done"}),
            "/signal-subscriptions/bulk" => {
                json!({"subscriptions": [{"signal_type": "pre_application"}]})
            }
            "/signal-subscriptions/{signal_type}" => json!({}),
            "/signal-subscriptions/upsert" => json!({"signal_type": "expiration"}),
            route if route.ends_with("/search") => json!({"limit": 3}),
            route if route.ends_with("/delete/batch") => json!({"ids": [self.account]}),
            other => panic!("no example body for {other}"),
        }
    }
}

/// Calls every route once: creating, then reading, then deleting.
async fn call_every_route(api: &ServiceWithFile) -> Vec<RouteCall> {
    let ids = RouteIds::collect(api).await;
    let ends = |route: &str, method: &str| {
        method == "DELETE"
            || ["delete", "uninstall", "delete/batch"]
                .iter()
                .any(|word| route.ends_with(word))
    };
    let makes = |route: &str, method: &str| {
        method != "GET"
            && ["upsert", "add", "create", "publish"]
                .iter()
                .any(|word| route.ends_with(word))
    };
    let mut all = routes();
    all.sort_by_key(|route| match route.method.as_str() {
        method if ends(route.path, method) => (
            2,
            !route.path.contains("/records/"),
            !route.path.contains("skills"),
        ),
        method if makes(route.path, method) => (0, false, false),
        _ => (1, false, false),
    });
    let user = api.member_caller(0, 0);
    let mut steps = Vec::new();
    for route in all {
        let method = match route.method.as_str() {
            "GET" => "GET",
            "PUT" => "PUT",
            "PATCH" => "PATCH",
            "DELETE" => "DELETE",
            _ => "POST",
        };
        let (path, mut body) = ids.path_and_body(method, route.path);
        let named_in_body = body.is_some()
            && ["/signals", "/signal-subscriptions", "/filters"]
                .iter()
                .any(|own| path.starts_with(own));
        if let (true, Some(body)) = (named_in_body, &mut body) {
            body["workspace_id"] = json!(api.workspace_id(0));
        }
        let caller = TestCaller {
            workspace: user.workspace.clone().filter(|_| !named_in_body),
            ..user.clone()
        };
        let before = api.credits_used(0).await;
        let reply = send_with_key(api, &caller, method, &path, body).await;
        assert_eq!(reply.status, 200, "{method} {path}: {}", reply.text);
        steps.push(RouteCall {
            method,
            route: route.path,
            response: reply,
            credits_spent: api.credits_used(0).await - before,
        });
    }
    steps
}

async fn send_with_key(
    api: &ServiceWithFile,
    caller: &TestCaller,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> TestResponse {
    let mut url = format!("{}{path}", api.service.base_url());
    if let Some(workspace) = &caller.workspace {
        url = format!(
            "{url}{}workspace_id={workspace}",
            if url.contains('?') { '&' } else { '?' }
        );
    }
    let mut request = api
        .http
        .request(method.parse().unwrap(), url)
        .bearer_auth(caller.secret.as_deref().unwrap());
    request = request.header("idempotency-key", path.replace('/', "-"));
    if let Some(body) = body {
        request = request
            .header("content-type", "application/json")
            .body(body.to_string());
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    TestResponse {
        status,
        headers,
        body: serde_json::from_str(&text).unwrap_or_default(),
        text,
    }
}

/// The routes with their own top-level keys.
fn has_own_top_level_keys(step: &RouteCall) -> bool {
    step.route.starts_with("/signals") || step.route.starts_with("/signal-subscriptions")
}

fn is_search(step: &RouteCall) -> bool {
    step.route.ends_with("/search") && step.route != "/data/fields/search"
}

fn is_batch(step: &RouteCall) -> bool {
    step.route.ends_with("/batch")
}

#[tokio::test]
async fn every_response_is_json() {
    for step in call_every_route(&ServiceWithFile::new().await).await {
        assert_eq!(
            step.response.headers["content-type"],
            "application/json",
            "{}",
            step.route_name()
        );
        assert!(
            step.response.body.is_object(),
            "{} {}",
            step.route_name(),
            step.response.text
        );
    }
}

#[tokio::test]
async fn responses_have_data_and_metadata_except_signals_and_subscriptions() {
    for step in call_every_route(&ServiceWithFile::new().await).await {
        let keys: Vec<_> = step
            .response
            .body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys == ["data", "metadata"],
            !has_own_top_level_keys(&step),
            "{} {keys:?}",
            step.route_name()
        );
    }
}

#[tokio::test]
async fn the_signals_and_signal_subscriptions_routes_use_their_own_top_level_keys() {
    let steps = call_every_route(&ServiceWithFile::new().await).await;
    let own: [(&str, &[FieldRow]); 9] = [
        (
            "GET /signals",
            &[("signals", "object[]"), ("pagination", "object")],
        ),
        ("GET /signals/{id}", &[("signal", "object")]),
        (
            "GET /signals/queue",
            &[("signals", "object[]"), ("pagination", "object")],
        ),
        (
            "GET /signals/queue/stats",
            &[
                ("new_count", "integer"),
                ("high_priority_new_count", "integer"),
                ("done_count", "integer"),
                ("type_counts", "object[]"),
            ],
        ),
        ("POST /signals/triage", &[("updated", "integer")]),
        (
            "GET /signal-subscriptions",
            &[("subscriptions", "object[]")],
        ),
        (
            "PUT /signal-subscriptions/{signal_type}",
            &[("subscriptions", "object[]")],
        ),
        (
            "DELETE /signal-subscriptions/{signal_type}",
            &[("subscriptions", "object[]")],
        ),
        (
            "POST /signal-subscriptions/bulk",
            &[("subscriptions", "object[]")],
        ),
    ];
    assert_eq!(
        steps
            .iter()
            .filter(|step| has_own_top_level_keys(step))
            .count(),
        own.len()
    );
    for (name, table) in own {
        assert_fields(
            &steps
                .iter()
                .find(|step| step.route_name() == name)
                .unwrap()
                .response
                .body,
            table,
        );
    }
}

#[tokio::test]
async fn gets_upserts_and_deletes_have_only_credits_as_metadata() {
    let steps = call_every_route(&ServiceWithFile::new().await).await;
    let plain = |step: &&RouteCall| {
        !has_own_top_level_keys(step)
            && !is_search(step)
            && !is_batch(step)
            && !step.path_contains_any(&["/records/"])
    };
    for step in steps.iter().filter(plain) {
        assert_eq!(
            step.response.body["metadata"],
            json!({"credits": step.credits_spent}),
            "{}",
            step.route_name()
        );
    }
}

#[tokio::test]
async fn only_searches_have_paging_fields() {
    for step in call_every_route(&ServiceWithFile::new().await)
        .await
        .iter()
        .filter(|step| !has_own_top_level_keys(step))
    {
        for (key, kind) in [
            ("total", "integer"),
            ("total_is_capped", "boolean"),
            ("limit", "integer"),
            ("offset", "integer"),
            ("search_after", "string?"),
        ] {
            let field = step.response.body["metadata"].get(key);
            assert_eq!(
                field.is_some_and(|field| has_type(field, kind)),
                is_search(step),
                "{} {key}",
                step.route_name()
            );
        }
    }
}

#[tokio::test]
async fn only_batch_and_view_record_writes_have_succeeded_and_failed() {
    for step in call_every_route(&ServiceWithFile::new().await).await {
        let counted =
            is_batch(&step) || (step.path_contains_any(&["/records/"]) && !is_search(&step));
        let metadata = &step.response.body["metadata"];
        for key in ["succeeded", "failed"] {
            assert_eq!(
                metadata.get(key).is_some_and(Value::is_u64),
                counted,
                "{} {key}",
                step.route_name()
            );
        }
        if counted {
            let results = step.response.body["data"]["results"].as_array().unwrap();
            assert_eq!(
                metadata["succeeded"].as_u64().unwrap() + metadata["failed"].as_u64().unwrap(),
                results.len() as u64
            );
        }
    }
}

#[tokio::test]
async fn every_response_says_what_it_cost_in_the_header_x_credits() {
    for step in call_every_route(&ServiceWithFile::new().await).await {
        assert_eq!(
            step.response.headers["x-credits"].to_str().unwrap(),
            step.credits_spent.to_string(),
            "{}",
            step.route_name()
        );
    }
}

#[tokio::test]
async fn each_call_costs_what_its_route_states() {
    let steps = call_every_route(&ServiceWithFile::new().await).await;
    let mut metered = 0;
    for step in steps {
        let route = RouteId::find(step.method, step.route).unwrap().route();
        let price = match route.price {
            // This service charges nothing where the interface states no price.
            Price::Free | Price::Unknown => 0,
            Price::PerCall => 1,
            Price::PerRow => {
                let data = &step.response.body["data"];
                data.get("records")
                    .unwrap_or(data)
                    .as_array()
                    .unwrap()
                    .len() as i64
            }
        };
        metered += i64::from(price > 0);
        assert_eq!(step.credits_spent, price, "{route}");
        if !has_own_top_level_keys(&step) {
            assert_eq!(step.response.body["metadata"]["credits"], price, "{route}");
        }
    }
    assert_eq!(
        metered,
        4 + 5,
        "four gets; a search of the index, three of the book and one of a View"
    );
}
