//! `search_after`: where a page begins, opaque and signed. A cursor is tied to everything that
//! determines the rows and their order (dataset, base, workspace, filters, query, sort): one that
//! was never issued, or is used with anything else, is rejected.

use ring::hmac;
use serde_json::json;
use uuid::Uuid;

use crate::service::db::Conn;
use crate::service::db::columns::ColumnCache;
use crate::service::db::sql::{Result, Value, ValueRef};

/// The last row of a page: its sort value and its id.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorPosition {
    /// Its value of the sort key: a number or a text.
    pub value: Value,
    pub id: Uuid,
}

/// The signing key: created with the database, so that cursors survive a restart.
#[derive(Clone, Debug)]
pub struct CursorKey(hmac::Key);

impl CursorKey {
    /// The key of a database, which is read once.
    pub fn load(conn: &Conn, columns: &ColumnCache) -> Result<CursorKey> {
        if let Some(key) = columns.cursor_key.get() {
            return Ok(CursorKey(key.clone()));
        }
        let key = read_key(conn)?;
        Ok(CursorKey(columns.cursor_key.get_or_init(|| key).clone()))
    }

    /// The cursor for a position. `tied` describes what it is tied to.
    pub fn sign(&self, place: &CursorPosition, tied: &str) -> String {
        let value = match &place.value {
            Value::Integer(number) => json!(number),
            Value::Text(text) => json!(text),
            _ => json!(null),
        };
        let text = json!([value, place.id]).to_string();
        let tag = hmac::sign(&self.0, format!("{text}\n{tied}").as_bytes());
        to_hex(tag.as_ref()) + &to_hex(text.as_bytes())
    }

    /// The position of a cursor; `None` if the cursor was not issued for this search.
    pub fn verify(&self, cursor: &str, tied: &str) -> Option<CursorPosition> {
        let bytes = from_hex(cursor)?;
        let (tag, text) = bytes.split_at_checked(32)?;
        hmac::verify(&self.0, &[text, b"\n", tied.as_bytes()].concat(), tag).ok()?;
        let (value, id) = serde_json::from_slice::<(serde_json::Value, Uuid)>(text).ok()?;
        let value = match value {
            serde_json::Value::String(text) => Value::Text(text),
            other => other.as_i64().map_or(Value::Null, Value::Integer),
        };
        Some(CursorPosition { value, id })
    }
}

fn read_key(conn: &Conn) -> Result<hmac::Key> {
    let sql = "SELECT value FROM remembered WHERE name = 'cursor_key'";
    let secret = conn.query_row(sql, [], |row| match row.get_ref(0)? {
        ValueRef::Blob(secret) => Ok(secret.to_vec()),
        // PostgreSQL keeps its digits
        ValueRef::Text(text) => Ok(std::str::from_utf8(text)
            .ok()
            .and_then(|text| from_hex(text.strip_prefix("\\x")?))
            .unwrap_or_default()),
        _ => Ok(Vec::new()),
    })?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &secret))
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
