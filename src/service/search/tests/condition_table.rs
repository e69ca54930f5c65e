//! The table of conditions in docs/scripting.md finds the same projects wherever it says that a
//! condition works, and is refused elsewhere.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::documented_conditions::documented_conditions;
use super::*;
use crate::domain::conditions::view_definition::definition_of;
use crate::domain::conditions::{ConditionLine, Conditions};
use crate::domain::queue::QueueSignal;
use crate::domain::row_columns::{RowFacts, queue_fields};
use crate::domain::row_matcher::RowMatcher;
use crate::domain::vocabulary::Vocabulary;
use crate::service::search::vocabulary::FilterEntity;

fn search_conditions(line: &str, fields: &Vocabulary) -> Result<Conditions, String> {
    let line = ConditionLine::parse_checked(line, fields)?;
    match line.words.is_empty() {
        true => Ok(line.conditions),
        false => Err("words are no conditions".to_owned()),
    }
}

/// The projects as rows of the queue.
fn queue_rows(conn: &db::Conn) -> Vec<(QueueSignal, Option<String>)> {
    let call = search_context(Dataset::Projects, SearchScope::Data);
    let (mut rows, mut body) = (Vec::new(), json!({"limit": 100}));
    loop {
        let (page, metadata) = fetch_page(conn, &call, &body);
        rows.extend(page.iter().map(|project| {
            let row = json!({"id": project["id"], "project_name": project["name"],
                "reported_cost_usd": project["cost_of_construction_usd"],
                "reported_gross_floor_area_sf": project["gross_floor_area_sf"]});
            let city = project["city"].as_str().map(str::to_owned);
            (serde_json::from_value(row).unwrap(), city)
        }));
        match metadata.search_after {
            Some(cursor) => body["search_after"] = json!(cursor),
            None => return rows,
        }
    }
}

fn find_in_view(conn: &db::Conn, definition: &Value) -> BTreeSet<String> {
    let read = definition::parse(Dataset::Projects, definition).unwrap();
    let scope = SearchScope::Dynamic(ViewId(Uuid::nil()), &read);
    let call = search_context(Dataset::Projects, scope);
    fetch_all(conn, &call, &json!({})).into_iter().collect()
}

#[test]
fn the_table_of_conditions_finds_the_same_everywhere() {
    let table: Vec<_> = documented_conditions().collect();
    assert_eq!(table.len(), 60);
    let conn = sample_connection(300);
    let rows = queue_rows(&conn);
    let visible = find_in_view(&conn, &json!({"match": "all", "conditions": []}));
    let entity = FilterEntity::from_name("projects").unwrap();
    let projects = Vocabulary::from(json!(entity.fields()));
    let (mut compared, mut in_views, mut refused) = (0, 0, 0);
    for (text, place) in table {
        let in_queue = ConditionLine::parse_checked(text, queue_fields());
        let in_search = search_conditions(text, &projects);
        assert_eq!(
            in_queue.is_ok(),
            place != "searches",
            "{text}: {in_queue:?}"
        );
        assert_eq!(in_search.is_ok(), place != "queue", "{text}: {in_search:?}");
        let Ok(conditions) = in_search else {
            refused += 1;
            continue;
        };
        let call = search_context(Dataset::Projects, SearchScope::Data);
        let body = json!({"filters": conditions.to_json()});
        let found: BTreeSet<String> = fetch_all(&conn, &call, &body).into_iter().collect();
        let definition = definition_of(&conditions, &projects.fields);
        assert_eq!(definition.is_err(), place == "queue, searches", "{text}");
        if let Ok(definition) = definition {
            let in_view: BTreeSet<String> = found.intersection(&visible).cloned().collect();
            assert_eq!(
                find_in_view(&conn, &definition),
                in_view,
                "{text} in a View"
            );
            in_views += 1;
        }
        let late = projects.resolve(&search_conditions(text, &Vocabulary::default()).unwrap());
        assert_eq!(late, conditions, "{text} on the command line");
        if let Ok(line) = in_queue {
            let matcher = RowMatcher::new(&line);
            let shown = rows.iter().filter(|(row, city)| {
                matcher.matches(&RowFacts {
                    city: city.as_deref(),
                    is_city_certain: true,
                    ..RowFacts::of_row(row, None)
                })
            });
            let shown: BTreeSet<String> = shown.map(|(row, _)| row.signal.id.to_string()).collect();
            assert_eq!(shown, found, "{text} in the queue");
            compared += usize::from(!shown.is_empty() && shown.len() < rows.len());
        }
    }
    assert!(
        compared > 25 && in_views > 35 && refused > 10,
        "{compared} {in_views} {refused}"
    );
}
