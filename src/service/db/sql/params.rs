//! The values of a statement's parameters.

use super::{Result, ToSql};

/// Values for the parameters of a statement, in the order of their numbers.
pub trait Params {
    /// Passes on each value.
    fn for_each(&self, take: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()>;
}

/// Values of different types.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$(&$value as &dyn $crate::service::db::sql::ToSql),*] as &[&dyn $crate::service::db::sql::ToSql] };
}
pub(crate) use params;

impl Params for &[&dyn ToSql] {
    fn for_each(&self, take: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(|value| take(value))
    }
}

impl Params for [&(dyn ToSql + Send + Sync); 0] {
    fn for_each(&self, _: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()> {
        Ok(())
    }
}

/// Not for all lengths: the type of the values of `[]` would be unknown.
macro_rules! impl_params_for_arrays {
    ($($length:literal)*) => {$(
        impl<T: ToSql> Params for [T; $length] {
            fn for_each(&self, take: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()> {
                self.iter().try_for_each(|value| take(value))
            }
        }
    )*};
}
impl_params_for_arrays!(1 2 3 4);

impl<A: ToSql, B: ToSql> Params for (A, B) {
    fn for_each(&self, take: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()> {
        take(&self.0)?;
        take(&self.1)
    }
}

/// See [`params_from_iter`].
pub struct ParamsFromIter<I>(I);

/// As many values as there are.
pub fn params_from_iter<I: IntoIterator<Item: ToSql>>(values: I) -> ParamsFromIter<I> {
    ParamsFromIter(values)
}

impl<I: Clone + IntoIterator<Item: ToSql>> Params for ParamsFromIter<I> {
    fn for_each(&self, take: &mut dyn FnMut(&dyn ToSql) -> Result<()>) -> Result<()> {
        self.0
            .clone()
            .into_iter()
            .try_for_each(|value| take(&value))
    }
}
