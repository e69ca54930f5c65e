//! Draws the new signals by city, as far as their cities and where those are is known.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::context::record_lists;
use crate::app::format::{format_count, pluralize};
use crate::app::panes::watch::painting::area_below;
use crate::app::panes::watch::state::WatchPane;
use crate::domain::cities::locate_city;
use crate::ui::map::{self, GeoPoint, MapMarker};
use crate::ui::{TextRole, draw_line, paint, text_span};

/// The others are marked only.
const MAX_NAMED_CITIES: usize = 12;

/// The number of new signals in each city whose place is known.
fn located_cities(pane: &WatchPane, cx: &Context) -> Vec<(String, GeoPoint, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let new = pane.data.new.iter();
    for city in new.filter_map(|row| cx.queue.facts.city(&row.signal)) {
        *counts.entry(city).or_default() += 1;
    }
    let located = counts.into_iter().filter_map(|(city, count)| {
        let (lat, lng) = locate_city(city)?;
        Some((city.to_owned(), GeoPoint { lat, lng }, count))
    });
    located.collect()
}

/// Whether a map would show more than one place.
pub fn has_map(pane: &WatchPane, cx: &Context) -> bool {
    located_cities(pane, cx).len() > 1
}

pub fn draw(pane: &WatchPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let mut cities = located_cities(pane, cx);
    let located: u64 = cities.iter().map(|(.., count)| count).sum();
    let total = pane.data.new.len() as u64;
    draw_line(
        buf,
        area,
        &[text_span(TextRole::Muted, "NEW BY CITY")],
        &theme,
    );
    if located < total {
        let note = format!(
            "{} of {}",
            format_count(located),
            pluralize(total, "signal")
        );
        paint::draw_line_right(buf, area, &[text_span(TextRole::Muted, note)], &theme);
    }
    cities.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    let labels = cities.iter().enumerate().map(|(place, (city, _, count))| {
        if place < MAX_NAMED_CITIES {
            format!("{city} {}", format_count(*count))
        } else {
            String::new()
        }
    });
    let labels: Vec<String> = labels.collect();
    let marked = cities.iter().zip(&labels);
    let markers: Vec<MapMarker<'_>> = marked
        .map(|((_, point, _), label)| MapMarker {
            point: *point,
            cluster: label,
            is_marked: false,
        })
        .collect();
    map::draw_map(
        buf,
        area_below(area, 1),
        &markers,
        None,
        record_lists::distance_unit(&cx.settings),
        &theme,
    );
}
