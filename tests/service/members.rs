//! Members (interface: Member; Workspace: members and invitations; decisions 2.9).

use crate::fields::has_fields;
use crate::shelf::Shelf;
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

async fn members(desk: &Desk, caller: &Caller) -> Vec<Value> {
    let said = desk.get(caller, "/workspace/members").await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    has_fields(&said["data"], &[("members", "object[]")]);
    said["data"]["members"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_member_has_the_fields_of_its_table() {
    let desk = Desk::new().await;
    for member in members(&desk, &desk.key(0)).await {
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
        has_fields(&member, &table);
    }
}

#[tokio::test]
async fn a_member_who_has_not_come_yet_has_neither_name_nor_activity() {
    let desk = Desk::new().await;
    let absent = members(&desk, &desk.key(0)).await.remove(4);
    for field in ["first_name", "display_name", "last_active_at"] {
        assert_eq!(absent[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn members_are_ordered_by_joined_at_ascending() {
    let desk = Desk::new().await;
    for workspace in [0, 1] {
        let all = members(&desk, &desk.key(workspace)).await;
        assert!(all.len() > 2 && all.is_sorted_by_key(|member| member["joined_at"].as_str().unwrap().to_owned()), "{all:?}");
    }
}

#[tokio::test]
async fn the_members_list_is_the_workspaces_and_open_to_every_member_and_key() {
    let desk = Desk::new().await;
    let ours = members(&desk, &desk.key(0)).await;
    for caller in [desk.user(0, 0), desk.user(0, 3), desk.reading_key(0)] {
        assert_eq!(members(&desk, &caller).await, ours);
    }
    let theirs = members(&desk, &desk.key(1)).await;
    assert!(theirs.iter().all(|member| !ours.contains(member)));
}

#[tokio::test]
async fn a_members_id_is_the_user_id_of_the_path() {
    let desk = Desk::new().await;
    let id = members(&desk, &desk.key(0)).await[2]["id"].as_str().unwrap().to_owned();
    let said = patch(&desk, &desk.key(0), &format!("/workspace/members/{id}"), json!({"role": "admin"})).await.ok();
    assert_eq!(said["data"]["id"], id.as_str());
}

#[tokio::test]
async fn workspace_id_overrides_the_workspace_that_a_key_resolves_to_on_the_members_list() {
    let shelf = Shelf::new().await;
    let key = shelf.key(0).naming(shelf.id(1));
    shelf.get(&key, "/workspace/members").await.refused(403, "forbidden");
    // the key's issuer joins the other workspace too
    let sql =
        "INSERT INTO members SELECT (SELECT id FROM workspaces ORDER BY rowid LIMIT 1 OFFSET 1), user_id, 'member', joined_at
        FROM members WHERE role = 'owner' AND workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)";
    assert_eq!(shelf.file.execute(sql, []).unwrap(), 1);
    assert_eq!(members(&shelf, &key).await, members(&shelf, &shelf.key(1)).await);
    // there and nowhere else
    shelf.get(&key, "/workspace").await.refused(403, "forbidden");
    assert_ne!(members(&shelf, &shelf.key(0)).await, members(&shelf, &shelf.key(1)).await);
}

#[tokio::test]
async fn a_removed_members_token_is_a_strangers_on_every_route_of_the_workspace() {
    let desk = Desk::new().await;
    desk.delete(&desk.key(0), &member(&desk, 3)).await.ok();
    for path in ["/workspace", "/workspace/members", "/workspace/views", "/signals", "/signals/queue", "/signal-subscriptions"] {
        desk.get(&desk.user(0, 3), path).await.refused(403, "forbidden");
    }
}

#[tokio::test]
async fn a_member_may_leave_and_takes_the_favorites_along() {
    let desk = Desk::new().await;
    desk.delete(&desk.user(0, 1), &member(&desk, 1)).await.ok();
    desk.get(&desk.user(0, 1), "/workspace/favorite-views").await.refused(403, "forbidden");
}

#[tokio::test]
async fn what_a_removed_member_did_keeps_the_name() {
    let desk = Desk::new().await;
    let queue = desk.get(&desk.user(0, 2), "/signals/queue?status=new&limit=1").await.ok();
    let id = queue["signals"][0]["id"].clone();
    let body = json!({"workspace_id": desk.id(0), "signal_ids": [id], "status": "done"});
    desk.post(&Caller { workspace: None, ..desk.user(0, 2) }, "/signals/triage", body).await.ok();
    desk.delete(&desk.key(0), &member(&desk, 2)).await.ok();
    let done = desk.get(&desk.user(0, 0), "/signals/queue?status=done&limit=200").await.ok();
    let row = done["signals"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(row["triaged_by"], desk.workspace(0).members[2].user_id.to_string());
}
