//! Which prices the frame shows. What a key spends beyond them is asked about first.

use crate::app::Context;
use crate::app::command::Command;
use crate::app::command::keys::Key;
use crate::app::console::{Console, palette};
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::PaletteEntry;
use crate::app::panes::find_command;
use crate::app::price::Price;

/// What a command costs now, at most.
pub(super) fn price_of(console: &Console, command: &Command) -> Price {
    find_command(command.id).map_or(Price::Free, |bound| {
        bound.behavior.price(&console.panes, &console.cx)
    })
}

/// What the frame says that a key costs; `None` where it asks about it.
pub(super) fn shown_price(console: &Console, key: Key) -> Option<Price> {
    let Some(command) = console
        .cx
        .pressed
        .command_of(key, &console.cx.ui, &console.cx.keymap)
    else {
        return Some(Price::Free);
    };
    Some(match &console.cx.ui.overlay {
        Some(Overlay::Choice(choice)) if choice.is_question() => return None,
        Some(overlay) => price_in_overlay(console, overlay, command),
        None if console.cx.ui.dialog_has_keys() => price_of(console, command),
        None if console.cx.frame.layout().is_compact => Price::Free,
        None if is_offered(console, command) => price_of(console, command),
        None => price_in_notice(&console.cx, command),
    })
}

/// Whether the footer, the list of continuations or the pane names a command with its price.
fn is_offered(console: &Console, command: &Command) -> bool {
    let cx = &console.cx;
    cx.frame
        .layout()
        .hint_targets()
        .any(|(_, hinted)| hinted == command)
        || cx.pressed.shown_prefix().is_some()
        || console.panes.get(cx.ui.screen()).frame(cx).priced_command == Some(command.id)
}

/// What the notice says that a command costs.
fn price_in_notice(cx: &Context, command: &Command) -> Price {
    let hint = cx
        .ui
        .notice
        .as_ref()
        .map_or("", |notice| notice.hint.as_ref());
    if hint.contains(&format!("{{{}}}", command.id)) {
        Price::stated_in(hint)
    } else {
        Price::Free
    }
}

/// What a dialog says that a command costs.
fn price_in_overlay(console: &Console, overlay: &Overlay, command: &Command) -> Price {
    let stated = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| Price::stated_in(text))
            .max()
            .unwrap_or_default()
    };
    match overlay {
        Overlay::Choice(choice) => {
            let note = choice
                .options
                .get(choice.selected)
                .map_or("", |option| option.note.as_str());
            stated(&[&choice.note, note])
        }
        Overlay::Picker(picker) => stated(&[
            &picker.note,
            &picker.summary,
            picker.current_note().unwrap_or_default(),
        ]),
        Overlay::Call(_) => price_of(console, command),
        Overlay::Palette(palette) if palette::has_explanation(console.cx.frame.layout().frame) => {
            match palette.selected_entry() {
                Some(PaletteEntry::Command(found)) if found.works_here => {
                    price_of(console, found.command)
                }
                Some(PaletteEntry::Destination(place)) => Price::stated_in(place.cost),
                _ => Price::Free,
            }
        }
        _ => Price::Free,
    }
}
