//! Members (interface: Member; Workspace: members and invitations; decisions 2.9).

use crate::fields::assert_fields;
use crate::service_with_file::ServiceWithFile;
use crate::support::{TestCaller, TestResponse, TestService};
use serde_json::{Value, json};

fn member_path(api: &TestService, nth: usize) -> String {
    format!(
        "/workspace/members/{}",
        api.workspace(0).members[nth].user_id
    )
}

async fn member_roles(api: &TestService) -> Vec<String> {
    let body = api.get(&api.api_key(0), "/workspace/members").await.ok();
    let members = body["data"]["members"].as_array().unwrap();
    members
        .iter()
        .map(|member| member["role"].as_str().unwrap().to_owned())
        .collect()
}

async fn patch_member(
    api: &TestService,
    caller: &TestCaller,
    path: &str,
    body: Value,
) -> TestResponse {
    api.send(caller, "PATCH", path, Some(body.to_string()))
        .await
}

#[tokio::test]
async fn a_member_patch_changes_the_role_and_returns_the_member() {
    let api = TestService::new().await;
    let body = patch_member(
        &api,
        &api.member_caller(0, 0),
        &member_path(&api, 2),
        json!({"role": "admin"}),
    )
    .await
    .ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    assert_eq!(
        body["data"]["id"],
        json!(api.workspace(0).members[2].user_id)
    );
    assert_eq!(body["data"]["role"], "admin");
    let mut keys: Vec<_> = body["data"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "avatar_object_key",
            "display_name",
            "email",
            "first_name",
            "id",
            "joined_at",
            "last_active_at",
            "role"
        ]
    );
    assert_eq!(member_roles(&api).await[2], "admin");
    // the promoted member may do what admins may do
    api.get(&api.member_caller(0, 2), "/workspace/invitations")
        .await
        .ok();
}

#[tokio::test]
async fn a_member_delete_ends_the_membership_at_once() {
    let api = TestService::new().await;
    let before = member_roles(&api).await.len();
    let body = api
        .delete(&api.member_caller(0, 1), &member_path(&api, 3))
        .await
        .ok();
    assert_eq!(
        body,
        json!({"data": {"deleted": true, "id": api.workspace(0).members[3].user_id}, "metadata": {"credits": 0}})
    );
    assert_eq!(member_roles(&api).await.len(), before - 1);
    api.get(&api.member_caller(0, 3), "/workspace")
        .await
        .expect_error(403, "forbidden");
    api.delete(&api.member_caller(0, 1), &member_path(&api, 3))
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn only_owners_admins_and_keys_administer_members_and_invitations() {
    let api = TestService::new().await;
    let plain = api.member_caller(0, 2);
    patch_member(
        &api,
        &plain,
        &member_path(&api, 3),
        json!({"role": "admin"}),
    )
    .await
    .expect_error(403, "forbidden");
    api.delete(&plain, &member_path(&api, 3))
        .await
        .expect_error(403, "forbidden");
    api.post(
        &plain,
        "/workspace/invitations",
        json!({"email": "new@northline.example"}),
    )
    .await
    .expect_error(403, "forbidden");
    api.get(&plain, "/workspace/invitations")
        .await
        .expect_error(403, "forbidden");
    // the role is checked before the record, and before the body
    let nobody = "00000000-0000-4000-8000-000000000000";
    api.delete(&plain, &format!("/workspace/invitations/{nobody}"))
        .await
        .expect_error(403, "forbidden");
    patch_member(
        &api,
        &plain,
        &format!("/workspace/members/{nobody}"),
        json!("?"),
    )
    .await
    .expect_error(403, "forbidden");
    // a key counts as an admin; a read-only key cannot write
    patch_member(
        &api,
        &api.api_key(0),
        &member_path(&api, 3),
        json!({"role": "admin"}),
    )
    .await
    .ok();
    patch_member(
        &api,
        &api.read_only_key(0),
        &member_path(&api, 3),
        json!({"role": "member"}),
    )
    .await
    .expect_error(403, "forbidden");
    api.get(&api.read_only_key(0), "/workspace/invitations")
        .await
        .ok();
}

#[tokio::test]
async fn only_owners_can_change_owners() {
    let api = TestService::new().await;
    for caller in [api.member_caller(0, 1), api.api_key(0)] {
        patch_member(
            &api,
            &caller,
            &member_path(&api, 0),
            json!({"role": "member"}),
        )
        .await
        .expect_error(403, "forbidden");
        api.delete(&caller, &member_path(&api, 0))
            .await
            .expect_error(403, "forbidden");
        patch_member(
            &api,
            &caller,
            &member_path(&api, 2),
            json!({"role": "owner"}),
        )
        .await
        .expect_error(403, "forbidden");
    }
    patch_member(
        &api,
        &api.member_caller(0, 0),
        &member_path(&api, 1),
        json!({"role": "owner"}),
    )
    .await
    .ok();
    patch_member(
        &api,
        &api.member_caller(0, 1),
        &member_path(&api, 0),
        json!({"role": "admin"}),
    )
    .await
    .ok();
    assert_eq!(member_roles(&api).await[..2], ["admin", "owner"]);
}

#[tokio::test]
async fn the_last_owner_cannot_be_removed() {
    let api = TestService::new().await;
    let owner = api.member_caller(0, 0);
    patch_member(
        &api,
        &owner,
        &member_path(&api, 0),
        json!({"role": "admin"}),
    )
    .await
    .expect_error(400, "bad_request");
    api.delete(&owner, &member_path(&api, 0))
        .await
        .expect_error(400, "bad_request");
    patch_member(
        &api,
        &owner,
        &member_path(&api, 0),
        json!({"role": "owner"}),
    )
    .await
    .ok();
    patch_member(
        &api,
        &owner,
        &member_path(&api, 1),
        json!({"role": "owner"}),
    )
    .await
    .ok();
    api.delete(&owner, &member_path(&api, 0)).await.ok();
}

#[tokio::test]
async fn an_unknown_user_is_404_and_a_malformed_body_is_400() {
    let api = TestService::new().await;
    let stranger = format!("/workspace/members/{}", api.workspace(1).members[3].user_id);
    for path in [
        &stranger,
        "/workspace/members/00000000-0000-4000-8000-000000000000",
        "/workspace/members/nobody",
    ] {
        patch_member(&api, &api.api_key(0), path, json!({"role": "admin"}))
            .await
            .expect_error(404, "not_found");
        api.delete(&api.api_key(0), path)
            .await
            .expect_error(404, "not_found");
    }
    let path = member_path(&api, 2);
    let error = patch_member(&api, &api.api_key(0), &path, json!({"role": "boss"}))
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(
        error["issues"][0]["allowed"],
        json!(["owner", "admin", "member"])
    );
    for body in [
        json!({}),
        json!({"role": "admin", "x": 1}),
        json!([]),
        json!({"role": 1}),
    ] {
        patch_member(&api, &api.api_key(0), &path, body)
            .await
            .expect_error(400, "bad_request");
    }
}

async fn list_members(api: &TestService, caller: &TestCaller) -> Vec<Value> {
    let reply = api.get(caller, "/workspace/members").await.ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    assert_fields(&reply["data"], &[("members", "object[]")]);
    reply["data"]["members"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_member_has_the_fields_of_its_table() {
    let api = TestService::new().await;
    for member in list_members(&api, &api.api_key(0)).await {
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
    let api = TestService::new().await;
    let absent = list_members(&api, &api.api_key(0)).await.remove(4);
    for field in ["first_name", "display_name", "last_active_at"] {
        assert_eq!(absent[field], Value::Null, "{field}");
    }
}

#[tokio::test]
async fn members_are_ordered_by_joined_at_ascending() {
    let api = TestService::new().await;
    for workspace in [0, 1] {
        let all = list_members(&api, &api.api_key(workspace)).await;
        assert!(
            all.len() > 2
                && all.is_sorted_by_key(|member| member["joined_at"].as_str().unwrap().to_owned()),
            "{all:?}"
        );
    }
}

#[tokio::test]
async fn every_member_and_key_can_read_the_workspaces_members() {
    let api = TestService::new().await;
    let ours = list_members(&api, &api.api_key(0)).await;
    for caller in [
        api.member_caller(0, 0),
        api.member_caller(0, 3),
        api.read_only_key(0),
    ] {
        assert_eq!(list_members(&api, &caller).await, ours);
    }
    let theirs = list_members(&api, &api.api_key(1)).await;
    assert!(theirs.iter().all(|member| !ours.contains(member)));
}

#[tokio::test]
async fn a_members_id_is_the_user_id_of_the_path() {
    let api = TestService::new().await;
    let id = list_members(&api, &api.api_key(0)).await[2]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let reply = patch_member(
        &api,
        &api.api_key(0),
        &format!("/workspace/members/{id}"),
        json!({"role": "admin"}),
    )
    .await
    .ok();
    assert_eq!(reply["data"]["id"], id.as_str());
}

#[tokio::test]
async fn workspace_id_overrides_the_keys_workspace_on_the_members_list() {
    let api = ServiceWithFile::new().await;
    let key = api.api_key(0).with_workspace(api.workspace_id(1));
    api.get(&key, "/workspace/members")
        .await
        .expect_error(403, "forbidden");
    // the key's issuer also joins the other workspace
    let sql =
        "INSERT INTO members SELECT (SELECT id FROM workspaces ORDER BY rowid LIMIT 1 OFFSET 1), user_id, 'member', joined_at
        FROM members WHERE role = 'owner' AND workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)";
    assert_eq!(api.with_database(|conn| conn.execute(sql, []).unwrap()), 1);
    assert_eq!(
        list_members(&api, &key).await,
        list_members(&api, &api.api_key(1)).await
    );
    // only in that workspace
    api.get(&key, "/workspace")
        .await
        .expect_error(403, "forbidden");
    assert_ne!(
        list_members(&api, &api.api_key(0)).await,
        list_members(&api, &api.api_key(1)).await
    );
}

#[tokio::test]
async fn a_removed_members_token_is_rejected_on_every_workspace_route() {
    let api = TestService::new().await;
    api.delete(&api.api_key(0), &member_path(&api, 3))
        .await
        .ok();
    for path in [
        "/workspace",
        "/workspace/members",
        "/workspace/views",
        "/signals",
        "/signals/queue",
        "/signal-subscriptions",
    ] {
        api.get(&api.member_caller(0, 3), path)
            .await
            .expect_error(403, "forbidden");
    }
}

#[tokio::test]
async fn leaving_the_workspace_removes_the_members_favorites() {
    let api = TestService::new().await;
    api.delete(&api.member_caller(0, 1), &member_path(&api, 1))
        .await
        .ok();
    api.get(&api.member_caller(0, 1), "/workspace/favorite-views")
        .await
        .expect_error(403, "forbidden");
}

#[tokio::test]
async fn a_removed_members_triage_keeps_their_name() {
    let api = TestService::new().await;
    let queue = api
        .get(
            &api.member_caller(0, 2),
            "/signals/queue?status=new&limit=1",
        )
        .await
        .ok();
    let id = queue["signals"][0]["id"].clone();
    let body = json!({"workspace_id": api.workspace_id(0), "signal_ids": [id], "status": "done"});
    api.post(
        &TestCaller {
            workspace: None,
            ..api.member_caller(0, 2)
        },
        "/signals/triage",
        body,
    )
    .await
    .ok();
    api.delete(&api.api_key(0), &member_path(&api, 2))
        .await
        .ok();
    let done = api
        .get(
            &api.member_caller(0, 0),
            "/signals/queue?status=done&limit=200",
        )
        .await
        .ok();
    let row = done["signals"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["id"] == id)
        .unwrap()
        .clone();
    assert_eq!(
        row["triaged_by"],
        api.workspace(0).members[2].user_id.to_string()
    );
}
