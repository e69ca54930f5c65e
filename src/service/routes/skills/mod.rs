//! `/workspace/skills/*`: portable instruction bundles (interface: Workspace: Skills; decisions
//! 2.18). All are POST.
//!
//! Here are the reads; [`mod@write`] has the writes and [`bundle`] what a Skill consists of. A
//! deleted Skill, or somebody else's personal one, is answered like one that does not exist.

use serde_json::{Value, json};

use crate::domain::fuzzy::QueryText;
use crate::domain::ids::LocalSkillId;
use crate::domain::skills::SkillLifecycle;
use crate::service::api_error::ApiError;
use crate::service::db::skills::SkillRow;
use crate::service::db::{Conn, skills};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::vocabulary::SKILL_ENUMS;
use crate::service::validation::{InputObject, InputValue};

mod bundle;
mod write;

pub use write::*;

/// Maximum length of a search text.
const MAX_QUERY_CHARS: usize = 500;
const AUDIENCES: &[&str] = &["personal", "workspace"];

/// Skills by text, best match first: the name weighs more than the slug, and both more than the
/// description.
pub fn find(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["query", "limit"])?;
    let text = QueryText::new(
        form.required_field("query")?
            .text_of_length(1, MAX_QUERY_CHARS)?,
    );
    let limit = form
        .optional_field("limit", |at| at.integer(1, 100))?
        .unwrap_or(25);
    let mut found: Vec<SkillRow> = visible_skills(conn, ask)?
        .into_iter()
        .filter(|skill| matches_text(skill, &text))
        .collect();
    found.sort_by_cached_key(|skill| {
        let place = [&skill.name, &skill.slug, &skill.description]
            .iter()
            .position(|place| text.matches(place));
        (place.unwrap_or(3), text.rank(&skill.name))
    });
    found.truncate(limit as usize);
    ApiResponse::from_data(json!({ "skills": found }))
}

/// Skills by the filter fields, last changed first. Days are whole days in UTC, and both ends are
/// included.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let keys = [
        "q",
        "source",
        "lifecycle",
        "audience",
        "installed",
        "updated_after",
        "updated_before",
        "limit",
        "offset",
    ];
    let empty = json!({});
    let form = InputValue::root(if ask.body.is_null() {
        &empty
    } else {
        &ask.body
    })
    .object()?
    .reject_unknown_keys(&keys)?;
    let q = form
        .optional_field("q", |at| at.text_of_length(0, MAX_QUERY_CHARS))?
        .filter(|q| !q.is_empty())
        .map(QueryText::new);
    let mut words = Vec::new();
    for (key, allowed, multi) in SKILL_ENUMS {
        words.push(
            form.optional_field(key, |at| one_or_many(&at, allowed, *multi))?
                .unwrap_or_default(),
        );
    }
    let after = form.optional_field("updated_after", |at| at.date())?;
    let before = form.optional_field("updated_before", |at| at.date())?;
    let limit = form
        .optional_field("limit", |at| at.integer(1, 100))?
        .unwrap_or(25);
    let offset = form
        .optional_field("offset", |at| at.integer(0, 10_000))?
        .unwrap_or(0);

    let wanted = |skill: &SkillRow| {
        let day = skill.updated_at.date_naive();
        let installed = if skill.installed {
            "installed"
        } else {
            "not_installed"
        };
        let said = |key: &str| match key {
            "source" => skill.source.as_str().to_owned(),
            "lifecycle" => skill.lifecycle.as_str().to_owned(),
            "audience" => skill.audience.as_str().to_owned(),
            _ => installed.to_owned(),
        };
        let among = |(key, wanted): (&str, &Vec<&str>)| {
            wanted.is_empty() || wanted.contains(&said(key).as_str())
        };
        q.as_ref().is_none_or(|text| matches_text(skill, text))
            && SKILL_ENUMS
                .iter()
                .map(|(key, ..)| *key)
                .zip(&words)
                .all(among)
            && after.is_none_or(|first| day >= first)
            && before.is_none_or(|last| day <= last)
    };
    let all = visible_skills(conn, ask)?.into_iter().filter(wanted);
    ApiResponse::from_data(
        json!({"skills": all.skip(offset as usize).take(limit as usize).collect::<Vec<_>>()}),
    )
}

/// A Skill with the paths and sizes of its files.
pub fn get(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let skill = named_skill(conn, ask, &ask.body_object(&["skill_id"])?)?;
    let files = skills::files(conn, ask.access.workspace, skill.id, skill.revision)?;
    let files: Vec<Value> = files
        .iter()
        .map(|file| json!({"path": file.path, "size": file.content.len()}))
        .collect();
    let mut shown = json!(skill);
    shown["files"] = json!(files);
    ApiResponse::from_data(shown)
}

/// The text of a file, from the newest or an earlier revision.
pub fn get_file(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["skill_id", "path", "revision"])?;
    let path = form.required_field("path")?.text()?;
    let revision = form.optional_field("revision", |at| at.integer(1, i64::from(u32::MAX)))?;
    let skill = named_skill(conn, ask, &form)?;
    let files = skills::files(
        conn,
        ask.access.workspace,
        skill.id,
        revision.unwrap_or(skill.revision),
    )?;
    let file = files.into_iter().find(|file| file.path == path);
    ApiResponse::from_data(
        file.ok_or_else(|| ApiError::not_found("no such file in this revision of the Skill"))?,
    )
}

/// The revisions of a Skill, newest first.
pub fn revisions(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let skill = named_skill(conn, ask, &ask.body_object(&["skill_id"])?)?;
    ApiResponse::from_data(
        json!({"revisions": skills::revisions(conn, ask.access.workspace, skill.id)?}),
    )
}

/// The Skill named by `skill_id`, if the caller can see it and it is not deleted.
fn named_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let id: LocalSkillId = form.required_field("skill_id")?.id()?;
    let skill = skills::get(conn, ask.access.workspace, &ask.access.actor, id)?;
    skill
        .filter(|skill| skill.lifecycle != SkillLifecycle::Deleted)
        .ok_or_else(|| ApiError::not_found("no such Skill"))
}

fn visible_skills(conn: &Conn, ask: &AuthorizedRequest) -> Result<Vec<SkillRow>, ApiError> {
    Ok(skills::list(conn, ask.access.workspace, &ask.access.actor)?)
}

/// One of the words, or, if several are allowed, an array of them.
fn one_or_many<'w>(
    at: &InputValue<'_>,
    allowed: &[&'w str],
    multi: bool,
) -> Result<Vec<&'w str>, ApiError> {
    match at.value {
        Value::Array(_) if multi => at
            .items(0, allowed.len())?
            .iter()
            .map(|item| item.one_of(allowed))
            .collect(),
        _ => Ok(vec![at.one_of(allowed)?]),
    }
}

/// Whether name, slug and description together contain all words of a text.
fn matches_text(skill: &SkillRow, text: &QueryText) -> bool {
    text.matches(&format!(
        "{}\n{}\n{}",
        skill.name, skill.slug, skill.description
    ))
}
