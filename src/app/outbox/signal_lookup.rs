//! How signals are found in the queue, to see who triaged them and when.

use crate::domain::SignalId;
use crate::domain::queue::{QueueFilter, QueueSignal};

/// Pages of the queue that are searched: a thousand rows.
pub const MAX_PREFLIGHT_PAGES: u32 = 5;

/// The narrowest filter that matches all of these signals, which are now in the list of one status.
pub fn filter_for_signals(
    rows: &[(SignalId, Option<QueueSignal>)],
    filter: QueueFilter,
) -> QueueFilter {
    let kind = |(_, row): &(_, Option<QueueSignal>)| row.as_ref()?.signal.signal_type.clone();
    let kinds = rows
        .iter()
        .map(kind)
        .collect::<Option<_>>()
        .unwrap_or_default();
    // A single signal is searched for by its filing.
    let q = match rows {
        [(_, Some(row))] => row.signal.source_filing_id.clone().unwrap_or_default(),
        _ => String::new(),
    };
    QueueFilter {
        signal_type: kinds,
        q,
        ..filter
    }
}
