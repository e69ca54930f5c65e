//! `gantry skills`: portable instruction bundles.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Subcommand};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::client::paging::Keyed as _;
use crate::client::skills::{self, SkillAction, SkillFilter};
use crate::domain::skills::SkillFile;
use crate::domain::{SkillId, UserId};

use super::dry_run::DryRun;
use super::error::{CliError, Context};
use super::ids::{IdArgs, IdList};
use super::json_lines::JsonLine;
use super::list_args::ListArgs;
use super::names::find_id;
use super::options::OutputFormat;
use super::session::Session;
use super::{batch, columns, json_lines, print};

const AUDIENCES: [&str; 2] = ["personal", "workspace"];

#[derive(Debug, Subcommand)]
pub enum SkillsCommand {
    /// List Skills
    #[command(after_help = "Example: gantry --demo skills list --source official")]
    List(Box<SkillListArgs>),
    /// Find Skills by text
    #[command(after_help = "Example: gantry --demo skills find permit")]
    Find {
        /// Text to search for
        query: String,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Show a Skill and its files
    #[command(
        after_help = "Example: gantry --demo skills show $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Show {
        /// Id or name of the Skill
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Print a file of a Skill
    #[command(
        after_help = "Example: gantry --demo skills file $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1) SKILL.md"
    )]
    File {
        /// Id or name of the Skill
        #[arg(value_name = "SKILL")]
        skill: String,
        /// Path of the file in the Skill
        path: String,
        /// Show this revision instead of the current one
        #[arg(long)]
        revision: Option<u64>,
    },
    /// List the revisions of a Skill
    #[command(
        after_help = "Example: gantry --demo skills revisions $(gantry --demo skills list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Revisions {
        /// Id or name of the Skill
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Create a draft
    #[command(
        after_help = "Example: echo 'Call the developer first.' | gantry --demo skills create 'First call' --description 'How we open' --file SKILL.md=/dev/stdin"
    )]
    Create(SkillCreateArgs),
    /// Change drafts; fields that are not given stay as they are
    #[command(
        after_help = "Example: gantry --demo skills update $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --description 'How we open a call'"
    )]
    Update(SkillUpdateArgs),
    /// Publish Skills to their audience
    #[command(
        after_help = "Example: gantry --demo skills publish $(gantry --demo skills list --lifecycle draft --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Publish(IdArgs),
    /// Unpublish Skills
    #[command(
        after_help = "Example: gantry --demo skills unpublish $(gantry --demo skills list --source custom --lifecycle published --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Unpublish(IdArgs),
    /// Delete Skills
    #[command(
        after_help = "Example: gantry --demo skills delete $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Delete(IdArgs),
    /// Transfer Skills to another member
    #[command(
        after_help = "Example: gantry --demo skills transfer $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --to $(gantry --demo members list --format csv | grep ,admin, | head -1 | cut -d, -f1)"
    )]
    Transfer {
        #[command(flatten)]
        ids: IdArgs,
        /// Id, name or email address of the new owner
        #[arg(long, value_name = "MEMBER")]
        to: String,
    },
    /// Change the audience of Skills
    #[command(
        after_help = "Example: gantry --demo skills move $(gantry --demo skills list --source custom --format csv | tail -n +2 | head -1 | cut -d, -f1) --audience workspace"
    )]
    Move {
        #[command(flatten)]
        ids: IdArgs,
        /// Who can see them
        #[arg(long, value_parser = AUDIENCES)]
        audience: String,
    },
    /// Copy Skills
    #[command(
        after_help = "Example: gantry --demo skills fork $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1) --name 'Our own'"
    )]
    Fork {
        #[command(flatten)]
        ids: IdArgs,
        /// Name of the copy; for a single Skill only
        #[arg(long)]
        name: Option<String>,
    },
    /// Install official Skills
    #[command(
        after_help = "Example: gantry --demo skills install $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Install(IdArgs),
    /// Uninstall official Skills
    #[command(
        after_help = "Example: gantry --demo skills uninstall $(gantry --demo skills list --source official --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Uninstall(IdArgs),
}

#[derive(Debug, Args)]
pub struct SkillListArgs {
    /// Text in name, slug or description
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
    /// Source: custom or official
    #[arg(long)]
    source: Vec<String>,
    /// Lifecycle: draft, published or unpublished
    #[arg(long)]
    lifecycle: Vec<String>,
    /// Audience: personal or workspace
    #[arg(long)]
    audience: Vec<String>,
    /// Only installed (true) or only not installed (false)
    #[arg(long)]
    installed: Option<bool>,
    /// Updated on or after this date
    #[arg(long, value_name = "DATE")]
    updated_after: Option<NaiveDate>,
    /// Updated on or before this date
    #[arg(long, value_name = "DATE")]
    updated_before: Option<NaiveDate>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Args)]
pub struct SkillCreateArgs {
    /// Name
    #[arg(required_unless_present = "stdin")]
    name: Option<String>,
    /// What it is for
    #[arg(long, required_unless_present = "stdin")]
    description: Option<String>,
    /// Name used in paths [default: derived from the name]
    #[arg(long)]
    slug: Option<String>,
    /// Who can see it
    #[arg(long, default_value = "personal", value_parser = AUDIENCES)]
    audience: String,
    /// A file: its path in the Skill, and the local file to read; may be repeated
    #[arg(long = "file", value_name = "PATH=FILE", value_parser = parse_file_arg, required_unless_present = "stdin")]
    files: Vec<(String, PathBuf)>,
    /// Create many: read JSON objects with name, description, audience and files from standard
    /// input, one per line
    #[arg(long, conflicts_with_all = ["name", "description", "slug", "files"])]
    stdin: bool,
    #[command(flatten)]
    dry: DryRun,
}

#[derive(Debug, Args)]
pub struct SkillUpdateArgs {
    #[command(flatten)]
    ids: IdArgs,
    /// Name
    #[arg(long)]
    name: Option<String>,
    /// What it is for
    #[arg(long)]
    description: Option<String>,
    /// Replace all files with these: path in the Skill, and the local file to read; may be repeated
    #[arg(long = "file", value_name = "PATH=FILE", value_parser = parse_file_arg)]
    files: Vec<(String, PathBuf)>,
}

pub(super) async fn run(verb: &SkillsCommand, session: &Session) -> Result<(), CliError> {
    let client = &session.client;
    let all = |ids, change, done| change_all(ids, change, done, json!({}), session);
    let all_with = |ids, change, done, more| change_all(ids, change, done, more, session);
    match verb {
        SkillsCommand::List(list) => {
            let filter = list.to_filter();
            let rows = client
                .skills::<Box<RawValue>, _>(&filter, |row| {
                    row.row_key().unwrap_or_else(|| row.to_string())
                })
                .await;
            let rows = rows.context("list Skills")?;
            list.list
                .print_fetched(rows, columns::SKILL_COLUMNS, session.output)
        }
        SkillsCommand::Find { query, list } => {
            list.fetch_and_print(
                session,
                skills::find(query),
                columns::SKILL_COLUMNS,
                "find Skills",
            )
            .await
        }
        SkillsCommand::Show { skill } => {
            let request = skills::get(&find_id(skill, session).await?);
            let what = format!("show the Skill {skill}");
            session
                .fetch_and_print(request, columns::SKILL_COLUMNS, &what)
                .await
        }
        SkillsCommand::File {
            skill,
            path,
            revision,
        } => {
            let id = find_id(skill, session).await?;
            let file = client
                .fetch_value::<Box<RawValue>>(skills::get_file(&id, path, *revision))
                .await
                .context(&format!("read {path}"))?
                .value;
            match serde_json::from_str::<SkillFile>(file.get()) {
                Ok(content) if session.output.format == OutputFormat::Table => {
                    print_content(path, &content)
                }
                Ok(content) if session.output.format == OutputFormat::Csv => {
                    let shown = SkillFile::of_text(content.path.as_str(), content.shown_text());
                    session.output.print_record(&shown, columns::FILE_COLUMNS)
                }
                _ => session.output.print_record(&file, columns::FILE_COLUMNS),
            }
        }
        SkillsCommand::Revisions { skill } => {
            let revisions = skills::revisions(&find_id(skill, session).await?);
            ListArgs::default()
                .fetch_and_print(
                    session,
                    revisions,
                    columns::REVISION_COLUMNS,
                    "list revisions",
                )
                .await
        }
        SkillsCommand::Create(create) if create.stdin => {
            let given = json_lines::read_json_lines::<Map<String, Value>>(create.dry).await?;
            let input = |line: &JsonLine<Map<String, Value>>| Value::Object(line.value.clone());
            let one = |line: &_| skills::change(SkillAction::Create, Uuid::new_v4(), input(line));
            let many = |lines: &[_]| {
                skills::change_batch(
                    SkillAction::Create,
                    lines.iter().map(|line| (Uuid::new_v4(), input(line))),
                )
            };
            batch::run("created", given, session, one, many)
                .await
                .context("create Skills")
        }
        SkillsCommand::Create(create) => {
            let mut body = json!({"name": create.name, "description": create.description, "audience": create.audience, "files": read_files(&create.files)?});
            set_field(&mut body, "slug", create.slug.as_deref());
            change_one(SkillAction::Create, body, create.dry, session)
                .await
                .context("create the Skill")
        }
        SkillsCommand::Update(update) => {
            let mut more = json!({});
            set_field(&mut more, "name", update.name.as_deref());
            set_field(&mut more, "description", update.description.as_deref());
            if !update.files.is_empty() {
                set_field(&mut more, "files", Some(read_files(&update.files)?));
            }
            let (ids, change) = (&update.ids, SkillAction::Update);
            change_with_receipt(ids, change, "changed", &more, session)
                .await
                .context("change Skills")
        }
        SkillsCommand::Fork { ids, name } => {
            let mut more = json!({});
            set_field(&mut more, "name", name.as_deref());
            change_with_receipt(ids, SkillAction::Fork, "copied", &more, session)
                .await
                .context("copy Skills")
        }
        SkillsCommand::Publish(ids) => all(ids, SkillAction::Publish, "published").await,
        SkillsCommand::Unpublish(ids) => all(ids, SkillAction::Unpublish, "unpublished").await,
        SkillsCommand::Delete(ids) => all(ids, SkillAction::Delete, "deleted").await,
        SkillsCommand::Install(ids) => all(ids, SkillAction::Install, "installed").await,
        SkillsCommand::Uninstall(ids) => all(ids, SkillAction::Uninstall, "uninstalled").await,
        SkillsCommand::Transfer { ids, to } => {
            let to: UserId = find_id(to, session).await?;
            all_with(
                ids,
                SkillAction::Transfer,
                "transferred",
                json!({"user_id": to}),
            )
            .await
        }
        SkillsCommand::Move { ids, audience } => {
            all_with(
                ids,
                SkillAction::Move,
                "moved",
                json!({"audience": audience}),
            )
            .await
        }
    }
}

/// Prints a text, or the bytes of any other file into a pipe.
fn print_content(path: &str, file: &SkillFile) -> Result<(), CliError> {
    match (file.text(), file.bytes()) {
        (Some(text), _) => Ok(print::write_data(&crate::text::sanitize_block(&text))?),
        (None, Some(bytes)) if !std::io::stdout().is_terminal() => Ok(print::write_bytes(&bytes)?),
        (None, Some(_)) => Err(CliError::failed(format!("{path} is not a text"))
            .with_hint("redirect the output to a file, or use --json")),
        (None, None) => Err(CliError::failed(format!("{path} cannot be decoded"))
            .with_hint("--json prints it as the service sent it")),
    }
}

async fn change_one(
    change: SkillAction,
    body: Value,
    dry: DryRun,
    session: &Session,
) -> Result<(), CliError> {
    let request = skills::change(change, Uuid::new_v4(), body);
    if dry.print_unsent(session.output, [&request])? {
        return Ok(());
    }
    let receipt = session.client.fetch_value::<Box<RawValue>>(request).await?;
    let done = match change {
        SkillAction::Create => "created the Skill",
        SkillAction::Fork => "copied the Skill",
        _ => "changed the Skill",
    };
    session.output.print_write_result(
        &receipt.value,
        columns::RECEIPT_COLUMNS,
        done,
        &json!({"change": change.as_str(), "done": true}),
    )
}

/// A change with a useful receipt: for a single Skill it is printed.
async fn change_with_receipt(
    ids: &IdArgs,
    change: SkillAction,
    done: &str,
    more: &Value,
    session: &Session,
) -> Result<(), CliError> {
    let given = ids.read_named::<SkillId>(session).await?;
    match given.single() {
        Some(id) => change_one(change, with_id(more, id), given.dry, session).await,
        None if change == SkillAction::Fork && more.get("name").is_some() => Err(CliError::usage(
            "--name works for one Skill only; several copies would get the same name",
        )),
        None => send_changes(given, change, done, more, session).await,
    }
}

async fn change_all(
    ids: &IdArgs,
    change: SkillAction,
    done: &str,
    more: Value,
    session: &Session,
) -> Result<(), CliError> {
    let given = ids.read_named::<SkillId>(session).await?;
    if change == SkillAction::Delete {
        given
            .confirm(
                session.output,
                |count| format!("Delete {count} for everyone who can see it?"),
                "Skill",
            )
            .await?;
    }
    send_changes(given, change, done, &more, session)
        .await
        .context(&format!("{} Skills", change.as_str()))
}

async fn send_changes(
    given: IdList<SkillId>,
    change: SkillAction,
    done: &str,
    more: &Value,
    session: &Session,
) -> Result<(), CliError> {
    let input = |id: &SkillId| with_id(more, id);
    let one = |id: &SkillId| skills::change(change, Uuid::new_v4(), input(id));
    let many = |ids: &[SkillId]| {
        skills::change_batch(change, ids.iter().map(|id| (Uuid::new_v4(), input(id))))
    };
    batch::run(done, given, session, one, many).await
}

fn with_id(more: &Value, id: &SkillId) -> Value {
    let mut body = more.clone();
    set_field(&mut body, "skill_id", Some(id.to_string()));
    body
}

impl SkillListArgs {
    fn to_filter(&self) -> SkillFilter {
        SkillFilter {
            q: self.query.clone(),
            source: self.source.clone(),
            lifecycle: self.lifecycle.clone(),
            audience: self.audience.clone(),
            installed: self
                .installed
                .map(|yes| if yes { "installed" } else { "not_installed" }.to_owned()),
            updated_after: self.updated_after,
            updated_before: self.updated_before,
        }
    }
}

fn set_field(body: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(body), Some(value)) = (body.as_object_mut(), value) {
        body.insert(name.to_owned(), value.into());
    }
}

fn read_files(files: &[(String, PathBuf)]) -> Result<Value, CliError> {
    let read = |(path, file): &(String, PathBuf)| {
        let content = std::fs::read_to_string(file)
            .map_err(|error| CliError::usage(format!("cannot read {}: {error}", file.display())))?;
        Ok(json!({"path": path, "content": content}))
    };
    files
        .iter()
        .map(read)
        .collect::<Result<Vec<_>, CliError>>()
        .map(Value::Array)
}

fn parse_file_arg(text: &str) -> Result<(String, PathBuf), String> {
    let (path, file) = text
        .split_once('=')
        .ok_or_else(|| format!("{text:?} is not PATH=FILE"))?;
    Ok((path.to_owned(), file.into()))
}
