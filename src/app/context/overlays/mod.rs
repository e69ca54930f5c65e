//! The commands of the overlays: what their keys do.
//!
//! Never here: the state of an overlay (`app/overlay/`), or what the user's choice does.

pub(in crate::app) mod call_form;
pub(in crate::app) mod choice;
pub(in crate::app) mod column_list;
pub(in crate::app) mod filter_form;
pub(in crate::app) mod frequency_list;
pub(in crate::app) mod gap_list;
pub(in crate::app) mod history_list;
pub(in crate::app) mod join_code;
pub(in crate::app) mod lists;
pub(in crate::app) mod palette;
pub(in crate::app) mod picker;
pub(in crate::app) mod text_page;

use crate::app::action::Action;
use crate::app::list_change::ListChange;
use crate::app::overlay::Overlay;
use crate::app::overlay::frequency_list::FrequencyList;
use crate::app::overlay::list_dialog::ListDialog;
use crate::app::{Context, focused_list};

/// The card with the first keys needs this many lines.
const FIRST_RUN_MIN_HEIGHT: u16 = 18;

impl Context {
    /// Closes the overlay without an answer, else the dialog that is a list.
    pub(in crate::app) fn close_overlay(&mut self) {
        match self.overlay.take() {
            Some(Overlay::FirstRun) => {
                let name = self.first_run_preference();
                self.save_preference(&name, "shown");
            }
            Some(_) => {}
            None => {
                self.list_dialogs.pop();
            }
        }
    }

    /// Opens a dialog that is a list, in place of what is open.
    pub(in crate::app) fn open_list_dialog(&mut self, dialog: ListDialog) {
        self.overlay = None;
        self.list_dialogs = vec![dialog];
        self.rearrange_list_dialog();
    }

    /// Opens the frequency table of a column over the list that it counts.
    pub(in crate::app) fn open_frequency_list(&mut self, list: FrequencyList) {
        self.overlay = None;
        self.close_frequency_list();
        self.list_dialogs
            .push(ListDialog::Frequency(Box::new(list)));
        self.rearrange_list_dialog();
    }

    /// Closes the frequency table, so that the list that it counts has the keys.
    pub(in crate::app) fn close_frequency_list(&mut self) -> Option<ListDialog> {
        self.list_dialogs
            .pop_if(|dialog| matches!(dialog, ListDialog::Frequency(_)))
    }

    pub(in crate::app) fn frequency_list(&self) -> Option<&FrequencyList> {
        match self.list_dialog() {
            Some(ListDialog::Frequency(list)) => Some(list),
            _ => None,
        }
    }

    /// The dialog that is a list, without the frequency table over it.
    pub(in crate::app) fn counted_dialog(&self) -> Option<&ListDialog> {
        let mut dialogs = self.list_dialogs.iter().rev();
        dialogs.find(|dialog| !matches!(dialog, ListDialog::Frequency(_)))
    }

    /// Has the dialog that is a list do something.
    pub(in crate::app) fn update_list_dialog<R>(
        &mut self,
        act: impl FnOnce(&mut ListDialog, &mut Context) -> R,
    ) -> Option<R> {
        let mut dialog = self.list_dialogs.pop()?;
        let result = act(&mut dialog, self);
        self.list_dialogs.push(dialog);
        Some(result)
    }

    /// Closes or opens the group under the cursor of the dialog, or closes the dialog where it has no
    /// rows.
    pub(in crate::app) fn fold_or_close_dialog(&mut self) {
        if self.has_rows().is_ok() {
            self.work
                .perform(Action::ChangeList(ListChange::ToggleFold));
        } else {
            self.close_overlay();
        }
    }

    /// The rows of the dialog that is a list changed: its cursor stays on its line.
    pub(in crate::app) fn rearrange_list_dialog(&mut self) {
        self.update_list_dialog(|dialog, cx| focused_list::rearrange(dialog, usize::MAX, cx));
    }

    /// Shows the card with the first keys, unless it was shown for this service before.
    pub(in crate::app) fn show_first_run_card(&mut self) {
        let is_wanted = self.settings.has_first_run_card
            && self.is_connected()
            && !self.session.is_dashboard_only;
        let has_room = !self.is_compact() && self.size.1 >= FIRST_RUN_MIN_HEIGHT;
        if is_wanted && has_room && self.preference(&self.first_run_preference()).is_empty() {
            self.overlay = Some(Overlay::FirstRun);
        }
    }

    fn first_run_preference(&self) -> String {
        format!("first_run.{}", self.session.label)
    }

    /// The keys go into a text or a choice: a late reply must not open a question now, or it would
    /// swallow them.
    pub(in crate::app) fn is_typing(&self) -> bool {
        self.has_open_question() || self.focus.is_annotating
    }
}
