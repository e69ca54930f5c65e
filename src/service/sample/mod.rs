//! The sample world: plausible firms, people, projects and signals, generated from a seed.
//!
//! A pure function of seed and number of projects, relative to `now`: no clock, no network, no
//! system randomness. Addresses, phone numbers and mail domains are reserved for fiction, so that
//! nothing here reaches a real person. Never here: SQL (see [`crate::service::db::index_write`]).
//!
//! # What it must contain
//!
//! Whoever tries gantry, and every test, looks at this world, so it has everything that a real one
//! has; `tests/sample.rs` counts it.
//!
//! * **Every field** of an account, a contact, a project and a signal is known for many records and
//!   unknown for some; early projects know less. Figures of a building fit each other.
//! * **Every state**: all signal types, stages, dispositions, uses, roles and kinds of firm; each
//!   signal from an office that issues it, with the number and the payload of this office's portal
//!   (three formats), the trade press or the recorder. Two firms with one domain, two people with
//!   one address, people without a project, projects without firms, people or signals.
//! * **A story**: a project goes from announcement through review and permit to completion, or ends
//!   on the way. Firms work in their region, in their trade, with the same partners. A supplier in
//!   the south (`pro_one`) lives in the queue: most old signals are done, hundreds are new, of every
//!   priority. A glazier in the west (`pro_two`) looks in at times. Both have a book with tiers,
//!   scores, notes and tags, Views of both kinds, favorites, Skills in every lifecycle, open,
//!   accepted, revoked and expired invitations. Two more workspaces (starter, free) are new.
//! * **Any size**: complete with no projects or a few, 500 in the demo, a million for benchmarks.
//!
//! # Where it is
//!
//! | what | where |
//! |---|---|
//! | cities with their offices and streets; names of people, firms, projects | `assets/sample/cities.toml`, `words.toml` |
//! | building types with their figures | `assets/sample/buildings.toml`, drawn by `buildings` |
//! | payloads of the portals | `assets/sample/payloads.json`, filled in by `filings` |
//! | what the two teams have done | `assets/sample/teams.toml`, by `team_activity` |
//! | Skills | `assets/skills/`, by `skills` |
//! | firms and their people | `firm_directory`, `firms`, `people` |
//! | projects, their firms and their history | `projects`, `timeline` |
//! | signals that arrive while the service runs | `arrivals` |
//!
//! Each project draws from a stream of its own, so a change to how one is drawn leaves the others
//! as they are, but all golden screens show drawn values: do not draw in another order without need.

use chrono::{DateTime, Duration, Utc};

use self::firm_directory::FirmDirectory;
use super::db::index_write::{self, IndexWriter};
use super::db::{self, DbError, queue};
use crate::domain::queue::QUEUE_HISTORY_DAYS;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use crate::service::db::sql::{Conn, Result};

pub(crate) mod arrivals;
pub(crate) mod buildings;
pub(crate) mod edge_cases;
pub(crate) mod filings;
pub(crate) mod firm_directory;
pub(crate) mod firms;
pub(crate) mod people;
pub(crate) mod projects;
pub(crate) mod rng;
pub(crate) mod seed_workspace;
pub(crate) mod skills;
pub(crate) mod team_activity;
pub(crate) mod timeline;
pub(crate) mod vocabulary;
pub(crate) mod word_lists;

pub use arrivals::{next_arrival, write_arrival};
pub use rng::SampleRng;

/// The generated world, as far as the generator of workspaces needs it.
pub struct SampleWorld {
    pub directory: FirmDirectory,
    pub projects: Vec<ProjectSummary>,
    /// The signals that can be in a queue: filed within its window.
    pub recent_signals: Vec<SignalSummary>,
    /// Number of signals.
    pub signal_count: usize,
}

/// Summary of a project.
pub struct ProjectSummary {
    pub id: ProjectId,
    /// Its primary use.
    pub primary_use: Option<String>,
    pub state: Option<String>,
    /// Its stage.
    pub stage: Option<String>,
    /// Its firms.
    pub firms: Vec<AccountId>,
}

/// Summary of a recent signal.
pub struct SignalSummary {
    pub id: SignalId,
    pub signal_type: SignalType,
    pub discovered_at: DateTime<Utc>,
}

/// Fills a new database: the index and four workspaces, the first with `book` accounts in its book
/// if given. Call it within a transaction.
pub fn fill_database(
    conn: &Conn,
    seed: u64,
    projects: usize,
    book: Option<usize>,
    now: DateTime<Utc>,
) -> std::result::Result<SampleWorld, DbError> {
    // A book never contains the whole index.
    let firms = book.unwrap_or_default() * 5 / 4;
    let world = index_write::bulk_load(conn, || fill_index(conn, seed, projects, firms, now))?;
    for tenant in seed_workspace::generate_workspaces(seed, &world, book, now) {
        db::seed_workspace::insert_workspace(conn, &tenant)?;
        skills::install_team_skills(conn, &tenant, now)?;
    }
    queue::advance(conn, now)?;
    db::workspaces::mark_as_sample(conn)?;
    Ok(world)
}

/// Fills the global index with this many projects and everything that belongs to them, and with at
/// least `firms` firms. Call it within a transaction.
pub fn fill_index(
    conn: &Conn,
    seed: u64,
    projects: usize,
    firms: usize,
    now: DateTime<Utc>,
) -> Result<SampleWorld> {
    let mut writer = IndexWriter::new(conn)?;
    filings::sources()
        .iter()
        .try_for_each(|source| writer.add_source(source))?;
    let market = FirmDirectory::generate(
        &mut SampleRng::new(seed, 0),
        projects,
        firms,
        now,
        |account, contacts| {
            writer.add_account(account)?;
            contacts
                .iter()
                .try_for_each(|contact| writer.add_contact(contact))
        },
    )?;
    let mut world = SampleWorld {
        directory: market,
        projects: Vec::with_capacity(projects),
        recent_signals: Vec::new(),
        signal_count: 0,
    };
    let mut taken = projects::UsedProjectNames::default();
    for nth in 0..projects {
        // One stream per project: changes to one project leave the others as they are.
        let mut rng = SampleRng::new(seed, 16 + nth as u64);
        let made = projects::generate_project(&mut rng, &world.directory, &mut taken, now);
        writer.add_project(&made.project, &made.signals)?;
        for (firm, role) in &made.firms {
            writer.link_account(made.project.id, *firm, role)?;
        }
        for person in &made.people {
            writer.link_contact(made.project.id, *person)?;
        }
        world.signal_count += made.signals.len();
        let oldest = now - Duration::days(QUEUE_HISTORY_DAYS);
        let recent = made
            .signals
            .iter()
            .filter(|signal| signal.filed_at >= oldest);
        world
            .recent_signals
            .extend(recent.map(|signal| SignalSummary {
                id: signal.id,
                signal_type: signal.signal_type.clone(),
                discovered_at: signal.discovered_at,
            }));
        world.projects.push(ProjectSummary {
            id: made.project.id,
            primary_use: made.project.primary_use,
            state: made.project.state,
            stage: made.project.stage,
            firms: made.firms.iter().map(|(firm, _)| *firm).collect(),
        });
    }
    edge_cases::add_edge_cases(
        &mut SampleRng::new(seed, 1),
        &mut writer,
        &world.directory,
        now,
    )?;
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Storage;

    #[test]
    fn a_bulk_loaded_index_equals_one_filled_record_by_record() {
        let now = "2026-07-09T16:20:00Z".parse().unwrap();
        let world = |at_once: bool| {
            let conn = db::open_writer(&Storage::Memory).unwrap();
            let fill = || fill_index(&conn, 3, 40, 0, now);
            if at_once {
                index_write::bulk_load(&conn, fill)
            } else {
                fill()
            }
            .unwrap();
            conn
        };
        let (at_once, one_by_one) = (world(true), world(false));
        let rows = |conn: &Conn, sql: &str| -> Vec<String> {
            let mut read = conn.prepare(sql).unwrap();
            read.query_map([], |row| row.get(0))
                .unwrap()
                .collect::<Result<_>>()
                .unwrap()
        };
        for sql in [
            "SELECT type || name || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name",
            "SELECT name || projects_count FROM accounts ORDER BY rowid",
            "SELECT name || projects_count FROM contacts ORDER BY rowid",
            "SELECT domain || hex(account_id) FROM account_domains ORDER BY domain, account_id",
            "SELECT word FROM words ORDER BY word",
            "SELECT rowid || '' FROM projects_text WHERE projects_text MATCH 'tower OR st OR ave' ORDER BY rowid",
            "SELECT rowid || '' FROM signals_text WHERE signals_text MATCH '2026 OR https' ORDER BY rowid",
        ] {
            assert_eq!(rows(&at_once, sql), rows(&one_by_one, sql), "{sql}");
        }
    }
}
