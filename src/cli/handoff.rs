//! `gantry handoff`: what was done from this machine and what is left, for the next person.

use std::collections::HashMap;

use chrono::{DateTime, Local, Utc};
use clap::Args;

use crate::domain::SignalId;
use crate::domain::drafts::{HeldTriage, OUTBOX_DRAFT};
use crate::domain::handoff::{Handoff, HandoffFormat, OpenWork, RecordedWork, TeamWork};
use crate::domain::members::Member;
use crate::domain::past_time::start_of_week;
use crate::domain::person::Person;
use crate::domain::queue::{QueueSignal, TriageStatus};
use crate::text;

use super::error::CliError;
use super::options::OutputFormat;
use super::print;
use super::session::Session;
use super::time_args::SinceArgs;
use super::unchanged_signals::read_queue;

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry --demo handoff --since 9h")]
pub struct HandoffArgs {
    #[command(flatten)]
    window: SinceArgs,
    /// Start on Monday
    #[arg(long, conflicts_with = "since")]
    week: bool,
    /// Add what each member marked done
    #[arg(long)]
    team: bool,
    /// Print plain text instead of Markdown
    #[arg(long)]
    plain: bool,
}

/// Rows of the queue, and whether these are all.
type QueueRows = (HashMap<SignalId, QueueSignal>, bool);

/// Prints a summary of the period: in Markdown, as plain text, or as JSON.
pub(super) async fn run(args: &HandoffArgs, session: &Session) -> Result<(), CliError> {
    if session.output.format == OutputFormat::Csv {
        return Err(
            CliError::usage("handoff prints Markdown, plain text or JSON")
                .with_hint("use gantry log for rows"),
        );
    }
    let stats = session.client.queue_stats().await;
    let now = match stats.as_ref().ok().and_then(|answer| answer.date) {
        Some(date) => date,
        None => Utc::now() + session.store.last_clock_skew().await.unwrap_or_default(),
    };
    let since = if args.week {
        start_of_week(&now.with_timezone(&Local))
    } else {
        args.window.resolve(now)?
    };
    let meter = Some(session.meter());
    let mut work = session.store.work_since_service_time(since, meter).await?;
    let mut counts = None;
    let (mut new, mut done) = (None, None);
    match stats {
        Ok(answer) => {
            counts = Some(answer.value);
            new = read_rows(session, &TriageStatus::New, &mut work).await;
            let is_nameless = work
                .signal_ids()
                .iter()
                .any(|id| !work.names.contains_key(id));
            if args.team || is_nameless {
                done = read_rows(session, &TriageStatus::Done, &mut work).await;
            }
        }
        Err(failure) => print::write_note(&format!(
            "cannot count the open signals: {}",
            failure.message
        )),
    }
    let mut open = OpenWork::new(counts);
    if let Some((rows, true)) = &new {
        open = open.with_queue(rows.values(), now);
    }
    let snoozes = session
        .store
        .snoozes(session.meter(), session.client.workspace_id())
        .load_all()
        .await
        .unwrap_or_default();
    let drafts = session
        .store
        .drafts(session.meter(), session.client.workspace_id());
    let held = drafts.contents(OUTBOX_DRAFT).await.unwrap_or_default();
    let held = held
        .into_iter()
        .filter_map(|held| serde_json::from_value::<Vec<HeldTriage>>(held).ok())
        .flatten();
    let held = held
        .flat_map(|HeldTriage(status, ids)| ids.into_iter().map(move |id| (status.clone(), id)));
    let open = open
        .with_snoozes(snoozes.iter(), now)
        .with_waiting(held.collect());
    let team = match done.as_ref().filter(|_| args.team) {
        Some(rows) => Some(team_work(session, rows, since).await),
        None => None,
    };
    let handoff = Handoff::new(work, open, team);
    let format = if args.plain {
        HandoffFormat::Plain
    } else {
        HandoffFormat::Markdown
    };
    match session.output.format {
        OutputFormat::Table => Ok(print::write_data(&handoff.to_page(
            format,
            &Local,
            text::sanitize_line,
        ))?),
        _ => session.output.print_json(&handoff),
    }
}

/// Reads a list of the queue, which tells the names of its signals. Nothing of it costs more than a
/// list of the queue.
async fn read_rows(
    session: &Session,
    status: &TriageStatus,
    work: &mut RecordedWork,
) -> Option<QueueRows> {
    match read_queue(&session.client, status).await {
        Ok((rows, is_whole)) => {
            work.learn_names(rows.values());
            Some((rows, is_whole))
        }
        Err(failure) => {
            print::write_note(&format!("cannot read the queue: {}", failure.message));
            None
        }
    }
}

async fn team_work(
    session: &Session,
    (rows, is_whole): &QueueRows,
    since: DateTime<Utc>,
) -> TeamWork {
    let members = session
        .client
        .members()
        .await
        .map(|members| members.value)
        .unwrap_or_default();
    let name = |person: &Person| {
        let member = members
            .iter()
            .find(|member| member.is(person))
            .and_then(Member::person);
        person.label(member.as_ref()).to_owned()
    };
    TeamWork::of_rows(rows.values(), *is_whole, since, name)
}
