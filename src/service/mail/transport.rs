//! Mail delivery: into a folder, or to an SMTP server. Never here: what a mail says, or whether it
//! was sent before.

use std::path::PathBuf;
use std::time::Duration;

use lettre::Message;
use lettre::message::Mailbox;
use lettre::transport::smtp::Error as SmtpError;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use uuid::Uuid;

use super::MailDestination;
use crate::platform::files;
use crate::platform::tasks;

/// Time limit for each SMTP command.
const SMTP_TIMEOUT: Duration = Duration::from_secs(20);
/// The default sender.
const DEFAULT_SENDER: &str = "alerts@localhost";

/// Why a mail was not delivered.
#[derive(Debug)]
pub(super) enum DeliveryError {
    /// It will never be accepted.
    Rejected(String),
    /// Only this mail was not accepted, for now.
    Deferred(String),
    /// No mail can be delivered for now.
    Unavailable(String),
}

pub(in crate::service) struct MailTransport {
    from: Mailbox,
    kind: TransportKind,
}

enum TransportKind {
    Folder(PathBuf),
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
}

impl MailTransport {
    /// The configured transport, if any; otherwise what is wrong with the configuration, without
    /// its secrets.
    pub(in crate::service) fn new(mail: &MailDestination) -> Result<Option<MailTransport>, String> {
        let transport = match mail {
            MailDestination::Off => return Ok(None),
            MailDestination::Folder(folder) => {
                std::fs::create_dir_all(folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
                MailTransport {
                    from: parse_sender(DEFAULT_SENDER)?,
                    kind: TransportKind::Folder(folder.clone()),
                }
            }
            MailDestination::Smtp(url) => {
                let transport =
                    AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| {
                        "not an SMTP URL: use smtp://host:port or smtps://user:password@host"
                            .to_owned()
                    })?;
                let query = url.split_once('?').map_or("", |(_, query)| query);
                let from = query.split('&').find_map(|pair| pair.strip_prefix("from="));
                let from = parse_sender(&from.unwrap_or(DEFAULT_SENDER).replace("%40", "@"))?;
                MailTransport {
                    from,
                    kind: TransportKind::Smtp(transport.timeout(Some(SMTP_TIMEOUT)).build()),
                }
            }
        };
        Ok(Some(transport))
    }

    /// Delivers the message that `build` makes for this sender; `id` names its file in a folder.
    pub(super) async fn deliver(
        &self,
        id: Uuid,
        build: impl FnOnce(&Mailbox) -> Result<Message, String>,
    ) -> Result<(), DeliveryError> {
        let message = build(&self.from).map_err(DeliveryError::Rejected)?;
        match &self.kind {
            TransportKind::Folder(folder) => {
                let (path, bytes) = (folder.join(format!("{id}.eml")), message.formatted());
                let written = tasks::run_blocking(move || files::replace_file(&path, &bytes)).await;
                match written {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(error)) => Err(DeliveryError::Unavailable(error.to_string())),
                    Err(error) => Err(DeliveryError::Unavailable(error.to_string())),
                }
            }
            TransportKind::Smtp(transport) => transport
                .send(message)
                .await
                .map(drop)
                .map_err(|error| classify_error(&error)),
        }
    }
}

fn parse_sender(address: &str) -> Result<Mailbox, String> {
    let address = address
        .parse()
        .map_err(|error| format!("invalid sender address: {error}"))?;
    Ok(Mailbox::new(Some("gantry".to_owned()), address))
}

/// What a server's reply means for the mail. Rejected credentials are not the mail's fault.
fn classify_error(error: &SmtpError) -> DeliveryError {
    let code = error
        .status()
        .map(|status| status.to_string())
        .unwrap_or_default();
    let why = std::iter::successors(std::error::Error::source(error), |cause| cause.source())
        .fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
    match (error.is_permanent(), code.as_str()) {
        (_, "530" | "534" | "535" | "538" | "421") => DeliveryError::Unavailable(why),
        (true, _) => DeliveryError::Rejected(why),
        (false, _) if error.is_response() || error.is_transient() => DeliveryError::Deferred(why),
        (false, _) => DeliveryError::Unavailable(why),
    }
}
