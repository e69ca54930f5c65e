//! Buildings: what is being built, how large, how high and at what cost. Area, stories, homes,
//! height and cost are consistent. What each type is drawn from is in `assets/sample/buildings.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::firm_directory::Trade;
use super::rng::SampleRng;
use super::word_lists::{City, parse_embedded};

/// Stories from which a floor of a mixed building is that of a tower, and wood is not used.
const TALL_FLOOR_STORIES: i64 = 9;
const TALL_STRUCTURE_STORIES: i64 = 7;
/// Buildings with fewer homes have no mix of homes.
const MIN_HOMES_OF_MIX: i64 = 12;

/// A building type. The name patterns in words.toml use the same keys; buildings.toml explains the
/// fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildingType {
    pub key: String,
    pub weight: u32,
    #[serde(rename = "use")]
    pub primary_use: String,
    main_use: Option<String>,
    pub trade: Trade,
    approval: Approval,
    size_in: SizeUnit,
    #[serde(default)]
    spread: Spread,
    size: Range,
    sf_each: Option<Range>,
    tall_sf_each: Option<Range>,
    stories: Option<Range>,
    story_sf: Option<Range>,
    #[serde(default)]
    min_stories: i64,
    floor_ft: Range,
    cover: f64,
    rate: Range,
    #[serde(default)]
    story_rate: f64,
    homes: Option<Homes>,
    #[serde(default = "default_small_homes")]
    small_homes: Range,
    #[serde(default = "default_large_homes")]
    large_homes: Range,
    stalls: Option<Stalls>,
    affordable: Option<Share>,
    #[serde(default)]
    second_uses: Vec<SecondUse>,
    structures: Vec<String>,
    tall_structures: Option<Vec<String>>,
    #[serde(default = "default_permit_type")]
    pub permit_type: String,
    pub work: Option<String>,
    #[serde(default)]
    pub is_part: bool,
    #[serde(default)]
    pub is_public: bool,
    #[serde(default)]
    pub is_remote: bool,
}

fn default_small_homes() -> Range {
    Range(0.42, 0.72)
}

fn default_large_homes() -> Range {
    Range(0.02, 0.16)
}

fn default_permit_type() -> String {
    "Commercial - New Building".to_owned()
}

/// A range to draw from. Nothing is drawn from one without length.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "RangeText")]
struct Range(f64, f64);

#[derive(Deserialize)]
#[serde(untagged)]
enum RangeText {
    One(f64),
    Pair(f64, f64),
}

impl From<RangeText> for Range {
    fn from(text: RangeText) -> Range {
        match text {
            RangeText::One(number) => Range(number, number),
            RangeText::Pair(low, high) => Range(low, high),
        }
    }
}

impl Range {
    fn draw(self, rng: &mut SampleRng) -> f64 {
        if self.0 == self.1 {
            return self.0;
        }
        rng.float_between(self.0, self.1)
    }

    fn draw_whole(self, rng: &mut SampleRng) -> i64 {
        if self.0 == self.1 {
            return self.0 as i64;
        }
        rng.int_between(self.0 as i64, self.1 as i64)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SizeUnit {
    Area,
    Stories,
    Homes,
    Rooms,
    Stalls,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Spread {
    #[default]
    Even,
    Log,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Homes {
    Count(i64),
    OfArea { share: Range, sf: Range },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Stalls {
    Count(i64),
    PerHome { per_home: Range },
    PerRoom { per_room: Range },
    OfArea { building_sf: Range },
}

#[derive(Debug, Deserialize)]
struct Share {
    #[serde(default = "default_probability")]
    probability: f64,
    share: Range,
}

#[derive(Debug, Deserialize)]
struct SecondUse {
    #[serde(rename = "use")]
    name: String,
    #[serde(flatten)]
    share: Share,
}

fn default_probability() -> f64 {
    1.0
}

/// How the projects of a type are approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Approval {
    Entitled,
    Counter,
    CounterOrByRight,
    OftenByRight,
    RarelyByRight,
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

/// All types, parsed on first use.
pub fn building_types() -> &'static [BuildingType] {
    #[derive(Deserialize)]
    struct TypeFile {
        r#type: Vec<BuildingType>,
    }
    static TYPES: LazyLock<TypeFile> =
        LazyLock::new(|| parse_embedded(include_str!("../../../assets/sample/buildings.toml")));
    &TYPES.r#type
}

/// The type that fits the primary use of a project.
pub fn building_type_for(primary_use: Option<&str>) -> &'static BuildingType {
    let types = building_types();
    let named = |key: &str| types.iter().find(|known| known.key == key);
    match primary_use {
        Some("single_family") => named("house"),
        Some("multifamily") | None => named("apartments"),
        Some(word) => types
            .iter()
            .find(|known| known.primary_use == word)
            .or(named("office")),
    }
    .unwrap_or(&types[0])
}

impl BuildingType {
    /// Draws a type.
    pub fn draw(rng: &mut SampleRng) -> &'static BuildingType {
        let types = building_types();
        &types[rng.weighted_index(types.iter().map(|known| known.weight))]
    }

    /// Whether it is work on a house, not a project of a developer.
    pub fn is_small(&self) -> bool {
        self.trade == Trade::Small
    }

    /// Whether it adds to a house.
    pub fn is_addition(&self) -> bool {
        self.is_part && self.is_small()
    }

    /// Draws how it is approved.
    pub fn approval_path(&self, rng: &mut SampleRng) -> ApprovalPath {
        match self.approval {
            Approval::Entitled => ApprovalPath::Entitled,
            Approval::Counter => ApprovalPath::Counter,
            Approval::CounterOrByRight => {
                *rng.pick(&[ApprovalPath::Counter, ApprovalPath::ByRight])
            }
            Approval::OftenByRight if rng.random_bool(0.5) => ApprovalPath::ByRight,
            _ if rng.random_bool(0.8) => ApprovalPath::Entitled,
            _ => ApprovalPath::ByRight,
        }
    }
}

/// The figures of a building (interface: Project).
#[derive(Clone, Debug, Default)]
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
pub fn generate_building(
    rng: &mut SampleRng,
    building_type: &BuildingType,
    city: &City,
) -> Building {
    let size = draw_size(rng, building_type);
    let count = |unit: SizeUnit| (building_type.size_in == unit).then_some(size as i64);
    let floors = count(SizeUnit::Stories);
    let is_tall = floors.is_some_and(|floors| floors > TALL_FLOOR_STORIES);
    let each = building_type
        .tall_sf_each
        .filter(|_| is_tall)
        .or(building_type.sf_each);
    let area = each.map_or(size, |each| size * each.draw(rng));
    let stories = floors
        .or_else(|| building_type.stories.map(|stories| stories.draw_whole(rng)))
        .unwrap_or_else(|| {
            let each = building_type
                .story_sf
                .unwrap_or(building_type.size)
                .draw(rng);
            ((area / each).ceil() as i64).max(building_type.min_stories)
        });
    let floor_ft = building_type.floor_ft.draw(rng);
    let rate = building_type.rate.draw(rng) + building_type.story_rate * stories as f64;
    let area = round_to_step(area, if area < 2_000.0 { 10.0 } else { 100.0 });
    let land = if building_type.is_part {
        rng.log_uniform(4_200.0, 38_000.0)
    } else {
        area / stories as f64 / building_type.cover * rng.float_between(0.9, 1.25)
    };
    let units = match &building_type.homes {
        Some(Homes::Count(homes)) => Some(*homes),
        Some(Homes::OfArea { share, sf }) => Some((area * share.draw(rng) / sf.draw(rng)) as i64),
        None => count(SizeUnit::Homes),
    };
    let homes = units.unwrap_or(0);
    let rooms = count(SizeUnit::Rooms);
    let stalls = match &building_type.stalls {
        Some(Stalls::Count(stalls)) => Some(*stalls),
        Some(Stalls::PerHome { per_home }) => Some((homes as f64 * per_home.draw(rng)) as i64),
        Some(Stalls::PerRoom { per_room }) => {
            rooms.map(|rooms| (rooms as f64 * per_room.draw(rng)) as i64)
        }
        Some(Stalls::OfArea { building_sf }) => Some((area / building_sf.draw(rng)) as i64),
        None => count(SizeUnit::Stalls),
    };
    let affordable = building_type
        .affordable
        .as_ref()
        .filter(|affordable| rng.random_bool(affordable.probability));
    let affordable =
        affordable.map(|affordable| (homes as f64 * affordable.share.draw(rng)) as i64);
    let (use_areas, uses) = draw_uses(rng, building_type, area);
    let roof_ft = if building_type.is_small() { 4.0 } else { 6.0 };
    Building {
        gross_floor_area_sf: area,
        stories,
        height_ft: (stories as f64 * floor_ft + roof_ft).round(),
        cost_of_construction_usd: round_to_three_figures(area * rate * city.cost),
        land_area_sf: land.round(),
        unit_mix: (homes >= MIN_HOMES_OF_MIX).then(|| draw_unit_mix(rng, homes, building_type)),
        residential_units: units,
        affordable_units: affordable,
        hotel_rooms: rooms,
        parking_spaces: stalls,
        use_areas,
        uses,
        structure_types: vec![draw_structure(rng, building_type, stories)],
    }
}

/// The size of a building, in the unit of its type; only an area has a fraction.
fn draw_size(rng: &mut SampleRng, building_type: &BuildingType) -> f64 {
    let Range(low, high) = building_type.size;
    match (building_type.size_in, building_type.spread) {
        (SizeUnit::Area, _) => rng.log_uniform(low, high),
        (_, Spread::Log) => rng.log_uniform(low, high).round(),
        (_, Spread::Even) => building_type.size.draw_whole(rng) as f64,
    }
}

fn draw_unit_mix(rng: &mut SampleRng, homes: i64, building_type: &BuildingType) -> Value {
    let mut count = |share: Range| (homes as f64 * share.draw(rng)) as i64;
    let (small, large) = (
        count(building_type.small_homes),
        count(building_type.large_homes),
    );
    json!({"studio_or_1br": small, "two_br": homes - small - large, "three_br_plus": large})
}

fn draw_uses(rng: &mut SampleRng, building_type: &BuildingType, area: f64) -> (Value, Vec<String>) {
    let main = building_type
        .main_use
        .as_ref()
        .unwrap_or(&building_type.primary_use);
    let second = building_type
        .second_uses
        .iter()
        .find(|second| rng.random_bool(second.share.probability));
    let rest = second.map_or(0.0, |second| {
        round_to_step(area * second.share.share.draw(rng), 100.0)
    });
    let mut areas = vec![json!({"use_type": main, "floor_area_sf": area - rest})];
    let mut uses = vec![main.clone()];
    if let Some(second) = second {
        areas.push(json!({"use_type": second.name, "floor_area_sf": rest}));
        uses.push(second.name.clone());
    }
    (Value::from(areas), uses)
}

fn draw_structure(rng: &mut SampleRng, building_type: &BuildingType, stories: i64) -> String {
    let tall = building_type.tall_structures.as_ref();
    match tall
        .filter(|_| stories > TALL_STRUCTURE_STORIES)
        .unwrap_or(&building_type.structures)
        .as_slice()
    {
        [only] => only.clone(),
        structures => rng.pick(structures).clone(),
    }
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
        let mut rng = SampleRng::new(1, 0);
        let city = &word_lists().cities[0];
        for _ in 0..200 {
            let [tower, deck] = ["tower", "deck"].map(|key| {
                let mut types = building_types().iter();
                generate_building(
                    &mut rng,
                    types.find(|known| known.key == key).unwrap(),
                    city,
                )
            });
            assert!(tower.cost_of_construction_usd > 100.0 * deck.cost_of_construction_usd);
            let each = tower.gross_floor_area_sf / tower.residential_units.unwrap() as f64;
            assert!((900.0..1_300.0).contains(&each), "{each} sf a home");
            assert!(tower.height_ft > 9.0 * tower.stories as f64);
        }
    }

    #[test]
    fn the_use_areas_of_a_building_add_up() {
        let mut rng = SampleRng::new(2, 0);
        for building_type in building_types() {
            let building = generate_building(&mut rng, building_type, &word_lists().cities[3]);
            let parts: f64 = building
                .use_areas
                .as_array()
                .unwrap()
                .iter()
                .map(|p| p["floor_area_sf"].as_f64().unwrap())
                .sum();
            assert_eq!(parts, building.gross_floor_area_sf, "{}", building_type.key);
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
