//! Commands that were meant while something was being written: they follow once it is settled, or are dropped when it fails.
//!
//! `z` right after `e` means the act that is still open. When that act fails or changes nothing, undo would take back the step before
//! it, so it is dropped and said.

use crate::app::App;
use crate::app::command::Command;
use crate::app::notice::Notice;

/// So many commands wait at most.
const MAX_DEFERRED_COMMANDS: usize = 8;

impl App {
    /// Whether something is being written, or is being looked at before a step is turned.
    pub fn is_busy(&self) -> bool {
        let looks = self.preflight_read.is_some() || self.settings_preflight.is_some() || self.after_reads.is_some();
        self.is_writing() || looks || !self.attribution_checks.is_empty()
    }

    /// Keeps a command until what is being written is settled.
    pub(in crate::app) fn defer_command(&mut self, command: &'static Command) {
        if self.deferred_commands.len() >= MAX_DEFERRED_COMMANDS {
            let text = format!("{}: {MAX_DEFERRED_COMMANDS} commands are waiting already; this one was dropped", command.title);
            self.notice = Some(Notice::warning(text).with_hint("Ctrl-c drops them all"));
            return;
        }
        self.deferred_commands.push_back(command);
        let what = if self.is_writing() { "the write" } else { "the check" };
        let text = match self.deferred_commands.len() {
            1 => format!("{} waits until {what} is done", command.title),
            n => format!("{} waits until {what} is done, with {} ahead of it", command.title, n - 1),
        };
        self.notice = Some(Notice::info(text).with_hint("Ctrl-c cancels"));
    }

    /// Runs what waited, one after the other, as far as nothing is being written.
    pub(in crate::app) fn run_deferred_commands(&mut self) {
        while !self.is_busy() && self.overlay.is_none() {
            let Some(command) = self.deferred_commands.pop_front() else { return };
            self.run_command(command);
        }
    }

    /// What the person should know at the end.
    pub(in crate::app) fn deferred_exit_line(&self) -> Option<String> {
        let titles: Vec<&str> = self.deferred_commands.iter().map(|command| command.title).collect();
        (!titles.is_empty()).then(|| format!("gantry: not done, because the write before it got no reply: {}", titles.join(", ")))
    }

    /// Drops what waited, and says so at the end of the line that says why.
    pub(in crate::app) fn drop_deferred_commands(&mut self) -> String {
        let dropped = std::mem::take(&mut self.deferred_commands);
        match dropped.iter().collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [one] => format!("; {} was dropped", one.title),
            more => format!("; {} waiting commands were dropped", more.len()),
        }
    }
}
