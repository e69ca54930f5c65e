//! Import of a list: its columns, then what each of its lines means, then one write to the book or
//! a View.
//!
//! The file is read first, and its price is shown. Matching spends credits step by step and can be
//! interrupted; what was found is kept as a draft until it is saved or discarded. Nothing is
//! written before the user has seen the lines.

mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;
mod saving;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde::{Deserialize, Serialize};

use columns::{FileColumns, ImportedLines};

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::views;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::focused_list::{self, FocusedList};
use crate::app::format::{format_count, pluralize};
use crate::app::layout::FrameLayout;
use crate::app::list::list_of;
use crate::app::list_change::ListChange;
use crate::app::model::list_table::ListLines;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame, step_around};
use crate::app::panes::import::messages::{ImportAction, ImportPrompt, ImportRequest};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::app::{Context, Screen};
use crate::domain::book::RecordKind;
use crate::domain::list_import::{LineState, ListFile, ListImport, ListLine, MatchStep};
use crate::domain::request_error::RequestErrorKind;
use crate::domain::search::SearchPage;

#[derive(Clone, Debug, Default)]
pub struct ImportPane {
    list: Option<OpenList>,
    /// Why the file could not be read.
    file_error: Option<String>,
    lines: ListLines,
    /// A search is under way, and the next one follows.
    is_matching: bool,
    is_changed: bool,
    opened_from: Option<Screen>,
}

/// A list that was read, as it is kept between sessions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenList {
    path: String,
    file: ListFile,
    /// `None` until the columns are confirmed.
    import: Option<ListImport>,
}

impl ImportPane {
    fn import(&self) -> Option<&ListImport> {
        self.list.as_ref()?.import.as_ref()
    }

    fn import_mut(&mut self) -> Option<&mut ListImport> {
        self.is_changed = true;
        self.list.as_mut()?.import.as_mut()
    }

    /// The file, while its columns are shown.
    fn file(&self) -> Option<&ListFile> {
        self.list
            .as_ref()
            .filter(|list| list.import.is_none())
            .map(|list| &list.file)
    }

    fn file_mut(&mut self) -> Option<&mut ListFile> {
        self.is_changed = true;
        self.list
            .as_mut()
            .filter(|list| list.import.is_none())
            .map(|list| &mut list.file)
    }

    fn current_line(&self) -> Option<&ListLine> {
        self.import()?.lines.get(self.lines.current_row())
    }

    fn row_count(&self) -> usize {
        match (self.import(), self.file()) {
            (Some(import), _) => import.lines.len(),
            (None, Some(file)) => file.column_count(),
            (None, None) => 0,
        }
    }

    /// Opens the unfinished import, or asks for a file.
    fn open(&mut self, cx: &mut Context) {
        if cx.ui.screen() != Screen::Import {
            self.opened_from = Some(cx.ui.screen());
        }
        cx.work.perform(Action::GoTo(Screen::Import));
        if self.list.is_none() {
            self.ask_path(cx);
        }
    }

    /// Goes back to where the file was asked for, unless there is a list to work on: an empty screen
    /// would take what is typed next for commands.
    pub fn leave_without_list(&mut self, cx: &mut Context) {
        if self.list.is_none() {
            cx.work
                .perform(Action::GoTo(self.opened_from.unwrap_or(Screen::Book)));
        }
    }

    fn ask_path(&mut self, cx: &mut Context) {
        let path = self.list.as_ref().map_or("", |list| list.path.as_str());
        cx.ui.prompt = Some(Prompt::new("file", path, ImportPrompt::Path));
    }

    pub fn on_prompt(&mut self, prompt: ImportPrompt, text: &str, cx: &mut Context) {
        match prompt {
            ImportPrompt::Path if text.is_empty() => {}
            ImportPrompt::Path => {
                // The path of a file that was dragged into the terminal is quoted.
                let path = text.trim_matches(['\'', '"']).replace("\\ ", " ");
                self.file_error = None;
                cx.ui.inform(format!("reading {path}"));
                cx.work.call_service(
                    Slot::ListImport,
                    ServiceCall::ReadFile(PathBuf::from(&path)),
                    ImportRequest::File(path),
                );
            }
            ImportPrompt::Words(row) => self.search_again(row, text, cx),
        }
    }

    pub fn on_reply(&mut self, request: ImportRequest, result: CallResult, cx: &mut Context) {
        match request {
            ImportRequest::File(path) => {
                let read = payload::<Vec<u8>>(result).map_err(|failure| failure.message);
                match read.and_then(|bytes| ListFile::parse(&bytes)) {
                    Ok(file) => {
                        self.list = Some(OpenList {
                            path,
                            file,
                            import: None,
                        });
                        (self.lines, self.is_changed, cx.ui.notice) =
                            (ListLines::default(), true, None);
                    }
                    Err(why) => {
                        self.file_error = Some(format!("{path}: {why}"));
                        let why = format!("cannot read {path}: {why}");
                        let is_here = cx.ui.screen() == Screen::Import;
                        if is_here && cx.ui.prompt.is_none() && cx.ui.overlay.is_none() {
                            cx.ui.ask_again("file", &path, ImportPrompt::Path, why);
                        } else {
                            let hint = "{import.file} asks again";
                            cx.ui.notice = Some(Notice::error(why).with_hint(hint));
                        }
                    }
                }
            }
            ImportRequest::Rows(step) => self.on_rows(&step, payload(result), cx),
        }
        self.arrange_lines(cx);
    }

    /// Matches the lines that wait, after the price was shown.
    fn start_matching(&mut self, cx: &mut Context) {
        let Some(list) = &mut self.list else { return };
        if list.import.is_none() {
            let import = ListImport::new(&list.file);
            if import.lines.is_empty() {
                cx.ui.warn(
                    "no column has names, domains, email addresses or addresses of this kind",
                );
                return;
            }
            (list.import, self.lines) = (Some(import), ListLines::default());
            self.arrange_lines(cx);
        }
        self.is_changed = true;
        self.match_next(cx);
    }

    /// Computes the lines of the list again after a change of its rows.
    fn arrange_lines(&mut self, cx: &Context) {
        focused_list::rearrange(self, self.lines.current_row(), cx);
    }

    /// Goes on to the line that came next before one was decided, wherever that one is now.
    fn go_on_after(&mut self, row: usize, cx: &Context) {
        let line = self.lines.scroll.cursor;
        let next = self.lines.row_on(line + 1);
        self.arrange_lines(cx);
        self.lines.scroll.cursor = line;
        // On the last line it stays.
        let next = if next == usize::MAX { row } else { next };
        self.lines.move_to_row(Some(next));
    }

    fn match_next(&mut self, cx: &mut Context) {
        let Some(import) = self.import() else { return };
        let Some(step) = import.next_step() else {
            self.is_matching = false;
            cx.ui.notice = Some(
                Notice::success(self.summary()).with_hint("{import.save} saves them to the book"),
            );
            return;
        };
        let call = ServiceCall::Search {
            source: import.source(),
            search: step.search.clone(),
            after: None,
            limit: step.limit,
        };
        self.is_matching = true;
        cx.work
            .call_service(Slot::ListImport, call, ImportRequest::Rows(Box::new(step)));
    }

    fn on_rows(&mut self, step: &MatchStep, result: CallResult<SearchPage>, cx: &mut Context) {
        let Some(import) = self.import_mut() else {
            return;
        };
        match result {
            Ok(page) => {
                let credits = page.credits.unwrap_or(page.rows.len() as u64);
                import.on_rows(step, &page.rows, credits);
                cx.work.record_spend(Some(credits));
                self.match_next(cx);
            }
            // The service understood and rejected it: other lines may be fine.
            Err(failure) if failure.status() == Some(400) => {
                import.on_failure(step, &failure.message);
                self.match_next(cx);
            }
            Err(failure) => {
                let waiting = pluralize(import.waiting_count(), "line");
                self.is_matching = false;
                cx.ui.notice = Some(match failure.kind {
                    RequestErrorKind::Cancelled => {
                        Notice::info(format!("stopped; {waiting} not searched yet"))
                    }
                    _ => Notice::error(format!("{}; {waiting} not searched yet", failure.message)),
                });
                if let Some(notice) = &mut cx.ui.notice {
                    *notice = notice.clone().with_hint("{import.enter} resumes");
                }
            }
        }
    }

    /// Stops after the search that is under way.
    fn stop_matching(&mut self, cx: &mut Context) {
        self.is_matching = false;
        cx.work.abandon_slot(Slot::ListImport);
        let waiting = pluralize(self.import().map_or(0, ListImport::waiting_count), "line");
        cx.ui.notice = Some(
            Notice::info(format!("stopped; {waiting} not searched yet"))
                .with_hint("{import.enter} resumes"),
        );
    }

    /// `12 found, 3 several, 2 none, 41 cr`.
    fn summary(&self) -> String {
        let Some(import) = self.import() else {
            return String::new();
        };
        let titles = [
            "found",
            "similar",
            "several",
            "none",
            "failed",
            "saved",
            "not saved",
            "waiting",
        ];
        let counts = titles
            .into_iter()
            .map(|title| (import.count(title), title))
            .filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, title)| format!("{} {title}", format_count(count as u64)))
            .collect();
        format!("{}, {} cr", counts.join(", "), format_count(import.credits))
    }

    /// Takes the match of a line, or leaves it out.
    fn toggle_line(&mut self, cx: &mut Context) {
        let at = self.lines.current_row();
        let Some(line) = self
            .import_mut()
            .and_then(|import| import.lines.get_mut(at))
        else {
            return;
        };
        match (line.chosen, line.candidates.len()) {
            (Some(_), _) => line.chosen = None,
            (None, 1) => (line.chosen, line.state) = (Some(0), LineState::Found),
            (None, 0) => return self.edit_words(cx),
            (None, _) => return self.choose_candidate(cx),
        }
        self.go_on_after(at, cx);
    }

    /// Lists the records that the line under the cursor may mean.
    fn choose_candidate(&mut self, cx: &mut Context) {
        let line = self.lines.current_row();
        let Some(current) = self.current_line() else {
            return cx.work.perform(Action::ChangeList(ListChange::ToggleFold));
        };
        if current.candidates.is_empty() {
            return self.edit_words(cx);
        }
        let option =
            |(at, candidate): (usize, &crate::domain::list_import::Candidate)| ChoiceOption {
                label: candidate.name.clone(),
                note: columns::describe_candidate(candidate),
                action: ImportAction::Choose {
                    line,
                    candidate: Some(at),
                }
                .into(),
            };
        let mut options: Vec<ChoiceOption> =
            current.candidates.iter().enumerate().map(option).collect();
        options.push(ChoiceOption {
            label: "none of these".to_owned(),
            note: String::new(),
            action: ImportAction::Choose {
                line,
                candidate: None,
            }
            .into(),
        });
        options.push(ChoiceOption {
            label: "search by other words".to_owned(),
            note: format!("at most {} cr", ListImport::line_price()),
            action: ImportAction::EditWords.into(),
        });
        let mut choice = Choice::new(
            format!("What is “{}”?", current.terms.label()),
            "0 cr",
            options,
        );
        choice.text = current.terms.detail();
        choice.selected = current.chosen.unwrap_or(0);
        cx.ui.overlay = Some(Overlay::Choice(choice));
    }

    fn edit_words(&mut self, cx: &mut Context) {
        let row = self.lines.current_row();
        let Some(line) = self.current_line() else {
            return;
        };
        let price = Price::of_credits(ListImport::line_price());
        let words = line.words.as_deref().unwrap_or(line.terms.label());
        cx.ui.prompt =
            Some(Prompt::new("words", words, ImportPrompt::Words(row)).with_price(price));
        cx.ui.inform(format!(
            "searches this line again, at most {} cr",
            ListImport::line_price()
        ));
    }

    fn search_again(&mut self, row: usize, words: &str, cx: &mut Context) {
        if words.is_empty() {
            return;
        }
        if let Some(import) = self.import_mut() {
            import.search_again(row, words);
        }
        self.match_next(cx);
    }

    /// The lines whose search failed, with what was searched for.
    fn failed_lines(&self) -> Vec<(usize, String)> {
        let lines = self
            .import()
            .map(|import| import.lines.iter().enumerate())
            .into_iter()
            .flatten();
        let failed = lines.filter(|(_, line)| matches!(line.state, LineState::Failed(_)));
        failed
            .map(|(at, line)| {
                let words = line.words.as_deref().unwrap_or(line.terms.label());
                (at, words.to_owned())
            })
            .collect()
    }

    fn retry_price(&self) -> u64 {
        ListImport::line_price() * self.failed_lines().len() as u64
    }

    fn search_failed_again(&mut self, cx: &mut Context) {
        let failed = self.failed_lines();
        let Some(import) = self.import_mut() else {
            return;
        };
        failed
            .iter()
            .for_each(|(at, words)| import.search_again(*at, words));
        self.match_next(cx);
    }

    pub fn perform(&mut self, action: ImportAction, cx: &mut Context) {
        match action {
            ImportAction::Choose {
                line: row,
                candidate,
            } => {
                if let Some(line) = self
                    .import_mut()
                    .and_then(|import| import.lines.get_mut(row))
                {
                    line.chosen = candidate;
                    line.state = if candidate.is_some() {
                        LineState::Found
                    } else {
                        LineState::None
                    };
                }
                self.go_on_after(row, cx);
            }
            ImportAction::EditWords => self.edit_words(cx),
            ImportAction::SaveToBook => self.save_to_book(cx),
            ImportAction::Discard => {
                *self = ImportPane {
                    opened_from: self.opened_from,
                    is_changed: true,
                    ..ImportPane::default()
                };
                cx.work
                    .perform(Action::GoTo(self.opened_from.unwrap_or(Screen::Book)));
            }
        }
    }

    fn restore_drafts(&mut self, drafts: &RestoredDrafts, cx: &mut Context) {
        if self.list.is_none()
            && let Some(list) = drafts.content::<OpenList>(&DraftName::ListImport)
        {
            self.list = Some(list);
            self.arrange_lines(cx);
            cx.ui.notice = Some(
                Notice::info(format!("the import is not finished: {}", self.summary()))
                    .with_hint("{import.open} in the book resumes it"),
            );
        }
    }

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let now = self
            .file()
            .and_then(|file| RecordKind::ALL.iter().position(|kind| *kind == file.kind))
            .unwrap_or(0);
        self.show_tab(step_around(now, RecordKind::ALL.len(), forward), cx);
    }

    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        match (self.file_mut(), RecordKind::ALL.get(index)) {
            (Some(file), Some(kind)) => file.kind = kind.clone(),
            _ => {
                cx.ui.notice = Some(
                    Notice::info("companies, people or projects: choose before you match the list")
                        .with_hint("{import.file} begins again"),
                )
            }
        }
    }
}

impl Pane for ImportPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Import.into()
    }

    fn frame(&self, _cx: &Context) -> PaneFrame {
        PaneFrame {
            opened_from: self.opened_from,
            tab_bar: Some(draw::tab_labels(self)),
            ..PaneFrame::default()
        }
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
            PaneEvent::Opened => views::read_missing_views(&mut cx.work, &mut cx.views),
            PaneEvent::Changed(Change::Written(write)) => {
                self.on_written(write);
                self.arrange_lines(cx);
            }
            PaneEvent::DraftsRestored(drafts) => self.restore_drafts(drafts, cx),
            PaneEvent::MessageHandled if std::mem::take(&mut self.is_changed) => {
                cx.drafts
                    .save_draft(&DraftName::ListImport, self.list.as_ref(), &mut cx.work);
            }
            PaneEvent::TabSwitched { forward } => self.switch_tab(forward, cx),
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            // Stops matching, else leaves; the list is kept.
            PaneEvent::Back if self.is_matching => self.stop_matching(cx),
            PaneEvent::Back => {
                cx.work
                    .perform(Action::GoTo(self.opened_from.unwrap_or(Screen::Book)));
            }
            _ => {}
        }
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.lines.click(row.line).then_some("import.enter")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(match self.import() {
            Some(_) => Box::new(list_of::<ImportedLines>(self, cx)),
            None => Box::new(list_of::<FileColumns>(self, cx)),
        })
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(&mut self.lines)
    }
}
