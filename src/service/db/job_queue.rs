//! A queue of database work for one or more threads. Jobs of different workspaces take turns, and
//! one workspace never has all the threads.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::sql::Conn;
use crate::domain::WorkspaceId;

pub type DatabaseJob = Box<dyn FnOnce(&mut Conn) + Send>;

/// Jobs without a workspace share a turn.
type Turn = Option<WorkspaceId>;

pub struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// How many jobs of a workspace run at the same time.
    max_running: usize,
    /// How many jobs run.
    running: AtomicUsize,
}

#[derive(Default)]
struct QueueState {
    /// The turns with waiting jobs, next one first.
    waiting: VecDeque<(Turn, VecDeque<DatabaseJob>)>,
    running: BTreeMap<WorkspaceId, usize>,
    is_closed: bool,
}

impl JobQueue {
    pub fn new(max_running: usize) -> JobQueue {
        JobQueue {
            state: Mutex::default(),
            changed: Condvar::new(),
            max_running,
            running: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job; false if the queue is closed.
    pub fn push(&self, turn: Turn, job: DatabaseJob) -> bool {
        let mut state = self.lock();
        if state.is_closed {
            return false;
        }
        match state
            .waiting
            .iter_mut()
            .find(|(waiting, _)| *waiting == turn)
        {
            Some((_, jobs)) => jobs.push_back(job),
            None => state.waiting.push_back((turn, VecDeque::from([job]))),
        }
        drop(state);
        self.changed.notify_one();
        true
    }

    /// How many jobs run, and how many wait.
    pub fn count_jobs(&self) -> (usize, usize) {
        let waiting = self.lock().waiting.iter().map(|(_, jobs)| jobs.len()).sum();
        (self.running.load(Ordering::Relaxed), waiting)
    }

    /// Lets the threads end once all jobs are done.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for the next job and passes it to `run`; false if the queue is closed and empty.
    pub fn run_next(&self, run: impl FnOnce(DatabaseJob)) -> bool {
        let mut state = self.lock();
        let (turn, job) = loop {
            if let Some(next) = state.take_next(self.max_running) {
                break next;
            }
            if state.is_closed && state.waiting.is_empty() {
                return false;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        self.running.fetch_add(1, Ordering::Relaxed);
        run(job);
        self.running.fetch_sub(1, Ordering::Relaxed);
        if let Some(workspace) = turn {
            self.lock().end(workspace);
            // a thread may be waiting for this workspace to have fewer jobs running
            self.changed.notify_all();
        }
        true
    }
}

impl QueueState {
    /// The next job of a turn that may run another one; its turn goes to the end.
    fn take_next(&mut self, max_running: usize) -> Option<(Turn, DatabaseJob)> {
        let may_run = |turn: &Turn| {
            turn.is_none_or(|id| {
                self.running
                    .get(&id)
                    .is_none_or(|running| *running < max_running)
            })
        };
        let at = self.waiting.iter().position(|(turn, _)| may_run(turn))?;
        let (turn, mut jobs) = self.waiting.remove(at)?;
        let job = jobs.pop_front()?;
        if !jobs.is_empty() {
            self.waiting.push_back((turn, jobs));
        }
        if let Some(workspace) = turn {
            *self.running.entry(workspace).or_default() += 1;
        }
        Some((turn, job))
    }

    fn end(&mut self, workspace: WorkspaceId) {
        if let Some(running) = self.running.get_mut(&workspace) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&workspace);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_take_turns_and_none_has_all_the_threads() {
        let [busy, other] = [1, 2].map(|nth| Some(WorkspaceId(uuid::Uuid::from_u128(nth))));
        let mut state = QueueState::default();
        let job = || -> DatabaseJob { Box::new(|_| ()) };
        state
            .waiting
            .push_back((busy, (0..5).map(|_| job()).collect()));
        state
            .waiting
            .push_back((other, VecDeque::from([job(), job()])));
        let mut turns =
            || std::iter::from_fn(|| state.take_next(2).map(|(turn, _)| turn)).collect::<Vec<_>>();
        assert_eq!(turns(), [busy, other, busy, other]);
        state.end(busy.unwrap());
        assert_eq!(state.take_next(2).map(|(turn, _)| turn), Some(busy));
        assert!(state.take_next(2).is_none(), "two of them run");
        state.waiting.push_back((None, VecDeque::from([job()])));
        assert_eq!(
            state.take_next(2).map(|(turn, _)| turn),
            Some(None),
            "others are not held up"
        );
    }
}
