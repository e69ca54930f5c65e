//! Lists of many pages, printed as they come.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::client::paging::Pages;

use super::args::Format;
use super::columns::Column;
use super::output::Output;
use super::print;
use super::progress::Progress;
use super::stop::{self, Stop};
use crate::export::json::Fields;

/// Prints a list to its end. A row that moved to a later page meanwhile is printed once.
pub(super) async fn list(mut pages: Pages<Box<RawValue>>, output: Output, columns: &'static [Column]) -> Result<(), Stop> {
    let mut listing = output.listing(columns);
    let (mut seen, mut unreadable) = (HashSet::new(), 0);
    let (mut total, mut capped, mut repeats) = (None, false, false);
    let mut progress = Progress::of(None, "rows");
    // A bar beside rows that are printed as they come would be written over.
    let has_room = output.format == Format::Table || print::terminal_width().is_none();
    while let Some(answer) = pages.next().await? {
        listing.credits = listing.credits.saturating_add(answer.credits.unwrap_or_default());
        let rows = answer.value;
        (total, capped, unreadable) = (rows.total.or(total), rows.total_is_capped, unreadable + rows.unreadable);
        let mut fresh = rows.rows;
        let came = fresh.len();
        fresh.retain(|row| id(row).is_none_or(|id| seen.insert(id)));
        listing.page(&fresh)?;
        if has_room && !pages.is_whole() && pages.left() > 0 {
            progress.draw();
        }
        if let Some(total) = total {
            progress.set_length((listing.count() as u64 + u64::from(pages.left())).min(total) as usize);
        }
        progress.done(fresh.len());
        // A whole page that was seen before: a list without a total would go on like this for ever.
        repeats = pages.repeats() || (came > 0 && fresh.is_empty() && !pages.is_whole());
        if repeats {
            break;
        }
    }
    drop(progress);
    let shown = listing.count();
    let ended = listing.end();
    if repeats {
        let line = format!("stopped after {shown} rows: the service sends the same ones again");
        return Err(Stop::new(stop::FAILED, line));
    }
    ended?;
    let cap = if capped { "+" } else { "" };
    match total {
        _ if pages.is_whole() && shown == 0 => print::note("nothing matches"),
        _ if pages.is_whole() => {}
        Some(total) if total > shown as u64 => print::note(&format!("{shown} of {total}{cap}; --all lists all, --limit more")),
        Some(_) => {}
        None => print::note(&format!("the first {shown}; there may be more: --all lists all, --limit more")),
    }
    if unreadable > 0 {
        print::note(&format!("{unreadable} rows could not be read"));
    }
    Ok(())
}

/// The id of a row, as it is written in its JSON.
pub(super) fn id(row: &RawValue) -> Option<String> {
    Fields::of(row).get("id").map(|id| id.get().to_owned())
}
