//! Lists of records of earlier sessions: their rows are saved on this machine and shown again for
//! free, until they are refreshed.
//!
//! The rows are looked up when a list is shown that this session has not read. Own writes and newer
//! reads change them, so that they say what this machine knows.

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::app::Context;
use crate::app::change::Change;
use crate::app::context::{Work, records};
use crate::app::effect::{Effect, ListId};
use crate::app::format::{format_time_in_sentence, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{RecordList, RecordsRead};
use crate::app::model::record_lists::RecordLists;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::records::{Record, RecordFields};
use crate::domain::runs::{SavedRowsChange, SavedSearch, SavedSearchRun};
use crate::domain::search::RecordSource;

impl Context {
    /// Takes which lists earlier sessions saved, and shows the one on the screen.
    pub(in crate::app) fn restore_saved_searches(&mut self, saved: Vec<SavedSearch>) {
        self.records.lists.set_saved_searches(saved);
        if let Some(shown) = self.ui.focus.list.clone() {
            self.show_saved_rows(&shown);
        }
    }

    /// Shows the saved rows of a list that was not read in this session, if there are any. Requests
    /// nothing of the service.
    pub fn show_saved_rows(&mut self, shown: &ListId) {
        let is_unread = |list: &&RecordList| list.load == LoadState::Idle && !list.is_reading();
        if self
            .records
            .lists
            .get(shown)
            .filter(is_unread)
            .is_some_and(|list| self.records.lists.may_be_saved(&list.source, &list.search))
        {
            self.read_saved_rows(shown, false);
        }
    }

    /// Shows the saved rows of a list's search; reads the first page if there are none.
    pub fn read_saved_or_first_page(&mut self, shown: &ListId) {
        let Some(list) = self.records.lists.get(shown) else {
            return;
        };
        // Where the screen said that rows are saved, it showed no price.
        let is_promised = self
            .records
            .lists
            .saved_read_at(&list.source, &list.search)
            .is_some();
        if self.records.lists.may_be_saved(&list.source, &list.search) {
            self.read_saved_rows(shown, !is_promised);
        } else {
            self.read_first_page(shown);
        }
    }

    fn read_saved_rows(&mut self, shown: &ListId, or_first: bool) {
        if let Some(list) = self.records.lists.get_mut(shown) {
            list.load = LoadState::Loading;
        }
        self.read_record_page(shown, RecordsRead::Saved { or_first });
    }

    pub(super) fn on_saved_rows_reply(
        &mut self,
        shown: ListId,
        or_first: bool,
        result: CallResult,
    ) {
        let found = payload::<Option<Box<SavedSearchRun>>>(result);
        let Some(list) = self.records.lists.get_mut(&shown) else {
            return;
        };
        match found {
            Ok(Some(run)) => {
                list.show_run(*run);
                self.learn_rows(&shown, 0);
                self.work.publish(Change::Filtered(shown.clone()));
                records::update_fetched_records(
                    &shown,
                    &self.records.lists,
                    &mut self.records.fetched,
                );
                self.show_saved_rows_notice(&shown);
            }
            Ok(None) if or_first => self.read_first_page(&shown),
            Ok(None) => {
                let (source, search) = (list.source.clone(), list.search.clone());
                list.end_lookup();
                if self.records.lists.saved_read_at(&source, &search).is_some() {
                    self.records.lists.set_saved(&source, &search, None);
                    self.ui
                        .warn("its rows are no longer saved on this machine; nothing was read");
                }
            }
            Err(_) => list.end_lookup(),
        }
    }

    fn show_saved_rows_notice(&mut self, shown: &ListId) {
        let Some(list) = self.records.lists.get(shown) else {
            return;
        };
        let Some(at) = list.read_at else { return };
        let read = format_time_in_sentence(at, self.clock.service_now(), self.clock.utc_offset);
        let text = format!("{}, read {read}, 0 credits", pluralize(list.len(), "row"));
        let hint = format!(
            "{{records.refresh}} refreshes for at most {}",
            pluralize(list.refresh_price(), "credit")
        );
        self.ui.notice = Some(Notice::info(text).with_hint(hint));
    }

    /// The service rejected the place after the last saved row.
    pub(super) fn show_expired_place(&mut self, shown: &ListId) {
        let Some((list, at)) = self
            .records
            .lists
            .get(shown)
            .and_then(|list| Some((list, list.read_at?)))
        else {
            return;
        };
        let read = format_time_in_sentence(at, self.clock.service_now(), self.clock.utc_offset);
        let price = pluralize(list.refresh_price(), "credit");
        let text = format!("the service no longer continues the list of {read}");
        self.ui.notice = Some(
            Notice::error(text)
                .with_hint(format!("{{records.refresh}} refreshes for at most {price}")),
        );
    }
}

pub(super) fn is_from_earlier_session(shown: &ListId, record_lists: &RecordLists) -> bool {
    record_lists
        .get(shown)
        .is_some_and(RecordList::is_from_earlier_session)
}

/// Saves the rows of a list from an index on. Explore saves its runs itself.
pub(super) fn save_list_rows(
    shown: &ListId,
    first_row: usize,
    work: &mut Work,
    record_lists: &mut RecordLists,
) {
    let Some(list) = record_lists.get(shown) else {
        return;
    };
    let Some(read_at) = list
        .read_at
        .filter(|_| !matches!(shown, ListId::Explore(_)))
    else {
        return;
    };
    let run = Box::new(list.to_run(read_at, first_row));
    record_lists.set_saved(&run.source, &run.search, run.read_at);
    work.emit(Effect::SaveSearchRun { run, first_row });
}

/// Rows of a list were read: updates the rows of the same records in the other lists.
pub(super) fn update_other_lists(shown: &ListId, first_row: usize, record_lists: &mut RecordLists) {
    let Some(list) = record_lists.get(shown) else {
        return;
    };
    let dataset = list.source.dataset();
    let newer: Vec<Record> = list.rows().iter().skip(first_row).cloned().collect();
    for (_, other) in record_lists
        .iter_mut()
        .filter(|(id, list)| *id != shown && list.source.dataset() == dataset)
    {
        for row in &newer {
            other.update_record(row.id, |known| known.with_refreshed_fields(&row.fields()));
        }
    }
}

/// Records joined a View: adds their rows, as far as a list of the book or of another View has
/// them.
pub(super) fn add_view_rows(
    view: ViewId,
    ids: Vec<Uuid>,
    work: &mut Work,
    record_lists: &mut RecordLists,
) {
    let lists = &*record_lists;
    let has_annotations = |list: &&RecordList| !matches!(list.source, RecordSource::Index(_));
    let row = |id: Uuid| {
        lists
            .values()
            .filter(has_annotations)
            .find_map(|list| list.row(id))
            .cloned()
    };
    let joined: Vec<(Uuid, Option<Record>)> = ids.into_iter().map(|id| (id, row(id))).collect();
    if let Some(list) = record_lists.get_mut(&ListId::View(view)) {
        joined
            .iter()
            .for_each(|(id, row)| list.add_record(*id, row.clone()));
    }
    work.emit(Effect::ChangeSavedRows(SavedRowsChange::JoinView(
        view, joined,
    )));
}

/// Records joined the book with these annotations: adds their rows, as far as another list has
/// them. The lists that have them already stay as they are.
pub(super) fn add_book_rows(
    kind: &RecordKind,
    annotated: Vec<(Uuid, Map<String, Json>)>,
    work: &mut Work,
    record_lists: &mut RecordLists,
) {
    let lists = &*record_lists;
    let row = |id: Uuid| lists.of_kind(kind).find_map(|list| list.row(id)).cloned();
    let joined: Vec<(Uuid, Option<Record>)> = annotated
        .into_iter()
        .map(|(id, fields)| (id, row(id).map(|row| row.with_fields(&fields))))
        .collect();
    if let Some(list) = record_lists.get_mut(&ListId::Book(kind.clone())) {
        joined
            .iter()
            .for_each(|(id, row)| list.add_record(*id, row.clone()));
    }
    work.emit(Effect::ChangeSavedRows(SavedRowsChange::JoinBook(
        kind.clone(),
        joined,
    )));
}

/// Changes the saved rows of a record like those in memory.
pub(in crate::app) fn update_saved_rows(id: Uuid, fields: RecordFields, work: &mut Work) {
    work.emit(Effect::ChangeSavedRows(SavedRowsChange::Update(id, fields)));
}
