//! What a search reads of a workspace, as SQL with bound values: its book, its Static Views, and which
//! contacts it sees. Names come from the table of fields; user input is always bound.

use uuid::Uuid;

use super::criterion::{Predicate, RangeBound};
use super::fields::{FilterColumn, FilterKey};
use super::{SearchContext, SearchScope};
use crate::domain::WorkspaceId;
use crate::service::dataset::Dataset;
use crate::service::db::sql::Value;

/// A condition under construction, and the values it binds.
#[derive(Default)]
pub struct SqlBuilder {
    /// The values, in the order of their numbers.
    pub values: Vec<Value>,
}

/// The tables of a scope and the condition that a record is in it.
pub struct FromClause {
    pub tables: String,
    pub condition: String,
}

impl SqlBuilder {
    pub fn new() -> Self {
        SqlBuilder::default()
    }

    /// Binds a value and returns its placeholder: `?3`.
    pub fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    fn bind_id(&mut self, id: Uuid) -> String {
        self.bind(id.into_bytes().to_vec())
    }

    /// A table with these numbers in its only column, `value`. With `'$'`, PostgreSQL reads numbers
    /// instead of texts.
    pub fn number_table(&mut self, rows: &[i64]) -> String {
        format!(
            "json_each({}, '$')",
            self.bind(serde_json::json!(rows).to_string())
        )
    }

    /// The records of a book or a Static View, as `r`, starting from its rows.
    pub fn book_or_view_tables(&mut self, call: &SearchContext<'_>) -> FromClause {
        let (table, workspace) = (call.dataset.plural(), self.bind_id(call.workspace.0));
        match &call.scope {
            SearchScope::Static(view) => FromClause {
                tables: format!("view_records v CROSS JOIN {table} r"),
                condition: format!(
                    "v.workspace_id = {workspace} AND v.view_id = {} AND r.id = v.record_id",
                    self.bind_id(view.0)
                ),
            },
            _ => FromClause {
                tables: format!("book b CROSS JOIN {table} r"),
                condition: format!(
                    "b.workspace_id = {workspace} AND b.dataset = '{}' AND r.id = b.record_id",
                    call.dataset.singular()
                ),
            },
        }
    }

    /// The records in a workspace's book whose annotation passes a test.
    pub fn book_tables(
        &mut self,
        workspace: WorkspaceId,
        dataset: Dataset,
        field: &FilterKey,
        test: &Predicate,
    ) -> FromClause {
        let workspace = self.bind_id(workspace.0);
        let passes = self.annotation_condition(field, test);
        FromClause {
            tables: format!("book b CROSS JOIN {} r", dataset.plural()),
            condition: format!(
                "b.workspace_id = {workspace} AND b.dataset = '{}' AND {passes} AND r.id = b.record_id",
                dataset.singular()
            ),
        }
    }

    /// That a row `b` of the book passes a test.
    fn annotation_condition(&mut self, field: &FilterKey, test: &Predicate) -> String {
        let (column, is_tags) = match field.column {
            FilterColumn::Book => (format!("b.{}", field.key), false),
            _ => ("b.tags".to_owned(), true),
        };
        match test {
            Predicate::Known if is_tags => format!("{column} <> '[]'"),
            Predicate::Within(min, max) => {
                let ends = [(">=", min), ("<=", max)].map(|(op, end)| {
                    end.map(|end| format!(" AND {column} {op} {}", self.bind_range_bound(end)))
                });
                format!(
                    "{column} IS NOT NULL{}",
                    ends.into_iter().flatten().collect::<String>()
                )
            }
            Predicate::Is(texts) if is_tags => {
                let each = self.bind_texts(texts.iter().cloned());
                format!("EXISTS (SELECT 1 FROM json_each({column}) t WHERE t.value IN ({each}))")
            }
            Predicate::Is(texts) => {
                format!("{column} IN ({})", self.bind_texts(texts.iter().cloned()))
            }
            _ => format!("{column} IS NOT NULL"),
        }
    }

    pub fn bind_texts(&mut self, texts: impl Iterator<Item = String>) -> String {
        texts
            .map(|one| self.bind(one))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn bind_range_bound(&mut self, end: RangeBound) -> String {
        match end {
            RangeBound::Whole(number) => self.bind(number),
            RangeBound::Real(number) => format!("CAST({} AS DOUBLE PRECISION)", self.bind(number)),
        }
    }
}

/// That the record `r` is visible to the workspace: every account and project is, and so is a
/// contact in its book, on a project or in one of its Views.
pub fn visibility_condition(dataset: Dataset, workspace: &str) -> String {
    if dataset != Dataset::Contacts {
        return format!("CAST({workspace} AS BLOB) IS NOT NULL");
    }
    format!(
        "(r.projects_count > 0
          OR EXISTS (SELECT 1 FROM book i WHERE i.workspace_id = {workspace} AND i.dataset = 'contact' AND i.record_id = r.id)
          OR EXISTS (SELECT 1 FROM view_records i WHERE i.workspace_id = {workspace} AND i.record_id = r.id))"
    )
}
