//! The table of conditions in docs/scripting.md, asked of a running service by the program: each
//! condition finds the same projects wherever the table says that it works.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::documented_conditions::documented_conditions;
use crate::spawned_service::SpawnedService;

/// The rows that a command line prints, or its error.
fn read_rows(service: &SpawnedService, line: &str) -> Result<Vec<Value>, String> {
    let output = service.run(&format!("gantry {line} --format jsonl"));
    let text = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    Ok(text
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect())
}

fn ids(rows: &[Value], key: &str) -> BTreeSet<String> {
    rows.iter()
        .filter_map(|row| Some(row[key].as_str()?.to_owned()))
        .collect()
}

/// The signals that report what their project has: a filing has a cost and an area of its own.
fn rows_like_their_projects(rows: &[Value], projects: &[Value]) -> Vec<Value> {
    let is_like = |row: &&Value| {
        let project = projects
            .iter()
            .find(|project| project["id"] == row["project_id"]);
        project.is_some_and(|project| {
            row["reported_cost_usd"] == project["cost_of_construction_usd"]
                && row["reported_gross_floor_area_sf"] == project["gross_floor_area_sf"]
        })
    };
    rows.iter().filter(is_like).cloned().collect()
}

#[test]
fn the_table_of_conditions_finds_the_same_over_http() {
    let service = SpawnedService::start(&["--projects", "60"]);
    let queue = read_rows(&service, "queue list --all").unwrap();
    let projects = read_rows(&service, "data search projects --all").unwrap();
    let comparable = rows_like_their_projects(&queue, &projects);
    let in_queue = ids(&comparable, "project_id");
    let (mut in_views, mut in_lists, mut in_queue_alone, mut without_city) = (0, 0, 0, 0);
    for (condition, place) in documented_conditions() {
        let quoted = condition.replace('\'', "'\\''");
        let searched = read_rows(
            &service,
            &format!("data search projects --filter '{quoted}' --all"),
        );
        let listed = read_rows(&service, &format!("queue list --filter '{quoted}' --all"));
        let view = format!("views create '{quoted}' --dataset project --filter '{quoted}'");
        let created = read_rows(&service, &view);
        assert_eq!(
            searched.is_ok(),
            place != "queue",
            "{condition}: {searched:?}"
        );
        let is_definable = matches!(place, "everywhere" | "searches");
        assert_eq!(created.is_ok(), is_definable, "{condition}: {created:?}");
        let found = searched.map(|rows| ids(&rows, "id")).unwrap_or_default();
        if let Ok(created) = created {
            let id = created[0]["id"].as_str().unwrap();
            let rows = read_rows(&service, &format!("views search {id} --all"));
            assert_eq!(ids(&rows.unwrap(), "id"), found, "{condition} in a View");
            in_views += usize::from(!found.is_empty() && found.len() < projects.len());
        }
        match listed {
            Ok(rows) if place != "queue" => {
                let expected: BTreeSet<String> = in_queue.intersection(&found).cloned().collect();
                let comparable = rows_like_their_projects(&rows, &projects);
                let listed = ids(&comparable, "project_id");
                assert_eq!(listed, expected, "{condition} in the queue");
                in_lists += usize::from(!listed.is_empty() && listed != in_queue);
            }
            Ok(rows) => in_queue_alone += usize::from(rows.len() < queue.len()),
            Err(why) if why.contains("a row of the queue has no") => without_city += 1,
            Err(why) if place == "queue" => {
                assert!(
                    why.contains("--query searches for words"),
                    "{condition}: {why}"
                );
            }
            Err(why) => assert_eq!(place, "searches", "{condition}: {why}"),
        }
    }
    assert!(
        in_views > 25 && in_lists > 10 && in_queue_alone > 5 && without_city < 16,
        "{in_views} {in_lists} {in_queue_alone} {without_city}"
    );
}
