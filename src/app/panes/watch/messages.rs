//! What the pane asks the service and the user, and what it is asked to do.

use crate::app::panes::watch::day_counts::DoneTally;
use crate::app::session::DashboardPage;
use crate::domain::queue::QueueSignal;

/// Data for the dashboard beyond the counts.
#[derive(Clone, Debug)]
pub enum DashboardRequest {
    /// The meter before the first row of a session is read.
    MeterBefore,
    /// The first row, with the meter before it.
    FirstRow { used: u64 },
    /// The meter after it, with the one before.
    MeterAfter { used: u64 },
    /// A page of the New list, with the rows before it.
    New { rows: Vec<QueueSignal> },
    /// A page of the Done list, with the number of rows before it and what they show.
    Done { offset: u32, tally: Box<DoneTally> },
}

/// What a choice of this pane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardAction {
    /// Show a page, or no longer.
    TogglePage(DashboardPage),
}

/// What this pane's prompts ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardPrompt {
    /// The line for the room.
    Message,
}
