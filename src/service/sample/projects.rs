//! Projects: a building at an address, the firms and people on it, and its life so far.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::buildings::{self, Building, Path, Sort};
use super::chance::Chance;
use super::filings::{self, Numbers, Site};
use super::firms;
use super::market::{Firm, Kind, Market};
use super::timeline;
use super::words::{City, Place, words};
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ContactId};
use crate::service::db::records::{Project, Signal};

/// A project with all that hangs on it.
pub struct Made {
    /// The project.
    pub project: Project,
    /// Its signals, oldest filing first.
    pub signals: Vec<Signal>,
    /// The firms on it with their roles.
    pub firms: Vec<(AccountId, &'static str)>,
    /// The people on it.
    pub people: Vec<ContactId>,
}

/// The names that are taken, so that no two projects of a city are called the same.
#[derive(Default)]
pub struct Taken(HashSet<String>);

/// Draws a project.
pub fn draw(chance: &mut Chance, market: &Market, taken: &mut Taken, now: DateTime<Utc>) -> Made {
    let at = chance.weigh(words().cities.iter().map(|city| city.weight));
    let city = &words().cities[at];
    let sort = Sort::ALL[chance.weigh(Sort::ALL.iter().map(|(_, weight)| *weight))].0;
    // The last neighbourhood of a city is where its sheds are.
    let (edge, inner) = city.places.split_last().unwrap_or((&city.places[0], &city.places));
    let place = if matches!(sort, Sort::Industrial | Sort::DataCenter) { edge } else { chance.pick(inner) };
    let building = buildings::draw(chance, sort, city);
    let street = chance.pick(&place.streets);
    let address = address(chance, street);
    let name = taken.name(chance, sort, city, place, street, &address);
    let path = sort.path(chance);
    let life = timeline::draw(chance, path, building.cost_of_construction_usd, now);
    let has = |wanted: SignalType| life.steps.iter().any(|step| step.signal_type == wanted);
    let crew = crew(chance, market, at, sort, path, life.stage, has(SignalType::ConstructionLoan), life.steps.len());
    let builder = crew.iter().find(|(firm, _)| firm.kind == Kind::Gc);
    let named = |kind: Kind| crew.iter().find(|(firm, _)| firm.kind == kind).map(|(firm, _)| firm.name.as_str());
    let owner = super::people::name(chance);
    let private = format!("{} {}", owner.0, owner.1);
    let location = firms::near(chance, place.location);
    let mut project = project(chance, sort, &building, city, place, life.stage, life.disposition);
    project.gc_status = Some(contractor(chance, life.stage, builder.is_some()).to_owned());
    let site = Site {
        project: project.id,
        name: &name,
        address: &address,
        city,
        zip: &place.zip,
        location,
        sort,
        building: &building,
        applicant: named(Kind::Developer).or(named(Kind::Owner)).unwrap_or(&private),
        architect: named(Kind::Architect),
        contractor: named(Kind::Gc),
        lender: named(Kind::Lender),
    };
    let mut numbers = Numbers::default();
    let signals: Vec<Signal> = life.steps.iter().map(|step| filings::signal(chance, &site, step, &mut numbers)).collect();
    project.created_at =
        signals.iter().map(|signal| signal.discovered_at).min().unwrap_or(now - Duration::days(chance.int(1, 200)));
    project.location = chance.yes(0.95).then_some(location);
    project.name = name;
    project.primary_address = chance.yes(0.985).then_some(address);
    let mut people = Vec::new();
    for (firm, _) in &crew {
        let count =
            if matches!(firm.kind, Kind::Developer | Kind::Owner | Kind::Gc) { chance.int(1, 2) } else { chance.int(0, 1) };
        for _ in 0..count.min(firm.staff.len() as i64) {
            let id = chance.favour(&firm.staff).id;
            if !people.contains(&id) {
                people.push(id);
            }
        }
    }
    Made { project, signals, firms: crew.iter().map(|(firm, role)| (firm.id, *role)).collect(), people }
}

/// Who is on a project: the further it is, the more of them are known.
#[expect(clippy::too_many_arguments, reason = "what a team follows from")]
fn crew<'m>(
    chance: &mut Chance,
    market: &'m Market,
    city: usize,
    sort: Sort,
    path: Path,
    stage: &str,
    loan: bool,
    signals: usize,
) -> Vec<(&'m Firm, &'static str)> {
    let trade = sort.trade();
    let small = matches!(sort, Sort::House | Sort::Deck);
    let far = match stage {
        "proposed" => 0,
        "in_review" => 1,
        "approved" => 2,
        "permit_review" => 3,
        "permitted" => 4,
        _ => 5,
    };
    let institutional = matches!(sort, Sort::Education | Sort::Civic | Sort::Healthcare);
    let lead_kind = if institutional || chance.yes(0.08) { Kind::Owner } else { Kind::Developer };
    let lead = market.hire(chance, lead_kind, city, trade).or_else(|| market.hire(chance, Kind::Developer, city, trade));
    let Some(lead) = lead else { return Vec::new() };
    let mut crew = Vec::with_capacity(6);
    if !(small && chance.yes(0.8)) && signals > 0 {
        crew.push((lead, lead.kind.word()));
    }
    let mut join = |chance: &mut Chance, probability: f64, kind: Kind| {
        if chance.yes(probability) {
            let Some(firm) = market.partner(chance, lead, kind, city, trade) else { return };
            if !crew.iter().any(|(known, _)| known.id == firm.id) {
                crew.push((firm, kind.word()));
            }
        }
    };
    join(chance, if small { 0.3 } else { [0.55, 0.92, 0.96, 0.97, 0.97, 0.97][far] }, Kind::Architect);
    join(chance, if small { 0.15 } else { [0.1, 0.5, 0.6, 0.75, 0.8, 0.8][far] }, Kind::Engineer);
    join(
        chance,
        if small {
            0.0
        } else if path == Path::Entitled {
            [0.15, 0.45, 0.4, 0.3, 0.3, 0.3][far]
        } else {
            0.08
        },
        Kind::Consultant,
    );
    join(chance, [0.02, 0.06, 0.14, 0.45, 0.86, 0.95][far], Kind::Gc);
    join(chance, if loan { 1.0 } else { 0.0 }, Kind::Lender);
    for _ in 0..if far >= 4 && !small { chance.int(0, 2) } else { 0 } {
        join(chance, 1.0, Kind::Subcontractor);
    }
    crew
}

fn contractor(chance: &mut Chance, stage: &str, known: bool) -> &'static str {
    match stage {
        _ if known => "awarded",
        "approved" | "permit_review" => chance.pick::<&str>(&["bidding", "not_selected", "unknown"]),
        "proposed" | "in_review" => chance.pick::<&str>(&["unknown", "unknown", "not_selected"]),
        _ => "unknown",
    }
}

fn project(
    chance: &mut Chance,
    sort: Sort,
    building: &Building,
    city: &City,
    place: &Place,
    stage: &str,
    disposition: &str,
) -> Project {
    let early = stage == "proposed";
    // What an early filing leaves open, and what nobody wrote down.
    let mut known = |probability: f64| chance.yes(if early { probability - 0.12 } else { probability });
    let (area, cost, stories, units) = (known(0.93), known(0.9), known(0.93), known(0.96));
    let (parking, height, land, mix, areas, far) = (known(0.7), known(0.78), known(0.66), known(0.55), known(0.6), known(0.5));
    let fit_out = matches!(sort, Sort::FitOut | Sort::Deck);
    Project {
        id: chance.id(),
        name: String::new(),
        primary_address: None,
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        neighborhood: chance.yes(0.92).then(|| place.name.clone()),
        primary_use: chance.yes(0.985).then(|| sort.primary_use().to_owned()),
        uses: building.uses.clone(),
        stage: Some(stage.to_owned()),
        disposition: Some(disposition.to_owned()),
        gross_floor_area_sf: area.then_some(building.gross_floor_area_sf),
        residential_units: building.residential_units.filter(|_| units),
        cost_of_construction_usd: cost.then_some(building.cost_of_construction_usd),
        stories: (stories && sort != Sort::Deck).then_some(building.stories),
        parking_spaces: building.parking_spaces.filter(|_| parking),
        gc_status: None,
        height_ft: (height && !fit_out).then_some(building.height_ft),
        hotel_rooms: building.hotel_rooms,
        affordable_units: building.affordable_units,
        land_area_sf: (land && !fit_out).then_some(building.land_area_sf),
        unit_mix: building.unit_mix.clone().filter(|_| mix && units),
        use_areas: (areas && area).then(|| building.use_areas.clone()),
        structure_types: if early { Vec::new() } else { building.structure_types.clone() },
        regulatory_flags: flags(chance, sort, city, building),
        far: (far && land && area && !fit_out).then(|| {
            let value = (building.gross_floor_area_sf / building.land_area_sf * 100.0).round() / 100.0;
            json!({"value": value, "derived_from": chance.pick(&["plans", "assessor_parcel", "listing"])})
        }),
        location: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn flags(chance: &mut Chance, sort: Sort, city: &City, building: &Building) -> Vec<String> {
    let mut flags = Vec::new();
    let mut flag = |probability: f64, word: &str| {
        if chance.yes(probability) {
            flags.push(word.to_owned());
        }
    };
    let homes = building.residential_units.unwrap_or(0) > 20;
    flag(if homes && building.affordable_units.is_some() { 0.7 } else { 0.0 }, "inclusionary_housing");
    flag(if homes && city.state == "CA" { 0.35 } else { 0.0 }, "density_bonus");
    flag(if sort == Sort::Deck { 0.0 } else { 0.07 }, "historic_district");
    flag(if homes { 0.18 } else { 0.04 }, "transit_overlay");
    flag(0.06, "flood_zone");
    flag(if sort == Sort::Deck { 0.0 } else { 0.05 }, "opportunity_zone");
    flags
}

fn address(chance: &mut Chance, street: &str) -> String {
    let digits = street.trim_start_matches(|c: char| !c.is_ascii_digit());
    // A numbered street crosses low numbers; a boulevard runs long.
    let block = if digits.is_empty() { chance.spread(1.0, 62.0) } else { chance.spread(1.0, 28.0) };
    format!("{} {street}", block as i64 * 100 + chance.int(1, 98))
}

impl Taken {
    fn name(&mut self, chance: &mut Chance, sort: Sort, city: &City, place: &Place, street: &str, address: &str) -> String {
        let lists = &words().projects;
        let road: Vec<&str> = street.split(' ').collect();
        let bare = match road.as_slice() {
            ["N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW", middle @ .., _] if !middle.is_empty() => middle.join(" "),
            [middle @ .., "N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW"] if middle.len() > 1 => {
                middle[..middle.len() - 1].join(" ")
            }
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
                .replace("{u}", &chance.int(1, 9).to_string())
                .replace("{p}", chance.pick(&lists["tenants"]).as_str());
            let name = firms::fill(chance, &pattern, city);
            let double = name.split(' ').collect::<Vec<_>>().windows(2).any(|pair| pair[0] == pair[1]);
            if !double && self.0.insert(format!("{name}|{}", city.name)) {
                return name;
            }
        }
        self.0.insert(format!("{address}|{}", city.name));
        address.to_owned()
    }
}
