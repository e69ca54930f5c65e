//! Replies that arrive late, twice, out of order or of the wrong kind, for every request that the
//! console makes.
//!
//! `GANTRY_REPLIES` sets the number of rounds (2 by default), each with other orders, failures and
//! kinds.

mod asks;
mod deliveries;

use std::collections::BTreeSet;

use asks::{Ask, all_asks, request_name};
use deliveries::{Deliveries, Outcome};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::app::command::Scope;
use crate::app::msg::{Msg, Token};
use crate::app::testing::{TestConsole, morning_queue};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

const WRONG_KIND: &str = "unexpected response";

/// Its name, a console in which something is read, and the keys that change it.
type Scenario = (&'static str, fn() -> TestConsole, &'static str);

/// The rounds of a check with random numbers.
fn rounds() -> u64 {
    std::env::var("GANTRY_REPLIES").map_or(2, |rounds| rounds.parse().expect("a number"))
}

/// Runs a check for each way to ask, in each round with other random numbers, and reports what it
/// finds.
fn for_every_ask(rounds: u64, check: impl Fn(&Ask, &mut ChaCha8Rng) -> Vec<String>) {
    let mut found = BTreeSet::new();
    for round in 0..rounds {
        for (row, ask) in all_asks().iter().enumerate() {
            let mut random = ChaCha8Rng::seed_from_u64(round * 1_000 + row as u64);
            found.extend(
                check(ask, &mut random)
                    .into_iter()
                    .map(|what| format!("{}, {}: {what}", ask.request, ask.how)),
            );
        }
    }
    assert!(
        found.is_empty(),
        "{} claims do not hold:\n{}",
        found.len(),
        found.into_iter().collect::<Vec<_>>().join("\n")
    );
}

fn asked(ask: &Ask) -> Deliveries {
    let mut service = Deliveries::new((ask.start)());
    service.act(ask.ask);
    let open = service.console().open_requests(request_name);
    assert!(
        open.contains(&ask.request),
        "{}, {}: asks only {open:?}\n{}",
        ask.request,
        ask.how,
        service.console().screen_text()
    );
    service
}

/// The replies in the order of their calls.
fn in_order(ask: &Ask) -> Deliveries {
    let mut service = asked(ask);
    service.deliver_all();
    service
}

fn differences(one: &mut Deliveries, other: &mut Deliveries, what: &str) -> Vec<String> {
    one.finish();
    other.finish();
    let mut found = Vec::new();
    let (screen, expected) = (
        one.console_mut().golden_without_notice(),
        other.console_mut().golden_without_notice(),
    );
    if screen != expected {
        let lines = screen
            .lines()
            .zip(expected.lines())
            .filter(|(a, b)| a != b)
            .take(3);
        let lines: Vec<String> = lines.map(|(a, b)| format!("    {a}\n    {b}")).collect();
        found.push(format!(
            "{what}: the screen differs ({})\n{}",
            one.console().notice_text(),
            lines.join("\n")
        ));
    }
    if one.console().undo_steps() != other.console().undo_steps() {
        found.push(format!("{what}: other steps can be undone"));
    }
    found
}

#[test]
fn in_the_order_of_their_calls_all_replies_end_every_wait() {
    for_every_ask(1, |ask, _| {
        let mut service = in_order(ask);
        let mut found = service.problems();
        found.extend(service.console().differences_from_service());
        found
    });
}

#[test]
fn the_order_of_replies_and_their_repetition_do_not_matter() {
    for_every_ask(rounds(), |ask, random| {
        let mut service = asked(ask);
        let mut found = service.deliver_shuffled(random);
        found.extend(service.problems());
        found.extend(service.console().differences_from_service());
        found.extend(differences(
            &mut service,
            &mut in_order(ask),
            "out of order",
        ));
        found
    });
}

#[test]
fn the_reply_to_the_latest_request_wins_over_late_ones() {
    for_every_ask(rounds(), |ask, random| {
        let again = |shuffled: Option<&mut ChaCha8Rng>| {
            let mut service = asked(ask);
            service.answer_pending();
            service.change_as_colleague();
            service.act(ask.retry);
            let found = match shuffled {
                Some(random) => service.deliver_shuffled(random),
                None => {
                    service.deliver_all();
                    Vec::new()
                }
            };
            (service, found)
        };
        let (mut expected, _) = again(None);
        let (mut service, mut found) = again(Some(random));
        found.extend(service.problems());
        found.extend(differences(&mut service, &mut expected, "asked twice"));
        found
    });
}

#[test]
fn a_reply_that_arrives_on_another_screen_is_there_on_return() {
    for_every_ask(rounds(), |ask, random| {
        if asked(ask).console().is_typing()
            || in_order(ask).console().is_typing()
            || ask.request.contains("Connect")
        {
            return Vec::new();
        }
        let mut service = asked(ask);
        service.act(|console| console.press("9"));
        let mut found = service.deliver_shuffled(random);
        service.act(|console| console.press("`"));
        found.extend(service.problems());
        let mut expected = in_order(ask);
        expected.act(|console| console.press("9"));
        expected.deliver_all();
        expected.act(|console| console.press("`"));
        found.extend(differences(&mut service, &mut expected, "after a return"));
        found
    });
}

/// The list is being read for words.
fn filtered(console: TestConsole) -> TestConsole {
    console
        .press("f")
        .serve()
        .press("E")
        .type_text("calder")
        .press("Enter Enter")
}

#[test]
fn what_a_superseded_read_cost_is_on_the_meter() {
    let superseded: [Scenario; 5] = [
        (
            "records",
            || TestConsole::at_scope(Scope::Book).press("R Down Enter"),
            "R Down Enter",
        ),
        (
            "cached records",
            || filtered(TestConsole::at_scope(Scope::Book)),
            "F",
        ),
        (
            "no filter",
            || filtered(TestConsole::with_rows(morning_queue()).press("3").serve()),
            "F",
        ),
        (
            "detail",
            || TestConsole::at_scope(Scope::Queue).press("Enter"),
            "J J",
        ),
        (
            "a deleted View",
            || TestConsole::at_scope(Scope::Views).press("Enter"),
            "Tab R Down Enter",
        ),
    ];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (what, read, keys) in superseded {
        let mut service = Deliveries::new(read());
        let before = service.console().meter_used();
        service.answer_pending();
        service.console_mut().service.views.clear();
        service.act(|console| console.press(keys));
        service.deliver_shuffled(&mut random);
        assert_eq!(
            service.problems(),
            Vec::<String>::new(),
            "{what}: {}",
            service.console().screen_text()
        );
        assert!(
            service.console().meter_used() > before,
            "{what}: {}",
            service.console().screen_text()
        );
    }
}

#[test]
fn a_list_read_before_a_write_does_not_hide_it() {
    let writes: [Scenario; 5] = [
        ("triage", || TestConsole::with_rows(morning_queue()), "e"),
        ("favorite", || TestConsole::at_scope(Scope::Views), "b"),
        (
            "subscription",
            || {
                TestConsole::with_rows(morning_queue())
                    .press("4")
                    .serve()
                    .press("j -")
            },
            "Ctrl-s",
        ),
        (
            "role",
            || {
                TestConsole::with_rows(morning_queue())
                    .press("6")
                    .serve()
                    .press("G")
            },
            "m k Enter",
        ),
        (
            "Skill",
            || {
                TestConsole::with_rows(morning_queue())
                    .press("7")
                    .serve()
                    .press("G")
            },
            "m p",
        ),
    ];
    for (what, start, keys) in writes {
        let mut service = Deliveries::new(start());
        service.act(|console| console.press("R"));
        service.answer_pending();
        let late = service.under_way();
        service.act(|console| console.press(keys));
        while let Some(next) = service.first_under_way(|token| !late.contains(&token)) {
            service.deliver(next);
        }
        assert_eq!(service.problems(), Vec::<String>::new(), "{what}");
        let screen = service.console().screen_text();
        assert_eq!(
            service.console().differences_from_service(),
            Vec::<String>::new(),
            "{what}: {screen}"
        );
    }
}

#[test]
fn a_late_reply_leaves_what_the_user_has_opened_meanwhile() {
    for_every_ask(rounds(), |ask, random| {
        if asked(ask).console().is_typing() || ask.request.contains("Connect") {
            return Vec::new();
        }
        let mut service = asked(ask);
        service.act(|console| console.press("?"));
        let help = service.console().overlay_state();
        let mut found = service.deliver_shuffled(random);
        if service.console().overlay_state() != help {
            found.push("the help is gone".to_owned());
        }
        found.extend(service.problems());
        found
    });
}

#[test]
fn a_failure_ends_every_wait_and_a_retry_works() {
    let kinds = [
        RequestErrorKind::NotSent,
        RequestErrorKind::Cancelled,
        RequestErrorKind::Ambiguous,
        RequestErrorKind::OverBudget,
        RequestErrorKind::NotJournaled,
        RequestErrorKind::Rejected(ServiceError {
            status: 403,
            ..ServiceError::default()
        }),
        RequestErrorKind::Rejected(ServiceError {
            status: 404,
            ..ServiceError::default()
        }),
        RequestErrorKind::Rejected(ServiceError {
            status: 500,
            ..ServiceError::default()
        }),
    ];
    for_every_ask(rounds(), |ask, random| {
        let mut found = Vec::new();
        for kind in kinds.sample(random, 2) {
            let failure = RequestError {
                kind: kind.clone(),
                message: "the cable is cut".to_owned(),
            };
            let what = format!("{kind:?}");
            let outcome = Outcome::Failed(
                failure,
                *kind == RequestErrorKind::Ambiguous && random.random_bool(0.5),
            );
            found.extend(fail_then_retry(ask, outcome, &what));
        }
        found
    });
}

#[test]
fn a_reply_of_the_wrong_kind_is_shown_as_a_failure_and_a_retry_works() {
    let replies = deliveries::every_reply();
    for_every_ask(rounds(), |ask, random| {
        let mut found = Vec::new();
        for wrong in replies.sample(random, 3) {
            found.extend(fail_then_retry(
                ask,
                Outcome::Wrong(Box::new(wrong.clone())),
                asks::reply_kind(wrong),
            ));
        }
        found
    });
}

/// The request fails, and whatever else was asked succeeds.
fn fail_then_retry(ask: &Ask, outcome: Outcome, what: &str) -> Vec<String> {
    let mut service = asked(ask);
    // A missing record or a rejected batch is read elsewhere or in parts, an unknown triage is
    // checked, and a part of one that was not sent goes with the reply to another part.
    let has_way_out = what.contains("status: 404")
        || ask.how.contains("triage") && (what != "NotSent" || ask.how.contains("batches"));
    let needs_message = !ask.is_silent && !what.contains("Cancelled") && !has_way_out;
    let Some(token) = service.answer_request(ask.request, &outcome) else {
        return Vec::new();
    };
    let words = ["the cable is cut", WRONG_KIND];
    let shows = |service: &Deliveries| {
        let shown = service.console().screen_text() + &service.console().notice_text();
        words.iter().any(|words| shown.contains(words))
    };
    service.deliver(token);
    let was_shown = shows(&service);
    service.deliver_all();
    let mut found = service.problems();
    if needs_message && !was_shown && !shows(&service) {
        found.push(format!(
            "the failure is not shown: {}",
            service.console().notice_text()
        ));
    }
    service.act(|console| {
        if console.is_typing() && ask.how != "form" {
            console.press("Esc")
        } else {
            console
        }
    });
    service.act(ask.retry);
    service.deliver_all();
    found.extend(service.problems());
    let shown = service.console().screen_text();
    if let Some(line) = shown
        .lines()
        .find(|line| words.iter().any(|words| line.contains(words)))
    {
        found.push(format!("after a retry it still shows: {}", line.trim()));
    }
    if ask.request.contains("Header") && !what.contains("Rejected") {
        found.extend(differences(
            &mut service,
            &mut in_order(ask),
            "after a retry",
        ));
    }
    found
        .into_iter()
        .map(|found| format!("{what}: {found}"))
        .collect()
}

#[test]
fn a_reply_that_nobody_asked_for_changes_nothing() {
    for_every_ask(rounds(), |ask, random| {
        let mut service = in_order(ask);
        let answered: Vec<Token> = service.answered().to_vec();
        let before = (
            service.console().golden(),
            service.console().undo_steps(),
            service.console().effects.len(),
        );
        for reply in deliveries::every_reply() {
            let unknown = Token(u64::MAX - random.random_range(0..1_000));
            let known = answered[random.random_range(0..answered.len())];
            service.act(|console| {
                console
                    .send(Msg::Replied(unknown, Ok(reply.clone())))
                    .send(Msg::Replied(known, Ok(reply)))
            });
        }
        let console = service.console();
        let is_same = before
            == (
                console.golden(),
                console.undo_steps(),
                console.effects.len(),
            );
        if is_same && console.pending_calls.is_empty() {
            Vec::new()
        } else {
            vec!["something changed".to_owned()]
        }
    });
}
