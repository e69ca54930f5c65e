//! The lines of a list: what each looks for, and the records that may be meant.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::columns::host_of;
use crate::domain::book::RecordKind;
use crate::domain::records::RecordFields;

/// Words at the end of a firm's name that a list may leave out.
const LEGAL_FORMS: &[&str] = &[
    "co",
    "company",
    "corp",
    "corporation",
    "inc",
    "incorporated",
    "llc",
    "llp",
    "lp",
    "ltd",
    "limited",
    "pc",
    "pllc",
];
/// Short forms of the words of a street.
const STREET_WORDS: &[(&str, &str)] = &[
    ("avenue", "ave"),
    ("boulevard", "blvd"),
    ("drive", "dr"),
    ("east", "e"),
    ("highway", "hwy"),
    ("lane", "ln"),
    ("north", "n"),
    ("parkway", "pkwy"),
    ("place", "pl"),
    ("road", "rd"),
    ("south", "s"),
    ("street", "st"),
    ("west", "w"),
];

/// What a line says about the record that it means; empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct LineTerms {
    pub name: String,
    pub domain: String,
    pub email: String,
    pub address: String,
    pub city: String,
    pub state: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListLine {
    /// Its number in the file.
    pub number: u64,
    pub terms: LineTerms,
    /// The name that the user looks for in its place.
    #[serde(default)]
    pub words: Option<String>,
    pub state: LineState,
    pub candidates: Vec<Candidate>,
    /// The candidate that is saved.
    pub chosen: Option<usize>,
    /// Whether its exact name was looked for.
    pub(super) was_searched_exactly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineState {
    /// Not searched yet.
    Waiting,
    Found,
    /// The only record found has another name, place or domain: the user decides.
    Similar,
    /// It may mean several records.
    Several,
    None,
    /// It could not be searched, and why.
    Failed(String),
    Saved,
    /// It was chosen and could not be saved, and why.
    NotSaved(String),
}

impl LineState {
    /// The name in output of the command line and on the screen.
    pub fn title(&self) -> &'static str {
        match self {
            LineState::Waiting => "waiting",
            LineState::Found => "found",
            LineState::Similar => "similar",
            LineState::Several => "several",
            LineState::None => "none",
            LineState::Failed(_) => "failed",
            LineState::Saved => "saved",
            LineState::NotSaved(_) => "not saved",
        }
    }
}

/// A record that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    pub id: Uuid,
    pub name: String,
    /// What tells it from others of the same name: place, domain, title.
    pub detail: String,
    pub fit: Fit,
}

/// How well a record fits a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// It has the name, domain, email or address of the line, and nothing speaks against it.
    Same,
    OtherPlace,
    OtherDomain,
    SimilarName,
}

impl Fit {
    /// What keeps it from being the same; empty if it is.
    pub fn doubt(self) -> &'static str {
        match self {
            Fit::Same => "",
            Fit::OtherPlace => "another city",
            Fit::OtherDomain => "another domain",
            Fit::SimilarName => "similar name",
        }
    }
}

impl Candidate {
    pub fn is_same(&self) -> bool {
        self.fit == Fit::Same
    }
}

impl LineTerms {
    /// Whether it says anything that a search of this kind understands.
    pub fn can_match(&self, kind: &RecordKind) -> bool {
        match kind {
            RecordKind::Contacts => !self.name.is_empty() || !self.email.is_empty(),
            RecordKind::Projects => !self.name.is_empty() || !self.address.is_empty(),
            _ => !self.name.is_empty() || !self.domain.is_empty(),
        }
    }

    /// What the line is called on the screen.
    pub fn label(&self) -> &str {
        [&self.name, &self.domain, &self.email, &self.address]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or("", String::as_str)
    }

    /// The rest of what it says.
    pub fn detail(&self) -> String {
        let parts = [
            &self.name,
            &self.domain,
            &self.email,
            &self.address,
            &self.city,
            &self.state,
        ]
        .into_iter();
        let parts: Vec<&str> = parts
            .map(String::as_str)
            .filter(|text| !text.is_empty())
            .skip(1)
            .collect();
        parts.join(", ")
    }

    /// Whether a record is the one that is meant.
    pub(super) fn compare_with(&self, fields: &RecordFields) -> Fit {
        let same_name = !self.name.is_empty()
            && normalize_name(fields.text("name").unwrap_or_default())
                == normalize_name(&self.name);
        let hosts: Vec<String> = fields
            .list("domains")
            .into_iter()
            .chain(fields.text("website"))
            .map(host_of)
            .filter(|host| !host.is_empty())
            .collect();
        let same_domain = !self.domain.is_empty() && hosts.contains(&self.domain);
        let other_domain = !self.domain.is_empty() && !hosts.is_empty() && !same_domain;
        let same_email = !self.email.is_empty()
            && fields
                .text("email")
                .is_some_and(|email| email.eq_ignore_ascii_case(&self.email));
        let streets = ["primary_address", "hq_address", "name"]
            .into_iter()
            .filter_map(|name| fields.text(name));
        let same_address = !self.address.is_empty()
            && streets
                .map(normalize_street)
                .any(|street| street == normalize_street(&self.address));
        let is_elsewhere = |name: &str, own: &str| {
            !own.is_empty()
                && fields
                    .text(name)
                    .is_some_and(|there| !there.eq_ignore_ascii_case(own))
        };
        let is_elsewhere = is_elsewhere("state", &self.state) || is_elsewhere("city", &self.city);
        match same_name || same_address {
            _ if same_domain || same_email => Fit::Same,
            false => Fit::SimilarName,
            true if other_domain => Fit::OtherDomain,
            true if is_elsewhere => Fit::OtherPlace,
            true => Fit::Same,
        }
    }
}

impl ListLine {
    pub(super) fn new(number: u64, terms: LineTerms) -> ListLine {
        ListLine {
            number,
            terms,
            words: None,
            state: LineState::Waiting,
            candidates: Vec::new(),
            chosen: None,
            was_searched_exactly: false,
        }
    }

    /// What is looked for.
    pub(super) fn sought_terms(&self) -> LineTerms {
        let mut terms = self.terms.clone();
        if let Some(words) = &self.words {
            words.clone_into(&mut terms.name);
        }
        terms
    }

    /// The record that is saved.
    pub fn chosen_record(&self) -> Option<&Candidate> {
        self.candidates.get(self.chosen?)
    }

    /// Whether it is to be saved.
    pub fn is_chosen(&self) -> bool {
        self.chosen.is_some() && self.state != LineState::Saved
    }

    /// The search is over: one record is found, or several may be meant.
    pub(super) fn settle(&mut self) {
        let same: Vec<usize> = (0..self.candidates.len())
            .filter(|at| self.candidates[*at].is_same())
            .collect();
        (self.state, self.chosen) = match (same.as_slice(), self.candidates.len()) {
            (_, 0) => (LineState::None, None),
            ([one], _) => (LineState::Found, Some(*one)),
            ([], 1) => (LineState::Similar, None),
            _ => (LineState::Several, None),
        };
    }
}

/// A name as lists and the index write it: with `&` or `and`, with or without article and legal
/// form.
pub(super) fn name_variants(name: &str) -> Vec<String> {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    if words.len() > 1 && words[0].eq_ignore_ascii_case("the") {
        words.remove(0);
    }
    let is_legal_form = |word: &&str| {
        let word = word.to_lowercase().replace(['.', ','], "");
        LEGAL_FORMS.contains(&word.as_str())
    };
    while words.len() > 1 && words.last().is_some_and(is_legal_form) {
        words.pop();
    }
    let short = words.join(" ");
    let short = short.trim_end_matches(',');
    let mut variants = vec![name.to_owned()];
    for text in [name, short] {
        for variant in [
            text.to_owned(),
            text.replace(" & ", " and "),
            text.replace(" and ", " & "),
        ] {
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    variants
}

/// A name in lower case without punctuation, article and legal form.
pub(super) fn normalize_name(name: &str) -> String {
    let lower = name
        .to_lowercase()
        .replace(['\'', '’', '.'], "")
        .replace('&', " and ");
    let mut words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    while words.len() > 1 && words.last().is_some_and(|last| LEGAL_FORMS.contains(last)) {
        words.pop();
    }
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    words.join(" ")
}

/// A street in lower case with short forms, without what follows a comma.
fn normalize_street(street: &str) -> String {
    let lower = street
        .split(',')
        .next()
        .unwrap_or_default()
        .to_lowercase()
        .replace('.', "");
    let short = |word: &str| {
        STREET_WORDS
            .iter()
            .find(|(long, _)| *long == word)
            .map_or(word.to_owned(), |(_, short)| (*short).to_owned())
    };
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(short)
        .collect::<Vec<_>>()
        .join(" ")
}
