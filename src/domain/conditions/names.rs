//! What people call the fields.

use crate::domain::vocabulary::VocabularyField;

use super::types::RANGE_KEYS;

/// The names of a field, in the queue and in the interface.
const FIELD_NAMES: &[&[&str]] = &[
    &[
        "cost",
        "cost_of_construction_usd",
        "cost_of_construction",
        "reported_cost_usd",
    ],
    &[
        "area",
        "gross_floor_area_sf",
        "gross_floor_area",
        "reported_gross_floor_area_sf",
    ],
    &["type", "signal_type"],
    &["filed", "filed_at"],
    &["found", "discovered_at", "discovered"],
    &["last_signal", "last_signal_at"],
    &["units", "residential_units"],
    &["use", "primary_use"],
    &["tier", "icp_tier"],
    &["score", "atlas_score"],
    &["status", "workspace_status"],
    &["project", "project_name"],
    &["address", "project_primary_address"],
    &["filing", "source_filing_id"],
    &["who", "triaged_by"],
    &["when", "triaged_at"],
    &["days"],
    &["priority"],
    &["description"],
    &["city"],
    &["source"],
    &["account"],
];

/// The key that the interface has for a name, if it is the same in all datasets.
pub(super) fn interface_key(name: &str) -> &str {
    let folded = fold_name(name);
    let is_key = |key: &&&str| {
        RANGE_KEYS.contains(key) || ["primary_use", "icp_tier", "workspace_status"].contains(key)
    };
    FIELD_NAMES
        .iter()
        .find(|names| names.contains(&&*folded))
        .and_then(|names| names.iter().find(is_key))
        .copied()
        .unwrap_or(name)
}

/// Whether a field takes a range, also while its vocabulary is not known.
pub(super) fn is_range_field(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or(path);
    RANGE_KEYS.contains(&interface_key(key))
}

/// Whether a word is a field of the queue.
pub(super) fn is_field_name(word: &str) -> bool {
    let word = fold_name(word);
    FIELD_NAMES.iter().any(|names| names.contains(&&*word))
}

/// Upper case, hyphens and spaces make no difference.
fn fold_name(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

/// The field of this name: its key, its name for people, or another of its names.
pub(super) fn find_field<'a>(
    fields: &'a [VocabularyField],
    name: &str,
) -> Option<&'a VocabularyField> {
    let name = fold_name(name);
    let is_other_name = |key: &str| {
        let mut groups = FIELD_NAMES.iter();
        groups.any(|names| names.contains(&&*name) && names.contains(&key))
            // Of an account, but the type of a signal is no type of account.
            || name == "type" && key == "account_type"
    };
    fields
        .iter()
        .find(|field| field.key == name)
        .or_else(|| fields.iter().find(|field| fold_name(&field.label) == name))
        .or_else(|| fields.iter().find(|field| is_other_name(&field.key)))
}
