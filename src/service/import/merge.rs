//! Merging: a project is what the rows of its permits say together, newest first, whatever order
//! they were read in.

use chrono::{DateTime, Utc};

use super::columns::{self, PermitColumns, StoredRow};
use super::values;
use crate::domain::ProjectId;
use crate::service::db::index_import::PastSignal;
use crate::service::db::new_records::NewProject;
use crate::service::db::project_status::{self, FiledSignal, ProjectStatus, WORK_TIME};

/// How many of its newest rows describe a project.
const MAX_MERGED_ROWS: usize = 16;

/// The project described by these signals, its newest, newest first.
pub fn merge_project(
    columns: &PermitColumns<'_>,
    id: ProjectId,
    past: &[PastSignal],
) -> NewProject {
    let layout = columns.layout;
    let mut order: Vec<&PastSignal> = past.iter().collect();
    order.sort_by_key(|signal| std::cmp::Reverse(signal.filed.order()));
    let filed: Vec<&FiledSignal> = order.iter().rev().map(|signal| &signal.filed).collect();
    let ProjectStatus {
        stage,
        disposition,
        ended,
    } = project_status::derive_status(&filed);
    // A permit that ended says little about the others.
    order.sort_by_key(|signal| ended.contains(&signal.filed.row));
    // The signals of a permit share a row: read it once.
    let mut payloads: Vec<&str> = Vec::with_capacity(MAX_MERGED_ROWS);
    let mut now = 0;
    for signal in &order {
        if payloads.len() < MAX_MERGED_ROWS && !payloads.contains(&signal.raw_data.as_str()) {
            payloads.push(&signal.raw_data);
            let age = order[0].filed.filed_at - signal.filed.filed_at;
            now += usize::from(!ended.contains(&signal.filed.row) && age <= WORK_TIME);
        }
    }
    let rows: Vec<StoredRow<'_>> = payloads.into_iter().map(StoredRow::from_payload).collect();
    let cost = |row| reported_cost(columns, row);
    // the largest permit of a piece of work has its cost
    let largest = rows[..now]
        .iter()
        .filter_map(cost)
        .max_by(|one, other| one.total_cmp(other));
    let text = |wanted: &[columns::PermitColumn]| {
        rows.iter()
            .find_map(|row| columns::first_filled(wanted, row))
    };
    let address = rows
        .iter()
        .map(|row| columns::address_text(columns, row))
        .find(|a| !a.is_empty());
    let name = text(&columns.name)
        .map(|name| values::clean_text(name, layout.title_case))
        .or_else(|| address.clone());
    let primary_use = text(&columns.use_).and_then(|word| {
        let uses = &layout.project.uses;
        uses.get(&word.to_lowercase())
            .or_else(|| uses.get("*"))
            .cloned()
    });
    let decimal = layout.decimal.unwrap_or_default();
    let (city, state) = rows.first().map_or_else(
        || (layout.city.clone(), layout.state.clone()),
        |row| columns.city_and_state(row),
    );
    NewProject {
        id,
        name: name.unwrap_or_else(|| format!("{city}, {state}")),
        primary_address: address,
        city: Some(city).filter(|city| !city.is_empty()),
        state: Some(state).filter(|state| !state.is_empty()),
        neighborhood: rows
            .iter()
            .map(|row| columns::PermitRow::get(row, &columns.neighborhood))
            .find(|n| !n.is_empty())
            .map(str::to_owned),
        uses: primary_use.clone().into_iter().collect(),
        primary_use,
        stage: Some(stage.to_owned()),
        disposition: Some(disposition.to_owned()),
        gross_floor_area_sf: rows
            .iter()
            .find_map(|row| columns::floor_area(columns, row)),
        residential_units: rows.iter().find_map(|row| {
            columns::first_filled(&columns.units, row)
                .and_then(|units| values::parse_count(units, decimal))
        }),
        cost_of_construction_usd: largest.or_else(|| rows.iter().find_map(cost)),
        stories: rows.iter().find_map(|row| {
            columns::first_filled(&columns.stories, row)
                .and_then(|stories| values::parse_count(stories, decimal))
        }),
        location: rows.iter().find_map(|row| location(columns, row)),
        created_at: past
            .iter()
            .map(|signal| signal.filed.filed_at)
            .min()
            .unwrap_or(DateTime::<Utc>::UNIX_EPOCH),
        ..NewProject::default()
    }
}

/// The cost reported in a row, unless it is a placeholder.
pub fn reported_cost(columns: &PermitColumns<'_>, row: &impl columns::PermitRow) -> Option<f64> {
    let mut costs = columns
        .cost
        .iter()
        .filter_map(|column| columns::read_figure(columns.layout, column, row.get(column)));
    costs.find(|cost| *cost >= columns.layout.project.cost_at_least && *cost > 0.0)
}

/// The place of a row in degrees.
pub fn location(columns: &PermitColumns<'_>, row: &impl columns::PermitRow) -> Option<(f64, f64)> {
    values::parse_point(row.get(&columns.point)).or_else(|| {
        let (lat, lng) = (
            values::parse_coordinate(row.get(&columns.latitude))?,
            values::parse_coordinate(row.get(&columns.longitude))?,
        );
        values::valid_point(lat, lng)
    })
}
