//! Fields discovery: what a dataset of the Data API can be filtered by (interface: Data API; decisions 2.16).

use serde_json::json;

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::refusal::Refusal;
use crate::service::search::Dataset;
use crate::service::search::fields::{Place, fields};
use crate::service::search::vocabulary::{Entity, described};

/// The whole vocabulary of a dataset.
pub fn search(_: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let at = ask.form(&["dataset"])?.need("dataset")?;
    let word = at.word(&Dataset::ALL.map(Dataset::plural))?;
    let dataset = Dataset::named(word).ok_or_else(|| Refusal::not_found("no such dataset"))?;
    Answer::free(json!({"dataset": word, "fields": Entity::Records(dataset, Place::Data).fields()}))
}

/// One field.
pub fn show(_: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let dataset = Dataset::named(ask.part("dataset")).ok_or_else(|| Refusal::not_found("no such dataset"))?;
    let known = fields(dataset, Place::Data).into_iter().find(|field| field.key == ask.part("key"));
    let field = known.ok_or_else(|| Refusal::not_found("no such field"))?;
    Answer::free(described(field, Place::Data))
}
