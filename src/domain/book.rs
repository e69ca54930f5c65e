//! The book: a workspace's annotations on the records it has saved (interface: Workspace: upserts
//! and deletes).

use serde::{Deserialize, Serialize};

use super::open_enum::open_enum;
use super::patch::Patch;

open_enum! {
    /// The kinds of records in a book and in Views, as in their routes.
    RecordKind {
        Accounts = "accounts",
        Contacts = "contacts",
        Projects = "projects",
    }
}

impl RecordKind {
    /// The singular used by Views and upserts: `account`.
    pub fn singular_name(&self) -> &str {
        self.as_str().strip_suffix('s').unwrap_or(self.as_str())
    }
}

open_enum! {
    /// The datasets of the global index, as in their routes.
    Dataset {
        Accounts = "accounts",
        Contacts = "contacts",
        Projects = "projects",
        Signals = "signals",
    }
}

impl Dataset {
    /// Everything that one get can include (interface: include table).
    pub fn available_includes(&self) -> &'static [&'static str] {
        match self {
            Dataset::Accounts => &["projects", "contacts", "signals"],
            Dataset::Contacts => &["account", "projects"],
            Dataset::Projects => &["accounts", "contacts", "signals"],
            Dataset::Signals => &["project", "accounts"],
            Dataset::Other(_) => &[],
        }
    }
}

impl From<&RecordKind> for Dataset {
    fn from(kind: &RecordKind) -> Self {
        kind.as_str().into()
    }
}

open_enum! {
    /// How well an account fits the workspace (`icp_tier`).
    IcpTier {
        /// Best.
        One = "tier_1",
        /// Good.
        Two = "tier_2",
        /// Fair.
        Three = "tier_3",
        /// Not at all.
        Disqualified = "disqualified",
    }
}

/// A change of a record's annotation. Fields that are kept are not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotation {
    /// The free-form workflow state.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub workspace_status: Patch<String>,
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub notes: Patch<String>,
    /// The complete set of tags; an empty one clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Accounts only.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub icp_tier: Patch<IcpTier>,
}

impl Annotation {
    pub fn is_empty(&self) -> bool {
        *self == Annotation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keep_is_omitted_clear_is_null_and_set_is_sent() {
        for (annotation, expected) in [
            (Annotation::default(), json!({})),
            (
                Annotation {
                    notes: Patch::Clear,
                    ..Annotation::default()
                },
                json!({"notes": null}),
            ),
            (
                Annotation {
                    workspace_status: Patch::Set("called".to_owned()),
                    tags: Some(Vec::new()),
                    icp_tier: Patch::Set(IcpTier::One),
                    ..Annotation::default()
                },
                json!({"workspace_status": "called", "tags": [], "icp_tier": "tier_1"}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&annotation).unwrap(), expected);
            assert_eq!(
                serde_json::from_value::<Annotation>(expected).unwrap(),
                annotation,
                "as read back from the journal"
            );
        }
        assert!(Annotation::default().is_empty());
    }
}
