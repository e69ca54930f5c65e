//! The lines of a list whose rows are not simply shown in the service's order: grouped by project,
//! sorted, or only those that match conditions. All of it applies to the loaded rows.
//!
//! Rows in the service's order are arranged as far as they are loaded without a gap, so that
//! reading rows elsewhere moves none of them. A gap is one line, but the cursor has a place in it:
//! the row that it would be on if all rows were loaded. That row is read next. In a sorted list the
//! gaps are at its end.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chrono::NaiveDate;

use super::{QueueLine, QueueTabState};
use crate::app::model::frequency::group_rows;
use crate::app::model::list_field::RowValues;
use crate::app::model::signal_facts::SignalFacts;
use crate::app::model::signal_list::SignalList;
use crate::domain::field_kind::ListSort;
use crate::domain::queue::QueueSignal;
use crate::domain::row_columns::{RowColumn, RowFacts, RowValue, find_column, sort_by_value};
use crate::domain::row_conditions::RowConditions;
use crate::domain::text_query::TextQuery;
use crate::domain::{ProjectId, SignalId};
use crate::ui::scroll::ScrollState;

/// The column whose groups are threads.
pub const THREAD_COLUMN: &str = "project";

/// How the loaded rows of a list are arranged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrangement {
    /// Grouped by the values of a column. By project they are threads.
    pub group: Option<&'static RowColumn>,
    /// Otherwise in the service's order.
    pub sort: Option<ListSort>,
    /// Only the rows that match are shown.
    pub conditions: RowConditions,
    /// Of those, only the rows that a search finds. What is not loaded is not searched, and has no
    /// lines.
    pub query: Option<TextQuery>,
}

impl Arrangement {
    /// The list as the service sends it.
    pub fn is_plain(&self) -> bool {
        *self == Arrangement::default()
    }

    /// Grouped by project.
    pub fn is_threaded(&self) -> bool {
        self.group
            .is_some_and(|column| column.spec.key == THREAD_COLUMN)
    }

    /// The other column that the rows are grouped by.
    fn value_column(&self) -> Option<&'static RowColumn> {
        self.group.filter(|_| !self.is_threaded())
    }
}

/// What is known about rows from other reads, and on which day.
#[derive(Clone, Copy, Debug)]
pub struct KnownFacts<'a> {
    pub(super) facts: &'a SignalFacts,
    pub(super) today: Option<NaiveDate>,
}

impl<'a> KnownFacts<'a> {
    pub fn describe_row(&self, row: &'a QueueSignal) -> RowFacts<'a> {
        let account = self.facts.book_match(row);
        RowFacts {
            description: self.facts.description(row),
            city: self.facts.city(row),
            account: account.map(|account| account.name),
            tier: account.and_then(|account| account.tier),
            ..RowFacts::of_row(row, self.today)
        }
    }

    /// What a row shows in a column: of a user, the name.
    pub(super) fn shown_value(
        &self,
        row: &RowFacts<'a>,
        column: &RowColumn,
    ) -> Option<RowValue<'a>> {
        match column.spec.key {
            "who" => RowValue::text(Some(self.facts.user_name(row.row.triaged_by.as_ref()?))),
            _ => row.value(column),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    lines: Vec<QueueLine>,
    /// What the rows of each group have in common, and the sum of their costs.
    groups: Vec<(GroupKey, f64)>,
    /// The slots of the rows in threads. Those of a thread are next to each other, in order.
    slots: Vec<usize>,
    /// The slots of all rows that are shown, also in closed threads.
    shown: HashSet<usize>,
}

/// A loaded row and its slot.
type ListedRow<'a> = (usize, &'a QueueSignal);

/// What the rows of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum GroupKey {
    Project(ProjectId),
    /// A value of the field that the list is grouped by, as it is shown.
    Value(String),
}

/// The heading of a group of rows with the same value.
pub struct ValueGroup<'a> {
    pub value: &'a str,
    pub count: usize,
    /// The sum of the reported costs of its rows.
    pub cost: f64,
    pub is_open: bool,
    pub is_marked: bool,
}

/// The rows of one project, or a row without one.
struct Group {
    project: Option<ProjectId>,
    size: usize,
    /// Where its rows begin in [`Lines::slots`].
    members: usize,
}

impl Lines {
    pub(super) fn lines(&self) -> &[QueueLine] {
        &self.lines
    }

    pub(super) fn row_count(&self) -> usize {
        self.shown.len()
    }

    pub(super) fn shows(&self, slot: usize) -> bool {
        self.shown.contains(&slot)
    }

    /// Arranges the rows of a list.
    fn arrange<'t>(tab: &'t QueueTabState, known: KnownFacts<'_>) -> Lines {
        let QueueTabState {
            list,
            arrangement,
            moved,
            ..
        } = tab;
        let is_closed = |key: &GroupKey| tab.collapsed.contains(key);
        let mut lines = Lines::default();
        let write = |row: &QueueSignal, text: &mut String| known.write_row_text(row, text);
        let query = arrangement.query.as_ref();
        let matcher = RefCell::new(query.map(|query| query.row_matcher(write)));
        let is_found = |row| {
            let mut matcher = matcher.borrow_mut();
            matcher.as_mut().is_none_or(|is_match| is_match(row))
        };
        let matches = |(_, row): &ListedRow<'t>| {
            (arrangement.conditions.is_empty()
                || arrangement.conditions.matches(&known.describe_row(row)))
                && is_found(row)
        };
        let is_moved = |id: &SignalId| moved.hidden.contains(id) || moved.raised.contains(id);
        let is_shown = |row: &ListedRow<'t>| !is_moved(&row.1.signal.id) && matches(row);
        if !moved.raised.is_empty() {
            let raised = list
                .loaded_rows()
                .filter(|row| moved.raised.contains(&row.1.signal.id) && matches(row));
            lines.push_rows(&raised.collect::<Vec<_>>(), false, is_closed);
        }
        let keeps_gaps = arrangement.sort.is_none() && arrangement.value_column().is_none();
        let mut gaps = Vec::new();
        let mut end = 0;
        for run in list.loaded_runs() {
            let gap = end..run.start;
            end = run.start + run.ids.len();
            if !keeps_gaps {
                gaps.push(gap);
                continue;
            }
            lines.push_gap(list, gap);
            let rows = (run.start..)
                .zip(&run.ids)
                .filter_map(|(slot, id)| Some((slot, list.row(*id)?)));
            lines.push_rows(
                &rows.filter(is_shown).collect::<Vec<_>>(),
                arrangement.is_threaded(),
                is_closed,
            );
        }
        gaps.push(end..list.len());
        if !keeps_gaps {
            let rows = list.loaded_rows().filter(is_shown);
            let rows: Vec<ListedRow<'_>> = match arrangement.sort {
                Some(sort) => {
                    let column = find_column(sort.key);
                    sort_by_value(rows, sort.is_descending, |(_, row)| {
                        known.describe_row(row).value(column?)
                    })
                }
                None => rows.collect(),
            };
            match arrangement.value_column() {
                Some(column) => lines.push_groups(&rows, column, known, is_closed),
                None => lines.push_rows(&rows, arrangement.is_threaded(), is_closed),
            }
        }
        gaps.into_iter().for_each(|gap| lines.push_gap(list, gap));
        if arrangement.query.is_some() {
            lines
                .lines
                .retain(|line| !matches!(line, QueueLine::Gap { .. }));
        }
        lines
    }

    fn push_gap(&mut self, list: &SignalList, slots: Range<usize>) {
        if let Some((first, last, size)) = list.unread_in(slots) {
            self.lines.push(QueueLine::Gap { first, last, size });
        }
    }

    /// Adds rows, grouped by project if the list is threaded. A project with only one of them stays
    /// a plain row.
    fn push_rows(
        &mut self,
        rows: &[ListedRow<'_>],
        is_threaded: bool,
        is_closed: impl Fn(&GroupKey) -> bool,
    ) {
        self.shown.extend(rows.iter().map(|(slot, _)| *slot));
        if !is_threaded {
            return self
                .lines
                .extend(rows.iter().map(|(slot, _)| QueueLine::Row(*slot)));
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut known: HashMap<ProjectId, usize> = HashMap::with_capacity(rows.len());
        let mut add_group = |project| {
            groups.push(Group {
                project,
                size: 0,
                members: 0,
            });
            groups.len() - 1
        };
        let group_of_row: Vec<usize> = rows
            .iter()
            .map(|(_, row)| match row.signal.project_id {
                None => add_group(None),
                Some(project) => match known.entry(project) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => *new.insert(add_group(Some(project))),
                },
            })
            .collect();
        group_of_row
            .iter()
            .for_each(|group| groups[*group].size += 1);
        let mut members = self.slots.len();
        for group in &mut groups {
            group.members = members;
            members += std::mem::take(&mut group.size);
        }
        self.slots.resize(members, 0);
        for ((slot, _), group) in rows.iter().zip(group_of_row) {
            let group = &mut groups[group];
            self.slots[group.members + group.size] = *slot;
            group.size += 1;
        }
        for Group {
            project,
            size,
            members,
        } in groups
        {
            let first = self.slots[members];
            let Some(project) = project.filter(|_| size > 1) else {
                self.lines.push(QueueLine::Row(first));
                continue;
            };
            let key = GroupKey::Project(project);
            let open = !is_closed(&key);
            self.push_thread((key, 0.0), first, members, size, open);
        }
    }

    fn push_thread(
        &mut self,
        key: (GroupKey, f64),
        first: usize,
        members: usize,
        size: usize,
        open: bool,
    ) {
        self.lines.push(QueueLine::Thread {
            group: self.groups.len(),
            first,
            members,
            size,
            open,
        });
        self.groups.push(key);
        if open {
            self.lines.extend(
                self.slots[members..members + size]
                    .iter()
                    .copied()
                    .map(QueueLine::Row),
            );
        }
    }

    /// Adds rows, grouped by their values of a column.
    fn push_groups(
        &mut self,
        rows: &[ListedRow<'_>],
        column: &RowColumn,
        known: KnownFacts<'_>,
        is_closed: impl Fn(&GroupKey) -> bool,
    ) {
        self.shown.extend(rows.iter().map(|(slot, _)| *slot));
        let kind = column.spec.kind;
        let values: Vec<RowValues<'_>> = rows
            .iter()
            .map(|(_, row)| known.shown_value(&known.describe_row(row), column))
            .map(|value| value.into_iter().collect())
            .collect();
        let places: Vec<usize> = (0..rows.len()).collect();
        for (bin, places) in group_rows(&places, &values, kind) {
            let members = self.slots.len();
            self.slots.extend(places.iter().map(|place| rows[*place].0));
            let key = GroupKey::Value(bin.label(kind));
            let open = !is_closed(&key);
            let costs = places
                .iter()
                .filter_map(|place| rows[*place].1.signal.reported_cost_usd.as_ref()?.as_f64());
            self.push_thread(
                (key, costs.sum()),
                self.slots[members],
                members,
                places.len(),
                open,
            );
        }
    }

    /// The slots of the rows that are shown, in the order of the lines; those of closed groups in
    /// their place.
    pub(super) fn shown_slots(&self) -> Vec<usize> {
        let slots = self.lines.iter().flat_map(|line| match line {
            QueueLine::Row(slot) => std::slice::from_ref(slot),
            QueueLine::Thread { open: false, .. } => self.members(*line),
            QueueLine::Thread { open: true, .. } | QueueLine::Gap { .. } => &[],
        });
        slots.copied().collect()
    }

    fn members(&self, line: QueueLine) -> &[usize] {
        match line {
            QueueLine::Thread { members, size, .. } => &self.slots[members..members + size],
            _ => &[],
        }
    }

    /// The line that shows a slot: its row, the closed thread or the gap that it is in.
    pub(super) fn line_of(&self, slot: usize) -> Option<usize> {
        self.lines.iter().position(|line| match *line {
            QueueLine::Row(at) => at == slot,
            QueueLine::Thread { open, .. } => !open && self.members(*line).contains(&slot),
            QueueLine::Gap { first, last, .. } => (first..=last).contains(&slot),
        })
    }

    /// The line of the thread that a slot belongs to.
    pub(super) fn thread_of(&self, slot: usize) -> Option<usize> {
        self.lines
            .iter()
            .position(|line| self.members(*line).contains(&slot))
    }

    /// How many rows of these lines are not loaded.
    pub(super) fn unread_in(&self, lines: Range<usize>) -> usize {
        let unread = |line: &QueueLine| {
            if let QueueLine::Gap { size, .. } = line {
                *size
            } else {
                0
            }
        };
        self.lines
            .get(lines)
            .into_iter()
            .flatten()
            .map(unread)
            .sum()
    }
}

impl QueueTabState {
    /// Whether its rows are in groups.
    pub fn is_grouped(&self) -> bool {
        self.arrangement.group.is_some()
    }

    /// The heading of a group with the same value; `None` for the thread of a project.
    pub fn value_group(&self, line: QueueLine) -> Option<ValueGroup<'_>> {
        let (
            QueueLine::Thread {
                group, size, open, ..
            },
            Some(lines),
        ) = (line, &self.lines)
        else {
            return None;
        };
        let (GroupKey::Value(value), cost) = lines.groups.get(group)? else {
            return None;
        };
        let mut ids = lines
            .members(line)
            .iter()
            .filter_map(|slot| self.list.id_at(*slot));
        let is_marked = ids.all(|id| self.marks.contains(&id));
        Some(ValueGroup {
            value,
            count: size,
            cost: *cost,
            is_open: open,
            is_marked,
        })
    }

    /// Whether its lines differ from the rows of the service.
    pub fn is_arranged(&self) -> bool {
        self.lines.is_some()
    }

    /// Arranges the rows in another way. Grouping keeps the cursor on its record; otherwise the
    /// first line is of interest.
    pub(super) fn arrange(&mut self, arrangement: Arrangement, known: KnownFacts<'_>) {
        let slot = self.cursor_slot();
        let is_grouping = arrangement.group != self.arrangement.group;
        self.arrangement = arrangement;
        if is_grouping {
            self.collapsed.clear();
        }
        self.rearrange(known);
        if is_grouping {
            self.move_to_row(slot);
        } else {
            self.scroll = ScrollState::default();
            self.gap_slot = None;
            self.stays_on_first_line = self.arrangement.sort.is_some() && self.unread_count() > 0;
        }
    }

    /// Rebuilds the lines after the list, a fold or a fact changed.
    pub(super) fn rearrange(&mut self, known: KnownFacts<'_>) {
        self.lines = (!self.arrangement.is_plain() || self.moved.concerns(self))
            .then(|| Lines::arrange(self, known));
    }

    /// How many loaded rows belong to the row's project, if more than one.
    pub fn sibling_count(&self, row: &QueueSignal) -> Option<usize> {
        Some(self.list.project_count(row.signal.project_id?)).filter(|n| *n > 1)
    }

    /// The slots of the rows that a line stands for: of a thread all of them.
    pub fn slots_on_line(&self, line: QueueLine) -> Vec<usize> {
        match (line, &self.lines) {
            (QueueLine::Row(slot), _) => vec![slot],
            (_, Some(lines)) => lines.members(line).to_vec(),
            (_, None) => Vec::new(),
        }
    }

    /// The loaded signals that a line stands for: of a thread all of them.
    pub fn ids_on_line(&self, line: QueueLine) -> Vec<SignalId> {
        let slots = self.slots_on_line(line).into_iter();
        slots.filter_map(|slot| self.list.id_at(slot)).collect()
    }

    /// The slot of the row under the cursor; in a gap, the one where the user is.
    pub(super) fn cursor_slot(&self) -> usize {
        match self.line_at(self.scroll.cursor) {
            Some(QueueLine::Row(slot) | QueueLine::Thread { first: slot, .. }) => slot,
            Some(QueueLine::Gap { first, last, .. }) => {
                self.gap_slot.unwrap_or(first).clamp(first, last)
            }
            None => 0,
        }
    }

    /// Moves the cursor to a row of the list, loaded or not.
    pub fn move_to_row(&mut self, slot: usize) {
        let slot = slot.min(self.list.len().saturating_sub(1));
        let at = self
            .lines
            .as_ref()
            .map_or(Some(slot), |lines| lines.line_of(slot));
        self.move_to_line(at.unwrap_or(0));
        self.gap_slot = Some(slot);
    }

    /// Where the cursor goes from a gap after rows were read: to its row, at the ends of the list
    /// to the first or last line.
    pub(super) fn leave_gap(&mut self, slot: usize) -> Option<usize> {
        self.gap_slot = Some(slot);
        let at = self.lines.as_ref()?.line_of(slot);
        match slot {
            0 => Some(0),
            _ if slot + 1 >= self.list.len() => self.len().checked_sub(1),
            _ => at,
        }
    }

    pub(super) fn move_over_gaps(&mut self, rows: isize) {
        let (is_down, mut steps) = (rows > 0, rows.unsigned_abs());
        loop {
            if let Some(QueueLine::Gap { first, last, .. }) = self.line_at(self.scroll.cursor) {
                let slot = self.cursor_slot();
                let moved = steps.min(if is_down { last - slot } else { slot - first });
                self.gap_slot = Some(if is_down { slot + moved } else { slot - moved });
                steps -= moved;
            }
            let next = if is_down {
                Some(self.scroll.cursor + 1)
            } else {
                self.scroll.cursor.checked_sub(1)
            };
            let Some((next, line)) = next
                .filter(|_| steps > 0)
                .and_then(|next| Some((next, self.line_at(next)?)))
            else {
                return;
            };
            self.scroll.cursor = next;
            self.gap_slot = match line {
                QueueLine::Gap { first, last, .. } => Some(if is_down { first } else { last }),
                _ => None,
            };
            steps -= 1;
        }
    }

    /// Opens or closes the thread under the cursor, or the thread its row belongs to; false if
    /// there is none.
    pub(super) fn set_folded(&mut self, close: bool, known: KnownFacts<'_>) -> bool {
        let slot = self.cursor_slot();
        let Some(lines) = &self.lines else {
            return false;
        };
        let Some(QueueLine::Thread { group, open, .. }) =
            lines.thread_of(slot).and_then(|at| self.line_at(at))
        else {
            return false;
        };
        let Some((key, _)) = lines.groups.get(group).filter(|_| open == close).cloned() else {
            return false;
        };
        if close {
            self.collapsed.insert(key);
        } else {
            self.collapsed.remove(&key);
        }
        self.rearrange(known);
        let at = self.lines.as_ref().and_then(|lines| lines.thread_of(slot));
        self.move_to_line(at.unwrap_or(0));
        true
    }

    /// Opens or closes all threads; the cursor stays on its project.
    pub(super) fn set_all_folded(&mut self, close: bool, known: KnownFacts<'_>) {
        let slot = self.cursor_slot();
        self.collapsed = match &self.lines {
            Some(lines) if close => lines.groups.iter().map(|(key, _)| key.clone()).collect(),
            _ => Default::default(),
        };
        self.rearrange(known);
        match self.lines.as_ref().and_then(|lines| lines.thread_of(slot)) {
            Some(at) => self.move_to_line(at),
            None => self.move_to_row(slot),
        }
    }
}
