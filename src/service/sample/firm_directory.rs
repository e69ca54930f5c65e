//! The market: which firms can be hired, for what and where. Firms get work in their city, in their
//! region or nationwide, in their own trades, and with the partners they work with regularly.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::firms::{self, UsedFirmNames};
use super::people::SamplePerson;
use super::rng::SampleRng;
use super::word_lists::{FirmWords, word_lists};
use crate::domain::AccountId;
use crate::service::db::new_records::{NewAccount, NewContact};

/// The type of a firm: its account type and its role in projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmType {
    /// Initiates a project, owns the land and carries the risk.
    Developer,
    /// Builds for its own use.
    Owner,
    Architect,
    /// Designs the structure.
    Engineer,
    /// Runs the construction.
    Gc,
    /// Builds a part.
    Subcontractor,
    /// Finances it.
    Lender,
    /// Obtains the approvals.
    Consultant,
}

impl FirmType {
    /// All types.
    pub const ALL: [FirmType; 8] = [
        FirmType::Developer,
        FirmType::Owner,
        FirmType::Architect,
        FirmType::Engineer,
        FirmType::Gc,
        FirmType::Subcontractor,
        FirmType::Lender,
        FirmType::Consultant,
    ];

    /// How many there are, and their words.
    pub fn words(self) -> &'static FirmWords {
        &word_lists().firms[self.as_str()]
    }

    /// The name in the interface.
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

/// What a firm mainly builds; firms take work in their own trades. The values are bits of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trade {
    /// Apartments and towers.
    Homes = 1,
    /// Offices, shops, hotels, fit-outs.
    Commercial = 2,
    /// Warehouses and data centers.
    Industrial = 4,
    /// Hospitals and labs.
    Health = 8,
    /// Houses and decks.
    Small = 16,
    /// Public buildings.
    Civic = 32,
    /// Schools and colleges.
    School = 64,
}

/// What the rest of the generator needs to know about a firm.
pub struct SampleFirm {
    pub id: AccountId,
    pub name: String,
    pub domain: String,
    /// Whether the index knows the domain.
    pub has_site: bool,
    /// Whether it also has other names.
    pub has_aliases: bool,
    pub kind: FirmType,
    /// The index of its home city.
    pub home_city: usize,
    /// Whether it works nationwide.
    pub is_national: bool,
    /// Its trades, as a set of [`Trade`] bits.
    pub trades: u8,
    pub staff: Vec<SamplePerson>,
}

impl SampleFirm {
    /// Whether it is named after its city and only builds there.
    fn is_bound_to_home_city(&self) -> bool {
        let city = &word_lists().cities[self.home_city].name;
        self.name
            .strip_prefix("City of ")
            .unwrap_or(&self.name)
            .starts_with(city.as_str())
    }
}

/// All firms, by type and city.
pub struct FirmDirectory {
    pub firms: Vec<SampleFirm>,
    by_type: Vec<Vec<u32>>,
    by_city: Vec<Vec<u32>>,
    by_region: Vec<Vec<u32>>,
    nationwide: Vec<Vec<u32>>,
    region_of_city: Vec<usize>,
}

impl FirmDirectory {
    /// Generates the firms for a number of projects, at least `firms`, and passes each record to
    /// `keep`.
    pub fn generate<E>(
        rng: &mut SampleRng,
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
            let known = names_of_regions
                .iter()
                .position(|name| *name == city.region);
            regions.push(known.unwrap_or_else(|| {
                names_of_regions.push(&city.region);
                names_of_regions.len() - 1
            }));
        }
        let kinds = FirmType::ALL.len();
        let mut market = FirmDirectory {
            firms: Vec::new(),
            by_type: vec![Vec::new(); kinds],
            by_city: vec![Vec::new(); kinds * cities.len()],
            by_region: vec![Vec::new(); kinds * names_of_regions.len()],
            nationwide: vec![Vec::new(); kinds],
            region_of_city: regions,
        };
        let per_hundred = |kind: FirmType| kind.words().per_hundred_projects;
        let all: usize = FirmType::ALL.into_iter().map(per_hundred).sum();
        for kind in FirmType::ALL {
            let share = (firms * per_hundred(kind)).div_ceil(all);
            let count = (projects * per_hundred(kind) / 100).max(kind.words().least);
            for nth in 0..count.max(share) {
                // The first firms take turns through the cities, so that even a small world has
                // local firms; then cities are weighted.
                let rounds = if kind == FirmType::Owner { 2 } else { 1 };
                let home = if nth < cities.len() * rounds {
                    nth % cities.len()
                } else {
                    rng.weighted_index(cities.iter().map(|city| city.weight))
                };
                let (firm, account, contacts) =
                    firms::generate_firm(rng, kind, nth, home, &mut names, now);
                keep(&account, &contacts)?;
                market.add(firm);
            }
        }
        Ok(market)
    }

    fn add(&mut self, firm: SampleFirm) {
        let at = self.firms.len() as u32;
        let (kind, kinds) = (firm.kind as usize, FirmType::ALL.len());
        self.by_type[kind].push(at);
        self.by_city[firm.home_city * kinds + kind].push(at);
        // A city's own school district only builds in its city.
        if !firm.is_bound_to_home_city() {
            self.by_region[self.region_of_city[firm.home_city] * kinds + kind].push(at);
            if firm.is_national {
                self.nationwide[kind].push(at);
            }
        }
        self.firms.push(firm);
    }

    /// A firm for a job: mostly from the city, otherwise from its region or nationwide. `None` if
    /// nobody does such work.
    pub fn pick_firm(
        &self,
        rng: &mut SampleRng,
        kind: FirmType,
        city: usize,
        trade: Trade,
    ) -> Option<&SampleFirm> {
        let kinds = FirmType::ALL.len();
        let local = &self.by_city[city * kinds + kind as usize];
        let regional = &self.by_region[self.region_of_city[city] * kinds + kind as usize];
        let fits = |at: &u32| self.firms[*at as usize].trades & trade as u8 != 0;
        for _ in 0..6 {
            let reach = rng.float_between(0.0, 1.0);
            let at = match reach {
                _ if !local.is_empty() && reach < 0.66 => *rng.pick_skewed(local),
                _ if !regional.is_empty() && (reach < 0.93 || trade == Trade::Small) => {
                    *rng.pick_skewed(regional)
                }
                _ if !self.nationwide[kind as usize].is_empty() => {
                    *rng.pick(&self.nationwide[kind as usize])
                }
                _ => continue,
            };
            if fits(&at) {
                return Some(&self.firms[at as usize]);
            }
        }
        // No local firm is suitable: take one from the region or from elsewhere.
        let all = &self.by_type[kind as usize];
        let from = rng.int_between(0, all.len() as i64) as usize;
        let travels = |at: &&u32| {
            !self.firms[**at as usize].is_bound_to_home_city()
                || self.firms[**at as usize].home_city == city
        };
        let round = |pool: &'_ [u32]| {
            let len = pool.len().max(1);
            pool.iter()
                .cycle()
                .skip(from % len)
                .take(pool.len())
                .filter(travels)
                .find(|at| fits(at))
                .copied()
        };
        let at = round(local)
            .or_else(|| round(regional))
            .or_else(|| round(all))?;
        Some(&self.firms[at as usize])
    }

    /// A regular partner of `lead`: the draw only depends on the lead, so that partners stay the
    /// same.
    pub fn pick_partner(
        &self,
        rng: &mut SampleRng,
        lead: &SampleFirm,
        kind: FirmType,
        city: usize,
        trade: Trade,
    ) -> Option<&SampleFirm> {
        if rng.random_bool(0.3) {
            return self.pick_firm(rng, kind, city, trade);
        }
        let seed = lead.id.0.as_u64_pair().0 ^ ((city as u64) << 8);
        let mut habit = SampleRng::new(seed, kind as u64 * 2 + u64::from(rng.random_bool(0.25)));
        self.pick_firm(&mut habit, kind, city, trade)
    }
}
