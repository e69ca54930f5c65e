//! Projects: what is being built, and where (interface: Project).

use serde::{Deserialize, Serialize};

use super::ProjectId;
use super::accounts::Account;
use super::contacts::Contact;
use super::lenient::{self, DateOrDateTime, Number};
use super::signals::Signal;

/// A project, as the Data API sends it. A field that is missing or odd is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// The project's id.
    pub id: ProjectId,
    /// Its name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// Its primary address.
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_address: Option<String>,
    /// Its city.
    #[serde(default, deserialize_with = "lenient::option")]
    pub city: Option<String>,
    /// Its state's code.
    #[serde(default, deserialize_with = "lenient::option")]
    pub state: Option<String>,
    /// Its neighbourhood.
    #[serde(default, deserialize_with = "lenient::option")]
    pub neighborhood: Option<String>,
    /// How far it is, in the service's word.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stage: Option<String>,
    /// What it is for, in the service's word.
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_use: Option<String>,
    /// Whether a general contractor is known, in the service's word.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gc_status: Option<String>,
    /// Floors above ground.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stories: Option<Number>,
    /// Homes.
    #[serde(default, deserialize_with = "lenient::option")]
    pub residential_units: Option<Number>,
    /// Hotel rooms.
    #[serde(default, deserialize_with = "lenient::option")]
    pub hotel_rooms: Option<Number>,
    /// Parking spaces.
    #[serde(default, deserialize_with = "lenient::option")]
    pub parking_spaces: Option<Number>,
    /// Floor area in square feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gross_floor_area_sf: Option<Number>,
    /// Cost of construction in US dollars; not what a filing reports.
    #[serde(default, deserialize_with = "lenient::option")]
    pub cost_of_construction_usd: Option<Number>,
    /// Height in feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub height_ft: Option<Number>,
    /// Signals of the last thirty days.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updates_last_30_days: Option<Number>,
    /// Filing of its newest signal: a date or a date-time, by route.
    #[serde(default, deserialize_with = "lenient::option")]
    pub last_signal_at: Option<DateOrDateTime>,
    /// How many signals it has.
    #[serde(default, deserialize_with = "lenient::option")]
    pub signals_count: Option<Number>,
}

/// A project with all that one get can embed (`include` = `accounts`, `contacts`, `signals`; 1 credit whatever is included).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectDetails {
    /// The project.
    #[serde(flatten)]
    pub project: Project,
    /// The firms on it.
    #[serde(default, deserialize_with = "lenient::list")]
    pub accounts: Vec<Account>,
    /// The people on it.
    #[serde(default, deserialize_with = "lenient::list")]
    pub contacts: Vec<Contact>,
    /// Its timeline. Embedded signals say nothing of triage.
    #[serde(default, deserialize_with = "lenient::list")]
    pub signals: Vec<Signal>,
}
