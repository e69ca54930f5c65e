//! What is edited in the user's editor while the console waits, and the configuration, which is
//! read again.
//!
//! Never here: what the texts are for.

use std::io;

use super::{EventLoop, TerminalControl};
use crate::app::Msg;
use crate::app::msg::{EditorPurpose, Push};
use crate::config;
use crate::domain::queue_tabs::SavedTab;
use crate::runtime::external_editor::ExternalEditor;
use crate::runtime::{connect, input, settings};

impl<T: TerminalControl, W: io::Write> EventLoop<T, W> {
    /// Shows what is wrong with the configuration that the console started with.
    pub(super) fn report_setting_problems(&mut self) {
        let problems = std::mem::take(&mut self.configuration.problems);
        if !problems.is_empty() {
            self.dispatch(Msg::Pushed(Push::SettingProblems(problems)));
        }
    }

    pub(super) fn run_editor(&mut self, purpose: EditorPurpose, text: &str) {
        let edited = self.lend_terminal(|editor| {
            editor.edit(text, purpose.file_extension(), purpose.max_bytes())
        });
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
        let created =
            config::create_config_file(&self.configuration.paths).map_err(|error| error.message);
        match created.and_then(|file| self.lend_terminal(|editor| editor.edit_file(&file))) {
            Ok(()) => self.reload_configuration(),
            Err(why) => self.dispatch(Msg::Pushed(Push::EffectFailed(why))),
        }
    }

    pub(super) fn read_settings(&mut self) {
        let read = (self.configuration.list)();
        self.dispatch(Msg::Pushed(Push::SettingsRead(read)));
    }

    /// Changes a setting in the file, and applies the file.
    pub(super) fn change_setting(&mut self, key: String, text: Option<String>) {
        let result = settings::change_setting(&self.configuration.paths, &key, text.as_deref());
        if result.is_ok() {
            self.reload_configuration();
        }
        self.dispatch(Msg::Pushed(Push::SettingChanged { key, text, result }));
    }

    /// Saves what changed in the tabs of the queue since the configuration was read or saved.
    pub(super) fn save_queue_tabs(&mut self, tabs: Vec<SavedTab>) {
        match connect::save_queue_tabs(&self.configuration.paths, &self.saved_tabs, &tabs) {
            Ok(()) => self.saved_tabs = tabs,
            Err(error) => {
                let failed = format!("could not save the tabs: {error}");
                self.dispatch(Msg::Pushed(Push::EffectFailed(failed)));
            }
        }
    }

    pub(super) fn reload_configuration(&mut self) {
        let pushed = match (self.configuration.reload)() {
            Ok((settings, problems)) => {
                self.saved_tabs = settings.queue_tabs.clone();
                Push::SettingsReloaded {
                    settings: Box::new(settings),
                    problems,
                }
            }
            Err(why) => Push::EffectFailed(format!("the configuration was not reloaded: {why}")),
        };
        self.dispatch(Msg::Pushed(pushed));
    }
}
