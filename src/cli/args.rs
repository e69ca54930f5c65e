//! The arguments: every option and command, as clap reads them.
//!
//! Never here: what an option or command does. [`crate::config`] reads the environment variables, so that it can tell an option
//! from a variable.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use clap_complete::ArgValueCompleter;

use crate::config::{CliOptions, SampleOptions, ThemeName, duration};

use super::{
    api, book, completions, credits, data, import, journal, linear, man, profiles, queue, serve, signals, skills, subscriptions,
    team, views, watch,
};

/// A terminal console, a command line and a local service for teams that work with construction signals.
///
/// Without a command, the console opens. Try it: gantry --demo
#[derive(Debug, Parser)]
#[command(name = "gantry", version, disable_help_subcommand = true, max_term_width = 110)]
pub struct Args {
    /// Profile to use [env: GANTRY_PROFILE]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(completions::profiles), help_heading = "Connection")]
    pub profile: Option<String>,
    /// Run the local service in this process, on sample data in memory
    #[arg(long, global = true, conflicts_with_all = ["local", "base_url", "profile"], help_heading = "Connection")]
    pub demo: bool,
    /// Run the local service on a persistent SQLite file
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["base_url", "profile"], help_heading = "Connection")]
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
    /// Same as --format json
    #[arg(long, global = true, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,
    /// Disable colors [env: NO_COLOR]
    #[arg(long, global = true, help_heading = "Output")]
    pub no_color: bool,
    /// Draw with ASCII characters only
    #[arg(long, global = true, help_heading = "Output")]
    pub ascii: bool,
    /// How often the console and watch refresh the counts (10s to 5m)
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, help_heading = "Console")]
    pub poll: Option<Duration>,
    /// Color theme of the console; auto follows the terminal's background [env: GANTRY_THEME]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(ThemeName::NAMES.map(|(word, _)| word)), help_heading = "Console")]
    pub theme: Option<String>,
    /// Leave mouse input to the terminal
    #[arg(long, help_heading = "Console")]
    pub no_mouse: bool,
    /// Change nothing: commands that write are rejected, and the console's writing keys are off
    #[arg(long, global = true, help_heading = "Connection")]
    pub read_only: bool,
    /// The command; without one the console opens.
    #[command(subcommand)]
    pub verb: Option<CliCommand>,
    /// The command's names (`book accounts search`), recorded as the reason in ledger and journal.
    #[arg(skip)]
    pub words: String,
    /// The command was given with `--dry-run`.
    #[arg(skip)]
    pub dry_run: bool,
}

impl Args {
    /// Parses the process arguments; prints help or a usage error and exits where needed.
    pub fn from_process() -> Args {
        let matches = Args::command().get_matches();
        let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Args { words: verb_path(&matches), dry_run: is_dry_run(&matches), ..args }
    }

    /// Without a command and with `GANTRY_ACCESSIBLE`, selects `triage --linear` instead of the console.
    pub fn or_linear_triage(self, accessible: bool) -> Args {
        match self.verb {
            None if accessible => {
                Args { verb: Some(CliCommand::Triage(linear::LinearTriageArgs::default())), words: "triage".to_owned(), ..self }
            }
            _ => self,
        }
    }

    /// The options that configure the connection and the console.
    pub fn options(&self) -> CliOptions {
        CliOptions {
            profile: self.profile.clone(),
            demo: self.demo,
            local: self.local.clone(),
            as_of: self.as_of,
            sample: SampleOptions { projects: self.projects, book: self.book },
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

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// List, count and triage the shared signal queue
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Triage new signals one by one in plain sentences, for screen readers
    Triage(linear::LinearTriageArgs),
    /// Browse the feed of all signals
    #[command(subcommand)]
    Signals(signals::SignalsCommand),
    /// Search the global index of accounts, contacts, projects and signals
    #[command(subcommand)]
    Data(data::DataCommand),
    /// Search and annotate the records that the workspace has saved
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Manage Views, the shared record sets
    #[command(subcommand)]
    Views(views::ViewsCommand),
    /// Manage your favorite Views
    #[command(subcommand)]
    Favorites(views::FavoritesCommand),
    /// Choose which signal types enter the queue and who is notified
    #[command(subcommand)]
    Subscriptions(subscriptions::SubscriptionsCommand),
    /// Manage Skills, portable instruction bundles
    #[command(subcommand)]
    Skills(skills::SkillsCommand),
    /// Manage who has access to the workspace
    #[command(subcommand)]
    Members(team::MembersCommand),
    /// Manage invitations to the workspace
    #[command(subcommand)]
    Invitations(team::InvitationsCommand),
    /// Show the workspace and the signed-in user
    #[command(after_help = "Example: gantry --demo workspace")]
    Workspace,
    /// Show the credits that the workspace has used, and what used them
    Credits(credits::CreditsArgs),
    /// List writes made from this machine and their results, newest first (works offline)
    #[command(after_help = "Example: gantry --demo log --since 9h")]
    Log(journal::SinceArgs),
    /// Print a Markdown handoff for the next person: done, not done, open, credits used
    #[command(after_help = "Example: gantry --demo handoff --since 9h")]
    Handoff(journal::SinceArgs),
    /// Watch the queue's counts on a dashboard, or as lines of text
    Watch(watch::WatchArgs),
    /// Run the local service until interrupted
    Serve(serve::ServeArgs),
    /// Import a city's permit file into a local database
    Import(import::ImportArgs),
    /// Send one authenticated API request
    Api(api::ApiArgs),
    /// Sign in and save the connection as a profile
    Login(profiles::LoginArgs),
    /// Delete a profile and its token
    Logout(profiles::LogoutArgs),
    /// List the saved profiles
    #[command(after_help = "Example: gantry profiles")]
    Profiles,
    /// Diagnose the connection step by step
    #[command(after_help = "Example: gantry --demo doctor")]
    Doctor,
    /// List the console's commands and their keys
    #[command(after_help = "Example: gantry keys")]
    Keys,
    /// Print the manual page
    Man(man::ManArgs),
    /// Print a shell completion script
    #[command(after_help = "Example: gantry completions bash > ~/.local/share/bash-completion/completions/gantry")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
}

/// The given command and its subcommands, outermost first, each with its arguments.
fn subcommand_chain(matches: &ArgMatches) -> impl Iterator<Item = (&str, &ArgMatches)> {
    std::iter::successors(matches.subcommand(), |(_, inner)| inner.subcommand())
}

/// The names of the given command and its subcommands (`queue list`).
fn verb_path(matches: &ArgMatches) -> String {
    subcommand_chain(matches).map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// Whether `--dry-run` was given. Not every command has it.
fn is_dry_run(matches: &ArgMatches) -> bool {
    subcommand_chain(matches).any(|(_, verb)| matches!(verb.try_get_one("dry_run"), Ok(Some(true))))
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let long = duration::parse(text)?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(600);
    if allowed.contains(&long) { Ok(long) } else { Err("must be between 1s and 10m".to_owned()) }
}

/// Parses a date (midnight UTC) or an RFC 3339 timestamp.
pub(super) fn parse_timestamp(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|at| at.with_timezone(&Utc))
        .or_else(day)
        .ok_or_else(|| format!("\"{text}\" is not a date; write it like 2018-12-01 or 2018-12-01T09:00:00Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_path_holds_no_argument_values() {
        let matches = Args::command().get_matches_from(["gantry", "--demo", "queue", "list", "--query", "secret"]);
        assert_eq!(verb_path(&matches), "queue list");
    }

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn global_options_are_accepted_before_and_after_the_verb() {
        for line in ["gantry --demo completions bash", "gantry completions bash --demo"] {
            assert!(Args::try_parse_from(line.split(' ')).unwrap().demo, "{line}");
        }
    }

    #[test]
    fn a_date_is_read_as_midnight_utc() {
        assert_eq!(parse_timestamp("2018-12-01").unwrap().to_rfc3339(), "2018-12-01T00:00:00+00:00");
        assert!(parse_timestamp("1 December").is_err());
    }
}
