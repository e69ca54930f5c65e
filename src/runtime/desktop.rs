//! What the console reaches outside its screen: the browser, and notifications of the terminal.
//!
//! Never here: anything that happens on its own. A page follows a key press, and a notification the
//! user's settings.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::platform::processes::detach;
use crate::text;

/// A program still running after this time has opened the page.
const BROWSER_SUCCESS_AFTER: Duration = Duration::from_secs(10);

/// The escape sequence that rings the bell and, where supported, shows a notification (OSC 9): a
/// count, never data.
pub fn notification_sequence(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .take(120)
        .collect();
    format!("\u{1b}]9;{text}\u{1b}\\\u{7}")
}

/// Opens a page in the browser without waiting; `not_opened` gets the reason if that fails. The
/// child process does not inherit gantry's credentials.
pub fn open_url(url: &str, not_opened: impl FnOnce(String) + Send + 'static) -> io::Result<()> {
    if text::web_page_host(url).is_none() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "only http and https pages can be opened",
        ));
    }
    let commands = open::commands(url);
    std::thread::Builder::new()
        .name("browser".into())
        .spawn(move || {
            if let Err(why) = run_until_success(commands) {
                not_opened(why);
            }
        })?;
    Ok(())
}

/// Runs these commands in turn until one succeeds. One that keeps running has shown the page,
/// however it ends.
fn run_until_success(commands: Vec<Command>) -> Result<(), String> {
    let mut why = "found no program that opens web pages".to_owned();
    for mut command in commands {
        super::child_env::remove_gantry_env(&mut command);
        detach(&mut command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = Instant::now();
        match command.status() {
            Ok(status) if status.success() || started.elapsed() > BROWSER_SUCCESS_AFTER => {
                return Ok(());
            }
            Ok(status) => why = format!("{}: {status}", command.get_program().to_string_lossy()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => why = format!("{}: {error}", command.get_program().to_string_lossy()),
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_are_opened() {
        for other in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "--help",
            "https://user@a.example",
        ] {
            assert_eq!(
                open_url(other, |_| {}).unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{other}"
            );
        }
    }

    #[test]
    fn a_url_that_no_program_opens_is_reported_with_the_reason() {
        let fails = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(
            run_until_success(vec![fails("exit 3"), fails("exit 0")]),
            Ok(())
        );
        assert_eq!(
            run_until_success(vec![Command::new("no-such-program"), fails("exit 3")]),
            Err("sh: exit status: 3".to_owned())
        );
        assert_eq!(
            run_until_success(Vec::new()).unwrap_err(),
            "found no program that opens web pages"
        );
    }
}
