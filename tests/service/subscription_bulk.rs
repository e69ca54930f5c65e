//! Bulk subscribing, and the family that goes by id (interface: Workspace: signal subscriptions; decisions 2.19).

use crate::fields::{has_fields, ids};
use crate::signals::TYPES;
use crate::support::{Desk, Said};
use serde_json::{Value, json};

/// Types that the first workspace of the sample is not subscribed to.
const FREE: [&str; 4] = ["environmental_review", "pre_application", "entitlement_denial", "expiration"];
const TAKEN: &str = "permit_issued";

async fn bulk(desk: &Desk, entries: Value) -> Said {
    let body = json!({"workspace_id": desk.id(0), "subscriptions": entries});
    desk.post(&desk.key(0), "/signal-subscriptions/bulk", body).await
}

async fn list(desk: &Desk) -> Value {
    desk.get(&desk.key(0).naming(desk.id(0)), "/signal-subscriptions").await.ok()
}

fn of<'a>(list: &'a Value, signal_type: &str) -> &'a Value {
    list["subscriptions"].as_array().unwrap().iter().find(|one| one["signal_type"] == signal_type).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn bulk_answers_the_full_list_after_the_upsert() {
    let desk = Desk::new().await;
    let answer = bulk(&desk, json!([{"signal_type": FREE[0]}])).await.ok();
    assert_eq!(answer, list(&desk).await);
    assert_eq!(of(&answer, FREE[0])["signal_type"], FREE[0]);
}

#[tokio::test]
async fn what_bulk_creates_has_medium_priority_and_no_email_channel() {
    let desk = Desk::new().await;
    let answer = bulk(&desk, json!([{"signal_type": FREE[0]}, {"signal_type": FREE[1]}])).await.ok();
    for signal_type in &FREE[..2] {
        let made = of(&answer, signal_type);
        let settings = (&made["priority"], &made["channels"], &made["notify_all_members"], &made["recipient_user_ids"]);
        assert_eq!(settings, (&json!("medium"), &json!([]), &json!(false), &json!([])), "{signal_type}");
    }
}

#[tokio::test]
async fn bulk_creates_with_the_priority_that_is_given() {
    let desk = Desk::new().await;
    let entries = json!([{"signal_type": FREE[0], "priority": "high"}, {"signal_type": FREE[1], "priority": "low"}]);
    let answer = bulk(&desk, entries).await.ok();
    assert_eq!((&of(&answer, FREE[0])["priority"], &of(&answer, FREE[1])["priority"]), (&json!("high"), &json!("low")));
}

#[tokio::test]
async fn what_bulk_creates_looks_back_14_days_from_now() {
    let desk = Desk::new().await;
    let key = desk.key(0).naming(desk.id(0));
    let answer = bulk(&desk, json!([{"signal_type": FREE[0]}])).await.ok();
    let since = (chrono::Utc::now() - chrono::TimeDelta::days(14)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let feed = desk.get(&key, &format!("/signals?signal_type={}&discovered_after={since}&limit=200", FREE[0])).await.ok();
    let count = ids(&feed["signals"]).len();
    assert!(count > 0);
    assert_eq!(of(&answer, FREE[0])["new_count"], count);
}

#[tokio::test]
async fn bulk_changes_the_priority_of_what_exists_and_nothing_else() {
    let desk = Desk::new().await;
    let before = list(&desk).await;
    let answer = bulk(&desk, json!([{"signal_type": TAKEN, "priority": "low"}])).await.ok();
    let (before, after) = (of(&before, TAKEN), of(&answer, TAKEN));
    assert_eq!((&before["priority"], &after["priority"]), (&json!("high"), &json!("low")));
    assert_eq!(before["channels"], json!(["email"]));
    for field in ["channels", "notify_all_members", "recipient_user_ids", "new_count", "created_at"] {
        assert_eq!(before[field], after[field], "{field}");
    }
}

#[tokio::test]
async fn bulk_without_a_priority_applies_medium_to_existing_items_too() {
    let desk = Desk::new().await;
    assert_eq!(of(&bulk(&desk, json!([{"signal_type": TAKEN}])).await.ok(), TAKEN)["priority"], "medium");
}

#[tokio::test]
async fn bulk_leaves_unlisted_types_untouched() {
    let desk = Desk::new().await;
    let before = list(&desk).await;
    let mut answer = bulk(&desk, json!([{"signal_type": FREE[0]}])).await.ok();
    answer["subscriptions"].as_array_mut().unwrap().retain(|one| one["signal_type"] != FREE[0]);
    assert_eq!(answer, before);
}

#[tokio::test]
async fn bulk_is_transactional() {
    let desk = Desk::new().await;
    let before = list(&desk).await;
    for (what, entries) in [
        ("an unknown type after a good one", json!([{"signal_type": FREE[0]}, {"signal_type": "odd"}])),
        ("a bad priority", json!([{"signal_type": FREE[0]}, {"signal_type": TAKEN, "priority": "urgent"}])),
        ("no type", json!([{"signal_type": FREE[0]}, {"priority": "low"}])),
        ("another field", json!([{"signal_type": FREE[0]}, {"signal_type": TAKEN, "channels": []}])),
        ("no object", json!([{"signal_type": FREE[0]}, 7])),
    ] {
        assert_eq!(bulk(&desk, entries).await.status, 400, "{what}");
        assert_eq!(list(&desk).await, before, "{what}");
    }
}

#[tokio::test]
async fn bulk_takes_1_to_14_entries() {
    let desk = Desk::new().await;
    let entries = |count: usize| TYPES[..count].iter().map(|word| json!({"signal_type": word})).collect::<Value>();
    for (count, issue) in [(0, "too_small"), (15, "too_big"), (17, "too_big")] {
        let error = bulk(&desk, entries(count)).await.refused(400, "bad_request");
        assert_eq!((&error["issues"][0]["code"], &error["issues"][0]["path"]), (&json!(issue), &json!(["subscriptions"])));
    }
    for count in [1, 14] {
        let answer = bulk(&desk, entries(count)).await.ok();
        assert!(TYPES[..count].iter().all(|word| of(&answer, word)["priority"] == "medium"), "{count}");
    }
}

#[tokio::test]
async fn bulk_takes_each_type_once() {
    let desk = Desk::new().await;
    let twice = json!([{"signal_type": FREE[0], "priority": "low"}, {"signal_type": FREE[0], "priority": "high"}]);
    let error = bulk(&desk, twice).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["subscriptions", 1, "signal_type"]));
    assert!(of(&list(&desk).await, FREE[0]).is_null());
}

#[tokio::test]
async fn bulk_never_resets_the_watermark_of_what_exists() {
    let desk = Desk::new().await;
    let key = desk.key(0).naming(desk.id(0));
    let total = async || {
        let page = desk.get(&key, &format!("/signals/queue?signal_type={TAKEN}")).await.ok();
        page["pagination"]["total"].clone()
    };
    let before = total().await;
    bulk(&desk, json!([{"signal_type": TAKEN, "priority": "low"}])).await.ok();
    assert_eq!(total().await, before);
}

#[tokio::test]
async fn bulk_needs_workspace_id_in_the_body() {
    let desk = Desk::new().await;
    let body = json!({"subscriptions": [{"signal_type": FREE[0]}]});
    let error = desk.post(&desk.key(0).naming(desk.id(0)), "/signal-subscriptions/bulk", body).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["workspace_id"]));
}

async fn upsert(desk: &Desk, body: Value) -> Said {
    desk.post(&desk.key(0), "/workspace/signal-subscriptions/upsert", body).await
}

#[tokio::test]
async fn the_prefixed_family_lists_the_same_subscriptions_with_their_ids() {
    let desk = Desk::new().await;
    let said = desk.get(&desk.key(0), "/workspace/signal-subscriptions").await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let mut shown = said["data"]["subscriptions"].clone();
    for one in shown.as_array_mut().unwrap() {
        let id = one.as_object_mut().unwrap().remove("id").unwrap();
        has_fields(&json!({"id": id}), &[("id", "uuid")]);
    }
    assert_eq!(json!({"subscriptions": shown}), list(&desk).await);
}

#[tokio::test]
async fn the_prefixed_upsert_takes_the_type_in_the_body_and_answers_the_subscription() {
    let desk = Desk::new().await;
    let made = upsert(&desk, json!({"signal_type": FREE[0], "priority": "high", "channels": ["email"]})).await.ok();
    assert_eq!(made["metadata"], json!({"credits": 0}));
    let again = upsert(&desk, json!({"signal_type": FREE[0], "priority": "low"})).await.ok()["data"].clone();
    assert_eq!((&again["id"], &again["channels"]), (&made["data"]["id"], &json!(["email"])), "only provided fields change");
    assert_eq!(again["priority"], "low");
    assert_eq!(of(&list(&desk).await, FREE[0])["priority"], "low", "both families speak of the same");
}

#[tokio::test]
async fn the_prefixed_upsert_refuses_what_the_put_refuses() {
    let desk = Desk::new().await;
    let stranger = desk.workspace(1).members[0].user_id;
    for body in [
        json!({}),
        json!({"signal_type": "odd"}),
        json!({"signal_type": FREE[0], "priority": "urgent"}),
        json!({"signal_type": FREE[0], "channels": ["sms"]}),
        json!({"signal_type": FREE[0], "recipient_user_ids": [stranger]}),
        json!({"signal_type": FREE[0], "id": stranger}),
    ] {
        upsert(&desk, body).await.refused(400, "bad_request");
    }
    assert!(of(&list(&desk).await, FREE[0]).is_null());
}

#[tokio::test]
async fn the_prefixed_delete_goes_by_id() {
    let desk = Desk::new().await;
    let id = upsert(&desk, json!({"signal_type": FREE[0]})).await.ok()["data"]["id"].clone();
    let path = format!("/workspace/signal-subscriptions/{}", id.as_str().unwrap());
    desk.delete(&desk.key(1), &path).await.refused(404, "not_found");
    desk.delete(&desk.key(0), &format!("/workspace/signal-subscriptions/{}", FREE[0])).await.refused(404, "not_found");
    let said = desk.delete(&desk.key(0), &path).await.ok();
    assert_eq!(said, json!({"data": {"deleted": true, "id": id}, "metadata": {"credits": 0}}));
    assert!(of(&list(&desk).await, FREE[0]).is_null());
    desk.delete(&desk.key(0), &path).await.refused(404, "not_found");
}

#[tokio::test]
async fn the_prefixed_delete_takes_the_types_signals_out_of_the_queue_too() {
    let desk = Desk::new().await;
    let id = upsert(&desk, json!({"signal_type": TAKEN})).await.ok()["data"]["id"].clone();
    desk.delete(&desk.key(0), &format!("/workspace/signal-subscriptions/{}", id.as_str().unwrap())).await.ok();
    let page = desk.get(&desk.key(0).naming(desk.id(0)), &format!("/signals/queue?signal_type={TAKEN}")).await.ok();
    assert_eq!(page["pagination"]["total"], 0);
}
