//! Contacts: the people at accounts (interface: Workspace contact).

use serde::{Deserialize, Serialize};

use super::lenient;
use super::{AccountId, ContactId};

/// A person, as the Data API sends one. A field that is missing or odd is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The contact's id.
    pub id: ContactId,
    /// The person's name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// The person's title.
    #[serde(default, deserialize_with = "lenient::option")]
    pub title: Option<String>,
    /// The firm.
    #[serde(default, deserialize_with = "lenient::option")]
    pub account_id: Option<AccountId>,
    /// An address, where the service shows it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub email: Option<String>,
    /// A telephone number, where the service shows it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub phone: Option<String>,
}
