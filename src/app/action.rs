//! What a person may mean by a choice: plain data that an overlay carries until it is chosen.

use uuid::Uuid;

use super::App;
use super::effect::Effect;
use super::export::{ExportFormat, ExportSelection};
use super::notice::Notice;
use super::panes::queue::QueueTab;
use super::panes::records::ListId;
use super::pending_writes::ReversibleWrite;
use super::undo_journal::UndoStep;
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
pub enum Action {
    /// Read every row of a list that is left.
    LoadRest(ListId),
    /// Sort the list on the screen.
    SetSort(SortOrder),
    /// Show these columns of a source.
    SetColumns(RecordSource, Vec<&'static str>),
    /// Ask where these rows are to be written, in this form.
    ChooseExportPath(ExportSelection, ExportFormat),
    /// Go on with the export that stopped.
    ResumeExport,
    /// Write changes, which are called this.
    Write(String, Vec<ReversibleWrite>),
    /// Write what the annotation form asks for, and close it.
    WriteAnnotations(String, Vec<ReversibleWrite>),
    /// Show these colours.
    SetTheme(ColorScheme),
    /// End the program; what was typed and not written is lost.
    Quit,
    /// Take this step back.
    Undo(Box<UndoStep>),
    /// Do this step, which was taken back, again.
    Redo(Box<UndoStep>),
    /// Read these records, and then do this.
    ReadRecordsThen(Vec<(RecordKind, Uuid)>, Box<Action>),
    /// Go on with what was typed under this name.
    ResumeDraft(String),
    /// Forget what was typed under this name.
    DiscardDraft(String),
    /// Run the View under the cursor.
    RunView,
    /// Run what Explore's builder has.
    RunSearch,
    /// Add a condition on a key, within the relation at a place.
    AddCondition(Option<usize>, String),
    /// The values of a condition.
    SetConditionValues(ConditionPath, Vec<String>),
    /// Compare two revisions of the open Skill, the older first.
    DiffSkill(u64, u64),
    /// Give the Skills another audience.
    MoveSkills(SkillAudience),
    /// Give the Skills to another member.
    TransferSkills(UserId),
    /// Spend what was held back; with true, do not ask again until the program ends.
    ApproveSpend(bool),
    /// Ask what a budget is to be.
    EditBudget(budgets::BudgetKind),
    /// Who is told of the type of signal under the cursor, by id.
    SetRecipients(Vec<String>),
    /// Ask which priority these types of signals get.
    ChoosePriority(Vec<String>),
    /// Stage a priority for these types of signals.
    StagePriority(Vec<String>, Priority),
    /// Mark signals that stand on a tab: done, or back to New.
    Triage(QueueTab, Vec<SignalId>),
    /// Write these changes, many of them only after a question that says this verb and of how many.
    WriteOrConfirm {
        /// What is done, as in `add 50 accounts to Calls`.
        verb: String,
        /// How many of how many.
        scope: String,
        /// What was done, for the journal.
        description: String,
        /// The changes.
        changes: Vec<ReversibleWrite>,
    },
    /// Run the command with this id.
    RunCommand(&'static str),
    /// Nothing: the person decided against it.
    Decline,
    /// Nothing: it cannot be done, and why.
    ShowUnavailable(String),
    /// Drop every staged change of subscriptions.
    DiscardStaged,
    /// Send writes although they cannot be written down first.
    SendUnjournaled,
}

impl Action {
    /// Its verb, where it turns a step of the journal.
    pub fn undo_verb(&self) -> &'static str {
        if matches!(self, Action::Redo(_)) { "redo" } else { "undo" }
    }
}

impl App {
    /// Does what was meant.
    pub fn perform(&mut self, intent: Action) {
        match intent {
            Action::LoadRest(shown) => self.read_remaining_pages(&shown),
            Action::SetSort(sort) => self.sort_records(Some(sort)),
            Action::SetColumns(source, fields) => self.set_record_columns(&source, &fields),
            Action::ChooseExportPath(rows, format) => self.ask_export_path(rows, format),
            Action::ResumeExport => self.resume_export(),
            Action::Write(words, changes) => self.write_changes(words, changes),
            Action::WriteAnnotations(words, changes) => self.write_annotations(words, changes),
            Action::SetTheme(scheme) => self.set_theme(scheme),
            Action::Quit => self.effects.push(Effect::Quit),
            Action::Undo(step) => self.undo_step(&step),
            Action::Redo(step) => self.redo_step(&step),
            Action::ReadRecordsThen(records, then) => self.read_records_then(records, *then),
            Action::ResumeDraft(name) => self.resume_draft(&name),
            Action::DiscardDraft(name) => self.discard_draft(&name),
            Action::RunView => self.run_view(),
            Action::RunSearch => self.run_explore(),
            Action::AddCondition(into, key) => self.add_condition(into, &key),
            Action::SetConditionValues(place, values) => self.set_condition_values(place, values),
            Action::DiffSkill(old, new) => self.compare_revisions(old, new),
            Action::MoveSkills(audience) => self.set_skills_audience(&audience),
            Action::TransferSkills(to) => self.transfer_skills(to),
            Action::ApproveSpend(always) => self.release_held_calls(always),
            Action::EditBudget(kind) => self.prompt_budget(kind),
            Action::SetRecipients(ids) => self.stage_recipients(&ids),
            Action::ChoosePriority(kinds) => self.choose_subscription_priority(kinds),
            Action::StagePriority(kinds, priority) => self.stage_subscription_priority(&kinds, &priority),
            Action::Triage(from, ids) => self.triage_confirmed(from, ids),
            Action::WriteOrConfirm { verb, scope, description: words, changes } => {
                self.write_or_confirm(&verb, scope, words, changes)
            }
            Action::RunCommand(id) => self.run_command_by_id(id),
            Action::Decline => self.notice = Some(Notice::info("Nothing was changed.")),
            Action::ShowUnavailable(why) => self.notice = Some(Notice::warning(why)),
            Action::DiscardStaged => self.discard_staged(),
            Action::SendUnjournaled => self.send_unjournaled(),
        }
    }
}
