//! `gantry data`: the global index, read-only.

use clap::{Args, Subcommand};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::data;
use crate::domain::book::Dataset;

use super::columns::{self, Column, hidden, text_column};
use super::error::{CliError, Context};
use super::ids::parse_id;
use super::paging;
use super::saved::{self, SavedCommand};
use super::search_args::{SearchArgs, parse_dataset};
use super::session::Session;
use super::vocabulary_cache;

const FIELD_COLUMNS: &[Column] = &[
    text_column("key", "KEY"),
    text_column("label", "LABEL"),
    text_column("kind", "KIND"),
    text_column("values", "VALUES"),
    hidden("multi"),
    hidden("exact_match"),
    hidden("related"),
    hidden("negated"),
    hidden("fields"),
];

/// A question that became filters.
const QUESTION_COLUMNS: &[Column] = &[
    text_column("entity", "ENTITY"),
    text_column("explanation", "EXPLANATION"),
    text_column("filters", "FILTERS"),
    text_column("sort", "SORT"),
    text_column("unmatched", "NOT UNDERSTOOD"),
];

#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Search a dataset; 1 credit per row
    #[command(
        after_help = "Example: gantry --demo data search projects 'stories>=5' has_account.role=developer --limit 5"
    )]
    Search {
        /// Dataset to search
        #[arg(value_parser = parse_dataset())]
        dataset: Dataset,
        #[command(flatten)]
        criteria: SearchArgs,
    },
    /// Show a record and its related records; 1 credit
    #[command(
        after_help = "Example: gantry --demo data show projects $(gantry --demo data search projects --limit 1 --format csv | tail -n +2 | cut -d, -f1)"
    )]
    Show(DataShowArgs),
    /// List the filterable fields of a dataset, or show one
    #[command(after_help = "Example: gantry --demo data fields projects stage")]
    Fields {
        /// Dataset or entity
        #[arg(value_parser = parse_dataset())]
        dataset: Dataset,
        /// Show only this field
        key: Option<String>,
    },
    /// List the filterable fields of another entity, e.g. skill
    #[command(after_help = "Example: gantry --demo data filters skill")]
    Filters {
        /// Dataset or entity
        entity: String,
    },
    /// Turn a question into filters, without searching
    #[command(after_help = "Example: gantry --demo data ask projects 'permitted towers in Austin'")]
    Ask {
        /// Dataset or entity that the question is about
        entity: String,
        /// Question in plain English
        question: String,
    },
    /// List, run and count saved searches; they are on this machine
    #[command(subcommand)]
    Saved(SavedCommand),
}

#[derive(Debug, Args)]
pub struct DataShowArgs {
    /// Dataset of the record
    #[arg(value_parser = parse_dataset())]
    dataset: Dataset,
    /// Record id
    #[arg(value_parser = parse_id::<Uuid>)]
    id: Uuid,
    /// Include only these related records [default: all]
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    include: Vec<String>,
}

pub(super) async fn run(verb: &DataCommand, session: &Session) -> Result<(), CliError> {
    match verb {
        DataCommand::Search { dataset, criteria } => {
            let search = criteria.to_search("")?;
            let search = session.resolve_search(dataset, search).await?;
            let pages = criteria.pager(&session.client, data::search(dataset, &search));
            let (columns, what) = (
                columns::dataset_columns(dataset),
                format!("search {dataset}"),
            );
            paging::print_pages(session, pages, columns, &what).await
        }
        DataCommand::Show(show) => {
            let dataset = &show.dataset;
            let includes = includes_or_all(&show.include, dataset);
            let request = data::get(dataset, show.id, includes);
            let (columns, what) = (
                columns::dataset_columns(dataset),
                format!("show {}", show.id),
            );
            session.fetch_and_print(request, columns, &what).await
        }
        DataCommand::Fields { dataset, key } => match key {
            Some(key) => {
                let request = data::field(dataset, key);
                let what = format!("show {dataset}.{key}");
                session.fetch_and_print(request, FIELD_COLUMNS, &what).await
            }
            None => {
                let whole = print_fields(data::fields(dataset), session).await;
                vocabulary_cache::save_vocabulary(
                    session.vocabulary_folder.as_deref(),
                    dataset,
                    &whole.context(&format!("show the fields of {dataset}"))?,
                );
                Ok(())
            }
        },
        DataCommand::Filters { entity } => print_fields(data::filters(entity), session)
            .await
            .context(&format!("show the fields of {entity}"))
            .map(drop),
        DataCommand::Saved(command) => saved::run(command, session).await,
        DataCommand::Ask { entity, question } => {
            let request = data::ask_question(entity, question);
            session
                .fetch_and_print(request, QUESTION_COLUMNS, "ask")
                .await
        }
    }
}

/// Prints the fields of a vocabulary; a response of another shape is printed unchanged.
async fn print_fields(
    request: crate::client::Request,
    session: &Session,
) -> Result<Box<RawValue>, CliError> {
    let whole = session
        .client
        .fetch_value::<Box<RawValue>>(request)
        .await?
        .value;
    let fields = crate::export::json::RawFields::from_raw(&whole);
    match fields
        .get("fields")
        .and_then(|fields| serde_json::from_str::<Vec<Box<RawValue>>>(fields.get()).ok())
    {
        Some(rows) => session.output.print_rows(&rows, FIELD_COLUMNS)?,
        None => session.output.print_json(&whole)?,
    }
    Ok(whole)
}

/// The requested includes, or all available ones.
pub(super) fn includes_or_all<'a>(requested: &'a [String], dataset: &Dataset) -> Vec<&'a str> {
    if requested.is_empty() {
        dataset.available_includes().to_vec()
    } else {
        requested.iter().map(String::as_str).collect()
    }
}
