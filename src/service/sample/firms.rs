//! Firms: names, addresses, domains and specialties that fit together.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};

use super::firm_directory::{FirmType, SampleFirm, Trade};
use super::people;
use super::rng::SampleRng;
use super::word_lists::{City, word_lists};
use crate::domain::AccountId;
use crate::service::db::new_records::{NewAccount, NewContact};

/// Firms that build for one kind of institution build for all of them.
const TRADE_SETS: [u8; 5] = [
    Trade::Homes as u8,
    Trade::Commercial as u8,
    Trade::Industrial as u8,
    Trade::Health as u8 | Trade::Civic as u8 | Trade::School as u8,
    Trade::Small as u8,
];

/// What an owner builds for itself, judging by its name.
fn owner_trades(name: &str) -> u8 {
    let of = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if of(&["City of", "Parks"]) {
        Trade::Civic as u8
    } else if of(&["School", "University"]) {
        Trade::School as u8
    } else if of(&["Health"]) {
        Trade::Health as u8
    } else if of(&["Housing", "Land Trust"]) {
        Trade::Homes as u8
    } else if of(&["Logistics", "Data"]) {
        Trade::Industrial as u8
    } else if of(&["Family Trust"]) {
        Trade::Small as u8 | Trade::Homes as u8
    } else {
        Trade::Commercial as u8
    }
}

/// The names and domains in use.
#[derive(Default)]
pub struct UsedFirmNames {
    taken: HashSet<String>,
    domains: HashSet<String>,
}

/// Fills in a name pattern.
pub fn fill_pattern(rng: &mut SampleRng, pattern: &str, city: &City) -> String {
    let words = word_lists();
    let mut out = String::with_capacity(32);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        match key {
            "s" | "t" => {
                let mut name = rng.pick(&words.last_names);
                while out.contains(name.as_str()) {
                    name = rng.pick(&words.last_names);
                }
                out.push_str(name);
            }
            "w" => out.push_str(rng.pick(&words.name_words).as_str()),
            "f" => out.push_str(rng.pick::<&str>(&[
                "Brigid", "Clare", "Jude", "Luke", "Anne", "Raphael", "Agnes", "Mark",
            ])),
            "c" => out.push_str(&city.name),
            "i" => (0..3).for_each(|_| out.push(*rng.pick(b"ABCDEGHJKLMNPRSTVW") as char)),
            other => out.push_str(other),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Generates a firm of a type based in a city, with its people.
pub fn generate_firm(
    rng: &mut SampleRng,
    kind: FirmType,
    nth: usize,
    home: usize,
    names: &mut UsedFirmNames,
    now: DateTime<Utc>,
) -> (SampleFirm, NewAccount, Vec<NewContact>) {
    let city = &word_lists().cities[home];
    let lists = kind.words();
    // Every city builds for itself and for its schools.
    let public = [
        format!("City of {}", city.name),
        format!("{} Public Schools", city.name),
    ];
    let public = public
        .into_iter()
        .nth(nth / word_lists().cities.len())
        .filter(|_| kind == FirmType::Owner);
    let name = public.unwrap_or_else(|| names.new_name(rng, &lists.names, city));
    let domain = names.new_domain(&name, city);
    let id: AccountId = rng.random_id();
    let place = rng.pick(&city.places);
    let mut trades = *rng.pick(&TRADE_SETS);
    while rng.random_bool(if matches!(kind, FirmType::Developer | FirmType::Owner) {
        0.35
    } else {
        0.65
    }) {
        trades |= *rng.pick(&TRADE_SETS);
    }
    if kind == FirmType::Owner {
        trades = owner_trades(&name);
    }
    let specialties: Vec<String> = (0..rng.int_between(1, 3))
        .map(|_| rng.pick(&lists.specialties).clone())
        .collect();
    let founded = if rng.random_bool(0.88) {
        Some(i64::from(1994 + rng.exponential(9.0) as i32).min(2023) - rng.int_between(0, 46))
    } else {
        None
    };
    let street = rng.pick(&place.streets);
    let suite = if rng.random_bool(0.55) {
        format!(", Suite {}", rng.int_between(1, 24) * 50 + 50)
    } else {
        String::new()
    };
    let has_site = rng.random_bool(0.93);
    let created_at = now - Duration::minutes((rng.float_between(60.0, 1500.0) * 1440.0) as i64);
    let mut account_types = vec![kind.as_str().to_owned()];
    match kind {
        FirmType::Developer if rng.random_bool(0.22) => {
            account_types.push(rng.pick(&["owner", "gc"]).to_string())
        }
        FirmType::Engineer if rng.random_bool(0.12) => account_types.push("architect".to_owned()),
        _ => {}
    }
    let mut account = NewAccount {
        id,
        aliases: generate_aliases(rng, &name),
        account_types,
        domains: if has_site {
            vec![domain.clone()]
        } else {
            Vec::new()
        },
        website: has_site.then(|| format!("https://www.{domain}")),
        linkedin_url: rng
            .random_bool(0.6)
            .then(|| format!("https://linkedin.example/company/{}", slug(&name, "-"))),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        hq_address: rng.random_bool(0.9).then(|| {
            format!(
                "{} {street}{suite}, {}, {} {}",
                rng.int_between(1, 48) * 100 + rng.int_between(1, 99),
                city.name,
                city.state,
                place.zip
            )
        }),
        hq_location: rng
            .random_bool(0.9)
            .then(|| nearby_point(rng, place.location)),
        public_phone: rng
            .random_bool(0.85)
            .then(|| people::random_phone(rng, &city.area)),
        public_email: (has_site && rng.random_bool(0.7)).then(|| {
            format!(
                "{}@{domain}",
                rng.pick(&["info", "hello", "office", "contact", "newbusiness"])
            )
        }),
        description: rng
            .random_bool(0.75)
            .then(|| generate_description(rng, kind, &name, city, &specialties, founded)),
        specialties: if rng.random_bool(0.85) {
            sort_distinct(specialties)
        } else {
            Vec::new()
        },
        founded_year: founded,
        account_types_source: Some(
            rng.pick(&["filings", "filings", "website", "license_board"])
                .to_string(),
        ),
        created_at,
        name,
    };
    let count = rng.int_between(lists.staff.0, lists.staff.1) as usize;
    let (people, contacts) =
        people::generate_staff(rng, count, &account, &domain, &lists.titles, &city.area);
    if account.account_types.len() > 1 && rng.random_bool(0.3) {
        account.account_types_source = Some("manual_review".to_owned());
    }
    let firm = SampleFirm {
        id,
        name: account.name.clone(),
        domain,
        has_site,
        has_aliases: !account.aliases.is_empty(),
        kind,
        home_city: home,
        is_national: matches!(kind, FirmType::Lender) || rng.random_bool(0.16),
        trades: if matches!(
            kind,
            FirmType::Lender | FirmType::Subcontractor | FirmType::Consultant
        ) {
            u8::MAX
        } else {
            trades
        },
        staff: people,
    };
    (firm, account, contacts)
}

impl UsedFirmNames {
    fn new_name(&mut self, rng: &mut SampleRng, patterns: &[String], city: &City) -> String {
        for _ in 0..8 {
            let pattern = rng.pick(patterns);
            let name = fill_pattern(rng, pattern, city);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        let mut name = format!("{} of {}", fill_pattern(rng, "{s} & {t}", city), city.name);
        while !self.taken.insert(name.clone()) {
            name = format!(
                "{} {}",
                fill_pattern(rng, "{s} {t} {s} {w}", city),
                city.state
            );
        }
        name
    }

    fn new_domain(&mut self, name: &str, city: &City) -> String {
        let base = slug(name, "");
        let long = [
            base.clone(),
            format!("{base}{}", city.state.to_lowercase()),
            format!("{base}{}", slug(&city.name, "")),
        ];
        let fresh = long
            .into_iter()
            .find(|candidate| !self.domains.contains(candidate));
        let domain = fresh.unwrap_or_else(|| format!("{base}{}", self.domains.len()));
        self.domains.insert(domain.clone());
        format!("{domain}.example")
    }
}

/// A name as in addresses: lower-case letters and digits, words joined by `joint`.
pub fn slug(name: &str, joint: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            'ñ' => out.push('n'),
            'í' => out.push('i'),
            'ë' | 'é' => out.push('e'),
            ' ' | '-' | '+' if !joint.is_empty() && !out.is_empty() && !out.ends_with(joint) => {
                out.push_str(joint)
            }
            '+' => out.push_str("and"),
            _ => {}
        }
    }
    out
}

fn generate_aliases(rng: &mut SampleRng, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let initials: String = name
        .split([' ', '-'])
        .filter_map(|word| word.chars().next())
        .filter(|c| c.is_uppercase())
        .collect();
    if initials.len() >= 3 && rng.random_bool(0.4) {
        out.push(initials);
    }
    if rng.random_bool(0.35) {
        out.push(format!(
            "{name}, {}",
            rng.pick(&["LLC", "Inc.", "LP", "PLLC"])
        ));
    }
    if name.contains(" & ") && rng.random_bool(0.5) {
        out.push(name.replace(" & ", " and "));
    }
    out
}

fn generate_description(
    rng: &mut SampleRng,
    kind: FirmType,
    name: &str,
    city: &City,
    specialties: &[String],
    founded: Option<i64>,
) -> String {
    let what = &kind.words().what;
    let since = founded
        .filter(|_| rng.random_bool(0.5))
        .map(|year| format!(", founded in {year}"))
        .unwrap_or_default();
    let focus = specialties
        .first()
        .map(|first| format!(" Known for {first}."))
        .unwrap_or_default();
    format!(
        "{name} is {what} in {}, {}{since}.{focus}",
        city.name, city.state
    )
}

/// A point within about a mile.
pub fn nearby_point(rng: &mut SampleRng, (lat, lng): (f64, f64)) -> (f64, f64) {
    let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
    (
        round(lat + rng.float_between(-0.009, 0.009)),
        round(lng + rng.float_between(-0.011, 0.011)),
    )
}

fn sort_distinct(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words.dedup();
    words
}
