//! Tests of lists of records, as their users see them.

use std::collections::BTreeMap;

use crate::app::AppSettings;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::model::record_list::columns::available_columns;
use crate::app::model::record_list::{PAGE_SIZE, RecordList};
use crate::app::msg::{Msg, Push, Reply};
use crate::app::testing::fake_service::{FakeService, account_id, accounts_list};
use crate::app::testing::{TestConsole, golden, morning_queue};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::export::{ExportFormat, ExportProgress, ExportRequest};
use crate::domain::request_error::RequestError;
use crate::domain::search::{RecordSource, Search, SearchPage};
use crate::ui::Theme;

fn searches(console: &TestConsole) -> usize {
    console.calls.iter().filter(|call| matches!(call, ServiceCall::Search { .. })).count()
}

fn book() -> TestConsole {
    TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve()
}

fn large(firms: usize) -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(firms);
    console.press("3").serve()
}

#[test]
fn opening_a_list_reads_nothing_and_shows_its_price() {
    let console = TestConsole::with_rows(morning_queue()).press("3").serve();
    assert_eq!(searches(&console), 0);
    assert!(console.screen_text().contains("Enter reads the first 50 rows for at most 50 credits"), "{}", console.screen_text());
    assert_eq!(console.service.spent, 0);
}

#[test]
fn a_page_is_read_by_its_key_and_the_meter_counts_it() {
    let console = book();
    assert_eq!(console.service.spent, 8);
    assert!(console.screen_text().contains("Calder Residential") && console.screen_text().contains("8 of 8"));
    assert!(console.screen_text().contains("1,292"), "1,284 and the eight rows: {}", console.screen_text());
}

#[test]
fn leaving_a_list_and_returning_spends_nothing() {
    let console = book().press("1 3 2 3 ] [").send(Msg::Resized(80, 24)).send(Msg::Resized(120, 36)).serve();
    assert_eq!((console.service.spent, searches(&console)), (8, 1));
    assert!(console.screen_text().contains("Calder Residential"));
}

#[test]
fn the_next_page_is_appended_and_the_cursor_goes_to_its_first_row() {
    let console = large(300).press("Enter").serve();
    assert!(
        console.screen_text().contains("50 of 200") && console.screen_text().contains("next 50 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press(">").serve();
    let list = console.context().record_lists.get(&accounts_list()).unwrap();
    assert_eq!((list.len(), list.scroll.cursor), (100, PAGE_SIZE as usize));
    assert_eq!(console.service.spent, 100);
}

#[test]
fn all_rows_are_read_only_after_the_price_was_confirmed() {
    let console = large(300).press("Enter").serve().press(":").type_text("all rows").press("Down Enter");
    assert!(console.screen_text().contains("150 rows are left: 150 credits"), "{}", console.screen_text());
    let left = console.press("Esc").serve();
    assert_eq!(left.service.spent, 50);
    let console = left.press(":").type_text("all rows").press("Down Enter Enter").serve();
    assert_eq!((console.service.spent, console.context().record_lists.get(&accounts_list()).unwrap().len()), (200, 200));
    assert_eq!(console.press(">").notice_text(), "next page: all rows are loaded");
}

#[test]
fn the_ledger_records_the_spending_command_for_every_page_and_confirmation() {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service = FakeService::with_firms(300);
    let console = console.press("3").serve().press("Enter").serve().press(":").type_text("all rows").press("Down Enter");
    assert!(console.screen_text().contains("Read all rows?"), "{}", console.screen_text());
    let console = console.poll().press("Enter");
    assert_eq!((console.pending_calls.len(), console.context().request_reason()), (1, "records.rest"));
    let console = console.serve_next();
    assert_eq!(
        (console.pending_calls.len(), console.context().request_reason()),
        (1, "records.rest"),
        "every further page has the same reason"
    );
    assert_eq!(console.press("j").context().request_reason(), "go.down");
}

#[test]
fn ctrl_c_stops_reading_all_rows_on_any_screen() {
    let console = large(600).press("Enter").serve().press(":").type_text("all rows").press("Down Enter Enter").serve_next();
    let reading = console.context().record_lists.get(&accounts_list()).unwrap().len();
    let console = console.press("] Ctrl-c");
    assert!(console.effects.contains(&Effect::Cancel(Slot::Records(accounts_list()))), "{}", console.notice_text());
    // A page that was already on its way is kept, and no other is requested.
    let console = console.serve();
    assert_eq!(console.context().record_lists.get(&accounts_list()).unwrap().len(), reading + 100);
}

#[test]
fn a_page_over_the_budget_stops_reading_without_a_question_while_typing() {
    let mut console = large(600).press("Enter").serve();
    console.context_mut().settings_mut().budgets.soft_session = Some(170);
    let console = console.press(":").type_text("all rows").press("Down Enter Enter").press("/").type_text("fi").serve();
    assert!(
        console.context().overlay.is_none() && console.notice_text().contains("budget of 170 credits"),
        "{}",
        console.notice_text()
    );
    let list = console.context().record_lists.get(&accounts_list()).unwrap();
    assert_eq!((list.len(), list.is_reading()), (150, false));
    let console = console.press("Esc >").serve();
    assert_eq!(
        (console.service.spent, console.context().overlay.is_some()),
        (150, true),
        "a key asks: {}",
        console.screen_text()
    );
}

#[test]
fn a_count_costs_one_credit_and_reads_no_list() {
    let console = large(300).press("c").serve();
    assert_eq!((console.service.spent, console.notice_text()), (1, "200 match, 1 credit".to_owned()));
    assert!(console.screen_text().contains("200 rows, none read yet"));
}

#[test]
fn a_filter_of_text_and_criteria_is_sent_to_the_service() {
    let console = book().press("f E").type_text("calder icp_tier=tier_1 city=\"San Antonio\"").press("Enter").serve();
    assert_eq!(searches(&console), 1, "nothing is requested before it is applied");
    let console = console.press("Enter");
    let Some(ServiceCall::Search { search, .. }) = console.calls.last() else { panic!("expected a search") };
    assert_eq!(search.query, "calder");
    let filters = serde_json::json!({ "icp_tier": { "value": "tier_1" }, "city": { "value": "San Antonio" } });
    assert_eq!(search.filters.to_json(), filters);
    let console = console.serve().press("f E");
    assert!(console.screen_text().contains("calder icp_tier=tier_1 city=\"San Antonio\""), "the typed text is restored");
}

fn filtered(console: TestConsole, words: &str) -> TestConsole {
    console.press("f").serve().press("E Ctrl-u").type_text(words).press("Enter Enter").serve()
}

#[test]
fn clearing_a_filter_is_free_when_the_rows_are_loaded() {
    let console = filtered(large(300).press("Enter").serve().press("j j j"), "calder");
    let spent = console.service.spent;
    assert!(spent > 50 && !console.screen_text().contains("50 of 200"), "{}", console.screen_text());
    let console = console.press("F");
    assert_eq!((console.pending_calls.len(), console.service.spent), (0, spent));
    let screen = console.screen_text();
    assert!(screen.contains("50 of 200") && screen.contains("next 50 cr"), "{screen}");
    assert!(console.notice_text().contains("50 rows, read 09:20, 0 credits"), "{}", console.notice_text());
    assert_eq!(console.context().record_lists.get(&accounts_list()).unwrap().scroll.cursor, 3, "the cursor has not moved");
    let console = console.press("f").serve().press("E Ctrl-u").type_text("calder").press("Enter");
    assert!(console.screen_text().contains("shows the rows from 09:20, 0 cr"), "{}", console.screen_text());
    let console = console.press("Enter").serve();
    assert_eq!(console.service.spent, spent, "applying the same filter again is free too");
    let console = console.press("F >").serve();
    assert_eq!(
        (console.service.spent, console.context().record_lists.get(&accounts_list()).unwrap().len()),
        (spent + 50, 100),
        "the next page continues"
    );
}

#[test]
fn restoring_the_sort_and_dropping_a_filter_spend_nothing() {
    let console = large(300).press("Enter").serve().press("s").type_text("service score").press("Enter").serve();
    assert_eq!(console.service.spent, 100);
    let console = console.press("s");
    assert!(console.screen_text().contains("0 cr, read 09:20"), "{}", console.screen_text());
    let console = console.type_text("service updated").press("Enter").serve();
    assert_eq!((console.service.spent, searches(&console)), (100, 2), "{}", console.screen_text());
    let console = console.press("f").serve().press("E Ctrl-u").type_text("calder").press("Enter Enter");
    let console = console.press("F");
    assert!(console.effects.contains(&Effect::Cancel(Slot::Records(accounts_list()))));
    assert!(console.screen_text().contains("50 of 200"), "{}", console.screen_text());
    assert!(!console.context().record_lists.get(&accounts_list()).unwrap().is_reading());
}

#[test]
fn an_unread_whole_list_waits_and_shows_its_price() {
    let console = filtered(large(300), "calder");
    let (spent, read) = (console.service.spent, searches(&console));
    let console = console.press("F");
    assert_eq!((searches(&console), console.service.spent), (read, spent));
    assert!(console.screen_text().contains("Enter reads the first 50 rows for at most 50 credits"), "{}", console.screen_text());
    let console = console.press("Enter").serve();
    assert!(console.screen_text().contains("50 of 200"), "{}", console.screen_text());
    let spent = console.service.spent;
    assert_eq!(filtered(console, "calder").service.spent, spent, "and the filtered rows are still cached");
}

#[test]
fn a_write_under_a_filter_also_shows_in_the_whole_list() {
    let console = filtered(book(), "calder").press("a s").type_text("quoted").press("Ctrl-s").serve().press("F");
    assert!(console.screen_text().contains("quoted"), "{}", console.screen_text());
}

#[test]
fn an_invalid_filter_is_not_sent_and_not_lost() {
    let console = book().press("f E").type_text("stories>5").press("Enter").serve();
    assert_eq!(searches(&console), 1);
    assert!(
        console.screen_text().contains("conditions stories>5") && console.screen_text().contains("use >= and <="),
        "{}",
        console.screen_text()
    );
}

#[test]
fn sort_keys_are_those_of_the_route() {
    let console = large(300).press("Enter").serve().press("s");
    assert!(console.screen_text().contains("atlas score by the service"), "{}", console.screen_text());
    let console = console.type_text("service name").press("Enter");
    let Some(ServiceCall::Search { search, .. }) = console.calls.last() else { panic!("expected a search") };
    let sort = search.sort.clone().unwrap();
    assert_eq!((sort.field.as_str(), sort.ascending), ("name", true));
    let views = large(300).press("2").serve().press("j Enter").serve().press("s");
    assert!(
        !views.screen_text().contains("atlas score by the service")
            && views.screen_text().contains("projects count by the service"),
        "{}",
        views.screen_text()
    );
}

#[test]
fn marks_belong_to_records_and_survive_a_refresh() {
    let console = book().press("j Space Space R").serve();
    let marks = &console.context().record_lists.get(&accounts_list()).unwrap().marks;
    assert_eq!(marks.len(), 2);
    assert!(console.screen_text().contains("2 marked"));
    assert!(console.press("Esc").context().record_lists.get(&accounts_list()).unwrap().marks.is_empty());
}

#[test]
fn a_failed_read_keeps_the_rows_and_says_why() {
    let console = book().press("R").fail_next(RequestError::new_ambiguous("the answer took longer than 15 s"));
    assert!(console.screen_text().contains("Calder Residential") && console.notice_text().contains("longer than 15 s"));
    let empty = TestConsole::with_rows(morning_queue())
        .press("3")
        .serve()
        .press("Enter")
        .fail_next(RequestError::new_not_sent("connection refused"));
    assert!(empty.screen_text().contains("Enter retries"), "{}", empty.screen_text());
}

#[test]
fn a_list_cannot_be_counted_while_its_rows_are_being_read() {
    let console = large(300).press("Enter c");
    assert_eq!(console.notice_text(), "count: a page is still loading");
    assert!(console.serve().screen_text().contains("50 of 200"));
}

#[test]
fn after_a_failed_reload_the_rows_keep_the_filter_they_were_read_with() {
    let read = || large(300).press("Enter").serve().press("j j");
    let narrowed = read().press("f").serve().press("E").type_text("Calder").press("Enter Enter");
    for (keys, console) in
        [("f", narrowed), ("s", read().press("s").type_text("service score").press("Enter")), ("R", read().press("R"))]
    {
        let console = console.fail_next(RequestError::new_not_sent("connection refused"));
        let list = console.context().record_lists.get(&accounts_list()).unwrap();
        assert_eq!((&list.search, list.scroll.cursor), (&Search::default(), 2), "{keys}");
        assert!(
            console.screen_text().contains("50 of 200") && console.screen_text().contains("next 50 cr"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.press(">").serve().context().record_lists.get(&accounts_list()).unwrap().len(), 100, "{keys}");
    }
}

#[test]
fn conditions_that_failed_to_apply_are_back_in_the_builder() {
    let built = book().press("f").serve().press("E").type_text("calder").press("Enter");
    let console = built.press("Enter").fail_next(RequestError::new_not_sent("connection refused"));
    let console = console.press("f");
    assert_eq!(console.app.panes().explore.list_filter.as_ref().map(|narrow| narrow.query.as_str()), Some("calder"));
    let console = console.press("Enter").serve();
    assert_eq!(
        console.context().record_lists.get(&accounts_list()).unwrap().search.query,
        "calder",
        "the same search is sent again"
    );
    // Once the filter is applied, the builder shows the filter of the list.
    let console = console.press("F").serve().press("f");
    assert_eq!(console.app.panes().explore.list_filter.as_ref().map(|narrow| narrow.query.as_str()), Some(""));
}

#[test]
fn find_searches_only_loaded_rows() {
    let console = book().press("/").type_text("westmark").press("Enter");
    assert_eq!(console.service.spent, 8);
    let row = console.context().displayed_list().unwrap().current_record().unwrap().id;
    assert_eq!(row, account_id(11));
    assert!(console.notice_text().contains("1 of 8 loaded rows match"));
}

#[test]
fn removing_a_record_asks_first_and_undo_restores_its_annotation() {
    let console = book().press("D");
    assert!(console.screen_text().contains("Remove 1 account from the book for everyone?") && console.service.book.len() == 8);
    let console = console.press("Down Enter").serve();
    assert_eq!(console.service.book.len(), 7);
    assert!(!console.service.book.contains_key(&account_id(1)));
    let console = console.press("z Down Enter").serve();
    assert_eq!(console.service.book[&account_id(1)]["workspace_status"], "contacted");
    assert_eq!(console.service.book[&account_id(1)]["tags"], serde_json::json!(["austin"]));
}

#[test]
fn inverting_keeps_the_marks_of_records_that_are_not_in_the_list() {
    let elsewhere = uuid::Uuid::from_u128(1);
    let mut console = book();
    console.context_mut().displayed_list_mut().unwrap().marks.insert(elsewhere);
    let console = console.press("V");
    assert!(console.context().displayed_list().unwrap().marks.contains(&elsewhere));
    assert_eq!(console.press("V").context().displayed_list().unwrap().marks, [elsewhere].into());
}

#[test]
fn a_rejected_record_stays_marked_with_its_reason() {
    let mut console = book();
    console.service.rejecting_records.insert(account_id(2));
    let console = console.press("* a D Down Enter").serve();
    assert_eq!(console.service.book.len(), 1);
    assert!(
        console.notice_text().contains("7 of 8 done") && console.notice_text().contains("it is being merged"),
        "{}",
        console.notice_text()
    );
    assert!(console.screen_text().contains("1 marked") && console.screen_text().contains("it is being merged"));
}

#[test]
fn a_hundred_thousand_rows_scroll_like_fifty() {
    let mut console = TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter");
    let (token, _) = console.pending_calls.pop_front().unwrap();
    let row = |n: usize| serde_json::from_value(serde_json::json!({ "id": account_id(n), "name": format!("Firm {n}") })).unwrap();
    let found =
        SearchPage { rows: (0..100_000).map(row).collect(), total: Some(1_000), total_is_capped: true, ..SearchPage::default() };
    let console = console.send(Msg::Replied(token, Ok(Reply::SearchPage(found)))).press("G");
    assert_eq!(console.context().record_lists.get(&accounts_list()).unwrap().scroll.cursor, 99_999);
    assert!(
        console.screen_text().contains("Firm 99999") && console.screen_text().contains("100,000 of 1,000+"),
        "{}",
        console.screen_text()
    );
}

fn index(dataset: Dataset) -> TestConsole {
    let mut console = book();
    let list = console.context_mut().record_lists.get_mut(&accounts_list()).unwrap();
    *list = RecordList::new(RecordSource::Index(dataset));
    console.press("Enter").serve()
}

fn heading(console: &TestConsole) -> String {
    console.screen_text().lines().find(|line| line.contains("NAME")).unwrap_or_default().to_owned()
}

#[test]
fn columns_are_chosen_ordered_and_saved_for_the_next_session() {
    let console = book().press("C").press("j Space K K Enter");
    assert!(console.notice_text().contains("6 columns, saved"), "{}", console.notice_text());
    let kept = ("columns.book.accounts".to_owned(), "icp_tier name atlas_score atlas_trend workspace_status tags".to_owned());
    assert!(console.effects.contains(&Effect::SavePreference(kept.0.clone(), kept.1.clone())), "{:?}", console.effects);
    let heading = heading(&console);
    assert!(heading.find("TIER") < heading.find("NAME") && !heading.contains("TYPE"), "{heading}");
    let settings = AppSettings { preferences: BTreeMap::from([kept]), ..AppSettings::default() };
    let later =
        TestConsole::with_size(morning_queue(), (120, 36), settings).poll().serve().press("3").serve().press("Enter").serve();
    assert_eq!(self::heading(&later), heading);
    assert_eq!(later.service.spent, 8, "the rows cost, the columns do not");
}

#[test]
fn unchanged_or_default_columns_save_nothing() {
    let left = book().press("C Space Esc");
    assert!(!left.effects.iter().any(|effect| matches!(effect, Effect::SavePreference(..))));
    let console = left.press("C j Space Enter C u Enter");
    assert_eq!(console.effects.last(), Some(&Effect::SavePreference("columns.book.accounts".to_owned(), String::new())));
    assert!(console.context().settings().preferences.is_empty() && heading(&console).contains("TYPE"));
}

#[test]
fn a_list_always_has_a_column_and_ignores_unknown_ones() {
    let none = book().press("C Space Space Space Space Space Space Space Enter");
    assert!(none.screen_text().contains("0 of 10"), "it stays open: {}", none.screen_text());
    let kept = BTreeMap::from([("columns.book.accounts".to_owned(), "  moon_phase ".to_owned())]);
    let settings = AppSettings { preferences: kept, ..AppSettings::default() };
    let odd =
        TestConsole::with_size(morning_queue(), (120, 36), settings).poll().serve().press("3").serve().press("Enter").serve();
    assert!(heading(&odd).contains("TYPE"));
}

#[test]
fn columns_without_room_at_this_width_are_reported() {
    let console = book().press("C G Space k k Space Enter").send(Msg::Resized(60, 20)).press("C Enter");
    assert!(console.notice_text().contains("no room at this width for"), "{}", console.notice_text());
}

#[test]
fn the_heading_shows_what_sorts_the_rows_on_each_route() {
    let sorted = book().press("s").type_text("name").press("Enter");
    assert!(heading(&sorted).contains("NAME▴"), "{}", heading(&sorted));
    let scored = book().press("s").type_text("score").press("Enter");
    assert!(heading(&scored).contains("▾SCORE"), "{}", heading(&scored));
    assert!(!heading(&book()).contains(['▴', '▾']), "updated_at is not a column: the footer shows it");
    let ascii = AppSettings { theme: Theme { ascii: true, ..Theme::default() }, ..AppSettings::default() };
    let ascii =
        TestConsole::with_size(morning_queue(), (120, 36), ascii).poll().serve().press("3").serve().press("Enter").serve();
    assert!(heading(&ascii.press("s").type_text("name").press("Enter")).contains("NAME^"));
    assert!(heading(&index(Dataset::Accounts)).contains("NAME▴"), "the route's default order");
    let view = TestConsole::with_rows(morning_queue()).press("2").serve().press("j Enter").serve();
    assert!(heading(&view).contains("NAME▴"), "the service ignores a sort stored with a View");
    assert!(heading(&view.press("s").type_text("name").press("Enter s").type_text("name").press("Enter")).contains("NAME▾"));
    for source in routes() {
        let (usual, more) = available_columns(&source);
        let mut fields: Vec<_> = usual.iter().chain(more).map(|column| column.field).collect();
        fields.sort_unstable();
        assert!(fields.windows(2).all(|two| two[0] != two[1]), "{source:?} has a column twice");
        assert!(!source.sort_keys().is_empty() && usual.len() > 1, "{source:?}");
    }
}

fn routes() -> Vec<RecordSource> {
    let view = crate::app::testing::fake_service::view_id(1);
    let shelves =
        RecordKind::ALL.iter().flat_map(|shelf| [RecordSource::Book(shelf.clone()), RecordSource::View(view, shelf.clone())]);
    shelves.chain(Dataset::ALL.iter().map(|dataset| RecordSource::Index(dataset.clone()))).collect()
}

#[test]
fn golden_screens_of_the_columns() {
    golden!("columns_120x36", book().press("C j Space J"));
    golden!("columns_60x20", book().press("C").send(Msg::Resized(60, 20)));
}

fn export(console: &TestConsole) -> &ExportRequest {
    let Some(ServiceCall::Export(export)) = console.calls.last() else {
        panic!("expected an export: {:?}", console.calls.last())
    };
    export
}

fn progress(rows: u64, after: &str) -> ExportProgress {
    let path = "/home/ana/book-accounts-2026-07-09.csv".into();
    ExportProgress {
        path,
        rows,
        bytes: rows * 100,
        credits: rows - 50,
        after: Some(after.to_owned()),
        ..ExportProgress::default()
    }
}

fn with_export_progress(console: TestConsole, rows: u64) -> TestConsole {
    let token = console.pending_calls.front().unwrap().0;
    console.send(Msg::Pushed(Push::ExportProgressed(token, progress(rows, "cursor"))))
}

#[test]
fn exporting_loaded_rows_is_free_and_puts_the_visible_columns_first() {
    let console = book().press("C j Space Enter Space X");
    for words in ["1 row marked, as CSV", "8 rows loaded, as JSON Lines", "0 cr"] {
        assert!(console.screen_text().contains(words), "{words}: {}", console.screen_text());
    }
    assert!(!console.screen_text().contains("all 8"), "there is nothing left to read");
    let console = console.press("j j Enter");
    assert!(console.screen_text().contains("file book-accounts-2026-07-09.csv"), "{}", console.screen_text());
    let console = console.press("Enter");
    let export = export(&console);
    assert_eq!((export.rows.len(), export.rest.as_ref(), export.format), (8, None, ExportFormat::Csv));
    assert_eq!(export.fields[..4], ["id", "name", "icp_tier", "atlas_score"].map(str::to_owned));
    assert!(export.fields.iter().any(|field| field == "account_types") && export.fields.iter().any(|field| field == "notes"));
    let console = console.serve();
    assert_eq!(console.notice_text(), "8 rows: book-accounts-2026-07-09.csv");
    assert_eq!(console.service.spent, 8, "only the cost of the list");
}

#[test]
fn exporting_a_whole_list_shows_its_price_first_and_pays_no_loaded_row_again() {
    let console = large(300).press("Enter").serve().press("X");
    assert!(
        console.screen_text().contains("all 200 rows, as CSV") && console.screen_text().contains("150 more, 150 cr"),
        "{}",
        console.screen_text()
    );
    let left = console.press("Esc");
    assert_eq!(left.calls.iter().filter(|call| matches!(call, ServiceCall::Export(_))).count(), 0);
    let console = left.press("X End Up Up Up Enter").type_text("x").press("Enter");
    let export = export(&console);
    assert_eq!((export.rows.len(), export.rest.as_ref().unwrap().after.as_deref()), (50, Some("50")));
    assert_eq!((export.format, export.path.as_os_str()), (ExportFormat::JsonLines, "book-accounts-2026-07-09.jsonlx".as_ref()));
}

fn exporting() -> TestConsole {
    with_export_progress(large(300).press("Enter").serve().press("X j j Enter Enter"), 150)
}

#[test]
fn an_export_shows_its_progress_and_the_meter_counts_it() {
    let console = exporting();
    assert_eq!(console.notice_text(), "book-accounts-2026-07-09.csv: 150 of 200 rows");
    assert!(
        console.screen_text().contains("1,434"),
        "1,284 plus the 50 rows of the list and 100 more: {}",
        console.screen_text()
    );
    let again = console.press("X");
    assert!(again.notice_text().contains("export in progress") && again.context().overlay.is_none());
}

#[test]
fn a_cancelled_export_resumes_from_its_last_page() {
    let console = exporting().press("Ctrl-c");
    assert!(console.effects.contains(&Effect::Cancel(Slot::Export)));
    let console = console.fail_next(RequestError {
        kind: crate::domain::request_error::RequestErrorKind::Cancelled,
        message: "cancelled".to_owned(),
    });
    assert_eq!(console.notice_text(), "stopped after 150 rows; they are in book-accounts-2026-07-09.csv.partial");
    let console = console.press("X");
    assert!(console.screen_text().contains("resume book-accounts-2026-07-09.csv after 150 rows"), "{}", console.screen_text());
    let console = console.press("Enter");
    let export = export(&console);
    assert_eq!((export.rows.len(), export.written.as_ref()), (0, Some(&progress(150, "cursor"))));
    let console = with_export_progress(console, 200).fail_next(RequestError::new_not_sent("the disk is full: /home/ana"));
    assert_eq!(console.notice_text(), "stopped after 200 rows: the disk is full: /home/ana");
}

#[test]
fn a_failed_export_file_does_not_interrupt_typing() {
    let console = book().press("X Enter").type_text("/x").press("Enter /").type_text("wes");
    let console = console.fail_next(RequestError::new_not_sent("folder not found: a")).type_text("tmark").press("Enter");
    assert_eq!(console.context().displayed_list().unwrap().current_record().unwrap().id, account_id(11));
    assert_eq!(console.calls.iter().filter(|call| matches!(call, ServiceCall::Export(_))).count(), 1);
}

#[test]
fn a_failed_export_file_is_reported_and_its_name_can_be_corrected() {
    let console =
        book().press("X Enter").type_text("/x").press("Enter").fail_next(RequestError::new_not_sent("folder not found: a"));
    assert!(console.screen_text().contains("file book-accounts-2026-07-09.csv/x"), "{}", console.screen_text());
    assert!(console.notice_text().contains("nothing was written: folder not found: a"));
    let console = console.press("Backspace Backspace Enter");
    assert_eq!(export(&console).path.as_os_str(), "book-accounts-2026-07-09.csv");
    assert_eq!(export(&console).rows.len(), 8);
}

#[test]
fn golden_screen_of_the_export_choice() {
    golden!("export_120x36", large(300).press("Enter").serve().press("Space X"));
    golden!("export_60x20", large(300).press("Enter").serve().press("Space X").send(Msg::Resized(60, 20)));
}

/// Index firms with their headquarters, for the map.
fn mapped() -> TestConsole {
    let mut console = TestConsole::with_rows(morning_queue());
    for (n, firm) in console.service.records.get_mut("accounts").unwrap().iter_mut().enumerate() {
        let (lat, lng) = match firm["city"].as_str() {
            Some("Austin") => (30.27, -97.74),
            Some("Dallas") => (32.78, -96.80),
            Some("Houston") => (29.76, -95.37),
            _ => continue,
        };
        let lng = lng + 0.03 * n as f64;
        firm.insert("hq_location".to_owned(), serde_json::json!({ "lat": lat, "lng": lng }));
    }
    let mut console = console.press("3");
    *console.context_mut().record_lists.get_mut(&accounts_list()).unwrap() =
        RecordList::new(RecordSource::Index(Dataset::Accounts));
    console.serve().press("Enter").serve()
}

#[test]
fn the_map_shows_loaded_rows_with_a_location_and_requests_nothing() {
    let console = mapped();
    let (calls, spent) = (console.calls.len(), console.service.spent);
    let console = console.press("M j j");
    assert_eq!((console.calls.len(), console.service.spent), (calls, spent));
    for words in ["11 of 12 rows", "Dallas 3", "◆", "mi", "1 row has no location"] {
        assert!(console.screen_text().contains(words), "{words}: {}", console.screen_text());
    }
    assert_eq!(console.effects.last(), Some(&Effect::SavePreference("map".to_owned(), "on".to_owned())));
    let console = console.press("M");
    assert!(!console.screen_text().contains("11 of 12 rows"));
    assert_eq!(console.effects.last(), Some(&Effect::SavePreference("map".to_owned(), String::new())));
}

#[test]
fn a_book_row_gets_its_location_once_its_page_was_read() {
    let mut console = book().press("M");
    assert!(console.screen_text().contains("no row has a location"), "{}", console.screen_text());
    assert!(console.screen_text().contains("a firm's page (Enter, 1 cr) has it"));
    for firm in console.service.records.get_mut("accounts").unwrap() {
        firm.insert("hq_location".to_owned(), serde_json::json!({ "lat": 30.27, "lng": -97.74 }));
    }
    let console = console.press("Enter").serve().press("Esc");
    assert!(console.screen_text().contains("1 of 8 rows") && console.screen_text().contains('◆'), "{}", console.screen_text());
    assert_eq!(console.service.spent, 9);
}

#[test]
fn contacts_have_no_map_and_an_invalid_location_is_not_shown() {
    let people = TestConsole::with_rows(morning_queue()).press("3 ] M");
    assert!(people.notice_text().contains("contacts have no location"), "{}", people.notice_text());
    let mut console = book().press("M");
    let odd = [serde_json::json!({"lat": 0.0, "lng": 0.0}), serde_json::json!({"lat": 991, "lng": 3}), serde_json::json!("here")];
    for (firm, place) in console.service.records.get_mut("accounts").unwrap().iter_mut().zip(odd.iter().cycle()) {
        firm.insert("hq_location".to_owned(), place.clone());
    }
    for _ in 0..3 {
        console = console.press("Enter").serve().press("Esc j");
    }
    assert!(console.screen_text().contains("0 of 8 rows"), "{}", console.screen_text());
}

#[test]
fn explore_results_have_the_map_too() {
    let console = TestConsole::at_scope(crate::app::command::Scope::Results).press("M");
    assert!(console.screen_text().contains("─ Map ─"), "{}", console.screen_text());
}

#[test]
fn golden_screens_of_the_map() {
    golden!("map_120x36", mapped().press("M j j Space"));
    golden!("map_80x24", mapped().press("M j j").send(Msg::Resized(80, 24)));
    golden!("map_60x20", mapped().press("M j j").send(Msg::Resized(60, 20)));
}

#[test]
fn an_export_interrupted_by_exit_resumes_after_the_next_start() {
    let console = exporting().restart().press("3").serve().press("X");
    assert!(console.screen_text().contains("resume book-accounts-2026-07-09.csv after 150 rows"), "{}", console.screen_text());
    assert!(console.screen_text().contains("50 cr"), "{}", console.screen_text());
    let console = console.press("Enter");
    let export = export(&console);
    assert!(export.rows.is_empty() && export.rest.is_some(), "rows in the file are not written again");
    assert_eq!(export.written.as_ref().map(|written| written.rows), Some(150));
    let console = console.serve();
    assert!(!console.saved_state.drafts.iter().any(|draft| draft.name == "export"), "a finished export leaves no draft");
}

#[test]
fn no_click_spends_credits_without_confirmation() {
    let click_read = |console: TestConsole| {
        let area = console.context().layout().hint_targets().find(|(_, command)| command.id == "records.open").unwrap().0;
        console.click(area.x, area.y)
    };
    let console = click_read(TestConsole::with_rows(morning_queue()).press("3").serve()).serve();
    assert_eq!(console.service.spent, 0);
    assert!(console.screen_text().contains("This costs up to 50 credits"), "{}", console.screen_text());
    let left = console.press("Esc").serve();
    assert_eq!((left.service.spent, left.notice_text().as_str()), (0, "nothing was sent and nothing was spent"));
    let read = click_read(left.press("k")).press("Enter").serve();
    assert_eq!(read.service.spent, 8, "{}", read.screen_text());
    // A second click on a row opens it, for a credit.
    let (name, calls) =
        (read.context().displayed_list().unwrap().rows()[1].fields().text("name").unwrap().to_owned(), read.calls.len());
    let opened = read.click_on(&name).click_on(&name);
    assert!(opened.screen_text().contains("This costs up to 1 credit"), "{}", opened.screen_text());
    assert_eq!(opened.calls.len(), calls);
}

#[test]
fn twenty_or_more_records_are_written_only_after_confirmation() {
    let writes = |console: &TestConsole| console.calls.iter().filter(|call| matches!(call, ServiceCall::Write(_))).count();
    let book = large(300).press("Enter").serve();
    let console = book.press("* a +").serve();
    let console = console.press("Enter");
    assert_eq!(writes(&console), 0, "{}", console.screen_text());
    assert!(
        console.screen_text().contains("Add 50 accounts to") && console.screen_text().contains("50 of"),
        "{}",
        console.screen_text()
    );
    assert_eq!(writes(&console.press("Enter")), 0, "the selected answer changes nothing");
    let console = large(300).press("Enter").serve().press("* a D");
    assert!(console.screen_text().contains("Remove 50 accounts from the book for everyone?"), "{}", console.screen_text());
    assert_eq!(writes(&console.press("Enter")), 0);
    let console = large(300).press("Enter").serve().press("D Down Enter");
    assert_eq!(writes(&console), 1, "even a single record is removed only after a confirmation");
}
