//! Layout of the team.

use ratatui::layout::Rect;

use crate::app::App;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::records::draw::rows_area;
use crate::ui::area;

/// Height of the side panel when it is below the lists.
const PANEL_HEIGHT: u16 = 6;

impl App {
    /// The two lists: one above the other, or in a small area only the focused one.
    pub(in crate::app) fn split_team_lists(&self, area: Rect) -> (Rect, Rect) {
        let none = Rect { height: 0, ..area };
        if area.height < 13 {
            return if self.team.invitations_focused { (none, area) } else { (area, none) };
        }
        let wanted = |len: usize| u16::try_from(len).unwrap_or(u16::MAX).saturating_add(5).max(6);
        let (members, invitations) = (wanted(self.members.len()), wanted(self.team.invitations.len()));
        let below = invitations.min((area.height / 3).max(area.height.saturating_sub(members))).max(6);
        area::split_rows(area, below)
    }

    /// The two lists, with the side panel beside them, below them or in their place.
    pub(in crate::app) fn lay_out_team(&mut self, areas: &mut FrameLayout, body: Rect) {
        areas.split_list_and_side(body, 62, Some(PANEL_HEIGHT), self.team.panel_open);
        let (members, invitations) = self.split_team_lists(areas.panel);
        let lists = [(members, self.members.len(), 0), (invitations, self.team.invitations.len(), self.members.len())];
        for ((area, len, before), scroll) in
            lists.into_iter().zip([&mut self.team.members_scroll, &mut self.team.invitations_scroll])
        {
            let rows = rows_area(area);
            scroll.clamp_to_list(len, rows.height);
            let height = rows.height.min(u16::try_from(len - scroll.top.min(len)).unwrap_or(u16::MAX));
            areas.add_row_targets(Rect { height, ..rows }, before + scroll.top, HitTarget::Row);
        }
        areas.rows = rows_area(if self.team.invitations_focused { invitations } else { members });
    }
}
