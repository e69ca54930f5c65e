//! `/data` and `/filters`: the global index and its vocabulary (interface: Data API). A get costs 1
//! credit whatever it includes, a search 1 per row; the price of the vocabulary is not documented.

use serde_json::json;
use uuid::Uuid;

use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::projects::ProjectDetails;
use crate::domain::request_error::RequestError;
use crate::domain::search::Search;

use super::request::encode_segment;
use super::{Client, PayloadPath, Request, Response, RetryClass, search};

/// The interface does not show where a response contains the rows of a search.
const RECORDS_PAYLOAD: PayloadPath = PayloadPath::List("records", "record", "id");

/// `GET /data/{dataset}/{id}` with these includes.
pub fn get<'a>(dataset: &Dataset, id: Uuid, include: impl IntoIterator<Item = &'a str>) -> Request {
    let path = format!("/data/{}/{id}", encode_segment(dataset));
    Request::get_paid(path, PayloadPath::Data).query_each("include", include)
}

/// `POST /data/{dataset}/search`.
pub fn search(dataset: &Dataset, search: &Search) -> Request {
    search::search_request(
        format!("/data/{}/search", encode_segment(dataset)),
        search,
        RECORDS_PAYLOAD,
    )
}

/// `POST /data/fields/search`: the whole vocabulary of a dataset.
pub fn fields(dataset: &Dataset) -> Request {
    Request::post(
        "/data/fields/search",
        json!({"dataset": dataset}),
        RetryClass::PaidRead,
        PayloadPath::Data,
    )
}

/// `GET /data/fields/{dataset}/{key}`.
pub fn field(dataset: &Dataset, key: &str) -> Request {
    Request::get_paid(
        format!(
            "/data/fields/{}/{}",
            encode_segment(dataset),
            encode_segment(key)
        ),
        PayloadPath::Data,
    )
}

/// `GET /filters`: the vocabulary of a filter entity, as `skill`.
pub fn filters(entity: &str) -> Request {
    Request::get_paid("/filters", PayloadPath::Data).query("entity", entity)
}

/// `POST /filters/ask`: turns a plain-language question into filters.
pub fn ask_question(entity: &str, question: &str) -> Request {
    Request::post(
        "/filters/ask",
        json!({"entity": entity, "query": question}),
        RetryClass::PaidRead,
        PayloadPath::Data,
    )
}

/// `GET /data/projects/{id}` with every include.
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
