//! Tenants: the workspaces of the sample world, as plain values. Two teams that live off the service, each with its people, book,
//! Views, subscriptions and the queue they have been working on; and two that only have an account. Never here: a table.

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
use crate::service::search::Dataset;

/// A workspace with all that belongs to it.
pub struct SeedWorkspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// What it pays for.
    pub plan: Plan,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its people, longest first.
    pub members: Vec<SeedMember>,
    /// What it hears of.
    pub subscriptions: Vec<SeedSubscription>,
    /// What it saved.
    pub book: Vec<SeedBookEntry>,
    /// Its Views.
    pub views: Vec<SeedView>,
    /// Who keeps which View at hand.
    pub favorites: Vec<(UserId, ViewId)>,
    /// Whom it asked to join.
    pub invitations: Vec<SeedInvitation>,
    /// What it has dealt with: signal, who, when.
    pub triaged: Vec<(SignalId, UserId, DateTime<Utc>)>,
    /// What it spent today: credits by moment.
    pub credits_spent: Vec<(DateTime<Utc>, i64)>,
}

/// A member.
pub struct SeedMember {
    /// The user's id.
    pub id: UserId,
    /// The address.
    pub email: String,
    /// The first name, if given.
    pub first_name: Option<String>,
    /// The name for colleagues, if given.
    pub display_name: Option<String>,
    /// The role.
    pub role: Role,
    /// When the user joined.
    pub joined_at: DateTime<Utc>,
    /// When the user was last seen.
    pub last_active_at: Option<DateTime<Utc>>,
}

/// A subscription.
pub struct SeedSubscription {
    /// The type.
    pub signal_type: SignalType,
    /// The priority.
    pub priority: Priority,
    /// Whether mails go out.
    pub email: bool,
    /// To everybody.
    pub notify_all_members: bool,
    /// Or to these.
    pub recipients: Vec<UserId>,
    /// When the workspace subscribed.
    pub created_at: DateTime<Utc>,
    /// Signals that were found after it are in the queue.
    pub watermark: DateTime<Utc>,
}

/// A record of the book with its annotations.
pub struct SeedBookEntry {
    /// Which book.
    pub dataset: Dataset,
    /// The record.
    pub record: Uuid,
    /// The tier of an account.
    pub icp_tier: Option<&'static str>,
    /// The score of an account and its trend.
    pub atlas: Option<(i64, &'static str)>,
    /// The state of work.
    pub workspace_status: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// A View.
pub struct SeedView {
    /// Its id.
    pub id: ViewId,
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: Option<&'static str>,
    /// Of what.
    pub dataset: Dataset,
    /// The definition of a Dynamic View; a Static one has none.
    pub definition: Option<Value>,
    /// The members of a Static View.
    pub records: Vec<Uuid>,
    /// Who made it.
    pub created_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// An invitation.
pub struct SeedInvitation {
    /// Its id.
    pub id: InvitationId,
    /// To whom.
    pub email: String,
    /// As what.
    pub role: Role,
    /// By whom.
    pub invited_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was taken up.
    pub accepted_at: Option<DateTime<Utc>>,
    /// When it was taken back.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// The four workspaces of a world, the first with so many accounts in its book if it is told.
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
        // The last of a larger team was invited and has not come yet.
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
