//! What the queue asks the user, and what it is asked to do.

use crate::domain::SignalId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePrompt {
    /// The number of a row to go to.
    Row,
    /// Conditions on the loaded rows.
    Conditions,
    /// The name of a tab to save.
    TabName,
}

#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {
    /// Load all rows of the current list.
    LoadAll,
    /// Give the saved tab of this name the filter that is shown.
    ReplaceTab(String),
    /// Load all rows of the current list, and mark them.
    LoadAndMarkAll,
    /// Show the new signals that leave the queue within this many days, soonest first.
    ShowAging(i64),
    /// Show the new signals on accounts and projects of the user.
    ShowMine,
    /// Snooze the selected signals until this time.
    Snooze(String),
    /// Do what the rules proposed for these signals.
    ApplyRules(Vec<SignalId>),
}
