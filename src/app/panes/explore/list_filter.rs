//! The builder over a list of the book or of a View: its filter, built as in Explore, with the
//! fields that its route accepts.
//!
//! Building is free; applying reads the list again, for the price shown. An unapplied filter is
//! restored for the same list.

use chrono::{DateTime, Utc};

use crate::app::Context;
use crate::app::command::{Availability, shared};
use crate::app::drafts::DraftName;
use crate::app::effect::ListId;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_lists::RecordLists;
use crate::app::notice::Notice;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::explore::messages::ExplorePrompt;
use crate::app::panes::explore::{BuilderLine, ExplorePane, SearchDraft, VocabularyState};
use crate::app::price::Price;
use crate::domain::conditions::Conditions;
use crate::domain::search::{RecordSource, Search};
use crate::domain::vocabulary::Vocabulary;

type Row = PaneCommand<ExplorePane>;

/// The commands that work in it, besides the builder's.
pub const COMMANDS: &[Row] = &[
    Row::at(
        "narrow.apply",
        &shared::SEARCH,
        ExplorePane::apply_list_filter,
    )
    .with_title("apply")
    .with_price(
        "1 cr a row, free where loaded rows answer",
        |explore, cx| Price::of_credits(explore.filter_price(cx)),
    )
    .with_hint_text(1, |explore, _| {
        Some(if explore.is_on_add_line() {
            "add"
        } else {
            "apply"
        })
    })
    .available_when(super::commands::can_send),
    Row::new(
        "narrow.words",
        &["/"],
        "words",
        "search the records for these words",
        ExplorePane::prompt_filter_text,
    )
    .with_hint(2)
    .available_when(|explore, _| accepts_text(explore)),
    Row::at(
        "narrow.leave",
        &shared::BACK,
        ExplorePane::leave_list_filter,
    )
    .with_keys(&["Esc", "q", "Tab", "Shift-Tab"])
    .with_description("close without applying; what you built is kept")
    .with_hint(3),
];

#[derive(Clone, Debug)]
pub struct ListFilter {
    pub list_id: ListId,
    pub source: RecordSource,
    /// Free text to search for.
    pub query: String,
    pub draft: SearchDraft,
    /// The filterable fields of its route.
    pub vocabulary: VocabularyState,
}

impl ListFilter {
    /// The search being built.
    pub fn search(&self) -> Search {
        Search {
            query: self.query.clone(),
            ..self.draft.search()
        }
    }

    /// What loaded rows say to it, if they were read after the rows that are known of it.
    pub fn local_label(
        &self,
        lists: &RecordLists,
        known_at: Option<DateTime<Utc>>,
    ) -> Option<String> {
        let answer = lists.local_answer(&self.source, &self.search())?;
        known_at
            .is_none_or(|at| at < answer.read_at)
            .then(|| answer.label())
    }
}

impl ExplorePane {
    /// Opens the builder over the list on the screen, with its current filter or the one left
    /// unapplied there.
    pub fn open_list_filter(&mut self, cx: &mut Context) {
        let Some(shown) = cx.ui.focused_list().cloned() else {
            return;
        };
        let Some(list) = cx.displayed_list() else {
            return;
        };
        let (source, search) = (list.source.clone(), list.search.clone());
        let left = self
            .stashed_filter
            .take()
            .filter(|left| left.list_id == shown);
        let known = VocabularyState {
            load: LoadState::Loading,
            ..VocabularyState::default()
        };
        let draft = SearchDraft {
            filters: search.filters,
            sort: search.sort,
            cursor: 1,
            ..SearchDraft::default()
        };
        let narrow = left.unwrap_or(ListFilter {
            list_id: shown,
            source,
            query: search.query,
            draft,
            vocabulary: known,
        });
        self.list_filter = Some(Box::new(narrow));
        cx.ui.notice = None;
        self.read_vocabulary(cx, false);
        self.update_list_filter_vocabulary();
    }

    /// Takes over the dataset's vocabulary; the route's own fields are part of it.
    pub(super) fn update_list_filter_vocabulary(&mut self) {
        let place = self.active_dataset_index();
        let (Some(narrow), Some(index)) = (&mut self.list_filter, self.vocabularies.get(place))
        else {
            return;
        };
        let Some(kind) = narrow.source.record_kind() else {
            return;
        };
        narrow.vocabulary.vocabulary = Vocabulary::for_book(&kind, &index.vocabulary);
        // The fields are known even without the service's vocabulary.
        narrow.vocabulary.load = if index.load == LoadState::Loading {
            LoadState::Loading
        } else {
            LoadState::Ready
        };
    }

    /// Applies the filter: reads the list again unless nothing changed. On the line that adds a
    /// condition, adds one.
    pub fn apply_list_filter(&mut self, cx: &mut Context) {
        if self.is_on_add_line() {
            return self.choose_condition_field(cx, None);
        }
        let Some(narrow) = self.list_filter.take() else {
            return;
        };
        let (shown, search) = (narrow.list_id.clone(), narrow.search());
        self.stashed_filter = None;
        let Some(list) = cx.records.lists.get_mut(&shown) else {
            return;
        };
        if list.search == search && list.load == LoadState::Ready {
            cx.ui.inform("filter unchanged; nothing was read");
            return;
        }
        self.stashed_filter = Some(*narrow);
        cx.search_records(&shown, search);
    }

    /// The highest cost of applying the filter.
    fn filter_price(&self, cx: &Context) -> u64 {
        let Some(narrow) = self.list_filter.as_ref().filter(|_| !self.is_on_add_line()) else {
            return 0;
        };
        let Some(list) = cx.records.lists.get(&narrow.list_id) else {
            return 0;
        };
        let search = narrow.search();
        let is_shown = list.search == search && list.load == LoadState::Ready;
        let is_known = cx.records.lists.known_read_at(list, &search).is_some();
        let is_free = is_shown
            || is_known
            || cx
                .records
                .lists
                .local_answer(&list.source, &search)
                .is_some();
        if is_free { 0 } else { list.page_price() }
    }

    /// The filtered rows arrived: the filter no longer needs to be restored.
    pub(in crate::app) fn on_list_filtered(&mut self, cx: &mut Context, shown: &ListId) {
        let search = cx.records.lists.get(shown).map(|list| list.search.clone());
        self.stashed_filter
            .take_if(|left| left.list_id == *shown && Some(left.search()) == search);
    }

    /// Closes the builder without applying it.
    pub fn leave_list_filter(&mut self, cx: &mut Context) {
        let Some(narrow) = self.list_filter.take() else {
            return;
        };
        let is_new = cx
            .records
            .lists
            .get(&narrow.list_id)
            .is_some_and(|list| list.search != narrow.search());
        cx.ui.notice = is_new.then(|| {
            Notice::info("filter not applied; your changes are kept")
                .with_hint("{records.narrow} resumes it")
        });
        self.stashed_filter = is_new.then_some(*narrow);
    }

    /// Asks for the text to search for.
    pub fn prompt_filter_text(&mut self, cx: &mut Context) {
        let words = self
            .list_filter
            .as_ref()
            .map(|filter| filter.query.as_str())
            .unwrap_or_default();
        cx.drafts.open_prompt(
            "words",
            ExplorePrompt::ListQuery,
            DraftName::ListWords,
            words,
            &mut cx.ui,
        );
    }

    pub fn set_filter_text(&mut self, text: &str) {
        if let Some(narrow) = &mut self.list_filter {
            narrow.query = text.to_owned();
        }
        self.leave_add_line();
    }

    /// Moves the cursor of the builder over a list to its first line, so that Enter applies what
    /// was just set.
    pub(super) fn leave_add_line(&mut self) {
        if let Some(narrow) = self
            .list_filter
            .as_mut()
            .filter(|narrow| narrow.draft.current_line() == BuilderLine::Add)
        {
            narrow.draft.cursor = 0;
        }
    }

    /// Sets the filter from a typed line; words that are not conditions are searched as text.
    ///
    /// # Errors
    /// The line contains words, and the route does not search text.
    pub(super) fn set_filter_line(
        &mut self,
        words: String,
        filters: Conditions,
    ) -> Result<(), String> {
        let Some(narrow) = &mut self.list_filter else {
            return Ok(());
        };
        if !words.is_empty() && !narrow.source.accepts_query() {
            return Err(format!(
                "{words:?} is not a condition, and free text is not searched here; try name={words}"
            ));
        }
        narrow.query = words;
        narrow.draft.filters = filters;
        narrow.draft.cursor = usize::from(!narrow.draft.filters.is_empty());
        Ok(())
    }
}

fn accepts_text(explore: &ExplorePane) -> Availability {
    match &explore.list_filter {
        Some(narrow) if narrow.source.accepts_query() => Ok(()),
        _ => Err("free text is not searched here".into()),
    }
}
