//! Layout of the ledger, the window and the budgets.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::layout::{FrameLayout, HitTarget, PaneSize, WIDE_MIN_WIDTH};
use crate::app::panes::credits::{CreditsPane, LedgerGrouping};
use crate::ui::{area, paint, panel};

/// The panels of the screen; a panel without room is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreditsAreas {
    pub window: Rect,
    pub ledger: Rect,
    pub budgets: Rect,
    pub shares: Rect,
}

/// Places the panels; an enlarged ledger is alone.
pub fn panel_areas(body: Rect, size: PaneSize, has_chart: bool) -> CreditsAreas {
    if size == PaneSize::Full {
        return CreditsAreas {
            ledger: body,
            ..CreditsAreas::default()
        };
    }
    let (left, right) = if body.width >= WIDE_MIN_WIDTH {
        area::split_columns(body, 63)
    } else {
        (body, Rect::default())
    };
    let height = match left.height {
        12.. if size == PaneSize::Wide => 4,
        28.. if has_chart => 15,
        16.. if right.is_empty() => 6,
        16.. => 5,
        10.. => 4,
        _ => 0,
    };
    let (window, ledger) = area::split_rows(left, left.height - height);
    let (budgets, shares) = area::split_rows(right, right.height.saturating_sub(8));
    CreditsAreas {
        window,
        ledger,
        budgets,
        shares,
    }
}

/// Areas of the tab labels on the ledger's top border.
pub fn tab_areas(ledger: Rect) -> Vec<(Rect, LedgerGrouping)> {
    let row = paint::row_rect(ledger, 0);
    let row = area::inset_sides(row, 3);
    let mut x = row.x;
    LedgerGrouping::ALL
        .into_iter()
        .map(|by| {
            let width = u16::try_from(by.title().len()).unwrap_or(0);
            let area = Rect { x, width, ..row }.intersection(row);
            x = x.saturating_add(width + 2);
            (area, by)
        })
        .collect()
}

impl CreditsPane {
    /// The ledger's rows and tabs as click targets; [`panel_areas`] places the panels.
    pub(super) fn lay_out(&mut self, areas: &mut FrameLayout, body: Rect, cx: &Context) {
        let has_chart = self.has_chart(cx.clock.now());
        let ledger = panel_areas(body, areas.pane_size, has_chart).ledger;
        areas.panel = body;
        areas.rows = panel::rows_area(ledger);
        self.lines.clamp(areas.rows.height);
        areas.add_row_targets(areas.rows, self.lines.scroll.top, HitTarget::Row);
        for (index, (area, _)) in tab_areas(ledger).into_iter().enumerate() {
            areas.add_hit_target(area, HitTarget::PaneTab(index));
        }
    }
}
