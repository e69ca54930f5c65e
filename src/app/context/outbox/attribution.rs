//! Which signals of a triage changed. The service reports only their number; where that is smaller than what was sent, somebody
//! else triaged some of them first. The queue reports who and when, so those rows are read: only what this triage changed becomes
//! an undo step.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::app::Context;
use crate::app::context::outbox::triage_messages::triage_outcome_notice;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::model::signal_list::RemovedRow;
use crate::app::notice::Notice;
use crate::app::outbox::attribution::{AttributionCheck, TriageMark, TriageResult};
use crate::app::outbox::preflight::{CLOCK_TOLERANCE, MAX_PREFLIGHT_PAGES, UndoRequest, filter_for_signals};
use crate::app::outbox::undo_history::{StepCause, TriageUndoStep, UndoStep};
use crate::app::requests::Request;
use crate::domain::SignalId;
use crate::domain::journal::{JournalChange, TriageMove};
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab};
use crate::domain::request_error::RequestError;

impl Context {
    /// Finishes a triage; where not all of its signals changed, first reads who triaged the others.
    pub(in crate::app) fn attribute_triage(&mut self, answered: TriageResult) {
        let unsure: HashSet<SignalId> = answered
            .parts
            .iter()
            .filter(|part| !TriageResult::is_fully_changed(part))
            .flat_map(|(ids, _)| ids.iter().copied())
            .collect();
        // Nothing reports who put a signal back to New.
        if unsure.is_empty() || answered.from == QueueTab::Done {
            return self.finish_attribution(answered, HashMap::new());
        }
        let rows: Vec<_> = answered
            .removed
            .iter()
            .filter(|taken| unsure.contains(&taken.id))
            .map(|taken| (taken.id, taken.row.clone()))
            .collect();
        let status = answered.from.other().status();
        let filter = filter_for_signals(&rows, QueueFilter { status: [status].into(), ..QueueFilter::default() });
        let text = format!("{} of {}: checking who did the others", format_count(answered.changed_count()), answered.description);
        self.notice = Some(Notice::info(text));
        self.request_attribution_page(AttributionCheck {
            result: answered,
            missing: unsure,
            found: HashMap::new(),
            filter,
            offset: 0,
        });
    }

    fn request_attribution_page(&mut self, check: AttributionCheck) {
        let call = ServiceCall::Queue { filter: check.filter.clone(), offset: check.offset, limit: MAX_QUEUE_PAGE_ROWS };
        self.call_service(Slot::Attribution, call, Request::Undo(UndoRequest::Attribution(Box::new(check))));
    }

    /// Takes a page of a check.
    pub(in crate::app) fn on_attribution_page(
        &mut self,
        mut check: AttributionCheck,
        result: Result<Page<QueueSignal>, RequestError>,
    ) {
        if let Ok(page) = result {
            for row in &page.rows {
                if check.missing.remove(&row.signal.id) {
                    let when = row.triaged_at.as_ref().and_then(|when| when.date_time());
                    check.found.insert(row.signal.id, (row.triaged_by.clone(), when));
                }
            }
            check.offset += u32::try_from(page.rows.len()).unwrap_or(MAX_QUEUE_PAGE_ROWS);
            let ended = page.rows.is_empty() || page.total.is_none_or(|total| u64::from(check.offset) >= total);
            if !check.missing.is_empty() && !ended && check.offset < MAX_PREFLIGHT_PAGES * MAX_QUEUE_PAGE_ROWS {
                return self.request_attribution_page(check);
            }
        }
        self.finish_attribution(check.result, check.found);
    }

    fn finish_attribution(&mut self, answered: TriageResult, found: HashMap<SignalId, TriageMark>) {
        let ours: HashSet<SignalId> =
            answered.parts.iter().flat_map(|part| self.own_changes(part, &found, answered.started_at)).collect();
        let already = answered.removed.len() as u64 - answered.changed_count().min(answered.removed.len() as u64);
        let TriageResult { number, cause, from, description: words, removed: taken, failed_counts: failed, reason, .. } =
            answered;
        let all = taken.len();
        let (taken, others): (Vec<RemovedRow>, Vec<RemovedRow>) = taken.into_iter().partition(|taken| ours.contains(&taken.id));
        let mut marks: Vec<&TriageMark> = others.iter().filter_map(|taken| found.get(&taken.id)).collect();
        marks.sort_by_key(|(_, at)| *at);
        let last = marks.last().map(|(by, at)| self.user_and_time(by.as_deref(), *at));
        let words = if taken.len() == all { words } else { self.describe_removed(&taken) };
        if taken.len() < all || failed != [0; 3] {
            let row = |taken: &RemovedRow| taken.row.as_ref().and_then(|row| serde_json::to_value(row).ok());
            let signals = taken.iter().map(|taken| TriageMove { id: taken.id.0, row: row(taken) }).collect();
            let change = JournalChange::Triage { before: from.status(), after: from.other().status(), signals };
            self.effects.push(Effect::JournalApplied { slot: Slot::Triage(number), change });
        }
        // Nothing reports which of the signals that are New were New before.
        let doubt = if from == QueueTab::Done { already.min(taken.len() as u64) } else { 0 };
        self.notice = Some(if taken.is_empty() && failed == [0; 3] {
            Notice::info(format!("{}. Nothing changed{}.", nothing_changed_text(from, all, last), self.drop_deferred_commands()))
        } else {
            let already = (already > 0).then(|| match &last {
                Some(last) if already == 1 => format!("1 was {} by {last}", already_label(from)),
                Some(last) => format!("{} were {}, the last by {last}", format_count(already), already_label(from)),
                None => format!("{} {}", format_count(already), already_label(from)),
            });
            let notice = triage_outcome_notice(cause, from, &words, taken.len(), failed, already, reason);
            let dropped = if failed == [0; 3] { String::new() } else { self.drop_deferred_commands() };
            Notice { text: notice.text + &dropped, ..notice }
        });
        self.push_triage_step(
            cause,
            true,
            TriageUndoStep { from, description: words, removed: taken, done_at: self.service_now(), uncertain_count: doubt },
        );
    }

    /// The signals of a batch that this triage changed. Where the check was inconclusive, all of them: undo checks again, and
    /// asks.
    fn own_changes(
        &self,
        part: &(Vec<SignalId>, Option<u64>),
        found: &HashMap<SignalId, TriageMark>,
        began: DateTime<Utc>,
    ) -> Vec<SignalId> {
        let (ids, changed) = part;
        let changed = changed.map(|changed| usize::try_from(changed).unwrap_or(usize::MAX));
        match changed {
            Some(0) => return Vec::new(),
            Some(n) if n >= ids.len() => return ids.clone(),
            _ => {}
        }
        let me = self.caller_id();
        let is_mine = |(by, at): &TriageMark| match (&me, changed) {
            (Some(_), Some(_)) => *by == me,
            (None, Some(_)) => true,
            // For a batch that was sent twice the number of changes is unknown: those triaged since it began.
            (_, None) => (me.is_none() || *by == me) && at.is_none_or(|at| at >= began - CLOCK_TOLERANCE),
        };
        let mine = ids.iter().filter_map(|id| Some((*id, found.get(id)?)));
        let mut mine: Vec<(SignalId, &TriageMark)> = mine.filter(|(_, mark)| is_mine(mark)).collect();
        // The first triage of a signal keeps its mark, so the newest marks are this triage's.
        mine.sort_by_key(|(_, (_, at))| std::cmp::Reverse(*at));
        mine.truncate(changed.unwrap_or(usize::MAX));
        let is_conclusive = changed.map_or(!found.is_empty(), |changed| mine.len() == changed);
        if is_conclusive { mine.into_iter().map(|(id, _)| id).collect() } else { ids.clone() }
    }

    /// A step in the journal always describes the original direction: undo inverts it, and the redo stack keeps it as it first
    /// was.
    pub(in crate::app) fn push_triage_step(&mut self, cause: StepCause, arrived: bool, step: TriageUndoStep) {
        if !step.is_empty() {
            let step = if cause == StepCause::Undo { step.inverse() } else { step };
            self.outbox.history.push_step(&cause.into(), arrived, UndoStep::Triage(step));
        }
    }
}

fn already_label(from: QueueTab) -> &'static str {
    if from == QueueTab::New { "already done" } else { "already New" }
}

fn nothing_changed_text(from: QueueTab, all: usize, last: Option<String>) -> String {
    match (from, all, last) {
        (QueueTab::New, 1, Some(last)) => format!("Already done by {last}"),
        (QueueTab::New, 1, None) => "Already done".to_owned(),
        (QueueTab::New, n, Some(last)) => format!("All {} were already done, the last by {last}", pluralize(n, "signal")),
        (QueueTab::New, n, None) => format!("All {} were already done", pluralize(n, "signal")),
        (QueueTab::Done, 1, _) => "Already New".to_owned(),
        (QueueTab::Done, n, _) => format!("All {} were already New", pluralize(n, "signal")),
    }
}
