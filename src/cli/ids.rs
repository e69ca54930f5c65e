//! Reads ids from arguments and pipes: one per line, or rows as another gantry command printed
//! them. Tolerates CRLF, blanks and duplicates, and reports invalid lines.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use clap::Args;
use serde_json::Value;

use super::dry_run::DryRun;
use super::error::CliError;
use super::names::{NamedId, find_ids};
use super::output::Output;
use super::print;
use super::session::Session;
use super::stdin;

#[derive(Debug, Args)]
pub struct IdArgs {
    /// Ids
    #[arg(
        value_name = "ID",
        required_unless_present = "stdin",
        conflicts_with = "stdin"
    )]
    ids: Vec<String>,
    /// Read ids from standard input, one per line, or rows as JSON, JSON Lines or CSV
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
    /// The service reports "ok" for records that do not exist too (interface: batch deletes, View
    /// records).
    pub(super) ok_if_missing: bool,
    /// Each record gets a request of its own, because a batch would not report which do not exist.
    pub(super) by_record: bool,
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
        IdArgs {
            ids: ids.to_vec(),
            stdin,
            strict: false,
            dry,
        }
    }

    /// Reads the ids from the arguments or from standard input. An invalid argument is a usage
    /// error; an invalid line is reported and skipped, unless `--strict`.
    pub(super) async fn read<T: FromStr + Clone + Eq + Hash>(&self) -> Result<IdList<T>, CliError> {
        self.read_fields(&["id"]).await
    }

    /// The same; of a piped row, the first of these fields that it has is the id.
    pub(super) async fn read_fields<T: FromStr + Clone + Eq + Hash>(
        &self,
        fields: &[&str],
    ) -> Result<IdList<T>, CliError> {
        let given = if self.stdin {
            parse_ids(&stdin::read_all().await?, fields)
        } else {
            parse_ids(&self.ids.join("\n"), &[])
        };
        match given.invalid.first() {
            Some(bad) if !self.stdin => Err(CliError::usage(format!(
                "{:?} is not a valid id (expected a UUID, as shown in lists)",
                bad.text
            ))),
            Some(bad) if self.strict => Err(CliError::usage(format!("{bad}; nothing was sent"))),
            _ => Ok(IdList {
                is_piped: self.stdin,
                dry: self.dry,
                ..given
            }),
        }
    }
}

impl IdArgs {
    /// The same for what has a name: an argument may also be one. What is piped is ids.
    pub(super) async fn read_named<T: NamedId>(
        &self,
        session: &Session,
    ) -> Result<IdList<T>, CliError> {
        if self.stdin {
            return self.read().await;
        }
        let ids: Vec<T> = find_ids(&self.ids, session).await?;
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        IdArgs { ids, ..*self }.read().await
    }
}

/// Parses the id of the one record that an argument names.
pub(super) fn parse_id<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse()
        .map_err(|_| "an id is expected, as lists show it")
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {:?} is not a valid id", self.line, self.text)
    }
}

/// The error for lines that are no ids; if all are, they may be a table.
pub(super) fn count_invalid_ids(lines: usize, are_all: bool) -> CliError {
    let error = CliError::failed(print::pluralize(lines, "invalid id"));
    match are_all {
        true => error.with_hint("what another gantry command lists is read with --format csv"),
        false => error,
    }
}

pub(super) fn print_invalid_ids(lines: &[InvalidId]) {
    lines
        .iter()
        .for_each(|bad| print::write_note(&bad.to_string()));
}

impl<T> IdList<T> {
    pub(super) fn new(ids: Vec<T>, dry: DryRun) -> IdList<T> {
        IdList {
            ids,
            missing: Vec::new(),
            ok_if_missing: false,
            by_record: false,
            is_piped: false,
            dry,
            duplicates: 0,
            invalid: Vec::new(),
        }
    }

    /// Asks before these records are lost, if somebody is there to answer. The question names how
    /// many of what there are.
    pub(super) async fn confirm(
        &self,
        output: Output,
        question: impl Fn(&str) -> String,
        noun: &str,
    ) -> Result<(), CliError> {
        if self.dry.dry_run || self.ids.is_empty() {
            return Ok(());
        }
        output
            .confirm(&question(&print::pluralize(self.ids.len(), noun)))
            .await
    }

    /// Reports the invalid lines; an error if there are any.
    pub(super) fn report_invalid(&self) -> Result<(), CliError> {
        print_invalid_ids(&self.invalid);
        match self.invalid.len() {
            0 => Ok(()),
            lines => Err(count_invalid_ids(lines, self.ids.is_empty())),
        }
    }

    /// Sets aside ids that do not exist. A batch would report "ok" for them too (interface: batch
    /// writes).
    pub(super) fn retain_existing(&mut self, is_there: impl Fn(&T) -> bool) {
        let (there, missing) = std::mem::take(&mut self.ids)
            .into_iter()
            .partition(is_there);
        (self.ids, self.missing) = (there, missing);
    }

    /// A single id given as an argument, which uses the single-record route. A script that pipes
    /// ids gets batch output even for one.
    pub(super) fn single(&self) -> Option<&T> {
        self.ids
            .first()
            .filter(|_| self.ids.len() == 1 && !self.is_piped)
    }
}

/// Parses one id per line, or rows with the id in one of these fields: an array of JSON objects, an
/// object per line, or CSV with a header. Empty lines are skipped.
fn parse_ids<T: FromStr + Clone + Eq + Hash>(text: &str, fields: &[&str]) -> IdList<T> {
    let mut given = IdList::new(Vec::new(), DryRun::default());
    let mut seen = HashSet::new();
    let rows = json_array_ids(text, fields)
        .or_else(|| csv_ids(text, fields))
        .unwrap_or_else(|| line_ids(text, fields));
    for (line, text) in rows {
        match text.parse::<T>() {
            _ if text.is_empty() => {}
            Ok(id) if seen.insert(id.clone()) => given.ids.push(id),
            Ok(_) => given.duplicates += 1,
            Err(_) => given.invalid.push(InvalidId {
                line,
                text: text.chars().take(60).collect(),
            }),
        }
    }
    given
}

/// The text of each id with the number of its line, or of its element in an array.
type NumberedIds = Vec<(usize, String)>;

/// The id of a JSON object, or a text by itself. What has no id is returned as it is, to be
/// reported.
fn json_id(value: &Value, fields: &[&str]) -> String {
    let id = fields
        .iter()
        .find_map(|field| value.get(field)?.as_str())
        .or_else(|| value.as_str());
    id.map_or_else(|| value.to_string(), |id| id.trim().to_owned())
}

/// The ids of a JSON array, as `--json` prints a list.
fn json_array_ids(text: &str, fields: &[&str]) -> Option<NumberedIds> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let rows: Vec<Value> = serde_json::from_str(text).ok()?;
    Some(
        rows.iter()
            .enumerate()
            .map(|(n, row)| (n + 1, json_id(row, fields)))
            .collect(),
    )
}

/// The ids of CSV whose header names one of the fields.
fn csv_ids(text: &str, fields: &[&str]) -> Option<NumberedIds> {
    let mut rows = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = rows.headers().ok()?;
    let column = fields
        .iter()
        .find_map(|field| header.iter().position(|name| name.trim() == *field))?;
    let id = |row: csv::StringRecord| {
        let line = row
            .position()
            .map_or(0, |position| position.line() as usize);
        (line, row.get(column).unwrap_or_default().trim().to_owned())
    };
    Some(rows.into_records().map_while(Result::ok).map(id).collect())
}

/// The ids of lines: each an id, or a JSON object.
fn line_ids(text: &str, fields: &[&str]) -> NumberedIds {
    let id = |(n, line): (usize, &str)| {
        let line = line.trim();
        let row = line
            .starts_with('{')
            .then(|| serde_json::from_str::<Value>(line).ok())
            .flatten();
        (
            n + 1,
            row.map_or_else(|| line.to_owned(), |row| json_id(&row, fields)),
        )
    };
    text.lines().enumerate().map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const FIRST_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
    const SECOND_ID: &str = "018f4d3a-0000-7000-8000-000000000002";

    #[test]
    fn ids_are_read_one_a_line_and_an_invalid_line_is_reported_by_number() {
        let given = parse_ids::<Uuid>(
            &format!(
                "{FIRST_ID}\r\n\r\n  {SECOND_ID}\t\nnot an id\n{}\n",
                FIRST_ID.to_uppercase()
            ),
            &["id"],
        );
        assert_eq!(
            given
                .ids
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [FIRST_ID, SECOND_ID]
        );
        assert_eq!(given.duplicates, 1);
        assert_eq!(
            given
                .invalid
                .iter()
                .map(|bad| (bad.line, bad.text.as_str()))
                .collect::<Vec<_>>(),
            [(4, "not an id")]
        );
    }

    #[test]
    fn rows_of_another_command_are_read_in_every_format_that_it_prints() {
        let rows = |project: &str| {
            [
                format!("{{\"id\":\"{SECOND_ID}\",\"project_id\":{project}}}"),
                format!("{{\"id\":\"{FIRST_ID}\"}}"),
            ]
        };
        let [first, second] = rows(&format!("\"{FIRST_ID}\""));
        let array = format!("[\n  {first},\n  {second}\n]\n");
        let csv = format!(
            "name,id,project_id\n\"Harbor, North\",{SECOND_ID},{FIRST_ID}\n\"two\nlines\",{FIRST_ID},{FIRST_ID}\n"
        );
        for text in [array, format!("{first}\n{second}\n"), csv] {
            let own = parse_ids::<Uuid>(&text, &["id"]);
            assert_eq!(
                own.ids.iter().map(ToString::to_string).collect::<Vec<_>>(),
                [SECOND_ID, FIRST_ID],
                "{text}"
            );
            let related = parse_ids::<Uuid>(&text, &["project_id", "id"]);
            assert_eq!(
                related
                    .ids
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
                [FIRST_ID],
                "{text}"
            );
            assert!(
                own.invalid.is_empty() && related.invalid.is_empty(),
                "{text}"
            );
        }
        let [first, _] = rows("null");
        assert_eq!(
            parse_ids::<Uuid>(&first, &["project_id", "id"]).ids.len(),
            1,
            "a null is not an id"
        );
        let bad = parse_ids::<Uuid>("[{\"name\":\"x\"}]", &["id"]);
        assert_eq!(
            bad.invalid
                .iter()
                .map(|bad| (bad.line, bad.text.as_str()))
                .collect::<Vec<_>>(),
            [(1, "{\"name\":\"x\"}")]
        );
    }
}
