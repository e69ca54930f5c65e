//! The wallboard, in the words of those who look at it.

use chrono::Duration;

use crate::app::effect::Effect;
use crate::app::msg::{Msg, Push, Timer};
use crate::app::testing::{Console, golden, morning};
use crate::app::{Session, Settings};
use crate::domain::failure::Failure;
use crate::domain::health::Health;
use crate::domain::queue::{QueueStats, TypeCount};
use crate::domain::signals::SignalType;

fn stats(new: u64, high: u64, done: u64) -> QueueStats {
    let count = |kind: &SignalType, n: u64| TypeCount { signal_type: kind.clone(), new_count: n };
    let type_counts = vec![
        count(&SignalType::PermitFiled, new / 2),
        count(&SignalType::PermitIssued, high),
        count(&SignalType::SiteAcquisition, new / 8),
        count(&SignalType::TeamUpdate, new / 13),
        count(&SignalType::Withdrawal, 1),
    ];
    QueueStats { new_count: new, high_priority_new_count: high, done_count: done, type_counts }
}

fn poll(console: Console, stats: QueueStats) -> Console {
    console.send(Msg::Pushed(Push::Stats { result: Ok(stats), skew: Duration::zero() }))
}

/// A wall that has seen a morning of eight hours.
fn wall() -> Console {
    let session = Session { label: "acme-west".to_owned(), connected: true, read_only: true, watches: true };
    let mut console = Console::with(session, morning(), (120, 36), Settings::default());
    for step in 0..48u64 {
        let new = 171 - step * 3 / 2 + (step % 5) * 4;
        console = poll(console, stats(new, 17, 340 + step)).after(Duration::minutes(10));
    }
    poll(console, stats(142, 17, 389))
}

#[test]
fn a_wall_asks_for_nothing_but_the_counts() {
    let console = wall().press("r R 1 2 3 5 9 Enter f s e U z b c c Space Space : Esc ? Esc").serve();
    assert_eq!(console.calls, [], "no call besides the polls");
}

#[test]
fn nothing_that_writes_is_in_the_keymap_of_the_wall() {
    use crate::app::command::{Lookup, Scope, look_up, table};
    for command in table().filter(|command| command.writes) {
        for keys in command.keys {
            let keys = crate::app::command::keys::Key::sequence(keys).unwrap();
            if let Lookup::Command(found) = look_up(Scope::Watch, &keys) {
                assert!(!found.writes, "{} runs {}", command.id, found.id);
            }
        }
    }
}

#[test]
fn the_age_of_the_figures_is_said_and_why_they_are_old() {
    let console = wall();
    assert!(console.screen().contains("as of "));
    let failed = Push::Stats { result: Err(Failure::not_sent("connection refused")), skew: Duration::zero() };
    let offline = Health::Offline { since: chrono::DateTime::UNIX_EPOCH, reason: "connection refused".to_owned() };
    let console = console.after(Duration::minutes(7)).send(Msg::Pushed(Push::Health(offline))).send(Msg::Pushed(failed));
    assert!(console.screen().contains("OFFLINE, counts of 17:20, 7 min old"), "{}", console.screen());
    assert!(poll(console, stats(142, 17, 389)).screen().contains("as of "), "it ends by itself");
}

#[test]
fn the_screen_wakes_for_the_minute_and_counts_it() {
    let console = wall();
    let waits =
        |console: &Console| console.effects.iter().filter(|e| matches!(e, Effect::Wait { timer: Timer::Minute(_), .. })).count();
    assert_eq!(waits(&console), 1, "a poll sets no second clock");
    let console = console.after(Duration::minutes(3)).send(Msg::Elapsed(Timer::Minute(1)));
    assert_eq!(waits(&console), 2);
    assert!(console.screen().contains("3 min old"), "{}", console.screen());
    let console = console.send(Msg::Elapsed(Timer::Minute(1)));
    assert_eq!(waits(&console), 2, "a clock of before is not heard");
}

#[test]
fn an_arrival_of_high_priority_is_a_banner_and_with_the_bell_on_a_notification_of_a_count() {
    let console = poll(wall(), stats(143, 18, 389));
    assert!(console.screen().contains("HIGH +1: permit issued"), "{}", console.screen());
    assert!(!console.effects.iter().any(|effect| matches!(effect, Effect::Notify(_))));
    let console = poll(console.press("b"), stats(145, 20, 389));
    assert!(console.effects.contains(&Effect::Notify("gantry: 2 new of high priority".to_owned())));
}

#[test]
fn paused_figures_stand_while_the_polls_go_on() {
    let console = poll(wall().press("Space"), stats(7, 1, 600));
    assert!(console.screen().contains("PAUSED"));
    assert_eq!(console.app.watched().unwrap().new_count, 142);
    assert_eq!(console.press("Space").app.watched().unwrap().new_count, 7);
}

#[test]
fn the_interval_is_changed_and_told_to_the_polling_task() {
    let console = wall().press("+ +");
    assert!(console.effects.contains(&Effect::PollEvery(std::time::Duration::from_secs(60))));
    assert!(console.screen().contains("every 60 s"));
    assert!(console.press("- - - - - -").screen().contains("every 5 s"));
}

#[test]
fn a_month_of_polls_takes_no_memory_and_no_stall_is_missed() {
    let session = Session { label: "acme-west".to_owned(), connected: true, read_only: true, watches: true };
    let mut console = Console::with(session, morning(), (60, 20), Settings::default());
    let mut tick = 1;
    for step in 0..100_000u64 {
        console = poll(console.after(Duration::seconds(26)), stats(100 + step % 50, step % 7, step));
        if step % 3 == 0 {
            console = console.send(Msg::Elapsed(Timer::Minute(tick)));
            tick += 1;
        }
        console.effects.clear();
        if step % 20_000 == 19_999 {
            let stalled = console.after(Duration::minutes(5)).send(Msg::Elapsed(Timer::Minute(tick)));
            tick += 1;
            assert!(stalled.screen().contains("5 min old"), "{}", stalled.screen());
            console = stalled;
        }
    }
    assert!(console.app.watch.history.len() <= 144 && console.calls.is_empty());
}

#[test]
fn golden_screens_of_the_wall() {
    golden!("watch_120x36", wall());
    golden!("watch_80x24", wall().send(Msg::Resized(80, 24)));
    golden!("watch_60x20", wall().send(Msg::Resized(60, 20)));
    golden!("watch_40x8", wall().send(Msg::Resized(40, 8)));
    golden!("watch_200x50", wall().send(Msg::Resized(200, 50)));
}
