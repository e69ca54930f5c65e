//! The command table: the rows of all panes, bound to the pane that each acts on.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::app::Context;
use crate::app::command::keymap::{KeyOverrides, Keymap};
use crate::app::command::{Availability, Command};
use crate::app::context::{
    copy_commands, global_commands, list_marks, list_tables, overlays, prompt,
};
use crate::app::pane_command::{ContextCommand, PaneCommand};
use crate::app::panes::annotation_form::AnnotationFormPane;
use crate::app::panes::{Panes, annotation_form, pane_commands};
use crate::app::price::Price;

/// What a command acts on, beside the context.
pub trait CommandTarget: Sized + 'static {
    fn target(panes: &Panes) -> &Self;
    fn target_mut(panes: &mut Panes) -> &mut Self;
}

impl CommandTarget for AnnotationFormPane {
    fn target(panes: &Panes) -> &Self {
        &panes.annotation_form
    }

    fn target_mut(panes: &mut Panes) -> &mut Self {
        &mut panes.annotation_form
    }
}

/// What a command does, and when.
trait Behavior: Sync {
    fn hint_text(&self, panes: &Panes, cx: &Context) -> Option<&'static str>;
    fn must_defer(&self, panes: &Panes, cx: &Context) -> bool;
    fn availability(&self, panes: &Panes, cx: &Context) -> Availability;
    fn price(&self, panes: &Panes, cx: &Context) -> Price;
    fn run(&self, panes: &mut Panes, cx: &mut Context);
}

impl<P: CommandTarget> Behavior for PaneCommand<P> {
    fn hint_text(&self, panes: &Panes, cx: &Context) -> Option<&'static str> {
        self.hint_text(P::target(panes), cx)
    }

    fn must_defer(&self, panes: &Panes, cx: &Context) -> bool {
        self.must_defer(P::target(panes), cx)
    }

    fn availability(&self, panes: &Panes, cx: &Context) -> Availability {
        self.availability(P::target(panes), cx)
    }

    fn price(&self, panes: &Panes, cx: &Context) -> Price {
        self.price(P::target(panes), cx)
    }

    fn run(&self, panes: &mut Panes, cx: &mut Context) {
        self.run(P::target_mut(panes), cx);
    }
}

impl Behavior for ContextCommand {
    fn hint_text(&self, _: &Panes, cx: &Context) -> Option<&'static str> {
        self.hint_text(cx)
    }

    fn must_defer(&self, _: &Panes, cx: &Context) -> bool {
        self.must_defer(cx)
    }

    fn availability(&self, _: &Panes, cx: &Context) -> Availability {
        self.availability(cx)
    }

    fn price(&self, _: &Panes, cx: &Context) -> Price {
        self.price(cx)
    }

    fn run(&self, _: &mut Panes, cx: &mut Context) {
        self.run(cx);
    }
}

/// A command of any pane.
#[derive(Clone, Copy)]
pub struct BoundCommand {
    pub command: &'static Command,
    behavior: &'static dyn Behavior,
}

impl BoundCommand {
    /// The footer text; `None` when the command is unavailable or the hint would mislead.
    pub fn hint_text(self, panes: &Panes, cx: &Context) -> Option<&'static str> {
        self.behavior.hint_text(panes, cx)
    }

    /// Whether it must wait until pending writes are done.
    pub fn must_defer(self, panes: &Panes, cx: &Context) -> bool {
        self.behavior.must_defer(panes, cx)
    }

    pub fn availability(self, panes: &Panes, cx: &Context) -> Availability {
        self.behavior.availability(panes, cx)
    }

    /// What it costs now, at most.
    pub fn price(self, panes: &Panes, cx: &Context) -> Price {
        self.behavior.price(panes, cx)
    }

    pub fn run(self, panes: &mut Panes, cx: &mut Context) {
        self.behavior.run(panes, cx);
    }
}

impl<P: CommandTarget> From<&'static PaneCommand<P>> for BoundCommand {
    fn from(row: &'static PaneCommand<P>) -> BoundCommand {
        BoundCommand {
            command: &row.command,
            behavior: row,
        }
    }
}

impl From<&'static ContextCommand> for BoundCommand {
    fn from(row: &'static ContextCommand) -> BoundCommand {
        BoundCommand {
            command: &row.command,
            behavior: row,
        }
    }
}

/// The rows of all commands, pane by pane and then dialog by dialog, in the order of help: one for
/// each place where a command works.
pub fn all_commands() -> impl Iterator<Item = &'static Command> {
    TABLE.iter().map(|bound| bound.command)
}

pub fn find_command(id: &str) -> Option<BoundCommand> {
    static BY_ID: LazyLock<HashMap<&str, BoundCommand>> = LazyLock::new(|| {
        TABLE
            .iter()
            .map(|bound| (bound.command.id, *bound))
            .collect()
    });
    BY_ID.get(id).copied()
}

/// The keymap of these settings. The default one is built once and shared.
pub fn build_keymap(config: &KeyOverrides) -> Arc<Keymap> {
    static DEFAULT: LazyLock<Arc<Keymap>> = LazyLock::new(|| {
        Arc::new(Keymap::new(
            all_commands().collect(),
            &KeyOverrides::default(),
        ))
    });
    if *config == KeyOverrides::default() {
        Arc::clone(&DEFAULT)
    } else {
        Arc::new(Keymap::new(all_commands().collect(), config))
    }
}

static TABLE: LazyLock<Vec<BoundCommand>> = LazyLock::new(|| {
    pane_commands()
        .chain(bind(overlays::call_form::OPEN_COMMANDS))
        .chain(bind(annotation_form::commands::COMMANDS))
        .chain(bind(list_tables::COMMANDS))
        .chain(bind(list_marks::COMMANDS))
        .chain(bind(global_commands::COMMANDS))
        .chain(bind(copy_commands::COMMANDS))
        .chain(bind(annotation_form::commands::DRAFT_COMMANDS))
        .chain(bind(global_commands::CONSOLE_COMMANDS))
        .chain(bind(overlays::lists::COMMANDS))
        .chain(bind(overlays::palette::COMMANDS))
        .chain(bind(overlays::call_form::COMMANDS))
        .chain(bind(overlays::choice::COMMANDS))
        .chain(bind(overlays::column_list::COMMANDS))
        .chain(bind(overlays::filter_form::COMMANDS))
        .chain(bind(overlays::picker::COMMANDS))
        .chain(bind(overlays::history_list::COMMANDS))
        .chain(bind(overlays::text_page::COMMANDS))
        .chain(bind(overlays::join_code::COMMANDS))
        .chain(bind(overlays::gap_list::COMMANDS))
        .chain(bind(overlays::frequency_list::COMMANDS))
        .chain(bind(prompt::COMMANDS))
        .collect()
});

fn bind<T>(rows: &'static [T]) -> impl Iterator<Item = BoundCommand>
where
    BoundCommand: From<&'static T>,
{
    rows.iter().map(BoundCommand::from)
}
