//! Skills: portable instruction bundles (interface: Workspace: Skills).

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::SkillId;
use super::lenient::{self, When};
use super::open_enum::open_enum;
use super::sent::Sent;

open_enum! {
    /// Where a Skill comes from.
    Source {
        /// Written in the workspace.
        Custom = "custom",
        /// Comes with the service; it is installed and forked, never changed.
        Official = "official",
    }
}

open_enum! {
    /// Where a Skill stands: draft, then published and unpublished in turn; deleted at any time, for good.
    Lifecycle {
        /// Being written.
        Draft = "draft",
        /// In use.
        Published = "published",
        /// Out of use.
        Unpublished = "unpublished",
        /// Gone; never offered as a filter.
        Deleted = "deleted",
    }
}

open_enum! {
    /// Who sees a Skill.
    Audience {
        /// Its owner.
        Personal = "personal",
        /// Every member.
        Workspace = "workspace",
    }
}

/// A Skill; the interface does not show its fields, so all but the id may be missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// Its id.
    pub id: SkillId,
    /// Its name in paths.
    #[serde(default, deserialize_with = "lenient::option")]
    pub slug: Option<String>,
    /// Its name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "lenient::option")]
    pub description: Option<String>,
    /// Where it comes from.
    #[serde(default, deserialize_with = "lenient::option")]
    pub source: Option<Source>,
    /// Where it stands.
    #[serde(default, deserialize_with = "lenient::option")]
    pub lifecycle: Option<Lifecycle>,
    /// Who sees it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub audience: Option<Audience>,
    /// Whether it is installed.
    #[serde(default, deserialize_with = "lenient::option")]
    pub installed: Option<bool>,
    /// Its newest revision.
    #[serde(default, deserialize_with = "lenient::some_count")]
    pub revision: Option<u64>,
    /// Who made it: a user's id.
    #[serde(default, deserialize_with = "lenient::person")]
    pub created_by: Option<String>,
    /// When it was changed last.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updated_at: Option<When>,
    /// When it was published.
    #[serde(default, deserialize_with = "lenient::option")]
    pub published_at: Option<When>,
    /// The files of the newest revision; a list does not tell them.
    #[serde(default, deserialize_with = "lenient::list")]
    pub files: Vec<FileInfo>,
}

/// A file of a Skill, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Its path within the bundle.
    pub path: String,
    /// Bytes.
    #[serde(default, deserialize_with = "lenient::some_count")]
    pub size: Option<u64>,
}

/// A file of a Skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct File {
    /// Its path within the bundle; empty where the service does not repeat it.
    pub path: String,
    /// Its text.
    pub content: String,
}

impl TryFrom<Value> for File {
    type Error = serde_json::Error;

    /// The text itself, or an object that holds it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        if let Value::String(content) = sent {
            return Ok(File { path: String::new(), content });
        }
        let sent: Sent = serde_json::from_value(sent)?;
        let content = sent.read(&["content", "text", "body", "contents"]);
        let content = content.ok_or_else(|| serde::de::Error::missing_field("content"))?;
        Ok(File { path: sent.read(&["path", "name"]).unwrap_or_default(), content })
    }
}

/// A state that a Skill's files once had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number.
    pub revision: u64,
    /// When it was made.
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<When>,
    /// By whom: a user's id.
    #[serde(default, deserialize_with = "lenient::person")]
    pub created_by: Option<String>,
}

impl Skill {
    /// Its slug, else its name, else its id.
    pub fn title(&self) -> String {
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        said(&self.slug).or_else(|| said(&self.name)).unwrap_or_else(|| self.id.to_string())
    }

    /// Whether it comes with the service.
    pub fn is_official(&self) -> bool {
        self.source == Some(Source::Official)
    }
}

/// A change that was decided on. Its key is made once, with the decision: sent again, it is done once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What is done.
    pub change: Change,
    /// The key.
    pub key: Uuid,
    /// The Skill; none for a new one.
    pub skill: Option<SkillId>,
    /// What is sent.
    pub body: Value,
}

/// What changes a Skill, in the word of its route; each has a `/batch` sibling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Makes a draft.
    Create,
    /// Changes the draft.
    Update,
    /// Shows it to its audience.
    Publish,
    /// Hides it again.
    Unpublish,
    /// Takes it away.
    Delete,
    /// Gives it to another member.
    Transfer,
    /// Gives it another audience.
    Move,
    /// Makes a copy.
    Fork,
    /// Installs an official one.
    Install,
    /// Uninstalls an official one.
    Uninstall,
}

impl Change {
    /// The last segment of its route.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Create => "create",
            Change::Update => "update",
            Change::Publish => "publish",
            Change::Unpublish => "unpublish",
            Change::Delete => "delete",
            Change::Transfer => "transfer",
            Change::Move => "move",
            Change::Fork => "fork",
            Change::Install => "install",
            Change::Uninstall => "uninstall",
        }
    }
}

/// What a list is narrowed by (interface: Skill filter fields). Empty does not narrow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkillFilter {
    /// Text over name, slug and description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub q: String,
    /// `custom`, `official`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<String>,
    /// `draft`, `published`, `unpublished`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lifecycle: Vec<String>,
    /// `personal`, `workspace`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<String>,
    /// `installed`, `not_installed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<String>,
    /// A day; changed then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<NaiveDate>,
    /// A day; changed then or earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_before: Option<NaiveDate>,
}
