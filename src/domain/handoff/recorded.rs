//! What this machine recorded of the work since some time.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::domain::cities::city_of_source;
use crate::domain::credits::LedgerEntry;
use crate::domain::description::city_of_address;
use crate::domain::journal::{JournalChange, JournalEntry, SentWrite};
use crate::domain::lenient::{Number, saturating_sum};
use crate::domain::number_format::group_digits;
use crate::domain::queue::QueueSignal;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Names of records and signals.
pub type RecordNames = HashMap<Uuid, String>;

/// What this machine recorded since some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedWork {
    pub since: DateTime<Utc>,
    /// Changes, oldest first.
    pub entries: Vec<JournalEntry>,
    /// Writes, newest first.
    pub sent: Vec<SentWrite>,
    /// What requests cost.
    pub ledger: Vec<LedgerEntry>,
    /// As far as they are known.
    pub names: RecordNames,
}

impl RecordedWork {
    /// Moves all times from this machine's clock to one that is this far ahead.
    pub fn shift_times(&mut self, ahead: TimeDelta) {
        let entries = self.entries.iter_mut().map(|entry| &mut entry.at);
        let sent = self.sent.iter_mut().map(|sent| &mut sent.at);
        let ledger = self.ledger.iter_mut().map(|entry| &mut entry.at);
        for at in entries.chain(sent).chain(ledger).chain([&mut self.since]) {
            *at = at.checked_add_signed(ahead).unwrap_or(*at);
        }
    }

    /// The signals that were triaged.
    pub fn signal_ids(&self) -> HashSet<Uuid> {
        let triage = self.sent.iter().filter(|sent| is_triage(sent));
        triage
            .flat_map(SentWrite::record_keys)
            .filter_map(|key| key.parse().ok())
            .collect()
    }

    /// Adds the names of the signals and projects that these rows show.
    pub fn learn_names<'r>(&mut self, rows: impl Iterator<Item = &'r QueueSignal>) {
        for row in rows {
            self.names
                .entry(row.signal.id.0)
                .or_insert_with(|| describe_signal(row));
            if let Some(project) = row.signal.project_id {
                self.names
                    .entry(project.0)
                    .or_insert_with(|| name_project(row));
            }
        }
    }

    /// Adds the names that the journal keeps: of signals and their projects, and of a record that
    /// was annotated alone or called.
    pub(super) fn learn_journaled_names(&mut self) {
        let mut rows: Vec<QueueSignal> = Vec::new();
        for entry in &self.entries {
            if let Some((id, name)) = annotated_record(entry) {
                self.names.entry(id).or_insert_with(|| name.to_owned());
            }
            if let JournalChange::Triage { signals, .. } = &entry.change {
                let stored = signals.iter().filter_map(|signal| signal.row.clone());
                rows.extend(stored.filter_map(|row| serde_json::from_value(row).ok()));
            }
        }
        self.learn_names(rows.iter());
    }
}

/// The record of a change that annotates only this one, with its name, as in `status and note of
/// Wayfarer Studio` or `call on Wayfarer Studio: voicemail`.
fn annotated_record(entry: &JournalEntry) -> Option<(Uuid, &str)> {
    let JournalChange::Write { changes, .. } = &entry.change else {
        return None;
    };
    let [ReversibleWrite { forward, .. }] = changes.as_slice() else {
        return None;
    };
    let WriteOp::Annotate(_, id, _) = forward else {
        return None;
    };
    if let Some((name, _)) = entry
        .description
        .strip_prefix("call on ")
        .and_then(|call| call.rsplit_once(": "))
    {
        return Some((*id, name));
    }
    let (fields, name) = entry.description.split_once(" of ")?;
    let is_field = |word: &str| matches!(word, "tier" | "status" | "tags" | "note");
    let mut fields = fields.split(", ").flat_map(|part| part.split(" and "));
    fields.all(is_field).then_some((*id, name))
}

pub(super) fn is_triage(sent: &SentWrite) -> bool {
    sent.route == "POST /signals/triage"
}

/// "permit issued on Residences at Juniper, Boston, $41,200,000".
pub(super) fn describe_signal(row: &QueueSignal) -> String {
    let kind = row.signal.signal_type.as_ref().map_or_else(
        || "signal".to_owned(),
        |kind| kind.as_str().replace('_', " "),
    );
    let signal = &row.signal;
    let name = signal.project_name.as_deref();
    let cost = signal.reported_cost_usd.as_ref().and_then(Number::as_f64);
    let cost = cost.map(|dollars| format!("${}", group_digits(&format!("{dollars:.0}"))));
    [city_of_row(row), cost.as_deref()]
        .into_iter()
        .flatten()
        .fold(
            format!("{kind} on {}", name.unwrap_or("an unnamed project")),
            |text, fact| format!("{text}, {fact}"),
        )
}

fn name_project(row: &QueueSignal) -> String {
    let name = row.signal.project_name.clone();
    name.unwrap_or_else(|| match city_of_row(row) {
        Some(city) => format!("a project in {city}"),
        None => "an unnamed project".to_owned(),
    })
}

fn city_of_row(row: &QueueSignal) -> Option<&str> {
    let address = row.signal.project_primary_address.as_deref();
    let source = row.signal.source_display_name.as_deref();
    address
        .and_then(city_of_address)
        .or_else(|| city_of_source(source?))
}

/// The total of ledger entries in words.
pub fn describe_spent(entries: &[LedgerEntry]) -> String {
    let prices: Vec<u64> = entries.iter().filter_map(|entry| entry.credits).collect();
    let count =
        |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let unknown = entries.len() - prices.len();
    let unknown = (unknown > 0).then(|| {
        let requests = count(unknown as u64, "request");
        format!("the price of {requests} is not known")
    });
    match (saturating_sum(prices), unknown) {
        (0, None) => "no credits were used".to_owned(),
        (0, Some(unknown)) => unknown,
        (known, None) => count(known, "credit"),
        (known, Some(unknown)) => format!("{}; {unknown}", count(known, "credit")),
    }
}

/// The record's name; its key if that is unknown.
pub fn record_name(key: &str, names: &RecordNames) -> String {
    key.parse()
        .ok()
        .and_then(|id: Uuid| names.get(&id))
        .cloned()
        .unwrap_or_else(|| key.to_owned())
}

/// The name, unless it is only an id.
pub(super) fn readable_name(name: &str) -> Option<&str> {
    Some(name).filter(|name| Uuid::parse_str(name).is_err())
}

/// The first records by name, and how many more there are; `None` without records.
pub fn list_names(names: &[impl AsRef<str>], most: usize) -> Option<String> {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) {
        0 => Some(shown).filter(|shown| !shown.is_empty()),
        more => Some(format!("{shown} and {more} more")),
    }
}

/// The same, each for a line of its own.
pub(super) fn first_names(names: &[impl AsRef<str>], most: usize) -> Vec<String> {
    let more = names.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more"));
    let shown = names.iter().take(most).map(|name| name.as_ref().to_owned());
    shown.chain(more).collect()
}
