//! The lines of a list whose rows are not simply shown in the service's order: grouped by project,
//! sorted, or only those that match conditions. All of it applies to the loaded rows.
//!
//! Rows in the service's order are arranged as far as they are loaded without a gap, so that
//! reading rows elsewhere moves none of them. A gap is one line, but the cursor has a place in it:
//! the row that it would be on if all rows were loaded. That row is read next. In a sorted list the
//! gaps are at its end.

use std::cell::RefCell;
use std::ops::Range;

use chrono::NaiveDate;
use foldhash::{HashMap, HashMapExt as _};

use super::QueueTabState;
use crate::app::model::frequency::group_rows;
use crate::app::model::line_order::{Line, LineOrder};
use crate::app::model::list_field::RowValues;
use crate::app::model::signal_facts::SignalFacts;
use crate::domain::conditions::ConditionLine;
use crate::domain::field_kind::ListSort;
use crate::domain::queue::QueueSignal;
use crate::domain::row_columns::{RowColumn, RowFacts, RowValue, find_column, sort_by_value};
use crate::domain::row_matcher::RowMatcher;
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
    pub conditions: ConditionLine,
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
        let (city, is_city_certain) = self.facts.city_and_certainty(&row.signal);
        RowFacts {
            description: self.facts.description(&row.signal),
            city,
            is_city_certain,
            account: account.map(|account| account.name),
            tier: account.and_then(|account| account.tier),
            owner: self.facts.owner(&row.signal),
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
            // Conditions test only a city that is certain.
            "city" => RowValue::text(row.city),
            _ => row.value(column),
        }
    }
}

/// A loaded row and its slot.
type ListedRow<'a> = (usize, &'a QueueSignal);

/// Adds rows. Those of a project are a group below its first one; a project with only one stays a
/// plain row.
fn push_threads(lines: &mut LineOrder, rows: &[ListedRow<'_>]) {
    let mut threads: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<ProjectId, usize> = HashMap::with_capacity(rows.len());
    let find_thread = |(slot, row): &ListedRow<'_>| {
        let thread = *known.entry(row.signal.project_id?).or_insert_with(|| {
            threads.push(Vec::new());
            threads.len() - 1
        });
        threads[thread].push(*slot);
        Some(thread)
    };
    let thread_of_row: Vec<Option<usize>> = rows.iter().map(find_thread).collect();
    for ((slot, row), thread) in rows.iter().zip(thread_of_row) {
        match thread.map(|thread| std::mem::take(&mut threads[thread])) {
            Some(slots) if slots.len() > 1 => {
                let project = row.signal.project_id.map(|project| project.to_string());
                lines.push_group(project.unwrap_or_default(), slots, 0.0);
            }
            // It is below the first row of its project.
            Some(slots) if slots.is_empty() => {}
            _ => lines.push_rows([*slot]),
        }
    }
}

/// Adds rows, grouped by their values of a column.
fn push_groups(
    lines: &mut LineOrder,
    rows: &[ListedRow<'_>],
    column: &RowColumn,
    known: KnownFacts<'_>,
) {
    let kind = column.spec.kind;
    let values: Vec<RowValues<'_>> = rows
        .iter()
        .map(|(_, row)| known.shown_value(&known.describe_row(row), column))
        .map(|value| value.into_iter().collect())
        .collect();
    let places: Vec<usize> = (0..rows.len()).collect();
    for (bin, places) in group_rows(&places, &values, kind) {
        let of_group = || places.iter().map(|place| rows[*place]);
        let costs =
            of_group().filter_map(|(_, row)| row.signal.reported_cost_usd.as_ref()?.as_f64());
        let cost = costs.sum();
        let slots = of_group().map(|(slot, _)| slot).collect();
        lines.push_group(bin.label(kind), slots, cost);
    }
}

impl QueueTabState {
    /// Whether its rows are in groups.
    pub fn is_grouped(&self) -> bool {
        self.arrangement.group.is_some()
    }

    /// Whether its lines differ from the rows of the service.
    pub fn is_arranged(&self) -> bool {
        !self.lines.is_plain()
    }

    /// Arranges the rows in another way. Grouping keeps the cursor on its record; otherwise the
    /// first line is of interest.
    pub(super) fn arrange(&mut self, arrangement: Arrangement, known: KnownFacts<'_>) {
        let slot = self.cursor_slot();
        let is_grouping = arrangement.group != self.arrangement.group;
        self.arrangement = arrangement;
        if is_grouping {
            self.lines.forget_closed();
        }
        self.rearrange(known);
        if is_grouping {
            let is_placed = self.is_cursor_placed;
            self.move_to_row(slot);
            self.is_cursor_placed = is_placed;
        } else {
            self.scroll = ScrollState::default();
            self.gap_slot = None;
            self.is_cursor_placed = self.is_complete();
        }
    }

    /// Computes the lines again after the list or a fact changed.
    pub(super) fn rearrange(&mut self, known: KnownFacts<'_>) {
        let mut lines = std::mem::take(&mut self.lines);
        if self.today.is_none() && self.arrangement.is_plain() && !self.moved.concerns(self) {
            lines.clear();
        } else {
            self.list_rows(&mut lines, known);
        }
        self.lines = lines;
    }

    /// Fills the lines with the rows that are shown and the gaps between them.
    fn list_rows<'t>(&'t self, lines: &mut LineOrder, known: KnownFacts<'_>) {
        let QueueTabState {
            list,
            arrangement,
            moved,
            ..
        } = self;
        let write = |row: &QueueSignal, text: &mut String| known.write_row_text(row, text);
        let query = arrangement.query.as_ref();
        let matcher = RefCell::new(query.map(|query| query.row_matcher(write)));
        let is_found = |row| {
            let mut matcher = matcher.borrow_mut();
            matcher.as_mut().is_none_or(|is_match| is_match(row))
        };
        let conditions =
            (!arrangement.conditions.is_empty()).then(|| RowMatcher::new(&arrangement.conditions));
        let matches = |(_, row): &ListedRow<'t>| {
            conditions
                .as_ref()
                .is_none_or(|conditions| conditions.matches(&known.describe_row(row)))
                && is_found(row)
        };
        let is_moved = |id: &SignalId| moved.hidden.contains(id) || moved.raised.contains(id);
        let is_shown = |row: &ListedRow<'t>| !is_moved(&row.1.signal.id) && matches(row);
        if let Some(today) = &self.today {
            return today.list_lines(list, query, lines, matches);
        }
        let push_rows = |lines: &mut LineOrder, rows: &[ListedRow<'_>]| {
            if arrangement.is_threaded() {
                push_threads(lines, rows);
            } else {
                lines.push_rows(rows.iter().map(|(slot, _)| *slot));
            }
        };
        // What is not loaded is not searched.
        let push_gap = |lines: &mut LineOrder, slots: Range<usize>| {
            let gap = list.unread_in(slots).filter(|_| query.is_none());
            gap.into_iter().for_each(|gap| lines.push_gap(gap));
        };
        lines.begin(true);
        if !moved.raised.is_empty() {
            let raised = list
                .loaded_rows()
                .filter(|row| moved.raised.contains(&row.1.signal.id) && matches(row));
            let slots: Vec<usize> = raised.map(|(slot, _)| slot).collect();
            lines.push_rows(slots);
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
            push_gap(lines, gap);
            let rows = (run.start..)
                .zip(&run.ids)
                .filter_map(|(slot, id)| Some((slot, list.row(*id)?)));
            push_rows(lines, &rows.filter(is_shown).collect::<Vec<_>>());
        }
        gaps.push(end..list.len());
        if !keeps_gaps {
            let rows = list.loaded_rows().filter(is_shown);
            let rows: Vec<ListedRow<'_>> = match arrangement.sort {
                Some(sort) => {
                    let column = find_column(sort.key);
                    sort_by_value(rows, sort.is_descending, |(_, row)| {
                        known.shown_value(&known.describe_row(row), column?)
                    })
                }
                None => rows.collect(),
            };
            match arrangement.value_column() {
                Some(column) => push_groups(lines, &rows, column, known),
                None => push_rows(lines, &rows),
            }
        }
        gaps.into_iter().for_each(|gap| push_gap(lines, gap));
    }

    /// How many loaded rows belong to the row's project, if more than one.
    pub fn sibling_count(&self, row: &QueueSignal) -> Option<usize> {
        Some(self.list.project_count(row.signal.project_id?)).filter(|n| *n > 1)
    }

    /// The slots of the rows that a line stands for: of a thread all of them.
    pub fn slots_on_line(&self, line: Line) -> Vec<usize> {
        match line {
            Line::Row(slot) => Vec::from_iter(Some(slot).filter(|slot| *slot < self.list.len())),
            Line::Heading(_) if self.today.is_some() => Vec::new(),
            Line::Heading(group) => {
                let group = self.lines.group(group);
                group.map_or_else(Vec::new, |group| group.rows.clone())
            }
            Line::Gap { .. } => Vec::new(),
        }
    }

    /// The loaded signals that a line stands for: of a thread all of them.
    pub fn ids_on_line(&self, line: Line) -> Vec<SignalId> {
        let slots = self.slots_on_line(line).into_iter();
        slots.filter_map(|slot| self.list.id_at(slot)).collect()
    }

    /// The slot of the row under the cursor; in a gap, the one where the user is.
    pub(super) fn cursor_slot(&self) -> usize {
        match self.line_at(self.scroll.cursor) {
            Some(Line::Gap { first, last, .. }) => {
                self.gap_slot.unwrap_or(first).clamp(first, last)
            }
            _ => self.slot_at(self.scroll.cursor).unwrap_or(0),
        }
    }

    /// Moves the cursor to a row of the list, loaded or not.
    pub fn move_to_row(&mut self, slot: usize) {
        let slot = slot.min(self.list.len().saturating_sub(1));
        self.move_to_line(self.lines.line_of(slot).unwrap_or(0));
        self.gap_slot = Some(slot);
    }

    /// Where the cursor goes from a gap after rows were read: to its row, at the ends of the list
    /// to the first or last line.
    pub(super) fn leave_gap(&mut self, slot: usize) -> Option<usize> {
        self.gap_slot = Some(slot);
        if !self.is_arranged() {
            return None;
        }
        match slot {
            0 => Some(0),
            _ if slot + 1 >= self.list.len() => self.len().checked_sub(1),
            _ => self.lines.line_of(slot),
        }
    }

    pub(super) fn move_over_gaps(&mut self, rows: isize) {
        let (is_down, mut steps) = (rows > 0, rows.unsigned_abs());
        loop {
            if let Some(Line::Gap { first, last, .. }) = self.line_at(self.scroll.cursor) {
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
                Line::Gap { first, last, .. } => Some(if is_down { first } else { last }),
                _ => None,
            };
            steps -= 1;
        }
    }

    /// Closes the group of the line under the cursor, or opens it.
    pub fn toggle_fold(&mut self) {
        if let Some(heading) = self.lines.toggle_fold(self.scroll.cursor) {
            self.move_to_line(heading);
        }
    }

    /// Closes or opens all groups; the cursor stays in its group.
    pub fn fold_all(&mut self, close: bool) {
        let slot = self.cursor_slot();
        self.lines.fold_all(close);
        match self.lines.heading_of(slot) {
            Some(heading) => self.move_to_line(heading),
            None => self.move_to_row(slot),
        }
    }
}
