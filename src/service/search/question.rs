//! A question in plain words to filters, by rules over the vocabulary (decisions 2.17). It is a small translator and says so: words
//! that it does not understand are told, never guessed at.
//!
//! It knows the words of enums, states and cities after "in", amounts ("more than 100 units", "over $5m"), days ("since 2026-03-01",
//! "last 30 days"), a name in quotation marks, and "not" before a word. Never here: running what it made.

use chrono::{DateTime, Days, Utc};
use serde_json::{Map, Value, json};

use super::fields::{self, Field, Kind, Place};
use super::fuzzy;
use super::vocabulary::{Entity, SKILL_ENUMS};
use super::{Dataset, cities};
use crate::service::db::{Conn, Error};

/// What became of a question.
#[derive(Debug, Default)]
pub struct Translation {
    /// The filters, ready to be sent.
    pub filters: Map<String, Value>,
    /// What was understood, for people.
    pub understood: Vec<String>,
    /// The words that were not.
    pub unmatched: Vec<String>,
}

/// Words that carry nothing.
const EMPTY: &[&str] = &[
    "a", "all", "and", "any", "are", "at", "by", "find", "for", "from", "get", "give", "has", "have", "having", "in", "is",
    "list", "me", "of", "on", "or", "our", "please", "show", "that", "the", "their", "there", "to", "us", "what", "where",
    "which", "who", "whose", "with",
];

/// The states by name.
const STATES: &str = "alabama AL,alaska AK,arizona AZ,arkansas AR,california CA,colorado CO,connecticut CT,delaware DE,florida FL,\
georgia GA,hawaii HI,idaho ID,illinois IL,indiana IN,iowa IA,kansas KS,kentucky KY,louisiana LA,maine ME,maryland MD,massachusetts MA,\
michigan MI,minnesota MN,mississippi MS,missouri MO,montana MT,nebraska NE,nevada NV,new hampshire NH,new jersey NJ,new mexico NM,\
new york NY,north carolina NC,north dakota ND,ohio OH,oklahoma OK,oregon OR,pennsylvania PA,rhode island RI,south carolina SC,\
south dakota SD,tennessee TN,texas TX,utah UT,vermont VT,virginia VA,washington WA,west virginia WV,wisconsin WI,wyoming WY";

/// The units that an amount is counted in, by key.
const UNITS: &[(&str, &[&str])] = &[
    ("residential_units", &["units", "unit", "homes", "apartments", "dwellings"]),
    ("stories", &["stories", "story", "storeys", "floors"]),
    ("gross_floor_area_sf", &["sf", "sqft", "square", "sq"]),
    ("cost_of_construction_usd", &["dollars", "usd"]),
    ("atlas_score", &["score", "points"]),
];

/// Translates a question.
///
/// # Errors
/// When the database refuses.
pub fn translate(conn: &Conn, entity: Entity, question: &str, now: DateTime<Utc>) -> Result<Translation, Error> {
    let mut reader = Reader { found: Translation::default(), not: false };
    let Entity::Records(dataset, place) = entity else {
        reader.skill(&spoken(question));
        return Ok(reader.found);
    };
    let (question, quoted) = quotations(question);
    let known = fields::fields(dataset, place);
    for name in quoted {
        if known.iter().any(|field| field.key == "name") {
            reader.value(&[], "name", json!(name));
        } else {
            reader.found.unmatched.push(name);
        }
    }
    let words = spoken(&question);
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let mut taken = reader.amount(&known, rest);
        if taken == 0 {
            taken = reader.days(&known, rest, now);
        }
        if taken == 0 {
            taken = reader.place(conn, dataset, &known, rest)?;
        }
        if taken == 0 {
            taken = reader.word(&known, place, rest);
        }
        at += if taken > 0 { taken } else { reader.other(&rest[0]) };
    }
    reader.unmatched(None);
    Ok(reader.found)
}

/// The words of a question, as spoken; amounts keep their signs.
fn spoken(question: &str) -> Vec<String> {
    let kept: String = question.chars().map(|c| if c == '_' { ' ' } else { c }).collect();
    let words = kept.split(|c: char| c.is_whitespace() || "?!;:()".contains(c));
    words.map(|word| word.trim_matches([',', '.', '\'', '"']).to_lowercase()).filter(|word| !word.is_empty()).collect()
}

/// The question without what stands in quotation marks, and that.
fn quotations(question: &str) -> (String, Vec<String>) {
    let parts: Vec<&str> = question.split(['"', '“', '”']).collect();
    let inside = |nth: usize| nth % 2 == 1 && nth + 1 < parts.len();
    let outside = parts.iter().enumerate().filter(|(nth, _)| !inside(*nth)).map(|(_, part)| *part).collect::<Vec<_>>().join(" ");
    let quoted = parts
        .iter()
        .enumerate()
        .filter(|(nth, part)| inside(*nth) && !part.trim().is_empty())
        .map(|(_, part)| part.trim().to_owned());
    (outside, quoted.collect())
}

struct Reader {
    found: Translation,
    not: bool,
}

impl Reader {
    /// A value of a key within relations, joined to what is there.
    fn value(&mut self, within: &[&str], key: &str, value: Value) {
        let mut filters = &mut self.found.filters;
        for relation in within {
            let inner = filters.entry(*relation).or_insert_with(|| json!({}));
            let Value::Object(inner) = inner else { return };
            filters = inner;
        }
        let filter = filters
            .entry(key)
            .or_insert_with(|| if self.not { json!({"value": [], "exclude": true}) } else { json!({"value": []}) });
        let excluded = filter.get("exclude").is_some();
        let name = within.iter().chain([&key]).copied().collect::<Vec<_>>().join(".");
        if excluded != self.not {
            self.found.unmatched.push(value.as_str().unwrap_or_default().to_owned());
        } else if let Some(values) = filter["value"].as_array_mut() {
            self.found.understood.push(format!(
                "{name} is {}{}",
                if self.not { "not " } else { "" },
                value.as_str().unwrap_or_default()
            ));
            values.push(value);
        }
        self.not = false;
    }

    /// An end of a range.
    fn end(&mut self, key: &str, end: &str, value: Value) {
        let said = if end == "min" { "at least" } else { "at most" };
        self.found
            .understood
            .push(format!("{key} is {said} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        let range = self.found.filters.entry(key).or_insert_with(|| json!({}));
        range[end] = value;
    }

    /// "more than 100 units", "over $5m".
    fn amount(&mut self, known: &[&Field], words: &[String]) -> usize {
        let starts = [
            (&["more", "than"][..], "min"),
            (&["at", "least"], "min"),
            (&["over"], "min"),
            (&["above"], "min"),
            (&["less", "than"], "max"),
            (&["fewer", "than"], "max"),
            (&["at", "most"], "max"),
            (&["up", "to"], "max"),
            (&["under"], "max"),
            (&["below"], "max"),
        ];
        let start = starts.into_iter().find(|(start, _)| !self.not && starts_with(words, start));
        let Some((start, end)) = start else { return 0 };
        let Some((number, money)) = words.get(start.len()).and_then(|word| number(word)) else { return 0 };
        let mut taken = start.len() + 1;
        let mut scaled = number;
        if let Some(scale) = words.get(taken).and_then(|word| scale(word)) {
            (scaled, taken) = (number * scale, taken + 1);
        }
        let unit = words.get(taken).and_then(|word| UNITS.iter().find(|(_, names)| names.contains(&word.as_str())));
        let key = match unit {
            Some((key, _)) => *key,
            None if money => "cost_of_construction_usd",
            None => return 0,
        };
        if !known.iter().any(|field| field.key == key && matches!(field.kind, Kind::Number)) {
            return 0;
        }
        taken += usize::from(unit.is_some());
        taken += usize::from(matches!(words.get(taken).map(String::as_str), Some("feet" | "ft")) && key == "gross_floor_area_sf");
        self.end(key, end, if scaled.fract() == 0.0 { json!(scaled as i64) } else { json!(scaled) });
        taken
    }

    /// "since 2026-03-01", "before 2026-03-01", "last 30 days", "past 2 weeks".
    fn days(&mut self, known: &[&Field], words: &[String], now: DateTime<Utc>) -> usize {
        let field = known.iter().find(|field| !self.not && matches!(field.kind, Kind::Date));
        let Some(field) = field else { return 0 };
        let is_day = |word: &&String| word.len() == 10 && word.parse::<chrono::NaiveDate>().is_ok();
        let (end, day, taken) = match words[0].as_str() {
            "since" | "after" | "from" => ("min", words.get(1).filter(is_day).cloned(), 2),
            "before" | "until" => ("max", words.get(1).filter(is_day).cloned(), 2),
            "last" | "past" => {
                let count: u64 = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
                let more = usize::from(words.get(1).is_some_and(|word| word.parse::<u64>().is_ok()));
                let unit = words.get(1 + more).map(|word| word.trim_end_matches('s'));
                let days = match unit {
                    Some("day") => 1,
                    Some("week") => 7,
                    Some("month") => 30,
                    Some("year") => 365,
                    _ => 0,
                };
                let day = count
                    .checked_mul(days)
                    .filter(|days| *days > 0)
                    .and_then(|days| now.date_naive().checked_sub_days(Days::new(days)));
                ("min", day.map(|day| day.to_string()), 2 + more)
            }
            _ => return 0,
        };
        let Some(day) = day else { return 0 };
        self.end(field.key, end, json!(day));
        taken
    }

    /// A state or a city, after "in" or by itself.
    fn place(&mut self, conn: &Conn, dataset: Dataset, known: &[&Field], words: &[String]) -> Result<usize, Error> {
        if !known.iter().any(|field| field.key == "state") {
            return Ok(0);
        }
        let after = usize::from(words[0] == "in");
        let words = &words[after..];
        let states = STATES.split(',').filter_map(|state| state.rsplit_once(' '));
        let mut named = states.filter_map(|(name, code)| {
            let spelled: Vec<&str> = name.split(' ').collect();
            let short = after == 1 && starts_with(words, &[&code.to_lowercase()]);
            (starts_with(words, &spelled) || short).then_some((code, if short { 1 } else { spelled.len() }))
        });
        let state = named.next();
        for count in (1..=3.min(words.len())).rev() {
            let city = words[..count].join(" ");
            if after == 1
                && state.is_none_or(|(_, spelled)| count > spelled)
                && let Some(city) = city_of(conn, dataset, &city)?
            {
                self.value(&[], "city", json!(city));
                return Ok(count + after);
            }
        }
        let Some((code, count)) = state else { return Ok(0) };
        self.value(&[], "state", json!(code));
        Ok(count + after)
    }

    /// A word of an enum: of the records, or of what is related to them.
    fn word(&mut self, known: &[&'static Field], place: Place, words: &[String]) -> usize {
        let own = known.iter().map(|field| (Vec::new(), *field));
        let related = known.iter().filter(|field| matches!(&field.kind, Kind::Relation(relation) if !relation.negated));
        let related = related.flat_map(|field| field.inner(place).into_iter().map(|inner| (vec![field.key], inner)));
        let mut best: Option<(usize, Vec<&str>, &Field, &str)> = None;
        for (within, field) in own.chain(related) {
            let Kind::Enum(values) = &field.kind else { continue };
            for value in values.all().into_iter().filter(|value| *value != "unknown" && *value != "other") {
                let spelled: Vec<&str> = value.split('_').collect();
                if is_spelled(words, &spelled) && best.as_ref().is_none_or(|(count, ..)| spelled.len() > *count) {
                    best = Some((spelled.len(), within.clone(), field, value));
                }
            }
        }
        let Some((count, within, field, value)) = best else { return 0 };
        self.value(&within, field.key, json!(value));
        count
    }

    /// A word that says nothing of values.
    fn other(&mut self, word: &str) -> usize {
        match word {
            "not" | "except" | "excluding" | "without" | "no" => self.not = true,
            word if EMPTY.contains(&word)
                || Dataset::ALL.iter().any(|dataset| is_spelled(&[word.to_owned()], &[dataset.singular()])) => {}
            word => self.unmatched(Some(word)),
        }
        1
    }

    /// A word that was not understood; a "not" before it is none either.
    fn unmatched(&mut self, word: Option<&str>) {
        if std::mem::take(&mut self.not) {
            self.found.unmatched.push("not".to_owned());
        }
        self.found.unmatched.extend(word.map(str::to_owned));
    }

    fn skill(&mut self, words: &[String]) {
        let mut at = 0;
        while at < words.len() {
            let rest = &words[at..];
            let enums =
                SKILL_ENUMS.iter().flat_map(|(key, values, multi)| values.iter().map(move |value| (*key, *value, *multi)));
            let mut fits: Vec<_> =
                enums.filter(|(_, value, _)| starts_with(rest, &value.split('_').collect::<Vec<_>>())).collect();
            fits.sort_by_key(|(_, value, _)| std::cmp::Reverse(value.len()));
            let Some((key, value, multi)) = fits.first() else {
                if !EMPTY.contains(&rest[0].as_str()) && !is_spelled(&rest[..1], &["skill"]) {
                    self.found.unmatched.push(rest[0].clone());
                }
                at += 1;
                continue;
            };
            self.found.understood.push(format!("{key} is {value}"));
            let filter = self.found.filters.entry(*key).or_insert_with(|| if *multi { json!([]) } else { json!(value) });
            if let Some(values) = filter.as_array_mut() {
                values.push(json!(value));
            }
            at += value.split('_').count();
        }
    }
}

fn starts_with(words: &[String], start: &[&str]) -> bool {
    words.len() >= start.len() && words.iter().zip(start).all(|(word, start)| word == start)
}

/// Whether words begin with a value's, the last one in the singular or the plural.
fn is_spelled(words: &[String], value: &[&str]) -> bool {
    let (Some(last), true) = (value.last(), words.len() >= value.len()) else { return false };
    let word = &words[value.len() - 1];
    let plural = |word: &str| {
        word == format!("{last}s")
            || word == format!("{last}es")
            || last.strip_suffix('y').is_some_and(|stem| word == format!("{stem}ies"))
    };
    starts_with(words, &value[..value.len() - 1]) && (word == last || plural(word))
}

/// "100", "1,200", "5m", "$2.5m": the number, and whether it is money.
fn number(word: &str) -> Option<(f64, bool)> {
    let bare = word.trim_start_matches('$').replace(',', "");
    let split = bare.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(bare.len());
    let (digits, suffix) = bare.split_at(split);
    let times = if suffix.is_empty() { 1.0 } else { scale(suffix)? };
    Some((digits.parse::<f64>().ok()? * times, word.starts_with('$')))
}

fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" => 1e3,
        "m" | "mm" | "million" => 1e6,
        "b" | "bn" | "billion" => 1e9,
        _ => return None,
    })
}

/// The city of this name, as the dataset spells it.
fn city_of(conn: &Conn, dataset: Dataset, name: &str) -> Result<Option<String>, Error> {
    let cities = cities(conn, dataset, &[name.to_owned()])?;
    Ok(cities.into_iter().find(|city| fuzzy::words(city) == fuzzy::words(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::search::tests::{now, world};

    #[test]
    fn a_question_becomes_filters_and_what_is_not_understood_is_told() {
        let conn = world(40);
        let city: String = conn.query_row("SELECT city FROM projects WHERE city LIKE '% %'", [], |row| row.get(0)).unwrap();
        for (entity, question, filters, unmatched) in [
            (
                "projects",
                "permitted multifamily projects in Texas",
                json!({"stage": {"value": ["permitted"]}, "primary_use": {"value": ["multifamily"]}, "state": {"value": ["TX"]}}),
                "",
            ),
            (
                "projects",
                "Hotels or offices under construction, in CA",
                json!({"primary_use": {"value": ["hotel", "office"]}, "stage": {"value": ["under_construction"]}, "state": {"value": ["CA"]}}),
                "",
            ),
            ("projects", "not in New York", json!({"state": {"value": ["NY"], "exclude": true}}), ""),
            (
                "projects",
                "over $2.5m with at least 1,200 units",
                json!({"cost_of_construction_usd": {"min": 2_500_000}, "residential_units": {"min": 1200}}),
                "",
            ),
            (
                "projects",
                "fewer than 10 stories and more than 5 thousand square feet",
                json!({"stories": {"max": 10}, "gross_floor_area_sf": {"min": 5000}}),
                "",
            ),
            (
                "projects",
                "projects with a permit issued last 2 weeks",
                json!({"has_signal": {"signal_type": {"value": ["permit_issued"]}}, "last_signal_at": {"min": "2026-06-25"}}),
                "",
            ),
            (
                "signals",
                "construction loans since 2026-03-01",
                json!({"signal_type": {"value": ["construction_loan"]}, "filed_at": {"min": "2026-03-01"}}),
                "",
            ),
            (
                "account",
                "tier 1 architects",
                json!({"icp_tier": {"value": ["tier_1"]}, "account_type": {"value": ["architect"]}}),
                "",
            ),
            ("projects", "\"Maple Court\"", json!({"name": {"value": ["Maple Court"]}}), ""),
            ("projects", "no more than 5 purple units", json!({}), "not more than 5 purple units"),
            ("projects", "what about the weather", json!({}), "about weather"),
            ("skill", "official published skills", json!({"source": ["official"], "lifecycle": ["published"]}), ""),
        ] {
            let found = translate(&conn, Entity::named(entity).unwrap(), question, now()).unwrap();
            assert_eq!(Value::Object(found.filters), filters, "{question}");
            assert_eq!(found.unmatched.join(" "), unmatched, "{question}");
        }
        let found = translate(&conn, Entity::named("projects").unwrap(), &format!("in {}", city.to_uppercase()), now()).unwrap();
        assert_eq!(found.filters["city"]["value"], json!([city]));
    }
}
