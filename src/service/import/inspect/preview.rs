//! The first rows of a table as the projects and signals that they would become.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::TableSample;
use crate::service::import::columns::{self, CsvRow, PermitColumns, PermitRow as _};
use crate::service::import::layout::PermitLayout;
use crate::service::import::{list_cell, merge, permit_signals};

/// A row, imported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreviewRow {
    pub permit: String,
    pub address: String,
    pub city: String,
    pub cost: Option<f64>,
    /// Types of signals with their days.
    pub signals: Vec<(String, String)>,
    pub firms: Vec<String>,
}

/// The first rows that become signals, and how many of all do not.
pub fn preview_rows(
    layout: &PermitLayout,
    sample: &TableSample,
    count: usize,
    now: DateTime<Utc>,
) -> (Vec<PreviewRow>, usize) {
    let header: csv::StringRecord = sample.header.iter().collect();
    let Ok(found) = PermitColumns::find(layout, &header) else {
        return (Vec::new(), sample.rows.len());
    };
    let rows: Vec<PreviewRow> = sample
        .rows
        .iter()
        .filter_map(|row| preview_row(&found, now, &CsvRow(row)))
        .collect();
    let rejected = sample.rows.len() - rows.len();
    (rows.into_iter().take(count).collect(), rejected)
}

fn preview_row(
    found: &PermitColumns<'_>,
    now: DateTime<Utc>,
    row: &CsvRow<'_>,
) -> Option<PreviewRow> {
    let permit = Some(row.get(&found.permit)).filter(|number| !number.is_empty())?;
    columns::place_key(found, row)?;
    let signals: Vec<(String, String)> = permit_signals::permit_signals(found, now, row)
        .signals
        .into_iter()
        .map(|(signal_type, day)| {
            (
                signal_type.as_str().to_owned(),
                day.format("%Y-%m-%d").to_string(),
            )
        })
        .collect();
    let (city, _) = found.city_and_state(row);
    let firms = found
        .firms
        .iter()
        .flat_map(|firm| list_cell::names_in(row.get(&firm.name)))
        .map(|listed| listed.name)
        .filter(|name| !name.is_empty());
    (!signals.is_empty()).then(|| PreviewRow {
        permit: permit.to_owned(),
        address: columns::address_text(found, row),
        city,
        cost: merge::reported_cost(found, row),
        signals,
        firms: firms.collect(),
    })
}
