//! Invitations (interface: Invitation; Workspace: members and invitations; States and transitions;
//! decisions 2.10).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestService};
use serde_json::{Value, json};

async fn invite(api: &TestService, email: &str) -> Value {
    let mut invited = api
        .post(
            &api.api_key(0),
            "/workspace/invitations",
            json!({"email": email}),
        )
        .await
        .ok()["data"]
        .clone();
    drop_join_code(&mut invited);
    invited
}

/// Removes the code, which only the response to the creation has.
fn drop_join_code(invitation: &mut Value) {
    let code = invitation.as_object_mut().unwrap().remove("join_code");
    assert!(code.unwrap().as_str().unwrap().starts_with("gj_"));
}

async fn list_invitations(api: &TestService, query: &str) -> Vec<Value> {
    let body = api
        .get(&api.api_key(0), &format!("/workspace/invitations{query}"))
        .await
        .ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    body["data"]["invitations"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_invitation_is_created_pending_with_all_its_fields() {
    let api = TestService::new().await;
    let body = json!({"email": " Sam@Northline.example ", "role": "admin"});
    let mut invitation = api
        .post(&api.member_caller(0, 1), "/workspace/invitations", body)
        .await
        .ok()["data"]
        .clone();
    drop_join_code(&mut invitation);
    assert_eq!(invitation["email"], "sam@northline.example");
    assert_eq!(
        (&invitation["role"], &invitation["status"]),
        (&json!("admin"), &json!("pending"))
    );
    assert_eq!(
        invitation["invited_by"],
        json!(api.workspace(0).members[1].user_id)
    );
    assert_eq!(
        (&invitation["accepted_at"], &invitation["revoked_at"]),
        (&Value::Null, &Value::Null)
    );
    let moment = |key: &str| {
        invitation[key]
            .as_str()
            .unwrap()
            .parse::<chrono::DateTime<chrono::Utc>>()
            .unwrap()
    };
    assert_eq!((moment("expires_at") - moment("created_at")).num_days(), 14);
    assert_eq!(
        invite(&api, "lee@northline.example").await["role"],
        "member"
    );
    assert_eq!(list_invitations(&api, "").await[1], invitation);
}

#[tokio::test]
async fn inviting_a_member_or_pending_address_is_409_already_exists() {
    let api = TestService::new().await;
    let known = api.workspace(0).members[2].email.to_uppercase();
    let invite_again = async |email: &str| {
        api.post(
            &api.api_key(0),
            "/workspace/invitations",
            json!({"email": email}),
        )
        .await
    };
    invite_again(&known)
        .await
        .expect_error(409, "already_exists");
    let id = invite(&api, "sam@northline.example").await["id"].clone();
    invite_again("SAM@northline.example")
        .await
        .expect_error(409, "already_exists");
    invite(&api, "Éva@northline.example").await;
    invite_again("éVA@northline.example")
        .await
        .expect_error(409, "already_exists");
    let member = uuid::Uuid::parse_str(&api.workspace(0).members[2].user_id.to_string()).unwrap();
    let rename = "UPDATE users SET email = 'ÉLAN@northline.example' WHERE id = ?1";
    assert_eq!(
        api.with_database(|conn| conn.execute(rename, [member]).unwrap()),
        1
    );
    invite_again("élan@northline.example")
        .await
        .expect_error(409, "already_exists");
    // another workspace's invitations and members are its own
    let other = json!({"email": "sam@northline.example"});
    api.post(&api.api_key(1), "/workspace/invitations", other)
        .await
        .ok();
    // a revoked address can be invited again
    api.delete(
        &api.api_key(0),
        &format!("/workspace/invitations/{}", id.as_str().unwrap()),
    )
    .await
    .ok();
    invite_again("sam@northline.example").await.ok();
}

#[tokio::test]
async fn invitations_are_listed_newest_first_in_all_states_or_by_status() {
    let api = TestService::new().await;
    let before = list_invitations(&api, "").await.len();
    let ids = [
        invite(&api, "a@northline.example").await,
        invite(&api, "b@northline.example").await,
    ]
    .map(|i| i["id"].clone());
    api.delete(
        &api.api_key(0),
        &format!("/workspace/invitations/{}", ids[0].as_str().unwrap()),
    )
    .await
    .ok();
    let all = list_invitations(&api, "").await;
    assert_eq!(all.len(), before + 2);
    assert_eq!([&all[0]["id"], &all[1]["id"]], [&ids[1], &ids[0]]);
    assert!(all.is_sorted_by(|a, b| a["created_at"].as_str() >= b["created_at"].as_str()));
    let mut counted = 0;
    for status in ["pending", "accepted", "revoked", "expired"] {
        let some = list_invitations(&api, &format!("?status={status}")).await;
        assert!(
            some.iter().all(|invitation| invitation["status"] == status),
            "{status}"
        );
        counted += some.len();
    }
    assert_eq!(counted, all.len());
    assert_eq!(
        list_invitations(&api, "?status=revoked").await[0]["id"],
        ids[0]
    );
    let error = api
        .get(&api.api_key(0), "/workspace/invitations?status=gone")
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
}

#[tokio::test]
async fn revoking_sets_revoked_at_and_returns_the_address() {
    let api = TestService::new().await;
    let invitation = invite(&api, "sam@northline.example").await;
    let path = format!(
        "/workspace/invitations/{}",
        invitation["id"].as_str().unwrap()
    );
    let body = api.delete(&api.api_key(0), &path).await.ok();
    let answer = json!({"deleted": true, "id": invitation["id"], "email": "sam@northline.example"});
    assert_eq!(body, json!({"data": answer, "metadata": {"credits": 0}}));
    let kept = list_invitations(&api, "?status=revoked").await;
    assert!(kept[0]["revoked_at"].is_string());
}

#[tokio::test]
async fn an_invitation_that_is_not_pending_in_this_workspace_is_404() {
    let api = TestService::new().await;
    let path = |invitation: &Value| {
        format!(
            "/workspace/invitations/{}",
            invitation["id"].as_str().unwrap()
        )
    };
    let invitation = invite(&api, "sam@northline.example").await;
    // of another workspace
    api.delete(&api.api_key(1), &path(&invitation))
        .await
        .expect_error(404, "not_found");
    // revoked
    api.delete(&api.api_key(0), &path(&invitation)).await.ok();
    api.delete(&api.api_key(0), &path(&invitation))
        .await
        .expect_error(404, "not_found");
    // accepted: the sample contains one
    for accepted in list_invitations(&api, "?status=accepted").await {
        api.delete(&api.api_key(0), &path(&accepted))
            .await
            .expect_error(404, "not_found");
    }
    // missing
    for id in ["00000000-0000-4000-8000-000000000000", "nothing"] {
        api.delete(&api.api_key(0), &format!("/workspace/invitations/{id}"))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn an_invalid_address_or_role_is_rejected_with_its_issue() {
    let api = TestService::new().await;
    for email in [
        "",
        "sam",
        "sam@",
        "@x.example",
        "sam@x",
        "a@b@c.example",
        "sam lee@x.example",
        "a\r\nBcc: b@x.example",
        "<a@x.example>",
    ]
    .into_iter()
    .chain([
        "sam\u{202e}eel@x.example",
        "\u{2066}sam@x.example",
        "sam\u{200f}@x.example",
        "sa\u{200b}m@x.example",
        "sam\0@x.example",
    ]) {
        let error = api
            .post(
                &api.api_key(0),
                "/workspace/invitations",
                json!({"email": email}),
            )
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["email"]), "{email:?}");
    }
    let owner = json!({"email": "sam@x.example", "role": "owner"});
    let error = api
        .post(&api.api_key(0), "/workspace/invitations", owner)
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["allowed"], json!(["admin", "member"]));
    api.post(&api.api_key(0), "/workspace/invitations", json!({}))
        .await
        .expect_error(400, "bad_request");
}

#[tokio::test]
async fn an_expired_invitations_address_can_be_invited_again() {
    let folder = tempfile::tempdir().unwrap();
    let begin: chrono::DateTime<chrono::Utc> = "2026-03-01T09:00:00Z".parse().unwrap();
    let options = |days| gantry::service::ServiceOptions {
        data: gantry::service::Storage::File(folder.path().join("gantry.db")),
        projects: 20,
        as_of: Some(begin + chrono::TimeDelta::days(days)),
        ..Default::default()
    };
    let api = TestService::with_options(options(0)).await;
    let id = invite(&api, "sam@northline.example").await["id"].clone();
    api.service.stop().await;

    let api = TestService::with_options(options(15)).await;
    assert_eq!(list_invitations(&api, "?status=expired").await[0]["id"], id);
    let again = invite(&api, "sam@northline.example").await;
    assert_eq!(again["status"], "pending");
    api.service.stop().await;
}

fn invitation_path(invitation: &Value) -> String {
    format!(
        "/workspace/invitations/{}",
        invitation["id"].as_str().unwrap()
    )
}

#[tokio::test]
async fn an_invitation_has_the_fields_of_its_table() {
    let api = TestService::new().await;
    let all = list_invitations(&api, "").await;
    assert!(all.len() >= 4);
    for invitation in all {
        let table = [
            ("id", "uuid"),
            ("email", "string"),
            ("role", "admin|member"),
            ("status", "pending|accepted|revoked|expired"),
            ("invited_by", "string"),
            ("created_at", "moment"),
            ("expires_at", "moment"),
            ("accepted_at", "moment?"),
            ("revoked_at", "moment?"),
        ];
        assert_fields(&invitation, &table);
        assert_eq!(
            invitation["revoked_at"].is_string(),
            invitation["status"] == "revoked",
            "{invitation}"
        );
        assert_eq!(
            invitation["accepted_at"].is_string(),
            invitation["status"] == "accepted",
            "{invitation}"
        );
    }
}

#[tokio::test]
async fn only_owner_admin_and_key_can_revoke_a_pending_invitation() {
    let api = TestService::new().await;
    let callers: [(&str, TestCaller, u16); 5] = [
        ("owner", api.member_caller(0, 0), 200),
        ("admin", api.member_caller(0, 1), 200),
        ("key", api.api_key(0), 200),
        ("member", api.member_caller(0, 2), 403),
        ("reading key", api.read_only_key(0), 403),
    ];
    for (nth, (who, caller, status)) in callers.into_iter().enumerate() {
        let invitation = invite(&api, &format!("sam{nth}@northline.example")).await;
        let reply = api.delete(&caller, &invitation_path(&invitation)).await;
        assert_eq!(reply.status, status, "{who} {}", reply.text);
        let state = if status == 200 { "revoked" } else { "pending" };
        let kept = list_invitations(&api, "")
            .await
            .into_iter()
            .find(|one| one["id"] == invitation["id"])
            .unwrap();
        assert_eq!(kept["status"], state, "{who}");
    }
}

#[tokio::test]
async fn a_revoked_invitation_keeps_its_record_with_revoked_at_set() {
    let api = TestService::new().await;
    let before = invite(&api, "sam@northline.example").await;
    api.delete(&api.api_key(0), &invitation_path(&before))
        .await
        .ok();
    let mut after = list_invitations(&api, "")
        .await
        .into_iter()
        .find(|one| one["id"] == before["id"])
        .unwrap();
    assert!(after["revoked_at"].as_str() >= before["created_at"].as_str());
    after["revoked_at"] = Value::Null;
    after["status"] = json!("pending");
    assert_eq!(after, before, "nothing else changes");
}

#[tokio::test]
async fn deleting_an_accepted_or_revoked_invitation_is_404_and_changes_nothing() {
    let api = TestService::new().await;
    let before = list_invitations(&api, "").await;
    for status in ["accepted", "revoked"] {
        let closed: Vec<_> = before
            .iter()
            .filter(|one| one["status"] == status)
            .collect();
        assert!(!closed.is_empty(), "{status}");
        for invitation in closed {
            api.delete(&api.api_key(0), &invitation_path(invitation))
                .await
                .expect_error(404, "not_found");
        }
    }
    assert_eq!(list_invitations(&api, "").await, before);
}

#[tokio::test]
async fn an_invitation_does_not_make_a_member() {
    let api = TestService::new().await;
    let members = async || api.get(&api.api_key(0), "/workspace/members").await.ok();
    let before = members().await;
    invite(&api, "sam@northline.example").await;
    assert_eq!(members().await, before);
}

#[tokio::test]
async fn an_invitation_body_accepts_only_email_and_role() {
    let api = TestService::new().await;
    for body in [
        json!({"email": "a@x.example", "name": "A"}),
        json!({"email": ["a@x.example"]}),
        json!({"email": "a@x.example", "role": null}),
        json!({"email": "a@x.example", "role": "boss"}),
        json!([]),
    ] {
        api.post(&api.api_key(0), "/workspace/invitations", body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn an_address_has_at_most_254_characters() {
    let api = TestService::new().await;
    invite(&api, "o'neil+permits@sub-domain.example").await;
    let long = format!("{}@x.example", "a".repeat(254));
    api.post(
        &api.api_key(0),
        "/workspace/invitations",
        json!({"email": long}),
    )
    .await
    .expect_error(400, "bad_request");
}

#[tokio::test]
async fn invitations_belong_to_their_workspace() {
    let api = TestService::new().await;
    let invitation = invite(&api, "sam@northline.example").await;
    let theirs = api
        .get(&api.api_key(1), "/workspace/invitations")
        .await
        .ok();
    assert!(
        !theirs
            .to_string()
            .contains(invitation["id"].as_str().unwrap())
    );
}
