//! `gantry watch`: the wallboard; with `--plain` a line, with `--json` an object, for each change of the counts.
//!
//! The screen is the console's; here are the lines, for pipes and logs. Nothing is asked for but the counts, which cost nothing.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use clap::Args as Arguments;
use serde_json::json;

use crate::domain::queue::QueueStats;

use super::args::{Args, Format};
use super::desk::Desk;
use super::output::Output;
use super::print;
use super::stop::{Doing, Stop};

/// A service that does not answer is asked at most this often.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the queue is watched.
#[derive(Debug, Arguments)]
#[command(after_help = "Example: gantry --demo watch --plain --once")]
pub struct Watch {
    /// A line for each change, rather than the screen
    #[arg(long)]
    plain: bool,
    /// End after the first line
    #[arg(long)]
    once: bool,
}

impl Watch {
    /// Lines are wanted, and not the screen.
    pub fn prints_lines(&self, args: &Args) -> bool {
        self.plain || self.once || args.json || args.format.is_some()
    }
}

/// Prints the counts now, and again whenever they change.
pub(super) async fn run(watch: &Watch, desk: &Desk, output: Output) -> Result<(), Stop> {
    let (client, every) = (&desk.client, desk.poll);
    let mut known: Option<QueueStats> = None;
    let mut offline = false;
    loop {
        match client.stats().await {
            Ok(answer) => {
                if std::mem::take(&mut offline) {
                    print::note("the service answers again");
                }
                if known.as_ref() != Some(&answer.value) {
                    let line = line(&answer.value, known.as_ref(), Utc::now(), output.format);
                    print::data(&line)?;
                    known = Some(answer.value);
                    if watch.once {
                        return Ok(());
                    }
                }
                tokio::time::sleep(every).await;
            }
            Err(failure) if failure.status().is_some_and(|status| (400..429).contains(&status)) || known.is_none() => {
                return Err(failure).doing("read the counts");
            }
            Err(failure) => {
                if !std::mem::replace(&mut offline, true) {
                    print::note(&failure.message);
                }
                tokio::time::sleep(every.max(PATIENCE)).await;
            }
        }
    }
}

/// The counts at a moment, and how the new ones differ from those before.
fn line(stats: &QueueStats, before: Option<&QueueStats>, at: DateTime<Utc>, format: Format) -> String {
    let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let change = |now: u64, then: u64| i128::from(now) - i128::from(then);
    let new = before.map_or(0, |before| change(stats.new_count, before.new_count));
    match format {
        Format::Table => {
            let difference = if before.is_some() && new != 0 { format!(" ({new:+})") } else { String::new() };
            format!(
                "{at}  new {}{difference}  high {}  done {}\n",
                stats.new_count, stats.high_priority_new_count, stats.done_count
            )
        }
        Format::Csv => {
            let head = if before.is_none() { "at,new_count,high_priority_new_count,done_count\n" } else { "" };
            format!("{head}{at},{},{},{}\n", stats.new_count, stats.high_priority_new_count, stats.done_count)
        }
        Format::Json | Format::Jsonl => {
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

    fn stats(new: u64) -> QueueStats {
        QueueStats { new_count: new, high_priority_new_count: 2, done_count: 5, type_counts: Vec::new() }
    }

    #[test]
    fn a_line_says_the_counts_and_what_changed() {
        let at = "2026-07-09T09:20:14Z".parse().unwrap();
        let (first, second) = (stats(10), stats(8));
        assert_eq!(line(&first, None, at, Format::Table), "2026-07-09T09:20:14Z  new 10  high 2  done 5\n");
        assert_eq!(line(&second, Some(&first), at, Format::Table), "2026-07-09T09:20:14Z  new 8 (-2)  high 2  done 5\n");
        assert!(line(&second, Some(&first), at, Format::Json).contains("\"new_count\":8"));
    }
}
