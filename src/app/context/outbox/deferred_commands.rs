//! Commands pressed while a write is in progress: they run once it is done, or are dropped when it
//! fails.
//!
//! `z` right after `e` means the triage that is still in progress. When that fails or changes
//! nothing, undo would hit the step before it, so the command is dropped and the notice says so.
//! What is triaged after `z` is not what it means.

use uuid::Uuid;

use crate::app::Context;
use crate::app::command::Command;
use crate::app::context::outbox::undo;
use crate::app::context::{Keymap, Ui};
use crate::app::notice::Notice;
use crate::app::outbox::undo_history::UndoStep;
use crate::app::outbox::{DeferredCommand, DeferredTarget, Outbox};
use crate::app::requests::Request;

const MAX_DEFERRED_COMMANDS: usize = 8;

impl Context {
    /// Whether a write, or a check before undo, redo or what is sent again, is in progress.
    pub fn is_busy(&self) -> bool {
        let is_checking = |request: &Request| matches!(request, Request::Undo(_));
        undo::is_writing(&self.outbox)
            || self.work.requests.is_open(is_checking)
            || self.outbox.reconciliation.may_resend(self.clock.now)
    }

    /// The next deferred command, once no write is in progress.
    pub(in crate::app) fn next_deferred_command(&mut self) -> Option<&'static Command> {
        self.outbox.deferred_target = None;
        if self.is_busy() || self.ui.overlay.is_some() || self.ui.list_dialog().is_some() {
            return None;
        }
        let deferred = self.outbox.deferred_commands.pop_front()?;
        self.outbox.deferred_target = Some(deferred.target);
        Some(deferred.command)
    }
}

/// Defers a command until pending writes are done.
pub(in crate::app) fn defer_command(command: &'static Command, ui: &mut Ui, outbox: &mut Outbox) {
    if outbox.deferred_commands.len() >= MAX_DEFERRED_COMMANDS {
        let text = format!(
            "{}: {MAX_DEFERRED_COMMANDS} commands are already waiting; this one was dropped",
            command.title
        );
        ui.notice = Some(Notice::warning(text).with_hint("Ctrl-c drops them all"));
        return;
    }
    let target = DeferredTarget::UpTo(outbox.last_number());
    outbox
        .deferred_commands
        .push_back(DeferredCommand { command, target });
    let what = if undo::is_writing(outbox) {
        "the write"
    } else {
        "the check"
    };
    let text = match outbox.deferred_commands.len() {
        1 => format!("{} waits until {what} is done", command.title),
        n => format!(
            "{} waits until {what} is done, with {} ahead of it",
            command.title,
            n - 1
        ),
    };
    ui.notice = Some(Notice::info(text).with_hint("Ctrl-c cancels"));
}

/// Undoes the other steps of the same group once this one is undone.
pub(super) fn defer_grouped_undo(step: &UndoStep, keymap: &Keymap, outbox: &mut Outbox) {
    let (done, waiting) = (&outbox.history.done, outbox.offline.waiting());
    defer_group(
        "undo",
        step.group
            .filter(|group| is_in_group(done, *group) || is_in_group(waiting, *group)),
        keymap,
        outbox,
    );
}

/// Redoes the other steps of the same group once this one is redone.
pub(super) fn defer_grouped_redo(step: &UndoStep, keymap: &Keymap, outbox: &mut Outbox) {
    defer_group(
        "redo",
        step.group
            .filter(|group| is_in_group(&outbox.history.undone, *group)),
        keymap,
        outbox,
    );
}

/// Puts a command before the others that are deferred.
fn defer_group(id: &str, group: Option<Uuid>, keymap: &Keymap, outbox: &mut Outbox) {
    if let (Some(group), Some(command)) =
        (group, keymap.commands().find(|command| command.id == id))
    {
        outbox.deferred_commands.push_front(DeferredCommand {
            command,
            target: DeferredTarget::Group(group),
        });
    }
}

/// The line that is printed at exit.
pub(in crate::app) fn deferred_exit_line(outbox: &Outbox) -> Option<String> {
    let titles: Vec<&str> = outbox
        .deferred_commands
        .iter()
        .map(|deferred| deferred.command.title)
        .collect();
    (!titles.is_empty()).then(|| {
        format!(
            "gantry: not done, because the write before it got no reply: {}",
            titles.join(", ")
        )
    })
}

/// Drops deferred commands; returns what to append to the notice that says why.
pub(in crate::app) fn drop_deferred_commands(outbox: &mut Outbox) -> String {
    let dropped = std::mem::take(&mut outbox.deferred_commands);
    match dropped.iter().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!("; {} was dropped", one.command.title),
        more => format!("; {} waiting commands were dropped", more.len()),
    }
}

fn is_in_group(steps: &[UndoStep], group: Uuid) -> bool {
    steps.iter().any(|step| step.group == Some(group))
}
