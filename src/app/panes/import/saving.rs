//! Saves what the lines mean: to the book, or to a Static View, in one write.

use uuid::Uuid;

use super::ImportPane;
use super::messages::ImportAction;
use crate::app::Context;
use crate::app::change::FinishedWrite;
use crate::app::command::Availability;
use crate::app::effect::ListId;
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl ImportPane {
    fn chosen_ids(&self) -> Vec<Uuid> {
        self.import()
            .map(|import| {
                import
                    .chosen_records()
                    .into_iter()
                    .map(|record| record.id)
                    .collect()
            })
            .unwrap_or_default()
    }

    fn kind(&self) -> RecordKind {
        self.import()
            .map_or(RecordKind::Accounts, |import| import.kind.clone())
    }

    fn describe_chosen(&self) -> String {
        pluralize(self.chosen_ids().len(), self.kind().singular_name())
    }

    pub(super) fn can_save(&self, _: &Context) -> Availability {
        match self.import() {
            _ if self.is_matching => Err("the list is being matched".into()),
            None => Err("match the list first".into()),
            Some(import) if import.chosen_records().is_empty() => Err("no line is chosen".into()),
            Some(_) => Ok(()),
        }
    }

    /// What the lines come to, for a question.
    fn scope(&self) -> String {
        let lines = self.import().map_or(0, |import| import.lines.len());
        format!("Of {}: {}.", pluralize(lines, "line"), self.summary())
    }

    pub(super) fn confirm_save(&self, cx: &mut Context) {
        let (what, kind) = (self.describe_chosen(), self.kind());
        let text = match self.is_whole_book_loaded(&kind, cx) {
            true => "Saving is free. Undo removes those that were not in the book.",
            false => "Saving is free. Undo cannot remove them.",
        };
        cx.ui.confirm_change(
            &format!("save {what} to the book for everyone"),
            text.to_owned(),
            ImportAction::SaveToBook.into(),
        );
    }

    /// Whether all rows of the book are loaded, so that a record that is not among them is not in
    /// it.
    fn is_whole_book_loaded(&self, kind: &RecordKind, cx: &Context) -> bool {
        cx.records
            .lists
            .get(&ListId::Book(kind.clone()))
            .is_some_and(|list| {
                list.load == LoadState::Ready
                    && list.search.is_unfiltered()
                    && list.remaining() == Some(0)
                    && list.unreadable == 0
            })
    }

    pub(super) fn save_to_book(&mut self, cx: &mut Context) {
        let (kind, what) = (self.kind(), self.describe_chosen());
        let is_whole = self.is_whole_book_loaded(&kind, cx);
        let change = |id: Uuid| {
            let is_new = is_whole
                && cx
                    .records
                    .lists
                    .get(&ListId::Book(kind.clone()))
                    .is_some_and(|list| list.row(id).is_none());
            ReversibleWrite {
                forward: WriteOp::Annotate(kind.clone(), id, Annotation::default()),
                back: is_new.then(|| WriteOp::Forget(kind.clone(), id)),
            }
        };
        let changes = self.chosen_ids().into_iter().map(change).collect();
        cx.write_changes(format!("{what} of a list saved to the book"), changes);
    }

    pub(super) fn choose_view(&self, cx: &mut Context) {
        cx.choose_view(self.kind(), self.chosen_ids(), &self.scope());
    }

    /// A write is finished: its lines are saved, or say why not.
    pub(super) fn on_written(&mut self, write: &FinishedWrite) {
        let is_saving = |change: &ReversibleWrite| match &change.forward {
            WriteOp::Annotate(_, id, _) | WriteOp::Add(_, id) => Some(*id),
            _ => None,
        };
        let saved = write
            .applied
            .iter()
            .filter_map(is_saving)
            .chain(write.unchanged.iter().copied())
            .map(|id| (id, Ok(())));
        let failed = write
            .failed
            .iter()
            .filter_map(|(change, why)| Some((is_saving(change)?, Err(why.clone()))));
        let results: Vec<(Uuid, Result<(), String>)> = saved.chain(failed).collect();
        if self.import().is_none() || results.is_empty() {
            return;
        }
        if let Some(import) = self.import_mut() {
            results
                .into_iter()
                .for_each(|(id, result)| import.on_saved(id, result));
        }
    }
}
