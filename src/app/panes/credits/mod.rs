//! Credits: the meter's rolling window with a forecast, this machine's ledger, drift, and budgets.
//!
//! Everything shown is free: the meter is a meta read and the ledger is local. The ledger only
//! contains requests from this machine; what the meter has beyond it was spent by colleagues, by
//! this user elsewhere, or by requests of unknown price.

mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;
mod window;

#[cfg(test)]
pub(in crate::app) mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::command::Scope;
use crate::app::command::keymap::Keymap;
use crate::app::context::outbox::undo;
use crate::app::context::{budget_guard, session};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::focused_list::FocusedList;
use crate::app::format::format_count;
use crate::app::layout::FrameLayout;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, step_around};
use crate::app::panes::credits::messages::CreditsRequest;
use crate::app::panes::records::commands::READ_LIST_REASON;
use crate::app::requests::SharedData;
use crate::app::{Context, Screen, focused_list};
use crate::domain::budgets::{BudgetKind, Budgets};
use crate::domain::credits::{LedgerEntry, LedgerReport, UsageSum};

/// How the ledger's entries are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LedgerGrouping {
    /// Console commands and CLI verbs.
    #[default]
    Reason,
    /// Days in the user's time zone.
    Day,
    /// Screens of the console; the CLI counts as one.
    Screen,
    /// Ungrouped: one line per request.
    Request,
}

impl LedgerGrouping {
    /// In the order of their tabs.
    pub const ALL: [LedgerGrouping; 4] = [
        LedgerGrouping::Reason,
        LedgerGrouping::Day,
        LedgerGrouping::Screen,
        LedgerGrouping::Request,
    ];

    pub fn title(self) -> &'static str {
        match self {
            LedgerGrouping::Reason => "What for",
            LedgerGrouping::Day => "Days",
            LedgerGrouping::Screen => "Screens",
            LedgerGrouping::Request => "Requests",
        }
    }
}

/// A group of ledger entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerGroup {
    pub name: String,
    pub requests: u64,
    /// The sum of the known prices.
    pub credits: u64,
    /// Requests with an unknown price.
    pub unpriced: u64,
}

#[derive(Clone, Debug, Default)]
pub struct CreditsPane {
    statement: Option<LedgerReport>,
    load: LoadState,
    read_at: Option<DateTime<Utc>>,
    /// The current tab.
    grouping: LedgerGrouping,
    /// The tab's lines, unless it lists requests.
    groups: Vec<LedgerGroup>,
    /// The latest requests.
    entries: Vec<LedgerEntry>,
    /// Also what cost nothing is listed.
    shows_free: bool,
    lines: ListLines,
}

impl CreditsPane {
    /// The requests, on their tab.
    fn entries(&self) -> &[LedgerEntry] {
        match self.grouping {
            LedgerGrouping::Request => &self.entries,
            _ => &[],
        }
    }

    /// How many requests cost nothing and are not listed.
    fn hidden_count(&self) -> u64 {
        let usage = self.statement.iter().flat_map(|statement| &statement.usage);
        let free = usage.filter(|sum| !self.shows_free && is_free(sum));
        free.map(|sum| sum.requests).sum()
    }

    fn toggle_free(&mut self, cx: &Context) {
        self.shows_free = !self.shows_free;
        self.set_grouping(self.grouping, cx);
    }

    fn current_entry(&self) -> Option<&LedgerEntry> {
        self.entries().get(self.lines.current_row())
    }

    fn set_grouping(&mut self, by: LedgerGrouping, cx: &Context) {
        self.grouping = by;
        self.lines = ListLines::default();
        (self.groups, self.entries) = (Vec::new(), Vec::new());
        if let Some(statement) = &self.statement {
            let sums = statement.usage.iter();
            let listed = sums.filter(|sum| self.shows_free || !is_free(sum));
            self.groups = group_entries(listed, by, cx);
            let entries = statement.latest_entries.iter();
            let listed = entries.filter(|entry| self.shows_free || entry.credits != Some(0));
            self.entries = listed.cloned().collect();
        }
        self.arrange(cx);
    }
}

/// Whether its requests are known to have cost nothing.
fn is_free(sum: &UsageSum) -> bool {
    sum.credits == 0 && sum.unknown == 0
}

/// Groups entries: days newest first, everything else by credits, largest first.
fn group_entries<'s>(
    tallies: impl Iterator<Item = &'s UsageSum>,
    by: LedgerGrouping,
    cx: &Context,
) -> Vec<LedgerGroup> {
    let mut sums: BTreeMap<String, LedgerGroup> = BTreeMap::new();
    for tally in tallies {
        let name = match by {
            LedgerGrouping::Day => cx
                .clock
                .to_display_time(tally.at)
                .format("%Y-%m-%d")
                .to_string(),
            LedgerGrouping::Screen => {
                screen_of_entry(&tally.reason, &tally.route, &cx.keymap).to_owned()
            }
            LedgerGrouping::Reason | LedgerGrouping::Request => {
                describe_reason(&tally.reason, &cx.keymap)
            }
        };
        let sum = sums.entry(name.clone()).or_insert(LedgerGroup {
            name,
            ..LedgerGroup::default()
        });
        sum.requests += tally.requests;
        sum.credits = sum.credits.saturating_add(tally.credits);
        sum.unpriced += tally.unknown;
    }
    let mut sums: Vec<LedgerGroup> = sums.into_values().rev().collect();
    if by != LedgerGrouping::Day {
        sums.sort_by(|a, b| {
            (b.credits, b.unpriced, b.requests, &a.name)
                .cmp(&(a.credits, a.unpriced, a.requests, &b.name))
        });
    }
    sums
}

/// Why something was spent: what the command does, in its first words.
fn describe_reason(reason: &str, keymap: &Keymap) -> String {
    let command = keymap.commands().find(|command| command.id == reason);
    match (command, reason) {
        (Some(command), _) => {
            let end = command.description.find([',', ';', ':']);
            command.description[..end.unwrap_or(command.description.len())].to_owned()
        }
        (None, "start") => "start the console".to_owned(),
        (None, "console") => "keep the screen up to date".to_owned(),
        (None, "poll") => "read the counts".to_owned(),
        (None, READ_LIST_REASON) => "read a list".to_owned(),
        (None, verb) => format!("gantry {verb}"),
    }
}

/// The screen an entry came from: its command's, or its route's if several screens share the
/// command.
fn screen_of_entry(reason: &str, route: &str, keymap: &Keymap) -> &'static str {
    let of_route = || match route.split_once(' ').map_or(route, |(_, path)| path) {
        path if path.starts_with("/workspace/views") => Screen::Views.title(),
        path if path.starts_with("/workspace") => Screen::Book.title(),
        path if path.starts_with("/signals") => Screen::Queue.title(),
        // A record is opened from any list.
        path if path.starts_with("/data/")
            && !path.starts_with("/data/fields")
            && !path.ends_with("/search") =>
        {
            "Opened records"
        }
        _ => Screen::Explore.title(),
    };
    let opened = |screen: &&Screen| {
        reason
            .strip_prefix("go.")
            .is_some_and(|name| screen.title().eq_ignore_ascii_case(name))
    };
    if let Some(screen) = Screen::ALL.iter().find(opened) {
        return screen.title();
    }
    match keymap
        .commands()
        .find(|command| command.id == reason)
        .map(|command| command.scope)
    {
        Some(
            Scope::Records
            | Scope::Record
            | Scope::ListFilter
            | Scope::Annotate
            | Scope::AnnotationForm
            | Scope::List
            | Scope::Global,
        ) => of_route(),
        Some(Scope::ViewRecords) => Screen::Views.title(),
        Some(Scope::Builder | Scope::Search | Scope::Results) => Screen::Explore.title(),
        Some(scope) => scope.title(),
        None if ["console", "start", "poll", READ_LIST_REASON].contains(&reason) => of_route(),
        None => "Command line",
    }
}

impl CreditsPane {
    /// Loads the ledger together with the meter; both are free.
    fn read(&mut self, cx: &mut Context) {
        if self.load != LoadState::Ready {
            self.load = LoadState::Loading;
        }
        cx.work
            .call_service(Slot::Ledger, ServiceCall::Ledger, CreditsRequest::Ledger);
    }

    pub fn on_reply(&mut self, request: CreditsRequest, result: CallResult, cx: &mut Context) {
        match request {
            CreditsRequest::Ledger => self.on_ledger_reply(payload(result), cx),
            CreditsRequest::SaveBudgets => match payload(result) {
                Ok(budgets) => on_budgets_saved(budgets, cx),
                Err(failure) => cx.ui.show_failure(
                    "could not save the budget; the old one still applies",
                    &failure,
                    "",
                ),
            },
        }
    }

    fn on_ledger_reply(&mut self, result: CallResult<Box<LedgerReport>>, cx: &mut Context) {
        match result {
            Ok(statement) => {
                cx.work
                    .on_meter_reply(statement.meter.as_ref().ok().cloned());
                budget_guard::update_spent(statement.spent, &mut cx.work);
                self.statement = Some(*statement);
                self.load = LoadState::Ready;
                self.read_at = Some(cx.clock.now());
                let scroll = self.lines.scroll;
                self.set_grouping(self.grouping, cx);
                self.lines.scroll = scroll;
                self.lines.move_to_row(None);
            }
            Err(failure) if self.statement.is_none() => {
                self.load = LoadState::Failed(failure.message)
            }
            Err(failure) => cx.ui.show_failure(
                "could not load the ledger",
                &failure,
                "{credits.refresh} retries",
            ),
        }
    }
}

/// The budgets were saved and now apply.
fn on_budgets_saved(budgets: Budgets, cx: &mut Context) {
    if !cx.work.is_newest(SharedData::Budgets) {
        return;
    }
    session::set_budgets(budgets, &mut cx.settings);
    let limits: Vec<String> = BudgetKind::ALL
        .iter()
        .filter_map(|kind| {
            let limit = format_count(budgets.limit(*kind)?);
            Some(format!("{} {limit}", kind.label()))
        })
        .collect();
    let words = if limits.is_empty() {
        "no budgets".to_owned()
    } else {
        limits.join(", ")
    };
    let text = format!("saved: {words}");
    undo::note_final_act(text.clone(), &mut cx.outbox);
    cx.ui.notice = Some(Notice::success(text));
}

impl CreditsPane {
    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        if let Some(grouping) = LedgerGrouping::ALL.get(index) {
            self.set_grouping(*grouping, cx);
        }
    }

    fn arrange(&mut self, cx: &Context) {
        let mut lines = std::mem::take(&mut self.lines);
        focused_list::arrange_list(&*columns::current_list(self, cx), &mut lines, &cx.settings);
        self.lines = lines;
    }
}

impl Pane for CreditsPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Credits.into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Opened => self.read(cx),
            PaneEvent::TabSwitched { forward } => {
                let at = self.grouping as usize;
                self.show_tab(step_around(at, LedgerGrouping::ALL.len(), forward), cx);
            }
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::Back => cx.ui.notice = None,
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, _cx: &mut Context) {
        self.lines.move_cursor(rows);
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.lines.click(row.line).then_some("credits.show")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(columns::current_list(self, cx))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(&mut self.lines)
    }
}
