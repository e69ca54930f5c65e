//! Optional dashboard pages: the top of the queue, and how many signals each member marked done today.
//!
//! They read queue rows, which costs no credits, but only if the configuration enables them: rows contain names and amounts that
//! anybody passing by can read. Pages turn every minute. Rows are read after the counts changed, at most once a minute, and the
//! longer Done list at most every five minutes. Nothing is written, and no other route is called.

use crate::app::panes::messages::PaneRequest;
use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, payload};
use crate::app::panes::watch::WatchPane;
use crate::app::panes::watch::messages::DashboardRequest;
use crate::app::requests::Request;
use crate::app::{Context, DashboardPage, Screen};
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};
use crate::domain::request_error::RequestError;

/// Rows read for the Waiting page.
const WAITING_ROWS: u32 = 50;
/// Maximum number of Done pages read for the Team page.
const MAX_DONE_PAGES: u32 = 10;

/// Data read for the pages.
#[derive(Clone, Debug, Default)]
pub struct DashboardData {
    /// The top of the queue.
    pub waiting: Vec<QueueSignal>,
    /// Signals marked done today, by user id.
    pub team: BTreeMap<String, u64>,
    /// More signals were marked done today than were read.
    pub is_partial: bool,
    /// When the rows were read, and the counts they match.
    waiting_at: Option<(DateTime<Utc>, (u64, u64))>,
    team_at: Option<(DateTime<Utc>, (u64, u64))>,
}

impl DashboardData {
    pub fn read_at(&self, page: DashboardPage) -> Option<DateTime<Utc>> {
        match page {
            DashboardPage::Counts => None,
            DashboardPage::Waiting => self.waiting_at,
            DashboardPage::Team => self.team_at,
        }
        .map(|(at, _)| at)
    }

    fn is_due(&self, page: DashboardPage, counts: (u64, u64), now: DateTime<Utc>) -> bool {
        let (read, every) = match page {
            DashboardPage::Counts => return false,
            DashboardPage::Waiting => (self.waiting_at, Duration::minutes(1)),
            DashboardPage::Team => (self.team_at, Duration::minutes(5)),
        };
        read.is_none_or(|(at, known)| known != counts && now - at >= every)
    }
}

impl WatchPane {
    /// The page on the screen.
    pub(super) fn page(&self, cx: &Context) -> DashboardPage {
        let pages = &cx.settings().dashboard.pages;
        pages.get(self.page_index % pages.len().max(1)).copied().unwrap_or_default()
    }

    /// How many signals leave the queue soon, and whether there may be more: of those in the queue's list, or on the Waiting page.
    pub(super) fn leaving_soon(&self, cx: &Context) -> (usize, bool) {
        let (loaded, is_more) = cx.leaving_soon();
        let waiting = self.data.waiting.iter().filter(|row| row.leaves_soon(cx.service_now())).count();
        let has_all = cx.stats().is_some_and(|stats| stats.new_count <= self.data.waiting.len() as u64);
        if waiting > loaded { (waiting, !has_all) } else { (loaded, is_more) }
    }

    /// Turns to the next or previous page.
    pub(super) fn turn_page(&mut self, forward: bool, cx: &Context) {
        let pages = cx.settings().dashboard.pages.len().max(1);
        self.page_index = (self.page_index + if forward { 1 } else { pages - 1 }) % pages;
    }

    /// Reads the rows of a page that is due, one page at a time.
    pub(super) fn read_due_rows(&mut self, cx: &mut Context) {
        let Some(stats) = cx.stats().filter(|_| cx.screen() == Screen::Watch) else { return };
        let counts = (stats.new_count, stats.done_count);
        if cx.requests().is_open(|request| matches!(request, Request::Pane(PaneRequest::Watch(_)))) {
            return;
        }
        let due = cx.settings().dashboard.pages.iter().copied().find(|page| self.data.is_due(*page, counts, cx.now()));
        match due {
            Some(DashboardPage::Waiting) => request_rows(0, None, cx),
            Some(DashboardPage::Team) => {
                if cx.members().is_empty() {
                    cx.read_members();
                }
                request_rows(0, Some(BTreeMap::new()), cx);
            }
            Some(DashboardPage::Counts) | None => {}
        }
    }

    pub fn on_reply(&mut self, request: DashboardRequest, result: Result<Reply, RequestError>, cx: &mut Context) {
        let DashboardRequest { offset, day } = request;
        let counts = cx.stats().map_or((0, 0), |stats| (stats.new_count, stats.done_count));
        let read = Some((cx.now(), counts));
        match (payload::<Page<QueueSignal>>(result), day) {
            // The age on the screen shows it; the next successful poll retries.
            (Err(_), _) => return,
            (Ok(page), None) => {
                self.data.waiting = page.rows;
                self.data.waiting_at = read;
            }
            (Ok(page), Some(mut day)) => {
                let today = cx.service_now().with_timezone(&cx.settings().utc_offset).date_naive();
                let is_today = |row: &&QueueSignal| {
                    let at = row.triaged_at.as_ref().and_then(|when| when.date_time());
                    at.is_some_and(|at| at.with_timezone(&cx.settings().utc_offset).date_naive() == today)
                };
                for row in page.rows.iter().filter(is_today) {
                    *day.entry(row.triaged_by.clone().unwrap_or_default()).or_default() += 1;
                }
                let next = offset + MAX_QUEUE_PAGE_ROWS;
                let has_more = page.total.is_some_and(|total| total > u64::from(next)) && !page.rows.is_empty();
                if has_more && next < MAX_DONE_PAGES * MAX_QUEUE_PAGE_ROWS {
                    return request_rows(next, Some(day), cx);
                }
                self.data.team = day;
                self.data.is_partial = has_more;
                self.data.team_at = read;
            }
        }
        self.read_due_rows(cx);
    }
}

fn request_rows(offset: u32, day: Option<BTreeMap<String, u64>>, cx: &mut Context) {
    let (status, limit) =
        if day.is_some() { (TriageStatus::Done, MAX_QUEUE_PAGE_ROWS) } else { (TriageStatus::New, WAITING_ROWS) };
    let filter = QueueFilter { status: [status].into(), ..QueueFilter::default() };
    let request = DashboardRequest { offset, day };
    cx.call_service(Slot::Dashboard, ServiceCall::Queue { filter, offset, limit }, request);
}
