//! Where everything stands: rectangles from size and state, and what a click on them means.

use ratatui::layout::{Position, Rect};

use super::command::Command;
use super::panes::{detail, explore, queue, record, records, sheet};
use super::{App, Screen, chrome};
use crate::ui::paint;

/// Below this width or height one record at a time is shown.
const SMALLEST_LIST: (u16, u16) = (50, 14);
/// From this width on the preview and the timeline stand beside.
const WIDE: u16 = 110;
/// From this width and height on the names of the screens have a row of their own.
const SCREENS: (u16, u16) = (64, 22);
/// From this height on the preview stands below where it cannot stand beside.
const TALL: u16 = 22;

/// What a click or a wheel is on.
#[derive(Clone, Copy)]
pub enum Spot {
    /// A line of the list or of the timeline.
    Row(usize),
    /// A line of the list of Views.
    View(usize),
    /// A line of Explore's builder.
    Line(usize),
    /// A tab of the pane.
    Tab(Tab),
    /// The name of a screen.
    Screen(Screen),
    /// The preview.
    Preview,
    /// A hint of the last row.
    Hint(&'static Command),
}

/// A tab of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Of the queue.
    Queue(queue::Tab),
    /// Of a signal's detail.
    Detail(detail::Tab),
    /// Of the book.
    Book(usize),
    /// Of a record's page.
    Record(usize),
}

/// The rectangles of a frame.
#[derive(Clone, Default)]
pub struct Areas {
    /// Everything.
    pub all: Rect,
    /// Too small for a list: one record at a time.
    pub is_small: bool,
    /// Wide enough for two panes side by side.
    pub is_wide: bool,
    /// Where, who, counts, meter.
    pub header: Rect,
    /// The names of the screens; empty where there is no room.
    pub screens: Rect,
    /// Tabs and what narrows the pane.
    pub tabs: Rect,
    /// The list's or the text's panel.
    pub panel: Rect,
    /// The lines within it.
    pub rows: Rect,
    /// The list's heading; empty where there is no room.
    pub heading: Rect,
    /// The preview's panel; empty where there is none.
    pub preview: Rect,
    /// The preview stands below.
    pub preview_below: bool,
    /// The timeline's panel; empty where there is none.
    pub timeline: Rect,
    /// The timeline's lines.
    pub timeline_rows: Rect,
    /// The keys move in the timeline.
    pub keys_on_timeline: bool,
    /// Entries of the timeline, or of what stands beside.
    pub entries: usize,
    /// The panel beside the first one; empty where there is none.
    pub aside: Rect,
    /// Its lines.
    pub aside_rows: Rect,
    /// The panel that its scroll bar stands on.
    pub aside_track: Rect,
    /// The keys move beside.
    pub keys_beside: bool,
    /// The annotation sheet; empty where there is none.
    pub sheet: Rect,
    /// What would change, in the sheet.
    pub sheet_preview: Rect,
    /// How many lines that has.
    pub sheet_lines: usize,
    /// The map of the list of records; empty where there is none.
    pub map: Rect,
    /// Results and errors.
    pub notice: Rect,
    /// The keys.
    pub hints: Rect,
    spots: Vec<(Rect, Spot)>,
}

impl Areas {
    /// What stands at a place.
    pub fn spot(&self, at: Position) -> Option<Spot> {
        self.spots.iter().find(|(area, _)| area.contains(at)).map(|(_, spot)| *spot)
    }

    /// A click on this area means this.
    pub fn click(&mut self, area: Rect, spot: Spot) {
        self.spots.push((area, spot));
    }
}

impl App {
    pub(super) fn lay_out(&mut self) {
        let (width, height) = self.size;
        let all = Rect::new(0, 0, width, height);
        let is_small = width < SMALLEST_LIST.0 || height < SMALLEST_LIST.1;
        let mut areas = Areas { all, is_small, is_wide: width >= WIDE, ..Areas::default() };
        if is_small && self.sheet.is_none() && matches!(self.screen, Screen::Queue | Screen::Detail | Screen::Start) {
            areas.rows = Rect { height: 1, ..all };
            areas.notice = paint::row(all, height.saturating_sub(2));
            areas.hints = paint::row(all, height.saturating_sub(1));
        } else {
            areas.is_small = false;
            let has_screens = self.screen != Screen::Start && height >= SCREENS.1 && width >= SCREENS.0;
            let has_tabs = !matches!(self.screen, Screen::Views | Screen::Explore | Screen::Watch);
            let head =
                if is_small || self.screen == Screen::Watch { 0 } else { 1 + u16::from(has_screens) + u16::from(has_tabs) };
            let foot = if height >= 6 { 2 } else { 0 };
            if head > 0 {
                areas.header = paint::row(all, 0);
            }
            if head > 0 && has_tabs {
                areas.tabs = paint::row(all, head - 1);
            }
            if has_screens {
                areas.screens = paint::row(all, 1);
            }
            if foot > 0 {
                areas.notice = paint::row(all, height - 2);
                areas.hints = paint::row(all, height - 1);
            }
            let body = self.lay_out_sheet(&mut areas, Rect { y: head, height: height - head - foot, ..all });
            match self.screen {
                Screen::Detail => self.lay_out_detail(&mut areas, body),
                Screen::Queue => self.lay_out_queue(&mut areas, body),
                Screen::Start | Screen::Watch => areas.panel = body,
                Screen::Views => self.lay_out_views(&mut areas, body),
                Screen::Book => {
                    (areas.panel, areas.map) = self.split_for_map(&self.book.shown(), body);
                    areas.rows = records::draw::rows_area(body);
                    self.click_rows(&mut areas);
                }
                Screen::Explore => self.lay_out_explore(&mut areas, body),
                Screen::Record => self.lay_out_record(&mut areas, body),
            }
            for (area, tab) in chrome::tab_areas(self, areas.tabs) {
                areas.click(area, Spot::Tab(tab));
            }
            for (area, screen) in chrome::screen_areas(areas.screens) {
                areas.click(area, Spot::Screen(screen));
            }
            for (area, command) in chrome::hint_areas(self, areas.hints) {
                areas.click(area, Spot::Hint(command));
            }
        }
        let rows = usize::from(areas.rows.height);
        let tab = self.queue.shown_mut();
        let len = tab.len();
        tab.scroll.settle(len, rows.max(1));
        self.areas = areas;
        self.settle_detail();
        self.settle_records();
    }

    /// The sheet beside the pane, below it, or in its place; answers the room that the pane keeps.
    fn lay_out_sheet(&mut self, areas: &mut Areas, body: Rect) -> Rect {
        let Some(mut sheet) = self.sheet.take() else { return body };
        let (pane, area) = if areas.is_wide {
            let pane = Rect { width: body.width * 48 / 100, ..body };
            (pane, Rect { x: pane.right(), width: body.width - pane.width, ..body })
        } else if body.width >= SCREENS.0 && body.height >= TALL - 3 {
            let pane = Rect { height: body.height / 4, ..body };
            (pane, Rect { y: pane.bottom(), height: body.height - pane.height, ..body })
        } else {
            (Rect { height: 0, ..body }, body)
        };
        areas.is_wide = false;
        areas.sheet = area;
        sheet.form.note.fit(sheet::draw::value_width(area));
        areas.sheet_preview = sheet::draw::parts(self, &sheet, area).preview();
        areas.sheet_lines = sheet::draw::preview(self, &sheet, areas.sheet_preview.width).len();
        sheet.top = sheet.top.min(areas.sheet_lines.saturating_sub(usize::from(areas.sheet_preview.height)));
        self.sheet = Some(sheet);
        pane
    }

    /// The list of Views, and beside it or in its place the records of the one that is open.
    fn lay_out_views(&mut self, areas: &mut Areas, body: Rect) {
        let beside = body.width >= WIDE;
        let list = body.width * 2 / 5;
        (areas.panel, areas.aside) = match (beside, self.views.on_records) {
            (true, _) => (Rect { width: list, ..body }, Rect { x: body.x + list, width: body.width - list, ..body }),
            (false, true) => (Rect::default(), body),
            (false, false) => (body, Rect::default()),
        };
        (areas.aside, areas.map) = self.split_for_map(&records::Shown::View, areas.aside);
        areas.aside_rows = records::draw::rows_area(areas.aside);
        areas.rows = if self.views.on_records { areas.aside_rows } else { records::draw::rows_area(areas.panel) };
        let lines = records::draw::rows_area(areas.panel);
        let top = self.views.scroll.top;
        for row in 0..lines.height {
            areas.click(paint::row(lines, row), Spot::View(top + usize::from(row)));
        }
        let rows = usize::from(lines.height.max(1));
        let len = self.views.list.len();
        self.views.scroll.settle(len, rows);
        if !areas.aside.is_empty() {
            let top = self.views.records().map_or(0, |list| list.scroll.top);
            for row in 0..areas.aside_rows.height {
                areas.click(paint::row(areas.aside_rows, row), Spot::Row(top + usize::from(row)));
            }
        }
    }

    /// The builder, and beside it or in its place the results.
    fn lay_out_explore(&mut self, areas: &mut Areas, body: Rect) {
        let builder = if areas.is_wide { body.width * 52 / 100 } else { body.width };
        let aside = Rect { x: body.x + builder, width: body.width - builder, ..body };
        (areas.panel, areas.aside) = match (areas.is_wide, self.explore.on_results || self.explore.as_json) {
            (true, _) => (Rect { width: builder, ..body }, aside),
            (false, true) => (Rect::default(), body),
            (false, false) => (body, Rect::default()),
        };
        if let Some(run) = self.explore.shown.filter(|_| !self.explore.as_json) {
            (areas.aside, areas.map) = self.split_for_map(&records::Shown::Explore(run), areas.aside);
        }
        let (results, _) = explore::draw::split(self, areas.aside);
        areas.aside_rows = records::draw::rows_area(results);
        areas.rows = if self.explore.on_results { areas.aside_rows } else { areas.panel };
        if !areas.panel.is_empty() {
            for (area, at) in explore::draw::line_areas(self, areas.panel) {
                areas.click(area, Spot::Line(at));
            }
        }
        if let Some(run) = self.explore.shown_run().filter(|_| !self.explore.as_json) {
            for row in 0..areas.aside_rows.height {
                areas.click(paint::row(areas.aside_rows, row), Spot::Row(run.records.scroll.top + usize::from(row)));
            }
        }
    }

    fn click_rows(&self, areas: &mut Areas) {
        let top = self.records().map_or(0, |list| list.scroll.top);
        for row in 0..areas.rows.height {
            areas.click(paint::row(areas.rows, row), Spot::Row(top + usize::from(row)));
        }
    }

    /// The facts, and beside them or in their place what is around the record.
    fn lay_out_record(&mut self, areas: &mut Areas, body: Rect) {
        let inside = |panel: Rect| Rect {
            x: panel.x + 2,
            y: panel.y + 1,
            width: panel.width.saturating_sub(4),
            height: panel.height.saturating_sub(2),
        };
        areas.panel = body;
        let is_wide = areas.is_wide;
        if let Some(page) = self.trail.page_mut() {
            // Beside the facts stands always something: the first list rather than the facts again.
            if is_wide && page.tab == 0 {
                page.tab = 1;
            }
            areas.keys_beside = if is_wide { page.on_related } else { page.include().is_some() };
        }
        if is_wide {
            let text = body.width * 46 / 100;
            areas.panel = Rect { width: text, ..body };
            areas.aside = Rect { x: body.x + text, width: body.width - text, ..body };
        }
        areas.rows = inside(areas.panel);
        areas.aside_track = if is_wide { areas.aside } else { areas.panel };
        let rows = inside(areas.aside_track);
        // A heading above the list, and below it what Enter would do for which price.
        areas.aside_rows = Rect { y: rows.y + 1, height: rows.height.saturating_sub(2), ..rows }.intersection(areas.aside_track);
        for (area, tab) in record::draw::tab_areas_of(self, areas.aside_track, is_wide) {
            areas.click(area, Spot::Tab(Tab::Record(tab)));
        }
        if areas.keys_beside || is_wide {
            let top = self.trail.page().map_or(0, |page| page.related.top);
            for row in 0..areas.aside_rows.height {
                areas.click(paint::row(areas.aside_rows, row), Spot::Row(top + usize::from(row)));
            }
        }
    }

    /// Holds every scroll of records and pages within what there is.
    fn settle_records(&mut self) {
        let shown = match self.screen {
            Screen::Views => Some((records::Shown::View, self.areas.aside_rows.height)),
            Screen::Book => Some((self.book.shown(), self.areas.rows.height)),
            Screen::Explore => self.explore.shown.map(|run| (records::Shown::Explore(run), self.areas.aside_rows.height)),
            _ => None,
        };
        if let Some((shown, height)) = shown
            && let Some(list) = self.list_mut(&shown)
        {
            let len = list.len();
            list.scroll.settle(len, usize::from(height.max(1)));
        }
        if self.screen == Screen::Record {
            self.areas.entries = record::draw::beside_len(self, self.areas.aside_rows.width);
            let lines = record::draw::text_lines(self).len();
            let (entries, height) = (self.areas.entries, usize::from(self.areas.aside_rows.height.max(1)));
            let text = usize::from(self.areas.rows.height);
            if let Some(page) = self.trail.page_mut() {
                page.related.settle(entries, height);
                page.top = page.top.min(lines.saturating_sub(text));
            }
        }
    }

    fn lay_out_queue(&mut self, areas: &mut Areas, body: Rect) {
        let preview = self.queue.preview;
        areas.preview_below = preview.below.unwrap_or(!areas.is_wide);
        let strip = if body.height >= 26 { 12 } else { 7 };
        areas.panel = body;
        if !preview.hidden && !areas.preview_below && body.width >= 80 {
            let list = body.width * 64 / 100;
            areas.panel = Rect { width: list, ..body };
            areas.preview = Rect { x: body.x + list, width: body.width - list, ..body };
        } else if !preview.hidden && areas.preview_below && self.size.1 >= TALL && body.height > strip + 5 {
            areas.panel = Rect { height: body.height - strip, ..body };
            areas.preview = Rect { y: body.bottom() - strip, height: strip, ..body };
        }
        let inner = Rect {
            x: areas.panel.x + 1,
            y: areas.panel.y + 1,
            width: areas.panel.width.saturating_sub(2),
            height: areas.panel.height.saturating_sub(2),
        };
        areas.heading = if inner.height >= 9 && inner.width >= 64 { paint::row(inner, 0) } else { Rect { height: 0, ..inner } };
        areas.rows =
            Rect { y: inner.y + areas.heading.height, height: inner.height.saturating_sub(areas.heading.height), ..inner };
        let top = self.queue.shown().scroll.top;
        for row in 0..areas.rows.height {
            areas.click(paint::row(areas.rows, row), Spot::Row(top + usize::from(row)));
        }
        areas.click(areas.preview, Spot::Preview);
    }

    fn lay_out_detail(&mut self, areas: &mut Areas, body: Rect) {
        let Some(on_timeline) = self.detail.as_ref().map(|detail| (detail.on_timeline, detail.tab)) else { return };
        let inside = |panel: Rect| Rect {
            x: panel.x + 2,
            y: panel.y + 1,
            width: panel.width.saturating_sub(4),
            height: panel.height.saturating_sub(2),
        };
        areas.panel = body;
        if areas.is_wide {
            let text = body.width * 58 / 100;
            areas.panel = Rect { width: text, ..body };
            areas.timeline = Rect { x: body.x + text, width: body.width - text, ..body };
            areas.keys_on_timeline = on_timeline.0;
        } else if on_timeline.1 == detail::Tab::Timeline {
            areas.timeline = body;
            areas.keys_on_timeline = true;
        }
        areas.rows = inside(areas.panel);
        areas.timeline_rows = inside(areas.timeline);
        let paid = self.detail.as_ref().and_then(|detail| self.paid(detail.row.signal.project_id));
        areas.entries = paid.map_or(0, |paid| paid.dossier.signals.len());
        for (area, tab) in detail::draw::tab_areas(self, areas.panel, areas.is_wide) {
            areas.click(area, Spot::Tab(Tab::Detail(tab)));
        }
        if areas.timeline_rows.height > 0 {
            let top = self.detail.as_ref().map_or(0, |detail| detail.timeline.top);
            for row in 0..areas.timeline_rows.height {
                areas.click(paint::row(areas.timeline_rows, row), Spot::Row(top + usize::from(row)));
            }
        }
    }

    /// Holds the detail's scroll within what there is to read.
    fn settle_detail(&mut self) {
        let lines = if self.screen == Screen::Detail && !self.areas.is_small { detail::draw::text_lines(self).len() } else { 0 };
        let (height, entries, rows) = (usize::from(self.areas.rows.height), self.areas.entries, self.areas.timeline_rows.height);
        if let Some(detail) = &mut self.detail {
            detail.top = detail.top.min(lines.saturating_sub(height));
            detail.timeline.settle(entries, usize::from(rows.max(1)));
        }
    }
}
