//! The configuration as the console's settings: at the start, and again when it is reloaded.
//!
//! Never here: reading the file (`config`), applying the settings (`app`).

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{FixedOffset, Local, Offset as _};

use super::console_texts;
use crate::app;
use crate::config::{self, BackendLocation, CliOptions, Config};
use crate::domain::high_arrivals::ALERT_PLACEHOLDERS;
use crate::domain::program_template::ProgramTemplate;
use crate::ui::{
    Background, ColorDepth, ColorScheme, CustomColor, CustomColors, CustomTheme, TextRole, Theme,
};

/// The console's settings, and what is wrong with the configuration: one line each.
pub fn build_settings(
    config: &Config,
    saved: BTreeMap<String, String>,
) -> (app::AppSettings, Vec<String>) {
    let texts = console_texts::parse(&config.texts);
    let (dashboard, problem) = dashboard_settings(&config.dashboard, &saved);
    let problems = config
        .warnings
        .iter()
        .chain(&texts.problems)
        .cloned()
        .chain(problem)
        .collect();
    let console = &config.console;
    let custom_themes = custom_themes(&config.themes);
    let settings = app::AppSettings {
        theme: select_theme(config, &custom_themes, &saved),
        custom_themes,
        is_theme_overridden: console.theme.is_some(),
        key_overrides: texts.key_overrides,
        custom_commands: texts.custom_commands,
        queue_tabs: texts.queue_tabs,
        call_outcomes: texts.call_outcomes,
        after_triage: match console.advance {
            config::AdvanceSetting::Next => app::AfterTriage::Next,
            config::AdvanceSetting::Stay => app::AfterTriage::Stay,
            config::AdvanceSetting::Back => app::AfterTriage::Back,
        },
        poll_interval: select_poll_interval(config, &saved),
        is_poll_overridden: console.poll.is_some(),
        mouse_enabled: console.mouse,
        preview_enabled: console.preview,
        shows_today_first: console.today_first,
        has_first_run_card: console.first_run,
        profiles: saved_profiles(config),
        label_role: config.profile_color.map(|color| match color {
            config::ProfileColor::Red => TextRole::Error,
            config::ProfileColor::Yellow => TextRole::Warning,
            config::ProfileColor::Green => TextRole::Success,
            config::ProfileColor::Blue => TextRole::Key,
        }),
        is_sample: matches!(config.location, BackendLocation::Local { file: None, .. }),
        is_local: matches!(config.location, BackendLocation::Local { .. }),
        budgets: config.budgets,
        display: config.display,
        utc_offset: config.display.offset.unwrap_or_else(local_utc_offset),
        is_clock_simulated: matches!(
            config.location,
            BackendLocation::Local { as_of: Some(_), .. }
        ),
        dashboard,
        preferences: saved,
    };
    (settings, problems)
}

/// Reads the settings again for a console that runs; the error says why that is not possible.
pub fn reload_settings(
    options: &CliOptions,
    connected_to: &BackendLocation,
    saved: BTreeMap<String, String>,
) -> Result<(app::AppSettings, Vec<String>), String> {
    let config = config::reload(options, &config::process_env, connected_to)
        .map_err(|error| error.message)?;
    Ok(build_settings(&config, saved))
}

fn saved_profiles(config: &Config) -> Vec<app::ProfileChoice> {
    let profiles = config::load_profiles(&config.paths).unwrap_or_default();
    let choice = |profile: config::ProfileSummary| app::ProfileChoice {
        name: profile.name,
        address: profile.base_url.unwrap_or_default(),
    };
    profiles.into_iter().map(choice).collect()
}

/// The dashboard's settings: those of the configuration, or else what was chosen on the screen; and
/// what is wrong with them.
fn dashboard_settings(
    watch: &config::DashboardSettings,
    saved: &BTreeMap<String, String>,
) -> (app::DashboardOptions, Option<String>) {
    let page = |page: &config::DashboardPageKind| match page {
        config::DashboardPageKind::Counts => app::DashboardPage::Counts,
        config::DashboardPageKind::Waiting => app::DashboardPage::Waiting,
        config::DashboardPageKind::Team => app::DashboardPage::Team,
    };
    let chosen = saved
        .get(app::DASHBOARD_PAGES_PREFERENCE)
        .map_or("", String::as_str);
    let chosen = chosen.split(',').filter_map(|name| {
        app::DashboardPage::ALL
            .into_iter()
            .find(|page| page.name() == name)
    });
    let configured = watch.pages.as_deref().unwrap_or_default();
    let pages = if configured.is_empty() {
        chosen.collect()
    } else {
        configured.iter().map(page).collect()
    };
    let message = match watch.message.trim() {
        "" => saved
            .get(app::DASHBOARD_MESSAGE_PREFERENCE)
            .cloned()
            .unwrap_or_default(),
        message => message.to_owned(),
    };
    let on_high = match watch.on_high.as_slice() {
        [] => Ok(None),
        program => ProgramTemplate::parse_with(program, ALERT_PLACEHOLDERS).map(Some),
    };
    let problem = on_high
        .as_ref()
        .err()
        .map(|why| format!("watch.on_high is left out: {why}"));
    let options = app::DashboardOptions {
        pages,
        has_configured_pages: !configured.is_empty(),
        hides_names: watch.hide_names,
        message,
        has_configured_message: !watch.message.trim().is_empty(),
        quiet: watch.quiet,
        sounds: [&watch.sound_high, &watch.sound_medium, &watch.sound_low].map(Clone::clone),
        on_high: on_high.unwrap_or_default(),
    };
    (options, problem)
}

/// The user's own themes.
fn custom_themes(themes: &[config::ThemeSettings]) -> Vec<CustomTheme> {
    let theme = |theme: &config::ThemeSettings| {
        let mut colors = CustomColors::default();
        for (place, color) in &theme.colors {
            colors.set(
                place,
                match color {
                    config::ThemeColor::Rgb(shade) => CustomColor::Rgb(*shade),
                    config::ThemeColor::Indexed(index) => CustomColor::Indexed(*index),
                },
            );
        }
        CustomTheme {
            name: theme.name.clone(),
            base: ColorScheme::from_name(&theme.base).unwrap_or_default(),
            colors,
        }
    };
    themes.iter().map(theme).collect()
}

/// The configured interval, or else the one saved by an earlier session.
fn select_poll_interval(config: &Config, saved: &BTreeMap<String, String>) -> Option<Duration> {
    let saved = saved
        .get(app::POLL_PREFERENCE)
        .filter(|_| config.console.poll.is_none());
    let saved = saved.and_then(|text| config::duration::parse_interval(text).ok());
    saved.map_or(config.poll, |every| {
        Some(every).filter(|every| !every.is_zero())
    })
}

/// The configured theme, or else the one saved by an earlier session; the same for the background,
/// until the terminal reports it.
fn select_theme(config: &Config, own: &[CustomTheme], saved: &BTreeMap<String, String>) -> Theme {
    let find = |name: &String| {
        let own = own
            .iter()
            .find(|theme| theme.name == *name)
            .map(|theme| (theme.base, Some(theme.colors)));
        own.or_else(|| Some((ColorScheme::from_name(name)?, None)))
    };
    let chosen = config
        .console
        .theme
        .as_ref()
        .or_else(|| saved.get(app::THEME_PREFERENCE));
    let (scheme, custom) = chosen.and_then(find).unwrap_or_default();
    Theme {
        scheme,
        custom,
        background: match config.light_background {
            Some(true) => Background::Light,
            Some(false) => Background::Dark,
            None if saved.contains_key(app::BACKGROUND_PREFERENCE) => Background::Light,
            None => Background::Dark,
        },
        depth: match config.color_support {
            config::ColorSupport::None => ColorDepth::None,
            config::ColorSupport::Ansi16 => ColorDepth::Ansi16,
            config::ColorSupport::Indexed256 => ColorDepth::Indexed256,
            config::ColorSupport::TrueColor => ColorDepth::TrueColor,
        },
        ascii: config.ascii,
    }
}

/// The local time zone's current offset from UTC.
pub fn local_utc_offset() -> FixedOffset {
    Local::now().offset().fix()
}

#[cfg(test)]
mod tests {
    use crate::config;
    use crate::ui::COLOR_PLACES;

    #[test]
    fn every_color_of_a_theme_in_the_configuration_has_a_place_on_the_screen() {
        let theme = config::SETTINGS
            .iter()
            .find(|setting| setting.name == "theme")
            .unwrap();
        let config::SettingType::NamedTables(settings) = theme.value else {
            panic!("{theme:?}")
        };
        let names: Vec<_> = settings
            .iter()
            .map(|setting| setting.name)
            .filter(|name| *name != "base")
            .collect();
        assert_eq!(names, COLOR_PLACES);
    }
}
