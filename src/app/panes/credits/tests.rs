//! Tests of credits as their users see them.

use chrono::{Duration, FixedOffset};
use uuid::Uuid;

use super::window::{self, WindowColumn};
use super::{LedgerGrouping, group_entries, screen_of_entry};
use crate::app::effect::ServiceCall;
use crate::app::msg::Msg;
use crate::app::testing::{NOW, TestConsole, golden, morning_queue, parse_time, sample_meter};
use crate::domain::budgets::{Budgets, CreditsSpent};
use crate::domain::credits::{
    LedgerEntry, LedgerReport, METER_WINDOW, MeterReconciliation, UsageSum,
};
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// A day of requests: when, which route, from which command, at what price.
pub fn day_of_work() -> LedgerReport {
    let now = parse_time(NOW);
    let asked = [
        (1, "POST /data/projects/search", "explore.run", Some(25), 25),
        (
            25,
            "POST /workspace/views/{id}/records/search",
            "views.run",
            Some(8),
            8,
        ),
        (70, "GET /signals/queue", "start", None, 50),
        (
            75,
            "POST /workspace/accounts/search",
            "records.open",
            Some(50),
            50,
        ),
        (
            60 * 9,
            "POST /workspace/accounts/search",
            "book accounts search",
            Some(400),
            400,
        ),
        (60 * 22, "GET /data/projects/{id}", "go.project", Some(1), 0),
        (
            60 * 30,
            "POST /data/accounts/search",
            "explore.count",
            Some(1),
            1,
        ),
    ];
    let at = |minutes: i64| now - Duration::minutes(minutes);
    let latest = asked
        .iter()
        .map(|(minutes, route, reason, credits, rows)| LedgerEntry {
            at: at(*minutes),
            credits: *credits,
            settled: false,
            rows: Some(*rows).filter(|rows| *rows > 0),
            route: (*route).to_owned(),
            reason: (*reason).to_owned(),
            op: Uuid::nil(),
            workspace_id: None,
        });
    let tallies = asked
        .iter()
        .map(|(minutes, route, reason, credits, _)| UsageSum {
            at: at(*minutes),
            route: (*route).to_owned(),
            reason: (*reason).to_owned(),
            requests: 1,
            credits: credits.unwrap_or(0),
            unknown: u64::from(credits.is_none()),
        });
    LedgerReport {
        meter: Ok(sample_meter()),
        reconciliation: Some(MeterReconciliation {
            since: now - METER_WINDOW,
            used: 1_284,
            booked: 484,
            unknown: 1,
            drift: 800,
        }),
        spent: CreditsSpent {
            session: 83,
            day: 484,
        },
        readings: vec![(now - Duration::hours(6), 1_201), (now, 1_284)],
        usage: tallies.collect(),
        latest_entries: latest.collect(),
    }
}

fn with_budgets(budgets: Budgets) -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.ledger = Some(day_of_work());
    console.context_mut().settings_mut().budgets = budgets;
    console.press("8").serve()
}

fn credits() -> TestConsole {
    with_budgets(Budgets {
        soft_session: Some(500),
        hard_day: Some(2_000),
        ..Budgets::default()
    })
}

#[test]
fn the_chart_ends_at_the_meter_and_the_forecast_frees_what_the_ledger_knows() {
    let course = window::window_series(&day_of_work(), parse_time(NOW), 24);
    assert_eq!(course.len(), 48);
    assert_eq!(course[23], WindowColumn::Past(1_284), "now");
    // The latest meter reading, six hours ago, included 800 credits of others.
    assert_eq!(course[22], WindowColumn::Past(50 + 400 + 1 + 800));
    assert_eq!(
        course[24 + 2],
        WindowColumn::Forecast(483 + 800),
        "the request of 22 hours ago has left the window"
    );
    assert_eq!(
        course[47],
        WindowColumn::Forecast(800),
        "others' credits are assumed to stay"
    );
    assert_eq!(
        window::largest_expiry(&day_of_work(), parse_time(NOW)),
        Some((parse_time(NOW) - Duration::hours(9) + METER_WINDOW, 400))
    );
    assert_eq!(
        window::credits_expiring_next_hour(&day_of_work(), parse_time(NOW)),
        0
    );
}

#[test]
fn the_ceiling_is_forecast_only_within_a_day() {
    let mut statement = day_of_work();
    assert_eq!(window::ceiling_at(&statement, parse_time(NOW)), None);
    statement.meter = Ok(crate::domain::credits::Credits {
        used: Some(249_934),
        ..sample_meter()
    });
    assert_eq!(
        window::ceiling_at(&statement, parse_time(NOW)),
        Some(parse_time(NOW) + Duration::hours(2))
    );
}

#[test]
fn every_ledger_tab_has_the_same_total() {
    let mut console = TestConsole::with_rows(morning_queue());
    console
        .context_mut()
        .set_utc_offset(FixedOffset::east_opt(0).unwrap());
    let groups = |by| group_entries(day_of_work().usage.iter(), by, console.context());
    for by in [
        LedgerGrouping::Day,
        LedgerGrouping::Screen,
        LedgerGrouping::Reason,
    ] {
        let sums = groups(by);
        let totals = sums.iter().fold((0, 0, 0), |all, sum| {
            (
                all.0 + sum.credits,
                all.1 + sum.requests,
                all.2 + sum.unpriced,
            )
        });
        assert_eq!(totals, (485, 7, 1), "{by:?}");
    }
    let days: Vec<_> = groups(LedgerGrouping::Day)
        .into_iter()
        .map(|sum| (sum.name, sum.credits))
        .collect();
    assert_eq!(
        days,
        [("2026-07-09".into(), 483), ("2026-07-08".into(), 2)],
        "newest first"
    );
}

#[test]
fn a_line_belongs_to_the_screen_of_its_command_or_route() {
    let console = TestConsole::with_rows(morning_queue());
    let screen = |reason, route| screen_of_entry(reason, route, &console.context().keymap);
    assert_eq!(
        screen("views.run", "POST /workspace/views/{id}/records/search"),
        "Saved"
    );
    assert_eq!(
        screen("records.more", "POST /workspace/accounts/search"),
        "Book"
    );
    assert_eq!(
        screen("narrow.apply", "POST /workspace/accounts/search"),
        "Book"
    );
    assert_eq!(
        screen("records.more", "POST /data/accounts/search"),
        "Explore"
    );
    assert_eq!(
        screen("explore.count", "POST /data/accounts/search"),
        "Explore"
    );
    assert_eq!(screen("start", "GET /signals/queue"), "Queue");
    assert_eq!(
        screen("record.open", "GET /data/accounts/{id}"),
        "Opened records"
    );
    assert_eq!(
        screen("book accounts search", "POST /workspace/accounts/search"),
        "Command line"
    );
}

#[test]
fn what_cost_nothing_is_listed_only_on_request_and_reasons_are_words_of_the_job() {
    let mut console = TestConsole::with_rows(morning_queue());
    let mut statement = day_of_work();
    let free = UsageSum {
        route: "GET /signals/{id}".to_owned(),
        reason: "poll".to_owned(),
        credits: 0,
        unknown: 0,
        requests: 28,
        ..statement.usage[0].clone()
    };
    statement.usage.push(free);
    console.service.ledger = Some(statement);
    let console = console.press("8").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("run the search") && screen.contains("gantry book accounts search"),
        "{screen}"
    );
    assert!(
        !screen.contains("read the counts") && !screen.contains("/signals"),
        "{screen}"
    );
    let screen = console.press("f").screen_text();
    assert!(screen.contains("read the counts"), "{screen}");
}

#[test]
fn a_curve_is_drawn_only_once_there_are_three_hours_of_it() {
    let screen = credits().screen_text();
    assert!(
        screen.contains("a day ago")
            && screen.contains("400 credits can be spent again at 00:20 tomorrow"),
        "{screen}"
    );
    let mut console = TestConsole::with_rows(morning_queue());
    let mut statement = day_of_work();
    let since = parse_time(NOW) - Duration::hours(3);
    statement.usage.retain(|sum| sum.at > since);
    statement.readings.retain(|(at, _)| *at > since);
    console.service.ledger = Some(statement);
    let screen = console.press("8").serve().screen_text();
    assert!(!screen.contains("a day ago"), "{screen}");
}

#[test]
fn a_request_is_shown_in_full_and_the_tabs_wrap_around() {
    let screen = credits().press("[ j j Enter").screen_text();
    assert!(
        screen.contains("GET /signals/queue") && screen.contains("Price unknown"),
        "{screen}"
    );
    assert!(
        screen.contains(" Request ") && !screen.contains("Why this priority"),
        "{screen}"
    );
    let screen = credits().press("] ]").screen_text();
    assert!(
        screen.contains("Command line") && screen.contains("485 cr in 7 requests"),
        "{screen}"
    );
    assert!(
        credits()
            .press("Enter")
            .notice_text()
            .contains("no single request")
    );
    assert_eq!(credits().service.spent, 0, "viewing is free");
}

#[test]
fn a_budget_is_set_and_an_invalid_number_stays_in_the_field() {
    let console = credits()
        .press("b j j j Enter")
        .press("Ctrl-u")
        .type_text("much")
        .press("Enter");
    assert!(
        console.screen_text().contains("much")
            && console.screen_text().contains("number of credits"),
        "{}",
        console.screen_text()
    );
    let console = console
        .press("Ctrl-u")
        .type_text("5,000")
        .press("Enter")
        .serve();
    let saved = Budgets {
        soft_session: Some(500),
        hard_day: Some(5_000),
        ..Budgets::default()
    };
    assert_eq!(console.calls.last(), Some(&ServiceCall::SetBudgets(saved)));
    assert!(
        console.notice_text().contains("block per 24 hours 5,000"),
        "{}",
        console.notice_text()
    );
    let console = console
        .press("b Enter Ctrl-u Enter")
        .fail_next(RequestError::new_not_sent("cannot write config.toml"));
    assert!(
        console
            .notice_text()
            .contains("the old one still applies: cannot write"),
        "{}",
        console.notice_text()
    );
    assert_eq!(console.context().settings.budgets, saved);
}

#[test]
fn of_two_budgets_saved_at_once_each_reply_counts_and_the_later_one_wins() {
    let save_two = || {
        credits()
            .press("b Enter Ctrl-u")
            .type_text("600")
            .press("Enter b Enter Ctrl-u")
            .type_text("700")
            .press("Enter")
    };
    let console = save_two().fail_next(RequestError::new_not_sent("cannot write config.toml"));
    assert!(
        console.notice_text().contains("the old one still applies"),
        "{}",
        console.notice_text()
    );
    let mut console = save_two();
    console.pending_calls.swap(0, 1);
    assert_eq!(
        console.serve().context().settings.budgets.soft_session,
        Some(700)
    );
}

#[test]
fn a_soft_budget_asks_before_spending_and_no_cancels() {
    let soft = || {
        with_budgets(Budgets {
            soft_session: Some(100),
            ..Budgets::default()
        })
        .press("3")
        .serve()
    };
    let searches = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Search { .. }))
            .count()
    };
    let console = soft().press("Enter");
    assert!(
        console
            .screen_text()
            .contains("This costs up to 50 credits"),
        "{}",
        console.screen_text()
    );
    assert_eq!(searches(&console), 0);
    let console = console.press("Esc");
    assert!(
        console.notice_text().contains("nothing was spent"),
        "{}",
        console.notice_text()
    );
    assert_eq!((searches(&console), console.pending_calls.len()), (0, 0));
    let console = console.press("Enter y Enter").serve();
    assert_eq!(searches(&console), 1);
    assert!(
        console
            .press("R")
            .screen_text()
            .contains("Over your budget?"),
        "it asks again"
    );
    let console = soft()
        .press("Enter j j Enter")
        .serve()
        .press("R Down Enter")
        .serve();
    assert_eq!(searches(&console), 2, "the answer was not to ask again");
}

#[test]
fn a_spend_over_a_hard_budget_is_refused_without_a_question() {
    let searches = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Search { .. }))
            .count()
    };
    let budgets = Budgets {
        soft_session: Some(100),
        hard_session: Some(101),
        ..Budgets::default()
    };
    let console = with_budgets(budgets).press("3").serve().press("Enter");
    let screen = console.screen_text();
    assert!(!screen.contains("Over your budget?"), "{screen}");
    assert!(
        screen.contains(
            "the budget “block per session” has 18 of 101 credits left, and this may cost 50"
        ),
        "{screen}"
    );
    assert_eq!(
        (searches(&console), console.calls.last()),
        (0, Some(&ServiceCall::Credits)),
        "usage is read again"
    );
    let budgets = Budgets {
        soft_session: Some(100),
        hard_session: Some(200),
        ..Budgets::default()
    };
    assert!(
        with_budgets(budgets)
            .press("3")
            .serve()
            .press("Enter")
            .screen_text()
            .contains("Over your budget?")
    );
}

#[test]
fn a_used_up_soft_budget_asks_before_a_request_of_unknown_price() {
    let asked = |console: &TestConsole| {
        console
            .calls
            .iter()
            .any(|call| matches!(call, ServiceCall::AskQuestion { .. }))
    };
    let ask = |soft_session| {
        let console = with_budgets(Budgets {
            soft_session: Some(soft_session),
            ..Budgets::default()
        });
        console
            .press("5")
            .serve()
            .serve()
            .press(";")
            .type_text("towers in Austin")
            .press("Enter")
    };
    let console = ask(10);
    assert!(
        console.screen_text().contains("The price is unknown"),
        "{}",
        console.screen_text()
    );
    assert!(!asked(&console));
    assert!(asked(&console.press("y Enter").serve()));
    assert!(asked(&ask(5_000)), "some budget is left");
}

#[test]
fn free_requests_and_those_below_a_soft_budget_need_no_confirmation() {
    let console = with_budgets(Budgets {
        soft_day: Some(534),
        ..Budgets::default()
    })
    .press("3")
    .serve()
    .press("Enter")
    .serve();
    assert_eq!(console.service.spent, 8);
    let console = with_budgets(Budgets {
        soft_day: Some(1),
        ..Budgets::default()
    })
    .press("R")
    .serve()
    .press("2")
    .serve();
    assert!(!console.screen_text().contains("Over your budget?"));
}

#[test]
fn a_hard_budget_is_not_an_outage_and_the_rows_say_why() {
    let over = || RequestError {
        kind: RequestErrorKind::OverBudget,
        message: "not sent: the budget “block per 24 hours” has 0 of 5 credits left".into(),
    };
    let console = credits()
        .press("3")
        .serve()
        .press("Enter")
        .fail_next(over());
    assert!(
        console
            .screen_text()
            .contains("“block per 24 hours” has 0 of 5"),
        "{}",
        console.screen_text()
    );
    let first =
        TestConsole::with_size(morning_queue(), (120, 36), Default::default()).fail_next(over());
    assert!(
        !first.effects.contains(&crate::app::Effect::Quit),
        "the program keeps running even if its first request was rejected"
    );
}

#[test]
fn golden_screens_of_the_credits() {
    golden!("credits_120x36", credits());
    golden!("credits_80x24", credits().send(Msg::Resized(80, 24)));
    golden!(
        "credits_screens_80x24",
        credits().press("] ]").send(Msg::Resized(80, 24))
    );
    golden!("credits_60x20", credits().send(Msg::Resized(60, 20)));
    golden!(
        "credits_loading_80x24",
        TestConsole::with_rows(morning_queue())
            .press("8")
            .send(Msg::Resized(80, 24))
    );
    golden!(
        "credits_failed_80x24",
        TestConsole::with_rows(morning_queue())
            .press("8")
            .serve()
            .send(Msg::Resized(80, 24))
    );
    let mut empty = TestConsole::with_rows(morning_queue());
    let meter = Err("no answer from 127.0.0.1".to_owned());
    empty.service.ledger = Some(LedgerReport {
        meter,
        reconciliation: None,
        usage: vec![],
        latest_entries: vec![],
        readings: vec![],
        spent: CreditsSpent::default(),
    });
    golden!("credits_empty_120x36", empty.press("8").serve());
}
