//! `gantry login`, `logout`, `profiles` and `doctor`: the ways to services that this machine keeps, and whether they lead there.

use std::io::IsTerminal;

use clap::Args as Arguments;
use clap_complete::ArgValueCompleter;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;
use serde::Serialize;

use crate::client::{Client, Endpoint};
use crate::config::{self, BackendLocation, Paths, process_env};
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::find_warnings;
use crate::domain::workspace::Workspace;

use super::args::{Args, Format};
use super::desk::{self, workspace_id};
use super::output::{Output, raw};
use super::stop::{self, Doing, Stop};
use super::{Kept, Keys, columns, complete, print, stdin};

/// A sign-in.
#[derive(Debug, Arguments)]
#[command(after_help = "Example: gantry login --base-url https://signals.example/api/v1 < token\n\n\
    The token is read from --token-file, from standard input (a file or a pipe), or from GANTRY_TOKEN; at a terminal it is asked \
    for and not shown. It is no argument, because others on this machine can see those.\n\
    --workspace is needed only for a person's token, and only if the service does not tell its workspace.\n\
    The profile is called \"default\" unless --profile names it; the token is kept in a file that only you can read.")]
pub struct Login {}

/// A sign-out.
#[derive(Debug, Arguments)]
#[command(after_help = "Example: gantry logout desk")]
pub struct Logout {
    /// The profile
    #[arg(add = ArgValueCompleter::new(complete::profiles))]
    name: String,
}

pub(super) async fn login(args: &Args, output: Output) -> Result<(), Stop> {
    let paths = Paths::from_env(&process_env);
    let base_url = args.base_url.clone().or_else(|| process_env("GANTRY_BASE_URL"));
    let base_url = base_url.ok_or_else(|| Stop::usage("say where: gantry login --base-url https://HOST/api/v1"))?;
    let token = match &args.token_file {
        Some(path) => config::token_from_file(path)?,
        None => ask_token().await?,
    };
    let said = workspace_id(args.workspace.clone().or_else(|| process_env("GANTRY_WORKSPACE")).as_deref())?;
    let client = Client::new(Endpoint { base_url, token: token.clone(), workspace: said })
        .map_err(|failure| Stop::usage(failure.message))?;
    let own = if said.is_none() { desk::own_workspace(&client).await? } else { None };
    let client = own.map_or(client.clone(), |own| client.in_workspace(own));
    let workspace = client.workspace().await.doing("sign in")?.value;
    let id = workspace.id.or(client.workspace_id());
    let name = args.profile.clone().unwrap_or_else(|| "default".to_owned());
    let kept = config::save_profile(&paths, &name, &client.base().to_string(), id.map(|id| id.to_string()).as_deref(), &token)?;
    if id.is_none() {
        print::note("the service does not say which workspace this is; the queue needs one: sign in again with --workspace UUID");
    }
    let sentence =
        format!("signed in to {} as the profile {name}; the token is in {}", called(&workspace, &client), kept.display());
    output.done(&sentence, &serde_json::json!({"profile": name, "base_url": client.base().to_string(), "workspace": id}))
}

fn called(workspace: &Workspace, client: &Client) -> String {
    workspace.name.clone().unwrap_or_else(|| client.base().host())
}

/// The token from a pipe, or typed without being shown.
async fn ask_token() -> Result<SecretString, Stop> {
    /// Shows again what is typed, however the reading ends.
    struct Hidden(Termios);
    impl Drop for Hidden {
        fn drop(&mut self) {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
        }
    }
    fn hide() -> Option<Hidden> {
        let shown = tcgetattr(std::io::stdin()).ok()?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        hidden.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &hidden).ok()?;
        Some(Hidden(shown))
    }
    let from_env = process_env("GANTRY_TOKEN");
    let token = if let (Some(token), true) = (&from_env, std::io::stdin().is_terminal()) {
        token.clone()
    } else if std::io::stdin().is_terminal() {
        let _hidden = hide();
        print::note("paste the token and press Enter; it is not shown");
        stdin::line().await?
    } else {
        let piped = stdin::read().await?;
        if piped.trim().is_empty() { from_env.unwrap_or_default() } else { piped }
    };
    match token.trim() {
        "" => Err(Stop::usage("there was no token on standard input; give one with --token-file, or: gantry login < FILE")),
        token => Ok(token.into()),
    }
}

pub(super) fn logout(logout: &Logout, output: Output) -> Result<(), Stop> {
    config::remove_profile(&Paths::from_env(&process_env), &logout.name)?;
    output.done(
        &format!("forgot the profile {0} and its token", logout.name),
        &serde_json::json!({"profile": logout.name, "removed": true}),
    )
}

pub(super) fn list(output: Output) -> Result<(), Stop> {
    let profiles = config::load_profiles(&Paths::from_env(&process_env))?;
    if profiles.is_empty() {
        print::note("there is none; gantry login makes one");
    }
    let rows: Vec<_> = profiles.iter().map(raw).collect::<Result<_, _>>()?;
    output.rows(&rows, columns::PROFILES)
}

/// What was looked at.
#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    ok: bool,
    what: String,
}

/// Looks at each step between here and the queue, and stops at the first that does not hold.
pub(super) async fn doctor(args: &Args, keys: fn(config::KeySettings) -> Keys, kept: &Kept, output: Output) -> Result<(), Stop> {
    let mut checks = Vec::new();
    let broken = look(args, keys, kept, &mut checks).await.err();
    if let Some((check, stop)) = &broken {
        checks.push(Check { check, ok: false, what: stop.line.clone() });
    }
    let said = if output.format == Format::Table {
        let line = |Check { check, ok, what }: &Check| format!("{} {check}: {what}", if *ok { "ok  " } else { "FAIL" });
        let lines: String = checks.iter().map(|check| format!("{}\n", crate::text::sanitize_line(&line(check)))).collect();
        print::data(&lines).map_err(Stop::from)
    } else {
        let rows: Vec<_> = checks.iter().map(raw).collect::<Result<_, _>>()?;
        output.rows(&rows, columns::CHECKS)
    };
    // It was said where data goes: the status alone is left.
    broken.map_or(said, |(_, stop)| Err(Stop { line: String::new(), ..stop }))
}

async fn look(
    args: &Args,
    keys: fn(config::KeySettings) -> Keys,
    kept: &Kept,
    checks: &mut Vec<Check>,
) -> Result<(), (&'static str, Stop)> {
    let mut ok = |check, what: String| checks.push(Check { check, ok: true, what });
    ok("version", env!("CARGO_PKG_VERSION").to_owned());
    let config = config::resolve(&args.options(), &process_env).map_err(|wrong| ("configuration", wrong.into()))?;
    ok("configuration", format!("{} ({} notes)", config.paths.config_file().display(), config.warnings.len()));
    config.warnings.iter().for_each(|note| print::note(note));
    let preset = config.keys.preset.clone().unwrap_or_else(|| "default".to_owned());
    let keys = keys(config.keys.clone());
    ok("keys", format!("{preset} ({} notes)", keys.problems.len()));
    keys.problems.iter().for_each(|problem| print::note(problem));
    match &config.location {
        BackendLocation::Unconfigured => {
            return Err((
                "place",
                Stop::new(stop::NOT_ALLOWED, "no profile and no --base-url; gantry login makes one, --demo needs none"),
            ));
        }
        BackendLocation::Local { file, .. } => {
            ok(
                "place",
                file.as_ref().map_or("the local service, in memory".to_owned(), |file| {
                    format!("the local service over {}", file.display())
                }),
            );
        }
        BackendLocation::Remote { label, base_url, .. } => ok("place", format!("{label}: {base_url}")),
    }
    let desk = super::desk::Desk::open(args, kept).await.map_err(|stop| ("service", stop))?;
    let checked = ask(&desk.client, checks).await;
    desk.close().await;
    checked
}

async fn ask(client: &Client, checks: &mut Vec<Check>) -> Result<(), (&'static str, Stop)> {
    let mut ok = |check, what: String| checks.push(Check { check, ok: true, what });
    let answer = client.workspace().await.map_err(|failure| ("sign-in", failure.into()))?;
    let workspace = answer.value;
    let plan = workspace.plan.as_ref().map_or("plan not told".to_owned(), |plan| format!("plan {plan}"));
    ok("sign-in", format!("{}, {plan}", called(&workspace, client)));
    if let Some(caller) = &workspace.caller {
        let kind = caller.kind.as_ref().map_or("caller", |kind| kind.as_str());
        ok("rights", format!("{kind}: {}", caller.scopes.join(", ")));
    }
    if let Some(date) = answer.date {
        let ahead = (date - chrono::Utc::now()).num_seconds();
        ok(
            "clock",
            if ahead.abs() < 5 { "as here".to_owned() } else { format!("the service's is {ahead} s from this machine's") },
        );
    }
    let stats = client.stats().await.map_err(|failure| ("queue", failure.into()))?.value;
    ok("queue", format!("{} new, {} done", stats.new_count, stats.done_count));
    let list = client.subscriptions().await.map_err(|failure| ("subscriptions", failure.into()))?.value;
    // Who left cannot be told where the members may not be read.
    let members = client.members().await.ok().map(|members| members.value.into_iter().map(|member| member.id).collect());
    let types = format!("{} of {} types", list.len(), SignalType::ALL.len());
    let findings = find_warnings(&list, members.as_ref());
    ok("subscriptions", findings.iter().fold(types, |said, finding| format!("{said}; {finding}")));
    Ok(())
}
