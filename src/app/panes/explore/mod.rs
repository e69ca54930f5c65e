//! Explore: a search of the whole index, built condition by condition over the service's vocabulary.
//!
//! The builder is free, and nothing is sent before its price stood on the screen. Each run keeps its rows, also over a restart, so
//! that going through the history, and running the same again, spends nothing.

pub mod arrange;
pub mod builder;
pub mod commands;
pub mod draw;
mod kept;
pub mod narrow;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

use super::records::{PAGE, Records, Shown};
use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::app::{App, Screen};
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionPath, FilterError};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::filters::Filters;
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::domain::vocabulary::{NlTranslation, Vocabulary, VocabularyField};

pub use kept::Built;
pub use narrow::Narrow;

/// Runs that are kept; the oldest leaves.
const RUNS_MAX: usize = 50;

/// The Explore pane.
#[derive(Clone, Debug)]
pub struct Explore {
    /// The dataset that is searched, by its place in [`Dataset::ALL`].
    pub at: usize,
    /// What is being built, for each dataset.
    pub drafts: Vec<Draft>,
    /// What each dataset can be filtered by.
    pub known: Vec<Known>,
    /// The runs, the newest last.
    pub runs: Vec<Run>,
    /// The run on the screen.
    pub shown: Option<u64>,
    /// The keys move in the results.
    pub on_results: bool,
    /// The filters stand as JSON in place of the results.
    pub as_json: bool,
    /// What was asked in words last, and what the service made of it.
    pub question: Option<Question>,
    /// Why questions are not answered here.
    pub no_questions: Option<String>,
    /// The builder over a list of the book or of a View: it has the keys while it is there.
    pub narrow: Option<Box<Narrow>>,
    left: Option<Narrow>,
    unsent: Option<(usize, Draft)>,
    next: u64,
    ask: Option<(Token, usize)>,
}

/// A search that is being built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Its conditions.
    pub filters: Filters,
    /// Its order; the route's own when absent.
    pub sort: Option<SortOrder>,
    /// The line that has the cursor: the dataset, a condition, or the one that adds.
    pub cursor: usize,
}

/// What is known of a dataset's keys.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// How far reading has come.
    pub load: LoadState,
    /// The keys.
    pub vocabulary: Vocabulary,
    ask: Option<Token>,
}

/// A search that was sent.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its number.
    pub number: u64,
    /// When it was sent first, on the service's clock.
    pub at: DateTime<Utc>,
    /// What was searched, and the rows that were paid for.
    pub records: Records,
}

/// A question in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// How it was read, or that it waits.
    pub said: Option<String>,
    /// What of it was not understood.
    pub unmatched: Vec<String>,
}

/// A line of the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The dataset.
    Dataset,
    /// A condition.
    Condition(ConditionPath),
    /// The one that adds a condition.
    Add,
}

impl Default for Explore {
    fn default() -> Self {
        let sets = Dataset::ALL.len();
        // The cursor stands where the first condition is added.
        let blank = Draft { cursor: 1, ..Draft::default() };
        Explore {
            at: Dataset::ALL.iter().position(|dataset| *dataset == Dataset::Projects).unwrap_or(0),
            drafts: vec![blank; sets],
            known: vec![Known::default(); sets],
            runs: Vec::new(),
            shown: None,
            on_results: false,
            as_json: false,
            question: None,
            no_questions: None,
            narrow: None,
            left: None,
            unsent: None,
            next: 0,
            ask: None,
        }
    }
}

impl Draft {
    /// The lines of the builder.
    pub fn lines(&self) -> Vec<Line> {
        let conditions = self.filters.condition_paths().into_iter().map(Line::Condition);
        std::iter::once(Line::Dataset).chain(conditions).chain([Line::Add]).collect()
    }

    /// The line that has the cursor.
    pub fn line(&self) -> Line {
        self.lines().get(self.cursor).copied().unwrap_or(Line::Add)
    }

    /// The condition that has the cursor.
    pub fn place(&self) -> Option<ConditionPath> {
        if let Line::Condition(place) = self.line() { Some(place) } else { None }
    }

    /// Puts the cursor on a condition.
    pub fn point(&mut self, place: ConditionPath) {
        self.cursor = self.lines().iter().position(|line| *line == Line::Condition(place)).unwrap_or(self.cursor);
    }

    /// Moves the cursor by lines.
    pub fn step(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.lines().len() - 1);
    }

    /// The search.
    pub fn search(&self) -> Search {
        Search { filters: self.filters.clone(), sort: self.sort.clone(), ..Search::default() }
    }
}

impl Explore {
    /// The dataset that is searched, or that the list holds which the builder is open over.
    pub fn dataset(&self) -> &'static Dataset {
        &Dataset::ALL[self.place()]
    }

    /// Its place in [`Dataset::ALL`].
    fn place(&self) -> usize {
        let of_list = |narrow: &Narrow| Dataset::ALL.iter().position(|known| *known == narrow.source.dataset());
        self.narrow.as_ref().and_then(|narrow| of_list(narrow)).unwrap_or(self.at % Dataset::ALL.len())
    }

    /// What is being built.
    pub fn draft(&self) -> &Draft {
        self.narrow.as_ref().map_or(&self.drafts[self.place()], |narrow| &narrow.draft)
    }

    /// What is being built.
    pub fn draft_mut(&mut self) -> &mut Draft {
        let at = self.place();
        self.narrow.as_mut().map_or(&mut self.drafts[at], |narrow| &mut narrow.draft)
    }

    /// What the dataset can be filtered by.
    pub fn known(&self) -> &Known {
        self.narrow.as_ref().map_or(&self.known[self.place()], |narrow| &narrow.known)
    }

    /// The key of a condition, where the vocabulary knows it.
    pub fn field(&self, place: ConditionPath) -> Option<&VocabularyField> {
        self.known().vocabulary.condition_field(&self.draft().filters, place)
    }

    /// What is wrong with what is being built.
    pub fn issues(&self) -> Vec<FilterError> {
        self.known().vocabulary.validate(&self.draft().filters)
    }

    /// A question in words waits for its answer.
    pub fn is_asking(&self) -> bool {
        self.ask.is_some()
    }

    /// A run.
    pub fn run(&self, number: u64) -> Option<&Run> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// A run's rows.
    pub fn records_mut(&mut self, number: u64) -> Option<&mut Records> {
        self.runs.iter_mut().find(|run| run.number == number).map(|run| &mut run.records)
    }

    /// The run on the screen.
    pub fn shown_run(&self) -> Option<&Run> {
        self.run(self.shown?)
    }

    /// The newest run of what is being built.
    pub fn same_run(&self) -> Option<&Run> {
        let (source, search) = (RecordSource::Index(self.dataset().clone()), self.draft().search());
        self.runs.iter().rev().find(|run| run.records.is_of(&source, &search))
    }

    /// The most that running what is being built can cost; none when its rows are here.
    pub fn price(&self) -> Option<u64> {
        match self.same_run() {
            Some(run) if run.records.load == LoadState::Ready => None,
            Some(run) => run.records.next_price(),
            None => Some(u64::from(PAGE)),
        }
    }
}

impl App {
    /// Reads what the dataset can be filtered by, unless it is known: once a dataset.
    pub fn read_fields(&mut self, again: bool) {
        let at = self.explore.place();
        let known = &self.explore.known[at];
        if known.ask.is_some() || known.load == LoadState::Ready && !again || matches!(known.load, LoadState::Failed(_)) && !again
        {
            return;
        }
        let token = self.call_service(Slot::Fields, ServiceCall::Fields(self.explore.dataset().clone()));
        let known = &mut self.explore.known[at];
        known.ask = Some(token);
        known.load = LoadState::Loading;
    }

    /// Takes a vocabulary; false when it was not asked for.
    pub fn fields_replied(&mut self, token: Token, result: Result<Vocabulary, RequestError>) -> bool {
        let Some(known) = self.explore.known.iter_mut().find(|known| known.ask == Some(token)) else { return false };
        known.ask = None;
        match result {
            Ok(vocabulary) if vocabulary.fields.is_empty() => {
                known.load = LoadState::Failed("the service tells no fields in a form that is known here".to_owned());
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
        self.know_narrow();
        true
    }

    /// Asks the service to put a question into filters.
    pub fn ask_in_words(&mut self, text: &str) {
        let at = self.explore.at;
        let call = ServiceCall::Ask { dataset: self.explore.dataset().clone(), question: text.to_owned() };
        let token = self.call_service(Slot::Ask, call);
        self.explore.ask = Some((token, at));
        self.explore.question = Some(Question { text: text.to_owned(), said: None, unmatched: Vec::new() });
    }

    /// Takes what a question was understood as: it fills the builder and runs nothing. False when it was not asked for.
    pub fn understood(&mut self, token: Token, result: Result<NlTranslation, RequestError>) -> bool {
        let Some((_, at)) = self.explore.ask.take_if(|(asked, _)| *asked == token) else { return false };
        match result {
            Ok(understood) => {
                // The builder over a list is not what was asked about.
                let narrow = self.explore.narrow.take();
                self.fill(at, &understood);
                self.explore.narrow = narrow;
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.explore.question = None;
                self.notice = Some(Notice::info("the question was given up"));
            }
            Err(failure) => {
                self.explore.question = None;
                if matches!(failure.status(), Some(403 | 404 | 405 | 501)) {
                    self.explore.no_questions = Some(failure.message.clone());
                }
                self.show_failure("the question was not answered", &failure, "{explore.ask} asks again");
            }
        }
        true
    }

    fn fill(&mut self, at: usize, understood: &NlTranslation) {
        let unmatched = understood.unmatched.clone();
        if let Some(question) = &mut self.explore.question {
            question.said = Some(understood.explanation.clone().unwrap_or_else(|| "read as the conditions below".to_owned()));
            question.unmatched.clone_from(&unmatched);
        }
        match Filters::from_json(&understood.filters) {
            Ok(filters) if filters.is_empty() => {
                self.notice = Some(Notice::warning("nothing of it was understood; the conditions are as they were"));
            }
            Ok(filters) => {
                self.explore.at = at;
                self.keep_unsent();
                let filters = self.explore.known().vocabulary.coerce_filters(filters);
                *self.explore.draft_mut() = Draft { filters, cursor: 1, sort: self.explore.draft().sort.clone() };
                let notice = if unmatched.is_empty() {
                    Notice::success("the question is in the builder; nothing was run")
                } else {
                    Notice::warning(format!("not understood: {}; nothing was run", unmatched.join(", ")))
                };
                self.notice = Some(notice.with_hint(match self.scope() {
                    Scope::Builder => "{explore.run} runs it",
                    _ if self.screen == Screen::Explore => "{explore.builder} shows it",
                    _ => "{go.explore} shows it",
                }));
            }
            Err(why) => self.notice = Some(Notice::error(format!("the answer cannot be read: {why}"))),
        }
    }

    /// What was built and not sent is kept beside the history.
    fn keep_unsent(&mut self) {
        let (at, draft) = (self.explore.at, self.explore.draft().clone());
        if !draft.filters.is_empty() && self.explore.same_run().is_none() {
            self.explore.unsent = Some((at, draft));
        }
    }

    /// The run of what is being built: the one that there is, else a new one that has not read anything.
    fn run_of_draft(&mut self) -> Shown {
        let number = match self.explore.same_run() {
            Some(run) => run.number,
            None => {
                let mut records = Records::new(RecordSource::Index(self.explore.dataset().clone()));
                records.search = self.explore.draft().search();
                self.explore.next += 1;
                let number = self.explore.next;
                self.explore.runs.push(Run { number, at: self.service_now(), records });
                if self.explore.runs.len() > RUNS_MAX {
                    self.explore.runs.remove(0);
                }
                number
            }
        };
        self.explore.shown = Some(number);
        self.explore.as_json = false;
        Shown::Explore(number)
    }

    /// Runs what is being built, unless its rows are here; then shows them.
    pub fn run_explore(&mut self) {
        let shown = self.run_of_draft();
        self.explore.on_results = true;
        if self.list(&shown).is_some_and(|list| list.load != LoadState::Ready && !list.is_reading()) {
            self.read_first(&shown);
        }
    }

    /// Counts what is being built: one row at most.
    pub fn count_explore(&mut self) {
        let shown = self.run_of_draft();
        self.read_count(&shown);
    }

    /// Goes to the run before or after the one on the screen; its search fills the builder, its rows are shown for nothing.
    pub fn turn_history(&mut self, newer: bool) {
        let here = self.explore.shown.and_then(|shown| self.explore.runs.iter().position(|run| run.number == shown));
        let is_unsent = self.explore.same_run().is_none() && !self.explore.draft().filters.is_empty();
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
                self.keep_unsent();
                self.show_run(to);
            }
            None if newer => match self.explore.unsent.take() {
                Some((at, draft)) => {
                    self.explore.at = at;
                    *self.explore.draft_mut() = draft;
                    self.notice = Some(Notice::info("what was built and not run"));
                }
                None => self.notice = Some(Notice::info("there is no newer run")),
            },
            None => self.notice = Some(Notice::info("there is no older run")),
        }
    }

    fn show_run(&mut self, to: usize) {
        let Some(run) = self.explore.runs.get(to) else { return };
        let (number, at, search) = (run.number, run.at, run.records.search.clone());
        let dataset = run.records.source.dataset();
        self.explore.at = Dataset::ALL.iter().position(|known| *known == dataset).unwrap_or(self.explore.at);
        *self.explore.draft_mut() = Draft { filters: search.filters, sort: search.sort, cursor: 1 };
        self.explore.shown = Some(number);
        self.read_fields(false);
        let when = crate::app::format::format_time(at, self.service_now(), self.settings.utc_offset);
        let (place, all) = (to + 1, self.explore.runs.len());
        self.notice = Some(
            Notice::info(format!("run {place} of {all}, of {when}; 0 cr"))
                .with_hint("{explore.older} {explore.newer} older, newer"),
        );
    }
}
