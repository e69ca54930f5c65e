//! The words that the index uses where the interface shows only examples: account types (and roles, which are the same words),
//! stages, uses, dispositions and contractor states. Sample world and import write these and no others.

/// What a firm is, and what part it has in a project.
pub const ACCOUNT_TYPES: &[&str] =
    &["developer", "owner", "architect", "engineer", "gc", "subcontractor", "lender", "consultant"];

/// How far a project is, in the order of its life.
pub const STAGES: &[&str] =
    &["proposed", "in_review", "approved", "permit_review", "permitted", "under_construction", "completed"];

/// Whether a project goes on.
pub const DISPOSITIONS: &[&str] = &["active", "on_hold", "denied", "withdrawn", "expired", "completed"];

/// What a project is mainly for.
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

/// Whether a general contractor is known.
pub const GC_STATUSES: &[&str] = &["unknown", "not_selected", "bidding", "awarded"];
