//! The heading of a group of rows, as every list draws it.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::format::format_count;
use crate::app::model::line_order::RowGroup;
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ColumnSpec;
use crate::ui::{TextRole, Theme, draw_line, text_span};

pub struct GroupHeading<'a> {
    /// What its rows have in common.
    pub label: Cow<'a, str>,
    pub count: usize,
    /// The sum of their amounts; empty for nothing.
    pub sum: String,
    pub is_open: bool,
    /// All of its rows are marked.
    pub is_marked: bool,
}

impl GroupHeading<'_> {
    /// The heading of a group of rows with a value of this kind; `amount` is the column that is
    /// summed.
    pub fn new(
        group: &RowGroup,
        kind: FieldKind,
        amount: Option<&ColumnSpec>,
        is_marked: bool,
    ) -> GroupHeading<'static> {
        let sum = |column: &ColumnSpec| {
            let sum = column.kind.format_number(group.amount);
            match column.kind {
                FieldKind::Money => sum,
                _ => format!("{sum} {}", column.title()),
            }
        };
        GroupHeading {
            label: group.bin.label(kind).into(),
            count: group.rows.len(),
            sum: amount
                .filter(|_| group.amount != 0.0)
                .map(sum)
                .unwrap_or_default(),
            is_open: group.is_open,
            is_marked,
        }
    }

    pub fn draw(
        &self,
        buf: &mut Buffer,
        row: Rect,
        is_current: bool,
        has_focus: bool,
        theme: &Theme,
    ) {
        let glyphs = theme.glyphs();
        let pieces = [
            glyphs.cursor_span(is_current),
            text_span(
                TextRole::Marked,
                if self.is_marked { glyphs.marked } else { " " },
            ),
            text_span(
                TextRole::Muted,
                format!(
                    " {} ",
                    if self.is_open {
                        glyphs.expanded
                    } else {
                        glyphs.collapsed
                    }
                ),
            ),
            text_span(TextRole::Strong, self.label.as_ref()),
            text_span(
                TextRole::Muted,
                format!("   {}", format_count(self.count as u64)),
            ),
            text_span(TextRole::Muted, format!("   {}", self.sum)),
        ];
        draw_line(buf, row, &pieces, theme);
        if is_current {
            buf.set_style(row, theme.cursor_row_style(has_focus));
        }
    }
}
