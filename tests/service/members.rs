//! Members and invitations (interface: Workspace: members and invitations; decisions 2.9 and 2.10).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::support::{Caller, Desk, Said};
use serde_json::{Value, json};

fn member(desk: &Desk, nth: usize) -> String {
    format!("/workspace/members/{}", desk.workspace(0).members[nth].user_id)
}

async fn roles(desk: &Desk) -> Vec<String> {
    let body = desk.get(&desk.key(0), "/workspace/members").await.ok();
    let members = body["data"]["members"].as_array().unwrap();
    members.iter().map(|member| member["role"].as_str().unwrap().to_owned()).collect()
}

async fn patch(desk: &Desk, caller: &Caller, path: &str, body: Value) -> Said {
    desk.ask(caller, "PATCH", path, Some(body.to_string())).await
}

#[tokio::test]
async fn a_member_patch_changes_the_role_and_returns_the_member() {
    let desk = Desk::new().await;
    let body = patch(&desk, &desk.user(0, 0), &member(&desk, 2), json!({"role": "admin"})).await.ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    assert_eq!(body["data"]["id"], json!(desk.workspace(0).members[2].user_id));
    assert_eq!(body["data"]["role"], "admin");
    let mut keys: Vec<_> = body["data"].as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["avatar_object_key", "display_name", "email", "first_name", "id", "joined_at", "last_active_at", "role"]);
    assert_eq!(roles(&desk).await[2], "admin");
    // the promoted member may do what admins may
    desk.get(&desk.user(0, 2), "/workspace/invitations").await.ok();
}

#[tokio::test]
async fn a_member_delete_ends_the_membership_at_once() {
    let desk = Desk::new().await;
    let before = roles(&desk).await.len();
    let body = desk.delete(&desk.user(0, 1), &member(&desk, 3)).await.ok();
    assert_eq!(body, json!({"data": {"deleted": true, "id": desk.workspace(0).members[3].user_id}, "metadata": {"credits": 0}}));
    assert_eq!(roles(&desk).await.len(), before - 1);
    desk.get(&desk.user(0, 3), "/workspace").await.refused(403, "forbidden");
    desk.delete(&desk.user(0, 1), &member(&desk, 3)).await.refused(404, "not_found");
}

#[tokio::test]
async fn members_and_invitations_are_administered_by_owners_admins_and_keys_only() {
    let desk = Desk::new().await;
    let plain = desk.user(0, 2);
    patch(&desk, &plain, &member(&desk, 3), json!({"role": "admin"})).await.refused(403, "forbidden");
    desk.delete(&plain, &member(&desk, 3)).await.refused(403, "forbidden");
    desk.post(&plain, "/workspace/invitations", json!({"email": "new@northline.example"})).await.refused(403, "forbidden");
    desk.get(&plain, "/workspace/invitations").await.refused(403, "forbidden");
    // the role is asked before the record, and before the body
    let nobody = "00000000-0000-4000-8000-000000000000";
    desk.delete(&plain, &format!("/workspace/invitations/{nobody}")).await.refused(403, "forbidden");
    patch(&desk, &plain, &format!("/workspace/members/{nobody}"), json!("?")).await.refused(403, "forbidden");
    // a key counts as an admin, one that may only read does not write
    patch(&desk, &desk.key(0), &member(&desk, 3), json!({"role": "admin"})).await.ok();
    patch(&desk, &desk.reading_key(0), &member(&desk, 3), json!({"role": "member"})).await.refused(403, "forbidden");
    desk.get(&desk.reading_key(0), "/workspace/invitations").await.ok();
}

#[tokio::test]
async fn only_owners_touch_owners() {
    let desk = Desk::new().await;
    for caller in [desk.user(0, 1), desk.key(0)] {
        patch(&desk, &caller, &member(&desk, 0), json!({"role": "member"})).await.refused(403, "forbidden");
        desk.delete(&caller, &member(&desk, 0)).await.refused(403, "forbidden");
        patch(&desk, &caller, &member(&desk, 2), json!({"role": "owner"})).await.refused(403, "forbidden");
    }
    patch(&desk, &desk.user(0, 0), &member(&desk, 1), json!({"role": "owner"})).await.ok();
    patch(&desk, &desk.user(0, 1), &member(&desk, 0), json!({"role": "admin"})).await.ok();
    assert_eq!(roles(&desk).await[..2], ["admin", "owner"]);
}

#[tokio::test]
async fn the_last_owner_stays() {
    let desk = Desk::new().await;
    let owner = desk.user(0, 0);
    patch(&desk, &owner, &member(&desk, 0), json!({"role": "admin"})).await.refused(400, "bad_request");
    desk.delete(&owner, &member(&desk, 0)).await.refused(400, "bad_request");
    patch(&desk, &owner, &member(&desk, 0), json!({"role": "owner"})).await.ok();
    patch(&desk, &owner, &member(&desk, 1), json!({"role": "owner"})).await.ok();
    desk.delete(&owner, &member(&desk, 0)).await.ok();
}

#[tokio::test]
async fn an_unknown_user_is_404_and_a_malformed_body_is_400() {
    let desk = Desk::new().await;
    let stranger = format!("/workspace/members/{}", desk.workspace(1).members[3].user_id);
    for path in [&stranger, "/workspace/members/00000000-0000-4000-8000-000000000000", "/workspace/members/nobody"] {
        patch(&desk, &desk.key(0), path, json!({"role": "admin"})).await.refused(404, "not_found");
        desk.delete(&desk.key(0), path).await.refused(404, "not_found");
    }
    let path = member(&desk, 2);
    let error = patch(&desk, &desk.key(0), &path, json!({"role": "boss"})).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(error["issues"][0]["allowed"], json!(["owner", "admin", "member"]));
    for body in [json!({}), json!({"role": "admin", "x": 1}), json!([]), json!({"role": 1})] {
        patch(&desk, &desk.key(0), &path, body).await.refused(400, "bad_request");
    }
}

async fn invite(desk: &Desk, email: &str) -> Value {
    desk.post(&desk.key(0), "/workspace/invitations", json!({"email": email})).await.ok()["data"].clone()
}

async fn listed(desk: &Desk, query: &str) -> Vec<Value> {
    let body = desk.get(&desk.key(0), &format!("/workspace/invitations{query}")).await.ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    body["data"]["invitations"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_invitation_is_created_pending_and_says_all_of_its_fields() {
    let desk = Desk::new().await;
    let body = json!({"email": " Sam@Northline.example ", "role": "admin"});
    let invitation = desk.post(&desk.user(0, 1), "/workspace/invitations", body).await.ok()["data"].clone();
    assert_eq!(invitation["email"], "sam@northline.example");
    assert_eq!((&invitation["role"], &invitation["status"]), (&json!("admin"), &json!("pending")));
    assert_eq!(invitation["invited_by"], json!(desk.workspace(0).members[1].user_id));
    assert_eq!((&invitation["accepted_at"], &invitation["revoked_at"]), (&Value::Null, &Value::Null));
    let moment = |key: &str| invitation[key].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    assert_eq!((moment("expires_at") - moment("created_at")).num_days(), 14);
    assert_eq!(invite(&desk, "lee@northline.example").await["role"], "member");
    assert_eq!(listed(&desk, "").await[1], invitation);
}

#[tokio::test]
async fn a_members_or_pending_address_again_is_409_already_exists() {
    let desk = Desk::new().await;
    let known = desk.workspace(0).members[2].email.to_uppercase();
    let invite_again = async |email: &str| desk.post(&desk.key(0), "/workspace/invitations", json!({"email": email})).await;
    invite_again(&known).await.refused(409, "already_exists");
    let id = invite(&desk, "sam@northline.example").await["id"].clone();
    invite_again("SAM@northline.example").await.refused(409, "already_exists");
    // another workspace's invitations and members are its own
    let other = json!({"email": "sam@northline.example"});
    desk.post(&desk.key(1), "/workspace/invitations", other).await.ok();
    // what was revoked may be asked again
    desk.delete(&desk.key(0), &format!("/workspace/invitations/{}", id.as_str().unwrap())).await.ok();
    invite_again("sam@northline.example").await.ok();
}

#[tokio::test]
async fn invitations_are_listed_newest_first_in_all_states_or_by_status() {
    let desk = Desk::new().await;
    let before = listed(&desk, "").await.len();
    let ids = [invite(&desk, "a@northline.example").await, invite(&desk, "b@northline.example").await].map(|i| i["id"].clone());
    desk.delete(&desk.key(0), &format!("/workspace/invitations/{}", ids[0].as_str().unwrap())).await.ok();
    let all = listed(&desk, "").await;
    assert_eq!(all.len(), before + 2);
    assert_eq!([&all[0]["id"], &all[1]["id"]], [&ids[1], &ids[0]]);
    assert!(all.is_sorted_by(|a, b| a["created_at"].as_str() >= b["created_at"].as_str()));
    let mut counted = 0;
    for status in ["pending", "accepted", "revoked", "expired"] {
        let some = listed(&desk, &format!("?status={status}")).await;
        assert!(some.iter().all(|invitation| invitation["status"] == status), "{status}");
        counted += some.len();
    }
    assert_eq!(counted, all.len());
    assert_eq!(listed(&desk, "?status=revoked").await[0]["id"], ids[0]);
    let error = desk.get(&desk.key(0), "/workspace/invitations?status=gone").await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
}

#[tokio::test]
async fn revoking_keeps_the_record_sets_revoked_at_and_answers_the_address() {
    let desk = Desk::new().await;
    let invitation = invite(&desk, "sam@northline.example").await;
    let path = format!("/workspace/invitations/{}", invitation["id"].as_str().unwrap());
    let body = desk.delete(&desk.key(0), &path).await.ok();
    let answer = json!({"deleted": true, "id": invitation["id"], "email": "sam@northline.example"});
    assert_eq!(body, json!({"data": answer, "metadata": {"credits": 0}}));
    let kept = listed(&desk, "?status=revoked").await;
    assert!(kept[0]["revoked_at"].is_string());
}

#[tokio::test]
async fn an_invitation_that_is_not_open_here_is_404() {
    let desk = Desk::new().await;
    let path = |invitation: &Value| format!("/workspace/invitations/{}", invitation["id"].as_str().unwrap());
    let invitation = invite(&desk, "sam@northline.example").await;
    // of another workspace
    desk.delete(&desk.key(1), &path(&invitation)).await.refused(404, "not_found");
    // revoked
    desk.delete(&desk.key(0), &path(&invitation)).await.ok();
    desk.delete(&desk.key(0), &path(&invitation)).await.refused(404, "not_found");
    // accepted: the sample holds one
    for accepted in listed(&desk, "?status=accepted").await {
        desk.delete(&desk.key(0), &path(&accepted)).await.refused(404, "not_found");
    }
    // missing
    for id in ["00000000-0000-4000-8000-000000000000", "nothing"] {
        desk.delete(&desk.key(0), &format!("/workspace/invitations/{id}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn what_is_no_address_or_no_role_is_refused_with_its_issue() {
    let desk = Desk::new().await;
    for email in
        ["", "sam", "sam@", "@x.example", "sam@x", "a@b@c.example", "sam lee@x.example", "a\r\nBcc: b@x.example", "<a@x.example>"]
    {
        let error = desk.post(&desk.key(0), "/workspace/invitations", json!({"email": email})).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["email"]), "{email:?}");
    }
    let owner = json!({"email": "sam@x.example", "role": "owner"});
    let error = desk.post(&desk.key(0), "/workspace/invitations", owner).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["allowed"], json!(["admin", "member"]));
    desk.post(&desk.key(0), "/workspace/invitations", json!({})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn an_invitation_expires_after_its_time_and_its_address_may_be_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let begin: chrono::DateTime<chrono::Utc> = "2026-03-01T09:00:00Z".parse().unwrap();
    let options = |days| gantry::service::Options {
        data: gantry::service::Data::File(folder.path().join("gantry.db")),
        projects: 20,
        as_of: Some(begin + chrono::TimeDelta::days(days)),
        ..Default::default()
    };
    let desk = Desk::with(options(0)).await;
    let id = invite(&desk, "sam@northline.example").await["id"].clone();
    desk.service.stop().await;

    let desk = Desk::with(options(15)).await;
    assert_eq!(listed(&desk, "?status=expired").await[0]["id"], id);
    let again = invite(&desk, "sam@northline.example").await;
    assert_eq!(again["status"], "pending");
    desk.service.stop().await;
}
