//! A paste goes into the focused text field. Without one it is ignored, and a notice says so.

use super::Console;
use crate::app::format::format_count;
use crate::app::notice::Notice;
use crate::app::pane::Pane;
use crate::ui::text_input::PasteTooLong;

impl Console {
    pub(super) fn handle_paste(&mut self, text: &str) {
        let pasted = if let Some(overlay) = &mut self.overlay {
            overlay.paste(text)
        } else if self.prompt.is_some() {
            self.paste_into_prompt(text)
        } else if self.panes.annotation_form.is_open() {
            self.panes.annotation_form.paste(text)
        } else {
            self.panes.get_mut(self.cx.screen).paste(text)
        };
        match pasted {
            Some(Ok(())) => {}
            Some(Err(PasteTooLong { length, available: room })) => {
                let (length, room) = (format_count(length as u64), format_count(room as u64));
                let text = format!("The paste is too long: {length} characters, room for {room}. Nothing was pasted.");
                self.notice = Some(Notice::error(text));
            }
            None => {
                let text = "That looked like a paste. There is no text field here, so it was ignored.";
                self.notice = Some(Notice::warning(text).with_hint("press keys one at a time"));
            }
        }
    }
}
