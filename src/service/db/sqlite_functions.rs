//! The functions that our tables and statements need from SQLite: required for every connection
//! that writes the index or searches.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::values;
use crate::domain::fuzzy;

/// Registers the functions.
pub fn register_functions(conn: &Connection) -> Result<()> {
    let pure = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("uuid", 1, pure, |context| {
        Ok(context
            .get_raw(0)
            .as_blob_or_null()?
            .and_then(|bytes| uuid::Uuid::from_slice(bytes).ok())
            .map(|id| id.to_string()))
    })?;
    conn.create_scalar_function("moment", 1, pure, |context| {
        Ok(context.get::<Option<i64>>(0)?.map(values::format_timestamp))
    })?;
    conn.create_scalar_function("day", 1, pure, |context| {
        Ok(context.get::<Option<i64>>(0)?.map(values::format_date))
    })?;
    conn.create_scalar_function("in_rows", 2, pure, |context| {
        let (ValueRef::Blob(bits), ValueRef::Integer(row)) =
            (context.get_raw(0), context.get_raw(1))
        else {
            return Ok(false);
        };
        Ok(usize::try_from(row)
            .ok()
            .and_then(|row| bits.get(row / 8))
            .is_some_and(|byte| byte >> (row % 8) & 1 == 1))
    })?;
    conn.create_scalar_function("lowered", 1, pure, |context| {
        let text = context.get_raw(0).as_str_or_null().ok().flatten();
        Ok(fuzzy::lowercase(text.unwrap_or_default()))
    })
}
