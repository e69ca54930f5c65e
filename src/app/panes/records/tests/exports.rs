//! Exports of a list: their price, progress and interruptions.

use super::{book, export, large};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::msg::{Msg, Push};
use crate::app::testing::fake_service::account_id;
use crate::app::testing::{TestConsole, golden};
use crate::domain::export::{ExportFormat, ExportProgress};
use crate::domain::request_error::RequestError;

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
    console.send(Msg::Pushed(Push::ExportProgressed(
        token,
        progress(rows, "cursor"),
    )))
}

#[test]
fn exporting_a_whole_list_shows_its_price_first_and_pays_no_loaded_row_again() {
    let console = large(300).press("Enter").serve().press("X");
    assert!(
        console.screen_text().contains("all 200 rows, as CSV")
            && console.screen_text().contains("150 more, 150 cr"),
        "{}",
        console.screen_text()
    );
    let left = console.press("Esc");
    assert_eq!(
        left.calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Export(_)))
            .count(),
        0
    );
    let console = left
        .press("X End Up Up Up Enter End")
        .type_text("x")
        .press("Enter");
    let export = export(&console);
    assert_eq!(
        (
            export.rows.len(),
            export.rest.as_ref().unwrap().after.as_deref()
        ),
        (50, Some("50"))
    );
    assert_eq!(
        (export.format, export.path.as_os_str()),
        (
            ExportFormat::JsonLines,
            "book-accounts-2026-07-09.jsonlx".as_ref()
        )
    );
}

fn exporting() -> TestConsole {
    with_export_progress(
        large(300).press("Enter").serve().press("X j j Enter Enter"),
        150,
    )
}

#[test]
fn an_export_shows_its_progress_and_the_meter_counts_it() {
    let console = exporting();
    assert_eq!(
        console.notice_text(),
        "book-accounts-2026-07-09.csv: 150 of 200 rows"
    );
    assert!(
        console.screen_text().contains("1,434"),
        "1,284 plus the 50 rows of the list and 100 more: {}",
        console.screen_text()
    );
    let again = console.press("X");
    assert!(
        again.notice_text().contains("export in progress") && again.context().ui.overlay.is_none()
    );
}

#[test]
fn a_cancelled_export_resumes_from_its_last_page() {
    let console = exporting().press("Ctrl-c");
    assert!(console.effects.contains(&Effect::Cancel(Slot::Export)));
    let console = console.fail_next(RequestError {
        kind: crate::domain::request_error::RequestErrorKind::Cancelled,
        message: "cancelled".to_owned(),
    });
    assert_eq!(
        console.notice_text(),
        "stopped after 150 rows; they are in book-accounts-2026-07-09.csv.partial"
    );
    let console = console.press("X");
    assert!(
        console
            .screen_text()
            .contains("resume book-accounts-2026-07-09.csv after 150 rows"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    let export = export(&console);
    assert_eq!(
        (export.rows.len(), export.written.as_ref()),
        (0, Some(&progress(150, "cursor")))
    );
    let console = with_export_progress(console, 200)
        .fail_next(RequestError::new_not_sent("the disk is full: /home/ana"));
    assert_eq!(
        console.notice_text(),
        "stopped after 200 rows: the disk is full: /home/ana"
    );
}

#[test]
fn a_failed_export_file_does_not_interrupt_typing() {
    let console = book()
        .press("X Enter")
        .type_text("/x")
        .press("Enter /")
        .type_text("wes");
    let console = console
        .fail_next(RequestError::new_not_sent("folder not found: a"))
        .type_text("tmark")
        .press("Enter");
    assert_eq!(
        console
            .context()
            .displayed_list()
            .unwrap()
            .current_record()
            .unwrap()
            .id,
        account_id(11)
    );
    assert_eq!(
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Export(_)))
            .count(),
        1
    );
}

#[test]
fn a_failed_export_file_is_reported_and_its_name_can_be_corrected() {
    let console = book()
        .press("X Enter End")
        .type_text("/x")
        .press("Enter")
        .fail_next(RequestError::new_not_sent("folder not found: a"));
    assert!(
        console
            .screen_text()
            .contains("file book-accounts-2026-07-09.csv/x"),
        "{}",
        console.screen_text()
    );
    assert!(
        console
            .notice_text()
            .contains("nothing was written: folder not found: a")
    );
    let console =
        console.press("Backspace Backspace Backspace Backspace Backspace Backspace Enter");
    assert_eq!(
        export(&console).path.as_os_str(),
        "book-accounts-2026-07-09.csv"
    );
    assert_eq!(export(&console).rows.len(), 8);
}

#[test]
fn golden_screen_of_the_export_choice() {
    golden!(
        "export_120x36",
        large(300).press("Enter").serve().press("Space X")
    );
    golden!(
        "export_60x20",
        large(300)
            .press("Enter")
            .serve()
            .press("Space X")
            .send(Msg::Resized(60, 20))
    );
}

#[test]
fn an_export_interrupted_by_exit_resumes_after_the_next_start() {
    let console = exporting().restart().press("3").serve().press("X");
    assert!(
        console
            .screen_text()
            .contains("resume book-accounts-2026-07-09.csv after 150 rows"),
        "{}",
        console.screen_text()
    );
    assert!(
        console.screen_text().contains("50 cr"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    let export = export(&console);
    assert!(
        export.rows.is_empty() && export.rest.is_some(),
        "rows in the file are not written again"
    );
    assert_eq!(
        export.written.as_ref().map(|written| written.rows),
        Some(150)
    );
    let console = console.serve();
    assert!(
        !console
            .saved_state
            .drafts
            .iter()
            .any(|draft| draft.name == "export"),
        "a finished export leaves no draft"
    );
}

#[test]
fn exporting_loaded_rows_is_free_and_puts_the_visible_columns_first() {
    let console = book().press("C j Space Enter Space X");
    for words in [
        "1 row marked, as CSV",
        "8 rows loaded, as JSON Lines",
        "0 cr",
    ] {
        assert!(
            console.screen_text().contains(words),
            "{words}: {}",
            console.screen_text()
        );
    }
    assert!(
        !console.screen_text().contains("all 8"),
        "there is nothing left to read"
    );
    let console = console.press("j j Enter");
    assert!(
        console
            .screen_text()
            .contains("file book-accounts-2026-07-09.csv"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Enter");
    let export = export(&console);
    assert_eq!(
        (export.rows.len(), export.rest.as_ref(), export.format),
        (8, None, ExportFormat::Csv)
    );
    assert_eq!(
        export.fields[..4],
        ["id", "name", "icp_tier", "atlas_score"].map(str::to_owned)
    );
    assert!(
        export.fields.iter().any(|field| field == "account_types")
            && export.fields.iter().any(|field| field == "notes")
    );
    let console = console.serve();
    assert_eq!(
        console.notice_text(),
        "8 rows: book-accounts-2026-07-09.csv"
    );
    assert_eq!(console.service.spent, 8, "only the cost of the list");
}
