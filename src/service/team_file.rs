//! The database of a team before its service starts: whether its workspace has a name and its owner is known, and how they get there.
//!
//! Never here: SQL, asking, a clock.

use chrono::{DateTime, Utc};

use super::db::members::NewMember;
use super::db::{self, DbError, Storage};
use super::import::initial_workspace;
use crate::domain::members::Role;
use crate::domain::workspace::Plan;

/// What has to be known before a team can use a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSetup {
    /// There is no workspace: the database is new.
    pub workspace: bool,
    /// Nobody has said who the owner is, as after an import.
    pub owner: bool,
}

/// What a database lacks. A file that does not exist is not created. It must not be called on a thread of an asynchronous runtime.
pub fn missing_setup(data: &Storage) -> Result<MissingSetup, DbError> {
    if matches!(data, Storage::File(file) if !file.exists()) {
        return Ok(MissingSetup { workspace: true, owner: true });
    }
    let conn = db::open_writer(data)?;
    let Some(workspace) = db::workspaces::list(&conn)?.into_iter().find(|workspace| workspace.plan == Plan::Pro) else {
        return Ok(MissingSetup { workspace: true, owner: true });
    };
    let members = db::members::list(&conn, workspace.id)?;
    let owner = members.iter().any(|member| member.email == initial_workspace::UNKNOWN_OWNER_EMAIL);
    Ok(MissingSetup { workspace: false, owner })
}

/// Creates the workspace with its owner, or names the owner of an imported one.
/// It must not be called on a thread of an asynchronous runtime.
pub fn complete_setup(data: &Storage, workspace: &str, owner: &NewMember, now: DateTime<Utc>) -> Result<(), DbError> {
    let conn = db::open_writer(data)?;
    db::in_transaction(&conn, |tx| match db::workspaces::is_empty(tx)? {
        true => initial_workspace::create(tx, workspace, owner, now),
        false => db::members::name_user(tx, initial_workspace::UNKNOWN_OWNER_EMAIL, owner),
    })
}

/// The owner of a team's workspace.
pub fn new_owner(name: &str, email: &str) -> NewMember {
    NewMember { name: name.to_owned(), email: email.to_lowercase(), role: Role::Owner }
}
