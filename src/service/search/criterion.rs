//! What a filter means, in whichever grammar it was written: a tree of criteria over the table of
//! fields. Its `Debug` form is the same for filters with the same meaning, so that a cursor can be
//! tied to it. The grammars produce all, any, fields and related records; the other variants are
//! produced by [`super::planner`]. Never here: SQL, JSON.

use uuid::Uuid;

use super::fields::FilterKey;

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
    /// This one does not match; records without the value match.
    Not(Box<Criterion>),
    /// One of these texts is found in these columns.
    Found {
        /// The columns of the full-text table, separated by spaces.
        columns: &'static str,
        texts: Vec<String>,
        /// The full-text expression for the texts.
        expression: String,
    },
    /// It is one of these rows of its table.
    Rows(Vec<i64>),
    /// The count of related records in this column is zero, or is not.
    Counted {
        column: &'static str,
        /// Whether the count must be zero.
        none: bool,
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

/// A test of one value.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// It matches one of these texts fuzzily.
    Like(Vec<String>),
    /// It equals one of these texts, as stored.
    Stored(Vec<String>),
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
