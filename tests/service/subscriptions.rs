//! Subscriptions (interface: Signal subscription; Workspace: signal subscriptions; States and transitions).

use std::collections::BTreeSet;

use crate::fields::{Row, has_fields, ids};
use crate::signals::TYPES;
use crate::support::{Caller, Desk, Said};
use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

/// A type that the first workspace of the sample is not subscribed to, and one that it is.
const FREE: &str = "environmental_review";
const TAKEN: &str = "permit_issued";

const SUBSCRIPTION: [Row; 8] = [
    ("signal_type", "string"),
    ("priority", "high|medium|low"),
    ("channels", "string[]"),
    ("notify_all_members", "boolean"),
    ("recipient_user_ids", "uuid[]"),
    ("new_count", "integer"),
    ("created_at", "moment"),
    ("updated_at", "moment"),
];

fn key(desk: &Desk) -> Caller {
    desk.key(0).naming(desk.id(0))
}

async fn put(desk: &Desk, signal_type: &str, mut body: Value) -> Said {
    body["workspace_id"] = json!(desk.id(0));
    desk.put(&desk.key(0), &format!("/signal-subscriptions/{signal_type}"), body).await
}

async fn delete(desk: &Desk, signal_type: &str) -> Said {
    desk.delete(&key(desk), &format!("/signal-subscriptions/{signal_type}")).await
}

async fn list(desk: &Desk) -> Value {
    desk.get(&key(desk), "/signal-subscriptions").await.ok()
}

fn of<'a>(list: &'a Value, signal_type: &str) -> &'a Value {
    list["subscriptions"].as_array().unwrap().iter().find(|one| one["signal_type"] == signal_type).unwrap_or(&Value::Null)
}

/// The ids of a type's signals in the queue.
async fn queue(desk: &Desk, signal_type: &str) -> BTreeSet<String> {
    let page = desk.get(&key(desk), &format!("/signals/queue?signal_type={signal_type}&limit=200")).await.ok();
    ids(&page["signals"]).into_iter().collect()
}

/// The ids of a type's signals in the feed that were discovered within the last 14 days.
async fn recent(desk: &Desk, signal_type: &str) -> BTreeSet<String> {
    let since = (Utc::now() - TimeDelta::days(14)).to_rfc3339_opts(SecondsFormat::Millis, true);
    let path = format!("/signals?signal_type={signal_type}&discovered_after={since}&limit=200");
    ids(&desk.get(&key(desk), &path).await.ok()["signals"]).into_iter().collect()
}

#[tokio::test]
async fn a_subscription_has_the_fields_of_its_table() {
    let desk = Desk::new().await;
    let all = list(&desk).await;
    assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), ["subscriptions"]);
    for one in all["subscriptions"].as_array().unwrap() {
        has_fields(one, &SUBSCRIPTION);
        assert!(TYPES.contains(&one["signal_type"].as_str().unwrap()), "{one}");
    }
}

#[tokio::test]
async fn the_list_has_the_subscribed_types_and_no_others() {
    let desk = Desk::new().await;
    assert!(of(&list(&desk).await, FREE).is_null());
    put(&desk, FREE, json!({})).await.ok();
    assert_eq!(of(&list(&desk).await, FREE)["signal_type"], FREE);
    delete(&desk, FREE).await.ok();
    assert!(of(&list(&desk).await, FREE).is_null());
}

#[tokio::test]
async fn subscriptions_are_shared_by_the_workspace_and_by_no_other() {
    let desk = Desk::new().await;
    let theirs = async || desk.get(&desk.key(1).naming(desk.id(1)), "/signal-subscriptions").await.ok();
    let before = theirs().await;
    put(&desk, FREE, json!({"priority": "high"})).await.ok();
    let seen = desk.get(&desk.user(0, 3), "/signal-subscriptions").await.ok();
    assert_eq!(of(&seen, FREE)["priority"], "high");
    assert_eq!(theirs().await, before);
}

#[tokio::test]
async fn every_one_of_the_17_types_can_be_subscribed_to() {
    let desk = Desk::new().await;
    for signal_type in TYPES {
        let all = put(&desk, signal_type, json!({"priority": "low"})).await.ok();
        assert_eq!(of(&all, signal_type)["priority"], "low", "{signal_type}");
    }
    assert_eq!(list(&desk).await["subscriptions"].as_array().unwrap().len(), 17);
}

#[tokio::test]
async fn a_put_of_a_type_that_is_none_is_400() {
    let desk = Desk::new().await;
    for odd in ["orbital_permit", "Permit_Issued", "permit_issued%20", "0"] {
        let error = put(&desk, odd, json!({})).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "invalid_enum_value", "{odd}");
    }
}

#[tokio::test]
async fn a_put_answers_the_full_list_after_the_upsert() {
    let desk = Desk::new().await;
    let answer = put(&desk, FREE, json!({})).await.ok();
    assert_eq!(answer, list(&desk).await);
    assert!(answer["subscriptions"].as_array().unwrap().len() > 1);
}

#[tokio::test]
async fn a_put_creates_with_medium_priority_no_channel_and_nobody_to_notify() {
    let desk = Desk::new().await;
    let all = put(&desk, FREE, json!({})).await.ok();
    let made = of(&all, FREE);
    let kept = |key: &str| made[key].clone();
    assert_eq!(kept("priority"), "medium");
    assert_eq!((kept("channels"), kept("notify_all_members"), kept("recipient_user_ids")), (json!([]), json!(false), json!([])));
    assert_eq!(made["created_at"], made["updated_at"]);
}

#[tokio::test]
async fn a_put_applies_only_the_provided_fields() {
    let desk = Desk::new().await;
    let user = desk.workspace(0).members[2].user_id;
    let whole = json!({"priority": "low", "channels": ["email"], "notify_all_members": true, "recipient_user_ids": [user]});
    put(&desk, FREE, whole.clone()).await.ok();
    for (field, value) in [
        ("priority", json!("high")),
        ("channels", json!([])),
        ("notify_all_members", json!(false)),
        ("recipient_user_ids", json!([])),
    ] {
        let all = put(&desk, FREE, json!({ field: value })).await.ok();
        for other in ["priority", "channels", "notify_all_members", "recipient_user_ids"] {
            let expected = if other == field { &value } else { &whole[other] };
            assert_eq!(of(&all, FREE)[other], *expected, "{other} after {field}");
        }
        put(&desk, FREE, whole.clone()).await.ok();
    }
}

#[tokio::test]
async fn a_put_is_an_idempotent_upsert_keyed_by_the_type() {
    let desk = Desk::new().await;
    let body = json!({"priority": "high", "channels": ["email"]});
    let once = put(&desk, FREE, body.clone()).await.ok();
    assert_eq!(put(&desk, FREE, body).await.ok(), once);
    let count = once["subscriptions"].as_array().unwrap().iter().filter(|one| one["signal_type"] == FREE).count();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_put_moves_updated_at_and_leaves_created_at() {
    let desk = Desk::new().await;
    let before = list(&desk).await;
    let after = put(&desk, TAKEN, json!({"priority": "low"})).await.ok();
    let (before, after) = (of(&before, TAKEN), of(&after, TAKEN));
    assert_eq!(before["created_at"], after["created_at"]);
    assert!(before["updated_at"].as_str() < after["updated_at"].as_str());
}

#[tokio::test]
async fn a_put_needs_workspace_id_in_the_body() {
    let desk = Desk::new().await;
    for caller in [desk.key(0), key(&desk), desk.user(0, 0)] {
        let said = desk.put(&caller, &format!("/signal-subscriptions/{FREE}"), json!({"priority": "low"})).await;
        assert_eq!(said.refused(400, "bad_request")["issues"][0]["path"], json!(["workspace_id"]));
    }
}

#[tokio::test]
async fn the_priority_is_high_medium_or_low() {
    let desk = Desk::new().await;
    for priority in ["high", "medium", "low"] {
        assert_eq!(of(&put(&desk, FREE, json!({"priority": priority})).await.ok(), FREE)["priority"], priority);
    }
    for odd in [json!("urgent"), json!("High"), json!(1), Value::Null] {
        put(&desk, FREE, json!({"priority": odd})).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn only_the_email_channel_is_taken() {
    let desk = Desk::new().await;
    assert_eq!(of(&put(&desk, FREE, json!({"channels": ["email"]})).await.ok(), FREE)["channels"], json!(["email"]));
    for odd in [json!(["slack"]), json!(["email", "sms"]), json!("email"), json!(["Email"]), json!([1])] {
        put(&desk, FREE, json!({"channels": odd})).await.refused(400, "bad_request");
    }
    assert_eq!(of(&list(&desk).await, FREE)["channels"], json!(["email"]));
}

#[tokio::test]
async fn recipients_must_be_members_of_the_workspace() {
    let desk = Desk::new().await;
    let [member, stranger] = [0, 1].map(|nth| desk.workspace(nth).members[2].user_id);
    put(&desk, FREE, json!({"recipient_user_ids": [member]})).await.ok();
    for odd in [json!([stranger]), json!([member, stranger]), json!([uuid::Uuid::nil()]), json!(["ana"]), json!(member)] {
        put(&desk, FREE, json!({"recipient_user_ids": odd, "priority": "high"})).await.refused(400, "bad_request");
    }
    let all = list(&desk).await;
    let kept = of(&all, FREE);
    assert_eq!((&kept["recipient_user_ids"], &kept["priority"]), (&json!([member]), &json!("medium")), "nothing is written");
}

#[tokio::test]
async fn there_are_at_most_100_explicit_recipients() {
    let desk = Desk::new().await;
    let user = desk.workspace(0).members[1].user_id;
    let all = put(&desk, FREE, json!({"recipient_user_ids": vec![user; 100]})).await.ok();
    assert_eq!(of(&all, FREE)["recipient_user_ids"], json!([user]), "each once");
    let error = put(&desk, FREE, json!({"recipient_user_ids": vec![user; 101]})).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "too_big");
}

#[tokio::test]
async fn what_a_put_cannot_keep_is_refused_and_nothing_is_written() {
    let desk = Desk::new().await;
    for body in [json!({"notify_all_members": "yes"}), json!({"colour": "red"}), json!({"signal_type": FREE})] {
        put(&desk, FREE, body).await.refused(400, "bad_request");
    }
    assert!(of(&list(&desk).await, FREE).is_null());
}

#[tokio::test]
async fn new_count_is_the_live_count_of_untriaged_signals_of_the_type() {
    let desk = Desk::new().await;
    let count = async || of(&list(&desk).await, TAKEN)["new_count"].clone();
    let path = format!("/signals/queue?signal_type={TAKEN}&status=new&limit=200");
    let page = desk.get(&key(&desk), &path).await.ok();
    let before = page["pagination"]["total"].as_i64().unwrap();
    assert!(before > 1 && count().await == before);
    let body = json!({"workspace_id": desk.id(0), "signal_ids": [page["signals"][0]["id"]], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", body).await.ok();
    assert_eq!(count().await, before - 1);
}

#[tokio::test]
async fn a_new_subscription_looks_back_14_days_by_discovery() {
    let desk = Desk::new().await;
    assert_eq!(queue(&desk, FREE).await, BTreeSet::new());
    let all = put(&desk, FREE, json!({})).await.ok();
    let found = queue(&desk, FREE).await;
    assert_eq!(found, recent(&desk, FREE).await);
    assert_eq!(of(&all, FREE)["new_count"], found.len());
    assert!(!found.is_empty());
}

#[tokio::test]
async fn a_put_on_a_subscription_never_resets_the_queue_watermark() {
    let desk = Desk::new().await;
    let before = queue(&desk, TAKEN).await;
    assert!(before.len() > recent(&desk, TAKEN).await.len(), "the queue goes back further than a new one would");
    for body in [json!({"priority": "low"}), json!({"priority": "high", "channels": ["email"]}), json!({})] {
        put(&desk, TAKEN, body).await.ok();
        assert_eq!(queue(&desk, TAKEN).await, before);
    }
}

#[tokio::test]
async fn a_delete_answers_the_remaining_subscriptions() {
    let desk = Desk::new().await;
    let mut expected = list(&desk).await;
    expected["subscriptions"].as_array_mut().unwrap().retain(|one| one["signal_type"] != TAKEN);
    assert_eq!(delete(&desk, TAKEN).await.ok(), expected);
    assert_eq!(list(&desk).await, expected);
}

#[tokio::test]
async fn after_a_delete_the_types_signals_leave_the_queue_at_once() {
    let desk = Desk::new().await;
    let counts = async || desk.get(&key(&desk), "/signals/queue/stats").await.ok();
    let (before, gone) = (counts().await, of(&list(&desk).await, TAKEN)["new_count"].as_i64().unwrap());
    assert!(!queue(&desk, TAKEN).await.is_empty());
    delete(&desk, TAKEN).await.ok();
    assert_eq!(queue(&desk, TAKEN).await, BTreeSet::new());
    let after = counts().await;
    assert_eq!(after["new_count"].as_i64().unwrap(), before["new_count"].as_i64().unwrap() - gone);
    assert!(!after["type_counts"].to_string().contains(TAKEN));
}

#[tokio::test]
async fn a_later_subscribe_starts_a_fresh_watermark() {
    let desk = Desk::new().await;
    let before = queue(&desk, TAKEN).await;
    delete(&desk, TAKEN).await.ok();
    put(&desk, TAKEN, json!({})).await.ok();
    let after = queue(&desk, TAKEN).await;
    assert_eq!(after, recent(&desk, TAKEN).await);
    assert!(after.len() < before.len());
}

#[tokio::test]
async fn triage_outlives_an_unsubscribe() {
    let desk = Desk::new().await;
    let one = recent(&desk, TAKEN).await.into_iter().next().unwrap();
    let body = json!({"workspace_id": desk.id(0), "signal_ids": [one], "status": "done"});
    desk.post(&desk.key(0), "/signals/triage", body).await.ok();
    delete(&desk, TAKEN).await.ok();
    put(&desk, TAKEN, json!({})).await.ok();
    let page = desk.get(&key(&desk), &format!("/signals/queue?signal_type={TAKEN}&status=done&limit=200")).await.ok();
    assert!(ids(&page["signals"]).contains(&one));
}

#[tokio::test]
async fn a_delete_of_a_type_that_is_not_subscribed_is_404_not_found_with_a_message() {
    let desk = Desk::new().await;
    let before = list(&desk).await;
    for signal_type in [FREE, "orbital_permit"] {
        let error = delete(&desk, signal_type).await.refused(404, "not_found");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(list(&desk).await, before);
    delete(&desk, TAKEN).await.ok();
    delete(&desk, TAKEN).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_key_without_the_scope_workspace_write_reads_only() {
    let desk = Desk::new().await;
    let reader = desk.reading_key(0);
    let body = json!({"workspace_id": desk.id(0), "priority": "high"});
    desk.put(&reader, &format!("/signal-subscriptions/{FREE}"), body).await.refused(403, "forbidden");
    desk.delete(&reader.naming(desk.id(0)), &format!("/signal-subscriptions/{TAKEN}")).await.refused(403, "forbidden");
    desk.get(&reader.naming(desk.id(0)), "/signal-subscriptions").await.ok();
}
