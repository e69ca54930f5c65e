//! Alert mails (interface: Events 2, Signal subscription), in a real conversation with a mail server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::smtp::Smtp;
use crate::support::Desk;
use gantry::service::{MailDestination, ServiceOptions, Storage, import};
use serde_json::{Value, json};

const PERMITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/san_francisco_400.csv");

/// A service over a file, a fortnight of whose permits are in `PERMITS`.
fn options(folder: &Path, mail: MailDestination) -> ServiceOptions {
    ServiceOptions {
        data: Storage::File(folder.join("gantry.db")),
        projects: 20,
        as_of: Some("2018-03-10T12:00:00Z".parse().unwrap()),
        mail: Some(mail),
        mail_interval: Duration::from_millis(40),
        ..ServiceOptions::default()
    }
}

/// Makes the database, and in it one subscription that sends mails: the first workspace's to `permit_filed`.
async fn world(folder: &Path, subscription: impl FnOnce(&Desk) -> Value) {
    let desk = Desk::with(options(folder, MailDestination::Folder(folder.join("first")))).await;
    for workspace in [0, 1] {
        let (key, id) = (desk.key(workspace), desk.id(workspace));
        let list = desk.get(&key, &format!("/signal-subscriptions?workspace_id={id}")).await.ok();
        for one in list["subscriptions"].as_array().unwrap() {
            let path = format!("/signal-subscriptions/{}", one["signal_type"].as_str().unwrap());
            desk.put(&key, &path, json!({"workspace_id": id, "channels": []})).await.ok();
        }
    }
    subscribe(&desk, subscription(&desk)).await;
    desk.service.stop().await;
    assert_eq!(files(&folder.join("first")), 0, "what was there before mails were on is no news");
}

async fn subscribe(desk: &Desk, mut fields: Value) {
    fields["workspace_id"] = json!(desk.id(0));
    desk.put(&desk.key(0), "/signal-subscriptions/permit_filed", fields).await.ok();
}

/// The import of the permit file, as `gantry import` does it.
fn import(folder: &Path) {
    let options = import::ImportOptions {
        file: PERMITS.into(),
        layout: "san-francisco".to_owned(),
        layout_folders: Vec::new(),
        data: folder.join("gantry.db"),
        dry_run: false,
        rejects: None,
        now: "2018-03-10T12:00:00Z".parse().unwrap(),
    };
    import::run_import(&options, &mut |_| ControlFlow::Continue(())).unwrap();
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn user(desk: &Desk, nth: usize) -> Value {
    json!(desk.workspace(0).members[nth].user_id)
}

fn email(desk: &Desk, nth: usize) -> String {
    desk.workspace(0).members[nth].email.clone()
}

/// The new signals of the imported file in the first workspace's queue: filing numbers.
async fn imported(desk: &Desk) -> Vec<String> {
    let path = format!("/signals/queue?signal_type=permit_filed&limit=200&workspace_id={}", desk.id(0));
    let body = desk.get(&desk.key(0), &path).await.ok();
    let known = std::fs::read_to_string(PERMITS).unwrap();
    let filings = body["signals"].as_array().unwrap().iter().filter_map(|signal| signal["source_filing_id"].as_str());
    filings.filter(|filing| known.contains(&format!("\n{filing},"))).map(str::to_owned).collect()
}

/// The text of a mail, its soft line breaks undone.
fn text(mail: &str) -> String {
    mail.replace("=\r\n", "").replace("=3D", "=")
}

async fn rounds(count: u32) {
    tokio::time::sleep(Duration::from_millis(40) * count).await;
}

#[tokio::test]
async fn a_subscription_with_the_email_channel_mails_its_recipients_about_new_signals() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    let wanted = |desk: &Desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2), user(desk, 3)]});
    world(folder.path(), wanted).await;
    import(folder.path());
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    let taken = server.wait(2).await;
    rounds(4).await;
    assert_eq!(server.taken().len(), 2, "one mail for each recipient, however many signals there are");

    let filings = imported(&desk).await;
    assert!(filings.len() > 25, "{filings:?}");
    let mut to: Vec<_> = taken.iter().map(|mail| mail.to.clone()).collect();
    to.sort();
    let mut expected = vec![email(&desk, 2), email(&desk, 3)];
    expected.sort();
    assert_eq!(to, expected);
    for mail in &taken {
        let said = text(&mail.text);
        assert_eq!(mail.from, "alerts@gantry.example");
        assert!(said.contains("From: gantry <alerts@gantry.example>\r\n"), "{said}");
        assert!(said.contains(&format!("{} new signals for {}.", filings.len(), desk.workspace(0).name)), "{said}");
        // the first of the queue one by one, the others as a number
        let (first, rest) = filings.split_at(filings.len().min(25));
        assert!(first.iter().all(|filing| said.contains(&format!(", {filing}\r\n"))), "{said}");
        assert!(!rest.iter().any(|filing| said.contains(filing.as_str())), "{said}");
        assert!(said.contains(&format!("\r\nAnd {} more in the queue.", rest.len())), "{said}");
        for words in ["\r\nSubject: ", "Permit filed: ", "San Francisco, CA\r\n", "  reported cost $", "MEDIUM PRIORITY"] {
            assert!(said.contains(words), "{words} in {said}");
        }
        assert!(said.contains("Date: Sat, 10 Mar 2018 12:00:") && said.contains("Auto-Submitted: auto-generated"), "{said}");
        assert!(said.chars().all(|c| !c.is_control() || c == '\r' || c == '\n'), "{said}");
    }
    desk.service.stop().await;
}

#[tokio::test]
async fn notify_all_members_mails_every_member_and_takes_precedence_over_recipients() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    let all = |desk: &Desk| json!({"channels": ["email"], "notify_all_members": true, "recipient_user_ids": [user(desk, 2)]});
    world(folder.path(), all).await;
    import(folder.path());
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    let members = &desk.workspace(0).members;
    let mut to: Vec<_> = server.wait(members.len()).await.into_iter().map(|mail| mail.to).collect();
    let mut expected: Vec<_> = members.iter().map(|member| member.email.clone()).collect();
    to.sort();
    expected.sort();
    assert_eq!(to, expected);
    desk.service.stop().await;
}

#[tokio::test]
async fn notify_all_members_mails_those_who_join_later_too() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |_| json!({"channels": ["email"], "notify_all_members": true})).await;
    let file = rusqlite::Connection::open(folder.path().join("gantry.db")).unwrap();
    file.execute_batch(
        "INSERT INTO users (id, email) VALUES (x'00000000000040008000000000000001', 'new@northline.example');
         INSERT INTO members SELECT id, x'00000000000040008000000000000001', 'member', 0 FROM workspaces ORDER BY rowid LIMIT 1",
    )
    .unwrap();
    drop(file);
    import(folder.path());
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    let to: Vec<_> = server.wait(desk.workspace(0).members.len()).await.into_iter().map(|mail| mail.to).collect();
    assert!(to.contains(&"new@northline.example".to_owned()), "{to:?}");
    desk.service.stop().await;
}

#[tokio::test]
async fn recipients_are_rechecked_for_membership_at_send_time() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    let wanted = |desk: &Desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2), user(desk, 3)]});
    world(folder.path(), wanted).await;
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    let leaving = email(&desk, 3);
    server.answers.lock().unwrap().insert(leaving.clone(), "451 later");
    desk.service.stop().await;
    import(folder.path());
    // the mail was made and could not be sent; before it can, its recipient leaves
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    server.hear(&format!("RCPT TO:<{leaving}>")).await;
    let path = format!("/workspace/members/{}", desk.workspace(0).members[3].user_id);
    desk.delete(&desk.user(0, 0), &path).await.ok();
    server.answers.lock().unwrap().clear();
    server.wait(1).await;
    rounds(12).await;
    let to: Vec<_> = server.taken().into_iter().map(|mail| mail.to).collect();
    assert_eq!(to, [email(&desk, 2)]);
    desk.service.stop().await;
}

#[tokio::test]
async fn alerts_stop_with_the_subscription_or_its_channel() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2)]})).await;
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    subscribe(&desk, json!({"channels": []})).await;
    desk.service.stop().await;
    import(folder.path());
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    rounds(6).await;
    assert_eq!(server.taken(), []);
    // what was discovered while nobody wanted to hear of it is no news later
    subscribe(&desk, json!({"channels": ["email"]})).await;
    rounds(6).await;
    assert_eq!(server.taken(), []);
    desk.service.stop().await;
}

#[tokio::test]
async fn a_mail_is_sent_once_also_over_restarts() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2)]})).await;
    import(folder.path());
    for _ in 0..3 {
        let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
        server.wait(1).await;
        rounds(3).await;
        desk.service.stop().await;
        import(folder.path()); // the same file again holds no news
    }
    assert_eq!(server.taken().len(), 1);
}

#[tokio::test]
async fn a_mail_that_a_server_wants_later_is_tried_again_and_one_that_it_refuses_is_not() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    let wanted =
        |desk: &Desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 0), user(desk, 1), user(desk, 2)]});
    world(folder.path(), wanted).await;
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    server.answers.lock().unwrap().insert(email(&desk, 1), "451 later");
    server.answers.lock().unwrap().insert(email(&desk, 2), "550 nobody here");
    desk.service.stop().await;
    import(folder.path());
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    let asked = |nth: usize| {
        let command = format!("RCPT TO:<{}>", email(&desk, nth));
        server.talks.lock().unwrap().iter().filter(|line| **line == command).count()
    };
    assert_eq!(server.wait(1).await[0].to, email(&desk, 0));
    rounds(10).await;
    assert!(asked(1) >= 2 && asked(2) == 1, "{} {}", asked(1), asked(2));
    server.answers.lock().unwrap().clear();
    assert_eq!(server.wait(2).await[1].to, email(&desk, 1));
    rounds(4).await;
    assert_eq!(server.taken().len(), 2);
    desk.service.stop().await;
}

#[tokio::test]
async fn a_server_that_is_away_loses_no_mail_even_over_a_restart() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2)]})).await;
    import(folder.path());
    let nobody = MailDestination::Smtp("smtp://127.0.0.1:9".to_owned());
    let desk = Desk::with(options(folder.path(), nobody)).await;
    rounds(4).await;
    desk.service.stop().await;
    let later = ServiceOptions {
        as_of: Some("2018-03-10T14:00:00Z".parse().unwrap()),
        ..options(folder.path(), MailDestination::Smtp(server.url()))
    };
    let desk = Desk::with(later).await;
    assert_eq!(server.wait(1).await[0].to, email(&desk, 2));
    desk.service.stop().await;
}

#[tokio::test]
async fn what_arrives_while_the_service_runs_is_mailed_in_digests_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mails = folder.path().join("mails");
    let desk = Desk::with(ServiceOptions {
        projects: 60,
        arrival_interval: Some(Duration::from_millis(10)),
        mail: Some(MailDestination::Folder(mails.clone())),
        mail_interval: Duration::from_millis(200),
        ..ServiceOptions::default()
    })
    .await;
    for _ in 0..200 {
        if files(&mails) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    desk.service.stop().await;
    let first = std::fs::read_dir(&mails).unwrap().next().unwrap().unwrap().path();
    assert_eq!(first.extension().unwrap(), "eml");
    let mail = std::fs::read_to_string(&first).unwrap();
    assert!(mail.contains("new signal") && mail.contains("Message-ID: <"), "{mail}");
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&first).unwrap().permissions()) & 0o777, 0o600);
}

#[tokio::test]
async fn mails_that_are_off_are_off_and_nothing_is_kept_for_later() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2)]})).await;
    import(folder.path());
    Desk::with(options(folder.path(), MailDestination::Off)).await.service.stop().await;
    let desk = Desk::with(options(folder.path(), MailDestination::Smtp(server.url()))).await;
    rounds(6).await;
    assert_eq!(server.taken(), []);
    desk.service.stop().await;
}

#[tokio::test]
async fn a_desk_on_the_file_of_a_service_that_sends_mails_leaves_what_waits_and_what_is_news() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Smtp::start().await);
    world(folder.path(), |desk| json!({"channels": ["email"], "recipient_user_ids": [user(desk, 2)]})).await;
    import(folder.path());
    let desk = || async {
        let said_nothing_of_mails = ServiceOptions { mail: None, ..options(folder.path(), MailDestination::Off) };
        Desk::with(said_nothing_of_mails).await.service.stop().await;
    };
    desk().await;
    let away = Desk::with(options(folder.path(), MailDestination::Smtp("smtp://127.0.0.1:9".to_owned()))).await;
    rounds(4).await;
    away.service.stop().await;
    desk().await;
    let later = Some("2018-03-10T14:00:00Z".parse().unwrap());
    let back = Desk::with(ServiceOptions { as_of: later, ..options(folder.path(), MailDestination::Smtp(server.url())) }).await;
    assert_eq!(server.wait(1).await[0].to, email(&back, 2));
    back.service.stop().await;
}

#[tokio::test]
async fn a_mail_server_that_cannot_be_meant_is_refused_at_the_start_without_its_password() {
    for url in ["smtp://", "smtp://u:secret@host:1?tls=maybe", "smtp://host?from=nobody", "http://u:secret@host"] {
        let options = ServiceOptions { mail: Some(MailDestination::Smtp(url.to_owned())), ..ServiceOptions::default() };
        let said = format!("{:?}", options);
        let Err(error) = gantry::service::start(options).await else { panic!("{url} was taken") };
        assert!(!format!("{said} {error} {error:?}").contains("secret"), "{said} {error}");
    }
}
