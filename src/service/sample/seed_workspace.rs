//! The workspaces of the sample world, as plain values. Two teams that rely on the service, each
//! with its people, book, Views, subscriptions and a partly processed queue; and two that only have
//! an account. Never here: SQL.

use chrono::{DateTime, Duration, Utc};

use super::firms::slug;
use super::rng::SampleRng;
use super::timeline::nearest_office_hour;
use super::word_lists::word_lists;
use super::{SampleWorld, people, team_activity};
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::service::db::seed_workspace::{SeedMember, SeedWorkspace};

/// The four workspaces of a world, the first with `book` accounts in its book if given.
pub fn generate_workspaces(
    seed: u64,
    world: &SampleWorld,
    book: Option<usize>,
    now: DateTime<Utc>,
) -> Vec<SeedWorkspace> {
    let names = &word_lists().workspaces;
    let mut rng = SampleRng::new(seed, 2);
    let pro = [
        Role::Owner,
        Role::Admin,
        Role::Member,
        Role::Member,
        Role::Member,
    ];
    let teams = [
        ("pro_one", Plan::Pro, 412, &pro[..]),
        ("pro_two", Plan::Pro, 233, &pro[..4]),
        ("starter", Plan::Starter, 96, &[Role::Owner, Role::Member]),
        ("free", Plan::Free, 12, &[Role::Owner]),
    ];
    let active = team_activity::teams();
    let habits = [(&active.first, book), (&active.second, None)];
    let mut made = Vec::new();
    for (nth, (name, plan, days, roles)) in teams.into_iter().enumerate() {
        let mut team = generate_team(&mut rng, &names[name], plan, days, roles, now);
        if let Some((habits, book)) = habits.get(nth) {
            let rng = &mut rng;
            team_activity::generate_activity(rng, &mut team, habits, *book, world, now);
        }
        made.push(team);
    }
    made
}

fn generate_team(
    rng: &mut SampleRng,
    name: &str,
    plan: Plan,
    days: i64,
    roles: &[Role],
    now: DateTime<Utc>,
) -> SeedWorkspace {
    let created_at = nearest_office_hour(rng, now - Duration::days(days), now);
    let domain = format!("{}.example", slug(name, ""));
    let mut members: Vec<SeedMember> = Vec::new();
    for (nth, role) in roles.iter().enumerate() {
        let (mut first, mut last) = people::random_name(rng);
        while members
            .iter()
            .any(|known| known.first_name.as_deref() == Some(first))
        {
            (first, last) = people::random_name(rng);
        }
        // The last member of a larger team is invited but has not joined yet.
        let absent = nth == 4;
        let joined = created_at + Duration::days(days * nth as i64 / 6);
        let joined_at = if nth == 0 {
            created_at
        } else {
            nearest_office_hour(rng, joined, now).max(created_at)
        };
        members.push(SeedMember {
            id: rng.random_id(),
            email: format!("{}.{}@{domain}", slug(first, ""), slug(last, "")),
            first_name: (!absent).then(|| first.to_owned()),
            display_name: (!absent).then(|| format!("{first} {last}")),
            role: role.clone(),
            joined_at,
            last_active_at: (!absent).then(|| {
                now - Duration::minutes([4, 55, 21, 2_900][nth.min(3)] + rng.int_between(0, 40))
            }),
        });
    }
    SeedWorkspace {
        id: rng.random_id(),
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
