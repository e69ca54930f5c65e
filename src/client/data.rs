//! `/data` and `/filters`: the global index and its vocabulary (interface: Data API). A get costs 1 credit whatever it includes, a
//! search 1 a row; the vocabulary is in no list of prices.

use serde_json::json;
use uuid::Uuid;

use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::failure::RequestError;
use crate::domain::projects::ProjectDetails;
use crate::domain::search::Search;

use super::request::segment;
use super::{Answer, Class, Client, Payload, Request, search};

/// The interface does not show where an answer holds the rows of a search.
const LIST: Payload = Payload::List("records", "record", "id");

/// `GET /data/{dataset}/{id}` with these includes.
pub fn get<'a>(dataset: &Dataset, id: Uuid, include: impl IntoIterator<Item = &'a str>) -> Request {
    let path = format!("/data/{}/{id}", segment(dataset));
    Request::get(path, Class::PaidRead, Payload::Data).each("include", include)
}

/// `POST /data/{dataset}/search`.
pub fn search(dataset: &Dataset, search: &Search) -> Request {
    Request::post(format!("/data/{}/search", segment(dataset)), search::body(search), Class::PaidRead, LIST)
}

/// `POST /data/fields/search`: the whole vocabulary of a dataset.
pub fn fields(dataset: &Dataset) -> Request {
    Request::post("/data/fields/search", json!({"dataset": dataset}), Class::PaidRead, Payload::Data)
}

/// `GET /data/fields/{dataset}/{key}`.
pub fn field(dataset: &Dataset, key: &str) -> Request {
    Request::get(format!("/data/fields/{}/{}", segment(dataset), segment(key)), Class::PaidRead, Payload::Data)
}

/// `GET /filters`: the vocabulary of a filter entity, as `skill`.
pub fn filters(entity: &str) -> Request {
    Request::get("/filters", Class::PaidRead, Payload::Data).query("entity", entity)
}

/// `POST /filters/ask`: a question in plain words to filters. Never repeated: what it costs is not said.
pub fn ask(entity: &str, question: &str) -> Request {
    Request::post("/filters/ask", json!({"entity": entity, "query": question}), Class::Once, Payload::Data)
}

/// `GET /data/projects/{id}` with every include.
pub fn dossier(id: ProjectId) -> Request {
    get(&Dataset::Projects, id.0, Dataset::Projects.available_includes().iter().copied())
}

impl Client {
    /// A project with its firms, people and signals; 1 credit.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn dossier(&self, id: ProjectId) -> Result<Answer<ProjectDetails>, RequestError> {
        self.value(dossier(id)).await
    }
}
