//! The rare side of a search. A page is cheap when what it asks for is common: it is read in its order and soon full. When what it asks
//! for is rare, all records would be read for a few; so each search first tries to list what it asks for, from whichever side is
//! short: full text, an index, a few related records and the rows that lead back from them. What is not listed within [`MOST`] rows is
//! common enough to be met in the order of the page.
//!
//! On the way the criteria become what SQL tests quickly: texts become expressions, cities their names, and related records, where they
//! are few, their rows. Never here: the order or the place of a page.

use rusqlite::params_from_iter;

use super::criterion::{Criterion, Test};
use super::fields::{Column, Field, Kind, Rule};
use super::fuzzy::Text;
use super::sql::{From, Sql};
use super::{Base, Call, Dataset, text};
use crate::service::db::{Conn, Error};

/// The longest list.
pub const MOST: usize = 5000;

/// A search that has been looked at.
pub struct Looked {
    /// What it asks for.
    pub criterion: Criterion,
    /// The rows that meet it, but for the rest; none when they are many.
    pub rows: Option<Vec<i64>>,
    /// What is still to be tested.
    pub rest: Vec<Criterion>,
}

/// Looks at a search: what it asks for, and the rows that have it when they are at most `most`.
///
/// # Errors
/// When the database refuses.
pub fn look(conn: &Conn, call: &Call<'_>, criterion: Criterion, query: Option<&str>, most: usize) -> Result<Looked, Error> {
    let lister = Lister { conn, most };
    let mut each = vec![criterion];
    if let Base::Dynamic(_, definition) = call.base {
        each.push(definition.0.clone());
    }
    if let Some(query) = query {
        each.push(found(conn, searched(call.dataset), &[query.to_owned()])?);
    }
    let base = lister.base(call)?;
    let criterion = lister.settle(call.dataset, &flat(each))?;
    let (of_book, of_record) = split(&criterion, Criterion::asks_book);
    let rows = match base {
        Some(base) => lister.those(call.dataset, base, &of_record)?,
        None => lister.list(call.dataset, &of_record)?,
    };
    let rest = if rows.is_some() { of_book } else { vec![criterion.clone()] };
    Ok(Looked { criterion, rows, rest })
}

/// What a query is looked for in.
fn searched(dataset: Dataset) -> &'static str {
    match dataset {
        Dataset::Accounts => "name aliases",
        Dataset::Contacts => "name title email phone account",
        Dataset::Projects | Dataset::Signals => "name primary_address",
    }
}

struct Lister<'c> {
    conn: &'c Conn,
    most: usize,
}

/// A way into a list: rows that are at least those that meet the criteria which it covers.
struct Way<'a> {
    /// How short its list may be, as far as one can know without looking: 0 is the shortest.
    rank: u8,
    start: Start<'a>,
    /// Which criteria hold for its rows without a test.
    covers: Vec<usize>,
}

enum Start<'a> {
    /// These.
    Rows(&'a [i64]),
    /// Those that full text finds.
    Found(String),
    /// Those that an index has.
    Indexed(Criterion),
    /// Those that belong to these related records.
    Back(&'static Field, &'a [i64], Criterion),
    /// Those that meet one of these.
    Any(&'a [Criterion]),
}

impl Lister<'_> {
    /// The criterion as SQL tests it quickly.
    fn settle(&self, dataset: Dataset, criterion: &Criterion) -> Result<Criterion, Error> {
        let all = |each: &[Criterion]| each.iter().map(|one| self.settle(dataset, one)).collect::<Result<Vec<_>, _>>();
        Ok(match criterion {
            Criterion::All(each) => flat(all(each)?),
            Criterion::Any(each) => Criterion::Any(all(each)?),
            Criterion::Field { field, test: Test::Like(texts), exclude } => match self.like(dataset, field, texts)? {
                like if *exclude => Criterion::Not(Box::new(like)),
                like => like,
            },
            Criterion::Related { field, none, inner } => self.related(field, *none, inner)?,
            settled => settled.clone(),
        })
    }

    fn like(&self, dataset: Dataset, field: &'static Field, texts: &[String]) -> Result<Criterion, Error> {
        let Column::Of(name) = field.column else { return Ok(never()) };
        if name != "city" {
            return found(self.conn, name, texts);
        }
        Ok(Criterion::Field { field, test: Test::Stored(cities(self.conn, dataset, texts)?), exclude: false })
    }

    fn related(&self, field: &'static Field, none: bool, inner: &Criterion) -> Result<Criterion, Error> {
        let Kind::Relation(relation) = &field.kind else { return Ok(never()) };
        let settled = self.settle(relation.related, inner)?;
        let (mut links, own) = split(&settled, Criterion::asks_link);
        if let (Some(column), true, true) = (relation.link.count, links.is_empty(), own.is_empty()) {
            return Ok(Criterion::Counted { column, none });
        }
        let inner = match self.list(relation.related, &own)? {
            Some(rows) if rows.is_empty() => return Ok(if none { Criterion::All(Vec::new()) } else { never() }),
            Some(rows) => {
                links.push(Criterion::Rows(rows));
                Criterion::All(links)
            }
            None => settled,
        };
        Ok(Criterion::Related { field, none, inner: Box::new(inner) })
    }

    /// The rows of a base whose records are few.
    fn base(&self, call: &Call<'_>) -> Result<Option<Vec<i64>>, Error> {
        if matches!(call.base, Base::Data | Base::Dynamic(..)) {
            return Ok(None);
        }
        let mut sql = Sql::new();
        let From { tables, condition } = sql.book_or_view(call);
        self.read(&format!("SELECT r.rowid FROM {tables} WHERE {condition}"), &sql)
    }

    /// The rows that meet all of these; none when they are many.
    fn list(&self, dataset: Dataset, each: &[Criterion]) -> Result<Option<Vec<i64>>, Error> {
        for way in ways(dataset, each) {
            if let Some(rows) = self.follow(dataset, &way.start)? {
                let others = each.iter().enumerate().filter(|(nth, _)| !way.covers.contains(nth)).map(|(_, one)| one.clone());
                return self.those(dataset, rows, &others.collect::<Vec<_>>());
            }
        }
        Ok(None)
    }

    /// Those of these rows that meet all of these.
    fn those(&self, dataset: Dataset, rows: Vec<i64>, each: &[Criterion]) -> Result<Option<Vec<i64>>, Error> {
        if rows.is_empty() || each.is_empty() {
            return Ok(Some(rows));
        }
        let mut sql = Sql::new();
        let (numbers, table) = (sql.numbers(&rows), dataset.plural());
        let meets = sql.criterion(dataset, &Criterion::All(each.to_vec()));
        self.read(&format!("SELECT r.rowid FROM {numbers} k CROSS JOIN {table} r WHERE r.rowid = k.value AND {meets}"), &sql)
    }

    fn follow(&self, dataset: Dataset, start: &Start<'_>) -> Result<Option<Vec<i64>>, Error> {
        let (mut sql, table) = (Sql::new(), dataset.plural());
        let statement = match start {
            Start::Rows(rows) => return Ok((rows.len() <= self.most).then(|| rows.to_vec())),
            Start::Any(each) => {
                let mut all = Vec::new();
                for one in *each {
                    match self.list(dataset, std::slice::from_ref(one))? {
                        Some(rows) => all.extend(rows),
                        None => return Ok(None),
                    }
                }
                all.sort_unstable();
                all.dedup();
                return Ok((all.len() <= self.most).then_some(all));
            }
            Start::Found(expression) => {
                format!("SELECT rowid FROM {table}_text WHERE {table}_text MATCH {}", sql.bind(expression.clone()))
            }
            Start::Indexed(criterion) => format!("SELECT r.rowid FROM {table} r WHERE {}", sql.lookup(dataset, criterion)),
            Start::Back(field, rows, inner) => match sql.back(dataset, field, rows, inner) {
                Some(From { tables, condition }) => format!("SELECT DISTINCT r.rowid FROM {tables} WHERE {condition}"),
                None => return Ok(None),
            },
        };
        self.read(&statement, &sql)
    }

    /// The rows of a statement; none when they are many.
    fn read(&self, statement: &str, sql: &Sql) -> Result<Option<Vec<i64>>, Error> {
        let mut read = self.conn.prepare_cached(&format!("{statement} LIMIT {}", self.most + 1))?;
        let rows = read.query_map(params_from_iter(&sql.bound), |row| row.get(0))?;
        let rows: Vec<i64> = rows.collect::<Result<_, _>>()?;
        Ok((rows.len() <= self.most).then_some(rows))
    }
}

/// The ways into a list of what meets all of these, the shortest first.
fn ways(dataset: Dataset, each: &[Criterion]) -> Vec<Way<'_>> {
    let mut ways = Vec::new();
    let mut columns = (Vec::new(), Vec::new());
    for (nth, one) in each.iter().enumerate() {
        let mut way = |rank, start| ways.push(Way { rank, start, covers: vec![nth] });
        match one {
            Criterion::Rows(rows) => way(0, Start::Rows(rows)),
            Criterion::Counted { .. } => way(1, Start::Indexed(one.clone())),
            Criterion::Field { test: Test::Id(_), exclude: false, .. } => way(1, Start::Indexed(one.clone())),
            Criterion::Found { expression, .. } => way(2, Start::Found(expression.clone())),
            Criterion::Related { field, none: false, inner } => {
                if let Criterion::All(inner) = &**inner
                    && let Some((Criterion::Rows(rows), links)) = inner.split_last()
                {
                    way(3, Start::Back(field, rows, Criterion::All(links.to_vec())));
                }
            }
            Criterion::Any(each) => way(4, Start::Any(each)),
            Criterion::Field { field, .. } if field.is_indexed(dataset) => {
                columns.0.push(one.clone());
                columns.1.push(nth);
            }
            Criterion::Field { field, test: Test::Is(texts), exclude: false } => {
                if let (Kind::Text(Rule::Fuzzy), Column::Of(name)) = (&field.kind, field.column)
                    && let Some(whole) = text::whole(name, texts)
                {
                    ways.push(Way { rank: 2, start: Start::Found(whole), covers: Vec::new() });
                }
            }
            _ => {}
        }
    }
    if !columns.0.is_empty() {
        ways.push(Way { rank: 5, start: Start::Indexed(Criterion::All(columns.0)), covers: columns.1 });
    }
    ways.sort_by_key(|way| way.rank);
    ways
}

/// The cities of a dataset, as stored, that are like one of these texts. They are read from one to the next in their index.
///
/// # Errors
/// When the database refuses.
pub fn cities(conn: &Conn, dataset: Dataset, texts: &[String]) -> Result<Vec<String>, Error> {
    let table = dataset.plural();
    let mut read = conn.prepare_cached(&format!(
        "WITH RECURSIVE c(city) AS (SELECT min(city) FROM {table} UNION ALL
           SELECT (SELECT min(city) FROM {table} WHERE city > c.city) FROM c WHERE c.city IS NOT NULL)
         SELECT city FROM c WHERE city IS NOT NULL"
    ))?;
    let mut cities: Vec<String> = read.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let sought: Vec<Text> = texts.iter().map(|text| Text::new(text)).collect();
    cities.retain(|city| sought.iter().any(|text| text.is_in(city)));
    Ok(cities)
}

/// That one of these texts is found in these columns.
fn found(conn: &Conn, columns: &'static str, texts: &[String]) -> Result<Criterion, Error> {
    let expression = text::like(conn, columns, texts)?;
    Ok(expression.map_or_else(never, |expression| Criterion::Found { columns, texts: texts.to_vec(), expression }))
}

fn never() -> Criterion {
    Criterion::Any(Vec::new())
}

/// All of these, with those of groups of all in their midst.
fn flat(each: Vec<Criterion>) -> Criterion {
    let parts = each.into_iter().flat_map(|one| match one {
        Criterion::All(parts) => parts,
        one => vec![one],
    });
    Criterion::All(parts.collect())
}

/// The parts of a group of all that ask something, and the others.
fn split(criterion: &Criterion, asks: fn(&Criterion) -> bool) -> (Vec<Criterion>, Vec<Criterion>) {
    let each = match criterion {
        Criterion::All(each) => each.clone(),
        one => vec![one.clone()],
    };
    each.into_iter().partition(asks)
}

impl Criterion {
    /// Whether it asks for an annotation of the book.
    fn asks_book(&self) -> bool {
        self.asks(|column| matches!(column, Column::Book(_) | Column::Tags))
    }

    /// Whether it asks for nothing but the row between two records.
    pub(super) fn asks_links_alone(&self) -> bool {
        let is_link = |one: &Criterion| matches!(one, Criterion::Field { field, .. } if matches!(field.column, Column::Link(_)));
        matches!(self, Criterion::All(each) if each.iter().all(is_link))
    }

    /// Whether it asks for the row between two records.
    fn asks_link(&self) -> bool {
        self.asks(|column| matches!(column, Column::Link(_)))
    }

    fn asks(&self, of: fn(&Column) -> bool) -> bool {
        match self {
            Criterion::All(each) | Criterion::Any(each) => each.iter().any(|one| one.asks(of)),
            Criterion::Not(one) => one.asks(of),
            Criterion::Field { field, .. } => of(&field.column),
            _ => false,
        }
    }
}
