//! The way to every scope of the command table.

use std::collections::BTreeSet;

use chrono::Duration;
use uuid::Uuid;

use super::fake_service::FakeService;
use super::{TestConsole, morning_queue, parse_time};
use crate::app::command::Scope;
use crate::app::effect::RecordKey;
use crate::app::model::coverage::{BookPlace, CoverageGap};
use crate::app::msg::{Msg, Push};
use crate::app::overlay::Overlay;
use crate::app::overlay::list_dialog::{DialogRows, GapSummary, ListDialog};
use crate::app::panes::settings::tests::sample_settings;
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::book::RecordKind;
use crate::domain::certificate::Fingerprint;
use crate::domain::join_code::{JoinCode, JoinSecret};
use crate::domain::journal_lines::JournalLine;
use crate::domain::members::InvitationDelivery;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

/// A list with a line that is found, one that is not, and one that may mean several records.
pub const IMPORTED_LIST: &str =
    "Company,Website,State\nBrightline GC,,TX\nNo Such Firm,,TX\nCalder Residential,,\n";

/// A join code as a service on the local network issues it.
pub fn new_delivery() -> InvitationDelivery {
    let code = JoinCode {
        base_url: "https://192.168.1.20:8484/api/v1".to_owned(),
        fingerprint: Some(Fingerprint(std::array::from_fn(|n| n as u8 * 7))),
        secret: JoinSecret(*b"0123456789abcdef"),
    };
    let sent =
        serde_json::json!({ "join_code": code.encode(), "expires_at": "2026-07-23T09:24:00Z" });
    serde_json::from_value(sent).expect("a delivery")
}

/// What this machine wrote today, the newest first.
pub fn journal_of_a_day() -> Vec<JournalLine> {
    let line = |time: &str, what: &str, result: &str, command: &str| JournalLine {
        at: parse_time(&format!("2026-07-09T{time}:00Z")),
        what: what.to_owned(),
        result: result.to_owned(),
        reason: (result == "rejected").then(|| "the table is locked".to_owned()),
        is_ok: result != "rejected",
        command: Some(command.to_owned()),
    };
    vec![
        line(
            "09:14",
            "status of Brightline GC",
            "rejected",
            "gantry book annotate accounts 3 --status called",
        ),
        line(
            "08:40",
            "back to New: permit filed on Oak Terrace",
            "2 items, done",
            "gantry queue triage new 9 14",
        ),
        line(
            "08:12",
            "done: permit issued on Harbor Yard Lofts",
            "1 item, done",
            "gantry queue triage done 1",
        ),
    ]
}

impl TestConsole {
    /// The accounts of the book, read completely.
    pub fn with_book() -> Self {
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
    }

    /// A book of 200 accounts; the first 50 are loaded.
    pub fn with_large_book() -> Self {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service = FakeService::with_firms(300);
        console.press("3").serve().press("Enter").serve()
    }

    /// Opens the import of a list from the book.
    pub fn import_list(mut self, text: &str) -> Self {
        self.service
            .files
            .insert("/home/ana/list.csv".into(), text.as_bytes().to_vec());
        self.press("3")
            .serve()
            .press("I")
            .type_text("/home/ana/list.csv")
            .press("Enter")
            .serve()
    }

    /// Opens the settings, as the runtime reads them.
    pub fn open_settings(self) -> Self {
        self.press("g ,")
            .send(Msg::Pushed(Push::SettingsRead(Ok(sample_settings()))))
    }

    /// A console in which the keys of a scope work, with something under the cursor.
    pub fn at_scope(scope: Scope) -> Self {
        TestConsole::with_rows(morning_queue()).go_to_scope(scope)
    }

    /// Goes to a scope from the queue.
    pub fn go_to_scope(self, scope: Scope) -> Self {
        let console = self;
        match scope {
            Scope::Queue | Scope::List | Scope::Global => console.press("j j"),
            Scope::Detail => console.press("j j Enter").serve(),
            Scope::Feed => console.press("g f Down Enter").serve().press("j j"),
            Scope::Views => console.press("2").serve().press("j"),
            Scope::ViewRecords => console
                .press("2")
                .serve()
                .press("j Enter")
                .serve()
                .press("j"),
            Scope::Book | Scope::Records => console
                .press("3")
                .serve()
                .press("Enter")
                .serve()
                .press("j j"),
            Scope::Annotate => console.go_to_scope(Scope::Book),
            Scope::AnnotationForm => console.go_to_scope(Scope::Book).press("Space Space a t"),
            Scope::ListFilter => console
                .go_to_scope(Scope::Book)
                .press("f")
                .serve()
                .press("+")
                .type_text("city")
                .press("Enter")
                .type_text("Austin")
                .press("Enter"),
            Scope::Builder | Scope::Search | Scope::Explore => console
                .press("5")
                .serve()
                .press("+")
                .type_text("city")
                .press("Enter")
                .type_text("Austin")
                .press("Enter"),
            Scope::Results => console
                .press("5")
                .serve()
                .press("k Left Left E")
                .type_text("city=Austin")
                .press("Enter Enter")
                .serve()
                .press("j"),
            Scope::Import => console.import_list(IMPORTED_LIST).press("Enter").serve(),
            Scope::Subscriptions => console.press("4").serve().press("j - j"),
            Scope::Team => console.press("6").serve().press("j"),
            Scope::Skills | Scope::SkillEditing => console.press("7").serve().press("j"),
            Scope::Skill => console.press("7").serve().press("j Enter").serve(),
            Scope::Credits => console.press("8").serve().press("j"),
            Scope::Settings => console.open_settings().press("j j"),
            Scope::Watch => console
                .advance_time(Duration::minutes(20))
                .poll()
                .press("9")
                .serve(),
            Scope::Start | Scope::StartForm => TestConsole::at_start(scope),
            Scope::DialogList => console.go_to_scope(Scope::Choice),
            Scope::FilteredList => console.go_to_scope(Scope::Palette),
            Scope::Palette => console.open_dialog(Scope::Queue, ": Down Down Down", ""),
            Scope::Choice => console.open_dialog(Scope::Builder, "s Down", ""),
            Scope::ColumnChooser => console.open_dialog(Scope::Book, "C Down Space", ""),
            Scope::CallNote => console.open_dialog(Scope::Queue, "a c", "asked for a bid"),
            Scope::CallOutcome => console.open_dialog(Scope::Queue, "a c Enter", ""),
            Scope::FilterForm => console.open_dialog(Scope::Queue, "f", "Austin"),
            Scope::FilterOptions => console.open_dialog(Scope::Queue, "f Tab Tab Tab", ""),
            Scope::Picker => console.open_dialog(Scope::Builder, "+ Down Down", ""),
            Scope::MultiPicker => console.open_dialog(Scope::Subscriptions, "B Down Down", ""),
            Scope::History => {
                let done = (0..3).fold(console, |console, _| console.press("e").serve());
                done.press("g u j")
            }
            Scope::Failures => {
                let failed = (0..3).fold(console, |console, _| {
                    let refusal = RequestError {
                        kind: RequestErrorKind::Rejected(ServiceError::default()),
                        message: "the table is locked".to_owned(),
                    };
                    console.press("* n j e").fail_next(refusal).serve()
                });
                failed.press("g ! j")
            }
            Scope::Journal => {
                let mut console = console;
                console.journal = journal_of_a_day();
                console.press("g l").serve().press("j")
            }
            Scope::Promise => {
                let console = TestConsole::at_scope(Scope::Book).press("H");
                let console = console.type_text("tomorrow send plans").press("Enter");
                let console = console.serve().advance_time(Duration::days(1)).poll();
                console.press("'")
            }
            Scope::Gaps => {
                let mut console = console.press(":").type_text("gaps").press("Enter").serve();
                let projects = morning_queue().into_iter();
                let projects: BTreeSet<Uuid> = projects
                    .filter_map(|row| Some(row.signal.project_id?.0))
                    .collect();
                let projects: Vec<Uuid> = projects.into_iter().collect();
                let gaps = (0..30).map(|n| CoverageGap {
                    kind: RecordKind::Projects,
                    id: projects
                        .get(n)
                        .copied()
                        .unwrap_or(Uuid::from_u128(n as u128)),
                    name: format!("Project {n}"),
                    project: format!("Project {n}"),
                    place: BookPlace::Absent,
                });
                let rows = DialogRows::new(gaps.collect());
                let summary = GapSummary {
                    lines: vec!["30 gaps known".to_owned()],
                    unchecked: projects
                        .iter()
                        .take(5)
                        .map(|id| RecordKey::for_book(&RecordKind::Projects, *id))
                        .collect(),
                };
                let dialog = ListDialog::Gaps(rows, summary);
                console.context_mut().open_list_dialog(dialog);
                console.press("j j j j")
            }
            Scope::JoinCode => {
                let mut console = console;
                console.workspace.delivery = Some(new_delivery());
                console
                    .press("6")
                    .serve()
                    .press("i")
                    .type_text("eva@example.com")
                    .press("Enter Enter")
                    .serve()
            }
            Scope::TextPage => {
                let mut console = console
                    .press(":")
                    .type_text("handoff")
                    .press("Enter")
                    .serve();
                if let Some(Overlay::Page(page)) = &mut console.context_mut().ui.overlay {
                    page.shown = Some((0..200).map(|n| format!("  line {n}\n")).collect());
                    page.top = 20;
                }
                console
            }
            Scope::Frequency => console.open_dialog(Scope::Book, "Space Space t Down Down", ""),
            Scope::Prompt => console.recall_search(),
            Scope::Record => console
                .press("3")
                .serve()
                .press("Enter")
                .serve()
                .press("Enter")
                .serve()
                .press("Tab"),
        }
    }

    /// Opens a dialog over a screen.
    fn open_dialog(self, over: Scope, keys: &str, text: &str) -> Self {
        self.go_to_scope(over).press(keys).type_text(text)
    }

    /// The prompt with a search of the history, of which there is an older and a newer one.
    fn recall_search(mut self) -> Self {
        for text in ["Mill", "Oak"] {
            self = self.press("/").type_text(text).press("Enter");
        }
        self.press("/ Up")
    }

    /// The screen of a console that is not connected, or its form.
    fn at_start(scope: Scope) -> Self {
        let session = ConsoleSession {
            label: String::new(),
            connected: false,
            read_only: false,
            is_dashboard_only: false,
        };
        let console =
            TestConsole::with_session(session, Vec::new(), (120, 36), AppSettings::default());
        console.press(if scope == Scope::Start {
            "Down"
        } else {
            "Down Down Down Enter Down"
        })
    }
}
