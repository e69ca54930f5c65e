//! Tables for people: aligned columns, cut to the width of a terminal.
//!
//! The widths of the columns depend on every row, so a table is printed at its end. A long one is
//! printed as its rows arrive, in the widths of its first rows: otherwise it would have to fit into
//! memory.
//!
//! Never here: where rows come from, and other formats.

use serde_json::value::RawValue;

use crate::export::json::RawFields;
use crate::text;

use super::cell_format::format_table_cell;
use super::columns::{Column, FieldKind};

/// A table with more rows is printed as they arrive.
const MAX_BUFFERED_ROWS: usize = 1_000;
/// Marks the end of a cell that was cut.
const CUT_MARK: &str = "..";
/// Spaces between two columns.
const GAP: usize = 2;
/// Cells of a text that can be read. Where they have no room, ids are left out.
const MIN_TEXT_CELLS: usize = 12;

/// A table on its way to standard output.
pub(super) struct TableWriter {
    columns: Vec<&'static Column>,
    /// The width of the terminal.
    width: Option<u16>,
    /// Cells link to web pages (OSC 8).
    has_links: bool,
    buffered: Vec<Box<RawValue>>,
    /// The widths of the columns, once rows are printed as they arrive.
    column_widths: Option<Vec<usize>>,
}

impl TableWriter {
    pub(super) fn new(
        columns: &'static [Column],
        width: Option<u16>,
        has_links: bool,
    ) -> TableWriter {
        let columns = columns.iter().filter(|column| column.is_shown).collect();
        TableWriter {
            columns,
            width,
            has_links,
            buffered: Vec::new(),
            column_widths: None,
        }
    }

    /// Whether rows are printed as they arrive, from this many more on.
    pub(super) fn is_streamed_with(&self, more: usize) -> bool {
        self.column_widths.is_some() || self.buffered.len() + more > MAX_BUFFERED_ROWS
    }

    /// Adds rows; returns the text that can be printed by now.
    pub(super) fn add_rows(&mut self, rows: &[Box<RawValue>]) -> String {
        if let Some(widths) = &self.column_widths {
            return rows
                .iter()
                .map(|row| self.format_line(&self.cells(row), widths))
                .collect();
        }
        let is_streamed = self.is_streamed_with(rows.len());
        self.buffered.extend(rows.iter().cloned());
        if !is_streamed {
            return String::new();
        }
        let buffered = std::mem::take(&mut self.buffered);
        let (lines, widths) = self.format_buffered(&buffered);
        self.column_widths = Some(widths);
        lines
    }

    /// The rows that were not printed as they arrived.
    pub(super) fn finish(&mut self) -> String {
        if self.buffered.is_empty() {
            return String::new();
        }
        let (lines, widths) = self.format_buffered(&self.buffered);
        self.column_widths = Some(widths);
        lines
    }

    /// The header and these rows, and the widths of the columns that fit them.
    fn format_buffered(&self, rows: &[Box<RawValue>]) -> (String, Vec<usize>) {
        let header = self
            .columns
            .iter()
            .map(|column| Cell {
                text: column.heading.to_owned(),
                url: None,
            })
            .collect();
        let cells: Vec<Vec<Cell>> = std::iter::once(header)
            .chain(rows.iter().map(|row| self.cells(row)))
            .collect();
        let widths = self.fit_widths(&cells);
        (
            cells
                .iter()
                .map(|cells| self.format_line(cells, &widths))
                .collect(),
            widths,
        )
    }

    fn cells(&self, row: &RawValue) -> Vec<Cell> {
        let fields = RawFields::from_raw(row);
        let cell = |column: &&Column| Cell {
            text: format_table_cell(column.value_in(&fields), column.kind),
            url: column.url_in(&fields).filter(|_| self.has_links),
        };
        self.columns.iter().map(cell).collect()
    }

    /// Whether ids are left out for the room that they take.
    pub(super) fn leaves_out_ids(&self) -> bool {
        let widths = self.column_widths.as_ref();
        widths.is_some_and(|widths| widths.contains(&0))
    }

    /// The widths of these rows. On a terminal ids give way to texts, and the widest texts are cut
    /// until a line fits.
    fn fit_widths(&self, rows: &[Vec<Cell>]) -> Vec<usize> {
        let mut widths = vec![0; self.columns.len()];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(text::display_width(&cell.text));
            }
        }
        let Some(terminal) = self.width.map(usize::from) else {
            return widths;
        };
        let least = |(column, width): (&&Column, &usize)| match column.kind.is_text() {
            true => MIN_TEXT_CELLS.min(*width) + GAP,
            false => width + GAP,
        };
        if self.columns.iter().zip(&widths).map(least).sum::<usize>() > terminal {
            let columns = self.columns.iter().zip(&mut widths);
            columns
                .filter(|(column, _)| column.kind == FieldKind::Id)
                .for_each(|(_, width)| *width = 0);
        }
        let line_width = |widths: &[usize]| -> usize {
            let shown = widths.iter().filter(|width| **width > 0);
            shown.map(|width| width + GAP).sum()
        };
        while line_width(&widths) > terminal {
            let texts = self
                .columns
                .iter()
                .zip(&mut widths)
                .filter(|(column, _)| column.kind.is_text());
            match texts
                .filter(|(column, width)| **width > column.heading.len())
                .max_by_key(|(_, width)| **width)
            {
                Some((_, width)) => *width -= 1,
                None => break,
            }
        }
        widths
    }

    /// A line in these widths. Text may lose its end on a terminal; a cut number or date would be
    /// read as another one.
    fn format_line(&self, cells: &[Cell], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((column, cell), width) in self.columns.iter().zip(cells).zip(widths) {
            if *width == 0 {
                continue;
            }
            let is_cut = self.width.is_some() && column.kind.is_text();
            let shown = if is_cut {
                text::truncate(&cell.text, *width, CUT_MARK)
            } else {
                cell.text.as_str().into()
            };
            let space = " ".repeat(width.saturating_sub(text::display_width(&shown)));
            let (before, after) = if column.kind.is_numeric() {
                (space.as_str(), "")
            } else {
                ("", space.as_str())
            };
            match &cell.url {
                Some(url) => line.extend([
                    before,
                    "\x1b]8;;",
                    url,
                    "\x1b\\",
                    &shown,
                    "\x1b]8;;\x1b\\",
                    after,
                ]),
                None => line.extend([before, &shown, after]),
            }
            line.push_str(&" ".repeat(GAP));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// What a row shows in a column.
struct Cell {
    text: String,
    url: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::columns::QUEUE_COLUMNS;
    use super::*;

    fn row(n: usize, project: &str) -> Box<RawValue> {
        let row = json!({
            "id": format!("id-{n:05}"), "triage_status": "new", "priority": "high", "signal_type": "permit_issued",
            "filed_at": "2026-07-02T09:00:00Z", "reported_cost_usd": 10 * n, "project_name": project,
            "project_primary_address": "1 Harbor Rd",
        });
        serde_json::value::to_raw_value(&row).unwrap()
    }

    fn rows(count: usize) -> Vec<Box<RawValue>> {
        (0..count).map(|n| row(n, "Harbor Yard")).collect()
    }

    /// What is printed for these rows, page by page.
    fn print(rows: &[Box<RawValue>], page: usize, width: Option<u16>) -> String {
        let mut table = TableWriter::new(QUEUE_COLUMNS, width, false);
        let printed: String = rows.chunks(page).map(|page| table.add_rows(page)).collect();
        printed + &table.finish()
    }

    #[test]
    fn a_long_table_looks_like_a_short_one_and_is_printed_as_its_rows_arrive() {
        for width in [None, Some(120)] {
            let all = rows(MAX_BUFFERED_ROWS + 500);
            let mut whole = TableWriter::new(QUEUE_COLUMNS, width, false);
            whole.buffered = all.clone();
            assert_eq!(print(&all, 200, width), whole.finish(), "{width:?}");
        }
        let mut table = TableWriter::new(QUEUE_COLUMNS, None, false);
        assert_eq!(table.add_rows(&rows(MAX_BUFFERED_ROWS)), "");
        assert_eq!(
            table.add_rows(&rows(1)).lines().count(),
            MAX_BUFFERED_ROWS + 2,
            "with a header"
        );
        assert_eq!(table.add_rows(&rows(3)).lines().count(), 3);
        assert_eq!(table.finish(), "");
    }

    #[test]
    fn a_later_cell_that_is_wider_is_cut_on_a_terminal_and_whole_in_a_pipe() {
        let name = "The Residences at Juniper and Fourteenth";
        let mut all = rows(MAX_BUFFERED_ROWS + 1);
        all.push(row(7, name));
        assert!(
            print(&all, 500, None)
                .lines()
                .last()
                .unwrap()
                .contains(&format!("{name}  1 Harbor Rd"))
        );
        let printed = print(&all, 500, Some(100));
        let last = printed.lines().last().unwrap();
        assert!(
            last.contains("..  1 Harbor Rd") && last.len() <= 100,
            "{last}"
        );
    }

    #[test]
    fn ids_give_way_to_texts_on_a_narrow_terminal_and_are_never_cut() {
        let id = "72b0d97d-1b96-40f0-9839-108112548869";
        let row = json!({
            "id": id, "triage_status": "new", "priority": "high", "signal_type": "permit_issued",
            "filed_at": "2026-07-02", "project_name": "Harbor Yard", "project_primary_address": "1 Harbor Rd",
        });
        let row = serde_json::value::to_raw_value(&row).unwrap();
        for (width, has_id) in [(None, true), (Some(120), true), (Some(80), false)] {
            let mut table = TableWriter::new(QUEUE_COLUMNS, width, false);
            table.add_rows(std::slice::from_ref(&row));
            let printed = table.finish();
            assert_eq!(printed.contains(id), has_id, "{printed}");
            assert_eq!(table.leaves_out_ids(), !has_id);
            assert!(printed.contains("Harbor Yard  1 Harbor Rd"), "{printed}");
        }
    }

    #[test]
    fn a_type_links_to_the_page_of_its_filing_and_nothing_else_gets_into_the_terminal() {
        let line = |url: &str, has_links| {
            let row = serde_json::value::to_raw_value(
                &json!({"id": "a", "signal_type": "permit_issued", "source_url": url}),
            )
            .unwrap();
            let mut table = TableWriter::new(QUEUE_COLUMNS, Some(120), has_links);
            table.add_rows(&[row]);
            table.finish().lines().last().unwrap().to_owned()
        };
        let page = "https://city.example/permits?id=7";
        let plain = line(page, false);
        assert_eq!(
            line(page, true),
            plain.replace(
                "permit_issued",
                &format!("\x1b]8;;{page}\x1b\\permit_issued\x1b]8;;\x1b\\")
            )
        );
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://city.example/\x1b]0;title\x07",
            "https://city.example/a b",
            "",
        ] {
            assert_eq!(line(url, true), plain, "{url:?}");
        }
    }
}
