//! The people of a service until the sample world brings its own: four workspaces with their members; the first is subscribed
//! to types of each priority.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::members::{self, Member};
use super::subscriptions::{self, Change};
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
        if number == 1 {
            for (word, priority) in [("permit_issued", "high"), ("permit_filed", "medium"), ("completion", "low")] {
                let change = Change { priority: Some(priority.into()), ..Change::default() };
                subscriptions::put_since(conn, id, &word.into(), &change, now - TimeDelta::days(200), now)?;
            }
        }
    }
    Ok(())
}
