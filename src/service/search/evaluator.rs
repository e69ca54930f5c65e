//! Criteria over columns in memory: a criterion becomes the set of rows that match it. Annotations
//! of the book, which belong to a workspace, are read with SQL. Never here: the order or the
//! position of a page.

use uuid::Uuid;

use super::SearchContext;
use super::criterion::{Criterion, Predicate, RangeBound};
use super::fields::{FilterColumn, FilterKey, FilterKind, TextMatch};
use super::sql_builder::{FromClause, SqlBuilder};
use crate::domain::fuzzy::{self, QueryText};
use crate::service::dataset::Dataset;
use crate::service::db::columns::{ColumnSnapshot, LinkKind, LinkTable, RowSet};
use crate::service::db::sql::{Result, Value, params_from_iter};

/// Evaluates the criteria of a search.
pub struct Evaluator<'s, 'c> {
    pub columns: &'s mut ColumnSnapshot<'c>,
    pub call: &'s SearchContext<'s>,
}

impl Evaluator<'_, '_> {
    /// The rows that match a criterion.
    pub fn matching_rows(&mut self, dataset: Dataset, criterion: &Criterion) -> Result<RowSet> {
        Ok(match criterion {
            Criterion::All(each) => {
                let mut found: Option<RowSet> = None;
                for one in each {
                    match &mut found {
                        Some(found) if found.is_empty() => break,
                        Some(found) => found.intersect(&self.matching_rows(dataset, one)?),
                        None => found = Some(self.matching_rows(dataset, one)?),
                    }
                }
                match found {
                    Some(found) => found,
                    None => self.all_rows(dataset)?,
                }
            }
            Criterion::Any(each) => {
                let mut found = RowSet::default();
                for one in each {
                    found.unite(&self.matching_rows(dataset, one)?);
                }
                found
            }
            Criterion::Field {
                field,
                test,
                exclude,
            } => {
                let passing = self.passing_rows(dataset, field, test)?;
                if *exclude {
                    self.other_rows(dataset, &passing)?
                } else {
                    passing
                }
            }
            Criterion::Related { field, none, inner } => {
                let related = self.rows_related_to(dataset, field, inner)?;
                if *none {
                    self.other_rows(dataset, &related)?
                } else {
                    related
                }
            }
        })
    }

    pub fn all_rows(&mut self, dataset: Dataset) -> Result<RowSet> {
        Ok(RowSet::clone(&*self.columns.rows(dataset)?))
    }

    fn other_rows(&mut self, dataset: Dataset, rows: &RowSet) -> Result<RowSet> {
        let mut others = self.all_rows(dataset)?;
        others.subtract(rows);
        Ok(others)
    }

    /// The rows of a statement of the first column's row ids.
    pub fn query_rows(&self, sql: &str, values: &[Value]) -> Result<RowSet> {
        RowSet::query(self.columns.conn(), sql, params_from_iter(values))
    }

    /// The rows whose value passes a test.
    fn passing_rows(
        &mut self,
        dataset: Dataset,
        field: &FilterKey,
        test: &Predicate,
    ) -> Result<RowSet> {
        let name = match field.column {
            FilterColumn::Record => field.key,
            FilterColumn::RecordList(name) => {
                let texts = self.columns.texts((dataset, name))?;
                return Ok(match test {
                    Predicate::Is(words) => {
                        // the words of an enum need no escaping in JSON text
                        let words: Vec<String> =
                            words.iter().map(|word| format!("\"{word}\"")).collect();
                        texts.rows_where(|list| words.iter().any(|word| list.contains(word)))
                    }
                    _ => texts.rows_where(|list| list != "[]"),
                });
            }
            FilterColumn::HasValue(name) => {
                let Predicate::Flag(flags) = test else {
                    return self.all_rows(dataset);
                };
                let numbers = self.columns.numbers((dataset, name))?;
                let known = RowSet::from_test(numbers.len(), |row| !numbers[row].is_nan());
                let mut passing = if flags.contains(&true) {
                    known.clone()
                } else {
                    RowSet::default()
                };
                if flags.contains(&false) {
                    passing.unite(&self.other_rows(dataset, &known)?);
                }
                return Ok(passing);
            }
            FilterColumn::Book | FilterColumn::Tags => {
                let mut sql = SqlBuilder::new();
                let FromClause { tables, condition } =
                    sql.book_tables(self.call.workspace, dataset, field, test);
                return self.query_rows(
                    &format!("SELECT r.rowid FROM {tables} WHERE {condition}"),
                    &sql.values,
                );
            }
            // belongs to a link, or to related records
            FilterColumn::JoinRow | FilterColumn::Related => return Ok(RowSet::default()),
        };
        match &field.kind {
            FilterKind::Number | FilterKind::Date => {
                let numbers = self.columns.numbers((dataset, name))?;
                let Predicate::Within(min, max) = test else {
                    return Ok(RowSet::from_test(numbers.len(), |row| {
                        !numbers[row].is_nan()
                    }));
                };
                let (min, max) = (
                    min.map_or(f64::NEG_INFINITY, bound_value),
                    max.map_or(f64::INFINITY, bound_value),
                );
                Ok(RowSet::from_test(numbers.len(), |row| {
                    min <= numbers[row] && numbers[row] <= max
                }))
            }
            FilterKind::Uuid => {
                let parents = self.columns.parents(dataset)?;
                let Predicate::Id(ids) = test else {
                    return Ok(RowSet::from_test(parents.len(), |row| parents[row] != 0));
                };
                let table = if dataset == Dataset::Signals {
                    "projects"
                } else {
                    "accounts"
                };
                let wanted = self.rows_with_ids(table, ids)?;
                Ok(RowSet::from_test(parents.len(), |row| {
                    wanted.contains(parents[row])
                }))
            }
            FilterKind::Text(_) if !matches!(name, "city" | "state") => {
                self.rows_with_words(dataset, name, test)
            }
            kind => {
                let texts = self.columns.texts((dataset, name))?;
                Ok(match (test, kind) {
                    (Predicate::Like(sought), _) => {
                        let sought: Vec<QueryText> =
                            sought.iter().map(|text| QueryText::new(text)).collect();
                        texts.rows_where(|text| sought.iter().any(|sought| sought.matches(text)))
                    }
                    (
                        Predicate::Is(wanted),
                        FilterKind::Text(TextMatch::Fuzzy | TextMatch::AnyCase),
                    ) => {
                        let wanted: Vec<String> =
                            wanted.iter().map(|text| fuzzy::lowercase(text)).collect();
                        texts.rows_where(|text| wanted.contains(&fuzzy::lowercase(text)))
                    }
                    (Predicate::Is(wanted), _) => {
                        texts.rows_where(|text| wanted.iter().any(|wanted| wanted == text))
                    }
                    _ => texts.rows_where(|_| true),
                })
            }
        }
    }

    /// The same for a text with many different values.
    fn rows_with_words(
        &mut self,
        dataset: Dataset,
        name: &'static str,
        test: &Predicate,
    ) -> Result<RowSet> {
        let words = self.columns.words((dataset, name))?;
        let mut found = RowSet::default();
        match test {
            Predicate::Like(texts) => texts
                .iter()
                .for_each(|text| found.unite(&words.rows_matching(&QueryText::new(text)))),
            Predicate::Is(texts) => {
                texts
                    .iter()
                    .for_each(|text| found.unite(&words.rows_with_words_of(text)));
                if !found.is_empty() {
                    let wanted: Vec<String> =
                        texts.iter().map(|text| fuzzy::lowercase(text)).collect();
                    let mut sql = SqlBuilder::new();
                    let rows: Vec<i64> = found.rows().map(i64::from).collect();
                    let (rows, wanted, table) = (
                        sql.number_table(&rows),
                        sql.bind_texts(wanted.into_iter()),
                        dataset.plural(),
                    );
                    let exact = format!(
                        "SELECT r.rowid FROM {rows} k CROSS JOIN {table} r WHERE r.rowid = k.value AND lowered(r.{name}) IN ({wanted})"
                    );
                    found = self.query_rows(&exact, &sql.values)?;
                }
            }
            _ => found = words.known_rows().clone(),
        }
        Ok(found)
    }

    fn rows_with_ids(&self, table: &str, ids: &[Uuid]) -> Result<RowSet> {
        let mut read = self
            .columns
            .conn()
            .prepare(&format!("SELECT rowid FROM {table} WHERE id = ?1"))?;
        let mut rows = RowSet::default();
        for id in ids {
            let found: Result<Vec<u32>, _> = read.query_map([id], |row| row.get(0))?.collect();
            found?.into_iter().for_each(|row| rows.insert(row));
        }
        Ok(rows)
    }

    /// The rows with at least one related record that matches the inner criterion.
    fn rows_related_to(
        &mut self,
        dataset: Dataset,
        field: &FilterKey,
        inner: &Criterion,
    ) -> Result<RowSet> {
        let FilterKind::Relation(relation) = &field.kind else {
            return Ok(RowSet::default());
        };
        let related = relation.related;
        if inner.uses_join_rows() {
            let links = self.columns.links(LinkKind::Accounts)?;
            let matching = self.matching_links(related, &links, inner)?;
            return Ok(matching
                .rows()
                .map(|nth| links.projects[nth as usize])
                .collect());
        }
        let matching = self.matching_rows(related, inner)?;
        if matching.is_empty() {
            return Ok(matching);
        }
        Ok(match (dataset, related) {
            (Dataset::Accounts, Dataset::Projects) => {
                lead_from_projects(&*self.columns.links(LinkKind::Accounts)?, &matching)
            }
            (Dataset::Accounts, Dataset::Signals) => {
                let projects = self.parent_rows(Dataset::Signals, &matching)?;
                lead_from_projects(&*self.columns.links(LinkKind::Accounts)?, &projects)
            }
            (Dataset::Accounts, _) => self.parent_rows(Dataset::Contacts, &matching)?,
            (Dataset::Contacts, Dataset::Accounts) => {
                self.child_rows(Dataset::Contacts, &matching)?
            }
            (Dataset::Contacts, _) => {
                lead_from_projects(&*self.columns.links(LinkKind::Contacts)?, &matching)
            }
            (Dataset::Projects, Dataset::Accounts) => {
                lead_to_projects(&*self.columns.links(LinkKind::Accounts)?, &matching)
            }
            (Dataset::Projects, Dataset::Signals) => {
                self.parent_rows(Dataset::Signals, &matching)?
            }
            (Dataset::Projects, _) => {
                lead_to_projects(&*self.columns.links(LinkKind::Contacts)?, &matching)
            }
            (Dataset::Signals, Dataset::Projects) => {
                self.child_rows(Dataset::Signals, &matching)?
            }
            (Dataset::Signals, _) => {
                let projects =
                    lead_to_projects(&*self.columns.links(LinkKind::Accounts)?, &matching);
                self.child_rows(Dataset::Signals, &projects)?
            }
        })
    }

    /// The projects of these signals, or the accounts of these contacts.
    fn parent_rows(&mut self, dataset: Dataset, rows: &RowSet) -> Result<RowSet> {
        let parents = self.columns.parents(dataset)?;
        let mut found: RowSet = rows.rows().map(|row| parents[row as usize]).collect();
        found.remove(0);
        Ok(found)
    }

    /// The signals of these projects, or the contacts of these accounts.
    fn child_rows(&mut self, dataset: Dataset, of: &RowSet) -> Result<RowSet> {
        let parents = self.columns.parents(dataset)?;
        Ok(RowSet::from_test(parents.len(), |row| {
            of.contains(parents[row])
        }))
    }

    /// The links between projects and accounts, by their number, that match a criterion about the
    /// account and its role.
    fn matching_links(
        &mut self,
        related: Dataset,
        links: &LinkTable,
        criterion: &Criterion,
    ) -> Result<RowSet> {
        let all = || RowSet::from_test(links.count_links(), |_| true);
        let except = |rows: &RowSet| {
            let mut others = all();
            others.subtract(rows);
            others
        };
        Ok(match criterion {
            Criterion::All(each) => {
                let mut found = all();
                for one in each {
                    found.intersect(&self.matching_links(related, links, one)?);
                }
                found
            }
            Criterion::Any(each) => {
                let mut found = RowSet::default();
                for one in each {
                    found.unite(&self.matching_links(related, links, one)?);
                }
                found
            }
            Criterion::Field {
                field,
                test,
                exclude,
            } if matches!(field.column, FilterColumn::JoinRow) => {
                let passing = match test {
                    Predicate::Is(roles) => {
                        links.links_with_role(|role| roles.iter().any(|wanted| wanted == role))
                    }
                    _ => all(),
                };
                if *exclude { except(&passing) } else { passing }
            }
            other => {
                let rows = self.matching_rows(related, other)?;
                RowSet::from_test(links.count_links(), |nth| rows.contains(links.related[nth]))
            }
        })
    }

    /// For each row how many projects it has among these.
    pub fn count_projects(&mut self, dataset: Dataset, projects: &RowSet) -> Result<Vec<u32>> {
        let kind = if dataset == Dataset::Contacts {
            LinkKind::Contacts
        } else {
            LinkKind::Accounts
        };
        let links = self.columns.links(kind)?;
        let (mut counts, mut last) = (Vec::new(), (0, 0));
        for pair in links
            .projects
            .iter()
            .copied()
            .zip(links.related.iter().copied())
        {
            let row = pair.1 as usize;
            if row >= counts.len() {
                counts.resize(row + 1, 0);
            }
            // an account with several roles in a project counts once
            if pair != last && projects.contains(pair.0) {
                counts[row] += 1;
            }
            last = pair;
        }
        Ok(counts)
    }
}

fn lead_from_projects(links: &LinkTable, projects: &RowSet) -> RowSet {
    let pairs = links.projects.iter().zip(&links.related);
    pairs
        .filter(|(project, _)| projects.contains(**project))
        .map(|(_, related)| *related)
        .collect()
}

fn lead_to_projects(links: &LinkTable, related: &RowSet) -> RowSet {
    let pairs = links.projects.iter().zip(&links.related);
    pairs
        .filter(|(_, row)| related.contains(**row))
        .map(|(project, _)| *project)
        .collect()
}

fn bound_value(bound: RangeBound) -> f64 {
    match bound {
        RangeBound::Whole(number) => number as f64,
        RangeBound::Real(number) => number,
    }
}
