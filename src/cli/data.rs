//! `gantry data`: the global index, read only.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::client::{Client, data};
use crate::domain::book;

use super::columns;
use super::desk::Desk;
use super::narrow::Narrow;
use super::output::Output;
use super::paging;
use super::stop::{Doing, Stop};
use super::vocabulary;

/// What can be done with the index.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Search a dataset; a credit a row
    #[command(after_help = "Example: gantry --demo data search projects 'stories>=5' has_account.role=developer --limit 5")]
    Search {
        /// What is searched
        dataset: Dataset,
        #[command(flatten)]
        narrow: Narrow,
    },
    /// Show a record with all that is related to it; a credit
    #[command(
        after_help = "Example: gantry --demo data show projects $(gantry --demo data search projects --limit 1 --format csv | tail -n +2 | cut -d, -f1)"
    )]
    Show(Show),
    /// Show what can be asked of a dataset, or one key of it
    #[command(after_help = "Example: gantry --demo data fields projects stage")]
    Fields {
        /// Whose keys
        dataset: Dataset,
        /// One key
        key: Option<String>,
    },
    /// Show what can be asked of another entity, as skill
    #[command(after_help = "Example: gantry --demo data filters skill")]
    Filters {
        /// Whose keys
        entity: String,
    },
    /// Turn a question into filters; nothing is searched
    #[command(after_help = "Example: gantry --demo data ask projects 'permitted towers in Austin'")]
    Ask {
        /// What is asked about
        entity: String,
        /// The question
        question: String,
    },
}

/// Which record, and how much of it.
#[derive(Debug, Args)]
pub struct Show {
    /// What kind of record
    dataset: Dataset,
    /// The record
    id: Uuid,
    /// Embed this only; all that there is unless said
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    include: Vec<String>,
}

/// A dataset of the index.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Dataset {
    /// Firms
    Accounts,
    /// People
    Contacts,
    /// Projects
    Projects,
    /// Signals
    Signals,
}

impl From<Dataset> for book::Dataset {
    fn from(dataset: Dataset) -> Self {
        match dataset {
            Dataset::Accounts => book::Dataset::Accounts,
            Dataset::Contacts => book::Dataset::Contacts,
            Dataset::Projects => book::Dataset::Projects,
            Dataset::Signals => book::Dataset::Signals,
        }
    }
}

pub(super) async fn run(verb: &Verb, desk: &Desk, output: Output) -> Result<(), Stop> {
    let client = &desk.client;
    match verb {
        Verb::Search { dataset, narrow } => {
            let dataset = (*dataset).into();
            let search = vocabulary::settle(client, desk.vocabulary.as_deref(), &dataset, narrow.search("")?);
            let search = search.await.map_err(Stop::usage)?;
            let request = data::search(&dataset, &search);
            paging::list(narrow.pages(client, request), output, columns::dataset(&dataset))
                .await
                .doing(&format!("search {dataset}"))
        }
        Verb::Show(show) => {
            let dataset = show.dataset.into();
            let includes = includes(&show.include, &dataset);
            let answer = client.value::<Box<RawValue>>(data::get(&dataset, show.id, includes)).await;
            let answer = answer.doing(&format!("show {}", show.id))?;
            output.record(&answer.value, columns::dataset(&dataset))?;
            output.receipt(answer.credits);
            Ok(())
        }
        Verb::Fields { dataset, key } => {
            let dataset = (*dataset).into();
            match key {
                Some(key) => {
                    let field = client
                        .value::<Box<RawValue>>(data::field(&dataset, key))
                        .await
                        .doing(&format!("show {dataset}.{key}"))?;
                    output.record(&field.value, columns::FIELDS)
                }
                None => {
                    let whole = fields(data::fields(&dataset), client, output).await;
                    vocabulary::keep(desk.vocabulary.as_deref(), &dataset, &whole.doing(&format!("show the keys of {dataset}"))?);
                    Ok(())
                }
            }
        }
        Verb::Filters { entity } => {
            fields(data::filters(entity), client, output).await.doing(&format!("show the keys of {entity}")).map(drop)
        }
        Verb::Ask { entity, question } => {
            let answer = client.value::<Box<RawValue>>(data::ask(entity, question)).await.doing("ask")?;
            output.json(&answer.value)
        }
    }
}

/// The fields of a vocabulary; one that has another shape than ours is shown as it is.
async fn fields(request: crate::client::Request, client: &Client, output: Output) -> Result<Box<RawValue>, Stop> {
    let whole = client.value::<Box<RawValue>>(request).await?.value;
    let fields = crate::export::json::RawFields::from_raw(&whole);
    match fields.get("fields").and_then(|fields| serde_json::from_str::<Vec<Box<RawValue>>>(fields.get()).ok()) {
        Some(rows) => output.rows(&rows, columns::FIELDS)?,
        None => output.json(&whole)?,
    }
    Ok(whole)
}

/// What was asked for, or all that there is.
pub(super) fn includes<'a>(asked: &'a [String], dataset: &book::Dataset) -> Vec<&'a str> {
    if asked.is_empty() { dataset.available_includes().to_vec() } else { asked.iter().map(String::as_str).collect() }
}
