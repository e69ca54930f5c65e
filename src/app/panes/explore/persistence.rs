//! Persisted Explore state: the builder, and the runs with their rows.

use serde::{Deserialize, Serialize};

use super::{ExplorePane, MAX_RUNS, SearchDraft, SearchRun, dataset_place};
use crate::app::Context;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{Effect, ListId};
use crate::app::model::record_list::RecordList;
use crate::domain::book::Dataset;
use crate::domain::conditions::Conditions;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::SortOrder;

/// The stored builder: the current dataset, and the conditions, the order and the limit of each
/// dataset that has some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedBuilder {
    shown: Option<Dataset>,
    drafts: Vec<SavedDraft>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedDraft {
    dataset: Dataset,
    filters: Conditions,
    sort: Option<SortOrder>,
    limit: Option<u32>,
}

impl ExplorePane {
    pub(super) fn saved_builder(&self) -> SavedBuilder {
        let copy = |(dataset, draft): (&Dataset, &SearchDraft)| SavedDraft {
            dataset: dataset.clone(),
            filters: draft.filters.clone(),
            sort: draft.sort.clone(),
            limit: draft.limit,
        };
        let drafts: Vec<_> = self.nonempty_drafts().map(copy).collect();
        SavedBuilder {
            shown: (!drafts.is_empty()).then(|| self.dataset().clone()),
            drafts,
        }
    }

    fn nonempty_drafts(&self) -> impl Iterator<Item = (&Dataset, &SearchDraft)> {
        let all = Dataset::ALL.iter().zip(&self.drafts);
        all.filter(|(_, draft)| !draft.is_empty())
    }

    /// Takes the builder of an earlier run of the program, unless something was built since the
    /// start.
    pub(super) fn take_saved_builder(&mut self, drafts: &RestoredDrafts) {
        if let Some(built) = drafts.content(&DraftName::Builder)
            && self.saved_builder() == SavedBuilder::default()
        {
            self.restore_builder(built);
        }
    }

    fn restore_builder(&mut self, built: SavedBuilder) {
        self.dataset_index = built
            .shown
            .as_ref()
            .and_then(dataset_place)
            .unwrap_or(self.dataset_index);
        for saved in built.drafts {
            if let Some(draft) =
                dataset_place(&saved.dataset).and_then(|at| self.drafts.get_mut(at))
            {
                *draft = SearchDraft {
                    filters: saved.filters,
                    sort: saved.sort,
                    limit: saved.limit,
                    cursor: 1,
                };
            }
        }
    }

    /// Restores the runs of earlier sessions, before the runs of this one.
    pub(super) fn restore_runs(&mut self, cx: &mut Context, runs: Vec<SavedSearchRun>) {
        let explore = self;
        let is_new = |run: &SavedSearchRun| {
            let mut here = explore
                .runs
                .iter()
                .filter_map(|run| cx.records.lists.get(&run.list_id()));
            !here.any(|list| list.matches_search(&run.source, &run.search))
        };
        let kept: Vec<SavedSearchRun> = runs.into_iter().filter(is_new).collect();
        let room = MAX_RUNS.saturating_sub(explore.runs.len());
        let before = kept
            .into_iter()
            .rev()
            .take(room)
            .collect::<Vec<_>>()
            .into_iter()
            .rev();
        let before: Vec<SearchRun> = before
            .map(|run| {
                explore.next_run_number += 1;
                let restored = SearchRun {
                    number: explore.next_run_number,
                    sent_at: run.sent_at,
                };
                cx.records
                    .lists
                    .insert(restored.list_id(), RecordList::from_run(run));
                restored
            })
            .collect();
        explore.runs.splice(0..0, before);
    }

    /// Stores a run, with its rows from an index on.
    pub(super) fn save_run(&mut self, cx: &mut Context, shown: &ListId, from: usize) {
        let ListId::Explore(number) = shown else {
            return;
        };
        let (Some(run), Some(list)) = (self.run(*number), cx.records.lists.get(shown)) else {
            return;
        };
        let run = SavedSearchRun {
            credits_spent: list.credits_spent,
            ..list.to_run(run.sent_at, from)
        };
        let run = Box::new(run);
        cx.work.emit(Effect::SaveSearchRun {
            run,
            first_row: from,
        });
    }
}
