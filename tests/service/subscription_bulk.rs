//! Bulk subscriptions, and the family by id (interface: Workspace: signal subscriptions; decisions
//! 2.19).

use crate::fields::{assert_fields, ids};
use crate::signals::SIGNAL_TYPES;
use crate::support::{TestResponse, TestService};
use serde_json::{Value, json};

/// Types that the first workspace of the sample is not subscribed to.
const UNSUBSCRIBED_TYPES: [&str; 4] = [
    "environmental_review",
    "pre_application",
    "entitlement_denial",
    "expiration",
];
const SUBSCRIBED_TYPE: &str = "permit_issued";

async fn put_bulk(api: &TestService, entries: Value) -> TestResponse {
    let body = json!({"workspace_id": api.workspace_id(0), "subscriptions": entries});
    api.post(&api.api_key(0), "/signal-subscriptions/bulk", body)
        .await
}

async fn list_subscriptions(api: &TestService) -> Value {
    api.get(
        &api.api_key(0).with_workspace(api.workspace_id(0)),
        "/signal-subscriptions",
    )
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

#[tokio::test]
async fn bulk_returns_the_full_list_after_the_upsert() {
    let api = TestService::new().await;
    let answer = put_bulk(&api, json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}]))
        .await
        .ok();
    assert_eq!(answer, list_subscriptions(&api).await);
    assert_eq!(
        find_subscription(&answer, UNSUBSCRIBED_TYPES[0])["signal_type"],
        UNSUBSCRIBED_TYPES[0]
    );
}

#[tokio::test]
async fn bulk_creates_with_medium_priority_and_no_email_channel() {
    let api = TestService::new().await;
    let answer = put_bulk(
        &api,
        json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, {"signal_type": UNSUBSCRIBED_TYPES[1]}]),
    )
    .await
    .ok();
    for signal_type in &UNSUBSCRIBED_TYPES[..2] {
        let made = find_subscription(&answer, signal_type);
        let settings = (
            &made["priority"],
            &made["channels"],
            &made["notify_all_members"],
            &made["recipient_user_ids"],
        );
        assert_eq!(
            settings,
            (&json!("medium"), &json!([]), &json!(false), &json!([])),
            "{signal_type}"
        );
    }
}

#[tokio::test]
async fn bulk_creates_with_the_given_priority() {
    let api = TestService::new().await;
    let entries = json!([{"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "high"}, {"signal_type": UNSUBSCRIBED_TYPES[1], "priority": "low"}]);
    let answer = put_bulk(&api, entries).await.ok();
    assert_eq!(
        (
            &find_subscription(&answer, UNSUBSCRIBED_TYPES[0])["priority"],
            &find_subscription(&answer, UNSUBSCRIBED_TYPES[1])["priority"]
        ),
        (&json!("high"), &json!("low"))
    );
}

#[tokio::test]
async fn bulk_created_subscriptions_look_back_14_days() {
    let api = TestService::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let answer = put_bulk(&api, json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}]))
        .await
        .ok();
    let since = (chrono::Utc::now() - chrono::TimeDelta::days(14))
        .to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let feed = api
        .get(
            &key,
            &format!(
                "/signals?signal_type={}&discovered_after={since}&limit=200",
                UNSUBSCRIBED_TYPES[0]
            ),
        )
        .await
        .ok();
    let count = ids(&feed["signals"]).len();
    assert!(count > 0);
    assert_eq!(
        find_subscription(&answer, UNSUBSCRIBED_TYPES[0])["new_count"],
        count
    );
}

#[tokio::test]
async fn bulk_changes_only_the_priority_of_existing_subscriptions() {
    let api = TestService::new().await;
    let before = list_subscriptions(&api).await;
    let answer = put_bulk(
        &api,
        json!([{"signal_type": SUBSCRIBED_TYPE, "priority": "low"}]),
    )
    .await
    .ok();
    let (before, after) = (
        find_subscription(&before, SUBSCRIBED_TYPE),
        find_subscription(&answer, SUBSCRIBED_TYPE),
    );
    assert_eq!(
        (&before["priority"], &after["priority"]),
        (&json!("high"), &json!("low"))
    );
    assert_eq!(before["channels"], json!(["email"]));
    for field in [
        "channels",
        "notify_all_members",
        "recipient_user_ids",
        "new_count",
        "created_at",
    ] {
        assert_eq!(before[field], after[field], "{field}");
    }
}

#[tokio::test]
async fn bulk_without_a_priority_applies_medium_to_existing_items_too() {
    let api = TestService::new().await;
    assert_eq!(
        find_subscription(
            &put_bulk(&api, json!([{"signal_type": SUBSCRIBED_TYPE}]))
                .await
                .ok(),
            SUBSCRIBED_TYPE
        )["priority"],
        "medium"
    );
}

#[tokio::test]
async fn bulk_leaves_unlisted_types_untouched() {
    let api = TestService::new().await;
    let before = list_subscriptions(&api).await;
    let mut answer = put_bulk(&api, json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}]))
        .await
        .ok();
    answer["subscriptions"]
        .as_array_mut()
        .unwrap()
        .retain(|one| one["signal_type"] != UNSUBSCRIBED_TYPES[0]);
    assert_eq!(answer, before);
}

#[tokio::test]
async fn bulk_is_transactional() {
    let api = TestService::new().await;
    let before = list_subscriptions(&api).await;
    for (what, entries) in [
        (
            "an unknown type after a good one",
            json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, {"signal_type": "odd"}]),
        ),
        (
            "a bad priority",
            json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, {"signal_type": SUBSCRIBED_TYPE, "priority": "urgent"}]),
        ),
        (
            "no type",
            json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, {"priority": "low"}]),
        ),
        (
            "another field",
            json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, {"signal_type": SUBSCRIBED_TYPE, "channels": []}]),
        ),
        (
            "no object",
            json!([{"signal_type": UNSUBSCRIBED_TYPES[0]}, 7]),
        ),
    ] {
        assert_eq!(put_bulk(&api, entries).await.status, 400, "{what}");
        assert_eq!(list_subscriptions(&api).await, before, "{what}");
    }
}

#[tokio::test]
async fn bulk_takes_1_to_14_entries() {
    let api = TestService::new().await;
    let entries = |count: usize| {
        SIGNAL_TYPES[..count]
            .iter()
            .map(|word| json!({"signal_type": word}))
            .collect::<Value>()
    };
    for (count, issue) in [(0, "too_small"), (15, "too_big"), (17, "too_big")] {
        let error = put_bulk(&api, entries(count))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            (&error["issues"][0]["code"], &error["issues"][0]["path"]),
            (&json!(issue), &json!(["subscriptions"]))
        );
    }
    for count in [1, 14] {
        let answer = put_bulk(&api, entries(count)).await.ok();
        assert!(
            SIGNAL_TYPES[..count]
                .iter()
                .all(|word| find_subscription(&answer, word)["priority"] == "medium"),
            "{count}"
        );
    }
}

#[tokio::test]
async fn bulk_accepts_each_type_once() {
    let api = TestService::new().await;
    let twice = json!([{"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "low"}, {"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "high"}]);
    let error = put_bulk(&api, twice).await.expect_error(400, "bad_request");
    assert_eq!(
        error["issues"][0]["path"],
        json!(["subscriptions", 1, "signal_type"])
    );
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPES[0]).is_null());
}

#[tokio::test]
async fn bulk_never_resets_existing_watermarks() {
    let api = TestService::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(0));
    let total = async || {
        let page = api
            .get(
                &key,
                &format!("/signals/queue?signal_type={SUBSCRIBED_TYPE}"),
            )
            .await
            .ok();
        page["pagination"]["total"].clone()
    };
    let before = total().await;
    put_bulk(
        &api,
        json!([{"signal_type": SUBSCRIBED_TYPE, "priority": "low"}]),
    )
    .await
    .ok();
    assert_eq!(total().await, before);
}

#[tokio::test]
async fn bulk_requires_workspace_id_in_the_body() {
    let api = TestService::new().await;
    let body = json!({"subscriptions": [{"signal_type": UNSUBSCRIBED_TYPES[0]}]});
    let error = api
        .post(
            &api.api_key(0).with_workspace(api.workspace_id(0)),
            "/signal-subscriptions/bulk",
            body,
        )
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["workspace_id"]));
}

async fn upsert_subscription(api: &TestService, body: Value) -> TestResponse {
    api.post(
        &api.api_key(0),
        "/workspace/signal-subscriptions/upsert",
        body,
    )
    .await
}

#[tokio::test]
async fn the_prefixed_family_lists_the_same_subscriptions_with_their_ids() {
    let api = TestService::new().await;
    let reply = api
        .get(&api.api_key(0), "/workspace/signal-subscriptions")
        .await
        .ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    let mut shown = reply["data"]["subscriptions"].clone();
    for one in shown.as_array_mut().unwrap() {
        let id = one.as_object_mut().unwrap().remove("id").unwrap();
        assert_fields(&json!({"id": id}), &[("id", "uuid")]);
    }
    assert_eq!(
        json!({"subscriptions": shown}),
        list_subscriptions(&api).await
    );
}

#[tokio::test]
async fn the_prefixed_upsert_takes_the_type_in_the_body_and_returns_the_subscription() {
    let api = TestService::new().await;
    let made = upsert_subscription(
        &api,
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "high", "channels": ["email"]}),
    )
    .await
    .ok();
    assert_eq!(made["metadata"], json!({"credits": 0}));
    let again = upsert_subscription(
        &api,
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "low"}),
    )
    .await
    .ok()["data"]
        .clone();
    assert_eq!(
        (&again["id"], &again["channels"]),
        (&made["data"]["id"], &json!(["email"])),
        "only the given fields change"
    );
    assert_eq!(again["priority"], "low");
    assert_eq!(
        find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPES[0])["priority"],
        "low",
        "both families return the same subscription"
    );
}

#[tokio::test]
async fn the_prefixed_upsert_rejects_what_the_put_rejects() {
    let api = TestService::new().await;
    let stranger = api.workspace(1).members[0].user_id;
    for body in [
        json!({}),
        json!({"signal_type": "odd"}),
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "priority": "urgent"}),
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "channels": ["sms"]}),
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "recipient_user_ids": [stranger]}),
        json!({"signal_type": UNSUBSCRIBED_TYPES[0], "id": stranger}),
    ] {
        upsert_subscription(&api, body)
            .await
            .expect_error(400, "bad_request");
    }
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPES[0]).is_null());
}

#[tokio::test]
async fn the_prefixed_delete_goes_by_id() {
    let api = TestService::new().await;
    let id = upsert_subscription(&api, json!({"signal_type": UNSUBSCRIBED_TYPES[0]}))
        .await
        .ok()["data"]["id"]
        .clone();
    let path = format!("/workspace/signal-subscriptions/{}", id.as_str().unwrap());
    api.delete(&api.api_key(1), &path)
        .await
        .expect_error(404, "not_found");
    api.delete(
        &api.api_key(0),
        &format!("/workspace/signal-subscriptions/{}", UNSUBSCRIBED_TYPES[0]),
    )
    .await
    .expect_error(404, "not_found");
    let reply = api.delete(&api.api_key(0), &path).await.ok();
    assert_eq!(
        reply,
        json!({"data": {"deleted": true, "id": id}, "metadata": {"credits": 0}})
    );
    assert!(find_subscription(&list_subscriptions(&api).await, UNSUBSCRIBED_TYPES[0]).is_null());
    api.delete(&api.api_key(0), &path)
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn the_prefixed_delete_removes_the_types_signals_from_the_queue() {
    let api = TestService::new().await;
    let id = upsert_subscription(&api, json!({"signal_type": SUBSCRIBED_TYPE}))
        .await
        .ok()["data"]["id"]
        .clone();
    api.delete(
        &api.api_key(0),
        &format!("/workspace/signal-subscriptions/{}", id.as_str().unwrap()),
    )
    .await
    .ok();
    let page = api
        .get(
            &api.api_key(0).with_workspace(api.workspace_id(0)),
            &format!("/signals/queue?signal_type={SUBSCRIBED_TYPE}"),
        )
        .await
        .ok();
    assert_eq!(page["pagination"]["total"], 0);
}
