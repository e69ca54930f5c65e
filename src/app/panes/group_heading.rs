//! The heading of a group of rows, as every list draws it.

use crate::app::format::format_count;
use crate::app::model::line_order::RowGroup;
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ColumnSpec;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

pub struct GroupHeading {
    /// What its rows have in common.
    pub label: String,
    pub count: usize,
    /// The sum of their amounts; empty for nothing.
    pub sum: String,
    pub is_open: bool,
    /// All of its rows are marked.
    pub is_marked: bool,
}

impl GroupHeading {
    /// The heading of a group of rows; `amount` is the column that is summed.
    pub fn new(group: &RowGroup, amount: Option<&ColumnSpec>, is_marked: bool) -> GroupHeading {
        let sum = |column: &ColumnSpec| {
            let sum = column.kind.format_number(group.amount);
            match column.kind {
                FieldKind::Money => sum,
                _ => format!("{sum} {}", column.title()),
            }
        };
        GroupHeading {
            label: group.label.clone(),
            count: group.rows.len(),
            sum: amount
                .filter(|_| group.amount != 0.0)
                .map(sum)
                .unwrap_or_default(),
            is_open: group.is_open,
            is_marked,
        }
    }

    /// Its line, with the cursor if that is there.
    pub fn line(&self, is_current: bool, theme: &Theme) -> Vec<TextSpan<'static>> {
        let glyphs = theme.glyphs();
        vec![
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
            text_span(TextRole::Strong, self.label.clone()),
            text_span(
                TextRole::Muted,
                format!("   {}", format_count(self.count as u64)),
            ),
            text_span(TextRole::Muted, format!("   {}", self.sum)),
        ]
    }
}
