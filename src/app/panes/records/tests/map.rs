//! The map of a list.

use crate::app::effect::Effect;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::locations::parse_location;
use crate::app::msg::Msg;
use crate::app::testing::fake_service::accounts_list;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::Dataset;
use crate::domain::search::RecordSource;

/// Index firms with their headquarters, for the map.
fn mapped() -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    for (n, firm) in console
        .service
        .records
        .get_mut("accounts")
        .unwrap()
        .iter_mut()
        .enumerate()
    {
        let (lat, lng) = match firm["city"].as_str() {
            Some("Austin") => (30.27, -97.74),
            Some("Dallas") => (32.78, -96.80),
            Some("Houston") => (29.76, -95.37),
            _ => {
                // Too small to be known.
                firm.insert("city".to_owned(), "Marfa".into());
                continue;
            }
        };
        let lng = lng + 0.03 * n as f64;
        firm.insert(
            "hq_location".to_owned(),
            serde_json::json!({ "lat": lat, "lng": lng }),
        );
    }
    let mut console = console.press("3");
    *console
        .context_mut()
        .records
        .lists
        .get_mut(&accounts_list())
        .unwrap() = RecordList::new(RecordSource::Index(Dataset::Accounts));
    console.serve().press("Enter").serve()
}

/// The book, whose rows have no city.
fn book() -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    for firm in console.service.records.get_mut("accounts").unwrap() {
        firm.remove("city");
    }
    console.press("3").serve().press("Enter").serve()
}

#[test]
fn the_map_shows_loaded_rows_with_a_location_and_requests_nothing() {
    let console = mapped();
    let (calls, spent) = (console.calls.len(), console.service.spent);
    let console = console.press("M j j");
    assert_eq!((console.calls.len(), console.service.spent), (calls, spent));
    for words in [
        "11 of 12 rows",
        "Dallas 3",
        "◆",
        "mi",
        "1 row has no location",
    ] {
        assert!(
            console.screen_text().contains(words),
            "{words}: {}",
            console.screen_text()
        );
    }
    assert_eq!(
        console.effects.last(),
        Some(&Effect::SavePreference("map".to_owned(), "on".to_owned()))
    );
    let console = console.press("M");
    assert!(!console.screen_text().contains("11 of 12 rows"));
    assert_eq!(
        console.effects.last(),
        Some(&Effect::SavePreference("map".to_owned(), String::new()))
    );
}

#[test]
fn a_book_row_gets_its_location_once_its_page_was_read() {
    let mut console = book().press("M");
    let screen = console.screen_text();
    assert!(
        screen.contains("no map: no row has a location")
            && screen.contains("a firm's page (Enter, 1 cr) has it")
            && !screen.contains("─ Map ─"),
        "{screen}"
    );
    for firm in console.service.records.get_mut("accounts").unwrap() {
        firm.insert(
            "hq_location".to_owned(),
            serde_json::json!({ "lat": 30.27, "lng": -97.74 }),
        );
    }
    let console = console.press("Enter").serve().press("Esc");
    assert!(
        console.screen_text().contains("1 of 8 rows") && console.screen_text().contains('◆'),
        "{}",
        console.screen_text()
    );
    assert_eq!(console.service.spent, 9);
}

#[test]
fn contacts_have_no_map_and_an_invalid_location_is_not_shown() {
    let people = TestConsole::with_rows(morning_queue()).press("3 ] M");
    assert!(
        people.notice_text().contains("contacts have no location"),
        "{}",
        people.notice_text()
    );
    let mut console = book().press("M");
    let odd = [
        serde_json::json!({"lat": 0.0, "lng": 0.0}),
        serde_json::json!({"lat": 991, "lng": 3}),
        serde_json::json!("here"),
    ];
    for (firm, place) in console
        .service
        .records
        .get_mut("accounts")
        .unwrap()
        .iter_mut()
        .zip(odd.iter().cycle())
    {
        firm.insert("hq_location".to_owned(), place.clone());
    }
    for _ in 0..3 {
        console = console.press("Enter").serve().press("Esc j");
    }
    assert!(
        !console.screen_text().contains("─ Map ─"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_row_of_a_project_without_a_location_is_placed_by_its_city() {
    let row = serde_json::json!({"id": uuid::Uuid::from_u128(7), "city": "Austin"});
    let record = serde_json::from_value(row).unwrap();
    let (place, city) = parse_location(&record).expect("a place");
    assert_eq!((place.lat.round(), city.as_str()), (30.0, "Austin"));
}

#[test]
fn explore_results_have_the_map_too() {
    let console = TestConsole::at_scope(crate::app::command::Scope::Results).press("M");
    assert!(
        console.screen_text().contains("─ Map ─"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn explore_shows_the_map_in_a_small_window_and_does_not_call_it_too_small() {
    let results = || TestConsole::at_scope(crate::app::command::Scope::Results);
    for size in [(80, 24), (120, 36), (60, 20)] {
        let console = results().send(Msg::Resized(size.0, size.1)).press("M");
        let is_shown = console.screen_text().contains("─ Map ─");
        let is_refused = console.notice_text().starts_with("no map");
        assert_ne!(is_shown, is_refused, "{size:?}: {}", console.screen_text());
        assert!(is_shown || size == (60, 20), "{size:?}");
    }
}

#[test]
fn golden_screens_of_the_map() {
    golden!("map_120x36", mapped().press("M j j Space"));
    golden!(
        "map_80x24",
        mapped().press("M j j").send(Msg::Resized(80, 24))
    );
}

#[test]
fn a_window_too_small_for_a_map_gives_the_list_all_room() {
    let small = mapped().send(Msg::Resized(60, 20)).press("M");
    let screen = small.screen_text();
    assert!(!screen.contains("─ Map ─"), "{screen}");
    assert_eq!(
        small.notice_text(),
        "no map: the window is too small for one"
    );
}
