//! Every route of the interface is in reach of the command line: by a verb of its own, and as given by `gantry api`.

use std::collections::BTreeSet;

use gantry::service::routes;

use crate::golden::{FILES, WORDS};
use crate::hostile::{Act, Hostile};
use crate::routed;
use crate::served::Served;

/// A service, and a socket before it that remembers what was asked.
async fn watched() -> (Served, Hostile) {
    let mut served = Served::start(&["--seed", "7", "--projects", "60"]);
    let (_, url) = served.env.iter_mut().find(|(name, _)| *name == "GANTRY_BASE_URL").unwrap();
    let socket = Hostile::start([Act::Pass(url.split('/').nth(2).unwrap().to_owned())]).await;
    *url = socket.base_url.clone();
    (served, socket)
}

/// The routes that no verb of their own asks: a verb for many records sends batches, a subscription goes by its type, and what one
/// verb can do is not done by another.
const BY_API_ALONE: &[&str] = &[
    "DELETE /workspace/accounts/{id}",
    "DELETE /workspace/contacts/{id}",
    "DELETE /workspace/favorite-views/{viewId}",
    "DELETE /workspace/projects/{id}",
    "DELETE /workspace/signal-subscriptions/{id}",
    "DELETE /workspace/views/{id}",
    "DELETE /workspace/views/{id}/records/{recordId}",
    "GET /workspace/signal-subscriptions",
    "POST /workspace/accounts/upsert",
    "POST /workspace/contacts/upsert",
    "POST /workspace/favorite-views/upsert",
    "POST /workspace/projects/upsert",
    "POST /workspace/signal-subscriptions/upsert",
    "POST /workspace/skills/create/batch",
    "POST /workspace/skills/delete",
    "POST /workspace/skills/fork/batch",
    "POST /workspace/skills/install",
    "POST /workspace/skills/move",
    "POST /workspace/skills/publish",
    "POST /workspace/skills/transfer",
    "POST /workspace/skills/uninstall",
    "POST /workspace/skills/unpublish",
    "POST /workspace/skills/update/batch",
    "POST /workspace/views/upsert/batch",
    "POST /workspace/views/{id}/records/add",
];

#[tokio::test(flavor = "multi_thread")]
async fn each_route_is_asked_by_a_verb_or_has_a_sibling_that_is() {
    let (served, socket) = watched().await;
    for line in FILES.iter().flat_map(|(_, lines)| *lines) {
        let line = line.replace("{n}", "1");
        served.run(&format!("{WORDS}echo x | gantry {line} --format jsonl"));
    }
    let asked: BTreeSet<_> = socket.seen().iter().filter_map(|seen| routed::of(&seen.line)).collect();
    let all = routed::all();
    let missing: Vec<_> = all.difference(&asked).map(String::as_str).collect();
    assert_eq!(missing, BY_API_ALONE, "the routes that no verb asked are those of the table");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_reaches_every_route() {
    let (served, socket) = watched().await;
    for route in routes() {
        let path: Vec<_> = route
            .path
            .split('/')
            .map(|part| match part {
                "{dataset}" => "projects",
                "{key}" => "stage",
                "{signal_type}" => "permit_filed",
                part if part.starts_with('{') => "018f4d3a-0000-7000-8000-000000000001",
                part => part,
            })
            .collect();
        let request = format!("{} {}", route.method, path.join("/"));
        let data = if route.method == "GET" || route.method == "DELETE" { "" } else { "--data '{}'" };
        let output = served.run(&format!("gantry api {request} {data}"));
        let last = socket.seen().pop().unwrap();
        assert_eq!(routed::of(&last.line), Some(format!("{} {}", route.method, route.path)), "{request}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let known = !said.contains("no route") && !said.contains("method") && !said.contains("knows no");
        assert!(known && matches!(output.status.code(), Some(0 | 1 | 3 | 4)), "{request}: {said}");
    }
}
