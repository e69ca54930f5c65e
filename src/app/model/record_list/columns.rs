//! The columns of each dataset: a column is one line here, plus its name in the list of each source
//! that sends it.

use serde_json::Value;

use crate::app::format;
use crate::app::model::column_choice::{chosen_layout, parse_columns};
use crate::app::model::list_field::{FieldKind, ListField, RowValues};
use crate::app::model::list_table::ListSort;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::records::{Record, RecordFields};
use crate::domain::row_fields::RowValue;
use crate::domain::search::{RecordSource, Search};
use crate::export::table::plain_number;
use crate::ui::table::TableColumn;
use crate::ui::theme::Glyphs;
use crate::ui::{TextRole, TextSpan, text_span};

/// A column: the field, its heading and width, and the format of its value.
#[derive(Clone, Copy, Debug)]
pub struct RecordColumn {
    /// The field's name in the interface.
    pub field: &'static str,
    /// Heading and width.
    pub layout: TableColumn,
    kind: CellFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellFormat {
    /// The name, in bold.
    Name,
    Text,
    /// An enum value, humanized.
    Word,
    List,
    Day,
    Number,
    Money,
    /// `tier_1`.
    Tier,
    /// Written by the workspace; "not in book" for records outside the book.
    Overlay,
}

const fn new_column(
    field: &'static str,
    title: &'static str,
    width: u16,
    leaves: u8,
    kind: CellFormat,
) -> RecordColumn {
    let right = matches!(kind, CellFormat::Number | CellFormat::Money);
    RecordColumn {
        field,
        layout: TableColumn {
            title,
            width,
            max_width: 0,
            drop_order: leaves,
            align_right: right,
        },
        kind,
    }
}

/// The column of a field, if a source has it.
pub fn find_column(source: &RecordSource, field: &str) -> Option<RecordColumn> {
    let (usual, more) = available_columns(source);
    let all = usual.iter().chain(more).chain(SORTED_FIELDS);
    all.filter(|column| column.field == field).copied().next()
}

/// Fields that every source can be sorted by, whether or not it has a column for them.
const SORTED_FIELDS: &[RecordColumn] = &[
    NAME,
    UPDATED_AT,
    CREATED_AT,
    LAST_SIGNAL_AT,
    SCORE,
    PROJECTS,
    SIGNALS,
    FILED_AT,
];

impl RecordColumn {
    /// Sorted by it, in the usual direction first.
    pub fn usual_sort(&self) -> ListSort {
        let kind = self.field_kind();
        ListSort {
            key: self.field,
            kind,
            is_descending: kind.is_numeric() || kind == FieldKind::Date,
        }
    }

    fn field_kind(&self) -> FieldKind {
        match self.kind {
            CellFormat::Name => FieldKind::Name,
            CellFormat::Text | CellFormat::Overlay => FieldKind::Text,
            CellFormat::Word | CellFormat::List => FieldKind::Word,
            CellFormat::Tier => FieldKind::Rank,
            CellFormat::Day => FieldKind::Date,
            CellFormat::Number if ADDITIVE.contains(&self.field) => FieldKind::Count,
            CellFormat::Number => FieldKind::Number,
            CellFormat::Money => FieldKind::Money,
        }
    }

    /// The same column, growing with the remaining width.
    const fn with_growth(self, to: u16) -> RecordColumn {
        RecordColumn {
            layout: TableColumn {
                max_width: to,
                ..self.layout
            },
            ..self
        }
    }
}

const NAME: RecordColumn = new_column("name", "NAME", 20, 0, CellFormat::Name).with_growth(44);
const TITLE: RecordColumn = new_column("title", "TITLE", 14, 3, CellFormat::Text).with_growth(26);
const ACCOUNT_TYPES: RecordColumn =
    new_column("account_types", "TYPE", 10, 4, CellFormat::List).with_growth(18);
const TIER: RecordColumn = new_column("icp_tier", "TIER", 6, 1, CellFormat::Tier);
const SCORE: RecordColumn = new_column("atlas_score", "SCORE", 5, 5, CellFormat::Number);
const TREND: RecordColumn = new_column("atlas_trend", "TREND", 7, 8, CellFormat::Word);
const STATUS: RecordColumn =
    new_column("workspace_status", "STATUS", 11, 2, CellFormat::Overlay).with_growth(16);
const TAGS: RecordColumn = new_column("tags", "TAGS", 8, 6, CellFormat::List).with_growth(24);
const NOTES: RecordColumn = new_column("notes", "NOTES", 16, 9, CellFormat::Text).with_growth(60);
const UPDATED_AT: RecordColumn = new_column("updated_at", "UPDATED", 10, 9, CellFormat::Day);
const DOMAINS: RecordColumn =
    new_column("domains", "DOMAINS", 16, 9, CellFormat::List).with_growth(30);
const WEBSITE: RecordColumn =
    new_column("website", "WEBSITE", 18, 9, CellFormat::Text).with_growth(36);
const ALIASES: RecordColumn =
    new_column("aliases", "ALIASES", 12, 9, CellFormat::List).with_growth(30);
const PUBLIC_PHONE: RecordColumn = new_column("public_phone", "PHONE", 14, 9, CellFormat::Text);
const PUBLIC_EMAIL: RecordColumn =
    new_column("public_email", "EMAIL", 18, 9, CellFormat::Text).with_growth(30);
const SPECIALTIES: RecordColumn =
    new_column("specialties", "SPECIALTIES", 14, 9, CellFormat::List).with_growth(40);
const FOUNDED_YEAR: RecordColumn = new_column("founded_year", "SINCE", 5, 9, CellFormat::Text);
const HEADQUARTERS: RecordColumn =
    new_column("hq_address", "HEADQUARTERS", 20, 9, CellFormat::Text).with_growth(40);
const CONTACTS: RecordColumn = new_column("contacts_count", "CONT", 5, 9, CellFormat::Number);
const CITY: RecordColumn = new_column("city", "CITY", 12, 5, CellFormat::Text).with_growth(18);
const STATE_CODE: RecordColumn = new_column("state", "ST", 2, 6, CellFormat::Text);
const ADDRESS: RecordColumn =
    new_column("primary_address", "ADDRESS", 18, 9, CellFormat::Text).with_growth(36);
const NEIGHBORHOOD: RecordColumn =
    new_column("neighborhood", "NEIGHBORHOOD", 14, 9, CellFormat::Text).with_growth(22);
const STAGE: RecordColumn = new_column("stage", "STAGE", 12, 3, CellFormat::Word).with_growth(18);
const DISPOSITION: RecordColumn =
    new_column("disposition", "DISPOSITION", 11, 9, CellFormat::Word).with_growth(16);
const PRIMARY_USE: RecordColumn =
    new_column("primary_use", "USE", 11, 7, CellFormat::Word).with_growth(16);
const RESIDENTIAL_UNITS: RecordColumn =
    new_column("residential_units", "UNITS", 5, 8, CellFormat::Number);
const AFFORDABLE_UNITS: RecordColumn =
    new_column("affordable_units", "AFFORD", 6, 9, CellFormat::Number);
const HOTEL_ROOMS: RecordColumn = new_column("hotel_rooms", "ROOMS", 5, 9, CellFormat::Number);
const STORIES: RecordColumn = new_column("stories", "STORIES", 7, 9, CellFormat::Number);
const HEIGHT: RecordColumn = new_column("height_ft", "HEIGHT FT", 9, 9, CellFormat::Number);
const FLOOR_AREA: RecordColumn =
    new_column("gross_floor_area_sf", "AREA SF", 9, 9, CellFormat::Number);
const LAND_AREA: RecordColumn = new_column("land_area_sf", "LAND SF", 9, 9, CellFormat::Number);
const PARKING: RecordColumn = new_column("parking_spaces", "PARKING", 7, 9, CellFormat::Number);
const GC_STATUS: RecordColumn =
    new_column("gc_status", "GC", 10, 9, CellFormat::Word).with_growth(16);
const FIRST_SIGNAL_AT: RecordColumn =
    new_column("first_signal_at", "FIRST", 10, 9, CellFormat::Day);
const LAST_SIGNAL_AT: RecordColumn = new_column("last_signal_at", "LAST", 10, 4, CellFormat::Day);
const RECENT_UPDATES: RecordColumn =
    new_column("updates_last_30_days", "30 D", 4, 9, CellFormat::Number);
const COST: RecordColumn = new_column("cost_of_construction_usd", "COST", 7, 5, CellFormat::Money);
const ACCOUNTS: RecordColumn = new_column("accounts_count", "FIRMS", 5, 9, CellFormat::Number);
const PROJECTS: RecordColumn = new_column("projects_count", "PROJ", 5, 4, CellFormat::Number);
const CREATED_AT: RecordColumn = new_column("created_at", "CREATED", 10, 9, CellFormat::Day);
const EMAIL: RecordColumn = new_column("email", "EMAIL", 18, 5, CellFormat::Text).with_growth(30);
const PHONE_NUMBER: RecordColumn = new_column("phone", "PHONE", 14, 9, CellFormat::Text);
const SIGNALS: RecordColumn = new_column("signals_count", "SIG", 4, 7, CellFormat::Number);
const PROJECT: RecordColumn =
    new_column("project_name", "PROJECT", 20, 0, CellFormat::Name).with_growth(44);
const PROJECT_ADDRESS: RecordColumn = new_column(
    "project_primary_address",
    "ADDRESS",
    18,
    9,
    CellFormat::Text,
)
.with_growth(36);
const SIGNAL_TYPE: RecordColumn =
    new_column("signal_type", "TYPE", 16, 0, CellFormat::Word).with_growth(24);
const FILED_AT: RecordColumn = new_column("filed_at", "FILED", 10, 3, CellFormat::Day);
const DISCOVERED_AT: RecordColumn =
    new_column("discovered_at", "DISCOVERED", 10, 9, CellFormat::Day);
const REPORTED_COST: RecordColumn =
    new_column("reported_cost_usd", "COST", 7, 4, CellFormat::Money);
const REPORTED_AREA: RecordColumn = new_column(
    "reported_gross_floor_area_sf",
    "AREA SF",
    9,
    9,
    CellFormat::Number,
);
const FILING_ID: RecordColumn =
    new_column("source_filing_id", "FILING", 14, 9, CellFormat::Text).with_growth(20);
const SOURCE_NAME: RecordColumn =
    new_column("source_display_name", "SOURCE", 14, 9, CellFormat::Text).with_growth(24);

/// What the team wrote about a record of the index, as far as it was read.
pub const TEAM: RecordColumn = new_column("team", "TEAM", 12, 2, CellFormat::Text).with_growth(40);

/// The columns of a source: the default ones, and the others that can be chosen.
pub fn available_columns(
    source: &RecordSource,
) -> (&'static [RecordColumn], &'static [RecordColumn]) {
    match source {
        RecordSource::Book(RecordKind::Accounts) => {
            const {
                (
                    &[NAME, ACCOUNT_TYPES, TIER, SCORE, TREND, STATUS, TAGS],
                    &[NOTES, DOMAINS, WEBSITE],
                )
            }
        }
        RecordSource::View(_, RecordKind::Accounts) => {
            const {
                (
                    &[NAME, ACCOUNT_TYPES, TIER, SCORE, STATUS, TAGS],
                    &[UPDATED_AT],
                )
            }
        }
        RecordSource::Index(Dataset::Accounts) => (
            &[NAME, ACCOUNT_TYPES, CITY, STATE_CODE, PROJECTS],
            &[
                CONTACTS,
                DOMAINS,
                WEBSITE,
                PUBLIC_PHONE,
                PUBLIC_EMAIL,
                HEADQUARTERS,
                SPECIALTIES,
                ALIASES,
                FOUNDED_YEAR,
                CREATED_AT,
            ],
        ),
        RecordSource::Book(RecordKind::Contacts) => {
            const { (&[NAME, TITLE, STATUS, TAGS], &[NOTES]) }
        }
        RecordSource::View(_, RecordKind::Contacts) => {
            const { (&[NAME, TITLE, STATUS, TAGS], &[UPDATED_AT]) }
        }
        RecordSource::Index(Dataset::Contacts) => {
            const { (&[NAME, TITLE, EMAIL, PROJECTS], &[PHONE_NUMBER, CREATED_AT]) }
        }
        RecordSource::Book(RecordKind::Projects) => {
            const {
                (
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
                    ],
                    &[NOTES],
                )
            }
        }
        RecordSource::View(_, RecordKind::Projects) => {
            const {
                (
                    &[
                        NAME,
                        STAGE,
                        PRIMARY_USE,
                        CITY,
                        STATE_CODE,
                        LAST_SIGNAL_AT,
                        STATUS,
                        TAGS,
                    ],
                    &[UPDATED_AT],
                )
            }
        }
        RecordSource::Index(Dataset::Projects) => (
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
            ],
            &[
                FIRST_SIGNAL_AT,
                RECENT_UPDATES,
                ADDRESS,
                NEIGHBORHOOD,
                DISPOSITION,
                FLOOR_AREA,
                LAND_AREA,
                STORIES,
                HEIGHT,
                AFFORDABLE_UNITS,
                HOTEL_ROOMS,
                PARKING,
                GC_STATUS,
                ACCOUNTS,
                CONTACTS,
                CREATED_AT,
            ],
        ),
        RecordSource::Index(Dataset::Signals) => (
            &[PROJECT, SIGNAL_TYPE, FILED_AT, REPORTED_COST],
            &[
                DISCOVERED_AT,
                PROJECT_ADDRESS,
                REPORTED_AREA,
                FILING_ID,
                SOURCE_NAME,
            ],
        ),
        _ => (&[NAME], &[]),
    }
}

/// The name of a source in preferences; all Views of a dataset share one.
fn preference_name(source: &RecordSource) -> String {
    let route = match source {
        RecordSource::Book(_) => "book",
        RecordSource::View(..) => "view",
        RecordSource::Index(_) => "index",
    };
    format!("{route}.{}", source.dataset())
}

/// The preference key of a source's columns.
pub fn columns_preference_key(source: &RecordSource) -> String {
    format!("columns.{}", preference_name(source))
}

/// The preference key of what a source's rows are grouped by.
pub fn group_preference_key(source: &RecordSource) -> String {
    format!("group.{}", preference_name(source))
}

/// The columns of a preference, or the default ones. On a narrow screen, the last of the chosen
/// columns are dropped first.
pub fn chosen_columns(source: &RecordSource, preference: &str) -> Vec<RecordColumn> {
    let (usual, more) = available_columns(source);
    let known = |field: &str| {
        usual
            .iter()
            .chain(more)
            .find(|column| column.field == field)
            .copied()
    };
    let chosen = parse_columns(preference)
        .filter_map(|(field, width)| Some((known(field)?, width)))
        .enumerate();
    let layout = |(place, (column, width)): (usize, (RecordColumn, Option<u16>))| RecordColumn {
        layout: chosen_layout(column.layout, place, width),
        ..column
    };
    let chosen: Vec<RecordColumn> = chosen.map(layout).collect();
    if chosen.is_empty() {
        usual.to_vec()
    } else {
        chosen
    }
}

/// The columns with those that a search names right after the name: the fields of its conditions,
/// and the one it sorts by.
pub fn columns_of_search(
    source: &RecordSource,
    search: &Search,
    columns: Vec<RecordColumn>,
) -> Vec<RecordColumn> {
    let (usual, more) = available_columns(source);
    let named = search
        .filters
        .criteria()
        .iter()
        .map(|(key, _)| key.as_str());
    let sorted = search.sort.iter().map(|sort| sort.field.as_str());
    let mut searched: Vec<RecordColumn> = Vec::new();
    for key in named.chain(sorted) {
        let is_of_key = |column: &&RecordColumn| {
            column.field.trim_end_matches('s')
                == key.trim_end_matches("_known").trim_end_matches('s')
        };
        let known = columns.iter().chain(usual).chain(more).find(is_of_key);
        if let Some(column) =
            known.filter(|known| columns.first().is_none_or(|name| name.field != known.field))
            && !searched.iter().any(|other| other.field == column.field)
        {
            searched.push(RecordColumn {
                layout: TableColumn {
                    drop_order: 1,
                    ..column.layout
                },
                ..*column
            });
        }
    }
    let is_searched =
        |column: &RecordColumn| searched.iter().any(|other| other.field == column.field);
    let (name, others) = columns.split_at(columns.len().min(1));
    let others: Vec<RecordColumn> = others
        .iter()
        .filter(|column| !is_searched(column))
        .copied()
        .collect();
    name.iter().copied().chain(searched).chain(others).collect()
}

const MARK_COLUMN: TableColumn = TableColumn {
    title: "",
    width: 2,
    max_width: 0,
    drop_order: 0,
    align_right: false,
};

/// The layouts of the columns, after the one of the row's state.
pub fn column_layouts(columns: &[RecordColumn]) -> Vec<TableColumn> {
    std::iter::once(MARK_COLUMN)
        .chain(columns.iter().map(|column| column.layout))
        .collect()
}

/// The place of the name among the layouts, or of the first column without it.
pub fn frozen_column(columns: &[RecordColumn]) -> usize {
    columns
        .iter()
        .position(|column| column.kind == CellFormat::Name)
        .unwrap_or(0)
        + 1
}

/// Numbers whose sum says something.
const ADDITIVE: &[&str] = &[
    "residential_units",
    "affordable_units",
    "hotel_rooms",
    "gross_floor_area_sf",
    "reported_gross_floor_area_sf",
    "land_area_sf",
    "parking_spaces",
    "projects_count",
    "contacts_count",
    "accounts_count",
    "signals_count",
    "updates_last_30_days",
];

impl RecordColumn {
    /// The value for other programs: numbers and days in full, words as the cell shows them.
    pub fn value(&self, fields: &RecordFields) -> Value {
        let text = |text: Option<String>| {
            text.filter(|text| !text.trim().is_empty())
                .map_or(Value::Null, Value::from)
        };
        match self.kind {
            CellFormat::Name | CellFormat::Text | CellFormat::Overlay => {
                text(fields.text(self.field).map(str::to_owned))
            }
            CellFormat::Word | CellFormat::Tier => {
                text(fields.text(self.field).map(format::humanize))
            }
            CellFormat::List => text(Some(
                fields
                    .list(self.field)
                    .into_iter()
                    .map(format::humanize)
                    .collect::<Vec<_>>()
                    .join(", "),
            )),
            CellFormat::Day => text(
                fields
                    .date_time(self.field)
                    .map(|when| format::format_full_day(&when)),
            ),
            CellFormat::Number | CellFormat::Money => {
                fields.get(self.field).map_or(Value::Null, plain_number)
            }
        }
    }

    /// What its rows are counted, grouped and sorted by.
    pub fn list_field(&self, is_shown: bool) -> ListField {
        let title = format::humanize(self.field)
            .trim_end_matches(" usd")
            .to_owned();
        ListField {
            key: self.field,
            title,
            kind: self.field_kind(),
            is_shown,
        }
    }

    /// What a record has in it.
    pub fn values(&self, record: &Record) -> RowValues<'static> {
        let text = |value: Value| match value {
            Value::String(text) if !text.trim().is_empty() => Some(RowValue::Text(text.into())),
            Value::Number(number) => Some(RowValue::Text(number.to_string().into())),
            _ => None,
        };
        let Some(value) = record.field(self.field) else {
            return Vec::new();
        };
        match (self.kind, value) {
            (CellFormat::Number | CellFormat::Money, value) => {
                let number = value
                    .as_f64()
                    .or_else(|| serde_json::from_value::<Number>(value).ok()?.as_f64());
                number.map(RowValue::Number).into_iter().collect()
            }
            (CellFormat::Day, Value::String(date)) => DateOrDateTime::from(date.as_str())
                .date_time()
                .map(RowValue::Date)
                .into_iter()
                .collect(),
            (_, Value::Array(items)) => items.into_iter().filter_map(text).collect(),
            (_, value) => text(value).into_iter().collect(),
        }
    }

    pub fn cell(&self, fields: &RecordFields, glyphs: &Glyphs) -> TextSpan<'static> {
        let none = || text_span(TextRole::Faint, glyphs.missing);
        let text = |role: TextRole, text: Option<String>| match text
            .filter(|text| !text.trim().is_empty())
        {
            Some(text) => text_span(role, text),
            None => none(),
        };
        match self.kind {
            CellFormat::Name => match fields.text(self.field) {
                Some(name) if !name.trim().is_empty() => text_span(TextRole::Text, name.to_owned()),
                _ => text_span(TextRole::Muted, "unnamed"),
            },
            CellFormat::Text => text(TextRole::Muted, fields.text(self.field).map(str::to_owned)),
            CellFormat::Word => text(
                TextRole::Muted,
                fields.text(self.field).map(format::humanize),
            ),
            CellFormat::List => {
                let words: Vec<String> = fields
                    .list(self.field)
                    .into_iter()
                    .map(format::humanize)
                    .collect();
                text(TextRole::Muted, Some(words.join(", ")))
            }
            CellFormat::Day => text(
                TextRole::Muted,
                fields
                    .date_time(self.field)
                    .map(|when| format::format_full_day(&when)),
            ),
            CellFormat::Number => text(
                TextRole::Text,
                fields
                    .number(self.field)
                    .map(|num| format::format_number(&num)),
            ),
            CellFormat::Money => text(
                TextRole::Text,
                fields
                    .number(self.field)
                    .map(|num| format::format_dollars(&num)),
            ),
            CellFormat::Tier => match fields.text(self.field) {
                Some("tier_1") => text_span(TextRole::Success, "tier 1"),
                Some("disqualified") => text_span(TextRole::Muted, "disq"),
                tier => text(TextRole::Text, tier.map(format::humanize)),
            },
            CellFormat::Overlay if fields.is_outside_book() => {
                text_span(TextRole::Muted, "not in book")
            }
            CellFormat::Overlay => text(TextRole::Text, fields.text(self.field).map(str::to_owned)),
        }
    }
}
