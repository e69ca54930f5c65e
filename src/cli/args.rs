//! The arguments: the global options and the tree of commands, as clap reads them.
//!
//! Never here: what a command does, or anything that a command imports.

use std::ffi::OsString;

use clap::{ArgMatches, Args as _, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::LogFormat;

use super::options::{GlobalOptions, OutputFormat, is_field_list};
use super::{
    aliases, api, book, brief, cache, credits, data, handoff, help, import_args, install, join,
    journal, layouts, linear, login, man, members, migrate, open, print, profiles, promise, queue,
    serve, setup, signals, skills, subscriptions, team, usage, views, watch,
};

/// A terminal console, a command line and a local service for teams that work with construction
/// signals.
///
/// Without a command, the console opens. Try it: gantry --demo
#[derive(Debug, Parser)]
#[command(
    name = "gantry",
    version,
    disable_help_subcommand = true,
    max_term_width = 110
)]
pub struct Args {
    #[command(flatten)]
    pub options: GlobalOptions,
    /// The command; without one the console opens.
    #[command(subcommand)]
    pub verb: Option<CliCommand>,
    /// The command's names (`book accounts search`), recorded as the reason in ledger and journal.
    #[arg(skip)]
    pub verb_path: String,
    /// The command was given with `--dry-run`.
    #[arg(skip)]
    pub dry_run: bool,
}

impl Args {
    /// Parses the process arguments; prints help or a usage error and exits where needed.
    pub fn from_process() -> Args {
        let words: Vec<OsString> = std::env::args_os().collect();
        let named = match_with_fields(&words);
        let expanded = if named.is_none() {
            aliases::expand(&words, &Args::command())
        } else {
            Ok(None)
        };
        let words = match expanded {
            Ok(expanded) => expanded.unwrap_or(words),
            Err(error) => usage::report(error),
        };
        let args = named.map_or_else(
            || Args::from_words(&words),
            |matches| Args::from_matches(&matches),
        );
        let args = args.unwrap_or_else(|error| usage::exit(&error, &words, Args::command()));
        if args.options.quiet {
            print::set_quiet();
        }
        if args.options.json.is_some()
            || matches!(
                args.options.format,
                Some(OutputFormat::Json | OutputFormat::Jsonl)
            )
        {
            print::report_json();
        }
        args
    }

    /// Parses words, the first of which is the program's name. Aliases are not expanded.
    ///
    /// # Errors
    /// What is wrong with them, or the help that they ask for.
    pub fn from_words(words: &[OsString]) -> Result<Args, clap::Error> {
        let whole = || {
            Args::command().try_get_matches_from(join_json_fields(words, |word| word.contains(',')))
        };
        Args::from_matches(&match_with_fields(words).map_or_else(whole, Ok)?)
    }

    fn from_matches(matches: &ArgMatches) -> Result<Args, clap::Error> {
        let args = Args::from_arg_matches(matches)?;
        Ok(Args {
            verb_path: verb_path(matches),
            dry_run: is_dry_run(matches),
            ..args
        })
    }

    /// Without a command and with `GANTRY_ACCESSIBLE`, selects `triage` instead of the
    /// console.
    pub fn or_linear_triage(self, accessible: bool) -> Args {
        match self.verb {
            None if accessible => Args {
                verb: Some(CliCommand::Triage(linear::LinearTriageArgs::default())),
                verb_path: "triage".to_owned(),
                ..self
            },
            _ => self,
        }
    }
}

/// In the order of the help's groups.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// List, count and triage the shared signal queue
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Browse the feed of all signals
    #[command(subcommand)]
    Signals(signals::SignalsCommand),
    /// Search the index of accounts, contacts, projects and signals
    #[command(subcommand)]
    Data(data::DataCommand),
    /// Search and annotate the records that the workspace has saved
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Say what to know of a record before a call; at most 1 credit
    Brief(brief::BriefArgs),
    /// Promise something for a day, in a record's note, and list it
    #[command(subcommand)]
    Promise(promise::PromiseCommand),
    /// Manage Views, the shared record sets
    #[command(subcommand)]
    Views(views::ViewsCommand),
    /// Open the console at a signal, a record or a View
    Open(open::OpenArgs),
    /// Watch the queue's counts on a dashboard, or as lines of text
    Watch(watch::WatchArgs),
    /// Triage in whole sentences, one by one, for screen readers
    Triage(linear::LinearTriageArgs),
    /// Print a handoff: what is done, what is left, credits used
    Handoff(handoff::HandoffArgs),
    /// Show the credits that were used, and what used them
    Credits(credits::CreditsArgs),
    /// Choose which signal types enter the queue and who is notified
    #[command(subcommand)]
    Subscriptions(subscriptions::SubscriptionsCommand),
    /// Manage your favorite Views
    #[command(subcommand)]
    Favorites(views::FavoritesCommand),
    /// Manage Skills, portable instruction bundles
    #[command(subcommand)]
    Skills(skills::SkillsCommand),
    /// Manage who has access to the workspace
    #[command(subcommand)]
    Members(members::MembersCommand),
    /// Manage invitations to the workspace
    #[command(subcommand)]
    Invitations(members::InvitationsCommand),
    /// Show who has joined, and manage the screens on the wall
    #[command(subcommand)]
    Team(team::TeamCommand),
    /// Show the workspace and the signed-in user
    #[command(after_help = "Example: gantry --demo workspace")]
    Workspace,
    /// Join a team with a code, and save the connection as a profile
    Join(join::JoinArgs),
    /// Sign in and save the connection as a profile
    Login(login::LoginArgs),
    /// Delete a profile and its token
    Logout(profiles::LogoutArgs),
    /// List the saved profiles, show one, or choose the default one
    #[command(visible_alias = "profiles")]
    Profile(profiles::ProfileArgs),
    /// Print, edit or check the configuration
    #[command(subcommand)]
    Config(setup::ConfigCommand),
    /// Diagnose the connection step by step
    #[command(after_help = "Example: gantry --demo doctor")]
    Doctor,
    /// List what was written from this machine, newest first
    #[command(
        after_help = "Example: gantry --demo log --since 9h",
        args_conflicts_with_subcommands = true
    )]
    Log(journal::LogArgs),
    /// Show or delete what was read and is shown again for free
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Install completions, manual pages or a systemd unit
    #[command(subcommand)]
    Install(install::InstallCommand),
    /// Import a city's permit file into a local database
    Import(import_args::ImportArgs),
    /// List the layouts of permit files, or print one
    #[command(subcommand)]
    Layouts(layouts::LayoutsCommand),
    /// Run the local service until interrupted
    Serve(serve::ServeArgs),
    /// Move all data of a service between SQLite and PostgreSQL
    Migrate(migrate::MigrateArgs),
    /// Send one authenticated API request
    Api(api::ApiArgs),
    /// List the console's commands and their keys
    #[command(after_help = "Example: gantry keys")]
    Keys,
    /// List all commands of the command line; with --json also their arguments, options and values
    #[command(after_help = "Example: gantry commands --json")]
    Commands,
    /// Explain a command, or a topic: exit-codes, environment, files, filters, keys, aliases
    Help(help::HelpArgs),
    /// Print the version, and what a report of a problem should name
    #[command(after_help = "Example: gantry version --json")]
    Version,
    /// Print the manual page
    Man(man::ManArgs),
    /// Print a shell completion script
    #[command(
        after_help = "Example: gantry completions bash > ~/.local/share/bash-completion/completions/gantry"
    )]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print where gantry keeps its configuration, state, log and cache
    #[command(after_help = "Example: gantry paths")]
    Paths,
}

impl CliCommand {
    /// How the log on standard error is written, if there is one.
    pub fn log_format(&self) -> Option<LogFormat> {
        match self {
            CliCommand::Serve(serve) => serve.log_format,
            _ => None,
        }
    }

    /// Whether it runs a service for others.
    pub fn is_service(&self) -> bool {
        matches!(
            self,
            CliCommand::Serve(_) | CliCommand::Team(team::TeamCommand::Up(_))
        )
    }
}

/// Joins `--json id,name` to `--json=id,name`. A bare `--json` comes before commands and their
/// arguments too, so what has no comma is a field only if it can be nothing else.
fn join_json_fields(words: &[OsString], is_meant: impl Fn(&str) -> bool) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    let mut is_literal = false;
    for word in words {
        let fields = word
            .to_str()
            .filter(|word| is_field_list(word) && is_meant(word));
        match (joined.last_mut(), fields) {
            (Some(option), Some(fields)) if !is_literal && option == "--json" => {
                *option = format!("--json={fields}").into()
            }
            _ => joined.push(word.clone()),
        }
        is_literal |= word == "--";
    }
    joined
}

/// Matches words as [`match_named_command`] does, with the fields of `--json` as a word of their
/// own.
fn match_with_fields(words: &[OsString]) -> Option<ArgMatches> {
    let certain = join_json_fields(words, |word| word.contains(','));
    match_named_command(&certain)
        .or_else(|| match_named_command(&join_json_fields(words, |_| true)))
}

/// Matches the arguments against the options and the one command that they name, if they fit: most
/// of the time of a parse goes into the definitions of the other commands. Only the whole tree can
/// explain what is wrong.
fn match_named_command(words: &[OsString]) -> Option<ArgMatches> {
    let program = GlobalOptions::augment_args(Command::new("gantry").disable_help_subcommand(true));
    let is_word = |word: &&OsString| !word.to_string_lossy().starts_with('-');
    let program = match words.iter().skip(1).any(|word| is_word(&word)) {
        false => program,
        true => {
            let mut all = CliCommand::augment_subcommands(Command::new("gantry"));
            let named = words
                .iter()
                .skip(1)
                .find_map(|word| all.find_subcommand_mut(word).map(std::mem::take))?;
            program.subcommand(named)
        }
    };
    program.try_get_matches_from(words).ok()
}

/// The given command and its subcommands, outermost first, each with its arguments.
fn subcommand_chain(matches: &ArgMatches) -> impl Iterator<Item = (&str, &ArgMatches)> {
    std::iter::successors(matches.subcommand(), |(_, inner)| inner.subcommand())
}

/// The names of the given command and its subcommands (`queue list`).
fn verb_path(matches: &ArgMatches) -> String {
    subcommand_chain(matches)
        .map(|(name, _)| name)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether `--dry-run` was given. Not every command has it.
fn is_dry_run(matches: &ArgMatches) -> bool {
    subcommand_chain(matches).any(|(_, verb)| matches!(verb.try_get_one("dry_run"), Ok(Some(true))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_path_holds_no_argument_values() {
        let matches = Args::command()
            .get_matches_from(["gantry", "--demo", "queue", "list", "--query", "secret"]);
        assert_eq!(verb_path(&matches), "queue list");
    }

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_command_that_is_matched_alone_is_read_like_among_all_commands() {
        for line in [
            "gantry",
            "gantry --demo --read-only",
            "gantry --profile queue queue list",
            "gantry --local book.db book accounts search --json",
            "gantry queue list --demo --query signals --limit 3",
            "gantry members list",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let (alone, among) = (
                match_named_command(&words).unwrap(),
                Args::command().get_matches_from(&words),
            );
            let read = |matches: &ArgMatches| {
                format!(
                    "{:?} {}",
                    Args::from_arg_matches(matches).unwrap(),
                    verb_path(matches)
                )
            };
            assert_eq!(read(&alone), read(&among), "{line}");
        }
        for line in [
            "gantry --version",
            "gantry queue lst",
            "gantry --help",
            "gantry que list",
            "gantry help",
            "gantry --profile queue",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let alone = match_named_command(&words);
            assert!(
                alone.is_none_or(|_| Args::try_parse_from(&words).is_ok()),
                "{line}"
            );
        }
    }

    #[test]
    fn fields_follow_json_where_they_can_be_nothing_else() {
        let parse =
            |line: &str| Args::from_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let fields = |line: &str| parse(line).unwrap().options.json;
        for line in [
            "gantry queue list --json id,project_name",
            "gantry queue list --json=id,project_name --limit 3",
            "gantry --json id,project_name queue list",
            "gantry data search projects city=Austin --json id,project_name",
        ] {
            assert_eq!(
                fields(line),
                Some(Some("id,project_name".to_owned())),
                "{line}"
            );
        }
        for line in [
            "gantry queue list --json id",
            "gantry data search projects --json id stories>=5",
            "gantry workspace --json id",
        ] {
            assert_eq!(fields(line), Some(Some("id".to_owned())), "{line}");
        }
        for line in [
            "gantry --json queue list",
            "gantry views show --json towers",
            "gantry api --json GET /x",
            "gantry keys --json",
        ] {
            assert_eq!(fields(line), Some(None), "{line}");
        }
        assert!(
            parse("gantry queue list --json Id,x").is_err()
                && parse("gantry queue list --json=").is_err()
        );
    }

    #[test]
    fn global_options_are_accepted_before_and_after_the_verb() {
        for line in [
            "gantry --demo completions bash",
            "gantry completions bash --demo",
        ] {
            assert!(
                Args::try_parse_from(line.split(' ')).unwrap().options.demo,
                "{line}"
            );
        }
    }
}
