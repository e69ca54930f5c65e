//! Duration of searches over 100,000 projects. Run it by name in a release build; it prints a
//! table.

use std::time::Instant;

use serde_json::json;

use super::*;
use crate::service::db::sql::Conn;

fn open_database() -> Conn {
    let path = std::env::temp_dir().join("gantry-search-speed.db");
    if !path.exists() {
        let began = Instant::now();
        let conn = open_writer(&Storage::File(path.clone())).unwrap();
        println!("opened in {:?}", began.elapsed());
        fill_workspace(&conn, 100_000);
        println!("filled in {:?}", began.elapsed());
    }
    open_writer(&Storage::File(path)).unwrap()
}

/// CPU time of this thread in nanoseconds.
fn cpu_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "takes minutes and needs a release build"]
fn searches_over_a_hundred_thousand_projects_are_fast() {
    let conn = open_database();
    let define = |dataset, conditions: Value| {
        definition::parse(dataset, &json!({"conditions": conditions})).unwrap()
    };
    let texas = define(
        Dataset::Accounts,
        json!([{"field": "state", "op": "is", "value": ["TX", "CO"]}, {"field": "account_type", "op": "is", "value": "developer"}]),
    );
    let city: String = conn
        .query_row("SELECT city FROM projects LIMIT 1", [], |row| row.get(0))
        .unwrap();
    let (project, name): (Uuid, String) = conn
        .query_row(
            "SELECT id, name FROM projects WHERE rowid = 777",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let data = |dataset| search_context(dataset, SearchScope::Data);
    let view = search_context(
        Dataset::Accounts,
        SearchScope::Dynamic(ViewId(Uuid::nil()), &texas),
    );
    let filters = |filters: Value| json!({ "filters": filters });
    let stage = json!({"value": "permitted"});
    let cases: Vec<(SearchContext<'_>, Value)> = vec![
        (data(Dataset::Projects), json!({})),
        (data(Dataset::Projects), json!({"offset": 10_000})),
        (
            data(Dataset::Projects),
            json!({"sort": {"field": "name", "order": "asc"}}),
        ),
        (
            data(Dataset::Projects),
            json!({"sort": {"field": "last_signal_at", "order": "asc"}}),
        ),
        (
            data(Dataset::Projects),
            json!({"sort": {"field": "signals_count"}}),
        ),
        (
            data(Dataset::Projects),
            json!({"sort": {"field": "created_at"}}),
        ),
        (data(Dataset::Projects), filters(json!({"stage": stage}))),
        (
            data(Dataset::Projects),
            filters(json!({"stage": stage, "primary_use": {"value": "data_center"}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"state": {"value": "TX"}, "stage": stage})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"residential_units": {"min": 900}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"cost_of_construction_usd": {"min": 1e10}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"stories": {"min": 40}, "gc_status": {"value": "bidding"}})),
        ),
        (
            data(Dataset::Projects),
            filters(
                json!({"stage": {"value": "permitted", "exclude": true}, "stories": {"min": 200}}),
            ),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": "zzzzqqqq"}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": "tower"}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": "in"}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": "ing"}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": name, "exact_match": true}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"name": {"value": name, "exclude": true}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"city": {"value": city}})),
        ),
        (
            data(Dataset::Projects),
            json!({"filters": {"city": {"value": city}}, "sort": {"field": "name", "order": "asc"}}),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"has_signal": {"signal_type": {"value": "completion"}}})),
        ),
        (
            data(Dataset::Projects),
            filters(
                json!({"has_signal": {"signal_type": {"value": "entitlement_denial"}, "filed_at": {"min": "2026-06-20"}}}),
            ),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"has_signal": {"filed_at": {"min": "2026-07-09"}}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"without_signal": {}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"without_account": {"role": {"value": "developer"}}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"has_account": {"role": {"value": "gc"}, "name": {"value": "Turner"}}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"has_account": {"name": {"value": "zzzzqqqq"}}})),
        ),
        (
            data(Dataset::Projects),
            filters(json!({"has_contact": {"title": {"value": "superintendent"}}})),
        ),
        (data(Dataset::Accounts), json!({})),
        (
            data(Dataset::Accounts),
            json!({"sort": {"field": "projects_count"}}),
        ),
        (
            data(Dataset::Accounts),
            filters(json!({"account_type": {"value": "lender"}, "state": {"value": "TX"}})),
        ),
        (
            data(Dataset::Accounts),
            filters(
                json!({"has_project": {"stage": stage, "primary_use": {"value": "data_center"}}}),
            ),
        ),
        (
            data(Dataset::Accounts),
            json!({"filters": {"has_project": {"stage": stage}}, "sort": {"field": "projects_count"}}),
        ),
        (
            data(Dataset::Accounts),
            filters(
                json!({"has_signal": {"signal_type": {"value": "expiration"}, "filed_at": {"min": "2026-06-01"}}}),
            ),
        ),
        (
            data(Dataset::Accounts),
            filters(json!({"without_signal": {}})),
        ),
        (
            data(Dataset::Accounts),
            filters(json!({"without_project": {"stage": stage}})),
        ),
        (
            data(Dataset::Accounts),
            filters(json!({"has_contact": {"title": {"value": "principal"}}})),
        ),
        (data(Dataset::Contacts), json!({})),
        (
            data(Dataset::Contacts),
            filters(json!({"title": {"value": "manager"}})),
        ),
        (
            data(Dataset::Contacts),
            filters(json!({"email": {"value": "permits"}})),
        ),
        (
            data(Dataset::Contacts),
            filters(json!({"on_project": {"city": {"value": city}, "stage": stage}})),
        ),
        (
            data(Dataset::Contacts),
            filters(json!({"at_account": {"account_type": {"value": "lender"}}})),
        ),
        (data(Dataset::Signals), json!({})),
        (data(Dataset::Signals), json!({"offset": 10_000})),
        (
            data(Dataset::Signals),
            json!({"sort": {"field": "discovered_at"}}),
        ),
        (
            data(Dataset::Signals),
            filters(json!({"signal_type": {"value": "entitlement_denial"}})),
        ),
        (
            data(Dataset::Signals),
            filters(
                json!({"signal_type": {"value": ["permit_issued", "permit_filed"]}, "filed_at": {"min": "2026-06-01"}}),
            ),
        ),
        (
            data(Dataset::Signals),
            filters(json!({"project_id": {"value": project}})),
        ),
        (
            data(Dataset::Signals),
            filters(json!({"for_project": {"city": {"value": city}, "stories": {"min": 30}}})),
        ),
        (
            data(Dataset::Signals),
            filters(json!({"for_account": {"name": {"value": "zzzzqqqq"}}})),
        ),
        (
            data(Dataset::Signals),
            filters(json!({"for_account": {"account_type": {"value": "lender"}}})),
        ),
        (
            search_context(Dataset::Accounts, SearchScope::Book),
            json!({}),
        ),
        (
            search_context(Dataset::Accounts, SearchScope::Book),
            json!({"query": "partners"}),
        ),
        (
            search_context(Dataset::Accounts, SearchScope::Book),
            filters(json!({"icp_tier": {"value": "tier_1"}, "tags": {"value": "hot"}})),
        ),
        (
            search_context(Dataset::Contacts, SearchScope::Book),
            json!({"query": "manager"}),
        ),
        (
            search_context(Dataset::Projects, SearchScope::Book),
            json!({"query": "tower"}),
        ),
        (
            search_context(Dataset::Projects, SearchScope::Book),
            json!({"query": "st"}),
        ),
        (view, json!({})),
        (view, json!({"query": "partners"})),
        (
            SearchContext {
                dataset: Dataset::Contacts,
                ..view
            },
            json!({}),
        ),
    ];
    let mut slow = 0;
    for (call, body) in &cases {
        let mut times: Vec<f64> = (0..5)
            .map(|_| {
                let began = cpu_time();
                run_search(&conn, call, body).unwrap();
                (cpu_time() - began) as f64 / 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (_, metadata) = fetch_page(&conn, call, body);
        let mark = if times[2] > 25.0 {
            slow += 1;
            "<<<"
        } else {
            ""
        };
        let base = format!("{:?}", call.scope);
        println!(
            "{:8.2} ms {:5} {:9} {:5.5} {body} {mark}",
            times[2],
            metadata.total,
            call.dataset.plural(),
            base
        );
    }
    println!("{slow} of {} are slow", cases.len());
}
