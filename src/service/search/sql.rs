//! Criteria to SQL: one condition with bound values. Names come from the table of fields; what was typed is bound.
//!
//! A plus before a column keeps SQLite from looking a row up by it. Which rows are looked at, and in what order, is decided in
//! [`super::list`] and by the order of the page: conditions are tests of rows that are there already.

use rusqlite::types::Value;
use uuid::Uuid;

use super::criterion::{Bound, Criterion, Test};
use super::fields::{Column, Field, Kind, Link, Rule};
use super::{Base, Call, Dataset, text};

/// A condition that is being written, and the values that it binds.
#[derive(Default)]
pub struct Sql {
    /// The values, in the order of their numbers.
    pub bound: Vec<Value>,
    aliases: usize,
}

/// The tables of a base and the condition that a record is in it.
pub struct From {
    /// What follows `FROM`.
    pub tables: String,
    /// What follows `WHERE`.
    pub condition: String,
}

/// Where a record is in a statement: its dataset, its alias, and that of the row which relates it.
#[derive(Clone, Copy)]
struct Record<'a> {
    dataset: Dataset,
    alias: &'a str,
    link: &'a str,
    /// What stands before its columns: nothing where rows may be looked up by them.
    plus: &'a str,
}

/// A link under aliases of its own: the tables that lead from a record to what is related to it, the condition, and the aliases of the
/// related record and of the row between.
struct Path {
    tables: String,
    condition: String,
    x: String,
    l: String,
}

impl Path {
    /// The same without the related record, where there is a row between that says enough.
    fn without_record(self, link: &Link, record: &str) -> Path {
        if link.between.is_empty() {
            return self;
        }
        let condition = link.near.replace("$l", &self.l).replace("$r", record);
        Path { tables: format!("{} {}", link.between, self.l), condition, ..self }
    }
}

impl Sql {
    /// Nothing yet.
    pub fn new() -> Self {
        Sql::default()
    }

    /// Binds a value and names its place: `?3`.
    pub fn bind(&mut self, value: impl Into<Value>) -> String {
        self.bound.push(value.into());
        format!("?{}", self.bound.len())
    }

    fn bind_id(&mut self, id: Uuid) -> String {
        self.bind(id.into_bytes().to_vec())
    }

    /// A table of one column, `value`, that has these numbers.
    pub fn numbers(&mut self, rows: &[i64]) -> String {
        format!("json_each({})", self.bind(serde_json::json!(rows).to_string()))
    }

    /// The records of a base, as `r`, with their rows of the book, as `b`: those of `rows`, or else all, by an order of the book
    /// (`book_first`) or of the records.
    pub fn base(&mut self, call: &Call<'_>, rows: Option<&[i64]>, book_first: bool) -> From {
        let (table, word) = (call.dataset.plural(), call.dataset.singular());
        let (records, listed) = match rows {
            Some(rows) => (format!("{} k CROSS JOIN {table} r", self.numbers(rows)), "r.rowid = k.value"),
            None => (format!("{table} r"), "1"),
        };
        if matches!(call.base, Base::Data) {
            return From { tables: records, condition: listed.to_owned() };
        }
        let workspace = self.bind_id(call.workspace.0);
        let overlay = format!("LEFT JOIN book b ON b.workspace_id = {workspace} AND b.dataset = '{word}' AND b.record_id = r.id");
        match &call.base {
            Base::Data | Base::Book => From {
                tables: match rows {
                    None if book_first => format!("book b CROSS JOIN {table} r"),
                    _ => format!("{records} CROSS JOIN book b"),
                },
                condition: format!("{listed} AND b.workspace_id = {workspace} AND b.dataset = '{word}' AND b.record_id = r.id"),
            },
            Base::Static(view) => {
                let view = self.bind_id(view.0);
                From {
                    tables: format!("{records} CROSS JOIN view_records v {overlay}"),
                    condition: format!("{listed} AND v.workspace_id = {workspace} AND v.view_id = {view} AND v.record_id = r.id"),
                }
            }
            Base::Dynamic(..) => From {
                tables: format!("{records} {overlay}"),
                condition: format!("{listed} AND {}", visible(call.dataset, &workspace)),
            },
        }
    }

    /// The records of a book or a Static View, as `r`, by the rows that say so.
    pub fn book_or_view(&mut self, call: &Call<'_>) -> From {
        let (table, workspace) = (call.dataset.plural(), self.bind_id(call.workspace.0));
        match &call.base {
            Base::Static(view) => From {
                tables: format!("view_records v CROSS JOIN {table} r"),
                condition: format!(
                    "v.workspace_id = {workspace} AND v.view_id = {} AND r.id = v.record_id",
                    self.bind_id(view.0)
                ),
            },
            _ => From {
                tables: format!("book b CROSS JOIN {table} r"),
                condition: format!(
                    "b.workspace_id = {workspace} AND b.dataset = '{}' AND r.id = b.record_id",
                    call.dataset.singular()
                ),
            },
        }
    }

    /// The condition that the record `r` meets a criterion.
    pub fn criterion(&mut self, dataset: Dataset, criterion: &Criterion) -> String {
        self.meets(Record { dataset, alias: "r", link: "", plus: "+" }, criterion)
    }

    /// The same, where rows may be looked up by what it asks for.
    pub fn lookup(&mut self, dataset: Dataset, criterion: &Criterion) -> String {
        self.meets(Record { dataset, alias: "r", link: "", plus: "" }, criterion)
    }

    /// The tables and the condition that lead from these related records back to the records `r`.
    pub fn back(&mut self, dataset: Dataset, field: &Field, rows: &[i64], inner: &Criterion) -> Option<From> {
        let Kind::Relation(relation) = &field.kind else { return None };
        let path = self.path(relation.link, "r", true);
        let meets = self.meets(related(relation.link, &path), inner);
        let (numbers, x) = (self.numbers(rows), &path.x);
        let (tables, table) = (&path.tables, dataset.plural());
        Some(From {
            tables: format!("{numbers} k CROSS JOIN {tables} CROSS JOIN {table} r"),
            condition: format!("{x}.rowid = k.value AND {} AND {meets}", path.condition),
        })
    }

    /// A table `m` of the records, as `nth`, that have related ones which meet what a relational key asks of them, and how many, as `n`:
    /// counted from the related records, of which each is read once.
    pub fn counts(&mut self, dataset: Dataset, field: &'static Field, inner: &Criterion) -> Option<String> {
        let Kind::Relation(relation) = &field.kind else { return None };
        let path = self.path(relation.link, "g", true);
        let meets = self.meets(related(relation.link, &path), inner);
        let Path { tables, condition, x, .. } = path;
        let table = dataset.plural();
        Some(format!(
            "WITH m AS MATERIALIZED (SELECT g.rowid AS nth, count(DISTINCT {x}.rowid) AS n FROM {tables} CROSS JOIN {table} g
               WHERE {condition} AND {meets} GROUP BY g.rowid) "
        ))
    }

    /// How many projects of the record `r` meet what a relational key asks of them.
    pub fn matching(&mut self, field: &'static Field, inner: &Criterion) -> Option<String> {
        let Kind::Relation(relation) = &field.kind else { return None };
        let path = self.path(relation.link, "r", false);
        let meets = self.meets(related(relation.link, &path), inner);
        Some(format!("(SELECT count(DISTINCT {}.id) FROM {} WHERE {} AND {meets})", path.x, path.tables, path.condition))
    }

    /// A link from the record with this alias to what is related to it, or `back` from there.
    fn path(&mut self, link: &Link, record: &str, back: bool) -> Path {
        self.aliases += 1;
        let (x, l) = (format!("x{}", self.aliases), format!("l{}", self.aliases));
        let spelled = |text: &str| text.replace("$x", &x).replace("$l", &l).replace("$r", record);
        let (far, near) = (format!("{} {x}", link.related.plural()), format!("{} {l}", link.between));
        let (tables, condition) = match (link.between.is_empty(), back) {
            (true, _) => (far, spelled(link.far)),
            (false, false) => (format!("{near} CROSS JOIN {far}"), format!("{} AND {}", spelled(link.near), spelled(link.far))),
            (false, true) => (format!("{far} CROSS JOIN {near}"), format!("{} AND {}", spelled(link.far), spelled(link.near))),
        };
        Path { tables, condition, x, l }
    }

    fn meets(&mut self, record: Record<'_>, criterion: &Criterion) -> String {
        match criterion {
            Criterion::All(each) => self.joined(record, each, " AND ", "1"),
            Criterion::Any(each) => self.joined(record, each, " OR ", "0"),
            Criterion::Not(one) => format!("({}) IS NOT TRUE", self.meets(record, one)),
            Criterion::Field { field, test, exclude } => {
                let passes = self.passes(record, field, test);
                if *exclude { format!("({passes}) IS NOT TRUE") } else { passes }
            }
            Criterion::Found { columns, texts, .. } => {
                let values: Vec<String> =
                    columns.split(' ').map(|column| format!("ifnull({}, '')", value(record, column))).collect();
                let values = values.join(" || ' ' || ");
                let each: Vec<String> =
                    texts.iter().map(|text| format!("found_in({}, {values})", self.bind(text.clone()))).collect();
                format!("({})", each.join(" OR "))
            }
            Criterion::Rows(rows) => format!("+{}.rowid IN (SELECT value FROM {})", record.alias, self.numbers(rows)),
            Criterion::Counted { column, none } => {
                format!("{}{}.{column} {} 0", record.plus, record.alias, if *none { "=" } else { ">" })
            }
            Criterion::Related { field, none, inner } => {
                let Kind::Relation(relation) = &field.kind else { return "0".to_owned() };
                let mut path = self.path(relation.link, record.alias, false);
                if inner.asks_links_alone() {
                    path = path.without_record(relation.link, record.alias);
                }
                let meets = self.meets(related(relation.link, &path), inner);
                let not = if *none { "NOT " } else { "" };
                format!("{not}EXISTS (SELECT 1 FROM {} WHERE {} AND {meets})", path.tables, path.condition)
            }
        }
    }

    fn joined(&mut self, record: Record<'_>, each: &[Criterion], word: &str, empty: &str) -> String {
        let each: Vec<String> = each.iter().map(|one| self.meets(record, one)).collect();
        if each.is_empty() { empty.to_owned() } else { format!("({})", each.join(word)) }
    }

    fn passes(&mut self, record: Record<'_>, field: &Field, test: &Test) -> String {
        let r = format!("{}{}", record.plus, record.alias);
        let column = match field.column {
            Column::Of(name) | Column::ListOf(name) => format!("{r}.{name}"),
            Column::Book(name) => format!("b.{name}"),
            Column::Tags => "b.tags".to_owned(),
            Column::Link(name) => format!("{}.{name}", record.link),
            Column::Known(name) => format!("({r}.{name} IS NOT NULL)"),
            Column::Related => return "0".to_owned(),
        };
        match test {
            Test::Known => match field.column {
                Column::ListOf(_) | Column::Tags => format!("({column} <> '[]')"),
                _ => format!("{column} IS NOT NULL"),
            },
            Test::Within(min, max) => {
                let ends =
                    [(">=", min), ("<=", max)].map(|(op, end)| end.map(|end| format!(" AND {column} {op} {}", self.end(end))));
                format!("({column} IS NOT NULL{})", ends.into_iter().flatten().collect::<String>())
            }
            Test::Id(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| self.bind_id(*id)).collect();
                format!("{column} IN ({})", ids.join(", "))
            }
            Test::Flag(flags) => {
                let flags: Vec<String> = flags.iter().map(|flag| self.bind(i64::from(*flag))).collect();
                format!("{column} IN ({})", flags.join(", "))
            }
            Test::Stored(texts) => format!("{column} IN ({})", self.bind_all(texts.iter().cloned())),
            Test::Like(_) => "0".to_owned(), // an expression or stored texts by now
            Test::Is(texts) => self.is(record, field, &column, texts),
        }
    }

    fn is(&mut self, record: Record<'_>, field: &Field, column: &str, texts: &[String]) -> String {
        match (field.column, &field.kind) {
            // the words of an enum need no escape in JSON text
            (Column::ListOf(_), _) => {
                let each: Vec<String> =
                    texts.iter().map(|word| format!("instr({column}, {}) > 0", self.bind(format!("\"{word}\"")))).collect();
                format!("({})", each.join(" OR "))
            }
            (Column::Tags, _) => {
                let each = self.bind_all(texts.iter().cloned());
                format!("EXISTS (SELECT 1 FROM json_each({column}) t WHERE t.value IN ({each}))")
            }
            (_, Kind::Text(Rule::Fuzzy)) => {
                let Column::Of(name) = field.column else { return "0".to_owned() };
                let near = text::whole(name, texts).map_or("1".to_owned(), |whole| self.found(record, whole));
                let each = self.bind_all(texts.iter().map(|one| text::lowered(one)));
                format!("({near} AND lowered({column}) IN ({each}))")
            }
            // SQLite's own comparison is quick, and knows no letters but A to Z
            (_, Kind::Text(Rule::AnyCase)) if !texts.iter().all(|one| one.is_ascii()) => {
                let each = self.bind_all(texts.iter().map(|one| text::lowered(one)));
                format!("lowered({column}) IN ({each})")
            }
            (_, Kind::Text(Rule::AnyCase)) => {
                let each = self.bind_all(texts.iter().cloned());
                format!("{column} COLLATE NOCASE IN ({each})")
            }
            _ => {
                let each = self.bind_all(texts.iter().cloned());
                format!("{column} IN ({each})")
            }
        }
    }

    fn bind_all(&mut self, texts: impl Iterator<Item = String>) -> String {
        texts.map(|one| self.bind(one)).collect::<Vec<_>>().join(", ")
    }

    /// That a full-text expression finds a record.
    fn found(&mut self, record: Record<'_>, expression: String) -> String {
        let (table, expression) = (record.dataset.plural(), self.bind(expression));
        format!("+{}.rowid IN (SELECT rowid FROM {table}_text WHERE {table}_text MATCH {expression})", record.alias)
    }

    fn end(&mut self, end: Bound) -> String {
        match end {
            Bound::Whole(number) => self.bind(number),
            Bound::Real(number) => self.bind(number),
        }
    }
}

/// What a table of full text calls a column.
fn value(record: Record<'_>, column: &str) -> String {
    let alias = record.alias;
    match column {
        "account" => format!("(SELECT a.name FROM accounts a WHERE a.id = {alias}.account_id)"),
        column => format!("{alias}.{column}"),
    }
}

/// The record at the far end of a path.
fn related<'a>(link: &Link, path: &'a Path) -> Record<'a> {
    Record { dataset: link.related, alias: &path.x, link: &path.l, plus: "+" }
}

/// That the workspace sees the record `r`: every account and project, and a contact that is in its book, on a project or in one of
/// its Views.
pub fn visible(dataset: Dataset, workspace: &str) -> String {
    if dataset != Dataset::Contacts {
        return format!("{workspace} IS NOT NULL");
    }
    format!(
        "(r.projects_count > 0
          OR EXISTS (SELECT 1 FROM book i WHERE i.workspace_id = {workspace} AND i.dataset = 'contact' AND i.record_id = r.id)
          OR EXISTS (SELECT 1 FROM view_records i WHERE i.workspace_id = {workspace} AND i.record_id = r.id))"
    )
}
