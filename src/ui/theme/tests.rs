//! What the colours promise, measured as WCAG 2 measures it.

use proptest::prelude::*;

use super::colours::index;
use super::*;

const ROLES: [Role; 15] = [
    Role::Text,
    Role::Strong,
    Role::Muted,
    Role::Faint,
    Role::Focus,
    Role::Key,
    Role::Chosen,
    Role::High,
    Role::Medium,
    Role::Low,
    Role::Fresh,
    Role::Marked,
    Role::Good,
    Role::Warn,
    Role::Bad,
];

/// The grounds that people's terminals have: black, the usual greys and the lightest of the well-known dark ones; white and the
/// darkest of the well-known light ones.
const DARK: [u32; 3] = [0x00_00_00, 0x1e_1e_1e, 0x28_2c_34];
const LIGHT: [u32; 2] = [0xff_ff_ff, 0xfd_f6_e3];

type Lights = [f64; 3];

/// Red, green and blue as light.
fn light(shade: u32) -> Lights {
    let [_, red, green, blue] = shade.to_be_bytes();
    [red, green, blue].map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.04045 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    })
}

fn luminance([red, green, blue]: Lights) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast of two shades, 1 to 21.
fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(light(one)), luminance(light(other)));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The shade behind a number of the 256.
fn shade_of(index: u8) -> u32 {
    if index >= 232 {
        return u32::from(8 + 10 * (index - 232)) * 0x01_01_01;
    }
    let at = u32::from(index - 16);
    let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
    (level(at / 36) << 16) | (level(at / 6 % 6) << 8) | level(at % 6)
}

/// The colour of a role as 24 bits; the terminal's own text is near black or near white.
fn shown(theme: &Theme, role: Role) -> u32 {
    match theme.style(role).fg {
        Some(Color::Indexed(index)) => shade_of(index),
        Some(Color::Rgb(red, green, blue)) => u32::from_be_bytes([0, red, green, blue]),
        Some(Color::Reset) if theme.ground == Ground::Dark => 0xd0_d0_d0,
        Some(Color::Reset) => 0x26_26_26,
        other => panic!("{role:?} is {other:?}"),
    }
}

/// Each scheme on each ground at a depth, with the grounds that it may meet.
fn themes(depth: Depth) -> impl Iterator<Item = (Theme, Vec<u32>)> {
    let grounds = [(Ground::Dark, &DARK[..]), (Ground::Light, &LIGHT[..])];
    let schemes = [Scheme::Auto, Scheme::HighContrast, Scheme::ColourBlind];
    schemes.into_iter().flat_map(move |scheme| {
        grounds.map(|(ground, met)| {
            let theme = Theme { scheme, ground, depth, ascii: false };
            let own = theme.palette().ground().map(|(shade, _)| vec![shade]);
            (theme, own.unwrap_or_else(|| met.to_vec()))
        })
    })
}

#[test]
fn every_role_can_be_read_on_every_ground_that_its_scheme_may_meet() {
    for depth in [Depth::Many, Depth::Full] {
        for (theme, grounds) in themes(depth) {
            for (role, ground) in ROLES.iter().flat_map(|role| grounds.iter().map(move |ground| (*role, *ground))) {
                let least = match (theme.scheme, role) {
                    (Scheme::HighContrast, _) => 7.0,
                    // A rule or a border may be overlooked: it is there to be seen, not to be read.
                    (_, Role::Faint) => 1.9,
                    (_, _) => 4.5,
                };
                let is = contrast(shown(&theme, role), ground);
                assert!(is >= least, "{role:?} on {ground:06x} has {is:.2} of {least} in {theme:?}");
            }
        }
    }
}

#[test]
fn every_role_can_be_read_on_the_row_of_the_cursor() {
    for (theme, _) in themes(Depth::Full) {
        let [with_keys, without] = theme.palette().rows();
        // The turned row of high contrast has one colour for all that stands on it.
        let rows = if theme.scheme == Scheme::HighContrast { vec![without] } else { vec![with_keys, without] };
        for (role, row) in ROLES.iter().flat_map(|role| rows.iter().map(move |row| (*role, *row))) {
            let least = if role == Role::Faint { 1.5 } else { 3.5 };
            let is = contrast(shown(&theme, role), row);
            assert!(is >= least, "{role:?} on {row:06x} has {is:.2} in {theme:?}");
        }
    }
}

#[test]
fn high_contrast_turns_the_row_of_the_cursor_over() {
    for depth in [Depth::Many, Depth::Full] {
        let theme = Theme { scheme: Scheme::HighContrast, depth, ..Theme::default() };
        let row = theme.cursor_row(true);
        assert_eq!((row.bg, row.fg), (theme.style(Role::Text).fg, theme.own_ground()));
    }
}

#[test]
fn a_scheme_for_the_other_ground_brings_its_own_along() {
    let laid = |scheme, ground| {
        let theme = Theme { scheme, ground, depth: Depth::Full, ..Theme::default() };
        let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
        theme.lay_ground(&mut buf);
        (buf[(0, 0)].fg, buf[(0, 0)].bg)
    };
    assert_eq!(laid(Scheme::Light, Ground::Light), (Color::Reset, Color::Reset));
    assert_eq!(laid(Scheme::Dark, Ground::Dark), (Color::Reset, Color::Reset));
    assert_eq!(laid(Scheme::Light, Ground::Dark), (Color::from_u32(0x26_26_26), Color::from_u32(0xff_ff_ff)));
    assert_eq!(laid(Scheme::Dark, Ground::Light), (Color::from_u32(0xd0_d0_d0), Color::from_u32(0x12_12_12)));
}

/// How people see who lack the cones for green and for red (Machado, Oliveira and Fernandes, 2009, full strength).
const DEUTERANOPIA: [Lights; 3] =
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
const PROTANOPIA: [Lights; 3] =
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];

/// A light in the space in which distances are what the eye makes of them (CIE 1976 L*a*b*).
fn seen(shade: u32, eye: [Lights; 3]) -> Lights {
    let light = light(shade);
    let [red, green, blue] = eye.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0));
    let root = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
    let y = root(luminance([red, green, blue]));
    let z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn who_cannot_tell_red_from_green_tells_these_apart() {
    use Role::{Bad, Chosen, Faint, Focus, Good, High, Low, Medium, Muted, Text, Warn};
    let apart =
        [(High, Medium), (Medium, Low), (High, Low), (Good, Warn), (Good, Bad), (Warn, Bad), (Focus, Faint), (Chosen, Muted)];
    for (theme, _) in themes(Depth::Full).filter(|(theme, _)| theme.scheme == Scheme::ColourBlind) {
        for (one, other) in apart.into_iter().chain([(Role::Key, Text)]) {
            for eye in [DEUTERANOPIA, PROTANOPIA] {
                let (a, b) = (seen(shown(&theme, one), eye), seen(shown(&theme, other), eye));
                let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(distance >= 20.0, "{one:?} and {other:?} are {distance:.0} apart on {:?}", theme.ground);
            }
        }
    }
}

#[test]
fn a_terminal_of_256_colours_shows_what_one_of_24_bits_shows() {
    for ((many, _), (full, _)) in themes(Depth::Many).zip(themes(Depth::Full)) {
        for role in ROLES {
            assert_eq!(shown(&many, role), shown(&full, role), "{role:?} in {many:?}");
        }
    }
}

#[test]
fn of_the_sixteen_only_those_are_used_that_terminals_keep_readable_on_their_ground() {
    for (theme, _) in themes(Depth::Sixteen) {
        for role in ROLES {
            let fades: &[Color] = match (theme.scheme, theme.ground) {
                (Scheme::HighContrast, Ground::Dark) => &[Color::Black, Color::DarkGray, Color::Blue, Color::Red],
                (Scheme::HighContrast, Ground::Light) => &[Color::White, Color::Gray, Color::Yellow, Color::Cyan, Color::Green],
                (_, Ground::Dark) => &[Color::Black, Color::DarkGray, Color::White, Color::Blue],
                (_, Ground::Light) => &[Color::White, Color::Gray, Color::Black, Color::Yellow, Color::Cyan, Color::Green],
            };
            let fg = theme.style(role).fg.expect("a colour");
            assert!(!fades.contains(&fg), "{role:?} is {fg:?} in {theme:?}");
        }
    }
}

#[test]
fn without_colours_none_is_sent_in_any_scheme() {
    for scheme in Scheme::ALL {
        let theme = Theme { scheme, depth: Depth::None, ..Theme::default() };
        let styles = ROLES.map(|role| theme.style(role)).into_iter().chain([theme.cursor_row(false)]);
        assert!(styles.into_iter().all(|style| style.fg.is_none() && style.bg.is_none()), "{scheme:?}");
        assert_eq!((theme.own_ground(), theme.cursor_row(true).bg), (None, None));
    }
}

#[test]
fn the_terminals_own_colours_are_names_however_many_there_are() {
    for depth in [Depth::Sixteen, Depth::Many, Depth::Full] {
        let theme = Theme { scheme: Scheme::Terminal, depth, ..Theme::default() };
        assert!(ROLES.iter().all(|role| !matches!(theme.style(*role).fg, Some(Color::Indexed(_) | Color::Rgb(..)))), "{depth:?}");
    }
}

#[test]
fn a_scheme_is_found_by_the_name_that_it_has() {
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::named(scheme.name()), Some(scheme));
    }
    assert_eq!(Scheme::named("solarized"), None);
}

proptest! {
    #[test]
    fn every_shade_of_the_256_is_its_own_nearest(number in 16u8..=255) {
        prop_assert_eq!(shade_of(index(shade_of(number))), shade_of(number));
    }
}

#[test]
fn the_border_of_the_panel_that_has_the_keys_differs_by_brightness_or_by_thickness() {
    for (theme, _) in themes(Depth::Full) {
        let brighter = contrast(shown(&theme, Role::Focus), shown(&theme, Role::Faint)) >= 2.0;
        assert!(brighter || theme.border(true) != theme.border(false), "{theme:?}");
    }
}
