//! Pages of rows.

/// One page of a list: the readable rows, and how many were not readable.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// In the service's order.
    pub rows: Vec<T>,
    /// Rows without a usable id, or that are not objects.
    pub unreadable: usize,
    pub offset: u32,
    /// Total number of matches, where the service reports it.
    pub total: Option<u64>,
    /// Where the next page begins; `None` after the last. How many rows a page has says nothing
    /// about that.
    pub next_offset: Option<u32>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Page {
            rows: Vec::new(),
            unreadable: 0,
            offset: 0,
            total: None,
            next_offset: None,
        }
    }
}
