//! Copies texts: with the clipboard program of the desktop where one works, else through the
//! terminal (OSC 52), else to a file.
//!
//! A program confirms what it took. A terminal does not, and drops long texts without a word: those
//! are saved to a file instead. A program is tried only where its desktop is, so that nothing lands
//! in the clipboard of a machine that nobody sits at.
//!
//! Never here: what is copied.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;
use tokio::sync::mpsc;

use super::event::Event;
use super::frame_writer::FrameWriter;
use crate::app::Msg;
use crate::app::msg::{CopyResult, Push};

/// Maximum size in bytes of a text for a terminal: terminals silently drop longer ones.
const MAX_TERMINAL_BYTES: usize = 74_000;
/// How long a program may take.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// How often its end is looked for.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The file for a text that could not be copied, or the next free numbered one.
pub(super) const FILE_NAME: &str = "gantry-copy.txt";

/// A program that takes a text on its standard input.
struct ClipboardProgram {
    name: &'static str,
    arguments: &'static [&'static str],
    /// One of these variables shows that its desktop is here; without any it is the desktop of the
    /// machine itself.
    display: Option<&'static str>,
}

const PROGRAMS: &[ClipboardProgram] = &[
    ClipboardProgram {
        name: "wl-copy",
        arguments: &[],
        display: Some("WAYLAND_DISPLAY"),
    },
    ClipboardProgram {
        name: "xclip",
        arguments: &["-selection", "clipboard"],
        display: Some("DISPLAY"),
    },
    ClipboardProgram {
        name: "xsel",
        arguments: &["--clipboard", "--input"],
        display: Some("DISPLAY"),
    },
    ClipboardProgram {
        name: "pbcopy",
        arguments: &[],
        display: None,
    },
];

/// Copies a text without holding up the event loop; [`Push::Copied`] follows. If no program takes
/// it, [`Event::CopyThroughTerminal`] comes first.
pub(super) fn copy(what: String, text: String, events: &mpsc::Sender<Event>) {
    let events = events.clone();
    let run = move || {
        let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let event = match copy_with_program(&text, env, None) {
            Some(program) => Event::from(Push::Copied {
                what,
                result: CopyResult::Program(program),
            }),
            None => Event::CopyThroughTerminal { what, text },
        };
        let _ = events.blocking_send(event);
    };
    // Without a thread nothing is reported, as with a terminal that drops the text.
    let _ = std::thread::Builder::new()
        .name("clipboard".into())
        .spawn(run);
}

/// Sends a text to the terminal, or saves it to this file if it is too long.
pub(super) fn copy_through_terminal<W: Write>(
    what: String,
    text: &str,
    file: impl AsRef<Path>,
    screen: &mut FrameWriter<W>,
) -> Msg {
    let result = match terminal_sequence(text) {
        Ok(sequence) => match screen.write_raw(&sequence) {
            Ok(()) => CopyResult::Terminal,
            Err(error) => CopyResult::Failed(error.to_string()),
        },
        Err(why) => match super::export_file::write_text(file.as_ref(), text) {
            Ok(path) => CopyResult::Saved(path, why),
            Err(failure) => {
                CopyResult::Failed(format!("{why}, and not saved: {}", failure.message))
            }
        },
    };
    Msg::Pushed(Push::Copied { what, result })
}

/// The escape sequence that copies a text (OSC 52); if there is none, why.
fn terminal_sequence(text: &str) -> Result<String, String> {
    if text.len() > MAX_TERMINAL_BYTES {
        return Err(format!(
            "{} bytes are too many for the terminal",
            text.len()
        ));
    }
    let mut bytes = String::new();
    CopyToClipboard::to_clipboard_from(text)
        .write_ansi(&mut bytes)
        .map_err(|_| "the text cannot be encoded".to_owned())?;
    Ok(bytes)
}

/// Tries the programs in turn; returns the name of the one that took the text. `folder` is where
/// they are, instead of the path.
fn copy_with_program(
    text: &str,
    env: impl Fn(&str) -> Option<String>,
    folder: Option<&Path>,
) -> Option<&'static str> {
    let is_here = |program: &&ClipboardProgram| match program.display {
        Some(name) => env(name).is_some(),
        None => env("SSH_CONNECTION").is_none(),
    };
    let takes = |program: &&ClipboardProgram| {
        let path = folder.map_or_else(|| program.name.into(), |folder| folder.join(program.name));
        let mut command = Command::new(path);
        command.args(program.arguments);
        run_program(command, text, TIME_LIMIT)
    };
    PROGRAMS
        .iter()
        .filter(is_here)
        .find(takes)
        .map(|program| program.name)
}

/// Runs a program with this text as its input. Returns whether it succeeded in time; what it leaves
/// running keeps the clipboard.
fn run_program(mut command: Command, text: &str, time_limit: Duration) -> bool {
    super::child_env::remove_gantry_env(&mut command);
    crate::platform::processes::detach(&mut command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    let input = child.stdin.take();
    let bytes = text.as_bytes().to_vec();
    // A program that does not read would hold up the writer for good.
    let writer =
        std::thread::spawn(move || input.is_some_and(|mut input| input.write_all(&bytes).is_ok()));
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success() && writer.join().unwrap_or(false),
            Ok(None) if started.elapsed() < time_limit => std::thread::sleep(CHECK_INTERVAL),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A folder with programs of these names, each of which runs a script.
    fn programs(scripts: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in scripts {
            let path = folder.path().join(name);
            fs::write(
                &path,
                format!(
                    "#!/bin/sh\n{}\n",
                    script.replace("FOLDER", &folder.path().display().to_string())
                ),
            )
            .unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        }
        folder
    }

    fn env(names: &'static [&'static str]) -> impl Fn(&str) -> Option<String> {
        move |name| names.contains(&name).then(|| ":0".to_owned())
    }

    #[test]
    fn the_first_program_of_the_desktop_that_succeeds_gets_the_text() {
        let folder = programs(&[
            ("wl-copy", "exit 1"),
            ("xclip", "echo \"$@\" > FOLDER/args; cat > FOLDER/text"),
            ("pbcopy", "cat > FOLDER/other"),
        ]);
        let text = "names\nof 2 rows: $HOME `x`";
        assert_eq!(
            copy_with_program(
                text,
                env(&["WAYLAND_DISPLAY", "DISPLAY"]),
                Some(folder.path())
            ),
            Some("xclip")
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("text")).unwrap(),
            text
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("args")).unwrap(),
            "-selection clipboard\n"
        );
        assert!(!folder.path().join("other").exists());
    }

    #[test]
    fn a_program_of_another_machine_or_without_its_desktop_is_not_run() {
        let folder = programs(&[
            ("wl-copy", "cat > FOLDER/text"),
            ("xclip", "cat > FOLDER/text"),
            ("pbcopy", "cat > FOLDER/text"),
        ]);
        assert_eq!(
            copy_with_program("x", env(&["SSH_CONNECTION"]), Some(folder.path())),
            None
        );
        assert!(!folder.path().join("text").exists());
        assert_eq!(
            copy_with_program("x", env(&[]), Some(folder.path())),
            Some("pbcopy")
        );
    }

    #[test]
    fn a_program_that_neither_reads_nor_ends_is_given_up() {
        let folder = programs(&[("stuck", "exec sleep 600")]);
        assert!(!run_program(
            Command::new(folder.path().join("stuck")),
            &"x".repeat(1 << 20),
            Duration::from_millis(50)
        ));
        assert!(!run_program(
            Command::new(folder.path().join("missing")),
            "x",
            TIME_LIMIT
        ));
    }

    #[test]
    fn the_terminal_gets_osc_52_and_a_text_that_it_would_drop_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let mut bytes = Vec::new();
        let mut copied = |text: &str| {
            let mut screen = FrameWriter::new(&mut bytes, (2, 2));
            let Msg::Pushed(Push::Copied { result, .. }) =
                copy_through_terminal("x".to_owned(), text, &path, &mut screen)
            else {
                panic!("the result of a copy")
            };
            result
        };
        assert_eq!(copied("gantry"), CopyResult::Terminal);
        let long = "x".repeat(MAX_TERMINAL_BYTES + 1);
        assert_eq!(
            copied(&long),
            CopyResult::Saved(
                path.clone(),
                "74001 bytes are too many for the terminal".to_owned()
            )
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), long);
        assert!(
            matches!(copied(&long), CopyResult::Saved(other, _) if other.ends_with("gantry-copy-2.txt")),
            "nothing is overwritten"
        );
        assert_eq!(bytes, b"\x1b]52;c;Z2FudHJ5\x1b\\");
    }
}
