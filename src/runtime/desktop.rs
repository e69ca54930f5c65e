//! What a console reaches beyond its screen: the clipboard, through the terminal, and the browser.
//!
//! Never here: anything that opens by itself. Both follow a key.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

use crate::text;

/// The most bytes that go to the clipboard: beyond it terminals drop the whole text without a word.
pub const MAX_COPY_BYTES: usize = 74_000;
/// A program that ran for so long has opened the page.
const BROWSER_SUCCESS_AFTER: Duration = Duration::from_secs(10);

/// The bytes that put a text on the clipboard (OSC 52); none when it is too long.
pub fn clipboard_sequence(text: &str) -> Option<String> {
    if text.len() > MAX_COPY_BYTES {
        return None;
    }
    let mut bytes = String::new();
    CopyToClipboard::to_clipboard_from(text).write_ansi(&mut bytes).ok()?;
    Some(bytes)
}

/// The bytes that ring the terminal's bell and show a notification where the terminal has any (OSC 9): a count, never data.
pub fn notification_sequence(text: &str) -> String {
    let text: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(120).collect();
    format!("\u{1b}]9;{text}\u{1b}\\\u{7}")
}

/// Opens a page in the person's browser and does not wait for it; `not_opened` is told why when none opens it. The child knows nothing
/// of this program's credentials.
pub fn open_url(url: &str, not_opened: impl FnOnce(String) + Send + 'static) -> io::Result<()> {
    if text::web_page_host(url).is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "only plain http and https pages are opened"));
    }
    let commands = open::commands(url);
    std::thread::Builder::new().name("browser".into()).spawn(move || {
        if let Err(why) = run_until_success(commands) {
            not_opened(why);
        }
    })?;
    Ok(())
}

/// Runs these commands one after the other until one succeeds. One that ran for a while has shown the page, however it ends.
fn run_until_success(commands: Vec<Command>) -> Result<(), String> {
    let mut why = "this machine has no program that opens pages".to_owned();
    for mut command in commands {
        super::remove_gantry_env(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let started = Instant::now();
        match command.status() {
            Ok(status) if status.success() || started.elapsed() > BROWSER_SUCCESS_AFTER => return Ok(()),
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
        for other in ["file:///etc/passwd", "javascript:alert(1)", "--help", "https://user@a.example"] {
            assert_eq!(open_url(other, |_| {}).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{other}");
        }
    }

    #[test]
    fn a_url_that_no_program_opens_is_reported_with_the_reason() {
        let fails = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(run_until_success(vec![fails("exit 3"), fails("exit 0")]), Ok(()));
        assert_eq!(
            run_until_success(vec![Command::new("no-such-program"), fails("exit 3")]),
            Err("sh: exit status: 3".to_owned())
        );
        assert_eq!(run_until_success(Vec::new()).unwrap_err(), "this machine has no program that opens pages");
    }

    #[test]
    fn text_is_copied_as_osc_52_and_too_much_of_it_is_not_copied() {
        assert_eq!(clipboard_sequence("gantry").unwrap(), "\x1b]52;c;Z2FudHJ5\x1b\\");
        assert_eq!(clipboard_sequence(&"x".repeat(MAX_COPY_BYTES + 1)), None);
    }
}
