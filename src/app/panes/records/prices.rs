//! What the commands of a list of records cost now.

use crate::app::Context;
use crate::app::context::record_lists;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::price::Price;

pub(super) fn list_price(cx: &Context, price: impl FnOnce(&RecordList) -> Option<u64>) -> Price {
    Price::of_credits(cx.displayed_list().and_then(price).unwrap_or(0))
}

pub(super) fn open_price(cx: &Context) -> Price {
    match cx.displayed_list() {
        Some(list) if list.is_reading() => Price::Free,
        Some(list) if list.load != LoadState::Ready => list_price(cx, RecordList::next_price),
        _ => record_lists::current_record_key(&cx.ui, &cx.records.lists)
            .map_or(Price::Free, |key| cx.records.record_price(key)),
    }
}

/// Free where it asks first.
pub(super) fn refresh_price(cx: &Context) -> Price {
    list_price(cx, |list| {
        Some(list.first_page_price()).filter(|_| !asks_what_to_refresh(list))
    })
}

/// Whether more rows are loaded than the first page has.
pub(super) fn asks_what_to_refresh(list: &RecordList) -> bool {
    list.len() as u64 > list.first_page_price() && !list.is_reading()
}
