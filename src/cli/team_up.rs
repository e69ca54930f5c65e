//! `gantry team up`: everything an office needs, in one command: the data file, its owner, a
//! service with TLS, and the invitations.
//!
//! Never here: a code that was shown before; only its hash is stored.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use clap::Args;
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::{Client, invitations, members, walls};
use crate::config::{self, NewProfile, Paths, ProfileName, process_env};
use crate::domain::members::{Invitation, Member, Role};
use crate::platform::processes;
use crate::service::{
    self, CertificateSource, PublicAddress, RunningService, StartError, Storage, team_file,
};

use super::database::{self, DatabaseArgs};
use super::error::{CliError, Context};
use super::install::unit;
use super::options::GlobalOptions;
use super::running_service::find_running_service;
use super::session::new_client;
use super::{print, serve, stdin};

/// The data file, unless another one is named.
const DEFAULT_FILE: &str = "desk.db";
const MAX_ANSWER_BYTES: usize = 200;
/// How often the members are read to report who has joined.
const JOIN_POLL_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry team up --data permits.db ben@example.com ana@example.com:admin\n\n\
    It prints a join code for each colleague, only now; they run gantry join and paste it. It keeps running and reports who joins. \
    Started again, it needs no arguments but --data. A new code: gantry invitations renew EMAIL."
)]
pub struct TeamUpArgs {
    /// Colleagues to invite; the role is member or admin
    #[arg(value_name = "EMAIL[:ROLE]", value_parser = parse_invitee)]
    invite: Vec<Invitee>,
    /// Data file, an imported one or a new one without data, or the address of a PostgreSQL
    /// database (postgres://USER@HOST/DATABASE) [default: desk.db] [env: GANTRY_DATABASE_URL]
    #[arg(long, value_name = "FILE|URL")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Address to listen on
    #[arg(long, value_name = "HOST:PORT", default_value = "0.0.0.0:8484")]
    listen: SocketAddr,
    /// Name or address that colleagues use, if it is not the one that the service listens on
    #[arg(long, value_name = "HOST[:PORT]")]
    public_address: Option<PublicAddress>,
    #[command(flatten)]
    certificate: serve::CertificateArgs,
    /// Name of a new workspace; by default you are asked for it
    #[arg(long, value_name = "NAME")]
    workspace_name: Option<String>,
    /// Your name; by default you are asked for it, once
    #[arg(long, value_name = "NAME")]
    owner_name: Option<String>,
    /// Your email address; by default you are asked for it, once
    #[arg(long, value_name = "EMAIL")]
    owner_email: Option<String>,
    #[command(flatten)]
    mail: serve::MailArgs,
    /// Print a systemd unit that runs this, and do nothing else
    #[arg(long)]
    print_unit: bool,
}

#[derive(Clone, Debug)]
struct Invitee {
    email: String,
    role: Role,
}

fn parse_invitee(text: &str) -> Result<Invitee, String> {
    let (email, role) = text.rsplit_once(':').unwrap_or((text, "member"));
    let role = match role {
        "member" => Role::Member,
        "admin" => Role::Admin,
        other => return Err(format!("{other:?} is not a role: use member or admin")),
    };
    let how = "write it like ben@example.com or ben@example.com:admin";
    let email = team_file::check_email(email).map_err(|fault| format!("{fault}: {how}"))?;
    Ok(Invitee { email, role })
}

pub(super) async fn run(up: &TeamUpArgs, options: &GlobalOptions) -> Result<(), CliError> {
    let data = database::find_storage("--data", up.data.as_deref(), &up.database, &process_env)?;
    if up.print_unit {
        return Ok(print::write_data(&systemd_unit(up)?)?);
    }
    let data = data.unwrap_or_else(|| Storage::File(DEFAULT_FILE.into()));
    if let Some(address) = find_running_service(&data).await {
        let line = format!("a service runs on {data} already, at {address}");
        let hint = "run gantry; to start it with other options, stop it there with Ctrl-C first";
        return Err(CliError::failed(line).with_hint(hint));
    }
    set_up_database(up, &data).await?;
    let paths = Paths::from_env(&process_env);
    config::prepare_profiles(&paths, options.profile.as_deref())?;
    // Installed before the service is ready, so that no signal is missed in between.
    let mut end = std::pin::pin!(processes::shutdown_signal().context("handle shutdown signals")?);
    let running = service::start(service::ServiceOptions {
        listen: up.listen,
        certificate: Some(up.certificate.files().unwrap_or(CertificateSource::Created)),
        public_address: up.public_address.clone(),
        data,
        adds_sample: false,
        as_of: options.as_of,
        mail: Some(serve::mail_destination(&up.mail)?),
        ..service::ServiceOptions::default()
    })
    .await
    .map_err(start_failure)?;
    let reported = async {
        let client = sign_in_owner(&running, &paths, options)?;
        invite(&client, &up.invite).await?;
        report_joins(&client).await
    };
    let ended = tokio::select! {
        () = &mut end => Ok(()),
        ended = reported => ended,
    };
    running.stop().await;
    ended
}

fn start_failure(error: StartError) -> CliError {
    let message = format!("cannot start the service: {error}");
    let failure = CliError::failed(message);
    match error {
        StartError::Listen(..) => failure.with_hint(
            "if that is your team's service, it runs already: run gantry; otherwise name another address: add --listen HOST:PORT",
        ),
        _ => failure,
    }
}

/// Asks once for what the database does not say: the name of the workspace, and who the owner is.
/// Whether the service can listen is found out before.
async fn set_up_database(up: &TeamUpArgs, data: &Storage) -> Result<(), CliError> {
    let opened = data.clone();
    let missing = stdin::run_blocking(move || team_file::missing_setup(&opened)).await;
    let missing = missing.context(&format!("open {data}"))?;
    if !missing.owner {
        return Ok(());
    }
    service::check_address(up.listen).map_err(start_failure)?;
    let workspace = match missing.workspace {
        true => {
            ask(
                "the name of your team",
                "--workspace-name",
                up.workspace_name.as_deref(),
                team_file::check_name,
            )
            .await?
        }
        false => String::new(),
    };
    let name = ask(
        "your name, as colleagues see it",
        "--owner-name",
        up.owner_name.as_deref(),
        team_file::check_name,
    )
    .await?;
    let email = ask(
        "your email address",
        "--owner-email",
        up.owner_email.as_deref(),
        team_file::check_email,
    )
    .await?;
    let owner = team_file::new_member(&name, &email, Role::Owner).map_err(CliError::usage)?;
    let opened = data.clone();
    let done = stdin::run_blocking(move || {
        team_file::complete_setup(&opened, &workspace, &owner, Utc::now())
    })
    .await;
    done.context(&format!("set up {data}"))
}

/// The value of an option, or what is typed at the terminal, where a wrong answer is asked again.
async fn ask(
    what: &str,
    option: &str,
    given: Option<&str>,
    check: fn(&str) -> Result<String, String>,
) -> Result<String, CliError> {
    let check = |text: &str| match text.trim() {
        "" => Err("this is empty".to_owned()),
        text if text.len() > MAX_ANSWER_BYTES => Err("this is too long".to_owned()),
        text => check(text),
    };
    if let Some(text) = given {
        return check(text).map_err(|fault| CliError::usage(format!("{option}: {fault}")));
    }
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage(format!(
            "there is no terminal to ask for {what}: add {option}"
        )));
    }
    print::write_note(&format!("type {what}, and press Enter"));
    loop {
        let typed = stdin::read_line().await?;
        match check(&typed) {
            Ok(answer) => return Ok(answer),
            // The end of the input.
            Err(_) if typed.is_empty() => {
                let missing = CliError::usage(format!("nobody typed {what}"));
                return Err(missing.with_hint(format!("add {option}")));
            }
            Err(fault) => print::write_note(&format!("{fault}; type it again")),
        }
    }
}

/// Saves the owner's own profile with the token of this start.
fn sign_in_owner(
    running: &RunningService,
    paths: &Paths,
    options: &GlobalOptions,
) -> Result<Client, CliError> {
    let info = running.startup_info();
    let (workspace, token) = info
        .default_sign_in(None)
        .ok_or_else(|| CliError::not_found("the data file has no workspace"))?;
    let (id, token) = (workspace.to_string(), secrecy::SecretString::from(token));
    let title = info
        .workspaces
        .iter()
        .find(|known| known.id == workspace)
        .map_or("team", |known| known.name.as_str());
    let known = config::load_profiles(paths)?;
    let earlier = known
        .iter()
        .find(|profile| profile.workspace.as_ref() == Some(&id) && !profile.read_only);
    let name = match (&options.profile, earlier) {
        (Some(name), _) => ProfileName::Exact(name),
        (None, Some(earlier)) => ProfileName::Exact(&earlier.name),
        (None, None) => ProfileName::New(title),
    };
    let certificate = info.certificate.map(|fingerprint| fingerprint.to_string());
    let profile = NewProfile::with_token(
        name,
        running.base_url(),
        Some(&id),
        certificate.as_deref(),
        &token,
    );
    // This process is the service of that workspace: nobody has to compare its certificate.
    let replaced_certificate = earlier.and_then(|earlier| earlier.certificate.as_deref());
    let name = config::save_profile(
        paths,
        &NewProfile {
            replaced_certificate,
            ..profile
        },
    )?
    .name;
    print::write_note(&format!(
        "{title} is served at {}; your own profile is {name}: run gantry",
        running.base_url()
    ));
    new_client(
        running.base_url(),
        certificate,
        token,
        Some(workspace),
        options,
    )
}

/// Invites those who are not invited yet, and prints a line for each colleague.
async fn invite(client: &Client, invitees: &[Invitee]) -> Result<(), CliError> {
    let members = read_members(client).await?;
    for member in &members {
        print_line(&member.name(), role_name(member.role.as_ref()), "joined")?;
    }
    let mut invited = Vec::new();
    for Invitee { email, role } in invitees {
        match client
            .fetch_value::<Box<RawValue>>(invitations::create(email, role))
            .await
        {
            Ok(answer) => {
                let fields: serde_json::Value =
                    serde_json::from_str(answer.value.get()).unwrap_or_default();
                let state = match fields["join_code"].as_str() {
                    Some(code) => how_to_join(code),
                    None => "gets the join code by mail".to_owned(),
                };
                print_line(email, role.as_str(), &state)?;
                invited.push(email.clone());
            }
            // A member, or invited before.
            Err(failure) if failure.status() == Some(409) => {}
            Err(failure) => return Err(failure).context(&format!("invite {email}")),
        }
    }
    let all = client
        .fetch_all::<Invitation>(invitations::list())
        .await
        .context("list invitations")?;
    let open = all
        .iter()
        .filter(|invitation| invitation.awaits_newcomer(&members, Utc::now()));
    for invitation in open.filter(|invitation| !invited.contains(&invitation.name())) {
        let state = format!(
            "has not joined; a new code: gantry invitations renew {}",
            invitation.name()
        );
        print_line(
            &invitation.name(),
            role_name(invitation.role.as_ref()),
            &state,
        )?;
    }
    Ok(())
}

/// Prints a line whenever a person or a wall joins.
async fn report_joins(client: &Client) -> Result<(), CliError> {
    let mut known: BTreeSet<_> = read_members(client)
        .await?
        .into_iter()
        .map(|member| member.id)
        .collect();
    let mut known_walls: BTreeSet<_> = read_joined_walls(client)
        .await?
        .into_iter()
        .map(|wall| wall.id)
        .collect();
    loop {
        tokio::time::sleep(JOIN_POLL_INTERVAL).await;
        for wall in read_joined_walls(client).await.unwrap_or_default() {
            if known_walls.insert(wall.id) {
                print_line(&wall.name, "wall", "has joined just now")?;
            }
        }
        // A read that fails is repeated with the next one.
        for member in read_members(client).await.unwrap_or_default() {
            if known.insert(member.id) {
                let address = member
                    .email
                    .as_deref()
                    .map(|email| format!(" <{email}>"))
                    .unwrap_or_default();
                print_line(
                    &format!("{}{address}", member.name()),
                    role_name(member.role.as_ref()),
                    "has joined just now",
                )?;
            }
        }
    }
}

/// A wall, as far as it is announced.
#[derive(Deserialize)]
struct Wall {
    id: Uuid,
    name: String,
    status: String,
}

async fn read_joined_walls(client: &Client) -> Result<Vec<Wall>, CliError> {
    let mut all = client
        .fetch_all::<Wall>(walls::list())
        .await
        .context("list walls")?;
    all.retain(|wall| wall.status == "accepted");
    Ok(all)
}

async fn read_members(client: &Client) -> Result<Vec<Member>, CliError> {
    client
        .fetch_all(members::list())
        .await
        .context("list members")
}

/// Prints what there is to know about a person or a wall.
pub(super) fn print_line(name: &str, role: &str, state: &str) -> Result<(), CliError> {
    let line = crate::text::sanitize_line(&format!("{name}, {role}: {state}")).into_owned();
    Ok(print::write_data(&format!("{line}\n"))?)
}

/// What a person or a wall does with a join code.
pub(super) fn how_to_join(code: &str) -> String {
    format!("runs gantry join with {code}")
}

pub(super) fn role_name(role: Option<&Role>) -> &str {
    role.map(Role::as_str).unwrap_or_default()
}

/// A unit of the user's systemd. It contains no secret: mail with a password is set in the
/// environment of the unit.
fn systemd_unit(up: &TeamUpArgs) -> Result<String, CliError> {
    let shown = |path: &Path| path.display().to_string();
    let program = std::env::current_exe().context("find this program")?;
    let data = up.data.clone().unwrap_or_else(|| DEFAULT_FILE.into());
    let data = match database::is_postgres_url(&data) {
        true => data,
        false => std::path::absolute(&data).context("find the data file")?,
    };
    let mut words = vec![shown(&program), "team".to_owned(), "up".to_owned()];
    words.extend([
        "--data".to_owned(),
        shown(&data),
        "--listen".to_owned(),
        up.listen.to_string(),
    ]);
    if let Some(file) = &up.database.database_password_file {
        let file = std::path::absolute(file).context("find the password file")?;
        words.extend(["--database-password-file".to_owned(), shown(&file)]);
    }
    if let Some(public) = &up.public_address {
        words.extend(["--public-address".to_owned(), public.to_string()]);
    }
    for (option, file) in [
        ("--cert", &up.certificate.cert),
        ("--key", &up.certificate.key),
    ] {
        if let Some(file) = file {
            words.extend([
                option.to_owned(),
                shown(&std::path::absolute(file).context("find the certificate")?),
            ]);
        }
    }
    let unit = unit::format_user_unit(
        &unit::format_command(words.iter().map(String::as_str)),
        None,
    );
    Ok(format!(
        "# Save as ~/.config/systemd/user/gantry.service, then run: systemctl --user enable --now gantry\n{unit}"
    ))
}
