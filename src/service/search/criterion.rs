//! What a filter means, in whichever grammar it was written: a tree of criteria over the table of
//! fields. Its `Debug` form is the same for filters with the same meaning, so that a cursor can be
//! tied to it. Never here: SQL, JSON.

use uuid::Uuid;

use super::fields::{FilterColumn, FilterKey};

/// A condition on a record.
#[derive(Clone, Debug)]
pub enum Criterion {
    /// All of these; every record if there are none.
    All(Vec<Criterion>),
    /// At least one of these.
    Any(Vec<Criterion>),
    /// The record's value passes the test; with `exclude` it does not.
    Field {
        field: &'static FilterKey,
        test: Predicate,
        /// Whether it must not pass; records without the value then match.
        exclude: bool,
    },
    /// At least one related record matches the inner criterion; with `none`, no related record
    /// does.
    Related {
        field: &'static FilterKey,
        /// Whether no related record may match.
        none: bool,
        /// What the related record must match.
        inner: Box<Criterion>,
    },
}

impl Criterion {
    /// All of these, with nested groups of all flattened.
    pub fn all_of(each: Vec<Criterion>) -> Criterion {
        let parts = each.into_iter().flat_map(|one| match one {
            Criterion::All(parts) => parts,
            one => vec![one],
        });
        Criterion::All(parts.collect())
    }

    /// Whether it tests the row between two records.
    pub fn uses_join_rows(&self) -> bool {
        match self {
            Criterion::All(each) | Criterion::Any(each) => {
                each.iter().any(Criterion::uses_join_rows)
            }
            Criterion::Field { field, .. } => matches!(field.column, FilterColumn::JoinRow),
            Criterion::Related { .. } => false,
        }
    }
}

/// A test of one value.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// It matches one of these texts fuzzily.
    Like(Vec<String>),
    /// It equals one of these texts or words, by the field's rule and never fuzzily.
    Is(Vec<String>),
    /// It is one of these ids.
    Id(Vec<Uuid>),
    /// It is one of these booleans.
    Flag(Vec<bool>),
    /// It is known and within these inclusive bounds.
    Within(Option<RangeBound>, Option<RangeBound>),
    /// It is known.
    Known,
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RangeBound {
    /// A whole number, or a moment in milliseconds.
    Whole(i64),
    Real(f64),
}
