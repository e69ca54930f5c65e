//! Edits Skills in the user's editor: new ones and changed drafts. The text is kept until the
//! service has accepted it.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::Context;
use crate::app::action::Action;
use crate::app::drafts::DraftName;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::pluralize;
use crate::app::msg::{CallResult, EditorPurpose};
use crate::app::notice::Notice;
use crate::app::panes::skills::draft_text::SkillDraft;
use crate::app::panes::skills::messages::SkillsRequest;
use crate::app::panes::skills::{SkillsPane, draft_text};
use crate::domain::SkillId;
use crate::domain::skills::{
    Skill, SkillAction, SkillCall, SkillFile, SkillFileRef, SkillRevision,
};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Skills being loaded for the editor, or edited in it.
#[derive(Clone, Debug, Default)]
pub struct SkillEditorSession {
    /// Skills whose details are still being read; `skills` has those already read.
    unread: usize,
    skills: Vec<Skill>,
    /// The edited Skills as they were before.
    originals: BTreeMap<SkillId, SkillDraft>,
}

impl SkillsPane {
    /// Opens the editor with a new Skill, or with the saved draft.
    pub(super) fn write_new(&mut self, cx: &mut Context) {
        let text = self
            .unsent_text
            .clone()
            .unwrap_or_else(draft_text::blank_draft_text);
        open_editor(text, cx);
    }

    /// Resumes the saved draft.
    pub(super) fn resume_draft(&mut self, cx: &mut Context) {
        let Some(text) = self.unsent_text.clone() else {
            return;
        };
        // If a draft from an earlier session changes Skills, their originals are read first.
        let ids: Vec<SkillId> = draft_text::parse_drafts(&text)
            .unwrap_or_default()
            .iter()
            .filter_map(|bundle| bundle.id.clone())
            .collect();
        if ids.iter().all(|id| self.editor.originals.contains_key(id)) {
            return open_editor(text, cx);
        }
        self.read_for_editor(ids, cx);
    }

    /// Reads the selected Skills and opens them in the editor.
    pub(super) fn edit_selection(&mut self, cx: &mut Context) {
        let ids: Vec<SkillId> = self
            .selection()
            .iter()
            .map(|skill| skill.id.clone())
            .collect();
        if self.unsent_text.is_some() {
            cx.ui.notice = Some(
                Notice::warning("your previous draft has not been accepted yet")
                    .with_hint("{skills.go_on} resumes it, {skills.drop} discards it"),
            );
            return;
        }
        self.read_for_editor(ids, cx);
    }

    fn read_for_editor(&mut self, ids: Vec<SkillId>, cx: &mut Context) {
        cx.ui
            .inform(format!("loading {}", pluralize(ids.len(), "Skill")));
        cx.work.abandon_slot(Slot::SkillEditor);
        self.editor = SkillEditorSession {
            unread: ids.len(),
            ..SkillEditorSession::default()
        };
        for id in ids {
            cx.work.call_service(
                Slot::SkillEditor,
                ServiceCall::Skill(id),
                SkillsRequest::EditedSkill,
            );
        }
    }

    pub(super) fn on_edited_skill_reply(
        &mut self,
        result: CallResult<(Box<Skill>, Vec<SkillRevision>)>,
        cx: &mut Context,
    ) {
        let edit = &mut self.editor;
        edit.unread = edit.unread.saturating_sub(1);
        match result {
            Ok((skill, _)) => edit.skills.push(*skill),
            Err(failure) => {
                cx.work.abandon_slot(Slot::SkillEditor);
                self.editor = SkillEditorSession::default();
                return cx.ui.show_failure("could not load the Skill", &failure, "");
            }
        }
        if self.editor.unread == 0 {
            let wanted: Vec<SkillFileRef> =
                self.editor.skills.iter().flat_map(texts_of_skill).collect();
            let call = ServiceCall::SkillText(wanted.clone());
            cx.work
                .call_service(Slot::SkillEditor, call, SkillsRequest::EditedTexts(wanted));
        }
    }

    pub(super) fn on_edited_texts_reply(
        &mut self,
        wanted: &[SkillFileRef],
        result: CallResult<Vec<(SkillFileRef, SkillFile)>>,
        cx: &mut Context,
    ) {
        match result {
            Ok(texts) if texts.len() == wanted.len() => {
                let bundles: Vec<SkillDraft> = self
                    .editor
                    .skills
                    .iter()
                    .map(|skill| skill_draft(skill, &texts))
                    .collect();
                self.editor.originals = bundles
                    .iter()
                    .filter_map(|bundle| Some((bundle.id.clone()?, bundle.clone())))
                    .collect();
                let text = self
                    .unsent_text
                    .clone()
                    .unwrap_or_else(|| draft_text::format_drafts(&bundles));
                cx.ui.notice = None;
                open_editor(text, cx);
            }
            Ok(_) => {
                cx.ui.notice = Some(
                    Notice::error("a file of the Skill no longer exists")
                        .with_hint("{skill.refresh} refreshes it"),
                )
            }
            Err(failure) => cx.ui.show_failure("could not load the files", &failure, ""),
        }
    }

    /// Takes over the Skills from the user's editor.
    pub(in crate::app) fn take_edited_text(&mut self, text: String, cx: &mut Context) {
        let bundles = match draft_text::parse_drafts(&text) {
            Ok(bundles) if bundles.is_empty() => {
                self.discard_draft(cx);
                cx.ui.inform("empty text: nothing changed");
                return;
            }
            _ if text == draft_text::blank_draft_text() => {
                self.discard_draft(cx);
                cx.ui.inform("nothing written");
                return;
            }
            Ok(bundles) => bundles,
            Err(why) => {
                self.keep_text(text, cx);
                cx.ui.notice = Some(Notice::error(why).with_hint("{skills.go_on} resumes it"));
                return;
            }
        };
        let mut changes = Vec::new();
        let mut lines = Vec::new();
        for bundle in &bundles {
            let before = bundle
                .id
                .as_ref()
                .and_then(|id| self.editor.originals.get(id));
            if let Some(path) = bundle.missing_kept(before) {
                let why = format!("{}: there is no file {path} to keep", bundle.name);
                self.keep_text(text, cx);
                cx.ui.notice = Some(Notice::error(why).with_hint("{skills.go_on} resumes it"));
                return;
            }
            let (change, body, words) = match bundle
                .id
                .as_ref()
                .map(|id| (id, self.editor.originals.get(id).cloned()))
            {
                None => (
                    SkillAction::Create,
                    bundle.create_body(),
                    format!("{}: {}", bundle.name, pluralize(bundle.files.len(), "file")),
                ),
                Some((_, Some(before))) => match bundle.update_body(&before) {
                    Some((body, words)) => (
                        SkillAction::Update,
                        body,
                        format!("{}: {words}", bundle.name),
                    ),
                    None => continue,
                },
                Some((id, None)) => {
                    self.keep_text(text, cx);
                    cx.ui.notice = Some(
                        Notice::error(format!("Skill {id} was not in the original text"))
                            .with_hint("{skills.go_on} resumes it"),
                    );
                    return;
                }
            };
            lines.push(words);
            changes.push(ReversibleWrite {
                forward: self.new_write(change, bundle.id.clone(), body, cx),
                back: None,
            });
        }
        if changes.is_empty() {
            self.discard_draft(cx);
            cx.ui.inform("no changes, nothing sent");
            return;
        }
        self.keep_text(text, cx);
        let is_new = |change: &ReversibleWrite| matches!(&change.forward, WriteOp::Skill(order) if order.change == SkillAction::Create);
        let (made, changed) = (
            changes.iter().filter(|change| is_new(change)).count(),
            changes.len(),
        );
        let verb = match (made, changed - made) {
            (made, 0) => format!("create {}", pluralize(made, "draft")),
            (0, changed) => format!("change {}", pluralize(changed, "Skill")),
            (made, changed) => format!(
                "create {} and change {}",
                pluralize(made, "draft"),
                pluralize(changed, "Skill")
            ),
        };
        // Calls of the same kind are sent together.
        changes.sort_by_key(|change| !is_new(change));
        let then = Action::Write(lines.join("; "), changes);
        cx.ui.confirm("Send?", lines.join("\n"), verb, then);
    }

    /// The draft that a call was made from.
    fn draft_for_call(&self, order: &SkillCall) -> Option<SkillDraft> {
        let before = order
            .skill
            .as_ref()
            .and_then(|id| self.editor.originals.get(id).cloned());
        let word = |name: &str| {
            order
                .body
                .get(name)
                .and_then(|value| value.as_str())
                .map(str::to_owned)
        };
        let files = order
            .body
            .get("files")
            .and_then(|files| serde_json::from_value(files.clone()).ok());
        let known = before.unwrap_or_default();
        Some(SkillDraft {
            id: order.skill.clone(),
            name: word("name").unwrap_or(known.name),
            slug: word("slug").unwrap_or_default(),
            audience: word("audience").unwrap_or_default(),
            description: word("description").unwrap_or(known.description),
            files: files.unwrap_or(known.files),
            kept: BTreeSet::new(),
        })
    }

    fn keep_text(&mut self, text: String, cx: &mut Context) {
        cx.drafts
            .save_draft(&DraftName::Skills, Some(&text), &mut cx.work);
        self.unsent_text = Some(text);
    }

    /// Discards the unsent draft.
    pub(super) fn discard_draft(&mut self, cx: &mut Context) {
        if self.unsent_text.take().is_some() {
            cx.drafts.delete_draft(&DraftName::Skills, &mut cx.work);
        }
    }

    /// Discards the accepted drafts and keeps the rejected ones.
    pub(super) fn on_edits_written(
        &mut self,
        done: &[SkillCall],
        undone: &[(SkillCall, String)],
        cx: &mut Context,
    ) {
        let is_ours =
            |order: &SkillCall| matches!(order.change, SkillAction::Create | SkillAction::Update);
        let left: Vec<SkillDraft> = undone
            .iter()
            .filter(|(order, _)| is_ours(order))
            .filter_map(|(order, _)| self.draft_for_call(order))
            .collect();
        if !left.is_empty() {
            // Accepted drafts must not be sent twice.
            if done.iter().any(is_ours) {
                self.keep_text(draft_text::format_drafts(&left), cx);
            }
            let is_unsure = self
                .unconfirmed
                .last()
                .is_some_and(|(_, orders)| orders.iter().any(is_ours));
            let hint = if is_unsure {
                "{skills.again} retries it, applied at most once"
            } else {
                "{skills.go_on} resumes your draft"
            };
            cx.ui.notice = cx.ui.notice.take().map(|notice| notice.with_hint(hint));
        } else if done.iter().any(is_ours) {
            self.discard_draft(cx);
        }
    }
}

fn open_editor(text: String, cx: &mut Context) {
    cx.work.emit(Effect::OpenEditor {
        purpose: EditorPurpose::Skills,
        text,
    });
}

/// References to all files of a Skill's current revision.
fn texts_of_skill(skill: &Skill) -> Vec<SkillFileRef> {
    let revision = skill.revision.unwrap_or(0);
    skill
        .files
        .iter()
        .map(|file| SkillFileRef {
            skill: skill.id.clone(),
            revision,
            path: file.path.clone(),
        })
        .collect()
}

fn skill_draft(skill: &Skill, texts: &[(SkillFileRef, SkillFile)]) -> SkillDraft {
    let files = texts.iter().filter(|(file, _)| file.skill == skill.id);
    SkillDraft {
        id: Some(skill.id.clone()),
        name: skill.name.clone().unwrap_or_default(),
        slug: String::new(),
        audience: String::new(),
        description: skill.description.clone().unwrap_or_default(),
        files: files
            .map(|(at, file)| SkillFile {
                path: at.path.clone(),
                ..file.clone()
            })
            .collect(),
        kept: BTreeSet::new(),
    }
}
