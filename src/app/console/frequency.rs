//! The frequency table of the focused list, and what is done with its values: filtering and
//! grouping the loaded rows. Nothing is read.
//!
//! One implementation for all lists: a list returns its columns and their values.

use super::list_table::NO_COLUMNS;
use crate::app::Context;
use crate::app::focused_list::FocusedList;
use crate::app::format::{format_count, pluralize};
use crate::app::list_change::ListChange;
use crate::app::model::frequency::{amount_of, tabulate};
use crate::app::model::list_field::{FieldKind, RowValues, ValueFilter};
use crate::app::model::list_table::{ColumnSpec, amount_column};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::frequency_list::{FrequencyList, list_values, summarize};
use crate::app::overlay::list_dialog::DialogRows;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::panes::Panes;
use crate::app::prompt::PromptKind;
use crate::domain::field_kind::ListSort;

/// The column that is most likely of interest: the one that the list is sorted by, else the first
/// with words.
fn usual_column(columns: &[ColumnSpec], sort: Option<ListSort>) -> Option<&'static str> {
    let shown = || columns.iter().filter(|column| column.is_shown);
    let sorted = columns.iter().find(|column| {
        Some(column.key) == sort.map(|sort| sort.key) && column.kind != FieldKind::Name
    });
    let usual = sorted
        .or_else(|| shown().find(|column| matches!(column.kind, FieldKind::Word | FieldKind::List)))
        .or_else(|| shown().find(|column| column.kind == FieldKind::Rank))
        .or_else(|| shown().find(|column| column.kind == FieldKind::Text))
        .or(columns.first());
    usual.map(|column| column.key)
}

/// Opens the table of the column that is most likely of interest; over a table, the choice of
/// another column.
pub(super) fn open(panes: &Panes, cx: &mut Context) {
    if cx.ui.frequency_list().is_some() {
        return choose_column(panes, "Frequency of", PromptKind::FrequencyColumn, cx);
    }
    let usual = panes
        .list(cx)
        .and_then(|list| usual_column(&list.all_columns(cx), list.sort(cx)));
    match usual {
        Some(column) => show(panes, column, false, cx),
        None => cx.ui.warn("frequency: there is no list with columns here"),
    }
}

/// Shows the table of a column.
pub(super) fn show(panes: &Panes, column: &str, is_of_marked: bool, cx: &mut Context) {
    if let Some(list) = count_values(panes, column, is_of_marked, cx) {
        cx.open_frequency_list(list);
    }
}

fn count_values(
    panes: &Panes,
    column: &str,
    is_of_marked: bool,
    cx: &Context,
) -> Option<FrequencyList> {
    let list = panes.counted_list(cx)?;
    let columns = list.all_columns(cx);
    let column = columns.iter().find(|known| known.key == column).copied()?;
    let amount = amount_column(&columns).copied();
    let (shown, marked) = (list.shown_rows(), list.marked_rows());
    let is_of_marked = is_of_marked && !marked.is_empty();
    let rows = if is_of_marked { &marked } else { &shown };
    let of_rows = |key: &str| -> Vec<RowValues<'_>> {
        rows.iter().map(|row| list.values(*row, key)).collect()
    };
    let amounts: Vec<f64> = amount
        .iter()
        .flat_map(|column| of_rows(column.key))
        .map(|values| amount_of(&values))
        .collect();
    let table = tabulate(&of_rows(column.key), &amounts, column.kind);
    let loaded = list.row_count();
    let scope = match (rows.len() == loaded, list.total_label()) {
        (true, Some(total)) => format!("{} of {total} rows loaded", format_count(loaded as u64)),
        (true, None) => pluralize(loaded, "row"),
        (false, Some(total)) => {
            format!(
                "{} of {} loaded rows, {total} in all",
                format_count(rows.len() as u64),
                format_count(loaded as u64)
            )
        }
        (false, None) => format!(
            "{} of {}",
            format_count(rows.len() as u64),
            pluralize(loaded, "row")
        ),
    };
    let amount_kind = amount.map(|column| column.kind);
    Some(FrequencyList {
        rows: DialogRows::new(list_values(&table, column.kind, amount_kind)),
        summary: summarize(&table, &column, amount.as_ref()),
        columns,
        column,
        amount,
        scope,
        marked_rows: marked.len(),
        is_of_marked,
    })
}

/// Opens the choice of a column by its name.
fn choose_column(panes: &Panes, title: &str, kind: PromptKind, cx: &mut Context) {
    let list = panes.counted_list(cx);
    let columns = list
        .as_ref()
        .map_or_else(Vec::new, |list| list.all_columns(cx));
    let usual = usual_column(&columns, list.and_then(|list| list.sort(cx)));
    if columns.is_empty() {
        return cx.ui.warn(NO_COLUMNS);
    }
    let entry = |column: &ColumnSpec| PickerEntry {
        key: column.key.to_owned(),
        label: column.title(),
        note: if column.is_shown {
            String::new()
        } else {
            "not shown".to_owned()
        },
        ..PickerEntry::default()
    };
    // The usual one is preselected.
    let (first, others): (Vec<_>, Vec<_>) =
        columns.iter().partition(|column| Some(column.key) == usual);
    let entries = first.into_iter().chain(others).map(entry).collect();
    cx.ui.overlay = Some(Overlay::Picker(Picker::single_choice(
        title.to_owned(),
        "loaded rows, 0 cr",
        entries,
        PickerKind::Answer(kind),
    )));
}

/// Ungroups the focused list, or groups it: by the column that the user chooses, or the one whose
/// values are counted over it.
pub(super) fn toggle_group(panes: &mut Panes, cx: &mut Context) {
    if let Some(column) = cx.ui.frequency_list().map(|list| list.column.key) {
        cx.ui.close_frequency_list();
        return group(panes, Some(column), cx);
    }
    let (is_grouped, usual) = panes.list(cx).map_or((false, None), |list| {
        (list.is_grouped(), list.usual_group())
    });
    match usual.filter(|_| !is_grouped) {
        None if !is_grouped => choose_column(panes, "Group by", PromptKind::GroupColumn, cx),
        column => group(panes, column, cx),
    }
}

/// Shows only the loaded rows of the focused list with these values.
pub(super) fn filter(panes: &mut Panes, filter: ValueFilter, cx: &mut Context) {
    let label = filter.label();
    let loaded = panes.list(cx).map_or(0, |list| list.row_count());
    cx.ui.notice = None;
    panes.change_list(ListChange::Filter(Some(filter)), cx);
    let shown = |list: Box<dyn FocusedList>| (list.shown_rows().len(), list.filter_clear_hint());
    if let (None, Some((found, hint))) = (&cx.ui.notice, panes.list(cx).map(shown)) {
        let text = format!(
            "{} of {}: {label}",
            format_count(found as u64),
            pluralize(loaded, "loaded row")
        );
        cx.ui.notice = Some(Notice::info(text).with_hint(hint));
    }
}

/// Groups the focused list by a column, or ungroups it.
pub(super) fn group(panes: &mut Panes, column: Option<&str>, cx: &mut Context) {
    panes.change_list(ListChange::Group(column), cx);
}

#[cfg(test)]
mod tests {
    use crate::app::effect::ListId;
    use crate::app::format::pluralize;
    use crate::app::model::list_field::ValueBin;
    use crate::app::model::record_list::RecordList;
    use crate::app::msg::Msg;
    use crate::app::overlay::frequency_list::FrequencyList;
    use crate::app::panes::credits::tests::day_of_work;
    use crate::app::testing::{TestConsole, golden, many_rows, morning_queue};
    use crate::domain::book::{Dataset, RecordKind};
    use crate::domain::search::RecordSource;

    /// Lists with rows, each with the keys that open it.
    const LISTS: &[(&str, &str)] = &[
        ("queue", "1"),
        ("book of accounts", "3 Enter"),
        ("projects", "projects"),
        ("views", "2"),
        ("records of a View", "2 j Enter"),
        ("subscriptions", "4"),
        ("members", "6"),
        ("skills", "7"),
        ("requests", "8 Shift-Tab"),
    ];

    fn open(keys: &str) -> TestConsole {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service.ledger = Some(day_of_work());
        if keys == "projects" {
            return projects(console);
        }
        keys.split(' ')
            .fold(console, |console, key| console.press(key).serve())
    }

    /// Projects of the index, with stages, units and costs.
    fn projects(mut console: TestConsole) -> TestConsole {
        let stages = [
            "permitted",
            "approved",
            "permitted",
            "under_construction",
            "permitted",
            "approved",
            "proposed",
        ];
        let project = |n: usize| {
            let mut fields = serde_json::json!({
                "id": uuid::Uuid::from_u128(0x6000 + n as u128), "name": format!("Project {n:02}"), "city": "Austin", "state": "TX",
                "stage": stages[n % 7], "primary_use": "multifamily", "residential_units": 40 + n * 7,
            });
            if !n.is_multiple_of(5) {
                fields["cost_of_construction_usd"] = (1_500_000 * (n + 1) * (n + 1)).into();
            }
            fields.as_object().unwrap().clone()
        };
        console
            .service
            .records
            .insert("projects", (0..30).map(project).collect());
        let mut console = console.press("3");
        let accounts = ListId::Book(RecordKind::Accounts);
        *console
            .context_mut()
            .records
            .lists
            .get_mut(&accounts)
            .unwrap() = RecordList::new(RecordSource::Index(Dataset::Projects));
        console.serve().press("Enter").serve()
    }

    fn table(console: &TestConsole) -> &FrequencyList {
        let list = console.context().ui.frequency_list();
        list.unwrap_or_else(|| panic!("no frequency table: {}", console.screen_text()))
    }

    fn shown_count(console: &TestConsole) -> usize {
        let list = console.app.panes().counted_list(console.context());
        list.map_or(0, |list| list.shown_rows().len())
    }

    #[test]
    fn every_list_is_counted_by_every_column_and_nothing_is_read() {
        for (name, keys) in LISTS {
            let mut console = open(keys);
            let calls = console.calls.len();
            let rows = shown_count(&console);
            assert!(rows > 0, "{name}: {}", console.screen_text());
            console = console.press("t");
            let columns = table(&console).columns.len();
            for _ in 0..columns {
                let list = table(&console);
                let all = pluralize(rows, "row");
                assert!(list.summary.contains(&all), "{name}: {}", list.summary);
                let counted: usize = list.rows.items.iter().map(|line| line.count).sum();
                assert!(
                    counted >= rows,
                    "{name}: {}: {counted} of {rows}",
                    list.column.key
                );
                console = console.press("Right");
            }
            assert_eq!(console.calls.len(), calls, "{name}");
        }
    }

    #[test]
    fn a_value_filters_every_list_and_esc_shows_all_rows_again() {
        for (name, keys) in LISTS.iter().filter(|(name, _)| *name != "queue") {
            let console = open(keys);
            let (calls, rows) = (console.calls.len(), shown_count(&console));
            let console = console.press("t");
            let (count, label) = (
                table(&console).rows.items[0].count,
                table(&console).chosen_filter().unwrap().label(),
            );
            let console = console.press("Enter");
            assert_eq!(
                shown_count(&console),
                count,
                "{name}: {}",
                console.screen_text()
            );
            assert!(
                console.notice_text().contains(&label),
                "{name}: {}",
                console.notice_text()
            );
            assert!(
                console
                    .screen_text()
                    .contains(label.split(": ").next().unwrap()),
                "{name}: {}",
                console.screen_text()
            );
            let console = console.press("Esc");
            assert_eq!(
                (shown_count(&console), console.calls.len()),
                (rows, calls),
                "{name}"
            );
        }
    }

    #[test]
    fn frequency_of_stages_and_a_filter_by_one_take_three_keys() {
        let console = open("projects");
        let rows = shown_count(&console);
        let console = console.press("t j Enter");
        assert!(
            console.notice_text().contains(": stage: "),
            "{}",
            console.notice_text()
        );
        let found = shown_count(&console);
        assert!(found > 0 && found < rows, "{found} of {rows}");
        let list = console.context().displayed_list().unwrap();
        let stages: std::collections::BTreeSet<String> = list
            .shown_rows()
            .map(|row| row.fields().text("stage").unwrap_or_default().to_owned())
            .collect();
        assert_eq!(stages.len(), 1, "{stages:?}");
        assert_eq!(
            shown_count(&console.press("F")),
            rows,
            "F clears the filter of the loaded rows first"
        );
    }

    #[test]
    fn several_values_are_marked_and_filtered_by_and_stay_with_new_rows() {
        let console = open("projects").press("t");
        let counts: Vec<usize> = table(&console)
            .rows
            .items
            .iter()
            .map(|line| line.count)
            .collect();
        let console = console.press("Space Space");
        assert!(
            console.screen_text().contains("2 marked"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Enter");
        assert_eq!(shown_count(&console), counts[0] + counts[1]);
        let console = console.press("R").serve();
        assert_eq!(
            shown_count(&console),
            counts[0] + counts[1],
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_value_of_the_queue_becomes_a_filter_that_can_be_edited_and_saved() {
        let console = open("1").press("t");
        assert_eq!(table(&console).column.key, "type");
        let count = table(&console).rows.items[0].count;
        let console = console.press("Enter").serve();
        assert_eq!(shown_count(&console), count);
        let filter = console.context().queue.list_settings().filter;
        assert_eq!(filter.signal_type.len(), 1, "the service filters all rows");
        assert_eq!(shown_count(&console.press("F").serve()), 16);
    }

    #[test]
    fn a_range_of_costs_in_the_queue_shows_the_rows_that_it_counted() {
        let open_cost = || {
            TestConsole::with_rows(many_rows(200))
                .press("L")
                .serve()
                .press("t t")
                .type_text("cost")
                .press("Enter")
        };
        let lines = table(&open_cost()).rows.items.clone();
        for (at, line) in lines.iter().enumerate() {
            let console = (0..at)
                .fold(open_cost(), |console, _| console.press("j"))
                .press("Enter")
                .serve();
            assert_eq!(
                shown_count(&console),
                line.count,
                "{:?}: {}",
                line.bin,
                console.notice_text()
            );
        }
        assert!(
            lines
                .iter()
                .any(|line| matches!(line.bin, ValueBin::Numbers(..))),
            "{lines:?}"
        );
    }

    #[test]
    fn the_values_are_searched_and_sorted_and_esc_goes_back_one_step_at_a_time() {
        let console = open("projects").press("t");
        let labels = |console: &TestConsole| -> Vec<String> {
            let rows = &table(console).rows;
            let shown = rows.lines.rows().map(|row| rows.items[row].label.clone());
            shown.collect()
        };
        let usual = labels(&console);
        let console = console.press("s").type_text("value").press("Enter");
        let mut sorted = usual.clone();
        sorted.sort();
        assert_eq!(labels(&console), sorted);
        let console = console.press("/").type_text("approved").press("Enter");
        assert_eq!(labels(&console), ["approved"]);
        let console = console.press("Esc");
        assert_eq!(labels(&console), sorted);
        let console = console.press("Esc");
        assert!(console.context().ui.list_dialog().is_none());
        assert_eq!(shown_count(&console), 30);
    }

    #[test]
    fn only_the_marked_rows_are_counted_on_request() {
        let console = open("3 Enter").press("Space Space t m");
        assert!(table(&console).summary.starts_with("2 rows, "));
        let all = pluralize(shown_count(&open("3 Enter")), "row");
        assert!(table(&console.press("m")).summary.starts_with(&all));
    }

    #[test]
    fn rows_that_are_not_loaded_are_named() {
        let console = TestConsole::with_rows(many_rows(400)).press("t");
        assert_eq!(
            table(&console).scope,
            "100 of 400 rows loaded",
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_row_under_the_cursor_is_wrapped_on_request_and_the_choice_is_kept() {
        let mut console = open("projects");
        let cx = console.context_mut();
        let list = cx
            .records
            .lists
            .shown_list_mut(cx.ui.focused_list())
            .unwrap();
        let id = list.current_record().unwrap().id;
        let name =
            "The Residences at the Old Harbor Grain Elevator and Warehouse District, Phase Two";
        list.update_record(id, |row| {
            row.with_fields(
                &serde_json::json!({ "name": name })
                    .as_object()
                    .unwrap()
                    .clone(),
            )
        });
        let console = console.send(Msg::Resized(120, 36));
        assert!(
            !console.screen_text().contains("Warehouse"),
            "{}",
            console.screen_text()
        );
        let console = console.press("w");
        assert!(
            console.screen_text().contains("Warehouse"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.context().settings.preference("wrap"), "row");
        let console = console.press("j");
        assert!(
            !console.screen_text().contains("Warehouse"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_marked_rows_are_summed_up() {
        let console = open("projects").press("j Space Space Space");
        // 60 + 54 + 61 units: projects 01 to 03.
        assert!(
            console
                .screen_text()
                .contains("3 marked, $43.5M, 162 residential units"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Space");
        assert!(
            console
                .screen_text()
                .contains("4 marked, $81M, 230 residential units"),
            "{}",
            console.screen_text()
        );
        let queue = open("1").press("Space Space");
        assert!(
            queue.screen_text().contains("2 marked, $"),
            "{}",
            queue.screen_text()
        );
    }

    #[test]
    fn loaded_rows_are_sorted_by_any_column_for_free() {
        let console = open("projects");
        let calls = console.calls.len();
        let console = console.press("s").type_text("cost").press("Enter g g");
        assert_eq!(
            console.notice_text(),
            "sorted by cost of construction, largest first, 0 credits"
        );
        assert_eq!(
            console
                .context()
                .displayed_list()
                .unwrap()
                .current_record()
                .unwrap()
                .fields()
                .text("name"),
            Some("Project 29")
        );
        assert!(
            console.screen_text().contains("▾COST"),
            "{}",
            console.screen_text()
        );
        let console = console.press("s").type_text("cost").press("Enter g g");
        assert_eq!(
            console
                .context()
                .displayed_list()
                .unwrap()
                .current_record()
                .unwrap()
                .fields()
                .text("name"),
            Some("Project 01")
        );
        assert_eq!(console.calls.len(), calls);
    }

    #[test]
    fn rows_are_grouped_with_counts_and_sums_and_folded_and_the_choice_is_kept() {
        let console = open("projects");
        let calls = console.calls.len();
        let console = console.press("T Enter");
        let screen = console.screen_text();
        assert!(screen.contains("permitted   13   $"), "{screen}");
        assert_eq!(console.notice_text(), "grouped by stage");
        let console = console.press("-");
        let list = console.context().displayed_list().unwrap();
        assert_eq!(
            (list.lines.len(), list.len()),
            (4, 30),
            "{}",
            console.screen_text()
        );
        let console = console.press("g g Enter");
        assert_eq!(
            console.context().displayed_list().unwrap().lines.len(),
            4 + 13
        );
        let console = console.press("j h");
        let list = console.context().displayed_list().unwrap();
        assert_eq!(
            (list.lines.len(), list.lines.scroll.cursor),
            (4, 0),
            "h on a row closes its group"
        );
        let console = console.press("= g g Space");
        assert_eq!(
            console.context().displayed_list().unwrap().marks.len(),
            13,
            "the rows of the group are marked"
        );
        assert_eq!(
            console
                .context()
                .settings
                .preference("group.index.projects"),
            "stage"
        );
        assert_eq!(console.calls.len(), calls);
        let console = console.press("T");
        assert_eq!(console.context().displayed_list().unwrap().lines.len(), 30);
    }

    #[test]
    fn the_queue_is_grouped_by_any_column_and_folds_like_threads() {
        let console = open("1")
            .press("t t")
            .type_text("priority")
            .press("Enter T");
        assert_eq!(console.notice_text(), "grouped by priority");
        let screen = console.screen_text();
        assert!(screen.contains(", by priority"), "{screen}");
        let console = console.press("-");
        assert_eq!(
            console.context().queue.new.len(),
            3,
            "{}",
            console.screen_text()
        );
        let tab = &console.context().queue.new;
        let is_heading = |at: usize| {
            tab.line_at(at)
                .and_then(|line| tab.group_on(line))
                .is_some()
        };
        assert!((0..3).all(is_heading));
        let all = console.press("= g g Space");
        assert!(
            all.context().queue.new.marks.len() > 1,
            "a heading marks its rows"
        );
        assert_eq!(all.context().settings.preference("group.queue"), "priority");
        let console = all.press("T");
        assert_eq!(console.context().queue.new.len(), 16);
    }

    #[test]
    fn columns_without_room_are_reached_sideways_and_the_name_stays() {
        let console = open("projects").send(Msg::Resized(80, 24));
        let heading = |console: &TestConsole| {
            console
                .screen_text()
                .lines()
                .find(|line| line.contains("NAME"))
                .unwrap()
                .to_owned()
        };
        assert!(
            !heading(&console).contains("SIG") && heading(&console).contains('›'),
            "{}",
            heading(&console)
        );
        let mut console = console;
        for _ in 0..9 {
            console = console.press(")");
            assert!(heading(&console).contains("NAME"), "{}", heading(&console));
        }
        assert!(
            heading(&console).contains("LAST") && heading(&console).contains('‹'),
            "{}",
            heading(&console)
        );
        assert_eq!(console.notice_text(), "the last column is shown");
        let console = (0..9).fold(console, |console, _| console.press("("));
        assert!(heading(&console).contains("STAGE"), "{}", heading(&console));
    }

    #[test]
    fn golden_screens_of_the_frequency_table() {
        golden!("frequency_120x36", open("projects").press("t j Space"));
        golden!(
            "frequency_80x24",
            open("1")
                .send(Msg::Resized(80, 24))
                .press("t t")
                .type_text("cost")
                .press("Enter")
        );
    }
}
