//! Firms and their people: names, addresses, specialities, and the partners that they work with again and again.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};

use super::chance::Chance;
use super::people::{self, Person};
use super::words::{City, words};
use crate::domain::AccountId;
use crate::service::db::records::{Account, Contact};

/// What a firm is: its account type and its role in projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Has the idea, the land and the risk.
    Developer,
    /// Has it built for its own use.
    Owner,
    /// Draws it.
    Architect,
    /// Makes it stand.
    Engineer,
    /// Builds it.
    Gc,
    /// Builds a part.
    Subcontractor,
    /// Lends for it.
    Lender,
    /// Gets it through.
    Consultant,
}

impl Kind {
    /// Every kind, with how many there are for a hundred projects, how many at least, and how many people it has in the index.
    pub const ALL: [(Kind, usize, usize, (i64, i64)); 8] = [
        (Kind::Developer, 15, 44, (1, 5)),
        (Kind::Owner, 4, 62, (1, 3)),
        (Kind::Architect, 8, 26, (1, 3)),
        (Kind::Engineer, 7, 26, (1, 2)),
        (Kind::Gc, 8, 26, (1, 4)),
        (Kind::Subcontractor, 7, 24, (0, 2)),
        (Kind::Lender, 2, 10, (0, 2)),
        (Kind::Consultant, 3, 23, (0, 2)),
    ];

    /// The interface's word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Developer => "developer",
            Kind::Owner => "owner",
            Kind::Architect => "architect",
            Kind::Engineer => "engineer",
            Kind::Gc => "gc",
            Kind::Subcontractor => "subcontractor",
            Kind::Lender => "lender",
            Kind::Consultant => "consultant",
        }
    }
}

/// What a firm mainly builds; a firm takes work of its own trades. The values are bits of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trade {
    /// Flats and towers.
    Homes = 1,
    /// Offices, shops, hotels, fit-outs.
    Commercial = 2,
    /// Sheds and data centres.
    Industrial = 4,
    /// Hospitals and labs.
    Health = 8,
    /// Houses and decks.
    Small = 16,
    /// What a city builds.
    Civic = 32,
    /// Schools and colleges.
    School = 64,
}

/// Those who build for one institution build for all of them.
const TRADES: [u8; 5] = [
    Trade::Homes as u8,
    Trade::Commercial as u8,
    Trade::Industrial as u8,
    Trade::Health as u8 | Trade::Civic as u8 | Trade::School as u8,
    Trade::Small as u8,
];

/// What the rest of the world needs to know of a firm.
pub struct Firm {
    /// Its id.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// Its web domain.
    pub domain: String,
    /// Whether the index knows the domain.
    pub has_site: bool,
    /// Whether it is known by other names too.
    pub aliased: bool,
    /// What it is.
    pub kind: Kind,
    /// The index of its home city.
    pub home: usize,
    /// Whether it works everywhere.
    pub national: bool,
    /// Its trades, as a set of [`Trade`] bits.
    pub trades: u8,
    /// Its people.
    pub staff: Vec<Person>,
}

impl Firm {
    /// Whether it is called after its city and builds there alone.
    fn is_civic(&self) -> bool {
        let city = &words().cities[self.home].name;
        self.name.strip_prefix("City of ").unwrap_or(&self.name).starts_with(city.as_str())
    }
}

/// All the firms, found by kind and city.
pub struct Market {
    /// The firms.
    pub firms: Vec<Firm>,
    all: Vec<Vec<u32>>,
    local: Vec<Vec<u32>>,
    regional: Vec<Vec<u32>>,
    national: Vec<Vec<u32>>,
    regions: Vec<usize>,
}

impl Market {
    /// Makes the firms for so many projects, handing each record to `keep` as it is made.
    pub fn found<E>(
        chance: &mut Chance,
        projects: usize,
        now: DateTime<Utc>,
        mut keep: impl FnMut(&Account, &[Contact]) -> Result<(), E>,
    ) -> Result<Market, E> {
        let cities = &words().cities;
        let mut names = Names { taken: HashSet::new(), domains: HashSet::new() };
        let mut names_of_regions: Vec<&str> = Vec::new();
        let mut regions = Vec::new();
        for city in cities {
            let known = names_of_regions.iter().position(|name| *name == city.region);
            regions.push(known.unwrap_or_else(|| {
                names_of_regions.push(&city.region);
                names_of_regions.len() - 1
            }));
        }
        let kinds = Kind::ALL.len();
        let mut market = Market {
            firms: Vec::new(),
            all: vec![Vec::new(); kinds],
            local: vec![Vec::new(); kinds * cities.len()],
            regional: vec![Vec::new(); kinds * names_of_regions.len()],
            national: vec![Vec::new(); kinds],
            regions,
        };
        for (kind, per_hundred, least, staff) in Kind::ALL {
            for nth in 0..(projects * per_hundred / 100).max(least) {
                // The first firms go round the cities, so that even a small world has local firms; then cities weigh.
                let rounds = if kind == Kind::Owner { 2 } else { 1 };
                let home = if nth < cities.len() * rounds {
                    nth % cities.len()
                } else {
                    chance.weigh(cities.iter().map(|city| city.weight))
                };
                let (firm, account, contacts) = make(chance, kind, nth, home, staff, &mut names, now);
                keep(&account, &contacts)?;
                market.add(firm);
            }
        }
        Ok(market)
    }

    fn add(&mut self, firm: Firm) {
        let at = self.firms.len() as u32;
        let (kind, kinds) = (firm.kind as usize, Kind::ALL.len());
        self.all[kind].push(at);
        self.local[firm.home * kinds + kind].push(at);
        // A city's own school district builds in its city alone.
        if !firm.is_civic() {
            self.regional[self.regions[firm.home] * kinds + kind].push(at);
            if firm.national {
                self.national[kind].push(at);
            }
        }
        self.firms.push(firm);
    }

    /// A firm for a piece of work: mostly from the city, else from its region or one that works everywhere. None if nobody does such work.
    pub fn hire(&self, chance: &mut Chance, kind: Kind, city: usize, trade: Trade) -> Option<&Firm> {
        let kinds = Kind::ALL.len();
        let local = &self.local[city * kinds + kind as usize];
        let regional = &self.regional[self.regions[city] * kinds + kind as usize];
        let fits = |at: &u32| self.firms[*at as usize].trades & trade as u8 != 0;
        for _ in 0..6 {
            let reach = chance.num(0.0, 1.0);
            let at = match reach {
                _ if !local.is_empty() && reach < 0.66 => *chance.favour(local),
                _ if !regional.is_empty() && (reach < 0.93 || trade == Trade::Small) => *chance.favour(regional),
                _ if !self.national[kind as usize].is_empty() => *chance.pick(&self.national[kind as usize]),
                _ => continue,
            };
            if fits(&at) {
                return Some(&self.firms[at as usize]);
            }
        }
        // Nobody near was free: whoever does this work comes from the region or from afar.
        let all = &self.all[kind as usize];
        let from = chance.int(0, all.len() as i64) as usize;
        let travels = |at: &&u32| !self.firms[**at as usize].is_civic() || self.firms[**at as usize].home == city;
        let round = |pool: &'_ [u32]| {
            let len = pool.len().max(1);
            pool.iter().cycle().skip(from % len).take(pool.len()).filter(travels).find(|at| fits(at)).copied()
        };
        let at = round(local).or_else(|| round(regional)).or_else(|| round(all))?;
        Some(&self.firms[at as usize])
    }

    /// A firm that works with `lead` again and again: the same draw for the same lead, so partners stay partners.
    pub fn partner(&self, chance: &mut Chance, lead: &Firm, kind: Kind, city: usize, trade: Trade) -> Option<&Firm> {
        if chance.yes(0.3) {
            return self.hire(chance, kind, city, trade);
        }
        let seed = lead.id.0.as_u64_pair().0 ^ ((city as u64) << 8);
        let mut habit = Chance::new(seed, kind as u64 * 2 + u64::from(chance.yes(0.25)));
        self.hire(&mut habit, kind, city, trade)
    }
}

/// What an owner builds for itself, by its name.
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

struct Names {
    taken: HashSet<String>,
    domains: HashSet<String>,
}

/// Fills a name pattern.
pub fn fill(chance: &mut Chance, pattern: &str, city: &City) -> String {
    let words = words();
    let mut out = String::with_capacity(32);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        match key {
            "s" | "t" => {
                let mut name = chance.pick(&words.last);
                while out.contains(name.as_str()) {
                    name = chance.pick(&words.last);
                }
                out.push_str(name);
            }
            "w" => out.push_str(chance.pick(&words.words).as_str()),
            "f" => out.push_str(chance.pick::<&str>(&["Brigid", "Clare", "Jude", "Luke", "Anne", "Raphael", "Agnes", "Mark"])),
            "c" => out.push_str(&city.name),
            "i" => (0..3).for_each(|_| out.push(*chance.pick(b"ABCDEGHJKLMNPRSTVW") as char)),
            other => out.push_str(other),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn make(
    chance: &mut Chance,
    kind: Kind,
    nth: usize,
    home: usize,
    staff: (i64, i64),
    names: &mut Names,
    now: DateTime<Utc>,
) -> (Firm, Account, Vec<Contact>) {
    let city = &words().cities[home];
    let lists = &words().firms[kind.word()];
    // Every city builds for itself and for its schools.
    let public = [format!("City of {}", city.name), format!("{} Public Schools", city.name)];
    let public = public.into_iter().nth(nth / words().cities.len()).filter(|_| kind == Kind::Owner);
    let name = public.unwrap_or_else(|| names.fresh(chance, &lists.names, city));
    let domain = names.domain(&name, city);
    let id: AccountId = chance.id();
    let place = chance.pick(&city.places);
    let mut trades = *chance.pick(&TRADES);
    while chance.yes(if matches!(kind, Kind::Developer | Kind::Owner) { 0.35 } else { 0.65 }) {
        trades |= *chance.pick(&TRADES);
    }
    if kind == Kind::Owner {
        trades = owner_trades(&name);
    }
    let specialties: Vec<String> = (0..chance.int(1, 3)).map(|_| chance.pick(&lists.specialties).clone()).collect();
    let founded =
        if chance.yes(0.88) { Some(i64::from(1994 + chance.wait(9.0) as i32).min(2023) - chance.int(0, 46)) } else { None };
    let street = chance.pick(&place.streets);
    let suite = if chance.yes(0.55) { format!(", Suite {}", chance.int(1, 24) * 50 + 50) } else { String::new() };
    let has_site = chance.yes(0.93);
    let created_at = now - Duration::minutes((chance.num(60.0, 1500.0) * 1440.0) as i64);
    let mut account_types = vec![kind.word().to_owned()];
    match kind {
        Kind::Developer if chance.yes(0.22) => account_types.push(chance.pick(&["owner", "gc"]).to_string()),
        Kind::Engineer if chance.yes(0.12) => account_types.push("architect".to_owned()),
        _ => {}
    }
    let mut account = Account {
        id,
        aliases: aliases(chance, &name),
        account_types,
        domains: if has_site { vec![domain.clone()] } else { Vec::new() },
        website: has_site.then(|| format!("https://www.{domain}")),
        linkedin_url: chance.yes(0.6).then(|| format!("https://linkedin.example/company/{}", slug(&name, "-"))),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        hq_address: chance.yes(0.9).then(|| {
            format!(
                "{} {street}{suite}, {}, {} {}",
                chance.int(1, 48) * 100 + chance.int(1, 99),
                city.name,
                city.state,
                place.zip
            )
        }),
        hq_location: chance.yes(0.9).then(|| near(chance, place.location)),
        public_phone: chance.yes(0.85).then(|| people::phone(chance, &city.area)),
        public_email: (has_site && chance.yes(0.7))
            .then(|| format!("{}@{domain}", chance.pick(&["info", "hello", "office", "contact", "newbusiness"]))),
        description: chance.yes(0.75).then(|| describe(chance, kind, &name, city, &specialties, founded)),
        specialties: if chance.yes(0.85) { distinct(specialties) } else { Vec::new() },
        founded_year: founded,
        account_types_source: Some(chance.pick(&["filings", "filings", "website", "license_board"]).to_string()),
        created_at,
        name,
    };
    let count = chance.int(staff.0, staff.1) as usize;
    let (people, contacts) = people::staff(chance, count, &account, &domain, &lists.titles, &city.area);
    if account.account_types.len() > 1 && chance.yes(0.3) {
        account.account_types_source = Some("manual_review".to_owned());
    }
    let firm = Firm {
        id,
        name: account.name.clone(),
        domain,
        has_site,
        aliased: !account.aliases.is_empty(),
        kind,
        home,
        national: matches!(kind, Kind::Lender) || chance.yes(0.16),
        trades: if matches!(kind, Kind::Lender | Kind::Subcontractor | Kind::Consultant) { u8::MAX } else { trades },
        staff: people,
    };
    (firm, account, contacts)
}

impl Names {
    fn fresh(&mut self, chance: &mut Chance, patterns: &[String], city: &City) -> String {
        for _ in 0..8 {
            let pattern = chance.pick(patterns);
            let name = fill(chance, pattern, city);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        let mut name = format!("{} of {}", fill(chance, "{s} & {t}", city), city.name);
        while !self.taken.insert(name.clone()) {
            name = format!("{} {}", fill(chance, "{s} {t} {s} {w}", city), city.state);
        }
        name
    }

    fn domain(&mut self, name: &str, city: &City) -> String {
        let base = slug(name, "");
        let long = [base.clone(), format!("{base}{}", city.state.to_lowercase()), format!("{base}{}", slug(&city.name, ""))];
        let fresh = long.into_iter().find(|candidate| !self.domains.contains(candidate));
        let domain = fresh.unwrap_or_else(|| format!("{base}{}", self.domains.len()));
        self.domains.insert(domain.clone());
        format!("{domain}.example")
    }
}

/// A name as an address spells it: lower case letters and figures, words joined by `joint`.
pub fn slug(name: &str, joint: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            'ñ' => out.push('n'),
            'í' => out.push('i'),
            'ë' | 'é' => out.push('e'),
            ' ' | '-' | '+' if !joint.is_empty() && !out.is_empty() && !out.ends_with(joint) => out.push_str(joint),
            '+' => out.push_str("and"),
            _ => {}
        }
    }
    out
}

fn aliases(chance: &mut Chance, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let initials: String = name.split([' ', '-']).filter_map(|word| word.chars().next()).filter(|c| c.is_uppercase()).collect();
    if initials.len() >= 3 && chance.yes(0.4) {
        out.push(initials);
    }
    if chance.yes(0.35) {
        out.push(format!("{name}, {}", chance.pick(&["LLC", "Inc.", "LP", "PLLC"])));
    }
    if name.contains(" & ") && chance.yes(0.5) {
        out.push(name.replace(" & ", " and "));
    }
    out
}

fn describe(chance: &mut Chance, kind: Kind, name: &str, city: &City, specialties: &[String], founded: Option<i64>) -> String {
    let what = match kind {
        Kind::Developer => "a real estate developer",
        Kind::Owner => "an owner of buildings",
        Kind::Architect => "an architecture practice",
        Kind::Engineer => "an engineering consultancy",
        Kind::Gc => "a general contractor",
        Kind::Subcontractor => "a trade contractor",
        Kind::Lender => "a construction lender",
        Kind::Consultant => "a development consultancy",
    };
    let since = founded.filter(|_| chance.yes(0.5)).map(|year| format!(", founded in {year}")).unwrap_or_default();
    let focus = specialties.first().map(|first| format!(" Known for {first}.")).unwrap_or_default();
    format!("{name} is {what} in {}, {}{since}.{focus}", city.name, city.state)
}

/// A point within a mile or so.
pub fn near(chance: &mut Chance, (lat, lng): (f64, f64)) -> (f64, f64) {
    let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
    (round(lat + chance.num(-0.009, 0.009)), round(lng + chance.num(-0.011, 0.011)))
}

fn distinct(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words.dedup();
    words
}
