//! Ids as people and pipes give them: CRLF, blanks, doubles, and lines that are none.

use std::collections::HashSet;
use std::hash::Hash;
use std::str::FromStr;

use clap::Args;

use super::dry::DryRun;
use super::print;
use super::stdin;
use super::stop::{self, Stop};

/// The records that a verb is about.
#[derive(Debug, Args)]
pub struct Ids {
    /// The records
    #[arg(value_name = "ID", required_unless_present = "stdin", conflicts_with = "stdin")]
    ids: Vec<String>,
    /// Read the ids from standard input, one a line
    #[arg(long)]
    stdin: bool,
    /// Send nothing when a line is no id
    #[arg(long, requires = "stdin")]
    strict: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// The ids of a batch, each once, in the order in which they came.
#[derive(Debug)]
pub(super) struct Given<T> {
    pub(super) ids: Vec<T>,
    /// Of them, those that are known not to be there: they are not sent.
    pub(super) missing: Vec<T>,
    /// The service says "ok" of one that was not there as well (interface: batch deletes, View records).
    pub(super) ok_if_missing: bool,
    /// They came through a pipe.
    pub(super) piped: bool,
    pub(super) dry: DryRun,
    pub(super) doubles: usize,
    pub(super) bad: Vec<Bad>,
}

/// A line that is no id.
#[derive(Debug, serde::Serialize)]
pub(super) struct Bad {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Ids {
    /// The same from arguments of another shape.
    pub(super) fn of(ids: &[String], stdin: bool, dry: DryRun) -> Ids {
        Ids { ids: ids.to_vec(), stdin, strict: false, dry }
    }

    /// The ids, from the arguments or from standard input. An argument that is no id is wrong usage; a line is named and passed
    /// over, unless `--strict`.
    pub(super) async fn read<T: FromStr + Clone + Eq + Hash>(&self) -> Result<Given<T>, Stop> {
        let given = if self.stdin { lines(&stdin::read().await?) } else { lines(&self.ids.join("\n")) };
        match given.bad.first() {
            Some(bad) if !self.stdin => Err(Stop::usage(format!("{:?} is no id; the lists show them", bad.text))),
            Some(bad) if self.strict => Err(Stop::usage(format!("line {}: {:?} is no id; nothing was sent", bad.line, bad.text))),
            _ => Ok(Given { piped: self.stdin, dry: self.dry, ..given }),
        }
    }
}

impl<T> Given<T> {
    /// Names the lines that are of no use; an error when there are any.
    pub(super) fn bad_lines(&self) -> Result<(), Stop> {
        self.bad.iter().for_each(|bad| print::note(&format!("line {}: {:?} is no id", bad.line, bad.text)));
        match self.bad.len() {
            0 => Ok(()),
            lines => Err(Stop::new(stop::FAILED, format!("{lines} lines were no ids"))),
        }
    }

    /// Sets aside those that are not there. A batch would answer "ok" for them as well (interface: batch writes).
    pub(super) fn keep_those_that_are(&mut self, is_there: impl Fn(&T) -> bool) {
        let (there, missing) = std::mem::take(&mut self.ids).into_iter().partition(is_there);
        (self.ids, self.missing) = (there, missing);
    }

    /// The one that was given as an argument: there is a route for one, and a script that sends many may find one in its pipe.
    pub(super) fn alone(&self) -> Option<&T> {
        self.ids.first().filter(|_| self.ids.len() == 1 && !self.piped)
    }
}

/// A line each; empty lines do not count.
fn lines<T: FromStr + Clone + Eq + Hash>(text: &str) -> Given<T> {
    let mut given = Given {
        ids: Vec::new(),
        missing: Vec::new(),
        ok_if_missing: false,
        piped: false,
        dry: DryRun::default(),
        doubles: 0,
        bad: Vec::new(),
    };
    let mut seen = HashSet::new();
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        match line.parse::<T>() {
            _ if line.is_empty() => {}
            Ok(id) if seen.insert(id.clone()) => given.ids.push(id),
            Ok(_) => given.doubles += 1,
            Err(_) => given.bad.push(Bad { line: n + 1, text: line.chars().take(60).collect() }),
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const A: &str = "018f4d3a-0000-7000-8000-000000000001";
    const B: &str = "018f4d3a-0000-7000-8000-000000000002";

    #[test]
    fn ids_are_taken_from_any_clean_line_and_a_bad_line_is_named_by_its_number() {
        let given = lines::<Uuid>(&format!("\u{feff}{A}\r\n\r\n  {B}\t\nnot an id\n{}\n", A.to_uppercase()));
        assert_eq!(given.ids.iter().map(ToString::to_string).collect::<Vec<_>>(), [A, B]);
        assert_eq!(given.doubles, 1);
        assert_eq!(given.bad.iter().map(|bad| (bad.line, bad.text.as_str())).collect::<Vec<_>>(), [(4, "not an id")]);
    }
}
