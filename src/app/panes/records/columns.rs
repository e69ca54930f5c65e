//! What a row of each dataset shows: a column is one line here.

use crate::app::format;
use crate::domain::book::{Dataset, Shelf};
use crate::domain::records::Fields;
use crate::domain::search::Source;
use crate::ui::table::Column as Room;
use crate::ui::theme::Glyphs;
use crate::ui::{Piece, Role, piece};

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
    Column { field, room: Room { title, width, grow_to: 0, leaves, right }, kind }
}

impl Column {
    /// The same, which takes its share of what is left.
    const fn grows(self, to: u16) -> Column {
        Column { room: Room { grow_to: to, ..self.room }, ..self }
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
const CITY: Column = column("city", "CITY", 12, 5, Kind::Text).grows(18);
const STATE: Column = column("state", "ST", 2, 6, Kind::Text);
const STAGE: Column = column("stage", "STAGE", 12, 3, Kind::Word).grows(18);
const USE: Column = column("primary_use", "USE", 11, 7, Kind::Word).grows(16);
const UNITS: Column = column("residential_units", "UNITS", 5, 8, Kind::Number);
const LAST: Column = column("last_signal_at", "LAST", 10, 4, Kind::Day);
const COST: Column = column("cost_of_construction_usd", "COST", 7, 5, Kind::Money);
const PROJECTS: Column = column("projects_count", "PROJ", 5, 4, Kind::Number);
const EMAIL: Column = column("email", "EMAIL", 18, 5, Kind::Text).grows(30);
const SIGNALS: Column = column("signals_count", "SIG", 4, 7, Kind::Number);
const PROJECT: Column = column("project_name", "PROJECT", 20, 0, Kind::Name).grows(44);
const SIGNAL_TYPE: Column = column("signal_type", "TYPE", 16, 0, Kind::Word).grows(24);
const FILED: Column = column("filed_at", "FILED", 10, 3, Kind::Day);
const REPORTED: Column = column("reported_cost_usd", "COST", 7, 4, Kind::Money);

/// The columns of a source's rows, in their order.
pub fn columns(source: &Source) -> &'static [Column] {
    match source {
        Source::Book(Shelf::Accounts) => &[NAME, TYPES, TIER, SCORE, TREND, STATUS, TAGS],
        Source::View(_, Shelf::Accounts) => &[NAME, TYPES, TIER, SCORE, STATUS, TAGS],
        Source::Index(Dataset::Accounts) => &[NAME, TYPES, CITY, STATE, PROJECTS],
        Source::Book(Shelf::Contacts) | Source::View(_, Shelf::Contacts) => &[NAME, TITLE, STATUS, TAGS],
        Source::Index(Dataset::Contacts) => &[NAME, TITLE, EMAIL, PROJECTS],
        Source::Book(Shelf::Projects) => &[NAME, STAGE, USE, CITY, STATE, UNITS, LAST, STATUS, TAGS],
        Source::View(_, Shelf::Projects) => &[NAME, STAGE, USE, CITY, STATE, LAST, STATUS, TAGS],
        Source::Index(Dataset::Projects) => &[NAME, STAGE, USE, CITY, STATE, UNITS, COST, SIGNALS, LAST],
        Source::Index(Dataset::Signals) => &[PROJECT, SIGNAL_TYPE, FILED, REPORTED],
        _ => &[NAME],
    }
}

impl Column {
    /// A row's cell.
    pub fn cell(&self, fields: &Fields, glyphs: &Glyphs) -> Piece<'static> {
        let none = || piece(Role::Faint, glyphs.none);
        let text = |role: Role, text: Option<String>| match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => piece(role, text),
            None => none(),
        };
        match self.kind {
            Kind::Name => match fields.text(self.field) {
                Some(name) if !name.trim().is_empty() => piece(Role::Text, name.to_owned()),
                _ => piece(Role::Muted, "unnamed"),
            },
            Kind::Text => text(Role::Muted, fields.text(self.field).map(str::to_owned)),
            Kind::Word => text(Role::Muted, fields.text(self.field).map(format::words)),
            Kind::List => {
                let words: Vec<String> = fields.list(self.field).into_iter().map(format::words).collect();
                text(Role::Muted, Some(words.join(", ")))
            }
            Kind::Day => text(Role::Muted, fields.when(self.field).map(|when| format::full_day(&when))),
            Kind::Number => text(Role::Text, fields.number(self.field).map(|num| format::number(&num))),
            Kind::Money => text(Role::Text, fields.number(self.field).map(|num| format::dollars(&num))),
            Kind::Tier => match fields.text(self.field) {
                Some("tier_1") => piece(Role::Good, "tier 1"),
                Some("disqualified") => piece(Role::Faint, "disq"),
                tier => text(Role::Text, tier.map(format::words)),
            },
            Kind::Overlay if fields.is_outside_the_book() => piece(Role::Faint, "not in book"),
            Kind::Overlay => text(Role::Text, fields.text(self.field).map(str::to_owned)),
        }
    }
}
