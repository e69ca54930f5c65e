//! The database of a team before its service starts: whether its workspace has a name and its owner
//! is known, and how they get there.
//!
//! Never here: SQL, asking, a clock.

use chrono::{DateTime, Utc};

use super::db::members::NewMember;
use super::db::{self, DbError, Storage};
use super::import::initial_workspace;
use super::validation::{parse_email, parse_name};
use crate::domain::certificate::Fingerprint;
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

/// What a database lacks. A file that does not exist is not created. It must not be called on a
/// thread of an asynchronous runtime.
pub fn missing_setup(data: &Storage) -> Result<MissingSetup, DbError> {
    if matches!(data, Storage::File(file) if !file.exists()) {
        return Ok(MissingSetup {
            workspace: true,
            owner: true,
        });
    }
    let conn = db::open_writer(data)?;
    let Some(workspace) = db::workspaces::list(&conn)?
        .into_iter()
        .find(|workspace| workspace.plan == Plan::Pro)
    else {
        return Ok(MissingSetup {
            workspace: true,
            owner: true,
        });
    };
    let members = db::members::list(&conn, workspace.id)?;
    let owner = members
        .iter()
        .any(|member| member.email == initial_workspace::UNKNOWN_OWNER_EMAIL);
    Ok(MissingSetup {
        workspace: false,
        owner,
    })
}

/// The address and the certificate of the service that used a file last; `None` without one, and
/// for other databases. It must not be called on a thread of an asynchronous runtime.
pub fn last_address(data: &Storage) -> Result<Option<(String, Fingerprint)>, DbError> {
    let Storage::File(file) = data else {
        return Ok(None);
    };
    let address = db::join_codes::load_address(&db::open_reader(file)?)?;
    Ok(address.and_then(|address| Some((address.base_url, address.fingerprint?))))
}

/// Creates the workspace with its owner, or names the owner of an imported one.
/// It must not be called on a thread of an asynchronous runtime.
pub fn complete_setup(
    data: &Storage,
    workspace: &str,
    owner: &NewMember,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let conn = db::open_writer(data)?;
    let done = db::in_transaction(&conn, |tx| match db::workspaces::is_empty(tx)? {
        true => initial_workspace::create(tx, workspace, owner, now),
        false => db::members::name_user(tx, initial_workspace::UNKNOWN_OWNER_EMAIL, owner),
    });
    Ok(done?)
}

/// A person, by the rules of the service.
///
/// # Errors
/// What is wrong, in words.
pub fn new_member(name: &str, email: &str, role: Role) -> Result<NewMember, String> {
    Ok(NewMember {
        email: check_email(email)?,
        name: check_name(name)?,
        role,
    })
}

/// A name of a person or of a team, without the space around it.
///
/// # Errors
/// What is wrong, in words.
pub fn check_name(name: &str) -> Result<String, String> {
    parse_name(name)
        .map(str::to_owned)
        .ok_or_else(|| format!("{name:?} is not a valid name"))
}

/// An email address, in lower case.
///
/// # Errors
/// What is wrong, in words.
pub fn check_email(email: &str) -> Result<String, String> {
    parse_email(email).ok_or_else(|| format!("{email:?} is not an email address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_added_by_the_rules_of_the_service() {
        let ben = new_member(" Ben Ortiz ", " Ben@Desk.example", Role::Admin).unwrap();
        assert_eq!(
            (ben.name.as_str(), ben.email.as_str()),
            ("Ben Ortiz", "ben@desk.example")
        );
        for (name, email, fault) in [
            (
                "Ben \u{202e}zitrO",
                "ben@desk.example",
                r#""Ben \u{202e}zitrO" is not a valid name"#,
            ),
            (" ", "ben@desk.example", r#"" " is not a valid name"#),
            ("Ben", "ben@desk", r#""ben@desk" is not an email address"#),
            (
                "Ben",
                "be\u{200e}n@desk.example",
                r#""be\u{200e}n@desk.example" is not an email address"#,
            ),
        ] {
            assert_eq!(new_member(name, email, Role::Admin).unwrap_err(), fault);
        }
    }
}
