//! The open Skill: its files, revisions and texts, and the comparison of two revisions.

use std::collections::BTreeMap;

use crate::app::Context;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::msg::CallResult;
use crate::app::notice::Notice;
use crate::app::panes::skills::diff::DiffLine;
use crate::app::panes::skills::messages::SkillsRequest;
use crate::app::panes::skills::{SkillsPane, diff};
use crate::domain::SkillId;
use crate::domain::skills::{Skill, SkillFile, SkillFileInfo, SkillFileRef, SkillRevision};

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
    /// Loaded files; `None` for one that the revision does not contain.
    texts: BTreeMap<SkillFileRef, Option<SkillFile>>,
    /// Why the last texts could not be loaded.
    pub text_error: Option<String>,
    /// First visible line of the text.
    pub top: usize,
    /// The compared revisions, older first, and their differences once loaded.
    pub diff: Option<(u64, u64, Option<Vec<DiffLine>>)>,
}

impl OpenSkill {
    fn new(skill: Skill) -> OpenSkill {
        OpenSkill {
            id: skill.id.clone(),
            load: LoadState::Loading,
            revision: skill.revision.unwrap_or(0),
            skill,
            revisions: Vec::new(),
            file_cursor: 0,
            texts: BTreeMap::new(),
            text_error: None,
            top: 0,
            diff: None,
        }
    }

    pub fn current_file(&self) -> Option<&SkillFileInfo> {
        self.skill.files.get(self.file_cursor)
    }

    /// A file in a revision: outer `None` if not loaded, inner `None` if the revision does not
    /// contain it.
    pub fn file(&self, revision: u64, path: &str) -> Option<Option<&SkillFile>> {
        let wanted = SkillFileRef {
            skill: self.id.clone(),
            revision,
            path: path.to_owned(),
        };
        self.texts.get(&wanted).map(Option::as_ref)
    }

    /// The revision before or after the one on the screen.
    pub fn adjacent_revision(&self, older: bool) -> Option<u64> {
        let at = self
            .revisions
            .iter()
            .position(|revision| revision.revision == self.revision)?;
        let to = if older { at + 1 } else { at.checked_sub(1)? };
        self.revisions.get(to).map(|revision| revision.revision)
    }

    /// The first file of the list, if `rows` of them are visible.
    pub fn first_visible_file(&self, rows: u16) -> usize {
        (self.file_cursor + 1).saturating_sub(usize::from(rows))
    }

    fn show_file(&mut self, at: usize) {
        self.file_cursor = at.min(self.skill.files.len().saturating_sub(1));
        self.top = 0;
        self.diff = None;
    }

    /// Takes the Skill as it is now; the newest revision stays on the screen if it was.
    fn update(&mut self, skill: Skill, revisions: Vec<SkillRevision>) {
        let newest = skill
            .revision
            .or(revisions.first().map(|newest| newest.revision))
            .unwrap_or(0);
        let path = self.current_file().map(|file| file.path.clone());
        let was_newest = self
            .skill
            .revision
            .is_none_or(|known| known == self.revision);
        if was_newest
            || revisions
                .iter()
                .all(|known| known.revision != self.revision)
        {
            self.revision = newest;
        }
        self.skill = skill;
        self.revisions = revisions;
        self.file_cursor = path
            .and_then(|path| self.skill.files.iter().position(|file| file.path == path))
            .unwrap_or(0);
        self.load = LoadState::Ready;
    }

    /// Files of these revisions whose texts are not loaded yet.
    fn missing_texts(&self, revisions: &[u64], only: Option<&str>) -> Vec<SkillFileRef> {
        let paths = self
            .skill
            .files
            .iter()
            .map(|file| &file.path)
            .filter(|path| only.is_none_or(|only| only == path.as_str()));
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

    /// The visible texts that are missing: the current file's, or those of the compared revisions.
    fn missing_visible_texts(&self) -> Vec<SkillFileRef> {
        match (&self.diff, self.current_file()) {
            (Some((old, new, None)), _) => self.missing_texts(&[*old, *new], None),
            (None, Some(file)) => self.missing_texts(&[self.revision], Some(&file.path)),
            _ => Vec::new(),
        }
    }

    /// Compares the revisions once all their texts are loaded.
    fn compute_diff(&mut self) {
        let Some((old, new, None)) = self.diff else {
            return;
        };
        if !self.missing_texts(&[old, new], None).is_empty() {
            return;
        }
        let file = |revision, path: &str| self.file(revision, path).flatten();
        let files = self.skill.files.iter().map(|info| {
            (
                info.path.as_str(),
                file(old, &info.path),
                file(new, &info.path),
            )
        });
        let lines = diff::diff_files(files);
        self.diff = Some((old, new, Some(lines)));
        self.top = 0;
    }
}

impl SkillsPane {
    /// Opens the Skill under the cursor and loads its files and revisions.
    pub(super) fn open_current(&mut self, cx: &mut Context) {
        let Some(skill) = self.current_skill().cloned() else {
            return;
        };
        self.skill_focused = true;
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.id == skill.id && open.load == LoadState::Ready)
        {
            return;
        }
        self.open = Some(OpenSkill::new(skill));
        self.read_open(cx);
    }

    /// Reloads the open Skill.
    pub(super) fn read_open(&mut self, cx: &mut Context) {
        if let Some(id) = self.open.as_ref().map(|open| open.id.clone()) {
            cx.work.call_service(
                Slot::Skill,
                ServiceCall::Skill(id.clone()),
                SkillsRequest::Skill(id),
            );
        }
    }

    pub(super) fn on_skill_reply(
        &mut self,
        id: &SkillId,
        result: CallResult<(Box<Skill>, Vec<SkillRevision>)>,
        cx: &mut Context,
    ) {
        let Some(open) = self.open.as_mut().filter(|open| open.id == *id) else {
            return;
        };
        match result {
            Ok((skill, revisions)) => {
                open.update(*skill, revisions);
                self.read_text(cx);
            }
            Err(failure) if open.load != LoadState::Ready => {
                open.load = LoadState::Failed(failure.message)
            }
            // It was deleted or transferred; a notice about that stays.
            Err(failure) if failure.status() == Some(404) => {
                self.close();
                cx.ui.notice.get_or_insert_with(|| {
                    Notice::warning("this Skill is no longer visible to you")
                });
            }
            Err(failure) => cx.ui.show_failure(
                "could not load the Skill",
                &failure,
                "{skill.refresh} retries",
            ),
        }
    }

    /// Loads the visible texts that are missing.
    pub(super) fn read_text(&mut self, cx: &mut Context) {
        let Some(open) = &mut self.open else { return };
        open.text_error = None;
        open.compute_diff();
        let wanted = open.missing_visible_texts();
        if !wanted.is_empty() {
            let call = ServiceCall::SkillText(wanted.clone());
            cx.work
                .call_service(Slot::SkillText, call, SkillsRequest::Texts(wanted));
        }
    }

    pub(super) fn on_texts_reply(
        &mut self,
        wanted: Vec<SkillFileRef>,
        result: CallResult<Vec<(SkillFileRef, SkillFile)>>,
        cx: &mut Context,
    ) {
        match result {
            Ok(texts) => {
                if let Some(open) = &mut self.open {
                    open.texts.extend(
                        wanted
                            .into_iter()
                            .filter(|file| file.skill == open.id)
                            .map(|file| (file, None)),
                    );
                    open.texts
                        .extend(texts.into_iter().map(|(file, text)| (file, Some(text))));
                    open.compute_diff();
                }
            }
            Err(failure) => {
                if let Some(open) = &mut self.open {
                    open.diff = None;
                    open.text_error = Some(failure.message.clone());
                }
                cx.ui.show_failure(
                    "could not load the file",
                    &failure,
                    "{skill.refresh} retries",
                );
            }
        }
    }

    /// Returns to the list, because the open Skill is gone.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.skill_focused = false;
    }

    pub(super) fn move_file_cursor(&mut self, rows: isize, cx: &mut Context) {
        if let Some(open) = &self.open {
            self.show_file(open.file_cursor.saturating_add_signed(rows), cx);
        }
    }

    pub(super) fn show_file(&mut self, at: usize, cx: &mut Context) {
        if let Some(open) = &mut self.open {
            open.show_file(at);
            self.read_text(cx);
        }
    }

    pub(super) fn show_adjacent_revision(&mut self, older: bool, cx: &mut Context) {
        if let Some(open) = &mut self.open
            && let Some(to) = open.adjacent_revision(older)
        {
            open.revision = to;
            open.top = 0;
            open.diff = None;
            self.read_text(cx);
        }
    }

    pub(super) fn compare(&mut self, old: u64, new: u64, cx: &mut Context) {
        if let Some(open) = &mut self.open {
            open.diff = Some((old, new, None));
            open.top = 0;
            self.read_text(cx);
        }
    }
}
