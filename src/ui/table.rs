//! Table columns: which ones fit, and where they are.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{self, TextSpan};
use super::scroll::{self, ScrollState};
use super::{TextRole, Theme, area};

/// The most lines of a row whose cells are wrapped.
const MAX_WRAPPED_LINES: u16 = 8;

/// The layout of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// The area of each column that fits, by its index; one blank cell between columns. Columns that
/// are never dropped may be clipped.
pub fn layout_columns(columns: &[TableColumn], area: Rect) -> Vec<(usize, Rect)> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let needed = |kept: &[usize]| -> u16 {
        kept.iter().map(|&i| columns[i].width).sum::<u16>()
            + u16::try_from(kept.len().saturating_sub(1)).unwrap_or(0)
    };
    while needed(&kept) > area.width {
        let Some(&leaver) = kept
            .iter()
            .filter(|&&i| columns[i].drop_order > 0)
            .max_by_key(|&&i| columns[i].drop_order)
        else {
            break;
        };
        kept.retain(|&i| i != leaver);
    }
    place_columns(columns, kept, area)
}

/// The areas of these columns; growing ones share the remaining cells.
fn place_columns(columns: &[TableColumn], kept: Vec<usize>, area: Rect) -> Vec<(usize, Rect)> {
    let mut widths: Vec<u16> = kept.iter().map(|&i| columns[i].width).collect();
    let gaps = u16::try_from(kept.len().saturating_sub(1)).unwrap_or(0);
    let mut spare = area.width.saturating_sub(widths.iter().sum::<u16>() + gaps);
    while spare > 0 {
        let growing: Vec<usize> = (0..kept.len())
            .filter(|&k| widths[k] < columns[kept[k]].max_width)
            .collect();
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

/// How far a table is scrolled sideways. The first column, which has the state of the row, and the
/// frozen one stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnScroll {
    pub frozen: usize,
    /// How many of the other columns are hidden on the left.
    pub skipped: usize,
}

/// The columns that are visible, and how many are hidden on each side.
#[derive(Clone, Debug, Default)]
pub struct ColumnWindow {
    pub areas: Vec<(usize, Rect)>,
    pub hidden_left: usize,
    pub hidden_right: usize,
}

impl ColumnWindow {
    /// The window onto the columns of a table. Before the table is scrolled, the least important
    /// columns are hidden; then the columns follow in their order.
    pub fn new(columns: &[TableColumn], area: Rect, scroll: ColumnScroll) -> ColumnWindow {
        if scroll.skipped == 0 {
            let areas = layout_columns(columns, area);
            return ColumnWindow {
                hidden_left: 0,
                hidden_right: columns.len() - areas.len(),
                areas,
            };
        }
        let others: Vec<usize> = (1..columns.len())
            .filter(|at| *at != scroll.frozen)
            .collect();
        let hidden_left = scroll.skipped.min(others.len().saturating_sub(1));
        let mut kept: Vec<usize> = [0, scroll.frozen]
            .into_iter()
            .filter(|at| *at < columns.len())
            .collect();
        kept.dedup();
        let mut used: u16 = kept.iter().map(|&at| columns[at].width + 1).sum();
        for at in &others[hidden_left..] {
            // The first one is shown even where it is clipped.
            let fits =
                used.saturating_add(columns[*at].width) <= area.width || *at == others[hidden_left];
            if !fits {
                break;
            }
            used = used.saturating_add(columns[*at].width + 1);
            kept.push(*at);
        }
        let hidden_right = columns.len() - kept.len() - hidden_left;
        ColumnWindow {
            areas: place_columns(columns, kept, area),
            hidden_left,
            hidden_right,
        }
    }

    /// Shows on the line of the titles that columns are hidden: beside the frozen column, and at
    /// the right border.
    pub fn draw_hidden(&self, buf: &mut Buffer, row: Rect, theme: &Theme) {
        let glyphs = theme.glyphs();
        let arrow = |arrow| [paint::text_span(TextRole::Key, arrow)];
        let frozen = self.areas.get(1).map(|(_, area)| area.right());
        if let Some(x) = frozen.filter(|_| self.hidden_left > 0) {
            paint::draw_line(
                buf,
                Rect { x, width: 1, ..row }.intersection(row),
                &arrow(glyphs.hidden_left),
                theme,
            );
        }
        if self.hidden_right > 0 {
            let x = row.right().saturating_sub(1);
            paint::draw_line(
                buf,
                Rect { x, width: 1, ..row }.intersection(row),
                &arrow(glyphs.hidden_right),
                theme,
            );
        }
    }
}

/// What a row shows in a column. A long text makes room for what follows it.
#[derive(Clone, Debug)]
pub struct TableCell<'a> {
    pub text: TextSpan<'a>,
    /// Mostly empty: then the cell allocates nothing.
    pub tail: Vec<TextSpan<'a>>,
}

impl<'a> From<TextSpan<'a>> for TableCell<'a> {
    fn from(text: TextSpan<'a>) -> TableCell<'a> {
        TableCell {
            text,
            tail: Vec::new(),
        }
    }
}

impl<'a> TableCell<'a> {
    pub fn spans(&self) -> impl Iterator<Item = &TextSpan<'a>> {
        std::iter::once(&self.text).chain(&self.tail)
    }
}

/// Draws a cell, aligned within its column.
pub fn draw_cell(
    buf: &mut Buffer,
    column: &TableColumn,
    room: Rect,
    cell: &TableCell<'_>,
    theme: &Theme,
) {
    let tail_width = paint::spans_width(&cell.tail).min(room.width / 2);
    let room_for_text = Rect {
        width: room.width - tail_width,
        ..room
    };
    let text = std::slice::from_ref(&cell.text);
    let used = if column.align_right {
        paint::draw_line_right(buf, room_for_text, text, theme);
        room_for_text.width
    } else {
        paint::draw_line(buf, room_for_text, text, theme)
    };
    let room_for_tail = area::area_after(room, used);
    paint::draw_line(buf, room_for_tail, &cell.tail, theme);
}

/// Draws the titles of the visible columns on `row`; nothing on a row without height.
pub fn draw_heading(
    buf: &mut Buffer,
    columns: &[TableColumn],
    rooms: &[(usize, Rect)],
    row: Rect,
    theme: &Theme,
) {
    for (at, room) in rooms {
        draw_title(
            buf,
            &columns[*at],
            Rect {
                y: row.y,
                height: row.height.min(1),
                ..*room
            },
            None,
            theme,
        );
    }
}

/// Draws a column's title. A column that rows are sorted by, ascending or not, gets an arrow, which
/// may use the gap beside it.
pub fn draw_title(
    buf: &mut Buffer,
    column: &TableColumn,
    room: Rect,
    is_ascending: Option<bool>,
    theme: &Theme,
) {
    let Some(is_ascending) = is_ascending else {
        return draw_cell(
            buf,
            column,
            room,
            &paint::text_span(TextRole::Muted, column.title).into(),
            theme,
        );
    };
    let arrow = if is_ascending {
        theme.glyphs().sort_ascending
    } else {
        theme.glyphs().sort_descending
    };
    let arrow = paint::text_span(TextRole::Focus, arrow);
    let title = paint::text_span(TextRole::Text, column.title);
    if column.align_right {
        let room = Rect {
            x: room.x.saturating_sub(1),
            width: room.width + 1,
            ..room
        };
        paint::draw_line_right(buf, room, &[arrow, title], theme);
    } else {
        paint::draw_line(
            buf,
            Rect {
                width: room.width + 1,
                ..room
            },
            &[title, arrow],
            theme,
        );
    }
}

/// The lines of each cell of a row whose long cells are wrapped; `None` where one line is enough
/// for all.
fn wrap_cells(
    cells: &[TableCell<'_>],
    rooms: &[(usize, Rect)],
) -> Option<(u16, Vec<Vec<Vec<TextSpan<'static>>>>)> {
    let wrapped: Vec<_> = rooms
        .iter()
        .zip(cells)
        .map(|((_, room), cell)| {
            let spans: Vec<_> = cell.spans().cloned().collect();
            paint::wrap_spans(&spans, usize::from(room.width))
        })
        .collect();
    let height = wrapped.iter().map(Vec::len).max()?;
    let height = u16::try_from(height).unwrap_or(u16::MAX);
    (height > 1).then(|| (height.min(MAX_WRAPPED_LINES), wrapped))
}

/// What a line of a table shows.
pub enum TableLine<'a> {
    /// In the order of the visible columns.
    Cells(Vec<TableCell<'a>>),
    /// One text across all columns.
    Text(Vec<TextSpan<'a>>),
}

/// A table in a panel.
pub struct Table<'a> {
    pub columns: &'a [TableColumn],
    pub scroll: ScrollState,
    pub len: usize,
    pub has_focus: bool,
    /// The column that the rows are sorted by, and whether ascending.
    pub sorted_by: Option<(usize, bool)>,
    pub columns_scroll: ColumnScroll,
    /// The row under the cursor shows its long cells in full.
    pub wraps_cursor_row: bool,
}

impl<'a> Table<'a> {
    /// The columns that are visible on the lines of this area.
    pub fn visible_columns(&self, rows: Rect) -> ColumnWindow {
        let area = Rect {
            width: rows.width.saturating_sub(1),
            ..rows
        };
        ColumnWindow::new(self.columns, area, self.columns_scroll)
    }

    /// Draws the visible lines, the titles where the panel has room, and a scroll bar. `line`
    /// returns what a line shows; its argument says whether the cursor is there.
    pub fn draw_lines<'p>(
        &self,
        buf: &mut Buffer,
        (panel, rows): (Rect, Rect),
        window: &ColumnWindow,
        theme: &Theme,
        line: impl Fn(usize, bool) -> TableLine<'p>,
    ) {
        let rooms = &window.areas;
        if rows.y > panel.y + 1 {
            for (at, room) in rooms {
                let is_ascending = self
                    .sorted_by
                    .and_then(|(column, is_ascending)| (column == *at).then_some(is_ascending));
                draw_title(
                    buf,
                    &self.columns[*at],
                    Rect {
                        y: rows.y - 1,
                        height: 1,
                        ..*room
                    },
                    is_ascending,
                    theme,
                );
            }
            window.draw_hidden(
                buf,
                Rect {
                    y: rows.y - 1,
                    height: 1,
                    ..rows
                },
                theme,
            );
        }
        let cursor = self.scroll.cursor;
        let wrapped = match self.wraps_cursor_row && cursor < self.len {
            true => match line(cursor, true) {
                TableLine::Cells(cells) => wrap_cells(&cells, rooms),
                TableLine::Text(_) => None,
            },
            false => None,
        };
        // The rows below make room for the wrapped one, and at the end of the screen those above.
        let cursor_height = wrapped
            .as_ref()
            .map_or(1, |(height, _)| (*height).min(rows.height));
        let last_top = (cursor + usize::from(cursor_height)).saturating_sub(rows.height.into());
        let mut y = rows.y;
        for at in self.scroll.top.max(last_top)..self.len {
            let here = at == cursor;
            let height = if here { cursor_height } else { 1 };
            let row = Rect { y, height, ..rows }.intersection(rows);
            if row.is_empty() {
                break;
            }
            y += height;
            let cells = match line(at, here) {
                TableLine::Text(text) => {
                    paint::draw_line(buf, row, &text, theme);
                    Vec::new()
                }
                // A row may be gone whose line is not: then there are no cells.
                TableLine::Cells(cells) => cells,
            };
            for (place, ((column, room), cell)) in rooms.iter().zip(&cells).enumerate() {
                let lines = match &wrapped {
                    Some((_, wrapped)) if here => wrapped[place].as_slice(),
                    _ => &[],
                };
                let room = Rect {
                    y: row.y,
                    height,
                    ..*room
                };
                match lines {
                    [] | [_] => draw_cell(buf, &self.columns[*column], room, cell, theme),
                    lines => paint::draw_lines(buf, room, lines, theme),
                }
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
        TableColumn {
            title: "P",
            width: 1,
            max_width: 0,
            drop_order: 0,
            align_right: false,
        },
        TableColumn {
            title: "NAME",
            width: 10,
            max_width: 30,
            drop_order: 0,
            align_right: false,
        },
        TableColumn {
            title: "COST",
            width: 8,
            max_width: 0,
            drop_order: 1,
            align_right: true,
        },
    ];

    #[test]
    fn spare_width_goes_to_the_name_and_the_cost_is_dropped_first() {
        let widths = |width| -> Vec<(usize, u16)> {
            layout_columns(&TEST_COLUMNS, Rect::new(0, 0, width, 1))
                .into_iter()
                .map(|(i, r)| (i, r.width))
                .collect()
        };
        assert_eq!(widths(60), [(0, 1), (1, 30), (2, 8)]);
        assert_eq!(widths(25), [(0, 1), (1, 14), (2, 8)]);
        assert_eq!(widths(15), [(0, 1), (1, 13)]);
        assert_eq!(widths(5), [(0, 1), (1, 3)]);
        assert_eq!(widths(0), [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_wrapped_row_moves_those_below_it_and_at_the_end_those_above_it() {
        let screen = |cursor: usize| -> Vec<String> {
            let area = Rect::new(0, 0, 16, 4);
            let mut buf = Buffer::empty(area);
            let table = Table {
                columns: &TEST_COLUMNS[..2],
                scroll: ScrollState { top: 0, cursor },
                len: 4,
                has_focus: true,
                sorted_by: None,
                columns_scroll: ColumnScroll::default(),
                wraps_cursor_row: true,
            };
            let names = ["Alder", "Birch Row North", "Cedar", "Dogwood Quarter"];
            let line = |at: usize, _| {
                let state = paint::text_span(TextRole::Text, "-").into();
                TableLine::Cells(vec![
                    state,
                    paint::text_span(TextRole::Text, names[at]).into(),
                ])
            };
            let window = table.visible_columns(area);
            table.draw_lines(&mut buf, (area, area), &window, &Theme::default(), line);
            let row = |y| (0..15).map(|x| buf[(x, y)].symbol().to_owned()).collect();
            (0..4)
                .map(row)
                .map(|row: String| row.trim_end().to_owned())
                .collect()
        };
        assert_eq!(screen(1), ["- Alder", "- Birch Row", "  North", "- Cedar"]);
        assert_eq!(
            screen(3),
            ["- Birch Row No…", "- Cedar", "- Dogwood", "  Quarter"]
        );
    }

    #[test]
    fn scrolled_sideways_the_frozen_column_stays_and_the_others_follow_in_their_order() {
        let column = |width, drop_order| TableColumn {
            title: "",
            width,
            max_width: 0,
            drop_order,
            align_right: false,
        };
        let columns = [
            column(2, 0),
            column(10, 0),
            column(8, 1),
            column(9, 2),
            column(7, 3),
            column(6, 4),
        ];
        let shown = |width, skipped| {
            let window = ColumnWindow::new(
                &columns,
                Rect::new(0, 0, width, 1),
                ColumnScroll { frozen: 1, skipped },
            );
            let places: Vec<usize> = window.areas.iter().map(|(at, _)| *at).collect();
            (places, window.hidden_left, window.hidden_right)
        };
        assert_eq!(shown(32, 0), (vec![0, 1, 2, 3], 0, 2));
        assert_eq!(shown(32, 1), (vec![0, 1, 3, 4], 1, 1));
        assert_eq!(shown(32, 2), (vec![0, 1, 4, 5], 2, 0));
        assert_eq!(shown(32, 99), (vec![0, 1, 5], 3, 0));
        assert_eq!(
            shown(5, 1),
            (vec![0, 1, 3], 1, 2),
            "one column is always shown"
        );
    }
}
