//! The commands that work in every pane.

use std::borrow::Cow;

use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::snooze::NOW;
use crate::app::context::{clipboard, configuration, prices, promises, prompt, session};
use crate::app::effect::RecordKey;
use crate::app::outbox::LastAct;
use crate::app::outbox::undo_history::UndoStep;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::CommandPalette;
use crate::app::pane_command::ContextCommand;
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::app::panes::queue::messages::QueueAction;
use crate::app::price::Price;
use crate::app::{Context, Effect, Screen};
use crate::domain::queue::QueueTab;
use crate::text;

type Row = ContextCommand;

/// In the order of help.
pub const LIST_COMMANDS: &[Row] = &[
    Row::at("go.down", &shared::DOWN, |cx| {
        cx.work.perform(Action::MoveCursor(1))
    }),
    Row::at("go.up", &shared::UP, |cx| {
        cx.work.perform(Action::MoveCursor(-1))
    }),
    Row::new(
        "go.half.down",
        &["Ctrl-d"],
        "half page down",
        "go half a page down",
        |cx| cx.work.perform(Action::MoveByPages(1, 2)),
    ),
    Row::new(
        "go.half.up",
        &["Ctrl-u"],
        "half page up",
        "go half a page up",
        |cx| cx.work.perform(Action::MoveByPages(-1, 2)),
    ),
    Row::at("go.page.down", &shared::PAGE_DOWN, |cx| {
        cx.work.perform(Action::MoveByPages(1, 1))
    }),
    Row::at("go.page.up", &shared::PAGE_UP, |cx| {
        cx.work.perform(Action::MoveByPages(-1, 1))
    }),
    Row::at("go.first", &shared::FIRST, |cx| {
        cx.work.perform(Action::MoveCursor(isize::MIN))
    }),
    Row::at("go.last", &shared::LAST, |cx| {
        cx.work.perform(Action::MoveCursor(isize::MAX))
    }),
    Row::new(
        "find",
        &["/"],
        "find",
        "find words, /expressions/ and !exclusions in the loaded rows",
        |cx| cx.work.perform(Action::OpenFind),
    )
    .with_hint_text(16, |cx| cx.ui.focus.has_rows().is_ok().then_some("find")),
    Row::new(
        "find.next",
        &["n"],
        "next match",
        "go to the next match",
        |cx| cx.work.perform(Action::GoToMatch { is_forward: true }),
    )
    .available_when(|cx| prompt::can_repeat_find(&cx.ui, &cx.queue)),
    Row::new(
        "find.previous",
        &["N"],
        "previous match",
        "go to the previous match",
        |cx| cx.work.perform(Action::GoToMatch { is_forward: false }),
    )
    .available_when(|cx| prompt::can_repeat_find(&cx.ui, &cx.queue)),
    Row::new(
        "list.frequency",
        &["t"],
        "frequency",
        "count the values of a column of the loaded rows; filter or group by them, free",
        |cx| cx.work.perform(Action::OpenFrequency),
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.right",
        &[")"],
        "columns right",
        "scroll the columns to the right; the name stays",
        |cx| cx.work.perform(Action::ScrollColumns { is_right: true }),
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.left",
        &["("],
        "columns left",
        "scroll the columns to the left",
        |cx| cx.work.perform(Action::ScrollColumns { is_right: false }),
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.wrap",
        &["w"],
        "wrap",
        "show the long cells of the row under the cursor in full, or cut them",
        Context::toggle_wrap,
    ),
];

pub const COMMANDS: &[Row] = &[
    Row::at("tab.next", &shared::NEXT_TAB, |cx| {
        cx.work.perform(Action::SwitchTab { forward: true })
    }),
    Row::at("tab.previous", &shared::PREVIOUS_TAB, |cx| {
        cx.work.perform(Action::SwitchTab { forward: false })
    }),
    Row::new(
        "undo",
        &["z"],
        "undo",
        "undo the last change and show what it was",
        Context::undo,
    )
    .with_immediate_write()
    .with_hint(19)
    .deferred_while(Context::is_busy)
    .acts_locally()
    .with_price("1 cr a record whose annotation changes", |cx| {
        prices::replay_price(cx.outbox.history.done.last(), &cx.outbox)
    })
    .available_when(can_undo),
    Row::new(
        "redo",
        &["Z"],
        "redo",
        "redo the change that was undone",
        Context::redo,
    )
    .with_immediate_write()
    .deferred_while(Context::is_busy)
    .acts_locally()
    .with_price("1 cr a record whose annotation changes", |cx| {
        prices::replay_price(cx.outbox.history.undone.last(), &cx.outbox)
    })
    .available_when(can_redo),
    Row::new(
        "undo.list",
        &["g u"],
        "undo list",
        "list what can be undone and what undoing it would do now",
        Context::open_undo_list,
    ),
    Row::new(
        "failures",
        &["g !"],
        "failures",
        "list what failed in this session, and retry it",
        Context::open_failure_list,
    ),
    Row::new(
        "journal",
        &["g l"],
        "journal",
        "list what this machine wrote, and copy lines as commands",
        Context::open_journal,
    ),
    Row::new(
        "repeat",
        &["."],
        "repeat",
        "repeat the last action on the marked or current row: a snooze at once, an annotation with \
         its form, filled in; what is for everyone asks first",
        repeat_last_act,
    )
    .with_cost("as the action that it repeats")
    .with_write()
    .acts_locally()
    .available_when(can_repeat),
    Row::at("refresh", &shared::REFRESH, refresh_queue)
        .with_description("refresh the queue and its counts"),
    Row::at("source.open", &shared::SOURCE, open_source)
        .with_hint(22)
        .available_when(has_source),
    Row::at("help", &shared::HELP, |cx| {
        cx.ui.overlay = Some(Overlay::Palette(CommandPalette::for_help(
            cx.ui.focus.scope(),
            &cx.keymap,
            cx.taught_commands(),
        )));
    })
    .with_hint(30),
    Row::new(
        "palette",
        &[":", "Ctrl-p"],
        "palette",
        "run a command, with its argument; find Views, records and members by name",
        Context::open_palette,
    )
    .with_hint(31),
    Row::new("go.queue", &["1"], "Queue", "go to the queue", |cx| {
        cx.work.perform(Action::GoTo(Screen::Queue))
    }),
    Row::new(
        "go.views",
        &["2"],
        "Saved",
        "go to the Views and what you saved",
        |cx| cx.work.perform(Action::GoTo(Screen::Views)),
    ),
    Row::new("go.book", &["3"], "Book", "go to the book", |cx| {
        cx.work.perform(Action::GoTo(Screen::Book))
    }),
    Row::new(
        "go.explore",
        &["5"],
        "Explore",
        "go to Explore: search the whole index",
        |cx| cx.work.perform(Action::GoTo(Screen::Explore)),
    ),
    Row::new(
        "go.subscriptions",
        &["4"],
        "Subs",
        "go to subscriptions",
        |cx| cx.work.perform(Action::GoTo(Screen::Subscriptions)),
    ),
    Row::new("go.team", &["6"], "Team", "go to the team", |cx| {
        cx.work.perform(Action::GoTo(Screen::Team))
    }),
    Row::new("go.skills", &["7"], "Skills", "go to Skills", |cx| {
        cx.work.perform(Action::GoTo(Screen::Skills))
    }),
    Row::new(
        "go.credits",
        &["8"],
        "Credits",
        "go to credits: spending and budgets",
        |cx| cx.work.perform(Action::GoTo(Screen::Credits)),
    ),
    Row::new(
        "go.watch",
        &["9"],
        "Watch",
        "go to the Watch dashboard",
        |cx| cx.work.perform(Action::GoTo(Screen::Watch)),
    ),
    Row::new(
        "go.new",
        &["g n"],
        "what is new",
        "go to the first signal that came since your last visit; n and N walk the others",
        Context::go_to_news,
    ),
    Row::new(
        "promise",
        &["H"],
        "promise",
        "promise something for the record on a day: it comes back then, for everyone",
        Context::ask_promise,
    )
    .with_price("1 cr a record in the book", |cx| {
        promises::new_promise_price(&cx.ui, &cx.records)
    })
    .with_write()
    .available_when(promises::can_promise),
    Row::new(
        "today",
        &["'"],
        "today",
        "show what is due today, what was promised and what is snoozed",
        promises::show_today,
    ),
    Row::new(
        "go.before",
        &["`"],
        "back",
        "go back to the place before: a screen, a View, a record or a signal",
        |cx| cx.go_along_trail(false),
    )
    .available_when(|cx| cx.can_go_along_trail(false)),
    Row::new(
        "go.forward",
        &["~"],
        "forward",
        "go forward to where you came back from",
        |cx| cx.go_along_trail(true),
    )
    .available_when(|cx| cx.can_go_along_trail(true)),
    Row::new(
        "go.visited",
        &["g v"],
        "visited",
        "list the visited places, to go to one",
        Context::list_places,
    ),
    Row::at("go.project", &shared::PROJECT, open_project_page)
        .with_price("1 cr once per project", |cx| {
            let project = cx.current_signal().and_then(|row| row.signal.project_id);
            project.map_or(Price::Free, |project| {
                cx.records.record_price(RecordKey::of_project(project))
            })
        })
        .available_when(has_signal),
];

/// The commands of the console itself.
pub const CONSOLE_COMMANDS: &[Row] = &[
    Row::at("back", &shared::BACK, |cx| cx.work.perform(Action::GoBack))
        .with_words("back", "close, unmark or go back; never quits")
        .with_hint_text(23, |cx| {
            (cx.ui.screen() == Screen::Watch && !cx.session.is_dashboard_only).then_some("leave")
        }),
    Row::new(
        "close",
        &["q"],
        "close",
        "close this screen, or quit on the first",
        |cx| cx.work.perform(Action::CloseScreen),
    ),
    Row::new(
        "cancel",
        &["Ctrl-c"],
        "cancel",
        "cancel what is running; press twice to quit",
        |cx| cx.work.perform(Action::CancelRunning),
    ),
    Row::new(
        "suspend",
        &["Ctrl-z"],
        "suspend",
        "suspend; fg resumes",
        |cx| cx.work.emit(Effect::Suspend),
    ),
    Row::new("redraw", &["Ctrl-l"], "redraw", "redraw the screen", |cx| {
        cx.work.emit(Effect::Repaint)
    }),
    Row::new(
        "pane.enlarge",
        &["|"],
        "enlarge",
        "make the focused pane larger, then give it the whole screen, then go back",
        |cx| cx.ui.notice = Some(cx.frame.enlarge_pane()),
    ),
    Row::new(
        "blank",
        &["_"],
        "blank",
        "blank the screen until a key is pressed",
        |cx| cx.frame.blank_screen(),
    ),
    Row::new(
        "profile",
        &[],
        "profile",
        "switch to another profile; the console starts again",
        |cx| {
            cx.work.perform(Action::ChooseProfile);
        },
    ),
    Row::new(
        "program.output",
        &[],
        "last output",
        "show what the last program of a custom command wrote",
        |cx| cx.programs.show_program_output(&mut cx.ui),
    )
    .available_when(|cx| cx.programs.has_program_output()),
    Row::new(
        "config.reload",
        &[],
        "reload",
        "apply the changed configuration without a restart",
        |cx| configuration::reload_configuration(&mut cx.work),
    ),
    Row::new(
        "config.edit",
        &[],
        "config",
        "edit the configuration in your own editor, and then apply it",
        |cx| configuration::edit_configuration(&mut cx.work),
    ),
    Row::new("theme", &[], "colors", "choose a color theme", |cx| {
        session::open_theme_picker(&mut cx.ui, &cx.settings)
    }),
    Row::new(
        "mouse",
        &["%"],
        "mouse",
        "hand the mouse to the terminal, or take it back",
        Context::toggle_mouse,
    ),
];

fn can_undo(cx: &Context) -> Availability {
    can_replay(
        cx,
        cx.outbox
            .offline
            .waiting()
            .last()
            .or(cx.outbox.history.done.last()),
        "nothing to undo",
    )
}

fn can_redo(cx: &Context) -> Availability {
    can_replay(cx, cx.outbox.history.undone.last(), "nothing to redo")
}

/// Snoozes are on this machine only: without permission to write they can be replayed too.
fn can_replay(cx: &Context, step: Option<&UndoStep>, otherwise: &'static str) -> Availability {
    match step {
        Some(step) if step.group.is_none() && !step.snoozes().is_empty() => Ok(()),
        _ => {
            cx.team.can_write(&cx.session)?;
            step.map(|_| ()).ok_or_else(|| otherwise.into())
        }
    }
}

/// What repeats the last action here; if nothing does, why.
fn repeat_action(cx: &Context) -> Result<Action, Cow<'static, str>> {
    let id = match &cx.outbox.last_act {
        None => return Err("nothing to repeat yet".into()),
        Some(LastAct::Snooze(until)) => {
            return match cx.ui.focus.scope() {
                Scope::Queue | Scope::Detail => Ok(QueueAction::Snooze(until.clone()).into()),
                _ => Err("no signals here".into()),
            };
        }
        Some(LastAct::EndSnooze)
            if cx.queue.tab == QueueTab::Today && cx.ui.focus.scope() == Scope::Queue =>
        {
            return Ok(QueueAction::Snooze(NOW.to_owned()).into());
        }
        Some(LastAct::EndSnooze) => return Err("these signals are not snoozed".into()),
        Some(LastAct::Triage(tab)) => match (cx.ui.focus.scope(), tab) {
            (Scope::Queue, QueueTab::New | QueueTab::Today) => "queue.done",
            (Scope::Queue, QueueTab::Done) => "queue.new",
            (Scope::Detail, QueueTab::New | QueueTab::Today) => "detail.done",
            (Scope::Detail, QueueTab::Done) => "detail.new",
            _ => return Err("no signals here".into()),
        },
        Some(LastAct::Command("form.apply")) => {
            cx.team.can_write(&cx.session)?;
            let is_here = cx
                .ui
                .focus
                .scope()
                .lookup_chain()
                .contains(&Scope::Annotate)
                && cx.has_chosen_record();
            return if is_here {
                Ok(AnnotationAction::Repeat.into())
            } else {
                Err("there is no record here".into())
            };
        }
        Some(LastAct::Command("annotate.call" | "annotate.call.repeat")) => "annotate.call.repeat",
        Some(LastAct::Command(id)) => *id,
    };
    cx.team.can_write(&cx.session)?;
    match cx.keymap.commands().find(|command| command.id == id) {
        Some(command) if cx.ui.focus.scope().includes(command) => {
            Ok(Action::ConfirmCommand(command))
        }
        Some(command) => Err(format!("“{}” does not work here", command.title).into()),
        None => Err("nothing to repeat yet".into()),
    }
}

fn can_repeat(cx: &Context) -> Availability {
    repeat_action(cx).map(|_| ())
}

/// Repeats the last action on the marked or current rows: with the form or question that it usually
/// has, and with a question before it writes for everyone.
fn repeat_last_act(cx: &mut Context) {
    if let Ok(action) = repeat_action(cx) {
        cx.work.perform(action);
    }
}

fn refresh_queue(cx: &mut Context) {
    cx.queue.restart_reads();
    cx.queue.allow_retry();
    cx.work.emit(Effect::Poll);
    if !cx.session.is_dashboard_only {
        cx.request_header_data();
    }
}

pub(super) fn has_signal(cx: &Context) -> Availability {
    require(cx.current_signal().is_some(), "no signal here")
}

pub(super) fn has_source(cx: &Context) -> Availability {
    check_web_page(
        cx.current_signal()
            .ok_or("no signal here")?
            .signal
            .source_url
            .as_deref(),
    )
}

/// Whether a signal's link can be opened: web pages only, whatever the filing says.
pub(in crate::app) fn check_web_page(url: Option<&str>) -> Availability {
    match url {
        None => Err("this signal has no web page".into()),
        Some(url) if text::web_page_host(url).is_some() => Ok(()),
        Some(_) => Err("this signal's link is not an http or https URL".into()),
    }
}

fn open_source(cx: &mut Context) {
    if let Some(url) = cx
        .current_signal()
        .and_then(|row| row.signal.source_url.clone())
    {
        clipboard::open_web_page(url, &mut cx.ui, &mut cx.work);
    }
}

fn open_project_page(cx: &mut Context) {
    let Some(signal) = cx.current_signal().map(|row| &row.signal) else {
        return;
    };
    let Some(project) = signal.project_id else {
        return;
    };
    let name = signal.project_label().to_owned();
    cx.work
        .perform(Action::OpenRecord(RecordKey::of_project(project), name));
}
