//! Identifiers: UUIDs that cannot be taken for one another.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.trim().parse().map($name)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                $name(id)
            }
        }
    )+};
}

ids! {
    /// An account of the global index.
    AccountId,
    /// A contact of the global index.
    ContactId,
    /// A project of the global index.
    ProjectId,
    /// A signal of the global index.
    SignalId,
    /// A Skill of a workspace.
    SkillId,
    /// A saved View of a workspace.
    ViewId,
    /// A user, and so a member (`{userId}` in paths).
    UserId,
    /// A workspace.
    WorkspaceId,
    /// An invitation to a workspace.
    InvitationId,
    /// A subscription in the workspace-prefixed family.
    SubscriptionId,
}
