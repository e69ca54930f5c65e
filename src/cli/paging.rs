//! Prints multi-page lists as their pages arrive.

use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::domain::exit_status;

use super::columns::OutputColumn;
use super::error::CliError;
use super::output::Output;
use super::print;
use super::progress::ProgressReporter;

/// Prints all pages of a list. A row that moved to a later page in the meantime is printed once.
pub(super) async fn print_pages(
    mut pages: Pager<Box<RawValue>>,
    output: Output,
    columns: &'static [OutputColumn],
) -> Result<(), CliError> {
    let mut listing = output.start_listing(columns);
    let (mut total, mut capped, mut unreadable) = (None, false, 0);
    let mut progress = ProgressReporter::new(None, "rows");
    let is_piped = print::terminal_width().is_none();
    while let Some(answer) = pages.next().await? {
        listing.credits = listing.credits.saturating_add(answer.credits.unwrap_or_default());
        let rows = answer.value;
        (total, capped, unreadable) = (rows.total.or(total), rows.total_is_capped, unreadable + rows.unreadable);
        // Rows printed as they arrive on the same terminal would overwrite a bar.
        let can_draw_bar = is_piped || !listing.is_streamed_with(rows.rows.len());
        if !can_draw_bar {
            progress.hide_bar();
        }
        listing.print_page(&rows.rows)?;
        if can_draw_bar && !pages.is_finished() && pages.rows_left() > 0 {
            progress.show_bar();
        }
        if let Some(total) = total {
            progress.set_length((listing.count() as u64 + u64::from(pages.rows_left())).min(total) as usize);
        }
        progress.advance(rows.rows.len());
    }
    drop(progress);
    let shown = listing.count();
    let ended = listing.finish();
    if pages.is_repeating() {
        let line = format!("stopped after {shown} rows: the service sent the same rows again");
        return Err(CliError::new(exit_status::FAILED, line));
    }
    ended?;
    let cap = if capped { "+" } else { "" };
    match total {
        _ if pages.is_complete() && shown == 0 => print::write_note("nothing matches"),
        _ if pages.is_complete() => {}
        Some(total) if pages.is_withheld() => {
            print::write_note(&format!("{shown} of {total}{cap}: the service sent no more rows; the list may be incomplete"));
        }
        None if pages.is_withheld() => {
            print::write_note(&format!("{shown} rows: the service sent no more rows; the list may be incomplete"))
        }
        Some(total) if total > shown as u64 => {
            print::write_note(&format!("showing {shown} of {total}{cap}; use --limit for more or --all for everything"))
        }
        Some(_) => {}
        None => print::write_note(&format!(
            "showing the first {shown}, there may be more; use --limit for more or --all for everything"
        )),
    }
    if unreadable > 0 {
        print::write_note(&format!("{} could not be read", print::pluralize(unreadable, "row")));
    }
    Ok(())
}
