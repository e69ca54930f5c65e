//! A map: marks at their places over outlines, names of clusters, and a scale bar.
//!
//! Each mark is four dots of a braille cell, so that a cell has room for two side by side and four
//! rows of dots; in ASCII a character shows how many share a cell. The map shows the given places
//! as large as they fit, north up.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::outlines::{clip_segment, outlines};
use super::{TextRole, Theme, paint, text_span};
use crate::text;

/// Kilometers per degree of latitude.
const KM_PER_DEGREE: f64 = 111.32;
const KM_PER_MILE: f64 = 1.609_344;
const FEET_PER_MILE: f64 = 5_280.0;
/// Outlines are drawn from this width on, in degrees: closer up they would be too coarse.
const MIN_OUTLINE_SPAN_DEGREES: f64 = 4.0;
/// The smallest extent shown, in degrees: a single mark should not fill the whole map.
const MIN_SPAN_DEGREES: f64 = 0.02;
const MAX_CLUSTER_NAMES: usize = 12;

/// A place, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoPoint {
    /// North of the equator.
    pub lat: f64,
    /// East of Greenwich.
    pub lng: f64,
}

/// The unit of the scale bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceUnit {
    #[default]
    Miles,
    Kilometers,
}

#[derive(Clone, Copy, Debug)]
pub struct MapMarker<'a> {
    pub point: GeoPoint,
    /// The name of its cluster; empty for none.
    pub cluster: &'a str,
    pub is_marked: bool,
}

/// Converts degrees to cells: a window whose dots are as wide as they are high.
#[derive(Clone, Copy, Debug)]
struct MapViewport {
    west: f64,
    north: f64,
    /// How much shorter a degree of longitude is here.
    longitude_scale: f64,
    dots_per_degree: f64,
    area: Rect,
}

impl MapViewport {
    /// The window that contains these places, with a margin.
    fn fit_points(places: impl Iterator<Item = GeoPoint>, area: Rect) -> Option<MapViewport> {
        let (mut least, mut most) = (
            GeoPoint {
                lat: f64::MAX,
                lng: f64::MAX,
            },
            GeoPoint {
                lat: f64::MIN,
                lng: f64::MIN,
            },
        );
        for place in places {
            least = GeoPoint {
                lat: least.lat.min(place.lat),
                lng: least.lng.min(place.lng),
            };
            most = GeoPoint {
                lat: most.lat.max(place.lat),
                lng: most.lng.max(place.lng),
            };
        }
        if least.lat > most.lat || area.is_empty() {
            return None;
        }
        let middle = GeoPoint {
            lat: f64::midpoint(least.lat, most.lat),
            lng: f64::midpoint(least.lng, most.lng),
        };
        let narrow = middle.lat.to_radians().cos().max(0.05);
        let (wide, high) = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
        let across = ((most.lng - least.lng) * narrow).max(MIN_SPAN_DEGREES) * 1.16;
        let up = (most.lat - least.lat).max(MIN_SPAN_DEGREES) * 1.16;
        let scale = (wide / across).min(high / up);
        Some(MapViewport {
            west: middle.lng - wide / scale / narrow / 2.0,
            north: middle.lat + high / scale / 2.0,
            longitude_scale: narrow,
            dots_per_degree: scale,
            area,
        })
    }

    /// The dot of a place, from the upper left; `None` outside the window.
    fn project(&self, place: GeoPoint) -> Option<(u16, u16)> {
        let (x, y) = self.dots(place);
        let (x, y) = (x.floor(), y.floor());
        let inside = x >= 0.0
            && y >= 0.0
            && x < f64::from(self.area.width) * 2.0
            && y < f64::from(self.area.height) * 4.0;
        inside.then_some((x as u16, y as u16))
    }

    /// A place in dots from the upper left, inside the window or not.
    fn dots(&self, place: GeoPoint) -> (f64, f64) {
        (
            (place.lng - self.west) * self.longitude_scale * self.dots_per_degree,
            (self.north - place.lat) * self.dots_per_degree,
        )
    }

    /// Visits the dots of the outlines inside the window.
    fn visit_outlines(&self, mut visit: impl FnMut(u16, u16)) {
        let (wide, high) = (
            f64::from(self.area.width) * 2.0,
            f64::from(self.area.height) * 4.0,
        );
        if wide / self.dots_per_degree / self.longitude_scale < MIN_OUTLINE_SPAN_DEGREES {
            return;
        }
        for line in outlines() {
            for pair in line.windows(2) {
                let Some((from, to)) =
                    clip_segment(self.dots(pair[0]), self.dots(pair[1]), (wide, high))
                else {
                    continue;
                };
                let steps = (to.0 - from.0)
                    .abs()
                    .max((to.1 - from.1).abs())
                    .ceil()
                    .max(1.0);
                for step in 0..=steps as u32 {
                    let part = f64::from(step) / steps;
                    let (x, y) = (
                        from.0 + (to.0 - from.0) * part,
                        from.1 + (to.1 - from.1) * part,
                    );
                    if x >= 0.0 && y >= 0.0 && x < wide && y < high {
                        visit(x as u16, y as u16);
                    }
                }
            }
        }
    }

    fn km_per_cell(&self) -> f64 {
        2.0 / self.dots_per_degree * KM_PER_DEGREE
    }
}

#[derive(Clone, Copy, Default)]
struct MapCell {
    /// The dots of outlines.
    outline: u8,
    dots: u8,
    count: u16,
    is_marked: bool,
    is_occupied: bool,
}

/// The bit of each dot in a braille cell, by row and column.
const BRAILLE_DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// Draws marks as large as they fit, or as large as the marked ones among them do; `here` is one of
/// them, with its name. Returns how many are on the map.
pub fn draw_map(
    buf: &mut Buffer,
    area: Rect,
    marks: &[MapMarker<'_>],
    here: Option<(GeoPoint, &str)>,
    unit: DistanceUnit,
    theme: &Theme,
) -> usize {
    let area = area.intersection(buf.area);
    let only_marked = marks.iter().any(|mark| mark.is_marked);
    let shown = marks
        .iter()
        .filter(|mark| mark.is_marked || !only_marked)
        .map(|mark| mark.point);
    let Some(window) = MapViewport::fit_points(shown.chain(here.map(|(place, _)| place)), area)
    else {
        return 0;
    };
    let mut cells = vec![MapCell::default(); usize::from(area.width) * usize::from(area.height)];
    let at = |x: u16, y: u16| usize::from(y) * usize::from(area.width) + usize::from(x);
    window.visit_outlines(|x, y| {
        cells[at(x / 2, y / 4)].outline |= BRAILLE_DOTS[usize::from(y % 4)][usize::from(x % 2)]
    });
    let mut clusters: BTreeMap<&str, (usize, u64, u64)> = BTreeMap::new();
    let mut count = 0;
    for mark in marks {
        let Some((x, y)) = window.project(mark.point) else {
            continue;
        };
        count += 1;
        let cell = &mut cells[at(x / 2, y / 4)];
        cell.count = cell.count.saturating_add(1);
        cell.is_marked |= mark.is_marked;
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (x, y) = (x + dx, y + dy);
            if x < area.width * 2 && y < area.height * 4 {
                let cell = &mut cells[at(x / 2, y / 4)];
                cell.dots |= BRAILLE_DOTS[usize::from(y % 4)][usize::from(x % 2)];
            }
        }
        let cluster = clusters.entry(mark.cluster).or_default();
        *cluster = (
            cluster.0 + 1,
            cluster.1 + u64::from(x / 2),
            cluster.2 + u64::from(y / 4),
        );
    }
    for y in 0..area.height {
        for x in 0..area.width {
            let cell = &mut cells[at(x, y)];
            cell.is_occupied = if theme.ascii {
                cell.count > 0
            } else {
                cell.dots > 0
            };
            if cell.is_occupied {
                let symbol = match (theme.ascii, cell.count) {
                    (false, _) => char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(' '),
                    (true, _) if cell.is_marked => '*',
                    (true, 1) => '.',
                    (true, 2..=4) => 'o',
                    (true, _) => 'O',
                };
                let role = if cell.is_marked {
                    TextRole::Marked
                } else {
                    TextRole::Low
                };
                buf[(area.x + x, area.y + y)]
                    .set_char(symbol)
                    .set_style(theme.style(role));
            } else if cell.outline > 0 {
                let symbol = if theme.ascii {
                    ':'
                } else {
                    char::from_u32(0x2800 + u32::from(cell.outline)).unwrap_or(' ')
                };
                buf[(area.x + x, area.y + y)]
                    .set_char(symbol)
                    .set_style(theme.style(TextRole::Faint));
            }
        }
    }
    let mut put = |x: i32, y: i32, label: &str, role: TextRole| {
        let width = i32::try_from(text::display_width(label)).unwrap_or(i32::MAX);
        let fits = x >= 0
            && y >= 0
            && x.saturating_add(width) <= i32::from(area.width)
            && y < i32::from(area.height);
        let (Ok(x), Ok(y), Ok(width), true) = (
            u16::try_from(x),
            u16::try_from(y),
            u16::try_from(width),
            fits,
        ) else {
            return false;
        };
        let room = at(x, y)..at(x, y) + usize::from(width);
        if cells[room.clone()].iter().any(|cell| cell.is_occupied) {
            return false;
        }
        cells[room]
            .iter_mut()
            .for_each(|cell| cell.is_occupied = true);
        paint::draw_line(
            buf,
            Rect {
                x: area.x + x,
                y: area.y + y,
                width,
                height: 1,
            },
            &[text_span(role, label)],
            theme,
        );
        true
    };
    if let Some((place, name)) = here
        && let Some((x, y)) = window.project(place)
    {
        let (x, y) = (i32::from(x / 2), i32::from(y / 4));
        let name = text::sanitize_line(name);
        let label = text::truncate(&name, usize::from(area.width / 2), theme.glyphs().ellipsis)
            .into_owned();
        let width = i32::try_from(text::display_width(&label)).unwrap_or(0);
        let _ = put(x + 2, y, &label, TextRole::Strong)
            || put(x - width - 1, y, &label, TextRole::Strong)
            || put(
                (x - width / 2).clamp(0, (i32::from(area.width) - width).max(0)),
                y - 1,
                &label,
                TextRole::Strong,
            )
            || put(
                (x - width / 2).clamp(0, (i32::from(area.width) - width).max(0)),
                y + 1,
                &label,
                TextRole::Strong,
            );
    }
    draw_scale_bar(&window, unit, theme, &mut put);
    let mut named: Vec<_> = clusters
        .into_iter()
        .filter(|(name, _)| !name.trim().is_empty())
        .collect();
    named.sort_by_key(|(name, (count, ..))| (std::cmp::Reverse(*count), *name));
    for (name, (count, x, y)) in named.into_iter().take(MAX_CLUSTER_NAMES) {
        let middle = |sum: u64| i32::try_from(sum / count as u64).unwrap_or(0);
        let label = if count > 1 {
            format!("{} {count}", text::sanitize_line(name))
        } else {
            text::sanitize_line(name).into_owned()
        };
        let width = i32::try_from(text::display_width(&label)).unwrap_or(0);
        let (x, y) = (middle(x), middle(y));
        let places = [
            (x + 2, y),
            (x - width - 1, y),
            (x - width / 2, y + 1),
            (x - width / 2, y - 1),
            (x + 3, y + 1),
            (x + 3, y - 1),
        ];
        let _ = places
            .into_iter()
            .any(|(x, y)| put(x, y, &label, TextRole::Muted));
    }
    if let Some((x, y)) = here.and_then(|(place, _)| window.project(place)) {
        let symbol = if theme.ascii { '@' } else { '◆' };
        buf[(area.x + x / 2, area.y + y / 4)]
            .set_char(symbol)
            .set_style(theme.style(TextRole::High));
    }
    count
}

/// A round number of miles or kilometers, at the lower left.
fn draw_scale_bar(
    window: &MapViewport,
    unit: DistanceUnit,
    theme: &Theme,
    put: &mut impl FnMut(i32, i32, &str, TextRole) -> bool,
) {
    let most = f64::from(window.area.width) / 4.0;
    // Short distances have a unit of their own.
    let (km_per_unit, name, short_per_unit, short_name) = match unit {
        DistanceUnit::Miles => (KM_PER_MILE, "mi", FEET_PER_MILE, "ft"),
        DistanceUnit::Kilometers => (1.0, "km", 1_000.0, "m"),
    };
    let digits = |power: i32| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power));
    let short = (1..4)
        .flat_map(digits)
        .filter(|length| *length < short_per_unit);
    let short = short.map(|length| {
        (
            length / short_per_unit * km_per_unit,
            format!("{length} {short_name}"),
        )
    });
    let long = (0..5)
        .flat_map(digits)
        .map(|length| (length * km_per_unit, format!("{length} {name}")));
    let Some((km, length)) = short
        .chain(long)
        .rfind(|(km, _)| km / window.km_per_cell() <= most)
    else {
        return;
    };
    let cells = (km / window.km_per_cell()).round().max(2.0) as usize;
    let stroke = if theme.ascii { "-" } else { "─" };
    let (left, right) = if theme.ascii {
        ("|", "|")
    } else {
        ("├", "┤")
    };
    let label = format!(
        "{left}{}{right} {length}",
        stroke.repeat(cells.saturating_sub(2))
    );
    put(
        0,
        i32::from(window.area.height) - 1,
        &label,
        TextRole::Faint,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn test_marker(lat: f64, lng: f64, cluster: &str) -> MapMarker<'_> {
        MapMarker {
            point: GeoPoint { lat, lng },
            cluster,
            is_marked: false,
        }
    }

    fn draw_to_string(
        marks: &[MapMarker<'_>],
        here: Option<(GeoPoint, &str)>,
        ascii: bool,
        width: u16,
        height: u16,
    ) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        draw_map(
            &mut buf,
            area,
            marks,
            here,
            DistanceUnit::Miles,
            &Theme {
                ascii,
                ..Theme::default()
            },
        );
        let rows = buf.content().chunks(usize::from(width.max(1)));
        rows.map(|row| {
            row.iter()
                .map(|cell| cell.symbol())
                .collect::<String>()
                .trim_end()
                .to_owned()
                + "\n"
        })
        .collect()
    }

    #[test]
    fn north_is_up_east_is_right_and_clusters_are_named() {
        let marks = [
            test_marker(30.3, -97.7, "Austin"),
            test_marker(30.2, -97.8, "Austin"),
            test_marker(32.8, -96.8, "Dallas"),
            test_marker(29.8, -95.4, "Houston"),
        ];
        let map = draw_to_string(
            &marks,
            Some((marks[3].point, "Juniper Capital")),
            true,
            50,
            16,
        );
        let at = |what: &str| {
            let (y, line) = map
                .lines()
                .enumerate()
                .find(|(_, line)| line.contains(what))
                .unwrap_or_else(|| panic!("no {what}:\n{map}"));
            (line.find(what).unwrap(), y)
        };
        assert!(at("Dallas").1 < at("Austin 2").1, "{map}");
        assert!(
            at("Austin 2").0 < at("@").0 && at("Juniper Capital").1.abs_diff(at("@").1) <= 1,
            "{map}"
        );
        assert!(map.contains("| 50 mi"), "{map}");
        assert!(map.contains(':'), "the coast of Texas: {map}");
    }

    #[test]
    fn a_single_marker_is_centered_with_a_scale_bar() {
        let map = draw_to_string(&[test_marker(30.0, -97.0, "")], None, false, 21, 9);
        assert!(
            map.lines()
                .nth(4)
                .is_some_and(|line| (10..=13).contains(&line.chars().count())),
            "{map}"
        );
        assert!(map.contains("2000 ft"), "{map}");
    }

    #[test]
    fn the_map_zooms_to_the_marked_points() {
        let marks = [
            test_marker(30.0, -97.0, "Austin"),
            MapMarker {
                is_marked: true,
                ..test_marker(40.0, -74.0, "New York")
            },
        ];
        let map = draw_to_string(&marks, None, true, 40, 10);
        assert!(
            map.contains("New York") && !map.contains("Austin") && map.contains('*'),
            "{map}"
        );
    }

    proptest! {
        #[test]
        fn any_points_draw_at_any_size(
            places in proptest::collection::vec((-90f64..90.0, -180f64..180.0, any::<bool>()), 0..30),
            width in 0u16..60, height in 0u16..30, ascii in any::<bool>(),
        ) {
            let marks: Vec<MapMarker<'_>> = places.iter().map(|(lat, lng, marked)| MapMarker { is_marked: *marked, ..test_marker(*lat, *lng, "東京 \u{1b}[2J") }).collect();
            let here = marks.first().map(|mark| (mark.point, "here"));
            let map = draw_to_string(&marks, here, ascii, width, height);
            prop_assert!(!map.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}
