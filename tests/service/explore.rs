//! Explore and the service agree on which filters are valid, for the service's own vocabulary
//! (interface: Filter grammar).

use gantry::domain::book::RecordKind;
use gantry::domain::conditions::{ConditionLine, Conditions, Test};
use gantry::domain::vocabulary::{ValueKind, Vocabulary, VocabularyField};
use serde_json::{Value, json};

use crate::shared_service::shared_service;

const DATASETS: [&str; 4] = ["accounts", "contacts", "projects", "signals"];

async fn fetch_vocabulary(dataset: &str) -> Vocabulary {
    let reply = shared_service()
        .post(
            &shared_service().api_key(0),
            "/data/fields/search",
            json!({"dataset": dataset}),
        )
        .await
        .ok();
    serde_json::from_value(reply["data"].clone()).unwrap()
}

/// Filters on a field: valid ones, and ones that are invalid in every possible way.
fn candidate_filters(field: &VocabularyField) -> Vec<Value> {
    let id = "018f4d3a-0000-7000-8000-000000000001";
    let mut values: Vec<Value> = vec![
        json!("Austin"),
        json!(5),
        json!(true),
        json!(id),
        json!("2026-07-02"),
        json!("never heard of"),
    ];
    values.extend(field.values.iter().map(|word| json!(word)));
    let several = json!({"value": [values[values.len() - 1], values[values.len() - 1]]});
    let mut tries: Vec<Value> = values.iter().map(|value| json!({"value": value})).collect();
    let last = values[values.len() - 1].clone();
    tries.extend([
        several,
        json!({"value": []}),
        json!({"value": last, "exclude": true}),
        json!({"value": last, "exact_match": true}),
        json!({"value": "Austin", "exact_match": true, "exclude": true}),
        json!({"min": 1, "max": 9.5}),
        json!({"min": "2026-07-01", "max": "2026-07-31"}),
        json!({"min": "2026-02-31"}),
        json!({"max": 9}),
    ]);
    tries
}

/// Asserts that the local check reports a filter exactly when the service rejects it on this route.
async fn assert_check_agrees(route: &str, vocabulary: &Vocabulary, filters: Value) {
    let built = Conditions::from_json(&filters).unwrap();
    assert_eq!(built.to_json(), filters, "the filter is sent as built");
    let body = json!({"filters": filters, "limit": 1});
    let reply = shared_service().search_page(route, body).await;
    let issues = vocabulary.validate(&built);
    assert_eq!(
        issues.is_empty(),
        reply.status == 200,
        "{route} {filters}: {issues:?}, the service: {}",
        reply.text
    );
}

async fn assert_check_agrees_on_all(route: &str, vocabulary: &Vocabulary) {
    for field in &vocabulary.fields {
        let one = |filter: Value| json!({field.key.clone(): filter});
        if field.kind == ValueKind::Relation {
            assert_check_agrees(route, vocabulary, one(json!({}))).await;
            assert_check_agrees(route, vocabulary, one(json!({"nothing": {"value": "x"}}))).await;
            for inner in &field.fields {
                for filter in candidate_filters(inner) {
                    assert_check_agrees(route, vocabulary, one(json!({inner.key.clone(): filter})))
                        .await;
                }
            }
        } else {
            for filter in candidate_filters(field) {
                assert_check_agrees(route, vocabulary, one(filter)).await;
            }
        }
    }
    assert_check_agrees(route, vocabulary, json!({"nothing": {"value": "x"}})).await;
}

#[tokio::test]
async fn the_filter_builder_and_the_service_agree_on_valid_filters() {
    for dataset in DATASETS {
        assert_check_agrees_on_all(
            &format!("/data/{dataset}"),
            &fetch_vocabulary(dataset).await,
        )
        .await;
    }
}

#[tokio::test]
async fn the_builder_offers_exactly_the_book_routes_filters() {
    for kind in RecordKind::ALL {
        let index = fetch_vocabulary(kind.as_str()).await;
        let book = Vocabulary::for_book(kind, &index);
        assert_check_agrees_on_all(&format!("/workspace/{kind}"), &book).await;
        for field in index
            .fields
            .iter()
            .filter(|field| book.field(&field.key).is_none())
        {
            assert_check_agrees(&format!("/workspace/{kind}"), &book, example_filter(field)).await;
        }
    }
}

#[tokio::test]
async fn every_filter_key_can_be_built_negated_and_typed() {
    for dataset in DATASETS {
        let vocabulary = fetch_vocabulary(dataset).await;
        let mut all = Conditions::default();
        for field in &vocabulary.fields {
            let (place, _) = all.add_condition(None, field);
            if field.kind == ValueKind::Relation {
                for inner in &field.fields {
                    let (within, _) = all.add_condition(Some(place.index), inner);
                    fill_filter(&mut all, within, inner);
                }
            } else {
                fill_filter(&mut all, place, field);
            }
        }
        for place in all.condition_paths() {
            let mut flipped = all.clone();
            if flipped.invert_condition(place, &vocabulary).is_ok() {
                assert_eq!(vocabulary.validate(&flipped), []);
            }
        }
        assert_eq!(vocabulary.validate(&all), []);
        shared_service()
            .search_page(
                &format!("/data/{dataset}"),
                json!({"filters": all.to_json(), "limit": 1}),
            )
            .await
            .ok();
        let typed = ConditionLine::parse(&all.to_line(""), &Vocabulary::default()).unwrap();
        assert_eq!(
            vocabulary.resolve(&typed.conditions).to_json(),
            all.to_json(),
            "the text form is equivalent"
        );
    }
}

/// A valid filter on a key of the index.
fn example_filter(field: &VocabularyField) -> Value {
    let mut filters = Conditions::default();
    let (place, _) = filters.add_condition(None, field);
    fill_filter(&mut filters, place, field);
    filters.to_json()
}

fn fill_filter(
    filters: &mut Conditions,
    place: gantry::domain::conditions::ConditionPath,
    field: &VocabularyField,
) {
    let text = match field.kind {
        ValueKind::Enum => field.values[0].clone(),
        ValueKind::Number => "5..9".to_owned(),
        ValueKind::Date => "2026-07-01..2026-07-31".to_owned(),
        ValueKind::Uuid => "018f4d3a-0000-7000-8000-000000000001".to_owned(),
        ValueKind::Boolean | ValueKind::Relation => return,
        _ => "Turner, Inc.".replace(',', "\\,"),
    };
    let (_, filter): &mut (String, Test) = filters.condition_mut(place).unwrap();
    *filter = filter.with_value_text(field, &text).unwrap();
}
