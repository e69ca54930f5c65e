//! Explore: a search of the whole index, built condition by condition over the service's vocabulary.
//!
//! The builder is free, and nothing is sent before its price stood on the screen. Each run keeps its rows, also over a restart, so
//! that going through the history, and running the same again, spends nothing.

pub mod builder;
pub mod commands;
pub mod draw;
pub mod layout;
pub mod list_filter;
mod persistence;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

use super::records::{ListId, PAGE_SIZE, RecordList};
use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::app::{App, Screen};
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionPath, FilterError};
use crate::domain::filters::Filters;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::domain::vocabulary::{NlTranslation, Vocabulary, VocabularyField};

pub use list_filter::ListFilter;
pub use persistence::SavedBuilder;

/// Runs that are kept; the oldest leaves.
const MAX_RUNS: usize = 50;

/// The Explore pane.
#[derive(Clone, Debug)]
pub struct ExplorePane {
    /// The dataset that is searched, by its place in [`Dataset::ALL`].
    pub dataset_index: usize,
    /// What is being built, for each dataset.
    pub drafts: Vec<SearchDraft>,
    /// What each dataset can be filtered by.
    pub vocabularies: Vec<VocabularyState>,
    /// The runs, the newest last.
    pub runs: Vec<SearchRun>,
    /// The run on the screen.
    pub current_run: Option<u64>,
    /// The keys move in the results.
    pub results_focused: bool,
    /// The filters stand as JSON in place of the results.
    pub as_json: bool,
    /// What was asked in words last, and what the service made of it.
    pub question: Option<NlQuery>,
    /// Why questions are not answered here.
    pub questions_unavailable: Option<String>,
    /// The builder over a list of the book or of a View: it has the keys while it is there.
    pub list_filter: Option<Box<ListFilter>>,
    stashed_filter: Option<ListFilter>,
    unsent_draft: Option<(usize, SearchDraft)>,
    next_run_number: u64,
    pending_question: Option<(Token, usize)>,
}

/// A search that is being built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchDraft {
    /// Its conditions.
    pub filters: Filters,
    /// Its order; the route's own when absent.
    pub sort: Option<SortOrder>,
    /// The line that has the cursor: the dataset, a condition, or the one that adds.
    pub cursor: usize,
}

/// What is known of a dataset's keys.
#[derive(Clone, Debug, Default)]
pub struct VocabularyState {
    /// How far reading has come.
    pub load: LoadState,
    /// The keys.
    pub vocabulary: Vocabulary,
    pending_read: Option<Token>,
}

/// A search that was sent.
#[derive(Clone, Debug)]
pub struct SearchRun {
    /// Its number.
    pub number: u64,
    /// When it was sent first, on the service's clock.
    pub sent_at: DateTime<Utc>,
    /// What was searched, and the rows that were paid for.
    pub records: RecordList,
}

/// A question in words.
#[derive(Clone, Debug, PartialEq)]
pub struct NlQuery {
    /// The question.
    pub text: String,
    /// How it was read, or that it waits.
    pub explanation: Option<String>,
    /// What of it was not understood.
    pub unmatched: Vec<String>,
}

/// A line of the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuilderLine {
    /// The dataset.
    Dataset,
    /// A condition.
    Condition(ConditionPath),
    /// The one that adds a condition.
    Add,
}

impl Default for ExplorePane {
    fn default() -> Self {
        let sets = Dataset::ALL.len();
        // The cursor stands where the first condition is added.
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
            pending_question: None,
        }
    }
}

impl SearchDraft {
    /// The lines of the builder.
    pub fn lines(&self) -> Vec<BuilderLine> {
        let conditions = self.filters.condition_paths().into_iter().map(BuilderLine::Condition);
        std::iter::once(BuilderLine::Dataset).chain(conditions).chain([BuilderLine::Add]).collect()
    }

    /// The line that has the cursor.
    pub fn current_line(&self) -> BuilderLine {
        self.lines().get(self.cursor).copied().unwrap_or(BuilderLine::Add)
    }

    /// The condition that has the cursor.
    pub fn condition_path(&self) -> Option<ConditionPath> {
        if let BuilderLine::Condition(place) = self.current_line() { Some(place) } else { None }
    }

    /// Puts the cursor on a condition.
    pub fn move_cursor_to(&mut self, place: ConditionPath) {
        self.cursor = self.lines().iter().position(|line| *line == BuilderLine::Condition(place)).unwrap_or(self.cursor);
    }

    /// Moves the cursor by lines.
    pub fn move_cursor(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.lines().len() - 1);
    }

    /// The search.
    pub fn search(&self) -> Search {
        Search { filters: self.filters.clone(), sort: self.sort.clone(), ..Search::default() }
    }
}

impl ExplorePane {
    /// The dataset that is searched, or that the list holds which the builder is open over.
    pub fn dataset(&self) -> &'static Dataset {
        &Dataset::ALL[self.active_dataset_index()]
    }

    /// Its place in [`Dataset::ALL`].
    fn active_dataset_index(&self) -> usize {
        let of_list = |narrow: &ListFilter| Dataset::ALL.iter().position(|known| *known == narrow.source.dataset());
        self.list_filter.as_ref().and_then(|narrow| of_list(narrow)).unwrap_or(self.dataset_index % Dataset::ALL.len())
    }

    /// What is being built.
    pub fn draft(&self) -> &SearchDraft {
        self.list_filter.as_ref().map_or(&self.drafts[self.active_dataset_index()], |narrow| &narrow.draft)
    }

    /// What is being built.
    pub fn draft_mut(&mut self) -> &mut SearchDraft {
        let at = self.active_dataset_index();
        self.list_filter.as_mut().map_or(&mut self.drafts[at], |narrow| &mut narrow.draft)
    }

    /// What the dataset can be filtered by.
    pub fn vocabulary_state(&self) -> &VocabularyState {
        self.list_filter.as_ref().map_or(&self.vocabularies[self.active_dataset_index()], |narrow| &narrow.vocabulary)
    }

    /// The key of a condition, where the vocabulary knows it.
    pub fn condition_field(&self, place: ConditionPath) -> Option<&VocabularyField> {
        self.vocabulary_state().vocabulary.condition_field(&self.draft().filters, place)
    }

    /// What is wrong with what is being built.
    pub fn filter_errors(&self) -> Vec<FilterError> {
        self.vocabulary_state().vocabulary.validate(&self.draft().filters)
    }

    /// A question in words waits for its answer.
    pub fn is_question_pending(&self) -> bool {
        self.pending_question.is_some()
    }

    /// A run.
    pub fn run(&self, number: u64) -> Option<&SearchRun> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// A run's rows.
    pub fn records_mut(&mut self, number: u64) -> Option<&mut RecordList> {
        self.runs.iter_mut().find(|run| run.number == number).map(|run| &mut run.records)
    }

    /// The run on the screen.
    pub fn displayed_run(&self) -> Option<&SearchRun> {
        self.run(self.current_run?)
    }

    /// The newest run of what is being built.
    pub fn matching_run(&self) -> Option<&SearchRun> {
        let (source, search) = (RecordSource::Index(self.dataset().clone()), self.draft().search());
        self.runs.iter().rev().find(|run| run.records.matches_search(&source, &search))
    }

    /// The most that running what is being built can cost; none when its rows are here.
    pub fn run_price(&self) -> Option<u64> {
        match self.matching_run() {
            Some(run) if run.records.load == LoadState::Ready => None,
            Some(run) => run.records.next_price(),
            None => Some(u64::from(PAGE_SIZE)),
        }
    }
}

impl App {
    /// Reads what the dataset can be filtered by, unless it is known: once a dataset.
    pub fn read_vocabulary(&mut self, again: bool) {
        let at = self.explore.active_dataset_index();
        let known = &self.explore.vocabularies[at];
        if known.pending_read.is_some()
            || known.load == LoadState::Ready && !again
            || matches!(known.load, LoadState::Failed(_)) && !again
        {
            return;
        }
        let token = self.call_service(Slot::Fields, ServiceCall::Fields(self.explore.dataset().clone()));
        let known = &mut self.explore.vocabularies[at];
        known.pending_read = Some(token);
        known.load = LoadState::Loading;
    }

    /// Takes a vocabulary; false when it was not asked for.
    pub fn on_vocabulary_reply(&mut self, token: Token, result: Result<Vocabulary, RequestError>) -> bool {
        let Some(known) = self.explore.vocabularies.iter_mut().find(|known| known.pending_read == Some(token)) else {
            return false;
        };
        known.pending_read = None;
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
                self.show_failure("the fields could not be read", &failure, "{explore.fields.again} tries again");
            }
        }
        self.update_list_filter_vocabulary();
        true
    }

    /// Asks the service to put a question into filters.
    pub fn submit_question(&mut self, text: &str) {
        let at = self.explore.dataset_index;
        let call = ServiceCall::Ask { dataset: self.explore.dataset().clone(), question: text.to_owned() };
        let token = self.call_service(Slot::Ask, call);
        self.explore.pending_question = Some((token, at));
        self.explore.question = Some(NlQuery { text: text.to_owned(), explanation: None, unmatched: Vec::new() });
    }

    /// Takes what a question was understood as: it fills the builder and runs nothing. False when it was not asked for.
    pub fn on_question_reply(&mut self, token: Token, result: Result<NlTranslation, RequestError>) -> bool {
        let Some((_, at)) = self.explore.pending_question.take_if(|(asked, _)| *asked == token) else { return false };
        match result {
            Ok(understood) => {
                // The builder over a list is not what was asked about.
                let narrow = self.explore.list_filter.take();
                self.fill_builder(at, &understood);
                self.explore.list_filter = narrow;
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.explore.question = None;
                self.notice = Some(Notice::info("question cancelled"));
            }
            Err(failure) => {
                self.explore.question = None;
                if matches!(failure.status(), Some(403 | 404 | 405 | 501)) {
                    self.explore.questions_unavailable = Some(failure.message.clone());
                }
                self.show_failure("the question was not answered", &failure, "{explore.ask} asks again");
            }
        }
        true
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

    /// What was built and not sent is kept beside the history.
    fn stash_unsent_draft(&mut self) {
        let (at, draft) = (self.explore.dataset_index, self.explore.draft().clone());
        if !draft.filters.is_empty() && self.explore.matching_run().is_none() {
            self.explore.unsent_draft = Some((at, draft));
        }
    }

    /// The run of what is being built: the one that there is, else a new one that has not read anything.
    fn run_for_draft(&mut self) -> ListId {
        let number = match self.explore.matching_run() {
            Some(run) => run.number,
            None => {
                let mut records = RecordList::new(RecordSource::Index(self.explore.dataset().clone()));
                records.search = self.explore.draft().search();
                self.explore.next_run_number += 1;
                let number = self.explore.next_run_number;
                self.explore.runs.push(SearchRun { number, sent_at: self.service_now(), records });
                if self.explore.runs.len() > MAX_RUNS {
                    self.explore.runs.remove(0);
                }
                number
            }
        };
        self.explore.current_run = Some(number);
        self.explore.as_json = false;
        ListId::Explore(number)
    }

    /// Runs what is being built, unless its rows are here; then shows them.
    pub fn run_explore(&mut self) {
        let shown = self.run_for_draft();
        self.explore.results_focused = true;
        if self.record_list(&shown).is_some_and(|list| list.load != LoadState::Ready && !list.is_reading()) {
            self.read_first_page(&shown);
        }
    }

    /// Counts what is being built: one row at most.
    pub fn count_explore(&mut self) {
        let shown = self.run_for_draft();
        self.count_records(&shown);
    }

    /// Goes to the run before or after the one on the screen; its search fills the builder, its rows are shown for nothing.
    pub fn show_adjacent_run(&mut self, newer: bool) {
        let here = self.explore.current_run.and_then(|shown| self.explore.runs.iter().position(|run| run.number == shown));
        let is_unsent = self.explore.matching_run().is_none() && !self.explore.draft().filters.is_empty();
        let to = match (here, newer) {
            (None, true) => None,
            (None, false) => self.explore.runs.len().checked_sub(1),
            // What was changed since comes after the run that it was made from.
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
        let (number, at, search) = (run.number, run.sent_at, run.records.search.clone());
        let dataset = run.records.source.dataset();
        self.explore.dataset_index =
            Dataset::ALL.iter().position(|known| *known == dataset).unwrap_or(self.explore.dataset_index);
        *self.explore.draft_mut() = SearchDraft { filters: search.filters, sort: search.sort, cursor: 1 };
        self.explore.current_run = Some(number);
        self.read_vocabulary(false);
        let when = crate::app::format::format_time(at, self.service_now(), self.settings.utc_offset);
        let (place, all) = (to + 1, self.explore.runs.len());
        self.notice = Some(
            Notice::info(format!("run {place} of {all}, of {when}; 0 cr"))
                .with_hint("{explore.older} {explore.newer} older, newer"),
        );
    }
}
