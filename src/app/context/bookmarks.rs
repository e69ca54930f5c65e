//! Bookmarks: signals to find again, on this machine only.

use crate::app::action::Action;
use crate::app::context::Work;
use crate::app::effect::{Effect, RecordKey};
use crate::app::format::{format_full_day, humanize, pluralize};
use crate::app::model::queue::SignalQueue;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::prompt::PromptKind;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::bookmarks::Bookmark;
use crate::domain::queue::QueueTab;

impl Context {
    /// Bookmarks the signal under the cursor, or deletes its bookmark.
    pub(in crate::app) fn toggle_bookmark(&mut self) {
        let Some(row) = self.current_signal().cloned() else {
            return;
        };
        let id = row.signal.id;
        let before = self.queue.bookmarks.len();
        self.queue.bookmarks.retain(|known| known.id() != id);
        let bookmark = (self.queue.bookmarks.len() == before).then(|| Bookmark {
            at: self.clock.service_now(),
            row,
        });
        self.queue.bookmarks.extend(bookmark.clone());
        self.ui.notice = Some(match &bookmark {
            Some(_) => Notice::success("bookmarked, on this machine only")
                .with_hint("{bookmarks} lists the bookmarks"),
            None => Notice::info("bookmark deleted"),
        });
        self.work
            .emit(Effect::SaveBookmark(id, bookmark.map(Box::new)));
    }

    /// Lists the bookmarks, the newest first.
    pub(in crate::app) fn open_bookmarks(&mut self) {
        if self.queue.bookmarks.is_empty() {
            self.ui
                .inform("there are no bookmarks yet: bookmark a signal in the queue first");
            return;
        }
        let entries = self
            .queue
            .bookmarks
            .iter()
            .rev()
            .map(|bookmark| self.bookmark_entry(bookmark))
            .collect();
        let title = pluralize(self.queue.bookmarks.len(), "bookmark");
        let kind = PickerKind::Answer(PromptKind::Bookmark);
        self.ui.overlay = Some(Overlay::Picker(Picker::single_choice(
            title,
            "on this machine only",
            entries,
            kind,
        )));
    }

    fn bookmark_entry(&self, bookmark: &Bookmark) -> PickerEntry {
        let signal = &bookmark.row.signal;
        let project = signal.project_label();
        let kind = signal
            .signal_type
            .as_ref()
            .map(|kind| humanize(kind.as_str()))
            .unwrap_or_default();
        let place = match loaded_in(bookmark.id(), &self.queue) {
            Some(QueueTab::Done) => "in Done",
            Some(_) => "in New",
            None if bookmark
                .row
                .days_left(self.clock.service_now())
                .is_some_and(|days| days < 0) =>
            {
                "left the queue"
            }
            None => "not loaded",
        };
        let is_read = signal
            .project_id
            .is_none_or(|id| self.records.get(&RecordKey::of_project(id)).is_some());
        let filed = signal
            .filed_at
            .as_ref()
            .map(|filed| format!(", filed {}", format_full_day(filed)))
            .unwrap_or_default();
        let since = bookmark.at.date_naive();
        PickerEntry {
            key: bookmark.id().to_string(),
            label: format!("{project}: {kind}"),
            note: format!("{place}, {}", if is_read { "0 cr" } else { "1 cr" }),
            detail: format!("bookmarked {since}{filed}; opening reads the project"),
        }
    }
}

/// The list among whose loaded rows the signal is.
fn loaded_in(id: SignalId, queue: &SignalQueue) -> Option<QueueTab> {
    [QueueTab::New, QueueTab::Done]
        .into_iter()
        .find(|tab| queue.tab_state(*tab).list.row(id).is_some())
}

/// Opens a bookmarked signal: from its list, or as it was when it was bookmarked.
pub(in crate::app) fn open_bookmark(id: &str, work: &mut Work, queue: &mut SignalQueue) {
    let Some(bookmark) = queue
        .bookmarks
        .iter()
        .find(|known| known.id().to_string() == id)
        .cloned()
    else {
        return;
    };
    if let Some(tab) = loaded_in(bookmark.id(), queue) {
        work.perform(Action::GoTo(Screen::Queue));
        queue.tab = tab;
        queue.current_tab_mut().move_to_first_of(&[bookmark.id()]);
        if queue
            .current_tab()
            .current_row()
            .is_some_and(|row| row.signal.id == bookmark.id())
        {
            return work.perform(Action::OpenSignal);
        }
    }
    work.perform(Action::OpenBookmark(Box::new(bookmark)));
}
