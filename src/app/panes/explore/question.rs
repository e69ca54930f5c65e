//! Questions in plain words: the service turns them into conditions, and nothing is run.

use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::notice::Notice;
use crate::app::panes::explore::messages::ExploreRequest;
use crate::app::panes::explore::{ExplorePane, NlQuery, SearchDraft};
use crate::app::{Context, Screen};
use crate::domain::book::Dataset;
use crate::domain::filters::Filters;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::vocabulary::{NlSort, NlTranslation};

impl ExplorePane {
    /// Asks the service to turn a question into filters. The builder takes the keys: what it runs
    /// next is the answer.
    pub fn submit_question(&mut self, cx: &mut Context, text: &str) {
        let at = asked_dataset(text).unwrap_or(self.dataset_index);
        let call = ServiceCall::AskQuestion {
            dataset: Dataset::ALL[at].clone(),
            question: text.to_owned(),
        };
        cx.call_service(Slot::Question, call, ExploreRequest::Question(at));
        self.question = Some(NlQuery {
            text: text.to_owned(),
            explanation: None,
            unmatched: Vec::new(),
        });
        self.results_focused = false;
    }

    /// Fills the builder with a translated question and runs nothing.
    pub(super) fn on_question_reply(
        &mut self,
        cx: &mut Context,
        at: usize,
        result: Result<NlTranslation, RequestError>,
    ) {
        match result {
            Ok(understood) => {
                cx.learn_question_price(understood.credits);
                // The question was not about the builder over a list.
                let narrow = self.list_filter.take();
                self.fill_builder(cx, at, &understood);
                self.list_filter = narrow;
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.question = None;
                cx.notice = Some(Notice::info("question canceled"));
            }
            Err(failure) => {
                self.question = None;
                if matches!(failure.status(), Some(403 | 404 | 405 | 501)) {
                    self.questions_unavailable = Some(failure.message.clone());
                }
                cx.show_failure(
                    "the question was not answered",
                    &failure,
                    "{explore.ask} asks again",
                );
            }
        }
    }

    fn fill_builder(&mut self, cx: &mut Context, at: usize, understood: &NlTranslation) {
        let unmatched = understood.unmatched.clone();
        if let Some(question) = &mut self.question {
            question.explanation = Some(
                understood
                    .explanation
                    .clone()
                    .unwrap_or_else(|| "understood as the conditions below".to_owned()),
            );
            question.unmatched.clone_from(&unmatched);
        }
        match Filters::from_json(&understood.filters) {
            Ok(filters)
                if filters.is_empty() && understood.sort.is_none() && at == self.dataset_index =>
            {
                cx.notice = Some(Notice::warning(
                    "question not understood; conditions unchanged",
                ));
            }
            Ok(filters) => {
                self.dataset_index = at;
                self.stash_unsent_draft(cx);
                self.read_vocabulary(cx, false);
                let filters = self.vocabulary_state().vocabulary.coerce_filters(filters);
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
                        "ignored: {}; nothing was run",
                        unmatched.join(", ")
                    ))
                };
                cx.notice = Some(notice.with_hint(match cx.scope() {
                    Scope::Builder => "{explore.run} runs it",
                    _ if cx.screen() == Screen::Explore => "{explore.builder} shows it",
                    _ => "{go.explore} shows it",
                }));
            }
            Err(why) => cx.notice = Some(Notice::error(format!("cannot read the answer: {why}"))),
        }
    }
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
