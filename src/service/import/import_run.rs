//! Reading: one pass over the file, row by row, in transactions so short that a service on the same
//! file hardly waits. Rows are written at once and remembered only in the database, so that two
//! million rows need no more memory than two thousand.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::columns::{self, CsvRow, PermitColumns, PermitRow};
use super::file_check::FileCheck;
use super::layout::PermitLayout;
use super::permit_signals::{self, PermitSignals};
use super::questions::Question;
use super::rejected_rows::{self, Rejection};
use super::table::{Flaw, RowStart, TableReader, decode_record};
use super::transactions::ImportTransaction;
use super::{CommitMode, ImportError, ImportProgress, ImportReport, merge, values};
use crate::domain::signals::SignalType;
use crate::domain::{ProjectId, SignalId};
use crate::service::db::index_import::{self, IndexMerger, KnownSignal, MergeOutcome};
use crate::service::db::index_write;
use crate::service::db::new_records::{NewSignal, NewSource};
use crate::service::db::project_status::{self, ENDINGS};
use crate::service::db::sql::Conn;

/// The date and the address of a permit are corrected together only if the new date is within these
/// days: otherwise the number was used again.
const MAX_CORRECTION_DAYS: i64 = 180;

/// The time passes unnoticed while this many rows are read.
const ROWS_PER_LOOK: u64 = 16;

/// Reads a file into the index. `rejects` receives the header and the rejected rows; `progress` is
/// called after every transaction and decides whether to continue. Everything in the report is in
/// the database, and reading the same file again changes nothing.
pub fn read_file(
    conn: &Conn,
    layout: &PermitLayout,
    file: impl Read,
    mut rejects: Option<&mut dyn Write>,
    progress: &mut dyn FnMut(ImportProgress) -> ControlFlow<()>,
    keep: CommitMode,
    now: DateTime<Utc>,
) -> Result<ImportReport, ImportError> {
    let (mut table, columns) = open_table(layout, file)?;
    let mut bytes = csv::ByteRecord::new();
    let source = new_source(layout);
    index_import::configure_for_import(conn)?;
    let mut transaction = ImportTransaction::begin(conn)?;
    project_status::apply_all_signals(conn)?;
    index_write::add_source(conn, &source)?;
    let merger = IndexMerger::new(conn)?;
    let mut reading = ImportRun {
        layout,
        columns: &columns,
        is_new_source: !merger.has_signals_of(source.id)?,
        signal_types: signal_types(layout),
        merger,
        source: source.id,
        report: ImportReport::default(),
        payload: Vec::new(),
        recent_ids: HashSet::new(),
        commit_mode: keep,
        now,
    };
    let mut aside = match rejects.as_mut() {
        Some(out) => {
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(out);
            writer.write_record(table.raw_header.iter().map(rejected_rows::csv_safe_cell))?;
            Some(writer)
        }
        None => None,
    };
    while let Some(RowStart { line, flaw }) = table.read_row(&mut bytes)? {
        let row = decode_record(&bytes);
        if let Err(rejection) = reading.import_row(&row, line, flaw)? {
            reading.report.add_rejection(&rejection, line);
            if let Some(aside) = &mut aside {
                aside.write_record(bytes.iter().map(rejected_rows::csv_safe_cell))?;
            }
        }
        if table.rows.is_multiple_of(ROWS_PER_LOOK) && transaction.is_over() {
            transaction = reading.commit_batch(transaction)?;
            let at = ImportProgress {
                rows: table.rows,
                bytes: table.position(),
                total_bytes: None,
            };
            if progress(at).is_break() {
                reading.report.stopped = true;
                break;
            }
        }
    }
    if !reading.report.stopped {
        transaction = reading.import_deferred_rows(transaction)?;
    }
    if let Some(mut aside) = aside {
        aside.flush().map_err(ImportError::Rejects)?;
    }
    reading.update_projects()?;
    reading.report.rows = table.rows;
    reading.report.doubts.retain(|_, doubt| doubt.rows > 0);
    match keep {
        CommitMode::Commit => {
            transaction.commit()?;
            index_import::flush_import(conn)?;
        }
        CommitMode::Discard => transaction.rollback()?,
    }
    Ok(reading.report)
}

/// What has to be answered before a file is imported with a layout.
pub fn find_questions(
    layout: &PermitLayout,
    file: impl Read,
) -> Result<Vec<Question>, ImportError> {
    let (mut table, columns) = open_table(layout, file)?;
    let mut check = FileCheck::new(&columns);
    let mut bytes = csv::ByteRecord::new();
    while check.is_needed() && table.read_row(&mut bytes)?.is_some() {
        let record = decode_record(&bytes);
        if record.len() == columns.width {
            check.add_row(&CsvRow(&record));
        }
    }
    Ok(check.questions())
}

/// Reads the header and finds the layout's columns in it.
fn open_table<R: Read>(
    layout: &PermitLayout,
    file: R,
) -> Result<(TableReader<R>, PermitColumns<'_>), ImportError> {
    let table = TableReader::open(file, layout.file.encoding, &|header| {
        PermitColumns::find(layout, header).is_ok()
    })?;
    let columns =
        PermitColumns::find(layout, &table.header).map_err(ImportError::MissingColumns)?;
    Ok((table, columns))
}

fn new_source(layout: &PermitLayout) -> NewSource {
    NewSource {
        id: layout.stable_id("source", &layout.source.slug),
        slug: layout.source.slug.clone(),
        display_name: layout.source.display_name.clone(),
        base_url: layout.source.base_url.clone(),
        logo_domain: layout.source.logo_domain.clone(),
    }
}

/// What the database has of a permit, by type of signal.
pub(super) type KnownSignals = Vec<(SignalType, KnownSignal)>;

/// The types of signals that a layout gives.
fn signal_types(layout: &PermitLayout) -> Vec<SignalType> {
    let rules = layout.signal.iter().map(|rule| rule.signal_type.clone());
    let of_status = [
        SignalType::PermitFiled,
        SignalType::EntitlementApproval,
        SignalType::Completion,
    ];
    let mut types: Vec<SignalType> = Vec::new();
    for signal_type in rules.chain(of_status).chain(ENDINGS) {
        if !types.contains(&signal_type) {
            types.push(signal_type);
        }
    }
    types
}

pub(super) fn signal_id(layout: &PermitLayout, key: &str, signal_type: &SignalType) -> SignalId {
    layout.stable_id("signal", &format!("{key}:{signal_type}"))
}

/// What the signals of a permit have from its row.
pub(super) struct SignalRow<'r> {
    pub(super) number: &'r str,
    pub(super) cost: Option<f64>,
    pub(super) area: Option<f64>,
    /// The row as JSON text.
    pub(super) payload: &'r str,
}

pub(super) struct ImportRun<'c> {
    pub(super) layout: &'c PermitLayout,
    pub(super) columns: &'c PermitColumns<'c>,
    pub(super) merger: IndexMerger<'c>,
    source: Uuid,
    /// The database had no signals of this source.
    is_new_source: bool,
    /// The types of signals that a permit can have.
    signal_types: Vec<SignalType>,
    pub(super) report: ImportReport,
    payload: Vec<u8>,
    /// Recently written firms and people that had no changes; cleared when full.
    pub(super) recent_ids: HashSet<Uuid>,
    commit_mode: CommitMode,
    /// The time of the import.
    pub(super) now: DateTime<Utc>,
}

impl<'c> ImportRun<'c> {
    /// Updates the projects, commits, and begins the next transaction.
    pub(super) fn commit_batch(
        &mut self,
        transaction: ImportTransaction<'c>,
    ) -> Result<ImportTransaction<'c>, ImportError> {
        self.update_projects()?;
        Ok(match self.commit_mode {
            CommitMode::Commit => transaction.commit_and_begin()?,
            CommitMode::Discard => transaction.go_on(),
        })
    }

    /// Updates the projects whose signals changed.
    fn update_projects(&mut self) -> Result<(), ImportError> {
        for id in self.merger.take_touched_projects()? {
            let past = self.merger.past_signals(id)?;
            // a corrected address has moved all of them: nothing describes this place any more
            if past.is_empty() {
                self.merger.clear_signals(id)?;
                continue;
            }
            self.merger
                .update_project(&merge::merge_project(self.columns, id, &past))?;
        }
        Ok(())
    }

    /// One row of the file: imported, counted as a further row of a permit, deferred, or rejected
    /// with a reason.
    fn import_row(
        &mut self,
        record: &csv::StringRecord,
        line: u64,
        flaw: Option<Flaw>,
    ) -> Result<Result<(), Rejection>, ImportError> {
        if record.len() != self.columns.width {
            return Ok(Err(rejected_rows::wrong_width(record, flaw)));
        }
        if flaw.is_some() {
            let quoted = record
                .iter()
                .find(|cell| cell.contains('"'))
                .unwrap_or_default();
            self.report
                .add_remark(rejected_rows::OPEN_QUOTE, line, quoted);
        }
        let row = CsvRow(record);
        let found = match self.usable_signals(&row) {
            Ok(found) => found,
            Err(_) if rejected_rows::is_total_line(record) => {
                return Ok(Err(Rejection::new("a line with totals", "")));
            }
            Err(_) if self.columns.is_other_header(record) => {
                return Ok(Err(Rejection::new(rejected_rows::OTHER_HEADER, "")));
            }
            Err(rejection) => return Ok(Err(rejection)),
        };
        let mut payload = std::mem::take(&mut self.payload);
        self.columns.write_payload(record, &mut payload);
        let text = String::from_utf8_lossy(&payload);
        let done = if columns::all_match(&self.columns.principal, &row) {
            self.import_permit(&row, &found, &text, line)
        } else {
            self.defer_row(&found, false, line, &text)
        };
        drop(text);
        self.payload = payload;
        done.map(Ok)
    }

    /// The signals of a row that has a number, a place and a date, or why it is rejected.
    pub(super) fn usable_signals(&self, row: &impl PermitRow) -> Result<PermitSignals, Rejection> {
        if row.get(&self.columns.permit).is_empty() {
            return Err(Rejection::new(
                "no permit number",
                row.text(&self.columns.permit),
            ));
        }
        if columns::place_key(self.columns, row).is_none() {
            let written: Vec<&str> = self
                .columns
                .address
                .iter()
                .map(|column| row.text(column))
                .collect();
            return Err(Rejection::new("no address or parcel", written.join(" ")));
        }
        let found = permit_signals::permit_signals(self.columns, self.now, row);
        match (found.signals.is_empty(), found.unreadable_date) {
            (true, Some(text)) => Err(Rejection::new("no readable date", text)),
            (true, None) if found.open_completion.is_some() => {
                Err(Rejection::new(rejected_rows::ONLY_OPEN_COMPLETION, ""))
            }
            (true, None) => Err(Rejection::new(
                "no date",
                permit_signals::written_date(self.columns, row),
            )),
            (false, unreadable_date) => Ok(PermitSignals {
                unreadable_date,
                ..found
            }),
        }
    }

    /// Imports a row of a permit: its place, its signals, and the firms and people named in it. A
    /// row that would change what is known of its permit waits until the others are read.
    fn import_permit(
        &mut self,
        row: &impl PermitRow,
        found: &PermitSignals,
        payload: &str,
        line: u64,
    ) -> Result<(), ImportError> {
        let permit = self.permit_id(found);
        let project = self.project_of(row);
        let seen = self.merger.find_seen(permit)?;
        let known = match seen {
            None if self.is_new_source => KnownSignals::new(),
            _ => self.known_signals(&found.key)?,
        };
        let cost = merge::reported_cost(self.columns, row);
        let find = |wanted| known.iter().find(|(known, _)| known == wanted);
        let pairs = found.signals.iter();
        let pairs = pairs.filter_map(|(signal_type, day)| Some((find(signal_type)?.1, *day)));
        let pairs: Vec<(KnownSignal, DateTime<Utc>)> = pairs.collect();
        let is_number_of_other = |(known, day): &(KnownSignal, DateTime<Utc>)| {
            let days = (known.filed_at - *day).num_days().abs();
            known.project != project && days > MAX_CORRECTION_DAYS
        };
        if seen.is_none() && pairs.iter().any(is_number_of_other) {
            let number = row.get(&self.columns.permit);
            let rejection = Rejection::new(rejected_rows::REUSED_NUMBER, number);
            self.report.add_rejection(&rejection, line);
            return Ok(());
        }
        let types: Vec<&SignalType> = found.signals.iter().map(|(known, _)| known).collect();
        let is_changed = pairs.iter().any(|(known, day)| {
            (known.project, known.filed_at, known.cost) != (project, *day, cost)
        }) || known
            .iter()
            .any(|(known, _)| self.is_outdated(known, &types));
        let is_further = seen.is_some();
        if is_changed || is_further && pairs.len() < types.len() {
            if is_further {
                let number = row.get(&self.columns.permit);
                self.report.add_remark(
                    "a further row of a permit, with another date, cost or address: merged",
                    line,
                    number,
                );
            }
            return self.defer_row(found, true, line, payload);
        }
        if is_further {
            self.report.further += 1;
        } else {
            self.merger.mark_seen(permit, known.is_empty())?;
            self.report.permits += 1;
            self.check_values(row, found, cost, line);
            if let Some(day) = found.open_completion {
                let what = "a completion date to come, or that of an inspection or certificate that completes \
                            nothing: left out";
                let day = day.format("%Y-%m-%d").to_string();
                self.report.add_remark(what, line, &day);
            }
            if let Some(status) = &found.undated_end {
                let what =
                    "completed or ended by its status, and no date says when: on its last day";
                self.report.add_remark(what, line, status);
            }
            if let Some(status) = &found.unissued_status {
                let what =
                    "an issue date, but a status that says it is not issued yet: imported as filed";
                self.report.add_remark(what, line, status);
            }
            if let Some(status) = &found.undated_status {
                let what =
                    "issued or approved by its status, and no date says when: imported as filed";
                self.report.add_remark(what, line, status);
            }
            self.create_project(project, row, found)?;
            let source = SignalRow {
                number: row.get(&self.columns.permit),
                cost,
                area: columns::floor_area(self.columns, row),
                payload,
            };
            for (signal_type, day) in &found.signals {
                let signal = (signal_type, *day);
                let outcome = self.write_signal(&found.key, signal, project, &source)?;
                self.report.signals.add(outcome);
            }
        }
        // many files have a row for each firm
        self.import_firms_and_people(row, project, found, line)
    }

    fn defer_row(
        &mut self,
        found: &PermitSignals,
        is_principal: bool,
        line: u64,
        payload: &str,
    ) -> Result<(), ImportError> {
        self.report.skipped += 1;
        let permit = self.permit_id(found);
        Ok(self.merger.defer_row(permit, is_principal, line, payload)?)
    }

    /// What the database has of a permit.
    pub(super) fn known_signals(&mut self, key: &str) -> Result<KnownSignals, ImportError> {
        let mut known = KnownSignals::new();
        for signal_type in &self.signal_types {
            let id = signal_id(self.layout, key, signal_type);
            let signal = self.merger.known_signal(id)?;
            known.extend(signal.map(|signal| (signal_type.clone(), signal)));
        }
        Ok(known)
    }

    /// Whether a permit that has signals of these types lost the one of this type: one that ended
    /// has no other, and one that goes on has not ended, unless the layout itself says which
    /// signals there are.
    pub(super) fn is_outdated(&self, signal_type: &SignalType, types: &[&SignalType]) -> bool {
        let is_end = |signal_type: &SignalType| {
            let mut rules = self.layout.signal.iter();
            ENDINGS.contains(signal_type) && !rules.any(|rule| rule.signal_type == *signal_type)
        };
        !types.contains(&signal_type)
            && (is_end(signal_type) || types.iter().any(|signal_type| is_end(signal_type)))
    }

    /// Names what is odd about the values of a permit.
    pub(super) fn check_values(
        &mut self,
        row: &impl PermitRow,
        found: &PermitSignals,
        cost: Option<f64>,
        line: u64,
    ) {
        let number = row.get(&self.columns.permit);
        let numbers = [
            ("cost", columns::first_filled(&self.columns.cost, row)),
            ("area", columns::first_filled(&self.columns.area, row)),
            ("stories", columns::first_filled(&self.columns.stories, row)),
            ("units", columns::first_filled(&self.columns.units, row)),
        ];
        for (what, text) in numbers {
            if let Some(text) = text {
                self.report
                    .check_decimal_sign(what, text, self.layout.decimal, line);
                let sign = self.layout.decimal.unwrap_or_default();
                let is_number = [sign, sign.opposite()]
                    .iter()
                    .any(|sign| values::parse_number(text, *sign).is_some());
                if !is_number && text.contains(char::is_alphanumeric) {
                    self.report
                        .add_remark("an unreadable number, ignored", line, text);
                }
            }
        }
        let written = self.columns.cost.iter().map(|column| row.text(column));
        for text in written.filter(|_| cost.is_none()) {
            let number = values::parse_number(text, self.layout.decimal.unwrap_or_default());
            // a sheet writes this where a column is too narrow
            if text.starts_with("##") {
                self.report
                    .add_remark("an unreadable number, ignored", line, text);
            } else if number.is_some_and(|number| number < 0.0) {
                self.report
                    .add_remark("a negative cost, ignored", line, text);
            }
        }
        let address = columns::written_address(self.columns, row);
        let is_nowhere = values::is_no_address(&address) || values::is_plat(&address);
        if address.contains(char::is_alphabetic) && is_nowhere {
            self.report
                .add_remark("no address, only a parcel", line, &address);
        }
        let place = self.columns.written_place(row);
        if !place.is_empty() && merge::location(self.columns, row).is_none() {
            self.report.add_remark(
                "coordinates that are no place in degrees, ignored",
                line,
                &place,
            );
        }
        let day_of = |wanted: &SignalType| {
            let found = found.signals.iter().find(|(known, _)| known == wanted);
            found.map(|(_, day)| *day)
        };
        let (filed, issued) = (
            day_of(&SignalType::PermitFiled),
            day_of(&SignalType::PermitIssued),
        );
        if issued.is_some() && filed > issued {
            self.report
                .add_remark("issued before it was filed", line, number);
        }
        if let Some(text) = &found.unreadable_date {
            self.report
                .add_remark("an unreadable date, ignored", line, text);
        }
    }

    /// Creates the project of a row's place, if it is new.
    pub(super) fn create_project(
        &mut self,
        project: ProjectId,
        row: &impl PermitRow,
        found: &PermitSignals,
    ) -> Result<(), ImportError> {
        let Some((_, since)) = found.signals.first() else {
            return Ok(());
        };
        let name = columns::address_text(self.columns, row);
        let (city, state) = self.columns.city_and_state(row);
        let made = self
            .merger
            .add_project(project, &name, &city, &state, *since)?;
        self.report.projects.add(made);
        Ok(())
    }

    /// Writes a signal of a permit with the row that it comes from.
    pub(super) fn write_signal(
        &mut self,
        key: &str,
        (signal_type, day): (&SignalType, DateTime<Utc>),
        project: ProjectId,
        row: &SignalRow<'_>,
    ) -> Result<MergeOutcome, ImportError> {
        let signal = NewSignal {
            id: signal_id(self.layout, key, signal_type),
            project_id: project,
            source_id: self.source,
            signal_type: signal_type.clone(),
            filed_at: day,
            // Filings count as discovered on their day, so that a file of past years shows its queue
            // as it was then.
            discovered_at: day,
            source_filing_id: Some(row.number.to_owned()),
            source_url: None,
            reported_cost_usd: row.cost,
            reported_gross_floor_area_sf: row.area,
            raw_data: serde_json::Value::Null,
        };
        Ok(self.merger.merge_signal(&signal, row.payload)?)
    }

    fn permit_id(&self, found: &PermitSignals) -> Uuid {
        self.layout.stable_id("permit", &found.key)
    }
}

impl super::MergeCounts {
    pub(super) fn add(&mut self, written: MergeOutcome) {
        match written {
            MergeOutcome::New => self.new += 1,
            MergeOutcome::Changed => self.changed += 1,
            MergeOutcome::Unchanged => self.same += 1,
        }
    }
}
