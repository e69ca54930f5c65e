//! Draws the palette and help.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Console;
use crate::app::command::Availability;
use crate::app::console::prices::price_of;
use crate::app::format::pluralize;
use crate::app::overlay::palette::{CommandMatch, CommandPalette, PaletteEntry};
use crate::app::price::Price;
use crate::text;
use crate::ui::scroll::ScrollState;
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, scroll, text_span};

/// From this height on, help says what the screen is for.
const DESCRIPTION_MIN_HEIGHT: u16 = 14;

pub(super) fn draw(
    console: &Console,
    palette: &CommandPalette,
    buf: &mut Buffer,
    theme: &Theme,
) -> Position {
    let all = console.cx.frame.layout().frame;
    let area = panel::centered_rect(
        all,
        100,
        all.height.saturating_sub(4).clamp(all.height.min(8), 30),
    );
    let found = palette.entries();
    let note = [match palette.nearest() {
        Some(near) => text_span(TextRole::Warning, format!("did you mean {near}?")),
        None if palette.is_grouped() => text_span(
            TextRole::Muted,
            format!("{} commands", palette.command_count()),
        ),
        None => text_span(
            TextRole::Muted,
            format!("{} of {}", found.len(), palette.command_count()),
        ),
    }];
    let inner = panel::draw_popup(
        buf,
        area,
        &[text_span(TextRole::Strong, palette.title)],
        &note,
        theme,
    );
    let prompt = paint::row_rect(inner, 0);
    let used = draw_line(
        buf,
        prompt,
        &[text_span(
            TextRole::Key,
            if palette.runs_commands {
                " : "
            } else {
                " find "
            },
        )],
        theme,
    );
    let field = area::area_after(prompt, used);
    let cursor = palette.field.draw(buf, field, theme, true);
    let about = description_lines(palette, inner);
    let about_area = Rect {
        y: inner.y + 2,
        height: u16::try_from(about.len()).unwrap_or(0),
        ..area::inset_sides(inner, 1)
    };
    paint::draw_lines(
        buf,
        about_area,
        about
            .iter()
            .map(|line| [text_span(TextRole::Text, line.as_str())]),
        theme,
    );
    let head = if about.is_empty() {
        2
    } else {
        about_area.height + 3
    };
    let explained = has_explanation(all);
    let list_height = inner
        .height
        .saturating_sub(head + if explained { 4 } else { 0 });
    let list = Rect {
        y: inner.y + head,
        height: list_height,
        ..inner
    };
    let at = ScrollState::centered_on(palette.scroll.cursor, found.len(), list_height);
    for n in 0..list_height {
        let Some(entry) = found.get(at.top + usize::from(n)) else {
            break;
        };
        let row = paint::row_rect(list, n);
        draw_entry(console, palette, entry, row, buf, theme);
        if at.top + usize::from(n) == at.cursor
            && (!palette.runs_commands || palette.selected_entry().is_some())
        {
            buf.set_style(row, theme.cursor_row_style(true));
        }
    }
    scroll::draw_scrollbar(buf, area, list, at.top, found.len(), theme);
    if found.is_empty() {
        draw_line(
            buf,
            paint::row_rect(list, 0),
            &[text_span(
                TextRole::Warning,
                no_match_text(console, palette),
            )],
            theme,
        );
    }
    if explained {
        draw_explanation(
            console,
            palette,
            Rect {
                y: list.bottom() + 1,
                height: 3,
                ..inner
            },
            buf,
            theme,
        );
    }
    cursor
}

/// Whether there is room for what the current line does and costs.
pub(super) fn has_explanation(frame: Rect) -> bool {
    frame.height >= 16
}

/// What the screen is for, at the top of help while nothing is looked up.
fn description_lines(palette: &CommandPalette, inner: Rect) -> Vec<String> {
    if palette.runs_commands
        || !palette.field.text().is_empty()
        || inner.height < DESCRIPTION_MIN_HEIGHT
    {
        return Vec::new();
    }
    text::wrap_text(
        palette.scope().purpose(),
        usize::from(inner.width.saturating_sub(2)),
    )
}

fn no_match_text(console: &Console, palette: &CommandPalette) -> String {
    let query = palette.field.text().trim();
    if !palette.runs_commands {
        return format!(" No command or key matches {query}");
    }
    let hint = "{dialog.close}, then {find} looks for it in the list";
    format!(
        " No command, View, record or member matches {query}   {}",
        console.cx.keymap.expand_keys(hint)
    )
}

fn draw_entry(
    console: &Console,
    palette: &CommandPalette,
    entry: &PaletteEntry,
    row: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let cut = |text: &str, cells| text::truncate(text, cells, theme.glyphs().ellipsis).into_owned();
    let (keys, words, place, is_available) = match entry {
        PaletteEntry::Command(found) => {
            let place = match found.works_here {
                true => found.command.scope.title().to_owned(),
                false => cut(&palette.place_of(found.command), 31),
            };
            let is_available = availability_from_here(console, palette, *found).is_ok();
            (
                palette.key_labels(*found).join(" "),
                palette.description_of(*found).to_owned(),
                place,
                is_available,
            )
        }
        PaletteEntry::Group {
            group,
            commands,
            is_open,
        } => (
            match is_open {
                true => theme.glyphs().expanded,
                false => theme.glyphs().collapsed,
            }
            .to_owned(),
            group.title().to_owned(),
            commands.to_string(),
            true,
        ),
        PaletteEntry::Verb(verb) => (
            format!(":{}", verb.name),
            verb.description.to_owned(),
            format!(":{}", verb.example),
            true,
        ),
        PaletteEntry::Line(verb, actions) => (
            format!(":{}", verb.name),
            verb.description.to_owned(),
            format!(":{}", verb.example),
            actions.is_ok(),
        ),
        PaletteEntry::Destination(place) => {
            (String::new(), place.name.clone(), place.kind.clone(), true)
        }
    };
    let place = if row.width < 70 { String::new() } else { place };
    let is_elsewhere = matches!(entry, PaletteEntry::Command(found) if !found.works_here);
    let pieces = [
        text_span(
            if is_elsewhere {
                TextRole::Muted
            } else {
                TextRole::Key
            },
            format!(" {:<15}", cut(&keys, 14)),
        ),
        text_span(
            if is_available {
                TextRole::Text
            } else {
                TextRole::Muted
            },
            words,
        ),
    ];
    let place = [text_span(TextRole::Muted, format!(" {place} "))];
    paint::draw_two_sided_line(buf, row, &pieces, &place, theme);
}

/// Whether a command can be run from here; if not, why.
fn availability_from_here(
    console: &Console,
    palette: &CommandPalette,
    found: CommandMatch,
) -> Availability {
    if found.works_here {
        console.availability(found.command)
    } else {
        Err(format!("works {}", palette.place_of(found.command)).into())
    }
}

/// Explains the current line: what it does, its price, and why it is unavailable if it is; below,
/// the keys.
fn draw_explanation(
    console: &Console,
    palette: &CommandPalette,
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let area = area::inset_sides(area, 1);
    let keymap = &console.cx.keymap;
    let hint = |words| keymap.expand_keys_styled(TextRole::Muted, words);
    let last = paint::row_rect(area, 2);
    if !palette.runs_commands {
        let words = match palette.current_entry() {
            Some(PaletteEntry::Group { .. }) => {
                "{palette.run} open or close the group   {entries.close} close   type a word to find a key"
            }
            _ => {
                "{entries.close} close   type a word or press a key, such as Ctrl-d, to see what it does"
            }
        };
        draw_line(buf, last, &hint(words), theme);
    } else if palette.selected_entry().is_none() && !palette.entries().is_empty() {
        let line = match palette.is_refused {
            true => keymap.expand_keys_styled(
                TextRole::Warning,
                "this runs nothing yet: {entries.down} selects a line first",
            ),
            false => hint(
                "{entries.down} select   {entries.up} earlier commands   {entries.close} close",
            ),
        };
        draw_line(buf, last, &line, theme);
        return;
    } else if let Some(PaletteEntry::Group { .. }) = palette.current_entry() {
        let words = "{palette.run} open or close the group   {entries.close} close";
        draw_line(buf, last, &hint(words), theme);
    }
    let Some(entry) = palette.current_entry() else {
        return;
    };
    let (title, facts, problem) = explain(console, palette, entry, theme);
    draw_line(
        buf,
        area,
        &[
            text_span(TextRole::Strong, title),
            text_span(TextRole::Muted, format!("   {facts}")),
        ],
        theme,
    );
    if let Some(problem) = &problem {
        draw_line(
            buf,
            paint::row_rect(area, 1),
            &[text_span(TextRole::Warning, problem.as_str())],
            theme,
        );
    }
    if palette.runs_commands {
        let price = match entry {
            PaletteEntry::Command(found) => price_of(console, found.command).suffix(),
            _ => String::new(),
        };
        let run = format!("{{palette.run}} run{price}   {{entries.close}} close");
        let words = match entry {
            PaletteEntry::Command(found)
                if !found.works_here && found.command.scope.screen().is_some() =>
            {
                "{palette.run} go there   {entries.close} close"
            }
            PaletteEntry::Verb(_) => "{palette.run} type its argument   {entries.close} close",
            PaletteEntry::Destination(_) => "{palette.run} go there   {entries.close} close",
            _ if problem.is_none() => run.as_str(),
            _ => "{entries.close} close",
        };
        draw_line(buf, last, &hint(words), theme);
    }
}

/// A line's name, its effect and price, and why it cannot run now.
fn explain(
    console: &Console,
    palette: &CommandPalette,
    entry: &PaletteEntry,
    theme: &Theme,
) -> (String, String, Option<String>) {
    let dot = theme.glyphs().separator;
    match entry {
        PaletteEntry::Command(found) => {
            let command = found.command;
            let cost = match price_of(console, command) {
                price @ (Price::Credits(_) | Price::AtMost(_)) if found.works_here => {
                    price.suffix().trim_start().to_owned()
                }
                _ if command.cost.is_empty() => "0 cr".to_owned(),
                _ => command.cost.to_owned(),
            };
            let effect = if command.writes {
                "changes data for everyone"
            } else {
                "changes nothing for others"
            };
            let facts = if command.is_custom() {
                format!("your own command {dot} {}", command.id)
            } else if command.scope.is_dialog() {
                command.id.to_owned()
            } else {
                let id = match command.common_id() {
                    id if id == command.id => id.to_owned(),
                    id => format!("{id}, here {}", command.id),
                };
                format!("{effect} {dot} {cost} {dot} {id}")
            };
            let now = if found.works_here {
                "not now: "
            } else {
                "not here: "
            };
            let problem = availability_from_here(console, palette, *found)
                .err()
                .map(|reason| format!("{now}{reason}"));
            (command.title.to_owned(), facts, problem)
        }
        PaletteEntry::Group {
            group, commands, ..
        } => (
            group.title().to_owned(),
            pluralize(*commands, "command"),
            None,
        ),
        PaletteEntry::Verb(verb) => (
            format!(":{}", verb.example),
            "changes nothing for others".to_owned(),
            None,
        ),
        PaletteEntry::Line(verb, actions) => {
            let typed = palette.field.text().trim().to_owned();
            (
                format!(":{typed}"),
                verb.description.to_owned(),
                actions.as_ref().err().cloned(),
            )
        }
        PaletteEntry::Destination(place) => {
            let cost = if place.cost.is_empty() {
                "0 cr"
            } else {
                place.cost
            };
            (
                place.name.clone(),
                format!("{} {dot} {cost}", place.kind),
                None,
            )
        }
    }
}
