//! Contacts: the people at accounts (interface: Workspace contact).

use serde::{Deserialize, Serialize};

use super::lenient;
use super::{AccountId, ContactId};

/// A person, from the Data API. A field that is missing or invalid is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    pub id: ContactId,
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// Job title.
    #[serde(default, deserialize_with = "lenient::option")]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub account_id: Option<AccountId>,
    /// Where the service shows it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub email: Option<String>,
    /// Where the service shows it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub phone: Option<String>,
}
