//! Runs of searches: each keeps its rows, and browsing them costs nothing.

use super::{ExplorePane, MAX_RUNS, SearchDraft, SearchRun, dataset_place};
use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::notice::Notice;
use crate::domain::search::{RecordSource, Search};

impl ExplorePane {
    /// Keeps an unsent search next to the history.
    pub(super) fn stash_unsent_draft(&mut self, cx: &mut Context) {
        let (at, draft) = (self.dataset_index, self.draft().clone());
        if !draft.filters.is_empty() && self.matching_run(&cx.records.lists).is_none() {
            self.unsent_draft = Some((at, draft));
        }
    }

    /// The run of the search being built: the existing one, or a new one that has not read
    /// anything.
    fn run_for_draft(&mut self, cx: &mut Context) -> ListId {
        let list = self.run_for(
            cx,
            RecordSource::Index(self.dataset().clone()),
            self.draft().search(),
        );
        if let ListId::Explore(number) = &list {
            self.current_run = Some(*number);
        }
        self.as_json = false;
        list
    }

    /// The run of a search: the existing one, or a new one that has not read anything.
    pub(super) fn run_for(
        &mut self,
        cx: &mut Context,
        source: RecordSource,
        search: Search,
    ) -> ListId {
        match cx.records.lists.find_run(&source, &search) {
            Some((id, _)) => id.clone(),
            None => {
                let mut records = RecordList::new(source);
                records.search = search;
                self.next_run_number += 1;
                let number = self.next_run_number;
                cx.records.lists.insert(ListId::Explore(number), records);
                self.runs.push(SearchRun {
                    number,
                    sent_at: cx.clock.service_now(),
                });
                if self.runs.len() > MAX_RUNS {
                    cx.records.lists.remove(&self.runs.remove(0).list_id());
                }
                ListId::Explore(number)
            }
        }
    }

    /// Runs the search being built unless its rows are loaded, and shows them.
    pub fn run_explore(&mut self, cx: &mut Context) {
        let shown = self.run_for_draft(cx);
        self.results_focused = true;
        if cx
            .records
            .lists
            .get(&shown)
            .is_some_and(|list| list.load != LoadState::Ready && !list.is_reading())
        {
            cx.answer_or_read(&shown);
        }
    }

    /// Counts the matches of the search being built, reading one row at most.
    pub fn count_explore(&mut self, cx: &mut Context) {
        let shown = self.run_for_draft(cx);
        cx.count_records(&shown);
    }

    /// Goes to the previous or next run: its search fills the builder and its rows are shown for
    /// free.
    pub fn show_adjacent_run(&mut self, cx: &mut Context, newer: bool) {
        let here = self
            .current_run
            .and_then(|shown| self.runs.iter().position(|run| run.number == shown));
        let is_unsent =
            self.matching_run(&cx.records.lists).is_none() && !self.draft().filters.is_empty();
        let to = match (here, newer) {
            (None, true) => None,
            (None, false) => self.runs.len().checked_sub(1),
            // An unsent change comes after the run it was made from.
            (Some(here), false) if is_unsent => Some(here),
            (Some(here), false) => here.checked_sub(1),
            (Some(here), true) => Some(here + 1).filter(|at| *at < self.runs.len()),
        };
        match to {
            Some(to) => {
                self.stash_unsent_draft(cx);
                self.show_run(cx, to);
            }
            None if newer => match self.unsent_draft.take() {
                Some((at, draft)) => {
                    self.dataset_index = at;
                    *self.draft_mut() = draft;
                    cx.ui.inform("your unsent search");
                }
                None => cx.ui.inform("there is no newer run"),
            },
            None => cx.ui.inform("there is no older run"),
        }
    }

    fn show_run(&mut self, cx: &mut Context, to: usize) {
        let Some(run) = self.runs.get(to) else { return };
        let Some(list) = cx.records.lists.get(&run.list_id()) else {
            return;
        };
        let (number, at, search, dataset) = (
            run.number,
            run.sent_at,
            list.search.clone(),
            list.source.dataset(),
        );
        self.dataset_index = dataset_place(&dataset).unwrap_or(self.dataset_index);
        *self.draft_mut() = SearchDraft {
            filters: search.filters,
            sort: search.sort,
            limit: search.limit,
            cursor: 1,
        };
        self.current_run = Some(number);
        self.read_vocabulary(cx, false);
        let when = cx.clock.format_time(at);
        let (place, all) = (to + 1, self.runs.len());
        cx.ui.notice = Some(
            Notice::info(format!("run {place} of {all}, from {when}; 0 cr"))
                .with_hint("{explore.older} {explore.newer} older, newer"),
        );
    }
}
