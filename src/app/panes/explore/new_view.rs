//! A View made of what Explore shows: a Dynamic one of the conditions, or a Static one of the rows.

use serde_json::Value;
use uuid::Uuid;

use super::messages::{ExploreAction, ExplorePrompt};
use super::{ExplorePane, NewView, dataset_place};
use crate::app::Context;
use crate::app::action::Action;
use crate::app::change::FinishedWrite;
use crate::app::command::{Availability, require};
use crate::app::drafts::DraftName;
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::Conditions;
use crate::domain::conditions::view_definition::definition_of;
use crate::domain::views::{ViewDraft, ViewType};
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl ExplorePane {
    /// The results, if they have the focus.
    fn focused_results<'a>(&self, cx: &'a Context) -> Option<&'a RecordList> {
        cx.records.lists.get(
            &self
                .displayed_run()
                .filter(|_| self.results_focused)?
                .list_id(),
        )
    }

    /// The dataset and the conditions on the screen: those of the results, or those in the builder.
    fn shown_search<'a>(&'a self, cx: &'a Context) -> (Dataset, &'a Conditions) {
        match self.focused_results(cx) {
            Some(list) => (list.source.dataset(), &list.search.filters),
            None => (self.dataset().clone(), &self.draft().filters),
        }
    }

    /// That search in a sentence.
    fn describe_shown(&self, cx: &Context) -> String {
        let (dataset, filters) = self.shown_search(cx);
        self.describe(&dataset, filters)
    }

    fn view_kind(&self, cx: &Context) -> Option<RecordKind> {
        let dataset = self.shown_search(cx).0;
        (dataset != Dataset::Signals).then(|| dataset.as_str().into())
    }

    /// The rows of the results that a Static View would hold: the marked ones, or all that are
    /// loaded.
    fn view_rows(&self, cx: &Context) -> Vec<Uuid> {
        match self.focused_results(cx) {
            Some(list) if !list.has_shown_marks() => list.shown_rows().map(|row| row.id).collect(),
            Some(list) => list.selection(),
            None => Vec::new(),
        }
    }

    fn view_definition(&self, cx: &Context) -> Result<Value, String> {
        let (dataset, filters) = self.shown_search(cx);
        if filters.is_empty() {
            return Err("there are no conditions".to_owned());
        }
        let at = dataset_place(&dataset);
        let known = at
            .and_then(|at| self.vocabularies.get(at))
            .filter(|known| known.load == LoadState::Ready);
        definition_of(
            filters,
            &known.ok_or("the fields are not loaded")?.vocabulary.fields,
        )
    }

    /// Offers them now, or when the fields of the dataset are loaded, which a Dynamic View needs.
    pub(super) fn offer_views_once_loaded(&mut self, cx: &mut Context) {
        self.offers_view = self.vocabulary_state().load == LoadState::Loading;
        if let Err(why) = self.can_create_view(cx) {
            self.offers_view = false;
            cx.ui.warn(why.to_string());
        } else if !self.offers_view {
            self.choose_view_type(cx);
        }
    }

    /// Offers a Dynamic and a Static View.
    pub(super) fn choose_view_type(&mut self, cx: &mut Context) {
        let Some(kind) = self.view_kind(cx) else {
            return;
        };
        let option = |label: &str, made: Result<(String, Action), String>| {
            let unavailable = |why: String| {
                let action = Action::ShowUnavailable(format!("no {label} View: {why}"));
                (why, action)
            };
            let (note, action) = made.unwrap_or_else(unavailable);
            ChoiceOption {
                label: label.to_owned(),
                note,
                action,
            }
        };
        let dynamic = self
            .view_definition(cx)
            .map(|_| (self.describe_shown(cx), ExploreAction::NameView.into()));
        let rows = self.view_rows(cx);
        let fixed = match rows.len() {
            0 => Err("no rows here: it is made of results".to_owned()),
            count => Ok((
                format!("these {}", pluralize(count, kind.singular_name())),
                Action::CreateView(kind.clone(), rows),
            )),
        };
        let options = vec![option("Dynamic", dynamic), option("Static", fixed)];
        cx.ui.overlay = Some(Overlay::Choice(Choice::new(
            format!("New View of {kind}"),
            "0 cr",
            options,
        )));
    }

    pub(super) fn prompt_view_name(&self, cx: &mut Context) {
        let typed = self.new_view.as_ref().map_or("", |view| view.name.as_str());
        let prompt = ExplorePrompt::ViewName;
        cx.drafts.open_prompt(
            "name of the new View",
            prompt,
            DraftName::ViewName,
            typed,
            &mut cx.ui,
        );
    }

    /// Shows what is created, and asks.
    pub(super) fn confirm_view(&mut self, name: &str, cx: &mut Context) {
        let Some(kind) = self.view_kind(cx) else {
            return;
        };
        if name.is_empty() {
            cx.ui.warn("a View needs a name");
            return self.prompt_view_name(cx);
        }
        let definition = match self.view_definition(cx) {
            Ok(definition) => definition,
            Err(why) => {
                cx.ui.warn(format!("no Dynamic View: {why}"));
                return;
            }
        };
        let sentence = self.describe_shown(cx);
        let text = format!(
            "It holds the {kind} that your workspace can see and that match, now and later:\n{sentence}\n\
             Explore searches the whole index, so the View may hold fewer.\n\
             0 cr; undo deletes it again."
        );
        self.new_view = Some(NewView {
            name: name.to_owned(),
            kind,
            definition,
        });
        cx.ui.confirm_change(
            &format!("create the Dynamic View {name} for everyone"),
            text,
            ExploreAction::CreateView.into(),
        );
    }

    pub(super) fn create_view(&mut self, cx: &mut Context) {
        let Some(view) = &self.new_view else {
            return;
        };
        let draft = ViewDraft {
            name: Some(view.name.clone()),
            dataset: Some(view.kind.singular_name().to_owned()),
            kind: Some(ViewType::Dynamic.as_str().to_owned()),
            definition: Some(view.definition.clone()),
            ..ViewDraft::default()
        };
        let words = format!("Dynamic View {} created", view.name);
        cx.write_changes(
            words,
            vec![ReversibleWrite {
                forward: WriteOp::SaveView(draft),
                back: None,
            }],
        );
    }

    /// Forgets the View once it was created: its name is not needed any more.
    pub(super) fn on_view_written(&mut self, write: &FinishedWrite) {
        let is_created = |view: &NewView| {
            let created = write.applied.iter().map(|change| &change.forward);
            let mut drafts = created.filter_map(|op| match op {
                WriteOp::SaveView(draft) if draft.view_id.is_none() => draft.name.as_ref(),
                _ => None,
            });
            drafts.any(|name| *name == view.name)
        };
        self.new_view.take_if(|view| is_created(view));
    }

    /// Whether what is shown can become a View.
    pub(super) fn can_create_view(&self, cx: &Context) -> Availability {
        require(
            self.view_kind(cx).is_some(),
            "a View holds accounts, contacts or projects, not signals",
        )
    }
}
