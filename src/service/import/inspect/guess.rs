//! What one column holds, by its name and its values.
//!
//! Never here: a choice between columns.

use super::shapes::ColumnShape;
use super::{ColumnReport, Confidence};
use crate::service::import::permit_state::PermitState;
use crate::service::import::words::{self, HeadingMatch, PermitField};

/// What a column holds by its name and its values.
pub fn guess_column(name: &str, shape: &ColumnShape) -> ColumnReport {
    let report = |field, confidence, reason: String, rank| ColumnReport {
        name: name.to_owned(),
        field,
        confidence,
        reason,
        samples: shape.samples.clone(),
        month: None,
        rank,
    };
    let no_rank = (false, std::cmp::Reverse(usize::MAX));
    if let Some(field) = shape
        .field()
        .filter(|field| matches!(field, PermitField::Email | PermitField::Point))
    {
        return report(
            field,
            Confidence::Certain,
            "by its values".to_owned(),
            (true, std::cmp::Reverse(0)),
        );
    }
    // the second column of a name
    let base = name
        .rsplit_once(" (")
        .filter(|(_, n)| n.trim_end_matches(')').parse::<u32>().is_ok())
        .map_or(name, |(base, _)| base);
    let matches: Vec<HeadingMatch> =
        match_last_in_object(base).unwrap_or_else(|| words::match_heading(base));
    let rank = |found: &HeadingMatch| (found.is_exact, std::cmp::Reverse(found.rank));
    if !matches.iter().any(|found| found.is_exact)
        && PermitState::of_end(base).is_some()
        && shape.fits(PermitField::Ended)
    {
        return report(
            PermitField::Ended,
            Confidence::Likely,
            "by part of its name, and its values".to_owned(),
            no_rank,
        );
    }
    if let Some(found) = matches.iter().find(|found| shape.fits(found.field)) {
        let (confidence, reason) = match (found.is_exact, shape.filled) {
            (_, 0) => (
                Confidence::Likely,
                "by its name; it has no values in the sample".to_owned(),
            ),
            (true, _) => (Confidence::Certain, "by its name".to_owned()),
            (false, _) => (
                Confidence::Likely,
                "by part of its name, and its values".to_owned(),
            ),
        };
        return report(found.field, confidence, reason, rank(found));
    }
    // `Estado`, `State`
    let is_state = words::is_named(base, |field| field == PermitField::State);
    if shape.is_status() || is_state && shape.is_mainly_statuses() {
        return report(
            PermitField::Status,
            Confidence::Likely,
            "by its values".to_owned(),
            no_rank,
        );
    }
    if matches.is_empty() && shape.is_street_type() {
        return report(
            PermitField::StreetSuffix,
            Confidence::Likely,
            "by its values".to_owned(),
            no_rank,
        );
    }
    if let Some(found) = matches.first() {
        let reason = match (shape.count_fitting(found.field), kind_of_value(found.field)) {
            (0, [one, _]) => format!("by its name, but none of its {} values {one}", shape.filled),
            (1, [one, _]) => format!(
                "by its name, but only 1 of its {} values {one}",
                shape.filled
            ),
            (fitting, [_, several]) => format!(
                "by its name, but only {fitting} of its {} values {several}",
                shape.filled
            ),
        };
        return report(found.field, Confidence::Unsure, reason, rank(found));
    }
    match shape.field() {
        Some(field) => report(
            field,
            Confidence::Unsure,
            "by its values only".to_owned(),
            no_rank,
        ),
        None => report(
            PermitField::Nothing,
            Confidence::Certain,
            "its name is unknown".to_owned(),
            no_rank,
        ),
    }
}

/// In an object that is no firm's, the last part of a name says what part of a place it is:
/// `siteAddress.city`; in one of a permit or of dates, which date: `dates.issued`.
fn match_last_in_object(name: &str) -> Option<Vec<HeadingMatch>> {
    let (owner, last) = name.rsplit_once('.')?;
    let owners = || owner.split('.');
    let is_firm = |part: &str| {
        words::match_heading(part)
            .iter()
            .any(|found| found.field.is_firm())
    };
    let is_dated =
        |part: &str| words::is_word_of("of_permit", part) || words::is_word_of("of_dates", part);
    let matches = words::match_heading(last).into_iter().filter(|found| {
        let field = found.field;
        let is_of_owner = match field.is_date() {
            true => owners().all(is_dated),
            false => field.is_place() && !owners().any(is_firm),
        };
        found.is_exact && is_of_owner
    });
    let matches: Vec<HeadingMatch> = matches.collect();
    (!matches.is_empty()).then_some(matches)
}

/// What a value of a field is, and what several are.
fn kind_of_value(field: PermitField) -> [&'static str; 2] {
    match field {
        field if field.is_date() => ["is a date", "are dates"],
        field if field.is_figure() => ["is a number", "are numbers"],
        PermitField::Latitude | PermitField::Longitude | PermitField::Point => {
            ["is a coordinate", "are coordinates"]
        }
        PermitField::Id => ["is a number", "are different numbers"],
        PermitField::Phone => ["is a phone number", "are phone numbers"],
        PermitField::Email => ["is an email address", "are email addresses"],
        _ => ["fits", "fit"],
    }
}
