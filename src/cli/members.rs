//! `gantry members`, `invitations` and `workspace`: who has access.

use std::collections::BTreeMap;

use chrono::Utc;
use clap::{Args, Subcommand};
use serde_json::json;
use serde_json::value::RawValue;

use crate::client::{invitations, members, workspace};
use crate::config::process_env;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, InvitationStatus, Member, Role};
use crate::domain::quoting::quote_for_shell;
use crate::domain::{InvitationId, UserId};
use crate::export::json::RawFields;
use crate::service::{self, team_file};

use super::database::{self, DatabaseArgs};
use super::dry_run::{DryRun, Removal, Written};
use super::error::{CliError, Context};
use super::list_args::ListArgs;
use super::names::find_id;
use super::options::{GlobalOptions, OutputFormat};
use super::output::{Output, to_raw_json};
use super::session::{Session, parse_workspace_id};
use super::word_args::parse_word;
use super::{columns, print, stdin, team, team_up};

const ROLES: [&str; 3] = ["owner", "admin", "member"];
/// The roles that an invitation can give.
const INVITED_ROLES: [&str; 2] = ["admin", "member"];

#[derive(Debug, Subcommand)]
pub enum MembersCommand {
    /// List the members
    #[command(after_help = "Example: gantry --demo members list --sort email")]
    List(ListArgs),
    /// Add a person to a local file or a PostgreSQL database and print their token, which is shown
    /// only once
    #[command(
        after_help = "Example: gantry members add 'Ann Lee' ann@example.com member --local desk.db\n\n\
        They sign in with the token while gantry serve --data FILE is running; it may already be running now. The token ends 30 days \
        after its last use; run the same command again for a new one."
    )]
    Add(MemberAddArgs),
    /// Change a member's role
    #[command(
        after_help = "Example: gantry --demo members set $(gantry --demo members list --format csv | grep ,member, | head -1 | cut -d, -f1) --role admin"
    )]
    Set {
        /// Id, name or email address of the member
        #[arg(value_name = "MEMBER")]
        user: String,
        /// Role
        #[arg(long, value_parser = parse_word::<Role>(ROLES))]
        role: Role,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Remove a member from the workspace
    #[command(
        after_help = "Example: gantry --demo members remove $(gantry --demo members list --format csv | grep ,member, | head -1 | cut -d, -f1)"
    )]
    Remove {
        /// Id, name or email address of the member
        #[arg(value_name = "MEMBER")]
        user: String,
        #[command(flatten)]
        dry: DryRun,
    },
}

#[derive(Debug, Args)]
pub struct MemberAddArgs {
    /// Name
    name: String,
    /// Email address
    email: String,
    /// Role
    #[arg(default_value = "member", value_parser = parse_word::<Role>(ROLES))]
    role: Role,
    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Debug, Subcommand)]
pub enum InvitationsCommand {
    /// List the invitations, including expired and revoked ones
    #[command(after_help = "Example: gantry --demo invitations list")]
    List(ListArgs),
    /// Invite a person by email
    #[command(
        after_help = "Example: gantry --demo invitations create new@northline.example --role member"
    )]
    Create {
        /// Email address
        email: String,
        /// Role
        #[arg(long, default_value = "member", value_parser = parse_word::<Role>(INVITED_ROLES))]
        role: Role,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Replace an open or expired invitation by a new one with a new join code; a member gets a
    /// join code for a new token
    #[command(
        after_help = "Example: gantry --demo invitations renew $(gantry --demo invitations list --format csv | grep ,pending, | head -1 | cut -d, -f4)\n\n\
        A member whose token has ended, or who wants to use another machine, runs gantry join with the new code. Their role, and the \
        tokens that they use, stay as they are."
    )]
    Renew {
        /// Email address
        email: String,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Revoke an invitation; its link stops working immediately
    #[command(
        after_help = "Example: gantry --demo invitations revoke $(gantry --demo invitations list --format csv | grep ,pending, | head -1 | cut -d, -f1)"
    )]
    Revoke {
        /// Invitation id
        id: InvitationId,
        #[command(flatten)]
        dry: DryRun,
    },
}

/// Adds a person to the database given with `--local`.
pub(super) async fn add_member(
    add: &MemberAddArgs,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    let Some(data) = database::find_storage(
        "--local",
        options.local.as_deref(),
        &add.database,
        &process_env,
    )?
    else {
        let words = "members add needs a local file: add --local FILE, or the address of a PostgreSQL database. To invite a person \
                     to a remote service: gantry invitations create EMAIL";
        return Err(CliError::usage(words));
    };
    let person =
        team_file::new_member(&add.name, &add.email, add.role.clone()).map_err(CliError::usage)?;
    let named = parse_workspace_id(options.workspace.as_deref())?;
    let what = format!("add {} to {data}", person.email);
    let opened = data.clone();
    let admitted = stdin::run_blocking(move || {
        service::admit_member(&opened, named, &person, chrono::Utc::now())
    })
    .await;
    let admitted = admitted
        .context(&what)?
        .ok_or_else(|| CliError::not_found(format!("cannot {what}: it has no such workspace")))?;
    let (member, workspace) = (&admitted.member, &admitted.workspace);
    print::write_note(&format!(
        "{} {} {}, as {}. The token is shown only once and ends {} days after its last use. They sign in with: gantry login --base-url URL, \
         with the address that gantry serve --data {} prints",
        member.display_name.as_deref().unwrap_or(&member.email),
        if admitted.was_member {
            "was already a member of"
        } else {
            "is now a member of"
        },
        workspace.name,
        member.role,
        service::CREDENTIAL_LIFETIME_DAYS,
        quote_for_shell(&data.to_string())
    ));
    let summary = serde_json::json!({
        "workspace_id": workspace.id, "user_id": member.id, "email": member.email, "role": member.role,
        "access_token": admitted.access_token,
    });
    output.print_summary(&admitted.access_token, &summary)
}

pub(super) async fn run_members(verb: &MembersCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        MembersCommand::List(list) => {
            list.fetch_and_print(
                session,
                members::list(),
                columns::MEMBER_LIST_COLUMNS,
                "list members",
            )
            .await
        }
        // Runs without a service, before a session is opened.
        MembersCommand::Add(_) => Ok(()),
        MembersCommand::Set { user, role, dry } => {
            let id: UserId = find_id(user, session).await?;
            let request = members::set_role(id, role);
            let written = Written {
                what: format!("change {user}"),
                columns: columns::MEMBER_LIST_COLUMNS,
                sentence: format!("{user} is now {role}"),
                value: json!({"id": id, "role": role}),
            };
            dry.write(request, written, session).await
        }
        MembersCommand::Remove { user, dry } => {
            let id: UserId = find_id(user, session).await?;
            let removal = Removal {
                what: format!("remove {user}"),
                question: format!("Remove {user} from the workspace? Their tokens end"),
                sentence: format!("removed {user} from the workspace"),
                value: json!({"id": id, "removed": true}),
            };
            dry.remove(members::remove(id), removal, session).await
        }
    }
}

pub(super) async fn run_invitations(
    verb: &InvitationsCommand,
    session: &Session,
) -> Result<(), CliError> {
    let client = &session.client;
    match verb {
        InvitationsCommand::List(list) => {
            let mut rows = client
                .fetch_rows::<Box<RawValue>>(invitations::list())
                .await
                .context("list invitations")?
                .value;
            // JSON is what the service sent.
            if matches!(
                session.output.format,
                OutputFormat::Table | OutputFormat::Csv
            ) {
                rows.rows = rows.rows.iter().map(|row| with_status(row)).collect();
            }
            list.print_fetched(rows, columns::INVITATION_LIST_COLUMNS, session.output)
        }
        InvitationsCommand::Create { email, role, dry } => invite(session, email, role, *dry).await,
        InvitationsCommand::Renew { email, dry } => {
            let members = client.members().await.context("list members")?.value;
            if let Some(member) = members.iter().find(|member| member.has_address(email)) {
                return renew_member(session, member, email, dry).await;
            }
            let rows = client
                .fetch_all::<Invitation>(invitations::list())
                .await
                .context("list invitations")?;
            let is_theirs = |it: &&Invitation| {
                it.email
                    .as_deref()
                    .is_some_and(|to| to.eq_ignore_ascii_case(email.trim()))
            };
            let latest = rows
                .iter()
                .filter(is_theirs)
                .max_by_key(|it| it.created_at.as_ref().and_then(DateOrDateTime::date_time));
            let now = Utc::now();
            let Some(old) = latest.filter(|it| it.status(now) != Some(InvitationStatus::Accepted))
            else {
                let hint = format!("to invite them: gantry invitations create {email}");
                return Err(
                    CliError::not_found(format!("{email} has no open invitation")).with_hint(hint),
                );
            };
            let role = old.role.clone().unwrap_or(Role::Member);
            let revokes = old.may_be_open(now).then(|| invitations::revoke(old.id));
            let create = invitations::create(email, &role);
            let requests: Vec<_> = revokes.iter().cloned().chain([create]).collect();
            if dry.print_unsent(session.output, &requests)? {
                return Ok(());
            }
            if let Some(revoke) = revokes {
                match client.execute(revoke).await {
                    // Its status was unknown, and it is over.
                    Err(failure) if failure.status() == Some(404) && old.status(now).is_none() => {}
                    revoked => {
                        revoked.context(&format!("revoke the invitation of {email}"))?;
                    }
                }
            }
            invite(session, email, &role, *dry).await
        }
        InvitationsCommand::Revoke { id, dry } => {
            let removal = Removal {
                what: format!("revoke {id}"),
                question: format!("Revoke the invitation {id}? Its link stops working"),
                sentence: format!("revoked {id}; its link no longer works"),
                value: json!({"id": id, "revoked": true}),
            };
            dry.remove(invitations::revoke(*id), removal, session).await
        }
    }
}

/// Creates a join code for a member. Only a local service can.
async fn renew_member(
    session: &Session,
    member: &Member,
    email: &str,
    dry: &DryRun,
) -> Result<(), CliError> {
    let request = members::create_join_code(member.id);
    if dry.print_unsent(session.output, [&request])? {
        return Ok(());
    }
    match session.client.fetch_value::<Box<RawValue>>(request).await {
        Err(failure) if failure.status() == Some(404) => {
            let why = format!(
                "{email} is already a member, and this service creates no join codes for members"
            );
            Err(CliError::not_found(why))
        }
        created => {
            let invitation = created
                .context(&format!("create a join code for {email}"))?
                .value;
            let (role, columns) = (
                team_up::role_name(member.role.as_ref()),
                columns::INVITATION_LIST_COLUMNS,
            );
            team::print_with_code(&invitation, email, role, columns, session.output)?;
            team::print_code_note(&invitation, &format!("gantry invitations renew {email}"));
            Ok(())
        }
    }
}

/// Invites a person, and prints the invitation with its join code, if the service makes one.
async fn invite(session: &Session, email: &str, role: &Role, dry: DryRun) -> Result<(), CliError> {
    let request = invitations::create(email, role);
    let what = format!("invite {email}");
    let Some(invitation) = dry.send(request, &what, session).await? else {
        return Ok(());
    };
    let done = json!({"email": email, "role": role, "invited": true});
    let sentence = format!("invited {email} as {role}");
    let columns = columns::INVITATION_LIST_COLUMNS;
    match session.output.format {
        OutputFormat::Table if RawFields::from_raw(&invitation).iter().next().is_some() => {
            team::print_with_code(&invitation, email, role.as_str(), columns, session.output)?;
        }
        _ => session
            .output
            .print_write_result(&invitation, columns, &sentence, &done)?,
    }
    // If the workspace cannot be read, there is no notice.
    let workspace = session
        .client
        .workspace()
        .await
        .map(|answer| answer.value)
        .unwrap_or_default();
    if workspace.sends_invitations.is_some() {
        team::print_code_note(&invitation, &format!("gantry invitations renew {email}"));
    }
    Ok(())
}

/// Adds the status to an invitation whose row does not include one.
fn with_status(row: &RawValue) -> Box<RawValue> {
    let derived = || {
        let invitation: Invitation = serde_json::from_str(row.get()).ok()?;
        let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_str(row.get()).ok()?;
        let status = invitation.status(Utc::now());
        let status =
            to_raw_json(&status.as_ref().map_or("unknown", InvitationStatus::as_str)).ok()?;
        fields.insert("status", &status);
        to_raw_json(&fields).ok()
    };
    derived().unwrap_or_else(|| row.to_owned())
}

/// `gantry workspace`: prints everything that the service reports about workspace and user.
pub(super) async fn print_workspace(session: &Session) -> Result<(), CliError> {
    session
        .fetch_and_print(
            workspace::get(),
            columns::WORKSPACE_COLUMNS,
            "show the workspace",
        )
        .await
}
