//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::UserId;

/// What the team's prompts ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamPrompt {
    InviteAddress,
    /// The name of whoever is removed.
    ConfirmRemoval,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamRequest {
    Members,
    Invitations,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamAction {
    /// Go to a member.
    Show(UserId),
}
