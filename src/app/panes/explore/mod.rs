//! Explore: a search of the whole index, built condition by condition from the service's
//! vocabulary.
//!
//! The builder is free, and nothing is sent before its price was shown. Each run keeps its rows,
//! across restarts too, so that browsing the history or repeating a search costs nothing.

pub(crate) mod builder;
pub(crate) mod commands;
pub(crate) mod draw;
mod edit_view;
pub(crate) mod layout;
pub(crate) mod list_filter;
pub(in crate::app) mod messages;
mod new_view;
mod persistence;
mod question;
mod results_draw;
mod runs;
mod saved;
mod vocabulary;

#[cfg(test)]
mod results_tests;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use edit_view::EditedView;
use persistence::SavedBuilder;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::views;
use crate::app::drafts::DraftName;
use crate::app::effect::ListId;
use crate::app::layout::FrameLayout;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{LocalAnswer, RecordList, page_size};
use crate::app::model::record_lists::RecordLists;
use crate::app::msg::{CallResult, payload};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus};
use crate::app::panes::explore::messages::{ExploreAction, ExplorePrompt, ExploreRequest};
use crate::app::{Context, Screen};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::{ConditionError, ConditionPath, Conditions};
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::domain::sentence::describe_search;
use crate::domain::vocabulary::{Vocabulary, VocabularyField};

pub use list_filter::ListFilter;

/// Most runs that are kept; the oldest is dropped.
const MAX_RUNS: usize = 50;

#[derive(Clone, Debug)]
pub struct ExplorePane {
    /// Index of the searched dataset in [`Dataset::ALL`].
    pub dataset_index: usize,
    /// The search being built for each dataset.
    pub drafts: Vec<SearchDraft>,
    /// The filterable fields of each dataset.
    pub vocabularies: Vec<VocabularyState>,
    /// Newest last.
    pub runs: Vec<SearchRun>,
    pub current_run: Option<u64>,
    /// The results have the focus.
    pub results_focused: bool,
    /// The filters are shown as JSON in place of the results.
    pub as_json: bool,
    /// The last question in words, and how the service understood it.
    pub question: Option<NlQuery>,
    /// Why questions are unavailable.
    pub questions_unavailable: Option<String>,
    /// The builder over a list of the book or of a View; it has the keys while it is open.
    pub list_filter: Option<Box<ListFilter>>,
    stashed_filter: Option<ListFilter>,
    unsent_draft: Option<(usize, SearchDraft)>,
    next_run_number: u64,
    /// The Dynamic View that is being created.
    new_view: Option<NewView>,
    /// A View of the search is offered once the fields are loaded.
    offers_view: bool,
    /// The View whose definition is in the builder.
    edited_view: Option<EditedView>,
    /// The condition that was just added, until its first value is set.
    new_condition: Option<ConditionPath>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchDraft {
    pub filters: Conditions,
    /// The order; None for the route's default.
    pub sort: Option<SortOrder>,
    /// How many rows a question asked for.
    pub limit: Option<u32>,
    /// The line under the cursor: the dataset, a condition, or the line that adds one.
    pub cursor: usize,
}

/// The vocabulary of a dataset, and whether it is loaded.
#[derive(Clone, Debug, Default)]
pub struct VocabularyState {
    pub load: LoadState,
    pub vocabulary: Vocabulary,
}

#[derive(Clone, Debug)]
pub struct SearchRun {
    pub number: u64,
    /// When it was first sent, on the service's clock.
    pub sent_at: DateTime<Utc>,
}

impl SearchRun {
    /// The list with its search and its paid rows.
    pub fn list_id(&self) -> ListId {
        ListId::Explore(self.number)
    }
}

/// A Dynamic View that was named. It is kept until it exists, so that the name is not lost.
#[derive(Clone, Debug)]
struct NewView {
    name: String,
    kind: RecordKind,
    /// Its conditions.
    definition: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NlQuery {
    pub text: String,
    /// How it was understood; None while waiting.
    pub explanation: Option<String>,
    /// Words that were not understood.
    pub unmatched: Vec<String>,
    /// Index of the dataset that it is about.
    dataset_index: usize,
    /// Index of the dataset that the user chose: the next question is about it, unless it names
    /// another.
    chosen_dataset_index: usize,
    /// The one before, which the conditions answer until this one is understood.
    before: Option<Box<NlQuery>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuilderLine {
    Dataset,
    Condition(ConditionPath),
    /// The line that adds a condition.
    Add,
}

impl Default for ExplorePane {
    fn default() -> Self {
        let sets = Dataset::ALL.len();
        // The cursor starts on the line that adds the first condition.
        let blank = SearchDraft {
            cursor: 1,
            ..SearchDraft::default()
        };
        ExplorePane {
            dataset_index: dataset_place(&Dataset::Projects).unwrap_or(0),
            drafts: vec![blank; sets],
            vocabularies: vec![VocabularyState::default(); sets],
            runs: Vec::new(),
            current_run: None,
            results_focused: false,
            as_json: false,
            question: None,
            questions_unavailable: None,
            list_filter: None,
            stashed_filter: None,
            unsent_draft: None,
            next_run_number: 0,
            new_view: None,
            offers_view: false,
            edited_view: None,
            new_condition: None,
        }
    }
}

/// The place of a dataset among all.
fn dataset_place(dataset: &Dataset) -> Option<usize> {
    Dataset::ALL.iter().position(|known| known == dataset)
}

impl SearchDraft {
    pub fn lines(&self) -> Vec<BuilderLine> {
        let conditions = self
            .filters
            .condition_paths()
            .into_iter()
            .map(BuilderLine::Condition);
        std::iter::once(BuilderLine::Dataset)
            .chain(conditions)
            .chain([BuilderLine::Add])
            .collect()
    }

    pub fn current_line(&self) -> BuilderLine {
        self.lines()
            .get(self.cursor)
            .copied()
            .unwrap_or(BuilderLine::Add)
    }

    /// The condition under the cursor.
    pub fn condition_path(&self) -> Option<ConditionPath> {
        if let BuilderLine::Condition(place) = self.current_line() {
            Some(place)
        } else {
            None
        }
    }

    pub fn move_cursor_to(&mut self, place: ConditionPath) {
        self.cursor = self
            .lines()
            .iter()
            .position(|line| *line == BuilderLine::Condition(place))
            .unwrap_or(self.cursor);
    }

    pub fn move_cursor(&mut self, lines: isize) {
        self.cursor = self
            .cursor
            .saturating_add_signed(lines)
            .min(self.lines().len() - 1);
    }

    /// Whether it has neither conditions nor an order.
    fn is_empty(&self) -> bool {
        self.filters.is_empty() && self.sort.is_none() && self.limit.is_none()
    }

    pub fn search(&self) -> Search {
        Search {
            filters: self.filters.clone(),
            sort: self.sort.clone(),
            limit: self.limit,
            ..Search::default()
        }
    }
}

impl ExplorePane {
    /// The dataset being searched, or that of the list the builder is open over.
    pub fn dataset(&self) -> &'static Dataset {
        &Dataset::ALL[self.active_dataset_index()]
    }

    fn active_dataset_index(&self) -> usize {
        let of_list = |narrow: &ListFilter| dataset_place(&narrow.source.dataset());
        self.list_filter
            .as_ref()
            .and_then(|narrow| of_list(narrow))
            .unwrap_or(self.dataset_index % Dataset::ALL.len())
    }

    /// The search being built.
    pub fn draft(&self) -> &SearchDraft {
        self.list_filter
            .as_ref()
            .map_or(&self.drafts[self.active_dataset_index()], |narrow| {
                &narrow.draft
            })
    }

    /// The search being built.
    pub fn draft_mut(&mut self) -> &mut SearchDraft {
        let at = self.active_dataset_index();
        self.list_filter
            .as_mut()
            .map_or(&mut self.drafts[at], |narrow| &mut narrow.draft)
    }

    pub fn vocabulary_state(&self) -> &VocabularyState {
        self.list_filter
            .as_ref()
            .map_or(&self.vocabularies[self.active_dataset_index()], |narrow| {
                &narrow.vocabulary
            })
    }

    /// The field of a condition, if the vocabulary contains it.
    pub fn condition_field(&self, place: ConditionPath) -> Option<&VocabularyField> {
        self.vocabulary_state()
            .vocabulary
            .condition_field(&self.draft().filters, place)
    }

    /// A search of a dataset in a sentence.
    pub fn describe(&self, dataset: &Dataset, filters: &Conditions) -> String {
        let at = dataset_place(dataset).unwrap_or(self.dataset_index);
        describe_search(
            dataset.as_str(),
            filters,
            "",
            &self.vocabularies[at].vocabulary,
        )
    }

    /// The errors in the search being built.
    pub fn filter_errors(&self) -> Vec<ConditionError> {
        self.vocabulary_state()
            .vocabulary
            .validate(&self.draft().filters)
    }

    pub fn run(&self, number: u64) -> Option<&SearchRun> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// The run with this list.
    fn find_run(&self, list: &ListId) -> Option<&SearchRun> {
        self.runs.iter().find(|run| run.list_id() == *list)
    }

    pub fn displayed_run(&self) -> Option<&SearchRun> {
        self.run(self.current_run?)
    }

    /// The newest run of the search being built.
    pub fn matching_run<'a>(
        &'a self,
        lists: &'a RecordLists,
    ) -> Option<(&'a SearchRun, &'a RecordList)> {
        let source = RecordSource::Index(self.dataset().clone());
        let (id, list) = lists.find_run(&source, &self.draft().search())?;
        Some((self.find_run(id)?, list))
    }

    /// What the rows of an earlier run that was read completely say to the search being built,
    /// unless it was run itself.
    pub fn local_answer(&self, lists: &RecordLists) -> Option<LocalAnswer> {
        let is_read = self
            .matching_run(lists)
            .is_some_and(|(_, list)| list.load == LoadState::Ready);
        let source = RecordSource::Index(self.dataset().clone());
        if is_read {
            None
        } else {
            lists.local_answer(&source, &self.draft().search())
        }
    }

    /// The highest cost of running the search being built; None when its rows are loaded.
    pub fn run_price(&self, lists: &RecordLists) -> Option<u64> {
        match self.matching_run(lists) {
            Some((_, list)) if list.load == LoadState::Ready => None,
            _ if self.local_answer(lists).is_some() => None,
            Some((_, list)) => list.next_price(),
            None => Some(page_size(&self.draft().search()).into()),
        }
    }

    pub fn perform(&mut self, action: ExploreAction, cx: &mut Context) {
        match action {
            ExploreAction::Run => self.run_explore(cx),
            ExploreAction::AddCondition(into, key) => self.add_condition(cx, into, &key),
            ExploreAction::SetConditionValues(place, values) => {
                self.set_condition_values(place, values)
            }
            ExploreAction::NameView => self.prompt_view_name(cx),
            ExploreAction::CreateView => self.create_view(cx),
            ExploreAction::ReplaceSaved(search) => self.store_search(*search, cx),
            ExploreAction::SetSort(sort) => {
                self.draft_mut().sort = Some(sort);
                self.leave_add_line();
            }
        }
    }

    /// Takes the answer to a prompt.
    pub fn on_prompt(&mut self, prompt: ExplorePrompt, text: &str, cx: &mut Context) {
        match prompt {
            ExplorePrompt::ListQuery => self.set_filter_text(text),
            ExplorePrompt::Condition(place) => self.set_condition_text(cx, place, text),
            ExplorePrompt::Conditions => self.set_conditions_from_text(cx, text),
            ExplorePrompt::ViewName => self.confirm_view(text, cx),
            ExplorePrompt::SearchName => self.save_search(text, cx),
            ExplorePrompt::Question if text.is_empty() => {}
            ExplorePrompt::Question => self.submit_question(cx, text),
        }
    }

    pub fn on_reply(&mut self, request: ExploreRequest, result: CallResult, cx: &mut Context) {
        match request {
            ExploreRequest::Vocabulary(dataset) => {
                self.on_vocabulary_reply(cx, dataset, payload(result))
            }
            ExploreRequest::Question(dataset) => {
                self.on_question_reply(cx, dataset, payload(result))
            }
        }
    }

    fn focused_list(&self) -> Option<ListId> {
        self.current_run
            .filter(|_| self.results_focused)
            .map(ListId::Explore)
    }

    fn go_back(&mut self, cx: &mut Context) {
        if std::mem::take(&mut self.as_json) {
            return;
        }
        if !self.results_focused
            && let Some(title) = self.cancel_view_edit()
        {
            cx.ui.inform(format!("The View {title} was not changed."));
            cx.ui.show_screen(Screen::Views);
            return;
        }
        let list = self
            .focused_list()
            .and_then(|list| cx.records.lists.get_mut(&list));
        if !list.is_some_and(RecordList::clear_selection) {
            cx.ui.notice = None;
            self.results_focused = false;
        }
    }
}

impl Pane for ExplorePane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        let scope = if self.results_focused {
            Scope::Results
        } else {
            Scope::Builder
        };
        PaneFocus::of_list(scope, self.focused_list())
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out_explore(cx, areas, body);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            // Records can be added to Views, so these are read too.
            PaneEvent::Opened => {
                views::read_missing_views(&mut cx.work, &mut cx.views);
                self.read_vocabulary(cx, false);
            }
            PaneEvent::Changed(Change::Filtered(list)) => self.on_list_filtered(cx, list),
            PaneEvent::Changed(Change::RowsRead { list, first_row }) => {
                self.save_run(cx, list, *first_row);
            }
            PaneEvent::Changed(Change::ListSorted(ListId::Explore(_), sort)) => {
                self.draft_mut().sort.clone_from(sort)
            }
            PaneEvent::Changed(Change::Written(write)) => {
                self.on_view_written(write);
                self.on_view_edited(write, cx);
            }
            PaneEvent::Changed(Change::RunsRestored(runs)) => self.restore_runs(cx, runs.clone()),
            PaneEvent::DraftsRestored(drafts) => self.take_saved_builder(drafts),
            PaneEvent::MessageHandled => {
                self.drop_canceled_condition(cx);
                if cx.ui.screen() == Screen::Explore {
                    let built = self.saved_builder();
                    let changed = (built != SavedBuilder::default()).then_some(&built);
                    cx.drafts
                        .save_draft(&DraftName::Builder, changed, &mut cx.work);
                }
            }
            PaneEvent::Back => self.go_back(cx),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        match self
            .focused_list()
            .and_then(|list| cx.records.lists.get_mut(&list))
        {
            Some(list) => list.lines.move_cursor(rows),
            None => self.draft_mut().move_cursor(rows),
        }
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        let line = row.line;
        if row.in_side_list {
            self.results_focused = false;
            let before = std::mem::replace(&mut self.draft_mut().cursor, line);
            return (before == line).then_some("explore.change");
        }
        self.results_focused = true;
        let results = cx.records.lists.get_mut(&self.focused_list()?)?;
        results.click_row(line)
    }
}
