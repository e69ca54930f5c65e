//! The arguments: every option and verb, as clap reads them.
//!
//! Never here: what an option or verb does. Environment names are read by [`crate::config`], so that an option is known from a
//! variable.

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

/// A terminal console, a command line and a local service for teams that live off construction signals.
///
/// With no verb the console opens. Try it: gantry --demo
#[derive(Debug, Parser)]
#[command(name = "gantry", version, disable_help_subcommand = true, max_term_width = 110)]
pub struct Args {
    /// The profile to use [env: GANTRY_PROFILE]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(completions::profiles), help_heading = "Where")]
    pub profile: Option<String>,
    /// Start the local service inside this process, over sample data in memory
    #[arg(long, global = true, conflicts_with_all = ["local", "base_url", "profile"], help_heading = "Where")]
    pub demo: bool,
    /// The same over an SQLite file that stays
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["base_url", "profile"], help_heading = "Where")]
    pub local: Option<PathBuf>,
    /// Start the local service's clock then (2018-12-01, or with a time and zone)
    #[arg(long, global = true, value_name = "DATE", value_parser = parse_timestamp, help_heading = "Where")]
    pub as_of: Option<DateTime<Utc>>,
    /// About how many projects a new sample world has; 500 unless said
    #[arg(long, global = true, value_name = "N", help_heading = "Where")]
    pub projects: Option<u32>,
    /// How many accounts the book of a new sample world holds
    #[arg(long, global = true, value_name = "N", help_heading = "Where")]
    pub book: Option<u32>,
    /// The service's address, up to and with /api/v1 [env: GANTRY_BASE_URL]
    #[arg(long, global = true, value_name = "URL", help_heading = "Where")]
    pub base_url: Option<String>,
    /// The workspace [env: GANTRY_WORKSPACE]
    #[arg(long, global = true, value_name = "UUID", help_heading = "Where")]
    pub workspace: Option<String>,
    /// A file of mode 0600 that holds the token [env: GANTRY_TOKEN_FILE, or the token itself in GANTRY_TOKEN]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Where")]
    pub token_file: Option<PathBuf>,
    /// Give a verb's request up after so long, repeats included (1s to 10m)
    #[arg(long, global = true, value_name = "DURATION", default_value = "60s", value_parser = parse_timeout, help_heading = "Where")]
    pub timeout: Duration,
    /// How data is printed; a table unless said
    #[arg(long, global = true, value_enum, help_heading = "Output")]
    pub format: Option<OutputFormat>,
    /// The same as --format json
    #[arg(long, global = true, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,
    /// No colours [env: NO_COLOR]
    #[arg(long, global = true, help_heading = "Output")]
    pub no_color: bool,
    /// Draw with ASCII alone
    #[arg(long, global = true, help_heading = "Output")]
    pub ascii: bool,
    /// How often console and watch ask for the counts (10s to 5m)
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, help_heading = "Console")]
    pub poll: Option<Duration>,
    /// The console's colours; auto looks at the terminal's ground [env: GANTRY_THEME]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(ThemeName::NAMES.map(|(word, _)| word)), help_heading = "Console")]
    pub theme: Option<String>,
    /// Leave the mouse to the terminal
    #[arg(long, help_heading = "Console")]
    pub no_mouse: bool,
    /// Change nothing: verbs that write are refused, and the console's writing keys are off
    #[arg(long, global = true, help_heading = "Where")]
    pub read_only: bool,
    /// What to do; without one the console opens.
    #[command(subcommand)]
    pub verb: Option<CliCommand>,
    /// The verb in words (`book accounts search`): the ledger's reason.
    #[arg(skip)]
    pub words: String,
    /// The verb was given with `--dry-run`.
    #[arg(skip)]
    pub dry_run: bool,
}

impl Args {
    /// The arguments of this process; ends it with help or with what is wrong.
    pub fn from_process() -> Args {
        let matches = Args::command().get_matches();
        let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Args { words: verb_path(&matches), dry_run: is_dry_run(&matches), ..args }
    }

    /// The same arguments; where no verb was given and nothing is to be drawn (`GANTRY_ACCESSIBLE`), triage line by line.
    pub fn or_linear_triage(self, accessible: bool) -> Args {
        match self.verb {
            None if accessible => {
                Args { verb: Some(CliCommand::Triage(linear::LinearTriageArgs::default())), words: "triage".to_owned(), ..self }
            }
            _ => self,
        }
    }

    /// What they say about where and how to work.
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

/// How data is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Columns for people.
    Table,
    /// One JSON value with the interface's field names.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// Comma separated values with a header.
    Csv,
}

/// What can be done without the console.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// The shared signal queue: list, count, triage
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Go through the new signals one by one, in sentences: for screen readers
    Triage(linear::LinearTriageArgs),
    /// The feed of all signals
    #[command(subcommand)]
    Signals(signals::SignalsCommand),
    /// The global index of accounts, contacts, projects and signals
    #[command(subcommand)]
    Data(data::DataCommand),
    /// The records that the workspace has saved, and what it writes on them
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Shared record sets
    #[command(subcommand)]
    Views(views::ViewsCommand),
    /// Your own pointers to Views
    #[command(subcommand)]
    Favorites(views::FavoritesCommand),
    /// Which types of signals make the queue, and who is told
    #[command(subcommand)]
    Subscriptions(subscriptions::SubscriptionsCommand),
    /// Portable instruction bundles
    #[command(subcommand)]
    Skills(skills::SkillsCommand),
    /// Who has access
    #[command(subcommand)]
    Members(team::MembersCommand),
    /// Who was asked to join
    #[command(subcommand)]
    Invitations(team::InvitationsCommand),
    /// Show the workspace and who is asking
    #[command(after_help = "Example: gantry --demo workspace")]
    Workspace,
    /// Show what the workspace has used of its credits, and what took them
    Credits(credits::CreditsArgs),
    /// List what was written from this machine, the newest first, and what became of it; asks no service
    #[command(after_help = "Example: gantry --demo log --since 9h")]
    Log(journal::SinceArgs),
    /// Tell the day in Markdown, for whoever goes on: done, not done, left, spent
    #[command(after_help = "Example: gantry --demo handoff --since 9h")]
    Handoff(journal::SinceArgs),
    /// Watch the queue's counts on a screen for the whole room, or as lines
    Watch(watch::WatchArgs),
    /// Run the local service until it is interrupted
    Serve(serve::ServeArgs),
    /// Read a city's permit file into a local database
    Import(import::ImportArgs),
    /// Send one authenticated request as given
    Api(api::ApiArgs),
    /// Sign in to a service and keep the way to it as a profile
    Login(profiles::LoginArgs),
    /// Forget a profile and its token
    Logout(profiles::LogoutArgs),
    /// List the profiles
    #[command(after_help = "Example: gantry profiles")]
    Profiles,
    /// Look at each step between here and the queue
    #[command(after_help = "Example: gantry --demo doctor")]
    Doctor,
    /// List the console's commands and their keys
    #[command(after_help = "Example: gantry keys")]
    Keys,
    /// Print the manual
    Man(man::ManArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example: gantry completions bash > ~/.local/share/bash-completion/completions/gantry")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The verbs that were given, each with what was given to it.
fn subcommand_chain(matches: &ArgMatches) -> impl Iterator<Item = (&str, &ArgMatches)> {
    std::iter::successors(matches.subcommand(), |(_, inner)| inner.subcommand())
}

/// The names of the verbs that were given.
fn verb_path(matches: &ArgMatches) -> String {
    subcommand_chain(matches).map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// `--dry-run` was given, where the verb has it.
fn is_dry_run(matches: &ArgMatches) -> bool {
    subcommand_chain(matches).any(|(_, verb)| matches!(verb.try_get_one("dry_run"), Ok(Some(true))))
}

/// How long a request may take.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    let long = duration::parse(text)?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(600);
    if allowed.contains(&long) { Ok(long) } else { Err("between 1s and 10m".to_owned()) }
}

/// A date (its midnight in UTC) or a moment.
pub(super) fn parse_timestamp(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|at| at.with_timezone(&Utc))
        .or_else(day)
        .ok_or_else(|| format!("\"{text}\" is no date; write it like 2018-12-01 or 2018-12-01T09:00:00Z"))
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
