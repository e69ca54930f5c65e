//! Coverage gaps: signals of high priority whose project or developer is not in the book, or in it
//! without a status. Only what was already read is claimed; the rest is unknown.

use std::collections::HashSet;

use uuid::Uuid;

use crate::domain::accounts::Account;
use crate::domain::book::RecordKind;
use crate::domain::queue::{Priority, QueueSignal};

const DEVELOPER: &str = "developer";

/// What is known of a record's place in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookPlace {
    Absent,
    WithoutStatus,
    /// In the book, with a status.
    Covered,
    /// In the book; whether it has a status is not known.
    Present,
    Unknown,
}

/// A record that nobody looks after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageGap {
    pub kind: RecordKind,
    pub id: Uuid,
    pub name: String,
    /// The project of the signal.
    pub project: String,
    /// [`BookPlace::Absent`] or [`BookPlace::WithoutStatus`].
    pub place: BookPlace,
}

/// The gaps of the loaded signals, and what is not known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub gaps: Vec<CoverageGap>,
    /// Projects of signals of high priority.
    pub projects: usize,
    /// Projects whose firms were not read: 1 credit each.
    pub unread_projects: usize,
    /// Projects and developers of which it is not known whether they are in the book, with a
    /// status: 1 credit each.
    pub unknown_records: Vec<(RecordKind, Uuid)>,
}

impl Coverage {
    /// `firms` are those of a project that was read, and `place` is what is known of a record.
    pub fn new<'r>(
        rows: impl Iterator<Item = &'r QueueSignal>,
        firms: impl Fn(&QueueSignal) -> Option<&'r [Account]>,
        place: impl Fn(&RecordKind, Uuid) -> BookPlace,
    ) -> Coverage {
        let (mut coverage, mut seen) = (Coverage::default(), HashSet::new());
        for row in rows.filter(|row| row.priority == Some(Priority::High)) {
            let Some(project) = row
                .signal
                .project_id
                .filter(|project| seen.insert(project.0))
            else {
                continue;
            };
            let name = row
                .signal
                .project_name
                .as_deref()
                .unwrap_or("an unnamed project");
            coverage.projects += 1;
            coverage.add(RecordKind::Projects, project.0, name, name, &place);
            let Some(firms) = firms(row) else {
                coverage.unread_projects += 1;
                continue;
            };
            for developer in firms.iter().filter(|firm| is_developer(firm)) {
                if seen.insert(developer.id.0) {
                    let firm = developer.name.as_deref().unwrap_or("an unnamed firm");
                    coverage.add(RecordKind::Accounts, developer.id.0, firm, name, &place);
                }
            }
        }
        coverage
    }

    fn add(
        &mut self,
        kind: RecordKind,
        id: Uuid,
        name: &str,
        project: &str,
        place: impl Fn(&RecordKind, Uuid) -> BookPlace,
    ) {
        match place(&kind, id) {
            BookPlace::Covered => {}
            BookPlace::Unknown | BookPlace::Present => self.unknown_records.push((kind, id)),
            place => {
                let (name, project) = (name.to_owned(), project.to_owned());
                self.gaps.push(CoverageGap {
                    kind,
                    id,
                    name,
                    project,
                    place,
                });
            }
        }
    }

    /// What checking the rest would cost, in credits. The developers of projects that were not read
    /// come on top.
    pub fn price(&self) -> usize {
        self.unread_projects + self.unknown_records.len()
    }
}

/// Whether the firm develops the project; where its role is not reported, whether it is a
/// developer.
fn is_developer(firm: &Account) -> bool {
    let names = if firm.roles.is_empty() {
        &firm.account_types
    } else {
        &firm.roles
    };
    names.iter().any(|name| name == DEVELOPER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::queue_row;

    fn firm(id: u128, role: &str) -> Account {
        serde_json::from_value(serde_json::json!({"id": Uuid::from_u128(id), "name": format!("Firm {id}"), "roles": [role]}))
            .unwrap()
    }

    #[test]
    fn only_what_is_known_is_claimed_and_the_rest_is_counted_with_its_price() {
        let row = |n, priority, project: u128| {
            queue_row(
                n,
                priority,
                "permit_filed",
                "2026-07-01",
                (project, &format!("Project {project}")),
                None,
            )
        };
        let rows = [
            row(1, "high", 1),
            row(2, "high", 1),
            row(3, "high", 2),
            row(4, "high", 3),
            row(5, "low", 4),
        ];
        let projects: Vec<Uuid> = rows
            .iter()
            .filter_map(|row| Some(row.signal.project_id?.0))
            .collect();
        let firms = [firm(11, "developer"), firm(12, "gc")];
        let read = |row: &QueueSignal| {
            (row.signal.project_id.map(|id| id.0) == Some(projects[0])).then_some(firms.as_slice())
        };
        let place = |kind: &RecordKind, id: Uuid| match kind {
            RecordKind::Accounts => BookPlace::WithoutStatus,
            _ if id == projects[0] => BookPlace::Absent,
            _ if id == projects[2] => BookPlace::Covered,
            _ => BookPlace::Unknown,
        };
        let coverage = Coverage::new(rows.iter(), read, place);
        let gaps: Vec<(&str, BookPlace)> = coverage
            .gaps
            .iter()
            .map(|gap| (gap.name.as_str(), gap.place))
            .collect();
        assert_eq!(
            gaps,
            [
                ("Project 1", BookPlace::Absent),
                ("Firm 11", BookPlace::WithoutStatus)
            ]
        );
        assert_eq!(
            (
                coverage.projects,
                coverage.unread_projects,
                coverage.unknown_records.len()
            ),
            (3, 2, 1)
        );
        assert_eq!(coverage.price(), 3);
    }
}
