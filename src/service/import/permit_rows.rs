//! Permits with several rows, and permits about which an earlier file said something else: what
//! their rows say together, whatever order they have. Such rows wait until all others are read.

use std::rc::Rc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::columns::{self, PermitRow, StoredRow};
use super::import_run::{ImportRun, KnownSignals, SignalRow, signal_id};
use super::permit_signals::{self, PermitSignals};
use super::transactions::ImportTransaction;
use super::{ImportError, merge};
use crate::domain::ProjectId;
use crate::domain::signals::SignalType;
use crate::service::db::index_import::{DeferredRow, MergeOutcome};

/// A signal with the row that it comes from, as JSON text.
#[derive(Clone)]
struct RowSignal {
    signal_type: SignalType,
    day: DateTime<Utc>,
    payload: Rc<str>,
}

/// What the rows of a permit say together.
#[derive(Default)]
struct PermitRows {
    /// The earliest signal of each type, of the rows with which the permit goes on.
    open: Vec<RowSignal>,
    /// The signal of the newest row that ends the permit, and its day.
    ending: Option<(DateTime<Utc>, RowSignal)>,
    /// The day of the newest row with which the permit goes on.
    open_until: Option<DateTime<Utc>>,
}

impl PermitRows {
    /// Adds a row. A row about another place only says whether the permit goes on.
    fn add(&mut self, found: &PermitSignals, payload: &Rc<str>, is_elsewhere: bool) {
        let signals = found.signals.iter().map(|(signal_type, day)| RowSignal {
            signal_type: signal_type.clone(),
            day: *day,
            payload: payload.clone(),
        });
        if found.is_ended {
            for signal in signals {
                let newest = found.newest.unwrap_or(signal.day);
                let is_newer = self.ending.as_ref().is_none_or(|(day, known)| {
                    (*day, known.signal_type.as_str()) < (newest, signal.signal_type.as_str())
                });
                if is_newer {
                    self.ending = Some((newest, signal));
                }
            }
            return;
        }
        self.open_until = self.open_until.max(found.newest);
        for signal in signals.filter(|_| !is_elsewhere) {
            let same_type = |known: &&mut RowSignal| known.signal_type == signal.signal_type;
            match self.open.iter_mut().find(same_type) {
                Some(known) if known.day <= signal.day => {}
                Some(known) => *known = signal,
                None => self.open.push(signal),
            }
        }
    }

    /// The signals of the permit. On the same day it is issued before it ends.
    fn signals(self) -> Vec<RowSignal> {
        match self.ending {
            Some((day, signal)) if Some(day) >= self.open_until => vec![signal],
            _ => self.open,
        }
    }
}

/// A permit whose deferred rows are being read.
struct DeferredPermit {
    permit: Uuid,
    /// What identifies it within its source.
    key: String,
    project: ProjectId,
    known: KnownSignals,
    /// Whether it was new, if one of its rows was imported before.
    seen: Option<bool>,
    /// A row of it counts as the permit.
    is_counted: bool,
    rows: PermitRows,
}

impl<'c> ImportRun<'c> {
    /// Imports the deferred rows. Permits at several addresses whose principal address was not in
    /// the file use their first row, unless they are known.
    pub(super) fn import_deferred_rows(
        &mut self,
        mut transaction: ImportTransaction<'c>,
    ) -> Result<ImportTransaction<'c>, ImportError> {
        let mut place = (Vec::new(), false, 0);
        let mut current: Option<DeferredPermit> = None;
        loop {
            let rows = self.merger.deferred_rows_after(&place)?;
            let Some(last) = rows.last() else { break };
            place = last.place.clone();
            for deferred in &rows {
                self.report.skipped -= 1;
                let row = StoredRow::from_payload(&deferred.text);
                match self.usable_signals(&row) {
                    Ok(found) => {
                        let mut permit = match current.take() {
                            Some(permit) if permit.permit == deferred.permit => permit,
                            before => {
                                self.finish_permit(before)?;
                                self.begin_permit(deferred, &row, &found)?
                            }
                        };
                        self.add_deferred_row(&mut permit, deferred, &row, &found)?;
                        current = Some(permit);
                    }
                    // a row that was usable when it was deferred
                    Err(rejection) => self.report.add_rejection(&rejection, deferred.line),
                }
            }
            if transaction.is_over() {
                transaction = self.commit_batch(transaction)?;
            }
        }
        self.finish_permit(current)?;
        Ok(transaction)
    }

    fn begin_permit(
        &mut self,
        deferred: &DeferredRow,
        row: &StoredRow<'_>,
        found: &PermitSignals,
    ) -> Result<DeferredPermit, ImportError> {
        let seen = self.merger.find_seen(deferred.permit)?;
        let known = self.known_signals(&found.key)?;
        // A row with another address never moves a permit that another row has placed, in this file
        // or, for a row that is not the principal one, in an earlier file.
        let stays = seen.is_some() || !deferred.is_principal;
        let project = known
            .first()
            .filter(|_| stays)
            .map_or_else(|| self.project_of(row), |(_, signal)| signal.project);
        let mut rows = PermitRows::default();
        for (signal_type, _) in known.iter().filter(|_| seen.is_some()) {
            let id = signal_id(self.layout, &found.key, signal_type);
            if let Some(payload) = self.merger.stored_row(id)? {
                let stored = StoredRow::from_payload(&payload);
                let before = permit_signals::permit_signals(self.columns, self.now, &stored);
                rows.add(&before, &payload.into(), false);
            }
        }
        Ok(DeferredPermit {
            permit: deferred.permit,
            key: found.key.clone(),
            project,
            known,
            seen,
            is_counted: seen.is_some(),
            rows,
        })
    }

    fn add_deferred_row(
        &mut self,
        permit: &mut DeferredPermit,
        deferred: &DeferredRow,
        row: &StoredRow<'_>,
        found: &PermitSignals,
    ) -> Result<(), ImportError> {
        let is_elsewhere = self.project_of(row) != permit.project;
        let payload = Rc::from(deferred.text.as_str());
        permit.rows.add(found, &payload, is_elsewhere);
        if is_elsewhere || permit.is_counted {
            self.report.further += 1;
        } else {
            permit.is_counted = true;
            self.report.permits += 1;
            let cost = merge::reported_cost(self.columns, row);
            self.check_values(row, found, cost, deferred.line);
        }
        if !is_elsewhere {
            self.create_project(permit.project, row, found)?;
            self.import_firms_and_people(row, permit.project, found, deferred.line)?;
        }
        Ok(())
    }

    /// Writes what the rows of a permit say together.
    fn finish_permit(&mut self, permit: Option<DeferredPermit>) -> Result<(), ImportError> {
        let Some(permit) = permit else { return Ok(()) };
        let signals = permit.rows.signals();
        if signals.is_empty() {
            return Ok(());
        }
        let types: Vec<&SignalType> = signals.iter().map(|signal| &signal.signal_type).collect();
        for (signal_type, known) in &permit.known {
            if self.is_outdated(signal_type, &types) {
                let id = signal_id(self.layout, &permit.key, signal_type);
                self.merger.remove_signal(id, known.project)?;
                match permit.seen {
                    Some(true) => self.report.signals.new -= 1,
                    _ => self.report.signals.changed += 1,
                }
            }
        }
        for signal in &signals {
            let row = StoredRow::from_payload(&signal.payload);
            let outcome = self.write_signal(
                &permit.key,
                (&signal.signal_type, signal.day),
                permit.project,
                &SignalRow {
                    number: row.get(&self.columns.permit),
                    cost: merge::reported_cost(self.columns, &row),
                    area: columns::floor_area(self.columns, &row),
                    payload: &signal.payload,
                },
            )?;
            match (outcome, permit.seen) {
                // counted when its first row was imported
                (MergeOutcome::Unchanged, Some(_)) | (MergeOutcome::Changed, Some(true)) => {}
                (outcome, _) => self.report.signals.add(outcome),
            }
        }
        Ok(())
    }

    /// The place that a row is about.
    pub(super) fn project_of(&self, row: &impl PermitRow) -> ProjectId {
        let place = columns::place_key(self.columns, row).unwrap_or_default();
        self.layout.stable_id("place", &place)
    }
}
