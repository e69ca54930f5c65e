//! The workspaces of the sample world, as plain values: each team with its people, and what it has
//! done with the service so far. Never here: SQL.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use uuid::Uuid;

use super::data::{Team, sample_data, slug};
use super::firms::{SampleFirm, random_name};
use super::rng::SampleRng;
use super::signals::nearest_office_hour;
use super::{ProjectSummary, SampleWorld, SignalSummary};
use crate::domain::queue::Priority;
use crate::service::dataset::Dataset;
use crate::service::db::seed_workspace::{
    SeedBookEntry, SeedInvitation, SeedMember, SeedSubscription, SeedView, SeedWorkspace,
};

/// The groups of firms that buy what a team sells.
const BUYERS: [&str; 4] = ["developer", "owner", "architect", "gc"];
/// Which members have which views as favorites.
const FAVORITES: [(usize, [usize; 3]); 3] = [(0, [0, 5, 2]), (1, [2, 4, 6]), (2, [5, 7, 0])];

/// A workspace of the world, with `book` accounts in its book if given.
pub fn generate_workspace(
    rng: &mut SampleRng,
    team: &'static Team,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) -> SeedWorkspace {
    let domain = format!("{}.example", slug(&team.name, ""));
    let created_at = nearest_office_hour(rng, now - Duration::days(team.days), now);
    let plan = team.plan.as_str().into();
    let mut workspace = SeedWorkspace::new(rng.random_id(), team.name.clone(), plan, created_at);
    for nth in 0..team.roles.len() {
        let member = generate_member(rng, team, nth, &domain, created_at, now);
        workspace.members.push(member);
    }
    if !team.states.is_empty() {
        add_subscriptions(&mut workspace, team, now);
        add_book(rng, &mut workspace, team, book, world, now);
        add_views(rng, &mut workspace, team, now);
        add_invitations(rng, &mut workspace, &domain, now);
        add_triage(rng, &mut workspace, team, world, now);
        workspace.credits_spent = (0..7)
            .map(|nth| {
                (
                    now - Duration::minutes(nth * 97 + 11),
                    rng.int_between(12, 260),
                )
            })
            .collect();
    }
    workspace
}

fn generate_member(
    rng: &mut SampleRng,
    team: &Team,
    nth: usize,
    domain: &str,
    created_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> SeedMember {
    let (first, last) = random_name(rng);
    let name = format!("{first} {last}");
    let joined = created_at + Duration::days(team.days * nth as i64 / 6);
    let idle = [4, 55, 21, 2_900][nth.min(3)] + rng.int_between(0, 40);
    let mut member = SeedMember {
        id: rng.random_id(),
        email: format!("{}@{domain}", slug(&name, ".")),
        first_name: Some(first.to_owned()),
        display_name: Some(name),
        role: team.roles[nth].clone(),
        joined_at: nearest_office_hour(rng, joined, now).max(created_at),
        last_active_at: Some(now - Duration::minutes(idle)),
    };
    if nth == 4 {
        member.first_name = None;
        member.display_name = None;
        member.last_active_at = None;
    }
    member
}

fn add_subscriptions(workspace: &mut SeedWorkspace, team: &Team, now: DateTime<Utc>) {
    let since = workspace.created_at.max(now - Duration::days(190)) + Duration::hours(3);
    for (priority, types) in [
        (Priority::High, &team.high),
        (Priority::Medium, &team.medium),
        (Priority::Low, &team.low),
    ] {
        for (nth, signal_type) in types.iter().enumerate() {
            let email = priority == Priority::High;
            let notify_all_members = email && nth == 0;
            let recipients = if email && nth > 0 { 2 } else { 0 };
            let members = workspace.members.iter().take(recipients);
            workspace.subscriptions.push(SeedSubscription {
                signal_type: signal_type.clone(),
                priority: priority.clone(),
                email,
                notify_all_members,
                recipients: members.map(|member| member.id).collect(),
                created_at: since + Duration::minutes(nth as i64),
                watermark: since - Duration::days(14),
            });
        }
    }
}

/// Fills the book, first with the firms near the team, their people and their projects.
fn add_book(
    rng: &mut SampleRng,
    workspace: &mut SeedWorkspace,
    team: &Team,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    let is_near = |firm: &&SampleFirm| {
        BUYERS.contains(&firm.group.key.as_str()) && team.states.contains(&firm.city.state)
    };
    let mut firms: Vec<&SampleFirm> = world.directory.firms.iter().collect();
    firms.sort_by_key(|firm| !is_near(firm));
    let near = firms.iter().filter(|firm| is_near(firm)).count();
    firms.truncate(book.unwrap_or(team.accounts.min(near)));
    let people = firms.iter().flat_map(|firm| firm.staff.iter().take(3));
    let is_wanted = |project: &&ProjectSummary| {
        let is_near = project
            .state
            .as_ref()
            .is_some_and(|state| team.states.contains(state));
        let is_ours = || {
            project
                .firms
                .iter()
                .any(|id| firms.iter().any(|firm| firm.id == *id))
        };
        let is_fitting = || project.primary_use.as_deref() == Some("multifamily") || is_ours();
        is_near && project.stage.as_deref() != Some("completed") && is_fitting()
    };
    // Never more than a quarter, so that there is always something new.
    let most = team.projects.min(world.projects.len() / 4);
    let projects = world.projects.iter().filter(is_wanted).take(most);
    let records = firms
        .iter()
        .map(|firm| (Dataset::Accounts, firm.id.0))
        .chain(
            people
                .take(team.contacts)
                .map(|id| (Dataset::Contacts, id.0)),
        )
        .chain(projects.map(|project| (Dataset::Projects, project.id.0)));
    for (dataset, record) in records {
        let entry = generate_book_entry(rng, dataset, record, workspace.created_at, now);
        workspace.book.push(entry);
    }
}

fn generate_book_entry(
    rng: &mut SampleRng,
    dataset: Dataset,
    record: Uuid,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> SeedBookEntry {
    let words = &sample_data().annotations;
    let remarks = &words.remarks[dataset.singular()];
    let mut tags: Vec<String> = (0..rng.int_between(0, 3))
        .map(|_| rng.pick(&words.tags).clone())
        .collect();
    tags.sort();
    tags.dedup();
    let age = rng.int_between(1_440, (now - since).num_minutes());
    let created_at = nearest_office_hour(rng, now - Duration::minutes(age), now).max(since);
    let quiet = rng.int_between(3, (now - created_at).num_minutes());
    let (tier, score) = rng.pick(&words.tiers);
    let is_cold = dataset == Dataset::Accounts && tier == "disqualified";
    let status = if is_cold {
        "cold"
    } else {
        rng.pick(&remarks.statuses)
    };
    let trend = *rng.pick(&["up", "flat", "flat", "down"]);
    let mut entry = SeedBookEntry {
        dataset,
        record,
        icp_tier: Some(tier.as_str()),
        atlas: Some((score + rng.int_between(-9, 12), trend)),
        workspace_status: Some(status.to_owned()),
        notes: Some(rng.pick(&remarks.notes).clone()),
        tags,
        created_at,
        updated_at: now - Duration::minutes(quiet),
    };
    // Only accounts are rated.
    let unrated = if dataset == Dataset::Accounts {
        0.1
    } else {
        1.0
    };
    rng.forget(unrated, &mut entry.icp_tier);
    rng.forget(unrated, &mut entry.atlas);
    rng.forget(0.22, &mut entry.workspace_status);
    rng.forget(0.55, &mut entry.notes);
    entry
}

fn add_views(
    rng: &mut SampleRng,
    workspace: &mut SeedWorkspace,
    team: &'static Team,
    now: DateTime<Utc>,
) {
    let views = team.views.iter().chain(&sample_data().views);
    for (nth, view) in views.enumerate() {
        let dataset = Dataset::from_singular(&view.dataset).unwrap_or(Dataset::Accounts);
        let saved = workspace
            .book
            .iter()
            .filter(|entry| entry.dataset == dataset);
        let records = saved.map(|entry| entry.record).take(view.saved).collect();
        let created_at = now - Duration::days(150 - 17 * nth as i64);
        let conditions = view.conditions.as_ref();
        workspace.views.push(SeedView {
            id: rng.random_id(),
            name: &view.name,
            description: view.description.as_deref(),
            dataset,
            definition: conditions.map(|all| json!({"match": "all", "conditions": all})),
            records,
            created_by: workspace.members[nth % 3].id,
            created_at: nearest_office_hour(rng, created_at, now),
        });
    }
    for (member, views) in FAVORITES {
        let user = workspace.members[member].id;
        let favorites = views.map(|nth| (user, workspace.views[nth].id));
        workspace.favorites.extend(favorites);
    }
}

fn add_invitations(
    rng: &mut SampleRng,
    workspace: &mut SeedWorkspace,
    domain: &str,
    now: DateTime<Utc>,
) {
    for invitation in &sample_data().invitations {
        let created_at = now - Duration::days(invitation.days) - Duration::hours(5);
        workspace.invitations.push(SeedInvitation {
            id: rng.random_id(),
            email: format!("{}@{domain}", invitation.name),
            role: invitation.role.clone(),
            invited_by: workspace.members[invitation.invited_by].id,
            created_at,
            accepted_at: None,
            revoked_at: invitation
                .is_revoked
                .then(|| created_at + Duration::hours(4)),
        });
    }
    let newest = &workspace.members[workspace.members.len() - 1];
    workspace.invitations.push(SeedInvitation {
        id: rng.random_id(),
        email: newest.email.clone(),
        role: newest.role.clone(),
        invited_by: workspace.members[0].id,
        created_at: newest.joined_at - Duration::hours(20),
        accepted_at: Some(newest.joined_at),
        revoked_at: None,
    });
}

/// Triages part of the signals: the older a signal, the likelier it is done, always in working
/// hours and by somebody who was a member.
fn add_triage(
    rng: &mut SampleRng,
    workspace: &mut SeedWorkspace,
    team: &Team,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    let members = workspace
        .members
        .iter()
        .filter(|member| member.first_name.is_some());
    let members: Vec<_> = members.map(|member| member.id).collect();
    let subscribed = [&team.high, &team.medium, &team.low];
    let is_queued = |signal: &&SignalSummary| {
        subscribed
            .iter()
            .any(|types| types.contains(&signal.signal_type))
    };
    for signal in world.recent_signals.iter().filter(is_queued) {
        let days = (now - signal.discovered_at).num_minutes() as f64 / 1440.0;
        if days > 0.4 && rng.random_bool(team.triage_rate * (1.0 - (-days / 16.0).exp())) {
            let wait = rng.exponential(2.2).clamp(0.05, days - 0.02);
            let thought = signal.discovered_at + Duration::minutes((wait * 1440.0) as i64);
            let at_work = nearest_office_hour(rng, thought, now);
            let done_at = if at_work > signal.discovered_at {
                at_work
            } else {
                thought
            };
            let member = *rng.pick_skewed(&members);
            workspace.triaged.push((signal.id, member, done_at));
        }
    }
}
