//! Edge cases: the few records that every real index has and clients must handle. Two firms that
//! share a domain, two people that share an address, people without a project, projects without
//! people or without signals.

use chrono::{DateTime, Duration, Utc};

use super::firm_directory::{FirmDirectory, FirmType};
use super::people;
use super::rng::SampleRng;
use super::word_lists::word_lists;
use crate::domain::{AccountId, ContactId};
use crate::service::db::index_write::IndexWriter;
use crate::service::db::new_records::{NewAccount, NewContact, NewProject};
use crate::service::db::sql::Result;

/// Adds them to an otherwise complete world.
pub fn add_edge_cases(
    rng: &mut SampleRng,
    writer: &mut IndexWriter<'_>,
    market: &FirmDirectory,
    now: DateTime<Utc>,
) -> Result<()> {
    add_branch_office(rng, writer, market, now)?;
    add_shared_mailbox(rng, writer, market, now)?;
    for city in word_lists().cities.iter().take(12) {
        let person = people::unaffiliated_contact(rng, &city.area, now);
        writer.add_contact(&person)?;
    }
    for city in word_lists().cities.iter().skip(4).take(6) {
        writer.add_project(&sparse_project(rng, city, now), &[])?;
    }
    Ok(())
}

/// A branch office that uses its parent's domain.
fn add_branch_office(
    rng: &mut SampleRng,
    writer: &mut IndexWriter<'_>,
    market: &FirmDirectory,
    now: DateTime<Utc>,
) -> Result<()> {
    let Some(parent) = market
        .firms
        .iter()
        .find(|firm| firm.kind == FirmType::Engineer && firm.has_site)
    else {
        return Ok(());
    };
    let city = &word_lists().cities[(parent.home_city + 9) % word_lists().cities.len()];
    let page = super::firms::slug(&city.name, "-");
    writer.add_account(&NewAccount {
        id: rng.random_id::<AccountId>(),
        name: format!("{} {}", parent.name, city.name),
        account_types: vec![parent.kind.as_str().to_owned()],
        domains: vec![parent.domain.clone()],
        website: Some(format!("https://www.{}/{page}", parent.domain)),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        public_phone: Some(people::random_phone(rng, &city.area)),
        description: Some(format!("Branch office of {}.", parent.name)),
        account_types_source: Some("website".to_owned()),
        created_at: now - Duration::days(210),
        ..NewAccount::default()
    })
}

/// Two people who share a mailbox.
fn add_shared_mailbox(
    rng: &mut SampleRng,
    writer: &mut IndexWriter<'_>,
    market: &FirmDirectory,
    now: DateTime<Utc>,
) -> Result<()> {
    let Some(firm) = market
        .firms
        .iter()
        .find(|firm| firm.kind == FirmType::Consultant && firm.has_site)
    else {
        return Ok(());
    };
    let area = &word_lists().cities[firm.home_city].area;
    for title in ["Permit Expediter", "Office Manager"] {
        let (first, last) = people::random_name(rng);
        writer.add_contact(&NewContact {
            id: rng.random_id::<ContactId>(),
            name: format!("{first} {last}"),
            title: Some(title.to_owned()),
            account_id: Some(firm.id),
            email: Some(format!("permits@{}", firm.domain)),
            phone: Some(people::random_phone(rng, area)),
            created_at: now - Duration::days(rng.int_between(40, 300)),
        })?;
    }
    Ok(())
}

/// A project with a name and little else.
fn sparse_project(
    rng: &mut SampleRng,
    city: &super::word_lists::City,
    now: DateTime<Utc>,
) -> NewProject {
    let name = super::firms::fill_pattern(rng, "{w} Yards", city);
    NewProject {
        id: rng.random_id(),
        name,
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        stage: Some("proposed".to_owned()),
        disposition: Some("active".to_owned()),
        cost_of_construction_usd: rng.random_bool(0.3).then_some(5.0e7),
        gc_status: Some("unknown".to_owned()),
        created_at: now - Duration::days(rng.int_between(3, 120)),
        ..NewProject::default()
    }
}
