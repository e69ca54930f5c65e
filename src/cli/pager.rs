//! A pager for what is longer than the terminal, as git and man have one. Nothing is paged in a
//! pipe or with `--no-pager`.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use super::print;

/// Quits at once if the text fits, keeps colors and leaves the text on the screen.
const DEFAULT_PAGER: &str = "less -FRX";

/// Prints a text; through the pager if it has more lines than the terminal.
pub(super) fn print_paged(text: &str) -> io::Result<()> {
    let command = pager_command(|name| std::env::var(name).ok());
    match print::terminal_height() {
        Some(height) if text.lines().count() >= usize::from(height) => page(text, &command),
        _ => print::write_data(text),
    }
}

/// `GANTRY_PAGER`, else `PAGER`. An empty variable counts as not set.
fn pager_command(variable: impl Fn(&str) -> Option<String>) -> String {
    let named = |name| variable(name).filter(|command| !command.trim().is_empty());
    named("GANTRY_PAGER")
        .or_else(|| named("PAGER"))
        .unwrap_or_else(|| DEFAULT_PAGER.to_owned())
}

/// Runs the pager without a shell, its words separated by spaces. If it cannot be started, the text
/// is printed as it is.
fn page(text: &str, command: &str) -> io::Result<()> {
    let mut words = command.split_whitespace();
    let mut pager = Command::new(words.next().unwrap_or_default());
    pager.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        pager.env("LESS", "FRX");
    }
    // The token is none of its business.
    let own: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    for name in own
        .iter()
        .filter(|name| name.to_string_lossy().starts_with("GANTRY_"))
    {
        pager.env_remove(name);
    }
    let Ok(mut running) = pager.spawn() else {
        return print::write_data(text);
    };
    // Whoever has seen enough closes the pager before it has read everything.
    let written = running
        .stdin
        .take()
        .map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
    running.wait()?;
    written.or_else(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Ok(())
        } else {
            Err(error)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gantrys_own_variable_comes_before_the_common_one_and_an_empty_one_counts_as_not_set() {
        let command = |own: Option<&str>, common: Option<&str>| {
            pager_command(|name| {
                if name == "GANTRY_PAGER" { own } else { common }.map(str::to_owned)
            })
        };
        assert_eq!(command(Some("cat"), Some("most")), "cat");
        assert_eq!(command(Some(""), Some("most")), "most");
        assert_eq!(command(None, None), DEFAULT_PAGER);
    }
}
