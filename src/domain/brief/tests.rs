use serde_json::{Value, json};

use super::*;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn account() -> Value {
    json!({
        "id": Uuid::from_u128(1),
        "name": "Orchard Living",
        "account_types": ["developer"],
        "city": "Austin",
        "state": "TX",
        "projects_count": 3,
        "icp_tier": "tier_1",
        "workspace_status": "quoted",
        "tags": ["repeat", "Owner: Ana R."],
        "public_phone": "(512) 555-0179",
        "notes": "met at the fair\n2026-11-20 call by Ana R.: reached. wants a bid\n> 2026-12-03 Ana R.: call Laura\nx 2026-11-10 Ben: send plans (done 2026-11-12)\n2027-01-05 fair",
        "projects": [
            {"id": Uuid::from_u128(11), "name": "Mill Row", "stage": "proposed", "disposition": "active", "cost_of_construction_usd": 20_500_000},
            {"id": Uuid::from_u128(12), "name": "Southbank", "stage": "permit_review", "disposition": "active", "cost_of_construction_usd": 69_000_000},
            {"id": Uuid::from_u128(13), "name": "Old Yard", "stage": "completed", "cost_of_construction_usd": 8_000_000},
        ],
        "contacts": [
            {"id": Uuid::from_u128(21), "name": "Paul Crowe", "title": "Associate"},
            {"id": Uuid::from_u128(22), "name": "Laura Kerr", "title": "VP", "phone": "(512) 555-0101"},
        ],
        "signals": [
            {"id": Uuid::from_u128(31), "signal_type": "permit_issued", "filed_at": "2026-11-25T10:00:00Z", "project_name": "Southbank"},
            {"id": Uuid::from_u128(32), "signal_type": "permit_filed", "filed_at": "2026-10-25T10:00:00Z", "project_name": "Southbank"},
        ],
    })
}

/// A project that was read, with these firms.
fn project(number: u128, firms: &[(u128, &str)]) -> ProjectDetails {
    let accounts: Vec<Value> = firms
        .iter()
        .map(|(id, name)| json!({"id": Uuid::from_u128(*id), "name": name, "roles": ["gc"]}))
        .collect();
    serde_json::from_value(json!({"id": Uuid::from_u128(number), "accounts": accounts})).unwrap()
}

fn brief(dataset: &Dataset, record: &Value, projects: &[ProjectDetails]) -> Vec<String> {
    let record: Record = serde_json::from_value(record.clone()).unwrap();
    let lines = write_brief(BriefSources {
        dataset,
        id: record.id,
        fields: &record.fields(),
        projects,
        now: day("2026-11-29").into(),
    });
    let text = |line: BriefLine| format!("{}: {}", line.label, line.text);
    lines.into_iter().map(text).collect()
}

#[test]
fn a_brief_answers_what_a_caller_asks_in_ten_seconds() {
    let projects = [
        project(11, &[(1, "Orchard Living"), (5, "Pell Builders")]),
        project(
            12,
            &[(1, "Orchard Living"), (5, "Pell Builders"), (6, "Voss")],
        ),
        project(14, &[(5, "Pell Builders")]),
    ];
    assert_eq!(
        brief(&Dataset::Accounts, &account(), &projects),
        [
            "who: developer · Austin, TX",
            "size: 3 projects · $89.5M in open projects",
            "with us: tier 1 · quoted · owner Ana R.",
            "last touch: 2026-11-20 (9 days ago): call by Ana R.: reached. wants a bid",
            "since then: 2026-11-25 permit issued: Southbank",
            "projects: Southbank · permit review · $69M",
            "projects: Mill Row · proposed · $20.5M",
            "builds with: Pell Builders · gc · on 2 of 2 projects read",
            "call: Laura Kerr · VP · (512) 555-0101",
            "call: Paul Crowe · Associate",
            "call: (512) 555-0179",
            "promised: Thu: call Laura (Ana R.)",
        ]
    );
}

#[test]
fn what_was_not_read_is_not_mentioned() {
    let bare = json!({"id": Uuid::from_u128(1), "name": "Orchard Living"});
    assert_eq!(brief(&Dataset::Accounts, &bare, &[]), [""; 0]);
    // Each word of a brief stands in what was read, or is the program's own.
    let own = [
        "projects", "in", "open", "owner", "days", "ago", "on", "of", "read", "call", "Thu", "·",
    ];
    let read = account().to_string().to_lowercase().replace('_', " ");
    for line in brief(&Dataset::Accounts, &account(), &[]) {
        let (_, text) = line.split_once(": ").unwrap();
        for word in text.split([' ', '(', ')', ':', ',']) {
            let is_amount = word.starts_with('$') || word == "9";
            let is_known = read.contains(&word.to_lowercase()) || own.contains(&word);
            assert!(is_amount || is_known, "{word:?} of {line:?} was not read");
        }
    }
}

#[test]
fn the_last_touch_is_the_newest_day_that_a_line_of_the_note_gives() {
    let today = day("2026-11-29");
    for (note, touch) in [
        ("", None),
        ("met at the fair\n> 2026-11-20 Ana: call", None),
        ("2026-12-20 fair", None),
        ("x 2026-11-10 Ben: send plans (dropped 2026-11-12)", None),
        (
            "2026-11-01 call: reached.\n2026-10-01 met",
            Some(("2026-11-01", "call: reached.")),
        ),
        ("2026-11-01: met Ann", Some(("2026-11-01", "met Ann"))),
        (
            "2026-11-01 met\nx 2026-11-10 Ben: send plans (done 2026-11-12)",
            Some(("2026-11-12", "Ben: send plans")),
        ),
    ] {
        let expected = touch.map(|(on, text)| Touch {
            day: day(on),
            text: text.to_owned(),
        });
        assert_eq!(find_last_touch(note, today), expected, "{note:?}");
    }
}

#[test]
fn the_owner_is_a_tag_however_it_is_written() {
    for (tags, owner) in [
        (vec!["repeat"], None),
        (vec!["owner:"], None),
        (vec!["owner:Ana R.", "repeat"], Some("Ana R.")),
        (vec!["Owner: ana"], Some("ana")),
        (vec!["owné:"], None),
    ] {
        assert_eq!(find_owner(tags.iter().copied()), owner, "{tags:?}");
    }
}
