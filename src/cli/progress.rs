//! Progress of long operations: a bar on a terminal, nothing in a pipe, and a summary for the
//! message after an interruption.
//!
//! Never here: the operation itself.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::print;

/// The progress of this run; only one operation runs at a time.
static PROGRESS_TEXT: Mutex<String> = Mutex::new(String::new());

/// Reports the progress of an operation with many steps.
pub(super) struct ProgressReporter {
    bar: ProgressBar,
    unit: &'static str,
    done: usize,
    total: Option<usize>,
}

impl ProgressReporter {
    /// Starts at zero of `length` records, if that is known.
    pub(super) fn new(length: Option<usize>, unit: &'static str) -> ProgressReporter {
        let bar = ProgressBar::with_draw_target(
            length.map(|length| length as u64),
            ProgressDrawTarget::hidden(),
        );
        let style = "{wide_bar} {human_pos} of {human_len} {msg}";
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(unit);
        ProgressReporter {
            bar,
            unit,
            done: 0,
            total: length,
        }
    }

    /// Draws the bar if standard error is a terminal. Called when the operation takes more than one
    /// request.
    pub(super) fn show_bar(&self) {
        if self.bar.is_hidden() && print::shows_progress() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Clears the bar, because the terminal is written to otherwise.
    pub(super) fn hide_bar(&self) {
        if !self.bar.is_hidden() {
            self.bar.finish_and_clear();
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }

    /// Sets the total once it is known.
    pub(super) fn set_length(&mut self, length: usize) {
        self.bar.set_length(length as u64);
        self.total = Some(length);
    }

    /// Adds `more` completed records.
    pub(super) fn advance(&mut self, more: usize) {
        self.done += more;
        self.bar.inc(more as u64);
        self.update_text(0);
    }

    /// Notes that `next` records have been sent: after an interruption it is unknown whether they
    /// are done.
    pub(super) fn set_in_flight(&self, next: usize) {
        self.update_text(next);
    }

    fn update_text(&self, next: usize) {
        let mut words = match self.total {
            Some(of) => format!(
                "{} of {} {} done",
                group_thousands(self.done),
                group_thousands(of),
                self.unit
            ),
            None => format!("{} {} done", group_thousands(self.done), self.unit),
        };
        if next > 0 {
            words.push_str(&format!("; the next {} may be done", group_thousands(next)));
        }
        *PROGRESS_TEXT.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

impl Drop for ProgressReporter {
    /// Clears the bar, whether the operation finished or not.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress so far; empty before an operation starts.
pub(super) fn progress_text() -> String {
    PROGRESS_TEXT
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Formats a number with commas between thousands.
fn group_thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_reports_what_is_done_and_what_may_be_done() {
        let mut progress = ProgressReporter::new(Some(1_200), "signals");
        progress.set_in_flight(100);
        assert_eq!(
            progress_text(),
            "0 of 1,200 signals done; the next 100 may be done"
        );
        progress.advance(1_100);
        assert_eq!(progress_text(), "1,100 of 1,200 signals done");
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(group_thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
