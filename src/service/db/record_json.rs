//! Records as JSON. SQLite writes a record itself. PostgreSQL returns its fields as columns, which
//! are written here: its own `json_build_object` looks up the type of each argument for each row,
//! about two fifths of the time of a page's statement.
//!
//! Never here: which fields a record has.

use uuid::Uuid;

use super::Conn;
use super::sql::{FromSqlError, Params, Result, Row, ValueRef};
use super::values::{RawJson, format_date, format_timestamp, raw_json};

/// Conversions of a stored value that are made here: the SQL before and after it, and what its
/// column's name ends with instead.
const CONVERSIONS: [(&str, &str, &str); 4] = [
    ("json(", ")", ":json"),
    ("moment(", ")", ":moment"),
    ("day(", ")", ":day"),
    ("CAST(", " AS REAL)", ":real"),
];

/// The columns of a record with these fields (key and SQL), for [`read_record`].
pub fn select_record<'f>(
    conn: &Conn,
    fields: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> String {
    let fields = fields.into_iter();
    if conn.is_postgres() {
        fields
            .map(|(key, sql)| plain_column(key, sql))
            .collect::<Vec<_>>()
            .join(", ")
    } else {
        let pairs: Vec<String> = fields.map(|(key, sql)| format!("'{key}', {sql}")).collect();
        format!("json_object({})", pairs.join(", "))
    }
}

/// A field as a column of PostgreSQL.
fn plain_column(key: &str, sql: &str) -> String {
    let is_stored = |sql: &str| {
        sql.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    };
    for (before, after, suffix) in CONVERSIONS {
        match sql
            .strip_prefix(before)
            .and_then(|sql| sql.strip_suffix(after))
        {
            Some(stored) if is_stored(stored) => return format!("{stored} AS \"{key}{suffix}\""),
            Some(_) if suffix == ":json" => return format!("{sql} AS \"{key}{suffix}\""),
            _ => {}
        }
    }
    format!("{sql} AS \"{key}\"")
}

/// The records of a statement that selects [`select_record`].
pub fn query_records(conn: &Conn, sql: &str, params: impl Params) -> Result<Vec<RawJson>> {
    conn.query_rows(sql, params, |row| read_record(row, 0))
}

/// The record in a row: its columns from `first` on.
pub fn read_record(row: &Row<'_>, first: usize) -> Result<RawJson> {
    let Row::Postgres(columns) = row else {
        return raw_json(row.get(first)?);
    };
    let mut json = String::with_capacity(1024);
    for (nth, column) in columns.columns().iter().enumerate().skip(first) {
        let (key, conversion) = column.name().split_once(':').unwrap_or((column.name(), ""));
        json.push_str(if nth == first { "{\"" } else { ",\"" });
        json.push_str(key);
        json.push_str("\":");
        json.push_str(&value_as_json(row.get_ref(nth)?, conversion)?);
    }
    json.push('}');
    raw_json(json)
}

fn value_as_json(value: ValueRef<'_>, conversion: &str) -> Result<String> {
    Ok(match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(millis) if conversion == "moment" => {
            format!("\"{}\"", format_timestamp(millis))
        }
        ValueRef::Integer(millis) if conversion == "day" => format!("\"{}\"", format_date(millis)),
        ValueRef::Integer(number) if conversion == "real" => format!("{number}.0"),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => real_as_json(number),
        ValueRef::Text(_) if conversion == "json" => {
            let mut text = value.as_str()?.to_owned();
            remove_spaces(&mut text);
            text
        }
        ValueRef::Text(_) => serde_json::to_string(value.as_str()?)?,
        ValueRef::Blob(bytes) => format!(
            "\"{}\"",
            Uuid::from_slice(bytes).map_err(|_| FromSqlError::InvalidType)?
        ),
    })
}

/// Removes the white space between the parts of JSON text.
fn remove_spaces(text: &mut String) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.retain(|c| {
        let was_quoted = is_quoted;
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = was_quoted && c == '\\' && !is_escaped;
        was_quoted || !c.is_ascii_whitespace()
    });
}

/// A number with a fraction, as SQLite writes it: very large and small ones with an exponent.
fn real_as_json(number: f64) -> String {
    let with_fraction = |digits: String| {
        if digits.contains('.') {
            digits
        } else {
            digits + ".0"
        }
    };
    let size = number.abs();
    if number != 0.0 && !(1e-4..1e17).contains(&size) {
        let scientific = format!("{number:e}");
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let (sign, exponent) = exponent
            .strip_prefix('-')
            .map_or(("+", exponent), |exponent| ("-", exponent));
        return format!("{}e{sign}{exponent:0>2}", with_fraction(digits.to_owned()));
    }
    with_fraction(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_postgresql_is_a_column_whose_name_says_how_it_is_written() {
        for (sql, column) in [
            ("uuid(r.id)", r#"uuid(r.id) AS "key""#),
            ("moment(r.filed_at)", r#"r.filed_at AS "key:moment""#),
            ("CAST(r.lat AS REAL)", r#"r.lat AS "key:real""#),
            ("json(r.tags)", r#"r.tags AS "key:json""#),
            (
                "json(CASE WHEN a THEN b END)",
                r#"json(CASE WHEN a THEN b END) AS "key:json""#,
            ),
            (
                "(SELECT count(*) FROM t)",
                r#"(SELECT count(*) FROM t) AS "key""#,
            ),
        ] {
            assert_eq!(plain_column("key", sql), column);
        }
    }

    #[test]
    fn values_are_written_as_sqlite_writes_them() {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        let json = |sql: &str| {
            conn.query_row(&format!("SELECT json_array({sql})"), [], |row| {
                row.get::<_, String>(0)
            })
            .unwrap()
        };
        for number in [
            0.0,
            1.0,
            -2.5,
            12_345_678.25,
            0.0001,
            0.00005,
            -122.400_011_234_567_89,
            1e15,
            1e16,
            1e17,
            -1.5e-7,
            2e20,
        ] {
            assert_eq!(
                format!("[{}]", real_as_json(number)),
                json(&format!("{number:e}")),
                "{number}"
            );
        }
        let text = "a \"b\" \\ \n\u{1}é\u{1f3d7}";
        let written = value_as_json(ValueRef::Text(text.as_bytes()), "").unwrap();
        let expected: String = conn
            .query_row("SELECT json_array(?1)", [text], |row| row.get(0))
            .unwrap();
        assert_eq!(format!("[{written}]"), expected);
        assert_eq!(
            value_as_json(ValueRef::Text(b"[\"a b\", 1]"), "json").unwrap(),
            "[\"a b\",1]"
        );
        assert_eq!(value_as_json(ValueRef::Integer(1), "real").unwrap(), "1.0");
    }

    #[test]
    fn only_spaces_between_the_parts_of_a_record_are_removed() {
        let mut text = r#"{"a b" : "c \" d : e\\", "f" : [1, 2.0, null],
            "g" : {"h" : "\\"} }"#
            .to_owned();
        remove_spaces(&mut text);
        assert_eq!(
            text,
            r#"{"a b":"c \" d : e\\","f":[1,2.0,null],"g":{"h":"\\"}}"#
        );
    }
}
