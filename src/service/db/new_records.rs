//! The records of the global index as they are written: by the sample world, by new signals and by
//! the import of permit files.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ContactId, ProjectId, SignalId};
use uuid::Uuid;

/// A source of signals.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSource {
    pub id: Uuid,
    /// Its short name: `austin-bp`.
    pub slug: String,
    pub display_name: String,
    pub base_url: Option<String>,
    /// The domain used to find its logo.
    pub logo_domain: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewAccount {
    pub id: AccountId,
    pub name: String,
    pub account_types: Vec<String>,
    pub aliases: Vec<String>,
    pub domains: Vec<String>,
    pub website: Option<String>,
    pub linkedin_url: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub hq_address: Option<String>,
    pub hq_location: Option<(f64, f64)>,
    pub public_phone: Option<String>,
    pub public_email: Option<String>,
    pub specialties: Vec<String>,
    pub description: Option<String>,
    pub founded_year: Option<i64>,
    pub account_types_source: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewContact {
    pub id: ContactId,
    pub name: String,
    pub title: Option<String>,
    pub account_id: Option<AccountId>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A project. Its counts and signal dates are maintained by the writer of signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewProject {
    pub id: ProjectId,
    pub name: String,
    pub primary_address: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub neighborhood: Option<String>,
    pub primary_use: Option<String>,
    pub uses: Vec<String>,
    pub stage: Option<String>,
    pub disposition: Option<String>,
    pub gross_floor_area_sf: Option<f64>,
    pub residential_units: Option<i64>,
    pub cost_of_construction_usd: Option<f64>,
    pub stories: Option<i64>,
    pub parking_spaces: Option<i64>,
    pub gc_status: Option<String>,
    pub height_ft: Option<f64>,
    pub hotel_rooms: Option<i64>,
    pub affordable_units: Option<i64>,
    pub land_area_sf: Option<f64>,
    pub unit_mix: Option<Value>,
    pub use_areas: Option<Value>,
    pub structure_types: Vec<String>,
    pub regulatory_flags: Vec<String>,
    pub far: Option<Value>,
    pub location: Option<(f64, f64)>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewSignal {
    pub id: SignalId,
    pub project_id: ProjectId,
    pub source_id: Uuid,
    pub signal_type: SignalType,
    pub filed_at: DateTime<Utc>,
    pub discovered_at: DateTime<Utc>,
    pub source_filing_id: Option<String>,
    pub source_url: Option<String>,
    pub reported_cost_usd: Option<f64>,
    pub reported_gross_floor_area_sf: Option<f64>,
    pub raw_data: Value,
}
