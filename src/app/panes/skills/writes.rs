//! Changes of Skills: which apply to what is selected, how they are sent, and what their results
//! change here.

use serde_json::{Value, json};
use uuid::Uuid;

use super::SkillsPane;
use crate::app::Context;
use crate::app::action::Action;
use crate::app::change::FinishedWrite;
use crate::app::format::pluralize;
use crate::domain::skills::{Skill, SkillAction, SkillAudience, SkillCall, SkillLifecycle};
use crate::domain::writes::{ReversibleWrite, WriteOp};
use crate::domain::{SkillId, UserId};

/// Why a change does not apply to a Skill, as far as its fields show. The service rejects the rest
/// with its own message.
pub(super) fn rejection_reason(action: SkillAction, skill: &Skill) -> Option<&'static str> {
    use SkillAction as A;
    match (action, &skill.lifecycle) {
        (A::Install | A::Uninstall, _) if !skill.is_official() => {
            Some("only official Skills can be installed or uninstalled")
        }
        (A::Install, _) if skill.installed == Some(true) => Some("already installed"),
        (A::Uninstall, _) if skill.installed == Some(false) => Some("not installed"),
        (A::Install | A::Uninstall | A::Fork | A::Create, _) => None,
        _ if skill.is_official() => {
            Some("official Skills cannot be changed; {skills.fork} forks one into your own draft")
        }
        (A::Publish, Some(SkillLifecycle::Published)) => Some("already published"),
        (A::Unpublish, Some(SkillLifecycle::Unpublished)) => Some("already unpublished"),
        _ => None,
    }
}

pub(super) fn skills_label(skills: &[Skill]) -> String {
    if let [skill] = skills {
        skill.title()
    } else {
        pluralize(skills.len(), "Skill")
    }
}

impl SkillsPane {
    /// The selected Skills that the change applies to.
    pub(super) fn targets(&self, action: SkillAction) -> Vec<Skill> {
        self.selection()
            .into_iter()
            .filter(|skill| rejection_reason(action, skill).is_none())
            .cloned()
            .collect()
    }

    /// Asks, then publishes the selected Skills.
    pub(super) fn confirm_publication(&mut self, cx: &mut Context) {
        let (words, changes) = self.plain_changes(SkillAction::Publish, cx);
        let text = "Their audience can use them from then on. Undo takes them out of use.";
        cx.ui.confirm_change(
            &words.clone(),
            text.to_owned(),
            Action::Write(words, changes),
        );
    }

    /// Sends a change that needs no parameters.
    pub(super) fn send(&mut self, action: SkillAction, cx: &mut Context) {
        let (words, changes) = self.plain_changes(action, cx);
        self.write(words, changes, cx);
    }

    /// A change that needs no parameters of each selected Skill, with its inverse if there is one.
    fn plain_changes(
        &mut self,
        action: SkillAction,
        cx: &Context,
    ) -> (String, Vec<ReversibleWrite>) {
        use SkillAction as A;
        let skills = self.targets(action);
        let words = format!("{} {}", action.as_str(), skills_label(&skills));
        let mut changes = Vec::new();
        for skill in skills {
            let back = match (action, &skill.lifecycle) {
                (A::Publish, _) => Some(A::Unpublish),
                (A::Unpublish, Some(SkillLifecycle::Published)) => Some(A::Publish),
                (A::Install, _) => Some(A::Uninstall),
                (A::Uninstall, _) => Some(A::Install),
                _ => None,
            };
            let body = json!({"skill_id": skill.id});
            let back =
                back.map(|back| self.new_write(back, Some(skill.id.clone()), body.clone(), cx));
            changes.push(ReversibleWrite {
                forward: self.new_write(action, Some(skill.id), body, cx),
                back,
            });
        }
        (words, changes)
    }

    /// Forks the Skill whose fork was named; an empty name keeps the original's.
    pub(super) fn fork_as(&mut self, name: &str, cx: &mut Context) {
        let Some(id) = self.fork_source.take() else {
            return;
        };
        let title = self.get(&id).map(Skill::title).unwrap_or_default();
        let body = if name.is_empty() {
            json!({"skill_id": id})
        } else {
            json!({"skill_id": id, "name": name})
        };
        let forward = self.new_write(SkillAction::Fork, Some(id), body, cx);
        cx.write_changes(
            format!("fork {title}"),
            vec![ReversibleWrite {
                forward,
                back: None,
            }],
        );
    }

    pub(super) fn set_audience(&mut self, audience: &SkillAudience, cx: &mut Context) {
        let skills = self.targets(SkillAction::Move);
        let words = format!("move {} to {audience}", skills_label(&skills));
        let mut changes = Vec::new();
        for skill in skills
            .iter()
            .filter(|skill| skill.audience.as_ref() != Some(audience))
        {
            let mut move_to = |to: &SkillAudience| {
                let body = json!({"skill_id": skill.id, "audience": to.as_str()});
                self.new_write(SkillAction::Move, Some(skill.id.clone()), body, cx)
            };
            changes.push(ReversibleWrite {
                forward: move_to(audience),
                back: skill.audience.as_ref().map(move_to),
            });
        }
        if changes.is_empty() {
            cx.ui.inform(format!("{words}: no change needed"));
        }
        self.write(words, changes, cx);
    }

    pub(super) fn transfer(&mut self, to: UserId, cx: &mut Context) {
        let skills = self.targets(SkillAction::Transfer);
        let words = format!(
            "transfer {} to {}",
            skills_label(&skills),
            cx.queue.user_name(Some(&to.into()))
        );
        let mut changes = Vec::new();
        for skill in skills {
            let body = json!({"skill_id": skill.id, "user_id": to});
            let forward = self.new_write(SkillAction::Transfer, Some(skill.id), body, cx);
            changes.push(ReversibleWrite {
                forward,
                back: None,
            });
        }
        self.write(words, changes, cx);
    }

    /// Asks, then deletes the selected Skills.
    pub(super) fn confirm_delete(&mut self, cx: &mut Context) {
        let skills = self.targets(SkillAction::Delete);
        let words = format!("delete {}", skills_label(&skills));
        let names: Vec<String> = skills.iter().map(Skill::title).collect();
        let text = format!(
            "Deletes {} with all revisions for everyone. This cannot be undone.",
            names.join(", ")
        );
        let mut changes = Vec::new();
        for skill in skills {
            let body = json!({"skill_id": skill.id});
            let forward = self.new_write(SkillAction::Delete, Some(skill.id), body, cx);
            changes.push(ReversibleWrite {
                forward,
                back: None,
            });
        }
        cx.ui
            .confirm_change(&words.clone(), text, Action::Write(words, changes));
    }

    /// Writes changes to Skills; many at once need confirmation.
    fn write(&self, words: String, changes: Vec<ReversibleWrite>, cx: &mut Context) {
        let scope = format!(
            "{} of {} in this list.",
            changes.len(),
            pluralize(self.list.len(), "Skill")
        );
        cx.write_or_confirm(&words.clone(), scope, words, changes);
    }

    /// Resends calls with an unknown result under the same keys, so that the service runs them at
    /// most once.
    pub(super) fn resend(&mut self, cx: &mut Context) {
        let Some((words, calls)) = self.unconfirmed.pop() else {
            return;
        };
        let changes = calls
            .into_iter()
            .map(|call| ReversibleWrite {
                forward: WriteOp::Skill(call),
                back: None,
            })
            .collect();
        cx.write_changes(words, changes);
    }

    /// A call with its own idempotency key, which stays the same when it is resent.
    pub(super) fn new_write(
        &mut self,
        action: SkillAction,
        skill: Option<SkillId>,
        body: Value,
        cx: &Context,
    ) -> WriteOp {
        self.call_count += 1;
        let count = self.call_count;
        let decided = format!(
            "{} {count} {skill:?} {body}",
            cx.clock.now().timestamp_nanos_opt().unwrap_or_default()
        );
        let key = Uuid::new_v5(&Uuid::NAMESPACE_OID, decided.as_bytes());
        WriteOp::Skill(SkillCall {
            change: action,
            key,
            skill,
            body,
        })
    }

    /// Handles finished writes: failed Skills stay marked with their reasons, and changed ones are
    /// read again. Those that did not arrive, or may not have, can be resent under the same keys.
    pub(super) fn on_written(&mut self, write: &FinishedWrite, cx: &mut Context) {
        let FinishedWrite {
            description,
            applied,
            failed,
            ..
        } = write;
        let call = |change: &ReversibleWrite| {
            if let WriteOp::Skill(call) = &change.forward {
                Some(call.clone())
            } else {
                None
            }
        };
        let done: Vec<SkillCall> = applied.iter().filter_map(call).collect();
        let undone: Vec<(SkillCall, String)> = failed
            .iter()
            .filter_map(|(change, why)| Some((call(change)?, why.clone())))
            .collect();
        if done.is_empty() && undone.is_empty() {
            return;
        }
        for skill in done.iter().filter_map(|call| call.skill.as_ref()) {
            self.marks.remove(skill);
            self.write_errors.remove(skill);
        }
        for (call, why) in &undone {
            if let Some(skill) = call.skill.clone() {
                self.write_errors.insert(skill.clone(), why.clone());
                self.marks
                    .extend((failed.len() > 1 || !applied.is_empty()).then_some(skill));
            }
        }
        let unsure: Vec<SkillCall> = failed
            .iter()
            .take(write.unsettled)
            .filter_map(|(change, _)| call(change))
            .collect();
        let is_superseded = |call: &SkillCall| {
            done.iter()
                .chain(&unsure)
                .any(|newer| newer.key == call.key)
        };
        self.unconfirmed
            .retain(|(_, calls)| !calls.iter().any(is_superseded));
        if !unsure.is_empty() {
            self.unconfirmed.push((description.clone(), unsure));
        }
        self.on_edits_written(&done, &undone, cx);
        let open = self.open.as_ref().map(|open| &open.id);
        if done
            .iter()
            .any(|call| call.change == SkillAction::Delete && call.skill.as_ref() == open)
        {
            self.close();
        }
        self.read(cx);
        self.read_open(cx);
    }
}
