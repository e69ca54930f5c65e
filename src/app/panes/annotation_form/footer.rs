//! The footer of the annotation form: what writing would change, what it costs, and what should be
//! read first.

use ratatui::layout::Rect;

use super::AnnotationForm;
use super::draw::form_areas;
use crate::app::Context;
use crate::app::format::{format_count, format_time};
use crate::app::price::Price;
use crate::ui::TextRole;
use crate::ui::paint::{self, TextSpan, text_span};

/// The lines to read before applying: how many records change, which values are unknown, and how
/// old the known ones are.
pub fn footer_lines(cx: &Context, form: &AnnotationForm) -> Vec<Vec<TextSpan<'static>>> {
    let plans = form.write_previews();
    let now = cx.clock.service_now();
    let mut lines = Vec::new();
    if form.inputs.touched_fields().is_empty() {
        lines.push(vec![text_span(TextRole::Muted, "no changes yet")]);
        return lines;
    }
    let changing = plans.iter().filter(|plan| plan.has_changes()).count();
    let saving = plans
        .iter()
        .filter(|plan| plan.has_changes() && plan.adds_to_book == Some(true))
        .count();
    if saving > 0 {
        let who = if form.single_record().is_some() {
            "not in the book yet".to_owned()
        } else {
            format!("{} not in the book yet", format_count(saving as u64))
        };
        lines.push(vec![text_span(
            TextRole::Warning,
            format!(
                "{who}: this saves {} for everyone",
                if saving == 1 { "it" } else { "them" }
            ),
        )]);
    }
    let (unread, is_one) = (form.stale_records(now), form.single_record().is_some());
    let blind = plans
        .iter()
        .filter(|plan| plan.adds_to_book != Some(true) && plan.overwrites_unread_value())
        .count();
    let age = match form.oldest_read_at() {
        // Its fields say that they were not read.
        _ if blind > 0 && is_one => Some(String::new()),
        _ if blind > 0 => Some(format!("{} not read yet: ", format_count(blind as u64))),
        Some(at) if is_one => Some(format!(
            "read {}: ",
            format_time(at, now, cx.clock.utc_offset())
        )),
        at => at.map(|at| format!("read {}: ", age_label(now - at))),
    };
    if let Some(age) = age.filter(|_| !unread.is_empty()) {
        let what = if is_one { "it" } else { "them" };
        let price = price_label(form.read_price(&unread));
        let role = if blind > 0 {
            TextRole::Warning
        } else {
            TextRole::Muted
        };
        lines.push(vec![
            text_span(role, age),
            cx.keymap.key_label("form.read"),
            text_span(TextRole::Muted, format!(" reads {what} now,{price}")),
        ]);
    }
    if changing > 0 {
        let price = form.write_price();
        let again = form.oldest_read_at().map_or("", |_| " again");
        let reads = match (price, is_one) {
            (Price::Free, _) => String::new(),
            (_, true) => format!(" reads it{again} and"),
            (_, false) => format!(" reads each{again} and"),
        };
        let writes = format!("{reads} writes,{}", price_label(price));
        lines.push(vec![
            cx.keymap.key_label("form.apply"),
            text_span(TextRole::Muted, writes),
        ]);
    }
    let (all, same) = (form.records.len(), form.records.len() - changing);
    let (what, rest) = match (is_one, same) {
        (true, 0) => ("this record changes".to_owned(), String::new()),
        (true, _) => ("no change".to_owned(), String::new()),
        (false, 0) => (
            format!("all {} change", format_count(all as u64)),
            String::new(),
        ),
        (false, _) => {
            let what = format!(
                "{} of {} change",
                format_count(changing as u64),
                format_count(all as u64)
            );
            (what, format!(", {} unchanged", format_count(same as u64)))
        }
    };
    lines.push(vec![
        text_span(TextRole::Text, what),
        text_span(TextRole::Muted, rest),
    ]);
    lines
}

/// ` 3 cr`, ` at most 3 cr` or ` free`.
fn price_label(price: Price) -> String {
    match price {
        Price::Free => " free".to_owned(),
        price => price.suffix(),
    }
}

fn age_label(since: chrono::Duration) -> String {
    match since.num_minutes() {
        ..1 => "less than a minute ago".to_owned(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

/// Whether the footer of a form in this area shows how many records change and at what price: it
/// has its full height, and neither is cut off.
pub fn shows_change_count(cx: &Context, form: &AnnotationForm, area: Rect) -> bool {
    let (lines, area) = (footer_lines(cx, form), form_areas(cx, form, area).footer);
    let Some((count, others)) = lines.split_last() else {
        return false;
    };
    // How many do not change may be cut off, which takes one more cell for the ellipsis.
    let (what, rest) = count.split_at(1);
    let needed = paint::spans_width(what) + paint::spans_width(rest).min(1);
    let is_whole = |line: &Vec<TextSpan<'_>>| paint::spans_width(line) <= area.width;
    usize::from(area.height) == lines.len() && needed <= area.width && others.iter().all(is_whole)
}
