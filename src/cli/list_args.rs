//! `--limit` and `--sort` of lists that the service sends in one piece: they are arranged on this
//! machine.

use std::cmp::Ordering;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::{Request, Rows};
use crate::export::json::RawFields;

use super::columns::Column;
use super::error::{CliError, Context};
use super::output::{Output, to_raw_rows};
use super::print;
use super::session::Session;

#[derive(Clone, Debug, Default, Args)]
pub struct ListArgs {
    /// Maximum number of rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Sort by this field of the JSON, with :asc or :desc [default: ascending]
    #[arg(long, value_name = "FIELD")]
    sort: Option<String>,
}

impl ListArgs {
    /// Fetches a list that has a single page.
    pub(super) async fn fetch(
        &self,
        session: &Session,
        request: Request,
        columns: &[Column],
    ) -> Result<Rows<Box<RawValue>>, CliError> {
        self.order(columns)?;
        Ok(session.client.fetch_rows(request).await?.value)
    }

    /// Fetches and prints a list that has a single page, to `what`.
    pub(super) async fn fetch_and_print(
        &self,
        session: &Session,
        request: Request,
        columns: &'static [Column],
        what: &str,
    ) -> Result<(), CliError> {
        let fetched = async {
            let rows = self.fetch(session, request, columns).await?;
            self.print_fetched(rows, columns, session.output)
        };
        fetched.await.context(what)
    }

    /// Prints rows as the service sent them, which may not be all.
    pub(super) fn print_fetched(
        &self,
        mut rows: Rows<Box<RawValue>>,
        columns: &'static [Column],
        output: Output,
    ) -> Result<(), CliError> {
        rows.rows = self.arrange(rows.rows, columns)?;
        output.print_complete(&rows, columns, self.limit)
    }

    /// Prints rows that are all there are.
    pub(super) fn print_rows(
        &self,
        rows: impl IntoIterator<Item = impl Serialize>,
        columns: &'static [Column],
        output: Output,
    ) -> Result<(), CliError> {
        let rows = to_raw_rows(rows)?;
        let total = rows.len();
        let rows = self.arrange(rows, columns)?;
        output.print_rows(&rows, columns)?;
        if rows.len() < total {
            print::write_note(&format!("showing {} of {total}", rows.len()));
        }
        Ok(())
    }

    /// Sorts rows and cuts them at the limit.
    fn arrange(
        &self,
        mut rows: Vec<Box<RawValue>>,
        columns: &[Column],
    ) -> Result<Vec<Box<RawValue>>, CliError> {
        if let Some(order) = self.order(columns)? {
            order.sort(&mut rows);
        }
        rows.truncate(self.limit.map_or(usize::MAX, |limit| limit as usize));
        Ok(rows)
    }

    fn order<'c>(&self, columns: &'c [Column]) -> Result<Option<RowOrder<'c>>, CliError> {
        self.sort
            .as_deref()
            .map(|sort| RowOrder::parse(sort, columns))
            .transpose()
    }
}

/// How rows are sorted: by a field of their JSON.
pub(super) struct RowOrder<'c> {
    column: &'c Column,
    is_descending: bool,
}

impl<'c> RowOrder<'c> {
    /// Parses `FIELD`, `FIELD:asc` or `FIELD:desc`.
    pub(super) fn parse(sort: &str, columns: &'c [Column]) -> Result<RowOrder<'c>, CliError> {
        let (field, order) = sort.split_once(':').unwrap_or((sort, "asc"));
        let is_descending = match order {
            "asc" => false,
            "desc" => true,
            _ => {
                return Err(CliError::usage(format!(
                    "the order must be asc or desc, e.g. {field}:desc"
                )));
            }
        };
        if let Some(column) = columns.iter().find(|column| column.key == field) {
            return Ok(RowOrder {
                column,
                is_descending,
            });
        }
        let fields: Vec<&str> = columns.iter().map(|column| column.key).collect();
        let known = format!("the fields are {}", fields.join(", "));
        Err(CliError::usage(format!("cannot sort by {field:?}"))
            .with_hint(known)
            .with_closest(field, fields.into_iter()))
    }

    /// Sorts rows. Those without a value come last; those that compare as equal keep their order.
    pub(super) fn sort(&self, rows: &mut [Box<RawValue>]) {
        let value = |row: &RawValue| {
            let value = self
                .column
                .value_in(&RawFields::from_raw(row))
                .and_then(|value| serde_json::from_str(value.get()).ok());
            value.unwrap_or(Value::Null)
        };
        rows.sort_by_cached_key(|row| SortKey {
            value: value(row),
            is_descending: self.is_descending,
        });
    }
}

/// A value to sort by.
#[derive(PartialEq)]
struct SortKey {
    value: Value,
    is_descending: bool,
}

impl Eq for SortKey {}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = match (&self.value, &other.value) {
            (Value::Null, Value::Null) => Ordering::Equal,
            // Last, in both directions.
            (Value::Null, _) => return Ordering::Greater,
            (_, Value::Null) => return Ordering::Less,
            (Value::Number(one), Value::Number(two)) => one
                .as_f64()
                .unwrap_or_default()
                .total_cmp(&two.as_f64().unwrap_or_default()),
            (Value::Number(_), _) => Ordering::Less,
            (_, Value::Number(_)) => Ordering::Greater,
            (one, two) => sort_text(one).cmp(&sort_text(two)),
        };
        if self.is_descending {
            order.reverse()
        } else {
            order
        }
    }
}

/// Texts are sorted without regard to capital letters.
fn sort_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::super::columns::VIEW_COLUMNS;
    use super::*;

    fn names(limit: Option<u32>, sort: &str) -> Result<Vec<String>, CliError> {
        let rows = [
            r#"{"name":"b","records_count":12}"#,
            r#"{"name":"a"}"#,
            r#"{"name":"C","records_count":5}"#,
        ];
        let rows = rows.map(|row| serde_json::from_str(row).unwrap()).to_vec();
        let rows = ListArgs {
            limit,
            sort: Some(sort.to_owned()),
        }
        .arrange(rows, VIEW_COLUMNS)?;
        Ok(rows
            .iter()
            .map(|row| {
                serde_json::from_str::<Value>(row.get()).unwrap()["name"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect())
    }

    #[test]
    fn rows_are_sorted_by_numbers_or_without_regard_to_capital_letters_and_missing_values_are_last()
    {
        assert_eq!(names(None, "name").unwrap(), ["a", "b", "C"]);
        assert_eq!(names(Some(2), "name:desc").unwrap(), ["C", "b"]);
        assert_eq!(names(None, "records_count").unwrap(), ["C", "b", "a"]);
        assert_eq!(names(None, "records_count:desc").unwrap(), ["b", "C", "a"]);
    }

    #[test]
    fn an_unknown_field_names_the_closest_one() {
        let error = names(None, "nam").unwrap_err();
        assert_eq!(
            error,
            CliError::usage("cannot sort by \"nam\"").with_hint("did you mean name?")
        );
        let far = names(None, "city").unwrap_err().to_line().unwrap();
        assert!(
            far.starts_with("cannot sort by \"city\"; the fields are id, dataset, "),
            "{far}"
        );
        assert!(
            names(None, "name:up")
                .unwrap_err()
                .message
                .unwrap()
                .contains("asc or desc")
        );
    }
}
