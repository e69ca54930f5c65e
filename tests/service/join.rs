//! Join codes of the local service: `POST /join`, and the codes of invitations and walls.

use std::time::Duration;

use crate::smtp_server::FakeSmtpServer;
use crate::support::{TestCaller, TestResponse, TestService};
use gantry::domain::join_code::JoinCode;
use gantry::service::{MailDestination, ServiceOptions, Storage};
use serde_json::{Value, json};

/// Invites an address, and returns its invitation with the parsed code.
async fn invite(api: &TestService, email: &str, role: &str) -> (Value, JoinCode) {
    let body = json!({"email": email, "role": role});
    code_of(
        api.post(&api.member_caller(0, 0), "/workspace/invitations", body)
            .await
            .ok(),
    )
}

async fn create_wall(api: &TestService) -> (Value, JoinCode) {
    code_of(
        api.post(
            &api.member_caller(0, 0),
            "/workspace/walls",
            json!({"name": "Lobby"}),
        )
        .await
        .ok(),
    )
}

fn code_of(created: Value) -> (Value, JoinCode) {
    let code = JoinCode::parse(created["data"]["join_code"].as_str().unwrap()).unwrap();
    (created["data"].clone(), code)
}

async fn join(api: &TestService, code: &JoinCode, name: Option<&str>) -> TestResponse {
    api.post(
        &TestCaller::default(),
        "/join",
        json!({"secret": code.secret.encode(), "name": name}),
    )
    .await
}

/// Joins without the field `name`.
async fn join_unnamed(api: &TestService, code: &JoinCode) -> TestResponse {
    api.post(
        &TestCaller::default(),
        "/join",
        json!({"secret": code.secret.encode()}),
    )
    .await
}

fn caller(joined: &Value) -> TestCaller {
    TestCaller {
        secret: joined["data"]["token"].as_str().map(str::to_owned),
        workspace: joined["data"]["workspace"]["id"]
            .as_str()
            .map(str::to_owned),
    }
}

#[tokio::test]
async fn a_join_code_makes_its_holder_a_member_with_the_invitations_role() {
    let api = TestService::new().await;
    let (invitation, code) = invite(&api, "lee@northline.example", "admin").await;
    assert_eq!(code.base_url, api.service.base_url());
    let joined = join(&api, &code, Some(" Lee Park ")).await.ok();
    assert_eq!(joined["data"]["role"], "admin");
    assert_eq!(joined["data"]["user"]["email"], "lee@northline.example");
    assert_eq!(
        joined["data"]["workspace"],
        json!({"id": api.workspace_id(0), "name": api.workspace(0).name})
    );
    let lee = caller(&joined);
    let me = api.get(&lee, "/workspace").await.ok();
    assert_eq!(
        (&me["data"]["caller"]["role"], &me["data"]["caller"]["kind"]),
        (&json!("admin"), &json!("user"))
    );
    let members = api.get(&lee, "/workspace/members").await.ok()["data"]["members"].clone();
    let found = members
        .as_array()
        .unwrap()
        .iter()
        .find(|member| member["email"] == "lee@northline.example")
        .unwrap()
        .clone();
    assert_eq!(
        (&found["display_name"], &found["first_name"]),
        (&json!("Lee Park"), &json!("Lee"))
    );
    let list = api
        .get(&lee, "/workspace/invitations?status=accepted")
        .await
        .ok()["data"]["invitations"]
        .clone();
    let accepted = list
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == invitation["id"])
        .unwrap();
    assert!(accepted["accepted_at"].is_string());
}

#[tokio::test]
async fn a_code_is_shown_once_and_only_its_hash_is_stored() {
    let api = TestService::new().await;
    if api.has_no_file("it looks into the file") {
        return;
    }
    let (_, code) = invite(&api, "lee@northline.example", "member").await;
    let list = api.get(&api.api_key(0), "/workspace/invitations").await;
    assert!(
        !list.text.contains("join_code") && !list.text.contains("gj_"),
        "{}",
        list.text
    );
    let folder = api.database_path().parent().unwrap().to_owned();
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let encoded = code.secret.encode();
        for secret in [
            &code.secret.0[..],
            encoded.as_bytes(),
            code.encode().as_bytes(),
        ] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret));
        }
    }
}

#[tokio::test]
async fn used_revoked_and_unknown_codes_are_rejected_with_one_line_each() {
    let api = TestService::new().await;
    let (_, used) = invite(&api, "lee@northline.example", "member").await;
    join(&api, &used, Some("Lee")).await.ok();
    let error = join(&api, &used, Some("Mallory"))
        .await
        .expect_error(410, "code_used");
    assert_eq!(
        error["message"],
        "this join code was already used: ask the person who invited you for a new one"
    );

    let (invitation, revoked) = invite(&api, "ana@northline.example", "member").await;
    let path = format!(
        "/workspace/invitations/{}",
        invitation["id"].as_str().unwrap()
    );
    api.delete(&api.api_key(0), &path).await.ok();
    let error = join(&api, &revoked, Some("Ana"))
        .await
        .expect_error(410, "code_revoked");
    assert_eq!(
        error["message"],
        "this join code was revoked: ask the person who invited you for a new one"
    );

    let unknown = JoinCode {
        secret: gantry::domain::join_code::JoinSecret([7; 16]),
        ..revoked
    };
    let error = join(&api, &unknown, Some("Ana"))
        .await
        .expect_error(404, "not_found");
    let wrong = api
        .post(
            &TestCaller::default(),
            "/join",
            json!({"secret": "nothing", "name": "Ana"}),
        )
        .await;
    assert_eq!(
        wrong.expect_error(404, "not_found"),
        error,
        "unknown and malformed are the same"
    );
}

#[tokio::test]
async fn a_code_expires_with_its_invitation_and_survives_restarts_until_then() {
    let folder = tempfile::tempdir().unwrap();
    let begin: chrono::DateTime<chrono::Utc> = "2026-03-01T09:00:00Z".parse().unwrap();
    let options = |days| ServiceOptions {
        data: Storage::File(folder.path().join("gantry.db")),
        projects: 20,
        as_of: Some(begin + chrono::TimeDelta::days(days)),
        ..Default::default()
    };
    let api = TestService::with_options(options(0)).await;
    let (_, first) = invite(&api, "lee@northline.example", "member").await;
    let (_, second) = invite(&api, "ana@northline.example", "member").await;
    let (_, wall) = create_wall(&api).await;
    api.service.stop().await;

    let api = TestService::with_options(options(13)).await;
    join(&api, &first, Some("Lee")).await.ok();
    api.service.stop().await;

    let api = TestService::with_options(options(15)).await;
    for code in [second, wall] {
        let error = join(&api, &code, Some("Ana"))
            .await
            .expect_error(410, "code_expired");
        assert_eq!(
            error["message"],
            "this join code has expired: ask the person who invited you for a new one"
        );
    }
    api.service.stop().await;
}

#[tokio::test]
async fn a_code_names_the_service_that_created_it_though_another_one_used_the_file_since() {
    let folder = tempfile::tempdir().unwrap();
    let data = Storage::File(folder.path().join("gantry.db"));
    let options = ServiceOptions {
        data,
        projects: 20,
        ..Default::default()
    };
    let api = TestService::with_options(options.clone()).await;
    TestService::with_options(options)
        .await
        .service
        .stop()
        .await;
    let (_, code) = invite(&api, "lee@northline.example", "member").await;
    assert_eq!(code.base_url, api.service.base_url());
    let (_, code) = create_wall(&api).await;
    assert_eq!(code.base_url, api.service.base_url());
    api.service.stop().await;
}

#[tokio::test]
async fn of_ten_people_who_redeem_a_code_at_once_exactly_one_joins() {
    let api = TestService::new().await;
    let (_, code) = invite(&api, "lee@northline.example", "member").await;
    let replies =
        futures_util::future::join_all((0..10).map(|_| join(&api, &code, Some("Lee")))).await;
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(
        (statuses[0], statuses[1], statuses.len()),
        (200, 410, 10),
        "{statuses:?}"
    );
}

#[tokio::test]
async fn a_code_without_a_name_asks_for_it_and_stays_valid() {
    let api = TestService::new().await;
    let (_, code) = invite(&api, "lee@northline.example", "member").await;
    let error = join_unnamed(&api, &code)
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["path"], json!(["name"]));
    for name in [
        "",
        "  ",
        "a\nb",
        "a\0b",
        "Lee \u{202e}kraP",
        "Lee\u{200e}",
        "\u{2066}Lee",
        "\u{61c}Lee",
        "L\u{200b}ee",
    ] {
        let error = join(&api, &code, Some(name))
            .await
            .expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["name"]), "{name:?}");
    }
    // joiners belong to the spelling of some languages, and to emoji
    join(&api, &code, Some("Lee نامه\u{200c}ای 👩\u{200d}🔧"))
        .await
        .ok();
}

#[tokio::test]
async fn a_wall_has_a_name_that_can_be_read() {
    let api = TestService::new().await;
    for name in [" ", "Lob\0by", "Lobby\u{202e}"] {
        let created = api
            .post(
                &api.member_caller(0, 0),
                "/workspace/walls",
                json!({"name": name}),
            )
            .await;
        let error = created.expect_error(400, "bad_request");
        assert_eq!(error["issues"][0]["path"], json!(["name"]), "{name:?}");
    }
}

/// A service on this file, as of a date or today.
async fn start_as_of(file: &std::path::Path, date: Option<&str>) -> TestService {
    TestService::with_options(ServiceOptions {
        data: Storage::File(file.to_owned()),
        projects: 20,
        as_of: date.map(|date| date.parse().unwrap()),
        ..Default::default()
    })
    .await
}

/// A service on this file, after it was stopped for a number of days.
async fn start_after_days(file: &std::path::Path, days: i64) -> TestService {
    let conn = rusqlite::Connection::open(file).unwrap();
    conn.execute_batch(&format!(
        "UPDATE access_tokens SET used_at = used_at - {days} * 86400000"
    ))
    .unwrap();
    drop(conn);
    start_as_of(file, None).await
}

#[tokio::test]
async fn a_command_on_the_file_of_a_service_changes_nothing_for_its_team_whatever_day_each_is_as_of()
 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gantry.db");
    let served = start_as_of(&file, Some("2018-04-16T00:00:00Z")).await;
    let (_, code) = invite(&served, "dee@northline.example", "member").await;
    let dee = caller(&join(&served, &code, Some("Dee")).await.ok());
    let stats = served.get(&dee, "/signals/queue/stats").await.ok();
    assert_ne!(stats["new_count"], 0);
    for date in [None, Some("2040-01-01T00:00:00Z"), None] {
        start_as_of(&file, date).await.service.stop().await;
        assert_eq!(served.get(&dee, "/signals/queue/stats").await.ok(), stats);
        for member in [&dee, &served.member_caller(0, 0), &served.api_key(0)] {
            served.get(member, "/workspace").await.ok();
        }
    }
    served.service.stop().await;
}

#[tokio::test]
async fn a_token_that_is_used_never_ends_and_an_unused_one_ends_after_30_days() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gantry.db");
    let api = start_as_of(&file, None).await;
    let mut callers = Vec::new();
    for email in [
        "lee@northline.example",
        "ana@northline.example",
        "max@northline.example",
    ] {
        let (_, code) = invite(&api, email, "member").await;
        callers.push(caller(&join(&api, &code, Some("Lee")).await.ok()));
    }
    let [reads, writes, rests] = &callers[..] else {
        unreachable!()
    };
    let view = json!({"name": "Ours", "dataset": "account", "type": "static"});
    api.service.stop().await;
    for day in [20, 40, 60] {
        let api = start_after_days(&file, 20).await;
        api.get(reads, "/workspace").await.ok();
        api.post(writes, "/workspace/views/upsert", view.clone())
            .await
            .ok();
        if day > 30 {
            api.get(rests, "/workspace")
                .await
                .expect_error(401, "unauthorized");
        }
        api.service.stop().await;
    }
}

#[tokio::test]
async fn a_member_whose_token_has_ended_gets_a_new_one_with_a_join_code_and_keeps_the_role() {
    let api = TestService::new().await;
    let member = &api.workspace(0).members[1];
    let path = format!("/workspace/members/{}/join-code", member.user_id);
    let again = async || {
        code_of(
            api.post(&api.member_caller(0, 1), &path, json!({}))
                .await
                .ok(),
        )
        .1
    };
    let (first, second) = (again().await, again().await);
    join_unnamed(&api, &first)
        .await
        .expect_error(410, "code_revoked");
    let joined = join_unnamed(&api, &second).await.ok();
    assert_eq!(
        (&joined["data"]["role"], &joined["data"]["user"]["email"]),
        (&json!("admin"), &json!(member.email))
    );
    let me = api.get(&caller(&joined), "/workspace").await.ok();
    assert_eq!(me["data"]["caller"]["user_id"], json!(member.user_id));
    api.get(&api.member_caller(0, 1), "/workspace").await.ok();
    join_unnamed(&api, &second)
        .await
        .expect_error(410, "code_used");
    let body = json!({"email": member.email, "role": "member"});
    api.post(&api.member_caller(0, 0), "/workspace/invitations", body)
        .await
        .expect_error(409, "already_exists");
}

#[tokio::test]
async fn nobody_becomes_an_owner_with_a_code_of_an_admin_and_a_removed_member_stays_out() {
    let api = TestService::new().await;
    let path = |nth: usize| {
        format!(
            "/workspace/members/{}/join-code",
            api.workspace(0).members[nth].user_id
        )
    };
    for caller in [api.member_caller(0, 1), api.api_key(0)] {
        api.post(&caller, &path(0), json!({}))
            .await
            .expect_error(403, "forbidden");
    }
    api.post(&api.member_caller(0, 2), &path(3), json!({}))
        .await
        .expect_error(403, "forbidden");
    let owner = api.member_caller(0, 0);
    let (_, code) = code_of(api.post(&owner, &path(3), json!({})).await.ok());
    let removed = &api.workspace(0).members[3];
    api.delete(&owner, &format!("/workspace/members/{}", removed.user_id))
        .await
        .ok();
    join_unnamed(&api, &code)
        .await
        .expect_error(410, "code_revoked");
    api.post(&owner, &path(3), json!({}))
        .await
        .expect_error(404, "not_found");

    let (_, code) = invite(&api, &removed.email, "member").await;
    join(&api, &code, Some("Back")).await.ok();
    api.get(&api.member_caller(0, 3), "/workspace")
        .await
        .expect_error(401, "unauthorized");
}

#[tokio::test]
async fn an_admin_cannot_enter_another_workspace_as_somebody_they_invite() {
    let api = TestService::new().await;
    let (owner, admin) = (&api.workspace(0).members[0], api.member_caller(1, 0));
    let invited = api
        .post(
            &admin,
            "/workspace/invitations",
            json!({"email": owner.email, "role": "member"}),
        )
        .await
        .ok();
    let (_, code) = code_of(invited);
    let joined = join(&api, &code, Some("Mallory")).await.ok();
    let there = caller(&joined);
    assert_eq!(
        there.workspace.as_deref(),
        Some(api.workspace_id(1).as_str())
    );
    assert_eq!(
        api.get(&there, "/workspace").await.ok()["data"]["caller"]["role"],
        "member"
    );
    let elsewhere = TestCaller {
        workspace: Some(api.workspace_id(0)),
        ..there.clone()
    };
    let error = api
        .get(&elsewhere, "/workspace")
        .await
        .expect_error(403, "forbidden");
    assert_eq!(error["message"], "you are not a member of this workspace");
    let error = api
        .get(
            &TestCaller {
                workspace: None,
                ..there.clone()
            },
            "/workspace",
        )
        .await
        .expect_error(400, "bad_request");
    assert_eq!(error["issues"][0]["allowed"], json!([api.workspace_id(1)]));

    // who is removed and invited again needs another code
    api.delete(&admin, &format!("/workspace/members/{}", owner.user_id))
        .await
        .ok();
    api.get(&there, "/workspace")
        .await
        .expect_error(401, "unauthorized");
    api.get(&api.member_caller(0, 0), "/workspace").await.ok();
}

#[tokio::test]
async fn the_code_of_a_member_who_becomes_an_owner_is_void() {
    let api = TestService::new().await;
    let (owner, admin) = (api.member_caller(0, 0), api.member_caller(0, 1));
    let member = format!("/workspace/members/{}", api.workspace(0).members[3].user_id);
    let (_, code) = code_of(
        api.post(&admin, &format!("{member}/join-code"), json!({}))
            .await
            .ok(),
    );
    api.send(
        &owner,
        "PATCH",
        &member,
        Some(json!({"role": "owner"}).to_string()),
    )
    .await
    .ok();
    join_unnamed(&api, &code)
        .await
        .expect_error(410, "code_revoked");
}

#[tokio::test]
async fn an_address_that_guesses_codes_has_to_wait() {
    let api = TestService::new().await;
    let guess = async || {
        api.post(
            &TestCaller::default(),
            "/join",
            json!({"secret": "AAAAAAAAAAAAAAAAAAAAAA"}),
        )
        .await
    };
    for _ in 0..10 {
        guess().await.expect_error(404, "not_found");
    }
    let reply = guess().await;
    assert!(reply.headers.contains_key("retry-after"));
    reply.expect_error(429, "rate_limited");
    api.get(&api.api_key(0), "/workspace").await.ok();
}

#[tokio::test]
async fn a_wall_reads_and_writes_nothing_until_it_is_revoked() {
    let api = TestService::new().await;
    let (created, code) = create_wall(&api).await;
    assert_eq!(
        (&created["name"], &created["status"]),
        (&json!("Lobby"), &json!("pending"))
    );
    let joined = join_unnamed(&api, &code).await.ok();
    assert_eq!(
        (&joined["data"]["role"], &joined["data"]["user"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(joined["data"]["scopes"], json!(["workspace:read"]));
    let wall = caller(&joined);
    let me = api.get(&wall, "/workspace").await.ok();
    assert_eq!(me["data"]["caller"]["scopes"], json!(["workspace:read"]));
    let stats = format!("/signals/queue/stats?workspace_id={}", api.workspace_id(0));
    api.get(
        &TestCaller {
            workspace: None,
            ..wall.clone()
        },
        &stats,
    )
    .await
    .ok();
    for (method, path, body) in [
        (
            "POST",
            "/workspace/views/upsert",
            json!({"name": "Ours", "dataset": "account", "type": "static"}),
        ),
        (
            "POST",
            "/workspace/invitations",
            json!({"email": "x@northline.example"}),
        ),
        ("POST", "/workspace/walls", json!({})),
    ] {
        api.send(&wall, method, path, Some(body.to_string()))
            .await
            .expect_error(403, "forbidden");
    }
    join_unnamed(&api, &code)
        .await
        .expect_error(410, "code_used");

    let owner = api.member_caller(0, 0);
    let listed = api.get(&owner, "/workspace/walls").await.ok()["data"]["walls"][0].clone();
    let prefix = listed["key_prefix"].as_str().unwrap();
    assert!(
        wall.secret.as_ref().unwrap().starts_with(prefix) && listed["status"] == "accepted",
        "{listed}"
    );
    let path = format!("/workspace/walls/{}", listed["id"].as_str().unwrap());
    api.delete(&api.member_caller(0, 2), &path)
        .await
        .expect_error(403, "forbidden");
    assert_eq!(
        api.delete(&owner, &path).await.ok()["data"]["name"],
        "Lobby"
    );
    api.get(&wall, "/workspace")
        .await
        .expect_error(401, "unauthorized");
    api.delete(&owner, &path)
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn where_mail_is_configured_the_code_is_in_the_mail_only() {
    let folder = tempfile::tempdir().unwrap();
    let mails = folder.path().join("mails");
    let api = TestService::with_options(ServiceOptions {
        projects: 20,
        mail: Some(MailDestination::Folder(mails.clone())),
        mail_interval: Duration::from_millis(20),
        ..Default::default()
    })
    .await;
    let body = json!({"email": "lee@northline.example", "role": "member"});
    let invited = api
        .post(&api.member_caller(0, 0), "/workspace/invitations", body)
        .await
        .ok();
    assert_eq!(
        (
            &invited["data"]["is_mailed"],
            invited["data"].get("join_code")
        ),
        (&json!(true), None)
    );
    assert_eq!(
        api.get(&api.api_key(0), "/workspace").await.ok()["data"]["sends_invitations"],
        true
    );
    let mail = wait_for_mail(&mails, "To: lee@northline.example").await;
    assert!(mail.contains("  gantry join\r\n"), "{mail}");
    let code = mail.lines().find(|line| line.starts_with("gj_")).unwrap();
    join(&api, &JoinCode::parse(code).unwrap(), Some("Lee"))
        .await
        .ok();
    api.service.stop().await;
}

/// A service that mails invitations through a server.
async fn start_with_smtp(server: &FakeSmtpServer) -> TestService {
    TestService::with_options(ServiceOptions {
        projects: 20,
        mail: Some(MailDestination::Smtp(server.url())),
        mail_interval: Duration::from_millis(20),
        ..Default::default()
    })
    .await
}

/// The code in a mail, with the line breaks that the mail server may have added.
fn mailed_code(text: &str) -> JoinCode {
    let body = text.split_once("\r\n\r\n").unwrap().1.replace("=\r\n", "");
    JoinCode::parse(body.lines().find(|line| line.starts_with("gj_")).unwrap()).unwrap()
}

#[tokio::test]
async fn a_mail_server_gets_the_code_once_it_accepts_the_address_and_the_code_admits() {
    let server = FakeSmtpServer::start().await;
    let api = start_with_smtp(&server).await;
    for (email, reply) in [
        ("later@northline.example", "451 later"),
        ("nobody@northline.example", "550 nobody here"),
    ] {
        server
            .recipient_replies
            .lock()
            .unwrap()
            .insert(email.to_owned(), reply);
        let invited = api
            .post(
                &api.member_caller(0, 0),
                "/workspace/invitations",
                json!({"email": email}),
            )
            .await
            .ok();
        assert_eq!(invited["data"]["is_mailed"], true);
        server.wait_for_line(&format!("RCPT TO:<{email}>")).await;
    }
    assert_eq!(server.received(), []);
    server
        .recipient_replies
        .lock()
        .unwrap()
        .remove("later@northline.example");
    let mails = server.wait_for_mails(1).await;
    assert_eq!(
        (mails[0].to.as_str(), mails[0].from.as_str()),
        ("later@northline.example", "alerts@gantry.example")
    );
    join(&api, &mailed_code(&mails[0].text), Some("Lee"))
        .await
        .ok();

    // The member's new code is mailed too.
    let members =
        api.get(&api.api_key(0), "/workspace/members").await.ok()["data"]["members"].clone();
    let lee = members
        .as_array()
        .unwrap()
        .iter()
        .find(|member| member["email"] == "later@northline.example")
        .unwrap()
        .clone();
    let path = format!(
        "/workspace/members/{}/join-code",
        lee["id"].as_str().unwrap()
    );
    let again = api
        .post(&api.member_caller(0, 0), &path, json!({}))
        .await
        .ok();
    assert_eq!(
        (&again["data"]["is_mailed"], again["data"].get("join_code")),
        (&json!(true), None)
    );
    let mails = server.wait_for_mails(2).await;
    join_unnamed(&api, &mailed_code(&mails[1].text)).await.ok();
    api.service.stop().await;
}

/// Waits until the folder has a mail that contains this.
async fn wait_for_mail(folder: &std::path::Path, wanted: &str) -> String {
    for _ in 0..500 {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            if text.contains(wanted) {
                return text;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no mail with {wanted}");
}

#[tokio::test]
async fn behind_a_trusted_balancer_only_the_client_that_guesses_codes_has_to_wait() {
    let guess = async |api: &TestService, client: &str| {
        let url = format!("{}/join", api.service.base_url());
        let request = api
            .http
            .post(url)
            .header("x-forwarded-for", client)
            .header("content-type", "application/json");
        request
            .body(r#"{"secret": "AAAAAAAAAAAAAAAAAAAAAA"}"#)
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    for (trusted_proxies, other_client) in [
        (vec!["127.0.0.0/8".parse().unwrap()], 404),
        (Vec::new(), 429),
    ] {
        let api = TestService::with_options(ServiceOptions {
            trusted_proxies,
            projects: 20,
            ..ServiceOptions::default()
        })
        .await;
        for nth in 0..10 {
            // what the client itself wrote into the header does not count
            assert_eq!(
                guess(&api, &format!("198.51.100.{nth}, 203.0.113.7")).await,
                404
            );
        }
        assert_eq!(guess(&api, "203.0.113.7").await, 429);
        assert_eq!(guess(&api, "203.0.113.8").await, other_client);
    }
}
