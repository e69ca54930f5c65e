//! Projects: a building at an address, its firms and people, and its history so far.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::data::{BuildingType, City, fill_pattern, sample_data};
use super::firms::{FirmDirectory, SampleFirm, nearby_point};
use super::rng::SampleRng;
use super::signals::{self, Site};
use super::vocabulary::STAGES;
use crate::domain::ContactId;
use crate::service::db::new_records::{NewProject, NewSignal};

/// A project with everything that belongs to it.
pub struct GeneratedProject<'m> {
    pub project: NewProject,
    /// Its signals, oldest filing first.
    pub signals: Vec<NewSignal>,
    pub firms: Vec<&'m SampleFirm>,
    pub people: Vec<ContactId>,
}

/// One project in so many has only been heard of: it has no signals, firms or people.
const HEARSAY_INTERVAL: usize = 40;
/// Buildings with fewer homes have no mix of homes.
const MIN_HOMES_OF_MIX: i64 = 12;
const DIRECTIONS: [&str; 8] = ["N", "S", "E", "W", "NE", "NW", "SE", "SW"];

/// Generates the project number `nth`, with a name that no other of its city has.
pub fn generate_project<'m>(
    rng: &mut SampleRng,
    nth: usize,
    market: &'m FirmDirectory,
    taken: &mut HashSet<(&'static str, String)>,
    now: DateTime<Utc>,
) -> GeneratedProject<'m> {
    let data = sample_data();
    let id = rng.random_id();
    let city = rng.pick_weighted(&data.cities, |city| city.weight);
    let building_type = rng.pick_weighted(&data.buildings, |known| known.weight);
    let industrial = city.places.len() - 1;
    let place = match building_type.is_remote {
        true => &city.places[industrial],
        false => rng.pick(&city.places[..industrial]),
    };
    let street = rng.pick(&place.streets);
    let address = format!(
        "{} {street}",
        rng.int_between(1, 48) * 100 + rng.int_between(1, 98)
    );
    let road = name_road(street);
    let facts = |key: &str| match key {
        "place" => Some(place.name.as_str().into()),
        "street" => Some(road.as_str().into()),
        "address" => Some(address.as_str().into()),
        _ => None,
    };
    let mut draw_name = || {
        let pattern = rng.pick(&building_type.names);
        fill_pattern(rng, pattern, &facts)
    };
    let mut names = (0..4).map(|_| draw_name());
    let name = names.find(|name| taken.insert((city.name.as_str(), name.clone())));
    let plan = rng.pick(&building_type.plans);
    let mut steps = signals::draw_timeline(rng, &data.plans[plan], now);
    if nth % HEARSAY_INTERVAL == HEARSAY_INTERVAL - 1 {
        steps.clear();
    }
    let (stage, disposition) = signals::status_as_of(&steps, now);
    let firms = match steps.is_empty() {
        true => Vec::new(),
        false => pick_firms(rng, market, building_type, city, stage),
    };
    let mut project = NewProject {
        id,
        name: name.unwrap_or_else(|| address.clone()),
        primary_address: Some(address),
        city: Some(city.name.clone()),
        state: Some(city.state.clone()),
        neighborhood: Some(place.name.clone()),
        location: Some(nearby_point(rng, place.location)),
        stage: Some(stage.to_owned()),
        disposition: Some(disposition.to_owned()),
        gc_status: Some(draw_gc_status(rng, stage, &firms).to_owned()),
        ..generate_building(rng, building_type, city)
    };
    let site = Site {
        project: &project,
        city,
        zip: &place.zip,
        building_type,
        firms: firms
            .iter()
            .map(|firm| (firm.role(), firm.name.as_str()))
            .collect(),
        work: None,
    };
    let mut numbers = signals::FilingNumbers::default();
    let signals: Vec<NewSignal> = steps
        .into_iter()
        .map(|step| signals::generate_signal(rng, &site, step, &mut numbers))
        .collect();
    let known_since = signals.iter().map(|signal| signal.discovered_at).min();
    project.created_at = known_since.unwrap_or(now - Duration::days(rng.int_between(1, 200)));
    forget_facts(rng, &mut project);
    let mut people = Vec::new();
    for firm in firms.iter().filter(|firm| !firm.staff.is_empty()) {
        people.extend((0..rng.int_between(0, 2)).map(|_| *rng.pick_skewed(&firm.staff)));
    }
    GeneratedProject {
        project,
        signals,
        firms,
        people,
    }
}

/// A street without its direction and kind.
fn name_road(street: &str) -> String {
    let words: Vec<&str> = street
        .split(' ')
        .filter(|word| !DIRECTIONS.contains(word))
        .collect();
    words[..words.len().saturating_sub(1).max(1)].join(" ")
}

/// The team of a project: the later its stage, the more of the team is known.
fn pick_firms<'m>(
    rng: &mut SampleRng,
    market: &'m FirmDirectory,
    building_type: &BuildingType,
    city: &City,
    stage: &str,
) -> Vec<&'m SampleFirm> {
    let is_small = building_type.is_small;
    let builds_for_itself = building_type.lead == "developer" && rng.random_bool(0.08);
    let lead = match builds_for_itself {
        true => "owner",
        false => building_type.lead.as_str(),
    };
    let lead = market.pick_firm(rng, lead, city);
    let mut firms = Vec::with_capacity(6);
    if !is_small || rng.random_bool(0.2) {
        firms.push(lead);
    }
    let stage = STAGES.iter().position(|known| *known == stage).unwrap_or(0);
    for group in &sample_data().firms {
        let probability = if is_small {
            group.joins_house
        } else {
            group.joins[stage]
        };
        if rng.random_bool(probability) {
            firms.push(market.pick_partner(rng, lead, &group.key, city));
        }
    }
    firms
}

fn draw_gc_status(rng: &mut SampleRng, stage: &str, firms: &[&SampleFirm]) -> &'static str {
    match stage {
        _ if firms.iter().any(|firm| firm.role() == "gc") => "awarded",
        "approved" | "permit_review" => rng.pick::<&str>(&["bidding", "not_selected", "unknown"]),
        "proposed" | "in_review" => rng.pick::<&str>(&["unknown", "unknown", "not_selected"]),
        _ => "unknown",
    }
}

/// A building: its figures fit each other.
pub fn generate_building(
    rng: &mut SampleRng,
    building_type: &BuildingType,
    city: &City,
) -> NewProject {
    let size = rng.draw_from((0.0, 1.0));
    let (least, most) = building_type.area;
    let area = round_to_step(least * (most / least).powf(size), 10.0);
    let (lowest, highest) = building_type.stories;
    let stories = (lowest + (highest - lowest) * size).round();
    let mut count_per = |each: Option<_>| Some((area / rng.draw_from(each?)).max(1.0) as i64);
    let homes = count_per(building_type.home_sf);
    let hotel_rooms = count_per(building_type.room_sf);
    let parking_spaces = count_per(building_type.stall_sf);
    let affordable = building_type.affordable;
    let affordable = affordable.filter(|(probability, _)| rng.random_bool(*probability));
    let affordable_units = homes
        .zip(affordable)
        .map(|(homes, (_, share))| (homes as f64 * rng.draw_from(share)) as i64);
    let main_use = building_type
        .main_use
        .as_ref()
        .unwrap_or(&building_type.primary_use);
    let second = building_type.second_use.as_ref();
    let rest = second.map_or(0.0, |(_, share)| round_to_step(area * share, 10.0));
    let mut use_areas = vec![json!({"use_type": main_use, "floor_area_sf": area - rest})];
    use_areas.extend(second.map(|(name, _)| json!({"use_type": name, "floor_area_sf": rest})));
    let land = (area / stories / building_type.cover * rng.draw_from((0.9, 1.25))).round();
    let cost = area * rng.draw_from(building_type.rate) * city.cost;
    let ratio = round_to_step(area / land, 0.01);
    let source = rng.pick(&["plans", "assessor_parcel", "listing"]);
    let is_whole = !building_type.is_part;
    let flags = sample_data().regulatory_flags.iter();
    NewProject {
        primary_use: Some(building_type.primary_use.clone()),
        uses: [main_use]
            .into_iter()
            .chain(second.map(|(name, _)| name))
            .cloned()
            .collect(),
        gross_floor_area_sf: Some(area),
        residential_units: homes,
        cost_of_construction_usd: Some(round_to_three_figures(cost)),
        stories: is_whole.then_some(stories as i64),
        parking_spaces,
        height_ft: is_whole.then_some((stories * building_type.floor_ft + 6.0).round()),
        hotel_rooms,
        affordable_units,
        land_area_sf: is_whole.then_some(land),
        unit_mix: homes
            .filter(|homes| *homes >= MIN_HOMES_OF_MIX)
            .map(|homes| draw_mix(rng, homes)),
        use_areas: Some(use_areas.into()),
        structure_types: vec![rng.pick(&building_type.structures).clone()],
        regulatory_flags: flags
            .filter(|(_, probability)| rng.random_bool(*probability))
            .map(|(flag, _)| flag.clone())
            .collect(),
        far: is_whole.then(|| json!({"value": ratio, "derived_from": source})),
        ..NewProject::default()
    }
}

fn draw_mix(rng: &mut SampleRng, homes: i64) -> Value {
    let small = (homes as f64 * rng.draw_from((0.42, 0.72))) as i64;
    let large = (homes as f64 * rng.draw_from((0.02, 0.16))) as i64;
    json!({"studio_or_1br": small, "two_br": homes - small - large, "three_br_plus": large})
}

/// Early filings leave more facts open, and some are never recorded.
fn forget_facts(rng: &mut SampleRng, project: &mut NewProject) {
    let early = if project.stage.as_deref() == Some("proposed") {
        0.12
    } else {
        0.0
    };
    rng.forget(0.015, &mut project.primary_address);
    rng.forget(0.05, &mut project.location);
    rng.forget(0.08, &mut project.neighborhood);
    rng.forget(0.015, &mut project.primary_use);
    rng.forget(0.07 + early, &mut project.gross_floor_area_sf);
    rng.forget(0.10 + early, &mut project.cost_of_construction_usd);
    rng.forget(0.07 + early, &mut project.stories);
    rng.forget(0.04 + early, &mut project.residential_units);
    rng.forget(0.30 + early, &mut project.parking_spaces);
    rng.forget(0.22 + early, &mut project.height_ft);
    rng.forget(0.34 + early, &mut project.land_area_sf);
    rng.forget(0.45 + early, &mut project.unit_mix);
    rng.forget(0.40 + early, &mut project.use_areas);
    rng.forget(0.50 + early, &mut project.far);
    rng.forget(early * 8.0, &mut project.structure_types);
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

    #[test]
    fn a_tower_costs_more_than_a_deck_and_units_fit_the_floor_area() {
        let mut rng = SampleRng::new(1, 0);
        let data = sample_data();
        for _ in 0..200 {
            let [tower, deck] = ["tower", "deck"].map(|key| {
                let building_type = data.buildings.iter().find(|known| known.key == key);
                generate_building(&mut rng, building_type.unwrap(), &data.cities[0])
            });
            let [tower_cost, deck_cost] =
                [&tower, &deck].map(|built| built.cost_of_construction_usd.unwrap());
            assert!(tower_cost > 100.0 * deck_cost);
            let homes = tower.residential_units.unwrap() as f64;
            let each = tower.gross_floor_area_sf.unwrap() / homes;
            assert!((900.0..1_300.0).contains(&each), "{each} sf a home");
            assert!(tower.height_ft.unwrap() > 9.0 * tower.stories.unwrap() as f64);
        }
    }

    #[test]
    fn the_use_areas_of_a_building_add_up() {
        let mut rng = SampleRng::new(2, 0);
        let data = sample_data();
        for building_type in &data.buildings {
            let building = generate_building(&mut rng, building_type, &data.cities[3]);
            let areas = building.use_areas.unwrap();
            let parts: f64 = areas
                .as_array()
                .unwrap()
                .iter()
                .map(|part| part["floor_area_sf"].as_f64().unwrap())
                .sum();
            assert_eq!(
                Some(parts),
                building.gross_floor_area_sf,
                "{}",
                building_type.key
            );
            if let Some(mix) = &building.unit_mix {
                let homes = mix.as_object().unwrap().values();
                let homes: i64 = homes.map(|count| count.as_i64().unwrap()).sum();
                assert_eq!(Some(homes), building.residential_units);
            }
        }
    }
}
