//! Tests of the feed as its users see it.

use chrono::Duration;
use serde_json::json;

use crate::app::AppSettings;
use crate::app::command::Scope;
use crate::app::effect::{Effect, ServiceCall};
use crate::app::msg::{Msg, Reply};
use crate::app::testing::{TestConsole, golden, many_rows, morning_queue, parse_time, signal_id};
use crate::domain::feed::FeedFilter;
use crate::domain::pages::Page;
use crate::domain::request_error::RequestError;
use crate::domain::signals::{Signal, SignalType};

fn feed() -> TestConsole {
    TestConsole::with_rows(morning_queue())
        .press("g f Down Enter")
        .serve()
}

/// The feed of a service with this many signals.
fn long_feed(rows: usize) -> TestConsole {
    TestConsole::with_rows(many_rows(rows))
        .press("g f Down Enter")
        .serve()
}

impl TestConsole {
    /// The pages of the feed that were asked for.
    fn feed_calls(&self) -> Vec<(&FeedFilter, u32)> {
        let page = |call| {
            if let &ServiceCall::Feed {
                ref filter, offset, ..
            } = call
            {
                Some((filter, offset))
            } else {
                None
            }
        };
        self.calls.iter().filter_map(page).collect()
    }

    fn last_filter(&self) -> FeedFilter {
        self.feed_calls()
            .last()
            .expect("the feed was read")
            .0
            .clone()
    }

    fn payload_calls(&self) -> usize {
        self.calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Signal { .. }))
            .count()
    }

    fn clipboard(&self) -> &str {
        self.copied_text().expect("something was copied")
    }

    /// Sees all of these texts.
    fn shows(self, texts: &[&str]) -> Self {
        let screen = self.screen_text();
        for text in texts {
            assert!(screen.contains(text), "{text}: {screen}");
        }
        self
    }

    fn hides(self, texts: &[&str]) -> Self {
        let screen = self.screen_text();
        for text in texts {
            assert!(!screen.contains(text), "{text}: {screen}");
        }
        self
    }
}

#[test]
fn the_feed_lists_all_signals_newest_filing_first() {
    let console = feed().shows(&[
        "all signals",
        "Riverbend Medical",
        "2026-07-07",
        "filed",
        "$54.1M",
        "16 signals, all loaded",
    ]);
    let screen = console.screen_text();
    let at = |name: &str| screen.find(name).expect(name);
    assert!(
        at("2026-07-07") < at("2026-07-06") && at("2026-07-06") < at("2026-06-11"),
        "{screen}"
    );
    assert_eq!(console.feed_calls(), [(&FeedFilter::default(), 0)]);
}

#[test]
fn nothing_of_the_feed_is_read_without_a_key() {
    let console = feed()
        .advance_time(Duration::hours(2))
        .poll()
        .serve()
        .press("j j k G q `")
        .serve();
    assert_eq!(
        (console.feed_calls().len(), console.payload_calls()),
        (1, 0)
    );
    console.shows(&["16 signals, all loaded"]);
}

#[test]
fn opening_the_feed_again_shows_it_as_it_was_left() {
    let console = feed().press("j j q g f").serve();
    assert_eq!(console.feed_calls().len(), 1);
    assert_eq!(console.press("R").serve().feed_calls().len(), 2);
}

#[test]
fn a_price_that_is_not_stated_is_never_called_zero() {
    let console = long_feed(60).shows(&[
        "> loads 50 more, price not stated",
        "Enter loads it, price not stated",
    ]);
    console
        .hides(&[" 0 cr"])
        .press(":")
        .type_text("feed.more")
        .press("Down")
        .shows(&["price not stated by the service"]);
}

#[test]
fn once_a_page_was_free_the_feed_says_so() {
    let mut console = TestConsole::with_rows(many_rows(60)).press("g f Down Enter");
    let (token, _) = console.pending_calls.pop_back().expect("the call");
    let rows = many_rows(60).into_iter().map(|row| row.signal).take(50);
    let page = Page {
        rows: rows.collect(),
        next_offset: Some(50),
        ..Page::default()
    };
    console
        .send(Msg::Replied(token, Ok(Reply::Feed((page, Some(0))))))
        .shows(&["> loads 50 more, 0 cr", "Enter loads it, 0 cr"])
        .hides(&["not stated"]);
}

#[test]
fn a_row_says_what_is_being_built_and_in_which_city_and_no_id_is_shown() {
    let mut console = feed().send(Msg::Resized(200, 60)).press("Enter");
    let (token, _) = console.pending_calls.pop_front().expect("the call");
    let signal = Signal {
        raw_data: Some(json!({
            "attributes": {"WORK_DESC": "NEW ROOF", "FILE_DATE": 1_795_818_302_000_i64, "OBJECTID": 4711},
            "applied_date": "2026-07-01T00:00:00.000",
            "owner": {"name": "Ana Li", "phone": null},
        })),
        ..morning_queue().swap_remove(7).signal
    };
    let reply = Reply::Signal((Box::new(signal), None));
    let console = console
        .send(Msg::Replied(token, Ok(reply)))
        .shows(&["all signals, Austin", "work desc", "NEW ROOF", "owner name"])
        .shows(&["file date", "2026-11-27"])
        .hides(&["00000000-", "T00:00", "null", "{"])
        .hides(&["attributes", "1795818302000", "objectid"]);
    // A column appears once a few rows have something to say in it.
    let rows = morning_queue();
    let console = rows.iter().take(8).fold(console, |mut console, row| {
        let work = crate::domain::description::Description {
            work: Some("New roof".to_owned()),
            ..Default::default()
        };
        let facts = &mut console.context_mut().queue.facts;
        facts.describe_signal(row.signal.id, row.signal.project_id, work);
        facts.summarize();
        console
    });
    let console = console.send(Msg::Resized(120, 36));
    let console = console.shows(&["WHAT", "New roof"]).hides(&["CITY"]);
    let wide = console.send(Msg::Resized(200, 60)).screen_text();
    let heading = wide.lines().find(|line| line.contains("PROJECT"));
    let heading = heading.expect("a heading");
    let width = |from: &str, to: &str| heading.find(to).unwrap() - heading.find(from).unwrap();
    assert!(width("PROJECT", "WHAT") > 24, "{wide}");
    assert!(width("WHAT", "COST") > 30, "{wide}");
}

#[test]
fn a_type_has_one_name_on_the_screen() {
    feed()
        .send(Msg::Resized(120, 36))
        .press("j j j j j j j")
        .shows(&["hearing", "a hearing or a comment period"])
        .hides(&["public review"]);
    feed()
        .send(Msg::Resized(200, 60))
        .press("j j j j j j j")
        .shows(&["public review  a hearing or a comment period"])
        .hides(&[" hearing   "]);
}

#[test]
fn a_short_page_does_not_end_the_feed() {
    let mut console = TestConsole::with_rows(many_rows(60)).press("g f Down Enter");
    let page = |offset: u32, next_offset| {
        let rows = (0..7)
            .map(|n| many_rows(60)[(offset + n) as usize].signal.clone())
            .collect();
        let page = Page {
            rows,
            offset,
            next_offset,
            ..Page::default()
        };
        Reply::Feed((page, None))
    };
    let answer = |console: &mut TestConsole| console.pending_calls.pop_back().expect("the call").0;
    let token = answer(&mut console);
    let mut console = console
        .send(Msg::Replied(token, Ok(page(0, Some(9)))))
        .shows(&["7 signals loaded", "> loads"])
        .press(">");
    assert_eq!(
        console.feed_calls().last().map(|(_, offset)| *offset),
        Some(9),
        "where the client says that it goes on"
    );
    let token = answer(&mut console);
    console
        .send(Msg::Replied(token, Ok(page(9, None))))
        .shows(&["14 signals, all loaded"]);
}

#[test]
fn the_next_page_follows_on_request_until_the_last_one_is_loaded() {
    let console = long_feed(120).shows(&["50 signals loaded"]).press("> >");
    assert_eq!(console.feed_calls().len(), 2, "one page at a time");
    assert!(
        console.notice_text().contains("the feed is loading"),
        "{}",
        console.notice_text()
    );
    let console = console
        .shows(&["50 signals; loading"])
        .serve()
        .shows(&["100 signals loaded"]);
    let console = console
        .press(">")
        .serve()
        .shows(&["120 signals, all loaded"]);
    assert_eq!(
        console
            .feed_calls()
            .iter()
            .map(|(_, offset)| *offset)
            .collect::<Vec<_>>(),
        [0, 50, 100]
    );
    assert!(
        console
            .press(">")
            .notice_text()
            .contains("all signals are loaded")
    );
}

#[test]
fn a_signal_that_arrives_between_two_pages_does_not_repeat_a_row() {
    let arrived = many_rows(61).split_off(60);
    let console = long_feed(60).edit_rows(|rows| rows.splice(0..0, arrived).for_each(drop));
    console
        .press(">")
        .serve()
        .shows(&["60 signals, all loaded"]);
}

#[test]
fn the_cursor_stays_on_its_signal_when_the_feed_is_loaded_again() {
    let console = feed().press("j j");
    let mut newer = morning_queue().swap_remove(0);
    newer.signal.id = signal_id(99);
    newer.signal.filed_at = Some("2026-07-08".into());
    let before = console.app.panes().feed.current().map(|signal| signal.id);
    let console = console
        .edit_rows(|rows| rows.push(newer))
        .press("R")
        .serve();
    assert_eq!(
        console.app.panes().feed.current().map(|signal| signal.id),
        before
    );
}

#[test]
fn one_type_of_signal_is_picked_by_name() {
    let console = feed()
        .press("f Enter")
        .type_text("loan")
        .shows(&["a construction loan was recorded"])
        .press("Enter");
    assert_eq!(
        console.last_filter(),
        FeedFilter {
            signal_type: Some(SignalType::ConstructionLoan),
            ..FeedFilter::default()
        }
    );
    let console = console
        .serve()
        .shows(&["Feed  loan", "2 signals, all loaded", "F all"]);
    let console = console
        .press("f Enter")
        .type_text("any type")
        .press("Enter")
        .serve();
    assert_eq!(console.last_filter(), FeedFilter::default());
    console.shows(&["16 signals, all loaded"]);
}

#[test]
fn the_project_of_a_row_is_shown_alone_and_then_all_projects_again() {
    let console = feed()
        .press("/")
        .type_text("Oak Hollow")
        .press("Enter p")
        .serve();
    console
        .shows(&["project Oak Hollow Apts", "2 signals, all loaded"])
        .press("p")
        .serve()
        .shows(&["16 signals, all loaded"]);
}

#[test]
fn every_filter_is_listed_with_its_value_and_changed_there() {
    let console = feed()
        .press("f")
        .shows(&["Filter the feed", "type", "any", "clear all"]);
    let console = console
        .press("j Enter")
        .type_text("Austin")
        .press("Enter")
        .serve();
    let console = console
        .press("f j j Enter")
        .type_text("BP-2026")
        .press("Enter")
        .serve();
    let console = console
        .press("f j j j Enter")
        .type_text("2026-06-01..2026-06-30")
        .press("Enter")
        .serve();
    let console = console
        .press("f j j j j Enter")
        .type_text("30d")
        .press("Enter")
        .serve();
    let wanted = FeedFilter {
        city: "Austin".into(),
        q: "BP-2026".into(),
        filed_after: Some(parse_time("2026-06-01T00:00:00Z")),
        filed_before: Some(parse_time("2026-07-01T00:00:00Z")),
        discovered_after: Some(parse_time("2026-06-09T00:00:00Z")),
        ..FeedFilter::default()
    };
    assert_eq!(console.last_filter(), wanted);
    let console = console.press("f").shows(&[
        "Austin",
        "BP-2026",
        "2026-06-01 to 2026-06-30",
        "since 2026-06-09",
    ]);
    let console = console
        .press("Enter")
        .press("Esc")
        .send(Msg::Resized(200, 60));
    let console = console.shows(&[
        "in Austin · \"BP-2026\" · filed 2026-06-01 to 2026-06-30 · found since 2026-06-09",
    ]);
    let console = console.press("y y Enter");
    assert_eq!(
        console.clipboard(),
        "gantry signals list --city 'Austin' --query 'BP-2026' --filed-after 2026-06-01 --filed-before 2026-07-01 \
         --discovered-after 2026-06-09"
    );
    assert_eq!(console.press("F").last_filter(), FeedFilter::default());
}

#[test]
fn a_date_that_is_not_understood_stays_in_the_prompt_with_what_is_accepted() {
    let console = feed()
        .press("f j j j Enter")
        .type_text("last june")
        .press("Enter");
    assert!(
        console
            .notice_text()
            .contains("\"last june\" is not a day: write 2026-01-01..2026-06-30"),
        "{}",
        console.notice_text()
    );
    let console = console
        .shows(&["filed last june"])
        .press("Ctrl-u")
        .type_text("2026-07-01..")
        .press("Enter")
        .serve();
    let console = console.shows(&["filed since 2026-07-01"]);
    let console = console
        .press("f j j j j Enter")
        .type_text("2026-06-01..2026-06-30")
        .press("Enter");
    assert!(
        console.notice_text().contains("write a first day"),
        "{}",
        console.notice_text()
    );
    let console = console.press("Esc f j j j Enter Ctrl-u Enter").serve();
    assert_eq!(
        console.last_filter(),
        FeedFilter::default(),
        "no text is no limit"
    );
}

#[test]
fn a_filter_that_does_not_change_reads_nothing() {
    let console = feed().press("f j Enter Enter").press("f Enter Enter");
    assert_eq!(console.feed_calls().len(), 1);
}

#[test]
fn signals_of_the_previous_filter_are_labeled_until_the_new_ones_arrive() {
    let console = feed().press("f Enter").type_text("loan").press("Enter");
    let console = console.shows(&[
        "Feed  loan",
        "signals of the previous filter; loading",
        "Riverbend Medical",
    ]);
    console
        .serve()
        .hides(&["previous filter", "Riverbend Medical"]);
}

#[test]
fn a_late_reply_never_shows_signals_of_another_filter() {
    let console = TestConsole::with_rows(morning_queue())
        .press("g f Down Enter f Enter")
        .type_text("loan")
        .press("Enter f Enter")
        .type_text("withdrawal")
        .press("Enter");
    assert_eq!(console.pending_calls.len(), 3);
    let console = console
        .serve_next()
        .hides(&["Riverbend"])
        .serve_next()
        .hides(&["Mill & 4th"]);
    console
        .shows(&["loading the feed"])
        .serve_next()
        .shows(&["Pier 9 Annex", "1 signal, all loaded"])
        .hides(&["Mill & 4th"]);
}

#[test]
fn a_filter_that_matches_nothing_says_how_to_get_out() {
    let console = feed()
        .press("f j j Enter")
        .type_text("nothing like it")
        .press("Enter")
        .serve();
    let console = console.shows(&["no signals match", "f changes the filter", "F clears it"]);
    console
        .press("F")
        .serve()
        .shows(&["16 signals, all loaded"]);
    let mut empty = TestConsole::with_rows(Vec::new());
    empty.rows.clear();
    empty
        .press("g f Down Enter")
        .serve()
        .shows(&["the service has no signals yet", "R reads the feed again"]);
}

#[test]
fn a_failure_says_why_and_which_key_retries() {
    let down = || RequestError::new_ambiguous("the line broke");
    let console = TestConsole::with_rows(morning_queue())
        .press("g f Down Enter")
        .fail_next(down());
    let console = console
        .shows(&["could not load the feed", "the line broke", "R retries"])
        .press("R")
        .serve();
    let console = console
        .shows(&["16 signals, all loaded"])
        .press("R")
        .fail_next(down());
    let console = console.shows(&["could not load: the line broke", "Riverbend Medical"]);
    let console = console
        .press("f Enter")
        .type_text("loan")
        .press("Enter")
        .fail_next(down());
    console
        .shows(&["could not load the feed", "R retries"])
        .hides(&["Riverbend Medical"]);
}

#[test]
fn a_failed_page_keeps_the_rows_and_can_be_asked_for_again() {
    let console = long_feed(60)
        .press(">")
        .fail_next(RequestError::new_ambiguous("the line broke"));
    assert!(
        console.notice_text().contains("the line broke"),
        "{}",
        console.notice_text()
    );
    console
        .shows(&["could not load: the line broke", "50 signals loaded"])
        .press(">")
        .serve()
        .shows(&["60 signals, all loaded"]);
}

fn with_payload() -> Reply {
    let signal = Signal {
        raw_data: Some(json!({ "contractor": "Volt & Sons" })),
        ..morning_queue().swap_remove(7).signal
    };
    Reply::Signal((Box::new(signal), None))
}

#[test]
fn a_signals_payload_is_loaded_by_enter_and_only_once() {
    let mut console = feed().press("Enter").shows(&["From the source", "loading"]);
    assert_eq!(console.payload_calls(), 1);
    let (token, _) = console.pending_calls.pop_front().expect("the call");
    let console = console
        .send(Msg::Replied(token, Ok(with_payload())))
        .shows(&["contractor", "Volt & Sons"]);
    let console = console.press("j k Enter").serve();
    assert_eq!(console.payload_calls(), 1);
    assert!(console.press("y j").clipboard().contains("Volt & Sons"));
}

#[test]
fn a_payload_that_could_not_be_loaded_says_so_and_can_be_loaded_again() {
    let console = feed()
        .press("Enter")
        .fail_next(RequestError::new_ambiguous("the line broke"));
    let console = console
        .shows(&["could not load: the line broke", "Enter retries"])
        .press("Enter");
    assert_eq!(console.payload_calls(), 2);
}

#[test]
fn the_project_of_a_signal_opens_at_the_price_shown_and_closing_it_returns() {
    let console = feed().shows(&["project page 1 cr"]).press("g p").serve();
    assert_eq!(console.service.spent, 1, "{}", console.screen_text());
    let console = console
        .shows(&["Riverbend Medical"])
        .hides(&["Feed  all signals"])
        .press("q");
    console.shows(&["Feed  all signals", "project page"]);
}

#[test]
fn the_feed_of_the_account_or_project_in_front_is_opened_and_left_again() {
    let console = TestConsole::at_scope(Scope::Book);
    let account = console
        .context()
        .records
        .current_record(&console.context().ui.focus)
        .expect("a row")
        .id;
    let console = console.press("g f Down Enter");
    assert_eq!(
        console.last_filter().account_id.map(|id| id.0),
        Some(account)
    );
    let console = console
        .shows(&["Feed  account "])
        .press("q")
        .shows(&["Book"])
        .hides(&["Feed  "]);
    let console = console.press("Enter").serve().press("g f").serve();
    assert_eq!(
        console.last_filter().account_id.map(|id| id.0),
        Some(account)
    );
    assert_eq!(console.feed_calls().len(), 1, "it is loaded already");
    let page = console.press("Esc");
    assert_eq!(page.context().ui.focus.scope(), Scope::Record);
    let console = page.press("q 1").press("g f Down Enter").serve();
    assert_eq!(
        console.last_filter(),
        FeedFilter::default(),
        "elsewhere it is unfiltered"
    );
}

#[test]
fn closing_pages_and_feeds_that_were_opened_from_each_other_ends_at_the_queue() {
    let console = feed()
        .press("g p")
        .serve()
        .press("g f Down Enter")
        .serve()
        .press("g p")
        .serve();
    assert_eq!(
        console.press("q q q q q").context().ui.focus.scope(),
        Scope::Queue
    );
}

#[test]
fn the_source_opens_in_the_browser_and_ids_are_copied() {
    let console = feed().press("o");
    let opened = |effect: &Effect| matches!(effect, Effect::OpenUrl(url) if url == "https://permits.example.gov/BP-2026-8");
    assert!(console.effects.iter().any(opened));
    for (keys, text) in [
        ("y i", signal_id(8).to_string().as_str()),
        ("y u", "https://permits.example.gov/BP-2026-8"),
        ("y y n Enter", "BP-2026-118008"),
        ("y n", "Riverbend Medical"),
        (
            "y y g Enter",
            &format!("gantry signals show {}", signal_id(8)),
        ),
    ] {
        assert_eq!(feed().press(keys).clipboard(), text, "{keys}");
    }
}

#[test]
fn a_signal_without_project_or_page_says_what_it_lacks() {
    let mut rows = morning_queue().split_off(15);
    (rows[0].signal.project_id, rows[0].signal.source_url) = (None, None);
    let console = TestConsole::with_rows(rows).press("g f Down Enter").serve();
    for (keys, reason) in [
        ("g p", "has no project"),
        ("p", "has no project"),
        ("o", "has no web page"),
    ] {
        let console = TestConsole::with_rows(console.rows.clone())
            .press("g f Down Enter")
            .serve()
            .press(keys);
        assert!(
            console.notice_text().contains(reason),
            "{keys}: {}",
            console.notice_text()
        );
    }
}

#[test]
fn the_subscription_of_a_type_is_shown_where_it_is_known() {
    let console = feed().hides(&["subscribed"]);
    let read = |console: &TestConsole| {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Subscriptions))
            .count()
    };
    let before = read(&console);
    let console = console.press("j k");
    assert_eq!(read(&console), before, "it is not read for the feed");
    console
        .press("4")
        .serve()
        .press("g f Down Enter")
        .serve()
        .shows(&["subscribed"]);
}

#[test]
fn a_small_screen_shows_the_facts_in_place_of_the_list() {
    let console = feed()
        .send(Msg::Resized(60, 20))
        .hides(&["a building permit"])
        .press("l");
    let console = console
        .shows(&["a building permit was applied for", "BP-2026-118008"])
        .hides(&["FILED"]);
    assert_eq!(console.payload_calls(), 0);
    let console = console
        .press("j")
        .shows(&["Oak Hollow Apts"])
        .press("Esc")
        .shows(&["FILED"]);
    assert_eq!(
        console.press("Esc").context().ui.focus.scope(),
        Scope::Queue
    );
}

#[test]
fn a_click_selects_a_signal_and_a_second_one_shows_its_facts() {
    let console = feed()
        .send(Msg::Resized(60, 20))
        .click_on("Foundry Row")
        .click_on("Foundry Row");
    console
        .shows(&["an application for entitlement"])
        .hides(&["FILED"]);
}

#[test]
fn the_dashboard_alone_has_no_feed() {
    let session = crate::app::ConsoleSession {
        label: "acme".into(),
        connected: true,
        read_only: true,
        is_dashboard_only: true,
    };
    let console =
        TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
            .serve()
            .press("g f");
    assert!(
        console.feed_calls().is_empty() && console.notice_text().contains("run gantry"),
        "{}",
        console.notice_text()
    );
}

#[test]
fn golden_screens_of_the_feed() {
    golden!("feed_200x60", feed().send(Msg::Resized(200, 60)));
    golden!("feed_120x36", feed().press("j j j"));
    golden!("feed_80x24", feed().send(Msg::Resized(80, 24)));
    golden!("feed_60x20", feed().send(Msg::Resized(60, 20)));
    golden!(
        "feed_open_60x20",
        feed().send(Msg::Resized(60, 20)).press("l")
    );
    golden!(
        "feed_outdated_120x36",
        feed().press("f Enter").type_text("loan").press("Enter")
    );
    golden!("feed_more_80x24", long_feed(60).send(Msg::Resized(80, 24)));
    golden!(
        "feed_filter_80x24",
        feed()
            .press("p")
            .serve()
            .send(Msg::Resized(80, 24))
            .press("f")
    );
    golden!(
        "feed_empty_80x24",
        feed()
            .press("f j j Enter")
            .type_text("Xanadu")
            .press("Enter")
            .serve()
            .send(Msg::Resized(80, 24))
    );
    let down = RequestError::new_ambiguous("the line broke");
    golden!(
        "feed_failed_80x24",
        TestConsole::with_rows(morning_queue())
            .send(Msg::Resized(80, 24))
            .press("g f Down Enter")
            .fail_next(down)
    );
}
