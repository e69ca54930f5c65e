//! `gantry skills`: portable instruction bundles.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::client::Client;
use crate::client::paging::Keyed as _;
use crate::client::skills::{self, SkillAction, SkillFilter};
use crate::domain::SkillId;
use crate::domain::skills::SkillFile;

use super::args::Format;
use super::dry::DryRun;
use super::ids::{Given, Ids};
use super::objects::Line;
use super::output::Output;
use super::stop::{Doing, Stop};
use super::{batch, columns, objects, print};

/// What can be done with Skills.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List Skills
    #[command(after_help = "Example: gantry --demo skills list --source official")]
    List(Box<List>),
    /// Find Skills by words
    #[command(after_help = "Example: gantry --demo skills find permit")]
    Find {
        /// The words
        query: String,
    },
    /// Show a Skill and its files
    #[command(
        after_help = "Example: gantry --demo skills show $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Show {
        /// The Skill
        id: SkillId,
    },
    /// Print a file of a Skill
    #[command(
        after_help = "Example: gantry --demo skills file $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1) SKILL.md"
    )]
    File {
        /// The Skill
        id: SkillId,
        /// The file's path in it
        path: String,
        /// As it was then
        #[arg(long)]
        revision: Option<u64>,
    },
    /// List the revisions of a Skill
    #[command(
        after_help = "Example: gantry --demo skills revisions $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Revisions {
        /// The Skill
        id: SkillId,
    },
    /// Make a draft
    #[command(
        after_help = "Example: echo 'Call the developer first.' | gantry --demo skills create 'First call' --description 'How we open' --file SKILL.md=/dev/stdin"
    )]
    Create(Create),
    /// Change drafts; what is not named stays as it is
    #[command(
        after_help = "Example: gantry --demo skills update $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --description 'How we open a call'"
    )]
    Update(Update),
    /// Show Skills to their audience
    #[command(
        after_help = "Example: gantry --demo skills publish $(gantry --demo skills list --lifecycle draft --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Publish(Ids),
    /// Hide Skills again
    #[command(
        after_help = "Example: gantry --demo skills unpublish $(gantry --demo skills list --source custom --lifecycle published --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Unpublish(Ids),
    /// Delete Skills
    #[command(
        after_help = "Example: gantry --demo skills delete $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Delete(Ids),
    /// Give Skills to another member
    #[command(
        after_help = "Example: gantry --demo skills transfer $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --to $(gantry --demo members list --format csv | grep ,admin, | head -1 | cut -d, -f1)"
    )]
    Transfer {
        #[command(flatten)]
        ids: Ids,
        /// The member
        #[arg(long, value_name = "UUID")]
        to: Uuid,
    },
    /// Give Skills another audience
    #[command(
        after_help = "Example: gantry --demo skills move $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --audience workspace"
    )]
    Move {
        #[command(flatten)]
        ids: Ids,
        /// Who sees them
        #[arg(long)]
        audience: Audience,
    },
    /// Copy Skills
    #[command(
        after_help = "Example: gantry --demo skills fork $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1) --name 'Our own'"
    )]
    Fork {
        #[command(flatten)]
        ids: Ids,
        /// The copy's name; for one Skill
        #[arg(long)]
        name: Option<String>,
    },
    /// Install official Skills
    #[command(
        after_help = "Example: gantry --demo skills install $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Install(Ids),
    /// Uninstall official Skills
    #[command(
        after_help = "Example: gantry --demo skills uninstall $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Uninstall(Ids),
}

/// What is listed.
#[derive(Debug, Args)]
pub struct List {
    /// A text in name, slug or description
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
    /// custom or official
    #[arg(long)]
    source: Vec<String>,
    /// draft, published or unpublished
    #[arg(long)]
    lifecycle: Vec<String>,
    /// personal or workspace
    #[arg(long)]
    audience: Vec<String>,
    /// Installed ones, or not installed ones
    #[arg(long)]
    installed: Option<bool>,
    /// Changed on that day or later
    #[arg(long, value_name = "DATE")]
    updated_after: Option<NaiveDate>,
    /// Changed on that day or earlier
    #[arg(long, value_name = "DATE")]
    updated_before: Option<NaiveDate>,
}

/// A new Skill.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name
    #[arg(required_unless_present = "stdin")]
    name: Option<String>,
    /// What it is for
    #[arg(long, required_unless_present = "stdin")]
    description: Option<String>,
    /// Its name in paths; made from the name unless said
    #[arg(long)]
    slug: Option<String>,
    /// Who sees it
    #[arg(long, default_value = "personal")]
    audience: Audience,
    /// A file: its path in the Skill, and where its content is
    #[arg(long = "file", value_name = "PATH=FILE", value_parser = file, required_unless_present = "stdin")]
    files: Vec<(String, PathBuf)>,
    /// Make many: read them from standard input, a JSON object a line with name, description, audience and files
    #[arg(long, conflicts_with_all = ["name", "description", "slug", "files"])]
    stdin: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// A change of a draft.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    ids: Ids,
    /// Its name
    #[arg(long)]
    name: Option<String>,
    /// What it is for
    #[arg(long)]
    description: Option<String>,
    /// All its files: path in the Skill, and where the content is
    #[arg(long = "file", value_name = "PATH=FILE", value_parser = file)]
    files: Vec<(String, PathBuf)>,
}

/// Who sees a Skill.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Audience {
    Personal,
    Workspace,
}

impl Audience {
    fn as_str(self) -> &'static str {
        match self {
            Audience::Personal => "personal",
            Audience::Workspace => "workspace",
        }
    }
}

pub(super) async fn run(verb: &Verb, client: &Client, output: Output) -> Result<(), Stop> {
    let all = |ids, change, done| change_all(ids, change, done, json!({}), client, output);
    match verb {
        Verb::List(list) => {
            let filter = list.filter();
            let rows = client.skills::<Box<RawValue>, _>(&filter, |row| row.key().unwrap_or_else(|| row.to_string())).await;
            output.whole(&rows.doing("list Skills")?, columns::SKILLS)
        }
        Verb::Find { query } => output.all(client, skills::find(query), columns::SKILLS).await.doing("find Skills").map(drop),
        Verb::Show { id } => {
            let skill = client.value::<Box<RawValue>>(skills::get(id)).await.doing(&format!("show the Skill {id}"))?;
            output.record(&skill.value, columns::SKILLS)
        }
        Verb::File { id, path, revision } => {
            let file =
                client.value::<Box<RawValue>>(skills::file(id, path, *revision)).await.doing(&format!("read {path}"))?.value;
            let content = serde_json::from_str::<SkillFile>(file.get()).ok().map(|file| file.content);
            match content {
                Some(content) if output.format == Format::Table => Ok(print::data(&crate::text::sanitize_block(&content))?),
                _ => output.record(&file, columns::FILE),
            }
        }
        Verb::Revisions { id } => {
            output.all(client, skills::revisions(id), columns::REVISIONS).await.doing("list revisions").map(drop)
        }
        Verb::Create(create) if create.stdin => {
            let given = objects::read::<Map<String, Value>>(create.dry).await?;
            let input = |line: &Line<Map<String, Value>>| Value::Object(line.value.clone());
            let one = |line: &_| skills::change(SkillAction::Create, Uuid::new_v4(), input(line));
            let many =
                |lines: &[_]| skills::change_batch(SkillAction::Create, lines.iter().map(|line| (Uuid::new_v4(), input(line))));
            batch::run("made", given, client, output, one, many).await.doing("make Skills")
        }
        Verb::Create(create) => {
            let mut body = json!({"name": create.name, "description": create.description, "audience": create.audience.as_str(), "files": read(&create.files)?});
            put(&mut body, "slug", create.slug.as_deref());
            one(SkillAction::Create, body, create.dry, client, output).await.doing("make the Skill")
        }
        Verb::Update(update) => {
            let mut more = json!({});
            put(&mut more, "name", update.name.as_deref());
            put(&mut more, "description", update.description.as_deref());
            if !update.files.is_empty() {
                put(&mut more, "files", Some(read(&update.files)?));
            }
            receipts(&update.ids, SkillAction::Update, "changed", &more, client, output).await.doing("change Skills")
        }
        Verb::Fork { ids, name } => {
            let mut more = json!({});
            put(&mut more, "name", name.as_deref());
            receipts(ids, SkillAction::Fork, "copied", &more, client, output).await.doing("copy Skills")
        }
        Verb::Publish(ids) => all(ids, SkillAction::Publish, "published").await,
        Verb::Unpublish(ids) => all(ids, SkillAction::Unpublish, "unpublished").await,
        Verb::Delete(ids) => all(ids, SkillAction::Delete, "deleted").await,
        Verb::Install(ids) => all(ids, SkillAction::Install, "installed").await,
        Verb::Uninstall(ids) => all(ids, SkillAction::Uninstall, "uninstalled").await,
        Verb::Transfer { ids, to } => {
            change_all(ids, SkillAction::Transfer, "transferred", json!({"user_id": to}), client, output).await
        }
        Verb::Move { ids, audience } => {
            change_all(ids, SkillAction::Move, "moved", json!({"audience": audience.as_str()}), client, output).await
        }
    }
}

async fn one(change: SkillAction, body: Value, dry: DryRun, client: &Client, output: Output) -> Result<(), Stop> {
    let request = skills::change(change, Uuid::new_v4(), body);
    if dry.tells(output, std::slice::from_ref(&request))? {
        return Ok(());
    }
    let receipt = client.value::<Box<RawValue>>(request).await?;
    let done = match change {
        SkillAction::Create => "made the Skill",
        SkillAction::Fork => "copied the Skill",
        _ => "changed the Skill",
    };
    output.written(&receipt.value, columns::RECEIPTS, done, &json!({"change": change.as_str(), "done": true}))
}

/// A change of which the receipt is of use: that of one Skill is printed.
async fn receipts(ids: &Ids, change: SkillAction, done: &str, more: &Value, client: &Client, output: Output) -> Result<(), Stop> {
    let given = ids.read::<SkillId>().await?;
    match given.alone() {
        Some(id) => one(change, with_id(more, id), given.dry, client, output).await,
        None if change == SkillAction::Fork && more.get("name").is_some() => {
            Err(Stop::usage("--name is for one copy: several would have the same name"))
        }
        None => send(given, change, done, more, client, output).await,
    }
}

async fn change_all(
    ids: &Ids,
    change: SkillAction,
    done: &str,
    more: Value,
    client: &Client,
    output: Output,
) -> Result<(), Stop> {
    let given = ids.read::<SkillId>().await?;
    send(given, change, done, &more, client, output).await.doing(&format!("{} Skills", change.as_str()))
}

async fn send(
    given: Given<SkillId>,
    change: SkillAction,
    done: &str,
    more: &Value,
    client: &Client,
    output: Output,
) -> Result<(), Stop> {
    let input = |id: &SkillId| with_id(more, id);
    let one = |id: &SkillId| skills::change(change, Uuid::new_v4(), input(id));
    let many = |ids: &[SkillId]| skills::change_batch(change, ids.iter().map(|id| (Uuid::new_v4(), input(id))));
    batch::run(done, given, client, output, one, many).await
}

fn with_id(more: &Value, id: &SkillId) -> Value {
    let mut body = more.clone();
    put(&mut body, "skill_id", Some(id.to_string()));
    body
}

impl List {
    fn filter(&self) -> SkillFilter {
        SkillFilter {
            q: self.query.clone(),
            source: self.source.clone(),
            lifecycle: self.lifecycle.clone(),
            audience: self.audience.clone(),
            installed: self.installed.map(|yes| if yes { "installed" } else { "not_installed" }.to_owned()),
            updated_after: self.updated_after,
            updated_before: self.updated_before,
        }
    }
}

fn put(body: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(body), Some(value)) = (body.as_object_mut(), value) {
        body.insert(name.to_owned(), value.into());
    }
}

fn read(files: &[(String, PathBuf)]) -> Result<Value, Stop> {
    let read = |(path, file): &(String, PathBuf)| {
        let content =
            std::fs::read_to_string(file).map_err(|error| Stop::usage(format!("cannot read {}: {error}", file.display())))?;
        Ok(Value::Object(Map::from_iter([("path".to_owned(), path.as_str().into()), ("content".to_owned(), content.into())])))
    };
    files.iter().map(read).collect::<Result<Vec<_>, Stop>>().map(Value::Array)
}

fn file(text: &str) -> Result<(String, PathBuf), String> {
    let (path, file) = text.split_once('=').ok_or_else(|| format!("{text:?} is not PATH=FILE"))?;
    Ok((path.to_owned(), file.into()))
}
