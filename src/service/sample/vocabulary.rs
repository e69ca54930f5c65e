//! The vocabulary of the index where the interface only gives examples: account types (which are
//! also the roles), stages, uses, dispositions and contractor states. The sample world and the
//! import write no other words.

/// Types of firms, and their roles in a project.
pub const ACCOUNT_TYPES: &[&str] = &[
    "developer",
    "owner",
    "architect",
    "engineer",
    "gc",
    "subcontractor",
    "lender",
    "consultant",
];

/// How well a firm fits the team, best first.
pub const ACCOUNT_TIERS: &[&str] = &["tier_1", "tier_2", "tier_3", "disqualified"];

/// The stages of a project, in order.
pub const STAGES: &[&str] = &[
    "proposed",
    "in_review",
    "approved",
    "permit_review",
    "permitted",
    "under_construction",
    "completed",
];

/// Whether a project is ongoing, on hold or over.
#[cfg(test)]
pub const DISPOSITIONS: &[&str] = &[
    "active",
    "on_hold",
    "denied",
    "withdrawn",
    "expired",
    "completed",
];

/// Primary uses of a project.
pub const PRIMARY_USES: &[&str] = &[
    "multifamily",
    "mixed_use",
    "single_family",
    "office",
    "retail",
    "hotel",
    "industrial",
    "data_center",
    "healthcare",
    "life_science",
    "education",
    "civic",
    "parking",
    "other",
];

/// What is known about the general contractor.
pub const GC_STATUSES: &[&str] = &["unknown", "not_selected", "bidding", "awarded"];
