//! Alert mails (interface: Events 2): members get an email about new signals of the types to which
//! their workspace is subscribed with the channel `email`.
//!
//! Every [`mail_interval`](super::ServiceOptions::mail_interval) (one minute by default) the
//! service looks for newly discovered signals, and each recipient gets one digest about all of
//! them: thirty permits from one import are one mail, not thirty. Recipients are all members, or
//! those named by the subscription. Whether they are still members, and whether the subscription
//! still sends mails, is checked again when the mail is sent.
//!
//! Mails are written to an outbox ([`db::outbox`]) in the transaction that found the signals, and
//! marked when the server has accepted them. So a restart neither loses a mail nor sends it twice;
//! only a crash between the server's acceptance and our mark sends it again, with the same
//! `Message-ID`, by which mailboxes recognize duplicates. If a server is unavailable, delivery is
//! retried for a day with growing pauses. Whoever sends a mail reserves it first, so that any
//! number of services on one database send it once; what a killed service had reserved is sent by
//! another one once the reservation has expired.
//!
//! Invitations have an outbox of their own ([`db::invitation_mails`]) and the same rules.
//!
//! [`template`] writes a mail, [`transport`] delivers it. Never here: SQL, or a mail to anybody who
//! is neither a member nor invited.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::db;
use super::db::sql::WriteScope;
use super::state::AppState;
use transport::{DeliveryError, MailTransport};

mod template;
pub(super) mod transport;

/// Where alert mails go.
#[derive(Clone, PartialEq, Eq)]
pub enum MailDestination {
    /// Nowhere: nobody is notified, and nothing is kept for later.
    Off,
    /// Into a folder, as one `.eml` file each: to see what would be sent.
    Folder(PathBuf),
    /// To an SMTP server: `smtp://host:port`, `smtp://user:password@host?tls=required` or
    /// `smtps://user:password@host`, with the sender's address as `from=alerts@example.com` in the
    /// query.
    Smtp(String),
}

/// Without the URL, which may contain a password.
impl std::fmt::Debug for MailDestination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MailDestination::Off => f.write_str("Off"),
            MailDestination::Folder(path) => f.debug_tuple("Folder").field(path).finish(),
            MailDestination::Smtp(_) => f.write_str("Smtp(..)"),
        }
    }
}

/// Time for a delivery in progress to finish when the service stops.
const DELIVERY_DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for a delivery: shorter than its reservation ([`db::outbox::CLAIM_DURATION`]).
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// Gives a delivery up that takes too long: another service would soon repeat it.
async fn limit_delivery(
    delivery: impl Future<Output = Result<(), DeliveryError>>,
) -> Result<(), DeliveryError> {
    let late = || DeliveryError::Unavailable("the mail server takes too long".to_owned());
    tokio::time::timeout(DELIVERY_TIMEOUT, delivery)
        .await
        .unwrap_or_else(|_| Err(late()))
}

/// Looks for new signals and sends mails until `stop`.
pub(super) async fn run_mailer(
    state: Arc<AppState>,
    transport: MailTransport,
    every: Duration,
    stop: CancellationToken,
) {
    let mut rounds = tokio::time::interval(every.max(Duration::from_millis(1)));
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = rounds.tick() => {}
        }
        if let Err(error) = send_due_mails(&state, &transport, every, &stop).await {
            tracing::error!(%error, "alert mails are delayed");
        }
        if let Err(error) = send_due_invitations(&state, &transport, every, &stop).await {
            tracing::error!(%error, "invitations are delayed");
        }
    }
}

/// Creates the digests of new signals, and sends the mails that are due, one after another.
async fn send_due_mails(
    state: &AppState,
    transport: &MailTransport,
    every: Duration,
    stop: &CancellationToken,
) -> Result<(), db::DbError> {
    let now = state.clock.now();
    if !state
        .db
        .read(move |tx| db::outbox::has_pending(tx, now))
        .await?
    {
        return Ok(());
    }
    state
        .db
        .write(move |tx| db::outbox::enqueue_digests(tx, now))
        .await?;
    let pause = TimeDelta::from_std(every).unwrap_or(TimeDelta::minutes(1));
    while !stop.is_cancelled() {
        let now = state.clock.now();
        let Some(mail) = state
            .db
            .write(move |tx| db::outbox::claim_due_mail(tx, now))
            .await?
        else {
            break;
        };
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(DELIVERY_DRAIN_TIMEOUT).await;
        };
        let done = tokio::select! {
            done = limit_delivery(transport.deliver(mail.id, |from| template::build_message(&mail, from, now))) => done,
            () = stopped => Err(DeliveryError::Unavailable("the service is stopping".to_owned())),
        };
        let (now, away) = (
            state.clock.now(),
            matches!(done, Err(DeliveryError::Unavailable(_))),
        );
        state
            .db
            .write_in(
                WriteScope::Workspace(mail.workspace.0),
                move |tx| match done {
                    Ok(()) => db::outbox::finish_mail(tx, mail.workspace, mail.id, "sent", now),
                    Err(DeliveryError::Rejected(why)) => {
                        tracing::warn!(%why, mail = %mail.id, "an alert mail was rejected");
                        db::outbox::finish_mail(tx, mail.workspace, mail.id, "refused", now)
                    }
                    Err(DeliveryError::Deferred(why) | DeliveryError::Unavailable(why)) => {
                        tracing::warn!(%why, mail = %mail.id, "an alert mail is delayed");
                        db::outbox::postpone_mail(tx, mail.workspace, mail.id, pause, now)
                    }
                },
            )
            .await?;
        if away {
            break; // the same server would delay the others
        }
    }
    Ok(())
}

/// Sends the invitations that are due, one after another. Their text is in no log: it contains the
/// code.
async fn send_due_invitations(
    state: &AppState,
    transport: &MailTransport,
    every: Duration,
    stop: &CancellationToken,
) -> Result<(), db::DbError> {
    let pause = TimeDelta::from_std(every).unwrap_or(TimeDelta::minutes(1));
    while !stop.is_cancelled() {
        let now = state.clock.now();
        if !state
            .db
            .read(move |tx| db::invitation_mails::has_due(tx, now))
            .await?
        {
            break;
        }
        let address = state.join_address.clone();
        let claim =
            move |tx: &db::Conn| db::invitation_mails::claim_due(tx, address.as_deref(), now);
        let Some(mail) = state.db.write(claim).await? else {
            break;
        };
        let done = tokio::select! {
            done = limit_delivery(transport.deliver(mail.id.0, |from| template::build_invitation(&mail, from, now))) => done,
            () = stop.cancelled() => Err(DeliveryError::Unavailable("the service is stopping".to_owned())),
        };
        let (workspace, id, now) = (mail.workspace, mail.id, state.clock.now());
        let is_away = matches!(done, Err(DeliveryError::Unavailable(_)));
        state
            .db
            .write_in(WriteScope::Workspace(workspace.0), move |tx| match done {
                Ok(()) => db::invitation_mails::finish(tx, workspace, id, "sent", now),
                Err(DeliveryError::Rejected(why)) => {
                    tracing::warn!(%why, %id, "an invitation was rejected");
                    db::invitation_mails::finish(tx, workspace, id, "refused", now)
                }
                Err(DeliveryError::Deferred(why) | DeliveryError::Unavailable(why)) => {
                    tracing::warn!(%why, %id, "an invitation is delayed");
                    db::invitation_mails::postpone(tx, workspace, id, pause, now)
                }
            })
            .await?;
        if is_away {
            break;
        }
    }
    Ok(())
}
