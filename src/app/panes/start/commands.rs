//! The commands of the first screen: of its list, and of the form of a choice.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::start::StartPane;
use crate::app::panes::start::messages::ConnectRequest;
use crate::domain::certificate::CertificateChange;

type Row = PaneCommand<StartPane>;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::new("start.open", &["Enter"], "open", "open the selected choice, or its form", Scope::Start, |start, cx| {
        if !start.open_form() {
            start.connect(None, cx);
        }
    }),
    Row::new("start.down", &["Down", "j", "Tab"], "down", "select the next choice", Scope::Start, |start, _| start.step(true)),
    Row::new("start.up", &["Up", "k", "Shift-Tab"], "up", "select the previous choice", Scope::Start, |start, _| {
        start.step(false)
    }),
    Row::new("start.quit", &["q", "Esc"], "quit", "quit", Scope::Start, |_, cx| cx.emit(Effect::Quit)),
    Row::new(
        "start.form.continue",
        &["Enter"],
        "continue",
        "go to the next field; on the last one, open",
        Scope::StartForm,
        |start, cx| {
            if !start.go_to_next_field() {
                start.connect(None, cx);
            }
        },
    ),
    Row::new("start.form.next", &["Down", "Tab"], "next", "go to the next field", Scope::StartForm, |start, _| start.step(true)),
    Row::new(
        "start.form.previous",
        &["Up", "Shift-Tab"],
        "previous",
        "go to the previous field",
        Scope::StartForm,
        |start, _| {
            start.step(false);
        },
    ),
    Row::new("start.form.back", &["Esc"], "back", "go back to the list of choices", Scope::StartForm, |start, _| {
        start.leave_form()
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

    pub(super) fn connect(&mut self, accepted: Option<CertificateChange>, cx: &mut Context) {
        if self.is_connecting {
            return;
        }
        match self.connection_target(accepted) {
            Ok(target) => {
                self.error = None;
                self.is_connecting = true;
                cx.call_service(Slot::Connect, ServiceCall::Connect(target), ConnectRequest);
            }
            Err(missing) => self.error = Some(missing),
        }
    }
}
