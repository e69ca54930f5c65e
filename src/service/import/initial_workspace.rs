//! Seeds a new database with a workspace subscribed to all signal types since the beginning of
//! time, and its owner.

use chrono::{DateTime, Utc};

use super::layout::PermitLayout;
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};
use crate::service::db::members::NewMember;
use crate::service::db::seed_workspace::{SeedMember, SeedSubscription, SeedWorkspace};
use crate::service::db::sql::Conn;
use crate::service::db::values::new_id;
use crate::service::db::{self, DbError};
use crate::service::sample::skills;

/// The address of an imported workspace's owner, until the person has said who they are.
pub const UNKNOWN_OWNER_EMAIL: &str = "owner@desk.example";

/// Creates a workspace without data for its owner.
pub fn create(
    conn: &Conn,
    name: &str,
    owner: &NewMember,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let workspace = new_workspace(
        WorkspaceId(new_id(now)),
        name,
        UserId(new_id(now)),
        owner,
        now,
    );
    db::seed_workspace::insert_workspace(conn, &workspace)?;
    skills::install_official_skills(conn, workspace.id, 0, now)?;
    db::queue::invalidate(conn)
}

/// Creates the workspace if the database has none, and marks every queue for a rebuild, since old
/// filings may be new to it.
pub fn create_if_missing(
    conn: &Conn,
    layout: &PermitLayout,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let transaction = conn.begin_write()?;
    if db::workspaces::is_empty(conn)? {
        let workspace = initial_workspace(layout, now);
        db::seed_workspace::insert_workspace(conn, &workspace)?;
        skills::install_official_skills(conn, workspace.id, 0, now)?;
    }
    db::queue::invalidate(conn)?;
    Ok(transaction.commit()?)
}

fn initial_workspace(layout: &PermitLayout, now: DateTime<Utc>) -> SeedWorkspace {
    let owner = NewMember {
        name: "Owner".to_owned(),
        email: UNKNOWN_OWNER_EMAIL.to_owned(),
        role: Role::Owner,
    };
    let (id, user) = (
        layout.stable_id("workspace", "desk"),
        layout.stable_id("user", "owner"),
    );
    new_workspace(id, &layout.source.display_name, user, &owner, now)
}

fn new_workspace(
    id: WorkspaceId,
    name: &str,
    user: UserId,
    owner: &NewMember,
    now: DateTime<Utc>,
) -> SeedWorkspace {
    let subscriptions = SignalType::ALL.iter().map(|signal_type| SeedSubscription {
        signal_type: signal_type.clone(),
        priority: default_priority(signal_type),
        email: false,
        notify_all_members: false,
        recipients: Vec::new(),
        created_at: now,
        watermark: DateTime::from_timestamp(-62_135_596_800, 0).unwrap_or_default(),
    });
    SeedWorkspace {
        members: vec![SeedMember {
            id: user,
            email: owner.email.clone(),
            first_name: owner.name.split_whitespace().next().map(str::to_owned),
            display_name: Some(owner.name.clone()),
            role: owner.role.clone(),
            joined_at: now,
            last_active_at: None,
        }],
        subscriptions: subscriptions.collect(),
        ..SeedWorkspace::new(id, name.to_owned(), Plan::Pro, now)
    }
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
