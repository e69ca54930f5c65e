//! The facts of a record's page: a fact is one line here.

use crate::app::annotation_cache::AnnotationField;
use crate::app::effect::RecordKey;
use crate::app::panes::fact_list::FactList;
use crate::app::{Context, format};
use crate::domain::book::Dataset;
use crate::domain::records::RecordFields;
use crate::ui::TextRole;

/// How a fact is formatted.
#[derive(Clone, Copy)]
enum FactFormat {
    Text,
    Word,
    List,
    Day,
    Number(&'static str),
    Dollars,
}

type FactRow = (&'static str, &'static str, FactFormat);

const ACCOUNT_FACTS: &[FactRow] = &[
    ("type", "account_types", FactFormat::List),
    ("specialty", "specialties", FactFormat::List),
    ("about", "description", FactFormat::Text),
    ("city", "city", FactFormat::Text),
    ("state", "state", FactFormat::Text),
    ("address", "hq_address", FactFormat::Text),
    ("phone", "public_phone", FactFormat::Text),
    ("email", "public_email", FactFormat::Text),
    ("website", "website", FactFormat::Text),
    ("linkedin", "linkedin_url", FactFormat::Text),
    ("domains", "domains", FactFormat::List),
    ("aliases", "aliases", FactFormat::List),
    ("founded", "founded_year", FactFormat::Text),
    ("projects", "projects_count", FactFormat::Number("")),
    ("contacts", "contacts_count", FactFormat::Number("")),
    ("known since", "created_at", FactFormat::Day),
];

const CONTACT_FACTS: &[FactRow] = &[
    ("title", "title", FactFormat::Text),
    ("email", "email", FactFormat::Text),
    ("phone", "phone", FactFormat::Text),
    ("projects", "projects_count", FactFormat::Number("")),
    ("known since", "created_at", FactFormat::Day),
];

const PROJECT_FACTS: &[FactRow] = &[
    ("stage", "stage", FactFormat::Word),
    ("use", "primary_use", FactFormat::Word),
    ("uses", "uses", FactFormat::List),
    ("address", "primary_address", FactFormat::Text),
    ("area", "neighborhood", FactFormat::Text),
    ("city", "city", FactFormat::Text),
    ("state", "state", FactFormat::Text),
    ("contractor", "gc_status", FactFormat::Word),
    ("disposition", "disposition", FactFormat::Word),
    ("cost", "cost_of_construction_usd", FactFormat::Dollars),
    (
        "floor area",
        "gross_floor_area_sf",
        FactFormat::Number(" sf"),
    ),
    ("land", "land_area_sf", FactFormat::Number(" sf")),
    ("stories", "stories", FactFormat::Number("")),
    ("height", "height_ft", FactFormat::Number(" ft")),
    ("homes", "residential_units", FactFormat::Number("")),
    ("affordable", "affordable_units", FactFormat::Number("")),
    ("hotel rooms", "hotel_rooms", FactFormat::Number("")),
    ("parking", "parking_spaces", FactFormat::Number("")),
    ("structure", "structure_types", FactFormat::List),
    ("regulation", "regulatory_flags", FactFormat::List),
    ("first signal", "first_signal_at", FactFormat::Day),
    ("last signal", "last_signal_at", FactFormat::Day),
    ("signals", "signals_count", FactFormat::Number("")),
    (
        "last 30 days",
        "updates_last_30_days",
        FactFormat::Number(""),
    ),
    ("known since", "created_at", FactFormat::Day),
];

const SIGNAL_FACTS: &[FactRow] = &[
    ("type", "signal_type", FactFormat::Word),
    ("filed", "filed_at", FactFormat::Day),
    ("found", "discovered_at", FactFormat::Day),
    ("address", "project_primary_address", FactFormat::Text),
    ("cost", "reported_cost_usd", FactFormat::Dollars),
    (
        "floor area",
        "reported_gross_floor_area_sf",
        FactFormat::Number(" sf"),
    ),
    ("filing", "source_filing_id", FactFormat::Text),
    ("source", "source_display_name", FactFormat::Text),
    ("page", "source_url", FactFormat::Text),
];

fn facts_of_dataset(dataset: &Dataset) -> &'static [FactRow] {
    match dataset {
        Dataset::Accounts => ACCOUNT_FACTS,
        Dataset::Contacts => CONTACT_FACTS,
        Dataset::Projects => PROJECT_FACTS,
        Dataset::Signals => SIGNAL_FACTS,
        Dataset::Other(_) => &[],
    }
}

/// Writes what the team wrote about a record that was read from the index, as far as lists and
/// pages of the book told.
pub(super) fn write_team_facts(facts: &mut FactList, key: &RecordKey, cx: &Context) {
    if cx
        .records
        .team_words(&key.dataset, key.id, &cx.queue)
        .is_none()
    {
        return;
    }
    let known = cx
        .records
        .cached_annotation(&key.dataset.as_str().into(), key.id);
    for field in AnnotationField::ALL {
        let value = known
            .value(field)
            .map(|words| words.join(", "))
            .unwrap_or_default();
        facts.push_fact(field.title(), TextRole::Strong, value);
    }
    facts.push_gap();
}

/// Writes the facts of a record, starting with the workspace's annotations if the route returns
/// them.
pub(super) fn write_record_facts(
    facts: &mut FactList,
    dataset: &Dataset,
    fields: &RecordFields,
    cx: &Context,
) {
    if fields.contains_field("workspace_status") || fields.contains_field("tags") {
        let tags = fields.list("tags").join(", ");
        let none = cx.settings.theme.glyphs().missing;
        let or_none = |text: Option<&str>| {
            text.filter(|text| !text.is_empty())
                .unwrap_or(none)
                .to_owned()
        };
        facts.push_fact(
            "status",
            TextRole::Strong,
            or_none(fields.text("workspace_status")),
        );
        if fields.contains_field("icp_tier") {
            facts.push_fact(
                "tier",
                TextRole::Strong,
                or_none(fields.text("icp_tier").map(format::humanize).as_deref()),
            );
            let score = fields
                .number("atlas_score")
                .map(|score| format::format_number(&score));
            let trend = fields
                .text("atlas_trend")
                .map(|trend| format!(" ({})", format::humanize(trend)))
                .unwrap_or_default();
            facts.push_fact(
                "score",
                TextRole::Text,
                score
                    .map(|score| format!("{score}{trend}"))
                    .unwrap_or_default(),
            );
        }
        facts.push_fact("tags", TextRole::Strong, or_none(Some(&tags)));
        if let Some(notes) = fields
            .text("notes")
            .filter(|notes| !notes.trim().is_empty())
        {
            facts.push_gap();
            for (n, part) in notes.lines().enumerate() {
                facts.push_fact(
                    if n == 0 { "notes" } else { "" },
                    TextRole::Text,
                    part.to_owned(),
                );
            }
        }
        facts.push_gap();
    }
    for (label, field, kind) in facts_of_dataset(dataset) {
        let value = match kind {
            FactFormat::Text => fields.text(field).map(str::to_owned).or_else(|| {
                fields.number(field).map(|num| match num {
                    crate::domain::lenient::Number::Int(n) => n.to_string(),
                    num => format::format_number(&num),
                })
            }),
            FactFormat::Word => fields.text(field).map(format::humanize),
            FactFormat::List => Some(
                fields
                    .list(field)
                    .into_iter()
                    .map(format::humanize)
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
            FactFormat::Day => fields
                .date_time(field)
                .map(|when| format::format_full_day(&when)),
            FactFormat::Number(unit) => fields
                .number(field)
                .map(|num| format!("{}{unit}", format::format_number(&num))),
            FactFormat::Dollars => fields
                .number(field)
                .map(|num| format!("${}", format::format_number(&num))),
        };
        // A single use that equals the primary one adds nothing.
        let value = value.filter(|value| {
            *field != "uses"
                || Some(value) != fields.text("primary_use").map(format::humanize).as_ref()
        });
        facts.push_fact(label, TextRole::Text, value.unwrap_or_default());
    }
}
