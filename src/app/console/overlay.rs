//! Drawing of the overlays.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::action::Action;
use crate::app::console::{call_form, first_run, palette};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::overlay::filter_form::{FilterForm, FilterFormField};
use crate::app::overlay::picker::Picker;
use crate::app::{Console, Context, format};
use crate::text;
use crate::ui::popup::Popup;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, text_span};

/// Draws an overlay and returns the position of the text cursor.
pub fn draw(
    console: &Console,
    overlay: &Overlay,
    buf: &mut Buffer,
    theme: &Theme,
) -> Option<Position> {
    match overlay {
        Overlay::Palette(shown) => Some(palette::draw(console, shown, buf, theme)),
        Overlay::Call(form) => call_form::draw(&console.cx, form, buf, theme),
        Overlay::Filter(form) => draw_filter(&console.cx, form, buf, theme),
        Overlay::Picker(picker) => Some(draw_picker(&console.cx, picker, buf, theme)),
        Overlay::FirstRun => {
            first_run::draw(&console.cx, buf, theme);
            None
        }
        Overlay::Choice(choice) => {
            draw_choice(&console.cx, choice, buf, theme);
            None
        }
        Overlay::Page(page) => {
            let cx = &console.cx;
            page.draw(
                cx.frame.layout().frame,
                &cx.keymap,
                cx.ui.notice.as_ref(),
                buf,
                theme,
            );
            None
        }
        Overlay::JoinCode => {
            if let Some(code) = console.cx.join_codes.front() {
                code.draw(
                    console.cx.frame.layout().frame,
                    &console.cx.keymap,
                    buf,
                    theme,
                );
            }
            None
        }
        Overlay::Columns(list) => {
            list.draw(
                console.cx.frame.layout().frame,
                &console.cx.keymap,
                buf,
                theme,
            );
            None
        }
    }
}

fn draw_filter(
    cx: &Context,
    form: &FilterForm,
    buf: &mut Buffer,
    theme: &Theme,
) -> Option<Position> {
    let parts = FilterForm::all_fields();
    let rows = form_lines(&parts);
    let keys = "{filter.apply} apply   {filter.toggle} select   {filter.next} next   {filter.cancel} cancel";
    let popup = Popup {
        rows: rows.len(),
        keys: vec![typed_or_keys(cx, form.typed_word(), form.rejection(), keys)],
        ..Popup::new("Filter the queue", 62)
    };
    let areas = popup.draw(cx.frame.layout().frame, buf, theme);
    let here = rows.iter().position(|row| *row == Some(form.cursor));
    let mut text_cursor = None;
    areas.draw_rows(
        buf,
        (here, rows.len()),
        theme,
        &mut |buf, area, at, here| {
            if let Some(part) = rows[at].map(|index| parts[index]) {
                let found = draw_form_field(cx, form, part, here, area, buf, theme);
                text_cursor = text_cursor.or(found);
            }
        },
    );
    text_cursor
}

/// The keys, after the word that is typed to choose; or why it chooses nothing.
fn typed_or_keys<'a>(
    cx: &'a Context,
    typed: &str,
    rejection: Option<String>,
    keys: &'a str,
) -> Vec<TextSpan<'a>> {
    match rejection {
        Some(why) => vec![text_span(
            TextRole::Warning,
            text::sanitize_line(&why).into_owned(),
        )],
        None => {
            let typed = match typed.is_empty() {
                true => String::new(),
                false => format!("{}   ", text::sanitize_line(typed)),
            };
            let mut line = vec![text_span(TextRole::Key, typed)];
            line.extend(cx.keymap.expand_keys_styled(TextRole::Muted, keys));
            line
        }
    }
}

/// The form's lines, with a blank one between groups.
fn form_lines(parts: &[FilterFormField]) -> Vec<Option<usize>> {
    let mut rows = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let first = matches!(
            part,
            FilterFormField::Priority(crate::domain::queue::Priority::High)
        ) || matches!(
            part,
            FilterFormField::Type(crate::domain::signals::SignalType::ProjectAnnouncement)
        );
        if first {
            rows.push(None);
        }
        rows.push(Some(n));
    }
    rows
}

fn draw_form_field(
    cx: &Context,
    form: &FilterForm,
    part: FilterFormField,
    here: bool,
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) -> Option<Position> {
    let option = |buf: &mut Buffer, note: String| {
        let pieces = [
            paint::check_box(form.is_chosen(part)),
            text_span(TextRole::Text, part.option_label()),
        ];
        let note = [text_span(TextRole::Muted, note)];
        paint::draw_two_sided_line(buf, area, &pieces, &note, theme);
        None
    };
    match part {
        FilterFormField::City | FilterFormField::Text => {
            let (label, field) = if part == FilterFormField::City {
                ("city      ", &form.city)
            } else {
                ("text      ", &form.q)
            };
            let role = if here { TextRole::Key } else { TextRole::Muted };
            let used = draw_line(buf, area, &[text_span(role, label)], theme);
            let rest = area::area_after(area, used);
            let at = field.draw(buf, rest, theme, here);
            if field.text().is_empty() && !here {
                let any = match part {
                    FilterFormField::City => "any",
                    _ => "names and filings; {find} searches loaded rows",
                };
                let any = cx.keymap.expand_keys(any);
                draw_line(buf, rest, &[text_span(TextRole::Muted, any)], theme);
            }
            here.then_some(at)
        }
        FilterFormField::Priority(_) => option(buf, String::new()),
        FilterFormField::Type(kind) => {
            let new = cx.stats.as_ref().and_then(|stats| {
                stats
                    .type_counts
                    .iter()
                    .find(|count| count.signal_type == *kind)
            });
            let new = new.map(|count| format!("{} new", format::format_count(count.new_count)));
            option(buf, new.unwrap_or_default())
        }
    }
}

/// The lines of a text in a popup: none of one without words.
fn wrap_block(words: &str, cells: u16) -> Vec<String> {
    if words.is_empty() {
        return Vec::new();
    }
    text::wrap_text(&text::sanitize_block(words), cells.into())
}

fn text_lines(lines: &[String], role: TextRole) -> impl Iterator<Item = [TextSpan<'_>; 1]> {
    lines
        .iter()
        .map(move |words| [text_span(role, words.as_str())])
}

fn draw_picker(cx: &Context, picker: &Picker, buf: &mut Buffer, theme: &Theme) -> Position {
    let screen = cx.frame.layout().frame;
    let found = picker.matches();
    let width = picker.width().min(screen.width);
    let summary = wrap_block(
        &text::sanitize_line(&picker.summary),
        width.saturating_sub(4),
    );
    let mark = if picker.allows_many {
        "   {picker.mark} mark   {picker.mark.all} none or all"
    } else {
        ""
    };
    let keys = format!(
        "{{picker.accept}} {}   {{entries.down}} {{entries.up}} move{mark}   {{entries.close}} cancel",
        picker.verb()
    );
    let popup = Popup {
        note: cx.keymap.expand_keys(&picker.note_text()),
        min_height: 14,
        above: u16::try_from(summary.len() + 1).unwrap_or(1),
        rows: found.len(),
        below: if picker.has_details() { 2 } else { 0 },
        keys: vec![cx.keymap.expand_keys_styled(TextRole::Muted, &keys)],
        ..Popup::new(picker.title.as_str(), width)
    };
    let areas = popup.draw(screen, buf, theme);
    let (summary_area, prompt) = area::split_rows(areas.above, 1);
    paint::draw_lines(
        buf,
        summary_area,
        text_lines(&summary, TextRole::Text),
        theme,
    );
    let label = [text_span(TextRole::Key, picker.label())];
    let used = draw_line(buf, prompt, &label, theme);
    let text_cursor = picker
        .field
        .draw(buf, area::area_after(prompt, used), theme, true);
    let cursor = picker.scroll.cursor;
    areas.draw_rows(
        buf,
        (Some(cursor), found.len()),
        theme,
        &mut |buf, row, at, here| {
            let (entry, is_marked) = &found[at];
            let name = if entry.label.is_empty() {
                format::humanize(&entry.key)
            } else {
                entry.label.clone()
            };
            let mut pieces = vec![
                theme.glyphs().cursor_span(here),
                text_span(TextRole::Text, " "),
            ];
            pieces.extend(picker.allows_many.then(|| paint::check_box(*is_marked)));
            pieces.push(text_span(TextRole::strong_if(here), name));
            let note = [text_span(TextRole::Muted, entry.note.as_str())];
            paint::draw_two_sided_line(buf, row, &pieces, &note, theme);
        },
    );
    if found.is_empty() {
        let text = match picker.typed_example {
            "" => "no match".to_owned(),
            example => format!("no match; {example}"),
        };
        draw_line(buf, areas.body, &[text_span(TextRole::Muted, text)], theme);
    }
    let entry = found.get(cursor.min(found.len().saturating_sub(1)));
    let detail = entry.map_or("", |(entry, _)| entry.detail.as_str());
    let detail = wrap_block(&text::sanitize_line(detail), areas.below.width);
    paint::draw_lines(
        buf,
        areas.below,
        text_lines(&detail, TextRole::Muted),
        theme,
    );
    text_cursor
}

fn draw_choice(cx: &Context, choice: &Choice, buf: &mut Buffer, theme: &Theme) {
    let screen = cx.frame.layout().frame;
    let widths = choice
        .options
        .iter()
        .map(|pick| text::display_width(&pick.label) + text::display_width(&pick.note) + 10);
    let heading = text::display_width(&choice.title) + text::display_width(&choice.note) + 12;
    let width = widths.max().unwrap_or(0).max(heading);
    let least = if choice.text.is_empty() { 46 } else { 64 };
    let width = u16::try_from(width)
        .unwrap_or(u16::MAX)
        .clamp(least, 78)
        .min(screen.width);
    let words = wrap_block(&choice.text, width.saturating_sub(6));
    let above = u16::try_from(words.len()).unwrap_or(0) + u16::from(!words.is_empty());
    let keys = if choice.is_confirmation() {
        "type y or n, then {choice.accept}   {dialog.close} cancel"
    } else {
        "{choice.accept} select   {dialog.close} cancel"
    };
    let popup = Popup {
        note: choice.note.clone(),
        above,
        rows: choice.options.len(),
        keys: vec![typed_or_keys(
            cx,
            choice.typed.text(),
            choice.rejection(),
            keys,
        )],
        ..Popup::new(choice.title.as_str(), width)
    };
    let areas = popup.draw(screen, buf, theme);
    paint::draw_lines(buf, areas.above, text_lines(&words, TextRole::Text), theme);
    let cursor = Some(choice.selected);
    areas.draw_rows(
        buf,
        (cursor, choice.options.len()),
        theme,
        &mut |buf, row, at, here| {
            let pick = &choice.options[at];
            let role = match &pick.action {
                Action::ShowUnavailable(_) => TextRole::Faint,
                _ => TextRole::strong_if(here),
            };
            let pieces = [
                theme.glyphs().cursor_span(here),
                text_span(TextRole::Text, " "),
                text_span(role, pick.label.as_str()),
            ];
            let room = usize::from(row.width).saturating_sub(text::display_width(&pick.label) + 4);
            let note = text::truncate(&pick.note, room, theme.glyphs().ellipsis);
            let note = [text_span(TextRole::Muted, note)];
            paint::draw_two_sided_line(buf, row, &pieces, &note, theme);
        },
    );
}
