//! The rare side of a search. A page is cheap if its criteria are common: rows are read in order
//! and the page is soon full. If they are rare, all records would be read for a few matches; so
//! each search first tries to list candidates from whichever side is short: full text, an index, or
//! a few related records and the rows that lead back from them. Criteria with more than
//! [`MAX_CANDIDATES`] candidates are common enough to be found in the order of the page.
//!
//! Along the way criteria are rewritten to what SQL tests quickly: texts to expressions, cities to
//! their names, and related records, if they are few, to their rows. Never here: the order or the
//! position of a page.

use super::criterion::{Criterion, Predicate};
use super::fields::{FilterColumn, FilterKey, FilterKind, TextMatch};
use super::sql_builder::{FromClause, SqlBuilder};
use super::{SearchContext, SearchScope};
use crate::service::dataset::Dataset;
use crate::service::db::sql::params_from_iter;
use crate::service::db::{Conn, DbError, full_text};

/// Maximum number of candidates.
pub const MAX_CANDIDATES: usize = 5000;

/// A planned search.
pub struct SearchPlan {
    /// Its criterion.
    pub criterion: Criterion,
    /// The rows that match all but the remaining criteria; `None` if there are too many.
    pub candidates: Option<Vec<i64>>,
    /// The criteria still to be tested.
    pub remaining: Vec<Criterion>,
}

/// Plans a search: its criterion, and the candidate rows if there are at most `most`.
pub fn plan_search(
    conn: &Conn,
    call: &SearchContext<'_>,
    criterion: Criterion,
    query: Option<&str>,
    most: usize,
) -> Result<SearchPlan, DbError> {
    let lister = Planner {
        conn,
        max_rows: most,
    };
    let mut each = vec![criterion];
    if let SearchScope::Dynamic(_, definition) = call.scope {
        each.push(definition.0.clone());
    }
    if let Some(query) = query {
        each.push(full_text_criterion(
            conn,
            query_columns(call.dataset),
            &[query.to_owned()],
        )?);
    }
    let base = lister.scope_rows(call)?;
    let criterion = lister.rewrite(call.dataset, &flatten_all(each))?;
    let (of_book, of_record) = partition_all(&criterion, Criterion::uses_book);
    let rows = match base {
        Some(base) => lister.filter_rows(call.dataset, base, &of_record)?,
        None => lister.candidates(call.dataset, &of_record)?,
    };
    let rest = if rows.is_some() {
        of_book
    } else {
        vec![criterion.clone()]
    };
    Ok(SearchPlan {
        criterion,
        candidates: rows,
        remaining: rest,
    })
}

/// The columns that a query searches.
pub fn query_columns(dataset: Dataset) -> &'static str {
    match dataset {
        Dataset::Accounts => "name aliases",
        Dataset::Contacts => "name title email phone account",
        Dataset::Projects | Dataset::Signals => "name primary_address",
    }
}

struct Planner<'c> {
    conn: &'c Conn,
    max_rows: usize,
}

/// A way to list candidates: rows that include all matches of the criteria it covers.
struct AccessPath<'a> {
    /// How short its list is likely to be; 0 is the shortest.
    cost: u8,
    driver: Driver<'a>,
    /// Criteria that its rows are known to match.
    covers: Vec<usize>,
}

enum Driver<'a> {
    Rows(&'a [i64]),
    /// Full-text matches.
    FullText(String),
    /// Rows of an index.
    Index(Criterion),
    /// Rows that belong to these related records.
    Related(&'static FilterKey, &'a [i64], Criterion),
    /// Rows that match one of these.
    Any(&'a [Criterion]),
}

impl Planner<'_> {
    /// Rewrites a criterion to what SQL tests quickly.
    fn rewrite(&self, dataset: Dataset, criterion: &Criterion) -> Result<Criterion, DbError> {
        let all = |each: &[Criterion]| {
            each.iter()
                .map(|one| self.rewrite(dataset, one))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match criterion {
            Criterion::All(each) => flatten_all(all(each)?),
            Criterion::Any(each) => Criterion::Any(all(each)?),
            Criterion::Field {
                field,
                test: Predicate::Like(texts),
                exclude,
            } => match self.rewrite_fuzzy(dataset, field, texts)? {
                like if *exclude => Criterion::Not(Box::new(like)),
                like => like,
            },
            Criterion::Related { field, none, inner } => {
                self.rewrite_related(field, *none, inner)?
            }
            settled => settled.clone(),
        })
    }

    fn rewrite_fuzzy(
        &self,
        dataset: Dataset,
        field: &'static FilterKey,
        texts: &[String],
    ) -> Result<Criterion, DbError> {
        let FilterColumn::Record(name) = field.column else {
            return Ok(match_none());
        };
        if name != "city" {
            return full_text_criterion(self.conn, name, texts);
        }
        Ok(Criterion::Field {
            field,
            test: Predicate::Stored(full_text::matching_cities(self.conn, dataset, texts)?),
            exclude: false,
        })
    }

    fn rewrite_related(
        &self,
        field: &'static FilterKey,
        none: bool,
        inner: &Criterion,
    ) -> Result<Criterion, DbError> {
        let FilterKind::Relation(relation) = &field.kind else {
            return Ok(match_none());
        };
        let settled = self.rewrite(relation.related, inner)?;
        let (mut links, own) = partition_all(&settled, Criterion::uses_join_rows);
        if let (Some(column), true, true) =
            (relation.join.count_column, links.is_empty(), own.is_empty())
        {
            return Ok(Criterion::Counted { column, none });
        }
        let inner = match self.candidates(relation.related, &own)? {
            Some(rows) if rows.is_empty() => {
                return Ok(if none {
                    Criterion::All(Vec::new())
                } else {
                    match_none()
                });
            }
            Some(rows) => {
                links.push(Criterion::Rows(rows));
                Criterion::All(links)
            }
            None => settled,
        };
        Ok(Criterion::Related {
            field,
            none,
            inner: Box::new(inner),
        })
    }

    /// The rows of a scope with few records.
    fn scope_rows(&self, call: &SearchContext<'_>) -> Result<Option<Vec<i64>>, DbError> {
        if matches!(call.scope, SearchScope::Data | SearchScope::Dynamic(..)) {
            return Ok(None);
        }
        let mut sql = SqlBuilder::new();
        let FromClause { tables, condition } = sql.book_or_view_tables(call);
        self.query_rows(
            &format!("SELECT r.rowid FROM {tables} WHERE {condition}"),
            &sql,
        )
    }

    /// The rows that match all of these; `None` if there are too many.
    fn candidates(
        &self,
        dataset: Dataset,
        each: &[Criterion],
    ) -> Result<Option<Vec<i64>>, DbError> {
        for way in access_paths(dataset, each) {
            if let Some(rows) = self.driver_rows(dataset, &way.driver)? {
                let others = each
                    .iter()
                    .enumerate()
                    .filter(|(nth, _)| !way.covers.contains(nth))
                    .map(|(_, one)| one.clone());
                return self.filter_rows(dataset, rows, &others.collect::<Vec<_>>());
            }
        }
        Ok(None)
    }

    /// Those of these rows that match all of these.
    fn filter_rows(
        &self,
        dataset: Dataset,
        rows: Vec<i64>,
        each: &[Criterion],
    ) -> Result<Option<Vec<i64>>, DbError> {
        if rows.is_empty() || each.is_empty() {
            return Ok(Some(rows));
        }
        let mut sql = SqlBuilder::new();
        let (numbers, table) = (sql.number_table(&rows), dataset.plural());
        let meets = sql.test_condition(dataset, &Criterion::All(each.to_vec()));
        self.query_rows(
            &format!("SELECT r.rowid FROM {numbers} k CROSS JOIN {table} r WHERE r.rowid = k.value AND {meets}"),
            &sql,
        )
    }

    fn driver_rows(
        &self,
        dataset: Dataset,
        start: &Driver<'_>,
    ) -> Result<Option<Vec<i64>>, DbError> {
        let (mut sql, table) = (SqlBuilder::new(), dataset.plural());
        let statement = match start {
            Driver::Rows(rows) => return Ok((rows.len() <= self.max_rows).then(|| rows.to_vec())),
            Driver::Any(each) => {
                let mut all = Vec::new();
                for one in *each {
                    match self.candidates(dataset, std::slice::from_ref(one))? {
                        Some(rows) => all.extend(rows),
                        None => return Ok(None),
                    }
                }
                all.sort_unstable();
                all.dedup();
                return Ok((all.len() <= self.max_rows).then_some(all));
            }
            Driver::FullText(expression) => {
                format!(
                    "SELECT rowid FROM {table}_text WHERE {table}_text MATCH {}",
                    sql.bind(expression.clone())
                )
            }
            Driver::Index(criterion) => {
                format!(
                    "SELECT r.rowid FROM {table} r WHERE {}",
                    sql.lookup_condition(dataset, criterion)
                )
            }
            Driver::Related(field, rows, inner) => {
                match sql.reverse_join(dataset, field, rows, inner) {
                    Some(FromClause { tables, condition }) => {
                        format!("SELECT DISTINCT r.rowid FROM {tables} WHERE {condition}")
                    }
                    None => return Ok(None),
                }
            }
        };
        self.query_rows(&statement, &sql)
    }

    /// The rows of a statement; `None` if there are too many.
    fn query_rows(&self, statement: &str, sql: &SqlBuilder) -> Result<Option<Vec<i64>>, DbError> {
        let mut read = self
            .conn
            .prepare_cached(&format!("{statement} LIMIT {}", self.max_rows + 1))?;
        let rows = read.query_map(params_from_iter(&sql.values), |row| row.get(0))?;
        let rows: Vec<i64> = rows.collect::<Result<_, _>>()?;
        Ok((rows.len() <= self.max_rows).then_some(rows))
    }
}

/// The access paths for all of these, the shortest first.
fn access_paths(dataset: Dataset, each: &[Criterion]) -> Vec<AccessPath<'_>> {
    let mut ways = Vec::new();
    let mut columns = (Vec::new(), Vec::new());
    for (nth, one) in each.iter().enumerate() {
        let mut way = |rank, start| {
            ways.push(AccessPath {
                cost: rank,
                driver: start,
                covers: vec![nth],
            })
        };
        match one {
            Criterion::Rows(rows) => way(0, Driver::Rows(rows)),
            Criterion::Counted { .. } => way(1, Driver::Index(one.clone())),
            Criterion::Field {
                test: Predicate::Id(_),
                exclude: false,
                ..
            } => way(1, Driver::Index(one.clone())),
            Criterion::Found { expression, .. } => way(2, Driver::FullText(expression.clone())),
            Criterion::Related {
                field,
                none: false,
                inner,
            } => {
                if let Criterion::All(inner) = &**inner
                    && let Some((Criterion::Rows(rows), links)) = inner.split_last()
                {
                    way(
                        3,
                        Driver::Related(field, rows, Criterion::All(links.to_vec())),
                    );
                }
            }
            Criterion::Any(each) => way(4, Driver::Any(each)),
            Criterion::Field { field, .. } if field.is_indexed(dataset) => {
                columns.0.push(one.clone());
                columns.1.push(nth);
            }
            Criterion::Field {
                field,
                test: Predicate::Is(texts),
                exclude: false,
            } => {
                if let (FilterKind::Text(TextMatch::Fuzzy), FilterColumn::Record(name)) =
                    (&field.kind, field.column)
                    && let Some(whole) = full_text::all_words_expression(name, texts)
                {
                    ways.push(AccessPath {
                        cost: 2,
                        driver: Driver::FullText(whole),
                        covers: Vec::new(),
                    });
                }
            }
            _ => {}
        }
    }
    if !columns.0.is_empty() {
        ways.push(AccessPath {
            cost: 5,
            driver: Driver::Index(Criterion::All(columns.0)),
            covers: columns.1,
        });
    }
    ways.sort_by_key(|way| way.cost);
    ways
}

/// That one of these texts is found in these columns.
fn full_text_criterion(
    conn: &Conn,
    columns: &'static str,
    texts: &[String],
) -> Result<Criterion, DbError> {
    let expression = full_text::fuzzy_expression_in(conn, columns, texts)?;
    Ok(
        expression.map_or_else(match_none, |expression| Criterion::Found {
            columns,
            texts: texts.to_vec(),
            expression,
        }),
    )
}

fn match_none() -> Criterion {
    Criterion::Any(Vec::new())
}

/// All of these, with nested groups of all flattened.
pub(super) fn flatten_all(each: Vec<Criterion>) -> Criterion {
    let parts = each.into_iter().flat_map(|one| match one {
        Criterion::All(parts) => parts,
        one => vec![one],
    });
    Criterion::All(parts.collect())
}

/// The parts of a group of all that satisfy `asks`, and the others.
fn partition_all(
    criterion: &Criterion,
    asks: fn(&Criterion) -> bool,
) -> (Vec<Criterion>, Vec<Criterion>) {
    let each = match criterion {
        Criterion::All(each) => each.clone(),
        one => vec![one.clone()],
    };
    each.into_iter().partition(asks)
}

impl Criterion {
    /// Whether it tests an annotation of the book.
    fn uses_book(&self) -> bool {
        self.uses_column(|column| matches!(column, FilterColumn::Book(_) | FilterColumn::Tags))
    }

    /// Whether it tests nothing but the row between two records.
    pub(super) fn uses_only_join_rows(&self) -> bool {
        let is_link = |one: &Criterion| matches!(one, Criterion::Field { field, .. } if matches!(field.column, FilterColumn::JoinRow(_)));
        matches!(self, Criterion::All(each) if each.iter().all(is_link))
    }

    /// Whether it tests the row between two records.
    pub(super) fn uses_join_rows(&self) -> bool {
        self.uses_column(|column| matches!(column, FilterColumn::JoinRow(_)))
    }

    fn uses_column(&self, of: fn(&FilterColumn) -> bool) -> bool {
        match self {
            Criterion::All(each) | Criterion::Any(each) => {
                each.iter().any(|one| one.uses_column(of))
            }
            Criterion::Not(one) => one.uses_column(of),
            Criterion::Field { field, .. } => of(&field.column),
            _ => false,
        }
    }
}
