//! The commands of the first screen: of its list, and of the form of a choice.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::start::messages::ConnectRequest;
use crate::app::panes::start::{StartChoice, StartPane};
use crate::domain::certificate::CertificateChange;

type Row = PaneCommand<StartPane>;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("start.open", &shared::ACCEPT, |start, cx| {
        if !start.open_form() {
            start.connect(None, cx);
        }
    }),
    Row::at("start.down", &shared::DOWN, |start, _| start.step(true))
        .with_keys(&["Down", "j", "Tab"]),
    Row::at("start.up", &shared::UP, |start, _| start.step(false)).with_keys(&[
        "Up",
        "k",
        "Shift-Tab",
    ]),
    Row::new("start.quit", &["q", "Esc"], "quit", "quit", |_, cx| {
        cx.work.emit(Effect::Quit)
    }),
];

pub const FORM_COMMANDS: &[Row] = &[
    Row::at("start.form.continue", &shared::ACCEPT, |start, cx| {
        if !start.go_to_next_field() {
            start.connect(None, cx);
        }
    }),
    Row::at("start.form.next", &shared::DOWN, |start, _| {
        start.step(true)
    })
    .with_keys(&["Down", "Tab"])
    .with_description("go to the next field"),
    Row::at("start.form.previous", &shared::UP, |start, _| {
        start.step(false);
    })
    .with_keys(&["Up", "Shift-Tab"]),
    Row::at("start.form.back", &shared::BACK, |start, _| {
        start.leave_form()
    }),
];

impl StartPane {
    /// Opens the form of the choice; false when it has none.
    fn open_form(&mut self) -> bool {
        self.field = (!self.fields().is_empty()).then_some(0);
        self.field.is_some()
    }

    /// False on the last field. A code that is wrong holds the cursor: it cannot be read to find
    /// out later.
    fn go_to_next_field(&mut self) -> bool {
        let at = self.field.unwrap_or_default();
        let is_code = self.choice == StartChoice::Join && at == 0;
        self.error = self.field_problem(at).filter(|_| is_code);
        let has_next = at + 1 < self.fields().len();
        if has_next && self.error.is_none() {
            self.field = Some(at + 1);
        }
        has_next
    }

    fn leave_form(&mut self) {
        self.field = None;
        self.error = None;
    }

    pub(super) fn connect(&mut self, accepted: Option<CertificateChange>, cx: &mut Context) {
        if self.is_connecting {
            return;
        }
        let problem = (0..self.fields().len()).find_map(|at| Some((at, self.field_problem(at)?)));
        self.is_connecting = problem.is_none();
        match problem {
            Some((at, problem)) => (self.field, self.error) = (Some(at), Some(problem)),
            None => {
                self.error = None;
                let target = self.connection_target(accepted);
                cx.work
                    .call_service(Slot::Connect, ServiceCall::Connect(target), ConnectRequest);
            }
        }
    }
}
