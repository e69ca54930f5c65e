//! Skills: portable instruction bundles (interface: Workspace: Skills).

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::SkillId;
use super::lenient::{self, When};
use super::open_enum::open_enum;
use super::sent::{Sent, alike};

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
#[serde(try_from = "Sent")]
pub struct Skill {
    /// Its id.
    pub id: SkillId,
    /// Its name in paths.
    pub slug: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Where it comes from.
    pub source: Option<Source>,
    /// Where it stands.
    pub lifecycle: Option<Lifecycle>,
    /// Who sees it.
    pub audience: Option<Audience>,
    /// Whether it is installed.
    pub installed: Option<bool>,
    /// Its newest revision.
    pub revision: Option<u64>,
    /// Who made it: a user's id.
    pub created_by: Option<String>,
    /// When it was changed last.
    pub updated_at: Option<When>,
    /// When it was published.
    pub published_at: Option<When>,
    /// The files of the newest revision; a list does not tell them.
    pub files: Vec<FileInfo>,
}

/// Names that services give to the fields of a Skill.
pub mod names {
    /// Its id.
    pub const ID: &[&str] = &["id", "skill_id", "uuid"];
    /// Its name in paths.
    pub const SLUG: &[&str] = &["slug", "handle", "key"];
    /// Its name.
    pub const NAME: &[&str] = &["name", "title", "label", "display_name"];
    /// What it is for.
    pub const DESCRIPTION: &[&str] = &["description", "summary"];
    /// Where it comes from.
    pub const SOURCE: &[&str] = &["source", "origin"];
    /// Where it stands.
    pub const LIFECYCLE: &[&str] = &["lifecycle", "lifecycle_status", "status", "state"];
    /// Who sees it.
    pub const AUDIENCE: &[&str] = &["audience", "visibility", "scope"];
    /// Whether it is installed.
    pub const INSTALLED: &[&str] = &["installed", "is_installed"];
    /// Its newest revision, or the number of one.
    pub const REVISION: &[&str] = &["revision", "revision_number", "number", "version", "latest_revision", "current_revision"];
}

impl TryFrom<Sent> for Skill {
    type Error = &'static str;

    fn try_from(sent: Sent) -> Result<Self, Self::Error> {
        let installed = |word: String| match () {
            () if alike(&word, "installed") || alike(&word, "true") => Some(true),
            () if alike(&word, "not_installed") || alike(&word, "false") => Some(false),
            () => None,
        };
        Ok(Skill {
            id: sent.read(names::ID).ok_or("a Skill without an id")?,
            slug: sent.text(names::SLUG),
            name: sent.text(names::NAME),
            description: sent.text(names::DESCRIPTION),
            source: sent.text(names::SOURCE).map(|word| Source::loosely(&word)),
            lifecycle: sent.text(names::LIFECYCLE).map(|word| Lifecycle::loosely(&word)),
            audience: sent.text(names::AUDIENCE).map(|word| Audience::loosely(&word)),
            installed: sent.text(names::INSTALLED).and_then(installed),
            revision: sent.count(names::REVISION),
            created_by: sent.person(&["created_by", "author", "owner", "owner_id"]),
            updated_at: sent.read(&["updated_at", "modified_at"]),
            published_at: sent.read(&["published_at"]),
            files: sent.read(&["files"]).map(|Files(files)| files).unwrap_or_default(),
        })
    }
}

#[derive(Deserialize)]
struct Files(#[serde(deserialize_with = "lenient::list")] Vec<FileInfo>);

/// A file of a Skill, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct FileInfo {
    /// Its path within the bundle.
    pub path: String,
    /// Bytes.
    pub size: Option<u64>,
}

impl TryFrom<Value> for FileInfo {
    type Error = serde_json::Error;

    /// The path itself, or an object that holds it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        if let Value::String(path) = sent {
            return Ok(FileInfo { path, size: None });
        }
        let sent: Sent = serde_json::from_value(sent)?;
        let path = sent.text(&["path", "name", "file"]).ok_or_else(|| serde::de::Error::missing_field("path"))?;
        Ok(FileInfo { path, size: sent.count(&["size", "bytes", "length"]) })
    }
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
#[serde(try_from = "Value")]
pub struct Revision {
    /// Its number.
    pub revision: u64,
    /// When it was made.
    pub created_at: Option<When>,
    /// By whom: a user's id.
    pub created_by: Option<String>,
}

impl TryFrom<Value> for Revision {
    type Error = serde_json::Error;

    /// The number itself, or an object that holds it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        let missing = || serde::de::Error::missing_field("revision");
        if let Some(revision) = lenient::whole(&sent) {
            return Ok(Revision { revision, created_at: None, created_by: None });
        }
        let sent: Sent = serde_json::from_value(sent)?;
        Ok(Revision {
            revision: sent.count(names::REVISION).ok_or_else(missing)?,
            created_at: sent.read(&["created_at", "updated_at", "published_at"]),
            created_by: sent.person(&["created_by", "author"]),
        })
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_skill_is_read_under_other_names_and_without_a_uuid() {
        let skill: Skill = serde_json::from_value(json!({
            "skillId": "call-script", "title": "Call script", "Status": "Published", "visibility": "WORKSPACE", "installed": "not_installed",
            "version": "1,002", "author": {"id": "u1"}, "files": ["SKILL.md", {"name": "a.md", "bytes": 12}, 7],
        }))
        .unwrap();
        assert_eq!((skill.id.as_str(), skill.title().as_str()), ("call-script", "Call script"));
        assert_eq!((skill.lifecycle, skill.audience), (Some(Lifecycle::Published), Some(Audience::Workspace)));
        assert_eq!((skill.installed, skill.revision, skill.created_by.as_deref()), (Some(false), Some(1_002), Some("u1")));
        assert_eq!(
            skill.files.iter().map(|file| (file.path.as_str(), file.size)).collect::<Vec<_>>(),
            [("SKILL.md", None), ("a.md", Some(12))]
        );
    }

    #[test]
    fn a_revision_is_a_number_or_holds_one() {
        let read = |json: Value| serde_json::from_value::<Revision>(json).map(|revision| revision.revision).ok();
        assert_eq!([json!(3), json!({"revision": 3}), json!({"version": "3"})].map(read), [Some(3); 3]);
        assert_eq!((read(json!({"revision": -1})), read(json!("soon"))), (None, None));
    }
}
