//! How a line that a person typed falls into its parts, and how a part is written so that it is read back as it was.
//!
//! Never here: what a part means.

/// A term as it stands in a line: its value in quotes where it must.
pub(super) fn quote_term(term: &str) -> String {
    let at = term.find(['=', '!', '<', '>']).unwrap_or(0);
    let at = at + term[at..].find(|c| !"=!<>".contains(c)).unwrap_or(0);
    let (head, value) = term.split_at(at);
    let value = if value.contains(char::is_whitespace) { quote_text(value) } else { value.replace('"', "\\\"") };
    format!("{head}{value}")
}

/// A text in quotes, but for backslashes at its end: there they would make the closing quote a part of it.
pub(super) fn quote_text(text: &str) -> String {
    let inner = text.trim_end_matches('\\');
    format!("\"{}\"{}", inner.replace('"', "\\\""), &text[inner.len()..])
}

/// The parts of a line between spaces, and whether each begins with a quote; quotes hold a part together and are no part of it,
/// but `\"` is one.
pub(super) fn split_line(line: &str) -> Vec<(String, bool)> {
    let (mut parts, mut part, mut quoted) = (Vec::new(), (String::new(), false), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'"') => part.0.extend(chars.next()),
            '"' => {
                quoted = !quoted;
                part.1 |= part.0.is_empty();
            }
            c if c.is_whitespace() && !quoted => parts.push(std::mem::take(&mut part)),
            c => part.0.push(c),
        }
    }
    parts.push(part);
    parts.retain(|(part, _)| !part.trim().is_empty());
    parts
}

/// The parts between commas; `\,` is a comma.
pub(super) fn split_commas(value: &str) -> impl Iterator<Item = String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&',') => part.extend(chars.next()),
            ',' => parts.push(std::mem::take(&mut part)),
            c => part.push(c),
        }
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
}
