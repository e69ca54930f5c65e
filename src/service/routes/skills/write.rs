//! The writes of Skills, one by one and in batches, under idempotency keys.
//!
//! A draft can be published, a published Skill unpublished and published again; any Skill can be
//! deleted, for good. A write that changes nothing leaves no trace. Whoever sees a Skill may change
//! it, as with Views; only its owner, or an owner or admin of the workspace, can take it from the
//! others by a transfer or by making it personal. Official Skills can only be installed,
//! uninstalled and forked.

use serde_json::{Value, json};

use super::{AUDIENCES, bundle, named_skill};
use crate::domain::UserId;
use crate::domain::ids::LocalSkillId;
use crate::domain::members::Role;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};
use crate::service::api_error::ApiError;
use crate::service::db::idempotency::{IdempotentWrite, Replay};
use crate::service::db::skills::SkillRow;
use crate::service::db::values::new_id;
use crate::service::db::{Conn, members, skills};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::routes::batch;
use crate::service::validation::{InputObject, InputValue};

/// A write operation on Skills.
struct SkillOperation {
    name: &'static str,
    keys: &'static [&'static str],
    run: fn(&Conn, &AuthorizedRequest, &InputObject<'_>) -> Result<SkillRow, ApiError>,
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $one:ident, $many:ident: $verb:ident($($key:literal),+);)+) => {$(
        $(#[$doc])*
        pub fn $one(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
            run_one(conn, ask, &SkillOperation { name: stringify!($one), keys: &[$($key),+], run: $verb })
        }

        /// The same, in a batch.
        pub fn $many(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
            run_batch(conn, ask, &SkillOperation { name: stringify!($one), keys: &[$($key),+, BATCH_ITEM_KEY], run: $verb })
        }
    )+};
}

verbs! {
    /// Creates a draft.
    create, create_batch: create_draft("name", "slug", "description", "audience", "files");
    /// Changes name, description or files: each change is a revision.
    update, update_batch: update_skill("skill_id", "name", "description", "files");
    /// Publishes a Skill.
    publish, publish_batch: publish_skill("skill_id");
    /// Unpublishes a Skill.
    unpublish, unpublish_batch: unpublish_skill("skill_id");
    delete, delete_batch: delete_skill("skill_id");
    /// Transfers a Skill to another owner.
    transfer, transfer_batch: transfer_skill("skill_id", "user_id");
    /// Changes a Skill's audience.
    r#move, move_batch: set_audience("skill_id", "audience");
    /// Creates the caller's own draft from a Skill.
    fork, fork_batch: fork_skill("skill_id", "name");
    install, install_batch: install_skill("skill_id");
    uninstall, uninstall_batch: uninstall_skill("skill_id");
}

/// The idempotency key of a batch item.
const BATCH_ITEM_KEY: &str = "idempotencyKey";
const MAX_IDEMPOTENCY_KEY_CHARS: usize = 200;

fn run_one(
    conn: &Conn,
    ask: &AuthorizedRequest,
    verb: &SkillOperation,
) -> Result<ApiResponse, ApiError> {
    let header = json!(ask.idempotency_key);
    let at = InputValue {
        value: &header,
        path: vec!["Idempotency-Key".into()],
    };
    if header.is_null() {
        return Err(at.issue("required", "this header is required", Value::Null));
    }
    ApiResponse::from_data(verb.run_idempotent(
        conn,
        ask,
        at.text_of_length(1, MAX_IDEMPOTENCY_KEY_CHARS)?,
        &InputValue::root(&ask.body),
        &ask.body,
    )?)
}

fn run_batch(
    conn: &Conn,
    ask: &AuthorizedRequest,
    verb: &SkillOperation,
) -> Result<ApiResponse, ApiError> {
    batch::run_upserts(conn, ask, |item| {
        let key = item
            .object()?
            .required_field(BATCH_ITEM_KEY)?
            .text_of_length(1, MAX_IDEMPOTENCY_KEY_CHARS)?;
        let mut body = item.value.clone();
        body.as_object_mut().map(|body| body.remove(BATCH_ITEM_KEY));
        let done = verb.run_idempotent(conn, ask, key, item, &body);
        match done {
            // batch deletes are idempotent per item
            Err(refusal) if verb.name == "delete" && refusal.code == "not_found" => Ok(Value::Null),
            done => done,
        }
    })
}

impl SkillOperation {
    /// Runs a write once per key: repeated with the same body, it returns the first response again.
    /// An error releases the key.
    fn run_idempotent(
        &self,
        conn: &Conn,
        ask: &AuthorizedRequest,
        key: &str,
        at: &InputValue<'_>,
        body: &Value,
    ) -> Result<Value, ApiError> {
        let write = IdempotentWrite {
            workspace: ask.access.workspace,
            caller: &ask.access.actor,
            key,
            operation: self.name,
            body,
        };
        match write.check_replay(conn, ask.now)? {
            Replay::SameRequest(receipt) => return Ok(receipt),
            Replay::DifferentRequest => {
                return Err(ApiError::conflict(
                    "idempotency_conflict",
                    "this key was used for a different write in the last 24 hours",
                ));
            }
            Replay::Unused => {}
        }
        let skill = (self.run)(conn, ask, &at.object()?.reject_unknown_keys(self.keys)?)?;
        let receipt = json!({
            "skill_id": skill.id,
            "slug": skill.slug,
            "revision": skill.revision,
            "lifecycle": skill.lifecycle,
            "updated_at": skill.updated_at,
        });
        write.save_response(conn, &receipt, ask.now)?;
        Ok(receipt)
    }
}

fn create_draft(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let name = bundle::parse_name(&form.required_field("name")?)?;
    let description = bundle::parse_description(&form.required_field("description")?)?;
    let audience = form
        .optional_field("audience", |at| at.one_of(AUDIENCES))?
        .map_or(SkillAudience::Personal, SkillAudience::from);
    let files = bundle::parse_files(&form.required_field("files")?)?;
    let slug = match form.get("slug") {
        Some(at) => bundle::parse_slug(conn, ask, &at)?,
        None => bundle::free_slug(conn, ask, &name)?,
    };
    insert_draft(conn, ask, name, slug, description, audience, &files)
}

fn fork_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let origin = named_skill(conn, ask, form)?;
    let name = form
        .optional_field("name", |at| bundle::parse_name(&at))?
        .unwrap_or_else(|| origin.name.clone());
    let files = skills::files(conn, ask.access.workspace, origin.id, origin.revision)?;
    let slug = bundle::free_slug(conn, ask, &name)?;
    insert_draft(
        conn,
        ask,
        name,
        slug,
        origin.description,
        SkillAudience::Personal,
        &files,
    )
}

fn insert_draft(
    conn: &Conn,
    ask: &AuthorizedRequest,
    name: String,
    slug: String,
    description: String,
    audience: SkillAudience,
    files: &[SkillFile],
) -> Result<SkillRow, ApiError> {
    let skill = SkillRow {
        id: LocalSkillId(new_id(ask.now)),
        slug,
        name,
        description,
        source: SkillSource::Custom,
        lifecycle: SkillLifecycle::Draft,
        audience,
        installed: false,
        revision: 1,
        created_by: ask.access.actor.clone(),
        created_at: ask.now,
        updated_at: ask.now,
        published_at: None,
        owner: ask.access.actor.clone(),
    };
    skills::create(conn, ask.access.workspace, &skill, files)?;
    Ok(skill)
}

fn update_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let name = form.optional_field("name", |at| bundle::parse_name(&at))?;
    let description = form.optional_field("description", |at| bundle::parse_description(&at))?;
    let files = form.optional_field("files", |at| bundle::parse_files(&at))?;
    let before = custom_skill(conn, ask, form)?;
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
    skills::add_revision(conn, workspace, &skill, &files, &ask.access.actor)?;
    skills::update(conn, workspace, &skill)?;
    Ok(skill)
}

fn publish_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    save_change(conn, ask, custom_skill(conn, ask, form)?, |skill| {
        if skill.lifecycle != SkillLifecycle::Published {
            skill.lifecycle = SkillLifecycle::Published;
            skill.published_at = Some(ask.now);
        }
    })
}

fn unpublish_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let skill = custom_skill(conn, ask, form)?;
    if skill.lifecycle == SkillLifecycle::Draft {
        return Err(ApiError::bad_request(
            "this Skill is a draft: it was never published",
        ));
    }
    save_change(conn, ask, skill, |skill| {
        skill.lifecycle = SkillLifecycle::Unpublished
    })
}

fn delete_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    save_change(conn, ask, custom_skill(conn, ask, form)?, |skill| {
        skill.lifecycle = SkillLifecycle::Deleted
    })
}

fn transfer_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let at = form.required_field("user_id")?;
    let user: UserId = at.id()?;
    let skill = require_control(ask, custom_skill(conn, ask, form)?)?;
    if members::find_role(conn, ask.access.workspace, user)?.is_none() {
        return Err(at.issue(
            "not_allowed",
            "is not a member of this workspace",
            Value::Null,
        ));
    }
    save_change(conn, ask, skill, |skill| skill.owner = user.to_string())
}

fn set_audience(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let audience = SkillAudience::from(form.required_field("audience")?.one_of(AUDIENCES)?);
    let mut skill = custom_skill(conn, ask, form)?;
    if audience == SkillAudience::Personal {
        skill = require_control(ask, skill)?;
    }
    save_change(conn, ask, skill, |skill| skill.audience = audience)
}

fn install_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    set_installed(conn, ask, form, true)
}

fn uninstall_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    set_installed(conn, ask, form, false)
}

/// This does not change the text of an official Skill, so `updated_at` stays.
fn set_installed(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
    installed: bool,
) -> Result<SkillRow, ApiError> {
    let skill = named_skill(conn, ask, form)?;
    if skill.source != SkillSource::Official {
        return Err(ApiError::bad_request(
            "only official Skills can be installed and uninstalled",
        ));
    }
    let skill = SkillRow { installed, ..skill };
    skills::update(conn, ask.access.workspace, &skill)?;
    Ok(skill)
}

/// The named Skill, if it was written in the workspace.
fn custom_skill(
    conn: &Conn,
    ask: &AuthorizedRequest,
    form: &InputObject<'_>,
) -> Result<SkillRow, ApiError> {
    let skill = named_skill(conn, ask, form)?;
    match skill.source {
        SkillSource::Official => Err(ApiError::bad_request(
            "official Skills cannot be changed: fork it and change the fork",
        )),
        _ => Ok(skill),
    }
}

/// The Skill, if the caller may take it from those who see it.
fn require_control(ask: &AuthorizedRequest, skill: SkillRow) -> Result<SkillRow, ApiError> {
    let access = &ask.access;
    match skill.owner == access.actor || access.role != Role::Member {
        true => Ok(skill),
        false => Err(ApiError::forbidden(
            "only the Skill's owner, or an owner or admin of the workspace, can do this",
        )),
    }
}

/// Stores a change, unless it changes nothing.
fn save_change(
    conn: &Conn,
    ask: &AuthorizedRequest,
    before: SkillRow,
    how: impl FnOnce(&mut SkillRow),
) -> Result<SkillRow, ApiError> {
    let mut skill = before.clone();
    how(&mut skill);
    if skill != before {
        skill.updated_at = ask.now;
        skills::update(conn, ask.access.workspace, &skill)?;
    }
    Ok(skill)
}
