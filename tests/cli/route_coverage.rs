//! Every route of the interface is reachable from the command line: with its own command and with
//! `gantry api`.

use gantry::interface::{Route, RouteId, routes};

use crate::golden::{GOLDEN_FILES, SHELL_HELPERS, write_files};
use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;

/// A service behind a proxy that records the requests.
pub async fn start_recorded_service(more: &[&str]) -> (SpawnedService, ScriptedServer) {
    let mut served = SpawnedService::start(more);
    let (_, url) = served
        .env
        .iter_mut()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap();
    let socket = ScriptedServer::start([ScriptedAction::Forward(
        url.split('/').nth(2).unwrap().to_owned(),
    )])
    .await;
    *url = socket.base_url.clone();
    (served, socket)
}

/// The route of a request, given its first line.
pub fn route_of(line: &str) -> Option<Route> {
    let (method, target) = line.split_once(' ')?;
    let path = target.split('?').next()?.trim_start_matches("/api/v1");
    RouteId::find(method, path).map(RouteId::route)
}

/// The golden lines' changes on several records, which use the batch routes.
const BATCH_LINES: &[&str] = &[
    "book accounts set $(ids book accounts search --limit 2) --status called",
    "book contacts set $(ids book contacts search --limit 2) --status called",
    "book projects set $(ids book projects search --limit 2) --status called",
    "book accounts remove --stdin <<ids\n$(ids book accounts search --limit 2)\nids\n",
    "book contacts remove --stdin <<ids\n$(ids book contacts search --limit 2)\nids\n",
    "book projects remove --stdin <<ids\n$(ids book projects search --limit 2)\nids\n",
    "views add $(gantry views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) $(ids book accounts search --limit 2)",
    "views delete $(nth 1 views list) $(nth 2 views list)",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_used_by_a_verb() {
    let (served, socket) = start_recorded_service(&["--seed", "13", "--projects", "60"]).await;
    write_files(&served);
    for line in GOLDEN_FILES
        .iter()
        .flat_map(|(_, lines)| *lines)
        .chain(BATCH_LINES)
    {
        let line = line.replace("{n}", "1");
        let output = served.run(&format!(
            "{SHELL_HELPERS}echo x | gantry --format jsonl {line}"
        ));
        assert!(
            output.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let asked: Vec<_> = socket
        .requests()
        .iter()
        .filter_map(|seen| route_of(&seen.line))
        .collect();
    let mut missing = routes();
    missing.retain(|route| !asked.contains(route));
    assert!(missing.is_empty(), "no command uses {missing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_reaches_every_route() {
    let (served, socket) = start_recorded_service(&["--seed", "13", "--projects", "60"]).await;
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
        let data = if route.method == "GET" || route.method == "DELETE" {
            ""
        } else {
            "--data '{}'"
        };
        let output = served.run(&format!("gantry api {request} {data}"));
        let last = socket.requests().pop().unwrap();
        assert_eq!(route_of(&last.line), Some(route), "{request}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let known = !message.contains("no route")
            && !message.contains("method")
            && !message.contains("check the address");
        assert!(
            known && matches!(output.status.code(), Some(0 | 1 | 3 | 4)),
            "{request}: {message}"
        );
    }
}
