//! What the columns of a list hold, guessed from their headings and values.

use serde::{Deserialize, Serialize};

use crate::domain::book::RecordKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// Several are joined: first and last name.
    Name,
    Domain,
    Email,
    Address,
    City,
    State,
    Ignored,
}

impl ColumnRole {
    pub const ALL: &[ColumnRole] = &[
        ColumnRole::Name,
        ColumnRole::Domain,
        ColumnRole::Email,
        ColumnRole::Address,
        ColumnRole::City,
        ColumnRole::State,
        ColumnRole::Ignored,
    ];

    /// The name shown to users and accepted from them.
    pub fn title(self) -> &'static str {
        match self {
            ColumnRole::Name => "name",
            ColumnRole::Domain => "domain",
            ColumnRole::Email => "email",
            ColumnRole::Address => "address",
            ColumnRole::City => "city",
            ColumnRole::State => "state",
            ColumnRole::Ignored => "not used",
        }
    }

    /// The role after this one, around the end.
    pub fn next(self) -> ColumnRole {
        let at = ColumnRole::ALL
            .iter()
            .position(|role| *role == self)
            .unwrap_or(0);
        ColumnRole::ALL[(at + 1) % ColumnRole::ALL.len()]
    }
}

/// Headings of names, with the kind of record that they name.
const FIRM_NAMES: &[&str] = &[
    "account",
    "account name",
    "business",
    "business name",
    "client",
    "company",
    "company name",
    "contractor",
    "customer",
    "customer name",
    "firm",
    "firm name",
    "organisation",
    "organization",
    "organization name",
    "vendor",
];
const PERSON_NAMES: &[&str] = &[
    "contact",
    "contact name",
    "first name",
    "full name",
    "given name",
    "last name",
    "person",
    "surname",
];
const PROJECT_NAMES: &[&str] = &[
    "building",
    "building name",
    "job",
    "job name",
    "project",
    "project name",
];
const HEADINGS: &[(&str, ColumnRole)] = &[
    ("name", ColumnRole::Name),
    ("domain", ColumnRole::Domain),
    ("company domain", ColumnRole::Domain),
    ("homepage", ColumnRole::Domain),
    ("site", ColumnRole::Domain),
    ("url", ColumnRole::Domain),
    ("web", ColumnRole::Domain),
    ("website", ColumnRole::Domain),
    ("web site", ColumnRole::Domain),
    ("e mail", ColumnRole::Email),
    ("email", ColumnRole::Email),
    ("email address", ColumnRole::Email),
    ("mail", ColumnRole::Email),
    ("address", ColumnRole::Address),
    ("address 1", ColumnRole::Address),
    ("address line 1", ColumnRole::Address),
    ("hq address", ColumnRole::Address),
    ("location", ColumnRole::Address),
    ("primary address", ColumnRole::Address),
    ("project address", ColumnRole::Address),
    ("site address", ColumnRole::Address),
    ("street", ColumnRole::Address),
    ("street address", ColumnRole::Address),
    ("city", ColumnRole::City),
    ("town", ColumnRole::City),
    ("province", ColumnRole::State),
    ("st", ColumnRole::State),
    ("state", ColumnRole::State),
];

/// A heading in lower case, with single spaces.
fn normalize(heading: &str) -> String {
    let words = heading
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

fn kind_of_name(heading: &str) -> Option<RecordKind> {
    let kinds = [
        (FIRM_NAMES, RecordKind::Accounts),
        (PERSON_NAMES, RecordKind::Contacts),
        (PROJECT_NAMES, RecordKind::Projects),
    ];
    kinds
        .into_iter()
        .find(|(names, _)| names.contains(&heading))
        .map(|(_, kind)| kind)
}

fn role_of_heading(heading: &str) -> Option<ColumnRole> {
    let heading = normalize(heading);
    let known = || {
        HEADINGS
            .iter()
            .find(|(name, _)| *name == heading)
            .map(|(_, role)| *role)
    };
    kind_of_name(&heading)
        .map(|_| ColumnRole::Name)
        .or_else(known)
}

/// Whether a row names columns rather than having values.
pub(super) fn is_header(cells: &[String]) -> bool {
    cells.iter().any(|cell| role_of_heading(cell).is_some())
}

/// The roles of the columns, from their headings and else their values.
pub(super) fn guess_roles(header: Option<&[String]>, columns: &[Vec<&str>]) -> Vec<ColumnRole> {
    let heading = |at: usize| {
        header
            .and_then(|header| header.get(at))
            .map(String::as_str)
            .unwrap_or_default()
    };
    let kind = guess_kind(header, columns);
    let mut roles: Vec<ColumnRole> = (0..columns.len())
        .map(|at| {
            role_of_heading(heading(at))
                .or_else(|| role_of_values(&columns[at]))
                .unwrap_or(ColumnRole::Ignored)
        })
        .collect();
    // A list of people has the name of their company beside theirs.
    for at in 0..roles.len() {
        let named = kind_of_name(&normalize(heading(at)));
        if roles[at] == ColumnRole::Name && named.is_some_and(|named| named != kind) {
            roles[at] = ColumnRole::Ignored;
        }
        let is_taken = roles[..at].contains(&roles[at]) && roles[at] != ColumnRole::Name;
        if is_taken {
            roles[at] = ColumnRole::Ignored;
        }
    }
    if !roles.iter().any(|role| {
        matches!(
            role,
            ColumnRole::Name | ColumnRole::Domain | ColumnRole::Email | ColumnRole::Address
        )
    }) {
        let is_words = |column: &Vec<&str>| {
            let words = column
                .iter()
                .filter(|value| value.chars().filter(|c| c.is_alphabetic()).count() >= 2)
                .count();
            words > 0 && words * 2 >= column.len()
        };
        if let Some(at) = (0..columns.len())
            .find(|at| roles[*at] == ColumnRole::Ignored && is_words(&columns[*at]))
        {
            roles[at] = ColumnRole::Name;
        }
    }
    roles
}

/// What most of the values are.
fn role_of_values(values: &[&str]) -> Option<ColumnRole> {
    let most = |test: fn(&str) -> bool| {
        let (all, found) = values
            .iter()
            .filter(|value| !value.is_empty())
            .fold((0, 0), |(all, found), value| {
                (all + 1, found + usize::from(test(value)))
            });
        found > 0 && found * 10 >= all * 6
    };
    if most(is_email) {
        Some(ColumnRole::Email)
    } else if most(is_domain) {
        Some(ColumnRole::Domain)
    } else if most(is_address) {
        Some(ColumnRole::Address)
    } else if most(|value| value.len() == 2 && value.chars().all(|c| c.is_ascii_uppercase())) {
        Some(ColumnRole::State)
    } else {
        None
    }
}

/// What the list is of.
pub(super) fn guess_kind(header: Option<&[String]>, columns: &[Vec<&str>]) -> RecordKind {
    let headings: Vec<String> = header
        .unwrap_or_default()
        .iter()
        .map(|heading| normalize(heading))
        .collect();
    let kinds: Vec<RecordKind> = headings
        .iter()
        .filter_map(|heading| kind_of_name(heading))
        .collect();
    let has = |role: ColumnRole| {
        headings
            .iter()
            .any(|heading| role_of_heading(heading) == Some(role))
            || columns
                .iter()
                .any(|column| role_of_values(column) == Some(role))
    };
    for kind in [
        RecordKind::Contacts,
        RecordKind::Projects,
        RecordKind::Accounts,
    ] {
        if kinds.contains(&kind) {
            return kind;
        }
    }
    if has(ColumnRole::Email) && !has(ColumnRole::Domain) {
        RecordKind::Contacts
    } else if has(ColumnRole::Address)
        && !has(ColumnRole::Domain)
        && !headings.iter().any(|heading| heading == "name")
    {
        RecordKind::Projects
    } else {
        RecordKind::Accounts
    }
}

fn is_email(value: &str) -> bool {
    value
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !name.contains(' ') && is_host(host))
}

fn is_domain(value: &str) -> bool {
    !value.contains(['@', ' ']) && is_host(&host_of(value))
}

fn is_host(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    labels.len() >= 2
        && labels.iter().all(is_label)
        && labels
            .last()
            .is_some_and(|top| top.chars().all(char::is_alphabetic) && top.len() >= 2)
}

fn is_address(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let number = words
        .next()
        .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number && words.any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2)
}

/// The host of a web or mail address, in lower case, without `www.`.
pub(super) fn host_of(value: &str) -> String {
    let value = value.trim().to_lowercase();
    let rest = value
        .split_once("://")
        .map_or(value.as_str(), |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    host.strip_prefix("www.")
        .unwrap_or(host)
        .trim_end_matches('.')
        .to_owned()
}
