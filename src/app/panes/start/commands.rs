//! The commands of the first screen: of its list, and of the form of a choice.

use super::StartPane;
use crate::app::App;
use crate::app::command::{AppCommand, Scope};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::requests::Request;

/// In the order of help.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new("start.open", &["Enter"], "open", "open the selected choice, or its form", Scope::Start, |app| {
        if !app.start.open_form() {
            connect(app);
        }
    }),
    AppCommand::new("start.down", &["Down", "j", "Tab"], "down", "select the next choice", Scope::Start, |app| {
        app.start.step(true)
    }),
    AppCommand::new("start.up", &["Up", "k", "Shift-Tab"], "up", "select the previous choice", Scope::Start, |app| {
        app.start.step(false)
    }),
    AppCommand::new("start.quit", &["q", "Esc"], "quit", "quit", Scope::Start, |app| app.effects.push(Effect::Quit)),
    AppCommand::new(
        "start.form.continue",
        &["Enter"],
        "continue",
        "go to the next field; on the last one, open",
        Scope::StartForm,
        |app| {
            if !app.start.go_to_next_field() {
                connect(app);
            }
        },
    ),
    AppCommand::new("start.form.next", &["Down", "Tab"], "next", "go to the next field", Scope::StartForm, |app| {
        app.start.step(true)
    }),
    AppCommand::new(
        "start.form.previous",
        &["Up", "Shift-Tab"],
        "previous",
        "go to the previous field",
        Scope::StartForm,
        |app| {
            app.start.step(false);
        },
    ),
    AppCommand::new("start.form.back", &["Esc"], "back", "go back to the list of choices", Scope::StartForm, |app| {
        app.start.leave_form()
    }),
];

impl StartPane {
    /// Opens the form of the choice; false when it has none.
    fn open_form(&mut self) -> bool {
        self.field = (!self.fields().is_empty()).then_some(0);
        self.field.is_some()
    }

    /// False on the last field.
    fn go_to_next_field(&mut self) -> bool {
        let next = self.field.map_or(0, |at| at + 1);
        let exists = next < self.fields().len();
        if exists {
            self.field = Some(next);
        }
        exists
    }

    fn leave_form(&mut self) {
        self.field = None;
        self.error = None;
    }
}

fn connect(app: &mut App) {
    if app.start.is_connecting {
        return;
    }
    match app.start.connection_target() {
        Ok(target) => {
            app.start.error = None;
            app.start.is_connecting = true;
            app.call_service(Slot::Connect, ServiceCall::Connect(target), Request::Connect);
        }
        Err(missing) => app.start.error = Some(missing),
    }
}
