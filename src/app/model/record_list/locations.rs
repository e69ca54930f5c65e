//! Where the records of a list are, as far as its rows and the records that were paid for show.
//!
//! Index rows of projects have a location, those of firms their headquarters; other rows of projects
//! a city, whose place is known if it is large. Otherwise a record's page may have one, once it was
//! paid for.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use crate::domain::cities::locate_city;
use crate::domain::lenient;
use crate::domain::records::Record;
use crate::ui::map::GeoPoint;

/// The locations of the loaded rows: parsed once per row, and again only when rows or pages were
/// added.
#[derive(Clone, Debug, Default)]
pub struct RecordLocations {
    by_id: HashMap<Uuid, (GeoPoint, String)>,
    scanned: ScannedRows,
}

/// What was scanned: the number of rows, the last of them, when they were read, and the number of
/// pages.
type ScannedRows = (usize, Option<Uuid>, Option<DateTime<Utc>>, usize);

/// The location fields of a record.
#[derive(Deserialize)]
struct LocationFields {
    #[serde(default, deserialize_with = "lenient::option")]
    lat: Option<f64>,
    #[serde(default, deserialize_with = "lenient::option")]
    lng: Option<f64>,
    #[serde(default, deserialize_with = "lenient::option")]
    hq_location: Option<LatLng>,
    #[serde(default, deserialize_with = "lenient::option")]
    city: Option<String>,
}

#[derive(Deserialize)]
struct LatLng {
    lat: f64,
    lng: f64,
}

/// The location and city of a record: of a row without one, that of its city. Points that are not on Earth count as unknown, and so does
/// 0°, 0°, which sources use for an unknown place.
pub fn parse_location(record: &Record) -> Option<(GeoPoint, String)> {
    let located: LocationFields = serde_json::from_str(record.json()).ok()?;
    let (lat, lng) = located
        .lat
        .zip(located.lng)
        .or(located.hq_location.map(|point| (point.lat, point.lng)))
        .or_else(|| locate_city(located.city.as_deref()?))?;
    let is_on_earth = lat.abs() <= 90.0 && lng.abs() <= 180.0 && (lat, lng) != (0.0, 0.0);
    is_on_earth.then(|| (GeoPoint { lat, lng }, located.city.unwrap_or_default()))
}

impl RecordLocations {
    pub(super) fn get(&self, id: Uuid) -> Option<&(GeoPoint, String)> {
        self.by_id.get(&id)
    }

    /// Scans the rows and pages added since the last scan.
    pub(super) fn scan<'a>(
        &mut self,
        rows: &'a [Record],
        read_at: Option<DateTime<Utc>>,
        pages: usize,
        paid: impl Iterator<Item = &'a Record>,
    ) {
        let looked = (rows.len(), rows.last().map(|row| row.id), read_at, pages);
        if self.scanned == looked {
            return;
        }
        let (before, last, read_before, _) = self.scanned;
        let is_longer = read_at == read_before
            && before
                .checked_sub(1)
                .and_then(|at| rows.get(at))
                .map(|row| row.id)
                == last;
        for record in rows
            .iter()
            .skip(if is_longer { before } else { 0 })
            .chain(paid)
        {
            if let Some(place) = parse_location(record) {
                self.by_id.insert(record.id, place);
            }
        }
        self.scanned = looked;
    }
}
