//! Tests of the team as its users see it.

use serde_json::json;
use uuid::Uuid;

use crate::app::AppSettings;
use crate::app::effect::{ServiceCall, WriteRequest};
use crate::app::msg::Msg;
use crate::app::testing::fake_workspace::{FakeWorkspace, rejection};
use crate::app::testing::scopes::new_delivery;
use crate::app::testing::{ANA, TestConsole, golden, morning_queue};
use crate::domain::UserId;
use crate::domain::members::{InvitationDelivery, InvitationStatus, MemberAction, Role};
use crate::domain::request_error::RequestError;

fn team() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("6").serve()
}

/// The team as seen by another caller.
fn team_as(caller: serde_json::Value) -> TestConsole {
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    console.workspace.caller = caller;
    console.poll().serve().press("6").serve()
}

fn team_under_api_key() -> TestConsole {
    team_as(json!({ "kind": "api_key", "user_id": UserId(Uuid::from_u128(ANA)), "role": "admin" }))
}

impl TestConsole {
    fn team_acts(&self) -> Vec<MemberAction> {
        let act = |call: &ServiceCall| {
            if let ServiceCall::Write(WriteRequest::Team(act)) = call {
                Some(act.clone())
            } else {
                None
            }
        };
        self.calls.iter().filter_map(act).collect()
    }

    fn role_of(&self, n: usize) -> Role {
        self.workspace.members[n].role.clone().unwrap()
    }
}

#[test]
fn members_and_invitations_are_shown_for_free() {
    let screen = team().screen_text();
    for text in [
        "Ana R.",
        "ben@example.com",
        "12 min",
        "never",
        "sam@example.com",
        "accepted 07-02",
        "1 pending",
        "you",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert_eq!(team().service.spent, 0);
}

#[test]
fn an_address_is_invited_with_a_role() {
    let console = team()
        .press("i")
        .type_text("new@example.com")
        .press("Enter j Enter")
        .serve();
    assert_eq!(
        console.team_acts(),
        [MemberAction::Invite {
            email: "new@example.com".into(),
            role: Role::Admin
        }]
    );
    assert!(
        console.screen_text().contains("new@example.com")
            && console.screen_text().contains("2 pending"),
        "{}",
        console.screen_text()
    );
    assert!(console.press("z").notice_text().contains("nothing to undo"));
}

#[test]
fn undo_after_an_invitation_returns_no_signal_before_it_is_pressed_again() {
    let invited = || {
        let done = team().press("1").serve().press("e").serve();
        assert_eq!(done.service_new_count(), 15);
        done.press("6")
            .serve()
            .press("i")
            .type_text("new@example.com")
            .press("Enter j Enter")
    };
    let before_the_reply = invited().press("z").serve();
    assert_eq!(before_the_reply.service_new_count(), 15);
    let told = before_the_reply.notice_text();
    assert!(told.ends_with("undo was dropped"), "{told}");
    for console in [before_the_reply, invited().serve()] {
        let console = console.press("z").serve();
        assert_eq!(console.service_new_count(), 15);
        let told = console.notice_text();
        assert!(told.contains("does not undo “"), "{told}");
        let console = console.press("z").serve();
        assert_eq!(console.service_new_count(), 16, "{}", console.notice_text());
    }
}

#[test]
fn a_service_that_sends_no_invitation_mail_says_so_first() {
    let inviting = |console: TestConsole| {
        console
            .press("i")
            .type_text("new@example.com")
            .press("Enter")
            .screen_text()
    };
    assert!(!inviting(team()).contains("sends no mail"));
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    console.workspace.sends_invitations = Some(false);
    let screen = inviting(console.poll().serve().press("6").serve());
    for words in ["sends no mail", "pass the join code on", "admin"] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

/// A team whose service issues a join code with each invitation, after one to Eva.
fn invited() -> TestConsole {
    invite_eva(|workspace| workspace.delivery = Some(new_delivery()))
}

fn invite_eva(prepare: impl FnOnce(&mut FakeWorkspace)) -> TestConsole {
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    prepare(&mut console.workspace);
    console
        .poll()
        .serve()
        .press("6")
        .serve()
        .press("i")
        .type_text("eva@example.com")
        .press("Enter Enter")
        .serve()
}

fn code() -> String {
    new_delivery().join_code.expect("a code").encode()
}

#[test]
fn the_join_code_of_an_invitation_is_shown_once_and_copied() {
    let console = invited();
    let screen = console.screen_text();
    for words in [
        "Join code for eva@example.com",
        "gantry join",
        "until 2026-07-23",
        "not shown again",
        &code(),
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    let console = console.press("j q Enter y");
    assert_eq!(console.copied_text(), Some(code().as_str()));
    assert!(
        console
            .notice_text()
            .contains("the join code for eva@example.com"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Esc");
    assert!(
        !console.screen_text().contains("Join code"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("2 pending") && console.pending_calls.is_empty(),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_join_code_of_two_rows_is_selected_without_the_frame() {
    for width in [60, 80] {
        let screen = invited().send(Msg::Resized(width, 20)).screen_text();
        let lines: Vec<&str> = screen.lines().collect();
        let first = lines
            .iter()
            .position(|line| line.starts_with("gj_"))
            .expect("the code");
        assert_eq!(
            format!("{}{}", lines[first], lines[first + 1].trim_end()),
            code(),
            "{screen}"
        );
    }
}

#[test]
fn a_join_code_waits_until_the_user_has_typed() {
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    console.workspace.delivery = Some(new_delivery());
    let console = console
        .poll()
        .serve()
        .press("6")
        .serve()
        .press("i")
        .type_text("eva@example.com")
        .press("Enter Enter");
    let console = console.press("/").serve().type_text("ben");
    assert!(
        !console.screen_text().contains("gj_"),
        "{}",
        console.screen_text()
    );
    assert!(console.press("Enter").screen_text().contains(&code()));
}

#[test]
fn a_join_code_is_only_on_the_screen() {
    let console = invited().press("y");
    let kept = format!(
        "{:?} {:?} {:?}",
        console.effects,
        console.calls,
        console.context().ui.overlay
    );
    assert!(
        !kept.contains("gj_") && !kept.contains(&code()[3..]),
        "{kept}"
    );
    assert!(
        !console.notice_text().contains("gj_") && !format!("{:?}", new_delivery()).contains("gj_")
    );
}

#[test]
fn an_invitation_without_a_join_code_says_what_happens_instead() {
    let console = invite_eva(|workspace| {
        workspace.delivery = Some(InvitationDelivery {
            is_mailed: true,
            ..Default::default()
        })
    });
    assert!(
        console
            .notice_text()
            .contains("the join code is in the mail to eva@example.com"),
        "{}",
        console.notice_text()
    );
    let console = invite_eva(|workspace| {
        workspace.sends_invitations = Some(false);
        workspace.delivery = Some(InvitationDelivery::default());
    });
    for words in ["no join code", "gantry serve", "gantry invitations renew"] {
        assert!(
            console.screen_text().contains(words),
            "{words}: {}",
            console.screen_text()
        );
    }
    assert_eq!(
        invite_eva(|_| {}).notice_text(),
        "done: invitation of eva@example.com as member"
    );
}

#[test]
fn an_invalid_address_is_rejected_before_the_role_is_asked() {
    for text in [
        "bad@",
        "bad",
        "@example.com",
        "a b@example.com",
        "bad@example",
        "bad@new.person@x.example",
    ] {
        let console = team().press("i").type_text(text).press("Enter");
        assert!(
            console.context().ui.overlay.is_none(),
            "{text}: {}",
            console.screen_text()
        );
        assert!(
            console.notice_text().contains("is not an email address"),
            "{text}: {}",
            console.notice_text()
        );
        assert!(
            console
                .screen_text()
                .contains(&format!("email to invite {text}")),
            "it can be corrected: {}",
            console.screen_text()
        );
        let again = console.press("Esc i").screen_text();
        let prompt = again.lines().find(|line| line.contains("email to invite"));
        assert!(!prompt.unwrap_or_default().contains(text), "{again}");
    }
    let console = team()
        .press("i")
        .type_text("zoe@example")
        .press("Enter")
        .type_text(".com")
        .press("Enter");
    assert!(
        console.screen_text().contains("Invite zoe@example.com as"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_address_that_is_in_the_team_or_invited_is_refused_before_the_role_is_asked() {
    for (email, why) in [
        ("Ben@Example.com", "Ben K. is already a member"),
        ("sam@example.com", "sam@example.com is already invited"),
    ] {
        let console = team().press("i").type_text(email).press("Enter");
        assert_eq!(console.notice_text(), why);
        assert!(console.context().ui.overlay.is_none());
        let screen = console.screen_text();
        assert!(screen.contains("email to invite"), "{screen}");
    }
    let again = team()
        .press("i")
        .type_text("kim@example.com")
        .press("Enter");
    assert!(
        again.context().ui.overlay.is_some(),
        "a revoked invitation is repeated"
    );
}

#[test]
fn a_rejected_or_abandoned_address_is_kept() {
    let mut console = team();
    let taken = rejection(409, "already_exists", "this address is taken");
    console.workspace.write_failure = Some(taken);
    let console = console
        .press("i")
        .type_text("bea@example.com")
        .press("Enter Enter")
        .serve();
    assert!(
        console.notice_text().contains("this address is taken"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("not invited"),
        "the side panel shows the full reason: {}",
        console.screen_text()
    );
    let console = console.press("i");
    assert!(
        console.screen_text().contains("invite bea@example.com"),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("Ctrl-u")
        .type_text("zoe@example.com")
        .press("Enter Esc i");
    assert!(
        console.screen_text().contains("invite zoe@example.com"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_expired_invitation_is_renewed_without_typing() {
    let console = team().press("Tab G i");
    assert!(
        console.screen_text().contains("invite kim@example.com"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_role_is_changed_undone_and_redone() {
    let console = team().press("G m k Enter").serve();
    assert_eq!(console.role_of(2), Role::Admin);
    let console = console.press("z").serve();
    assert_eq!(console.role_of(2), Role::Member);
    assert_eq!(console.press("Z").serve().role_of(2), Role::Admin);
}

#[test]
fn roles_that_cannot_be_given_say_why() {
    let console = team().press("j m Enter");
    assert!(
        console.team_acts().is_empty() && console.notice_text().contains("already the role"),
        "two keys in a hurry change nothing"
    );
    let console = team().press("m");
    assert!(
        console.screen_text().contains("this is the only owner"),
        "{}",
        console.screen_text()
    );
    let console = console.press("j Enter");
    assert!(
        console.team_acts().is_empty() && console.notice_text().contains("only owner"),
        "{}",
        console.notice_text()
    );
    let admin = team_as(
        json!({ "kind": "user", "user_id": UserId(Uuid::from_u128(0xB)), "role": "admin" }),
    )
    .press("G m");
    assert!(
        admin
            .screen_text()
            .contains("only owners can appoint owners"),
        "{}",
        admin.screen_text()
    );
}

#[test]
fn removing_a_member_shows_the_consequences_first() {
    let console = team().press("j D");
    assert!(
        console.screen_text().contains("access and favorites") && console.team_acts().is_empty(),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    assert!(
        console.team_acts().is_empty(),
        "the preselected answer changes nothing"
    );
    let console = console.press("D Down Enter").serve();
    assert_eq!(console.workspace.members.len(), 2);
    assert!(
        !console.screen_text().contains("ben@example.com"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_pending_invitation_is_revoked_and_a_closed_one_says_why_not() {
    let console = team().press("Tab D");
    assert!(
        console.screen_text().contains("cannot be undone"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Down Enter").serve();
    assert_eq!(
        console.workspace.invitations[0].status(console.context().clock.service_now()),
        Some(InvitationStatus::Revoked)
    );
    assert!(
        console.notice_text().contains("revocation of sam"),
        "{}",
        console.notice_text()
    );
    assert!(console.press("D").notice_text().contains("already revoked"));
    assert!(
        team()
            .press("Tab j D")
            .notice_text()
            .contains("already accepted")
    );
}

#[test]
fn under_an_api_key_ending_an_access_requires_typing_the_name() {
    let console = team_under_api_key().press("j D");
    assert!(
        console.notice_text().contains("type ben@example.com"),
        "{}",
        console.notice_text()
    );
    let console = console.type_text("bob@example.com").press("Enter").serve();
    assert!(
        console.team_acts().is_empty() && console.notice_text().contains("nothing changed"),
        "{}",
        console.notice_text()
    );
    let console = console
        .press("D")
        .type_text("ben@example.com")
        .press("Enter")
        .serve();
    assert_eq!(console.workspace.members.len(), 2);
    assert!(
        team_under_api_key()
            .press("D")
            .notice_text()
            .contains("API key counts as an admin")
    );
}

#[test]
fn a_plain_member_sees_why_nothing_can_be_changed() {
    let console = team_as(json!({ "kind": "user", "user_id": UserId(Uuid::from_u128(0xC)) }));
    assert!(
        console.screen_text().contains("you are a member"),
        "{}",
        console.screen_text()
    );
    for keys in ["i", "m", "D"] {
        let console = team_as(json!({ "kind": "user", "user_id": UserId(Uuid::from_u128(0xC)) }))
            .press("j")
            .press(keys);
        assert!(
            console.notice_text().contains("only owners and admins"),
            "{keys}: {}",
            console.notice_text()
        );
        assert!(console.team_acts().is_empty());
    }
}

#[test]
fn a_rejection_is_shown_as_the_service_worded_it_and_stays_with_its_member() {
    let mut console = team();
    console.workspace.write_failure = Some(rejection(
        403,
        "forbidden",
        "only an owner does this to an owner",
    ));
    let console = console.press("j m j Enter").serve();
    assert!(
        console
            .notice_text()
            .contains("only an owner does this to an owner"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("not done"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_invitation_of_unknown_outcome_is_not_resent_automatically() {
    let console = team()
        .press("i")
        .type_text("new@example.com")
        .press("Enter Enter")
        .fail_next(RequestError::new_ambiguous("the line broke"));
    assert!(
        console.notice_text().contains("check before you repeat it"),
        "{}",
        console.notice_text()
    );
    let console = console.serve();
    assert_eq!(console.team_acts().len(), 1);
    assert!(
        console
            .press("i")
            .screen_text()
            .contains("invite new@example.com")
    );
}

#[test]
fn unreadable_invitations_leave_the_members_on_the_screen() {
    let refused = rejection(403, "forbidden", "this needs an owner or an admin");
    let console = TestConsole::with_rows(morning_queue())
        .press("6")
        .serve_next()
        .fail_next(refused);
    assert!(
        console
            .screen_text()
            .contains("this needs an owner or an admin"),
        "{}",
        console.screen_text()
    );
    assert!(console.screen_text().contains("ben@example.com"));
}

#[test]
fn invitations_that_a_member_may_not_see_are_not_offered_to_be_read_again() {
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    console.workspace.caller = json!({ "kind": "user", "role": "member" });
    let refused = rejection(403, "forbidden", "this needs an owner or an admin");
    let console = console.poll().serve().press("6").serve_next();
    let screen = console.fail_next(refused).screen_text();
    assert!(
        screen.contains("could not load the invitations"),
        "{screen}"
    );
    assert!(!screen.contains("R retries"), "{screen}");
}

#[test]
fn find_matches_name_or_address_in_the_focused_list() {
    let console = team().press("/").type_text("chloe").press("Enter");
    assert_eq!(
        console
            .app
            .panes()
            .team
            .current_member(console.context())
            .map(|member| member.name())
            .as_deref(),
        Some("Chloe T.")
    );
    let console = console.press("Tab n");
    assert!(
        console
            .notice_text()
            .contains("not found in the loaded rows: chloe"),
        "{}",
        console.notice_text()
    );
    let console = console.press("/").type_text("example").press("Enter n");
    assert!(
        console.notice_text().contains("match 2 of 3"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn golden_screens_of_the_team() {
    golden!("team_120x36", team());
    golden!("team_80x24", team().press("j").send(Msg::Resized(80, 24)));
    golden!("team_60x20", team().send(Msg::Resized(60, 20)));
    golden!("team_invitations_120x36", team().press("Tab"));
    golden!(
        "team_invitations_60x20",
        team().press("Tab").send(Msg::Resized(60, 20))
    );
    golden!(
        "team_open_60x20",
        team().send(Msg::Resized(60, 20)).press("Enter")
    );
    golden!(
        "team_loading_80x24",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(80, 24))
            .press("6")
    );
    golden!("team_key_120x36", team_under_api_key().press("j"));
    golden!("team_join_code_80x24", invited().send(Msg::Resized(80, 24)));
    golden!("team_join_code_60x20", invited().send(Msg::Resized(60, 20)));
    golden!("team_join_code_120x36", invited());
    let mut alone = TestConsole::with_rows(morning_queue());
    alone.workspace.invitations.clear();
    golden!("team_alone_120x36", alone.press("6").serve());
    let refused = || rejection(403, "forbidden", "this needs the Pro plan");
    golden!(
        "team_failed_120x36",
        TestConsole::with_rows(morning_queue())
            .press("6")
            .serve_next()
            .fail_next(refused())
    );
}

#[test]
fn removing_an_owner_requires_typing_the_name() {
    let mut console = TestConsole::with_rows(Vec::new());
    console.workspace.members[1].role = Some(crate::domain::members::Role::Owner);
    let console = console.press("6").serve().press("j D");
    assert!(
        console.notice_text().contains("type ben@example.com"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Enter").serve();
    assert!(console.team_acts().is_empty());
    let console = console
        .press("D")
        .type_text("ben@example.com")
        .press("Enter")
        .serve();
    assert_eq!(console.team_acts().len(), 1);
}
