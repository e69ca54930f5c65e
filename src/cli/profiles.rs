//! `gantry login`, `logout`, `profiles` and `doctor`: saved connections to services, and their diagnosis.

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;
use serde::Serialize;

use crate::client::{Client, Endpoint};
use crate::config::{self, BackendLocation, Paths, process_env};
use crate::domain::exit_status;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::find_warnings;
use crate::domain::workspace::Workspace;

use super::error::{CliError, Context};
use super::keys::KeyTable;
use super::options::{GlobalOptions, OutputFormat};
use super::output::{Output, to_raw_json};
use super::session::{self, Session, StoreCell, parse_workspace_id};
use super::{columns, completions, print, stdin};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry login --base-url https://signals.example/api/v1 < token\n\n\
    The token is read from --token-file, from standard input (a file or a pipe) or from GANTRY_TOKEN; at a terminal you are prompted \
    for it, and it is not shown. It is not an argument, because other users of this machine can see arguments.\n\
    --workspace is needed only for a user token, and only if the service does not report its workspace.\n\
    The profile is called \"default\" unless you name it with --profile. The token is saved in a file that only you can read.")]
pub struct LoginArgs {}

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry logout desk")]
pub struct LogoutArgs {
    /// Profile to delete
    #[arg(add = ArgValueCompleter::new(completions::profiles))]
    name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry profiles")]
pub struct ProfilesArgs {
    #[command(subcommand)]
    verb: Option<ProfilesCommand>,
}

#[derive(Debug, Subcommand)]
pub enum ProfilesCommand {
    /// List the saved profiles (same as gantry profiles)
    #[command(after_help = "Example: gantry profiles list")]
    List,
    /// Use this profile when none is named
    #[command(after_help = "Example: gantry profiles use desk")]
    Use {
        /// Profile
        #[arg(add = ArgValueCompleter::new(completions::profiles))]
        name: String,
    },
}

pub(super) fn run(profiles: &ProfilesArgs, output: Output) -> Result<(), CliError> {
    match &profiles.verb {
        None | Some(ProfilesCommand::List) => list_profiles(output),
        Some(ProfilesCommand::Use { name }) => {
            config::set_default_profile(&Paths::from_env(&process_env), name)?;
            output.print_summary(
                &format!("gantry now uses profile {name} when none is named"),
                &serde_json::json!({"profile": name, "default": true}),
            )
        }
    }
}

pub(super) async fn login(options: &GlobalOptions, output: Output) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let base_url = options.base_url.clone().or_else(|| process_env("GANTRY_BASE_URL"));
    let base_url =
        base_url.ok_or_else(|| CliError::usage("no address given; use: gantry login --base-url https://HOST/api/v1"))?;
    let token = match &options.token_file {
        Some(path) => config::token_from_file(path)?,
        None => read_token().await?,
    };
    let named = parse_workspace_id(options.workspace.clone().or_else(|| process_env("GANTRY_WORKSPACE")).as_deref())?;
    let client = Client::new(Endpoint { base_url, token: token.clone(), workspace: named })
        .map_err(|failure| CliError::usage(failure.message))?;
    let own = if named.is_none() { session::find_own_workspace(&client).await? } else { None };
    let client = own.map_or(client.clone(), |own| client.in_workspace(own));
    let workspace = client.workspace().await.context("sign in")?.value;
    let id = workspace.id.or(client.workspace_id());
    let name = options.profile.clone().unwrap_or_else(|| "default".to_owned());
    let token_path =
        config::save_profile(&paths, &name, &client.base_url().to_string(), id.map(|id| id.to_string()).as_deref(), &token)?;
    if id.is_none() {
        print::write_note("the service did not report the workspace, which the queue needs; sign in again with --workspace UUID");
    }
    let sentence = format!(
        "signed in to {}, saved as profile {name}; the token is in {}",
        workspace_label(&workspace, &client),
        token_path.display()
    );
    output.print_summary(
        &sentence,
        &serde_json::json!({"profile": name, "base_url": client.base_url().to_string(), "workspace": id}),
    )
}

fn workspace_label(workspace: &Workspace, client: &Client) -> String {
    workspace.name.clone().unwrap_or_else(|| client.base_url().host())
}

/// Reads the token from a pipe, or from the terminal without echo.
async fn read_token() -> Result<SecretString, CliError> {
    /// Turns echo back on when dropped, however the reading ends.
    struct HiddenInput(Termios);
    impl Drop for HiddenInput {
        fn drop(&mut self) {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
        }
    }
    fn hide_input() -> Option<HiddenInput> {
        let shown = tcgetattr(std::io::stdin()).ok()?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        hidden.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &hidden).ok()?;
        Some(HiddenInput(shown))
    }
    let from_env = process_env("GANTRY_TOKEN");
    let token = if let (Some(token), true) = (&from_env, std::io::stdin().is_terminal()) {
        token.clone()
    } else if std::io::stdin().is_terminal() {
        let _hidden = hide_input();
        print::write_note("paste the token and press Enter (it is not shown)");
        stdin::read_line().await?
    } else {
        let piped = stdin::read_all().await?;
        if piped.trim().is_empty() { from_env.unwrap_or_default() } else { piped }
    };
    match token.trim() {
        "" => Err(CliError::usage("no token on standard input; give one with --token-file, or: gantry login < FILE")),
        token => Ok(token.into()),
    }
}

pub(super) fn logout(logout: &LogoutArgs, output: Output) -> Result<(), CliError> {
    config::remove_profile(&Paths::from_env(&process_env), &logout.name)?;
    output.print_summary(
        &format!("deleted profile {0} and its token", logout.name),
        &serde_json::json!({"profile": logout.name, "removed": true}),
    )
}

fn list_profiles(output: Output) -> Result<(), CliError> {
    let profiles = config::load_profiles(&Paths::from_env(&process_env))?;
    if profiles.is_empty() {
        print::write_note("no profiles yet; gantry login creates one");
    }
    let rows: Vec<_> = profiles.iter().map(to_raw_json).collect::<Result<_, _>>()?;
    output.print_rows(&rows, columns::PROFILE_COLUMNS)
}

/// The result of one check.
#[derive(Debug, Serialize)]
struct DoctorCheck {
    check: &'static str,
    ok: bool,
    what: String,
}

/// Checks each step between this machine and the queue, and stops at the first that fails.
pub(super) async fn run_doctor(
    options: &GlobalOptions,
    keys: fn(config::ConsoleTexts) -> KeyTable,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let mut checks = Vec::new();
    let broken = check_setup(options, keys, store_cell, &mut checks).await.err();
    if let Some((check, stop)) = &broken {
        checks.push(DoctorCheck { check, ok: false, what: stop.message.clone().unwrap_or_default() });
    }
    let printed = if output.format == OutputFormat::Table {
        let line =
            |DoctorCheck { check, ok, what }: &DoctorCheck| format!("{} {check}: {what}", if *ok { "ok  " } else { "FAIL" });
        let lines: String = checks.iter().map(|check| format!("{}\n", crate::text::sanitize_line(&line(check)))).collect();
        print::write_data(&lines).map_err(CliError::from)
    } else {
        let rows: Vec<_> = checks.iter().map(to_raw_json).collect::<Result<_, _>>()?;
        output.print_rows(&rows, columns::CHECK_COLUMNS)
    };
    // The failure is already on standard output: only the exit status is left.
    broken.map_or(printed, |(_, stop)| Err(CliError { message: None, ..stop }))
}

async fn check_setup(
    options: &GlobalOptions,
    keys: fn(config::ConsoleTexts) -> KeyTable,
    store_cell: &StoreCell,
    checks: &mut Vec<DoctorCheck>,
) -> Result<(), (&'static str, CliError)> {
    let mut ok = |check, what: String| checks.push(DoctorCheck { check, ok: true, what });
    ok("version", env!("CARGO_PKG_VERSION").to_owned());
    let config = config::resolve(&options.to_cli_options(), &process_env).map_err(|wrong| ("configuration", wrong.into()))?;
    let keys = keys(config.texts.clone());
    let warnings = || config.warnings.iter().chain(&keys.setting_problems);
    ok(
        "configuration",
        format!("{} ({})", config.paths.config_file().display(), print::pluralize(warnings().count(), "warning")),
    );
    ok("log", config.paths.log_file().display().to_string());
    warnings().for_each(|note| print::write_note(note));
    let preset = config.texts.keys.preset.clone().unwrap_or_else(|| "default".to_owned());
    ok("keys", format!("{preset} ({})", print::pluralize(keys.problems.len(), "warning")));
    keys.problems.iter().for_each(|problem| print::write_note(problem));
    match &config.location {
        BackendLocation::Unconfigured => {
            return Err((
                "place",
                CliError::new(
                    exit_status::NOT_ALLOWED,
                    "no profile and no --base-url; create a profile with gantry login, or try --demo",
                ),
            ));
        }
        BackendLocation::Local { file, .. } => {
            ok(
                "place",
                file.as_ref()
                    .map_or("the local service, in memory".to_owned(), |file| format!("the local service on {}", file.display())),
            );
        }
        BackendLocation::Remote { label, base_url, .. } => ok("place", format!("{label}: {base_url}")),
    }
    let session = Session::open(options, "doctor", store_cell).await.map_err(|stop| ("service", stop))?;
    let checked = check_service(&session.client, checks).await;
    session.close().await;
    checked
}

async fn check_service(client: &Client, checks: &mut Vec<DoctorCheck>) -> Result<(), (&'static str, CliError)> {
    let mut ok = |check, what: String| checks.push(DoctorCheck { check, ok: true, what });
    let answer = client.workspace().await.map_err(|failure| ("sign-in", failure.into()))?;
    let workspace = answer.value;
    let plan = workspace.plan.as_ref().map_or("plan unknown".to_owned(), |plan| format!("plan {plan}"));
    ok("sign-in", format!("{}, {plan}", workspace_label(&workspace, client)));
    if let Some(caller) = &workspace.caller {
        let kind = caller.kind.as_ref().map_or("caller", |kind| kind.as_str());
        ok("rights", format!("{kind}: {}", caller.scopes.join(", ")));
    }
    if let Some(date) = answer.date {
        let ahead = (date - chrono::Utc::now()).num_seconds();
        ok(
            "clock",
            if ahead.abs() < 5 {
                "in sync".to_owned()
            } else {
                format!("the service's clock differs from this machine's by {ahead} s")
            },
        );
    }
    let stats = client.queue_stats().await.map_err(|failure| ("queue", failure.into()))?.value;
    ok("queue", format!("{} new, {} done", stats.new_count, stats.done_count));
    let list = client.subscriptions().await.map_err(|failure| ("subscriptions", failure.into()))?.value;
    // Without access to the members, recipients who have left cannot be found.
    let members = client.members().await.ok().map(|members| members.value.into_iter().map(|member| member.id).collect());
    let types = format!("{} of {} types", list.len(), SignalType::ALL.len());
    let findings = find_warnings(&list, members.as_ref());
    ok("subscriptions", findings.iter().fold(types, |text, finding| format!("{text}; {finding}")));
    Ok(())
}
