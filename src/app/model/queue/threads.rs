//! Threads: the loaded rows of a list, grouped by project.

use super::{QueueLine, QueueTabState};
use crate::domain::queue::QueueSignal;
use crate::domain::{ProjectId, SignalId};

impl QueueTabState {
    pub fn is_threaded(&self) -> bool {
        self.lines.is_some()
    }

    /// Turns grouping by project on or off; the cursor stays on its record.
    pub fn set_threaded(&mut self, on: bool) {
        let anchor = self.line_id(self.scroll.cursor);
        self.lines = on.then(Vec::new);
        self.collapsed.clear();
        self.regroup();
        self.scroll.cursor = anchor.and_then(|id| self.find_line(id, false)).unwrap_or(0);
    }

    /// How many loaded rows belong to the row's project, if more than one.
    pub fn sibling_count(&self, row: &QueueSignal) -> Option<usize> {
        self.projects.get(&row.signal.project_id?).map(Vec::len).filter(|n| *n > 1)
    }

    /// Rebuilds the lines after the list or a fold changed. A project with only one signal stays a plain row.
    pub fn regroup(&mut self) {
        self.projects.clear();
        self.grouped_rows = 0;
        let mut order: Vec<(usize, Option<ProjectId>)> = Vec::new();
        for (slot, row) in self.list.loaded_rows() {
            self.grouped_rows += 1;
            let project = row.signal.project_id;
            let slots = project.map(|project| self.projects.entry(project).or_default());
            if slots.as_ref().is_none_or(|slots| slots.is_empty()) {
                order.push((slot, project));
            }
            if let Some(slots) = slots {
                slots.push(slot);
            }
        }
        if self.lines.is_none() {
            return;
        }
        let mut lines = Vec::new();
        for (first, project) in order {
            match project.and_then(|project| Some((project, self.projects.get(&project)?))) {
                Some((project, slots)) if slots.len() > 1 => {
                    let open = !self.collapsed.contains(&project);
                    lines.push(QueueLine::Thread { project, first, size: slots.len(), open });
                    lines.extend(slots.iter().filter(|_| open).map(|slot| QueueLine::Row(*slot)));
                }
                _ => lines.push(QueueLine::Row(first)),
            }
        }
        self.lines = Some(lines);
    }

    /// Opens or closes the thread under the cursor, or the thread its row belongs to; false if there is none.
    pub fn set_folded(&mut self, close: bool) -> bool {
        let project = match self.line_at(self.scroll.cursor) {
            Some(QueueLine::Thread { project, open, .. }) if open == close => project,
            Some(QueueLine::Row(_)) if close && self.is_threaded() => {
                let Some(project) = self.current_row().and_then(|row| row.signal.project_id) else { return false };
                let is_thread = |line: &QueueLine| matches!(line, QueueLine::Thread { project: other, .. } if *other == project);
                if !self.lines.as_ref().is_some_and(|lines| lines.iter().any(is_thread)) {
                    return false;
                }
                project
            }
            _ => return false,
        };
        if close {
            self.collapsed.insert(project);
        } else {
            self.collapsed.remove(&project);
        }
        self.regroup();
        let header = |line: &QueueLine| matches!(line, QueueLine::Thread { project: other, .. } if *other == project);
        self.scroll.cursor = self.lines.as_ref().and_then(|lines| lines.iter().position(header)).unwrap_or(0);
        true
    }

    /// Opens or closes all threads; the cursor stays on its project.
    pub fn set_all_folded(&mut self, close: bool) {
        let project = self.current_row().and_then(|row| row.signal.project_id);
        let anchor: Option<SignalId> = self.line_id(self.scroll.cursor);
        self.collapsed = if close {
            self.list.loaded_rows().filter_map(|(_, row)| row.signal.project_id).collect()
        } else {
            Default::default()
        };
        self.regroup();
        let header = |line: &QueueLine| matches!(line, QueueLine::Thread { project: other, .. } if Some(*other) == project);
        let at = self.lines.as_ref().and_then(|lines| lines.iter().position(header));
        self.scroll.cursor = at.or_else(|| anchor.and_then(|id| self.find_line(id, false))).unwrap_or(0);
    }

    /// How many rows are loaded.
    pub fn loaded_count(&self) -> usize {
        self.grouped_rows
    }
}
