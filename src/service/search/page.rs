//! One page of a search: the order, the statement, the count and the cursor of the next page.

use serde_json::{Value, json};
use uuid::Uuid;

use super::criterion::Criterion;
use super::cursor::{CursorKey, CursorPosition};
use super::definition::ViewDefinition;
use super::fields::FilterKey;
use super::grammar::{self, SearchRequest, SortDirection};
use super::planner::SearchPlan;
use super::sql_builder::{FromClause, SqlBuilder};
use super::{
    SearchContext, SearchMetadata, SearchResults, SearchScope, as_of, column_search, planner,
};
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::columns::ColumnCache;
use crate::service::db::projection::{self, Projection};
use crate::service::db::sql::{Row, params_from_iter};
use crate::service::db::{Conn, DbError, project_status};

/// The highest total that is reported (interface: Limits).
const MAX_REPORTED_TOTAL: u32 = 1000;
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

/// Runs a search, starting from a list of candidates if there are at most `most`.
pub fn find_page(
    conn: &Conn,
    call: &SearchContext<'_>,
    body: &Value,
    most: usize,
) -> Result<SearchResults, ApiError> {
    let mut request = grammar::parse_request(call, body)?;
    let tied = cursor_binding(call, &request);
    let definition;
    let mut call = *call;
    if project_status::has_future_signals(conn, call.now)? {
        request.filters = as_of::restrict_as_of(call.dataset, request.filters, call.now);
        if let SearchScope::Dynamic(view, stored) = call.scope {
            definition = ViewDefinition(as_of::restrict_as_of(
                call.dataset,
                stored.0.clone(),
                call.now,
            ));
            call.scope = SearchScope::Dynamic(view, &definition);
        }
    }
    let call = &call;
    let after = match &request.search_after {
        None => None,
        Some(cursor) => Some(CursorKey::load(conn, call.columns)?.verify(cursor, &tied).ok_or_else(|| {
            let message = "is not a cursor of this search: repeat the filters, query and sort it was returned for";
            ApiError::invalid_field("not_allowed", &["search_after".into()], message, Value::Null)
        })?),
    };
    let FoundRows {
        rowids,
        last,
        total,
    } = find_rows(conn, call, &request, after, most)?;
    let last = match last {
        Some(place) => Some(CursorKey::load(conn, call.columns)?.sign(&place, &tied)),
        None => None,
    };
    let rows = row_projection(call).read_rowids(conn, call.workspace, call.now, &rowids)?;
    let metadata = SearchMetadata {
        total: total.min(MAX_REPORTED_TOTAL),
        total_is_capped: total > MAX_REPORTED_TOTAL,
        limit: request.limit,
        offset: request.offset,
        search_after: last,
        credits: rows.len() as u32,
    };
    Ok(SearchResults { rows, metadata })
}

/// The projection of a search's rows.
fn row_projection(call: &SearchContext<'_>) -> &'static Projection {
    use SearchScope::{Book, Data, Dynamic, Static};
    match (call.dataset, &call.scope) {
        (Dataset::Signals, _) => &projection::SIGNAL,
        (Dataset::Accounts, Data) => &projection::DATA_ACCOUNT,
        (Dataset::Contacts, Data) => &projection::DATA_CONTACT,
        (Dataset::Projects, Data) => &projection::DATA_PROJECT,
        (Dataset::Accounts, Book) => &projection::BOOK_ACCOUNT_ROW,
        (Dataset::Contacts, Book) => &projection::BOOK_CONTACT_ROW,
        (Dataset::Projects, Book) => &projection::BOOK_PROJECT_ROW,
        (Dataset::Accounts, Static(_) | Dynamic(..)) => &projection::VIEW_ACCOUNT_ROW,
        (Dataset::Contacts, Static(_) | Dynamic(..)) => &projection::VIEW_CONTACT_ROW,
        (Dataset::Projects, Static(_) | Dynamic(..)) => &projection::VIEW_PROJECT_ROW,
    }
}

/// What a cursor of this search is tied to.
fn cursor_binding(call: &SearchContext<'_>, request: &SearchRequest) -> String {
    let base = match &call.scope {
        SearchScope::Data => json!("data"),
        SearchScope::Book => json!("book"),
        SearchScope::Static(view) | SearchScope::Dynamic(view, _) => json!(view),
    };
    let sort = request.sort.map(|(key, direction)| (key.key, direction));
    format!(
        "{base} {} {} {:?} {sort:?} {:?}",
        call.workspace,
        call.dataset.plural(),
        request.query,
        request.filters
    )
}

/// The rows of a page, from columns in memory if possible.
fn find_rows(
    conn: &Conn,
    call: &SearchContext<'_>,
    request: &SearchRequest,
    after: Option<CursorPosition>,
    most: usize,
) -> Result<FoundRows, DbError> {
    if let Some(columns) = call
        .columns
        .filter(|_| conn.is_postgres() || column_search::is_over_index(call, request))
        && let Some(mut columns) = columns.take_snapshot(conn)?
    {
        return column_search::find_rows(&mut columns, call, request, after.as_ref());
    }
    if conn.is_postgres() {
        let unshared = ColumnCache::default();
        return column_search::find_rows(
            &mut unshared.read_columns(conn),
            call,
            request,
            after.as_ref(),
        );
    }
    let (mut places, total) = find_positions(conn, call, request, after, most)?;
    let more = places.len() > request.limit as usize;
    places.truncate(request.limit as usize);
    let rowids = places.iter().map(|(rowid, _)| *rowid).collect();
    Ok(FoundRows {
        rowids,
        last: places.pop().map(|(_, place)| place).filter(|_| more),
        total,
    })
}

/// The positions of a page and of one more row, and the total number of matches, counted up to one
/// more than the cap.
fn find_positions(
    conn: &Conn,
    call: &SearchContext<'_>,
    request: &SearchRequest,
    after: Option<CursorPosition>,
    most: usize,
) -> Result<(Vec<(i64, CursorPosition)>, u32), DbError> {
    let mut looked = planner::plan_search(
        conn,
        call,
        request.filters.clone(),
        request.query.as_deref(),
        most,
    )?;
    let mut sql = SqlBuilder::new();
    let counts = count_table(&mut sql, call, request, &mut looked);
    let book_first = matches!(request.sort, Some((key, _)) if key.sql.starts_with("b."));
    let FromClause {
        mut tables,
        mut condition,
    } = sql.scope_tables(call, looked.candidates.as_deref(), book_first);
    if counts.is_some() {
        (tables, condition) = (
            format!("m CROSS JOIN {tables}"),
            format!("r.rowid = m.nth AND {condition}"),
        );
    }
    let with = counts.as_deref().unwrap_or_default();
    let exact = matches!(call.scope, SearchScope::Data) && looked.remaining.is_empty();
    condition = format!(
        "{condition} AND {}",
        sql.test_condition(call.dataset, &Criterion::All(looked.remaining))
    );
    let counted = sql.values.len();
    let total = format!(
        "{with}SELECT count(*) FROM (SELECT 1 FROM {tables} WHERE {condition} LIMIT {})",
        MAX_REPORTED_TOTAL + 1
    );

    let (by, direction) = order_by(&mut sql, request, &looked.criterion, counts.is_some());
    // the same id, written so that the index of the book returns its rows in order
    let id = if book_first { "b.record_id" } else { "r.id" };
    let (word, past) = if direction == SortDirection::Ascending {
        ("ASC", ">")
    } else {
        ("DESC", "<")
    };
    let (limit, offset, first) = (request.limit + 1, request.offset, after.is_none());
    if let Some(place) = after {
        let (value, last) = (
            sql.bind(place.value),
            sql.bind(place.id.into_bytes().to_vec()),
        );
        condition = format!("{condition} AND ({by}, {id}) {past} ({value}, {last})");
    }
    // near the beginning, a single statement gives the page and the count
    let together = first && offset + limit <= MAX_REPORTED_TOTAL + 1;
    let (most, from_row) = if together {
        (MAX_REPORTED_TOTAL + 1, 0)
    } else {
        (limit, offset)
    };
    let page = format!(
        "{with}SELECT r.rowid, {by}, {id} FROM {tables} WHERE {condition} ORDER BY {by} {word}, {id} {word} LIMIT {most} OFFSET {from_row}"
    );
    let read = |row: &Row<'_>| {
        Ok((
            row.get(0)?,
            CursorPosition {
                value: row.get(1)?,
                id: Uuid::from_bytes(row.get(2)?),
            },
        ))
    };
    let mut places: Vec<(i64, CursorPosition)> = conn
        .prepare_cached(&page)?
        .query_map(params_from_iter(&sql.values), read)?
        .collect::<Result<_, _>>()?;
    let total = match &looked.candidates {
        _ if together => places.len() as u32,
        Some(rows) if exact => rows.len() as u32,
        _ => conn
            .prepare_cached(&total)?
            .query_row(params_from_iter(&sql.values[..counted]), |row| row.get(0))?,
    };
    if together {
        places.drain(..places.len().min(offset as usize));
        places.truncate(limit as usize);
    }
    Ok((places, total))
}

/// When rows are sorted by their number of projects, the relational filter to which the count is
/// restricted, and its index among the filters.
pub fn counted_relation<'a>(
    request: &SearchRequest,
    settled: &'a Criterion,
) -> Option<(usize, &'static FilterKey, &'a Criterion)> {
    let Criterion::All(filters) = settled else {
        return None;
    };
    request
        .sort
        .filter(|(key, _)| key.key == "projects_count")?;
    filters
        .iter()
        .enumerate()
        .find_map(|(nth, filter)| match filter {
            Criterion::Related {
                field,
                none: false,
                inner,
            } if matches!(field.key, "has_project" | "on_project") => Some((nth, *field, &**inner)),
            _ => None,
        })
}

/// The table of these counts for a search of many rows, where counting row by row would read each
/// project once for each of its records. It only contains rows that match the filter, which is not
/// tested again.
fn count_table(
    sql: &mut SqlBuilder,
    call: &SearchContext<'_>,
    request: &SearchRequest,
    looked: &mut SearchPlan,
) -> Option<String> {
    let (nth, field, inner) =
        counted_relation(request, &looked.criterion).filter(|_| looked.candidates.is_none())?;
    let counts = sql.count_table(call.dataset, field, inner);
    if let Criterion::All(filters) = &looked.criterion {
        looked.remaining = filters
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != nth)
            .map(|(_, filter)| filter.clone())
            .collect();
    }
    counts
}

/// The sort value as SQL without nulls, and the direction.
fn order_by(
    sql: &mut SqlBuilder,
    request: &SearchRequest,
    settled: &Criterion,
    has_counts: bool,
) -> (String, SortDirection) {
    let Some((_, direction)) = request.sort else {
        let query = sql.bind(request.query.clone().unwrap_or_default());
        return (
            format!("rank_of({query}, r.name)"),
            SortDirection::Ascending,
        );
    };
    if has_counts {
        return ("m.n".to_owned(), direction);
    }
    if let Some((_, field, inner)) = counted_relation(request, settled)
        && let Some(matching) = sql.count_matching(field, inner)
    {
        return (matching, direction);
    }
    (sort_expression(request), direction)
}

/// The value of the sort key without nulls.
pub fn sort_expression(request: &SearchRequest) -> String {
    let Some((key, direction)) = request.sort else {
        return String::new();
    };
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
