//! Reads ids from arguments and pipes: tolerates CRLF, blanks and duplicates, and reports invalid lines.

use std::collections::HashSet;
use std::hash::Hash;
use std::str::FromStr;

use clap::Args;

use crate::domain::exit_status;

use super::dry_run::DryRun;
use super::error::CliError;
use super::print;
use super::stdin;

#[derive(Debug, Args)]
pub struct IdArgs {
    /// Record ids
    #[arg(value_name = "ID", required_unless_present = "stdin", conflicts_with = "stdin")]
    ids: Vec<String>,
    /// Read ids from standard input, one per line
    #[arg(long)]
    stdin: bool,
    /// Send nothing if any line is not a valid id
    #[arg(long, requires = "stdin")]
    strict: bool,
    #[command(flatten)]
    dry: DryRun,
}

/// The distinct ids of a batch, in input order.
#[derive(Debug)]
pub(super) struct IdList<T> {
    pub(super) ids: Vec<T>,
    /// Ids known not to exist: they are not sent.
    pub(super) missing: Vec<T>,
    /// The service reports "ok" for records that do not exist too (interface: batch deletes, View records).
    pub(super) ok_if_missing: bool,
    /// Read from standard input.
    pub(super) is_piped: bool,
    pub(super) dry: DryRun,
    pub(super) duplicates: usize,
    pub(super) invalid: Vec<InvalidId>,
}

/// An input line that is not a valid id.
#[derive(Debug, serde::Serialize)]
pub(super) struct InvalidId {
    pub(super) line: usize,
    pub(super) text: String,
}

impl IdArgs {
    /// Builds the arguments for commands that declare them differently.
    pub(super) fn new(ids: &[String], stdin: bool, dry: DryRun) -> IdArgs {
        IdArgs { ids: ids.to_vec(), stdin, strict: false, dry }
    }

    /// Reads the ids from the arguments or from standard input. An invalid argument is a usage error; an invalid line is reported and
    /// skipped, unless `--strict`.
    pub(super) async fn read<T: FromStr + Clone + Eq + Hash>(&self) -> Result<IdList<T>, CliError> {
        let given = if self.stdin { parse_ids(&stdin::read_all().await?) } else { parse_ids(&self.ids.join("\n")) };
        match given.invalid.first() {
            Some(bad) if !self.stdin => {
                Err(CliError::usage(format!("{:?} is not a valid id (expected a UUID, as shown in lists)", bad.text)))
            }
            Some(bad) if self.strict => {
                Err(CliError::usage(format!("line {}: {:?} is not a valid id; nothing was sent", bad.line, bad.text)))
            }
            _ => Ok(IdList { is_piped: self.stdin, dry: self.dry, ..given }),
        }
    }
}

impl<T> IdList<T> {
    /// Reports the invalid lines; an error if there are any.
    pub(super) fn report_invalid(&self) -> Result<(), CliError> {
        self.invalid.iter().for_each(|bad| print::write_note(&format!("line {}: {:?} is not a valid id", bad.line, bad.text)));
        match self.invalid.len() {
            0 => Ok(()),
            lines => Err(CliError::new(exit_status::FAILED, print::pluralize(lines, "invalid id"))),
        }
    }

    /// Sets aside ids that do not exist. A batch would report "ok" for them too (interface: batch writes).
    pub(super) fn retain_existing(&mut self, is_there: impl Fn(&T) -> bool) {
        let (there, missing) = std::mem::take(&mut self.ids).into_iter().partition(is_there);
        (self.ids, self.missing) = (there, missing);
    }

    /// A single id given as an argument, which uses the single-record route. A script that pipes ids gets batch output even for one.
    pub(super) fn single(&self) -> Option<&T> {
        self.ids.first().filter(|_| self.ids.len() == 1 && !self.is_piped)
    }
}

/// Parses one id per line, skipping empty lines.
fn parse_ids<T: FromStr + Clone + Eq + Hash>(text: &str) -> IdList<T> {
    let mut given = IdList {
        ids: Vec::new(),
        missing: Vec::new(),
        ok_if_missing: false,
        is_piped: false,
        dry: DryRun::default(),
        duplicates: 0,
        invalid: Vec::new(),
    };
    let mut seen = HashSet::new();
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        match line.parse::<T>() {
            _ if line.is_empty() => {}
            Ok(id) if seen.insert(id.clone()) => given.ids.push(id),
            Ok(_) => given.duplicates += 1,
            Err(_) => given.invalid.push(InvalidId { line: n + 1, text: line.chars().take(60).collect() }),
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const FIRST_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
    const SECOND_ID: &str = "018f4d3a-0000-7000-8000-000000000002";

    #[test]
    fn ids_are_read_one_a_line_and_an_invalid_line_is_reported_by_number() {
        let given =
            parse_ids::<Uuid>(&format!("\u{feff}{FIRST_ID}\r\n\r\n  {SECOND_ID}\t\nnot an id\n{}\n", FIRST_ID.to_uppercase()));
        assert_eq!(given.ids.iter().map(ToString::to_string).collect::<Vec<_>>(), [FIRST_ID, SECOND_ID]);
        assert_eq!(given.duplicates, 1);
        assert_eq!(given.invalid.iter().map(|bad| (bad.line, bad.text.as_str())).collect::<Vec<_>>(), [(4, "not an id")]);
    }
}
