//! A View made of what Explore shows: a Dynamic one of the conditions, or a Static one of the rows.

use serde_json::Value;
use uuid::Uuid;

use super::messages::{ExploreAction, ExplorePrompt};
use super::{ExplorePane, NewView};
use crate::app::Context;
use crate::app::action::Action;
use crate::app::change::FinishedWrite;
use crate::app::command::Availability;
use crate::app::drafts::DraftName;
use crate::app::format::pluralize;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::domain::ViewId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::filters::Filters;
use crate::domain::view_definition::definition_of;
use crate::domain::views::ViewDraft;
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl NewView {
    fn type_name(&self) -> &'static str {
        if self.definition.is_some() {
            "Dynamic"
        } else {
            "Static"
        }
    }
}

impl ExplorePane {
    /// The results, if they have the focus.
    fn focused_results<'a>(&self, cx: &'a Context) -> Option<&'a RecordList> {
        cx.record_lists.get(
            &self
                .displayed_run()
                .filter(|_| self.results_focused)?
                .list_id(),
        )
    }

    /// The dataset and the conditions on the screen: those of the results, or those in the builder.
    fn shown_search<'a>(&'a self, cx: &'a Context) -> (Dataset, &'a Filters) {
        match self.focused_results(cx) {
            Some(list) => (list.source.dataset(), &list.search.filters),
            None => (self.dataset().clone(), &self.draft().filters),
        }
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
        let at = Dataset::ALL.iter().position(|known| *known == dataset);
        let known = at
            .and_then(|at| self.vocabularies.get(at))
            .filter(|known| known.load == LoadState::Ready);
        definition_of(
            filters,
            &known.ok_or("the fields are not loaded")?.vocabulary.fields,
        )
    }

    /// Offers a Dynamic and a Static View.
    pub(super) fn choose_view_type(&mut self, cx: &mut Context) {
        let Some(kind) = self.view_kind(cx) else {
            return;
        };
        let dynamic = self
            .view_definition(cx)
            .map(|_| format!("what matches {}", self.shown_search(cx).1.to_line("")));
        let fixed = match self.view_rows(cx).len() {
            0 => Err("no rows here: it is made of results".to_owned()),
            rows => Ok(format!("these {}", pluralize(rows, kind.singular_name()))),
        };
        let option = |label: &str, note: Result<String, String>, is_dynamic| {
            let action = match &note {
                Ok(_) => ExploreAction::NameView { is_dynamic }.into(),
                Err(why) => Action::ShowUnavailable(format!("no {label} View: {why}")),
            };
            ChoiceOption {
                label: label.to_owned(),
                note: note.unwrap_or_else(|why| why),
                action,
            }
        };
        let options = vec![
            option("Dynamic", dynamic, true),
            option("Static", fixed, false),
        ];
        cx.overlay = Some(Overlay::Choice(Choice::new(
            format!("New View of {kind}"),
            "0 cr",
            options,
        )));
    }

    pub(super) fn prompt_view_name(&self, is_dynamic: bool, cx: &mut Context) {
        let typed = self.new_view.as_ref().map_or("", |view| view.name.as_str());
        cx.open_prompt(
            "name",
            ExplorePrompt::ViewName { is_dynamic },
            DraftName::ViewName,
            typed,
        );
    }

    /// Shows what is created, and asks.
    pub(super) fn confirm_view(&mut self, is_dynamic: bool, name: &str, cx: &mut Context) {
        let Some(kind) = self.view_kind(cx) else {
            return;
        };
        if name.is_empty() {
            cx.notice = Some(Notice::warning("a View needs a name"));
            return self.prompt_view_name(is_dynamic, cx);
        }
        let definition = is_dynamic.then(|| self.view_definition(cx)).transpose();
        let definition = match definition {
            Ok(definition) => definition,
            Err(why) => {
                cx.notice = Some(Notice::warning(format!("no Dynamic View: {why}")));
                return;
            }
        };
        let ids = if is_dynamic {
            Vec::new()
        } else {
            self.view_rows(cx)
        };
        let holds = if is_dynamic {
            let line = self.shown_search(cx).1.to_line("");
            format!(
                "It holds the {kind} that your workspace can see and that match, now and later:\n{line}\n\
                 Explore searches the whole index, so the View may hold fewer."
            )
        } else {
            format!(
                "It holds {} until somebody adds or removes some.",
                pluralize(ids.len(), kind.singular_name())
            )
        };
        let view = NewView {
            name: name.to_owned(),
            kind,
            definition,
            ids,
            known: None,
        };
        let verb = format!("create the {} View {name} for everyone", view.type_name());
        self.new_view = Some(view);
        cx.confirm_change(
            &verb,
            format!("{holds}\n0 cr; undo deletes it again."),
            ExploreAction::CreateView.into(),
        );
    }

    pub(super) fn create_view(&mut self, cx: &mut Context) {
        let Some(view) = &mut self.new_view else {
            return;
        };
        view.known = Some(cx.views.list().iter().map(|view| view.id).collect());
        let draft = ViewDraft {
            name: Some(view.name.clone()),
            dataset: Some(view.kind.singular_name().to_owned()),
            kind: Some(view.type_name().to_lowercase()),
            definition: view.definition.clone(),
            ..ViewDraft::default()
        };
        let words = format!("{} View {} created", view.type_name(), view.name);
        cx.write_changes(
            words,
            vec![ReversibleWrite {
                forward: WriteOp::SaveView(draft),
                back: None,
            }],
        );
    }

    /// The View was created, or the service rejected it.
    pub(super) fn on_view_written(&mut self, write: &FinishedWrite) {
        let Some(view) = self.new_view.as_mut().filter(|view| view.known.is_some()) else {
            return;
        };
        let is_this = |change: &ReversibleWrite| matches!(&change.forward, WriteOp::SaveView(draft) if draft.view_id.is_none() && draft.name.as_ref() == Some(&view.name));
        if write.failed.iter().any(|(change, _)| is_this(change)) {
            view.known = None;
        } else if view.ids.is_empty() && write.applied.iter().any(is_this) {
            self.new_view = None;
        }
    }

    /// The Views were read: adds the rows to the new one.
    pub(super) fn add_view_members(&mut self, cx: &mut Context) {
        let created = self.new_view.as_ref().and_then(|new| {
            let is_new = |id: &ViewId| new.known.as_ref().is_some_and(|known| !known.contains(id));
            let mut views = cx
                .views
                .static_views(&new.kind)
                .filter(|view| view.title() == new.name);
            views.find(|view| is_new(&view.id)).map(|view| view.id)
        });
        let Some((id, new)) = created.and_then(|id| Some((id, self.new_view.take()?))) else {
            return;
        };
        let what = pluralize(new.ids.len(), new.kind.singular_name());
        let add = |record: Uuid| ReversibleWrite {
            forward: WriteOp::Add(id, record),
            back: Some(WriteOp::Remove(id, record)),
        };
        cx.write_changes(
            format!("View {} created, {what} added", new.name),
            new.ids.into_iter().map(add).collect(),
        );
    }

    /// Whether what is shown can become a View.
    pub(super) fn can_create_view(&self, cx: &Context) -> Availability {
        match self.view_kind(cx) {
            Some(_) => Ok(()),
            None => Err("a View holds accounts, contacts or projects, not signals".into()),
        }
    }
}
