//! Translates questions in plain words to filters, by rules over the vocabulary (decisions 2.17).
//! It is a small translator and does not hide it: words it does not understand are reported, never
//! guessed.
//!
//! `words` splits a question. In one pass from left to right `tokens` takes the longest phrase at
//! each place: of the lists of `assets/questions/words.toml`, a value or a record of the entity's
//! fields, an amount (`amounts`), or a range of days (`dates`). `conditions` turns these
//! tokens into filters. A negated relation always uses the relation's `without_*` key, because
//! `exclude` within `has_*` would match records that also have another related record. If it is
//! unknown what a negation refers to, no condition results; nor does one result from an amount, a
//! date or a related record whose neighbor is not understood, because it may belong to it, unless
//! that stands where a place does. Never here: running the filters, and the words of the language.

mod amounts;
mod conditions;
mod dates;
mod tokens;
mod words;

use chrono::{DateTime, Utc};

use self::conditions::ConditionBuilder;
use self::tokens::Question;
use super::vocabulary::FilterEntity;
use crate::domain::conditions::Conditions;
use crate::service::db::Conn;
use crate::service::db::sql::Result;

/// The result of a translation.
#[derive(Debug, Default)]
pub struct FilterTranslation {
    pub filters: Conditions,
    /// The order asked for: a sort key, and whether it ascends.
    pub sort: Option<(&'static str, bool)>,
    /// How many rows of that order were asked for.
    pub limit: Option<u32>,
    /// The words that were not understood.
    pub unmatched: Vec<String>,
}

/// Translates a question.
pub fn translate(
    conn: &Conn,
    entity: FilterEntity,
    question: &str,
    now: DateTime<Utc>,
) -> Result<FilterTranslation> {
    let is_account = entity.plural() == "accounts";
    let table = if is_account { "accounts" } else { "projects" };
    let cities = list_cities(conn, table)?;
    let question = Question::read(question, entity.list_keys(), &cities, now.date_naive());
    Ok(ConditionBuilder::build(&question))
}

/// The conditions on all cities of a table, one after another from their index.
fn list_cities(conn: &Conn, table: &str) -> Result<Vec<String>> {
    let sql = format!(
        "WITH RECURSIVE c(city) AS (SELECT min(city) FROM {table} UNION ALL
           SELECT (SELECT min(city) FROM {table} WHERE city > c.city) FROM c WHERE c.city IS NOT NULL)
         SELECT 'city=' || replace(city, ',', '\\,') FROM c WHERE city IS NOT NULL"
    );
    conn.query_rows(&sql, [], |row| row.get(0))
}
