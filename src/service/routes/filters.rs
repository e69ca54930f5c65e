//! Filter entities: their vocabulary, and a question in plain words to filters (interface: Data API; decisions 2.17).

use serde_json::json;

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::refusal::Refusal;
use crate::service::search::question;
use crate::service::search::vocabulary::Entity;

/// The longest question, in characters.
const QUESTION_MAX: usize = 500;

/// The vocabulary of an entity.
pub fn show(_: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let missing = || Refusal::issue("required", &["entity".into()], "is required in the query", serde_json::Value::Null);
    let name = ask.params("entity").last().ok_or_else(missing)?;
    let entity = Entity::named(name).ok_or_else(unknown)?;
    Answer::free(json!({"entity": name, "fields": entity.fields()}))
}

/// A question as filters, with what was not understood of it.
pub fn translate(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["entity", "query", "workspace_id"])?;
    let name = form.need("entity")?.text().map(str::to_owned)?;
    let question = form.need("query")?.text_of(1, QUESTION_MAX).map(str::to_owned)?;
    let entity = Entity::named(&name).ok_or_else(unknown)?;
    let found = question::translate(conn, entity, &question, ask.now)?;
    let mut explanation = match found.understood.as_slice() {
        [] => "Nothing of it was understood; no filter is set.".to_owned(),
        understood => format!("Translated by rules: {}.", understood.join("; ")),
    };
    if !found.unmatched.is_empty() && !found.understood.is_empty() {
        explanation.push_str(" Not understood: ");
        explanation.push_str(&found.unmatched.join(", "));
        explanation.push('.');
    }
    Answer::free(json!({"entity": name, "filters": found.filters, "explanation": explanation, "unmatched": found.unmatched}))
}

fn unknown() -> Refusal {
    Refusal::not_found("no such filter entity")
}
