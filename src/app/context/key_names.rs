//! The names of keys, for messages that tell which key to press.

use crate::app::context::Keymap;
use crate::ui::{TextRole, TextSpan, text_span};

impl Keymap {
    /// A command's key, drawn as one.
    pub(in crate::app) fn key_label(&self, id: &str) -> TextSpan<'static> {
        text_span(TextRole::Key, self.label(id).to_owned())
    }
}

/// The keys that switch tabs, as they are shown beside the tabs.
pub(in crate::app) fn tab_keys(keymap: &Keymap) -> [TextSpan<'static>; 5] {
    let [previous, next] = ["tab.previous", "tab.next"].map(|id| keymap.key_label(id));
    [
        text_span(TextRole::Muted, "  "),
        previous,
        text_span(TextRole::Muted, " or "),
        next,
        text_span(TextRole::Muted, " tabs "),
    ]
}

#[cfg(test)]
mod tests {
    use crate::app::AppSettings;
    use crate::app::command::keymap::{KeyOverride, KeyOverrides};
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::domain::request_error::RequestError;

    /// A console with overridden keys for the commands that messages name most.
    fn console_with_overrides() -> TestConsole {
        let change = |(id, key): (&str, &str)| KeyOverride {
            id: id.into(),
            keys: vec![key.into()],
            defined_at: "config.toml:2".into(),
        };
        let changes = [
            ("undo", "F5"),
            ("redo", "F6"),
            ("refresh", "F7"),
            ("list.group", "F8"),
            ("queue.preview", "F9"),
            ("views.run", "F10"),
            ("records.narrow", "F11"),
            ("go.typed", "F12"),
            ("team.remove", "F2"),
        ];
        let keys = KeyOverrides {
            preset: None,
            overrides: changes.map(change).into(),
            ..Default::default()
        };
        TestConsole::with_size(
            morning_queue(),
            (120, 36),
            AppSettings {
                key_overrides: keys,
                ..AppSettings::default()
            },
        )
        .poll()
        .serve()
    }

    #[test]
    fn every_message_names_the_overridden_key() {
        let done = console_with_overrides().press("e").serve();
        assert!(
            done.screen_text().contains("F5 undoes"),
            "{}",
            done.screen_text()
        );
        let undone = done.press("F5").serve();
        assert!(
            undone.screen_text().contains("F6 redoes"),
            "{}",
            undone.screen_text()
        );
        for (keys, expected) in [
            ("-", "F8 groups them"),
            ("p F9 Tab", "F9 shows it"),
            ("2 Space j Space =", "F10 runs one"),
        ] {
            let console = keys
                .split(' ')
                .fold(console_with_overrides(), |console, key| {
                    console.press(key).serve()
                });
            assert!(
                console.screen_text().contains(expected),
                "{expected}: {}",
                console.screen_text()
            );
        }
        let saved = console_with_overrides()
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .press("D Down Enter")
            .serve();
        assert!(
            saved.screen_text().contains("F5"),
            "{}",
            saved.screen_text()
        );
        let offline = console_with_overrides()
            .press("e")
            .fail_next(RequestError::new_not_sent("connection refused"));
        assert!(
            !offline.screen_text().contains("z undoes"),
            "{}",
            offline.screen_text()
        );
    }

    #[test]
    fn a_command_without_a_key_is_named_by_its_palette_name() {
        let change = KeyOverride {
            id: "undo".into(),
            keys: Vec::new(),
            defined_at: "config.toml:2".into(),
        };
        let keys = KeyOverrides {
            preset: None,
            overrides: vec![change],
            ..Default::default()
        };
        let console = TestConsole::with_size(
            morning_queue(),
            (120, 36),
            AppSettings {
                key_overrides: keys,
                ..AppSettings::default()
            },
        )
        .poll()
        .serve();
        let console = console.press("e").serve();
        assert!(
            console.screen_text().contains(":undo undoes"),
            "{}",
            console.screen_text()
        );
    }
}
