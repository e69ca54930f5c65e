//! The kinds of records in the index, by the names they have in paths, tables and Views.

use serde::Deserialize;

/// What can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dataset {
    Accounts,
    Contacts,
    Projects,
    Signals,
}

impl Dataset {
    /// All of them, in the order of the interface.
    pub const ALL: [Dataset; 4] = [
        Dataset::Accounts,
        Dataset::Contacts,
        Dataset::Projects,
        Dataset::Signals,
    ];

    /// The name in paths and of the table: `accounts`.
    pub fn plural(self) -> &'static str {
        match self {
            Dataset::Accounts => "accounts",
            Dataset::Contacts => "contacts",
            Dataset::Projects => "projects",
            Dataset::Signals => "signals",
        }
    }

    /// The name in Views and in the book: `account`.
    pub fn singular(self) -> &'static str {
        self.plural().trim_end_matches('s')
    }

    /// The dataset with this singular name.
    pub fn from_singular(singular: &str) -> Option<Dataset> {
        Dataset::ALL
            .into_iter()
            .find(|dataset| dataset.singular() == singular)
    }

    /// The dataset with this name in a path.
    pub fn from_plural(plural: &str) -> Option<Dataset> {
        Dataset::ALL
            .into_iter()
            .find(|dataset| dataset.plural() == plural)
    }
}
