//! What a console reaches beyond its screen: the clipboard, through the terminal, and the browser.
//!
//! Never here: anything that opens by itself. Both follow a key.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

use crate::text;

/// The most bytes that go to the clipboard: beyond it terminals drop the whole text without a word.
pub const COPY_MAX: usize = 74_000;

/// The bytes that put a text on the clipboard (OSC 52); none when it is too long.
pub fn copy(text: &str) -> Option<String> {
    if text.len() > COPY_MAX {
        return None;
    }
    let mut bytes = String::new();
    CopyToClipboard::to_clipboard_from(text).write_ansi(&mut bytes).ok()?;
    Some(bytes)
}

/// The bytes that ring the terminal's bell and show a notification where the terminal has any (OSC 9): a count, never data.
pub fn notification(text: &str) -> String {
    let text: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(120).collect();
    format!("\u{1b}]9;{text}\u{1b}\\\u{7}")
}

/// Opens a page in the person's browser and does not wait for it. The child knows nothing of this program's credentials.
pub fn open(url: &str) -> io::Result<()> {
    if text::host_of_page(url).is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "only plain http and https pages are opened"));
    }
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for mut command in open::commands(url) {
        super::keep_from(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        match command.spawn() {
            Ok(mut child) => {
                // Somebody has to see the child off, or it stays in the process table.
                std::thread::Builder::new().name("browser".into()).spawn(move || child.wait())?;
                return Ok(());
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_opened() {
        for other in ["file:///etc/passwd", "javascript:alert(1)", "--help", "https://user@a.example"] {
            assert_eq!(open(other).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{other}");
        }
    }

    #[test]
    fn a_text_travels_to_the_clipboard_encoded_and_a_huge_one_not_at_all() {
        assert_eq!(copy("gantry").unwrap(), "\x1b]52;c;Z2FudHJ5\x1b\\");
        assert_eq!(copy(&"x".repeat(COPY_MAX + 1)), None);
    }
}
