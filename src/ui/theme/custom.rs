//! Colors of the user in place of those of a scheme.
//!
//! Never here: what a place looks like without them.

/// What can have a color of its own, by its name in the configuration: first the roles of texts, in
/// their order.
pub const COLOR_PLACES: [&str; 17] = [
    "text",
    "strong",
    "muted",
    "faint",
    "focus",
    "key",
    "selected",
    "high",
    "medium",
    "low",
    "new",
    "marked",
    "success",
    "warning",
    "error",
    "background",
    "cursor_row",
];
/// Behind everything.
pub(super) const BACKGROUND: usize = 15;
/// Behind the row of the cursor.
pub(super) const CURSOR_ROW: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomColor {
    /// 24 bits.
    Rgb(u32),
    /// One of the terminal's 256.
    Indexed(u8),
}

/// The colors of a theme of the user, in the order of [`COLOR_PLACES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CustomColors([Option<CustomColor>; COLOR_PLACES.len()]);

impl CustomColors {
    /// Sets the color of a place by its name. Returns whether there is such a place.
    pub fn set(&mut self, name: &str, color: CustomColor) -> bool {
        let place = COLOR_PLACES.iter().position(|known| *known == name);
        if let Some(place) = place {
            self.0[place] = Some(color);
        }
        place.is_some()
    }

    /// The color of a place, by its index.
    pub(super) fn get(&self, place: usize) -> Option<CustomColor> {
        self.0.get(place).copied().flatten()
    }
}
