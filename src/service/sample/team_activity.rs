//! Team activity: what a team that relies on the service has done with it so far. Its
//! subscriptions, book, Views, invitations, and the signals it has triaged.

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::firm_directory::{FirmType, SampleFirm};
use super::firms::slug;
use super::rng::SampleRng;
use super::timeline::nearest_office_hour;
use super::word_lists::{parse_embedded, word_lists};
use super::{ProjectSummary, SampleWorld};
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, UserId};
use crate::service::dataset::Dataset;
use crate::service::db::seed_workspace::{
    SeedBookEntry, SeedInvitation, SeedSubscription, SeedView, SeedWorkspace,
};

/// The teams that rely on the service, and what they write, from `assets/sample/teams.toml`.
#[derive(Deserialize)]
pub struct Teams {
    pub first: TeamProfile,
    pub second: TeamProfile,
    annotations: Annotations,
    views: Vec<SampleView>,
}

/// How a team treats the signals and records it has seen.
#[derive(Deserialize)]
pub struct TeamProfile {
    states: Vec<String>,
    region: Region,
    book: BookSize,
    /// The share of old signals that are done.
    triage_rate: f64,
    subscriptions: SubscribedTypes,
}

#[derive(Deserialize)]
struct Region {
    name: String,
    states: Vec<String>,
}

#[derive(Deserialize)]
struct BookSize {
    accounts: usize,
    contacts: usize,
    projects: usize,
}

#[derive(Deserialize)]
struct SubscribedTypes {
    high: Vec<SignalType>,
    medium: Vec<SignalType>,
    low: Vec<SignalType>,
}

#[derive(Deserialize)]
struct Annotations {
    tags: Vec<String>,
    tiers: Vec<(String, i64)>,
    account: Remarks,
    contact: Remarks,
    project: Remarks,
}

#[derive(Deserialize)]
struct Remarks {
    statuses: Vec<String>,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct SampleView {
    name: String,
    description: Option<String>,
    dataset: String,
    conditions: Option<Vec<Value>>,
    #[serde(default)]
    saved: usize,
}

/// The teams, parsed on first use.
pub fn teams() -> &'static Teams {
    static TEAMS: LazyLock<Teams> =
        LazyLock::new(|| parse_embedded(include_str!("../../../assets/sample/teams.toml")));
    &TEAMS
}

/// What a team has done so far; with `book` accounts in its book, from any region, if given.
pub fn generate_activity(
    rng: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &'static TeamProfile,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    add_subscriptions(tenant, habits, now);
    add_book(rng, tenant, habits, book, world, now);
    add_views(rng, tenant, habits, now);
    add_invitations(rng, tenant, now);
    add_triage(rng, tenant, habits, world, now);
    for hour in 0..7 {
        tenant.credits_spent.push((
            now - Duration::minutes(hour * 97 + 11),
            rng.int_between(12, 260),
        ));
    }
}

fn add_subscriptions(tenant: &mut SeedWorkspace, habits: &TeamProfile, now: DateTime<Utc>) {
    let by_priority = [
        (Priority::High, &habits.subscriptions.high),
        (Priority::Medium, &habits.subscriptions.medium),
        (Priority::Low, &habits.subscriptions.low),
    ];
    let since = tenant.created_at.max(now - Duration::days(190)) + Duration::hours(3);
    for (priority, types) in by_priority {
        for (nth, signal_type) in types.iter().enumerate() {
            let high = priority == Priority::High;
            tenant.subscriptions.push(SeedSubscription {
                signal_type: signal_type.clone(),
                priority: priority.clone(),
                email: high,
                notify_all_members: high && nth == 0,
                recipients: if high && nth > 0 {
                    tenant
                        .members
                        .iter()
                        .take(2)
                        .map(|member| member.id)
                        .collect()
                } else {
                    Vec::new()
                },
                created_at: since + Duration::minutes(nth as i64),
                watermark: since - Duration::days(14),
            });
        }
    }
}

fn add_book(
    rng: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &TeamProfile,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    let home = |firm: &SampleFirm| {
        habits
            .states
            .contains(&word_lists().cities[firm.home_city].state)
    };
    let buyer = |firm: &SampleFirm| {
        matches!(
            firm.kind,
            FirmType::Developer | FirmType::Gc | FirmType::Architect | FirmType::Owner
        )
    };
    let mut firms: Vec<&SampleFirm> = world
        .directory
        .firms
        .iter()
        .filter(|firm| home(firm) && buyer(firm))
        .collect();
    // Never more than a third of a small world, so that there is always something new.
    let BookSize {
        accounts,
        contacts,
        projects,
    } = habits.book;
    firms.truncate(accounts.max(15).min(world.directory.firms.len() / 3) * 2);
    let mut kept: Vec<&SampleFirm> = Vec::new();
    let (aliased, plain): (Vec<&SampleFirm>, Vec<&SampleFirm>) =
        firms.into_iter().partition(|firm| firm.has_aliases);
    kept.extend(aliased.into_iter().take(accounts * 2 / 3));
    kept.extend(plain.into_iter().take(accounts - kept.len()));
    if let Some(book) = book {
        let known: HashSet<_> = kept.iter().map(|firm| firm.id).collect();
        kept.extend(
            world
                .directory
                .firms
                .iter()
                .filter(|firm| !known.contains(&firm.id)),
        );
        kept.truncate(book);
    }
    for (nth, firm) in kept.iter().enumerate() {
        let tiers = &teams().annotations.tiers;
        let (tier, base) = &tiers[rng.int_between(0, tiers.len() as i64 - 1) as usize];
        let plain = book_entry(rng, Dataset::Accounts, firm.id.0, tenant, now);
        let cold = (tier == "disqualified").then(|| "cold".to_owned());
        let entry = SeedBookEntry {
            icp_tier: (nth < 15 || rng.random_bool(0.85)).then_some(tier.as_str()),
            atlas: (nth < 15 || rng.random_bool(0.9)).then(|| {
                (
                    base + rng.int_between(-9, 12),
                    *rng.pick(&["up", "flat", "flat", "down"]),
                )
            }),
            workspace_status: cold.or(plain.workspace_status),
            ..plain
        };
        tenant.book.push(entry);
    }
    for person in kept
        .iter()
        .flat_map(|firm| firm.staff.iter().take(3))
        .take(contacts)
    {
        let entry = book_entry(rng, Dataset::Contacts, person.id.0, tenant, now);
        tenant.book.push(entry);
    }
    let is_near = |place: &&ProjectSummary| {
        let state = place.state.as_ref();
        state.is_some_and(|state| habits.states.contains(state))
            && place.stage.as_deref() != Some("completed")
    };
    let is_ours = |id: &AccountId| kept.iter().any(|known| known.id == *id);
    let is_wanted = |place: &&ProjectSummary| {
        place.firms.iter().any(is_ours) || place.primary_use.as_deref() == Some("multifamily")
    };
    let most = projects.min(world.projects.len() / 4);
    let places = world.projects.iter().filter(is_near).filter(is_wanted);
    for place in places.take(most) {
        let entry = book_entry(rng, Dataset::Projects, place.id.0, tenant, now);
        tenant.book.push(entry);
    }
}

fn book_entry(
    rng: &mut SampleRng,
    dataset: Dataset,
    record: Uuid,
    tenant: &SeedWorkspace,
    now: DateTime<Utc>,
) -> SeedBookEntry {
    let words = &teams().annotations;
    let remarks = match dataset {
        Dataset::Accounts => &words.account,
        Dataset::Contacts => &words.contact,
        Dataset::Projects | Dataset::Signals => &words.project,
    };
    let mut own: Vec<String> = (0..rng.int_between(0, 3))
        .map(|_| rng.pick(&words.tags).clone())
        .collect();
    own.sort();
    own.dedup();
    let age = (now - tenant.created_at).num_minutes();
    let saved = now - Duration::minutes(rng.int_between(1_440, age.max(1_441)));
    let created_at = nearest_office_hour(rng, saved, now).max(tenant.created_at);
    let since = (now - created_at).num_minutes();
    let updated_at = if rng.random_bool(0.75) {
        now - Duration::minutes((rng.exponential(30_000.0) as i64).clamp(3, since))
    } else {
        created_at
    };
    SeedBookEntry {
        dataset,
        record,
        icp_tier: None,
        atlas: None,
        workspace_status: rng
            .random_bool(0.78)
            .then(|| rng.pick(&remarks.statuses).clone()),
        notes: rng
            .random_bool(0.45)
            .then(|| rng.pick(&remarks.notes).clone()),
        tags: own,
        created_at,
        updated_at,
    }
}

fn add_views(
    rng: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &'static TeamProfile,
    now: DateTime<Utc>,
) {
    for (nth, view) in teams().views.iter().enumerate() {
        let dataset = Dataset::from_singular(&view.dataset).unwrap_or(Dataset::Accounts);
        let (mut name, mut conditions) = (&view.name, view.conditions.clone());
        if nth == 0 {
            let region = &habits.region;
            name = &region.name;
            let is_there = json!({"field": "state", "op": "is", "value": region.states});
            conditions.get_or_insert_default().push(is_there);
        }
        let saved = tenant.book.iter().filter(|entry| entry.dataset == dataset);
        let records = saved.map(|entry| entry.record).take(view.saved).collect();
        let created_at = now - Duration::days(150 - 17 * nth as i64);
        let created_at = nearest_office_hour(rng, created_at, now);
        tenant.views.push(SeedView {
            id: rng.random_id(),
            name,
            description: view.description.as_deref(),
            dataset,
            definition: conditions
                .map(|conditions| json!({"match": "all", "conditions": conditions})),
            records,
            created_by: tenant.members[nth % 3].id,
            created_at,
        });
    }
    for (member, views) in [(0, [0, 5, 2]), (1, [2, 4, 6]), (2, [5, 7, 0])] {
        let user = tenant.members[member].id;
        tenant
            .favorites
            .extend(views.iter().map(|nth| (user, tenant.views[*nth].id)));
    }
}

fn add_invitations(rng: &mut SampleRng, tenant: &mut SeedWorkspace, now: DateTime<Utc>) {
    let (owner, admin) = (tenant.members[0].id, tenant.members[1].id);
    let domain = format!("{}.example", slug(&tenant.name, ""));
    let mut invitation =
        |email: String, role: Role, invited_by: UserId, days: i64| SeedInvitation {
            id: rng.random_id(),
            email,
            role,
            invited_by,
            created_at: now - Duration::days(days) - Duration::minutes(rng.int_between(0, 700)),
            accepted_at: None,
            revoked_at: None,
        };
    let newest = tenant
        .members
        .last()
        .map(|member| (member.email.clone(), member.joined_at));
    let pending = invitation(format!("sam.okafor@{domain}"), Role::Member, owner, 2);
    let revoked = invitation(format!("intern2@{domain}"), Role::Member, admin, 41);
    let expired = invitation(format!("lee.vance@{domain}"), Role::Admin, owner, 70);
    let accepted = newest.map(|(email, joined_at)| SeedInvitation {
        created_at: joined_at - Duration::hours(20),
        accepted_at: Some(joined_at),
        ..invitation(email, Role::Member, owner, 0)
    });
    let revoked = SeedInvitation {
        revoked_at: Some(revoked.created_at + Duration::hours(5)),
        ..revoked
    };
    tenant.invitations.extend(
        [Some(pending), Some(revoked), Some(expired), accepted]
            .into_iter()
            .flatten(),
    );
}

/// Triages part of the signals: the older a signal, the likelier it is done, always in working
/// hours and by somebody who was a member.
fn add_triage(
    rng: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &TeamProfile,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    let hands: Vec<UserId> = tenant
        .members
        .iter()
        .filter(|member| member.first_name.is_some())
        .map(|member| member.id)
        .collect();
    for signal in &world.recent_signals {
        let subscribed = tenant
            .subscriptions
            .iter()
            .any(|subscription| subscription.signal_type == signal.signal_type);
        let days = (now - signal.discovered_at).num_minutes() as f64 / 1440.0;
        let likely = habits.triage_rate * (1.0 - (-days / 16.0).exp());
        if subscribed && days > 0.4 && rng.random_bool(likely) {
            let wait = rng.exponential(2.2).clamp(0.05, days - 0.02);
            let thought = signal.discovered_at + Duration::minutes((wait * 1440.0) as i64);
            let at_work = nearest_office_hour(rng, thought, now);
            let done_at = if at_work > signal.discovered_at {
                at_work
            } else {
                thought
            };
            tenant
                .triaged
                .push((signal.id, *rng.pick_skewed(&hands), done_at));
        }
    }
}
