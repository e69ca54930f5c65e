//! Rows and records in the four formats. JSON is what the service sent, with its own field names; a table is for people.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width};
use serde_json::value::RawValue;

use crate::client::{Client, Request, Rows};
use crate::export::csv::{format_csv_cell, write_rows as csv};
use crate::export::json::{RawFields, format_json};
use crate::text;

use super::args::{Args, OutputFormat};
use super::cell_format::format_table_cell;
use super::columns::{CellKind, OutputColumn};
use super::exit::CliError;
use super::print;

/// How this run prints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) format: OutputFormat,
    width: Option<u16>,
}

impl Output {
    pub(super) fn from_args(args: &Args) -> Output {
        let format = if args.json { OutputFormat::Json } else { args.format.unwrap_or(OutputFormat::Table) };
        Output { format, width: print::terminal_width() }
    }

    /// A list that is printed page by page.
    pub(super) fn start_listing(self, columns: &'static [OutputColumn]) -> Listing {
        Listing { output: self, columns, rows: 0, buffered: Vec::new(), credits: 0, has_ended: false }
    }

    /// A whole list.
    pub(super) fn print_rows(self, rows: &[Box<RawValue>], columns: &'static [OutputColumn]) -> Result<(), CliError> {
        let mut listing = self.start_listing(columns);
        listing.print_page(rows)?;
        listing.finish()
    }

    /// A list that comes whole; gives its rows.
    pub(super) async fn fetch_and_print(
        self,
        client: &Client,
        request: Request,
        columns: &'static [OutputColumn],
    ) -> Result<Vec<Box<RawValue>>, CliError> {
        let rows = client.fetch_rows(request).await?.value;
        self.print_complete(&rows, columns)?;
        Ok(rows.rows)
    }

    /// A list that came whole, or as much of it as comes.
    pub(super) fn print_complete(self, rows: &Rows<Box<RawValue>>, columns: &'static [OutputColumn]) -> Result<(), CliError> {
        let came = rows.rows.len() + rows.unreadable;
        if came == 0 {
            print::write_note("there is none");
        }
        if rows.unreadable > 0 {
            print::write_note(&format!("{} rows could not be read", rows.unreadable));
        }
        if let Some(total) = rows.total.filter(|total| *total > came as u64) {
            print::write_note(&format!("{came} of {total}; more do not come, narrow the list"));
        }
        self.print_rows(&rows.rows, columns)
    }

    /// What it cost, for people.
    pub(super) fn print_cost(self, credits: Option<u64>) {
        match credits {
            Some(1) if self.format == OutputFormat::Table => print::write_note("1 credit"),
            Some(credits) if credits > 0 && self.format == OutputFormat::Table => {
                print::write_note(&format!("{credits} credits"))
            }
            _ => {}
        }
    }

    /// One record: a line a field in a table, the record itself in JSON.
    pub(super) fn print_record(self, record: &RawValue, columns: &'static [OutputColumn]) -> Result<(), CliError> {
        match self.format {
            OutputFormat::Table => Ok(print::write_data(&format_record(record))?),
            OutputFormat::Csv => self.print_rows(&[record.to_owned()], columns),
            OutputFormat::Json | OutputFormat::Jsonl => self.print_json(record),
        }
    }

    /// A JSON value, in a table too.
    pub(super) fn print_json(self, value: &RawValue) -> Result<(), CliError> {
        Ok(print::write_data(&format!("{}\n", format_json(value.get(), self.format != OutputFormat::Jsonl)))?)
    }

    /// What a write answered; where the service answers nothing, what it did.
    pub(super) fn print_write_result(
        self,
        answer: &RawValue,
        columns: &'static [OutputColumn],
        sentence: &str,
        value: &impl serde::Serialize,
    ) -> Result<(), CliError> {
        let says_nothing = RawFields::from_raw(answer).iter().next().is_none();
        if says_nothing { self.print_summary(sentence, value) } else { self.print_record(answer, columns) }
    }

    /// What a write did: a sentence in a table, the value otherwise.
    pub(super) fn print_summary(self, sentence: &str, value: &impl serde::Serialize) -> Result<(), CliError> {
        match self.format {
            OutputFormat::Table => Ok(print::write_data(&format!("{}\n", text::sanitize_line(sentence)))?),
            OutputFormat::Csv => {
                let value = to_raw_json(value)?;
                let fields = RawFields::from_raw(&value);
                let (names, cells): (Vec<_>, Vec<_>) =
                    fields.iter().map(|(name, value)| (name, format_csv_cell(Some(value)))).unzip();
                Ok(print::write_data(&(csv([names]) + &csv([cells])))?)
            }
            OutputFormat::Json | OutputFormat::Jsonl => self.print_json(&to_raw_json(value)?),
        }
    }
}

/// Something of ours as JSON.
pub(super) fn to_raw_json(value: &impl serde::Serialize) -> Result<Box<RawValue>, CliError> {
    serde_json::value::to_raw_value(value).map_err(|error| CliError::new(super::exit::EXIT_FAILED, error.to_string()))
}

/// A list on its way to standard output. One that breaks off ends there, with what came: it may have been paid for.
pub(super) struct Listing {
    output: Output,
    columns: &'static [OutputColumn],
    rows: usize,
    buffered: Vec<Box<RawValue>>,
    /// What the rows cost.
    pub(super) credits: u64,
    has_ended: bool,
}

impl Drop for Listing {
    fn drop(&mut self) {
        if !self.has_ended {
            if self.rows > 0 {
                let _ = self.print_end();
            }
            self.output.print_cost(Some(self.credits));
        }
    }
}

impl Listing {
    /// Rows that have been printed or held.
    pub(super) fn count(&self) -> usize {
        self.rows
    }

    /// More rows. Only a table waits for its end.
    pub(super) fn print_page(&mut self, rows: &[Box<RawValue>]) -> Result<(), CliError> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        match self.output.format {
            OutputFormat::Table => self.buffered.extend(rows.iter().cloned()),
            OutputFormat::Jsonl => rows.iter().for_each(|row| text.push_str(&format!("{}\n", format_json(row.get(), false)))),
            OutputFormat::Json => {
                for (n, row) in rows.iter().enumerate() {
                    text.push_str(if self.rows + n == 0 { "[\n  " } else { ",\n  " });
                    text.push_str(&format_json(row.get(), true).replace('\n', "\n  "));
                }
            }
            OutputFormat::Csv => {
                if self.rows == 0 {
                    text = csv([self.columns.iter().map(|column| column.field)]);
                }
                text += &csv(rows.iter().map(|row| {
                    let fields = RawFields::from_raw(row);
                    self.columns.iter().map(move |column| format_csv_cell(column.value_in(&fields)))
                }));
            }
        }
        self.rows += rows.len();
        Ok(print::write_data(&text)?)
    }

    /// No more rows.
    pub(super) fn finish(mut self) -> Result<(), CliError> {
        self.has_ended = true;
        self.print_end()?;
        self.output.print_cost(Some(self.credits));
        Ok(())
    }

    fn print_end(&self) -> Result<(), CliError> {
        match self.output.format {
            OutputFormat::Table if !self.buffered.is_empty() => {
                Ok(print::write_data(&format_table(&self.buffered, self.columns, self.output.width))?)
            }
            OutputFormat::Json => Ok(print::write_data(if self.rows == 0 { "[]\n" } else { "\n]\n" })?),
            // A header without rows is still a CSV file.
            OutputFormat::Csv if self.rows == 0 => {
                let header: Vec<_> = self.columns.iter().map(|column| column.field).collect();
                Ok(print::write_data(&format!("{}\n", header.join(",")))?)
            }
            _ => Ok(()),
        }
    }
}

/// Columns side by side; on a terminal no wider than it, with long cells cut.
fn format_table(rows: &[Box<RawValue>], columns: &[OutputColumn], width: Option<u16>) -> String {
    let columns: Vec<_> = columns.iter().filter(|column| !column.title.is_empty()).collect();
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_truncation_indicator("..");
    match width {
        Some(width) => table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    table.set_header(columns.iter().map(|column| column.title));
    for row in rows {
        let fields = RawFields::from_raw(row);
        let mut cells = Row::from(columns.iter().map(|column| format_table_cell(column.value_in(&fields), column.kind)));
        cells.max_height(1);
        table.add_row(cells);
    }
    for (n, column) in columns.iter().enumerate() {
        if let Some(shape) = table.column_mut(n) {
            shape.set_padding((0, 2));
            if matches!(column.kind, CellKind::Money | CellKind::Number) {
                shape.set_cell_alignment(comfy_table::CellAlignment::Right);
            }
            // A text loses its end; a part of a number or a day would say something else.
            shape.set_constraint(match column.kind {
                CellKind::Text => ColumnConstraint::LowerBoundary(Width::Fixed(column.title.len() as u16 + 2)),
                _ => ColumnConstraint::ContentWidth,
            });
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A line a field, as `name  value`; a record within it further in, and lists of records as a line each.
fn format_record(record: &RawValue) -> String {
    let mut out = String::new();
    write_record_lines(&mut out, record, 0);
    out
}

/// Records within records are laid out so deep; what is deeper stays JSON.
const MAX_INDENT_DEPTH: usize = 3;

fn write_record_lines(out: &mut String, record: &RawValue, depth: usize) {
    let fields = RawFields::from_raw(record);
    let indent = "  ".repeat(depth);
    let widest = fields.iter().map(|(name, _)| text::display_width(&text::sanitize_line(name))).max().unwrap_or_default();
    for (name, value) in fields.iter() {
        let name = text::sanitize_line(name);
        let space = " ".repeat(widest - text::display_width(&name));
        let records: Vec<Box<RawValue>> = serde_json::from_str(value.get()).unwrap_or_default();
        if !records.is_empty() && records.iter().all(|record| record.get().starts_with('{')) {
            out.push_str(&format!("{indent}{name}{space}  {}\n", records.len()));
            for record in &records {
                out.push_str(&format!("{indent}  {}\n", record_summary(record)));
            }
        } else if depth < MAX_INDENT_DEPTH && value.get().starts_with('{') && value.get().len() > 2 {
            out.push_str(&format!("{indent}{name}\n"));
            write_record_lines(out, value, depth + 1);
        } else {
            out.push_str(&format!("{indent}{name}{space}  {}\n", format_table_cell(Some(value), CellKind::Text)));
        }
    }
}

/// What tells a record from its neighbours.
fn record_summary(record: &RawValue) -> String {
    let fields = RawFields::from_raw(record);
    let telling = ["id", "key", "path", "name", "title", "signal_type", "new_count", "filed_at", "source_filing_id"];
    let words = telling.iter().filter_map(|name| fields.get(name)).map(|value| format_table_cell(Some(value), CellKind::Text));
    let words: Vec<_> = words.filter(|word| word != "-").collect();
    if words.is_empty() { format_table_cell(Some(record), CellKind::Text) } else { words.join("  ") }
}
