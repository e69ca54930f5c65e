//! JSON as text: indented or on one line, and safe to show in a terminal. Names, order and numbers
//! are kept as received.

use std::fmt::Write as _;

use crate::text;

pub use crate::text::raw_fields::RawFields;

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
}
