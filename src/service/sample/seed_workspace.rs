//! The workspaces of the sample world, as plain values. Two teams that rely on the service, each with its people, book, Views,
//! subscriptions and a partly processed queue; and two that only have an account. Never here: SQL.

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::firms::slug;
use super::rng::SampleRng;
use super::timeline::nearest_office_hour;
use super::word_lists::word_lists;
use super::{SampleWorld, people, team_activity};
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

/// The four workspaces of a world, the first with `book` accounts in its book if given.
pub fn generate_workspaces(seed: u64, world: &SampleWorld, book: Option<usize>, now: DateTime<Utc>) -> Vec<SeedWorkspace> {
    let names = &word_lists().workspaces;
    let mut chance = SampleRng::new(seed, 2);
    let pro = [Role::Owner, Role::Admin, Role::Member, Role::Member, Role::Member];
    let mut first = generate_team(&mut chance, &names["pro_one"], Plan::Pro, 412, &pro, now);
    team_activity::generate_activity(&mut chance, &mut first, &team_activity::FIRST_TEAM, book, world, now);
    let mut second = generate_team(&mut chance, &names["pro_two"], Plan::Pro, 233, &pro[..4], now);
    team_activity::generate_activity(&mut chance, &mut second, &team_activity::SECOND_TEAM, None, world, now);
    let starter = generate_team(&mut chance, &names["starter"], Plan::Starter, 96, &[Role::Owner, Role::Member], now);
    let free = generate_team(&mut chance, &names["free"], Plan::Free, 12, &[Role::Owner], now);
    vec![first, second, starter, free]
}

fn generate_team(chance: &mut SampleRng, name: &str, plan: Plan, days: i64, roles: &[Role], now: DateTime<Utc>) -> SeedWorkspace {
    let created_at = nearest_office_hour(chance, now - Duration::days(days), now);
    let domain = format!("{}.example", slug(name, ""));
    let mut members: Vec<SeedMember> = Vec::new();
    for (nth, role) in roles.iter().enumerate() {
        let (mut first, mut last) = people::random_name(chance);
        while members.iter().any(|known| known.first_name.as_deref() == Some(first)) {
            (first, last) = people::random_name(chance);
        }
        // The last member of a larger team is invited but has not joined yet.
        let absent = nth == 4;
        let joined = created_at + Duration::days(days * nth as i64 / 6);
        let joined_at = if nth == 0 { created_at } else { nearest_office_hour(chance, joined, now).max(created_at) };
        members.push(SeedMember {
            id: chance.random_id(),
            email: format!("{}.{}@{domain}", slug(first, ""), slug(last, "")),
            first_name: (!absent).then(|| first.to_owned()),
            display_name: (!absent).then(|| format!("{first} {last}")),
            role: role.clone(),
            joined_at,
            last_active_at: (!absent)
                .then(|| now - Duration::minutes([4, 55, 21, 2_900][nth.min(3)] + chance.int_between(0, 40))),
        });
    }
    SeedWorkspace {
        id: chance.random_id(),
        name: name.to_owned(),
        plan,
        created_at,
        members,
        subscriptions: Vec::new(),
        book: Vec::new(),
        views: Vec::new(),
        favorites: Vec::new(),
        invitations: Vec::new(),
        triaged: Vec::new(),
        credits_spent: Vec::new(),
    }
}
