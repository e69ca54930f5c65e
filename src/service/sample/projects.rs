//! Projects: a building at an address, its firms and people, and its history so far.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::buildings::{self, ApprovalPath, Building, BuildingType};
use super::filings::{self, FilingNumbers, PermitSite};
use super::firm_directory::{FirmDirectory, FirmType, SampleFirm};
use super::firms;
use super::rng::SampleRng;
use super::timeline::{self, Timeline};
use super::vocabulary::STAGES;
use super::word_lists::{City, District, word_lists};
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ContactId};
use crate::service::db::new_records::{NewProject, NewSignal};

/// A project with everything that belongs to it.
pub struct GeneratedProject {
    pub project: NewProject,
    /// Its signals, oldest filing first.
    pub signals: Vec<NewSignal>,
    /// Its firms with their roles.
    pub firms: Vec<(AccountId, &'static str)>,
    /// Its people.
    pub people: Vec<ContactId>,
}

/// The names in use, so that no two projects of a city have the same name.
#[derive(Default)]
pub struct UsedProjectNames(HashSet<String>);

pub fn generate_project(
    rng: &mut SampleRng,
    market: &FirmDirectory,
    taken: &mut UsedProjectNames,
    now: DateTime<Utc>,
) -> GeneratedProject {
    let at = rng.weighted_index(word_lists().cities.iter().map(|city| city.weight));
    let city = &word_lists().cities[at];
    let building_type = BuildingType::draw(rng);
    // The last neighborhood of a city is its industrial area.
    let (edge, inner) = city
        .places
        .split_last()
        .unwrap_or((&city.places[0], &city.places));
    let place = if building_type.is_remote {
        edge
    } else {
        rng.pick(inner)
    };
    let building = buildings::generate_building(rng, building_type, city);
    let street = rng.pick(&place.streets);
    let address = random_address(rng, street);
    let name = taken.new_name(rng, building_type, city, place, street, &address);
    let path = building_type.approval_path(rng);
    let life = timeline::generate_timeline(rng, path, building.cost_of_construction_usd, now);
    let crew = pick_firms(rng, market, at, building_type, path, &life);
    let builder = crew.iter().find(|(firm, _)| firm.kind == FirmType::Gc);
    let named = |kind: FirmType| {
        crew.iter()
            .find(|(firm, _)| firm.kind == kind)
            .map(|(firm, _)| firm.name.as_str())
    };
    let owner = super::people::random_name(rng);
    let private = format!("{} {}", owner.0, owner.1);
    let location = firms::nearby_point(rng, place.location);
    let mut project = new_project(rng, building_type, &building, city, place, &life);
    project.gc_status = Some(gc_status(rng, life.stage, builder.is_some()).to_owned());
    let site = PermitSite {
        project: project.id,
        name: &name,
        address: &address,
        city,
        zip: &place.zip,
        location,
        building_type,
        building: &building,
        applicant: named(FirmType::Developer)
            .or(named(FirmType::Owner))
            .unwrap_or(&private),
        architect: named(FirmType::Architect),
        contractor: named(FirmType::Gc),
        lender: named(FirmType::Lender),
    };
    let mut numbers = FilingNumbers::default();
    let signals: Vec<NewSignal> = life
        .steps
        .iter()
        .map(|step| filings::generate_signal(rng, &site, step, &mut numbers))
        .collect();
    project.created_at = signals
        .iter()
        .map(|signal| signal.discovered_at)
        .min()
        .unwrap_or(now - Duration::days(rng.int_between(1, 200)));
    project.location = rng.random_bool(0.95).then_some(location);
    project.name = name;
    project.primary_address = rng.random_bool(0.985).then_some(address);
    let mut people = Vec::new();
    for (firm, _) in &crew {
        let is_central = matches!(
            firm.kind,
            FirmType::Developer | FirmType::Owner | FirmType::Gc
        );
        let least = i64::from(is_central);
        let count = rng.int_between(least, least + 1);
        for _ in 0..count.min(firm.staff.len() as i64) {
            let id = rng.pick_skewed(&firm.staff).id;
            if !people.contains(&id) {
                people.push(id);
            }
        }
    }
    GeneratedProject {
        project,
        signals,
        firms: crew.iter().map(|(firm, role)| (firm.id, *role)).collect(),
        people,
    }
}

/// Who joins the developer, and how probably: for work on a house, and at each stage of another
/// project.
const TEAM: [(FirmType, f64, [f64; 6]); 3] = [
    (
        FirmType::Architect,
        0.3,
        [0.55, 0.92, 0.96, 0.97, 0.97, 0.97],
    ),
    (FirmType::Engineer, 0.15, [0.1, 0.5, 0.6, 0.75, 0.8, 0.8]),
    (FirmType::Consultant, 0.0, [0.15, 0.45, 0.4, 0.3, 0.3, 0.3]),
];
const CONTRACTOR: [f64; 6] = [0.02, 0.06, 0.14, 0.45, 0.86, 0.95];

/// The team of a project: the later its stage, the more of the team is known.
fn pick_firms<'m>(
    rng: &mut SampleRng,
    market: &'m FirmDirectory,
    city: usize,
    building_type: &BuildingType,
    path: ApprovalPath,
    life: &Timeline,
) -> Vec<(&'m SampleFirm, &'static str)> {
    let (trade, small) = (building_type.trade, building_type.is_small());
    let far = STAGES
        .iter()
        .position(|stage| *stage == life.stage)
        .map_or(5, |far| far.min(5));
    let lead_kind = if building_type.is_public || rng.random_bool(0.08) {
        FirmType::Owner
    } else {
        FirmType::Developer
    };
    let lead = market
        .pick_firm(rng, lead_kind, city, trade)
        .or_else(|| market.pick_firm(rng, FirmType::Developer, city, trade));
    let Some(lead) = lead else { return Vec::new() };
    let mut crew = Vec::with_capacity(6);
    let is_left_out = small && rng.random_bool(0.8);
    if !is_left_out && !life.steps.is_empty() {
        crew.push((lead, lead.kind.as_str()));
    }
    let mut join = |rng: &mut SampleRng, probability: f64, kind: FirmType| {
        if rng.random_bool(probability) {
            let Some(firm) = market.pick_partner(rng, lead, kind, city, trade) else {
                return;
            };
            if !crew.iter().any(|(known, _)| known.id == firm.id) {
                crew.push((firm, kind.as_str()));
            }
        }
    };
    for (kind, on_a_house, by_stage) in TEAM {
        let probability = match kind {
            _ if small => on_a_house,
            FirmType::Consultant if path != ApprovalPath::Entitled => 0.08,
            _ => by_stage[far],
        };
        join(rng, probability, kind);
    }
    join(rng, CONTRACTOR[far], FirmType::Gc);
    let has_loan = life
        .steps
        .iter()
        .any(|step| step.signal_type == SignalType::ConstructionLoan);
    join(rng, f64::from(u8::from(has_loan)), FirmType::Lender);
    if far >= 4 && !small {
        for _ in 0..rng.int_between(0, 2) {
            join(rng, 1.0, FirmType::Subcontractor);
        }
    }
    crew
}

fn gc_status(rng: &mut SampleRng, stage: &str, known: bool) -> &'static str {
    match stage {
        _ if known => "awarded",
        "approved" | "permit_review" => rng.pick::<&str>(&["bidding", "not_selected", "unknown"]),
        "proposed" | "in_review" => rng.pick::<&str>(&["unknown", "unknown", "not_selected"]),
        _ => "unknown",
    }
}

fn new_project(
    rng: &mut SampleRng,
    building_type: &BuildingType,
    building: &Building,
    city: &City,
    place: &District,
    life: &Timeline,
) -> NewProject {
    let early = life.stage == "proposed";
    // Early filings leave more fields open, and some fields are never recorded.
    let lack = if early { 0.12 } else { 0.0 };
    let [
        area,
        cost,
        stories,
        units,
        parking,
        height,
        land,
        mix,
        areas,
        far,
    ] = [0.93, 0.9, 0.93, 0.96, 0.7, 0.78, 0.66, 0.55, 0.6, 0.5]
        .map(|probability| rng.random_bool(probability - lack));
    let whole = !building_type.is_part;
    NewProject {
        id: rng.random_id(),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        neighborhood: rng.random_bool(0.92).then(|| place.name.clone()),
        primary_use: rng
            .random_bool(0.985)
            .then(|| building_type.primary_use.clone()),
        uses: building.uses.clone(),
        stage: Some(life.stage.to_owned()),
        disposition: Some(life.disposition.to_owned()),
        gross_floor_area_sf: area.then_some(building.gross_floor_area_sf),
        residential_units: building.residential_units.filter(|_| units),
        cost_of_construction_usd: cost.then_some(building.cost_of_construction_usd),
        stories: (stories && !building_type.is_addition()).then_some(building.stories),
        parking_spaces: building.parking_spaces.filter(|_| parking),
        height_ft: (height && whole).then_some(building.height_ft),
        hotel_rooms: building.hotel_rooms,
        affordable_units: building.affordable_units,
        land_area_sf: (land && whole).then_some(building.land_area_sf),
        unit_mix: building.unit_mix.clone().filter(|_| mix && units),
        use_areas: (areas && area).then(|| building.use_areas.clone()),
        structure_types: match early {
            true => Vec::new(),
            false => building.structure_types.clone(),
        },
        regulatory_flags: regulatory_flags(rng, building_type, city, building),
        far: (far && land && area && whole).then(|| floor_area_ratio(rng, building)),
        ..NewProject::default()
    }
}

fn floor_area_ratio(rng: &mut SampleRng, building: &Building) -> Value {
    let ratio = building.gross_floor_area_sf / building.land_area_sf;
    let sources = ["plans", "assessor_parcel", "listing"];
    json!({"value": (ratio * 100.0).round() / 100.0, "derived_from": rng.pick(&sources)})
}

fn regulatory_flags(
    rng: &mut SampleRng,
    building_type: &BuildingType,
    city: &City,
    building: &Building,
) -> Vec<String> {
    let homes = building.residential_units.unwrap_or(0) > 20;
    let affordable = homes && building.affordable_units.is_some();
    let only_if = |is_possible: bool, probability: f64| if is_possible { probability } else { 0.0 };
    [
        (only_if(affordable, 0.7), "inclusionary_housing"),
        (only_if(homes && city.state == "CA", 0.35), "density_bonus"),
        (
            only_if(!building_type.is_addition(), 0.07),
            "historic_district",
        ),
        (if homes { 0.18 } else { 0.04 }, "transit_overlay"),
        (0.06, "flood_zone"),
        (
            only_if(!building_type.is_addition(), 0.05),
            "opportunity_zone",
        ),
    ]
    .into_iter()
    .filter(|(probability, _)| rng.random_bool(*probability))
    .map(|(_, flag)| flag.to_owned())
    .collect()
}

fn random_address(rng: &mut SampleRng, street: &str) -> String {
    let digits = street.trim_start_matches(|c: char| !c.is_ascii_digit());
    // Numbered streets have low house numbers; boulevards have high ones.
    let block = if digits.is_empty() {
        rng.log_uniform(1.0, 62.0)
    } else {
        rng.log_uniform(1.0, 28.0)
    };
    format!("{} {street}", block as i64 * 100 + rng.int_between(1, 98))
}

impl UsedProjectNames {
    fn new_name(
        &mut self,
        rng: &mut SampleRng,
        building_type: &BuildingType,
        city: &City,
        place: &District,
        street: &str,
        address: &str,
    ) -> String {
        let lists = &word_lists().projects;
        let road: Vec<&str> = street.split(' ').collect();
        let bare = match road.as_slice() {
            [
                "N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW",
                middle @ ..,
                _,
            ] if !middle.is_empty() => middle.join(" "),
            [
                middle @ ..,
                "N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW",
            ] if middle.len() > 1 => middle[..middle.len() - 1].join(" "),
            [middle @ .., _] if !middle.is_empty() => middle.join(" "),
            _ => street.to_owned(),
        };
        for _ in 0..4 {
            let pattern = rng
                .pick(&lists[&building_type.key])
                .replace("{n}", &place.name)
                .replace("{r}", &bare)
                .replace("{a}", address)
                .replace("{l}", rng.pick::<&str>(&["A", "B", "C", "D"]))
                .replace("{k}", rng.pick::<&str>(&["1", "2", "3"]))
                .replace("{u}", &rng.int_between(1, 9).to_string())
                .replace("{p}", rng.pick(&lists["tenants"]).as_str());
            let name = firms::fill_pattern(rng, &pattern, city);
            let double = name
                .split(' ')
                .collect::<Vec<_>>()
                .windows(2)
                .any(|pair| pair[0] == pair[1]);
            if !double && self.0.insert(format!("{name}|{}", city.name)) {
                return name;
            }
        }
        self.0.insert(format!("{address}|{}", city.name));
        address.to_owned()
    }
}
