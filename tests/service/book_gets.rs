//! Gets of the book (interface: Workspace: gets).

use crate::shared_service::{list_field, record_ids, shared_service};
use crate::support::TestCaller;
use serde_json::{Value, json};

/// A family's include keys embed the same as the Data API, whether or not it is in the book.
async fn assert_embeds(family: &str, keys: &[&str]) {
    let mut embedded = 0;
    for record in shared_service()
        .records(&format!("/workspace/{family}"))
        .iter()
        .step_by(5)
    {
        let id = record["id"].as_str().unwrap();
        for key in keys {
            let reply = shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/workspace/{family}/{id}?include={key}"),
                )
                .await
                .ok();
            let data = shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/data/{family}/{id}?include={key}"),
                )
                .await
                .ok();
            assert_eq!(reply["metadata"], json!({"credits": 1}), "{family} {key}");
            assert_eq!(reply["data"][key], data["data"][key], "{family} {id} {key}");
            embedded += reply["data"][key].as_array().map_or(1, Vec::len);
        }
    }
    assert!(embedded > 0);
}

#[tokio::test]
async fn the_get_of_a_workspace_account_includes_projects_contacts_and_signals() {
    assert_embeds("accounts", &["projects", "contacts", "signals"]).await;
}

#[tokio::test]
async fn the_get_of_a_workspace_contact_includes_account_and_projects() {
    assert_embeds("contacts", &["account", "projects"]).await;
}

#[tokio::test]
async fn the_get_of_a_workspace_project_includes_accounts_contacts_and_signals() {
    assert_embeds("projects", &["accounts", "contacts", "signals"]).await;
}

#[tokio::test]
async fn an_unknown_include_key_is_400() {
    for (family, keys) in [
        ("accounts", ["account", "accounts", "project"]),
        ("contacts", ["contacts", "signals", "accounts"]),
        ("projects", ["project", "views", "*"]),
    ] {
        let id = shared_service().records(&format!("/workspace/{family}"))[0]["id"]
            .as_str()
            .unwrap();
        for key in keys {
            let reply = shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/workspace/{family}/{id}?include={key}"),
                )
                .await;
            let error = reply.expect_error(400, "bad_request");
            assert_eq!(
                (&error["issues"][0]["received"], &error["issues"][0]["path"]),
                (&json!(key), &json!(["include"])),
                "{family}"
            );
        }
    }
}

#[tokio::test]
async fn include_is_a_comma_separated_list_or_the_parameter_repeated() {
    for (family, keys) in [
        ("accounts", ["projects", "contacts", "signals"].as_slice()),
        ("contacts", &["account", "projects"]),
        ("projects", &["accounts", "signals"]),
    ] {
        let id = shared_service().records(&format!("/workspace/{family}"))[1]["id"]
            .as_str()
            .unwrap();
        let get = async |query: String| {
            shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/workspace/{family}/{id}?include={query}"),
                )
                .await
                .ok()
        };
        let commas = get(keys.join(",")).await;
        assert!(
            keys.iter().all(|key| commas["data"].get(key).is_some()),
            "{family}"
        );
        assert_eq!(get(keys.join("&include=")).await, commas, "{family}");
        assert_eq!(
            get(format!("{}&include={}", keys[0], keys[1..].join(","))).await,
            commas,
            "{family}: repeated and comma-separated"
        );
    }
}

#[tokio::test]
async fn a_row_of_a_book_search_agrees_with_the_get() {
    for family in ["accounts", "contacts", "projects"] {
        let rows = shared_service()
            .search_page(&format!("/workspace/{family}"), json!({"limit": 10}))
            .await
            .ok();
        for row in rows["data"].as_array().unwrap() {
            let shown = shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/workspace/{family}/{}", row["id"].as_str().unwrap()),
                )
                .await
                .ok();
            for (key, value) in row.as_object().unwrap() {
                assert_eq!(shown["data"][key], *value, "{family} {key}");
            }
        }
    }
}

#[tokio::test]
async fn book_gets_take_workspace_id_in_the_query() {
    let (named, silent) = (
        shared_service().member_caller(0, 2),
        TestCaller {
            workspace: None,
            ..shared_service().member_caller(0, 2)
        },
    );
    for family in ["accounts", "contacts", "projects"] {
        let id = shared_service().records(&format!("/workspace/{family}"))[0]["id"]
            .as_str()
            .unwrap();
        let path = format!("/workspace/{family}/{id}");
        shared_service().get(&named, &path).await.ok();
        shared_service()
            .get(&shared_service().api_key(0), &path)
            .await
            .ok();
        shared_service()
            .get(&silent, &path)
            .await
            .expect_error(400, "bad_request");
        let search = format!("/workspace/{family}/search");
        shared_service()
            .post(&named, &search, json!({"limit": 1}))
            .await
            .ok();
        shared_service()
            .post(&silent, &search, json!({"limit": 1}))
            .await
            .expect_error(400, "bad_request");
        shared_service()
            .post(
                &silent,
                &search,
                json!({"limit": 1, "workspace_id": shared_service().workspace_id(0)}),
            )
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_book_is_never_readable_by_another_workspace() {
    for family in ["accounts", "contacts", "projects"] {
        let path = format!("/workspace/{family}/search");
        let theirs = shared_service()
            .post(&shared_service().api_key(1), &path, json!({"limit": 100}))
            .await
            .ok();
        let ours = record_ids(shared_service().records(&format!("/workspace/{family}")));
        let alone: Vec<&str> = record_ids(theirs["data"].as_array().unwrap())
            .into_iter()
            .filter(|id| !ours.contains(id))
            .collect();
        assert!(!alone.is_empty());
        for id in alone {
            shared_service()
                .get(
                    &shared_service().api_key(0),
                    &format!("/workspace/{family}/{id}"),
                )
                .await
                .expect_error(404, "not_found");
            shared_service()
                .get(
                    &shared_service().api_key(1),
                    &format!("/workspace/{family}/{id}"),
                )
                .await
                .ok();
        }
    }
}

#[tokio::test]
async fn book_counts_and_embeds_cover_all_related_index_records() {
    let saved = record_ids(shared_service().records("/workspace/projects"));
    let outside = |account: &&Value| {
        list_field(account, "projects")
            .iter()
            .any(|one| !saved.contains(&one["id"].as_str().unwrap()))
    };
    let account = shared_service()
        .records("/workspace/accounts")
        .iter()
        .find(outside)
        .expect("a project outside the book");
    let reply = shared_service()
        .get(
            &shared_service().api_key(0),
            &format!(
                "/workspace/accounts/{}?include=projects",
                account["id"].as_str().unwrap()
            ),
        )
        .await
        .ok();
    assert_eq!(
        list_field(&reply["data"], "projects").len(),
        list_field(account, "projects").len()
    );
}

#[tokio::test]
async fn non_pro_workspaces_and_non_members_cannot_read_the_book() {
    for family in ["accounts", "contacts", "projects"] {
        let id = shared_service().records(&format!("/workspace/{family}"))[0]["id"]
            .as_str()
            .unwrap();
        let callers = [
            shared_service().api_key(2),
            shared_service().api_key(3),
            shared_service().member_caller(2, 0),
            shared_service().member_caller(3, 0),
            shared_service()
                .member_caller(0, 0)
                .with_workspace(shared_service().workspace_id(1)),
        ];
        for caller in callers {
            shared_service()
                .get(&caller, &format!("/workspace/{family}/{id}"))
                .await
                .expect_error(403, "forbidden");
            shared_service()
                .post(&caller, &format!("/workspace/{family}/search"), json!({}))
                .await
                .expect_error(403, "forbidden");
            shared_service()
                .post(&caller, &format!("/workspace/{family}/upsert"), json!({}))
                .await
                .expect_error(403, "forbidden");
            shared_service()
                .delete(&caller, &format!("/workspace/{family}/{id}"))
                .await
                .expect_error(403, "forbidden");
        }
    }
}
