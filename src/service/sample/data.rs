//! The data in `assets/sample`, whose files explain it, and the patterns in it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::rng::{Range, SampleRng};
use crate::domain::members::Role;
use crate::domain::signals::SignalType;
use crate::service::embedded_data::parse_table;

#[derive(Deserialize)]
pub struct SampleData {
    pub first_names: Vec<String>,
    pub last_names: Vec<String>,
    pub name_words: Vec<String>,
    pub regulatory_flags: Vec<(String, f64)>,
    pub firms: Vec<FirmGroup>,
    pub wire: Office,
    pub cities: Vec<City>,
    pub buildings: Vec<BuildingType>,
    pub plans: BTreeMap<String, Vec<PlanStep>>,
    pub signals: BTreeMap<String, SignalFacts>,
    pub payloads: BTreeMap<String, Value>,
    pub teams: Vec<Team>,
    pub annotations: Annotations,
    pub views: Vec<SampleView>,
    pub invitations: Vec<SampleInvitation>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FirmGroup {
    pub key: String,
    #[serde(rename = "type")]
    pub account_type: String,
    pub also: Vec<String>,
    pub what: String,
    pub per_hundred_projects: usize,
    pub least: usize,
    pub staff: (i64, i64),
    pub is_local: bool,
    pub joins: [f64; 7],
    pub joins_house: f64,
    pub names: Vec<String>,
    pub specialties: Vec<String>,
    pub titles: Vec<String>,
}

#[derive(Deserialize)]
pub struct City {
    pub name: String,
    pub state: String,
    pub area: String,
    pub region: String,
    pub cost: f64,
    pub weight: u32,
    pub payload: String,
    pub permits: Office,
    pub planning: Office,
    pub deeds: Office,
    pub places: Vec<District>,
}

/// An office that publishes filings.
#[derive(Deserialize)]
pub struct Office {
    pub slug: String,
    pub name: String,
    pub host: String,
    pub id: String,
}

#[derive(Deserialize)]
pub struct District {
    pub name: String,
    pub location: (f64, f64),
    pub zip: String,
    pub streets: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct BuildingType {
    pub key: String,
    pub weight: u32,
    #[serde(rename = "use")]
    pub primary_use: String,
    pub main_use: Option<String>,
    pub second_use: Option<(String, f64)>,
    pub lead: String,
    pub plans: Vec<String>,
    pub names: Vec<String>,
    pub area: Range,
    pub stories: Range,
    pub floor_ft: f64,
    pub cover: f64,
    pub rate: Range,
    pub home_sf: Option<Range>,
    pub room_sf: Option<Range>,
    pub stall_sf: Option<Range>,
    pub affordable: Option<(f64, Range)>,
    pub structures: Vec<String>,
    pub permit_type: String,
    pub work: String,
    pub is_part: bool,
    pub is_small: bool,
    pub is_remote: bool,
}

#[derive(Deserialize)]
pub struct PlanStep {
    pub signal_type: SignalType,
    pub probability: f64,
    pub days: Range,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SignalFacts {
    pub office: OfficeKind,
    pub moves: bool,
    pub own_number: bool,
    pub record: Option<String>,
    pub status: Option<String>,
    pub payload: Option<String>,
    pub cost: Option<(f64, Range)>,
    pub area: f64,
    pub amount: Option<Range>,
    pub stage: Option<String>,
    pub disposition: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfficeKind {
    Permits,
    #[default]
    Planning,
    Deeds,
    Wire,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Team {
    pub name: String,
    pub plan: String,
    pub days: i64,
    pub roles: Vec<Role>,
    pub states: Vec<String>,
    pub accounts: usize,
    pub contacts: usize,
    pub projects: usize,
    pub triage_rate: f64,
    pub high: Vec<SignalType>,
    pub medium: Vec<SignalType>,
    pub low: Vec<SignalType>,
    pub views: Vec<SampleView>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SampleView {
    pub name: String,
    pub description: Option<String>,
    pub dataset: String,
    pub conditions: Option<Vec<Value>>,
    pub saved: usize,
}

#[derive(Deserialize)]
pub struct SampleInvitation {
    pub name: String,
    pub role: Role,
    pub invited_by: usize,
    pub days: i64,
    pub is_revoked: bool,
}

#[derive(Deserialize)]
pub struct Annotations {
    pub tags: Vec<String>,
    pub tiers: Vec<(String, i64)>,
    /// What is remarked on the records of a dataset.
    #[serde(flatten)]
    pub remarks: BTreeMap<String, Remarks>,
}

#[derive(Deserialize)]
pub struct Remarks {
    pub statuses: Vec<String>,
    pub notes: Vec<String>,
}

/// The data, parsed on first use. Every test that uses the world parses it.
pub fn sample_data() -> &'static SampleData {
    static DATA: LazyLock<SampleData> = LazyLock::new(|| {
        parse_table(concat!(
            include_str!("../../../assets/sample/words.toml"),
            include_str!("../../../assets/sample/cities.toml"),
            include_str!("../../../assets/sample/buildings.toml"),
            include_str!("../../../assets/sample/signals.toml"),
            include_str!("../../../assets/sample/teams.toml"),
        ))
    });
    &DATA
}

/// What is known of a key in a pattern: nothing, or a value that may be null.
pub type Facts<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// A pattern without the phrases in brackets that have an unknown fact.
fn leave_out_unknown<'p>(pattern: &'p str, facts: Facts) -> Cow<'p, str> {
    let Some((before, rest)) = pattern.split_once('[') else {
        return pattern.into();
    };
    let (phrase, after) = rest.split_once(']').unwrap_or((rest, ""));
    let mut keys = phrase.split(['{', '}']).skip(1).step_by(2);
    let phrase = match keys.any(|key| facts(&key.to_lowercase()) == Some(Value::Null)) {
        true => "",
        false => phrase,
    };
    format!("{before}{phrase}{}", leave_out_unknown(after, facts)).into()
}

/// A pattern with its keys in braces filled in: with facts, in capitals if the key is; otherwise
/// `{s}` with a surname, `{w}` with a word, `{u}` with a small number, `{4}` with four digits.
pub fn fill_pattern(rng: &mut SampleRng, pattern: &str, facts: Facts) -> String {
    let data = sample_data();
    let pattern = leave_out_unknown(pattern, facts);
    let (mut out, mut rest) = (String::with_capacity(32), pattern.as_ref());
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}').unwrap_or((after, ""));
        let lower = key.to_lowercase();
        out.push_str(before);
        let word = match (facts(&lower), lower.as_str()) {
            (Some(Value::String(fact)), _) => fact,
            (Some(Value::Null), _) => String::new(),
            (Some(fact), _) => fact.to_string(),
            (None, "s") => loop {
                let name = rng.pick(&data.last_names);
                if !out.contains(name.as_str()) {
                    break name.clone();
                }
            },
            (None, "w") => rng.pick(&data.name_words).clone(),
            (None, "u") => rng.int_between(1, 9).to_string(),
            (None, digits) => (0..digits.parse().unwrap_or(0))
                .map(|_| rng.int_between(0, 9).to_string())
                .collect(),
        };
        out.push_str(&if key == lower {
            word
        } else {
            word.to_uppercase()
        });
        rest = after;
    }
    out + rest
}

/// A template with all patterns in it filled in, without the fields whose fact is null. A pattern
/// that is one key stands for the fact itself.
pub fn fill_template(rng: &mut SampleRng, template: &Value, facts: Facts) -> Value {
    match template {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), fill_template(rng, field, facts)))
            .filter(|(_, value)| !value.is_null())
            .collect(),
        Value::String(pattern) => {
            let key = pattern
                .strip_prefix('{')
                .and_then(|key| key.strip_suffix('}'));
            match key.and_then(|key| facts(&key.to_lowercase())) {
                Some(fact) if !fact.is_string() => fact,
                _ => fill_pattern(rng, pattern, facts).into(),
            }
        }
        other => other.clone(),
    }
}

/// A name as in addresses: lower-case letters and digits, words joined by `joint`.
pub fn slug(name: &str, joint: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            'ñ' => out.push('n'),
            'í' => out.push('i'),
            'ë' | 'é' => out.push('e'),
            ' ' | '-' if !out.is_empty() && !out.ends_with(joint) => out.push_str(joint),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_whose_number_is_unknown_is_left_out() {
        let work = "NEW[ {stories}-STORY] BUILDING[, {sf} GSF]";
        let fill = |stories: Value, area: Value| {
            let facts = |key: &str| match key {
                "stories" => Some(stories.clone()),
                _ => Some(area.clone()),
            };
            fill_pattern(&mut SampleRng::new(1, 1), work, &facts)
        };
        assert_eq!(
            fill(5.into(), "23,000".into()),
            "NEW 5-STORY BUILDING, 23,000 GSF"
        );
        assert_eq!(fill(5.into(), Value::Null), "NEW 5-STORY BUILDING");
        assert_eq!(fill(Value::Null, Value::Null), "NEW BUILDING");
    }

    #[test]
    fn the_sample_data_parses_and_fits() {
        let data = sample_data();
        assert!(data.cities.len() >= 20);
        assert!(data.first_names.len() >= 80 && data.last_names.len() >= 150);
        for city in &data.cities {
            assert!(city.places.len() >= 5, "{}", city.name);
            assert!(city.places.iter().all(|place| place.streets.len() >= 4));
            assert!(data.payloads.contains_key(&city.payload), "{}", city.name);
        }
        for group in &data.firms {
            assert!(!group.titles.is_empty() && !group.specialties.is_empty());
            assert!(group.is_local || group.names.len() >= 4, "{}", group.key);
        }
        for building in &data.buildings {
            assert!(data.firms.iter().any(|group| group.key == building.lead));
            assert!(
                building
                    .plans
                    .iter()
                    .all(|plan| data.plans.contains_key(plan))
            );
        }
        for step in data.plans.values().flatten() {
            assert!(data.signals.contains_key(step.signal_type.as_str()));
        }
        for facts in data.signals.values() {
            let payload = facts.payload.as_ref();
            assert!(payload.is_none_or(|payload| data.payloads.contains_key(payload)));
        }
    }
}
