//! `gantry members`, `invitations` and `workspace`: who is here.

use std::collections::BTreeMap;

use chrono::Utc;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use serde_json::value::RawValue;

use crate::client::{Client, invitations, members, workspace};
use crate::domain::members::{Invitation, Role};
use crate::domain::{InvitationId, UserId};
use crate::service::{self, db::members::NewMember};

use super::args::Format;
use super::desk::workspace_id;
use super::dry::DryRun;
use super::output::{Output, raw};
use super::stop::{self, Doing, Stop};
use super::{columns, print};

/// What can be done with members.
#[derive(Debug, Subcommand)]
pub enum Members {
    /// List the members
    #[command(after_help = "Example: gantry --demo members list")]
    List,
    /// Let a person into a local file: prints a token for them, this once
    #[command(after_help = "Example: gantry members add 'Ann Lee' ann@example.com member --local desk.db\n\n\
        They sign in with the token while gantry serve --data FILE runs; it may be running now. The token holds for 30 days, and the \
        same line gives a new one.")]
    Add(Add),
    /// Give a member another role
    #[command(
        after_help = "Example: gantry --demo members set $(gantry --demo members list --format csv | grep ,member, | head -1 | cut -d, -f1) --role admin"
    )]
    Set {
        /// The member
        user: UserId,
        /// The role
        #[arg(long)]
        role: Position,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Remove a member from the workspace
    #[command(
        after_help = "Example: gantry --demo members remove $(gantry --demo members list --format csv | grep ,member, | head -1 | cut -d, -f1)"
    )]
    Remove {
        /// The member
        user: UserId,
        #[command(flatten)]
        dry: DryRun,
    },
}

/// Somebody who is let in.
#[derive(Debug, Args)]
pub struct Add {
    /// The name
    name: String,
    /// The e-mail address
    email: String,
    /// The role
    #[arg(default_value = "member")]
    role: Position,
}

/// What can be done with invitations.
#[derive(Debug, Subcommand)]
pub enum Invitations {
    /// List the invitations, those that are over too
    #[command(after_help = "Example: gantry --demo invitations list")]
    List,
    /// Invite somebody
    #[command(after_help = "Example: gantry --demo invitations create new@northline.example --role member")]
    Create {
        /// The address
        email: String,
        /// The role
        #[arg(long, default_value = "member")]
        role: Invited,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Revoke an invitation: its link is invalid at once
    #[command(
        after_help = "Example: gantry --demo invitations revoke $(gantry --demo invitations list --format csv | grep ,pending, | head -1 | cut -d, -f1)"
    )]
    Revoke {
        /// The invitation
        id: InvitationId,
        #[command(flatten)]
        dry: DryRun,
    },
}

/// A role.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Position {
    Owner,
    Admin,
    Member,
}

/// A role that can be offered.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Invited {
    Admin,
    Member,
}

impl From<Position> for Role {
    fn from(position: Position) -> Role {
        match position {
            Position::Owner => Role::Owner,
            Position::Admin => Role::Admin,
            Position::Member => Role::Member,
        }
    }
}

/// Lets a person into the file of `--local`.
pub(super) fn add(add: &Add, args: &super::args::Args, output: Output) -> Result<(), Stop> {
    let Some(file) = &args.local else {
        let words = "members add works on a file: name it with --local FILE. Into a service elsewhere people are invited: gantry \
                     invitations create EMAIL";
        return Err(Stop::usage(words));
    };
    let person = NewMember { name: add.name.trim().to_owned(), email: add.email.trim().to_lowercase(), role: add.role.into() };
    let is_address = person.email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let odd = |text: &str| text.is_empty() || text.len() > 254 || text.contains(char::is_control);
    if !is_address || odd(&person.email) || person.email.contains(char::is_whitespace) {
        return Err(Stop::usage(format!("{:?} is no e-mail address", add.email)));
    }
    if odd(&person.name) {
        return Err(Stop::usage(format!("{:?} is no name", add.name)));
    }
    let named = workspace_id(args.workspace.as_deref())?;
    let what = format!("let {} into {}", person.email, file.display());
    let admitted = service::admit_member(file, named, &person, chrono::Utc::now())
        .map_err(|error| Stop::new(stop::FAILED, error.to_string()))
        .doing(&what)?
        .ok_or_else(|| Stop::new(stop::NOT_FOUND, format!("cannot {what}: the file holds no such workspace")))?;
    let (member, workspace) = (&admitted.member, &admitted.workspace);
    print::note(&format!(
        "{} {} {}, as {}. The token is shown only this once and holds for {} days. They sign in with: gantry login --base-url URL, \
         with the address that gantry serve --data {} prints",
        member.display_name.as_deref().unwrap_or(&member.email),
        if admitted.was_member { "was already in" } else { "is now in" },
        workspace.name,
        member.role,
        service::CREDENTIAL_LIFETIME_DAYS,
        file.display()
    ));
    let told = serde_json::json!({
        "workspace_id": workspace.id, "user_id": member.id, "email": member.email, "role": member.role,
        "access_token": admitted.access_token,
    });
    output.done(&admitted.access_token, &told)
}

pub(super) async fn members(verb: &Members, client: &Client, output: Output) -> Result<(), Stop> {
    match verb {
        Members::List => output.all(client, members::list(), columns::MEMBERS).await.doing("list members").map(drop),
        // It needs a file and no service.
        Members::Add(_) => Ok(()),
        Members::Set { user, role, dry } => {
            let role = Role::from(*role);
            let request = members::set_role(*user, &role);
            if dry.tells(output, std::slice::from_ref(&request))? {
                return Ok(());
            }
            let member = client.value::<Box<RawValue>>(request).await.doing(&format!("change {user}"))?;
            let done = json!({"id": user, "role": role});
            output.written(&member.value, columns::MEMBERS, &format!("{user} is {role} now"), &done)
        }
        Members::Remove { user, dry } => {
            let request = members::remove(*user);
            if dry.tells(output, std::slice::from_ref(&request))? {
                return Ok(());
            }
            client.done(request).await.doing(&format!("remove {user}"))?;
            output.done(&format!("removed {user} from the workspace"), &json!({"id": user, "removed": true}))
        }
    }
}

pub(super) async fn invitations(verb: &Invitations, client: &Client, output: Output) -> Result<(), Stop> {
    match verb {
        Invitations::List => {
            let mut rows = client.rows::<Box<RawValue>>(invitations::list()).await.doing("list invitations")?.value;
            // JSON is what the service sent.
            if matches!(output.format, Format::Table | Format::Csv) {
                rows.rows = rows.rows.iter().map(|row| with_status(row)).collect();
            }
            output.whole(&rows, columns::INVITATIONS)
        }
        Invitations::Create { email, role, dry } => {
            let role = match role {
                Invited::Admin => Role::Admin,
                Invited::Member => Role::Member,
            };
            let request = invitations::create(email, &role);
            if dry.tells(output, std::slice::from_ref(&request))? {
                return Ok(());
            }
            let invitation = client.value::<Box<RawValue>>(request).await.doing(&format!("invite {email}"))?;
            let done = json!({"email": email, "role": role, "invited": true});
            output.written(&invitation.value, columns::INVITATIONS, &format!("invited {email} as {role}"), &done)?;
            // Where that cannot be read nothing is known of it.
            let workspace = client.workspace().await.map(|answer| answer.value).unwrap_or_default();
            workspace.invitation_notice().into_iter().for_each(print::note);
            Ok(())
        }
        Invitations::Revoke { id, dry } => {
            let request = invitations::revoke(*id);
            if dry.tells(output, std::slice::from_ref(&request))? {
                return Ok(());
            }
            client.done(request).await.doing(&format!("revoke {id}"))?;
            output.done(&format!("revoked {id}; its link is invalid"), &json!({"id": id, "revoked": true}))
        }
    }
}

/// An invitation with what has become of it, where the service does not say so in a word.
fn with_status(row: &RawValue) -> Box<RawValue> {
    let told = || {
        let invitation: Invitation = serde_json::from_str(row.get()).ok()?;
        let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_str(row.get()).ok()?;
        let status = raw(&invitation.status(Utc::now())).ok()?;
        fields.insert("status", &status);
        raw(&fields).ok()
    };
    told().unwrap_or_else(|| row.to_owned())
}

/// `gantry workspace`: who and where, whatever the service tells.
pub(super) async fn workspace(client: &Client, output: Output) -> Result<(), Stop> {
    let record = client.value::<Box<RawValue>>(workspace::get()).await.doing("show the workspace")?;
    output.record(&record.value, columns::WORKSPACE)
}
