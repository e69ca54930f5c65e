//! What a filter says, whichever grammar said it: a tree of criteria over the table of fields. Its `Debug` form is the same for
//! filters that mean the same, so that a cursor can be tied to it. The grammars make all, any, fields and related records; the rest
//! is what [`super::list`] makes of these when it has looked. Never here: SQL, JSON.

use uuid::Uuid;

use super::fields::FilterKey;

/// Something that a record meets or does not.
#[derive(Clone, Debug)]
pub enum Criterion {
    /// Every one of these; all records when there are none.
    All(Vec<Criterion>),
    /// At least one of these.
    Any(Vec<Criterion>),
    /// The record's value passes the test, or, with `exclude`, does not.
    Field {
        field: &'static FilterKey,
        test: Predicate,
        /// Whether it must not pass; a record without the value then meets the criterion.
        exclude: bool,
    },
    /// This one does not hold; a record without the value meets it.
    Not(Box<Criterion>),
    /// One of these texts is found in these columns.
    Found {
        /// The columns, as the tables of full text call them, with a space between.
        columns: &'static str,
        texts: Vec<String>,
        /// What full text finds them by.
        expression: String,
    },
    /// It is one of these rows of its table.
    Rows(Vec<i64>),
    /// The related records that are counted in this column are none, or some.
    Counted {
        column: &'static str,
        /// Whether there must be none.
        none: bool,
    },
    /// At least one related record meets the inner criterion, or, with `none`, not one does.
    Related {
        field: &'static FilterKey,
        /// Whether there must be none.
        none: bool,
        /// What the related record meets.
        inner: Box<Criterion>,
    },
}

/// A test of one value.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// It is like one of these texts.
    Like(Vec<String>),
    /// It is one of these texts, as stored.
    Stored(Vec<String>),
    /// It is one of these texts or words, by the field's rule and never fuzzily.
    Is(Vec<String>),
    /// It is one of these ids.
    Id(Vec<Uuid>),
    /// It is one of these truth values.
    Flag(Vec<bool>),
    /// It is known and within these bounds, both included.
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
