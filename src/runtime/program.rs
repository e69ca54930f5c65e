//! Runs the programs of custom commands: without a shell, without input, for a limited time and
//! output.
//!
//! A custom command's program that is still running after the time limit is left alone: it may be
//! the browser that it opened. One that alerts the room is ended: it runs unattended.

use std::pin::Pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::event::Event;
use crate::app::msg::{ProgramEnd, ProgramOutput, Push};
use crate::platform::processes;
use crate::platform::tasks;

/// How long a program is waited for.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How much of each of its outputs is kept, in bytes.
const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// How long its outputs are read after its end: what it started may keep them open.
const REST_OF_OUTPUT: Duration = Duration::from_millis(200);

/// Runs a program in the background; [`Push::ProgramEnded`] follows.
pub(super) fn start_program(
    name: &'static str,
    arguments: Vec<String>,
    events: &mpsc::Sender<Event>,
) {
    let events = events.clone();
    tasks::spawn(async move {
        let output = run_program(&arguments, TIME_LIMIT).await;
        let ended = Push::ProgramEnded(name, Box::new(output));
        let _ = events.send(ended.into()).await;
    });
}

/// Runs a program that alerts the room in the background, and ends it after the time limit;
/// [`Push::AlertEnded`] follows.
pub(super) fn start_alert(arguments: Vec<String>, events: &mpsc::Sender<Event>) {
    let events = events.clone();
    tasks::spawn(async move {
        let result = run_alert(&arguments, TIME_LIMIT).await;
        let _ = events.send(Push::AlertEnded(result).into()).await;
    });
}

/// Runs a program that alerts the room, for a command.
pub fn run_alert_program(
    arguments: Vec<String>,
) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
    Box::pin(async move { run_alert(&arguments, TIME_LIMIT).await })
}

/// A program without input and without gantry's credentials, apart from the terminal.
fn new_command(program: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    super::child_env::remove_gantry_env(command.as_std_mut());
    processes::detach(command.as_std_mut());
    command.args(arguments).stdin(Stdio::null());
    command
}

async fn run_alert(arguments: &[String], time_limit: Duration) -> Result<(), String> {
    let Some((program, rest)) = arguments.split_first() else {
        return Err("no program".to_owned());
    };
    let mut command = new_command(program, rest);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let group = child.id();
    match tokio::time::timeout(time_limit, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("{program}: {status}")),
        Ok(Err(error)) => Err(format!("{program}: {error}")),
        Err(_) => {
            // With what it started.
            processes::kill_process_group(group);
            let _ = child.wait().await;
            Err(format!(
                "{program}: ended after {} seconds",
                time_limit.as_secs()
            ))
        }
    }
}

async fn run_program(arguments: &[String], time_limit: Duration) -> ProgramOutput {
    let failed = |why: String| ProgramOutput {
        end: ProgramEnd::Failed(why),
        stdout: String::new(),
        stderr: String::new(),
        is_cut: false,
    };
    let Some((program, rest)) = arguments.split_first() else {
        return failed("no program".to_owned());
    };
    let mut command = new_command(program, rest);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot run {program}: {error}")),
    };
    let outputs = [
        child.stdout.take().map(OutputReader::start),
        child.stderr.take().map(OutputReader::start),
    ];
    let end = match tokio::time::timeout(time_limit, child.wait()).await {
        Ok(Ok(status)) if status.success() => ProgramEnd::Succeeded,
        Ok(Ok(status)) => ProgramEnd::Failed(status.to_string()),
        Ok(Err(error)) => ProgramEnd::Failed(error.to_string()),
        Err(_) => ProgramEnd::StillRunning,
    };
    let [mut stdout, mut stderr] = [(String::new(), false), (String::new(), false)];
    for (reader, read) in outputs.into_iter().zip([&mut stdout, &mut stderr]) {
        if let Some(reader) = reader {
            *read = reader.finish().await;
        }
    }
    ProgramOutput {
        end,
        is_cut: stdout.1 || stderr.1,
        stdout: stdout.0,
        stderr: stderr.0,
    }
}

/// Reads an output to its end and keeps its beginning.
struct OutputReader {
    kept: Arc<Mutex<(Vec<u8>, bool)>>,
    task: JoinHandle<()>,
}

impl OutputReader {
    fn start(mut output: impl AsyncRead + Unpin + Send + 'static) -> OutputReader {
        let kept = Arc::new(Mutex::new((Vec::new(), false)));
        let shared = Arc::clone(&kept);
        let task = tasks::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(count) = output.read(&mut buffer).await
                && count > 0
            {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let room = count.min(MAX_OUTPUT_BYTES - kept.0.len());
                kept.0.extend_from_slice(&buffer[..room]);
                kept.1 |= room < count;
            }
        });
        OutputReader { kept, task }
    }

    /// What was read, and whether there was more.
    async fn finish(mut self) -> (String, bool) {
        if tokio::time::timeout(REST_OF_OUTPUT, &mut self.task)
            .await
            .is_err()
        {
            self.task.abort();
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&kept.0).into_owned(), kept.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(arguments: &[&str]) -> ProgramOutput {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        run_program(&arguments, Duration::from_secs(60)).await
    }

    #[tokio::test]
    async fn no_shell_reads_the_arguments() {
        let output = run(&["printf", "%s|", "$HOME; echo no", "`x`"]).await;
        assert_eq!(
            (output.end, output.stdout.as_str()),
            (ProgramEnd::Succeeded, "$HOME; echo no|`x`|")
        );
    }

    #[tokio::test]
    async fn a_failure_has_its_status_and_its_errors() {
        let output = run(&["sh", "-c", "echo out; echo wrong >&2; exit 3"]).await;
        assert_eq!(output.end, ProgramEnd::Failed("exit status: 3".to_owned()));
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            ("out\n", "wrong\n")
        );
        let output = run(&["no-such-program"]).await;
        assert!(
            matches!(output.end, ProgramEnd::Failed(why) if why.starts_with("cannot run no-such-program: "))
        );
    }

    #[tokio::test]
    async fn a_program_that_alerts_is_ended_after_the_limit_with_what_it_started() {
        let alert = |script: &str, limit| {
            let arguments = ["sh", "-c", script].map(str::to_owned);
            async move { run_alert(&arguments, limit).await }
        };
        assert_eq!(alert("exit 0", Duration::from_secs(60)).await, Ok(()));
        assert_eq!(
            alert("exit 3", Duration::from_secs(60)).await,
            Err("sh: exit status: 3".to_owned())
        );
        let slow = alert("sleep 600 & sleep 600", Duration::from_millis(50)).await;
        assert_eq!(slow, Err("sh: ended after 0 seconds".to_owned()));
    }

    #[tokio::test]
    async fn only_the_beginning_of_a_long_output_is_kept() {
        let output = run(&["sh", "-c", "head -c 200000 /dev/zero"]).await;
        assert_eq!(
            (output.end, output.stdout.len(), output.is_cut),
            (ProgramEnd::Succeeded, MAX_OUTPUT_BYTES, true)
        );
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_is_no_longer_waited_for() {
        let arguments = ["sleep", "5"].map(str::to_owned);
        assert_eq!(
            run_program(&arguments, Duration::from_millis(1)).await.end,
            ProgramEnd::StillRunning
        );
    }
}
