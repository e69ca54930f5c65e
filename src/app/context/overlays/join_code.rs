//! The keys of a new join code, and when it is shown.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::context::clipboard;
use crate::app::overlay::Overlay;
use crate::app::overlay::join_code::NewJoinCode;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help. Only one key closes it, because it is not shown again.
pub const COMMANDS: &[Row] = &[
    Row::at("code.copy", &shared::COPY, Context::copy_join_code),
    Row::at("code.close", &shared::BACK, |cx| {
        cx.join_codes.pop_front();
        cx.close_overlay();
    })
    .with_description("close the join code; it is not shown again"),
];

impl Context {
    /// Opens the next join code, unless the keys go into something else. Until the user closes it,
    /// it is opened again.
    pub(in crate::app) fn show_join_code(&mut self) {
        if !self.join_codes.is_empty() && !self.ui.is_typing() {
            self.ui.overlay = Some(Overlay::JoinCode);
        }
    }

    fn copy_join_code(&mut self) {
        if let Some(NewJoinCode { email, code, .. }) = self.join_codes.front() {
            clipboard::copy_text(
                format!("the join code for {email}"),
                code.encode(),
                &mut self.ui,
                &mut self.work,
            );
        }
    }
}
