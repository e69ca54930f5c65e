//! `gantry views` and `gantry favorites`: shared record sets, and the user's favorites among them.

use std::collections::HashSet;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::client::{Request, favorites, views};
use crate::domain::ViewId;
use crate::domain::book::Dataset;
use crate::domain::views::{Favorite, View, ViewDraft};

use super::dry_run::{DryRun, Written};
use super::error::{CliError, Context};
use super::ids::{IdArgs, IdList};
use super::json_lines::JsonLine;
use super::list_args::ListArgs;
use super::names::find_id;
use super::search_args::{SearchArgs, check_line, parse_line};
use super::session::Session;
use super::{batch, columns, completions, json_lines, paging, vocabulary_cache};

#[derive(Debug, Subcommand)]
pub enum ViewsCommand {
    /// List the workspace's Views
    #[command(after_help = "Example: gantry --demo views list --sort name")]
    List(ListArgs),
    /// Show a View
    #[command(after_help = "Example: gantry --demo views show 'Q3 call list'")]
    Show {
        /// Id or name of the View
        #[arg(value_name = "VIEW", add = ArgValueCompleter::new(completions::views))]
        view: String,
    },
    /// Create a View; it is Static unless it has a definition
    #[command(
        after_help = "Example: gantry --demo views create 'Towers to call' --dataset project --description 'Ten stories and more'"
    )]
    Create(ViewCreateArgs),
    /// Delete Views; their records are kept
    #[command(after_help = "Example: gantry --demo views delete 'Trade show follow-up'")]
    Delete(IdArgs),
    /// Search the records of a View; 1 credit per row
    #[command(after_help = "Example: gantry --demo views search 'Q3 call list' --limit 5")]
    Search {
        /// Id or name of the View
        #[arg(add = ArgValueCompleter::new(completions::views))]
        view: String,
        #[command(flatten)]
        criteria: SearchArgs,
        /// Text to search for
        #[arg(long, default_value = "", hide_default_value = true)]
        query: String,
    },
    /// Add records to a Static View
    #[command(
        after_help = "Example: gantry --demo book search accounts --limit 2 --json | gantry --demo views add 'Q3 call list' --stdin"
    )]
    Add {
        /// Id or name of the View
        #[arg(add = ArgValueCompleter::new(completions::views))]
        view: String,
        #[command(flatten)]
        records: IdArgs,
    },
    /// Remove records from a Static View
    #[command(
        after_help = "Example: gantry --demo book search accounts --limit 2 --json | gantry --demo views remove 'Q3 call list' --stdin"
    )]
    Remove {
        /// Id or name of the View
        #[arg(add = ArgValueCompleter::new(completions::views))]
        view: String,
        #[command(flatten)]
        records: IdArgs,
    },
}

#[derive(Debug, Args)]
pub struct ViewCreateArgs {
    /// Name
    #[arg(required_unless_present = "stdin")]
    name: Option<String>,
    /// Record type of the View
    #[arg(long, required_unless_present = "stdin", value_parser = ["account", "contact", "project"])]
    dataset: Option<String>,
    /// Description
    #[arg(long)]
    description: Option<String>,
    /// Definition of a Dynamic View, as JSON in the service's own grammar
    #[arg(long, value_name = "JSON")]
    definition: Option<String>,
    /// Conditions of a Dynamic View in one line, as in the console: 'city=Austin cost>5M'
    #[arg(long, value_name = "CONDITIONS", value_parser = check_line, conflicts_with = "definition")]
    filter: Option<String>,
    /// Create many: read JSON objects from standard input, one per line, as printed by views list
    /// --format jsonl
    #[arg(long, conflicts_with_all = ["name", "dataset", "description", "definition", "filter"])]
    stdin: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// Favorites require a user token.
#[derive(Debug, Subcommand)]
pub enum FavoritesCommand {
    /// List your favorites
    #[command(after_help = "Example: gantry --demo favorites list")]
    List(ListArgs),
    /// Add Views to your favorites
    #[command(after_help = "Example: gantry --demo favorites add 'Q3 call list'")]
    Add(IdArgs),
    /// Remove Views from your favorites; the Views are kept
    #[command(after_help = "Example: gantry --demo favorites remove 'Q3 call list'")]
    Remove(IdArgs),
}

pub(super) async fn run(verb: &ViewsCommand, session: &Session) -> Result<(), CliError> {
    let client = &session.client;
    match verb {
        ViewsCommand::List(list) => {
            let (columns, what) = (columns::VIEW_COLUMNS, "list Views");
            let rows = list
                .fetch(session, views::list(), columns)
                .await
                .context(what)?;
            vocabulary_cache::save_views(session.vocabulary_folder.as_deref(), &rows.rows);
            list.print_fetched(rows, columns, session.output)
                .context(what)
        }
        ViewsCommand::Show { view } => {
            let request = views::get(find_id(view, session).await?);
            let what = format!("show the View {view}");
            session
                .fetch_and_print(request, columns::VIEW_COLUMNS, &what)
                .await
        }
        ViewsCommand::Create(create) if create.stdin => {
            let given = json_lines::read_json_lines::<ViewDraft>(create.dry).await?;
            let fresh = |line: &JsonLine<ViewDraft>| ViewDraft {
                view_id: None,
                ..line.value.clone()
            };
            let many = |lines: &[JsonLine<ViewDraft>]| {
                views::upsert_batch(&lines.iter().map(fresh).collect::<Vec<_>>())
            };
            batch::run(
                "created",
                given,
                session,
                |line| views::upsert(&fresh(line)),
                many,
            )
            .await
            .context("create Views")
        }
        ViewsCommand::Create(create) => {
            let draft = create.to_draft(session).await?;
            let request = views::upsert(&draft);
            let name = draft.name.as_deref().unwrap_or_default();
            let written = Written {
                what: "create the View".to_owned(),
                columns: columns::VIEW_COLUMNS,
                sentence: format!("created the View {name}"),
                value: draft.clone(),
            };
            create.dry.write(request, written, session).await
        }
        ViewsCommand::Delete(ids) => {
            let mut given = ids.read_named::<ViewId>(session).await?;
            // A single one is answered with 404.
            if given.single().is_none() {
                set_aside_missing(&mut given, views::list(), |view: &View| view.id, session)
                    .await
                    .context("list Views")?;
            }
            given
                .confirm(
                    session.output,
                    |count| format!("Delete {count} for the whole workspace? Its records are kept"),
                    "View",
                )
                .await?;
            let one = |id: &ViewId| views::delete(*id);
            batch::run("deleted", given, session, one, views::delete_batch)
                .await
                .context("delete Views")
        }
        ViewsCommand::Search {
            view,
            criteria,
            query,
        } => {
            let id = find_id(view, session).await?;
            let pages = criteria.pager(
                client,
                views::search_records(id, &criteria.to_search(query)?),
            );
            let what = format!("search the View {view}");
            paging::print_pages(session, pages, columns::VIEW_RECORD_COLUMNS, &what).await
        }
        ViewsCommand::Add { view, records } => {
            let given = records.read::<Uuid>().await?;
            let to = find_id(view, session).await?;
            let (one, many) = (
                |id: &Uuid| views::add_record(to, *id),
                |ids: &[Uuid]| views::add_records(to, ids),
            );
            batch::run("added", given, session, one, many)
                .await
                .context(&format!("add to the View {view}"))
        }
        ViewsCommand::Remove { view, records } => {
            let given = records.read::<Uuid>().await?;
            let from = find_id(view, session).await?;
            let (one, many) = (
                |id: &Uuid| views::remove_record(from, *id),
                |ids: &[Uuid]| views::remove_records(from, ids),
            );
            let given = IdList {
                ok_if_missing: true,
                ..given
            };
            batch::run("removed", given, session, one, many)
                .await
                .context(&format!("remove from the View {view}"))
        }
    }
}

pub(super) async fn run_favorites(
    verb: &FavoritesCommand,
    session: &Session,
) -> Result<(), CliError> {
    match verb {
        FavoritesCommand::List(list) => {
            list.fetch_and_print(
                session,
                favorites::list(),
                columns::FAVORITE_COLUMNS,
                "list favorites",
            )
            .await
        }
        FavoritesCommand::Add(ids) => {
            let given = ids.read_named::<ViewId>(session).await?;
            let one = |id: &ViewId| favorites::upsert(*id);
            batch::run("added", given, session, one, favorites::upsert_batch)
                .await
                .context("add favorites")
        }
        FavoritesCommand::Remove(ids) => {
            let mut given = ids.read_named::<ViewId>(session).await?;
            let list = favorites::list();
            set_aside_missing(
                &mut given,
                list,
                |favorite: &Favorite| favorite.view_id,
                session,
            )
            .await
            .context("list favorites")?;
            let one = |id: &ViewId| favorites::delete(*id);
            batch::run("removed", given, session, one, favorites::delete_batch)
                .await
                .context("remove favorites")
        }
    }
}

/// Sets aside Views that the list does not have, because a delete reports "ok" for them too. The
/// lists are free.
async fn set_aside_missing<T: DeserializeOwned + Send>(
    given: &mut IdList<ViewId>,
    list: Request,
    id: fn(&T) -> ViewId,
    session: &Session,
) -> Result<(), CliError> {
    if given.ids.is_empty() || given.dry.dry_run {
        return Ok(());
    }
    let list = session.client.fetch_rows::<T>(list).await?.value;
    let is_whole = list.unreadable == 0
        && list
            .total
            .is_none_or(|total| total <= list.rows.len() as u64);
    if is_whole {
        let ids: HashSet<_> = list.rows.iter().map(id).collect();
        given.retain_existing(|id| ids.contains(id));
    }
    given.ok_if_missing = !is_whole;
    Ok(())
}

impl ViewCreateArgs {
    async fn to_draft(&self, session: &Session) -> Result<ViewDraft, CliError> {
        let definition = match (&self.filter, &self.definition) {
            (Some(line), _) => {
                let filters = parse_line(line).map_err(CliError::usage)?;
                let kind = self.dataset.as_deref().unwrap_or_default();
                let dataset = Dataset::from(format!("{kind}s").as_str());
                Some(session.define_view(&dataset, &filters).await?)
            }
            (None, Some(json)) => Some(serde_json::from_str(json).map_err(|error| {
                CliError::usage(format!("--definition is not valid JSON: {error}"))
            })?),
            (None, None) => None,
        };
        Ok(ViewDraft {
            view_id: None,
            name: self.name.clone(),
            description: self.description.clone(),
            dataset: self.dataset.clone(),
            kind: Some(
                if definition.is_some() {
                    "dynamic"
                } else {
                    "static"
                }
                .to_owned(),
            ),
            definition,
        })
    }
}
