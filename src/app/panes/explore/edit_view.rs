//! The definition of a Dynamic View in the builder: filled in, changed like any search, and saved
//! for everyone after a confirmation.

use serde_json::Value;

use super::{ExplorePane, SearchDraft, dataset_place};
use crate::app::action::Action;
use crate::app::change::FinishedWrite;
use crate::app::command::Availability;
use crate::app::model::load_state::LoadState;
use crate::app::{Context, Screen};
use crate::domain::ViewId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::view_definition::{definition_of, describe_definition, filters_of};
use crate::domain::views::ViewDraft;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// A View whose definition is in the builder.
#[derive(Clone, Debug)]
pub struct EditedView {
    id: ViewId,
    pub title: String,
    kind: RecordKind,
    definition: Value,
    /// The index of its dataset.
    dataset: usize,
    /// What was in the builder before.
    draft_before: SearchDraft,
    is_filled: bool,
}

impl ExplorePane {
    /// Goes to the builder with the conditions of a View.
    pub fn edit_view(&mut self, id: ViewId, cx: &mut Context) {
        let Some((view, definition)) = cx
            .views
            .get(id)
            .and_then(|view| Some((view, view.definition.clone()?)))
        else {
            return;
        };
        let (title, kind) = (view.title(), view.record_kind());
        let Some(dataset) = dataset_place(&Dataset::from(&kind)) else {
            return;
        };
        self.cancel_view_edit();
        (
            self.dataset_index,
            self.results_focused,
            self.as_json,
            self.question,
        ) = (dataset, false, false, None);
        let draft_before = self.drafts[dataset].clone();
        self.edited_view = Some(EditedView {
            id,
            title,
            kind,
            definition,
            dataset,
            draft_before,
            is_filled: false,
        });
        cx.work.perform(Action::GoTo(Screen::Explore));
        self.read_vocabulary(cx, false);
        self.fill_edited_view(cx);
    }

    /// Fills the builder once the fields are loaded.
    pub(super) fn fill_edited_view(&mut self, cx: &mut Context) {
        let Some(edited) = self.edited_view.as_mut().filter(|edited| !edited.is_filled) else {
            return;
        };
        let known = &self.vocabularies[edited.dataset];
        if known.load != LoadState::Ready {
            return;
        }
        match filters_of(&edited.definition, &known.vocabulary.fields) {
            Ok(filters) => {
                edited.is_filled = true;
                self.drafts[edited.dataset] = SearchDraft {
                    filters,
                    sort: None,
                    cursor: 1,
                    ..SearchDraft::default()
                };
            }
            Err(why) => {
                cx.ui
                    .warn(format!("{} cannot be edited here: {why}", edited.title));
                self.edited_view = None;
            }
        }
    }

    /// Leaves the View as it is, and puts back what was in the builder. Returns its name.
    pub(super) fn cancel_view_edit(&mut self) -> Option<String> {
        let edited = self.edited_view.take()?;
        self.drafts[edited.dataset] = edited.draft_before;
        Some(edited.title)
    }

    fn edited_definition(&self) -> Result<Value, String> {
        let edited = self
            .edited_view
            .as_ref()
            .filter(|edited| edited.is_filled)
            .ok_or("no View is being edited")?;
        definition_of(
            &self.drafts[edited.dataset].filters,
            &self.vocabularies[edited.dataset].vocabulary.fields,
        )
    }

    pub(super) fn can_save_view(&self, cx: &Context) -> Availability {
        super::commands::can_send(self, cx)?;
        let definition = self.edited_definition()?;
        match &self.edited_view {
            Some(edited) if edited.definition == definition => {
                Err("its definition is unchanged".into())
            }
            _ => Ok(()),
        }
    }

    /// Shows the definition before and after, and asks.
    pub(super) fn confirm_view_edit(&mut self, cx: &mut Context) {
        let (Some(edited), Ok(definition)) = (&self.edited_view, self.edited_definition()) else {
            return;
        };
        let words = |definition: &Value| {
            describe_definition(edited.kind.as_str(), definition)
                .unwrap_or_else(|_| definition.to_string())
        };
        let text = format!(
            "Before: {}\n\nAfter: {}\n\n0 cr; undo puts the old definition back.",
            words(&edited.definition),
            words(&definition)
        );
        let defined = |definition: Value| {
            WriteOp::SaveView(ViewDraft {
                view_id: Some(edited.id),
                definition: Some(definition),
                ..ViewDraft::default()
            })
        };
        let change = ReversibleWrite {
            forward: defined(definition),
            back: Some(defined(edited.definition.clone())),
        };
        let description = format!("definition of the View {} changed", edited.title);
        let verb = format!("save the View {} for everyone", edited.title);
        cx.ui
            .confirm_change(&verb, text, Action::Write(description, vec![change]));
    }

    /// The definition was written: the builder is as it was before, and the View is shown.
    pub(super) fn on_view_edited(&mut self, write: &FinishedWrite, cx: &mut Context) {
        let Some(id) = self.edited_view.as_ref().map(|edited| edited.id) else {
            return;
        };
        let is_this = |change: &ReversibleWrite| matches!(&change.forward, WriteOp::SaveView(draft) if draft.view_id == Some(id) && draft.definition.is_some());
        if write.applied.iter().any(is_this) {
            self.cancel_view_edit();
            if cx.ui.screen() == Screen::Explore {
                // Its cursor is still on the View.
                cx.ui.show_screen(Screen::Views);
            }
        }
    }
}
