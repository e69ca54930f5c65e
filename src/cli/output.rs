//! Rows and records in the four formats. JSON is what the service sent, with its own field names; a table is for people.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width};
use serde_json::value::RawValue;

use crate::client::{Client, Request, Rows};
use crate::export::csv::{format_cell, write_rows as csv};
use crate::export::json::{RawFields, format_json};
use crate::text;

use super::args::{Args, Format};
use super::cells::shown;
use super::columns::{Column, Kind};
use super::print;
use super::stop::Stop;

/// How this run prints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) format: Format,
    width: Option<u16>,
}

impl Output {
    pub(super) fn of(args: &Args) -> Output {
        let format = if args.json { Format::Json } else { args.format.unwrap_or(Format::Table) };
        Output { format, width: print::terminal_width() }
    }

    /// A list that is printed page by page.
    pub(super) fn listing(self, columns: &'static [Column]) -> Listing {
        Listing { output: self, columns, rows: 0, held: Vec::new(), credits: 0, has_ended: false }
    }

    /// A whole list.
    pub(super) fn rows(self, rows: &[Box<RawValue>], columns: &'static [Column]) -> Result<(), Stop> {
        let mut listing = self.listing(columns);
        listing.page(rows)?;
        listing.end()
    }

    /// A list that comes whole; gives its rows.
    pub(super) async fn all(
        self,
        client: &Client,
        request: Request,
        columns: &'static [Column],
    ) -> Result<Vec<Box<RawValue>>, Stop> {
        let rows = client.rows(request).await?.value;
        self.whole(&rows, columns)?;
        Ok(rows.rows)
    }

    /// A list that came whole, or as much of it as comes.
    pub(super) fn whole(self, rows: &Rows<Box<RawValue>>, columns: &'static [Column]) -> Result<(), Stop> {
        let came = rows.rows.len() + rows.unreadable;
        if came == 0 {
            print::note("there is none");
        }
        if rows.unreadable > 0 {
            print::note(&format!("{} rows could not be read", rows.unreadable));
        }
        if let Some(total) = rows.total.filter(|total| *total > came as u64) {
            print::note(&format!("{came} of {total}; more do not come, narrow the list"));
        }
        self.rows(&rows.rows, columns)
    }

    /// What it cost, for people.
    pub(super) fn receipt(self, credits: Option<u64>) {
        match credits {
            Some(1) if self.format == Format::Table => print::note("1 credit"),
            Some(credits) if credits > 0 && self.format == Format::Table => print::note(&format!("{credits} credits")),
            _ => {}
        }
    }

    /// One record: a line a field in a table, the record itself in JSON.
    pub(super) fn record(self, record: &RawValue, columns: &'static [Column]) -> Result<(), Stop> {
        match self.format {
            Format::Table => Ok(print::data(&lines(record))?),
            Format::Csv => self.rows(&[record.to_owned()], columns),
            Format::Json | Format::Jsonl => self.json(record),
        }
    }

    /// A JSON value, in a table too.
    pub(super) fn json(self, value: &RawValue) -> Result<(), Stop> {
        Ok(print::data(&format!("{}\n", format_json(value.get(), self.format != Format::Jsonl)))?)
    }

    /// What a write answered; where the service answers nothing, what it did.
    pub(super) fn written(
        self,
        answer: &RawValue,
        columns: &'static [Column],
        sentence: &str,
        value: &impl serde::Serialize,
    ) -> Result<(), Stop> {
        let says_nothing = RawFields::from_raw(answer).iter().next().is_none();
        if says_nothing { self.done(sentence, value) } else { self.record(answer, columns) }
    }

    /// What a write did: a sentence in a table, the value otherwise.
    pub(super) fn done(self, sentence: &str, value: &impl serde::Serialize) -> Result<(), Stop> {
        match self.format {
            Format::Table => Ok(print::data(&format!("{}\n", text::sanitize_line(sentence)))?),
            Format::Csv => {
                let value = raw(value)?;
                let fields = RawFields::from_raw(&value);
                let (names, cells): (Vec<_>, Vec<_>) =
                    fields.iter().map(|(name, value)| (name, format_cell(Some(value)))).unzip();
                Ok(print::data(&(csv([names]) + &csv([cells])))?)
            }
            Format::Json | Format::Jsonl => self.json(&raw(value)?),
        }
    }
}

/// Something of ours as JSON.
pub(super) fn raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, Stop> {
    serde_json::value::to_raw_value(value).map_err(|error| Stop::new(super::stop::FAILED, error.to_string()))
}

/// A list on its way to standard output. One that breaks off ends there, with what came: it may have been paid for.
pub(super) struct Listing {
    output: Output,
    columns: &'static [Column],
    rows: usize,
    held: Vec<Box<RawValue>>,
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
            self.output.receipt(Some(self.credits));
        }
    }
}

impl Listing {
    /// Rows that have been printed or held.
    pub(super) fn count(&self) -> usize {
        self.rows
    }

    /// More rows. Only a table waits for its end.
    pub(super) fn page(&mut self, rows: &[Box<RawValue>]) -> Result<(), Stop> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        match self.output.format {
            Format::Table => self.held.extend(rows.iter().cloned()),
            Format::Jsonl => rows.iter().for_each(|row| text.push_str(&format!("{}\n", format_json(row.get(), false)))),
            Format::Json => {
                for (n, row) in rows.iter().enumerate() {
                    text.push_str(if self.rows + n == 0 { "[\n  " } else { ",\n  " });
                    text.push_str(&format_json(row.get(), true).replace('\n', "\n  "));
                }
            }
            Format::Csv => {
                if self.rows == 0 {
                    text = csv([self.columns.iter().map(|column| column.field)]);
                }
                text += &csv(rows.iter().map(|row| {
                    let fields = RawFields::from_raw(row);
                    self.columns.iter().map(move |column| format_cell(column.of(&fields)))
                }));
            }
        }
        self.rows += rows.len();
        Ok(print::data(&text)?)
    }

    /// No more rows.
    pub(super) fn end(mut self) -> Result<(), Stop> {
        self.has_ended = true;
        self.print_end()?;
        self.output.receipt(Some(self.credits));
        Ok(())
    }

    fn print_end(&self) -> Result<(), Stop> {
        match self.output.format {
            Format::Table if !self.held.is_empty() => Ok(print::data(&table(&self.held, self.columns, self.output.width))?),
            Format::Json => Ok(print::data(if self.rows == 0 { "[]\n" } else { "\n]\n" })?),
            // A header without rows is still a CSV file.
            Format::Csv if self.rows == 0 => {
                let header: Vec<_> = self.columns.iter().map(|column| column.field).collect();
                Ok(print::data(&format!("{}\n", header.join(",")))?)
            }
            _ => Ok(()),
        }
    }
}

/// Columns side by side; on a terminal no wider than it, with long cells cut.
fn table(rows: &[Box<RawValue>], columns: &[Column], width: Option<u16>) -> String {
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
        let mut cells = Row::from(columns.iter().map(|column| shown(column.of(&fields), column.kind)));
        cells.max_height(1);
        table.add_row(cells);
    }
    for (n, column) in columns.iter().enumerate() {
        if let Some(shape) = table.column_mut(n) {
            shape.set_padding((0, 2));
            if matches!(column.kind, Kind::Money | Kind::Number) {
                shape.set_cell_alignment(comfy_table::CellAlignment::Right);
            }
            // A text loses its end; a part of a number or a day would say something else.
            shape.set_constraint(match column.kind {
                Kind::Text => ColumnConstraint::LowerBoundary(Width::Fixed(column.title.len() as u16 + 2)),
                _ => ColumnConstraint::ContentWidth,
            });
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A line a field, as `name  value`; a record within it further in, and lists of records as a line each.
fn lines(record: &RawValue) -> String {
    let mut out = String::new();
    write_lines(&mut out, record, 0);
    out
}

/// Records within records are laid out so deep; what is deeper stays JSON.
const DEEPEST: usize = 3;

fn write_lines(out: &mut String, record: &RawValue, depth: usize) {
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
                out.push_str(&format!("{indent}  {}\n", in_one_line(record)));
            }
        } else if depth < DEEPEST && value.get().starts_with('{') && value.get().len() > 2 {
            out.push_str(&format!("{indent}{name}\n"));
            write_lines(out, value, depth + 1);
        } else {
            out.push_str(&format!("{indent}{name}{space}  {}\n", shown(Some(value), Kind::Text)));
        }
    }
}

/// What tells a record from its neighbours.
fn in_one_line(record: &RawValue) -> String {
    let fields = RawFields::from_raw(record);
    let telling = ["id", "key", "path", "name", "title", "signal_type", "new_count", "filed_at", "source_filing_id"];
    let words = telling.iter().filter_map(|name| fields.get(name)).map(|value| shown(Some(value), Kind::Text));
    let words: Vec<_> = words.filter(|word| word != "-").collect();
    if words.is_empty() { shown(Some(record), Kind::Text) } else { words.join("  ") }
}
