//! The market: who can be hired for what, where. Firms win work at home, in their region or everywhere, in their own trades, and with the
//! partners that they work with again and again.

use chrono::{DateTime, Utc};

use super::chance::Chance;
use super::firms::{self, Names};
use super::people::Person;
use super::words::words;
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
    /// Makes the firms for so many projects, and at least so many firms, handing each record to `keep` as it is made.
    pub fn found<E>(
        chance: &mut Chance,
        projects: usize,
        firms: usize,
        now: DateTime<Utc>,
        mut keep: impl FnMut(&Account, &[Contact]) -> Result<(), E>,
    ) -> Result<Market, E> {
        let cities = &words().cities;
        let mut names = Names::default();
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
        let all: usize = Kind::ALL.iter().map(|(_, per_hundred, ..)| per_hundred).sum();
        for (kind, per_hundred, least, staff) in Kind::ALL {
            let share = (firms * per_hundred).div_ceil(all);
            for nth in 0..(projects * per_hundred / 100).max(least).max(share) {
                // The first firms go round the cities, so that even a small world has local firms; then cities weigh.
                let rounds = if kind == Kind::Owner { 2 } else { 1 };
                let home = if nth < cities.len() * rounds {
                    nth % cities.len()
                } else {
                    chance.weigh(cities.iter().map(|city| city.weight))
                };
                let (firm, account, contacts) = firms::make(chance, kind, nth, home, staff, &mut names, now);
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
