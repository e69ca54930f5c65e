//! Draws the annotation form: the fields, the preview of each record, and the footer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::field_inputs::{FieldInput, FieldOp, FormField};
use super::footer::footer_lines;
use super::{AnnotatedRecord, AnnotationForm, WritePreview};
use crate::app::Context;
use crate::app::annotation_cache::{AnnotationField, AnnotationValue};
use crate::app::format::{self, format_count, pluralize};
use crate::app::layout::panel_text_area;
use crate::app::model::frequency::count_values;
use crate::text;
use crate::ui::{TextRole, TextSpan, draw_line, paint, panel, scroll, text_span};

/// Width of a field's label and of its operation, in cells.
const LABEL_WIDTH: u16 = 10;
const OP_WIDTH: u16 = 10;
/// Most rows of a note while it is edited.
const MAX_NOTE_ROWS: u16 = 8;
/// Minimum height at which current values are shown below the new ones.
const CURRENT_VALUE_MIN_HEIGHT: u16 = 20;

/// Areas of the form's parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnnotationFormAreas {
    form: Rect,
    preview: Rect,
    pub footer: Rect,
}

/// The width of a value, in cells.
pub fn value_width(area: Rect) -> u16 {
    panel_text_area(area)
        .width
        .saturating_sub(LABEL_WIDTH + OP_WIDTH + 1)
}

/// Splits the form's area: the fields at their full height, the footer, and the preview between
/// them.
pub fn form_areas(cx: &Context, form: &AnnotationForm, area: Rect) -> AnnotationFormAreas {
    let inner = panel_text_area(area);
    let wanted: u16 = u16::from(form.offers_draft())
        + form
            .inputs
            .entries()
            .iter()
            .map(|entry| entry_height(form, entry, inner.height))
            .sum::<u16>();
    let foot = u16::try_from(footer_lines(cx, form).len())
        .unwrap_or(0)
        .min(inner.height / 3);
    let form = wanted.min(inner.height.saturating_sub(foot));
    let left = inner.height - form - foot;
    let gap = u16::from(left > 2);
    AnnotationFormAreas {
        form: Rect {
            height: form,
            ..inner
        },
        preview: Rect {
            y: inner.y + form + gap,
            height: left - gap,
            ..inner
        },
        footer: Rect {
            y: inner.bottom() - foot,
            height: foot,
            ..inner
        },
    }
}

impl AnnotationFormAreas {
    /// The area of the preview's lines.
    pub fn preview_rows(&self) -> Rect {
        // The first line is its heading.
        Rect {
            y: self.preview.y + 1,
            height: self.preview.height.saturating_sub(1),
            ..self.preview
        }
    }
}

/// The height of a field: its text, the current value where there is room, and the suggestions.
fn entry_height(form: &AnnotationForm, entry: &FieldInput, room: u16) -> u16 {
    let here = form.current_line == entry.line;
    let text = match entry.line {
        FormField::Notes if entry.op != FieldOp::Keep && entry.op != FieldOp::Clear => {
            let rows = u16::try_from(form.inputs.note.rows().len()).unwrap_or(MAX_NOTE_ROWS);
            let most = if room >= CURRENT_VALUE_MIN_HEIGHT {
                MAX_NOTE_ROWS
            } else {
                3
            };
            rows.clamp(
                if here && room >= CURRENT_VALUE_MIN_HEIGHT {
                    3
                } else {
                    1
                },
                most,
            )
        }
        _ => 1,
    };
    text + u16::from(shows_current_value(entry, room))
        + u16::from(here && !form.is_editing_note && !form.suggestions(entry.line).is_empty())
}

/// The current value gets its own row once something else is to replace it.
fn shows_current_value(entry: &FieldInput, room: u16) -> bool {
    room >= CURRENT_VALUE_MIN_HEIGHT && entry.op != FieldOp::Keep && entry.line != FormField::Untag
}

/// Draws the form and returns the position of the text cursor.
pub fn draw(cx: &Context, form: &AnnotationForm, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let theme = cx.settings.theme;
    let title = form.single_record().map_or_else(
        || pluralize(form.records.len(), form.kind.singular_name()),
        |row| row.name.clone(),
    );
    let title = [text_span(TextRole::Strong, format!("Annotate {title}"))];
    panel::draw_popup(buf, area, &title, &[], &theme);
    let parts = form_areas(cx, form, area);
    let mut cursor = None;
    let mut y = parts.form.y;
    if form.offers_draft()
        && let Some(draft) = &form.draft
    {
        let row = Rect {
            height: u16::from(parts.form.height > 0),
            ..parts.form
        };
        let offer = [
            text_span(
                TextRole::Warning,
                format!("draft of {}: ", cx.clock.format_display_time(draft.at)),
            ),
            cx.keymap.key_label("form.enter"),
            text_span(TextRole::Muted, " uses it, "),
            cx.keymap.key_label("form.forget"),
            text_span(TextRole::Muted, " discards it"),
        ];
        draw_line(buf, row, &offer, &theme);
        y += 1;
    }
    for entry in form.inputs.entries() {
        let height = entry_height(form, entry, panel_text_area(area).height);
        let room = Rect {
            y,
            height,
            ..parts.form
        }
        .intersection(parts.form);
        y = y.saturating_add(height);
        if !room.is_empty() {
            cursor = cursor.or(draw_entry(
                cx,
                form,
                entry,
                room,
                panel_text_area(area).height,
                buf,
            ));
        }
    }
    draw_preview(cx, form, &parts, area, buf);
    for (n, pieces) in (0..parts.footer.height).zip(footer_lines(cx, form)) {
        draw_line(buf, paint::row_rect(parts.footer, n), &pieces, &theme);
    }
    cursor
}

fn draw_entry(
    cx: &Context,
    form: &AnnotationForm,
    entry: &FieldInput,
    area: Rect,
    room: u16,
    buf: &mut Buffer,
) -> Option<Position> {
    let theme = cx.settings.theme;
    let glyphs = theme.glyphs();
    let here = form.current_line == entry.line;
    let label = if entry.line == FormField::Untag {
        "untag"
    } else {
        entry.line.field().title()
    };
    let row = paint::row_rect(area, 0);
    let at = |x: u16, width: u16| Rect {
        x: row.x + x,
        width: width.min(row.width.saturating_sub(x)),
        ..row
    };
    draw_line(
        buf,
        at(0, LABEL_WIDTH),
        &[
            glyphs.cursor_span(here),
            text_span(TextRole::strong_if(here), label),
        ],
        &theme,
    );
    let op_role = match (here, entry.op) {
        (true, _) => TextRole::Key,
        (false, FieldOp::Keep) => TextRole::Muted,
        (false, _) => TextRole::Text,
    };
    draw_line(
        buf,
        at(LABEL_WIDTH, OP_WIDTH),
        &[text_span(op_role, format!("[{:^6}]", entry.op.label()))],
        &theme,
    );
    let value = Rect {
        height: area.height,
        ..at(LABEL_WIDTH + OP_WIDTH, row.width)
    };
    let label = match (entry.line, entry.op) {
        (FormField::Notes, FieldOp::Append) => "your lines are added to: ",
        (FormField::Notes, FieldOp::Set) if form.inputs.note_base.is_some() => {
            "you edit the whole note; it was: "
        }
        (FormField::Notes, FieldOp::Set) => "your text replaces: ",
        _ => "now ",
    };
    let field = entry.line.field();
    let is_empty =
        |row: &AnnotatedRecord| row.base.value(field).is_some_and(|value| value.is_empty());
    let now = match (entry.line, entry.op) {
        (FormField::Notes, FieldOp::Append) if form.records.iter().all(is_empty) => {
            "there is no note yet".to_owned()
        }
        _ => format!("{label}{}", current_value(cx, form, entry.line)),
    };
    let now = text_span(TextRole::Muted, now);
    let mut cursor = None;
    let mut below = 1;
    match (entry.line, entry.op) {
        (FormField::Untag, FieldOp::Keep) if !here => {}
        (FormField::Untag, FieldOp::Keep) => {
            draw_line(
                buf,
                value,
                &[text_span(TextRole::Muted, "tags to remove")],
                &theme,
            );
        }
        (_, FieldOp::Keep) => {
            draw_line(buf, value, std::slice::from_ref(&now), &theme);
        }
        (_, FieldOp::Clear) => {
            draw_line(
                buf,
                value,
                &[text_span(TextRole::Warning, "will be emptied")],
                &theme,
            );
        }
        (FormField::Notes, _) => {
            below = entry_height(form, entry, room)
                .saturating_sub(u16::from(shows_current_value(entry, room)))
                .min(area.height);
            let place = form.inputs.note.draw(
                buf,
                Rect {
                    height: below,
                    ..value
                },
                &theme,
            );
            cursor = (here && form.is_editing_note).then_some(place);
            if here && !form.is_editing_note && form.inputs.note.text().is_empty() {
                draw_line(
                    buf,
                    value,
                    &[
                        cx.keymap.key_label("form.enter"),
                        text_span(TextRole::Muted, " starts editing"),
                    ],
                    &theme,
                );
            }
        }
        _ => {
            let place = entry
                .input
                .draw(buf, Rect { height: 1, ..value }, &theme, here);
            cursor = here.then_some(place);
            if let Some(remark) = remark_on_value(form, entry.line, here) {
                let used = place.x.saturating_sub(value.x) + 2;
                let rest = Rect {
                    x: value.x + used,
                    width: value.width.saturating_sub(used),
                    height: 1,
                    ..value
                };
                draw_line(buf, rest, &[remark], &theme);
            }
        }
    }
    // On a kept field, typing the first character switches the operation.
    if here && cursor.is_none() && entry.op == FieldOp::Keep && entry.line != FormField::Notes {
        cursor = Some(Position {
            x: value.x.saturating_sub(1),
            y: value.y,
        });
    }
    if shows_current_value(entry, room) {
        draw_line(buf, paint::row_rect(value, below), &[now], &theme);
        below += 1;
    }
    let offers = form.suggestions(entry.line);
    if here && !form.is_editing_note && !offers.is_empty() {
        let typed = form.inputs.text(entry.line);
        let stands = match entry.line {
            FormField::Tags | FormField::Untag => typed
                .rsplit(',')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            FormField::Tier => form
                .inputs
                .typed_tier()
                .map(|tier| format::humanize(tier.as_str()))
                .unwrap_or_default(),
            _ => typed.to_owned(),
        };
        let keys = cx
            .keymap
            .expand_keys("{form.offer.previous} {form.offer.next}");
        let mut pieces = vec![
            text_span(TextRole::Key, keys),
            text_span(TextRole::Muted, " "),
        ];
        for offer in offers.iter().take(12) {
            let role = if *offer == stands {
                TextRole::Selected
            } else {
                TextRole::Muted
            };
            pieces.push(text_span(role, format::humanize(offer)));
            pieces.push(text_span(
                TextRole::Faint,
                format!(" {} ", glyphs.separator),
            ));
        }
        pieces.pop();
        draw_line(buf, paint::row_rect(value, below), &pieces, &theme);
    }
    cursor
}

/// What to know about a typed value: which tier it is or why it is none, or that it is not in use
/// yet.
fn remark_on_value(
    form: &AnnotationForm,
    line: FormField,
    here: bool,
) -> Option<TextSpan<'static>> {
    match line {
        FormField::Tier => match (form.inputs.tier_rejection(), form.inputs.typed_tier()) {
            (Some(why), _) => Some(text_span(
                TextRole::Warning,
                text::sanitize_line(&why).into_owned(),
            )),
            (None, Some(tier)) if format::humanize(tier.as_str()) != form.inputs.text(line) => {
                Some(text_span(
                    TextRole::Success,
                    format::humanize(tier.as_str()),
                ))
            }
            _ => None,
        },
        _ => (here && form.is_unseen_value(line))
            .then(|| text_span(TextRole::Warning, "not in use yet")),
    }
}

/// The current value of a field: the value itself for one record, counts per value for several.
fn current_value(cx: &Context, form: &AnnotationForm, line: FormField) -> String {
    let field = line.field();
    let none = "none".to_owned();
    if let Some(row) = form.single_record() {
        return match row.base.value(field) {
            None => "not read".to_owned(),
            Some(value) if value.is_empty() => none,
            Some(value) => value_label(field, value),
        };
    }
    let (mut words, mut empty, mut unread) = (Vec::new(), 0, 0);
    for row in &form.records {
        match row.base.value(field) {
            None => unread += 1,
            Some(value) if value.is_empty() => empty += 1,
            Some(_) if field == AnnotationField::Notes => words.push("have one".to_owned()),
            Some(value) => words.extend(value.iter().map(|text| format::humanize(text))),
        }
    }
    let mut counts = count_values(words);
    counts.extend(
        [(none, empty), ("not read".to_owned(), unread)]
            .into_iter()
            .filter(|(_, n)| *n > 0),
    );
    let dot = format!(" {} ", cx.settings.theme.glyphs().separator);
    counts
        .into_iter()
        .map(|(word, n)| format!("{} {word}", format_count(n as u64)))
        .collect::<Vec<_>>()
        .join(&dot)
}

fn value_label(field: AnnotationField, value: &AnnotationValue) -> String {
    match field {
        AnnotationField::Tags => value.join(", "),
        AnnotationField::Notes => value.join(" "),
        AnnotationField::Tier | AnnotationField::Status => {
            value.iter().map(|word| format::humanize(word)).collect()
        }
    }
}

fn draw_preview(
    cx: &Context,
    form: &AnnotationForm,
    parts: &AnnotationFormAreas,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = cx.settings.theme;
    let lines = preview_lines(cx, form, parts.preview.width);
    if parts.preview.height < 2 {
        return;
    }
    if lines.is_empty() {
        return draw_help(cx, form, parts.preview, buf);
    }
    draw_line(
        buf,
        parts.preview,
        &[text_span(TextRole::Strong, "what changes")],
        &theme,
    );
    let room = parts.preview_rows();
    scroll::draw_scrolled_lines(buf, area, room, &lines, form.top, &theme);
}

/// Explains the operations of the current field until something is changed.
fn draw_help(cx: &Context, form: &AnnotationForm, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    if !form.inputs.touched_fields().is_empty() {
        draw_line(
            buf,
            area,
            &[text_span(TextRole::Muted, "nothing to change")],
            &theme,
        );
        return;
    }
    let heading = "Type a value, or choose with {form.op.previous} and {form.op.next}:";
    let muted = |text| text_span(TextRole::Muted, cx.keymap.expand_keys(text));
    let ops = form.current_line.ops().iter().map(|op| {
        let label = text_span(TextRole::Text, format!("{:<8}", op.label()));
        vec![label, muted(op.description())]
    });
    let lines = std::iter::once(vec![muted(heading)]).chain(ops);
    paint::draw_lines(buf, area, lines, &theme);
}

/// The changes, record by record; those that need a look come first.
pub fn preview_lines(
    cx: &Context,
    form: &AnnotationForm,
    width: u16,
) -> Vec<Vec<TextSpan<'static>>> {
    let mut lines = Vec::new();
    let name = usize::from((width * 2 / 5).min(22));
    let mut rows: Vec<(&AnnotatedRecord, WritePreview)> =
        form.records.iter().zip(form.write_previews()).collect();
    rows.sort_by_key(|(row, plan)| {
        plan.unknown.is_empty() && !row.left_book && row.changed_fields.is_empty()
    });
    for (row, plan) in rows {
        let facts = preview_facts(cx, row, &plan, form.single_record().is_some());
        for (n, fact) in facts.into_iter().enumerate() {
            let title = if n == 0 {
                text::sanitize_line(&row.name).into_owned()
            } else {
                String::new()
            };
            let title = text::truncate(
                &title,
                name.saturating_sub(1),
                cx.settings.theme.glyphs().ellipsis,
            )
            .into_owned();
            let pad = name.saturating_sub(text::display_width(&title));
            let title = text_span(TextRole::Text, title + &" ".repeat(pad));
            lines.extend(wrap_fact(title, fact, usize::from(width)));
        }
    }
    lines
}

/// A fact after its record's name. What does not fit wraps below: text to be written is never cut
/// off.
fn wrap_fact(
    name: TextSpan<'static>,
    fact: Vec<TextSpan<'static>>,
    width: usize,
) -> Vec<Vec<TextSpan<'static>>> {
    let mut fact = fact.into_iter();
    let mut head = vec![name];
    head.extend(fact.next());
    let rest: Vec<_> = fact.collect();
    let indent = usize::from(paint::spans_width(&head));
    let mut lines = paint::wrap_spans(&rest, width.saturating_sub(indent).max(8)).into_iter();
    head.extend(lines.next().unwrap_or_default());
    let below =
        lines.map(|line| [vec![text_span(TextRole::Text, " ".repeat(indent))], line].concat());
    std::iter::once(head).chain(below).collect()
}

/// What changes on a record; `is_only`: it is the only one of the form, so there is room for all of
/// it.
fn preview_facts(
    cx: &Context,
    row: &AnnotatedRecord,
    plan: &WritePreview,
    is_only: bool,
) -> Vec<Vec<TextSpan<'static>>> {
    let glyphs = cx.settings.theme.glyphs();
    let label =
        |field: AnnotationField| text_span(TextRole::Muted, format!("{:<7}", field.title()));
    let mut facts = Vec::new();
    if row.left_book {
        facts.push(vec![text_span(TextRole::Warning, "no longer in book")]);
    }
    for (field, before, after) in &plan.changes {
        let mut pieces = vec![label(*field)];
        let (role, was) = match before {
            None => (TextRole::Warning, "not read".to_owned()),
            Some(before) if before.is_empty() => (TextRole::Faint, glyphs.missing.to_owned()),
            Some(before) => (TextRole::Muted, value_label(*field, before)),
        };
        let added = before
            .as_ref()
            .filter(|before| *field == AnnotationField::Notes && !before.is_empty())
            .and_then(|before| {
                after
                    .first()?
                    .strip_prefix(before.join("\n").trim_end())
                    .map(|rest| rest.trim_start().to_owned())
            });
        match added {
            // The kept text of one record is shown too: together they are the whole note.
            Some(added) if is_only => pieces.extend([
                text_span(TextRole::Muted, format!("{was} ")),
                text_span(TextRole::Success, format!("+ {}", added.replace('\n', " "))),
            ]),
            Some(added) => pieces.push(text_span(
                TextRole::Success,
                format!("+ {}", added.replace('\n', " ")),
            )),
            None => {
                let becomes = if after.is_empty() {
                    text_span(TextRole::Warning, "empty")
                } else {
                    text_span(TextRole::Success, value_label(*field, after))
                };
                pieces.extend([
                    text_span(role, was),
                    text_span(TextRole::Faint, format!(" {} ", glyphs.arrow)),
                    becomes,
                ]);
            }
        }
        if row.changed_fields.contains(field) {
            pieces.push(text_span(TextRole::Warning, " not seen"));
        }
        facts.push(pieces);
    }
    for (field, gone, added) in &plan.unknown {
        let mut pieces = vec![label(*field)];
        if !added.is_empty() {
            pieces.push(text_span(
                TextRole::Success,
                format!("+ {}", value_label(*field, added)),
            ));
        }
        if !gone.is_empty() {
            pieces.push(text_span(
                TextRole::Warning,
                format!(" - {}", value_label(*field, gone)),
            ));
        }
        pieces.push(text_span(TextRole::Muted, "  to current value"));
        facts.push(pieces);
    }
    facts
}
