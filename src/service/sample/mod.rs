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
//!   on the way. Firms work in their city and its region, with the same partners, and a school
//!   district only builds at home. A supplier in the south lives in the queue: hundreds of signals
//!   are done, hundreds are new, of every priority. A glazier in the west looks in at times. Both
//!   have a book with tiers, scores, notes and tags, Views of both kinds, favorites, Skills in every
//!   lifecycle, open, accepted, revoked and expired invitations. Two more workspaces (starter, free)
//!   are new.
//! * **Any size**: complete with no projects or a few, 500 in the demo, a million for benchmarks. The
//!   same seed gives the same world, and another day the same records at other times.
//!
//! # Where it is
//!
//! | what | data in `assets` | code |
//! |---|---|---|
//! | names of people and firms, who joins a project and when | `sample/words.toml` | `firms` |
//! | cities with their offices and streets | `sample/cities.toml` | `firms`, `projects` |
//! | buildings with their figures | `sample/buildings.toml` | `projects` |
//! | the plans of projects, filings and the portals' payloads | `sample/signals.toml` | `signals` |
//! | what the teams have done | `sample/teams.toml` | `teams` |
//! | Skills | `skills/` | `skills` |
//!
//! `data` reads the files; `arrivals` adds signals while the service runs. Each project draws from a
//! stream of its own, so a change to how one is drawn leaves the others as they are, but the golden
//! files show drawn values: do not draw in another order without need.

use std::collections::HashSet;
use std::sync::mpsc::sync_channel;

use chrono::{DateTime, Duration, Utc};

use self::data::sample_data;
use self::firms::FirmDirectory;
use self::projects::GeneratedProject;
use super::db::{self, index_write, queue};
use crate::domain::queue::QUEUE_HISTORY_DAYS;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use crate::service::db::sql::{Conn, Result};

pub(crate) mod arrivals;
pub(crate) mod data;
pub(crate) mod firms;
pub(crate) mod projects;
pub(crate) mod rng;
pub(crate) mod signals;
pub(crate) mod skills;
pub(crate) mod teams;
pub(crate) mod vocabulary;

pub use arrivals::write_arrival;
pub use rng::SampleRng;

/// The streams of draws from a seed: the firms, and the first of the teams and of the projects.
const FIRM_STREAM: u64 = 0;
const TEAM_STREAM: u64 = 2;
const PROJECT_STREAM: u64 = 16;
/// How many projects may be generated before they are written.
const GENERATED_AHEAD: usize = 64;
/// How many people work for no firm.
const INDEPENDENT_PEOPLE: usize = 12;

/// The generated world, as far as the generator of workspaces needs it.
pub struct SampleWorld {
    pub directory: FirmDirectory,
    pub projects: Vec<ProjectSummary>,
    /// The signals that can be in a queue: filed within its window.
    pub recent_signals: Vec<SignalSummary>,
}

pub struct ProjectSummary {
    pub id: ProjectId,
    pub primary_use: Option<String>,
    pub state: Option<String>,
    pub stage: Option<String>,
    pub firms: Vec<AccountId>,
}

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
) -> Result<SampleWorld> {
    // A book never contains the whole index.
    let firms = book.unwrap_or_default() * 5 / 4;
    let world = index_write::bulk_load(conn, || fill_index(conn, seed, projects, firms, now))?;
    for (nth, team) in sample_data().teams.iter().enumerate() {
        let mut rng = SampleRng::new(seed, TEAM_STREAM + nth as u64);
        let book = book.filter(|_| nth == 0);
        teams::add_workspace(conn, &mut rng, team, book, &world, now)?;
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
    for source in signals::sources() {
        index_write::add_source(conn, &source)?;
    }
    let mut rng = SampleRng::new(seed, FIRM_STREAM);
    let directory = FirmDirectory::generate(&mut rng, conn, projects, firms, now)?;
    for city in sample_data().cities.iter().take(INDEPENDENT_PEOPLE) {
        let since = now - Duration::days(rng.int_between(2, 900));
        index_write::add_contact(conn, &firms::generate_contact(&mut rng, city, since))?;
    }
    let mut summaries = Vec::with_capacity(projects);
    let mut recent_signals = Vec::new();
    let oldest = now - Duration::days(QUEUE_HISTORY_DAYS);
    let mut write_project = |made: GeneratedProject<'_>| -> Result<()> {
        let id = made.project.id;
        index_write::add_project(conn, &made.project, &made.signals)?;
        for firm in &made.firms {
            index_write::link_account(conn, id, firm.id, firm.role())?;
        }
        for person in &made.people {
            index_write::link_contact(conn, id, *person)?;
        }
        let recent = made.signals.into_iter();
        let recent = recent.filter(|signal| signal.filed_at >= oldest);
        recent_signals.extend(recent.map(|signal| SignalSummary {
            id: signal.id,
            signal_type: signal.signal_type,
            discovered_at: signal.discovered_at,
        }));
        summaries.push(ProjectSummary {
            id,
            primary_use: made.project.primary_use,
            state: made.project.state,
            stage: made.project.stage,
            firms: made.firms.iter().map(|firm| firm.id).collect(),
        });
        Ok(())
    };
    // Generating a project takes as long as writing it, and needs no database.
    std::thread::scope(|scope| {
        let (generated, ready) = sync_channel(GENERATED_AHEAD);
        scope.spawn(|| {
            let generated = generated;
            let mut taken = HashSet::new();
            for nth in 0..projects {
                let mut rng = SampleRng::new(seed, PROJECT_STREAM + nth as u64);
                let made = projects::generate_project(&mut rng, nth, &directory, &mut taken, now);
                if generated.send(made).is_err() {
                    break;
                }
            }
        });
        ready.into_iter().try_for_each(&mut write_project)
    })?;
    Ok(SampleWorld {
        directory,
        projects: summaries,
        recent_signals,
    })
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
            "SELECT email || hex(contact_id) FROM contact_emails ORDER BY email, contact_id",
        ] {
            assert_eq!(rows(&at_once, sql), rows(&one_by_one, sql), "{sql}");
        }
    }
}
