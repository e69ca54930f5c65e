//! Projects: what is being built, and where (interface: Project).

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::ProjectId;
use super::accounts::Account;
use super::contacts::Contact;
use super::lenient::{self, DateOrDateTime, Number};
use super::signals::Signal;

/// A project, from the Data API. A field that is missing or invalid is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Project {
    pub id: ProjectId,
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_address: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub city: Option<String>,
    /// State code.
    #[serde(default, deserialize_with = "lenient::option")]
    pub state: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub neighborhood: Option<String>,
    /// As named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stage: Option<String>,
    /// As named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_use: Option<String>,
    /// Whether a general contractor is known, as named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gc_status: Option<String>,
    /// Above ground.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stories: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub residential_units: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub hotel_rooms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub parking_spaces: Option<Number>,
    /// In square feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gross_floor_area_sf: Option<Number>,
    /// In US dollars; not the cost reported by a filing.
    #[serde(default, deserialize_with = "lenient::option")]
    pub cost_of_construction_usd: Option<Number>,
    /// In feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub height_ft: Option<Number>,
    /// Signals of the last thirty days.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updates_last_30_days: Option<Number>,
    /// Filing of its newest signal: a date or a date-time, depending on the route.
    #[serde(default, deserialize_with = "lenient::option")]
    pub last_signal_at: Option<DateOrDateTime>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub signals_count: Option<Number>,
}

/// A project with everything that one get can include (`include` = `accounts`, `contacts`,
/// `signals`; 1 credit whatever is included).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectDetails {
    #[serde(flatten)]
    pub project: Project,
    #[serde(default, deserialize_with = "lenient::list")]
    pub accounts: Vec<Account>,
    #[serde(default, deserialize_with = "lenient::list")]
    pub contacts: Vec<Contact>,
    /// Its timeline. Included signals have no triage status.
    #[serde(default, deserialize_with = "lenient::list")]
    pub signals: Vec<Signal>,
}

impl ProjectDetails {
    /// Puts firms into the order in which a salesperson calls them, and signals by their filing,
    /// the newest first and undated ones last.
    pub fn arranged(mut self) -> ProjectDetails {
        self.accounts.sort_by_key(Account::call_rank);
        self.signals.sort_by_key(|signal| {
            let filed = signal.filed_at.as_ref().and_then(DateOrDateTime::date_time);
            (Reverse(filed), signal.id)
        });
        self
    }
}
