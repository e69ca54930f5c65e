//! Layouts: what the columns of a city's permit file mean. A layout is a table, never code; two are built in (`assets/layouts`),
//! others are files of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use uuid::Uuid;

use crate::domain::signals::SignalType;

/// The built-in layouts.
pub const BUILT_IN_LAYOUTS: &[(&str, &str)] = &[
    ("san-francisco", include_str!("../../../assets/layouts/san-francisco.toml")),
    ("chicago", include_str!("../../../assets/layouts/chicago.toml")),
];

/// A layout, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermitLayout {
    /// Its name: part of every id created with it.
    pub name: String,
    /// The city of all rows.
    pub city: String,
    pub state: String,
    /// The date formats, tried in order. The time of day is dropped: a local day is taken as the same day in UTC.
    pub dates: Vec<String>,
    /// The decimal sign in amounts; a point by default.
    pub decimal: Option<DecimalSign>,
    /// The file is in capitals: names and addresses are converted to title case.
    #[serde(default)]
    pub title_case: bool,
    /// Where the signals come from.
    pub source: LayoutSource,
    pub permit: Permit,
    pub place: PlaceColumns,
    /// The project's figures.
    #[serde(default)]
    pub project: ProjectColumns,
    /// The rules for signals.
    pub signal: Vec<SignalRule>,
    /// The firms and people named in a permit.
    pub firms: Option<FirmLayout>,
}

/// The decimal sign; the other sign separates thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum DecimalSign {
    /// `1,234.56`
    #[default]
    #[serde(rename = ".")]
    Point,
    /// `1.234,56`
    #[serde(rename = ",")]
    Comma,
}

impl DecimalSign {
    /// The other sign.
    pub fn opposite(self) -> DecimalSign {
        match self {
            DecimalSign::Point => DecimalSign::Comma,
            DecimalSign::Comma => DecimalSign::Point,
        }
    }

    pub fn as_char(self) -> char {
        match self {
            DecimalSign::Point => '.',
            DecimalSign::Comma => ',',
        }
    }
}

/// The source of the signals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutSource {
    pub slug: String,
    pub display_name: String,
    pub base_url: Option<String>,
    pub logo_domain: Option<String>,
}

/// Conditions: each column must equal one of the values (ignoring case and surrounding spaces).
pub type Conditions = BTreeMap<String, Vec<String>>;

/// The permit's own columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    pub id: String,
    /// Identifies the principal row of a permit with several rows, which determines its place.
    #[serde(default)]
    pub principal: Conditions,
    /// Columns that are not kept in `raw_data`.
    #[serde(default)]
    pub leave_out: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceColumns {
    /// What identifies a place: the first group whose columns are all filled.
    pub key: Vec<Vec<String>>,
    /// The address columns, joined by spaces.
    pub address: Vec<String>,
    pub neighborhood: Option<String>,
    /// A column like `POINT (-122.4 37.8)`: longitude, then latitude.
    pub point: Option<String>,
    /// The latitude, if it has its own column.
    pub latitude: Option<String>,
    /// The longitude, if it has its own column.
    pub longitude: Option<String>,
}

/// Columns with the project's figures: the first that is filled counts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectColumns {
    /// Its name; a project without one is named after its address.
    pub name: Vec<String>,
    #[serde(rename = "use")]
    pub use_: Vec<String>,
    pub stories: Vec<String>,
    pub units: Vec<String>,
    pub cost: Vec<String>,
    /// Costs below this are placeholders.
    pub cost_at_least: f64,
    pub area: Vec<String>,
    /// The city's word for a use (lower case; `*` for any other) -> the index's.
    pub uses: BTreeMap<String, String>,
}

/// When a row becomes a signal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalRule {
    #[serde(rename = "type")]
    pub signal_type: SignalType,
    /// The filing date: the first of these columns that is filled.
    pub on: Vec<String>,
    /// Conditions that must all match.
    #[serde(default)]
    pub when: Conditions,
    /// Conditions of which none may match.
    #[serde(default)]
    pub unless: Conditions,
}

/// Firms and people: groups of columns that repeat.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmLayout {
    /// How many groups there are; `{n}` in the columns counts from 1.
    pub repeat: usize,
    /// The firm's role on the permit.
    pub kind: String,
    pub name: String,
    pub address: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub phone: Option<String>,
    /// Words that only occur in names of firms.
    #[serde(default)]
    pub firm_words: Vec<String>,
    /// The kinds (as written; `*` for any other).
    pub kinds: BTreeMap<String, FirmKind>,
}

/// What a kind means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmKind {
    /// Roles on the project; also the account types.
    pub roles: Vec<String>,
    /// Whether the name may be a person's.
    #[serde(default)]
    pub people: PersonRule,
    /// People's names are written surname first.
    #[serde(default)]
    pub last_first: bool,
    /// The job title of people of this kind.
    pub title: Option<String>,
}

/// Whether a name may be a person's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonRule {
    /// Depending on its words.
    Maybe,
    Always,
    #[default]
    Never,
}

/// Why a layout cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// No such name and no such file.
    #[error("unknown layout {0:?}: use {known}, or the path of a .toml file", known = known())]
    Unknown(String),
    /// The file cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    /// The file is not a valid layout.
    #[error("{name} is not a valid layout: {error}")]
    Malformed { name: String, error: Box<toml::de::Error> },
}

fn known() -> String {
    BUILT_IN_LAYOUTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ")
}

impl PermitLayout {
    /// Finds a layout by name or path: a built-in one, `NAME.toml` in one of the folders, or a file.
    pub fn find(wanted: &str, folders: &[PathBuf]) -> Result<PermitLayout, LayoutError> {
        if let Some((name, text)) = BUILT_IN_LAYOUTS.iter().find(|(name, _)| *name == wanted) {
            return PermitLayout::parse(name, text);
        }
        let in_folders = folders.iter().map(|folder| folder.join(format!("{wanted}.toml")));
        let path = in_folders.chain([PathBuf::from(wanted)]).find(|path| path.is_file());
        let path = path.ok_or_else(|| LayoutError::Unknown(wanted.to_owned()))?;
        PermitLayout::from_file(&path)
    }

    /// Reads a layout from a file.
    pub fn from_file(path: &Path) -> Result<PermitLayout, LayoutError> {
        let unreadable = |error| LayoutError::Unreadable { path: path.to_owned(), error };
        PermitLayout::parse(&path.display().to_string(), &std::fs::read_to_string(path).map_err(unreadable)?)
    }

    fn parse(name: &str, text: &str) -> Result<PermitLayout, LayoutError> {
        toml::from_str(text).map_err(|error| LayoutError::Malformed { name: name.to_owned(), error: Box::new(error) })
    }

    /// The id of an item of the file: the same whenever its natural key is read.
    pub fn stable_id<T: From<Uuid>>(&self, what: &str, key: &str) -> T {
        T::from(Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("permits:{}:{what}:{key}", self.name).as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::sample::vocabulary::{ACCOUNT_TYPES, PRIMARY_USES};

    #[test]
    fn the_built_in_layouts_can_be_read_and_use_the_known_vocabulary() {
        for (name, _) in BUILT_IN_LAYOUTS {
            let layout = PermitLayout::find(name, &[]).unwrap();
            assert_eq!(layout.name, *name);
            assert!(layout.project.uses.values().all(|use_| PRIMARY_USES.contains(&use_.as_str())));
            assert!(layout.signal.iter().all(|rule| SignalType::ALL.contains(&rule.signal_type)));
            let roles = layout.firms.iter().flat_map(|firms| firms.kinds.values()).flat_map(|kind| &kind.roles);
            assert!(roles.into_iter().all(|role| ACCOUNT_TYPES.contains(&role.as_str())));
        }
    }

    #[test]
    fn an_unknown_layout_error_lists_the_known_ones() {
        let error = PermitLayout::find("atlantis", &[]).unwrap_err().to_string();
        assert!(error.contains("san-francisco and chicago"), "{error}");
    }
}
