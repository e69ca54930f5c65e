//! What a search is asked and what it answers: plain data. Never here: how it is answered.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::RawValue;

use super::definition::ViewDefinition;
use crate::domain::{ViewId, WorkspaceId};
use crate::service::dataset::Dataset;
use crate::service::db::columns::ColumnCache;

/// The records that a search chooses from. Each scope has its own filter keys, sort keys, default
/// order and row.
#[derive(Clone, Copy, Debug)]
pub enum SearchScope<'a> {
    /// The whole index (`POST /data/{dataset}/search`).
    Data,
    /// The workspace's saved records (`POST /workspace/{dataset}/search`).
    Book,
    /// The records of a Static View.
    Static(ViewId),
    /// The records visible to the workspace that match a Dynamic View's definition.
    Dynamic(ViewId, &'a ViewDefinition),
}

/// A search, without the request's body.
#[derive(Clone, Copy, Debug)]
pub struct SearchContext<'a> {
    /// The workspace whose book, annotations and Views apply.
    pub workspace: WorkspaceId,
    /// The time of the request.
    pub now: DateTime<Utc>,
    pub dataset: Dataset,
    pub scope: SearchScope<'a>,
    /// Columns of the index in memory.
    pub columns: &'a ColumnCache,
}

/// One page of results.
#[derive(Debug)]
pub struct SearchResults {
    pub rows: Vec<Box<RawValue>>,
    pub metadata: SearchMetadata,
}

/// The paging fields of a search response (interface: Response metadata).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchMetadata {
    pub total: u32,
    pub total_is_capped: bool,
    pub limit: u32,
    pub offset: u32,
    pub search_after: Option<String>,
    pub credits: u32,
}
