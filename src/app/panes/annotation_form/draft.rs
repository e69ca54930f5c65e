//! Drafts: form input that was not applied. It is saved while typing, offered again for the same
//! records, and dropped once written.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::Context;
use crate::app::annotation_cache::AnnotationField;
use crate::app::change::FinishedWrite;
use crate::app::drafts::{DraftName, RESUME_HINT, RestoredDrafts};
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::app::outbox::undo_history::StepCause;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::panes::annotation_form::field_inputs::{
    FieldInputs, FieldOp, FormField, SavedInputs, parse_list,
};
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::app::panes::annotation_form::{AnnotatedRecord, AnnotationForm, AnnotationFormPane};
use crate::domain::book::RecordKind;
use crate::domain::writes::{ReversibleWrite, WriteOp};
use crate::domain::{drafts, merge};
use crate::ui::text_input::TextInput;

/// Form input for some records, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotationDraft {
    /// When it was begun, in microseconds; no two have the same.
    #[serde(skip)]
    pub begun: i64,
    /// When it was last edited.
    #[serde(skip)]
    pub at: DateTime<Utc>,
    /// Another console has it open: this one is a copy.
    #[serde(skip)]
    pub elsewhere: bool,
    #[serde(alias = "shelf")]
    pub kind: RecordKind,
    pub rows: Vec<(Uuid, String)>,
    pub typed: SavedInputs,
    /// The tags of a single record when the draft was made: the merge base, so that a colleague's
    /// later changes are kept.
    tags: Option<Vec<String>>,
}

impl AnnotationDraft {
    /// Parses a stored draft; None if it is not of this pane, or a different version of the program
    /// wrote it in another format.
    pub fn from_stored(name: &DraftName, stored: &drafts::Draft) -> Option<AnnotationDraft> {
        let DraftName::Annotation(begun) = *name else {
            return None;
        };
        let draft = AnnotationDraft::deserialize(&stored.content).ok()?;
        Some(AnnotationDraft {
            begun,
            at: stored.at,
            elsewhere: stored.is_open_elsewhere,
            ..draft
        })
    }

    pub fn name(&self) -> DraftName {
        DraftName::Annotation(self.begun)
    }

    pub fn is_empty(&self) -> bool {
        FieldInputs::new(&self.kind)
            .with_saved(self.typed.clone())
            .is_empty()
    }

    /// What it is for, as text for the user.
    pub fn subject_label(&self) -> String {
        if let [(_, name)] = self.rows.as_slice() {
            name.clone()
        } else {
            pluralize(self.rows.len(), self.kind.singular_name())
        }
    }

    /// The titles of the fields it changes.
    pub fn field_titles(&self) -> Vec<&'static str> {
        FieldInputs::new(&self.kind)
            .with_saved(self.typed.clone())
            .touched_fields()
            .into_iter()
            .map(AnnotationField::title)
            .collect()
    }

    fn covers_records(&self, kind: &RecordKind, rows: &[AnnotatedRecord]) -> bool {
        self.kind == *kind
            && rows
                .iter()
                .all(|row| self.rows.iter().any(|(id, _)| *id == row.id))
    }
}

impl AnnotationFormPane {
    pub(super) fn draft_for(
        &self,
        kind: &RecordKind,
        rows: &[AnnotatedRecord],
    ) -> Option<AnnotationDraft> {
        self.drafts
            .iter()
            .rev()
            .find(|draft| draft.covers_records(kind, rows))
            .cloned()
    }

    /// For how many records something was typed and not written.
    pub(super) fn draft_records(&self) -> usize {
        self.drafts.iter().map(|draft| draft.rows.len()).sum()
    }

    pub(super) fn restore(&mut self, drafts: &RestoredDrafts, cx: &mut Context) {
        let all = drafts
            .iter()
            .filter_map(|(name, draft)| AnnotationDraft::from_stored(name, draft));
        let (empty, mut kept): (Vec<AnnotationDraft>, Vec<AnnotationDraft>) =
            all.partition(AnnotationDraft::is_empty);
        empty
            .iter()
            .filter(|draft| !draft.elsewhere)
            .for_each(|draft| cx.drafts.delete_draft(&draft.name(), &mut cx.work));
        if let Some(last) = kept.last() {
            let text = format!(
                "{}: your draft from {} is kept",
                summarize(&kept),
                cx.clock.format_display_time(last.at)
            );
            cx.ui.notice = Some(Notice::info(text).with_hint(RESUME_HINT));
        }
        kept.append(&mut self.drafts);
        self.drafts = kept;
        let offered = self
            .form
            .as_ref()
            .and_then(|form| self.draft_for(&form.kind, &form.records));
        if let Some(form) = &mut self.form {
            form.draft = form.draft.take().or(offered);
        }
    }

    /// Saves the form's input if it changed since the last save.
    pub(super) fn save_draft(&mut self, cx: &mut Context) {
        let Some(form) = &mut self.form else { return };
        let kept = self.drafts.iter().position(|draft| form.edits_draft(draft));
        if form.inputs.is_empty() {
            form.draft_begun = None;
            if let Some(at) = kept {
                let emptied = self.drafts.remove(at);
                cx.drafts.delete_draft(&emptied.name(), &mut cx.work);
            }
            return;
        }
        let typed = form.inputs.to_saved();
        let is_of_these = |draft: &AnnotationDraft| {
            draft
                .rows
                .iter()
                .map(|(id, _)| *id)
                .eq(form.records.iter().map(|row| row.id))
        };
        if kept
            .map(|at| &self.drafts[at])
            .is_some_and(|draft| draft.typed == typed && is_of_these(draft))
        {
            return;
        }
        let draft = AnnotationDraft {
            begun: *form
                .draft_begun
                .get_or_insert_with(|| cx.clock.now().timestamp_micros()),
            at: cx.clock.now(),
            elsewhere: false,
            kind: form.kind.clone(),
            rows: form
                .records
                .iter()
                .map(|row| (row.id, row.name.clone()))
                .collect(),
            typed,
            tags: form
                .single_record()
                .and_then(|row| row.base.value(AnnotationField::Tags).cloned()),
        };
        cx.drafts
            .save_draft(&draft.name(), Some(&draft), &mut cx.work);
        match kept {
            Some(at) => self.drafts[at] = draft,
            None => self.drafts.push(draft),
        }
    }

    /// Drops the drafts whose records were all written, and remembers those that did not reach the
    /// service.
    pub(super) fn on_written(&mut self, write: &FinishedWrite, cx: &mut Context) {
        if write.failed.is_empty() && write.cause != StepCause::Undo {
            let written: Vec<Uuid> = write
                .applied
                .iter()
                .filter_map(|change| change.forward.record_id())
                .chain(write.unchanged.clone())
                .collect();
            self.remove_drafts(
                |draft| draft.rows.iter().all(|(id, _)| written.contains(id)),
                cx,
            );
        }
        if !write.got_no_response || write.cause != StepCause::New {
            return;
        }
        let is_annotation =
            |change: &&ReversibleWrite| matches!(change.forward, WriteOp::Annotate(..));
        let failed = write
            .failed
            .iter()
            .map(|(change, _)| change)
            .filter(is_annotation);
        let unwritten: Vec<Uuid> = failed
            .filter_map(|change| change.forward.record_id())
            .collect();
        let is_theirs =
            |draft: &&AnnotationDraft| draft.rows.iter().any(|(id, _)| unwritten.contains(id));
        let unsent: Vec<i64> = self
            .drafts
            .iter()
            .filter(is_theirs)
            .map(|draft| draft.begun)
            .collect();
        if !unsent.is_empty()
            && let Some(notice) = cx
                .ui
                .notice
                .as_mut()
                .filter(|notice| notice.hint.is_empty())
        {
            notice.hint = RESUME_HINT.into();
        }
        self.unsent.extend(unsent);
    }

    /// Announces unsent drafts once the service responds again and no other notice is shown. They
    /// are not sent automatically: the records are checked for a colleague's changes first, which
    /// may cost credits and need an answer.
    pub(super) fn announce_unsent_drafts(&mut self, cx: &mut Context) {
        if !std::mem::take(&mut self.is_announcement_due) {
            return;
        }
        let unsent = std::mem::take(&mut self.unsent);
        let left: Vec<AnnotationDraft> = self
            .drafts
            .iter()
            .filter(|draft| unsent.contains(&draft.begun))
            .cloned()
            .collect();
        if left.is_empty() {
            return;
        }
        let is_open = self
            .form
            .as_ref()
            .is_some_and(|form| left.iter().any(|draft| form.edits_draft(draft)));
        let hint = if is_open {
            "{form.apply} saves it"
        } else {
            RESUME_HINT
        };
        cx.ui.notice =
            Some(Notice::warning(format!("unsaved draft: {}", summarize(&left))).with_hint(hint));
    }

    fn remove_drafts(&mut self, is_done: impl Fn(&AnnotationDraft) -> bool, cx: &mut Context) {
        for done in self.drafts.extract_if(.., |draft| is_done(draft)) {
            cx.drafts.delete_draft(&done.name(), &mut cx.work);
        }
    }

    /// Fills the form with the offered draft.
    pub(super) fn apply_offered_draft(&mut self, cx: &mut Context) {
        let Some(form) = &mut self.form else { return };
        let Some(draft) = form.draft.take() else {
            return;
        };
        let is_copy = draft.elsewhere;
        form.fill_from_draft(draft);
        cx.ui.notice =
            is_copy.then(|| Notice::warning("another console has this open; you have a copy"));
    }

    /// Discards the offered draft; the next older one is then offered.
    pub(super) fn discard_offered_draft(&mut self, cx: &mut Context) {
        let Some(draft) = self.form.as_mut().and_then(|form| form.draft.take()) else {
            return;
        };
        self.remove_drafts(|known| known.begun == draft.begun, cx);
        let older = self
            .form
            .as_ref()
            .and_then(|form| self.draft_for(&form.kind, &form.records));
        if let Some(form) = &mut self.form {
            form.draft = older;
        }
        cx.ui
            .inform(format!("draft for {} discarded", draft.subject_label()));
    }

    pub(super) fn discard_draft(&mut self, begun: i64, cx: &mut Context) {
        self.form.take_if(|form| form.draft_begun == Some(begun));
        self.remove_drafts(|draft| draft.begun == begun, cx);
        cx.ui.inform("Draft discarded. Nothing was written.");
    }

    /// Asks before discarding the open form's input.
    pub(super) fn confirm_discard_draft(&mut self, cx: &mut Context) {
        let draft = self
            .form
            .as_ref()
            .and_then(|form| self.drafts.iter().find(|draft| form.edits_draft(draft)));
        let Some(draft) = draft else { return };
        let text = format!(
            "What you typed for {} was not written and will be lost.",
            draft.subject_label()
        );
        let then = AnnotationAction::Discard(draft.begun);
        cx.ui
            .confirm("Discard what you typed?", text, "discard", then);
    }

    /// Resumes a draft, on any screen.
    pub(super) fn resume_draft(&mut self, begun: i64, cx: &mut Context) {
        let Some(draft) = self
            .drafts
            .iter()
            .find(|draft| draft.begun == begun)
            .cloned()
        else {
            return;
        };
        self.open(draft.kind.clone(), draft.rows.clone(), None, cx);
        if let Some(form) = &mut self.form {
            // A note is resumed where it was left.
            form.current_line = if draft
                .field_titles()
                .contains(&AnnotationField::Notes.title())
            {
                FormField::Notes
            } else {
                form.current_line
            };
            form.draft = Some(draft);
        }
        self.apply_offered_draft(cx);
    }

    /// Lists the drafts, the newest first; selecting one resumes it.
    pub(super) fn list_drafts(&mut self, cx: &mut Context) {
        let pick = |draft: &AnnotationDraft| ChoiceOption {
            label: format!(
                "{}: {}",
                draft.subject_label(),
                draft.field_titles().join(", ")
            ),
            note: cx.clock.format_display_time(draft.at),
            action: AnnotationAction::Resume(draft.begun).into(),
        };
        let picks: Vec<ChoiceOption> = self.drafts.iter().rev().map(pick).collect();
        cx.ui.overlay = Some(Overlay::Choice(Choice::new(
            "Unsaved drafts",
            "0 cr",
            picks,
        )));
    }

    /// The line about kept drafts that is printed at exit.
    pub fn exit_line(&self, cx: &Context) -> Option<String> {
        let records = self.draft_records();
        let key = || cx.keymap.label_or_palette_name("go.typed");
        (records > 0 && cx.drafts.has_persistent_drafts()).then(|| {
            format!(
                "gantry: your draft for {} is kept; {} resumes it",
                pluralize(records, "record"),
                key()
            )
        })
    }
}

/// What drafts are for: names the newest.
fn summarize(drafts: &[AnnotationDraft]) -> String {
    let last = drafts
        .last()
        .map(AnnotationDraft::subject_label)
        .unwrap_or_default();
    if drafts.len() > 1 {
        format!("{last} and {} more", drafts.len() - 1)
    } else {
        last
    }
}

impl AnnotationForm {
    /// Whether the form's input is saved as this draft.
    fn edits_draft(&self, draft: &AnnotationDraft) -> bool {
        self.draft_begun == Some(draft.begun)
    }

    /// Fills the form with a draft. A colleague's later changes to the tags of a single record are
    /// kept.
    fn fill_from_draft(&mut self, draft: AnnotationDraft) {
        self.draft_begun = (!draft.elsewhere).then_some(draft.begun);
        self.inputs = FieldInputs::new(&self.kind).with_saved(draft.typed);
        let now = self
            .single_record()
            .and_then(|row| row.base.value(AnnotationField::Tags));
        if let (FieldOp::Set, Some(before), Some(now)) =
            (self.inputs.op(FormField::Tags), draft.tags, now)
        {
            let merged =
                merge::merge_sets(&before, now, &parse_list(self.inputs.text(FormField::Tags)));
            if let Some(entry) = self.inputs.entry_mut(FormField::Tags) {
                entry.input = TextInput::with_selected_text(&merged.join(", "));
            }
        }
        // So are their changes to the note.
        let note = self.single_record().and_then(AnnotatedRecord::note);
        self.inputs.merge_note(note);
        if self.current_line == FormField::Notes {
            self.start_note();
        }
    }
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
        TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
    }

    fn not_sent_failure() -> RequestError {
        RequestError::new_not_sent("connection refused")
    }

    fn go_offline(console: TestConsole) -> TestConsole {
        let offline = Health::Offline {
            since: parse_time("2026-07-09T09:20:14Z"),
            reason: "connection refused".to_owned(),
        };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn go_online(console: TestConsole) -> TestConsole {
        console
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .poll()
            .serve()
    }

    fn annotation_write_count(console: &TestConsole) -> usize {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Write(WriteRequest::Annotate { .. })))
            .count()
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
                .press("Ctrl-s Ctrl-s")
                .fail_next(not_sent_failure()),
        )
    }

    #[test]
    fn unsent_drafts_are_announced_once_when_online_and_never_sent_by_themselves() {
        let console = with_unsent_draft();
        assert_eq!(
            console.notice_text(),
            "status of Brightline GC: not sent: connection refused"
        );
        let mut console = go_online(console.press("Esc"));
        assert_eq!(console.notice_text(), "unsaved draft: Brightline GC");
        assert!(
            console.screen_text().contains("gt resumes it"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            annotation_write_count(&console),
            1,
            "only the one that failed"
        );
        console = go_online(go_offline(console.press("Esc j")));
        assert_eq!(console.notice_text(), "", "once");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!(
            (
                field(&console, "workspace_status"),
                annotation_write_count(&console)
            ),
            (&json!("called"), 2)
        );
    }

    #[test]
    fn an_open_form_can_be_saved_when_the_service_is_back() {
        let console = go_online(with_unsent_draft().press("g t Enter"));
        assert!(
            console.screen_text().contains("Ctrl-s saves it"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Ctrl-s").serve();
        assert_eq!(field(&console, "workspace_status"), "called");
    }

    #[test]
    fn a_resumed_draft_shows_a_colleagues_change_before_overwriting_it() {
        let theirs = |mut console: TestConsole, name: &str, value: Value| {
            console
                .service
                .book
                .get_mut(&account_id(1))
                .unwrap()
                .insert(name.into(), value);
            console
        };
        for resumed in [
            with_unsent_draft(),
            with_unsent_draft()
                .press("g t Enter Ctrl-s")
                .fail_next(not_sent_failure()),
        ] {
            let console = go_online(theirs(resumed, "workspace_status", json!("won")))
                .press("g t Enter Ctrl-s")
                .serve();
            assert!(
                console
                    .notice_text()
                    .contains("not seen the current status"),
                "{}",
                console.notice_text()
            );
            assert_eq!(field(&console, "workspace_status"), "won", "asked");
        }
        let tags = book_console()
            .advance_time(Duration::minutes(3))
            .press("a t")
            .type_text("mine")
            .press("Ctrl-s")
            .fail_next(not_sent_failure());
        let console = go_online(theirs(
            go_offline(tags.press("Esc")),
            "tags",
            json!(["austin", "theirs"]),
        ))
        .press("g t Enter Ctrl-s")
        .serve();
        let console = console.press("Ctrl-s").serve();
        assert_eq!(
            field(&console, "tags"),
            &json!(["austin", "theirs", "mine"]),
            "merged"
        );
    }

    #[test]
    fn many_records_that_could_not_be_written_form_one_draft() {
        let console = book_console()
            .press("Space Space Space a t")
            .type_text("q3")
            .press("Ctrl-s");
        let console = console
            .fail_next(not_sent_failure())
            .fail_next(not_sent_failure())
            .fail_next(not_sent_failure());
        assert!(
            console
                .notice_text()
                .contains("still marked: not sent: connection refused"),
            "{}",
            console.notice_text()
        );
        assert!(
            console.screen_text().contains("gt resumes it"),
            "{}",
            console.screen_text()
        );
        let console = go_online(go_offline(console.press("Esc")));
        assert_eq!(console.notice_text(), "unsaved draft: 3 accounts");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!(
            (annotation_write_count(&console), field(&console, "tags")),
            (6, &json!(["austin", "q3"]))
        );
    }

    #[test]
    fn queued_triage_is_sent_before_unsent_drafts_are_announced() {
        let console = with_unsent_draft().press("Esc 1 e");
        let console = go_online(console);
        assert!(
            console.notice_text().starts_with("done:"),
            "{}",
            console.notice_text()
        );
        let console = console.press("Esc Esc").poll();
        assert!(
            console.notice_text().contains("unsaved draft"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn a_discarded_draft_is_not_announced() {
        let console = go_online(with_unsent_draft().press("Esc a s Ctrl-x Esc"));
        assert_eq!(console.notice_text(), "");
    }
}
