//! Skills: the list, one Skill with its files and revisions, comparison of revisions, and all
//! changes.
//!
//! All Skill routes are free. Writes answer with a receipt without content, so whatever they
//! changed is read again. Text from the user's editor is kept until the service has accepted it.

mod columns;
pub(crate) mod commands;
mod diff;
mod draft_text;
mod draw;
mod editing;
pub(super) mod filter;
mod layout;
pub(in crate::app) mod messages;
mod open_skill;
mod writes;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use open_skill::OpenSkill;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Context;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::focused_list::{self, FocusedList};
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::list_change::ListChange;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus};
use crate::app::panes::skills::columns::Skills;
use crate::app::panes::skills::messages::SkillsRequest;
use crate::domain::SkillId;
use crate::domain::skills::{Skill, SkillCall, SkillFilter};

#[derive(Clone, Debug, Default)]
pub struct SkillsPane {
    /// In the service's order.
    list: Vec<Skill>,
    load: LoadState,
    filter: SkillFilter,
    /// The search words, if a search replaces the filter.
    found_by: Option<String>,
    lines: ListLines,
    marks: BTreeSet<SkillId>,
    /// Why the last write to a Skill failed.
    write_errors: HashMap<SkillId, String>,
    /// Keys go to the open Skill instead of the list.
    skill_focused: bool,
    open: Option<OpenSkill>,
    /// Text from the editor that the service has not accepted yet.
    unsent_text: Option<String>,
    /// Calls with an unknown result; they are resent under the same idempotency keys.
    unconfirmed: Vec<(String, Vec<SkillCall>)>,
    /// The Skill to fork once the fork's name is entered.
    fork_source: Option<SkillId>,
    editor: editing::SkillEditorSession,
    /// Calls made in this session, so that each has its own idempotency key.
    call_count: u64,
}

impl SkillsPane {
    fn current_skill(&self) -> Option<&Skill> {
        self.list.get(self.lines.current_row())
    }

    fn get(&self, id: &SkillId) -> Option<&Skill> {
        self.list.iter().find(|skill| skill.id == *id)
    }

    /// The Skills a command applies to: the open one if it has the focus, else the marks, else the
    /// one under the cursor.
    fn selection(&self) -> Vec<&Skill> {
        if let Some(open) = self.open.as_ref().filter(|_| self.skill_focused) {
            return vec![self.get(&open.id).unwrap_or(&open.skill)];
        }
        let marked: Vec<&Skill> = self.marked_skills().collect();
        if marked.is_empty() {
            self.current_skill().into_iter().collect()
        } else {
            marked
        }
    }

    /// The marked Skills that are shown.
    fn marked_skills(&self) -> impl Iterator<Item = &Skill> {
        self.lines
            .rows()
            .filter_map(|row| self.list.get(row))
            .filter(|skill| self.marks.contains(&skill.id))
    }

    fn is_filtered(&self) -> bool {
        self.found_by.is_some() || self.filter != SkillFilter::default()
    }

    /// Loads the list of Skills, filtered or searched.
    fn read(&mut self, cx: &mut Context) {
        if self.load != LoadState::Ready {
            self.load = LoadState::Loading;
        }
        let call = match &self.found_by {
            Some(words) => ServiceCall::FindSkills(words.clone()),
            None => ServiceCall::Skills(self.filter.clone()),
        };
        cx.work
            .call_service(Slot::Skills, call, SkillsRequest::List);
    }

    pub fn on_reply(&mut self, request: SkillsRequest, result: CallResult, cx: &mut Context) {
        match request {
            SkillsRequest::List => self.on_list_reply(payload(result), cx),
            SkillsRequest::Skill(id) => self.on_skill_reply(&id, payload(result), cx),
            SkillsRequest::Texts(wanted) => self.on_texts_reply(wanted, payload(result), cx),
            SkillsRequest::EditedSkill => self.on_edited_skill_reply(payload(result), cx),
            SkillsRequest::EditedTexts(wanted) => {
                self.on_edited_texts_reply(&wanted, payload(result), cx)
            }
        }
    }

    fn on_list_reply(&mut self, result: CallResult<Vec<Skill>>, cx: &mut Context) {
        match result {
            Ok(list) => {
                let here = self.current_skill().map(|skill| skill.id.clone());
                self.list = list;
                self.load = LoadState::Ready;
                let there: BTreeSet<&SkillId> = self.list.iter().map(|skill| &skill.id).collect();
                self.marks.retain(|id| there.contains(id));
                self.lines = list::arrange::<Skills>(self, cx);
                self.lines.move_to_row(
                    here.and_then(|id| self.list.iter().position(|skill| skill.id == id)),
                );
            }
            Err(failure) if self.list.is_empty() => self.load = LoadState::Failed(failure.message),
            Err(failure) => cx.ui.show_failure(
                "could not load the Skills",
                &failure,
                "{skills.refresh} retries",
            ),
        }
    }

    fn restore_drafts(&mut self, drafts: &RestoredDrafts, cx: &mut Context) {
        self.unsent_text = self
            .unsent_text
            .take()
            .or_else(|| drafts.content(&DraftName::Skills));
        if self.unsent_text.is_some() {
            cx.ui.notice = Some(
                Notice::info("a Skill draft was saved").with_hint("{skills.go_on} resumes it"),
            );
        }
    }

    /// Closes the comparison, or leaves the Skill, or clears the marks.
    fn go_back(&mut self, cx: &mut Context) {
        let compared = self
            .open
            .as_mut()
            .filter(|_| self.skill_focused)
            .and_then(|open| open.diff.take());
        match () {
            () if compared.is_some() => self.read_text(cx),
            () if self.skill_focused => self.skill_focused = false,
            () if !self.marks.is_empty() => self.marks.clear(),
            () => cx.ui.notice = None,
        }
    }
}

impl Pane for SkillsPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        let scope = if self.skill_focused {
            Scope::Skill
        } else {
            Scope::Skills
        };
        scope.into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Opened if self.load.needs_load() => self.read(cx),
            PaneEvent::Changed(Change::Written(write)) => self.on_written(write, cx),
            PaneEvent::Changed(Change::Reconnected) if self.load.is_failed() => self.read(cx),
            // Names of authors.
            PaneEvent::Changed(Change::Members(_)) => {
                let row = self.lines.current_row();
                self.lines = list::arrange::<Skills>(self, cx);
                self.lines.move_to_row(Some(row));
            }
            PaneEvent::DraftsRestored(drafts) => self.restore_drafts(drafts, cx),
            PaneEvent::Back => self.go_back(cx),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if self.skill_focused {
            self.move_file_cursor(rows, cx);
        } else {
            self.lines.move_cursor(rows);
        }
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        self.skill_focused = row.in_side_list;
        if row.in_side_list {
            self.show_file(row.line, cx);
            return None;
        }
        self.lines.click(row.line).then_some("skills.open")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        (!self.skill_focused).then(|| Box::new(list_of::<Skills>(self, cx)) as Box<dyn FocusedList>)
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        let ListChange::Mark(change) = change else {
            return focused_list::change_list(self, change, cx);
        };
        list::change_marks::<Skills, _>(
            self,
            change,
            cx,
            |skill| skill.id.clone(),
            |pane| &mut pane.marks,
        );
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        (!self.skill_focused).then_some(&mut self.lines)
    }
}
