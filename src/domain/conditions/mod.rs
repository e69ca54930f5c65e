//! The language of conditions: which rows the queue, its tabs and rules, a search, a View or a
//! command is about.
//!
//! A condition is `field=value`, `field!=value` or `!field=value`, `field==value` (the whole text),
//! `cost>=5M` (also `>`, `<=` and `<`), `cost=5M..9M`, `field=*` (its value is known) or `!field`
//! (it is not); `a,b` means either; `has_account.role=gc` is a condition on related records. All
//! must hold. Which fields there are, a [`Vocabulary`](crate::domain::vocabulary::Vocabulary) says:
//! that of the service for searches, that of the columns for the queue.

mod builder;
mod json;
mod line;
mod matcher;
mod names;
mod print;
pub mod record_test;
mod resolve;
#[cfg(test)]
mod tests;
mod types;
mod values;
pub mod view_definition;

pub use builder::ConditionPath;
pub use line::{ConditionLine, LineError, Words};
pub use matcher::TestMatcher;
pub(super) use matcher::fold_word;
pub use resolve::ConditionError;
pub use types::{Conditions, Test, capitalize, join_with_or};
pub(super) use values::display_value;
pub use values::{exclusive_bound, number_value, strict_bound};
