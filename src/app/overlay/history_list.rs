//! A list of past writes: the steps that can be undone, what failed, or the journal. Details of the
//! current entry are below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::outbox::failures::Failure;
use crate::app::outbox::undo_history::UndoStep;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;
use crate::text;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, scroll, text_span};

/// Lines for the details of the current entry.
const DETAIL_LINES: u16 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryKind {
    /// What can be undone.
    Steps,
    /// What failed in this session, and what waits.
    Failures,
    /// What this machine wrote.
    Journal,
}

#[derive(Clone, Debug)]
pub struct HistoryList {
    pub kind: HistoryKind,
    /// Newest first.
    pub entries: Vec<HistoryEntry>,
    pub scroll: ScrollState,
    /// The entries are being read.
    pub is_loading: bool,
}

#[derive(Clone, Debug)]
pub struct HistoryEntry {
    /// The time as shown.
    pub time: String,
    pub what: String,
    /// The result, or how many; on the right.
    pub note: String,
    pub role: TextRole,
    /// Shown below the list when the cursor is on it.
    pub details: Vec<String>,
    pub target: HistoryTarget,
}

/// What the keys act on.
#[derive(Clone, Debug)]
pub enum HistoryTarget {
    Step(Box<UndoStep>),
    Failure(Box<Failure>),
    /// A triage that waits for the service.
    Waiting(QueueTab, SignalId),
    /// The command that does the same.
    Command(Option<String>),
}

impl HistoryKind {
    fn title(self) -> &'static str {
        match self {
            HistoryKind::Steps => "What can be undone",
            HistoryKind::Failures => "What failed in this session",
            HistoryKind::Journal => "Journal of this machine",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            HistoryKind::Steps => "{history.accept} undo this step   {dialog.close} close",
            HistoryKind::Failures => {
                "{history.accept} go to it   {history.retry} retry   {history.retry.all} retry all   {dialog.close} close"
            }
            HistoryKind::Journal => {
                "{history.copy} copy as a gantry command   {dialog.close} close"
            }
        }
    }

    fn empty_text(self) -> &'static str {
        match self {
            HistoryKind::Steps => "Nothing to undo.",
            HistoryKind::Failures => "Nothing failed, and nothing waits.",
            HistoryKind::Journal => "Nothing was written from this machine.",
        }
    }
}

impl HistoryList {
    pub fn new(kind: HistoryKind, entries: Vec<HistoryEntry>) -> HistoryList {
        HistoryList {
            kind,
            entries,
            scroll: ScrollState::default(),
            is_loading: false,
        }
    }

    pub fn step(&mut self, rows: isize) {
        self.scroll.move_cursor(rows, self.entries.len());
    }

    pub fn current(&self) -> Option<&HistoryEntry> {
        self.entries.get(self.scroll.cursor)
    }

    /// Replaces the entries; the cursor stays on its line.
    pub fn set_entries(&mut self, entries: Vec<HistoryEntry>) {
        self.entries = entries;
        self.step(0);
    }

    pub fn draw(&self, all: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let rows = u16::try_from(self.entries.len()).unwrap_or(u16::MAX).max(1);
        let height = rows
            .saturating_add(DETAIL_LINES + 5)
            .clamp(14, all.height.saturating_sub(2).max(14));
        let area = panel::centered_rect(all, 100, height);
        let note = match self.entries.len() {
            0 => String::new(),
            all => format!("{} of {all}", self.scroll.cursor + 1),
        };
        let note = [text_span(TextRole::Muted, note)];
        let inner = panel::draw_popup(
            buf,
            area,
            &[text_span(TextRole::Strong, self.kind.title())],
            &note,
            theme,
        );
        let inner = area::inset_sides(inner, 1);
        let details = if inner.height >= DETAIL_LINES + 6 {
            DETAIL_LINES
        } else {
            inner.height.saturating_sub(4).min(2)
        };
        let list = Rect {
            height: inner.height.saturating_sub(details + 3),
            ..inner
        };
        let at = ScrollState::centered_on(self.scroll.cursor, self.entries.len(), list.height);
        let times = self
            .entries
            .iter()
            .map(|entry| text::display_width(&entry.time))
            .max()
            .unwrap_or(0);
        for n in 0..list.height {
            let Some(entry) = self.entries.get(at.top + usize::from(n)) else {
                break;
            };
            let row = paint::row_rect(list, n);
            let here = at.top + usize::from(n) == at.cursor;
            let edge = paint::draw_line_right(
                buf,
                row,
                &[text_span(entry.role, format!(" {}", entry.note))],
                theme,
            );
            let pieces = [
                theme.glyphs().cursor_span(here),
                text_span(TextRole::Muted, format!(" {:times$}  ", entry.time)),
                text_span(
                    if here {
                        TextRole::Strong
                    } else {
                        TextRole::Text
                    },
                    entry.what.as_str(),
                ),
            ];
            draw_line(buf, area::area_before(row, edge), &pieces, theme);
            if here {
                buf.set_style(row, theme.cursor_row_style(true));
            }
        }
        scroll::draw_scrollbar(buf, area, list, at.top, self.entries.len(), theme);
        if self.entries.is_empty() {
            let text = if self.is_loading {
                "Reading…"
            } else {
                self.kind.empty_text()
            };
            draw_line(buf, list, &[text_span(TextRole::Muted, text)], theme);
        }
        let below = Rect {
            y: list.bottom() + 1,
            height: details,
            ..inner
        };
        let lines = self
            .current()
            .map(|entry| entry.details.as_slice())
            .unwrap_or_default();
        let wrapped = lines
            .iter()
            .flat_map(|line| text::wrap_text(&text::sanitize_line(line), usize::from(inner.width)));
        paint::draw_lines(
            buf,
            below,
            wrapped.map(|line| [text_span(TextRole::Muted, line)]),
            theme,
        );
        let hint = keymap.expand_keys_styled(TextRole::Muted, self.kind.hint());
        draw_line(
            buf,
            paint::row_rect(inner, inner.height.saturating_sub(1)),
            &hint,
            theme,
        );
    }
}
