//! Requests as they are recorded: what a read takes, and a write before its first byte leaves.
//!
//! The recorder hears of a read that may cost something before it leaves, as of one whose price is unknown: if its answer never
//! comes, or nobody waits for it any more, that is the truth. It leaves only where the recorder lets it: this is the one place that
//! every paid request passes. A write waits until it is written down.

use uuid::Uuid;

use crate::domain::credits::Spending;
use crate::domain::failure::{Failure, Kind};
use crate::domain::journal::{Outgoing, Progress, Recorder, WriteCounts};

use super::transport::Answered;
use super::{Answer, Client, Payload, Request, decode};

impl Client {
    /// Sends a request, reads its answer, and tells the recorder.
    pub(super) async fn ask<T>(
        &self,
        request: Request,
        read: fn(&str, &Answered, Payload) -> Result<Answer<T>, Failure>,
        rows: fn(&T) -> Option<u64>,
    ) -> Result<Answer<T>, Failure> {
        if self.0.read_only && request.changes_something() {
            let message = "nothing was sent: it makes a change, and --read-only is set".to_owned();
            return Err(Failure { kind: Kind::ReadOnly, message });
        }
        let payload = request.payload;
        let Some(recorder) = self.0.recorder.as_deref() else {
            return read(&self.0.host, &self.send_checked(request).await?, payload);
        };
        let asked = asked(&request);
        let (is_paid, is_write) = (asked.most != Some(0), request.changes_something());
        if is_paid {
            recorder
                .spending(asked.clone())
                .await
                .map_err(|why| Failure { kind: Kind::OverBudget, message: format!("nothing was sent: {why}") })?;
        }
        if is_write {
            let write =
                Outgoing { id: asked.id, route: asked.route.clone(), target: request.target(), body: request.body.clone() };
            let failed = |why| Failure::not_sent(format!("nothing was sent, because it could not be written down first: {why}"));
            recorder.sending(write).await.map_err(failed)?;
        }
        let (answer, counts) = match self.send_checked(request).await {
            Ok(answered) if is_write => (read(&self.0.host, &answered, payload), decode::counts(&answered)),
            Ok(answered) => (read(&self.0.host, &answered, payload), WriteCounts::default()),
            Err(failure) => (Err(failure), WriteCounts::default()),
        };
        match &answer {
            Ok(_) if is_write => recorder.answered(asked.id, counts),
            Err(failure) if is_write => settle(recorder, asked.id, failure),
            _ => {}
        }
        match &answer {
            Ok(answer) if is_paid || answer.credits.is_some_and(|credits| credits > 0) => {
                recorder.spent(Spending { credits: answer.credits, rows: rows(&answer.value), ..asked });
            }
            Err(Failure { kind: Kind::NotSent | Kind::Answered(_), .. }) if is_paid => {
                recorder.spent(Spending { credits: Some(0), ..asked });
            }
            _ => {}
        }
        answer
    }

    /// Books a repeat after a lost answer, which may have been paid for as well; says why it may not leave.
    pub(super) async fn repeat(&self, request: &Request) -> Result<(), String> {
        match self.0.recorder.as_deref() {
            Some(recorder) if request.most() != Some(0) => recorder.repeating(asked(request)).await,
            _ => Ok(()),
        }
    }
}

/// A line of the ledger for a request that is about to leave.
fn asked(request: &Request) -> Spending {
    Spending { id: Uuid::now_v7(), route: request.route(), credits: None, rows: None, most: request.most() }
}

fn settle(recorder: &dyn Recorder, write: Uuid, failure: &Failure) {
    let progress = match failure.kind {
        Kind::Answered(_) => Progress::Refused,
        Kind::NotSent | Kind::Cancelled | Kind::OverBudget | Kind::ReadOnly => Progress::NotSent,
        Kind::Ambiguous => Progress::Unknown,
    };
    recorder.settled(write, progress, Some(failure.message.clone()));
}
