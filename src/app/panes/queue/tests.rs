//! Tests of the queue as its users see it.

mod paging;
mod triage;

use chrono::Duration;

use crate::app::effect::{Effect, ServiceCall};
use crate::app::msg::{ConnectedService, Msg, Push, Reply};
use crate::app::testing::{TestConsole, golden, many_rows, morning_queue, queue_row, signal_id};
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::health::Health;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, TriageStatus};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::ui::{ColorDepth, Theme};

fn rejected(status: u16, message: &str) -> RequestError {
    let refusal = ServiceError {
        status,
        code: "bad_request".to_owned(),
        message: message.to_owned(),
        ..ServiceError::default()
    };
    RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: message.to_owned(),
    }
}

#[test]
fn an_empty_queue_over_old_permits_shows_how_to_see_them() {
    let service = ConnectedService {
        label: "permits.db".to_owned(),
        busiest_day: chrono::NaiveDate::from_ymd_opt(2018, 12, 18),
        ..ConnectedService::default()
    };
    let console = TestConsole::with_rows(Vec::new()).send(Msg::Pushed(Push::Connected(service)));
    let screen = console.screen_text();
    assert!(
        screen.contains("start again with") && screen.contains("--as-of 2018-12-18"),
        "{screen}"
    );
    assert!(
        !console.press("]").serve().screen_text().contains("--as-of"),
        "it is about New"
    );
}

#[test]
fn a_text_filter_without_a_match_says_that_it_looks_at_names_and_addresses_only() {
    let console = TestConsole::with_rows(morning_queue())
        .press(":")
        .type_text("filter \"tenant improvement\"")
        .press("Enter")
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("names and addresses only")
            && screen.contains("/ then searches what is being built, too"),
        "{screen}"
    );
}

#[test]
fn new_without_rows_is_not_all_done_while_signals_are_snoozed() {
    let console = TestConsole::with_rows(morning_queue())
        .serve()
        .press("* a H Enter")
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("all others are done") && screen.contains("at the end of Today"),
        "{screen}"
    );
}

#[test]
fn the_first_frame_is_drawn_before_the_first_answer() {
    assert!(
        TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default())
            .screen_text()
            .contains("loading the queue")
    );
}

#[test]
fn without_a_preview_in_the_settings_the_list_has_the_full_width() {
    let settings = AppSettings {
        preview_enabled: false,
        ..AppSettings::default()
    };
    let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve();
    assert!(console.context().frame.layout().side_panel.is_empty());
    assert!(
        !console
            .press("p")
            .context()
            .frame
            .layout()
            .side_panel
            .is_empty()
    );
}

#[test]
fn the_cursor_stays_on_its_signal_when_new_ones_come_in_above() {
    let console = TestConsole::with_rows(morning_queue())
        .press("j j j")
        .edit_rows(|rows| {
            rows.insert(
                0,
                queue_row(
                    99,
                    "high",
                    "permit_issued",
                    "2026-07-09",
                    (20, "Skyline One"),
                    None,
                ),
            );
        });
    let console = console.poll().serve();
    assert_eq!(console.cursor_id(), signal_id(4));
    assert_eq!(
        console.context().queue.new.list.id_at(0),
        Some(signal_id(99))
    );
}

/// A new signal arrives at this position in the list.
fn with_arrival(console: TestConsole, at: usize) -> TestConsole {
    let new = queue_row(
        99,
        "high",
        "permit_issued",
        "2026-07-01",
        (20, "Skyline One"),
        None,
    );
    console
        .edit_rows(|rows| rows.insert(at, new))
        .poll()
        .serve()
}

#[test]
fn copied_text_has_no_control_characters_and_the_notice_says_so() {
    let mut rows = morning_queue();
    rows[0].signal.project_name =
        Some("Har\u{200b}bor \u{1b}[2J\u{202e}Yard\nrm -r x\n".to_owned());
    let console = TestConsole::with_rows(rows).press("y n");
    let safe = "Harbor ␛[2J\u{fffd}Yard⏎rm -r x⏎";
    assert_eq!(
        console.notice_text(),
        format!("copying name without 3 invisible characters: {safe}")
    );
    assert_eq!(
        console.copied_text(),
        Some(safe),
        "pasting it runs and moves nothing"
    );
    assert_eq!(
        console.press("j y n").notice_text(),
        "copying name: Union Depot Tower"
    );
}

#[test]
fn new_arrivals_are_not_part_of_earlier_marks_or_ranges() {
    let marked = (1..=16).collect::<Vec<_>>();
    for (keys, chosen) in [
        ("* a", &marked[..]),
        ("j v j j j", &[2, 3, 4, 5]),
        ("j j j j v k k k", &[2, 3, 4, 5]),
    ] {
        let console = with_arrival(TestConsole::with_rows(morning_queue()).press(keys), 3)
            .press("e")
            .serve();
        let is_new = |n: usize| {
            console.rows.iter().any(|row| {
                row.signal.id == signal_id(n) && row.triage_status == Some(TriageStatus::New)
            })
        };
        let stayed: Vec<usize> = (1..=16).chain([99]).filter(|n| is_new(*n)).collect();
        let wanted: Vec<usize> = (1..=16)
            .chain([99])
            .filter(|n| !chosen.contains(n))
            .collect();
        assert_eq!(stayed, wanted, "{keys}");
    }
}

#[test]
fn a_new_arrival_is_marked_until_it_was_visited() {
    let fresh = |rows: &mut Vec<_>| {
        let mut new = queue_row(
            99,
            "high",
            "permit_issued",
            "2026-07-09",
            (20, "Skyline One"),
            None,
        );
        new.signal.discovered_at = Some("2026-07-09T10:00:00Z".into());
        rows.insert(0, new);
    };
    let console = TestConsole::with_rows(morning_queue())
        .press("j")
        .edit_rows(fresh)
        .poll()
        .serve();
    assert!(
        console.screen_text().contains("+H permit issued") || console.screen_text().contains(" +"),
        "{}",
        console.screen_text()
    );
    let console = console.press("g g");
    assert!(
        !console
            .context()
            .queue
            .news
            .contains(console.context().queue.new.list.row_at(0).unwrap())
    );
}

/// Answers pending queue reads, and those that follow, with `page(offset, limit)`; at most a
/// hundred, more than any service should see.
pub(super) fn serve_pages(
    mut console: TestConsole,
    page: impl Fn(u32, u32) -> Page<QueueSignal>,
) -> TestConsole {
    for _ in 0..100 {
        let Some((token, call)) = console.pending_calls.pop_front() else {
            return console;
        };
        console = match call {
            ServiceCall::Queue { offset, limit, .. } => {
                console.send(Msg::Replied(token, Ok(Reply::Queue(page(offset, limit)))))
            }
            _ => console,
        };
    }
    panic!("endless reads: {:?}", console.calls.last());
}

pub(super) fn reads(console: &TestConsole) -> usize {
    console
        .calls
        .iter()
        .filter(|call| matches!(call, ServiceCall::Queue { .. }))
        .count()
}

/// A console whose service answers with `page`, after its first reads.
pub(super) fn start_with_pages(page: impl Fn(u32, u32) -> Page<QueueSignal>) -> TestConsole {
    let mut console = serve_pages(
        TestConsole::with_size(Vec::new(), (120, 36), AppSettings::default()),
        page,
    );
    // The counts are no reason to read the pages again.
    console.context_mut().queue.counts = Some((0, 0));
    console
}

#[test]
fn the_rows_with_a_value_of_this_row_are_marked() {
    let marks = |rows, column: &str| {
        let console = TestConsole::with_rows(rows)
            .press("* =")
            .type_text(column)
            .press("Enter");
        console.context().queue.new.marks.clone()
    };
    assert_eq!(
        marks(morning_queue(), "project:"),
        [1, 6].map(signal_id).into()
    );
    assert_eq!(
        marks(morning_queue(), "type:"),
        [1, 3, 5, 7].map(signal_id).into()
    );
    let bare = |n| {
        let mut row = morning_queue().remove(n);
        (row.signal.project_id, row.signal.project_name) = (None, None);
        row
    };
    // two projects may have one name
    let namesake = |n| {
        let mut row = morning_queue().remove(n);
        row.signal.project_name = Some("Warehouse".to_owned());
        row
    };
    assert_eq!(
        marks((0..3).map(namesake).collect(), "project:"),
        [signal_id(1)].into()
    );
    // rows without a project have none in common
    assert!(marks((0..3).map(bare).collect(), "project:").is_empty());
}

#[test]
fn marks_survive_a_refresh() {
    let console = TestConsole::with_rows(morning_queue())
        .press("j Space")
        .ben_marks_done(&[7])
        .poll()
        .serve()
        .press("R")
        .serve();
    assert_eq!(console.context().queue.new.marks, [signal_id(2)].into());
}

#[test]
fn threads_group_the_signals_of_a_project_and_act_on_all_of_them() {
    let console = TestConsole::with_rows(morning_queue()).press("T");
    assert!(
        console.screen_text().contains("▾ Harbor Yard Lofts (2)"),
        "{}",
        console.screen_text()
    );
    let console = console.press("g g e").serve();
    assert_eq!(
        console.notice_text(),
        "done: 2 signals on Harbor Yard Lofts, for everyone"
    );
}

#[test]
fn a_closed_thread_hides_its_rows_and_enter_opens_it() {
    let console = TestConsole::with_rows(morning_queue()).press("T g g h");
    let screen = console.screen_text();
    assert!(
        screen.contains("▸ Harbor Yard Lofts (2)") && screen.contains("Enter expand  "),
        "how many signals it stands for, and opening it is free: {screen}"
    );
    let closed = console.context().queue.new.len();
    let console = console.press("Enter");
    assert_eq!(console.context().queue.new.len(), closed + 2);
}

#[test]
fn a_filter_is_applied_by_the_service_and_shown_with_its_count() {
    let console = TestConsole::with_rows(morning_queue()).press("!").serve();
    assert_eq!(console.context().queue.new.list.len(), 7);
    assert!(console.screen_text().contains("New 7"));
    assert!(
        console.screen_text().contains("high"),
        "{}",
        console.screen_text()
    );
    assert_eq!(
        console.press("F").serve().context().queue.new.list.len(),
        16
    );
}

#[test]
fn the_filter_form_sends_what_was_typed_and_chosen() {
    let console = TestConsole::with_rows(morning_queue())
        .press("f")
        .type_text("Austin")
        .press("Tab")
        .type_text("crane")
        .press("Tab Space Enter");
    let Some(ServiceCall::Queue { filter, .. }) = console.calls.last() else {
        panic!()
    };
    assert_eq!(
        (
            filter.city.as_str(),
            filter.q.as_str(),
            filter.priority.len()
        ),
        ("Austin", "crane", 1)
    );
}

#[test]
fn find_goes_through_the_loaded_rows_and_costs_nothing() {
    let console = TestConsole::with_rows(morning_queue());
    let before = console.calls.len();
    let console = console.press("/").type_text("oak").press("Enter");
    assert_eq!(console.cursor_id(), signal_id(9));
    let console = console.press("n");
    assert_eq!(console.cursor_id(), signal_id(14));
    assert_eq!(console.press("N").calls.len(), before);
}

#[test]
fn inverting_keeps_the_marks_of_rows_that_are_not_loaded() {
    let mut console = TestConsole::with_rows(many_rows(400));
    console.context_mut().queue.new.marks = [1, 399].map(signal_id).into();
    let console = console.press("* =").type_text("invert").press("Enter");
    let marks = &console.context().queue.new.marks;
    assert!(
        !marks.contains(&signal_id(1))
            && marks.contains(&signal_id(2))
            && marks.contains(&signal_id(399))
    );
    assert_eq!(
        console
            .press("* =")
            .type_text("invert")
            .press("Enter")
            .context()
            .queue
            .new
            .marks,
        [1, 399].map(signal_id).into()
    );
}

#[test]
fn while_a_key_is_held_no_preview_is_shown_and_then_that_of_the_row_under_the_cursor() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.app.set_key_held(true);
    assert!(console.screen_text().contains("address"), "nothing moved");
    let mut console = console.press("j j");
    assert!(
        !console.screen_text().contains("address"),
        "{}",
        console.screen_text()
    );
    console.app.set_key_held(false);
    console.app.update_layout();
    assert_eq!(
        console.screen_text(),
        TestConsole::with_rows(morning_queue())
            .press("j j")
            .screen_text()
    );
}

#[test]
fn a_held_key_scrolls_the_preview() {
    let mut console = TestConsole::with_rows(morning_queue()).send(Msg::Resized(80, 24));
    console.app.set_key_held(true);
    let expected = TestConsole::with_rows(morning_queue())
        .send(Msg::Resized(80, 24))
        .press("J J");
    assert_eq!(console.press("J J").screen_text(), expected.screen_text());
}

#[test]
fn the_preview_does_not_scroll_past_its_end() {
    let console = TestConsole::with_rows(morning_queue())
        .send(Msg::Resized(80, 24))
        .press(["J"; 60].join(" ").as_str());
    let end = console.screen_text();
    assert_eq!(console.press("J").screen_text(), end);
    let console = TestConsole::with_rows(morning_queue())
        .send(Msg::Resized(80, 24))
        .press(["J"; 60].join(" ").as_str());
    assert_ne!(
        console.press("K").screen_text(),
        end,
        "the first step up is visible"
    );
}

#[test]
fn a_range_marks_the_rows_between_its_ends() {
    let console = TestConsole::with_rows(morning_queue()).press("v j j v");
    assert_eq!(
        console.context().queue.new.marks,
        (1..=3).map(signal_id).collect()
    );
}

#[test]
fn typing_in_find_runs_no_command() {
    let console = TestConsole::with_rows(morning_queue())
        .press("/")
        .type_text("ee")
        .press("Esc");
    assert_eq!(console.triage_calls(), []);
}

#[test]
fn a_paste_in_the_list_does_nothing() {
    let console = TestConsole::with_rows(morning_queue()).send(Msg::Paste("eeee\n".to_owned()));
    assert_eq!(console.triage_calls(), []);
}

#[test]
fn a_read_only_console_says_why_it_does_not_write() {
    let session = ConsoleSession {
        label: "wall".to_owned(),
        connected: true,
        read_only: true,
        is_dashboard_only: false,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
            .poll()
            .serve()
            .press("e");
    assert_eq!(console.triage_calls(), []);
    assert!(console.notice_text().contains("read-only"));
}

#[test]
fn what_was_done_last_is_on_top_of_done_whatever_its_priority() {
    let done = |rows: &mut [QueueSignal], n: usize, at: &str| {
        rows[n].triage_status = Some(TriageStatus::Done);
        rows[n].triaged_at = serde_json::from_value(at.into()).ok();
    };
    let mut rows = morning_queue();
    done(&mut rows, 0, "2026-07-09T07:00:00Z");
    done(&mut rows, 9, "2026-07-09T08:00:00Z");
    done(&mut rows, 3, "2026-07-08T09:00:00Z");
    let order: Vec<_> = [9, 0, 3].map(|n| rows[n].signal.id).to_vec();
    let console = TestConsole::with_rows(rows)
        .poll()
        .serve()
        .press("]")
        .serve();
    let tab = console.context().queue.current_tab();
    let shown: Vec<_> = (0..tab.len()).filter_map(|line| tab.row_at(line)).collect();
    let ids: Vec<_> = shown.iter().map(|row| row.signal.id).collect();
    assert_eq!(ids, order, "{}", console.screen_text());
    let screen = console.screen_text();
    assert!(
        screen.contains("by when it was done, newest first"),
        "{screen}"
    );
}

#[test]
fn a_key_without_the_scope_to_write_is_read_only_from_the_start() {
    let mut console = TestConsole::with_rows(morning_queue()).poll().serve();
    let caller = serde_json::json!({"kind": "api_key", "scopes": ["workspace:read"]});
    console
        .context_mut()
        .workspace_mut()
        .as_mut()
        .expect("a workspace")
        .caller = serde_json::from_value(caller).ok();
    let console = console.press("e");
    assert_eq!(console.triage_calls(), []);
    assert_eq!(
        console.notice_text(),
        "done: read-only: this credential lacks the scope workspace:write"
    );
    let screen = console.screen_text();
    let header = screen.lines().next().unwrap_or_default();
    assert!(header.contains(" read only "), "{header}");
    let footer = screen.lines().last().unwrap_or_default();
    assert!(!footer.contains("e done"), "{footer}");
}

#[test]
fn header_and_tabs_show_the_same_counts_after_every_answer() {
    let console = TestConsole::with_rows(morning_queue())
        .press("e e e ]")
        .serve()
        .press("U")
        .serve()
        .poll()
        .serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("NEW 14  ") && screen.contains("New 14 "),
        "{screen}"
    );
    assert!(
        screen.contains("DONE 2 ") && screen.contains("Done 2"),
        "{screen}"
    );
    let console = console.press("[").serve();
    assert!(
        console.screen_text().contains("New 14 ") && console.screen_text().contains(" of 14"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn without_room_the_heading_does_not_overlap_the_first_row() {
    let mut rows = morning_queue();
    rows[0].signal.reported_cost_usd = None;
    for size in [(60, 20), (100, 22), (120, 14)] {
        let console = TestConsole::with_size(rows.clone(), size, AppSettings::default())
            .poll()
            .serve();
        let screen = console.screen_text();
        let first = screen
            .lines()
            .find(|line| line.contains("Harbor Yard"))
            .unwrap_or_default();
        assert!(!first.contains("COS"), "{size:?}\n{screen}");
    }
    let screen = TestConsole::with_rows(rows.clone())
        .press("a s")
        .screen_text();
    assert!(!screen.contains("COS–"), "{screen}");
    golden!(
        "queue_first_row_without_cost_60x20",
        TestConsole::with_size(rows, (60, 20), AppSettings::default())
            .poll()
            .serve()
    );
}

#[test]
fn a_notice_of_two_lines_leaves_the_list_its_lower_border() {
    let mut console = TestConsole::with_size(many_rows(40), (80, 24), AppSettings::default())
        .poll()
        .serve();
    console.context_mut().ui.notice = Some(crate::app::notice::Notice::warning(
        "a rejection in many words ".repeat(6),
    ));
    let screen = console.screen_text();
    let above = screen
        .lines()
        .position(|line| line.contains("a rejection"))
        .unwrap()
        - 1;
    let border = screen.lines().nth(above).unwrap_or_default();
    assert!(border.starts_with('╰') && border.ends_with('╯'), "{screen}");
}

#[test]
fn the_key_continuation_box_has_a_blank_before_its_right_border() {
    let console = TestConsole::with_rows(morning_queue()).press("y");
    let Some(Effect::SetTimer { timer, .. }) = console.effects.last().cloned() else {
        panic!("the key box waits for its timer")
    };
    let screen = console.send(Msg::Elapsed(timer)).screen_text();
    let rows: Vec<&str> = screen
        .lines()
        .filter(|line| line.ends_with('│') && line.contains("copy"))
        .collect();
    assert!(
        !rows.is_empty() && rows.iter().all(|row| row.ends_with(" │")),
        "{screen}"
    );
}

#[test]
fn the_priority_reason_names_its_subscription() {
    let console = TestConsole::with_rows(morning_queue()).press("W").serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("your team follows permits issued as "),
        "{screen}"
    );
    assert!(
        !console
            .press("Esc")
            .screen_text()
            .contains("Why this priority")
    );
}

#[test]
fn the_empty_queue_of_a_new_team_says_where_signals_come_from() {
    let console = TestConsole::with_rows(Vec::new()).poll().serve();
    let screen = console.screen_text();
    assert!(
        screen.contains("no signals of the last 90 days") && screen.contains("--as-of DATE"),
        "{screen}"
    );
    assert!(screen.contains("gantry import FILE"), "{screen}");
    assert!(!screen.contains("all done"), "{screen}");
}

#[test]
fn a_failed_poll_keeps_the_rows_and_shows_since_when() {
    let failure = RequestError::new_not_sent("connection refused");
    let console = TestConsole::with_rows(morning_queue()).advance_time(Duration::minutes(2));
    let offline = Health::Offline {
        since: chrono::DateTime::UNIX_EPOCH,
        reason: failure.message.clone(),
    };
    let console = console.send(Msg::Pushed(Push::Health(offline)));
    let console = console.send(Msg::Pushed(Push::Stats {
        result: Err(failure),
        skew: Duration::zero(),
    }));
    let screen = console.screen_text();
    assert!(screen.contains("OFFLINE"), "{screen}");
    assert!(screen.contains("connection refused"));
    assert!(screen.contains("Harbor Yard Lofts"));
}

#[test]
fn the_health_of_the_service_is_shown_on_the_screen() {
    let screen_for = |health| {
        TestConsole::with_rows(morning_queue())
            .send(Msg::Pushed(Push::Health(health)))
            .screen_text()
    };
    let until = crate::app::testing::parse_time("2026-07-09T12:34:56Z");
    for (health, words) in [
        (Health::Slow, "slow, as of"),
        (Health::SignedOut, "SIGNED OUT"),
        (
            Health::Forbidden("The Pro plan is required".to_owned()),
            "The Pro plan is required",
        ),
        (Health::RateLimited { until }, "rate limited until 12:34:56"),
    ] {
        assert!(screen_for(health).contains(words), "{words}");
    }
    assert!(!screen_for(Health::Online).contains("slow"));
}

#[test]
fn a_refocused_window_asks_for_the_counts_unless_the_token_was_rejected() {
    let console = TestConsole::with_rows(morning_queue());
    let polls = |console: &TestConsole| {
        console
            .effects
            .iter()
            .filter(|effect| **effect == Effect::Poll)
            .count()
    };
    let before = polls(&console);
    let console = console.send(Msg::Focused(true));
    assert_eq!(polls(&console), before + 1);
    let console = console
        .send(Msg::Pushed(Push::Health(Health::SignedOut)))
        .send(Msg::Focused(true));
    assert_eq!(polls(&console), before + 1);
}

#[test]
fn a_service_that_was_never_reached_is_reported_in_one_line_at_exit() {
    let console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default())
        .fail_next(rejected(401, "the token was refused"));
    assert!(console.effects.contains(&Effect::Quit));
    assert_eq!(console.app.exit_lines(), ["gantry: the token was refused"]);
    assert_eq!(console.context().exit_state.exit_status(), 3);
}

#[test]
fn hostile_text_never_reaches_a_cell_unescaped() {
    let mut rows = morning_queue();
    rows[0].signal.project_name = Some("\u{1b}]52;c;aGk=\u{7}\u{202e}evil\r\n".to_owned());
    let screen = TestConsole::with_rows(rows).screen_text();
    assert!(!screen.contains(|c: char| c.is_control() && c != '\n'));
    assert!(!screen.contains('\u{202e}'));
}

#[test]
fn a_click_selects_a_row_and_a_second_opens_it() {
    let console = TestConsole::with_rows(morning_queue()).click(10, 8);
    assert_eq!(console.cursor_id(), signal_id(4));
    let console = console.click(10, 8).serve();
    assert!(console.screen_text().contains("Overview"));
}

#[test]
fn copying_a_filter_gives_the_command_that_lists_the_same_rows() {
    let console = TestConsole::with_rows(morning_queue()).press("! y y Enter");
    assert_eq!(
        console.copied_text(),
        Some("gantry queue list --status new --priority high")
    );
}

#[test]
fn a_failed_priority_reason_closes_nothing_else() {
    let console = TestConsole::with_rows(morning_queue())
        .press("W")
        .press("Esc f")
        .fail_next(RequestError::new_not_sent("refused"));
    assert!(
        matches!(
            console.context().ui.overlay,
            Some(crate::app::overlay::Overlay::Filter(_))
        ),
        "{}",
        console.screen_text()
    );
}

#[test]
fn golden_screens_of_the_queue() {
    golden!(
        "queue_120x36",
        TestConsole::with_rows(morning_queue()).press("j j Space Space")
    );
    golden!(
        "queue_80x24",
        TestConsole::with_rows(morning_queue())
            .press("Space")
            .send(Msg::Resized(80, 24))
    );
    golden!(
        "queue_60x20",
        TestConsole::with_rows(morning_queue()).send(Msg::Resized(60, 20))
    );
    golden!(
        "queue_40x8",
        TestConsole::with_rows(morning_queue()).send(Msg::Resized(40, 8))
    );
    golden!(
        "queue_find_40x8",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(40, 8))
            .press("/")
            .type_text("mill")
    );
    golden!(
        "queue_done_120x36",
        TestConsole::with_rows(morning_queue())
            .ben_marks_done(&[1, 2])
            .poll()
            .serve()
            .press("]")
            .serve()
    );
    golden!(
        "queue_threads_120x36",
        TestConsole::with_rows(morning_queue()).press("T")
    );
    let ascii = AppSettings {
        theme: Theme {
            ascii: true,
            depth: ColorDepth::None,
            ..Theme::default()
        },
        ..AppSettings::default()
    };
    golden!(
        "queue_ascii_no_colour_80x24",
        TestConsole::with_size(morning_queue(), (80, 24), ascii)
            .poll()
            .serve()
    );
    golden!(
        "help_120x36",
        TestConsole::with_rows(morning_queue()).press("?")
    );
    golden!(
        "filter_80x24",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(80, 24))
            .press("f")
    );
}

fn signals(count: usize) -> TestConsole {
    TestConsole::with_rows(many_rows(count))
}
