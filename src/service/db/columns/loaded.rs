//! The columns that were read so far: how each is read from the index, and how changed rows are
//! read again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::ColumnSnapshot;
use super::links::LinkTable;
use super::row_set::RowSet;
use super::texts::{TextColumn, WordColumn, set_at};
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::db::sql::{Result, Row, SqlError, Value as Sql, params, params_from_iter};

/// A column of a dataset, or an SQL expression of its columns.
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

/// The values of a column by row.
trait IndexValues {
    /// Takes the value at a place of a row of the index; none if there is no such row.
    fn take(&mut self, row: u32, found: Option<&Row<'_>>, at: usize) -> Result<()>;
}

impl IndexValues for Vec<f64> {
    fn take(&mut self, row: u32, found: Option<&Row<'_>>, at: usize) -> Result<()> {
        let value: Option<f64> = found.map(|found| found.get(at)).transpose()?.flatten();
        if row as usize >= self.len() {
            self.resize(row as usize + 1, f64::NAN);
        }
        self[row as usize] = value.unwrap_or(f64::NAN);
        Ok(())
    }
}

impl IndexValues for TextColumn {
    fn take(&mut self, row: u32, found: Option<&Row<'_>>, at: usize) -> Result<()> {
        let text = found.map(|found| text_at(found, at)).transpose()?;
        self.set(row, text.flatten());
        Ok(())
    }
}

impl IndexValues for WordColumn {
    fn take(&mut self, row: u32, found: Option<&Row<'_>>, at: usize) -> Result<()> {
        let text = found.map(|found| text_at(found, at)).transpose()?;
        self.set(row, text.flatten());
        Ok(())
    }
}

impl ColumnSnapshot<'_> {
    /// The rows that exist.
    pub fn rows(&mut self, dataset: Dataset) -> Result<Arc<RowSet>> {
        get_or_load!(self.columns.rows, dataset, load_rows(self.conn, dataset))
    }

    /// Numbers or moments by row; NaN for null.
    pub fn numbers(&mut self, column: ColumnName) -> Result<Arc<Vec<f64>>> {
        get_or_load!(self.columns.numbers, column, load_column(self.conn, column))
    }

    pub fn texts(&mut self, column: ColumnName) -> Result<Arc<TextColumn>> {
        get_or_load!(self.columns.texts, column, load_column(self.conn, column))
    }

    pub fn words(&mut self, column: ColumnName) -> Result<Arc<WordColumn>> {
        get_or_load!(self.columns.words, column, load_column(self.conn, column))
    }

    /// The project of each signal, or the account of each contact; 0 for none.
    pub fn parents(&mut self, dataset: Dataset) -> Result<Arc<Vec<u32>>> {
        get_or_load!(
            self.columns.parents,
            dataset,
            load_parents(self.conn, dataset)
        )
    }

    pub fn links(&mut self, kind: LinkKind) -> Result<Arc<LinkTable>> {
        get_or_load!(self.columns.links, kind, load_links(self.conn, kind))
    }

    /// The rows in the order of an SQL expression of `r` and then by id; an empty one stands for
    /// the order by id.
    pub fn order(&mut self, dataset: Dataset, by: &str) -> Result<Arc<Vec<u32>>> {
        let key = (dataset, by.to_owned());
        get_or_load!(self.columns.orders, key, load_order(self.conn, dataset, by))
    }
}

impl LoadedColumns {
    #[cfg(test)]
    pub fn count(&self) -> usize {
        let values = self.numbers.len() + self.texts.len() + self.words.len();
        let relations = self.parents.len() + self.links.len();
        self.rows.len() + values + relations + self.orders.len()
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
    ) -> Result<()> {
        if changed.is_empty() {
            return Ok(());
        }
        fn list_values<C: IndexValues + Clone>(
            dataset: Dataset,
            columns: &mut HashMap<ColumnName, Arc<C>>,
        ) -> impl Iterator<Item = (&'static str, &mut dyn IndexValues)> {
            (columns.iter_mut())
                .filter(move |((of, _), _)| *of == dataset)
                .map(|((_, name), column)| (*name, Arc::make_mut(column) as &mut dyn IndexValues))
        }
        let mut columns: Vec<(&str, &mut dyn IndexValues)> =
            list_values(dataset, &mut self.numbers)
                .chain(list_values(dataset, &mut self.texts))
                .chain(list_values(dataset, &mut self.words))
                .collect();
        let mut parents = self.parents.get_mut(&dataset).map(Arc::make_mut);
        let mut rows = self.rows.get_mut(&dataset).map(Arc::make_mut);

        let names: String = columns
            .iter()
            .map(|(name, _)| format!(", {name}"))
            .collect();
        let parent = match dataset {
            Dataset::Signals if parents.is_some() => {
                "(SELECT p.rowid FROM projects p WHERE p.id = r.project_id)"
            }
            Dataset::Contacts if parents.is_some() => {
                "(SELECT a.rowid FROM accounts a WHERE a.id = r.account_id)"
            }
            _ => "NULL",
        };
        let mut read = conn.prepare(&format!(
            "SELECT {parent}{names} FROM {} r WHERE r.rowid = ?1",
            dataset.plural()
        ))?;
        for &row in changed {
            let mut found = read.query([row])?;
            let found = found.next()?;
            for (at, (_, column)) in (1..).zip(&mut columns) {
                column.take(row, found.as_ref(), at)?;
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
    ) -> Result<()> {
        let Some(links) = self.links.get_mut(&kind).filter(|_| !projects.is_empty()) else {
            return Ok(());
        };
        let links = Arc::make_mut(links);
        links.remove_projects(projects);
        let mut read = conn.prepare(match kind {
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

fn text_at<'r>(row: &Row<'r>, at: usize) -> Result<Option<&'r str>> {
    row.get_ref(at)?.as_str_or_null().map_err(SqlError::from)
}

fn load_column<C: IndexValues + Default>(conn: &Conn, (dataset, name): ColumnName) -> Result<C> {
    let mut values = C::default();
    let mut read = conn.prepare(&format!("SELECT rowid, {name} FROM {}", dataset.plural()))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        values.take(row.get(0)?, Some(&row), 1)?;
    }
    Ok(values)
}

fn load_rows(conn: &Conn, dataset: Dataset) -> Result<RowSet> {
    let sql = format!("SELECT rowid FROM {}", dataset.plural());
    conn.query_rows(&sql, [], |row| row.get::<_, u32>(0))
}

fn load_order(conn: &Conn, dataset: Dataset, by: &str) -> Result<Vec<u32>> {
    let by = if by.is_empty() {
        String::new()
    } else {
        format!("{by}, ")
    };
    let sql = format!(
        "SELECT r.rowid FROM {} r ORDER BY {by}r.id",
        dataset.plural()
    );
    conn.query_rows(&sql, [], |row| row.get(0))
}

/// The row of each id of a dataset.
fn load_ids(conn: &Conn, dataset: Dataset) -> Result<HashMap<[u8; 16], u32>> {
    let sql = format!("SELECT id, rowid FROM {} ORDER BY id", dataset.plural());
    conn.query_rows(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn load_parents(conn: &Conn, dataset: Dataset) -> Result<Vec<u32>> {
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

fn load_links(conn: &Conn, kind: LinkKind) -> Result<LinkTable> {
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
            Ok::<_, SqlError>(ids.get(&row.get::<_, [u8; 16]>(at)?).copied().unwrap_or(0))
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
) -> Result<Vec<u32>> {
    let value = if by.is_empty() { "NULL" } else { by };
    let mut read = conn.prepare(&format!(
        "SELECT {value}, r.id FROM {} r WHERE r.rowid = ?1",
        dataset.plural()
    ))?;
    let mut before = HashMap::new();
    let (mut new, mut first_of_end) = (Vec::with_capacity(order.len() + moved.len()), None);
    for &row in moved {
        let Some((value, id)) =
            read.find_row([row], |row| Ok((row.get::<_, Sql>(0)?, row.get(1)?)))?
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
) -> Result<Option<u32>> {
    let (table, past, word) = if ascending {
        (dataset.plural(), ">", "ASC")
    } else {
        (dataset.plural(), "<", "DESC")
    };
    if by.is_empty() {
        let sql = format!(
            "SELECT r.rowid FROM {table} r WHERE r.id {past} ?1 ORDER BY r.id {word} LIMIT 1"
        );
        return conn.find_row(&sql, [id], |row| row.get(0));
    }
    // two statements, each of which seeks in the index of the order
    let same = format!(
        "SELECT r.rowid FROM {table} r WHERE {by} = ?1 AND r.id {past} ?2 ORDER BY r.id {word} LIMIT 1"
    );
    let found = conn.find_row(&same, params![value, id], |row| row.get(0))?;
    if found.is_some() {
        return Ok(found);
    }
    let other = format!(
        "SELECT r.rowid FROM {table} r WHERE {by} {past} ?1 ORDER BY {by} {word}, r.id {word} LIMIT 1"
    );
    conn.find_row(&other, params_from_iter([value]), |row| row.get(0))
}
