//! Draws the list of the queue.

use chrono::Datelike;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::QueueColumns;
use super::threads::{Branches, draw_gap};
use super::title::{list_note, list_title, undescribed_count};
use super::{QueuePane, preview};
use crate::app::Context;
use crate::app::format::{self, format_count, format_time, pluralize};
use crate::app::model::list_field::FieldKind;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::{QueueLine, QueueTabState};
use crate::app::model::signal_list::MissingReason;
use crate::app::panes::fact_list::priority_role;
use crate::app::panes::group_heading::GroupHeading;
use crate::app::prompt::PromptKind;
use crate::domain::SignalId;
use crate::domain::description::place_of_source;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_fields::{RowFacts, RowField, RowValue};
use crate::ui::{
    TextRole, TextSpan, Theme, area, draw_line, paint, panel, scroll, table, text_span,
};

pub fn draw(pane: &QueuePane, cx: &Context, buf: &mut Buffer) {
    draw_filter(cx, buf);
    let tab = cx.queue.current_tab();
    let theme = cx.theme();
    let areas = cx.layout();
    let in_preview = pane.preview.focused && !areas.side_panel.is_empty();
    let title = list_title(cx, tab);
    let note = Some(list_note(cx, tab, true))
        .filter(|note| panel::has_room_for_note(areas.panel, &title, note));
    let note = note.unwrap_or_else(|| list_note(cx, tab, false));
    panel::draw_panel(
        buf,
        areas.panel,
        &title,
        &note,
        !in_preview && cx.pane_has_focus(),
        &theme,
    );
    match (&tab.load, tab.len()) {
        (LoadState::Failed(reason), _) => match cx.rate_limit_label() {
            Some(label) => {
                cx.draw_message(
                    buf,
                    areas.rows,
                    &[text_span(TextRole::Warning, label)],
                    &["the queue is loaded then"],
                );
            }
            None => cx.draw_error(
                buf,
                areas.rows,
                "could not load the queue",
                reason,
                "{refresh} retries",
            ),
        },
        (LoadState::Ready, 0) => draw_empty(cx, buf),
        (_, 0) => cx.draw_message(buf, areas.rows, &[], &["loading the queue"]),
        _ => {
            let columns = QueueColumns::new(cx, areas.rows);
            draw_heading(cx, &columns, buf);
            draw_rows(cx, &columns, buf, tab);
            scroll::draw_scrollbar(
                buf,
                areas.panel,
                areas.rows,
                tab.scroll.top,
                tab.len(),
                &theme,
            );
        }
    }
    if areas.side_panel.height > 0 {
        preview::draw_preview(pane, cx, buf);
    }
}

/// Draws the filter at the right of the tabs.
fn draw_filter(cx: &Context, buf: &mut Buffer) {
    let is_own = cx.queue.shown_saved_tab().is_none();
    if if is_own {
        cx.queue.is_narrowed()
    } else {
        cx.queue.is_saved_tab_changed()
    } {
        let area = Rect {
            width: cx.layout().tab_bar.width.saturating_sub(1),
            ..cx.layout().tab_bar
        };
        let pieces = [
            text_span(TextRole::Warning, filter_summary(cx)),
            text_span(
                TextRole::Key,
                format!("  {}", cx.keymap().label("queue.filter.clear")),
            ),
            text_span(TextRole::Muted, if is_own { " all" } else { " as saved" }),
        ];
        paint::draw_line_right(buf, area, &pieces, &cx.theme());
    }
}

/// A filter as text: `high, medium · Austin · "crane"`.
fn filter_summary(cx: &Context) -> String {
    let filter = &cx.queue.filter;
    let mut parts = Vec::new();
    if !filter.priority.is_empty() {
        parts.push(
            filter
                .priority
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    match filter.signal_type.len() {
        0 => {}
        1..=2 => parts.push(
            filter
                .signal_type
                .iter()
                .map(|kind| format::humanize(kind.as_str()))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        n => parts.push(format!("{n} types")),
    }
    if !filter.city.is_empty() {
        parts.push(filter.city.clone());
    }
    if !filter.q.is_empty() {
        parts.push(format!("\"{}\"", filter.q));
    }
    parts.extend(
        Some(cx.queue.list_settings().conditions.to_string())
            .filter(|conditions| !conditions.is_empty()),
    );
    parts.join(&format!(" {} ", cx.theme().glyphs().separator))
}

/// The name of New or Done with its row count under the filter, where known.
fn tab_label(cx: &Context, tab: QueueTab) -> String {
    let state = cx.queue.tab_state(tab);
    let ListSettings {
        filter, conditions, ..
    } = cx.queue.own_settings();
    let is_narrowed = !filter.is_empty() || !conditions.is_empty();
    // The lists hold the signals of the saved tab that is shown.
    let is_own = filter == cx.queue.filter;
    // A list off screen is refreshed only when it is shown: until then the polled counts are more
    // accurate.
    let known = is_own && state.load == LoadState::Ready && (!state.stale || is_narrowed);
    let polled = cx.stats().filter(|_| !is_narrowed).map(|stats| match tab {
        QueueTab::New => stats
            .new_count
            .saturating_sub(cx.queue.snoozes.sleeping_count() as u64),
        QueueTab::Done => stats.done_count,
        QueueTab::Snoozed => state.list.total(),
    });
    let total = match (known, cx.queue.shown_saved_tab()) {
        (true, None) => cx.queue.list_count(tab),
        (true, Some(_)) => conditions.is_empty().then(|| cx.queue.shown_total(tab)),
        (false, _) => polled,
    };
    with_count(tab.title(), total)
}

fn with_count(title: &str, count: Option<u64>) -> String {
    count.map_or_else(
        || title.to_owned(),
        |n| format!("{title} {}", format_count(n)),
    )
}

pub fn tab_labels(cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
    let shown = cx.queue.tab_index();
    let own = cx.queue.own_tabs().map(|tab| tab_label(cx, tab));
    let saved = cx
        .queue
        .saved_tabs()
        .iter()
        .enumerate()
        .map(|(at, tab)| with_count(&tab.name, cx.queue.saved_count(at)));
    let role = |at| {
        if at == shown {
            TextRole::Selected
        } else {
            TextRole::Muted
        }
    };
    own.chain(saved)
        .enumerate()
        .map(|(at, label)| vec![text_span(role(at), label)])
        .collect()
}

/// Why the list is empty: one of three reasons, never an empty box.
fn draw_empty(cx: &Context, buf: &mut Buffer) {
    let undescribed = undescribed_count(cx);
    if undescribed > 0 {
        let what = format!(
            "nothing matches so far; not described: {}",
            pluralize(undescribed, "row")
        );
        let hints = [
            "{queue.describe} describes them",
            "{queue.filter.clear} clears the filter",
        ];
        return cx.draw_message(
            buf,
            cx.layout().rows,
            &[text_span(TextRole::Strong, what)],
            &hints,
        );
    }
    let is_finding = cx
        .prompt
        .as_ref()
        .is_some_and(|prompt| prompt.kind == PromptKind::Find);
    let (what, hint) = match cx.queue.tab {
        _ if is_finding => ("no loaded row matches", "{prompt.cancel} ends the search"),
        _ if cx.queue.is_narrowed() => (
            "nothing matches this filter",
            "{queue.filter.clear} clears the filter",
        ),
        QueueTab::New if let Some(command) = &cx.connection().as_of_command => {
            let lines = [
                text_span(
                    TextRole::Strong,
                    "every signal in this file was filed more than 90 days ago",
                ),
                text_span(
                    TextRole::Muted,
                    "To see the queue on its busiest day, quit and run:",
                ),
                text_span(TextRole::Text, command),
            ];
            return cx.draw_message(buf, cx.layout().rows, &lines, &[]);
        }
        QueueTab::New => (
            "all done",
            "new signals of subscribed types appear here and drop off 90 days after filing",
        ),
        QueueTab::Done => (
            "nothing marked done yet",
            "{queue.done} on the New tab marks a signal done",
        ),
        QueueTab::Snoozed => (
            "nothing is snoozed",
            "{queue.snooze} on the New tab snoozes a signal, on this machine only",
        ),
    };
    cx.draw_message(
        buf,
        cx.layout().rows,
        &[text_span(TextRole::Strong, what)],
        &[hint],
    );
}

fn draw_heading(cx: &Context, columns: &QueueColumns, buf: &mut Buffer) {
    let heading = cx.layout().heading;
    table::draw_heading(
        buf,
        &columns.layouts,
        &columns.window.areas,
        heading,
        &cx.theme(),
    );
    columns.window.draw_hidden(buf, heading, &cx.theme());
}

fn draw_rows(cx: &Context, columns: &QueueColumns, buf: &mut Buffer, tab: &QueueTabState) {
    let range = tab.range_start();
    let theme = cx.theme();
    let mut branches = Branches::from_line(tab, tab.scroll.top);
    let mut wrapped = (0, Vec::new());
    for n in 0..cx.layout().rows.height {
        let at = tab.scroll.top + usize::from(n);
        let Some(what) = tab.line_at(at) else { break };
        let row = paint::row_rect(cx.layout().rows, n);
        let branch = branches.next_line(what, &theme);
        if let QueueLine::Gap { size, .. } = what {
            draw_gap(buf, row, size, at == tab.scroll.cursor, &theme);
            continue;
        }
        if let Some(group) = tab.value_group(what) {
            let sum = if group.cost > 0.0 {
                FieldKind::Money.format_number(group.cost)
            } else {
                String::new()
            };
            let (is_open, is_marked) = (group.is_open, group.is_marked);
            let heading = GroupHeading {
                label: group.value.into(),
                count: group.count,
                sum,
                is_open,
                is_marked,
            };
            heading.draw(buf, row, at == tab.scroll.cursor, true, &theme);
            continue;
        }
        let line = ListedLine {
            branch,
            is_under_heading: branch.is_some() && n > 0 && tab.arrangement().is_threaded,
            ..ListedLine::new(cx, tab, what, at)
        };
        for (column, area) in &columns.window.areas {
            let cell = match column.checked_sub(1) {
                None => line.state(tab.is_in_range(at, range)),
                Some(field) => line.cell(columns.fields[field], columns.has_full_types),
            };
            let area = Rect {
                y: row.y,
                height: 1,
                ..*area
            };
            if columns.layouts[*column].align_right {
                paint::draw_line_right(buf, area, &cell, &theme);
            } else {
                draw_cell_with_tail(buf, area, &cell, &theme);
            }
            if at == tab.scroll.cursor {
                wrapped.0 = n;
                wrapped.1.push((area, cell));
            }
        }
        if at == tab.scroll.cursor {
            buf.set_style(row, theme.cursor_row_style(true));
        }
    }
    if cx.wraps_cursor_row() {
        table::draw_wrapped_row(
            buf,
            cx.layout().rows,
            wrapped.0,
            &wrapped.1,
            theme.cursor_row_style(true),
            &theme,
        );
    }
}

/// The text of a cell, and what follows it: often nothing.
type Cell<'a> = [TextSpan<'a>; 2];

fn cell(text: TextSpan<'_>) -> Cell<'_> {
    [text, text_span(TextRole::Text, "")]
}

/// Draws a cell without cutting its end: a long name makes room for the count after it.
fn draw_cell_with_tail(buf: &mut Buffer, room: Rect, [head, tail]: &Cell<'_>, theme: &Theme) {
    let tail_width = paint::spans_width(std::slice::from_ref(tail));
    let used = draw_line(
        buf,
        Rect {
            width: room.width.saturating_sub(tail_width),
            ..room
        },
        std::slice::from_ref(head),
        theme,
    );
    draw_line(
        buf,
        area::area_after(room, used),
        std::slice::from_ref(tail),
        theme,
    );
}

/// A line of the list: a row, or the heading of a thread.
struct ListedLine<'a> {
    cx: &'a Context,
    tab: &'a QueueTabState,
    /// `None` if it is not loaded.
    row: Option<&'a QueueSignal>,
    known: Option<RowFacts<'a>>,
    missing: Option<MissingReason>,
    /// The signals of a thread, and whether it is open.
    thread: Option<(Vec<SignalId>, bool)>,
    /// The branch of a row under the heading of its thread.
    branch: Option<&'static str>,
    /// The heading above it has the name of the project.
    is_under_heading: bool,
    is_current: bool,
}

impl<'a> ListedLine<'a> {
    fn new(cx: &'a Context, tab: &'a QueueTabState, what: QueueLine, at: usize) -> ListedLine<'a> {
        let (row, missing, thread) = match what {
            QueueLine::Row(slot) => (tab.list.row_at(slot), tab.list.missing(slot), None),
            QueueLine::Thread { first, open, .. } => (
                tab.list.row_at(first),
                None,
                Some((tab.ids_on_line(what), open)),
            ),
            QueueLine::Gap { .. } => (None, None, None),
        };
        ListedLine {
            cx,
            tab,
            row,
            known: row.map(|row| cx.queue.describe_row(row)),
            missing,
            thread,
            branch: None,
            is_under_heading: false,
            is_current: at == tab.scroll.cursor,
        }
    }

    /// The cursor, and one symbol.
    fn state(&self, in_range: bool) -> Cell<'a> {
        let cursor = self.cx.theme().glyphs().cursor_span(self.is_current);
        match self.row {
            Some(row) => [
                cursor,
                state_mark(
                    self.cx,
                    self.tab,
                    row,
                    self.thread.as_ref().map(|(ids, _)| ids.as_slice()),
                    in_range,
                ),
            ],
            None => cell(cursor),
        }
    }

    fn cell(&self, field: RowField, has_full_types: bool) -> Cell<'a> {
        let glyphs = self.cx.theme().glyphs();
        let Some(row) = self.row else {
            return cell(match (self.missing, field) {
                (None, _) => text_span(TextRole::Faint, glyphs.separator),
                (Some(MissingReason::Unreadable), RowField::Project) => {
                    text_span(TextRole::Warning, "unreadable row")
                }
                (Some(MissingReason::NotSent), RowField::Project) => {
                    text_span(TextRole::Warning, "row missing from the reply")
                }
                (Some(_), _) => text_span(TextRole::Text, ""),
            });
        };
        let signal = &row.signal;
        let day =
            |when: &Option<DateOrDateTime>| match when.as_ref().map(|when| (when.date(), when)) {
                Some((Some(day), _)) => text_span(
                    TextRole::Muted,
                    format!("{:02}-{:02}", day.month(), day.day()),
                ),
                Some((None, when)) => text_span(TextRole::Muted, format::format_full_day(when)),
                None => text_span(TextRole::Faint, glyphs.missing),
            };
        let text =
            |role: TextRole, text: Option<&'a str>| match text.filter(|text| !text.is_empty()) {
                Some(text) => text_span(role, text),
                None => text_span(TextRole::Faint, glyphs.missing),
            };
        let span = match field {
            RowField::Priority => {
                let letter = row
                    .priority
                    .as_ref()
                    .map_or('?', |priority| priority.letter());
                text_span(priority_role(row.priority.as_ref()), letter.to_string())
            }
            RowField::Type => {
                let kind = self.kind(row, has_full_types);
                return cell(match self.branch {
                    Some(branch) => text_span(kind.role, format!("{branch} {}", kind.text)),
                    None => kind,
                });
            }
            RowField::Filed => day(&signal.filed_at),
            RowField::Discovered => day(&signal.discovered_at),
            RowField::Project => return self.project(row),
            RowField::Description => text(
                TextRole::Text,
                self.known.and_then(|known| known.description),
            ),
            RowField::City => {
                let place = || signal.source_display_name.as_deref().map(place_of_source);
                let city = self.known.and_then(|known| known.city);
                text(TextRole::Muted, city.or_else(place))
            }
            RowField::DaysLeft => days_left(self.cx, row),
            RowField::Account => text(TextRole::Marked, self.known.and_then(|known| known.account)),
            RowField::TriagedBy => {
                text_span(TextRole::Text, self.cx.user_name(row.triaged_by.as_ref()))
            }
            RowField::TriagedAt if self.cx.queue.tab == QueueTab::Snoozed => {
                let snooze = self.cx.queue.snoozes.get(signal.id);
                text_span(
                    TextRole::Text,
                    snooze
                        .map(|snooze| self.cx.format_until_short(snooze.until))
                        .unwrap_or_default(),
                )
            }
            RowField::TriagedAt => {
                let at = row.triaged_at.as_ref().and_then(|when| when.date_time());
                let at = at.map(|at| {
                    format_time(at, self.cx.service_now(), self.cx.settings().utc_offset)
                });
                text_span(TextRole::Muted, at.unwrap_or_default())
            }
            _ => match self.known.and_then(|known| known.value(field)) {
                Some(RowValue::Text(text) | RowValue::Ranked(_, text)) => {
                    text_span(TextRole::Muted, text)
                }
                Some(RowValue::Number(number)) => {
                    text_span(TextRole::Text, field.kind().format_number(number))
                }
                Some(RowValue::Date(_)) | None => text_span(TextRole::Faint, glyphs.missing),
            },
        };
        cell(span)
    }

    /// The type, or how many signals the thread has.
    fn kind(&self, row: &'a QueueSignal, has_full_types: bool) -> TextSpan<'a> {
        let glyphs = self.cx.theme().glyphs();
        match (&self.thread, row.signal.signal_type.as_ref()) {
            (Some((ids, open)), _) => {
                let fold = if *open {
                    glyphs.expanded
                } else {
                    glyphs.collapsed
                };
                text_span(TextRole::Muted, format!("{fold} {} signals", ids.len()))
            }
            (None, Some(kind)) if has_full_types => {
                text_span(TextRole::Text, format::humanize(kind.as_str()))
            }
            (None, Some(kind)) if self.cx.queue.facts.has_descriptions() => {
                text_span(TextRole::Text, kind.word())
            }
            (None, Some(kind)) => text_span(TextRole::Text, kind.short_label()),
            (None, None) => text_span(TextRole::Text, glyphs.missing),
        }
    }

    /// The project's name, and how many of its signals are loaded if there are several.
    fn project(&self, row: &'a QueueSignal) -> Cell<'a> {
        let name = row
            .signal
            .project_name
            .as_deref()
            .unwrap_or("unnamed project");
        let name = if self.is_under_heading { "" } else { name };
        let mut project = cell(text_span(TextRole::strong_if(self.thread.is_some()), name));
        let glyphs = self.cx.theme().glyphs();
        if !self.is_under_heading && self.cx.queue.facts.book_match(row).is_some() {
            project[0] = text_span(TextRole::Strong, format!("{} {name}", glyphs.favorite));
        }
        let mut tail = String::new();
        if let (false, Some(n)) = (self.tab.is_grouped(), self.tab.sibling_count(row)) {
            tail = format!(" ({n})");
        }
        if self.thread.is_none() && self.tab.list.duplicate_count(row) > 0 {
            tail = format!("{tail} {}", glyphs.duplicate);
        }
        project[1] = text_span(TextRole::Muted, tail);
        project
    }
}

/// One symbol per row, the most urgent.
fn state_mark(
    cx: &Context,
    tab: &QueueTabState,
    row: &QueueSignal,
    thread: Option<&[SignalId]>,
    in_range: bool,
) -> TextSpan<'static> {
    let glyphs = cx.theme().glyphs();
    let id = row.signal.id;
    let marked = match thread {
        Some(ids) => ids.iter().all(|id| tab.marks.contains(id)),
        None => tab.marks.contains(&id),
    };
    if tab.unconfirmed.contains(&id) {
        text_span(TextRole::Warning, glyphs.unknown)
    } else if cx.outbox().offline.is_waiting(id) {
        text_span(TextRole::Warning, glyphs.waiting)
    } else if marked || in_range {
        text_span(TextRole::Marked, glyphs.marked)
    } else if cx.queue.snoozes.has_returned(id) {
        text_span(TextRole::New, glyphs.returned_row)
    } else if cx.queue.news.contains(row) {
        text_span(TextRole::New, glyphs.new_row)
    } else if cx.queue.bookmark(id).is_some() {
        text_span(TextRole::Key, "'")
    } else {
        text_span(TextRole::Text, " ")
    }
}

fn days_left(cx: &Context, row: &QueueSignal) -> TextSpan<'static> {
    match row.days_left(cx.service_now()) {
        Some(days) if row.leaves_soon(cx.service_now()) => {
            text_span(TextRole::Warning, format!("{}d!", days.max(0)))
        }
        Some(days) => text_span(TextRole::Muted, format!("{days}d")),
        None => text_span(TextRole::Faint, cx.theme().glyphs().missing),
    }
}
