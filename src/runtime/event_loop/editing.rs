//! What is edited in the user's editor while the console waits, and the configuration, which is read again.
//!
//! Never here: what the texts are for.

use std::io;

use super::{EventLoop, TerminalControl};
use crate::app::Msg;
use crate::app::msg::{EditorPurpose, Push};
use crate::config;
use crate::runtime::external_editor::ExternalEditor;
use crate::runtime::input;

impl<T: TerminalControl, W: io::Write> EventLoop<T, W> {
    pub(super) fn run_editor(&mut self, purpose: EditorPurpose, text: &str) {
        let edited = self.lend_terminal(|editor| editor.edit(text, purpose.file_extension(), purpose.max_bytes()));
        self.dispatch(Msg::EditorClosed(purpose, edited));
    }

    /// Hands terminal and keyboard to the editor until it ends; events wait meanwhile.
    fn lend_terminal<R>(&mut self, edit: impl FnOnce(&ExternalEditor) -> R) -> R {
        let lent = input::pause_reader();
        self.terminal.release();
        let edited = edit(&self.editor);
        self.terminal.resume();
        drop(lent);
        self.resize();
        self.screen.invalidate();
        edited
    }

    pub(super) fn edit_configuration(&mut self) {
        let created = config::create_config_file(&self.config_paths).map_err(|error| error.message);
        let file = self.config_paths.config_file();
        match created.and_then(|()| self.lend_terminal(|editor| editor.edit_file(&file))) {
            Ok(()) => self.reload_configuration(),
            Err(why) => self.dispatch(Msg::Pushed(Push::EffectFailed(why))),
        }
    }

    pub(super) fn reload_configuration(&mut self) {
        let pushed = match (self.reload_settings)() {
            Ok((settings, problems)) => Push::SettingsReloaded { settings: Box::new(settings), problems },
            Err(why) => Push::EffectFailed(format!("the configuration was not reloaded: {why}")),
        };
        self.dispatch(Msg::Pushed(pushed));
    }
}
