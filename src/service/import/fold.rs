//! Folding: a project is what the rows of its permits say together, the newest first. The order in which they were read does not matter.

use chrono::{DateTime, Utc};

use super::columns::{self, Columns, Kept};
use super::layout::Layout;
use super::values;
use crate::domain::ProjectId;
use crate::service::db::index_import::Past;
use crate::service::db::records::Project;
use crate::service::db::standing;

/// How many of its newest rows a project is described by.
const ROWS_MAX: usize = 16;

/// The project of these signals, which are its newest, newest first.
pub fn project(layout: &Layout, columns: &Columns, id: ProjectId, past: &[Past]) -> Project {
    let mut order: Vec<&Past> = past.iter().collect();
    // On one day a permit is filed, then issued, then finished.
    order.sort_by_key(|signal| std::cmp::Reverse((signal.filed_at, standing::rank(&signal.signal_type))));
    // The signals of a permit carry the same row: it is read once.
    let mut payloads: Vec<&str> = Vec::with_capacity(ROWS_MAX);
    for signal in &order {
        if payloads.len() < ROWS_MAX && !payloads.contains(&signal.raw_data.as_str()) {
            payloads.push(&signal.raw_data);
        }
    }
    let rows: Vec<Kept<'_>> = payloads.into_iter().map(Kept::read).collect();
    let text = |wanted: &[columns::Column]| rows.iter().find_map(|row| columns::first(wanted, row));
    let address =
        rows.iter().map(|row| values::tidy(&columns::joined(&columns.address, row), layout.title_case)).find(|a| !a.is_empty());
    let name = text(&columns.name).map(|name| values::tidy(name, layout.title_case)).or_else(|| address.clone());
    let primary_use = text(&columns.use_).and_then(|word| {
        let uses = &layout.project.uses;
        uses.get(&word.to_lowercase()).or_else(|| uses.get("*")).cloned()
    });
    let (stage, disposition) = standing::standing(order.iter().rev().map(|signal| &signal.signal_type));
    let decimal = layout.decimal.unwrap_or_default();
    Project {
        id,
        name: name.unwrap_or_else(|| format!("{}, {}", layout.city, layout.state)),
        primary_address: address,
        city: Some(layout.city.clone()),
        state: Some(layout.state.clone()),
        neighborhood: rows
            .iter()
            .map(|row| columns::Row::get(row, &columns.neighborhood))
            .find(|n| !n.is_empty())
            .map(str::to_owned),
        uses: primary_use.clone().into_iter().collect(),
        primary_use,
        stage: Some(stage.to_owned()),
        disposition: Some(disposition.to_owned()),
        gross_floor_area_sf: rows
            .iter()
            .find_map(|row| columns::first(&columns.area, row).and_then(|area| values::number(area, decimal)))
            .filter(|sf| *sf > 0.0),
        residential_units: rows
            .iter()
            .find_map(|row| columns::first(&columns.units, row).and_then(|units| values::count(units, decimal))),
        cost_of_construction_usd: rows.iter().find_map(|row| cost(layout, columns, row)),
        stories: rows
            .iter()
            .find_map(|row| columns::first(&columns.stories, row).and_then(|stories| values::count(stories, decimal))),
        parking_spaces: None,
        gc_status: None,
        height_ft: None,
        hotel_rooms: None,
        affordable_units: None,
        land_area_sf: None,
        unit_mix: None,
        use_areas: None,
        structure_types: Vec::new(),
        regulatory_flags: Vec::new(),
        far: None,
        location: rows.iter().find_map(|row| location(columns, row)),
        created_at: past.iter().map(|signal| signal.filed_at).min().unwrap_or(DateTime::<Utc>::UNIX_EPOCH),
    }
}

/// The cost that a row reports, unless it is a placeholder.
pub fn cost(layout: &Layout, columns: &Columns, row: &impl columns::Row) -> Option<f64> {
    let filled = columns.cost.iter().map(|column| row.get(column)).filter(|value| !value.is_empty());
    let mut costs = filled.filter_map(|cost| values::number(cost, layout.decimal.unwrap_or_default()));
    costs.find(|cost| *cost >= layout.project.cost_at_least && *cost > 0.0)
}

fn location(columns: &Columns, row: &impl columns::Row) -> Option<(f64, f64)> {
    values::point(row.get(&columns.point)).or_else(|| {
        let (lat, lng) = (values::coordinate(row.get(&columns.latitude))?, values::coordinate(row.get(&columns.longitude))?);
        values::on_earth(lat, lng)
    })
}
