//! One good call of every route: what all answers have in common, and what each costs (interface: What the service does 7 and 9,
//! Response metadata, Limits: zero-cost routes).

use std::collections::BTreeSet;

use crate::fields::{Row, has_fields, is_a};
use crate::shelf::Shelf;
use crate::support::{Caller, Said};
use gantry::service::routes;
use serde_json::{Value, json};

/// A call and what came of it.
struct Step {
    method: &'static str,
    /// The path of the table of routes.
    route: &'static str,
    said: Said,
    /// By how much the meter moved.
    spent: i64,
}

impl Step {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    fn is(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.route.contains(word))
    }
}

/// What the steps of a tour are filled with.
struct Ids {
    view: String,
    dynamic: String,
    skill: String,
    official: String,
    member: String,
    invitation: String,
    subscription: String,
    account: String,
    contact: String,
    project: String,
    signal: String,
}

impl Ids {
    async fn of(shelf: &Shelf) -> Ids {
        let key = shelf.key(0);
        let view = json!({"name": "Ours", "dataset": "account", "type": "static"});
        let dynamic = json!({"name": "All", "dataset": "project", "type": "dynamic",
            "definition": {"match": "all", "conditions": []}});
        let id = |said: Value| said["data"]["id"].as_str().unwrap().to_owned();
        let skills = shelf.post(&key, "/workspace/skills/list", json!({"limit": 100})).await.ok()["data"]["skills"].clone();
        let skill = |source: &str| {
            let found =
                skills.as_array().unwrap().iter().find(|skill| skill["source"] == source && skill["audience"] == "workspace");
            found.unwrap()["id"].as_str().unwrap().to_owned()
        };
        let invited = shelf.post(&key, "/workspace/invitations", json!({"email": "tour@northline.example"})).await.ok();
        let list = shelf.get(&key, "/workspace/signal-subscriptions").await.ok();
        Ids {
            view: id(shelf.post(&key, "/workspace/views/upsert", view).await.ok()),
            dynamic: id(shelf.post(&key, "/workspace/views/upsert", dynamic).await.ok()),
            skill: skill("custom"),
            official: skill("official"),
            member: shelf.workspace(0).members[3].user_id.to_string(),
            invitation: id(invited),
            subscription: list["data"]["subscriptions"][0]["id"].as_str().unwrap().to_owned(),
            account: shelf.unsaved("account", 1).remove(0),
            contact: shelf.unsaved("contact", 1).remove(0),
            project: shelf.unsaved("project", 1).remove(0),
            signal: shelf.ids("SELECT id FROM signals ORDER BY rowid LIMIT 1").remove(0),
        }
    }

    /// Where a step goes, and with what; the later steps of a noun take away what the earlier ones made.
    fn filled(&self, method: &str, route: &str) -> (String, Option<Value>) {
        let part = |part: &str| -> String {
            match part {
                "{dataset}" => "accounts".to_owned(),
                "{key}" => "name".to_owned(),
                "{signal_type}" => "environmental_review".to_owned(),
                "{userId}" => self.member.clone(),
                "{viewId}" => self.view.clone(),
                "{recordId}" => self.account.clone(),
                "{id}" if route.contains("views/") && route.ends_with("search") => self.dynamic.clone(),
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
        let path = if route == "/filters" { "/filters?entity=skill".to_owned() } else { path };
        (path, takes_body.then(|| self.body(route)))
    }

    fn body(&self, route: &str) -> Value {
        let (bundle, skill) = (
            json!({"name": "Tour", "description": "", "files": [{"path": "SKILL.md", "content": "# One"}]}),
            json!({"skill_id": self.skill}),
        );
        let with = |mut body: Value, key: &str, value: &str| {
            body[key] = json!(value);
            body
        };
        if let Some(verb) = route.strip_prefix("/workspace/skills/") {
            let (verb, is_batch) = verb.strip_suffix("/batch").map_or((verb, false), |verb| (verb, true));
            let one = match verb {
                "find" => json!({"query": "permit"}),
                "list" => json!({}),
                "get-file" => with(skill, "path", "SKILL.md"),
                "create" => bundle,
                "update" => with(skill, "description", "Toured"),
                "move" => with(skill, "audience", "workspace"),
                "transfer" => with(skill, "user_id", &self.member),
                "install" | "uninstall" => json!({"skill_id": self.official}),
                _ => skill,
            };
            return if is_batch { json!({"inputs": [with(one, "idempotencyKey", "tour")]}) } else { one };
        }
        let (view, record) = (json!({"view_id": self.view}), json!({"record_id": self.account}));
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
            "/signal-subscriptions/bulk" => json!({"subscriptions": [{"signal_type": "pre_application"}]}),
            "/signal-subscriptions/{signal_type}" => json!({}),
            "/signal-subscriptions/upsert" => json!({"signal_type": "expiration"}),
            route if route.ends_with("/search") => json!({"limit": 3}),
            route if route.ends_with("/delete/batch") => json!({"ids": [self.account]}),
            other => panic!("what does {other} take?"),
        }
    }
}

/// Calls every route once: what makes things first, then what reads them, then what takes them away.
async fn tour(shelf: &Shelf) -> Vec<Step> {
    let ids = Ids::of(shelf).await;
    let ends = |route: &str, method: &str| {
        method == "DELETE" || ["delete", "uninstall", "delete/batch"].iter().any(|word| route.ends_with(word))
    };
    let makes = |route: &str, method: &str| {
        method != "GET" && ["upsert", "add", "create", "publish"].iter().any(|word| route.ends_with(word))
    };
    let mut all = routes();
    all.sort_by_key(|route| match route.method.as_str() {
        method if ends(route.path, method) => (2, !route.path.contains("/records/"), !route.path.contains("skills")),
        method if makes(route.path, method) => (0, false, false),
        _ => (1, false, false),
    });
    let user = shelf.user(0, 0);
    let mut steps = Vec::new();
    for route in all {
        let method = match route.method.as_str() {
            "GET" => "GET",
            "PUT" => "PUT",
            "PATCH" => "PATCH",
            "DELETE" => "DELETE",
            _ => "POST",
        };
        let (path, mut body) = ids.filled(method, route.path);
        let named_in_body =
            body.is_some() && ["/signals", "/signal-subscriptions", "/filters"].iter().any(|own| path.starts_with(own));
        if let (true, Some(body)) = (named_in_body, &mut body) {
            body["workspace_id"] = json!(shelf.id(0));
        }
        let caller = Caller { workspace: user.workspace.clone().filter(|_| !named_in_body), ..user.clone() };
        let before = shelf.used(0).await;
        let said = send(shelf, &caller, method, &path, body).await;
        assert_eq!(said.status, 200, "{method} {path}: {}", said.text);
        steps.push(Step { method, route: route.path, said, spent: shelf.used(0).await - before });
    }
    steps
}

async fn send(shelf: &Shelf, caller: &Caller, method: &str, path: &str, body: Option<Value>) -> Said {
    let mut url = format!("{}{path}", shelf.service.base_url());
    if let Some(workspace) = &caller.workspace {
        url = format!("{url}{}workspace_id={workspace}", if url.contains('?') { '&' } else { '?' });
    }
    let mut request = shelf.http.request(method.parse().unwrap(), url).bearer_auth(caller.secret.as_deref().unwrap());
    request = request.header("idempotency-key", path.replace('/', "-"));
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    Said { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
}

/// The routes with top-level keys of their own.
fn has_own_keys(step: &Step) -> bool {
    step.route.starts_with("/signals") || step.route.starts_with("/signal-subscriptions")
}

fn is_search(step: &Step) -> bool {
    step.route.ends_with("/search") && step.route != "/data/fields/search"
}

fn is_batch(step: &Step) -> bool {
    step.route.ends_with("/batch")
}

#[tokio::test]
async fn every_answer_of_the_interface_is_json() {
    for step in tour(&Shelf::new().await).await {
        assert_eq!(step.said.headers["content-type"], "application/json", "{}", step.name());
        assert!(step.said.body.is_object(), "{} {}", step.name(), step.said.text);
    }
}

#[tokio::test]
async fn answers_are_data_and_metadata_but_for_signals_and_signal_subscriptions() {
    for step in tour(&Shelf::new().await).await {
        let keys: Vec<_> = step.said.body.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys == ["data", "metadata"], !has_own_keys(&step), "{} {keys:?}", step.name());
    }
}

#[tokio::test]
async fn the_signals_and_signal_subscriptions_routes_use_their_own_top_level_keys() {
    let steps = tour(&Shelf::new().await).await;
    let own: [(&str, &[Row]); 9] = [
        ("GET /signals", &[("signals", "object[]"), ("pagination", "object")]),
        ("GET /signals/{id}", &[("signal", "object")]),
        ("GET /signals/queue", &[("signals", "object[]"), ("pagination", "object")]),
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
        ("GET /signal-subscriptions", &[("subscriptions", "object[]")]),
        ("PUT /signal-subscriptions/{signal_type}", &[("subscriptions", "object[]")]),
        ("DELETE /signal-subscriptions/{signal_type}", &[("subscriptions", "object[]")]),
        ("POST /signal-subscriptions/bulk", &[("subscriptions", "object[]")]),
    ];
    assert_eq!(steps.iter().filter(|step| has_own_keys(step)).count(), own.len());
    for (name, table) in own {
        has_fields(&steps.iter().find(|step| step.name() == name).unwrap().said.body, table);
    }
}

#[tokio::test]
async fn metadata_of_gets_upserts_and_deletes_is_credits_alone() {
    let steps = tour(&Shelf::new().await).await;
    let plain = |step: &&Step| !has_own_keys(step) && !is_search(step) && !is_batch(step) && !step.is(&["/records/"]);
    for step in steps.iter().filter(plain) {
        assert_eq!(step.said.body["metadata"], json!({"credits": step.spent}), "{}", step.name());
    }
}

#[tokio::test]
async fn paging_fields_are_on_searches_alone() {
    for step in tour(&Shelf::new().await).await.iter().filter(|step| !has_own_keys(step)) {
        for (key, kind) in [
            ("total", "integer"),
            ("total_is_capped", "boolean"),
            ("limit", "integer"),
            ("offset", "integer"),
            ("search_after", "string?"),
        ] {
            let field = step.said.body["metadata"].get(key);
            assert_eq!(field.is_some_and(|field| is_a(field, kind)), is_search(step), "{} {key}", step.name());
        }
    }
}

#[tokio::test]
async fn succeeded_and_failed_are_on_batch_and_view_record_writes_alone() {
    for step in tour(&Shelf::new().await).await {
        let counted = is_batch(&step) || (step.is(&["/records/"]) && !is_search(&step));
        let metadata = &step.said.body["metadata"];
        for key in ["succeeded", "failed"] {
            assert_eq!(metadata.get(key).is_some_and(Value::is_u64), counted, "{} {key}", step.name());
        }
        if counted {
            let results = step.said.body["data"]["results"].as_array().unwrap();
            assert_eq!(metadata["succeeded"].as_u64().unwrap() + metadata["failed"].as_u64().unwrap(), results.len() as u64);
        }
    }
}

#[tokio::test]
async fn every_write_costs_0_credits() {
    let steps = tour(&Shelf::new().await).await;
    let writes: BTreeSet<String> = routes()
        .iter()
        .filter(|route| route.auth.needs_write_scope)
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    assert!(writes.len() > 50, "{}", writes.len());
    for step in steps.iter().filter(|step| writes.contains(&step.name())) {
        assert_eq!(step.spent, 0, "{}", step.name());
    }
}

#[tokio::test]
async fn every_zero_cost_family_of_the_limits_costs_0_credits() {
    let steps = tour(&Shelf::new().await).await;
    for (family, words) in [
        ("upserts", &["/upsert"][..]),
        ("deletes", &["/delete"]),
        ("batches", &["/batch"]),
        ("View definition reads", &["/workspace/views", "/workspace/views/{id}"]),
        ("View membership", &["/records/add", "/records/delete", "/records/{recordId}"]),
        ("Favorites", &["/favorite-views"]),
        ("Skills", &["/skills/"]),
        ("members", &["/members"]),
        ("invitations", &["/invitations"]),
        ("subscriptions", &["/signal-subscriptions"]),
        ("configuration", &["/data/fields", "/filters"]),
        ("signals routes, which no list names", &["/signals"]),
    ] {
        let here: Vec<_> = steps.iter().filter(|step| step.is(words) && !step.route.ends_with("records/search")).collect();
        assert!(!here.is_empty(), "{family}");
        for step in here {
            let said = step.said.body["metadata"].get("credits").unwrap_or(&json!(0)).clone();
            assert_eq!((step.spent, said), (0, json!(0)), "{family}: {}", step.name());
        }
    }
    for meta in ["GET /workspace", "GET /workspace/credits"] {
        assert_eq!(steps.iter().find(|step| step.name() == meta).unwrap().spent, 0, "{meta}");
    }
}

#[tokio::test]
async fn every_read_that_returns_records_is_metered_by_rows_or_by_call() {
    let steps = tour(&Shelf::new().await).await;
    let gets = [
        "GET /data/{dataset}/{id}",
        "GET /workspace/accounts/{id}",
        "GET /workspace/contacts/{id}",
        "GET /workspace/projects/{id}",
    ];
    let mut metered = 0;
    for step in steps {
        let price = match &step {
            step if gets.contains(&step.name().as_str()) => 1,
            step if is_search(step) => {
                let data = &step.said.body["data"];
                data.get("records").unwrap_or(data).as_array().unwrap().len() as i64
            }
            _ => 0,
        };
        metered += i64::from(price > 0);
        assert_eq!(step.spent, price, "{}", step.name());
        if !has_own_keys(&step) {
            assert_eq!(step.said.body["metadata"]["credits"], price, "{}", step.name());
        }
    }
    assert_eq!(metered, 4 + 5, "four gets; a search of the index, three of the book and one of a View");
}
