//! `/workspace/skills/*`: portable instruction bundles (interface: Workspace: Skills; decisions 2.18). All are POST.
//!
//! Here are the reads; [`write`] holds the verbs and [`bundle`] what a Skill is made of. A Skill that is deleted or somebody else's
//! personal one is answered like one that does not exist.

use serde_json::{Value, json};

use crate::domain::SkillId;
use crate::domain::skills::Lifecycle;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::skills::Skill;
use crate::service::db::{Conn, skills};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;

mod bundle;
mod write;

pub use write::*;

/// The longest text that Skills are looked for by.
const QUERY_MAX: usize = 500;
const SOURCES: &[&str] = &["custom", "official"];
const LIFECYCLES: &[&str] = &["draft", "published", "unpublished"];
const AUDIENCES: &[&str] = &["personal", "workspace"];

/// Skills by a text, the best first: what the name says goes before the slug and both before the description.
pub fn find(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["query", "limit"])?;
    let words = words(form.need("query")?.text_of(1, QUERY_MAX)?);
    let limit = form.read("limit", |at| at.whole(1, 100))?.unwrap_or(25);
    let mut found: Vec<(usize, Skill)> = seen(conn, ask)?
        .into_iter()
        .filter(|skill| matches(skill, &words))
        .map(|skill| {
            let places = [&skill.name, &skill.slug, &skill.description].map(|text| words_in(text, &words));
            (places.iter().position(|all| *all).unwrap_or(places.len()), skill)
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    let found: Vec<Skill> = found.into_iter().map(|(_, skill)| skill).take(limit as usize).collect();
    Answer::free(json!({ "skills": found }))
}

/// Skills by the filter fields, the last changed first. Days are whole days in UTC, and both ends are in.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let filters = ["q", "source", "lifecycle", "audience", "installed", "updated_after", "updated_before", "limit", "offset"];
    let empty = json!({});
    let body = if ask.body.is_null() { &empty } else { &ask.body };
    let form = At::root(body).object()?.only(&filters)?;
    let q = words(form.read("q", |at| at.text_of(0, QUERY_MAX))?.unwrap_or_default());
    let source = form.read("source", |at| any(&at, SOURCES))?.unwrap_or_default();
    let lifecycle = form.read("lifecycle", |at| any(&at, LIFECYCLES))?.unwrap_or_default();
    let audience = form.read("audience", |at| any(&at, AUDIENCES))?.unwrap_or_default();
    let installed = form.read("installed", |at| at.word(&["installed", "not_installed"]))?.map(|word| word == "installed");
    let after = form.read("updated_after", |at| at.day())?;
    let before = form.read("updated_before", |at| at.day())?;
    let limit = form.read("limit", |at| at.whole(1, 100))?.unwrap_or(25);
    let offset = form.read("offset", |at| at.whole(0, 10_000))?.unwrap_or(0);

    let among = |wanted: &[&str], word: &str| wanted.is_empty() || wanted.contains(&word);
    let wanted = |skill: &Skill| {
        let day = skill.updated_at.date_naive();
        matches(skill, &q)
            && among(&source, skill.source.as_str())
            && among(&lifecycle, skill.lifecycle.as_str())
            && among(&audience, skill.audience.as_str())
            && installed.is_none_or(|wanted| skill.installed == wanted)
            && after.is_none_or(|first| day >= first)
            && before.is_none_or(|last| day <= last)
    };
    let all = seen(conn, ask)?.into_iter().filter(wanted);
    Answer::free(json!({"skills": all.skip(offset as usize).take(limit as usize).collect::<Vec<_>>()}))
}

/// A Skill with the paths and sizes of its files.
pub fn get(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let skill = named(conn, ask, &ask.form(&["skill_id"])?)?;
    let files = skills::files(conn, ask.access.workspace, skill.id, skill.revision)?;
    let files: Vec<Value> = files.iter().map(|file| json!({"path": file.path, "size": file.content.len()})).collect();
    let mut shown = json!(skill);
    shown["files"] = json!(files);
    Answer::free(shown)
}

/// The text of a file, of the newest revision or of another.
pub fn get_file(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["skill_id", "path", "revision"])?;
    let path = form.need("path")?.text()?;
    let revision = form.read("revision", |at| at.whole(1, i64::from(u32::MAX)))?;
    let skill = named(conn, ask, &form)?;
    let files = skills::files(conn, ask.access.workspace, skill.id, revision.unwrap_or(skill.revision))?;
    let file = files.into_iter().find(|file| file.path == path);
    Answer::free(file.ok_or_else(|| Refusal::not_found("no such file in this revision of the Skill"))?)
}

/// The revisions of a Skill, newest first.
pub fn revisions(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let skill = named(conn, ask, &ask.form(&["skill_id"])?)?;
    Answer::free(json!({"revisions": skills::revisions(conn, ask.access.workspace, skill.id)?}))
}

/// The Skill that `skill_id` names, when the caller sees it and it is not deleted.
fn named(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let id: SkillId = form.need("skill_id")?.id()?;
    let skill = skills::get(conn, ask.access.workspace, &ask.access.name, id)?;
    skill.filter(|skill| skill.lifecycle != Lifecycle::Deleted).ok_or_else(|| Refusal::not_found("no such Skill"))
}

fn seen(conn: &Conn, ask: &Ask) -> Result<Vec<Skill>, Refusal> {
    Ok(skills::list(conn, ask.access.workspace, &ask.access.name)?)
}

/// One of the words, or an array of them.
fn any<'w>(at: &At<'_>, allowed: &[&'w str]) -> Result<Vec<&'w str>, Refusal> {
    match at.value {
        Value::Array(_) => at.items(0, allowed.len())?.iter().map(|item| item.word(allowed)).collect(),
        _ => Ok(vec![at.word(allowed)?]),
    }
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split_whitespace().map(str::to_owned).collect()
}

fn words_in(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Whether name, slug and description together hold all the words.
fn matches(skill: &Skill, words: &[String]) -> bool {
    words_in(&format!("{}\n{}\n{}", skill.name, skill.slug, skill.description), words)
}
