//! Searches: the filter grammar, from JSON to rows (interface: Filter grammar, Data API, book searches, View-record search).
//!
//! # The face
//!
//! * [`run`] answers a search: a [`Call`] says which dataset, over which [`Base`], for whom and when; the body is the request's.
//!   It reads the body strictly, so a [`Refusal`] carries all its issues. What comes back is ready to send:
//!   `Answer::with(found.rows, &found.metadata, found.metadata.credits)`.
//! * [`embeds`] reads what `include` embeds in a record.
//! * [`rows`] holds the shapes of records: a get reads its record with the same [`rows::Shape`] as the search.
//! * [`definition::read`] reads the stored definition of a Dynamic View.
//! * [`vocabulary`] tells what can be filtered, [`question`] makes filters of plain words.
//! * [`lowered`] is how texts are compared in any case, in our SQL too.
//! * [`anywhere`] and [`within`] spell a full-text expression for a text that a person typed, [`cities`] finds cities by it.
//! * [`is_visible`] is the rule by which a record may be added to a View.
//!
//! # Inside
//!
//! `fields` is the one table of what can be filtered and sorted, where; `grammar` turns a request and `definition` a View's
//! stored definition into a [`criterion::Criterion`]; `list` looks for its rare side; `sql` turns it into statements with bound values;
//! `fuzzy` finds words with slips; `cursor` signs the places where pages begin.
//!
//! Never here: HTTP, credentials, charging, writing a record. No text of a request becomes SQL: names come from `fields`, all else
//! is bound.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::api_error::ApiError;
use super::db::{Conn, DbError};
use crate::domain::{ViewId, WorkspaceId};

mod as_of;
pub mod criterion;
mod cursor;
pub mod definition;
pub mod fields;
mod full_text;
pub mod fuzzy;
mod grammar;
pub mod includes;
pub mod natural_language;
mod page;
mod planner;
pub mod projection;
mod sql_builder;
#[cfg(test)]
mod tests;
pub mod vocabulary;

pub use full_text::{fuzzy_expression, lowercase, register_functions, restrict_to_columns};
#[cfg(test)]
pub use grammar::{MAX_FUZZY_CHARS, MAX_FUZZY_VALUES};
pub use planner::matching_cities;

/// What can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dataset {
    Accounts,
    Contacts,
    Projects,
    Signals,
}

impl Dataset {
    /// All of them, in the order of the interface.
    pub const ALL: [Dataset; 4] = [Dataset::Accounts, Dataset::Contacts, Dataset::Projects, Dataset::Signals];

    /// The word of paths, and the name of the table: `accounts`.
    pub fn plural(self) -> &'static str {
        match self {
            Dataset::Accounts => "accounts",
            Dataset::Contacts => "contacts",
            Dataset::Projects => "projects",
            Dataset::Signals => "signals",
        }
    }

    /// The word of Views and of the book: `account`.
    pub fn singular(self) -> &'static str {
        self.plural().trim_end_matches('s')
    }

    /// The dataset of the singular word.
    pub fn from_singular(singular: &str) -> Option<Dataset> {
        Dataset::ALL.into_iter().find(|dataset| dataset.singular() == singular)
    }

    /// The dataset that a path names.
    pub fn from_plural(plural: &str) -> Option<Dataset> {
        Dataset::ALL.into_iter().find(|dataset| dataset.plural() == plural)
    }
}

/// The records that a search chooses from. Each has its own filter keys, sort keys, default order and row.
#[derive(Clone, Copy, Debug)]
pub enum SearchScope<'a> {
    /// The whole index (`POST /data/{dataset}/search`).
    Data,
    /// What the workspace has saved (`POST /workspace/{dataset}/search`).
    Book,
    /// The members of a Static View.
    Static(ViewId),
    /// What the definition of a Dynamic View finds in what the workspace may see.
    Dynamic(ViewId, &'a definition::ViewDefinition),
}

/// A search, but for what the request's body says.
#[derive(Clone, Copy, Debug)]
pub struct SearchContext<'a> {
    /// Whose search it is: the book, the annotations and the Views are this workspace's.
    pub workspace: WorkspaceId,
    /// When it was asked.
    pub now: DateTime<Utc>,
    /// What is searched.
    pub dataset: Dataset,
    /// Over which records.
    pub scope: SearchScope<'a>,
}

/// One page of what was found.
#[derive(Debug)]
pub struct SearchResults {
    /// The rows, as JSON.
    pub rows: Vec<Box<RawValue>>,
    /// What is said about the page.
    pub metadata: SearchMetadata,
}

/// The paging fields of a search's answer (interface: Response metadata).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchMetadata {
    pub total: u32,
    pub total_is_capped: bool,
    pub limit: u32,
    pub offset: u32,
    pub search_after: Option<String>,
    pub credits: u32,
}

/// Answers a search. A body that is `null` (there was none) is an empty one.
pub fn run_search(conn: &Conn, call: &SearchContext<'_>, body: &Value) -> Result<SearchResults, ApiError> {
    page::find_page(conn, call, body, planner::MAX_CANDIDATES)
}

/// Whether the workspace sees a record of the index: every account and project, and a contact that is in its book, on a project or
/// in one of its Views. A record that the index does not have is not visible.
pub fn is_visible(conn: &Conn, workspace: WorkspaceId, dataset: Dataset, id: Uuid) -> Result<bool, ApiError> {
    let (table, visible) = (dataset.plural(), sql_builder::visibility_condition(dataset, "?2"));
    let statement = format!("SELECT 1 FROM {table} r WHERE r.id = ?1 AND {visible}");
    let mut found = conn.prepare_cached(&statement).map_err(DbError::from)?;
    Ok(found.exists((id, workspace.0)).map_err(DbError::from)?)
}
