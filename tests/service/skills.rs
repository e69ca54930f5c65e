//! Skills (interface: Workspace: Skills, Skill filter fields; decisions 2.18).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::support::{Caller, Desk, Said};
use serde_json::{Value, json};

const WRITES: [&str; 10] =
    ["create", "update", "publish", "unpublish", "delete", "transfer", "move", "fork", "install", "uninstall"];

fn path(verb: &str) -> String {
    format!("/workspace/skills/{verb}")
}

/// A write under a key.
async fn keyed(desk: &Desk, caller: &Caller, verb: &str, key: &str, body: &Value) -> Said {
    let query = caller.workspace.as_ref().map(|id| format!("?workspace_id={id}")).unwrap_or_default();
    let request = desk.http.post(format!("{}{}{query}", desk.service.base_url(), path(verb)));
    let request = request.bearer_auth(caller.secret.as_deref().unwrap()).header("idempotency-key", key);
    let response = request.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    Said { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
}

/// A write under a key of its own.
async fn write(desk: &Desk, caller: &Caller, verb: &str, body: Value) -> Said {
    keyed(desk, caller, verb, &uuid::Uuid::new_v4().to_string(), &body).await
}

async fn read(desk: &Desk, caller: &Caller, verb: &str, body: Value) -> Value {
    let body = desk.post(caller, &path(verb), body).await.ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    body["data"].clone()
}

fn bundle(name: &str) -> Value {
    json!({"name": name, "description": "For the tests", "files": [
        {"path": "SKILL.md", "content": "# One\n"}, {"path": "prompts/open.md", "content": "Grüß Gott"}]})
}

async fn create(desk: &Desk, caller: &Caller, name: &str) -> Value {
    write(desk, caller, "create", bundle(name)).await.ok()["data"]["skill_id"].clone()
}

async fn shared(desk: &Desk, caller: &Caller, name: &str) -> Value {
    let mut body = bundle(name);
    body["audience"] = json!("workspace");
    write(desk, caller, "create", body).await.ok()["data"]["skill_id"].clone()
}

async fn lifecycle(desk: &Desk, caller: &Caller, id: &Value) -> Value {
    read(desk, caller, "get", json!({"skill_id": id})).await["lifecycle"].clone()
}

async fn official(desk: &Desk, caller: &Caller) -> Vec<Value> {
    read(desk, caller, "list", json!({"source": ["official"]})).await["skills"].as_array().unwrap().clone()
}

async fn names(desk: &Desk, caller: &Caller, verb: &str, body: Value) -> Vec<String> {
    let found = read(desk, caller, verb, body).await;
    found["skills"].as_array().unwrap().iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn reads_return_data_and_metadata_and_writes_a_receipt_without_content() {
    let desk = Desk::new().await;
    let owner = desk.user(0, 0);
    let said = write(&desk, &owner, "create", bundle("Site visit notes")).await.ok();
    assert_eq!(said["metadata"], json!({"credits": 0}));
    let receipt = &said["data"];
    let mut keys: Vec<_> = receipt.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["lifecycle", "revision", "skill_id", "slug", "updated_at"]);
    assert_eq!((&receipt["slug"], &receipt["revision"]), (&json!("site-visit-notes"), &json!(1)));
    assert_eq!(receipt["lifecycle"], "draft");

    let skill = read(&desk, &owner, "get", json!({"skill_id": receipt["skill_id"]})).await;
    let files = json!([{"path": "SKILL.md", "size": 6}, {"path": "prompts/open.md", "size": 11}]);
    assert_eq!(skill["files"], files);
    let mut keys: Vec<_> = skill.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let fields = [
        "audience",
        "created_at",
        "created_by",
        "description",
        "files",
        "id",
        "installed",
        "lifecycle",
        "name",
        "published_at",
        "revision",
        "slug",
        "source",
        "updated_at",
    ];
    assert_eq!(keys, fields);
    assert_eq!((&skill["source"], &skill["audience"]), (&json!("custom"), &json!("personal")));
    assert_eq!((&skill["installed"], &skill["published_at"]), (&json!(false), &Value::Null));
    assert_eq!(skill["created_by"], json!(desk.workspace(0).members[0].user_id));
    let file = read(&desk, &owner, "get-file", json!({"skill_id": skill["id"], "path": "prompts/open.md"})).await;
    assert_eq!(file, json!({"path": "prompts/open.md", "content": "Grüß Gott"}));
}

#[tokio::test]
async fn an_update_stores_a_revision_and_the_earlier_files_stay() {
    let desk = Desk::new().await;
    let owner = desk.user(0, 0);
    let id = create(&desk, &owner, "Site visit notes").await;
    let files = json!([{"path": "SKILL.md", "content": "# Two\n"}]);
    let said = write(&desk, &owner, "update", json!({"skill_id": id, "files": files})).await.ok();
    assert_eq!(said["data"]["revision"], 2);
    let said = write(&desk, &owner, "update", json!({"skill_id": id, "name": "Notes of a visit"})).await.ok();
    assert_eq!((&said["data"]["revision"], &said["data"]["slug"]), (&json!(3), &json!("site-visit-notes")));
    // what says nothing new is no revision
    let said = write(&desk, &owner, "update", json!({"skill_id": id, "files": files})).await.ok();
    assert_eq!(said["data"]["revision"], 3);

    let revisions = read(&desk, &owner, "revisions", json!({"skill_id": id})).await["revisions"].clone();
    let numbers: Vec<_> = revisions.as_array().unwrap().iter().map(|revision| revision["revision"].clone()).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(revisions[0]["created_by"], json!(desk.workspace(0).members[0].user_id));
    assert!(revisions[0]["created_at"].is_string());
    let content = async |path: &str, revision: Value| {
        let mut body = json!({"skill_id": id, "path": path});
        if !revision.is_null() {
            body["revision"] = revision;
        }
        desk.post(&owner, "/workspace/skills/get-file", body).await
    };
    assert_eq!(content("SKILL.md", json!(1)).await.ok()["data"]["content"], "# One\n");
    assert_eq!(content("SKILL.md", Value::Null).await.ok()["data"]["content"], "# Two\n");
    content("prompts/open.md", Value::Null).await.refused(404, "not_found");
    content("SKILL.md", json!(4)).await.refused(404, "not_found");
    assert_eq!(read(&desk, &owner, "get", json!({"skill_id": id})).await["name"], "Notes of a visit");
}

#[tokio::test]
async fn the_life_cycle_is_draft_published_unpublished_and_deleted_from_any() {
    let desk = Desk::new().await;
    let owner = desk.user(0, 0);
    let id = create(&desk, &owner, "Site visit notes").await;
    let body = json!({"skill_id": id});
    write(&desk, &owner, "unpublish", body.clone()).await.refused(400, "bad_request");
    assert_eq!(write(&desk, &owner, "publish", body.clone()).await.ok()["data"]["lifecycle"], "published");
    let published_at = read(&desk, &owner, "get", body.clone()).await["published_at"].clone();
    assert!(published_at.is_string());
    // what is so already is done
    assert_eq!(write(&desk, &owner, "publish", body.clone()).await.ok()["data"]["lifecycle"], "published");
    assert_eq!(read(&desk, &owner, "get", body.clone()).await["published_at"], published_at);
    assert_eq!(write(&desk, &owner, "unpublish", body.clone()).await.ok()["data"]["lifecycle"], "unpublished");
    assert_eq!(write(&desk, &owner, "publish", body.clone()).await.ok()["data"]["lifecycle"], "published");
    assert_eq!(write(&desk, &owner, "delete", body.clone()).await.ok()["data"]["lifecycle"], "deleted");
    for verb in ["publish", "unpublish", "delete", "fork"] {
        write(&desk, &owner, verb, body.clone()).await.refused(404, "not_found");
    }
    for verb in ["get", "revisions"] {
        desk.post(&owner, &path(verb), body.clone()).await.refused(404, "not_found");
    }
    // from draft and from unpublished too
    let draft = create(&desk, &owner, "Draft").await;
    write(&desk, &owner, "delete", json!({"skill_id": draft})).await.ok();
    let unpublished = create(&desk, &owner, "Unpublished").await;
    for verb in ["publish", "unpublish", "delete"] {
        write(&desk, &owner, verb, json!({"skill_id": unpublished})).await.ok();
    }
    let left = names(&desk, &owner, "list", json!({"limit": 100})).await;
    assert!(!left.iter().any(|name| ["Site visit notes", "Draft", "Unpublished"].contains(&name.as_str())));
}

#[tokio::test]
async fn a_personal_skill_is_its_owners_alone_until_it_moves_to_the_workspace() {
    let desk = Desk::new().await;
    let (author, other) = (desk.user(0, 2), desk.user(0, 3));
    let id = create(&desk, &author, "Mine").await;
    for stranger in [&other, &desk.user(0, 0), &desk.key(1)] {
        desk.post(stranger, &path("get"), json!({"skill_id": id})).await.refused(404, "not_found");
        write(&desk, stranger, "publish", json!({"skill_id": id})).await.refused(404, "not_found");
        assert!(!names(&desk, stranger, "list", json!({"limit": 100})).await.contains(&"Mine".to_owned()));
        assert!(names(&desk, stranger, "find", json!({"query": "mine"})).await.is_empty());
    }
    write(&desk, &author, "move", json!({"skill_id": id, "audience": "workspace"})).await.ok();
    assert_eq!(lifecycle(&desk, &other, &id).await, "draft");
    // whoever sees it may change it, but not take it from the others
    write(&desk, &other, "publish", json!({"skill_id": id})).await.ok();
    write(&desk, &other, "move", json!({"skill_id": id, "audience": "personal"})).await.refused(403, "forbidden");
    write(&desk, &author, "move", json!({"skill_id": id, "audience": "personal"})).await.ok();
    desk.post(&other, &path("get"), json!({"skill_id": id})).await.refused(404, "not_found");
    // another workspace never sees it
    desk.post(&desk.user(1, 0), &path("get"), json!({"skill_id": id})).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_transfer_gives_a_skill_to_another_member() {
    let desk = Desk::new().await;
    let (author, heir) = (desk.user(0, 2), desk.user(0, 3));
    let id = create(&desk, &author, "Mine").await;
    let stranger = desk.workspace(1).members[0].user_id;
    let error = write(&desk, &author, "transfer", json!({"skill_id": id, "user_id": stranger})).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["user_id"]));
    let user = desk.workspace(0).members[3].user_id;
    write(&desk, &author, "transfer", json!({"skill_id": id, "user_id": user})).await.ok();
    assert_eq!(lifecycle(&desk, &heir, &id).await, "draft");
    desk.post(&author, &path("get"), json!({"skill_id": id})).await.refused(404, "not_found");

    let common = shared(&desk, &author, "Ours").await;
    write(&desk, &heir, "transfer", json!({"skill_id": common, "user_id": user})).await.refused(403, "forbidden");
    write(&desk, &desk.user(0, 1), "transfer", json!({"skill_id": common, "user_id": user})).await.ok();
}

#[tokio::test]
async fn install_and_uninstall_are_for_official_skills_only() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let all = official(&desk, &key).await;
    assert!(all.len() >= 3);
    assert!(all.iter().any(|skill| skill["installed"] == true) && all.iter().any(|skill| skill["installed"] == false));
    let away = all.iter().find(|skill| skill["installed"] == false).unwrap();
    let body = json!({"skill_id": away["id"]});
    let receipt = write(&desk, &key, "install", body.clone()).await.ok()["data"].clone();
    assert_eq!((&receipt["slug"], &receipt["lifecycle"]), (&away["slug"], &json!("published")));
    assert_eq!(read(&desk, &key, "get", body.clone()).await["installed"], true);
    write(&desk, &key, "install", body.clone()).await.ok();
    write(&desk, &key, "uninstall", body.clone()).await.ok();
    assert_eq!(read(&desk, &key, "get", body.clone()).await["installed"], false);
    // each workspace installs for itself
    let other = official(&desk, &desk.key(1)).await;
    assert!(other.iter().all(|skill| skill["id"] != away["id"]));

    let custom = json!({"skill_id": create(&desk, &key, "Mine").await});
    write(&desk, &key, "install", custom.clone()).await.refused(400, "bad_request");
    write(&desk, &key, "uninstall", custom).await.refused(400, "bad_request");
    for (verb, more) in [
        ("update", json!({"name": "x"})),
        ("publish", json!({})),
        ("unpublish", json!({})),
        ("delete", json!({})),
        ("move", json!({"audience": "personal"})),
        ("transfer", json!({"user_id": desk.workspace(0).members[0].user_id})),
    ] {
        let mut body = more;
        body["skill_id"] = away["id"].clone();
        write(&desk, &key, verb, body).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn a_fork_is_a_draft_of_ones_own_with_the_files_of_the_original() {
    let desk = Desk::new().await;
    let caller = desk.user(0, 2);
    let origin = official(&desk, &caller).await[0].clone();
    let receipt = write(&desk, &caller, "fork", json!({"skill_id": origin["id"]})).await.ok()["data"].clone();
    assert_ne!(receipt["slug"], origin["slug"]);
    let fork = read(&desk, &caller, "get", json!({"skill_id": receipt["skill_id"]})).await;
    let original = read(&desk, &caller, "get", json!({"skill_id": origin["id"]})).await;
    assert_eq!((&fork["files"], &fork["name"]), (&original["files"], &origin["name"]));
    assert_eq!((&fork["source"], &fork["lifecycle"], &fork["audience"]), (&json!("custom"), &json!("draft"), &json!("personal")));
    assert_eq!((&fork["revision"], &fork["installed"]), (&json!(1), &json!(false)));
    let named = write(&desk, &caller, "fork", json!({"skill_id": fork["id"], "name": "Our own"})).await.ok();
    assert_eq!(named["data"]["slug"], "our-own");
}

#[tokio::test]
async fn a_slug_is_the_workspaces_once() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let with_slug = |slug: &str| {
        let mut body = bundle("Visit notes");
        body["slug"] = json!(slug);
        body
    };
    assert_eq!(write(&desk, &key, "create", with_slug("visits")).await.ok()["data"]["slug"], "visits");
    write(&desk, &key, "create", with_slug("visits")).await.refused(409, "already_exists");
    write(&desk, &desk.key(1), "create", with_slug("visits")).await.ok();
    for slug in ["Visits", "a b", "-a", "a--b", "", "ä"] {
        write(&desk, &key, "create", with_slug(slug)).await.refused(400, "bad_request");
    }
    assert_eq!(write(&desk, &key, "create", bundle("Visits")).await.ok()["data"]["slug"], "visits-2");
    assert_eq!(write(&desk, &key, "create", bundle("東京")).await.ok()["data"]["slug"], "skill");
}

#[tokio::test]
async fn the_list_filters_by_source_lifecycle_audience_installed_q_and_days() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let all = read(&desk, &key, "list", json!({"limit": 100})).await["skills"].as_array().unwrap().clone();
    assert!(all.is_sorted_by(|a, b| a["updated_at"].as_str() >= b["updated_at"].as_str()));
    for (field, words) in [
        ("source", &["custom", "official"][..]),
        ("lifecycle", &["draft", "published", "unpublished"]),
        ("audience", &["personal", "workspace"]),
    ] {
        for word in words {
            let some = read(&desk, &key, "list", json!({field: [word], "limit": 100})).await["skills"].clone();
            let expected: Vec<_> = all.iter().filter(|skill| skill[field] == *word).collect();
            assert_eq!(some.as_array().unwrap().iter().collect::<Vec<_>>(), expected, "{field} {word}");
            assert!(!expected.is_empty(), "the sample has no {field} {word}");
        }
        let every = read(&desk, &key, "list", json!({field: words, "limit": 100})).await["skills"].clone();
        assert_eq!(every.as_array(), Some(&all));
    }
    let installed = names(&desk, &key, "list", json!({"installed": "installed"})).await.len();
    let not = names(&desk, &key, "list", json!({"installed": "not_installed", "limit": 100})).await.len();
    assert_eq!(installed + not, all.len());
    assert_eq!(names(&desk, &key, "list", json!({"q": "CALLS queue"})).await, ["Call sheet"]);
    assert_eq!(names(&desk, &key, "list", json!({"q": "permit-call script"})).await, ["Permit call script"]);
    assert_eq!(names(&desk, &key, "find", json!({"query": "permitt-brief"})).await, ["Permit brief"]);
    assert!(names(&desk, &key, "list", json!({"q": "%"})).await.is_empty());
    // a day is a whole day, both ends are in
    let day = &all[1]["updated_at"].as_str().unwrap()[..10];
    let on_it = read(&desk, &key, "list", json!({"updated_after": day, "updated_before": day})).await["skills"].clone();
    assert!(on_it.as_array().unwrap().contains(&all[1]));
    assert!(on_it.as_array().unwrap().iter().all(|skill| skill["updated_at"].as_str().unwrap().starts_with(day)));
    let page = read(&desk, &key, "list", json!({"limit": 2, "offset": 1})).await["skills"].clone();
    assert_eq!(page.as_array().unwrap()[..], all[1..3]);
}

#[tokio::test]
async fn deleted_is_never_offered_as_a_filter_and_limits_are_kept() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let error = desk.post(&key, &path("list"), json!({"lifecycle": ["deleted"]})).await.refused(400, "bad_request");
    assert_eq!(error["issues"][0]["code"], "invalid_enum_value");
    assert_eq!(error["issues"][0]["allowed"], json!(["draft", "published", "unpublished"]));
    names(&desk, &key, "list", json!({"q": "x".repeat(500)})).await;
    for body in [
        json!({"q": "x".repeat(501)}),
        json!({"installed": true}),
        json!({"updated_after": "2026-07-01T00:00:00Z"}),
        json!({"limit": 0}),
        json!({"limit": 101}),
        json!({"offset": -1}),
        json!({"colour": "red"}),
        json!([]),
    ] {
        desk.post(&key, &path("list"), body.clone()).await.refused(400, "bad_request");
    }
    desk.post(&key, &path("find"), json!({"query": ""})).await.refused(400, "bad_request");
    desk.post(&key, &path("find"), json!({})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn find_puts_what_the_name_says_first() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let mut body = bundle("Anything");
    body["description"] = json!("About the crane of the quay");
    write(&desk, &key, "create", body).await.ok();
    create(&desk, &key, "Crane lookup").await;
    assert_eq!(names(&desk, &key, "find", json!({"query": "crane"})).await, ["Crane lookup", "Anything"]);
    assert_eq!(names(&desk, &key, "find", json!({"query": "crane", "limit": 1})).await, ["Crane lookup"]);
    assert!(names(&desk, &key, "find", json!({"query": "zeppelin"})).await.is_empty());
}

#[tokio::test]
async fn every_write_needs_an_idempotency_key_of_1_to_200_characters() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    for verb in WRITES {
        let error = desk.post(&key, &path(verb), json!({})).await.refused(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["Idempotency-Key"]), "{verb}");
        keyed(&desk, &key, verb, &"k".repeat(201), &json!({})).await.refused(400, "bad_request");
        write(&desk, &desk.reading_key(0), verb, json!({})).await.refused(403, "forbidden");
    }
    keyed(&desk, &key, "create", &"k".repeat(200), &bundle("One")).await.ok();
    // reads are POST, and a key that may only read does them
    read(&desk, &desk.reading_key(0), "list", json!({})).await;
}

#[tokio::test]
async fn the_same_key_and_body_replay_the_receipt_and_another_body_is_409() {
    let desk = Desk::new().await;
    let (key, body) = (desk.key(0), bundle("Zeppelin"));
    let first = keyed(&desk, &key, "create", "intent-1", &body).await.ok();
    let again = keyed(&desk, &key, "create", "intent-1", &body).await.ok();
    assert_eq!(first, again);
    assert_eq!(names(&desk, &key, "find", json!({"query": "zeppelin"})).await.len(), 1);
    keyed(&desk, &key, "create", "intent-1", &bundle("Twice")).await.refused(409, "idempotency_conflict");
    // the same body for another route is another write
    let id = json!({"skill_id": first["data"]["skill_id"]});
    keyed(&desk, &key, "publish", "intent-2", &id).await.ok();
    keyed(&desk, &key, "unpublish", "intent-2", &id).await.refused(409, "idempotency_conflict");
    // a replay says what was said, though the Skill is gone
    write(&desk, &key, "delete", id.clone()).await.ok();
    assert_eq!(keyed(&desk, &key, "publish", "intent-2", &id).await.ok()["data"]["lifecycle"], "published");
    // a refusal leaves the key free
    keyed(&desk, &key, "create", "intent-3", &json!({"name": "x"})).await.refused(400, "bad_request");
    keyed(&desk, &key, "create", "intent-3", &bundle("Three")).await.ok();
    // keys of others are other keys
    keyed(&desk, &desk.user(0, 2), "create", "intent-1", &bundle("Elsewhere")).await.ok();
    keyed(&desk, &desk.key(1), "create", "intent-1", &bundle("Elsewhere")).await.ok();
}

#[tokio::test]
async fn a_key_is_remembered_for_24_hours_also_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let begin: chrono::DateTime<chrono::Utc> = "2026-03-01T09:00:00Z".parse().unwrap();
    let options = |hours| gantry::service::Options {
        data: gantry::service::Data::File(folder.path().join("gantry.db")),
        projects: 20,
        as_of: Some(begin + chrono::TimeDelta::hours(hours)),
        ..Default::default()
    };
    let mut ids = Vec::new();
    for hours in [0, 23, 25] {
        let desk = Desk::with(options(hours)).await;
        let said = keyed(&desk, &desk.user(0, 0), "create", "intent-1", &bundle("Once")).await.ok();
        ids.push(said["data"]["skill_id"].clone());
        desk.service.stop().await;
    }
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[1], ids[2]);
}

#[tokio::test]
async fn parallel_writes_under_one_key_are_one_write() {
    let desk = Desk::new().await;
    let (key, body) = (desk.key(0), bundle("Once"));
    let all = futures_util::future::join_all((0..8).map(|_| keyed(&desk, &key, "create", "intent-1", &body))).await;
    let ids: Vec<_> = all.into_iter().map(|said| said.ok()["data"]["skill_id"].clone()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
}

async fn batch(desk: &Desk, caller: &Caller, verb: &str, inputs: Value) -> Value {
    desk.post(caller, &path(&format!("{verb}/batch")), json!({ "inputs": inputs })).await.ok()
}

#[tokio::test]
async fn every_write_has_a_batch_whose_items_succeed_or_fail_alone() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let item = |name: &str, key: &str| {
        let mut item = bundle(name);
        item["idempotencyKey"] = json!(key);
        item
    };
    let inputs = json!([item("A", "a"), {"name": "no key"}, item("A", "a"), item("B", "a"), 7, item("C", &"c".repeat(201))]);
    let said = batch(&desk, &key, "create", inputs).await;
    assert_eq!(said["metadata"], json!({"credits": 0, "succeeded": 2, "failed": 4}));
    let results = said["data"]["results"].as_array().unwrap();
    let codes: Vec<_> = results.iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect();
    assert_eq!(codes, ["ok", "bad_request", "ok", "idempotency_conflict", "bad_request", "bad_request"]);
    assert_eq!(results[0]["record"], results[2]["record"]);
    assert_eq!((&results[4]["index"], &results[4]["status"]), (&json!(4), &json!("error")));
    // a batch item and a single write share their keys
    let single = keyed(&desk, &key, "create", "a", &bundle("A")).await.ok();
    assert_eq!(single["data"], results[0]["record"]);

    let id = results[0]["record"]["skill_id"].clone();
    let user = desk.workspace(0).members[2].user_id;
    for (verb, more) in [
        ("update", json!({"name": "Z"})),
        ("publish", json!({})),
        ("unpublish", json!({})),
        ("move", json!({"audience": "workspace"})),
        ("transfer", json!({"user_id": user})),
        ("fork", json!({})),
        ("delete", json!({})),
    ] {
        let mut item = more;
        item["skill_id"] = id.clone();
        item["idempotencyKey"] = json!(format!("{verb}-1"));
        let said = batch(&desk, &key, verb, json!([item])).await;
        assert_eq!(said["metadata"]["succeeded"], 1, "{verb} {said}");
    }
    let away = official(&desk, &key).await[0]["id"].clone();
    for verb in ["install", "uninstall"] {
        let said = batch(&desk, &key, verb, json!([{"skill_id": away, "idempotencyKey": verb}])).await;
        assert_eq!(said["data"]["results"][0]["record"]["skill_id"], away);
    }
}

#[tokio::test]
async fn a_batch_is_400_only_for_its_envelope_and_then_nothing_is_applied() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let mut item = bundle("Never");
    item["idempotencyKey"] = json!("n");
    for body in [json!({}), json!({"inputs": []}), json!({"inputs": vec![item.clone(); 101]}), json!({"inputs": item}), json!([])]
    {
        for verb in WRITES {
            desk.post(&key, &path(&format!("{verb}/batch")), body.clone()).await.refused(400, "bad_request");
        }
    }
    assert!(names(&desk, &key, "find", json!({"query": "never"})).await.is_empty());
}

#[tokio::test]
async fn batch_deletes_are_idempotent_per_item() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let id = create(&desk, &key, "Once").await;
    let nobody = "00000000-0000-4000-8000-000000000000";
    let inputs = json!([
        {"skill_id": id, "idempotencyKey": "1"}, {"skill_id": id, "idempotencyKey": "2"},
        {"skill_id": nobody, "idempotencyKey": "3"}, {"skill_id": "?", "idempotencyKey": "4"}]);
    let said = batch(&desk, &key, "delete", inputs).await;
    let statuses: Vec<_> = said["data"]["results"].as_array().unwrap().iter().map(|result| result["status"].clone()).collect();
    assert_eq!(statuses, ["ok", "ok", "ok", "error"]);
}

#[tokio::test]
async fn what_is_no_bundle_is_refused_with_its_issue() {
    let desk = Desk::new().await;
    let key = desk.key(0);
    let with = |field: &str, value: Value| {
        let mut body = bundle("Odd");
        body[field] = value;
        body
    };
    let file = |path: &str, content: &str| json!({"path": path, "content": content});
    for body in [
        json!({}),
        with("name", json!(" ")),
        with("name", json!("x".repeat(201))),
        with("description", json!(null)),
        with("audience", json!("world")),
        with("lifecycle", json!("published")),
        with("files", json!([])),
        with("files", json!([file("../secret", "")])),
        with("files", json!([file("/etc/hosts", "")])),
        with("files", json!([file("a//b", "")])),
        with("files", json!([file("a", ""), file("a", "")])),
        with("files", json!([{"path": "a"}])),
        with("files", json!([file("a", &"x".repeat((256 << 10) + 1))])),
    ] {
        let error = write(&desk, &key, "create", body).await.refused(400, "bad_request");
        assert!(error["issues"].is_array(), "{error}");
    }
    write(&desk, &key, "create", with("files", json!([file("a", &"x".repeat(256 << 10))]))).await.ok();
}
