//! Seeds a new database with a workspace subscribed to all signal types since the beginning of
//! time, and its owner.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::layout::PermitLayout;
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::workspace::Plan;
use crate::domain::{SubscriptionId, UserId, WorkspaceId};
use crate::service::db;
use crate::service::db::members::{MemberRow, NewMember};
use crate::service::db::sql::{Conn, Result};
use crate::service::db::subscriptions::{self, SubscriptionRow};
use crate::service::db::values::new_id;
use crate::service::db::workspaces::WorkspaceRow;
use crate::service::sample::skills;

/// The address of an imported workspace's owner, until the person has said who they are.
pub const UNKNOWN_OWNER_EMAIL: &str = "owner@desk.example";

/// Creates a workspace without data for its owner.
pub fn create(conn: &Conn, name: &str, owner: &NewMember, now: DateTime<Utc>) -> Result<()> {
    let (id, user) = (WorkspaceId(new_id(now)), UserId(new_id(now)));
    insert_workspace(conn, id, name, user, owner, now)?;
    db::queue::invalidate(conn)
}

/// Creates the workspace if the database has none, and marks every queue for a rebuild, since old
/// filings may be new to it.
pub fn create_if_missing(conn: &Conn, layout: &PermitLayout, now: DateTime<Utc>) -> Result<()> {
    let transaction = conn.begin_write()?;
    if db::workspaces::is_empty(conn)? {
        let owner = NewMember {
            name: "Owner".to_owned(),
            email: UNKNOWN_OWNER_EMAIL.to_owned(),
            role: Role::Owner,
        };
        let id = layout.stable_id("workspace", "desk");
        let user = layout.stable_id("user", "owner");
        insert_workspace(conn, id, &layout.source.display_name, user, &owner, now)?;
    }
    db::queue::invalidate(conn)?;
    transaction.commit()
}

fn insert_workspace(
    conn: &Conn,
    id: WorkspaceId,
    name: &str,
    user: UserId,
    owner: &NewMember,
    now: DateTime<Utc>,
) -> Result<()> {
    let workspace = WorkspaceRow {
        id,
        name: name.to_owned(),
        plan: Plan::Pro,
        created_at: now,
    };
    db::workspaces::create(conn, &workspace)?;
    db::members::add(conn, id, &MemberRow::new(user, owner, now))?;
    let beginning = DateTime::from_timestamp(-62_135_596_800, 0).unwrap_or_default();
    for signal_type in SignalType::ALL.iter() {
        let subscription = SubscriptionRow::new(
            SubscriptionId(Uuid::new_v5(&id.0, signal_type.as_str().as_bytes())),
            signal_type.clone(),
            default_priority(signal_type),
            now,
        );
        subscriptions::save(conn, id, &subscription, beginning)?;
    }
    skills::install_official_skills(conn, id, 0, now)
}

/// Ranks by urgency for sales: work that may begin, then work that was applied for, then the rest.
fn default_priority(signal_type: &SignalType) -> Priority {
    match signal_type {
        SignalType::PermitIssued
        | SignalType::EntitlementApproval
        | SignalType::ConstructionLoan => Priority::High,
        SignalType::Completion
        | SignalType::Withdrawal
        | SignalType::Expiration
        | SignalType::TeamUpdate => Priority::Low,
        _ => Priority::Medium,
    }
}
