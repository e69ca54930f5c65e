//! The feed, the queue and its triage (interface: Workspace: signals).

use crate::support::Desk;
use serde_json::{Value, json};

async fn queue(desk: &Desk, query: &str) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), &format!("/signals/queue?{query}")).await.ok()
}

async fn stats(desk: &Desk) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), "/signals/queue/stats").await.ok()
}

async fn triage(desk: &Desk, ids: &[&str], status: &str) -> Value {
    let body = json!({"workspace_id": desk.id(0), "signal_ids": ids, "status": status});
    desk.post(&desk.key(0), "/signals/triage", body).await.ok()["updated"].clone()
}

fn ids(page: &Value) -> Vec<&str> {
    page["signals"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn workspace_id_is_required_on_every_call_also_with_an_api_key() {
    let desk = Desk::new().await;
    for path in ["/signals", "/signals/queue", "/signals/queue/stats", "/signal-subscriptions"] {
        desk.get(&desk.key(0), path).await.refused(400, "bad_request");
    }
    let body = json!({"signal_ids": [uuid::Uuid::nil()], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", body).await.refused(400, "bad_request");
}

#[tokio::test]
async fn the_queue_is_ordered_new_first_then_by_priority_then_newest_filing_first() {
    let desk = Desk::new().await;
    let first = queue(&desk, "limit=3").await;
    assert_eq!(triage(&desk, &ids(&first), "done").await, 3);
    let page = queue(&desk, "limit=200").await;
    let rows = page["signals"].as_array().unwrap();
    assert!(rows.len() > 10, "{}", rows.len());
    let key = |row: &Value| {
        let priority = ["high", "medium", "low"].iter().position(|word| row["priority"] == *word).unwrap();
        (
            row["triage_status"] == "done",
            priority,
            std::cmp::Reverse(row["filed_at"].as_str().unwrap().to_owned()),
            row["id"].to_string(),
        )
    };
    assert!(rows.is_sorted_by_key(key));
    assert_eq!(page["pagination"]["total"], rows.len());
    assert!(rows.iter().all(|row| row.get("raw_data").is_none() && row["project_name"].is_string()));
}

#[tokio::test]
async fn the_filtered_count_is_right_for_every_filter() {
    let desk = Desk::new().await;
    let all = queue(&desk, "limit=200").await;
    triage(&desk, &ids(&all)[..4], "done").await;
    let all = queue(&desk, "limit=200").await;
    let rows = all["signals"].as_array().unwrap();
    for (query, field, words) in [
        ("status=new", "triage_status", vec!["new"]),
        ("status=done", "triage_status", vec!["done"]),
        ("status=done&status=new", "triage_status", vec!["done", "new"]),
        ("priority=high&priority=low", "priority", vec!["high", "low"]),
        ("signal_type=permit_filed", "signal_type", vec!["permit_filed"]),
        ("signal_type=demolition_permit", "signal_type", vec!["demolition_permit"]),
    ] {
        let wanted = rows.iter().filter(|row| words.contains(&row[field].as_str().unwrap())).count();
        let page = queue(&desk, &format!("{query}&limit=200")).await;
        assert_eq!((ids(&page).len(), &page["pagination"]["total"]), (wanted, &json!(wanted)), "{query}");
    }
    let name = rows[0]["project_name"].as_str().unwrap();
    let page = queue(&desk, &format!("q={name}&limit=200")).await;
    assert!(ids(&page).contains(&rows[0]["id"].as_str().unwrap()));
    assert_eq!(page["pagination"]["total"], ids(&page).len());
}

#[tokio::test]
async fn pages_by_offset_are_slices_of_the_whole() {
    let desk = Desk::new().await;
    let all = queue(&desk, "limit=200").await;
    let (mut found, mut offset) = (Vec::new(), 0);
    loop {
        let page = queue(&desk, &format!("limit=7&offset={offset}")).await;
        assert_eq!(page["pagination"]["total"], all["pagination"]["total"]);
        if ids(&page).is_empty() {
            break;
        }
        found.extend(ids(&page).into_iter().map(str::to_owned));
        offset += 7;
    }
    assert_eq!(found, ids(&all));
}

#[tokio::test]
async fn triage_is_idempotent_and_records_who_acted() {
    let desk = Desk::new().await;
    let page = queue(&desk, "limit=2").await;
    let (before, marked) = (stats(&desk).await, ids(&page));
    assert_eq!(triage(&desk, &marked, "done").await, 2);
    assert_eq!(triage(&desk, &marked, "done").await, 0);
    let after = stats(&desk).await;
    assert_eq!(after["new_count"].as_i64().unwrap(), before["new_count"].as_i64().unwrap() - 2);
    assert_eq!(after["done_count"].as_i64().unwrap(), before["done_count"].as_i64().unwrap() + 2);
    let done = queue(&desk, "status=done&limit=200").await;
    let issuer = desk.workspace(0).members[0].user_id.to_string();
    let acted = |row: &&Value| marked.contains(&row["id"].as_str().unwrap());
    let rows: Vec<_> = done["signals"].as_array().unwrap().iter().filter(acted).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row["triaged_by"] == issuer && row["triaged_at"].is_string()));
    assert_eq!(triage(&desk, &marked, "new").await, 2);
    assert_eq!(stats(&desk).await, before);
    assert!(queue(&desk, "limit=2").await["signals"][0]["triaged_by"].is_null());
}

#[tokio::test]
async fn triage_is_for_the_whole_workspace_and_no_other() {
    let desk = Desk::new().await;
    let page = queue(&desk, "limit=1&signal_type=entitlement_application").await; // the second workspace is not subscribed to it
    let body = json!({"workspace_id": desk.id(1), "signal_ids": ids(&page), "status": "done"});
    assert_eq!(desk.post(&desk.key(1), "/signals/triage", body).await.ok()["updated"], 0);
    assert_eq!(queue(&desk, "limit=1&signal_type=entitlement_application").await, page);
    triage(&desk, &ids(&page), "done").await;
    let seen = desk.get(&desk.user(0, 3), "/signals/queue?status=done&limit=200").await.ok();
    assert!(ids(&seen).contains(&ids(&page)[0]));
}

#[tokio::test]
async fn triage_takes_1_to_100_ids() {
    let desk = Desk::new().await;
    let page = queue(&desk, "limit=101").await;
    for ids in [&ids(&page)[..0], &["not-an-id"], &ids(&page)[..101.min(ids(&page).len())]] {
        if ids.len() == 1 || ids.is_empty() || ids.len() > 100 {
            let body = json!({"workspace_id": desk.id(0), "signal_ids": ids, "status": "done"});
            desk.post(&desk.key(0), "/signals/triage", body).await.refused(400, "bad_request");
        }
    }
    let body = json!({"workspace_id": desk.id(0), "signal_ids": ids(&page)[..1], "status": "later"});
    let error = desk.post(&desk.key(0), "/signals/triage", body).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(error["issues"][0]["allowed"], json!(["new", "done"]));
}

#[tokio::test]
async fn stats_apply_the_same_rule_as_the_queue() {
    let desk = Desk::new().await;
    let stats = stats(&desk).await;
    let total = |query: &'static str| async { queue(&desk, query).await["pagination"]["total"].clone() };
    assert_eq!(stats["new_count"], total("status=new").await);
    assert_eq!(stats["high_priority_new_count"], total("status=new&priority=high").await);
    assert_eq!(stats["done_count"], total("status=done").await);
    let counts = stats["type_counts"].as_array().unwrap();
    assert_eq!(counts.iter().map(|count| count["new_count"].as_i64().unwrap()).sum::<i64>(), stats["new_count"]);
}

#[tokio::test]
async fn the_queue_holds_90_days_by_filing() {
    let desk = Desk::new().await;
    let oldest = (chrono::Utc::now() - chrono::TimeDelta::days(90)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let page = queue(&desk, "limit=200").await;
    assert!(page["signals"].as_array().unwrap().iter().all(|row| row["filed_at"].as_str().unwrap() >= oldest.as_str()));
}

#[tokio::test]
async fn arrivals_are_discovered_and_enter_the_queue() {
    let every = Some(std::time::Duration::from_millis(20));
    let desk = Desk::with(gantry::service::Options { projects: 120, arrivals: every, ..Default::default() }).await;
    let before = stats(&desk).await["new_count"].as_i64().unwrap();
    let limit = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    while stats(&desk).await["new_count"].as_i64().unwrap() <= before {
        assert!(tokio::time::Instant::now() < limit, "nothing arrived");
    }
    desk.service.stop().await;
}

#[tokio::test]
async fn texts_are_found_with_a_slip_in_any_case_and_nothing_is_found_by_what_is_nowhere() {
    let desk = Desk::new().await;
    let page = queue(&desk, "limit=200").await;
    let rows = page["signals"].as_array().unwrap();
    let word = |row: &Value| {
        let name = row["project_name"].as_str().unwrap();
        name.split(' ').find(|word| word.len() > 5 && word.chars().all(|c| c.is_ascii_alphabetic())).map(str::to_owned)
    };
    let (row, word) = rows.iter().find_map(|row| Some((row, word(row)?))).unwrap();
    let slip = format!("{}x{}", &word[..2], &word[3..]).to_uppercase();
    let coded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let id = row["id"].as_str().unwrap();
    for text in [row["project_name"].as_str().unwrap(), &word, &slip, row["source_filing_id"].as_str().unwrap()] {
        let found = queue(&desk, &format!("limit=200&q={}", coded(text))).await;
        assert!(ids(&found).contains(&id), "{text}");
        assert_eq!(found["pagination"]["total"], ids(&found).len(), "{text}");
        let order: Vec<_> = ids(&page).into_iter().filter(|id| ids(&found).contains(id)).collect();
        assert_eq!(ids(&found), order, "{text}");
    }
    let project = desk.get(&desk.key(0), &format!("/data/projects/{}", row["project_id"].as_str().unwrap())).await.ok();
    let city = project["data"]["city"].as_str().unwrap().to_lowercase();
    assert!(ids(&queue(&desk, &format!("limit=200&city={}", coded(&city))).await).contains(&id));
    for text in ["qqqqzzzz", "%", "_", "qqqqzzzz' OR 1 --"] {
        for name in ["q", "city"] {
            let found = queue(&desk, &format!("{name}={}", coded(text))).await;
            assert_eq!((ids(&found).len(), &found["pagination"]["total"]), (0, &json!(0)), "{text}");
        }
    }
}
