//! The configuration while the console runs: opened in the editor, and applied again. The
//! connection stays as it is.

use std::sync::Arc;

use crate::app::change::Change;
use crate::app::command::keymap::Keymap;
use crate::app::context::{Context, Ui, Work};
use crate::app::effect::Effect;
use crate::app::notice::Notice;
use crate::app::session::{AppSettings, THEME_PREFERENCE};

impl Context {
    /// Applies settings that were read again, and reports what changed and what is wrong.
    pub(in crate::app) fn apply_reloaded_settings(
        &mut self,
        read: AppSettings,
        keymap: Arc<Keymap>,
        problems: &[String],
    ) {
        let old = std::mem::take(&mut self.settings);
        let is_choice_saved =
            read.preferences.get(THEME_PREFERENCE) == old.preferences.get(THEME_PREFERENCE);
        let mut new = AppSettings {
            // What the terminal, the service or the user changed since the start.
            is_sample: old.is_sample,
            is_local: old.is_local,
            utc_offset: read.display.offset.unwrap_or(self.clock.utc_offset),
            is_clock_simulated: old.is_clock_simulated,
            preferences: old.preferences.clone(),
            label_role: read.label_role.or(old.label_role),
            ..read
        };
        new.theme.background = old.theme.background;
        // What was chosen on the screen stays, also where it cannot be saved.
        if !new.is_theme_overridden && !is_choice_saved && !old.is_theme_overridden {
            (new.theme.scheme, new.theme.custom) = (old.theme.scheme, old.theme.custom);
        }
        // What was hidden from the room stays hidden.
        new.dashboard.hides_names |= old.dashboard.hides_names;
        let changed = changed_settings(&old, &new);
        if new.mouse_enabled != old.mouse_enabled {
            self.work.emit(Effect::CaptureMouse(new.mouse_enabled));
        }
        if new.poll_interval != old.poll_interval {
            self.work.emit(Effect::SetPollInterval(new.poll_interval));
        }
        if new.budgets != old.budgets {
            self.work.emit(Effect::ApplyBudgets(new.budgets));
        }
        if new.queue_tabs != self.queue.saved_tabs() {
            self.queue.set_saved_tabs(new.queue_tabs.clone());
            self.save_queue_settings();
        }
        self.clock.utc_offset = new.utc_offset;
        self.settings = new;
        self.settings.display.apply();
        let problems: Vec<String> = problems.iter().chain(keymap.problems()).cloned().collect();
        self.keymap = keymap.clone();
        self.work.publish(Change::SettingsReloaded);
        self.ui.notice = Some(match changed.as_slice() {
            [] => Notice::info("configuration reloaded: nothing changed"),
            changed => Notice::success(format!("configuration reloaded: {}", changed.join(", "))),
        });
        show_setting_problems(&problems, &mut self.ui);
    }
}

pub(in crate::app) fn reload_configuration(work: &mut Work) {
    work.emit(Effect::ReloadConfiguration);
}

/// Opens the configuration in the user's editor; what changed is applied afterwards.
pub(in crate::app) fn edit_configuration(work: &mut Work) {
    work.emit(Effect::EditConfiguration);
}

/// Shows the first problem of the configuration, and how many there are.
pub(in crate::app) fn show_setting_problems(problems: &[String], ui: &mut Ui) {
    if let [first, rest @ ..] = problems {
        let more = if rest.is_empty() {
            String::new()
        } else {
            format!("; {} more: gantry config check", rest.len())
        };
        ui.warn(format!("{first}{more}"));
    }
}

/// The parts of the configuration that differ.
fn changed_settings(old: &AppSettings, new: &AppSettings) -> Vec<&'static str> {
    let parts = [
        ("colors", old.theme != new.theme),
        ("dates and numbers", old.display != new.display),
        (
            "keys",
            old.key_overrides.overrides != new.key_overrides.overrides
                || old.key_overrides.preset != new.key_overrides.preset,
        ),
        ("commands", old.custom_commands != new.custom_commands),
        ("poll interval", old.poll_interval != new.poll_interval),
        ("mouse", old.mouse_enabled != new.mouse_enabled),
        ("preview", old.preview_enabled != new.preview_enabled),
        ("cursor after marking", old.after_triage != new.after_triage),
        ("tabs", old.queue_tabs != new.queue_tabs),
        ("call outcomes", old.call_outcomes != new.call_outcomes),
        ("budgets", old.budgets != new.budgets),
        ("dashboard", old.dashboard != new.dashboard),
        (
            "profiles",
            old.profiles != new.profiles || old.label_role != new.label_role,
        ),
    ];
    parts
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::app::DashboardPage;
    use crate::app::command::Scope;
    use crate::app::command::keymap::{KeyOverride, KeyOverrides};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::domain::budgets::Budgets;
    use crate::domain::queue_tabs::SavedTab;

    fn reload(
        console: TestConsole,
        change: impl FnOnce(&mut AppSettings),
        problems: &[&str],
    ) -> TestConsole {
        let mut settings = console.context().settings.clone();
        change(&mut settings);
        let problems = problems.iter().map(|line| (*line).to_owned()).collect();
        console.send(Msg::Pushed(Push::SettingsReloaded {
            settings: Box::new(settings),
            problems,
        }))
    }

    fn tab(name: &str) -> SavedTab {
        SavedTab {
            name: name.to_owned(),
            ..SavedTab::default()
        }
    }

    #[test]
    fn the_palette_reloads_the_configuration_and_opens_it() {
        let console = TestConsole::with_rows(morning_queue())
            .press(":")
            .type_text("reload")
            .press("Enter");
        assert!(console.effects.contains(&Effect::ReloadConfiguration));
        let console = console.press(":").type_text("config").press("Enter");
        assert!(console.effects.contains(&Effect::EditConfiguration));
    }

    #[test]
    fn a_reload_applies_what_changed_and_names_it() {
        let console = reload(TestConsole::with_rows(morning_queue()), |_| {}, &[]);
        assert_eq!(
            console.notice_text(),
            "configuration reloaded: nothing changed"
        );
        let change = |settings: &mut AppSettings| {
            settings.poll_interval = Some(Duration::from_secs(60));
            settings.budgets = Budgets {
                hard_day: Some(5),
                ..Budgets::default()
            };
            let row = KeyOverride {
                id: "queue.done".into(),
                keys: vec!["F9".into()],
                defined_at: "config.toml:2".into(),
            };
            settings.key_overrides = KeyOverrides {
                overrides: vec![row],
                ..KeyOverrides::default()
            };
        };
        let console = reload(console, change, &[]);
        assert_eq!(
            console.notice_text(),
            "configuration reloaded: keys, poll interval, budgets"
        );
        assert!(
            console
                .effects
                .contains(&Effect::SetPollInterval(Some(Duration::from_secs(60))))
        );
        let budgets = Budgets {
            hard_day: Some(5),
            ..Budgets::default()
        };
        assert!(console.effects.contains(&Effect::ApplyBudgets(budgets)));
        assert_eq!(console.press("F9").triage_calls().len(), 1);
    }

    #[test]
    fn what_is_wrong_with_the_configuration_is_shown() {
        let problems = [
            "config.toml:3: unknown key advanse; did you mean advance?",
            "config.toml:9: unknown key x",
        ];
        let console = reload(TestConsole::with_rows(morning_queue()), |_| {}, &problems);
        assert_eq!(
            console.notice_text(),
            format!("{}; 1 more: gantry config check", problems[0])
        );
    }

    #[test]
    fn a_configuration_that_cannot_be_used_is_reported_when_the_console_starts() {
        let why = "config.toml:3: key with no value, expected `=`; using the defaults";
        let console = TestConsole::with_rows(morning_queue())
            .send(Msg::Pushed(Push::SettingProblems(vec![why.to_owned()])));
        assert_eq!(console.notice_text(), why);
        let console = TestConsole::at_scope(Scope::Start)
            .send(Msg::Pushed(Push::SettingProblems(vec![why.to_owned()])));
        assert!(
            console.screen_text().contains("config.toml:3"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_shown_tab_stays_after_a_reload_unless_it_is_gone() {
        let shown = |console: &TestConsole| {
            console
                .context()
                .queue
                .shown_saved_tab()
                .map(|tab| tab.name.clone())
        };
        let with_tabs = |console, names: &[&str]| {
            reload(
                console,
                |settings| settings.queue_tabs = names.iter().map(|name| tab(name)).collect(),
                &[],
            )
        };
        let console = with_tabs(
            TestConsole::with_rows(morning_queue()),
            &["Austin", "Dallas"],
        )
        .press("] ] ]")
        .serve();
        assert_eq!(shown(&console).as_deref(), Some("Dallas"));
        let console = with_tabs(console, &["Dallas"]);
        assert_eq!(shown(&console).as_deref(), Some("Dallas"));
        assert_eq!(shown(&with_tabs(console, &["Austin"])), None);
    }

    #[test]
    fn names_that_were_hidden_on_the_screen_stay_hidden() {
        let pages = vec![DashboardPage::Waiting];
        let console = reload(
            TestConsole::with_rows(morning_queue()),
            |settings| settings.dashboard.pages = pages,
            &[],
        );
        let console = console.press("9").serve().press("K");
        let console = reload(
            console,
            |settings| settings.dashboard.hides_names = false,
            &[],
        );
        assert!(console.context().settings.dashboard.hides_names);
    }
}
