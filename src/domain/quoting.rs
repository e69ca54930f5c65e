//! Splits a typed line into parts, and quotes a part so that it is parsed back unchanged.
//!
//! Never here: what a part means.

use std::ops::Range;

/// A term in a line, with its value quoted where necessary.
pub(super) fn quote_term(term: &str) -> String {
    let at = term.find(['=', '!', '<', '>']).unwrap_or(0);
    let at = at + term[at..].find(|c| !"=!<>".contains(c)).unwrap_or(0);
    let (head, value) = term.split_at(at);
    let value = if value.contains(char::is_whitespace) {
        quote_text(value)
    } else {
        value.replace('"', "\\\"")
    };
    format!("{head}{value}")
}

/// A quoted text, except for trailing backslashes, which would escape the closing quote.
pub(super) fn quote_text(text: &str) -> String {
    let inner = text.trim_end_matches('\\');
    format!("\"{}\"{}", inner.replace('"', "\\\""), &text[inner.len()..])
}

/// A word as a shell reads it back: in single quotes unless it is harmless without.
pub fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    match !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A part of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinePart {
    /// Without its quotes.
    pub(super) text: String,
    /// It begins with a quote.
    pub(super) is_quoted: bool,
    /// Where it is in the line, in bytes.
    pub(super) place: Range<usize>,
}

/// Splits a line at spaces; quotes keep a part together and are removed, `\"` is a literal quote.
pub(super) fn split_line(line: &str) -> Vec<LinePart> {
    let (mut parts, mut part, mut is_open) = (Vec::new(), LinePart::default(), false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() && !is_open {
            let next = LinePart {
                place: at + c.len_utf8()..at + c.len_utf8(),
                ..LinePart::default()
            };
            parts.push(std::mem::replace(&mut part, next));
            continue;
        }
        match c {
            '\\' => {
                let quote = chars.next_if(|(_, next)| *next == '"');
                part.text.push(quote.map_or(c, |(_, quote)| quote));
            }
            '"' => {
                is_open = !is_open;
                part.is_quoted |= part.text.is_empty();
            }
            c => part.text.push(c),
        }
        part.place.end = chars.peek().map_or(line.len(), |(next, _)| *next);
    }
    parts.push(part);
    parts.retain(|part| !part.text.trim().is_empty());
    parts
}

/// Splits a value at commas and at the word `or`; `\,` and `\or` are literal.
pub(super) fn split_alternatives(value: &str) -> impl Iterator<Item = String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let escaped = [("\\,", ","), (" \\or ", " or ")].into_iter();
        let mut escaped = escaped.filter_map(|(mark, text)| Some((rest.strip_prefix(mark)?, text)));
        let separated = rest.strip_prefix(',').or(rest.strip_prefix(" or "));
        rest = match (escaped.next(), separated) {
            (Some((after, text)), _) => {
                part.push_str(text);
                after
            }
            (None, Some(after)) => {
                parts.push(std::mem::take(&mut part));
                after
            }
            (None, None) => {
                part.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    parts.push(part);
    parts
        .into_iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
}

/// A value as [`split_alternatives`] reads it whole.
pub(super) fn escape_alternatives(value: &str) -> String {
    value.replace(',', "\\,").replace(" or ", " \\or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_the_shell_is_quoted_only_where_necessary() {
        for (word, quoted) in [
            ("permits.db", "permits.db"),
            ("my permits.db", "'my permits.db'"),
            ("Ann's", r"'Ann'\''s'"),
            ("a;b", "'a;b'"),
            ("-x", "'-x'"),
            ("", "''"),
        ] {
            assert_eq!(quote_for_shell(word), quoted);
        }
    }

    #[test]
    fn values_are_separated_by_commas_and_by_or_unless_escaped() {
        let split = |text: &str| split_alternatives(text).collect::<Vec<_>>();
        assert_eq!(split("Seattle or Portland"), ["Seattle", "Portland"]);
        assert_eq!(split("Seattle, Portland"), ["Seattle", "Portland"]);
        assert_eq!(split("Orlando"), ["Orlando"]);
        for name in ["Truth or Consequences", "Smith, Hill or Co", "a or or b"] {
            assert_eq!(split(&escape_alternatives(name)), [name]);
        }
    }
}
