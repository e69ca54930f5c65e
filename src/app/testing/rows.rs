//! Rows, ids and times of tests.

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::domain::credits::Credits;
use crate::domain::queue::QueueSignal;
use crate::domain::{ProjectId, SignalId};

pub fn parse_time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

pub fn signal_id(n: usize) -> SignalId {
    SignalId(Uuid::from_u128(0x1000 + n as u128))
}

fn project_id(n: u128) -> ProjectId {
    ProjectId(Uuid::from_u128(0x2000 + n))
}

pub fn queue_row(
    n: usize,
    priority: &str,
    kind: &str,
    filed: &str,
    project: (u128, &str),
    cost: Option<i64>,
) -> QueueSignal {
    serde_json::from_value(json!({
        "id": signal_id(n), "signal_type": kind, "priority": priority, "triage_status": "new",
        "filed_at": format!("{filed}T00:00:00Z"), "discovered_at": format!("{filed}T04:12:00Z"),
        "project_id": project_id(project.0), "project_name": project.1,
        "project_primary_address": format!("{} {} Rd, Austin TX", 100 + project.0, project.1.split(' ').next().unwrap_or_default()),
        "source_filing_id": format!("BP-2026-{:06}", 118_000 + n), "source_display_name": "Austin Permits",
        "source_url": format!("https://permits.example.gov/BP-2026-{n}"),
        "reported_cost_usd": cost, "triaged_by": null, "triaged_at": null,
    }))
    .expect("a row")
}

/// The queue of the golden screens: sixteen signals on twelve projects.
pub fn morning_queue() -> Vec<QueueSignal> {
    let lofts = (1, "Harbor Yard Lofts");
    let mill = (3, "Mill & 4th Mixed Use");
    [
        queue_row(
            1,
            "high",
            "permit_issued",
            "2026-07-02",
            lofts,
            Some(41_200_000),
        ),
        queue_row(
            2,
            "high",
            "entitlement_approval",
            "2026-06-30",
            (2, "Union Depot Tower"),
            Some(118_000_000),
        ),
        queue_row(
            3,
            "high",
            "permit_issued",
            "2026-06-30",
            mill,
            Some(26_500_000),
        ),
        queue_row(4, "high", "construction_loan", "2026-06-28", mill, None),
        queue_row(
            5,
            "high",
            "permit_issued",
            "2026-06-27",
            (4, "Eastgate Hotel"),
            Some(33_000_000),
        ),
        queue_row(6, "high", "construction_loan", "2026-06-11", lofts, None),
        queue_row(
            7,
            "high",
            "permit_issued",
            "2026-04-13",
            (5, "Cedar Point Phase II"),
            Some(9_800_000),
        ),
        queue_row(
            8,
            "medium",
            "permit_filed",
            "2026-07-07",
            (6, "Riverbend Medical"),
            Some(54_100_000),
        ),
        queue_row(
            9,
            "medium",
            "permit_filed",
            "2026-07-06",
            (7, "Oak Hollow Apts"),
            Some(12_400_000),
        ),
        queue_row(
            10,
            "medium",
            "site_acquisition",
            "2026-07-05",
            (8, "Quarry Park Towns"),
            None,
        ),
        queue_row(
            11,
            "medium",
            "entitlement_application",
            "2026-07-03",
            (9, "Foundry Row Block C"),
            Some(71_900_000),
        ),
        queue_row(
            12,
            "medium",
            "demolition_permit",
            "2026-07-01",
            (10, "1200 Alder St"),
            Some(300_000),
        ),
        queue_row(
            13,
            "medium",
            "permit_filed",
            "2026-06-29",
            (11, "Northgate Transit Apts"),
            Some(88_000_000),
        ),
        queue_row(
            14,
            "low",
            "team_update",
            "2026-07-06",
            (7, "Oak Hollow Apts"),
            None,
        ),
        queue_row(
            15,
            "low",
            "public_review",
            "2026-07-01",
            (2, "Union Depot Tower"),
            None,
        ),
        queue_row(
            16,
            "low",
            "withdrawal",
            "2026-06-22",
            (12, "Pier 9 Annex"),
            Some(4_000_000),
        ),
    ]
    .into()
}

/// The meter of the golden screens.
pub fn sample_meter() -> Credits {
    Credits {
        limit: Some(250_000),
        used: Some(1_284),
        ..Credits::default()
    }
}

/// Many medium-priority rows on a quarter as many projects.
pub fn many_rows(count: usize) -> Vec<QueueSignal> {
    (1..=count)
        .map(|n| {
            queue_row(
                n,
                "medium",
                "permit_filed",
                "2026-07-01",
                (n as u128 / 4, &format!("Project {}", n / 4)),
                Some(1_000_000),
            )
        })
        .collect()
}
