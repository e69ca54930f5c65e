//! Ids as people and pipes give them: CRLF, blanks, doubles, and lines that are none.

use std::collections::HashSet;

use crate::domain::SignalId;

use super::stop::Stop;

/// The ids of a batch, each once, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) ids: Vec<SignalId>,
    pub(super) doubles: usize,
    pub(super) bad: Vec<Bad>,
}

/// A line that is no id.
#[derive(Debug, serde::Serialize)]
pub(super) struct Bad {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A line each; empty lines do not count.
pub(super) fn lines(text: &str) -> Given {
    let (mut given, mut seen) = (Given::default(), HashSet::new());
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        match line.parse::<SignalId>() {
            _ if line.is_empty() => {}
            Ok(id) if seen.insert(id) => given.ids.push(id),
            Ok(_) => given.doubles += 1,
            Err(_) => given.bad.push(Bad { line: n + 1, text: line.chars().take(60).collect() }),
        }
    }
    given
}

/// Arguments: one that is no id is wrong usage.
pub(super) fn arguments(arguments: &[String]) -> Result<Given, Stop> {
    let given = lines(&arguments.join("\n"));
    match given.bad.first() {
        Some(bad) => Err(Stop::usage(format!("{:?} is no signal id (a UUID, as gantry queue list shows it)", bad.text))),
        None => Ok(given),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "018f4d3a-0000-7000-8000-000000000001";
    const B: &str = "018f4d3a-0000-7000-8000-000000000002";

    #[test]
    fn ids_are_taken_from_any_clean_line_and_a_bad_line_is_named_by_its_number() {
        let given = lines(&format!("\u{feff}{A}\r\n\r\n  {B}\t\nnot an id\n{}\n", A.to_uppercase()));
        assert_eq!(given.ids.iter().map(ToString::to_string).collect::<Vec<_>>(), [A, B]);
        assert_eq!(given.doubles, 1);
        assert_eq!(given.bad.iter().map(|bad| (bad.line, bad.text.as_str())).collect::<Vec<_>>(), [(4, "not an id")]);
    }
}
