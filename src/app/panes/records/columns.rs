//! What a row of each dataset shows: a column is one line here, and its name in the list of each source that sends it.

use ratatui::layout::Rect;

use crate::app::format::{self, pluralize};
use crate::app::notice::Notice;
use crate::app::{App, Effect};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::records::RecordFields;
use crate::domain::search::RecordSource;
use crate::ui::table::{TableColumn as Room, layout_columns};
use crate::ui::theme::Glyphs;
use crate::ui::{TextRole, TextSpan, text_span};

/// A column: the field, its heading and room, and how its value is written.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The interface's field.
    pub field: &'static str,
    /// Heading and room.
    pub room: Room,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The name: strong.
    Name,
    Text,
    /// An enum's word, for people.
    Word,
    /// The texts of a list.
    List,
    Day,
    Number,
    Money,
    /// `tier_1`.
    Tier,
    /// What the workspace writes: says so where the record is not in the book.
    Overlay,
}

const fn column(field: &'static str, title: &'static str, width: u16, leaves: u8, kind: Kind) -> Column {
    let right = matches!(kind, Kind::Number | Kind::Money);
    Column { field, room: Room { title, width, max_width: 0, drop_order: leaves, align_right: right }, kind }
}

impl Column {
    /// The same, which takes its share of what is left.
    const fn grows(self, to: u16) -> Column {
        Column { room: Room { max_width: to, ..self.room }, ..self }
    }
}

const NAME: Column = column("name", "NAME", 20, 0, Kind::Name).grows(44);
const TITLE: Column = column("title", "TITLE", 14, 3, Kind::Text).grows(26);
const TYPES: Column = column("account_types", "TYPE", 10, 4, Kind::List).grows(18);
const TIER: Column = column("icp_tier", "TIER", 6, 1, Kind::Tier);
const SCORE: Column = column("atlas_score", "SCORE", 5, 5, Kind::Number);
const TREND: Column = column("atlas_trend", "TREND", 7, 8, Kind::Word);
const STATUS: Column = column("workspace_status", "STATUS", 11, 2, Kind::Overlay).grows(16);
const TAGS: Column = column("tags", "TAGS", 8, 6, Kind::List).grows(24);
const NOTES: Column = column("notes", "NOTES", 16, 9, Kind::Text).grows(60);
const UPDATED: Column = column("updated_at", "UPDATED", 10, 9, Kind::Day);
const DOMAINS: Column = column("domains", "DOMAINS", 16, 9, Kind::List).grows(30);
const WEBSITE: Column = column("website", "WEBSITE", 18, 9, Kind::Text).grows(36);
const ALIASES: Column = column("aliases", "ALIASES", 12, 9, Kind::List).grows(30);
const PHONE: Column = column("public_phone", "PHONE", 14, 9, Kind::Text);
const PUBLIC_EMAIL: Column = column("public_email", "EMAIL", 18, 9, Kind::Text).grows(30);
const SPECIALTIES: Column = column("specialties", "SPECIALTIES", 14, 9, Kind::List).grows(40);
const FOUNDED: Column = column("founded_year", "SINCE", 5, 9, Kind::Text);
const HEADQUARTERS: Column = column("hq_address", "HEADQUARTERS", 20, 9, Kind::Text).grows(40);
const CONTACTS: Column = column("contacts_count", "CONT", 5, 9, Kind::Number);
const CITY: Column = column("city", "CITY", 12, 5, Kind::Text).grows(18);
const STATE: Column = column("state", "ST", 2, 6, Kind::Text);
const ADDRESS: Column = column("primary_address", "ADDRESS", 18, 9, Kind::Text).grows(36);
const NEIGHBORHOOD: Column = column("neighborhood", "NEIGHBORHOOD", 14, 9, Kind::Text).grows(22);
const STAGE: Column = column("stage", "STAGE", 12, 3, Kind::Word).grows(18);
const DISPOSITION: Column = column("disposition", "DISPOSITION", 11, 9, Kind::Word).grows(16);
const USE: Column = column("primary_use", "USE", 11, 7, Kind::Word).grows(16);
const UNITS: Column = column("residential_units", "UNITS", 5, 8, Kind::Number);
const AFFORDABLE: Column = column("affordable_units", "AFFORD", 6, 9, Kind::Number);
const ROOMS: Column = column("hotel_rooms", "ROOMS", 5, 9, Kind::Number);
const STORIES: Column = column("stories", "STORIES", 7, 9, Kind::Number);
const HEIGHT: Column = column("height_ft", "HEIGHT FT", 9, 9, Kind::Number);
const AREA: Column = column("gross_floor_area_sf", "AREA SF", 9, 9, Kind::Number);
const LAND: Column = column("land_area_sf", "LAND SF", 9, 9, Kind::Number);
const PARKING: Column = column("parking_spaces", "PARKING", 7, 9, Kind::Number);
const GC: Column = column("gc_status", "GC", 10, 9, Kind::Word).grows(16);
const FIRST: Column = column("first_signal_at", "FIRST", 10, 9, Kind::Day);
const LAST: Column = column("last_signal_at", "LAST", 10, 4, Kind::Day);
const LATELY: Column = column("updates_last_30_days", "30 D", 4, 9, Kind::Number);
const COST: Column = column("cost_of_construction_usd", "COST", 7, 5, Kind::Money);
const ACCOUNTS: Column = column("accounts_count", "FIRMS", 5, 9, Kind::Number);
const PROJECTS: Column = column("projects_count", "PROJ", 5, 4, Kind::Number);
const CREATED: Column = column("created_at", "CREATED", 10, 9, Kind::Day);
const EMAIL: Column = column("email", "EMAIL", 18, 5, Kind::Text).grows(30);
const OWN_PHONE: Column = column("phone", "PHONE", 14, 9, Kind::Text);
const SIGNALS: Column = column("signals_count", "SIG", 4, 7, Kind::Number);
const PROJECT: Column = column("project_name", "PROJECT", 20, 0, Kind::Name).grows(44);
const PROJECT_ADDRESS: Column = column("project_primary_address", "ADDRESS", 18, 9, Kind::Text).grows(36);
const SIGNAL_TYPE: Column = column("signal_type", "TYPE", 16, 0, Kind::Word).grows(24);
const FILED: Column = column("filed_at", "FILED", 10, 3, Kind::Day);
const DISCOVERED: Column = column("discovered_at", "DISCOVERED", 10, 9, Kind::Day);
const REPORTED: Column = column("reported_cost_usd", "COST", 7, 4, Kind::Money);
const REPORTED_AREA: Column = column("reported_gross_floor_area_sf", "AREA SF", 9, 9, Kind::Number);
const FILING: Column = column("source_filing_id", "FILING", 14, 9, Kind::Text).grows(20);
const AUTHORITY: Column = column("source_display_name", "SOURCE", 14, 9, Kind::Text).grows(24);

/// The columns that a source's rows can have: those that are shown until the person chooses, and the others.
pub fn columns(source: &RecordSource) -> (&'static [Column], &'static [Column]) {
    match source {
        RecordSource::Book(RecordKind::Accounts) => {
            const { (&[NAME, TYPES, TIER, SCORE, TREND, STATUS, TAGS], &[NOTES, DOMAINS, WEBSITE]) }
        }
        RecordSource::View(_, RecordKind::Accounts) => const { (&[NAME, TYPES, TIER, SCORE, STATUS, TAGS], &[UPDATED]) },
        RecordSource::Index(Dataset::Accounts) => (
            &[NAME, TYPES, CITY, STATE, PROJECTS],
            &[CONTACTS, DOMAINS, WEBSITE, PHONE, PUBLIC_EMAIL, HEADQUARTERS, SPECIALTIES, ALIASES, FOUNDED, CREATED],
        ),
        RecordSource::Book(RecordKind::Contacts) => const { (&[NAME, TITLE, STATUS, TAGS], &[NOTES]) },
        RecordSource::View(_, RecordKind::Contacts) => const { (&[NAME, TITLE, STATUS, TAGS], &[UPDATED]) },
        RecordSource::Index(Dataset::Contacts) => const { (&[NAME, TITLE, EMAIL, PROJECTS], &[OWN_PHONE, CREATED]) },
        RecordSource::Book(RecordKind::Projects) => {
            const { (&[NAME, STAGE, USE, CITY, STATE, UNITS, LAST, STATUS, TAGS], &[NOTES]) }
        }
        RecordSource::View(_, RecordKind::Projects) => {
            const { (&[NAME, STAGE, USE, CITY, STATE, LAST, STATUS, TAGS], &[UPDATED]) }
        }
        RecordSource::Index(Dataset::Projects) => (
            &[NAME, STAGE, USE, CITY, STATE, UNITS, COST, SIGNALS, LAST],
            &[
                FIRST,
                LATELY,
                ADDRESS,
                NEIGHBORHOOD,
                DISPOSITION,
                AREA,
                LAND,
                STORIES,
                HEIGHT,
                AFFORDABLE,
                ROOMS,
                PARKING,
                GC,
                ACCOUNTS,
                CONTACTS,
                CREATED,
            ],
        ),
        RecordSource::Index(Dataset::Signals) => {
            (&[PROJECT, SIGNAL_TYPE, FILED, REPORTED], &[DISCOVERED, PROJECT_ADDRESS, REPORTED_AREA, FILING, AUTHORITY])
        }
        _ => (&[NAME], &[]),
    }
}

/// What a source's choice of columns is kept under: all Views of a dataset share one.
pub fn kept_under(source: &RecordSource) -> String {
    let route = match source {
        RecordSource::Book(_) => "book",
        RecordSource::View(..) => "view",
        RecordSource::Index(_) => "index",
    };
    format!("columns.{route}.{}", source.dataset())
}

impl App {
    /// The columns of a source as the person has chosen them, else the usual ones. Of those that were chosen the last leave a
    /// narrow list first.
    pub fn columns(&self, source: &RecordSource) -> Vec<Column> {
        let (usual, more) = columns(source);
        let chosen = self.settings.preferences.get(&kept_under(source)).map(String::as_str).unwrap_or_default();
        let known = |field: &str| usual.iter().chain(more).find(|column| column.field == field).copied();
        let chosen: Vec<Column> = (0u8..)
            .zip(chosen.split(' ').filter_map(known))
            .map(|(place, column)| Column { room: Room { drop_order: place, ..column.room }, ..column })
            .collect();
        if chosen.is_empty() { usual.to_vec() } else { chosen }
    }

    /// Shows these columns of a source, keeps that for the next session, and says which have no room.
    pub fn choose_columns(&mut self, source: &RecordSource, fields: &[&str]) {
        let name = kept_under(source);
        let is_usual = columns(source).0.iter().map(|column| column.field).eq(fields.iter().copied());
        let fields = if is_usual { String::new() } else { fields.join(" ") };
        if is_usual {
            self.settings.preferences.remove(&name)
        } else {
            self.settings.preferences.insert(name.clone(), fields.clone())
        };
        self.effects.push(Effect::SavePreference(name, fields));
        let columns = self.columns(source);
        let has_room: Vec<usize> =
            rooms(&columns, self.layout.rows).into_iter().filter_map(|(at, _)| at.checked_sub(1)).collect();
        let left: Vec<&str> = (0..columns.len()).filter(|at| !has_room.contains(at)).map(|at| columns[at].room.title).collect();
        let shown = pluralize(has_room.len(), "column");
        self.notice = Some(match left.as_slice() {
            [] => Notice::success(format!("{shown}, kept for the next session")),
            _ => Notice::warning(format!("{shown}, kept; no room at this width for {}", left.join(", "))),
        });
    }
}

/// The cursor and the state of a row.
const MARK: Room = Room { title: "", width: 2, max_width: 0, drop_order: 0, align_right: false };

/// Where columns stand in the rows of a list: place 0 is the row's state, then each column that has room.
pub fn rooms(columns: &[Column], rows: Rect) -> Vec<(usize, Rect)> {
    let all: Vec<Room> = std::iter::once(MARK).chain(columns.iter().map(|column| column.room)).collect();
    layout_columns(&all, Rect { width: rows.width.saturating_sub(1), ..rows })
}

impl Column {
    /// A row's cell.
    pub fn cell(&self, fields: &RecordFields, glyphs: &Glyphs) -> TextSpan<'static> {
        let none = || text_span(TextRole::Faint, glyphs.missing);
        let text = |role: TextRole, text: Option<String>| match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => text_span(role, text),
            None => none(),
        };
        match self.kind {
            Kind::Name => match fields.text(self.field) {
                Some(name) if !name.trim().is_empty() => text_span(TextRole::Text, name.to_owned()),
                _ => text_span(TextRole::Muted, "unnamed"),
            },
            Kind::Text => text(TextRole::Muted, fields.text(self.field).map(str::to_owned)),
            Kind::Word => text(TextRole::Muted, fields.text(self.field).map(format::humanize)),
            Kind::List => {
                let words: Vec<String> = fields.list(self.field).into_iter().map(format::humanize).collect();
                text(TextRole::Muted, Some(words.join(", ")))
            }
            Kind::Day => text(TextRole::Muted, fields.date_time(self.field).map(|when| format::format_full_day(&when))),
            Kind::Number => text(TextRole::Text, fields.number(self.field).map(|num| format::format_number(&num))),
            Kind::Money => text(TextRole::Text, fields.number(self.field).map(|num| format::format_dollars(&num))),
            Kind::Tier => match fields.text(self.field) {
                Some("tier_1") => text_span(TextRole::Success, "tier 1"),
                Some("disqualified") => text_span(TextRole::Muted, "disq"),
                tier => text(TextRole::Text, tier.map(format::humanize)),
            },
            Kind::Overlay if fields.is_outside_book() => text_span(TextRole::Muted, "not in book"),
            Kind::Overlay => text(TextRole::Text, fields.text(self.field).map(str::to_owned)),
        }
    }
}
