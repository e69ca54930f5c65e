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

use super::{Desk, db};
use carrier::{Carrier, Undelivered};

pub(super) mod carrier;
mod letter;

/// Where alert mails go.
#[derive(Clone, PartialEq, Eq)]
pub enum Mail {
    /// Nowhere: nobody is told, and nothing is kept for later.
    Off,
    /// Into a folder, a file `.eml` each: to look at what would be sent.
    Folder(PathBuf),
    /// To an SMTP server: `smtp://host:port`, `smtp://user:password@host?tls=required` or `smtps://user:password@host`, with the
    /// sender's address as `from=alerts@example.com` in the query.
    Smtp(String),
}

/// Without the URL, which may hold a password.
impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mail::Off => f.write_str("Off"),
            Mail::Folder(path) => f.debug_tuple("Folder").field(path).finish(),
            Mail::Smtp(_) => f.write_str("Smtp(..)"),
        }
    }
}

/// How long a delivery under way may take once the service is asked to stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// Looks and sends until `stop`.
pub(super) async fn post(desk: Arc<Desk>, carrier: Carrier, every: Duration, stop: CancellationToken) {
    let mut rounds = tokio::time::interval(every.max(Duration::from_millis(1)));
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = rounds.tick() => {}
        }
        if let Err(error) = round(&desk, &carrier, every, &stop).await {
            tracing::error!(%error, "alert mails wait");
        }
    }
}

/// Makes the digests of what is new, and sends what is due, one after the other.
async fn round(desk: &Desk, carrier: &Carrier, every: Duration, stop: &CancellationToken) -> Result<(), db::Error> {
    let now = desk.clock.now();
    if !desk.db.read(move |tx| db::mails::is_waiting(tx, now)).await? {
        return Ok(());
    }
    desk.db.write(move |tx| db::mails::gather(tx, now)).await?;
    let pause = TimeDelta::from_std(every).unwrap_or(TimeDelta::minutes(1));
    while !stop.is_cancelled() {
        let now = desk.clock.now();
        let Some(mail) = desk.db.write(move |tx| db::mails::due(tx, now)).await? else { break };
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(FAREWELL).await;
        };
        let done = tokio::select! {
            done = carrier.deliver(&mail, now) => done,
            () = stopped => Err(Undelivered::Away("the service is stopping".to_owned())),
        };
        let (now, away) = (desk.clock.now(), matches!(done, Err(Undelivered::Away(_))));
        desk.db
            .write(move |tx| match done {
                Ok(()) => db::mails::end(tx, mail.workspace, mail.id, "sent", now),
                Err(Undelivered::Refused(why)) => {
                    tracing::warn!(%why, mail = %mail.id, "an alert mail was refused");
                    db::mails::end(tx, mail.workspace, mail.id, "refused", now)
                }
                Err(Undelivered::Later(why) | Undelivered::Away(why)) => {
                    tracing::warn!(%why, mail = %mail.id, "an alert mail waits");
                    db::mails::put_off(tx, mail.workspace, mail.id, pause, now)
                }
            })
            .await?;
        if away {
            break; // the others would wait for the same server
        }
    }
    Ok(())
}
