//! Projects: a building at an address, its firms and people, and its history so far.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::buildings::{self, ApprovalPath, Building, BuildingType};
use super::filings::{self, FilingNumbers, PermitSite};
use super::firm_directory::{FirmDirectory, FirmType, SampleFirm};
use super::firms;
use super::rng::SampleRng;
use super::timeline;
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
    chance: &mut SampleRng,
    market: &FirmDirectory,
    taken: &mut UsedProjectNames,
    now: DateTime<Utc>,
) -> GeneratedProject {
    let at = chance.weighted_index(word_lists().cities.iter().map(|city| city.weight));
    let city = &word_lists().cities[at];
    let sort = BuildingType::WEIGHTED
        [chance.weighted_index(BuildingType::WEIGHTED.iter().map(|(_, weight)| *weight))]
    .0;
    // The last neighborhood of a city is its industrial area.
    let (edge, inner) = city
        .places
        .split_last()
        .unwrap_or((&city.places[0], &city.places));
    let place = if matches!(sort, BuildingType::Industrial | BuildingType::DataCenter) {
        edge
    } else {
        chance.pick(inner)
    };
    let building = buildings::generate_building(chance, sort, city);
    let street = chance.pick(&place.streets);
    let address = random_address(chance, street);
    let name = taken.new_name(chance, sort, city, place, street, &address);
    let path = sort.approval_path(chance);
    let life = timeline::generate_timeline(chance, path, building.cost_of_construction_usd, now);
    let has = |wanted: SignalType| life.steps.iter().any(|step| step.signal_type == wanted);
    let crew = pick_firms(
        chance,
        market,
        at,
        sort,
        path,
        life.stage,
        has(SignalType::ConstructionLoan),
        life.steps.len(),
    );
    let builder = crew.iter().find(|(firm, _)| firm.kind == FirmType::Gc);
    let named = |kind: FirmType| {
        crew.iter()
            .find(|(firm, _)| firm.kind == kind)
            .map(|(firm, _)| firm.name.as_str())
    };
    let owner = super::people::random_name(chance);
    let private = format!("{} {}", owner.0, owner.1);
    let location = firms::nearby_point(chance, place.location);
    let mut project = new_project(
        chance,
        sort,
        &building,
        city,
        place,
        life.stage,
        life.disposition,
    );
    project.gc_status = Some(gc_status(chance, life.stage, builder.is_some()).to_owned());
    let site = PermitSite {
        project: project.id,
        name: &name,
        address: &address,
        city,
        zip: &place.zip,
        location,
        building_type: sort,
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
        .map(|step| filings::generate_signal(chance, &site, step, &mut numbers))
        .collect();
    project.created_at = signals
        .iter()
        .map(|signal| signal.discovered_at)
        .min()
        .unwrap_or(now - Duration::days(chance.int_between(1, 200)));
    project.location = chance.random_bool(0.95).then_some(location);
    project.name = name;
    project.primary_address = chance.random_bool(0.985).then_some(address);
    let mut people = Vec::new();
    for (firm, _) in &crew {
        let count = if matches!(
            firm.kind,
            FirmType::Developer | FirmType::Owner | FirmType::Gc
        ) {
            chance.int_between(1, 2)
        } else {
            chance.int_between(0, 1)
        };
        for _ in 0..count.min(firm.staff.len() as i64) {
            let id = chance.pick_skewed(&firm.staff).id;
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

/// The team of a project: the later its stage, the more of the team is known.
#[expect(
    clippy::too_many_arguments,
    reason = "everything that a team depends on"
)]
fn pick_firms<'m>(
    chance: &mut SampleRng,
    market: &'m FirmDirectory,
    city: usize,
    sort: BuildingType,
    path: ApprovalPath,
    stage: &str,
    loan: bool,
    signals: usize,
) -> Vec<(&'m SampleFirm, &'static str)> {
    let trade = sort.trade();
    let small = matches!(sort, BuildingType::House | BuildingType::Deck);
    let far = match stage {
        "proposed" => 0,
        "in_review" => 1,
        "approved" => 2,
        "permit_review" => 3,
        "permitted" => 4,
        _ => 5,
    };
    let institutional = matches!(
        sort,
        BuildingType::Education | BuildingType::Civic | BuildingType::Healthcare
    );
    let lead_kind = if institutional || chance.random_bool(0.08) {
        FirmType::Owner
    } else {
        FirmType::Developer
    };
    let lead = market
        .pick_firm(chance, lead_kind, city, trade)
        .or_else(|| market.pick_firm(chance, FirmType::Developer, city, trade));
    let Some(lead) = lead else { return Vec::new() };
    let mut crew = Vec::with_capacity(6);
    if !(small && chance.random_bool(0.8)) && signals > 0 {
        crew.push((lead, lead.kind.as_str()));
    }
    let mut join = |chance: &mut SampleRng, probability: f64, kind: FirmType| {
        if chance.random_bool(probability) {
            let Some(firm) = market.pick_partner(chance, lead, kind, city, trade) else {
                return;
            };
            if !crew.iter().any(|(known, _)| known.id == firm.id) {
                crew.push((firm, kind.as_str()));
            }
        }
    };
    join(
        chance,
        if small {
            0.3
        } else {
            [0.55, 0.92, 0.96, 0.97, 0.97, 0.97][far]
        },
        FirmType::Architect,
    );
    join(
        chance,
        if small {
            0.15
        } else {
            [0.1, 0.5, 0.6, 0.75, 0.8, 0.8][far]
        },
        FirmType::Engineer,
    );
    join(
        chance,
        if small {
            0.0
        } else if path == ApprovalPath::Entitled {
            [0.15, 0.45, 0.4, 0.3, 0.3, 0.3][far]
        } else {
            0.08
        },
        FirmType::Consultant,
    );
    join(
        chance,
        [0.02, 0.06, 0.14, 0.45, 0.86, 0.95][far],
        FirmType::Gc,
    );
    join(chance, if loan { 1.0 } else { 0.0 }, FirmType::Lender);
    for _ in 0..if far >= 4 && !small {
        chance.int_between(0, 2)
    } else {
        0
    } {
        join(chance, 1.0, FirmType::Subcontractor);
    }
    crew
}

fn gc_status(chance: &mut SampleRng, stage: &str, known: bool) -> &'static str {
    match stage {
        _ if known => "awarded",
        "approved" | "permit_review" => {
            chance.pick::<&str>(&["bidding", "not_selected", "unknown"])
        }
        "proposed" | "in_review" => chance.pick::<&str>(&["unknown", "unknown", "not_selected"]),
        _ => "unknown",
    }
}

fn new_project(
    chance: &mut SampleRng,
    sort: BuildingType,
    building: &Building,
    city: &City,
    place: &District,
    stage: &str,
    disposition: &str,
) -> NewProject {
    let early = stage == "proposed";
    // Early filings leave more fields open, and some fields are never recorded.
    let mut known = |probability: f64| {
        chance.random_bool(if early {
            probability - 0.12
        } else {
            probability
        })
    };
    let (area, cost, stories, units) = (known(0.93), known(0.9), known(0.93), known(0.96));
    let (parking, height, land, mix, areas, far) = (
        known(0.7),
        known(0.78),
        known(0.66),
        known(0.55),
        known(0.6),
        known(0.5),
    );
    let fit_out = matches!(sort, BuildingType::FitOut | BuildingType::Deck);
    NewProject {
        id: chance.random_id(),
        name: String::new(),
        primary_address: None,
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        neighborhood: chance.random_bool(0.92).then(|| place.name.clone()),
        primary_use: chance.random_bool(0.985).then(|| sort.primary_use().to_owned()),
        uses: building.uses.clone(),
        stage: Some(stage.to_owned()),
        disposition: Some(disposition.to_owned()),
        gross_floor_area_sf: area.then_some(building.gross_floor_area_sf),
        residential_units: building.residential_units.filter(|_| units),
        cost_of_construction_usd: cost.then_some(building.cost_of_construction_usd),
        stories: (stories && sort != BuildingType::Deck).then_some(building.stories),
        parking_spaces: building.parking_spaces.filter(|_| parking),
        gc_status: None,
        height_ft: (height && !fit_out).then_some(building.height_ft),
        hotel_rooms: building.hotel_rooms,
        affordable_units: building.affordable_units,
        land_area_sf: (land && !fit_out).then_some(building.land_area_sf),
        unit_mix: building.unit_mix.clone().filter(|_| mix && units),
        use_areas: (areas && area).then(|| building.use_areas.clone()),
        structure_types: if early { Vec::new() } else { building.structure_types.clone() },
        regulatory_flags: regulatory_flags(chance, sort, city, building),
        far: (far && land && area && !fit_out).then(|| {
            let value = (building.gross_floor_area_sf / building.land_area_sf * 100.0).round() / 100.0;
            json!({"value": value, "derived_from": chance.pick(&["plans", "assessor_parcel", "listing"])})
        }),
        location: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn regulatory_flags(
    chance: &mut SampleRng,
    sort: BuildingType,
    city: &City,
    building: &Building,
) -> Vec<String> {
    let mut flags = Vec::new();
    let mut flag = |probability: f64, word: &str| {
        if chance.random_bool(probability) {
            flags.push(word.to_owned());
        }
    };
    let homes = building.residential_units.unwrap_or(0) > 20;
    flag(
        if homes && building.affordable_units.is_some() {
            0.7
        } else {
            0.0
        },
        "inclusionary_housing",
    );
    flag(
        if homes && city.state == "CA" {
            0.35
        } else {
            0.0
        },
        "density_bonus",
    );
    flag(
        if sort == BuildingType::Deck {
            0.0
        } else {
            0.07
        },
        "historic_district",
    );
    flag(if homes { 0.18 } else { 0.04 }, "transit_overlay");
    flag(0.06, "flood_zone");
    flag(
        if sort == BuildingType::Deck {
            0.0
        } else {
            0.05
        },
        "opportunity_zone",
    );
    flags
}

fn random_address(chance: &mut SampleRng, street: &str) -> String {
    let digits = street.trim_start_matches(|c: char| !c.is_ascii_digit());
    // Numbered streets have low house numbers; boulevards have high ones.
    let block = if digits.is_empty() {
        chance.log_uniform(1.0, 62.0)
    } else {
        chance.log_uniform(1.0, 28.0)
    };
    format!(
        "{} {street}",
        block as i64 * 100 + chance.int_between(1, 98)
    )
}

impl UsedProjectNames {
    fn new_name(
        &mut self,
        chance: &mut SampleRng,
        sort: BuildingType,
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
            let pattern = chance
                .pick(&lists[sort.key()])
                .replace("{n}", &place.name)
                .replace("{r}", &bare)
                .replace("{a}", address)
                .replace("{l}", chance.pick::<&str>(&["A", "B", "C", "D"]))
                .replace("{k}", chance.pick::<&str>(&["1", "2", "3"]))
                .replace("{u}", &chance.int_between(1, 9).to_string())
                .replace("{p}", chance.pick(&lists["tenants"]).as_str());
            let name = firms::fill_pattern(chance, &pattern, city);
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
