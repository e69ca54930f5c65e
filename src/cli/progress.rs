//! Long work as it goes on: a bar on a terminal, nothing in a pipe, and how far it came for whoever interrupts it.
//!
//! Never here: what the work is.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::print;

/// How far the work of this run has come; a run does one work at a time.
static SO_FAR: Mutex<String> = Mutex::new(String::new());

/// Work of many steps.
pub(super) struct Progress {
    bar: ProgressBar,
    unit: &'static str,
    done: usize,
    of: Option<usize>,
}

impl Progress {
    /// Nothing done of so many records, as far as that is known.
    pub(super) fn of(length: Option<usize>, unit: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(length.map(|length| length as u64), ProgressDrawTarget::hidden());
        let style = "{wide_bar} {human_pos} of {human_len} {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(unit);
        Progress { bar, unit, done: 0, of: length }
    }

    /// It takes more than one request: a bar is drawn where somebody sees it.
    pub(super) fn draw(&self) {
        if self.bar.is_hidden() && print::is_watched() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// The length has become known.
    pub(super) fn set_length(&mut self, length: usize) {
        self.bar.set_length(length as u64);
        self.of = Some(length);
    }

    /// So many more are done.
    pub(super) fn done(&mut self, more: usize) {
        self.done += more;
        self.bar.inc(more as u64);
        self.tell(0);
    }

    /// So many are on their way: of an interruption they may be done or not.
    pub(super) fn under_way(&self, next: usize) {
        self.tell(next);
    }

    fn tell(&self, next: usize) {
        let mut words = match self.of {
            Some(of) => format!("{} of {} {} done", grouped(self.done), grouped(of), self.unit),
            None => format!("{} {} done", grouped(self.done), self.unit),
        };
        if next > 0 {
            words.push_str(&format!("; the next {} may have been", grouped(next)));
        }
        *SO_FAR.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

impl Drop for Progress {
    /// The bar goes whether the work came to its end or not.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How far the work has come; nothing when none has begun.
pub(super) fn so_far() -> String {
    SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A number with a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_interrupts_is_told_how_far_it_came_and_what_may_have_been() {
        let mut progress = Progress::of(Some(1_200), "signals");
        progress.under_way(100);
        assert_eq!(so_far(), "0 of 1,200 signals done; the next 100 may have been");
        progress.done(1_100);
        assert_eq!(so_far(), "1,100 of 1,200 signals done");
    }

    #[test]
    fn thousands_are_kept_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
