//! Records that are added to Views, and new Views: created with the records they hold, and undone by
//! their deletion. And Views that somebody else deleted.

use std::cmp::Reverse;

use uuid::Uuid;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::context::views;
use crate::app::effect::{Effect, ListId};
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::domain::ViewId;
use crate::domain::batch::BatchItemResult;
use crate::domain::book::RecordKind;
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedRowsChange;
use crate::domain::views::{View, ViewDraft, ViewType};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// What is known of the Views that the user creates.
#[derive(Debug, Default)]
pub(in crate::app) struct NewViews {
    /// The last one that was created for records, and these records.
    records: Option<(ViewDraft, Vec<Uuid>)>,
    /// The newest write that created one.
    last_write: u64,
    /// The records to choose a View for once the Views are read, and their scope.
    pub(super) waiting: Option<(RecordKind, Vec<Uuid>, String)>,
}

/// The preference with the Views that records were added to, the latest last.
const USED_VIEWS: &str = "views.used";
const MAX_USED_VIEWS: usize = 20;

impl Context {
    /// Asks which View these records are added to: a Static one of their kind, the last used one
    /// first, or a new one. `scope` says which records they are. Reads the Views first if they are
    /// not loaded.
    pub(in crate::app) fn choose_view(&mut self, kind: RecordKind, ids: Vec<Uuid>, scope: &str) {
        if *self.views.load() != LoadState::Ready {
            self.new_views.waiting = Some((kind, ids, scope.to_owned()));
            self.ui.inform("reading the Views, 0 cr");
            return views::read_views(&mut self.work, &mut self.views);
        }
        let what = pluralize(ids.len(), kind.singular_name());
        let used = self.settings.typed_history(USED_VIEWS);
        let mut views: Vec<&View> = self.views.static_views(&kind).collect();
        views.sort_by_key(|view| Reverse(used.iter().position(|id| *id == view.id.to_string())));
        // What the loaded rows of a View hold already is not removed again.
        let is_there = |view: &View, id: &Uuid| {
            let list = self.records.lists.get(&ListId::View(view.id));
            list.is_some_and(|list| list.row(*id).is_some())
        };
        let add = |view: &View, id: &Uuid| ReversibleWrite {
            forward: WriteOp::Add(view.id, *id),
            back: (!is_there(view, id)).then_some(WriteOp::Remove(view.id, *id)),
        };
        let option = |view: &&View| ChoiceOption {
            label: view.title(),
            note: self
                .records
                .lists
                .count_of_view(view)
                .map(|count| count.describe("record"))
                .unwrap_or_default(),
            action: Action::WriteOrConfirm {
                verb: format!("add {what} to {}", view.title()),
                scope: scope.to_owned(),
                description: format!("{what} added to {}", view.title()),
                changes: ids.iter().map(|id| add(view, id)).collect(),
            },
        };
        let mut options: Vec<ChoiceOption> = views.iter().map(option).collect();
        options.push(ChoiceOption {
            label: "new View...".to_owned(),
            note: "asks for its name".to_owned(),
            action: Action::CreateView(kind, ids),
        });
        let mut choice = Choice::new(format!("Add {what} to a View"), "0 cr", options);
        choice.text = format!("{scope} The View changes for everyone. Undo takes these records out again; if you have not opened the View, also those that were in it already.")
            .trim_start()
            .to_owned();
        self.ui.overlay = Some(Overlay::Choice(choice));
    }

    /// The Views were read: chooses one for the records that wait for it, unless the user is at
    /// something else.
    pub(super) fn choose_awaited_view(&mut self) {
        let waiting = self.new_views.waiting.take();
        let is_free = self.ui.overlay.is_none() && self.ui.prompt.is_none() && !self.ui.is_typing();
        if let Some((kind, ids, scope)) = waiting.filter(|_| is_free) {
            self.ui.notice = None;
            self.choose_view(kind, ids, &scope);
        }
    }

    /// Creates a Static View of this name that holds these records.
    pub(in crate::app) fn create_static_view(
        &mut self,
        name: &str,
        kind: &RecordKind,
        records: Vec<Uuid>,
    ) {
        let draft = ViewDraft {
            name: Some(name.to_owned()),
            dataset: Some(kind.singular_name().to_owned()),
            kind: Some(ViewType::Static.as_str().to_owned()),
            ..ViewDraft::default()
        };
        self.new_views.records = (!records.is_empty()).then(|| (draft.clone(), records));
        let change = ReversibleWrite {
            forward: WriteOp::SaveView(draft),
            back: None,
        };
        self.write_changes(
            format!("Static View {name} of {kind} created"),
            vec![change],
        );
    }

    /// Views were created: adds the records that the last one was created for, and has the cursor
    /// go to it. They leave with the View when its creation is undone, so they are not an undo step
    /// of their own. Remembers the View that records were added to.
    pub(super) fn on_views_written(&mut self, write: u64, applied: &[ReversibleWrite]) {
        if let Some(WriteOp::Add(view, _)) = applied.last().map(|change| &change.forward) {
            self.settings.remember_typed(
                USED_VIEWS,
                &view.to_string(),
                MAX_USED_VIEWS,
                &mut self.work,
            );
        }
        for change in applied {
            let (WriteOp::SaveView(draft), Some(WriteOp::DeleteView(id))) =
                (&change.forward, &change.back)
            else {
                continue;
            };
            if draft.view_id.is_some() {
                continue;
            }
            // Replies may arrive in another order than they were asked for.
            if self.new_views.last_write < write {
                self.new_views.last_write = write;
                self.work.publish(Change::ViewCreated(*id));
            }
            let Some((_, records)) = self
                .new_views
                .records
                .as_ref()
                .filter(|(created, _)| created == draft)
            else {
                continue;
            };
            let add = |record: &Uuid| ReversibleWrite {
                forward: WriteOp::Add(*id, *record),
                back: None,
            };
            let changes: Vec<ReversibleWrite> = records.iter().map(add).collect();
            let kind = draft.dataset.as_deref().unwrap_or("record");
            let (name, what) = (
                draft.name.clone().unwrap_or_default(),
                pluralize(changes.len(), kind),
            );
            let undone = std::mem::take(&mut self.outbox.history.undone);
            self.write_changes(format!("{what} added to the new View {name}"), changes);
            self.outbox.history.undone = undone;
        }
    }

    /// Whether records were added to a View that was created for them.
    pub(super) fn is_new_view_filled(&self, applied: &[ReversibleWrite]) -> bool {
        matches!(
            applied,
            [
                ReversibleWrite {
                    forward: WriteOp::Add(..),
                    back: None
                },
                ..
            ]
        )
    }

    /// A View is gone: somebody else deleted it. Its row and its records are removed, and the list
    /// is read again.
    pub(super) fn on_view_gone(&mut self, id: ViewId) {
        let title = self.views.get(id).map(View::title).unwrap_or_default();
        self.views.remove(id);
        self.records.lists.retain(|list| *list != ListId::View(id));
        self.work
            .emit(Effect::ChangeSavedRows(SavedRowsChange::DeleteView(id)));
        self.work.publish(Change::Views);
        views::read_views(&mut self.work, &mut self.views);
        self.ui.warn(deleted_view_text(&title));
    }

    /// The failure of a write, in plain words if it is about a View that is gone.
    pub(super) fn explain_gone_view(
        &mut self,
        change: Option<ReversibleWrite>,
        failure: RequestError,
    ) -> RequestError {
        let id = match change.map(|change| change.forward) {
            Some(WriteOp::Add(id, _) | WriteOp::Remove(id, _) | WriteOp::Favorite(id, true)) => id,
            Some(WriteOp::SaveView(ViewDraft {
                view_id: Some(id), ..
            })) => id,
            _ => return failure,
        };
        if failure.status() != Some(404) {
            return failure;
        }
        let title = self.views.get(id).map(View::title).unwrap_or_default();
        self.on_view_gone(id);
        RequestError {
            message: deleted_view_text(&title),
            ..failure
        }
    }
}

/// A change as it was applied: the creation of a View is undone by its deletion, once its id is
/// known.
pub(super) fn with_created_view(
    change: ReversibleWrite,
    result: &BatchItemResult,
) -> ReversibleWrite {
    match (&change.forward, result.record_id) {
        (WriteOp::SaveView(ViewDraft { view_id: None, .. }), Some(id)) => ReversibleWrite {
            back: Some(WriteOp::DeleteView(ViewId(id))),
            ..change
        },
        _ => change,
    }
}

fn deleted_view_text(title: &str) -> String {
    format!("The View {title} was deleted by somebody else. Its records were not changed.")
}
