//! The columns that were read so far: how each is read from the index, and how changed rows are
//! read again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::links::LinkTable;
use super::row_set::RowSet;
use super::texts::{TextColumn, WordColumn, set_at};
use crate::service::dataset::Dataset;
use crate::service::db::sql::{
    OptionalExtension, Row, SqlError, Value as Sql, params, params_from_iter,
};
use crate::service::db::{Conn, DbError};

/// A column of a dataset.
pub type ColumnName = (Dataset, &'static str);

/// The related records that have a table of their own between them and projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    Accounts,
    Contacts,
}

/// Changed rows of an order beyond which it is read again.
const MAX_MOVED_ROWS: usize = 200;

/// The columns, shared between the searches that use them. Rows are indexes; row 0 does not exist.
#[derive(Clone, Default)]
pub struct LoadedColumns {
    pub rows: HashMap<Dataset, Arc<RowSet>>,
    /// Numbers and moments; NaN for null.
    pub numbers: HashMap<ColumnName, Arc<Vec<f64>>>,
    pub texts: HashMap<ColumnName, Arc<TextColumn>>,
    pub words: HashMap<ColumnName, Arc<WordColumn>>,
    /// The project of each signal and the account of each contact; 0 for none.
    pub parents: HashMap<Dataset, Arc<Vec<u32>>>,
    pub links: HashMap<LinkKind, Arc<LinkTable>>,
    /// The rows in the order of an expression of `r` and then by id; an empty expression stands for
    /// the order by id alone.
    pub orders: HashMap<(Dataset, String), Arc<Vec<u32>>>,
}

/// Loads into an empty place and returns what is there.
macro_rules! get_or_load {
    ($map:expr, $key:expr, $load:expr) => {{
        let key = $key;
        if let Some(found) = $map.get(&key) {
            return Ok(found.clone());
        }
        let loaded = Arc::new($load?);
        $map.insert(key, Arc::clone(&loaded));
        Ok(loaded)
    }};
}

impl LoadedColumns {
    /// The rows that exist.
    pub fn rows(&mut self, conn: &Conn, dataset: Dataset) -> Result<Arc<RowSet>, DbError> {
        get_or_load!(self.rows, dataset, load_rows(conn, dataset))
    }

    pub fn numbers(&mut self, conn: &Conn, column: ColumnName) -> Result<Arc<Vec<f64>>, DbError> {
        get_or_load!(self.numbers, column, {
            let mut values = Vec::new();
            read_column(conn, column, |row, value| {
                set_number(&mut values, row, value.get(1)?);
                Ok(())
            })
            .map(|()| values)
        })
    }

    pub fn texts(&mut self, conn: &Conn, column: ColumnName) -> Result<Arc<TextColumn>, DbError> {
        get_or_load!(self.texts, column, {
            let mut values = TextColumn::default();
            read_column(conn, column, |row, value| {
                values.set(row, text_at(value, 1)?);
                Ok(())
            })
            .map(|()| values)
        })
    }

    pub fn words(&mut self, conn: &Conn, column: ColumnName) -> Result<Arc<WordColumn>, DbError> {
        get_or_load!(self.words, column, {
            let mut values = WordColumn::default();
            read_column(conn, column, |row, value| {
                values.set(row, text_at(value, 1)?);
                Ok(())
            })
            .map(|()| values)
        })
    }

    /// The project of each signal, or the account of each contact.
    pub fn parents(&mut self, conn: &Conn, dataset: Dataset) -> Result<Arc<Vec<u32>>, DbError> {
        get_or_load!(self.parents, dataset, load_parents(conn, dataset))
    }

    pub fn links(&mut self, conn: &Conn, kind: LinkKind) -> Result<Arc<LinkTable>, DbError> {
        get_or_load!(self.links, kind, load_links(conn, kind))
    }

    pub fn order(
        &mut self,
        conn: &Conn,
        dataset: Dataset,
        by: &str,
    ) -> Result<Arc<Vec<u32>>, DbError> {
        get_or_load!(
            self.orders,
            (dataset, by.to_owned()),
            load_order(conn, dataset, by)
        )
    }

    /// Adds the columns of another one that are missing here.
    pub fn add_missing(&mut self, other: LoadedColumns) {
        fn add<K: Eq + std::hash::Hash, V>(to: &mut HashMap<K, V>, from: HashMap<K, V>) {
            from.into_iter().for_each(|(key, column)| {
                to.entry(key).or_insert(column);
            });
        }
        add(&mut self.rows, other.rows);
        add(&mut self.numbers, other.numbers);
        add(&mut self.texts, other.texts);
        add(&mut self.words, other.words);
        add(&mut self.parents, other.parents);
        add(&mut self.links, other.links);
        add(&mut self.orders, other.orders);
    }

    /// Reads rows again that were added, changed or deleted.
    pub fn update_rows(
        &mut self,
        conn: &Conn,
        dataset: Dataset,
        changed: &BTreeSet<u32>,
    ) -> Result<(), DbError> {
        if changed.is_empty() {
            return Ok(());
        }
        let numbers = self
            .numbers
            .iter_mut()
            .filter(|((of, _), _)| *of == dataset);
        let mut numbers: Vec<(&str, &mut Vec<f64>)> = numbers
            .map(|((_, name), column)| (*name, Arc::make_mut(column)))
            .collect();
        let texts = self.texts.iter_mut().filter(|((of, _), _)| *of == dataset);
        let mut texts: Vec<(&str, &mut TextColumn)> = texts
            .map(|((_, name), column)| (*name, Arc::make_mut(column)))
            .collect();
        let words = self.words.iter_mut().filter(|((of, _), _)| *of == dataset);
        let mut words: Vec<(&str, &mut WordColumn)> = words
            .map(|((_, name), column)| (*name, Arc::make_mut(column)))
            .collect();
        let mut parents = self.parents.get_mut(&dataset).map(Arc::make_mut);
        let mut rows = self.rows.get_mut(&dataset).map(Arc::make_mut);

        let names = numbers
            .iter()
            .map(|(name, _)| *name)
            .chain(texts.iter().map(|(name, _)| *name));
        let names = names
            .chain(words.iter().map(|(name, _)| *name))
            .map(|name| format!(", r.{name}"))
            .collect::<String>();
        let parent = match dataset {
            Dataset::Signals if parents.is_some() => {
                "(SELECT p.rowid FROM projects p WHERE p.id = r.project_id)"
            }
            Dataset::Contacts if parents.is_some() => {
                "(SELECT a.rowid FROM accounts a WHERE a.id = r.account_id)"
            }
            _ => "NULL",
        };
        let mut read = conn.prepare_cached(&format!(
            "SELECT {parent}{names} FROM {} r WHERE r.rowid = ?1",
            dataset.plural()
        ))?;
        for &row in changed {
            let mut found = read.query([row])?;
            let found = found.next()?;
            let mut at = 1..;
            let mut next = || at.next().unwrap_or_default();
            for (_, column) in &mut numbers {
                let value = found.map(|found| found.get(next())).transpose()?.flatten();
                set_number(column, row, value);
            }
            for (_, column) in &mut texts {
                column.set(
                    row,
                    found
                        .map(|found| text_at(&found, next()))
                        .transpose()?
                        .flatten(),
                );
            }
            for (_, column) in &mut words {
                column.set(
                    row,
                    found
                        .map(|found| text_at(&found, next()))
                        .transpose()?
                        .flatten(),
                );
            }
            if let Some(parents) = &mut parents {
                let parent: Option<u32> = found.map(|found| found.get(0)).transpose()?.flatten();
                set_at(parents, row, parent.unwrap_or(0));
            }
            match &mut rows {
                Some(rows) if found.is_some() => rows.insert(row),
                Some(rows) => rows.remove(row),
                None => {}
            }
        }
        let is_of = |of: &(Dataset, String)| of.0 == dataset;
        if changed.len() > MAX_MOVED_ROWS {
            self.orders.retain(|of, _| !is_of(of));
        }
        for ((_, by), order) in self.orders.iter_mut().filter(|(of, _)| is_of(of)) {
            *order = Arc::new(move_rows(conn, dataset, by, order, changed)?);
        }
        Ok(())
    }

    /// Reads again what belongs to these projects.
    pub fn update_links(
        &mut self,
        conn: &Conn,
        kind: LinkKind,
        projects: &BTreeSet<u32>,
    ) -> Result<(), DbError> {
        let Some(links) = self.links.get_mut(&kind).filter(|_| !projects.is_empty()) else {
            return Ok(());
        };
        let links = Arc::make_mut(links);
        links.remove_projects(projects);
        let mut read = conn.prepare_cached(match kind {
            LinkKind::Accounts => {
                "SELECT a.rowid, l.role FROM projects p CROSS JOIN project_accounts l CROSS JOIN accounts a
                 WHERE p.rowid = ?1 AND l.project_id = p.id AND a.id = l.account_id"
            }
            LinkKind::Contacts => {
                "SELECT c.rowid, '' FROM projects p CROSS JOIN project_contacts l CROSS JOIN contacts c
                 WHERE p.rowid = ?1 AND l.project_id = p.id AND c.id = l.contact_id"
            }
        })?;
        for &project in projects {
            let mut found = read.query([project])?;
            while let Some(link) = found.next()? {
                links.push(
                    project,
                    link.get(0)?,
                    text_at(&link, 1)?.unwrap_or_default(),
                );
            }
        }
        Ok(())
    }
}

fn set_number(values: &mut Vec<f64>, row: u32, value: Option<f64>) {
    if row as usize >= values.len() {
        values.resize(row as usize + 1, f64::NAN);
    }
    values[row as usize] = value.unwrap_or(f64::NAN);
}

fn text_at<'r>(row: &Row<'r>, at: usize) -> Result<Option<&'r str>, DbError> {
    Ok(row.get_ref(at)?.as_str_or_null().map_err(SqlError::from)?)
}

/// Passes the row id of each record and the statement's row, with the value at 1.
fn read_column(
    conn: &Conn,
    (dataset, name): ColumnName,
    mut take: impl FnMut(u32, &Row<'_>) -> Result<(), DbError>,
) -> Result<(), DbError> {
    let mut read = conn.prepare(&format!(
        "SELECT r.rowid, r.{name} FROM {} r",
        dataset.plural()
    ))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        take(row.get(0)?, &row)?;
    }
    Ok(())
}

fn load_rows(conn: &Conn, dataset: Dataset) -> Result<RowSet, DbError> {
    let mut read = conn.prepare(&format!("SELECT rowid FROM {}", dataset.plural()))?;
    Ok(read
        .query_map([], |row| row.get::<_, u32>(0))?
        .collect::<Result<_, _>>()?)
}

fn load_order(conn: &Conn, dataset: Dataset, by: &str) -> Result<Vec<u32>, DbError> {
    let by = if by.is_empty() {
        String::new()
    } else {
        format!("{by}, ")
    };
    let mut read = conn.prepare(&format!(
        "SELECT r.rowid FROM {} r ORDER BY {by}r.id",
        dataset.plural()
    ))?;
    Ok(read
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?)
}

/// The row of each id of a dataset.
fn load_ids(conn: &Conn, dataset: Dataset) -> Result<HashMap<[u8; 16], u32>, DbError> {
    let mut read = conn.prepare(&format!(
        "SELECT id, rowid FROM {} ORDER BY id",
        dataset.plural()
    ))?;
    Ok(read
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?)
}

fn load_parents(conn: &Conn, dataset: Dataset) -> Result<Vec<u32>, DbError> {
    let (parent, column) = if dataset == Dataset::Signals {
        (Dataset::Projects, "project_id")
    } else {
        (Dataset::Accounts, "account_id")
    };
    let ids = load_ids(conn, parent)?;
    // by their parents, so that they are read from an index and each parent is looked up once
    let mut read = conn.prepare(&format!(
        "SELECT rowid, {column} FROM {} ORDER BY {column}",
        dataset.plural()
    ))?;
    let mut rows = read.query([])?;
    let (mut parents, mut last) = (Vec::new(), ([0; 16], 0));
    while let Some(row) = rows.next()? {
        let id: Option<[u8; 16]> = row.get(1)?;
        let id = id.unwrap_or_default();
        if id != last.0 {
            last = (id, ids.get(&id).copied().unwrap_or(0));
        }
        set_at(&mut parents, row.get(0)?, last.1);
    }
    Ok(parents)
}

fn load_links(conn: &Conn, kind: LinkKind) -> Result<LinkTable, DbError> {
    let projects = load_ids(conn, Dataset::Projects)?;
    let (related, sql) = match kind {
        LinkKind::Accounts => (
            Dataset::Accounts,
            "SELECT project_id, account_id, role FROM project_accounts ORDER BY 1, 2, 3",
        ),
        LinkKind::Contacts => (
            Dataset::Contacts,
            "SELECT project_id, contact_id, '' FROM project_contacts ORDER BY 1, 2",
        ),
    };
    let related = load_ids(conn, related)?;
    let mut read = conn.prepare(sql)?;
    let (mut rows, mut links) = (read.query([])?, LinkTable::default());
    while let Some(row) = rows.next()? {
        let row_of = |ids: &HashMap<[u8; 16], u32>, at| {
            Ok::<_, DbError>(ids.get(&row.get::<_, [u8; 16]>(at)?).copied().unwrap_or(0))
        };
        links.push(
            row_of(&projects, 0)?,
            row_of(&related, 1)?,
            text_at(&row, 2)?.unwrap_or_default(),
        );
    }
    Ok(links)
}

/// An order with some rows moved to where they belong now; those that do not exist any more are
/// left out.
fn move_rows(
    conn: &Conn,
    dataset: Dataset,
    by: &str,
    order: &[u32],
    moved: &BTreeSet<u32>,
) -> Result<Vec<u32>, DbError> {
    let value = if by.is_empty() { "NULL" } else { by };
    let mut read = conn.prepare_cached(&format!(
        "SELECT {value}, r.id FROM {} r WHERE r.rowid = ?1",
        dataset.plural()
    ))?;
    let mut before = HashMap::new();
    let (mut new, mut first_of_end) = (Vec::with_capacity(order.len() + moved.len()), None);
    for &row in moved {
        let Some((value, id)) = read
            .query_row([row], |row| Ok((row.get::<_, Sql>(0)?, row.get(1)?)))
            .optional()?
        else {
            continue;
        };
        match find_neighbor(conn, dataset, by, &value, id, true)? {
            Some(next) => drop(before.insert(next, row)),
            None => first_of_end = Some(row),
        }
    }
    let mut chain = Vec::new();
    let mut push_with_those_before = |row: u32| {
        let mut at = Some(row);
        while let Some(row) = at {
            chain.push(row);
            at = before.get(&row).copied();
        }
        new.extend(chain.drain(..).rev());
    };
    order
        .iter()
        .filter(|row| !moved.contains(row))
        .for_each(|row| push_with_those_before(*row));
    first_of_end
        .into_iter()
        .for_each(&mut push_with_those_before);
    Ok(new)
}

/// The row after the place of a value and an id in an order, or before it if not `ascending`.
pub fn find_neighbor(
    conn: &Conn,
    dataset: Dataset,
    by: &str,
    value: &Sql,
    id: [u8; 16],
    ascending: bool,
) -> Result<Option<u32>, DbError> {
    let (table, past, word) = if ascending {
        (dataset.plural(), ">", "ASC")
    } else {
        (dataset.plural(), "<", "DESC")
    };
    if by.is_empty() {
        let sql = format!(
            "SELECT r.rowid FROM {table} r WHERE r.id {past} ?1 ORDER BY r.id {word} LIMIT 1"
        );
        return Ok(conn
            .prepare_cached(&sql)?
            .query_row([id], |row| row.get(0))
            .optional()?);
    }
    // two statements, each of which seeks in the index of the order
    let same = format!(
        "SELECT r.rowid FROM {table} r WHERE {by} = ?1 AND r.id {past} ?2 ORDER BY r.id {word} LIMIT 1"
    );
    let found = conn
        .prepare_cached(&same)?
        .query_row(params![value, id], |row| row.get(0))
        .optional()?;
    if found.is_some() {
        return Ok(found);
    }
    let other = format!(
        "SELECT r.rowid FROM {table} r WHERE {by} {past} ?1 ORDER BY {by} {word}, r.id {word} LIMIT 1"
    );
    Ok(conn
        .prepare_cached(&other)?
        .query_row(params_from_iter([value]), |row| row.get(0))
        .optional()?)
}
