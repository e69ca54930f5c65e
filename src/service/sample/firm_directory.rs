//! The market: who can be hired for what, where. Firms win work at home, in their region or everywhere, in their own trades, and with the
//! partners that they work with again and again.

use chrono::{DateTime, Utc};

use super::firms::{self, UsedFirmNames};
use super::people::SamplePerson;
use super::rng::SampleRng;
use super::word_lists::word_lists;
use crate::domain::AccountId;
use crate::service::db::new_records::{NewAccount, NewContact};

/// What a firm is: its account type and its role in projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmType {
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

impl FirmType {
    /// Every kind, with how many there are for a hundred projects, how many at least, and how many people it has in the index.
    pub const WEIGHTED: [(FirmType, usize, usize, (i64, i64)); 8] = [
        (FirmType::Developer, 15, 44, (1, 5)),
        (FirmType::Owner, 4, 62, (1, 3)),
        (FirmType::Architect, 8, 26, (1, 3)),
        (FirmType::Engineer, 7, 26, (1, 2)),
        (FirmType::Gc, 8, 26, (1, 4)),
        (FirmType::Subcontractor, 7, 24, (0, 2)),
        (FirmType::Lender, 2, 10, (0, 2)),
        (FirmType::Consultant, 3, 23, (0, 2)),
    ];

    /// The interface's word.
    pub fn as_str(self) -> &'static str {
        match self {
            FirmType::Developer => "developer",
            FirmType::Owner => "owner",
            FirmType::Architect => "architect",
            FirmType::Engineer => "engineer",
            FirmType::Gc => "gc",
            FirmType::Subcontractor => "subcontractor",
            FirmType::Lender => "lender",
            FirmType::Consultant => "consultant",
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
pub struct SampleFirm {
    /// Its id.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// Its web domain.
    pub domain: String,
    /// Whether the index knows the domain.
    pub has_site: bool,
    /// Whether it is known by other names too.
    pub has_aliases: bool,
    /// What it is.
    pub kind: FirmType,
    /// The index of its home city.
    pub home_city: usize,
    /// Whether it works everywhere.
    pub is_national: bool,
    /// Its trades, as a set of [`Trade`] bits.
    pub trades: u8,
    /// Its people.
    pub staff: Vec<SamplePerson>,
}

impl SampleFirm {
    /// Whether it is called after its city and builds there alone.
    fn is_bound_to_home_city(&self) -> bool {
        let city = &word_lists().cities[self.home_city].name;
        self.name.strip_prefix("City of ").unwrap_or(&self.name).starts_with(city.as_str())
    }
}

/// All the firms, found by kind and city.
pub struct FirmDirectory {
    /// The firms.
    pub firms: Vec<SampleFirm>,
    by_type: Vec<Vec<u32>>,
    by_city: Vec<Vec<u32>>,
    by_region: Vec<Vec<u32>>,
    nationwide: Vec<Vec<u32>>,
    region_of_city: Vec<usize>,
}

impl FirmDirectory {
    /// Makes the firms for so many projects, and at least so many firms, handing each record to `keep` as it is made.
    pub fn generate<E>(
        chance: &mut SampleRng,
        projects: usize,
        firms: usize,
        now: DateTime<Utc>,
        mut keep: impl FnMut(&NewAccount, &[NewContact]) -> Result<(), E>,
    ) -> Result<FirmDirectory, E> {
        let cities = &word_lists().cities;
        let mut names = UsedFirmNames::default();
        let mut names_of_regions: Vec<&str> = Vec::new();
        let mut regions = Vec::new();
        for city in cities {
            let known = names_of_regions.iter().position(|name| *name == city.region);
            regions.push(known.unwrap_or_else(|| {
                names_of_regions.push(&city.region);
                names_of_regions.len() - 1
            }));
        }
        let kinds = FirmType::WEIGHTED.len();
        let mut market = FirmDirectory {
            firms: Vec::new(),
            by_type: vec![Vec::new(); kinds],
            by_city: vec![Vec::new(); kinds * cities.len()],
            by_region: vec![Vec::new(); kinds * names_of_regions.len()],
            nationwide: vec![Vec::new(); kinds],
            region_of_city: regions,
        };
        let all: usize = FirmType::WEIGHTED.iter().map(|(_, per_hundred, ..)| per_hundred).sum();
        for (kind, per_hundred, least, staff) in FirmType::WEIGHTED {
            let share = (firms * per_hundred).div_ceil(all);
            for nth in 0..(projects * per_hundred / 100).max(least).max(share) {
                // The first firms go round the cities, so that even a small world has local firms; then cities weigh.
                let rounds = if kind == FirmType::Owner { 2 } else { 1 };
                let home = if nth < cities.len() * rounds {
                    nth % cities.len()
                } else {
                    chance.weighted_index(cities.iter().map(|city| city.weight))
                };
                let (firm, account, contacts) = firms::generate_firm(chance, kind, nth, home, staff, &mut names, now);
                keep(&account, &contacts)?;
                market.add(firm);
            }
        }
        Ok(market)
    }

    fn add(&mut self, firm: SampleFirm) {
        let at = self.firms.len() as u32;
        let (kind, kinds) = (firm.kind as usize, FirmType::WEIGHTED.len());
        self.by_type[kind].push(at);
        self.by_city[firm.home_city * kinds + kind].push(at);
        // A city's own school district builds in its city alone.
        if !firm.is_bound_to_home_city() {
            self.by_region[self.region_of_city[firm.home_city] * kinds + kind].push(at);
            if firm.is_national {
                self.nationwide[kind].push(at);
            }
        }
        self.firms.push(firm);
    }

    /// A firm for a piece of work: mostly from the city, else from its region or one that works everywhere. None if nobody does such work.
    pub fn pick_firm(&self, chance: &mut SampleRng, kind: FirmType, city: usize, trade: Trade) -> Option<&SampleFirm> {
        let kinds = FirmType::WEIGHTED.len();
        let local = &self.by_city[city * kinds + kind as usize];
        let regional = &self.by_region[self.region_of_city[city] * kinds + kind as usize];
        let fits = |at: &u32| self.firms[*at as usize].trades & trade as u8 != 0;
        for _ in 0..6 {
            let reach = chance.float_between(0.0, 1.0);
            let at = match reach {
                _ if !local.is_empty() && reach < 0.66 => *chance.pick_skewed(local),
                _ if !regional.is_empty() && (reach < 0.93 || trade == Trade::Small) => *chance.pick_skewed(regional),
                _ if !self.nationwide[kind as usize].is_empty() => *chance.pick(&self.nationwide[kind as usize]),
                _ => continue,
            };
            if fits(&at) {
                return Some(&self.firms[at as usize]);
            }
        }
        // Nobody near was free: whoever does this work comes from the region or from afar.
        let all = &self.by_type[kind as usize];
        let from = chance.int_between(0, all.len() as i64) as usize;
        let travels =
            |at: &&u32| !self.firms[**at as usize].is_bound_to_home_city() || self.firms[**at as usize].home_city == city;
        let round = |pool: &'_ [u32]| {
            let len = pool.len().max(1);
            pool.iter().cycle().skip(from % len).take(pool.len()).filter(travels).find(|at| fits(at)).copied()
        };
        let at = round(local).or_else(|| round(regional)).or_else(|| round(all))?;
        Some(&self.firms[at as usize])
    }

    /// A firm that works with `lead` again and again: the same draw for the same lead, so partners stay partners.
    pub fn pick_partner(
        &self,
        chance: &mut SampleRng,
        lead: &SampleFirm,
        kind: FirmType,
        city: usize,
        trade: Trade,
    ) -> Option<&SampleFirm> {
        if chance.random_bool(0.3) {
            return self.pick_firm(chance, kind, city, trade);
        }
        let seed = lead.id.0.as_u64_pair().0 ^ ((city as u64) << 8);
        let mut habit = SampleRng::new(seed, kind as u64 * 2 + u64::from(chance.random_bool(0.25)));
        self.pick_firm(&mut habit, kind, city, trade)
    }
}
