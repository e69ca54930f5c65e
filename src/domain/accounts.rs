//! Accounts: the firms around projects (interface: Workspace account; the Data account is the same
//! less the annotations).

use serde::{Deserialize, Serialize};

use super::AccountId;
use super::lenient::{self, DateOrDateTime, Number};

/// A firm, from the Data API or the book. A field that is missing or invalid is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub id: AccountId,
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// Developer, architect and so on.
    #[serde(default, deserialize_with = "lenient::list")]
    pub account_types: Vec<String>,
    /// Its roles in the project that includes it, where the service reports them.
    #[serde(default, deserialize_with = "lenient::list")]
    pub roles: Vec<String>,
    #[serde(default, deserialize_with = "lenient::list")]
    pub domains: Vec<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub website: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub city: Option<String>,
    /// State code.
    #[serde(default, deserialize_with = "lenient::option")]
    pub state: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub public_phone: Option<String>,
    /// Number of projects that name it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub projects_count: Option<Number>,
    /// When the index added it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<DateOrDateTime>,
}

/// The order in which a salesperson calls the firms of a project; all others come after them.
const CALL_ORDER: &[&str] = &["developer", "gc", "owner", "architect", "engineer"];

impl Account {
    /// What it does in the project, or else in general.
    pub fn role(&self) -> Option<&str> {
        self.all_roles().first().map(String::as_str)
    }

    /// All that it does in the project, or else in general.
    pub fn all_roles(&self) -> &[String] {
        if self.roles.is_empty() {
            &self.account_types
        } else {
            &self.roles
        }
    }

    /// City and state.
    pub fn place(&self) -> Option<String> {
        let place: Vec<&str> = [&self.city, &self.state]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        Some(place.join(", ")).filter(|place| !place.is_empty())
    }

    /// Its place among the firms of a project: whom to call first comes first.
    pub fn call_rank(&self) -> usize {
        let rank = |role: &String| CALL_ORDER.iter().position(|known| known == role);
        let first = self.all_roles().iter().filter_map(rank).min();
        first.unwrap_or(CALL_ORDER.len())
    }
}
