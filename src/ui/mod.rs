//! Widgets. Knows ratatui, not gantry.
//!
//! Small functions that draw into a buffer: a panel, a line of spans, a table's columns, a text
//! field. Every text passes [`crate::text`] on its way to a cell ([`paint`]), every color comes
//! from a [`theme::TextRole`], and every rectangle is clipped to its buffer, so that no size and no
//! data can make a widget panic.
//!
//! Never here: what a signal is, state that outlives a frame, a clock.

pub(crate) mod area;
pub(crate) mod chart;
pub(crate) mod map;
mod outlines;
pub(crate) mod paint;
pub(crate) mod panel;
pub(crate) mod popup;
pub(crate) mod scroll;
pub(crate) mod table;
pub(crate) mod text_area;
pub(crate) mod text_input;
pub(crate) mod theme;

pub use paint::{TextSpan, draw_line, draw_text, text_span};
pub use theme::{
    Background, COLOR_PLACES, ColorDepth, ColorScheme, CustomColor, CustomColors, CustomTheme,
    TextRole, Theme,
};
