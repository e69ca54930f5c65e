//! The history of a project: the steps of its plan, and the signal that each leaves at an office.

use std::collections::HashMap;

use chrono::{DateTime, Datelike, Duration, NaiveTime, Utc, Weekday};
use serde_json::Value;
use uuid::Uuid;

use super::data::{
    BuildingType, City, Office, OfficeKind, PlanStep, SignalFacts, fill_pattern, fill_template,
    sample_data, slug,
};
use super::projects::round_to_three_figures;
use super::rng::SampleRng;
use crate::domain::number_format;
use crate::domain::signals::SignalType;
use crate::service::db::new_records::{NewProject, NewSignal, NewSource};

/// A step of a project: what happened, and when it was filed and discovered.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineStep {
    pub signal_type: SignalType,
    pub filed_at: DateTime<Utc>,
    pub discovered_at: DateTime<Utc>,
}

/// Draws a history, oldest step first: a whole plan, cut off at the project's current step and
/// dated backward from its newest signal.
pub fn draw_timeline(
    rng: &mut SampleRng,
    plan: &[PlanStep],
    now: DateTime<Utc>,
) -> Vec<TimelineStep> {
    let mut drawn: Vec<&PlanStep> = Vec::new();
    for step in plan {
        if rng.random_bool(step.probability) {
            drawn.push(step);
            if is_final(&step.signal_type) {
                break;
            }
        }
    }
    // Every step is equally likely to be the current one; the last also collects what ended long
    // ago.
    let last = drawn.len() as i64;
    let current = rng.int_between(1, last);
    let is_over = rng.random_bool(0.05);
    drawn.truncate(if is_over { last } else { current } as usize);
    let (fresh, old) = (rng.exponential(24.0) % 88.0, rng.draw_from((60.0, 480.0)));
    let mut age = if rng.random_bool(0.84) { fresh } else { old };
    let mut steps = Vec::with_capacity(drawn.len());
    for step in drawn.iter().rev() {
        let filed_at = nearest_office_hour(rng, now - to_duration(age), now);
        let found = filed_at + to_duration(0.1 + rng.exponential(1.4).min(9.0));
        let latest = now - Duration::seconds(rng.int_between(40, 5_000));
        steps.push(TimelineStep {
            signal_type: step.signal_type.clone(),
            filed_at,
            discovered_at: found.min(latest).max(filed_at),
        });
        age += rng.draw_from(step.days);
    }
    steps.reverse();
    steps
}

/// The type of the next step of a plan after these, oldest first.
pub fn draw_next_step(
    rng: &mut SampleRng,
    plan: &[PlanStep],
    had: &[SignalType],
) -> Option<SignalType> {
    // the team can change more than once
    let is_done = |step: &PlanStep| {
        step.signal_type != SignalType::TeamUpdate && had.contains(&step.signal_type)
    };
    let done = plan.iter().rposition(is_done).map_or(0, |at| at + 1);
    let mut rest = plan[done..].iter();
    let next = rest.find(|step| rng.random_bool(step.probability))?;
    Some(next.signal_type.clone())
}

pub fn find_facts(signal_type: &SignalType) -> Option<&'static SignalFacts> {
    sample_data().signals.get(signal_type.as_str())
}

fn is_final(signal_type: &SignalType) -> bool {
    find_facts(signal_type).is_some_and(|facts| facts.disposition.is_some())
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
    let (stage, disposition) = status_after(steps.iter().map(|step| &step.signal_type));
    let quiet = steps
        .last()
        .map_or(0, |last| (now - last.filed_at).num_days());
    match (stage, disposition) {
        ("permitted", "active") if quiet > 35 => ("under_construction", "active"),
        ("permitted" | "under_construction", "active") => (stage, "active"),
        (_, "active") if quiet > 240 => (stage, "on_hold"),
        known => known,
    }
}

/// The same from the types only, as far as they determine it.
pub fn status_after<'a>(
    types: impl Iterator<Item = &'a SignalType>,
) -> (&'static str, &'static str) {
    let known = types.filter_map(find_facts);
    known.fold(("proposed", "active"), |(stage, disposition), facts| {
        (
            facts.stage.as_deref().unwrap_or(stage),
            facts.disposition.as_deref().unwrap_or(disposition),
        )
    })
}

fn to_duration(days: f64) -> Duration {
    Duration::minutes((days * 1440.0) as i64)
}

/// All sources of the sample world.
pub fn sources() -> impl Iterator<Item = NewSource> {
    let data = sample_data();
    let offices = data
        .cities
        .iter()
        .flat_map(|city| [&city.permits, &city.planning, &city.deeds]);
    [&data.wire]
        .into_iter()
        .chain(offices)
        .map(|office| NewSource {
            id: source_id(&office.slug),
            slug: office.slug.clone(),
            display_name: office.name.clone(),
            base_url: Some(format!("https://{}", office.host)),
            logo_domain: office
                .host
                .split_once('.')
                .map(|(_, domain)| domain.to_owned()),
        })
}

/// The id of a source, which only depends on its slug.
fn source_id(slug: &str) -> Uuid {
    let name = format!("{slug}.sources.gantry.example");
    Uuid::new_v5(&Uuid::NAMESPACE_DNS, name.as_bytes())
}

/// The numbers of a project at each office: reviews share their case, a permit keeps its number
/// from filing to completion.
#[derive(Default)]
pub struct FilingNumbers(HashMap<&'static str, String>);

impl FilingNumbers {
    /// The office in a city that issues such a signal.
    fn office_for(&self, facts: &SignalFacts, city: &'static City) -> &'static Office {
        match facts.office {
            _ if facts.moves && self.0.contains_key(city.permits.slug.as_str()) => &city.permits,
            OfficeKind::Permits => &city.permits,
            OfficeKind::Planning => &city.planning,
            OfficeKind::Deeds => &city.deeds,
            OfficeKind::Wire => &sample_data().wire,
        }
    }

    /// Keeps the number of a filing, unless it is of this filing only.
    pub fn keep(&mut self, signal_type: &SignalType, city: &'static City, number: &str) {
        if let Some(facts) = find_facts(signal_type).filter(|facts| !facts.own_number) {
            let office = self.office_for(facts, city);
            self.0.insert(&office.slug, number.to_owned());
        }
    }
}

/// What a filing contains about its project.
pub struct Site<'a> {
    /// With all its figures.
    pub project: &'a NewProject,
    pub city: &'static City,
    pub zip: &'a str,
    pub building_type: &'static BuildingType,
    /// Its firms: role and name.
    pub firms: Vec<(&'a str, &'a str)>,
    /// The work according to an earlier filing.
    pub work: Option<String>,
}

impl Site<'_> {
    /// What it knows of a key in a pattern.
    fn fact(&self, key: &str) -> Option<Value> {
        let (project, city) = (self.project, self.city);
        let firm = |role: &str| self.firms.iter().find(|(known, _)| *known == role);
        let area = project.gross_floor_area_sf;
        let address = project.primary_address.as_deref().unwrap_or(&city.name);
        Some(match key {
            "name" => project.name.as_str().into(),
            "slug" => slug(&project.name, "-").into(),
            "what" => project.name.replace(address, "").trim().into(),
            "address" => address.into(),
            "zip" => self.zip.into(),
            "city" => city.name.as_str().into(),
            "state" => city.state.as_str().into(),
            "lat" => project.location.map(|(lat, _)| lat).into(),
            "lng" => project.location.map(|(_, lng)| lng).into(),
            "type" => self.building_type.key.replace('_', " ").into(),
            "sf" => area.map(group_whole).into(),
            "stories" => project.stories.into(),
            "homes" => project.residential_units.into(),
            "rooms" => project.hotel_rooms.into(),
            "stalls" => project.parking_spaces.into(),
            "applicant" => {
                let lead = firm("developer").or(firm("owner"));
                lead.map_or("Owner of record", |(_, name)| *name).into()
            }
            "architect" | "gc" | "lender" => firm(key).map(|(_, name)| *name).into(),
            _ => return None,
        })
    }
}

/// Generates the signal of a step.
pub fn generate_signal(
    rng: &mut SampleRng,
    site: &Site<'_>,
    step: TimelineStep,
    numbers: &mut FilingNumbers,
) -> NewSignal {
    let facts = &sample_data().signals[step.signal_type.as_str()];
    let office = numbers.office_for(facts, site.city);
    let filed = step.filed_at;
    let on_site = |key: &str| match key {
        "yyyy" => Some(filed.format("%Y").to_string().into()),
        "yy" => Some(filed.format("%y").to_string().into()),
        "mm" => Some(filed.format("%m").to_string().into()),
        "dd" => Some(filed.format("%d").to_string().into()),
        _ => site.fact(key),
    };
    let kept = numbers
        .0
        .get(office.slug.as_str())
        .filter(|_| !facts.own_number);
    let number = kept
        .cloned()
        .unwrap_or_else(|| fill_pattern(rng, &office.id, &on_site));
    numbers.keep(&step.signal_type, site.city, &number);
    let usd = site.project.cost_of_construction_usd;
    let mut share_of_cost = |share| Some(round_to_three_figures(usd? * rng.draw_from(share)));
    let amount = facts.amount.and_then(&mut share_of_cost);
    let (probability, share) = facts.cost.unwrap_or_default();
    let cost = share_of_cost(share).filter(|_| rng.random_bool(probability));
    let area = site
        .project
        .gross_floor_area_sf
        .filter(|_| rng.random_bool(facts.area));
    let filed_before = site.work.clone();
    let work =
        filed_before.unwrap_or_else(|| fill_pattern(rng, &site.building_type.work, &on_site));
    let in_filing = |key: &str| {
        Some(match key {
            "number" => number.as_str().into(),
            "record" => facts
                .record
                .as_ref()
                .unwrap_or(&site.building_type.permit_type)
                .as_str()
                .into(),
            "status" => facts.status.as_deref().unwrap_or("Accepted").into(),
            "filed_at" => filed.timestamp_millis().into(),
            "work" => work.as_str().into(),
            "cost" => cost.map(|usd| usd as i64).into(),
            "dollars" => cost.map(|usd| format!("${}", group_whole(usd))).into(),
            "area" => area.map(|sf| sf as i64).into(),
            "amount" => amount.map(|usd| usd as i64).into(),
            _ => return on_site(key),
        })
    };
    let payload = facts.payload.as_ref().unwrap_or(&site.city.payload);
    let url = format!("https://{}/records/{}", office.host, slug(&number, "-"));
    NewSignal {
        id: rng.random_id(),
        project_id: site.project.id,
        source_id: source_id(&office.slug),
        raw_data: fill_template(rng, &sample_data().payloads[payload], &in_filing),
        signal_type: step.signal_type,
        filed_at: filed,
        discovered_at: step.discovered_at,
        source_url: rng.random_bool(0.96).then_some(url),
        reported_cost_usd: cost,
        reported_gross_floor_area_sf: area,
        source_filing_id: Some(number),
    }
}

fn group_whole(number: f64) -> String {
    number_format::group_digits(&format!("{number:.0}"))
}

#[cfg(test)]
mod tests {
    use SignalType::*;
    use chrono::Timelike;

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-07-09T16:20:00Z".parse().unwrap()
    }

    fn sample_timelines() -> impl Iterator<Item = Vec<TimelineStep>> {
        let mut rng = SampleRng::new(5, 0);
        let plans = sample_data().plans.values();
        plans
            .cycle()
            .take(600)
            .map(move |plan| draw_timeline(&mut rng, plan, now()))
    }

    #[test]
    fn signals_come_in_a_plausible_order_and_never_from_the_future() {
        for steps in sample_timelines() {
            assert!(
                steps.is_sorted_by(|a, b| a.filed_at < b.filed_at),
                "{steps:?}"
            );
            for step in &steps {
                assert!(step.filed_at <= step.discovered_at && step.discovered_at <= now());
                assert!(step.filed_at.hour() >= 14);
            }
            let at = |wanted| steps.iter().position(|step| step.signal_type == wanted);
            for (before, after) in [
                (EntitlementApplication, EntitlementApproval),
                (EntitlementApproval, PermitFiled),
                (PermitFiled, PermitIssued),
                (PermitIssued, Completion),
                (PreApplication, EntitlementApplication),
            ] {
                let both = at(before).zip(at(after));
                assert!(
                    both.is_none_or(|(first, second)| first < second),
                    "{steps:?}"
                );
            }
            let end = steps.iter().position(|step| is_final(&step.signal_type));
            assert!(
                end.is_none_or(|end| end == steps.len() - 1),
                "nothing follows a final signal: {steps:?}"
            );
        }
    }

    #[test]
    fn the_newest_signal_determines_the_stage() {
        for steps in sample_timelines() {
            let (stage, disposition) = status_as_of(&steps, now());
            match steps.last().map(|step| &step.signal_type) {
                Some(Completion) => assert_eq!((stage, disposition), ("completed", "completed")),
                Some(PermitIssued) => assert!(matches!(stage, "permitted" | "under_construction")),
                Some(EntitlementApproval) => assert_eq!(stage, "approved"),
                Some(Withdrawal) => assert_eq!(disposition, "withdrawn"),
                Some(PermitFiled) => assert_eq!(stage, "permit_review"),
                _ => {}
            }
        }
    }
}
