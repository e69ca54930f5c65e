//! The colours of each scheme: one row a role, one column a palette.
//!
//! Every shade is one of the 256 that terminals agree on, so that a terminal of 256 shows what one of 24 bits shows. Of the
//! sixteen named ones only those are used that a terminal's own palette keeps readable on its ground.

use ratatui::style::Color;

use super::{Depth, Ground, Role, Scheme};

/// A set of colours that were chosen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palette {
    Dark,
    Light,
    ContrastDark,
    ContrastLight,
    BlindDark,
    BlindLight,
}

/// The terminal's own colour for text.
const OWN: u32 = u32::MAX;

impl Palette {
    pub(super) fn of(scheme: Scheme, ground: Ground) -> Palette {
        match (scheme, ground) {
            (Scheme::Dark, _) | (Scheme::Auto | Scheme::Terminal, Ground::Dark) => Palette::Dark,
            (Scheme::Light, _) | (Scheme::Auto | Scheme::Terminal, Ground::Light) => Palette::Light,
            (Scheme::HighContrast, Ground::Dark) => Palette::ContrastDark,
            (Scheme::HighContrast, Ground::Light) => Palette::ContrastLight,
            (Scheme::ColourBlind, Ground::Dark) => Palette::BlindDark,
            (Scheme::ColourBlind, Ground::Light) => Palette::BlindLight,
        }
    }

    /// The shade of a role in 24 bits; none is the terminal's own colour for text.
    pub(super) fn shade(self, role: Role) -> Option<u32> {
        let [dark, light, contrast_dark, contrast_light, blind_dark, blind_light] = match role {
            Role::Text | Role::Strong => [OWN, OWN, 0xff_ff_ff, 0x00_00_00, OWN, OWN],
            Role::Muted => [0x94_94_94, 0x6c_6c_6c, 0xd0_d0_d0, 0x3a_3a_3a, 0x94_94_94, 0x6c_6c_6c],
            Role::Faint => [0x58_58_58, 0x94_94_94, 0xa8_a8_a8, 0x58_58_58, 0x58_58_58, 0x94_94_94],
            Role::Focus | Role::Chosen | Role::Key => [0x5f_d7_d7, 0x00_5f_af, 0x5f_ff_ff, 0x00_5f_87, 0x5f_af_ff, 0x00_5f_af],
            Role::High => [0xff_87_5f, 0xd7_00_00, 0xff_af_87, 0x87_00_00, 0xff_87_00, 0xd7_00_5f],
            Role::Medium => [0xd7_af_5f, 0x87_5f_00, 0xff_d7_5f, 0x87_00_87, 0xff_ff_5f, 0x87_5f_00],
            Role::Low => [0x87_af_af, 0x5f_5f_87, 0xaf_d7_ff, 0x00_5f_5f, 0x87_af_d7, 0x00_5f_af],
            Role::Fresh | Role::Good => [0x87_d7_87, 0x00_5f_00, 0x87_ff_87, 0x00_5f_00, 0x5f_af_ff, 0x00_5f_af],
            Role::Marked => [0xff_d7_87, 0x87_00_87, 0xff_d7_ff, 0x5f_00_5f, 0xff_d7_ff, 0x5f_00_5f],
            Role::Warn => [0xff_d7_5f, 0x87_5f_00, 0xff_ff_5f, 0x87_00_87, 0xff_ff_5f, 0x87_5f_00],
            Role::Bad => [0xff_5f_5f, 0xd7_00_00, 0xff_af_af, 0x87_00_00, 0xff_87_00, 0xd7_00_5f],
        };
        let shade = match self {
            Palette::Dark => dark,
            Palette::Light => light,
            Palette::ContrastDark => contrast_dark,
            Palette::ContrastLight => contrast_light,
            Palette::BlindDark => blind_dark,
            Palette::BlindLight => blind_light,
        };
        (shade != OWN).then_some(shade)
    }

    /// The name of a role's shade among the terminal's sixteen. Yellow, green and cyan fade on a light ground, blue on a dark one.
    pub(super) fn named(self, role: Role) -> Color {
        let [dark, light, contrast_dark, contrast_light] = match role {
            Role::Text | Role::Strong => [Color::Reset, Color::Reset, Color::White, Color::Black],
            Role::Muted | Role::Faint | Role::Low => [Color::Reset, Color::Reset, Color::Gray, Color::DarkGray],
            Role::Focus | Role::Chosen | Role::Key => [Color::Cyan, Color::Blue, Color::LightCyan, Color::Blue],
            Role::High | Role::Bad => [Color::Red, Color::Red, Color::LightRed, Color::Red],
            Role::Medium | Role::Warn | Role::Marked => [Color::Yellow, Color::Magenta, Color::LightYellow, Color::Magenta],
            Role::Fresh | Role::Good => [Color::Green, Color::Blue, Color::LightGreen, Color::Blue],
        };
        match self {
            Palette::BlindDark if dark == Color::Green => Color::Cyan,
            Palette::Dark | Palette::BlindDark => dark,
            Palette::Light | Palette::BlindLight => light,
            Palette::ContrastDark => contrast_dark,
            Palette::ContrastLight => contrast_light,
        }
    }

    /// The ground that is painted, with its name among the sixteen; most schemes leave the terminal's own.
    pub(super) fn ground(self) -> Option<(u32, Color)> {
        match self {
            Palette::ContrastDark => Some((0x00_00_00, Color::Black)),
            Palette::ContrastLight => Some((0xff_ff_ff, Color::White)),
            Palette::Dark | Palette::Light | Palette::BlindDark | Palette::BlindLight => None,
        }
    }

    /// The ground that the palette is meant for, where the terminal's own is the other.
    pub(super) fn meant_for(self) -> (u32, Color) {
        match self {
            Palette::Dark | Palette::ContrastDark | Palette::BlindDark => (0x12_12_12, Color::Black),
            Palette::Light | Palette::ContrastLight | Palette::BlindLight => (0xff_ff_ff, Color::White),
        }
    }

    /// Ordinary text on that ground.
    pub(super) fn ink(self) -> (u32, Color) {
        match self {
            Palette::Dark | Palette::ContrastDark | Palette::BlindDark => (0xd0_d0_d0, Color::White),
            Palette::Light | Palette::ContrastLight | Palette::BlindLight => (0x26_26_26, Color::Black),
        }
    }

    /// What lies under the row of the cursor, where the keys are and where they are not.
    pub(super) fn rows(self) -> [u32; 2] {
        match self {
            Palette::Dark | Palette::BlindDark => [0x3a_3a_3a, 0x26_26_26],
            Palette::Light | Palette::BlindLight => [0xda_da_da, 0xee_ee_ee],
            Palette::ContrastDark => [0xff_ff_ff, 0x1c_1c_1c],
            Palette::ContrastLight => [0x00_00_00, 0xee_ee_ee],
        }
    }
}

/// A shade as a terminal of this depth takes it; none without colours or with sixteen.
pub(super) fn colour(shade: u32, depth: Depth) -> Option<Color> {
    match depth {
        Depth::None | Depth::Sixteen => None,
        Depth::Many => Some(Color::Indexed(index(shade))),
        Depth::Full => Some(Color::from_u32(shade)),
    }
}

/// The number of a shade among the 256: its place on the ramp of greys where it is one of them, else in the cube.
pub(super) const fn index(shade: u32) -> u8 {
    let [_, red, green, blue] = shade.to_be_bytes();
    if red == green && green == blue && red >= 8 && red <= 238 && (red - 8) % 10 == 0 {
        return 232 + (red - 8) / 10;
    }
    16 + 36 * step(red) + 6 * step(green) + step(blue)
}

/// The nearest of the cube's six steps: 0, 95, 135, 175, 215, 255.
const fn step(level: u8) -> u8 {
    if level < 48 {
        0
    } else if level < 115 {
        1
    } else {
        (level - 35) / 40
    }
}
