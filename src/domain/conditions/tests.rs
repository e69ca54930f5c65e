use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::queue::QueueSignal;
use crate::domain::row_columns::{RowFacts, queue_fields};
use crate::domain::row_matcher::RowMatcher;
use crate::domain::vocabulary::Vocabulary;

fn project_fields() -> Vocabulary {
    let inner = json!([{"key": "role", "kind": "enum", "values": ["developer", "gc"]}, {"key": "name", "kind": "text"}]);
    serde_json::from_value(json!([
        {"key": "stage", "kind": "enum", "values": ["approved", "permitted"]}, {"key": "city", "kind": "text"},
        {"key": "stories", "kind": "number"}, {"key": "cost_of_construction_usd", "kind": "number"}, {"key": "last_signal_at", "kind": "date"},
        {"key": "stories_known", "kind": "boolean", "multi": false}, {"key": "account_id", "kind": "uuid"},
        {"key": "has_account", "kind": "relation", "fields": inner}, {"key": "without_account", "kind": "relation", "fields": inner},
        {"key": "on_site", "kind": "relation", "fields": []},
    ]))
    .unwrap()
}

fn signal_fields() -> Vocabulary {
    let project = json!([{"key": "city", "kind": "text"}, {"key": "cost_of_construction_usd", "kind": "number"}]);
    serde_json::from_value(json!([
        {"key": "signal_type", "kind": "enum", "values": ["permit_filed", "permit_issued"]}, {"key": "filed_at", "kind": "date"},
        {"key": "for_project", "kind": "relation", "fields": project},
    ]))
    .unwrap()
}

fn parse_search(line: &str) -> Result<(String, Conditions), String> {
    let line = ConditionLine::parse(line, &Vocabulary::default())?;
    Ok(line.into_search())
}

#[test]
fn typed_terms_become_filter_json() {
    for (terms, expected) in [
        (vec!["city=Austin"], json!({"city": {"value": "Austin"}})),
        (vec!["city~Austin"], json!({"city": {"value": "Austin"}})),
        (
            vec!["name==Harbor Yard"],
            json!({"name": {"value": "Harbor Yard", "exact_match": true}}),
        ),
        (
            vec!["stage!=approved,permitted"],
            json!({"stage": {"value": ["approved", "permitted"], "exclude": true}}),
        ),
        (
            vec!["!stage=approved"],
            json!({"stage": {"value": "approved", "exclude": true}}),
        ),
        (
            vec!["name=Turner\\, Inc."],
            json!({"name": {"value": "Turner, Inc."}}),
        ),
        (vec!["stories>=5"], json!({"stories": {"min": 5}})),
        (vec!["stories>5"], json!({"stories": {"min": 6}})),
        (vec!["stories<5"], json!({"stories": {"max": 4}})),
        (
            vec!["stories>=5", "stories<=9"],
            json!({"stories": {"min": 5, "max": 9}}),
        ),
        (
            vec!["stories=5..9"],
            json!({"stories": {"min": 5, "max": 9}}),
        ),
        (vec!["stories=5"], json!({"stories": {"min": 5, "max": 5}})),
        (
            vec!["cost_of_construction_usd>=1.5M"],
            json!({"cost_of_construction_usd": {"min": 1_500_000}}),
        ),
        (
            vec!["cost=$250k..1,000,000"],
            json!({"cost_of_construction_usd": {"min": 250_000, "max": 1_000_000}}),
        ),
        (
            vec!["last_signal_at>2026-01-01"],
            json!({"last_signal_at": {"min": "2026-01-02"}}),
        ),
        (
            vec!["stories_known=true"],
            json!({"stories_known": {"value": true}}),
        ),
        (
            vec![
                "city=Austin",
                "has_account.role=developer",
                "has_account.name=Turner",
                "stories>=5",
            ],
            json!({"city": {"value": "Austin"}, "has_account": {"role": {"value": "developer"}, "name": {"value": "Turner"}}, "stories": {"min": 5}}),
        ),
        (
            vec!["without_signal.filed_at>=2026-01-01"],
            json!({"without_signal": {"filed_at": {"min": "2026-01-01"}}}),
        ),
        (
            vec!["tags=a", "tags=b"],
            json!({"tags": {"value": ["a", "b"]}}),
        ),
    ] {
        let conditions = Conditions::parse(&terms).unwrap();
        assert_eq!(conditions.to_json(), expected, "{terms:?}");
    }
}

#[test]
fn an_error_says_which_part_of_the_line_is_wrong() {
    for (line, wrong) in [
        ("city=Austin cots>5M days<=7", "cots>5M"),
        ("cost >= much  city=Austin", "cost >= much"),
        (
            "\"child care\" é priority=\"very hihg\"",
            "priority=\"very hihg\"",
        ),
        ("days<=7 !", "!"),
    ] {
        let error = ConditionLine::parse_checked(line, queue_fields()).unwrap_err();
        assert_eq!(&line[error.place], wrong, "{}", error.message);
    }
    let error = ConditionLine::parse("hotel !crane", &project_fields()).unwrap_err();
    assert_eq!(
        (error.place, error.message.as_str()),
        (
            6..12,
            "!crane cannot be searched: the service excludes no words"
        )
    );
}

#[test]
fn a_line_round_trips() {
    for line in [
        "calder yard city=\"San Francisco\" tags=a,b",
        "name==\"Turner\\, Inc.\" stage!=approved",
        "stories=5..9 last_signal_at>=2026-01-01 without_account.role=gc",
        "name!==\"Turner \\\"Tower\\\"\" has_signal=* stories=* city!=Austin",
        "turner \\\"tower\\\" \"a=b\" \"cost\" name=\"Harbor Yard\"\\",
        "cost_of_construction_usd>5M",
        "cost_of_construction_usd>5M cost_of_construction_usd<7.5M",
        "",
    ] {
        let (query, conditions) = parse_search(line).unwrap();
        assert_eq!(conditions.to_line(&query), line);
    }
    let (query, conditions) = parse_search("  calder   stories >= 5 ").unwrap();
    assert_eq!(
        (query.as_str(), conditions.to_json()),
        ("calder", json!({"stories": {"min": 5}}))
    );
}

#[test]
fn filter_json_round_trips() {
    let json = json!({
        "name": {"value": "Turner", "exact_match": true, "exclude": true}, "stage": {"value": ["approved", "permitted"]},
        "stories_known": {"value": false}, "stories": {}, "last_signal_at": {"min": "2026-01-01"},
        "without_account": {}, "has_account": {"role": {"value": "gc"}}, "tomorrow": {"max": 7.5},
    });
    assert_eq!(Conditions::from_json(&json).unwrap().to_json(), json);
    for odd in [
        json!([]),
        json!({"city": "Austin"}),
        json!({"city": {"value": null}}),
        json!({"city": {"value": {}}}),
    ] {
        assert!(Conditions::from_json(&odd).is_err(), "{odd}");
    }
}

#[test]
fn an_invalid_term_is_rejected_with_a_syntax_hint() {
    for (terms, words) in [
        (vec!["Austin"], "write it like city=Austin"),
        (vec!["city="], "city needs a value"),
        (vec!["city=,"], "city needs a value"),
        (vec!["city= =Austin"], "write it like"),
        (vec!["the city=Austin"], "write it like"),
        (vec![".x=1"], "write it like"),
        (vec!["city!Austin"], "write it like"),
        (
            vec!["stories>=many"],
            "stories needs a number like 14, not many",
        ),
        (
            vec!["cost>=much"],
            "cost_of_construction_usd needs a number like 5M, not much",
        ),
        (vec!["cost=5,6"], "needs a number like 5M, not 5,6"),
        (vec!["stories!=5"], "excludes no ranges"),
        (vec!["!stories=*"], "cannot be asked for that"),
        (vec!["a.b.c=1"], "two relations"),
        (vec!["stories.city=Austin"], "not a relation"),
        (vec!["has_account.min=1"], "reserved word"),
        (vec!["city=Austin", "city!=Dallas"], "use each field once"),
        (vec!["stories>=5", "stories>=6"], "use each field once"),
        (vec!["stories_known=maybe"], "must be true or false"),
        (
            vec!["has_account=gc"],
            "has_account.name=gc or has_account=*",
        ),
    ] {
        let said = Conditions::parse(&terms).unwrap_err();
        assert!(said.contains(words), "{said}");
    }
    assert!(parse_search("!crane").unwrap_err().contains("!crane"));
}

#[test]
fn a_name_is_found_by_what_people_call_the_field() {
    for (fields, typed, resolved) in [
        (project_fields(), "cost>=5M", "cost_of_construction_usd>=5M"),
        (
            project_fields(),
            "Has-Account.Role=GC",
            "has_account.role=gc",
        ),
        (project_fields(), "CITY=Austin", "city=Austin"),
        (
            signal_fields(),
            "type=\"Permit issued\"",
            "signal_type=permit_issued",
        ),
        (signal_fields(), "city=Austin", "for_project.city=Austin"),
        (
            signal_fields(),
            "city=Austin cost>=5M",
            "for_project.city=Austin for_project.cost_of_construction_usd>=5M",
        ),
        (
            queue_fields().clone(),
            "signal_type=permit_issued cost_of_construction_usd>=5M",
            "type=permit_issued cost>=5M",
        ),
    ] {
        let line = ConditionLine::parse_checked(typed, &fields).unwrap();
        assert_eq!(line.to_string(), resolved);
        if !fields.is_local {
            let unresolved = ConditionLine::parse(typed, &Vocabulary::default()).unwrap();
            let late = fields.resolve(&unresolved.conditions);
            assert_eq!(late.to_line(""), resolved, "the fields came later");
        }
    }
}

fn validation_messages(json: Value) -> Vec<String> {
    project_fields()
        .validate(&Conditions::from_json(&json).unwrap())
        .into_iter()
        .map(|error| error.message)
        .collect()
}

#[test]
fn what_the_vocabulary_does_not_accept_is_explained() {
    for (filters, words) in [
        (
            json!({"stage": {"value": "built"}}),
            "has no value built; use approved or permitted",
        ),
        (
            json!({"stage": {"value": "aproved"}}),
            "has no value aproved (did you mean approved?); use approved or permitted",
        ),
        (
            json!({"stage": {"value": "approved", "exact_match": true}}),
            "exactly is for text",
        ),
        (
            json!({"stories": {"min": "2026-01-01"}}),
            "needs a number like 14, not 2026-01-01",
        ),
        (
            json!({"last_signal_at": {"max": 5}}),
            "needs a date like 2026-07-02, not 5",
        ),
        (
            json!({"last_signal_at": {"max": "2026-02-31"}}),
            "needs a date",
        ),
        (
            json!({"stories": {"value": 5}}),
            "takes a range, from and to",
        ),
        (json!({"city": {"min": 5}}), "is a text: use ="),
        (json!({"stage": {"min": 5}}), "takes values, not a range"),
        (json!({"city": {"value": []}}), "needs a value"),
        (
            json!({"stories_known": {"value": [true, false]}}),
            "takes one value",
        ),
        (
            json!({"account_id": {"value": "7"}}),
            "needs the id of a record, not 7",
        ),
        (json!({"town": {"value": "Austin"}}), "is not a field"),
        (
            json!({"account": {"value": "Austin"}}),
            "is not a field; did you mean account_id?",
        ),
        (
            json!({"has_account": {"role": {"value": "plumber"}}}),
            "has no value plumber; use developer or gc",
        ),
        (
            json!({"has_account": {"stage": {"value": "approved"}}}),
            "is not a field",
        ),
    ] {
        let said = validation_messages(filters.clone());
        assert!(
            said.len() == 1 && said[0].contains(words),
            "{filters}: {said:?}"
        );
    }
    let right = json!({"stage": {"value": ["approved"], "exclude": true}, "stories": {}, "has_account": {},
        "without_account": {"role": {"value": "gc"}}, "on_site": {"anything": {"value": "x"}}});
    assert_eq!(validation_messages(right), [""; 0]);
}

#[test]
fn a_range_whose_ends_are_swapped_is_refused_where_it_is_typed() {
    let fields = project_fields();
    let cost = fields.field("cost_of_construction_usd").unwrap();
    let range = |text| cost.empty_filter().with_value_text(cost, text);
    assert_eq!(
        range("10..5").unwrap_err(),
        "needs the lower value first, not 10..5"
    );
    assert!(range("5..10").is_ok() && range("5..5").is_ok());
}

#[test]
fn a_condition_is_added_once_inverted_and_removed() {
    let fields = project_fields();
    let mut conditions = Conditions::default();
    let relation = conditions
        .add_condition(None, fields.field("has_account").unwrap())
        .0;
    let role = fields.field("has_account").unwrap().field("role").unwrap();
    let (place, _) = conditions.add_condition(Some(relation.index), role);
    *conditions.condition_mut(place).unwrap() = (
        "role".to_owned(),
        role.empty_filter().with_value_text(role, "gc").unwrap(),
    );
    assert_eq!(
        conditions.add_condition(Some(relation.index), role),
        (place, false)
    );
    conditions.invert_condition(place, &fields).unwrap();
    conditions.invert_condition(relation, &fields).unwrap();
    assert_eq!(
        conditions.to_json(),
        json!({"without_account": {"role": {"value": "gc", "exclude": true}}})
    );
    let stories = conditions
        .add_condition(None, fields.field("stories").unwrap())
        .0;
    assert!(
        conditions
            .invert_condition(stories, &fields)
            .unwrap_err()
            .contains("cannot be excluded")
    );
    conditions.add_condition(None, fields.field("has_account").unwrap());
    assert!(
        conditions
            .invert_condition(relation, &fields)
            .unwrap_err()
            .contains("already used")
    );
    conditions.remove_condition(place);
    conditions.remove_condition(stories);
    assert_eq!(
        conditions.to_json(),
        json!({"without_account": {}, "has_account": {}})
    );
}

#[test]
fn typed_values_are_coerced_to_the_kind_of_their_key() {
    let line = "stage=Approved stories_known=yes stories=5 has_account.role=GC";
    let typed = ConditionLine::parse(line, &Vocabulary::default()).unwrap();
    let expected = json!({"stage": {"value": "approved"}, "stories_known": {"value": true}, "stories": {"min": 5, "max": 5},
        "has_account": {"role": {"value": "gc"}}});
    assert_eq!(
        project_fields().resolve(&typed.conditions).to_json(),
        expected
    );
}

fn is_match(conditions: &str) -> bool {
    let row: QueueSignal = serde_json::from_value(json!({
        "id": "018f4d3a-0000-7000-8000-000000000001", "signal_type": "permit_issued", "project_name": "Residences at Juniper",
        "project_primary_address": "415 Mission St", "filed_at": "2026-07-02", "reported_cost_usd": 7_500_000, "priority": "high",
    }))
    .unwrap();
    let today = chrono::NaiveDate::from_ymd_opt(2026, 9, 25);
    let facts = RowFacts {
        description: Some("New child care center"),
        city: Some("Austin"),
        is_city_certain: true,
        ..RowFacts::of_row(&row, today)
    };
    let line = ConditionLine::parse_checked(conditions, queue_fields()).unwrap();
    RowMatcher::new(&line).matches(&facts)
}

#[test]
fn conditions_test_what_is_known_about_a_row() {
    for conditions in [
        "",
        "cost>=5M",
        "cost > $7,400k",
        "cost=7.5m",
        "cost=5M..9M",
        "cost>=7.5M",
        "days<=7",
        "days = 5",
        "city=austin",
        "city==austin",
        "city=Austn",
        "city=Dallas,Austin",
        "type=permit_issued",
        "type=\"permit issued\"",
        "description~child",
        "\"child care\"",
        "mission juniper",
        "filed>=2026-07-01 filed=2026-07-02",
        "filed>2026-07-01",
        "!account",
        "city!=Dallas",
        "!city=Dallas",
        "!crane",
        "priority=high,medium cost>1M",
        "cost!=5M",
        "!area>0",
        "cost=*",
    ] {
        assert!(is_match(conditions), "{conditions}");
    }
    for conditions in [
        "cost<5M",
        "cost>7.5M",
        "cost<7.5M",
        "city==Aus",
        "account",
        "tier=tier_1",
        "area>0",
        "crane",
        "!mission",
        "!city",
        "days>5",
        "filed<2026-07-01",
        "filed>2026-07-02",
    ] {
        assert!(!is_match(conditions), "{conditions}");
    }
}

#[test]
fn conditions_of_the_queue_are_written_as_they_are_read() {
    let written = |text: &str| {
        let line = ConditionLine::parse_checked(text, queue_fields());
        line.map(|line| line.to_string())
    };
    for text in [
        "cost>=5M city=Austin",
        "days<=7 !account",
        "type=\"permit issued\"",
        "city!=Dallas,Austin",
        "\"child care\"",
        "!crane tier=*",
        "!\"child care\"",
        "\"account\"",
        "!cost=5M",
        "!cost=>5M..",
    ] {
        assert_eq!(written(text).as_deref(), Ok(text));
    }
    for (text, canonical) in [
        ("cost > $2,500k", "cost>2.5M"),
        ("filed>2026-07-02", "filed>=2026-07-03"),
        ("tier", "tier=*"),
        ("project~juniper", "project=juniper"),
        ("!city=Dallas", "city!=Dallas"),
    ] {
        assert_eq!(written(text).as_deref(), Ok(canonical));
    }
}

#[test]
fn a_wrong_condition_of_the_queue_is_named() {
    let error = |text| {
        let error = ConditionLine::parse_checked(text, queue_fields());
        error.unwrap_err().message
    };
    assert!(error("size>5").starts_with("size is not a field; the fields are days, cost"));
    assert_eq!(
        error("citty=Austin"),
        "citty is not a field; did you mean city?"
    );
    assert_eq!(error("cost>much"), "cost needs a number like 5M, not much");
    assert_eq!(
        error("filed>soon"),
        "filed needs a date like 2026-07-02, not soon"
    );
    assert_eq!(
        error("filed>5"),
        "filed needs a date like 2026-07-02, not 5"
    );
    assert_eq!(error("city>Austin"), "city is a text: use =");
    assert_eq!(error("cost>="), "cost needs a value");
    assert_eq!(error("!"), "! needs a word that is excluded");
}

#[test]
fn adding_a_condition_replaces_the_same_comparison() {
    let line = |text| ConditionLine::parse_checked(text, queue_fields()).unwrap();
    assert_eq!(
        line("cost>=5M crane").add_line(line("cost>=9M city=Austin")),
        line("crane cost>=9M city=Austin")
    );
    assert_eq!(
        line("cost<=20M").add_line(line("cost>=9M")),
        line("cost=9M..20M")
    );
}

/// Rules mark signals done for everyone: none may match more than when it was written.
#[test]
fn an_old_condition_of_the_queue_is_refused_where_it_would_match_more() {
    let error = |text| {
        let error = ConditionLine::parse_checked(text, queue_fields());
        error.unwrap_err().message
    };
    assert_eq!(
        error("project~roof project~repair"),
        "project is there twice; write project=a,b for either"
    );
    assert_eq!(
        error("type!~permit"),
        "type is a word of a list: use = with the whole word"
    );
    assert!(error("account_type=gc").contains("account_type"));
    assert!(error("priority!=hihg").contains("high"));
}

#[test]
fn a_rule_finds_parts_of_words_and_no_typos() {
    let row: QueueSignal = serde_json::from_value(json!({
        "id": "018f4d3a-0000-7000-8000-000000000001", "project_name": "Hotel Juniper, new rooms",
    }))
    .unwrap();
    let facts = RowFacts::of_row(&row, None);
    let matches = |text| {
        let line = ConditionLine::parse_checked(text, queue_fields()).unwrap();
        let matcher = RowMatcher::new(&line);
        (
            matcher.matches(&facts),
            matcher.without_typos().matches(&facts),
        )
    };
    assert_eq!(matches("project=motel"), (true, false));
    assert_eq!(matches("project=room"), (true, true));
    assert_eq!(matches("project!=motel"), (false, true));
}

#[test]
fn an_exclusive_bound_survives_the_way_to_the_service() {
    for number in [
        "5M",
        "0.1",
        "9.5M",
        "1234567.89",
        "0.000001",
        "3,000,000,000",
    ] {
        let typed = Conditions::parse([format!("cost>{number}")]).unwrap();
        let sent = typed.to_json().to_string();
        let received = Conditions::from_json(&serde_json::from_str(&sent).unwrap()).unwrap();
        assert_eq!(received, typed, "{sent}");
        assert!(
            received
                .to_line("")
                .starts_with("cost_of_construction_usd>")
        );
        assert!(!received.to_line("").contains(">="), "{sent}");
    }
}

fn any_term() -> impl Strategy<Value = String> {
    let text = "[a-zA-Z,.!~=<>*\\\\ \"-]{1,8}";
    let number = prop_oneof![
        (0..100_000_i64).prop_map(|n| n.to_string()),
        (0.0..1e9_f64).prop_map(|n| n.to_string()),
        "[1-9][0-9]?\\.[0-9]{1,2}[kKmMB]",
    ];
    let sign = prop_oneof!["=", "==", "!=", "~", ">=", "<=", ">", "<"];
    prop_oneof![
        text.prop_map(|text| text),
        ("!?(city|project|type)", "=|==|!=|!==|~", text)
            .prop_map(|(name, sign, value)| format!("{name}{sign}\"{value}\"")),
        ("!?(cost|area|days)", sign, number)
            .prop_map(|(name, sign, value)| format!("{name}{sign}{value}")),
        "!?(cost|city|account|filed)(=\\*)?",
        "!?filed(=|>=|<=|>|<)2026-0[1-9]-1[0-9]",
        "cost=[1-9]k\\.\\.[1-9]M",
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_the_same(terms in prop::collection::vec(any_term(), 0..5)) {
        for fields in [queue_fields(), &Vocabulary::default()] {
            if let Ok(line) = ConditionLine::parse(&terms.join(" "), fields) {
                let written = line.to_string();
                let read = ConditionLine::parse(&written, fields);
                prop_assert_eq!(read.as_ref(), Ok(&line), "{:?} {}", terms, written);
            }
        }
    }
}
