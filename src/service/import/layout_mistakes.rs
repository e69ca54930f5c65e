//! Mistakes in a layout, in plain words with their line and key.

/// The first key whose value is `"?"`, and its line.
pub fn undecided_key(text: &str) -> Option<(&str, usize)> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.split("  #").next().unwrap_or_default().trim()));
    let mut those = lines.filter(|(_, line)| !line.starts_with('#') && line.contains("\"?\""));
    those.find_map(|(number, line)| line.split_once(" =").map(|(key, _)| (key, number)))
}

/// What is wrong with a layout, in plain words, with the line and the key.
pub fn explain_toml_error(text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..start).unwrap_or_default();
    let line_number = before.matches('\n').count() + 1;
    let line = text.lines().nth(line_number - 1).unwrap_or_default().trim();
    let key = line.split('=').next().unwrap_or_default().trim();
    let message = error
        .message()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let quoted = |after: &str| {
        message
            .split_once(after)
            .and_then(|(_, rest)| rest.split('`').nth(1))
            .unwrap_or_default()
            .to_owned()
    };
    let (_, expected) = message.split_once("expected").unwrap_or_default();
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let why = if message.starts_with("missing field") {
        let table = if key.starts_with('[') {
            key
        } else {
            "the layout"
        };
        return format!("{table} lacks the key {}", quoted("missing field"));
    } else if message.starts_with("unknown field") {
        let unknown = quoted("unknown field");
        let hint = crate::domain::fuzzy::closest_match(&unknown, known.iter().copied());
        let hint = hint.map_or(format!("known here: {}", known.join(", ")), |name| {
            format!("did you mean {name}?")
        });
        format!("unknown key {unknown}; {hint}")
    } else if let Some((found, wanted)) = message
        .strip_prefix("invalid type: ")
        .and_then(|rest| rest.split_once(", expected "))
    {
        format!(
            "{key} is {}, and must be {}",
            plain_type(found),
            plain_type(wanted)
        )
    } else if message.starts_with("unknown variant") {
        format!(
            "{key} is {:?}, and must be {}",
            quoted("unknown variant"),
            known.join(" or ")
        )
    } else {
        format!("this is not valid TOML ({message}): {line}")
    };
    format!("line {line_number}: {why}")
}

/// A type in plain words instead of a programmer's.
fn plain_type(name: &str) -> String {
    let name = name.trim();
    let plain = match name {
        "a map" | "map" => "a table: [name], with keys below",
        "a sequence" | "sequence" => "a list: [\"one\", \"two\"]",
        "a string" | "string" | "str" => "a text in quotes",
        "usize" | "u64" | "i64" | "f64" => "a number",
        "a boolean" | "bool" => "true or false",
        _ if name.starts_with("struct ") => "a table: [name], with keys below",
        _ if name.starts_with("string ") => return name.replacen("string ", "the text ", 1),
        _ if name.starts_with("integer ") => return name.replacen("integer ", "the number ", 1),
        _ => name,
    };
    plain.to_owned()
}
