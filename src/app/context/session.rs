//! Leaving the program: what is asked before and printed after; the settings that are changed on
//! the screen.

use std::time::Duration;

use crate::app::action::Action;
use crate::app::command::require;
use crate::app::context::outbox::{deferred_commands, offline, undo};
use crate::app::context::team::Team;
use crate::app::context::{Ui, Work};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::{
    AppSettings, ConsoleSession, Context, DashboardOptions, Effect, ExitState, POLL_PREFERENCE,
    ProfileChoice, THEME_PREFERENCE, command,
};
use crate::domain::budgets::Budgets;
use crate::domain::members::Permissions;
use crate::domain::workspace::Caller;
use crate::ui::{ColorDepth, ColorScheme, CustomTheme};

impl ConsoleSession {
    #[cfg(test)]
    pub(in crate::app) fn set_read_only(&mut self) {
        self.read_only = true;
    }
}

impl Team {
    /// Whether writing commands are available; if not, why.
    pub fn can_write(&self, session: &ConsoleSession) -> command::Availability {
        require(!session.read_only, "read-only: changes are disabled")?;
        let caller = self.workspace.as_ref().and_then(|it| it.caller.as_ref());
        let permissions = Permissions {
            cannot_write: caller.is_some_and(Caller::cannot_write),
            ..Permissions::default()
        };
        let allowed = permissions.check_write();
        Ok(allowed.map_err(|reason| format!("read-only: {reason}"))?)
    }
}

impl ExitState {
    /// Shows a problem of this machine now, and again at exit: a notice is soon overwritten.
    pub(in crate::app) fn show_system_warning(&mut self, line: String, ui: &mut Ui) {
        ui.warn(line.clone());
        self.warnings.push(format!("gantry: {line}"));
    }

    pub fn exit_status(&self) -> u8 {
        self.status
    }
}

impl Context {
    /// The lines printed after the screen is closed.
    pub fn exit_lines(&self) -> Vec<String> {
        self.exit_state
            .message
            .iter()
            .chain(&self.exit_state.warnings)
            .cloned()
            .chain(offline::outbox_exit_line(&self.queue, &self.outbox))
            .chain(deferred_commands::deferred_exit_line(&self.outbox))
            .collect()
    }

    /// Lists the saved connections, to switch to one.
    pub(in crate::app) fn choose_profile(&mut self) {
        if self.settings.profiles.is_empty() {
            self.ui.inform("no profiles yet; gantry login creates one");
            return;
        }
        let pick = |profile: &ProfileChoice| ChoiceOption {
            label: profile.name.clone(),
            note: if profile.name == self.session.label {
                "now".to_owned()
            } else {
                profile.address.clone()
            },
            action: Action::SwitchProfile(profile.name.clone()),
        };
        let picks = self.settings.profiles.iter().map(pick).collect();
        let mut choice = Choice::new("Profiles", "the console starts again", picks);
        choice.selected = self
            .settings
            .profiles
            .iter()
            .position(|profile| profile.name == self.session.label)
            .unwrap_or_default();
        self.ui.overlay = Some(Overlay::Choice(choice));
    }

    pub fn switch_to_next_theme(&mut self) {
        let at = ColorScheme::ALL
            .iter()
            .position(|scheme| *scheme == self.settings.theme.scheme)
            .unwrap_or_default();
        self.set_theme(ColorScheme::ALL[(at + 1) % ColorScheme::ALL.len()]);
    }

    /// Applies the user's theme of this name, and saves it unless the theme is overridden.
    pub fn set_custom_theme(&mut self, name: &str) {
        let Some(theme) = self
            .settings
            .custom_themes
            .iter()
            .find(|theme| theme.name == name)
            .cloned()
        else {
            let own = self
                .settings
                .custom_themes
                .iter()
                .map(|theme| theme.name.clone());
            let names: Vec<String> = ColorScheme::ALL
                .map(|scheme| scheme.name().to_owned())
                .into_iter()
                .chain(own)
                .collect();
            self.ui.warn(format!(
                "there is no theme {name}; type one of {}",
                names.join(", ")
            ));
            return;
        };
        (self.settings.theme.scheme, self.settings.theme.custom) = (theme.base, Some(theme.colors));
        self.ui.inform(format!("colors: {name}, your own"));
        if !self.settings.is_theme_overridden {
            self.settings
                .save_preference(THEME_PREFERENCE, name, &mut self.work);
            undo::note_final_act("the change of colors".to_owned(), &mut self.outbox);
        }
    }

    /// Applies a color scheme, and saves it unless the theme is overridden.
    pub fn set_theme(&mut self, scheme: ColorScheme) {
        (self.settings.theme.scheme, self.settings.theme.custom) = (scheme, None);
        let shown = if self.settings.theme.depth == ColorDepth::None {
            "; this terminal shows none"
        } else {
            ""
        };
        self.ui.inform(format!(
            "colors: {}, {}{shown}",
            scheme.name(),
            scheme.description()
        ));
        if !self.settings.is_theme_overridden {
            self.settings
                .save_preference(THEME_PREFERENCE, scheme.name(), &mut self.work);
            undo::note_final_act("the change of colors".to_owned(), &mut self.outbox);
        }
    }

    /// Hands the mouse to the terminal, or takes it back.
    pub(in crate::app) fn toggle_mouse(&mut self) {
        self.settings.mouse_enabled = !self.settings.mouse_enabled;
        self.work
            .emit(Effect::CaptureMouse(self.settings.mouse_enabled));
        let text = if self.settings.mouse_enabled {
            "mouse on: clicks work in gantry"
        } else {
            "mouse off: the terminal selects text"
        };
        self.ui.inform(text);
    }

    pub(in crate::app) fn set_poll_interval(&mut self, interval: Option<Duration>) {
        self.settings.poll_interval = interval;
        self.work.emit(Effect::SetPollInterval(interval));
        self.ui.notice = Some(match interval {
            Some(every) => Notice::info(format!("polling every {} s", every.as_secs())),
            None => Notice::info("not polling").with_hint("{refresh} refreshes"),
        });
    }

    /// Sets the interval and keeps it for the next start, unless the configuration sets one.
    pub(in crate::app) fn choose_poll_interval(&mut self, interval: Option<Duration>) {
        self.set_poll_interval(interval);
        if !self.settings.is_poll_overridden {
            let text =
                interval.map_or_else(|| "off".to_owned(), |every| format!("{}s", every.as_secs()));
            self.settings
                .save_preference(POLL_PREFERENCE, &text, &mut self.work);
        }
    }
}

/// A write was not sent because it could not be journaled first: asks whether to send it
/// anyway.
pub(in crate::app) fn confirm_send_unjournaled(why: &str, ui: &mut Ui) {
    if ui.is_typing() {
        return;
    }
    let text = format!(
        "Not sent: could not write to the local journal: {why}.\n\nWithout a journal, gantry cannot check what was saved after an interruption, and undo ends when gantry exits."
    );
    ui.confirm(
        "No journal",
        text,
        "send without a journal",
        Action::SendUnjournaled,
    );
}

/// Sends writes without a journal until the program exits.
pub(in crate::app) fn send_unjournaled(ui: &mut Ui, work: &mut Work) {
    work.emit(Effect::SendUnjournaled);
    ui.warn("Changes are now sent without a journal. Repeat the one that was not sent.");
}

pub fn open_theme_picker(ui: &mut Ui, settings: &AppSettings) {
    let now = settings.theme;
    let is_now = |scheme: ColorScheme| scheme == now.scheme && now.custom.is_none();
    let pick = |scheme: ColorScheme| ChoiceOption {
        label: scheme.name().to_owned(),
        note: if is_now(scheme) {
            "now".to_owned()
        } else {
            scheme.description().to_owned()
        },
        action: Action::SetTheme(scheme),
    };
    let own = |theme: &CustomTheme| ChoiceOption {
        label: theme.name.clone(),
        note: if now.custom == Some(theme.colors) {
            "now"
        } else {
            "your own"
        }
        .to_owned(),
        action: Action::SetCustomTheme(theme.name.clone()),
    };
    let options: Vec<_> = ColorScheme::ALL
        .into_iter()
        .map(pick)
        .chain(settings.custom_themes.iter().map(own))
        .collect();
    let note = if settings.is_theme_overridden {
        "for this session"
    } else {
        "saved"
    };
    let selected = options
        .iter()
        .position(|option| option.note == "now")
        .unwrap_or_default();
    let mut choice = Choice::new("Colors", note, options);
    choice.selected = selected;
    ui.overlay = Some(Overlay::Choice(choice));
}

/// Changes the dashboard's settings for this session.
pub(in crate::app) fn change_dashboard(
    change: impl FnOnce(&mut DashboardOptions),
    settings: &mut AppSettings,
) {
    change(&mut settings.dashboard);
}

pub(in crate::app) fn set_budgets(budgets: Budgets, settings: &mut AppSettings) {
    settings.budgets = budgets;
}

#[cfg(test)]
mod tests {
    use crate::ui::Theme;
    use chrono::Duration;
    use ratatui::buffer::Buffer;
    use ratatui::style::Color;

    use super::*;
    use crate::app::Msg;
    use crate::app::command::Scope;
    use crate::app::msg::Push;
    use crate::app::testing::{TestConsole, morning_queue, queue_row};
    use crate::app::{AppSettings, ProfileChoice};
    use crate::ui::Background;

    #[test]
    fn with_polling_off_nothing_is_requested_until_the_user_refreshes() {
        let console = TestConsole::with_rows(morning_queue())
            .press(":")
            .type_text("poll off")
            .press("Enter");
        assert!(
            console.notice_text().starts_with("not polling"),
            "{}",
            console.notice_text()
        );
        assert!(console.effects.contains(&Effect::SetPollInterval(None)));
        assert!(
            console
                .effects
                .contains(&Effect::SavePreference("poll".into(), "off".into())),
            "it is kept"
        );
        let mut console = console.press("Esc").advance_time(Duration::hours(3));
        let screen = console.screen_text();
        assert!(
            screen.lines().next().unwrap().contains("not polling"),
            "{screen}"
        );
        console.effects.clear();
        let calls = console.calls.len();
        let console = console
            .send(Msg::Focused(true))
            .send(Msg::Pushed(Push::SystemSuspended(Duration::hours(3))));
        assert_eq!(
            (console.calls.len(), console.effects.contains(&Effect::Poll)),
            (calls, false)
        );
        assert_eq!(console.notice_text(), "resumed after 3 h 0 min");
        assert!(console.press("R").effects.contains(&Effect::Poll));
    }

    #[test]
    fn a_configured_poll_interval_is_changed_for_this_session_only() {
        let settings = AppSettings {
            is_poll_overridden: true,
            ..AppSettings::default()
        };
        let console = TestConsole::with_size(morning_queue(), (120, 36), settings);
        let console = console.press(":").type_text("poll 2m").press("Enter");
        assert_eq!(console.notice_text(), "polling every 120 s");
        assert!(
            !console
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::SavePreference(name, _) if name == "poll"))
        );
    }

    fn console_with_theme(
        theme: Theme,
        rows: Vec<crate::domain::queue::QueueSignal>,
    ) -> TestConsole {
        TestConsole::with_size(
            rows,
            (120, 36),
            AppSettings {
                theme,
                ..AppSettings::default()
            },
        )
        .poll()
        .serve()
    }

    fn theme_with_scheme(scheme: ColorScheme) -> Theme {
        Theme {
            scheme,
            ..Theme::default()
        }
    }

    fn console_with_profiles() -> TestConsole {
        let profile = |name: &str| ProfileChoice {
            name: name.to_owned(),
            address: format!("https://{name}.example/api/v1"),
        };
        let settings = AppSettings {
            profiles: vec![profile("acme-west"), profile("acme-east")],
            ..AppSettings::default()
        };
        TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve()
    }

    #[test]
    fn the_profile_is_switched_by_name_or_from_the_list() {
        let switched = Effect::SwitchProfile("acme-east".to_owned());
        let typed = console_with_profiles()
            .press(":")
            .type_text("profile acme-east")
            .press("Enter");
        assert!(typed.effects.contains(&switched), "{:?}", typed.effects);
        let list = console_with_profiles()
            .press(":")
            .type_text("profile")
            .press("Enter");
        assert!(
            list.screen_text().contains("https://acme-east.example"),
            "{}",
            list.screen_text()
        );
        assert!(list.press("Down Enter").effects.contains(&switched));
    }

    #[test]
    fn an_unknown_profile_is_named_and_unsent_input_is_asked_about_first() {
        let console = console_with_profiles()
            .press(":")
            .type_text("profile acme")
            .press("Enter");
        assert_eq!(
            console.notice_text(),
            "there is no profile acme: acme-west, acme-east"
        );
        let console = console_with_profiles()
            .press("e")
            .press(":")
            .type_text("profile acme-east")
            .press("Enter");
        assert!(
            !console
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::SwitchProfile(_))),
            "a write is under way"
        );
        assert!(
            !console.notice_text().is_empty(),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_chosen_color_scheme_is_saved_for_the_next_start() {
        let console = TestConsole::with_rows(morning_queue())
            .press(":")
            .type_text("colors")
            .press("Enter");
        assert!(
            console.screen_text().contains("high-contrast"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Down Down Down Enter");
        assert_eq!(
            console.context().settings.theme.scheme,
            ColorScheme::HighContrast
        );
        assert!(console.effects.contains(&Effect::SavePreference(
            "theme".into(),
            "high-contrast".into()
        )));
    }

    #[test]
    fn a_theme_of_the_user_is_offered_applied_and_saved() {
        let mut colors = crate::ui::CustomColors::default();
        colors.set("high", crate::ui::CustomColor::Indexed(201));
        let night = CustomTheme {
            name: "night".to_owned(),
            base: ColorScheme::Dark,
            colors,
        };
        let settings = AppSettings {
            custom_themes: vec![night],
            ..AppSettings::default()
        };
        let console = TestConsole::with_size(morning_queue(), (120, 36), settings);
        let picker = console.press(":").type_text("colors").press("Enter");
        assert!(
            picker.screen_text().contains("night") && picker.screen_text().contains("your own")
        );
        let console = picker.press("End Enter");
        assert_eq!(console.context().settings.theme.custom, Some(colors));
        assert!(
            console
                .effects
                .contains(&Effect::SavePreference("theme".into(), "night".into()))
        );
        let back = console.press(":").type_text("theme light").press("Enter");
        assert_eq!(
            (
                back.context().settings.theme.scheme,
                back.context().settings.theme.custom
            ),
            (ColorScheme::Light, None)
        );
        let again = back.press(":").type_text("theme night").press("Enter");
        assert_eq!(again.context().settings.theme.custom, Some(colors));
        let unknown = again.press(":").type_text("theme nigth").press("Enter");
        assert!(
            unknown
                .notice_text()
                .starts_with("there is no theme nigth; type one of auto, dark"),
            "{}",
            unknown.notice_text()
        );
    }

    #[test]
    fn a_scheme_chosen_over_an_overridden_theme_is_not_saved() {
        let settings = AppSettings {
            is_theme_overridden: true,
            ..AppSettings::default()
        };
        let console = TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve()
            .press("9 t");
        assert_eq!(
            (
                console.context().settings.theme.scheme,
                console.notice_text().as_str()
            ),
            (ColorScheme::Dark, "colors: dark, for a dark background")
        );
        assert!(
            !console
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::SavePreference(..)))
        );
    }

    #[test]
    fn a_change_that_cannot_be_journaled_is_sent_only_after_confirmation() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(crate::domain::request_error::RequestError::new_not_sent(
                "no state directory",
            ));
        let console = console.send(Msg::Pushed(crate::app::msg::Push::JournalFailed(
            "no state directory".to_owned(),
        )));
        assert!(
            console.screen_text().contains("send without a journal"),
            "{}",
            console.screen_text()
        );
        assert!(
            !console
                .press("Esc")
                .effects
                .contains(&Effect::SendUnjournaled)
        );
        let console = TestConsole::with_rows(morning_queue());
        let console = console
            .send(Msg::Pushed(crate::app::msg::Push::JournalFailed(
                "no state directory".to_owned(),
            )))
            .press("y Enter");
        assert!(
            console.effects.contains(&Effect::SendUnjournaled),
            "{:?}",
            console.effects
        );
    }

    #[test]
    fn every_scheme_adapts_to_a_light_background() {
        for scheme in ColorScheme::ALL {
            let before = console_with_theme(theme_with_scheme(scheme), morning_queue());
            let dark = before.draw_to_buffer();
            let light = before
                .send(Msg::Background(Background::Light))
                .draw_to_buffer();
            assert_ne!(dark, light, "{scheme:?}");
        }
    }

    #[test]
    fn a_light_background_is_remembered_until_the_terminal_reports_a_dark_one() {
        let saved = |console: &TestConsole| {
            let saved = console.effects.iter().filter_map(|effect| match effect {
                Effect::SavePreference(name, value) if name == "background" => Some(value.clone()),
                _ => None,
            });
            saved.collect::<Vec<_>>()
        };
        let console =
            TestConsole::with_rows(morning_queue()).send(Msg::Background(Background::Dark));
        assert_eq!(saved(&console), [""; 0], "dark is assumed");
        let reported = [Background::Light, Background::Light, Background::Dark];
        let console = reported.into_iter().fold(console, |console, background| {
            console.send(Msg::Background(background))
        });
        assert_eq!(saved(&console), ["light", ""]);
    }

    #[test]
    fn high_contrast_sets_every_cells_colors() {
        for scope in Scope::ALL {
            for keys in ["Esc", "?", "f", "y"] {
                let mut console = TestConsole::at_scope(*scope);
                console.context_mut().settings.theme = theme_with_scheme(ColorScheme::HighContrast);
                let buf = console.press(keys).draw_to_buffer();
                let bare = buf
                    .content()
                    .iter()
                    .position(|cell| cell.fg == Color::Reset || cell.bg == Color::Reset);
                assert_eq!(bare, None, "{scope:?} after {keys}");
            }
        }
    }

    #[test]
    fn no_word_is_drawn_as_faint_as_a_border() {
        for scope in Scope::ALL {
            for keys in ["Esc", "?", "f", "g", "y"] {
                let console = TestConsole::at_scope(*scope).press(keys);
                let (buf, faint) = (
                    console.draw_to_buffer(),
                    console
                        .context()
                        .settings
                        .theme
                        .style(crate::ui::TextRole::Faint)
                        .fg,
                );
                let width = usize::from(buf.area.width);
                for row in buf.content().chunks(width) {
                    let letters: String = row
                        .iter()
                        .map(|cell| {
                            if Some(cell.fg) == faint {
                                cell.symbol()
                            } else {
                                " "
                            }
                        })
                        .collect();
                    let word = letters
                        .split(|c: char| !c.is_alphabetic())
                        .find(|word| word.chars().count() > 1);
                    assert_eq!(word, None, "{scope:?} after {keys}: {letters}");
                }
            }
        }
    }

    /// The screen without its colors: letters, weights and lines.
    fn without_colors(mut buf: Buffer) -> Buffer {
        buf.content
            .iter_mut()
            .for_each(|cell| (cell.fg, cell.bg) = (Color::Reset, Color::Reset));
        buf
    }

    #[test]
    fn every_state_is_visible_without_colors() {
        let lofts = (1, "Harbor Yard Lofts");
        let signal = |n: usize, priority: &str, filed: &str| {
            queue_row(n, priority, "permit_issued", filed, lofts, None)
        };
        // The second row was discovered after the console opened.
        let of = |priority: &str| {
            vec![
                signal(1, priority, "2026-07-02"),
                signal(2, "low", "2026-07-10"),
            ]
        };
        for depth in [
            ColorDepth::None,
            ColorDepth::Ansi16,
            ColorDepth::Indexed256,
            ColorDepth::TrueColor,
        ] {
            for scheme in ColorScheme::ALL {
                let theme = Theme {
                    depth,
                    ..theme_with_scheme(scheme)
                };
                let queue = |priority: &str| console_with_theme(theme, of(priority));
                let states = [
                    ("high priority", queue("high"), queue("medium")),
                    ("medium priority", queue("medium"), queue("low")),
                    ("a priority of tomorrow", queue("urgent"), queue("high")),
                    (
                        "a mark",
                        queue("high").press("Space k"),
                        queue("high").press("j k"),
                    ),
                    ("what is new", queue("high"), queue("high").press("j k")),
                    (
                        "the cursor",
                        queue("high").press("j k"),
                        queue("high").press("j"),
                    ),
                ];
                for (what, with, without) in states {
                    assert!(
                        without_colors(with.draw_to_buffer())
                            != without_colors(without.draw_to_buffer()),
                        "{what} in {theme:?}"
                    );
                }
                // Tabs have their names either way, so only the weight is compared.
                let tabs = |console: TestConsole| {
                    let y = console.context().frame.layout().tab_bar.y;
                    let buf = console.draw_to_buffer();
                    (0..30).map(|x| buf[(x, y)].modifier).collect::<Vec<_>>()
                };
                assert_ne!(
                    tabs(queue("high")),
                    tabs(queue("high").press("]").serve()),
                    "the tab in {theme:?}"
                );
                let by_shade = depth > ColorDepth::Ansi16
                    && !matches!(
                        scheme,
                        ColorScheme::HighContrast | ColorScheme::ColorBlind | ColorScheme::Terminal
                    );
                if !by_shade {
                    let (list, preview) = (queue("high"), queue("high").press("Tab"));
                    assert!(
                        without_colors(list.draw_to_buffer())
                            != without_colors(preview.draw_to_buffer()),
                        "the keys in {theme:?}"
                    );
                }
            }
        }
    }
}
