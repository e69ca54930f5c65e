//! What `--json FIELD,…`, `--jq` and `--template` make of the JSON that is printed.
//!
//! Never here: where the JSON comes from, and where the result goes.

use serde_json::value::RawValue;

use crate::export::json::RawFields;

use super::columns::Column;
use super::error::CliError;
use super::jq::JqProgram;
use super::options::{GlobalOptions, OutputFormat};
use super::row_template::RowTemplate;

/// The options that choose what is printed of the JSON.
pub(super) struct Transform {
    /// The fields that are kept; all if there are none.
    fields: Vec<String>,
    script: Option<Script>,
}

enum Script {
    Jq(JqProgram),
    Template(Box<RowTemplate>),
}

impl Transform {
    /// Reads the options; `None` if they choose nothing.
    ///
    /// # Errors
    /// A program or template that cannot be read, or options that contradict each other: usage
    /// errors, before anything is requested.
    pub(super) fn from_options(options: &GlobalOptions) -> Result<Option<Transform>, CliError> {
        let fields: Vec<String> = options.json_fields().map(str::to_owned).collect();
        let script = match (&options.jq, &options.template) {
            (Some(program), _) => Some(Script::Jq(JqProgram::compile(program)?)),
            (None, Some(template)) => {
                Some(Script::Template(Box::new(RowTemplate::parse(template)?)))
            }
            (None, None) => None,
        };
        if script.is_some()
            && matches!(
                options.format,
                Some(OutputFormat::Table | OutputFormat::Csv)
            )
        {
            return Err(CliError::usage("--jq and --template print JSON")
                .with_hint("use them with --json or --format jsonl"));
        }
        Ok((script.is_some() || !fields.is_empty()).then_some(Transform { fields, script }))
    }

    /// Whether the rows of a list are printed one by one. A jq program without `--format jsonl`
    /// gets the whole list.
    pub(super) fn is_by_row(&self, format: OutputFormat) -> bool {
        !matches!(self.script, Some(Script::Jq(_))) || format == OutputFormat::Jsonl
    }

    /// Whether the result is text instead of JSON.
    pub(super) fn prints_text(&self) -> bool {
        self.script.is_some()
    }

    /// The text that the program or template makes of a value; `None` without one.
    pub(super) fn format(
        &self,
        json: &str,
        columns: &[Column],
    ) -> Result<Option<String>, CliError> {
        match &self.script {
            Some(Script::Jq(program)) => program.run(json).map(Some),
            Some(Script::Template(template)) => template.render(json, columns).map(Some),
            None => Ok(None),
        }
    }

    /// The chosen fields of an object, in the order in which they were asked for; of a list, those
    /// of its objects.
    pub(super) fn select(&self, value: &RawValue, columns: &[Column]) -> Box<RawValue> {
        if self.fields.is_empty() {
            return value.to_owned();
        }
        if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(value.get()) {
            let items: Vec<String> = items
                .iter()
                .map(|item| self.select(item, columns).get().to_owned())
                .collect();
            return raw(format!("[{}]", items.join(",")));
        }
        if !value.get().starts_with('{') {
            return value.to_owned();
        }
        let sent = RawFields::from_raw(value);
        let field = |name: &String| {
            let column = columns.iter().find(|column| column.key == name);
            let value = column
                .map_or_else(|| sent.get(name), |column| column.value_in(&sent))
                .map_or("null", RawValue::get);
            format!("{}:{value}", serde_json::Value::from(name.as_str()))
        };
        raw(format!(
            "{{{}}}",
            self.fields.iter().map(field).collect::<Vec<_>>().join(",")
        ))
    }

    /// Starts to watch for fields that no row has: they are probably misspelled.
    pub(super) fn expect_fields(&self, columns: &[Column]) -> ExpectedFields {
        let names = match &self.script {
            Some(Script::Template(template)) if self.fields.is_empty() => template.names(),
            _ => self.fields.clone(),
        };
        let known: Vec<String> = columns.iter().map(|column| column.key.to_owned()).collect();
        ExpectedFields {
            unseen: names
                .into_iter()
                .filter(|name| !known.contains(name))
                .collect(),
            known,
            has_rows: false,
        }
    }
}

fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("it is put together from JSON")
}

/// The fields that were asked for and have been in no row yet.
pub(super) struct ExpectedFields {
    unseen: Vec<String>,
    /// The fields that there are.
    known: Vec<String>,
    has_rows: bool,
}

impl ExpectedFields {
    pub(super) fn see(&mut self, value: &RawValue) {
        if self.unseen.is_empty() {
            return;
        }
        if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(value.get()) {
            return items.iter().for_each(|item| self.see(item));
        }
        let sent = RawFields::from_raw(value);
        self.has_rows = true;
        self.unseen.retain(|name| sent.get(name).is_none());
        for (name, _) in sent.iter() {
            if !self.known.iter().any(|known| known == name) {
                self.known.push(name.to_owned());
            }
        }
    }

    /// An error if a field was in no row. The rows are printed by then: they may have been paid
    /// for.
    pub(super) fn check(&self) -> Result<(), CliError> {
        let Some(name) = self.unseen.first().filter(|_| self.has_rows) else {
            return Ok(());
        };
        let known = format!("the fields are {}", self.known.join(", "));
        Err(CliError::usage(format!("there is no field {name:?}"))
            .with_hint(known)
            .with_closest(name, self.known.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::Args;
    use super::super::columns::VIEW_COLUMNS;
    use super::*;
    use crate::domain::exit_status;

    fn transform(line: &str) -> Result<Option<Transform>, CliError> {
        let words: Vec<&str> = line.split(' ').collect();
        Transform::from_options(&Args::try_parse_from(words).unwrap().options)
    }

    fn value(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn fields_come_in_the_order_in_which_they_are_asked_for_by_any_name_that_the_service_uses() {
        let fields = transform("gantry views list --json=name,id,color")
            .unwrap()
            .unwrap();
        let row = value(r#"{"view_id":"v","name":"Towers","color":7,"rest":1}"#);
        assert_eq!(
            fields.select(&row, VIEW_COLUMNS).get(),
            r#"{"name":"Towers","id":"v","color":7}"#
        );
        assert_eq!(
            fields
                .select(&value(r#"[{"name":"a"},3]"#), VIEW_COLUMNS)
                .get(),
            r#"[{"name":"a","id":null,"color":null},3]"#
        );
    }

    #[test]
    fn a_field_that_no_row_has_is_an_error_and_one_that_only_some_rows_have_is_not() {
        let fields = transform("gantry views list --json=nam,color")
            .unwrap()
            .unwrap();
        let mut expected = fields.expect_fields(VIEW_COLUMNS);
        assert_eq!(expected.check(), Ok(()), "no row, no error");
        expected.see(&value(r#"{"name":"Towers","color":7}"#));
        expected.see(&value(r#"{"name":"Yards"}"#));
        assert_eq!(
            expected.check(),
            Err(CliError::usage("there is no field \"nam\"").with_hint("did you mean name?"))
        );
        let mut expected = transform("gantry views list --json=color")
            .unwrap()
            .unwrap()
            .expect_fields(VIEW_COLUMNS);
        expected.see(&value(r#"[{"name":"Towers","color":7}]"#));
        assert_eq!(expected.check(), Ok(()));
    }

    #[test]
    fn a_program_that_cannot_be_read_is_a_usage_error() {
        for line in [
            "gantry views list --jq .[",
            "gantry views list --template {{",
            "gantry views list --jq . --format csv",
        ] {
            assert_eq!(
                transform(line).err().map(|error| error.exit_status),
                Some(exit_status::USAGE),
                "{line}"
            );
        }
        assert!(transform("gantry views list --json").unwrap().is_none());
    }
}
