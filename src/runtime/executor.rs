//! Runs calls: at most four at a time, the most urgent first, with exactly one reply each.
//!
//! A call waits until there is a service and a free slot, runs in its own task, and replies once:
//! with its reply, its failure, as cancelled, or, if its task panicked, with an unknown result.
//! Calls made before the service is connected wait for it.
//!
//! Never here: what a reply means, retries (they belong to the client), and the poller's request.

use futures_util::future::BoxFuture;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use uuid::Uuid;

use super::backend::{
    Backend, BackendConnection, BackendFuture, CallContext, ConnectFn, ConnectOutcome, LocalWrite,
};
use super::write_log;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{ConnectReply, ConnectedService, Reply, Token};
use crate::domain::export::ExportProgress;
use crate::domain::journal::{JournalChange, JournalEntry};
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// Maximum number of concurrent calls.
const MAX_CONCURRENT_CALLS: usize = 4;

/// Pending and running calls.
pub struct Executor {
    connect: ConnectFn,
    backend: watch::Sender<Option<Arc<dyn Backend>>>,
    queued: VecDeque<QueuedCall>,
    tasks: JoinSet<TaskOutput>,
    running: Vec<RunningTask>,
    finished: VecDeque<ExecutorEvent>,
    op_ids: HashMap<Slot, Uuid>,
    progress_receiver: mpsc::UnboundedReceiver<(Token, ExportProgress)>,
    progress_sender: mpsc::UnboundedSender<(Token, ExportProgress)>,
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub enum ExecutorEvent {
    /// Export progress.
    ExportProgress(Token, ExportProgress),
    /// The reply to a call.
    Replied(Token, Result<Reply, RequestError>),
    /// The initial service is connected, or failed.
    Connected(Result<ConnectedService, RequestError>),
}

struct QueuedCall {
    token: Token,
    slot: Slot,
    call: ServiceCall,
    context: CallContext,
}

struct RunningTask {
    task: Id,
    /// `None` for the initial connection.
    call: Option<(Token, Slot)>,
    /// How many changes it writes.
    writes: usize,
    /// What it writes, for the log.
    write: Option<String>,
    abort: AbortHandle,
}

enum TaskOutput {
    Replied(Result<Reply, RequestError>),
    Connected(Result<ConnectOutcome, RequestError>),
}

impl Executor {
    pub fn new(connect: ConnectFn) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        Executor {
            connect,
            backend: watch::Sender::new(None),
            queued: VecDeque::new(),
            tasks: JoinSet::new(),
            running: Vec::new(),
            finished: VecDeque::new(),
            op_ids: HashMap::new(),
            progress_receiver: told,
            progress_sender: tell,
        }
    }

    /// The current service, as it changes.
    pub fn backend(&self) -> watch::Receiver<Option<Arc<dyn Backend>>> {
        self.backend.subscribe()
    }

    /// The service, once there is one.
    pub fn service(&self) -> Option<Arc<dyn Backend>> {
        self.backend.borrow().clone()
    }

    /// Waits for the initial service; [`ExecutorEvent::Connected`] follows.
    pub fn await_connection(&mut self, opening: BackendFuture<BackendConnection>) {
        self.spawn(None, 0, None, async move {
            TaskOutput::Connected(opening.await.map(ConnectOutcome::Connected))
        });
    }

    /// Records a change; the calls of its slot follow.
    pub fn record_entry(&mut self, slot: Slot, act: JournalEntry) {
        self.op_ids.insert(slot, act.op);
        if let Some(service) = self.service() {
            service.record_entry(act);
        }
    }

    /// Records what the calls of a slot have applied, and whether that settles what an earlier run
    /// began of it.
    pub fn record_applied(&self, slot: &Slot, change: JournalChange, settles_interrupted: bool) {
        if let Some(op) = self.op_ids.get(slot) {
            self.save_local(LocalWrite::AppliedChange {
                op: *op,
                change,
                settles_interrupted,
            });
        }
    }

    /// Saves something for the next session.
    pub fn save_local(&self, keep: LocalWrite) {
        if let Some(service) = self.service() {
            service.save_local(keep);
        }
    }

    /// Submits a call, with a reason for the ledger. Exactly one reply follows.
    pub fn submit(&mut self, token: Token, slot: Slot, call: ServiceCall, reason: &'static str) {
        if let ServiceCall::Connect(target) = call {
            let connecting = (self.connect)(target);
            self.spawn(Some((token, slot)), 0, None, async move {
                TaskOutput::Connected(connecting.await)
            });
            return;
        }
        let why = CallContext::new(reason, &slot, &call, |slot| self.op_ids.get(slot).copied());
        let before = self
            .queued
            .iter()
            .position(|other| priority(&other.call) > priority(&call));
        self.queued.insert(
            before.unwrap_or(self.queued.len()),
            QueuedCall {
                token,
                slot,
                call,
                context: why,
            },
        );
        self.start_queued();
    }

    /// Cancels the pending calls and running reads of a slot. A running write is waited for.
    pub fn cancel(&mut self, slot: Slot) {
        let settled = &mut self.finished;
        let mut give_up =
            |token| settled.push_back(ExecutorEvent::Replied(token, Err(cancelled_failure())));
        self.queued.retain(|waiting| {
            let keep = waiting.slot != slot;
            if !keep {
                give_up(waiting.token);
            }
            keep
        });
        self.running.retain(|running| match &running.call {
            Some((token, of)) if *of == slot && running.writes == 0 => {
                running.abort.abort();
                give_up(*token);
                false
            }
            _ => true,
        });
        self.start_queued();
    }

    /// Cancels what is running and shuts the service down; returns lines for the person.
    pub async fn close(mut self) -> Vec<String> {
        self.tasks.shutdown().await;
        match self.service() {
            Some(service) => service.close().await,
            None => Vec::new(),
        }
    }

    /// Changes that were sent and have no response yet.
    pub fn writes_in_flight(&self) -> usize {
        self.running.iter().map(|running| running.writes).sum()
    }

    /// Changes that are waiting to be sent.
    pub fn writes_queued(&self) -> usize {
        self.queued
            .iter()
            .map(|waiting| count_writes(&waiting.call))
            .sum()
    }

    /// Waits for the next event, forever if nothing is running. Cancel safe: no event is lost.
    pub async fn next_event(&mut self) -> ExecutorEvent {
        loop {
            if let Some(done) = self.finished.pop_front() {
                return done;
            }
            // A call's progress comes before its reply. This channel is never closed and waits when
            // nothing is running.
            let over = tokio::select! {
                biased;
                Some((token, progress)) = self.progress_receiver.recv() => return ExecutorEvent::ExportProgress(token, progress),
                Some(over) = self.tasks.join_next_with_id() => over,
            };
            if let Some(done) = self.finish_task(over) {
                self.start_queued();
                return done;
            }
        }
    }

    /// The next event, if there is one already.
    pub fn try_next_event(&mut self) -> Option<ExecutorEvent> {
        loop {
            if let Some(done) = self.finished.pop_front() {
                return Some(done);
            }
            if let Ok((token, progress)) = self.progress_receiver.try_recv() {
                return Some(ExecutorEvent::ExportProgress(token, progress));
            }
            let over = self.tasks.try_join_next_with_id()?;
            if let Some(done) = self.finish_task(over) {
                self.start_queued();
                return Some(done);
            }
        }
    }

    fn finish_task(&mut self, over: Result<(Id, TaskOutput), JoinError>) -> Option<ExecutorEvent> {
        let (id, outcome) = match over {
            Ok((id, outcome)) => (id, outcome),
            Err(broken) => (
                broken.id(),
                TaskOutput::Replied(Err(panicked_task_failure())),
            ),
        };
        // A task that is not in the table was cancelled and has replied.
        let running = self
            .running
            .remove(self.running.iter().position(|running| running.task == id)?);
        let result = match outcome {
            TaskOutput::Replied(result) => result,
            TaskOutput::Connected(Ok(ConnectOutcome::Connected(connection))) => {
                self.backend.send_replace(Some(connection.backend));
                Ok(Reply::Connect(ConnectReply::Connected(connection.service)))
            }
            TaskOutput::Connected(Ok(ConnectOutcome::UnknownCertificate { change, reason })) => {
                Ok(Reply::Connect(ConnectReply::UnknownCertificate {
                    change,
                    reason,
                }))
            }
            TaskOutput::Connected(Err(failure)) => Err(failure),
        };
        match (&running.write, &result) {
            (Some(write), Ok(reply)) => {
                tracing::info!(write, result = write_log::describe_result(reply), "written")
            }
            (Some(write), Err(failure)) => {
                tracing::warn!(
                    write,
                    kind = failure_kind(failure),
                    status = failure.status(),
                    "a write failed"
                );
            }
            _ => {}
        }
        if let (None, Err(failure)) = (&running.write, &result) {
            let (slot, kind) = (
                running.call.as_ref().map(|(_, slot)| slot.clone()),
                failure_kind(failure),
            );
            tracing::info!(?slot, kind, status = failure.status(), "a call failed");
        }
        Some(match (running.call, result) {
            (Some((token, _)), result) => ExecutorEvent::Replied(token, result),
            (None, Ok(Reply::Connect(ConnectReply::Connected(service)))) => {
                ExecutorEvent::Connected(Ok(service))
            }
            (None, Ok(_)) => ExecutorEvent::Connected(Err(panicked_task_failure())),
            (None, Err(failure)) => ExecutorEvent::Connected(Err(failure)),
        })
    }

    /// Starts pending calls while there are free slots.
    fn start_queued(&mut self) {
        let Some(service) = self.service() else {
            return;
        };
        while self.running.len() < MAX_CONCURRENT_CALLS {
            let Some(QueuedCall {
                token,
                slot,
                call,
                context: why,
            }) = self.queued.pop_front()
            else {
                return;
            };
            let (writes, write) = (count_writes(&call), write_log::describe_write(&call));
            let asking = match call {
                ServiceCall::Export(export) => {
                    let tell = self.progress_sender.clone();
                    service.clone().export(
                        *export,
                        why,
                        Box::new(move |progress| drop(tell.send((token, progress)))),
                    )
                }
                call => service.clone().call(call, why),
            };
            self.spawn(Some((token, slot)), writes, write, async move {
                TaskOutput::Replied(asking.await)
            });
        }
    }

    fn spawn(
        &mut self,
        call: Option<(Token, Slot)>,
        writes: usize,
        write: Option<String>,
        task: impl Future<Output = TaskOutput> + Send + 'static,
    ) {
        let task: BoxFuture<'static, TaskOutput> = Box::pin(task);
        let abort = self.tasks.spawn(task);
        self.running.push(RunningTask {
            task: abort.id(),
            call,
            writes,
            write,
            abort,
        });
    }
}

/// How many changes a call writes: several may share a triage.
fn count_writes(call: &ServiceCall) -> usize {
    match call {
        ServiceCall::Triage { acts, .. } => acts.len().max(1),
        ServiceCall::Write(_) => 1,
        _ => 0,
    }
}

/// What the person asked for with a key comes first, then rows, then what is at the edge of the
/// screen.
fn priority(call: &ServiceCall) -> u8 {
    match call {
        ServiceCall::Connect(_)
        | ServiceCall::Triage { .. }
        | ServiceCall::Write(_)
        | ServiceCall::SetBudgets(_) => 0,
        ServiceCall::SavedState
        | ServiceCall::Journal
        | ServiceCall::RecordedWork(_)
        | ServiceCall::RecordHistory(..)
        | ServiceCall::SaveText { .. }
        | ServiceCall::ReadFile(_)
        | ServiceCall::Workspace
        | ServiceCall::Credits
        | ServiceCall::Members
        | ServiceCall::Subscriptions
        | ServiceCall::Invitations => 2,
        ServiceCall::Description { .. } => 3,
        _ => 1,
    }
}

/// The kind of a failure for the log: never its message, which may repeat what was asked.
fn failure_kind(failure: &RequestError) -> &'static str {
    match failure.kind {
        RequestErrorKind::NotSent => "not sent",
        RequestErrorKind::Ambiguous => "ambiguous",
        RequestErrorKind::Rejected(_) => "refused",
        RequestErrorKind::Cancelled => "cancelled",
        RequestErrorKind::OverBudget => "over budget",
        RequestErrorKind::ReadOnly => "read only",
        RequestErrorKind::NotJournaled => "not journaled",
    }
}

fn cancelled_failure() -> RequestError {
    RequestError {
        kind: RequestErrorKind::Cancelled,
        message: "canceled".into(),
    }
}

fn panicked_task_failure() -> RequestError {
    RequestError::new_ambiguous("internal error; see the log for details")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use chrono::{DateTime, Utc};
    use tokio::sync::oneshot;

    use super::*;
    use crate::app::effect::ConnectTarget;
    use crate::domain::queue::{QueueStats, TriageStatus};

    /// A service that answers when the test says so.
    #[derive(Default)]
    struct SlowBackend(Mutex<Vec<(ServiceCall, ReplySender)>>);

    type ReplySender = oneshot::Sender<Result<Reply, RequestError>>;

    impl Backend for SlowBackend {
        fn call(self: Arc<Self>, call: ServiceCall, _: CallContext) -> BackendFuture<Reply> {
            let (answer, answered) = oneshot::channel();
            self.0.lock().unwrap().push((call, answer));
            Box::pin(async move {
                answered
                    .await
                    .expect("panics when the test drops the sender")
            })
        }

        fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)> {
            unreachable!("the executor does not poll")
        }
    }

    impl SlowBackend {
        fn calls(&self) -> Vec<ServiceCall> {
            self.0
                .lock()
                .unwrap()
                .iter()
                .map(|(call, _)| call.clone())
                .collect()
        }

        fn reply_to_first(&self, reply: Reply) {
            let (_, answer) = self.0.lock().unwrap().remove(0);
            let _ = answer.send(Ok(reply));
        }
    }

    fn connection(slow: &Arc<SlowBackend>) -> BackendConnection {
        BackendConnection::new(slow.clone(), "demo")
    }

    fn executor_and_backend() -> (Executor, Arc<SlowBackend>) {
        let slow = Arc::new(SlowBackend::default());
        let connected = connection(&slow);
        let connect: ConnectFn = Arc::new(move |_| {
            let connected = connected.clone();
            Box::pin(async move { Ok(ConnectOutcome::Connected(connected)) })
        });
        (Executor::new(connect), slow)
    }

    async fn connected_executor() -> (Executor, Arc<SlowBackend>) {
        let (mut executor, slow) = executor_and_backend();
        let connected = connection(&slow);
        let service = connected.service.clone();
        executor.await_connection(Box::pin(async move { Ok(connected) }));
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Connected(Ok(service))
        );
        (executor, slow)
    }

    fn triage_call() -> ServiceCall {
        ServiceCall::Triage {
            ids: vec![],
            status: TriageStatus::Done,
            acts: vec![],
        }
    }

    #[tokio::test]
    async fn a_call_made_before_the_backend_connects_waits_for_it() {
        let (mut executor, slow) = executor_and_backend();
        executor.submit(Token(1), Slot::Workspace, ServiceCall::Workspace, "test");
        assert!(slow.calls().is_empty());
        executor.submit(
            Token(2),
            Slot::Connect,
            ServiceCall::Connect(ConnectTarget::Demo),
            "test",
        );
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Replied(
                Token(2),
                Ok(Reply::Connect(ConnectReply::Connected(
                    connection(&slow).service
                )))
            )
        );
        assert_eq!(slow.calls(), [ServiceCall::Workspace]);
        slow.reply_to_first(Reply::Members(vec![]));
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Replied(Token(1), Ok(Reply::Members(vec![])))
        );
    }

    #[tokio::test]
    async fn at_most_four_calls_run_and_a_triage_overtakes_queued_reads() {
        let (mut executor, slow) = connected_executor().await;
        for n in 0..6 {
            executor.submit(Token(n), Slot::Members, ServiceCall::Members, "test");
        }
        executor.submit(Token(6), Slot::Write(1), triage_call(), "test");
        assert_eq!(slow.calls().len(), 4);
        slow.reply_to_first(Reply::Triaged(Some(0)));
        executor.next_event().await;
        assert_eq!(slow.calls().last(), Some(&triage_call()));
    }

    #[tokio::test]
    async fn cancelling_drops_reads_and_queued_writes_but_not_writes_in_flight() {
        let (mut executor, slow) = connected_executor().await;
        executor.submit(Token(1), Slot::Write(7), triage_call(), "test");
        for n in 2..5 {
            executor.submit(Token(n), Slot::New, ServiceCall::Members, "test");
        }
        executor.submit(Token(5), Slot::Write(8), triage_call(), "test");
        executor.cancel(Slot::New);
        for n in 2..5 {
            assert_eq!(
                executor.next_event().await,
                ExecutorEvent::Replied(Token(n), Err(cancelled_failure()))
            );
        }
        for n in 6..9 {
            executor.submit(Token(n), Slot::Done, ServiceCall::Members, "test");
        }
        executor.submit(Token(9), Slot::Write(9), triage_call(), "test");
        executor.cancel(Slot::Write(9));
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Replied(Token(9), Err(cancelled_failure()))
        );
        executor.cancel(Slot::Write(7));
        slow.reply_to_first(Reply::Triaged(Some(1)));
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Replied(Token(1), Ok(Reply::Triaged(Some(1))))
        );
    }

    #[tokio::test]
    async fn a_call_whose_task_panicked_still_replies() {
        let (mut executor, slow) = connected_executor().await;
        executor.submit(Token(1), Slot::Members, ServiceCall::Members, "test");
        slow.0.lock().unwrap().clear();
        assert_eq!(
            executor.next_event().await,
            ExecutorEvent::Replied(Token(1), Err(panicked_task_failure()))
        );
    }
}
