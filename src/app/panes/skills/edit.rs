//! Skills in the person's own editor: new ones, and drafts that are changed. What was written is kept until the service took it.

use std::collections::BTreeMap;

use super::form::{self, Bundle};
use crate::app::App;
use crate::app::effect::{Effect, ServiceCall, SkillFileRef, Slot};
use crate::app::format::pluralize;
use crate::app::intent::Action;
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::writes::{ReversibleWrite, WriteOp};
use crate::domain::SkillId;
use crate::domain::failure::RequestError;
use crate::domain::skills::{self, Skill, SkillCall, SkillFile};

/// The name under which what was written is kept.
pub const KEPT: &str = "skills";

/// What is on its way to the editor, or in it.
#[derive(Clone, Debug, Default)]
pub struct Editing {
    /// Skills whose details are still to be read, and those that were.
    reads: Vec<(Token, SkillId)>,
    read: Vec<Skill>,
    texts: Option<(Token, Vec<SkillFileRef>)>,
    /// How the Skills stood that are changed.
    before: BTreeMap<SkillId, Bundle>,
    /// The editor has a text of ours.
    is_out: bool,
}

impl App {
    /// Opens the editor with a new Skill, or with what was written before.
    pub fn new_skill(&mut self) {
        let text = self.skills.typed.clone().unwrap_or_else(form::blank);
        self.hand_to_editor(text);
    }

    /// Goes on with what was written before.
    pub fn go_on_with_skill(&mut self) {
        let Some(text) = self.skills.typed.clone() else { return };
        // Where they were changed since the start of the program, how they stood is read first.
        let ids: Vec<SkillId> = form::read(&text).unwrap_or_default().iter().filter_map(|bundle| bundle.id.clone()).collect();
        if ids.iter().all(|id| self.skills.edit.before.contains_key(id)) {
            return self.hand_to_editor(text);
        }
        self.read_for_editor(ids);
    }

    /// Opens the editor with Skills as they are: first they are read.
    pub fn edit_skills(&mut self) {
        let ids: Vec<SkillId> = self.skills.chosen().iter().map(|skill| skill.id.clone()).collect();
        if self.skills.typed.is_some() {
            self.notice = Some(
                Notice::warning("what you wrote before was not taken yet")
                    .with_hint("{skills.go_on} goes on with it, {skills.drop} drops it"),
            );
            return;
        }
        self.read_for_editor(ids);
    }

    fn read_for_editor(&mut self, ids: Vec<SkillId>) {
        self.notice = Some(Notice::info(format!("reading {}", pluralize(ids.len(), "Skill"))));
        self.skills.edit = Editing::default();
        let reads = ids.into_iter().map(|id| (self.call_service(Slot::Skill, ServiceCall::Skill(id.clone())), id)).collect();
        self.skills.edit.reads = reads;
    }

    /// Takes a Skill that is to be edited; false when this reply is none.
    pub(in crate::app) fn edit_read(&mut self, token: Token, result: &Result<Skill, RequestError>) -> bool {
        let edit = &mut self.skills.edit;
        let Some(at) = edit.reads.iter().position(|(asked, _)| *asked == token) else { return false };
        edit.reads.remove(at);
        match result {
            Ok(skill) => edit.read.push(skill.clone()),
            Err(failure) => {
                self.skills.edit = Editing::default();
                self.show_failure("the Skill could not be read", failure, "");
                return true;
            }
        }
        if self.skills.edit.reads.is_empty() {
            let wanted: Vec<SkillFileRef> = self.skills.edit.read.iter().flat_map(wanted).collect();
            let token = self.call_service(Slot::SkillText, ServiceCall::SkillText(wanted.clone()));
            self.skills.edit.texts = Some((token, wanted));
        }
        true
    }

    /// Takes the texts that are to be edited; none when this reply is none of them.
    pub(in crate::app) fn edit_replied(
        &mut self,
        token: Token,
        result: &Result<Vec<(SkillFileRef, String)>, RequestError>,
    ) -> Option<bool> {
        let (_, wanted) = self.skills.edit.texts.take_if(|(asked, _)| *asked == token)?;
        match result {
            Ok(texts) if texts.len() == wanted.len() => {
                let bundles: Vec<Bundle> = self.skills.edit.read.iter().map(|skill| bundle(skill, texts)).collect();
                self.skills.edit.before =
                    bundles.iter().filter_map(|bundle| Some((bundle.id.clone()?, bundle.clone()))).collect();
                let text = self.skills.typed.clone().unwrap_or_else(|| form::text(&bundles));
                self.notice = None;
                self.hand_to_editor(text);
            }
            Ok(_) => {
                self.notice =
                    Some(Notice::error("a file of the Skill is not there any more").with_hint("{skill.refresh} reads it again"))
            }
            Err(failure) => self.show_failure("the files could not be read", failure, ""),
        }
        Some(true)
    }

    fn hand_to_editor(&mut self, text: String) {
        self.skills.edit.is_out = true;
        self.effects.push(Effect::OpenEditor(text));
    }

    /// Takes what the editor left; false when the editor had no Skill.
    pub(in crate::app) fn skill_edited(&mut self, result: &Result<String, String>) -> bool {
        if !std::mem::take(&mut self.skills.edit.is_out) {
            return false;
        }
        match result {
            Err(why) => self.notice = Some(Notice::error(why.clone())),
            Ok(text) => self.take_skill(text.clone()),
        }
        true
    }

    fn take_skill(&mut self, text: String) {
        let bundles = match form::read(&text) {
            Ok(bundles) if bundles.is_empty() => {
                self.drop_typed_skill();
                self.notice = Some(Notice::info("the text is empty: nothing is changed"));
                return;
            }
            _ if text == form::blank() => {
                self.drop_typed_skill();
                self.notice = Some(Notice::info("nothing was written"));
                return;
            }
            Ok(bundles) => bundles,
            Err(why) => {
                self.keep_skill(text);
                self.notice = Some(Notice::error(why).with_hint("{skills.go_on} goes on with it"));
                return;
            }
        };
        let mut changes = Vec::new();
        let mut lines = Vec::new();
        for bundle in &bundles {
            let (change, body, words) = match bundle.id.as_ref().map(|id| (id, self.skills.edit.before.get(id).cloned())) {
                None => (
                    skills::SkillAction::Create,
                    bundle.creation(),
                    format!("{}: {}", bundle.name, pluralize(bundle.files.len(), "file")),
                ),
                Some((_, Some(before))) => match bundle.change(&before) {
                    Some((body, words)) => (skills::SkillAction::Update, body, format!("{}: {words}", bundle.name)),
                    None => continue,
                },
                Some((id, None)) => {
                    self.keep_skill(text);
                    self.notice = Some(
                        Notice::error(format!("{id} was not in the text that you were given"))
                            .with_hint("{skills.go_on} goes on with it"),
                    );
                    return;
                }
            };
            lines.push(words);
            let order = self.skill_order(change, bundle.id.clone(), body);
            changes.push(ReversibleWrite { forward: WriteOp::Skill(order), back: None });
        }
        if changes.is_empty() {
            self.drop_typed_skill();
            self.notice = Some(Notice::info("nothing was changed, and nothing is sent"));
            return;
        }
        self.keep_skill(text);
        let is_new = |change: &ReversibleWrite| matches!(&change.forward, WriteOp::Skill(order) if order.change == skills::SkillAction::Create);
        let (made, changed) = (changes.iter().filter(|change| is_new(change)).count(), changes.len());
        let verb = match (made, changed - made) {
            (made, 0) => format!("make {}", pluralize(made, "draft")),
            (0, changed) => format!("change {}", pluralize(changed, "Skill")),
            (made, changed) => format!("make {} and change {}", pluralize(made, "draft"), pluralize(changed, "Skill")),
        };
        // Orders of one kind go together.
        changes.sort_by_key(|change| !is_new(change));
        let then = Action::Write(lines.join("; "), changes);
        self.overlay = Some(Overlay::Choice(Choice::confirm("Send it?", lines.join("\n"), verb, then)));
    }

    /// What stood in the editor for an order.
    fn bundle_of(&self, order: &SkillCall) -> Option<Bundle> {
        let before = order.skill.as_ref().and_then(|id| self.skills.edit.before.get(id).cloned());
        let word = |name: &str| order.body.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let files = order.body.get("files").and_then(|files| serde_json::from_value(files.clone()).ok());
        let known = before.unwrap_or_default();
        Some(Bundle {
            id: order.skill.clone(),
            name: word("name").unwrap_or(known.name),
            slug: word("slug").unwrap_or_default(),
            audience: word("audience").unwrap_or_default(),
            description: word("description").unwrap_or(known.description),
            files: files.unwrap_or(known.files),
        })
    }

    fn keep_skill(&mut self, text: String) {
        self.save_draft(KEPT, Some(&text));
        self.skills.typed = Some(text);
    }

    /// Drops what was written and not sent.
    pub fn drop_typed_skill(&mut self) {
        if self.skills.typed.take().is_some() {
            self.save_draft::<()>(KEPT, None);
        }
    }

    /// What was written and taken by the service needs no keeping; what was refused stays.
    pub(in crate::app) fn edit_settled(&mut self, done: &[SkillCall], undone: &[(SkillCall, String)]) {
        let is_ours = |order: &SkillCall| matches!(order.change, skills::SkillAction::Create | skills::SkillAction::Update);
        let left: Vec<Bundle> =
            undone.iter().filter(|(order, _)| is_ours(order)).filter_map(|(order, _)| self.bundle_of(order)).collect();
        if !left.is_empty() {
            // What was taken must not be sent twice.
            if done.iter().any(is_ours) {
                self.keep_skill(form::text(&left));
            }
            let is_unsure = self.skills.unsure.last().is_some_and(|(_, orders)| orders.iter().any(is_ours));
            let hint = if is_unsure {
                "{skills.again} sends it again, once at most"
            } else {
                "{skills.go_on} goes on with what you wrote"
            };
            self.notice = self.notice.take().map(|notice| notice.with_hint(hint));
        } else if done.iter().any(is_ours) {
            self.drop_typed_skill();
        }
    }
}

/// All files of a Skill, as they are now.
fn wanted(skill: &Skill) -> Vec<SkillFileRef> {
    let revision = skill.revision.unwrap_or(0);
    skill.files.iter().map(|file| SkillFileRef { skill: skill.id.clone(), revision, path: file.path.clone() }).collect()
}

fn bundle(skill: &Skill, texts: &[(SkillFileRef, String)]) -> Bundle {
    let files = texts.iter().filter(|(file, _)| file.skill == skill.id);
    Bundle {
        id: Some(skill.id.clone()),
        name: skill.name.clone().unwrap_or_default(),
        slug: String::new(),
        audience: String::new(),
        description: skill.description.clone().unwrap_or_default(),
        files: files.map(|(file, text)| SkillFile { path: file.path.clone(), content: text.clone() }).collect(),
    }
}
