//! Gets of the book (interface: Workspace: gets).

use crate::room::{ids, list, room};
use crate::support::Caller;
use serde_json::{Value, json};

/// The include keys of a family embed what the Data API embeds, whether or not it is in the book.
async fn embeds(family: &str, keys: &[&str]) {
    let mut told = 0;
    for record in room().records(&format!("/workspace/{family}")).iter().step_by(5) {
        let id = record["id"].as_str().unwrap();
        for key in keys {
            let said = room().get(&room().key(0), &format!("/workspace/{family}/{id}?include={key}")).await.ok();
            let data = room().get(&room().key(0), &format!("/data/{family}/{id}?include={key}")).await.ok();
            assert_eq!(said["metadata"], json!({"credits": 1}), "{family} {key}");
            assert_eq!(said["data"][key], data["data"][key], "{family} {id} {key}");
            told += said["data"][key].as_array().map_or(1, Vec::len);
        }
    }
    assert!(told > 0);
}

#[tokio::test]
async fn the_get_of_a_workspace_account_includes_projects_contacts_and_signals() {
    embeds("accounts", &["projects", "contacts", "signals"]).await;
}

#[tokio::test]
async fn the_get_of_a_workspace_contact_includes_account_and_projects() {
    embeds("contacts", &["account", "projects"]).await;
}

#[tokio::test]
async fn the_get_of_a_workspace_project_includes_accounts_contacts_and_signals() {
    embeds("projects", &["accounts", "contacts", "signals"]).await;
}

#[tokio::test]
async fn an_include_key_that_the_family_has_not_gives_400() {
    for (family, keys) in [
        ("accounts", ["account", "accounts", "project"]),
        ("contacts", ["contacts", "signals", "accounts"]),
        ("projects", ["project", "views", "*"]),
    ] {
        let id = room().records(&format!("/workspace/{family}"))[0]["id"].as_str().unwrap();
        for key in keys {
            let said = room().get(&room().key(0), &format!("/workspace/{family}/{id}?include={key}")).await;
            let error = said.refused(400, "bad_request");
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
        let id = room().records(&format!("/workspace/{family}"))[1]["id"].as_str().unwrap();
        let get =
            async |query: String| room().get(&room().key(0), &format!("/workspace/{family}/{id}?include={query}")).await.ok();
        let commas = get(keys.join(",")).await;
        assert!(keys.iter().all(|key| commas["data"].get(key).is_some()), "{family}");
        assert_eq!(get(keys.join("&include=")).await, commas, "{family}");
        assert_eq!(get(format!("{}&include={}", keys[0], keys[1..].join(","))).await, commas, "{family}: both at once");
    }
}

#[tokio::test]
async fn a_row_of_a_book_search_agrees_with_the_get() {
    for family in ["accounts", "contacts", "projects"] {
        let rows = room().search(&format!("/workspace/{family}"), json!({"limit": 10})).await.ok();
        for row in rows["data"].as_array().unwrap() {
            let shown = room().get(&room().key(0), &format!("/workspace/{family}/{}", row["id"].as_str().unwrap())).await.ok();
            for (key, value) in row.as_object().unwrap() {
                assert_eq!(shown["data"][key], *value, "{family} {key}");
            }
        }
    }
}

#[tokio::test]
async fn the_book_names_its_workspace_in_the_query() {
    let (named, silent) = (room().user(0, 2), Caller { workspace: None, ..room().user(0, 2) });
    for family in ["accounts", "contacts", "projects"] {
        let id = room().records(&format!("/workspace/{family}"))[0]["id"].as_str().unwrap();
        let path = format!("/workspace/{family}/{id}");
        room().get(&named, &path).await.ok();
        room().get(&room().key(0), &path).await.ok();
        room().get(&silent, &path).await.refused(400, "bad_request");
        let search = format!("/workspace/{family}/search");
        room().post(&named, &search, json!({"limit": 1})).await.ok();
        room().post(&silent, &search, json!({"limit": 1})).await.refused(400, "bad_request");
        room().post(&silent, &search, json!({"limit": 1, "workspace_id": room().id(0)})).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn the_book_of_one_workspace_is_never_read_by_another() {
    for family in ["accounts", "contacts", "projects"] {
        let path = format!("/workspace/{family}/search");
        let theirs = room().post(&room().key(1), &path, json!({"limit": 100})).await.ok();
        let ours = ids(room().records(&format!("/workspace/{family}")));
        let alone: Vec<&str> = ids(theirs["data"].as_array().unwrap()).into_iter().filter(|id| !ours.contains(id)).collect();
        assert!(!alone.is_empty());
        for id in alone {
            room().get(&room().key(0), &format!("/workspace/{family}/{id}")).await.refused(404, "not_found");
            room().get(&room().key(1), &format!("/workspace/{family}/{id}")).await.ok();
        }
    }
}

#[tokio::test]
async fn counts_and_embeds_of_the_book_are_over_all_related_records_of_the_index() {
    let saved = ids(room().records("/workspace/projects"));
    let outside = |account: &&Value| list(account, "projects").iter().any(|one| !saved.contains(&one["id"].as_str().unwrap()));
    let account = room().records("/workspace/accounts").iter().find(outside).expect("a project outside the book");
    let said = room()
        .get(&room().key(0), &format!("/workspace/accounts/{}?include=projects", account["id"].as_str().unwrap()))
        .await
        .ok();
    assert_eq!(list(&said["data"], "projects").len(), list(account, "projects").len());
}

#[tokio::test]
async fn the_book_of_a_workspace_that_is_not_pro_and_of_a_stranger_is_forbidden() {
    for family in ["accounts", "contacts", "projects"] {
        let id = room().records(&format!("/workspace/{family}"))[0]["id"].as_str().unwrap();
        let callers =
            [room().key(2), room().key(3), room().user(2, 0), room().user(3, 0), room().user(0, 0).naming(room().id(1))];
        for caller in callers {
            room().get(&caller, &format!("/workspace/{family}/{id}")).await.refused(403, "forbidden");
            room().post(&caller, &format!("/workspace/{family}/search"), json!({})).await.refused(403, "forbidden");
            room().post(&caller, &format!("/workspace/{family}/upsert"), json!({})).await.refused(403, "forbidden");
            room().delete(&caller, &format!("/workspace/{family}/{id}")).await.refused(403, "forbidden");
        }
    }
}
