//! Skills: the list, one Skill with its files and revisions, comparison of revisions, and all changes.
//!
//! All Skill routes are free. Writes answer with a receipt without content, so whatever they changed is read again. Text from the
//! user's editor is kept until the service has accepted it.

pub(crate) mod commands;
pub(crate) mod diff;
pub(crate) mod draft_text;
pub(crate) mod draw;
pub(crate) mod editing;
pub(crate) mod filter;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::app::App;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::domain::SkillId;
use crate::domain::request_error::RequestError;
use crate::domain::skills::{self, Skill, SkillCall, SkillFileInfo, SkillFileRef, SkillFilter, SkillRevision};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Debug, Default)]
pub struct SkillsPane {
    /// In the service's order.
    pub list: Vec<Skill>,
    pub load: LoadState,
    pub filter: SkillFilter,
    /// The search words, if a search replaces the filter.
    pub found_by: Option<String>,
    pub scroll: ScrollState,
    pub marks: BTreeSet<SkillId>,
    /// Why the last write to a Skill failed.
    pub write_errors: HashMap<SkillId, String>,
    /// Keys go to the open Skill instead of the list.
    pub skill_focused: bool,
    pub open: Option<OpenSkill>,
    /// Text from the editor that the service has not accepted yet.
    pub unsent_text: Option<String>,
    /// Calls with an unknown result; they are resent under the same idempotency keys.
    pub unconfirmed: Vec<(String, Vec<SkillCall>)>,
    /// The Skill to fork once the fork's name is entered.
    fork_source: Option<SkillId>,
    editor: editing::SkillEditorSession,
    /// Calls made in this session, so that each has its own idempotency key.
    call_count: u64,
}

/// The open Skill.
#[derive(Clone, Debug)]
pub struct OpenSkill {
    pub id: SkillId,
    pub load: LoadState,
    /// The Skill with its files; until it is loaded, its row from the list.
    pub skill: Skill,
    /// Newest first.
    pub revisions: Vec<SkillRevision>,
    /// The revision on the screen.
    pub revision: u64,
    pub file_cursor: usize,
    /// Loaded texts; `None` for a file that the revision does not contain.
    pub texts: BTreeMap<SkillFileRef, Option<String>>,
    /// First visible line of the text.
    pub top: usize,
    /// The compared revisions, older first, and their differences once loaded.
    pub diff: Option<(u64, u64, Option<Vec<diff::DiffLine>>)>,
}

impl SkillsPane {
    pub fn current_skill(&self) -> Option<&Skill> {
        self.list.get(self.scroll.cursor)
    }

    pub fn get(&self, id: &SkillId) -> Option<&Skill> {
        self.list.iter().find(|skill| skill.id == *id)
    }

    /// The Skills a command applies to: the open one if it has the focus, else the marks, else the one under the cursor.
    pub fn selection(&self) -> Vec<&Skill> {
        if let Some(open) = self.open.as_ref().filter(|_| self.skill_focused) {
            return vec![self.get(&open.id).unwrap_or(&open.skill)];
        }
        if self.marks.is_empty() {
            return self.current_skill().into_iter().collect();
        }
        self.list.iter().filter(|skill| self.marks.contains(&skill.id)).collect()
    }

    pub fn is_filtered(&self) -> bool {
        self.found_by.is_some() || self.filter != SkillFilter::default()
    }
}

impl OpenSkill {
    pub fn current_file(&self) -> Option<&SkillFileInfo> {
        self.skill.files.get(self.file_cursor)
    }

    /// The text of a file in a revision: outer `None` if not loaded, inner `None` if the revision does not contain the file.
    pub fn text(&self, revision: u64, path: &str) -> Option<Option<&str>> {
        let wanted = SkillFileRef { skill: self.id.clone(), revision, path: path.to_owned() };
        self.texts.get(&wanted).map(Option::as_deref)
    }

    /// The revision before or after the one on the screen.
    pub fn adjacent_revision(&self, older: bool) -> Option<u64> {
        let at = self.revisions.iter().position(|revision| revision.revision == self.revision)?;
        let to = if older { at + 1 } else { at.checked_sub(1)? };
        self.revisions.get(to).map(|revision| revision.revision)
    }

    /// Files of these revisions whose texts are not loaded yet.
    fn missing_texts(&self, revisions: &[u64], only: Option<&str>) -> Vec<SkillFileRef> {
        let paths = self.skill.files.iter().map(|file| &file.path).filter(|path| only.is_none_or(|only| only == path.as_str()));
        paths
            .flat_map(|path| {
                revisions.iter().map(move |revision| SkillFileRef {
                    skill: self.id.clone(),
                    revision: *revision,
                    path: path.clone(),
                })
            })
            .filter(|wanted| !self.texts.contains_key(wanted))
            .collect()
    }

    /// Compares the revisions once all their texts are loaded.
    fn compute_diff(&mut self) {
        let Some((old, new, None)) = self.diff else { return };
        if !self.missing_texts(&[old, new], None).is_empty() {
            return;
        }
        let text = |revision, path: &str| self.text(revision, path).flatten();
        let files = self.skill.files.iter().map(|file| (file.path.as_str(), text(old, &file.path), text(new, &file.path)));
        let lines = diff::diff_files(files);
        self.diff = Some((old, new, Some(lines)));
        self.top = 0;
    }
}

/// What is read of the Skills.
#[derive(Clone, Debug)]
pub enum SkillsRequest {
    List,
    /// The open Skill.
    Skill(SkillId),
    /// Files of the open Skill.
    Texts(Vec<SkillFileRef>),
    /// A Skill for the editor.
    EditedSkill,
    EditedTexts(Vec<SkillFileRef>),
}

impl App {
    /// Loads the list of Skills, filtered or searched.
    pub fn read_skills(&mut self) {
        if self.skills.load != LoadState::Ready {
            self.skills.load = LoadState::Loading;
        }
        let call = match &self.skills.found_by {
            Some(words) => ServiceCall::FindSkills(words.clone()),
            None => ServiceCall::Skills(self.skills.filter.clone()),
        };
        self.call_service(Slot::Skills, call, Request::Skills(SkillsRequest::List));
    }

    pub(in crate::app) fn on_skills_reply(&mut self, request: SkillsRequest, result: Result<Reply, RequestError>) {
        match request {
            SkillsRequest::List => self.on_skill_list_reply(payload(result)),
            SkillsRequest::Skill(id) => self.on_skill_reply(&id, payload(result)),
            SkillsRequest::Texts(wanted) => self.on_skill_texts_reply(wanted, payload(result)),
            SkillsRequest::EditedSkill => self.on_edited_skill_reply(payload(result)),
            SkillsRequest::EditedTexts(wanted) => self.on_edited_texts_reply(wanted, payload(result)),
        }
    }

    fn on_skill_list_reply(&mut self, result: Result<Vec<Skill>, RequestError>) {
        match result {
            Ok(list) => {
                let here = self.skills.current_skill().map(|skill| skill.id.clone());
                let skills = &mut self.skills;
                skills.list = list;
                skills.load = LoadState::Ready;
                let there: BTreeSet<SkillId> = skills.list.iter().map(|skill| skill.id.clone()).collect();
                skills.marks.retain(|id| there.contains(id));
                let at = here.and_then(|id| skills.list.iter().position(|skill| skill.id == id));
                skills.scroll.cursor = at.unwrap_or(skills.scroll.cursor).min(skills.list.len().saturating_sub(1));
            }
            Err(failure) => {
                if self.skills.list.is_empty() {
                    self.skills.load = LoadState::Failed(failure.message);
                } else {
                    self.show_failure("could not load the Skills", &failure, "{skills.refresh} retries");
                }
            }
        }
    }

    /// Opens the Skill under the cursor and loads its files and revisions.
    pub fn open_skill(&mut self) {
        let Some(skill) = self.skills.current_skill().cloned() else { return };
        self.skills.skill_focused = true;
        if self.skills.open.as_ref().is_some_and(|open| open.id == skill.id && open.load == LoadState::Ready) {
            return;
        }
        self.skills.open = Some(OpenSkill {
            id: skill.id.clone(),
            load: LoadState::Loading,
            revision: skill.revision.unwrap_or(0),
            skill,
            revisions: Vec::new(),
            file_cursor: 0,
            texts: BTreeMap::new(),
            top: 0,
            diff: None,
        });
        self.read_open_skill();
    }

    /// Reloads the open Skill.
    pub fn read_open_skill(&mut self) {
        let Some(id) = self.skills.open.as_ref().map(|open| open.id.clone()) else { return };
        self.call_service(Slot::Skill, ServiceCall::Skill(id.clone()), Request::Skills(SkillsRequest::Skill(id)));
    }

    fn on_skill_reply(&mut self, id: &SkillId, result: Result<(Skill, Vec<SkillRevision>), RequestError>) {
        let Some(open) = self.skills.open.as_mut().filter(|open| open.id == *id) else { return };
        match result {
            Ok((skill, revisions)) => {
                let newest = skill.revision.or(revisions.first().map(|newest| newest.revision)).unwrap_or(0);
                let path = open.current_file().map(|file| file.path.clone());
                let was_newest = open.skill.revision.is_none_or(|known| known == open.revision);
                if was_newest || revisions.iter().all(|known| known.revision != open.revision) {
                    open.revision = newest;
                }
                open.skill = skill;
                open.revisions = revisions;
                open.file_cursor = path.and_then(|path| open.skill.files.iter().position(|file| file.path == path)).unwrap_or(0);
                open.load = LoadState::Ready;
                self.read_skill_text();
            }
            // It was deleted or transferred; a notice about that stays.
            Err(failure) if failure.status() == Some(404) && open.load == LoadState::Ready => {
                self.close_skill();
                self.notice.get_or_insert_with(|| Notice::warning("this Skill is no longer visible to you"));
            }
            Err(failure) => {
                if open.load == LoadState::Ready {
                    self.show_failure("could not load the Skill", &failure, "{skill.refresh} retries");
                } else {
                    open.load = LoadState::Failed(failure.message);
                }
            }
        }
    }

    /// Loads the visible texts that are missing: the current file's, or those of the compared revisions.
    pub fn read_skill_text(&mut self) {
        let Some(open) = &mut self.skills.open else { return };
        open.compute_diff();
        let path = open.current_file().map(|file| file.path.clone());
        let wanted = match &open.diff {
            Some((old, new, None)) => open.missing_texts(&[*old, *new], None),
            Some(_) => Vec::new(),
            None => path.map(|path| open.missing_texts(&[open.revision], Some(&path))).unwrap_or_default(),
        };
        if !wanted.is_empty() {
            let call = ServiceCall::SkillText(wanted.clone());
            self.call_service(Slot::SkillText, call, Request::Skills(SkillsRequest::Texts(wanted)));
        }
    }

    /// Returns to the list, because the open Skill is gone.
    fn close_skill(&mut self) {
        self.skills.open = None;
        self.skills.skill_focused = false;
    }

    fn on_skill_texts_reply(&mut self, wanted: Vec<SkillFileRef>, result: Result<Vec<(SkillFileRef, String)>, RequestError>) {
        match result {
            Ok(texts) => {
                if let Some(open) = &mut self.skills.open {
                    open.texts.extend(wanted.into_iter().filter(|file| file.skill == open.id).map(|file| (file, None)));
                    open.texts.extend(texts.into_iter().map(|(file, text)| (file, Some(text))));
                    open.compute_diff();
                }
            }
            Err(failure) => {
                if let Some(open) = &mut self.skills.open {
                    open.diff = None;
                }
                self.show_failure("could not load the file", &failure, "{skill.refresh} retries");
            }
        }
    }

    pub fn move_file_cursor(&mut self, rows: isize) {
        if let Some(open) = &mut self.skills.open {
            open.file_cursor = open.file_cursor.saturating_add_signed(rows).min(open.skill.files.len().saturating_sub(1));
            open.top = 0;
            open.diff = None;
        }
        self.read_skill_text();
    }

    pub fn click_skill_file(&mut self, line: usize) {
        self.skills.skill_focused = true;
        let rows = isize::try_from(line).unwrap_or(0);
        if let Some(open) = &mut self.skills.open {
            open.file_cursor = 0;
        }
        self.move_file_cursor(rows);
    }

    /// Closes the comparison, or leaves the Skill, or clears the marks.
    pub fn leave_skill(&mut self) {
        let compared = self.skills.open.as_mut().filter(|_| self.skills.skill_focused).and_then(|open| open.diff.take());
        match () {
            () if compared.is_some() => self.read_skill_text(),
            () if self.skills.skill_focused => self.skills.skill_focused = false,
            () if !self.skills.marks.is_empty() => self.skills.marks.clear(),
            () => self.notice = None,
        }
    }

    pub fn show_adjacent_revision(&mut self, older: bool) {
        if let Some(open) = &mut self.skills.open
            && let Some(to) = open.adjacent_revision(older)
        {
            open.revision = to;
            open.top = 0;
            open.diff = None;
        }
        self.read_skill_text();
    }

    pub fn compare_revisions(&mut self, old: u64, new: u64) {
        if let Some(open) = &mut self.skills.open {
            open.diff = Some((old, new, None));
            open.top = 0;
        }
        self.read_skill_text();
    }

    /// Handles finished writes: failed Skills stay marked with their reasons, and changed ones are read again. The first
    /// `unsettled` failures did not arrive, or may not have; they can be resent under the same keys.
    pub(in crate::app) fn on_skill_writes_finished(
        &mut self,
        words: &str,
        applied: &[ReversibleWrite],
        failed: &[(ReversibleWrite, String)],
        unsettled: usize,
    ) {
        let order =
            |change: &ReversibleWrite| if let WriteOp::Skill(order) = &change.forward { Some(order.clone()) } else { None };
        let done: Vec<SkillCall> = applied.iter().filter_map(order).collect();
        let undone: Vec<(SkillCall, String)> =
            failed.iter().filter_map(|(change, why)| Some((order(change)?, why.clone()))).collect();
        if done.is_empty() && undone.is_empty() {
            return;
        }
        for skill in done.iter().filter_map(|order| order.skill.as_ref()) {
            self.skills.marks.remove(skill);
            self.skills.write_errors.remove(skill);
        }
        for (order, why) in &undone {
            if let Some(skill) = order.skill.clone() {
                self.skills.write_errors.insert(skill.clone(), why.clone());
                self.skills.marks.extend((failed.len() > 1 || !applied.is_empty()).then_some(skill));
            }
        }
        self.skills.unconfirmed.retain(|(_, orders)| orders.iter().all(|order| done.iter().all(|done| done.key != order.key)));
        let unsure: Vec<SkillCall> = failed.iter().take(unsettled).filter_map(|(change, _)| order(change)).collect();
        if !unsure.is_empty() {
            self.skills
                .unconfirmed
                .retain(|(_, orders)| orders.iter().all(|order| unsure.iter().all(|other| other.key != order.key)));
            self.skills.unconfirmed.push((words.to_owned(), unsure));
        }
        self.on_skill_edits_finished(&done, &undone);
        let is_deleted = |order: &SkillCall| {
            order.change == skills::SkillAction::Delete && order.skill.as_ref() == self.skills.open.as_ref().map(|open| &open.id)
        };
        if done.iter().any(is_deleted) {
            self.close_skill();
        }
        self.read_skills();
        self.read_open_skill();
    }

    /// Resends calls with an unknown result under the same keys, so that the service runs them at most once.
    pub fn resend_skill_calls(&mut self) {
        let Some((words, orders)) = self.skills.unconfirmed.pop() else { return };
        let changes = orders.into_iter().map(|order| ReversibleWrite { forward: WriteOp::Skill(order), back: None }).collect();
        self.write_changes(words, changes);
    }

    /// Builds a call with its own idempotency key, which stays the same when it is resent.
    pub(in crate::app) fn new_skill_call(
        &mut self,
        change: skills::SkillAction,
        skill: Option<SkillId>,
        body: serde_json::Value,
    ) -> SkillCall {
        self.skills.call_count += 1;
        let count = self.skills.call_count;
        let decided = format!("{} {count} {:?} {body}", self.now.timestamp_nanos_opt().unwrap_or_default(), skill);
        let key = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, decided.as_bytes());
        SkillCall { change, key, skill, body }
    }

    /// Restores and reports a draft left from the editor, if there is one.
    pub(in crate::app) fn restore_skill_draft(&mut self, drafts: &RestoredDrafts) {
        self.skills.unsent_text = self.skills.unsent_text.take().or_else(|| drafts.content(&DraftName::Skills));
        if self.skills.unsent_text.is_some() {
            self.notice = Some(Notice::info("a Skill draft was saved").with_hint("{skills.go_on} resumes it"));
        }
    }
}
