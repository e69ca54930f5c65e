//! Skills: portable instruction bundles (interface: Workspace: Skills).

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::SkillId;
use super::aliased_fields::{AliasedFields, names_match};
use super::base64;
use super::lenient::{self, DateOrDateTime};
use super::open_enum::open_enum;
use super::person::Person;

open_enum! {
    /// The origin of a Skill.
    SkillSource {
        /// Written in the workspace.
        Custom = "custom",
        /// Comes with the service; can be installed and forked, but not changed.
        Official = "official",
    }
}

open_enum! {
    /// The lifecycle of a Skill: draft, then published and unpublished in turn; deleted at any
    /// time, permanently.
    SkillLifecycle {
        Draft = "draft",
        Published = "published",
        Unpublished = "unpublished",
        /// Never offered as a filter.
        Deleted = "deleted",
    }
}

open_enum! {
    /// Who can see a Skill.
    SkillAudience {
        /// Its owner.
        Personal = "personal",
        /// Every member.
        Workspace = "workspace",
    }
}

/// A Skill; the interface does not show its fields, so everything but the id may be missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AliasedFields")]
pub struct Skill {
    pub id: SkillId,
    /// Its name in paths.
    pub slug: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub source: Option<SkillSource>,
    pub lifecycle: Option<SkillLifecycle>,
    pub audience: Option<SkillAudience>,
    pub installed: Option<bool>,
    /// The number of the newest revision.
    pub revision: Option<u64>,
    pub created_by: Option<Person>,
    pub updated_at: Option<DateOrDateTime>,
    pub published_at: Option<DateOrDateTime>,
    /// The files of the newest revision; empty in lists.
    pub files: Vec<SkillFileInfo>,
}

/// Field names that services use for Skills.
pub mod names {
    pub const ID: &[&str] = &["id", "skill_id", "uuid"];
    pub const SLUG: &[&str] = &["slug", "handle", "key"];
    pub const NAME: &[&str] = &["name", "title", "label", "display_name"];
    pub const DESCRIPTION: &[&str] = &["description", "summary"];
    pub const SOURCE: &[&str] = &["source", "origin"];
    pub const LIFECYCLE: &[&str] = &["lifecycle", "lifecycle_status", "status", "state"];
    pub const AUDIENCE: &[&str] = &["audience", "visibility", "scope"];
    pub const INSTALLED: &[&str] = &["installed", "is_installed"];
    /// The newest revision, or the number of a revision.
    pub const REVISION: &[&str] = &[
        "revision",
        "revision_number",
        "number",
        "version",
        "latest_revision",
        "current_revision",
    ];
}

impl TryFrom<AliasedFields> for Skill {
    type Error = &'static str;

    fn try_from(sent: AliasedFields) -> Result<Self, Self::Error> {
        let installed = |word: String| match () {
            () if names_match(&word, "installed") || names_match(&word, "true") => Some(true),
            () if names_match(&word, "not_installed") || names_match(&word, "false") => Some(false),
            () => None,
        };
        Ok(Skill {
            id: sent.parse(names::ID).ok_or("a Skill without an id")?,
            slug: sent.text(names::SLUG),
            name: sent.text(names::NAME),
            description: sent.text(names::DESCRIPTION),
            source: sent
                .text(names::SOURCE)
                .map(|word| SkillSource::parse_lenient(&word)),
            lifecycle: sent
                .text(names::LIFECYCLE)
                .map(|word| SkillLifecycle::parse_lenient(&word)),
            audience: sent
                .text(names::AUDIENCE)
                .map(|word| SkillAudience::parse_lenient(&word)),
            installed: sent.text(names::INSTALLED).and_then(installed),
            revision: sent.count(names::REVISION),
            created_by: sent.parse(&["created_by", "author", "owner", "owner_id"]),
            updated_at: sent.parse(&["updated_at", "modified_at"]),
            published_at: sent.parse(&["published_at"]),
            files: sent
                .parse(&["files"])
                .map(|SkillFileList(files)| files)
                .unwrap_or_default(),
        })
    }
}

#[derive(Deserialize)]
struct SkillFileList(#[serde(deserialize_with = "lenient::list")] Vec<SkillFileInfo>);

/// A file of a Skill, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct SkillFileInfo {
    /// Its path within the bundle.
    pub path: String,
    /// In bytes.
    pub size: Option<u64>,
}

impl TryFrom<Value> for SkillFileInfo {
    type Error = serde_json::Error;

    /// Accepts the path itself, or an object with it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        if let Value::String(path) = sent {
            return Ok(SkillFileInfo { path, size: None });
        }
        let sent: AliasedFields = serde_json::from_value(sent)?;
        let path = sent
            .text(&["path", "name", "file"])
            .ok_or_else(|| serde::de::Error::missing_field("path"))?;
        Ok(SkillFileInfo {
            path,
            size: sent.count(&["size", "bytes", "length"]),
        })
    }
}

/// The encoding of files that need not be texts.
const BASE64: &str = "base64";

/// A file of a Skill's revision.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillFileRef {
    pub skill: SkillId,
    pub revision: u64,
    pub path: String,
}

/// A file with its content, as services send and take it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct SkillFile {
    /// Its path within the bundle; empty if the service does not repeat it.
    pub path: String,
    /// In the encoding.
    pub content: String,
    /// `None` for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}

impl TryFrom<Value> for SkillFile {
    type Error = serde_json::Error;

    /// Accepts the text itself, or an object with it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        if let Value::String(content) = sent {
            return Ok(SkillFile::of_text("", content));
        }
        let sent: AliasedFields = serde_json::from_value(sent)?;
        let content = sent.parse(&["content", "text", "body", "contents"]);
        let content = content.ok_or_else(|| serde::de::Error::missing_field("content"))?;
        let is_text = |encoding: &String| {
            ["utf-8", "text", "plain", "none"]
                .iter()
                .any(|text| names_match(encoding, text))
        };
        let encoding = sent
            .text(&["encoding", "content_encoding"])
            .filter(|encoding| !is_text(encoding));
        Ok(SkillFile {
            path: sent.parse(&["path", "name"]).unwrap_or_default(),
            content,
            encoding,
        })
    }
}

impl SkillFile {
    pub fn of_text(path: impl Into<String>, text: impl Into<String>) -> SkillFile {
        SkillFile {
            path: path.into(),
            content: text.into(),
            encoding: None,
        }
    }

    /// Its bytes; `None` if the encoding is unknown or the content is not in it.
    pub fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        match &self.encoding {
            None => Some(self.content.as_bytes().into()),
            Some(encoding) if names_match(encoding, BASE64) => {
                base64::decode_file(&self.content).map(Cow::Owned)
            }
            Some(_) => None,
        }
    }

    /// Its text, if it is one.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self.bytes()? {
            Cow::Borrowed(_) => Some(self.content.as_str().into()),
            Cow::Owned(bytes) => String::from_utf8(bytes)
                .ok()
                .filter(|text| !text.contains('\0'))
                .map(Cow::Owned),
        }
    }

    /// Its text, or what it is instead.
    pub fn shown_text(&self) -> Cow<'_, str> {
        self.text()
            .unwrap_or_else(|| match (self.bytes(), &self.encoding) {
                (Some(bytes), _) => format!("(not a text: {} bytes)", bytes.len()).into(),
                (None, encoding) => format!(
                    "(not shown: it is not readable as {})",
                    encoding.as_deref().unwrap_or("text")
                )
                .into(),
            })
    }

    /// The file with another text, in the same encoding.
    pub fn with_text(&self, text: &str) -> SkillFile {
        let content = if self.encoding.is_some() {
            base64::encode_file(text.as_bytes())
        } else {
            text.to_owned()
        };
        SkillFile {
            content,
            ..self.clone()
        }
    }
}

/// An earlier state of a Skill's files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct SkillRevision {
    pub revision: u64,
    pub created_at: Option<DateOrDateTime>,
    pub created_by: Option<Person>,
}

impl TryFrom<Value> for SkillRevision {
    type Error = serde_json::Error;

    /// Accepts the number itself, or an object with it.
    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        let missing = || serde::de::Error::missing_field("revision");
        if let Some(revision) = lenient::parse_count(&sent) {
            return Ok(SkillRevision {
                revision,
                created_at: None,
                created_by: None,
            });
        }
        let sent: AliasedFields = serde_json::from_value(sent)?;
        Ok(SkillRevision {
            revision: sent.count(names::REVISION).ok_or_else(missing)?,
            created_at: sent.parse(&["created_at", "updated_at", "published_at"]),
            created_by: sent.parse(&["created_by", "author"]),
        })
    }
}

impl Skill {
    /// Its slug, otherwise its name, otherwise its id.
    pub fn title(&self) -> String {
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        said(&self.slug)
            .or_else(|| said(&self.name))
            .unwrap_or_else(|| self.id.to_string())
    }

    /// Whether it comes with the service.
    pub fn is_official(&self) -> bool {
        self.source == Some(SkillSource::Official)
    }
}

/// A change of a Skill. Its idempotency key is made once, so that a retry does not apply it twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillCall {
    pub change: SkillAction,
    pub key: Uuid,
    /// `None` for a new Skill.
    pub skill: Option<SkillId>,
    pub body: Value,
}

/// Changes of a Skill, named like their routes; each has a `/batch` sibling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillAction {
    Create,
    Update,
    Publish,
    Unpublish,
    Delete,
    /// To another member.
    Transfer,
    /// To another audience.
    Move,
    Fork,
    /// An official one.
    Install,
    /// An official one.
    Uninstall,
}

impl SkillAction {
    /// The last segment of its route.
    pub fn as_str(self) -> &'static str {
        match self {
            SkillAction::Create => "create",
            SkillAction::Update => "update",
            SkillAction::Publish => "publish",
            SkillAction::Unpublish => "unpublish",
            SkillAction::Delete => "delete",
            SkillAction::Transfer => "transfer",
            SkillAction::Move => "move",
            SkillAction::Fork => "fork",
            SkillAction::Install => "install",
            SkillAction::Uninstall => "uninstall",
        }
    }
}

/// Filters of a list (interface: Skill filter fields). Empty ones do not filter.
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
    /// Inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<NaiveDate>,
    /// Inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_before: Option<NaiveDate>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_skill_is_read_with_aliased_fields_and_a_non_uuid_id() {
        let skill: Skill = serde_json::from_value(json!({
            "skillId": "call-script", "title": "Call script", "Status": "Published", "visibility": "WORKSPACE", "installed": "not_installed",
            "version": "1,002", "author": {"id": "u1"}, "files": ["SKILL.md", {"name": "a.md", "bytes": 12}, 7],
        }))
        .unwrap();
        assert_eq!(
            (skill.id.as_str(), skill.title().as_str()),
            ("call-script", "Call script")
        );
        assert_eq!(
            (skill.lifecycle, skill.audience),
            (
                Some(SkillLifecycle::Published),
                Some(SkillAudience::Workspace)
            )
        );
        assert_eq!(
            (
                skill.installed,
                skill.revision,
                skill.created_by.as_ref().map(Person::key)
            ),
            (Some(false), Some(1_002), Some("u1"))
        );
        assert_eq!(
            skill
                .files
                .iter()
                .map(|file| (file.path.as_str(), file.size))
                .collect::<Vec<_>>(),
            [("SKILL.md", None), ("a.md", Some(12))]
        );
    }

    #[test]
    fn a_file_is_shown_for_what_it_is_in_any_encoding() {
        let read = |json: Value| serde_json::from_value::<SkillFile>(json).unwrap();
        let encoded =
            read(json!({"path": "a.md", "content": "Q2FsbCBmaXJzdC4=\n", "encoding": "Base64"}));
        assert_eq!(
            (encoded.text().as_deref(), encoded.shown_text().as_ref()),
            (Some("Call first."), "Call first.")
        );
        let edited = json!({"path": "a.md", "content": "TWVldC4=", "encoding": "Base64"});
        assert_eq!(
            json!(encoded.with_text("Meet.")),
            edited,
            "it is written as it was read"
        );
        let plain = read(json!({"path": "a.md", "content": "Call.", "encoding": "utf-8"}));
        assert_eq!(
            (plain.text().as_deref(), json!(plain)),
            (Some("Call."), json!({"path": "a.md", "content": "Call."}))
        );
        for (content, encoding, shown) in [
            ("AAEC/w==", "base64", "(not a text: 4 bytes)"),
            (
                "no base64!",
                "base64",
                "(not shown: it is not readable as base64)",
            ),
            ("H4sI", "gzip", "(not shown: it is not readable as gzip)"),
        ] {
            let file = read(json!({"path": "logo.png", "content": content, "encoding": encoding}));
            assert_eq!((file.text(), file.shown_text().as_ref()), (None, shown));
        }
    }

    #[test]
    fn a_revision_is_a_number_or_an_object_with_one() {
        let read = |json: Value| {
            serde_json::from_value::<SkillRevision>(json)
                .map(|revision| revision.revision)
                .ok()
        };
        assert_eq!(
            [json!(3), json!({"revision": 3}), json!({"version": "3"})].map(read),
            [Some(3); 3]
        );
        assert_eq!(
            (read(json!({"revision": -1})), read(json!("soon"))),
            (None, None)
        );
    }
}
