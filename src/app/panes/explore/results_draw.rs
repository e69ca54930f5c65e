//! Draws Explore's results: what they are of, the search above those that have the screen, and the
//! history below them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{ExplorePane, SearchRun};
use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::format::{format_count, humanize};
use crate::app::layout::panel_text_area;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::panes::records;
use crate::domain::conditions::capitalize;
use crate::text;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, scroll, text_span};

/// Visible lines of the history.
const HISTORY_ROWS: u16 = 5;

impl ExplorePane {
    /// Draws the results with the history below them, or what takes their place.
    pub(super) fn draw_results(
        &self,
        cx: &Context,
        results: Rect,
        history: Rect,
        buf: &mut Buffer,
    ) {
        match displayed_list(self, cx) {
            _ if self.as_json => {}
            Some((id, list)) => records::draw::draw(
                cx,
                &id,
                results_title(self, cx, list),
                results,
                self.results_focused,
                buf,
            ),
            None => draw_about(cx, results, buf),
        }
        if !history.is_empty() {
            draw_history(self, cx, history, buf);
        }
    }

    /// Draws the search above results that have the screen.
    pub(super) fn draw_search_strip(&self, cx: &Context, area: Rect, buf: &mut Buffer) {
        draw_strip(self, cx, area, buf);
    }

    /// The lines of the strip above results that have the screen.
    pub(super) fn strip_height(&self, cx: &Context, width: u16) -> u16 {
        u16::try_from(strip_lines(self, cx, width).len().max(1) + 2).unwrap_or(3)
    }

    /// The areas of the results and of the history.
    pub(super) fn split_history(&self, area: Rect) -> (Rect, Rect) {
        split_history(self, area)
    }
}

/// What the results are of; and that they are not those of the search being built, if it has
/// changed since.
fn results_title(explore: &ExplorePane, cx: &Context, list: &RecordList) -> Vec<TextSpan<'static>> {
    let total = records::draw::total_label(list)
        .map(|total| format!("  {total} match"))
        .unwrap_or_default();
    let dataset = list.source.dataset();
    if explore
        .matching_run(&cx.records.lists)
        .is_some_and(|(run, _)| Some(run.number) == explore.current_run)
    {
        return vec![
            text_span(TextRole::Strong, humanize(dataset.as_str())),
            text_span(TextRole::Muted, total),
        ];
    }
    let run = if explore.results_focused {
        "explore.other"
    } else {
        "explore.run"
    };
    let hint = if explore.results_focused {
        " shows the new search"
    } else {
        " runs the new search"
    };
    vec![
        text_span(TextRole::Warning, "previous results"),
        text_span(TextRole::Muted, format!("{total}  ")),
        cx.keymap.key_label(run),
        text_span(TextRole::Muted, hint),
    ]
}

/// The search of the results in a sentence, on two lines at most.
fn strip_lines(explore: &ExplorePane, cx: &Context, width: u16) -> Vec<String> {
    let Some((_, list)) = displayed_list(explore, cx) else {
        return Vec::new();
    };
    let mut words = explore.describe(&list.source.dataset(), &list.search.filters);
    if let Some(sort) = &list.search.sort {
        words.push_str(&format!(" {}.", capitalize(&sort.describe())));
    }
    let mut lines = text::wrap_text(
        &text::sanitize_line(&words),
        usize::from(width.saturating_sub(4)),
    );
    if lines.len() > 2 {
        lines.truncate(2);
        lines[1].push_str(" ...");
    }
    lines
}

/// The strip above results that have the screen: their search, and the way back to the builder.
fn draw_strip(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let title = [text_span(TextRole::Strong, "Explore")];
    let note = [
        cx.keymap.key_label("explore.other"),
        text_span(TextRole::Muted, " builder"),
    ];
    let inner = area::inset_sides(
        panel::draw_panel(buf, area, &title, &note, false, &theme),
        1,
    );
    let lines = strip_lines(explore, cx, area.width)
        .into_iter()
        .map(|words| [text_span(TextRole::Text, words)]);
    paint::draw_lines(buf, inner, lines, &theme);
}

/// The results of the displayed run.
fn displayed_list<'a>(explore: &ExplorePane, cx: &'a Context) -> Option<(ListId, &'a RecordList)> {
    let id = explore.displayed_run()?.list_id();
    let list = cx.records.lists.get(&id)?;
    Some((id, list))
}

/// Splits off the history below the results, if there is one and room for it.
fn split_history(explore: &ExplorePane, area: Rect) -> (Rect, Rect) {
    let runs = u16::try_from(explore.runs.len())
        .unwrap_or(HISTORY_ROWS)
        .min(HISTORY_ROWS);
    if runs == 0 || area.height < 20 || explore.results_focused {
        return (area, Rect::default());
    }
    area::split_rows(area, runs + 2)
}

fn draw_about(cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Results")],
        &[],
        false,
        &theme,
    );
    let hints = [
        "conditions are free until {explore.run} runs them",
        "{explore.ask} turns a question into conditions",
    ];
    cx.draw_message(
        buf,
        panel_text_area(area),
        &[text_span(TextRole::Strong, "nothing run yet")],
        &hints,
    );
}

fn draw_history(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let note = [text_span(
        TextRole::Muted,
        if cx.drafts.has_persistent_drafts() {
            "kept on this machine"
        } else {
            "kept until you quit"
        },
    )];
    let keys = text_span(
        TextRole::Key,
        cx.keymap.expand_keys("  {explore.older} {explore.newer}"),
    );
    let inner = panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "History"), keys],
        &note,
        false,
        &theme,
    );
    let runs: Vec<&SearchRun> = explore.runs.iter().rev().collect();
    let here = runs
        .iter()
        .position(|run| Some(run.number) == explore.current_run)
        .unwrap_or(0);
    let mut seen = ScrollState {
        cursor: here,
        top: 0,
    };
    seen.clamp_to_list(runs.len(), inner.height);
    for n in 0..inner.height {
        let Some(run) = runs.get(seen.top + usize::from(n)) else {
            break;
        };
        let is_here = Some(run.number) == explore.current_run;
        let Some(list) = cx.records.lists.get(&run.list_id()) else {
            continue;
        };
        let when = cx.clock.format_time(run.sent_at);
        let rows = match (&list.load, records::draw::total_label(list)) {
            (LoadState::Failed(_), _) => "failed".to_owned(),
            (LoadState::Ready, Some(total)) => {
                format!("{} of {total}", format_count(list.len() as u64))
            }
            (LoadState::Ready, None) => format_count(list.len() as u64),
            (_, Some(total)) => format!("{total} counted"),
            (LoadState::Loading, _) => "reading".to_owned(),
            _ => "not read".to_owned(),
        };
        let what = explore.describe(&list.source.dataset(), &list.search.filters);
        let pieces = [
            theme.glyphs().cursor_span(is_here),
            text_span(TextRole::strong_if(is_here), format!(" {when:<12}")),
            text_span(TextRole::Text, format!("{rows:>11}")),
            text_span(
                TextRole::Muted,
                format!("{:>5} cr  ", format_count(list.credits_spent)),
            ),
            text_span(TextRole::Muted, what),
        ];
        draw_line(buf, paint::row_rect(inner, n), &pieces, &theme);
    }
    scroll::draw_scrollbar(buf, area, inner, seen.top, runs.len(), &theme);
}
