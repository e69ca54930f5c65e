//! What the keys act on: the scope that has them, and the signal, record or signals under the
//! cursor.
//!
//! Never here: a change of state.

use std::collections::HashSet;

use uuid::Uuid;

use crate::app::change::Change;
use crate::app::context::outbox::triage_messages;
use crate::app::context::{Context, Screen, Ui};
use crate::app::format::pluralize;
use crate::app::model::queue::SignalQueue;
use crate::app::model::records::record_name;
use crate::app::requests::SharedData;
use crate::app::selection::Subject;
use crate::domain::SignalId;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::members::Member;
use crate::domain::person::Person;
use crate::domain::queue::QueueSignal;

type ChosenRecords<'a> = Box<dyn Iterator<Item = (Uuid, String)> + 'a>;

impl SignalQueue {
    /// The best name of a person that the members or the service tell.
    pub fn user_name(&self, person: Option<&Person>) -> String {
        person
            .map_or("somebody", |person| self.facts.user_name(person))
            .to_owned()
    }
}

impl Context {
    /// The records that the user chose, with their names: the marked ones or the one under the
    /// cursor; for signals, their projects.
    pub fn chosen_records(&self) -> Option<(RecordKind, ChosenRecords<'_>)> {
        match self.ui.screen() {
            _ if let (Screen::Record | Screen::Queue, Subject::Record(key, name)) =
                (self.ui.screen(), &self.ui.focus.subject) =>
            {
                let kind = Some(&key.dataset)
                    .filter(|dataset| **dataset != Dataset::Signals)?
                    .as_str()
                    .into();
                Some((kind, Box::new(std::iter::once((key.id, name.clone())))))
            }
            Screen::Queue | Screen::Detail => {
                let rows = triage_targets(&self.ui, &self.queue)
                    .into_iter()
                    .filter_map(|id| self.queue.current_tab().list.row(id))
                    .chain(
                        self.current_signal()
                            .filter(|_| self.ui.screen() == Screen::Detail),
                    );
                let mut seen = HashSet::new();
                let projects = rows.filter_map(move |row| {
                    let id = row.signal.project_id.filter(|id| seen.insert(*id))?;
                    Some((
                        id.0,
                        row.signal
                            .project_name
                            .clone()
                            .unwrap_or_else(|| "unnamed".to_owned()),
                    ))
                });
                Some((RecordKind::Projects, Box::new(projects)))
            }
            _ => {
                let list = self.records.lists.shown_list(self.ui.focused_list())?;
                let rows = list
                    .selection()
                    .into_iter()
                    .filter_map(|id| list.row(id))
                    .map(|row| (row.id, record_name(&row.fields())));
                Some((list.source.record_kind()?, Box::new(rows)))
            }
        }
    }

    /// Describes the signals or records that the user chose.
    pub(in crate::app) fn describe_chosen(&self) -> Option<String> {
        if matches!(self.ui.screen(), Screen::Queue | Screen::Detail) {
            let ids = triage_targets(&self.ui, &self.queue);
            return (!ids.is_empty())
                .then(|| triage_messages::describe_signals(self.queue.tab, &ids, &self.queue));
        }
        let (kind, records) = self.chosen_records()?;
        match records.map(|(_, name)| name).collect::<Vec<_>>().as_slice() {
            [] => None,
            [name] => Some(name.clone()),
            names => Some(pluralize(names.len(), kind.singular_name())),
        }
    }

    /// Whether the user chose a record, as far as marks and the row under the cursor tell.
    pub fn has_chosen_record(&self) -> bool {
        match self.ui.screen() {
            Screen::Record => self.chosen_records().is_some(),
            Screen::Queue if matches!(self.ui.focus.subject, Subject::Record(..)) => true,
            Screen::Queue | Screen::Detail => {
                let has_marks = self.ui.focus.subject == Subject::None
                    && self.queue.current_tab().has_chosen_marks();
                has_marks
                    || self
                        .current_signal()
                        .is_some_and(|row| row.signal.project_id.is_some())
            }
            _ => self
                .records
                .lists
                .shown_list(self.ui.focused_list())
                .is_some_and(|list| {
                    list.source.record_kind().is_some()
                        && (list.current_record().is_some() || list.has_shown_marks())
                }),
        }
    }

    /// The signal under the cursor, or the open one.
    pub fn current_signal(&self) -> Option<&QueueSignal> {
        match &self.ui.focus.subject {
            Subject::Signal(row) => Some(row),
            Subject::None if self.ui.screen() == Screen::Queue => {
                self.queue.current_tab().current_row()
            }
            _ => None,
        }
    }

    /// Takes the members, whoever asked for them.
    pub(in crate::app) fn store_members(&mut self, members: Vec<Member>) {
        if self.work.requests.is_newest(SharedData::Members) {
            let before = std::mem::replace(&mut self.team.members, members);
            self.queue
                .facts
                .set_people(self.team.members.iter().filter_map(Member::person));
            self.work.publish(Change::Members(before));
        }
    }
}

/// The signals that a triage would apply to.
pub fn triage_targets(ui: &Ui, queue: &SignalQueue) -> Vec<SignalId> {
    match &ui.focus.subject {
        Subject::Signal(row) => vec![row.signal.id],
        _ => queue.current_tab().selection(),
    }
}
