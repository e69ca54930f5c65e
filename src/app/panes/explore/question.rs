//! Questions in plain words: the service turns them into conditions, and nothing is run.

use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::CallResult;
use crate::app::notice::Notice;
use crate::app::panes::explore::messages::ExploreRequest;
use crate::app::panes::explore::{ExplorePane, NlQuery, SearchDraft};
use crate::app::{Context, Screen};
use crate::domain::book::Dataset;
use crate::domain::conditions::{Conditions, join_with_or};
use crate::domain::request_error::RequestErrorKind;
use crate::domain::search::{RecordSource, SortOrder};
use crate::domain::vocabulary::{NlSort, NlTranslation, example_question};
use crate::ui::text_input::TextInput;

impl ExplorePane {
    /// Asks the service to turn a question into filters. The builder takes the keys: what it runs
    /// next is the answer.
    pub fn submit_question(&mut self, cx: &mut Context, text: &str) {
        let asked = match self.question.take() {
            Some(waiting) if waiting.explanation.is_none() => waiting.before,
            asked => asked.map(Box::new),
        };
        let chosen = match &asked {
            Some(asked) if asked.dataset_index == self.dataset_index => asked.chosen_dataset_index,
            _ => self.dataset_index,
        };
        let at = asked_dataset(text).unwrap_or(chosen);
        let call = ServiceCall::AskQuestion {
            dataset: Dataset::ALL[at].clone(),
            question: text.to_owned(),
        };
        cx.work
            .call_service(Slot::Question, call, ExploreRequest::Question(at));
        self.question = Some(NlQuery {
            text: text.to_owned(),
            explanation: None,
            unmatched: Vec::new(),
            dataset_index: at,
            chosen_dataset_index: chosen,
            before: asked,
        });
        self.results_focused = false;
    }

    /// The conditions still answer the question before.
    fn forget_question(&mut self) {
        let question = self.question.take();
        self.question = question.and_then(|question| question.before).map(|it| *it);
    }

    /// Fills the builder with a translated question and runs nothing.
    pub(super) fn on_question_reply(
        &mut self,
        cx: &mut Context,
        at: usize,
        result: CallResult<NlTranslation>,
    ) {
        match result {
            Ok(understood) => {
                cx.work.budget.learn_question_price(understood.credits);
                // The question was not about the builder over a list.
                let narrow = self.list_filter.take();
                self.fill_builder(cx, at, &understood);
                self.list_filter = narrow;
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.forget_question();
                cx.ui.inform("question canceled");
            }
            Err(failure) => {
                self.forget_question();
                if matches!(failure.status(), Some(403 | 404 | 405 | 501)) {
                    self.questions_unavailable = Some(failure.message.clone());
                }
                cx.ui.show_failure(
                    "the question was not answered",
                    &failure,
                    "{explore.ask} asks again",
                );
            }
        }
    }

    fn fill_builder(&mut self, cx: &mut Context, at: usize, understood: &NlTranslation) {
        let unmatched = understood.unmatched.clone();
        let orders = describe_orders(&unmatched, &Dataset::ALL[at]);
        let names_other_dataset = at != self.dataset_index
            && self
                .question
                .as_ref()
                .is_some_and(|question| asked_dataset(&question.text).is_some());
        match Conditions::from_json(&understood.filters) {
            Ok(filters)
                if filters.is_empty() && understood.sort.is_none() && !names_other_dataset =>
            {
                let asked = self.question.as_ref().map(|asked| asked.text.clone());
                self.forget_question();
                // It stays to be mended: the next Enter must not run the conditions from before.
                if cx.ui.screen() == Screen::Explore && !cx.ui.is_typing() {
                    self.prompt_question(cx);
                    if let (Some(prompt), Some(asked)) = (&mut cx.ui.prompt, asked) {
                        prompt.field = TextInput::with_text(&asked);
                    }
                }
                let example = example_question(&Dataset::ALL[at]);
                let text = format!("not understood; try: {example}{orders}");
                cx.ui.warn(text);
            }
            Ok(filters) => {
                if let Some(question) = &mut self.question {
                    let explanation = understood.explanation.clone();
                    question.explanation = Some(explanation.unwrap_or_default());
                    question.unmatched.clone_from(&unmatched);
                    question.before = None;
                }
                self.dataset_index = at;
                self.stash_unsent_draft(cx);
                self.read_vocabulary(cx, false);
                let filters = self.vocabulary_state().vocabulary.resolve(&filters);
                let sort = understood
                    .sort
                    .as_ref()
                    .map(NlSort::to_sort_order)
                    .or_else(|| self.draft().sort.clone());
                *self.draft_mut() = SearchDraft {
                    cursor: usize::from(!filters.is_empty()),
                    filters,
                    sort,
                    limit: understood.limit,
                };
                let notice = if unmatched.is_empty() {
                    Notice::success("filter filled in; nothing was run")
                } else {
                    Notice::warning(format!(
                        "ignored: {}; nothing was run{orders}",
                        unmatched.join(", ")
                    ))
                };
                cx.ui.notice = Some(notice.with_hint(match cx.ui.focus.scope() {
                    Scope::Builder => "{explore.run} runs it",
                    _ if cx.ui.screen() == Screen::Explore => "{explore.builder} shows it",
                    _ => "{go.explore} shows it",
                }));
            }
            Err(why) => {
                self.forget_question();
                cx.ui.notice = Some(Notice::error(format!("cannot read the answer: {why}")));
            }
        }
    }
}

/// Which orders the index has, if the words that were not understood ask for one.
fn describe_orders(unmatched: &[String], dataset: &Dataset) -> String {
    const ORDER_WORDS: [&str; 8] = [
        "top", "by", "most", "biggest", "largest", "highest", "sorted", "order",
    ];
    let mut words = unmatched.iter().flat_map(|part| part.split_whitespace());
    if !words.any(|word| ORDER_WORDS.contains(&word.to_lowercase().as_str())) {
        return String::new();
    }
    let source = RecordSource::Index(dataset.clone());
    let orders = source.sort_keys().iter().map(|(field, ascending)| {
        let (field, ascending) = ((*field).to_owned(), *ascending);
        SortOrder { field, ascending }.describe()
    });
    let orders: Vec<String> = orders.collect();
    format!(
        ". The index sorts {dataset} {}; by their columns only loaded rows are sorted, 0 cr",
        join_with_or(&orders)
    )
}

/// The records that a question asks for by name before anything else: "top 20 accounts by ...".
fn asked_dataset(question: &str) -> Option<usize> {
    const INTRODUCTIONS: [&str; 8] = ["show", "me", "list", "find", "all", "the", "top", "our"];
    let noun = question.split_whitespace().find(|word| {
        let word = word.to_lowercase();
        !INTRODUCTIONS.contains(&word.as_str()) && word.parse::<u32>().is_err()
    })?;
    Dataset::ALL
        .iter()
        .position(|dataset| dataset.as_str().eq_ignore_ascii_case(noun))
}
