//! Reads the tables of `assets` that are compiled into the program.

use serde::de::DeserializeOwned;

/// Reads a table. It becomes a JSON value first: a type that is read from TOML alone compiles to
/// several times the code of one that is read from a value.
///
/// # Panics
/// If the table is not valid, which a test of each table would show.
pub fn parse_table<T: DeserializeOwned>(text: &str) -> T {
    let table: serde_json::Value = toml::from_str(text).expect("embedded data is TOML");
    serde_json::from_value(table).expect("embedded data has the right keys")
}
