//! `--template`: a line of text for each row, in the language of Jinja.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use super::columns::Column;
use super::error::CliError;

/// The name of the only template.
const NAME: &str = "row";

/// A template with the fields of a row as its variables.
pub(super) struct RowTemplate(Environment<'static>);

impl RowTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// A usage error with the reason.
    pub(super) fn parse(template: &str) -> Result<RowTemplate, CliError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        // A field without a value is empty, not "none".
        environment.set_formatter(|out, state, value| match value.is_none() {
            true => Ok(()),
            false => minijinja::escape_formatter(out, state, value),
        });
        environment
            .add_template_owned(NAME, template.to_owned())
            .map_err(|error| {
                CliError::usage(format!(
                    "--template {template:?} is not valid: {}",
                    reason(&error)
                ))
            })?;
        Ok(RowTemplate(environment))
    }

    /// The fields that the template uses.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self
            .0
            .get_template(NAME)
            .map(|template| template.undeclared_variables(false))
            .unwrap_or_default();
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        names
    }

    /// The text of a row, with the end of its line.
    pub(super) fn render(&self, json: &str, columns: &[Column]) -> Result<String, CliError> {
        let failed = |why: String| CliError::failed(format!("--template: {why}"));
        let row: serde_json::Value =
            serde_json::from_str(json).map_err(|error| failed(error.to_string()))?;
        let mut fields: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        let sent = crate::export::json::RawFields::parse(json);
        for column in columns {
            let value = column
                .value_in(&sent)
                .and_then(|value| serde_json::from_str(value.get()).ok());
            fields.insert(column.key.to_owned(), value.unwrap_or_default());
        }
        if let serde_json::Value::Object(row) = row {
            fields.extend(row);
        }
        let rendered = self
            .0
            .get_template(NAME)
            .and_then(|template| template.render(Serde(&fields)));
        rendered
            .map(|text| text + "\n")
            .map_err(|error| failed(reason(&error)))
    }
}

fn reason(error: &minijinja::Error) -> String {
    error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::columns::VIEW_COLUMNS;
    use super::*;
    use crate::domain::exit_status;

    #[test]
    fn a_row_becomes_a_line_and_a_missing_value_an_empty_one() {
        let template = RowTemplate::parse(
            "{{ name | upper }}: {{ records_count or 'none' }}{{ description }} {{ owner.name }}",
        )
        .unwrap();
        assert_eq!(
            template.names(),
            ["description", "name", "owner", "records_count"]
        );
        assert_eq!(
            template
                .render(r#"{"name":"a < b"}"#, VIEW_COLUMNS)
                .unwrap(),
            "A < B: none \n"
        );
        let row = r#"{"name":"x","records_count":7,"description":"!","owner":{"name":"Ann"}}"#;
        assert_eq!(template.render(row, VIEW_COLUMNS).unwrap(), "X: 7! Ann\n");
        let list = RowTemplate::parse("{% for tag in tags %}#{{ tag }} {% endfor %}").unwrap();
        assert_eq!(
            list.render(r#"{"tags":["a","b"]}"#, &[]).unwrap(),
            "#a #b \n"
        );
    }

    #[test]
    fn a_template_that_cannot_be_read_says_why() {
        let error = RowTemplate::parse("{{ name").err().unwrap();
        assert_eq!(error.exit_status, exit_status::USAGE);
        assert!(
            error
                .message
                .as_ref()
                .unwrap()
                .starts_with("--template \"{{ name\" is not valid: "),
            "{error:?}"
        );
    }
}
