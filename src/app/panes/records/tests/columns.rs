//! The columns of a list and its sort keys.

use std::collections::BTreeMap;

use super::book;
use crate::app::AppSettings;
use crate::app::effect::Effect;
use crate::app::model::record_list::RecordList;
use crate::app::model::record_list::columns::available_columns;
use crate::app::msg::Msg;
use crate::app::testing::fake_service::accounts_list;
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::search::RecordSource;
use crate::ui::Theme;

fn index(dataset: Dataset) -> TestConsole {
    let mut console = book();
    let list = console
        .context_mut()
        .records
        .lists
        .get_mut(&accounts_list())
        .unwrap();
    *list = RecordList::new(RecordSource::Index(dataset));
    console.press("Enter").serve()
}

fn heading(console: &TestConsole) -> String {
    console
        .screen_text()
        .lines()
        .find(|line| line.contains("NAME"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn columns_are_chosen_ordered_and_saved_for_the_next_session() {
    let console = book().press("C").press("j Space K K Enter");
    assert!(
        console.notice_text() == "columns saved",
        "{}",
        console.notice_text()
    );
    let kept = (
        "columns.book.accounts".to_owned(),
        "icp_tier name atlas_score atlas_trend workspace_status tags notes".to_owned(),
    );
    assert!(
        console
            .effects
            .contains(&Effect::SavePreference(kept.0.clone(), kept.1.clone())),
        "{:?}",
        console.effects
    );
    let heading = heading(&console);
    assert!(
        heading.find("TIER") < heading.find("NAME") && !heading.contains("TYPE"),
        "{heading}"
    );
    let settings = AppSettings {
        preferences: BTreeMap::from([kept]),
        ..AppSettings::default()
    };
    let later = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    assert_eq!(self::heading(&later), heading);
    assert_eq!(later.service.spent, 8, "the rows cost, the columns do not");
}

#[test]
fn unchanged_or_default_columns_save_nothing() {
    let left = book().press("C Space Esc");
    assert!(
        !left
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::SavePreference(..)))
    );
    let console = left.press("C j Space Enter C u Enter");
    assert_eq!(
        console.effects.last(),
        Some(&Effect::SavePreference(
            "columns.book.accounts".to_owned(),
            String::new()
        ))
    );
    assert!(
        console.context().settings.preferences.is_empty() && heading(&console).contains("TYPE")
    );
}

#[test]
fn a_list_always_has_a_column_and_ignores_unknown_ones() {
    let none = book().press("C Space Space Space Space Space Space Space Space Enter");
    assert!(
        none.screen_text().contains("0 of 10"),
        "it stays open: {}",
        none.screen_text()
    );
    let kept = BTreeMap::from([(
        "columns.book.accounts".to_owned(),
        "  moon_phase ".to_owned(),
    )]);
    let settings = AppSettings {
        preferences: kept,
        ..AppSettings::default()
    };
    let odd = TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    assert!(heading(&odd).contains("TYPE"));
}

#[test]
fn columns_without_room_at_this_width_are_reported() {
    let console = book()
        .send(Msg::Resized(60, 20))
        .press("C G Space k k Space Enter");
    assert!(
        console.screen_text().contains("scrolls to those without"),
        "{}",
        console.screen_text()
    );
    let effects = console.effects.len();
    let console = console.press("C Enter");
    assert_eq!(console.effects.len(), effects, "nothing was changed");
}

#[test]
fn the_heading_shows_what_sorts_the_rows_on_each_route() {
    let sorted = book().press("s").type_text("name").press("Enter");
    assert!(heading(&sorted).contains("NAME▴"), "{}", heading(&sorted));
    let scored = book().press("s").type_text("score").press("Enter");
    assert!(heading(&scored).contains("▾SCORE"), "{}", heading(&scored));
    assert!(
        !heading(&book()).contains(['▴', '▾']),
        "updated_at is not a column: the footer shows it"
    );
    let ascii = AppSettings {
        theme: Theme {
            ascii: true,
            ..Theme::default()
        },
        ..AppSettings::default()
    };
    let ascii = TestConsole::with_size(morning_queue(), (120, 36), ascii)
        .poll()
        .serve()
        .press("3")
        .serve()
        .press("Enter")
        .serve();
    assert!(heading(&ascii.press("s").type_text("name").press("Enter")).contains("NAME^"));
    assert!(
        heading(&index(Dataset::Accounts)).contains("NAME▴"),
        "the route's default order"
    );
    let view = TestConsole::with_rows(morning_queue())
        .press("2")
        .serve()
        .press("j Enter")
        .serve();
    assert!(
        heading(&view).contains("NAME▴"),
        "the service ignores a sort stored with a View"
    );
    assert!(
        heading(
            &view
                .press("s")
                .type_text("name")
                .press("Enter s")
                .type_text("name")
                .press("Enter")
        )
        .contains("NAME▾")
    );
    for source in routes() {
        let columns = available_columns(&source);
        let usual = columns.iter().filter(|column| column.is_shown).count();
        let mut fields: Vec<_> = columns.iter().map(|column| column.key).collect();
        fields.sort_unstable();
        assert!(
            fields.windows(2).all(|two| two[0] != two[1]),
            "{source:?} has a column twice"
        );
        assert!(!source.sort_keys().is_empty() && usual > 1, "{source:?}");
    }
}

fn routes() -> Vec<RecordSource> {
    let view = crate::app::testing::fake_service::view_id(1);
    let kinds = RecordKind::ALL.iter().flat_map(|kind| {
        [
            RecordSource::Book(kind.clone()),
            RecordSource::View(view, kind.clone()),
        ]
    });
    kinds
        .chain(
            Dataset::ALL
                .iter()
                .map(|dataset| RecordSource::Index(dataset.clone())),
        )
        .collect()
}

#[test]
fn golden_screens_of_the_columns() {
    golden!("columns_120x36", book().press("C j Space J"));
    golden!(
        "columns_60x20",
        book().press("C").send(Msg::Resized(60, 20))
    );
}
