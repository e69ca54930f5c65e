//! Lists of many pages, printed as they come.

use serde_json::value::RawValue;

use crate::client::paging::Pages;

use super::args::Format;
use super::columns::Column;
use super::output::Output;
use super::print;
use super::progress::Progress;
use super::stop::{self, Stop};

/// Prints a list to its end. A row that moved to a later page meanwhile is printed once.
pub(super) async fn list(mut pages: Pages<Box<RawValue>>, output: Output, columns: &'static [Column]) -> Result<(), Stop> {
    let mut listing = output.listing(columns);
    let (mut total, mut capped, mut unreadable) = (None, false, 0);
    let mut progress = Progress::of(None, "rows");
    // A bar beside rows that are printed as they come would be written over.
    let has_room = output.format == Format::Table || print::terminal_width().is_none();
    while let Some(answer) = pages.next().await? {
        listing.credits = listing.credits.saturating_add(answer.credits.unwrap_or_default());
        let rows = answer.value;
        (total, capped, unreadable) = (rows.total.or(total), rows.total_is_capped, unreadable + rows.unreadable);
        listing.page(&rows.rows)?;
        if has_room && !pages.is_over() && pages.left() > 0 {
            progress.draw();
        }
        if let Some(total) = total {
            progress.set_length((listing.count() as u64 + u64::from(pages.left())).min(total) as usize);
        }
        progress.done(rows.rows.len());
    }
    drop(progress);
    let shown = listing.count();
    let ended = listing.end();
    if pages.repeats() {
        let line = format!("stopped after {shown} rows: the service sends the same ones again");
        return Err(Stop::new(stop::FAILED, line));
    }
    ended?;
    let cap = if capped { "+" } else { "" };
    match total {
        _ if pages.is_whole() && shown == 0 => print::note("nothing matches"),
        _ if pages.is_whole() => {}
        Some(total) if pages.is_withheld() => {
            print::note(&format!("{shown} of {total}{cap}: the service sent no more; the list may be incomplete"));
        }
        None if pages.is_withheld() => {
            print::note(&format!("{shown} rows: the service sent no more; the list may be incomplete"))
        }
        Some(total) if total > shown as u64 => print::note(&format!("{shown} of {total}{cap}; --all lists all, --limit more")),
        Some(_) => {}
        None => print::note(&format!("the first {shown}; there may be more: --all lists all, --limit more")),
    }
    if unreadable > 0 {
        print::note(&format!("{unreadable} rows could not be read"));
    }
    Ok(())
}
