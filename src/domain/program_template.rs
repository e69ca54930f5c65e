//! Programs that the user runs on a row: arguments with placeholders. No shell is involved.
//!
//! A value cannot turn into an option: an argument that would begin with `-` only because of a
//! value is refused. In a URL, values are percent-encoded.

use std::fmt::Write as _;

/// What can be inserted, as written between braces.
pub const PLACEHOLDERS: &[&str] = &[
    "id", "project", "name", "address", "city", "cost", "type", "what",
];

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramTemplate(Vec<Vec<Piece>>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(&'static str),
}

impl ProgramTemplate {
    /// Reads `["program", "argument {name}"]`; `{{` and `}}` are braces.
    ///
    /// # Errors
    /// What is wrong, and which placeholders there are.
    pub fn parse(arguments: &[String]) -> Result<ProgramTemplate, String> {
        ProgramTemplate::parse_with(arguments, PLACEHOLDERS)
    }

    /// The same with other placeholders.
    ///
    /// # Errors
    /// What is wrong, and which placeholders there are.
    pub fn parse_with(
        arguments: &[String],
        placeholders: &[&'static str],
    ) -> Result<ProgramTemplate, String> {
        let pieces = arguments
            .iter()
            .map(|argument| parse_argument(argument, placeholders))
            .collect::<Result<Vec<_>, _>>()?;
        match pieces.first().map(Vec::as_slice) {
            Some([Piece::Text(_)]) => Ok(ProgramTemplate(pieces)),
            None | Some([]) => Err("run needs a program".to_owned()),
            Some(_) => Err("run must begin with a program, not with a placeholder".to_owned()),
        }
    }

    /// The program and its arguments with the values of a row.
    ///
    /// # Errors
    /// Which value is unknown, or cannot be an argument.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, String> {
        let fill = |pieces: &Vec<Piece>| {
            let is_url = matches!(pieces.first(), Some(Piece::Text(text)) if text.starts_with("http://") || text.starts_with("https://"));
            let mut argument = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(text) => argument.push_str(text),
                    Piece::Value(name) => {
                        let known = value(name).filter(|value| !value.trim().is_empty());
                        let known = known.ok_or_else(|| format!("{{{name}}} is not known here"))?;
                        if argument.is_empty() && known.starts_with('-') {
                            return Err(format!(
                                "{{{name}}} begins with -, which the program would take for an option"
                            ));
                        }
                        if known.contains('\0') {
                            return Err(format!(
                                "{{{name}}} contains a character that no argument can have"
                            ));
                        }
                        argument.push_str(&if is_url {
                            percent_encode(&known)
                        } else {
                            known
                        });
                    }
                }
            }
            Ok(argument)
        };
        self.0.iter().map(fill).collect()
    }
}

fn parse_argument(argument: &str, placeholders: &[&'static str]) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut text) = (Vec::new(), String::new());
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let inside = rest.split_once('}').filter(|_| brace == "{");
        let (name, after) = inside
            .ok_or_else(|| format!("a single {brace} in {argument:?}; write {brace}{brace}"))?;
        let known = placeholders.iter().find(|known| **known == name);
        let name = known.ok_or_else(|| {
            format!(
                "unknown placeholder {{{name}}}; there are {{{}}}",
                placeholders.join("}, {")
            )
        })?;
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Value(name));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

fn percent_encode(value: &str) -> String {
    let mut encoded = String::new();
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(byte.into())
            }
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(arguments: &[&str], value: &str) -> Result<Vec<String>, String> {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        ProgramTemplate::parse(&arguments)?.fill(|name| (name != "city").then(|| value.to_owned()))
    }

    #[test]
    fn values_are_inserted_as_they_are_and_encoded_in_a_url() {
        assert_eq!(
            fill(&["echo", "at {address}", "{{x}}"], "1 Main; rm -rf $HOME").unwrap(),
            ["echo", "at 1 Main; rm -rf $HOME", "{x}"]
        );
        assert_eq!(
            fill(
                &["xdg-open", "https://maps.example/?q={address}&z=1"],
                "1 Main & 2nd, Zürich"
            )
            .unwrap(),
            [
                "xdg-open",
                "https://maps.example/?q=1%20Main%20%26%202nd%2C%20Z%C3%BCrich&z=1"
            ]
        );
    }

    #[test]
    fn an_unknown_placeholder_and_an_unknown_value_are_named() {
        let error = fill(&["echo", "{adress}"], "x").unwrap_err();
        assert!(
            error.starts_with("unknown placeholder {adress}; there are {id}, {project}"),
            "{error}"
        );
        assert_eq!(
            fill(&["echo", "{city}"], "x").unwrap_err(),
            "{city} is not known here"
        );
        assert_eq!(
            fill(&["echo", "{name}"], " ").unwrap_err(),
            "{name} is not known here"
        );
        assert_eq!(
            fill(&["echo", "{name"], "x").unwrap_err(),
            "a single { in \"{name\"; write {{"
        );
    }

    #[test]
    fn a_value_is_neither_the_program_nor_an_option() {
        assert_eq!(
            fill(&["{name}"], "rm").unwrap_err(),
            "run must begin with a program, not with a placeholder"
        );
        assert_eq!(fill(&[], "x").unwrap_err(), "run needs a program");
        let error = fill(&["rg", "{name}"], "--pre=evil").unwrap_err();
        assert_eq!(
            error,
            "{name} begins with -, which the program would take for an option"
        );
        assert_eq!(
            fill(&["rg", "--", "({name})"], "-x").unwrap(),
            ["rg", "--", "(-x)"]
        );
    }
}
