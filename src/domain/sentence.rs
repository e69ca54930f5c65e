//! Filters as a sentence that a person can check before paying: `Permitted hotel projects in Austin
//! with no general contractor.`
//!
//! It is built from the words that people use: values become nouns and adjectives where there are
//! such, and no key is shown that has a name. "No account that is a gc" and "some account that is
//! not a gc" are different filters, so their sentences differ.

use chrono::NaiveDate;
use serde_json::Value;

use super::conditions::{
    Conditions, Test, capitalize, display_value, exclusive_bound, join_with_or,
};
use super::field_kind::{humanize_key, role_name};
use super::lenient::Number;
use super::number_format;
use super::period::{Period, describe_day};
use super::vocabulary::{ValueKind, Vocabulary, VocabularyField};

/// Describes a search of a dataset in a sentence, and its words in another.
pub fn describe_search(
    dataset: &str,
    filters: &Conditions,
    query: &str,
    vocabulary: &Vocabulary,
) -> String {
    let noun = humanize_key(dataset.trim_end_matches('s'));
    let sentence = match filters.is_empty() {
        true => format!("All {noun}s."),
        false => {
            let mut phrase = RecordPhrase::new(&noun, true);
            phrase.add_filters(filters, &vocabulary.fields);
            format!("{}.", capitalize(&phrase.write_words()))
        }
    };
    match query {
        "" => sentence,
        words => format!("{sentence} Words: {words}."),
    }
}

/// Records in words: `permitted hotel projects in Austin costing $20M or more`.
#[derive(Default)]
struct RecordPhrase<'a> {
    /// `project`
    dataset: &'a str,
    is_plural: bool,
    adjectives: Vec<String>,
    /// What they are called, if that says more than their dataset.
    noun: Option<String>,
    /// What follows the noun immediately.
    clauses: Vec<String>,
    /// Places, by whether they are excluded.
    places: [Vec<String>; 2],
    /// What else is said, and its rank in the sentence.
    rest: Vec<(Rank, String)>,
}

/// The order of what is said, so that nothing seems to be about related records that is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    State,
    Amount,
    Value,
    Relation,
}

impl<'a> RecordPhrase<'a> {
    fn new(dataset: &'a str, is_plural: bool) -> RecordPhrase<'a> {
        RecordPhrase {
            dataset,
            is_plural,
            ..RecordPhrase::default()
        }
    }

    fn add_filters(&mut self, filters: &Conditions, fields: &[VocabularyField]) {
        for (key, filter) in filters.criteria() {
            let field = fields.iter().find(|field| field.key == *key);
            let words = describe_criterion(key, filter, field);
            match filter {
                Test::Values {
                    values,
                    exact: false,
                    exclude,
                } if !values.is_empty() => self.add_values(key, values, *exclude, words),
                Test::Values { .. } => self.rest.push((Rank::Value, words)),
                Test::Range { .. } if self.dataset == "signal" => self.clauses.push(words),
                Test::Range { .. } => self.rest.push((Rank::Amount, words)),
                Test::Related(_) => self.rest.push((Rank::Relation, words)),
            }
        }
    }

    /// Adds values of a field, with these words if there are no better ones.
    fn add_values(&mut self, key: &str, values: &[Value], is_excluded: bool, words: String) {
        let values: Vec<String> = values.iter().map(display_value).collect();
        let names: Vec<String> = values.iter().map(|value| role_name(value)).collect();
        let states = join_with_or(&names).replace("permit review", "in permit review");
        let nouns = names.iter().map(|name| self.name_records(name));
        let nouns = join_with_or(&nouns.collect::<Vec<_>>());
        let is_in_a_word = !["other", "not_installed"].contains(&values[0].as_str());
        match (self.dataset, key) {
            (_, "city" | "state") => {
                let places = &mut self.places[usize::from(is_excluded)];
                let at = if key == "city" { 0 } else { places.len() };
                places.insert(at, join_with_or(&values));
            }
            ("account", "role" | "account_type") | ("signal", "signal_type")
                if !is_excluded && self.noun.is_none() =>
            {
                self.noun = Some(nouns);
            }
            ("account", "role" | "account_type") => {
                let not = if is_excluded { "not " } else { "" };
                let article = match self.is_plural {
                    true => String::new(),
                    false => format!("{} ", indefinite_article(&nouns)),
                };
                self.add_state(&format!("{not}{article}"), &nouns);
            }
            ("project", "stage") if is_excluded => self.add_state("not ", &states),
            ("project", "stage") if values.len() > 1 => self.add_state("", &states),
            ("project", "stage") if states.starts_with("in ") || states.starts_with("under ") => {
                self.clauses.push(states);
            }
            ("project", "stage") if !states.contains(' ') => self.adjectives.insert(0, states),
            ("project", "stage") => self.add_state("", &states),
            ("project", "primary_use") | ("account", "icp_tier") | ("skill", _)
                if !is_excluded && is_in_a_word =>
            {
                let words = states.replace("mixed use", "mixed-use");
                self.adjectives
                    .push(words.replace("single family", "single-family"));
            }
            ("account", "icp_tier") => self.add_state("not ", &states),
            ("skill", _) => self.add_state("", &states),
            _ => self.rest.push((Rank::Value, words)),
        }
    }

    /// Says what they are: `that are not permitted`.
    fn add_state(&mut self, not: &str, words: &str) {
        let be = if self.is_plural { "are" } else { "is" };
        self.rest
            .push((Rank::State, format!("that {be} {not}{words}")));
    }

    /// One or several records that are called by this name.
    fn name_records(&self, name: &str) -> String {
        match name.rsplit_once(' ') {
            _ if !self.is_plural => name.to_owned(),
            Some((noun, event @ ("issued" | "filed"))) => format!("{noun}s {event}"),
            _ => format!("{name}s"),
        }
    }

    /// Whether it says more than that they are records.
    fn is_specific(&self) -> bool {
        self.noun.is_some() || !self.adjectives.is_empty()
    }

    fn write_words(mut self) -> String {
        let noun = self
            .noun
            .clone()
            .unwrap_or_else(|| self.name_records(self.dataset));
        // a permit that was issued is not "filed" as well
        let is_event = noun.ends_with("issued") || noun.ends_with("filed");
        for clause in self.clauses.iter_mut().filter(|_| is_event) {
            *clause = clause.trim_start_matches("filed ").to_owned();
        }
        let mut words = self.adjectives;
        words.push(noun);
        words.extend(self.clauses);
        let [inside, outside] = self.places;
        let (inside, outside) = (inside.join(", "), join_with_or(&outside));
        words.extend(match (inside.as_str(), outside.as_str()) {
            ("", "") => None,
            (inside, "") => Some(format!("in {inside}")),
            ("", outside) => Some(format!("not in {outside}")),
            (inside, outside) => Some(format!("in {inside} but not in {outside}")),
        });
        self.rest.sort_by_key(|(rank, _)| *rank);
        let mut rest: Vec<String> = Vec::new();
        let mut goes_on = false;
        for (rank, part) in self.rest {
            // "with 5 or more stories and no general contractor"
            let words = part.strip_prefix("with ").filter(|_| goes_on);
            rest.push(words.unwrap_or(&part).to_owned());
            goes_on = rank == Rank::Amount && part.starts_with("with ");
        }
        let head = words.join(" ");
        let comma = if inside.contains(", ") { "," } else { "" };
        match rest.as_slice() {
            [] => head,
            [one] => format!("{head}{comma} {one}"),
            [one, other] if one.starts_with("that ") => format!("{head}{comma} {one}, {other}"),
            [one, other] => format!("{head}{comma} {one} and {other}"),
            [rest @ .., last] => format!("{head}{comma} {}, and {last}", rest.join(", ")),
        }
    }
}

/// A condition in words that fit behind any noun.
pub(super) fn describe_criterion(
    key: &str,
    filter: &Test,
    field: Option<&VocabularyField>,
) -> String {
    match filter {
        Test::Values {
            values,
            exact,
            exclude,
        } => describe_values(key, values, (*exact, *exclude), field),
        Test::Range {
            min: None,
            max: None,
            exclude,
        } => format!("with {}", describe_known(key, !exclude)),
        Test::Range { min, max, exclude } => {
            let bounds = [min.as_ref(), max.as_ref()];
            let is_day = match field {
                Some(field) => field.kind == ValueKind::Date,
                None => bounds.into_iter().flatten().any(Value::is_string),
            };
            let not = if *exclude { "not " } else { "" };
            let words = if is_day {
                describe_days(key, bounds.map(|bound| Some(display_value(bound?))))
            } else {
                let min = min.as_ref().map(|min| Bound::new(key, min, true));
                let max = max.as_ref().map(|max| Bound::new(key, max, false));
                describe_amount(key, min, max)
            };
            format!("{not}{words}")
        }
        Test::Related(inner) => {
            let fields = field.map_or(&[][..], |field| &field.fields);
            let (how, noun) = key.split_once('_').unwrap_or(("related by", key));
            let noun = humanize_key(noun);
            let mut phrase = RecordPhrase::new(&noun, false);
            phrase.add_filters(inner, fields);
            let is_specific = phrase.is_specific();
            let is_one =
                phrase.noun.is_some() || phrase.rest.iter().any(|(rank, _)| *rank == Rank::State);
            phrase.is_plural = how == "without" && !is_one;
            let words = phrase.write_words();
            let article = indefinite_article(&words);
            match how {
                "without" => format!("with no {words}"),
                "has" if is_specific => format!("with {article} {words}"),
                "has" => format!("with at least one {words}"),
                how => format!("{how} {article} {words}"),
            }
        }
    }
}

/// Values of a field, which may be compared exactly, or excluded.
fn describe_values(
    key: &str,
    values: &[Value],
    (is_exact, is_excluded): (bool, bool),
    field: Option<&VocabularyField>,
) -> String {
    let name = name_field(key);
    let is_text = field.map_or(key == "name", |field| {
        field.kind == ValueKind::Text && !field.as_written
    });
    let not = if is_excluded { "not " } else { "" };
    let humanize = |value: &Value| match is_text {
        true => display_value(value),
        false => role_name(&display_value(value)),
    };
    let words: Vec<String> = values.iter().map(humanize).collect();
    let words = join_with_or(&words);
    match (key, values) {
        (_, []) => format!("whose {name} is ... (no value yet)"),
        ("city" | "state", _) if !is_exact => format!("{not}in {words}"),
        ("tags", _) => format!("{not}tagged {words}"),
        (_, [Value::Bool(is_known)]) if key.ends_with("_known") => {
            let key = key.trim_end_matches("_known");
            format!("with {}", describe_known(key, *is_known != is_excluded))
        }
        ("name", _) if !is_exact => format!("whose name is {not}like {words}"),
        _ if is_exact => format!("whose {name} is {not}exactly {words}"),
        _ => format!("whose {name} is {not}{words}"),
    }
}

/// What a field is called where it has no better words.
fn name_field(key: &str) -> String {
    match key {
        "gc_status" => "general contractor status".to_owned(),
        "signal_type" => "type".to_owned(),
        "email" => "email address".to_owned(),
        "cost_of_construction_usd" => "cost".to_owned(),
        "gross_floor_area_sf" => "square feet".to_owned(),
        "filed_at" => "filing date".to_owned(),
        key => humanize_key(key.trim_end_matches("_id").trim_end_matches("_at")),
    }
}

/// `a known cost`, `an unknown number of stories`.
pub(super) fn describe_known(key: &str, is_known: bool) -> String {
    let known = if is_known { "a known" } else { "an unknown" };
    match name_field(key) {
        name if is_plural(&name) => format!("{known} number of {name}"),
        name => format!("{known} {name}"),
    }
}

/// An end of a range of numbers.
#[derive(PartialEq)]
struct Bound {
    /// `$20M`, `1,200`.
    text: String,
    /// The number itself is not in the range.
    is_exclusive: bool,
}

impl Bound {
    fn new(key: &str, bound: &Value, is_min: bool) -> Bound {
        let excluded = exclusive_bound(bound, is_min);
        let shown = excluded.as_ref().unwrap_or(bound);
        let text = match serde_json::from_value::<Number>(shown.clone()) {
            Ok(Number::Int(dollars)) if key.ends_with("_usd") => format_exact_dollars(dollars),
            Ok(Number::Int(n)) => number_format::group_digits(&n.to_string()),
            _ => display_value(shown),
        };
        Bound {
            text,
            is_exclusive: excluded.is_some(),
        }
    }
}

/// `costing $20M or more`, `with 5 to 9 stories`, `with a score of more than 70`.
fn describe_amount(key: &str, min: Option<Bound>, max: Option<Bound>) -> String {
    let name = name_field(key.trim_end_matches("_count"));
    let unit = match is_plural(&name) {
        true if min == max && min.as_ref().is_some_and(|min| min.text == "1") => {
            let singular = name.replace("ies", "y");
            format!(" {}", singular.trim_end_matches('s'))
        }
        true => format!(" {name}"),
        false => String::new(),
    };
    let least = if unit.is_empty() {
        "or less"
    } else {
        "or fewer"
    };
    let amount = match (min, max) {
        (Some(min), Some(max)) if min == max => min.text,
        (Some(min), Some(max)) if !min.is_exclusive && !max.is_exclusive => {
            format!("{} to {}", min.text, max.text)
        }
        (min, max) => {
            let min = min.map(|min| match min.is_exclusive {
                true => format!("more than {}", min.text),
                false => format!("{} or more", min.text),
            });
            let max = max.map(|max| match max.is_exclusive {
                true => format!("less than {}", max.text),
                false => format!("{} {least}", max.text),
            });
            let sides: Vec<String> = min.into_iter().chain(max).collect();
            sides.join(" and ")
        }
    } + &unit;
    match key {
        "cost_of_construction_usd" => format!("costing {amount}"),
        _ if unit.is_empty() => format!("with {} {name} of {amount}", indefinite_article(&name)),
        _ => format!("with {amount}"),
    }
}

/// `filed in November 2026`, `with a signal since May 1, 2026`.
fn describe_days(key: &str, bounds: [Option<String>; 2]) -> String {
    let event = match key {
        "last_signal_at" => "whose last signal was".to_owned(),
        key => key.trim_end_matches("_at").replace('_', " "),
    };
    let parse = |day: &String| day.parse::<NaiveDate>().ok();
    let show = |day: &String| parse(day).map_or_else(|| day.clone(), describe_day);
    match bounds.each_ref().map(Option::as_ref) {
        [Some(min), None] if key == "last_signal_at" => {
            format!("with a signal since {}", show(min))
        }
        [Some(min), None] => format!("{event} since {}", show(min)),
        [None, Some(max)] => format!("{event} on or before {}", show(max)),
        [Some(min), Some(max)] if key == "last_signal_at" => {
            format!("{event} between {} and {}", show(min), show(max))
        }
        [Some(min), Some(max)] => match parse(min).zip(parse(max)) {
            Some((min, max)) => format!("{event} {}", Period::new(min, max).describe()),
            None => format!("{event} from {min} to {max}"),
        },
        [None, None] => event,
    }
}

/// Exact, and as short as people write it: `$20M`, `$250k`, `$1,234,567`.
fn format_exact_dollars(dollars: i64) -> String {
    match dollars {
        n if n >= 1_000_000_000 && n % 100_000_000 == 0 => format!("${}B", n as f64 / 1e9),
        n if n >= 1_000_000 && n % 10_000 == 0 => format!("${}M", n as f64 / 1e6),
        n if (1_000..1_000_000).contains(&n) && n % 100 == 0 => format!("${}k", n as f64 / 1e3),
        n => format!("${}", number_format::group_digits(&n.to_string())),
    }
}

/// Whether a field's name is a plural, as in `tags`, but not `status` or `address`.
fn is_plural(name: &str) -> bool {
    name.ends_with('s') && !name.ends_with("us") && !name.ends_with("ss") || name == "square feet"
}

fn indefinite_article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn records_are_called_what_people_call_them() {
        for (dataset, filters, words) in [
            (
                "accounts",
                json!({"account_type": {"value": "gc"}, "without_contact": {}}),
                "General contractors with no contacts.",
            ),
            (
                "accounts",
                json!({"account_type": {"value": ["architect", "engineer"]}, "city": {"value": "Houston"}}),
                "Architects or engineers in Houston.",
            ),
            (
                "accounts",
                json!({"icp_tier": {"value": "tier_1"}, "account_type": {"value": "gc", "exclude": true}, "tags": {"value": "hot"}}),
                "Tier 1 accounts that are not general contractors, tagged hot.",
            ),
            (
                "contacts",
                json!({"at_account": {"account_type": {"value": "architect"}, "city": {"value": "Austin"}}}),
                "Contacts at an architect in Austin.",
            ),
            (
                "signals",
                json!({"for_project": {"city": {"value": "Austin"}}, "filed_at": {"min": "2026-07-08", "max": "2026-07-08"}, "signal_type": {"value": "permit_issued"}}),
                "Permits issued on July 8, 2026 for a project in Austin.",
            ),
            (
                "signals",
                json!({"signal_type": {"value": "construction_loan"}, "filed_at": {"min": "2025-09-01"}}),
                "Construction loans filed since September 1, 2025.",
            ),
            (
                "skills",
                json!({"source": {"value": "official"}, "lifecycle": {"value": "published"}}),
                "Published official skills.",
            ),
        ] {
            let filters = Conditions::from_json(&filters).unwrap();
            let sentence = describe_search(dataset, &filters, "", &Vocabulary::default());
            assert_eq!(sentence, words);
        }
    }

    #[test]
    fn a_search_is_described_in_a_sentence() {
        let role = json!([{"key": "role", "kind": "enum"}, {"key": "name", "kind": "text"}]);
        let vocabulary = serde_json::from_value(json!([
            {"key": "primary_use", "kind": "enum"}, {"key": "city", "kind": "text"}, {"key": "filed_at", "kind": "date"},
            {"key": "tags", "kind": "enum"}, {"key": "signal_type", "kind": "enum"},
            {"key": "has_account", "kind": "relation", "fields": role}, {"key": "without_account", "kind": "relation", "fields": role},
        ]))
        .unwrap();
        let role =
            |key: &str, exclude: bool| json!({key: {"role": {"value": "gc", "exclude": exclude}}});
        for (filters, words) in [
            (json!({}), "All projects."),
            (
                json!({"primary_use": {"value": "mixed_use"}}),
                "Mixed-use projects.",
            ),
            (
                json!({"primary_use": {"value": "multifamily"}, "city": {"value": "Austin"}, "cost_of_construction_usd": {"min": 20_000_000}}),
                "Multifamily projects in Austin costing $20M or more.",
            ),
            (
                json!({"city": {"value": ["A", "B", "C"], "exclude": true}}),
                "Projects not in A, B or C.",
            ),
            (
                json!({"city": {"value": "A", "exclude": true, "exact_match": true}}),
                "Projects whose city is not exactly A.",
            ),
            (
                role("without_account", false),
                "Projects with no general contractor.",
            ),
            (
                role("has_account", true),
                "Projects with at least one account that is not a general contractor.",
            ),
            (
                json!({"has_account": {}}),
                "Projects with at least one account.",
            ),
            (json!({"tags": {"value": "q3"}}), "Projects tagged q3."),
            (
                json!({"tags": {"value": "q3", "exclude": true}}),
                "Projects not tagged q3.",
            ),
            (
                json!({"filed_at": {"min": "2026-07-01"}}),
                "Projects filed since July 1, 2026.",
            ),
            (
                json!({"filed_at": {"min": "2026-11-01", "max": "2026-11-30"}, "signal_type": {"value": "permit_issued"}}),
                "Projects filed in November 2026 and whose type is permit issued.",
            ),
            (
                json!({"stories": {}}),
                "Projects with a known number of stories.",
            ),
            (
                json!({"state": {"value": "TX"}, "stories": {"min": 12}, "residential_units": {"max": 99}}),
                "Projects in TX with 99 or fewer residential units and 12 or more stories.",
            ),
            (
                json!({"signals_count": {"min": 5, "max": 9}, "stage": {"value": "not_started"}}),
                "Projects that are not started, with 5 to 9 signals.",
            ),
            (
                json!({"last_signal_at": {"min": "2026-01-01"}}),
                "Projects with a signal since January 1, 2026.",
            ),
            (
                json!({"stage": {"value": "under_construction"}, "city": {"value": "Austin"}, "state": {"value": "TX"}}),
                "Projects under construction in Austin, TX.",
            ),
            (
                json!({"stage": {"value": ["approved", "permitted"]}, "cost_of_construction_usd": {"max": 5_000_000}}),
                "Projects that are approved or permitted, costing $5M or less.",
            ),
            (
                json!({"state": {"value": "TX"}, "city": {"value": "Houston", "exclude": true}}),
                "Projects in TX but not in Houston.",
            ),
            (
                json!({"has_signal": {"signal_type": {"value": "permit_issued"}, "filed_at": {"min": "2026-11-01", "max": "2026-11-30"}}}),
                "Projects with a permit issued in November 2026.",
            ),
            (
                json!({"without_signal": {"filed_at": {"min": "2026-05-01"}}, "gross_floor_area_sf": {"min": 50_000}}),
                "Projects with 50,000 or more square feet and no signals filed since May 1, 2026.",
            ),
            (
                json!({"has_account": {"name": {"value": "Hines"}, "role": {"value": "owner"}}, "gc_status": {"value": "bidding"}}),
                "Projects whose general contractor status is bidding and with an owner whose name is like Hines.",
            ),
            (
                json!({"last_signal_at": {"min": "2025-12-01", "max": "2026-02-28"}, "stories": {"min": 1, "max": 1}}),
                "Projects whose last signal was between December 1, 2025 and February 28, 2026 and with 1 story.",
            ),
            (
                json!({"stories_known": {"value": false}, "name": {"value": "Maple", "exact_match": true}}),
                "Projects whose name is exactly Maple and with an unknown number of stories.",
            ),
            (
                json!({"at_account": {"name": {"value": "X"}}}),
                "Projects at an account whose name is like X.",
            ),
        ] {
            assert_eq!(
                describe_search(
                    "projects",
                    &Conditions::from_json(&filters).unwrap(),
                    "",
                    &vocabulary
                ),
                words
            );
        }
    }
}
