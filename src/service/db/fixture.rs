//! The people of a service that has no sample world yet: four workspaces with their members, and no records.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::members::{self, Member};
use super::workspaces::{self, Workspace};
use super::{Conn, Error};
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};

/// Makes them.
///
/// # Errors
/// When the database refuses.
pub fn fill(conn: &Conn, now: DateTime<Utc>) -> Result<(), Error> {
    for (number, (name, plan)) in (1u128..).zip([
        ("Northline Builders", Plan::Pro),
        ("Harbor Supply", Plan::Pro),
        ("Alder Surveying", Plan::Starter),
        ("Quay Joinery", Plan::Free),
    ]) {
        let id = WorkspaceId(Uuid::from_u128(number << 64));
        workspaces::create(conn, &Workspace { id, name: name.to_owned(), plan, created_at: now - TimeDelta::days(400) })?;
        for (place, role) in (1u128..).zip([Role::Owner, Role::Admin, Role::Member, Role::Member]) {
            let member = Member {
                id: UserId(Uuid::from_u128((number << 64) + place)),
                email: format!("person{place}@workspace{number}.example"),
                first_name: Some(format!("Person {place}")),
                display_name: None,
                avatar_object_key: None,
                last_active_at: None,
                role,
                joined_at: now - TimeDelta::days(400 - place as i64),
            };
            members::add(conn, id, &member)?;
        }
    }
    Ok(())
}
