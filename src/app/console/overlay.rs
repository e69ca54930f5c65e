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
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, scroll, text_span};

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
        Overlay::Text(title, lines) => {
            draw_text(&console.cx, title, lines, buf, theme);
            None
        }
        Overlay::Choice(choice) => {
            draw_choice(&console.cx, choice, buf, theme);
            None
        }
        Overlay::History(list) => {
            list.draw(console.cx.layout().frame, console.cx.keymap(), buf, theme);
            None
        }
        Overlay::Page(page) => {
            page.draw(console.cx.layout().frame, console.cx.keymap(), buf, theme);
            None
        }
        Overlay::JoinCode => {
            if let Some(code) = console.cx.open_join_code() {
                code.draw(console.cx.layout().frame, console.cx.keymap(), buf, theme);
            }
            None
        }
        Overlay::Gaps(list) => {
            list.draw(
                console.cx.layout().frame,
                console.cx.keymap(),
                console.cx.gap_price(),
                buf,
                theme,
            );
            None
        }
        Overlay::Frequency(list) => {
            list.draw(console.cx.layout().frame, console.cx.keymap(), buf, theme);
            None
        }
        Overlay::Columns(list) => {
            list.draw(console.cx.layout().frame, console.cx.keymap(), buf, theme);
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
    let wanted = u16::try_from(parts.len())
        .unwrap_or(u16::MAX)
        .saturating_add(6);
    let area = panel::centered_rect(cx.layout().frame, 62, wanted);
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, "Filter the queue")],
        &[text_span(TextRole::Muted, "server-side")],
        theme,
    );
    let inner = area::inset_sides(inner, 1);
    let list = Rect {
        height: inner.height.saturating_sub(2),
        ..inner
    };
    let rows = form_lines(&parts);
    let at_row = rows
        .iter()
        .position(|row| *row == Some(form.cursor))
        .unwrap_or(0);
    let at = ScrollState::centered_on(at_row, rows.len(), list.height);
    let mut cursor = None;
    for n in 0..list.height {
        let Some(row) = rows.get(at.top + usize::from(n)) else {
            break;
        };
        let Some(index) = row else { continue };
        let (area, part) = (paint::row_rect(list, n), parts[*index]);
        let found = draw_form_field(cx, form, part, *index == form.cursor, area, buf, theme);
        cursor = cursor.or(found);
    }
    let keys = "{filter.apply} apply   {filter.toggle} select   {filter.next} next   {filter.cancel} cancel";
    let hint = typed_or_keys(cx, form.typed_word(), form.rejection(), keys);
    draw_line(
        buf,
        paint::row_rect(inner, inner.height.saturating_sub(1)),
        &hint,
        theme,
    );
    cursor
}

/// The word that is typed to choose, and why it chooses nothing; while none is typed, the keys.
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
        None if !typed.is_empty() => vec![text_span(
            TextRole::Key,
            text::sanitize_line(typed).into_owned(),
        )],
        None => cx.keymap().expand_keys_styled(TextRole::Muted, keys),
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
    let mut cursor = None;
    let mark = |chosen: bool| {
        text_span(
            if chosen {
                TextRole::Marked
            } else {
                TextRole::Faint
            },
            if chosen { "[x] " } else { "[ ] " },
        )
    };
    match part {
        FilterFormField::City | FilterFormField::Text => {
            let (label, field) = if part == FilterFormField::City {
                ("city      ", &form.city)
            } else {
                ("text      ", &form.q)
            };
            let used = draw_line(
                buf,
                area,
                &[text_span(
                    if here { TextRole::Key } else { TextRole::Muted },
                    label,
                )],
                theme,
            );
            let rest = area::area_after(area, used);
            let at = field.draw(buf, rest, theme, here);
            if field.text().is_empty() && !here {
                draw_line(buf, rest, &[text_span(TextRole::Muted, "any")], theme);
            }
            cursor = here.then_some(at);
        }
        FilterFormField::Priority(_) => {
            draw_line(
                buf,
                area,
                &[
                    mark(form.is_chosen(part)),
                    text_span(TextRole::Text, part.option_label()),
                ],
                theme,
            );
        }
        FilterFormField::Type(kind) => {
            let new = cx.stats().and_then(|stats| {
                stats
                    .type_counts
                    .iter()
                    .find(|count| count.signal_type == *kind)
            });
            let new = new
                .map(|count| format!("{} new", format::format_count(count.new_count)))
                .unwrap_or_default();
            paint::draw_line_right(buf, area, &[text_span(TextRole::Muted, new)], theme);
            draw_line(
                buf,
                area,
                &[
                    mark(form.is_chosen(part)),
                    text_span(TextRole::Text, part.option_label()),
                ],
                theme,
            );
        }
    }
    if here {
        buf.set_style(area, theme.cursor_row_style(true));
    }
    cursor
}

fn draw_text(cx: &Context, title: &str, lines: &[String], buf: &mut Buffer, theme: &Theme) {
    let width = cx.layout().frame.width.min(66);
    let wrapped: Vec<String> = lines
        .iter()
        .flat_map(|words| {
            text::wrap_text(
                &text::sanitize_block(words),
                usize::from(width.saturating_sub(6)),
            )
        })
        .collect();
    let height = u16::try_from(wrapped.len())
        .unwrap_or(u16::MAX)
        .saturating_add(4);
    let area = panel::centered_rect(cx.layout().frame, width, height);
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, title)],
        &[text_span(TextRole::Muted, "any key closes")],
        theme,
    );
    for (n, words) in (0..inner.height.saturating_sub(1)).zip(&wrapped) {
        let row = paint::row_rect(inner, n + 1);
        let row = area::inset_sides(row, 2);
        draw_line(
            buf,
            row,
            &[text_span(
                if n == 0 {
                    TextRole::Strong
                } else {
                    TextRole::Text
                },
                words.as_str(),
            )],
            theme,
        );
    }
}

fn draw_picker(cx: &Context, picker: &Picker, buf: &mut Buffer, theme: &Theme) -> Position {
    let all = cx.layout().frame;
    let found = picker.matches();
    let rows = u16::try_from(found.len()).unwrap_or(u16::MAX);
    let width = picker.width().min(all.width);
    let summary = text::wrap_text(
        &text::sanitize_line(&picker.summary),
        usize::from(width.saturating_sub(4)),
    );
    let summary: Vec<String> = summary
        .into_iter()
        .filter(|_| !picker.summary.is_empty())
        .collect();
    let above = u16::try_from(summary.len()).unwrap_or(0);
    let height = rows
        .saturating_add(8 + above)
        .max(14)
        .min(all.height.saturating_sub(2));
    let area = panel::centered_rect(all, width, height);
    let note = picker.note_text();
    let note = [text_span(TextRole::Muted, cx.keymap().expand_keys(&note))];
    let note = if note[0].text.is_empty() {
        &note[..0]
    } else {
        &note[..]
    };
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, picker.title.as_str())],
        note,
        theme,
    );
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(
        buf,
        inner,
        summary
            .iter()
            .map(|words| [text_span(TextRole::Text, words.as_str())]),
        theme,
    );
    let inner = Rect {
        y: inner.y + above,
        height: inner.height.saturating_sub(above),
        ..inner
    };
    let prompt = paint::row_rect(inner, 0);
    let used = draw_line(
        buf,
        prompt,
        &[text_span(TextRole::Key, picker.label())],
        theme,
    );
    let cursor = picker
        .field
        .draw(buf, area::area_after(prompt, used), theme, true);
    let detail = if inner.height >= 10 { 3 } else { 0 };
    let list = Rect {
        y: inner.y + 1,
        height: inner.height.saturating_sub(detail + 2),
        ..inner
    };
    let at = ScrollState::centered_on(picker.scroll.cursor, found.len(), list.height);
    for n in 0..list.height {
        let Some((entry, marked)) = found.get(at.top + usize::from(n)) else {
            break;
        };
        let row = paint::row_rect(list, n);
        let here = at.top + usize::from(n) == at.cursor;
        let edge = paint::draw_line_right(
            buf,
            row,
            &[text_span(TextRole::Muted, entry.note.as_str())],
            theme,
        );
        let mark = match (picker.allows_many, marked) {
            (false, _) => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        let cursor = theme.glyphs().cursor_span(here);
        let name = if entry.label.is_empty() {
            format::humanize(&entry.key)
        } else {
            entry.label.clone()
        };
        let name = text_span(
            if here {
                TextRole::Strong
            } else {
                TextRole::Text
            },
            name,
        );
        let mark = text_span(
            if *marked {
                TextRole::Marked
            } else {
                TextRole::Faint
            },
            mark,
        );
        draw_line(
            buf,
            area::area_before(row, edge),
            &[cursor, text_span(TextRole::Text, " "), mark, name],
            theme,
        );
        if here {
            buf.set_style(row, theme.cursor_row_style(true));
        }
    }
    scroll::draw_scrollbar(buf, area, list, at.top, found.len(), theme);
    if found.is_empty() {
        draw_line(
            buf,
            paint::row_rect(list, 0),
            &[text_span(TextRole::Muted, "no match")],
            theme,
        );
    }
    let description = found
        .get(at.cursor)
        .map(|(entry, _)| entry.detail.as_str())
        .unwrap_or_default();
    let description = text::wrap_text(&text::sanitize_line(description), usize::from(inner.width));
    for (n, words) in (0..detail.saturating_sub(1)).zip(&description) {
        draw_line(
            buf,
            Rect {
                y: list.bottom() + 1 + n,
                height: 1,
                ..inner
            },
            &[text_span(TextRole::Muted, words.as_str())],
            theme,
        );
    }
    let mark = if picker.allows_many {
        "   {picker.mark} mark   {picker.mark.all} none or all"
    } else {
        ""
    };
    let hint = format!(
        "{{picker.accept}} {}{mark}   {{entries.close}} cancel",
        picker.verb()
    );
    let hint = cx.keymap().expand_keys_styled(TextRole::Muted, &hint);
    draw_line(
        buf,
        paint::row_rect(inner, inner.height.saturating_sub(1)),
        &hint,
        theme,
    );
    cursor
}

fn draw_choice(cx: &Context, choice: &Choice, buf: &mut Buffer, theme: &Theme) {
    let widest = choice
        .options
        .iter()
        .map(|pick| text::display_width(&pick.label) + text::display_width(&pick.note) + 10)
        .max()
        .unwrap_or(0);
    let width = u16::try_from(
        widest.max(text::display_width(&choice.title) + text::display_width(&choice.note) + 12),
    )
    .unwrap_or(u16::MAX);
    let least = if choice.text.is_empty() { 46 } else { 64 };
    let width = width.clamp(least, 78).min(cx.layout().frame.width);
    let words = text::wrap_text(
        &text::sanitize_block(&choice.text),
        usize::from(width.saturating_sub(6)),
    );
    let words: Vec<String> = words
        .into_iter()
        .filter(|_| !choice.text.is_empty())
        .collect();
    let above = u16::try_from(words.len()).unwrap_or(0) + u16::from(!words.is_empty());
    let picks = u16::try_from(choice.options.len()).unwrap_or(u16::MAX);
    let area = panel::centered_rect(cx.layout().frame, width, picks.saturating_add(above + 4));
    let note: Vec<_> = Some(text_span(TextRole::Muted, choice.note.as_str()))
        .filter(|_| !choice.note.is_empty())
        .into_iter()
        .collect();
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, choice.title.as_str())],
        &note,
        theme,
    );
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(
        buf,
        inner,
        words
            .iter()
            .map(|words| [text_span(TextRole::Text, words.as_str())]),
        theme,
    );
    let list = Rect {
        y: inner.y + above,
        height: inner.height.saturating_sub(above + 2),
        ..inner
    };
    let mut at = ScrollState {
        cursor: choice.selected,
        top: 0,
    };
    at.clamp_to_list(choice.options.len(), list.height);
    for n in 0..list.height {
        let Some(pick) = choice.options.get(at.top + usize::from(n)) else {
            break;
        };
        let row = paint::row_rect(list, n);
        let here = at.top + usize::from(n) == at.cursor;
        let edge = paint::draw_line_right(
            buf,
            row,
            &[text_span(TextRole::Muted, pick.note.as_str())],
            theme,
        );
        let cursor = theme.glyphs().cursor_span(here);
        let room = area::area_before(row, edge);
        let role = match &pick.action {
            Action::ShowUnavailable(_) => TextRole::Faint,
            _ if here => TextRole::Strong,
            _ => TextRole::Text,
        };
        draw_line(
            buf,
            room,
            &[
                cursor,
                text_span(TextRole::Text, " "),
                text_span(role, pick.label.as_str()),
            ],
            theme,
        );
        if here {
            buf.set_style(row, theme.cursor_row_style(true));
        }
    }
    let keys = if choice.is_confirmation() {
        "{choice.accept} answer   y yes, n no   {dialog.close} cancel"
    } else {
        "{choice.accept} select   {dialog.close} cancel"
    };
    let hint = typed_or_keys(cx, choice.typed.text(), choice.rejection(), keys);
    draw_line(
        buf,
        paint::row_rect(inner, inner.height.saturating_sub(1)),
        &hint,
        theme,
    );
}
