//! Loads the queue: decides what to read and applies the replies.
//!
//! Each tab has at most one read in flight, and only for the tab on the screen: the first page,
//! rows that became visible or will with the next screen in the direction of travel, or, after the
//! counts changed, the visible rows again. While a triage is in flight, only missing rows are read:
//! its own reply says where its rows went, so they are left out of what is read meanwhile.

use std::collections::HashSet;

use crate::app::context::{Snoozing, Ui, Work, cached_queue};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::{QueuePageRequest, QueueRequest, SignalQueue};
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::requests::Request;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab, TriageStatus};
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// A page has at least this many rows besides those whose triage is in flight; otherwise it is read
/// after the triage.
const MIN_PAGE_ROWS: u32 = 50;
/// Maximum consecutive reads to fill the screen, so that a service with contradictory pages is not
/// queried forever.
const MAX_CONSECUTIVE_READS: u16 = 8;
/// Maximum pages read to find signals that have returned from a snooze.
const MAX_SNOOZE_READS: u8 = 10;

impl Context {
    /// Requests the rows the visible tab lacks.
    pub fn read_queue(&mut self) {
        let is_shown = matches!(self.ui.screen(), Screen::Queue | Screen::Detail);
        if !self.session.is_connected() || !is_shown {
            return;
        }
        let height = usize::from(self.frame.layout().rows.height);
        // What is snoozed is among the rows of New.
        let tab = if self.queue.tab == QueueTab::Today {
            QueueTab::New
        } else {
            self.queue.tab
        };
        let is_triaging = self.outbox.is_triaging();
        let leaving = u32::try_from(self.outbox.signals_leaving(tab).count()).unwrap_or(u32::MAX);
        if is_triaging
            && (self.outbox.is_undoing() || leaving > MAX_QUEUE_PAGE_ROWS - MIN_PAGE_ROWS)
        {
            return;
        }
        let state = self.queue.tab_state_mut(tab);
        let window = state.next_window(height, is_triaging);
        state.last_top = state.scroll.top;
        if window.is_none() {
            state.consecutive_reads = 0;
        }
        let Some((offset, limit, refresh)) = window
            .or_else(|| window_for_returned(tab, is_triaging, &self.queue, &mut self.snoozing))
        else {
            return;
        };
        if let Some(ask) = self.queue.tab_state(tab).pending_page {
            let covers =
                (ask.offset..ask.offset + ask.limit).contains(&offset) || (ask.refresh && refresh);
            if covers || is_triaging {
                return;
            }
            self.work.abandon_slot(slot_for_tab(tab));
        }
        let state = self.queue.tab_state(tab);
        let pages = if state.reads_all() {
            state.list.len() / MAX_QUEUE_PAGE_ROWS as usize
        } else {
            0
        };
        if usize::from(state.consecutive_reads) >= usize::from(MAX_CONSECUTIVE_READS) + pages {
            report_incomplete_queue(tab, &mut self.ui, &mut self.queue);
            return;
        }
        // The signals that leave may be among the rows, and the row beside the window shows where
        // it begins.
        let (offset, limit) = match leaving {
            0 => (offset, limit),
            _ => (
                offset.saturating_sub(1),
                (limit + leaving + 1).min(MAX_QUEUE_PAGE_ROWS),
            ),
        };
        let filter = QueueFilter {
            status: [tab.status()].into(),
            ..self.queue.filter.clone()
        };
        let page = QueuePageRequest {
            offset,
            limit,
            refresh,
        };
        let request = Request::Queue(QueueRequest::Page(tab, page));
        self.work.call_service(
            slot_for_tab(tab),
            ServiceCall::Queue {
                filter,
                offset,
                limit,
            },
            request,
        );
        let state = self.queue.tab_state_mut(tab);
        state.consecutive_reads += 1;
        state.pending_page = Some(page);
        state.left_during_read.clear();
        state.stale &= !refresh; // Later changes are not in this reply.
        if state.load == LoadState::Idle {
            state.load = LoadState::Loading;
        }
    }

    pub(in crate::app) fn on_queue_reply(&mut self, request: QueueRequest, result: CallResult) {
        match request {
            QueueRequest::Page(tab, page) => self.on_queue_page_reply(tab, page, payload(result)),
            QueueRequest::Activity => self.on_activity_reply(payload(result)),
            QueueRequest::WhoTriaged(gone) => self.on_who_triaged_reply(&gone, payload(result)),
        }
    }

    fn on_queue_page_reply(
        &mut self,
        tab: QueueTab,
        ask: QueuePageRequest,
        result: CallResult<Page<QueueSignal>>,
    ) {
        let state = self.queue.tab_state_mut(tab);
        // The filter has changed meanwhile, and a triage kept the new list from being read at once.
        if state
            .pending_page
            .take_if(|pending| *pending == ask)
            .is_none()
        {
            return;
        }
        state.stale |= ask.refresh && result.is_err();
        match result {
            Ok(page) if self.queue.needs_deeper_read(tab, ask, &page) => {
                self.queue.tab_state_mut(tab).reads_deep = true
            }
            Ok(page) => self.apply_queue_page(tab, ask, page),
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {}
            Err(failure) => on_queue_page_failed(tab, &failure, &mut self.ui, &mut self.queue),
        }
    }

    fn apply_queue_page(&mut self, tab: QueueTab, ask: QueuePageRequest, page: Page<QueueSignal>) {
        let now = self.clock.now;
        let offset = page.offset;
        let is_short = page.rows.is_empty()
            && page.unreadable == 0
            && page.total.is_some_and(|total| total > u64::from(offset));
        let was_last = self.queue.previous_queue_for(tab).is_some();
        let (sent, leaving) = (
            page.rows.len(),
            self.outbox.signals_leaving(tab).collect::<HashSet<_>>(),
        );
        let state = self.queue.tab_state_mut(tab);
        let leaving: HashSet<SignalId> = &leaving | &std::mem::take(&mut state.left_during_read);
        let page = match leaving.is_empty() {
            true => page,
            false => {
                let (page, agrees) = state.place_page(page, &leaving, ask.refresh);
                state.stale |= !agrees;
                if page.rows.is_empty() && sent > 0 && !ask.refresh {
                    return;
                }
                page
            }
        };
        self.look_up_facts(page.rows.iter().map(|row| &row.signal));
        if tab == QueueTab::New {
            self.update_snoozes(&page);
        }
        self.queue.set_today(self.clock.service_now().date_naive());
        let state = self.queue.tab_state_mut(tab);
        let before = state.rows_around_screen();
        let ids: Vec<SignalId> = page.rows.iter().map(|row| row.signal.id).collect();
        let is_whole = page.total == Some(ids.len() as u64);
        let first = state.load != LoadState::Ready;
        state.load = LoadState::Ready;
        if page.offset == 0 {
            state.read_at = Some(now);
        }
        self.queue.insert_page(tab, ask, page);
        if is_short {
            let all = pluralize(self.queue.tab_state(tab).list.total(), "row");
            let text = format!(
                "the service reports {all} but sent an empty page after row {}",
                format_count(u64::from(offset))
            );
            self.ui.notice = Some(Notice::warning(text).with_hint("{refresh} retries"));
        }
        if ask.refresh && !first && tab == QueueTab::New && !self.reads_activity() {
            find_who_triaged(&before, &ids, &mut self.work);
        }
        if tab == QueueTab::New || self.queue.is_filtered() {
            cached_queue::drop_previous_queue(was_last && is_whole, &mut self.queue, &self.outbox);
        }
        self.save_queue_snapshot();
        mark_when_loaded(tab, &mut self.ui, &mut self.queue);
    }

    /// Reports who triaged a signal that disappeared.
    fn on_who_triaged_reply(&mut self, gone: &[SignalId], result: CallResult<Page<QueueSignal>>) {
        let Ok(page) = result else { return };
        let Some(row) = page.rows.iter().find(|row| gone.contains(&row.signal.id)) else {
            return;
        };
        let what = row.signal.type_label();
        let project = row.signal.project_name.clone().unwrap_or_default();
        let at = row.triaged_time();
        let at = at
            .map(|at| format!(" at {}", self.clock.format_time(at)))
            .unwrap_or_default();
        let more = if gone.len() > 1 {
            format!(", and {} more", pluralize(gone.len() - 1, "signal"))
        } else {
            String::new()
        };
        self.ui.inform(format!(
            "{what} on {project}: done by {}{at}{more}",
            self.queue.user_name(row.triaged_by.as_ref())
        ));
    }
}

/// The next rows in which a signal that has returned from its snooze may be.
fn window_for_returned(
    tab: QueueTab,
    is_triaging: bool,
    queue: &SignalQueue,
    snoozing: &mut Snoozing,
) -> Option<(u32, u32, bool)> {
    let state = queue.tab_state(tab);
    let is_ready =
        tab == QueueTab::New && state.load == LoadState::Ready && !state.is_halted && !is_triaging;
    if !is_ready || snoozing.reads >= MAX_SNOOZE_READS {
        return None;
    }
    let offset = queue.unread_for_returned()?;
    snoozing.reads += u8::from(queue.tab_state(tab).pending_page.is_none());
    Some((offset, MAX_QUEUE_PAGE_ROWS, false))
}

/// Warns once that the visible rows cannot be completed. With threads, more is read when the
/// user scrolls on.
fn report_incomplete_queue(tab: QueueTab, ui: &mut Ui, queue: &mut SignalQueue) {
    let state = queue.tab_state_mut(tab);
    if state.consecutive_reads == MAX_CONSECUTIVE_READS && !state.is_arranged() {
        state.consecutive_reads += 1;
        let text = format!(
            "inconsistent pages from the service: {MAX_CONSECUTIVE_READS} reads did not fill this screen"
        );
        ui.notice = Some(Notice::warning(text).with_hint("{refresh} retries"));
    }
}

/// The user scrolled in a list of threads: allows more reads.
pub(in crate::app) fn resume_queue_reads(queue: &mut SignalQueue) {
    let state = queue.current_tab_mut();
    if state.is_arranged() {
        state.consecutive_reads = 0;
    }
}

/// Cancels reads of the lists, where a write moves rows in a way that a page cannot be compared
/// with: they are read again once it is confirmed.
pub(in crate::app) fn cancel_queue_reads(
    is_cancelled: impl Fn(&QueuePageRequest) -> bool,
    work: &mut Work,
    queue: &mut SignalQueue,
) {
    for tab in [QueueTab::New, QueueTab::Done] {
        let state = queue.tab_state_mut(tab);
        if let Some(ask) = state.pending_page.take_if(|ask| is_cancelled(ask)) {
            state.stale |= ask.refresh;
            work.abandon_slot(slot_for_tab(tab));
        }
    }
}

/// Marks all rows once they are loaded, if the user asked for that; reports how far it is until
/// then.
fn mark_when_loaded(tab: QueueTab, ui: &mut Ui, queue: &mut SignalQueue) {
    let state = queue.tab_state_mut(tab);
    if !state.marks_when_loaded {
        return;
    }
    if state.unread_count() == 0 {
        state.marks_when_loaded = false;
        return mark_shown_rows(ui, queue);
    }
    let (loaded, all) = (
        format_count(state.list.loaded_count() as u64),
        pluralize(state.list.total(), "row"),
    );
    ui.notice = Some(
        Notice::info(format!("{loaded} of {all} loaded; all are marked then"))
            .with_hint("{cancel} stops"),
    );
}

/// Marks the rows that are shown.
pub(in crate::app) fn mark_shown_rows(ui: &mut Ui, queue: &mut SignalQueue) {
    let tab = queue.current_tab_mut();
    let ids: Vec<SignalId> = tab.shown_ids().collect();
    tab.marks.extend(ids);
    report_marks(ui, queue);
}

pub(in crate::app) fn report_marks(ui: &mut Ui, queue: &SignalQueue) {
    ui.inform(marks_label(queue));
}

/// How many rows are marked and, if some are not loaded, which rows were considered.
pub(in crate::app) fn marks_label(queue: &SignalQueue) -> String {
    let tab = queue.current_tab();
    let (marked, all) = (
        format_count(tab.marks.len() as u64),
        pluralize(tab.list.total(), "row"),
    );
    match tab.loaded_ranges_label() {
        Some(loaded) => format!("{marked} marked; only {loaded} of {all} are loaded"),
        None => format!("{marked} marked"),
    }
}

fn on_queue_page_failed(
    tab: QueueTab,
    failure: &RequestError,
    ui: &mut Ui,
    queue: &mut SignalQueue,
) {
    let is_last = queue.previous_queue_for(tab).is_some();
    let is_reported = failure.retry_after().is_some()
        || is_last && cached_queue::can_show_previous_queue(failure, queue);
    let state = queue.tab_state_mut(tab);
    (state.is_halted, state.consecutive_reads) = (true, 0);
    state.load = match () {
        () if is_last => LoadState::Loading,
        () if state.list.is_empty() => LoadState::Failed(failure.message.clone()),
        () => LoadState::Ready,
    };
    // The header and the footer already say that the service is unreachable, or until when to
    // wait.
    if !is_reported {
        ui.show_failure("could not load the queue", failure, "{refresh} retries");
    }
}

/// Rows that disappeared from between two remaining rows were triaged by somebody: one small
/// read finds out by whom.
fn find_who_triaged(before: &[QueueSignal], now: &[SignalId], work: &mut Work) {
    let known = |row: &&QueueSignal| now.contains(&row.signal.id);
    let (Some(first), Some(last)) = (
        before.iter().position(|r| known(&r)),
        before.iter().rposition(|r| known(&r)),
    ) else {
        return;
    };
    let gone: Vec<QueueSignal> = before[first..=last]
        .iter()
        .filter(|row| !known(row))
        .cloned()
        .collect();
    let Some(filing) = gone
        .first()
        .and_then(|row| row.signal.source_filing_id.clone())
    else {
        return;
    };
    let filter = QueueFilter {
        status: [TriageStatus::Done].into(),
        q: filing,
        ..QueueFilter::default()
    };
    let request = Request::Queue(QueueRequest::WhoTriaged(
        gone.iter().map(|row| row.signal.id).collect(),
    ));
    work.call_service(
        Slot::WhoTriaged,
        ServiceCall::Queue {
            filter,
            offset: 0,
            limit: 10,
        },
        request,
    );
}

/// The CLI command that lists the same rows.
pub(super) fn build_queue_command(queue: &SignalQueue) -> String {
    let mut command = format!("gantry queue list --status {}", queue.tab.status());
    let filter = &queue.filter;
    filter
        .signal_type
        .iter()
        .for_each(|kind| command.push_str(&format!(" --type {kind}")));
    filter
        .priority
        .iter()
        .for_each(|priority| command.push_str(&format!(" --priority {priority}")));
    for (option, text) in [("--city", &filter.city), ("--query", &filter.q)] {
        if !text.is_empty() {
            command.push_str(&format!(" {option} '{}'", text.replace('\'', r"'\''")));
        }
    }
    command
}

fn slot_for_tab(tab: QueueTab) -> Slot {
    match tab {
        QueueTab::New | QueueTab::Today => Slot::New,
        QueueTab::Done => Slot::Done,
    }
}
