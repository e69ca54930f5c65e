//! Long work as it goes on: a bar on a terminal, nothing in a pipe, and how far it came for whoever interrupts it.
//!
//! Never here: what the work is.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::print;

/// How far the work of this run has come; a run does one work at a time.
static PROGRESS_TEXT: Mutex<String> = Mutex::new(String::new());

/// Work of many steps.
pub(super) struct ProgressReporter {
    bar: ProgressBar,
    unit: &'static str,
    done: usize,
    total: Option<usize>,
}

impl ProgressReporter {
    /// Nothing done of so many records, as far as that is known.
    pub(super) fn new(length: Option<usize>, unit: &'static str) -> ProgressReporter {
        let bar = ProgressBar::with_draw_target(length.map(|length| length as u64), ProgressDrawTarget::hidden());
        let style = "{wide_bar} {human_pos} of {human_len} {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(unit);
        ProgressReporter { bar, unit, done: 0, total: length }
    }

    /// It takes more than one request: a bar is drawn where somebody sees it.
    pub(super) fn show_bar(&self) {
        if self.bar.is_hidden() && print::is_stderr_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// The length has become known.
    pub(super) fn set_length(&mut self, length: usize) {
        self.bar.set_length(length as u64);
        self.total = Some(length);
    }

    /// So many more are done.
    pub(super) fn advance(&mut self, more: usize) {
        self.done += more;
        self.bar.inc(more as u64);
        self.update_text(0);
    }

    /// So many are on their way: of an interruption they may be done or not.
    pub(super) fn set_in_flight(&self, next: usize) {
        self.update_text(next);
    }

    fn update_text(&self, next: usize) {
        let mut words = match self.total {
            Some(of) => format!("{} of {} {} done", group_thousands(self.done), group_thousands(of), self.unit),
            None => format!("{} {} done", group_thousands(self.done), self.unit),
        };
        if next > 0 {
            words.push_str(&format!("; the next {} may have been", group_thousands(next)));
        }
        *PROGRESS_TEXT.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

impl Drop for ProgressReporter {
    /// The bar goes whether the work came to its end or not.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How far the work has come; nothing when none has begun.
pub(super) fn progress_text() -> String {
    PROGRESS_TEXT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A number with a comma between thousands.
fn group_thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_reports_what_is_done_and_what_may_be_done() {
        let mut progress = ProgressReporter::new(Some(1_200), "signals");
        progress.set_in_flight(100);
        assert_eq!(progress_text(), "0 of 1,200 signals done; the next 100 may have been");
        progress.advance(1_100);
        assert_eq!(progress_text(), "1,100 of 1,200 signals done");
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(group_thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
