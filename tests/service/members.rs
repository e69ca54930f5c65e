//! Members (interface: Member; Workspace: members and invitations; decisions 2.9).

use crate::fields::assert_fields;
use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestResponse, TestService};
use serde_json::{Value, json};

fn member_path(desk: &TestService, nth: usize) -> String {
    format!("/workspace/members/{}", desk.workspace(0).members[nth].user_id)
}

async fn member_roles(desk: &TestService) -> Vec<String> {
    let body = desk.get(&desk.api_key(0), "/workspace/members").await.ok();
    let members = body["data"]["members"].as_array().unwrap();
    members.iter().map(|member| member["role"].as_str().unwrap().to_owned()).collect()
}

async fn patch_member(desk: &TestService, caller: &TestCaller, path: &str, body: Value) -> TestResponse {
    desk.send(caller, "PATCH", path, Some(body.to_string())).await
}

#[tokio::test]
async fn a_member_patch_changes_the_role_and_returns_the_member() {
    let desk = TestService::new().await;
    let body = patch_member(&desk, &desk.member_caller(0, 0), &member_path(&desk, 2), json!({"role": "admin"})).await.ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    assert_eq!(body["data"]["id"], json!(desk.workspace(0).members[2].user_id));
    assert_eq!(body["data"]["role"], "admin");
    let mut keys: Vec<_> = body["data"].as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["avatar_object_key", "display_name", "email", "first_name", "id", "joined_at", "last_active_at", "role"]);
    assert_eq!(member_roles(&desk).await[2], "admin");
    // the promoted member may do what admins may do
    desk.get(&desk.member_caller(0, 2), "/workspace/invitations").await.ok();
}

#[tokio::test]
async fn a_member_delete_ends_the_membership_at_once() {
    let desk = TestService::new().await;
    let before = member_roles(&desk).await.len();
    let body = desk.delete(&desk.member_caller(0, 1), &member_path(&desk, 3)).await.ok();
    assert_eq!(body, json!({"data": {"deleted": true, "id": desk.workspace(0).members[3].user_id}, "metadata": {"credits": 0}}));
    assert_eq!(member_roles(&desk).await.len(), before - 1);
    desk.get(&desk.member_caller(0, 3), "/workspace").await.expect_error(403, "forbidden");
    desk.delete(&desk.member_caller(0, 1), &member_path(&desk, 3)).await.expect_error(404, "not_found");
}

#[tokio::test]
async fn only_owners_admins_and_keys_administer_members_and_invitations() {
    let desk = TestService::new().await;
    let plain = desk.member_caller(0, 2);
    patch_member(&desk, &plain, &member_path(&desk, 3), json!({"role": "admin"})).await.expect_error(403, "forbidden");
    desk.delete(&plain, &member_path(&desk, 3)).await.expect_error(403, "forbidden");
    desk.post(&plain, "/workspace/invitations", json!({"email": "new@northline.example"})).await.expect_error(403, "forbidden");
    desk.get(&plain, "/workspace/invitations").await.expect_error(403, "forbidden");
    // the role is checked before the record, and before the body
    let nobody = "00000000-0000-4000-8000-000000000000";
    desk.delete(&plain, &format!("/workspace/invitations/{nobody}")).await.expect_error(403, "forbidden");
    patch_member(&desk, &plain, &format!("/workspace/members/{nobody}"), json!("?")).await.expect_error(403, "forbidden");
    // a key counts as an admin; a read-only key cannot write
    patch_member(&desk, &desk.api_key(0), &member_path(&desk, 3), json!({"role": "admin"})).await.ok();
    patch_member(&desk, &desk.read_only_key(0), &member_path(&desk, 3), json!({"role": "member"}))
        .await
        .expect_error(403, "forbidden");
    desk.get(&desk.read_only_key(0), "/workspace/invitations").await.ok();
}

#[tokio::test]
async fn only_owners_can_change_owners() {
    let desk = TestService::new().await;
    for caller in [desk.member_caller(0, 1), desk.api_key(0)] {
        patch_member(&desk, &caller, &member_path(&desk, 0), json!({"role": "member"})).await.expect_error(403, "forbidden");
        desk.delete(&caller, &member_path(&desk, 0)).await.expect_error(403, "forbidden");
        patch_member(&desk, &caller, &member_path(&desk, 2), json!({"role": "owner"})).await.expect_error(403, "forbidden");
    }
    patch_member(&desk, &desk.member_caller(0, 0), &member_path(&desk, 1), json!({"role": "owner"})).await.ok();
    patch_member(&desk, &desk.member_caller(0, 1), &member_path(&desk, 0), json!({"role": "admin"})).await.ok();
    assert_eq!(member_roles(&desk).await[..2], ["admin", "owner"]);
}

#[tokio::test]
async fn the_last_owner_cannot_be_removed() {
    let desk = TestService::new().await;
    let owner = desk.member_caller(0, 0);
    patch_member(&desk, &owner, &member_path(&desk, 0), json!({"role": "admin"})).await.expect_error(400, "bad_request");
    desk.delete(&owner, &member_path(&desk, 0)).await.expect_error(400, "bad_request");
    patch_member(&desk, &owner, &member_path(&desk, 0), json!({"role": "owner"})).await.ok();
    patch_member(&desk, &owner, &member_path(&desk, 1), json!({"role": "owner"})).await.ok();
    desk.delete(&owner, &member_path(&desk, 0)).await.ok();
}

#[tokio::test]
async fn an_unknown_user_is_404_and_a_malformed_body_is_400() {
    let desk = TestService::new().await;
    let stranger = format!("/workspace/members/{}", desk.workspace(1).members[3].user_id);
    for path in [&stranger, "/workspace/members/00000000-0000-4000-8000-000000000000", "/workspace/members/nobody"] {
        patch_member(&desk, &desk.api_key(0), path, json!({"role": "admin"})).await.expect_error(404, "not_found");
        desk.delete(&desk.api_key(0), path).await.expect_error(404, "not_found");
    }
    let path = member_path(&desk, 2);
    let error = patch_member(&desk, &desk.api_key(0), &path, json!({"role": "boss"})).await.expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(error["issues"][0]["allowed"], json!(["owner", "admin", "member"]));
    for body in [json!({}), json!({"role": "admin", "x": 1}), json!([]), json!({"role": 1})] {
        patch_member(&desk, &desk.api_key(0), &path, body).await.expect_error(400, "bad_request");
    }
}

async fn list_members(desk: &TestService, caller: &TestCaller) -> Vec<Value> {
    let said = desk.get(caller, "/workspace/members").await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    assert_fields(&said["data"], &[("members", "object[]")]);
    said["data"]["members"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_member_has_the_fields_of_its_table() {
    let desk = TestService::new().await;
    for member in list_members(&desk, &desk.api_key(0)).await {
        let table = [
            ("id", "uuid"),
            ("email", "string"),
            ("first_name", "string?"),
            ("display_name", "string?"),
            ("avatar_object_key", "string?"),
            ("last_active_at", "moment?"),
            ("role", "owner|admin|member"),
            ("joined_at", "moment"),
        ];
        assert_fields(&member, &table);
    }
}

#[tokio::test]
async fn a_member_who_never_signed_in_has_neither_name_nor_activity() {
    let desk = TestService::new().await;
    let absent = list_members(&desk, &desk.api_key(0)).await.remove(4);
    for field in ["first_name", "display_name", "last_active_at"] {
        assert_eq!(absent[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn members_are_ordered_by_joined_at_ascending() {
    let desk = TestService::new().await;
    for workspace in [0, 1] {
        let all = list_members(&desk, &desk.api_key(workspace)).await;
        assert!(all.len() > 2 && all.is_sorted_by_key(|member| member["joined_at"].as_str().unwrap().to_owned()), "{all:?}");
    }
}

#[tokio::test]
async fn every_member_and_key_can_read_the_workspaces_members() {
    let desk = TestService::new().await;
    let ours = list_members(&desk, &desk.api_key(0)).await;
    for caller in [desk.member_caller(0, 0), desk.member_caller(0, 3), desk.read_only_key(0)] {
        assert_eq!(list_members(&desk, &caller).await, ours);
    }
    let theirs = list_members(&desk, &desk.api_key(1)).await;
    assert!(theirs.iter().all(|member| !ours.contains(member)));
}

#[tokio::test]
async fn a_members_id_is_the_user_id_of_the_path() {
    let desk = TestService::new().await;
    let id = list_members(&desk, &desk.api_key(0)).await[2]["id"].as_str().unwrap().to_owned();
    let said = patch_member(&desk, &desk.api_key(0), &format!("/workspace/members/{id}"), json!({"role": "admin"})).await.ok();
    assert_eq!(said["data"]["id"], id.as_str());
}

#[tokio::test]
async fn workspace_id_overrides_the_keys_workspace_on_the_members_list() {
    let shelf = ServiceWithFile::new().await;
    let key = shelf.api_key(0).with_workspace(shelf.workspace_id(1));
    shelf.get(&key, "/workspace/members").await.expect_error(403, "forbidden");
    // the key's issuer also joins the other workspace
    let sql =
        "INSERT INTO members SELECT (SELECT id FROM workspaces ORDER BY rowid LIMIT 1 OFFSET 1), user_id, 'member', joined_at
        FROM members WHERE role = 'owner' AND workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)";
    assert_eq!(shelf.database.execute(sql, []).unwrap(), 1);
    assert_eq!(list_members(&shelf, &key).await, list_members(&shelf, &shelf.api_key(1)).await);
    // only in that workspace
    shelf.get(&key, "/workspace").await.expect_error(403, "forbidden");
    assert_ne!(list_members(&shelf, &shelf.api_key(0)).await, list_members(&shelf, &shelf.api_key(1)).await);
}

#[tokio::test]
async fn a_removed_members_token_is_rejected_on_every_workspace_route() {
    let desk = TestService::new().await;
    desk.delete(&desk.api_key(0), &member_path(&desk, 3)).await.ok();
    for path in ["/workspace", "/workspace/members", "/workspace/views", "/signals", "/signals/queue", "/signal-subscriptions"] {
        desk.get(&desk.member_caller(0, 3), path).await.expect_error(403, "forbidden");
    }
}

#[tokio::test]
async fn leaving_the_workspace_removes_the_members_favorites() {
    let desk = TestService::new().await;
    desk.delete(&desk.member_caller(0, 1), &member_path(&desk, 1)).await.ok();
    desk.get(&desk.member_caller(0, 1), "/workspace/favorite-views").await.expect_error(403, "forbidden");
}

#[tokio::test]
async fn a_removed_members_triage_keeps_their_name() {
    let desk = TestService::new().await;
    let queue = desk.get(&desk.member_caller(0, 2), "/signals/queue?status=new&limit=1").await.ok();
    let id = queue["signals"][0]["id"].clone();
    let body = json!({"workspace_id": desk.workspace_id(0), "signal_ids": [id], "status": "done"});
    desk.post(&TestCaller { workspace: None, ..desk.member_caller(0, 2) }, "/signals/triage", body).await.ok();
    desk.delete(&desk.api_key(0), &member_path(&desk, 2)).await.ok();
    let done = desk.get(&desk.member_caller(0, 0), "/signals/queue?status=done&limit=200").await.ok();
    let row = done["signals"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(row["triaged_by"], desk.workspace(0).members[2].user_id.to_string());
}
