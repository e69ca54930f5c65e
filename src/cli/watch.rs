//! `gantry watch`: the dashboard; with `--plain` a line, with `--json` an object, for each change
//! of the counts.
//!
//! The console draws the dashboard; here are the lines, for pipes and logs. Only the counts are
//! requested, which are free. Times are the service's.

use chrono::{DateTime, SecondsFormat, Utc};
use clap::Args;
use serde_json::json;

use crate::domain::queue::QueueStats;

use super::error::{CliError, Context};
use super::options::{GlobalOptions, OutputFormat};
use super::print;
use super::session::Session;
use super::watch_alerts::{HighAlerts, RunAlert};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry --demo watch --plain --once")]
pub struct WatchArgs {
    /// Print a line for each change instead of the dashboard
    #[arg(long)]
    plain: bool,
    /// Exit after the first line
    #[arg(long)]
    once: bool,
}

impl WatchArgs {
    /// Whether to print lines instead of opening the dashboard.
    pub fn prints_lines(&self, options: &GlobalOptions) -> bool {
        self.plain || self.once || options.requested_format().is_some()
    }
}

/// Prints the counts now, and again whenever they change, unless polling is off. New signals of
/// high priority run the program of the dashboard.
pub(super) async fn run(
    watch: &WatchArgs,
    session: &Session,
    run_alert: RunAlert,
) -> Result<(), CliError> {
    let alerts = HighAlerts::start(&session.dashboard, run_alert);
    let ended = print_changes(watch, session, alerts.as_ref()).await;
    if let Some(alerts) = alerts {
        alerts.finish().await;
    }
    ended
}

async fn print_changes(
    watch: &WatchArgs,
    session: &Session,
    alerts: Option<&HighAlerts>,
) -> Result<(), CliError> {
    let (client, every) = (&session.client, session.poll_interval);
    let mut known: Option<QueueStats> = None;
    let mut offline = false;
    loop {
        match client.queue_stats().await {
            Ok(answer) => {
                if std::mem::take(&mut offline) {
                    print::write_note("the service is reachable again");
                }
                if known.as_ref() != Some(&answer.value) {
                    let at = answer.date.unwrap_or_else(Utc::now);
                    let line =
                        format_counts(&answer.value, known.as_ref(), at, session.output.format);
                    match session.output.format {
                        OutputFormat::Table | OutputFormat::Csv => print::write_data(&line)?,
                        OutputFormat::Json | OutputFormat::Jsonl => {
                            session.output.print_json_line(&line)?
                        }
                    }
                    if let (Some(alerts), Some(before)) = (alerts, &known) {
                        alerts.announce(before, &answer.value, at);
                    }
                    known = Some(answer.value);
                }
                match every {
                    Some(every) if !watch.once => tokio::time::sleep(every).await,
                    _ => return Ok(()),
                }
            }
            Err(failure) => {
                match failure
                    .retry_pause(known.is_some(), every)
                    .filter(|_| !watch.once)
                {
                    Some(pause) => {
                        if !std::mem::replace(&mut offline, true) {
                            print::write_note(&failure.message);
                        }
                        tokio::time::sleep(pause).await;
                    }
                    None => return Err(failure).context("read the counts"),
                }
            }
        }
    }
}

/// Formats the counts, and the change of the new ones since the previous line.
fn format_counts(
    stats: &QueueStats,
    before: Option<&QueueStats>,
    at: DateTime<Utc>,
    format: OutputFormat,
) -> String {
    let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let change = |now: u64, then: u64| i128::from(now) - i128::from(then);
    let new = before.map_or(0, |before| change(stats.new_count, before.new_count));
    match format {
        OutputFormat::Table => {
            let difference = if before.is_some() && new != 0 {
                format!(" ({new:+})")
            } else {
                String::new()
            };
            format!(
                "{at}  new {}{difference}  high {}  done {}\n",
                stats.new_count, stats.high_priority_new_count, stats.done_count
            )
        }
        OutputFormat::Csv => {
            let head = if before.is_none() {
                "at,new_count,high_priority_new_count,done_count\n"
            } else {
                ""
            };
            format!(
                "{head}{at},{},{},{}\n",
                stats.new_count, stats.high_priority_new_count, stats.done_count
            )
        }
        OutputFormat::Json | OutputFormat::Jsonl => {
            let mut object = json!(stats);
            if let Some(object) = object.as_object_mut() {
                object.insert("at".to_owned(), at.into());
            }
            format!("{object}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue_stats(new: u64) -> QueueStats {
        QueueStats {
            new_count: new,
            high_priority_new_count: 2,
            done_count: 5,
            type_counts: Vec::new(),
        }
    }

    #[test]
    fn a_line_shows_the_counts_and_the_change() {
        let at = "2026-07-09T09:20:14Z".parse().unwrap();
        let (first, second) = (queue_stats(10), queue_stats(8));
        assert_eq!(
            format_counts(&first, None, at, OutputFormat::Table),
            "2026-07-09T09:20:14Z  new 10  high 2  done 5\n"
        );
        assert_eq!(
            format_counts(&second, Some(&first), at, OutputFormat::Table),
            "2026-07-09T09:20:14Z  new 8 (-2)  high 2  done 5\n"
        );
        assert!(
            format_counts(&second, Some(&first), at, OutputFormat::Json)
                .contains("\"new_count\":8")
        );
    }
}
