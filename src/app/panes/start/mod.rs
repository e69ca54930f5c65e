//! The first screen, when nothing is configured: the demo, a local file, a join code, or a sign-in
//! to a service.

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
use crate::app::msg::{CallResult, ConnectReply, payload};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::pane::{Pane, PaneEvent, PaneFocus};
use crate::app::panes::start::messages::{ConnectRequest, StartAction};
use crate::app::secret::Secret;
use crate::domain::WorkspaceId;
use crate::domain::certificate::CertificateChange;
use crate::domain::join_code::{JoinCode, JoinCodeError};
use crate::text;
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

const START_CHOICES: [StartChoice; 4] = [
    StartChoice::Demo,
    StartChoice::Local,
    StartChoice::Join,
    StartChoice::Service,
];

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
            service: [
                TextInput::with_selected_text("https://"),
                TextInput::new_secret(),
                TextInput::default(),
            ],
            error: None,
            is_connecting: false,
        }
    }
}

impl StartPane {
    /// Takes the name of what was opened. If nothing was, the typed text stays.
    pub fn on_reply(&mut self, _: ConnectRequest, result: CallResult, cx: &mut Context) {
        self.is_connecting = false;
        match payload(result) {
            Ok(ConnectReply::Connected(service)) => cx.start_session(service),
            Ok(ConnectReply::UnknownCertificate { change, reason }) => {
                let text = describe_certificate_change(change, &reason);
                let accept = StartAction::AcceptCertificate(change).into();
                cx.ui.overlay = Some(Overlay::Choice(Choice::confirm_write(
                    "accept this certificate from now on",
                    text,
                    accept,
                )));
            }
            Err(failure) => {
                match (self.choice, failure.status()) {
                    // A code is rejected as a whole, or asks for a name.
                    (StartChoice::Join, status) => {
                        self.field = Some(usize::from(status == Some(400)))
                    }
                    (StartChoice::Service, Some(401)) => self.field = Some(1),
                    _ => {}
                }
                self.error = Some(failure.message);
            }
        }
    }

    pub fn perform(
        &mut self,
        StartAction::AcceptCertificate(change): StartAction,
        cx: &mut Context,
    ) {
        self.connect(Some(change), cx);
    }

    /// The current choice's fields.
    fn fields(&self) -> &[TextInput] {
        match self.choice {
            StartChoice::Demo => &[],
            StartChoice::Local => std::slice::from_ref(&self.path),
            StartChoice::Join => &self.join,
            StartChoice::Service => &self.service,
        }
    }

    fn focused_field(&mut self) -> Option<&mut TextInput> {
        let fields = match self.choice {
            StartChoice::Demo => &mut [],
            StartChoice::Local => std::slice::from_mut(&mut self.path),
            StartChoice::Join => &mut self.join[..],
            StartChoice::Service => &mut self.service[..],
        };
        fields.get_mut(self.field?)
    }

    /// Goes to the next or previous field, or choice where no form is open.
    fn step(&mut self, forward: bool) {
        let len = if self.field.is_some() {
            self.fields().len()
        } else {
            START_CHOICES.len()
        };
        let steps = if forward { 1 } else { len.saturating_sub(1) };
        match self.field {
            Some(at) => self.field = Some((at + steps) % self.fields().len().max(1)),
            None => {
                let at = START_CHOICES
                    .iter()
                    .position(|choice| *choice == self.choice)
                    .unwrap_or(0);
                self.choice = START_CHOICES[(at + steps) % START_CHOICES.len()];
            }
        }
    }

    /// What is wrong with a field, whose text may be unfinished.
    fn field_problem(&self, at: usize) -> Option<String> {
        let typed = self
            .fields()
            .get(at)
            .map(|field| field.text().trim())
            .unwrap_or_default();
        let is_secret_misplaced = || {
            text::has_secret(typed)
                .then(|| "A code or a token does not belong in this field.".to_owned())
        };
        match (self.choice, at) {
            (StartChoice::Local, _) if typed.is_empty() => Some(
                "Enter a file name: one created by gantry import, gantry team up or gantry serve."
                    .to_owned(),
            ),
            (StartChoice::Join, 0) => JoinCode::parse(typed).err().map(|error| error.to_string()),
            (StartChoice::Service, 0) if has_address(typed) => is_secret_misplaced(),
            (StartChoice::Service, 0) => Some(
                "Enter the service's address: https://HOST, or http://HOST on this machine."
                    .to_owned(),
            ),
            (StartChoice::Service, 1) if typed.is_empty() => {
                Some("Paste your token: an API key or a user token.".to_owned())
            }
            (StartChoice::Service, 1) => None,
            (StartChoice::Service, _)
                if !typed.is_empty() && typed.parse::<WorkspaceId>().is_err() =>
            {
                Some(
                    "The workspace id must be a UUID. Leave it empty if you do not know it."
                        .to_owned(),
                )
            }
            _ => is_secret_misplaced(),
        }
    }

    /// The connection to open, with the certificate that the user accepted.
    fn connection_target(&self, accepted: Option<CertificateChange>) -> ConnectTarget {
        let typed = |field: &TextInput| field.text().trim().to_owned();
        match self.choice {
            StartChoice::Demo => ConnectTarget::Demo,
            StartChoice::Local => ConnectTarget::Local(typed(&self.path).into()),
            StartChoice::Join => {
                let [code, name] = self.join.each_ref().map(typed);
                ConnectTarget::Join {
                    code: Secret(code),
                    name,
                    accepted,
                }
            }
            StartChoice::Service => {
                let [base_url, token, workspace] = self.service.each_ref().map(typed);
                let base_url = if base_url.contains("://") {
                    base_url
                } else {
                    format!("https://{base_url}")
                };
                ConnectTarget::Service {
                    base_url,
                    token: Secret(token),
                    workspace,
                    accepted,
                }
            }
        }
    }
}

/// What a person has to know before a certificate is accepted.
fn describe_certificate_change(change: CertificateChange, reason: &str) -> String {
    let new = change.new.map_or_else(
        || "any that this machine trusts".to_owned(),
        |new| new.to_string(),
    );
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

/// Whether a text names a host, with or without a scheme.
fn has_address(typed: &str) -> bool {
    match typed.split_once("://") {
        Some((scheme, host)) => matches!(scheme, "https" | "http") && !host.is_empty(),
        None => !typed.is_empty(),
    }
}

/// The field that a pasted join code or token is for, wherever it was pasted.
fn field_for_secret(pasted: &str) -> Option<(StartChoice, usize)> {
    let is_code = !matches!(JoinCode::parse(pasted), Err(JoinCodeError::NotACode));
    let is_token = text::has_secret(pasted) && !pasted.contains(char::is_whitespace);
    match (is_code, is_token) {
        (true, _) => Some((StartChoice::Join, 0)),
        (false, true) => Some((StartChoice::Service, 1)),
        (false, false) => None,
    }
}

impl StartPane {
    pub(in crate::app) fn type_key(&mut self, key: Key) {
        if self
            .focused_field()
            .is_some_and(|field| field.handle_key(key.to_event()))
        {
            self.error = None;
        }
    }

    pub(in crate::app) fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        let pasted = text.trim();
        let target = field_for_secret(pasted);
        if let Some((choice, field)) = target {
            (self.choice, self.field) = (choice, Some(field));
        }
        let field = self.focused_field()?;
        // What was there is hidden, and nobody adds to it.
        let result = if field.is_secret {
            field.replace(pasted)
        } else {
            field.paste(pasted)
        };
        self.error = target.and_then(|(_, at)| self.field_problem(at));
        Some(result)
    }
}

impl Pane for StartPane {
    /// In an open form, characters are text; on the list of choices, they are keys.
    fn focus(&self, _cx: &Context) -> PaneFocus {
        let scope = if self.field.is_some() {
            Scope::StartForm
        } else {
            Scope::Start
        };
        scope.into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, _body: Rect, _cx: &mut Context) {
        areas.panel = panel::centered_rect(areas.frame, 72, 22);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf)
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        if matches!(event, PaneEvent::Back) {
            cx.ui.notice = None;
        }
    }
}
