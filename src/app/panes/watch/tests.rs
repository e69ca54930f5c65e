//! Tests of the dashboard as its users see it.

use crate::app::panes::build_keymap;
use chrono::Duration;

use crate::app::effect::{Effect, ServiceCall};
use crate::app::msg::{Msg, Push, Timer};
use crate::app::testing::{TestConsole, golden, morning_queue, parse_time, queue_row};
use crate::app::{AppSettings, ConsoleSession, DashboardOptions, DashboardPage};
use crate::domain::health::Health;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::program_template::ProgramTemplate;
use crate::domain::queue::{QueueStats, SignalTypeCount};
use crate::domain::quiet_hours::QuietHours;
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;

fn stats(new: u64, high: u64, done: u64) -> QueueStats {
    let count = |kind: &SignalType, n: u64| SignalTypeCount {
        signal_type: kind.clone(),
        new_count: n,
    };
    let type_counts = vec![
        count(&SignalType::PermitFiled, new / 2),
        count(&SignalType::PermitIssued, high),
        count(&SignalType::SiteAcquisition, new / 8),
        count(&SignalType::TeamUpdate, new / 13),
        count(&SignalType::Withdrawal, 1),
    ];
    QueueStats {
        new_count: new,
        high_priority_new_count: high,
        done_count: done,
        type_counts,
    }
}

fn poll(console: TestConsole, stats: QueueStats) -> TestConsole {
    console.send(Msg::Pushed(Push::Stats {
        result: Ok(stats),
        skew: Duration::zero(),
    }))
}

/// A dashboard that has run for a morning of eight hours.
fn dashboard() -> TestConsole {
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let mut console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default());
    for step in 0..48u64 {
        let new = 171 - step * 3 / 2 + (step % 5) * 4;
        console = poll(console, stats(new, 17, 340 + step)).advance_time(Duration::minutes(10));
    }
    poll(console, stats(142, 17, 389))
}

#[test]
fn the_types_are_all_written_out_or_all_in_one_word() {
    let kinds = [
        SignalType::PermitFiled,
        SignalType::EntitlementApproval,
        SignalType::ProjectAnnouncement,
    ];
    for (size, has_full_names) in [((120, 36), true), ((80, 24), true), ((40, 24), false)] {
        let type_counts = kinds.iter().map(|kind| SignalTypeCount {
            signal_type: kind.clone(),
            new_count: 9,
        });
        let counts = QueueStats {
            type_counts: type_counts.collect(),
            ..stats(27, 9, 0)
        };
        let console = poll(dashboard(), counts).send(Msg::Resized(size.0, size.1));
        let screen = console.screen_text();
        for (name, word) in [
            ("permit filed", "filed"),
            ("entitlement approval", "approved"),
            ("project announcement", "announced"),
        ] {
            assert_eq!(screen.contains(name), has_full_names, "{name}: {screen}");
            assert_eq!(
                screen.contains(&format!("{word} ")),
                !has_full_names || word == "filed",
                "{screen}"
            );
        }
    }
}

/// Whether the interface states that the call is free, or the meter proved it.
fn is_free(call: &ServiceCall) -> bool {
    call.max_credits() == Some(0) || matches!(call, ServiceCall::Queue { .. })
}

#[test]
fn the_dashboard_requests_only_what_is_free_and_nothing_on_its_keys() {
    let console = dashboard_with_all_pages()
        .advance_time(Duration::minutes(9))
        .poll()
        .serve();
    assert!(console.calls.iter().all(is_free), "{:?}", console.calls);
    let calls = console.calls.len();
    let console = console
        .press("r R 1 2 3 5 9 Enter f s e U z b c c Space Space : Esc ? Esc Left Right")
        .serve();
    assert_eq!(console.calls.len(), calls, "{:?}", console.calls);
}

#[test]
fn the_first_row_is_read_alone_between_two_readings_of_the_meter() {
    let console = dashboard_with_all_pages();
    let row = |call: &ServiceCall| matches!(call, ServiceCall::Queue { limit: 1, .. });
    // The name of the workspace is read besides.
    let calls = console.calls.iter();
    let calls: Vec<_> = calls
        .filter(|call| **call != ServiceCall::Workspace)
        .collect();
    assert!(
        *calls[0] == ServiceCall::Credits && row(calls[1]) && *calls[2] == ServiceCall::Credits,
        "{calls:?}"
    );
    assert_eq!(console.calls.iter().filter(|call| row(call)).count(), 1);
}

#[test]
fn where_rows_cost_credits_only_counts_are_shown_and_said_once() {
    let mut console = dashboard_session((200, 60), DashboardOptions::default());
    console.row_price = 1;
    for _ in 0..5 {
        console = console
            .advance_time(Duration::minutes(2))
            .ben_marks_done(&[1])
            .poll()
            .serve();
    }
    let screen = console.screen_text();
    assert!(
        !screen.contains("LATEST HIGH") && screen.contains("NEW BY TYPE"),
        "{screen}"
    );
    assert!(
        console.notice_text().starts_with("only counts are shown"),
        "{}",
        console.notice_text()
    );
    let rows = console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Queue { .. }))
        .count();
    assert_eq!(
        rows, 3,
        "a colleague may have spent meanwhile, so it is measured three times"
    );
    let console = console
        .press("Esc")
        .advance_time(Duration::minutes(9))
        .poll()
        .serve();
    assert_eq!(console.notice_text(), "");
}

#[test]
fn the_dashboard_keymap_has_no_command_that_writes() {
    use crate::app::command::Scope;
    use crate::app::command::keymap::KeyLookup;
    use crate::app::panes::all_commands;
    let keymap = build_keymap(&Default::default());
    for command in all_commands().filter(|command| command.writes) {
        for keys in command.keys {
            let keys = crate::app::command::keys::Key::parse_sequence(keys).unwrap();
            if let KeyLookup::Command(found) = keymap.look_up(Scope::Watch, &keys) {
                assert!(!found.writes, "{} runs {}", command.id, found.id);
            }
        }
    }
}

#[test]
fn the_age_of_the_figures_is_shown_with_the_reason() {
    let console = dashboard();
    assert!(console.screen_text().contains("as of "));
    let failed = Push::Stats {
        result: Err(RequestError::new_not_sent("connection refused")),
        skew: Duration::zero(),
    };
    let offline = Health::Offline {
        since: chrono::DateTime::UNIX_EPOCH,
        reason: "connection refused".to_owned(),
    };
    let console = console
        .advance_time(Duration::minutes(7))
        .send(Msg::Pushed(Push::Health(offline)))
        .send(Msg::Pushed(failed));
    assert!(
        console
            .screen_text()
            .contains("OFFLINE, counts from 17:20, 7 min old"),
        "{}",
        console.screen_text()
    );
    // The age is one of the big numbers too, even if the done count has to give way to it.
    assert!(
        ["DONE", "MIN OLD"]
            .iter()
            .all(|word| console.screen_text().contains(word)),
        "{}",
        console.screen_text()
    );
    let console = console.send(Msg::Resized(40, 8));
    let small = console.screen_text();
    assert!(
        ["NEW", "HIGH", "MIN OLD", "▀▀█"]
            .iter()
            .all(|word| small.contains(word))
            && !small.contains("DONE"),
        "{small}"
    );
    assert!(
        poll(console, stats(142, 17, 389))
            .screen_text()
            .contains("as of "),
        "it ends by itself"
    );
}

#[test]
fn the_screen_wakes_for_the_minute_and_counts_it() {
    let console = dashboard();
    let waits = |console: &TestConsole| {
        console
            .effects
            .iter()
            .filter(|e| {
                matches!(
                    e,
                    Effect::SetTimer {
                        timer: Timer::Minute(_),
                        ..
                    }
                )
            })
            .count()
    };
    assert_eq!(waits(&console), 1, "a poll does not start a second timer");
    let console = console
        .advance_time(Duration::minutes(3))
        .send(Msg::Elapsed(Timer::Minute(1)));
    assert_eq!(waits(&console), 2);
    assert!(
        console.screen_text().contains("3 min old"),
        "{}",
        console.screen_text()
    );
    let console = console.send(Msg::Elapsed(Timer::Minute(1)));
    assert_eq!(waits(&console), 2, "an old timer is ignored");
}

#[test]
fn a_high_priority_arrival_shows_a_banner_and_notifies_when_the_bell_is_on() {
    let console = poll(dashboard(), stats(143, 18, 389));
    assert!(
        console.screen_text().contains("HIGH +1: permit issued"),
        "{}",
        console.screen_text()
    );
    assert!(
        !console
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Notify(_)))
    );
    let console = poll(console.press("b"), stats(145, 20, 389));
    assert!(console.effects.contains(&Effect::Notify(
        "gantry: 2 new high-priority signals".to_owned()
    )));
}

#[test]
fn a_raised_priority_names_no_types_that_merely_grew() {
    let console = poll(dashboard(), stats(143, 17, 389));
    let mut raised = stats(144, 36, 389);
    raised
        .type_counts
        .iter_mut()
        .find(|count| count.signal_type == SignalType::PermitIssued)
        .unwrap()
        .new_count = 17;
    let console = poll(console, raised);
    assert!(
        console.screen_text().contains("HIGH +19") && !console.screen_text().contains("HIGH +19:"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn paused_figures_stay_while_the_polls_continue() {
    let console = poll(dashboard().press("Space"), stats(7, 1, 600));
    assert!(console.screen_text().contains("PAUSED"));
    let shown = |console: &TestConsole| {
        console
            .app
            .panes()
            .watch
            .displayed_stats(console.context())
            .map(|stats| stats.new_count)
    };
    assert_eq!(shown(&console), Some(142));
    assert_eq!(shown(&console.press("Space")), Some(7));
}

#[test]
fn the_interval_is_changed_and_sent_to_the_polling_task() {
    let console = dashboard().press("+ +");
    assert!(console.effects.contains(&Effect::SetPollInterval(Some(
        std::time::Duration::from_secs(60)
    ))));
    assert!(console.screen_text().contains("every 60 s"));
    assert!(
        console
            .press("- - - - - -")
            .screen_text()
            .contains("every 5 s")
    );
}

fn dashboard_session(size: (u16, u16), dashboard: DashboardOptions) -> TestConsole {
    let settings = AppSettings {
        dashboard,
        ..AppSettings::default()
    };
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    TestConsole::with_session(session, morning_queue(), size, settings)
}

/// A dashboard with all pages.
fn dashboard_with_all_pages() -> TestConsole {
    let pages = vec![
        DashboardPage::Counts,
        DashboardPage::Waiting,
        DashboardPage::Team,
    ];
    dashboard_session(
        (120, 36),
        DashboardOptions {
            pages,
            ..DashboardOptions::default()
        },
    )
    .poll()
    .serve()
}

/// A dashboard of a queue of this many signals, whose last ones leave within a week.
fn long_wall(signals: usize) -> TestConsole {
    let last = signals - 140;
    let row = |n: usize| {
        let filed = if n > last { "2026-04-12" } else { "2026-07-01" };
        queue_row(
            n,
            "medium",
            "permit_filed",
            filed,
            (n as u128, "Pier"),
            None,
        )
    };
    let mut console = dashboard_session((120, 36), DashboardOptions::default());
    console.rows = (1..=signals).map(row).collect();
    console.poll().serve()
}

#[test]
fn what_leaves_first_is_right_on_a_long_queue_or_says_of_how_many_signals() {
    let screen = long_wall(1_633).screen_text();
    assert!(
        screen.contains("LEAVE FIRST") && screen.contains("leave within 7 days"),
        "{screen}"
    );
    assert!(!screen.contains("OF THE FIRST"), "{screen}");
    let screen = long_wall(2_400).screen_text();
    assert!(
        screen.contains("LEAVE FIRST, OF THE FIRST 2,000"),
        "{screen}"
    );
    assert!(!screen.contains("leave within 7 days"), "{screen}");
}

/// A dashboard of a team with arrivals and marks of two days.
fn wall(size: (u16, u16)) -> TestConsole {
    let mut console = dashboard_session(size, DashboardOptions::default()).edit_rows(|rows| {
        rows[1].signal.discovered_at = Some(DateOrDateTime::At(parse_time("2026-07-09T07:40:00Z")));
        rows[4].signal.discovered_at = Some(DateOrDateTime::At(parse_time("2026-07-08T15:00:00Z")));
        rows[7].signal.source_display_name = Some("Dallas Building Inspection".to_owned());
        rows[7].signal.project_primary_address = Some("7 River Rd".to_owned());
        rows[10].signal.project_primary_address = Some("9 Foundry Row, Houston TX".to_owned());
    });
    console = console.ben_marks_done(&[9, 10]).poll().serve();
    for step in 0..6 {
        console = console.advance_time(Duration::minutes(10));
        console = if step == 3 {
            console.ben_marks_done(&[14]).poll().serve()
        } else {
            console.poll().serve()
        };
    }
    console
}

#[test]
fn a_wide_wall_names_the_latest_signals_and_compares_the_days() {
    let screen = wall((200, 60)).screen_text();
    for shown in [
        "LATEST HIGH PRIORITY",
        "Union Depot Tower",
        "$118M",
        "102 Union Rd, Austin TX · today 07:40",
        "yesterday",
        "waiting longest",
        "leave within 7 days",
        "NEW BY TYPE",
        "NEW BY CITY",
        "Austin 1",
        "Dallas 1",
        "DONE TODAY",
        "Ben K.",
    ] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
}

#[test]
fn a_wall_without_trouble_says_nothing_of_pages_polls_or_a_map_too_small_to_read() {
    let console = TestConsole::with_rows(morning_queue())
        .press("9")
        .poll()
        .serve()
        .send(Msg::Elapsed(Timer::Minute(1)));
    let screen = console.screen_text();
    assert!(screen.contains("Acme West  WATCH"), "{screen}");
    for unasked in ["only page", "failed", "NEW BY CITY"] {
        assert!(!screen.contains(unasked), "{unasked}\n{screen}");
    }
    assert!(!wall((120, 36)).screen_text().contains("NEW BY CITY"));
    let failed = console.send(Msg::Pushed(Push::Stats {
        result: Err(RequestError::new_not_sent("connection refused")),
        skew: Duration::zero(),
    }));
    let screen = failed.screen_text();
    assert!(screen.contains("polls failed"), "{screen}");
    let screen = failed.press("Right").screen_text();
    assert!(screen.contains("this is the only page"), "{screen}");
}

#[test]
fn hidden_names_and_money_appear_nowhere_on_the_wall() {
    let console = wall((200, 60)).press("K").edit_rows(|rows| {
        rows.insert(
            0,
            queue_row(
                99,
                "high",
                "construction_loan",
                "2026-07-09",
                (20, "Skyline One"),
                Some(5_000_000),
            ),
        );
    });
    let console = console.advance_time(Duration::minutes(2)).poll().serve();
    for page in 0..3 {
        let screen = console.screen_text();
        assert!(
            page > 0 || screen.contains("HIGH +1: construction loan") && screen.contains("hidden"),
            "{screen}"
        );
        for secret in ["Union Depot", "Skyline", "$", "Ben K.", "Union Rd"] {
            assert!(!screen.contains(secret), "{secret}\n{screen}");
        }
    }
}

#[test]
fn an_arrival_names_its_project_once_its_row_is_read() {
    let console = wall((120, 36)).edit_rows(|rows| {
        rows.insert(
            0,
            queue_row(
                99,
                "high",
                "construction_loan",
                "2026-07-09",
                (20, "Skyline One"),
                None,
            ),
        );
    });
    let screen = console.poll().serve().screen_text();
    assert!(
        screen.contains("HIGH +1: construction loan on Skyline One"),
        "{screen}"
    );
}

#[test]
fn the_team_page_follows_the_counts_within_its_minute() {
    let console = wall((80, 24)).press("]");
    assert!(
        console.screen_text().contains("Ben K."),
        "{}",
        console.screen_text()
    );
    let console = console
        .ben_marks_done(&[1, 2, 3])
        .advance_time(Duration::seconds(70))
        .poll()
        .serve();
    let screen = console.screen_text();
    let line = screen
        .lines()
        .find(|line| line.contains("Ben K."))
        .unwrap_or_default();
    assert!(line.contains(" 6 "), "{screen}");
}

#[test]
fn done_today_rises_with_done_before_the_list_is_read_again() {
    let figures = |console: &TestConsole| {
        let screen = console.screen_text();
        let line = screen.lines().find_map(|line| line.split_once(" done  "));
        let (_, numbers) = line.unwrap_or_else(|| panic!("{screen}"));
        numbers.split_whitespace().next().unwrap().to_owned()
    };
    let console = wall((120, 36));
    assert_eq!(figures(&console), "3");
    let console = console
        .ben_marks_done(&[1])
        .advance_time(Duration::seconds(15))
        .poll()
        .serve();
    assert_eq!(figures(&console), "4");
}

#[test]
fn a_team_has_a_page_where_the_counts_leave_no_room_for_it_and_a_key_shows_it() {
    let console = wall((80, 24));
    assert!(!console.screen_text().contains("Done today"));
    for keys in ["Right", "]", "Left"] {
        assert!(
            wall((80, 24))
                .press(keys)
                .screen_text()
                .contains("Done today"),
            "{keys}"
        );
    }
    let large = wall((120, 36));
    assert!(
        large.screen_text().contains("DONE TODAY"),
        "{}",
        large.screen_text()
    );
    assert!(
        !minute(large, 1).screen_text().contains("Done today"),
        "it is on the screen already"
    );
}

fn minute(console: TestConsole, tick: u64) -> TestConsole {
    console
        .advance_time(Duration::minutes(1))
        .send(Msg::Elapsed(Timer::Minute(tick)))
}

#[test]
fn the_configured_pages_rotate_every_full_minute() {
    let console = dashboard_with_all_pages().ben_marks_done(&[1, 2]);
    assert!(!console.screen_text().contains("Next in the queue"));
    let console = minute(console, 1).poll().serve();
    assert!(
        console.screen_text().contains("Next in the queue")
            && console.screen_text().contains("Eastgate Hotel"),
        "{}",
        console.screen_text()
    );
    let console = minute(console.advance_time(Duration::minutes(5)).poll().serve(), 2);
    assert!(
        console.screen_text().contains("Done today") && console.screen_text().contains("Ben K."),
        "{}",
        console.screen_text()
    );
    assert!(!minute(console, 3).screen_text().contains("Done today"));
}

#[test]
fn the_dashboard_reads_rows_only_when_the_counts_changed() {
    let console = dashboard_with_all_pages();
    let reads = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Queue { .. }))
            .count()
    };
    assert_eq!(reads(&console), 3, "the first row, New and Done");
    let console = console
        .advance_time(Duration::minutes(10))
        .poll()
        .serve()
        .advance_time(Duration::minutes(10))
        .poll()
        .serve();
    assert_eq!(reads(&console), 3, "nothing changed");
    let console = console.ben_marks_done(&[1]).poll().serve();
    assert_eq!(reads(&console), 5);
    let console = console
        .ben_marks_done(&[2])
        .advance_time(Duration::seconds(15))
        .poll()
        .serve();
    assert_eq!(reads(&console), 5, "at most once a minute");
}

#[test]
fn names_and_money_are_hidden_by_a_key_or_from_the_start_if_configured() {
    let console = minute(dashboard_with_all_pages(), 1);
    let shown = console.screen_text();
    assert!(shown.contains("Eastgate Hotel"), "{shown}");
    let hidden = console.press("K").screen_text();
    assert!(
        !hidden.contains("Eastgate Hotel")
            && hidden.contains("hidden")
            && hidden.contains("permit issued"),
        "{hidden}"
    );
}

#[test]
fn a_paused_dashboard_keeps_its_page() {
    let console = minute(dashboard_with_all_pages().press("]").press("Space"), 1);
    assert!(
        console.screen_text().contains("Next in the queue"),
        "{}",
        console.screen_text()
    );
    assert!(console.press("[").screen_text().contains("PAUSED"));
}

/// A wall that runs a program for new signals of high priority, and plays a sound for the others.
fn alerting_wall(quiet: Option<QuietHours>) -> TestConsole {
    let on_high: Vec<String> = ["say", "{count} new: {type} on {project}"]
        .map(str::to_owned)
        .into();
    let sounds = ["high.oga", "medium.oga", ""].map(|sound| {
        if sound.is_empty() {
            vec![]
        } else {
            vec![sound.to_owned()]
        }
    });
    let on_high =
        ProgramTemplate::parse_with(&on_high, crate::domain::high_arrivals::ALERT_PLACEHOLDERS)
            .unwrap();
    let options = DashboardOptions {
        on_high: Some(on_high),
        quiet,
        sounds,
        ..DashboardOptions::default()
    };
    dashboard_session((120, 36), options).poll().serve()
}

fn with_arrival(console: TestConsole, n: usize, priority: &str, project: &str) -> TestConsole {
    let console = console.edit_rows(|rows| {
        rows.insert(
            0,
            queue_row(
                n,
                priority,
                "construction_loan",
                "2026-07-09",
                (n as u128, project),
                None,
            ),
        );
    });
    console.advance_time(Duration::minutes(2)).poll().serve()
}

/// The programs that were run, each with its arguments on a line.
fn alerts(console: &TestConsole) -> Vec<String> {
    let run = |effect: &Effect| {
        if let Effect::RunAlert(program) = effect {
            Some(program.join(" "))
        } else {
            None
        }
    };
    console.effects.iter().filter_map(run).collect()
}

#[test]
fn the_program_for_high_priority_runs_once_for_each_arrival_and_one_at_a_time() {
    let console = alerting_wall(None);
    assert_eq!(alerts(&console), [""; 0], "the first poll is no arrival");
    let failed = Push::Stats {
        result: Err(RequestError::new_not_sent("connection refused")),
        skew: Duration::zero(),
    };
    let console = with_arrival(
        console.send(Msg::Pushed(failed)),
        99,
        "high",
        "Skyline; rm -rf /",
    );
    assert_eq!(
        alerts(&console),
        ["say 1 new: construction loan on Skyline; rm -rf /"]
    );
    let console = with_arrival(console, 98, "high", "Moonrise").poll().serve();
    assert_eq!(alerts(&console).len(), 1, "the first one still runs");
    let console = console.send(Msg::Pushed(Push::AlertEnded(Err(
        "say: not found".to_owned()
    ))));
    assert_eq!(
        alerts(&console)[1..],
        ["say 1 new: construction loan on Moonrise"]
    );
    assert_eq!(
        console.notice_text(),
        "the program of [watch] failed: say: not found"
    );
    let console = console.press("Esc").send(Msg::Pushed(Push::AlertEnded(Err(
        "say: not found".to_owned()
    ))));
    assert_eq!(console.notice_text(), "", "a failure is shown once");
    let hidden = with_arrival(console.press("K"), 97, "high", "Sunset");
    assert_eq!(
        alerts(&hidden)[2..],
        ["say 1 new: construction loan on a project"]
    );
}

#[test]
fn each_priority_has_its_sound_while_the_bell_is_on() {
    let console = with_arrival(alerting_wall(None), 99, "medium", "Skyline");
    assert_eq!(alerts(&console), [""; 0]);
    let console = with_arrival(console.press("b"), 98, "medium", "Moonrise");
    assert_eq!(alerts(&console), ["medium.oga"]);
    let console = with_arrival(
        console.send(Msg::Pushed(Push::AlertEnded(Ok(())))),
        97,
        "high",
        "Sunset",
    );
    let console = console.send(Msg::Pushed(Push::AlertEnded(Ok(()))));
    assert_eq!(
        alerts(&console)[1..],
        ["high.oga", "say 1 new: construction loan on Sunset"]
    );
    let console = with_arrival(
        console.send(Msg::Pushed(Push::AlertEnded(Ok(())))),
        96,
        "low",
        "Daybreak",
    );
    assert_eq!(
        alerts(&console).len(),
        3,
        "no sound is set for low priority"
    );
}

#[test]
fn nothing_rings_or_runs_in_quiet_hours_and_the_wall_says_so() {
    let night = QuietHours {
        from: 18 * 60,
        to: 10 * 60,
    };
    let console = with_arrival(
        alerting_wall(Some(night)).press("b Esc"),
        99,
        "high",
        "Skyline",
    );
    assert_eq!(alerts(&console), [""; 0]);
    assert!(
        !console
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Notify(_)))
    );
    let screen = console.screen_text();
    assert!(
        screen.contains("quiet 18:00-10:00")
            && screen.contains("HIGH +1: construction loan on Skyline"),
        "{screen}"
    );
    let console = with_arrival(
        console.advance_time(Duration::hours(1)),
        98,
        "high",
        "Moonrise",
    );
    assert_eq!(alerts(&console).len(), 1, "the hours are over");
    assert!(!console.screen_text().contains("quiet"));
}

#[test]
fn a_message_for_the_room_is_typed_shown_and_saved() {
    let console = wall((120, 36))
        .press("m")
        .type_text("Stand-up 9:15")
        .press("Enter");
    assert!(
        console.screen_text().contains("Stand-up 9:15"),
        "{}",
        console.screen_text()
    );
    assert!(console.effects.contains(&Effect::SavePreference(
        "watch.message".into(),
        "Stand-up 9:15".into()
    )));
    let options = DashboardOptions {
        message: "Noon".into(),
        has_configured_message: true,
        ..DashboardOptions::default()
    };
    let console = dashboard_session((80, 24), options)
        .poll()
        .serve()
        .press("m Ctrl-u")
        .type_text("Later")
        .press("Enter");
    assert!(
        console.notice_text().contains("configuration"),
        "{}",
        console.notice_text()
    );
    assert!(!console.effects.iter().any(
        |effect| matches!(effect, Effect::SavePreference(name, _) if name == "watch.message")
    ));
}

#[test]
fn pages_are_chosen_on_the_screen_and_saved() {
    let console = wall((80, 24)).press("p");
    assert!(
        console.screen_text().contains("Pages of the dashboard"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Down Enter Esc");
    assert!(console.effects.contains(&Effect::SavePreference(
        "watch.pages".into(),
        "counts,waiting,team".into()
    )));
    assert!(
        console
            .press("]")
            .screen_text()
            .contains("Next in the queue")
    );
}

#[test]
fn the_bell_stays_on_after_a_restart() {
    let console = dashboard().press("b");
    assert!(
        console
            .effects
            .contains(&Effect::SavePreference("watch.bell".into(), "on".into()))
    );
    let settings = AppSettings {
        preferences: [("watch.bell".to_owned(), "on".to_owned())].into(),
        ..AppSettings::default()
    };
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let console = TestConsole::with_session(session, morning_queue(), (120, 36), settings)
        .poll()
        .serve();
    let console = with_arrival(console, 99, "high", "Skyline");
    assert!(console.effects.contains(&Effect::Notify(
        "gantry: 1 new high-priority signal".to_owned()
    )));
}

/// By default two weeks of polls at 15 s; `GANTRY_POLLS=1000000` is half a year, six times the
/// month that a dashboard must run.
#[test]
fn weeks_of_polls_grow_no_memory_and_miss_no_stall() {
    let polls: u64 =
        std::env::var("GANTRY_POLLS").map_or(80_000, |polls| polls.parse().expect("a number"));
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let mut console =
        TestConsole::with_session(session, morning_queue(), (60, 20), AppSettings::default());
    let mut tick = 1;
    for step in 0..polls {
        console = poll(
            console.advance_time(Duration::seconds(15)),
            stats(100 + step % 50, step % 7, step),
        );
        if step % 4 == 3 {
            console = console.send(Msg::Elapsed(Timer::Minute(tick)));
            tick += 1;
        }
        console.effects.clear();
        if step % 20_000 == 19_999 {
            let stalled = console
                .advance_time(Duration::minutes(5))
                .send(Msg::Elapsed(Timer::Minute(tick)));
            tick += 1;
            assert!(
                stalled.screen_text().contains("5 min old"),
                "{}",
                stalled.screen_text()
            );
            console = stalled;
        }
    }
    let watch = &console.app.panes().watch;
    assert_eq!(
        (
            watch.history.slot_count(),
            watch.poll_results.0,
            console.calls.len()
        ),
        (144, polls, 2)
    );
}

#[test]
fn two_years_of_days_are_drawn_with_their_own_dates() {
    let session = ConsoleSession {
        label: "acme-west".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let mut console =
        TestConsole::with_session(session, morning_queue(), (80, 24), AppSettings::default());
    let mut now = crate::app::testing::parse_time(crate::app::testing::NOW);
    for step in 0..2 * 366 * 24 / 7 {
        now += Duration::hours(7);
        // Daylight saving time moves the clock by an hour twice a year.
        let offset = chrono::FixedOffset::east_opt(3600 * (1 + step / 626 % 2)).unwrap();
        console = console.advance_time(Duration::hours(7));
        console.context_mut().set_utc_offset(offset);
        console = poll(console, stats(100, 7, 1));
        let age = format!("as of {}", now.with_timezone(&offset).format("%H:%M"));
        assert!(
            console.screen_text().contains(&age),
            "{now} {age}\n{}",
            console.screen_text()
        );
    }
}

#[test]
fn golden_screens_of_the_dashboard() {
    golden!("watch_120x36", dashboard());
    golden!(
        "watch_waiting_120x36",
        minute(dashboard_with_all_pages(), 1)
    );
    golden!(
        "watch_waiting_60x20",
        minute(dashboard_with_all_pages(), 1).send(Msg::Resized(60, 20))
    );
    golden!(
        "watch_team_120x36",
        dashboard_with_all_pages()
            .ben_marks_done(&[1, 2])
            .advance_time(Duration::minutes(5))
            .poll()
            .serve()
            .press("[")
    );
    golden!("watch_80x24", dashboard().send(Msg::Resized(80, 24)));
    golden!("watch_60x20", dashboard().send(Msg::Resized(60, 20)));
    golden!("watch_40x8", dashboard().send(Msg::Resized(40, 8)));
    golden!("watch_40x12", dashboard().send(Msg::Resized(40, 12)));
    golden!("watch_200x60", wall((200, 60)));
    golden!("watch_team_of_two_120x36", wall((120, 36)));
    golden!("watch_hidden_200x60", wall((200, 60)).press("K"));
}

#[test]
fn the_wall_alone_bears_the_name_of_the_workspace() {
    let session = crate::app::ConsoleSession {
        label: "demo".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
            .poll()
            .serve();
    let screen = console.screen_text();
    assert!(screen.contains("Acme West  WATCH"), "{screen}");
}

#[test]
fn a_team_that_has_done_nothing_today_has_no_page() {
    let wall = dashboard_session((80, 24), DashboardOptions::default());
    let wall = (0..4).fold(wall, |wall, _| {
        wall.poll().serve().advance_time(Duration::minutes(10))
    });
    let screen = wall.press("]").screen_text();
    assert!(screen.contains("this is the only page"), "{screen}");
}
