//! The program of `[watch] on_high`, for `gantry watch` with lines: as on the dashboard, without a
//! shell, one at a time, and not in quiet hours.
//!
//! Never here: starting a process; the console's code does that.

use std::pin::Pin;

use chrono::{DateTime, Local, TimeZone, Timelike, Utc};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::config::DashboardSettings;
use crate::domain::high_arrivals::{ALERT_PLACEHOLDERS, fill_alert, find_high_arrivals};
use crate::domain::program_template::ProgramTemplate;
use crate::domain::queue::QueueStats;
use crate::domain::quiet_hours::QuietHours;
use crate::platform::tasks;

use super::print;

/// This many programs wait for the one that runs.
const MAX_WAITING: usize = 4;

/// Runs a program to its end, or to a time limit; the error says why it failed.
pub type RunAlert = fn(Vec<String>) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// The programs that alert the room.
pub(super) struct HighAlerts {
    template: ProgramTemplate,
    quiet: Option<QuietHours>,
    waiting: mpsc::Sender<Vec<String>>,
    runner: JoinHandle<()>,
}

impl HighAlerts {
    /// `None` if there is no program; an invalid one is reported.
    pub(super) fn start(settings: &DashboardSettings, run: RunAlert) -> Option<HighAlerts> {
        if settings.on_high.is_empty() {
            return None;
        }
        let template = match ProgramTemplate::parse_with(&settings.on_high, ALERT_PLACEHOLDERS) {
            Ok(template) => template,
            Err(why) => {
                print::write_note(&format!("watch.on_high is left out: {why}"));
                return None;
            }
        };
        let quiet = settings.quiet;
        let (waiting, mut due) = mpsc::channel::<Vec<String>>(MAX_WAITING);
        let runner = tasks::spawn(async move {
            let mut has_failed = false;
            while let Some(program) = due.recv().await {
                if let Err(why) = run(program).await
                    && !std::mem::replace(&mut has_failed, true)
                {
                    print::write_note(&format!("the program of [watch] failed: {why}"));
                }
            }
        });
        Some(HighAlerts {
            template,
            quiet,
            waiting,
            runner,
        })
    }

    /// Runs the program if signals of high priority came between these counts. The time is the
    /// service's.
    pub(super) fn announce(&self, before: &QueueStats, stats: &QueueStats, at: DateTime<Utc>) {
        match find_program(
            &self.template,
            self.quiet,
            before,
            stats,
            &at.with_timezone(&Local),
        ) {
            // While that many wait, the room has been alerted.
            Some(Ok(program)) => drop(self.waiting.try_send(program)),
            Some(Err(why)) => print::write_note(&format!("the program of [watch] failed: {why}")),
            None => {}
        }
    }

    /// Waits for the programs that run or wait.
    pub(super) async fn finish(self) {
        drop(self.waiting);
        let _ = self.runner.await;
    }
}

/// The program to run for the signals that came, with its arguments; `None` if none came, or in
/// quiet hours. Only the counts are read, so no project is named.
fn find_program<Z: TimeZone>(
    template: &ProgramTemplate,
    quiet: Option<QuietHours>,
    before: &QueueStats,
    stats: &QueueStats,
    at: &DateTime<Z>,
) -> Option<Result<Vec<String>, String>> {
    let (count, types) = find_high_arrivals(before, stats)?;
    let minute = u16::try_from(at.hour() * 60 + at.minute()).unwrap_or_default();
    let is_quiet = quiet.is_some_and(|quiet| quiet.contains(minute));
    (!is_quiet).then(|| fill_alert(template, count, &types, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_of_high_priority_run_the_program_unless_it_is_quiet() {
        let stats = |high: u64, loans: u64| -> QueueStats {
            let counts = [
                serde_json::json!({"signal_type": "construction_loan", "new_count": loans, "done_count": 0}),
            ];
            let json = serde_json::json!({
                "new_count": 20, "high_priority_new_count": high, "done_count": 0, "type_counts": counts,
            });
            serde_json::from_value(json).unwrap()
        };
        let program = ["say", "{count} new: {type} on {project}; $(id)"].map(str::to_owned);
        let template = ProgramTemplate::parse_with(&program, ALERT_PLACEHOLDERS).unwrap();
        let night = Some(QuietHours {
            from: 18 * 60,
            to: 8 * 60,
        });
        let find = |before, after, quiet, at: &str| {
            let at = DateTime::parse_from_rfc3339(at).unwrap();
            find_program(&template, quiet, &before, &after, &at).map(Result::unwrap)
        };
        let noon = "2026-07-09T12:00:00-07:00";
        let expected = ["say", "2 new: construction loan on a project; $(id)"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(find(stats(3, 4), stats(5, 6), night, noon), Some(expected));
        assert_eq!(
            find(stats(5, 4), stats(5, 6), night, noon),
            None,
            "none of high priority"
        );
        assert_eq!(
            find(stats(3, 4), stats(5, 6), night, "2026-07-09T19:00:00-07:00"),
            None
        );
        assert!(find(stats(3, 4), stats(5, 6), None, "2026-07-09T19:00:00-07:00").is_some());
    }
}
