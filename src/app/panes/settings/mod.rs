//! The settings of the configuration: their values, where they come from, and changing them.
//!
//! A change is written by the runtime, which checks it as `gantry config set` does and then applies
//! the whole file again.
//!
//! Never here: the file, what a setting does.

mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;

#[cfg(test)]
pub(in crate::app) mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::configuration;
use crate::app::context::outbox::undo;
use crate::app::focused_list::FocusedList;
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame};
use crate::app::panes::settings::columns::Settings;
use crate::app::panes::settings::messages::SettingsPrompt;
use crate::app::prompt::Prompt;
use crate::app::session::{
    DASHBOARD_MESSAGE_PREFERENCE, DASHBOARD_PAGES_PREFERENCE, POLL_PREFERENCE, THEME_PREFERENCE,
};
use crate::app::{Context, Effect, Screen};
use crate::domain::settings::{SettingKind, SettingRow};

#[derive(Clone, Debug, Default)]
pub struct SettingsPane {
    rows: Vec<SettingRow>,
    load: LoadState,
    lines: ListLines,
    /// The side panel replaces the list if there is room for only one of them.
    panel_open: bool,
    /// The first visible line of the side panel.
    panel_top: usize,
    /// The setting that the open prompt or picker is for.
    edited: Option<SettingRow>,
    opened_from: Option<Screen>,
}

/// The preference that a choice on the screen saves, used where the configuration has no value.
fn preference_of(key: &str) -> Option<&'static str> {
    Some(match key {
        "console.theme" => THEME_PREFERENCE,
        "console.poll" => POLL_PREFERENCE,
        "watch.pages" => DASHBOARD_PAGES_PREFERENCE,
        "watch.message" => DASHBOARD_MESSAGE_PREFERENCE,
        _ => return None,
    })
}

impl SettingsPane {
    fn current(&self) -> Option<&SettingRow> {
        self.rows.get(self.lines.current_row())
    }

    fn open(&mut self, cx: &mut Context) {
        if cx.ui.screen() != Screen::Settings {
            self.opened_from = Some(cx.ui.screen());
        }
        self.read(cx);
        cx.work.perform(Action::GoTo(Screen::Settings));
    }

    fn read(&mut self, cx: &mut Context) {
        if self.rows.is_empty() {
            self.load = LoadState::Loading;
        }
        cx.work.emit(Effect::ReadSettings);
    }

    /// Whether the value was chosen on another screen and is not in the configuration.
    fn is_chosen_on_screen(&self, row: &SettingRow, cx: &Context) -> bool {
        let preference = preference_of(&row.key).map_or("", |name| cx.settings.preference(name));
        !row.is_in_file && row.overriding_source().is_none() && !preference.is_empty()
    }

    /// Takes the settings as they were read.
    pub fn take_settings(&mut self, read: Result<Vec<SettingRow>, String>, cx: &mut Context) {
        let here = self.current().map(|row| row.key.clone());
        match read {
            Ok(rows) => (self.rows, self.load) = (rows, LoadState::Ready),
            Err(why) => (self.rows, self.load) = (Vec::new(), LoadState::Failed(why)),
        }
        for at in 0..self.rows.len() {
            if self.is_chosen_on_screen(&self.rows[at], cx) {
                let chosen = preference_of(&self.rows[at].key)
                    .map_or("", |name| cx.settings.preference(name))
                    .replace(',', " ");
                self.rows[at].value = chosen;
                "chosen on the screen".clone_into(&mut self.rows[at].source);
            }
        }
        self.lines = list::arrange::<Settings>(self, cx);
        let row = here.and_then(|key| self.rows.iter().position(|row| row.key == key));
        self.lines.move_to_row(row);
    }

    /// The services that have settings.
    fn profile_names(&self) -> Vec<String> {
        let keys = self.rows.iter();
        let names = keys.filter_map(|row| row.key.strip_prefix("profiles.")?.split('.').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.dedup();
        names
    }

    /// Asks for the new value of the current setting; a switch is switched.
    fn ask_value(&mut self, cx: &mut Context) {
        let Some(row) = self.current().cloned() else {
            return;
        };
        let kind = PickerKind::Answer(SettingsPrompt::Value.into());
        let entries = |words: &[String]| -> Vec<PickerEntry> {
            let entry = |word: &String| {
                let note = if *word == row.default { "default" } else { "" };
                PickerEntry {
                    key: word.clone(),
                    note: note.to_owned(),
                    ..PickerEntry::default()
                }
            };
            words.iter().map(entry).collect()
        };
        self.edited = Some(row.clone());
        let kind_of_row = match self.profile_names() {
            names if row.key == "profile" && !names.is_empty() => SettingKind::Choice(names),
            _ => row.kind.clone(),
        };
        match &kind_of_row {
            SettingKind::Switch => {
                self.change(if row.value == "true" { "false" } else { "true" }, cx)
            }
            SettingKind::Choice(words) => {
                let mut picker = Picker::single_choice(row.title(), "", entries(words), kind);
                picker.scroll.cursor = words
                    .iter()
                    .position(|word| *word == row.value)
                    .unwrap_or_default();
                cx.ui.overlay = Some(Overlay::Picker(picker));
            }
            SettingKind::Choices(words) => {
                let chosen: Vec<&str> = row.value.split_whitespace().collect();
                cx.ui.overlay = Some(Overlay::Picker(Picker::multi_choice(
                    row.title(),
                    entries(words),
                    &chosen,
                    true,
                    kind,
                )));
            }
            SettingKind::Text | SettingKind::Typed(_) => {
                let text = if row.is_hidden { "" } else { &row.value };
                self.ask_text(&row, text, None, cx);
            }
            SettingKind::Entries => configuration::edit_configuration(&mut cx.work),
        }
    }

    /// Asks for a text, with the reason why the one before was rejected, or else the form of the
    /// value.
    fn ask_text(&self, row: &SettingRow, text: &str, rejected: Option<String>, cx: &mut Context) {
        let label = row.title();
        cx.ui.prompt = Some(match &rejected {
            Some(_) => Prompt::with_rejected(label, text, SettingsPrompt::Value),
            None => Prompt::new(label, text, SettingsPrompt::Value),
        });
        cx.ui.notice = match (rejected, &row.kind) {
            (Some(why), _) => Some(Notice::warning(why)),
            (None, SettingKind::Typed(form)) => Some(Notice::info(*form)),
            (None, _) => Some(Notice::info(row.description.clone())),
        };
    }

    /// Writes the value of the setting that the user was asked for.
    pub fn change(&mut self, text: &str, cx: &mut Context) {
        let Some(row) = &self.edited else { return };
        // A text that was emptied is none.
        let is_removed =
            text.is_empty() && matches!(row.kind, SettingKind::Text | SettingKind::Typed(_));
        if is_removed && !row.is_in_file {
            return;
        }
        cx.work.emit(Effect::ChangeSetting {
            key: row.key.clone(),
            text: (!is_removed).then(|| text.to_owned()),
        });
    }

    fn return_to_default(&mut self, cx: &mut Context) {
        let Some(row) = self.current() else { return };
        match preference_of(&row.key) {
            Some(name) if self.is_chosen_on_screen(row, cx) => {
                cx.settings.save_preference(name, "", &mut cx.work);
                configuration::reload_configuration(&mut cx.work);
            }
            _ => cx.work.emit(Effect::ChangeSetting {
                key: row.key.clone(),
                text: None,
            }),
        }
    }

    /// A setting was changed, or the text stays in the prompt with the reason why not.
    pub fn on_changed(
        &mut self,
        key: &str,
        text: Option<String>,
        result: Result<String, String>,
        cx: &mut Context,
    ) {
        let row = self
            .edited
            .take()
            .filter(|row| row.key == key)
            .or_else(|| self.rows.iter().find(|row| row.key == key).cloned());
        // The screen shows what the setting is called, and not its key.
        let result = result.map_err(|why| match (why.strip_prefix(key), &row) {
            (Some(rest), Some(row)) => format!("{}{rest}", row.title()),
            _ => why,
        });
        let is_typed = row
            .as_ref()
            .is_some_and(|row| matches!(row.kind, SettingKind::Text | SettingKind::Typed(_)));
        match (result, row) {
            (Err(why), Some(row)) if is_typed && text.is_some() => {
                self.ask_text(&row, &text.unwrap_or_default(), Some(why), cx);
                self.edited = Some(row);
            }
            (Err(why), _) => cx.ui.notice = Some(Notice::error(why)),
            (Ok(sentence), row) => {
                let overriding = row.as_ref().and_then(|row| row.overriding_source());
                let when = match (&row, overriding) {
                    (_, Some(source)) => {
                        format!("; {source} overrides it until the next start without it")
                    }
                    (Some(row), None) if row.applies_at_start => {
                        "; it applies at the next start".to_owned()
                    }
                    _ => String::new(),
                };
                let sentence = match row.filter(|row| row.is_hidden) {
                    Some(row) => format!("{} was changed", row.key),
                    None => sentence,
                };
                undo::note_final_act(sentence.clone(), &mut cx.outbox);
                cx.ui.notice = Some(Notice::success(format!("{sentence}{when}")));
            }
        }
    }
}

impl Pane for SettingsPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Settings.into()
    }

    fn frame(&self, _cx: &Context) -> PaneFrame {
        PaneFrame {
            opened_from: self.opened_from,
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
            PaneEvent::Opened if self.rows.is_empty() && self.load != LoadState::Loading => {
                self.read(cx)
            }
            PaneEvent::Changed(Change::SettingsReloaded) if self.load != LoadState::Idle => {
                self.read(cx)
            }
            PaneEvent::SidePanelScrolled(rows) => {
                self.panel_top = self.panel_top.saturating_add_signed(rows);
            }
            // the side panel may cover the list
            PaneEvent::Back if std::mem::take(&mut self.panel_open) => {}
            PaneEvent::Back => {
                cx.work
                    .perform(Action::GoTo(self.opened_from.unwrap_or(Screen::Queue)));
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, _cx: &mut Context) {
        self.lines.move_cursor(rows);
        self.panel_top = 0;
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.panel_top = 0;
        self.lines.click(row.line).then_some("settings.panel")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(Box::new(list_of::<Settings>(self, cx)))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(&mut self.lines)
    }
}
