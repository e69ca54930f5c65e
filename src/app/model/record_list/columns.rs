//! The columns of each dataset: a column is one line here, plus its name in the list of each source
//! that sends it.

use serde_json::Value;

use crate::app::format;
use crate::app::model::list_field::{FieldKind, RowValues};
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::column::{column, text_column};
use crate::domain::conditions::Test;
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::records::{Record, RecordFields};
use crate::domain::row_columns::RowValue;
use crate::domain::search::{RecordSource, Search};
use crate::domain::shared_columns;
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

const NAME: ColumnSpec = shared_columns::NAME.laid_out(20..=44, 0);
const TITLE: ColumnSpec = shared_columns::TITLE.laid_out(14..=26, 3);
const ACCOUNT_TYPES: ColumnSpec = shared_columns::ACCOUNT_TYPES
    .laid_out(10..=18, 4)
    .with_short_heading("TYPE");
const TIER: ColumnSpec = shared_columns::TIER.laid_out(6..=6, 1);
const SCORE: ColumnSpec = shared_columns::SCORE.laid_out(5..=5, 5);
const TREND: ColumnSpec = column("atlas_trend", "TREND", FieldKind::Word).laid_out(7..=7, 8);
const STATUS: ColumnSpec = shared_columns::STATUS.laid_out(11..=16, 2);
const TAGS: ColumnSpec = shared_columns::TAGS.laid_out(14..=48, 5);
const NOTES: ColumnSpec = text_column("notes", "NOTES").laid_out(40..=60, 9);
const UPDATED_AT: ColumnSpec = shared_columns::UPDATED_AT.laid_out(10..=10, 9);
const DOMAINS: ColumnSpec = column("domains", "DOMAINS", FieldKind::List).laid_out(16..=30, 9);
const WEBSITE: ColumnSpec = text_column("website", "WEBSITE").laid_out(18..=36, 9);
const ALIASES: ColumnSpec = column("aliases", "ALIASES", FieldKind::List).laid_out(12..=30, 9);
const PUBLIC_PHONE: ColumnSpec = text_column("public_phone", "PHONE").laid_out(14..=14, 9);
const PUBLIC_EMAIL: ColumnSpec = text_column("public_email", "EMAIL").laid_out(18..=30, 9);
const SPECIALTIES: ColumnSpec =
    column("specialties", "SPECIALTIES", FieldKind::List).laid_out(14..=40, 9);
const FOUNDED_YEAR: ColumnSpec = text_column("founded_year", "SINCE").laid_out(5..=5, 9);
const HEADQUARTERS: ColumnSpec = text_column("hq_address", "HEADQUARTERS").laid_out(20..=40, 9);
const CONTACTS: ColumnSpec = column("contacts_count", "CONT", FieldKind::Count).laid_out(5..=5, 9);
const CITY: ColumnSpec = shared_columns::CITY.laid_out(12..=18, 3);
const STATE_CODE: ColumnSpec = shared_columns::STATE
    .laid_out(2..=2, 6)
    .with_short_heading("ST");
const ADDRESS: ColumnSpec = text_column("primary_address", "ADDRESS").laid_out(18..=36, 9);
const NEIGHBORHOOD: ColumnSpec = text_column("neighborhood", "NEIGHBORHOOD").laid_out(14..=22, 9);
const STAGE: ColumnSpec = shared_columns::STAGE.laid_out(12..=18, 3);
const DISPOSITION: ColumnSpec =
    column("disposition", "DISPOSITION", FieldKind::Word).laid_out(11..=16, 9);
const PRIMARY_USE: ColumnSpec = shared_columns::PRIMARY_USE.laid_out(11..=16, 7);
const RESIDENTIAL_UNITS: ColumnSpec =
    column("residential_units", "UNITS", FieldKind::Count).laid_out(5..=5, 8);
const AFFORDABLE_UNITS: ColumnSpec =
    column("affordable_units", "AFFORD", FieldKind::Count).laid_out(6..=6, 9);
const HOTEL_ROOMS: ColumnSpec = column("hotel_rooms", "ROOMS", FieldKind::Count).laid_out(5..=5, 9);
const STORIES: ColumnSpec = shared_columns::STORIES.laid_out(7..=7, 9);
const HEIGHT: ColumnSpec = column("height_ft", "HEIGHT FT", FieldKind::Number).laid_out(9..=9, 9);
const FLOOR_AREA: ColumnSpec =
    column("gross_floor_area_sf", "AREA SF", FieldKind::Count).laid_out(9..=9, 9);
const LAND_AREA: ColumnSpec =
    column("land_area_sf", "LAND SF", FieldKind::Count).laid_out(9..=9, 9);
const PARKING: ColumnSpec =
    column("parking_spaces", "PARKING", FieldKind::Count).laid_out(7..=7, 9);
const GC_STATUS: ColumnSpec = column("gc_status", "GC", FieldKind::Word).laid_out(10..=16, 9);
const FIRST_SIGNAL_AT: ColumnSpec =
    column("first_signal_at", "FIRST", FieldKind::Date).laid_out(10..=10, 9);
const LAST_SIGNAL_AT: ColumnSpec = shared_columns::LAST_SIGNAL_AT
    .laid_out(10..=10, 4)
    .with_short_heading("LAST");
const RECENT_UPDATES: ColumnSpec =
    column("updates_last_30_days", "30 D", FieldKind::Count).laid_out(4..=4, 9);
const COST: ColumnSpec = shared_columns::COST.laid_out(7..=7, 5);
const ACCOUNTS: ColumnSpec = column("accounts_count", "FIRMS", FieldKind::Count).laid_out(5..=5, 9);
const PROJECTS: ColumnSpec = shared_columns::PROJECTS
    .laid_out(5..=5, 4)
    .with_short_heading("PROJ");
const CREATED_AT: ColumnSpec =
    column("created_at", "CREATED", FieldKind::Date).laid_out(10..=10, 9);
const EMAIL: ColumnSpec = shared_columns::EMAIL.laid_out(18..=30, 5);
pub const PHONE_NUMBER: ColumnSpec = shared_columns::PHONE.laid_out(14..=14, 2);
const SIGNALS: ColumnSpec = column("signals_count", "SIG", FieldKind::Count).laid_out(4..=4, 7);
const PROJECT: ColumnSpec = shared_columns::PROJECT.laid_out(20..=44, 0);
const PROJECT_ADDRESS: ColumnSpec = shared_columns::PROJECT_ADDRESS.laid_out(18..=36, 9);
const SIGNAL_TYPE: ColumnSpec = shared_columns::SIGNAL_TYPE.laid_out(16..=24, 0);
const FILED_AT: ColumnSpec = shared_columns::FILED_AT.laid_out(10..=10, 3);
const DISCOVERED_AT: ColumnSpec =
    column("discovered_at", "DISCOVERED", FieldKind::Date).laid_out(10..=10, 9);
const REPORTED_COST: ColumnSpec = shared_columns::REPORTED_COST.laid_out(7..=7, 4);
const REPORTED_AREA: ColumnSpec =
    column("reported_gross_floor_area_sf", "AREA SF", FieldKind::Count).laid_out(9..=9, 9);
const FILING_ID: ColumnSpec = text_column("source_filing_id", "FILING").laid_out(14..=20, 9);
const SOURCE_NAME: ColumnSpec = text_column("source_display_name", "SOURCE").laid_out(14..=24, 9);

/// What the team wrote about a record of the index, as far as it was read.
pub const TEAM: ColumnSpec = text_column("team", "TEAM").laid_out(12..=40, 2);
/// The firm of a contact, as far as its account was read.
pub const FIRM: ColumnSpec = text_column("account_id", "FIRM").laid_out(16..=30, 3);

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
                    NOTES,
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
        RecordSource::Book(RecordKind::Contacts) => const { &[NAME, TITLE, STATUS, TAGS, NOTES] },
        RecordSource::View(_, RecordKind::Contacts) => {
            const { &[NAME, TITLE, STATUS, TAGS, UPDATED_AT.hidden()] }
        }
        RecordSource::Index(Dataset::Contacts) => {
            const {
                &[
                    NAME,
                    TITLE,
                    PHONE_NUMBER,
                    EMAIL,
                    PROJECTS,
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
                    NOTES,
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
    // A word that is the same in all rows says nothing about one.
    let is_word = |key: &str| {
        let column = find_column(source, key);
        key == STATE_CODE.key || column.is_some_and(|column| column.kind == FieldKind::Word)
    };
    let varies = |key: &str, filter: &Test| match filter {
        Test::Values {
            values,
            exclude,
            exact,
        } => values.len() > 1 || *exclude || !(*exact || is_word(key)),
        _ => true,
    };
    let named = search
        .filters
        .criteria()
        .iter()
        .filter(|(key, filter)| varies(key, filter))
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
        FieldKind::Name | FieldKind::Text | FieldKind::Id => {
            text(fields.text(column.key).map(str::to_owned))
        }
        FieldKind::Word | FieldKind::Rank => text(fields.text(column.key).map(format::humanize)),
        FieldKind::List => text(Some(
            fields
                .list(column.key)
                .into_iter()
                .map(format::humanize)
                .collect::<Vec<_>>()
                .join(", "),
        )),
        FieldKind::Date | FieldKind::Time => text(
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
        (kind, Value::String(date)) if kind.is_date() => DateOrDateTime::from(date.as_str())
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
        FieldKind::Text | FieldKind::Id => {
            text(TextRole::Muted, fields.text(column.key).map(str::to_owned))
        }
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
        FieldKind::Date | FieldKind::Time => text(
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
