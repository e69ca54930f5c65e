//! Finds a field of a JSON object without decoding the others: lists of a hundred thousand rows are
//! sorted by one field.
//!
//! The text must be valid JSON. Never here: what the value means.

/// The value of a field as it is written, or `None` if the object does not have it.
pub fn find_field<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let bytes = object.as_bytes();
    let mut at = skip_spaces(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        at = skip_spaces(bytes, at + 1);
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let key_end = skip_text(bytes, at)?;
        let is_found = bytes.get(at + 1..key_end - 1) == Some(name.as_bytes());
        // The colon.
        at = skip_spaces(bytes, skip_spaces(bytes, key_end) + 1);
        let end = skip_value(bytes, at)?;
        if is_found {
            return object.get(at..end);
        }
        at = skip_spaces(bytes, end);
        if bytes.get(at) != Some(&b',') {
            return None;
        }
    }
}

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    let spaces = bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    at + spaces
}

/// The index after a text that begins here.
fn skip_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The index after a value that begins here.
fn skip_value(bytes: &[u8], start: usize) -> Option<usize> {
    match bytes.get(start)? {
        b'"' => skip_text(bytes, start),
        b'{' | b'[' => {
            let (mut at, mut depth) = (start, 0_u32);
            loop {
                match bytes.get(at)? {
                    b'"' => {
                        at = skip_text(bytes, at)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => {
            let is_part =
                |byte: &&u8| !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace();
            Some(start + bytes[start..].iter().take_while(is_part).count())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn every_field_is_found_as_a_decoder_finds_it() {
        let object = json!({
            "id": "7", "say": "a \"quoted\", {text} \\", "none": null, "list": ["]", {"name": "inner"}], "far": {"a": [1, "}"]},
            "yes": true, "n": -1.5e3, "name": "Elm\u{1F3D7}", "last": 0, "": "empty",
        });
        for text in [
            object.to_string(),
            serde_json::to_string_pretty(&object).expect("JSON"),
        ] {
            let all: Map<String, Value> = serde_json::from_str(&text).expect("an object");
            for (name, value) in &all {
                let found = find_field(&text, name)
                    .map(|json| serde_json::from_str::<Value>(json).expect("a value"));
                assert_eq!(found.as_ref(), Some(value), "{name}");
            }
            assert_eq!(find_field(&text, "a"), None, "only the object's own fields");
            assert_eq!(find_field(&text, "missing"), None);
        }
    }

    #[test]
    fn what_is_not_an_object_has_no_fields() {
        for text in [
            "",
            "[]",
            "{}",
            "7",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":[",
            "{\"a\" 1}",
            "{,}",
            "{\"b\":\"\\",
        ] {
            assert_eq!(
                find_field(text, "a").filter(|value| !value.is_empty()),
                None,
                "{text}"
            );
        }
    }
}
