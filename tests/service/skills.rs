//! Skills (interface: Workspace: Skills, Skill filter fields; decisions 2.18).

use crate::fields::assert_fields;
use crate::support::{TestCaller, TestResponse, TestService};
use serde_json::{Value, json};

pub const WRITE_VERBS: [&str; 10] = [
    "create",
    "update",
    "publish",
    "unpublish",
    "delete",
    "transfer",
    "move",
    "fork",
    "install",
    "uninstall",
];

pub fn skill_path(verb: &str) -> String {
    format!("/workspace/skills/{verb}")
}

/// A write with a given key.
pub async fn write_with_key(
    api: &TestService,
    caller: &TestCaller,
    verb: &str,
    key: &str,
    body: &Value,
) -> TestResponse {
    let query = caller
        .workspace
        .as_ref()
        .map(|id| format!("?workspace_id={id}"))
        .unwrap_or_default();
    let request = api.http.post(format!(
        "{}{}{query}",
        api.service.base_url(),
        skill_path(verb)
    ));
    let request = request
        .bearer_auth(caller.secret.as_deref().unwrap())
        .header("idempotency-key", key);
    let response = request
        .header("content-type", "application/json")
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    TestResponse {
        status,
        headers,
        body: serde_json::from_str(&text).unwrap_or_default(),
        text,
    }
}

/// A write with a new key.
pub async fn write_skill(
    api: &TestService,
    caller: &TestCaller,
    verb: &str,
    body: Value,
) -> TestResponse {
    write_with_key(api, caller, verb, &uuid::Uuid::new_v4().to_string(), &body).await
}

pub async fn read_skill(api: &TestService, caller: &TestCaller, verb: &str, body: Value) -> Value {
    let body = api.post(caller, &skill_path(verb), body).await.ok();
    assert_eq!(body["metadata"], json!({"credits": 0}));
    body["data"].clone()
}

pub fn skill_bundle(name: &str) -> Value {
    json!({"name": name, "description": "For the tests", "files": [
        {"path": "SKILL.md", "content": "# One\n"}, {"path": "prompts/open.md", "content": "Grüß Gott"}]})
}

pub async fn create_skill(api: &TestService, caller: &TestCaller, name: &str) -> Value {
    write_skill(api, caller, "create", skill_bundle(name))
        .await
        .ok()["data"]["skill_id"]
        .clone()
}

pub async fn create_shared_skill(api: &TestService, caller: &TestCaller, name: &str) -> Value {
    let mut body = skill_bundle(name);
    body["audience"] = json!("workspace");
    write_skill(api, caller, "create", body).await.ok()["data"]["skill_id"].clone()
}

pub async fn skill_lifecycle(api: &TestService, caller: &TestCaller, id: &Value) -> Value {
    read_skill(api, caller, "get", json!({"skill_id": id})).await["lifecycle"].clone()
}

pub async fn official_skills(api: &TestService, caller: &TestCaller) -> Vec<Value> {
    read_skill(api, caller, "list", json!({"source": ["official"]})).await["skills"]
        .as_array()
        .unwrap()
        .clone()
}

pub async fn skill_names(
    api: &TestService,
    caller: &TestCaller,
    verb: &str,
    body: Value,
) -> Vec<String> {
    let found = read_skill(api, caller, verb, body).await;
    found["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn reads_return_data_and_metadata_and_writes_a_receipt_without_content() {
    let api = TestService::new().await;
    let owner = api.member_caller(0, 0);
    let reply = write_skill(&api, &owner, "create", skill_bundle("Site visit notes"))
        .await
        .ok();
    assert_eq!(reply["metadata"], json!({"credits": 0}));
    let receipt = &reply["data"];
    let mut keys: Vec<_> = receipt
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["lifecycle", "revision", "skill_id", "slug", "updated_at"]
    );
    assert_eq!(
        (&receipt["slug"], &receipt["revision"]),
        (&json!("site-visit-notes"), &json!(1))
    );
    assert_eq!(receipt["lifecycle"], "draft");

    let skill = read_skill(
        &api,
        &owner,
        "get",
        json!({"skill_id": receipt["skill_id"]}),
    )
    .await;
    let files = json!([{"path": "SKILL.md", "size": 6}, {"path": "prompts/open.md", "size": 11}]);
    assert_eq!(skill["files"], files);
    let mut keys: Vec<_> = skill
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
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
    assert_eq!(
        (&skill["source"], &skill["audience"]),
        (&json!("custom"), &json!("personal"))
    );
    assert_eq!(
        (&skill["installed"], &skill["published_at"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        skill["created_by"],
        json!(api.workspace(0).members[0].user_id)
    );
    let file = read_skill(
        &api,
        &owner,
        "get-file",
        json!({"skill_id": skill["id"], "path": "prompts/open.md"}),
    )
    .await;
    assert_eq!(
        file,
        json!({"path": "prompts/open.md", "content": "Grüß Gott"})
    );
}

#[tokio::test]
async fn an_update_stores_a_revision_and_keeps_earlier_files() {
    let api = TestService::new().await;
    let owner = api.member_caller(0, 0);
    let id = create_skill(&api, &owner, "Site visit notes").await;
    let files = json!([{"path": "SKILL.md", "content": "# Two\n"}]);
    let reply = write_skill(
        &api,
        &owner,
        "update",
        json!({"skill_id": id, "files": files}),
    )
    .await
    .ok();
    assert_eq!(reply["data"]["revision"], 2);
    let reply = write_skill(
        &api,
        &owner,
        "update",
        json!({"skill_id": id, "name": "Notes of a visit"}),
    )
    .await
    .ok();
    assert_eq!(
        (&reply["data"]["revision"], &reply["data"]["slug"]),
        (&json!(3), &json!("site-visit-notes"))
    );
    // an update without a change is not a revision
    let reply = write_skill(
        &api,
        &owner,
        "update",
        json!({"skill_id": id, "files": files}),
    )
    .await
    .ok();
    assert_eq!(reply["data"]["revision"], 3);

    let revisions =
        read_skill(&api, &owner, "revisions", json!({"skill_id": id})).await["revisions"].clone();
    let numbers: Vec<_> = revisions
        .as_array()
        .unwrap()
        .iter()
        .map(|revision| revision["revision"].clone())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(
        revisions[0]["created_by"],
        json!(api.workspace(0).members[0].user_id)
    );
    assert!(revisions[0]["created_at"].is_string());
    let content = async |path: &str, revision: Value| {
        let mut body = json!({"skill_id": id, "path": path});
        if !revision.is_null() {
            body["revision"] = revision;
        }
        api.post(&owner, "/workspace/skills/get-file", body).await
    };
    assert_eq!(
        content("SKILL.md", json!(1)).await.ok()["data"]["content"],
        "# One\n"
    );
    assert_eq!(
        content("SKILL.md", Value::Null).await.ok()["data"]["content"],
        "# Two\n"
    );
    content("prompts/open.md", Value::Null)
        .await
        .expect_error(404, "not_found");
    content("SKILL.md", json!(4))
        .await
        .expect_error(404, "not_found");
    assert_eq!(
        read_skill(&api, &owner, "get", json!({"skill_id": id})).await["name"],
        "Notes of a visit"
    );
}

#[tokio::test]
async fn the_life_cycle_is_draft_published_unpublished_and_deleted_from_any() {
    let api = TestService::new().await;
    let owner = api.member_caller(0, 0);
    let id = create_skill(&api, &owner, "Site visit notes").await;
    let body = json!({"skill_id": id});
    write_skill(&api, &owner, "unpublish", body.clone())
        .await
        .expect_error(400, "bad_request");
    assert_eq!(
        write_skill(&api, &owner, "publish", body.clone())
            .await
            .ok()["data"]["lifecycle"],
        "published"
    );
    let published_at = read_skill(&api, &owner, "get", body.clone()).await["published_at"].clone();
    assert!(published_at.is_string());
    // repeating it changes nothing
    assert_eq!(
        write_skill(&api, &owner, "publish", body.clone())
            .await
            .ok()["data"]["lifecycle"],
        "published"
    );
    assert_eq!(
        read_skill(&api, &owner, "get", body.clone()).await["published_at"],
        published_at
    );
    assert_eq!(
        write_skill(&api, &owner, "unpublish", body.clone())
            .await
            .ok()["data"]["lifecycle"],
        "unpublished"
    );
    assert_eq!(
        write_skill(&api, &owner, "publish", body.clone())
            .await
            .ok()["data"]["lifecycle"],
        "published"
    );
    assert_eq!(
        write_skill(&api, &owner, "delete", body.clone()).await.ok()["data"]["lifecycle"],
        "deleted"
    );
    for verb in ["publish", "unpublish", "delete", "fork"] {
        write_skill(&api, &owner, verb, body.clone())
            .await
            .expect_error(404, "not_found");
    }
    for verb in ["get", "revisions"] {
        api.post(&owner, &skill_path(verb), body.clone())
            .await
            .expect_error(404, "not_found");
    }
    // from draft and from unpublished too
    let draft = create_skill(&api, &owner, "Draft").await;
    write_skill(&api, &owner, "delete", json!({"skill_id": draft}))
        .await
        .ok();
    let unpublished = create_skill(&api, &owner, "Unpublished").await;
    for verb in ["publish", "unpublish", "delete"] {
        write_skill(&api, &owner, verb, json!({"skill_id": unpublished}))
            .await
            .ok();
    }
    let left = skill_names(&api, &owner, "list", json!({"limit": 100})).await;
    assert!(
        !left
            .iter()
            .any(|name| ["Site visit notes", "Draft", "Unpublished"].contains(&name.as_str()))
    );
}

#[tokio::test]
async fn a_personal_skill_is_private_until_moved_to_the_workspace() {
    let api = TestService::new().await;
    let (author, other) = (api.member_caller(0, 2), api.member_caller(0, 3));
    let id = create_skill(&api, &author, "Mine").await;
    for stranger in [&other, &api.member_caller(0, 0), &api.api_key(1)] {
        api.post(stranger, &skill_path("get"), json!({"skill_id": id}))
            .await
            .expect_error(404, "not_found");
        write_skill(&api, stranger, "publish", json!({"skill_id": id}))
            .await
            .expect_error(404, "not_found");
        assert!(
            !skill_names(&api, stranger, "list", json!({"limit": 100}))
                .await
                .contains(&"Mine".to_owned())
        );
        assert!(
            skill_names(&api, stranger, "find", json!({"query": "mine"}))
                .await
                .is_empty()
        );
    }
    write_skill(
        &api,
        &author,
        "move",
        json!({"skill_id": id, "audience": "workspace"}),
    )
    .await
    .ok();
    assert_eq!(skill_lifecycle(&api, &other, &id).await, "draft");
    // whoever sees it may change it, but not take it from the others
    write_skill(&api, &other, "publish", json!({"skill_id": id}))
        .await
        .ok();
    write_skill(
        &api,
        &other,
        "move",
        json!({"skill_id": id, "audience": "personal"}),
    )
    .await
    .expect_error(403, "forbidden");
    write_skill(
        &api,
        &author,
        "move",
        json!({"skill_id": id, "audience": "personal"}),
    )
    .await
    .ok();
    api.post(&other, &skill_path("get"), json!({"skill_id": id}))
        .await
        .expect_error(404, "not_found");
    // another workspace never sees it
    api.post(
        &api.member_caller(1, 0),
        &skill_path("get"),
        json!({"skill_id": id}),
    )
    .await
    .expect_error(404, "not_found");
}

#[tokio::test]
async fn a_transfer_gives_a_skill_to_another_member() {
    let api = TestService::new().await;
    let (author, heir) = (api.member_caller(0, 2), api.member_caller(0, 3));
    let id = create_skill(&api, &author, "Mine").await;
    let stranger = api.workspace(1).members[0].user_id;
    let error = write_skill(
        &api,
        &author,
        "transfer",
        json!({"skill_id": id, "user_id": stranger}),
    )
    .await
    .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["user_id"]));
    let user = api.workspace(0).members[3].user_id;
    write_skill(
        &api,
        &author,
        "transfer",
        json!({"skill_id": id, "user_id": user}),
    )
    .await
    .ok();
    assert_eq!(skill_lifecycle(&api, &heir, &id).await, "draft");
    api.post(&author, &skill_path("get"), json!({"skill_id": id}))
        .await
        .expect_error(404, "not_found");

    let common = create_shared_skill(&api, &author, "Ours").await;
    write_skill(
        &api,
        &heir,
        "transfer",
        json!({"skill_id": common, "user_id": user}),
    )
    .await
    .expect_error(403, "forbidden");
    write_skill(
        &api,
        &api.member_caller(0, 1),
        "transfer",
        json!({"skill_id": common, "user_id": user}),
    )
    .await
    .ok();
}

#[tokio::test]
async fn install_and_uninstall_are_for_official_skills_only() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let all = official_skills(&api, &key).await;
    assert!(all.len() >= 3);
    assert!(
        all.iter().any(|skill| skill["installed"] == true)
            && all.iter().any(|skill| skill["installed"] == false)
    );
    let away = all
        .iter()
        .find(|skill| skill["installed"] == false)
        .unwrap();
    let body = json!({"skill_id": away["id"]});
    let receipt = write_skill(&api, &key, "install", body.clone()).await.ok()["data"].clone();
    assert_eq!(
        (&receipt["slug"], &receipt["lifecycle"]),
        (&away["slug"], &json!("published"))
    );
    assert_eq!(
        read_skill(&api, &key, "get", body.clone()).await["installed"],
        true
    );
    write_skill(&api, &key, "install", body.clone()).await.ok();
    write_skill(&api, &key, "uninstall", body.clone())
        .await
        .ok();
    assert_eq!(
        read_skill(&api, &key, "get", body.clone()).await["installed"],
        false
    );
    // each workspace has its own installations
    let other = official_skills(&api, &api.api_key(1)).await;
    assert!(other.iter().all(|skill| skill["id"] != away["id"]));

    let custom = json!({"skill_id": create_skill(&api, &key, "Mine").await});
    write_skill(&api, &key, "install", custom.clone())
        .await
        .expect_error(400, "bad_request");
    write_skill(&api, &key, "uninstall", custom)
        .await
        .expect_error(400, "bad_request");
    for (verb, more) in [
        ("update", json!({"name": "x"})),
        ("publish", json!({})),
        ("unpublish", json!({})),
        ("delete", json!({})),
        ("move", json!({"audience": "personal"})),
        (
            "transfer",
            json!({"user_id": api.workspace(0).members[0].user_id}),
        ),
    ] {
        let mut body = more;
        body["skill_id"] = away["id"].clone();
        write_skill(&api, &key, verb, body)
            .await
            .expect_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_fork_is_a_personal_draft_with_the_originals_files() {
    let api = TestService::new().await;
    let caller = api.member_caller(0, 2);
    let origin = official_skills(&api, &caller).await[0].clone();
    let receipt = write_skill(&api, &caller, "fork", json!({"skill_id": origin["id"]}))
        .await
        .ok()["data"]
        .clone();
    assert_ne!(receipt["slug"], origin["slug"]);
    let fork = read_skill(
        &api,
        &caller,
        "get",
        json!({"skill_id": receipt["skill_id"]}),
    )
    .await;
    let original = read_skill(&api, &caller, "get", json!({"skill_id": origin["id"]})).await;
    assert_eq!(
        (&fork["files"], &fork["name"]),
        (&original["files"], &origin["name"])
    );
    assert_eq!(
        (&fork["source"], &fork["lifecycle"], &fork["audience"]),
        (&json!("custom"), &json!("draft"), &json!("personal"))
    );
    assert_eq!(
        (&fork["revision"], &fork["installed"]),
        (&json!(1), &json!(false))
    );
    let named = write_skill(
        &api,
        &caller,
        "fork",
        json!({"skill_id": fork["id"], "name": "Our own"}),
    )
    .await
    .ok();
    assert_eq!(named["data"]["slug"], "our-own");
}

#[tokio::test]
async fn a_slug_is_unique_within_the_workspace() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let with_slug = |slug: &str| {
        let mut body = skill_bundle("Visit notes");
        body["slug"] = json!(slug);
        body
    };
    assert_eq!(
        write_skill(&api, &key, "create", with_slug("visits"))
            .await
            .ok()["data"]["slug"],
        "visits"
    );
    write_skill(&api, &key, "create", with_slug("visits"))
        .await
        .expect_error(409, "already_exists");
    write_skill(&api, &api.api_key(1), "create", with_slug("visits"))
        .await
        .ok();
    for slug in ["Visits", "a b", "-a", "a--b", "", "ä"] {
        write_skill(&api, &key, "create", with_slug(slug))
            .await
            .expect_error(400, "bad_request");
    }
    assert_eq!(
        write_skill(&api, &key, "create", skill_bundle("Visits"))
            .await
            .ok()["data"]["slug"],
        "visits-2"
    );
    assert_eq!(
        write_skill(&api, &key, "create", skill_bundle("東京"))
            .await
            .ok()["data"]["slug"],
        "skill"
    );
}

#[tokio::test]
async fn an_invalid_bundle_is_rejected_with_its_issue() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let with = |field: &str, value: Value| {
        let mut body = skill_bundle("Odd");
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
        let error = write_skill(&api, &key, "create", body)
            .await
            .expect_error(400, "bad_request");
        assert!(error["issues"].is_array(), "{error}");
    }
    write_skill(
        &api,
        &key,
        "create",
        with("files", json!([file("a", &"x".repeat(256 << 10))])),
    )
    .await
    .ok();
}

#[tokio::test]
async fn a_file_that_some_system_would_hide_misplace_or_not_create_is_rejected_with_its_path() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let with = |paths: &[&str]| {
        let files: Vec<Value> = paths
            .iter()
            .map(|path| json!({"path": path, "content": ""}))
            .collect();
        let mut body = skill_bundle("Odd");
        body["files"] = json!(files);
        body
    };
    for path in [
        ".ssh/authorized_keys",
        ".bashrc",
        "a/.git/config",
        "CON",
        "con.txt",
        "prompts/Aux",
        "lpt1.md",
        "COM\u{b9}",
        "nul .md",
        "a/../b",
        "./a",
        "/a",
        "a/",
        "C:/a",
        "a\\b",
        "a.",
        "a /b",
        "a:stream",
        "what?",
        "a\0b",
        "a\nb",
        "invoice\u{202e}fdp.md",
        "\u{2066}a",
    ] {
        let error = write_skill(&api, &key, "create", with(&["SKILL.md", path]))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            error["issues"][0]["path"],
            json!(["files", 1, "path"]),
            "{path:?}"
        );
    }
    for second in ["skill.MD", "SKILL.md/a"] {
        let error = write_skill(&api, &key, "create", with(&["SKILL.md", second]))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(
            error["issues"][0]["path"],
            json!(["files", 1, "path"]),
            "{second}"
        );
    }
    let fine = [
        "SKILL.md",
        "prompts/open.md",
        "Grüße & mehr (2).md",
        "console.md",
        "com10/a..b",
        "日本語.md",
    ];
    write_skill(&api, &key, "create", with(&fine)).await.ok();
}

#[tokio::test]
async fn every_skills_route_is_post() {
    let api = TestService::new().await;
    let reads = ["find", "list", "get", "get-file", "revisions"].map(str::to_owned);
    let writes = WRITE_VERBS
        .iter()
        .flat_map(|verb| [verb.to_string(), format!("{verb}/batch")]);
    for verb in reads.into_iter().chain(writes) {
        api.get(&api.api_key(0), &skill_path(&verb))
            .await
            .expect_error(405, "method_not_allowed");
        let reply = api
            .post(&api.api_key(0), &skill_path(&verb), json!([]))
            .await;
        assert_eq!(reply.status, 400, "{verb} {}", reply.text);
    }
    for verb in ["find/batch", "list/batch", "get/batch", "archive"] {
        api.post(&api.api_key(0), &skill_path(verb), json!({}))
            .await
            .expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn every_read_returns_data_and_metadata_with_0_credits() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Site visit notes").await;
    for (verb, body) in [
        ("find", json!({"query": "visit"})),
        ("list", json!({})),
        ("get", json!({"skill_id": id})),
        ("get-file", json!({"skill_id": id, "path": "SKILL.md"})),
        ("revisions", json!({"skill_id": id})),
    ] {
        let reply = api.post(&key, &skill_path(verb), body).await.ok();
        assert_fields(&reply, &[("data", "object"), ("metadata", "object")]);
        assert_eq!(reply["metadata"], json!({"credits": 0}), "{verb}");
    }
}

#[tokio::test]
async fn every_write_returns_a_receipt_without_content() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Site visit notes").await;
    let away = official_skills(&api, &key)
        .await
        .into_iter()
        .find(|skill| skill["installed"] == false)
        .unwrap()["id"]
        .clone();
    let user = api.workspace(0).members[2].user_id;
    for (verb, body) in [
        ("create", skill_bundle("Another")),
        (
            "update",
            json!({"skill_id": id, "files": [{"path": "SKILL.md", "content": "# Two"}]}),
        ),
        ("publish", json!({"skill_id": id})),
        ("unpublish", json!({"skill_id": id})),
        ("fork", json!({"skill_id": id})),
        ("move", json!({"skill_id": id, "audience": "workspace"})),
        ("transfer", json!({"skill_id": id, "user_id": user})),
        ("delete", json!({"skill_id": id})),
        ("install", json!({"skill_id": away})),
        ("uninstall", json!({"skill_id": away})),
    ] {
        let reply = write_skill(&api, &key, verb, body).await.ok();
        assert_eq!(reply["metadata"], json!({"credits": 0}), "{verb}");
        let receipt = [
            ("skill_id", "uuid"),
            ("slug", "string"),
            ("revision", "integer"),
            ("lifecycle", "draft|published|unpublished|deleted"),
            ("updated_at", "moment"),
        ];
        assert_fields(&reply["data"], &receipt);
    }
}

#[tokio::test]
async fn every_lifecycle_transition_is_applied_or_rejected() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    for (from, verb, to) in [
        ("draft", "publish", Ok("published")),
        ("draft", "unpublish", Err(400)),
        ("draft", "delete", Ok("deleted")),
        ("published", "publish", Ok("published")),
        ("published", "unpublish", Ok("unpublished")),
        ("published", "delete", Ok("deleted")),
        ("unpublished", "publish", Ok("published")),
        ("unpublished", "unpublish", Ok("unpublished")),
        ("unpublished", "delete", Ok("deleted")),
        ("deleted", "publish", Err(404)),
        ("deleted", "unpublish", Err(404)),
        ("deleted", "delete", Err(404)),
    ] {
        let body = json!({"skill_id": create_skill(&api, &key, "Turning").await});
        let way: &[&str] = match from {
            "published" => &["publish"],
            "unpublished" => &["publish", "unpublish"],
            "deleted" => &["delete"],
            _ => &[],
        };
        for verb in way {
            write_skill(&api, &key, verb, body.clone()).await.ok();
        }
        let reply = write_skill(&api, &key, verb, body).await;
        match to {
            Ok(state) => assert_eq!(reply.ok()["data"]["lifecycle"], state, "{from} {verb}"),
            Err(status) => assert_eq!(reply.status, status, "{from} {verb} {}", reply.text),
        }
    }
}

#[tokio::test]
async fn updates_and_moves_keep_the_lifecycle_state() {
    let api = TestService::new().await;
    let key = api.api_key(0);
    let id = create_skill(&api, &key, "Turning").await;
    write_skill(&api, &key, "publish", json!({"skill_id": id}))
        .await
        .ok();
    for (verb, body) in [
        (
            "update",
            json!({"skill_id": id, "description": "Other words"}),
        ),
        ("move", json!({"skill_id": id, "audience": "workspace"})),
    ] {
        assert_eq!(
            write_skill(&api, &key, verb, body).await.ok()["data"]["lifecycle"],
            "published",
            "{verb}"
        );
    }
}

#[tokio::test]
async fn skills_belong_to_their_workspace() {
    let api = TestService::new().await;
    let id = create_shared_skill(&api, &api.api_key(0), "Ours").await;
    for caller in [api.api_key(1), api.member_caller(1, 0)] {
        api.post(&caller, &skill_path("get"), json!({"skill_id": id}))
            .await
            .expect_error(404, "not_found");
        assert!(
            !skill_names(&api, &caller, "list", json!({"limit": 100}))
                .await
                .contains(&"Ours".to_owned())
        );
    }
    assert!(
        skill_names(
            &api,
            &api.member_caller(0, 3),
            "list",
            json!({"limit": 100})
        )
        .await
        .contains(&"Ours".to_owned())
    );
}
