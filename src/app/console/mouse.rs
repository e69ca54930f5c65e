//! The mouse: from a click to a row, a tab or a command.
//!
//! A click never writes or spends by itself: a command that writes at once asks first, and calls that cost credits are held until
//! the price is confirmed (`budget_guard`).

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::app::action::Action;
use crate::app::command::Command;
use crate::app::console::Console;
use crate::app::layout::HitTarget;
use crate::app::pane::Pane;

impl Console {
    pub(super) fn handle_mouse(&mut self, event: MouseEvent) {
        let at = (event.column, event.row).into();
        let wheel: isize = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return,
        };
        if let Some(overlay) = &self.cx.overlay {
            if wheel == 0 && overlay.is_dismissible() {
                self.cx.close_overlay();
            }
            return;
        }
        // What is typed in a prompt applies to what is shown above it now.
        if self.cx.prompt.is_some() {
            return;
        }
        if self.panes.annotation_form.is_open() {
            match self.cx.layout().hit_target_at(at) {
                Some(HitTarget::Hint(command)) if wheel == 0 => self.click_hint(command),
                _ => self.panes.annotation_form.scroll(wheel),
            }
            return;
        }
        match self.cx.layout().hit_target_at(at) {
            Some(HitTarget::Row(_) | HitTarget::SideRow(_)) if self.panes.explore.list_filter.is_some() => {}
            Some(HitTarget::Row(line)) if wheel == 0 => self.click_row(line),
            Some(HitTarget::SideRow(line)) if wheel == 0 => {
                if let Some(open) = self.panes.get_mut(self.cx.screen()).click_side_row(line, &mut self.cx) {
                    self.update_focus();
                    self.run_command_by_id(open);
                }
            }
            Some(HitTarget::PaneTab(index)) if wheel == 0 => {
                self.panes.get_mut(self.cx.screen()).show_tab(index, &mut self.cx);
            }
            Some(HitTarget::BuilderLine(line)) if wheel == 0 => self.click_line(line),
            Some(HitTarget::Screen(screen)) if wheel == 0 => self.go_to_screen(screen),
            Some(HitTarget::Hint(command)) if wheel == 0 => self.click_hint(command),
            Some(HitTarget::SidePanel) if wheel != 0 => {
                self.panes.get_mut(self.cx.screen()).scroll_side_panel(wheel);
            }
            _ if wheel != 0 => self.move_cursor(wheel),
            _ => {}
        }
    }

    /// A click moves the cursor to a row; a click on the current row opens it.
    fn click_row(&mut self, line: usize) {
        if let Some(open) = self.panes.get_mut(self.cx.screen()).click_row(line, &mut self.cx) {
            self.update_focus();
            self.run_command_by_id(open);
        }
    }

    /// A click moves the cursor to a builder line; a click on the current line changes it.
    fn click_line(&mut self, line: usize) {
        if let Some(change) = self.panes.explore.click_side_row(line, &mut self.cx) {
            self.run_command_by_id(change);
        }
    }

    /// A click on a hint runs it; a command that would write at once asks first.
    fn click_hint(&mut self, command: &'static Command) {
        if command.writes_immediately && self.availability(command).is_ok() {
            let sentence = format!("{}.", command.description);
            let verb = self.hint_text(command).unwrap_or(command.title);
            self.cx.confirm_change(verb, sentence, Action::RunCommand(command.id));
        } else {
            self.run_command(command);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Msg;
    use crate::app::command::Scope;
    use crate::app::effect::ServiceCall;
    use crate::app::testing::TestConsole;

    #[test]
    fn clicking_a_hint_or_a_row_never_writes_or_spends() {
        let harm = |console: &TestConsole| {
            let harms = |call: &&ServiceCall| {
                matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_)) || call.max_credits().is_some_and(|n| n > 0)
            };
            console.calls.iter().filter(harms).count()
        };
        let mut clicks = 0;
        for scope in Scope::ALL {
            let console = TestConsole::at_scope(*scope).send(Msg::Resized(200, 60));
            let hints: Vec<_> =
                console.context().layout().hint_targets().map(|(area, command)| (area.x, area.y, command.id)).collect();
            for (x, y, id) in hints {
                let console = TestConsole::at_scope(*scope).send(Msg::Resized(200, 60));
                let before = harm(&console);
                let console = console.click(x, y).serve();
                assert_eq!(harm(&console), before, "{id} in {scope:?}");
                clicks += 1;
            }
            let before = harm(&console);
            let mut console = console;
            for y in [6, 6, 8, 8] {
                console = console.click(5, y).serve();
            }
            assert_eq!(harm(&console), before, "rows in {scope:?}");
        }
        assert!(clicks > 60, "{clicks}");
    }
}
