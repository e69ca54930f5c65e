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

use chrono::{DateTime, TimeDelta, Utc};
use lettre::Message;
use lettre::message::Mailbox;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::db;
use super::db::outbox::{MailKey, Outbox};
use super::db::sql::{Result as SqlResult, WriteScope};
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
    let claim = move |tx: &db::Conn, now| {
        let mail = db::outbox::claim_due_mail(tx, now)?;
        Ok(mail.map(|mail| {
            let key = mail.key;
            let build = move |from: &Mailbox, now| template::build_message(&mail, from, now);
            (key, build)
        }))
    };
    send_mails(state, transport, every, stop, Outbox::Digests, claim).await
}

/// Sends the invitations that are due, one after another. Their text is in no log: it contains the
/// code.
async fn send_due_invitations(
    state: &AppState,
    transport: &MailTransport,
    every: Duration,
    stop: &CancellationToken,
) -> Result<(), db::DbError> {
    let address = state.join_address.clone();
    let claim = move |tx: &db::Conn, now| {
        let mail = db::invitation_mails::claim_due(tx, address.as_deref(), now)?;
        Ok(mail.map(|mail| {
            let key = mail.key;
            let build = move |from: &Mailbox, now| template::build_invitation(&mail, from, now);
            (key, build)
        }))
    };
    send_mails(state, transport, every, stop, Outbox::Invitations, claim).await
}

/// Sends the mails of an outbox that are due, as long as the server is there: it would delay the
/// others too.
async fn send_mails<B>(
    state: &AppState,
    transport: &MailTransport,
    every: Duration,
    stop: &CancellationToken,
    outbox: Outbox,
    claim: impl Fn(&db::Conn, DateTime<Utc>) -> SqlResult<Option<(MailKey, B)>> + Clone + Send + 'static,
) -> Result<(), db::DbError>
where
    B: FnOnce(&Mailbox, DateTime<Utc>) -> Result<Message, String> + Send + 'static,
{
    let what = match outbox {
        Outbox::Digests => "an alert mail",
        Outbox::Invitations => "an invitation",
    };
    let pause = TimeDelta::from_std(every).unwrap_or(TimeDelta::minutes(1));
    let mut is_away = false;
    while !is_away && !stop.is_cancelled() {
        let now = state.clock.now();
        if !state.db.read(move |tx| outbox.has_due(tx, now)).await? {
            break;
        }
        let claim = claim.clone();
        let Some((mail, build)) = state.db.write(move |tx| claim(tx, now)).await? else {
            break;
        };
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(DELIVERY_DRAIN_TIMEOUT).await;
        };
        let done = tokio::select! {
            done = limit_delivery(transport.deliver(mail.id, |from| build(from, now))) => done,
            () = stopped => Err(DeliveryError::Unavailable("the service is stopping".to_owned())),
        };
        is_away = matches!(done, Err(DeliveryError::Unavailable(_)));
        let now = state.clock.now();
        let scope = WriteScope::Workspace(mail.workspace.0);
        let note = move |tx: &db::Conn| match done {
            Ok(()) => mail.finish(tx, "sent", now),
            Err(DeliveryError::Rejected(why)) => {
                tracing::warn!(%why, mail = %mail.id, "{what} was rejected");
                mail.finish(tx, "refused", now)
            }
            Err(DeliveryError::Deferred(why) | DeliveryError::Unavailable(why)) => {
                tracing::warn!(%why, mail = %mail.id, "{what} is delayed");
                mail.postpone(tx, pause, now)
            }
        };
        state.db.write_in(scope, note).await?;
    }
    Ok(())
}
