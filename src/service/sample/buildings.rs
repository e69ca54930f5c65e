//! Buildings: what is being built, how large, how high and at what cost. Area, stories, homes,
//! height and cost are consistent.

use serde_json::{Value, json};

use super::firm_directory::Trade;
use super::rng::SampleRng;
use super::word_lists::City;

/// A building type. The name patterns in words.toml use the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildingType {
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

/// How a project is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalPath {
    /// Through planning, with reviews and a decision.
    Entitled,
    /// Allowed by the zoning code; a building permit is enough.
    ByRight,
    /// A small permit over the counter.
    Counter,
}

impl BuildingType {
    /// All types with their relative frequency.
    pub const WEIGHTED: [(BuildingType, u32); 18] = [
        (BuildingType::Tower, 6),
        (BuildingType::Apartments, 17),
        (BuildingType::Affordable, 7),
        (BuildingType::Townhomes, 7),
        (BuildingType::MixedUse, 11),
        (BuildingType::Office, 4),
        (BuildingType::FitOut, 9),
        (BuildingType::Hotel, 4),
        (BuildingType::Retail, 5),
        (BuildingType::Industrial, 7),
        (BuildingType::DataCenter, 2),
        (BuildingType::Healthcare, 4),
        (BuildingType::LifeScience, 2),
        (BuildingType::Education, 4),
        (BuildingType::Civic, 3),
        (BuildingType::Parking, 1),
        (BuildingType::House, 5),
        (BuildingType::Deck, 4),
    ];

    /// Its name in the word lists.
    pub fn key(self) -> &'static str {
        match self {
            BuildingType::Tower => "tower",
            BuildingType::Apartments => "apartments",
            BuildingType::Affordable => "affordable",
            BuildingType::Townhomes => "townhomes",
            BuildingType::MixedUse => "mixed_use",
            BuildingType::Office => "office",
            BuildingType::FitOut => "fit_out",
            BuildingType::Hotel => "hotel",
            BuildingType::Retail => "retail",
            BuildingType::Industrial => "industrial",
            BuildingType::DataCenter => "data_center",
            BuildingType::Healthcare => "healthcare",
            BuildingType::LifeScience => "life_science",
            BuildingType::Education => "education",
            BuildingType::Civic => "civic",
            BuildingType::Parking => "parking",
            BuildingType::House => "house",
            BuildingType::Deck => "deck",
        }
    }

    /// Its use in the index's vocabulary.
    pub fn primary_use(self) -> &'static str {
        match self {
            BuildingType::Tower
            | BuildingType::Apartments
            | BuildingType::Affordable
            | BuildingType::Townhomes => "multifamily",
            BuildingType::FitOut => "office",
            BuildingType::House | BuildingType::Deck => "single_family",
            other => other.key(),
        }
    }

    /// The trade that builds it.
    pub fn trade(self) -> Trade {
        match self {
            BuildingType::Tower
            | BuildingType::Apartments
            | BuildingType::Affordable
            | BuildingType::Townhomes
            | BuildingType::MixedUse => Trade::Homes,
            BuildingType::Office
            | BuildingType::Hotel
            | BuildingType::Retail
            | BuildingType::Parking
            | BuildingType::FitOut => Trade::Commercial,
            BuildingType::Industrial | BuildingType::DataCenter => Trade::Industrial,
            BuildingType::Healthcare | BuildingType::LifeScience => Trade::Health,
            BuildingType::Education => Trade::School,
            BuildingType::Civic => Trade::Civic,
            BuildingType::House | BuildingType::Deck => Trade::Small,
        }
    }

    /// Draws how it is approved.
    pub fn approval_path(self, chance: &mut SampleRng) -> ApprovalPath {
        match self {
            BuildingType::FitOut | BuildingType::Deck => ApprovalPath::Counter,
            BuildingType::House => *chance.pick(&[ApprovalPath::Counter, ApprovalPath::ByRight]),
            BuildingType::Tower | BuildingType::MixedUse => ApprovalPath::Entitled,
            BuildingType::Industrial
            | BuildingType::Retail
            | BuildingType::Parking
            | BuildingType::Townhomes
                if chance.random_bool(0.5) =>
            {
                ApprovalPath::ByRight
            }
            _ => {
                if chance.random_bool(0.8) {
                    ApprovalPath::Entitled
                } else {
                    ApprovalPath::ByRight
                }
            }
        }
    }
}

/// The figures of a building (interface: Project).
#[derive(Clone, Debug)]
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

/// Generates a building of a type in a city.
pub fn generate_building(chance: &mut SampleRng, sort: BuildingType, city: &City) -> Building {
    let mut units = None;
    let mut rooms = None;
    let mut spaces = None;
    // area, stories, floor-to-floor height, dollars per square foot, the footprint's share of the
    // land
    let (area, stories, floor, rate, cover) = match sort {
        BuildingType::Tower => {
            let stories = chance.int_between(18, 46);
            let area = stories as f64 * chance.float_between(9_000.0, 13_500.0);
            (
                area,
                stories,
                10.4,
                chance.float_between(345.0, 430.0) + stories as f64,
                0.7,
            )
        }
        BuildingType::Apartments => {
            let area = chance.log_uniform(70_000.0, 430_000.0);
            (
                area,
                chance.int_between(4, 7),
                10.6,
                chance.float_between(232.0, 292.0),
                0.55,
            )
        }
        BuildingType::Affordable => (
            chance.log_uniform(38_000.0, 140_000.0),
            chance.int_between(4, 6),
            10.4,
            chance.float_between(272.0, 345.0),
            0.5,
        ),
        BuildingType::Townhomes => {
            let homes = chance.log_uniform(6.0, 64.0).round();
            units = Some(homes as i64);
            (
                homes * chance.float_between(1_650.0, 2_250.0),
                3,
                10.5,
                chance.float_between(185.0, 238.0),
                0.35,
            )
        }
        BuildingType::MixedUse => {
            let stories = chance.log_uniform(4.0, 26.0).round() as i64;
            let plate = if stories > 9 {
                chance.float_between(10_500.0, 16_000.0)
            } else {
                chance.float_between(16_000.0, 42_000.0)
            };
            (
                stories as f64 * plate,
                stories,
                11.2,
                chance.float_between(262.0, 340.0) + 3.0 * stories as f64,
                0.65,
            )
        }
        BuildingType::Office => {
            let stories = chance.log_uniform(2.0, 28.0).round() as i64;
            (
                stories as f64 * chance.float_between(17_000.0, 31_000.0),
                stories,
                13.5,
                chance.float_between(365.0, 500.0),
                0.5,
            )
        }
        BuildingType::FitOut => (
            chance.log_uniform(2_800.0, 58_000.0),
            chance.int_between(3, 40),
            13.0,
            chance.float_between(88.0, 215.0),
            0.8,
        ),
        BuildingType::Hotel => {
            let keys = chance.int_between(88, 340);
            rooms = Some(keys);
            let area = keys as f64 * chance.float_between(510.0, 690.0);
            (
                area,
                ((area / chance.float_between(11_000.0, 17_000.0)).ceil() as i64).max(4),
                10.2,
                chance.float_between(315.0, 430.0),
                0.6,
            )
        }
        BuildingType::Retail => (
            chance.log_uniform(3_600.0, 92_000.0),
            chance.int_between(1, 2),
            18.0,
            chance.float_between(178.0, 285.0),
            0.28,
        ),
        BuildingType::Industrial => (
            chance.log_uniform(58_000.0, 920_000.0),
            1,
            chance.float_between(34.0, 44.0),
            chance.float_between(86.0, 128.0),
            0.42,
        ),
        BuildingType::DataCenter => (
            chance.log_uniform(110_000.0, 620_000.0),
            chance.int_between(1, 2),
            24.0,
            chance.float_between(780.0, 1_120.0),
            0.35,
        ),
        BuildingType::Healthcare => {
            let area = chance.log_uniform(16_000.0, 310_000.0);
            (
                area,
                1 + (area / 46_000.0) as i64,
                14.5,
                chance.float_between(470.0, 700.0),
                0.4,
            )
        }
        BuildingType::LifeScience => {
            let stories = chance.int_between(3, 12);
            (
                stories as f64 * chance.float_between(24_000.0, 38_000.0),
                stories,
                15.5,
                chance.float_between(610.0, 800.0),
                0.55,
            )
        }
        BuildingType::Education => (
            chance.log_uniform(18_000.0, 165_000.0),
            chance.int_between(1, 3),
            14.0,
            chance.float_between(385.0, 510.0),
            0.25,
        ),
        BuildingType::Civic => (
            chance.log_uniform(6_000.0, 46_000.0),
            chance.int_between(1, 2),
            16.0,
            chance.float_between(470.0, 630.0),
            0.35,
        ),
        BuildingType::Parking => {
            let bays = chance.int_between(180, 1_050);
            spaces = Some(bays);
            (
                bays as f64 * 332.0,
                chance.int_between(3, 8),
                10.8,
                chance.float_between(82.0, 112.0),
                0.85,
            )
        }
        BuildingType::House => (
            chance.log_uniform(1_650.0, 5_300.0),
            chance.int_between(1, 3),
            11.0,
            chance.float_between(255.0, 410.0),
            0.38,
        ),
        BuildingType::Deck => (
            chance.log_uniform(120.0, 860.0),
            chance.int_between(1, 2),
            11.0,
            chance.float_between(105.0, 270.0),
            0.4,
        ),
    };
    let area = round_to_step(area, if area < 2_000.0 { 10.0 } else { 100.0 });
    let whole = matches!(sort, BuildingType::FitOut | BuildingType::Deck);
    let land = if whole {
        chance.log_uniform(4_200.0, 38_000.0)
    } else {
        area / stories as f64 / cover * chance.float_between(0.9, 1.25)
    };
    match sort {
        BuildingType::Tower => {
            units = Some((area * 0.96 / chance.float_between(985.0, 1_180.0)) as i64)
        }
        BuildingType::Apartments => {
            units = Some((area * 0.97 / chance.float_between(985.0, 1_150.0)) as i64)
        }
        BuildingType::Affordable => {
            units = Some((area * 0.95 / chance.float_between(860.0, 1_010.0)) as i64)
        }
        BuildingType::MixedUse => {
            units = Some(
                (area * chance.float_between(0.72, 0.9) / chance.float_between(980.0, 1_120.0))
                    as i64,
            )
        }
        BuildingType::House => units = Some(1),
        _ => {}
    }
    let homes = units.unwrap_or(0);
    spaces = spaces.or_else(|| match sort {
        BuildingType::Deck | BuildingType::FitOut => None,
        BuildingType::House => Some(2),
        BuildingType::Affordable => Some((homes as f64 * chance.float_between(0.2, 0.7)) as i64),
        BuildingType::Hotel => {
            rooms.map(|keys| (keys as f64 * chance.float_between(0.3, 0.7)) as i64)
        }
        BuildingType::Industrial | BuildingType::DataCenter => {
            Some((area / chance.float_between(1_500.0, 3_000.0)) as i64)
        }
        _ if homes > 0 => Some((homes as f64 * chance.float_between(0.5, 1.25)) as i64),
        _ => Some((area / chance.float_between(330.0, 700.0)) as i64),
    });
    let affordable = match sort {
        BuildingType::Affordable => Some(homes),
        BuildingType::Tower | BuildingType::Apartments | BuildingType::MixedUse
            if chance.random_bool(0.4) =>
        {
            Some((homes as f64 * chance.float_between(0.08, 0.2)) as i64)
        }
        _ => None,
    };
    let (use_areas, uses) = use_areas(chance, sort, area);
    Building {
        gross_floor_area_sf: area,
        stories,
        height_ft: (stories as f64 * floor
            + if matches!(sort, BuildingType::House | BuildingType::Deck) {
                4.0
            } else {
                6.0
            })
        .round(),
        cost_of_construction_usd: round_to_three_figures(area * rate * city.cost),
        land_area_sf: land.round(),
        unit_mix: (homes >= 12).then(|| unit_mix(chance, homes, sort)),
        residential_units: units,
        affordable_units: affordable,
        hotel_rooms: rooms,
        parking_spaces: spaces,
        use_areas,
        uses,
        structure_types: structure_types(chance, sort, stories),
    }
}

fn unit_mix(chance: &mut SampleRng, homes: i64, sort: BuildingType) -> Value {
    let small = if sort == BuildingType::Townhomes {
        0.0
    } else {
        chance.float_between(0.42, 0.72)
    };
    let large = if sort == BuildingType::Townhomes {
        chance.float_between(0.5, 0.9)
    } else {
        chance.float_between(0.02, 0.16)
    };
    let (small, large) = ((homes as f64 * small) as i64, (homes as f64 * large) as i64);
    json!({"studio_or_1br": small, "two_br": homes - small - large, "three_br_plus": large})
}

fn use_areas(chance: &mut SampleRng, sort: BuildingType, area: f64) -> (Value, Vec<String>) {
    let second: Option<(&str, f64)> = match sort {
        BuildingType::MixedUse if chance.random_bool(0.25) => {
            Some(("office", chance.float_between(0.1, 0.22)))
        }
        BuildingType::MixedUse => Some(("retail", chance.float_between(0.04, 0.12))),
        BuildingType::Tower if chance.random_bool(0.5) => {
            Some(("retail", chance.float_between(0.01, 0.04)))
        }
        BuildingType::Office | BuildingType::Hotel if chance.random_bool(0.35) => {
            Some(("retail", chance.float_between(0.02, 0.06)))
        }
        BuildingType::Industrial if chance.random_bool(0.6) => {
            Some(("office", chance.float_between(0.02, 0.06)))
        }
        _ => None,
    };
    let main = if sort == BuildingType::MixedUse {
        "multifamily"
    } else {
        sort.primary_use()
    };
    let rest = second.map_or(0.0, |(_, share)| round_to_step(area * share, 100.0));
    let mut areas = vec![json!({"use_type": main, "floor_area_sf": area - rest})];
    let mut uses = vec![main.to_owned()];
    if let Some((name, _)) = second {
        areas.push(json!({"use_type": name, "floor_area_sf": rest}));
        uses.push(name.to_owned());
    }
    (Value::from(areas), uses)
}

fn structure_types(chance: &mut SampleRng, sort: BuildingType, stories: i64) -> Vec<String> {
    let word = match sort {
        BuildingType::Tower => *chance.pick(&["concrete", "concrete", "steel"]),
        BuildingType::Industrial | BuildingType::DataCenter => {
            *chance.pick(&["tilt_up_concrete", "tilt_up_concrete", "precast"])
        }
        BuildingType::House | BuildingType::Deck | BuildingType::Townhomes => "wood_frame",
        BuildingType::Parking => *chance.pick(&["precast", "post_tensioned_concrete"]),
        BuildingType::Apartments | BuildingType::Affordable => *chance.pick(&[
            "wood_over_podium",
            "wood_over_podium",
            "wood_frame",
            "mass_timber",
        ]),
        BuildingType::MixedUse | BuildingType::Hotel if stories <= 7 => {
            *chance.pick(&["wood_over_podium", "light_gauge_steel"])
        }
        BuildingType::MixedUse | BuildingType::Hotel => "concrete",
        _ => *chance.pick(&["steel", "steel", "concrete", "mass_timber"]),
    };
    vec![word.to_owned()]
}

/// Three significant figures, as people round costs.
pub fn round_to_three_figures(value: f64) -> f64 {
    let step = 10f64.powf(value.max(1.0).log10().floor() - 2.0).max(1.0);
    round_to_step(value, step)
}

fn round_to_step(value: f64, step: f64) -> f64 {
    (value / step).round() * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::sample::word_lists::word_lists;

    #[test]
    fn a_tower_costs_more_than_a_deck_and_units_fit_the_floor_area() {
        let mut chance = SampleRng::new(1, 0);
        let city = &word_lists().cities[0];
        for _ in 0..200 {
            let tower = generate_building(&mut chance, BuildingType::Tower, city);
            let deck = generate_building(&mut chance, BuildingType::Deck, city);
            assert!(tower.cost_of_construction_usd > 100.0 * deck.cost_of_construction_usd);
            let each = tower.gross_floor_area_sf / tower.residential_units.unwrap() as f64;
            assert!((900.0..1_300.0).contains(&each), "{each} sf a home");
            assert!(tower.height_ft > 9.0 * tower.stories as f64);
        }
    }

    #[test]
    fn the_use_areas_of_a_building_add_up() {
        let mut chance = SampleRng::new(2, 0);
        for (sort, _) in BuildingType::WEIGHTED {
            let building = generate_building(&mut chance, sort, &word_lists().cities[3]);
            let parts: f64 = building
                .use_areas
                .as_array()
                .unwrap()
                .iter()
                .map(|p| p["floor_area_sf"].as_f64().unwrap())
                .sum();
            assert_eq!(parts, building.gross_floor_area_sf, "{sort:?}");
            if let Some(mix) = &building.unit_mix {
                let homes: i64 = mix
                    .as_object()
                    .unwrap()
                    .values()
                    .map(|v| v.as_i64().unwrap())
                    .sum();
                assert_eq!(Some(homes), building.residential_units);
            }
        }
    }
}
