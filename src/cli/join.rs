//! `gantry join`: redeems a join code and saves the connection as a profile.
//!
//! Never here: the code or the token in a message.

use std::io::IsTerminal as _;

use clap::Args;
use secrecy::SecretString;

use crate::client::join::{self, Joined};
use crate::config::{self, NewProfile, Paths, ProfileName, ProfileSummary, process_env};
use crate::domain::WorkspaceId;
use crate::domain::join_code::{JoinCode, JoinCodeError};

use super::error::CliError;
use super::options::GlobalOptions;
use super::output::Output;
use super::session::new_client;
use super::{confirm, print, stdin};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry join\n\n\
    It asks for the join code that a colleague passed on to you, and for your name; a code from a pipe or a file works too, \
    with the name on the next line. Give the code as an argument only if nobody else uses this machine: others can see arguments.\n\
    The profile is named after the workspace unless you name it with --profile. The code works once.")]
pub struct JoinArgs {
    /// Join code; by default you are asked for it
    #[arg(hide = true)]
    code: Option<String>,
    /// Your name, as colleagues see it; by default you are asked for it
    #[arg(long)]
    name: Option<String>,
}

pub(super) async fn run(
    args: &JoinArgs,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let (typed, typed_name) = match &args.code {
        Some(code) => (code.clone(), None),
        None if std::io::stdin().is_terminal() => (ask_for_code().await?, None),
        None => split_name(&stdin::read_all().await?),
    };
    let name = args.name.clone().or(typed_name);
    if typed.trim().is_empty() {
        return Err(CliError::usage("no join code was given")
            .with_hint("paste the one that an owner or admin passed on to you"));
    }
    let code = JoinCode::parse(&typed).map_err(|error| CliError::usage(error.to_string()))?;
    name.as_deref().map_or(Ok(()), check_name)?;
    // Whatever could keep the profile from being saved is found before the code is used.
    config::prepare_profiles(&paths, options.profile.as_deref())?;
    let certificate = code.fingerprint.map(|fingerprint| fingerprint.to_string());
    let profiles = config::load_profiles(&paths)?;
    let replaced = config::find_replaced_pin(
        &profiles,
        options.profile.as_deref(),
        &code.base_url,
        certificate.as_deref(),
    );
    if let Some((profile, pinned)) = replaced {
        confirm_other_certificate(&profile.name, pinned, &code).await?;
    }
    let joined = redeem(&code, name.as_deref(), options).await?;
    let is_wall = joined.is_wall();
    let token = SecretString::from(joined.token);
    let id = joined.workspace.id;
    let renewed = match options.profile.clone() {
        Some(name) => Some(name),
        None => {
            find_renewed_profile(&paths, &profiles, replaced, &code.base_url, id, options).await?
        }
    };
    let name = renewed
        .as_deref()
        .map_or(ProfileName::New(&joined.workspace.name), ProfileName::Exact);
    let workspace = id.to_string();
    let profile = NewProfile {
        read_only: is_wall,
        replaced_certificate: replaced.map(|(_, pinned)| pinned),
        ..NewProfile::with_token(
            name,
            &code.base_url,
            Some(&workspace),
            certificate.as_deref(),
            &token,
        )
    };
    let name = config::save_profile(&paths, &profile)?.name;
    let client = new_client(
        &code.base_url,
        certificate.clone(),
        token.clone(),
        Some(id),
        options,
    )?;
    if let Err(failure) = client.workspace().await {
        print::write_note(&format!(
            "joined, but the connection does not work yet: {}",
            failure.message
        ));
    }
    let is_default = config::load_profiles(&paths)?
        .iter()
        .any(|profile| profile.default && profile.name == name);
    let program = if is_default {
        "gantry".to_owned()
    } else {
        format!("gantry --profile {name}")
    };
    let next = if is_wall {
        format!("{program} watch")
    } else {
        program
    };
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

/// Asks whether a service may have another certificate than the one that a profile accepts.
async fn confirm_other_certificate(
    profile: &str,
    pinned: &str,
    code: &JoinCode,
) -> Result<(), CliError> {
    let new = code.fingerprint.map_or_else(
        || "any that this machine trusts".to_owned(),
        |new| new.to_string(),
    );
    let change = format!(
        "profile {profile} accepts only the certificate {pinned} of this service, and the join code names {new}"
    );
    if !confirm::can_ask() {
        let error = CliError::failed(format!("{change}; nothing was sent"));
        return Err(error.with_hint(format!(
            "if whoever runs the service confirms the new one, join at a terminal, run gantry logout {profile} first, or use \
             another profile: gantry join --profile NAME"
        )));
    }
    print::write_note(&change);
    match confirm::ask(
        "Does whoever runs the service confirm the new one, so that it is accepted from now on?",
    )
    .await?
    {
        true => Ok(()),
        false => Err(CliError::failed(
            "the certificate was not accepted; nothing was sent",
        )),
    }
}

/// The profile of this workspace that gets the new token: its certificate is replaced, or the
/// service no longer accepts its token. Its token is sent only to a service with the certificate
/// that it accepts.
async fn find_renewed_profile(
    paths: &Paths,
    profiles: &[ProfileSummary],
    replaced: Option<(&ProfileSummary, &str)>,
    base_url: &str,
    workspace: WorkspaceId,
    options: &GlobalOptions,
) -> Result<Option<String>, CliError> {
    for profile in profiles {
        let is_same = profile.is_at(base_url) && profile.workspace == Some(workspace.to_string());
        let (true, Some("file"), Some(file)) = (
            is_same && !profile.read_only,
            profile.token,
            &profile.token_source,
        ) else {
            continue;
        };
        if replaced.is_some_and(|(replaced, _)| replaced.name == profile.name) {
            return Ok(Some(profile.name.clone()));
        }
        let Ok(token) = config::token_from_file(&paths.config_folder()?.join(file)) else {
            continue;
        };
        let client = new_client(
            base_url,
            profile.certificate.clone(),
            token,
            Some(workspace),
            options,
        )?;
        if client
            .workspace()
            .await
            .is_err_and(|failure| failure.status() == Some(401))
        {
            return Ok(Some(profile.name.clone()));
        }
    }
    Ok(None)
}

/// The code of a pipe or a file, and the name, if one is on the line after it.
fn split_name(text: &str) -> (String, Option<String>) {
    match text.trim_end().rsplit_once('\n') {
        Some((code, name)) if JoinCode::parse(code).is_ok() => {
            (code.to_owned(), Some(name.trim().to_owned()))
        }
        _ => (text.to_owned(), None),
    }
}

/// Rejects a code in place of a name: colleagues would read it.
fn check_name(name: &str) -> Result<(), CliError> {
    match JoinCode::parse(name) {
        Err(JoinCodeError::NotACode) => Ok(()),
        _ => Err(CliError::usage(
            "this is a join code, not a name; nothing was sent",
        )),
    }
}

/// Asks for the code until it is whole: a terminal may copy a long one as several lines. A line that
/// begins like a code starts over.
async fn ask_for_code() -> Result<String, CliError> {
    print::write_note("paste the join code and press Enter");
    let mut typed = stdin::read_line().await?;
    while JoinCode::parse(&typed) == Err(JoinCodeError::Incomplete) {
        print::write_note("that is not the whole code: paste the rest, or press Enter to stop");
        let rest = stdin::read_line().await?;
        if rest.trim().is_empty() {
            break;
        }
        if JoinCode::is_beginning(&rest) {
            typed.clear();
        }
        typed.push_str(&rest);
    }
    Ok(typed)
}

/// Redeems the code, and asks for the name if it is needed.
async fn redeem(
    code: &JoinCode,
    name: Option<&str>,
    options: &GlobalOptions,
) -> Result<Joined, CliError> {
    // As the token of the client, the secret is removed from every message.
    let certificate = code.fingerprint.map(|fingerprint| fingerprint.to_string());
    let client = new_client(
        &code.base_url,
        certificate,
        code.secret.encode().into(),
        None,
        options,
    )?;
    let first = client
        .fetch_value::<Joined>(join::redeem(&code.secret, name))
        .await;
    let answer = match first {
        Err(failure) if failure.status() == Some(400) && name.is_none() => {
            if !std::io::stdin().is_terminal() {
                return Err(
                    CliError::usage("the code is for a person").with_hint("add --name NAME")
                );
            }
            print::write_note("type your name, as colleagues see it, and press Enter");
            let typed = stdin::read_line().await?;
            check_name(&typed)?;
            client
                .fetch_value(join::redeem(&code.secret, Some(typed.trim())))
                .await
        }
        answered => answered,
    };
    answer.map(|answer| answer.value).map_err(|failure| {
        CliError::new(
            failure.exit_status(),
            format!("cannot join: {}", join::refusal_message(&failure)),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::join_code::JoinSecret;

    #[test]
    fn a_pipe_holds_the_code_and_on_the_next_line_the_name() {
        let code = JoinCode {
            base_url: "http://127.0.0.1:8484/api/v1".to_owned(),
            secret: JoinSecret([7; 16]),
            fingerprint: None,
        };
        let code = code.encode();
        let (start, end) = code.split_at(20);
        let broken = format!("{start}\n{end}");
        for (text, name) in [
            (format!("{code}\nCarl\n"), Some("Carl")),
            (format!("{broken}\r\nCarl van Dam"), Some("Carl van Dam")),
            (code.clone(), None),
            (broken, None),
        ] {
            let (found, found_name) = split_name(&text);
            assert_eq!(JoinCode::parse(&found), JoinCode::parse(&code), "{text}");
            assert_eq!(found_name.as_deref(), name, "{text}");
        }
    }
}
