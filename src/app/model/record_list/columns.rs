//! The columns of each dataset: a column is one line here, plus its name in the list of each source
//! that sends it.

use serde_json::Value;

use crate::app::format;
use crate::app::model::list_field::{FieldKind, RowValues};
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::records::{Record, RecordFields};
use crate::domain::row_fields::RowValue;
use crate::domain::search::{RecordSource, Search};
use crate::export::table::plain_number;
use crate::ui::table::TableColumn;
use crate::ui::theme::Glyphs;
use crate::ui::{TextRole, TextSpan, text_span};

/// The column of a field, if a source has it.
pub fn find_column(source: &RecordSource, field: &str) -> Option<&'static ColumnSpec> {
    let mut all = available_columns(source).iter().chain(SORTED_FIELDS);
    all.find(|column| column.key == field)
}

/// Fields that every source can be sorted by, whether or not it has a column for them.
const SORTED_FIELDS: &[ColumnSpec] = &[
    NAME,
    UPDATED_AT,
    CREATED_AT,
    LAST_SIGNAL_AT,
    SCORE,
    PROJECTS,
    SIGNALS,
    FILED_AT,
];

const NAME: ColumnSpec = ColumnSpec::new(FieldKind::Name, ("name", "NAME"), (20, 0)).growing_to(44);
const TITLE: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("title", "TITLE"), (14, 3)).growing_to(26);
const ACCOUNT_TYPES: ColumnSpec =
    ColumnSpec::new(FieldKind::List, ("account_types", "TYPE"), (10, 4)).growing_to(18);
const TIER: ColumnSpec = ColumnSpec::new(FieldKind::Rank, ("icp_tier", "TIER"), (6, 1));
const SCORE: ColumnSpec = ColumnSpec::new(FieldKind::Number, ("atlas_score", "SCORE"), (5, 5));
const TREND: ColumnSpec = ColumnSpec::new(FieldKind::Word, ("atlas_trend", "TREND"), (7, 8));
const STATUS: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("workspace_status", "STATUS"), (11, 2)).growing_to(16);
const TAGS: ColumnSpec = ColumnSpec::new(FieldKind::List, ("tags", "TAGS"), (8, 6)).growing_to(24);
const NOTES: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("notes", "NOTES"), (16, 9)).growing_to(60);
const UPDATED_AT: ColumnSpec = ColumnSpec::new(FieldKind::Date, ("updated_at", "UPDATED"), (10, 9));
const DOMAINS: ColumnSpec =
    ColumnSpec::new(FieldKind::List, ("domains", "DOMAINS"), (16, 9)).growing_to(30);
const WEBSITE: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("website", "WEBSITE"), (18, 9)).growing_to(36);
const ALIASES: ColumnSpec =
    ColumnSpec::new(FieldKind::List, ("aliases", "ALIASES"), (12, 9)).growing_to(30);
const PUBLIC_PHONE: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("public_phone", "PHONE"), (14, 9));
const PUBLIC_EMAIL: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("public_email", "EMAIL"), (18, 9)).growing_to(30);
const SPECIALTIES: ColumnSpec =
    ColumnSpec::new(FieldKind::List, ("specialties", "SPECIALTIES"), (14, 9)).growing_to(40);
const FOUNDED_YEAR: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("founded_year", "SINCE"), (5, 9));
const HEADQUARTERS: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("hq_address", "HEADQUARTERS"), (20, 9)).growing_to(40);
const CONTACTS: ColumnSpec = ColumnSpec::new(FieldKind::Count, ("contacts_count", "CONT"), (5, 9));
const CITY: ColumnSpec = ColumnSpec::new(FieldKind::Text, ("city", "CITY"), (12, 5)).growing_to(18);
const STATE_CODE: ColumnSpec = ColumnSpec::new(FieldKind::Text, ("state", "ST"), (2, 6));
const ADDRESS: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("primary_address", "ADDRESS"), (18, 9)).growing_to(36);
const NEIGHBORHOOD: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("neighborhood", "NEIGHBORHOOD"), (14, 9)).growing_to(22);
const STAGE: ColumnSpec =
    ColumnSpec::new(FieldKind::Word, ("stage", "STAGE"), (12, 3)).growing_to(18);
const DISPOSITION: ColumnSpec =
    ColumnSpec::new(FieldKind::Word, ("disposition", "DISPOSITION"), (11, 9)).growing_to(16);
const PRIMARY_USE: ColumnSpec =
    ColumnSpec::new(FieldKind::Word, ("primary_use", "USE"), (11, 7)).growing_to(16);
const RESIDENTIAL_UNITS: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("residential_units", "UNITS"), (5, 8));
const AFFORDABLE_UNITS: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("affordable_units", "AFFORD"), (6, 9));
const HOTEL_ROOMS: ColumnSpec = ColumnSpec::new(FieldKind::Count, ("hotel_rooms", "ROOMS"), (5, 9));
const STORIES: ColumnSpec = ColumnSpec::new(FieldKind::Number, ("stories", "STORIES"), (7, 9));
const HEIGHT: ColumnSpec = ColumnSpec::new(FieldKind::Number, ("height_ft", "HEIGHT FT"), (9, 9));
const FLOOR_AREA: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("gross_floor_area_sf", "AREA SF"), (9, 9));
const LAND_AREA: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("land_area_sf", "LAND SF"), (9, 9));
const PARKING: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("parking_spaces", "PARKING"), (7, 9));
const GC_STATUS: ColumnSpec =
    ColumnSpec::new(FieldKind::Word, ("gc_status", "GC"), (10, 9)).growing_to(16);
const FIRST_SIGNAL_AT: ColumnSpec =
    ColumnSpec::new(FieldKind::Date, ("first_signal_at", "FIRST"), (10, 9));
const LAST_SIGNAL_AT: ColumnSpec =
    ColumnSpec::new(FieldKind::Date, ("last_signal_at", "LAST"), (10, 4));
const RECENT_UPDATES: ColumnSpec =
    ColumnSpec::new(FieldKind::Count, ("updates_last_30_days", "30 D"), (4, 9));
const COST: ColumnSpec = ColumnSpec::new(
    FieldKind::Money,
    ("cost_of_construction_usd", "COST"),
    (7, 5),
);
const ACCOUNTS: ColumnSpec = ColumnSpec::new(FieldKind::Count, ("accounts_count", "FIRMS"), (5, 9));
const PROJECTS: ColumnSpec = ColumnSpec::new(FieldKind::Count, ("projects_count", "PROJ"), (5, 4));
const CREATED_AT: ColumnSpec = ColumnSpec::new(FieldKind::Date, ("created_at", "CREATED"), (10, 9));
const EMAIL: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("email", "EMAIL"), (18, 5)).growing_to(30);
const PHONE_NUMBER: ColumnSpec = ColumnSpec::new(FieldKind::Text, ("phone", "PHONE"), (14, 9));
const SIGNALS: ColumnSpec = ColumnSpec::new(FieldKind::Count, ("signals_count", "SIG"), (4, 7));
const PROJECT: ColumnSpec =
    ColumnSpec::new(FieldKind::Name, ("project_name", "PROJECT"), (20, 0)).growing_to(44);
const PROJECT_ADDRESS: ColumnSpec = ColumnSpec::new(
    FieldKind::Text,
    ("project_primary_address", "ADDRESS"),
    (18, 9),
)
.growing_to(36);
const SIGNAL_TYPE: ColumnSpec =
    ColumnSpec::new(FieldKind::Word, ("signal_type", "TYPE"), (16, 0)).growing_to(24);
const FILED_AT: ColumnSpec = ColumnSpec::new(FieldKind::Date, ("filed_at", "FILED"), (10, 3));
const DISCOVERED_AT: ColumnSpec =
    ColumnSpec::new(FieldKind::Date, ("discovered_at", "DISCOVERED"), (10, 9));
const REPORTED_COST: ColumnSpec =
    ColumnSpec::new(FieldKind::Money, ("reported_cost_usd", "COST"), (7, 4));
const REPORTED_AREA: ColumnSpec = ColumnSpec::new(
    FieldKind::Count,
    ("reported_gross_floor_area_sf", "AREA SF"),
    (9, 9),
);
const FILING_ID: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("source_filing_id", "FILING"), (14, 9)).growing_to(20);
const SOURCE_NAME: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("source_display_name", "SOURCE"), (14, 9)).growing_to(24);

/// What the team wrote about a record of the index, as far as it was read.
pub const TEAM: ColumnSpec =
    ColumnSpec::new(FieldKind::Text, ("team", "TEAM"), (12, 2)).growing_to(40);

/// The columns of a source, those that are shown by default first.
pub fn available_columns(source: &RecordSource) -> &'static [ColumnSpec] {
    match source {
        RecordSource::Book(RecordKind::Accounts) => {
            const {
                &[
                    NAME,
                    ACCOUNT_TYPES,
                    TIER,
                    SCORE,
                    TREND,
                    STATUS,
                    TAGS,
                    NOTES.hidden(),
                    DOMAINS.hidden(),
                    WEBSITE.hidden(),
                ]
            }
        }
        RecordSource::View(_, RecordKind::Accounts) => {
            const {
                &[
                    NAME,
                    ACCOUNT_TYPES,
                    TIER,
                    SCORE,
                    STATUS,
                    TAGS,
                    UPDATED_AT.hidden(),
                ]
            }
        }
        RecordSource::Index(Dataset::Accounts) => {
            const {
                &[
                    NAME,
                    ACCOUNT_TYPES,
                    CITY,
                    STATE_CODE,
                    PROJECTS,
                    CONTACTS.hidden(),
                    DOMAINS.hidden(),
                    WEBSITE.hidden(),
                    PUBLIC_PHONE.hidden(),
                    PUBLIC_EMAIL.hidden(),
                    HEADQUARTERS.hidden(),
                    SPECIALTIES.hidden(),
                    ALIASES.hidden(),
                    FOUNDED_YEAR.hidden(),
                    CREATED_AT.hidden(),
                ]
            }
        }
        RecordSource::Book(RecordKind::Contacts) => {
            const { &[NAME, TITLE, STATUS, TAGS, NOTES.hidden()] }
        }
        RecordSource::View(_, RecordKind::Contacts) => {
            const { &[NAME, TITLE, STATUS, TAGS, UPDATED_AT.hidden()] }
        }
        RecordSource::Index(Dataset::Contacts) => {
            const {
                &[
                    NAME,
                    TITLE,
                    EMAIL,
                    PROJECTS,
                    PHONE_NUMBER.hidden(),
                    CREATED_AT.hidden(),
                ]
            }
        }
        RecordSource::Book(RecordKind::Projects) => {
            const {
                &[
                    NAME,
                    STAGE,
                    PRIMARY_USE,
                    CITY,
                    STATE_CODE,
                    RESIDENTIAL_UNITS,
                    LAST_SIGNAL_AT,
                    STATUS,
                    TAGS,
                    NOTES.hidden(),
                ]
            }
        }
        RecordSource::View(_, RecordKind::Projects) => {
            const {
                &[
                    NAME,
                    STAGE,
                    PRIMARY_USE,
                    CITY,
                    STATE_CODE,
                    LAST_SIGNAL_AT,
                    STATUS,
                    TAGS,
                    UPDATED_AT.hidden(),
                ]
            }
        }
        RecordSource::Index(Dataset::Projects) => {
            const {
                &[
                    NAME,
                    STAGE,
                    PRIMARY_USE,
                    CITY,
                    STATE_CODE,
                    RESIDENTIAL_UNITS,
                    COST,
                    SIGNALS,
                    LAST_SIGNAL_AT,
                    FIRST_SIGNAL_AT.hidden(),
                    RECENT_UPDATES.hidden(),
                    ADDRESS.hidden(),
                    NEIGHBORHOOD.hidden(),
                    DISPOSITION.hidden(),
                    FLOOR_AREA.hidden(),
                    LAND_AREA.hidden(),
                    STORIES.hidden(),
                    HEIGHT.hidden(),
                    AFFORDABLE_UNITS.hidden(),
                    HOTEL_ROOMS.hidden(),
                    PARKING.hidden(),
                    GC_STATUS.hidden(),
                    ACCOUNTS.hidden(),
                    CONTACTS.hidden(),
                    CREATED_AT.hidden(),
                ]
            }
        }
        RecordSource::Index(Dataset::Signals) => {
            const {
                &[
                    PROJECT,
                    SIGNAL_TYPE,
                    FILED_AT,
                    REPORTED_COST,
                    DISCOVERED_AT.hidden(),
                    PROJECT_ADDRESS.hidden(),
                    REPORTED_AREA.hidden(),
                    FILING_ID.hidden(),
                    SOURCE_NAME.hidden(),
                ]
            }
        }
        _ => const { &[NAME] },
    }
}

/// The columns of a source as a table; all Views of a dataset share one.
pub fn table_of(source: &RecordSource) -> ListTable {
    let route = match source {
        RecordSource::Book(_) => "book",
        RecordSource::View(..) => "view",
        RecordSource::Index(_) => "index",
    };
    ListTable {
        name: format!("{route}.{}", source.dataset()).into(),
        state_width: 2,
        columns: available_columns(source).to_vec(),
    }
}

/// The columns with those that a search names right after the name: the fields of its conditions,
/// and the one it sorts by.
pub fn columns_of_search(
    source: &RecordSource,
    search: &Search,
    columns: Vec<ColumnSpec>,
) -> Vec<ColumnSpec> {
    let named = search
        .filters
        .criteria()
        .iter()
        .map(|(key, _)| key.as_str());
    let sorted = search.sort.iter().map(|sort| sort.field.as_str());
    let mut searched: Vec<ColumnSpec> = Vec::new();
    for key in named.chain(sorted) {
        let is_of_key = |column: &&ColumnSpec| {
            column.key.trim_end_matches('s') == key.trim_end_matches("_known").trim_end_matches('s')
        };
        let known = columns
            .iter()
            .chain(available_columns(source))
            .find(is_of_key);
        if let Some(column) =
            known.filter(|known| columns.first().is_none_or(|name| name.key != known.key))
            && !searched.iter().any(|other| other.key == column.key)
        {
            searched.push(ColumnSpec {
                layout: TableColumn {
                    drop_order: 1,
                    ..column.layout
                },
                ..*column
            });
        }
    }
    let is_searched = |column: &ColumnSpec| searched.iter().any(|other| other.key == column.key);
    let (name, others) = columns.split_at(columns.len().min(1));
    let others: Vec<ColumnSpec> = others
        .iter()
        .filter(|column| !is_searched(column))
        .copied()
        .collect();
    name.iter().copied().chain(searched).chain(others).collect()
}

/// The place of the name among the layouts, or of the first column without it.
pub fn frozen_column(columns: &[ColumnSpec]) -> usize {
    columns
        .iter()
        .position(|column| column.kind == FieldKind::Name)
        .unwrap_or(0)
        + 1
}

/// The value of a record in a column for other programs: numbers and days in full, words as the
/// cell shows them.
pub fn export_value(column: &ColumnSpec, fields: &RecordFields) -> Value {
    let text = |text: Option<String>| {
        text.filter(|text| !text.trim().is_empty())
            .map_or(Value::Null, Value::from)
    };
    match column.kind {
        FieldKind::Name | FieldKind::Text => text(fields.text(column.key).map(str::to_owned)),
        FieldKind::Word | FieldKind::Rank => text(fields.text(column.key).map(format::humanize)),
        FieldKind::List => text(Some(
            fields
                .list(column.key)
                .into_iter()
                .map(format::humanize)
                .collect::<Vec<_>>()
                .join(", "),
        )),
        FieldKind::Date => text(
            fields
                .date_time(column.key)
                .map(|when| format::format_full_day(&when)),
        ),
        FieldKind::Count | FieldKind::Number | FieldKind::Money | FieldKind::Days => {
            fields.get(column.key).map_or(Value::Null, plain_number)
        }
    }
}

/// What a record has in a column.
pub fn record_values(column: &ColumnSpec, record: &Record) -> RowValues<'static> {
    let text = |value: Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(RowValue::Text(text.into())),
        Value::Number(number) => Some(RowValue::Text(number.to_string().into())),
        _ => None,
    };
    let Some(value) = record.field(column.key) else {
        return Vec::new();
    };
    match (column.kind, value) {
        (kind, value) if kind.is_numeric() => {
            let number = value
                .as_f64()
                .or_else(|| serde_json::from_value::<Number>(value).ok()?.as_f64());
            number.map(RowValue::Number).into_iter().collect()
        }
        (FieldKind::Date, Value::String(date)) => DateOrDateTime::from(date.as_str())
            .date_time()
            .map(RowValue::Date)
            .into_iter()
            .collect(),
        (_, Value::Array(items)) => items.into_iter().filter_map(text).collect(),
        (_, value) => text(value).into_iter().collect(),
    }
}

/// A record's cell of a column.
pub fn record_cell(
    column: &ColumnSpec,
    fields: &RecordFields,
    glyphs: &Glyphs,
) -> TextSpan<'static> {
    let none = || text_span(TextRole::Faint, glyphs.missing);
    let text =
        |role: TextRole, text: Option<String>| match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => text_span(role, text),
            None => none(),
        };
    match column.kind {
        FieldKind::Name => match fields.text(column.key) {
            Some(name) if !name.trim().is_empty() => text_span(TextRole::Text, name.to_owned()),
            _ => text_span(TextRole::Muted, "unnamed"),
        },
        FieldKind::Text if column.key == STATUS.key && fields.is_outside_book() => {
            text_span(TextRole::Muted, "not in book")
        }
        FieldKind::Text if column.key == STATUS.key => {
            text(TextRole::Text, fields.text(column.key).map(str::to_owned))
        }
        FieldKind::Text => text(TextRole::Muted, fields.text(column.key).map(str::to_owned)),
        FieldKind::Word => text(
            TextRole::Muted,
            fields.text(column.key).map(format::humanize),
        ),
        FieldKind::List => {
            let words: Vec<String> = fields
                .list(column.key)
                .into_iter()
                .map(format::humanize)
                .collect();
            text(TextRole::Muted, Some(words.join(", ")))
        }
        FieldKind::Date => text(
            TextRole::Muted,
            fields
                .date_time(column.key)
                .map(|when| format::format_full_day(&when)),
        ),
        FieldKind::Count | FieldKind::Number | FieldKind::Days => text(
            TextRole::Text,
            fields
                .number(column.key)
                .map(|num| format::format_number(&num)),
        ),
        FieldKind::Money => text(
            TextRole::Text,
            fields
                .number(column.key)
                .map(|num| format::format_dollars(&num)),
        ),
        FieldKind::Rank => match fields.text(column.key) {
            Some("tier_1") => text_span(TextRole::Success, "tier 1"),
            Some("disqualified") => text_span(TextRole::Muted, "disq"),
            tier => text(TextRole::Text, tier.map(format::humanize)),
        },
    }
}
