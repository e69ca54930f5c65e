//! Searches: the filter grammar, from JSON to rows (interface: Filter grammar, Data API, book
//! searches, View-record search).
//!
//! # Interface
//!
//! * [`run_search`] runs a search: a [`SearchContext`] says which dataset, over which
//!   [`SearchScope`], for whom and when; the body is the request's. It is parsed strictly, so an
//!   [`ApiError`] contains all its issues. The results are ready to send:
//!   `ApiResponse::with_metadata(found.rows, &found.metadata, found.metadata.credits)`.
//! * [`includes`] reads what `include` embeds in a record.
//! * [`definition::parse`] parses the stored definition of a Dynamic View.
//! * [`vocabulary`] lists what can be filtered, [`natural_language`] translates plain words to
//!   filters.
//! * [`preload`] reads ahead what searches keep in memory.
//! * [`is_visible`] is the rule by which a record may be added to a View.
//!
//! # Inside
//!
//! `fields` is the table of everything that can be filtered and sorted; `grammar` turns a request,
//! and `definition` a View's stored definition, into a [`criterion::Criterion`]. `page` reads the
//! page, whose beginning `cursor` signs, in columns in memory (`crate::service::db::columns`):
//! `evaluator` turns the criterion into a set of rows, and `column_search` walks an order until the
//! page is full. What belongs to a workspace is read with the statements of `sql_builder`.
//!
//! Never here: HTTP, credentials, charging, writing a record. No text of a request becomes SQL:
//! names come from `fields`, everything else is bound.

use serde_json::Value;
use uuid::Uuid;

use super::api_error::ApiError;
use super::dataset::Dataset;
use super::db::{Conn, DbError};
use crate::domain::WorkspaceId;

mod as_of;
mod column_search;
mod context;
pub(crate) mod criterion;
mod cursor;
pub(crate) mod definition;
mod evaluator;
pub(crate) mod fields;
mod grammar;
pub(crate) mod includes;
pub(crate) mod natural_language;
mod page;
pub(crate) mod preload;
mod sql_builder;
#[cfg(test)]
mod tests;
pub(crate) mod vocabulary;

pub use context::{SearchContext, SearchMetadata, SearchResults, SearchScope};
#[cfg(test)]
pub use grammar::{MAX_FUZZY_CHARS, MAX_FUZZY_VALUES};

/// Runs a search. A `null` body (there was none) counts as empty.
pub fn run_search(
    conn: &Conn,
    call: &SearchContext<'_>,
    body: &Value,
) -> Result<SearchResults, ApiError> {
    page::find_page(conn, call, body)
}

/// Whether a record of the index is visible to the workspace: every account and project is, and so
/// is a contact in its book, on a project or in one of its Views. A record that is not in the index
/// is not visible.
pub fn is_visible(
    conn: &Conn,
    workspace: WorkspaceId,
    dataset: Dataset,
    id: Uuid,
) -> Result<bool, ApiError> {
    let (table, visible) = (
        dataset.plural(),
        sql_builder::visibility_condition(dataset, "?2"),
    );
    let statement = format!("SELECT 1 FROM {table} r WHERE r.id = ?1 AND {visible}");
    let mut found = conn.prepare(&statement).map_err(DbError::from)?;
    Ok(found.exists((id, workspace.0)).map_err(DbError::from)?)
}
