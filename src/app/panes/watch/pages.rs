//! The wall's further pages: what waits at the top of the queue, and who marked how many signals done today.
//!
//! They read rows of the queue, which costs no credit, and are there only where the configuration names them: rows hold names
//! and money, and whoever walks by reads them. A page stands for a minute; the rows are read when the counts have moved, and no
//! more often than once a minute, the longer list of what is done once in five. Nothing is written, and no other route is asked.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use crate::app::App;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::domain::failure::RequestError;
use crate::domain::pages::Page as Rows;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};

/// Signals that the page of what waits reads.
const WAITING: u32 = 50;
/// Pages of done signals that are read for the team's day, and no more.
const DONE_PAGES: u32 = 10;

/// A page of the wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// The counts, from the polls alone.
    #[default]
    Counts,
    /// What waits at the top of the queue.
    Waiting,
    /// Who marked how many signals done today.
    Team,
}

/// What the configuration lets the wall show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wall {
    /// Its pages, in turn; the counts alone when there is none.
    pub pages: Vec<Page>,
    /// Names and money are hidden from the start.
    pub hides_names: bool,
}

/// What the pages have read.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// The top of the queue.
    pub waiting: Vec<QueueSignal>,
    /// Signals marked done today, by the id of who did it.
    pub team: BTreeMap<String, u64>,
    /// More was done today than was read.
    pub is_partial: bool,
    /// When each was read, and the counts that it is true to.
    waiting_at: Option<(DateTime<Utc>, (u64, u64))>,
    team_at: Option<(DateTime<Utc>, (u64, u64))>,
    ask: Option<Ask>,
}

#[derive(Clone, Debug)]
struct Ask {
    token: Token,
    offset: u32,
    day: Option<BTreeMap<String, u64>>,
}

impl Read {
    /// When the rows of a page were read.
    pub fn read_at(&self, page: Page) -> Option<DateTime<Utc>> {
        match page {
            Page::Counts => None,
            Page::Waiting => self.waiting_at,
            Page::Team => self.team_at,
        }
        .map(|(at, _)| at)
    }

    fn is_due(&self, page: Page, counts: (u64, u64), now: DateTime<Utc>) -> bool {
        let (read, every) = match page {
            Page::Counts => return false,
            Page::Waiting => (self.waiting_at, Duration::minutes(1)),
            Page::Team => (self.team_at, Duration::minutes(5)),
        };
        read.is_none_or(|(at, known)| known != counts && now - at >= every)
    }
}

impl App {
    /// The page of the wall that stands on the screen.
    pub fn wall_page(&self) -> Page {
        let pages = &self.settings.dashboard.pages;
        pages.get(self.dashboard.page % pages.len().max(1)).copied().unwrap_or_default()
    }

    /// Turns to the wall's next page, or the one before.
    pub fn turn_wall(&mut self, forward: bool) {
        let pages = self.settings.dashboard.pages.len().max(1);
        self.dashboard.page = (self.dashboard.page + if forward { 1 } else { pages - 1 }) % pages;
    }

    /// Reads the rows of a page whose time has come, one page at a time.
    pub(in crate::app) fn read_wall(&mut self) {
        let Some(stats) = self.stats.as_ref().filter(|_| self.screen == crate::app::Screen::Watch) else { return };
        let counts = (stats.new_count, stats.done_count);
        if self.dashboard.read.ask.is_some() {
            return;
        }
        let due = self.settings.dashboard.pages.iter().copied().find(|page| self.dashboard.read.is_due(*page, counts, self.now));
        match due {
            Some(Page::Waiting) => self.ask_wall(0, None),
            Some(Page::Team) => {
                if self.members.is_empty() {
                    self.call_service(Slot::Members, ServiceCall::Members);
                }
                self.ask_wall(0, Some(BTreeMap::new()));
            }
            Some(Page::Counts) | None => {}
        }
    }

    fn ask_wall(&mut self, offset: u32, day: Option<BTreeMap<String, u64>>) {
        let (status, limit) =
            if day.is_some() { (TriageStatus::Done, MAX_QUEUE_PAGE_ROWS) } else { (TriageStatus::New, WAITING) };
        let filter = QueueFilter { status: [status].into(), ..QueueFilter::default() };
        let token = self.call_service(Slot::Wall, ServiceCall::Queue { filter, offset, limit });
        self.dashboard.read.ask = Some(Ask { token, offset, day });
    }

    /// Takes rows for the wall; false when the reply belongs to no read of it.
    pub(in crate::app) fn wall_replied(&mut self, token: Token, result: &Result<Rows<QueueSignal>, RequestError>) -> bool {
        let Some(Ask { offset, day, .. }) = self.dashboard.read.ask.take_if(|ask| ask.token == token) else { return false };
        let counts = self.stats.as_ref().map_or((0, 0), |stats| (stats.new_count, stats.done_count));
        let read = Some((self.now, counts));
        match (result, day) {
            // The age of what stands there tells it, and the next poll that is answered asks again.
            (Err(_), _) => return true,
            (Ok(page), None) => {
                self.dashboard.read.waiting.clone_from(&page.rows);
                self.dashboard.read.waiting_at = read;
            }
            (Ok(page), Some(mut day)) => {
                let today = self.service_now().with_timezone(&self.settings.utc_offset).date_naive();
                let is_today = |row: &&QueueSignal| {
                    let at = row.triaged_at.as_ref().and_then(|when| when.date_time());
                    at.is_some_and(|at| at.with_timezone(&self.settings.utc_offset).date_naive() == today)
                };
                for row in page.rows.iter().filter(is_today) {
                    *day.entry(row.triaged_by.clone().unwrap_or_default()).or_default() += 1;
                }
                let next = offset + MAX_QUEUE_PAGE_ROWS;
                let has_more = page.total.is_some_and(|total| total > u64::from(next)) && !page.rows.is_empty();
                if has_more && next < DONE_PAGES * MAX_QUEUE_PAGE_ROWS {
                    self.ask_wall(next, Some(day));
                    return true;
                }
                self.dashboard.read.team = day;
                self.dashboard.read.is_partial = has_more;
                self.dashboard.read.team_at = read;
            }
        }
        self.read_wall();
        true
    }
}
