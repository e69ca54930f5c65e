//! `gantry api`: sends one authenticated request as given.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::api;

use super::completions;
use super::dry_run::DryRun;
use super::error::{CliError, Context};
use super::session::Session;
use super::stdin;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  gantry --demo api GET /signals/queue/stats\n  gantry --demo api POST /data/projects/search --data '{\"limit\": 2}'"
)]
pub struct ApiArgs {
    /// Method: GET, POST, PUT, PATCH or DELETE
    #[arg(add = ArgValueCompleter::new(completions::methods))]
    method: String,
    /// Path after /api/v1, with its query string if any. The workspace is added where the route
    /// takes it, unless given
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    path: String,
    /// Query parameter; may be repeated
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = parse_query_pair)]
    query: Vec<(String, String)>,
    /// JSON body: inline, @FILE, or @- for standard input
    #[arg(long, short, value_name = "JSON")]
    data: Option<String>,
    #[command(flatten)]
    dry: DryRun,
}

impl ApiArgs {
    /// Whether it changes nothing at the service, like an invalid request.
    pub(super) fn is_read(&self) -> bool {
        api::raw_request(&self.method, &self.path, Vec::new(), None)
            .map_or(true, |request| request.is_read())
    }
}

pub(super) async fn run(request: &ApiArgs, session: &Session) -> Result<(), CliError> {
    let body = match &request.data {
        Some(data) => Some(read_body(data).await?),
        None => None,
    };
    let path = request.path.split('?').next().unwrap_or_default();
    let what = format!("{} {path}", request.method.to_ascii_uppercase());
    let dry = request.dry;
    let request = api::raw_request(&request.method, &request.path, request.query.clone(), body)
        .context(&what)?;
    if dry.print_unsent(session.output, [&request])? {
        return Ok(());
    }
    let answer = session
        .client
        .fetch_value::<Box<RawValue>>(request)
        .await
        .context(&what)?;
    session.output.print_json(&answer.value)
}

async fn read_body(data: &str) -> Result<Value, CliError> {
    let text = match data.strip_prefix('@') {
        Some("-") => stdin::read_all().await?,
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| CliError::usage(format!("cannot read {path}: {error}")))?,
        None => data.to_owned(),
    };
    serde_json::from_str(&text)
        .map_err(|error| CliError::usage(format!("the body is not valid JSON: {error}")))
}

fn parse_query_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("{text:?} is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}
