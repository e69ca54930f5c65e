//! This process, its limits and signals, and the groups of the processes that it starts.

use std::io;
use std::process::Command;

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Disables core dumps, which would write a token to disk, and access to this process's memory by
/// other processes of the person. Elsewhere than on Unix there are none to disable.
pub fn disable_core_dumps() {
    #[cfg(unix)]
    {
        let maximum = getrlimit(Resource::Core).maximum;
        let _ = setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                maximum,
            },
        );
    }
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Raises the number of files that this process may have open, if the system allows it, and returns
/// it, at most `wanted`.
pub fn raise_open_file_limit(wanted: u64) -> u64 {
    #[cfg(unix)]
    {
        let before = getrlimit(Resource::Nofile);
        let raised = before.maximum.map_or(wanted, |hard| hard.min(wanted));
        if before.current.is_some_and(|soft| soft < raised)
            && let Err(error) = setrlimit(
                Resource::Nofile,
                Rlimit {
                    current: Some(raised),
                    ..before
                },
            )
        {
            tracing::debug!(%error, "the number of open files stays as it is");
        }
        getrlimit(Resource::Nofile)
            .current
            .unwrap_or(wanted)
            .min(wanted)
    }
    #[cfg(not(unix))]
    wanted
}

/// Returns the memory that was freed to the system. glibc's allocator keeps what is between two
/// pieces in use; others return it by themselves.
pub fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(
            unsafe_code,
            reason = "it takes no memory and no lock of ours: whoever calls it can do nothing wrong"
        )]
        unsafe extern "C" {
            safe fn malloc_trim(kept_bytes: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}

/// Lowers the priority of this thread, where threads have priorities of their own.
pub fn lower_thread_priority(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        && let Err(error) = rustix::process::nice(niceness)
    {
        tracing::debug!(%error, "the thread keeps its priority");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// Replaces this process by a program, and returns why that failed. Elsewhere than on Unix it waits
/// for the program and ends with it.
pub fn replace_process(command: &mut Command) -> io::Error {
    #[cfg(unix)]
    return std::os::unix::process::CommandExt::exec(command);
    #[cfg(not(unix))]
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Starts the program in a group of its own, so that keys typed in this terminal do not end it.
pub fn detach(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Ends a detached program and what it started.
pub fn kill_process_group(id: Option<u32>) {
    #[cfg(unix)]
    if let Some(group) = id
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// Makes a write beyond a limit on file sizes (`ulimit -f`) fail like one to a full disk: by itself
/// it ends the process without a word. Has to be called within a tokio runtime.
pub fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // The handler stays when the stream is dropped.
        let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    }
    Ok(())
}

/// Completes when the process is asked to stop.
pub fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        );
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
