//! Preferences: what the user chose on the screen, saved under a name for the next session.

use crate::app::context::Work;
use crate::app::{AppSettings, Effect};

impl AppSettings {
    /// A saved preference; empty if there is none.
    pub(in crate::app) fn preference(&self, name: &str) -> &str {
        self.preferences.get(name).map_or("", String::as_str)
    }

    /// Sets a preference and saves it. An empty value deletes it.
    pub(in crate::app) fn save_preference(&mut self, name: &str, value: &str, work: &mut Work) {
        if value.is_empty() {
            self.preferences.remove(name);
        } else {
            self.preferences.insert(name.to_owned(), value.to_owned());
        }
        work.emit(Effect::SavePreference(name.to_owned(), value.to_owned()));
    }
}
