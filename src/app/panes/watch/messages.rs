//! What the pane asks the service and the user, and what it is asked to do.

use crate::app::panes::watch::day_counts::DoneTally;
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
