//! The editor of the person: `$VISUAL`, `$EDITOR`, or else one that is installed.
//!
//! Never here: running it.

use super::process_env;

pub struct Editor {
    /// The shell command.
    pub command: String,
    /// How to leave it, unless the person named it.
    pub manual: Option<&'static str>,
}

const NANO: (&str, &str) = (
    "nano",
    "Neither $VISUAL nor $EDITOR is set, so this opens in nano: Ctrl-o and Enter save, Ctrl-x leaves.",
);
const VI: (&str, &str) = (
    "vi",
    "Neither $VISUAL nor $EDITOR is set, so this opens in vi: :wq and Enter save and leave, :q! and Enter leave without saving.",
);

pub fn find_editor() -> Editor {
    let named = process_env("VISUAL").or_else(|| process_env("EDITOR"));
    choose_editor(named, is_installed(NANO.0))
}

fn choose_editor(named: Option<String>, has_nano: bool) -> Editor {
    if let Some(command) = named.filter(|command| !command.trim().is_empty()) {
        let manual = None;
        return Editor { command, manual };
    }
    let (command, manual) = if has_nano { NANO } else { VI };
    Editor {
        command: command.to_owned(),
        manual: Some(manual),
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_editor_of_ones_own_it_is_said_how_to_leave_the_one_that_opens() {
        let chosen = |named: Option<&str>, has_nano| {
            let editor = choose_editor(named.map(str::to_owned), has_nano);
            (editor.command, editor.manual)
        };
        assert_eq!(chosen(Some("code -w"), true), ("code -w".to_owned(), None));
        let (command, manual) = chosen(None, true);
        assert!(command == "nano" && manual.unwrap().contains("Ctrl-x leaves"));
        let (command, manual) = chosen(Some(" "), false);
        assert!(command == "vi" && manual.unwrap().contains(":q! and Enter leave"));
    }
}
