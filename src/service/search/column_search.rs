//! Pages of searches over columns in memory: the matching rows are a set, their number is its size,
//! and a page is read by walking an order and testing bits. A page far down costs what the first
//! page costs.

use std::collections::HashMap;

use uuid::Uuid;

use super::criterion::Criterion;
use super::cursor::CursorPosition;
use super::evaluator::Evaluator;
use super::fields::SortKey;
use super::grammar::{SearchRequest, SortDirection};
use super::sql_builder::{FromClause, SqlBuilder, visibility_condition};
use super::{SearchContext, SearchScope};
use crate::domain::fuzzy::QueryText;
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::db::columns::{RowSet, find_neighbor};
use crate::service::db::sql::{Result, Value, params_from_iter};

/// Greater than every sortable number: the sort value of rows without one.
const NULL_SORT_VALUE: i64 = 9_007_199_254_740_991;

/// The rows of a page.
pub struct FoundRows {
    pub rowids: Vec<i64>,
    /// The place of the last of them, if there are more.
    pub last: Option<CursorPosition>,
    /// The number of all matches, counted at least up to one more than the cap.
    pub total: u32,
}

/// The rows of a page and the number of matches.
pub fn find_rows(
    conn: &Conn,
    call: &SearchContext<'_>,
    request: &SearchRequest,
    after: Option<&CursorPosition>,
) -> Result<FoundRows> {
    let mut columns = call.columns.take_snapshot(conn)?;
    let mut evaluator = Evaluator {
        columns: &mut columns,
        call,
    };
    let mut criterion = request.filters.clone();
    if let SearchScope::Dynamic(_, definition) = call.scope {
        criterion = Criterion::all_of(vec![criterion, definition.0.clone()]);
    }
    let mut matches = evaluator.matching_rows(call.dataset, &criterion)?;
    if matches!(call.scope, SearchScope::Dynamic(..)) && call.dataset == Dataset::Contacts {
        matches = visible_contacts(&evaluator, matches)?;
    }
    if matches!(call.scope, SearchScope::Book | SearchScope::Static(_)) {
        let mut sql = SqlBuilder::new();
        let FromClause { tables, condition } = sql.book_or_view_tables(call);
        matches.intersect(&evaluator.query_rows(
            &format!("SELECT r.rowid FROM {tables} WHERE {condition}"),
            &sql.values,
        )?);
    }
    let ranks = load_ranks(&evaluator, call, request, &mut matches)?;
    let total = matches.count_rows();
    let is_ascending = request
        .sort
        .is_none_or(|(_, direction)| direction == SortDirection::Ascending);
    let page = PageBounds {
        total,
        offset: request.offset as usize,
        limit: request.limit as usize,
        is_ascending,
    };
    let counted = counted_relation(request, &criterion);
    let (rowids, last) = match (ranks, counted) {
        (Some(ranks), _) => {
            let rank_of = |row: u32| ranks.get(&row).copied().unwrap_or(0);
            find_ranked_page(&mut evaluator, &matches, rank_of, after, &page)?
        }
        (None, Some(inner)) => {
            let projects = evaluator.matching_rows(Dataset::Projects, inner)?;
            let counts = evaluator.count_projects(call.dataset, &projects)?;
            let count_of = |row: u32| i64::from(counts.get(row as usize).copied().unwrap_or(0));
            find_ranked_page(&mut evaluator, &matches, count_of, after, &page)?
        }
        (None, None) => {
            let by = sort_expression(request);
            let order = evaluator.columns.order(call.dataset, &by)?;
            let conn = evaluator.columns.conn();
            let mut rest = &order[..];
            if let Some(place) = after {
                let next = find_neighbor(
                    conn,
                    call.dataset,
                    &by,
                    &place.value,
                    place.id.into_bytes(),
                    is_ascending,
                )?;
                let at = next.and_then(|next| order.iter().position(|row| *row == next));
                rest = match (at, is_ascending) {
                    (Some(at), true) => &order[at..],
                    (Some(at), false) => &order[..=at],
                    (None, _) => &[],
                };
            }
            let rowids = page.take_matching(rest.iter().copied(), &matches);
            let last = page
                .last_of_many(&rowids)
                .map(|row| load_position(conn, call.dataset, &by, row))
                .transpose()?;
            (rowids, last)
        }
    };
    Ok(FoundRows {
        rowids: rowids.into_iter().take(page.limit).map(i64::from).collect(),
        last,
        total: total as u32,
    })
}

/// What part of the matches a page is.
struct PageBounds {
    total: usize,
    offset: usize,
    limit: usize,
    is_ascending: bool,
}

impl PageBounds {
    /// The rows of the page and one more.
    fn take_matching(
        &self,
        rows: impl DoubleEndedIterator<Item = u32>,
        matches: &RowSet,
    ) -> Vec<u32> {
        let wanted = self.limit + 1;
        if self.offset >= self.total {
            Vec::new()
        } else if self.is_ascending {
            rows.filter(|row| matches.contains(*row))
                .take(self.total)
                .skip(self.offset)
                .take(wanted)
                .collect()
        } else {
            rows.rev()
                .filter(|row| matches.contains(*row))
                .take(self.total)
                .skip(self.offset)
                .take(wanted)
                .collect()
        }
    }

    /// The last row of the page, if there are more.
    fn last_of_many(&self, rows: &[u32]) -> Option<u32> {
        rows.get(self.limit).and(rows.get(self.limit - 1)).copied()
    }
}

/// The number that the matches are sorted by, if they are not in an order of the index: how well
/// they match the query, or their value in the book. What the query does not match is removed from
/// the matches.
fn load_ranks(
    evaluator: &Evaluator<'_, '_>,
    call: &SearchContext<'_>,
    request: &SearchRequest,
    matches: &mut RowSet,
) -> Result<Option<HashMap<u32, i64>>> {
    let conn = evaluator.columns.conn();
    let mut ranks = HashMap::new();
    if let Some(query) = &request.query {
        let query = QueryText::new(query);
        for rows in matches
            .rows()
            .map(i64::from)
            .collect::<Vec<_>>()
            .chunks(1000)
        {
            let mut sql = SqlBuilder::new();
            let statement = format!(
                "SELECT r.rowid, r.name, concat_ws(' ', {}) FROM {} k CROSS JOIN {} r WHERE r.rowid = k.value",
                query_columns(call.dataset),
                sql.number_table(rows),
                call.dataset.plural()
            );
            let mut read = conn.prepare(&statement)?;
            let mut found = read.query(params_from_iter(&sql.values))?;
            while let Some(row) = found.next()? {
                if query.matches(&row.get::<_, String>(2)?) {
                    ranks.insert(row.get(0)?, query.rank(&row.get::<_, String>(1)?));
                }
            }
        }
        matches.intersect(&ranks.keys().copied().collect());
    }
    match request.sort {
        None => Ok(request.query.is_some().then_some(ranks)),
        Some((key, _)) if key.sql.starts_with("b.") => {
            let mut sql = SqlBuilder::new();
            let FromClause { tables, condition } = sql.book_or_view_tables(call);
            let by = sort_expression(request);
            let mut read = conn.prepare(&format!(
                "SELECT r.rowid, {by} FROM {tables} WHERE {condition}"
            ))?;
            let ranks = read.query_map(params_from_iter(&sql.values), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            Ok(Some(ranks.collect::<Result<_, _>>()?))
        }
        Some(_) => Ok(None),
    }
}

/// What a query searches of a record `r`.
fn query_columns(dataset: Dataset) -> &'static str {
    match dataset {
        Dataset::Accounts => "r.name, r.aliases",
        Dataset::Contacts => {
            "r.name, r.title, r.email, r.phone, (SELECT a.name FROM accounts a WHERE a.id = r.account_id)"
        }
        Dataset::Projects | Dataset::Signals => "r.name, r.primary_address",
    }
}

/// When rows are sorted by their number of projects, the relational filter to which the count is
/// restricted.
fn counted_relation<'a>(
    request: &SearchRequest,
    criterion: &'a Criterion,
) -> Option<&'a Criterion> {
    let Criterion::All(filters) = criterion else {
        return None;
    };
    request
        .sort
        .filter(|(key, _)| key.key == "projects_count")?;
    filters.iter().find_map(|filter| match filter {
        Criterion::Related {
            field,
            none: false,
            inner,
        } if matches!(field.key, "has_project" | "on_project") => Some(&**inner),
        _ => None,
    })
}

/// The value of the sort key without nulls.
fn sort_expression(request: &SearchRequest) -> String {
    let by = |(key, direction): (&SortKey, _)| key_expression(key, direction);
    request.sort.map(by).unwrap_or_default()
}

/// The value of a sort key: rows without one come last in either direction.
pub fn key_expression(key: &SortKey, direction: SortDirection) -> String {
    let far = if direction == SortDirection::Ascending {
        NULL_SORT_VALUE
    } else {
        -NULL_SORT_VALUE
    };
    if key.nullable {
        format!("ifnull({}, {far})", key.sql)
    } else {
        key.sql.to_owned()
    }
}

/// A page in the order of a number, such as that of projects that match a relational filter.
fn find_ranked_page(
    evaluator: &mut Evaluator<'_, '_>,
    matches: &RowSet,
    rank_of: impl Fn(u32) -> i64,
    after: Option<&CursorPosition>,
    page: &PageBounds,
) -> Result<(Vec<u32>, Option<CursorPosition>)> {
    let dataset = evaluator.call.dataset;
    let ids = evaluator.columns.order(dataset, "")?;
    let mut ranked: Vec<(i64, usize)> = ids
        .iter()
        .enumerate()
        .filter(|(_, row)| matches.contains(**row))
        .map(|(nth, row)| (rank_of(*row), nth))
        .collect();
    ranked.sort_unstable();
    let mut rest = &ranked[..];
    let conn = evaluator.columns.conn();
    if let Some(CursorPosition {
        value: Value::Integer(count),
        id,
    }) = after
    {
        let next = find_neighbor(
            conn,
            dataset,
            "",
            &Value::Null,
            id.into_bytes(),
            page.is_ascending,
        )?;
        let nth = next.and_then(|next| ids.iter().position(|row| *row == next));
        rest = if page.is_ascending {
            &ranked[ranked.partition_point(|place| *place < (*count, nth.unwrap_or(usize::MAX)))..]
        } else {
            &ranked
                [..ranked.partition_point(|place| *place < (*count, nth.map_or(0, |nth| nth + 1)))]
        };
    }
    let rowids = page.take_matching(rest.iter().map(|(_, nth)| ids[*nth]), matches);
    let last = page
        .last_of_many(&rowids)
        .map(|row| load_position(conn, dataset, "", row))
        .transpose()?;
    let last = last
        .zip(page.last_of_many(&rowids))
        .map(|(place, row)| CursorPosition {
            value: rank_of(row).into(),
            ..place
        });
    Ok((rowids, last))
}

/// The place of a row in an order.
fn load_position(conn: &Conn, dataset: Dataset, by: &str, row: u32) -> Result<CursorPosition> {
    let by = if by.is_empty() { "NULL" } else { by };
    let sql = format!(
        "SELECT {by}, r.id FROM {} r WHERE r.rowid = ?1",
        dataset.plural()
    );
    conn.query_row(&sql, [row], |row| {
        Ok(CursorPosition {
            value: row.get(0)?,
            id: Uuid::from_bytes(row.get(1)?),
        })
    })
}

/// Those of these contacts that are visible to the workspace; see [`visibility_condition`].
fn visible_contacts(evaluator: &Evaluator<'_, '_>, contacts: RowSet) -> Result<RowSet> {
    let visible = visibility_condition(Dataset::Contacts, "?1");
    let hidden = evaluator.query_rows(
        &format!("SELECT r.rowid FROM contacts r WHERE r.projects_count = 0 AND NOT {visible}"),
        &[Value::Blob(
            evaluator.call.workspace.0.into_bytes().to_vec(),
        )],
    )?;
    let mut visible = contacts;
    visible.subtract(&hidden);
    Ok(visible)
}
