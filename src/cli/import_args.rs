//! The arguments of `gantry import`, and what they say about a file.
//!
//! Never here: what is done with them.

use std::path::PathBuf;
use std::time::Duration;

use chrono::NaiveDate;
use clap::Args;

use crate::config::{duration, process_env};
use crate::domain::quoting::quote_for_shell;
use crate::service::Storage;
use crate::service::import::dates::DateOrder;
use crate::service::import::inspect::{Answers, TableSample};
use crate::service::import::layout::{DecimalSign, YEAR};
use crate::service::import::permit_state::PermitState;
use crate::service::import::table::Encoding;
use crate::service::import::words::PermitField;

use super::database::{self, DatabaseArgs};
use super::error::CliError;

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry import permits.csv --data permits.db\n\
    Then:    gantry --local permits.db --as-of 2018-12-01")]
pub struct ImportArgs {
    /// Permit file, as the city publishes it: a table, JSON, JSON Lines or GeoJSON, also
    /// compressed; - for standard input, with --follow also a directory
    pub(super) file: PathBuf,
    /// Layout: a built-in name, a name in the layouts folder, or a FILE.toml. Without it, the file
    /// is recognized or inspected
    #[arg(long, value_name = "NAME", conflicts_with_all = ["encoding", "columns", "key", "write_layout"])]
    pub(super) layout: Option<String>,
    /// Database: a file, created if it does not exist, or the address of a PostgreSQL database
    /// (postgres://USER@HOST/DATABASE) [env: GANTRY_DATABASE_URL, an address that may contain the
    /// password]
    #[arg(long, value_name = "FILE|URL")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Report what would be imported, without saving it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Write rejected rows to this file
    #[arg(long, value_name = "FILE")]
    pub(super) rejects: Option<PathBuf>,
    /// Encoding of the file, if its letters come out wrong, such as CP850 or MacRoman
    #[arg(long, value_name = "NAME", value_parser = parse_encoding)]
    pub(super) encoding: Option<Encoding>,
    /// Order of day, month and year in dates: dmy, mdy or ymd
    #[arg(long, value_name = "ORDER", value_parser = parse_dates)]
    dates: Option<DateOrder>,
    /// Decimal sign in amounts: . or ,
    #[arg(long, value_name = "SIGN", value_parser = parse_decimal)]
    decimal: Option<DecimalSign>,
    /// City and state of rows that name none, such as 'Springfield, IL'
    #[arg(long, value_name = "CITY, STATE")]
    city: Option<String>,
    /// What a column holds, such as 'Datum=issued'; a number, from 1, works instead of the heading
    #[arg(long = "column", value_name = "HEADING=FIELD")]
    columns: Vec<String>,
    /// What a status means for a permit, such as 'On file=active': applied, active, approved,
    /// completed, withdrawn, denied or expired
    #[arg(long = "status", value_name = "STATUS=MEANING", value_parser = parse_status)]
    statuses: Vec<(String, PermitState)>,
    /// What identifies a permit: number, or also headings or the year, such as 'number,year' or
    /// 'number,Revision'
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Keep running: import FILE, or the files of a directory, whenever they change
    #[arg(long, conflicts_with_all = ["encoding", "dates", "decimal", "city", "columns", "statuses", "key", "yes", "write_layout", "dry_run", "rejects"])]
    pub(super) follow: bool,
    /// How often --follow looks
    #[arg(long, value_name = "DURATION", default_value = "3s", value_parser = duration::parse, hide = true)]
    pub(super) follow_interval: Duration,
    /// Import without asking, if nothing is undecided
    #[arg(long)]
    pub(super) yes: bool,
    /// Write the layout to this file [default: in the layouts folder once the file is imported, by
    /// its name]
    #[arg(long, value_name = "FILE")]
    pub(super) write_layout: Option<PathBuf>,
}

impl ImportArgs {
    /// The database to import into.
    pub(super) fn storage(&self) -> Result<Storage, CliError> {
        match database::find_storage("--data", self.data.as_deref(), &self.database, &process_env)?
        {
            Some(Storage::Memory) => Err(CliError::usage(
                "--data :memory: is not a database that lasts; name a file",
            )),
            Some(storage) => Ok(storage),
            None => Err(CliError::usage(
                "where to import to is missing: add --data FILE, or set GANTRY_DATABASE_URL",
            )),
        }
    }

    /// The command that shows what was imported there, as of a day.
    pub(super) fn as_of_command(&self, data: &Storage, day: NaiveDate) -> String {
        let named = self
            .data
            .as_ref()
            .map(|data| quote_for_shell(&data.display().to_string()));
        match (data, named) {
            (Storage::Postgres(_), None) => format!("gantry serve --as-of {day}"),
            (Storage::Postgres(_), Some(url)) => format!("gantry serve --data {url} --as-of {day}"),
            (Storage::Memory | Storage::File(_), _) => {
                let file = quote_for_shell(&data.to_string());
                let for_team = team_command(data, day);
                format!("gantry --local {file} --as-of {day}, or for a team: {for_team}")
            }
        }
    }

    /// What the options say about a file whose layout is known.
    pub(super) fn answers_for_layout(&self) -> Answers {
        Answers {
            dates: self.dates,
            decimal: self.decimal,
            city: self.city.as_deref().map(parse_city),
            statuses: self.statuses.clone(),
            ..Answers::default()
        }
    }

    /// What the options say about the file.
    pub(super) fn answers(&self, sample: &TableSample) -> Result<Answers, CliError> {
        let column = |term: &String| {
            let (heading, word) = term.rsplit_once('=').unwrap_or((term, ""));
            let words = || PermitField::words().collect::<Vec<_>>().join(", ");
            let field = PermitField::from_word(word).ok_or_else(|| {
                CliError::usage(format!(
                    "--column {term}: write HEADING=FIELD, with one of the fields {}",
                    words()
                ))
            })?;
            let numbered = heading
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(1));
            let named = sample
                .header
                .iter()
                .position(|name| name.eq_ignore_ascii_case(heading.trim()));
            let at = named.or(numbered).filter(|at| *at < sample.header.len());
            let at = at.ok_or_else(|| {
                CliError::usage(format!(
                    "--column {term}: the file has no column {heading}, but {}",
                    sample.header.join(", ")
                ))
            })?;
            Ok((at, field))
        };
        Ok(Answers {
            encoding: self.encoding,
            columns: self
                .columns
                .iter()
                .map(column)
                .collect::<Result<_, CliError>>()?,
            key: self
                .key
                .as_deref()
                .map(|key| parse_key(key, sample).map_err(CliError::usage))
                .transpose()?,
            ..self.answers_for_layout()
        })
    }
}

pub(super) fn parse_decimal(text: &str) -> Result<DecimalSign, String> {
    let signs = [DecimalSign::Point, DecimalSign::Comma];
    signs
        .into_iter()
        .find(|sign| sign.as_char().to_string() == text)
        .ok_or_else(|| "write . or ,".to_owned())
}

pub(super) fn parse_encoding(text: &str) -> Result<Encoding, String> {
    let names = || {
        Encoding::all()
            .map(Encoding::name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    Encoding::from_name(text).ok_or_else(|| format!("write one of {}", names()))
}

pub(super) fn parse_dates(text: &str) -> Result<DateOrder, String> {
    DateOrder::from_word(text).ok_or_else(|| "write dmy, mdy or ymd".to_owned())
}

/// `number,year`: what identifies a permit with its number.
pub(super) fn parse_key(text: &str, sample: &TableSample) -> Result<Vec<String>, String> {
    let mut names = text.split(',').map(str::trim);
    if !names
        .next()
        .is_some_and(|first| first.eq_ignore_ascii_case("number"))
    {
        return Err("begin with number, such as number,year".to_owned());
    }
    let find = |name: &str| {
        let known = sample
            .header
            .iter()
            .find(|known| known.eq_ignore_ascii_case(name));
        let year = || name.eq_ignore_ascii_case(YEAR).then(|| YEAR.to_owned());
        known.cloned().or_else(year).ok_or_else(|| {
            format!(
                "the file has no column {name}, but {}",
                sample.header.join(", ")
            )
        })
    };
    names.map(find).collect()
}

/// `On file=active`
fn parse_status(text: &str) -> Result<(String, PermitState), String> {
    let (value, word) = text.rsplit_once('=').unwrap_or((text, ""));
    let state = parse_permit_state(word)?;
    Ok((value.trim().to_owned(), state))
}

pub(super) fn parse_permit_state(word: &str) -> Result<PermitState, String> {
    PermitState::from_word(&word.trim().to_lowercase()).ok_or_else(|| {
        "write applied, active, approved, completed, withdrawn, denied or expired".to_owned()
    })
}

/// `Springfield, IL`
pub(super) fn parse_city(text: &str) -> (String, String) {
    let (city, state) = text.split_once(',').unwrap_or((text, ""));
    (city.trim().to_owned(), state.trim().to_owned())
}
/// The command that serves a file to a team as of a day.
pub(super) fn team_command(data: &Storage, day: NaiveDate) -> String {
    let file = quote_for_shell(&data.to_string());
    format!("gantry team up --data {file} --as-of {day}")
}
