//! The options of the program as a whole, and the output format that they select.
//!
//! Never here: what an option does. [`crate::config`] reads the environment variables, so that it
//! can tell an option from a variable.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::ValueEnum;
use clap_complete::ArgValueCompleter;

use crate::config::{CliOptions, SampleOptions, duration};

use super::completions;
use super::time_args::parse_timestamp;

#[derive(Clone, Debug, clap::Args)]
pub struct GlobalOptions {
    /// Profile to use [env: GANTRY_PROFILE]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(completions::profiles), help_heading = "Connection")]
    pub profile: Option<String>,
    /// Run the local service in this process, on sample data in memory
    #[arg(long, global = true, conflicts_with_all = ["local", "base_url"], help_heading = "Connection")]
    pub demo: bool,
    /// Run the local service on a persistent SQLite file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "base_url",
        help_heading = "Connection"
    )]
    pub local: Option<PathBuf>,
    /// Start the local service's clock at this date (2018-12-01, or with a time and zone)
    #[arg(long, global = true, value_name = "DATE", value_parser = parse_timestamp, help_heading = "Connection")]
    pub as_of: Option<DateTime<Utc>>,
    /// Approximate number of sample projects [default: 500]
    #[arg(long, global = true, value_name = "N", help_heading = "Connection")]
    pub projects: Option<u32>,
    /// Number of accounts in the sample book
    #[arg(long, global = true, value_name = "N", help_heading = "Connection")]
    pub book: Option<u32>,
    /// Service address, up to and including /api/v1 [env: GANTRY_BASE_URL]
    #[arg(long, global = true, value_name = "URL", help_heading = "Connection")]
    pub base_url: Option<String>,
    /// Workspace id [env: GANTRY_WORKSPACE]
    #[arg(long, global = true, value_name = "UUID", help_heading = "Connection")]
    pub workspace: Option<String>,
    /// File with the token, mode 0600 [env: GANTRY_TOKEN_FILE, or the token itself in GANTRY_TOKEN]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Connection")]
    pub token_file: Option<PathBuf>,
    /// Overall request timeout, including retries (1s to 10m)
    #[arg(long, global = true, value_name = "DURATION", default_value = "60s", value_parser = parse_timeout, help_heading = "Connection")]
    pub timeout: Duration,
    /// Output format [default: table]
    #[arg(long, global = true, value_enum, help_heading = "Output")]
    pub format: Option<OutputFormat>,
    /// Print JSON; with =FIELD,.. only these fields
    #[arg(long, global = true, conflicts_with = "format", require_equals = true, value_name = "FIELD,..", value_parser = parse_fields, help_heading = "Output")]
    pub json: Option<Option<String>>,
    /// Print what this jq program makes of the JSON; with --format jsonl it gets each row by itself
    #[arg(
        long,
        global = true,
        value_name = "PROGRAM",
        conflicts_with = "template",
        help_heading = "Output"
    )]
    pub jq: Option<String>,
    /// Print a line for each row, in the language of Jinja: '{{ id }} {{ name | upper }}'
    #[arg(long, global = true, value_name = "TEXT", help_heading = "Output")]
    pub template: Option<String>,
    /// Print data and errors, but no notes and no progress
    #[arg(
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Output"
    )]
    pub quiet: bool,
    /// Print each request with its time and price
    #[arg(long, global = true, help_heading = "Output")]
    pub verbose: bool,
    /// Do not ask before something is lost or a budget is exceeded
    #[arg(long, global = true, help_heading = "Output")]
    pub yes: bool,
    /// Do not page what is longer than the terminal [env: GANTRY_PAGER, PAGER]
    #[arg(long, global = true, help_heading = "Output")]
    pub no_pager: bool,
    /// Disable colors [env: NO_COLOR]
    #[arg(long, global = true, help_heading = "Output")]
    pub no_color: bool,
    /// Draw with ASCII characters only
    #[arg(long, global = true, help_heading = "Output")]
    pub ascii: bool,
    /// How often the console and watch refresh the counts (10s to 5m), or off
    #[arg(long, global = true, value_name = "DURATION", value_parser = duration::parse_interval, help_heading = "Console")]
    pub poll: Option<Duration>,
    /// Color theme: auto, dark, light, high-contrast, colour-blind, terminal, or one of yours [env:
    /// GANTRY_THEME]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(completions::themes), help_heading = "Console")]
    pub theme: Option<String>,
    /// Start the console at the View of this name
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completions::views), help_heading = "Console")]
    pub view: Option<String>,
    /// Leave mouse input to the terminal
    #[arg(long, global = true, help_heading = "Console")]
    pub no_mouse: bool,
    /// Change nothing: commands that write are rejected, and the console's writing keys are off
    #[arg(long, global = true, help_heading = "Connection")]
    pub read_only: bool,
}

impl GlobalOptions {
    /// The output format that was asked for, if any.
    pub(super) fn requested_format(&self) -> Option<OutputFormat> {
        let has_script = self.jq.is_some() || self.template.is_some();
        let json = (self.json.is_some() || has_script && self.format.is_none())
            .then_some(OutputFormat::Json);
        json.or(self.format)
    }

    /// The fields of `--json FIELD,..`.
    pub(super) fn json_fields(&self) -> impl Iterator<Item = &str> {
        self.json
            .iter()
            .flatten()
            .flat_map(|fields| fields.split(','))
    }

    /// The options that configure the connection and the console.
    pub fn to_cli_options(&self) -> CliOptions {
        CliOptions {
            profile: self.profile.clone(),
            demo: self.demo,
            local: self.local.clone(),
            as_of: self.as_of,
            sample: SampleOptions {
                projects: self.projects,
                book: self.book,
            },
            base_url: self.base_url.clone(),
            workspace: self.workspace.clone(),
            token_file: self.token_file.clone(),
            no_color: self.no_color,
            ascii: self.ascii,
            poll: self.poll,
            no_mouse: self.no_mouse,
            read_only: self.read_only,
            theme: self.theme.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Aligned columns.
    Table,
    /// One JSON value with the interface's field names.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// The word after `--json` may be fields: names of fields, separated by commas.
pub(super) fn is_field_list(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    word.split(',').all(is_name)
}

fn parse_fields(text: &str) -> Result<String, String> {
    match is_field_list(text) {
        true => Ok(text.to_owned()),
        false => {
            Err("expected names of fields, separated by commas, e.g. --json=id,name".to_owned())
        }
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let long = duration::parse(text)?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(600);
    if allowed.contains(&long) {
        Ok(long)
    } else {
        Err("must be between 1s and 10m".to_owned())
    }
}
