//! A walk over all questions and choices: no key that is pressed once too often, and no text that
//! is typed into one, does harm.

use std::collections::BTreeSet;

use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::msg::{ConnectReply, EditorPurpose, Msg, Push, Reply};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::panes::all_commands;
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::app::panes::credits::messages::CreditsAction;
use crate::app::panes::explore::messages::ExploreAction;
use crate::app::panes::import::messages::ImportAction;
use crate::app::panes::messages::PaneAction;
use crate::app::panes::skills::messages::SkillsAction;
use crate::app::panes::subscriptions::messages::SubscriptionsAction;
use crate::app::testing::fake_service::account_id;
use crate::app::testing::{TestConsole, many_rows, morning_queue};
use crate::app::{AppSettings, ConsoleSession};
use crate::domain::budgets::Budgets;
use crate::domain::certificate::{CertificateChange, Fingerprint};
use crate::domain::members::{MemberAction, Role};
use crate::domain::request_error::RequestError;
use crate::domain::writes::WriteOp;

/// What somebody goes on typing after a question has opened.
const TYPED: &str = "Call list for Friday, quickly, says Jack: yes";

fn queue() -> TestConsole {
    TestConsole::with_rows(morning_queue())
}

fn annotated() -> TestConsole {
    TestConsole::at_scope(Scope::Book)
        .press("a s")
        .type_text("called")
}

fn over_budget() -> TestConsole {
    let budgets = Budgets {
        soft_session: Some(10),
        ..Budgets::default()
    };
    let settings = AppSettings {
        budgets,
        ..AppSettings::default()
    };
    TestConsole::with_size(morning_queue(), (120, 36), settings)
        .poll()
        .serve()
        .press("3")
        .serve()
        .press("Enter")
}

fn unknown_certificate() -> TestConsole {
    let session = ConsoleSession {
        label: String::new(),
        connected: false,
        read_only: false,
        is_dashboard_only: false,
    };
    let console = TestConsole::with_session(session, Vec::new(), (120, 36), AppSettings::default());
    let console = console
        .press("j j j Enter")
        .type_text("192.168.1.20:8484")
        .press("Enter")
        .type_text("gk_1");
    console
        .press("Enter Enter")
        .answer_next(Ok(Reply::Connect(ConnectReply::UnknownCertificate {
            change: CertificateChange {
                new: Some(Fingerprint([171; 32])),
                pinned: None,
            },
            reason: "this machine does not trust it".to_owned(),
        })))
}

/// An undo that would overwrite what a colleague wrote since.
fn overtaken_undo() -> TestConsole {
    let mut console = annotated().press("Ctrl-s Ctrl-s").serve();
    for firm in 0..8 {
        if let Some(record) = console.service.book.get_mut(&account_id(firm)) {
            record.insert("workspace_status".into(), "won".into());
        }
    }
    console.restart().press("z Enter").serve()
}

/// The questions that take more than one key, each where it is open.
fn questions() -> Vec<(&'static str, TestConsole)> {
    let at = TestConsole::at_scope;
    let skill = "=== skill\nname: First call\naudience: workspace\ndescription: How we open\n=== file: SKILL.md\nHello.\n";
    let named = |keys: &str| {
        at(Scope::Results)
            .press(keys)
            .type_text("Call list Friday")
            .press("Enter")
    };
    let saved = at(Scope::Results)
        .press("S")
        .type_text("One")
        .press("Enter Tab E Ctrl-u")
        .type_text("city=Dallas")
        .press("Enter");
    vec![
        (
            "Mark 300 signals done?",
            TestConsole::with_rows(many_rows(300))
                .press("* A")
                .serve()
                .press("e"),
        ),
        (
            "Load all rows?",
            TestConsole::with_rows(many_rows(5_000)).press("* A"),
        ),
        (
            "Quit?",
            queue()
                .press("e")
                .fail_next(RequestError::new_not_sent("connection refused"))
                .press("q"),
        ),
        ("Quit?", at(Scope::Subscriptions).press("1 q")),
        (
            "Delete the tab",
            queue()
                .press("& &")
                .type_text("cost>=5m")
                .press("Enter S Enter D"),
        ),
        (
            "No journal",
            queue().send(Msg::Pushed(Push::JournalFailed(
                "no state directory".to_owned(),
            ))),
        ),
        ("Over your budget?", over_budget()),
        (
            "Discard staged changes?",
            at(Scope::Subscriptions).press("Esc"),
        ),
        (
            "Unsubscribe for everyone?",
            queue().press("4").serve().press("D Ctrl-s").serve(),
        ),
        (
            "Priority of 2 types",
            at(Scope::Subscriptions).press("B Space Down Space Enter"),
        ),
        ("Discard what you typed?", annotated().press("Ctrl-x")),
        ("Unsaved drafts", annotated().press("Esc g t")),
        (
            "Invite new@example.com as",
            at(Scope::Team)
                .press("i")
                .type_text("new@example.com")
                .press("Enter"),
        ),
        (
            "Send?",
            at(Scope::Skills).press("A").send(Msg::EditorClosed(
                EditorPurpose::Skills,
                Ok(skill.to_owned()),
            )),
        ),
        ("Create the Dynamic View Call list Friday", named("A Enter")),
        (
            "Replace the saved search One?",
            saved.press("S").type_text("One").press("Enter"),
        ),
        ("Accept this certificate", unknown_certificate()),
        (
            "undo?",
            annotated()
                .press("Ctrl-s Ctrl-s")
                .serve()
                .restart()
                .press("z"),
        ),
        ("undo?", overtaken_undo()),
    ]
}

fn open_choice(console: &TestConsole) -> Option<&Choice> {
    match &console.context().ui.overlay {
        Some(Overlay::Choice(choice)) => Some(choice),
        _ => None,
    }
}

/// The choices that a single command opens, by its id.
fn choices_of_commands() -> Vec<(&'static str, TestConsole)> {
    let keymap = queue().context().keymap.clone();
    let open = |id: &'static str, scope: Scope| {
        let keys = keymap.key_names(id).into_iter().next()?;
        let console = TestConsole::at_scope(scope).press(&keys).serve();
        open_choice(&console).is_some().then_some((id, console))
    };
    all_commands()
        .filter(|row| !row.scope.is_dialog())
        .filter_map(|row| open(row.id, row.scope))
        .collect()
}

/// What an answer may do without a second thought: nothing is lost, overwritten or spent, and what
/// it writes can be undone.
fn is_harmless(option: &ChoiceOption) -> bool {
    let is_harmless_write = |op: &WriteOp| matches!(op, WriteOp::Team(MemberAction::Invite { .. }));
    match &option.action {
        Action::Decline
        | Action::ShowUnavailable(_)
        | Action::ChooseExportPath(..)
        | Action::ChooseShownExportPath(_)
        | Action::SetTheme(_)
        | Action::SetCustomTheme(_)
        | Action::SetPollInterval(_)
        | Action::SwitchProfile(_)
        | Action::Revisit(_)
        | Action::CopyValues(..)
        | Action::CreateView(..)
        // A list of commands.
        | Action::RunCommand("feed.type")
        | Action::WriteOrConfirm { .. }
        | Action::RefreshRecords(..) => true,
        // They were asked for. Everything is read before, at a price that is named, and what a
        // colleague wrote stops them.
        Action::ReadRecordsThen(..) | Action::Undo(_) | Action::Redo(_) => option.label.starts_with("read "),
        Action::Write(_, changes) => changes.iter().all(|change| is_harmless_write(&change.forward)),
        Action::Pane(PaneAction::AnnotationForm(action)) => matches!(action, AnnotationAction::Resume(_)),
        Action::Pane(PaneAction::Credits(action)) => matches!(action, CreditsAction::EditBudget(_)),
        Action::Pane(PaneAction::Explore(action)) => {
            matches!(action, ExploreAction::NameView | ExploreAction::SetSort(_))
        }
        Action::Pane(PaneAction::Import(action)) => {
            matches!(action, ImportAction::Choose { .. } | ImportAction::EditWords)
        }
        Action::Pane(PaneAction::Skills(action)) => matches!(action, SkillsAction::Compare(..) | SkillsAction::SetAudience(_)),
        Action::Pane(PaneAction::Subscriptions(action)) => matches!(
            action,
            SubscriptionsAction::StagePriority(..) | SubscriptionsAction::ChooseAllMembers { .. }
        ),
        Action::Pane(PaneAction::Watch(_) | PaneAction::Views(_)) => true,
        _ => false,
    }
}

#[test]
fn the_preselected_answer_never_does_harm_and_there_is_always_another_one() {
    let mut titles = BTreeSet::new();
    for (name, console) in questions().into_iter().chain(choices_of_commands()) {
        let choice = open_choice(&console)
            .unwrap_or_else(|| panic!("{name} is not open: {}", console.screen_text()));
        let preselected = &choice.options[choice.selected];
        assert!(
            is_harmless(preselected),
            "{name}: {} is preselected in {choice:?}",
            preselected.label
        );
        let is_asked = choice.options.iter().any(|option| !is_harmless(option));
        assert!(
            !is_asked || choice.options.len() > 1,
            "{name} leaves no choice: {choice:?}"
        );
        titles.insert(choice.title.clone());
    }
    for (name, console) in questions() {
        let title = open_choice(&console)
            .map(|choice| choice.title.clone())
            .unwrap_or_default();
        assert!(title.starts_with(name), "{name} opened {title}");
    }
    assert!(titles.len() > 35, "{titles:#?}");
}

#[test]
fn letters_that_are_typed_into_a_question_answer_nothing() {
    for (name, console) in questions().into_iter().chain(choices_of_commands()) {
        let before = (
            console.effects.len(),
            console.calls.len(),
            open_choice(&console).map(|choice| choice.title.clone()),
        );
        let console = console.type_text(TYPED);
        let after = (
            console.effects.len(),
            console.calls.len(),
            open_choice(&console).map(|choice| choice.title.clone()),
        );
        assert_eq!(after, before, "{name}: {}", console.screen_text());
    }
}

#[test]
fn enter_after_a_text_that_is_no_answer_answers_nothing_and_says_so() {
    for (name, console) in questions().into_iter().chain(choices_of_commands()) {
        let before = (
            console.effects.len(),
            console.calls.len(),
            open_choice(&console).map(|choice| choice.title.clone()),
        );
        let console = console.type_text(TYPED).press("Enter");
        let after = (
            console.effects.len(),
            console.calls.len(),
            open_choice(&console).map(|choice| choice.title.clone()),
        );
        assert_eq!(after, before, "{name}: {}", console.screen_text());
        assert!(
            console.notice_text().contains(TYPED),
            "{name}: {}",
            console.notice_text()
        );
    }
}

#[test]
fn a_whole_word_or_as_much_as_one_answer_begins_with_selects_it() {
    let new_after = |text: &str| {
        let console = TestConsole::with_rows(many_rows(60))
            .press("* A")
            .serve()
            .press("e")
            .type_text(text)
            .press("Enter");
        console.serve().service_new_count()
    };
    assert_eq!(
        (
            new_after("y"),
            new_after("yes"),
            new_after("n"),
            new_after("yesterday")
        ),
        (0, 0, 60, 60)
    );
    let role = |text: &str| {
        let console = queue()
            .press("6")
            .serve()
            .press("G m")
            .type_text(text)
            .press("Enter")
            .serve();
        console.workspace.members[2].role.clone()
    };
    assert_eq!(
        ["adm", "admin", "administrator"].map(role),
        [Role::Admin, Role::Admin, Role::Member].map(Some)
    );
}

#[test]
fn a_second_enter_on_a_question_loses_nothing() {
    let console = TestConsole::at_scope(Scope::Subscriptions).press("Esc Enter");
    assert!(
        console.screen_text().contains("1 staged"),
        "{}",
        console.screen_text()
    );
    let console = console.press("Esc").type_text("yes").press("Enter");
    assert!(
        !console.screen_text().contains("1 staged"),
        "{}",
        console.screen_text()
    );
}

#[test]
fn a_question_says_how_it_is_answered_before_and_after_the_letter() {
    let console = TestConsole::with_rows(many_rows(60))
        .press("* A")
        .serve()
        .press("e");
    let screen = console.screen_text();
    assert!(screen.contains("type y or n, then Enter"), "{screen}");
    let screen = console.press("y").screen_text();
    assert!(screen.contains("y   type y or n, then Enter"), "{screen}");
}
