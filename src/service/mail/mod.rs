//! Alert mails (interface: Events 2): members hear by e-mail of new signals of the types that their workspace subscribes to with the
//! channel `email`.
//!
//! Every [`every`](super::Options::mail_every) (a minute, unless told otherwise) the service looks at what was discovered since
//! the last look, and each recipient gets one mail, a digest, about all of it: thirty permits found by one import are one mail and
//! not thirty. Recipients are all members, or those that the subscription names; whether they are still members, and whether the
//! subscription still sends mails, is asked again when the mail is sent.
//!
//! What is to be sent is written to an outbox ([`db::mails`]) in the transaction that looked, and marked when the server has taken
//! it. So a mail is neither lost nor sent twice by a restart; only a crash in the moment between a server's yes and our mark
//! sends it again, under the same `Message-ID`, by which a mailbox knows it. A server that is away is tried again, ever more
//! rarely, for a day.
//!
//! [`letter`] writes a mail, [`carrier`] takes it away. Never here: SQL, and never a mail to anybody who is no member.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::{AppState, db};
use transport::{DeliveryError, MailTransport};

mod template;
pub(super) mod transport;

/// Where alert mails go.
#[derive(Clone, PartialEq, Eq)]
pub enum MailDestination {
    /// Nowhere: nobody is told, and nothing is kept for later.
    Off,
    /// Into a folder, a file `.eml` each: to look at what would be sent.
    Folder(PathBuf),
    /// To an SMTP server: `smtp://host:port`, `smtp://user:password@host?tls=required` or `smtps://user:password@host`, with the
    /// sender's address as `from=alerts@example.com` in the query.
    Smtp(String),
}

/// Without the URL, which may hold a password.
impl std::fmt::Debug for MailDestination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MailDestination::Off => f.write_str("Off"),
            MailDestination::Folder(path) => f.debug_tuple("Folder").field(path).finish(),
            MailDestination::Smtp(_) => f.write_str("Smtp(..)"),
        }
    }
}

/// How long a delivery under way may take once the service is asked to stop.
const DELIVERY_DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Looks and sends until `stop`.
pub(super) async fn run_mailer(desk: Arc<AppState>, carrier: MailTransport, every: Duration, stop: CancellationToken) {
    let mut rounds = tokio::time::interval(every.max(Duration::from_millis(1)));
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = rounds.tick() => {}
        }
        if let Err(error) = send_due_mails(&desk, &carrier, every, &stop).await {
            tracing::error!(%error, "alert mails wait");
        }
    }
}

/// Makes the digests of what is new, and sends what is due, one after the other.
async fn send_due_mails(
    desk: &AppState,
    carrier: &MailTransport,
    every: Duration,
    stop: &CancellationToken,
) -> Result<(), db::DbError> {
    let now = desk.clock.now();
    if !desk.db.read(move |tx| db::outbox::has_pending(tx, now)).await? {
        return Ok(());
    }
    desk.db.write(move |tx| db::outbox::enqueue_digests(tx, now)).await?;
    let pause = TimeDelta::from_std(every).unwrap_or(TimeDelta::minutes(1));
    while !stop.is_cancelled() {
        let now = desk.clock.now();
        let Some(mail) = desk.db.write(move |tx| db::outbox::next_due_mail(tx, now)).await? else { break };
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(DELIVERY_DRAIN_TIMEOUT).await;
        };
        let done = tokio::select! {
            done = carrier.deliver(&mail, now) => done,
            () = stopped => Err(DeliveryError::Unavailable("the service is stopping".to_owned())),
        };
        let (now, away) = (desk.clock.now(), matches!(done, Err(DeliveryError::Unavailable(_))));
        desk.db
            .write(move |tx| match done {
                Ok(()) => db::outbox::finish_mail(tx, mail.workspace, mail.id, "sent", now),
                Err(DeliveryError::Rejected(why)) => {
                    tracing::warn!(%why, mail = %mail.id, "an alert mail was refused");
                    db::outbox::finish_mail(tx, mail.workspace, mail.id, "refused", now)
                }
                Err(DeliveryError::Deferred(why) | DeliveryError::Unavailable(why)) => {
                    tracing::warn!(%why, mail = %mail.id, "an alert mail waits");
                    db::outbox::postpone_mail(tx, mail.workspace, mail.id, pause, now)
                }
            })
            .await?;
        if away {
            break; // the others would wait for the same server
        }
    }
    Ok(())
}
