//! Table columns: which ones fit, and where they are.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{self, TextSpan};
use super::scroll::{self, ScrollState};
use super::{TextRole, Theme};

/// The layout of a column.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    pub title: &'static str,
    /// In cells; for a growing column, the minimum.
    pub width: u16,
    /// It shares the remaining cells up to this width; 0 for a column that does not grow.
    pub max_width: u16,
    /// The order in which columns are dropped from a narrow table: the highest first, 0 never.
    pub drop_order: u8,
    pub align_right: bool,
}

/// The area of each column that fits, by its index; one blank cell between columns. Columns that are never dropped may be
/// clipped.
pub fn layout_columns(columns: &[TableColumn], area: Rect) -> Vec<(usize, Rect)> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let needed = |kept: &[usize]| -> u16 {
        kept.iter().map(|&i| columns[i].width).sum::<u16>() + u16::try_from(kept.len().saturating_sub(1)).unwrap_or(0)
    };
    while needed(&kept) > area.width {
        let Some(&leaver) = kept.iter().filter(|&&i| columns[i].drop_order > 0).max_by_key(|&&i| columns[i].drop_order) else {
            break;
        };
        kept.retain(|&i| i != leaver);
    }
    let mut widths: Vec<u16> = kept.iter().map(|&i| columns[i].width).collect();
    let mut spare = area.width.saturating_sub(needed(&kept));
    while spare > 0 {
        let growing: Vec<usize> = (0..kept.len()).filter(|&k| widths[k] < columns[kept[k]].max_width).collect();
        if growing.is_empty() {
            break;
        }
        for k in growing {
            if spare > 0 {
                widths[k] += 1;
                spare -= 1;
            }
        }
    }
    let mut x = area.x;
    kept.into_iter()
        .zip(widths)
        .map(|(i, width)| {
            let room = Rect { x, width, ..area }.intersection(area);
            x = x.saturating_add(width + 1);
            (i, room)
        })
        .collect()
}

/// Draws a cell, aligned within its column.
pub fn draw_cell(buf: &mut Buffer, column: &TableColumn, room: Rect, pieces: &[TextSpan<'_>], theme: &Theme) {
    if column.align_right {
        paint::draw_line_right(buf, room, pieces, theme);
    } else {
        paint::draw_line(buf, room, pieces, theme);
    }
}

/// Draws the titles of the visible columns on `row`; nothing on a row without height.
pub fn draw_heading(buf: &mut Buffer, columns: &[TableColumn], rooms: &[(usize, Rect)], row: Rect, theme: &Theme) {
    for (at, room) in rooms {
        draw_title(buf, &columns[*at], Rect { y: row.y, height: row.height.min(1), ..*room }, None, theme);
    }
}

/// Draws a column's title. A column that rows are sorted by, ascending or not, gets an arrow, which may use the gap beside it.
pub fn draw_title(buf: &mut Buffer, column: &TableColumn, room: Rect, is_ascending: Option<bool>, theme: &Theme) {
    let Some(is_ascending) = is_ascending else {
        return draw_cell(buf, column, room, &[paint::text_span(TextRole::Muted, column.title)], theme);
    };
    let arrow = if is_ascending { theme.glyphs().sort_ascending } else { theme.glyphs().sort_descending };
    let arrow = paint::text_span(TextRole::Focus, arrow);
    let title = paint::text_span(TextRole::Text, column.title);
    if column.align_right {
        let room = Rect { x: room.x.saturating_sub(1), width: room.width + 1, ..room };
        paint::draw_line_right(buf, room, &[arrow, title], theme);
    } else {
        paint::draw_line(buf, Rect { width: room.width + 1, ..room }, &[title, arrow], theme);
    }
}

/// Writes the text of a row's cells, separated by spaces.
pub fn write_cells<'a, C: AsRef<[TextSpan<'a>]>>(cells: &[C], text: &mut String) {
    for span in cells.iter().flat_map(|cell| cell.as_ref()) {
        text.push_str(&span.text);
        text.push(' ');
    }
}

/// The text of each cell of a row.
pub fn cell_texts<'a, C: AsRef<[TextSpan<'a>]>>(cells: &[C]) -> Vec<String> {
    cells.iter().map(|cell| cell.as_ref().iter().map(|span| span.text.as_ref()).collect()).collect()
}

/// A table in a panel.
pub struct Table<'a> {
    pub columns: &'a [TableColumn],
    pub scroll: ScrollState,
    pub len: usize,
    pub has_focus: bool,
    /// The column that the rows are sorted by, and whether ascending.
    pub sorted_by: Option<(usize, bool)>,
}

impl Table<'_> {
    /// Draws the visible rows, the titles where the panel has room, and a scroll bar. `cells` returns the cells of a row; its
    /// argument says whether the cursor is there.
    pub fn draw<'p, R, C>(&self, buf: &mut Buffer, panel: Rect, rows: Rect, theme: &Theme, cells: impl Fn(usize, bool) -> R)
    where
        R: AsRef<[C]>,
        C: AsRef<[TextSpan<'p>]>,
    {
        let rooms = layout_columns(self.columns, Rect { width: rows.width.saturating_sub(1), ..rows });
        if rows.y > panel.y + 1 {
            for (at, room) in &rooms {
                let is_ascending = self.sorted_by.and_then(|(column, is_ascending)| (column == *at).then_some(is_ascending));
                draw_title(buf, &self.columns[*at], Rect { y: rows.y - 1, height: 1, ..*room }, is_ascending, theme);
            }
        }
        for (n, at) in (0..rows.height).zip(self.scroll.top..self.len) {
            let (row, here) = (paint::row_rect(rows, n), at == self.scroll.cursor);
            let cells = cells(at, here);
            for (column, room) in &rooms {
                let room = Rect { y: row.y, height: 1, ..*room };
                draw_cell(buf, &self.columns[*column], room, cells.as_ref()[*column].as_ref(), theme);
            }
            if here {
                buf.set_style(row, theme.cursor_row_style(self.has_focus));
            }
        }
        scroll::draw_scrollbar(buf, panel, rows, self.scroll.top, self.len, theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_COLUMNS: [TableColumn; 3] = [
        TableColumn { title: "P", width: 1, max_width: 0, drop_order: 0, align_right: false },
        TableColumn { title: "NAME", width: 10, max_width: 30, drop_order: 0, align_right: false },
        TableColumn { title: "COST", width: 8, max_width: 0, drop_order: 1, align_right: true },
    ];

    #[test]
    fn spare_width_goes_to_the_name_and_the_cost_is_dropped_first() {
        let widths = |width| -> Vec<(usize, u16)> {
            layout_columns(&TEST_COLUMNS, Rect::new(0, 0, width, 1)).into_iter().map(|(i, r)| (i, r.width)).collect()
        };
        assert_eq!(widths(60), [(0, 1), (1, 30), (2, 8)]);
        assert_eq!(widths(25), [(0, 1), (1, 14), (2, 8)]);
        assert_eq!(widths(15), [(0, 1), (1, 13)]);
        assert_eq!(widths(5), [(0, 1), (1, 3)]);
        assert_eq!(widths(0), [(0, 0), (1, 0)]);
    }
}
