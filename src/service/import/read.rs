//! Reading: one pass over the file, row by row, in transactions of some thousand rows. What a row says is written at once; nothing
//! about a row is remembered but in the database, so that two million rows need the memory of two thousand.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Transaction};
use uuid::Uuid;

use super::columns::{self, Columns, Fresh, Kept, Row};
use super::layout::Layout;
use super::lines::Lines;
use super::{ImportError, Keep, Progress, Report, fold, values};
use crate::domain::{AccountId, ContactId, ProjectId, SignalId};
use crate::service::db::index_import::{self, Merger, Written};
use crate::service::db::index_write::Writer;
use crate::service::db::records::{Account, Contact, Signal, Source};
use crate::service::db::standing;

const ROWS_A_TRANSACTION: u64 = 20_000;
/// The first transaction is small: whoever gave the wrong file or layout sees it at once.
const ROWS_FIRST: u64 = 256;

/// Reads a file into the index. `rejects` gets the header and the rows that could not be used; `progress` is asked after every
/// transaction whether to go on. Whatever was reported is in the database, and reading the same file again changes nothing.
pub fn read(
    conn: &Connection,
    layout: &Layout,
    file: impl Read,
    mut rejects: Option<&mut dyn Write>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    keep: Keep,
) -> Result<Report, ImportError> {
    let (mut csv, mut bytes, columns) = begin(layout, file)?;
    let source = source(layout);
    index_import::make_room(conn)?;
    let mut transaction = conn.unchecked_transaction()?;
    standing::release(conn)?;
    Writer::new(conn)?.source(&source)?;
    let mut reading = Reading {
        layout,
        columns: &columns,
        merger: Merger::new(conn)?,
        source: source.id,
        report: Report::default(),
        payload: Vec::new(),
        known: HashSet::new(),
        keep,
    };
    let mut aside = match rejects.as_mut() {
        Some(out) => {
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(out);
            writer.write_record(bytes.iter().map(cell))?;
            Some(writer)
        }
        None => None,
    };
    while csv.read_byte_record(&mut bytes)? {
        let line = csv.get_ref().line_at(bytes.position().map_or(0, csv::Position::byte));
        reading.report.rows += 1;
        let row = text(&bytes);
        if let Err(reason) = reading.row(&row, line)? {
            reading.report.reject(reason, line);
            if let Some(aside) = &mut aside {
                aside.write_record(bytes.iter().map(cell))?;
            }
        }
        if reading.report.rows == ROWS_FIRST || reading.report.rows.is_multiple_of(ROWS_A_TRANSACTION) {
            transaction = reading.settle(conn, transaction)?;
            let at = Progress { rows: reading.report.rows, bytes: csv.position().byte(), of: None };
            if progress(at).is_break() {
                reading.report.stopped = true;
                break;
            }
        }
    }
    if !reading.report.stopped {
        transaction = reading.further_addresses(conn, transaction)?;
    }
    if let Some(mut aside) = aside {
        aside.flush().map_err(ImportError::Rejects)?;
    }
    reading.fold()?;
    reading.report.doubts.retain(|_, doubt| doubt.rows > 0);
    match keep {
        Keep::All => transaction.commit()?,
        Keep::Nothing => transaction.rollback()?,
    }
    Ok(reading.report)
}

/// Whether the file has the layout's columns.
pub fn check(layout: &Layout, file: impl Read) -> Result<(), ImportError> {
    begin(layout, file).map(drop)
}

/// Reads the header and finds the layout's columns in it.
fn begin<R: Read>(layout: &Layout, file: R) -> Result<(csv::Reader<Lines<R>>, csv::ByteRecord, Columns), ImportError> {
    let mut csv =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(1 << 17).from_reader(Lines::new(file));
    let mut bytes = csv::ByteRecord::new();
    if !csv.read_byte_record(&mut bytes)? {
        return Err(ImportError::Empty);
    }
    let columns = Columns::find(layout, &text(&bytes)).map_err(ImportError::MissingColumns)?;
    Ok((csv, bytes, columns))
}

/// A field as a cell that no spreadsheet takes for a formula: the file is a stranger's. What is no UTF-8 stays as it is.
fn cell(field: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(field).map(crate::text::escape_formula) {
        Ok(Cow::Owned(text)) => text.into_bytes().into(),
        // A formula begins with a byte of ASCII, whatever follows it.
        Err(_) if field.trim_ascii_start().first().is_some_and(|byte| b"=+-@".contains(byte)) => [b"'", field].concat().into(),
        _ => field.into(),
    }
}

/// The record as text: what is not UTF-8 is read as the older exports are written, byte by byte.
fn text(bytes: &csv::ByteRecord) -> csv::StringRecord {
    csv::StringRecord::from_byte_record(bytes.clone())
        .unwrap_or_else(|_| bytes.iter().map(|field| field.iter().map(|byte| char::from(*byte)).collect::<String>()).collect())
}

fn source(layout: &Layout) -> Source {
    Source {
        id: layout.id("source", &layout.source.slug),
        slug: layout.source.slug.clone(),
        display_name: layout.source.display_name.clone(),
        base_url: layout.source.base_url.clone(),
        logo_domain: layout.source.logo_domain.clone(),
    }
}

struct Reading<'c> {
    layout: &'c Layout,
    columns: &'c Columns,
    merger: Merger<'c>,
    source: Uuid,
    report: Report,
    payload: Vec<u8>,
    /// Firms and people that were written lately with nothing new; emptied when it is full.
    known: HashSet<Uuid>,
    keep: Keep,
}

impl<'c> Reading<'c> {
    /// Ends a transaction with the projects described, and begins the next.
    fn settle(&mut self, conn: &'c Connection, transaction: Transaction<'c>) -> Result<Transaction<'c>, ImportError> {
        self.fold()?;
        if self.keep == Keep::Nothing {
            return Ok(transaction);
        }
        transaction.commit()?;
        Ok(conn.unchecked_transaction()?)
    }

    /// Describes the projects that something was written to.
    fn fold(&mut self) -> Result<(), ImportError> {
        for id in self.merger.touched()? {
            let past = self.merger.past(id)?;
            self.merger.describe(&fold::project(self.layout, self.columns, id, &past))?;
        }
        Ok(())
    }

    /// One row of the file: used, counted as a further row of a permit, put off, or refused with a reason.
    fn row(&mut self, record: &csv::StringRecord, line: u64) -> Result<Result<(), &'static str>, ImportError> {
        if record.len() != self.columns.width {
            return Ok(Err("a row with more or fewer fields than the header"));
        }
        let row = Fresh(record);
        let mut payload = std::mem::take(&mut self.payload);
        self.columns.payload(record, &mut payload);
        let text = String::from_utf8_lossy(&payload);
        let done = if columns::all(&self.columns.principal, &row) {
            self.permit(&row, &text, line, true)
        } else {
            match self.refusal(&row) {
                Some(reason) => Ok(Err(reason)),
                None => self.merger.later(line, &text).map(Ok).map_err(ImportError::from),
            }
        };
        drop(text);
        self.payload = payload;
        done
    }

    /// The rows of permits at several addresses whose principal address the file did not name: each permit's first, if it is unknown.
    fn further_addresses(
        &mut self,
        conn: &'c Connection,
        mut transaction: Transaction<'c>,
    ) -> Result<Transaction<'c>, ImportError> {
        let mut last = 0;
        loop {
            let rows = self.merger.kept_after(last)?;
            if rows.is_empty() {
                return Ok(transaction);
            }
            for (number, line, text) in rows {
                last = number;
                let kept = self.permit(&Kept::read(&text), &text, line, false)?;
                debug_assert!(kept.is_ok(), "a row that cannot be used is refused before it is put off");
            }
            transaction = self.settle(conn, transaction)?;
        }
    }

    /// Why a row cannot be used, if it cannot.
    fn refusal(&self, row: &impl Row) -> Option<&'static str> {
        if row.get(&self.columns.permit).is_empty() {
            return Some("no permit number");
        }
        if columns::place_key(self.columns, row).is_none() {
            return Some("no address and no parcel");
        }
        let mut filled = false;
        for rule in self.columns.rules.iter().filter(|rule| applies(rule, row)) {
            if let Some(date) = columns::first(&rule.on, row) {
                filled = true;
                if values::day(date, &self.layout.dates).is_some() {
                    return None;
                }
            }
        }
        Some(if filled { "no date that can be read" } else { "no date" })
    }

    /// A permit: its place, its signals, who is named in it.
    fn permit(
        &mut self,
        row: &impl Row,
        payload: &str,
        line: u64,
        principal: bool,
    ) -> Result<Result<(), &'static str>, ImportError> {
        if let Some(reason) = self.refusal(row) {
            return Ok(Err(reason));
        }
        let number = row.get(&self.columns.permit);
        let place = columns::place_key(self.columns, row).unwrap_or_default();
        let project: ProjectId = self.layout.id("place", &place);
        // A row of another address never moves a permit that a principal row has placed, in this file or in one before.
        if !principal {
            for rule in &self.columns.rules {
                if self.merger.elsewhere(self.signal_id(number, rule), project)? {
                    self.report.further += 1;
                    return Ok(Ok(()));
                }
            }
        }
        if !self.merger.first_time(self.layout.id("permit", number))? {
            self.report.further += 1;
            return Ok(Ok(()));
        }
        self.report.permits += 1;
        let cost = fold::cost(self.layout, self.columns, row);
        let area = columns::first(&self.columns.area, row);
        let numbers = [
            ("cost", columns::first(&self.columns.cost, row)),
            ("area", area),
            ("stories", columns::first(&self.columns.stories, row)),
            ("units", columns::first(&self.columns.units, row)),
        ];
        for (what, text) in numbers {
            if let Some(text) = text {
                self.report.weigh(what, text, self.layout.decimal, line);
            }
        }
        let area = area.and_then(|area| values::number(area, self.layout.decimal.unwrap_or_default()));
        let mut since = None;
        for rule in self.columns.rules.iter().filter(|rule| applies(rule, row)) {
            let Some(date) = columns::first(&rule.on, row) else { continue };
            let Some(day) = values::day(date, &self.layout.dates) else {
                self.report.remark("a date that cannot be read, left out", line);
                continue;
            };
            if since.is_none() {
                let name = values::tidy(&columns::joined(&self.columns.address, row), self.layout.title_case);
                let made = self.merger.place(project, &name, &self.layout.city, &self.layout.state, day)?;
                self.report.projects.count(made);
            }
            since = since.min(Some(day)).or(Some(day));
            let signal = Signal {
                id: self.signal_id(number, rule),
                project_id: project,
                source_id: self.source,
                signal_type: rule.signal_type.clone(),
                filed_at: day,
                // What is filed is known at once: a file of past years shows its queue as it was on any day.
                discovered_at: day,
                source_filing_id: Some(number.to_owned()),
                source_url: None,
                reported_cost_usd: cost,
                reported_gross_floor_area_sf: area,
                raw_data: serde_json::Value::Null,
            };
            self.report.signals.count(self.merger.signal(&signal, payload)?);
        }
        if let Some(since) = since {
            self.people(row, project, since, line)?;
        }
        Ok(Ok(()))
    }

    fn signal_id(&self, number: &str, rule: &columns::Rule) -> SignalId {
        self.layout.id("signal", &format!("{number}:{}", rule.signal_type))
    }

    /// The firms and people that a row names.
    fn people(&mut self, row: &impl Row, project: ProjectId, since: DateTime<Utc>, line: u64) -> Result<(), ImportError> {
        let Some(firms) = &self.layout.firms else { return Ok(()) };
        for named in &self.columns.firms {
            let name = row.get(&named.name);
            let key = values::key(name);
            if key.is_empty() {
                continue;
            }
            let Some((kind, person)) = columns::kind_of(firms, row.get(&named.kind), name) else {
                self.report.remark("a firm of a kind that the layout does not know, left out", line);
                continue;
            };
            let title = self.layout.title_case;
            let some = |text: &str| Some(values::tidy(text, title)).filter(|text| !text.is_empty());
            let phone = values::phone(row.get(&named.phone));
            if person {
                let written = if kind.last_first { values::first_last(name) } else { name.to_owned() };
                let contact = Contact {
                    id: self.layout.id::<ContactId>("person", &values::key(&written)),
                    name: values::tidy(&written, title),
                    title: kind.title.clone(),
                    account_id: None,
                    email: None,
                    phone,
                    created_at: since,
                };
                if !self.known.contains(&contact.id.0) || contact.phone.is_some() {
                    let made = self.merger.contact(&contact)?;
                    self.remember(contact.id.0);
                    self.report.contacts.count(made);
                }
                self.merger.link_contact(project, contact.id)?;
            } else {
                let address = [row.get(&named.address), row.get(&named.zip).trim_end_matches('-')];
                let street = some(address[0]);
                let city = some(row.get(&named.city));
                let state = Some(row.get(&named.state).to_uppercase()).filter(|state| state.len() == 2);
                let hq_address = street.map(|street| {
                    let town = [city.as_deref(), state.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
                    format!("{street}, {town} {}", address[1]).trim_end_matches([' ', ',']).to_owned()
                });
                let account = firm(
                    self.layout.id("firm", &key),
                    values::tidy(name, title),
                    kind.roles.clone(),
                    city,
                    state,
                    hq_address,
                    phone,
                    since,
                );
                let made = self.merger.account(&account)?;
                self.report.accounts.count(made);
                for role in &kind.roles {
                    self.merger.link_account(project, account.id, role)?;
                }
            }
        }
        Ok(())
    }

    fn remember(&mut self, id: Uuid) {
        if self.known.len() >= 20_000 {
            self.known.clear();
        }
        self.known.insert(id);
    }
}

fn applies(rule: &columns::Rule, row: &impl Row) -> bool {
    columns::all(&rule.when, row) && !columns::any(&rule.unless, row)
}

#[expect(clippy::too_many_arguments, reason = "what a permit file says of a firm; the rest of an account is unknown")]
fn firm(
    id: AccountId,
    name: String,
    account_types: Vec<String>,
    city: Option<String>,
    state: Option<String>,
    hq_address: Option<String>,
    public_phone: Option<String>,
    created_at: DateTime<Utc>,
) -> Account {
    Account {
        id,
        name,
        account_types,
        aliases: Vec::new(),
        domains: Vec::new(),
        website: None,
        linkedin_url: None,
        city,
        state,
        hq_address,
        hq_location: None,
        public_phone,
        public_email: None,
        specialties: Vec::new(),
        description: None,
        founded_year: None,
        account_types_source: Some("permits".to_owned()),
        created_at,
    }
}

impl super::Tally {
    fn count(&mut self, written: Written) {
        match written {
            Written::New => self.new += 1,
            Written::Changed => self.changed += 1,
            Written::Same => self.same += 1,
        }
    }
}
