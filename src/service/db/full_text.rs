//! Full text in SQLite: the expressions that find a text in its tables.
//!
//! The dictionary (`words`) contains every word that can be found by a part or with a typo. Each
//! word of a text is replaced by the matching words of the dictionary, all quoted, so that user
//! input is never an operator.

use super::Conn;
use super::sql::Result;
use crate::service::dataset::Dataset;
pub use crate::service::fuzzy::lowercase;
use crate::service::fuzzy::{self, QueryText};

/// Restricts an expression to these columns.
pub fn restrict_to_columns(columns: &str, expression: &str) -> String {
    format!("{{{columns}}} : ({expression})")
}

/// The expression that finds one of these texts, not yet restricted to columns: the dictionary is
/// read once for all.
pub fn fuzzy_expression(conn: &Conn, texts: &[String]) -> Result<Option<String>> {
    let texts: Vec<QueryText> = texts
        .iter()
        .map(|text| QueryText::new(text))
        .filter(|text| !text.terms.is_empty())
        .collect();
    let mut met: Vec<Vec<Vec<String>>> = texts
        .iter()
        .map(|text| text.terms.iter().map(|_| Vec::new()).collect())
        .collect();
    if texts
        .iter()
        .flat_map(|text| &text.terms)
        .any(|sought| fuzzy::allows_typos(&sought.word))
    {
        let mut dictionary = conn.prepare("SELECT word FROM words")?;
        let mut rows = dictionary.query([])?;
        while let Some(row) = rows.next()? {
            let word = row.get_ref(0)?.as_str().unwrap_or_default();
            for (text, met) in texts.iter().zip(&mut met) {
                for (sought, met) in text.terms.iter().zip(met) {
                    if sought.match_word(word).is_some() {
                        met.push(quote(word));
                    }
                }
            }
        }
    }
    let each = texts.iter().zip(met).map(|(text, met)| {
        let words = text.terms.iter().zip(met).map(|(sought, mut met)| {
            met.push(quote(&sought.word) + if sought.prefix_only { "*" } else { "" });
            format!("({})", met.join(" OR "))
        });
        format!("({})", words.collect::<Vec<_>>().join(" AND "))
    });
    let each: Vec<String> = each.collect();
    Ok((!each.is_empty()).then(|| each.join(" OR ")))
}

/// The cities of a dataset, as stored, that match one of these texts. They are read one after
/// another from their index.
pub fn matching_cities(conn: &Conn, dataset: Dataset, texts: &[String]) -> Result<Vec<String>> {
    let mut cities = all_cities(conn, dataset)?;
    let sought: Vec<QueryText> = texts.iter().map(|text| QueryText::new(text)).collect();
    cities.retain(|city| sought.iter().any(|text| text.matches(city)));
    Ok(cities)
}

/// The cities of a dataset.
pub fn all_cities(conn: &Conn, dataset: Dataset) -> Result<Vec<String>> {
    let table = dataset.plural();
    let sql = format!(
        "WITH RECURSIVE c(city) AS (SELECT min(city) FROM {table} UNION ALL
           SELECT (SELECT min(city) FROM {table} WHERE city > c.city) FROM c WHERE c.city IS NOT NULL)
         SELECT city FROM c WHERE city IS NOT NULL"
    );
    let cities = conn.query_rows(&sql, [], |row| row.get(0))?;
    Ok(cities)
}

fn quote(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}
