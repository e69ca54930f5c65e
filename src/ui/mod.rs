//! Widgets. Knows ratatui, not gantry.
