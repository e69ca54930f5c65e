//! `/data`: the global index (interface: Data API). A get costs 1 credit whatever it includes.

use crate::domain::ProjectId;
use crate::domain::failure::Failure;
use crate::domain::projects::Dossier;

use super::{Answer, Class, Client, Payload, Request};

/// `GET /data/projects/{id}` with every include.
pub fn dossier(id: ProjectId) -> Request {
    Request::get(format!("/data/projects/{id}"), Class::PaidRead, Payload::Data)
        .each("include", ["accounts", "contacts", "signals"])
}

impl Client {
    /// A project with its firms, people and signals; 1 credit.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn dossier(&self, id: ProjectId) -> Result<Answer<Dossier>, Failure> {
        self.value(dossier(id)).await
    }
}
