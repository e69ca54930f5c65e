//! Alert mails (interface: Events 2, Signal subscription), in a real conversation with a mail
//! server.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::smtp_server::FakeSmtpServer;
use crate::support::TestService;
use gantry::service::{MailDestination, ServiceOptions, Storage, import};
use serde_json::{Value, json};

const PERMIT_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/san_francisco_400.csv"
);

/// A service with a file; `PERMITS` contains two weeks of its permits.
fn mail_options(folder: &Path, mail: MailDestination) -> ServiceOptions {
    ServiceOptions {
        data: Storage::File(folder.join("gantry.db")),
        projects: 20,
        as_of: Some("2018-03-10T12:00:00Z".parse().unwrap()),
        mail: Some(mail),
        mail_interval: Duration::from_millis(40),
        ..ServiceOptions::default()
    }
}

/// Creates the database with a single subscription that sends mails: the first workspace's to
/// `permit_filed`.
async fn create_database(folder: &Path, subscription: impl FnOnce(&TestService) -> Value) {
    let api = TestService::with_options(mail_options(
        folder,
        MailDestination::Folder(folder.join("first")),
    ))
    .await;
    for workspace in [0, 1] {
        let (key, id) = (api.api_key(workspace), api.workspace_id(workspace));
        let list = api
            .get(&key, &format!("/signal-subscriptions?workspace_id={id}"))
            .await
            .ok();
        for one in list["subscriptions"].as_array().unwrap() {
            let path = format!(
                "/signal-subscriptions/{}",
                one["signal_type"].as_str().unwrap()
            );
            api.put(&key, &path, json!({"workspace_id": id, "channels": []}))
                .await
                .ok();
        }
    }
    put_subscription(&api, subscription(&api)).await;
    api.service.stop().await;
    assert_eq!(
        file_count(&folder.join("first")),
        0,
        "signals from before mails were turned on are not reported"
    );
}

async fn put_subscription(api: &TestService, mut fields: Value) {
    fields["workspace_id"] = json!(api.workspace_id(0));
    api.put(
        &api.api_key(0),
        "/signal-subscriptions/permit_filed",
        fields,
    )
    .await
    .ok();
}

/// Imports the permit file, like `gantry import`.
fn import_permits(folder: &Path) {
    let options = import::ImportOptions {
        file: PERMIT_FILE.into(),
        layout: import::layout::PermitLayout::find("san-francisco", &[]).unwrap(),
        data: Storage::File(folder.join("gantry.db")),
        dry_run: false,
        rejects: None,
        now: "2018-03-10T12:00:00Z".parse().unwrap(),
    };
    import::run_import(&options, &mut |_| ControlFlow::Continue(())).unwrap();
}

fn file_count(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn member_id(api: &TestService, nth: usize) -> Value {
    json!(api.workspace(0).members[nth].user_id)
}

fn member_email(api: &TestService, nth: usize) -> String {
    api.workspace(0).members[nth].email.clone()
}

/// The filing numbers of the imported file's new signals in the first workspace's queue.
async fn imported_filings(api: &TestService) -> Vec<String> {
    let path = format!(
        "/signals/queue?signal_type=permit_filed&limit=200&workspace_id={}",
        api.workspace_id(0)
    );
    let body = api.get(&api.api_key(0), &path).await.ok();
    let known = std::fs::read_to_string(PERMIT_FILE).unwrap();
    let filings = body["signals"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|signal| signal["source_filing_id"].as_str());
    filings
        .filter(|filing| known.contains(&format!("\n{filing},")))
        .map(str::to_owned)
        .collect()
}

/// The text of a mail, without soft line breaks.
fn decoded_text(mail: &str) -> String {
    mail.replace("=\r\n", "").replace("=3D", "=")
}

async fn wait_rounds(count: u32) {
    tokio::time::sleep(Duration::from_millis(40) * count).await;
}

#[tokio::test]
async fn a_subscription_with_the_email_channel_mails_its_recipients_about_new_signals() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    let wanted = |api: &TestService| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2), member_id(api, 3)]});
    create_database(folder.path(), wanted).await;
    import_permits(folder.path());
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    let taken = server.wait_for_mails(2).await;
    wait_rounds(4).await;
    assert_eq!(
        server.received().len(),
        2,
        "one mail per recipient, however many signals there are"
    );

    let filings = imported_filings(&api).await;
    assert!(filings.len() > 25, "{filings:?}");
    let mut to: Vec<_> = taken.iter().map(|mail| mail.to.clone()).collect();
    to.sort();
    let mut expected = vec![member_email(&api, 2), member_email(&api, 3)];
    expected.sort();
    assert_eq!(to, expected);
    for mail in &taken {
        let text = decoded_text(&mail.text);
        assert_eq!(mail.from, "alerts@gantry.example");
        assert!(
            text.contains("From: gantry <alerts@gantry.example>\r\n"),
            "{text}"
        );
        assert!(
            text.contains(&format!(
                "{} new signals for {}.",
                filings.len(),
                api.workspace(0).name
            )),
            "{text}"
        );
        // the first signals of the queue are listed, the others counted
        let (first, rest) = filings.split_at(filings.len().min(25));
        assert!(
            first
                .iter()
                .all(|filing| text.contains(&format!(", {filing}\r\n"))),
            "{text}"
        );
        assert!(
            !rest.iter().any(|filing| text.contains(filing.as_str())),
            "{text}"
        );
        assert!(
            text.contains(&format!("\r\nAnd {} more in the queue.", rest.len())),
            "{text}"
        );
        for words in [
            "\r\nSubject: ",
            "Permit filed: ",
            "San Francisco, CA\r\n",
            "  reported cost $",
            "MEDIUM PRIORITY",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert!(
            text.contains("Date: Sat, 10 Mar 2018 12:00:")
                && text.contains("Auto-Submitted: auto-generated"),
            "{text}"
        );
        assert!(
            text.chars()
                .all(|c| !c.is_control() || c == '\r' || c == '\n'),
            "{text}"
        );
    }
    api.service.stop().await;
}

#[tokio::test]
async fn notify_all_members_mails_every_member_and_takes_precedence_over_recipients() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    let all = |api: &TestService| json!({"channels": ["email"], "notify_all_members": true, "recipient_user_ids": [member_id(api, 2)]});
    create_database(folder.path(), all).await;
    import_permits(folder.path());
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    let members = &api.workspace(0).members;
    let mut to: Vec<_> = server
        .wait_for_mails(members.len())
        .await
        .into_iter()
        .map(|mail| mail.to)
        .collect();
    let mut expected: Vec<_> = members.iter().map(|member| member.email.clone()).collect();
    to.sort();
    expected.sort();
    assert_eq!(to, expected);
    api.service.stop().await;
}

#[tokio::test]
async fn notify_all_members_mails_those_who_join_later_too() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |_| json!({"channels": ["email"], "notify_all_members": true}),
    )
    .await;
    let file = rusqlite::Connection::open(folder.path().join("gantry.db")).unwrap();
    file.execute_batch(
        "INSERT INTO users (id, email) VALUES (x'00000000000040008000000000000001', 'new@northline.example');
         INSERT INTO members SELECT id, x'00000000000040008000000000000001', 'member', 0 FROM workspaces ORDER BY rowid LIMIT 1",
    )
    .unwrap();
    drop(file);
    import_permits(folder.path());
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    let to: Vec<_> = server
        .wait_for_mails(api.workspace(0).members.len())
        .await
        .into_iter()
        .map(|mail| mail.to)
        .collect();
    assert!(to.contains(&"new@northline.example".to_owned()), "{to:?}");
    api.service.stop().await;
}

#[tokio::test]
async fn recipients_must_still_be_members_at_send_time() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    let wanted = |api: &TestService| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2), member_id(api, 3)]});
    create_database(folder.path(), wanted).await;
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    let leaving = member_email(&api, 3);
    server
        .recipient_replies
        .lock()
        .unwrap()
        .insert(leaving.clone(), "451 later");
    api.service.stop().await;
    import_permits(folder.path());
    // the mail was created but could not be sent; its recipient leaves before it can
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    server.wait_for_line(&format!("RCPT TO:<{leaving}>")).await;
    let path = format!("/workspace/members/{}", api.workspace(0).members[3].user_id);
    api.delete(&api.member_caller(0, 0), &path).await.ok();
    server.recipient_replies.lock().unwrap().clear();
    server.wait_for_mails(1).await;
    wait_rounds(12).await;
    let to: Vec<_> = server.received().into_iter().map(|mail| mail.to).collect();
    assert_eq!(to, [member_email(&api, 2)]);
    api.service.stop().await;
}

#[tokio::test]
async fn alerts_stop_with_the_subscription_or_its_channel() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |api| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2)]}),
    )
    .await;
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    put_subscription(&api, json!({"channels": []})).await;
    api.service.stop().await;
    import_permits(folder.path());
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    wait_rounds(6).await;
    assert_eq!(server.received(), []);
    // what was discovered while mails were off is not reported later
    put_subscription(&api, json!({"channels": ["email"]})).await;
    wait_rounds(6).await;
    assert_eq!(server.received(), []);
    api.service.stop().await;
}

#[tokio::test]
async fn a_mail_is_sent_once_even_across_restarts() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |api| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2)]}),
    )
    .await;
    import_permits(folder.path());
    for _ in 0..3 {
        let api = TestService::with_options(mail_options(
            folder.path(),
            MailDestination::Smtp(server.url()),
        ))
        .await;
        server.wait_for_mails(1).await;
        wait_rounds(3).await;
        api.service.stop().await;
        import_permits(folder.path()); // importing the same file again adds nothing
    }
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_temporary_smtp_failure_is_retried_and_a_permanent_one_is_not() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    let wanted = |api: &TestService| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 0), member_id(api, 1), member_id(api, 2)]});
    create_database(folder.path(), wanted).await;
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    server
        .recipient_replies
        .lock()
        .unwrap()
        .insert(member_email(&api, 1), "451 later");
    server
        .recipient_replies
        .lock()
        .unwrap()
        .insert(member_email(&api, 2), "550 nobody here");
    api.service.stop().await;
    import_permits(folder.path());
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    let asked = |nth: usize| {
        let command = format!("RCPT TO:<{}>", member_email(&api, nth));
        server
            .transcript
            .lock()
            .unwrap()
            .iter()
            .filter(|line| **line == command)
            .count()
    };
    assert_eq!(server.wait_for_mails(1).await[0].to, member_email(&api, 0));
    wait_rounds(10).await;
    assert!(asked(1) >= 2 && asked(2) == 1, "{} {}", asked(1), asked(2));
    server.recipient_replies.lock().unwrap().clear();
    assert_eq!(server.wait_for_mails(2).await[1].to, member_email(&api, 1));
    wait_rounds(4).await;
    assert_eq!(server.received().len(), 2);
    api.service.stop().await;
}

#[tokio::test]
async fn an_unreachable_smtp_server_loses_no_mail_even_across_a_restart() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |api| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2)]}),
    )
    .await;
    import_permits(folder.path());
    let nobody = MailDestination::Smtp("smtp://127.0.0.1:9".to_owned());
    let api = TestService::with_options(mail_options(folder.path(), nobody)).await;
    wait_rounds(4).await;
    api.service.stop().await;
    let later = ServiceOptions {
        as_of: Some("2018-03-10T14:00:00Z".parse().unwrap()),
        ..mail_options(folder.path(), MailDestination::Smtp(server.url()))
    };
    let api = TestService::with_options(later).await;
    assert_eq!(server.wait_for_mails(1).await[0].to, member_email(&api, 2));
    api.service.stop().await;
}

#[tokio::test]
async fn new_arrivals_are_mailed_as_digests_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mails = folder.path().join("mails");
    let api = TestService::with_options(ServiceOptions {
        projects: 60,
        arrival_interval: Some(Duration::from_millis(10)),
        mail: Some(MailDestination::Folder(mails.clone())),
        mail_interval: Duration::from_millis(200),
        ..ServiceOptions::default()
    })
    .await;
    for _ in 0..200 {
        if file_count(&mails) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    api.service.stop().await;
    let first = std::fs::read_dir(&mails)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!(first.extension().unwrap(), "eml");
    let mail = std::fs::read_to_string(&first).unwrap();
    assert!(
        mail.contains("new signal") && mail.contains("Message-ID: <"),
        "{mail}"
    );
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&first).unwrap().permissions())
            & 0o777,
        0o600
    );
}

#[tokio::test]
async fn disabled_mail_sends_and_queues_nothing() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |api| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2)]}),
    )
    .await;
    import_permits(folder.path());
    TestService::with_options(mail_options(folder.path(), MailDestination::Off))
        .await
        .service
        .stop()
        .await;
    let api = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp(server.url()),
    ))
    .await;
    wait_rounds(6).await;
    assert_eq!(server.received(), []);
    api.service.stop().await;
}

#[tokio::test]
async fn a_run_without_mail_options_leaves_the_outbox_alone() {
    let (folder, server) = (tempfile::tempdir().unwrap(), FakeSmtpServer::start().await);
    create_database(
        folder.path(),
        |api| json!({"channels": ["email"], "recipient_user_ids": [member_id(api, 2)]}),
    )
    .await;
    import_permits(folder.path());
    let run_without_mail = || async {
        let options = ServiceOptions {
            mail: None,
            ..mail_options(folder.path(), MailDestination::Off)
        };
        TestService::with_options(options)
            .await
            .service
            .stop()
            .await;
    };
    run_without_mail().await;
    let away = TestService::with_options(mail_options(
        folder.path(),
        MailDestination::Smtp("smtp://127.0.0.1:9".to_owned()),
    ))
    .await;
    wait_rounds(4).await;
    away.service.stop().await;
    run_without_mail().await;
    let later = Some("2018-03-10T14:00:00Z".parse().unwrap());
    let back = TestService::with_options(ServiceOptions {
        as_of: later,
        ..mail_options(folder.path(), MailDestination::Smtp(server.url()))
    })
    .await;
    assert_eq!(server.wait_for_mails(1).await[0].to, member_email(&back, 2));
    back.service.stop().await;
}

#[tokio::test]
async fn an_invalid_mail_url_is_rejected_at_start_without_its_password() {
    for url in [
        "smtp://",
        "smtp://u:secret@host:1?tls=maybe",
        "smtp://host?from=nobody",
        "http://u:secret@host",
    ] {
        let options = ServiceOptions {
            mail: Some(MailDestination::Smtp(url.to_owned())),
            ..ServiceOptions::default()
        };
        let text = format!("{:?}", options);
        let Err(error) = gantry::service::start(options).await else {
            panic!("{url} was accepted")
        };
        assert!(
            !format!("{text} {error} {error:?}").contains("secret"),
            "{text} {error}"
        );
    }
}
