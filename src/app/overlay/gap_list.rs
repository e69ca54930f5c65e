//! The list of coverage gaps, with what is not known of the other signals.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::model::coverage::{BookPlace, CoverageGap};
use crate::app::price::Price;
use crate::domain::book::RecordKind;
use crate::text;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, scroll, text_span};

/// Rows of the border, the hint and the blank rows around the list.
const FRAME_ROWS: u16 = 5;
const MAX_WIDTH: u16 = 100;

#[derive(Clone, Debug)]
pub struct GapList {
    pub gaps: Vec<CoverageGap>,
    /// What is known and unknown, in sentences.
    pub summary: Vec<String>,
    pub scroll: ScrollState,
}

impl GapList {
    pub fn current(&self) -> Option<&CoverageGap> {
        self.gaps.get(self.scroll.cursor)
    }

    pub fn step(&mut self, rows: isize) {
        self.scroll.move_cursor(rows, self.gaps.len());
    }

    pub fn draw(&self, all: Rect, keymap: &Keymap, price: Price, buf: &mut Buffer, theme: &Theme) {
        let width = MAX_WIDTH.min(all.width);
        let summary: Vec<String> = self
            .summary
            .iter()
            .flat_map(|line| text::wrap_text(line, width.saturating_sub(4).into()))
            .collect();
        let below = u16::try_from(summary.len()).unwrap_or(u16::MAX);
        let rows = u16::try_from(self.gaps.len()).unwrap_or(u16::MAX);
        let height = rows
            .saturating_add(below)
            .saturating_add(FRAME_ROWS)
            .min(all.height.saturating_sub(2));
        let area = panel::centered_rect(all, width, height);
        let note = match self.gaps.len() {
            0 => String::new(),
            all => format!("{} of {all}", self.scroll.cursor + 1),
        };
        let note = [text_span(TextRole::Muted, note)];
        let inner = panel::draw_popup(
            buf,
            area,
            &[text_span(TextRole::Strong, "Coverage gaps")],
            &note,
            theme,
        );
        let inner = area::inset_sides(inner, 1);
        let list = Rect {
            height: inner.height.saturating_sub(below + 3),
            ..inner
        };
        let at = ScrollState::centered_on(self.scroll.cursor, self.gaps.len(), list.height);
        for n in 0..list.height {
            let Some(gap) = self.gaps.get(at.top + usize::from(n)) else {
                break;
            };
            let row = paint::row_rect(list, n);
            let here = at.top + usize::from(n) == at.cursor;
            let place = if gap.place == BookPlace::Absent {
                "not in the book"
            } else {
                "no status"
            };
            let edge = paint::draw_line_right(
                buf,
                row,
                &[text_span(TextRole::Warning, format!(" {place}"))],
                theme,
            );
            let of = match gap.kind {
                RecordKind::Accounts => format!("  developer of {}", gap.project),
                _ => String::new(),
            };
            let pieces = [
                theme.glyphs().cursor_span(here),
                text_span(
                    if here {
                        TextRole::Strong
                    } else {
                        TextRole::Text
                    },
                    format!(" {}", text::sanitize_line(&gap.name)),
                ),
                text_span(TextRole::Muted, text::sanitize_line(&of).into_owned()),
            ];
            draw_line(buf, area::area_before(row, edge), &pieces, theme);
            if here {
                buf.set_style(row, theme.cursor_row_style(true));
            }
        }
        scroll::draw_scrollbar(buf, area, list, at.top, self.gaps.len(), theme);
        let lines = Rect {
            y: list.bottom() + 1,
            height: below,
            ..inner
        };
        paint::draw_lines(
            buf,
            lines,
            summary
                .iter()
                .map(|line| [text_span(TextRole::Muted, line.as_str())]),
            theme,
        );
        let open = format!("{{gaps.open}} open{}", price.suffix());
        let hint = format!(
            "{open}   {{gaps.save}} save to the book   {{gaps.annotate}} annotate   {{dialog.close}} close"
        );
        let hint = keymap.expand_keys_styled(TextRole::Muted, &hint);
        draw_line(
            buf,
            paint::row_rect(inner, inner.height.saturating_sub(1)),
            &hint,
            theme,
        );
    }
}
