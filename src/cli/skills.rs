//! `gantry skills`: portable instruction bundles.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::client::Client;
use crate::client::skills::{self, Change, SkillFilter};

use super::args::Format;
use super::ids::Ids;
use super::output::Output;
use super::stop::{Doing, Stop};
use super::{batch, columns, print};
use crate::export::json::Fields;

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
        id: Uuid,
    },
    /// Print a file of a Skill
    #[command(
        after_help = "Example: gantry --demo skills file $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1) SKILL.md"
    )]
    File {
        /// The Skill
        id: Uuid,
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
        id: Uuid,
    },
    /// Make a draft
    #[command(
        after_help = "Example: echo 'Call the developer first.' | gantry --demo skills create 'First call' --description 'How we open' --file SKILL.md=/dev/stdin"
    )]
    Create(Create),
    /// Change a draft; what is not named stays as it is
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
    /// Copy a Skill
    #[command(
        after_help = "Example: gantry --demo skills fork $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1) --name 'Our own'"
    )]
    Fork {
        /// The Skill
        id: Uuid,
        /// The copy's name
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
    name: String,
    /// What it is for
    #[arg(long)]
    description: String,
    /// Its name in paths; made from the name unless said
    #[arg(long)]
    slug: Option<String>,
    /// Who sees it
    #[arg(long, default_value = "personal")]
    audience: Audience,
    /// A file: its path in the Skill, and where its content is
    #[arg(long = "file", value_name = "PATH=FILE", value_parser = file, required = true)]
    files: Vec<(String, PathBuf)>,
}

/// A change of a draft.
#[derive(Debug, Args)]
pub struct Update {
    /// The Skill
    id: Uuid,
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
    let all = |ids, change, done, more| change_all(ids, change, done, more, client, output);
    match verb {
        Verb::List(list) => output.all(client, skills::list(&list.filter()), columns::SKILLS).await.doing("list Skills"),
        Verb::Find { query } => output.all(client, skills::find(query), columns::SKILLS).await.doing("find Skills"),
        Verb::Show { id } => {
            let skill = client.value::<Box<RawValue>>(skills::get(*id)).await.doing(&format!("show the Skill {id}"))?;
            output.record(&skill.value, columns::SKILLS)
        }
        Verb::File { id, path, revision } => {
            let file =
                client.value::<Box<RawValue>>(skills::file(*id, path, *revision)).await.doing(&format!("read {path}"))?.value;
            let content = Fields::of(&file).get("content").and_then(|content| serde_json::from_str::<String>(content.get()).ok());
            match content {
                Some(content) if output.format == Format::Table => Ok(print::data(&crate::text::block(&content))?),
                _ => output.record(&file, columns::FILE),
            }
        }
        Verb::Revisions { id } => output.all(client, skills::revisions(*id), columns::REVISIONS).await.doing("list revisions"),
        Verb::Create(create) => {
            let mut body = json!({"name": create.name, "description": create.description, "audience": create.audience.as_str(), "files": read(&create.files)?});
            put(&mut body, "slug", create.slug.as_deref());
            one(Change::Create, body, client, output).await.doing("make the Skill")
        }
        Verb::Update(update) => {
            let mut body = json!({"skill_id": update.id});
            put(&mut body, "name", update.name.as_deref());
            put(&mut body, "description", update.description.as_deref());
            if !update.files.is_empty() {
                put(&mut body, "files", Some(read(&update.files)?));
            }
            one(Change::Update, body, client, output).await.doing("change the Skill")
        }
        Verb::Fork { id, name } => {
            let mut body = json!({"skill_id": id});
            put(&mut body, "name", name.as_deref());
            one(Change::Fork, body, client, output).await.doing("copy the Skill")
        }
        Verb::Publish(ids) => all(ids, Change::Publish, "published", None).await,
        Verb::Unpublish(ids) => all(ids, Change::Unpublish, "unpublished", None).await,
        Verb::Delete(ids) => all(ids, Change::Delete, "deleted", None).await,
        Verb::Install(ids) => all(ids, Change::Install, "installed", None).await,
        Verb::Uninstall(ids) => all(ids, Change::Uninstall, "uninstalled", None).await,
        Verb::Transfer { ids, to } => all(ids, Change::Transfer, "transferred", Some(("user_id", to.to_string()))).await,
        Verb::Move { ids, audience } => all(ids, Change::Move, "moved", Some(("audience", audience.as_str().to_owned()))).await,
    }
}

async fn one(change: Change, body: Value, client: &Client, output: Output) -> Result<(), Stop> {
    let receipt = client.value::<Box<RawValue>>(skills::change(change, body)).await?;
    output.record(&receipt.value, columns::RECEIPTS)
}

async fn change_all(
    ids: &Ids,
    change: Change,
    done: &str,
    more: Option<(&'static str, String)>,
    client: &Client,
    output: Output,
) -> Result<(), Stop> {
    let given = ids.read::<Uuid>().await?;
    let request = |ids: &[Uuid]| {
        let input = |id: &Uuid| {
            let mut input = json!({"skill_id": id});
            if let Some((name, value)) = &more {
                put(&mut input, name, Some(value.as_str()));
            }
            input
        };
        skills::change_batch(change, ids.iter().map(input).collect())
    };
    batch::run(done, given, client, output, request).await.doing(&format!("{} Skills", change.as_str()))
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
