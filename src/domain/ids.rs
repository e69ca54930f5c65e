//! Identifiers: UUIDs with distinct types, so that they cannot be confused.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// A Skill of the local service.
    LocalSkillId,
    /// A saved View of a workspace.
    ViewId,
    /// A user, and therefore a member (`{userId}` in paths).
    UserId,
    WorkspaceId,
    /// An invitation to a workspace.
    InvitationId,
    /// A subscription in the workspace-prefixed family.
    SubscriptionId,
}

/// A Skill of a workspace. The interface does not guarantee that it is a UUID.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillId(Arc<str>);

impl SkillId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for SkillId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl From<Uuid> for SkillId {
    fn from(id: Uuid) -> Self {
        SkillId(id.to_string().into())
    }
}

impl std::fmt::Display for SkillId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

impl std::str::FromStr for SkillId {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let is_id = !text.is_empty()
            && text.len() <= 500
            && !text.contains(|c: char| c.is_whitespace() || c.is_control());
        // UUIDs are case-insensitive.
        let uuid = Uuid::try_parse(text).ok().map(|uuid| uuid.to_string());
        is_id
            .then(|| SkillId(uuid.as_deref().unwrap_or(text).into()))
            .ok_or("not a Skill id")
    }
}

impl<'de> Deserialize<'de> for SkillId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_word_is_a_skill_id_and_round_trips() {
        for word in ["call-script", "skl_01H8", "7", "a/b:c.d@e", "Überblick"] {
            let id: SkillId = word.parse().unwrap();
            assert_eq!(
                (id.to_string(), serde_json::to_value(&id).unwrap()),
                (word.to_owned(), word.into())
            );
            assert_eq!(serde_json::from_value::<SkillId>(word.into()).unwrap(), id);
        }
        let uuid = "018F4D3A-0000-7000-8000-000000000001";
        assert_eq!(
            uuid.parse::<SkillId>().unwrap().as_str(),
            uuid.to_lowercase()
        );
        for odd in ["", " ", "two words", "a\nb", &"x".repeat(501)] {
            assert!(odd.parse::<SkillId>().is_err(), "{odd:?}");
        }
    }
}
