//! Criteria as of the service's clock: a signal discovered later does not exist yet, neither as a
//! row nor as a related record. Only used for files that contain such signals, so that other
//! searches do not pay for it.

use chrono::{DateTime, Utc};

use super::criterion::{Criterion, Predicate, RangeBound};
use super::fields::{self, FilterDialect, FilterKey, FilterKind};
use crate::service::dataset::Dataset;

/// Restricts a criterion about records of a dataset to what is known at `now`.
pub fn restrict_as_of(dataset: Dataset, criterion: Criterion, now: DateTime<Utc>) -> Criterion {
    let inner = match criterion {
        Criterion::All(each) => Criterion::All(
            each.into_iter()
                .map(|one| restrict_related(one, now))
                .collect(),
        ),
        one => restrict_related(one, now),
    };
    match discovered_by(dataset, now) {
        Some(discovered) => Criterion::All(vec![discovered, inner]),
        None => inner,
    }
}

fn restrict_related(criterion: Criterion, now: DateTime<Utc>) -> Criterion {
    match criterion {
        Criterion::All(each) => Criterion::All(
            each.into_iter()
                .map(|one| restrict_related(one, now))
                .collect(),
        ),
        Criterion::Any(each) => Criterion::Any(
            each.into_iter()
                .map(|one| restrict_related(one, now))
                .collect(),
        ),
        Criterion::Related {
            field:
                field @ FilterKey {
                    kind: FilterKind::Relation(relation),
                    ..
                },
            none,
            inner,
        } => Criterion::Related {
            field,
            none,
            inner: Box::new(restrict_as_of(relation.related, *inner, now)),
        },
        other => other,
    }
}

/// That a signal is discovered by now; `None` for other records.
fn discovered_by(dataset: Dataset, now: DateTime<Utc>) -> Option<Criterion> {
    let field = fields::filter_keys(dataset, FilterDialect::Data)
        .into_iter()
        .find(|field| field.key == "discovered_at")?;
    Some(Criterion::Field {
        field,
        test: Predicate::Within(None, Some(RangeBound::Whole(now.timestamp_millis()))),
        exclude: false,
    })
}
