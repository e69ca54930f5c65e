//! Accounts: the firms around projects (interface: Workspace account; the Data account is the same less the annotations).

use serde::{Deserialize, Serialize};

use super::AccountId;
use super::lenient::{self, DateOrDateTime, Number};

/// A firm, as the Data API sends it or as a record of the book. A field that is missing or odd is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The account's id.
    pub id: AccountId,
    /// Its name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// What it is: developer, architect and so on.
    #[serde(default, deserialize_with = "lenient::list")]
    pub account_types: Vec<String>,
    /// Its part in the project that it is embedded in, where the service says so.
    #[serde(default, deserialize_with = "lenient::list")]
    pub roles: Vec<String>,
    /// Its web domains.
    #[serde(default, deserialize_with = "lenient::list")]
    pub domains: Vec<String>,
    /// Its web site.
    #[serde(default, deserialize_with = "lenient::option")]
    pub website: Option<String>,
    /// Its city.
    #[serde(default, deserialize_with = "lenient::option")]
    pub city: Option<String>,
    /// Its state's code.
    #[serde(default, deserialize_with = "lenient::option")]
    pub state: Option<String>,
    /// Its public telephone number.
    #[serde(default, deserialize_with = "lenient::option")]
    pub public_phone: Option<String>,
    /// How many projects name it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub projects_count: Option<Number>,
    /// When the index learnt of it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<DateOrDateTime>,
}
