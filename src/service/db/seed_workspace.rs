//! Writes whole workspaces: everything that the sample world or an import puts into a new one, at
//! once.
//!
//! It adds and never changes; later changes are made by the modules of each kind of record.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::sql::params;
use super::subscriptions::priority_rank;
use super::values::to_millis;
use super::{Conn, DbError, atlas, invitations, members, workspaces};
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::workspace::Plan;
use crate::domain::{InvitationId, SignalId, UserId, ViewId, WorkspaceId};
use crate::service::dataset::Dataset;

/// A workspace with everything that belongs to it.
pub struct SeedWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: Plan,
    pub created_at: DateTime<Utc>,
    /// Its members, longest-standing first.
    pub members: Vec<SeedMember>,
    pub subscriptions: Vec<SeedSubscription>,
    /// Its book.
    pub book: Vec<SeedBookEntry>,
    pub views: Vec<SeedView>,
    /// Who has which View as a favorite.
    pub favorites: Vec<(UserId, ViewId)>,
    pub invitations: Vec<SeedInvitation>,
    /// The signals marked as done: which, by whom, when.
    pub triaged: Vec<(SignalId, UserId, DateTime<Utc>)>,
    /// Today's spending: credits by moment.
    pub credits_spent: Vec<(DateTime<Utc>, i64)>,
}

impl SeedWorkspace {
    /// A workspace in which nobody is yet, and nothing.
    pub fn new(
        id: WorkspaceId,
        name: String,
        plan: Plan,
        created_at: DateTime<Utc>,
    ) -> SeedWorkspace {
        SeedWorkspace {
            id,
            name,
            plan,
            created_at,
            members: Vec::new(),
            subscriptions: Vec::new(),
            book: Vec::new(),
            views: Vec::new(),
            favorites: Vec::new(),
            invitations: Vec::new(),
            triaged: Vec::new(),
            credits_spent: Vec::new(),
        }
    }
}

pub struct SeedMember {
    pub id: UserId,
    pub email: String,
    /// The first name, if given.
    pub first_name: Option<String>,
    /// The name shown to colleagues, if given.
    pub display_name: Option<String>,
    pub role: Role,
    pub joined_at: DateTime<Utc>,
    /// When the user was last active.
    pub last_active_at: Option<DateTime<Utc>>,
}

pub struct SeedSubscription {
    pub signal_type: SignalType,
    pub priority: Priority,
    /// Whether it sends mails.
    pub email: bool,
    /// Whether all members get them.
    pub notify_all_members: bool,
    /// Otherwise, who gets them.
    pub recipients: Vec<UserId>,
    /// When the workspace subscribed.
    pub created_at: DateTime<Utc>,
    /// Signals discovered after it are in the queue.
    pub watermark: DateTime<Utc>,
}

/// A record of the book with its annotations.
pub struct SeedBookEntry {
    pub dataset: Dataset,
    pub record: Uuid,
    /// The tier of an account.
    pub icp_tier: Option<&'static str>,
    /// The score of an account and its trend.
    pub atlas: Option<(i64, &'static str)>,
    /// The status of the team's work on the record.
    pub workspace_status: Option<String>,
    pub notes: Option<String>,
    pub tags: Vec<String>,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

pub struct SeedView {
    pub id: ViewId,
    pub name: &'static str,
    pub description: Option<&'static str>,
    pub dataset: Dataset,
    /// The definition of a Dynamic View; `None` for a Static View.
    pub definition: Option<Value>,
    /// The records of a Static View.
    pub records: Vec<Uuid>,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
}

pub struct SeedInvitation {
    pub id: InvitationId,
    pub email: String,
    pub role: Role,
    pub invited_by: UserId,
    pub created_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Writes a workspace with everything that belongs to it; its queue follows with the next
/// [`super::queue::advance`], the scores of its accounts with the next
/// [`atlas::compute_due_scores`].
pub fn insert_workspace(conn: &Conn, tenant: &SeedWorkspace) -> Result<(), DbError> {
    let id = tenant.id;
    let workspace = workspaces::WorkspaceRow {
        id,
        name: tenant.name.clone(),
        plan: tenant.plan.clone(),
        created_at: tenant.created_at,
    };
    workspaces::create(conn, &workspace)?;
    for member in &tenant.members {
        let member = members::MemberRow {
            id: member.id,
            email: member.email.clone(),
            first_name: member.first_name.clone(),
            display_name: member.display_name.clone(),
            avatar_object_key: None,
            last_active_at: member.last_active_at,
            role: member.role.clone(),
            joined_at: member.joined_at,
        };
        members::add(conn, id, &member)?;
    }
    insert_subscriptions(conn, tenant)?;
    insert_book(conn, tenant)?;
    insert_views(conn, tenant)?;
    insert_invitations(conn, tenant)?;
    let mut done =
        conn.prepare_cached("INSERT INTO triage (workspace_id, signal_id, triaged_by, triaged_at) VALUES (?1, ?2, ?3, ?4)")?;
    for (signal, user, at) in &tenant.triaged {
        done.execute(params![id.0, signal.0, user.to_string(), to_millis(*at)])?;
    }
    let mut spent = conn.prepare_cached(
        "INSERT INTO spending (workspace_id, minute, credits) VALUES (?1, ?2, ?3)
         ON CONFLICT (workspace_id, minute) DO UPDATE SET credits = spending.credits + excluded.credits",
    )?;
    for (at, credits) in &tenant.credits_spent {
        spent.execute(params![id.0, to_millis(*at).div_euclid(60_000), credits])?;
    }
    Ok(())
}

fn insert_subscriptions(conn: &Conn, tenant: &SeedWorkspace) -> Result<(), DbError> {
    let mut row = conn.prepare_cached(
        "INSERT INTO subscriptions (workspace_id, signal_type, id, priority, channels, notify_all_members, recipient_user_ids,
           watermark, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
    )?;
    for subscription in &tenant.subscriptions {
        let word = subscription.signal_type.as_str();
        row.execute(params![
            tenant.id.0,
            word,
            Uuid::new_v5(&tenant.id.0, word.as_bytes()),
            priority_rank(subscription.priority.as_str()).unwrap_or(1),
            if subscription.email {
                r#"["email"]"#
            } else {
                "[]"
            },
            subscription.notify_all_members,
            json!(subscription.recipients).to_string(),
            to_millis(subscription.watermark),
            to_millis(subscription.created_at)
        ])?;
    }
    Ok(())
}

fn insert_book(conn: &Conn, tenant: &SeedWorkspace) -> Result<(), DbError> {
    let mut row = conn.prepare_cached(
        "INSERT INTO book (workspace_id, dataset, record_id, icp_tier, atlas_score, atlas_trend, workspace_status, notes, tags,
           created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for entry in &tenant.book {
        let (score, trend) = entry.atlas.unzip();
        row.execute(params![
            tenant.id.0,
            entry.dataset.singular(),
            entry.record,
            entry.icp_tier,
            score,
            trend,
            entry.workspace_status,
            entry.notes,
            json!(entry.tags).to_string(),
            to_millis(entry.created_at),
            to_millis(entry.updated_at)
        ])?;
        if entry.atlas.is_some() {
            atlas::schedule_score(conn, tenant.id, entry.record)?;
        }
    }
    Ok(())
}

fn insert_views(conn: &Conn, tenant: &SeedWorkspace) -> Result<(), DbError> {
    let mut row = conn.prepare_cached(
        "INSERT INTO views (workspace_id, id, name, description, dataset, kind, definition, created_by, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
    )?;
    let mut member =
        conn.prepare_cached("INSERT INTO view_records (workspace_id, view_id, record_id, added_at) VALUES (?1, ?2, ?3, ?4)")?;
    for view in &tenant.views {
        let created_at = to_millis(view.created_at);
        row.execute(params![
            tenant.id.0,
            view.id.0,
            view.name,
            view.description,
            view.dataset.singular(),
            if view.definition.is_some() {
                "dynamic"
            } else {
                "static"
            },
            view.definition.as_ref().map(Value::to_string),
            view.created_by.to_string(),
            created_at
        ])?;
        for record in &view.records {
            member.execute(params![tenant.id.0, view.id.0, record, created_at])?;
        }
    }
    let mut favorite = conn.prepare_cached(
        "INSERT INTO favorites (workspace_id, user_id, view_id, position, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut position = 0;
    let mut last = None;
    for (user, view) in &tenant.favorites {
        position = if last == Some(user) { position + 1 } else { 0 };
        last = Some(user);
        favorite.execute(params![
            tenant.id.0,
            user.0,
            view.0,
            position,
            to_millis(tenant.created_at)
        ])?;
    }
    Ok(())
}

fn insert_invitations(conn: &Conn, tenant: &SeedWorkspace) -> Result<(), DbError> {
    let mut row = conn.prepare_cached(
        "INSERT INTO invitations (workspace_id, id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for invitation in &tenant.invitations {
        row.execute(params![
            tenant.id.0,
            invitation.id.0,
            invitation.email,
            invitation.role.as_str(),
            invitation.invited_by.to_string(),
            to_millis(invitation.created_at),
            to_millis(
                invitation.created_at + TimeDelta::days(invitations::INVITATION_LIFETIME_DAYS)
            ),
            invitation.accepted_at.map(to_millis),
            invitation.revoked_at.map(to_millis)
        ])?;
    }
    Ok(())
}
