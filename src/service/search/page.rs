//! One page of a search: the order, the statement, the count and the cursor of the next page.

use rusqlite::{Row, params_from_iter};
use serde_json::{Value, json};
use uuid::Uuid;

use super::criterion::Criterion;
use super::cursor::{self, Place};
use super::definition::Definition;
use super::fields::Field;
use super::grammar::{self, Direction, Request};
use super::list::Looked;
use super::sql::{From, Sql};
use super::{Base, Call, Found, Metadata, as_of, list, rows};
use crate::service::db::{Conn, Error, standing};
use crate::service::refusal::Refusal;

/// The highest total that is told (interface: Limits).
const TOTAL_MAX: u32 = 1000;
/// Beyond every number that is sorted by: where rows without the value are.
const FAR: i64 = 9_007_199_254_740_991;

/// Answers a search, from a list of at most `most` rows where it is short.
///
/// # Errors
/// 400 with all issues of the body; the database's own.
pub fn find(conn: &Conn, call: &Call<'_>, body: &Value, most: usize) -> Result<Found, Refusal> {
    let mut request = grammar::read(call, body)?;
    let tied = tied(call, &request);
    let definition;
    let mut call = *call;
    if standing::is_ahead(conn, call.now)? {
        request.filters = as_of::known(call.dataset, request.filters, call.now);
        if let Base::Dynamic(view, stored) = call.base {
            definition = Definition(as_of::known(call.dataset, stored.0.clone(), call.now));
            call.base = Base::Dynamic(view, &definition);
        }
    }
    let call = &call;
    let after = match &request.search_after {
        None => None,
        Some(cursor) => Some(cursor::open(conn, cursor, &tied)?.ok_or_else(|| {
            let message = "is no cursor of this search: send the filters, query and sort that it came with";
            Refusal::issue("not_allowed", &["search_after".into()], message, Value::Null)
        })?),
    };
    let (mut places, total) = places(conn, call, &request, after, most)?;
    let more = places.len() > request.limit as usize;
    places.truncate(request.limit as usize);
    let last = places.last().filter(|_| more).map(|(_, place)| cursor::sign(conn, place, &tied)).transpose()?;
    let rowids: Vec<i64> = places.iter().map(|(rowid, _)| *rowid).collect();
    let rows = rows::of_search(call).of_rowids(conn, call, &rowids)?;
    let metadata = Metadata {
        total: total.min(TOTAL_MAX),
        total_is_capped: total > TOTAL_MAX,
        limit: request.limit,
        offset: request.offset,
        search_after: last,
        credits: rows.len() as u32,
    };
    Ok(Found { rows, metadata })
}

/// What a cursor of this search is tied to.
fn tied(call: &Call<'_>, request: &Request) -> String {
    let base = match &call.base {
        Base::Data => json!("data"),
        Base::Book => json!("book"),
        Base::Static(view) | Base::Dynamic(view, _) => json!(view),
    };
    let sort = request.sort.map(|(key, direction)| (key.key, direction));
    format!("{base} {} {} {:?} {sort:?} {:?}", call.workspace, call.dataset.plural(), request.query, request.filters)
}

/// The places of a page and of one row more, and how many rows match in all, counted no further than the cap and one.
fn places(
    conn: &Conn,
    call: &Call<'_>,
    request: &Request,
    after: Option<Place>,
    most: usize,
) -> Result<(Vec<(i64, Place)>, u32), Error> {
    let mut looked = list::look(conn, call, request.filters.clone(), request.query.as_deref(), most)?;
    let mut sql = Sql::new();
    let counts = counts(&mut sql, call, request, &mut looked);
    let book_first = matches!(request.sort, Some((key, _)) if key.sql.starts_with("b."));
    let From { mut tables, mut condition } = sql.base(call, looked.rows.as_deref(), book_first);
    if counts.is_some() {
        (tables, condition) = (format!("m CROSS JOIN {tables}"), format!("r.rowid = m.nth AND {condition}"));
    }
    let with = counts.as_deref().unwrap_or_default();
    let exact = matches!(call.base, Base::Data) && looked.rest.is_empty();
    condition = format!("{condition} AND {}", sql.criterion(call.dataset, &Criterion::All(looked.rest)));
    let counted = sql.bound.len();
    let total = format!("{with}SELECT count(*) FROM (SELECT 1 FROM {tables} WHERE {condition} LIMIT {})", TOTAL_MAX + 1);

    let (by, direction) = order(&mut sql, request, &looked.criterion, counts.is_some());
    // the same id, spelled so that the index of the book gives its rows in order
    let id = if book_first { "b.record_id" } else { "r.id" };
    let (word, past) = if direction == Direction::Ascending { ("ASC", ">") } else { ("DESC", "<") };
    let (limit, offset, first) = (request.limit + 1, request.offset, after.is_none());
    if let Some(place) = after {
        let (value, last) = (sql.bind(place.value), sql.bind(place.id.into_bytes().to_vec()));
        condition = format!("{condition} AND ({by}, {id}) {past} ({value}, {last})");
    }
    // near the beginning, one reading gives the page and the count
    let together = first && offset + limit <= TOTAL_MAX + 1;
    let (most, from_row) = if together { (TOTAL_MAX + 1, 0) } else { (limit, offset) };
    let page = format!(
        "{with}SELECT r.rowid, {by}, {id} FROM {tables} WHERE {condition} ORDER BY {by} {word}, {id} {word} LIMIT {most} OFFSET {from_row}"
    );
    let read = |row: &Row<'_>| Ok((row.get(0)?, Place { value: row.get(1)?, id: Uuid::from_bytes(row.get(2)?) }));
    let mut places: Vec<(i64, Place)> =
        conn.prepare_cached(&page)?.query_map(params_from_iter(&sql.bound), read)?.collect::<Result<_, _>>()?;
    let total = match &looked.rows {
        _ if together => places.len() as u32,
        Some(rows) if exact => rows.len() as u32,
        _ => conn.prepare_cached(&total)?.query_row(params_from_iter(&sql.bound[..counted]), |row| row.get(0))?,
    };
    if together {
        places.drain(..places.len().min(offset as usize));
        places.truncate(limit as usize);
    }
    Ok((places, total))
}

/// The relational filter whose records alone are counted when rows are sorted by how many projects they have, and its place among the
/// filters.
fn counted_by<'a>(request: &Request, settled: &'a Criterion) -> Option<(usize, &'static Field, &'a Criterion)> {
    let Criterion::All(filters) = settled else { return None };
    request.sort.filter(|(key, _)| key.key == "projects_count")?;
    filters.iter().enumerate().find_map(|(nth, filter)| match filter {
        Criterion::Related { field, none: false, inner } if matches!(field.key, "has_project" | "on_project") => {
            Some((nth, *field, &**inner))
        }
        _ => None,
    })
}

/// The table of these counts for a search of many rows, where counting row by row would read each project once for each of its
/// records. It has no rows but those that meet the filter, which is not tested again.
fn counts(sql: &mut Sql, call: &Call<'_>, request: &Request, looked: &mut Looked) -> Option<String> {
    let (nth, field, inner) = counted_by(request, &looked.criterion).filter(|_| looked.rows.is_none())?;
    let counts = sql.counts(call.dataset, field, inner);
    if let Criterion::All(filters) = &looked.criterion {
        looked.rest = filters.iter().enumerate().filter(|(other, _)| *other != nth).map(|(_, filter)| filter.clone()).collect();
    }
    counts
}

/// What rows are sorted by, as SQL without nulls, and which way.
fn order(sql: &mut Sql, request: &Request, settled: &Criterion, has_counts: bool) -> (String, Direction) {
    let Some((key, direction)) = request.sort else {
        let query = sql.bind(request.query.clone().unwrap_or_default());
        return (format!("rank_of({query}, r.name)"), Direction::Ascending);
    };
    if has_counts {
        return ("m.n".to_owned(), direction);
    }
    if let Some((_, field, inner)) = counted_by(request, settled)
        && let Some(matching) = sql.matching(field, inner)
    {
        return (matching, direction);
    }
    let far = if direction == Direction::Ascending { FAR } else { -FAR };
    let by = if key.nullable { format!("ifnull({}, {far})", key.sql) } else { key.sql.to_owned() };
    (by, direction)
}
