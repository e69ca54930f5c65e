//! What searches keep in memory, read before anybody searches, so that nobody's first search waits
//! for it. Never here: when that happens.

use chrono::DateTime;

use super::column_search::key_expression;
use super::criterion::{Criterion, Predicate};
use super::evaluator::Evaluator;
use super::fields::{FilterColumn, FilterDialect, FilterKey, filter_keys, sort_keys};
use super::grammar::SortDirection;
use super::{SearchContext, SearchScope};
use crate::domain::WorkspaceId;
use crate::service::dataset::Dataset;
use crate::service::db::columns::ColumnCache;
use crate::service::db::sql::Result;
use crate::service::db::{Conn, signals};

/// Signals below which a first search reads what it needs at once.
const MIN_SIGNALS: usize = 10_000;

/// A part of what searches use. Each is read in a transaction of its own, between other searches.
pub enum PreloadStep {
    /// What a filter key is compared with.
    Key(Dataset, &'static FilterKey),
    /// The rows in an order.
    Order(Dataset, String),
    /// What texts of the feed and the queue are compared with.
    FeedTexts,
}

/// What is read before the first search; nothing if the index is small.
pub fn plan_steps(conn: &Conn, columns: &ColumnCache) -> Result<Vec<PreloadStep>> {
    let signals = columns.take_snapshot(conn)?.rows(Dataset::Signals)?;
    Ok(if signals.count_rows() < MIN_SIGNALS {
        Vec::new()
    } else {
        list_all_steps()
    })
}

/// Everything that searches may use.
pub fn list_all_steps() -> Vec<PreloadStep> {
    let mut steps = vec![PreloadStep::FeedTexts];
    for dataset in Dataset::ALL {
        let keys = filter_keys(dataset, FilterDialect::Definition).into_iter();
        steps.extend(
            keys.filter(|key| !matches!(key.column, FilterColumn::Book | FilterColumn::Tags))
                .map(|key| PreloadStep::Key(dataset, key)),
        );
        let (sorts, _) = sort_keys(dataset, &SearchScope::Data);
        let directions = [SortDirection::Ascending, SortDirection::Descending];
        let orders = sorts
            .iter()
            .flat_map(|key| directions.map(|direction| key_expression(key, direction)));
        steps.push(PreloadStep::Order(dataset, String::new()));
        steps.extend(orders.map(|by| PreloadStep::Order(dataset, by)));
    }
    steps
}

impl PreloadStep {
    pub fn load(&self, conn: &Conn, columns: &ColumnCache) -> Result<()> {
        match self {
            PreloadStep::Key(dataset, key) => load_key(conn, columns, *dataset, key),
            PreloadStep::Order(dataset, by) => {
                let mut columns = columns.take_snapshot(conn)?;
                columns.order(*dataset, by).map(drop)
            }
            PreloadStep::FeedTexts => signals::load_texts(conn, columns),
        }
    }
}

/// Asks which rows have a value, or a related record.
fn load_key(
    conn: &Conn,
    columns: &ColumnCache,
    dataset: Dataset,
    key: &'static FilterKey,
) -> Result<()> {
    let call = SearchContext {
        workspace: WorkspaceId::default(),
        now: DateTime::default(),
        dataset,
        scope: SearchScope::Data,
        columns,
    };
    let criterion = if key.is_relation() {
        Criterion::Related {
            field: key,
            none: false,
            inner: Box::new(Criterion::all_of(Vec::new())),
        }
    } else {
        Criterion::Field {
            field: key,
            test: Predicate::Known,
            exclude: false,
        }
    };
    let mut snapshot = columns.take_snapshot(conn)?;
    let mut evaluator = Evaluator {
        columns: &mut snapshot,
        call: &call,
    };
    evaluator.matching_rows(dataset, &criterion).map(drop)
}
