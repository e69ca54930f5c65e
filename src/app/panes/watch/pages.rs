//! What the dashboard shows besides the counts: rows of the queue, and what each member marked done
//! today.
//!
//! Rows are read only where the meter proves that it is free: the first row of a session is read
//! between two readings of the meter. The lists are read after the counts changed, at most once a
//! minute, and long ones less often. Nothing is written.

use chrono::{DateTime, Duration, NaiveDate, Utc};

use crate::app::context::visits;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::model::queue::MAX_ROWS_REFRESHED;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::panes::messages::PaneRequest;
use crate::app::panes::watch::day_counts::{DayCount, DoneTally, local_date};
use crate::app::panes::watch::messages::DashboardRequest;
use crate::app::panes::watch::regions::has_columns;
use crate::app::panes::watch::state::WatchPane;
use crate::app::requests::Request;
use crate::app::{Context, DashboardPage, Screen};
use crate::domain::budgets::CreditsSpent;
use crate::domain::credits::Credits;
use crate::domain::lenient::Number;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, Priority, QueueFilter, QueueSignal, TriageStatus};

/// This many high-priority signals are shown by name.
pub const MAX_LATEST: usize = 3;
/// Maximum number of pages read of each list: as many rows as the queue itself reads unasked.
const MAX_LIST_PAGES: usize = MAX_ROWS_REFRESHED / MAX_QUEUE_PAGE_ROWS as usize;
/// This many pages may be read a minute.
const PAGES_PER_MINUTE: usize = 3;
/// How often the price of a row is measured before rows are given up: a colleague may spend at the
/// same time.
const MAX_PRICE_CHECKS: u32 = 3;
/// Members who could not be read are asked for again after this time.
const MEMBERS_RETRY: Duration = Duration::minutes(10);

/// What a row of the queue costs. The interface does not state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPrice {
    /// How often it was measured in vain.
    Unknown(u32),
    Free,
    /// It costs credits, or the meter does not show that it costs none.
    NotFree,
}

impl Default for RowPrice {
    fn default() -> Self {
        RowPrice::Unknown(0)
    }
}

/// A list as it was read.
#[derive(Clone, Copy, Debug)]
struct ListRead {
    at: DateTime<Utc>,
    day: NaiveDate,
    counts: (u64, u64),
    pages: usize,
}

/// Data read for the dashboard.
#[derive(Clone, Debug, Default)]
pub struct DashboardData {
    pub row_price: RowPrice,
    /// The New list, in the service's order.
    pub new: Vec<QueueSignal>,
    /// More signals are new than were read.
    pub is_new_partial: bool,
    pub done: DoneTally,
    /// More signals are done than were read.
    pub is_done_partial: bool,
    new_read: Option<ListRead>,
    done_read: Option<ListRead>,
    members_asked: Option<DateTime<Utc>>,
}

impl DashboardData {
    pub fn read_at(&self, page: DashboardPage) -> Option<DateTime<Utc>> {
        match page {
            DashboardPage::Counts => None,
            DashboardPage::Waiting => self.new_read,
            DashboardPage::Team => self.done_read,
        }
        .map(|read| read.at)
    }

    pub fn has_new(&self) -> bool {
        self.new_read.is_some()
    }

    pub fn has_done(&self) -> bool {
        self.done_read.is_some()
    }

    /// The new signals of high priority that were found last.
    pub fn latest_high(&self) -> Vec<&QueueSignal> {
        let mut high: Vec<&QueueSignal> = self
            .new
            .iter()
            .filter(|row| row.priority == Some(Priority::High))
            .collect();
        let found = |row: &QueueSignal| {
            let at = row
                .signal
                .discovered_at
                .as_ref()
                .or(row.signal.filed_at.as_ref());
            at.and_then(|at| at.date_time())
        };
        // Of those found together, such as on one day, the most expensive first.
        let cost = |row: &QueueSignal| {
            row.signal
                .reported_cost_usd
                .as_ref()
                .and_then(Number::as_f64)
                .unwrap_or(0.0)
        };
        high.sort_by(|one, other| {
            found(other)
                .cmp(&found(one))
                .then(cost(other).total_cmp(&cost(one)))
        });
        high.truncate(MAX_LATEST);
        high
    }

    /// How many signals came, if all of them were read.
    pub fn arrivals(&self, cx: &Context) -> Option<DayCount> {
        let is_whole =
            self.has_new() && self.has_done() && !self.is_new_partial && !self.is_done_partial;
        is_whole.then(|| {
            self.done
                .arrivals_with(&self.new, today(cx), cx.clock.utc_offset())
        })
    }

    /// How many signals were marked done, if all of them were read; what the counts say was marked
    /// since then was marked today.
    pub fn marked_done(&self, cx: &Context) -> Option<DayCount> {
        let read = self.done_read.filter(|_| !self.is_done_partial)?;
        let (_, known) = read.counts;
        let since = cx
            .stats
            .as_ref()
            .map_or(0, |stats| stats.done_count.saturating_sub(known));
        Some(self.done.done.with_more_today(since))
    }
}

/// The user's date on the service's clock.
pub fn today(cx: &Context) -> NaiveDate {
    local_date(cx.clock.service_now(), cx.clock.utc_offset())
}

/// Whether a list is to be read again: the counts or the day changed, and its last read is long
/// enough ago.
fn is_due(read: Option<ListRead>, cx: &Context, counts: (u64, u64)) -> bool {
    read.is_none_or(|read| {
        let minutes = read.pages.div_ceil(PAGES_PER_MINUTE).max(1);
        let is_old =
            cx.clock.now() - read.at >= Duration::minutes(i64::try_from(minutes).unwrap_or(1));
        is_old && (read.counts != counts || read.day != today(cx))
    })
}

impl WatchPane {
    /// The pages in turn: the configured ones, or else the counts and, where a small screen leaves
    /// the team out, its page.
    pub(super) fn pages(&self, cx: &Context) -> Vec<DashboardPage> {
        let shows_rows = self.data.row_price != RowPrice::NotFree;
        let mut pages = match cx.settings.dashboard.pages.as_slice() {
            [] if cx.team.members.len() > 1 && !has_columns(cx) => {
                vec![DashboardPage::Counts, DashboardPage::Team]
            }
            [] => vec![DashboardPage::Counts],
            chosen => chosen.to_vec(),
        };
        let has_no_team = self.data.has_done() && self.data.done.by_member.is_empty();
        pages.retain(|page| match page {
            DashboardPage::Counts => true,
            DashboardPage::Waiting => shows_rows,
            // Nothing was marked done today.
            DashboardPage::Team => shows_rows && !has_no_team,
        });
        if pages.is_empty() {
            vec![DashboardPage::Counts]
        } else {
            pages
        }
    }

    /// The page on the screen.
    pub(super) fn page(&self, cx: &Context) -> DashboardPage {
        let pages = self.pages(cx);
        pages
            .get(self.page_index % pages.len())
            .copied()
            .unwrap_or_default()
    }

    /// How many signals leave the queue soon, if all that are new were read: in the queue's list,
    /// or here.
    pub(super) fn leaving_soon(&self, cx: &Context) -> Option<usize> {
        let is_whole = self.data.has_new() && !self.data.is_new_partial;
        let own = || {
            self.data
                .new
                .iter()
                .filter(|row| row.leaves_soon(cx.clock.service_now()))
                .count()
        };
        visits::leaving_soon(&cx.clock, &cx.queue).or_else(|| is_whole.then(own))
    }

    /// Turns to the next or previous page.
    pub(super) fn turn_page(&mut self, forward: bool, cx: &mut Context) {
        let pages = self.pages(cx).len();
        if pages == 1 {
            let text = match has_columns(cx) && cx.team.members.len() > 1 {
                true => "this is the only page; the team is on it, under DONE TODAY",
                false if self.data.has_done() && self.data.done.by_member.is_empty() => {
                    "this is the only page; nobody has marked a signal done today"
                }
                false => "this is the only page",
            };
            cx.ui.notice = Some(Notice::info(text).with_hint("{watch.pages} chooses pages"));
        }
        self.page_index = (self.page_index % pages + if forward { 1 } else { pages - 1 }) % pages;
    }

    /// Reads the list that is due, one at a time.
    pub(super) fn read_due_rows(&mut self, cx: &mut Context) {
        let Some(stats) = cx
            .stats
            .as_ref()
            .filter(|_| cx.ui.screen() == Screen::Watch)
        else {
            return;
        };
        let counts = (stats.new_count, stats.done_count);
        if cx
            .work
            .requests()
            .is_open(|request| matches!(request, Request::Pane(PaneRequest::Watch(_))))
        {
            return;
        }
        match self.data.row_price {
            RowPrice::Unknown(_) => read_meter(DashboardRequest::MeterBefore, cx),
            RowPrice::NotFree => {}
            RowPrice::Free => {
                if cx.team.members.is_empty()
                    && self
                        .data
                        .members_asked
                        .is_none_or(|at| cx.clock.now() - at >= MEMBERS_RETRY)
                {
                    self.data.members_asked = Some(cx.clock.now());
                    cx.work.read_members();
                }
                if is_due(self.data.new_read, cx, counts) || self.has_unnamed_arrival() {
                    request_rows(
                        TriageStatus::New,
                        0,
                        MAX_QUEUE_PAGE_ROWS,
                        DashboardRequest::New { rows: Vec::new() },
                        cx,
                    );
                } else if is_due(self.data.done_read, cx, counts) {
                    let request = DashboardRequest::Done {
                        offset: 0,
                        tally: Box::default(),
                    };
                    request_rows(TriageStatus::Done, 0, MAX_QUEUE_PAGE_ROWS, request, cx);
                }
            }
        }
    }

    pub fn on_reply(&mut self, request: DashboardRequest, result: CallResult, cx: &mut Context) {
        let is_list = matches!(
            request,
            DashboardRequest::New { .. } | DashboardRequest::Done { .. }
        );
        // The age on the screen shows a failure; the next successful poll retries.
        if self.take_reply(request, result, cx).is_err() {
            self.give_up_naming_arrival(cx);
        } else if is_list {
            self.read_due_rows(cx);
        }
    }

    fn take_reply(
        &mut self,
        request: DashboardRequest,
        result: CallResult,
        cx: &mut Context,
    ) -> CallResult<()> {
        match request {
            DashboardRequest::MeterBefore => match take_meter(result, cx)? {
                Some(used) => request_rows(
                    TriageStatus::New,
                    0,
                    1,
                    DashboardRequest::FirstRow { used },
                    cx,
                ),
                None => self.stop_reading_rows(cx),
            },
            DashboardRequest::FirstRow { used } => {
                payload::<Page<QueueSignal>>(result)?;
                read_meter(DashboardRequest::MeterAfter { used }, cx);
            }
            DashboardRequest::MeterAfter { used } => {
                match (take_meter(result, cx)?, self.data.row_price) {
                    (Some(after), _) if after == used => {
                        self.data.row_price = RowPrice::Free;
                        self.read_due_rows(cx);
                    }
                    (Some(_), RowPrice::Unknown(checks)) if checks + 1 < MAX_PRICE_CHECKS => {
                        self.data.row_price = RowPrice::Unknown(checks + 1);
                    }
                    _ => self.stop_reading_rows(cx),
                }
            }
            DashboardRequest::New { mut rows } => {
                let page = payload::<Page<QueueSignal>>(result)?;
                let is_full = is_full_page(&page);
                rows.extend(page.rows);
                let has_more = page.total.is_some_and(|total| total > rows.len() as u64);
                let pages = rows.len().div_ceil(MAX_QUEUE_PAGE_ROWS as usize);
                if has_more && is_full && pages < MAX_LIST_PAGES {
                    let offset = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                    request_rows(
                        TriageStatus::New,
                        offset,
                        MAX_QUEUE_PAGE_ROWS,
                        DashboardRequest::New { rows },
                        cx,
                    );
                    return Ok(());
                }
                let before = self
                    .data
                    .new_read
                    .map(|_| std::mem::take(&mut self.data.new));
                (self.data.new, self.data.is_new_partial) = (rows, has_more);
                self.data.new_read = Some(list_read(pages, cx));
                let latest: Vec<QueueSignal> =
                    self.data.latest_high().into_iter().cloned().collect();
                cx.describe_listed(Screen::Watch, latest.iter().map(|row| &row.signal));
                self.on_new_rows(before.as_deref(), cx);
            }
            DashboardRequest::Done { offset, mut tally } => {
                let page = payload::<Page<QueueSignal>>(result)?;
                tally.add(&page.rows, today(cx), cx.clock.utc_offset());
                let read = offset + u32::try_from(page.rows.len()).unwrap_or(0);
                let has_more = page.total.is_some_and(|total| total > u64::from(read));
                let pages = (read as usize).div_ceil(MAX_QUEUE_PAGE_ROWS as usize);
                if has_more && is_full_page(&page) && pages < MAX_LIST_PAGES {
                    let request = DashboardRequest::Done {
                        offset: read,
                        tally,
                    };
                    request_rows(TriageStatus::Done, read, MAX_QUEUE_PAGE_ROWS, request, cx);
                    return Ok(());
                }
                (self.data.done, self.data.is_done_partial) = (*tally, has_more);
                self.data.done_read = Some(list_read(pages, cx));
            }
        }
        Ok(())
    }

    /// Shows only counts from now on, and says so once.
    fn stop_reading_rows(&mut self, cx: &mut Context) {
        self.data.row_price = RowPrice::NotFree;
        self.give_up_naming_arrival(cx);
        cx.ui
            .inform("only counts are shown: reading rows may cost credits here");
    }
}

/// Whether another page may follow. After a short one nothing more is read, whatever total was
/// reported.
fn is_full_page(page: &Page<QueueSignal>) -> bool {
    page.rows.len() >= MAX_QUEUE_PAGE_ROWS as usize
}

fn list_read(pages: usize, cx: &Context) -> ListRead {
    let counts = cx
        .stats
        .as_ref()
        .map_or((0, 0), |stats| (stats.new_count, stats.done_count));
    ListRead {
        at: cx.clock.now(),
        day: today(cx),
        counts,
        pages,
    }
}

fn read_meter(request: DashboardRequest, cx: &mut Context) {
    cx.work
        .call_service(Slot::Dashboard, ServiceCall::Credits, request);
}

/// The credits that the workspace used, if the meter reports them.
fn take_meter(result: CallResult, cx: &mut Context) -> CallResult<Option<u64>> {
    let (credits, _) = payload::<(Credits, Option<CreditsSpent>)>(result)?;
    let used = credits.used;
    cx.work.on_meter_reply(Some(credits));
    Ok(used)
}

fn request_rows(
    status: TriageStatus,
    offset: u32,
    limit: u32,
    request: DashboardRequest,
    cx: &mut Context,
) {
    let filter = QueueFilter::with_status(status);
    cx.work.call_service(
        Slot::Dashboard,
        ServiceCall::Queue {
            filter,
            offset,
            limit,
        },
        request,
    );
}
