//! The order and the columns of the focused list, for all panes that show a [`ListTable`].

use crate::app::Context;
use crate::app::context::list_tables;
use crate::app::model::list_table::ListTable;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::panes::Panes;
use crate::app::prompt::PromptKind;

/// What a key says that needs a list with columns.
pub(super) const NO_COLUMNS: &str = "there is no list with columns here";

pub(super) fn focused_table(panes: &Panes, cx: &Context) -> Option<ListTable> {
    panes.list(cx)?.columns()
}

/// Opens the list of columns to sort by.
pub(super) fn choose_sort(panes: &Panes, cx: &mut Context) {
    let Some(list) = panes.list(cx).filter(|list| list.columns().is_some()) else {
        return cx.ui.warn(NO_COLUMNS);
    };
    let now = list.sort(cx);
    let columns = list.sort_columns(cx);
    let mut entries: Vec<PickerEntry> = columns
        .iter()
        .map(|column| PickerEntry::of_sort(column, now))
        .collect();
    entries.extend(list.other_sorts(cx));
    let note = list.sort_note(cx);
    drop(list);
    let kind = PickerKind::Answer(PromptKind::Sort);
    let picker = Picker::single_choice("Sort".to_owned(), &note, entries, kind);
    cx.ui.overlay = Some(Overlay::Picker(picker));
}

pub(super) fn scroll_columns(panes: &Panes, is_right: bool, cx: &mut Context) {
    match panes.list(cx).and_then(|list| list.layout(cx)) {
        Some(columns) => cx.ui.notice = Some(cx.frame.scroll_columns(columns, is_right)),
        None => cx.ui.warn(NO_COLUMNS),
    }
}

pub(super) fn choose_columns(panes: &Panes, cx: &mut Context) {
    match focused_table(panes, cx) {
        Some(table) => list_tables::open_list_columns(&table, &mut cx.ui, &cx.settings),
        None => cx.ui.warn(NO_COLUMNS),
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::AppSettings;
    use crate::app::effect::Effect;
    use crate::app::msg::Msg;
    use crate::app::panes::credits::tests::day_of_work;
    use crate::app::testing::scopes::{IMPORTED_LIST, journal_of_a_day};
    use crate::app::testing::{TestConsole, golden, morning_queue};

    /// The lists that are sorted on this machine, each with the keys that open it.
    const LISTS: &[(&str, &str)] = &[
        ("views", "2"),
        ("subscriptions", "4"),
        ("members", "6"),
        ("invitations", "6 Tab"),
        ("skills", "7"),
        ("feed", "g f Down Enter"),
        ("credits.requests", "8 Shift-Tab"),
        ("credits.reasons", "8"),
        ("timeline", "Enter Tab"),
        ("people", "Enter ]"),
        ("settings", "settings"),
        ("import.columns", "import"),
        ("import", "import Enter"),
        ("undo", "e e e g u"),
        ("journal", "g l"),
    ];

    fn open(keys: &str) -> TestConsole {
        open_with(keys, AppSettings::default())
    }

    fn open_with(keys: &str, settings: AppSettings) -> TestConsole {
        let mut console = TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve();
        console.service.ledger = Some(day_of_work());
        console.journal = journal_of_a_day();
        // What is done one after the other has different times.
        let mut keys = keys.split_whitespace();
        if keys.clone().next() == Some("settings") {
            return console.open_settings();
        }
        if keys.clone().next() == Some("import") {
            let console = console.import_list(IMPORTED_LIST);
            return keys
                .skip(1)
                .fold(console, |console, key| console.press(key).serve());
        }
        let console = console.press(keys.next().unwrap()).serve();
        keys.fold(console, |console, key| {
            let console = console.advance_time(Duration::minutes(1));
            console.press(key).serve()
        })
    }

    /// The lines of the list on the screen, as a search sees them.
    fn lines(console: &TestConsole) -> Vec<String> {
        let (cx, mut lines) = (console.context(), Vec::new());
        if let Some(list) = console.app.panes().list(cx) {
            list.visit_lines(&mut |_, text| lines.push(text.trim().to_owned()));
        }
        lines
    }

    fn current_line(console: &TestConsole) -> String {
        let cx = console.context();
        let list = console.app.panes().list(cx).unwrap();
        let line = list.cursor().unwrap();
        lines(console).swap_remove(line)
    }

    #[test]
    fn every_list_shows_only_what_a_search_finds_until_esc_and_stays_sorted() {
        for (name, keys) in LISTS {
            let console = open(keys);
            let all = lines(&console);
            let lines_with = |word: &&str| all.iter().filter(|line| line.contains(*word)).count();
            let word = all
                .last()
                .unwrap()
                .split_whitespace()
                .min_by_key(lines_with)
                .unwrap()
                .to_lowercase();
            let narrowed = console
                .press("s Enter /")
                .type_text(&format!("/{word}/"))
                .press("Enter");
            let found = lines(&narrowed);
            assert!(
                !found.is_empty() && found.len() < all.len(),
                "{name}: {word}: {found:?}"
            );
            assert!(
                found.iter().all(|line| line.to_lowercase().contains(&word)),
                "{name}: {word}: {found:?}"
            );
            assert!(
                narrowed.screen_text().contains("/ "),
                "{name}: {}",
                narrowed.screen_text()
            );
            let reversed = narrowed.press("s Enter");
            assert_eq!(lines(&reversed).len(), found.len(), "{name}");
            assert_eq!(lines(&reversed.press("Esc")).len(), all.len(), "{name}");
        }
    }

    #[test]
    fn every_list_is_sorted_both_ways_for_free_and_the_cursor_stays_on_its_row() {
        for (name, keys) in LISTS {
            let console = open(keys).press("j");
            assert!(
                !lines(&console).is_empty(),
                "{name}: {}",
                console.screen_text()
            );
            let (before, current, calls) =
                (lines(&console), current_line(&console), console.calls.len());
            assert!(before.len() > 1, "{name}: {before:?}");
            let sorted = console.press("s Enter");
            assert!(
                sorted.notice_text().starts_with("sorted by "),
                "{name}: {}",
                sorted.notice_text()
            );
            assert_eq!(current_line(&sorted), current, "{name}");
            let (once, notice) = (lines(&sorted), sorted.notice_text());
            let back = sorted.press("s Enter");
            assert_ne!(back.notice_text(), notice, "{name}");
            assert_eq!(current_line(&back), current, "{name}");
            let [mut one, mut other, mut usual] = [once, lines(&back), before.clone()];
            assert!(
                one != other || one[0] == one[one.len() - 1],
                "{name}: {one:?}"
            );
            [&mut one, &mut other, &mut usual]
                .into_iter()
                .for_each(|lines| lines.sort());
            assert_eq!((&one, &other), (&usual, &usual), "{name}: no row is lost");
            let usual = back.press("s").type_text("usual").press("Enter");
            assert_eq!(
                (lines(&usual), usual.notice_text().as_str()),
                (before, "in the usual order"),
                "{name}"
            );
            assert_eq!(usual.calls.len(), calls, "{name}");
        }
    }

    #[test]
    fn the_order_and_the_columns_of_a_list_are_there_after_a_restart() {
        for (name, keys) in LISTS {
            let mut console = open(keys).press("s Enter").press("C Space Enter");
            let effects = std::mem::take(&mut console.effects);
            let saved = effects.into_iter().filter_map(|effect| match effect {
                Effect::SavePreference(name, value) => Some((name, value)),
                _ => None,
            });
            let preferences: std::collections::BTreeMap<String, String> = saved.collect();
            for kind in ["sort", "columns"] {
                assert!(
                    preferences.contains_key(&format!("{kind}.{name}")),
                    "{name}: {preferences:?}"
                );
            }
            let settings = AppSettings {
                preferences,
                ..AppSettings::default()
            };
            let again = open_with(keys, settings);
            assert_eq!(lines(&again), lines(&console), "{name}");
            let heading = |console: &TestConsole| {
                let screen = console.screen_text();
                let line = screen
                    .lines()
                    .nth(
                        console
                            .context()
                            .frame
                            .layout()
                            .focused_rows()
                            .y
                            .saturating_sub(1)
                            .into(),
                    )
                    .unwrap_or_default();
                line.split("││").next().unwrap_or_default().to_owned()
            };
            assert_eq!(heading(&again), heading(&console), "{name}");
            assert!(
                again.screen_text().contains(" by "),
                "{name}: {}",
                again.screen_text()
            );
        }
    }

    #[test]
    fn a_hidden_column_is_shown_where_it_is_put_and_with_the_width_that_is_set() {
        let console = open("7").send(Msg::Resized(200, 60));
        assert!(
            !console.screen_text().contains("REV"),
            "{}",
            console.screen_text()
        );
        let console = console.press("C").type_text("jjjjjjj").press("Space Enter");
        let screen = console.screen_text();
        let heading = screen.lines().find(|line| line.contains("NAME")).unwrap();
        assert!(heading.contains("REV"), "{screen}");
        let console = console.press("C Space Enter");
        assert!(
            !console.screen_text().contains("NAME"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn every_list_is_grouped_by_a_column_and_ungrouped_with_one_key_and_loses_no_row() {
        for (name, keys) in LISTS {
            let console = open(keys).press("j");
            let (all, current) = (lines(&console), current_line(&console));
            let console = console.press("T Enter");
            let notice = console.notice_text();
            assert!(notice.starts_with("grouped by "), "{name}: {notice}");
            let (mut grouped, mut usual) = (lines(&console), all.clone());
            let headings = console.screen_text().matches('▾').count();
            assert!(headings > 0, "{name}: {}", console.screen_text());
            grouped.sort();
            usual.sort();
            assert_eq!(grouped, usual, "{name}: no row is lost");
            let console = console.press("T");
            assert_eq!(console.notice_text(), "not grouped", "{name}");
            assert_eq!(lines(&console), all, "{name}");
            assert_eq!(current_line(&console), current, "{name}");
        }
    }

    #[test]
    fn all_groups_of_a_list_are_closed_and_opened_and_one_with_its_own_key() {
        // `-` unsubscribes in subscriptions and unsets a setting, `=` compares Views, and `h` closes
        // the feed's panel or leaves a signal
        let other = [
            "views",
            "subscriptions",
            "feed",
            "settings",
            "timeline",
            "people",
        ];
        let has_other_keys = |name: &str| other.contains(&name);
        for (name, keys) in LISTS.iter().filter(|(name, _)| !has_other_keys(name)) {
            let console = open(keys).press("T Enter");
            let grouped = lines(&console);
            let closed = console.press("-");
            assert_eq!(lines(&closed), [""; 0], "{name}");
            let one = closed.press("g g h");
            let of_one = lines(&one).len();
            assert!(0 < of_one && of_one <= grouped.len(), "{name}: {of_one}");
            assert_eq!(lines(&one.press("=")), grouped, "{name}");
        }
    }

    #[test]
    fn a_group_has_a_heading_with_its_value_its_rows_and_their_sum() {
        let console = open("4")
            .press("T")
            .type_text("priority")
            .press("Enter g g");
        golden!("list_grouped_120x36", console);
        golden!("list_grouped_60x20", console.send(Msg::Resized(60, 20)));
    }

    #[test]
    fn find_and_marks_work_on_the_rows_of_a_sorted_list() {
        let console = open("7")
            .press("s")
            .type_text("name")
            .press("Enter")
            .press("s")
            .type_text("name")
            .press("Enter");
        let sorted = lines(&console);
        let last = sorted
            .last()
            .unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .to_owned();
        let console = console.press("/").type_text(&last).press("Enter");
        assert!(
            current_line(&console).starts_with(&last),
            "{last}: {sorted:?}"
        );
        let console = console.press("Esc g g Space");
        assert!(
            console.screen_text().contains("1 marked"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            current_line(&console),
            sorted[1],
            "marking moves down in the order on the screen"
        );
    }

    #[test]
    fn a_sorted_list_shows_what_it_is_sorted_by() {
        let console = open("6").press("s").type_text("active").press("Enter");
        assert_eq!(console.notice_text(), "sorted by active, newest first");
        let screen = console.screen_text();
        assert!(screen.contains("Members 3  by active▾"), "{screen}");
        assert!(screen.contains("▾ACTIVE"), "{screen}");
    }
}
