//! Signals: dated events on projects (interface: Resources and fields, Signal).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::field_kind::humanize_key;
use super::lenient::{self, DateOrDateTime, Number};
use super::open_enum::open_enum;
use super::{ProjectId, SignalId};

open_enum! {
    /// The type of a signal. The interface lists seventeen; unknown types are preserved.
    SignalType {
        /// A project was made public.
        ProjectAnnouncement = "project_announcement",
        PreApplication = "pre_application",
        /// The land changed hands.
        SiteAcquisition = "site_acquisition",
        DemolitionPermit = "demolition_permit",
        /// Grading, shoring, utilities.
        SitePrep = "site_prep",
        EntitlementApplication = "entitlement_application",
        /// An environmental review step.
        EnvironmentalReview = "environmental_review",
        /// A hearing or a comment period.
        PublicReview = "public_review",
        /// The entitlement was granted.
        EntitlementApproval = "entitlement_approval",
        EntitlementDenial = "entitlement_denial",
        /// The applicant withdrew.
        Withdrawal = "withdrawal",
        /// A permit or an entitlement expired.
        Expiration = "expiration",
        /// A building permit was applied for.
        PermitFiled = "permit_filed",
        /// A building permit was issued.
        PermitIssued = "permit_issued",
        /// A construction loan was recorded.
        ConstructionLoan = "construction_loan",
        /// A firm joined, left or changed its role.
        TeamUpdate = "team_update",
        /// The work was signed off.
        Completion = "completion",
    }
}

impl Signal {
    /// Its type in words: `permit issued`.
    pub fn type_label(&self) -> String {
        self.signal_type
            .as_ref()
            .map_or_else(|| "signal".to_owned(), |kind| humanize_key(kind.as_str()))
    }

    /// The source that reported it, by its name or else by its key.
    pub fn source_name(&self) -> Option<&str> {
        let name = self.source_display_name.as_deref();
        name.or(self.source_slug.as_deref())
    }

    /// The name of its project, or that it has none.
    pub fn project_label(&self) -> &str {
        self.project_name.as_deref().unwrap_or("unnamed project")
    }
}

impl SignalType {
    /// The type in words.
    pub fn description(&self) -> &'static str {
        match self {
            SignalType::ProjectAnnouncement => "a project was made public",
            SignalType::PreApplication => "a talk with the authority before an application",
            SignalType::SiteAcquisition => "the land changed hands",
            SignalType::DemolitionPermit => "a permit to demolish",
            SignalType::SitePrep => "grading, shoring, utilities",
            SignalType::EntitlementApplication => "an application for entitlement",
            SignalType::EnvironmentalReview => "an environmental review step",
            SignalType::PublicReview => "a hearing or a comment period",
            SignalType::EntitlementApproval => "the entitlement was granted",
            SignalType::EntitlementDenial => "the entitlement was denied",
            SignalType::Withdrawal => "the applicant withdrew",
            SignalType::Expiration => "a permit or an entitlement expired",
            SignalType::PermitFiled => "a building permit was applied for",
            SignalType::PermitIssued => "a building permit was issued",
            SignalType::ConstructionLoan => "a construction loan was recorded",
            SignalType::TeamUpdate => "a firm joined, left or changed its role",
            SignalType::Completion => "the work was signed off",
            SignalType::Other(_) => "an unknown type",
        }
    }

    /// The type in one word, where there is no room for more.
    pub fn word(&self) -> &str {
        match self {
            SignalType::ProjectAnnouncement => "announced",
            SignalType::PreApplication => "pre-app",
            SignalType::SiteAcquisition => "acquired",
            SignalType::DemolitionPermit => "demo",
            SignalType::SitePrep => "site prep",
            SignalType::EntitlementApplication => "applied",
            SignalType::EnvironmentalReview => "review",
            SignalType::PublicReview => "hearing",
            SignalType::EntitlementApproval => "approved",
            SignalType::EntitlementDenial => "denied",
            SignalType::Withdrawal => "withdrawn",
            SignalType::Expiration => "expired",
            SignalType::PermitFiled => "filed",
            SignalType::PermitIssued => "issued",
            SignalType::ConstructionLoan => "loan",
            SignalType::TeamUpdate => "team",
            SignalType::Completion => "completed",
            SignalType::Other(word) => word,
        }
    }
}

/// A signal, from the feed, the queue, an include or a single get. A field that is missing or
/// invalid is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The only required field of a row.
    pub id: SignalId,
    #[serde(default, deserialize_with = "lenient::option")]
    pub signal_type: Option<SignalType>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub project_id: Option<ProjectId>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub project_name: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub project_primary_address: Option<String>,
    /// When it was filed with the authority.
    #[serde(default, deserialize_with = "lenient::option")]
    pub filed_at: Option<DateOrDateTime>,
    /// When the index found it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub discovered_at: Option<DateOrDateTime>,
    /// The source's identifier.
    #[serde(default, deserialize_with = "lenient::option")]
    pub source_slug: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub source_display_name: Option<String>,
    /// The filing's number at the source.
    #[serde(default, deserialize_with = "lenient::option")]
    pub source_filing_id: Option<String>,
    /// The filing's page at the source.
    #[serde(default, deserialize_with = "lenient::option")]
    pub source_url: Option<String>,
    /// The cost reported by the filing, in US dollars; not the project's.
    #[serde(default, deserialize_with = "lenient::option")]
    pub reported_cost_usd: Option<Number>,
    /// The floor area reported by the filing, in square feet; not the project's.
    #[serde(default, deserialize_with = "lenient::option")]
    pub reported_gross_floor_area_sf: Option<Number>,
    /// The source's own payload; only from the single get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_data: Option<Value>,
}
