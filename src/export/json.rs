//! JSON as text: laid out for people or on one line, and harmless on a terminal. Names, order and numbers stay as they came.

use std::fmt::Write as _;

use crate::text;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What lies deeper stays on one line: indents alone would make gigabytes of a hostile answer.
const DEEPEST: usize = 64;

/// The text of a JSON value on several lines, or on one.
pub fn layout(json: &str, pretty: bool) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let mut chars = json.chars().peekable();
    // A line of something so deep, at this indent.
    let line = |out: &mut String, inside: usize, depth: usize| {
        if pretty && inside <= DEEPEST {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    while let Some(c) = chars.next() {
        if in_text {
            safe(&mut out, c);
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

/// A character within a JSON text: what a terminal must not be shown as a `\u` escape.
fn safe(out: &mut String, c: char) {
    if text::shows_as_itself(c) {
        out.push(c);
        return;
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// The fields of an object in the order in which they came, unread. What is no object has none.
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// The fields of a value.
    pub fn of(json: &RawValue) -> Fields {
        Fields::read(json.get())
    }

    /// The fields of a JSON text.
    pub fn read(json: &str) -> Fields {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// A field; of two of a name the last.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().rev().find(|(field, _)| field == name).map(|(_, value)| value.as_ref())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ordered;
        impl<'de> Visitor<'de> for Ordered {
            type Value = Fields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Ordered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_names_its_order_and_its_digits() {
        let json = r#"{"b":[1,{"a":1e400}],"a":[ ],"c":{}, "d":"x: {\"y\\"}"#;
        assert_eq!(
            layout(json, true),
            "{\n  \"b\": [\n    1,\n    {\n      \"a\": 1e400\n    }\n  ],\n  \"a\": [],\n  \"c\": {},\n  \"d\": \"x: {\\\"y\\\\\"\n}"
        );
        assert_eq!(layout(json, false), r#"{"b":[1,{"a":1e400}],"a":[],"c":{},"d":"x: {\"y\\"}"#);
    }

    #[test]
    fn what_lies_very_deep_stays_on_one_line() {
        let deep = format!("{}1,2{}", "[".repeat(100_000), "]".repeat(100_000));
        let laid_out = layout(&deep, true);
        assert!(laid_out.len() < deep.len() + 20_000, "{}", laid_out.len());
        assert_eq!(laid_out.split_whitespace().collect::<String>(), deep);
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped_and_nothing_is_lost() {
        let json = serde_json::to_string("a\u{9b}2J\u{202e}b\u{7f}\u{e0041}é").unwrap();
        let shown = layout(&json, false);
        assert_eq!(shown, r#""a\u009b2J\u202eb\u007f\udb40\udc41é""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{9b}2J\u{202e}b\u{7f}\u{e0041}é");
    }

    #[test]
    fn fields_come_in_their_order_and_the_last_of_a_name_counts() {
        let raw = serde_json::from_str::<Box<RawValue>>(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        let fields = Fields::of(&raw);
        assert_eq!(fields.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["b", "a", "b"]);
        assert_eq!(fields.get("b").unwrap().get(), "3");
    }
}
