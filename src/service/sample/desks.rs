//! Desks: what a team that lives off the service has done with it so far. Its subscriptions, its book, its Views, whom it asked to join,
//! and the signals that it has dealt with.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::chance::Chance;
use super::firms::slug;
use super::market::{Firm, Kind};
use super::tenants::{Entry, Invitation, Subscription, Tenant, View};
use super::timeline::office_hours;
use super::words::words;
use super::{Place, World};
use crate::domain::UserId;
use crate::domain::members::Role;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType::{self, *};
use crate::service::search::Dataset;

/// What a team does with the signals it has seen.
pub struct Habits {
    states: &'static [&'static str],
    high: &'static [SignalType],
    medium: &'static [SignalType],
    low: &'static [SignalType],
    book: [usize; 3],
    pace: f64,
}

/// A supplier in the south that lives off the queue.
pub const FIRST: Habits = Habits {
    states: &["TX", "CO", "AZ", "TN"],
    high: &[PermitIssued, EntitlementApproval, ConstructionLoan],
    medium: &[PermitFiled, EntitlementApplication, SiteAcquisition, DemolitionPermit, SitePrep],
    low: &[ProjectAnnouncement, PublicReview, TeamUpdate, Withdrawal, Completion],
    book: [58, 74, 64],
    pace: 0.62,
};

/// A glazier in the west that looks in now and then.
pub const SECOND: Habits = Habits {
    states: &["WA", "OR", "CA"],
    high: &[PermitIssued, PermitFiled],
    medium: &[EntitlementApproval, ConstructionLoan, TeamUpdate],
    low: &[ProjectAnnouncement, SitePrep],
    book: [26, 30, 22],
    pace: 0.35,
};

/// What a team has done so far with a world; with so many accounts in its book, from wherever they are, if that is told.
pub fn work(chance: &mut Chance, tenant: &mut Tenant, habits: &Habits, book: Option<usize>, world: &World, now: DateTime<Utc>) {
    subscribe(tenant, habits, now);
    keep_book(chance, tenant, habits, book, world, now);
    make_views(chance, tenant, now);
    invite(chance, tenant, now);
    triage(chance, tenant, habits, world, now);
    for hour in 0..7 {
        tenant.spent.push((now - Duration::minutes(hour * 97 + 11), chance.int(12, 260)));
    }
}

fn subscribe(tenant: &mut Tenant, habits: &Habits, now: DateTime<Utc>) {
    let by_priority = [(Priority::High, habits.high), (Priority::Medium, habits.medium), (Priority::Low, habits.low)];
    let since = tenant.created_at.max(now - Duration::days(190)) + Duration::hours(3);
    for (priority, types) in by_priority {
        for (nth, signal_type) in types.iter().enumerate() {
            let high = priority == Priority::High;
            tenant.subscriptions.push(Subscription {
                signal_type: signal_type.clone(),
                priority: priority.clone(),
                email: high,
                notify_all_members: high && nth == 0,
                recipients: if high && nth > 0 {
                    tenant.members.iter().take(2).map(|member| member.id).collect()
                } else {
                    Vec::new()
                },
                created_at: since + Duration::minutes(nth as i64),
                watermark: since - Duration::days(14),
            });
        }
    }
}

fn keep_book(chance: &mut Chance, tenant: &mut Tenant, habits: &Habits, book: Option<usize>, world: &World, now: DateTime<Utc>) {
    let home = |firm: &Firm| habits.states.contains(&words().cities[firm.home].state.as_str());
    let buyer = |firm: &Firm| matches!(firm.kind, Kind::Developer | Kind::Gc | Kind::Architect | Kind::Owner);
    let mut firms: Vec<&Firm> = world.market.firms.iter().filter(|firm| home(firm) && buyer(firm)).collect();
    // Never more than a third of a small world: some of it is always news.
    let [accounts, contacts, projects] = habits.book;
    firms.truncate(accounts.max(15).min(world.market.firms.len() / 3) * 2);
    let mut kept: Vec<&Firm> = Vec::new();
    let (aliased, plain): (Vec<&Firm>, Vec<&Firm>) = firms.into_iter().partition(|firm| firm.aliased);
    kept.extend(aliased.into_iter().take(accounts * 2 / 3));
    kept.extend(plain.into_iter().take(accounts - kept.len()));
    if let Some(book) = book {
        let known: HashSet<_> = kept.iter().map(|firm| firm.id).collect();
        kept.extend(world.market.firms.iter().filter(|firm| !known.contains(&firm.id)));
        kept.truncate(book);
    }
    for (nth, firm) in kept.iter().enumerate() {
        let tier = ["tier_1", "tier_2", "tier_2", "tier_3", "tier_3", "disqualified"][chance.int(0, 5) as usize];
        let base = match tier {
            "tier_1" => 84,
            "tier_2" => 66,
            "tier_3" => 43,
            _ => 14,
        };
        let plain = entry(chance, Dataset::Accounts, firm.id.0, tenant, now);
        let cold = (tier == "disqualified").then(|| "cold".to_owned());
        let entry = Entry {
            icp_tier: (nth < 15 || chance.yes(0.85)).then_some(tier),
            atlas: (nth < 15 || chance.yes(0.9))
                .then(|| (base + chance.int(-9, 12), *chance.pick(&["up", "flat", "flat", "down"]))),
            workspace_status: cold.or(plain.workspace_status),
            ..plain
        };
        tenant.book.push(entry);
    }
    for person in kept.iter().flat_map(|firm| firm.staff.iter().take(3)).take(contacts) {
        let entry = entry(chance, Dataset::Contacts, person.id.0, tenant, now);
        tenant.book.push(entry);
    }
    let near = |place: &&Place| {
        place.state.as_deref().is_some_and(|state| habits.states.contains(&state))
            && place.stage.as_deref() != Some("completed")
            && (place.firms.iter().any(|firm| kept.iter().any(|known| known.id == *firm))
                || place.primary_use.as_deref() == Some("multifamily"))
    };
    let most = projects.min(world.projects.len() / 4);
    for place in world.projects.iter().filter(near).take(most) {
        let entry = entry(chance, Dataset::Projects, place.id.0, tenant, now);
        tenant.book.push(entry);
    }
}

fn entry(chance: &mut Chance, dataset: Dataset, record: Uuid, tenant: &Tenant, now: DateTime<Utc>) -> Entry {
    let (statuses, notes): (&[&str], &[&str]) = match dataset {
        Dataset::Accounts => (
            &["watching", "contacted", "contacted", "meeting set", "quoted", "customer", "cold"],
            &[
                "Wants two bids on every job. Decision is with the preconstruction team.",
                "Met at the builders' show in February; asked for the acoustic data sheets.",
                "Long-standing customer of our competitor. Contract runs out in the autumn.",
                "Prefers submittals by e-mail, answers within a day.",
                "Do not call before the permit is issued; they found us pushy last year.",
                "Good payer. Ask about the second phase.",
            ],
        ),
        Dataset::Contacts => (
            &["to call", "left message", "replied", "replied", "met", "wrong person"],
            &[
                "Best reached before nine.",
                "Moved over from the architect's side, knows our details.",
                "Asked to be called again after the hearing.",
                "Forwards everything to the estimator; write to both.",
            ],
        ),
        Dataset::Projects | Dataset::Signals => (
            &["watching", "watching", "specified", "bidding", "quoted", "won", "lost"],
            &[
                "Call after permit.",
                "Specified in the April set; check that it survives value engineering.",
                "Bid due in three weeks. Needs lead times.",
                "Neighbours appealed; expect a delay of a quarter.",
                "Framing starts before winter if the loan closes.",
            ],
        ),
    };
    let tags = ["q3", "waterfront", "spec-in", "repeat", "high-rise", "public bid", "needs samples", "referral", "wood"];
    let mut own: Vec<String> = (0..chance.int(0, 3)).map(|_| chance.pick(&tags).to_string()).collect();
    own.sort();
    own.dedup();
    let age = (now - tenant.created_at).num_minutes();
    let saved = now - Duration::minutes(chance.int(1_440, age.max(1_441)));
    let created_at = office_hours(chance, saved, now).max(tenant.created_at);
    let since = (now - created_at).num_minutes();
    let updated_at =
        if chance.yes(0.75) { now - Duration::minutes((chance.wait(30_000.0) as i64).clamp(3, since)) } else { created_at };
    Entry {
        dataset,
        record,
        icp_tier: None,
        atlas: None,
        workspace_status: chance.yes(0.78).then(|| chance.pick(statuses).to_string()),
        notes: chance.yes(0.45).then(|| chance.pick(notes).to_string()),
        tags: own,
        created_at,
        updated_at,
    }
}

fn make_views(chance: &mut Chance, tenant: &mut Tenant, now: DateTime<Utc>) {
    let saved = |dataset: Dataset, from: usize, most: usize| -> Vec<Uuid> {
        tenant.book.iter().filter(|entry| entry.dataset == dataset).map(|entry| entry.record).skip(from).take(most).collect()
    };
    let is = |field: &str, value: Value| json!({"field": field, "op": "is", "value": value});
    let all = |conditions: Vec<Value>| Some(json!({"match": "all", "conditions": conditions}));
    let south = tenant.book.len() > 100;
    let (region, states) = if south {
        ("Texas and Colorado developers", json!(["TX", "CO"]))
    } else {
        ("West coast developers", json!(["WA", "OR", "CA"]))
    };
    type Made = (&'static str, Option<&'static str>, Dataset, Option<Value>, Vec<Uuid>);
    let made: Vec<Made> = vec![
        (
            region,
            Some("Everyone who builds in our territory, in the book or not"),
            Dataset::Accounts,
            all(vec![is("account_type", json!("developer")), is("state", states.clone())]),
            Vec::new(),
        ),
        ("Architects", None, Dataset::Accounts, all(vec![is("account_type", json!("architect"))]), Vec::new()),
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
            all(vec![json!({"field": "title", "op": "contains", "value": "Preconstruction"})]),
            Vec::new(),
        ),
        ("Trade show follow-up", None, Dataset::Contacts, None, saved(Dataset::Contacts, 0, 24)),
        (
            "Multifamily before permit",
            Some("Where a specification can still change"),
            Dataset::Projects,
            all(vec![is("primary_use", json!(["multifamily", "mixed_use"])), is("stage", json!(["approved", "permit_review"]))]),
            Vec::new(),
        ),
        (
            "Above twenty million",
            None,
            Dataset::Projects,
            all(vec![json!({"field": "cost_of_construction_usd", "op": "between", "value": {"min": 20_000_000}})]),
            Vec::new(),
        ),
        ("Specified, not yet bought", None, Dataset::Projects, None, saved(Dataset::Projects, 0, 16)),
    ];
    for (nth, (name, description, dataset, definition, records)) in made.into_iter().enumerate() {
        let created_by = tenant.members[nth % 3].id;
        let created_at = office_hours(chance, now - Duration::days(150 - 17 * nth as i64), now);
        tenant.views.push(View { id: chance.id(), name, description, dataset, definition, records, created_by, created_at });
    }
    for (member, views) in [(0, [0, 5, 2]), (1, [2, 4, 6]), (2, [5, 7, 0])] {
        let user = tenant.members[member].id;
        tenant.favorites.extend(views.iter().map(|nth| (user, tenant.views[*nth].id)));
    }
}

fn invite(chance: &mut Chance, tenant: &mut Tenant, now: DateTime<Utc>) {
    let (owner, admin) = (tenant.members[0].id, tenant.members[1].id);
    let domain = format!("{}.example", slug(&tenant.name, ""));
    let mut invitation = |email: String, role: Role, invited_by: UserId, days: i64| Invitation {
        id: chance.id(),
        email,
        role,
        invited_by,
        created_at: now - Duration::days(days) - Duration::minutes(chance.int(0, 700)),
        accepted_at: None,
        revoked_at: None,
    };
    let newest = tenant.members.last().map(|member| (member.email.clone(), member.joined_at));
    let pending = invitation(format!("sam.okafor@{domain}"), Role::Member, owner, 2);
    let revoked = invitation(format!("intern2@{domain}"), Role::Member, admin, 41);
    let expired = invitation(format!("lee.vance@{domain}"), Role::Admin, owner, 70);
    let accepted = newest.map(|(email, joined_at)| Invitation {
        created_at: joined_at - Duration::hours(20),
        accepted_at: Some(joined_at),
        ..invitation(email, Role::Member, owner, 0)
    });
    let revoked = Invitation { revoked_at: Some(revoked.created_at + Duration::hours(5)), ..revoked };
    tenant.invitations.extend([Some(pending), Some(revoked), Some(expired), accepted].into_iter().flatten());
}

/// What the team has dealt with: the older a signal is, the likelier, and always in working hours by somebody who was there.
fn triage(chance: &mut Chance, tenant: &mut Tenant, habits: &Habits, world: &World, now: DateTime<Utc>) {
    let hands: Vec<UserId> = tenant.members.iter().filter(|member| member.first_name.is_some()).map(|member| member.id).collect();
    for signal in &world.recent {
        let subscribed = tenant.subscriptions.iter().any(|subscription| subscription.signal_type == signal.signal_type);
        let days = (now - signal.discovered_at).num_minutes() as f64 / 1440.0;
        let likely = habits.pace * (1.0 - (-days / 16.0).exp());
        if subscribed && days > 0.4 && chance.yes(likely) {
            let wait = chance.wait(2.2).clamp(0.05, days - 0.02);
            let thought = signal.discovered_at + Duration::minutes((wait * 1440.0) as i64);
            let at_work = office_hours(chance, thought, now);
            let done_at = if at_work > signal.discovered_at { at_work } else { thought };
            tenant.done.push((signal.id, *chance.favour(&hands), done_at));
        }
    }
}
