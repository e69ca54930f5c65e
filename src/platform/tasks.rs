//! Tasks of the runtime. Tokio compiles all of its machinery for each type of future, so all tasks
//! with the same output share one type here.

use std::future::Future;
use std::pin::Pin;

use tokio::task::JoinHandle;

/// As [`tokio::spawn`].
pub fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let task: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(task);
    tokio::spawn(task)
}

/// As [`tokio::task::spawn_blocking`].
pub fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let work: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    tokio::task::spawn_blocking(work)
}
