//! Translations of questions in plain words.

use serde_json::{Value, json};

use super::{now, sample_connection};
use crate::service::search::natural_language::{FilterTranslation, translate};
use crate::service::search::vocabulary::FilterEntity;

#[test]
fn a_question_becomes_filters_and_unknown_words_are_reported() {
    let conn = sample_connection(40);
    let city: String = conn
        .query_row(
            "SELECT city FROM projects WHERE city LIKE '% %'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    for (entity, question, filters, unmatched) in [
        (
            "projects",
            "permitted multifamily projects in Texas",
            json!({"stage": {"value": ["permitted"]}, "primary_use": {"value": ["multifamily"]}, "state": {"value": ["TX"]}}),
            "",
        ),
        (
            "projects",
            "Hotels or offices under construction, in CA",
            json!({"primary_use": {"value": ["hotel", "office"]}, "stage": {"value": ["under_construction"]}, "state": {"value": ["CA"]}}),
            "",
        ),
        (
            "projects",
            "not in New York",
            json!({"state": {"value": ["NY"], "exclude": true}}),
            "",
        ),
        (
            "projects",
            "over $2.5m with at least 1,200 units",
            json!({"cost_of_construction_usd": {"min": 2_500_000}, "residential_units": {"min": 1200}}),
            "",
        ),
        (
            "projects",
            "fewer than 10 stories and more than 5 thousand square feet",
            json!({"stories": {"max": 9}, "gross_floor_area_sf": {"min": 5000}}),
            "",
        ),
        (
            "projects",
            "projects with a permit issued last 2 weeks",
            json!({"has_signal": {"signal_type": {"value": ["permit_issued"]}, "filed_at": {"min": "2026-06-25"}}}),
            "",
        ),
        (
            "signals",
            "construction loans since 2026-03-01",
            json!({"signal_type": {"value": ["construction_loan"]}, "filed_at": {"min": "2026-03-01"}}),
            "",
        ),
        (
            "account",
            "tier 1 architects",
            json!({"icp_tier": {"value": ["tier_1"]}, "account_type": {"value": ["architect"]}}),
            "",
        ),
        (
            "projects",
            "\"Maple Court\"",
            json!({"name": {"value": ["Maple Court"]}}),
            "",
        ),
        (
            "projects",
            "no more than 5 purple units",
            json!({}),
            "no more than 5 purple units",
        ),
        (
            "projects",
            "what about the weather",
            json!({}),
            "about the weather",
        ),
        (
            "skill",
            "official published skills",
            json!({"source": {"value": ["official"]}, "lifecycle": {"value": ["published"]}}),
            "",
        ),
    ] {
        let found = translate(
            &conn,
            FilterEntity::from_name(entity).unwrap(),
            question,
            now(),
        )
        .unwrap();
        let found_filters = list_values(found.filters.to_json());
        assert_eq!(found_filters, filters, "{question}");
        assert_eq!(found.unmatched.join(" "), unmatched, "{question}");
    }
    let found = translate(
        &conn,
        FilterEntity::from_name("projects").unwrap(),
        &format!("in {}", city.to_uppercase()),
        now(),
    )
    .unwrap();
    assert_eq!(found.filters.to_json()["city"]["value"], json!(city));
}

/// Filters with their values as lists: one value may be by itself.
fn list_values(filters: Value) -> Value {
    let Value::Object(filters) = filters else {
        return filters;
    };
    let list_value = |(key, value): (String, Value)| match value {
        Value::String(_) if key == "value" => (key, json!([value])),
        value => (key, list_values(value)),
    };
    Value::Object(filters.into_iter().map(list_value).collect())
}

fn gc_filter() -> Value {
    json!({"role": {"value": ["gc"]}})
}

/// Checks translations of questions about an entity: filters and unmatched words.
fn assert_translations(entity: &str, cases: Vec<(&str, Value, &str)>) {
    let conn = sample_connection(40);
    conn.execute("UPDATE projects SET city = 'Austin' WHERE rowid % 2", [])
        .unwrap();
    conn.execute(
        "UPDATE projects SET city = 'Dallas' WHERE rowid % 2 = 0",
        [],
    )
    .unwrap();
    for (question, filters, unmatched) in cases {
        let found: FilterTranslation = translate(
            &conn,
            FilterEntity::from_name(entity).unwrap(),
            question,
            now(),
        )
        .unwrap();
        let said = found.unmatched.join(" ");
        assert_eq!(
            (list_values(found.filters.to_json()), said.as_str()),
            (filters, unmatched),
            "{question}"
        );
    }
}

#[test]
fn without_a_gc_means_no_gc_rather_than_some_other_account() {
    let austin = json!({"value": ["Austin"]});
    let multifamily = json!({"value": ["multifamily"]});
    let whole = json!({"primary_use": multifamily, "city": austin, "without_account": gc_filter()});
    assert_translations(
        "projects",
        vec![("multifamily in Austin without a gc", whole, "")],
    );
    for question in [
        "without a gc",
        "without gc",
        "with no gc",
        "no gc",
        "no GCs",
        "no general contractor",
        "no general contractors",
        "without a contractor",
        "lacking a gc",
        "that lack a general contractor",
        "missing a gc",
        "w/o a gc",
        "who do not have a gc",
        "that don\u{2019}t have a gc yet",
        "that have not got a gc",
        "which have no gc yet",
        "projects where there isn't any gc",
        "no projects with a gc",
        "excluding gc",
        "zero gcs",
        "not with a gc",
    ] {
        assert_translations(
            "projects",
            vec![(question, json!({"without_account": gc_filter()}), "")],
        );
    }
    assert_translations(
        "projects",
        vec![("not without a gc", json!({"has_account": gc_filter()}), "")],
    );
}

#[test]
fn a_negated_relation_always_uses_its_without_key() {
    let lacks = |types: &[&str]| json!({"without_signal": {"signal_type": {"value": types}}});
    let roles = |roles: &[&str]| json!({"without_account": {"role": {"value": roles}}});
    assert_translations(
        "projects",
        vec![
            ("without a permit issued", lacks(&["permit_issued"]), ""),
            ("no construction loan", lacks(&["construction_loan"]), ""),
            (
                "without a gc or an architect",
                roles(&["gc", "architect"]),
                "",
            ),
            (
                "without a gc, developer and architect",
                roles(&["gc", "developer", "architect"]),
                "",
            ),
            (
                "neither a gc nor a developer",
                roles(&["gc", "developer"]),
                "",
            ),
            ("no gc and no developer", roles(&["gc", "developer"]), ""),
            (
                "without a gc or a construction loan",
                json!({"without_account": gc_filter(), "without_signal": {"signal_type": {"value": ["construction_loan"]}}}),
                "",
            ),
            (
                "without a gc but with a developer",
                json!({"without_account": gc_filter(), "has_account": {"role": {"value": ["developer"]}}}),
                "",
            ),
            (
                "without a gc and permitted",
                json!({"without_account": gc_filter(), "stage": {"value": ["permitted"]}}),
                "",
            ),
            (
                "without a gc, permitted",
                json!({"without_account": gc_filter(), "stage": {"value": ["permitted"]}}),
                "",
            ),
            ("without accounts", json!({"without_account": {}}), ""),
            (
                "no contacts or signals",
                json!({"without_contact": {}, "without_signal": {}}),
                "",
            ),
            ("with contacts", json!({"has_contact": {}}), ""),
            (
                "without a permit issued since 2026-03-01",
                json!({"without_signal": {"signal_type": {"value": ["permit_issued"]}, "filed_at": {"min": "2026-03-01"}}}),
                "",
            ),
            (
                "no signals last 30 days",
                json!({"without_signal": {"filed_at": {"min": "2026-06-09"}}}),
                "",
            ),
            (
                "without a gc \"Turner\"",
                json!({"without_account": {"role": {"value": ["gc"]}, "name": {"value": ["Turner"]}}}),
                "",
            ),
        ],
    );
    assert_translations(
        "accounts",
        vec![
            (
                "without multifamily projects",
                json!({"without_project": {"primary_use": {"value": ["multifamily"]}}}),
                "",
            ),
            (
                "without permitted projects that are hotels",
                json!({"without_project": {"stage": {"value": ["permitted"]}, "primary_use": {"value": ["hotel"]}}}),
                "",
            ),
            (
                "without permitted projects and without hotels",
                json!({"without_project": {"stage": {"value": ["permitted"]}}}),
                "without hotels",
            ),
            (
                "architects without projects",
                json!({"account_type": {"value": ["architect"]}, "without_project": {}}),
                "",
            ),
            (
                "with projects over 10 stories",
                json!({"has_project": {"stories": {"min": 11}}}),
                "",
            ),
            (
                "without projects over 10 stories",
                json!({"without_project": {"stories": {"min": 11}}}),
                "",
            ),
        ],
    );
}

#[test]
fn a_negated_value_of_the_record_itself_uses_exclude() {
    let not = |key: &str, values: &[&str]| json!({key: {"value": values, "exclude": true}});
    assert_translations(
        "projects",
        vec![
            ("not hotels", not("primary_use", &["hotel"]), ""),
            (
                "not hotels or offices",
                not("primary_use", &["hotel", "office"]),
                "",
            ),
            (
                "anything but hotels, offices",
                not("primary_use", &["hotel", "office"]),
                "",
            ),
            ("non-multifamily", not("primary_use", &["multifamily"]), ""),
            (
                "mixed-use",
                json!({"primary_use": {"value": ["mixed_use"]}}),
                "",
            ),
            ("not in Austin", not("city", &["Austin"]), ""),
            ("outside Texas", not("state", &["TX"]), ""),
            ("outside of Austin", not("city", &["Austin"]), ""),
            (
                "not in Texas or California",
                not("state", &["TX", "CA"]),
                "",
            ),
            ("not in Austin, Texas", not("city", &["Austin"]), "texas"),
            (
                "in Austin, TX",
                json!({"city": {"value": ["Austin"]}, "state": {"value": ["TX"]}}),
                "",
            ),
            (
                "in Austin or Dallas",
                json!({"city": {"value": ["Austin", "Dallas"]}}),
                "",
            ),
            (
                "hotels but not offices",
                json!({"primary_use": {"value": ["hotel"]}}),
                "not offices",
            ),
            ("not \"Maple Court\"", not("name", &["Maple Court"]), ""),
            (
                "gc not selected",
                json!({"gc_status": {"value": ["not_selected"]}}),
                "",
            ),
            (
                "gc unknown",
                json!({"gc_status": {"value": ["unknown"]}}),
                "",
            ),
            ("no gc awarded", not("gc_status", &["awarded"]), ""),
        ],
    );
}

#[test]
fn a_negation_of_unknown_words_makes_no_condition_of_what_follows() {
    let nothing = || json!({});
    assert_translations(
        "projects",
        vec![
            ("without a pool", nothing(), "without a pool"),
            ("without a local gc", nothing(), "without a local gc"),
            ("without a pool or gc", nothing(), "without a pool or gc"),
            (
                "without a pool, sauna, gc",
                nothing(),
                "without a pool sauna gc",
            ),
            (
                "no purple permitted hotels",
                nothing(),
                "no purple permitted hotels",
            ),
            (
                "no permits since 2026-03-01",
                nothing(),
                "no permits since 2026-03-01",
            ),
            (
                "without a pool, in Austin",
                json!({"city": {"value": ["Austin"]}}),
                "without a pool",
            ),
            (
                "without a pool with a gc",
                json!({"has_account": gc_filter()}),
                "without a pool",
            ),
            (
                "without a gc or purple developer",
                json!({"without_account": gc_filter()}),
                "or purple developer",
            ),
            ("that need a gc", nothing(), "need a gc"),
            (
                "I need hotels",
                json!({"primary_use": {"value": ["hotel"]}}),
                "",
            ),
            ("without", nothing(), "without"),
            (
                "No! Hotels",
                json!({"primary_use": {"value": ["hotel"]}}),
                "no",
            ),
        ],
    );
    // these relations have no `without_*` key
    assert_translations(
        "contacts",
        vec![
            ("not at architects", nothing(), "not at architects"),
            ("not on hotel projects", nothing(), "not on hotel projects"),
        ],
    );
    assert_translations(
        "signals",
        vec![("not multifamily", nothing(), "not multifamily")],
    );
    assert_translations("project", vec![("without a gc", nothing(), "without a gc")]);
    let lifecycle = json!({"lifecycle": {"value": ["published"]}});
    assert_translations(
        "skill",
        vec![
            ("not published", nothing(), "not published"),
            ("published but not official", lifecycle, "not official"),
        ],
    );
}

#[test]
fn an_and_or_or_that_filters_cannot_express_is_reported() {
    assert_translations(
        "projects",
        vec![
            (
                "hotels or permitted",
                json!({"primary_use": {"value": ["hotel"]}, "stage": {"value": ["permitted"]}}),
                "or",
            ),
            (
                "under 10 stories or over 20 stories",
                json!({"stories": {"max": 9}}),
                "or over 20 stories",
            ),
            (
                "with a gc and a developer",
                json!({"has_account": {"role": {"value": ["gc", "developer"]}}}),
                "and",
            ),
            (
                "with a gc or a developer",
                json!({"has_account": {"role": {"value": ["gc", "developer"]}}}),
                "",
            ),
            (
                "over 5 stories over 9 stories",
                json!({"stories": {"min": 6}}),
                "over 9 stories",
            ),
        ],
    );
}

#[test]
fn an_amount_of_millions_is_money_with_or_without_its_sign() {
    let cost = |end: &str, amount: i64| json!({"cost_of_construction_usd": {end: amount}});
    assert_translations(
        "projects",
        vec![
            ("over 20M", cost("min", 20_000_000), ""),
            ("over $20M", cost("min", 20_000_000), ""),
            ("above 10 million", cost("min", 10_000_000), ""),
            ("costing at least 20,000,000", cost("min", 20_000_000), ""),
            ("under 2.5m", cost("max", 2_500_000), ""),
            ("no more than 5M", cost("max", 5_000_000), ""),
            ("not under 5M", cost("min", 5_000_000), ""),
            (
                "no fewer than 10 stories",
                json!({"stories": {"min": 10}}),
                "",
            ),
            ("isn't over 10 stories", json!({"stories": {"max": 10}}), ""),
            (
                "over 20M units",
                json!({"residential_units": {"min": 20_000_001}}),
                "",
            ),
            ("over 500", json!({}), "over 500"),
            (
                "multifamily without a gc over 20M",
                json!({"primary_use": {"value": ["multifamily"]}, "without_account": gc_filter(), "cost_of_construction_usd": {"min": 20_000_000}}),
                "",
            ),
        ],
    );
}
