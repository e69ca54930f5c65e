//! A map without a ground: marks where they are, their clusters by name, and how long a stretch of it is.
//!
//! Each mark is four dots of a braille cell, so that a cell holds two of them side by side and four rows of dots; in ASCII a character
//! says how many share a cell. The map shows the places that it is told to, as large as they fit, north up.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Role, Theme, paint, piece};
use crate::text;

/// Kilometres of a degree of latitude.
const DEGREE: f64 = 111.32;
/// The least stretch that is shown, in degrees: one mark alone is not the whole of a map.
const LEAST: f64 = 0.02;
/// Names of clusters that are put on the map at most.
const NAMES: usize = 12;

/// Where something is, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// North of the equator.
    pub lat: f64,
    /// East of Greenwich.
    pub lng: f64,
}

/// Something on the map.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a> {
    /// Where.
    pub place: Place,
    /// What it belongs to, by name; empty for nothing.
    pub cluster: &'a str,
    /// It is marked.
    pub marked: bool,
}

/// Degrees to cells: a window whose dots are as wide as they are high.
#[derive(Clone, Copy, Debug)]
struct Window {
    west: f64,
    north: f64,
    /// How much shorter a degree of longitude is here.
    narrow: f64,
    /// Dots of a degree of latitude.
    scale: f64,
    area: Rect,
}

impl Window {
    /// The window that holds these places with a margin.
    fn around(places: impl Iterator<Item = Place>, area: Rect) -> Option<Window> {
        let (mut least, mut most) = (Place { lat: f64::MAX, lng: f64::MAX }, Place { lat: f64::MIN, lng: f64::MIN });
        for place in places {
            least = Place { lat: least.lat.min(place.lat), lng: least.lng.min(place.lng) };
            most = Place { lat: most.lat.max(place.lat), lng: most.lng.max(place.lng) };
        }
        if least.lat > most.lat || area.is_empty() {
            return None;
        }
        let middle = Place { lat: f64::midpoint(least.lat, most.lat), lng: f64::midpoint(least.lng, most.lng) };
        let narrow = middle.lat.to_radians().cos().max(0.05);
        let (wide, high) = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
        let across = ((most.lng - least.lng) * narrow).max(LEAST) * 1.16;
        let up = (most.lat - least.lat).max(LEAST) * 1.16;
        let scale = (wide / across).min(high / up);
        Some(Window {
            west: middle.lng - wide / scale / narrow / 2.0,
            north: middle.lat + high / scale / 2.0,
            narrow,
            scale,
            area,
        })
    }

    /// The dot of a place, from the upper left; none outside.
    fn dot(&self, place: Place) -> Option<(u16, u16)> {
        let x = ((place.lng - self.west) * self.narrow * self.scale).floor();
        let y = ((self.north - place.lat) * self.scale).floor();
        let inside = x >= 0.0 && y >= 0.0 && x < f64::from(self.area.width) * 2.0 && y < f64::from(self.area.height) * 4.0;
        inside.then_some((x as u16, y as u16))
    }

    /// Kilometres of a cell's width.
    fn cell(&self) -> f64 {
        2.0 / self.scale * DEGREE
    }
}

/// What is in a cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    count: u16,
    marked: bool,
    taken: bool,
}

/// The bit of each dot of a braille cell, by row and column.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// Draws marks as large as they fit, or as large as the marked ones among them do; `here` is one of them, with its name. Answers
/// how many are on the map.
pub fn draw(buf: &mut Buffer, area: Rect, marks: &[Mark<'_>], here: Option<(Place, &str)>, theme: &Theme) -> usize {
    let area = area.intersection(buf.area);
    let only_marked = marks.iter().any(|mark| mark.marked);
    let shown = marks.iter().filter(|mark| mark.marked || !only_marked).map(|mark| mark.place);
    let Some(window) = Window::around(shown.chain(here.map(|(place, _)| place)), area) else { return 0 };
    let mut cells = vec![Cell::default(); usize::from(area.width) * usize::from(area.height)];
    let at = |x: u16, y: u16| usize::from(y) * usize::from(area.width) + usize::from(x);
    let mut clusters: BTreeMap<&str, (usize, u64, u64)> = BTreeMap::new();
    let mut count = 0;
    for mark in marks {
        let Some((x, y)) = window.dot(mark.place) else { continue };
        count += 1;
        let cell = &mut cells[at(x / 2, y / 4)];
        cell.count = cell.count.saturating_add(1);
        cell.marked |= mark.marked;
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (x, y) = (x + dx, y + dy);
            if x < area.width * 2 && y < area.height * 4 {
                let cell = &mut cells[at(x / 2, y / 4)];
                cell.dots |= DOTS[usize::from(y % 4)][usize::from(x % 2)];
            }
        }
        let cluster = clusters.entry(mark.cluster).or_default();
        *cluster = (cluster.0 + 1, cluster.1 + u64::from(x / 2), cluster.2 + u64::from(y / 4));
    }
    for y in 0..area.height {
        for x in 0..area.width {
            let cell = &mut cells[at(x, y)];
            cell.taken = if theme.ascii { cell.count > 0 } else { cell.dots > 0 };
            if cell.taken {
                let symbol = match (theme.ascii, cell.count) {
                    (false, _) => char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(' '),
                    (true, _) if cell.marked => '*',
                    (true, 1) => '.',
                    (true, 2..=4) => 'o',
                    (true, _) => 'O',
                };
                let role = if cell.marked { Role::Marked } else { Role::Low };
                buf[(area.x + x, area.y + y)].set_char(symbol).set_style(theme.style(role));
            }
        }
    }
    let mut put = |x: i32, y: i32, label: &str, role: Role| {
        let width = i32::try_from(text::width(label)).unwrap_or(i32::MAX);
        let fits = x >= 0 && y >= 0 && x.saturating_add(width) <= i32::from(area.width) && y < i32::from(area.height);
        let (Ok(x), Ok(y), Ok(width), true) = (u16::try_from(x), u16::try_from(y), u16::try_from(width), fits) else {
            return false;
        };
        let room = at(x, y)..at(x, y) + usize::from(width);
        if cells[room.clone()].iter().any(|cell| cell.taken) {
            return false;
        }
        cells[room].iter_mut().for_each(|cell| cell.taken = true);
        paint::line(buf, Rect { x: area.x + x, y: area.y + y, width, height: 1 }, &[piece(role, label)], theme);
        true
    };
    if let Some((place, name)) = here
        && let Some((x, y)) = window.dot(place)
    {
        let (x, y) = (i32::from(x / 2), i32::from(y / 4));
        let name = text::line(name);
        let label = text::cut(&name, usize::from(area.width / 2), theme.glyphs().cut).into_owned();
        let width = i32::try_from(text::width(&label)).unwrap_or(0);
        let _ = put(x + 2, y, &label, Role::Strong)
            || put(x - width - 1, y, &label, Role::Strong)
            || put((x - width / 2).clamp(0, (i32::from(area.width) - width).max(0)), y - 1, &label, Role::Strong)
            || put((x - width / 2).clamp(0, (i32::from(area.width) - width).max(0)), y + 1, &label, Role::Strong);
    }
    scale_bar(&window, theme, &mut put);
    let mut named: Vec<_> = clusters.into_iter().filter(|(name, _)| !name.trim().is_empty()).collect();
    named.sort_by_key(|(name, (count, ..))| (std::cmp::Reverse(*count), *name));
    for (name, (count, x, y)) in named.into_iter().take(NAMES) {
        let middle = |sum: u64| i32::try_from(sum / count as u64).unwrap_or(0);
        let label = if count > 1 { format!("{} {count}", text::line(name)) } else { text::line(name).into_owned() };
        let width = i32::try_from(text::width(&label)).unwrap_or(0);
        let (x, y) = (middle(x), middle(y));
        let places =
            [(x + 2, y), (x - width - 1, y), (x - width / 2, y + 1), (x - width / 2, y - 1), (x + 3, y + 1), (x + 3, y - 1)];
        let _ = places.into_iter().any(|(x, y)| put(x, y, &label, Role::Muted));
    }
    if let Some((x, y)) = here.and_then(|(place, _)| window.dot(place)) {
        let symbol = if theme.ascii { '@' } else { '◆' };
        buf[(area.x + x / 2, area.y + y / 4)].set_char(symbol).set_style(theme.style(Role::High));
    }
    count
}

/// A stretch of a round number of kilometres, at the lower left.
fn scale_bar(window: &Window, theme: &Theme, put: &mut impl FnMut(i32, i32, &str, Role) -> bool) {
    let most = f64::from(window.area.width) / 4.0;
    let mut round = (-2..5).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let Some(km) = round.rfind(|km| km / window.cell() <= most) else { return };
    let cells = (km / window.cell()).round().max(2.0) as usize;
    let stroke = if theme.ascii { "-" } else { "─" };
    let (left, right) = if theme.ascii { ("|", "|") } else { ("├", "┤") };
    let length = if km < 1.0 { format!("{:.0} m", km * 1_000.0) } else { format!("{km:.0} km") };
    let label = format!("{left}{}{right} {length}", stroke.repeat(cells.saturating_sub(2)));
    put(0, i32::from(window.area.height) - 1, &label, Role::Faint);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(lat: f64, lng: f64, cluster: &str) -> Mark<'_> {
        Mark { place: Place { lat, lng }, cluster, marked: false }
    }

    fn drawn(marks: &[Mark<'_>], here: Option<(Place, &str)>, ascii: bool, width: u16, height: u16) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        draw(&mut buf, area, marks, here, &Theme { ascii, ..Theme::default() });
        let rows = buf.content().chunks(usize::from(width.max(1)));
        rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn north_is_up_east_is_right_and_clusters_have_their_names() {
        let marks =
            [mark(30.3, -97.7, "Austin"), mark(30.2, -97.8, "Austin"), mark(32.8, -96.8, "Dallas"), mark(29.8, -95.4, "Houston")];
        let map = drawn(&marks, Some((marks[3].place, "Juniper Capital")), true, 50, 16);
        let at = |what: &str| {
            let (y, line) =
                map.lines().enumerate().find(|(_, line)| line.contains(what)).unwrap_or_else(|| panic!("no {what}:\n{map}"));
            (line.find(what).unwrap(), y)
        };
        assert!(at("Dallas").1 < at("Austin 2").1, "{map}");
        assert!(at("Austin 2").0 < at("@").0 && at("Juniper Capital").1.abs_diff(at("@").1) <= 1, "{map}");
        assert!(map.contains("| 100 km"), "{map}");
    }

    #[test]
    fn one_mark_stands_in_the_middle_and_is_no_point_without_measure() {
        let map = drawn(&[mark(30.0, -97.0, "")], None, false, 21, 9);
        assert!(map.lines().nth(4).is_some_and(|line| (10..=13).contains(&line.chars().count())), "{map}");
        assert!(map.contains("m"), "{map}");
    }

    #[test]
    fn the_map_goes_to_what_is_marked() {
        let marks = [mark(30.0, -97.0, "Austin"), Mark { marked: true, ..mark(40.0, -74.0, "New York") }];
        let map = drawn(&marks, None, true, 40, 10);
        assert!(map.contains("New York") && !map.contains("Austin") && map.contains('*'), "{map}");
    }

    proptest! {
        #[test]
        fn any_places_draw_at_any_size(
            places in proptest::collection::vec((-90f64..90.0, -180f64..180.0, any::<bool>()), 0..30),
            width in 0u16..60, height in 0u16..30, ascii in any::<bool>(),
        ) {
            let marks: Vec<Mark<'_>> = places.iter().map(|(lat, lng, marked)| Mark { marked: *marked, ..mark(*lat, *lng, "東京 \u{1b}[2J") }).collect();
            let here = marks.first().map(|mark| (mark.place, "here"));
            let map = drawn(&marks, here, ascii, width, height);
            prop_assert!(!map.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}
