//! Facts about a signal and its project as lines of text, shared by the preview and the detail.

use chrono::DateTime;
use serde_json::Value;

use crate::app::context::snooze;
use crate::app::model::records::FetchedProject;
use crate::app::{Context, format};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::participants::Participant;
use crate::domain::queue::{Priority, QueueSignal, TriageStatus};
use crate::text;
use crate::ui::{TextRole, TextSpan, text_span};

/// Width of a firm's role in cells, including the space after it.
pub const ROLE_WIDTH: usize = 14;
/// Phones are shown where this much is left for names.
const MIN_NAME_WIDTH: usize = 16;

pub type FactLine = Vec<TextSpan<'static>>;

/// The color role of a priority.
pub fn priority_role(priority: Option<&Priority>) -> TextRole {
    match priority {
        Some(Priority::High) => TextRole::High,
        Some(Priority::Medium) => TextRole::Medium,
        Some(Priority::Low) => TextRole::Low,
        _ => TextRole::Muted,
    }
}

/// Builds labeled lines; long values wrap with a hanging indent.
pub struct FactList {
    lines: Vec<FactLine>,
    width: usize,
    label_width: usize,
}

impl FactList {
    /// An empty list `width` cells wide; labels take `label` of them.
    pub fn new(width: u16, label: usize) -> Self {
        FactList {
            lines: Vec::new(),
            width: usize::from(width),
            label_width: label,
        }
    }

    pub fn into_lines(self) -> Vec<FactLine> {
        self.lines
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn extend(&mut self, more: FactList) {
        self.lines.extend(more.lines);
    }

    pub fn push_line(&mut self, pieces: FactLine) {
        self.lines.push(pieces);
    }

    /// Appends an empty line, but never two in a row and none at the top.
    pub fn push_gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Vec::new());
        }
    }

    pub fn push_heading(&mut self, title: &'static str, note: impl Into<String>) {
        self.push_gap();
        self.push_line(vec![
            text_span(TextRole::Strong, title),
            text_span(TextRole::Muted, format!("  {}", note.into())),
        ]);
    }

    /// Appends text over the full width; does nothing if it is empty.
    pub fn push_paragraph(&mut self, role: TextRole, words: &str) {
        if !words.is_empty() {
            self.lines.extend(
                text::wrap_text(&text::sanitize_block(words), self.width)
                    .into_iter()
                    .map(|part| vec![text_span(role, part)]),
            );
        }
    }

    /// Appends a value as indented JSON, at most the first `lines` of it.
    pub fn push_json(&mut self, value: &Value, lines: usize) {
        let shown = serde_json::to_string_pretty(value).unwrap_or_default();
        for line in shown.lines().take(lines) {
            let indent = line.len() - line.trim_start().len();
            let pad = " ".repeat(indent.min(self.width / 2));
            let parts = text::wrap_text(
                &text::sanitize_line(line.trim_start()),
                self.width - pad.len(),
            );
            self.lines.extend(
                parts
                    .into_iter()
                    .map(|part| vec![text_span(TextRole::Text, format!("{pad}{part}"))]),
            );
        }
    }

    /// Appends the fields of a JSON object that have a value, a line for each: what an office filed.
    pub fn push_fields(&mut self, value: &Value) {
        let mut fields = Vec::new();
        write_fields("", value, &mut fields);
        let longest = fields.iter().map(|(label, _)| text::display_width(label));
        let label_width = longest.max().unwrap_or(0).min(self.width * 2 / 5) + 2;
        for (label, value) in fields {
            let labels = text::wrap_text(&text::sanitize_line(&label), label_width - 1);
            let room = self.width.saturating_sub(label_width).max(1);
            let values = text::wrap_text(&text::sanitize_block(&value), room);
            for n in 0..labels.len().max(values.len()) {
                let part = |parts: &[String]| parts.get(n).cloned().unwrap_or_default();
                let gap = label_width.saturating_sub(text::display_width(&part(&labels)));
                self.lines.push(vec![
                    text_span(
                        TextRole::Muted,
                        format!("{}{}", part(&labels), " ".repeat(gap)),
                    ),
                    text_span(TextRole::Text, part(&values)),
                ]);
            }
        }
    }

    /// Appends a label and its value; does nothing if the value is empty.
    pub fn push_fact(&mut self, label: &'static str, role: TextRole, value: impl Into<String>) {
        let value = value.into();
        if value.is_empty() {
            return;
        }
        let room = self.width.saturating_sub(self.label_width);
        let wrapped = text::wrap_text(&text::sanitize_block(&value), room);
        for (n, part) in wrapped.into_iter().enumerate() {
            let head = if n == 0 { label } else { "" };
            self.lines.push(vec![
                text_span(
                    TextRole::Muted,
                    format!("{head:<width$}", width = self.label_width),
                ),
                text_span(role, part),
            ]);
        }
    }

    /// Appends what happened at a time, with a remark below it.
    pub fn push_entry(&mut self, time: &str, role: TextRole, words: &str, note: &str) {
        let room = self.width.saturating_sub(self.label_width);
        let wrapped = |role, words: &str| -> Vec<TextSpan<'static>> {
            text::wrap_text(&text::sanitize_block(words), room)
                .into_iter()
                .map(|part| text_span(role, part))
                .collect()
        };
        let parts = wrapped(role, words)
            .into_iter()
            .chain(wrapped(TextRole::Muted, note));
        for (n, part) in parts.enumerate() {
            let head = if n == 0 { time } else { "" };
            self.lines.push(vec![
                text_span(
                    TextRole::Muted,
                    format!("{head:<width$}", width = self.label_width),
                ),
                part,
            ]);
        }
    }

    /// Packs facts into as few lines as possible, separated by `dot`.
    pub fn push_facts(&mut self, label: &'static str, facts: Vec<String>, dot: &str) {
        let room = self.width.saturating_sub(self.label_width);
        let mut current = String::new();
        let mut head = label;
        for fact in facts.into_iter().filter(|fact| !fact.is_empty()) {
            let joined = if current.is_empty() {
                fact.clone()
            } else {
                format!("{current} {dot} {fact}")
            };
            if text::display_width(&joined) > room && !current.is_empty() {
                self.push_fact(head, TextRole::Text, std::mem::replace(&mut current, fact));
                head = "";
            } else {
                current = joined;
            }
        }
        self.push_fact(head, TextRole::Text, current);
    }

    /// Appends what a signal is: type, priority and description. `why` is the command that explains
    /// the priority.
    pub fn push_signal_title(&mut self, cx: &Context, row: &QueueSignal, why: &str) {
        let kind = row.signal.type_label();
        let priority = row.priority.as_ref().map_or_else(
            || "priority unknown".to_owned(),
            |p| p.as_str().to_uppercase(),
        );
        self.push_line(vec![
            text_span(TextRole::Strong, kind),
            text_span(TextRole::Text, "  "),
            text_span(priority_role(row.priority.as_ref()), priority),
            text_span(
                TextRole::Muted,
                format!("  {} why", cx.keymap.label_or_palette_name(why)),
            ),
        ]);
        let snooze = cx.queue.snoozes.sleeping_snooze(row.signal.id);
        if let Some(snooze) = snooze {
            let reason = snooze.reason.iter().map(|reason| format!("{reason}; "));
            let until = snooze::format_until(snooze.until, &cx.clock);
            let text = format!("{}snoozed until {until}", reason.collect::<String>());
            self.push_paragraph(TextRole::Strong, &text);
        }
        self.push_paragraph(
            TextRole::Text,
            cx.queue.facts.description(&row.signal).unwrap_or_default(),
        );
    }

    /// Appends the facts of a signal: address, dates, amounts, and what became of it.
    pub fn push_signal(&mut self, cx: &Context, row: &QueueSignal) {
        let (signal, now) = (&row.signal, cx.clock.service_now());
        let today = now.date_naive();
        let dot = cx.settings.theme.glyphs().separator;
        let date = |when: &Option<DateOrDateTime>| {
            when.as_ref()
                .map(format::format_full_day)
                .unwrap_or_default()
        };
        let ago = |when: &Option<DateOrDateTime>| {
            when.as_ref()
                .and_then(|when| format::format_days_ago(when, today))
                .unwrap_or_default()
        };
        if let Some(found) = cx.queue.facts.book_match(row) {
            let tier = found
                .tier
                .map(|tier| format!(", {}", format::humanize(tier)))
                .unwrap_or_default();
            let star = cx.settings.theme.glyphs().favorite;
            self.push_fact(
                "book",
                TextRole::Strong,
                format!("{star} {}{tier}", found.name),
            );
        }
        let address = signal.project_primary_address.clone().unwrap_or_default();
        let city = cx
            .queue
            .facts
            .city(signal)
            .filter(|city| !address.contains(city))
            .unwrap_or_default();
        self.push_facts("address", vec![address, city.to_owned()], dot);
        let leaves = match row.days_left(now) {
            Some(days) if days < 0 => "left the queue".to_owned(),
            Some(0) => "last day in the queue".to_owned(),
            Some(1) => "1 day left".to_owned(),
            Some(days) => format!("{days} days left"),
            None => String::new(),
        };
        self.push_facts(
            "filed",
            vec![date(&signal.filed_at), ago(&signal.filed_at), leaves],
            dot,
        );
        self.push_facts(
            "found",
            vec![date(&signal.discovered_at), ago(&signal.discovered_at)],
            dot,
        );
        let cost = signal
            .reported_cost_usd
            .as_ref()
            .map(|cost| format!("${}", format::format_number(cost)))
            .unwrap_or_default();
        let area = signal
            .reported_gross_floor_area_sf
            .as_ref()
            .map(|area| format!("{} sf", format::format_number(area)))
            .unwrap_or_default();
        self.push_facts("reported", vec![cost, area], dot);
        let source = signal
            .source_display_name
            .clone()
            .or_else(|| signal.source_slug.clone())
            .unwrap_or_default();
        let same = match cx.queue.current_tab().list.duplicate_count(row) {
            0 => String::new(),
            others => format!("same filing as {}", format::pluralize(others, "other row")),
        };
        self.push_facts(
            "filing",
            vec![
                signal.source_filing_id.clone().unwrap_or_default(),
                source,
                same,
            ],
            dot,
        );
        let (role, triage) = match (&row.triage_status, row.triaged_time()) {
            (Some(TriageStatus::Done), at) => {
                let at = at
                    .map(|at| {
                        format!(
                            " {dot} {}",
                            format::format_time(at, now, cx.clock.utc_offset())
                        )
                    })
                    .unwrap_or_default();
                (
                    TextRole::Success,
                    format!(
                        "done by {}{at}",
                        cx.queue.user_name(row.triaged_by.as_ref())
                    ),
                )
            }
            (Some(status), _) => (TextRole::Text, status.to_string()),
            (None, _) => (TextRole::Muted, String::new()),
        };
        // A snoozed signal is new to everybody else, which says nothing here.
        if cx.queue.snoozes.sleeping_snooze(signal.id).is_none() {
            self.push_fact("triage", role, triage);
        }
    }

    /// Appends the facts of a project that was paid for.
    pub fn push_project(&mut self, cx: &Context, paid: FetchedProject<'_>) {
        let project = &paid.project_details.project;
        let dot = cx.settings.theme.glyphs().separator;
        let number = |num: &Option<Number>, unit: &str| {
            num.as_ref()
                .map(|num| format!("{} {unit}", format::format_number(num)))
                .unwrap_or_default()
        };
        let word =
            |word: &Option<String>| word.as_deref().map(format::humanize).unwrap_or_default();
        let stories = match &project.stories {
            Some(Number::Int(1)) => "1 story".to_owned(),
            stories => number(stories, "stories"),
        };
        self.push_facts(
            "stage",
            vec![word(&project.stage), word(&project.primary_use)],
            dot,
        );
        self.push_facts(
            "size",
            vec![
                stories,
                match &project.residential_units {
                    Some(Number::Int(1)) => "1 unit".to_owned(),
                    units => number(units, "units"),
                },
                number(&project.hotel_rooms, "rooms"),
                number(&project.gross_floor_area_sf, "sf"),
                number(&project.height_ft, "ft high"),
                number(&project.parking_spaces, "parking"),
            ],
            dot,
        );
        let cost = project
            .cost_of_construction_usd
            .as_ref()
            .map(|cost| format!("${} to build", format::format_number(cost)))
            .unwrap_or_default();
        self.push_facts("cost", vec![cost], dot);
        let place = [&project.neighborhood, &project.city, &project.state]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        self.push_fact("place", TextRole::Text, place);
        if project.gc_status.as_deref() == Some("unknown") {
            self.push_fact("gc", TextRole::Warning, "no general contractor known yet");
        }
    }

    /// Appends firms and people, a line for each: a firm with its role and phone, its people below
    /// it. Whole firms up to `most` lines; the others are counted.
    pub fn push_participants(&mut self, cx: &Context, all: &[Participant], most: usize) {
        let starts = (1..all.len()).filter(|at| !all[*at].is_person());
        let shown = match all.len() <= most {
            true => all.len(),
            false => starts.take_while(|at| *at <= most).last().unwrap_or(most),
        };
        let (shown, rest) = all.split_at(shown);
        let table = ParticipantTable::new(shown, self.width);
        self.lines
            .extend(shown.iter().map(|one| table.line(one, cx)));
        let firms = rest.iter().filter(|one| !one.is_person()).count();
        let more = match firms {
            0 => format::pluralize(rest.len(), "more contact"),
            firms => format::pluralize(firms, "more firm"),
        };
        if !rest.is_empty() {
            let indent = " ".repeat(ROLE_WIDTH);
            self.push_line(vec![text_span(TextRole::Muted, indent + &more)]);
        }
        if all.is_empty() {
            let text = "no firms or people known yet";
            self.push_line(vec![text_span(TextRole::Muted, text)]);
        }
    }
}

/// The widths of firms and people below each other.
struct ParticipantTable {
    name: usize,
    /// 0 where phones would leave no room for names.
    phone: usize,
    rest: usize,
}

impl ParticipantTable {
    fn new(all: &[Participant], width: usize) -> ParticipantTable {
        let longest = |width_of: fn(&Participant) -> usize| all.iter().map(width_of).max();
        let name = longest(|one| text::display_width(&indented_name(one))).unwrap_or(0);
        let phone = longest(|one| text::display_width(phone_of(one))).unwrap_or(0);
        let room = width.saturating_sub(ROLE_WIDTH);
        let phone = if phone + MIN_NAME_WIDTH + 2 <= room {
            phone.max(1)
        } else {
            0
        };
        let name = name.min(room.saturating_sub(phone + 2));
        ParticipantTable {
            name,
            phone,
            rest: room.saturating_sub(name + phone + 4),
        }
    }

    fn line(&self, one: &Participant, cx: &Context) -> FactLine {
        let glyphs = cx.settings.theme.glyphs();
        let cell = |text: &str, width: usize| {
            let text = text::truncate(text, width, glyphs.ellipsis);
            let pad = width.saturating_sub(text::display_width(&text));
            text.into_owned() + &" ".repeat(pad)
        };
        let role = one.role.as_deref().filter(|_| !one.is_person());
        let role = role.map(format::humanize).unwrap_or_default();
        let mut line = vec![
            text_span(TextRole::Muted, cell(&role, ROLE_WIDTH - 1) + " "),
            text_span(TextRole::Text, cell(&indented_name(one), self.name)),
        ];
        if self.phone > 0 {
            let (role, phone) = match phone_of(one) {
                "" => (TextRole::Faint, glyphs.missing),
                phone => (TextRole::Strong, phone),
            };
            let phone = format!("  {}", cell(phone, self.phone));
            line.push(text_span(role, phone));
        }
        let dot = format!(" {} ", glyphs.separator);
        let facts = match one.is_person() {
            true => [&one.role, &one.email],
            false => [&one.place, &None],
        };
        let facts: Vec<&str> = facts.into_iter().flatten().map(String::as_str).collect();
        let mut texts = (1..=facts.len()).rev().map(|most| facts[..most].join(&dot));
        let fitting = texts.find(|text| text::display_width(text) <= self.rest);
        if let Some(text) = fitting {
            line.push(text_span(TextRole::Muted, format!("  {text}")));
        }
        line
    }
}

fn phone_of(one: &Participant) -> &str {
    one.phone.as_deref().unwrap_or_default()
}

fn indented_name(one: &Participant) -> String {
    let name = text::sanitize_line(one.name_or_unnamed());
    match one.is_person() {
        true => format!("  {name}"),
        false => name.into_owned(),
    }
}

/// Where maps keep the fields of what they show.
const FIELD_HOLDERS: [&str; 2] = ["attributes", "properties"];

/// The values in a JSON value, each labeled with the names that lead to it; without the ids that a
/// map gives to what it shows.
fn write_fields(label: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    let text = match value {
        Value::Object(object) => {
            for (name, value) in object {
                let name = name.to_lowercase();
                if name.starts_with("objectid") || name == "globalid" {
                    continue;
                }
                let name = match FIELD_HOLDERS.contains(&name.as_str()) && value.is_object() {
                    true => String::new(),
                    false => format::humanize(&name),
                };
                write_fields(format!("{label} {name}").trim(), value, fields);
            }
            return;
        }
        Value::Array(values)
            if values
                .iter()
                .any(|value| value.is_object() || value.is_array()) =>
        {
            for value in values {
                write_fields(label, value, fields);
            }
            return;
        }
        Value::Array(values) => values.iter().map(field_text).collect::<Vec<_>>().join(", "),
        value => field_day(label, value).unwrap_or_else(|| field_text(value)),
    };
    if !text.trim().is_empty() {
        fields.push((label.to_owned(), text));
    }
}

/// The day of a time in milliseconds.
fn field_day(label: &str, value: &Value) -> Option<String> {
    let is_time = label.contains("date") || label.contains("time");
    let at = DateTime::from_timestamp_millis(value.as_i64().filter(|_| is_time)?)?;
    Some(at.date_naive().to_string())
}

fn field_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => {
            // A day as its office writes it.
            let day = text
                .split_once("T00:00:00")
                .map_or(text.as_str(), |(day, _)| day);
            day.to_owned()
        }
        value => value.to_string(),
    }
}
