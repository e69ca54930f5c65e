//! Filings: the signal that a step of a project leaves at an office, with the office's number and
//! its portal's payload.

use chrono::{DateTime, Datelike, Utc};
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
pub const WIRE_SLUG: &str = "siting-wire";

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
    let source = |slug: String, name: String, host: String| NewSource {
        id: source_id(&slug),
        slug,
        display_name: name,
        base_url: Some(format!("https://{host}")),
        logo_domain: host.split_once('.').map(|(_, domain)| domain.to_owned()),
    };
    let mut sources = vec![source(
        WIRE_SLUG.to_owned(),
        "The Siting Wire".to_owned(),
        "www.siting-wire.example".to_owned(),
    )];
    for city in &word_lists().cities {
        sources.push(source(
            city.permits.slug.clone(),
            city.permits.name.clone(),
            city.permits.host.clone(),
        ));
        sources.push(source(
            city.planning.slug.clone(),
            city.planning.name.clone(),
            city.planning.host.clone(),
        ));
        let county = slug(&city.county, "-");
        sources.push(source(
            format!("{county}-deeds"),
            format!("{} Recorder of Deeds", city.county),
            format!("deeds.{county}-{}.example", city.state.to_lowercase()),
        ));
    }
    sources
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
    pub building_type: BuildingType,
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
    chance: &mut SampleRng,
    site: &PermitSite<'_>,
    step: &TimelineStep,
    numbers: &mut FilingNumbers,
) -> NewSignal {
    let kind = office_for(&step.signal_type, numbers.permit.is_some());
    let number = match kind {
        OfficeKind::Permits if matches!(step.signal_type, DemolitionPermit | SitePrep) => {
            filing_number(chance, &site.city.permits.id, step.filed_at)
        }
        OfficeKind::Permits => numbers
            .permit
            .get_or_insert_with(|| filing_number(chance, &site.city.permits.id, step.filed_at))
            .clone(),
        OfficeKind::Planning if step.signal_type == PreApplication => {
            format!("PRE-{}", filing_number(chance, "{yy}-{n4}", step.filed_at))
        }
        OfficeKind::Planning => numbers
            .case
            .get_or_insert_with(|| filing_number(chance, &site.city.planning.id, step.filed_at))
            .clone(),
        OfficeKind::Recorder => filing_number(chance, "{yyyy}0{r6}", step.filed_at),
        OfficeKind::Wire => format!(
            "{}-{}",
            step.filed_at.format("%Y%m%d"),
            slug(site.name, "-")
        ),
    };
    let host = match kind {
        OfficeKind::Permits => site.city.permits.host.clone(),
        OfficeKind::Planning => site.city.planning.host.clone(),
        OfficeKind::Recorder => format!(
            "deeds.{}-{}.example",
            slug(&site.city.county, "-"),
            site.city.state.to_lowercase()
        ),
        OfficeKind::Wire => "www.siting-wire.example".to_owned(),
    };
    let (cost, area) = reported_figures(chance, site, &step.signal_type);
    NewSignal {
        id: chance.random_id(),
        project_id: site.project,
        source_id: source_id(&office_slug(kind, site.city)),
        signal_type: step.signal_type.clone(),
        filed_at: step.filed_at,
        discovered_at: step.discovered_at,
        source_url: chance
            .random_bool(0.96)
            .then(|| format!("https://{host}/records/{}", slug(&number, "-"))),
        raw_data: raw_payload(chance, site, step, kind, &number, cost, area),
        source_filing_id: Some(number),
        reported_cost_usd: cost,
        reported_gross_floor_area_sf: area,
    }
}

/// The reported cost and area: valuations are lower than the real cost, headlines round up.
fn reported_figures(
    chance: &mut SampleRng,
    site: &PermitSite<'_>,
    signal_type: &SignalType,
) -> (Option<f64>, Option<f64>) {
    let (cost, area) = (
        site.building.cost_of_construction_usd,
        site.building.gross_floor_area_sf,
    );
    match signal_type {
        ProjectAnnouncement => (
            chance
                .random_bool(0.55)
                .then(|| round_to_three_figures(cost * chance.float_between(1.0, 1.25))),
            chance.random_bool(0.4).then_some(area),
        ),
        EntitlementApplication | EntitlementApproval | EnvironmentalReview => {
            (None, chance.random_bool(0.8).then_some(area))
        }
        PermitFiled => (
            chance
                .random_bool(0.95)
                .then(|| round_to_three_figures(cost * chance.float_between(0.78, 0.98))),
            chance.random_bool(0.85).then_some(area),
        ),
        PermitIssued => (
            chance
                .random_bool(0.95)
                .then(|| round_to_three_figures(cost * chance.float_between(0.85, 1.0))),
            chance.random_bool(0.85).then_some(area),
        ),
        DemolitionPermit => (
            Some(round_to_three_figures(
                (cost * 0.006).clamp(8_000.0, 900_000.0),
            )),
            None,
        ),
        SitePrep => (
            Some(round_to_three_figures(
                (cost * 0.03).clamp(15_000.0, 4_000_000.0),
            )),
            None,
        ),
        Completion => (chance.random_bool(0.6).then_some(cost), Some(area)),
        _ => (None, None),
    }
}

/// Generates a filing number in an office's style.
pub fn filing_number(chance: &mut SampleRng, pattern: &str, filed: DateTime<Utc>) -> String {
    let mut out = String::with_capacity(20);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (key, after) = after.split_once('}').unwrap_or((after, ""));
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
                    (f64::from(filed.ordinal()) / 366.0 * 0.8 + chance.float_between(0.0, 0.02))
                        * all
                } else {
                    chance.float_between(0.0, 1.0) * all
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
    let stories = building.stories;
    let homes = building.residential_units.unwrap_or(0);
    let what = match site.building_type {
        BuildingType::Deck => {
            return format!(
                "{}: {} SF",
                site.name.replace(site.address, "").trim().to_uppercase(),
                building.gross_floor_area_sf
            );
        }
        BuildingType::FitOut => {
            return format!(
                "TENANT IMPROVEMENT, {} SF, NO CHANGE OF USE",
                building.gross_floor_area_sf
            );
        }
        BuildingType::House => {
            format!("{stories}-STORY SINGLE FAMILY RESIDENCE WITH ATTACHED GARAGE")
        }
        BuildingType::Hotel => format!(
            "{stories}-STORY HOTEL, {} GUEST ROOMS",
            building.hotel_rooms.unwrap_or(0)
        ),
        BuildingType::Parking => format!(
            "{stories}-LEVEL PARKING STRUCTURE, {} STALLS",
            building.parking_spaces.unwrap_or(0)
        ),
        _ if homes > 0 => format!("{stories}-STORY BUILDING, {homes} DWELLING UNITS"),
        other => format!(
            "{stories}-STORY {} BUILDING",
            other.key().replace('_', " ").to_uppercase()
        ),
    };
    format!(
        "NEW CONSTRUCTION: {what}, {} GSF",
        building.gross_floor_area_sf
    )
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

fn record_type(signal_type: &SignalType, sort: BuildingType) -> &'static str {
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
        _ if sort == BuildingType::FitOut => "Commercial - Tenant Improvement",
        _ if matches!(sort, BuildingType::House | BuildingType::Deck) => "Residential - Building",
        _ => "Commercial - New Building",
    }
}

fn raw_payload(
    chance: &mut SampleRng,
    site: &PermitSite<'_>,
    step: &TimelineStep,
    kind: OfficeKind,
    number: &str,
    cost: Option<f64>,
    area: Option<f64>,
) -> Value {
    let building = site.building;
    let day = step.filed_at.format("%Y-%m-%d").to_string();
    match kind {
        OfficeKind::Wire => return wire_payload(site, step, number, cost),
        OfficeKind::Recorder => return deed_payload(chance, site, step, number),
        OfficeKind::Permits | OfficeKind::Planning => {}
    }
    let (kind_of_record, state) = (
        record_type(&step.signal_type, site.building_type),
        status_text(&step.signal_type),
    );
    let homes = building
        .residential_units
        .filter(|_| site.building_type != BuildingType::Deck);
    let (lat, lng) = site.location;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        drop((!value.is_null()).then(|| out.insert(key.to_owned(), value)))
    };
    match site.city.payload {
        PayloadShape::Flat => {
            put("record_number", json!(number));
            put("record_type", json!(kind_of_record));
            put("status_current", json!(state));
            put("applied_date", json!(format!("{day}T00:00:00.000")));
            put("description", json!(work_description(site)));
            put("original_address1", json!(site.address.to_uppercase()));
            put("original_zip", json!(site.zip));
            put(
                "estprojectcost",
                cost.map_or(Value::Null, |usd| json!(format!("{usd:.0}"))),
            );
            put(
                "total_new_add_sqft",
                area.map_or(Value::Null, |sf| json!(format!("{sf:.0}"))),
            );
            put(
                "housing_units",
                homes.map_or(Value::Null, |n| json!(n.to_string())),
            );
            put("number_of_floors", json!(building.stories.to_string()));
            put("applicant_name", json!(site.applicant));
            put(
                "contractor_company_name",
                site.contractor
                    .map_or(Value::Null, |name| json!(name.to_uppercase())),
            );
            put("latitude", json!(lat.to_string()));
            put("longitude", json!(lng.to_string()));
        }
        PayloadShape::Ledger => {
            put("Record Number", json!(number));
            put("Record Type", json!(kind_of_record));
            put("Record Status", json!(state));
            put(
                "Opened Date",
                json!(step.filed_at.format("%m/%d/%Y").to_string()),
            );
            put("Project Name", json!(site.name));
            put(
                "Address",
                json!(format!(
                    "{}, {} {} {}",
                    site.address, site.city.name, site.city.state, site.zip
                )),
            );
            put("Description", json!(work_description(site)));
            put(
                "Job Value",
                cost.map_or(Value::Null, |usd| {
                    json!(format!(
                        "${}",
                        number_format::group_digits(&format!("{usd:.0}"))
                    ))
                }),
            );
            put(
                "Square Feet",
                area.map_or(Value::Null, |sf| json!(sf as i64)),
            );
            put("Applicant", json!(site.applicant));
            put(
                "Design Professional",
                site.architect.map_or(Value::Null, |name| json!(name)),
            );
            put(
                "Licensed Contractor",
                site.contractor.map_or(Value::Null, |name| json!(name)),
            );
            put(
                "Parcel",
                json!(format!(
                    "{:03}-{:04}-{:03}",
                    chance.int_between(1, 980),
                    chance.int_between(1, 9_999),
                    chance.int_between(0, 90)
                )),
            );
        }
        PayloadShape::Layer => {
            let attributes = json!({
                "OBJECTID": chance.int_between(10_000, 990_000),
                "CASE_NO": number,
                "CASE_TYPE": kind_of_record,
                "STATUS": state.to_uppercase(),
                "FILE_DATE": step.filed_at.timestamp_millis(),
                "SITE_ADDR": site.address.to_uppercase(),
                "WORK_DESC": work_description(site),
                "VALUATION": cost.map(|usd| usd as i64),
                "BLDG_AREA": area.map(|sf| sf as i64),
                "DWELL_UNITS": homes,
                "STORIES": building.stories,
                "OWNER_NAME": site.applicant.to_uppercase(),
                "CONTRACTOR": site.contractor.map(str::to_uppercase),
            });
            put("attributes", attributes);
            put("geometry", json!({"x": lng, "y": lat}));
        }
    }
    Value::Object(out)
}

fn wire_payload(
    site: &PermitSite<'_>,
    step: &TimelineStep,
    number: &str,
    cost: Option<f64>,
) -> Value {
    let building = site.building;
    let place = format!("{}, {}", site.city.name, site.city.state);
    let what = match building.residential_units {
        Some(homes) if homes > 1 => format!("a {}-story, {homes}-unit building", building.stories),
        _ => format!(
            "a {} square foot {} project",
            number_format::group_digits(&format!("{:.0}", building.gross_floor_area_sf)),
            site.building_type.key().replace('_', " ")
        ),
    };
    let headline = match (&step.signal_type, site.contractor, site.architect) {
        (TeamUpdate, Some(contractor), _) => format!("{contractor} picked to build {}", site.name),
        (TeamUpdate, None, Some(architect)) => format!("{architect} joins {} team", site.name),
        (TeamUpdate, None, None) => format!("Design team forms for {}", site.name),
        _ => format!(
            "{} plans {} in {}",
            site.applicant, site.name, site.city.name
        ),
    };
    json!({
        "slug": number,
        "headline": headline,
        "published_at": step.filed_at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        "dateline": place,
        "summary": format!("{} is planned as {what} at {}.", site.name, site.address),
        "estimated_cost": cost.map(|usd| usd as i64),
    })
}

fn deed_payload(
    chance: &mut SampleRng,
    site: &PermitSite<'_>,
    step: &TimelineStep,
    number: &str,
) -> Value {
    let cost = site.building.cost_of_construction_usd;
    let entity = format!("{} OWNER LLC", site.address.to_uppercase());
    let (document, grantor, grantee, amount) = if step.signal_type == ConstructionLoan {
        let lender = site
            .lender
            .map_or("LENDER OF RECORD".to_owned(), str::to_uppercase);
        (
            "DEED OF TRUST",
            entity,
            lender,
            round_to_three_figures(cost * chance.float_between(0.52, 0.68)),
        )
    } else {
        let seller = format!(
            "{} FAMILY TRUST",
            chance.pick(&word_lists().last_names).to_uppercase()
        );
        (
            "SPECIAL WARRANTY DEED",
            seller,
            entity,
            round_to_three_figures(cost * chance.float_between(0.06, 0.19)),
        )
    };
    json!({
        "instrument": number,
        "document_type": document,
        "recorded": step.filed_at.format("%m/%d/%Y").to_string(),
        "grantor": grantor,
        "grantee": grantee,
        "consideration": amount as i64,
        "legal": format!("LOT {} BLK {} {} ADDN", chance.int_between(1, 24), chance.int_between(1, 40), chance.pick(&word_lists().name_words).to_uppercase()),
    })
}
