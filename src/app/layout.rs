//! The layout: rectangles computed from size and state, and what a click on them means.

use ratatui::layout::{Position, Rect};

use crate::app::Screen;
use crate::app::command::Command;
use crate::ui::popup::PopupAreas;
use crate::ui::{area, paint};

/// Below this width or height, one record at a time is shown.
pub const MIN_LIST_SIZE: (u16, u16) = (50, 14);
/// From this width on, the side panel is beside the list.
pub const WIDE_MIN_WIDTH: u16 = 110;
/// From this size on, the screen names have their own row.
pub const SCREEN_BAR_MIN_SIZE: (u16, u16) = (64, 22);
/// From this height on, the preview goes below where it does not fit beside.
pub const TALL_MIN_HEIGHT: u16 = 22;
/// From this size on, a side panel goes below the list where it does not fit beside.
const STACKED_MIN_SIZE: (u16, u16) = (64, 18);

/// How much room the focused of two panes gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaneSize {
    #[default]
    Normal,
    /// Most of the screen.
    Wide,
    /// All of it.
    Full,
}

impl PaneSize {
    pub fn next(self) -> PaneSize {
        match self {
            PaneSize::Normal => PaneSize::Wide,
            PaneSize::Wide => PaneSize::Full,
            PaneSize::Full => PaneSize::Normal,
        }
    }
}

/// The share of an enlarged pane, in hundredths.
const WIDE_SHARE: u16 = 80;

/// What a click or the wheel hits.
#[derive(Clone, Copy)]
pub enum HitTarget {
    /// A line of the list.
    Row(usize),
    /// A line of Explore's builder.
    BuilderLine(usize),
    /// A tab of the pane, by its index.
    PaneTab(usize),
    /// A line of the pane's second list.
    SideRow(usize),
    Screen(Screen),
    /// The side panel, where the wheel scrolls its text.
    SidePanel,
    /// A hint in the footer.
    Hint(&'static Command),
}

/// The rectangles of a frame; those without room are empty.
#[derive(Clone, Default)]
pub struct FrameLayout {
    pub frame: Rect,
    /// Too small for a list: one record at a time.
    pub is_compact: bool,
    /// Wide enough for two panes side by side, and none has the whole screen.
    pub is_wide: bool,
    /// The size of the focused pane.
    pub pane_size: PaneSize,
    /// Location, caller, counts and meter.
    pub header: Rect,
    pub screen_bar: Rect,
    /// Tabs, and the pane's filter.
    pub tab_bar: Rect,
    /// The panel of the list or text.
    pub panel: Rect,
    /// The lines inside it.
    pub rows: Rect,
    pub heading: Rect,
    /// The side panel is below the list.
    pub preview_below: bool,
    /// Entries of the side panel's list.
    pub entry_count: usize,
    pub side_panel: Rect,
    pub side_rows: Rect,
    /// The panel with the side list's scroll bar.
    pub side_scroll_track: Rect,
    pub side_has_focus: bool,
    pub form: Rect,
    /// The dialog that is a list, over everything else.
    pub dialog: PopupAreas,
    /// The builder over a list.
    pub list_filter: Rect,
    pub map: Rect,
    /// Results and errors.
    pub notice: Rect,
    pub hints: Rect,
    pub(super) hit_targets: Vec<(Rect, HitTarget)>,
}

impl FrameLayout {
    /// Splits the body between a pane and what is opened over it: beside, below, or in its place.
    pub fn split_for_overlay(&mut self, body: Rect) -> (Rect, Rect) {
        let is_wide = std::mem::take(&mut self.is_wide);
        if is_wide {
            area::split_columns(body, 48)
        } else if body.width >= SCREEN_BAR_MIN_SIZE.0 && body.height >= TALL_MIN_HEIGHT - 3 {
            area::split_rows(body, body.height - body.height / 4)
        } else {
            (Rect { height: 0, ..body }, body)
        }
    }

    /// Splits the body between two panes side by side, the left one with `hundredths` of the width;
    /// the focused one may be larger.
    pub fn split_columns(
        &self,
        body: Rect,
        hundredths: u16,
        is_right_focused: bool,
    ) -> (Rect, Rect) {
        match (self.pane_size, is_right_focused) {
            (PaneSize::Normal, _) => area::split_columns(body, hundredths),
            (PaneSize::Wide, false) => area::split_columns(body, hundredths.max(WIDE_SHARE)),
            (PaneSize::Wide, true) => area::split_columns(body, hundredths.min(100 - WIDE_SHARE)),
            (PaneSize::Full, false) => (body, Rect::default()),
            (PaneSize::Full, true) => (Rect::default(), body),
        }
    }

    /// Splits the body between two panes, the lower one with this height; the focused one may be
    /// larger.
    pub fn split_rows(&self, body: Rect, height: u16, is_lower_focused: bool) -> (Rect, Rect) {
        let share = body.height / 100 * WIDE_SHARE + body.height % 100 * WIDE_SHARE / 100;
        match (self.pane_size, is_lower_focused) {
            (PaneSize::Normal, _) => area::split_rows(body, height),
            (PaneSize::Wide, false) => area::split_rows(body, height.min(body.height - share)),
            (PaneSize::Wide, true) => area::split_rows(body, height.max(share)),
            (PaneSize::Full, false) => (body, Rect::default()),
            (PaneSize::Full, true) => (Rect::default(), body),
        }
    }

    /// Splits the body between a list and its side panel: side by side with `hundredths` of the
    /// width for the list, stacked with the height `below` where that is allowed, or the open one
    /// only.
    pub fn split_list_and_side(
        &mut self,
        body: Rect,
        hundredths: u16,
        below: Option<u16>,
        is_open: bool,
    ) {
        let has_room = body.width >= STACKED_MIN_SIZE.0 && body.height >= STACKED_MIN_SIZE.1;
        (self.panel, self.side_panel) = match below.filter(|_| has_room) {
            _ if body.width >= WIDE_MIN_WIDTH => self.split_columns(body, hundredths, is_open),
            Some(height) => {
                self.preview_below = true;
                self.split_rows(body, height, is_open)
            }
            None if is_open => (Rect::default(), body),
            None => (body, Rect::default()),
        };
    }

    /// The scroll bar of the focused list: on the right border of the dialog or panel that its rows
    /// are in.
    pub fn scrollbar(&self) -> Rect {
        let rows = self.focused_rows();
        let is_inside = |panel: &Rect| !panel.is_empty() && panel.intersection(rows) == rows;
        let panel = [self.dialog.frame, self.side_panel, self.panel]
            .into_iter()
            .find(is_inside)
            .filter(|_| !rows.is_empty());
        panel.map_or_else(Rect::default, |panel| Rect {
            x: panel.right() - 1,
            width: 1,
            ..rows
        })
    }

    /// The lines of the list that has the focus.
    pub fn focused_rows(&self) -> Rect {
        if self.dialog.frame.is_empty() {
            self.rows
        } else {
            self.dialog.body
        }
    }

    pub fn hit_target_at(&self, at: Position) -> Option<HitTarget> {
        self.hit_targets
            .iter()
            .find(|(area, _)| area.contains(at))
            .map(|(_, spot)| *spot)
    }

    /// The area of the last tab, if the pane has several.
    pub fn last_tab(&self) -> Option<Rect> {
        let tabs = self
            .hit_targets
            .iter()
            .filter_map(|(area, spot)| match spot {
                HitTarget::PaneTab(index) => Some((*index, *area)),
                _ => None,
            });
        tabs.max_by_key(|(index, _)| *index)
            .filter(|(index, _)| *index > 0)
            .map(|(_, area)| area)
    }

    pub fn hint_targets(&self) -> impl Iterator<Item = (Rect, &'static Command)> {
        self.hit_targets.iter().filter_map(|(area, spot)| {
            if let HitTarget::Hint(command) = spot {
                Some((*area, *command))
            } else {
                None
            }
        })
    }

    pub fn add_hit_target(&mut self, area: Rect, spot: HitTarget) {
        self.hit_targets.push((area, spot));
    }

    /// Adds a target for each row of a list whose first visible row is `top`.
    pub fn add_row_targets(&mut self, rows: Rect, top: usize, spot: fn(usize) -> HitTarget) {
        for (line, n) in (top..).zip(0..rows.height) {
            self.add_hit_target(paint::row_rect(rows, n), spot(line));
        }
    }
}

/// The text area of a panel: one cell of padding on each side.
pub fn panel_text_area(panel: Rect) -> Rect {
    area::inset_sides(
        Rect {
            y: panel.y + 1,
            height: panel.height.saturating_sub(2),
            ..panel
        },
        2,
    )
}
