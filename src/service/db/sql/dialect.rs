//! Statements as PostgreSQL spells them. The statements are written for SQLite; what is not in the
//! common subset is a function of the same name in PostgreSQL (`migrations_postgres/`) or is
//! translated here, word by word.

/// Translates a statement.
pub fn translate(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 16);
    let (mut rest, mut bound) = (sql, 0);
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
            "ifnull" => out.push_str("coalesce"),
            "json_object" => out.push_str("json_build_object"),
            "json_group_array" => out.push_str("json_agg"),
            "BLOB" => out.push_str("uuid"),
            // a number with a fraction, as SQLite writes it in JSON
            "REAL" => {
                let start = out.rfind("CAST(").unwrap_or_default();
                let operand = out[start..]
                    .trim_start_matches("CAST(")
                    .trim_end_matches(" AS ")
                    .to_owned();
                out.truncate(start);
                out.push_str(&format!("json_real({operand}"));
            }
            "INDEXED" => {
                rest = rest
                    .trim_start_matches(" BY ")
                    .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
            }
            "COLLATE" if rest.starts_with(" NOCASE") => {
                rest = &rest[" NOCASE".len()..];
                let operand = take_operand(&mut out);
                out.push_str(&format!("nocase({operand})"));
            }
            _ if token.starts_with('?') => {
                let number = token[1..].parse().unwrap_or(bound + 1);
                bound = bound.max(number);
                out.push_str(&format!("${number}"));
            }
            _ => out.push_str(token),
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
            assert_eq!(translate(sql), translated);
        }
    }
}
