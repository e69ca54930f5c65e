//! What of Explore outlives the program: what stands in the builder, and the runs with their rows.

use serde::{Deserialize, Serialize};

use super::{Draft, Explore, RUNS_MAX, Run};
use crate::app::App;
use crate::app::effect::Effect;
use crate::app::panes::records::{Records, Shown};
use crate::domain::book::Dataset;
use crate::domain::filters::Filters;
use crate::domain::runs;
use crate::domain::search::SortOrder;

/// What stands in the builder, as it is kept: the dataset on the screen, and of each that has some its conditions and its order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Built {
    shown: Option<Dataset>,
    drafts: Vec<(Dataset, Filters, Option<SortOrder>)>,
}

impl Explore {
    /// What stands in the builder.
    pub fn built(&self) -> Built {
        let copy = |(set, draft): (&Dataset, &Draft)| (set.clone(), draft.filters.clone(), draft.sort.clone());
        let drafts: Vec<_> = self.standing().map(copy).collect();
        Built { shown: (!drafts.is_empty()).then(|| self.dataset().clone()), drafts }
    }

    /// This is what stands in the builder.
    pub fn is_built(&self, built: &Built) -> bool {
        let here = self.standing().map(|(set, draft)| (set, &draft.filters, &draft.sort));
        here.eq(built.drafts.iter().map(|(set, filters, sort)| (set, filters, sort)))
            && built.shown.as_ref().is_none_or(|shown| shown == self.dataset())
    }

    fn standing(&self) -> impl Iterator<Item = (&Dataset, &Draft)> {
        let all = Dataset::ALL.iter().zip(&self.drafts);
        all.filter(|(_, draft)| !draft.filters.is_empty() || draft.sort.is_some())
    }

    /// Puts into the builder what stood there before.
    pub fn build(&mut self, built: Built) {
        let place = |set: &Dataset| Dataset::ALL.iter().position(|known| known == set);
        self.at = built.shown.as_ref().and_then(place).unwrap_or(self.at);
        for (set, filters, sort) in built.drafts {
            if let Some(draft) = place(&set).and_then(|at| self.drafts.get_mut(at)) {
                *draft = Draft { filters, sort, cursor: 1 };
            }
        }
    }
}

impl App {
    /// Takes over the runs of the time before this start; what was run since is newer.
    pub(in crate::app) fn restore_runs(&mut self, runs: Vec<runs::SavedSearchRun>) {
        let explore = &mut self.explore;
        let is_new = |run: &runs::SavedSearchRun| !explore.runs.iter().any(|here| here.records.is_of(&run.source, &run.search));
        let kept: Vec<runs::SavedSearchRun> = runs.into_iter().filter(is_new).collect();
        let room = RUNS_MAX.saturating_sub(explore.runs.len());
        let before = kept.into_iter().rev().take(room).collect::<Vec<_>>().into_iter().rev();
        let before: Vec<Run> = before
            .map(|run| {
                explore.next += 1;
                Run { number: explore.next, at: run.sent_at, records: Records::kept(run) }
            })
            .collect();
        explore.runs.splice(0..0, before);
    }

    /// Keeps a run of Explore, with its rows from a place on.
    pub(in crate::app) fn keep_run(&mut self, shown: &Shown, from: usize) {
        let Shown::Explore(number) = shown else { return };
        let Some(run) = self.explore.run(*number) else { return };
        let run = Box::new(run.records.to_keep(run.at, from));
        self.effects.push(Effect::SaveSearchRun { run, first_row: from });
    }
}
