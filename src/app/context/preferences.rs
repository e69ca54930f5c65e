//! Preferences: what the user chose on the screen, saved under a name for the next session.

use crate::app::command::custom::CustomCommand;
use crate::app::context::Work;
use crate::app::context::list_tables::WRAP_PREFERENCE;
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::app::{AppSettings, Effect};
use crate::domain::field_kind::ListSort;

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

    /// The columns that the user chose for a list, or the default ones.
    pub fn chosen_columns(&self, table: &ListTable) -> Vec<ColumnSpec> {
        table.chosen_columns(self.preference(&table.columns_preference()))
    }

    /// The order that the user chose; `None` for the usual one.
    pub fn list_sort(&self, table: &ListTable) -> Option<ListSort> {
        table.parse_sort(self.preference(&table.sort_preference()))
    }

    /// Whether the row under the cursor shows its long cells in full.
    pub fn wraps_cursor_row(&self) -> bool {
        !self.preference(WRAP_PREFERENCE).is_empty()
    }

    pub(in crate::app) fn custom_command(&self, id: &str) -> Option<&CustomCommand> {
        self.custom_commands
            .iter()
            .find(|custom| custom.command.id == id)
    }
}
