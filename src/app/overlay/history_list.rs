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
use crate::ui::popup::Popup;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, Theme, draw_line, paint, text_span};

/// Lines for the details of the current entry.
const DETAIL_LINES: usize = 4;

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

    pub fn draw(&self, screen: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let popup = Popup {
            note: self.scroll.describe(self.entries.len()),
            min_height: 14,
            rows: self.entries.len(),
            below: DETAIL_LINES,
            keys: vec![keymap.expand_keys_styled(TextRole::Muted, self.kind.hint())],
            ..Popup::new(self.kind.title(), 100)
        };
        let areas = popup.draw(screen, buf, theme);
        let widths = self
            .entries
            .iter()
            .map(|entry| text::display_width(&entry.time));
        let time_width = widths.max().unwrap_or(0);
        let cursor = Some(self.scroll.cursor);
        areas.draw_rows(
            buf,
            (cursor, self.entries.len()),
            theme,
            &mut |buf, row, at, here| {
                let entry = &self.entries[at];
                let pieces = [
                    theme.glyphs().cursor_span(here),
                    text_span(TextRole::Muted, format!(" {:time_width$}  ", entry.time)),
                    text_span(TextRole::strong_if(here), entry.what.as_str()),
                ];
                let note = [text_span(entry.role, format!(" {}", entry.note))];
                paint::draw_two_sided_line(buf, row, &pieces, &note, theme);
            },
        );
        let Some(entry) = self.current() else {
            let text = if self.is_loading {
                "Reading…"
            } else {
                self.kind.empty_text()
            };
            draw_line(buf, areas.body, &[text_span(TextRole::Muted, text)], theme);
            return;
        };
        let width = usize::from(areas.below.width);
        let details = entry
            .details
            .iter()
            .flat_map(|line| text::wrap_text(&text::sanitize_line(line), width))
            .map(|line| [text_span(TextRole::Muted, line)]);
        paint::draw_lines(buf, areas.below, details, theme);
    }
}
