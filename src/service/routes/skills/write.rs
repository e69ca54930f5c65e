//! The verbs of Skills, each alone and in batches, under idempotency keys.
//!
//! A draft is published, a published Skill unpublished and published again; any is deleted, for good. What is so already is done
//! without a trace. Whoever sees a Skill may change it, as with Views; only its owner, an owner or an admin takes it from the
//! others by a transfer or by making it personal. Official Skills are installed, uninstalled and forked, and nothing else.

use serde_json::{Value, json};

use super::{AUDIENCES, bundle, named};
use crate::domain::UserId;
use crate::domain::ids::LocalSkillId as SkillId;
use crate::domain::members::Role;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::receipts::{Known, Write};
use crate::service::db::skills::Skill;
use crate::service::db::values::fresh;
use crate::service::db::{Conn, members, skills};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;
use crate::service::routes::batch;

/// What can be done to Skills.
struct Verb {
    name: &'static str,
    keys: &'static [&'static str],
    run: fn(&Conn, &Ask, &Form<'_>) -> Result<Skill, Refusal>,
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $one:ident, $many:ident: $verb:ident($($key:literal),+);)+) => {$(
        $(#[$doc])*
        pub fn $one(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
            one(conn, ask, &Verb { name: stringify!($one), keys: &[$($key),+], run: $verb })
        }

        /// The same, in a batch.
        pub fn $many(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
            many(conn, ask, &Verb { name: stringify!($one), keys: &[$($key),+, IN_ITEM], run: $verb })
        }
    )+};
}

verbs! {
    /// Makes a draft.
    create, create_batch: make("name", "slug", "description", "audience", "files");
    /// Changes name, description or files: each change is a revision.
    update, update_batch: rewrite("skill_id", "name", "description", "files");
    /// Puts a Skill to use.
    publish, publish_batch: put_to_use("skill_id");
    /// Takes a Skill out of use.
    unpublish, unpublish_batch: take_out_of_use("skill_id");
    /// Deletes a Skill.
    delete, delete_batch: end("skill_id");
    /// Gives a Skill another owner.
    transfer, transfer_batch: hand_over("skill_id", "user_id");
    /// Gives a Skill another audience.
    r#move, move_batch: show_to("skill_id", "audience");
    /// Makes a draft of one's own from a Skill.
    fork, fork_batch: copy("skill_id", "name");
    /// Installs an official Skill.
    install, install_batch: bring_in("skill_id");
    /// Uninstalls an official Skill.
    uninstall, uninstall_batch: take_away("skill_id");
}

/// The key of a batch item.
const IN_ITEM: &str = "idempotencyKey";
const KEY_MAX: usize = 200;

fn one(conn: &Conn, ask: &Ask, verb: &Verb) -> Result<Answer, Refusal> {
    let header = json!(ask.idempotency_key);
    let at = At { value: &header, path: vec!["Idempotency-Key".into()] };
    if header.is_null() {
        return Err(at.issue("required", "this header is required", Value::Null));
    }
    Answer::free(verb.under(conn, ask, at.text_of(1, KEY_MAX)?, &At::root(&ask.body), &ask.body)?)
}

fn many(conn: &Conn, ask: &Ask, verb: &Verb) -> Result<Answer, Refusal> {
    batch::upserts(conn, ask, |item| {
        let key = item.object()?.need(IN_ITEM)?.text_of(1, KEY_MAX)?;
        let mut body = item.value.clone();
        body.as_object_mut().map(|body| body.remove(IN_ITEM));
        let done = verb.under(conn, ask, key, item, &body);
        match done {
            // batch deletes are idempotent per item
            Err(refusal) if verb.name == "delete" && refusal.code == "not_found" => Ok(Value::Null),
            done => done,
        }
    })
}

impl Verb {
    /// Does it once under its key: again with the same body, it only says what it said. A refusal leaves the key free.
    fn under(&self, conn: &Conn, ask: &Ask, key: &str, at: &At<'_>, body: &Value) -> Result<Value, Refusal> {
        let write = Write { workspace: ask.access.workspace, caller: &ask.access.name, key, verb: self.name, body };
        match write.known(conn, ask.now)? {
            Known::Same(receipt) => return Ok(receipt),
            Known::Other => {
                return Err(Refusal::conflict(
                    "idempotency_conflict",
                    "this key was used for another write in the last 24 hours",
                ));
            }
            Known::Nothing => {}
        }
        let skill = (self.run)(conn, ask, &at.object()?.only(self.keys)?)?;
        let receipt = json!({
            "skill_id": skill.id,
            "slug": skill.slug,
            "revision": skill.revision,
            "lifecycle": skill.lifecycle,
            "updated_at": skill.updated_at,
        });
        write.keep(conn, &receipt, ask.now)?;
        Ok(receipt)
    }
}

fn make(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let name = bundle::name(&form.need("name")?)?;
    let description = bundle::description(&form.need("description")?)?;
    let audience = form.read("audience", |at| at.word(AUDIENCES))?.map_or(SkillAudience::Personal, SkillAudience::from);
    let files = bundle::files(&form.need("files")?)?;
    let slug = match form.get("slug") {
        Some(at) => bundle::slug(conn, ask, &at)?,
        None => bundle::free_slug(conn, ask, &name)?,
    };
    draft(conn, ask, name, slug, description, audience, &files)
}

fn copy(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let origin = named(conn, ask, form)?;
    let name = form.read("name", |at| bundle::name(&at))?.unwrap_or_else(|| origin.name.clone());
    let files = skills::files(conn, ask.access.workspace, origin.id, origin.revision)?;
    let slug = bundle::free_slug(conn, ask, &name)?;
    draft(conn, ask, name, slug, origin.description, SkillAudience::Personal, &files)
}

fn draft(
    conn: &Conn,
    ask: &Ask,
    name: String,
    slug: String,
    description: String,
    audience: SkillAudience,
    files: &[SkillFile],
) -> Result<Skill, Refusal> {
    let skill = Skill {
        id: SkillId(fresh(ask.now)),
        slug,
        name,
        description,
        source: SkillSource::Custom,
        lifecycle: SkillLifecycle::Draft,
        audience,
        installed: false,
        revision: 1,
        created_by: ask.access.name.clone(),
        created_at: ask.now,
        updated_at: ask.now,
        published_at: None,
        owner: ask.access.name.clone(),
    };
    skills::create(conn, ask.access.workspace, &skill, files)?;
    Ok(skill)
}

fn rewrite(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let name = form.read("name", |at| bundle::name(&at))?;
    let description = form.read("description", |at| bundle::description(&at))?;
    let files = form.read("files", |at| bundle::files(&at))?;
    let before = custom(conn, ask, form)?;
    let workspace = ask.access.workspace;
    let stored = skills::files(conn, workspace, before.id, before.revision)?;
    let mut skill = before.clone();
    skill.name = name.unwrap_or(skill.name);
    skill.description = description.unwrap_or(skill.description);
    let files = files.unwrap_or_else(|| stored.clone());
    if skill == before && files == stored {
        return Ok(skill);
    }
    skill.revision += 1;
    skill.updated_at = ask.now;
    skills::revise(conn, workspace, &skill, &files, &ask.access.name)?;
    skills::save(conn, workspace, &skill)?;
    Ok(skill)
}

fn put_to_use(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    change(conn, ask, custom(conn, ask, form)?, |skill| {
        if skill.lifecycle != SkillLifecycle::Published {
            skill.lifecycle = SkillLifecycle::Published;
            skill.published_at = Some(ask.now);
        }
    })
}

fn take_out_of_use(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let skill = custom(conn, ask, form)?;
    if skill.lifecycle == SkillLifecycle::Draft {
        return Err(Refusal::bad_request("a draft was never published"));
    }
    change(conn, ask, skill, |skill| skill.lifecycle = SkillLifecycle::Unpublished)
}

fn end(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    change(conn, ask, custom(conn, ask, form)?, |skill| skill.lifecycle = SkillLifecycle::Deleted)
}

fn hand_over(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let at = form.need("user_id")?;
    let user: UserId = at.id()?;
    let skill = taken_away(ask, custom(conn, ask, form)?)?;
    if members::role(conn, ask.access.workspace, user)?.is_none() {
        return Err(at.issue("not_allowed", "is no member of this workspace", Value::Null));
    }
    change(conn, ask, skill, |skill| skill.owner = user.to_string())
}

fn show_to(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let audience = SkillAudience::from(form.need("audience")?.word(AUDIENCES)?);
    let mut skill = custom(conn, ask, form)?;
    if audience == SkillAudience::Personal {
        skill = taken_away(ask, skill)?;
    }
    change(conn, ask, skill, |skill| skill.audience = audience)
}

fn bring_in(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    installed(conn, ask, form, true)
}

fn take_away(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    installed(conn, ask, form, false)
}

/// The text of an official Skill is not changed by this, so neither is `updated_at`.
fn installed(conn: &Conn, ask: &Ask, form: &Form<'_>, installed: bool) -> Result<Skill, Refusal> {
    let skill = named(conn, ask, form)?;
    if skill.source != SkillSource::Official {
        return Err(Refusal::bad_request("only official Skills are installed and uninstalled"));
    }
    let skill = Skill { installed, ..skill };
    skills::save(conn, ask.access.workspace, &skill)?;
    Ok(skill)
}

/// The Skill that is named, when it was written in the workspace.
fn custom(conn: &Conn, ask: &Ask, form: &Form<'_>) -> Result<Skill, Refusal> {
    let skill = named(conn, ask, form)?;
    match skill.source {
        SkillSource::Official => Err(Refusal::bad_request("an official Skill is not changed: fork it and change the fork")),
        _ => Ok(skill),
    }
}

/// The Skill, when the caller may take it from those who see it.
fn taken_away(ask: &Ask, skill: Skill) -> Result<Skill, Refusal> {
    let access = &ask.access;
    match skill.owner == access.name || access.role != Role::Member {
        true => Ok(skill),
        false => Err(Refusal::forbidden("only the Skill's owner, an owner or an admin does this")),
    }
}

/// Writes a change, unless it says what is so already.
fn change(conn: &Conn, ask: &Ask, before: Skill, how: impl FnOnce(&mut Skill)) -> Result<Skill, Refusal> {
    let mut skill = before.clone();
    how(&mut skill);
    if skill != before {
        skill.updated_at = ask.now;
        skills::save(conn, ask.access.workspace, &skill)?;
    }
    Ok(skill)
}
