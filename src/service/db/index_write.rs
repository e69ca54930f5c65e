//! The writer of the global index: sources, accounts, contacts, projects, signals and their
//! relations.
//!
//! It maintains `projects.first_signal_at`, `last_signal_at` and `signals_count`, and knows nothing
//! about workspaces. It never opens a transaction: bulk loads wrap a few thousand rows in one.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::new_records::{NewAccount, NewContact, NewProject, NewSignal, NewSource};
use super::sql::{Conn, Result, ToSql, params};
use super::values::to_millis;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ContactId, ProjectId};

/// Sources, and the records of the index that have rows of their own; counts of projects are kept
/// by triggers.
pub(super) const SOURCES: &str = "id, slug, display_name, base_url, logo_domain";
pub(super) const ACCOUNTS: &str =
    "id, name, account_types, aliases, domains, website, linkedin_url, city, state, hq_address, hq_lat, hq_lng,
    public_phone, public_email, specialties, description, founded_year, account_types_source, created_at";
pub(super) const CONTACTS: &str = "id, name, title, account_id, email, phone, created_at";
pub(super) const PROJECTS: &str = "id, name, primary_address, city, state, neighborhood, primary_use, uses, stage, disposition,
    gross_floor_area_sf, residential_units, cost_of_construction_usd, stories, parking_spaces, gc_status, height_ft, hotel_rooms,
    affordable_units, land_area_sf, unit_mix, use_areas, structure_types, regulatory_flags, far, lat, lng, first_signal_at,
    last_signal_at, signals_count, created_at";
pub(super) const SIGNALS: &str =
    "id, project_id, source_id, signal_type, filed_at, discovered_at, source_filing_id, source_url, reported_cost_usd,
    reported_gross_floor_area_sf, raw_data, source_row";

/// Adds a row with a value in each of the columns, unless there is one with its keys; returns
/// whether it was added.
fn insert_row(conn: &Conn, table: &str, columns: &str, values: &[&dyn ToSql]) -> Result<bool> {
    let sql = format!(
        "{} ON CONFLICT DO NOTHING",
        insertion(table, columns, values)
    );
    Ok(conn.execute(&sql, values)? == 1)
}

/// Adds a row whose keys are new.
///
/// # Errors
/// Also if they are not.
fn insert_new_row(conn: &Conn, table: &str, columns: &str, values: &[&dyn ToSql]) -> Result<()> {
    let sql = insertion(table, columns, values);
    conn.execute(&sql, values).map(drop)
}

fn insertion(table: &str, columns: &str, values: &[&dyn ToSql]) -> String {
    let places = vec!["?"; values.len()].join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES ({places})")
}

/// Adds a source; an existing one with the same slug stays as it is.
pub fn add_source(conn: &Conn, source: &NewSource) -> Result<bool> {
    let values = params![
        source.id,
        source.slug,
        source.display_name,
        source.base_url,
        source.logo_domain
    ];
    insert_row(conn, "sources", SOURCES, values)
}

pub fn add_account(conn: &Conn, account: &NewAccount) -> Result<bool> {
    let (lat, lng) = account.hq_location.unzip();
    let values = params![
        account.id.0,
        account.name,
        words_to_json(&account.account_types),
        words_to_json(&account.aliases),
        words_to_json(&account.domains),
        account.website,
        account.linkedin_url,
        account.city,
        account.state,
        account.hq_address,
        lat,
        lng,
        account.public_phone,
        account.public_email,
        words_to_json(&account.specialties),
        account.description,
        account.founded_year,
        account.account_types_source,
        to_millis(account.created_at),
    ];
    insert_row(conn, "accounts", ACCOUNTS, values)
}

pub fn add_contact(conn: &Conn, contact: &NewContact) -> Result<bool> {
    let values = params![
        contact.id.0,
        contact.name,
        contact.title,
        contact.account_id.map(|id| id.0),
        contact.email,
        contact.phone,
        to_millis(contact.created_at),
    ];
    insert_row(conn, "contacts", CONTACTS, values)
}

/// Adds a project with all its signals so far, which must name it.
pub fn add_project(conn: &Conn, project: &NewProject, signals: &[NewSignal]) -> Result<()> {
    let filed = || signals.iter().map(|signal| to_millis(signal.filed_at));
    let (lat, lng) = project.location.unzip();
    let values = params![
        project.id.0,
        project.name,
        project.primary_address,
        project.city,
        project.state,
        project.neighborhood,
        project.primary_use,
        words_to_json(&project.uses),
        project.stage,
        project.disposition,
        project.gross_floor_area_sf,
        project.residential_units,
        project.cost_of_construction_usd,
        project.stories,
        project.parking_spaces,
        project.gc_status,
        project.height_ft,
        project.hotel_rooms,
        project.affordable_units,
        project.land_area_sf,
        json_text(&project.unit_mix),
        json_text(&project.use_areas),
        words_to_json(&project.structure_types),
        words_to_json(&project.regulatory_flags),
        json_text(&project.far),
        lat,
        lng,
        filed().min(),
        filed().max(),
        signals.len() as i64,
        to_millis(project.created_at),
    ];
    insert_new_row(conn, "projects", PROJECTS, values)?;
    let mut signals = signals.iter();
    signals.try_for_each(|signal| insert_signal(conn, signal, None))
}

/// Adds a signal to an existing project, and counts it.
pub fn add_signal(conn: &Conn, signal: &NewSignal) -> Result<()> {
    insert_signal(conn, signal, None)?;
    let sql = "UPDATE projects SET signals_count = signals_count + 1, first_signal_at = min(ifnull(first_signal_at, ?2), ?2),
           last_signal_at = max(ifnull(last_signal_at, ?2), ?2) WHERE id = ?1";
    let values = params![signal.project_id.0, to_millis(signal.filed_at)];
    conn.execute(sql, values).map(drop)
}

/// Records a firm's role in a project; returns whether it is new.
pub fn link_account(
    conn: &Conn,
    project: ProjectId,
    account: AccountId,
    role: &str,
) -> Result<bool> {
    let columns = "project_id, account_id, role";
    let values = params![project.0, account.0, role];
    insert_row(conn, "project_accounts", columns, values)
}

/// Records that a person works on a project; returns whether it is new.
pub fn link_contact(conn: &Conn, project: ProjectId, contact: ContactId) -> Result<bool> {
    let columns = "project_id, contact_id";
    let values = params![project.0, contact.0];
    insert_row(conn, "project_contacts", columns, values)
}

/// Adds a signal that has its payload itself, or in a row of the file that it comes from.
pub(super) fn insert_signal(
    conn: &Conn,
    signal: &NewSignal,
    source_row: Option<i64>,
) -> Result<()> {
    let payload = match source_row {
        Some(_) => "{}".to_owned(),
        None => signal.raw_data.to_string(),
    };
    let values = params![
        signal.id.0,
        signal.project_id.0,
        signal.source_id,
        signal.signal_type.as_str(),
        to_millis(signal.filed_at),
        to_millis(signal.discovered_at),
        signal.source_filing_id,
        signal.source_url,
        signal.reported_cost_usd,
        signal.reported_gross_floor_area_sf,
        payload,
        source_row,
    ];
    insert_new_row(conn, "signals", SIGNALS, values)
}

/// Fills an empty index with `work`. Indexes, and what triggers maintain, are built afterwards: in
/// order and all at once, that takes a fraction of the time.
pub fn bulk_load<T>(conn: &Conn, work: impl FnOnce() -> Result<T>) -> Result<T> {
    if conn.is_postgres() {
        pause_triggers(conn)?;
        let done = work()?;
        resume_triggers(conn)?;
        return Ok(done);
    }
    let sql = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
               AND tbl_name IN (SELECT value FROM json_each(?1))";
    let kept: Vec<(String, String, String)> =
        conn.query_rows(sql, [serde_json::json!(INDEX_TABLES).to_string()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    kept.iter()
        .try_for_each(|(kind, name, _)| conn.execute_batch(&format!("DROP {kind} {name}")))?;
    let done = work()?;
    let make = |kind: &str| {
        kept.iter()
            .filter(|kept| kept.0 == kind)
            .try_for_each(|(_, _, sql)| conn.execute_batch(sql))
    };
    make("index")?;
    conn.execute_batch(BACKFILL)?;
    make("trigger")?;
    Ok(done)
}

/// Derives what triggers would have derived.
const BACKFILL: &str = include_str!("backfill.sql");

/// The tables of the index that triggers derive others from.
const INDEX_TABLES: [&str; 6] = [
    "accounts",
    "contacts",
    "projects",
    "signals",
    "project_accounts",
    "project_contacts",
];

/// Lets PostgreSQL derive nothing from the index until [`resume_triggers`].
pub fn pause_triggers(conn: &Conn) -> Result<()> {
    let pause = |table| conn.execute_batch(&format!("ALTER TABLE {table} DISABLE TRIGGER USER"));
    INDEX_TABLES.into_iter().try_for_each(pause)
}

/// Derives all at once what the triggers would have derived.
pub fn resume_triggers(conn: &Conn) -> Result<()> {
    conn.execute_batch(BACKFILL)?;
    let resume = |table| conn.execute_batch(&format!("ALTER TABLE {table} ENABLE TRIGGER USER"));
    INDEX_TABLES.into_iter().try_for_each(resume)
}

/// A project, as needed to generate its next signal.
pub struct OngoingProject {
    /// Where it is and how large.
    pub project: NewProject,
    pub last_signal_at: Option<DateTime<Utc>>,
    /// Oldest filing first.
    pub signals: Vec<OngoingSignal>,
    /// Its firms: role and name.
    pub firms: Vec<(String, String)>,
}

/// A signal of an ongoing project.
pub struct OngoingSignal {
    pub signal_type: SignalType,
    /// The number of its filing.
    pub number: Option<String>,
    pub payload: Value,
}

/// An ongoing project, chosen by a number from 0 up to 1; `None` if there is none from that point
/// on.
pub fn find_ongoing_project(conn: &Conn, at: f64) -> Result<Option<OngoingProject>> {
    let last: i64 = conn.query_row("SELECT ifnull(max(rowid), 0) FROM projects", [], |row| {
        row.get(0)
    })?;
    let sql = "SELECT id, name, primary_address, city, primary_use, cost_of_construction_usd, gross_floor_area_sf, stories,
               residential_units, hotel_rooms, parking_spaces, lat, lng, last_signal_at FROM projects
             WHERE rowid >= ?1 AND signals_count > 0 AND ifnull(disposition, 'active') = 'active' ORDER BY rowid LIMIT 1";
    let site = conn.find_row(sql, [(at * last as f64) as i64], |row| {
        Ok(OngoingProject {
            project: NewProject {
                id: ProjectId(row.get(0)?),
                name: row.get(1)?,
                primary_address: row.get(2)?,
                city: row.get(3)?,
                primary_use: row.get(4)?,
                cost_of_construction_usd: row.get(5)?,
                gross_floor_area_sf: row.get(6)?,
                stories: row.get(7)?,
                residential_units: row.get(8)?,
                hotel_rooms: row.get(9)?,
                parking_spaces: row.get(10)?,
                location: row.get::<_, Option<f64>>(11)?.zip(row.get(12)?),
                ..NewProject::default()
            },
            last_signal_at: row
                .get::<_, Option<i64>>(13)?
                .and_then(DateTime::from_timestamp_millis),
            signals: Vec::new(),
            firms: Vec::new(),
        })
    })?;
    let Some(mut site) = site else {
        return Ok(None);
    };
    let id = site.project.id.0;
    let sql = "SELECT signal_type, source_filing_id, raw_data FROM signals WHERE project_id = ?1 ORDER BY filed_at, rowid";
    site.signals = conn.query_rows(sql, [id], |row| {
        Ok(OngoingSignal {
            signal_type: row.get::<_, String>(0)?.as_str().into(),
            number: row.get(1)?,
            payload: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default(),
        })
    })?;
    let sql = "SELECT role, name FROM project_accounts JOIN accounts ON id = account_id WHERE project_id = ?1";
    site.firms = conn.query_rows(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Some(site))
}

/// The types of a project's signals, oldest filing first.
pub fn signal_types(conn: &Conn, project: ProjectId) -> Result<Vec<SignalType>> {
    let sql = "SELECT signal_type FROM signals WHERE project_id = ?1 ORDER BY filed_at, rowid";
    conn.query_rows(sql, [project.0], |row| {
        Ok(row.get::<_, String>(0)?.as_str().into())
    })
}

/// Whether the index knows a source.
pub fn has_source(conn: &Conn, id: Uuid) -> Result<bool> {
    conn.exists("SELECT 1 FROM sources WHERE id = ?1", [id])
}

/// Sets a project's stage, after a signal that changed it.
pub fn set_stage(conn: &Conn, project: ProjectId, stage: &str, disposition: &str) -> Result<()> {
    let sql = "UPDATE projects SET stage = ?2, disposition = ?3 WHERE id = ?1";
    conn.execute(sql, params![project.0, stage, disposition])
        .map(drop)
}

pub(super) fn words_to_json(words: &[String]) -> String {
    if words.is_empty() {
        "[]".to_owned()
    } else {
        Value::from(words.to_vec()).to_string()
    }
}

fn json_text(value: &Option<Value>) -> Option<String> {
    value.as_ref().map(Value::to_string)
}
