//! What is being built and where, in one line: from the payload of a signal, whatever its source
//! calls the description of work, or from the facts of a project.

use std::iter;

use serde_json::{Map, Value};

use super::conditions::capitalize;
use super::lenient::Number;
use super::number_format;
use super::projects::Project;

/// What is being built, and where, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// One line.
    pub work: Option<String>,
    /// What the source calls its record, which says less.
    pub record_type: Option<String>,
    pub city: Option<String>,
}

impl Description {
    /// From the payload of a signal.
    pub fn from_payload(payload: &Value) -> Description {
        let record_type = RECORD_TYPE_KEYS
            .iter()
            .find_map(|key| find_text(payload, key, &is_description))
            .map(write_as_sentence);
        Description {
            work: describe_work(payload),
            record_type,
            city: find_city(payload),
        }
    }
}

/// Maximum number of characters of a description; the payload has the rest.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// How deep a payload is searched: sources wrap their rows in `attributes` or `properties`.
const MAX_DEPTH: usize = 3;
/// Keys of the description of work, most specific first, without case, spaces and punctuation.
const DESCRIPTION_KEYS: &[&str] = &[
    "descriptionofwork",
    "workdescription",
    "workdesc",
    "scopeofwork",
    "proposedwork",
    "projectdescription",
    "permitdescription",
    "jobdescription",
    "description",
    "desc",
    "scope",
    "summary",
    "headline",
    "subject",
];
const RECORD_TYPE_KEYS: &[&str] = &[
    "documenttype",
    "permittypedefinition",
    "permittype",
    "recordtype",
    "casetype",
    "worktype",
    "doctype",
];
const CITY_KEYS: &[&str] = &[
    "city",
    "cityname",
    "municipality",
    "sitecity",
    "projectcity",
    "jurisdiction",
    "dateline",
];
/// Keys of addresses that end with a city.
const ADDRESS_KEYS: &[&str] = &[
    "address",
    "siteaddress",
    "siteaddr",
    "projectaddress",
    "location",
];
/// What clerks add to many descriptions, which says nothing of the work.
const BOILERPLATE: &[&str] = &[
    "maher na",
    "maher n/a",
    "maher ordinance na",
    "na maher",
    "as per plans",
];
/// Words that only introduce the number of another permit.
const REFERENCE_WORDS: &[&str] = &[
    "ref",
    "reference",
    "pa",
    "app",
    "appl",
    "application",
    "permit",
    "per",
    "under",
    "for",
    "to",
    "#",
    "no",
];
/// Words that stay in capitals.
const ACRONYMS: &[&str] = &[
    "ac", "ada", "adu", "ahu", "atm", "bess", "cbc", "cctv", "cebc", "ceqa", "cmu", "cup", "dbi",
    "dcp", "eifs", "ev", "evse", "fa", "gc", "gsf", "hoa", "hvac", "ibc", "iebc", "ii", "iii",
    "iv", "jadu", "led", "llc", "mep", "mfd", "mri", "nfpa", "pa", "ptac", "pud", "pv", "rtu",
    "sfbc", "sfd", "sfebc", "sffd", "sfr", "sro", "ti", "tod", "tpo", "ul", "usa", "vav", "vrf",
];

/// The description of work in a payload, in one line of sentence case.
pub fn describe_work(payload: &Value) -> Option<String> {
    DESCRIPTION_KEYS
        .iter()
        .find_map(|key| find_text(payload, key, &is_description))
        .map(write_as_sentence)
}

/// A project's size and use: `12-story residential, 140 units, 210,000 sf`.
pub fn describe_project(project: &Project) -> Option<String> {
    let count = |number: &Option<Number>| {
        number
            .as_ref()
            .and_then(Number::as_f64)
            .filter(|n| *n >= 1.0)
    };
    let sized = |number, unit: &str| {
        count(number).map(|n| {
            format!(
                "{} {unit}{}",
                format_whole(n),
                if n < 2.0 { "" } else { "s" }
            )
        })
    };
    let main_use = project
        .primary_use
        .as_deref()
        .map(|word| word.replace('_', " "))
        .filter(|word| !word.trim().is_empty());
    let stories = count(&project.stories).map(|n| format!("{}-story", format_whole(n)));
    let building = match (stories, main_use) {
        (Some(stories), main_use) => Some(format!(
            "{stories} {}",
            main_use.as_deref().unwrap_or("building")
        )),
        (None, main_use) => main_use,
    };
    let parts = [
        building,
        sized(&project.residential_units, "unit"),
        sized(&project.hotel_rooms, "room"),
        count(&project.gross_floor_area_sf).map(|n| format!("{} sf", format_whole(n))),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| capitalize(&text))
}

/// The city in a payload.
pub fn find_city(payload: &Value) -> Option<String> {
    let is_name = |text: &str| text.chars().any(char::is_alphabetic);
    let named = CITY_KEYS
        .iter()
        .find_map(|key| find_text(payload, key, &is_name));
    if let Some(city) = named
        .and_then(|text| text.split(',').next())
        .map(str::trim)
        .filter(|city| !city.is_empty())
    {
        return Some(capitalize_words(city));
    }
    let ends_with_city = |text: &str| city_of_address(text).is_some();
    let address = ADDRESS_KEYS
        .iter()
        .find_map(|key| find_text(payload, key, &ends_with_city))?;
    city_of_address(address).map(capitalize_words)
}

/// The city at the end of an address such as `906 N Congress Ave, Austin TX 78701` or `1 Main St,
/// Reno, NV`.
pub fn city_of_address(address: &str) -> Option<&str> {
    let is_state_or_zip = |word: &str| {
        let word = word.trim_matches('.');
        word.len() == 2 && word.chars().all(|c| c.is_ascii_uppercase())
            || word.len() >= 5 && word.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    // The parts behind commas, the last one first.
    let last = address.rsplit_once(',');
    let mut parts = iter::successors(last, |(before, _)| before.rsplit_once(','));
    parts.find_map(|(_, part)| {
        let mut city = part.trim();
        while let Some(last) = city
            .rsplit(char::is_whitespace)
            .next()
            .filter(|word| is_state_or_zip(word))
        {
            city = city[..city.len() - last.len()].trim_end();
        }
        let is_city = city.contains(char::is_alphabetic)
            && !city.contains(|c: char| c.is_ascii_digit() || c == '#');
        (is_city && !matches!(city, "USA" | "United States")).then_some(city)
    })
}

/// An address with its city, unless it names it.
pub fn join_address_and_city(address: Option<&str>, city: Option<&str>) -> Option<String> {
    match (address, city) {
        (Some(address), Some(city)) if !address.contains(city) => {
            Some(format!("{address}, {city}"))
        }
        (address, city) => address.or(city).map(str::to_owned),
    }
}

/// The first text under a key, here or in a nested object or list.
fn find_text<'a>(
    payload: &'a Value,
    wanted: &str,
    is_usable: &dyn Fn(&str) -> bool,
) -> Option<&'a str> {
    fn search<'a>(
        value: &'a Value,
        wanted: &str,
        is_usable: &dyn Fn(&str) -> bool,
        depth: usize,
    ) -> Option<&'a str> {
        let deeper = |value| {
            if depth == 0 {
                None
            } else {
                search(value, wanted, is_usable, depth - 1)
            }
        };
        match value {
            Value::Object(fields) => {
                find_field(fields, wanted, is_usable).or_else(|| fields.values().find_map(deeper))
            }
            Value::Array(items) => items.iter().find_map(deeper),
            _ => None,
        }
    }
    search(payload, wanted, is_usable, MAX_DEPTH)
}

fn find_field<'a>(
    fields: &'a Map<String, Value>,
    wanted: &str,
    is_usable: &dyn Fn(&str) -> bool,
) -> Option<&'a str> {
    let matches = |key: &str| {
        let letters = key
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase);
        letters.eq(wanted.chars())
    };
    fields
        .iter()
        .filter(|(key, _)| matches(key))
        .filter_map(|(_, value)| value.as_str())
        .find(|text| is_usable(text))
}

/// Whether a text says something: not `N/A` or a code.
fn is_description(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters > 2
        && !matches!(
            text.trim().to_lowercase().as_str(),
            "none" | "n/a" | "null" | "unknown" | "tbd" | "see plans"
        )
}

/// Leaves out boilerplate and the numbers of other permits: `per TI ref 201810032133` becomes `per
/// TI`.
fn drop_noise(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let number = word.trim_end_matches([',', '.', ':', ';', ')']);
        if !is_permit_number(number) {
            words.push(word.to_owned());
            continue;
        }
        while words.len() > 1 && words.last().is_some_and(|last| is_reference_word(last)) {
            words.pop();
        }
        if let Some(last) = words
            .last_mut()
            .filter(|last| last.ends_with(char::is_alphanumeric))
        {
            last.push_str(&word[number.len()..]);
        }
    }
    let text = words.join(" ");
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_end_matches(['.', ' ']);
    let end = BOILERPLATE
        .iter()
        .find_map(|words| lower.strip_suffix(words))
        .map_or(text.len(), str::len);
    let kept = text[..end].trim_end_matches([' ', ',', ';', ':', '-', '(', '/']);
    if kept.is_empty() || is_reference_word(kept) {
        line.to_owned()
    } else {
        kept.to_owned()
    }
}

/// Digits, often grouped or after `PA#`: too long for a floor, a suite or an amount.
fn is_permit_number(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let prefix = word[..word.len() - number.len()].to_lowercase();
    let is_prefix = prefix.is_empty()
        || REFERENCE_WORDS.contains(&prefix.trim_matches(['#', '(', '-', '.', ':', '"']))
        || prefix == "(";
    let digits = number.chars().filter(char::is_ascii_digit).count();
    is_prefix
        && digits >= 8
        && !number.contains(',')
        && number
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '/'))
}

fn is_reference_word(word: &str) -> bool {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric() && c != '#')
        .to_lowercase();
    let word = if word.len() > 1 {
        word.trim_matches('#')
    } else {
        &word
    };
    REFERENCE_WORDS.contains(&word)
}

/// One line. A text in one case becomes sentence case, with the usual acronyms in capitals.
fn write_as_sentence(text: &str) -> String {
    let line = drop_noise(text);
    let line =
        line.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '#' | '$'));
    let upper = line.chars().filter(|c| c.is_uppercase()).count();
    let lower = line.chars().filter(|c| c.is_lowercase()).count();
    let text = if upper > lower * 4 || upper == 0 {
        recase(line)
    } else {
        line.to_owned()
    };
    let text = capitalize(&text);
    let text = match text.strip_prefix("New construction: ") {
        Some(building) => format!("New {building}"),
        None => text,
    };
    match text.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((end, _)) => text[..end].trim_end().to_owned() + "…",
        None => text,
    }
}

/// Writes each word in lower case, except acronyms, model numbers and the first of a sentence.
fn recase(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if !first.is_alphanumeric() {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let starts_sentence = [". ", "! ", "? "].iter().any(|mark| out.ends_with(mark));
        let word = recase_word(&rest[..end]);
        out.push_str(&if starts_sentence {
            capitalize(&word)
        } else {
            word
        });
        rest = &rest[end..];
    }
    out
}

fn recase_word(word: &str) -> String {
    let lower = word.to_lowercase();
    let letters = lower.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_digits = word.chars().any(|c| c.is_ascii_digit());
    match () {
        () if ACRONYMS.contains(&lower.as_str()) => word.to_uppercase(),
        () if has_digits && !matches!(letters, "st" | "nd" | "rd" | "th") => word.to_owned(),
        () => lower,
    }
}

/// A name in one case, with capitals: `SAN FRANCISCO` as `San Francisco`.
fn capitalize_words(name: &str) -> String {
    let is_one_case = name == name.to_uppercase() || name == name.to_lowercase();
    let words = name.split_whitespace().map(|word| {
        if is_one_case {
            capitalize(&word.to_lowercase())
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn format_whole(n: f64) -> String {
    number_format::group_digits(&format!("{n:.0}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_description_of_work_is_found_whatever_the_source_calls_it() {
        let rows = [
            (
                json!({"Permit Number": "201810011823", "Description": "suite# 4050: revision demo of non loading beam, partital ti project"}),
                "Suite# 4050: revision demo of non loading beam, partital TI project",
            ),
            (
                json!({"Description": "12th floor: (3) hvac units\nref pa 2016-0226-0661. maher na"}),
                "12th floor: (3) HVAC units.",
            ),
            (
                json!({"Description": "revision to 201609288956: layout changes, maher na"}),
                "Revision: layout changes",
            ),
            (
                json!({"Description": "per ti ref 201810032133 f/a modification; ref pa# 201809 and 10,000,000 sf"}),
                "Per TI f/a modification; ref PA# 201809 and 10,000,000 sf",
            ),
            (
                json!({"Description": "ref 201810032133"}),
                "Ref 201810032133",
            ),
            (json!({"Description": "maher na"}), "Maher na"),
            (
                json!({"WORK_DESCRIPTION": "INSTALL FREE STANDING LIEBHERR 316 EC-H 12 LITRONIC TOWER CRANE"}),
                "Install free standing liebherr 316 ec-h 12 litronic tower crane",
            ),
            (
                json!({"WORK_DESCRIPTION": "PHASE 2: TOWER CRANE TIE-IN FOR MANITOWOC MD485, 2ND FLOOR. AS PER PLANS."}),
                "Phase 2: tower crane tie-in for manitowoc MD485, 2nd floor.",
            ),
            (
                json!({"attributes": {"CASE_TYPE": "Demolition", "WORK_DESC": "NEW CONSTRUCTION: 5-STORY BUILDING, 164 DWELLING UNITS, 140000 GSF"}}),
                "New 5-story building, 164 dwelling units, 140000 GSF",
            ),
            (
                json!({"record_type": "Commercial", "description": "TENANT IMPROVEMENT, 8200 SF, NO CHANGE OF USE"}),
                "Tenant improvement, 8200 sf, no change of use",
            ),
            (
                json!({"properties": {"Proposed Work": "Detached ADU over a garage"}}),
                "Detached ADU over a garage",
            ),
            (json!({"rows": [{"scope": "re-roof"}]}), "Re-roof"),
            (
                json!({"headline": "Acme plans Dock 5", "summary": "Dock 5 is planned as a 9-story, 80-unit building."}),
                "Dock 5 is planned as a 9-story, 80-unit building.",
            ),
            (
                json!({"description": "N/A", "scope": "ADD VAV BOXES"}),
                "Add VAV boxes",
            ),
        ];
        for (payload, expected) in rows {
            assert_eq!(
                describe_work(&payload).as_deref(),
                Some(expected),
                "{payload}"
            );
        }
    }

    #[test]
    fn a_payload_without_words_describes_nothing() {
        for payload in [
            json!(null),
            json!("text"),
            json!({"Description": " "}),
            json!({"desc": 7}),
            json!({"description": "B2"}),
        ] {
            assert_eq!(describe_work(&payload), None, "{payload}");
        }
        let long = describe_work(&json!({"description": "é".repeat(10_000)})).unwrap();
        assert_eq!(long.chars().count(), MAX_DESCRIPTION_CHARS + 1);
        let deep = (0..50).fold(json!({"description": "deep"}), |inner, _| json!([inner]));
        assert_eq!(describe_work(&deep), None);
    }

    #[test]
    fn without_a_description_of_work_the_type_of_record_is_known() {
        let deed =
            Description::from_payload(&json!({"document_type": "DEED OF TRUST", "legal": "LOT 7"}));
        assert_eq!(
            (deed.work, deed.record_type.as_deref()),
            (None, Some("Deed of trust"))
        );
    }

    #[test]
    fn a_project_is_described_by_its_size_and_use() {
        let project = |fields: Value| {
            let mut fields = fields;
            fields["id"] = json!("018f4d3a-0000-7000-8000-000000000001");
            serde_json::from_value::<Project>(fields).unwrap()
        };
        let rows = [
            (
                json!({"primary_use": "residential", "stories": 12, "residential_units": 140, "gross_floor_area_sf": 210000}),
                Some("12-story residential, 140 units, 210,000 sf"),
            ),
            (
                json!({"primary_use": "mixed_use", "residential_units": 1}),
                Some("Mixed use, 1 unit"),
            ),
            (
                json!({"stories": 3, "hotel_rooms": 90}),
                Some("3-story building, 90 rooms"),
            ),
            (json!({"stories": 0, "primary_use": null}), None),
        ];
        for (fields, expected) in rows {
            assert_eq!(
                describe_project(&project(fields.clone())).as_deref(),
                expected,
                "{fields}"
            );
        }
    }

    #[test]
    fn the_city_comes_from_the_payload_or_the_end_of_an_address() {
        let payloads = [
            (
                json!({"Address": "906 N Congress Ave, Austin TX 78701"}),
                Some("Austin"),
            ),
            (
                json!({"attributes": {"CITY": "FORT WORTH"}}),
                Some("Fort Worth"),
            ),
            (json!({"dateline": "Denver, CO"}), Some("Denver")),
            (json!({"address": "415 Mission St"}), None),
        ];
        for (payload, city) in payloads {
            assert_eq!(find_city(&payload).as_deref(), city, "{payload}");
        }
        let addresses = [
            ("1 Main St, Suite 400, Reno, NV 89501, USA", Some("Reno")),
            ("1 Main St, St. Paul MN", Some("St. Paul")),
            ("1 Main St, Suite 400", None),
            ("1 Main St", None),
        ];
        for (address, city) in addresses {
            assert_eq!(city_of_address(address), city, "{address}");
        }
    }
}
