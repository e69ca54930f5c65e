//! Lists of many pages, printed as they come.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::client::{Client, Request};

use super::columns::Column;
use super::json::Fields;
use super::output::Output;
use super::print;
use super::stop::Stop;

/// Up to `most` rows of a list that is paged by offset. A row that moved to a later page meanwhile is printed once.
pub(super) async fn by_offset(
    client: &Client,
    output: Output,
    columns: &'static [Column],
    most: u32,
    page: u32,
    request: impl Fn(u32, u32) -> Request,
) -> Result<(), Stop> {
    let mut listing = output.listing(columns);
    let (mut seen, mut offset, mut unreadable) = (HashSet::new(), 0u32, 0);
    let mut total = None;
    let all_came = loop {
        let limit = most.saturating_sub(u32::try_from(listing.count()).unwrap_or(u32::MAX)).min(page);
        if limit == 0 {
            break false;
        }
        let rows = client.rows::<Box<RawValue>>(request(offset, limit)).await?.value;
        let sent = u32::try_from(rows.rows.len() + rows.unreadable).unwrap_or(u32::MAX);
        (total, unreadable) = (rows.total.or(total), unreadable + rows.unreadable);
        let mut fresh = rows.rows;
        fresh.retain(|row| id(row).is_none_or(|id| seen.insert(id)));
        listing.page(&fresh)?;
        offset = offset.saturating_add(sent);
        if sent < limit || total.is_some_and(|total| u64::from(offset) >= total) {
            break true;
        }
    };
    let shown = listing.count();
    listing.end()?;
    told(shown, total, all_came, unreadable);
    Ok(())
}

/// What the list does not say itself.
pub(super) fn told(shown: usize, total: Option<u64>, all_came: bool, unreadable: usize) {
    match total {
        _ if all_came && shown == 0 => print::note("nothing matches"),
        _ if all_came => {}
        Some(total) if total > shown as u64 => print::note(&format!("{shown} of {total}; --all lists all, --limit more")),
        Some(_) => {}
        None => print::note(&format!("the first {shown}; there may be more: --all lists all, --limit more")),
    }
    if unreadable > 0 {
        print::note(&format!("{unreadable} rows could not be read"));
    }
}

fn id(row: &RawValue) -> Option<String> {
    Fields::of(row).get("id").map(|id| id.get().to_owned())
}
