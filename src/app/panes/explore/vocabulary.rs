//! The fields of each dataset, as the service describes them: read once, when the builder first
//! needs them.
//!
//! Never here: what the builder does with them.

use super::{ExplorePane, builder};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::msg::CallResult;
use crate::app::panes::explore::messages::ExploreRequest;
use crate::app::{Context, Screen};
use crate::domain::vocabulary::Vocabulary;

impl ExplorePane {
    /// Reads the dataset's vocabulary, once per dataset unless `again` is set.
    pub fn read_vocabulary(&mut self, cx: &mut Context, again: bool) {
        let at = self.active_dataset_index();
        let known = &self.vocabularies[at];
        if known.load == LoadState::Loading
            || known.load == LoadState::Ready && !again
            || matches!(known.load, LoadState::Failed(_)) && !again
        {
            return;
        }
        self.vocabularies[at].load = LoadState::Loading;
        let call = ServiceCall::Fields(self.dataset().clone());
        cx.work
            .call_service(Slot::Fields, call, ExploreRequest::Vocabulary(at));
    }

    pub(super) fn on_vocabulary_reply(
        &mut self,
        cx: &mut Context,
        dataset: usize,
        result: CallResult<Vocabulary>,
    ) {
        let known = &mut self.vocabularies[dataset];
        match result {
            Ok(vocabulary) if vocabulary.fields.is_empty() => {
                known.load = LoadState::Failed(
                    "the service sent its fields in an unknown format".to_owned(),
                );
            }
            Ok(vocabulary) => {
                known.load = LoadState::Ready;
                known.vocabulary = vocabulary;
            }
            Err(failure) => {
                known.load = LoadState::Failed(failure.message.clone());
                cx.ui.show_failure(
                    "could not load the fields",
                    &failure,
                    "{explore.fields.again} retries",
                );
            }
        }
        cx.ui
            .notice
            .take_if(|notice| notice.text == builder::LOADING_FIELDS);
        self.update_list_filter_vocabulary();
        self.fill_edited_view(cx);
        let is_shown = dataset == self.dataset_index && cx.ui.screen() == Screen::Explore;
        if is_shown && std::mem::take(&mut self.offers_view) {
            self.choose_view_type(cx);
        }
    }
}
