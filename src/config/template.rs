//! The configuration file as it is created: every setting as a comment.

use super::setting::{Setting, SettingType};
use super::settings::SETTINGS;

/// A configuration file with all settings, as comments.
pub(super) fn write_template() -> String {
    let mut text =
        "# gantry's configuration. Every setting is a comment: remove the # before it and before the [section] above it.\n\
                    # gantry config check checks this file, gantry config get shows what is in effect.\n"
            .to_owned();
    write_settings(&mut text, SETTINGS, "");
    text
}

fn write_settings(text: &mut String, settings: &[Setting], table: &str) {
    let (tables, values): (Vec<&Setting>, Vec<&Setting>) =
        settings.iter().partition(|setting| setting.is_table());
    for setting in values {
        text.push_str(&format!(
            "# {}\n#{} = {}\n",
            setting.description,
            setting.name,
            setting.example()
        ));
    }
    for setting in tables {
        let name = format!("{table}{}", setting.name);
        let (header, inner): (String, &[Setting]) = match &setting.value {
            SettingType::Table(inner) if inner.iter().all(Setting::is_table) => {
                write_settings(text, inner, &format!("{name}."));
                continue;
            }
            SettingType::Table(inner) => (format!("[{name}]"), inner),
            SettingType::NamedTables(inner) => (format!("[{name}.NAME]"), inner),
            SettingType::TableList(inner) => (format!("[[{name}]]"), inner),
            _ => (format!("[{name}]"), &[]),
        };
        text.push_str(&format!("\n# {}\n#{header}\n", setting.description));
        if let SettingType::NamedTexts(example) = &setting.value {
            text.push_str(&format!("#NAME = {example:?}\n"));
        }
        if let SettingType::Keys(presets) = &setting.value {
            text.push_str(&format!(
                "#preset = {:?}\n#\"queue.done\" = [\"e\"]\n",
                presets.first().unwrap_or(&"")
            ));
        }
        write_settings(text, inner, &format!("{name}."));
    }
}
