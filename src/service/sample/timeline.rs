//! Timelines: the order and spacing of a project's signals, and its stage after each of them.

use chrono::{DateTime, Datelike, Duration, NaiveTime, Utc, Weekday};

use super::buildings::ApprovalPath;
use super::rng::SampleRng;
use crate::domain::signals::SignalType;

/// A step of a project: what happened, and when it was filed and discovered.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineStep {
    pub signal_type: SignalType,
    pub filed_at: DateTime<Utc>,
    pub discovered_at: DateTime<Utc>,
}

/// A project's history so far, oldest first, and its status.
pub struct Timeline {
    pub steps: Vec<TimelineStep>,
    /// The stage of the project.
    pub stage: &'static str,
    /// The disposition of the project.
    pub disposition: &'static str,
}

use SignalType::{
    Completion, ConstructionLoan, DemolitionPermit, EntitlementApplication, EntitlementApproval,
    EntitlementDenial, EnvironmentalReview, Expiration, PermitFiled, PermitIssued, PreApplication,
    ProjectAnnouncement, PublicReview, SiteAcquisition, SitePrep, TeamUpdate, Withdrawal,
};

/// Generates a history: a whole plan, cut off at the project's current step and dated backward from
/// its newest signal.
pub fn generate_timeline(
    rng: &mut SampleRng,
    path: ApprovalPath,
    cost: f64,
    now: DateTime<Utc>,
) -> Timeline {
    let plan = plan_signals(rng, path, cost);
    // Every step of the plan is equally likely to be the current one; only the last one also
    // collects what ended long ago.
    let reached = if rng.random_bool(0.05) {
        plan.len() - 1
    } else {
        rng.int_between(0, plan.len() as i64 - 1) as usize
    };
    let over = reached == plan.len() - 1;
    let age = match rng.float_between(0.0, 1.0) {
        fresh if fresh < 0.76 => rng.exponential(34.0) % 88.0,
        _ if over => rng.float_between(60.0, 620.0),
        _ => rng.float_between(60.0, 330.0),
    };
    let mut filed = now - days_to_duration(age);
    let mut steps = Vec::with_capacity(reached + 3);
    for (signal_type, gap) in plan[..=reached].iter().rev() {
        let mut at = nearest_office_hour(rng, filed, now);
        while steps
            .last()
            .is_some_and(|next: &TimelineStep| at >= next.filed_at)
        {
            at -= Duration::hours(24);
            at = nearest_office_hour(rng, at, now);
        }
        steps.push(new_step(rng, signal_type.clone(), at, now));
        filed -= days_to_duration(*gap);
    }
    steps.reverse();
    add_team_updates(rng, &mut steps, path, now);
    let (stage, disposition) = status_as_of(&steps, now);
    Timeline {
        steps,
        stage,
        disposition,
    }
}

/// The signals of a complete project in order, each with the days since the one before.
fn plan_signals(rng: &mut SampleRng, path: ApprovalPath, cost: f64) -> Vec<(SignalType, f64)> {
    let mut plan: Vec<(SignalType, f64)> = Vec::with_capacity(14);
    let build = (95.0 + 0.052 * cost.sqrt()) * rng.float_between(0.8, 1.3);
    let permit = if path == ApprovalPath::Counter {
        rng.log_uniform(1.0, 40.0)
    } else {
        rng.float_between(45.0, 210.0)
    };
    let mut on =
        |rng: &mut SampleRng, probability: f64, signal_type: SignalType, low: f64, high: f64| {
            let happens = rng.random_bool(probability);
            if happens {
                plan.push((signal_type, rng.float_between(low, high)));
            }
            happens
        };
    if path == ApprovalPath::Counter {
        on(rng, 1.0, PermitFiled, 0.0, 0.0);
        match rng.float_between(0.0, 1.0) {
            end if end < 0.05 => drop(on(rng, 1.0, Withdrawal, 10.0, 90.0)),
            end if end < 0.10 => {
                on(rng, 1.0, PermitIssued, permit, permit + 3.0);
                on(rng, 1.0, Expiration, 365.0, 400.0);
            }
            _ => {
                on(rng, 1.0, PermitIssued, permit, permit + 3.0);
                on(rng, 1.0, Completion, build * 0.7, build * 1.3);
            }
        }
        return plan;
    }
    let bought = on(rng, 0.3, SiteAcquisition, 0.0, 0.0);
    let entitled = path == ApprovalPath::Entitled;
    let announced = if entitled { 0.5 } else { 0.2 };
    on(rng, announced, ProjectAnnouncement, 15.0, 160.0);
    if entitled {
        on(rng, 0.7, PreApplication, 20.0, 110.0);
        on(rng, 1.0, EntitlementApplication, 30.0, 150.0);
        on(rng, 0.42, EnvironmentalReview, 30.0, 120.0);
        on(rng, 0.78, PublicReview, 25.0, 100.0);
        match rng.float_between(0.0, 1.0) {
            end if end < 0.06 => {
                on(rng, 1.0, EntitlementDenial, 7.0, 60.0);
                return plan;
            }
            end if end < 0.11 => {
                on(rng, 1.0, Withdrawal, 7.0, 90.0);
                return plan;
            }
            _ => on(rng, 1.0, EntitlementApproval, 7.0, 75.0),
        };
        if rng.random_bool(0.04) {
            on(rng, 1.0, Expiration, 700.0, 1_100.0);
            return plan;
        }
    } else {
        on(rng, 0.25, PreApplication, 15.0, 80.0);
    }
    let buys = if bought { 0.0 } else { 0.5 };
    on(rng, buys, SiteAcquisition, 20.0, 100.0);
    on(rng, 0.36, DemolitionPermit, 30.0, 120.0);
    on(rng, 1.0, PermitFiled, 25.0, 150.0);
    if rng.random_bool(0.04) {
        on(rng, 1.0, Withdrawal, 20.0, 200.0);
        return plan;
    }
    let lent = on(rng, 0.3, ConstructionLoan, permit * 0.3, permit * 0.6);
    let ready = on(rng, 0.3, SitePrep, permit * 0.2, permit * 0.4);
    on(rng, 1.0, PermitIssued, permit * 0.35, permit * 0.7);
    let lends = if lent { 0.0 } else { 0.4 };
    on(rng, lends, ConstructionLoan, 5.0, 60.0);
    let prepares = if ready { 0.0 } else { 0.4 };
    on(rng, prepares, SitePrep, 7.0, 45.0);
    if rng.random_bool(0.03) {
        on(rng, 1.0, Expiration, 365.0, 560.0);
    } else {
        on(rng, 1.0, Completion, build * 0.85, build * 1.15);
    }
    plan
}

fn add_team_updates(
    rng: &mut SampleRng,
    steps: &mut Vec<TimelineStep>,
    path: ApprovalPath,
    now: DateTime<Utc>,
) {
    if path == ApprovalPath::Counter {
        return;
    }
    for _ in 0..2 {
        let end = steps.last().map_or(now, |last| {
            if is_final(&last.signal_type) {
                last.filed_at
            } else {
                now - days_to_duration(1.0)
            }
        });
        let start = steps.first().map_or(end, |first| first.filed_at);
        let span = (end - start).num_minutes();
        if rng.random_bool(0.26) && span > 20 * 1440 {
            let after = Duration::minutes(rng.int_between(1440, span - 1440));
            let at = nearest_office_hour(rng, start + after, now);
            let update = new_step(rng, TeamUpdate, at, now);
            let place = steps.partition_point(|step| step.filed_at <= update.filed_at);
            if place > 0
                && !(place == steps.len()
                    && steps.last().is_some_and(|last| is_final(&last.signal_type)))
            {
                steps.insert(place, update);
            }
        }
    }
}

pub fn is_final(signal_type: &SignalType) -> bool {
    matches!(
        signal_type,
        Completion | Withdrawal | Expiration | EntitlementDenial
    )
}

/// A step that was filed at this time and discovered soon after, but never in the future.
fn new_step(
    rng: &mut SampleRng,
    signal_type: SignalType,
    filed_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> TimelineStep {
    let lag = days_to_duration(0.1 + rng.exponential(1.4).min(9.0));
    let found = (filed_at + lag).min(now - Duration::seconds(rng.int_between(40, 5_000)));
    TimelineStep {
        signal_type,
        filed_at,
        discovered_at: found.max(filed_at),
    }
}

/// The nearest past working hour: offices accept filings from Monday to Friday in daylight (14:00
/// to 23:00 UTC).
pub fn nearest_office_hour(
    rng: &mut SampleRng,
    moment: DateTime<Utc>,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    let seconds = Duration::seconds(rng.int_between(14 * 3_600, 23 * 3_600 - 1));
    let mut day = moment.date_naive();
    while matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
        || day.and_time(NaiveTime::MIN).and_utc() + seconds > now
    {
        day -= Duration::days(1);
    }
    day.and_time(NaiveTime::MIN).and_utc() + seconds
}

/// A project's stage and disposition, from its signals so far, oldest first.
pub fn status_as_of(steps: &[TimelineStep], now: DateTime<Utc>) -> (&'static str, &'static str) {
    let types = steps.iter().map(|step| &step.signal_type);
    let Some(last) = steps.last() else {
        return ("proposed", "active");
    };
    let (stage, mut disposition) = status_after(types);
    let quiet = (now - last.filed_at).num_days();
    let stage = if stage == "permitted" && quiet > 35 && disposition == "active" {
        "under_construction"
    } else {
        stage
    };
    if disposition == "active" && stage != "under_construction" && quiet > 240 {
        disposition = "on_hold";
    }
    (stage, disposition)
}

/// The same from the types only, as far as they determine it.
pub fn status_after<'a>(
    types: impl Iterator<Item = &'a SignalType>,
) -> (&'static str, &'static str) {
    let (mut stage, mut disposition) = ("proposed", "active");
    for signal_type in types {
        stage = match signal_type {
            EntitlementApplication | EnvironmentalReview | PublicReview => "in_review",
            EntitlementApproval => "approved",
            PermitFiled => "permit_review",
            PermitIssued => "permitted",
            SitePrep if stage == "permitted" => "under_construction",
            Completion => "completed",
            _ => stage,
        };
        disposition = match signal_type {
            EntitlementDenial => "denied",
            Withdrawal => "withdrawn",
            Expiration => "expired",
            Completion => "completed",
            _ => disposition,
        };
    }
    (stage, disposition)
}

fn days_to_duration(days: f64) -> Duration {
    Duration::minutes((days * 1440.0) as i64)
}

#[cfg(test)]
mod tests {
    use chrono::Timelike;

    use super::*;

    fn sample_timelines() -> impl Iterator<Item = Timeline> {
        let now = "2026-07-09T16:20:00Z".parse().unwrap();
        let mut rng = SampleRng::new(5, 0);
        (0..600).map(move |nth| {
            let path = [
                ApprovalPath::Entitled,
                ApprovalPath::ByRight,
                ApprovalPath::Counter,
            ][nth % 3];
            generate_timeline(&mut rng, path, 2.0e7, now)
        })
    }

    #[test]
    fn signals_come_in_a_plausible_order_and_never_from_the_future() {
        let now: DateTime<Utc> = "2026-07-09T16:20:00Z".parse().unwrap();
        for life in sample_timelines() {
            assert!(
                life.steps.is_sorted_by_key(|step| step.filed_at),
                "{:?}",
                life.steps
            );
            assert!(
                life.steps
                    .iter()
                    .all(|step| step.filed_at <= step.discovered_at && step.discovered_at <= now)
            );
            assert!(life.steps.iter().all(|step| step.filed_at.hour() >= 14));
            let at = |wanted: SignalType| {
                life.steps
                    .iter()
                    .position(|step| step.signal_type == wanted)
            };
            for (before, after) in [
                (EntitlementApplication, EntitlementApproval),
                (EntitlementApproval, PermitFiled),
                (PermitFiled, PermitIssued),
                (PermitIssued, Completion),
                (PreApplication, EntitlementApplication),
            ] {
                assert!(
                    at(before)
                        .zip(at(after))
                        .is_none_or(|(first, second)| first < second),
                    "{:?}",
                    life.steps
                );
            }
            let end = life
                .steps
                .iter()
                .position(|step| is_final(&step.signal_type));
            assert!(
                end.is_none_or(|end| end == life.steps.len() - 1),
                "nothing follows a final signal: {:?}",
                life.steps
            );
        }
    }

    #[test]
    fn the_newest_signal_determines_the_stage() {
        for life in sample_timelines() {
            match life.steps.last().map(|step| &step.signal_type) {
                Some(Completion) => {
                    assert_eq!((life.stage, life.disposition), ("completed", "completed"))
                }
                Some(PermitIssued) => {
                    assert!(matches!(life.stage, "permitted" | "under_construction"))
                }
                Some(EntitlementApproval) => assert_eq!(life.stage, "approved"),
                Some(Withdrawal) => assert_eq!(life.disposition, "withdrawn"),
                Some(PermitFiled) => assert_eq!(life.stage, "permit_review"),
                _ => {}
            }
        }
    }
}
