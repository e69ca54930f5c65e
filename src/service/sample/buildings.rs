//! Buildings: what is being built, how large, how high, for how much. Area, storeys, homes, height and cost follow from each other.

use serde_json::{Value, json};

use super::chance::Chance;
use super::market::Trade;
use super::words::City;

/// A sort of project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it says; the name patterns in words.toml have the same names")]
pub enum Sort {
    Tower,
    Apartments,
    Affordable,
    Townhomes,
    MixedUse,
    Office,
    FitOut,
    Hotel,
    Retail,
    Industrial,
    DataCenter,
    Healthcare,
    LifeScience,
    Education,
    Civic,
    Parking,
    House,
    Deck,
}

/// How a project gets its permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Through planning, with reviews and a decision.
    Entitled,
    /// The code allows it; a building permit is enough.
    ByRight,
    /// A small permit over the counter.
    Counter,
}

impl Sort {
    /// Every sort with how often it is built.
    pub const ALL: [(Sort, u32); 18] = [
        (Sort::Tower, 6),
        (Sort::Apartments, 17),
        (Sort::Affordable, 7),
        (Sort::Townhomes, 7),
        (Sort::MixedUse, 11),
        (Sort::Office, 4),
        (Sort::FitOut, 9),
        (Sort::Hotel, 4),
        (Sort::Retail, 5),
        (Sort::Industrial, 7),
        (Sort::DataCenter, 2),
        (Sort::Healthcare, 4),
        (Sort::LifeScience, 2),
        (Sort::Education, 4),
        (Sort::Civic, 3),
        (Sort::Parking, 1),
        (Sort::House, 5),
        (Sort::Deck, 4),
    ];

    /// Its name in the word lists.
    pub fn key(self) -> &'static str {
        match self {
            Sort::Tower => "tower",
            Sort::Apartments => "apartments",
            Sort::Affordable => "affordable",
            Sort::Townhomes => "townhomes",
            Sort::MixedUse => "mixed_use",
            Sort::Office => "office",
            Sort::FitOut => "fit_out",
            Sort::Hotel => "hotel",
            Sort::Retail => "retail",
            Sort::Industrial => "industrial",
            Sort::DataCenter => "data_center",
            Sort::Healthcare => "healthcare",
            Sort::LifeScience => "life_science",
            Sort::Education => "education",
            Sort::Civic => "civic",
            Sort::Parking => "parking",
            Sort::House => "house",
            Sort::Deck => "deck",
        }
    }

    /// The index's word for its use.
    pub fn primary_use(self) -> &'static str {
        match self {
            Sort::Tower | Sort::Apartments | Sort::Affordable | Sort::Townhomes => "multifamily",
            Sort::FitOut => "office",
            Sort::House | Sort::Deck => "single_family",
            other => other.key(),
        }
    }

    /// Whose trade it is.
    pub fn trade(self) -> Trade {
        match self {
            Sort::Tower | Sort::Apartments | Sort::Affordable | Sort::Townhomes | Sort::MixedUse => Trade::Homes,
            Sort::Office | Sort::Hotel | Sort::Retail | Sort::Parking | Sort::FitOut => Trade::Commercial,
            Sort::Industrial | Sort::DataCenter => Trade::Industrial,
            Sort::Healthcare | Sort::LifeScience => Trade::Health,
            Sort::Education => Trade::School,
            Sort::Civic => Trade::Civic,
            Sort::House | Sort::Deck => Trade::Small,
        }
    }

    /// How it gets its permission.
    pub fn path(self, chance: &mut Chance) -> Path {
        match self {
            Sort::FitOut | Sort::Deck => Path::Counter,
            Sort::House => *chance.pick(&[Path::Counter, Path::ByRight]),
            Sort::Tower | Sort::MixedUse => Path::Entitled,
            Sort::Industrial | Sort::Retail | Sort::Parking | Sort::Townhomes if chance.yes(0.5) => Path::ByRight,
            _ => {
                if chance.yes(0.8) {
                    Path::Entitled
                } else {
                    Path::ByRight
                }
            }
        }
    }
}

/// The figures of a building.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the interface's own field names; see interface, Project")]
pub struct Building {
    pub gross_floor_area_sf: f64,
    pub stories: i64,
    pub height_ft: f64,
    pub cost_of_construction_usd: f64,
    pub land_area_sf: f64,
    pub residential_units: Option<i64>,
    pub affordable_units: Option<i64>,
    pub hotel_rooms: Option<i64>,
    pub parking_spaces: Option<i64>,
    pub unit_mix: Option<Value>,
    pub use_areas: Value,
    pub uses: Vec<String>,
    pub structure_types: Vec<String>,
}

/// Draws a building of a sort in a city.
pub fn draw(chance: &mut Chance, sort: Sort, city: &City) -> Building {
    let mut units = None;
    let mut rooms = None;
    let mut spaces = None;
    // area, storeys, floor to floor, dollars a square foot, how much of the land the footprint covers
    let (area, stories, floor, rate, cover) = match sort {
        Sort::Tower => {
            let stories = chance.int(18, 46);
            let area = stories as f64 * chance.num(9_000.0, 13_500.0);
            (area, stories, 10.4, chance.num(345.0, 430.0) + stories as f64, 0.7)
        }
        Sort::Apartments => {
            let area = chance.spread(70_000.0, 430_000.0);
            (area, chance.int(4, 7), 10.6, chance.num(232.0, 292.0), 0.55)
        }
        Sort::Affordable => (chance.spread(38_000.0, 140_000.0), chance.int(4, 6), 10.4, chance.num(272.0, 345.0), 0.5),
        Sort::Townhomes => {
            let homes = chance.spread(6.0, 64.0).round();
            units = Some(homes as i64);
            (homes * chance.num(1_650.0, 2_250.0), 3, 10.5, chance.num(185.0, 238.0), 0.35)
        }
        Sort::MixedUse => {
            let stories = chance.spread(4.0, 26.0).round() as i64;
            let plate = if stories > 9 { chance.num(10_500.0, 16_000.0) } else { chance.num(16_000.0, 42_000.0) };
            (stories as f64 * plate, stories, 11.2, chance.num(262.0, 340.0) + 3.0 * stories as f64, 0.65)
        }
        Sort::Office => {
            let stories = chance.spread(2.0, 28.0).round() as i64;
            (stories as f64 * chance.num(17_000.0, 31_000.0), stories, 13.5, chance.num(365.0, 500.0), 0.5)
        }
        Sort::FitOut => (chance.spread(2_800.0, 58_000.0), chance.int(3, 40), 13.0, chance.num(88.0, 215.0), 0.8),
        Sort::Hotel => {
            let keys = chance.int(88, 340);
            rooms = Some(keys);
            let area = keys as f64 * chance.num(510.0, 690.0);
            (area, ((area / chance.num(11_000.0, 17_000.0)).ceil() as i64).max(4), 10.2, chance.num(315.0, 430.0), 0.6)
        }
        Sort::Retail => (chance.spread(3_600.0, 92_000.0), chance.int(1, 2), 18.0, chance.num(178.0, 285.0), 0.28),
        Sort::Industrial => (chance.spread(58_000.0, 920_000.0), 1, chance.num(34.0, 44.0), chance.num(86.0, 128.0), 0.42),
        Sort::DataCenter => (chance.spread(110_000.0, 620_000.0), chance.int(1, 2), 24.0, chance.num(780.0, 1_120.0), 0.35),
        Sort::Healthcare => {
            let area = chance.spread(16_000.0, 310_000.0);
            (area, 1 + (area / 46_000.0) as i64, 14.5, chance.num(470.0, 700.0), 0.4)
        }
        Sort::LifeScience => {
            let stories = chance.int(3, 12);
            (stories as f64 * chance.num(24_000.0, 38_000.0), stories, 15.5, chance.num(610.0, 800.0), 0.55)
        }
        Sort::Education => (chance.spread(18_000.0, 165_000.0), chance.int(1, 3), 14.0, chance.num(385.0, 510.0), 0.25),
        Sort::Civic => (chance.spread(6_000.0, 46_000.0), chance.int(1, 2), 16.0, chance.num(470.0, 630.0), 0.35),
        Sort::Parking => {
            let bays = chance.int(180, 1_050);
            spaces = Some(bays);
            (bays as f64 * 332.0, chance.int(3, 8), 10.8, chance.num(82.0, 112.0), 0.85)
        }
        Sort::House => (chance.spread(1_650.0, 5_300.0), chance.int(1, 3), 11.0, chance.num(255.0, 410.0), 0.38),
        Sort::Deck => (chance.spread(120.0, 860.0), chance.int(1, 2), 11.0, chance.num(105.0, 270.0), 0.4),
    };
    let area = round_to(area, if area < 2_000.0 { 10.0 } else { 100.0 });
    let whole = matches!(sort, Sort::FitOut | Sort::Deck);
    let land = if whole { chance.spread(4_200.0, 38_000.0) } else { area / stories as f64 / cover * chance.num(0.9, 1.25) };
    match sort {
        Sort::Tower => units = Some((area * 0.96 / chance.num(985.0, 1_180.0)) as i64),
        Sort::Apartments => units = Some((area * 0.97 / chance.num(985.0, 1_150.0)) as i64),
        Sort::Affordable => units = Some((area * 0.95 / chance.num(860.0, 1_010.0)) as i64),
        Sort::MixedUse => units = Some((area * chance.num(0.72, 0.9) / chance.num(980.0, 1_120.0)) as i64),
        Sort::House => units = Some(1),
        _ => {}
    }
    let homes = units.unwrap_or(0);
    spaces = spaces.or_else(|| match sort {
        Sort::Deck | Sort::FitOut => None,
        Sort::House => Some(2),
        Sort::Affordable => Some((homes as f64 * chance.num(0.2, 0.7)) as i64),
        Sort::Hotel => rooms.map(|keys| (keys as f64 * chance.num(0.3, 0.7)) as i64),
        Sort::Industrial | Sort::DataCenter => Some((area / chance.num(1_500.0, 3_000.0)) as i64),
        _ if homes > 0 => Some((homes as f64 * chance.num(0.5, 1.25)) as i64),
        _ => Some((area / chance.num(330.0, 700.0)) as i64),
    });
    let affordable = match sort {
        Sort::Affordable => Some(homes),
        Sort::Tower | Sort::Apartments | Sort::MixedUse if chance.yes(0.4) => Some((homes as f64 * chance.num(0.08, 0.2)) as i64),
        _ => None,
    };
    let (use_areas, uses) = parts(chance, sort, area);
    Building {
        gross_floor_area_sf: area,
        stories,
        height_ft: (stories as f64 * floor + if matches!(sort, Sort::House | Sort::Deck) { 4.0 } else { 6.0 }).round(),
        cost_of_construction_usd: significant(area * rate * city.cost),
        land_area_sf: land.round(),
        unit_mix: (homes >= 12).then(|| mix(chance, homes, sort)),
        residential_units: units,
        affordable_units: affordable,
        hotel_rooms: rooms,
        parking_spaces: spaces,
        use_areas,
        uses,
        structure_types: structure(chance, sort, stories),
    }
}

fn mix(chance: &mut Chance, homes: i64, sort: Sort) -> Value {
    let small = if sort == Sort::Townhomes { 0.0 } else { chance.num(0.42, 0.72) };
    let large = if sort == Sort::Townhomes { chance.num(0.5, 0.9) } else { chance.num(0.02, 0.16) };
    let (small, large) = ((homes as f64 * small) as i64, (homes as f64 * large) as i64);
    json!({"studio_or_1br": small, "two_br": homes - small - large, "three_br_plus": large})
}

fn parts(chance: &mut Chance, sort: Sort, area: f64) -> (Value, Vec<String>) {
    let second: Option<(&str, f64)> = match sort {
        Sort::MixedUse if chance.yes(0.25) => Some(("office", chance.num(0.1, 0.22))),
        Sort::MixedUse => Some(("retail", chance.num(0.04, 0.12))),
        Sort::Tower if chance.yes(0.5) => Some(("retail", chance.num(0.01, 0.04))),
        Sort::Office | Sort::Hotel if chance.yes(0.35) => Some(("retail", chance.num(0.02, 0.06))),
        Sort::Industrial if chance.yes(0.6) => Some(("office", chance.num(0.02, 0.06))),
        _ => None,
    };
    let main = if sort == Sort::MixedUse { "multifamily" } else { sort.primary_use() };
    let rest = second.map_or(0.0, |(_, share)| round_to(area * share, 100.0));
    let mut areas = vec![json!({"use_type": main, "floor_area_sf": area - rest})];
    let mut uses = vec![main.to_owned()];
    if let Some((name, _)) = second {
        areas.push(json!({"use_type": name, "floor_area_sf": rest}));
        uses.push(name.to_owned());
    }
    (Value::from(areas), uses)
}

fn structure(chance: &mut Chance, sort: Sort, stories: i64) -> Vec<String> {
    let word = match sort {
        Sort::Tower => *chance.pick(&["concrete", "concrete", "steel"]),
        Sort::Industrial | Sort::DataCenter => *chance.pick(&["tilt_up_concrete", "tilt_up_concrete", "precast"]),
        Sort::House | Sort::Deck | Sort::Townhomes => "wood_frame",
        Sort::Parking => *chance.pick(&["precast", "post_tensioned_concrete"]),
        Sort::Apartments | Sort::Affordable => {
            *chance.pick(&["wood_over_podium", "wood_over_podium", "wood_frame", "mass_timber"])
        }
        Sort::MixedUse | Sort::Hotel if stories <= 7 => *chance.pick(&["wood_over_podium", "light_gauge_steel"]),
        Sort::MixedUse | Sort::Hotel => "concrete",
        _ => *chance.pick(&["steel", "steel", "concrete", "mass_timber"]),
    };
    vec![word.to_owned()]
}

/// Three significant figures, as people round what a thing costs.
pub fn significant(value: f64) -> f64 {
    let step = 10f64.powf(value.max(1.0).log10().floor() - 2.0).max(1.0);
    round_to(value, step)
}

fn round_to(value: f64, step: f64) -> f64 {
    (value / step).round() * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::sample::words::words;

    #[test]
    fn a_tower_costs_more_than_a_deck_and_homes_fit_their_area() {
        let mut chance = Chance::new(1, 0);
        let city = &words().cities[0];
        for _ in 0..200 {
            let tower = draw(&mut chance, Sort::Tower, city);
            let deck = draw(&mut chance, Sort::Deck, city);
            assert!(tower.cost_of_construction_usd > 100.0 * deck.cost_of_construction_usd);
            let each = tower.gross_floor_area_sf / tower.residential_units.unwrap() as f64;
            assert!((900.0..1_300.0).contains(&each), "{each} sf a home");
            assert!(tower.height_ft > 9.0 * tower.stories as f64);
        }
    }

    #[test]
    fn the_parts_of_a_building_add_up() {
        let mut chance = Chance::new(2, 0);
        for (sort, _) in Sort::ALL {
            let building = draw(&mut chance, sort, &words().cities[3]);
            let parts: f64 = building.use_areas.as_array().unwrap().iter().map(|p| p["floor_area_sf"].as_f64().unwrap()).sum();
            assert_eq!(parts, building.gross_floor_area_sf, "{sort:?}");
            if let Some(mix) = &building.unit_mix {
                let homes: i64 = mix.as_object().unwrap().values().map(|v| v.as_i64().unwrap()).sum();
                assert_eq!(Some(homes), building.residential_units);
            }
        }
    }
}
