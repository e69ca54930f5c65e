//! New Views: created with the records they hold, and undone by their deletion. And Views that
//! somebody else deleted.

use uuid::Uuid;

use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{Effect, ListId};
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::domain::ViewId;
use crate::domain::batch::BatchItemResult;
use crate::domain::book::RecordKind;
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedRowsChange;
use crate::domain::views::{View, ViewDraft, ViewType};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// What is known of the Views that the user creates.
#[derive(Debug, Default)]
pub(super) struct NewViews {
    /// The last one that was created for records, and these records.
    records: Option<(ViewDraft, Vec<Uuid>)>,
    /// The newest write that created one.
    last_write: u64,
}

impl Context {
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
    /// of their own.
    pub(super) fn on_views_created(&mut self, write: u64, applied: &[ReversibleWrite]) {
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
                self.publish(Change::ViewCreated(*id));
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
        self.record_lists.retain(|list| *list != ListId::View(id));
        self.effects
            .push(Effect::ChangeSavedRows(SavedRowsChange::DeleteView(id)));
        self.publish(Change::Views);
        self.read_views();
        self.notice = Some(Notice::warning(deleted_view_text(&title)));
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
