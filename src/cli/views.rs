//! `gantry views` and `gantry favorites`: shared record sets, and a person's own pointers to them.

use std::collections::HashSet;

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::{Client, favorites, views};
use crate::domain::ViewId;
use crate::domain::views::{View, ViewDraft};

use super::desk::Desk;
use super::dry::DryRun;
use super::ids::{Given, Ids};
use super::narrow::Narrow;
use super::objects::Line;
use super::output::Output;
use super::stop::{Doing, Stop};
use super::{batch, columns, complete, objects, paging, vocabulary};

/// What can be done with Views.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the workspace's Views
    #[command(after_help = "Example: gantry --demo views list")]
    List,
    /// Show a View
    #[command(
        after_help = "Example: gantry --demo views show $(gantry --demo views list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Show {
        /// The View
        #[arg(add = ArgValueCompleter::new(complete::views))]
        id: ViewId,
    },
    /// Make a View, Static unless it gets a definition
    #[command(
        after_help = "Example: gantry --demo views create 'Towers to call' --dataset project --description 'Ten stories and more'"
    )]
    Create(Create),
    /// Delete Views; their records stay
    #[command(
        after_help = "Example: gantry --demo views delete $(gantry --demo views list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Delete(Ids),
    /// Search what a View holds; a credit a row
    #[command(
        after_help = "Example: gantry --demo views search $(gantry --demo views list --format csv | tail -n +2 | head -1 | cut -d, -f1) --limit 5"
    )]
    Search {
        /// The View
        #[arg(add = ArgValueCompleter::new(complete::views))]
        view: ViewId,
        #[command(flatten)]
        narrow: Narrow,
        /// A text
        #[arg(long, default_value = "", hide_default_value = true)]
        query: String,
    },
    /// Add records to a Static View
    #[command(
        after_help = "Example: gantry --demo book accounts search --limit 2 --format csv | tail -n +2 | cut -d, -f1 | gantry --demo views add $(gantry --demo views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) --stdin"
    )]
    Add {
        /// The View
        #[arg(add = ArgValueCompleter::new(complete::views))]
        view: ViewId,
        #[command(flatten)]
        records: Ids,
    },
    /// Remove records from a Static View
    #[command(
        after_help = "Example: gantry --demo book accounts search --limit 2 --format csv | tail -n +2 | cut -d, -f1 | gantry --demo views remove $(gantry --demo views list --format csv | grep ',account,static,' | head -1 | cut -d, -f1) --stdin"
    )]
    Remove {
        /// The View
        #[arg(add = ArgValueCompleter::new(complete::views))]
        view: ViewId,
        #[command(flatten)]
        records: Ids,
    },
}

/// A new View.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name
    #[arg(required_unless_present = "stdin")]
    name: Option<String>,
    /// What it holds
    #[arg(long, required_unless_present = "stdin")]
    dataset: Option<Dataset>,
    /// What it is for
    #[arg(long)]
    description: Option<String>,
    /// The stored definition of a Dynamic View, as JSON in its own grammar
    #[arg(long, value_name = "JSON")]
    definition: Option<String>,
    /// Make many: read them from standard input, a JSON object a line, as views list --format jsonl prints them
    #[arg(long, conflicts_with_all = ["name", "dataset", "description", "definition"])]
    stdin: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// What a View holds.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Dataset {
    Account,
    Contact,
    Project,
}

/// What can be done with Favorite Views. They need a user token.
#[derive(Debug, Subcommand)]
pub enum Favorites {
    /// List your favorites
    #[command(after_help = "Example: gantry --demo favorites list")]
    List,
    /// Make Views your favorites
    #[command(
        after_help = "Example: gantry --demo favorites add $(gantry --demo views list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Add(Ids),
    /// Make them no favorites; the Views stay
    #[command(
        after_help = "Example: gantry --demo favorites remove $(gantry --demo views list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Remove(Ids),
}

pub(super) async fn run(verb: &Verb, desk: &Desk, output: Output) -> Result<(), Stop> {
    let client = &desk.client;
    match verb {
        Verb::List => {
            let rows = output.all(client, views::list(), columns::VIEWS).await.doing("list Views")?;
            vocabulary::keep_views(desk.vocabulary.as_deref(), &rows);
            Ok(())
        }
        Verb::Show { id } => {
            let view = client.value::<Box<RawValue>>(views::get(*id)).await.doing(&format!("show the View {id}"))?;
            output.record(&view.value, columns::VIEWS)
        }
        Verb::Create(create) if create.stdin => {
            let given = objects::read::<ViewDraft>(create.dry).await?;
            let fresh = |line: &Line<ViewDraft>| ViewDraft { view_id: None, ..line.value.clone() };
            let many = |lines: &[Line<ViewDraft>]| views::upsert_batch(&lines.iter().map(fresh).collect::<Vec<_>>());
            batch::run("made", given, client, output, |line| views::upsert(&fresh(line)), many).await.doing("make Views")
        }
        Verb::Create(create) => {
            let draft = create.draft()?;
            let request = views::upsert(&draft);
            if create.dry.tells(output, std::slice::from_ref(&request))? {
                return Ok(());
            }
            let view = client.value::<Box<RawValue>>(request).await.doing("make the View")?;
            let sentence = format!("made the View {}", draft.name.as_deref().unwrap_or_default());
            output.written(&view.value, columns::VIEWS, &sentence, &draft)
        }
        Verb::Delete(ids) => {
            let mut given = ids.read::<ViewId>().await?;
            there(&mut given, client).await.doing("list Views")?;
            let one = |id: &ViewId| views::delete(*id);
            batch::run("deleted", given, client, output, one, views::delete_batch).await.doing("delete Views")
        }
        Verb::Search { view, narrow, query } => {
            let pages = narrow.pages(client, views::search(*view, &narrow.search(query)?));
            paging::list(pages, output, columns::VIEW_RECORDS).await.doing(&format!("search the View {view}"))
        }
        Verb::Add { view, records } => {
            let given = records.read::<Uuid>().await?;
            let (one, many) = (|id: &Uuid| views::add(*view, *id), |ids: &[Uuid]| views::add_batch(*view, ids));
            batch::run("added", given, client, output, one, many).await.doing(&format!("add to the View {view}"))
        }
        Verb::Remove { view, records } => {
            let given = records.read::<Uuid>().await?;
            let (one, many) = (|id: &Uuid| views::remove(*view, *id), |ids: &[Uuid]| views::remove_batch(*view, ids));
            let given = Given { ok_if_missing: true, ..given };
            batch::run("removed", given, client, output, one, many).await.doing(&format!("remove from the View {view}"))
        }
    }
}

pub(super) async fn run_favorites(verb: &Favorites, client: &Client, output: Output) -> Result<(), Stop> {
    match verb {
        Favorites::List => output.all(client, favorites::list(), columns::FAVORITES).await.doing("list favorites").map(drop),
        Favorites::Add(ids) => {
            let given = ids.read::<ViewId>().await?;
            let one = |id: &ViewId| favorites::upsert(*id);
            batch::run("added", given, client, output, one, favorites::upsert_batch).await.doing("add favorites")
        }
        Favorites::Remove(ids) => {
            let given = Given { ok_if_missing: true, ..ids.read::<ViewId>().await? };
            let one = |id: &ViewId| favorites::delete(*id);
            batch::run("removed", given, client, output, one, favorites::delete_batch).await.doing("remove favorites")
        }
    }
}

/// Of several that a batch is to delete, those that are there, where the list tells: it costs nothing, and the batch would not say.
async fn there(given: &mut Given<ViewId>, client: &Client) -> Result<(), Stop> {
    if given.alone().is_some() || given.ids.is_empty() || given.dry.dry_run {
        return Ok(());
    }
    let list = client.rows::<View>(views::list()).await?.value;
    let is_whole = list.unreadable == 0 && list.total.is_none_or(|total| total <= list.rows.len() as u64);
    if is_whole {
        let ids: HashSet<_> = list.rows.iter().map(|view| view.id).collect();
        given.keep_those_that_are(|id| ids.contains(id));
    }
    Ok(())
}

impl Create {
    fn draft(&self) -> Result<ViewDraft, Stop> {
        let definition = self.definition.as_deref().map(serde_json::from_str).transpose();
        let definition = definition.map_err(|error| Stop::usage(format!("--definition is no JSON: {error}")))?;
        let dataset = self.dataset.map(|dataset| match dataset {
            Dataset::Account => "account",
            Dataset::Contact => "contact",
            Dataset::Project => "project",
        });
        Ok(ViewDraft {
            view_id: None,
            name: self.name.clone(),
            description: self.description.clone(),
            dataset: dataset.map(str::to_owned),
            kind: Some(if definition.is_some() { "dynamic" } else { "static" }.to_owned()),
            definition,
        })
    }
}
