//! Draws the import: the columns of the file, or its lines with what they mean; beside it the line
//! under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ImportPane;
use super::columns::{FileColumns, ImportedLines, describe_candidate};
use super::commands::waiting_price;
use crate::app::Context;
use crate::app::format::{format_count, humanize, pluralize};
use crate::app::list::list_of;
use crate::domain::book::RecordKind;
use crate::domain::list_import::{LineState, ListFile, ListImport, ListLine};
use crate::ui::{TextRole, TextSpan, draw_line, panel, scroll, text_span};

/// What the list may be of, while that can be changed.
pub(super) fn tab_labels(pane: &ImportPane) -> Vec<Vec<TextSpan<'static>>> {
    let Some(file) = pane.file() else {
        return Vec::new();
    };
    let label = |kind: &RecordKind| {
        let mut name = humanize(kind.as_str());
        name[..1].make_ascii_uppercase();
        vec![text_span(
            if *kind == file.kind {
                TextRole::Selected
            } else {
                TextRole::Muted
            },
            name,
        )]
    };
    RecordKind::ALL.iter().map(label).collect()
}

pub fn draw(pane: &ImportPane, cx: &Context, buf: &mut Buffer) {
    match (pane.import(), pane.file(), &pane.list) {
        (Some(import), _, _) => draw_lines(pane, import, cx, buf),
        (None, Some(file), _) => draw_columns(pane, file, cx, buf),
        _ => draw_empty(pane, cx, buf),
    }
}

fn title(pane: &ImportPane, cx: &Context, what: String) -> Vec<TextSpan<'static>> {
    let path = pane.list.as_ref().map_or("", |list| list.path.as_str());
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    let between = cx.settings.theme.glyphs().breadcrumb;
    vec![
        text_span(TextRole::Strong, format!("Import {between} {name}")),
        text_span(TextRole::Muted, format!("  {what}")),
    ]
}

fn draw_empty(pane: &ImportPane, cx: &Context, buf: &mut Buffer) {
    let area = cx.frame.layout().panel;
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, "Import")],
        &[],
        true,
        &cx.settings.theme,
    );
    match &pane.file_error {
        Some(why) => cx.draw_error(
            buf,
            cx.frame.layout().rows,
            "cannot read the list",
            why,
            "{import.file} opens another file",
        ),
        None => cx.draw_message(
            buf,
            cx.frame.layout().rows,
            &[
                text_span(TextRole::Strong, "No list is open"),
                text_span(TextRole::Text, "a CSV file, or one name on each line"),
            ],
            &["{import.file} opens one"],
        ),
    }
}

fn draw_columns(pane: &ImportPane, file: &ListFile, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().panel,
        cx.frame.layout().rows,
    );
    let import = ListImport::new(file);
    let lines = import.lines.len();
    let what = format!("{}, {}", pluralize(file.row_count(), "row"), file.encoding);
    panel::draw_panel(buf, area, &title(pane, cx, what), &[], true, &theme);
    cx.draw_list(buf, &list_of::<FileColumns>(pane, cx), (area, rows), true);
    let footer = match import.max_credits() {
        _ if lines == 0 => vec![text_span(
            TextRole::Warning,
            "no column to look for: choose what a column holds",
        )],
        price => {
            let mut line = keys(cx, TextRole::Key, "{import.enter}");
            let searches = import.max_searches();
            line.push(text_span(
                TextRole::Strong,
                format!(
                    " matches {} with the index: at most {} cr",
                    pluralize(lines, file.kind.singular_name()),
                    format_count(price)
                ),
            ));
            line.push(text_span(
                TextRole::Muted,
                format!("  ({searches} searches)"),
            ));
            line
        }
    };
    draw_line(buf, panel::footer_area(area), &footer, &theme);
    draw_side_panel(cx, buf, "What happens", &columns_help(file, cx));
}

/// A text with the keys of the commands that it names.
fn keys(cx: &Context, role: TextRole, line: &str) -> Vec<TextSpan<'static>> {
    let spans = cx.keymap.expand_keys_styled(role, line);
    spans
        .into_iter()
        .map(|span| text_span(span.role, span.text.into_owned()))
        .collect()
}

fn columns_help(file: &ListFile, cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
    let text = |text: &str| vec![text_span(TextRole::Text, text.to_owned())];
    let mut lines = vec![
        keys(
            cx,
            TextRole::Muted,
            "{import.toggle} changes what a column holds",
        ),
        keys(
            cx,
            TextRole::Muted,
            "{tab.next} companies, people or projects",
        ),
        text(match file.kind {
            RecordKind::Contacts => "gantry finds people by their email address or their name.",
            RecordKind::Projects => "gantry finds projects by their name or their address.",
            _ => "gantry finds companies by their name or their web address.",
        }),
        text(
            "Exact names come first; for what is left over, it looks for similar names and lets you decide.",
        ),
        text("You see every line before anything is saved."),
    ];
    lines.insert(1, Vec::new());
    lines
}

fn draw_lines(pane: &ImportPane, import: &ListImport, cx: &Context, buf: &mut Buffer) {
    let (theme, area, rows) = (
        cx.settings.theme,
        cx.frame.layout().panel,
        cx.frame.layout().rows,
    );
    let list = list_of::<ImportedLines>(pane, cx);
    let kind = pluralize(import.lines.len(), import.kind.singular_name());
    let mut title = title(pane, cx, kind);
    title.extend(cx.arrangement_label(&list));
    panel::draw_panel(buf, area, &title, &[], true, &theme);
    cx.draw_list(buf, &list, (area, rows), true);
    let chosen = import.chosen_records().len();
    let mut footer = vec![text_span(TextRole::Strong, pane.summary())];
    match waiting_price(pane) {
        Some(price) if !pane.is_matching => {
            let text = format!(
                "   {{import.enter}} resumes, at most {} cr",
                format_count(price)
            );
            footer.extend(keys(cx, TextRole::Muted, &text));
        }
        Some(_) => footer.extend(keys(cx, TextRole::Muted, "   matching, {back} stops")),
        None => footer.push(text_span(
            TextRole::Marked,
            format!("   {} chosen", format_count(chosen as u64)),
        )),
    }
    draw_line(buf, panel::footer_area(area), &footer, &theme);
    if let Some(line) = pane.current_line() {
        draw_side_panel(
            cx,
            buf,
            &format!("Line {}", line.number),
            &line_details(line, cx),
        );
    }
}

fn line_details(line: &ListLine, cx: &Context) -> Vec<Vec<TextSpan<'static>>> {
    let mut lines = vec![vec![text_span(
        TextRole::Strong,
        line.terms.label().to_owned(),
    )]];
    if !line.terms.detail().is_empty() {
        lines.push(vec![text_span(TextRole::Text, line.terms.detail())]);
    }
    if let Some(words) = line
        .words
        .as_ref()
        .filter(|words| *words != line.terms.label())
    {
        let words = format!("searched as “{words}”");
        lines.push(vec![text_span(TextRole::Muted, words)]);
    }
    let hint = match &line.state {
        LineState::Waiting => "not searched yet",
        LineState::Found if line.chosen.is_none() => "left out; {import.toggle} takes it",
        LineState::Found => "{import.toggle} leaves it out   {import.enter} shows the others",
        LineState::Similar => "{import.toggle} takes it   {import.words} searches by other words",
        LineState::Several => "{import.enter} chooses among them",
        LineState::None if line.candidates.is_empty() => {
            "nothing in the index; {import.words} searches by other words"
        }
        LineState::None => "none of these; {import.enter} chooses one",
        LineState::Failed(_) => "{import.retry} searches again",
        LineState::Saved => "saved",
        LineState::NotSaved(_) => "{import.save} tries again",
    };
    lines.push(keys(cx, TextRole::Muted, hint));
    if let LineState::Failed(why) | LineState::NotSaved(why) = &line.state {
        lines.push(vec![text_span(TextRole::Error, why.clone())]);
    }
    if !line.candidates.is_empty() {
        lines.push(Vec::new());
    }
    for (at, record) in line.candidates.iter().enumerate() {
        let mark = if line.chosen == Some(at) {
            cx.settings.theme.glyphs().marked
        } else {
            " "
        };
        let role = TextRole::strong_if(record.is_same());
        lines.push(vec![
            text_span(TextRole::Marked, format!("{mark} ")),
            text_span(role, record.name.clone()),
        ]);
        let detail = describe_candidate(record);
        if !detail.is_empty() {
            let role = match record.is_same() {
                true => TextRole::Muted,
                false => TextRole::Warning,
            };
            lines.push(vec![text_span(role, format!("  {detail}"))]);
        }
    }
    lines
}

fn draw_side_panel(cx: &Context, buf: &mut Buffer, title: &str, lines: &[Vec<TextSpan<'static>>]) {
    let (area, rows) = (cx.frame.layout().side_panel, cx.frame.layout().side_rows);
    if area.is_empty() {
        return;
    }
    panel::draw_panel(
        buf,
        area,
        &[text_span(TextRole::Strong, title.to_owned())],
        &[],
        false,
        &cx.settings.theme,
    );
    let wrapped: Vec<Vec<TextSpan<'static>>> = lines
        .iter()
        .flat_map(|line| {
            if line.is_empty() {
                vec![Vec::new()]
            } else {
                crate::ui::paint::wrap_spans(line, usize::from(rows.width.max(1)))
            }
        })
        .collect();
    scroll::draw_scrolled_lines(buf, area, Rect { ..rows }, &wrapped, 0, &cx.settings.theme);
}
