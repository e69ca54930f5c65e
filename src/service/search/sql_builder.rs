//! Criteria to SQL: conditions with bound values. Names come from the table of fields; user input
//! is always bound.
//!
//! A plus before a column keeps SQLite from using it for lookups. Which rows are read, and in what
//! order, is decided in [`super::planner`] and by the order of the page: conditions only test rows
//! that are already read.

use uuid::Uuid;

use super::criterion::{Criterion, Predicate, RangeBound};
use super::fields::{FilterColumn, FilterKey, FilterKind, RelationJoin, TextMatch};
use super::{SearchContext, SearchScope};
use crate::domain::WorkspaceId;
use crate::service::dataset::Dataset;
use crate::service::db::full_text;
use crate::service::db::sql::Value;

/// A condition under construction, and the values it binds.
#[derive(Default)]
pub struct SqlBuilder {
    /// The values, in the order of their numbers.
    pub values: Vec<Value>,
    alias_count: usize,
}

/// The tables of a scope and the condition that a record is in it.
pub struct FromClause {
    pub tables: String,
    pub condition: String,
}

/// A record in a statement: its dataset, its alias, and the alias of the row that relates it.
#[derive(Clone, Copy)]
struct RecordAlias<'a> {
    dataset: Dataset,
    alias: &'a str,
    join_alias: &'a str,
    /// The prefix of its columns: empty if rows may be looked up by them.
    column_prefix: &'a str,
}

/// A join with its own aliases: the tables that lead from a record to its related records, the
/// condition, and the aliases of the related record and of the row between them.
struct JoinPath {
    tables: String,
    condition: String,
    related_alias: String,
    join_alias: String,
}

impl JoinPath {
    /// The same without the related record, if the row between them is sufficient.
    fn without_record(self, link: &RelationJoin, record: &str) -> JoinPath {
        if link.join_table.is_empty() {
            return self;
        }
        let condition = link
            .near_condition
            .replace("$l", &self.join_alias)
            .replace("$r", record);
        JoinPath {
            tables: format!("{} {}", link.join_table, self.join_alias),
            condition,
            ..self
        }
    }
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

    /// The records of a scope, as `r`, with their rows in the book, as `b`: those of `rows`, or
    /// otherwise all, in an order of the book (`book_first`) or of the records.
    pub fn scope_tables(
        &mut self,
        call: &SearchContext<'_>,
        rows: Option<&[i64]>,
        book_first: bool,
    ) -> FromClause {
        let (table, word) = (call.dataset.plural(), call.dataset.singular());
        let (records, listed) = match rows {
            Some(rows) => (
                format!("{} k CROSS JOIN {table} r", self.number_table(rows)),
                "r.rowid = k.value",
            ),
            None => (format!("{table} r"), "TRUE"),
        };
        if matches!(call.scope, SearchScope::Data) {
            return FromClause {
                tables: records,
                condition: listed.to_owned(),
            };
        }
        let workspace = self.bind_id(call.workspace.0);
        let overlay = format!(
            "LEFT JOIN book b ON b.workspace_id = {workspace} AND b.dataset = '{word}' AND b.record_id = r.id"
        );
        match &call.scope {
            SearchScope::Data | SearchScope::Book => FromClause {
                tables: match rows {
                    None if book_first => format!("book b CROSS JOIN {table} r"),
                    _ => format!("{records} CROSS JOIN book b"),
                },
                condition: format!(
                    "{listed} AND b.workspace_id = {workspace} AND b.dataset = '{word}' AND b.record_id = r.id"
                ),
            },
            SearchScope::Static(view) => {
                let view = self.bind_id(view.0);
                FromClause {
                    tables: format!("{records} CROSS JOIN view_records v {overlay}"),
                    condition: format!(
                        "{listed} AND v.workspace_id = {workspace} AND v.view_id = {view} AND v.record_id = r.id"
                    ),
                }
            }
            SearchScope::Dynamic(..) => FromClause {
                tables: format!("{records} {overlay}"),
                condition: format!(
                    "{listed} AND {}",
                    visibility_condition(call.dataset, &workspace)
                ),
            },
        }
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
        let record = RecordAlias {
            dataset,
            alias: "r",
            join_alias: "",
            column_prefix: "",
        };
        let passes = self.predicate_condition(record, field, test);
        FromClause {
            tables: format!("book b CROSS JOIN {} r", dataset.plural()),
            condition: format!(
                "b.workspace_id = {workspace} AND b.dataset = '{}' AND {passes} AND r.id = b.record_id",
                dataset.singular()
            ),
        }
    }

    /// The condition that the record `r` matches a criterion.
    pub fn test_condition(&mut self, dataset: Dataset, criterion: &Criterion) -> String {
        self.criterion_condition(
            RecordAlias {
                dataset,
                alias: "r",
                join_alias: "",
                column_prefix: "+",
            },
            criterion,
        )
    }

    /// The same, but rows may be looked up by the criterion.
    pub fn lookup_condition(&mut self, dataset: Dataset, criterion: &Criterion) -> String {
        self.criterion_condition(
            RecordAlias {
                dataset,
                alias: "r",
                join_alias: "",
                column_prefix: "",
            },
            criterion,
        )
    }

    /// The tables and the condition that lead from these related records back to the records `r`.
    pub fn reverse_join(
        &mut self,
        dataset: Dataset,
        field: &FilterKey,
        rows: &[i64],
        inner: &Criterion,
    ) -> Option<FromClause> {
        let FilterKind::Relation(relation) = &field.kind else {
            return None;
        };
        let path = self.join_path(relation.join, "r", true);
        let meets = self.criterion_condition(related_record(relation.join, &path), inner);
        let (numbers, x) = (self.number_table(rows), &path.related_alias);
        let (tables, table) = (&path.tables, dataset.plural());
        Some(FromClause {
            tables: format!("{numbers} k CROSS JOIN {tables} CROSS JOIN {table} r"),
            condition: format!("{x}.rowid = k.value AND {} AND {meets}", path.condition),
        })
    }

    /// A table `m` of the records, as `nth`, with related records that match a relational key's
    /// criterion, and their number, as `n`: counted from the related records, each of which is read
    /// once.
    pub fn count_table(
        &mut self,
        dataset: Dataset,
        field: &'static FilterKey,
        inner: &Criterion,
    ) -> Option<String> {
        let FilterKind::Relation(relation) = &field.kind else {
            return None;
        };
        let path = self.join_path(relation.join, "g", true);
        let meets = self.criterion_condition(related_record(relation.join, &path), inner);
        let JoinPath {
            tables,
            condition,
            related_alias: x,
            ..
        } = path;
        let table = dataset.plural();
        Some(format!(
            "WITH m AS MATERIALIZED (SELECT g.rowid AS nth, count(DISTINCT {x}.rowid) AS n FROM {tables} CROSS JOIN {table} g
               WHERE {condition} AND {meets} GROUP BY g.rowid) "
        ))
    }

    /// How many projects of the record `r` match a relational key's criterion.
    pub fn count_matching(
        &mut self,
        field: &'static FilterKey,
        inner: &Criterion,
    ) -> Option<String> {
        let FilterKind::Relation(relation) = &field.kind else {
            return None;
        };
        let path = self.join_path(relation.join, "r", false);
        let meets = self.criterion_condition(related_record(relation.join, &path), inner);
        Some(format!(
            "(SELECT count(DISTINCT {}.id) FROM {} WHERE {} AND {meets})",
            path.related_alias, path.tables, path.condition
        ))
    }

    /// A join from the record with this alias to its related records, or in the other direction
    /// with `back`.
    fn join_path(&mut self, link: &RelationJoin, record: &str, back: bool) -> JoinPath {
        self.alias_count += 1;
        let (x, l) = (
            format!("x{}", self.alias_count),
            format!("l{}", self.alias_count),
        );
        let spelled = |text: &str| {
            text.replace("$x", &x)
                .replace("$l", &l)
                .replace("$r", record)
        };
        let (far, near) = (
            format!("{} {x}", link.related.plural()),
            format!("{} {l}", link.join_table),
        );
        let (tables, condition) = match (link.join_table.is_empty(), back) {
            (true, _) => (far, spelled(link.far_condition)),
            (false, false) => (
                format!("{near} CROSS JOIN {far}"),
                format!(
                    "{} AND {}",
                    spelled(link.near_condition),
                    spelled(link.far_condition)
                ),
            ),
            (false, true) => (
                format!("{far} CROSS JOIN {near}"),
                format!(
                    "{} AND {}",
                    spelled(link.far_condition),
                    spelled(link.near_condition)
                ),
            ),
        };
        JoinPath {
            tables,
            condition,
            related_alias: x,
            join_alias: l,
        }
    }

    fn criterion_condition(&mut self, record: RecordAlias<'_>, criterion: &Criterion) -> String {
        match criterion {
            Criterion::All(each) => self.join_conditions(record, each, " AND ", "TRUE"),
            Criterion::Any(each) => self.join_conditions(record, each, " OR ", "FALSE"),
            Criterion::Not(one) => {
                format!("({}) IS NOT TRUE", self.criterion_condition(record, one))
            }
            Criterion::Field {
                field,
                test,
                exclude,
            } => {
                let passes = self.predicate_condition(record, field, test);
                if *exclude {
                    format!("({passes}) IS NOT TRUE")
                } else {
                    passes
                }
            }
            Criterion::Found { columns, texts, .. } => {
                let values: Vec<String> = columns
                    .split(' ')
                    .map(|column| format!("ifnull({}, '')", column_value(record.alias, column)))
                    .collect();
                let values = values.join(" || ' ' || ");
                let each: Vec<String> = texts
                    .iter()
                    .map(|text| format!("found_in({}, {values})", self.bind(text.clone())))
                    .collect();
                format!("({})", each.join(" OR "))
            }
            Criterion::Rows(rows) => format!(
                "+{}.rowid IN (SELECT value FROM {})",
                record.alias,
                self.number_table(rows)
            ),
            Criterion::Counted { column, none } => {
                format!(
                    "{}{}.{column} {} 0",
                    record.column_prefix,
                    record.alias,
                    if *none { "=" } else { ">" }
                )
            }
            Criterion::Related { field, none, inner } => {
                let FilterKind::Relation(relation) = &field.kind else {
                    return "FALSE".to_owned();
                };
                let mut path = self.join_path(relation.join, record.alias, false);
                if inner.uses_only_join_rows() {
                    path = path.without_record(relation.join, record.alias);
                }
                let meets = self.criterion_condition(related_record(relation.join, &path), inner);
                let not = if *none { "NOT " } else { "" };
                format!(
                    "{not}EXISTS (SELECT 1 FROM {} WHERE {} AND {meets})",
                    path.tables, path.condition
                )
            }
        }
    }

    fn join_conditions(
        &mut self,
        record: RecordAlias<'_>,
        each: &[Criterion],
        word: &str,
        empty: &str,
    ) -> String {
        let each: Vec<String> = each
            .iter()
            .map(|one| self.criterion_condition(record, one))
            .collect();
        if each.is_empty() {
            empty.to_owned()
        } else {
            format!("({})", each.join(word))
        }
    }

    fn predicate_condition(
        &mut self,
        record: RecordAlias<'_>,
        field: &FilterKey,
        test: &Predicate,
    ) -> String {
        let r = format!("{}{}", record.column_prefix, record.alias);
        let column = match field.column {
            FilterColumn::Record(name) | FilterColumn::RecordList(name) => format!("{r}.{name}"),
            FilterColumn::Book(name) => format!("b.{name}"),
            FilterColumn::Tags => "b.tags".to_owned(),
            FilterColumn::JoinRow(name) => format!("{}.{name}", record.join_alias),
            FilterColumn::HasValue(name) => format!("({r}.{name} IS NOT NULL)"),
            FilterColumn::Related => return "FALSE".to_owned(),
        };
        match test {
            Predicate::Known => match field.column {
                FilterColumn::RecordList(_) | FilterColumn::Tags => format!("({column} <> '[]')"),
                _ => format!("{column} IS NOT NULL"),
            },
            Predicate::Within(min, max) => {
                let ends = [(">=", min), ("<=", max)].map(|(op, end)| {
                    end.map(|end| format!(" AND {column} {op} {}", self.bind_range_bound(end)))
                });
                format!(
                    "({column} IS NOT NULL{})",
                    ends.into_iter().flatten().collect::<String>()
                )
            }
            Predicate::Id(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| self.bind_id(*id)).collect();
                format!("{column} IN ({})", ids.join(", "))
            }
            Predicate::Flag(flags) => {
                let flags: Vec<String> = flags
                    .iter()
                    .map(|flag| self.bind(i64::from(*flag)))
                    .collect();
                format!("{column} IN ({})", flags.join(", "))
            }
            Predicate::Stored(texts) => {
                format!("{column} IN ({})", self.bind_texts(texts.iter().cloned()))
            }
            Predicate::Like(_) => "FALSE".to_owned(), // already rewritten to an expression or stored texts
            Predicate::Is(texts) => self.equality_condition(record, field, &column, texts),
        }
    }

    fn equality_condition(
        &mut self,
        record: RecordAlias<'_>,
        field: &FilterKey,
        column: &str,
        texts: &[String],
    ) -> String {
        match (field.column, &field.kind) {
            // the words of an enum need no escaping in JSON text
            (FilterColumn::RecordList(_), _) => {
                let each: Vec<String> = texts
                    .iter()
                    .map(|word| {
                        format!("instr({column}, {}) > 0", self.bind(format!("\"{word}\"")))
                    })
                    .collect();
                format!("({})", each.join(" OR "))
            }
            (FilterColumn::Tags, _) => {
                let each = self.bind_texts(texts.iter().cloned());
                format!("EXISTS (SELECT 1 FROM json_each({column}) t WHERE t.value IN ({each}))")
            }
            (_, FilterKind::Text(TextMatch::Fuzzy)) => {
                let FilterColumn::Record(name) = field.column else {
                    return "FALSE".to_owned();
                };
                let near = full_text::all_words_expression(name, texts)
                    .map_or("TRUE".to_owned(), |whole| {
                        self.full_text_condition(record, whole)
                    });
                let each = self.bind_texts(texts.iter().map(|one| full_text::lowercase(one)));
                format!("({near} AND lowered({column}) IN ({each}))")
            }
            // SQLite's own comparison is fast, but only handles the letters A to Z
            (_, FilterKind::Text(TextMatch::AnyCase))
                if !texts.iter().all(|one| one.is_ascii()) =>
            {
                let each = self.bind_texts(texts.iter().map(|one| full_text::lowercase(one)));
                format!("lowered({column}) IN ({each})")
            }
            (_, FilterKind::Text(TextMatch::AnyCase)) => {
                let each = self.bind_texts(texts.iter().cloned());
                format!("{column} COLLATE NOCASE IN ({each})")
            }
            _ => {
                let each = self.bind_texts(texts.iter().cloned());
                format!("{column} IN ({each})")
            }
        }
    }

    pub fn bind_texts(&mut self, texts: impl Iterator<Item = String>) -> String {
        texts
            .map(|one| self.bind(one))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// That a full-text expression matches a record.
    fn full_text_condition(&mut self, record: RecordAlias<'_>, expression: String) -> String {
        let (table, expression) = (record.dataset.plural(), self.bind(expression));
        format!(
            "+{}.rowid IN (SELECT rowid FROM {table}_text WHERE {table}_text MATCH {expression})",
            record.alias
        )
    }

    fn bind_range_bound(&mut self, end: RangeBound) -> String {
        match end {
            RangeBound::Whole(number) => self.bind(number),
            RangeBound::Real(number) => format!("CAST({} AS DOUBLE PRECISION)", self.bind(number)),
        }
    }
}

/// The value of a column of a full-text table.
pub fn column_value(alias: &str, column: &str) -> String {
    match column {
        "account" => format!("(SELECT a.name FROM accounts a WHERE a.id = {alias}.account_id)"),
        column => format!("{alias}.{column}"),
    }
}

/// The record at the far end of a join.
fn related_record<'a>(link: &RelationJoin, path: &'a JoinPath) -> RecordAlias<'a> {
    RecordAlias {
        dataset: link.related,
        alias: &path.related_alias,
        join_alias: &path.join_alias,
        column_prefix: "+",
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
