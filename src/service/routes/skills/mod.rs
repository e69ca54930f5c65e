//! `/workspace/skills/*`: portable instruction bundles (interface: Workspace: Skills; decisions 2.18). All are POST.
//!
//! Here are the reads; [`mod@write`] holds the verbs and [`bundle`] what a Skill is made of. A Skill that is deleted or somebody else's
//! personal one is answered like one that does not exist.

use serde_json::{Value, json};

use crate::domain::ids::LocalSkillId as SkillId;
use crate::domain::skills::SkillLifecycle;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::skills::Skill;
use crate::service::db::{Conn, skills};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;
use crate::service::search::fuzzy::Text;
use crate::service::search::vocabulary::SKILL_ENUMS;

mod bundle;
mod write;

pub use write::*;

/// The longest text that Skills are looked for by.
const QUERY_MAX: usize = 500;
const AUDIENCES: &[&str] = &["personal", "workspace"];

/// Skills by a text, the best first: what the name says goes before the slug and both before the description.
pub fn find(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["query", "limit"])?;
    let text = Text::new(form.need("query")?.text_of(1, QUERY_MAX)?);
    let limit = form.read("limit", |at| at.whole(1, 100))?.unwrap_or(25);
    let mut found: Vec<Skill> = seen(conn, ask)?.into_iter().filter(|skill| is_about(skill, &text)).collect();
    found.sort_by_cached_key(|skill| {
        let place = [&skill.name, &skill.slug, &skill.description].iter().position(|place| text.is_in(place));
        (place.unwrap_or(3), text.rank(&skill.name))
    });
    found.truncate(limit as usize);
    Answer::free(json!({ "skills": found }))
}

/// Skills by the filter fields, the last changed first. Days are whole days in UTC, and both ends are in.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let keys = ["q", "source", "lifecycle", "audience", "installed", "updated_after", "updated_before", "limit", "offset"];
    let empty = json!({});
    let form = At::root(if ask.body.is_null() { &empty } else { &ask.body }).object()?.only(&keys)?;
    let q = form.read("q", |at| at.text_of(0, QUERY_MAX))?.filter(|q| !q.is_empty()).map(Text::new);
    let mut words = Vec::new();
    for (key, allowed, multi) in SKILL_ENUMS {
        words.push(form.read(key, |at| any(&at, allowed, *multi))?.unwrap_or_default());
    }
    let after = form.read("updated_after", |at| at.day())?;
    let before = form.read("updated_before", |at| at.day())?;
    let limit = form.read("limit", |at| at.whole(1, 100))?.unwrap_or(25);
    let offset = form.read("offset", |at| at.whole(0, 10_000))?.unwrap_or(0);

    let wanted = |skill: &Skill| {
        let day = skill.updated_at.date_naive();
        let installed = if skill.installed { "installed" } else { "not_installed" };
        let said = |key: &str| match key {
            "source" => skill.source.as_str().to_owned(),
            "lifecycle" => skill.lifecycle.as_str().to_owned(),
            "audience" => skill.audience.as_str().to_owned(),
            _ => installed.to_owned(),
        };
        let among = |(key, wanted): (&str, &Vec<&str>)| wanted.is_empty() || wanted.contains(&said(key).as_str());
        q.as_ref().is_none_or(|text| is_about(skill, text))
            && SKILL_ENUMS.iter().map(|(key, ..)| *key).zip(&words).all(among)
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
    skill.filter(|skill| skill.lifecycle != SkillLifecycle::Deleted).ok_or_else(|| Refusal::not_found("no such Skill"))
}

fn seen(conn: &Conn, ask: &Ask) -> Result<Vec<Skill>, Refusal> {
    Ok(skills::list(conn, ask.access.workspace, &ask.access.name)?)
}

/// One of the words, or, where several may be wanted, an array of them.
fn any<'w>(at: &At<'_>, allowed: &[&'w str], multi: bool) -> Result<Vec<&'w str>, Refusal> {
    match at.value {
        Value::Array(_) if multi => at.items(0, allowed.len())?.iter().map(|item| item.word(allowed)).collect(),
        _ => Ok(vec![at.word(allowed)?]),
    }
}

/// Whether name, slug and description together hold all words of a text.
fn is_about(skill: &Skill, text: &Text) -> bool {
    text.is_in(&format!("{}\n{}\n{}", skill.name, skill.slug, skill.description))
}
