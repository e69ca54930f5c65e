//! The list of coverage gaps, with what is not known of the other signals.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::model::coverage::{BookPlace, CoverageGap};
use crate::app::price::Price;
use crate::domain::book::RecordKind;
use crate::text;
use crate::ui::popup::Popup;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, Theme, paint, text_span};

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

    pub fn draw(
        &self,
        screen: Rect,
        keymap: &Keymap,
        price: Price,
        buf: &mut Buffer,
        theme: &Theme,
    ) {
        let width = MAX_WIDTH.min(screen.width);
        let summary: Vec<String> = self
            .summary
            .iter()
            .flat_map(|line| text::wrap_text(line, width.saturating_sub(4).into()))
            .collect();
        let keys = format!(
            "{{gaps.open}} open{}   {{gaps.save}} save to the book   {{gaps.annotate}} annotate   {{dialog.close}} close",
            price.suffix()
        );
        let popup = Popup {
            note: self.scroll.describe(self.gaps.len()),
            rows: self.gaps.len(),
            below: summary.len(),
            keys: vec![keymap.expand_keys_styled(TextRole::Muted, &keys)],
            ..Popup::new("Coverage gaps", width)
        };
        let areas = popup.draw(screen, buf, theme);
        let cursor = Some(self.scroll.cursor);
        areas.draw_rows(
            buf,
            (cursor, self.gaps.len()),
            theme,
            &mut |buf, row, at, here| {
                draw_gap(&self.gaps[at], here, row, buf, theme);
            },
        );
        let summary = summary
            .iter()
            .map(|line| [text_span(TextRole::Muted, line.as_str())]);
        paint::draw_lines(buf, areas.below, summary, theme);
    }
}

fn draw_gap(gap: &CoverageGap, is_current: bool, row: Rect, buf: &mut Buffer, theme: &Theme) {
    let place = if gap.place == BookPlace::Absent {
        " not in the book"
    } else {
        " no status"
    };
    let developed = match gap.kind {
        RecordKind::Accounts => format!("  developer of {}", gap.project),
        _ => String::new(),
    };
    let pieces = [
        theme.glyphs().cursor_span(is_current),
        text_span(
            TextRole::strong_if(is_current),
            format!(" {}", text::sanitize_line(&gap.name)),
        ),
        text_span(TextRole::Muted, text::sanitize_line(&developed)),
    ];
    let place = [text_span(TextRole::Warning, place)];
    paint::draw_two_sided_line(buf, row, &pieces, &place, theme);
}
