//! What frames every pane: header, screen names and tabs.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::context::visits;
use crate::app::context::{key_names, promises};
use crate::app::format::{format_count, pluralize};
use crate::app::{Context, Screen};
use crate::domain::health::Health;
use crate::domain::members::Member;
use crate::text;
use crate::ui::{TextRole, TextSpan, Theme, area, draw_line, paint, text_span};

/// After this many missed polls the age of the counts is shown as a warning, then as an error.
const MISSED_POLL_LIMITS: (u32, u32) = (3, 10);

/// What a header that is too long leaves out, in this order.
mod elision {
    /// The credit limit.
    pub(super) const OMIT_CREDIT_LIMIT: u8 = 1;
    /// The words about what leaves the queue soon; the number stays.
    pub(super) const SHORTEN_LEAVING: u8 = 2;
    /// The Done count: its tab shows it.
    pub(super) const OMIT_DONE_COUNT: u8 = 3;
    /// The program's name, and the word that repeats the `!` sign.
    pub(super) const OMIT_PROGRAM_NAME: u8 = 4;
    /// The words about what is new since the last visit; the number stays.
    pub(super) const SHORTEN_NEWS: u8 = 5;
    /// The end of a long address.
    pub(super) const SHORTEN_ADDRESS: u8 = 6;
    /// The address, where the workspace's name is known.
    pub(super) const OMIT_ADDRESS: u8 = 7;
    /// The words "as of".
    pub(super) const SHORTEN_AGE: u8 = 8;
    /// The ends of long names, down to [`super::SHORT_NAME_WIDTHS`].
    pub(super) const SHORTEN_NAMES: u8 = 9;
    /// What leaves the queue soon.
    pub(super) const OMIT_LEAVING: u8 = 10;
    /// What is new since the last visit.
    pub(super) const OMIT_NEWS: u8 = 11;
    /// The words about the meter; the number stays.
    pub(super) const SHORTEN_METER: u8 = 12;
    /// The caller, and the seconds of the age.
    pub(super) const OMIT_CALLER: u8 = 13;
    /// The meter: it shows what each key costs. Names share what is left.
    pub(super) const OMIT_METER: u8 = 14;
}

/// The cells that workspace and caller keep while anything but the meter can be left out.
const SHORT_NAME_WIDTHS: (usize, usize) = (16, 6);
/// The cells that the workspace keeps beside the meter.
const SHORTEST_NAME_WIDTH: usize = 8;

/// Location and caller on the left; counts, meter and their age on the right. Where there is no
/// room for everything, what is shown elsewhere too is left out first; the workspace, the caller,
/// "sample data" and "read only" stay.
pub(super) fn draw_header(cx: &Context, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let area = area::inset_sides(cx.frame.layout().header, 1);
    let width = |pieces: &[TextSpan<'_>]| paint::spans_width(pieces);
    let location_width = |short: u8| match short < elision::SHORTEN_NAMES {
        true => width(&location_spans(cx, short, area.width)),
        false => short_location_width(cx, short),
    };
    let due = promises::due_count(&cx.promises, &cx.queue, &cx.team, &cx.clock);
    let fits = |short: &u8| {
        location_width(*short) + 2 + width(&count_spans(cx, due, *short)) <= area.width
    };
    let short = (0..elision::OMIT_METER)
        .find(fits)
        .unwrap_or(elision::OMIT_METER);
    let taken = paint::draw_line_right(buf, area, &count_spans(cx, due, short), &theme);
    let room = Rect {
        width: taken.saturating_sub(area.x + 2),
        ..area
    };
    draw_line(buf, room, &location_spans(cx, short, room.width), &theme);
}

/// The caller: a member's name, or "API key".
fn caller_name(cx: &Context) -> Option<String> {
    if cx.team.workspace.as_ref()?.caller.as_ref()?.is_api_key() {
        return Some("API key".to_owned());
    }
    let me = cx.team.caller()?;
    cx.team
        .members
        .iter()
        .find(|member| member.is(&me))
        .map(Member::name)
}

/// The width of location and caller with short names.
fn short_location_width(cx: &Context, short: u8) -> u16 {
    let (workspace_width, caller_width) = match short < elision::OMIT_CALLER {
        true => SHORT_NAME_WIDTHS,
        false => (SHORTEST_NAME_WIDTH, 0),
    };
    let label = cx.session.label.as_str();
    let workspace = cx
        .team
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.name.as_deref())
        .unwrap_or(label);
    let caller = caller_name(cx)
        .filter(|_| caller_width > 0)
        .map_or(0, |name| 3 + text::display_width(&name).min(caller_width));
    let marks: usize = header_marks(cx).map(str::len).sum();
    u16::try_from(text::display_width(workspace).min(workspace_width) + caller + marks)
        .unwrap_or(u16::MAX)
}

/// Location and caller at an elision level. At the highest one the names share `room`.
fn location_spans(cx: &Context, short: u8, room: u16) -> Vec<TextSpan<'static>> {
    let glyphs = cx.settings.theme.glyphs();
    let cut = |text: &str, cells| text::truncate(text, cells, glyphs.ellipsis).into_owned();
    let mut workspace = cx
        .team
        .workspace
        .as_ref()
        .and_then(|w| w.name.clone())
        .filter(|name| *name != cx.session.label)
        .unwrap_or_default();
    let mut caller = caller_name(cx)
        .filter(|_| short != elision::OMIT_CALLER)
        .unwrap_or_default();
    let marks: usize = header_marks(cx).map(str::len).sum();
    let between = if caller.is_empty() {
        String::new()
    } else {
        format!(" {} ", glyphs.separator)
    };
    if short >= elision::SHORTEN_NAMES && !workspace.is_empty() {
        let room = usize::from(room).saturating_sub(text::display_width(&between) + marks);
        let shared = (room / 2).max(room.saturating_sub(text::display_width(&caller)));
        workspace = cut(&workspace, shared);
        caller = cut(
            &caller,
            room.saturating_sub(text::display_width(&workspace)),
        );
    }
    let mut pieces = Vec::new();
    if short < elision::OMIT_PROGRAM_NAME {
        pieces.push(text_span(TextRole::Strong, "gantry"));
    }
    if short < elision::OMIT_ADDRESS || workspace.is_empty() {
        let gap = if pieces.is_empty() { "" } else { "  " };
        let whole = if short < elision::SHORTEN_ADDRESS {
            usize::MAX
        } else {
            12
        };
        let role = cx.settings.label_role.unwrap_or(TextRole::Muted);
        pieces.push(text_span(TextRole::Muted, gap));
        pieces.push(text_span(role, cut(&cx.session.label, whole)));
    }
    if !workspace.is_empty() {
        let arrow = if short < elision::OMIT_ADDRESS {
            format!(" {} ", glyphs.breadcrumb)
        } else {
            String::new()
        };
        // Where the address is left out, the workspace has the color of the profile.
        let role = cx
            .settings
            .label_role
            .filter(|_| short >= elision::OMIT_ADDRESS)
            .unwrap_or(TextRole::Text);
        pieces.push(text_span(role, arrow + &workspace));
    }
    if !caller.is_empty() {
        pieces.push(text_span(TextRole::Muted, between + &caller));
    }
    pieces.extend(header_marks(cx).map(|mark| text_span(TextRole::Warning, mark)));
    pieces
}

/// What stays in the header, however narrow it is.
fn header_marks(cx: &Context) -> impl Iterator<Item = &'static str> {
    let sample = cx.settings.is_sample.then_some(" sample data");
    sample.into_iter().chain(
        cx.team
            .can_write(&cx.session)
            .is_err()
            .then_some(" read only"),
    )
}

/// Counts, with this many promises that are due, meter and age at an elision level.
fn count_spans(cx: &Context, due: usize, short: u8) -> Vec<TextSpan<'static>> {
    let theme = cx.settings.theme;
    let bar = || {
        text_span(
            TextRole::Faint,
            format!("  {} ", theme.glyphs().vertical_rule),
        )
    };
    let mut pieces = Vec::new();
    if let Some(stats) = cx.stats.as_ref() {
        // Snoozed signals are new to everybody else, as Watch shows it.
        let snoozed = match cx.ui.screen() {
            Screen::Watch => 0,
            _ => cx.queue.snoozes.sleeping_count() as u64,
        };
        let new = stats.new_count.saturating_sub(snoozed);
        pieces.push(text_span(
            TextRole::Strong,
            format!("NEW {}", format_count(new)),
        ));
        if snoozed > 0 && short < elision::SHORTEN_LEAVING {
            let label = format!(", {} snoozed", format_count(snoozed));
            pieces.push(text_span(TextRole::Muted, label));
        }
        if let Some((long, short_label)) = cx.news_labels().filter(|_| short < elision::OMIT_NEWS) {
            let label = if short < elision::SHORTEN_NEWS {
                long
            } else {
                short_label
            };
            pieces.push(text_span(TextRole::New, format!("  {label}")));
        }
        if due > 0 && cx.ui.screen() != Screen::Watch {
            let label = match short < elision::SHORTEN_LEAVING {
                true => format!("  {} due", pluralize(due, "promise")),
                false => format!("  {due} due"),
            };
            pieces.push(text_span(TextRole::Warning, label));
        }
        if stats.high_priority_new_count > 0 {
            let word = if short < elision::OMIT_PROGRAM_NAME {
                " high"
            } else {
                ""
            };
            pieces.push(text_span(
                TextRole::High,
                format!("  !{}{word}", format_count(stats.high_priority_new_count)),
            ));
        }
        if let Some((long, short_label)) = visits::queue_leaving_labels(&cx.clock, &cx.queue)
            .filter(|_| short < elision::OMIT_LEAVING)
        {
            let label = if short < elision::SHORTEN_LEAVING {
                long
            } else {
                short_label
            };
            pieces.push(text_span(TextRole::Warning, format!("  {label}")));
        }
        if short < elision::OMIT_DONE_COUNT {
            pieces.push(text_span(
                TextRole::Muted,
                format!("  DONE {}", format_count(stats.done_count)),
            ));
        }
    }
    if let Some(used) = cx
        .work
        .budget
        .credits
        .as_ref()
        .and_then(|credits| credits.used)
        .filter(|_| short < elision::OMIT_METER)
    {
        let has_limit = short < elision::OMIT_CREDIT_LIMIT && cx.frame.layout().frame.width >= 100;
        let limit = cx
            .work
            .budget
            .credits
            .as_ref()
            .and_then(|credits| credits.limit)
            .filter(|_| has_limit);
        let of = limit
            .map(|limit| format!(" of {}", format_count(limit)))
            .unwrap_or_default();
        // Of everybody in the workspace.
        let window = if short < elision::SHORTEN_METER {
            " in 24 h"
        } else {
            ""
        };
        pieces.push(bar());
        pieces.push(text_span(
            TextRole::Muted,
            format!("{}{of} cr{window}", format_count(used)),
        ));
    }
    if !pieces.is_empty() {
        pieces.push(bar());
    }
    pieces.push(age_span(cx, short));
    pieces
}

/// How fresh the counts are: when they were read, and why they are not read any more.
fn age_span(cx: &Context, short: u8) -> TextSpan<'static> {
    let is_short = short >= elision::SHORTEN_AGE;
    let clock = match short == elision::OMIT_CALLER {
        true => "%H:%M",
        false => "%H:%M:%S",
    };
    let health = &cx.connection.health;
    let offline = |word: &str| match cx.connection.stats_read_at {
        Some(at) if !is_short => {
            format!("{word}, counts from {}", cx.clock.format_display_time(at))
        }
        _ => word.to_owned(),
    };
    match (health, cx.connection.stats_read_at) {
        (Health::SignedOut, _) => text_span(TextRole::Error, offline("SIGNED OUT")),
        (Health::Forbidden(_), _) => text_span(TextRole::Error, offline("NOT ALLOWED")),
        (Health::Offline { .. }, at) => {
            let missed = at.map_or(0, |at| missed_poll_count(cx, at));
            text_span(
                if missed >= MISSED_POLL_LIMITS.1 || at.is_none() {
                    TextRole::Error
                } else {
                    TextRole::Warning
                },
                offline("OFFLINE"),
            )
        }
        (Health::Slow, None) => text_span(TextRole::Warning, "connecting (slow)"),
        (Health::RateLimited { .. }, None) => text_span(TextRole::Warning, "RATE LIMITED"),
        // The rows came first; the counts follow.
        (_, None) if cx.connection.has_responded => text_span(TextRole::Muted, "connected"),
        (_, None) => text_span(TextRole::Muted, "connecting"),
        (_, Some(at)) => {
            let role = match missed_poll_count(cx, at) {
                missed if missed >= MISSED_POLL_LIMITS.1 => TextRole::Error,
                missed if missed >= MISSED_POLL_LIMITS.0 => TextRole::Warning,
                _ => TextRole::Muted,
            };
            let slow = if *health == Health::Slow {
                "slow, "
            } else {
                ""
            };
            let word = match (cx.settings.poll_interval, is_short) {
                (None, true) => return text_span(role, format!("{slow}not polling")),
                (None, false) => "not polling, as of ",
                (Some(_), true) => "",
                (Some(_), false) => "as of ",
            };
            text_span(
                role,
                format!("{slow}{word}{}", cx.clock.format_count_time(at, clock)),
            )
        }
    }
}

fn missed_poll_count(cx: &Context, at: chrono::DateTime<chrono::Utc>) -> u32 {
    let Some(every) = cx.settings.poll_interval else {
        return 0;
    };
    let age = (cx.clock.now() - at).to_std().unwrap_or(Duration::ZERO);
    u32::try_from(age.as_secs() / every.as_secs().max(1)).unwrap_or(u32::MAX)
}

/// Draws the names of the screens with digits; `here` is the one the user is on.
pub(super) fn draw_screen_bar(cx: &Context, here: Screen, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    for ((area, screen), (digit, _)) in screen_areas(cx.frame.layout().screen_bar)
        .into_iter()
        .zip(Screen::WITH_DIGITS)
    {
        let role = if screen == here {
            TextRole::Selected
        } else {
            TextRole::Muted
        };
        let faint = if screen == here {
            TextRole::Selected
        } else {
            TextRole::Faint
        };
        draw_line(
            buf,
            area,
            &[
                text_span(faint, format!("{digit} ")),
                text_span(role, screen.title()),
            ],
            &theme,
        );
    }
}

/// The areas of tabs with these labels, side by side.
pub(super) fn label_areas(labels: &[Vec<TextSpan<'_>>], row: Rect) -> Vec<Rect> {
    let widths: Vec<u16> = labels
        .iter()
        .map(|label| paint::spans_width(label))
        .collect();
    let is_shown =
        |label: &Vec<TextSpan<'_>>| label.iter().any(|piece| piece.role == TextRole::Selected);
    // The first tabs give way to the one that is shown.
    let shown = labels.iter().position(is_shown).unwrap_or(0);
    let fits = |first: &usize| {
        let needed: u16 = widths[*first..=shown].iter().map(|width| width + 3).sum();
        needed < row.width
    };
    let first = (0..shown).find(fits).unwrap_or(shown);
    let mut x = row.x + 1;
    let area = |(at, width): (usize, &u16)| {
        if at < first {
            return Rect { width: 0, ..row };
        }
        let area = Rect {
            x,
            width: *width,
            ..row
        }
        .intersection(row);
        x = x.saturating_add(width + 3);
        area
    };
    widths.iter().enumerate().map(area).collect()
}

pub(super) fn draw_tabs(labels: &[Vec<TextSpan<'_>>], row: Rect, theme: &Theme, buf: &mut Buffer) {
    let areas = label_areas(labels, row);
    if areas.first().is_some_and(|first| first.is_empty()) {
        let mark = text_span(TextRole::Key, theme.glyphs().hidden_left);
        draw_line(buf, row, &[mark], theme);
    }
    for (area, label) in areas.into_iter().zip(labels) {
        draw_line(buf, area, label, theme);
    }
}

/// Draws the keys that switch tabs after the last tab, where nothing else is drawn.
pub(super) fn draw_tab_keys(cx: &Context, buf: &mut Buffer) {
    let Some(last) = cx.frame.layout().last_tab() else {
        return;
    };
    let keys = key_names::tab_keys(&cx.keymap);
    // The word gives way first, then the gap.
    for keys in [&keys[..], &keys[..4], &keys[1..4]] {
        let area = Rect {
            x: last.right(),
            width: paint::spans_width(keys),
            ..last
        };
        let is_free = |x| {
            buf.cell((x, area.y))
                .is_some_and(|cell| matches!(cell.symbol(), " " | "─" | "━" | "-" | "═"))
        };
        if (area.left()..area.right()).all(is_free) {
            draw_line(buf, area, keys, &cx.settings.theme);
            return;
        }
    }
}

pub(super) fn screen_areas(row: Rect) -> Vec<(Rect, Screen)> {
    let mut x = row.x + 1;
    let width = |screen: &Screen| u16::try_from(screen.title().len() + 2).unwrap_or(0);
    let all: u16 = Screen::WITH_DIGITS
        .iter()
        .map(|(_, screen)| width(screen) + 2)
        .sum();
    let gap = if all > row.width { 1 } else { 2 };
    Screen::WITH_DIGITS
        .iter()
        .map(|(_, screen)| {
            let width = width(screen);
            let area = Rect { x, width, ..row }.intersection(row);
            x = x.saturating_add(width + gap);
            (area, *screen)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::app::testing::{TestConsole, many_rows};
    use crate::app::{AppSettings, ConsoleSession};
    use crate::domain::credits::Credits;
    use crate::domain::queue::Priority;
    use crate::ui::{ColorDepth, TextRole, Theme};

    fn header(label: &str, size: (u16, u16)) -> String {
        header_with_workspace(label, size, "Acme West")
    }

    fn header_with_workspace(label: &str, size: (u16, u16), workspace: &str) -> String {
        let session = ConsoleSession {
            label: label.to_owned(),
            connected: true,
            read_only: true,
            is_dashboard_only: false,
        };
        let mut rows = many_rows(327);
        rows.iter_mut()
            .for_each(|row| row.priority = Some(Priority::High));
        let mut console = TestConsole::with_session(session, rows, size, AppSettings::default())
            .poll()
            .serve();
        console
            .context_mut()
            .workspace_mut()
            .as_mut()
            .expect("a workspace")
            .name = Some(workspace.to_owned());
        console.context_mut().set_credits(Credits {
            limit: Some(250_000),
            used: Some(149_284),
            ..Credits::default()
        });
        console
            .screen_text()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn the_header_keeps_workspace_read_only_and_the_meter_and_at_80_columns_the_person() {
        for label in [
            "acme",
            "127.0.0.1:42025",
            "signals.west.construction.example.com:8443",
        ] {
            for size in [(200, 60), (120, 36), (100, 30), (80, 24), (60, 20)] {
                let header = header(label, size);
                let meter = if size.0 < 80 {
                    "149,284 cr"
                } else {
                    " cr in 24 h"
                };
                for kept in ["read only", "Acme West", "NEW 327", "!327", "09:20", meter] {
                    assert!(
                        header.contains(kept),
                        "{label} {size:?}: {kept} is not in\n{header}"
                    );
                }
                assert!(
                    header.contains("Ana R.") || size.0 < 80,
                    "{label} {size:?}: the person is not in\n{header}"
                );
            }
        }
        for size in [(80, 24), (60, 20), (50, 14)] {
            let header =
                header_with_workspace("127.0.0.1:42025", size, "Ridgeback Building Products");
            assert!(
                header.contains("149,284 cr") || size.0 < 60,
                "{size:?}\n{header}"
            );
            assert!(
                header.contains("Rid") && header.contains(" read only "),
                "{size:?}\n{header}"
            );
            let is_cut = header.contains('…');
            assert!(
                !is_cut || !header.contains("    "),
                "the names have all the room that is left\n{header}"
            );
        }
        let header_60 = header_with_workspace(
            "acme",
            (60, 20),
            "Hawthorne & Whitfield Building Products, Central Texas",
        );
        assert!(
            header_60.contains("Hawthorne") && header_60.contains(" read only"),
            "{header_60}"
        );
        assert!(header("127.0.0.1:42025", (120, 36)).contains("127.0.0.1:42025"));
    }

    #[test]
    fn the_name_of_the_profile_has_its_color_with_the_same_text_without_colors() {
        let cell = |role, depth, size: (u16, u16)| {
            let theme = Theme {
                depth,
                ..Theme::default()
            };
            let settings = AppSettings {
                label_role: role,
                theme,
                ..AppSettings::default()
            };
            let console = TestConsole::with_size(many_rows(3), size, settings)
                .poll()
                .serve();
            let buf = console.draw_to_buffer();
            let text: String = (0..size.0).map(|x| buf[(x, 0)].symbol()).collect();
            let label = if text.contains("acme-west") {
                "acme-west"
            } else {
                "Acme West"
            };
            let x = u16::try_from(text[..text.find(label).unwrap()].chars().count()).unwrap();
            (buf[(x, 0)].fg, text)
        };
        for size in [(120, 36), (60, 20)] {
            let (plain, colored) = (None, Some(TextRole::Error));
            let depth = ColorDepth::TrueColor;
            assert_ne!(
                cell(plain, depth, size).0,
                cell(colored, depth, size).0,
                "{size:?}"
            );
            assert_eq!(
                cell(plain, ColorDepth::None, size),
                cell(colored, ColorDepth::None, size),
                "{size:?}"
            );
        }
    }
}
