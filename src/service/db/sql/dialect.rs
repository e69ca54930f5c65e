//! Statements as PostgreSQL spells them. The statements are written for SQLite; what is not in the
//! common subset is a function of the same name in PostgreSQL (`migrations_postgres/`) or is
//! translated here, word by word.

/// A statement for PostgreSQL.
#[derive(Debug, PartialEq, Eq)]
pub struct Translation {
    pub sql: String,
    /// The parameters that are full-text expressions of SQLite, by index: see [`full_text_query`].
    pub expressions: Vec<usize>,
}

/// Translates a statement.
pub fn translate(sql: &str) -> Translation {
    let mut out = Translation {
        sql: String::with_capacity(sql.len() + 16),
        expressions: Vec::new(),
    };
    let (mut rest, mut bound, mut is_match) = (sql, 0, false);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            '?' => 1 + rest[1..].bytes().take_while(u8::is_ascii_digit).count(),
            c if c.is_ascii_alphabetic() || c == '_' => rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count(),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match token {
            "ifnull" => out.sql.push_str("coalesce"),
            "json_object" => out.sql.push_str("json_build_object"),
            "json_group_array" => out.sql.push_str("json_agg"),
            "BLOB" => out.sql.push_str("uuid"),
            // a number with a fraction, as SQLite writes it in JSON
            "REAL" => {
                let start = out.sql.rfind("CAST(").unwrap_or_default();
                let operand = out.sql[start..]
                    .trim_start_matches("CAST(")
                    .trim_end_matches(" AS ")
                    .to_owned();
                out.sql.truncate(start);
                out.sql.push_str(&format!("json_real({operand}"));
            }
            // an operand that SQLite is not to look up
            "+" if rest.starts_with(|c: char| c.is_ascii_alphabetic())
                && out.sql.ends_with([' ', '(']) => {}
            "INDEXED" => {
                rest = rest
                    .trim_start_matches(" BY ")
                    .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            }
            "COLLATE" if rest.starts_with(" NOCASE") => {
                rest = &rest[" NOCASE".len()..];
                let operand = take_operand(&mut out.sql);
                out.sql.push_str(&format!("nocase({operand})"));
            }
            "MATCH" => {
                let operand = take_operand(&mut out.sql);
                out.sql.push_str(&format!("{operand}.words @@"));
                is_match = true;
            }
            _ if token.starts_with('?') => {
                let number = token[1..].parse().unwrap_or(bound + 1);
                bound = bound.max(number);
                if std::mem::take(&mut is_match) {
                    out.expressions.push(number - 1);
                    out.sql
                        .push_str(&format!("CAST(CAST(${number} AS text) AS tsquery)"));
                } else {
                    out.sql.push_str(&format!("${number}"));
                }
            }
            _ => out.sql.push_str(token),
        }
    }
    out
}

/// Removes the name before an operator.
fn take_operand(sql: &mut String) -> String {
    let text = sql.trim_end();
    let start = text
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
        .map_or(0, |before| before + 1);
    let operand = text[start..].to_owned();
    sql.truncate(start);
    operand
}

/// The longest word that PostgreSQL accepts in a query.
const MAX_WORD_BYTES: usize = 2046;
/// A word that no text contains.
const NO_WORD: &str = " ";

/// A full-text expression of SQLite (`{name} : (("tower" OR "power") AND "st"*)`) for PostgreSQL,
/// without its columns.
pub fn full_text_query(expression: &str) -> String {
    let mut out = String::new();
    let mut rest = expression
        .strip_prefix('{')
        .and_then(|rest| rest.split_once(':'))
        .map_or(expression, |(_, rest)| rest);
    while let Some(c) = rest.chars().next() {
        match c {
            '"' => {
                let word = &rest[1..];
                let end = word.find('"').unwrap_or(word.len());
                let sought = if end > MAX_WORD_BYTES {
                    NO_WORD
                } else {
                    &word[..end]
                };
                out.push_str(&format!(
                    "'{}'",
                    sought.replace('\\', "\\\\").replace('\'', "''")
                ));
                rest = word.get(end + 1..).unwrap_or_default();
                if let Some(after) = rest.strip_prefix('*') {
                    out.push_str(":*");
                    rest = after;
                }
            }
            'A' => (out.push('&'), rest = rest.trim_start_matches("AND")).0,
            'O' => (out.push('|'), rest = rest.trim_start_matches("OR")).0,
            c => (out.push(c), rest = &rest[c.len_utf8()..]).0,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_translated_word_by_word() {
        for (sql, translated) in [
            (
                "SELECT ifnull(a, '?') FROM t WHERE b = ? AND c = ?",
                "SELECT coalesce(a, '?') FROM t WHERE b = $1 AND c = $2",
            ),
            (
                "SELECT ?2, ?1, ?2 WHERE x = 'it''s ?'",
                "SELECT $2, $1, $2 WHERE x = 'it''s ?'",
            ),
            (
                "ORDER BY r.name COLLATE NOCASE DESC, r.id",
                "ORDER BY nocase(r.name) DESC, r.id",
            ),
            (
                "WHERE +r.rowid IN (1) AND (+r.a || +r.b) > 1 + x",
                "WHERE r.rowid IN (1) AND (r.a || r.b) > 1 + x",
            ),
            (
                "FROM queue q INDEXED BY queue_by_project WHERE 1",
                "FROM queue q  WHERE 1",
            ),
            (
                "SELECT json_object('a', CAST(r.a AS REAL), 'b', CAST(b AS BLOB))",
                "SELECT json_build_object('a', json_real(r.a), 'b', CAST(b AS uuid))",
            ),
            (
                "SELECT json_object('a', json_group_array(b))",
                "SELECT json_build_object('a', json_agg(b))",
            ),
        ] {
            assert_eq!(
                translate(sql),
                Translation {
                    sql: translated.to_owned(),
                    expressions: Vec::new()
                }
            );
        }
        let found =
            translate("SELECT rowid FROM projects_text WHERE projects_text MATCH ? AND rowid > ?");
        let sql = "SELECT rowid FROM projects_text WHERE projects_text.words @@ CAST(CAST($1 AS text) AS tsquery) AND rowid > $2";
        assert_eq!(
            found,
            Translation {
                sql: sql.to_owned(),
                expressions: vec![0]
            }
        );
    }

    #[test]
    fn a_full_text_expression_finds_the_same_words() {
        for (expression, query) in [
            (
                r#"{name} : (((("tower" OR "to'er") AND ("2026"*))))"#,
                " (((('tower' | 'to''er') & ('2026':*))))",
            ),
            (r#"{source_filing_id source_url} : (" ")"#, " (' ')"),
        ] {
            assert_eq!(full_text_query(expression), query);
        }
        let of_length = |length| full_text_query(&format!(r#"("{}"* OR "a")"#, "x".repeat(length)));
        assert_eq!(
            of_length(MAX_WORD_BYTES),
            format!("('{}':* | 'a')", "x".repeat(MAX_WORD_BYTES))
        );
        assert_eq!(
            of_length(MAX_WORD_BYTES + 1),
            "(' ':* | 'a')",
            "and it is not an error"
        );
    }
}
