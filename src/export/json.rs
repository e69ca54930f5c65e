//! JSON as text: indented or on one line, and safe to show in a terminal. Names, order and numbers
//! are kept as received.

use std::fmt::Write as _;

use crate::text;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper values stay on one line: indentation alone would turn a hostile response into gigabytes.
const MAX_PRETTY_DEPTH: usize = 64;

/// Formats a JSON value on several lines, or on one.
pub fn format_json(json: &str, pretty: bool) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let mut chars = json.chars().peekable();
    // Starts a new line at this depth.
    let line = |out: &mut String, inside: usize, depth: usize| {
        if pretty && inside <= MAX_PRETTY_DEPTH {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    while let Some(c) = chars.next() {
        if in_text {
            push_escaped(&mut out, c);
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' => {
                in_text = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth, depth);
                }
            }
            '}' | ']' => {
                let inside = depth;
                depth = depth.saturating_sub(1);
                line(&mut out, inside, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth, depth);
            }
            ':' => out.push_str(if pretty { ": " } else { ":" }),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// Writes a character of a JSON text; one that is unsafe in a terminal becomes a `\u` escape.
fn push_escaped(out: &mut String, c: char) {
    if text::is_displayable(c) {
        out.push(c);
        return;
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// The raw fields of an object in their original order; empty if the value is not an object.
#[derive(Debug, Default)]
pub struct RawFields(Vec<(String, Box<RawValue>)>);

impl RawFields {
    pub fn from_raw(json: &RawValue) -> RawFields {
        RawFields::parse(json.get())
    }

    pub fn parse(json: &str) -> RawFields {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// A field; of duplicates the last.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0
            .iter()
            .rev()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_ref())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_ref()))
    }
}

impl<'de> Deserialize<'de> for RawFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawFieldsVisitor;
        impl<'de> Visitor<'de> for RawFieldsVisitor {
            type Value = RawFields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(RawFieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_names_order_and_digits() {
        let json = r#"{"b":[1,{"a":1e400}],"a":[ ],"c":{}, "d":"x: {\"y\\"}"#;
        assert_eq!(
            format_json(json, true),
            "{\n  \"b\": [\n    1,\n    {\n      \"a\": 1e400\n    }\n  ],\n  \"a\": [],\n  \"c\": {},\n  \"d\": \"x: {\\\"y\\\\\"\n}"
        );
        assert_eq!(
            format_json(json, false),
            r#"{"b":[1,{"a":1e400}],"a":[],"c":{},"d":"x: {\"y\\"}"#
        );
    }

    #[test]
    fn deeply_nested_json_stays_on_one_line() {
        let deep = format!("{}1,2{}", "[".repeat(100_000), "]".repeat(100_000));
        let laid_out = format_json(&deep, true);
        assert!(laid_out.len() < deep.len() + 20_000, "{}", laid_out.len());
        assert_eq!(laid_out.split_whitespace().collect::<String>(), deep);
    }

    #[test]
    fn terminal_control_characters_are_escaped_losslessly() {
        let json = serde_json::to_string("a\u{9b}2J\u{202e}b\u{7f}\u{e0041}é").unwrap();
        let shown = format_json(&json, false);
        assert_eq!(shown, r#""a\u009b2J\u202eb\u007f\udb40\udc41é""#);
        assert_eq!(
            serde_json::from_str::<String>(&shown).unwrap(),
            "a\u{9b}2J\u{202e}b\u{7f}\u{e0041}é"
        );
    }

    #[test]
    fn fields_keep_their_order_and_the_last_duplicate_wins() {
        let raw = serde_json::from_str::<Box<RawValue>>(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        let fields = RawFields::from_raw(&raw);
        assert_eq!(
            fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["b", "a", "b"]
        );
        assert_eq!(fields.get("b").unwrap().get(), "3");
    }
}
