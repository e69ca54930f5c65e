//! The workspaces of the sample world: each team with its people, and what it has done with the
//! service so far. Never here: SQL.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use uuid::Uuid;

use super::data::{Team, sample_data, slug};
use super::firms::{SampleFirm, random_name};
use super::rng::SampleRng;
use super::signals::nearest_office_hour;
use super::{ProjectSummary, SampleWorld, SignalSummary, skills};
use crate::domain::queue::Priority;
use crate::domain::{SubscriptionId, UserId, ViewId};
use crate::service::dataset::Dataset;
use crate::service::db::book::BookEntry;
use crate::service::db::invitations::InvitationRow;
use crate::service::db::members::{MemberRow, NewMember};
use crate::service::db::sql::Result;
use crate::service::db::subscriptions::{LOOKBACK_DAYS, SubscriptionRow};
use crate::service::db::views::{StoredViewKind, ViewRow};
use crate::service::db::workspaces::WorkspaceRow;
use crate::service::db::{
    Conn, book, credits, favorites, invitations, members, queue, subscriptions, views, workspaces,
};

/// The groups of firms that buy what a team sells.
const BUYERS: [&str; 4] = ["developer", "owner", "architect", "gc"];
/// Which members have which views as favorites.
const FAVORITES: [(usize, [usize; 3]); 3] = [(0, [0, 5, 2]), (1, [2, 4, 6]), (2, [5, 7, 0])];

/// Adds a workspace of the world, with `book` accounts in its book if given; its queue follows with
/// the next [`queue::advance`], the scores of its accounts with the next
/// [`crate::service::db::atlas::compute_due_scores`].
pub fn add_workspace(
    conn: &Conn,
    rng: &mut SampleRng,
    team: &'static Team,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) -> Result<()> {
    let domain = format!("{}.example", slug(&team.name, ""));
    let created_at = nearest_office_hour(rng, now - Duration::days(team.days), now);
    let workspace = WorkspaceRow {
        id: rng.random_id(),
        name: team.name.clone(),
        plan: team.plan.as_str().into(),
        created_at,
    };
    workspaces::create(conn, &workspace)?;
    let members: Vec<MemberRow> = (0..team.roles.len())
        .map(|nth| generate_member(rng, team, nth, &domain, created_at, now))
        .collect();
    for member in &members {
        members::add(conn, workspace.id, member)?;
    }
    skills::install_team_skills(conn, &workspace, &members, now)?;
    if team.states.is_empty() {
        return Ok(());
    }
    let tenant = Tenant {
        conn,
        team,
        workspace,
        members,
        now,
    };
    tenant.add_subscriptions()?;
    let saved = tenant.add_book(rng, book, world)?;
    tenant.add_views(rng, &saved)?;
    tenant.add_invitations(rng, &domain)?;
    tenant.add_triage(rng, world)?;
    for nth in 0..7 {
        let minute = credits::minute_of(now - Duration::minutes(nth * 97 + 11));
        credits::add_spending(conn, tenant.workspace.id, minute, rng.int_between(12, 260))?;
    }
    Ok(())
}

fn generate_member(
    rng: &mut SampleRng,
    team: &Team,
    nth: usize,
    domain: &str,
    created_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> MemberRow {
    let (first, last) = random_name(rng);
    let name = format!("{first} {last}");
    let joined = created_at + Duration::days(team.days * nth as i64 / 6);
    let idle = [4, 55, 21, 2_900][nth.min(3)] + rng.int_between(0, 40);
    let id = rng.random_id();
    let person = NewMember {
        email: format!("{}@{domain}", slug(&name, ".")),
        name,
        role: team.roles[nth].clone(),
    };
    let joined_at = nearest_office_hour(rng, joined, now).max(created_at);
    let mut member = MemberRow::new(id, &person, joined_at);
    if nth == 4 {
        member.first_name = None;
        member.display_name = None;
    } else {
        member.last_active_at = Some(now - Duration::minutes(idle));
    }
    member
}

/// The workspace of a team that already works with the service.
struct Tenant<'a> {
    conn: &'a Conn,
    team: &'static Team,
    workspace: WorkspaceRow,
    members: Vec<MemberRow>,
    now: DateTime<Utc>,
}

impl Tenant<'_> {
    fn add_subscriptions(&self) -> Result<()> {
        let Tenant {
            team, workspace, ..
        } = self;
        let since = workspace.created_at.max(self.now - Duration::days(190)) + Duration::hours(3);
        for (priority, types) in [
            (Priority::High, &team.high),
            (Priority::Medium, &team.medium),
            (Priority::Low, &team.low),
        ] {
            for (nth, signal_type) in types.iter().enumerate() {
                let created_at = since + Duration::minutes(nth as i64);
                let id = Uuid::new_v5(&workspace.id.0, signal_type.as_str().as_bytes());
                let mut subscription = SubscriptionRow::new(
                    SubscriptionId(id),
                    signal_type.clone(),
                    priority.clone(),
                    created_at,
                );
                if priority == Priority::High {
                    let recipients = if nth > 0 { 2 } else { 0 };
                    let members = self.members.iter().take(recipients);
                    subscription.channels = vec!["email".to_owned()];
                    subscription.notify_all_members = nth == 0;
                    subscription.recipient_user_ids = members.map(|member| member.id).collect();
                }
                let watermark = since - Duration::days(LOOKBACK_DAYS);
                subscriptions::save(self.conn, workspace.id, &subscription, watermark)?;
            }
        }
        Ok(())
    }

    /// Fills the book, first with the firms near the team, their people and their projects; returns
    /// what is in it.
    fn add_book(
        &self,
        rng: &mut SampleRng,
        book: Option<usize>,
        world: &SampleWorld,
    ) -> Result<Vec<(Dataset, Uuid)>> {
        let Tenant {
            team, workspace, ..
        } = self;
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
        let mut saved = Vec::new();
        for (dataset, record) in records {
            let entry = generate_book_entry(rng, dataset, record, workspace.created_at, self.now);
            book::insert(self.conn, workspace.id, &entry)?;
            saved.push((dataset, record));
        }
        Ok(saved)
    }

    fn add_views(&self, rng: &mut SampleRng, saved: &[(Dataset, Uuid)]) -> Result<()> {
        let Tenant {
            conn,
            workspace,
            members,
            ..
        } = self;
        let mut ids: Vec<ViewId> = Vec::new();
        for (nth, sample) in self
            .team
            .views
            .iter()
            .chain(&sample_data().views)
            .enumerate()
        {
            let dataset = Dataset::from_singular(&sample.dataset).unwrap_or(Dataset::Accounts);
            let kind = match sample.conditions {
                Some(_) => StoredViewKind::Dynamic,
                None => StoredViewKind::Static,
            };
            let by = members[nth % 3].id.to_string();
            let id = rng.random_id();
            let created_at = self.now - Duration::days(150 - 17 * nth as i64);
            let created_at = nearest_office_hour(rng, created_at, self.now);
            let conditions = sample.conditions.as_ref();
            let view = ViewRow {
                id,
                description: sample.description.clone(),
                definition: conditions.map(|all| json!({"match": "all", "conditions": all})),
                ..ViewRow::new(sample.name.clone(), dataset, kind, &by, created_at)
            };
            views::upsert(conn, workspace.id, &view)?;
            let records = saved.iter().filter(|(of, _)| *of == dataset);
            for (_, record) in records.take(sample.saved) {
                views::add_record(conn, workspace.id, id, *record, created_at)?;
            }
            ids.push(id);
        }
        for (member, views) in FAVORITES {
            for view in views.map(|nth| ids[nth]) {
                let user = members[member].id;
                favorites::upsert(conn, workspace.id, user, view, None, workspace.created_at)?;
            }
        }
        Ok(())
    }

    fn add_invitations(&self, rng: &mut SampleRng, domain: &str) -> Result<()> {
        let members = &self.members;
        let mut all = Vec::new();
        for sample in &sample_data().invitations {
            let created_at = self.now - Duration::days(sample.days) - Duration::hours(5);
            let by = members[sample.invited_by].id.to_string();
            let email = format!("{}@{domain}", sample.name);
            let id = rng.random_id();
            let mut invitation = InvitationRow::new(id, &email, &sample.role, &by, created_at);
            invitation.revoked_at = sample.is_revoked.then(|| created_at + Duration::hours(4));
            all.push(invitation);
        }
        let newest = &members[members.len() - 1];
        let created_at = newest.joined_at - Duration::hours(20);
        let (id, by) = (rng.random_id(), members[0].id.to_string());
        let mut accepted = InvitationRow::new(id, &newest.email, &newest.role, &by, created_at);
        accepted.accepted_at = Some(newest.joined_at);
        all.push(accepted);
        all.iter().try_for_each(|invitation| {
            invitations::insert(self.conn, self.workspace.id, invitation)
        })
    }

    /// Triages part of the signals: the older a signal, the likelier it is done, always in working
    /// hours and by somebody who was a member.
    fn add_triage(&self, rng: &mut SampleRng, world: &SampleWorld) -> Result<()> {
        let (team, now) = (self.team, self.now);
        let members = self
            .members
            .iter()
            .filter(|member| member.first_name.is_some());
        let members: Vec<UserId> = members.map(|member| member.id).collect();
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
                let member = rng.pick_skewed(&members).to_string();
                let id = self.workspace.id;
                queue::insert_triage(self.conn, id, &[signal.id.0], &member, done_at)?;
            }
        }
        Ok(())
    }
}

fn generate_book_entry(
    rng: &mut SampleRng,
    dataset: Dataset,
    record: Uuid,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> BookEntry {
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
    let mut entry = BookEntry {
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
