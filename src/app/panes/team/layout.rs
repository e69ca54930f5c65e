//! Layout of the team.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::team::TeamPane;
use crate::ui::{area, panel};

/// Height of the side panel when it is below the lists.
const PANEL_HEIGHT: u16 = 6;

impl TeamPane {
    /// The two lists: one above the other, or in a small area only the focused one.
    pub(super) fn split_lists(&self, area: Rect, cx: &Context) -> (Rect, Rect) {
        let none = Rect { height: 0, ..area };
        if area.height < 13 {
            return if self.invitations_focused {
                (none, area)
            } else {
                (area, none)
            };
        }
        let wanted = |len: usize| {
            u16::try_from(len)
                .unwrap_or(u16::MAX)
                .saturating_add(5)
                .max(6)
        };
        // With the headings of groups; before the first read, by what is known of the team.
        let members = wanted(self.member_lines.len().max(cx.team.members.len()));
        let invitations = wanted(self.invitation_lines.len().max(self.invitations.len()));
        let below = invitations
            .min((area.height / 3).max(area.height.saturating_sub(members)))
            .max(6);
        area::split_rows(area, below)
    }

    /// The two lists, with the side panel beside them, below them or in their place.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        areas.split_list_and_side(body, 62, Some(PANEL_HEIGHT), self.panel_open);
        let (members, invitations) = self.split_lists(areas.panel, cx);
        let member_lines = self.member_lines.len();
        let lists = [
            (members, &mut self.member_lines, 0),
            (invitations, &mut self.invitation_lines, member_lines),
        ];
        for (area, lines, before) in lists {
            let rows = panel::rows_area(area);
            lines.clamp(rows.height);
            let (top, len) = (lines.scroll.top, lines.len());
            let height = rows
                .height
                .min(u16::try_from(len - top.min(len)).unwrap_or(u16::MAX));
            areas.add_row_targets(Rect { height, ..rows }, before + top, HitTarget::Row);
        }
        areas.rows = panel::rows_area(if self.invitations_focused {
            invitations
        } else {
            members
        });
    }
}
