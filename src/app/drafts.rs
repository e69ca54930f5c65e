//! Unsent input: saved on this machine as it is typed, and restored after any exit.
//!
//! After each message the annotation form, Explore's builder and the prompt are compared with what was last saved; the runtime
//! throttles the disk writes. A draft is offered where it was typed and never applied automatically.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::action::Action;
use super::effect::Effect;
use super::export;
use super::format::pluralize;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, ChoiceOption};
use super::panes::annotation_form::AnnotationDraft;
use super::panes::explore::SavedBuilder;
use super::panes::skills;
use super::panes::subscriptions::StagedSnapshot;
use super::prompt::{Prompt, PromptKind};
use super::{App, Screen, outbox};
use crate::domain::queue::TriageStatus;
use crate::domain::{SignalId, drafts};

const BUILDER_DRAFT_KEY: &str = "explore";
const SUBSCRIPTIONS_DRAFT_KEY: &str = "subscriptions";

pub(super) const RESUME_HINT: &str = "{go.typed} resumes it";

#[derive(Clone, Debug, Default)]
pub struct DraftTracker {
    /// From annotation forms, the oldest first.
    pub annotations: Vec<AnnotationDraft>,
    /// Whether they survive the program.
    pub is_persistent: bool,
    /// Drafts whose write failed because the service did not respond.
    unsent: BTreeSet<String>,
    /// The service responds again, and unsent drafts have not been announced yet.
    pub(super) is_announcement_due: bool,
    prompts: BTreeMap<String, String>,
    builder: SavedBuilder,
    staged_subscriptions: StagedSnapshot,
    outbox: Vec<(TriageStatus, SignalId)>,
}

impl App {
    /// Restores what earlier runs of the program left.
    pub(super) fn restore_drafts(&mut self, left: Vec<drafts::Draft>, keeps: bool) {
        self.drafts.is_persistent = keeps;
        let mut kept: Vec<AnnotationDraft> = Vec::new();
        for draft in left {
            match draft.name.as_str() {
                BUILDER_DRAFT_KEY if !draft.is_open_elsewhere => {
                    // What was built since the start is newer.
                    if let Ok(built) = serde_json::from_value::<SavedBuilder>(draft.content)
                        && self.explore.saved_builder() == SavedBuilder::default()
                    {
                        self.explore.restore_builder(built.clone());
                        self.drafts.builder = built;
                    }
                }
                SUBSCRIPTIONS_DRAFT_KEY if !draft.is_open_elsewhere => {
                    if let Ok(plan) = serde_json::from_value::<StagedSnapshot>(draft.content)
                        && self.subscriptions.restore_staged(plan.clone())
                    {
                        self.drafts.staged_subscriptions = plan;
                        self.notice = Some(
                            Notice::info("staged subscription changes were restored").with_hint("{go.subscriptions} shows it"),
                        );
                    }
                }
                outbox::OUTBOX_DRAFT_KEY if !draft.is_open_elsewhere => self.restore_outbox(draft.content),
                export::EXPORT_DRAFT_KEY if !draft.is_open_elsewhere => self.restore_export(draft.content),
                skills::editing::DRAFT_KEY => {
                    if let (false, Value::String(text)) = (draft.is_open_elsewhere, draft.content) {
                        self.skills.unsent_text.get_or_insert(text);
                    }
                }
                name if PromptKind::DRAFT_KEY_PREFIXES.iter().any(|kept| name.starts_with(kept)) => {
                    if let (false, Value::String(text)) = (draft.is_open_elsewhere, draft.content) {
                        self.drafts.prompts.entry(draft.name).or_insert(text);
                    }
                }
                _ => kept.extend(AnnotationDraft::from_stored(draft)),
            }
        }
        let (empty, mut kept): (Vec<AnnotationDraft>, Vec<AnnotationDraft>) =
            kept.into_iter().partition(AnnotationDraft::is_empty);
        empty.iter().filter(|draft| !draft.elsewhere).for_each(|draft| self.save_draft::<()>(&draft.name, None));
        self.offer_skill_draft();
        if let Some(last) = kept.last() {
            let text = format!("{}: your draft from {} is kept", draft_summary(&kept), self.format_draft_time(last));
            self.notice = Some(Notice::info(text).with_hint(RESUME_HINT));
        }
        kept.append(&mut self.drafts.annotations);
        self.drafts.annotations = kept;
        let offered = self.annotation_form.as_ref().and_then(|form| self.annotation_draft_for(&form.kind, &form.records));
        if let Some(form) = &mut self.annotation_form {
            form.draft = form.draft.take().or(offered);
        }
    }

    /// Marks the drafts of these records as unsent, to be announced when the service responds again. Returns false when there is
    /// no draft for them.
    pub(super) fn mark_drafts_unsent(&mut self, records: &[Uuid]) -> bool {
        let is_theirs = |draft: &&AnnotationDraft| draft.rows.iter().any(|(id, _)| records.contains(id));
        let names: Vec<String> = self.drafts.annotations.iter().filter(is_theirs).map(|draft| draft.name.clone()).collect();
        let is_kept = !names.is_empty();
        self.drafts.unsent.extend(names);
        is_kept
    }

    /// Announces unsent drafts once the service responds again and no other notice is shown. They are not sent automatically: the
    /// records are checked for a colleague's changes first, which may cost credits and need an answer.
    pub(super) fn announce_unsent_drafts(&mut self) {
        if !std::mem::take(&mut self.drafts.is_announcement_due) {
            return;
        }
        let unsent = std::mem::take(&mut self.drafts.unsent);
        let left: Vec<AnnotationDraft> =
            self.drafts.annotations.iter().filter(|draft| unsent.contains(&draft.name)).cloned().collect();
        if left.is_empty() {
            return;
        }
        let is_open = self.annotation_form.as_ref().is_some_and(|form| left.iter().any(|draft| form.edits_draft(draft)));
        let hint = if is_open { "{sheet.apply} saves it" } else { RESUME_HINT };
        self.notice = Some(Notice::warning(format!("unsaved draft: {}", draft_summary(&left))).with_hint(hint));
    }

    /// Saves what changed since the last save.
    pub(super) fn save_drafts(&mut self) {
        self.save_annotation_draft();
        // Compared in place, and copied only when it has to be saved.
        if self.screen == Screen::Explore && !self.explore.matches_saved(&self.drafts.builder) {
            let built = self.explore.saved_builder();
            self.save_draft(BUILDER_DRAFT_KEY, (built != SavedBuilder::default()).then_some(&built));
            self.drafts.builder = built;
        }
        if !self.outbox_to_save().eq(self.drafts.outbox.iter().cloned()) {
            let held: Vec<_> = self.outbox_to_save().collect();
            self.save_draft(outbox::OUTBOX_DRAFT_KEY, (!held.is_empty()).then_some(&held));
            self.drafts.outbox = held;
        }
        if !self.subscriptions.matches_snapshot(&self.drafts.staged_subscriptions) {
            let plan = self.subscriptions.staged_snapshot();
            self.save_draft(SUBSCRIPTIONS_DRAFT_KEY, (plan != StagedSnapshot::default()).then_some(&plan));
            self.drafts.staged_subscriptions = plan;
        }
        let Some(((name, default_text), text)) =
            self.prompt.as_ref().and_then(|prompt| Some((prompt.draft.clone()?, prompt.text())))
        else {
            return;
        };
        let is_new = !text.trim().is_empty() && text != default_text;
        if is_new && self.drafts.prompts.get(&name) != Some(&text) {
            self.save_draft(&name, Some(&text));
            self.drafts.prompts.insert(name, text);
        } else if !is_new {
            self.discard_prompt_draft(&name);
        }
    }

    /// Opens a prompt with its draft, or else with its default text.
    pub(super) fn open_prompt(&mut self, label: &'static str, purpose: PromptKind) {
        let name = self.prompt_draft_key(purpose).unwrap_or_default();
        let default_text = self.prompt_default_text(&name);
        self.open_prompt_with_draft(label, purpose, &name, &default_text);
    }

    /// Opens a prompt with its draft of this name, or else with its default text.
    pub(super) fn open_prompt_with_draft(&mut self, label: &'static str, kind: PromptKind, name: &str, default_text: &str) {
        let text = self.drafts.prompts.get(name).map_or(default_text, String::as_str);
        let draft = Some((name.to_owned(), default_text.to_owned()));
        self.prompt = Some(Prompt { draft, ..Prompt::new(label, text, kind) });
    }

    /// The prompt's input was accepted.
    pub(super) fn discard_prompt_draft(&mut self, name: &str) {
        if self.drafts.prompts.remove(name).is_some() {
            self.save_draft::<()>(name, None);
        }
    }

    /// Replaces the saved draft of this name; `None` deletes it.
    pub(super) fn save_draft<T: Serialize>(&mut self, name: &str, typed: Option<&T>) {
        let typed = typed.and_then(|typed| serde_json::to_value(typed).ok());
        self.effects.push(Effect::SaveDraft { name: name.to_owned(), content: typed });
    }

    /// When a draft was left, in the user's time zone.
    pub fn format_draft_time(&self, draft: &AnnotationDraft) -> String {
        self.format_display_time(draft.at)
    }

    /// Lists the annotation drafts, the newest first; selecting one resumes it.
    pub(super) fn list_drafts(&mut self) {
        let pick = |draft: &AnnotationDraft| ChoiceOption {
            label: format!("{}: {}", draft.subject_label(), draft.field_titles().join(", ")),
            note: self.format_draft_time(draft),
            action: Action::ResumeDraft(draft.name.clone()),
        };
        let picks: Vec<ChoiceOption> = self.drafts.annotations.iter().rev().map(pick).collect();
        self.overlay = Some(Overlay::Choice(Choice::new("Unsaved drafts", "0 cr", picks)));
    }

    /// The line about kept drafts that is printed at exit.
    pub(super) fn drafts_exit_line(&self) -> Option<String> {
        let records: usize = self.drafts.annotations.iter().map(|draft| draft.rows.len()).sum();
        let is_kept = records > 0 && self.drafts.is_persistent;
        is_kept.then(|| {
            format!(
                "gantry: your draft for {} is kept; {} resumes it",
                pluralize(records, "record"),
                self.command_key_name("go.typed")
            )
        })
    }
}

/// What drafts are for: names the newest.
fn draft_summary(drafts: &[AnnotationDraft]) -> String {
    let last = drafts.last().map(AnnotationDraft::subject_label).unwrap_or_default();
    if drafts.len() > 1 { format!("{last} and {} more", drafts.len() - 1) } else { last }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::{Value, json};

    use crate::app::effect::{ServiceCall, WriteRequest};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::fake_service::account_id;
    use crate::app::testing::{TestConsole, morning_queue, parse_time};
    use crate::domain::health::Health;
    use crate::domain::request_error::RequestError;

    fn book_console() -> TestConsole {
        TestConsole::with_rows(morning_queue()).press("3").serve().press("Enter").serve()
    }

    fn not_sent_failure() -> RequestError {
        RequestError::new_not_sent("connection refused")
    }

    fn go_offline(console: TestConsole) -> TestConsole {
        let offline = Health::Offline { since: parse_time("2026-07-09T09:20:14Z"), reason: "connection refused".to_owned() };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn go_online(console: TestConsole) -> TestConsole {
        console.send(Msg::Pushed(Push::Health(Health::Online))).poll().serve()
    }

    fn annotation_write_count(console: &TestConsole) -> usize {
        console.calls.iter().filter(|call| matches!(call, ServiceCall::Write(WriteRequest::Annotate { .. }))).count()
    }

    fn field<'a>(console: &'a TestConsole, name: &str) -> &'a Value {
        &console.service.book[&account_id(1)][name]
    }

    /// A status could not be saved; its record was read a while ago.
    fn with_unsent_draft() -> TestConsole {
        go_offline(
            book_console()
                .advance_time(Duration::minutes(3))
                .press("a s")
                .type_text("called")
                .press("Ctrl-s")
                .fail_next(not_sent_failure()),
        )
    }

    #[test]
    fn unsent_drafts_are_announced_once_when_online_and_never_sent_by_themselves() {
        let console = with_unsent_draft();
        assert_eq!(console.notice_text(), "status of Brightline GC: not sent: connection refused");
        let mut console = go_online(console.press("Esc"));
        assert_eq!(console.notice_text(), "unsaved draft: Brightline GC");
        assert!(console.screen_text().contains("gt resumes it"), "{}", console.screen_text());
        assert_eq!(annotation_write_count(&console), 1, "only the one that failed");
        console = go_online(go_offline(console.press("Esc j")));
        assert_eq!(console.notice_text(), "", "once");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!((field(&console, "workspace_status"), annotation_write_count(&console)), (&json!("called"), 2));
    }

    #[test]
    fn an_open_form_can_be_saved_when_the_service_is_back() {
        let console = go_online(with_unsent_draft().press("g t Enter"));
        assert!(console.screen_text().contains("Ctrl-s saves it"), "{}", console.screen_text());
        let console = console.press("Ctrl-s").serve();
        assert_eq!(field(&console, "workspace_status"), "called");
    }

    #[test]
    fn a_resumed_draft_shows_a_colleagues_change_before_overwriting_it() {
        let theirs = |mut console: TestConsole, name: &str, value: Value| {
            console.service.book.get_mut(&account_id(1)).unwrap().insert(name.into(), value);
            console
        };
        for resumed in [with_unsent_draft(), with_unsent_draft().press("g t Enter Ctrl-s").fail_next(not_sent_failure())] {
            let console = go_online(theirs(resumed, "workspace_status", json!("won"))).press("g t Enter Ctrl-s").serve();
            assert!(console.notice_text().contains("status changed since"), "{}", console.notice_text());
            assert_eq!(field(&console, "workspace_status"), "won", "asked");
        }
        let tags = book_console()
            .advance_time(Duration::minutes(3))
            .press("a t")
            .type_text("mine")
            .press("Ctrl-s")
            .fail_next(not_sent_failure());
        let console = go_online(theirs(go_offline(tags.press("Esc")), "tags", json!(["austin", "theirs"])))
            .press("g t Enter Ctrl-s")
            .serve();
        let console = console.press("Ctrl-s").serve();
        assert_eq!(field(&console, "tags"), &json!(["austin", "theirs", "mine"]), "merged");
    }

    #[test]
    fn many_records_that_could_not_be_written_form_one_draft() {
        let console = book_console().press("Space Space Space a t").type_text("q3").press("Ctrl-s");
        let console = console.fail_next(not_sent_failure()).fail_next(not_sent_failure()).fail_next(not_sent_failure());
        assert!(console.notice_text().contains("still marked: not sent: connection refused"), "{}", console.notice_text());
        assert!(console.screen_text().contains("gt resumes it"), "{}", console.screen_text());
        let console = go_online(go_offline(console.press("Esc")));
        assert_eq!(console.notice_text(), "unsaved draft: 3 accounts");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!((annotation_write_count(&console), field(&console, "tags")), (6, &json!(["austin", "q3"])));
    }

    #[test]
    fn queued_triage_is_sent_before_unsent_drafts_are_announced() {
        let console = with_unsent_draft().press("Esc 1 e").fail_next(not_sent_failure());
        let console = go_online(console);
        assert!(console.notice_text().starts_with("done:"), "{}", console.notice_text());
        let console = console.press("Esc Esc").poll();
        assert!(console.notice_text().contains("unsaved draft"), "{}", console.notice_text());
    }

    #[test]
    fn a_discarded_draft_is_not_announced() {
        let console = go_online(with_unsent_draft().press("Esc a s Ctrl-x Esc"));
        assert_eq!(console.notice_text(), "");
    }
}
