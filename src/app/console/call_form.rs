//! Drawing of the form for calls: whom to call, what is known of them, and what saving does.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Context;
use crate::app::annotation_cache::AnnotationField;
use crate::app::context::snooze;
use crate::app::effect::RecordKey;
use crate::app::overlay::call_form::CallForm;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::ProjectId;
use crate::domain::book::RecordKind;
use crate::domain::call_outcomes::AfterCall;
use crate::domain::records::RecordFields;
use crate::domain::snooze::{SnoozeUntil, parse_snooze_until};
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, text_span};

const WIDTH: u16 = 86;
const LABEL_WIDTH: usize = 9;
/// The lines that the form keeps for everything but firms and people.
const OTHER_LINES: u16 = 20;
/// Firms and people of a project that are listed on any screen.
const MIN_PARTICIPANTS: u16 = 6;
/// Most people of a firm that are listed.
const MAX_PEOPLE: usize = 3;
/// Most lines of the note, the latest ones.
const MAX_NOTE_LINES: usize = 4;
/// Frame, gaps, note and keys.
const FIXED_LINES: u16 = 6;

pub fn draw(cx: &Context, form: &CallForm, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
    let frame = cx.frame.layout().frame;
    let width = WIDTH.min(frame.width);
    let facts = facts(cx, form, width.saturating_sub(4));
    let outcomes = outcome_lines(cx, form, width.saturating_sub(4));
    let remark = remark(cx, form);
    let remark = cx.keymap.expand_keys_styled(TextRole::Muted, &remark);
    let remark = [failure(cx, form), remark].concat();
    let remark = paint::wrap_spans(&remark, usize::from(width.saturating_sub(4)));
    let fixed = FIXED_LINES + lines(outcomes.len()) + lines(remark.len());
    let area = panel::centered_rect(frame, width, lines(facts.len()).saturating_add(fixed));
    let title = format!("Call: {}", text::sanitize_line(&form.name));
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, title)],
        &[text_span(TextRole::Muted, "for everyone")],
        theme,
    );
    let inner = area::inset_sides(inner, 1);
    let below = fixed - 2;
    let shown = Rect {
        height: inner.height.saturating_sub(below),
        ..inner
    };
    let pages = facts
        .len()
        .div_ceil(usize::from(shown.height.max(1)))
        .max(1);
    let page = form.page % pages;
    paint::draw_lines(
        buf,
        shown,
        facts.into_iter().skip(page * usize::from(shown.height)),
        theme,
    );
    if pages > 1 {
        let key = if form.is_choosing {
            "call.outcome.page"
        } else {
            "call.page"
        };
        let place = text_span(TextRole::Muted, format!(" {}/{pages}", page + 1));
        let row = Rect {
            y: shown.bottom(),
            height: 1,
            ..inner
        };
        paint::draw_line_right(buf, row, &[cx.keymap.key_label(key), place], theme);
    }
    let mut at = shown.bottom() + 1;
    let mut next = |count: u16| {
        let row = Rect {
            y: at,
            height: 1,
            ..inner
        };
        at += count;
        if row.y < inner.bottom() {
            row
        } else {
            Rect { height: 0, ..row }
        }
    };
    let note = next(1);
    let role = if form.is_choosing {
        TextRole::Muted
    } else {
        TextRole::Key
    };
    let used = draw_line(
        buf,
        note,
        &[text_span(role, format!("{:<LABEL_WIDTH$}", "note"))],
        theme,
    );
    let cursor = form
        .note
        .draw(buf, area::area_after(note, used), theme, !form.is_choosing);
    for line in outcomes {
        draw_line(buf, next(1), &line, theme);
    }
    next(1);
    for words in remark {
        draw_line(buf, next(1), &words, theme);
    }
    let keys = [read_key(cx, form), close_keys(form).to_owned()].concat();
    let hint = cx.keymap.expand_keys_styled(TextRole::Muted, &keys);
    draw_line(
        buf,
        paint::row_rect(inner, inner.height.saturating_sub(1)),
        &hint,
        theme,
    );
    (!form.is_choosing).then_some(cursor)
}

fn lines(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The outcomes with their keys, in as few lines as possible.
fn outcome_lines<'a>(cx: &'a Context, form: &CallForm, width: u16) -> Vec<Vec<TextSpan<'a>>> {
    let (key, name) = if form.is_choosing {
        (TextRole::Key, TextRole::Strong)
    } else {
        (TextRole::Faint, TextRole::Muted)
    };
    let head = |label: &str| {
        vec![text_span(
            if form.is_choosing {
                TextRole::Key
            } else {
                TextRole::Muted
            },
            format!("{label:<LABEL_WIDTH$}"),
        )]
    };
    let mut all = vec![head("outcome")];
    let mut used = LABEL_WIDTH;
    let now = cx.clock.local_now();
    for (n, outcome) in (1..).zip(&cx.settings.call_outcomes) {
        let then = outcome.then.keep_promise(form.note.text(), &now);
        let then = match (&then, form.signal) {
            (AfterCall::Snooze(until), None) if !form.is_put_off => {
                match parse_snooze_until(until, &now) {
                    Ok(until @ SnoozeUntil::Time(_)) => {
                        format!(" (promise for {})", snooze::format_until(until, &cx.clock))
                    }
                    _ => String::new(),
                }
            }
            (_, None) => String::new(),
            (AfterCall::Snooze(until), _) if then == outcome.then => format!(" (snooze {until})"),
            (AfterCall::Snooze(until), _) => parse_snooze_until(until, &now)
                .map(|until| format!(" (back {})", snooze::format_until(until, &cx.clock)))
                .unwrap_or_default(),
            (AfterCall::Nothing, _) => " (stays new)".to_owned(),
            (AfterCall::Done, _) => " (done)".to_owned(),
        };
        let label = format!("{}{then}", text::sanitize_line(&outcome.label));
        let cells = text::display_width(&label) + 5;
        if used + cells - 3 > usize::from(width) {
            all.push(head(""));
            used = LABEL_WIDTH;
        }
        let gap = if used > LABEL_WIDTH { "   " } else { "" };
        used += cells;
        if let Some(line) = all.last_mut() {
            line.extend([text_span(key, format!("{gap}{n} ")), text_span(name, label)]);
        }
    }
    all
}

/// The key that reads what is missing, with its price.
fn read_key(cx: &Context, form: &CallForm) -> String {
    let Some(key) = cx.records.record_lacked_by(form) else {
        return String::new();
    };
    let from = if key.in_book { "book" } else { "index" };
    let command = match form.is_choosing {
        true => "call.outcome.read",
        false => "call.read",
    };
    let price = cx.records.lacked_record_price(form).suffix();
    format!("{{{command}}} read the {from}{price}   ")
}

fn close_keys(form: &CallForm) -> &'static str {
    match (form.is_choosing, form.note.text().trim().is_empty()) {
        (true, _) => "{call.note} note   {call.outcome.close} close",
        (false, true) => "{call.close} close",
        (false, false) => "{call.close} close, note kept",
    }
}

/// Which keys save, and what that costs.
fn remark(cx: &Context, form: &CallForm) -> String {
    let first = match form.is_choosing {
        true => "",
        false => "{call.outcomes} then ",
    };
    let last = cx.settings.call_outcomes.len();
    let effect = match cx.records.is_known_in_book(&form.kind, form.id) {
        Some(false) => "save to the book for everyone, free.",
        Some(true) => "save for everyone; 1 cr to reread it.",
        None => "save for everyone; 1 cr if in the book.",
    };
    format!("{first}{{call.outcome.1}}-{{call.outcome.{last}}} {effect}")
}

fn failure<'a>(cx: &Context, form: &'a CallForm) -> Vec<TextSpan<'a>> {
    let text = form.failure.as_ref().map(|failure| {
        let then = match form.is_choosing {
            true => "Choose the outcome again to save it.".to_owned(),
            false => cx
                .keymap
                .expand_keys("{call.outcomes}, then the outcome again, saves it."),
        };
        let text = format!("Not saved: {failure}. {then} ");
        text_span(TextRole::Warning, text)
    });
    text.into_iter().collect()
}

/// Whom to call and what is known of them, from data that was already read.
fn facts(cx: &Context, form: &CallForm, width: u16) -> Vec<FactLine> {
    let mut list = FactList::new(width, LABEL_WIDTH);
    match form.kind {
        RecordKind::Projects => push_firms(cx, form, &mut list),
        _ => push_record(cx, form, &mut list),
    }
    if let Some((skill, line)) = cx.calls.call_opening(form, &cx.team) {
        list.push_fact("opening", TextRole::Text, line);
        list.push_fact("", TextRole::Faint, format!("from the Skill {skill}"));
    }
    let known = cx.records.cached_annotation(&form.kind, form.id);
    match known
        .value(AnnotationField::Status)
        .map(|status| status.concat())
    {
        Some(status) if status.is_empty() => list.push_fact("status", TextRole::Muted, "none yet"),
        Some(status) => list.push_fact("status", TextRole::Text, status),
        None => {}
    }
    match known
        .value(AnnotationField::Notes)
        .map(|note| note.join("\n"))
    {
        Some(note) if note.trim().is_empty() => {
            list.push_fact("earlier", TextRole::Muted, "none yet")
        }
        Some(note) => {
            let recent: Vec<&str> = note
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            let recent = &recent[recent.len().saturating_sub(MAX_NOTE_LINES)..];
            for (n, line) in recent.iter().enumerate() {
                list.push_fact(if n == 0 { "earlier" } else { "" }, TextRole::Text, *line);
            }
        }
        None => list.push_fact(
            "earlier",
            TextRole::Muted,
            "not read yet; the book may say who called",
        ),
    }
    list.into_lines()
}

/// The firms of a project, each with its people.
fn push_firms(cx: &Context, form: &CallForm, list: &mut FactList) {
    match cx.records.fetched.project(Some(ProjectId(form.id))) {
        Some(read) => {
            let all = read.project_details.participants();
            let room = cx.frame.layout().frame.height.saturating_sub(OTHER_LINES);
            list.push_participants(cx, &all, room.max(MIN_PARTICIPANTS).into());
        }
        None => {
            let text = "firms and people: not read yet";
            list.push_fact("phone", TextRole::Muted, text);
        }
    }
}

/// Phone and people of an account, or of a contact.
fn push_record(cx: &Context, form: &CallForm, list: &mut FactList) {
    let dot = format!(" {} ", cx.settings.theme.glyphs().separator);
    let key = RecordKey::for_book(&form.kind, form.id);
    let read = cx.records.fetched.get(&key).or_else(|| {
        cx.records.fetched.get(&RecordKey {
            in_book: false,
            ..key.clone()
        })
    });
    let row = cx
        .records
        .lists
        .of_kind(&form.kind)
        .find_map(|list| list.row(form.id))
        .map(|row| row.fields());
    let indexed = cx
        .records
        .fetched
        .indexed_contact(form.id)
        .filter(|_| form.kind == RecordKind::Contacts);
    let text = |name: &str| {
        let of = |fields: &RecordFields| {
            fields
                .text(name)
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let fields = [read.map(|read| &read.fields), indexed, row.as_ref()];
        fields.into_iter().flatten().find_map(of)
    };
    let has_phone_field = |fields: &RecordFields| fields.contains_field("public_phone");
    let missing = match form.kind {
        RecordKind::Contacts if indexed.is_none() => "not read yet; the index may have it",
        RecordKind::Contacts => "none known",
        _ if read.is_some() || row.as_ref().is_some_and(has_phone_field) => "none known",
        _ => "not read yet",
    };
    match text("public_phone").or_else(|| text("phone")) {
        Some(phone) => list.push_fact("phone", TextRole::Strong, phone),
        None => list.push_fact("phone", TextRole::Muted, missing),
    }
    for (label, name) in [
        ("role", "title"),
        ("e-mail", "email"),
        ("website", "website"),
    ] {
        list.push_fact(label, TextRole::Text, text(name).unwrap_or_default());
    }
    let (include, label) = match form.kind {
        RecordKind::Contacts => ("account", "firm"),
        _ => ("contacts", "contact"),
    };
    match read {
        Some(read) => {
            for related in read.related(include).iter().take(MAX_PEOPLE) {
                let fields = related.fields();
                let of = |name: &str| {
                    fields
                        .text(name)
                        .filter(|text| !text.is_empty())
                        .map(str::to_owned)
                };
                let facts = [
                    of("name"),
                    of("title"),
                    of("phone").or_else(|| of("public_phone")),
                    of("email"),
                ];
                list.push_fact(label, TextRole::Text, join(facts, &dot));
            }
        }
        None => {
            list.push_fact(label, TextRole::Muted, "not read yet");
        }
    }
}

fn join<const N: usize>(facts: [Option<String>; N], dot: &str) -> String {
    facts
        .into_iter()
        .flatten()
        .filter(|fact| !fact.is_empty())
        .collect::<Vec<_>>()
        .join(dot)
}
