//! `POST /data/{dataset}/search`: the index by filters, one credit a row (interface: Data API, Filter grammar).

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::refusal::Refusal;
use crate::service::search::{self, Base, Call, Dataset};

/// A page of the index.
pub fn search(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let dataset = Dataset::named(ask.part("dataset")).ok_or_else(|| Refusal::not_found("no such dataset"))?;
    let call = Call { workspace: ask.access.workspace, now: ask.now, dataset, base: Base::Data };
    let found = search::run(conn, &call, &ask.body)?;
    Answer::with(&found.rows, &found.metadata, found.metadata.credits)
}
