//! The market: firms with their people, and which of them is hired where. Firms get work in their
//! city and its region, and with the partners they work with regularly.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};

use super::data::{City, FirmGroup, fill_pattern, sample_data, slug};
use super::rng::SampleRng;
use crate::domain::{AccountId, ContactId};
use crate::service::db::index_write;
use crate::service::db::new_records::{NewAccount, NewContact};
use crate::service::db::sql::{Conn, Result};

/// What the rest of the generator needs to know about a firm.
pub struct SampleFirm {
    pub id: AccountId,
    pub name: String,
    pub group: &'static FirmGroup,
    pub city: &'static City,
    pub staff: Vec<ContactId>,
}

impl SampleFirm {
    /// Its role in projects, which is its main type.
    pub fn role(&self) -> &'static str {
        &self.group.account_type
    }
}

/// All firms.
#[derive(Default)]
pub struct FirmDirectory {
    pub firms: Vec<SampleFirm>,
    /// By group, and by the city or the region of each.
    pools: HashMap<(&'static str, &'static str), Vec<usize>>,
}

impl FirmDirectory {
    /// Generates and writes the firms for a number of projects, at least `firms`.
    pub fn generate(
        rng: &mut SampleRng,
        conn: &Conn,
        projects: usize,
        firms: usize,
        now: DateTime<Utc>,
    ) -> Result<FirmDirectory> {
        let data = sample_data();
        let mut market = FirmDirectory::default();
        let mut taken = HashSet::new();
        let per_hundred = |group: &FirmGroup| group.per_hundred_projects;
        let all: usize = data.firms.iter().map(per_hundred).sum();
        for group in &data.firms {
            let share = (firms * per_hundred(group)).div_ceil(all);
            let count = (projects * per_hundred(group) / 100).max(group.least);
            for nth in 0..count.max(share) {
                // Each city gets one first, so that even a small world has local firms.
                let city = match data.cities.get(nth) {
                    Some(city) => city,
                    None => rng.pick_weighted(&data.cities, |city| city.weight),
                };
                let mut account = generate_account(rng, group, city, &mut taken, now);
                // Some are the branch office of another, whose domain they use.
                if let Some(parent) = market.firms.last()
                    && nth > 0
                    && rng.random_bool(0.02)
                {
                    account.domains = vec![format!("{}.example", slug(&parent.name, ""))];
                    account.name = format!("{} {}", parent.name, city.name);
                }
                let contacts = generate_staff(rng, &account, group, city);
                index_write::add_account(conn, &account)?;
                for contact in &contacts {
                    index_write::add_contact(conn, contact)?;
                }
                market.add(SampleFirm {
                    id: account.id,
                    name: account.name,
                    group,
                    city,
                    staff: contacts.iter().map(|contact| contact.id).collect(),
                });
            }
        }
        Ok(market)
    }

    fn add(&mut self, firm: SampleFirm) {
        let places: &[&String] = match firm.group.is_local {
            true => &[&firm.city.name],
            false => &[&firm.city.name, &firm.city.region],
        };
        for place in places {
            let pool = self.pools.entry((firm.group.key.as_str(), place.as_str()));
            pool.or_default().push(self.firms.len());
        }
        self.firms.push(firm);
    }

    /// A firm of a group for a job in a city, mostly from there.
    pub fn pick_firm(&self, rng: &mut SampleRng, group: &str, city: &City) -> &SampleFirm {
        let local = &self.pools[&(group, city.name.as_str())];
        let regional = self.pools.get(&(group, city.region.as_str()));
        let pool = regional.filter(|_| rng.random_bool(0.34)).unwrap_or(local);
        &self.firms[*rng.pick_skewed(pool)]
    }

    /// A partner of `lead`, mostly one of its regular two: their draws only depend on the lead.
    pub fn pick_partner(
        &self,
        rng: &mut SampleRng,
        lead: &SampleFirm,
        group: &str,
        city: &City,
    ) -> &SampleFirm {
        if rng.random_bool(0.3) {
            return self.pick_firm(rng, group, city);
        }
        let habit = u64::from(rng.random_bool(0.25));
        self.pick_firm(
            &mut SampleRng::new(lead.id.0.as_u64_pair().0, habit),
            group,
            city,
        )
    }
}

fn generate_account(
    rng: &mut SampleRng,
    group: &FirmGroup,
    city: &City,
    taken: &mut HashSet<String>,
    now: DateTime<Utc>,
) -> NewAccount {
    let facts = |key: &str| (key == "city").then(|| city.name.as_str().into());
    let mut pattern = rng.pick(&group.names).clone();
    let name = loop {
        let name = fill_pattern(rng, &pattern, &facts);
        if taken.insert(slug(&name, "")) {
            break name;
        }
        // A longer name may be free.
        pattern.push_str(" {w}");
    };
    let domain = format!("{}.example", slug(&name, ""));
    let place = rng.pick(&city.places);
    let mut account_types = vec![group.account_type.clone()];
    if !group.also.is_empty() && rng.random_bool(0.2) {
        account_types.push(rng.pick(&group.also).clone());
    }
    let mut specialties: Vec<String> = (0..rng.int_between(1, 3))
        .map(|_| rng.pick(&group.specialties).clone())
        .collect();
    let known_for = format!(
        "{name} is {} in {}, {}. Known for {}.",
        group.what, city.name, city.state, specialties[0]
    );
    specialties.sort();
    specialties.dedup();
    let address = format!(
        "{} {}, {}, {} {}",
        rng.int_between(100, 4_899),
        rng.pick(&place.streets),
        city.name,
        city.state,
        place.zip
    );
    let sources = [
        "filings",
        "filings",
        "website",
        "license_board",
        "manual_review",
    ];
    let mut account = NewAccount {
        id: rng.random_id(),
        account_types,
        aliases: vec![format!("{name}, {}", rng.pick(&["LLC", "Inc.", "LP"]))],
        website: Some(format!("https://www.{domain}")),
        linkedin_url: Some(format!(
            "https://linkedin.example/company/{}",
            slug(&name, "-")
        )),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        hq_address: Some(address),
        hq_location: Some(nearby_point(rng, place.location)),
        public_phone: Some(random_phone(rng, city)),
        public_email: Some(format!(
            "{}@{domain}",
            rng.pick(&["info", "hello", "office"])
        )),
        domains: vec![domain],
        description: Some(known_for),
        specialties,
        founded_year: Some(2023 - rng.exponential(22.0).min(90.0) as i64),
        account_types_source: Some(rng.pick(&sources).to_string()),
        created_at: now - Duration::minutes(rng.int_between(90_000, 2_160_000)),
        name,
    };
    rng.forget(0.5, &mut account.aliases);
    rng.forget(0.07, &mut account.domains);
    rng.forget(0.1, &mut account.website);
    rng.forget(0.4, &mut account.linkedin_url);
    rng.forget(0.1, &mut account.hq_address);
    rng.forget(0.1, &mut account.hq_location);
    rng.forget(0.15, &mut account.public_phone);
    rng.forget(0.3, &mut account.public_email);
    rng.forget(0.25, &mut account.description);
    rng.forget(0.15, &mut account.specialties);
    rng.forget(0.12, &mut account.founded_year);
    account
}

/// The people of a firm.
fn generate_staff(
    rng: &mut SampleRng,
    account: &NewAccount,
    group: &FirmGroup,
    city: &City,
) -> Vec<NewContact> {
    let founder = sample_data()
        .last_names
        .iter()
        .find(|name| account.name.starts_with(name.as_str()));
    let has_one_mailbox = rng.random_bool(0.04);
    (0..rng.int_between(group.staff.0, group.staff.1))
        .map(|nth| {
            let mut contact = generate_contact(rng, city, account.created_at);
            // A founder who gave the firm its name works there.
            if let Some(founder) = founder.filter(|_| nth == 0) {
                let first = contact.name.split(' ').next().unwrap_or_default();
                contact.name = format!("{first} {founder}");
            }
            let local = match has_one_mailbox {
                true => "office".to_owned(),
                false => slug(&contact.name, "."),
            };
            let domain = account.domains.first();
            contact.email = domain.map(|domain| format!("{local}@{domain}"));
            contact.title = Some(rng.pick(&group.titles).clone());
            contact.account_id = Some(account.id);
            contact.created_at += Duration::minutes(rng.int_between(1, 55 * 1440));
            rng.forget(0.06, &mut contact.title);
            rng.forget(0.12, &mut contact.email);
            contact
        })
        .collect()
}

/// A person who works for no firm of the index, such as a homeowner or a broker between jobs.
pub fn generate_contact(rng: &mut SampleRng, city: &City, created_at: DateTime<Utc>) -> NewContact {
    let (first, last) = random_name(rng);
    let name = format!("{first} {last}");
    let mut contact = NewContact {
        id: rng.random_id(),
        title: Some("Homeowner".to_owned()),
        account_id: None,
        email: Some(format!("{}@mail.example", slug(&name, "."))),
        phone: Some(random_phone(rng, city)),
        created_at,
        name,
    };
    rng.forget(0.3, &mut contact.phone);
    contact
}

pub fn random_name(rng: &mut SampleRng) -> (&'static str, &'static str) {
    let data = sample_data();
    let first = rng.pick(&data.first_names).as_str();
    (first, rng.pick(&data.last_names).as_str())
}

/// A phone number from the range reserved for fiction.
fn random_phone(rng: &mut SampleRng, city: &City) -> String {
    format!("({}) 555-01{:02}", city.area, rng.int_between(0, 99))
}

/// A point within about a mile.
pub fn nearby_point(rng: &mut SampleRng, (lat, lng): (f64, f64)) -> (f64, f64) {
    let mut move_by =
        |degrees: f64, most: f64| ((degrees + rng.draw_from((-most, most))) * 1e6).round() / 1e6;
    (move_by(lat, 0.009), move_by(lng, 0.011))
}
