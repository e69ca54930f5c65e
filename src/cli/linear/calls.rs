//! Calls and notes of the conversation: the same as the console's, which can undo them.

use chrono::Local;

use crate::cli::book::read_record;
use crate::cli::record_annotation::{ReadRecord, find_caller};
use crate::domain::annotate::append_note;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::call_outcomes::{AfterCall, CallOutcome};
use crate::domain::journal::UndoHistory;
use crate::domain::patch::Patch;
use crate::domain::records::Record;
use crate::domain::request_error::RequestErrorKind;

use super::answers::WordyAnswer;
use super::{CliError, Conversation, NO_SIGNAL_MESSAGE, READ_ONLY_MESSAGE, messages, print_line};

impl Conversation<'_> {
    /// Asks for the words that the next line has.
    pub(super) fn ask_for_words(&self, wordy: WordyAnswer) -> Result<(), CliError> {
        let question = match wordy {
            WordyAnswer::Snooze => {
                "Until when, and why if you like, as in 3d waiting for the lender?".to_owned()
            }
            WordyAnswer::Call => {
                let outcomes = self.session.call_outcomes.iter().enumerate();
                let names: Vec<String> = outcomes
                    .map(|(at, outcome)| format!("{} {}", at + 1, outcome.label))
                    .collect();
                format!(
                    "What came of the call: {}? A note may follow.",
                    names.join(", ")
                )
            }
            WordyAnswer::Note => "What is the note on the project?".to_owned(),
        };
        print_line(&format!("{question} An empty line changes nothing."))
    }

    /// Writes what came of a call, and marks the signal done or snoozes it as the outcome says.
    pub(super) async fn log_call(&mut self, words: &str) -> Result<(), CliError> {
        let Some((outcome, note)) = split_outcome(&self.session.call_outcomes, words) else {
            self.asks_for_words = Some(WordyAnswer::Call);
            print_line("Nothing was written.")?;
            return self.ask_for_words(WordyAnswer::Call);
        };
        let outcome = outcome.clone();
        let now = self.now().with_timezone(&Local);
        let me = find_caller(&self.session.client).await.ok().flatten();
        let me = me.as_ref().map(|me| me.label(None));
        let line = outcome.write_line(now.date_naive(), me, note);
        let CallOutcome {
            label,
            status,
            then,
        } = outcome;
        let what = |name: &str| format!("call on {name}: {label}");
        if !self.write_on_project(what, Some(status), line).await? {
            return Ok(());
        }
        match then.keep_promise(note, &now) {
            AfterCall::Done => self.mark_done(false).await,
            AfterCall::Snooze(time) => self.snooze(&time).await,
            AfterCall::Nothing => self.move_cursor(true).await,
        }
    }

    /// Adds a line to the note of the project.
    pub(super) async fn add_note(&mut self, text: &str) -> Result<(), CliError> {
        let what = |name: &str| format!("note of {name}");
        self.write_on_project(what, None, text.to_owned())
            .await
            .map(drop)
    }

    /// Adds a line to the note of this signal's project, and sets its status. Returns whether it
    /// was written. What was done before can only be undone in the console from then on.
    async fn write_on_project(
        &mut self,
        what: impl FnOnce(&str) -> String,
        status: Option<String>,
        line: String,
    ) -> Result<bool, CliError> {
        let row = self.rows.get(self.position).map(|row| &row.signal);
        let Some((row, project)) = row.and_then(|row| Some((row, row.signal.project_id?))) else {
            return print_line(NO_SIGNAL_MESSAGE).map(|()| false);
        };
        if self.session.is_read_only {
            return print_line(READ_ONLY_MESSAGE).map(|()| false);
        }
        let (kind, id) = (RecordKind::Projects, project.0);
        let description = what(&messages::project_name(row));
        let known = match read_record(&kind, id, &self.session.client).await {
            Ok(known) => known,
            Err(failure) => {
                return self
                    .print_failure("The project could not be read", failure)
                    .map(|()| false);
            }
        };
        let fields = known.as_ref().map(Record::fields);
        let text = |name: &str| fields.as_ref().and_then(|fields| fields.text(name));
        let old_status = text("workspace_status").filter(|status| !status.trim().is_empty());
        let after = Annotation {
            notes: Patch::Set(append_note(text("notes").unwrap_or_default(), &line)),
            workspace_status: status.map_or(Patch::Keep, Patch::Set),
            ..Annotation::default()
        };
        let record = ReadRecord {
            kind: &kind,
            id,
            before: fields.as_ref(),
        };
        let sent = record.annotate(after, "triage", description.clone(), self.session);
        match sent.await {
            Err(failure) if failure.kind != RequestErrorKind::Ambiguous => {
                self.print_failure("Not written", failure)?;
                return Ok(false);
            }
            // Another try would add the line twice.
            Err(_) | Ok(None) => {
                self.has_failed = true;
                print_line("It may have been written. Look at the project before you repeat it.")?;
                return Ok(false);
            }
            Ok(Some(item)) => {
                if let Some(refused) = item.error {
                    self.has_failed = true;
                    print_line(&format!("Not written: {}.", refused.message))?;
                    return Ok(false);
                }
            }
        }
        self.history = UndoHistory::default();
        let was = old_status.map_or_else(String::new, |old| format!(" Its status was {old}."));
        print_line(&format!(
            "Written, for everyone: {description}.{was} The console undoes it."
        ))?;
        Ok(true)
    }
}

/// The outcome that the words begin with, by its number or its name, and the rest.
fn split_outcome<'o, 'w>(
    outcomes: &'o [CallOutcome],
    words: &'w str,
) -> Option<(&'o CallOutcome, &'w str)> {
    let rest_after = |name: &str| {
        let (head, rest) = words.split_at_checked(name.len())?;
        let is_whole = rest.is_empty() || rest.starts_with([' ', ',', ':']);
        let is_name = head.eq_ignore_ascii_case(name) && is_whole;
        is_name.then(|| rest.trim_start_matches([' ', ',', ':']))
    };
    let mut named = outcomes.iter().enumerate().filter_map(|(at, outcome)| {
        let number = (at + 1).to_string();
        let rest = rest_after(&number).or_else(|| rest_after(&outcome.label))?;
        Some((outcome, rest))
    });
    named.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_named_by_its_number_or_its_name_and_a_note_may_follow() {
        let outcomes = CallOutcome::defaults();
        let split = |words| {
            split_outcome(&outcomes, words).map(|(outcome, note)| (outcome.label.as_str(), note))
        };
        assert_eq!(split("2 asks for Ana"), Some(("voicemail", "asks for Ana")));
        assert_eq!(split("No answer"), Some(("no answer", "")));
        assert_eq!(
            split("meeting set: Friday, 9:00"),
            Some(("meeting set", "Friday, 9:00"))
        );
        for unknown in ["6", "22", "voicemails", "hello"] {
            assert_eq!(split(unknown), None, "{unknown}");
        }
    }
}
