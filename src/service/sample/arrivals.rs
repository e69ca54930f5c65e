//! New signals: a plausible next signal for a project of the index, discovered now. Never here:
//! when; the caller decides.

use chrono::{DateTime, Duration, Utc};

use super::buildings::{Building, building_type_for};
use super::filings::{self, FilingNumbers};
use super::rng::SampleRng;
use super::timeline::{self, TimelineStep};
use super::word_lists::word_lists;
use crate::domain::signals::SignalType::{self, *};
use crate::service::db::index_write::{self, IndexWriter, OngoingProject};
use crate::service::db::new_records::NewSignal;
use crate::service::db::sql::{self, Conn};
use crate::service::db::{DbError, queue, service_clock};

/// Generates the next signal of some ongoing project, discovered now; `None` if the index has no
/// project of the sample world.
pub fn next_arrival(
    rng: &mut SampleRng,
    conn: &Conn,
    now: DateTime<Utc>,
) -> sql::Result<Option<NewSignal>> {
    for _ in 0..12 {
        let at = rng.float_between(0.0, 1.0);
        let Some(site) = index_write::find_ongoing_project(conn, at)? else {
            continue;
        };
        let Some(signal_type) = next_signal_type(rng, &site) else {
            continue;
        };
        if let Some(signal) = new_signal(rng, conn, &site, signal_type, now)? {
            return Ok(Some(signal));
        }
    }
    Ok(None)
}

/// Generates and writes the next signal, and updates the project's stage.
pub fn write_arrival(
    rng: &mut SampleRng,
    conn: &Conn,
    now: DateTime<Utc>,
) -> sql::Result<Option<NewSignal>> {
    let Some(signal) = next_arrival(rng, conn, now)? else {
        return Ok(None);
    };
    IndexWriter::new(conn)?.add_signal(&signal)?;
    let types = index_write::signal_types(conn, signal.project_id)?;
    let (stage, disposition) = timeline::status_after(types.iter());
    index_write::set_stage(conn, signal.project_id, stage, disposition)?;
    Ok(Some(signal))
}

/// Writes the next signal if it is due, and returns how long it is until the one after it: `pause`,
/// unless another instance of the service has written it.
pub fn write_due_arrival(
    rng: &mut SampleRng,
    conn: &Conn,
    now: DateTime<Utc>,
    pause: std::time::Duration,
) -> Result<std::time::Duration, DbError> {
    // what is further away belongs to a clock that was set back, or to another interval
    let ours = |wait: &std::time::Duration| *wait <= 4 * pause;
    let wait = service_clock::load_next_arrival(conn)?.and_then(|next| (next - now).to_std().ok());
    if let Some(wait) = wait.filter(|wait| !wait.is_zero()).filter(ours) {
        return Ok(wait);
    }
    let discovered = queue::next_discovery(conn, now)?;
    write_arrival(rng, conn, discovered)?;
    queue::advance(conn, discovered)?;
    service_clock::save_next_arrival(conn, now + pause)?;
    Ok(pause)
}

/// Draws a type that can follow the signals so far.
fn next_signal_type(rng: &mut SampleRng, site: &OngoingProject) -> Option<SignalType> {
    let had = |wanted: &SignalType| site.signals.iter().any(|(known, _)| known == wanted);
    let small = site.primary_use.as_deref() == Some("single_family");
    let (stage, _) =
        timeline::status_after(site.signals.iter().map(|(signal_type, _)| signal_type));
    let likely: &[(SignalType, u32)] = match stage {
        "proposed" if small => &[(PermitFiled, 1)],
        "proposed" => &[
            (EntitlementApplication, 6),
            (PreApplication, 3),
            (SiteAcquisition, 2),
            (TeamUpdate, 1),
        ],
        "in_review" => &[
            (EntitlementApproval, 6),
            (PublicReview, 3),
            (EnvironmentalReview, 2),
            (TeamUpdate, 1),
            (Withdrawal, 1),
            (EntitlementDenial, 1),
        ],
        "approved" => &[
            (PermitFiled, 6),
            (DemolitionPermit, 2),
            (SiteAcquisition, 2),
            (TeamUpdate, 1),
        ],
        "permit_review" if small => &[(PermitIssued, 1)],
        "permit_review" => &[
            (PermitIssued, 8),
            (ConstructionLoan, 3),
            (SitePrep, 2),
            (TeamUpdate, 2),
            (Withdrawal, 1),
        ],
        "permitted" if small => &[(Completion, 1)],
        "permitted" => &[
            (ConstructionLoan, 3),
            (SitePrep, 3),
            (TeamUpdate, 3),
            (Completion, 1),
        ],
        "under_construction" => &[(Completion, 3), (TeamUpdate, 2)],
        _ => return None,
    };
    let open: Vec<&(SignalType, u32)> = likely
        .iter()
        .filter(|(signal_type, _)| *signal_type == TeamUpdate || !had(signal_type))
        .collect();
    if open.is_empty() {
        return None;
    }
    Some(
        open[rng.weighted_index(open.iter().map(|(_, weight)| *weight))]
            .0
            .clone(),
    )
}

fn new_signal(
    rng: &mut SampleRng,
    conn: &Conn,
    known: &OngoingProject,
    signal_type: SignalType,
    now: DateTime<Utc>,
) -> sql::Result<Option<NewSignal>> {
    let Some(city) = word_lists()
        .cities
        .iter()
        .find(|city| Some(&city.name) == known.city.as_ref())
    else {
        return Ok(None);
    };
    let number = |wanted: &[SignalType]| {
        known
            .signals
            .iter()
            .find(|(signal_type, _)| wanted.contains(signal_type))
            .and_then(|(_, number)| number.clone())
    };
    let mut numbers = FilingNumbers {
        case: number(&[
            EntitlementApplication,
            EnvironmentalReview,
            PublicReview,
            EntitlementApproval,
        ]),
        permit: number(&[PermitFiled, PermitIssued]),
    };
    let office = filings::office_for(&signal_type, numbers.permit.is_some());
    if !index_write::has_source(conn, &filings::office_slug(office, city))? {
        return Ok(None);
    }
    let filed = now - Duration::minutes((rng.exponential(0.7).min(4.0) * 1440.0) as i64);
    let newest = known.last_signal_at.unwrap_or(filed);
    let filed_at = timeline::nearest_office_hour(rng, filed, now)
        .max(newest)
        .min(now);
    let address = known.address.clone().unwrap_or_else(|| city.name.clone());
    let building = building_of(known);
    let site = filings::PermitSite {
        project: known.id,
        name: &known.name,
        address: &address,
        city,
        zip: &city.places[0].zip,
        location: known.location.unwrap_or(city.places[0].location),
        building_type: building_type_for(known.primary_use.as_deref()),
        building: &building,
        applicant: known
            .firm_with_role("developer")
            .or(known.firm_with_role("owner"))
            .unwrap_or("Owner of record"),
        architect: known.firm_with_role("architect"),
        contractor: known.firm_with_role("gc"),
        lender: known.firm_with_role("lender"),
    };
    let step = TimelineStep {
        signal_type,
        filed_at,
        discovered_at: now,
    };
    Ok(Some(filings::generate_signal(
        rng,
        &site,
        &step,
        &mut numbers,
    )))
}

fn building_of(known: &OngoingProject) -> Building {
    let area = known.area.unwrap_or(40_000.0);
    Building {
        gross_floor_area_sf: area,
        stories: known.stories.unwrap_or(4),
        cost_of_construction_usd: known.cost.unwrap_or(area * 260.0),
        residential_units: known.units,
        hotel_rooms: known.rooms,
        parking_spaces: known.spaces,
        ..Building::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::{Storage, db, sample};

    #[test]
    fn instances_on_one_database_share_the_arrivals() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let now: DateTime<Utc> = "2026-07-09T16:20:00Z".parse().unwrap();
        sample::fill_database(&conn, 1, 60, None, now).unwrap();
        let pause = std::time::Duration::from_secs(60);
        let arrive = |at: DateTime<Utc>| {
            let wait = write_due_arrival(
                &mut SampleRng::new(1, at.timestamp().unsigned_abs()),
                &conn,
                at,
                pause,
            )
            .unwrap();
            let count = "SELECT count(*) FROM signals WHERE discovered_at >= ?1";
            (
                wait.as_secs(),
                conn.query_row(count, [now.timestamp_millis()], |row| row.get::<_, i64>(0))
                    .unwrap(),
            )
        };
        assert_eq!(arrive(now), (60, 1));
        assert_eq!(
            arrive(now + Duration::seconds(20)),
            (40, 1),
            "another instance waits as well"
        );
        assert_eq!(arrive(now + Duration::seconds(60)), (60, 2));
        assert_eq!(
            arrive(now - Duration::days(300)),
            (60, 2),
            "after the clock was set back, it is due at once"
        );
        assert!(arrive(now + Duration::seconds(121)).1 > 2);
    }

    #[test]
    fn an_arrival_is_in_the_queue_though_the_clock_of_another_instance_is_ahead() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let now: DateTime<Utc> = "2026-07-09T16:20:00Z".parse().unwrap();
        sample::fill_database(&conn, 1, 60, None, now).unwrap();
        let count_followed = |condition: &str| -> i64 {
            let sql = format!(
                "SELECT count(*) FROM signals s JOIN subscriptions n ON n.signal_type = s.signal_type
                 WHERE s.discovered_at >= ?1 AND {condition}"
            );
            conn.query_row(&sql, [now.timestamp_millis()], |row| row.get(0))
                .unwrap()
        };
        queue::advance(&conn, now + Duration::seconds(3)).unwrap();
        for nth in 0..20 {
            write_due_arrival(
                &mut SampleRng::new(1, nth),
                &conn,
                now,
                std::time::Duration::ZERO,
            )
            .unwrap();
        }
        assert!(count_followed("true") > 0);
        let is_queued = "EXISTS (SELECT 1 FROM queue q WHERE q.workspace_id = n.workspace_id AND q.signal_id = s.id)";
        assert_eq!(count_followed(&format!("NOT {is_queued}")), 0);
    }
}
