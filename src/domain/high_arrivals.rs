//! New signals of high priority between two reads of the counts, and the program that announces
//! them.

use super::lenient::saturating_sum;
use super::program_template::ProgramTemplate;
use super::queue::{QueueStats, SignalTypeCount};

/// What the program may contain.
pub const ALERT_PLACEHOLDERS: &[&str] = &["count", "type", "project"];

/// How many came between these counts, and their types in words, as far as the counts show them;
/// `None` if none came.
pub fn find_high_arrivals(before: &QueueStats, stats: &QueueStats) -> Option<(u64, Vec<String>)> {
    let came = stats
        .high_priority_new_count
        .saturating_sub(before.high_priority_new_count);
    (came > 0).then(|| (came, list_arrived_types(came, before, stats)))
}

/// The program for arrivals with its arguments; the project of the first one is named if it is
/// known.
///
/// # Errors
/// Which value cannot be an argument.
pub fn fill_alert(
    template: &ProgramTemplate,
    count: u64,
    types: &[String],
    project: Option<&str>,
) -> Result<Vec<String>, String> {
    template.fill(|name| match name {
        "count" => Some(count.to_string()),
        "type" => Some(types.first().map_or("signal", String::as_str).to_owned()),
        _ => Some(project.unwrap_or("a project").to_owned()),
    })
}

/// The types of the signals that came.
fn list_arrived_types(came: u64, before: &QueueStats, stats: &QueueStats) -> Vec<String> {
    let rises: Vec<(&SignalTypeCount, u64)> = stats
        .type_counts
        .iter()
        .map(|count| {
            let before = before
                .type_counts
                .iter()
                .find(|known| known.signal_type == count.signal_type);
            (
                count,
                count
                    .new_count
                    .saturating_sub(before.map_or(0, |known| known.new_count)),
            )
        })
        .filter(|(_, rise)| *rise > 0)
        .collect();
    // Fewer rises by type than high arrivals: signals changed priority, so the arrivals' types are
    // unknown.
    let are_arrivals = saturating_sum(rises.iter().map(|(_, rise)| *rise)) >= came;
    let types = rises.iter().filter(|_| are_arrivals).take(3);
    types
        .map(|(count, _)| count.signal_type.as_str().replace('_', " "))
        .collect()
}
