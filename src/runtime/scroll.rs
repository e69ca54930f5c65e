//! Scrolls rows that moved by a few lines on the terminal instead of sending them again.
//!
//! [`find_scrolls`] looks for the distance by which rows moved and for the bands of rows that are
//! cheaper scrolled by it; [`RowScroll::apply`] does to a buffer what the terminal does to its
//! screen. Remaining differences are sent as usual. The row under a cursor that stays in its place
//! on the screen is left out of the bands: only its text changes.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};

use super::cell_encoder::same_cell;

/// Distances that rows may have moved: by a key, or by a notch of the wheel.
const SCROLL_STEPS: [i32; 6] = [1, -1, 3, -3, 2, -2];
/// The fewest changed rows that are worth a search.
const MIN_CHANGED_ROWS: usize = 4;
/// How many of the changed rows are compared to find the distance.
const SAMPLE_ROWS: usize = 6;
/// The fewest saved bytes that are worth scrolling.
const MIN_BYTES_SAVED: i32 = 96;
/// Length of the sequence that scrolls a band.
const SCROLL_BYTES: i32 = 17;
/// Approximate length of a cursor move, and of a style change.
const MOVE_BYTES: i32 = 7;
const STYLE_BYTES: i32 = 9;

/// Rows that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowScroll {
    top: u16,
    /// The row after its last.
    bottom: u16,
    /// Positive is up.
    distance: i32,
}

/// The rows that differ between two frames.
pub fn changed_rows(shown: &Buffer, next: &Buffer) -> Vec<u16> {
    let differs = |row: &u16| {
        let (wanted, there) = (
            row_cells(next, (*row).into()),
            row_cells(shown, (*row).into()),
        );
        !wanted
            .iter()
            .zip(there)
            .all(|(wanted, there)| same_cell(wanted, there))
    };
    (0..next.area.height).filter(differs).collect()
}

/// The scrolls that save the most bytes between two frames, of bands that do not overlap. `changed`
/// are the rows that differ.
pub fn find_scrolls(shown: &Buffer, next: &Buffer, changed: &[u16]) -> Vec<RowScroll> {
    let Some(distance) = guess_distance(shown, next, changed) else {
        return Vec::new();
    };
    let rows = i32::from(next.area.height);
    let mut stays = vec![0; usize::from(next.area.height)];
    for row in changed {
        stays[usize::from(*row)] = rewrite_cost(
            row_cells(next, (*row).into()),
            row_cells(shown, (*row).into()).iter(),
        );
    }
    // Upside down, rows that moved down have moved up.
    let upright = |row: i32| if distance > 0 { row } else { rows - 1 - row };
    let moves = |row: i32| {
        let cells = row_cells(next, upright(row));
        index(&stays, upright(row))
            - rewrite_cost(cells, row_cells(shown, upright(row) + distance).iter())
    };
    let empties = |row: i32| {
        let cells = row_cells(next, upright(row));
        index(&stays, upright(row)) - rewrite_cost(cells, std::iter::repeat(&Cell::EMPTY))
    };
    let (gain, bands) = find_bands(rows, distance.abs(), moves, empties);
    // A change of screen is not a scroll, even if some rows look alike.
    if gain < MIN_BYTES_SAVED.max(stays.iter().sum::<i32>() / 5) {
        return Vec::new();
    }
    let edge = |row: i32| u16::try_from(row).unwrap_or_default();
    let scroll = |(first, end): (i32, i32)| {
        let (top, bottom) = if distance > 0 {
            (first, end)
        } else {
            (rows - end, rows - first)
        };
        RowScroll {
            top: edge(top),
            bottom: edge(bottom),
            distance,
        }
    };
    bands.into_iter().map(scroll).collect()
}

/// The distance by which the most rows of a sample of the changed ones moved.
fn guess_distance(shown: &Buffer, next: &Buffer, changed: &[u16]) -> Option<i32> {
    if changed.len() < MIN_CHANGED_ROWS {
        return None;
    }
    let sample = changed.iter().step_by(changed.len().div_ceil(SAMPLE_ROWS));
    let moved = |distance: i32| {
        let is_moved = |row: &&u16| has_moved(next, shown, i32::from(**row), distance);
        sample.clone().filter(is_moved).count()
    };
    let needed = sample.clone().count().div_ceil(3).max(2);
    let counts = SCROLL_STEPS.map(|distance| (moved(distance), distance));
    let most = counts.iter().map(|(count, _)| *count).max()?;
    counts
        .into_iter()
        .find(|(count, _)| *count == most && most >= needed)
        .map(|(_, distance)| distance)
}

/// Whether most cells of a row that changed were on another row before; what changed beside a list
/// may differ.
fn has_moved(next: &Buffer, shown: &Buffer, row: i32, distance: i32) -> bool {
    let (wanted, stayed, moved) = (
        row_cells(next, row),
        row_cells(shown, row),
        row_cells(shown, row + distance),
    );
    let (mut hits, mut misses) = (0, 0);
    for ((wanted, stayed), moved) in wanted.iter().zip(stayed).zip(moved) {
        if !same_cell(wanted, stayed) {
            if same_cell(wanted, moved) {
                hits += 1
            } else {
                misses += 1
            }
            if misses > 8 + hits {
                return false;
            }
        }
    }
    hits > misses
}

/// The bands with the greatest gain, as their first row and the row after their last, when rows
/// move up by `distance`. `moves` is the gain of a row that takes what was `distance` below it,
/// `empties` that of a row which the scroll leaves empty.
fn find_bands(
    rows: i32,
    distance: i32,
    moves: impl Fn(i32) -> i32,
    empties: impl Fn(i32) -> i32,
) -> (i32, Vec<(i32, i32)>) {
    // For the rows above each one: the best gain and its last band; the best gain with a band that
    // goes on, and where it begins.
    let mut ended: Vec<(i32, Option<(i32, i32)>)> = vec![(0, None)];
    let mut open: Vec<(i32, i32)> = vec![(i32::MIN / 2, 0)];
    for row in 0..rows {
        let begun = (index(&ended, row).0 - SCROLL_BYTES, row);
        let (gain, first) = index(&open, row).max(begun);
        open.push(if row + distance < rows {
            (gain + moves(row), first)
        } else {
            (i32::MIN / 2, 0)
        });
        let (gain, _) = index(&ended, row);
        let last_moved = row + 1 - distance;
        let closed = if last_moved > 0 {
            let (gain, first) = index(&open, last_moved);
            (
                gain + (last_moved..=row).map(&empties).sum::<i32>(),
                Some((first, row + 1)),
            )
        } else {
            (i32::MIN, None)
        };
        ended.push(if closed.0 > gain {
            closed
        } else {
            (gain, None)
        });
    }
    let (mut bands, mut row) = (Vec::new(), rows);
    while row > 0 {
        match index(&ended, row).1 {
            Some((first, end)) => {
                bands.push((first, end));
                row = first;
            }
            None => row -= 1,
        }
    }
    (index(&ended, rows).0, bands)
}

/// The element of a row.
fn index<T: Copy + Default>(of_rows: &[T], row: i32) -> T {
    usize::try_from(row)
        .ok()
        .and_then(|row| of_rows.get(row))
        .copied()
        .unwrap_or_default()
}

impl RowScroll {
    /// The escape sequence: deletes or inserts lines at the top of the band, which every terminal
    /// supports. The style must be plain, because new rows take its background.
    pub fn write_to(self, bytes: &mut String) {
        let (step, way) = (
            self.distance.abs(),
            if self.distance > 0 { 'M' } else { 'L' },
        );
        let top = self.top + 1;
        let step = if step == 1 {
            String::new()
        } else {
            step.to_string()
        };
        let _ = write!(
            bytes,
            "\x1b[{top};{}r\x1b[{top}H\x1b[{step}{way}\x1b[r",
            self.bottom
        );
    }

    /// Applies the scroll to a buffer.
    pub fn apply(self, shown: &mut Buffer) {
        let width = usize::from(shown.area.width);
        let band = usize::from(self.top) * width..usize::from(self.bottom) * width;
        let Some(cells) = shown.content.get_mut(band) else {
            return;
        };
        let step = (self.distance.unsigned_abs() as usize * width).min(cells.len());
        if self.distance > 0 {
            cells.rotate_left(step);
            let kept = cells.len() - step;
            cells.iter_mut().skip(kept).for_each(Cell::reset);
        } else {
            cells.rotate_right(step);
            cells.iter_mut().take(step).for_each(Cell::reset);
        }
    }
}

pub fn row_cells(buffer: &Buffer, row: i32) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::try_from(row).unwrap_or_default() * width;
    buffer.content.get(start..start + width).unwrap_or_default()
}

/// Approximate number of bytes that turn one row into another.
fn rewrite_cost<'a>(wanted: &'a [Cell], there: impl Iterator<Item = &'a Cell>) -> i32 {
    let (mut bytes, mut gap, mut style) = (0, MOVE_BYTES, None);
    for (wanted, there) in wanted.iter().zip(there) {
        if same_cell(wanted, there) {
            gap = MOVE_BYTES.min(gap + 1);
            continue;
        }
        bytes +=
            std::mem::take(&mut gap) + i32::try_from(wanted.symbol().len()).unwrap_or_default();
        let its_style = Some((wanted.fg, wanted.bg, wanted.modifier));
        if its_style != style && wanted.symbol() != " " {
            style = its_style;
            bytes += STYLE_BYTES;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn list_frame(first: usize) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
        buffer.set_string(0, 0, "a header that stays", Style::new());
        for row in 1..19u16 {
            let n = first + usize::from(row);
            buffer.set_string(
                0,
                row,
                format!(
                    "│ {:<20}{:>20} │ beside {n}",
                    format!("row {}", n * n),
                    n * 7919
                ),
                Style::new(),
            );
        }
        buffer.set_string(0, 19, "a footer that stays", Style::new());
        buffer
    }

    fn found(shown: &Buffer, next: &Buffer) -> Vec<RowScroll> {
        find_scrolls(shown, next, &changed_rows(shown, next))
    }

    #[test]
    fn a_scrolled_list_is_found_between_its_header_and_its_footer() {
        for (from, to, by) in [(5, 6, 1), (6, 5, -1), (5, 8, 3)] {
            let scroll = RowScroll {
                top: 1,
                bottom: 19,
                distance: by,
            };
            assert_eq!(
                found(&list_frame(from), &list_frame(to)),
                [scroll],
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn a_page_jump_and_an_unchanged_frame_are_not_scrolls() {
        assert_eq!(found(&list_frame(5), &list_frame(23)), []);
        assert_eq!(found(&list_frame(5), &list_frame(5)), []);
    }

    #[test]
    fn after_a_scroll_only_the_new_row_differs() {
        let (mut shown, next) = (list_frame(5), list_frame(6));
        found(&shown, &next)
            .into_iter()
            .for_each(|scroll| scroll.apply(&mut shown));
        assert_eq!(changed_rows(&shown, &next), [18]);
    }

    #[test]
    fn a_highlighted_row_that_stays_in_its_place_is_not_scrolled() {
        let highlighted = |first| {
            let mut frame = list_frame(first);
            frame.set_style(Rect::new(0, 10, 60, 1), Style::new().reversed());
            frame
        };
        let scrolls = found(&highlighted(5), &highlighted(6));
        assert!(
            !scrolls.is_empty()
                && scrolls
                    .iter()
                    .all(|scroll| scroll.bottom <= 10 || scroll.top > 10),
            "{scrolls:?}"
        );
    }
}
