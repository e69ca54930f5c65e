//! New signals: a plausible next signal for a project of the index, discovered now. Never here:
//! when; the caller decides.

use chrono::{DateTime, Duration, Utc};

use super::data::sample_data;
use super::rng::SampleRng;
use super::signals::{self, FilingNumbers, Site, TimelineStep};
use crate::domain::description::describe_work;
use crate::domain::signals::SignalType;
use crate::service::db::index_write::{self, OngoingProject, OngoingSignal};
use crate::service::db::new_records::NewSignal;
use crate::service::db::sql::{self, Conn};
use crate::service::db::{queue, service_clock};

/// Generates and writes the next signal of some ongoing project, discovered now, and updates the
/// project's stage; `None` if the index has no project of the sample world.
pub fn write_arrival(
    rng: &mut SampleRng,
    conn: &Conn,
    now: DateTime<Utc>,
) -> sql::Result<Option<NewSignal>> {
    for _ in 0..12 {
        let at = rng.draw_from((0.0, 1.0));
        let Some(known) = index_write::find_ongoing_project(conn, at)? else {
            continue;
        };
        let Some(signal) = generate_next_signal(rng, &known, now) else {
            continue;
        };
        if index_write::has_source(conn, signal.source_id)? {
            index_write::add_signal(conn, &signal)?;
            let types = index_write::signal_types(conn, signal.project_id)?;
            let (stage, disposition) = signals::status_after(types.iter());
            index_write::set_stage(conn, signal.project_id, stage, disposition)?;
            return Ok(Some(signal));
        }
    }
    Ok(None)
}

/// Writes the next signal if it is due, and returns how long it is until the one after it: `pause`,
/// unless another instance of the service has written it.
pub fn write_due_arrival(
    rng: &mut SampleRng,
    conn: &Conn,
    now: DateTime<Utc>,
    pause: std::time::Duration,
) -> sql::Result<std::time::Duration> {
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

fn generate_next_signal(
    rng: &mut SampleRng,
    known: &OngoingProject,
    now: DateTime<Utc>,
) -> Option<NewSignal> {
    let data = sample_data();
    let project = &known.project;
    let named = |name: &String| data.cities.iter().find(|city| city.name == *name);
    let city = project.city.as_ref().and_then(named)?;
    let primary_use = project.primary_use.as_ref();
    let is_like = |wanted: &String| {
        data.buildings
            .iter()
            .find(|known| known.primary_use == *wanted)
    };
    let building_type = primary_use.and_then(is_like).unwrap_or(&data.buildings[0]);
    let had: Vec<SignalType> = known
        .signals
        .iter()
        .map(|had| had.signal_type.clone())
        .collect();
    let plan = &data.plans[&building_type.plans[0]];
    let signal_type = signals::draw_next_step(rng, plan, &had)?;
    let mut numbers = FilingNumbers::default();
    for filing in &known.signals {
        if let Some(number) = &filing.number {
            numbers.keep(&filing.signal_type, city, number);
        }
    }
    let work_in = |filing: &OngoingSignal| {
        signals::find_facts(&filing.signal_type).filter(|facts| facts.payload.is_none())?;
        // Offices write it in capitals.
        Some(describe_work(&filing.payload)?.to_uppercase())
    };
    let filed = now - Duration::minutes((rng.exponential(0.7).min(3.0) * 1440.0) as i64);
    let step = TimelineStep {
        signal_type,
        filed_at: signals::nearest_office_hour(rng, filed, now)
            .max(known.last_signal_at.unwrap_or(filed))
            .min(now),
        discovered_at: now,
    };
    let firms = known.firms.iter();
    let site = Site {
        project,
        city,
        zip: &city.places[0].zip,
        building_type,
        firms: firms
            .map(|(role, name)| (role.as_str(), name.as_str()))
            .collect(),
        work: known.signals.iter().rev().find_map(work_in),
    };
    Some(signals::generate_signal(rng, &site, step, &mut numbers))
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
    fn an_arrival_says_of_the_work_what_the_last_filing_of_its_project_says() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let now: DateTime<Utc> = "2026-07-09T16:20:00Z".parse().unwrap();
        sample::fill_database(&conn, 1, 60, None, now).unwrap();
        let mut rng = SampleRng::new(1, 0);
        let mut repeated = 0;
        for nth in 0..60 {
            let known = index_write::find_ongoing_project(&conn, f64::from(nth) / 60.0);
            let Some(known) = known.unwrap() else {
                continue;
            };
            let Some(arrival) = generate_next_signal(&mut rng, &known, now) else {
                continue;
            };
            let text = arrival.raw_data.to_string().to_uppercase();
            for cut_off in [" -STORY", " -LEVEL", ", GSF", "  SF", " 0 GSF"] {
                assert!(!text.contains(cut_off), "{text}");
            }
            let had = known.signals.iter().rev();
            let work = had
                .filter_map(|signal| describe_work(&signal.payload))
                .next();
            let said = describe_work(&arrival.raw_data);
            repeated += usize::from(said.is_some() && said == work);
        }
        assert!(repeated > 10, "{repeated}");
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
