//! `GET /data/{dataset}/{id}`: a record of the index with what `include` embeds (interface: Data API).

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::form::At;
use crate::service::refusal::Refusal;
use crate::service::search::rows::{DATA_ACCOUNT, DATA_CONTACT, DATA_PROJECT, SIGNAL};
use crate::service::search::{Base, Call, Dataset, embeds};

/// The query's parameters of all gets of records.
pub const PARAMS: &[&str] = &["include"];

/// A record of the index. One credit, whatever is included.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let dataset = Dataset::named(ask.part("dataset")).ok_or_else(|| Refusal::not_found("no such dataset"))?;
    let shape = match dataset {
        Dataset::Accounts => &DATA_ACCOUNT,
        Dataset::Contacts => &DATA_CONTACT,
        Dataset::Projects => &DATA_PROJECT,
        Dataset::Signals => &SIGNAL,
    };
    let missing = || Refusal::not_found("no such record");
    let included = included(ask, dataset)?;
    let id = ask.id("id", missing)?;
    let call = Call { workspace: ask.access.workspace, now: ask.now, dataset, base: Base::Data };
    let record = shape.record(conn, &call, id)?.ok_or_else(missing)?;
    Answer::data(embeds::embed(conn, &call, &record, id, &included)?, 1)
}

/// What `include` asks for, once each: repeated parameters or lists with commas.
pub fn included(ask: &Ask, dataset: Dataset) -> Result<Vec<&'static str>, Refusal> {
    let (allowed, mut included) = (embeds::keys(dataset), Vec::new());
    for text in ask.params("include").flat_map(|list| list.split(',')).map(str::trim).filter(|key| !key.is_empty()) {
        let key = At { value: &text.into(), path: vec!["include".into()] }.word(&allowed)?;
        if !included.contains(&key) {
            included.push(key);
        }
    }
    Ok(included)
}
