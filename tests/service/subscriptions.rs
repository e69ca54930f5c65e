//! Subscriptions (interface: Signal subscription; Workspace: signal subscriptions; States and
//! transitions).

use std::collections::BTreeSet;

use crate::fields::{FieldRow, assert_fields, ids};
use crate::signals::SIGNAL_TYPES;
use crate::support::{TestCaller, TestResponse, TestService};
use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

/// A type that the first workspace of the sample is not subscribed to, and one that it is
/// subscribed to.
const UNSUBSCRIBED_TYPE: &str = "environmental_review";
const SUBSCRIBED_TYPE: &str = "permit_issued";

const SUBSCRIPTION_FIELDS: [FieldRow; 8] = [
    ("signal_type", "string"),
    ("priority", "high|medium|low"),
    ("channels", "string[]"),
    ("notify_all_members", "boolean"),
    ("recipient_user_ids", "uuid[]"),
    ("new_count", "integer"),
    ("created_at", "moment"),
    ("updated_at", "moment"),
];

fn workspace_key(api: &TestService) -> TestCaller {
    api.api_key(0).with_workspace(api.workspace_id(0))
}

async fn put_subscription(api: &TestService, signal_type: &str, mut body: Value) -> TestResponse {
    body["workspace_id"] = json!(api.workspace_id(0));
    api.put(
        &api.api_key(0),
        &format!("/signal-subscriptions/{signal_type}"),
        body,
    )
    .await
}

async fn delete_subscription(api: &TestService, signal_type: &str) -> TestResponse {
    api.delete(
        &workspace_key(api),
        &format!("/signal-subscriptions/{signal_type}"),
    )
    .await
}

async fn list_subscriptions(api: &TestService) -> Value {
    api.get(&workspace_key(api), "/signal-subscriptions")
        .await
        .ok()
}

fn find_subscription<'a>(list: &'a Value, signal_type: &str) -> &'a Value {
    list["subscriptions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["signal_type"] == signal_type)
        .unwrap_or(&Value::Null)
}

/// The ids of a type's signals in the queue.
async fn queue_ids(api: &TestService, signal_type: &str) -> BTreeSet<String> {
    let page = api
        .get(
            &workspace_key(api),
            &format!("/signals/queue?signal_type={signal_type}&limit=200"),
        )
        .await
        .ok();
    ids(&page["signals"]).into_iter().collect()
}

/// The ids of a type's signals in the feed discovered within the last 14 days.
async fn recent_feed_ids(api: &TestService, signal_type: &str) -> BTreeSet<String> {
    let since = (Utc::now() - TimeDelta::days(14)).to_rfc3339_opts(SecondsFormat::Millis, true);
    let path = format!("/signals?signal_type={signal_type}&discovered_after={since}&limit=200");
    ids(&api.get(&workspace_key(api), &path).await.ok()["signals"])
        .into_iter()
        .collect()
}

#[tokio::test]
async fn a_subscription_has_the_fields_of_its_table() {
    let api = TestService::new().await;
    let all = list_subscriptions(&api).await;
    assert_eq!(
        all.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["subscriptions"]
    );
    for one in all["subscriptions"].as_array().unwrap() {
        assert_fields(one, &SUBSCRIPTION_FIELDS);
        assert!(
            SIGNAL_TYPES.contains(&one["signal_type"].as_str().unwrap()),
            "{one}"
        );
    }
}

#[tokio::test]
async fn the_list_has_only_the_subscribed_types() {
    let api = TestService::new().await;
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPE).is_null());
    put_subscription(&api, UNSUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    assert_eq!(
        find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPE)["signal_type"],
        UNSUBSCRIBED_TYPE
    );
    delete_subscription(&api, UNSUBSCRIBED_TYPE).await.ok();
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPE).is_null());
}

#[tokio::test]
async fn subscriptions_belong_to_their_workspace() {
    let api = TestService::new().await;
    let theirs = async || {
        api.get(
            &api.api_key(1).with_workspace(api.workspace_id(1)),
            "/signal-subscriptions",
        )
        .await
        .ok()
    };
    let before = theirs().await;
    put_subscription(&api, UNSUBSCRIBED_TYPE, json!({"priority": "high"}))
        .await
        .ok();
    let seen = api
        .get(&api.member_caller(0, 3), "/signal-subscriptions")
        .await
        .ok();
    assert_eq!(
        find_subscription(&seen, UNSUBSCRIBED_TYPE)["priority"],
        "high"
    );
    assert_eq!(theirs().await, before);
}

#[tokio::test]
async fn every_one_of_the_17_types_can_be_subscribed_to() {
    let api = TestService::new().await;
    for signal_type in SIGNAL_TYPES {
        let all = put_subscription(&api, signal_type, json!({"priority": "low"}))
            .await
            .ok();
        assert_eq!(
            find_subscription(&all, signal_type)["priority"],
            "low",
            "{signal_type}"
        );
    }
    assert_eq!(
        list_subscriptions(&api).await["subscriptions"]
            .as_array()
            .unwrap()
            .len(),
        17
    );
}

#[tokio::test]
async fn a_put_of_an_unknown_type_is_400() {
    let api = TestService::new().await;
    for odd in ["orbital_permit", "Permit_Issued", "permit_issued%20", "0"] {
        let error = put_subscription(&api, odd, json!({}))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["code"], "invalid_enum_value", "{odd}");
    }
}

#[tokio::test]
async fn a_put_returns_the_full_list_after_the_upsert() {
    let api = TestService::new().await;
    let answer = put_subscription(&api, UNSUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    assert_eq!(answer, list_subscriptions(&api).await);
    assert!(answer["subscriptions"].as_array().unwrap().len() > 1);
}

#[tokio::test]
async fn a_put_creates_with_medium_priority_and_no_channel_or_recipients() {
    let api = TestService::new().await;
    let all = put_subscription(&api, UNSUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    let made = find_subscription(&all, UNSUBSCRIBED_TYPE);
    let kept = |key: &str| made[key].clone();
    assert_eq!(kept("priority"), "medium");
    assert_eq!(
        (
            kept("channels"),
            kept("notify_all_members"),
            kept("recipient_user_ids")
        ),
        (json!([]), json!(false), json!([]))
    );
    assert_eq!(made["created_at"], made["updated_at"]);
}

#[tokio::test]
async fn a_put_applies_only_the_provided_fields() {
    let api = TestService::new().await;
    let user = api.workspace(0).members[2].user_id;
    let whole = json!({"priority": "low", "channels": ["email"], "notify_all_members": true, "recipient_user_ids": [user]});
    put_subscription(&api, UNSUBSCRIBED_TYPE, whole.clone())
        .await
        .ok();
    for (field, value) in [
        ("priority", json!("high")),
        ("channels", json!([])),
        ("notify_all_members", json!(false)),
        ("recipient_user_ids", json!([])),
    ] {
        let all = put_subscription(&api, UNSUBSCRIBED_TYPE, json!({ field: value }))
            .await
            .ok();
        for other in [
            "priority",
            "channels",
            "notify_all_members",
            "recipient_user_ids",
        ] {
            let expected = if other == field {
                &value
            } else {
                &whole[other]
            };
            assert_eq!(
                find_subscription(&all, UNSUBSCRIBED_TYPE)[other],
                *expected,
                "{other} after {field}"
            );
        }
        put_subscription(&api, UNSUBSCRIBED_TYPE, whole.clone())
            .await
            .ok();
    }
}

#[tokio::test]
async fn a_put_is_an_idempotent_upsert_keyed_by_the_type() {
    let api = TestService::new().await;
    let body = json!({"priority": "high", "channels": ["email"]});
    let once = put_subscription(&api, UNSUBSCRIBED_TYPE, body.clone())
        .await
        .ok();
    assert_eq!(
        put_subscription(&api, UNSUBSCRIBED_TYPE, body).await.ok(),
        once
    );
    let count = once["subscriptions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["signal_type"] == UNSUBSCRIBED_TYPE)
        .count();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_put_changes_updated_at_and_keeps_created_at() {
    let api = TestService::new().await;
    let before = list_subscriptions(&api).await;
    let after = put_subscription(&api, SUBSCRIBED_TYPE, json!({"priority": "low"}))
        .await
        .ok();
    let (before, after) = (
        find_subscription(&before, SUBSCRIBED_TYPE),
        find_subscription(&after, SUBSCRIBED_TYPE),
    );
    assert_eq!(before["created_at"], after["created_at"]);
    assert!(before["updated_at"].as_str() < after["updated_at"].as_str());
}

#[tokio::test]
async fn a_put_requires_workspace_id_in_the_body() {
    let api = TestService::new().await;
    for caller in [api.api_key(0), workspace_key(&api), api.member_caller(0, 0)] {
        let reply = api
            .put(
                &caller,
                &format!("/signal-subscriptions/{UNSUBSCRIBED_TYPE}"),
                json!({"priority": "low"}),
            )
            .await;
        assert_eq!(
            reply.expect_error(400, "bad_request")["issues"][0]["path"],
            json!(["workspace_id"])
        );
    }
}

#[tokio::test]
async fn the_priority_is_high_medium_or_low() {
    let api = TestService::new().await;
    for priority in ["high", "medium", "low"] {
        assert_eq!(
            find_subscription(
                &put_subscription(&api, UNSUBSCRIBED_TYPE, json!({"priority": priority}))
                    .await
                    .ok(),
                UNSUBSCRIBED_TYPE
            )["priority"],
            priority
        );
    }
    for odd in [json!("urgent"), json!("High"), json!(1), Value::Null] {
        put_subscription(&api, UNSUBSCRIBED_TYPE, json!({"priority": odd}))
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn only_the_email_channel_is_accepted() {
    let api = TestService::new().await;
    assert_eq!(
        find_subscription(
            &put_subscription(&api, UNSUBSCRIBED_TYPE, json!({"channels": ["email"]}))
                .await
                .ok(),
            UNSUBSCRIBED_TYPE
        )["channels"],
        json!(["email"])
    );
    for odd in [
        json!(["slack"]),
        json!(["email", "sms"]),
        json!("email"),
        json!(["Email"]),
        json!([1]),
    ] {
        put_subscription(&api, UNSUBSCRIBED_TYPE, json!({"channels": odd}))
            .await
            .expect_error(400, "bad_request");
    }
    assert_eq!(
        find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPE)["channels"],
        json!(["email"])
    );
}

#[tokio::test]
async fn recipients_must_be_members_of_the_workspace() {
    let api = TestService::new().await;
    let [member, stranger] = [0, 1].map(|nth| api.workspace(nth).members[2].user_id);
    put_subscription(
        &api,
        UNSUBSCRIBED_TYPE,
        json!({"recipient_user_ids": [member]}),
    )
    .await
    .ok();
    for odd in [
        json!([stranger]),
        json!([member, stranger]),
        json!([uuid::Uuid::nil()]),
        json!(["ana"]),
        json!(member),
    ] {
        put_subscription(
            &api,
            UNSUBSCRIBED_TYPE,
            json!({"recipient_user_ids": odd, "priority": "high"}),
        )
        .await
        .expect_error(400, "bad_request");
    }
    let all = list_subscriptions(&api).await;
    let kept = find_subscription(&all, UNSUBSCRIBED_TYPE);
    assert_eq!(
        (&kept["recipient_user_ids"], &kept["priority"]),
        (&json!([member]), &json!("medium")),
        "nothing changed"
    );
}

#[tokio::test]
async fn there_are_at_most_100_explicit_recipients() {
    let api = TestService::new().await;
    let user = api.workspace(0).members[1].user_id;
    let all = put_subscription(
        &api,
        UNSUBSCRIBED_TYPE,
        json!({"recipient_user_ids": vec![user; 100]}),
    )
    .await
    .ok();
    assert_eq!(
        find_subscription(&all, UNSUBSCRIBED_TYPE)["recipient_user_ids"],
        json!([user]),
        "each once"
    );
    let error = put_subscription(
        &api,
        UNSUBSCRIBED_TYPE,
        json!({"recipient_user_ids": vec![user; 101]}),
    )
    .await
    .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "too_big");
}

#[tokio::test]
async fn an_invalid_put_is_rejected_and_writes_nothing() {
    let api = TestService::new().await;
    for body in [
        json!({"notify_all_members": "yes"}),
        json!({"colour": "red"}),
        json!({"signal_type": UNSUBSCRIBED_TYPE}),
    ] {
        put_subscription(&api, UNSUBSCRIBED_TYPE, body)
            .await
            .expect_error(400, "bad_request");
    }
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPE).is_null());
}

#[tokio::test]
async fn new_count_is_the_live_count_of_untriaged_signals_of_the_type() {
    let api = TestService::new().await;
    let count = async || {
        find_subscription(&list_subscriptions(&api).await, SUBSCRIBED_TYPE)["new_count"].clone()
    };
    let path = format!("/signals/queue?signal_type={SUBSCRIBED_TYPE}&status=new&limit=200");
    let page = api.get(&workspace_key(&api), &path).await.ok();
    let before = page["pagination"]["total"].as_i64().unwrap();
    assert!(before > 1 && count().await == before);
    let body = json!({"workspace_id": api.workspace_id(0), "signal_ids": [page["signals"][0]["id"]], "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", body)
        .await
        .ok();
    assert_eq!(count().await, before - 1);
}

#[tokio::test]
async fn a_new_subscription_looks_back_14_days_by_discovery_date() {
    let api = TestService::new().await;
    assert_eq!(queue_ids(&api, UNSUBSCRIBED_TYPE).await, BTreeSet::new());
    let all = put_subscription(&api, UNSUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    let found = queue_ids(&api, UNSUBSCRIBED_TYPE).await;
    assert_eq!(found, recent_feed_ids(&api, UNSUBSCRIBED_TYPE).await);
    assert_eq!(
        find_subscription(&all, UNSUBSCRIBED_TYPE)["new_count"],
        found.len()
    );
    assert!(!found.is_empty());
}

#[tokio::test]
async fn a_put_on_a_subscription_never_resets_the_queue_watermark() {
    let api = TestService::new().await;
    let before = queue_ids(&api, SUBSCRIBED_TYPE).await;
    assert!(
        before.len() > recent_feed_ids(&api, SUBSCRIBED_TYPE).await.len(),
        "the queue goes back further than for a new subscription"
    );
    for body in [
        json!({"priority": "low"}),
        json!({"priority": "high", "channels": ["email"]}),
        json!({}),
    ] {
        put_subscription(&api, SUBSCRIBED_TYPE, body).await.ok();
        assert_eq!(queue_ids(&api, SUBSCRIBED_TYPE).await, before);
    }
}

#[tokio::test]
async fn a_delete_returns_the_remaining_subscriptions() {
    let api = TestService::new().await;
    let mut expected = list_subscriptions(&api).await;
    expected["subscriptions"]
        .as_array_mut()
        .unwrap()
        .retain(|one| one["signal_type"] != SUBSCRIBED_TYPE);
    assert_eq!(
        delete_subscription(&api, SUBSCRIBED_TYPE).await.ok(),
        expected
    );
    assert_eq!(list_subscriptions(&api).await, expected);
}

#[tokio::test]
async fn after_a_delete_the_types_signals_leave_the_queue_at_once() {
    let api = TestService::new().await;
    let counts = async || {
        api.get(&workspace_key(&api), "/signals/queue/stats")
            .await
            .ok()
    };
    let (before, gone) = (
        counts().await,
        find_subscription(&list_subscriptions(&api).await, SUBSCRIBED_TYPE)["new_count"]
            .as_i64()
            .unwrap(),
    );
    assert!(!queue_ids(&api, SUBSCRIBED_TYPE).await.is_empty());
    delete_subscription(&api, SUBSCRIBED_TYPE).await.ok();
    assert_eq!(queue_ids(&api, SUBSCRIBED_TYPE).await, BTreeSet::new());
    let after = counts().await;
    assert_eq!(
        after["new_count"].as_i64().unwrap(),
        before["new_count"].as_i64().unwrap() - gone
    );
    assert!(!after["type_counts"].to_string().contains(SUBSCRIBED_TYPE));
}

#[tokio::test]
async fn a_later_subscribe_starts_a_fresh_watermark() {
    let api = TestService::new().await;
    let before = queue_ids(&api, SUBSCRIBED_TYPE).await;
    delete_subscription(&api, SUBSCRIBED_TYPE).await.ok();
    put_subscription(&api, SUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    let after = queue_ids(&api, SUBSCRIBED_TYPE).await;
    assert_eq!(after, recent_feed_ids(&api, SUBSCRIBED_TYPE).await);
    assert!(after.len() < before.len());
}

#[tokio::test]
async fn triage_survives_an_unsubscribe() {
    let api = TestService::new().await;
    let one = recent_feed_ids(&api, SUBSCRIBED_TYPE)
        .await
        .into_iter()
        .next()
        .unwrap();
    let body = json!({"workspace_id": api.workspace_id(0), "signal_ids": [one], "status": "done"});
    api.post(&api.api_key(0), "/signals/triage", body)
        .await
        .ok();
    delete_subscription(&api, SUBSCRIBED_TYPE).await.ok();
    put_subscription(&api, SUBSCRIBED_TYPE, json!({}))
        .await
        .ok();
    let page = api
        .get(
            &workspace_key(&api),
            &format!("/signals/queue?signal_type={SUBSCRIBED_TYPE}&status=done&limit=200"),
        )
        .await
        .ok();
    assert!(ids(&page["signals"]).contains(&one));
}

#[tokio::test]
async fn deleting_an_unsubscribed_type_is_404_with_a_message() {
    let api = TestService::new().await;
    let before = list_subscriptions(&api).await;
    for signal_type in [UNSUBSCRIBED_TYPE, "orbital_permit"] {
        let error = delete_subscription(&api, signal_type)
            .await
            .expect_error(404, "not_found");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(list_subscriptions(&api).await, before);
    delete_subscription(&api, SUBSCRIBED_TYPE).await.ok();
    delete_subscription(&api, SUBSCRIBED_TYPE)
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn a_key_without_the_workspace_write_scope_only_reads() {
    let api = TestService::new().await;
    let reader = api.read_only_key(0);
    let body = json!({"workspace_id": api.workspace_id(0), "priority": "high"});
    api.put(
        &reader,
        &format!("/signal-subscriptions/{UNSUBSCRIBED_TYPE}"),
        body,
    )
    .await
    .expect_error(403, "forbidden");
    api.delete(
        &reader.with_workspace(api.workspace_id(0)),
        &format!("/signal-subscriptions/{SUBSCRIBED_TYPE}"),
    )
    .await
    .expect_error(403, "forbidden");
    api.get(
        &reader.with_workspace(api.workspace_id(0)),
        "/signal-subscriptions",
    )
    .await
    .ok();
}
