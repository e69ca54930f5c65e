//! `gantry logout`, `profile` and `doctor`: saved connections to services, and their diagnosis.
//! Never here: signing in.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use serde::Serialize;

use crate::client::Client;
use crate::config::{self, BackendLocation, Paths, ProfileSummary, process_env};
use crate::domain::exit_status;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::find_warnings;
use crate::domain::workspace::Workspace;
use crate::platform::files;

use super::error::CliError;
use super::keys::KeyTable;
use super::list_args::ListArgs;
use super::options::{GlobalOptions, OutputFormat};
use super::output::Output;
use super::session::{Session, StoreCell};
use super::{columns, completions, keyring, print};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry logout desk")]
pub struct LogoutArgs {
    /// Profile to delete; by default the one of --profile, or the default profile
    #[arg(add = ArgValueCompleter::new(completions::profiles))]
    name: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry profile",
    args_conflicts_with_subcommands = true
)]
pub struct ProfileArgs {
    #[command(subcommand)]
    verb: Option<ProfileCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the saved profiles (same as gantry profile)
    #[command(after_help = "Example: gantry profile list --sort name")]
    List(ListArgs),
    /// Use this profile when none is named
    #[command(after_help = "Example: gantry profile use desk")]
    Use {
        /// Profile
        #[arg(add = ArgValueCompleter::new(completions::profiles))]
        name: String,
    },
    /// Show a profile: address, workspace, certificate, color, and where its token is, but not the
    /// token
    #[command(after_help = "Example: gantry profile show desk")]
    Show {
        /// Profile; the default one if none is named
        #[arg(add = ArgValueCompleter::new(completions::profiles))]
        name: Option<String>,
    },
}

/// A profile with everything but its token.
#[derive(Serialize)]
struct ProfileDetails<'a> {
    #[serde(flatten)]
    summary: &'a ProfileSummary,
    color: Option<&'static str>,
    token_source: Option<&'a str>,
}

pub(super) fn run(
    profile: &ProfileArgs,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    match &profile.verb {
        None => list_profiles(&profile.list, output),
        Some(ProfileCommand::List(list)) => list_profiles(list, output),
        Some(ProfileCommand::Use { name }) => {
            config::set_default_profile(&Paths::from_env(&process_env), name)?;
            output.print_summary(
                &format!("gantry now uses profile {name} when none is named"),
                &serde_json::json!({"profile": name, "default": true}),
            )
        }
        Some(ProfileCommand::Show { name }) => {
            show_profile(name.as_ref().or(options.profile.as_ref()), output)
        }
    }
}

fn show_profile(name: Option<&String>, output: Output) -> Result<(), CliError> {
    let profiles = config::load_profiles(&Paths::from_env(&process_env))?;
    let found = profiles
        .iter()
        .find(|profile| name.map_or(profile.default, |name| profile.name == *name));
    let Some(summary) = found else {
        let known: Vec<_> = profiles
            .iter()
            .map(|profile| profile.name.as_str())
            .collect();
        let known = if known.is_empty() {
            "none yet; gantry login creates one".to_owned()
        } else {
            known.join(", ")
        };
        let wanted = name.map_or("no profile is the default".to_owned(), |name| {
            format!("there is no profile {name}")
        });
        return Err(CliError::not_found(format!("{wanted} (known: {known})")));
    };
    let details = ProfileDetails {
        summary,
        color: summary.color,
        token_source: summary.token_source.as_deref(),
    };
    output.print_record(&details, columns::PROFILE_COLUMNS)
}

pub(super) fn workspace_label(workspace: &Workspace, client: &Client) -> String {
    workspace
        .name
        .clone()
        .unwrap_or_else(|| client.base_url().host())
}

pub(super) async fn logout(
    logout: &LogoutArgs,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let profiles = config::load_profiles(&paths)?;
    let default = || {
        profiles
            .iter()
            .find(|profile| profile.default)
            .map(|profile| &profile.name)
    };
    let Some(name) = logout
        .name
        .as_ref()
        .or(options.profile.as_ref())
        .or_else(default)
    else {
        return Err(CliError::usage("there is no default profile")
            .with_hint("name the one to delete: gantry logout NAME"));
    };
    let profile = profiles.iter().find(|profile| profile.name == *name);
    if profile.is_some() {
        output
            .confirm(&format!(
                "Delete the profile {name} and its token from this machine?"
            ))
            .await?;
    }
    config::remove_profile(&paths, name)?;
    if let Some(command) = profile
        .filter(|profile| profile.token == Some("command"))
        .and_then(|profile| profile.token_source.as_ref())
    {
        keyring::remove_token(name, command).await?;
    }
    output.print_summary(
        &format!("deleted profile {name} and its token"),
        &serde_json::json!({"profile": name, "removed": true}),
    )
}

fn list_profiles(list: &ListArgs, output: Output) -> Result<(), CliError> {
    let profiles = config::load_profiles(&Paths::from_env(&process_env))?;
    if profiles.is_empty() {
        print::write_note("no profiles yet; gantry login creates one");
    }
    list.print_rows(&profiles, columns::PROFILE_COLUMNS, output)
}

/// The result of one check.
#[derive(Debug, Serialize)]
struct DoctorCheck {
    check: &'static str,
    ok: bool,
    what: String,
}

impl DoctorCheck {
    fn new(check: &'static str, ok: bool, what: String) -> DoctorCheck {
        DoctorCheck { check, ok, what }
    }
}

/// Checks each step between this machine and the queue, and stops at the first that fails.
pub(super) async fn run_doctor(
    options: &GlobalOptions,
    keys: fn(config::ConsoleTexts) -> KeyTable,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let mut checks = Vec::new();
    let broken = check_setup(options, keys, store_cell, output, &mut checks)
        .await
        .err();
    if let Some((check, stop)) = &broken {
        let why = stop.to_line().unwrap_or_default();
        checks.push(DoctorCheck::new(check, false, why));
    }
    let printed = if output.format == OutputFormat::Table {
        let line = |DoctorCheck { check, ok, what }: &DoctorCheck| {
            format!("{} {check}: {what}", if *ok { "ok  " } else { "FAIL" })
        };
        let lines: String = checks
            .iter()
            .map(|check| format!("{}\n", crate::text::sanitize_line(&line(check))))
            .collect();
        print::write_data(&lines).map_err(CliError::from)
    } else {
        output.print_rows(&checks, columns::CHECK_COLUMNS)
    };
    // The failure is already on standard output: only the exit status is left.
    broken.map_or(printed, |(_, stop)| Err(CliError::silent(stop.exit_status)))
}

async fn check_setup(
    options: &GlobalOptions,
    keys: fn(config::ConsoleTexts) -> KeyTable,
    store_cell: &StoreCell,
    output: Output,
    checks: &mut Vec<DoctorCheck>,
) -> Result<(), (&'static str, CliError)> {
    let mut ok = |check, what| checks.push(DoctorCheck::new(check, true, what));
    ok("version", env!("CARGO_PKG_VERSION").to_owned());
    let config = config::resolve(&options.to_cli_options(), &process_env)
        .map_err(|wrong| ("configuration", wrong.into()))?;
    let keys = keys(config.texts.clone());
    let warnings = || config.warnings.iter().chain(&keys.setting_problems);
    ok(
        "configuration",
        match config.paths.config_file() {
            Ok(file) => format!(
                "{} ({})",
                file.display(),
                print::pluralize(warnings().count(), "warning")
            ),
            Err(missing) => format!("the defaults, because {missing}"),
        },
    );
    let log = check_log_file(&config.paths);
    if let Ok(file) = &log {
        ok("log", file.display().to_string());
    }
    warnings().for_each(|note| print::write_note(note));
    let preset = config
        .texts
        .keys
        .preset
        .clone()
        .unwrap_or_else(|| "default".to_owned());
    ok(
        "keys",
        format!(
            "{preset} ({})",
            print::pluralize(keys.problems.len(), "warning")
        ),
    );
    keys.problems
        .iter()
        .for_each(|problem| print::write_note(problem));
    match &config.location {
        BackendLocation::Unconfigured => {
            return Err((
                "place",
                CliError::new(exit_status::NOT_ALLOWED, "no profile and no --base-url")
                    .with_hint("create a profile with gantry login, or try --demo"),
            ));
        }
        BackendLocation::Local { file, .. } => {
            ok(
                "place",
                file.as_ref()
                    .map_or("the local service, in memory".to_owned(), |file| {
                        format!("the local service on {}", file.display())
                    }),
            );
        }
        BackendLocation::Remote {
            label,
            base_url,
            certificate,
            ..
        } => {
            let pinned = certificate.as_ref().map_or_else(String::new, |pin| {
                format!(", only with the certificate {pin}")
            });
            ok("place", format!("{label}: {base_url}{pinned}"));
        }
    }
    let session = Session::open(options, "doctor", store_cell, output)
        .await
        .map_err(|stop| ("service", stop))?;
    let checked = check_service(&session.client, checks).await;
    session.close().await;
    checked?;
    log.map(drop).map_err(|why| ("log", CliError::failed(why)))
}

/// The log's file, if its folder can be written; journal and ledger are in that folder too.
fn check_log_file(paths: &Paths) -> Result<PathBuf, String> {
    let effect =
        "there is no log, changes are sent without a journal, and undo ends with the program";
    let file = paths
        .log_file()
        .ok_or_else(|| format!("there is no home directory: {effect}"))?;
    match files::check_writable_folder(file.parent().unwrap_or(&file)) {
        Ok(()) => Ok(file),
        Err(error) => Err(format!(
            "cannot write {} ({error}): {effect}",
            file.display()
        )),
    }
}

async fn check_service(
    client: &Client,
    checks: &mut Vec<DoctorCheck>,
) -> Result<(), (&'static str, CliError)> {
    let mut ok = |check, what| checks.push(DoctorCheck::new(check, true, what));
    let answer = client
        .workspace()
        .await
        .map_err(|failure| ("sign-in", failure.into()))?;
    let workspace = answer.value;
    let plan = workspace
        .plan
        .as_ref()
        .map_or("plan unknown".to_owned(), |plan| format!("plan {plan}"));
    ok(
        "sign-in",
        format!("{}, {plan}", workspace_label(&workspace, client)),
    );
    if let Some(caller) = &workspace.caller {
        let kind = caller.kind.as_ref().map_or("caller", |kind| kind.as_str());
        let scopes = if caller.scopes.is_empty() {
            "scopes not reported".to_owned()
        } else {
            caller.scopes.join(", ")
        };
        ok("rights", format!("{kind}: {scopes}"));
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
    let stats = client
        .queue_stats()
        .await
        .map_err(|failure| ("queue", failure.into()))?
        .value;
    ok(
        "queue",
        format!("{} new, {} done", stats.new_count, stats.done_count),
    );
    let list = client
        .subscriptions()
        .await
        .map_err(|failure| ("subscriptions", failure.into()))?
        .value;
    // Without access to the members, recipients who have left cannot be found.
    let members = client
        .members()
        .await
        .ok()
        .map(|members| members.value.into_iter().map(|member| member.id).collect());
    let types = format!("{} of {} types", list.len(), SignalType::ALL.len());
    let findings = find_warnings(&list, members.as_ref());
    ok(
        "subscriptions",
        findings
            .iter()
            .fold(types, |text, finding| format!("{text}; {finding}")),
    );
    Ok(())
}
