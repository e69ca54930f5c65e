//! Drafts: unsent input, saved on this machine as it is typed, and handed back after any exit.
//!
//! After each message everyone who takes input saves it under a name of its own; the runtime throttles the disk writes. A draft
//! is offered where it was typed and never applied automatically.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use super::App;
use super::action::Action;
use super::effect::Effect;
use super::format::pluralize;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, ChoiceOption};
use super::panes::annotation_form::AnnotationDraft;
use super::prompt::{Prompt, PromptKind};
use crate::domain::book::Dataset;
use crate::domain::drafts::Draft;

pub(super) const RESUME_HINT: &str = "{go.typed} resumes it";

/// What was typed. As text it is the name on disk, which earlier versions wrote too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftName {
    /// An annotation form, by the time it was begun.
    Annotation(i64),
    /// Explore's builder.
    Builder,
    /// A question in plain words.
    Question(Dataset),
    /// The conditions of a search, as text.
    Conditions(Dataset),
    /// The conditions of the filter over a list, as text.
    ListConditions,
    /// The words that filter a list.
    ListWords,
    ViewName,
    InvitationAddress,
    Subscriptions,
    Skills,
    Export,
    Outbox,
}

impl fmt::Display for DraftName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DraftName::Annotation(begun) => write!(f, "sheet {begun}"),
            DraftName::Builder => f.write_str("explore"),
            DraftName::Question(dataset) => write!(f, "ask {dataset}"),
            DraftName::Conditions(dataset) => write!(f, "conditions {dataset}"),
            DraftName::ListConditions => f.write_str("line"),
            DraftName::ListWords => f.write_str("words"),
            DraftName::ViewName => f.write_str("view name"),
            DraftName::InvitationAddress => f.write_str("invite"),
            DraftName::Subscriptions => f.write_str("subscriptions"),
            DraftName::Skills => f.write_str("skills"),
            DraftName::Export => f.write_str("export"),
            DraftName::Outbox => f.write_str("held"),
        }
    }
}

impl DraftName {
    /// Parses a name from disk; `None` when it is unknown.
    pub fn parse(name: &str) -> Option<DraftName> {
        Some(match (name, name.split_once(' ')) {
            ("explore", _) => DraftName::Builder,
            ("line", _) => DraftName::ListConditions,
            ("words", _) => DraftName::ListWords,
            ("view name", _) => DraftName::ViewName,
            ("invite", _) => DraftName::InvitationAddress,
            ("subscriptions", _) => DraftName::Subscriptions,
            ("skills", _) => DraftName::Skills,
            ("export", _) => DraftName::Export,
            ("held", _) => DraftName::Outbox,
            (_, Some(("sheet", begun))) => DraftName::Annotation(begun.parse().ok()?),
            (_, Some(("ask", dataset))) => DraftName::Question(dataset.into()),
            (_, Some(("conditions", dataset))) => DraftName::Conditions(dataset.into()),
            _ => return None,
        })
    }
}

/// The drafts that earlier runs left, the oldest first.
#[derive(Clone, Debug)]
pub struct RestoredDrafts(Vec<(DraftName, Draft)>);

impl RestoredDrafts {
    pub fn new(drafts: Vec<Draft>) -> RestoredDrafts {
        RestoredDrafts(drafts.into_iter().filter_map(|draft| Some((DraftName::parse(&draft.name)?, draft))).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &(DraftName, Draft)> {
        self.0.iter()
    }

    /// The content of a draft, unless another console has it open or a different version wrote it in another format.
    pub fn content<T: DeserializeOwned>(&self, name: &DraftName) -> Option<T> {
        let (_, draft) = self.iter().find(|(known, draft)| known == name && !draft.is_open_elsewhere)?;
        T::deserialize(&draft.content).ok()
    }
}

#[derive(Clone, Debug, Default)]
pub struct DraftStore {
    /// From annotation forms, the oldest first.
    pub annotations: Vec<AnnotationDraft>,
    /// Whether they survive the program.
    pub is_persistent: bool,
    /// Drafts whose write failed because the service did not respond.
    unsent: BTreeSet<i64>,
    /// The service responds again, and unsent drafts have not been announced yet.
    pub(super) is_announcement_due: bool,
    /// The drafts on disk that are this console's.
    saved: BTreeMap<DraftName, Value>,
}

impl DraftStore {
    /// Takes what earlier runs left.
    pub fn restore(&mut self, drafts: &RestoredDrafts, is_persistent: bool) {
        self.is_persistent = is_persistent;
        for (name, draft) in drafts.iter().filter(|(_, draft)| !draft.is_open_elsewhere) {
            // What was typed since the start is newer.
            self.saved.entry(name.clone()).or_insert_with(|| draft.content.clone());
        }
    }
}

impl App {
    /// Saves a draft unless it is saved already; `None` deletes it.
    pub(super) fn save_draft<T: Serialize>(&mut self, name: &DraftName, content: Option<&T>) {
        let content = content.and_then(|content| serde_json::to_value(content).ok());
        if self.drafts.saved.get(name) == content.as_ref() {
            return;
        }
        match &content {
            Some(content) => self.drafts.saved.insert(name.clone(), content.clone()),
            None => self.drafts.saved.remove(name),
        };
        self.effects.push(Effect::SaveDraft { name: name.to_string(), content });
    }

    pub(super) fn delete_draft(&mut self, name: &DraftName) {
        self.save_draft::<()>(name, None);
    }

    /// Takes back what was typed in the annotation form.
    fn restore_annotations(&mut self, drafts: &RestoredDrafts) {
        let all = drafts.iter().filter_map(|(name, draft)| AnnotationDraft::from_stored(name, draft));
        let (empty, mut kept): (Vec<AnnotationDraft>, Vec<AnnotationDraft>) = all.partition(AnnotationDraft::is_empty);
        empty.iter().filter(|draft| !draft.elsewhere).for_each(|draft| self.delete_draft(&draft.name()));
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

    /// Takes back what was typed outside the panes.
    pub(super) fn restore_drafts(&mut self, drafts: &RestoredDrafts) {
        self.restore_outbox(drafts);
        self.restore_export(drafts);
        self.restore_annotations(drafts);
    }

    /// Saves what was typed outside the panes.
    pub(super) fn save_drafts(&mut self) {
        self.save_annotation_draft();
        self.save_outbox();
        self.save_prompt();
    }

    /// What quitting would lose outside the panes where drafts are not saved.
    pub(super) fn unsaved_input(&self) -> Option<String> {
        let records: usize = self.drafts.annotations.iter().map(|draft| draft.rows.len()).sum();
        (records > 0).then(|| format!("what you typed for {}", pluralize(records, "record")))
    }

    fn save_prompt(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let Some((name, default_text)) = prompt.draft.clone() else { return };
        let text = prompt.text();
        let is_new = !text.trim().is_empty() && text != default_text;
        self.save_draft(&name, is_new.then_some(&text));
    }

    /// Opens a prompt with its draft, or else with its default text.
    pub(super) fn open_prompt(&mut self, label: &'static str, kind: PromptKind, name: DraftName, default_text: &str) {
        let text = self.drafts.saved.get(&name).and_then(Value::as_str).unwrap_or(default_text);
        let prompt = Prompt::new(label, text, kind);
        self.prompt = Some(Prompt { draft: Some((name, default_text.to_owned())), ..prompt });
    }

    /// Marks the drafts of these records as unsent, to be announced when the service responds again. Returns false when there is
    /// no draft for them.
    pub(super) fn mark_drafts_unsent(&mut self, records: &[Uuid]) -> bool {
        let is_theirs = |draft: &&AnnotationDraft| draft.rows.iter().any(|(id, _)| records.contains(id));
        let begun: Vec<i64> = self.drafts.annotations.iter().filter(is_theirs).map(|draft| draft.begun).collect();
        let is_kept = !begun.is_empty();
        self.drafts.unsent.extend(begun);
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
            self.drafts.annotations.iter().filter(|draft| unsent.contains(&draft.begun)).cloned().collect();
        if left.is_empty() {
            return;
        }
        let is_open = self.annotation_form.as_ref().is_some_and(|form| left.iter().any(|draft| form.edits_draft(draft)));
        let hint = if is_open { "{sheet.apply} saves it" } else { RESUME_HINT };
        self.notice = Some(Notice::warning(format!("unsaved draft: {}", draft_summary(&left))).with_hint(hint));
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
            action: Action::ResumeDraft(draft.begun),
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

    use crate::app::drafts::DraftName;
    use crate::app::effect::{ServiceCall, WriteRequest};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::fake_service::account_id;
    use crate::app::testing::{TestConsole, morning_queue, parse_time};
    use crate::domain::health::Health;
    use crate::domain::request_error::RequestError;

    #[test]
    fn draft_names_are_read_back_as_earlier_versions_wrote_them() {
        let names = [
            "sheet 1783587614000000",
            "explore",
            "ask projects",
            "conditions accounts",
            "line",
            "words",
            "view name",
            "invite",
            "subscriptions",
            "skills",
            "export",
            "held",
        ];
        for name in names {
            assert_eq!(DraftName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        assert_eq!(DraftName::parse("of a later version"), None);
    }

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
