//! `gantry data saved`: searches of the index that were named, in the console or here. They are on
//! this machine.

use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use crate::client::paging::Pager;
use crate::client::{data, search};
use crate::domain::book::Dataset;
use crate::domain::conditions::Conditions;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, Search, SortOrder};
use crate::store::named_searches::NamedSearchStore;

use super::columns::{self, Column, FieldKind, NAME, column, text_column};
use super::error::{CliError, Context};
use super::list_args::ListArgs;
use super::paging;
use super::search_args::{parse_dataset, parse_sort};
use super::session::Session;

#[derive(Debug, Subcommand)]
pub enum SavedCommand {
    /// List the saved searches with their last counts; reads nothing
    #[command(after_help = "Example: gantry data saved list")]
    List(ListArgs),
    /// Save a search under a name, on this machine; replaces one of this name
    #[command(
        after_help = "Example: gantry data saved save 'Austin, no gc' projects city=Austin without_account.role=gc"
    )]
    Save {
        /// Name of the saved search
        name: String,
        /// Dataset to search
        #[arg(value_parser = parse_dataset())]
        dataset: Dataset,
        /// Criteria, joined with AND, as in data search
        #[arg(value_name = "FILTER")]
        terms: Vec<String>,
        /// Sort field, with :asc or :desc [default: ascending for name, else descending]
        #[arg(long, value_name = "FIELD", value_parser = parse_sort)]
        sort: Option<SortOrder>,
    },
    /// Run a saved search; 1 credit per row
    #[command(after_help = "Example: gantry data saved run 'Austin, no gc' --limit 5")]
    Run {
        /// Name of the saved search
        name: String,
        /// Maximum number of rows; each costs 1 credit
        #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
        limit: u32,
        /// List all matches; each costs 1 credit
        #[arg(long)]
        all: bool,
    },
    /// Count what a saved search matches, and show the change since the last count of an earlier
    /// day; 1 credit
    #[command(after_help = "Example: gantry data saved count 'Austin, no gc'")]
    Count {
        /// Name of the saved search
        name: String,
    },
    /// Rename a saved search
    #[command(after_help = "Example: gantry data saved rename 'Austin, no gc' 'Austin leads'")]
    Rename {
        /// Name of the saved search
        name: String,
        /// New name
        to: String,
    },
    /// Delete a saved search
    #[command(after_help = "Example: gantry data saved delete 'Austin, no gc'")]
    Delete {
        /// Name of the saved search
        name: String,
    },
}

const SAVED_COLUMNS: &[Column] = &[
    NAME,
    text_column("dataset", "DATASET"),
    column("total", "MATCH", FieldKind::Number),
    column("change", "CHANGE", FieldKind::Number),
    column("change_since", "SINCE", FieldKind::Time),
    column("counted_at", "COUNTED", FieldKind::Time),
    text_column("filters", "SEARCH"),
];

/// A row of `data saved list`, and the report of `data saved count`.
#[derive(Serialize)]
struct SavedRow<'a> {
    name: &'a str,
    dataset: &'a str,
    filters: String,
    total: Option<u64>,
    is_capped: bool,
    counted_at: Option<DateTime<Utc>>,
    change: Option<i64>,
    change_since: Option<DateTime<Utc>>,
}

impl<'a> From<&'a NamedSearch> for SavedRow<'a> {
    fn from(search: &'a NamedSearch) -> Self {
        let (count, change) = (search.last_count(), search.change());
        SavedRow {
            name: &search.name,
            dataset: search.dataset.as_str(),
            filters: search.filters.to_line(""),
            total: count.map(|count| count.total),
            is_capped: count.is_some_and(|count| count.is_capped),
            counted_at: count.map(|count| count.at),
            change: change.map(|(by, _)| by),
            change_since: change.map(|(_, since)| since),
        }
    }
}

pub(super) async fn run(command: &SavedCommand, session: &Session) -> Result<(), CliError> {
    let store = session.named_search_store();
    let (client, output) = (&session.client, session.output);
    match command {
        SavedCommand::List(list) => {
            let saved = store.load_all().await?;
            list.print_rows(saved.iter().map(SavedRow::from), SAVED_COLUMNS, output)
        }
        SavedCommand::Save {
            name,
            dataset,
            terms,
            sort,
        } => {
            let filters = Conditions::parse(terms).map_err(CliError::usage)?;
            let search = Search {
                filters,
                sort: sort.clone(),
                ..Search::default()
            };
            let search = session.resolve_search(dataset, search).await?;
            if search.filters.is_empty() && search.sort.is_none() {
                return Err(CliError::usage(
                    "a saved search needs a condition, e.g. city=Austin",
                ));
            }
            let saved = NamedSearch {
                name: name.clone(),
                dataset: dataset.clone(),
                filters: search.filters,
                sort: search.sort,
                limit: search.limit,
                saved_at: Utc::now(),
                counts: Vec::new(),
            };
            store.save(name.clone(), Some(saved));
            output.print_summary(
                &format!("saved as {name}, on this machine"),
                &json!({"name": name}),
            )
        }
        SavedCommand::Run { name, limit, all } => {
            let saved = find(&store, name).await?;
            let request = data::search(&saved.dataset, &saved.search());
            let pager = Pager::new(
                client,
                request,
                if *all { u32::MAX } else { *limit },
                MAX_SEARCH_PAGE_ROWS,
            );
            let columns = columns::dataset_columns(&saved.dataset);
            paging::print_pages(session, pager, columns, &format!("run {name}")).await
        }
        SavedCommand::Count { name } => {
            let mut saved = find(&store, name).await?;
            let request = search::search_page(&saved.source(), &saved.search(), None, 1);
            let page = client
                .search_page(request, 1)
                .await
                .context(&format!("count {name}"))?;
            let total = page
                .value
                .total
                .ok_or_else(|| CliError::failed("the service did not report a number"))?;
            let at = page.date.unwrap_or_else(Utc::now);
            saved.add_count(SearchCount {
                at,
                total,
                is_capped: page.value.total_is_capped,
            });
            store.save(name.clone(), Some(saved.clone()));
            output.print_summary(&count_sentence(&saved, total), &SavedRow::from(&saved))?;
            output.print_cost(page.value.credits);
            Ok(())
        }
        SavedCommand::Rename { name, to } => {
            let saved = find(&store, name).await?;
            if store
                .load_all()
                .await?
                .iter()
                .any(|search| search.name == *to)
            {
                return Err(
                    CliError::usage(format!("there is already a saved search {to:?}"))
                        .with_hint("choose another name"),
                );
            }
            store.save(name.clone(), None);
            store.save(
                to.clone(),
                Some(NamedSearch {
                    name: to.clone(),
                    ..saved
                }),
            );
            output.print_summary(&format!("renamed to {to}"), &json!({"name": to}))
        }
        SavedCommand::Delete { name } => {
            find(&store, name).await?;
            output
                .confirm(&format!(
                    "Delete the saved search {name} from this machine?"
                ))
                .await?;
            store.save(name.clone(), None);
            output.print_summary(&format!("deleted {name}"), &json!({"name": name}))
        }
    }
}

/// "47 match, +4 since 2026-07-08 17:10".
fn count_sentence(saved: &NamedSearch, total: u64) -> String {
    let more = if saved.last_count().is_some_and(|count| count.is_capped) {
        " or more"
    } else {
        ""
    };
    let change = saved
        .change()
        .map(|(by, since)| format!(", {by:+} since {}", since.format("%Y-%m-%d %H:%M")));
    format!("{total}{more} match{}", change.unwrap_or_default())
}

async fn find(store: &NamedSearchStore, name: &str) -> Result<NamedSearch, CliError> {
    let all = store.load_all().await?;
    let names: Vec<&str> = all.iter().map(|search| search.name.as_str()).collect();
    if let Some(search) = all.iter().find(|search| search.name == name) {
        return Ok(search.clone());
    }
    let near = crate::domain::fuzzy::closest_match(name, names.iter().copied())
        .map(|near| format!("did you mean {near}? "));
    let hint = format!(
        "{}list them: gantry data saved list",
        near.unwrap_or_default()
    );
    Err(CliError::not_found(format!("no saved search is called {name:?}")).with_hint(hint))
}
