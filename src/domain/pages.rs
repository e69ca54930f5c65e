//! Pages of rows, as they arrive.

/// One page of a list: the rows that could be read, and how many could not.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows, in the service's order.
    pub rows: Vec<T>,
    /// Rows that had no usable id or were no objects.
    pub unreadable: usize,
    /// Where the page begins.
    pub offset: u32,
    /// How many rows match in all, where the service says so.
    pub total: Option<u64>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Page { rows: Vec::new(), unreadable: 0, offset: 0, total: None }
    }
}
