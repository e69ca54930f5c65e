//! Filings: the signal that a step of a project leaves at an office, with the office's number and
//! its portal's payload.

use std::sync::LazyLock;

use chrono::{DateTime, Datelike, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::buildings::{Building, BuildingType, round_to_three_figures};
use super::firms::slug;
use super::rng::SampleRng;
use super::timeline::TimelineStep;
use super::word_lists::{City, PayloadShape, word_lists};
use crate::domain::ProjectId;
use crate::domain::number_format;
use crate::domain::signals::SignalType::{self, *};
use crate::service::db::new_records::{NewSignal, NewSource};

/// The nationwide trade news source.
const WIRE_SLUG: &str = "siting-wire";
const WIRE_HOST: &str = "www.siting-wire.example";

/// The office that a signal comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfficeKind {
    /// The city's building department.
    Permits,
    /// The city's planning department.
    Planning,
    /// The county's recorder of deeds and loans.
    Recorder,
    /// The trade press.
    Wire,
}

/// Where a signal of this type comes from; `permit` tells whether a building permit was filed
/// before it.
pub fn office_for(signal_type: &SignalType, permit: bool) -> OfficeKind {
    match signal_type {
        ProjectAnnouncement => OfficeKind::Wire,
        SiteAcquisition | ConstructionLoan => OfficeKind::Recorder,
        DemolitionPermit | SitePrep | PermitFiled | PermitIssued | Completion => {
            OfficeKind::Permits
        }
        Withdrawal | Expiration | TeamUpdate if permit => OfficeKind::Permits,
        TeamUpdate => OfficeKind::Wire,
        _ => OfficeKind::Planning,
    }
}

/// The slug of a city's office.
pub fn office_slug(kind: OfficeKind, city: &City) -> String {
    match kind {
        OfficeKind::Permits => city.permits.slug.clone(),
        OfficeKind::Planning => city.planning.slug.clone(),
        OfficeKind::Recorder => format!("{}-deeds", slug(&city.county, "-")),
        OfficeKind::Wire => WIRE_SLUG.to_owned(),
    }
}

/// All sources of the sample world.
pub fn sources() -> Vec<NewSource> {
    let source = |slug: &str, name: &str, host: &str| NewSource {
        id: source_id(slug),
        slug: slug.to_owned(),
        display_name: name.to_owned(),
        base_url: Some(format!("https://{host}")),
        logo_domain: host.split_once('.').map(|(_, domain)| domain.to_owned()),
    };
    let mut sources = vec![source(WIRE_SLUG, "The Siting Wire", WIRE_HOST)];
    for city in &word_lists().cities {
        for office in [&city.permits, &city.planning] {
            sources.push(source(&office.slug, &office.name, &office.host));
        }
        sources.push(source(
            &office_slug(OfficeKind::Recorder, city),
            &format!("{} Recorder of Deeds", city.county),
            &office_host(OfficeKind::Recorder, city),
        ));
    }
    sources
}

/// The host of a city's office.
fn office_host(kind: OfficeKind, city: &City) -> String {
    match kind {
        OfficeKind::Permits => city.permits.host.clone(),
        OfficeKind::Planning => city.planning.host.clone(),
        OfficeKind::Recorder => {
            let state = city.state.to_lowercase();
            format!("deeds.{}-{state}.example", slug(&city.county, "-"))
        }
        OfficeKind::Wire => WIRE_HOST.to_owned(),
    }
}

/// The id of a source, which only depends on its slug.
pub fn source_id(slug: &str) -> Uuid {
    Uuid::new_v5(
        &Uuid::NAMESPACE_DNS,
        format!("{slug}.sources.gantry.example").as_bytes(),
    )
}

/// What a filing contains about its project.
pub struct PermitSite<'a> {
    pub project: ProjectId,
    pub name: &'a str,
    pub address: &'a str,
    pub city: &'a City,
    pub zip: &'a str,
    pub location: (f64, f64),
    pub building_type: &'static BuildingType,
    /// Its figures.
    pub building: &'a Building,
    /// The applicant.
    pub applicant: &'a str,
    /// The architect.
    pub architect: Option<&'a str>,
    /// The contractor.
    pub contractor: Option<&'a str>,
    /// The lender.
    pub lender: Option<&'a str>,
}

/// The numbers of a project's filings: reviews share their case, a permit keeps its number from
/// filing to completion.
#[derive(Default)]
pub struct FilingNumbers {
    /// The number of the planning case.
    pub case: Option<String>,
    /// The number of the building permit.
    pub permit: Option<String>,
}

/// Generates the signal of a step.
pub fn generate_signal(
    rng: &mut SampleRng,
    site: &PermitSite<'_>,
    step: &TimelineStep,
    numbers: &mut FilingNumbers,
) -> NewSignal {
    let kind = office_for(&step.signal_type, numbers.permit.is_some());
    let number = match kind {
        OfficeKind::Permits if matches!(step.signal_type, DemolitionPermit | SitePrep) => {
            filing_number(rng, &site.city.permits.id, step.filed_at)
        }
        OfficeKind::Permits => numbers
            .permit
            .get_or_insert_with(|| filing_number(rng, &site.city.permits.id, step.filed_at))
            .clone(),
        OfficeKind::Planning if step.signal_type == PreApplication => {
            format!("PRE-{}", filing_number(rng, "{yy}-{n4}", step.filed_at))
        }
        OfficeKind::Planning => numbers
            .case
            .get_or_insert_with(|| filing_number(rng, &site.city.planning.id, step.filed_at))
            .clone(),
        OfficeKind::Recorder => filing_number(rng, "{yyyy}0{r6}", step.filed_at),
        OfficeKind::Wire => format!(
            "{}-{}",
            step.filed_at.format("%Y%m%d"),
            slug(site.name, "-")
        ),
    };
    let host = office_host(kind, site.city);
    let (cost, area) = reported_figures(rng, site, &step.signal_type);
    NewSignal {
        id: rng.random_id(),
        project_id: site.project,
        source_id: source_id(&office_slug(kind, site.city)),
        signal_type: step.signal_type.clone(),
        filed_at: step.filed_at,
        discovered_at: step.discovered_at,
        source_url: rng
            .random_bool(0.96)
            .then(|| format!("https://{host}/records/{}", slug(&number, "-"))),
        raw_data: raw_payload(rng, site, step, kind, &number, cost, area),
        source_filing_id: Some(number),
        reported_cost_usd: cost,
        reported_gross_floor_area_sf: area,
    }
}

/// The reported cost and area: valuations are lower than the real cost, headlines round up.
fn reported_figures(
    rng: &mut SampleRng,
    site: &PermitSite<'_>,
    signal_type: &SignalType,
) -> (Option<f64>, Option<f64>) {
    let cost = site.building.cost_of_construction_usd;
    let area = site.building.gross_floor_area_sf;
    let estimate = |rng: &mut SampleRng, probability: f64, low: f64, high: f64| {
        let is_reported = rng.random_bool(probability);
        is_reported.then(|| round_to_three_figures(cost * rng.float_between(low, high)))
    };
    let (cost, area_probability) = match signal_type {
        ProjectAnnouncement => (estimate(rng, 0.55, 1.0, 1.25), 0.4),
        EntitlementApplication | EntitlementApproval | EnvironmentalReview => (None, 0.8),
        PermitFiled => (estimate(rng, 0.95, 0.78, 0.98), 0.85),
        PermitIssued => (estimate(rng, 0.95, 0.85, 1.0), 0.85),
        DemolitionPermit => {
            let cost = (cost * 0.006).clamp(8_000.0, 900_000.0);
            return (Some(round_to_three_figures(cost)), None);
        }
        SitePrep => {
            let cost = (cost * 0.03).clamp(15_000.0, 4_000_000.0);
            return (Some(round_to_three_figures(cost)), None);
        }
        Completion => (rng.random_bool(0.6).then_some(cost), 1.0),
        _ => return (None, None),
    };
    (cost, rng.random_bool(area_probability).then_some(area))
}

/// Generates a filing number in an office's style.
pub fn filing_number(rng: &mut SampleRng, pattern: &str, filed: DateTime<Utc>) -> String {
    let mut out = String::with_capacity(20);
    let mut rest = pattern;
    while let Some((before, key, after)) = split_key(rest) {
        out.push_str(before);
        match key {
            "yyyy" => out.push_str(&filed.format("%Y").to_string()),
            "yy" => out.push_str(&filed.format("%y").to_string()),
            "mm" => out.push_str(&filed.format("%m").to_string()),
            "dd" => out.push_str(&filed.format("%d").to_string()),
            counter => {
                let digits = counter[1..].parse().unwrap_or(4);
                let all = 10f64.powi(digits as i32);
                // Sequential numbers grow through the year; random ones do not.
                let at = if counter.starts_with('n') {
                    (f64::from(filed.ordinal()) / 366.0 * 0.8 + rng.float_between(0.0, 0.02)) * all
                } else {
                    rng.float_between(0.0, 1.0) * all
                };
                out.push_str(&format!("{:0digits$}", at as u64));
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The description of the work, as a clerk types it.
fn work_description(site: &PermitSite<'_>) -> String {
    let building = site.building;
    let homes = building.residential_units.unwrap_or(0);
    let pattern = match &site.building_type.work {
        Some(pattern) => pattern.as_str(),
        None if homes > 0 => {
            "NEW CONSTRUCTION: {stories}-STORY BUILDING, {homes} DWELLING UNITS, {area} GSF"
        }
        None => "NEW CONSTRUCTION: {stories}-STORY {type} BUILDING, {area} GSF",
    };
    let kind = site.building_type.key.replace('_', " ").to_uppercase();
    let what = site.name.replace(site.address, "").trim().to_uppercase();
    let count = |number: Option<i64>| number.unwrap_or(0).to_string();
    pattern
        .replace("{stories}", &building.stories.to_string())
        .replace("{homes}", &homes.to_string())
        .replace("{rooms}", &count(building.hotel_rooms))
        .replace("{stalls}", &count(building.parking_spaces))
        .replace("{area}", &group_whole(building.gross_floor_area_sf))
        .replace("{type}", &kind)
        .replace("{what}", &what)
}

fn status_text(signal_type: &SignalType) -> &'static str {
    match signal_type {
        PermitFiled => "In Review",
        PermitIssued | DemolitionPermit | SitePrep => "Issued",
        Completion => "Finaled",
        Withdrawal => "Withdrawn",
        Expiration => "Expired",
        EntitlementApproval => "Approved with Conditions",
        EntitlementDenial => "Denied",
        PublicReview => "Hearing Scheduled",
        EnvironmentalReview => "Comment Period",
        PreApplication => "Meeting Held",
        _ => "Accepted",
    }
}

fn record_type(signal_type: &SignalType, building_type: &'static BuildingType) -> &'static str {
    match signal_type {
        DemolitionPermit => "Demolition",
        SitePrep => "Site Work - Grading and Shoring",
        PreApplication => "Pre-Application Conference",
        EnvironmentalReview => "Environmental Determination",
        PublicReview => "Public Hearing Notice",
        EntitlementApplication | EntitlementApproval | EntitlementDenial => {
            "Site Plan / Design Review"
        }
        TeamUpdate => "Change of Contractor of Record",
        _ => &building_type.permit_type,
    }
}

/// The record of a filing in its portal, in the format of `assets/sample/payloads.json`.
fn raw_payload(
    rng: &mut SampleRng,
    site: &PermitSite<'_>,
    step: &TimelineStep,
    kind: OfficeKind,
    number: &str,
    cost: Option<f64>,
    area: Option<f64>,
) -> Value {
    let (format, facts) = match (kind, site.city.payload) {
        (OfficeKind::Wire, _) => ("wire", article_facts(site, step)),
        (OfficeKind::Recorder, _) => ("deed", deed_facts(rng, site, step)),
        (_, PayloadShape::Flat) => ("flat", json!({})),
        (_, PayloadShape::Ledger) => {
            let (book, page) = (rng.int_between(1, 980), rng.int_between(1, 9_999));
            let parcel = format!("{book:03}-{page:04}-{:03}", rng.int_between(0, 90));
            ("ledger", json!({"parcel": parcel}))
        }
        (_, PayloadShape::Layer) => {
            let id = rng.int_between(10_000, 990_000);
            ("layer", json!({"object_id": id}))
        }
    };
    let filed = step.filed_at;
    let fact = |name: &str| {
        let value = match name.to_lowercase().as_str() {
            "number" => number.into(),
            "record_type" => record_type(&step.signal_type, site.building_type).into(),
            "status" => status_text(&step.signal_type).into(),
            "day" => filed.format("%Y-%m-%d").to_string().into(),
            "us_day" => filed.format("%m/%d/%Y").to_string().into(),
            "filed_at" => filed.timestamp_millis().into(),
            "published_at" => filed.to_rfc3339_opts(SecondsFormat::Secs, true).into(),
            "name" => site.name.into(),
            "work" => work_description(site).into(),
            "address" => site.address.into(),
            "zip" => site.zip.into(),
            "city" => site.city.name.as_str().into(),
            "state" => site.city.state.as_str().into(),
            "lat" => site.location.0.into(),
            "lng" => site.location.1.into(),
            "cost" => cost.map(|usd| usd as i64).into(),
            "dollars" => cost.map(|usd| format!("${}", group_whole(usd))).into(),
            "area" => area.map(|sf| sf as i64).into(),
            "homes" => site.building.residential_units.into(),
            "stories" => site.building.stories.into(),
            "applicant" => site.applicant.into(),
            "architect" => site.architect.into(),
            "contractor" => site.contractor.into(),
            _ => facts.get(name)?.clone(),
        };
        let is_loud = name.bytes().all(|byte| byte.is_ascii_uppercase());
        Some(match value {
            Value::String(text) if is_loud => text.to_uppercase().into(),
            value => value,
        })
    };
    let payload = fill_template(&payload_templates()[format], &fact);
    match payload {
        // these portals have numbers as text
        Some(Value::Object(fields)) if format == "flat" => fields
            .into_iter()
            .map(|(key, value)| match value {
                Value::Number(number) => (key, number.to_string().into()),
                text => (key, text),
            })
            .collect(),
        payload => payload.unwrap_or_default(),
    }
}

/// The formats of payloads, by name, parsed on first use. A text that is one key in braces stands
/// for the value of this fact, which may be null; with a question mark, a field without a value is
/// left out. A key in capitals is the fact in capitals.
fn payload_templates() -> &'static Value {
    static TEMPLATES: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../assets/sample/payloads.json"))
            .expect("embedded data is valid")
    });
    &TEMPLATES
}

/// A template with the facts in place, or `None` if it stands for an optional one that is unknown.
fn fill_template(template: &Value, fact: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    let text = match template {
        Value::Object(fields) => {
            let filled = fields
                .iter()
                .filter_map(|(key, field)| Some((key.clone(), fill_template(field, fact)?)));
            return Some(Value::Object(filled.collect::<Map<_, _>>()));
        }
        Value::String(text) => text.as_str(),
        other => return Some(other.clone()),
    };
    let key = text.strip_prefix('{').and_then(|key| key.strip_suffix('}'));
    let optional = key.and_then(|key| key.strip_suffix('?'));
    if let Some(value) = optional.or(key).and_then(fact) {
        return (optional.is_none() || !value.is_null()).then_some(value);
    }
    let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, key, after)) = split_key(rest) {
        filled.push_str(before);
        if let Some(Value::String(word)) = fact(key) {
            filled.push_str(&word);
        }
        rest = after;
    }
    Some((filled + rest).into())
}

/// The first key in braces of a text, with what stands before and after it.
fn split_key(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (key, after) = rest.split_once('}')?;
    Some((before, key, after))
}

/// What the trade press says besides the facts of a filing.
fn article_facts(site: &PermitSite<'_>, step: &TimelineStep) -> Value {
    let building = site.building;
    let plan = match building.residential_units {
        Some(homes) if homes > 1 => format!("a {}-story, {homes}-unit building", building.stories),
        _ => format!(
            "a {} square foot {} project",
            group_whole(building.gross_floor_area_sf),
            site.building_type.key.replace('_', " ")
        ),
    };
    let name = site.name;
    let headline = match (&step.signal_type, site.contractor, site.architect) {
        (TeamUpdate, Some(contractor), _) => format!("{contractor} picked to build {name}"),
        (TeamUpdate, None, Some(architect)) => format!("{architect} joins {name} team"),
        (TeamUpdate, None, None) => format!("Design team forms for {name}"),
        _ => format!("{} plans {name} in {}", site.applicant, site.city.name),
    };
    json!({"plan": plan, "headline": headline})
}

/// What a deed says besides the facts of a filing.
fn deed_facts(rng: &mut SampleRng, site: &PermitSite<'_>, step: &TimelineStep) -> Value {
    let words = word_lists();
    let owner = format!("{} OWNER LLC", site.address.to_uppercase());
    let (document, grantor, grantee, share) = if step.signal_type == ConstructionLoan {
        let lender = site.lender.unwrap_or("Lender of record").to_uppercase();
        let share = rng.float_between(0.52, 0.68);
        ("DEED OF TRUST", owner, lender, share)
    } else {
        let seller = rng.pick(&words.last_names).to_uppercase();
        let share = rng.float_between(0.06, 0.19);
        (
            "SPECIAL WARRANTY DEED",
            format!("{seller} FAMILY TRUST"),
            owner,
            share,
        )
    };
    let amount = round_to_three_figures(site.building.cost_of_construction_usd * share);
    let (lot, block) = (rng.int_between(1, 24), rng.int_between(1, 40));
    let addition = rng.pick(&words.name_words).to_uppercase();
    json!({
        "document": document,
        "grantor": grantor,
        "grantee": grantee,
        "amount": amount as i64,
        "legal": format!("LOT {lot} BLK {block} {addition} ADDN"),
    })
}

fn group_whole(number: f64) -> String {
    number_format::group_digits(&format!("{number:.0}"))
}
