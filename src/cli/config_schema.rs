//! `gantry config schema`: the settings as JSON Schema, so that editors complete and check
//! `config.toml`.
//!
//! Draft 7, which editors of TOML support. Never here: what the settings are (`config`).

use serde_json::{Map, Value, json};

use crate::config::setting_values::toml_value;
use crate::config::{SETTINGS, Setting, SettingType, TextFormat};

use super::keys::KeyRow;

/// The schema of `config.toml`, with these commands in `[keys]`.
pub(super) fn build_json_schema(commands: &[KeyRow]) -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "gantry's configuration",
    });
    merge(&mut schema, table_schema(SETTINGS, commands));
    schema
}

fn table_schema(settings: &[Setting], commands: &[KeyRow]) -> Value {
    let property = |setting: &Setting| {
        let mut schema = value_schema(&setting.value, commands);
        merge(&mut schema, json!({ "description": setting.description }));
        if !setting.default.is_empty() {
            merge(
                &mut schema,
                json!({ "default": toml_value(setting.default) }),
            );
        }
        (setting.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = settings.iter().map(property).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn value_schema(value: &SettingType, commands: &[KeyRow]) -> Value {
    let text_list = json!({ "type": "array", "items": { "type": "string" } });
    match value {
        SettingType::Text => json!({ "type": "string" }),
        SettingType::Bool | SettingType::Protection => json!({ "type": "boolean" }),
        SettingType::Formatted(TextFormat { pattern: "", .. }) => json!({ "type": "string" }),
        SettingType::Formatted(format) => {
            json!({ "type": "string", "pattern": format.pattern })
        }
        SettingType::Color => json!({ "type": ["string", "integer"] }),
        SettingType::Credits => json!({ "type": "integer", "minimum": 0 }),
        SettingType::Keyword(words) => json!({ "type": "string", "enum": words }),
        SettingType::KeywordList(words) => json!({ "type": "array", "items": { "enum": words } }),
        SettingType::TextList => text_list,
        SettingType::TextOrList => {
            json!({ "type": ["string", "array"], "items": { "type": "string" } })
        }
        SettingType::Table(settings) => table_schema(settings, commands),
        SettingType::NamedTables(settings) => {
            json!({ "type": "object", "additionalProperties": table_schema(settings, commands) })
        }
        SettingType::NamedTexts(_) => {
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        }
        SettingType::TableList(settings) => {
            json!({ "type": "array", "items": table_schema(settings, commands) })
        }
        SettingType::Keys(presets) => keys_schema(presets, commands),
    }
}

/// A preset and the commands. `queue.done` is nested tables in TOML unless it is quoted: both are
/// described.
fn keys_schema(presets: &[&str], commands: &[KeyRow]) -> Value {
    let mut properties = Map::new();
    for command in commands {
        let keys = json!({
            "type": ["string", "array"],
            "items": { "type": "string" },
            "description": command.sentence,
        });
        let mut table = &mut properties;
        let (groups, name) = command
            .id
            .rsplit_once('.')
            .map_or((Vec::new(), command.id.as_str()), |(groups, name)| {
                (groups.split('.').collect(), name)
            });
        for group in groups {
            let group = table
                .entry(group)
                .or_insert_with(|| json!({}))
                .as_object_mut()
                .expect("every property is an object");
            // A command whose id begins another one is a list of keys or, if it is quoted, a table.
            let types = match group.contains_key("items") {
                true => json!(["string", "array", "object"]),
                false => json!("object"),
            };
            group.insert("type".to_owned(), types);
            let inner = group.entry("properties").or_insert_with(|| json!({}));
            table = inner.as_object_mut().expect("properties are an object");
        }
        match table.get_mut(name) {
            Some(group) => {
                merge(group, keys.clone());
                merge(group, json!({ "type": ["string", "array", "object"] }));
            }
            None => drop(table.insert(name.to_owned(), keys.clone())),
        }
        if command.id.contains('.') {
            properties.insert(command.id.clone(), keys);
        }
    }
    let preset = json!({ "type": "string", "enum": presets, "description": "The keys that your own change" });
    properties.insert("preset".to_owned(), preset);
    json!({ "type": "object", "properties": properties })
}

/// Adds the entries of the second object to the first.
fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
