//! `/data` and `/filters`: the global index and its vocabulary (interface: Data API). A get costs 1
//! credit whatever it includes, a search 1 per row; the price of the vocabulary is not documented.

use serde_json::json;
use uuid::Uuid;

use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::projects::ProjectDetails;
use crate::domain::request_error::RequestError;
use crate::domain::search::Search;
use crate::interface::RouteId;

use super::search::search_body;
use super::{Client, Request, Response};

/// A record with these includes.
pub fn get<'a>(dataset: &Dataset, id: Uuid, include: impl IntoIterator<Item = &'a str>) -> Request {
    Request::new(RouteId::ShowRecord, &[dataset, &id]).query_each("include", include)
}

pub fn search(dataset: &Dataset, search: &Search) -> Request {
    Request::new(RouteId::SearchRecords, &[dataset]).with_body(search_body(search))
}

/// The whole vocabulary of a dataset.
pub fn fields(dataset: &Dataset) -> Request {
    Request::new(RouteId::SearchFields, &[]).with_body(json!({"dataset": dataset}))
}

pub fn field(dataset: &Dataset, key: &str) -> Request {
    Request::new(RouteId::ShowField, &[dataset, &key])
}

/// The vocabulary of a filter entity, as `skill`.
pub fn filters(entity: &str) -> Request {
    Request::new(RouteId::ListFilters, &[]).query("entity", entity)
}

/// Turns a plain-language question into filters.
pub fn ask_question(entity: &str, question: &str) -> Request {
    Request::new(RouteId::AskQuestion, &[]).with_body(json!({"entity": entity, "query": question}))
}

/// A project with every include.
pub fn project_details(id: ProjectId) -> Request {
    get(
        &Dataset::Projects,
        id.0,
        Dataset::Projects.available_includes().iter().copied(),
    )
}

impl Client {
    /// A project with its firms, people and signals; 1 credit.
    pub async fn project_details(
        &self,
        id: ProjectId,
    ) -> Result<Response<ProjectDetails>, RequestError> {
        self.fetch_value(project_details(id)).await
    }
}
