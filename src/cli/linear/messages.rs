//! Sentences for screen readers: whole sentences, plain words, one fact per line. No drawing, no
//! abbreviations, no columns.

use chrono::{DateTime, Local, NaiveDate, NaiveTime, Utc};

use crate::cli::unchanged_signals::{UnchangedReason, UnchangedSignal};
use crate::domain::conditions::capitalize;
use crate::domain::description::{Description, join_address_and_city};
use crate::domain::field_kind::role_name;
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::number_format::group_digits;
use crate::domain::projects::{Project, ProjectDetails};
use crate::domain::queue::{QueueSignal, QueueStats, TriageStatus};
use crate::domain::snooze::SnoozeUntil;
use crate::text;

/// The available answers, each with its letter and word.
pub(super) const ANSWER_PROMPT: &str = "Answer: d done, a all of this project done, s snooze, call and note (1 credit each), n next, p previous, m more (1 credit), u undo, r redo, c counts, h help, q quit.";

/// What each answer does.
pub(super) const HELP_LINES: [&str; 13] = [
    "d or done: marks this signal done, for everyone in the workspace, and goes to the next.",
    "a or all: marks this signal and the others of its project in this list done.",
    "s or snooze, until when, and why if you like, as in s 3d waiting for the lender: puts this signal aside on this machine only, and goes to the next.",
    "call, the outcome, and a note if you like, as in call voicemail asks for Ana: writes a dated line into the note of the project and sets its status, for everyone; then marks the signal done or snoozes it, as the outcome says. 1 credit.",
    "note and its text: adds a line to the note of the project, for everyone. 1 credit.",
    "n or next: goes to the next signal and changes nothing. p or previous: goes back.",
    "A number: goes to the signal with that number.",
    "m or more: reads the project, its firms, its people and its other signals. 1 credit, once per project.",
    "u or undo: undoes the last change. r or redo: redoes it. Both ask first if a colleague has changed it since.",
    "c or counts: reads the counts again, for free.",
    "An empty line repeats this signal.",
    "q or quit: quits. What is done stays done.",
    "Nothing else is changed.",
];

/// `142 new, 17 of them high. 389 done.`
pub(super) fn counts_message(stats: &QueueStats) -> String {
    format!(
        "{} new, {} of them high. {} done.",
        spoken_count(stats.new_count),
        spoken_count(stats.high_priority_new_count),
        spoken_count(stats.done_count)
    )
}

/// A signal in at most three lines: what, on which project, what is built there, for how much, and
/// what else is new there.
pub(super) fn signal_lines(
    row: &QueueSignal,
    about: &Description,
    number: usize,
    total: u64,
    others: &[&QueueSignal],
    now: DateTime<Utc>,
) -> Vec<String> {
    let today = now.date_naive();
    let mut first = vec![format!(
        "{} of {}",
        spoken_count(number),
        spoken_count(total)
    )];
    first.push(
        row.priority
            .as_ref()
            .map_or("Priority unknown".to_owned(), |priority| {
                capitalize(&humanize(priority.as_str()))
            }),
    );
    first.push(capitalize(&event_phrase(row, today)));
    match row.days_left(now) {
        Some(days) if days < 0 => {}
        Some(0) => first.push("Leaves the queue today".to_owned()),
        Some(1) => first.push("Leaves the queue tomorrow".to_owned()),
        Some(days) => first.push(format!("Leaves the queue in {days} days")),
        None => {}
    }
    let signal = &row.signal;
    let address = signal.project_primary_address.as_deref();
    let mut second = vec![format!("Project {}", project_name(row))];
    second.extend(
        join_address_and_city(address, about.city.as_deref())
            .as_deref()
            .map(safe_text),
    );
    let mut second = vec![second.join(", ")];
    second.extend(about.work.as_deref().map(safe_text));
    second.extend(
        signal
            .reported_cost_usd
            .as_ref()
            .and_then(spoken_money)
            .map(|cost| capitalize(&cost)),
    );
    let mut lines = vec![join_sentences(&first), join_sentences(&second)];
    let shown: Vec<String> = others
        .iter()
        .take(3)
        .map(|other| event_phrase(other, today))
        .collect();
    match others.len() {
        0 => {}
        1 => lines.push(format!(
            "One more signal of this project is in this list: {}.",
            shown.join("; ")
        )),
        n if n <= 3 => lines.push(format!(
            "{n} more signals of this project are in this list: {}.",
            shown.join("; ")
        )),
        n => lines.push(format!(
            "{n} more signals of this project are in this list: {}; and others.",
            shown.join("; ")
        )),
    }
    lines
}

/// `permit issued, filed July 2, 7 days ago`.
fn event_phrase(row: &QueueSignal, today: NaiveDate) -> String {
    let kind = row
        .signal
        .signal_type
        .as_ref()
        .map_or("a signal of unknown type".to_owned(), |kind| {
            humanize(kind.as_str())
        });
    match row.signal.filed_at.as_ref().and_then(|when| when.date()) {
        Some(day) => format!(
            "{kind}, filed {}, {}",
            spoken_date(day, today),
            days_ago((today - day).num_days())
        ),
        None => kind,
    }
}

/// The project with its firms, people and signals.
pub(super) fn project_lines(dossier: &ProjectDetails, now: DateTime<Utc>) -> Vec<String> {
    let today = now.date_naive();
    let project = &dossier.project;
    let mut facts = Vec::new();
    let place = [&project.neighborhood, &project.city, &project.state];
    let place: Vec<_> = place
        .into_iter()
        .flatten()
        .map(|part| safe_text(part))
        .collect();
    if !place.is_empty() {
        facts.push(place.join(", "));
    }
    facts.extend(
        project
            .stage
            .as_deref()
            .map(|stage| format!("Stage: {}", humanize(stage))),
    );
    facts.extend(describe_building(project));
    facts.extend(
        project
            .gc_status
            .as_deref()
            .map(|status| format!("General contractor: {}", humanize(status))),
    );
    facts.extend(
        project
            .cost_of_construction_usd
            .as_ref()
            .and_then(spoken_money)
            .map(|cost| format!("Construction cost: {cost}")),
    );
    let mut lines = Vec::new();
    lines.push(if facts.is_empty() {
        "Nothing more is known about the project.".to_owned()
    } else {
        join_sentences(&facts)
    });
    for account in &dossier.accounts {
        let roles: Vec<_> = account
            .all_roles()
            .iter()
            .map(|role| humanize(role))
            .collect();
        let place: Vec<_> = [&account.city, &account.state]
            .into_iter()
            .flatten()
            .map(|part| safe_text(part))
            .collect();
        let mut parts = vec![format!(
            "Firm: {}",
            account
                .name
                .as_deref()
                .map_or("no name".to_owned(), safe_text)
        )];
        parts.extend(Some(roles.join(" and ")).filter(|roles| !roles.is_empty()));
        parts.extend(Some(place.join(", ")).filter(|place| !place.is_empty()));
        parts.extend(account.public_phone.as_deref().map(spoken_phone));
        lines.push(format!("{}.", parts.join(", ")));
    }
    let participants = dossier.participants();
    for person in participants.iter().filter(|known| known.is_person()) {
        let name = person
            .name
            .as_deref()
            .map_or("no name".to_owned(), safe_text);
        let mut parts = vec![format!("Person: {name}")];
        parts.extend(person.role.as_deref().map(safe_text));
        parts.extend(person.firm.as_deref().map(safe_text));
        parts.extend(person.phone.as_deref().map(spoken_phone));
        parts.extend(person.email.as_deref().map(safe_text));
        lines.push(format!("{}.", parts.join(", ")));
    }
    for signal in &dossier.signals {
        let kind = signal
            .signal_type
            .as_ref()
            .map_or("a signal of unknown type".to_owned(), |kind| {
                humanize(kind.as_str())
            });
        let filed = signal
            .filed_at
            .as_ref()
            .and_then(|when| when.date())
            .map(|day| format!(", {}", spoken_date(day, today)));
        let cost = signal.reported_cost_usd.as_ref().and_then(spoken_money);
        let cost = cost.map(|cost| format!(", {cost}"));
        let (filed, cost) = (filed.unwrap_or_default(), cost.unwrap_or_default());
        lines.push(format!("Signal: {kind}{filed}{cost}."));
    }
    lines
}

/// A building in words: `Multifamily, 1 story, 322 homes, 348,900 square feet`.
pub(super) fn describe_building(project: &Project) -> Option<String> {
    let counted = |number: &Option<Number>, one: &str, more: &str| {
        let count = number.as_ref()?.as_f64()?.round();
        let unit = if count == 1.0 { one } else { more };
        Some(format!("{} {unit}", spoken_count(count)))
    };
    let parts = [
        project.primary_use.as_deref().map(humanize),
        counted(&project.stories, "story", "stories"),
        counted(&project.residential_units, "home", "homes"),
        counted(&project.gross_floor_area_sf, "square foot", "square feet"),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| capitalize(&text))
}

/// The name of a signal's project.
pub(super) fn project_name(row: &QueueSignal) -> String {
    row.signal
        .project_name
        .as_deref()
        .map_or("without a name".to_owned(), safe_text)
}

/// Why `idle` of the sent signals did not change.
pub(super) fn unchanged_message(
    signals: &[UnchangedSignal],
    idle: usize,
    sent: usize,
    status: &TriageStatus,
    now: DateTime<Utc>,
) -> String {
    let already: Vec<&UnchangedSignal> = signals
        .iter()
        .filter(|signal| signal.reason == UnchangedReason::Already)
        .collect();
    let missing = signals.len() - already.len();
    let at = |signal: &&UnchangedSignal| signal.at.as_ref().and_then(DateOrDateTime::date_time);
    let last = already.iter().copied().max_by_key(at);
    let who = last.map_or_else(String::new, |last| {
        who_and_when(last.by.as_ref().map(|by| by.label(None)), at(&last), now)
    });
    let part = |n: usize| format!("{n} of {sent} {}", if n == 1 { "was" } else { "were" });
    let mut parts = match (already.len(), sent) {
        (0, _) => Vec::new(),
        (_, 1) => vec![format!("Already {status}{who}")],
        (n, _) if who.is_empty() => vec![format!("{} already {status}", part(n))],
        (1, _) => vec![format!("{} already {status},{who}", part(1))],
        (n, _) => vec![format!("{} already {status}, the last{who}", part(n))],
    };
    match (missing, sent) {
        (0, _) => {}
        (_, 1) => parts.push("No longer in this queue".to_owned()),
        (n, _) => parts.push(format!("{} no longer in this queue", part(n))),
    }
    match (idle.saturating_sub(signals.len()), sent) {
        (0, _) => {}
        (_, 1) => parts.push(format!("Already {status}, or no longer in this queue")),
        (n, _) => parts.push(format!(
            "{} already {status}, or no longer in this queue; it is unknown which",
            part(n)
        )),
    }
    if idle >= sent {
        parts.push("Nothing changed".to_owned());
    }
    join_sentences(&parts)
}

/// Reports that others have marked signals that are about to be changed, and who was the last.
pub(super) fn marked_by_others_message(
    theirs: usize,
    all: usize,
    status: &TriageStatus,
    by: Option<&str>,
    at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> String {
    let who = who_and_when(Some(by.unwrap_or("a colleague")), at, now);
    match (theirs, all) {
        (_, 1) => {
            format!(
                "{} marked it {status}{}.",
                capitalize(&safe_text(by.unwrap_or("a colleague"))),
                who_and_when(None, at, now)
            )
        }
        (1, all) => format!("1 of {all} was marked {status}{who}."),
        (n, all) => format!("{n} of {all} were marked {status} by others, the last{who}."),
    }
}

/// ` by Ben K. at 09:20`, as far as known.
fn who_and_when(by: Option<&str>, at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> String {
    let by = by.map_or_else(String::new, |by| format!(" by {}", safe_text(by)));
    let at = at.map_or_else(String::new, |at| {
        let (at, now) = (
            at.with_timezone(&chrono::Local),
            now.with_timezone(&chrono::Local),
        );
        let is_today = at.date_naive() == now.date_naive();
        if is_today {
            at.format(" at %H:%M")
        } else {
            at.format(" on %B %-d at %H:%M")
        }
        .to_string()
    });
    by + &at
}

/// `construction loan on Harbor Yard Lofts`, or the number of signals.
pub(super) fn triage_description(rows: &[&QueueSignal]) -> String {
    let Some(first) = rows.first() else {
        return "nothing".to_owned();
    };
    match rows.len() {
        1 => {
            let kind = first
                .signal
                .signal_type
                .as_ref()
                .map_or("signal".to_owned(), |kind| humanize(kind.as_str()));
            format!("{kind} on {}", project_name(first))
        }
        n if rows
            .iter()
            .all(|row| project_name(row) == project_name(first)) =>
        {
            format!("{n} signals on {}", project_name(first))
        }
        n => format!("{n} signals"),
    }
}

/// `41.2 million dollars`.
fn spoken_money(num: &Number) -> Option<String> {
    let value = num.as_f64()?;
    let short = |value: f64, unit: &str| {
        format!(
            "{} {unit} dollars",
            format!("{value:.1}").trim_end_matches(".0")
        )
    };
    Some(match value.abs() {
        v if v >= 999.95e6 => short(value / 1e9, "billion"),
        v if v >= 999.95e3 => short(value / 1e6, "million"),
        v if v >= 1e4 => short((value / 1e3).round(), "thousand"),
        _ => format!("{value:.0} dollars"),
    })
}

/// `July 2`, with the year unless it is this year.
fn spoken_date(day: NaiveDate, today: NaiveDate) -> String {
    use chrono::Datelike as _;
    let pattern = if day.year() == today.year() {
        "%B %-d"
    } else {
        "%B %-d, %Y"
    };
    day.format(pattern).to_string()
}

/// Until when a signal is snoozed: `Tuesday, December 1`, with the time unless it is midnight.
pub(super) fn spoken_until(until: SnoozeUntil, now: DateTime<Utc>) -> String {
    let SnoozeUntil::Time(at) = until else {
        return "the project's next filing".to_owned();
    };
    let (at, today) = (
        at.with_timezone(&Local).naive_local(),
        now.with_timezone(&Local).date_naive(),
    );
    let day = format!("{}, {}", at.format("%A"), spoken_date(at.date(), today));
    match at.time() == NaiveTime::MIN {
        true => day,
        false => format!("{day}, {}", at.format("%H:%M")),
    }
}

fn days_ago(days: i64) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        -1 => "tomorrow".to_owned(),
        days if days < 0 => format!("in {} days", -days),
        days => format!("{days} days ago"),
    }
}

fn spoken_phone(number: &str) -> String {
    format!("phone {}", safe_text(number))
}

/// A whole number with thousands separators.
fn spoken_count(number: impl ToString) -> String {
    group_digits(&number.to_string())
}

/// Turns an enum's wire name into words.
fn humanize(wire: &str) -> String {
    safe_text(&role_name(wire))
}

/// Untrusted text on one line, without terminal control sequences.
fn safe_text(text: &str) -> String {
    text::sanitize_line(text).into_owned()
}

fn join_sentences(parts: &[String]) -> String {
    parts
        .iter()
        .map(|part| format!("{}.", part.trim_end_matches('.')))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::person::Person;
    use serde_json::json;

    fn queue_row(kind: &str, filed: &str) -> QueueSignal {
        serde_json::from_value(json!({
            "id": "018f4d3a-0000-7000-8000-000000000001", "signal_type": kind, "priority": "high", "filed_at": filed,
            "project_name": "Harbor Yard Lofts", "project_primary_address": "210 Harbor Yard Road",
            "reported_cost_usd": 41_200_000
        }))
        .unwrap()
    }

    #[test]
    fn a_signal_is_described_in_whole_sentences() {
        let now = "2026-07-09T09:20:14Z".parse().unwrap();
        let loan = queue_row("construction_loan", "2026-06-11");
        assert_eq!(
            signal_lines(
                &queue_row("permit_issued", "2026-07-02"),
                &Description::default(),
                1,
                1_170,
                &[&loan],
                now
            ),
            [
                "1 of 1,170. High. Permit issued, filed July 2, 7 days ago. Leaves the queue in 83 days.",
                "Project Harbor Yard Lofts, 210 Harbor Yard Road. 41.2 million dollars.",
                "One more signal of this project is in this list: construction loan, filed June 11, 28 days ago.",
            ]
        );
    }

    #[test]
    fn a_signal_says_what_is_built_and_in_which_city_when_that_is_known() {
        let about = Description {
            work: Some("New stairs.".to_owned()),
            city: Some("Austin".to_owned()),
            record_type: None,
        };
        let now = "2026-07-09T09:20:14Z".parse().unwrap();
        let lines = signal_lines(
            &queue_row("permit_issued", "2026-07-02"),
            &about,
            1,
            1,
            &[],
            now,
        );
        assert_eq!(
            lines[1],
            "Project Harbor Yard Lofts, 210 Harbor Yard Road, Austin. New stairs. 41.2 million dollars."
        );
    }

    #[test]
    fn a_project_is_read_out_without_wire_words_and_with_the_phones_of_its_firms_and_people() {
        let id = uuid::Uuid::nil();
        let project = serde_json::from_value(json!({
            "id": id, "primary_use": "mixed_use", "stories": 1, "gross_floor_area_sf": 541_000,
            "accounts": [{"id": id, "name": "Calder", "account_types": ["consultant"], "roles": ["gc"], "public_phone": "(617) 555-0174"}],
            "contacts": [{"id": id, "name": "Ann Lee", "title": "President", "phone": "(617) 555-0175"}],
        }));
        assert_eq!(
            project_lines(&project.unwrap(), DateTime::UNIX_EPOCH),
            [
                "Mixed use, 1 story, 541,000 square feet.",
                "Firm: Calder, general contractor, phone (617) 555-0174.",
                "Person: Ann Lee, President, phone (617) 555-0175.",
            ]
        );
    }

    #[test]
    fn missing_values_are_not_invented_and_untrusted_text_is_made_safe() {
        let now = "2026-07-09T09:20:14Z".parse().unwrap();
        let bare: QueueSignal = serde_json::from_value(
            json!({"id": "018f4d3a-0000-7000-8000-000000000001", "project_name": "a\u{1b}[2J\nb"}),
        )
        .unwrap();
        let lines = signal_lines(&bare, &Description::default(), 2, 2, &[], now);
        assert_eq!(
            lines[0],
            "2 of 2. Priority unknown. A signal of unknown type."
        );
        assert!(!lines.concat().contains(char::is_control), "{lines:?}");
    }

    #[test]
    fn an_unchanged_signal_is_reported_with_who_marked_it_first() {
        let now = "2026-11-22T09:00:00Z".parse::<DateTime<Utc>>().unwrap();
        let was = |reason, by: Option<&str>| UnchangedSignal {
            id: crate::domain::SignalId(uuid::Uuid::nil()),
            reason,
            by: by.and_then(Person::from_text),
            at: None,
        };
        let (done, miriam) = (TriageStatus::Done, || {
            was(UnchangedReason::Already, Some("Miriam Romero"))
        });
        let missing = || was(UnchangedReason::NotInQueue, None);
        for (signals, idle, sent, expected) in [
            (
                vec![miriam()],
                1,
                1,
                "Already done by Miriam Romero. Nothing changed.",
            ),
            (
                vec![was(UnchangedReason::Already, None)],
                1,
                1,
                "Already done. Nothing changed.",
            ),
            (
                vec![missing()],
                1,
                1,
                "No longer in this queue. Nothing changed.",
            ),
            (
                vec![],
                1,
                1,
                "Already done, or no longer in this queue. Nothing changed.",
            ),
            (
                vec![miriam()],
                1,
                3,
                "1 of 3 was already done, by Miriam Romero.",
            ),
            (
                vec![miriam(), miriam()],
                2,
                2,
                "2 of 2 were already done, the last by Miriam Romero. Nothing changed.",
            ),
            (
                vec![miriam(), missing()],
                2,
                3,
                "1 of 3 was already done, by Miriam Romero. 1 of 3 was no longer in this queue.",
            ),
            (
                vec![],
                2,
                3,
                "2 of 3 were already done, or no longer in this queue; it is unknown which.",
            ),
        ] {
            assert_eq!(
                unchanged_message(&signals, idle, sent, &done, now),
                expected
            );
        }
        assert_eq!(
            marked_by_others_message(1, 3, &done, Some("Ben"), None, now),
            "1 of 3 was marked done by Ben."
        );
        assert_eq!(
            marked_by_others_message(2, 3, &done, Some("Ben"), None, now),
            "2 of 3 were marked done by others, the last by Ben."
        );
        assert_eq!(
            marked_by_others_message(1, 1, &done, None, None, now),
            "A colleague marked it done."
        );
    }

    #[test]
    fn money_is_written_as_people_say_it() {
        for (dollars, expected) in [
            (950, "950 dollars"),
            (84_300, "84 thousand dollars"),
            (41_200_000, "41.2 million dollars"),
            (2_000_000_000, "2 billion dollars"),
        ] {
            assert_eq!(spoken_money(&Number::Int(dollars)).unwrap(), expected);
        }
    }
}
