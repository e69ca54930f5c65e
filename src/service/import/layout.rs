//! Layouts: what the columns of a city's permit file mean. A layout is a table, never code; the two that come with the program are in
//! `assets/layouts`, others are files of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use uuid::Uuid;

use crate::domain::signals::SignalType;

/// The layouts that come with the program.
pub const BUILT_IN_LAYOUTS: &[(&str, &str)] = &[
    ("san-francisco", include_str!("../../../assets/layouts/san-francisco.toml")),
    ("chicago", include_str!("../../../assets/layouts/chicago.toml")),
];

/// A layout, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermitLayout {
    /// Its name: part of every id that is made with it.
    pub name: String,
    /// The city of all rows.
    pub city: String,
    /// Its state's code.
    pub state: String,
    /// The forms of dates, tried in order. A time of day is read and dropped: a local day is taken as the same day in UTC.
    pub dates: Vec<String>,
    /// What separates whole from decimal places in amounts; a point when it is not said.
    pub decimal: Option<DecimalSign>,
    /// The file is in capitals: names and addresses are written as people write them.
    #[serde(default)]
    pub title_case: bool,
    /// Where the signals come from.
    pub source: LayoutSource,
    /// The permit.
    pub permit: Permit,
    /// The place.
    pub place: PlaceColumns,
    /// The project's figures.
    #[serde(default)]
    pub project: ProjectColumns,
    /// What becomes a signal.
    pub signal: Vec<SignalRule>,
    /// Who is named.
    pub firms: Option<FirmLayout>,
}

/// The sign between whole and decimal places; the other one separates thousands.
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
    /// The other one.
    pub fn opposite(self) -> DecimalSign {
        match self {
            DecimalSign::Point => DecimalSign::Comma,
            DecimalSign::Comma => DecimalSign::Point,
        }
    }

    /// The sign itself.
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
#[expect(missing_docs, reason = "the interface's own field names; see db::records::Source")]
pub struct LayoutSource {
    pub slug: String,
    pub display_name: String,
    pub base_url: Option<String>,
    pub logo_domain: Option<String>,
}

/// Conditions: each column holds one of the values (without case and surrounding blanks).
pub type Conditions = BTreeMap<String, Vec<String>>;

/// The permit's own columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    /// Its number.
    pub id: String,
    /// Holds in the row that places a permit of several rows.
    #[serde(default)]
    pub principal: Conditions,
    /// Columns that are not kept in `raw_data`.
    #[serde(default)]
    pub leave_out: Vec<String>,
}

/// Where it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceColumns {
    /// What makes two rows the same place: the first group whose columns are all filled.
    pub key: Vec<Vec<String>>,
    /// The address, joined by blanks.
    pub address: Vec<String>,
    /// The neighbourhood.
    pub neighborhood: Option<String>,
    /// A column like `POINT (-122.4 37.8)`: longitude, then latitude.
    pub point: Option<String>,
    /// The latitude, where it has its own column.
    pub latitude: Option<String>,
    /// The longitude, where it has its own column.
    pub longitude: Option<String>,
}

/// Where the project's figures are: the first column that is filled.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectColumns {
    /// Its name; without one it is called after its address.
    pub name: Vec<String>,
    /// Its use.
    #[serde(rename = "use")]
    pub use_: Vec<String>,
    /// Storeys.
    pub stories: Vec<String>,
    /// Homes.
    pub units: Vec<String>,
    /// Cost.
    pub cost: Vec<String>,
    /// Costs below this are placeholders.
    pub cost_at_least: f64,
    /// Floor area.
    pub area: Vec<String>,
    /// The city's word for a use (lower case; `*` for any other) -> the index's.
    pub uses: BTreeMap<String, String>,
}

/// What becomes a signal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalRule {
    /// The type.
    #[serde(rename = "type")]
    pub signal_type: SignalType,
    /// Filed on the date in the first of these columns that is filled.
    pub on: Vec<String>,
    /// All must hold.
    #[serde(default)]
    pub when: Conditions,
    /// None may hold.
    #[serde(default)]
    pub unless: Conditions,
}

/// Firms and people: columns that repeat.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmLayout {
    /// How many groups there are; `{n}` in the columns counts from 1.
    pub repeat: usize,
    /// What the firm is on the permit.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: Option<String>,
    /// Its city.
    pub city: Option<String>,
    /// Its state.
    pub state: Option<String>,
    /// Its postcode.
    pub zip: Option<String>,
    /// Its telephone.
    pub phone: Option<String>,
    /// Words that only firms have in their names.
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
    /// People are written surname first.
    #[serde(default)]
    pub last_first: bool,
    /// What a person of the kind is called.
    pub title: Option<String>,
}

/// Whether a name may be a person's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonRule {
    /// By its words.
    Maybe,
    /// Always.
    Always,
    /// Never.
    #[default]
    Never,
}

/// Why a layout cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// No such name and no such file.
    #[error("there is no layout {0:?}; the program has {known}, or give the path of a .toml file", known = known())]
    Unknown(String),
    /// The file cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no layout.
    #[error("{name} is not a layout: {error}")]
    Malformed {
        /// Which.
        name: String,
        /// Why.
        error: Box<toml::de::Error>,
    },
}

fn known() -> String {
    BUILT_IN_LAYOUTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ")
}

impl PermitLayout {
    /// The layout of a name or a path: one that comes with the program, `NAME.toml` in one of the folders, or a file.
    pub fn find(wanted: &str, folders: &[PathBuf]) -> Result<PermitLayout, LayoutError> {
        if let Some((name, text)) = BUILT_IN_LAYOUTS.iter().find(|(name, _)| *name == wanted) {
            return PermitLayout::parse(name, text);
        }
        let in_folders = folders.iter().map(|folder| folder.join(format!("{wanted}.toml")));
        let path = in_folders.chain([PathBuf::from(wanted)]).find(|path| path.is_file());
        let path = path.ok_or_else(|| LayoutError::Unknown(wanted.to_owned()))?;
        PermitLayout::from_file(&path)
    }

    /// The layout of a file.
    pub fn from_file(path: &Path) -> Result<PermitLayout, LayoutError> {
        let unreadable = |error| LayoutError::Unreadable { path: path.to_owned(), error };
        PermitLayout::parse(&path.display().to_string(), &std::fs::read_to_string(path).map_err(unreadable)?)
    }

    fn parse(name: &str, text: &str) -> Result<PermitLayout, LayoutError> {
        toml::from_str(text).map_err(|error| LayoutError::Malformed { name: name.to_owned(), error: Box::new(error) })
    }

    /// The id of a thing of the file: the same whenever its natural key is read again.
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
