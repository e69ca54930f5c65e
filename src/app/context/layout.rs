//! Which layout the size of the terminal has room for.

use crate::app::context::Context;
use crate::app::layout::MIN_LIST_SIZE;

impl Context {
    /// Whether the screen is too small for a list, and for a price beside it.
    pub(in crate::app) fn is_compact(&self) -> bool {
        self.size.0 < MIN_LIST_SIZE.0 || self.size.1 < MIN_LIST_SIZE.1
    }
}
