//! What the colors guarantee, measured as WCAG 2 does.

use proptest::prelude::*;
use ratatui::layout::Rect;

use super::palette::indexed_color;
use super::*;

const ALL_ROLES: [TextRole; 15] = [
    TextRole::Text,
    TextRole::Strong,
    TextRole::Muted,
    TextRole::Faint,
    TextRole::Focus,
    TextRole::Key,
    TextRole::Selected,
    TextRole::High,
    TextRole::Medium,
    TextRole::Low,
    TextRole::New,
    TextRole::Marked,
    TextRole::Success,
    TextRole::Warning,
    TextRole::Error,
];

/// Common terminal backgrounds: black, the usual grays and the lightest of the well-known dark
/// ones; white and the darkest of the well-known light ones.
const DARK_BACKGROUNDS: [u32; 3] = [0x00_00_00, 0x1e_1e_1e, 0x28_2c_34];
const LIGHT_BACKGROUNDS: [u32; 2] = [0xff_ff_ff, 0xfd_f6_e3];

type LinearRgb = [f64; 3];

/// Linear light of red, green and blue.
fn linear_rgb(shade: u32) -> LinearRgb {
    let [_, red, green, blue] = shade.to_be_bytes();
    [red, green, blue].map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.04045 {
            level / 12.92
        } else {
            ((level + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn luminance([red, green, blue]: LinearRgb) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast ratio of two shades, 1 to 21.
fn contrast_ratio(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(linear_rgb(one)), luminance(linear_rgb(other)));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The shade of a number among the 256.
fn indexed_rgb(index: u8) -> u32 {
    if index >= 232 {
        return u32::from(8 + 10 * (index - 232)) * 0x01_01_01;
    }
    let at = u32::from(index - 16);
    let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
    (level(at / 36) << 16) | (level(at / 6 % 6) << 8) | level(at % 6)
}

/// The color of a role in 24 bits; the terminal's own text is near black or near white.
fn displayed_rgb(theme: &Theme, role: TextRole) -> u32 {
    match theme.style(role).fg {
        Some(Color::Indexed(index)) => indexed_rgb(index),
        Some(Color::Rgb(red, green, blue)) => u32::from_be_bytes([0, red, green, blue]),
        Some(Color::Reset) if theme.background == Background::Dark => 0xd0_d0_d0,
        Some(Color::Reset) => 0x26_26_26,
        other => panic!("{role:?} is {other:?}"),
    }
}

/// Each scheme on each background at a color depth, with the backgrounds it may meet.
fn themes_at_depth(depth: ColorDepth) -> impl Iterator<Item = (Theme, Vec<u32>)> {
    let backgrounds = [
        (Background::Dark, &DARK_BACKGROUNDS[..]),
        (Background::Light, &LIGHT_BACKGROUNDS[..]),
    ];
    let schemes = [
        ColorScheme::Auto,
        ColorScheme::HighContrast,
        ColorScheme::ColorBlind,
    ];
    schemes.into_iter().flat_map(move |scheme| {
        backgrounds.map(|(background, met)| {
            let theme = Theme {
                scheme,
                background,
                depth,
                ascii: false,
                custom: None,
            };
            let own = theme.palette().background().map(|(shade, _)| vec![shade]);
            (theme, own.unwrap_or_else(|| met.to_vec()))
        })
    })
}

#[test]
fn every_role_is_readable_on_every_background_of_its_scheme() {
    for depth in [ColorDepth::Indexed256, ColorDepth::TrueColor] {
        for (theme, backgrounds) in themes_at_depth(depth) {
            for (role, background) in ALL_ROLES.iter().flat_map(|role| {
                backgrounds
                    .iter()
                    .map(move |background| (*role, *background))
            }) {
                let least = match (theme.scheme, role) {
                    (ColorScheme::HighContrast, _) => 7.0,
                    // A rule or a border may be overlooked: it is to be seen, not to be read.
                    (_, TextRole::Faint) => 1.9,
                    (_, _) => 4.5,
                };
                let is = contrast_ratio(displayed_rgb(&theme, role), background);
                assert!(
                    is >= least,
                    "{role:?} on {background:06x} has {is:.2} of {least} in {theme:?}"
                );
            }
        }
    }
}

#[test]
fn every_role_is_readable_on_the_cursor_row() {
    for (theme, _) in themes_at_depth(ColorDepth::TrueColor) {
        let [with_keys, without] = theme.palette().cursor_row_backgrounds();
        // The inverted row of high contrast has one color for all of its text.
        let rows = if theme.scheme == ColorScheme::HighContrast {
            vec![without]
        } else {
            vec![with_keys, without]
        };
        for (role, row) in ALL_ROLES
            .iter()
            .flat_map(|role| rows.iter().map(move |row| (*role, *row)))
        {
            let least = if role == TextRole::Faint { 1.5 } else { 3.5 };
            let is = contrast_ratio(displayed_rgb(&theme, role), row);
            assert!(
                is >= least,
                "{role:?} on {row:06x} has {is:.2} in {theme:?}"
            );
        }
    }
}

#[test]
fn high_contrast_inverts_the_cursor_row() {
    for depth in [ColorDepth::Indexed256, ColorDepth::TrueColor] {
        let theme = Theme {
            scheme: ColorScheme::HighContrast,
            depth,
            ..Theme::default()
        };
        let row = theme.cursor_row_style(true);
        assert_eq!(
            (row.bg, row.fg),
            (theme.style(TextRole::Text).fg, theme.own_background())
        );
    }
}

#[test]
fn a_scheme_for_the_other_background_paints_its_own() {
    let laid = |scheme, background| {
        let theme = Theme {
            scheme,
            background,
            depth: ColorDepth::TrueColor,
            ..Theme::default()
        };
        let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
        theme.paint_background(&mut buf);
        (buf[(0, 0)].fg, buf[(0, 0)].bg)
    };
    assert_eq!(
        laid(ColorScheme::Light, Background::Light),
        (Color::Reset, Color::Reset)
    );
    assert_eq!(
        laid(ColorScheme::Dark, Background::Dark),
        (Color::Reset, Color::Reset)
    );
    assert_eq!(
        laid(ColorScheme::Light, Background::Dark),
        (Color::from_u32(0x26_26_26), Color::from_u32(0xff_ff_ff))
    );
    assert_eq!(
        laid(ColorScheme::Dark, Background::Light),
        (Color::from_u32(0xd0_d0_d0), Color::from_u32(0x12_12_12))
    );
}

/// How people without the cones for green or red see (Machado, Oliveira and Fernandes, 2009, full
/// strength).
const DEUTERANOPIA: [LinearRgb; 3] = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
];
const PROTANOPIA: [LinearRgb; 3] = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
];

/// A color in a space whose distances match perception (CIE 1976 L*a*b*).
fn simulated_lab(shade: u32, eye: [LinearRgb; 3]) -> LinearRgb {
    let light = linear_rgb(shade);
    let [red, green, blue] = eye.map(|row| {
        row.iter()
            .zip(light)
            .map(|(a, b)| a * b)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    });
    let root = |t: f64| {
        if t > 0.008856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    };
    let x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
    let y = root(luminance([red, green, blue]));
    let z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn color_blind_scheme_is_distinguishable_without_red_and_green() {
    use TextRole::{
        Error, Faint, Focus, High, Low, Medium, Muted, Selected, Success, Text, Warning,
    };
    let apart = [
        (High, Medium),
        (Medium, Low),
        (High, Low),
        (Success, Warning),
        (Success, Error),
        (Warning, Error),
        (Focus, Faint),
        (Selected, Muted),
    ];
    for (theme, _) in themes_at_depth(ColorDepth::TrueColor)
        .filter(|(theme, _)| theme.scheme == ColorScheme::ColorBlind)
    {
        for (one, other) in apart.into_iter().chain([(TextRole::Key, Text)]) {
            for eye in [DEUTERANOPIA, PROTANOPIA] {
                let (a, b) = (
                    simulated_lab(displayed_rgb(&theme, one), eye),
                    simulated_lab(displayed_rgb(&theme, other), eye),
                );
                let distance = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| (a - b).powi(2))
                    .sum::<f64>()
                    .sqrt();
                assert!(
                    distance >= 20.0,
                    "{one:?} and {other:?} are {distance:.0} apart on {:?}",
                    theme.background
                );
            }
        }
    }
}

#[test]
fn indexed_256_and_true_color_show_the_same_colors() {
    for ((many, _), (full, _)) in
        themes_at_depth(ColorDepth::Indexed256).zip(themes_at_depth(ColorDepth::TrueColor))
    {
        for role in ALL_ROLES {
            assert_eq!(
                displayed_rgb(&many, role),
                displayed_rgb(&full, role),
                "{role:?} in {many:?}"
            );
        }
    }
}

#[test]
fn only_ansi_colors_readable_on_the_background_are_used() {
    for (theme, _) in themes_at_depth(ColorDepth::Ansi16) {
        for role in ALL_ROLES {
            let fades: &[Color] = match (theme.scheme, theme.background) {
                (ColorScheme::HighContrast, Background::Dark) => {
                    &[Color::Black, Color::DarkGray, Color::Blue, Color::Red]
                }
                (ColorScheme::HighContrast, Background::Light) => &[
                    Color::White,
                    Color::Gray,
                    Color::Yellow,
                    Color::Cyan,
                    Color::Green,
                ],
                (_, Background::Dark) => {
                    &[Color::Black, Color::DarkGray, Color::White, Color::Blue]
                }
                (_, Background::Light) => &[
                    Color::White,
                    Color::Gray,
                    Color::Black,
                    Color::Yellow,
                    Color::Cyan,
                    Color::Green,
                ],
            };
            let fg = theme.style(role).fg.expect("a color");
            assert!(!fades.contains(&fg), "{role:?} is {fg:?} in {theme:?}");
        }
    }
}

#[test]
fn no_scheme_sends_colors_when_there_are_none() {
    for scheme in ColorScheme::ALL {
        let theme = Theme {
            scheme,
            depth: ColorDepth::None,
            ..Theme::default()
        };
        let styles = ALL_ROLES
            .map(|role| theme.style(role))
            .into_iter()
            .chain([theme.cursor_row_style(false)]);
        assert!(
            styles
                .into_iter()
                .all(|style| style.fg.is_none() && style.bg.is_none()),
            "{scheme:?}"
        );
        assert_eq!(
            (theme.own_background(), theme.cursor_row_style(true).bg),
            (None, None)
        );
    }
}

#[test]
fn the_terminal_scheme_uses_only_named_colors() {
    for depth in [
        ColorDepth::Ansi16,
        ColorDepth::Indexed256,
        ColorDepth::TrueColor,
    ] {
        let theme = Theme {
            scheme: ColorScheme::Terminal,
            depth,
            ..Theme::default()
        };
        assert!(
            ALL_ROLES.iter().all(|role| !matches!(
                theme.style(*role).fg,
                Some(Color::Indexed(_) | Color::Rgb(..))
            )),
            "{depth:?}"
        );
    }
}

#[test]
fn a_scheme_is_found_by_its_name() {
    for scheme in ColorScheme::ALL {
        assert_eq!(ColorScheme::from_name(scheme.name()), Some(scheme));
    }
    assert_eq!(ColorScheme::from_name("solarized"), None);
}

proptest! {
    #[test]
    fn only_a_color_of_the_fixed_palette_has_a_number(shade in prop_oneof![(16u8..=255).prop_map(indexed_rgb), 0u32..0x100_0000]) {
        let [_, red, green, blue] = shade.to_be_bytes();
        let shown_as = super::exact_palette_index(red, green, blue);
        let is_fixed = (22..=255).any(|number| indexed_rgb(number) == shade);
        prop_assert_eq!(shown_as.map(indexed_rgb), is_fixed.then_some(shade));
    }

    #[test]
    fn every_indexed_color_maps_to_itself(number in 16u8..=255) {
        prop_assert_eq!(indexed_rgb(indexed_color(indexed_rgb(number))), indexed_rgb(number));
    }
}

#[test]
fn the_focused_border_differs_by_brightness_or_thickness() {
    for (theme, _) in themes_at_depth(ColorDepth::TrueColor) {
        let brighter = contrast_ratio(
            displayed_rgb(&theme, TextRole::Focus),
            displayed_rgb(&theme, TextRole::Faint),
        ) >= 2.0;
        assert!(
            brighter || theme.border(true) != theme.border(false),
            "{theme:?}"
        );
    }
}

#[test]
fn colors_of_the_user_replace_those_of_the_scheme_and_the_others_stay() {
    let mut colors = CustomColors::default();
    for (name, color) in [
        ("high", CustomColor::Rgb(0xff_00_ff)),
        ("muted", CustomColor::Indexed(3)),
        ("background", CustomColor::Rgb(0x12_12_12)),
        ("cursor_row", CustomColor::Indexed(238)),
    ] {
        assert!(colors.set(name, color), "{name}");
    }
    assert!(!colors.set("hihg", CustomColor::Indexed(1)));
    let names = ALL_ROLES.map(|role| format!("{role:?}").to_lowercase());
    assert!(
        ALL_ROLES
            .iter()
            .zip(&names)
            .all(|(role, name)| COLOR_PLACES[*role as usize] == name),
        "{names:?}"
    );
    assert_eq!(
        (
            COLOR_PLACES[custom::BACKGROUND],
            COLOR_PLACES[custom::CURSOR_ROW]
        ),
        ("background", "cursor_row")
    );
    let plain = Theme {
        scheme: ColorScheme::Dark,
        depth: ColorDepth::TrueColor,
        ..Theme::default()
    };
    let theme = Theme {
        custom: Some(colors),
        ..plain
    };
    assert_eq!(
        theme.style(TextRole::High).fg,
        Some(Color::from_u32(0xff_00_ff))
    );
    assert_eq!(theme.style(TextRole::Muted).fg, Some(Color::Indexed(3)));
    assert_eq!(theme.style(TextRole::Error), plain.style(TextRole::Error));
    assert_eq!(theme.cursor_row_style(true).bg, Some(Color::Indexed(238)));
    let mut buf = Buffer::empty(Rect::new(0, 0, 2, 1));
    theme.paint_background(&mut buf);
    assert_eq!(buf[(0, 0)].bg, Color::from_u32(0x12_12_12));
    let few = Theme {
        depth: ColorDepth::Ansi16,
        ..theme
    };
    assert_eq!(
        few.style(TextRole::High),
        Theme {
            custom: None,
            ..few
        }
        .style(TextRole::High),
        "16 colors have no such shade"
    );
    assert_eq!(few.style(TextRole::Muted).fg, Some(Color::Indexed(3)));
    let none = Theme {
        depth: ColorDepth::None,
        ..theme
    };
    assert_eq!(none.style(TextRole::High).fg, None);
}
