//! The commands of the overlays: what their keys do.
//!
//! Never here: the state of an overlay (`app/overlay/`), or what the user's choice does.

pub(in crate::app) mod choice;
pub(in crate::app) mod column_list;
pub(in crate::app) mod filter_form;
pub(in crate::app) mod palette;
pub(in crate::app) mod picker;

use crate::app::Context;

impl Context {
    /// Closes the overlay without an answer.
    pub(in crate::app) fn close_overlay(&mut self) {
        self.overlay = None;
    }

    /// The keys go into a text or a choice: a late reply must not open a question now, or it would swallow them.
    pub(in crate::app) fn is_typing(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some() || self.focus.is_annotating
    }
}
