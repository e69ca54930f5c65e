//! What is known of a setting: [`Setting`], and the macro [`settings`] that declares a table of
//! them together with the struct of their values.
//!
//! Never here: which settings there are (`settings`), the kinds of values (`setting_kinds`).

use super::reader::{ConfigReader, ReadResult, Section, TomlValue};
use super::setting_kinds::SettingKind;

/// A setting, or a table of settings.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub value: SettingType,
    /// One sentence without a period.
    pub description: &'static str,
    /// The value without the setting, as TOML; empty if there is none.
    pub default: &'static str,
    /// What it is called on the screen; empty if its key says it.
    pub label: &'static str,
    /// A changed value applies only when the program starts again: the connection of a running
    /// console stays as it is.
    pub applies_at_start: bool,
    /// Says what is wrong with a value.
    pub(super) check: CheckValue,
}

type CheckValue = fn(&ConfigReader<'_>, &TomlValue<'_>) -> ReadResult<()>;

#[derive(Clone, Copy, Debug)]
pub enum SettingType {
    Text,
    Bool,
    /// A flag that is on if its value is wrong.
    Protection,
    /// A number of credits.
    Credits,
    /// A text of a certain form.
    Formatted(&'static TextFormat),
    /// `#5fd7d7`, `bright-blue` or `110`.
    Color,
    /// One of these words.
    Keyword(&'static [&'static str]),
    /// A list of these words.
    KeywordList(&'static [&'static str]),
    TextList,
    /// A text or a list of texts.
    TextOrList,
    /// `[table]`.
    Table(&'static [Setting]),
    /// `[table.NAME]`.
    NamedTables(&'static [Setting]),
    /// `[table]` with texts by names of the user; an example of one.
    NamedTexts(&'static str),
    /// `[[table]]`, or a list of inline tables.
    TableList(&'static [Setting]),
    /// `[keys]`: one of these presets, and keys by command.
    Keys(&'static [&'static str]),
}

/// The form of a text.
#[derive(Debug, PartialEq)]
pub struct TextFormat {
    /// For whoever types it.
    pub hint: &'static str,
    /// A regular expression; empty if any text has the form.
    pub pattern: &'static str,
    pub example: &'static str,
}

impl Setting {
    pub(super) const fn new<K: SettingKind>(
        name: &'static str,
        description: &'static str,
    ) -> Setting {
        Setting {
            name,
            value: K::TYPE,
            description: without_period(description),
            default: "",
            label: "",
            applies_at_start: false,
            check: |reader, value| K::read(reader, value).map(drop),
        }
    }

    pub(super) const fn or(self, default: &'static str) -> Setting {
        Setting { default, ..self }
    }

    pub(super) const fn called(self, label: &'static str) -> Setting {
        Setting { label, ..self }
    }

    pub(super) const fn at_start(self) -> Setting {
        Setting {
            applies_at_start: true,
            ..self
        }
    }

    pub(super) const fn is_table(&self) -> bool {
        use SettingType::{Keys, NamedTables, NamedTexts, Table, TableList};
        matches!(
            self.value,
            Table(_) | NamedTables(_) | NamedTexts(_) | TableList(_) | Keys(_)
        )
    }

    /// A value of the setting's type, as TOML: the default if there is one. Tables have none.
    pub(super) fn example(&self) -> String {
        match self.value {
            _ if !self.default.is_empty() => self.default.to_owned(),
            SettingType::Bool | SettingType::Protection => "true".to_owned(),
            SettingType::Formatted(format) => format!("{:?}", format.example),
            // Not the color of the text.
            SettingType::Color if self.name == "background" => "\"#121212\"".to_owned(),
            SettingType::Color => "\"#5fd7d7\"".to_owned(),
            SettingType::Credits => "1000".to_owned(),
            SettingType::Keyword(words) => format!("{:?}", words.first().unwrap_or(&"")),
            SettingType::KeywordList(words) => format!("{words:?}"),
            SettingType::TextList | SettingType::TextOrList => "[\"TEXT\"]".to_owned(),
            _ => "\"TEXT\"".to_owned(),
        }
    }
}

/// The text of a doc comment, which is shown without the period at its end.
const fn without_period(doc: &'static str) -> &'static str {
    let text = doc.trim_ascii();
    match text.as_bytes() {
        [rest @ .., b'.'] => text.split_at(rest.len()).0,
        _ => text,
    }
}

/// Settings of a table as one value.
pub trait SettingTable: Sized {
    const SETTINGS: &'static [Setting];

    fn read_section(section: &Section<'_>) -> Self;

    /// The value without any of the settings.
    fn without_settings() -> Self {
        let reader = ConfigReader::new(&|_| String::new());
        Self::read_section(&reader.empty_section())
    }
}

/// A table that gantry writes into the file.
pub trait WrittenTable {
    /// The settings that have a value, a line each.
    fn write_settings(&self) -> String;
}

/// Declares the settings of a table: a line each with its key, the kind of its value, the default
/// as TOML, what the screen calls it, and `at_start` if a change applies only then. The doc comment
/// is the description that people see.
///
/// `struct` also declares the struct of the values; `impl` fills one that is declared elsewhere,
/// and names the field of each setting. `is written` is for tables that gantry also writes.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $table:ident $(is $written:ident)? {
            $(
                $(#[doc = $doc:literal])+
                $key:ident: $kind:ty $(= $default:tt)? $(, $label:literal)? $(, $flag:ident)?;
            )+
            $(also { $($(#[$also_meta:meta])* $also:ident: $also_type:ty;)+ })?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $table {
            $($(#[doc = $doc])+ pub $key: <$kind as SettingKind>::Value,)+
            $($($(#[$also_meta])* pub $also: $also_type,)+)?
        }

        impl Default for $table {
            fn default() -> Self {
                Self::without_settings()
            }
        }

        settings! {
            @table $table [$(
                [$($doc)+] $key: $kind, [$($default)?] [$(.called($label))? $(.$flag())?];
            )+]
            |section| $table {
                $($key: section.value::<$kind>(stringify!($key), stringify!($($default)?)),)+
                $($($also: Default::default(),)+)?
            }
        }
        settings! { @written [$($written)?] $table [$($key => $key: $kind;)+] }
    };
    (
        impl $table:ident $(is $written:ident)? {
            $(
                $(#[doc = $doc:literal])+
                $key:ident => $($field:ident).+: $kind:ty
                $(= $default:tt)? $(, $label:literal)? $(, $flag:ident)?;
            )+
        }
    ) => {
        settings! {
            @table $table [$(
                [$($doc)+] $key: $kind, [$($default)?] [$(.called($label))? $(.$flag())?];
            )+]
            |section| {
                let mut read = $table::default();
                $(
                    read.$($field).+ =
                        section.value::<$kind>(stringify!($key), stringify!($($default)?));
                )+
                read
            }
        }
        settings! { @written [$($written)?] $table [$($key => $($field).+: $kind;)+] }
    };
    (@written [] $($rest:tt)*) => {};
    (@written [written] $table:ident [$($key:ident => $($field:ident).+: $kind:ty;)+]) => {
        impl WrittenTable for $table {
            fn write_settings(&self) -> String {
                let settings = [$((stringify!($key), <$kind>::write(&self.$($field).+)),)+];
                let settings = settings.into_iter();
                let lines = settings
                    .filter_map(|(key, value)| Some(format!("{key} = {}\n", value?)));
                lines.collect()
            }
        }
    };
    (
        @table $table:ident [$(
            [$($doc:literal)+] $key:ident: $kind:ty, [$($default:tt)?] [$($builder:tt)*];
        )+]
        |$section:ident| $read:expr
    ) => {
        impl SettingTable for $table {
            const SETTINGS: &'static [Setting] = &[$(
                Setting::new::<$kind>(stringify!($key), concat!($($doc),+))
                    .or(stringify!($($default)?))
                    $($builder)*,
            )+];

            fn read_section($section: &Section<'_>) -> Self {
                $read
            }
        }

        impl SettingKind for $table {
            type Value = $table;
            const TYPE: SettingType = SettingType::Table(Self::SETTINGS);

            fn read(reader: &ConfigReader<'_>, value: &TomlValue<'_>) -> ReadResult<$table> {
                let section = reader.section(value, Self::SETTINGS)?;
                Ok(Self::read_section(&section))
            }
        }
    };
}
pub(super) use settings;
