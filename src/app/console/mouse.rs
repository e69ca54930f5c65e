//! The mouse: from a click to a row, a tab or a command.
//!
//! A click never writes or spends by itself: a command that writes at once asks first, and calls
//! that cost credits are held until the price is confirmed (`budget_guard`).

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::app::console::Console;
use crate::app::layout::HitTarget;
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent};

impl Console {
    pub(super) fn handle_mouse(&mut self, event: MouseEvent) {
        let at = Position::new(event.column, event.row);
        let wheel: isize = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::Down(MouseButton::Left) | MouseEventKind::Drag(MouseButton::Left) => 0,
            MouseEventKind::Up(_) => return self.cx.pressed.hold_scrollbar(false),
            _ => return,
        };
        let is_drag = matches!(event.kind, MouseEventKind::Drag(_));
        if is_drag && !self.cx.pressed.is_scrollbar_held() {
            return;
        }
        if let Some(overlay) = &self.cx.ui.overlay {
            if wheel == 0 && overlay.is_dismissible() {
                self.cx.close_overlay();
            }
            return;
        }
        // What is typed in a prompt applies to what is shown above it now.
        if self.cx.ui.prompt.is_some() {
            return;
        }
        let holds_bar = is_drag || (wheel == 0 && self.cx.frame.layout().scrollbar().contains(at));
        if self.cx.ui.list_dialog().is_some() && !holds_bar {
            return self.click_in_dialog(at, wheel);
        }
        if self.cx.ui.list_dialog().is_none() && self.panes.annotation_form.is_open() {
            match self.cx.frame.layout().hit_target_at(at) {
                Some(HitTarget::Hint(command)) if wheel == 0 => self.confirm_command(command),
                _ => self.panes.annotation_form.scroll(wheel),
            }
            return;
        }
        if holds_bar {
            self.cx.pressed.hold_scrollbar(true);
            return self.drag_scrollbar(event.row);
        }
        self.cx.pressed.hold_scrollbar(false);
        match self.cx.frame.layout().hit_target_at(at) {
            Some(HitTarget::Row(_) | HitTarget::SideRow(_))
                if self.panes.explore.list_filter.is_some() => {}
            // The rows are not where they would be with one line each.
            Some(HitTarget::Row(_) | HitTarget::SideRow(_))
                if wheel == 0 && self.cx.settings.wraps_cursor_row() =>
            {
                let text = "rows cannot be clicked while the current one is shown in full";
                self.cx.ui.notice = Some(Notice::refusal(text).with_hint("{list.wrap} ends that"));
            }
            Some(HitTarget::Row(line)) if wheel == 0 => self.click_row(line, false),
            Some(HitTarget::SideRow(line)) if wheel == 0 => self.click_row(line, true),
            Some(HitTarget::PaneTab(index)) if wheel == 0 => {
                self.send_to_pane(PaneEvent::TabClicked(index));
            }
            Some(HitTarget::BuilderLine(line)) if wheel == 0 => self.click_line(line),
            Some(HitTarget::Screen(screen)) if wheel == 0 => self.go_to_screen(screen),
            Some(HitTarget::Hint(command)) if wheel == 0 => self.confirm_command(command),
            Some(HitTarget::SidePanel) if wheel != 0 => {
                self.send_to_pane(PaneEvent::SidePanelScrolled(wheel));
            }
            _ if wheel != 0 => self.move_cursor(wheel),
            _ => {}
        }
    }

    /// A click on a row of a dialog moves the cursor there; a click beside the dialog closes it.
    fn click_in_dialog(&mut self, at: Position, wheel: isize) {
        let areas = self.cx.frame.layout().dialog;
        if wheel != 0 {
            self.move_cursor(wheel);
        } else if areas.body.contains(at) && !self.cx.settings.wraps_cursor_row() {
            let row = usize::from(at.y - areas.body.y);
            self.cx.update_list_dialog(|dialog, _| {
                let lines = dialog.lines_mut();
                let line = lines.scroll.top + row;
                if line < lines.len() {
                    lines.scroll.cursor = line;
                }
            });
        } else if !areas.frame.contains(at) {
            self.cx.close_overlay();
        }
    }

    /// Moves the cursor of the focused list to where the mouse holds its scroll bar: the first line
    /// at the top, the last one at the bottom.
    fn drag_scrollbar(&mut self, row: u16) {
        let rows = self.cx.frame.layout().focused_rows();
        let (Some(cursor), lines) = self.focused_line() else {
            return;
        };
        let last = lines.saturating_sub(1);
        let (at, end) = (
            usize::from(row.saturating_sub(rows.y)),
            usize::from(rows.height.saturating_sub(1)).max(1),
        );
        let line = last * at.min(end) / end;
        self.move_cursor(isize::try_from(line).unwrap_or(0) - isize::try_from(cursor).unwrap_or(0));
    }

    /// A click moves the cursor to a row; a click on the current row opens it.
    fn click_row(&mut self, line: usize, in_side_list: bool) {
        let row = ClickedRow { line, in_side_list };
        let pane = self.panes.get_mut(self.cx.ui.screen());
        if let Some(open) = pane.click_row(row, &mut self.cx) {
            self.update_focus();
            self.run_command_by_id(open);
        }
    }

    /// A click moves the cursor to a builder line; a click on the current line changes it.
    fn click_line(&mut self, line: usize) {
        let row = ClickedRow {
            line,
            in_side_list: true,
        };
        if let Some(change) = self.panes.explore.click_row(row, &mut self.cx) {
            self.run_command_by_id(change);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

    use crate::app::Msg;
    use crate::app::command::Scope;
    use crate::app::effect::ServiceCall;
    use crate::app::testing::{TestConsole, many_rows};

    #[test]
    fn the_scroll_bar_is_dragged_from_the_first_row_to_the_last() {
        let mouse = |console: TestConsole, kind, at: (u16, u16)| {
            let event = MouseEvent {
                kind,
                column: at.0,
                row: at.1,
                modifiers: KeyModifiers::NONE,
            };
            console.send(Msg::Mouse(event))
        };
        let (down, drag) = (
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::Drag(MouseButton::Left),
        );
        let up = MouseEventKind::Up(MouseButton::Left);
        for (scope, console) in [
            (Scope::Queue, TestConsole::with_rows(many_rows(90))),
            (Scope::Book, TestConsole::with_large_book()),
            (Scope::Gaps, TestConsole::at_scope(Scope::Gaps)),
        ] {
            let line = |console: &TestConsole| console.app.focused_line().0;
            let (bar, rows) = (
                console.context().frame.layout().scrollbar(),
                console.context().frame.layout().focused_rows(),
            );
            let last = console.app.focused_line().1 - 1;
            assert!(
                !bar.is_empty() && last > usize::from(rows.height),
                "{scope:?}"
            );
            let console = mouse(console, down, (bar.x, rows.bottom() - 1));
            assert_eq!(line(&console), Some(last), "{scope:?}");
            let console = mouse(
                console,
                drag,
                (bar.x.saturating_sub(9), rows.y + rows.height / 2),
            );
            let middle = line(&console).unwrap();
            assert!(
                middle > last / 4 && middle < last * 3 / 4,
                "{scope:?}: {middle} of {last}"
            );
            let console = mouse(console, drag, (0, 0));
            assert_eq!(line(&console), Some(0), "{scope:?}");
            let released = mouse(console, up, (bar.x, rows.y));
            let dragged = mouse(released, drag, (bar.x, rows.bottom() - 1));
            assert_eq!(
                line(&dragged),
                Some(0),
                "a drag that began elsewhere, in {scope:?}"
            );
        }
    }

    #[test]
    fn clicking_a_hint_or_a_row_never_writes_or_spends() {
        let harm = |console: &TestConsole| {
            let harms = |call: &&ServiceCall| {
                matches!(call, ServiceCall::Triage { .. } | ServiceCall::Write(_))
                    || call.may_cost()
            };
            console.calls.iter().filter(harms).count()
        };
        let mut clicks = 0;
        for scope in Scope::ALL {
            let console = TestConsole::at_scope(*scope).send(Msg::Resized(200, 60));
            let hints: Vec<_> = console
                .context()
                .frame
                .layout()
                .hint_targets()
                .map(|(area, command)| (area.x, area.y, command.id))
                .collect();
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
