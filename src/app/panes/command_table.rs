//! The command table: the rows of all panes, bound to the pane that each acts on.

use std::sync::{Arc, LazyLock};

use foldhash::HashMap;

use crate::app::Context;
use crate::app::command::keymap::{KeyOverrides, Keymap};
use crate::app::command::{Availability, Command, Scope};
use crate::app::context::{
    copy_commands, global_commands, list_marks, list_tables, overlays, prompt,
};
use crate::app::pane_command::{CommandRow, CommandTarget, OnContext, OnPane};
use crate::app::panes::annotation_form::AnnotationFormPane;
use crate::app::panes::{Panes, annotation_form, pane_commands};
use crate::app::price::Price;

/// A pane that commands act on.
pub trait CommandPane: Sized + 'static {
    fn target(panes: &Panes) -> &Self;
    fn target_mut(panes: &mut Panes) -> &mut Self;
}

impl CommandPane for AnnotationFormPane {
    fn target(panes: &Panes) -> &Self {
        &panes.annotation_form
    }

    fn target_mut(panes: &mut Panes) -> &mut Self {
        &mut panes.annotation_form
    }
}

/// Finds what a command acts on among all panes.
pub trait FindTarget: CommandTarget {
    fn ask<R>(ask: Self::Ask<R>, panes: &Panes, cx: &Context) -> R;
    fn run(run: Self::Run, panes: &mut Panes, cx: &mut Context);
}

impl<P: CommandPane> FindTarget for OnPane<P> {
    fn ask<R>(ask: fn(&P, &Context) -> R, panes: &Panes, cx: &Context) -> R {
        ask(P::target(panes), cx)
    }

    fn run(run: fn(&mut P, &mut Context), panes: &mut Panes, cx: &mut Context) {
        run(P::target_mut(panes), cx);
    }
}

impl FindTarget for OnContext {
    fn ask<R>(ask: fn(&Context) -> R, _: &Panes, cx: &Context) -> R {
        ask(cx)
    }

    fn run(run: fn(&mut Context), _: &mut Panes, cx: &mut Context) {
        run(cx);
    }
}

/// A command, and what it does, whatever it acts on.
pub struct BoundCommand {
    pub command: Command,
    pub behavior: &'static dyn Behavior,
}

/// What a command does, and when.
pub trait Behavior: Sync {
    /// The footer text; `None` when the command is unavailable or the hint would mislead.
    fn hint_text(&self, panes: &Panes, cx: &Context) -> Option<&'static str>;
    /// Whether it must wait until pending writes are done.
    fn must_defer(&self, panes: &Panes, cx: &Context) -> bool;
    fn availability(&self, panes: &Panes, cx: &Context) -> Availability;
    /// What it costs now, at most.
    fn price(&self, panes: &Panes, cx: &Context) -> Price;
    fn run(&self, panes: &mut Panes, cx: &mut Context);
}

impl<T: FindTarget> Behavior for CommandRow<T> {
    fn hint_text(&self, panes: &Panes, cx: &Context) -> Option<&'static str> {
        let text = match self.hint_text {
            Some(text) => T::ask(text, panes, cx)?,
            None => self.title(),
        };
        Behavior::availability(self, panes, cx)
            .is_ok()
            .then_some(text)
    }

    fn must_defer(&self, panes: &Panes, cx: &Context) -> bool {
        self.must_defer
            .is_some_and(|must_defer| T::ask(must_defer, panes, cx))
    }

    fn availability(&self, panes: &Panes, cx: &Context) -> Availability {
        self.availability(cx, |can| T::ask(can, panes, cx))
    }

    fn price(&self, panes: &Panes, cx: &Context) -> Price {
        self.price
            .map_or(Price::Free, |price| T::ask(price, panes, cx))
    }

    fn run(&self, panes: &mut Panes, cx: &mut Context) {
        T::run(self.run, panes, cx);
    }
}

/// The rows of all commands, pane by pane and then dialog by dialog, in the order of help: one for
/// each place where a command works.
pub fn all_commands() -> impl Iterator<Item = &'static Command> {
    TABLE.iter().map(|bound| &bound.command)
}

pub fn find_command(id: &str) -> Option<&'static BoundCommand> {
    static BY_ID: LazyLock<HashMap<&str, &BoundCommand>> = LazyLock::new(|| {
        let by_id = TABLE.iter().map(|bound| (bound.command.id, bound));
        by_id.collect()
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
        .into_iter()
        .chain(bind(Scope::Annotate, overlays::call_form::OPEN_COMMANDS))
        .chain(bind(
            Scope::AnnotationForm,
            annotation_form::commands::COMMANDS,
        ))
        .chain(bind(Scope::List, list_tables::COMMANDS))
        .chain(bind(Scope::List, list_marks::COMMANDS))
        .chain(bind(Scope::List, global_commands::LIST_COMMANDS))
        .chain(bind(Scope::Global, global_commands::COMMANDS))
        .chain(bind(Scope::Global, copy_commands::COMMANDS))
        .chain(bind(
            Scope::Global,
            annotation_form::commands::DRAFT_COMMANDS,
        ))
        .chain(bind(Scope::Global, global_commands::CONSOLE_COMMANDS))
        .chain(bind(Scope::DialogList, overlays::lists::COMMANDS))
        .chain(bind(
            Scope::FilteredList,
            overlays::lists::FILTERED_COMMANDS,
        ))
        .chain(bind(Scope::Palette, overlays::palette::COMMANDS))
        .chain(bind(Scope::CallNote, overlays::call_form::NOTE_COMMANDS))
        .chain(bind(
            Scope::CallOutcome,
            overlays::call_form::OUTCOME_COMMANDS,
        ))
        .chain(bind(Scope::Choice, overlays::choice::COMMANDS))
        .chain(bind(Scope::ColumnChooser, overlays::column_list::COMMANDS))
        .chain(bind(Scope::FilterForm, overlays::filter_form::COMMANDS))
        .chain(bind(
            Scope::FilterOptions,
            overlays::filter_form::OPTION_COMMANDS,
        ))
        .chain(bind(Scope::Picker, overlays::picker::COMMANDS))
        .chain(bind(Scope::History, overlays::history_list::COMMANDS))
        .chain(bind(Scope::TextPage, overlays::text_page::COMMANDS))
        .chain(bind(Scope::JoinCode, overlays::join_code::COMMANDS))
        .chain(bind(Scope::Gaps, overlays::gap_list::COMMANDS))
        .chain(bind(Scope::Promise, super::queue::promises::COMMANDS))
        .chain(bind(Scope::Frequency, overlays::frequency_list::COMMANDS))
        .chain(bind(Scope::Prompt, prompt::COMMANDS))
        .collect()
});

/// The rows of a table whose commands work in `scope`, unless they say otherwise.
pub(super) fn bind<T: FindTarget>(
    scope: Scope,
    rows: &'static [CommandRow<T>],
) -> impl Iterator<Item = BoundCommand> {
    rows.iter().map(move |row| BoundCommand {
        command: row.command_in(scope),
        behavior: row,
    })
}
