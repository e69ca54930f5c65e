//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::UserId;
use crate::domain::queue::Priority;

/// Why the subscriptions are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionsRequest {
    List,
    /// Before staged changes are applied.
    Check,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubscriptionsAction {
    /// Stage who gets mail about the signal type under the cursor, and turn it on if asked to.
    SetRecipients {
        ids: Vec<UserId>,
        turns_mail_on: bool,
    },
    /// Stage that all members get the mail about it.
    ChooseAllMembers { turns_mail_on: bool },
    /// Ask for the priority of these signal types.
    ChoosePriority(Vec<String>),
    /// Stage a priority for these signal types.
    StagePriority(Vec<String>, Priority),
    /// Discard all staged changes.
    DiscardStaged,
}
