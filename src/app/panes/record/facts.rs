//! What a page says of a record: a fact is one line here.

use crate::app::App;
use crate::app::format;
use crate::app::panes::facts::Sheet;
use crate::domain::book::Dataset;
use crate::domain::records::RecordFields;
use crate::ui::TextRole;

/// How a fact is written.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Word,
    List,
    Day,
    Number(&'static str),
    Dollars,
}

type Fact = (&'static str, &'static str, Kind);

const ACCOUNT: &[Fact] = &[
    ("type", "account_types", Kind::List),
    ("specialty", "specialties", Kind::List),
    ("about", "description", Kind::Text),
    ("city", "city", Kind::Text),
    ("state", "state", Kind::Text),
    ("address", "hq_address", Kind::Text),
    ("phone", "public_phone", Kind::Text),
    ("e-mail", "public_email", Kind::Text),
    ("website", "website", Kind::Text),
    ("linkedin", "linkedin_url", Kind::Text),
    ("domains", "domains", Kind::List),
    ("aliases", "aliases", Kind::List),
    ("founded", "founded_year", Kind::Text),
    ("projects", "projects_count", Kind::Number("")),
    ("contacts", "contacts_count", Kind::Number("")),
    ("known since", "created_at", Kind::Day),
];

const CONTACT: &[Fact] = &[
    ("title", "title", Kind::Text),
    ("e-mail", "email", Kind::Text),
    ("phone", "phone", Kind::Text),
    ("projects", "projects_count", Kind::Number("")),
    ("known since", "created_at", Kind::Day),
];

const PROJECT: &[Fact] = &[
    ("stage", "stage", Kind::Word),
    ("use", "primary_use", Kind::Word),
    ("uses", "uses", Kind::List),
    ("address", "primary_address", Kind::Text),
    ("area", "neighborhood", Kind::Text),
    ("city", "city", Kind::Text),
    ("state", "state", Kind::Text),
    ("contractor", "gc_status", Kind::Word),
    ("disposition", "disposition", Kind::Word),
    ("cost", "cost_of_construction_usd", Kind::Dollars),
    ("floor area", "gross_floor_area_sf", Kind::Number(" sf")),
    ("land", "land_area_sf", Kind::Number(" sf")),
    ("stories", "stories", Kind::Number("")),
    ("height", "height_ft", Kind::Number(" ft")),
    ("homes", "residential_units", Kind::Number("")),
    ("affordable", "affordable_units", Kind::Number("")),
    ("hotel rooms", "hotel_rooms", Kind::Number("")),
    ("parking", "parking_spaces", Kind::Number("")),
    ("structure", "structure_types", Kind::List),
    ("regulation", "regulatory_flags", Kind::List),
    ("first signal", "first_signal_at", Kind::Day),
    ("last signal", "last_signal_at", Kind::Day),
    ("signals", "signals_count", Kind::Number("")),
    ("last 30 days", "updates_last_30_days", Kind::Number("")),
    ("known since", "created_at", Kind::Day),
];

const SIGNAL: &[Fact] = &[
    ("type", "signal_type", Kind::Word),
    ("filed", "filed_at", Kind::Day),
    ("found", "discovered_at", Kind::Day),
    ("address", "project_primary_address", Kind::Text),
    ("cost", "reported_cost_usd", Kind::Dollars),
    ("floor area", "reported_gross_floor_area_sf", Kind::Number(" sf")),
    ("filing", "source_filing_id", Kind::Text),
    ("source", "source_display_name", Kind::Text),
    ("page", "source_url", Kind::Text),
];

fn facts(dataset: &Dataset) -> &'static [Fact] {
    match dataset {
        Dataset::Accounts => ACCOUNT,
        Dataset::Contacts => CONTACT,
        Dataset::Projects => PROJECT,
        Dataset::Signals => SIGNAL,
        Dataset::Other(_) => &[],
    }
}

impl App {
    /// The facts of a record: what the workspace wrote first, where the route tells it.
    pub fn record_sheet(&self, sheet: &mut Sheet, dataset: &Dataset, fields: &RecordFields) {
        if fields.contains_field("workspace_status") || fields.contains_field("tags") {
            let tags = fields.list("tags").join(", ");
            let none = self.theme().glyphs().missing;
            let or_none = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or(none).to_owned();
            sheet.fact("status", TextRole::Strong, or_none(fields.text("workspace_status")));
            if fields.contains_field("icp_tier") {
                sheet.fact("tier", TextRole::Strong, or_none(fields.text("icp_tier").map(format::humanize).as_deref()));
                let score = fields.number("atlas_score").map(|score| format::format_number(&score));
                let trend = fields.text("atlas_trend").map(|trend| format!(" ({})", format::humanize(trend))).unwrap_or_default();
                sheet.fact("score", TextRole::Text, score.map(|score| format!("{score}{trend}")).unwrap_or_default());
            }
            sheet.fact("tags", TextRole::Strong, or_none(Some(&tags)));
            if let Some(notes) = fields.text("notes").filter(|notes| !notes.trim().is_empty()) {
                sheet.gap();
                for (n, part) in notes.lines().enumerate() {
                    sheet.fact(if n == 0 { "notes" } else { "" }, TextRole::Text, part.to_owned());
                }
            }
            sheet.gap();
        }
        for (label, field, kind) in facts(dataset) {
            let value = match kind {
                Kind::Text => fields.text(field).map(str::to_owned).or_else(|| {
                    fields.number(field).map(|num| match num {
                        crate::domain::lenient::Number::Int(n) => n.to_string(),
                        num => format::format_number(&num),
                    })
                }),
                Kind::Word => fields.text(field).map(format::humanize),
                Kind::List => Some(fields.list(field).into_iter().map(format::humanize).collect::<Vec<_>>().join(", ")),
                Kind::Day => fields.date_time(field).map(|when| format::format_full_day(&when)),
                Kind::Number(unit) => fields.number(field).map(|num| format!("{}{unit}", format::format_number(&num))),
                Kind::Dollars => fields.number(field).map(|num| format!("${}", format::format_number(&num))),
            };
            // One use that is the primary one says nothing more.
            let value = value
                .filter(|value| *field != "uses" || Some(value) != fields.text("primary_use").map(format::humanize).as_ref());
            sheet.fact(label, TextRole::Text, value.unwrap_or_default());
        }
    }
}
