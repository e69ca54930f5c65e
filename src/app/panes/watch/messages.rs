//! What the pane asks the service and the user, and what it is asked to do.

use std::collections::BTreeMap;

/// Rows for a page of the dashboard.
#[derive(Clone, Debug)]
pub struct DashboardRequest {
    pub offset: u32,
    /// The members counted so far, for the Team page.
    pub day: Option<BTreeMap<String, u64>>,
}
