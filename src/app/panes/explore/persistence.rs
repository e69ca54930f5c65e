//! Persisted Explore state: the builder, and the runs with their rows.

use serde::{Deserialize, Serialize};

use super::{ExplorePane, MAX_RUNS, SearchDraft, SearchRun};
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{Effect, ListId};
use crate::app::panes::records::RecordList;
use crate::app::{App, Screen};
use crate::domain::book::Dataset;
use crate::domain::filters::Filters;
use crate::domain::runs;
use crate::domain::search::SortOrder;

/// The stored builder: the current dataset, and the conditions and order of each dataset that has some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedBuilder {
    shown: Option<Dataset>,
    drafts: Vec<(Dataset, Filters, Option<SortOrder>)>,
}

impl ExplorePane {
    fn saved_builder(&self) -> SavedBuilder {
        let copy = |(set, draft): (&Dataset, &SearchDraft)| (set.clone(), draft.filters.clone(), draft.sort.clone());
        let drafts: Vec<_> = self.nonempty_drafts().map(copy).collect();
        SavedBuilder { shown: (!drafts.is_empty()).then(|| self.dataset().clone()), drafts }
    }

    fn nonempty_drafts(&self) -> impl Iterator<Item = (&Dataset, &SearchDraft)> {
        let all = Dataset::ALL.iter().zip(&self.drafts);
        all.filter(|(_, draft)| !draft.filters.is_empty() || draft.sort.is_some())
    }

    fn restore_builder(&mut self, built: SavedBuilder) {
        let place = |set: &Dataset| Dataset::ALL.iter().position(|known| known == set);
        self.dataset_index = built.shown.as_ref().and_then(place).unwrap_or(self.dataset_index);
        for (set, filters, sort) in built.drafts {
            if let Some(draft) = place(&set).and_then(|at| self.drafts.get_mut(at)) {
                *draft = SearchDraft { filters, sort, cursor: 1 };
            }
        }
    }
}

impl App {
    /// Restores the builder, unless something was built since the start.
    pub(in crate::app) fn restore_builder(&mut self, drafts: &RestoredDrafts) {
        if let Some(built) = drafts.content(&DraftName::Builder)
            && self.explore.saved_builder() == SavedBuilder::default()
        {
            self.explore.restore_builder(built);
        }
    }

    pub(in crate::app) fn save_builder(&mut self) {
        if self.screen == Screen::Explore {
            let built = self.explore.saved_builder();
            self.save_draft(&DraftName::Builder, (built != SavedBuilder::default()).then_some(&built));
        }
    }

    /// Restores the runs of earlier sessions, before the runs of this one.
    pub(in crate::app) fn restore_runs(&mut self, runs: Vec<runs::SavedSearchRun>) {
        let explore = &mut self.explore;
        let is_new = |run: &runs::SavedSearchRun| {
            let mut here = explore.runs.iter().filter_map(|run| self.record_lists.get(&run.list_id()));
            !here.any(|list| list.matches_search(&run.source, &run.search))
        };
        let kept: Vec<runs::SavedSearchRun> = runs.into_iter().filter(is_new).collect();
        let room = MAX_RUNS.saturating_sub(explore.runs.len());
        let before = kept.into_iter().rev().take(room).collect::<Vec<_>>().into_iter().rev();
        let before: Vec<SearchRun> = before
            .map(|run| {
                explore.next_run_number += 1;
                let restored = SearchRun { number: explore.next_run_number, sent_at: run.sent_at };
                self.record_lists.insert(restored.list_id(), RecordList::from_run(run));
                restored
            })
            .collect();
        explore.runs.splice(0..0, before);
    }

    /// Stores a run, with its rows from an index on.
    pub(in crate::app) fn save_run(&mut self, shown: &ListId, from: usize) {
        let ListId::Explore(number) = shown else { return };
        let (Some(run), Some(list)) = (self.explore.run(*number), self.record_lists.get(shown)) else { return };
        let run = Box::new(list.to_run(run.sent_at, from));
        self.effects.push(Effect::SaveSearchRun { run, first_row: from });
    }
}
