//! Team activity: what a team that relies on the service has done with it so far. Its
//! subscriptions, book, Views, invitations, and the signals it has triaged.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::firm_directory::{FirmType, SampleFirm};
use super::firms::slug;
use super::rng::SampleRng;
use super::timeline::nearest_office_hour;
use super::word_lists::word_lists;
use super::{ProjectSummary, SampleWorld};
use crate::domain::UserId;
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType::{self, *};
use crate::service::dataset::Dataset;
use crate::service::db::seed_workspace::{
    SeedBookEntry, SeedInvitation, SeedSubscription, SeedView, SeedWorkspace,
};

/// How a team treats the signals it has seen.
pub struct TeamProfile {
    states: &'static [&'static str],
    high: &'static [SignalType],
    medium: &'static [SignalType],
    low: &'static [SignalType],
    book: [usize; 3],
    triage_rate: f64,
}

/// A supplier in the south that relies on the queue.
pub const FIRST_TEAM: TeamProfile = TeamProfile {
    states: &["TX", "CO", "AZ", "TN"],
    high: &[PermitIssued, EntitlementApproval, ConstructionLoan],
    medium: &[
        PermitFiled,
        EntitlementApplication,
        SiteAcquisition,
        DemolitionPermit,
        SitePrep,
    ],
    low: &[
        ProjectAnnouncement,
        PublicReview,
        TeamUpdate,
        Withdrawal,
        Completion,
    ],
    book: [58, 74, 64],
    triage_rate: 0.62,
};

/// A glazier in the west that checks in occasionally.
pub const SECOND_TEAM: TeamProfile = TeamProfile {
    states: &["WA", "OR", "CA"],
    high: &[PermitIssued, PermitFiled],
    medium: &[EntitlementApproval, ConstructionLoan, TeamUpdate],
    low: &[ProjectAnnouncement, SitePrep],
    book: [26, 30, 22],
    triage_rate: 0.35,
};

/// What a team has done so far; with `book` accounts in its book, from any region, if given.
pub fn generate_activity(
    chance: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &TeamProfile,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    add_subscriptions(tenant, habits, now);
    add_book(chance, tenant, habits, book, world, now);
    add_views(chance, tenant, now);
    add_invitations(chance, tenant, now);
    add_triage(chance, tenant, habits, world, now);
    for hour in 0..7 {
        tenant.credits_spent.push((
            now - Duration::minutes(hour * 97 + 11),
            chance.int_between(12, 260),
        ));
    }
}

fn add_subscriptions(tenant: &mut SeedWorkspace, habits: &TeamProfile, now: DateTime<Utc>) {
    let by_priority = [
        (Priority::High, habits.high),
        (Priority::Medium, habits.medium),
        (Priority::Low, habits.low),
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
    chance: &mut SampleRng,
    tenant: &mut SeedWorkspace,
    habits: &TeamProfile,
    book: Option<usize>,
    world: &SampleWorld,
    now: DateTime<Utc>,
) {
    let home = |firm: &SampleFirm| {
        habits
            .states
            .contains(&word_lists().cities[firm.home_city].state.as_str())
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
    let [accounts, contacts, projects] = habits.book;
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
        let tier = [
            "tier_1",
            "tier_2",
            "tier_2",
            "tier_3",
            "tier_3",
            "disqualified",
        ][chance.int_between(0, 5) as usize];
        let base = match tier {
            "tier_1" => 84,
            "tier_2" => 66,
            "tier_3" => 43,
            _ => 14,
        };
        let plain = book_entry(chance, Dataset::Accounts, firm.id.0, tenant, now);
        let cold = (tier == "disqualified").then(|| "cold".to_owned());
        let entry = SeedBookEntry {
            icp_tier: (nth < 15 || chance.random_bool(0.85)).then_some(tier),
            atlas: (nth < 15 || chance.random_bool(0.9)).then(|| {
                (
                    base + chance.int_between(-9, 12),
                    *chance.pick(&["up", "flat", "flat", "down"]),
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
        let entry = book_entry(chance, Dataset::Contacts, person.id.0, tenant, now);
        tenant.book.push(entry);
    }
    let near = |place: &&ProjectSummary| {
        place
            .state
            .as_deref()
            .is_some_and(|state| habits.states.contains(&state))
            && place.stage.as_deref() != Some("completed")
            && (place
                .firms
                .iter()
                .any(|firm| kept.iter().any(|known| known.id == *firm))
                || place.primary_use.as_deref() == Some("multifamily"))
    };
    let most = projects.min(world.projects.len() / 4);
    for place in world.projects.iter().filter(near).take(most) {
        let entry = book_entry(chance, Dataset::Projects, place.id.0, tenant, now);
        tenant.book.push(entry);
    }
}

fn book_entry(
    chance: &mut SampleRng,
    dataset: Dataset,
    record: Uuid,
    tenant: &SeedWorkspace,
    now: DateTime<Utc>,
) -> SeedBookEntry {
    let (statuses, notes): (&[&str], &[&str]) = match dataset {
        Dataset::Accounts => (
            &[
                "watching",
                "contacted",
                "contacted",
                "meeting set",
                "quoted",
                "customer",
                "cold",
            ],
            &[
                "Wants two bids on every job. Decision is with the preconstruction team.",
                "Met at the builders' show in February; asked for the acoustic data sheets.",
                "Long-standing customer of our competitor. Contract ends this fall.",
                "Prefers submittals by e-mail, answers within a day.",
                "Do not call before the permit is issued; they found us pushy last year.",
                "Good payer. Ask about the second phase.",
            ],
        ),
        Dataset::Contacts => (
            &[
                "to call",
                "left message",
                "replied",
                "replied",
                "met",
                "wrong person",
            ],
            &[
                "Best reached before nine.",
                "Moved over from the architect's side, knows our details.",
                "Asked to be called again after the hearing.",
                "Forwards everything to the estimator; copy both.",
            ],
        ),
        Dataset::Projects | Dataset::Signals => (
            &[
                "watching",
                "watching",
                "specified",
                "bidding",
                "quoted",
                "won",
                "lost",
            ],
            &[
                "Call after permit.",
                "Specified in the April set; check that it survives value engineering.",
                "Bid due in three weeks. Needs lead times.",
                "Neighbors appealed; expect a delay of one quarter.",
                "Framing starts before winter if the loan closes.",
            ],
        ),
    };
    let tags = [
        "q3",
        "waterfront",
        "spec-in",
        "repeat",
        "high-rise",
        "public bid",
        "needs samples",
        "referral",
        "wood",
    ];
    let mut own: Vec<String> = (0..chance.int_between(0, 3))
        .map(|_| chance.pick(&tags).to_string())
        .collect();
    own.sort();
    own.dedup();
    let age = (now - tenant.created_at).num_minutes();
    let saved = now - Duration::minutes(chance.int_between(1_440, age.max(1_441)));
    let created_at = nearest_office_hour(chance, saved, now).max(tenant.created_at);
    let since = (now - created_at).num_minutes();
    let updated_at = if chance.random_bool(0.75) {
        now - Duration::minutes((chance.exponential(30_000.0) as i64).clamp(3, since))
    } else {
        created_at
    };
    SeedBookEntry {
        dataset,
        record,
        icp_tier: None,
        atlas: None,
        workspace_status: chance
            .random_bool(0.78)
            .then(|| chance.pick(statuses).to_string()),
        notes: chance
            .random_bool(0.45)
            .then(|| chance.pick(notes).to_string()),
        tags: own,
        created_at,
        updated_at,
    }
}

fn add_views(chance: &mut SampleRng, tenant: &mut SeedWorkspace, now: DateTime<Utc>) {
    let saved = |dataset: Dataset, from: usize, most: usize| -> Vec<Uuid> {
        tenant
            .book
            .iter()
            .filter(|entry| entry.dataset == dataset)
            .map(|entry| entry.record)
            .skip(from)
            .take(most)
            .collect()
    };
    let is = |field: &str, value: Value| json!({"field": field, "op": "is", "value": value});
    let all = |conditions: Vec<Value>| Some(json!({"match": "all", "conditions": conditions}));
    let south = tenant.book.len() > 100;
    let (region, states) = if south {
        ("Texas and Colorado developers", json!(["TX", "CO"]))
    } else {
        ("West coast developers", json!(["WA", "OR", "CA"]))
    };
    type Made = (
        &'static str,
        Option<&'static str>,
        Dataset,
        Option<Value>,
        Vec<Uuid>,
    );
    let made: Vec<Made> = vec![
        (
            region,
            Some("Everyone who builds in our territory, in the book or not"),
            Dataset::Accounts,
            all(vec![
                is("account_type", json!("developer")),
                is("state", states.clone()),
            ]),
            Vec::new(),
        ),
        (
            "Architects",
            None,
            Dataset::Accounts,
            all(vec![is("account_type", json!("architect"))]),
            Vec::new(),
        ),
        (
            "Q3 call list",
            Some("Agreed on Monday, done by the end of the quarter"),
            Dataset::Accounts,
            None,
            saved(Dataset::Accounts, 0, 18),
        ),
        (
            "Preconstruction managers",
            None,
            Dataset::Contacts,
            all(vec![
                json!({"field": "title", "op": "contains", "value": "Preconstruction"}),
            ]),
            Vec::new(),
        ),
        (
            "Trade show follow-up",
            None,
            Dataset::Contacts,
            None,
            saved(Dataset::Contacts, 0, 24),
        ),
        (
            "Multifamily before permit",
            Some("Where a specification can still change"),
            Dataset::Projects,
            all(vec![
                is("primary_use", json!(["multifamily", "mixed_use"])),
                is("stage", json!(["approved", "permit_review"])),
            ]),
            Vec::new(),
        ),
        (
            "Above twenty million",
            None,
            Dataset::Projects,
            all(vec![
                json!({"field": "cost_of_construction_usd", "op": "between", "value": {"min": 20_000_000}}),
            ]),
            Vec::new(),
        ),
        (
            "Specified, not yet bought",
            None,
            Dataset::Projects,
            None,
            saved(Dataset::Projects, 0, 16),
        ),
    ];
    for (nth, (name, description, dataset, definition, records)) in made.into_iter().enumerate() {
        let created_by = tenant.members[nth % 3].id;
        let created_at =
            nearest_office_hour(chance, now - Duration::days(150 - 17 * nth as i64), now);
        tenant.views.push(SeedView {
            id: chance.random_id(),
            name,
            description,
            dataset,
            definition,
            records,
            created_by,
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

fn add_invitations(chance: &mut SampleRng, tenant: &mut SeedWorkspace, now: DateTime<Utc>) {
    let (owner, admin) = (tenant.members[0].id, tenant.members[1].id);
    let domain = format!("{}.example", slug(&tenant.name, ""));
    let mut invitation =
        |email: String, role: Role, invited_by: UserId, days: i64| SeedInvitation {
            id: chance.random_id(),
            email,
            role,
            invited_by,
            created_at: now - Duration::days(days) - Duration::minutes(chance.int_between(0, 700)),
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
    chance: &mut SampleRng,
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
        if subscribed && days > 0.4 && chance.random_bool(likely) {
            let wait = chance.exponential(2.2).clamp(0.05, days - 0.02);
            let thought = signal.discovered_at + Duration::minutes((wait * 1440.0) as i64);
            let at_work = nearest_office_hour(chance, thought, now);
            let done_at = if at_work > signal.discovered_at {
                at_work
            } else {
                thought
            };
            tenant
                .triaged
                .push((signal.id, *chance.pick_skewed(&hands), done_at));
        }
    }
}
