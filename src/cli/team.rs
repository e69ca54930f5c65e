//! `gantry team`: who has joined, and walls.

use chrono::Utc;
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::{invitations, members, walls};
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, Member};

use super::columns::{Column, FieldKind, ID, NAME, ROLE, column, hidden, text_column};
use super::dry_run::{DryRun, Removal};
use super::error::{CliError, Context};
use super::options::OutputFormat;
use super::output::Output;
use super::session::Session;
use super::{print, team_up};

const WALL_COLUMNS: &[Column] = &[
    ID,
    NAME,
    text_column("status", "STATUS"),
    column("expires_at", "EXPIRES", FieldKind::Date),
    hidden("key_prefix"),
    hidden("join_code"),
];

const STATUS_COLUMNS: &[Column] = &[NAME, ROLE, text_column("state", "STATE")];

#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    /// Start a service for a team, and invite its members
    Up(Box<team_up::TeamUpArgs>),
    /// Show who has joined, who is invited, and the walls
    #[command(after_help = "Example: gantry --demo team status")]
    Status,
    /// Create a join code for a wall, a screen that only reads
    #[command(after_help = "Example: gantry --demo team wall-code Lobby\n\n\
        On the machine of the screen, run gantry join and paste the code, then gantry watch. The code is shown only once and works \
        once, within 14 days. Show the walls with gantry team status.")]
    WallCode {
        /// Name of the wall
        #[arg(default_value = "Wall")]
        name: String,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Revoke a wall; its code and its key stop working immediately
    #[command(
        after_help = "Example: gantry team remove-wall 018f4d3a-0000-7000-8000-000000000001\n\n\
        Its id is in gantry team status."
    )]
    RemoveWall {
        /// Id of the wall
        id: Uuid,
        #[command(flatten)]
        dry: DryRun,
    },
}

pub(super) async fn run(verb: &TeamCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        // Runs without a session.
        TeamCommand::Up(_) => Ok(()),
        TeamCommand::Status => print_status(session).await,
        TeamCommand::WallCode { name, dry } => {
            let request = walls::create(name);
            let Some(wall) = dry.send(request, "create a wall", session).await? else {
                return Ok(());
            };
            print_with_code(&wall, name, "wall", WALL_COLUMNS, session.output)?;
            print_code_note(&wall, "gantry team wall-code");
            Ok(())
        }
        TeamCommand::RemoveWall { id, dry } => {
            let removal = Removal {
                what: format!("revoke {id}"),
                question: format!("Revoke the wall {id}? Its screen stops showing the workspace"),
                sentence: format!("revoked {id}; its code and its key no longer work"),
                value: json!({"id": id, "revoked": true}),
            };
            dry.remove(walls::revoke(*id), removal, session).await
        }
    }
}

/// Prints a new wall or invitation: as a table only who joins until when and with which code, which
/// is all that has to be passed on.
pub(super) fn print_with_code(
    created: &RawValue,
    name: &str,
    role: &str,
    columns: &'static [Column],
    output: Output,
) -> Result<(), CliError> {
    if output.format != OutputFormat::Table {
        return output.print_record(created, columns);
    }
    let fields: serde_json::Value = serde_json::from_str(created.get()).unwrap_or_default();
    let expiry: Option<DateOrDateTime> = serde_json::from_value(fields["expires_at"].clone()).ok();
    let day = expiry.as_ref().and_then(DateOrDateTime::date);
    let day = day.map(|day| day.format("%-d %B"));
    let state = match (fields["join_code"].as_str(), day) {
        (Some(code), Some(day)) => format!("has until {day} to run gantry join with {code}"),
        (Some(code), None) => team_up::how_to_join(code),
        (None, _) if fields["is_mailed"] == true => "gets the join code by mail".to_owned(),
        (None, Some(day)) => format!("invited until {day}"),
        (None, None) => "invited".to_owned(),
    };
    team_up::print_line(name, role, &state)
}

/// Explains the code of a new invitation or wall, or what to do without one.
pub(super) fn print_code_note(created: &RawValue, again: &str) {
    let fields: serde_json::Value = serde_json::from_str(created.get()).unwrap_or_default();
    if fields["is_mailed"] == true {
        return print::write_note(
            "the join code goes out by mail within a minute; it is not shown here",
        );
    }
    if fields["join_code"].is_string() {
        return print::write_note(
            "pass the join code on; with it they run: gantry join. It is shown only now and works once, within 14 days",
        );
    }
    if fields.get("join_code").is_none() && fields["expires_at"].is_string() {
        print::write_note(&format!(
            "there is no join code: it would name the address of a service. Start gantry serve, then run: {again}"
        ));
    }
}

/// A person of the team or a wall: the lines of the status.
#[derive(Serialize)]
struct StatusRow {
    name: String,
    role: String,
    state: String,
}

async fn print_status(session: &Session) -> Result<(), CliError> {
    let client = &session.client;
    let members = client
        .fetch_all::<Box<RawValue>>(members::list())
        .await
        .context("list members")?;
    let invited = client
        .fetch_all::<Box<RawValue>>(invitations::list())
        .await
        .context("list invitations")?;
    // Other services have no walls.
    let walls = match client.fetch_rows::<Box<RawValue>>(walls::list()).await {
        Ok(walls) => walls.value.rows,
        Err(failure) if matches!(failure.status(), Some(400 | 403 | 404 | 405)) => Vec::new(),
        Err(failure) => return Err(failure).context("list walls"),
    };
    if matches!(
        session.output.format,
        OutputFormat::Json | OutputFormat::Jsonl
    ) {
        return session.output.print_json(&json!({
            "members": members, "invitations": invited, "walls": walls,
        }));
    }
    session
        .output
        .print_rows(status_rows(&members, &invited, &walls), STATUS_COLUMNS)
}

fn status_rows(
    members: &[Box<RawValue>],
    invited: &[Box<RawValue>],
    walls: &[Box<RawValue>],
) -> Vec<StatusRow> {
    let members: Vec<Member> = members
        .iter()
        .filter_map(|row| serde_json::from_str(row.get()).ok())
        .collect();
    let people = members.iter().map(|member| {
        let address = member
            .email
            .as_deref()
            .filter(|email| **email != member.name());
        StatusRow {
            name: address.map_or_else(
                || member.name(),
                |email| format!("{} <{email}>", member.name()),
            ),
            role: team_up::role_name(member.role.as_ref()).to_owned(),
            state: "joined".to_owned(),
        }
    });
    let now = Utc::now();
    let open = invited
        .iter()
        .filter_map(|row| serde_json::from_str::<Invitation>(row.get()).ok());
    let open = open
        .filter(|invitation| invitation.awaits_newcomer(&members, now))
        .map(|invitation| StatusRow {
            name: invitation.name(),
            role: team_up::role_name(invitation.role.as_ref()).to_owned(),
            state: format!(
                "invited; for a new code: gantry invitations renew {}",
                invitation.name()
            ),
        });
    let walls = walls
        .iter()
        .filter_map(|row| serde_json::from_str::<serde_json::Value>(row.get()).ok());
    let walls = walls.filter_map(|wall| {
        let state = match wall["status"].as_str()? {
            "accepted" => format!("joined, key {}…", wall["key_prefix"].as_str()?),
            "pending" => "invited".to_owned(),
            _ => return None,
        };
        let name = format!("{} ({})", wall["name"].as_str()?, wall["id"].as_str()?);
        Some(StatusRow {
            name,
            role: "wall".to_owned(),
            state,
        })
    });
    people.chain(open).chain(walls).collect()
}
