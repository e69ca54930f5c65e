//! Explore: a search of the whole index, built condition by condition from the service's vocabulary.
//!
//! The builder is free, and nothing is sent before its price was shown. Each run keeps its rows, across restarts too, so that
//! browsing the history or repeating a search costs nothing.

pub(crate) mod builder;
pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;
pub(crate) mod list_filter;
mod persistence;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

use super::records::{PAGE_SIZE, RecordList};
use crate::app::command::Scope;
use crate::app::effect::{ListId, ServiceCall, Slot};
use crate::app::model::record_lists::RecordLists;
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::app::{App, Screen};
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionPath, FilterError};
use crate::domain::filters::Filters;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::domain::vocabulary::{NlTranslation, Vocabulary, VocabularyField};
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
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchDraft {
    pub filters: Filters,
    /// The order; None for the route's default.
    pub sort: Option<SortOrder>,
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

#[derive(Clone, Debug, PartialEq)]
pub struct NlQuery {
    pub text: String,
    /// How it was understood; None while waiting.
    pub explanation: Option<String>,
    /// Words that were not understood.
    pub unmatched: Vec<String>,
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
        let blank = SearchDraft { cursor: 1, ..SearchDraft::default() };
        ExplorePane {
            dataset_index: Dataset::ALL.iter().position(|dataset| *dataset == Dataset::Projects).unwrap_or(0),
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
        }
    }
}

impl SearchDraft {
    pub fn lines(&self) -> Vec<BuilderLine> {
        let conditions = self.filters.condition_paths().into_iter().map(BuilderLine::Condition);
        std::iter::once(BuilderLine::Dataset).chain(conditions).chain([BuilderLine::Add]).collect()
    }

    pub fn current_line(&self) -> BuilderLine {
        self.lines().get(self.cursor).copied().unwrap_or(BuilderLine::Add)
    }

    /// The condition under the cursor.
    pub fn condition_path(&self) -> Option<ConditionPath> {
        if let BuilderLine::Condition(place) = self.current_line() { Some(place) } else { None }
    }

    pub fn move_cursor_to(&mut self, place: ConditionPath) {
        self.cursor = self.lines().iter().position(|line| *line == BuilderLine::Condition(place)).unwrap_or(self.cursor);
    }

    pub fn move_cursor(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.lines().len() - 1);
    }

    pub fn search(&self) -> Search {
        Search { filters: self.filters.clone(), sort: self.sort.clone(), ..Search::default() }
    }
}

impl ExplorePane {
    /// The dataset being searched, or that of the list the builder is open over.
    pub fn dataset(&self) -> &'static Dataset {
        &Dataset::ALL[self.active_dataset_index()]
    }

    fn active_dataset_index(&self) -> usize {
        let of_list = |narrow: &ListFilter| Dataset::ALL.iter().position(|known| *known == narrow.source.dataset());
        self.list_filter.as_ref().and_then(|narrow| of_list(narrow)).unwrap_or(self.dataset_index % Dataset::ALL.len())
    }

    /// The search being built.
    pub fn draft(&self) -> &SearchDraft {
        self.list_filter.as_ref().map_or(&self.drafts[self.active_dataset_index()], |narrow| &narrow.draft)
    }

    /// The search being built.
    pub fn draft_mut(&mut self) -> &mut SearchDraft {
        let at = self.active_dataset_index();
        self.list_filter.as_mut().map_or(&mut self.drafts[at], |narrow| &mut narrow.draft)
    }

    pub fn vocabulary_state(&self) -> &VocabularyState {
        self.list_filter.as_ref().map_or(&self.vocabularies[self.active_dataset_index()], |narrow| &narrow.vocabulary)
    }

    /// The field of a condition, if the vocabulary contains it.
    pub fn condition_field(&self, place: ConditionPath) -> Option<&VocabularyField> {
        self.vocabulary_state().vocabulary.condition_field(&self.draft().filters, place)
    }

    /// The errors in the search being built.
    pub fn filter_errors(&self) -> Vec<FilterError> {
        self.vocabulary_state().vocabulary.validate(&self.draft().filters)
    }

    pub fn run(&self, number: u64) -> Option<&SearchRun> {
        self.runs.iter().find(|run| run.number == number)
    }

    pub fn displayed_run(&self) -> Option<&SearchRun> {
        self.run(self.current_run?)
    }

    /// The newest run of the search being built.
    pub fn matching_run<'a>(&'a self, lists: &'a RecordLists) -> Option<(&'a SearchRun, &'a RecordList)> {
        let (source, search) = (RecordSource::Index(self.dataset().clone()), self.draft().search());
        let mut all = self.runs.iter().rev().filter_map(|run| Some((run, lists.get(&run.list_id())?)));
        all.find(|(_, list)| list.matches_search(&source, &search))
    }

    /// The highest cost of running the search being built; None when its rows are loaded.
    pub fn run_price(&self, lists: &RecordLists) -> Option<u64> {
        match self.matching_run(lists) {
            Some((_, list)) if list.load == LoadState::Ready => None,
            Some((_, list)) => list.next_price(),
            None => Some(u64::from(PAGE_SIZE)),
        }
    }
}

/// By the index of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExploreRequest {
    Vocabulary(usize),
    Question(usize),
}

impl App {
    /// Whether a question in plain words has no answer yet.
    pub fn is_question_pending(&self) -> bool {
        self.requests.is_open(|request| matches!(request, Request::Explore(ExploreRequest::Question(_))))
    }

    /// Reads the dataset's vocabulary, once per dataset unless `again` is set.
    pub fn read_vocabulary(&mut self, again: bool) {
        let at = self.explore.active_dataset_index();
        let known = &self.explore.vocabularies[at];
        if known.load == LoadState::Loading
            || known.load == LoadState::Ready && !again
            || matches!(known.load, LoadState::Failed(_)) && !again
        {
            return;
        }
        self.explore.vocabularies[at].load = LoadState::Loading;
        let call = ServiceCall::Fields(self.explore.dataset().clone());
        self.call_service(Slot::Fields, call, Request::Explore(ExploreRequest::Vocabulary(at)));
    }

    pub(in crate::app) fn on_explore_reply(&mut self, request: ExploreRequest, result: Result<Reply, RequestError>) {
        match request {
            ExploreRequest::Vocabulary(dataset) => self.on_vocabulary_reply(dataset, payload(result)),
            ExploreRequest::Question(dataset) => self.on_question_reply(dataset, payload(result)),
        }
    }

    fn on_vocabulary_reply(&mut self, dataset: usize, result: Result<Vocabulary, RequestError>) {
        let known = &mut self.explore.vocabularies[dataset];
        match result {
            Ok(vocabulary) if vocabulary.fields.is_empty() => {
                known.load = LoadState::Failed("the service sent its fields in an unknown format".to_owned());
            }
            Ok(vocabulary) => {
                known.load = LoadState::Ready;
                known.vocabulary = vocabulary;
            }
            Err(failure) => {
                known.load = LoadState::Failed(failure.message.clone());
                self.show_failure("could not load the fields", &failure, "{explore.fields.again} retries");
            }
        }
        self.update_list_filter_vocabulary();
    }

    /// Asks the service to turn a question into filters.
    pub fn submit_question(&mut self, text: &str) {
        let at = self.explore.dataset_index;
        let call = ServiceCall::AskQuestion { dataset: self.explore.dataset().clone(), question: text.to_owned() };
        self.call_service(Slot::Question, call, Request::Explore(ExploreRequest::Question(at)));
        self.explore.question = Some(NlQuery { text: text.to_owned(), explanation: None, unmatched: Vec::new() });
    }

    /// Fills the builder with a translated question and runs nothing.
    fn on_question_reply(&mut self, at: usize, result: Result<NlTranslation, RequestError>) {
        match result {
            Ok(understood) => {
                // The question was not about the builder over a list.
                let narrow = self.explore.list_filter.take();
                self.fill_builder(at, &understood);
                self.explore.list_filter = narrow;
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.explore.question = None;
                self.notice = Some(Notice::info("question canceled"));
            }
            Err(failure) => {
                self.explore.question = None;
                if matches!(failure.status(), Some(403 | 404 | 405 | 501)) {
                    self.explore.questions_unavailable = Some(failure.message.clone());
                }
                self.show_failure("the question was not answered", &failure, "{explore.ask} asks again");
            }
        }
    }

    fn fill_builder(&mut self, at: usize, understood: &NlTranslation) {
        let unmatched = understood.unmatched.clone();
        if let Some(question) = &mut self.explore.question {
            question.explanation =
                Some(understood.explanation.clone().unwrap_or_else(|| "understood as the conditions below".to_owned()));
            question.unmatched.clone_from(&unmatched);
        }
        match Filters::from_json(&understood.filters) {
            Ok(filters) if filters.is_empty() => {
                self.notice = Some(Notice::warning("question not understood; conditions unchanged"));
            }
            Ok(filters) => {
                self.explore.dataset_index = at;
                self.stash_unsent_draft();
                let filters = self.explore.vocabulary_state().vocabulary.coerce_filters(filters);
                *self.explore.draft_mut() = SearchDraft { filters, cursor: 1, sort: self.explore.draft().sort.clone() };
                let notice = if unmatched.is_empty() {
                    Notice::success("filter filled in; nothing was run")
                } else {
                    Notice::warning(format!("ignored: {}; nothing was run", unmatched.join(", ")))
                };
                self.notice = Some(notice.with_hint(match self.scope() {
                    Scope::Builder => "{explore.run} runs it",
                    _ if self.screen == Screen::Explore => "{explore.builder} shows it",
                    _ => "{go.explore} shows it",
                }));
            }
            Err(why) => self.notice = Some(Notice::error(format!("cannot read the answer: {why}"))),
        }
    }

    /// Keeps an unsent search next to the history.
    fn stash_unsent_draft(&mut self) {
        let (at, draft) = (self.explore.dataset_index, self.explore.draft().clone());
        if !draft.filters.is_empty() && self.explore.matching_run(&self.record_lists).is_none() {
            self.explore.unsent_draft = Some((at, draft));
        }
    }

    /// The run of the search being built: the existing one, or a new one that has not read anything.
    fn run_for_draft(&mut self) -> ListId {
        let number = match self.explore.matching_run(&self.record_lists) {
            Some((run, _)) => run.number,
            None => {
                let mut records = RecordList::new(RecordSource::Index(self.explore.dataset().clone()));
                records.search = self.explore.draft().search();
                self.explore.next_run_number += 1;
                let number = self.explore.next_run_number;
                self.record_lists.insert(ListId::Explore(number), records);
                self.explore.runs.push(SearchRun { number, sent_at: self.service_now() });
                if self.explore.runs.len() > MAX_RUNS {
                    self.record_lists.remove(&self.explore.runs.remove(0).list_id());
                }
                number
            }
        };
        self.explore.current_run = Some(number);
        self.explore.as_json = false;
        ListId::Explore(number)
    }

    /// Runs the search being built unless its rows are loaded, and shows them.
    pub fn run_explore(&mut self) {
        let shown = self.run_for_draft();
        self.explore.results_focused = true;
        if self.record_lists.get(&shown).is_some_and(|list| list.load != LoadState::Ready && !list.is_reading()) {
            self.read_first_page(&shown);
        }
    }

    /// Counts the matches of the search being built, reading one row at most.
    pub fn count_explore(&mut self) {
        let shown = self.run_for_draft();
        self.count_records(&shown);
    }

    /// Goes to the previous or next run: its search fills the builder and its rows are shown for free.
    pub fn show_adjacent_run(&mut self, newer: bool) {
        let here = self.explore.current_run.and_then(|shown| self.explore.runs.iter().position(|run| run.number == shown));
        let is_unsent = self.explore.matching_run(&self.record_lists).is_none() && !self.explore.draft().filters.is_empty();
        let to = match (here, newer) {
            (None, true) => None,
            (None, false) => self.explore.runs.len().checked_sub(1),
            // An unsent change comes after the run it was made from.
            (Some(here), false) if is_unsent => Some(here),
            (Some(here), false) => here.checked_sub(1),
            (Some(here), true) => Some(here + 1).filter(|at| *at < self.explore.runs.len()),
        };
        match to {
            Some(to) => {
                self.stash_unsent_draft();
                self.show_run(to);
            }
            None if newer => match self.explore.unsent_draft.take() {
                Some((at, draft)) => {
                    self.explore.dataset_index = at;
                    *self.explore.draft_mut() = draft;
                    self.notice = Some(Notice::info("your unsent search"));
                }
                None => self.notice = Some(Notice::info("there is no newer run")),
            },
            None => self.notice = Some(Notice::info("there is no older run")),
        }
    }

    fn show_run(&mut self, to: usize) {
        let Some(run) = self.explore.runs.get(to) else { return };
        let Some(list) = self.record_lists.get(&run.list_id()) else { return };
        let (number, at, search, dataset) = (run.number, run.sent_at, list.search.clone(), list.source.dataset());
        self.explore.dataset_index =
            Dataset::ALL.iter().position(|known| *known == dataset).unwrap_or(self.explore.dataset_index);
        *self.explore.draft_mut() = SearchDraft { filters: search.filters, sort: search.sort, cursor: 1 };
        self.explore.current_run = Some(number);
        self.read_vocabulary(false);
        let when = crate::app::format::format_time(at, self.service_now(), self.settings.utc_offset);
        let (place, all) = (to + 1, self.explore.runs.len());
        self.notice = Some(
            Notice::info(format!("run {place} of {all}, from {when}; 0 cr"))
                .with_hint("{explore.older} {explore.newer} older, newer"),
        );
    }
}
