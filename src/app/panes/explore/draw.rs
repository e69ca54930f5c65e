//! Draws Explore: the builder, the results beside it or in its place, and the history below them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{BuilderLine, ExplorePane, SearchDraft};
use crate::app::Context;
use crate::app::format::{self, format_count, humanize, pluralize};
use crate::app::layout::panel_text_area;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::PAGE_SIZE;
use crate::app::panes::records;
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionPath, Test, exclusive_bound};
use crate::domain::lenient::Number;
use crate::domain::search::{RecordSource, SortOrder};
use crate::domain::sentence::describe_search;
use crate::domain::vocabulary::ValueKind;
use crate::text;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, TextSpan, area, draw_line, paint, panel, text_span};

/// Width of the number and cursor before a condition, in cells.
const NUMBER_WIDTH: usize = 5;
/// Width of the comparison, in cells.
const OPERATOR_WIDTH: usize = 12;

/// A drawn line of the builder with its index; None if it belongs to the line above.
type BuilderRow = (Option<usize>, Vec<TextSpan<'static>>);

/// Draws the parts of the pane that have room.
pub fn draw(explore: &ExplorePane, cx: &Context, buf: &mut Buffer) {
    if explore.shows_strip(cx.frame.layout()) {
        explore.draw_search_strip(cx, cx.frame.layout().panel, buf);
    } else if !cx.frame.layout().panel.is_empty() {
        draw_builder(explore, cx, cx.frame.layout().panel, buf);
    }
    if cx.frame.layout().side_panel.is_empty() {
        return;
    }
    let (results, history) = explore.split_history(cx.frame.layout().side_panel);
    if explore.as_json {
        draw_json(explore, cx, results, buf);
    }
    explore.draw_results(cx, results, history, buf);
}

/// The areas of the conditions and of the footer below them, and the footer's lines.
fn split_builder(
    explore: &ExplorePane,
    cx: &Context,
    area: Rect,
) -> (Rect, Rect, Vec<Vec<TextSpan<'static>>>) {
    let inner = panel_text_area(area);
    let foot: Vec<_> = footer_lines(explore, cx, inner.width, inner.height);
    let (top, below) = area::split_rows(inner, u16::try_from(foot.len()).unwrap_or(0));
    (top, below, foot)
}

/// The area of each line of the builder, for the mouse.
pub fn line_areas(explore: &ExplorePane, cx: &Context, area: Rect) -> Vec<(Rect, usize)> {
    let (top, ..) = split_builder(explore, cx, area);
    visible_rows(explore, cx, top)
        .into_iter()
        .filter_map(|(row, (at, _))| Some((row, at?)))
        .collect()
}

fn visible_rows(explore: &ExplorePane, cx: &Context, area: Rect) -> Vec<(Rect, BuilderRow)> {
    let rows = builder_rows(explore, cx, usize::from(area.width));
    let at = rows
        .iter()
        .position(|(at, _)| *at == Some(explore.draft().cursor))
        .unwrap_or(0);
    let seen = ScrollState::centered_on(at, rows.len(), area.height);
    (0..area.height)
        .zip(rows.into_iter().skip(seen.top))
        .map(|(n, row)| (paint::row_rect(area, n), row))
        .collect()
}

pub fn draw_builder(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let over_list = explore.list_filter.is_some();
    let focused = over_list || !explore.results_focused;
    if over_list {
        panel::draw_popup(
            buf,
            area,
            &[text_span(TextRole::Strong, "Filter")],
            &[text_span(TextRole::Muted, "0 cr until applied")],
            &theme,
        );
    } else {
        let title = match &explore.edited_view {
            Some(edited) => [
                text_span(TextRole::Strong, edited.title.clone()),
                text_span(TextRole::Muted, "  its definition"),
            ],
            None => [
                text_span(TextRole::Strong, "Explore"),
                text_span(TextRole::Muted, "  the global index, not your book"),
            ],
        };
        panel::draw_panel(
            buf,
            area,
            &title,
            &[text_span(TextRole::Muted, "p JSON")],
            focused,
            &theme,
        );
    }
    let (top, bottom, foot) = split_builder(explore, cx, area);
    for (row, (at, pieces)) in visible_rows(explore, cx, top) {
        draw_line(buf, row, &pieces, &theme);
        if at == Some(explore.draft().cursor) {
            buf.set_style(row, theme.cursor_row_style(focused));
        }
    }
    paint::draw_lines(buf, bottom, &foot, &theme);
}

/// The lines of the builder: dataset, question, each condition with its error, and the line that
/// adds one.
fn builder_rows(explore: &ExplorePane, cx: &Context, width: usize) -> Vec<BuilderRow> {
    let draft = explore.draft();
    // A condition that is being edited is not an error yet.
    let saying = if cx.ui.overlay.is_some() || cx.ui.prompt.is_some() {
        draft.condition_path()
    } else {
        None
    };
    let issues: Vec<_> = explore
        .filter_errors()
        .into_iter()
        .filter(|issue| Some(issue.path) != saying)
        .collect();
    let mut rows: Vec<BuilderRow> = Vec::new();
    let key = longest_key(draft);
    for (n, at) in draft.lines().into_iter().enumerate() {
        match at {
            BuilderLine::Dataset => {
                rows.push((
                    Some(n),
                    dataset_spans(explore, cx, n == draft.cursor, width),
                ));
                if explore.list_filter.is_some() {
                    rows.push((None, Vec::new()));
                    continue;
                }
                rows.extend(
                    question_lines(explore, width)
                        .into_iter()
                        .map(|pieces| (None, pieces)),
                );
                rows.push((None, Vec::new()));
            }
            BuilderLine::Condition(place) => {
                rows.push((
                    Some(n),
                    condition_spans(explore, cx, place, key, n == draft.cursor),
                ));
                if let Some(issue) = issues.iter().find(|issue| issue.path == place) {
                    let indent =
                        " ".repeat(NUMBER_WIDTH + if place.inner_index.is_some() { 3 } else { 0 });
                    let room = width.saturating_sub(indent.len());
                    let wrapped = text::wrap_text(&text::sanitize_line(&issue.message), room)
                        .into_iter()
                        .take(3);
                    rows.extend(wrapped.map(|words| {
                        (
                            None,
                            vec![
                                text_span(TextRole::Text, indent.clone()),
                                text_span(TextRole::Error, words),
                            ],
                        )
                    }));
                }
            }
            BuilderLine::Add => {
                let here = if n == draft.cursor {
                    cx.settings.theme.glyphs().cursor
                } else {
                    " "
                };
                let words = if draft.filters.is_empty() {
                    " add condition"
                } else {
                    " add condition (AND)"
                };
                rows.push((
                    Some(n),
                    vec![
                        text_span(TextRole::Focus, format!("{here}    ")),
                        cx.keymap.key_label("explore.add"),
                        text_span(TextRole::Muted, words),
                    ],
                ));
            }
        }
    }
    rows
}

fn dataset_spans(
    explore: &ExplorePane,
    cx: &Context,
    here: bool,
    width: usize,
) -> Vec<TextSpan<'static>> {
    let cursor = if here {
        cx.settings.theme.glyphs().cursor
    } else {
        " "
    };
    if let Some(narrow) = &explore.list_filter {
        let words = match narrow.query.as_str() {
            _ if !narrow.source.accepts_query() => text_span(TextRole::Faint, "not searched here"),
            "" => text_span(TextRole::Faint, cx.settings.theme.glyphs().missing),
            words => text_span(TextRole::Text, words.to_owned()),
        };
        return vec![
            text_span(TextRole::Focus, cursor),
            text_span(TextRole::Muted, " words  "),
            words,
        ];
    }
    let label = if width < 56 { " " } else { " dataset   " };
    let mut pieces = vec![
        text_span(TextRole::Focus, cursor),
        text_span(TextRole::Muted, label),
    ];
    for dataset in Dataset::ALL {
        let chosen = dataset == explore.dataset();
        pieces.push(text_span(
            if chosen {
                TextRole::Selected
            } else {
                TextRole::Muted
            },
            dataset.to_string(),
        ));
        pieces.push(text_span(TextRole::Text, "  "));
    }
    pieces
}

/// The question in words, and the words that were not understood.
fn question_lines(explore: &ExplorePane, width: usize) -> Vec<Vec<TextSpan<'static>>> {
    let Some(question) = &explore.question else {
        return Vec::new();
    };
    let room = width.saturating_sub(12);
    let mut lines = Vec::new();
    let mut say = |label: &'static str, role: TextRole, words: &str| {
        for (n, words) in text::wrap_text(&text::sanitize_line(words), room)
            .into_iter()
            .take(4)
            .enumerate()
        {
            lines.push(vec![
                text_span(
                    TextRole::Muted,
                    format!("  {:<10}", if n == 0 { label } else { "" }),
                ),
                text_span(role, words),
            ]);
        }
    };
    // First of all what is not in the conditions below.
    if question.explanation.is_some() && !question.unmatched.is_empty() {
        say("ignored", TextRole::Warning, &question.unmatched.join(", "));
    }
    say("asked", TextRole::Text, &question.text);
    if question.explanation.is_none() {
        say("", TextRole::Muted, "waiting for the service");
    }
    lines
}

fn longest_key(draft: &SearchDraft) -> usize {
    let place = |place: ConditionPath| {
        let indent = if place.inner_index.is_some() { 3 } else { 0 };
        draft
            .filters
            .condition(place)
            .map_or(0, |(key, _)| text::display_width(key) + indent)
    };
    draft
        .filters
        .condition_paths()
        .into_iter()
        .map(place)
        .max()
        .unwrap_or(0)
        .clamp(12, 26)
}

/// A condition on a line: number, field, comparison and value.
fn condition_spans(
    explore: &ExplorePane,
    cx: &Context,
    place: ConditionPath,
    key_room: usize,
    here: bool,
) -> Vec<TextSpan<'static>> {
    let theme = cx.settings.theme;
    let glyphs = theme.glyphs();
    let Some((key, filter)) = explore.draft().filters.condition(place) else {
        return Vec::new();
    };
    let cursor = if here { glyphs.cursor } else { " " };
    let (number, indent) = match place.inner_index {
        None => (format!("{:>3} ", place.index + 1), 0),
        Some(n) => (format!("{:>3} ", ""), 3.min(n + 3)),
    };
    let room = key_room.saturating_sub(indent);
    let name = format!(
        "{}{:<room$} ",
        " ".repeat(indent),
        text::truncate(&humanize(key), room, glyphs.ellipsis)
    );
    let field = explore.condition_field(place);
    let kind = field.map(|field| field.kind.clone());
    let (role, operator, value) = match filter {
        Test::Values {
            values,
            exact,
            exclude,
        } => {
            let is_text = kind.is_none_or(|kind| kind == ValueKind::Text)
                && field.is_none_or(|field| !field.as_written);
            let kind_is_text = field.is_none_or(|field| field.kind == ValueKind::Text);
            let operator = match (exclude, exact, is_text) {
                (false, false, true) => "like",
                (false, true, _) => "exactly",
                (false, false, false) => "is",
                (true, false, true) => "not like",
                (true, true, _) => "not exactly",
                (true, false, false) => "is not",
            };
            let shown = |value: &serde_json::Value| match value.as_str() {
                Some(text) if kind_is_text => text.to_owned(),
                Some(word) => humanize(word),
                None => value.to_string(),
            };
            let values: Vec<String> = values.iter().map(shown).collect();
            (
                if *exclude {
                    TextRole::Warning
                } else {
                    TextRole::Muted
                },
                operator,
                values.join(" or "),
            )
        }
        Test::Range { min, max, exclude } => {
            let shown =
                |bound: &serde_json::Value| match serde_json::from_value::<Number>(bound.clone()) {
                    Ok(num @ (Number::Int(_) | Number::Float(_))) => format::format_number(&num),
                    _ => bound
                        .as_str()
                        .map_or_else(|| bound.to_string(), str::to_owned),
                };
            let exclusive = |bound: &Option<serde_json::Value>, is_min: bool| {
                exclusive_bound(bound.as_ref()?, is_min)
            };
            let (operator, value) = match (min, max) {
                _ if *exclude => ("not", filter.value_text()),
                (Some(min), Some(max)) if min == max => ("is", shown(min)),
                (Some(_), Some(_))
                    if exclusive(min, true).is_some() || exclusive(max, false).is_some() =>
                {
                    ("within", filter.value_text())
                }
                (Some(min), Some(max)) => ("from", format!("{} to {}", shown(min), shown(max))),
                (Some(min), None) if kind == Some(ValueKind::Date) => ("from", shown(min)),
                (Some(least), None) => match exclusive(min, true) {
                    Some(bound) => ("more than", shown(&bound)),
                    None => ("at least", shown(least)),
                },
                (None, Some(max)) if kind == Some(ValueKind::Date) => ("up to", shown(max)),
                (None, Some(most)) => match exclusive(max, false) {
                    Some(bound) => ("less than", shown(&bound)),
                    None => ("at most", shown(most)),
                },
                (None, None) => ("is", "known".to_owned()),
            };
            (TextRole::Muted, operator, value)
        }
        Test::Related(inner) => {
            let rest = if inner.is_empty() {
                "of any kind"
            } else {
                "where"
            };
            match key.starts_with("without_") {
                true => (TextRole::Warning, "none", rest.to_owned()),
                false if key.starts_with("has_") => {
                    (TextRole::Muted, "at least 1", rest.to_owned())
                }
                false => (TextRole::Muted, "", rest.to_owned()),
            }
        }
    };
    vec![
        text_span(TextRole::Focus, cursor),
        text_span(TextRole::Faint, number),
        text_span(
            TextRole::strong_if(matches!(filter, Test::Related(_))),
            name,
        ),
        text_span(role, format!("{operator:<OPERATOR_WIDTH$}")),
        if value.is_empty() {
            text_span(TextRole::Faint, glyphs.missing)
        } else {
            text_span(TextRole::Text, value)
        },
    ]
}

/// Below the conditions: the search as a sentence, the check, the order, and the price.
fn footer_lines(
    explore: &ExplorePane,
    cx: &Context,
    width: u16,
    height: u16,
) -> Vec<Vec<TextSpan<'static>>> {
    let known = explore.vocabulary_state();
    let query = explore
        .list_filter
        .as_ref()
        .map_or("", |narrow| &narrow.query);
    let sentence = describe_search(
        explore.dataset().as_str(),
        &explore.draft().filters,
        query,
        &known.vocabulary,
    );
    let wrapped = text::wrap_text(&text::sanitize_line(&sentence), usize::from(width));
    let mut last = vec![check_spans(explore), run_spans(explore, cx)];
    let is_roomy = height >= 17;
    if is_roomy {
        last.insert(1, sort_spans(explore));
        last.insert(2, Vec::new());
    }
    let gap = usize::from(is_roomy);
    let room = (usize::from(height) * 2 / 5).saturating_sub(gap + 1);
    let is_cut = wrapped.len() > room;
    let mut lines = vec![Vec::new()];
    for (n, words) in wrapped.into_iter().take(room).enumerate() {
        let more = if is_cut && n + 1 == room { " ..." } else { "" };
        lines.push(vec![text_span(TextRole::Strong, format!("{words}{more}"))]);
    }
    lines.extend(vec![Vec::new(); gap]);
    lines.extend(last);
    lines
}

fn check_spans(explore: &ExplorePane) -> Vec<TextSpan<'static>> {
    let issues = explore.filter_errors().len();
    let status = match &explore.vocabulary_state().load {
        LoadState::Ready if issues > 0 => text_span(
            TextRole::Error,
            format!("{} to fix first", pluralize(issues, "error")),
        ),
        LoadState::Ready if explore.list_filter.is_some() => {
            text_span(TextRole::Success, "filter is valid for this list")
        }
        LoadState::Ready => text_span(TextRole::Success, "filter is valid"),
        LoadState::Failed(why) => text_span(TextRole::Warning, format!("not checked: {why}")),
        LoadState::Idle | LoadState::Loading => text_span(TextRole::Muted, "loading the fields"),
    };
    vec![text_span(TextRole::Muted, "check "), status]
}

fn sort_spans(explore: &ExplorePane) -> Vec<TextSpan<'static>> {
    let index = || RecordSource::Index(explore.dataset().clone());
    let source = explore
        .list_filter
        .as_ref()
        .map_or_else(index, |narrow| narrow.source.clone());
    let own = || {
        let (field, ascending) = source.sort_keys().first()?;
        let field = (*field).to_owned();
        Some(SortOrder {
            field,
            ascending: *ascending,
        })
    };
    let sort = explore.draft().sort.clone().or_else(own);
    let order = sort.map_or_else(|| "the service's".to_owned(), |sort| sort.describe());
    vec![
        text_span(TextRole::Muted, "order "),
        text_span(TextRole::Text, order),
    ]
}

fn run_spans(explore: &ExplorePane, cx: &Context) -> Vec<TextSpan<'static>> {
    if let Some(narrow) = &explore.list_filter {
        let (list, search) = (cx.records.lists.get(&narrow.list_id), narrow.search());
        let as_is = list.is_some_and(|list| list.search == search && list.load == LoadState::Ready);
        let words = match list.and_then(|list| cx.records.lists.known_read_at(list, &search)) {
            _ if as_is => " keeps the rows as they are, 0 cr".to_owned(),
            at if let Some(local) = narrow.local_label(&cx.records.lists, at) => local,
            Some(at) => format!(" shows the rows from {}, 0 cr", cx.clock.format_time(at)),
            None => format!(" reads up to {PAGE_SIZE} rows, at most {PAGE_SIZE} cr"),
        };
        // On the last line its key adds a condition.
        let key = (!explore.is_on_add_line()).then(|| cx.keymap.key_label("narrow.apply"));
        let line = [text_span(TextRole::Muted, "apply ")].into_iter();
        return line
            .chain(key)
            .chain([text_span(TextRole::Text, words)])
            .collect();
    }
    // In the results, its key opens a record.
    if explore.results_focused {
        return Vec::new();
    }
    let mut pieces = vec![text_span(TextRole::Muted, "run  ")];
    // On the last line its key adds a condition.
    if !explore.is_on_add_line() {
        pieces.extend([
            text_span(TextRole::Muted, " "),
            cx.keymap.key_label("explore.run"),
        ]);
    }
    if let Some(local) = explore.local_answer(&cx.records.lists) {
        return pieces
            .into_iter()
            .chain([text_span(TextRole::Text, local.label())])
            .collect();
    }
    let run = explore.matching_run(&cx.records.lists);
    match (run, explore.run_price(&cx.records.lists)) {
        (Some((run, list)), None) => {
            let when = cx.clock.format_time(run.sent_at);
            let rows = pluralize(list.len(), "row");
            pieces.push(text_span(
                TextRole::Text,
                format!(" shows the {rows} from {when}, 0 cr"),
            ));
        }
        (_, price) => {
            let most = price.unwrap_or(u64::from(PAGE_SIZE));
            let counted = run.and_then(|(_, list)| records::draw::total_label(list));
            let words = match counted {
                Some(total) if total == format_count(most) => {
                    format!(" all {total} rows, {most} cr")
                }
                Some(total) => format!(" {most} of {total} rows, {most} cr"),
                None => format!(" up to {most} rows, at most {most} cr"),
            };
            pieces.push(text_span(TextRole::Text, words));
            if run.is_none_or(|(_, list)| list.total.is_none()) {
                pieces.extend([
                    text_span(TextRole::Text, "   "),
                    cx.keymap.key_label("explore.count"),
                    text_span(TextRole::Muted, " counts, 1 cr"),
                ]);
            }
        }
    }
    pieces
}

fn draw_json(explore: &ExplorePane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let inner = panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Filters as JSON")],
        &[text_span(
            TextRole::Muted,
            cx.keymap.expand_keys("{explore.copy.json} copies"),
        )],
        false,
        &theme,
    );
    let inner = area::inset_sides(inner, 1);
    let json = serde_json::to_string_pretty(&explore.draft().filters.to_json()).unwrap_or_default();
    paint::draw_lines(
        buf,
        inner,
        json.lines().map(|words| [text_span(TextRole::Text, words)]),
        &theme,
    );
}
