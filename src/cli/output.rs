//! Rows and records in the four formats. JSON is what the service sent, with its own field names; a
//! table is for people. What `--json FIELD,…`, `--jq` and `--template` make of the JSON is printed
//! instead of it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::client::Rows;
use crate::export::csv::{format_csv_cell, write_rows as csv};
use crate::export::json::{RawFields, format_json};
use crate::text;

use super::cell_format::format_table_cell;
use super::columns::{Column, FieldKind};
use super::error::CliError;
use super::options::{GlobalOptions, OutputFormat};
use super::table::TableWriter;
use super::transform::{ExpectedFields, Transform};
use super::{pager, print};

#[derive(Clone, Copy)]
pub(super) struct Output {
    pub(super) format: OutputFormat,
    /// What is printed of the JSON. It lives as long as the program, which prints in one way.
    transform: Option<&'static Transform>,
    width: Option<u16>,
    /// The terminal shows links.
    has_links: bool,
    /// What is longer than the terminal is paged.
    is_paged: bool,
    /// `--yes`: questions are not asked.
    pub(super) assumes_yes: bool,
}

impl Output {
    /// # Errors
    /// A program or template that cannot be read.
    pub(super) fn from_options(options: &GlobalOptions) -> Result<Output, CliError> {
        let transform = Transform::from_options(options)?;
        let width = print::terminal_width();
        Ok(Output {
            format: options.requested_format().unwrap_or(OutputFormat::Table),
            transform: transform.map(|transform| &*Box::leak(Box::new(transform))),
            width,
            has_links: print::supports_links(),
            is_paged: width.is_some() && !options.no_pager,
            assumes_yes: options.yes,
        })
    }

    /// Prints text for people; through a pager if it is longer than the terminal.
    fn print_text(self, text: &str) -> Result<(), CliError> {
        let printed = if self.is_paged {
            pager::print_paged(text)
        } else {
            print::write_data(text)
        };
        printed.map_err(CliError::from)
    }

    /// Prints what a program or template made of JSON. A terminal gets no control characters.
    fn print_script_text(self, text: &str) -> Result<(), CliError> {
        let is_terminal = self.width.is_some();
        Ok(print::write_data(&if is_terminal {
            text::sanitize_block(text)
        } else {
            text.into()
        })?)
    }

    /// Starts a list that is printed page by page.
    pub(super) fn start_listing(self, columns: &'static [Column]) -> Listing {
        let table = TableWriter::new(columns, self.width, self.has_links);
        let expected = self
            .transform
            .map(|transform| transform.expect_fields(columns));
        Listing {
            output: self,
            columns,
            rows: 0,
            table,
            held: Vec::new(),
            expected,
            credits: 0,
            has_ended: false,
        }
    }

    /// Prints a complete list.
    pub(super) fn print_rows(
        self,
        rows: impl IntoIterator<Item = impl Serialize>,
        columns: &'static [Column],
    ) -> Result<(), CliError> {
        let mut listing = self.start_listing(columns);
        listing.print_page(&to_raw_rows(rows)?)?;
        listing.finish()
    }

    /// Prints a single-page list, and notes unreadable rows and rows that the service left out. It
    /// was cut at `limit`.
    pub(super) fn print_complete(
        self,
        rows: &Rows<Box<RawValue>>,
        columns: &'static [Column],
        limit: Option<u32>,
    ) -> Result<(), CliError> {
        let came = rows.rows.len() + rows.unreadable;
        if came == 0 {
            print::write_note("nothing found");
        }
        if rows.unreadable > 0 {
            print::write_note(&format!(
                "{} could not be read",
                print::pluralize(rows.unreadable, "row")
            ));
        }
        let is_cut = limit.is_some_and(|limit| rows.rows.len() >= limit as usize);
        if let Some(total) = rows.total.filter(|total| *total > came as u64 && !is_cut) {
            print::write_note(&format!(
                "showing {came} of {total} (limit reached); narrow the search"
            ));
        }
        self.print_rows(&rows.rows, columns)
    }

    /// Prints the cost, if there is one; only with a table, because a program reads standard error
    /// for one line of JSON at most.
    pub(super) fn print_cost(self, credits: Option<u64>) {
        if let Some(credits) =
            credits.filter(|credits| *credits > 0 && self.format == OutputFormat::Table)
        {
            print::write_note(&print::pluralize(credits, "credit"));
        }
    }

    /// Prints one record: as a table one line per field, as JSON the record itself.
    pub(super) fn print_record(
        self,
        record: &(impl Serialize + ?Sized),
        columns: &'static [Column],
    ) -> Result<(), CliError> {
        let record = to_raw_json(record)?;
        match self.format {
            OutputFormat::Table => self.print_text(&format_record(&record)),
            OutputFormat::Csv => self.print_rows([record], columns),
            OutputFormat::Json | OutputFormat::Jsonl => self.print_value(&record, columns),
        }
    }

    /// Prints a JSON value, whatever the format.
    pub(super) fn print_json(self, value: &(impl Serialize + ?Sized)) -> Result<(), CliError> {
        self.print_value(&to_raw_json(value)?, &[])
    }

    /// Prints JSON on one line, for commands that print line after line.
    pub(super) fn print_json_line(self, json: &str) -> Result<(), CliError> {
        let value = RawValue::from_string(json.trim().to_owned());
        let value = value.map_err(CliError::failed)?;
        Output {
            format: OutputFormat::Jsonl,
            ..self
        }
        .print_json(&value)
    }

    fn print_value(self, value: &RawValue, columns: &[Column]) -> Result<(), CliError> {
        let layout = |json: &str| {
            format!(
                "{}\n",
                format_json(json, self.format != OutputFormat::Jsonl)
            )
        };
        let Some(transform) = self.transform else {
            return Ok(print::write_data(&layout(value.get()))?);
        };
        let mut expected = transform.expect_fields(columns);
        expected.see(value);
        let selected = transform.select(value, columns);
        match transform.format(selected.get(), columns)? {
            Some(text) => self.print_script_text(&text)?,
            None => print::write_data(&layout(selected.get()))?,
        }
        expected.check()
    }

    /// Prints the response of a write; where it is empty, a summary of what was done.
    pub(super) fn print_write_result(
        self,
        answer: &RawValue,
        columns: &'static [Column],
        sentence: &str,
        value: &impl Serialize,
    ) -> Result<(), CliError> {
        let is_empty = RawFields::from_raw(answer).iter().next().is_none();
        if is_empty {
            self.print_summary(sentence, value)
        } else {
            self.print_record(answer, columns)
        }
    }

    /// Prints what a write did: a sentence as a table, the value otherwise.
    pub(super) fn print_summary(
        self,
        sentence: &str,
        value: &impl Serialize,
    ) -> Result<(), CliError> {
        match self.format {
            OutputFormat::Table => Ok(print::write_data(&format!(
                "{}\n",
                text::sanitize_line(sentence)
            ))?),
            OutputFormat::Csv => {
                let value = to_raw_json(value)?;
                let fields = RawFields::from_raw(&value);
                let (names, cells): (Vec<_>, Vec<_>) = fields
                    .iter()
                    .map(|(name, value)| (name, format_csv_cell(Some(value))))
                    .unzip();
                Ok(print::write_data(&(csv([names]) + &csv([cells])))?)
            }
            OutputFormat::Json | OutputFormat::Jsonl => self.print_json(value),
        }
    }
}

pub(super) fn to_raw_json(value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, CliError> {
    serde_json::value::to_raw_value(value).map_err(CliError::failed)
}

pub(super) fn to_raw_rows(
    rows: impl IntoIterator<Item = impl Serialize>,
) -> Result<Vec<Box<RawValue>>, CliError> {
    rows.into_iter().map(|row| to_raw_json(&row)).collect()
}

/// A list on its way to standard output. An interrupted list still prints the rows it has, because
/// they may have been paid for.
pub(super) struct Listing {
    output: Output,
    columns: &'static [Column],
    rows: usize,
    table: TableWriter,
    /// The rows of which a program gets the whole list.
    held: Vec<String>,
    /// The fields that were asked for by name.
    expected: Option<ExpectedFields>,
    /// The price of the rows so far.
    pub(super) credits: u64,
    has_ended: bool,
}

impl Drop for Listing {
    fn drop(&mut self) {
        if !self.has_ended {
            if self.rows > 0 {
                // Nobody waits for a pager any more.
                self.output.is_paged = false;
                let _ = self.print_end();
            }
            self.output.print_cost(Some(self.credits));
        }
    }
}

impl Listing {
    /// Whether rows are printed as they arrive, from this many more on.
    pub(super) fn is_streamed_with(&self, more: usize) -> bool {
        self.output.format != OutputFormat::Table || self.table.is_streamed_with(more)
    }

    /// Prints rows; those of a short table are printed at its end.
    pub(super) fn print_page(&mut self, rows: &[Box<RawValue>]) -> Result<(), CliError> {
        if rows.is_empty() {
            return Ok(());
        }
        match self.output.transform {
            None => self.print_raw_page(rows),
            Some(transform) => self.print_transformed_page(rows, transform),
        }
    }

    fn print_transformed_page(
        &mut self,
        rows: &[Box<RawValue>],
        transform: &Transform,
    ) -> Result<(), CliError> {
        if let Some(expected) = &mut self.expected {
            rows.iter().for_each(|row| expected.see(row));
        }
        let rows: Vec<Box<RawValue>> = rows
            .iter()
            .map(|row| transform.select(row, self.columns))
            .collect();
        if !transform.prints_text() {
            return self.print_raw_page(&rows);
        }
        self.rows += rows.len();
        if !transform.is_by_row(self.output.format) {
            self.held
                .extend(rows.iter().map(|row| row.get().to_owned()));
            return Ok(());
        }
        let texts = rows
            .iter()
            .filter_map(|row| transform.format(row.get(), self.columns).transpose());
        self.output
            .print_script_text(&texts.collect::<Result<String, _>>()?)
    }

    fn print_raw_page(&mut self, rows: &[Box<RawValue>]) -> Result<(), CliError> {
        let mut text = String::new();
        match self.output.format {
            OutputFormat::Table => text = self.table.add_rows(rows),
            OutputFormat::Jsonl => rows
                .iter()
                .for_each(|row| text.push_str(&format!("{}\n", format_json(row.get(), false)))),
            OutputFormat::Json => {
                for (n, row) in rows.iter().enumerate() {
                    text.push_str(if self.rows + n == 0 { "[\n  " } else { ",\n  " });
                    text.push_str(&format_json(row.get(), true).replace('\n', "\n  "));
                }
            }
            OutputFormat::Csv => {
                if self.rows == 0 {
                    text = csv([self.columns.iter().map(|column| column.key)]);
                }
                text += &csv(rows.iter().map(|row| {
                    let fields = RawFields::from_raw(row);
                    self.columns
                        .iter()
                        .map(move |column| format_csv_cell(column.value_in(&fields)))
                }));
            }
        }
        self.rows += rows.len();
        Ok(print::write_data(&text)?)
    }

    /// Ends the list.
    pub(super) fn finish(mut self) -> Result<(), CliError> {
        self.has_ended = true;
        self.print_end()?;
        self.output.print_cost(Some(self.credits));
        self.expected.as_ref().map_or(Ok(()), ExpectedFields::check)
    }

    fn print_end(&mut self) -> Result<(), CliError> {
        if let Some(transform) = self
            .output
            .transform
            .filter(|transform| transform.prints_text())
        {
            let is_whole = !transform.is_by_row(self.output.format);
            let whole = is_whole
                .then(|| transform.format(&format!("[{}]", self.held.join(",")), self.columns))
                .transpose()?;
            return whole
                .flatten()
                .map_or(Ok(()), |text| self.output.print_script_text(&text));
        }
        match self.output.format {
            OutputFormat::Table => {
                self.output.print_text(&self.table.finish())?;
                if self.table.leaves_out_ids() {
                    let text = "ids have no room here: a wider terminal or --format csv shows them";
                    print::write_note(text);
                }
                Ok(())
            }
            OutputFormat::Json => Ok(print::write_data(if self.rows == 0 {
                "[]\n"
            } else {
                "\n]\n"
            })?),
            // Without rows the header is still printed, for a valid CSV file.
            OutputFormat::Csv if self.rows == 0 => {
                let header: Vec<_> = self.columns.iter().map(|column| column.key).collect();
                Ok(print::write_data(&format!("{}\n", header.join(",")))?)
            }
            _ => Ok(()),
        }
    }
}

/// One line per field, as `name  value`; nested records are indented, lists of records take a line
/// per record.
fn format_record(record: &RawValue) -> String {
    let mut out = String::new();
    write_record_lines(&mut out, record, 0);
    out
}

/// Nested records are indented up to this depth; deeper ones stay JSON.
const MAX_INDENT_DEPTH: usize = 3;

fn write_record_lines(out: &mut String, record: &RawValue, depth: usize) {
    let fields = RawFields::from_raw(record);
    let indent = "  ".repeat(depth);
    let widest = fields
        .iter()
        .map(|(name, _)| text::display_width(&text::sanitize_line(name)))
        .max()
        .unwrap_or_default();
    for (name, value) in fields.iter() {
        let name = text::sanitize_line(name);
        let space = " ".repeat(widest - text::display_width(&name));
        let records: Vec<Box<RawValue>> = serde_json::from_str(value.get()).unwrap_or_default();
        if !records.is_empty() && records.iter().all(|record| record.get().starts_with('{')) {
            out.push_str(&format!("{indent}{name}{space}  {}\n", records.len()));
            for record in &records {
                out.push_str(&format!("{indent}  {}\n", record_summary(record)));
            }
        } else if depth < MAX_INDENT_DEPTH && value.get().starts_with('{') && value.get().len() > 2
        {
            out.push_str(&format!("{indent}{name}\n"));
            write_record_lines(out, value, depth + 1);
        } else {
            out.push_str(&format!(
                "{indent}{name}{space}  {}\n",
                format_table_cell(Some(value), FieldKind::Text)
            ));
        }
    }
}

/// The fields that identify a record, on one line.
fn record_summary(record: &RawValue) -> String {
    let fields = RawFields::from_raw(record);
    let identifying = [
        "id",
        "key",
        "path",
        "name",
        "title",
        "signal_type",
        "new_count",
        "filed_at",
        "source_filing_id",
    ];
    let words = identifying
        .iter()
        .filter_map(|name| fields.get(name))
        .map(|value| format_table_cell(Some(value), FieldKind::Text));
    let words: Vec<_> = words.filter(|word| word != "-").collect();
    if words.is_empty() {
        format_table_cell(Some(record), FieldKind::Text)
    } else {
        words.join("  ")
    }
}
