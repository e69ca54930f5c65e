//! What tests set that the console only reads.

use std::sync::Arc;

use crate::app::command::keymap::Keymap;
use crate::app::context::Context;
use crate::app::session::{AppSettings, ConsoleSession};
use crate::domain::credits::Credits;
use crate::domain::workspace::Workspace;

impl Context {
    pub(in crate::app) fn set_keymap(&mut self, keymap: Arc<Keymap>) {
        self.keymap = keymap;
    }

    pub(in crate::app) fn session_mut(&mut self) -> &mut ConsoleSession {
        &mut self.session
    }

    pub(in crate::app) fn settings_mut(&mut self) -> &mut AppSettings {
        &mut self.settings
    }

    pub(in crate::app) fn workspace_mut(&mut self) -> &mut Option<Workspace> {
        &mut self.team.workspace
    }

    pub(in crate::app) fn set_credits(&mut self, credits: Credits) {
        self.work.budget.credits = Some(credits);
    }

    pub(in crate::app) fn is_exporting(&self) -> bool {
        self.exports.is_running()
    }
}
