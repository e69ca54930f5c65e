//! Draws the list of the queue.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cells::{ListedLine, ShownColumn, draw_cells};
use super::promises::{promise_line, snooze_line};
use super::threads::{Branches, gap_line};
use super::title::{list_note, list_title, undescribed_count};
use super::{QueueList, QueuePane, preview};
use crate::app::Context;
use crate::app::context::connection;
use crate::app::context::promises::due_count;
use crate::app::focused_list::FocusedList;
use crate::app::format::{self, format_count, pluralize};
use crate::app::model::line_order::Line;
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::QueueTabState;
use crate::app::panes::group_heading::GroupHeading;
use crate::app::prompt::PromptKind;
use crate::domain::queue::QueueTab;
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_columns::find_column;
use crate::ui::table::TableLine;
use crate::ui::{TextRole, TextSpan, draw_line, paint, panel, text_span};

pub fn draw(pane: &QueuePane, cx: &Context, buf: &mut Buffer) {
    draw_filter(cx, buf);
    let tab = cx.queue.current_tab();
    let theme = cx.settings.theme;
    let areas = cx.frame.layout();
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
        !in_preview && cx.ui.focus.pane_has_focus(),
        &theme,
    );
    match (&tab.load, tab.len()) {
        (LoadState::Failed(reason), _) => {
            match connection::rate_limit_label(&cx.clock, &cx.connection) {
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
            }
        }
        (LoadState::Ready, 0) => draw_empty(cx, buf),
        (_, 0) => cx.draw_message(buf, areas.rows, &[], &["loading the queue"]),
        _ => draw_rows(cx, buf, tab),
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
        let bar = cx.frame.layout().tab_bar;
        let way_back = [
            text_span(
                TextRole::Key,
                format!(" {}", cx.keymap.label("queue.filter.clear")),
            ),
            text_span(TextRole::Muted, if is_own { " all" } else { " as saved" }),
        ];
        let summary = [text_span(TextRole::Warning, filter_summary(cx))];
        let tabs_end = cx
            .frame
            .layout()
            .last_tab()
            .map_or(bar.x, |last| last.right() + 3);
        let needed = paint::spans_width(&summary) + 1 + paint::spans_width(&way_back);
        // It has room after the tabs, or takes a third of the bar from them.
        let whole = bar.right().saturating_sub(needed + 1);
        let third = bar.right().saturating_sub(bar.width / 3);
        let left = tabs_end.min(third).max(whole);
        let area = Rect {
            x: left,
            width: bar.right().saturating_sub(left + 1),
            ..bar
        };
        let gap = Rect {
            x: left.saturating_sub(2),
            width: area.width + 2,
            ..bar
        };
        let blank = " ".repeat(usize::from(gap.width));
        draw_line(
            buf,
            gap,
            &[text_span(TextRole::Text, blank)],
            &cx.settings.theme,
        );
        paint::draw_two_sided_line(buf, area, &summary, &way_back, &cx.settings.theme);
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
    parts.join(&format!(" {} ", cx.settings.theme.glyphs().separator))
}

/// The name of New or Done with its row count under the filter, where known.
fn tab_label(cx: &Context, tab: QueueTab, own: &ListSettings) -> String {
    if tab == QueueTab::Today {
        let due = due_count(&cx.promises, &cx.queue, &cx.team, &cx.clock);
        return with_count(tab.title(), Some(due as u64).filter(|due| *due > 0));
    }
    let state = cx.queue.tab_state(tab);
    let ListSettings {
        filter, conditions, ..
    } = own;
    let is_narrowed = !filter.is_empty() || !conditions.is_empty();
    // The lists hold the signals of the saved tab that is shown.
    let is_own = *filter == cx.queue.filter;
    // A list off screen is refreshed only when it is shown: until then the polled counts are more
    // accurate.
    let known = is_own && state.load == LoadState::Ready && (!state.stale || is_narrowed);
    let polled = cx
        .stats
        .as_ref()
        .filter(|_| !is_narrowed)
        .map(|stats| match tab {
            QueueTab::New => stats
                .new_count
                .saturating_sub(cx.queue.snoozes.sleeping_count() as u64),
            QueueTab::Done => stats.done_count,
            QueueTab::Today => 0,
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
    let settings = cx.queue.own_settings();
    let own = QueueTab::ALL
        .iter()
        .map(|tab| tab_label(cx, *tab, &settings));
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

/// Why the list is empty, never an empty box.
fn draw_empty(cx: &Context, buf: &mut Buffer) {
    let is_finding = cx
        .ui
        .prompt
        .as_ref()
        .is_some_and(|prompt| prompt.kind == PromptKind::Find && cx.ui.find.origin.is_some());
    let is_searched = cx.queue.current_tab().arrangement().query.is_some();
    let undescribed = match is_searched {
        true => cx.undescribed_rows().len(),
        false => undescribed_count(cx),
    };
    if undescribed > 0 && !is_finding {
        let what = format!(
            "nothing matches so far; not described: {}",
            pluralize(undescribed, "row")
        );
        let hints = [
            match cx.descriptions.reads_what_a_search_lacks(&cx.ui, &cx.queue) {
                true => "they are being read",
                false => "{queue.describe} describes them",
            },
            match is_searched {
                true => "{back} shows all",
                false => "{queue.filter.clear} clears the filter",
            },
        ];
        return cx.draw_message(
            buf,
            cx.frame.layout().rows,
            &[text_span(TextRole::Strong, what)],
            &hints,
        );
    }
    let (what, hint) = match cx.queue.tab {
        _ if is_finding => ("no loaded row matches", "{prompt.cancel} ends the search"),
        _ if cx.queue.current_tab().arrangement().query.is_some() => {
            ("no loaded row matches", "{back} shows all")
        }
        // The filter is about the service's lists.
        QueueTab::Today => (
            &*cx.queue.describe_end_of_day().unwrap_or_default(),
            "{tab.next} goes to New",
        ),
        _ if !cx.queue.filter.q.is_empty() => {
            let hints = [
                "a text filter looks at names and addresses only",
                "{queue.filter.clear} clears it; {find} then searches what is being built, too",
            ];
            let what = [text_span(TextRole::Strong, "nothing matches this filter")];
            return cx.draw_message(buf, cx.frame.layout().rows, &what, &hints);
        }
        _ if cx.queue.is_narrowed() => (
            match cx.queue.filter.city.as_str() {
                "" => "nothing matches this filter",
                city => &format!("no signal in {city} matches this filter"),
            },
            "{queue.filter.clear} clears the filter",
        ),
        QueueTab::New if let Some(day) = cx.connection.busiest_day => {
            let lines = [
                text_span(
                    TextRole::Strong,
                    "every signal in this file was filed more than 90 days ago",
                ),
                text_span(
                    TextRole::Muted,
                    "To see the queue on its busiest day, quit and start again with",
                ),
                text_span(TextRole::Text, format!("--as-of {day}")),
            ];
            return cx.draw_message(buf, cx.frame.layout().rows, &lines, &[]);
        }
        QueueTab::New
            if cx
                .stats
                .as_ref()
                .is_some_and(|stats| stats.new_count == 0 && stats.done_count == 0) =>
        {
            let hints = [
                "gantry import FILE adds the permits of a city to a service of your own",
                "{go.subscriptions} chooses the types of signals that appear here",
                "where all permits are older: gantry serve --data FILE --as-of DATE, or gantry team up",
                "with the same options, shows the queue of an earlier day",
            ];
            let what = [text_span(
                TextRole::Strong,
                "no signals of the last 90 days",
            )];
            return cx.draw_message(buf, cx.frame.layout().rows, &what, &hints);
        }
        QueueTab::New if cx.queue.snoozes.sleeping_count() > 0 => (
            "all others are done",
            "what is snoozed is at the end of Today: {today} goes there",
        ),
        QueueTab::New => (
            "all done",
            "new signals of subscribed types appear here and drop off 90 days after filing",
        ),
        QueueTab::Done => (
            "nothing marked done yet",
            "{queue.done} on the New tab marks a signal done",
        ),
    };
    cx.draw_message(
        buf,
        cx.frame.layout().rows,
        &[text_span(TextRole::Strong, what)],
        &[hint],
    );
}

fn draw_rows(cx: &Context, buf: &mut Buffer, tab: &QueueTabState) {
    let (theme, areas, top) = (cx.settings.theme, cx.frame.layout(), tab.scroll.top);
    let has_focus = true;
    let list = QueueList { cx, has_focus };
    let mut branches = Branches::from_line(tab, top);
    let lines: Vec<(Line, Option<&'static str>)> = (top..tab.len())
        .take(areas.rows.height.into())
        .map_while(|at| tab.line_at(at))
        .map(|line| (line, branches.next_line(tab, line, &theme)))
        .collect();
    let range = tab.range_start();
    let amount = find_column("cost").map(ColumnSpec::from);
    let draw_line = |columns: &[ShownColumn], at: usize, is_current: bool| {
        let Some((line, branch)) = lines.get(at - top).copied() else {
            return TableLine::Text(Vec::new());
        };
        if let Line::Gap { size, .. } = line {
            return TableLine::Text(gap_line(size, is_current, &theme));
        }
        if let Some(promise) = tab.promise_on_line(line) {
            return TableLine::Text(promise_line(promise, is_current, &theme));
        }
        if let (QueueTab::Today, Line::Row(slot)) = (cx.queue.tab, line)
            && let Some(snooze) = tab.list.id_at(slot).and_then(|id| cx.queue.snoozes.get(id))
        {
            let is_marked = list.is_marked(slot) || tab.is_in_range(at, range);
            return TableLine::Text(snooze_line(cx, snooze, is_current, is_marked));
        }
        let is_threaded = tab.arrangement().is_threaded();
        if let Some(group) = tab.group_on(line).filter(|_| !is_threaded) {
            let is_marked = group.rows.iter().all(|slot| list.is_marked(*slot));
            let heading = GroupHeading::new(group, amount.as_ref(), is_marked);
            return TableLine::Text(heading.line(is_current, &theme));
        }
        TableLine::Cells(draw_cells(
            &ListedLine {
                cx,
                tab,
                line,
                branch,
                is_under_heading: branch.is_some() && at > top && is_threaded,
                is_current,
                is_in_range: tab.is_in_range(at, range),
            },
            columns,
        ))
    };
    let panels = (areas.panel, areas.rows);
    let draw_lines = |columns: Vec<ColumnSpec>| {
        let columns: Vec<ShownColumn> = columns.iter().map(ShownColumn::from).collect();
        move |at, is_current| draw_line(&columns, at, is_current)
    };
    cx.draw_list_lines(buf, &list, tab.scroll, panels, has_focus, draw_lines);
}
