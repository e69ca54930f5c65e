//! `GET /workspace/credits`: what the workspace spent, and what is left (decisions 2.5).

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{Conn, credits};
use crate::service::refusal::Refusal;

/// The state of the meter. Free, and answered whatever was spent.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::free(credits::state(conn, ask.access.workspace, ask.now)?)
}
