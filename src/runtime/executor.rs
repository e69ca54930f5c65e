//! Runs calls: at most four at a time, what the person waits for first, one reply for each, always.
//!
//! A call waits until there is a service and a free place, is asked in a task of its own, and answers once: with its reply, with
//! its failure, as cancelled, or, when its task broke, as one whose fate is unknown. Calls made before the service is there
//! wait for it.
//!
//! Never here: what a reply means, retries (they are the client's), and the polling task's question.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use uuid::Uuid;

use super::ask::{Answering, Connect, Connection, Keep, Service, Why};
use crate::app::effect::{Call, Slot};
use crate::app::export::Progress;
use crate::app::msg::{Reply, Token};
use crate::domain::SignalId;
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::journal::{JournalChange, JournalEntry};
use crate::domain::queue::TriageStatus;

/// Calls under way at one time.
const AT_ONCE: usize = 4;

/// The calls that wait and those under way.
pub struct Executor {
    connect: Connect,
    service: watch::Sender<Option<Arc<dyn Service>>>,
    waiting: VecDeque<Waiting>,
    tasks: JoinSet<Outcome>,
    running: Vec<Running>,
    settled: VecDeque<Done>,
    acts: HashMap<Slot, Uuid>,
    told: mpsc::UnboundedReceiver<(Token, Progress)>,
    tell: mpsc::UnboundedSender<(Token, Progress)>,
}

/// What came of a call.
#[derive(Debug, PartialEq)]
pub enum Done {
    /// How far an export has come.
    Exporting(Token, Progress),
    /// The reply to a call.
    Replied(Token, Result<Reply, RequestError>),
    /// The service that the program was started for is there, under this label, or is not.
    Opened(Result<String, RequestError>),
}

struct Waiting {
    token: Token,
    slot: Slot,
    call: Call,
    why: Why,
}

struct Running {
    task: Id,
    /// None for the opening.
    call: Option<(Token, Slot)>,
    writes: bool,
    abort: AbortHandle,
}

enum Outcome {
    Replied(Result<Reply, RequestError>),
    Connected(Result<Connection, RequestError>),
}

impl Executor {
    /// An executor without a service.
    pub fn new(connect: Connect) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        Executor {
            connect,
            service: watch::Sender::new(None),
            waiting: VecDeque::new(),
            tasks: JoinSet::new(),
            running: Vec::new(),
            settled: VecDeque::new(),
            acts: HashMap::new(),
            told,
            tell,
        }
    }

    /// The service that is asked, as it changes.
    pub fn service(&self) -> watch::Receiver<Option<Arc<dyn Service>>> {
        self.service.subscribe()
    }

    /// Waits for the service that the program was started for; `Done::Opened` follows.
    pub fn open(&mut self, opening: Answering<Connection>) {
        self.spawn(None, false, async move { Outcome::Connected(opening.await) });
    }

    /// Writes an act down; the calls of its slot follow.
    pub fn journal(&mut self, slot: Slot, act: JournalEntry) {
        self.acts.insert(slot, act.op);
        if let Some(service) = self.service.borrow().as_ref() {
            service.journal(act);
        }
    }

    /// Writes down what of the calls of a slot was applied.
    pub fn applied(&self, slot: &Slot, change: JournalChange) {
        if let Some(op) = self.acts.get(slot) {
            self.keep(Keep::Applied(*op, change));
        }
    }

    /// Writes down what was read of signals whose triage broke off.
    pub fn verified(&self, status: TriageStatus, gone: Vec<SignalId>, not_gone: Vec<SignalId>) {
        if let Some(service) = self.service.borrow().as_ref() {
            service.verified(status, gone, not_gone);
        }
    }

    /// What the person should know of this machine, each line once.
    pub fn notes(&self) -> Vec<String> {
        self.service.borrow().as_ref().map(|service| service.notes()).unwrap_or_default()
    }

    /// Why a write was not sent, where it could not be written down first. Told once.
    pub fn held(&self) -> Option<String> {
        self.service.borrow().as_ref().and_then(|service| service.held())
    }

    /// From now on writes are sent although they cannot be written down first.
    pub fn send_unkept(&self) {
        if let Some(service) = self.service.borrow().as_ref() {
            service.send_unkept();
        }
    }

    /// Keeps something for the time after this run of the program.
    pub fn keep(&self, keep: Keep) {
        if let Some(service) = self.service.borrow().as_ref() {
            service.keep(keep);
        }
    }

    /// Takes a call, made for a reason that the ledger keeps. Its reply follows, once.
    pub fn call(&mut self, token: Token, slot: Slot, call: Call, reason: &'static str) {
        if let Call::Connect(target) = call {
            let connecting = (self.connect)(target);
            self.spawn(Some((token, slot)), false, async move { Outcome::Connected(connecting.await) });
            return;
        }
        let why = Why { reason, op: self.acts.get(&slot).copied().unwrap_or_else(Uuid::now_v7) };
        let before = self.waiting.iter().position(|other| urgency(&other.call) > urgency(&call));
        self.waiting.insert(before.unwrap_or(self.waiting.len()), Waiting { token, slot, call, why });
        self.start();
    }

    /// Gives up the calls of a slot: those that wait, and reads under way. A write under way is waited for.
    pub fn cancel(&mut self, slot: Slot) {
        let settled = &mut self.settled;
        let mut give_up = |token| settled.push_back(Done::Replied(token, Err(cancelled())));
        self.waiting.retain(|waiting| {
            let keep = waiting.slot != slot;
            if !keep {
                give_up(waiting.token);
            }
            keep
        });
        self.running.retain(|running| match &running.call {
            Some((token, of)) if *of == slot && !running.writes => {
                running.abort.abort();
                give_up(*token);
                false
            }
            _ => true,
        });
        self.start();
    }

    /// Gives up what is under way, and lets the service put its things away; answers what the person should still read.
    pub async fn close(mut self) -> Vec<String> {
        self.tasks.shutdown().await;
        let service = self.service.borrow().clone();
        match service {
            Some(service) => service.close().await,
            None => Vec::new(),
        }
    }

    /// Writes that have been sent and not answered.
    pub fn writes_under_way(&self) -> usize {
        self.running.iter().filter(|running| running.writes).count()
    }

    /// Writes that wait to be sent.
    pub fn writes_waiting(&self) -> usize {
        self.waiting.iter().filter(|waiting| is_write(&waiting.call)).count()
    }

    /// The next thing that is over. Waits for ever when nothing is under way; nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Done {
        loop {
            if let Some(done) = self.settled.pop_front() {
                return done;
            }
            // What a call tells on its way comes before its reply; told is never closed, and waits when nothing is under way.
            let over = tokio::select! {
                biased;
                Some((token, progress)) = self.told.recv() => return Done::Exporting(token, progress),
                Some(over) = self.tasks.join_next_with_id() => over,
            };
            if let Some(done) = self.settle(over) {
                self.start();
                return done;
            }
        }
    }

    /// What is already over, without waiting.
    pub fn try_next(&mut self) -> Option<Done> {
        loop {
            if let Some(done) = self.settled.pop_front() {
                return Some(done);
            }
            if let Ok((token, progress)) = self.told.try_recv() {
                return Some(Done::Exporting(token, progress));
            }
            let over = self.tasks.try_join_next_with_id()?;
            if let Some(done) = self.settle(over) {
                self.start();
                return Some(done);
            }
        }
    }

    fn settle(&mut self, over: Result<(Id, Outcome), JoinError>) -> Option<Done> {
        let (id, outcome) = match over {
            Ok((id, outcome)) => (id, outcome),
            Err(broken) => (broken.id(), Outcome::Replied(Err(broken_task()))),
        };
        // A task that is not in the table was given up and has replied.
        let running = self.running.remove(self.running.iter().position(|running| running.task == id)?);
        let result = match outcome {
            Outcome::Replied(result) => result,
            Outcome::Connected(Ok(connection)) => {
                self.service.send_replace(Some(connection.service));
                Ok(Reply::Connected { label: connection.label })
            }
            Outcome::Connected(Err(failure)) => Err(failure),
        };
        if let Err(failure) = &result {
            let (slot, kind) = (running.call.as_ref().map(|(_, slot)| slot.clone()), kind(failure));
            tracing::info!(?slot, kind, status = failure.status(), "a call failed");
        }
        Some(match (running.call, result) {
            (Some((token, _)), result) => Done::Replied(token, result),
            (None, Ok(Reply::Connected { label })) => Done::Opened(Ok(label)),
            (None, Ok(_)) => Done::Opened(Err(broken_task())),
            (None, Err(failure)) => Done::Opened(Err(failure)),
        })
    }

    /// Starts what waits while there are free places.
    fn start(&mut self) {
        let Some(service) = self.service.borrow().clone() else { return };
        while self.running.len() < AT_ONCE {
            let Some(Waiting { token, slot, call, why }) = self.waiting.pop_front() else { return };
            let writes = is_write(&call);
            let asking = match call {
                Call::Export(export) => {
                    let tell = self.tell.clone();
                    service.clone().export(*export, why, Box::new(move |progress| drop(tell.send((token, progress)))))
                }
                call => service.clone().ask(call, why),
            };
            self.spawn(Some((token, slot)), writes, async move { Outcome::Replied(asking.await) });
        }
    }

    fn spawn(&mut self, call: Option<(Token, Slot)>, writes: bool, task: impl Future<Output = Outcome> + Send + 'static) {
        let abort = self.tasks.spawn(task);
        self.running.push(Running { task: abort.id(), call, writes, abort });
    }
}

fn is_write(call: &Call) -> bool {
    matches!(call, Call::Triage { .. } | Call::Write(_))
}

/// What the person has asked for with a key comes before the rows, and the rows before what stands at the edge.
fn urgency(call: &Call) -> u8 {
    match call {
        Call::Connect(_) | Call::Triage { .. } | Call::Write(_) | Call::SetBudgets(_) => 0,
        Call::Queue { .. }
        | Call::Signal(_)
        | Call::Record { .. }
        | Call::Search { .. }
        | Call::Export(_)
        | Call::Views
        | Call::Favorites
        | Call::Fields(_)
        | Call::Ledger
        | Call::Skills(_)
        | Call::FindSkills(_)
        | Call::Skill(_)
        | Call::SkillText(_)
        | Call::Ask { .. } => 1,
        Call::Past | Call::Workspace | Call::Credits | Call::Members | Call::Subscriptions | Call::Invitations => 2,
    }
}

/// What the log says of a failure: never its words, which may repeat what was asked.
fn kind(failure: &RequestError) -> &'static str {
    match failure.kind {
        RequestErrorKind::NotSent => "not sent",
        RequestErrorKind::Ambiguous => "ambiguous",
        RequestErrorKind::Rejected(_) => "refused",
        RequestErrorKind::Cancelled => "cancelled",
        RequestErrorKind::OverBudget => "over budget",
        RequestErrorKind::ReadOnly => "read only",
    }
}

fn cancelled() -> RequestError {
    RequestError { kind: RequestErrorKind::Cancelled, message: "cancelled".into() }
}

fn broken_task() -> RequestError {
    RequestError::new_ambiguous("gantry hit a bug while it asked; the log says where")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use chrono::{DateTime, Utc};
    use tokio::sync::oneshot;

    use super::*;
    use crate::app::effect::Target;
    use crate::domain::queue::{QueueStats, TriageStatus};

    /// A service that answers when the test says so.
    #[derive(Default)]
    struct Slow(Mutex<Vec<(Call, Answer)>>);

    type Answer = oneshot::Sender<Result<Reply, RequestError>>;

    impl Service for Slow {
        fn ask(self: Arc<Self>, call: Call, _: Why) -> Answering<Reply> {
            let (answer, answered) = oneshot::channel();
            self.0.lock().unwrap().push((call, answer));
            Box::pin(async move { answered.await.expect("the service panics when the test drops the answer") })
        }

        fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
            unreachable!("the executor does not poll")
        }
    }

    impl Slow {
        fn asked(&self) -> Vec<Call> {
            self.0.lock().unwrap().iter().map(|(call, _)| call.clone()).collect()
        }

        fn answer(&self, reply: Reply) {
            let (_, answer) = self.0.lock().unwrap().remove(0);
            let _ = answer.send(Ok(reply));
        }
    }

    fn connection(slow: &Arc<Slow>) -> Connection {
        Connection { service: slow.clone(), label: "demo".into() }
    }

    fn executor() -> (Executor, Arc<Slow>) {
        let slow = Arc::new(Slow::default());
        let connected = connection(&slow);
        let connect: Connect = Arc::new(move |_| {
            let connected = connected.clone();
            Box::pin(async move { Ok(connected) })
        });
        (Executor::new(connect), slow)
    }

    async fn opened() -> (Executor, Arc<Slow>) {
        let (mut executor, slow) = executor();
        let connected = connection(&slow);
        executor.open(Box::pin(async move { Ok(connected) }));
        assert_eq!(executor.next().await, Done::Opened(Ok("demo".into())));
        (executor, slow)
    }

    fn triage() -> Call {
        Call::Triage { ids: vec![], status: TriageStatus::Done }
    }

    #[tokio::test]
    async fn a_call_made_before_the_service_is_there_waits_for_it() {
        let (mut executor, slow) = executor();
        executor.call(Token(1), Slot::Workspace, Call::Workspace, "test");
        assert!(slow.asked().is_empty());
        executor.call(Token(2), Slot::Connect, Call::Connect(Target::Demo), "test");
        assert_eq!(executor.next().await, Done::Replied(Token(2), Ok(Reply::Connected { label: "demo".into() })));
        assert_eq!(slow.asked(), [Call::Workspace]);
        slow.answer(Reply::Members(vec![]));
        assert_eq!(executor.next().await, Done::Replied(Token(1), Ok(Reply::Members(vec![]))));
    }

    #[tokio::test]
    async fn four_calls_are_under_way_and_an_act_goes_before_what_waits() {
        let (mut executor, slow) = opened().await;
        for n in 0..6 {
            executor.call(Token(n), Slot::Members, Call::Members, "test");
        }
        executor.call(Token(6), Slot::Triage(1), triage(), "test");
        assert_eq!(slow.asked().len(), 4);
        slow.answer(Reply::Triaged(Some(0)));
        executor.next().await;
        assert_eq!(slow.asked().last(), Some(&triage()));
    }

    #[tokio::test]
    async fn cancelling_drops_reads_and_waiting_writes_and_waits_for_writes_that_have_left() {
        let (mut executor, slow) = opened().await;
        executor.call(Token(1), Slot::Triage(7), triage(), "test");
        for n in 2..5 {
            executor.call(Token(n), Slot::New, Call::Members, "test");
        }
        executor.call(Token(5), Slot::Triage(8), triage(), "test");
        executor.cancel(Slot::New);
        for n in 2..5 {
            assert_eq!(executor.next().await, Done::Replied(Token(n), Err(cancelled())));
        }
        for n in 6..9 {
            executor.call(Token(n), Slot::Done, Call::Members, "test");
        }
        executor.call(Token(9), Slot::Triage(9), triage(), "test");
        executor.cancel(Slot::Triage(9));
        assert_eq!(executor.next().await, Done::Replied(Token(9), Err(cancelled())));
        executor.cancel(Slot::Triage(7));
        slow.answer(Reply::Triaged(Some(1)));
        assert_eq!(executor.next().await, Done::Replied(Token(1), Ok(Reply::Triaged(Some(1)))));
    }

    #[tokio::test]
    async fn a_call_whose_task_broke_still_replies() {
        let (mut executor, slow) = opened().await;
        executor.call(Token(1), Slot::Members, Call::Members, "test");
        slow.0.lock().unwrap().clear();
        assert_eq!(executor.next().await, Done::Replied(Token(1), Err(broken_task())));
    }
}
