//! The word lists of the sample world: cities with their streets and offices, and the parts of the
//! names of firms, people and projects. Read once from `assets/sample`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// All word lists.
pub struct WordLists {
    /// The cities, in the order of the file.
    pub cities: Vec<City>,
    pub first_names: Vec<String>,
    pub last_names: Vec<String>,
    /// Words that firms and buildings are named after.
    pub name_words: Vec<String>,
    /// Name patterns, specialties and titles by type of firm.
    pub firms: BTreeMap<String, FirmWords>,
    /// Name patterns by building type, and `tenants`.
    pub projects: BTreeMap<String, Vec<String>>,
    /// The names of the sample workspaces.
    pub workspaces: BTreeMap<String, String>,
}

/// A city and its offices.
#[derive(Deserialize)]
pub struct City {
    pub name: String,
    pub state: String,
    /// The telephone area code.
    pub area: String,
    /// The county, whose recorder keeps the deeds.
    pub county: String,
    /// The market it belongs to.
    pub region: String,
    /// Relative construction cost; 1.0 is the average.
    pub cost: f64,
    /// Relative amount of construction.
    pub weight: u32,
    /// The format of its portals' records.
    pub payload: PayloadShape,
    /// The office that issues building permits.
    pub permits: PermitOffice,
    /// The office that grants entitlements.
    pub planning: PermitOffice,
    pub places: Vec<District>,
}

/// The format of a portal's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PayloadShape {
    /// Lower-case keys, numbers as text.
    Flat,
    /// Title Case keys.
    Ledger,
    /// A map layer: attributes and geometry.
    Layer,
}

/// A city office that publishes filings.
#[derive(Deserialize)]
pub struct PermitOffice {
    /// Its short name.
    pub slug: String,
    pub name: String,
    pub host: String,
    /// The style of its filing numbers.
    pub id: String,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
pub struct District {
    pub name: String,
    pub location: (f64, f64),
    pub zip: String,
    pub streets: Vec<String>,
}

impl TryFrom<String> for District {
    type Error = String;
    fn try_from(line: String) -> Result<Self, String> {
        let mut parts = line.split('|');
        let mut next = || {
            parts
                .next()
                .ok_or_else(|| format!("a place must have four parts: {line}"))
        };
        let (name, at, zip, streets) = (next()?, next()?, next()?, next()?);
        let (lat, lng) = at
            .split_once(',')
            .ok_or_else(|| format!("no comma in {at}"))?;
        let degrees = |text: &str| {
            text.trim()
                .parse::<f64>()
                .map_err(|_| format!("not a number: {text}"))
        };
        Ok(District {
            name: name.to_owned(),
            location: (degrees(lat)?, degrees(lng)?),
            zip: zip.to_owned(),
            streets: streets.split(',').map(str::to_owned).collect(),
        })
    }
}

/// A type of firm: how many there are, their names and specialties.
#[derive(Deserialize)]
pub struct FirmWords {
    /// What such a firm is, in a sentence.
    pub what: String,
    pub per_hundred_projects: usize,
    pub least: usize,
    /// How many people each has in the index.
    pub staff: (i64, i64),
    pub names: Vec<String>,
    pub specialties: Vec<String>,
    /// The titles of its people.
    pub titles: Vec<String>,
}

#[derive(Deserialize)]
struct CityFile {
    city: Vec<City>,
}

#[derive(Deserialize)]
struct WordFile {
    people: PeopleWords,
    firms: FirmWordFile,
    projects: BTreeMap<String, Vec<String>>,
    workspaces: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct PeopleWords {
    first: Vec<String>,
    last: Vec<String>,
}

#[derive(Deserialize)]
struct FirmWordFile {
    words: Vec<String>,
    #[serde(flatten)]
    kinds: BTreeMap<String, FirmWords>,
}

/// Data of the sample world that is embedded at build time. Every test that uses the world parses
/// it.
pub fn parse_embedded<T: DeserializeOwned>(toml: &str) -> T {
    toml::from_str(toml).expect("embedded data is valid")
}

/// The word lists, parsed on first use.
pub fn word_lists() -> &'static WordLists {
    static WORD_LISTS: LazyLock<WordLists> = LazyLock::new(|| {
        let cities: CityFile = parse_embedded(include_str!("../../../assets/sample/cities.toml"));
        let lists: WordFile = parse_embedded(include_str!("../../../assets/sample/words.toml"));
        WordLists {
            cities: cities.city,
            first_names: lists.people.first,
            last_names: lists.people.last,
            name_words: lists.firms.words,
            firms: lists.firms.kinds,
            projects: lists.projects,
            workspaces: lists.workspaces,
        }
    });
    &WORD_LISTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_list_parses() {
        let words = word_lists();
        assert!(
            words.cities.len() >= 20
                && words.first_names.len() >= 80
                && words.last_names.len() >= 150
        );
        assert!(
            words
                .cities
                .iter()
                .all(|city| city.places.len() >= 5
                    && city.places.iter().all(|p| p.streets.len() >= 4))
        );
        assert!(words.firms.values().all(|kind| kind.names.len() >= 7
            && !kind.titles.is_empty()
            && !kind.specialties.is_empty()));
    }
}
