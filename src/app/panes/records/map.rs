//! The map beside a list: where its records are, as far as known. It requests nothing.
//!
//! The map zooms to the marks, or else to all loaded rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::command::Availability;
use crate::app::context::record_lists;
use crate::app::format::{format_count, pluralize};
use crate::app::model::record_list::RecordList;
use crate::app::model::records::record_name;
use crate::ui::map::{self, MapMarker};
use crate::ui::{TextRole, area, paint, panel, text_span};

/// Whether there is a list here whose records have a location.
pub fn can_map(cx: &Context) -> Availability {
    match cx.displayed_list() {
        Some(list) if list.has_locations() => Ok(()),
        Some(list) => Err(format!(
            "{} have no location; their projects and firms do",
            list.source.dataset()
        )
        .into()),
        None => Err("there is no list here".into()),
    }
}

pub fn draw(cx: &Context, list: &RecordList, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let rows = || {
        list.rows()
            .iter()
            .filter_map(|row| Some((row, list.location(row.id)?)))
    };
    let marks: Vec<MapMarker<'_>> = rows()
        .map(|(row, (place, city))| MapMarker {
            point: *place,
            cluster: city,
            is_marked: list.marks.contains(&row.id),
        })
        .collect();
    let note = [text_span(
        TextRole::Muted,
        format!(
            "{} of {}",
            format_count(marks.len() as u64),
            pluralize(list.len(), "row")
        ),
    )];
    let inner = panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Map")],
        &note,
        false,
        &theme,
    );
    let current = list
        .current_record()
        .map(|row| (list.location(row.id), record_name(&row.fields())));
    let here = current
        .as_ref()
        .and_then(|(place, name)| Some((place.as_ref()?.0, name.as_str())));
    let foot = u16::from(marks.len() < list.len() && inner.height >= 5);
    let ground = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        height: inner.height - foot,
        ..inner
    };
    map::draw_map(
        buf,
        ground,
        &marks,
        here,
        record_lists::distance_unit(&cx.settings),
        &theme,
    );
    if foot > 0 {
        let row = paint::row_rect(inner, inner.height - 1);
        let row = area::inset_sides(row, 1);
        paint::draw_line(
            buf,
            row,
            &[text_span(
                TextRole::Muted,
                cx.keymap
                    .expand_keys(&map_hint(list, list.len() - marks.len())),
            )],
            &theme,
        );
    }
}

/// How many rows have no location, and where it can be found, with `{ids}` for keys.
fn map_hint(list: &RecordList, missing: usize) -> String {
    let verb = if missing == 1 { "has" } else { "have" };
    let rows = format!("{} {verb} no location", pluralize(missing, "row"));
    match list.describe_place_source() {
        Some(source) => format!("{rows}; {source}"),
        None => rows,
    }
}
