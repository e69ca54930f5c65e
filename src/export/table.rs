//! Rows as a list shows them, as text: tab-separated for a spreadsheet, CSV, JSON Lines or
//! Markdown.
//!
//! Values are texts, numbers without a needless fraction, or missing.

use serde_json::Value;

use super::csv::{value_text, write_rows};
use super::json::format_json;
use crate::text;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    /// The cells of each row, one for each column.
    pub rows: Vec<Vec<Value>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the field, for programs.
    pub key: String,
    /// The heading, for people.
    pub title: String,
}

impl Table {
    /// With a heading, to be pasted into a spreadsheet: a cell has no line end and is never a
    /// formula.
    pub fn to_tab_separated(&self) -> String {
        let cell = |text: &str| {
            text::escape_formula(&text::sanitize_line(&text.replace(['\t', '\r', '\n'], " ")))
                .into_owned()
        };
        let line = |cells: Vec<String>| cells.join("\t");
        let heading = line(
            self.columns
                .iter()
                .map(|column| cell(&column.title))
                .collect(),
        );
        let rows = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(|value| plain_or(value, cell)).collect()));
        std::iter::once(heading)
            .chain(rows)
            .collect::<Vec<_>>()
            .join("\n")
    }

    pub fn to_csv(&self) -> String {
        let cell = |text: &str| text::escape_formula(&text::sanitize_block(text)).into_owned();
        let heading = self
            .columns
            .iter()
            .map(|column| column.key.clone())
            .collect();
        write_rows(std::iter::once(heading).chain(self.rows.iter().map(|row| {
            row.iter()
                .map(|value| plain_or(value, cell))
                .collect::<Vec<_>>()
        })))
    }

    /// An object per line, with the fields in the order of the columns.
    pub fn to_json_lines(&self) -> String {
        let line = |row: &Vec<Value>| {
            let pair = |(column, value): (&Column, &Value)| {
                format!(
                    "{}:{}",
                    Value::from(column.key.as_str()),
                    plain_number(value)
                )
            };
            let pairs: Vec<String> = self.columns.iter().zip(row).map(pair).collect();
            format_json(&format!("{{{}}}", pairs.join(",")), false) + "\n"
        };
        self.rows.iter().map(line).collect()
    }

    /// A table of GitHub's Markdown, with columns as wide as their cells.
    pub fn to_markdown(&self) -> String {
        let cell = |text: &str| {
            let line = text.replace(['\t', '\r', '\n'], " ");
            text::sanitize_line(&line)
                .trim()
                .replace('\\', "\\\\")
                .replace('|', "\\|")
                .replace('<', "&lt;")
        };
        let heading: Vec<String> = self
            .columns
            .iter()
            .map(|column| cell(&column.title))
            .collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|value| plain_or(value, cell)).collect())
            .collect();
        let is_number = |at: usize| {
            let mut values = self
                .rows
                .iter()
                .filter_map(|row| row.get(at))
                .filter(|value| !value.is_null())
                .peekable();
            values.peek().is_some() && values.all(Value::is_number)
        };
        let widths: Vec<usize> = (0..heading.len())
            .map(|at| {
                rows.iter()
                    .chain([&heading])
                    .filter_map(|row| row.get(at))
                    .map(|cell| text::display_width(cell))
                    .max()
                    .unwrap_or(0)
                    .max(3)
            })
            .collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().enumerate().map(|(at, cell)| {
                let space = " ".repeat(widths[at].saturating_sub(text::display_width(cell)));
                if is_number(at) {
                    format!("{space}{cell}")
                } else {
                    format!("{cell}{space}")
                }
            });
            format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
        };
        let rule = |at: usize| {
            if is_number(at) {
                format!("{}:", "-".repeat(widths[at] - 1))
            } else {
                "-".repeat(widths[at])
            }
        };
        let rules: Vec<String> = (0..heading.len()).map(rule).collect();
        line(&heading)
            + &format!("| {} |\n", rules.join(" | "))
            + &rows.iter().map(|row| line(row)).collect::<String>()
    }
}

/// A value as text: numbers as they are, others made safe.
fn plain_or(value: &Value, safe: impl Fn(&str) -> String) -> String {
    if value.is_number() {
        plain_number(value).to_string()
    } else {
        safe(&value_text(value))
    }
}

/// A whole number without `.0`.
pub fn plain_number(value: &Value) -> Value {
    match value.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number well within i64"
        )]
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::from(number as i64)
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        let column = |key: &str, title: &str| Column {
            key: key.to_owned(),
            title: title.to_owned(),
        };
        Table {
            columns: vec![
                column("name", "NAME"),
                column("cost_usd", "COST"),
                column("tags", "TAGS"),
            ],
            rows: vec![
                vec![
                    json!("Harbor\tYard|North"),
                    json!(16_300_000.0),
                    json!("a, b"),
                ],
                vec![json!("=cmd()"), json!(null), json!("two\nlines")],
                vec![json!("塔"), json!(2.5), json!("")],
            ],
        }
    }

    #[test]
    fn a_spreadsheet_gets_a_heading_plain_numbers_and_no_formula() {
        let text = table().to_tab_separated();
        assert_eq!(
            text,
            "NAME\tCOST\tTAGS\nHarbor Yard|North\t16300000\ta, b\n'=cmd()\t\ttwo lines\n塔\t2.5\t"
        );
        let text = table().to_csv();
        assert!(
            text.starts_with("name,cost_usd,tags\n")
                && text.contains(",16300000,")
                && text.contains("'=cmd(),,\"two\nlines\""),
            "{text}"
        );
    }

    #[test]
    fn json_lines_keep_the_order_and_the_kind_of_values() {
        assert_eq!(
            table().to_json_lines().lines().next().unwrap(),
            r#"{"name":"Harbor\tYard|North","cost_usd":16300000,"tags":"a, b"}"#
        );
    }

    #[test]
    fn a_markdown_table_is_aligned_and_its_cells_are_escaped() {
        let expected = "\
| NAME               |     COST | TAGS      |
| ------------------ | -------: | --------- |
| Harbor Yard\\|North | 16300000 | a, b      |
| =cmd()             |          | two lines |
| 塔                 |      2.5 |           |
";
        assert_eq!(table().to_markdown(), expected);
    }
}
