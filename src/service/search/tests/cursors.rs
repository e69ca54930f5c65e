//! Pages: offsets and cursors are slices of one order, and a cursor is only valid for the search it
//! was issued for.

use serde_json::json;

use super::*;

#[test]
fn sorting_by_matching_projects_is_the_same_counted_by_row_or_all_at_once() {
    let conn = sample_connection(160);
    let everything = json!({"conditions": []});
    for (dataset, key) in [
        (Dataset::Accounts, "has_project"),
        (Dataset::Contacts, "on_project"),
    ] {
        let definition = definition::parse(dataset, &everything).unwrap();
        for base in [
            SearchScope::Data,
            SearchScope::Book,
            SearchScope::Dynamic(ViewId(Uuid::nil()), &definition),
        ] {
            for (order, more) in [
                ("asc", json!({})),
                ("desc", json!({"name": {"value": "an", "exclude": true}})),
            ] {
                let mut filters = more;
                filters[key] = json!({"stage": {"value": ["permitted", "approved"]}});
                let body = json!({"filters": filters, "sort": {"field": "projects_count", "order": order}});
                let call = search_context(dataset, base);
                let one_by_one = fetch_all(&conn, &call, &body);
                assert!(one_by_one.len() > 5, "{dataset:?} {base:?}");
            }
        }
    }
}

#[test]
fn offset_pages_and_cursor_pages_are_slices_of_one_order() {
    let conn = sample_connection(160);
    let definition = definition::parse(Dataset::Projects, &json!({"conditions": []})).unwrap();
    for dataset in Dataset::ALL {
        let mut bases = vec![SearchScope::Data];
        if dataset != Dataset::Signals {
            bases.extend([
                SearchScope::Book,
                SearchScope::Dynamic(ViewId(Uuid::nil()), &definition),
            ]);
        }
        for base in bases {
            let call = search_context(dataset, base);
            for sort in fields::sort_keys(dataset, &base).0 {
                for order in ["asc", "desc"] {
                    let sort = json!({"field": sort.key, "order": order});
                    let by_cursor = fetch_all(&conn, &call, &json!({"sort": sort}));
                    let mut by_offset = Vec::new();
                    while by_offset.len() < by_cursor.len() {
                        let body = json!({"sort": sort, "offset": by_offset.len(), "limit": 37});
                        let (rows, metadata) = fetch_page(&conn, &call, &body);
                        assert_eq!(metadata.total as usize, by_cursor.len().min(1000));
                        by_offset.extend(
                            rows.iter()
                                .map(|row| row["id"].as_str().unwrap().to_owned()),
                        );
                    }
                    let mut once = by_cursor.clone();
                    once.sort();
                    once.dedup();
                    assert_eq!(once.len(), by_cursor.len(), "{dataset:?} {sort}");
                    assert_eq!(by_cursor, by_offset, "{dataset:?} {sort}");
                }
            }
        }
    }
}

#[test]
fn rows_without_the_value_come_last_in_either_direction() {
    let conn = sample_connection(200);
    for (dataset, base, key) in [
        (Dataset::Accounts, SearchScope::Book, "atlas_score"),
        (Dataset::Projects, SearchScope::Data, "last_signal_at"),
    ] {
        for order in ["asc", "desc"] {
            let mut body = json!({"sort": {"field": key, "order": order}, "limit": 100});
            let mut values = Vec::new();
            loop {
                let (rows, metadata) = fetch_page(&conn, &search_context(dataset, base), &body);
                values.extend(rows.into_iter().map(|row| row[key].clone()));
                let Some(cursor) = metadata.search_after else {
                    break;
                };
                body["search_after"] = json!(cursor);
            }
            let known = values.iter().take_while(|value| !value.is_null()).count();
            assert!(
                known > 0
                    && known < values.len()
                    && values[known..].iter().all(serde_json::Value::is_null),
                "{key} {order}"
            );
            let sorted = values[..known].is_sorted_by(|a, b| {
                let less = a
                    .as_i64()
                    .cmp(&b.as_i64())
                    .then_with(|| a.as_str().cmp(&b.as_str()));
                if order == "asc" {
                    less.is_le()
                } else {
                    less.is_ge()
                }
            });
            assert!(sorted, "{key} {order}");
        }
    }
}

#[test]
fn a_cursor_page_reports_offset_0_and_the_full_total_and_the_last_has_no_cursor() {
    let conn = sample_connection(100);
    let call = search_context(Dataset::Accounts, SearchScope::Book);
    let (first, metadata) = fetch_page(&conn, &call, &json!({"limit": 10}));
    let total = metadata.total;
    let (second, metadata) = fetch_page(
        &conn,
        &call,
        &json!({"limit": 100, "offset": 0, "search_after": metadata.search_after.unwrap()}),
    );
    assert_eq!((metadata.offset, metadata.total), (0, total));
    assert_eq!((first.len() + second.len()) as u32, total);
    assert_eq!(metadata.search_after, None);
    let (_, metadata) = fetch_page(&conn, &call, &json!({"limit": total.min(100)}));
    assert_eq!(metadata.search_after.is_none(), total <= 100);
}

#[test]
fn a_cursor_is_rejected_for_any_search_but_its_own() {
    let conn = sample_connection(120);
    let body = json!({"filters": {"state": {"value": ["TX", "CA", "WA", "NY"], "exclude": true}}, "sort": {"field": "name", "order": "asc"}, "limit": 5});
    let here = search_context(Dataset::Accounts, SearchScope::Book);
    let cursor = fetch_page(&conn, &here, &body).1.search_after.unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = body.clone();
        body["search_after"] = json!(cursor);
        change(&mut body);
        body
    };
    fetch_page(&conn, &here, &with(&|_| {}));
    fetch_page(&conn, &here, &with(&|body| body["limit"] = json!(50)));
    let refused: Vec<(SearchContext<'_>, Value)> = vec![
        (here, with(&|body| body["filters"] = json!({}))),
        (
            here,
            with(&|body| body["filters"]["city"] = json!({"value": "Austin"})),
        ),
        (here, with(&|body| body["sort"]["order"] = json!("desc"))),
        (
            here,
            with(&|body| body["sort"]["field"] = json!("created_at")),
        ),
        (here, with(&|body| body["query"] = json!("a"))),
        (here, with(&|body| body["offset"] = json!(5))),
        (
            here,
            with(&|body| body["search_after"] = json!(cursor.to_uppercase() + "0")),
        ),
        (
            here,
            with(&|body| {
                body["search_after"] = json!(format!(
                    "{}{}",
                    if cursor.starts_with('f') { "0" } else { "f" },
                    &cursor[1..]
                ))
            }),
        ),
        (
            here,
            with(&|body| body["search_after"] = json!(cursor[..cursor.len() - 2])),
        ),
        (here, with(&|body| body["search_after"] = json!(""))),
        (here, with(&|body| body["search_after"] = json!("é"))),
        (
            SearchContext {
                workspace: OTHER_WORKSPACE,
                ..here
            },
            with(&|_| {}),
        ),
        (
            search_context(Dataset::Projects, SearchScope::Book),
            with(&|_| {}),
        ),
        (
            search_context(Dataset::Accounts, SearchScope::Static(ViewId(Uuid::nil()))),
            with(&|_| {}),
        ),
    ];
    for (call, body) in refused {
        let issues = issues(&conn, &call, &body);
        assert_eq!(issues[0]["code"], "not_allowed", "{body}");
    }
}
