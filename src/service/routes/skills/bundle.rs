//! What a Skill consists of, as requests send it: its name, its slug and its files, each within its
//! limits.

use std::collections::BTreeSet;

use crate::domain::skills::SkillFile;
use crate::service::api_error::ApiError;
use crate::service::db::{Conn, skills};
use crate::service::request::AuthorizedRequest;
use crate::service::validation::InputValue;

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
const MAX_SLUG_CHARS: usize = 64;
const MAX_PATH_CHARS: usize = 200;
const MAX_FILES: usize = 100;
/// Maximum size of a file and of a bundle, in bytes.
const MAX_FILE_BYTES: usize = 256 << 10;
const MAX_BUNDLE_BYTES: usize = 4 << 20;

pub fn parse_name(at: &InputValue<'_>) -> Result<String, ApiError> {
    at.name(MAX_NAME_CHARS).map(str::to_owned)
}

pub fn parse_description(at: &InputValue<'_>) -> Result<String, ApiError> {
    Ok(at.text_of_length(0, MAX_DESCRIPTION_CHARS)?.to_owned())
}

/// The files: their paths are unique wherever letters are, and no file is another one's folder.
pub fn parse_files(at: &InputValue<'_>) -> Result<Vec<SkillFile>, ApiError> {
    let (mut paths, mut folders) = (BTreeSet::new(), BTreeSet::new());
    let mut room = MAX_BUNDLE_BYTES;
    let items = at.items(1, MAX_FILES)?;
    items
        .iter()
        .map(|item| {
            let form = item.object()?.reject_unknown_keys(&["path", "content"])?;
            let (at_path, at_content) = (
                form.required_field("path")?,
                form.required_field("content")?,
            );
            let (path, content) = (at_path.file_path(MAX_PATH_CHARS)?, at_content.text()?);
            let folded = path.to_lowercase();
            let parents: Vec<String> = folded
                .match_indices('/')
                .map(|(end, _)| folded[..end].to_owned())
                .collect();
            if folders.contains(&folded)
                || parents.iter().any(|parent| paths.contains(parent))
                || !paths.insert(folded)
            {
                return Err(at_path.issue(
                    "not_allowed",
                    "another file has this path",
                    serde_json::Value::Null,
                ));
            }
            folders.extend(parents);
            at_content.text_of_bytes(room.min(MAX_FILE_BYTES))?;
            room -= content.len();
            Ok(SkillFile::of_text(path, content))
        })
        .collect()
}

/// A requested slug: lower-case letters, digits and single hyphens between them, and not in use in
/// the workspace.
pub fn parse_slug(
    conn: &Conn,
    ask: &AuthorizedRequest,
    at: &InputValue<'_>,
) -> Result<String, ApiError> {
    let text = at.text_of_length(1, MAX_SLUG_CHARS)?;
    if slugify(text) != text {
        return Err(at.wrong_type("a slug (a-z, 0-9 and single hyphens)"));
    }
    if skills::is_slug_taken(conn, ask.access.workspace, text)? {
        return Err(ApiError::conflict(
            "already_exists",
            "slug: another Skill already uses it",
        ));
    }
    Ok(text.to_owned())
}

/// An unused slug made from a name: the name's own, or with the first number that is free.
pub fn free_slug(conn: &Conn, ask: &AuthorizedRequest, name: &str) -> Result<String, ApiError> {
    let base = Some(slugify(name))
        .filter(|slug| !slug.is_empty())
        .unwrap_or_else(|| "skill".to_owned());
    let mut slug = base.clone();
    let mut number = 1;
    while skills::is_slug_taken(conn, ask.access.workspace, &slug)? {
        number += 1;
        slug = format!("{base}-{number}");
    }
    Ok(slug)
}

fn slugify(name: &str) -> String {
    let lower: String = name.chars().map(|c| c.to_ascii_lowercase()).collect();
    let parts: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let joined = parts.join("-");
    let cut = joined
        .char_indices()
        .nth(MAX_SLUG_CHARS - 4)
        .map_or(joined.len(), |(at, _)| at);
    if joined.len() <= MAX_SLUG_CHARS {
        joined
    } else {
        joined[..cut].trim_end_matches('-').to_owned()
    }
}
