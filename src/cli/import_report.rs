//! What `gantry import` found out about a file without a layout, as lines for a terminal.
//!
//! Never here: reading, questions.

use super::print;
use crate::domain::number_format::group_digits;
use crate::service::import::inspect::preview::PreviewRow;
use crate::service::import::inspect::{Confidence, Inspection};
use crate::service::import::layout::DecimalSign;
use crate::service::import::words::PermitField;
use crate::text;

/// One line of at most this many cells.
fn fit(line: &str, width: usize) -> String {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    text::truncate(&text::sanitize_line(&line), width, "…").into_owned()
}

/// A text in a column of this width.
fn pad(text: &str, width: usize) -> String {
    let cut = fit(text, width);
    format!(
        "{cut}{}",
        " ".repeat(width.saturating_sub(text::display_width(&cut)))
    )
}

/// The report: how the file is written, its columns, dates and numbers, and the first rows as
/// projects and signals.
pub(super) fn report_lines(
    file: &str,
    is_json: bool,
    found: &Inspection,
    preview: &[PreviewRow],
    rejected: usize,
    width: usize,
) -> Vec<String> {
    let form = if is_json {
        String::new()
    } else {
        format!(
            ", separated by {}; {}; {}",
            found.format.separator_name(),
            found.format.encoding.name(),
            if found.format.unnamed.is_some() {
                "no header".to_owned()
            } else {
                format!("header on line {}", found.header_line)
            },
        )
    };
    let line = |text: String| fit(&text, width);
    let (columns, rows) = (found.columns.len(), print::pluralize(found.rows, "row"));
    let mut out = vec![
        line(format!("{file}: {columns} columns{form}; {rows} looked at")),
        String::new(),
    ];
    let heading = found
        .columns
        .iter()
        .map(|column| text::display_width(&column.name))
        .max()
        .unwrap_or_default()
        .clamp(6, 22);
    for (at, column) in found.columns.iter().enumerate() {
        let lead = format!(
            "{:>4}  {}  {}  {:<7}  ",
            at + 1,
            pad(&column.name, heading),
            pad(column.field.title(), 16),
            if column.field == PermitField::Nothing {
                ""
            } else {
                column.confidence.word()
            }
        );
        let room = width.saturating_sub(text::display_width(&lead));
        out.push(
            format!("{lead}{}", fit_samples(&column.samples, room))
                .trim_end()
                .to_owned(),
        );
        if column.confidence < Confidence::Certain {
            out.push(fit_indented(&column.reason, heading + 8, width));
        }
    }
    out.push(String::new());
    if let Some((order, why)) = &found.dates {
        let order = order.description();
        out.push(line(format!("Dates are written {order}, {why}")));
    }
    if let Some((sign, why)) = &found.decimal {
        let like = if *sign == DecimalSign::Comma {
            "1.234,56"
        } else {
            "1,234.56"
        };
        out.push(line(format!("Numbers are written like {like}, {why}")));
    }
    if let Some((city, state)) = &found.city {
        let comma = if state.is_empty() { "" } else { ", " };
        out.push(line(format!("City: {city}{comma}{state}")));
    }
    for note in &found.notes {
        let note = text::sanitize_line(note);
        out.extend(text::wrap_text(&format!("Note: {note}"), width));
    }
    if !preview.is_empty() {
        out.push(String::new());
        out.push("The first rows would become:".to_owned());
        for row in preview {
            let place = [row.address.as_str(), row.city.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            let cost = row.cost.map_or(String::new(), |cost| {
                format!("  ${}", group_digits(&format!("{cost:.0}")))
            });
            let project = format!("{place}{cost}  {}", row.firms.join(", "));
            out.push(fit_indented(&project, 2, width));
            let signals = row
                .signals
                .iter()
                .map(|(kind, day)| format!("{} {day}", kind.replace('_', " ")))
                .collect::<Vec<_>>()
                .join(", ");
            let permit = format!("{}: {signals}", row.permit);
            out.push(fit_indented(&permit, 4, width));
        }
    }
    if rejected > 0 && !preview.is_empty() {
        out.push(line(format!(
            "{rejected} of the {} rows looked at would be rejected: they lack a number, a place or a date",
            found.rows
        )));
    }
    out
}

/// As many samples as there is room for; a long one is cut.
fn fit_samples(samples: &[String], room: usize) -> String {
    let mut out = String::new();
    for sample in samples.iter().map(|sample| fit(sample, 24)) {
        let next = if out.is_empty() {
            sample
        } else {
            format!("{out} · {sample}")
        };
        if !out.is_empty() && text::display_width(&next) > room {
            break;
        }
        out = next;
    }
    fit(&out, room)
}

fn fit_indented(line: &str, indent: usize, width: usize) -> String {
    format!(
        "{}{}",
        " ".repeat(indent),
        fit(line, width.saturating_sub(indent))
    )
}
