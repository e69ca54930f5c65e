//! The map beside a list: where its records are, as far as known. It requests nothing.
//!
//! Index rows of projects have a location, those of firms their headquarters; otherwise a record's page may have one, once it was
//! paid for. The map zooms to the marks, or else to all loaded rows.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::Deserialize;
use uuid::Uuid;

use super::RecordList;
use crate::app::command::Availability;
use crate::app::effect::ListId;
use crate::app::format::{format_count, pluralize};
use crate::app::model::records::{FetchedRecords, record_name};
use crate::app::{Context, Effect};
use crate::domain::book::Dataset;
use crate::domain::lenient;
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::ui::map::{self, GeoPoint, MapMarker};
use crate::ui::{TextRole, area, paint, panel, text_span};

/// The preference key.
const PREFERENCE_KEY: &str = "map";

/// The locations of the loaded rows: parsed once per row, and again only when rows or pages were added.
#[derive(Clone, Debug, Default)]
pub struct RecordLocations {
    by_id: HashMap<Uuid, (GeoPoint, String)>,
    scanned: ScannedRows,
}

/// What was scanned: the number of rows, the last of them, when they were read, and the number of pages.
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

/// The location and city of a record. Points that are not on Earth count as unknown, and so does 0°, 0°, which sources use for an
/// unknown place.
fn parse_location(record: &Record) -> Option<(GeoPoint, String)> {
    let located: LocationFields = serde_json::from_str(record.json()).ok()?;
    let (lat, lng) = located.lat.zip(located.lng).or(located.hq_location.map(|point| (point.lat, point.lng)))?;
    let is_on_earth = lat.abs() <= 90.0 && lng.abs() <= 180.0 && (lat, lng) != (0.0, 0.0);
    is_on_earth.then(|| (GeoPoint { lat, lng }, located.city.unwrap_or_default()))
}

impl RecordLocations {
    /// Scans the rows and pages added since the last scan.
    fn scan<'a>(
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
        let is_longer = read_at == read_before && before.checked_sub(1).and_then(|at| rows.get(at)).map(|row| row.id) == last;
        for record in rows.iter().skip(if is_longer { before } else { 0 }).chain(paid) {
            if let Some(place) = parse_location(record) {
                self.by_id.insert(record.id, place);
            }
        }
        self.scanned = looked;
    }
}

impl RecordList {
    /// Finds the locations of its rows, in the rows themselves and in pages that were paid for.
    pub fn locate_records(&mut self, pages: &FetchedRecords) {
        let dataset = self.source.dataset();
        self.locations.scan(&self.rows, self.read_at, pages.count(), pages.of_dataset(&dataset));
    }
}

/// Whether records of this kind have a location.
fn has_location(dataset: &Dataset) -> bool {
    matches!(dataset, Dataset::Accounts | Dataset::Projects)
}

/// Whether there is a list here whose records have a location.
pub fn can_map(app: &Context) -> Availability {
    match app.displayed_list().map(|list| list.source.dataset()) {
        Some(dataset) if has_location(&dataset) => Ok(()),
        Some(dataset) => Err(format!("{dataset} have no location; their projects and firms do").into()),
        None => Err("there is no list here".into()),
    }
}

impl Context {
    pub fn toggle_map(&mut self) {
        let on = self.settings.preferences.remove(PREFERENCE_KEY).is_none();
        if on {
            self.settings.preferences.insert(PREFERENCE_KEY.to_owned(), "on".to_owned());
        }
        self.effects.push(Effect::SavePreference(PREFERENCE_KEY.to_owned(), if on { "on" } else { "" }.to_owned()));
    }

    /// Splits an area into that of a list and that of its map: beside it, or below on a narrow screen. The map's is empty when it
    /// is off or too small.
    pub(in crate::app) fn split_for_map(&self, shown: &ListId, area: Rect) -> (Rect, Rect) {
        if !self.settings.preferences.contains_key(PREFERENCE_KEY) {
            return (area, Rect::default());
        }
        if !self.record_lists.get(shown).is_some_and(|list| has_location(&list.source.dataset())) {
            return (area, Rect::default());
        }
        if area.width >= 96 {
            area::split_columns(area, 55)
        } else if area.height >= 14 {
            area::split_rows(area, area.height * 45 / 100)
        } else {
            (area, Rect::default())
        }
    }
}

pub fn draw(app: &Context, list: &RecordList, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let rows = || list.rows().iter().filter_map(|row| Some((row, list.locations.by_id.get(&row.id)?)));
    let marks: Vec<MapMarker<'_>> = rows()
        .map(|(row, (place, city))| MapMarker { point: *place, cluster: city, is_marked: list.marks.contains(&row.id) })
        .collect();
    let note = [text_span(TextRole::Muted, format!("{} of {}", format_count(marks.len() as u64), pluralize(list.len(), "row")))];
    let inner = panel::draw_panel(buf, area, &[text_span(TextRole::Strong, "Map")], &note, false, &theme);
    if list.is_empty() {
        return;
    }
    if marks.is_empty() {
        return app.draw_message(buf, inner, &[text_span(TextRole::Text, "no row has a location")], &[map_hint(list)]);
    }
    let current = list.current_record().map(|row| (list.locations.by_id.get(&row.id), record_name(&row.fields())));
    let here = current.as_ref().and_then(|(place, name)| Some((place.as_ref()?.0, name.as_str())));
    let foot = u16::from(marks.len() < list.len() && inner.height >= 5);
    let ground = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: inner.height - foot, ..inner };
    map::draw_map(buf, ground, &marks, here, &theme);
    if foot > 0 {
        let row = paint::row_rect(inner, inner.height - 1);
        let row = area::inset_sides(row, 1);
        paint::draw_line(buf, row, &[text_span(TextRole::Muted, app.keymap.expand_keys(map_hint(list)))], &theme);
    }
}

/// Where locations of the other rows can be found, with `{ids}` for keys.
fn map_hint(list: &RecordList) -> &'static str {
    match (&list.source, list.source.dataset()) {
        (RecordSource::Index(_), _) => "the rest have no location",
        (_, Dataset::Accounts) => "a firm's page ({records.open}, 1 cr) has its location",
        _ => "book rows have no location; index rows do",
    }
}
