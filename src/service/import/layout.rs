//! Layouts: what the columns of a city's permit file mean. A layout is a table, never code; some
//! are built in (`assets/layouts`), others are files of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::NaiveTime;
use serde::Deserialize;
use uuid::Uuid;

use super::columns::PermitColumns;
use super::dates::DateOrder;
use super::layout_mistakes::{explain_toml_error, undecided_key};
use super::permit_state::PermitState;
use super::table::Encoding;
use super::words;
use crate::domain::signals::SignalType;

/// A file of `assets/layouts`, embedded at build time.
macro_rules! layout {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../assets/layouts/", $name, ".toml")),
        )
    };
}

/// The built-in layouts.
pub const BUILT_IN_LAYOUTS: &[(&str, &str)] = &[
    layout!("san-francisco"),
    layout!("chicago"),
    layout!("austin"),
    layout!("boston"),
    layout!("los-angeles"),
    layout!("new-york-dob-now"),
    layout!("new-york-dob-permits"),
    layout!("philadelphia"),
    layout!("seattle"),
];

/// A layout, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermitLayout {
    /// Its name: part of every id created with it.
    pub name: String,
    /// The city of all rows.
    pub city: String,
    #[serde(default)]
    pub state: String,
    /// The order of day, month and year (`dmy`, `mdy`, `ymd`), or formats such as `%d.%m.%Y`, tried
    /// in order. The time of day is dropped: a local day is taken as the same day in UTC.
    pub dates: Vec<String>,
    /// When it is midnight in the city, in UTC and within an hour: with `23:00` the date
    /// `2024-02-29T23:00:00Z` is 1 March in Berlin.
    #[serde(default, deserialize_with = "read_time")]
    pub local_midnight: Option<NaiveTime>,
    /// The decimal sign in amounts; a point by default.
    pub decimal: Option<DecimalSign>,
    /// The file is in capitals: names and addresses are converted to title case.
    #[serde(default)]
    pub title_case: bool,
    /// The file that it is for.
    #[serde(default)]
    pub file: LayoutFile,
    /// Where the signals come from.
    pub source: LayoutSource,
    pub permit: Permit,
    pub place: PlaceColumns,
    /// The project's figures.
    #[serde(default)]
    pub project: ProjectColumns,
    /// The rules for signals; a list of decisions has none.
    #[serde(default)]
    pub signal: Vec<SignalRule>,
    /// What became of a permit.
    #[serde(default)]
    pub status: StatusLayout,
    /// The firms and people named in a permit.
    pub firms: Option<FirmLayout>,
    /// Firms and people with columns of their own.
    #[serde(default)]
    pub firm: Vec<FirmColumn>,
}

/// A time of the day such as `23:00`.
fn read_time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<NaiveTime>, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = |_| serde::de::Error::custom(format!("{text:?} is no time such as 23:00"));
    NaiveTime::parse_from_str(&text, "%H:%M")
        .map(Some)
        .map_err(wrong)
}

/// Stands for all statuses that nothing else explains.
pub const ANY_STATUS: &str = "*";

impl StatusLayout {
    /// What a status means, if the layout, its words or [`ANY_STATUS`] say it.
    pub fn state_of(&self, status: &str) -> Option<PermitState> {
        let listed = |status: &str| {
            self.values
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(status))
                .map(|(_, state)| *state)
        };
        listed(status)
            .or_else(|| PermitState::of_status(status))
            .or_else(|| listed(ANY_STATUS))
    }
}

/// The file that a layout is for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutFile {
    /// The [`header_fingerprint`] of its header.
    pub header: Option<String>,
    /// Its encoding, if it is not found out: a code page.
    pub encoding: Option<Encoding>,
}

/// The decimal sign; the other sign separates thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
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

/// The year of a permit's first date, as a part of its key.
pub const YEAR: &str = "year";

/// The permit's own columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    pub id: String,
    /// What identifies a permit together with its number, where numbers are used again: columns, or
    /// `year` for that of its first date.
    #[serde(default)]
    pub and: Vec<String>,
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
    /// The city, if the rows name it.
    pub city: Option<String>,
    pub state: Option<String>,
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
    /// What the figures of a column are multiplied with.
    pub scale: BTreeMap<String, f64>,
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

/// What became of a permit. One that was withdrawn, denied or has expired has only the signal of
/// that; an approved one also has that of its approval, if its day is known.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusLayout {
    /// The columns with the decision or the status: one that ends a permit counts before one that
    /// does not.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The day of the decision.
    pub decided: Option<String>,
    /// The day of the status.
    pub changed: Option<String>,
    /// The column that says which certificates of completion are for a while.
    pub certificate: Option<String>,
    /// The day until which a permit is valid: one that has expired did so then.
    pub expires: Option<String>,
    /// What its values mean. Others are asked, if their words do not say it.
    #[serde(default)]
    pub values: BTreeMap<String, PermitState>,
    /// Columns whose day, or yes, says that the permit ended so.
    #[serde(default)]
    pub ends: BTreeMap<String, PermitState>,
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

/// A firm or a person with columns of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmColumn {
    pub roles: Vec<String>,
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    /// Whether the name may be a person's.
    #[serde(default)]
    pub people: PersonRule,
    /// People's names are written surname first.
    #[serde(default)]
    pub last_first: bool,
    /// The job title of people.
    pub title: Option<String>,
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
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    /// The file is not a valid layout.
    #[error("{name} is not a valid layout: {why}")]
    Malformed { name: String, why: String },
}

fn known() -> String {
    let mut names: Vec<&str> = BUILT_IN_LAYOUTS.iter().map(|(name, _)| *name).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// Layouts that were tested on real rows: a file with their columns needs no confirmation.
pub const TESTED_LAYOUTS: &[&str] = &["san-francisco", "chicago"];

/// Identifies the header of a file: its columns in their order, without case and punctuation.
pub fn header_fingerprint(header: &[String]) -> String {
    let names: Vec<String> = header.iter().map(|name| words::normalize(name)).collect();
    Uuid::new_v5(&Uuid::NAMESPACE_OID, names.join("\n").as_bytes()).to_string()
}

/// Whether a file has no header: its columns are numbered.
pub fn is_numbered(header: &[String]) -> bool {
    header
        .iter()
        .zip(1..)
        .all(|(name, number)| *name == format!("column {number}"))
}

/// A layout that fits a header.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownLayout {
    /// What `--layout` takes.
    pub name: String,
    /// What it is of.
    pub title: String,
    /// The city and the state of rows that name none.
    pub place: (String, String),
    /// Somebody had to say so for all rows: another city's file may have the same header.
    pub is_place_asked: bool,
}

/// The layouts that are known to fit a header: those in the folder that were written for it, or
/// else a tested one with nearly all of its columns.
pub fn find_by_header(header: &[String], folder: Option<&Path>) -> Vec<KnownLayout> {
    // the columns of a file without a header are numbered, as are those of any other
    if is_numbered(header) {
        return Vec::new();
    }
    let fingerprint = header_fingerprint(header);
    let record: csv::StringRecord = header.iter().collect();
    let title = |layout: &PermitLayout| layout.source.display_name.clone();
    let files = folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let own = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|path| {
            let layout = PermitLayout::from_file(&path).ok()?;
            // the same names may be written in another way, as JSON does
            let is_same = layout.file.header.as_deref() == Some(&fingerprint)
                && PermitColumns::find(&layout, &record).is_ok();
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let is_place_asked = layout.place.city.is_none() && !layout.city.is_empty();
            is_same.then(|| KnownLayout {
                name,
                title: title(&layout),
                place: (layout.city, layout.state),
                is_place_asked,
            })
        });
    let mut own: Vec<KnownLayout> = own.collect();
    own.sort();
    if !own.is_empty() {
        return own;
    }
    let has = |column: &String| header.iter().any(|name| name.eq_ignore_ascii_case(column));
    let tested = BUILT_IN_LAYOUTS
        .iter()
        .filter(|(name, _)| TESTED_LAYOUTS.contains(name));
    tested
        .filter_map(|(name, text)| {
            let layout = PermitLayout::parse(name, text).ok()?;
            let columns = layout.named_columns();
            let missing = columns.iter().filter(|column| !has(column)).count();
            // some exports of a portal lack a column
            let fits =
                PermitColumns::find(&layout, &record).is_ok() && missing * 6 <= columns.len();
            fits.then(|| KnownLayout {
                name: (*name).to_owned(),
                title: title(&layout),
                place: (layout.city, layout.state),
                is_place_asked: false,
            })
        })
        .collect()
}

/// The text of a layout, by name or path.
///
/// # Errors
/// If there is none of this name, or its file cannot be read.
pub fn read_text(wanted: &str, folders: &[PathBuf]) -> Result<String, LayoutError> {
    if let Some((_, text)) = BUILT_IN_LAYOUTS.iter().find(|(name, _)| *name == wanted) {
        return Ok((*text).to_owned());
    }
    let path = layout_file(wanted, folders)?;
    std::fs::read_to_string(&path).map_err(|error| LayoutError::Unreadable { path, error })
}

/// The file of a layout that is not built in: `NAME.toml` in one of the folders, or a path.
///
/// # Errors
/// If there is none.
pub fn layout_file(wanted: &str, folders: &[PathBuf]) -> Result<PathBuf, LayoutError> {
    let in_folders = folders
        .iter()
        .map(|folder| folder.join(format!("{wanted}.toml")));
    let path = in_folders
        .chain([PathBuf::from(wanted)])
        .find(|path| path.is_file());
    path.ok_or_else(|| LayoutError::Unknown(wanted.to_owned()))
}

impl ProjectColumns {
    /// What the figures of a column are multiplied with.
    pub fn scale_of(&self, column: &str) -> f64 {
        let mut scales = self.scale.iter();
        let found = scales.find(|(name, _)| name.eq_ignore_ascii_case(column));
        found.map_or(1.0, |(_, factor)| *factor)
    }
}

impl PermitLayout {
    /// Finds a layout by name or path: a built-in one, `NAME.toml` in one of the folders, or a
    /// file.
    pub fn find(wanted: &str, folders: &[PathBuf]) -> Result<PermitLayout, LayoutError> {
        if let Some((name, text)) = BUILT_IN_LAYOUTS.iter().find(|(name, _)| *name == wanted) {
            return PermitLayout::parse(name, text);
        }
        let path = layout_file(wanted, folders)?;
        PermitLayout::from_file(&path)
    }

    /// The columns that it names.
    fn named_columns(&self) -> Vec<String> {
        let place = [
            &self.place.point,
            &self.place.latitude,
            &self.place.longitude,
            &self.place.neighborhood,
            &self.place.city,
        ];
        let mut names = vec![self.permit.id.clone()];
        names.extend(self.permit.and.iter().filter(|name| *name != YEAR).cloned());
        names.extend(
            self.place
                .key
                .iter()
                .flatten()
                .chain(&self.place.address)
                .cloned(),
        );
        names.extend(place.into_iter().flatten().cloned());
        let project = [
            &self.project.name,
            &self.project.use_,
            &self.project.stories,
            &self.project.units,
            &self.project.cost,
        ];
        names.extend(
            project
                .into_iter()
                .flatten()
                .chain(&self.project.area)
                .cloned(),
        );
        names.extend(self.signal.iter().flat_map(|rule| rule.on.iter().cloned()));
        names.extend(
            self.status
                .columns
                .iter()
                .chain(&self.status.decided)
                .chain(&self.status.changed)
                .chain(&self.status.certificate)
                .cloned(),
        );
        names.extend(
            self.firms
                .iter()
                .map(|firms| firms.name.replace("{n}", "1")),
        );
        names.extend(self.firm.iter().map(|firm| firm.name.clone()));
        names
    }

    /// Reads a layout from a file.
    pub fn from_file(path: &Path) -> Result<PermitLayout, LayoutError> {
        let unreadable = |error| LayoutError::Unreadable {
            path: path.to_owned(),
            error,
        };
        PermitLayout::parse(
            &path.display().to_string(),
            &std::fs::read_to_string(path).map_err(unreadable)?,
        )
    }

    /// Reads a layout from its text.
    pub fn parse(name: &str, text: &str) -> Result<PermitLayout, LayoutError> {
        let malformed = |why: String| LayoutError::Malformed {
            name: name.to_owned(),
            why,
        };
        if let Some((key, line)) = undecided_key(text) {
            return Err(malformed(format!(
                "line {line}: {key} is undecided (\"?\"): write its value"
            )));
        }
        let layout: PermitLayout =
            toml::from_str(text).map_err(|error| malformed(explain_toml_error(text, &error)))?;
        if layout.signal.is_empty() && layout.status.decided.is_none() {
            return Err(malformed(
                "the layout lacks the key signal, or decided in [status]".to_owned(),
            ));
        }
        for form in &layout.dates {
            let is_format = form.contains('%') || DateOrder::from_word(form).is_some();
            is_format.then_some(()).ok_or_else(|| {
                malformed(format!(
                    "dates: {form:?} is neither dmy, mdy or ymd nor a format such as %d.%m.%Y"
                ))
            })?;
        }
        Ok(layout)
    }

    /// The id of an item of the file: the same whenever its natural key is read.
    pub fn stable_id<T: From<Uuid>>(&self, what: &str, key: &str) -> T {
        T::from(Uuid::new_v5(
            &Uuid::NAMESPACE_URL,
            format!("permits:{}:{what}:{key}", self.name).as_bytes(),
        ))
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
            let is_labeled = read_text(name, &[])
                .unwrap()
                .contains("not tested on its rows");
            assert_ne!(is_labeled, TESTED_LAYOUTS.contains(name), "{name}");
            assert!(
                layout
                    .firm
                    .iter()
                    .flat_map(|firm| &firm.roles)
                    .all(|role| ACCOUNT_TYPES.contains(&role.as_str()))
            );
            assert!(
                layout
                    .project
                    .uses
                    .values()
                    .all(|use_| PRIMARY_USES.contains(&use_.as_str()))
            );
            assert!(
                layout
                    .signal
                    .iter()
                    .all(|rule| SignalType::ALL.contains(&rule.signal_type))
            );
            let roles = layout
                .firms
                .iter()
                .flat_map(|firms| firms.kinds.values())
                .flat_map(|kind| &kind.roles);
            assert!(
                roles
                    .into_iter()
                    .all(|role| ACCOUNT_TYPES.contains(&role.as_str()))
            );
        }
    }

    #[test]
    fn an_unknown_layout_error_lists_the_known_ones() {
        let error = PermitLayout::find("atlantis", &[]).unwrap_err().to_string();
        assert!(
            error.contains("san-francisco") && error.contains("chicago"),
            "{error}"
        );
    }

    #[test]
    fn a_mistake_in_a_layout_is_explained_with_its_line_and_key() {
        const VALID: &str = "name = \"a\"\ncity = \"A\"\ndates = [\"dmy\"]\n[source]\nslug = \"a\"\ndisplay_name = \"A\"\n\
            [permit]\nid = \"No\"\n[place]\nkey = [[\"S\"]]\naddress = [\"S\"]\n[[signal]]\ntype = \"permit_issued\"\non = [\"D\"]\n";
        PermitLayout::parse("a", VALID).unwrap();
        let error = |wrong: &str, right: &str| {
            PermitLayout::parse("a", &VALID.replacen(right, wrong, 1))
                .unwrap_err()
                .to_string()
        };
        for (wrong, right, message) in [
            (
                "[[firms]]\nname = \"C\"\n[[signal]]",
                "[[signal]]",
                "line 12: [[firms]] is",
            ),
            (
                "firms = 0\n[source]",
                "[source]",
                "line 4: firms is the number `0`, and must be a table: [name], with keys below",
            ),
            (
                "id = 7",
                "id = \"No\"",
                "line 8: id is the number `7`, and must be a text in quotes",
            ),
            (
                "idd = \"No\"",
                "id = \"No\"",
                "line 8: unknown key idd; did you mean id?",
            ),
            (
                "[permit]\n",
                "[permit]\nid = \"No\"\n",
                "[permit] lacks the key id",
            ),
            ("", "name = \"a\"\n", "the layout lacks the key name"),
            (
                "decimal = \";\"\n[source]",
                "[source]",
                "line 4: decimal is \";\", and must be . or ,",
            ),
            (
                "dates = [\"?\"]",
                "dates = [\"dmy\"]",
                "line 3: dates is undecided (\"?\"): write its value",
            ),
            (
                "dates = [\"german\"]",
                "dates = [\"dmy\"]",
                "dates: \"german\" is neither dmy, mdy or ymd nor a format",
            ),
            ("name = a", "name = \"a\"", "line 1: this is not valid TOML"),
        ] {
            let text = error(wrong, right);
            assert!(
                text.contains(message) && !text.contains('\n') && !text.contains("struct"),
                "{message}: {text}"
            );
        }
    }
}
