//! The first screen, when nothing is configured: the demo, a local file, a join code, or a sign-in to a service.

pub(crate) mod commands;
mod draw;
pub(in crate::app) mod messages;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::app::effect::ConnectTarget;
use crate::app::layout::FrameLayout;
use crate::app::msg::Reply;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::pane::Pane;
use crate::app::panes::start::messages::{ConnectRequest, StartAction};
use crate::app::secret::Secret;
use crate::domain::certificate::CertificateChange;
use crate::domain::join_code::JoinCode;
use crate::domain::request_error::RequestError;
use crate::ui::panel;
use crate::ui::text_input::{PasteTooLong, TextInput};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StartChoice {
    /// In-memory sample data.
    #[default]
    Demo,
    /// A local database file.
    Local,
    /// The service of a join code.
    Join,
    /// A remote service.
    Service,
}

const START_CHOICES: [StartChoice; 4] = [StartChoice::Demo, StartChoice::Local, StartChoice::Join, StartChoice::Service];

#[derive(Clone, Debug)]
pub struct StartPane {
    choice: StartChoice,
    /// The focused field, if the choice's form is open.
    field: Option<usize>,
    path: TextInput,
    /// Join code and name.
    join: [TextInput; 2],
    /// Address, token and workspace of the service.
    service: [TextInput; 3],
    error: Option<String>,
    is_connecting: bool,
}

impl Default for StartPane {
    fn default() -> Self {
        StartPane {
            choice: StartChoice::Demo,
            field: None,
            path: TextInput::with_selected_text("gantry.db"),
            join: [TextInput::new_secret(), TextInput::default()],
            service: [TextInput::with_selected_text("https://"), TextInput::new_secret(), TextInput::default()],
            error: None,
            is_connecting: false,
        }
    }
}

impl StartPane {
    /// Takes the name of what was opened. If nothing was, the typed text stays.
    pub fn on_reply(&mut self, _: ConnectRequest, result: Result<Reply, RequestError>, cx: &mut Context) {
        self.is_connecting = false;
        match result {
            Ok(Reply::Connected(service)) => cx.start_session(service),
            Ok(Reply::UnknownCertificate { change, reason }) => {
                let text = describe_certificate_change(change, &reason);
                let accept = StartAction::AcceptCertificate(change).into();
                cx.overlay = Some(Overlay::Choice(Choice::confirm_write("accept this certificate from now on", text, accept)));
            }
            Ok(_) => self.error = Some(RequestError::new_ambiguous("unexpected response").message),
            Err(failure) => self.error = Some(failure.message),
        }
    }

    pub fn perform(&mut self, StartAction::AcceptCertificate(change): StartAction, cx: &mut Context) {
        self.connect(Some(change), cx);
    }

    /// The current choice's fields.
    fn fields(&mut self) -> &mut [TextInput] {
        match self.choice {
            StartChoice::Demo => &mut [],
            StartChoice::Local => std::slice::from_mut(&mut self.path),
            StartChoice::Join => &mut self.join,
            StartChoice::Service => &mut self.service,
        }
    }

    fn focused_field(&mut self) -> Option<&mut TextInput> {
        self.field.and_then(|at| self.fields().get_mut(at))
    }

    /// Goes to the next or previous field, or choice where no form is open.
    fn step(&mut self, forward: bool) {
        let len = if self.field.is_some() { self.fields().len() } else { START_CHOICES.len() };
        let steps = if forward { 1 } else { len.saturating_sub(1) };
        match self.field {
            Some(at) => self.field = Some((at + steps) % self.fields().len().max(1)),
            None => {
                let at = START_CHOICES.iter().position(|choice| *choice == self.choice).unwrap_or(0);
                self.choice = START_CHOICES[(at + steps) % START_CHOICES.len()];
            }
        }
    }

    /// The connection to open, with the certificate that the user accepted, or what is missing.
    fn connection_target(&self, accepted: Option<CertificateChange>) -> Result<ConnectTarget, String> {
        match self.choice {
            StartChoice::Demo => Ok(ConnectTarget::Demo),
            StartChoice::Local if self.path.text().trim().is_empty() => {
                Err("Enter a file name: one created by gantry import, gantry team up or gantry serve.".to_owned())
            }
            StartChoice::Local => Ok(ConnectTarget::Local(self.path.text().trim().into())),
            StartChoice::Join => {
                let [code, name] = self.join.each_ref().map(|field| field.text().trim().to_owned());
                JoinCode::parse(&code).map_err(|error| error.to_string())?;
                Ok(ConnectTarget::Join { code: Secret(code), name, accepted })
            }
            StartChoice::Service => {
                let [base_url, token, workspace] = self.service.each_ref().map(|field| field.text().trim().to_owned());
                let base_url = if base_url.contains("://") { base_url } else { format!("https://{base_url}") };
                match base_url.split_once("://") {
                    Some(("https" | "http", host)) if !host.is_empty() => {}
                    _ => return Err("Enter the service's address: https://HOST, or http://HOST on this machine.".to_owned()),
                }
                if token.is_empty() {
                    return Err("Paste your token: an API key or a user token.".to_owned());
                }
                if !workspace.is_empty() && workspace.parse::<crate::domain::WorkspaceId>().is_err() {
                    return Err("The workspace id must be a UUID. Leave it empty if you do not know it.".to_owned());
                }
                Ok(ConnectTarget::Service { base_url, token: Secret(token), workspace, accepted })
            }
        }
    }
}

/// What a person has to know before a certificate is accepted.
fn describe_certificate_change(change: CertificateChange, reason: &str) -> String {
    let new = change.new.map_or_else(|| "any that this machine trusts".to_owned(), |new| new.to_string());
    match change.pinned {
        None => format!(
            "The token was not sent: {reason}.\n\nIts fingerprint is\n{new}\n\n\
             Compare it with the one that gantry serve printed there."
        ),
        Some(pinned) => format!(
            "Nothing was sent: {reason}.\n\nUntil now it was\n{pinned}\n\nThe new one is\n{new}\n\n\
             Unless whoever runs the service confirms the new one, somebody may be intercepting the connection."
        ),
    }
}

impl Pane for StartPane {
    /// In an open form, characters are text; on the list of choices, they are keys.
    fn scope(&self, _cx: &Context) -> Scope {
        if self.field.is_some() { Scope::StartForm } else { Scope::Start }
    }

    fn layout(&mut self, areas: &mut FrameLayout, _body: Rect, _cx: &mut Context) {
        areas.panel = panel::centered_rect(areas.frame, 72, 22);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) {
        self.draw_with_cursor(cx, buf);
    }

    fn draw_with_cursor(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf)
    }

    fn type_key(&mut self, key: Key) {
        if let Some(field) = self.focused_field() {
            field.handle_key(key.to_event());
        }
    }

    fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        Some(self.focused_field()?.paste(text.trim()))
    }
}
