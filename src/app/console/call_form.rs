//! Drawing of the form for calls: whom to call, what is known of them, and what saving does.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::annotation_cache::AnnotationField;
use crate::app::effect::RecordKey;
use crate::app::overlay::call_form::CallForm;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::app::{Context, format};
use crate::domain::ProjectId;
use crate::domain::book::RecordKind;
use crate::domain::call_outcomes::AfterCall;
use crate::domain::records::RecordFields;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, panel, text_span};

const WIDTH: u16 = 86;
const LABEL_WIDTH: usize = 9;
/// Most firms, and most people, that are listed.
const MAX_LISTED: usize = 3;
/// Most lines of the note, the latest ones.
const MAX_NOTE_LINES: usize = 4;
/// Frame, gaps, note and keys.
const FIXED_LINES: u16 = 6;

pub fn draw(cx: &Context, form: &CallForm, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
    let frame = cx.layout().frame;
    let width = WIDTH.min(frame.width);
    let facts = facts(cx, form, width.saturating_sub(4));
    let outcomes = outcome_lines(cx, form, width.saturating_sub(4));
    let remark = text::wrap_text(&remark(cx, form), usize::from(width.saturating_sub(4)));
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
        draw_line(buf, next(1), &[text_span(TextRole::Muted, words)], theme);
    }
    let hint = if form.is_choosing {
        "{call.outcome.1}-{LAST} save{PRICE}   {call.note} note   {call.outcome.close} close"
    } else {
        "{call.outcomes} then {call.outcome.1}-{LAST} save{PRICE}   {call.close} close{KEPT}"
    };
    let last = format!("{{call.outcome.{}}}", cx.settings().call_outcomes.len());
    let more = match (pages, form.is_choosing) {
        (1, _) => String::new(),
        (_, true) => format!("{{call.outcome.page}} {}/{pages}   ", page + 1),
        (_, false) => format!("{{call.page}} {}/{pages}   ", page + 1),
    };
    let read = match (cx.record_lacked_by(form), form.is_choosing) {
        (None, _) => "",
        (Some(key), false) if key.in_book => "{call.read} read the book 1 cr   ",
        (Some(_), false) => "{call.read} read the index 1 cr   ",
        (Some(key), true) if key.in_book => "{call.outcome.read} read the book 1 cr   ",
        (Some(_), true) => "{call.outcome.read} read the index 1 cr   ",
    };
    // Where there is room.
    let kept = if read.is_empty() {
        " and keep the note"
    } else {
        ""
    };
    let hint = format!(
        "{more}{read}{}",
        hint.replace("{LAST}", &last)
            .replace("{KEPT}", kept)
            .replace("{PRICE}", &cx.call_form_price(form).suffix())
    );
    let hint = &hint;
    let hint = cx.keymap().expand_keys_styled(TextRole::Muted, hint);
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
    for (n, outcome) in (1..).zip(&cx.settings().call_outcomes) {
        let then = match &outcome.then {
            AfterCall::Snooze(until) if form.signal.is_some() => format!(" (snooze {until})"),
            AfterCall::Nothing if form.signal.is_some() => " (stays new)".to_owned(),
            _ => String::new(),
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

/// What saving does, and what it costs.
fn remark(cx: &Context, form: &CallForm) -> String {
    let kind = form.kind.singular_name();
    let outcomes = &cx.settings().call_outcomes;
    let done = match form.signal {
        Some(_)
            if outcomes
                .iter()
                .all(|outcome| outcome.then == AfterCall::Done) =>
        {
            " and marks the signal done"
        }
        Some(_)
            if outcomes
                .iter()
                .any(|outcome| outcome.then == AfterCall::Done) =>
        {
            " and marks the signal done unless it says otherwise"
        }
        _ => "",
    };
    let text = match cx.is_known_in_book(&form.kind, form.id) {
        Some(false) => format!(
            "An outcome saves the {kind} to the book with status and dated note{done}, for everyone. Free."
        ),
        Some(true) => {
            format!(
                "An outcome sets status and adds a dated line to the note{done}, for everyone. 1 cr: it is read again right before."
            )
        }
        None => format!(
            "An outcome saves the {kind} to the book with status and dated note{done}, for everyone. \
             1 cr if it is in the book already."
        ),
    };
    match &form.failure {
        Some(failure) => {
            format!("Not saved: {failure}. Choose the outcome again to save it. {text}")
        }
        None => text,
    }
}

/// Whom to call and what is known of them, from data that was already read.
fn facts(cx: &Context, form: &CallForm, width: u16) -> Vec<FactLine> {
    let mut list = FactList::new(width, LABEL_WIDTH);
    match form.kind {
        RecordKind::Projects => push_firms(cx, form, &mut list),
        _ => push_record(cx, form, &mut list),
    }
    let known = cx.cached_annotation(&form.kind, form.id);
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
    if let Some((skill, line)) = cx.call_opening(form) {
        list.push_fact("opening", TextRole::Text, line);
        list.push_fact("", TextRole::Faint, format!("from the Skill {skill}"));
    }
    list.into_lines()
}

/// The firms and people of a project.
fn push_firms(cx: &Context, form: &CallForm, list: &mut FactList) {
    let dot = format!(" {} ", cx.theme().glyphs().separator);
    let Some(project) = cx.records.project(Some(ProjectId(form.id))) else {
        let text = "firms and people: not read yet";
        return list.push_fact("phone", TextRole::Muted, text);
    };
    let details = project.project_details;
    // Those that can be reached first.
    let mut accounts: Vec<_> = details.accounts.iter().collect();
    accounts.sort_by_key(|account| account.public_phone.is_none());
    for account in accounts.iter().take(MAX_LISTED) {
        let role = account.role().map(format::humanize);
        let name = account.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let phone = account
            .public_phone
            .clone()
            .unwrap_or_else(|| "no phone known".to_owned());
        list.push_fact(
            "phone",
            TextRole::Strong,
            join([Some(phone), Some(name), role], &dot),
        );
    }
    let mut contacts: Vec<_> = details.contacts.iter().collect();
    contacts.sort_by_key(|contact| contact.phone.is_none());
    for contact in contacts.iter().take(MAX_LISTED) {
        let name = contact.name.clone().or_else(|| Some("unnamed".to_owned()));
        let facts = [
            name,
            contact.title.clone(),
            contact.phone.clone(),
            contact.email.clone(),
        ];
        list.push_fact("contact", TextRole::Text, join(facts, &dot));
    }
    let more = details.accounts.len().saturating_sub(MAX_LISTED)
        + details.contacts.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        list.push_fact(
            "",
            TextRole::Muted,
            format!("{more} more on the signal's People tab"),
        );
    }
    if details.accounts.is_empty() && details.contacts.is_empty() {
        list.push_fact("phone", TextRole::Muted, "no firms or people known yet");
    }
}

/// Phone and people of an account, or of a contact.
fn push_record(cx: &Context, form: &CallForm, list: &mut FactList) {
    let dot = format!(" {} ", cx.theme().glyphs().separator);
    let key = RecordKey::for_book(&form.kind, form.id);
    let read = cx.records.get(&key).or_else(|| {
        cx.records.get(&RecordKey {
            in_book: false,
            ..key.clone()
        })
    });
    let row = cx
        .record_lists
        .of_kind(&form.kind)
        .find_map(|list| list.row(form.id))
        .map(|row| row.fields());
    let indexed = cx
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
    match text("public_phone").or_else(|| text("phone")) {
        Some(phone) => list.push_fact("phone", TextRole::Strong, phone),
        None if form.kind == RecordKind::Contacts && indexed.is_none() => {
            let text = "not read yet; the index may have it";
            list.push_fact("phone", TextRole::Muted, text);
        }
        None => list.push_fact("phone", TextRole::Muted, "not known"),
    }
    list.push_fact(
        "role",
        TextRole::Text,
        join([text("title"), text("email"), text("website")], &dot),
    );
    let include = if form.kind == RecordKind::Contacts {
        "account"
    } else {
        "contacts"
    };
    match read {
        Some(read) => {
            for related in read.related(include).iter().take(MAX_LISTED) {
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
                let label = if form.kind == RecordKind::Contacts {
                    "firm"
                } else {
                    "contact"
                };
                list.push_fact(label, TextRole::Text, join(facts, &dot));
            }
        }
        None => {
            list.push_fact("contact", TextRole::Muted, "not read yet");
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
