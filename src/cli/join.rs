//! `gantry join`: redeems a join code and saves the connection as a profile.
//!
//! Never here: the code or the token in a message.

use std::io::IsTerminal as _;

use clap::Args;
use secrecy::SecretString;

use crate::client::join::{self, Joined};
use crate::client::{Client, Endpoint, Limits};
use crate::config::{self, NewProfile, Paths, process_env};
use crate::domain::WorkspaceId;
use crate::domain::exit_status;
use crate::domain::join_code::JoinCode;

use super::error::CliError;
use super::options::GlobalOptions;
use super::output::Output;
use super::{print, stdin};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry join\n\n\
    It asks for the join code that a colleague passed on to you, and for your name; a code from a pipe or a file works too. Give the \
    code as an argument only if nobody else uses this machine: others can see arguments.\n\
    The profile is named after the workspace unless you name it with --profile. The code works once.")]
pub struct JoinArgs {
    /// Join code; by default you are asked for it
    #[arg(hide = true)]
    code: Option<String>,
    /// Your name, as colleagues see it; by default you are asked for it
    #[arg(long)]
    name: Option<String>,
}

pub(super) async fn run(args: &JoinArgs, options: &GlobalOptions, output: Output) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let typed = match &args.code {
        Some(code) => code.clone(),
        None if std::io::stdin().is_terminal() => {
            print::write_note("paste the join code and press Enter");
            stdin::read_line().await?
        }
        None => stdin::read_all().await?,
    };
    let code = JoinCode::parse(&typed).map_err(|error| CliError::usage(error.to_string()))?;
    // Whatever could keep the profile from being saved is found before the code is used.
    config::prepare_profiles(&paths, options.profile.as_deref())?;
    let joined = redeem(&code, args.name.as_deref(), options).await?;
    let is_wall = joined.is_wall();
    let token = SecretString::from(joined.token);
    let id = joined.workspace.id;
    let name = match &options.profile {
        Some(name) => name.clone(),
        None => match find_rejected_profile(&paths, &code, id, options).await? {
            Some(name) => name,
            None => config::new_profile_name(&paths, &joined.workspace.name)?,
        },
    };
    let (workspace, certificate) = (id.to_string(), code.fingerprint.map(|fingerprint| fingerprint.to_string()));
    let profile = NewProfile::with_token(&name, &code.base_url, Some(&workspace), certificate.as_deref(), &token);
    config::save_profile(&paths, &NewProfile { read_only: is_wall, ..profile })?;
    let client = client_for(&code, token, Some(id), options)?;
    if let Err(failure) = client.workspace().await {
        print::write_note(&format!("joined, but the connection does not work yet: {}", failure.message));
    }
    let is_default = config::load_profiles(&paths)?.iter().any(|profile| profile.default && profile.name == name);
    let program = if is_default { "gantry".to_owned() } else { format!("gantry --profile {name}") };
    let next = if is_wall { format!("{program} watch") } else { program };
    let role = match &joined.role {
        Some(role) => format!(" as {role}"),
        None => " as a wall that only reads".to_owned(),
    };
    output.print_summary(
        &format!("joined {}{role}, saved as profile {name}; next, run: {next}", joined.workspace.name),
        &serde_json::json!({
            "profile": name, "base_url": code.base_url, "workspace": id, "role": joined.role, "read_only": is_wall, "next": next,
        }),
    )
}

/// The profile of this workspace whose token the service no longer accepts: it is kept, with the new token.
async fn find_rejected_profile(
    paths: &Paths,
    code: &JoinCode,
    workspace: WorkspaceId,
    options: &GlobalOptions,
) -> Result<Option<String>, CliError> {
    for profile in config::load_profiles(paths)? {
        let is_same = profile.base_url.as_ref() == Some(&code.base_url) && profile.workspace == Some(workspace.to_string());
        let (true, Some("file"), Some(file)) = (is_same && !profile.read_only, profile.token, &profile.token_source) else {
            continue;
        };
        let Ok(token) = config::token_from_file(&paths.config.join(file)) else { continue };
        let client = client_for(code, token, Some(workspace), options)?;
        if client.workspace().await.is_err_and(|failure| failure.status() == Some(401)) {
            return Ok(Some(profile.name));
        }
    }
    Ok(None)
}

/// Redeems the code, and asks for the name if it is needed.
async fn redeem(code: &JoinCode, name: Option<&str>, options: &GlobalOptions) -> Result<Joined, CliError> {
    // As the token of the client, the secret is removed from every message.
    let client = client_for(code, code.secret.encode().into(), None, options)?;
    let first = client.fetch_value::<Joined>(join::redeem(&code.secret, name)).await;
    let answer = match first {
        Err(failure) if failure.status() == Some(400) && name.is_none() => {
            if !std::io::stdin().is_terminal() {
                return Err(CliError::usage("the code is for a person").with_hint("add --name NAME"));
            }
            print::write_note("type your name, as colleagues see it, and press Enter");
            let typed = stdin::read_line().await?;
            client.fetch_value(join::redeem(&code.secret, Some(typed.trim()))).await
        }
        answered => answered,
    };
    answer
        .map(|answer| answer.value)
        .map_err(|failure| CliError::new(failure.exit_status(), format!("cannot join: {}", join::refusal_message(&failure))))
}

fn client_for(
    code: &JoinCode,
    token: SecretString,
    workspace: Option<WorkspaceId>,
    options: &GlobalOptions,
) -> Result<Client, CliError> {
    let certificate = code.fingerprint.map(|fingerprint| fingerprint.to_string());
    let endpoint = Endpoint { base_url: code.base_url.clone(), token, workspace, certificate };
    Client::with_limits(endpoint, Limits::with_total_timeout(options.timeout))
        .map_err(|failure| CliError::from_line(exit_status::USAGE, failure.message))
}
