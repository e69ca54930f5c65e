//! Ways to make the console ask for each reply there is.

use chrono::Duration;

use crate::app::connection::HeaderRequest;
use crate::app::model::queue::QueueRequest;
use crate::app::model::views::ViewsRequest;
use crate::app::msg::{Msg, Push, Reply, StoredFacts};
use crate::app::outbox::preflight::UndoRequest;
use crate::app::panes::credits::messages::CreditsRequest;
use crate::app::panes::explore::messages::ExploreRequest;
use crate::app::panes::feed::messages::FeedRequest;
use crate::app::panes::import::messages::ImportRequest;
use crate::app::panes::messages::PaneRequest;
use crate::app::panes::skills::messages::SkillsRequest;
use crate::app::panes::subscriptions::messages::SubscriptionsRequest;
use crate::app::panes::team::messages::TeamRequest;
use crate::app::requests::Request;
use crate::app::testing::fake_service::FakeService;
use crate::app::testing::{TestConsole, many_rows, morning_queue, sample_meter, signal_id};
use crate::app::{AppSettings, ConsoleSession, DashboardOptions, DashboardPage};
use crate::domain::budgets::CreditsSpent;
use crate::domain::credits::LedgerReport;
use crate::domain::request_error::RequestError;

type Step = fn(TestConsole) -> TestConsole;

/// A way to make the console ask.
#[derive(Clone, Copy)]
pub struct Ask {
    /// The request, as the table below names it.
    pub request: &'static str,
    pub how: &'static str,
    /// A console in which it can be asked, with everything answered.
    pub start: fn() -> TestConsole,
    pub ask: Step,
    /// Asks again after a failure; when the user cannot, the next poll does.
    pub retry: Step,
    /// A failure is not shown: it leaves what is known.
    pub is_silent: bool,
}

fn ask(how: &'static str, start: fn() -> TestConsole, ask: Step) -> Ask {
    Ask {
        request: "",
        how,
        start,
        ask,
        retry: ask,
        is_silent: false,
    }
}

impl Ask {
    fn retried_by(self, retry: Step) -> Ask {
        Ask { retry, ..self }
    }

    fn silent(self) -> Ask {
        Ask {
            is_silent: true,
            ..self
        }
    }
}

/// The requests, and ways to make each. The compiler asks for a row for a new one.
macro_rules! requests {
    ($($request:pat => [$($ask:expr),+ $(,)?];)+) => {
        pub fn request_name(request: &Request) -> &'static str {
            match request {
                $($request => stringify!($request),)+
            }
        }

        pub fn all_asks() -> Vec<Ask> {
            vec![$($(Ask { request: stringify!($request), ..$ask }),+),+]
        }
    };
}

requests! {
    Request::Pane(PaneRequest::Start(_)) => [ask("sign-in", unconfigured, |console| console.press("Enter"))];
    Request::Header(HeaderRequest::Workspace) => [ask("first poll", started, TestConsole::poll).silent()];
    Request::Header(HeaderRequest::Members) => [
        ask("first poll", started, |console| (0..2).fold(console.poll(), |console, _| answer_first(console)))
            .retried_by(TestConsole::poll)
            .silent(),
    ];
    Request::Header(HeaderRequest::Meter) => [
        ask("first poll", started, |console| (0..3).fold(console.poll(), |console, _| answer_first(console)))
            .retried_by(TestConsole::poll)
            .silent(),
    ];
    Request::Journal => [ask("open", queue, |console| console.press("g l")).retried_by(|console| console.press("Esc g l"))];
    Request::Handoff { .. } => [
        ask("open", queue, |console| console.press(":").type_text("handoff").press("Enter"))
            .retried_by(|console| console.press("Esc :").type_text("handoff").press("Enter")),
    ];
    Request::HandoffDone(_) => [
        ask("team", queue, |console| console.press(":").type_text("handoff team").press("Enter"))
            .retried_by(|console| console.press("Esc :").type_text("handoff team").press("Enter"))
            .silent(),
    ];
    Request::SaveText => [
        ask("save", queue, |console| {
            answer_first(console.press(":").type_text("handoff").press("Enter")).press("w")
        })
        .retried_by(|console| console.press("w")),
    ];
    Request::CallOpening(_) => [
        ask("call form", queue, |console| console.press("a c")).retried_by(|console| console.press("Esc a c")).silent(),
        ask("its Skill", queue, |console| answer_first(console.press("a c"))).retried_by(|console| console.press("Esc a c")).silent(),
        ask("its file", queue, |console| answer_first(answer_first(console.press("a c"))))
            .retried_by(|console| console.press("Esc a c"))
            .silent(),
    ];
    Request::SavedState => [ask("first poll", started, TestConsole::poll).silent()];
    Request::Queue(QueueRequest::Page(..)) => [
        ask("refresh", queue, |console| console.press("R")),
        ask("Done", queue, |console| console.press("]")).retried_by(|console| console.press("R")),
        ask("a long list", long_queue, |console| console.press("G")).retried_by(|console| console.press("R G")),
    ];
    Request::Queue(QueueRequest::WhoTriaged(_)) => [
        ask("a row disappeared", queue, |console| answer_first(console.ben_marks_done(&[3]).poll()))
            .retried_by(|console| console.poll())
            .silent(),
    ];
    Request::Pane(PaneRequest::Watch(_)) => [ask("pages", with_dashboard, |console| console.press("9")).retried_by(TestConsole::poll).silent()];
    Request::Pane(PaneRequest::Detail(_)) => [ask("raw tab", detail, |console| console.press("] ] Down Enter")).retried_by(|console| console.press("[ ] Down Enter"))];
    Request::Description(_) => [ask("visible rows", queue, |console| console.press("i y Enter"))];
    Request::Record(_) => [
        ask("record page", book, |console| console.press("Enter")).retried_by(|console| console.press("r")),
        ask("detail", queue, |console| console.press("Enter")).retried_by(|console| console.press("r")),
        ask("refresh", || book().press("Enter").serve().advance_time(Duration::minutes(2)), |console| console.press("r")),
    ];
    Request::MissingRecord(_) => [
        ask("gaps", queue, |console| console.press(":").type_text("gaps").press("Enter r"))
            .retried_by(|console| console.press("r")),
        ask("call form", || queue().press("a c").serve(), |console| console.press("Ctrl-r")),
    ];
    Request::Pane(PaneRequest::AnnotationForm(_)) => [ask("form", form, |console| console.press("Ctrl-r"))];
    Request::Undo(UndoRequest::Record(..)) => [
        ask("undo", || view().press("b").serve().advance_time(Duration::minutes(1)).press("z"), |console| console.press("Enter"))
            .retried_by(|console| console.press("z Enter")),
    ];
    Request::Pane(PaneRequest::Feed(FeedRequest::Rows(_))) => [
        ask("open", queue, |console| console.press("g f Down Enter")).retried_by(|console| console.press("R")),
        ask("refresh", feed, |console| console.press("R")),
    ];
    Request::Pane(PaneRequest::Feed(FeedRequest::Payload(_))) => [ask("open a signal", feed, |console| console.press("Enter"))];
    Request::Pane(PaneRequest::Import(ImportRequest::File(_))) => [
        ask("file", || list_file().press("I").type_text("/home/ana/list.csv"), |console| console.press("Enter"))
            .retried_by(|console| console.press("I").type_text("/home/ana/list.csv").press("Enter")),
    ];
    Request::Pane(PaneRequest::Import(ImportRequest::Rows(_))) => [
        ask("match", || queue().import_list("Company\nBrightline GC\n"), |console| console.press("Enter")),
    ];
    Request::Records(_) => [
        ask("book", || queue().press("3").serve(), |console| console.press("Enter")),
        ask("refresh", book, |console| console.press("R Down Enter")),
        ask("sort", large_book, |console| console.press("s").type_text("service score").press("Enter")),
        ask("count", book, |console| console.press("c")),
        ask("next page", large_book, |console| console.press(">")),
        ask("all rows", || large_book().press(":").type_text("all rows").press("Down Enter"), |console| console.press("y Enter"))
            .retried_by(|console| console.press(">")),
        ask("View", || queue().press("2").serve(), |console| console.press("j Enter"))
            .retried_by(|console| console.press("Enter")),
        ask("Explore", || explore().press("k Left Left E").type_text("city=Austin").press("Enter"), |console| console.press("Enter")),
    ];
    Request::Views(ViewsRequest::List) => [
        ask("open", queue, |console| console.press("2")).retried_by(|console| console.press("R")),
        ask("refresh", || queue().press("2").serve(), |console| console.press("R")),
    ];
    Request::Views(ViewsRequest::Favorites) => [ask("open", queue, |console| console.press("2")).retried_by(|console| console.press("R"))];
    Request::Pane(PaneRequest::Explore(ExploreRequest::Vocabulary(_))) => [
        ask("open", queue, |console| console.press("5")).retried_by(|console| console.press("R")),
        ask("list filter", book, |console| console.press("f")).retried_by(|console| console.press("R")),
    ];
    Request::Pane(PaneRequest::Explore(ExploreRequest::Question(_))) => [ask("ask", explore, ask_question)];
    Request::Pane(PaneRequest::Subscriptions(SubscriptionsRequest::List)) => [
        ask("open", queue, |console| console.press("4")).retried_by(|console| console.press("R")),
        ask("refresh", subscriptions, |console| console.press("R")),
    ];
    Request::Pane(PaneRequest::Subscriptions(SubscriptionsRequest::Check)) => [
        ask("apply", || subscriptions().press("j -"), |console| console.press("Ctrl-s")),
        ask("unsubscribe", || subscriptions().press("j D Down Enter"), |console| console.press("Ctrl-s")),
    ];
    Request::Queue(QueueRequest::Activity) => [
        ask("a colleague's triage", with_free_reads, |console| console.ben_marks_done(&[3, 4]).poll())
            .retried_by(|console| console.ben_marks_done(&[5]).poll())
            .silent(),
    ];
    Request::Priority(_) => [ask("explain", queue, |console| console.press("W"))];
    Request::Pane(PaneRequest::Team(TeamRequest::Members)) => [ask("open", queue, |console| console.press("6")).retried_by(|console| console.press("R"))];
    Request::Pane(PaneRequest::Team(TeamRequest::Invitations)) => [ask("open", queue, |console| console.press("6")).retried_by(|console| console.press("R"))];
    Request::Pane(PaneRequest::Skills(SkillsRequest::List)) => [ask("open", queue, |console| console.press("7")).retried_by(|console| console.press("R"))];
    Request::Pane(PaneRequest::Skills(SkillsRequest::Skill(_))) => [
        ask("open", skills, |console| console.press("Enter")).retried_by(|console| console.press("R")),
        ask("refresh", skill, |console| console.press("R")),
    ];
    Request::Pane(PaneRequest::Skills(SkillsRequest::Texts(_))) => [
        ask("open", skills, |console| answer_first(console.press("Enter"))).retried_by(|console| console.press("R")),
        ask("next file", skill, |console| console.press("j")).retried_by(|console| console.press("R")),
        ask("older revision", skill, |console| console.press("[")).retried_by(|console| console.press("R")),
        ask("compare", || skill().press("d"), |console| console.press("Enter")).retried_by(|console| console.press("d Enter")),
    ];
    Request::Pane(PaneRequest::Skills(SkillsRequest::EditedSkill)) => [ask("edit", skills, |console| console.press("E"))];
    Request::Pane(PaneRequest::Skills(SkillsRequest::EditedTexts(_))) => [ask("edit", skills, |console| answer_first(console.press("E")))];
    Request::Pane(PaneRequest::Credits(CreditsRequest::Ledger)) => [ask("open", with_ledger, |console| console.press("8")).retried_by(|console| console.press("R"))];
    Request::Pane(PaneRequest::Credits(CreditsRequest::SaveBudgets)) => [
        ask("save", || with_ledger().press("8").serve(), |console| console.press("b Enter").type_text("900").press("Enter")),
    ];
    Request::Export => [
        ask("loaded rows", || book().press("X Enter"), |console| console.press("Enter")),
        ask("all rows", || large_book().press("X j j Enter"), |console| console.press("Enter")),
    ];
    Request::Write(_) => [
        ask("triage, one", queue, |console| console.press("e")),
        ask("triage, some", queue, |console| console.press("Space Space Space e")),
        ask("triage, detail", detail, |console| console.press("e")),
        ask("triage, two at once", queue, |console| console.press("e e")),
        ask("triage, batches", many_marked, |console| console.press("Down Enter")),
        ask("triage, back to New", || queue().press("e").serve().press("]").serve(), |console| console.press("U")),
        ask("triage, undo", || queue().press("Space Space e").serve(), |console| answer_first(console.press("z"))),
        ask("triage, redo", || queue().press("e").serve().press("z").serve(), |console| answer_first(console.press("Z"))),
        ask("annotate", form_with_tag, |console| console.press("Ctrl-s"))
            .retried_by(|console| console.press("a t").type_text("hotel").press("Ctrl-s")),
        ask("save to book", view, |console| console.press("b")),
        ask("remove from View", view, |console| console.press("-")),
        ask("remove from book", || book().press("D"), |console| console.press("Down Enter"))
            .retried_by(|console| console.press("D Down Enter")),
        ask("favorite", || queue().press("2").serve(), |console| console.press("j b")),
        ask("new View", || queue().press("2").serve().press("A").type_text("mine").press("Enter"), |console| console.press("Enter"))
            .retried_by(|console| console.press("A").type_text("mine").press("Enter Enter")),
        ask("delete View", || queue().press("2").serve().press("D"), |console| console.press("Down Enter"))
            .retried_by(|console| console.press("D Down Enter")),
        ask("subscription", || subscriptions().press("j -"), |console| answer_first(console.press("Ctrl-s"))),
        ask("subscriptions", two_calls_staged, |console| answer_first(console.press("Ctrl-s"))),
        ask("role", || team().press("G m k"), |console| console.press("Enter")).retried_by(|console| console.press("m k Enter")),
        ask("invite", || team().press("i").type_text("new@example.com").press("Enter j"), |console| console.press("Enter"))
            .retried_by(|console| console.press("i Enter j Enter")),
        ask("publish", || queue().press("7").serve().press("G m p y"), |console| console.press("Enter"))
            .retried_by(|console| console.press("m p y Enter m r")),
        ask("undo", || queue().press("2").serve().press("j b").serve(), |console| console.press("z")),
    ];
    Request::Reconcile => [
        ask("interrupted", interrupted, TestConsole::poll).retried_by(TestConsole::poll).silent(),
    ];
    Request::Undo(UndoRequest::Signals(_)) => [
        ask("undo", || queue().press("Space Space e").serve(), |console| console.press("z")),
        ask("redo", || queue().press("e").serve().press("z").serve(), |console| console.press("Z")),
    ];
    Request::Undo(UndoRequest::Members) => [ask("undo", || team().press("G m k Enter").serve(), |console| console.press("z"))];
    Request::Undo(UndoRequest::Subscriptions) => [
        ask("undo", || subscriptions().press("j - Ctrl-s").serve(), |console| console.press("z")),
    ];
    Request::Undo(UndoRequest::Attribution(_)) => [
        ask("partly done", || queue().ben_marks_done(&[1]), |console| answer_first(console.press("Space Space e")))
            .retried_by(TestConsole::poll)
            .silent(),
    ];
    Request::Pane(PaneRequest::Record(_)) => [
        ask("history tab", || book().press("Enter").serve(), |console| console.press("[ [")).retried_by(|console| console.press("] [")),
    ];
}

/// The first of two calls is answered, and leads to the second.
fn answer_first(console: TestConsole) -> TestConsole {
    if console.pending_calls.is_empty() {
        console
    } else {
        console.serve_next()
    }
}

/// A book, and a list beside it.
fn list_file() -> TestConsole {
    let mut console = queue().press("3").serve();
    console.service.files.insert(
        "/home/ana/list.csv".into(),
        b"Company\nBrightline GC\n".to_vec(),
    );
    console
}

fn unconfigured() -> TestConsole {
    let session = ConsoleSession {
        label: String::new(),
        connected: false,
        read_only: false,
        is_dashboard_only: false,
    };
    TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
}

fn feed() -> TestConsole {
    queue().press("g f Down Enter").serve()
}

fn started() -> TestConsole {
    TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default()).serve()
}

fn queue() -> TestConsole {
    TestConsole::with_rows(morning_queue())
}

fn long_queue() -> TestConsole {
    TestConsole::with_rows(many_rows(700))
}

fn many_marked() -> TestConsole {
    TestConsole::with_rows(many_rows(150))
        .press("G")
        .serve()
        .press("* a e")
}

fn with_dashboard() -> TestConsole {
    let dashboard = DashboardOptions {
        pages: vec![DashboardPage::Waiting, DashboardPage::Team],
        ..DashboardOptions::default()
    };
    let settings = AppSettings {
        dashboard,
        ..AppSettings::default()
    };
    TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
}

fn detail() -> TestConsole {
    queue().press("Enter").serve()
}

fn book() -> TestConsole {
    queue().press("3").serve().press("Enter").serve()
}

fn large_book() -> TestConsole {
    let mut console = queue();
    console.service = FakeService::with_firms(300);
    console.press("3").serve().press("Enter").serve()
}

fn form() -> TestConsole {
    book()
        .advance_time(Duration::minutes(22))
        .press("Space Space a t")
}

fn form_with_tag() -> TestConsole {
    form().type_text("hotel")
}

fn view() -> TestConsole {
    queue().press("2").serve().press("j Enter").serve()
}

fn explore() -> TestConsole {
    queue().press("5").serve()
}

fn ask_question(console: TestConsole) -> TestConsole {
    console
        .press(";")
        .type_text("towers in Austin")
        .press("Enter")
}

fn subscriptions() -> TestConsole {
    queue().press("4").serve()
}

/// Staged changes that need one call after the other.
fn two_calls_staged() -> TestConsole {
    subscriptions().press("j - j A Enter")
}

fn team() -> TestConsole {
    queue().press("6").serve()
}

fn skills() -> TestConsole {
    queue().press("7").serve().press("j")
}

fn skill() -> TestConsole {
    skills().press("Enter").serve()
}

fn with_ledger() -> TestConsole {
    let mut console = queue();
    console.service.ledger = Some(sample_ledger());
    console
}

/// The queue of a service whose reads are free.
fn with_free_reads() -> TestConsole {
    let facts = StoredFacts {
        has_free_signal_reads: true,
        ..StoredFacts::default()
    };
    queue()
        .send(Msg::Pushed(Push::StoredFacts(Box::new(facts))))
        .serve()
}

pub fn sample_ledger() -> LedgerReport {
    LedgerReport {
        meter: Ok(sample_meter()),
        reconciliation: None,
        spent: CreditsSpent::default(),
        readings: Vec::new(),
        usage: Vec::new(),
        latest_entries: Vec::new(),
    }
}

/// A triage whose result is unknown: of two signals one was applied.
fn interrupted() -> TestConsole {
    queue()
        .press("Space Space e")
        .fail_next(RequestError::new_ambiguous("connection reset"))
        .edit_rows(|rows| {
            let applied = rows
                .iter()
                .position(|row| row.signal.id == signal_id(1))
                .expect("the first signal");
            rows[applied].triage_status = Some(crate::domain::queue::TriageStatus::Done);
        })
}

/// The kind of a reply. A new one needs a call in `every_reply`.
pub fn reply_kind(reply: &Reply) -> &'static str {
    match reply {
        Reply::Connect(_) => "Connect",
        Reply::Workspace(_) => "Workspace",
        Reply::Credits(_) => "Credits",
        Reply::Ledger(_) => "Ledger",
        Reply::Budgets(_) => "Budgets",
        Reply::SavedState(_) => "SavedState",
        Reply::SavedSearch(_) => "SavedSearch",
        Reply::Journal(_) => "Journal",
        Reply::RecordedWork(_) => "RecordedWork",
        Reply::RecordHistory(_) => "RecordHistory",
        Reply::TextSaved(_) => "TextSaved",
        Reply::FileRead(_) => "FileRead",
        Reply::Members(_) => "Members",
        Reply::Subscriptions(_) => "Subscriptions",
        Reply::Invitations(_) => "Invitations",
        Reply::Queue(_) => "Queue",
        Reply::Feed(_) => "Feed",
        Reply::Signal(_) => "Signal",
        Reply::Record(_) => "Record",
        Reply::SearchPage(_) => "SearchPage",
        Reply::Fields(_) => "Fields",
        Reply::QuestionTranslated(_) => "QuestionTranslated",
        Reply::Views(_) => "Views",
        Reply::Favorites(_) => "Favorites",
        Reply::Skills(_) => "Skills",
        Reply::Skill(_) => "Skill",
        Reply::SkillText(_) => "SkillText",
        Reply::Exported(_) => "Exported",
        Reply::Written(_) => "Written",
        Reply::Triaged(_) => "Triaged",
    }
}
