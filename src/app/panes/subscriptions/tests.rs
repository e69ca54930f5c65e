//! Tests of subscriptions as their users see them.

use crate::app::AppSettings;
use crate::app::command::Scope;
use crate::app::effect::{Effect, ServiceCall, WriteRequest};
use crate::app::msg::Msg;
use crate::app::testing::fake_workspace::rejection;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::queue::Priority;
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{Subscription, SubscriptionCall, SubscriptionChange};

fn subscriptions() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("4").serve()
}

impl TestConsole {
    fn subscription_calls(&self) -> Vec<SubscriptionCall> {
        let order = |call: &ServiceCall| {
            if let ServiceCall::Write(WriteRequest::Subscription(order)) = call {
                Some(order.clone())
            } else {
                None
            }
        };
        self.calls.iter().filter_map(order).collect()
    }

    fn priority_of(&self, kind: &SignalType) -> Option<Priority> {
        self.workspace
            .subscription(kind)
            .and_then(|it| it.priority.clone())
    }

    fn line_of(&self, name: &str) -> String {
        self.screen_text()
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
            .to_owned()
    }
}

fn to_priority(priority: Priority) -> SubscriptionChange {
    SubscriptionChange {
        priority: Some(priority),
        ..SubscriptionChange::default()
    }
}

#[test]
fn all_seventeen_types_are_listed_for_free_and_nothing_is_written_before_ctrl_s() {
    let console = subscriptions();
    for kind in SignalType::ALL {
        assert!(
            console
                .screen_text()
                .contains(&kind.as_str().replace('_', " ")),
            "{kind}: {}",
            console.screen_text()
        );
    }
    let console = console
        .press("- c A Space j B")
        .press("Esc G Space")
        .serve();
    assert!(console.subscription_calls().is_empty() && console.service.spent == 0);
    assert!(
        console.screen_text().contains("2 staged"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn two_priorities_and_a_new_type_are_one_call_with_only_the_touched_types() {
    let console = subscriptions()
        .press("j - j - G Space")
        .press("Ctrl-s")
        .serve();
    let types = [
        (SignalType::Completion, Priority::Medium),
        (SignalType::PermitIssued, Priority::Medium),
        (SignalType::ConstructionLoan, Priority::Medium),
    ];
    let [SubscriptionCall::Bulk(sent)] = &console.subscription_calls()[..] else {
        panic!("{:?}", console.subscription_calls())
    };
    assert!(
        sent.len() == 3 && types.iter().all(|each| sent.contains(each)),
        "{sent:?}"
    );
    assert_eq!(
        console.priority_of(&SignalType::EntitlementApproval),
        Some(Priority::High)
    );
    assert!(
        console.notice_text().contains("3 subscriptions"),
        "{}",
        console.notice_text()
    );
    assert!(
        !console.screen_text().contains("staged"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn mail_and_priority_of_one_type_are_one_put_of_only_those_fields() {
    let console = subscriptions().press("j j j - c Ctrl-s").serve();
    let now = console.workspace.subscription(&SignalType::SiteAcquisition);
    let has_email = now.is_some_and(Subscription::has_email);
    let change = SubscriptionChange {
        channels: Some(Vec::from_iter(has_email.then(|| "email".into()))),
        ..to_priority(Priority::Low)
    };
    assert_eq!(
        console.subscription_calls(),
        [SubscriptionCall::Put(SignalType::SiteAcquisition, change)]
    );
}

/// The first type of the list.
const FIRST_TYPE: SignalType = SignalType::EntitlementApproval;

#[test]
fn a_change_that_was_reverted_is_not_staged() {
    let console = subscriptions().press("- + c c A A");
    assert!(
        console.screen_text().contains("shared with 3 members"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .press("Ctrl-s")
            .notice_text()
            .contains("nothing is staged")
    );
}

#[test]
fn undo_restores_priority_and_mail_and_redo_applies_them_again() {
    let console = subscriptions().press("- c Ctrl-s").serve();
    let kind = FIRST_TYPE;
    let before = subscriptions()
        .workspace
        .subscription(&kind)
        .cloned()
        .unwrap();
    assert!(
        !console
            .workspace
            .subscription(&kind)
            .unwrap()
            .has_same_settings(&before)
    );
    let console = console.press("z").serve();
    assert!(
        console
            .workspace
            .subscription(&kind)
            .unwrap()
            .has_same_settings(&before),
        "{:?}",
        console.workspace.subscription(&kind)
    );
    let console = console.press("Z").serve();
    assert!(
        !console
            .workspace
            .subscription(&kind)
            .unwrap()
            .has_same_settings(&before)
    );
}

#[test]
fn undo_asks_before_overwriting_a_change_of_a_colleague() {
    let mut console = subscriptions().press("- Ctrl-s").serve();
    let kind = FIRST_TYPE;
    console
        .workspace
        .set_subscription(&kind, &to_priority(Priority::Low));
    let console = console.press("z").serve();
    assert!(
        console.screen_text().contains("undo anyway"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        console.press("y Enter").serve().priority_of(&kind),
        Some(Priority::High)
    );
}

#[test]
fn a_change_of_a_colleague_since_staging_stops_the_sending_once() {
    let mut console = subscriptions().press("G Space");
    let kind = SignalType::Completion;
    console
        .workspace
        .set_subscription(&kind, &to_priority(Priority::High));
    let console = console.press("Ctrl-s").serve();
    assert!(
        console.subscription_calls().is_empty(),
        "the high priority is not demoted"
    );
    assert_eq!(console.priority_of(&kind), Some(Priority::High));
    assert!(
        console.notice_text().contains("already"),
        "{}",
        console.notice_text()
    );

    let mut console = subscriptions().press("-");
    let kind = FIRST_TYPE;
    console
        .workspace
        .subscriptions
        .retain(|it| it.signal_type != kind);
    let console = console.press("Ctrl-s").serve();
    assert!(
        console.subscription_calls().is_empty() && console.notice_text().contains("not subscribed"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(
        console.priority_of(&kind),
        Some(Priority::Medium),
        "applying again subscribes"
    );
}

#[test]
fn an_unknown_count_is_not_shown_as_zero() {
    let mut console = subscriptions();
    console
        .workspace
        .subscriptions
        .iter_mut()
        .for_each(|it| it.new_count = None);
    let console = console.press("R").serve();
    assert!(
        !console.screen_text().contains("no new signals"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .screen_text()
            .contains("number of new signals unknown"),
        "{}",
        console.screen_text()
    );
    let console = console.press("D");
    assert!(
        !console.screen_text().contains("0 new signals"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("all its signals leave"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn unsubscribing_shows_what_leaves_first_and_cannot_be_undone() {
    let console = subscriptions().press("D");
    assert!(
        console.screen_text().contains("1 new signal leaves"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert!(console.subscription_calls().is_empty(), "it asks first");
    assert!(
        console.screen_text().contains("Unsubscribe for everyone?"),
        "{}",
        console.screen_text()
    );
    let kind = FIRST_TYPE;
    let console = console.press("Down Enter").serve();
    assert_eq!(
        console.subscription_calls(),
        [SubscriptionCall::Delete(kind.clone())]
    );
    assert!(console.workspace.subscription(&kind).is_none());
    assert!(console.press("z").notice_text().contains("nothing to undo"));
}

#[test]
fn the_effect_of_staged_changes_on_the_queue_is_previewed() {
    let console = subscriptions();
    let reads = console.calls.len();
    let console = console.press("j -");
    assert!(
        console.screen_text().contains("New queue order"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.line_of("Union Depot").contains("▴1"),
        "it was second: {}",
        console.screen_text()
    );
    assert_eq!(console.calls.len(), reads, "computed from loaded rows");
}

#[test]
fn a_rejected_change_stays_staged_with_the_message_of_the_service() {
    let mut console = subscriptions();
    console.workspace.write_failure =
        Some(rejection(400, "bad_request", "recipients must be members"));
    let console = console.press("c Ctrl-s").serve();
    assert!(
        console.notice_text().contains("recipients must be members"),
        "{}",
        console.notice_text()
    );
    assert!(
        console.screen_text().contains("not done"),
        "{}",
        console.screen_text()
    );
    assert!(console.screen_text().contains("1 staged"));
    let mut console = console;
    console.workspace.write_failure = None;
    let console = console.press("Ctrl-s").serve();
    assert_eq!(console.subscription_calls().len(), 2);
    assert!(
        !console.screen_text().contains("staged"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_interrupted_call_stops_the_next_and_what_was_applied_is_read_back() {
    let console = subscriptions()
        .press("- j j j c j A Enter")
        .press("Ctrl-s")
        .serve_next();
    let first = console.subscription_calls();
    assert_eq!(first.len(), 1, "one call at a time");
    let mut console = console.fail_next(RequestError::new_ambiguous("the line broke"));
    console
        .workspace
        .apply_subscription_call(&first[0])
        .unwrap();
    let console = console.serve();
    assert_eq!(
        console.subscription_calls().len(),
        1,
        "the rest was not sent"
    );
    assert!(
        console.screen_text().contains("2 staged"),
        "the change that was applied is no longer staged: {}",
        console.screen_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(console.subscription_calls().len(), 3);
    assert!(
        !console.screen_text().contains("staged"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn the_notice_names_the_failure_and_not_what_it_kept_from_being_sent() {
    for keys in ["- j j j c", "c j j j -"] {
        let console = subscriptions().press(keys).press("Ctrl-s").serve_next();
        let console = console.fail_next(RequestError::new_ambiguous("the line broke"));
        assert!(
            console.notice_text().contains("the line broke"),
            "{keys}: {}",
            console.notice_text()
        );
    }
}

#[test]
fn ctrl_c_keeps_changes_that_were_not_sent() {
    let console = subscriptions()
        .press("- j j j c Ctrl-s")
        .serve_next()
        .press("Ctrl-c")
        .serve();
    assert_eq!(
        console.subscription_calls().len(),
        1,
        "the first was already sent"
    );
    assert!(
        console.screen_text().contains("1 staged") && console.screen_text().contains("canceled"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn undoing_a_subscription_shows_which_signals_would_leave() {
    let mut console = subscriptions().press("G Space Ctrl-s").serve();
    let made = console
        .workspace
        .subscriptions
        .iter_mut()
        .find(|it| it.signal_type == SignalType::Completion);
    made.unwrap().new_count = Some(12);
    let console = console.press("z").serve();
    assert!(
        console.screen_text().contains("12 new signals leave"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .press("y Enter")
            .serve()
            .workspace
            .subscription(&SignalType::Completion)
            .is_none()
    );
}

#[test]
fn staged_changes_survive_a_restart_and_still_detect_a_change_of_a_colleague() {
    let mut next = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    next.saved_state = subscriptions().press("-").saved_state;
    let mut next = next.poll().serve();
    assert_eq!(
        next.notice_text(),
        "staged subscription changes were restored"
    );
    next.workspace
        .set_subscription(&FIRST_TYPE, &to_priority(Priority::Low));
    let next = next.press("4").serve();
    assert!(
        next.screen_text().contains("1 staged"),
        "{}",
        next.screen_text()
    );
    let next = next.press("Ctrl-s").serve();
    assert!(
        next.subscription_calls().is_empty() && next.notice_text().contains("high to low"),
        "{}",
        next.notice_text()
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_staged_ctrl_s_makes_the_service_what_the_screen_said(
        keys in proptest::collection::vec(proptest::sample::select(ALL_KEYS), 1..40)
    ) {
        let console = subscriptions().press(&keys.join(" "));
        let pane = &console.app.panes().subscriptions;
        let expected = pane.subscriptions_after(console.context());
        let before = console.workspace.subscriptions.clone();
        let staged = pane.staged.clone();
        let planned = pane.planned_calls(console.context()).len();
        let console = console.press("Ctrl-s").serve().press("Down Enter").serve();
        proptest::prop_assert_eq!(console.subscription_calls().len(), planned);
        proptest::prop_assert_eq!(console.workspace.subscriptions.len(), expected.len());
        for expected in expected {
            let made = console.workspace.subscription(&expected.signal_type).expect("the type is subscribed");
            proptest::prop_assert!(made.has_same_settings(&expected), "{made:?} is not {expected:?}");
        }
        for it in before.iter().filter(|it| !staged.contains_key(&it.signal_type)) {
            proptest::prop_assert_eq!(console.workspace.subscription(&it.signal_type), Some(it));
        }
        proptest::prop_assert!(console.app.panes().subscriptions.staged.is_empty());
    }
}

/// Keys that stage changes, and keys that move.
const ALL_KEYS: &[&str] = &[
    "j",
    "j j j",
    "k",
    "G",
    "g g",
    "Space",
    "+",
    "-",
    "c Space Enter",
    "A Enter",
    "D",
    "x",
    "r Down Space Enter",
];

#[test]
fn a_poll_updates_the_counts_of_the_types_without_reading_the_list() {
    let console = subscriptions();
    let calls = console.calls.len();
    let console = console.ben_marks_done(&[1, 3]).poll();
    let list = &console.context().subscriptions;
    assert_eq!(
        list.get(&SignalType::PermitIssued)
            .and_then(|it| it.new_count),
        Some(2),
        "{}",
        console.screen_text()
    );
    assert!(
        !console.calls[calls..]
            .iter()
            .any(|call| matches!(call, ServiceCall::Subscriptions))
    );
}

#[test]
fn the_bulk_picker_counts_its_calls() {
    let console = subscriptions()
        .press("B")
        .press(&["Space Down"; 15].join(" "));
    assert!(
        console
            .screen_text()
            .contains("15 marked, 14 a call: 2 calls"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn recipients_are_chosen_among_current_members_only() {
    let console = subscriptions();
    let row = console
        .context()
        .subscriptions
        .types()
        .iter()
        .position(|kind| *kind == SignalType::SiteAcquisition)
        .unwrap();
    let console = console.press(&vec!["j"; row].join(" "));
    assert!(
        console.screen_text().contains("r selects others"),
        "{}",
        console.screen_text()
    );
    let console = console.press("r");
    assert!(
        console.screen_text().contains("[x] Ben K.")
            && console.screen_text().contains("[ ] Chloe T."),
        "{}",
        console.screen_text()
    );
    let console = console.press("Down Space Enter Ctrl-s").serve();
    let people = &console
        .workspace
        .subscription(&SignalType::SiteAcquisition)
        .unwrap()
        .recipient_user_ids;
    assert_eq!(people.len(), 2);
    assert!(
        console
            .workspace
            .members
            .iter()
            .filter(|member| people.contains(&member.id))
            .count()
            == 2
    );
}

#[test]
fn mail_that_nobody_would_get_asks_who_gets_it() {
    let console = subscriptions();
    let nobody = |kind: &SignalType| {
        let it = console.workspace.subscription(kind);
        it.is_some_and(|it| {
            !it.has_email() && !it.notify_all_members && it.recipient_user_ids.is_empty()
        })
    };
    let row = console
        .context()
        .subscriptions
        .types()
        .iter()
        .position(nobody);
    let row = row.expect("a type without mail");
    let kind = console.context().subscriptions.types()[row].clone();
    let console = console.press(&[vec!["j"; row], vec!["c"]].concat().join(" "));
    let screen = console.screen_text();
    assert!(screen.contains("Who gets mail about"), "{screen}");
    let dropped = console.press("Esc");
    assert!(
        !dropped.screen_text().contains("1 staged"),
        "nobody was chosen"
    );
    let console = dropped.press("c Space Enter Ctrl-s").serve();
    let it = console.workspace.subscription(&kind).expect("subscribed");
    assert!(it.has_email() && it.recipient_user_ids.len() == 1, "{it:?}");
}

/// The screen with the cursor on the first type whose mail is off; its people, and whether all
/// members get it, are as given.
fn with_mail_off(people: usize, notifies_all: bool) -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    let members = console.workspace.members.iter().map(|member| member.id);
    let people: Vec<_> = members.take(people).collect();
    for it in &mut console.workspace.subscriptions {
        it.channels = it.channels_with_email(false);
        it.recipient_user_ids = people.clone();
        it.notify_all_members = notifies_all;
    }
    console.press("4").serve()
}

#[test]
fn choosing_people_turns_mail_on_only_for_those_who_would_get_it() {
    let staged = |console: &TestConsole| console.screen_text().contains("1 staged");
    assert!(
        !staged(&with_mail_off(1, false).press("r Enter")),
        "unchanged"
    );
    let first = |console: &TestConsole| {
        let kind = console.context().subscriptions.types()[0].clone();
        let it = console.workspace.subscription(&kind).expect("subscribed");
        (it.has_email(), it.recipient_user_ids.len())
    };
    let all = with_mail_off(0, true).press("r Space Enter Ctrl-s").serve();
    assert_eq!(first(&all), (false, 1), "all members are to get it");
    let chosen = with_mail_off(0, false)
        .press("r Space Enter Ctrl-s")
        .serve();
    assert_eq!(first(&chosen), (true, 1));
}

#[test]
fn all_members_of_a_type_without_mail_are_asked_about() {
    let asked = || with_mail_off(0, false).press("A");
    let screen = asked().screen_text();
    assert!(screen.contains("turn mail on, to all members"), "{screen}");
    assert!(!asked().press("Esc").screen_text().contains("1 staged"));
    let kept = |keys: &str| {
        let console = asked().press(keys).press("Ctrl-s").serve();
        let kind = console.context().subscriptions.types()[0].clone();
        let it = console.workspace.subscription(&kind).expect("subscribed");
        (it.has_email(), it.notify_all_members)
    };
    assert_eq!(kept("Enter"), (true, true));
    assert_eq!(kept("Down Enter"), (false, true));
}

#[test]
fn types_with_new_signals_come_first_within_their_priority() {
    let mut console = TestConsole::with_rows(morning_queue());
    for it in &mut console.workspace.subscriptions {
        if it.signal_type == FIRST_TYPE {
            it.new_count = Some(0);
        }
    }
    let console = console.press("4").serve();
    assert_eq!(
        console.context().subscriptions.types()[..4],
        [
            SignalType::PermitIssued,
            SignalType::ConstructionLoan,
            FIRST_TYPE,
            SignalType::SiteAcquisition
        ]
    );
}

#[test]
fn quitting_with_staged_changes_asks_even_where_they_are_kept() {
    let console = subscriptions().press("- 1").restart().press("q");
    let screen = console.screen_text();
    assert!(screen.contains("Not sent yet: what you staged"), "{screen}");
    assert!(!console.effects.contains(&Effect::Quit));
    assert!(console.press("y Enter").effects.contains(&Effect::Quit));
}

#[test]
fn seventeen_types_get_a_priority_in_two_calls_as_announced() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.workspace.subscriptions.clear();
    let console = console
        .press("4")
        .serve()
        .press("B")
        .press(&["Space Down"; 17].join(" "))
        .press("Enter");
    assert!(
        console.screen_text().contains("Priority of 17 types"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    assert!(
        console.screen_text().contains("2 calls, 0 cr"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .screen_text()
            .contains("one of these may succeed and the other fail"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Ctrl-s").serve();
    assert_eq!(
        console
            .subscription_calls()
            .iter()
            .map(|order| order.signal_types().len())
            .collect::<Vec<_>>(),
        [14, 3]
    );
}

#[test]
fn setting_all_types_high_takes_one_call_for_the_fourteen_others() {
    let console = subscriptions()
        .press("B")
        .press(&["Space Down"; 17].join(" "))
        .press("Enter Enter Ctrl-s")
        .serve();
    assert_eq!(
        console.subscription_calls().len(),
        1,
        "three of seventeen were already high"
    );
    assert!(
        console
            .workspace
            .subscriptions
            .iter()
            .all(|it| it.priority == Some(Priority::High))
    );
    assert_eq!(console.workspace.subscriptions.len(), 17);
}

#[test]
fn leaving_asks_before_dropping_staged_changes_and_another_screen_keeps_them() {
    let console = subscriptions().press("- 1 4");
    assert!(console.screen_text().contains("1 staged"));
    let console = console.press("Esc");
    assert!(
        console.screen_text().contains("Discard staged changes?"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc");
    assert!(console.screen_text().contains("1 staged"));
    let console = console.press("1 q");
    assert!(
        console.screen_text().contains("what you staged"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc 4 Esc y Enter");
    assert!(
        console.notice_text().contains("staged changes discarded"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn an_unknown_channel_is_left_as_it_is() {
    let mut console = TestConsole::with_rows(morning_queue());
    let kind = SignalType::PermitIssued;
    console.workspace.set_subscription(
        &kind,
        &SubscriptionChange {
            channels: Some(vec!["email".into(), "pager".into()]),
            ..SubscriptionChange::default()
        },
    );
    let console = console.press("4").serve();
    let row = console
        .context()
        .subscriptions
        .types()
        .iter()
        .position(|it| *it == kind)
        .unwrap();
    let console = console
        .press(&[vec!["j"; row], vec!["c", "Ctrl-s"]].concat().join(" "))
        .serve();
    assert_eq!(
        console.workspace.subscription(&kind).unwrap().channels,
        ["pager"]
    );
}

#[test]
fn a_read_only_credential_is_refused_before_staging() {
    let mut console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
    console.workspace.caller["scopes"] = serde_json::json!(["workspace:read"]);
    let console = console.poll().serve().press("4").serve().press("-");
    assert!(
        console.notice_text().contains("workspace:write"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn a_change_reloads_the_queue_and_its_counts() {
    let console = subscriptions().press("- Ctrl-s").serve();
    assert!(console.effects.contains(&Effect::Poll));
    let before = console.calls.len();
    let console = console.press("1").serve();
    assert!(
        console.calls[before..]
            .iter()
            .any(|call| matches!(call, ServiceCall::Queue { .. })),
        "{:?}",
        &console.calls[before..]
    );
}

#[test]
fn golden_screens_of_the_subscriptions() {
    golden!(
        "subscriptions_120x36",
        TestConsole::at_scope(Scope::Subscriptions).press("G Space")
    );
    golden!(
        "subscriptions_80x24",
        TestConsole::at_scope(Scope::Subscriptions)
            .press("k")
            .send(Msg::Resized(80, 24))
    );
    golden!(
        "subscriptions_60x20",
        TestConsole::at_scope(Scope::Subscriptions).send(Msg::Resized(60, 20))
    );
    golden!(
        "subscriptions_open_60x20",
        TestConsole::at_scope(Scope::Subscriptions)
            .press("k")
            .send(Msg::Resized(60, 20))
            .press("Enter")
    );
    golden!(
        "subscriptions_loading_80x24",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(80, 24))
            .press("4")
    );
    let failed = || {
        TestConsole::with_rows(morning_queue())
            .press("4")
            .fail_next(rejection(403, "forbidden", "this needs the Pro plan"))
    };
    golden!("subscriptions_failed_120x36", failed());
    golden!(
        "subscriptions_failed_60x20",
        failed().send(Msg::Resized(60, 20))
    );
    let mut none = TestConsole::with_rows(morning_queue());
    none.workspace.subscriptions.clear();
    golden!("subscriptions_none_120x36", none.press("4").serve());
}

/// A start within two minutes of an unsubscription whose reply never came.
fn restarted_during_unsubscription(was_applied: bool) -> TestConsole {
    let before = subscriptions();
    let subscribed = before.workspace.subscriptions.clone();
    let mut console = before.press("D Ctrl-s").serve().press("Down Enter").serve();
    let cut = console.saved_state.entries.pop().expect("it is journaled");
    console.saved_state.unconfirmed_writes = vec![cut];
    if !was_applied {
        console.workspace.subscriptions = subscribed;
    }
    console.restart_after(chrono::Duration::seconds(30))
}

#[test]
fn an_interrupted_unsubscription_is_sent_again_and_settled() {
    let wanted = subscriptions().workspace.subscriptions.len() - 1;
    for was_applied in [false, true] {
        let console = restarted_during_unsubscription(was_applied);
        let resent = |call: &ServiceCall| {
            matches!(
                call,
                ServiceCall::Write(WriteRequest::Subscription(SubscriptionCall::Delete(_)))
            )
        };
        assert_eq!(console.calls.iter().filter(|call| resent(call)).count(), 1);
        assert_eq!(console.workspace.subscriptions.len(), wanted);
        assert_eq!(console.saved_state.unconfirmed_writes, [], "{was_applied}");
    }
}
