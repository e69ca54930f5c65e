//! The one place on the screen for results and errors.

use std::borrow::Cow;

use super::App;
use crate::ui::TextRole;

/// A line for the person, until the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How it reads.
    pub role: TextRole,
    /// What happened.
    pub text: String,
    /// What can be done next; `{command}` stands for that command's key.
    pub hint: Cow<'static, str>,
    /// A key was pressed since it came: from then on it keeps to one line.
    pub is_read: bool,
}

impl Notice {
    /// Something to know.
    pub fn note(text: impl Into<String>) -> Self {
        Notice { role: TextRole::Muted, text: text.into(), hint: "".into(), is_read: false }
    }

    /// It went well.
    pub fn good(text: impl Into<String>) -> Self {
        Notice { role: TextRole::Success, ..Notice::note(text) }
    }

    /// It needs a look.
    pub fn warn(text: impl Into<String>) -> Self {
        Notice { role: TextRole::Warning, ..Notice::note(text) }
    }

    /// It went wrong.
    pub fn bad(text: impl Into<String>) -> Self {
        Notice { role: TextRole::Error, ..Notice::note(text) }
    }

    /// The same line with a hint at what can be done next.
    pub fn with(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Notice { hint: hint.into(), ..self }
    }
}

impl App {
    /// The key of a command, for a message that names it.
    pub fn key_name(&self, id: &str) -> Cow<'_, str> {
        self.keymap.named(id)
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Settings;
    use crate::app::command::keymap::{Change, Wishes};
    use crate::app::testing::{Console, morning};
    use crate::domain::failure::RequestError;

    /// A console with keys of its own for what messages name most.
    fn rebound() -> Console {
        let change = |(id, key): (&str, &str)| Change { id: id.into(), keys: vec![key.into()], at: "config.toml:2".into() };
        let changes = [
            ("undo", "F5"),
            ("redo", "F6"),
            ("refresh", "F7"),
            ("queue.threads", "F8"),
            ("queue.preview", "F9"),
            ("views.run", "F10"),
            ("records.narrow", "F11"),
            ("go.typed", "F12"),
            ("team.remove", "F2"),
        ];
        let keys = Wishes { preset: None, changes: changes.map(change).into() };
        Console::sized(morning(), (120, 36), Settings { keys, ..Settings::default() }).poll().serve()
    }

    #[test]
    fn every_message_names_the_key_that_works() {
        let done = rebound().press("e").serve();
        assert!(done.screen().contains("F5 undoes"), "{}", done.screen());
        let undone = done.press("F5").serve();
        assert!(undone.screen().contains("F6 does it again"), "{}", undone.screen());
        for (keys, said) in [("-", "F8 groups them"), ("p F9 Tab", "F9 shows it"), ("2 Space j Space =", "F10 runs one")] {
            let console = keys.split(' ').fold(rebound(), |console, key| console.press(key).serve());
            assert!(console.screen().contains(said), "{said}: {}", console.screen());
        }
        let saved = rebound().press("3").serve().press("Enter").serve().press("D Down Enter").serve();
        assert!(saved.screen().contains("F5"), "{}", saved.screen());
        let offline = rebound().press("e").fail(RequestError::new_not_sent("connection refused"));
        assert!(!offline.screen().contains("z undoes"), "{}", offline.screen());
    }

    #[test]
    fn a_command_without_a_key_is_named_as_the_palette_finds_it() {
        let change = Change { id: "undo".into(), keys: Vec::new(), at: "config.toml:2".into() };
        let keys = Wishes { preset: None, changes: vec![change] };
        let console = Console::sized(morning(), (120, 36), Settings { keys, ..Settings::default() }).poll().serve();
        let console = console.press("e").serve();
        assert!(console.screen().contains(":undo undoes"), "{}", console.screen());
    }
}
