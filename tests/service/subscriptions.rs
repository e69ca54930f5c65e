//! Both families of subscriptions (interface: Workspace: signal subscriptions, States and transitions).

use crate::support::{Desk, Said};
use serde_json::{Value, json};

async fn put(desk: &Desk, signal_type: &str, mut body: Value) -> Said {
    body["workspace_id"] = json!(desk.id(0));
    desk.put(&desk.key(0), &format!("/signal-subscriptions/{signal_type}"), body).await
}

async fn bulk(desk: &Desk, entries: Value) -> Said {
    let body = json!({"workspace_id": desk.id(0), "subscriptions": entries});
    desk.post(&desk.key(0), "/signal-subscriptions/bulk", body).await
}

fn of<'a>(list: &'a Value, signal_type: &str) -> &'a Value {
    list["subscriptions"].as_array().unwrap().iter().find(|one| one["signal_type"] == signal_type).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn a_put_creates_with_medium_priority_and_applies_only_provided_fields() {
    let desk = Desk::new().await;
    let list = put(&desk, "environmental_review", json!({})).await.ok();
    let made = of(&list, "environmental_review").clone();
    assert_eq!(
        (&made["priority"], &made["channels"], &made["notify_all_members"]),
        (&json!("medium"), &json!([]), &json!(false))
    );
    let user = desk.workspace(0).members[2].user_id;
    put(&desk, "environmental_review", json!({"channels": ["email"], "recipient_user_ids": [user]})).await.ok();
    let list = put(&desk, "environmental_review", json!({"priority": "high"})).await.ok();
    let changed = of(&list, "environmental_review");
    assert_eq!(changed["channels"], json!(["email"]));
    assert_eq!(changed["recipient_user_ids"], json!([user]));
    assert_eq!(changed["new_count"], made["new_count"], "the watermark is never reset");
    assert_eq!(changed["created_at"], made["created_at"]);
}

#[tokio::test]
async fn a_new_subscription_looks_back_14_days() {
    let desk = Desk::new().await;
    let list = put(&desk, "environmental_review", json!({})).await.ok();
    let since = (chrono::Utc::now() - chrono::TimeDelta::days(14)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let key = desk.key(0).naming(desk.id(0));
    let queue = desk.get(&key, "/signals/queue?signal_type=environmental_review&limit=200").await.ok();
    let rows = queue["signals"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["discovered_at"].as_str().unwrap() >= since.as_str()));
    assert_eq!(of(&list, "environmental_review")["new_count"], rows.len());
    let feed =
        desk.get(&key, &format!("/signals?signal_type=environmental_review&discovered_after={since}&limit=200")).await.ok();
    assert_eq!(feed["signals"].as_array().unwrap().len(), rows.len());
}

#[tokio::test]
async fn what_a_put_cannot_keep_is_refused_and_nothing_is_written() {
    let desk = Desk::new().await;
    let stranger = desk.workspace(1).members[0].user_id;
    for body in [
        json!({"channels": ["slack"]}),
        json!({"recipient_user_ids": [stranger]}),
        json!({"priority": "urgent"}),
        json!({"notify_all_members": "yes"}),
        json!({"colour": "red"}),
        json!({"recipient_user_ids": vec![desk.workspace(0).members[0].user_id; 101]}),
    ] {
        put(&desk, "environmental_review", body).await.refused(400, "bad_request");
    }
    put(&desk, "orbital_permit", json!({})).await.refused(400, "bad_request");
    let list = desk.get(&desk.key(0).naming(desk.id(0)), "/signal-subscriptions").await.ok();
    assert!(of(&list, "environmental_review").is_null());
}

#[tokio::test]
async fn unsubscribing_takes_the_types_signals_out_of_the_queue_and_keeps_their_triage() {
    let desk = Desk::new().await;
    let key = desk.key(0).naming(desk.id(0));
    let path = "/signals/queue?signal_type=permit_issued&limit=200";
    let before = desk.get(&key, path).await.ok();
    let first = before["signals"][0]["id"].clone();
    let body = json!({"workspace_id": desk.id(0), "signal_ids": [first], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", body).await.ok();
    let left = desk.delete(&key, "/signal-subscriptions/permit_issued").await.ok();
    assert!(of(&left, "permit_issued").is_null());
    assert_eq!(desk.get(&key, path).await.ok()["pagination"]["total"], 0);
    let error = desk.delete(&key, "/signal-subscriptions/permit_issued").await.refused(404, "not_found");
    assert!(!error["message"].as_str().unwrap().is_empty());
    put(&desk, "permit_issued", json!({})).await.ok();
    let after = desk.get(&key, path).await.ok();
    assert!(after["pagination"]["total"].as_i64() < before["pagination"]["total"].as_i64(), "a fresh watermark");
    let marks = |page: &Value| -> std::collections::BTreeMap<String, Value> {
        let rows = page["signals"].as_array().unwrap().iter();
        rows.map(|row| (row["id"].to_string(), row["triaged_at"].clone())).collect()
    };
    let (kept, first) = (marks(&before), first.to_string());
    assert!(marks(&after).iter().all(|(id, mark)| *id == first || kept[id] == *mark));
}

#[tokio::test]
async fn bulk_is_transactional_and_changes_only_the_priority_of_what_exists() {
    let desk = Desk::new().await;
    put(&desk, "permit_issued", json!({"channels": ["email"], "notify_all_members": true})).await.ok();
    let list =
        bulk(&desk, json!([{"signal_type": "permit_issued", "priority": "low"}, {"signal_type": "pre_application"}])).await.ok();
    let (changed, made) = (of(&list, "permit_issued"), of(&list, "pre_application"));
    assert_eq!((&changed["priority"], &changed["channels"]), (&json!("low"), &json!(["email"])));
    assert_eq!((&made["priority"], &made["channels"]), (&json!("medium"), &json!([])));
    assert!(!of(&list, "completion").is_null(), "unlisted types are untouched");
    let types = ["expiration", "entitlement_denial"];
    for entries in [
        json!([]),
        json!([{"signal_type": types[0]}, {"signal_type": "odd"}]),
        json!([{"signal_type": types[0]}, {"signal_type": types[0]}]),
        json!([{"signal_type": types[0]}, {"priority": "low"}]),
        Value::Array(vec![json!({"signal_type": types[1]}); 15]),
    ] {
        bulk(&desk, entries).await.refused(400, "bad_request");
    }
    let list = desk.get(&desk.key(0).naming(desk.id(0)), "/signal-subscriptions").await.ok();
    assert!(types.iter().all(|word| of(&list, word).is_null()), "nothing of a refused call is written");
}

#[tokio::test]
async fn the_workspace_prefixed_family_goes_by_id() {
    let desk = Desk::new().await;
    let made = desk
        .post(&desk.key(0), "/workspace/signal-subscriptions/upsert", json!({"signal_type": "environmental_review"}))
        .await
        .ok();
    assert_eq!((&made["data"]["signal_type"], &made["metadata"]), (&json!("environmental_review"), &json!({"credits": 0})));
    let list = desk.get(&desk.key(0), "/workspace/signal-subscriptions").await.ok();
    assert!(list["data"]["subscriptions"].as_array().unwrap().contains(&made["data"]));
    let path = format!("/workspace/signal-subscriptions/{}", made["data"]["id"].as_str().unwrap());
    desk.delete(&desk.key(1), &path).await.refused(404, "not_found");
    assert_eq!(desk.delete(&desk.key(0), &path).await.ok()["data"], json!({"deleted": true, "id": made["data"]["id"]}));
    desk.delete(&desk.key(0), &path).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_key_without_the_scope_workspace_write_reads_only() {
    let desk = Desk::new().await;
    let body = json!({"workspace_id": desk.id(0), "priority": "high"});
    desk.put(&desk.reading_key(0), "/signal-subscriptions/environmental_review", body).await.refused(403, "forbidden");
    desk.get(&desk.reading_key(0).naming(desk.id(0)), "/signal-subscriptions").await.ok();
}
