//! Projections: which fields each route returns for a record, and the SQL of each field. A record
//! in a search equals the record of the get because both use the same projection. Never here: which
//! records, or in what order.
//!
//! In the SQL, `r` is the record, `b` its row in the book (null if there is none), and `q` the
//! request's `now` and `workspace`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::Conn;
use super::record_json::{query_records, read_record, select_record};
use super::sql::{Result, ToSql, params};
use super::values::{RawJson, json_ids, to_millis};
use crate::domain::WorkspaceId;
use crate::service::dataset::Dataset;

/// The fields that a route returns for a record, in order: key and SQL.
#[derive(Debug)]
pub struct Projection {
    pub dataset: Dataset,
    columns: &'static [&'static [SelectColumn]],
}

type SelectColumn = (&'static str, &'static str);

/// `GET /data/accounts/{id}` and Data search.
pub static DATA_ACCOUNT: Projection = Projection {
    dataset: Dataset::Accounts,
    columns: &[ACCOUNT_COLUMNS],
};
/// An account embedded in project `?1`, with its roles in it.
pub static PROJECT_ACCOUNT: Projection = Projection {
    dataset: Dataset::Accounts,
    columns: &[
        ACCOUNT_COLUMNS,
        &[(
            "roles",
            "json((SELECT json_group_array(l.role) FROM project_accounts l WHERE l.project_id = ?1 AND l.account_id = r.id))",
        )],
    ],
};
/// `GET /data/contacts/{id}` and Data search.
pub static DATA_CONTACT: Projection = Projection {
    dataset: Dataset::Contacts,
    columns: &[
        CONTACT_COLUMNS,
        &[
            ("email", "r.email"),
            ("phone", "r.phone"),
            CREATED_AT,
            PROJECTS_COUNT,
        ],
    ],
};
/// `GET /data/projects/{id}` and Data search.
pub static DATA_PROJECT: Projection = Projection {
    dataset: Dataset::Projects,
    columns: &[
        PROJECT_COLUMNS,
        &[
            ("lat", "CAST(r.lat AS REAL)"),
            ("lng", "CAST(r.lng AS REAL)"),
            ("first_signal_at", "day(r.first_signal_at)"),
            ("last_signal_at", "day(r.last_signal_at)"),
            ("signals_count", "r.signals_count"),
        ],
    ],
};
/// `GET /signals`, embedded signals and Data search.
pub static SIGNAL: Projection = Projection {
    dataset: Dataset::Signals,
    columns: &[SIGNAL_COLUMNS],
};
/// `GET /signals/{id}`.
pub static SIGNAL_WITH_SOURCE: Projection = Projection {
    dataset: Dataset::Signals,
    columns: &[
        SIGNAL_COLUMNS,
        &[(
            "raw_data",
            "json(ifnull((SELECT payload FROM source_rows f WHERE f.rowid = r.source_row), r.raw_data))",
        )],
    ],
};

/// `GET /workspace/accounts/{id}` and the account upsert.
pub static BOOK_ACCOUNT: Projection = Projection {
    dataset: Dataset::Accounts,
    columns: &[ACCOUNT_COLUMNS, &[TIER], ANNOTATION_COLUMNS, ATLAS_COLUMNS],
};
/// `GET /workspace/contacts/{id}`.
pub static BOOK_CONTACT: Projection = Projection {
    dataset: Dataset::Contacts,
    columns: &[
        CONTACT_COLUMNS,
        &[CREATED_AT, PROJECTS_COUNT],
        ANNOTATION_COLUMNS,
    ],
};
/// The contact upsert and a row of the contacts' book search.
pub static BOOK_CONTACT_ROW: Projection = Projection {
    dataset: Dataset::Contacts,
    columns: &[CONTACT_COLUMNS, ANNOTATION_COLUMNS],
};
/// `GET /workspace/projects/{id}` and the project upsert.
pub static BOOK_PROJECT: Projection = Projection {
    dataset: Dataset::Projects,
    columns: &[PROJECT_COLUMNS, &[LAST_SIGNAL_AT], ANNOTATION_COLUMNS],
};

pub static BOOK_ACCOUNT_ROW: Projection = Projection {
    dataset: Dataset::Accounts,
    columns: &[
        &[
            ID,
            NAME,
            ACCOUNT_TYPES_COLUMN,
            DOMAINS,
            ("website", "r.website"),
            TIER,
        ],
        ANNOTATION_COLUMNS,
        ATLAS_COLUMNS,
    ],
};
pub static BOOK_PROJECT_ROW: Projection = Projection {
    dataset: Dataset::Projects,
    columns: &[
        PROJECT_SUMMARY_COLUMNS,
        &[("residential_units", "r.residential_units"), LAST_SIGNAL_AT],
        ANNOTATION_COLUMNS,
    ],
};
pub static VIEW_ACCOUNT_ROW: Projection = Projection {
    dataset: Dataset::Accounts,
    columns: &[&[
        ID,
        NAME,
        ACCOUNT_TYPES_COLUMN,
        TIER,
        ("atlas_score", "b.atlas_score"),
        STATUS,
        TAGS,
        UPDATED_AT,
    ]],
};
pub static VIEW_CONTACT_ROW: Projection = Projection {
    dataset: Dataset::Contacts,
    columns: &[CONTACT_COLUMNS, &[STATUS, TAGS, UPDATED_AT]],
};
pub static VIEW_PROJECT_ROW: Projection = Projection {
    dataset: Dataset::Projects,
    columns: &[
        PROJECT_SUMMARY_COLUMNS,
        &[LAST_SIGNAL_AT, STATUS, TAGS, UPDATED_AT],
    ],
};

const ID: SelectColumn = ("id", "uuid(r.id)");
const NAME: SelectColumn = ("name", "r.name");
const ACCOUNT_TYPES_COLUMN: SelectColumn = ("account_types", "json(r.account_types)");
const DOMAINS: SelectColumn = ("domains", "json(r.domains)");
const CREATED_AT: SelectColumn = ("created_at", "moment(r.created_at)");
const PROJECTS_COUNT: SelectColumn = ("projects_count", "r.projects_count");
const LAST_SIGNAL_AT: SelectColumn = ("last_signal_at", "moment(r.last_signal_at)");
const TIER: SelectColumn = ("icp_tier", "b.icp_tier");
const STATUS: SelectColumn = ("workspace_status", "b.workspace_status");
const TAGS: SelectColumn = ("tags", "json(b.tags)");
const UPDATED_AT: SelectColumn = ("updated_at", "moment(b.updated_at)");
const ANNOTATION_COLUMNS: &[SelectColumn] = &[STATUS, ("notes", "b.notes"), TAGS];
const ATLAS_COLUMNS: &[SelectColumn] = &[
    ("atlas_score", "b.atlas_score"),
    ("atlas_trend", "b.atlas_trend"),
];

const ACCOUNT_COLUMNS: &[SelectColumn] = &[
    ID,
    NAME,
    ACCOUNT_TYPES_COLUMN,
    ("aliases", "json(r.aliases)"),
    DOMAINS,
    ("website", "r.website"),
    ("linkedin_url", "r.linkedin_url"),
    ("city", "r.city"),
    ("state", "r.state"),
    CREATED_AT,
    PROJECTS_COUNT,
    (
        "contacts_count",
        "(SELECT count(*) FROM contacts c WHERE c.account_id = r.id)",
    ),
    ("hq_address", "r.hq_address"),
    (
        "hq_location",
        "json(CASE WHEN r.hq_lat IS NOT NULL THEN json_object('lat', CAST(r.hq_lat AS REAL), 'lng', CAST(r.hq_lng AS REAL)) END)",
    ),
    ("public_phone", "r.public_phone"),
    ("public_email", "r.public_email"),
    ("specialties", "json(r.specialties)"),
    ("description", "r.description"),
    ("founded_year", "r.founded_year"),
    ("account_types_source", "r.account_types_source"),
];

const CONTACT_COLUMNS: &[SelectColumn] = &[
    ID,
    NAME,
    ("title", "r.title"),
    ("account_id", "uuid(r.account_id)"),
];

const PROJECT_SUMMARY_COLUMNS: &[SelectColumn] = &[
    ID,
    NAME,
    ("city", "r.city"),
    ("state", "r.state"),
    ("stage", "r.stage"),
    ("primary_use", "r.primary_use"),
];

const PROJECT_COLUMNS: &[SelectColumn] = &[
    ID,
    NAME,
    ("primary_address", "r.primary_address"),
    ("city", "r.city"),
    ("state", "r.state"),
    ("neighborhood", "r.neighborhood"),
    ("primary_use", "r.primary_use"),
    ("uses", "json(r.uses)"),
    ("stage", "r.stage"),
    ("disposition", "r.disposition"),
    ("gross_floor_area_sf", "CAST(r.gross_floor_area_sf AS REAL)"),
    ("residential_units", "r.residential_units"),
    ("cost_of_construction_usd", "CAST(r.cost_of_construction_usd AS REAL)"),
    ("stories", "r.stories"),
    ("parking_spaces", "r.parking_spaces"),
    ("gc_status", "r.gc_status"),
    ("height_ft", "CAST(r.height_ft AS REAL)"),
    ("hotel_rooms", "r.hotel_rooms"),
    ("affordable_units", "r.affordable_units"),
    ("land_area_sf", "CAST(r.land_area_sf AS REAL)"),
    ("unit_mix", "json(r.unit_mix)"),
    ("use_areas", "json(r.use_areas)"),
    ("structure_types", "json(r.structure_types)"),
    ("regulatory_flags", "json(r.regulatory_flags)"),
    ("far", "json(r.far)"),
    (
        "updates_last_30_days",
        "(SELECT count(*) FROM signals s WHERE s.project_id = r.id AND s.filed_at > q.now - 2592000000 AND s.filed_at <= q.now
           AND s.discovered_at <= q.now)",
    ),
    CREATED_AT,
    ("accounts_count", "(SELECT count(DISTINCT l.account_id) FROM project_accounts l WHERE l.project_id = r.id)"),
    ("contacts_count", "(SELECT count(*) FROM project_contacts l WHERE l.project_id = r.id)"),
];

const SIGNAL_COLUMNS: &[SelectColumn] = &[
    ID,
    ("project_id", "uuid(r.project_id)"),
    ("project_name", "p.name"),
    ("project_primary_address", "p.primary_address"),
    ("signal_type", "r.signal_type"),
    ("filed_at", "moment(r.filed_at)"),
    ("discovered_at", "moment(r.discovered_at)"),
    ("source_id", "uuid(r.source_id)"),
    ("source_slug", "o.slug"),
    ("source_display_name", "o.display_name"),
    ("source_base_url", "o.base_url"),
    ("source_logo_domain", "o.logo_domain"),
    ("source_filing_id", "r.source_filing_id"),
    ("source_url", "r.source_url"),
    ("reported_cost_usd", "CAST(r.reported_cost_usd AS REAL)"),
    (
        "reported_gross_floor_area_sf",
        "CAST(r.reported_gross_floor_area_sf AS REAL)",
    ),
];

impl Projection {
    /// Reads records as JSON. `condition` is SQL on `r` with `?1` for `key`, and may end with an
    /// order.
    pub fn read_records(
        &self,
        conn: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
        condition: &str,
        key: impl ToSql,
    ) -> Result<Vec<RawJson>> {
        let record = select_record(conn, self.fields());
        query_records(
            conn,
            &self.select_sql(&record, condition),
            params![key, to_millis(now), workspace.0],
        )
    }

    /// The records with these ids, in any order.
    pub fn read_ids(
        &self,
        conn: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
        ids: impl IntoIterator<Item = Uuid>,
    ) -> Result<Vec<RawJson>> {
        self.read_records(
            conn,
            workspace,
            now,
            "r.id IN (SELECT unhex(value) FROM json_each(?1))",
            json_ids(ids),
        )
    }

    /// The record with this id as JSON; `None` if it is not in the index, or is a signal discovered
    /// later.
    pub fn read_record(
        &self,
        conn: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
        id: Uuid,
    ) -> Result<Option<RawJson>> {
        let condition = if self.dataset == Dataset::Signals {
            "r.id = ?1 AND r.discovered_at <= q.now"
        } else {
            "r.id = ?1"
        };
        Ok(self
            .read_records(conn, workspace, now, condition, id)?
            .pop())
    }

    /// The fields: key and SQL.
    pub fn fields<'f>(&self) -> impl Iterator<Item = (&'f str, &'f str)> {
        self.columns.iter().copied().flatten().copied()
    }

    /// The records with these row ids, in this order.
    pub fn read_rowids(
        &self,
        conn: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
        rowids: &[i64],
    ) -> Result<Vec<RawJson>> {
        let fields = format!("r.rowid, {}", select_record(conn, self.fields()));
        let mut sql = conn.prepare(
            &self.select_sql(&fields, "r.rowid IN (SELECT value FROM json_each(?1, '$'))"),
        )?;
        let params = params![json!(rowids).to_string(), to_millis(now), workspace.0];
        let found = sql.query_map(params, |row| {
            Ok((row.get::<_, i64>(0)?, read_record(row, 1)?))
        })?;
        let mut found = found.collect::<Result<BTreeMap<_, _>>>()?;
        Ok(rowids
            .iter()
            .filter_map(|rowid| found.remove(rowid))
            .collect())
    }

    fn select_sql(&self, columns: &str, condition: &str) -> String {
        let (table, word) = (self.dataset.plural(), self.dataset.singular());
        let more = match self.dataset {
            Dataset::Signals => {
                "JOIN projects p ON p.id = r.project_id JOIN sources o ON o.id = r.source_id"
                    .to_owned()
            }
            _ => format!(
                "LEFT JOIN book b ON b.workspace_id = q.workspace AND b.dataset = '{word}' AND b.record_id = r.id"
            ),
        };
        format!(
            "SELECT {columns} FROM (SELECT CAST(?2 AS BIGINT) AS now, CAST(?3 AS BLOB) AS workspace) q JOIN {table} r ON TRUE {more} WHERE {condition}"
        )
    }
}
