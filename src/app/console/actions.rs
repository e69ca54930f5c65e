//! Performs what the user chose or confirmed.

use super::{Console, find, frequency, list_table, row_values, shown_rows};
use crate::app::Screen;
use crate::app::action::{Action, SearchUse};
use crate::app::context::overlays::palette;
use crate::app::context::{clipboard, prompt, session};
use crate::app::effect::Effect;
use crate::app::pane::PaneEvent;
use crate::app::panes::import::messages::ImportPrompt;
use crate::app::panes::messages::PanePrompt;
use crate::app::panes::views::messages::ViewsAction;
use crate::app::prompt::PromptKind;

impl Console {
    /// Performs the actions that panes and subsystems asked for, and tells the panes of changes, in
    /// order.
    pub(super) fn perform_actions(&mut self) {
        loop {
            if let Some(change) = self.cx.work.next_change() {
                self.panes
                    .for_each(|pane| pane.on_event(PaneEvent::Changed(&change), &mut self.cx));
            } else if let Some(action) = self.cx.work.next_action() {
                self.perform_action(action);
            } else {
                return self.update_focus();
            }
        }
    }

    pub(super) fn perform_action(&mut self, intent: Action) {
        match intent {
            Action::LoadRest(shown) => self.cx.read_remaining_pages(&shown),
            Action::RefreshRecords(list, rows) => self.cx.refresh_records(&list, rows),
            Action::ChooseExportPath(rows, format) => self.cx.ask_export_path(rows, format),
            Action::ChooseShownExport => shown_rows::choose_format(&self.panes, &mut self.cx),
            Action::ChooseShownExportPath(format) => {
                shown_rows::ask_path(&self.panes, format, &mut self.cx)
            }
            Action::CopyValues(what, values) => {
                clipboard::copy_values(what, values, &mut self.cx.ui, &mut self.cx.work)
            }
            Action::CopyRows => shown_rows::copy_rows(&self.panes, &mut self.cx),
            Action::ChooseCopiedColumn => shown_rows::choose_column(&self.panes, &mut self.cx),
            Action::ResumeExport => self.cx.resume_export(),
            Action::Write(words, changes) => self.cx.write_changes(words, changes),
            Action::SetPollInterval(interval) => self.cx.choose_poll_interval(interval),
            Action::SetTheme(scheme) => self.cx.set_theme(scheme),
            Action::SetCustomTheme(name) => self.cx.set_custom_theme(&name),
            Action::Quit => self.cx.work.emit(Effect::Quit),
            Action::Undo(step) => self.cx.undo_step(&step),
            Action::Redo(step) => self.cx.redo_step(&step),
            Action::ReadRecordsThen(records, then) => self.cx.read_records_then(records, *then),
            Action::Pane(action) => self.panes.perform(action, &mut self.cx),
            Action::ApproveSpend(always) => self.cx.work.budget.release_held_calls(always),
            Action::DescribeRows(ids) => self
                .cx
                .descriptions
                .start_descriptions(ids, &mut self.cx.ui),
            Action::Triage(from, ids) => self.cx.triage_confirmed(from, ids),
            Action::WriteOrConfirm {
                verb,
                scope,
                description: words,
                changes,
            } => self.cx.write_or_confirm(&verb, scope, words, changes),
            Action::RunFromPalette(command) if self.availability(command).is_err() => {}
            Action::RunFromPalette(command) => {
                self.cx.close_overlay();
                self.run_command(command);
            }
            Action::GoToCommand(command) => self.go_to_command(command),
            Action::TypeInPalette(text) => palette::type_in_palette(&text, &mut self.cx.ui),
            Action::CloseOverlay => self.cx.close_overlay(),
            Action::OpenView(name) => {
                self.go_to_screen(Screen::Views);
                self.panes
                    .perform(ViewsAction::ShowNamed(name).into(), &mut self.cx);
            }
            Action::EditView(id) => self.panes.explore.edit_view(id, &mut self.cx),
            Action::UseSearch(search, purpose) => {
                if purpose != SearchUse::Count {
                    self.go_to_screen(Screen::Explore);
                }
                self.panes
                    .explore
                    .use_search(*search, purpose, &mut self.cx);
            }
            Action::DeleteQueueTab(name) => self.cx.delete_queue_tab(&name),
            Action::CreateView(kind, records) => self
                .panes
                .perform(ViewsAction::CreateFor(kind, records).into(), &mut self.cx),
            Action::OpenGaps => self.cx.open_gaps(),
            Action::OpenHandoff(text) => self.cx.open_handoff(&text),
            Action::FilterQueue(filter) => self.cx.filter_queue(*filter),
            Action::ChooseProfile => self.cx.choose_profile(),
            Action::SwitchProfile(name) => self.switch_profile(name),
            Action::QuitIfSaved => self.quit_if_saved(),
            Action::PressKeys(name, keys) => self.press_keys(name, &keys),
            Action::RunCommand(id) => self.run_command_by_id(id),
            Action::ConfirmCommand(command) => self.confirm_command(command),
            Action::OpenListFilter => self.panes.explore.open_list_filter(&mut self.cx),
            Action::OpenSignal => self.panes.detail.open(&mut self.cx),
            Action::OpenRecord(key, name) => self.panes.record.open(key, name, &mut self.cx),
            Action::GoTo(screen) => self.go_to_screen(screen),
            Action::Revisit(at) => self.revisit(at),
            Action::MoveCursor(rows) => self.move_cursor(rows),
            Action::MoveByPages(pages, part) => self.move_cursor_by_pages(pages, part),
            Action::SwitchTab { forward } => self.switch_tab(forward),
            Action::GoBack => {
                self.cx.trail.mark_closing();
                let was_detail = self.cx.ui.screen() == Screen::Detail;
                self.go_back();
                if was_detail && self.cx.ui.screen() == Screen::Queue {
                    self.cx.offer_descriptions_once();
                }
            }
            Action::AnswerPrompt(kind, text) => self.answer_prompt(kind, &text),
            Action::CancelPrompt(PromptKind::Find) => find::cancel(&mut self.panes, &mut self.cx),
            Action::CancelPrompt(PromptKind::Pane(PanePrompt::Import(ImportPrompt::Path))) => {
                self.panes.import.leave_without_list(&mut self.cx);
            }
            Action::CancelPrompt(_) => {}
            Action::ChangeList(change) => self.panes.change_list(change, &mut self.cx),
            Action::ChooseListSort => list_table::choose_sort(&self.panes, &mut self.cx),
            Action::ChooseListColumns => list_table::choose_columns(&self.panes, &mut self.cx),
            Action::OpenFrequency => frequency::open(&self.panes, &mut self.cx),
            Action::ShowFrequency {
                column,
                is_of_marked,
            } => frequency::show(&self.panes, &column, is_of_marked, &mut self.cx),
            Action::ChooseRowValue(kind) => {
                row_values::choose_value(&self.panes, kind, &mut self.cx)
            }
            Action::FilterValues(filter) => {
                frequency::filter(&mut self.panes, *filter, &mut self.cx)
            }
            Action::ToggleGroup => frequency::toggle_group(&mut self.panes, &mut self.cx),
            Action::ScrollColumns { is_right } => {
                list_table::scroll_columns(&self.panes, is_right, &mut self.cx)
            }
            Action::OpenFind => find::open(&mut self.panes, &mut self.cx),
            Action::GoToMatch { is_forward } => {
                find::go_to_match(&mut self.panes, is_forward, &mut self.cx)
            }
            Action::RecallAnswer { is_older } => {
                prompt::recall_answer(is_older, &mut self.cx.ui, &self.cx.settings);
                find::on_typed(&mut self.panes, &mut self.cx);
            }
            Action::CompleteWord { is_forward } => self.complete_word(is_forward),
            Action::CloseScreen => self.close_screen(),
            Action::CancelRunning => self.cx.cancel_running(),
            Action::Decline => self.cx.ui.inform("Nothing was changed."),
            Action::ShowUnavailable(why) => self.cx.ui.warn(why),
            Action::SendUnjournaled => {
                session::send_unjournaled(&mut self.cx.ui, &mut self.cx.work)
            }
        }
    }
}
