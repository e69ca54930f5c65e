//! Prints multi-page lists as their pages arrive.

use chrono::{DateTime, Utc};
use serde_json::value::RawValue;

use crate::client::paging::Pager;

use super::columns::Column;
use super::error::{CliError, Context};
use super::output::Output;
use super::print;
use super::progress::ProgressReporter;
use super::session::Session;

/// Prints all pages of a list as they arrive, to `what`. A row that moved to a later page in the
/// meantime is printed once.
pub(super) async fn print_pages(
    session: &Session,
    pages: Pager<Box<RawValue>>,
    columns: &'static [Column],
    what: &str,
) -> Result<(), CliError> {
    let printed = print_arranged_pages(pages, session.output, columns, None).await;
    printed.map(drop).context(what)
}

/// Sorts or filters the rows of a list on this machine, once all have arrived.
pub(super) struct ArrangeRows<'a> {
    pub(super) is_sorted: bool,
    /// With the time of the service.
    #[expect(clippy::type_complexity, reason = "a function from rows to rows")]
    pub(super) apply: Box<dyn FnOnce(Vec<Box<RawValue>>, DateTime<Utc>) -> Vec<Box<RawValue>> + 'a>,
}

/// Prints all pages of a list; with `arrange` once all have arrived. Returns how many rows came.
pub(super) async fn print_arranged_pages(
    mut pages: Pager<Box<RawValue>>,
    output: Output,
    columns: &'static [Column],
    arrange: Option<ArrangeRows<'_>>,
) -> Result<usize, CliError> {
    let (mut held, mut read) = (Vec::new(), 0);
    let mut listing = output.start_listing(columns);
    let (mut total, mut capped, mut unreadable) = (None, false, 0);
    let mut date = None;
    let mut progress = ProgressReporter::new(None, "rows");
    let is_piped = print::terminal_width().is_none();
    while let Some(answer) = pages.next().await? {
        listing.credits = listing
            .credits
            .saturating_add(answer.credits.unwrap_or_default());
        date = answer.date.or(date);
        let rows = answer.value;
        (total, capped, unreadable) = (
            rows.total.or(total),
            rows.total_is_capped,
            unreadable + rows.unreadable,
        );
        // Rows printed as they arrive on the same terminal would overwrite a bar.
        let can_draw_bar =
            is_piped || arrange.is_some() || !listing.is_streamed_with(rows.rows.len());
        if !can_draw_bar {
            progress.hide_bar();
        }
        let came = rows.rows.len();
        read += came;
        match arrange {
            Some(_) => held.extend(rows.rows),
            None => listing.print_page(&rows.rows)?,
        }
        if can_draw_bar && !pages.is_finished() && pages.rows_left() > 0 {
            progress.show_bar();
        }
        if let Some(total) = total {
            progress.set_length((read as u64 + u64::from(pages.rows_left())).min(total) as usize);
        }
        progress.advance(came);
    }
    drop(progress);
    let is_sorted = arrange.as_ref().is_some_and(|arrange| arrange.is_sorted);
    let mut is_empty = read == 0;
    if let Some(arrange) = arrange {
        let rows = (arrange.apply)(held, date.unwrap_or_else(Utc::now));
        is_empty = rows.is_empty();
        listing.print_page(&rows)?;
    }
    let shown = read;
    let ended = listing.finish();
    if pages.is_repeating() {
        let line = format!("stopped after {shown} rows: the service sent the same rows again");
        return Err(CliError::failed(line));
    }
    ended?;
    let cap = if capped { "+" } else { "" };
    match total {
        _ if pages.is_complete() && is_empty => print::write_note("nothing matches"),
        _ if pages.is_complete() => {}
        Some(total) if pages.is_withheld() => {
            print::write_note(&format!(
                "{shown} of {total}{cap}: the service sent no more rows; the list may be incomplete"
            ));
        }
        None if pages.is_withheld() => print::write_note(&format!(
            "{shown} rows: the service sent no more rows; the list may be incomplete"
        )),
        Some(total) if total > shown as u64 && is_sorted => print::write_note(&format!(
            "showing {shown} of {total}{cap}, sorted among themselves; use --all to sort everything"
        )),
        Some(total) if total > shown as u64 => print::write_note(&format!(
            "showing {shown} of {total}{cap}; use --limit for more or --all for everything"
        )),
        Some(_) if !capped => {}
        _ if is_sorted => print::write_note(&format!(
            "showing the first {shown}, sorted among themselves, there may be more; use --all to sort everything"
        )),
        _ => print::write_note(&format!(
            "showing the first {shown}, there may be more; use --limit for more or --all for everything"
        )),
    }
    if unreadable > 0 {
        print::write_note(&format!(
            "{} could not be read",
            print::pluralize(unreadable, "row")
        ));
    }
    Ok(shown)
}
