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
use crate::app::{ConsoleSession, Context, focused_list};

/// The card with the first keys needs this many lines.
const FIRST_RUN_MIN_HEIGHT: u16 = 18;

impl Context {
    /// Closes the overlay without an answer, else the dialog that is a list.
    pub(in crate::app) fn close_overlay(&mut self) {
        match self.ui.overlay.take() {
            Some(Overlay::FirstRun) => {
                let name = first_run_preference(&self.session);
                self.settings
                    .save_preference(&name, "shown", &mut self.work);
            }
            Some(_) => {}
            None => {
                self.ui.list_dialogs.pop();
            }
        }
    }

    /// Opens a dialog that is a list, in place of what is open.
    pub(in crate::app) fn open_list_dialog(&mut self, dialog: ListDialog) {
        self.ui.overlay = None;
        self.ui.list_dialogs = vec![dialog];
        self.rearrange_list_dialog();
    }

    /// Opens the frequency table of a column over the list that it counts.
    pub(in crate::app) fn open_frequency_list(&mut self, list: FrequencyList) {
        self.ui.overlay = None;
        self.ui.close_frequency_list();
        self.ui
            .list_dialogs
            .push(ListDialog::Frequency(Box::new(list)));
        self.rearrange_list_dialog();
    }

    /// Has the dialog that is a list do something.
    pub(in crate::app) fn update_list_dialog<R>(
        &mut self,
        act: impl FnOnce(&mut ListDialog, &mut Context) -> R,
    ) -> Option<R> {
        let mut dialog = self.ui.list_dialogs.pop()?;
        let result = act(&mut dialog, self);
        self.ui.list_dialogs.push(dialog);
        Some(result)
    }

    /// Closes or opens the group under the cursor of the dialog, or closes the dialog where it has no
    /// rows.
    pub(in crate::app) fn fold_or_close_dialog(&mut self) {
        if self.ui.focus.has_rows().is_ok() {
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
            && self.session.is_connected()
            && !self.session.is_dashboard_only;
        let has_room = !self.frame.is_compact() && self.frame.size().1 >= FIRST_RUN_MIN_HEIGHT;
        if is_wanted
            && has_room
            && self
                .settings
                .preference(&first_run_preference(&self.session))
                .is_empty()
        {
            self.ui.overlay = Some(Overlay::FirstRun);
        }
    }
}

fn first_run_preference(session: &ConsoleSession) -> String {
    format!("first_run.{}", session.label)
}
