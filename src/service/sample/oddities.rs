//! Oddities: the few records that every real index has and a client must live with. Two firms that share a domain, two people that
//! share an address, people on no project, projects that nobody works on or that have no signal yet.

use chrono::{DateTime, Duration, Utc};
use rusqlite::Result;

use super::chance::Chance;
use super::market::{Kind, Market};
use super::words::words;
use super::{buildings, people};
use crate::domain::{AccountId, ContactId};
use crate::service::db::index_write::Writer;
use crate::service::db::records::{Account, Contact, Project};

/// Adds them to a world that is there otherwise.
pub fn add(chance: &mut Chance, writer: &mut Writer<'_>, market: &Market, now: DateTime<Utc>) -> Result<()> {
    branch_office(chance, writer, market, now)?;
    shared_mailbox(chance, writer, market, now)?;
    for city in words().cities.iter().take(12) {
        let person = people::nobody_s(chance, &city.area, now);
        writer.contact(&person)?;
    }
    for city in words().cities.iter().skip(4).take(6) {
        writer.project(&rumour(chance, city, now), &[])?;
    }
    Ok(())
}

/// A branch that uses its parent's domain.
fn branch_office(chance: &mut Chance, writer: &mut Writer<'_>, market: &Market, now: DateTime<Utc>) -> Result<()> {
    let Some(parent) = market.firms.iter().find(|firm| firm.kind == Kind::Engineer && firm.has_site) else { return Ok(()) };
    let city = &words().cities[(parent.home + 9) % words().cities.len()];
    writer.account(&Account {
        id: chance.id::<AccountId>(),
        name: format!("{} {}", parent.name, city.name),
        account_types: vec![parent.kind.word().to_owned()],
        aliases: Vec::new(),
        domains: vec![parent.domain.clone()],
        website: Some(format!("https://www.{}/{}", parent.domain, super::firms::slug(&city.name, "-"))),
        linkedin_url: None,
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        hq_address: None,
        hq_location: None,
        public_phone: Some(people::phone(chance, &city.area)),
        public_email: None,
        specialties: Vec::new(),
        description: Some(format!("Branch office of {}.", parent.name)),
        founded_year: None,
        account_types_source: Some("website".to_owned()),
        created_at: now - Duration::days(210),
    })
}

/// Two people who are reached at one address.
fn shared_mailbox(chance: &mut Chance, writer: &mut Writer<'_>, market: &Market, now: DateTime<Utc>) -> Result<()> {
    let Some(firm) = market.firms.iter().find(|firm| firm.kind == Kind::Consultant && firm.has_site) else { return Ok(()) };
    let area = &words().cities[firm.home].area;
    for title in ["Permit Expediter", "Office Manager"] {
        let (first, last) = people::name(chance);
        writer.contact(&Contact {
            id: chance.id::<ContactId>(),
            name: format!("{first} {last}"),
            title: Some(title.to_owned()),
            account_id: Some(firm.id),
            email: Some(format!("permits@{}", firm.domain)),
            phone: Some(people::phone(chance, area)),
            created_at: now - Duration::days(chance.int(40, 300)),
        })?;
    }
    Ok(())
}

/// A project of which there is a name and little else.
fn rumour(chance: &mut Chance, city: &super::words::City, now: DateTime<Utc>) -> Project {
    let name = super::firms::fill(chance, "{w} Yards", city);
    Project {
        id: chance.id(),
        name,
        primary_address: None,
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        neighborhood: None,
        primary_use: None,
        uses: Vec::new(),
        stage: Some("proposed".to_owned()),
        disposition: Some("active".to_owned()),
        gross_floor_area_sf: None,
        residential_units: None,
        cost_of_construction_usd: chance.yes(0.3).then(|| buildings::significant(5.0e7)),
        stories: None,
        parking_spaces: None,
        gc_status: Some("unknown".to_owned()),
        height_ft: None,
        hotel_rooms: None,
        affordable_units: None,
        land_area_sf: None,
        unit_mix: None,
        use_areas: None,
        structure_types: Vec::new(),
        regulatory_flags: Vec::new(),
        far: None,
        location: None,
        created_at: now - Duration::days(chance.int(3, 120)),
    }
}
