//! The colors of each scheme: one row per role, one column per palette.
//!
//! Every shade is one of the 256 that terminals agree on, so that a 256-color terminal shows the
//! same as a 24-bit one. Of the sixteen named colors, only those are used that usual terminal
//! palettes keep readable on their background.

use ratatui::style::Color;

use super::{Background, ColorDepth, ColorScheme, TextRole};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColorPalette {
    Dark,
    Light,
    HighContrastDark,
    HighContrastLight,
    ColorBlindDark,
    ColorBlindLight,
}

/// The terminal's own text color.
const TERMINAL_DEFAULT: u32 = u32::MAX;

impl ColorPalette {
    pub(super) fn for_scheme(scheme: ColorScheme, background: Background) -> ColorPalette {
        match (scheme, background) {
            (ColorScheme::Dark, _)
            | (ColorScheme::Auto | ColorScheme::Terminal, Background::Dark) => ColorPalette::Dark,
            (ColorScheme::Light, _)
            | (ColorScheme::Auto | ColorScheme::Terminal, Background::Light) => ColorPalette::Light,
            (ColorScheme::HighContrast, Background::Dark) => ColorPalette::HighContrastDark,
            (ColorScheme::HighContrast, Background::Light) => ColorPalette::HighContrastLight,
            (ColorScheme::ColorBlind, Background::Dark) => ColorPalette::ColorBlindDark,
            (ColorScheme::ColorBlind, Background::Light) => ColorPalette::ColorBlindLight,
        }
    }

    /// The shade of a role in 24 bits; `None` is the terminal's own text color.
    pub(super) fn role_rgb(self, role: TextRole) -> Option<u32> {
        let [
            dark,
            light,
            contrast_dark,
            contrast_light,
            blind_dark,
            blind_light,
        ] = match role {
            TextRole::Text | TextRole::Strong => [
                TERMINAL_DEFAULT,
                TERMINAL_DEFAULT,
                0xff_ff_ff,
                0x00_00_00,
                TERMINAL_DEFAULT,
                TERMINAL_DEFAULT,
            ],
            TextRole::Muted => [
                0x94_94_94, 0x6c_6c_6c, 0xd0_d0_d0, 0x3a_3a_3a, 0x94_94_94, 0x6c_6c_6c,
            ],
            TextRole::Faint => [
                0x58_58_58, 0x94_94_94, 0xa8_a8_a8, 0x58_58_58, 0x58_58_58, 0x94_94_94,
            ],
            TextRole::Focus | TextRole::Selected | TextRole::Key => [
                0x5f_d7_d7, 0x00_5f_af, 0x5f_ff_ff, 0x00_5f_87, 0x5f_af_ff, 0x00_5f_af,
            ],
            TextRole::High => [
                0xff_87_5f, 0xd7_00_00, 0xff_af_87, 0x87_00_00, 0xff_87_00, 0xd7_00_5f,
            ],
            TextRole::Medium => [
                0xd7_af_5f, 0x87_5f_00, 0xff_d7_5f, 0x87_00_87, 0xff_ff_5f, 0x87_5f_00,
            ],
            TextRole::Low => [
                0x87_af_af, 0x5f_5f_87, 0xaf_d7_ff, 0x00_5f_5f, 0x87_af_d7, 0x00_5f_af,
            ],
            TextRole::New | TextRole::Success => [
                0x87_d7_87, 0x00_5f_00, 0x87_ff_87, 0x00_5f_00, 0x5f_af_ff, 0x00_5f_af,
            ],
            TextRole::Marked => [
                0xff_d7_87, 0x87_00_87, 0xff_d7_ff, 0x5f_00_5f, 0xff_d7_ff, 0x5f_00_5f,
            ],
            TextRole::Warning => [
                0xff_d7_5f, 0x87_5f_00, 0xff_ff_5f, 0x87_00_87, 0xff_ff_5f, 0x87_5f_00,
            ],
            TextRole::Error => [
                0xff_5f_5f, 0xd7_00_00, 0xff_af_af, 0x87_00_00, 0xff_87_00, 0xd7_00_5f,
            ],
        };
        let shade = match self {
            ColorPalette::Dark => dark,
            ColorPalette::Light => light,
            ColorPalette::HighContrastDark => contrast_dark,
            ColorPalette::HighContrastLight => contrast_light,
            ColorPalette::ColorBlindDark => blind_dark,
            ColorPalette::ColorBlindLight => blind_light,
        };
        (shade != TERMINAL_DEFAULT).then_some(shade)
    }

    /// The color of a role among the terminal's sixteen. Yellow, green and cyan fade on a light
    /// background, blue on a dark one.
    pub(super) fn ansi_color(self, role: TextRole) -> Color {
        let [dark, light, contrast_dark, contrast_light] = match role {
            TextRole::Text | TextRole::Strong => {
                [Color::Reset, Color::Reset, Color::White, Color::Black]
            }
            TextRole::Muted | TextRole::Faint | TextRole::Low => {
                [Color::Reset, Color::Reset, Color::Gray, Color::DarkGray]
            }
            TextRole::Focus | TextRole::Selected | TextRole::Key => {
                [Color::Cyan, Color::Blue, Color::LightCyan, Color::Blue]
            }
            TextRole::High | TextRole::Error => {
                [Color::Red, Color::Red, Color::LightRed, Color::Red]
            }
            TextRole::Medium | TextRole::Warning | TextRole::Marked => [
                Color::Yellow,
                Color::Magenta,
                Color::LightYellow,
                Color::Magenta,
            ],
            TextRole::New | TextRole::Success => {
                [Color::Green, Color::Blue, Color::LightGreen, Color::Blue]
            }
        };
        match self {
            ColorPalette::ColorBlindDark if dark == Color::Green => Color::Cyan,
            ColorPalette::Dark | ColorPalette::ColorBlindDark => dark,
            ColorPalette::Light | ColorPalette::ColorBlindLight => light,
            ColorPalette::HighContrastDark => contrast_dark,
            ColorPalette::HighContrastLight => contrast_light,
        }
    }

    /// The background that is painted, with its name among the sixteen; most schemes keep the
    /// terminal's own.
    pub(super) fn background(self) -> Option<(u32, Color)> {
        match self {
            ColorPalette::HighContrastDark => Some((0x00_00_00, Color::Black)),
            ColorPalette::HighContrastLight => Some((0xff_ff_ff, Color::White)),
            ColorPalette::Dark
            | ColorPalette::Light
            | ColorPalette::ColorBlindDark
            | ColorPalette::ColorBlindLight => None,
        }
    }

    /// The background that the palette was designed for, where the terminal's own is the opposite.
    pub(super) fn recommended_background(self) -> (u32, Color) {
        match self {
            ColorPalette::Dark | ColorPalette::HighContrastDark | ColorPalette::ColorBlindDark => {
                (0x12_12_12, Color::Black)
            }
            ColorPalette::Light
            | ColorPalette::HighContrastLight
            | ColorPalette::ColorBlindLight => (0xff_ff_ff, Color::White),
        }
    }

    /// Ordinary text on that background.
    pub(super) fn foreground(self) -> (u32, Color) {
        match self {
            ColorPalette::Dark | ColorPalette::HighContrastDark | ColorPalette::ColorBlindDark => {
                (0xd0_d0_d0, Color::White)
            }
            ColorPalette::Light
            | ColorPalette::HighContrastLight
            | ColorPalette::ColorBlindLight => (0x26_26_26, Color::Black),
        }
    }

    /// The background of the cursor's row, with and without focus.
    pub(super) fn cursor_row_backgrounds(self) -> [u32; 2] {
        match self {
            ColorPalette::Dark | ColorPalette::ColorBlindDark => [0x3a_3a_3a, 0x26_26_26],
            ColorPalette::Light | ColorPalette::ColorBlindLight => [0xda_da_da, 0xee_ee_ee],
            ColorPalette::HighContrastDark => [0xff_ff_ff, 0x1c_1c_1c],
            ColorPalette::HighContrastLight => [0x00_00_00, 0xee_ee_ee],
        }
    }
}

/// A shade at this color depth; `None` without colors or with sixteen.
pub(super) fn to_terminal_color(shade: u32, depth: ColorDepth) -> Option<Color> {
    match depth {
        ColorDepth::None | ColorDepth::Ansi16 => None,
        ColorDepth::Indexed256 => Some(Color::Indexed(indexed_color(shade))),
        ColorDepth::TrueColor => Some(Color::from_u32(shade)),
    }
}

/// The number of a shade among the 256: on the gray ramp where it is one of those, else in the
/// cube.
pub(super) const fn indexed_color(shade: u32) -> u8 {
    let [_, red, green, blue] = shade.to_be_bytes();
    if red == green && green == blue && red >= 8 && red <= 238 && (red - 8) % 10 == 0 {
        return 232 + (red - 8) / 10;
    }
    16 + 36 * cube_level(red) + 6 * cube_level(green) + cube_level(blue)
}

/// The number of a color among those of the 256 that are the same everywhere. The first 16 are not,
/// and some programs set the next six as well.
pub fn exact_palette_index(red: u8, green: u8, blue: u8) -> Option<u8> {
    const CUBE_LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let number = indexed_color(u32::from_be_bytes([0, red, green, blue]));
    let is_exact = number >= 232
        || [red, green, blue]
            .iter()
            .all(|level| CUBE_LEVELS.contains(level));
    (is_exact && number > 21).then_some(number)
}

/// The nearest of the cube's six steps: 0, 95, 135, 175, 215, 255.
const fn cube_level(level: u8) -> u8 {
    if level < 48 {
        0
    } else if level < 115 {
        1
    } else {
        (level - 35) / 40
    }
}
