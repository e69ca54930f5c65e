//! The arguments of a search: criteria, order and limit.

use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::paging::Pager;
use crate::client::{Client, Request};
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionLine, Conditions};
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, Search, SortOrder};
use crate::domain::sentence::describe_search;
use crate::domain::vocabulary::Vocabulary;

use super::error::CliError;
use super::print;
use super::word_args::parse_explained_word;

/// Parses a dataset of the index.
pub(super) fn parse_dataset() -> impl TypedValueParser<Value = Dataset> {
    parse_explained_word([
        ("accounts", "Firms"),
        ("contacts", "People"),
        ("projects", "Projects"),
        ("signals", "Signals"),
    ])
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Criteria, joined with AND: city=Austin, stage!=approved, name=="Harbor Yard" (exact),
    /// 'stories>=5', stories=5..9, has_account.role=developer; a comma means OR
    #[arg(value_name = "FILTER", value_parser = check_term)]
    terms: Vec<String>,
    /// Criteria in one line, as in the console: 'city=Austin cost>5M'
    #[arg(long, value_name = "CONDITIONS", value_parser = check_line)]
    filter: Option<String>,
    /// Criteria as API JSON instead
    #[arg(long, value_name = "JSON", conflicts_with_all = ["terms", "filter"])]
    filters: Option<String>,
    /// Sort field, with :asc or :desc [default: ascending for name, else descending]
    #[arg(long, value_name = "FIELD", value_parser = parse_sort)]
    sort: Option<SortOrder>,
    /// Maximum number of rows; each costs 1 credit
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    limit: u32,
    /// List all matches; each costs 1 credit
    #[arg(long)]
    all: bool,
}

impl SearchArgs {
    /// The search, with a text query for routes that take one. On a terminal, notes how the
    /// criteria were understood.
    pub(super) fn to_search(&self, query: &str) -> Result<Search, CliError> {
        let line = self.filter.as_deref().map(parse_line).transpose();
        let line = line.map_err(CliError::usage)?.unwrap_or_default();
        let terms = self.terms.iter().cloned().chain(line.to_terms());
        let filters = Conditions::parse(terms).map_err(CliError::usage)?;
        if !filters.is_empty() && print::is_stderr_terminal() {
            let sentence = describe_search("records", &filters, "", &Vocabulary::default());
            print::write_note(&format!("searching: {sentence}"));
        }
        let raw_filters = match &self.filters {
            Some(json) => Some(serde_json::from_str::<Value>(json).map_err(|error| {
                CliError::usage(format!("--filters is not valid JSON: {error}"))
            })?),
            None => None,
        };
        Ok(Search {
            query: query.to_owned(),
            filters,
            raw_filters,
            sort: self.sort.clone(),
            limit: None,
        })
    }

    /// The rows of a search, page by page.
    pub(super) fn pager(&self, client: &Client, request: Request) -> Pager<Box<RawValue>> {
        Pager::new(
            client,
            request,
            if self.all { u32::MAX } else { self.limit },
            MAX_SEARCH_PAGE_ROWS,
        )
    }
}

/// Rejects what cannot be a criterion before anything else is done.
fn check_term(text: &str) -> Result<String, String> {
    Conditions::parse(&[text.to_owned()]).map(|_| text.to_owned())
}

/// Parses conditions in one line, without words.
pub(super) fn parse_line(text: &str) -> Result<Conditions, String> {
    let line = ConditionLine::parse(text, &Vocabulary::default())?;
    match line.words.first() {
        Some(word) => Err(format!(
            "{word} is not a condition; write it like city=Austin"
        )),
        None => Ok(line.conditions),
    }
}

/// Rejects what cannot be conditions before anything else is done.
pub(super) fn check_line(text: &str) -> Result<String, String> {
    parse_line(text).map(|_| text.to_owned())
}

pub(super) fn parse_sort(text: &str) -> Result<SortOrder, String> {
    let (field, order) = text
        .split_once(':')
        .unwrap_or((text, if text == "name" { "asc" } else { "desc" }));
    let ascending = match order {
        "asc" => true,
        "desc" => false,
        _ => return Err(format!("the order must be asc or desc, e.g. {field}:desc")),
    };
    Ok(SortOrder {
        field: field.to_owned(),
        ascending,
    })
}
