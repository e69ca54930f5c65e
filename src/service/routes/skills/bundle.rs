//! What a Skill is made of, as a request says it: its name, its slug, its files, each within its limits.

use std::collections::BTreeSet;

use serde_json::json;

use crate::domain::skills::SkillFile;
use crate::service::ask::Ask;
use crate::service::db::{Conn, skills};
use crate::service::form::At;
use crate::service::refusal::Refusal;

const NAME_MAX: usize = 200;
const DESCRIPTION_MAX: usize = 2_000;
const SLUG_MAX: usize = 64;
const PATH_MAX: usize = 200;
const FILES_MAX: usize = 100;
/// The largest file and the largest bundle, in bytes.
const FILE_MAX: usize = 256 << 10;
const BUNDLE_MAX: usize = 4 << 20;

/// A name that is not blank.
pub fn name(at: &At<'_>) -> Result<String, Refusal> {
    let text = at.text_of(1, NAME_MAX)?.trim();
    if text.is_empty() {
        return Err(at.issue("too_small", "must not be blank", json!({"minimum": 1})));
    }
    Ok(text.to_owned())
}

/// A description.
pub fn description(at: &At<'_>) -> Result<String, Refusal> {
    Ok(at.text_of(0, DESCRIPTION_MAX)?.to_owned())
}

/// The files: their paths stay within the bundle and are there once.
pub fn files(at: &At<'_>) -> Result<Vec<SkillFile>, Refusal> {
    let mut paths = BTreeSet::new();
    let mut room = BUNDLE_MAX;
    let items = at.items(1, FILES_MAX)?;
    items
        .iter()
        .map(|item| {
            let form = item.object()?.only(&["path", "content"])?;
            let (at_path, at_content) = (form.need("path")?, form.need("content")?);
            let (path, content) = (at_path.text_of(1, PATH_MAX)?, at_content.text()?);
            if !is_inside(path) {
                return Err(at_path.not_a("a relative path within the bundle"));
            }
            if !paths.insert(path) {
                return Err(at_path.issue("not_allowed", "is there twice", serde_json::Value::Null));
            }
            let most = room.min(FILE_MAX);
            if content.len() > most {
                return Err(at_content.issue("too_big", format!("takes at most {most} bytes"), json!({"maximum": most})));
            }
            room -= content.len();
            Ok(SkillFile { path: path.to_owned(), content: content.to_owned() })
        })
        .collect()
}

fn is_inside(path: &str) -> bool {
    !path.contains(|c: char| c == '\\' || c.is_control()) && path.split('/').all(|step| !matches!(step, "" | "." | ".."))
}

/// A slug that was asked for: lower-case letters, digits and single hyphens between them, and free in the workspace.
pub fn slug(conn: &Conn, ask: &Ask, at: &At<'_>) -> Result<String, Refusal> {
    let text = at.text_of(1, SLUG_MAX)?;
    if slug_of(text) != text {
        return Err(at.not_a("a slug (a-z, 0-9 and single hyphens)"));
    }
    if skills::is_taken(conn, ask.access.workspace, text)? {
        return Err(Refusal::conflict("already_exists", "slug: another Skill goes by it"));
    }
    Ok(text.to_owned())
}

/// A free slug made from a name: the name's own, or with the first number that is free.
pub fn free_slug(conn: &Conn, ask: &Ask, name: &str) -> Result<String, Refusal> {
    let base = Some(slug_of(name)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| "skill".to_owned());
    let mut slug = base.clone();
    let mut number = 1;
    while skills::is_taken(conn, ask.access.workspace, &slug)? {
        number += 1;
        slug = format!("{base}-{number}");
    }
    Ok(slug)
}

fn slug_of(name: &str) -> String {
    let lower: String = name.chars().map(|c| c.to_ascii_lowercase()).collect();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let joined = parts.join("-");
    let cut = joined.char_indices().nth(SLUG_MAX - 4).map_or(joined.len(), |(at, _)| at);
    if joined.len() <= SLUG_MAX { joined } else { joined[..cut].trim_end_matches('-').to_owned() }
}
