//! Reads the values of `config.toml`: what is wrong is reported with its line, and the rest of the
//! file is used.
//!
//! Never here: which settings there are (`settings`), the file itself (`file`).

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::config_error::ConfigError;
use super::setting::Setting;
use super::setting_kinds::{SettingKind, Text};
use crate::domain::fuzzy;

/// A value in the file.
pub type TomlValue<'i> = Spanned<DeValue<'i>>;

pub type ReadResult<T> = Result<T, ConfigError>;

pub struct ConfigReader<'a> {
    locate: &'a dyn Fn(Range<usize>) -> String,
    warnings: RefCell<Vec<String>>,
}

/// A table whose keys are settings.
pub struct Section<'a> {
    reader: &'a ConfigReader<'a>,
    table: Option<&'a DeTable<'a>>,
}

impl<'a> Section<'a> {
    /// The value of a setting, or else its default.
    pub fn value<K: SettingKind<Value: Default>>(&self, key: &str, default: &str) -> K::Value {
        let found = self.table.and_then(|table| table.get(key));
        found
            .and_then(|value| K::read_usable(self.reader, value))
            .or_else(|| K::read_default(default))
            .unwrap_or_default()
    }
}

impl<'a> ConfigReader<'a> {
    /// A reader whose errors begin with what `locate` says of their place, unless that is empty.
    pub(super) fn new(locate: &'a dyn Fn(Range<usize>) -> String) -> ConfigReader<'a> {
        ConfigReader {
            locate,
            warnings: RefCell::default(),
        }
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings.into_inner()
    }

    /// File and line.
    pub(super) fn locate(&self, span: Range<usize>) -> String {
        (self.locate)(span)
    }

    /// Returns a value, or adds a warning: a mistake in one setting must not keep gantry from
    /// starting.
    pub(super) fn value_or_warning<T>(&self, value: ReadResult<T>) -> Option<T> {
        value
            .map_err(|wrong| self.warn(format!("{wrong}; using the default")))
            .ok()
    }

    pub(super) fn warn(&self, warning: String) {
        self.warnings.borrow_mut().push(warning);
    }

    /// The settings of a table; adds a warning for each key that is none of these.
    pub(super) fn section<'v>(
        &'v self,
        value: &'v TomlValue<'v>,
        known: &[Setting],
    ) -> ReadResult<Section<'v>> {
        let table = self.expect_table(value)?;
        Ok(self.section_of_table(table, known))
    }

    pub(super) fn section_of_table<'v>(
        &'v self,
        table: &'v DeTable<'v>,
        known: &[Setting],
    ) -> Section<'v> {
        for wrong in self.unknown_keys(table, known) {
            self.warn(wrong.message);
        }
        Section {
            reader: self,
            table: Some(table),
        }
    }

    pub(super) fn empty_section(&self) -> Section<'_> {
        Section {
            reader: self,
            table: None,
        }
    }

    /// Rejects a table in which one of these settings has a wrong value.
    pub(super) fn check_values<'s>(
        &self,
        table: &DeTable<'_>,
        mut settings: impl Iterator<Item = &'s Setting>,
    ) -> ReadResult<()> {
        settings.try_for_each(|setting| match table.get(setting.name) {
            Some(value) => (setting.check)(self, value),
            None => Ok(()),
        })
    }

    /// What is wrong with the keys of a table that are none of these.
    pub(super) fn unknown_keys(&self, table: &DeTable<'_>, known: &[Setting]) -> Vec<ConfigError> {
        let known: Vec<&str> = known.iter().map(|setting| setting.name).collect();
        let unknown = table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()));
        let errors = unknown.map(|key| {
            let name = key.get_ref();
            let hint = match fuzzy::closest_match(name, known.iter().copied()) {
                Some(name) => format!("did you mean {name}?"),
                None => format!("known here: {}", known.join(", ")),
            };
            self.error_at(key.span(), &format!("unknown key {name}; {hint}"))
        });
        errors.collect()
    }

    pub(super) fn expect_table<'v, 'i>(
        &self,
        value: &'v TomlValue<'i>,
    ) -> ReadResult<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        table.ok_or_else(|| self.error_at(value.span(), "expected a table"))
    }

    pub(super) fn expect_list<'v, 'i>(
        &self,
        value: &'v TomlValue<'i>,
        what: &str,
    ) -> ReadResult<&'v [TomlValue<'i>]> {
        let list = value.get_ref().as_array();
        list.map(|list| &list[..])
            .ok_or_else(|| self.error_at(value.span(), &format!("expected {what}")))
    }

    /// A value that is written as a text.
    pub(super) fn parse<T>(
        &self,
        value: &TomlValue<'_>,
        parse: fn(&str) -> Result<T, String>,
    ) -> ReadResult<T> {
        parse(&Text::read(self, value)?).map_err(|why| self.error_at(value.span(), &why))
    }

    pub(super) fn error_at(&self, span: Range<usize>, why: &str) -> ConfigError {
        let place = self.locate(span);
        ConfigError::new(if place.is_empty() {
            why.to_owned()
        } else {
            format!("{place}: {why}")
        })
    }
}
