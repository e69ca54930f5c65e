//! Scrolls a list that moved by a few rows on the terminal instead of sending it again.
//!
//! [`find_scroll`] looks for the band of rows and the distance that save the most bytes; [`RowScroll::apply`] does to a buffer
//! what the terminal does to its screen. Remaining differences are sent as usual.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};

/// Distances a band may have moved: by a key, or by a notch of the wheel.
const SCROLL_STEPS: [i32; 6] = [1, -1, 3, -3, 2, -2];
/// The fewest saved bytes that are worth a scroll.
const MIN_BYTES_SAVED: i32 = 128;
/// Approximate cost of moving to a run of cells and changing the style for it.
const RUN_COST_BYTES: i32 = 10;

/// Rows that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowScroll {
    top: u16,
    /// The row after its last.
    bottom: u16,
    /// Positive is up.
    distance: i32,
}

/// The scroll that saves the most bytes between two frames.
pub fn find_scroll(shown: &Buffer, next: &Buffer) -> Option<RowScroll> {
    let rows = i32::from(next.area.height);
    let stays: Vec<i32> = (0..rows).map(|row| diff_cost(row_cells(next, row), row_cells(shown, row))).collect();
    if stays.iter().filter(|cost| **cost > 0).count() * 2 < stays.len() {
        return None;
    }
    // A change of screen is not a scroll, even if some rows look alike.
    let worth = MIN_BYTES_SAVED.max(stays.iter().sum::<i32>() * 2 / 5);
    let mut best: Option<(i32, RowScroll)> = None;
    for by in SCROLL_STEPS {
        // The run of rows with the greatest gain.
        let (mut gain, mut first) = (0, 0);
        for row in by.min(0).abs()..rows - by.max(0) {
            if gain <= 0 {
                (gain, first) = (0, row);
            }
            let stays = usize::try_from(row).ok().and_then(|row| stays.get(row)).copied().unwrap_or_default();
            gain += stays - diff_cost(row_cells(next, row), row_cells(shown, row + by));
            if gain > best.map_or(worth, |(gain, _)| gain) {
                let (top, bottom) = (first.min(first + by), (row + 1).max(row + 1 + by));
                let edge = |row: i32| u16::try_from(row).unwrap_or_default();
                best = Some((gain, RowScroll { top: edge(top), bottom: edge(bottom), distance: by }));
            }
        }
    }
    best.map(|(_, scroll)| scroll)
}

impl RowScroll {
    /// The escape sequence: deletes or inserts lines at the top of the band, which every terminal supports. The style must be
    /// plain, because new rows take its background.
    pub fn write_to(self, bytes: &mut String) {
        let (step, way) = (self.distance.abs(), if self.distance > 0 { 'M' } else { 'L' });
        let top = self.top + 1;
        let _ = write!(bytes, "\x1b[{top};{}r\x1b[{top}H\x1b[{step}{way}\x1b[r", self.bottom);
    }

    /// Applies the scroll to a buffer.
    pub fn apply(self, shown: &mut Buffer) {
        let width = usize::from(shown.area.width);
        let band = usize::from(self.top) * width..usize::from(self.bottom) * width;
        let Some(cells) = shown.content.get_mut(band) else { return };
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

fn row_cells(buffer: &Buffer, row: i32) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::try_from(row).unwrap_or_default() * width;
    buffer.content.get(start..start + width).unwrap_or_default()
}

/// Approximate number of bytes that turn one row into another.
fn diff_cost(wanted: &[Cell], there: &[Cell]) -> i32 {
    let (mut bytes, mut inside) = (0, false);
    for (wanted, there) in wanted.iter().zip(there) {
        let differs = wanted != there;
        bytes += i32::from(differs) + if differs && !inside { RUN_COST_BYTES } else { 0 };
        inside = differs;
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
            buffer.set_string(0, row, format!("│ {:<20}{:>20} │ beside {n}", format!("row {}", n * n), n * 7919), Style::new());
        }
        buffer.set_string(0, 19, "a footer that stays", Style::new());
        buffer
    }

    #[test]
    fn a_scrolled_list_is_found_between_its_header_and_its_footer() {
        for (from, to, by) in [(5, 6, 1), (6, 5, -1), (5, 8, 3)] {
            assert_eq!(
                find_scroll(&list_frame(from), &list_frame(to)),
                Some(RowScroll { top: 1, bottom: 19, distance: by }),
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn a_page_jump_and_an_unchanged_frame_are_not_scrolls() {
        assert_eq!(find_scroll(&list_frame(5), &list_frame(23)), None);
        assert_eq!(find_scroll(&list_frame(5), &list_frame(5)), None);
    }

    #[test]
    fn after_a_scroll_only_the_new_row_differs() {
        let (mut shown, next) = (list_frame(5), list_frame(6));
        find_scroll(&shown, &next).unwrap().apply(&mut shown);
        let rows: std::collections::BTreeSet<u16> = shown.diff(&next).into_iter().map(|(_, y, _)| y).collect();
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [18]);
    }
}
