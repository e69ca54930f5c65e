//! Criteria to SQL: one condition with bound values. Names come from the table of fields; what was typed is bound.
//!
//! A plus before a column keeps SQLite from looking a row up by it. Rows that are reached by a path (members of a list, related
//! records) are looked up by that path alone: by their own values there may be thousands, for each row that leads to them.

use rusqlite::types::Value;
use uuid::Uuid;

use super::criterion::{Bound, Criterion, Test};
use super::fields::{Column, Field, Kind, Rule};
use super::{Base, Call, Dataset, text};
use crate::service::db::{Conn, Error};

/// A condition that is being written, and the values that it binds.
pub struct Sql<'c> {
    conn: &'c Conn,
    /// The values, in the order of their numbers.
    pub bound: Vec<Value>,
    aliases: usize,
    listed: bool,
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
}

impl<'c> Sql<'c> {
    /// Nothing yet.
    pub fn new(conn: &'c Conn) -> Self {
        Sql { conn, bound: Vec::new(), aliases: 0, listed: false }
    }

    /// Binds a value and names its place: `?3`.
    pub fn bind(&mut self, value: impl Into<Value>) -> String {
        self.bound.push(value.into());
        format!("?{}", self.bound.len())
    }

    fn bind_id(&mut self, id: Uuid) -> String {
        self.bind(id.into_bytes().to_vec())
    }

    /// The records of a base, as `r`, with their rows of the book, as `b`.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn base(&mut self, call: &Call<'_>) -> Result<From, Error> {
        let (table, word) = (call.dataset.plural(), call.dataset.singular());
        if matches!(call.base, Base::Data) {
            return Ok(From { tables: format!("{table} r"), condition: "1".to_owned() });
        }
        let workspace = self.bind_id(call.workspace.0);
        self.listed = !matches!(call.base, Base::Dynamic(..));
        let overlay = format!("LEFT JOIN book b ON b.workspace_id = {workspace} AND b.dataset = '{word}' AND b.record_id = r.id");
        Ok(match &call.base {
            Base::Data | Base::Book => From {
                tables: format!("book b JOIN {table} r ON r.id = b.record_id"),
                condition: format!("b.workspace_id = {workspace} AND b.dataset = '{word}'"),
            },
            Base::Static(view) => {
                let view = self.bind_id(view.0);
                From {
                    tables: format!("view_records v JOIN {table} r ON r.id = v.record_id {overlay}"),
                    condition: format!("v.workspace_id = {workspace} AND v.view_id = {view}"),
                }
            }
            Base::Dynamic(_, definition) => {
                let visible = visible(call.dataset, &workspace);
                let meets = self.criterion(call.dataset, &definition.0)?;
                From { tables: format!("{table} r {overlay}"), condition: format!("{visible} AND {meets}") }
            }
        })
    }

    /// The condition that the record `r` meets a criterion.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn criterion(&mut self, dataset: Dataset, criterion: &Criterion) -> Result<String, Error> {
        self.meets(Record { dataset, alias: "r", link: "" }, criterion)
    }

    /// The condition that the record `r` is found by a query.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn query(&mut self, dataset: Dataset, query: &str) -> Result<String, Error> {
        let columns = match dataset {
            Dataset::Accounts => "name aliases",
            Dataset::Contacts => "name title email phone account",
            Dataset::Projects | Dataset::Signals => "name primary_address",
        };
        let like = text::like(self.conn, columns, &[query.to_owned()])?;
        Ok(self.found(dataset, "r", like))
    }

    /// How many projects of the record `r` meet what a relational key asks of them.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn matching(&mut self, field: &'static Field, inner: &Criterion) -> Result<Option<String>, Error> {
        let Kind::Relation(relation) = &field.kind else { return Ok(None) };
        let (link, x, l) = self.link(relation.link, "r");
        let meets = self.meets(Record { dataset: relation.related, alias: &x, link: &l }, inner)?;
        Ok(Some(format!("(SELECT count(DISTINCT {x}.id) FROM {link} AND {meets})")))
    }

    /// The SQL of a relation under aliases of its own: it, the related record's and the link's.
    fn link(&mut self, link: &str, record: &str) -> (String, String, String) {
        self.aliases += 1;
        let (x, l) = (format!("x{}", self.aliases), format!("l{}", self.aliases));
        (link.replace("$x", &x).replace("$l", &l).replace("$r", record), x, l)
    }

    fn meets(&mut self, record: Record<'_>, criterion: &Criterion) -> Result<String, Error> {
        Ok(match criterion {
            Criterion::All(each) => self.joined(record, each, " AND ", "1")?,
            Criterion::Any(each) => self.joined(record, each, " OR ", "0")?,
            Criterion::Field { field, test, exclude } => {
                let passes = self.passes(record, field, test)?;
                if *exclude { format!("({passes}) IS NOT TRUE") } else { passes }
            }
            Criterion::Related { field, none, inner } => {
                let Kind::Relation(relation) = &field.kind else { return Ok("0".to_owned()) };
                let (link, x, l) = self.link(relation.link, record.alias);
                let meets = self.meets(Record { dataset: relation.related, alias: &x, link: &l }, inner)?;
                format!("{}EXISTS (SELECT 1 FROM {link} AND {meets})", if *none { "NOT " } else { "" })
            }
        })
    }

    fn joined(&mut self, record: Record<'_>, each: &[Criterion], word: &str, empty: &str) -> Result<String, Error> {
        let each: Vec<String> = each.iter().map(|one| self.meets(record, one)).collect::<Result<_, _>>()?;
        Ok(if each.is_empty() { empty.to_owned() } else { format!("({})", each.join(word)) })
    }

    fn passes(&mut self, record: Record<'_>, field: &Field, test: &Test) -> Result<String, Error> {
        let r = if record.alias == "r" { record.alias.to_owned() } else { format!("+{}", record.alias) };
        let column = match field.column {
            Column::Of(name) | Column::ListOf(name) => format!("{r}.{name}"),
            Column::Book(name) => format!("b.{name}"),
            Column::Tags => "b.tags".to_owned(),
            Column::Link(name) => format!("{}.{name}", record.link),
            Column::Known(name) => format!("({r}.{name} IS NOT NULL)"),
            Column::Related => return Ok("0".to_owned()),
        };
        Ok(match test {
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
            Test::Like(texts) => {
                let Column::Of(name) = field.column else { return Ok("0".to_owned()) };
                let like = text::like(self.conn, name, texts)?;
                self.found(record.dataset, record.alias, like)
            }
            Test::Is(texts) => self.is(record, field, &column, texts),
        })
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
                let whole = text::whole(name, texts);
                let near = if whole.is_some() { self.found(record.dataset, record.alias, whole) } else { "1".to_owned() };
                let each = self.bind_all(texts.iter().map(|one| text::lowered(one)));
                format!("({near} AND lowered({column}) IN ({each}))")
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

    /// That a full-text expression finds a record; none finds nothing.
    fn found(&mut self, dataset: Dataset, alias: &str, expression: Option<String>) -> String {
        let Some(expression) = expression else { return "0".to_owned() };
        let table = dataset.plural();
        let expression = self.bind(expression);
        let by_path = if alias != "r" || self.listed { "+" } else { "" };
        format!("{by_path}{alias}.rowid IN (SELECT rowid FROM {table}_text WHERE {table}_text MATCH {expression})")
    }

    fn end(&mut self, end: Bound) -> String {
        match end {
            Bound::Whole(number) => self.bind(number),
            Bound::Real(number) => self.bind(number),
        }
    }
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
