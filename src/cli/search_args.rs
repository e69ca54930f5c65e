//! The arguments of a search: criteria, order, how many rows.

use clap::Args;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::client::{Client, Request};
use crate::domain::filters::Filters;
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, Search, SortOrder};

use super::exit::CliError;
use super::print;

/// What is searched for.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Criteria that all hold: city=Austin, stage!=approved, name=="Harbor Yard" (exactly), 'stories>=5', stories=5..9,
    /// has_account.role=developer; a comma means or
    #[arg(value_name = "FILTER")]
    terms: Vec<String>,
    /// Criteria as the interface's JSON instead
    #[arg(long, value_name = "JSON", conflicts_with = "terms")]
    filters: Option<String>,
    /// A sort key, with :asc or :desc; name goes up and all else down unless said
    #[arg(long, value_name = "FIELD", value_parser = parse_sort)]
    sort: Option<SortOrder>,
    /// How many rows; each costs a credit
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: u32,
    /// All that match; each costs a credit
    #[arg(long)]
    all: bool,
}

impl SearchArgs {
    /// The search, with a text where the route takes one. Says on standard error what was understood.
    pub(super) fn to_search(&self, query: &str) -> Result<Search, CliError> {
        let filters = Filters::parse(&self.terms).map_err(CliError::usage)?;
        if !filters.is_empty() && print::is_stderr_terminal() {
            print::write_note(&format!("searching for {filters}"));
        }
        let raw_filters = match &self.filters {
            Some(json) => Some(
                serde_json::from_str::<Value>(json).map_err(|error| CliError::usage(format!("--filters is no JSON: {error}")))?,
            ),
            None => None,
        };
        Ok(Search { query: query.to_owned(), filters, raw_filters, sort: self.sort.clone() })
    }

    /// The rows of a search, page by page.
    pub(super) fn pager(&self, client: &Client, request: Request) -> Pager<Box<RawValue>> {
        Pager::new(client, request, if self.all { u32::MAX } else { self.limit }, MAX_SEARCH_PAGE_ROWS)
    }
}

fn parse_sort(text: &str) -> Result<SortOrder, String> {
    let (field, order) = text.split_once(':').unwrap_or((text, if text == "name" { "asc" } else { "desc" }));
    let ascending = match order {
        "asc" => true,
        "desc" => false,
        _ => return Err(format!("the order is asc or desc, as {field}:desc")),
    };
    Ok(SortOrder { field: field.to_owned(), ascending })
}
