//! What a person may mean by a choice: plain data that an overlay carries until it is chosen.

use uuid::Uuid;

use super::App;
use super::effect::Effect;
use super::export::{Format, Rows};
use super::journal::Step;
use super::notice::Notice;
use super::panes::queue::Tab;
use super::panes::records::Shown;
use super::writes::ReversibleWrite;
use crate::domain::book::RecordKind;
use crate::domain::budgets;
use crate::domain::conditions::ConditionPath;
use crate::domain::queue::Priority;
use crate::domain::search::{RecordSource, SortOrder};
use crate::domain::skills::SkillAudience;
use crate::domain::{SignalId, UserId};
use crate::ui::ColorScheme;

/// Something to do once it was chosen or confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Read every row of a list that is left.
    ReadRest(Shown),
    /// Sort the list on the screen.
    Sort(SortOrder),
    /// Show these columns of a source.
    Columns(RecordSource, Vec<&'static str>),
    /// Ask where these rows are to be written, in this form.
    Export(Rows, Format),
    /// Go on with the export that stopped.
    GoOnExporting,
    /// Write changes, which are called this.
    Write(String, Vec<ReversibleWrite>),
    /// Show these colours.
    Theme(ColorScheme),
    /// End the program; what was typed and not written is lost.
    Quit,
    /// Take this step back.
    Undo(Box<Step>),
    /// Do this step, which was taken back, again.
    Redo(Box<Step>),
    /// Read these records, and then do this.
    ReadFirst(Vec<(RecordKind, Uuid)>, Box<Intent>),
    /// Go on with what was typed under this name.
    Resume(String),
    /// Forget what was typed under this name.
    DiscardDraft(String),
    /// Run the View under the cursor.
    RunView,
    /// Run what Explore's builder has.
    Explore,
    /// Add a condition on a key, within the relation at a place.
    Condition(Option<usize>, String),
    /// The values of a condition.
    Values(ConditionPath, Vec<String>),
    /// Compare two revisions of the open Skill, the older first.
    DiffSkill(u64, u64),
    /// Give the Skills another audience.
    MoveSkills(SkillAudience),
    /// Give the Skills to another member.
    TransferSkills(UserId),
    /// Spend what was held back; with true, do not ask again until the program ends.
    Spend(bool),
    /// Ask what a budget is to be.
    Budget(budgets::BudgetKind),
    /// Who is told of the type of signal under the cursor, by id.
    Recipients(Vec<String>),
    /// Ask which priority these types of signals get.
    ChoosePriority(Vec<String>),
    /// Stage a priority for these types of signals.
    StagePriority(Vec<String>, Priority),
    /// Mark signals that stand on a tab: done, or back to New.
    Triage(Tab, Vec<SignalId>),
    /// Write these changes, many of them only after a question that says this verb and of how many.
    WriteOrAsk {
        /// What is done, as in `add 50 accounts to Calls`.
        verb: String,
        /// How many of how many.
        scope: String,
        /// What was done, for the journal.
        words: String,
        /// The changes.
        changes: Vec<ReversibleWrite>,
    },
    /// Run the command with this id.
    Run(&'static str),
    /// Nothing: the person decided against it.
    Nothing,
    /// Nothing: it cannot be done, and why.
    Not(String),
    /// Drop every staged change of subscriptions.
    DropStaged,
    /// Send writes although they cannot be written down first.
    SendUnkept,
}

impl Intent {
    /// Its verb, where it turns a step of the journal.
    pub fn verb(&self) -> &'static str {
        if matches!(self, Intent::Redo(_)) { "redo" } else { "undo" }
    }
}

impl App {
    /// Does what was meant.
    pub fn intend(&mut self, intent: Intent) {
        match intent {
            Intent::ReadRest(shown) => self.read_rest(&shown),
            Intent::Sort(sort) => self.sort_records(Some(sort)),
            Intent::Columns(source, fields) => self.choose_columns(&source, &fields),
            Intent::Export(rows, format) => self.name_export(rows, format),
            Intent::GoOnExporting => self.go_on_exporting(),
            Intent::Write(words, changes) => self.write(words, changes),
            Intent::Theme(scheme) => self.choose_theme(scheme),
            Intent::Quit => self.out.push(Effect::Quit),
            Intent::Undo(step) => self.undo_step(&step),
            Intent::Redo(step) => self.redo_step(&step),
            Intent::ReadFirst(records, then) => self.read_first_then(records, *then),
            Intent::Resume(name) => self.resume(&name),
            Intent::DiscardDraft(name) => self.discard_draft(&name),
            Intent::RunView => self.run_view(),
            Intent::Explore => self.run_explore(),
            Intent::Condition(into, key) => self.add_condition(into, &key),
            Intent::Values(place, values) => self.set_values(place, values),
            Intent::DiffSkill(old, new) => self.diff_skill(old, new),
            Intent::MoveSkills(audience) => self.move_skills(&audience),
            Intent::TransferSkills(to) => self.transfer_skills(to),
            Intent::Spend(always) => self.spend(always),
            Intent::Budget(kind) => self.ask_budget(kind),
            Intent::Recipients(ids) => self.set_recipients(&ids),
            Intent::ChoosePriority(kinds) => self.choose_priority(kinds),
            Intent::StagePriority(kinds, priority) => self.stage_priority(&kinds, &priority),
            Intent::Triage(from, ids) => self.triage_asked(from, ids),
            Intent::WriteOrAsk { verb, scope, words, changes } => self.write_or_ask(&verb, scope, words, changes),
            Intent::Run(id) => self.run_by_id(id),
            Intent::Nothing => self.notice = Some(Notice::note("Nothing was changed.")),
            Intent::Not(why) => self.notice = Some(Notice::warn(why)),
            Intent::DropStaged => self.drop_all_staged(),
            Intent::SendUnkept => self.send_unkept(),
        }
    }
}
