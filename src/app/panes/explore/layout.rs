//! Layout of Explore.

use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::effect::ListId;
use crate::app::layout::{FrameLayout, HitTarget};
use crate::app::panes::explore::{ExplorePane, draw};
use crate::app::panes::records;
use crate::ui::panel;

impl ExplorePane {
    /// Whether a strip with the search takes the place of the builder.
    pub(super) fn shows_strip(&self, areas: &FrameLayout) -> bool {
        self.results_focused && !self.as_json && areas.is_wide
    }

    /// Places the builder beside its list, below it or in its place; returns the area left to the
    /// list.
    pub(in crate::app) fn lay_out_list_filter(
        &self,
        cx: &Context,
        areas: &mut FrameLayout,
        body: Rect,
    ) -> Rect {
        if self.list_filter.is_none() {
            return body;
        }
        let (pane, area) = areas.split_for_overlay(body);
        areas.list_filter = area;
        for (area, at) in draw::line_areas(self, cx, area) {
            areas.add_hit_target(area, HitTarget::BuilderLine(at));
        }
        pane
    }

    /// Places the builder, and the results beside it or in its place.
    pub(in crate::app) fn lay_out_explore(
        &mut self,
        cx: &mut Context,
        areas: &mut FrameLayout,
        body: Rect,
    ) {
        let shows_results = self.results_focused && !self.as_json;
        (areas.panel, areas.side_panel) =
            match (areas.is_wide, self.results_focused || self.as_json) {
                (true, true) if shows_results => {
                    let strip = self.strip_height(cx, body.width).min(body.height);
                    (
                        Rect {
                            height: strip,
                            ..body
                        },
                        Rect {
                            y: body.y + strip,
                            height: body.height - strip,
                            ..body
                        },
                    )
                }
                (true, is_right_focused) => areas.split_columns(body, 52, is_right_focused),
                (false, true) => (Rect::default(), body),
                (false, false) => (body, Rect::default()),
            };
        if let Some(run) = self.current_run.filter(|_| !self.as_json) {
            (areas.side_panel, areas.map) =
                cx.split_for_map(&ListId::Explore(run), areas.side_panel);
        }
        let (results, _) = self.split_history(areas.side_panel);
        areas.side_rows = panel::rows_area(results);
        areas.rows = if self.results_focused {
            areas.side_rows
        } else {
            areas.panel
        };
        if !areas.panel.is_empty() && !self.shows_strip(areas) {
            for (area, at) in draw::line_areas(self, cx, areas.panel) {
                areas.add_hit_target(area, HitTarget::SideRow(at));
            }
        }
        if let Some(run) = self.displayed_run().filter(|_| !self.as_json) {
            records::lay_out_rows(&run.list_id(), areas.side_rows, HitTarget::Row, areas, cx);
        }
    }
}
