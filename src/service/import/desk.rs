//! The desk of a new database: one workspace that hears of every type of signal from the beginning of time, and its owner.

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::layout::Layout;
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::workspace::Plan;
use crate::service::db::{self, Error};
use crate::service::sample::skills;
use crate::service::sample::tenants::{Member, Subscription, Tenant};

/// Makes the desk, unless the database has a workspace; and has every queue made anew, since old filings may be news to it.
///
/// # Errors
/// When the database refuses.
pub fn open(conn: &Connection, layout: &Layout, now: DateTime<Utc>) -> Result<(), Error> {
    let transaction = conn.unchecked_transaction()?;
    if db::workspaces::none(conn)? {
        let desk = desk(layout, now);
        db::tenants::create(conn, &desk)?;
        skills::official(conn, desk.id, 0, now)?;
    }
    db::queue::forget(conn)?;
    Ok(transaction.commit()?)
}

fn desk(layout: &Layout, now: DateTime<Utc>) -> Tenant {
    let subscriptions = SignalType::ALL.iter().map(|signal_type| Subscription {
        signal_type: signal_type.clone(),
        priority: priority(signal_type),
        email: false,
        notify_all_members: false,
        recipients: Vec::new(),
        created_at: now,
        watermark: DateTime::from_timestamp(-62_135_596_800, 0).unwrap_or_default(),
    });
    Tenant {
        id: layout.id("workspace", "desk"),
        name: layout.source.display_name.clone(),
        plan: Plan::Pro,
        created_at: now,
        members: vec![Member {
            id: layout.id("user", "owner"),
            email: "owner@desk.example".to_owned(),
            first_name: Some("Owner".to_owned()),
            display_name: Some("Owner".to_owned()),
            role: Role::Owner,
            joined_at: now,
            last_active_at: None,
        }],
        subscriptions: subscriptions.collect(),
        book: Vec::new(),
        views: Vec::new(),
        favorites: Vec::new(),
        invitations: Vec::new(),
        done: Vec::new(),
        spent: Vec::new(),
    }
}

/// What moves a sale comes first: work that may begin, then work that is asked for, then the rest.
fn priority(signal_type: &SignalType) -> Priority {
    match signal_type {
        SignalType::PermitIssued | SignalType::EntitlementApproval | SignalType::ConstructionLoan => Priority::High,
        SignalType::Completion | SignalType::Withdrawal | SignalType::Expiration | SignalType::TeamUpdate => Priority::Low,
        _ => Priority::Medium,
    }
}
